/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * models: prediction without a formula. At a measured place the prediction is the measured value;
 * elsewhere it comes from its neighbours by kriging (Rasmussen and Williams, Gaussian Processes for
 * Machine Learning, 2006), on a logarithmic scale where all values are positive; more than 128
 * places are thinned for that. Also the error of fitted formulas and of neighbours on rows that
 * were left out, so that the two can be compared. Values have the unit of the rows.
 *
 * Immutable after creation: many threads may read one. Nothing here prints or exits.
 */
#ifndef PORTOLAN_LOCAL_H
#define PORTOLAN_LOCAL_H

#include <portolan/models.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows are times or other values that are not negative. All is borrowed for the call. */
struct portolan_local_data {
    size_t n_params; /**< 0 … PORTOLAN_MODEL_MAX_PARAMS */
    size_t n_rows;   /**< at least 1 */
    const double *x; /**< N_ROWS × N_PARAMS */
    const double *y;
    /** Of repetitions in their mean, at most 1 for what counts as one repetition; 0: the row is
     * left out; NULL: all 1. */
    const double *weight;
    /** What was measured, as any numbers: rows of the same group at the same x are repetitions;
     * rows of other groups may differ from them although x is the same. */
    const size_t *group;
};

/** Errors of places that were predicted without themselves. */
struct portolan_left_out {
    size_t n;     /**< groups; 0: there were too few */
    double mean;  /**< of |log(predicted / measured)|, each at most 3 */
    double sigma; /**< root of the mean square of the same */
};

/** Two places whose values differ more than their parameters explain. */
struct portolan_local_conflict {
    size_t row, other; /**< rows of the data; the larger value first */
    double ratio;      /**< of their values */
};

struct portolan_local_summary {
    size_t n_places; /**< different (x, group) */
    double repeat;   /**< relative standard deviation of repetitions; NaN: there are none */
    double repeat_dof;
    struct portolan_left_out left_out;
    size_t n_conflicts;                      /**< places that conflict with another */
    struct portolan_local_conflict conflict; /**< the worst; undefined if there is none */
};

enum portolan_local_source {
    PORTOLAN_LOCAL_MEASURED,  /**< there, in that group */
    PORTOLAN_LOCAL_SAME,      /**< there, in other groups */
    PORTOLAN_LOCAL_NEIGHBOURS /**< near it */
};

struct portolan_local;

/**
 * The data are copied. *LOCAL is the caller's to destroy. EINVAL: no rows, too many parameters, a
 * value or weight negative or not finite; ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_local_create(const struct portolan_local_data *data,
                                                        struct portolan_local **local,
                                                        struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_local_destroy(struct portolan_local *local);

/** Takes REPEAT as the relative standard deviation of repetitions, which L does not know, since
 * there are none or all are equal. Not while other threads use L. */
void portolan_local_assume(struct portolan_local *local, double repeat);

/** Borrowed from L. */
PORTOLAN_API const struct portolan_local_summary *
portolan_local_peek_summary(const struct portolan_local *l);

/**
 * The value at X (one number per parameter), for GROUP (SIZE_MAX: for none). A new run lies between
 * low and high in 95 of 100 cases. SOURCE may be NULL.
 */
PORTOLAN_API void portolan_local_predict(const struct portolan_local *local, const double *x,
                                         size_t group, struct portolan_prediction *out,
                                         enum portolan_local_source *source);

/**
 * Raises P, a model's prediction at X outside all places, to a lower bound from the places: if the
 * value never fell as parameters rose (in at least three pairs of places), P is not less than the
 * value of any place whose parameters are all at most those of X, minus noise. Else P stays.
 */
PORTOLAN_API void portolan_local_bound(const struct portolan_local *local, const double *x,
                                       struct portolan_prediction *p);

/**
 * By how much its neighbours predict GROUP too high (as a logarithm), divided by the expected
 * error: usually about 1 or -1. NaN where that is not known.
 */
PORTOLAN_API double portolan_local_error(const struct portolan_local *local, size_t group);

/**
 * *OUT: the error of the model that portolan_model_fit_pieces() finds for DATA and SHAPES
 * (portolan_model_fit() where there are none and OPTIONS allow one piece) on groups of rows that
 * were left out of the fit: as many folds as there are groups, FOLDS at most. GROUP has one number
 * per row. N is 0 with fewer than 4 groups. ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_model_left_out(const struct portolan_model_data *data, const size_t *group,
                        const struct portolan_model_shape *shapes, size_t n_shapes,
                        const struct portolan_model_options *options, size_t folds,
                        struct portolan_left_out *out, struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
