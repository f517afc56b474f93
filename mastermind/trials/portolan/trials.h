/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trials: decides which stored trials count, and estimates times of all calls from their samples.
 * All that make rows of a fit from a store (the Optimizer, `model`, llac, exports of points) use
 * it, so that each rule is written once.
 *
 * All functions may be called by any thread, a store by one at a time. Times are nanoseconds.
 */
#ifndef PORTOLAN_TRIALS_H
#define PORTOLAN_TRIALS_H

#include <portolan/base.h>
#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Trials without samples, by id. */
struct portolan_trial_list {
    struct portolan_sample_set *set; /**< holds them and others */
    size_t n;
    const struct portolan_trial **trials;
};

/**
 * The trials that TEXT names: alternatives between commas, each one or more conditions between '&',
 * which must all hold: "12", "10-15", "name:PATTERN" or just "PATTERN" (of the assembly),
 * "label:PATTERN", "purpose:PATTERN", "outcome:PATTERN", or "KEY=PATTERN" (metadata, a parameter,
 * an implementation). Patterns are those of fnmatch(3). NULL: all trials.
 * Clear *LIST with portolan_trials_clear(). Errors: ENOTFOUND (no trial meets it, or no trial has
 * the number), EINVAL (TEXT cannot be read), those of the store, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trials_select(struct portolan_store *store,
                                                         const char *text,
                                                         struct portolan_trial_list *list,
                                                         struct portolan_error *err);
/** Frees what LIST holds. */
PORTOLAN_API void portolan_trials_clear(struct portolan_trial_list *list);

/** *FOLDER, which the caller frees: where the trace of TRIAL, of the store at PATH, lies, from
 * here; NULL: it has none. PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trial_trace(const struct portolan_trial *trial,
                                                       const char *path, char **folder,
                                                       struct portolan_error *err);

/** The finite number that TRIAL has for PARAMETER, or its "ranks"; false when there is none. */
PORTOLAN_API bool portolan_trial_number(const struct portolan_trial *trial, const char *parameter,
                                        double *number);

/**
 * Fills NAMES, up to MOST, with the parameters that are numbers in all TRIALS and not the same in
 * all, "ranks" last; borrowed from the first trial. Returns how many there are, perhaps more.
 */
PORTOLAN_API size_t portolan_trials_differ_in(const struct portolan_trial *const *trials, size_t n,
                                              const char **names, size_t most);

/* ---------------------------------------------------------------- which trials count */

/** Returns whether times of TRIAL count: none of a trial that failed, all of one that was stopped.
 */
PORTOLAN_API bool portolan_trial_counts(const struct portolan_trial *trial);

/**
 * Fills FACTS, up to MOST, with the metadata that say on what machine TRIAL ran and how it and its
 * components were compiled; borrowed. Returns how many.
 */
PORTOLAN_API size_t portolan_trial_list_facts(const struct portolan_trial *trial,
                                              struct portolan_name_value *facts, size_t most);

/**
 * Returns the fact that shows that TRIAL is of another machine or build than N FACTS say, or of
 * another virtual machine, or of one at all if they name none; NULL: it is of this one. Facts that
 * a trial lacks do not count.
 */
PORTOLAN_API const struct portolan_name_value *
portolan_trial_elsewhere(const struct portolan_trial *trial,
                         const struct portolan_name_value *facts, size_t n);

/** Keeps of the trials of SET, or in LIST, only those of the virtual MACHINE; NULL: of real ones.
 */
PORTOLAN_API void portolan_trials_keep_of_machine(struct portolan_sample_set *set,
                                                  const char *machine);
PORTOLAN_API void portolan_trials_keep_listed_of_machine(struct portolan_trial_list *list,
                                                         const char *machine);
/** Returns whether a fact of that NAME says how a component was built. */
PORTOLAN_API bool portolan_fact_is_of_build(const char *name);

/**
 * Leaves the trials of one machine and build in LIST: that of the newest on a real machine, or of
 * the newest if all are virtual. Adds to NOTE what was left out and how to select it; nothing if
 * nothing was.
 */
PORTOLAN_API void portolan_trials_keep_machine(struct portolan_trial_list *list,
                                               struct portolan_text *note);

/** Leaves those trials in LIST that make one law together: of those that count, those that
 * portolan_trials_keep_machine() leaves. Adds to NOTE as it does. */
PORTOLAN_API void portolan_trials_keep_alike(struct portolan_trial_list *list,
                                             struct portolan_text *note);

/** For a law of whole runs, not of calls: leaves the trials that finished in LIST, or all if none
 * did. */
PORTOLAN_API void portolan_trials_keep_whole(struct portolan_trial_list *list);

/* ---------------------------------------------------------------- what samples say of all calls */

/** Sums over all calls of a sample, if 1 in N of them, or of the calls they made, was timed. */
struct portolan_sample_estimate {
    bool known; /**< false: there were calls, and none was timed */
    double inclusive_ns, exclusive_ns, mpi_ns;
};

/**
 * Estimates N samples; E has room for N. `parent` of a sample is a position among them. Moves the
 * time of calls that were not timed out of their callers' exclusive time.
 */
PORTOLAN_API void portolan_samples_estimate(const struct portolan_sample *samples, size_t n,
                                            struct portolan_sample_estimate *e);

/** The rank that computed longest (exclusive less MPI time) in N samples of a trial on RANKS ranks.
 * WORK has room for RANKS. */
PORTOLAN_API int portolan_samples_slowest_rank(const struct portolan_sample *samples, size_t n,
                                               int ranks, double *work);

#ifdef __cplusplus
}
#endif

#endif
