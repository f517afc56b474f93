/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end of a race, what is known of alternatives before they run, and the summary. */
#include "race_internal.h"

#include <stdlib.h>
#include <string.h>

void portolan_race_expect(struct portolan_race *r, size_t instance, size_t alternative,
                          double ratio, bool is_sure)
{
    r->beliefs[instance][alternative].ratio = ratio;
    r->beliefs[instance][alternative].is_sure = is_sure;
}

void portolan_race_expect_first(struct portolan_race *r, size_t instance, size_t alternative,
                                double ratio)
{
    r->beliefs[instance][alternative].first = ratio;
}

void portolan_race_remedy(struct portolan_race *r, size_t instance, size_t alternative, double gain,
                          double most)
{
    struct belief *b = &r->beliefs[instance][alternative];

    b->is_remedy = true;
    b->gain = gain;
    b->most = most;
}

/* Instances that pairs connect, even by others, get the same group. */
static void make_groups(struct portolan_race *r)
{
    for (size_t i = 0; i < r->o.n_instances; i++)
        r->group[i] = i;
    for (size_t p = 0; p < r->o.n_pairs; p++) {
        size_t from = r->group[r->o.pairs[p][0]], to = r->group[r->o.pairs[p][1]];

        for (size_t i = 0; i < r->o.n_instances; i++)
            if (r->group[i] == from)
                r->group[i] = to;
    }
}

/* A copy of COUNT items of SIZE bytes; NULL without memory. */
static void *keep(struct portolan_race *r, const void *items, size_t count, size_t size)
{
    void *copy = portolan_arena_alloc(&r->pool, count, size);

    return copy && count ? memcpy(copy, items, count * size) : copy;
}

static bool make_tables(struct portolan_race *r, const struct portolan_race_options *o,
                        const int32_t *selection)
{
    size_t n = o->n_instances;

    r->o = *o;
    r->o.n_alternatives = keep(r, o->n_alternatives, n, sizeof *o->n_alternatives);
    r->o.pairs = keep(r, o->pairs, o->n_pairs, sizeof *o->pairs);
    r->group = portolan_arena_alloc(&r->pool, n, sizeof *r->group);
    r->incumbent = keep(r, selection, n, sizeof *selection);
    r->tried = keep(r, selection, n, sizeof *selection);
    r->scratch = keep(r, selection, n, sizeof *selection);
    r->mean_inclusive_ns = portolan_arena_alloc(&r->pool, n, sizeof *r->mean_inclusive_ns);
    r->inclusive_ns = portolan_arena_alloc(&r->pool, n, sizeof *r->inclusive_ns);
    r->share = portolan_arena_alloc(&r->pool, n, sizeof *r->share);
    r->usual_share = portolan_arena_alloc(&r->pool, n, sizeof *r->usual_share);
    r->beliefs = portolan_arena_alloc(&r->pool, n, sizeof *r->beliefs);
    for (size_t i = 0; !r->pool.failed && i < n; i++) {
        r->beliefs[i] = portolan_arena_alloc(&r->pool, o->n_alternatives[i], sizeof **r->beliefs);
        for (size_t k = 0; r->beliefs[i] && k < o->n_alternatives[i]; k++)
            r->beliefs[i][k] =
                (struct belief){.ratio = (int32_t)k == selection[i] ? 1 : NAN, .first = NAN};
    }
    return !r->pool.failed;
}

enum portolan_status portolan_race_create(const struct portolan_race_options *options,
                                          const int32_t *selection, struct portolan_race **race,
                                          struct portolan_error *err)
{
    struct portolan_race *r = portolan_calloc(1, sizeof *r);

    if (!r || !make_tables(r, options, selection)) {
        portolan_race_destroy(r);
        return portolan_no_memory(err);
    }
    make_groups(r);
    r->summary.reason = "";
    r->data = NAN;
    r->is_beginning = true;
    *race = r;
    return PORTOLAN_OK;
}

void portolan_race_destroy(struct portolan_race *r)
{
    if (!r)
        return;
    portolan_arena_clear(&r->pool);
    free(r);
}

struct portolan_race_summary portolan_race_peek(const struct portolan_race *r)
{
    struct portolan_race_summary s = r->summary;

    s.incumbent = r->incumbent;
    s.cost_ns = race_cost(r);
    s.usual_ns = history_mean(&r->history);
    s.budget_ns = race_budget(r);
    return s;
}
