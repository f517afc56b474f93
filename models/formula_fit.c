/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's formula becomes the terms of a fit, and finds its constants in a model again. */
#include "formula_internal.h"
#include "models_internal.h"

#include <stdlib.h>

void portolan_model_shapes_destroy(struct portolan_model_shape *shapes, size_t n_shapes)
{
    for (size_t j = 0; shapes && j < n_shapes; j++)
        portolan_formula_destroy((struct portolan_formula *)shapes[j].expression);
    free(shapes);
}

/* In the order of the constants; what SUM is bound to. */
static enum portolan_status bind_terms(const struct portolan_formula_sum *sum, size_t n_params,
                                       const char *const *params,
                                       struct portolan_model_shape *shapes,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < sum->n_terms && !status; i++) {
        struct portolan_model_shape *shape = &shapes[sum->terms[i].index];
        struct portolan_formula *bound = NULL;

        status = portolan_formula_bind(sum->terms[i].expression, n_params, params, &bound, err);
        if (!status && formula_is_plain(bound, n_params, shape))
            portolan_formula_destroy(bound);
        else
            shape->expression = bound;
    }
    return status == PORTOLAN_ENOTFOUND ? PORTOLAN_EINVAL : status;
}

enum portolan_status portolan_model_formula_shapes(const struct portolan_formula *formula,
                                                   size_t n_params, const char *const *params,
                                                   struct portolan_model_shape **shapes,
                                                   size_t *n_shapes, struct portolan_error *err)
{
    const char *wrong = model_check_params(n_params, params);
    struct portolan_formula_sum sum = {0};
    struct portolan_model_shape *made = NULL;
    struct portolan_error why = {0};
    enum portolan_status status;

    if (wrong)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s", wrong);
    if ((status = portolan_formula_split(formula, "formula", 1, 1, NULL, &sum, &why)))
        return portolan_error_set(err, status == PORTOLAN_ESYNTAX ? PORTOLAN_EINVAL : status, "%s",
                                  why.text);
    if (sum.n_terms > MODEL_TERMS)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "a model takes at most %d terms, not %zu",
                                    (int)MODEL_TERMS, sum.n_terms);
    else if (!(made = portolan_calloc(sum.n_terms, sizeof *made)))
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the terms of a model");
    else
        status = bind_terms(&sum, n_params, params, made, err);
    if (status) {
        portolan_model_shapes_destroy(made, sum.n_terms);
    } else {
        *shapes = made;
        *n_shapes = sum.n_terms;
    }
    portolan_formula_sum_clear(&sum);
    return status;
}

enum portolan_status portolan_model_fit_as(const struct portolan_model_data *data,
                                           const struct portolan_formula *formula, bool pieces,
                                           const struct portolan_model_options *options,
                                           struct portolan_model **model,
                                           struct portolan_error *err)
{
    struct portolan_model_shape *shapes = NULL;
    size_t n = 0;
    enum portolan_status status = PORTOLAN_OK;

    if (!formula && !pieces)
        return portolan_model_fit(data, options, model, err);
    if (formula)
        status =
            portolan_model_formula_shapes(formula, data->n_params, data->params, &shapes, &n, err);
    if (!status && pieces)
        status = portolan_model_fit_pieces(data, shapes, n, options, model, err);
    else if (!status)
        status = portolan_model_fit_terms(data, shapes, n, options, model, err);
    portolan_model_shapes_destroy(shapes, n);
    return status;
}

enum portolan_status portolan_model_fit_formula(const struct portolan_model_data *data,
                                                const struct portolan_formula *formula,
                                                const struct portolan_model_options *options,
                                                struct portolan_model **model,
                                                struct portolan_error *err)
{
    return portolan_model_fit_as(data, formula, false, options, model, err);
}

static size_t find_term(const struct portolan_model *m, const struct portolan_model_shape *shape)
{
    size_t j = 0;

    while (j < m->n_terms && !shape_equal(&m->terms[j].shape, shape, m->n_params))
        j++;
    return j;
}

enum portolan_status portolan_model_formula_constants(const struct portolan_model *m,
                                                      const struct portolan_formula *formula,
                                                      size_t n, double *constants,
                                                      double *std_errors,
                                                      struct portolan_error *err)
{
    struct portolan_model_shape *shapes = NULL;
    size_t n_shapes = 0;
    enum portolan_status status = portolan_model_formula_shapes(
        formula, m->n_params, (const char *const *)m->params, &shapes, &n_shapes, err);

    if (!status && n_shapes != n)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "the formula has %zu constants, not %zu",
                                    n_shapes, n);
    for (size_t k = 0; k < n && !status; k++) {
        size_t j = find_term(m, &shapes[k]);

        constants[k] = j < m->n_terms ? m->terms[j].constant : 0;
        if (std_errors)
            std_errors[k] = j < m->n_terms ? m->terms[j].std_error : 0;
    }
    portolan_model_shapes_destroy(shapes, n_shapes);
    return status;
}
