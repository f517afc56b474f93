/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured places, their neighbours, and what both err by on places left out. */
#include "models_internal.h"

#include <portolan/local.h>

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NEIGHBOURS = 4, TREND_TERMS = MODEL_PARAMS + 1, MOST_LEFT_OUT = 256 };

static const double worst_error = 3;
/* Two repetitions alone would say that a time may be anything: as if so many more had been seen. */
static const double least_dof = 3;
/* Without repetitions, of a place that was measured once. */
static const double assumed_repeat = 0.1;
/* How much steeper than the fifth power of all parameters no cost is between neighbours. */
static const double steepest = 5;
/* Places whose values differ by less are told apart well enough. */
static const double least_conflict = 0.4;

struct place {
    double z[MODEL_PARAMS]; /* scaled; of the parameters that vary */
    double level;           /* logarithm of the mean value */
    double mean, squares;
    size_t group, row, n; /* its first row */
};

struct trend {
    double beta[TREND_TERMS];
};

struct portolan_local {
    size_t n_params, n_used, used[MODEL_PARAMS];
    bool logs[MODEL_PARAMS];
    double middle[MODEL_PARAMS], scale[MODEL_PARAMS];
    double low[MODEL_PARAMS], high[MODEL_PARAMS];
    size_t n;
    struct place *places;
    double *x; /* of the places, as given */
    double most, least, usual_distance;
    struct trend trend;
    struct portolan_local_summary summary;
};

/* ---- places ---- */

static double scaled(const struct portolan_local *l, size_t k, double x)
{
    double v = l->logs[l->used[k]] ? (x > 0 ? log(x) : -DBL_MAX) : x;

    return (v - l->middle[k]) / l->scale[k];
}

static void scale(const struct portolan_local *l, const double *x, double *z)
{
    for (size_t k = 0; k < l->n_used; k++)
        z[k] = fmax(-1e6, fmin(1e6, scaled(l, k, x[l->used[k]])));
}

/* Which parameters vary, and how they are brought to one scale. */
static void find_scales(struct portolan_local *l, const struct portolan_local_data *d)
{
    for (size_t p = 0; p < d->n_params; p++) {
        double sum = 0, squares = 0;

        l->low[p] = INFINITY;
        l->high[p] = -INFINITY;
        for (size_t i = 0; i < d->n_rows; i++) {
            l->low[p] = fmin(l->low[p], d->x[i * d->n_params + p]);
            l->high[p] = fmax(l->high[p], d->x[i * d->n_params + p]);
        }
        l->logs[p] = l->low[p] > 0;
        if (!(l->high[p] > l->low[p]))
            continue;
        for (size_t i = 0; i < d->n_rows; i++) {
            double x = d->x[i * d->n_params + p], v = l->logs[p] ? log(x) : x;

            sum += v;
            squares += v * v;
        }
        sum /= (double)d->n_rows;
        l->middle[l->n_used] = sum;
        l->scale[l->n_used] = sqrt(fmax(squares / (double)d->n_rows - sum * sum, 1e-30));
        l->used[l->n_used++] = p;
    }
}

static bool same_x(const struct portolan_local *l, const double *a, const double *b)
{
    for (size_t k = 0; k < l->n_params; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-9 * fmax(fabs(a[k]), fabs(b[k]))))
            return false;
    return true;
}

static void add_row(struct portolan_local *l, const struct portolan_local_data *d, size_t i)
{
    const double *x = d->x ? &d->x[i * d->n_params] : NULL;
    struct place *p;
    size_t at = 0;

    while (at < l->n && !(l->places[at].group == d->group[i] &&
                          (!d->n_params || same_x(l, &l->x[at * d->n_params], x))))
        at++;
    p = &l->places[at];
    if (at == l->n) {
        *p = (struct place){.group = d->group[i], .row = i};
        if (d->n_params)
            memcpy(&l->x[at * d->n_params], x, d->n_params * sizeof *x);
        l->n++;
    }
    p->n++;
    p->mean += (d->y[i] - p->mean) / (double)p->n;
    p->squares += d->y[i] * d->y[i];
}

static void finish_places(struct portolan_local *l)
{
    double sum = 0, dof = 0;

    for (size_t i = 0; i < l->n; i++) {
        struct place *p = &l->places[i];
        double spread = fmax(0, p->squares - (double)p->n * p->mean * p->mean);

        p->level = log(fmax(p->mean, l->least));
        scale(l, &l->x[i * l->n_params], p->z);
        if (p->n > 1 && p->mean > 0) {
            sum += spread / (p->mean * p->mean);
            dof += (double)p->n - 1;
        }
    }
    l->summary.n_places = l->n;
    l->summary.repeat = dof > 0 ? sqrt(sum / dof) : NAN;
    l->summary.repeat_dof = dof;
}

/* ---- trend: a plane through the logarithms ---- */

static double trend_at(const struct portolan_local *l, const struct trend *t, const double *z)
{
    double sum = t->beta[0];

    for (size_t k = 0; k < l->n_used; k++)
        sum += t->beta[k + 1] * fmax(-4, fmin(4, z[k]));
    return sum;
}

/* Whether P counts where all of WITHOUT's group is left out; NULL: nothing is. */
static bool counts(const struct place *p, const struct place *without)
{
    return !without || p->group != without->group;
}

/* Through all places but those of WITHOUT's group. */
static void fit_trend(const struct portolan_local *l, const struct place *without, struct trend *t)
{
    double a[TREND_TERMS * TREND_TERMS] = {0};
    int n = (int)l->n_used + 1;

    *t = (struct trend){{0}};
    for (size_t i = 0; i < l->n; i++) {
        const struct place *p = &l->places[i];
        double row[TREND_TERMS] = {1};

        if (!counts(p, without))
            continue;
        memcpy(&row[1], p->z, l->n_used * sizeof *row);
        for (int j = 0; j < n; j++) {
            t->beta[j] += row[j] * p->level;
            for (int k = 0; k <= j; k++)
                a[j * n + k] += row[j] * row[k];
        }
    }
    for (int j = 0; j < n; j++) /* a little ridge keeps dependent parameters apart */
        a[j * n + j] += j ? 1e-2 : 1e-9;
    if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, a, n, t->beta, 1))
        *t = (struct trend){{0}};
}

/* ---- neighbours ---- */

static double distance2(const struct portolan_local *l, const double *a, const double *b)
{
    double sum = 0;

    for (size_t k = 0; k < l->n_used; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

struct near {
    size_t n, at[MAX_NEIGHBOURS];
    double d2[MAX_NEIGHBOURS];
};

static void find_near(const struct portolan_local *l, const double *z, const struct place *without,
                      struct near *near)
{
    near->n = 0;
    for (size_t i = 0; i < l->n; i++) {
        double d2;
        size_t k;

        if (!counts(&l->places[i], without))
            continue;
        d2 = distance2(l, z, l->places[i].z);
        if (near->n == MAX_NEIGHBOURS && d2 >= near->d2[near->n - 1])
            continue;
        for (k = near->n < MAX_NEIGHBOURS ? near->n++ : near->n - 1; k && near->d2[k - 1] > d2;
             k--) {
            near->d2[k] = near->d2[k - 1];
            near->at[k] = near->at[k - 1];
        }
        near->d2[k] = d2;
        near->at[k] = i;
    }
}

/* The logarithm at Z, of what TREND leaves over where there is one. */
static double ask(const struct portolan_local *l, const double *z, const struct near *near,
                  size_t neighbours, const struct trend *trend)
{
    double sum = 0, weights = 0;

    for (size_t k = 0; k < near->n && k < neighbours; k++) {
        const struct place *p = &l->places[near->at[k]];
        double w = 1 / (near->d2[k] + 1e-6);

        sum += w * (p->level - (trend ? trend_at(l, trend, p->z) : 0));
        weights += w;
    }
    return (weights > 0 ? sum / weights : 0) + (trend ? trend_at(l, trend, z) : 0);
}

/* ---- left out ---- */

static void add_error(struct portolan_left_out *o, double error)
{
    double e = isfinite(error) ? fmin(fabs(error), worst_error) : worst_error;

    o->n++;
    o->mean += (e - o->mean) / (double)o->n;
    o->sigma += (e * e - o->sigma) / (double)o->n;
}

/* All ways to ask, each place without its group; the best way stays. */
static void leave_out(struct portolan_local *l)
{
    struct portolan_left_out all[2][MAX_NEIGHBOURS] = {{{0}}};
    size_t stride = l->n / MOST_LEFT_OUT + 1, n = 0;
    size_t ways = l->n > l->n_used + 2 ? 2 : 1; /* a trend through as few says nothing */
    double distances = 0;

    for (size_t i = 0; i < l->n; i += stride) {
        const struct place *p = &l->places[i];
        struct trend without;
        struct near near;

        find_near(l, p->z, p, &near);
        if (!near.n)
            continue;
        fit_trend(l, p, &without);
        distances += sqrt(near.d2[0]);
        n++;
        for (size_t k = 0; k < MAX_NEIGHBOURS; k++) {
            add_error(&all[0][k], ask(l, p->z, &near, k + 1, NULL) - p->level);
            add_error(&all[1][k], ask(l, p->z, &near, k + 1, &without) - p->level);
        }
    }
    l->usual_distance = n ? distances / (double)n : 0;
    l->summary.neighbours = 1;
    for (size_t t = 0; n > 1 && t < ways; t++)
        for (size_t k = 0; k < MAX_NEIGHBOURS; k++)
            if ((!t && !k) || all[t][k].mean < 0.97 * l->summary.left_out.mean) {
                l->summary.left_out = all[t][k];
                l->summary.neighbours = k + 1;
                l->summary.trend = t;
            }
    l->summary.left_out.sigma = sqrt(l->summary.left_out.sigma);
}

/* The sum of |log ratio| of the parameters of two places, or how far apart they are where none. */
static double octaves_between(const struct portolan_local *l, size_t a, size_t b)
{
    double sum = 0;

    for (size_t k = 0; k < l->n_used; k++) {
        double u = l->x[a * l->n_params + l->used[k]], v = l->x[b * l->n_params + l->used[k]];

        if (u != v)
            sum += u > 0 && v > 0 ? fabs(log(u / v)) : INFINITY;
    }
    return sum;
}

/* A place and its neighbour whose values differ by more than any smooth cost explains. */
static void find_conflicts(struct portolan_local *l)
{
    double noise = isnan(l->summary.repeat) ? assumed_repeat : l->summary.repeat, worst = 0;
    size_t stride = l->n / MOST_LEFT_OUT + 1;

    for (size_t i = 0; i < l->n; i += stride) {
        double most = 0;
        size_t other = 0;

        for (size_t k = 0; k < l->n; k++) {
            double gap = fabs(l->places[i].level - l->places[k].level) -
                         steepest * octaves_between(l, i, k) - 6 * noise;

            if (k != i && l->places[k].group != l->places[i].group && gap > most) {
                most = gap;
                other = k;
            }
        }
        if (!(most > least_conflict))
            continue;
        l->summary.n_conflicts++;
        if (most > worst) {
            bool above = l->places[i].level > l->places[other].level;

            worst = most;
            l->summary.conflict = (struct portolan_local_conflict){
                .row = l->places[above ? i : other].row,
                .other = l->places[above ? other : i].row,
                .ratio = exp(fabs(l->places[i].level - l->places[other].level))};
        }
    }
}

/* ---- life ---- */

static bool is_good(const struct portolan_local_data *d)
{
    if (!d->n_rows || d->n_params > MODEL_PARAMS)
        return false;
    for (size_t i = 0; i < d->n_rows * d->n_params; i++)
        if (!isfinite(d->x[i]))
            return false;
    for (size_t i = 0; i < d->n_rows; i++)
        if (!(d->y[i] >= 0) || !isfinite(d->y[i]) ||
            (d->weight && (!(d->weight[i] >= 0) || !isfinite(d->weight[i]))))
            return false;
    return true;
}

enum portolan_status portolan_local_create(const struct portolan_local_data *d,
                                           struct portolan_local **local,
                                           struct portolan_error *err)
{
    struct portolan_local *l;
    double most = 0, heaviest = 0;

    if (!is_good(d))
        return portolan_error_set(err, PORTOLAN_EINVAL, "no rows to predict from");
    if (!(l = portolan_calloc(1, sizeof *l)) ||
        !(l->places = portolan_calloc(d->n_rows, sizeof *l->places)) ||
        !(l->x = portolan_calloc(d->n_rows * d->n_params + 1, sizeof *l->x))) {
        portolan_local_destroy(l);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "predicting from what was measured");
    }
    l->n_params = d->n_params;
    for (size_t i = 0; i < d->n_rows; i++) {
        most = fmax(most, d->y[i]);
        heaviest = fmax(heaviest, d->weight ? d->weight[i] : 1);
    }
    l->most = most;
    l->least = most > 0 ? 1e-9 * most : DBL_MIN;
    find_scales(l, d);
    for (size_t i = 0; i < d->n_rows; i++)
        if (!d->weight || d->weight[i] >= 0.9 * heaviest)
            add_row(l, d, i);
    finish_places(l);
    fit_trend(l, NULL, &l->trend);
    leave_out(l);
    find_conflicts(l);
    *local = l;
    return PORTOLAN_OK;
}

void portolan_local_destroy(struct portolan_local *l)
{
    if (!l)
        return;
    free(l->places);
    free(l->x);
    free(l);
}

const struct portolan_local_summary *portolan_local_peek_summary(const struct portolan_local *l)
{
    return &l->summary;
}

/* ---- predictions ---- */

static void note_outside(const struct portolan_local *l, const double *x,
                         struct portolan_prediction *out)
{
    for (size_t p = 0; p < l->n_params; p++) {
        const struct portolan_model_range r = {.min = l->low[p], .max = l->high[p]};
        double octaves = range_octaves(&r, x[p]);

        if (octaves > out->octaves) {
            out->extrapolates = true;
            out->octaves = octaves;
            out->outside = p;
        }
    }
}

/* What repetitions at one place tell of the next: their mean, their own spread with all others'. */
static void predict_repeated(const struct portolan_local *l, const struct place *p,
                             struct portolan_prediction *out)
{
    double dof = l->summary.repeat_dof, sigma = l->summary.repeat, half;

    bool assumed = isnan(sigma);

    if (assumed) {
        sigma = assumed_repeat;
        dof = INFINITY;
    }
    half =
        student_quantile(0.95, fmax(dof, least_dof)) * p->mean * sigma * sqrt(1 + 1 / (double)p->n);
    *out = (struct portolan_prediction){.value = p->mean,
                                        .low = fmax(0, p->mean - half),
                                        .high = p->mean + half,
                                        .std_error = p->mean * sigma / sqrt((double)p->n),
                                        .is_assumed = assumed};
}

/* Whether there are places at X, in GROUP or in any; their mean, and the spread among them. */
static bool predict_same(const struct portolan_local *l, const double *x,
                         struct portolan_prediction *out)
{
    double sum = 0, squares = 0, n = 0, sigma, spread, noise = l->summary.repeat, mean;

    for (size_t i = 0; i < l->n; i++)
        if (same_x(l, &l->x[i * l->n_params], x)) {
            sum += l->places[i].level;
            squares += l->places[i].level * l->places[i].level;
            n++;
        }
    if (n == 0)
        return false;
    mean = sum / n;
    noise = isnan(noise) ? assumed_repeat : noise;
    sigma = n > 1 ? sqrt(fmax(0, squares - n * mean * mean) / (n - 1)) : 0;
    sigma = fmax(sigma, noise);
    spread = sigma * student_quantile(0.95, fmax(2, n - 1)) * sqrt(1 + 1 / n);
    *out = (struct portolan_prediction){.value = exp(mean),
                                        .low = exp(mean - spread),
                                        .high = exp(mean + spread),
                                        .std_error = exp(mean) * sigma / sqrt(n)};
    return true;
}

static void predict_near(const struct portolan_local *l, const double *x,
                         struct portolan_prediction *out)
{
    const struct portolan_left_out *o = &l->summary.left_out;
    double z[MODEL_PARAMS], level, spread, sigma = o->n ? o->sigma : 1, far;
    struct near near;

    scale(l, x, z);
    find_near(l, z, NULL, &near);
    level = ask(l, z, &near, l->summary.neighbours, l->summary.trend ? &l->trend : NULL);
    far = l->usual_distance > 0 ? sqrt(near.d2[0]) / l->usual_distance : 1;
    sigma *= fmin(10, fmax(1, far));
    spread = fmin(20, sigma * student_quantile(0.95, fmax(2, (double)o->n - 1)));
    *out = (struct portolan_prediction){.value = exp(level),
                                        .low = exp(level - spread),
                                        .high = exp(level + spread),
                                        .std_error = exp(level) * sigma,
                                        .is_assumed = !o->n};
    note_outside(l, x, out);
}

void portolan_local_predict(const struct portolan_local *l, const double *x, size_t group,
                            struct portolan_prediction *out, enum portolan_local_source *source)
{
    enum portolan_local_source ignored;

    source = source ? source : &ignored;
    *out = (struct portolan_prediction){0};
    *source = PORTOLAN_LOCAL_MEASURED;
    for (size_t i = 0; group != SIZE_MAX && i < l->n; i++)
        if (l->places[i].group == group && same_x(l, &l->x[i * l->n_params], x)) {
            predict_repeated(l, &l->places[i], out);
            return;
        }
    *source = PORTOLAN_LOCAL_SAME;
    if (l->most == 0) /* wherever it was measured, there was nothing */
        return;
    if (predict_same(l, x, out))
        return;
    *source = PORTOLAN_LOCAL_NEIGHBOURS;
    predict_near(l, x, out);
}
