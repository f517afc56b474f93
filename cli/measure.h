/* SPDX-License-Identifier: BSD-3-Clause */
/* A session of `measure`: rank 0 orders trials and runs them in jobs of their own. */
#ifndef PORTOLAN_CLI_MEASURE_H
#define PORTOLAN_CLI_MEASURE_H

#include "trial_job.h"
#include "virtual_trials.h"

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
    struct virtual_trials virtual;   /* `file` NULL: trials run on this machine */
    struct portolan_name_value fact; /* of the trials that count there */
    struct trial_job trial_job;
    struct portolan_arena arena; /* of its words */
    bool is_together;            /* trials run in these processes: they are on several hosts */
    int n_ranks, n_hosts;        /* of this job */
    bool quiet;
    double began_s, budget_s; /* start on the monotonic clock; limit for the whole session */
    double ordered_s;         /* when the last trial was started */
    double overhead_s;        /* the largest cost of a trial in addition to its own time */
    int most_trials;          /* per setting; 0: the plan decides */
    int trials;
    size_t combination; /* the next fixed assembly to look at */
    /* Rank 0: the settings of the next trial; none when all is measured. */
    enum portolan_status (*next)(struct measurement *m, struct orders *o,
                                 struct portolan_error *err);
};

struct measure_options {
    struct assembly_options assembly;
    double budget_s; /* < 0: the assembly's */
    int repeat, n;
    const char *machine;
    const char *launcher; /* words; NULL: mpiexec -n N, or none for one rank */
    bool all_fixed, quiet;
};

/* On how many ranks trials run. */
int measure_ranks(const struct measurement *m);
/* Time since the command started, including its set-up. */
double measure_spent_s(const struct measurement *m);
/* Rank 0 prints a line, unless the session is quiet. */
void measure_say(const struct measurement *m, const char *text);
enum portolan_status measure_take_orders(struct portolan_text *t, struct orders *o,
                                         struct portolan_error *err);
/* The store's trials with this assembly, purpose and number of ranks. */
enum portolan_status measure_read_trials(const struct measurement *m, bool with_samples,
                                         struct portolan_sample_set **set,
                                         struct portolan_error *err);

/* How a run on this machine is started. Before O's lists are used. False: no memory. */
bool measure_word_trials(struct measurement *m, const struct measure_options *o);

struct portolan_machine_reading;

/*
 * Collective: says who used the cores since BEFORE, and separates the ranks from their job so that
 * trials can be started by rank 0: *GOES_ON is false on the others. Or links what is to run on a
 * virtual machine.
 */
enum portolan_status measure_begin(struct measurement *m, const struct measure_options *o,
                                   struct portolan_machine_reading *before, bool *goes_on,
                                   struct portolan_error *err);

/* For --all-fixed: the next combination of alternatives, as the oracle of a choice. */
enum portolan_status measure_next_fixed(struct measurement *m, struct orders *o,
                                        struct portolan_error *err);

#endif
