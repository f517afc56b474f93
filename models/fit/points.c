/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to points: rows with equal parameters are repetitions, and become one value. */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The floor: smaller values count as this one when residuals are divided by them. */
static double find_floor(const struct points *pts)
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
        return 1;
    return fmax(zeros ? least : least / 2, 1e-9 * most);
}

double points_scale(const struct points *pts, double v)
{
    return pts->relative ? fmax(fabs(v), pts->floor) : 1;
}

double points_scale_of(const struct points *pts, size_t i, double v)
{
    double y = fabs(pts->y[i]);

    /* Without a limit, a value would count less and less while the fit moves away from it. */
    return points_scale(pts, y > 0 ? fmin(fmax(fabs(v), y / 2), 2 * y) : v);
}

/* ---- repetitions: their common value, its precision, and their scatter ---- */

/* A row while it is being sorted. */
struct row {
    const double *x;
    size_t n_params;
    double y, w;
};

/* Negative, 0 or positive as with strcmp(). */
static int compare_x(const struct row *a, const struct row *b)
{
    for (size_t p = 0; p < a->n_params; p++)
        if (a->x[p] != b->x[p])
            return a->x[p] < b->x[p] ? -1 : 1;
    return 0;
}

/* The weighted median of rows sorted by y. */
static double weighted_median(const struct row *rows, size_t n)
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

/* The repetitions of one point as one value. */
struct place {
    double value;
    double n;    /* VALUE is as precise as the mean of this many rows */
    double mean; /* mean weight of a row */
    size_t kept;
};

/* A median of n normal values is as precise as a mean of this many: 2.3 for 3, 3.5 for 5. */
static double median_worth(size_t n)
{
    return ((double)n + M_PI / 2 - 1) / (M_PI / 2);
}

static struct place mean_of(const struct row *rows, size_t n)
{
    struct place place = {.n = (double)n, .kept = n};
    double middle = rows[n / 2].y, sum = 0, weight = 0;

    for (size_t i = 0; i < n; i++) {
        sum += rows[i].w * (rows[i].y - middle);
        weight += rows[i].w;
    }
    place.value = middle + sum / weight;
    place.mean = weight / (double)n;
    return place;
}

static struct place median_of(const struct row *rows, size_t n)
{
    struct place place = {.value = weighted_median(rows, n), .n = median_worth(n), .kept = n};

    for (size_t i = 0; i < n; i++)
        place.mean += rows[i].w / (double)n;
    return place;
}

static struct place deviation_of(const struct row *rows, size_t n)
{
    struct place place = mean_of(rows, n);
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        squares += (rows[i].y - place.value) * (rows[i].y - place.value);
    place.value = sqrt(squares / (double)(n - 1));
    place.n = (double)(n - 1);
    return place;
}

/*
 * Repetitions make a point more precise, but only to a limit: errors of the form do not average
 * out. So a point counts at most four times as much as a row; explicit weights are not limited.
 */
static double precision_of(const struct place *place)
{
    double n = (double)place->kept;

    return place->mean * n / (1 + (n - 1) / 4);
}

static size_t group_end(const struct row *rows, size_t n, size_t start)
{
    size_t end = start + 1;

    while (end < n && compare_x(&rows[start], &rows[end]) == 0)
        end++;
    return end;
}

/* How the repetitions scatter about their medians, and which estimate of the middle follows. */
enum tails {
    UNKNOWN_TAILS, /* few rows, or most of them exactly alike: medians */
    HEAVY_TAILS,   /* medians */
    NORMAL_TAILS,  /* means */
    LIGHT_TAILS    /* means, half way to the middle of the extremes (Hogg 1974) */
};

struct scatter {
    double cut; /* a row of weight 1 is a spike if it is farther off, in units of the scale */
    enum tails tails;
};

/* Those of *N rows, sorted by value, that are at most CUT from the median; their number in *N. */
static const struct row *without_spikes(const struct points *pts, const struct row *rows, size_t *n,
                                        double cut)
{
    double middle = weighted_median(rows, *n), limit = cut * points_scale(pts, middle);
    size_t first = 0, end = *n;

    while (first < end && fabs(rows[first].y - middle) * sqrt(rows[first].w) > limit)
        first++;
    while (end > first && fabs(rows[end - 1].y - middle) * sqrt(rows[end - 1].w) > limit)
        end--;
    /* The rows form two groups, both far from the median: either may be wrong, so keep all. */
    if (first == end)
        return rows;
    *n = end - first;
    return rows + first;
}

static struct place typical_of(const struct row *rows, size_t n, enum tails tails)
{
    struct place place;

    if (tails <= HEAVY_TAILS)
        return median_of(rows, n);
    place = mean_of(rows, n);
    if (tails == LIGHT_TAILS && n > 2 && rows[0].w == rows[n - 1].w) {
        place.value = place.value / 2 + rows[0].y / 4 + rows[n - 1].y / 4;
        place.n *= 1.25;
    }
    return place;
}

static struct place choose_place(const struct points *pts, const struct row *rows, size_t n,
                                 enum portolan_model_statistic statistic,
                                 const struct scatter *scatter)
{
    struct place place = median_of(rows, n);

    switch (statistic) {
    case PORTOLAN_MODEL_TYPICAL:
        if (scatter && n > 2) {
            rows = without_spikes(pts, rows, &n, scatter->cut);
            place = typical_of(rows, n, scatter->tails);
        }
        break;
    case PORTOLAN_MODEL_MEDIAN:
        break;
    case PORTOLAN_MODEL_MEAN:
        place = mean_of(rows, n);
        break;
    case PORTOLAN_MODEL_MINIMUM:
        place.value = rows[0].y;
        break;
    case PORTOLAN_MODEL_MAXIMUM:
        place.value = rows[n - 1].y;
        break;
    case PORTOLAN_MODEL_DEVIATION:
        place = deviation_of(rows, n);
        break;
    }
    return place;
}

static void group_rows(struct points *pts, const struct row *rows,
                       enum portolan_model_statistic statistic, const struct scatter *scatter)
{
    size_t end;

    pts->m = 0;
    pts->mean_gain = pts->place_share = 0;
    for (size_t i = 0; i < pts->n_rows; i = end) {
        struct place place;

        end = group_end(rows, pts->n_rows, i);
        if (statistic == PORTOLAN_MODEL_DEVIATION && end - i < 2)
            continue;
        place = choose_place(pts, rows + i, end - i, statistic, scatter);
        if (pts->n_params)
            memcpy(pts->x + pts->m * pts->n_params, rows[i].x, pts->n_params * sizeof *pts->x);
        pts->y[pts->m] = place.value;
        pts->w[pts->m] = precision_of(&place);
        pts->mean_gain += pts->w[pts->m];
        pts->place_share += pts->w[pts->m] / (place.mean * place.n);
        pts->m++;
    }
    if (pts->m) {
        pts->mean_gain /= (double)pts->m;
        pts->place_share /= (double)pts->m;
    }
}

/* Sets the deviations of repetitions from the values of their points, scaled to rows of weight 1;
 * returns their number. */
static size_t deviate(const struct points *pts, const struct row *rows, double *deviation)
{
    size_t n = 0, end, point = 0;

    for (size_t i = 0; i < pts->n_rows; i = end, point++) {
        double scale = points_scale(pts, pts->y[point]);

        end = group_end(rows, pts->n_rows, i);
        /* Corrected for the degree of freedom that the value of the point takes. */
        for (size_t j = i; j < end && end - i > 1; j++)
            deviation[n++] = fabs(rows[j].y - pts->y[point]) * sqrt(rows[j].w) / scale *
                             sqrt((double)(end - i) / (double)(end - i - 1));
    }
    return n;
}

/*
 * Geary's ratio, the mean deviation over the standard deviation: 0.80 for normal values, 0.87 for
 * uniform ones, 0.71 for exponential tails; a little nearer to 0.80 if points have few rows.
 */
static enum tails judge_tails(const struct points *pts, const struct row *rows, double cut)
{
    double sum = 0, squares = 0, geary;
    size_t kept = 0, end;

    for (size_t i = 0; i < pts->n_rows; i = end) {
        const struct row *group = rows + i;
        struct place place;
        size_t n;

        end = group_end(rows, pts->n_rows, i);
        n = end - i;
        group = without_spikes(pts, group, &n, cut);
        if (n < 3)
            continue;
        place = mean_of(group, n);
        for (size_t j = 0; j < n; j++) {
            double off =
                fabs(group[j].y - place.value) * sqrt(group[j].w) / points_scale(pts, place.value);

            sum += off;
            squares += off * off;
        }
        kept += n;
    }
    geary = sum / sqrt(squares * (double)kept);
    if (kept < 9 || !(squares > 0))
        return UNKNOWN_TAILS;
    return geary < 0.73 ? HEAVY_TAILS : geary < 0.82 ? NORMAL_TAILS : LIGHT_TAILS;
}

/* Sets the limit beyond which deviations are spikes from the median of all, then the tails. */
static struct scatter judge_scatter(const struct points *pts, const struct row *rows,
                                    double *deviation)
{
    struct scatter scatter = {.cut = INFINITY};
    size_t n = deviate(pts, rows, deviation);

    portolan_sort_numbers(n, deviation);
    if (n && deviation[n / 2] > 0) {
        scatter.cut = 6 * 1.4826 * deviation[n / 2];
        scatter.tails = judge_tails(pts, rows, scatter.cut);
    }
    return scatter;
}

/* Measures the variance of a row around its point, without spikes. */
static void measure_spread(struct points *pts, const struct row *rows,
                           const struct scatter *scatter)
{
    double cut = scatter->cut < INFINITY ? scatter->cut : 1, sum = 0;
    size_t end, point = 0;

    pts->repeat_dof = 0;
    for (size_t i = 0; i < pts->n_rows; i = end, point++) {
        double scale = points_scale(pts, pts->y[point]), squares = 0;
        size_t kept = 0;

        end = group_end(rows, pts->n_rows, i);
        for (size_t j = i; j < end; j++) {
            double off = fabs(rows[j].y - pts->y[point]) * sqrt(rows[j].w) / scale;

            squares += off <= cut ? off * off : 0;
            kept += off <= cut;
        }
        if (kept > 1) {
            pts->repeat_dof += (double)(kept - 1);
            sum += squares;
        }
    }
    pts->repeat_sigma = pts->repeat_dof > 0 ? sqrt(sum / pts->repeat_dof) : NAN;
}

/* Takes medians first, which show the spikes; then the statistic of the options. */
static void place_points(struct points *pts, const struct row *rows, double *deviation,
                         const struct portolan_model_options *options)
{
    bool deviates = options->statistic == PORTOLAN_MODEL_DEVIATION;
    struct scatter scatter;

    group_rows(pts, rows, deviates ? options->statistic : PORTOLAN_MODEL_MEDIAN, NULL);
    pts->floor = find_floor(pts);
    pts->repeat_sigma = NAN;
    if (!deviates && pts->m < pts->n_rows) {
        scatter = judge_scatter(pts, rows, deviation);
        if (options->statistic != PORTOLAN_MODEL_MEDIAN) {
            group_rows(pts, rows, options->statistic, &scatter);
            pts->floor = find_floor(pts);
        }
        measure_spread(pts, rows, &scatter);
    }
}

/* ---- rows ---- */

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = compare_x(a, b);

    return order ? order : (a->y > b->y) - (a->y < b->y);
}

/* Insertion sort as long as few rows move, since rows mostly come point by point. */
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

static enum portolan_status check_rows(const struct portolan_model_data *data,
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
            return portolan_error_set(
                err, PORTOLAN_EINVAL,
                "row %zu has a number that is not finite or is too large, or a negative weight",
                i + 1);
    }
    for (size_t i = 0; i < data->n_rows && options->kind; i++)
        if (data->y[i] < 0 || (options->kind == PORTOLAN_MODEL_SHARE && data->y[i] > 1))
            return portolan_error_set(
                err, PORTOLAN_EINVAL, "row %zu: %g is not a %s", i + 1, data->y[i],
                options->kind == PORTOLAN_MODEL_SHARE ? "share, which must be from 0 to 1"
                                                      : "count");
    if (options->statistic > PORTOLAN_MODEL_DEVIATION)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%d is not a statistic of repetitions",
                                  (int)options->statistic);
    if (!(options->confidence >= 0 && options->confidence < 1))
        return portolan_error_set(err, PORTOLAN_EINVAL, "confidence must be between 0 and 1");
    return PORTOLAN_OK;
}

enum portolan_status points_create(const struct portolan_model_data *data,
                                   const struct portolan_model_options *options,
                                   struct portolan_arena *memory, struct points *pts,
                                   struct portolan_error *err)
{
    enum portolan_status status = check_rows(data, options, err);
    size_t n = data->n_params;
    double *deviation;
    struct row *rows;
    struct points p = {.n_params = n, .relative = options->weighting == PORTOLAN_MODEL_RELATIVE};

    if (status)
        return status;
    rows = portolan_arena_alloc(memory, data->n_rows, sizeof *rows);
    p.x = portolan_arena_alloc(memory, data->n_rows, (n + 1) * sizeof *p.x);
    p.y = portolan_arena_alloc(memory, data->n_rows, sizeof *p.y);
    p.w = portolan_arena_alloc(memory, data->n_rows, sizeof *p.w);
    deviation = portolan_arena_alloc(memory, data->n_rows, sizeof *deviation);
    if (memory->failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for %zu rows", data->n_rows);
    for (size_t i = 0; i < data->n_rows; i++) {
        double w = data->weight ? data->weight[i] : 1;

        if (w > 0)
            rows[p.n_rows++] =
                (struct row){n ? data->x + i * n : NULL, n,
                             /* The square of a smaller value would underflow. */
                             fabs(data->y[i]) * PORTOLAN_MODEL_MAX_VALUE < 1 ? 0 : data->y[i], w};
    }
    if (!p.n_rows)
        return portolan_error_set(err, PORTOLAN_EINVAL, "all rows have weight 0");
    sort_rows(rows, p.n_rows);
    place_points(&p, rows, deviation, options);
    if (!p.m)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "a model of the standard deviation needs points with repetitions");
    *pts = p;
    return PORTOLAN_OK;
}

int compare_ordered(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;

    if (a->v != b->v)
        return a->v < b->v ? -1 : 1;
    return (a->point > b->point) - (a->point < b->point);
}

double portolan_model_stand_in(enum portolan_model_statistic statistic, size_t n, double *values)
{
    double sum = 0, squares = 0, least = n ? values[0] : NAN, most = least;

    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    switch (statistic) {
    case PORTOLAN_MODEL_MEAN:
        return sum / (double)n;
    case PORTOLAN_MODEL_MINIMUM:
        return least;
    case PORTOLAN_MODEL_MAXIMUM:
        return most;
    case PORTOLAN_MODEL_DEVIATION:
        return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
    default:
        return portolan_sort_to_median(n, values);
    }
}
