/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial of `measure` in processes of its own, so that it may crash, hang or exit. */
#ifndef PORTOLAN_CLI_TRIAL_JOB_H
#define PORTOLAN_CLI_TRIAL_JOB_H

#include "cli.h"

#include <portolan/command.h>

/* How trials are started. */
struct trial_job {
    struct portolan_words
        start;                  /* words before the options of a run: "mpiexec -n 2 portolan run" */
    struct portolan_words rest; /* and after them: the assembly */
    bool is_silent;             /* what it writes to standard output is of no interest */
    const char *purpose, *store;
    double limit_s; /* for the next trial, from its start; 0: none */
};

/*
 * Runs a trial with ORDERS, lines "select INSTANCE CLASS" or "set INSTANCE PARAMETER VALUE", and
 * waits. Its output goes to this process's, but for its error message. PORTOLAN_EFOREIGN, with the
 * reason: it did not end well. When this process is told to end by a signal, the trial is ended,
 * too, and *TOLD is that signal. PORTOLAN_ENOTFOUND: it cannot be started. PORTOLAN_EIO, ENOMEM.
 */
enum portolan_status trial_job_run(const struct trial_job *job, const char *orders, int *told,
                                   struct portolan_error *err);

/*
 * Before a trial: opens FILE, in which it will be, and gives it a mark by which the functions below
 * find it there. *STORE is the caller's to close.
 */
enum portolan_status trial_expect(const char *file, struct portolan_store **store,
                                  struct portolan_error *err);

/*
 * After that trial, of which nothing runs any more. WHY: how it failed, or NULL. If it did, or
 * ended before it was finished, it is in the store as failed, with the reason and the class to
 * blame, if that is known; W and RANKS describe one of which nothing was stored, MACHINE (or NULL)
 * the virtual one that it ran on. PORTOLAN_ECOMPONENT: it failed; ERR has the reason.
 * PORTOLAN_EFOREIGN: the assembly as written did not even begin. Other errors are the store's.
 */
enum portolan_status trial_settle(struct portolan_store *store, const struct workbench *w,
                                  int ranks, const char *machine, const char *why,
                                  struct portolan_error *err);
/* The trial was ended from outside: what is stored of it is removed. */
enum portolan_status trial_discard(struct portolan_store *store, const struct workbench *w,
                                   struct portolan_error *err);

#endif
