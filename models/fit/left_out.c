/* SPDX-License-Identifier: BSD-3-Clause */
/* What a law that is searched for errs by on rows that it did not see. */
#include "models_internal.h"

#include <portolan/local.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double worst_error = 3;
enum { LEAST_GROUPS = 4 };

struct folds {
    const struct portolan_model_data *data;
    const struct portolan_model_shape *shapes;
    size_t n_shapes;
    const struct portolan_model_options *options;
    size_t *fold; /* of each row */
    double *x, *y;
};

/* Numbers the groups in their order, and deals them out. */
static size_t deal(const size_t *group, size_t n_rows, size_t folds, size_t *fold)
{
    size_t groups = 0;

    for (size_t i = 0; i < n_rows; i++) {
        size_t k = 0;

        while (k < i && group[k] != group[i])
            k++;
        fold[i] = k < i ? fold[k] : groups++;
    }
    for (size_t i = 0; i < n_rows && folds; i++)
        fold[i] %= folds < groups ? folds : groups;
    return groups;
}

static enum portolan_status judge(struct folds *f, size_t fold, struct portolan_left_out *out)
{
    const struct portolan_model_data *d = f->data;
    struct portolan_model_data some = *d;
    struct portolan_model *model = NULL;
    enum portolan_status status;

    some.n_rows = 0;
    some.weight = NULL;
    for (size_t i = 0; i < d->n_rows; i++)
        if (f->fold[i] != fold) {
            if (d->n_params)
                memcpy(&f->x[some.n_rows * d->n_params], &d->x[i * d->n_params],
                       d->n_params * sizeof *f->x);
            f->y[some.n_rows++] = d->y[i];
        }
    some.x = f->x;
    some.y = f->y;
    status =
        f->options && f->options->max_pieces == 1 && !f->n_shapes
            ? portolan_model_fit(&some, f->options, &model, NULL)
            : portolan_model_fit_pieces(&some, f->shapes, f->n_shapes, f->options, &model, NULL);
    if (status == PORTOLAN_ENOMEM)
        return status;
    for (size_t i = 0; i < d->n_rows; i++) {
        double value, e;

        if (f->fold[i] != fold || !(d->y[i] > 0))
            continue;
        value = model ? portolan_model_value(model, &d->x[i * d->n_params]) : NAN;
        e = value > 0 ? fmin(fabs(log(value / d->y[i])), worst_error) : worst_error;
        out->n++;
        out->mean += (e - out->mean) / (double)out->n;
        out->sigma += (e * e - out->sigma) / (double)out->n;
    }
    portolan_model_destroy(model);
    return PORTOLAN_OK;
}

enum portolan_status
portolan_model_left_out(const struct portolan_model_data *data, const size_t *group,
                        const struct portolan_model_shape *shapes, size_t n_shapes,
                        const struct portolan_model_options *options, size_t folds,
                        struct portolan_left_out *out, struct portolan_error *err)
{
    struct folds f = {.data = data, .shapes = shapes, .n_shapes = n_shapes, .options = options};
    enum portolan_status status = PORTOLAN_ENOMEM;
    size_t groups;

    *out = (struct portolan_left_out){0};
    f.fold = portolan_calloc(data->n_rows + 1, sizeof *f.fold);
    f.x = portolan_calloc(data->n_rows + 1, (data->n_params + 1) * sizeof *f.x);
    f.y = portolan_calloc(data->n_rows + 1, sizeof *f.y);
    if (f.fold && f.x && f.y) {
        status = PORTOLAN_OK;
        groups = deal(group, data->n_rows, folds, f.fold);
        for (size_t k = 0; groups >= LEAST_GROUPS && !status && k < folds && k < groups; k++)
            status = judge(&f, k, out);
        out->sigma = sqrt(out->sigma);
    }
    free(f.fold);
    free(f.x);
    free(f.y);
    return status ? portolan_error_set(err, status, "judging a model") : PORTOLAN_OK;
}
