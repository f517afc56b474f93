/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_study: which cluster is the best one for a budget, from prices of parts and from what
 * workloads reach on each configuration (section 5 of *Cluster Configuration by Simulation*, 2000).
 * The format of files is documented in portolan-study(5).
 *
 * All that a study shows belongs to it. One thread at a time for each. Nothing prints or exits.
 */
#ifndef PORTOLAN_CLUE_STUDY_H
#define PORTOLAN_CLUE_STUDY_H

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a workload reaches: a rate, or a time, with the interval that holds it. */
struct clue_study_value {
    double value, low, high;
    double communication; /**< part of the time that messages take */
    double memory;        /**< bytes that it needs of each host; 0: not known */
};

/** A run that a study needs. Times are in seconds. */
struct clue_study_run {
    const char *machine; /**< the machine file, of the configuration */
    int ranks;
    size_t n_words;
    const char *const *words; /**< the program and its arguments, or a record */
    bool is_record;
};
typedef enum portolan_status clue_study_run_fn(void *arg, const struct clue_study_run *run,
                                               struct clue_study_value *value,
                                               struct portolan_error *err);

struct clue_study;

/**
 * Reads and checks a file. All problems are reported to D (may be NULL), the first also becomes
 * ERR's text. *STUDY is for clue_study_destroy(), NULL on failure. ESYNTAX, EIO, ENOMEM.
 */
enum portolan_status clue_study_read(const char *path, struct portolan_diagnostics *d,
                                     struct clue_study **study, struct portolan_error *err);
/** The same for SIZE bytes of TEXT; PATH stands in messages, and what it names is beside it. */
enum portolan_status clue_study_read_text(const char *text, size_t size, const char *path,
                                          struct portolan_diagnostics *d, struct clue_study **study,
                                          struct portolan_error *err);
/** NULL is legal. */
void clue_study_destroy(struct clue_study *study);

/** Finds what each workload reaches; RUN is called, with ARG, for programs and records. Its errors,
 * EINVAL when a formula has no value, ENOMEM. */
enum portolan_status clue_study_evaluate(struct clue_study *study, clue_study_run_fn *run,
                                         void *arg, struct portolan_error *err);

/** The tables, or all of them as JSON; *TEXT is for free(). ENOMEM. */
enum portolan_status clue_study_report(const struct clue_study *study, bool is_json, char **text,
                                       struct portolan_error *err);
/** Time over price, as <portolan/chart.h> writes it to FILE. */
enum portolan_status clue_study_draw(const struct clue_study *study, const char *file, char **text,
                                     struct portolan_error *err);

/** The I-th best configuration and its sum of points; false: there is none. */
bool clue_study_peek(const struct clue_study *study, size_t i, const char **name, int *nodes,
                     double *points);

#ifdef __cplusplus
}
#endif
#endif
