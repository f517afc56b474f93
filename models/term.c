/* SPDX-License-Identifier: BSD-3-Clause */
/* One term without its constant: powers and logarithms, or an expression. */
#include "formula_internal.h"
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

    if (shape->expression)
        return portolan_formula_value(shape->expression, x);
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
    return !shape->expression;
}

bool shape_equal(const struct portolan_model_shape *a, const struct portolan_model_shape *b,
                 size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (a->exponents[p] != b->exponents[p] || a->logs[p] != b->logs[p])
            return false;
    if (!a->expression || !b->expression)
        return a->expression == b->expression;
    return formula_equal(a->expression, b->expression);
}

/* ---- expressions of one's own ---- */

enum portolan_status expressions_own(struct expressions *own, struct portolan_model_shape *shape,
                                     size_t n_params, const char *const *params,
                                     struct portolan_error *err)
{
    struct portolan_formula *copy = NULL;
    enum portolan_status status;

    if (!shape->expression)
        return PORTOLAN_OK;
    if (portolan_formula_has_constants(shape->expression))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the expression of a term has no constants of its own");
    status = portolan_formula_bind(shape->expression, n_params, params, &copy, err);
    if (status)
        return status == PORTOLAN_ENOMEM ? status : PORTOLAN_EINVAL;
    if (formula_is_plain(copy, n_params, shape)) {
        portolan_formula_destroy(copy);
        return PORTOLAN_OK;
    }
    for (size_t i = 0; i < own->n; i++)
        if (formula_equal(own->list[i], copy)) {
            portolan_formula_destroy(copy);
            shape->expression = own->list[i];
            return PORTOLAN_OK;
        }
    if (own->n == sizeof own->list / sizeof *own->list) {
        portolan_formula_destroy(copy);
        return portolan_error_set(err, PORTOLAN_EINVAL, "there are too many expressions");
    }
    shape->expression = own->list[own->n++] = copy;
    return PORTOLAN_OK;
}

void expressions_clear(struct expressions *own)
{
    for (size_t i = 0; i < own->n; i++)
        portolan_formula_destroy(own->list[i]);
    own->n = 0;
}
