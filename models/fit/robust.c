/* SPDX-License-Identifier: BSD-3-Clause */
/* Points far from every fit: weights, outliers, and least trimmed squares on request. */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- weights and outliers ---- */

void search_weigh(struct search *s, const struct candidate *fit)
{
    const struct points *pts = s->points;
    double square = 0;

    s->weight = s->largest = 0;
    for (size_t i = 0; i < pts->m; i++) {
        double v = pts->y[i];

        if (s->m < pts->m && !search_is_in(s, i))
            continue;
        if (fit)
            v = candidate_value(fit, pts->n_params, pts->x + i * pts->n_params);
        s->factor[i] = sqrt(pts->w[i]) / points_scale_of(pts, i, v);
        s->rhs[i] = s->factor[i] * pts->y[i];
        s->weight += pts->w[i];
        square += s->rhs[i] * s->rhs[i];
        s->largest = fmax(s->largest, fabs(s->rhs[i]));
    }
    s->least = 1e-20 * (square > 0 ? square : 1);
}

/*
 * Leaves out points that are off FIT by half of it or more, and by six standard deviations of the
 * others; at most one in five. The distance is relative to FIT, since a spike is small relative to
 * its own value.
 */
void search_exclude_outliers(struct search *s, const struct candidate *fit)
{
    const struct points *pts = s->points;
    double *off = s->work, *sorted = s->work + pts->m, cut;
    size_t limit = pts->m / 5;

    if (!pts->relative || !limit)
        return;
    for (size_t i = 0; i < pts->m; i++) {
        double v = candidate_value(fit, pts->n_params, pts->x + i * pts->n_params);

        off[i] = fabs(pts->y[i] - v) / points_scale(pts, v);
    }
    memcpy(sorted, off, pts->m * sizeof *off);
    portolan_sort_numbers(pts->m, sorted);
    cut = fmax(fmax(0.5, 6 * 1.4826 * sorted[pts->m / 2]), sorted[pts->m - 1 - limit]);
    for (size_t i = 0; i < pts->m; i++)
        if (off[i] > cut) {
            s->factor[i] = s->rhs[i] = 0;
            s->m--;
        }
}

/*
 * ---- Least trimmed squares (Rousseeuw 1984) fits the three quarters of the points that agree
 * best, found by random starts and concentration steps (Rousseeuw and Van Driessen 2006); then all
 * points near that fit count again. On request, for rows where whole points are bad. ----
 */

enum { STARTS = 60, FEW_STARTS = 10, STEPS = 12 };

struct trim {
    struct search *s;
    size_t h;
    struct ordered *order; /* by the scaled, weighted distance from the current fit */
    double best;           /* least mean square of the H points per degree of freedom, so far … */
    struct candidate fit;  /* … and the fit it belongs to */
    uint64_t n_drawn;      /* random numbers */
};

static size_t pick_point(struct trim *t, size_t n)
{
    return (size_t)((double)n * portolan_draw_uniform(t->n_drawn++, 0));
}

/* Fits the first N points of the order. */
static bool fit_some(struct trim *t, struct candidate *c, size_t n)
{
    const struct points *pts = t->s->points;
    double *columns = t->s->work, *rhs = columns + c->k * n;

    for (size_t i = 0; i < n; i++) {
        size_t at = t->order[i].point;
        const double *x = pts->x + at * pts->n_params;
        double f = sqrt(pts->w[at]) / points_scale(pts, pts->y[at]);

        for (size_t j = 0; j < c->k; j++)
            columns[j * n + i] = f * shape_value(&c->shape[j], pts->n_params, x);
        rhs[i] = f * pts->y[at];
    }
    return linear_quick(n, c->k, columns, rhs, c->constant, NULL, NULL);
}

/* Puts the H points nearest to C first; returns the sum of their squares. */
static double concentrate_points(struct trim *t, const struct candidate *c)
{
    const struct points *pts = t->s->points;
    double sum = 0;

    for (size_t i = 0; i < pts->m; i++) {
        double v = candidate_value(c, pts->n_params, pts->x + i * pts->n_params);
        double off = fabs(pts->y[i] - v) * sqrt(pts->w[i]) / points_scale(pts, v);

        t->order[i] = (struct ordered){isfinite(off) ? off : 1e150, i};
    }
    qsort(t->order, pts->m, sizeof *t->order, compare_ordered);
    for (size_t i = 0; i < t->h; i++)
        sum += t->order[i].v * t->order[i].v;
    return sum;
}

/* Puts K random points first. */
static void draw_start(struct trim *t, size_t k)
{
    size_t m = t->s->points->m;

    for (size_t i = 0; i < m; i++)
        t->order[i].point = i;
    for (size_t i = 0; i < k; i++) {
        size_t other = i + pick_point(t, m - i), at = t->order[i].point;

        t->order[i].point = t->order[other].point;
        t->order[other].point = at;
    }
}

static void try_form(struct trim *t, const struct candidate *form)
{
    size_t m = t->s->points->m;
    struct candidate c = *form;
    bool fitted = m > CACHED_POINTS && c.constant[0] != 0; /* to a trimmed sample of the points */

    if (t->h <= c.k + 1)
        return;
    for (int i = 0; i < (fitted ? 1 : m > 100 ? FEW_STARTS : STARTS); i++) {
        double sum = INFINITY, before;

        draw_start(t, c.k);
        if (!fitted && !fit_some(t, &c, c.k))
            continue;
        for (int step = 0; step < STEPS; step++) {
            before = sum;
            sum = concentrate_points(t, &c);
            if (!(sum < before * (1 - 1e-9)) || !fit_some(t, &c, t->h))
                break;
        }
        if (sum / (double)(t->h - c.k) < t->best) {
            t->best = sum / (double)(t->h - c.k);
            t->fit = c;
        }
    }
}

/* Tries a constant plus each plain shape of one parameter. */
static void try_list(struct trim *t)
{
    struct search *s = t->s;

    for (size_t p = 0; p < s->points->n_params; p++)
        for (size_t e = 0; e < GRID && search_varies(s, p); e++) {
            struct candidate c = {0};

            if (!search_grid[e].plain || !search_grid_fits(s, p, e))
                continue;
            candidate_add(&c);
            candidate_list(&c, candidate_add(&c), p, e);
            try_form(t, &c);
        }
}

/* Of normal errors, the smallest three quarters have 0.37 of the variance of all. */
static const double share_of_variance = 0.37, bound = 3;

/* Leaves out the points far from the best fit, at most a quarter of all. */
static void leave_out_far(struct trim *t)
{
    struct search *s = t->s;
    size_t m = s->points->m;
    double sigma = sqrt(t->best / share_of_variance), cut;

    if (!isfinite(t->best))
        return;
    concentrate_points(t, &t->fit);
    if (s->points->repeat_sigma > 0)
        sigma = fmax(sigma, s->points->repeat_sigma * sqrt(s->points->place_share));
    cut = fmax(bound * sigma, 1e-9);
    for (size_t i = t->h; i < m; i++) {
        size_t at = t->order[i].point;

        if (t->order[i].v > cut && search_is_in(s, at)) {
            s->factor[at] = s->rhs[at] = 0;
            s->m--;
        }
    }
}

enum portolan_status search_trim(struct search *s, const struct candidate *given)
{
    size_t m = s->points->m;
    struct trim t = {.s = s, .h = m - m / 4, .best = INFINITY};

    if (m < 4)
        return PORTOLAN_OK;
    t.order = portolan_arena_alloc(s->memory, m, sizeof *t.order);
    if (!t.order)
        return PORTOLAN_ENOMEM;
    if (given) {
        try_form(&t, given);
    } else {
        try_list(&t);
        for (size_t i = 0; i < s->best.n; i++)
            try_form(&t, s->best.entry[i]);
    }
    leave_out_far(&t);
    return PORTOLAN_OK;
}
