/* SPDX-License-Identifier: BSD-3-Clause */
/* `portolan measure`: what its two ways of finding the next trial share. */
#ifndef PORTOLAN_CLI_MEASURE_H
#define PORTOLAN_CLI_MEASURE_H

#include "cli.h"

#include <portolan/store.h>

/* Settings of one trial, as lines "select INSTANCE CLASS" and "set INSTANCE PARAMETER VALUE". */
struct orders {
    char *text; /* NULL: nothing is left to do */
    size_t size;
};

/* One measurement session; only rank 0 reads the store. */
struct measurement {
    struct job *job;
    struct workbench *w;
    const char *store;
    bool quiet;
    double began_s, budget_s; /* of the monotonic clock; how long it may take in all */
    double ordered_s;         /* when the last trial was ordered */
    double overhead_s;        /* the most that a trial took beside its own time */
    int most_trials;          /* of one setting; 0: as the plan likes */
    int trials, failed;
    size_t combination; /* of fixed assemblies, the next to look at */
    /* Rank 0: the next trial's orders, none when all is measured. */
    enum portolan_status (*next)(struct measurement *m, struct orders *o,
                                 struct portolan_error *err);
};

/* Since the command began, its set-up included. */
double measure_spent_s(const struct measurement *m);

/* Rank 0 prints a line, unless the session is quiet. */
void measure_say(const struct measurement *m, const char *text);

/* The store's trials of this assembly, purpose and number of ranks. */
enum portolan_status measure_read_trials(const struct measurement *m, bool with_samples,
                                         struct portolan_sample_set **set,
                                         struct portolan_error *err);

/* For --all-fixed: every combination of alternatives, once. */
enum portolan_status next_fixed_orders(struct measurement *m, struct orders *o,
                                       struct portolan_error *err);

/* A trial ran with the parameters that the assembly has now (those of its sweep). */
bool trial_has_parameters(const struct portolan_trial *t, const struct portolan_assembly *a);

#endif
