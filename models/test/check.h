/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of models/ share. */
#ifndef MODELS_TEST_CHECK_H
#define MODELS_TEST_CHECK_H

#include <math.h>
#include <unit_test.h>

#include "models_internal.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Within TOLERANCE relative to EXPECTED (absolute for 0). */
#define assert_near(value, expected, tolerance)                                                    \
    check_near((value), (expected), (tolerance), #value, __FILE__, __LINE__)

static inline void check_near(double value, double expected, double tolerance, const char *what,
                              const char *file, int line)
{
    double scale = expected == 0 ? 1 : fabs(expected);

    if (fabs(value - expected) <= tolerance * scale)
        return;
    print_error("%s is %.17g, not %.17g within %g\n", what, value, expected, tolerance);
    _fail(file, line);
}

/* Fits rows of parameters named n, m, k. */
static inline struct portolan_model *fit_rows(size_t n_params, size_t n_rows, const double *x,
                                              const double *y,
                                              const struct portolan_model_options *options)
{
    static const char *const names[] = {"n", "m", "k"};
    struct portolan_model_data data = {n_params, names, n_rows, x, y, NULL};
    struct portolan_model *model = NULL;
    struct portolan_error err = {0};

    if (portolan_model_fit(&data, options, &model, &err))
        fail_msg("fit: %s", err.text);
    return model;
}

/* Pseudo-random numbers with a fixed seed: xorshift64, and a sum of 12 for a normal one. */
static inline double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

static inline double normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform(state);
    return sum;
}

#endif
