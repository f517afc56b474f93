/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Comparison of repeated trials: two sets of profiles, call path by call path, with a test of each
 * difference; and these tests. Any thread may call these functions. Values are in the metric's
 * unit: ns for times, else counts. Shares are from 0 to 1.
 */
#ifndef PORTOLAN_COMPARE_H
#define PORTOLAN_COMPARE_H

#include <portolan/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- tests */

/**
 * The two-sided test of Mann and Whitney (1947), or Wilcoxon's rank sum: *P is the probability, if
 * A and B have the same distribution, of a rank sum at least as far from its mean as the observed
 * one; NaN for an empty sample. Ties get mid-ranks. Exact up to 40 values together, with ties too;
 * beyond, the normal approximation, corrected for ties and for continuity. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_mann_whitney(const double *a, size_t n_a,
                                                        const double *b, size_t n_b, double *p);

/** The smallest p that samples of these sizes can have: 2 / (n_a + n_b over n_a). */
PORTOLAN_API double portolan_mann_whitney_least(size_t n_a, size_t n_b);

/** Welch's two-sided t test of the means (1947): returns p; NaN when a sample has less than 2
 * values. *T is the statistic, *FREEDOM its degrees of freedom. */
PORTOLAN_API double portolan_welch(const double *a, size_t n_a, const double *b, size_t n_b,
                                   double *t, double *freedom);

/** Adjusts N probabilities in place by Holm's method (1979): the probability of any false rejection
 * in the family stays within the level. NaN is skipped. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_holm(double *p, size_t n);

/**
 * The ratio of B to A: the estimate of Hodges and Lehmann (1963), the median of the pairwise ratios
 * b / a, with the interval that belongs to the Mann-Whitney test at LEVEL (0.05: at least 95 %).
 * Where the samples are too small for an interval, it reaches from 0 to infinity. Values below 0
 * count as 0. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_ratio(const double *a, size_t n_a, const double *b,
                                                 size_t n_b, double level,
                                                 struct portolan_profile_estimate *ratio);

/** The median of N values, which stay as they are; NaN for N = 0. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_median(const double *values, size_t n, double *median);

/* ---------------------------------------------------------------- comparison */

enum portolan_verdict {
    PORTOLAN_VERDICT_CANNOT_TELL, /**< too few trials for any difference to be significant */
    PORTOLAN_VERDICT_SLOWER,      /**< significant, and more than the threshold */
    PORTOLAN_VERDICT_FASTER,      /**< likewise */
    PORTOLAN_VERDICT_SMALL,       /**< significant, within the threshold */
    PORTOLAN_VERDICT_SAME,        /**< not significant, the interval within the threshold */
    PORTOLAN_VERDICT_UNCLEAR,     /**< not significant, the interval reaches beyond the threshold */
    PORTOLAN_VERDICT_NEW,         /**< in B only */
    PORTOLAN_VERDICT_GONE,        /**< in A only */
    PORTOLAN_VERDICT_NOT_TESTED   /**< too little of the total to be a member of the family */
};

/** A few words, as in reports; static. */
PORTOLAN_API const char *portolan_verdict_text(enum portolan_verdict verdict);

struct portolan_comparison_query {
    const char *metric; /**< NULL or "exclusive", "inclusive", "mpi", "calls", or a counter */
    double threshold;   /**< 0.05: 5 % */
    double level;       /**< of significance: 0.05 */
    /** Call paths with a smaller share of the total in A and B together are shown, not tested. */
    double share;
};

/** A call path, or the total; values are means over a trial's ranks. */
struct portolan_comparison_row {
    int64_t parent; /**< position; -1 */
    int depth;
    const char *label;       /**< "solver.solve" */
    const char *in_a, *in_b; /**< implementations, "" where there is none */
    double median_a, median_b, share;
    const double *values_a, *values_b; /**< by trial */
    struct portolan_profile_estimate ratio;
    double p;       /**< Mann-Whitney */
    double p_welch; /**< Welch, for comparison */
    double p_holm;  /**< P adjusted for the number of call paths tested; of the total: P */
    bool is_marked; /**< `!` in a trial */
    enum portolan_verdict verdict;
};

/** A fact in which the trials of A and those of B differ. */
struct portolan_comparison_fact {
    const char *name;
    const char *in_a, *in_b; /**< the values, with "; " between several; "-" for none */
};

struct portolan_comparison {
    struct portolan_comparison_query query;
    size_t n_a, n_b;
    const struct portolan_trial **a, **b;
    struct portolan_comparison_row total; /**< elapsed time, or the metric's total */
    size_t n_rows;
    struct portolan_comparison_row *rows; /**< parents first */
    size_t n_tested;
    size_t enough_for_total, enough_for_paths; /**< trials per side that allow significance */
    size_t n_facts;
    struct portolan_comparison_fact *facts;
    /** In what a trial is unlike the first of A (portolan_trial_add_unlike()), for each row; or "".
     */
    const char *unlike;
    bool is_regression;          /**< the total or a call path is slower */
    struct portolan_arena arena; /**< of all it points to */
};

/**
 * Compares; the profiles (not flat) must outlive the comparison, which the caller destroys. Call
 * paths are the same when their instances, ports and methods are, whatever the implementations. A
 * difference of the total is tested by itself, those of call paths as one family.
 * Errors: EINVAL (no trial, or a metric that no trial has), ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_compare(const struct portolan_profile *const *a, size_t n_a,
                 const struct portolan_profile *const *b, size_t n_b,
                 const struct portolan_comparison_query *query,
                 struct portolan_comparison **comparison, struct portolan_error *err);

/** NULL is legal. */
PORTOLAN_API void portolan_comparison_destroy(struct portolan_comparison *c);

/** Adds to OUT the differing facts, the rows (TOP of them, 0: all) and the verdict. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_comparison_write(const struct portolan_comparison *c,
                                                            size_t top, bool wide,
                                                            struct portolan_text *out,
                                                            struct portolan_error *err);

/** Adds the comparison to OUT as JSON, in the form of portolan-profile(1). Errors: ENOMEM. */
PORTOLAN_API enum portolan_status
portolan_comparison_write_json(const struct portolan_comparison *c, struct portolan_text *out,
                               struct portolan_error *err);

/** The same as members of an object that is being written, with TOP rows (0: all). */
PORTOLAN_API void portolan_comparison_write_members(const struct portolan_comparison *c, size_t top,
                                                    struct portolan_json *j);

#ifdef __cplusplus
}
#endif
#endif
