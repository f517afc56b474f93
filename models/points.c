/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to points: equal parameters are repetitions. */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row while it is being sorted. */
struct row {
    const double *x;
    size_t n_params;
    double y, w;
};

static int compare_x(const struct row *a, const struct row *b)
{
    for (size_t p = 0; p < a->n_params; p++)
        if (a->x[p] != b->x[p])
            return a->x[p] < b->x[p] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = compare_x(a, b);

    return order ? order : (a->y > b->y) - (a->y < b->y);
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
    if (!(options->confidence >= 0 && options->confidence < 1) ||
        !(options->floor >= 0 && options->floor <= PORTOLAN_MODEL_MAX_VALUE))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "confidence must be between 0 and 1, and the floor at least 0");
    return PORTOLAN_OK;
}

/* The weighted median of rows sorted by y. */
static double median(const struct row *rows, size_t n)
{
    double half = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        half += rows[i].w / 2;
    for (size_t i = 0; i < n; i++) {
        sum += rows[i].w;
        if (fabs(sum - half) <= 1e-12 * half && i + 1 < n)
            return rows[i].y / 2 + rows[i + 1].y / 2;
        if (sum > half)
            return rows[i].y;
    }
    return rows[n - 1].y;
}

/*
 * Repetitions steady a point, but not without end: what a form cannot follow does not average out.
 * So a point is worth at most four times one row; explicit weights are taken at their word.
 */
static double gain(const struct row *rows, size_t n)
{
    double mean = 0;

    for (size_t i = 0; i < n; i++)
        mean += rows[i].w / (double)n;
    return mean * (double)n / (1 + (double)(n - 1) / 4);
}

static void group(struct points *pts, const struct row *rows)
{
    size_t end;

    for (size_t i = 0; i < pts->n_rows; i = end) {
        for (end = i + 1; end < pts->n_rows && compare_x(&rows[i], &rows[end]) == 0;)
            end++;
        if (pts->n_params)
            memcpy(pts->x + pts->m * pts->n_params, rows[i].x, pts->n_params * sizeof *pts->x);
        pts->y[pts->m] = median(rows + i, end - i);
        pts->w[pts->m] = gain(rows + i, end - i);
        pts->m++;
    }
}

static double choose_floor(const struct points *pts, double wanted)
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

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/*
 * The spread of repetitions, from deviations around the point's median, each blown up by the share
 * that the median took away. Deviations far outside the middle of all of them are spikes and do
 * not speak for the rest.
 */
static enum portolan_status spread(struct points *pts, const struct row *rows)
{
    double *deviation = portolan_calloc(pts->n_rows + 1, sizeof *deviation);
    double cut, sum = 0, dof = 0;
    size_t n = 0, end, point = 0, kept = 0, groups = 0;

    if (!deviation)
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < pts->n_rows; i = end, point++) {
        double scale = points_scale(pts, pts->y[point]);

        for (end = i + 1; end < pts->n_rows && compare_x(&rows[i], &rows[end]) == 0;)
            end++;
        for (size_t j = i; j < end && end - i > 1; j++)
            deviation[n++] = fabs(rows[j].y - pts->y[point]) * sqrt(rows[j].w) / scale *
                             sqrt((double)(end - i) / (double)(end - i - 1));
        groups += end - i > 1;
    }
    qsort(deviation, n, sizeof *deviation, compare_doubles);
    cut = n ? 6 * 1.4826 * deviation[n / 2] : 0;
    if (cut == 0)
        cut = 1;
    for (size_t i = 0; i < n && deviation[i] <= cut; i++, kept++)
        sum += deviation[i] * deviation[i];
    /* The blow-up makes each square worth dof/rows of one: the mean square is the variance. */
    dof = (double)kept - (double)groups;
    pts->repeat_dof = dof > 0 ? dof : 0;
    pts->repeat_sigma = dof > 0 ? sqrt(sum / (double)kept) : NAN;
    free(deviation);
    return PORTOLAN_OK;
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
        qsort(rows, p.n_rows, sizeof *rows, compare_rows);
        group(&p, rows);
        p.floor = choose_floor(&p, options->floor);
        for (size_t i = 0; i < p.m; i++)
            p.mean_gain += p.w[i] / (double)p.m;
        status = spread(&p, rows);
    }
    free(rows);
    if (status) {
        points_destroy(&p);
        return portolan_error_set(err, status, "no memory for %zu rows", data->n_rows);
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
