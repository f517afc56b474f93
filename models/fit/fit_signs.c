/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The public fits, and which signs constants may have. Costs are sums of what is not negative, so
 * constants are not, unless all values are; or unless no such law comes up to its own points, as
 * repetitions tell, and one with a minus does: a cost that begins late, or is saved elsewhere.
 */
#include "models_internal.h"

#include <math.h>
#include <string.h>

static const struct portolan_model_options no_options;

/* Where a law with minuses goes below 0 outside the rows, a cost falls at most as the cube. */
static const double steepest = 3;

/* Some below 0 may be noise about little. */
static bool all_are_negative(const struct portolan_model_data *data)
{
    bool some = false;

    for (size_t i = 0; i < data->n_rows && data->y; i++) {
        if (data->y[i] > 0)
            return false;
        some = some || data->y[i] < 0;
    }
    return some;
}

/* Is it positive on the rows, and between each of them and the next? */
static bool is_positive(const struct portolan_model *m, const struct portolan_model_data *data)
{
    enum { STEPS = 8 };
    double x[MODEL_PARAMS];

    for (size_t i = 0; i < data->n_rows; i++)
        for (int step = 0; step < (i + 1 < data->n_rows ? STEPS : 1); step++) {
            for (size_t p = 0; p < data->n_params; p++) {
                const double *at = data->x + i * data->n_params + p;

                x[p] = at[0] + (step ? (at[data->n_params] - at[0]) * step / STEPS : 0);
            }
            if (!(portolan_model_value(m, x) > 0))
                return false;
        }
    return true;
}

struct portolan_model_options model_options(const struct portolan_model_data *data,
                                            const struct portolan_model_options *options)
{
    struct portolan_model_options resolved = options ? *options : no_options;

    resolved.allow_negative = resolved.allow_negative || all_are_negative(data);
    return resolved;
}

enum portolan_status model_try_signs(const struct portolan_model_data *data,
                                     const struct portolan_model_options *options,
                                     struct portolan_model **model, struct portolan_error *err)
{
    struct portolan_model_options any = *options;
    struct portolan_model *other = NULL;
    enum portolan_status status;

    if (options->allow_negative || portolan_model_fits(*model))
        return PORTOLAN_OK;
    any.allow_negative = true;
    status = model_fit(data, NULL, 0, &any, &other, NULL);
    if (!status && portolan_model_fits(other) && is_positive(other, data)) {
        portolan_model_destroy(*model);
        *model = other;
        other->summary.bounded = true;
        return PORTOLAN_OK;
    }
    portolan_model_destroy(other);
    return status == PORTOLAN_ENOMEM ? portolan_error_set(err, status, "no memory for a fit")
                                     : PORTOLAN_OK;
}

static enum portolan_status fit(const struct portolan_model_data *data,
                                const struct portolan_model_shape *shapes, size_t n_shapes,
                                const struct portolan_model_options *options,
                                struct portolan_model **model, struct portolan_error *err)
{
    struct portolan_model_options resolved = model_options(data, options);
    struct portolan_model *made = NULL;
    enum portolan_status status = model_fit(data, shapes, n_shapes, &resolved, &made, err);

    if (!status && !n_shapes)
        status = model_try_signs(data, &resolved, &made, err);
    if (status)
        portolan_model_destroy(made);
    else
        *model = made;
    return status;
}

enum portolan_status portolan_model_fit(const struct portolan_model_data *data,
                                        const struct portolan_model_options *options,
                                        struct portolan_model **model, struct portolan_error *err)
{
    return fit(data, NULL, 0, options, model, err);
}

enum portolan_status portolan_model_fit_terms(const struct portolan_model_data *data,
                                              const struct portolan_model_shape *shapes,
                                              size_t n_shapes,
                                              const struct portolan_model_options *options,
                                              struct portolan_model **model,
                                              struct portolan_error *err)
{
    if (!shapes || !n_shapes || n_shapes > MODEL_TERMS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a model takes 1 to %d terms, not %zu",
                                  (int)MODEL_TERMS, n_shapes);
    return fit(data, shapes, n_shapes, options, model, err);
}

double model_bound(const struct portolan_model *m, const double *x, double value)
{
    double inside[MODEL_PARAMS], octaves = 0;

    for (size_t p = 0; p < m->n_params; p++) {
        inside[p] = fmin(fmax(x[p], m->range[p].min), m->range[p].max);
        octaves += range_octaves(&m->range[p], x[p]);
    }
    return octaves > 0 ? fmax(value, model_sum(m, inside) * exp2(-steepest * octaves)) : value;
}
