/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for the terms fits every form of a list and scores it by its evidence: the likelihood
 * of the values, averaged over the prior of its constants (closed form). So a form pays for each
 * constant with what the constant could have explained by chance: it is judged by what it predicts,
 * not by what it fits. Forms with similar scores stay on a shortlist: how far they diverge outside
 * the rows shows how uncertain the form is there.
 */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct search *search_create(const struct points *points,
                             const struct portolan_model_options *options,
                             struct portolan_arena *memory)
{
    size_t m = points->m, n = points->n_params;
    struct search *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    /* Leaves out the places of the shortlist, which are large. */
    memset(s, 0, offsetof(struct search, best.place));
    s->points = points;
    s->options = options;
    s->memory = memory;
    s->m = m;
    s->factor = portolan_arena_alloc(memory, m, sizeof *s->factor);
    s->rhs = portolan_arena_alloc(memory, m, sizeof *s->rhs);
    s->work = portolan_arena_alloc(memory, m, (MODEL_ESTIMATES + 5) * sizeof *s->work);
    s->logs = portolan_arena_alloc(memory, m, 3 * (n + 1) * sizeof *s->logs);
    s->usable = portolan_arena_alloc(memory, GRID, n + 1);
    if (n && m <= CACHED_POINTS)
        s->columns = portolan_arena_alloc(memory, n * GRID * m, sizeof *s->columns);
    if (memory->failed) {
        free(s);
        return NULL;
    }
    s->thirds = s->logs + n * m;
    s->fourths = s->thirds + n * m;
    search_weigh(s, NULL);
    search_grid_prepare(s);
    return s;
}

/* ---- the noise, as far as repetitions tell ---- */

/* One pass; the FIRST may end early, when a good form shows that the weights were wrong. */
static void search_all(struct search *s, bool first)
{
    size_t n_params = s->points->n_params;
    bool lines;

    s->first = first;
    s->over = false;
    search_begin(s);
    s->line_variance = NAN;
    lines = n_params > 1 && search_lines(s);
    for (size_t p = 0; p < n_params && !s->over && !s->options->only_products; p++)
        search_one(s, p, true, n_params == 1);
    for (size_t p = 0; p < n_params && n_params > 1 && !s->over && !s->options->only_products; p++)
        search_one(s, p, false, true);
    if (n_params > 1 && !s->over && !(lines && search_explains(s, s->residual, s->residual_k)))
        search_several(s);
    s->over = s->over || (first && search_moves_weights(s, s->best.entry[0]));
    if (!s->over)
        search_prefer(s);
}

/* Searches twice: points that only the second pass leaves out may have misled the first. */
static enum portolan_status trim_points(struct search *s)
{
    for (int i = 0; i < 2; i++) {
        struct candidate first;
        enum portolan_status status = search_trim(s, NULL);

        if (status)
            return status;
        search_all(s, false);
        first = *s->best.entry[0];
        search_weigh(s, &first);
        search_all(s, false);
    }
    return PORTOLAN_OK;
}

/* ---- two points, which leave no error to judge forms by ---- */

/* The relative noise of timings that is assumed without repetitions. */
static const double usual_noise = 0.05;

static bool values_differ(const struct search *s)
{
    const struct points *pts = s->points;
    double size = fmax(fabs(pts->y[0]), fabs(pts->y[1]));
    double noise = usual_noise * (pts->relative ? 1 : size);

    if (pts->repeat_sigma >= 0)
        noise = pts->repeat_sigma * sqrt(2 / pts->mean_gain);
    return fabs(pts->y[1] - pts->y[0]) > 3 * noise * points_scale(pts, size);
}

static void enter_power(struct search *s, size_t param, double score)
{
    const struct points *pts = s->points;
    const double *x = pts->x + param, *y = pts->y;
    struct candidate c = {.family = PORTOLAN_MODEL_POWER, .k = 1};
    double exponent = log(y[1] / y[0]) / log(x[pts->n_params] / x[0]);

    if (s->options->only_products || !search_above(s, param, 0) || y[0] <= 0 || y[1] <= 0 ||
        !(fabs(exponent) <= 8))
        return;
    c.shape[0].exponents[param] = exponent;
    c.fitted[0] = 1u << param;
    search_enter(s, &c, score);
}

static void enter_lines(struct search *s, size_t param, double score)
{
    for (size_t i = 0; i < GRID; i++) {
        const struct grid_entry *entry = &search_grid[i];
        struct candidate c = {0};

        c.family = entry->log             ? PORTOLAN_MODEL_LOGARITHMIC
                   : entry->exponent <= 3 ? PORTOLAN_MODEL_POLYNOMIAL
                                          : PORTOLAN_MODEL_POWER;
        candidate_add(&c);
        candidate_list(&c, candidate_add(&c), param, i);
        if (entry->cost > 0.5 || s->options->only_products || !search_grid_fits(s, param, i))
            continue;
        search_enter(s, &c, score + entry->cost + 0.25 * fabs(entry->exponent));
    }
}

static void search_two(struct search *s)
{
    bool different = values_differ(s);
    struct candidate constant = *s->best.entry[0];

    for (size_t i = 0; i < s->best.n; i++)
        if (s->best.entry[i]->family == PORTOLAN_MODEL_CONSTANT)
            constant = *s->best.entry[i];
    s->best.n = 0;
    search_keep(s, &constant, different ? 5 : -2);
    for (size_t p = 0; p < s->points->n_params; p++)
        if (search_varies(s, p)) {
            enter_power(s, p, 0);
            enter_lines(s, p, 0.75);
        }
}

/* Tries only FORMS, which come from other points of the same data. */
static void search_again(struct search *s, const struct shortlist *forms)
{
    struct candidate c = *forms->entry[0];

    search_begin(s);
    if (search_try(s, &c) < INFINITY)
        search_trust(s, s->residual, s->residual_k);
    for (size_t i = 0; i < forms->n; i++) {
        candidate_copy(&c, forms->entry[i]);
        search_try(s, &c);
    }
    search_prefer(s);
}

/*
 * ---- more than CACHED_POINTS points: a sample shows which forms are likely, then all points
 * decide between these; so a search takes as long for 100,000 points as for 4,096 ----
 */

/*
 * Marks one point of each of many groups, at a random position, so that no pattern of the
 * parameters matters; and the least and largest value of every parameter, which bound the range and
 * decide which shapes exist.
 */
static void mark_sample(const struct points *pts, bool *in)
{
    size_t n = CACHED_POINTS - 2 * pts->n_params;

    for (size_t i = 0; i < n; i++) {
        size_t first = i * pts->m / n, end = (i + 1) * pts->m / n;

        in[first + portolan_hash(&i, sizeof i, 0) % (end - first)] = true;
    }
    for (size_t p = 0; p < pts->n_params; p++) {
        const double *x = pts->x + p;
        size_t low = 0, high = 0;

        for (size_t i = pts->n_params; i < pts->m * pts->n_params; i += pts->n_params) {
            low = x[i] < x[low] ? i : low;
            high = x[i] > x[high] ? i : high;
        }
        in[low / pts->n_params] = in[high / pts->n_params] = true;
    }
}

/* Draws a sample; it keeps the noise and the floor of all points. */
static enum portolan_status draw_sample(const struct points *all, struct portolan_arena *memory,
                                        struct points *some)
{
    size_t n = all->n_params;
    bool *in = portolan_arena_alloc(memory, all->m, sizeof *in);

    *some = *all;
    some->m = 0;
    some->x = portolan_arena_alloc(memory, CACHED_POINTS, (n + 1) * sizeof *some->x);
    some->y = portolan_arena_alloc(memory, CACHED_POINTS, sizeof *some->y);
    some->w = portolan_arena_alloc(memory, CACHED_POINTS, sizeof *some->w);
    if (memory->failed)
        return PORTOLAN_ENOMEM;
    mark_sample(all, in);
    for (size_t i = 0; i < all->m; i++)
        if (in[i]) {
            memcpy(some->x + some->m * n, all->x + i * n, n * sizeof *some->x);
            some->y[some->m] = all->y[i];
            some->w[some->m++] = all->w[i];
        }
    return PORTOLAN_OK;
}

/*
 * Tries other shapes in each place of the best form, as long as one is better: the search in
 * several parameters may have stopped just before it. In one parameter the search was complete.
 */
static void refine_best(struct search *s)
{
    struct candidate best = *s->best.entry[0], from, c = best;
    bool better = best.family & (PORTOLAN_MODEL_PRODUCT | PORTOLAN_MODEL_SUM);

    while (better) {
        better = false;
        from = best;
        for (size_t at = 0; at < from.k * s->points->n_params * GRID; at++) {
            size_t e = at % GRID, p = at / GRID % s->points->n_params;
            size_t j = at / GRID / s->points->n_params, was = from.listed[j][p];

            if (!was || !search_grid_fits(s, p, e))
                continue;
            candidate_copy(&c, &from);
            c.cost -= search_grid[was - 1].cost;
            candidate_list(&c, j, p, e);
            if (search_try(s, &c) < best.score) {
                candidate_copy(&best, &c);
                better = true;
            }
        }
    }
}

static enum portolan_status search_sample(struct search *s)
{
    struct points some;
    struct search *part = NULL;
    enum portolan_status status = draw_sample(s->points, s->memory, &some);

    if (!status && !(part = search_create(&some, s->options, s->memory)))
        status = PORTOLAN_ENOMEM;
    status = status ? status : search_run(part);
    if (!status) {
        struct candidate best;

        refine_best(part);
        best = *part->best.entry[0];
        if (s->options->trimmed)
            status = search_trim(s, &best);
        else
            search_exclude_outliers(s, &best);
        search_weigh(s, &best);
        search_again(s, &part->best);
    }
    free(part);
    return status;
}

enum portolan_status search_run(struct search *s)
{
    enum portolan_status status = PORTOLAN_OK;

    if (s->m > CACHED_POINTS) {
        search_begin(s);
        status = search_sample(s);
        search_find_drifts(s);
        return status;
    }
    search_all(s, s->m > 2);
    if (s->options->trimmed && s->m > 3) {
        status = trim_points(s);
    } else if (s->over) {
        struct candidate first = *s->best.entry[0];

        search_exclude_outliers(s, &first);
        search_weigh(s, &first);
        search_all(s, false);
    } else if (s->m == 2) {
        search_two(s);
    }
    search_find_drifts(s);
    return status;
}
