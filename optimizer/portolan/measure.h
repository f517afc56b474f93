/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * measure: decides which trials `portolan measure` runs, in which order, and when it stops. The
 * caller runs the trials and reads the store, so that the order can be tested without either.
 */
#ifndef PORTOLAN_MEASURE_H
#define PORTOLAN_MEASURE_H

#include <portolan/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trial to be run. */
struct portolan_measure_trial {
    const char *orders; /**< lines "select INSTANCE CLASS" and "set INSTANCE PARAMETER VALUE" */
    double limit_s;     /**< the time it may take; 0: no limit */
    int number;         /**< number of trials that this session ran before */
};

/** The caller's functions. Each returns PORTOLAN_OK, or an error that ends the session. */
struct portolan_measure_runner {
    void *arg;
    /** Rank 0: the stored trials of the session's purpose, ranks and machine; borrowed until the
     * next call. */
    enum portolan_status (*read)(void *arg, bool with_samples,
                                 const struct portolan_sample_set **set,
                                 struct portolan_error *err);
    /** Returns whether T had the assembly's present parameters. */
    bool (*has_parameters)(void *arg, const struct portolan_trial *t);
    /** Returns whether the class has the uses port PORT. */
    bool (*has_port)(void *arg, const char *class_name, const char *port);
    /** All ranks: gives the assembly the orders. */
    enum portolan_status (*apply)(void *arg, const char *orders, struct portolan_error *err);
    /** All ranks: runs the trial. PORTOLAN_ECOMPONENT: it failed, and is stored as failed; the
     * session goes on. */
    enum portolan_status (*run)(void *arg, const struct portolan_measure_trial *trial,
                                struct portolan_error *err);
    /** Rank 0: stores a model of what was measured. NULL: models are not stored. */
    enum portolan_status (*keep)(void *arg, const struct portolan_stored_model *model,
                                 struct portolan_error *err);
    /** Rank 0: shows the user a line. */
    void (*say)(void *arg, const char *text);
    /**
     * Of a program with options, else NULL. Rank 0: adds combinations to the assembly's
     * alternatives: all, or (*IS_RACE) those next to CHANGES_OF, NULL: to the one as written.
     * *GREW: there are more than before.
     */
    enum portolan_status (*offer)(void *arg, const char *changes_of, bool *is_race, bool *grew,
                                  struct portolan_error *err);
    /** With OFFER. Rank 0: adds one at random. */
    enum portolan_status (*draw)(void *arg, bool *grew, struct portolan_error *err);
    /** NULL if RUN returns at the trial's end; else it may return before, and this waits until one
     * has ended. Returns false if none runs. */
    bool (*wait)(void *arg);
};

struct portolan_measure_options {
    struct portolan_plan_options plan; /**< ranks, most trials of a setting, machine */
    struct portolan_cohort *cohort;
    double began_s;  /**< start of the session on the clock of portolan_now_s() */
    double budget_s; /**< for all of it; trials that would exceed it are not run; INFINITY: none */
    /** Instead of exploring, run every assembly that the alternatives allow, once. */
    bool all_fixed;
    /** Of a program with options: a trial may take so many times as long as the best of its case,
     * and as long as the program's time-out; 0: as below. */
    double factor;
};

/**
 * Collective: runs trials of A until portolan_plan_next_trial() has no more, or (all_fixed) every
 * combination of alternatives was run; then stores the models of what was explored. A is as APPLY
 * leaves it; with all_fixed its selection is changed here. A trial may take as long as the sweep
 * says, else ten times the best with its parameters, and at least 10 s. *N_TRIALS: the number of
 * trials run. Errors: ECOMPONENT if no trial ever worked, or the same trial failed twice; those of
 * RUNNER and of the plan; ENOMEM.
 */
enum portolan_status portolan_measure(struct portolan_assembly *a,
                                      const struct portolan_measure_options *options,
                                      const struct portolan_measure_runner *runner, int *n_trials,
                                      struct portolan_error *err);

/** Returns whether a trial ran with the assembly's present parameters (those of its sweep and
 * cases). */
bool portolan_trial_has_parameters(const struct portolan_trial *t,
                                   const struct portolan_assembly *a);

#ifdef __cplusplus
}
#endif
#endif
