/* SPDX-License-Identifier: BSD-3-Clause */
#include "models_internal.h"

#include <math.h>

/* Small whole exponents are most of them, and pow() is ten times dearer than a product. */
static double power(double x, double exponent)
{
    int whole = (int)exponent;
    double result = 1, square = x;

    if (exponent != whole || whole < 0 || whole > 8)
        return pow(x, exponent);
    for (; whole; whole >>= 1, square *= square)
        if (whole & 1)
            result *= square;
    return result;
}

double shape_value(const struct portolan_model_shape *shape, size_t n_params, const double *x)
{
    double value = 1;

    for (size_t p = 0; p < n_params; p++) {
        if (shape->exponents[p] != 0)
            value *= power(x[p], shape->exponents[p]);
        if (shape->logs[p])
            value *= power(log2(x[p]), shape->logs[p]);
    }
    return value;
}

bool shape_is_constant(const struct portolan_model_shape *shape, size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (shape->exponents[p] != 0 || shape->logs[p])
            return false;
    return true;
}

bool shape_equal(const struct portolan_model_shape *a, const struct portolan_model_shape *b,
                 size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (a->exponents[p] != b->exponents[p] || a->logs[p] != b->logs[p])
            return false;
    return true;
}
