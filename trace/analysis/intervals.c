/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the order of waits, and for each wait the moment from which the two ranks are compared. */
#include "internal.h"

#include <portolan/index.h>

#include <stdlib.h>
#include <string.h>

/* Two locations, the lower first, and when they met last. */
struct location_pair {
    uint32_t low, high, at[2];
    int64_t ns;
};

struct interval_finder {
    const struct portolan_waits *w;
    const struct portolan_trace *t;
    uint32_t *order;
    struct wait_interval *intervals;
    struct location_pair *pairs;
    size_t n_pairs, pairs_room;
    struct portolan_index pair_index;
    uint32_t *cursors,
        *meetings; /* by location: the next event; MEETINGS: the last meeting of all ranks + 1 */
    bool no_memory;
};

/* ------------------------------------------------- order */

/*
 * The order: waits of a location are in order, and a wait also follows those waits of the causing
 * location that are before the call which ended it. Locations on the stack wait for the one above
 * them.
 */
struct order_stack {
    uint32_t *locations;
    size_t n;
    bool *is_on;
    size_t *next; /* next wait of each location */
};

/* Returns the location that must go on before location I can; SIZE_MAX: none. */
static size_t must_precede(const struct interval_finder *f, const struct order_stack *s, size_t i)
{
    uint32_t by = f->w->waits[s->next[i]].by;
    size_t p = portolan_trace_location_of(f->t, by);

    return p != i && !s->is_on[p] && s->next[p] < f->w->first_wait[p + 1] &&
                   f->w->waits[s->next[p]].call < by
               ? p
               : SIZE_MAX;
}

static void order_waits(struct interval_finder *f, struct order_stack *s)
{
    size_t n = 0;

    for (size_t i = 0; i < f->t->n_locations; i++)
        while (s->next[i] < f->w->first_wait[i + 1]) {
            s->locations[0] = (uint32_t)i;
            s->is_on[i] = true;
            for (s->n = 1; s->n;) {
                size_t top = s->locations[s->n - 1], p = must_precede(f, s, top);

                if (p != SIZE_MAX) {
                    s->locations[s->n++] = (uint32_t)p;
                    s->is_on[p] = true;
                    continue;
                }
                f->order[n++] = (uint32_t)s->next[top]++;
                s->is_on[top] = false;
                s->n--;
            }
        }
}

static bool find_order(struct interval_finder *f, struct portolan_arena *arena)
{
    size_t n = f->t->n_locations;
    struct order_stack s = {.locations = portolan_arena_alloc(arena, n + 1, sizeof *s.locations),
                            .is_on = portolan_arena_alloc(arena, n + 1, sizeof *s.is_on),
                            .next = portolan_arena_alloc(arena, n + 1, sizeof *s.next)};

    f->order = portolan_arena_alloc(arena, f->w->n_waits + 1, sizeof *f->order);
    if (arena->failed)
        return false;
    memcpy(s.next, f->w->first_wait, n * sizeof *s.next);
    order_waits(f, &s);
    return true;
}

/* ------------------------------------------------- when two locations met last */

/* Returns the pair of two locations; a new pair has met at the begin. NULL: no memory. */
static struct location_pair *find_pair(struct interval_finder *f, size_t a, size_t b)
{
    const uint32_t key[] = {(uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a)};
    size_t known = f->n_pairs;
    struct location_pair *pair = portolan_index_item(&f->pair_index, &f->pairs, &f->n_pairs,
                                                     &f->pairs_room, sizeof *pair, key, sizeof key);

    f->no_memory |= !pair;
    if (pair && f->n_pairs > known) {
        pair->at[0] = (uint32_t)f->t->locations[pair->low].first;
        pair->at[1] = (uint32_t)f->t->locations[pair->high].first;
    }
    return pair;
}

/* Returns whether all ranks met at a collective operation, and none left before the last came. */
static bool is_meeting_of_all(const struct interval_finder *f, const struct portolan_collective *c)
{
    if (!c->is_complete || c->n != (uint32_t)f->t->n_ranks || c->first_end_ns < c->last_ns)
        return false;
    switch (call_class(f->w->matching, c->last)) {
    case PORTOLAN_ROUTINE_BARRIER:
    case PORTOLAN_ROUTINE_N_TO_N:
    case PORTOLAN_ROUTINE_CREATE:
    case PORTOLAN_ROUTINE_FENCE:
    case PORTOLAN_ROUTINE_INIT:
        return true;
    default:
        return false;
    }
}

/* Proceeds to event END of a location, and notes where all ranks met. */
static void pass_meetings(struct interval_finder *f, size_t i, uint32_t end)
{
    const struct portolan_matching *m = f->w->matching;

    for (; f->cursors[i] < end; f->cursors[i]++) {
        uint32_t e = f->cursors[i];
        unsigned kind = f->t->events[e].kind;

        if ((kind == PORTOLAN_TRACE_COLLECTIVE || kind == PORTOLAN_TRACE_EPOCH ||
             kind == PORTOLAN_TRACE_BEGIN) &&
            m->partner[e] != no_event && is_meeting_of_all(f, &m->collectives[m->partner[e]]))
            f->meetings[i] = m->partner[e] + 1;
    }
}

/* Fills in the interval of wait W of location I for location P, and notes that they met. */
static void find_interval(struct interval_finder *f, size_t i, size_t p,
                          const struct portolan_wait *w, struct wait_interval *interval)
{
    const struct portolan_matching *m = f->w->matching;
    struct location_pair *pair = find_pair(f, i, p);
    const struct portolan_collective *all;
    bool side = i > p;
    uint32_t own, by;

    if (!pair)
        return;
    *interval = (struct wait_interval){pair->at[side], pair->at[!side], pair->ns};
    pass_meetings(f, i, w->from);
    if (f->meetings[i]) {
        all = &m->collectives[f->meetings[i] - 1];
        own = portolan_collective_call(m, all, f->t->locations[i].rank);
        by = portolan_collective_call(m, all, f->t->locations[p].rank);
        if (all->last_ns >= pair->ns && own != no_event && by != no_event && by < w->by &&
            portolan_trace_location_of(f->t, own) == i && portolan_trace_location_of(f->t, by) == p)
            *interval = (struct wait_interval){own, by, all->last_ns};
    }
    pair->at[side] = w->call;
    pair->at[!side] = w->by;
    pair->ns = w->begin_ns + w->ns;
}

static bool find_all_intervals(struct interval_finder *f, struct portolan_arena *arena)
{
    size_t n = f->t->n_locations;

    f->intervals = portolan_arena_alloc(arena, f->w->n_waits + 1, sizeof *f->intervals);
    f->cursors = portolan_arena_alloc(arena, n + 1, sizeof *f->cursors);
    f->meetings = portolan_arena_alloc(arena, n + 1, sizeof *f->meetings);
    if (arena->failed)
        return false;
    for (size_t i = 0; i < n; i++)
        f->cursors[i] = (uint32_t)f->t->locations[i].first;
    for (size_t k = 0; k < f->w->n_waits && !f->no_memory; k++) {
        const struct portolan_wait *wait = &f->w->waits[f->order[k]];

        find_interval(f, portolan_trace_location_of(f->t, wait->call),
                      portolan_trace_location_of(f->t, wait->by), wait, &f->intervals[f->order[k]]);
    }
    return !f->no_memory;
}

bool find_intervals(const struct portolan_waits *w, struct portolan_arena *arena, uint32_t **order,
                    struct wait_interval **intervals)
{
    struct interval_finder f = {.w = w, .t = w->trace};
    bool ok = find_order(&f, arena) && find_all_intervals(&f, arena);

    *order = f.order;
    *intervals = f.intervals;
    free(f.pairs);
    portolan_index_clear(&f.pair_index);
    return ok;
}
