/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to points: equal parameters are repetitions. */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int row_compare_x(const struct row *a, const struct row *b)
{
    for (size_t p = 0; p < a->n_params; p++)
        if (a->x[p] != b->x[p])
            return a->x[p] < b->x[p] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = row_compare_x(a, b);

    return order ? order : (a->y > b->y) - (a->y < b->y);
}

/* Rows mostly come point by point; then sorting is next to nothing. */
static void sort_rows(struct row *rows, size_t n)
{
    size_t moves = 0;

    for (size_t i = 1; i < n; i++) {
        struct row row = rows[i];
        size_t at = i;

        if (moves > 16 * n) {
            qsort(rows, n, sizeof *rows, compare_rows);
            return;
        }
        for (; at > 0 && compare_rows(&rows[at - 1], &row) > 0; at--, moves++)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

static enum portolan_status check(const struct portolan_model_data *data,
                                  const struct portolan_model_options *options,
                                  struct portolan_error *err)
{
    const char *wrong = model_check_params(data->n_params, data->params);

    if (wrong)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s", wrong);
    if (!data->n_rows || !data->y || (data->n_params && !data->x))
        return portolan_error_set(err, PORTOLAN_EINVAL, "a model needs at least one row");
    for (size_t i = 0; i < data->n_rows; i++) {
        bool good = fabs(data->y[i]) <= PORTOLAN_MODEL_MAX_VALUE;

        for (size_t p = 0; p < data->n_params; p++)
            good = good && isfinite(data->x[i * data->n_params + p]);
        if (data->weight)
            good = good && data->weight[i] >= 0 && data->weight[i] <= PORTOLAN_MODEL_MAX_VALUE;
        if (!good)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "row %zu has a number that is not finite or far too large, "
                                      "or a negative weight",
                                      i + 1);
    }
    for (size_t i = 0; i < data->n_rows && options->kind; i++)
        if (data->y[i] < 0 || (options->kind == PORTOLAN_MODEL_SHARE && data->y[i] > 1))
            return portolan_error_set(
                err, PORTOLAN_EINVAL, "row %zu: %g is no %s", i + 1, data->y[i],
                options->kind == PORTOLAN_MODEL_SHARE ? "share, which is 0 to 1" : "count");
    if (options->statistic > PORTOLAN_MODEL_DEVIATION)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%d is no statistic of repetitions",
                                  (int)options->statistic);
    if (!(options->confidence >= 0 && options->confidence < 1) ||
        !(options->floor >= 0 && options->floor <= PORTOLAN_MODEL_MAX_VALUE))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "confidence must be between 0 and 1, and the floor at least 0");
    return PORTOLAN_OK;
}

double points_floor(const struct points *pts, double wanted)
{
    double least = INFINITY, most = 0;
    bool zeros = false;

    if (!pts->relative)
        return 0;
    for (size_t i = 0; i < pts->m; i++) {
        double size = fabs(pts->y[i]);

        zeros = zeros || size == 0;
        most = fmax(most, size);
        if (size > 0)
            least = fmin(least, size);
    }
    if (most == 0)
        return fmax(wanted, 1);
    return fmax(wanted, fmax(zeros ? least : least / 2, 1e-9 * most));
}

double points_scale(const struct points *pts, double v)
{
    return pts->relative ? fmax(fabs(v), pts->floor) : 1;
}

double points_scale_of(const struct points *pts, size_t i, double v)
{
    double y = fabs(pts->y[i]);

    /* A fit that runs away from a value would make the value count less and less. */
    return points_scale(pts, y > 0 ? fmin(fmax(fabs(v), y / 2), 2 * y) : v);
}

enum portolan_status points_create(const struct portolan_model_data *data,
                                   const struct portolan_model_options *options, struct points *pts,
                                   struct portolan_error *err)
{
    enum portolan_status status = check(data, options, err);
    struct row *rows = NULL;
    struct points p = {.n_params = data->n_params,
                       .relative = options->weighting == PORTOLAN_MODEL_RELATIVE};

    if (status)
        return status;
    rows = portolan_calloc(data->n_rows, sizeof *rows);
    p.x = portolan_calloc(data->n_rows, (data->n_params + 1) * sizeof *p.x);
    p.y = portolan_calloc(data->n_rows, sizeof *p.y);
    p.w = portolan_calloc(data->n_rows, sizeof *p.w);
    status = rows && p.x && p.y && p.w ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    for (size_t i = 0; i < data->n_rows && !status; i++) {
        double w = data->weight ? data->weight[i] : 1;

        if (w > 0)
            rows[p.n_rows++] =
                (struct row){data->n_params ? data->x + i * data->n_params : NULL, data->n_params,
                             /* Squares of anything smaller vanish. */
                             fabs(data->y[i]) * PORTOLAN_MODEL_MAX_VALUE < 1 ? 0 : data->y[i], w};
    }
    if (!status && !p.n_rows)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "all rows have weight 0");
    if (!status) {
        sort_rows(rows, p.n_rows);
        status = points_place(&p, rows, options);
    }
    free(rows);
    if (status) {
        points_destroy(&p);
        return portolan_error_set(err, status, "no memory for %zu rows", data->n_rows);
    }
    if (!p.m) {
        points_destroy(&p);
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a standard deviation needs points with repetitions");
    }
    *pts = p;
    return PORTOLAN_OK;
}

void points_destroy(struct points *pts)
{
    free(pts->x);
    free(pts->y);
    free(pts->w);
    *pts = (struct points){0};
}
