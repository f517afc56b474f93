/* SPDX-License-Identifier: BSD-3-Clause */
/* Fits of a user's formula. Apart from its terms, which models that are only read have too: those
 * who read need no linear algebra. */
#include "models_internal.h"

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
