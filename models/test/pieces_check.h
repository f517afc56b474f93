/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of pieces share. */
#ifndef MODELS_TEST_PIECES_CHECK_H
#define MODELS_TEST_PIECES_CHECK_H

#include "check.h"

enum { MOST = 600 };

/* Rows in the making. */
struct rows {
    size_t n_params, n;
    double x[2 * MOST], y[MOST];
};

static inline struct portolan_model *fit_pieces(const struct rows *r,
                                                const struct portolan_model_shape *shapes,
                                                size_t n_shapes,
                                                const struct portolan_model_options *options)
{
    static const char *const names[] = {"N", "P"};
    struct portolan_model_data data = {r->n_params, names, r->n, r->x, r->y, NULL};
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    if (portolan_model_fit_pieces(&data, shapes, n_shapes, options, &model, &err))
        fail_msg("fit: %s", err.text);
    return model;
}

#endif
