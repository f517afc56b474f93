/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * session: a session of portolan_measure() over the store of an assembly, of which the caller runs
 * the trials; those of a program with options it runs itself. One thread. Nothing here prints or
 * exits.
 */
#ifndef PORTOLAN_SESSION_H
#define PORTOLAN_SESSION_H

#include <portolan/measure.h>
#include <portolan/tune.h>
#include <portolan/workbench.h>

enum { MOST_PARALLEL = 64 };

/* The first member of the struct that the caller's functions are given. */
struct measure_session {
    struct workbench *w;
    int ranks;                       /* of each trial */
    const char *machine;             /* name of a virtual machine; NULL: this one */
    const char *store;               /* set by measure_session_run() */
    struct portolan_cohort *cohort;  /* likewise: that of the options */
    struct portolan_sample_set *set; /* the trials that were read last; its own */
    /*
     * Collective: runs a trial of components, whose Mastermind stores it. *WHY: it did not end
     * well. An error ends the session, and what is stored of the trial is removed.
     */
    enum portolan_status (*run)(void *session, const struct portolan_measure_trial *trial,
                                struct portolan_error *why, struct portolan_error *err);
    void (*say)(void *session, const char *text);
    int signal_number; /* this process was told to end, and nothing else; 0 */
    /* Of a program with options: */
    const char *launcher, *mpiexec; /* what starts its ranks, as in tune_open() */
    struct tune_session program;    /* its own */
    char *reasons;                  /* why every trial failed, as a table, for free(); NULL */
    int parallel; /* so many trials run side by side, each on its part of the cores; 0: one */
    /* The session's own, if trials run side by side. */
    enum portolan_status (*read)(void *session, bool with_samples,
                                 const struct portolan_sample_set **set,
                                 struct portolan_error *err);
    struct running_trial {
        int pid;                     /* 0: free */
        struct portolan_trial as_if; /* it counts so */
    } running[MOST_PARALLEL];
    struct portolan_sample_set shown;
    int n_running;
    bool is_broken;
};

/*
 * portolan_measure() with the trials of S's store that count. OPTIONS: ranks are those of S; a
 * budget below 0 is the assembly's, and no budget there is no limit. Errors: ENOTFOUND if the
 * assembly has no store in a file; EFOREIGN with signal_number; those of portolan_measure(), of run
 * and of tune_open().
 */
enum portolan_status measure_session_run(struct measure_session *s,
                                         struct portolan_measure_options options, int *n_trials,
                                         struct portolan_error *err);

#endif
