/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * series: finds defects of measurements in the order in which they were taken. A fit assumes that
 * rows scatter independently around one value. These functions find where they do not: spikes
 * (other work on the machine), drift (the processor got warmer, the heap more fragmented), two
 * levels (two frequencies or sockets, data inside or outside a cache).
 *
 * Everything is robust: spikes neither hide a drift nor make a second level, and a skewed series
 * has one. "Place" in names is a level. Pure functions; they may be called by any thread.
 */
#ifndef PORTOLAN_SERIES_H
#define PORTOLAN_SERIES_H

#include <portolan/base.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PORTOLAN_SERIES_SPIKES_KEPT = 8 };

/** Values far from the others, beyond six robust standard deviations and half as long. */
struct portolan_series_spikes {
    size_t n;       /**< too large ones */
    size_t n_small; /**< too small ones */
    double share;   /**< of both in all rows */
    double factor;  /**< the median of the too large ones over the series' level; NaN if there are
                         none */
    double largest; /**< the farthest of them; NaN if there are none */
    size_t n_kept;
    size_t row[PORTOLAN_SERIES_SPIKES_KEPT]; /**< the first N_KEPT rows that are spikes */
};

/** A trend from the first row to the last (Mann and Kendall's test, Theil and Sen's slope). */
struct portolan_series_drift {
    bool is_there;      /**< significant, and more than 1 % from end to end */
    double slope;       /**< relative change per row: 1e-4 is 1 % in 100 rows */
    double change;      /**< relative change from the first row to the last */
    double probability; /**< of such a trend in rows without order; NaN for fewer than 4 */
};

/** Two levels (Hartigan and Hartigan's dip test 1985). */
struct portolan_series_modes {
    bool is_bimodal;    /**< significant, at least a tenth of the rows at each level, and the levels
                             at least two standard deviations apart (Ashman, Bird and Zepf 1994) */
    double low, high;   /**< the levels, in the values' unit or over the expected values */
    double low_share;   /**< of rows at the lower level; the others but spikes are at the higher */
    double dip;         /**< the statistic; NaN for fewer than 4 rows */
    double probability; /**< that a series with one level has at least this dip; NaN as above */
};

struct portolan_series_report {
    size_t n;
    double place;  /**< the median of the values, or of the values over the expected ones */
    double spread; /**< robust relative standard deviation, by the median of absolute deviations */
    struct portolan_series_spikes spikes;
    struct portolan_series_drift drift;
    struct portolan_series_modes modes;
};

/**
 * Inspects N values Y in the order of time. EXPECTED (may be NULL) has a model's values at the
 * rows' parameters: then Y over EXPECTED is inspected, so that rows of different sizes are one
 * series.
 *
 * PORTOLAN_EINVAL: no rows, a number not finite, a value or expected value that is not positive.
 * PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_series_inspect(size_t n, const double *y,
                                                          const double *expected,
                                                          struct portolan_series_report *report,
                                                          struct portolan_error *err);

/**
 * How many of N values Y, in the order of time since something was started, are first calls that
 * take longer than later ones (plans, page faults, compilation): a change point within the first 50
 * calls, 0 if there is none or N < 2. WEIGHT[i]: the number of calls that Y[i] is the mean of;
 * NULL: 1 each. Costs that come again in periods are not first calls. *ALONE: the one of at least
 * 30 later values that is far above all others, as if disturbed; N or more: there is none. SCRATCH
 * has room for N numbers.
 */
size_t portolan_series_first(size_t n, const double *y, const double *weight, double *scratch,
                             size_t *alone);

#ifdef __cplusplus
}
#endif
#endif
