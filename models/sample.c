/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More points than columns are kept of: a sample of them tells which forms are likely, and then all
 * of them which of these holds. So a search takes as long for 100,000 points as for 4,096.
 */
#include "models_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * Marks one point of every so many, at a place of their order that no pattern of the parameters
 * follows; and the ends of every parameter: they bound the range and decide which shapes exist.
 */
static void mark(const struct points *pts, bool *in)
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

/* What is known of the noise, and the floor, are those of all points. */
static enum portolan_status draw(const struct points *all, struct points *some)
{
    size_t n = all->n_params;
    bool *in = portolan_calloc(all->m, sizeof *in), good;

    *some = *all;
    some->m = 0;
    some->x = portolan_calloc(CACHED_POINTS, (n + 1) * sizeof *some->x);
    some->y = portolan_calloc(CACHED_POINTS, sizeof *some->y);
    some->w = portolan_calloc(CACHED_POINTS, sizeof *some->w);
    good = in && some->x && some->y && some->w;
    if (good)
        mark(all, in);
    for (size_t i = 0; good && i < all->m; i++)
        if (in[i]) {
            memcpy(some->x + some->m * n, all->x + i * n, n * sizeof *some->x);
            some->y[some->m] = all->y[i];
            some->w[some->m++] = all->w[i];
        }
    free(in);
    if (!good)
        points_destroy(some);
    return good ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/*
 * Other shapes in each place of the best form, as long as one is better: a search of several
 * parameters may have stopped beside it. Those of one were searched through.
 */
static void refine(struct search *s)
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

enum portolan_status search_sample(struct search *s)
{
    struct points some = {0};
    struct search *part = search_allocate();
    enum portolan_status status = part ? draw(s->points, &some) : PORTOLAN_ENOMEM;

    status = status ? status : search_create(&some, s->options, part, NULL);
    status = status ? status : search_run(part);
    if (!status) {
        struct candidate best;

        refine(part);
        best = *part->best.entry[0];
        if (s->options->trimmed)
            status = search_trim(s, &best);
        else
            search_exclude_outliers(s, &best);
        search_weigh(s, &best);
        search_again(s, &part->best);
    }
    if (part)
        search_destroy(part);
    free(part);
    points_destroy(&some);
    return status;
}
