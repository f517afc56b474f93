/* SPDX-License-Identifier: BSD-3-Clause */
/* Many values become one: over instances or tokens, by rank and by ordinal. */
#include "recognise.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>

bool value_list_add(struct value_list *l, double value, size_t rank, size_t ordinal)
{
    if (l->n == l->room) {
        size_t room = l->room, room1 = l->room, room2 = l->room;

        if (!portolan_reserve(&l->values, &room, l->n + 1, sizeof *l->values) ||
            !portolan_reserve(&l->ranks, &room1, room, sizeof *l->ranks) ||
            !portolan_reserve(&l->ordinals, &room2, room, sizeof *l->ordinals)) {
            l->failed = true;
            return false;
        }
        l->room = room; /* now of all three */
    }
    l->values[l->n] = value;
    l->ranks[l->n] = rank;
    l->ordinals[l->n++] = ordinal;
    return true;
}

void value_list_clear(struct value_list *l, struct recognition *r)
{
    r->failed |= l->failed;
    free(l->values);
    free(l->ranks);
    free(l->ordinals);
    *l = (struct value_list){0};
}

/* The values with one key. */
struct group {
    double sum, max, first, last;
    size_t n, leader; /* the rank of the greatest */
};

/* *GROUPS of the values, by KEYS; NULL: no memory. */
static struct group *make_groups(const struct value_list *l, const size_t *keys, size_t *n)
{
    struct group *groups;

    *n = 0;
    for (size_t i = 0; i < l->n; i++)
        *n = keys[i] >= *n ? keys[i] + 1 : *n;
    groups = portolan_calloc(*n + 1, sizeof *groups);
    for (size_t i = 0; groups && i < l->n; i++) {
        struct group *g = &groups[keys[i]];
        double v = l->values[i];

        if (isnan(v))
            continue;
        if (!g->n || v > g->max) {
            g->max = v;
            g->leader = l->ranks[i];
        }
        g->first = g->n ? g->first : v;
        g->last = v;
        g->sum += v;
        g->n++;
    }
    return groups;
}

static double by_ordinal(const struct group *groups, size_t n, enum aggregate aggregate,
                         bool *failed)
{
    size_t n_groups = 0, most = 0, n_ranks = 0;
    size_t *led = NULL;
    double excess = 0;

    for (size_t i = 0; i < n; i++) {
        excess += groups[i].n ? (double)groups[i].n * groups[i].max - groups[i].sum : 0;
        n_ranks = groups[i].leader >= n_ranks ? groups[i].leader + 1 : n_ranks;
    }
    if (aggregate == AGGREGATE_EXCESS)
        return excess;
    if (!(led = portolan_calloc(n_ranks + 1, sizeof *led))) {
        *failed = true;
        return NAN;
    }
    for (size_t i = 0; i < n; i++)
        if (groups[i].n) {
            n_groups++;
            if (++led[groups[i].leader] > most)
                most = led[groups[i].leader];
        }
    free(led);
    return n_groups ? (double)most / (double)n_groups : (double)NAN;
}

static double by_rank(const struct group *groups, size_t n, enum aggregate aggregate)
{
    double max = -INFINITY, sum = 0, first = 0, last = 0;
    size_t n_ranks = 0;

    for (size_t i = 0; i < n; i++)
        if (groups[i].n) {
            max = groups[i].sum > max ? groups[i].sum : max;
            sum += groups[i].sum;
            first += groups[i].first;
            last += groups[i].last;
            n_ranks++;
        }
    switch (aggregate) {
    case AGGREGATE_FIRST:
        return first;
    case AGGREGATE_LAST:
        return last;
    case AGGREGATE_STATIC:
        return n_ranks ? max * (double)n_ranks - sum : (double)NAN;
    default: /* IMBALANCE */
        return sum > 0 ? max * (double)n_ranks / sum - 1 : (double)NAN;
    }
}

static double simple(const struct value_list *l, enum aggregate aggregate)
{
    double sum = 0, squares = 0, max = -INFINITY, min = INFINITY;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        double v = l->values[i];

        if (isnan(v))
            continue;
        n++;
        sum += v;
        max = v > max ? v : max;
        min = v < min ? v : min;
    }
    if (aggregate == AGGREGATE_N)
        return (double)n;
    if (aggregate == AGGREGATE_SUM)
        return sum;
    if (!n)
        return NAN;
    for (size_t i = 0; i < l->n; i++)
        squares += isnan(l->values[i]) ? 0 : pow(l->values[i] - sum / (double)n, 2);
    return aggregate == AGGREGATE_MEAN  ? sum / (double)n
           : aggregate == AGGREGATE_MAX ? max
           : aggregate == AGGREGATE_MIN ? min
                                        : sqrt(squares / (double)(n > 1 ? n - 1 : 1));
}

double value_list_aggregate(struct value_list *l, enum aggregate aggregate)
{
    bool is_by_ordinal = aggregate == AGGREGATE_EXCESS || aggregate == AGGREGATE_LEAD;
    struct group *groups;
    size_t n;
    double value;

    if (aggregate == AGGREGATE_CRITICAL)
        return NAN;
    if (!is_by_ordinal && aggregate != AGGREGATE_STATIC && aggregate != AGGREGATE_IMBALANCE &&
        aggregate != AGGREGATE_FIRST && aggregate != AGGREGATE_LAST)
        return simple(l, aggregate);
    if (!(groups = make_groups(l, is_by_ordinal ? l->ordinals : l->ranks, &n))) {
        l->failed = true;
        return NAN;
    }
    value = is_by_ordinal ? by_ordinal(groups, n, aggregate, &l->failed)
                          : by_rank(groups, n, aggregate);
    free(groups);
    return value;
}
