/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of `measure`: rank 0 runs trials in jobs of their own. */
#ifndef PORTOLAN_CLI_MEASURE_H
#define PORTOLAN_CLI_MEASURE_H

#include "cli.h"
#include "virtual_trials.h"

#include <portolan/session.h>
#include <portolan/supervise.h>

/* One measurement session; only rank 0 reads the store. */
struct measurement {
    struct measure_session session;
    struct job *job;
    struct virtual_trials virtual;   /* `file` NULL: trials run on this machine */
    struct portolan_name_value fact; /* of the trials that count there */
    struct portolan_words start; /* of a trial, before its options: "mpiexec -n 2 portolan run" */
    struct portolan_words rest;  /* and after them: the assembly */
    struct portolan_arena arena; /* of its words */
    bool is_together;            /* trials run in these processes: they are on several hosts */
    int n_ranks, n_hosts;        /* of this job */
    bool quiet;
    double began_s; /* on the clock of portolan_now_s() */
};

struct measure_options {
    struct assembly_options assembly;
    double budget_s; /* < 0: the assembly's */
    int repeat, n, parallel;
    const char *machine;
    const char *launcher; /* words; NULL: mpiexec -n N, or none for one rank */
    double factor;        /* a program's trial may take so many times as long as the best; 0: 3 */
    bool all_fixed, quiet;
};

/* A whole session in JOB, of which O was read. */
enum portolan_status measure_all(struct job *job, struct measure_options *o,
                                 struct portolan_error *err);

/* Rank 0 prints a line, unless the session is quiet. */
void measure_say(const struct measurement *m, const char *text);

/* How a run on this machine is started. Before O's lists are used. False: no memory. */
bool measure_word_trials(struct measurement *m, const struct measure_options *o);
/* The command that runs a trial with these orders, in ARENA. False: no memory. */
bool measure_word_trial(const struct measurement *m, const char *orders,
                        struct portolan_arena *arena, struct portolan_words *words);

struct portolan_machine_reading;

/*
 * Collective: says who used the cores since BEFORE, and separates the ranks from their job so that
 * trials can be started by rank 0: *GOES_ON is false on the others. Or links what is to run on a
 * virtual machine.
 */
enum portolan_status measure_begin(struct measurement *m, const struct measure_options *o,
                                   struct portolan_machine_reading *before, bool *goes_on,
                                   struct portolan_error *err);

#endif
