/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the online update share. */
#ifndef PORTOLAN_MODELS_UPDATE_INTERNAL_H
#define PORTOLAN_MODELS_UPDATE_INTERNAL_H

#include "models_internal.h"

#include <portolan/update.h>

/* One sum of terms: the factor of all its rows, and what judges them. */
struct recursion {
    size_t n_params, k;
    struct portolan_model_shape shape[MODEL_TERMS];
    struct expressions expressions; /* of the shapes */
    double reference[MODEL_TERMS];  /* constants that weigh rows */
    struct portolan_model_range range[MODEL_PARAMS];
    struct portolan_model_summary begun;
    double gate, least_error;

    double r[MODEL_TERMS][MODEL_TERMS], z[MODEL_TERMS]; /* upper triangular */
    double rss, n, weight;
    double constant[MODEL_TERMS]; /* of all rows so far, signs free */
    bool full;                    /* R has full rank */

    double recursive_squares, largest; /* of recursive residuals, per unit weight */
    size_t n_recursive;
    double up, down, spread;                   /* CUSUMs */
    size_t up_since, down_since, spread_since; /* rows since they were 0 */
    struct portolan_update_state state;
};

struct portolan_update {
    size_t n_parts; /* one per piece */
    struct recursion *parts;
    struct portolan_model *base; /* pieces and breaks with empty models, envelope, summary */
    struct portolan_update_state state;
};

/* ---- update.c ---- */

/* Takes a row in; EARLIER ones are of those that the model came from and judge nothing. */
enum portolan_status recursion_take(struct recursion *u, const double *x, double y, double weight,
                                    bool earlier);
/* The constants of all rows so far; U->full tells whether there are any. */
void recursion_solve(struct recursion *u);
/* The part of U that X belongs to; NULL where a ratio is no number. */
struct recursion *update_part(struct portolan_update *u, const double *x);

#endif
