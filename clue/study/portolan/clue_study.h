/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_study: finds the best cluster for a budget, from prices of parts and what workloads reach on
 * each configuration (section 5 of *Cluster Configuration by Simulation*, 2000). The format of
 * files is documented in portolan-study(5).
 *
 * A study owns all that it returns. One thread at a time for each. Nothing prints or exits.
 */
#ifndef PORTOLAN_CLUE_STUDY_H
#define PORTOLAN_CLUE_STUDY_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The performance of a workload: a rate or a time, with its interval. */
struct clue_study_value {
    double value, low, high;
    double communication; /**< share of the time that messages take */
    double memory;        /**< bytes that it needs of each host; 0: not known */
};

/** A run that a study needs. Times are in seconds. */
struct clue_study_run {
    const char *machine; /**< machine file of the configuration */
    int ranks;
    size_t n_words;
    const char *const *words; /**< the program and its arguments, or a record */
    bool is_record;
};
typedef enum portolan_status clue_study_run_fn(void *arg, const struct clue_study_run *run,
                                               struct clue_study_value *value,
                                               struct portolan_error *err);

/** Who makes the runs: the ARG of clue_study_run_virtually(). */
struct clue_study_runner {
    const char *command;        /**< the program `portolan` */
    const char *const *options; /**< of `portolan clue run`, with or without "--" */
    size_t n_options;
};
/** A clue_study_run_fn: makes the run in virtual time, in a process of its own. EFOREIGN, with the
 * last line that it wrote: the run failed; ENOTFOUND, ENOMEM. */
enum portolan_status clue_study_run_virtually(void *arg, const struct clue_study_run *run,
                                              struct clue_study_value *value,
                                              struct portolan_error *err);

struct clue_study;

/**
 * Reads and checks a file. All problems are reported to D (may be NULL), the first also becomes
 * ERR's text. Free *STUDY, NULL on failure, with clue_study_destroy(). ESYNTAX, EIO, ENOMEM.
 */
enum portolan_status clue_study_read(const char *path, struct portolan_diagnostics *d,
                                     struct clue_study **study, struct portolan_error *err);
/** Does the same for SIZE bytes of TEXT. Messages contain PATH; files that it names are in PATH's
 * folder. */
enum portolan_status clue_study_read_text(const char *text, size_t size, const char *path,
                                          struct portolan_diagnostics *d, struct clue_study **study,
                                          struct portolan_error *err);
/** Frees a study; NULL is legal. */
void clue_study_destroy(struct clue_study *study);

/** Determines the performance of each workload; calls RUN, with ARG, for programs and records.
 * Errors: those of RUN, EINVAL if a formula has no value, ENOMEM. */
enum portolan_status clue_study_evaluate(struct clue_study *study, clue_study_run_fn *run,
                                         void *arg, struct portolan_error *err);

/** Writes the tables as text, or all of them as JSON; *TEXT is for free(). ENOMEM. */
enum portolan_status clue_study_report(const struct clue_study *study, bool is_json, char **text,
                                       struct portolan_error *err);
/** Draws time over price, in the form for FILE (<portolan/chart.h>); *TEXT is for free(). */
enum portolan_status clue_study_draw(const struct clue_study *study, const char *file, char **text,
                                     struct portolan_error *err);

/** Returns the I-th best configuration and its sum of points; false: there is none. */
bool clue_study_peek(const struct clue_study *study, size_t i, const char **name, int *nodes,
                     double *points);

#ifdef __cplusplus
}
#endif
#endif
