/* SPDX-License-Identifier: BSD-3-Clause */
/* Aggregates values over instances or tokens, by rank and by ordinal. */
#include "recognise.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>

bool value_list_add(struct value_list *l, double value, size_t rank, size_t ordinal)
{
    if (!portolan_reserve(&l->values, &l->room, l->n + 1, sizeof *l->values)) {
        l->failed = true;
        return false;
    }
    l->values[l->n++] = (struct grouped_value){value, (uint32_t)rank, (uint32_t)ordinal};
    return true;
}

void value_list_clear(struct value_list *l, struct recognition *r)
{
    r->failed |= l->failed;
    free(l->values);
    *l = (struct value_list){0};
}

/* The values of one rank, or of one ordinal. */
struct group {
    double sum, max, first, last;
    size_t n, leader; /* LEADER: the rank with the greatest value */
    size_t n_led;     /* of a rank: number of ordinals in which it has the greatest value */
};

/* Groups the values: *GROUPS, with room for as many ranks; NULL: no memory. */
static struct group *make_groups(const struct value_list *l, bool by_ordinal, size_t *n)
{
    struct group *groups;

    *n = 0;
    for (size_t i = 0; i < l->n; i++) {
        *n = l->values[i].rank >= *n ? l->values[i].rank + 1 : *n;
        *n = by_ordinal && l->values[i].ordinal >= *n ? l->values[i].ordinal + 1 : *n;
    }
    groups = portolan_calloc(*n + 1, sizeof *groups);
    for (size_t i = 0; groups && i < l->n; i++) {
        const struct grouped_value *v = &l->values[i];
        struct group *g = &groups[by_ordinal ? v->ordinal : v->rank];

        if (isnan(v->value))
            continue;
        if (!g->n || v->value > g->max) {
            g->max = v->value;
            g->leader = v->rank;
        }
        g->first = g->n ? g->first : v->value;
        g->last = v->value;
        g->sum += v->value;
        g->n++;
    }
    return groups;
}

static double of_groups(struct group *groups, size_t n, enum aggregate aggregate)
{
    double max = -INFINITY, sum = 0, first = 0, last = 0, excess = 0;
    size_t n_groups = 0, most_led = 0;

    for (struct group *g = groups; g < groups + n; g++) {
        if (!g->n)
            continue;
        n_groups++;
        max = g->sum > max ? g->sum : max;
        sum += g->sum;
        first += g->first;
        last += g->last;
        excess += (double)g->n * g->max - g->sum;
        if (++groups[g->leader].n_led > most_led)
            most_led = groups[g->leader].n_led;
    }
    switch (aggregate) {
    case AGGREGATE_EXCESS:
        return excess;
    case AGGREGATE_LEAD:
        return n_groups ? (double)most_led / (double)n_groups : (double)NAN;
    case AGGREGATE_FIRST:
        return first;
    case AGGREGATE_LAST:
        return last;
    case AGGREGATE_STATIC:
        return n_groups ? max * (double)n_groups - sum : (double)NAN;
    default: /* computes IMBALANCE */
        return sum > 0 ? max * (double)n_groups / sum - 1 : (double)NAN;
    }
}

static double of_all(const struct value_list *l, enum aggregate aggregate)
{
    double sum = 0, squares = 0, max = -INFINITY, min = INFINITY;
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        double v = l->values[i].value;

        if (isnan(v))
            continue;
        n++;
        sum += v;
        max = v > max ? v : max;
        min = v < min ? v : min;
    }
    if (aggregate == AGGREGATE_N || aggregate == AGGREGATE_SUM)
        return aggregate == AGGREGATE_N ? (double)n : sum;
    if (!n)
        return NAN;
    for (size_t i = 0; i < l->n && aggregate == AGGREGATE_DEVIATION; i++)
        squares += isnan(l->values[i].value) ? 0 : pow(l->values[i].value - sum / (double)n, 2);
    return aggregate == AGGREGATE_MEAN  ? sum / (double)n
           : aggregate == AGGREGATE_MAX ? max
           : aggregate == AGGREGATE_MIN ? min
                                        : sqrt(squares / (double)(n > 1 ? n - 1 : 1));
}

double value_list_aggregate(struct value_list *l, enum aggregate aggregate)
{
    bool by_ordinal = aggregate == AGGREGATE_EXCESS || aggregate == AGGREGATE_LEAD;
    bool by_rank = aggregate == AGGREGATE_STATIC || aggregate == AGGREGATE_IMBALANCE ||
                   aggregate == AGGREGATE_FIRST || aggregate == AGGREGATE_LAST;
    struct group *groups;
    size_t n;
    double value;

    if (!by_ordinal && !by_rank)
        return of_all(l, aggregate);
    if (!(groups = make_groups(l, by_ordinal, &n))) {
        l->failed = true;
        return NAN;
    }
    value = of_groups(groups, n, aggregate);
    free(groups);
    return value;
}
