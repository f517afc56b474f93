/* SPDX-License-Identifier: BSD-3-Clause */
/* A parameter with one value in all rows says nothing: the search runs without it, and the model
 * gets it back. */
#include "models_internal.h"

#include <stdlib.h>

/* Lists the parameters of DATA that do not have the same value in all rows; returns how many. */
static size_t find_varying(const struct portolan_model_data *data, size_t *varying)
{
    size_t n = 0;

    for (size_t p = 0; p < data->n_params; p++)
        for (size_t i = 1; i < data->n_rows && data->x; i++)
            if (data->x[i * data->n_params + p] != data->x[p]) {
                varying[n++] = p;
                break;
            }
    return n;
}

static void widen_shape(struct portolan_model_shape *shape, size_t n, const size_t *varying)
{
    struct portolan_model_shape wide = {.expression = shape->expression};

    for (size_t p = 0; p < n; p++) {
        wide.exponents[varying[p]] = shape->exponents[p];
        wide.logs[varying[p]] = shape->logs[p];
    }
    *shape = wide;
}

/* Gives M, a model of the N parameters that vary, all parameters of DATA. */
static enum portolan_status widen_model(struct portolan_model *m,
                                        const struct portolan_model_data *data, size_t n,
                                        const size_t *varying, struct portolan_error *err)
{
    struct portolan_model narrow = *m;

    for (size_t p = 0; p < data->n_params; p++) {
        m->params[p] = NULL;
        /* As uncertain off its value as where nothing is known of a form. */
        m->range[p] = (struct portolan_model_range){data->x[p], data->x[p], 1, 1};
    }
    for (size_t p = 0; p < n; p++) {
        m->params[varying[p]] = narrow.params[p];
        m->range[varying[p]] = narrow.range[p];
    }
    hull_widen(&m->hull, n, varying);
    m->n_params = data->n_params;
    for (size_t p = 0; p < data->n_params; p++)
        if (!m->params[p] && !(m->params[p] = portolan_strdup(data->params[p])))
            return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for a model");
    for (size_t j = 0; j < m->n_terms; j++) {
        widen_shape(&m->terms[j].shape, n, varying);
        m->terms[j].fitted_exponents = 0;
    }
    for (size_t j = 0; j < m->n_dropped; j++)
        widen_shape(&m->dropped[j].shape, n, varying);
    for (size_t e = 0; e < m->n_estimates; e++)
        if (m->estimates[e].param != CONSTANT_ESTIMATE) {
            m->estimates[e].param = (int)varying[m->estimates[e].param];
            m->terms[m->estimates[e].term].fitted_exponents |= 1u << m->estimates[e].param;
        }
    return model_finish(m, err);
}

/* Searches a model of these N parameters, which then has the others, too. */
static enum portolan_status fit_without_idle(const struct portolan_model_data *data, size_t n,
                                             const size_t *varying,
                                             const struct portolan_model_options *options,
                                             struct portolan_model **model,
                                             struct portolan_error *err)
{
    const char *names[MODEL_PARAMS];
    struct portolan_model_data narrow = *data;
    double *x = portolan_calloc(data->n_rows * n + 1, sizeof *x);
    struct portolan_model *made = NULL;
    enum portolan_status status;

    if (!x)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %zu rows", data->n_rows);
    for (size_t p = 0; p < n; p++) {
        names[p] = data->params[varying[p]];
        for (size_t i = 0; i < data->n_rows; i++)
            x[i * n + p] = data->x[i * data->n_params + varying[p]];
    }
    narrow.n_params = n;
    narrow.params = names;
    narrow.x = x;
    status = model_fit_varying(&narrow, NULL, 0, options, &made, err);
    status = status ? status : widen_model(made, data, n, varying, err);
    free(x);
    return model_give(status, made, model);
}

enum portolan_status model_fit(const struct portolan_model_data *data,
                               const struct portolan_model_shape *shapes, size_t n_shapes,
                               const struct portolan_model_options *options,
                               struct portolan_model **model, struct portolan_error *err)
{
    size_t varying[MODEL_PARAMS], n = 0;

    if (!n_shapes && !model_check_params(data->n_params, data->params))
        n = find_varying(data, varying);
    if (n && n < data->n_params)
        return fit_without_idle(data, n, varying, options, model, err);
    return model_fit_varying(data, shapes, n_shapes, options, model, err);
}
