/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More points than columns are kept of: a sample of them tells which forms are likely, and then all
 * of them which of these holds. So a search takes as long for 100,000 points as for 4,096.
 */
#include "models_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 8 };

/*
 * Marks one point of every so many, at a place of their order that no pattern of the parameters
 * follows; and the ends of every parameter, since they bound the range and decide which shapes
 * exist. How many are marked.
 */
static size_t mark(const struct points *pts, bool *in)
{
    size_t n = CACHED_POINTS - 2 * pts->n_params, marked = 0;

    for (size_t i = 0; i < n; i++) {
        size_t first = i * pts->m / n, end = (i + 1) * pts->m / n;

        in[first + portolan_hash(&i, sizeof i, 0) % (end - first)] = true;
    }
    for (size_t p = 0; p < pts->n_params; p++) {
        size_t low = 0, high = 0;

        for (size_t i = 1; i < pts->m; i++) {
            double x = pts->x[i * pts->n_params + p];

            low = x < pts->x[low * pts->n_params + p] ? i : low;
            high = x > pts->x[high * pts->n_params + p] ? i : high;
        }
        in[low] = in[high] = true;
    }
    for (size_t i = 0; i < pts->m; i++)
        marked += in[i];
    return marked;
}

/* What is known of the noise, and the floor, are those of all points. */
static enum portolan_status draw(const struct points *all, struct points *some)
{
    size_t n_params = all->n_params;
    bool *in = portolan_calloc(all->m, sizeof *in);

    *some = *all;
    some->m = in ? mark(all, in) : 0;
    some->x = portolan_calloc(some->m, (n_params + 1) * sizeof *some->x);
    some->y = portolan_calloc(some->m, sizeof *some->y);
    some->w = portolan_calloc(some->m, sizeof *some->w);
    if (!in || !some->x || !some->y || !some->w) {
        free(in);
        points_destroy(some);
        return PORTOLAN_ENOMEM;
    }
    for (size_t i = 0, at = 0; i < all->m; i++) {
        if (!in[i])
            continue;
        memcpy(some->x + at * n_params, all->x + i * n_params, n_params * sizeof *some->x);
        some->y[at] = all->y[i];
        some->w[at++] = all->w[i];
    }
    free(in);
    return PORTOLAN_OK;
}

/*
 * Tries the best form with other shapes in each of its places: a search of several parameters may
 * have stopped beside the best. Whether one was better.
 */
static bool refine(struct search *s)
{
    struct candidate best = *s->best.entry[0], c = best;
    double score = best.score;

    /* Families of one parameter were searched through, and their shapes are limited. */
    if (!(best.family & (PORTOLAN_MODEL_PRODUCT | PORTOLAN_MODEL_SUM)))
        return false;
    for (size_t j = 0; j < best.k; j++)
        for (size_t p = 0; p < s->points->n_params; p++)
            for (size_t e = 0; e < GRID && best.listed[j][p]; e++) {
                if (!search_grid_fits(s, p, e))
                    continue;
                candidate_copy(&c, &best);
                c.cost -= search_grid[best.listed[j][p] - 1].cost;
                candidate_list(&c, j, p, e);
                score = fmin(score, search_try(s, &c));
            }
    return score < best.score;
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

        for (int i = 0; i < REFINEMENTS && refine(part); i++)
            continue;
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
