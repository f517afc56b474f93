/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fits of rows with the signs that constants may have. A cost is a sum of costs, so no constant is
 * negative, unless all values are; or unless no such law fits its own points, compared with
 * repetitions, and one with a minus does, or comes much closer: for a cost that begins late, or
 * that is saved elsewhere.
 */
#include "models_internal.h"

#include <math.h>

/* Of a sum, relative to its largest value. */
static const double rounding = 1e-9;

/* Are all negative or 0? If only some are below 0, that may be noise around small values. */
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

/* Is the model above LEAST at the rows, and between each row and the next? */
static bool is_above(double least, const struct portolan_model *m,
                     const struct portolan_model_data *data)
{
    enum { STEPS = 8 };
    double x[MODEL_PARAMS];

    for (size_t i = 0; i < data->n_rows; i++)
        for (int step = 0; step < (i + 1 < data->n_rows ? STEPS : 1); step++) {
            for (size_t p = 0; p < data->n_params; p++) {
                const double *at = data->x + i * data->n_params + p;

                x[p] = at[0] + (step ? (at[data->n_params] - at[0]) * step / STEPS : 0);
            }
            if (!(portolan_model_value(m, x) > least))
                return false;
        }
    return true;
}

/* Is no value negative, and no prediction among them? */
static bool are_costs(const struct portolan_model *m, const struct portolan_model_data *data)
{
    double most = 0;

    for (size_t i = 0; i < data->n_rows; i++) {
        if (data->y[i] < 0)
            return false;
        most = fmax(most, data->y[i]);
    }
    return is_above(-rounding * most, m, data);
}

struct portolan_model_options model_options(const struct portolan_model_data *data,
                                            const struct portolan_model_options *options)
{
    struct portolan_model_options resolved = {0};

    if (options)
        resolved = *options;
    resolved.allow_negative = resolved.allow_negative || all_are_negative(data);
    return resolved;
}

/* Does OTHER, which has a minus, fit, or at least miss points that it has not seen by much less
 * than M, which does not fit? A minus gains a little by chance. */
static bool explains_more(const struct portolan_model *other, const struct portolan_model *m)
{
    const double much = 0.8;

    return portolan_model_fits(other) ||
           other->summary.leave_one_out < much * m->summary.leave_one_out;
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
    if (!status && explains_more(other, *model) && is_above(0, other, data)) {
        portolan_model_destroy(*model);
        *model = other;
        other->summary.bounded = true;
        return PORTOLAN_OK;
    }
    portolan_model_destroy(other);
    return status == PORTOLAN_ENOMEM ? portolan_error_set(err, status, "no memory for a fit")
                                     : PORTOLAN_OK;
}

static enum portolan_status fit_rows(const struct portolan_model_data *data,
                                     const struct portolan_model_shape *shapes, size_t n_shapes,
                                     const struct portolan_model_options *options,
                                     struct portolan_model **model, struct portolan_error *err)
{
    struct portolan_model_options resolved = model_options(data, options);
    struct portolan_model *made = NULL;
    enum portolan_status status = model_fit(data, shapes, n_shapes, &resolved, &made, err);

    if (!status && !n_shapes)
        status = model_try_signs(data, &resolved, &made, err);
    /* An exact law may have found its signs itself. */
    if (!status && !resolved.allow_negative && !made->summary.nonnegative)
        made->summary.bounded = are_costs(made, data);
    return model_give(status, made, model);
}

enum portolan_status portolan_model_fit(const struct portolan_model_data *data,
                                        const struct portolan_model_options *options,
                                        struct portolan_model **model, struct portolan_error *err)
{
    return fit_rows(data, NULL, 0, options, model, err);
}

enum portolan_status portolan_model_fit_terms(const struct portolan_model_data *data,
                                              const struct portolan_model_shape *shapes,
                                              size_t n_shapes,
                                              const struct portolan_model_options *options,
                                              struct portolan_model **model,
                                              struct portolan_error *err)
{
    if (!shapes || !n_shapes || n_shapes > MODEL_TERMS)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a model can have 1 to %d terms, not %zu",
                                  (int)MODEL_TERMS, n_shapes);
    return fit_rows(data, shapes, n_shapes, options, model, err);
}
