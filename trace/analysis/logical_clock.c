/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The controlled logical clock (Rabenseifner 1997).
 *
 * Events are passed in an order in which each receive follows its send. If a receive is earlier
 * than its send plus the least transit time, it is moved to that time. The events after it are
 * moved, too, so that the intervals between them stay almost the same: each interval is shortened
 * by a small share until the location's own clock is reached again. So one early event does not
 * compress the work after it to nothing.
 */
#include "internal.h"

/* Share by which intervals after a moved event are shortened. */
#define CONTROL 0.01

/* The progress of a location. */
struct walker {
    uint32_t at, end;
    int64_t was, now; /* time of the previous event: WAS: recorded, NOW: corrected */
    bool is_queued;
};

struct logical_clock {
    struct portolan_trace *t;
    const struct portolan_matching *m;
    const uint32_t *clock_of;
    int64_t transit_ns; /* the least time that a message takes between two clocks */
    struct walker *walkers;
    uint32_t *queue; /* locations that may go on */
    size_t n_queued;
};

/* Returns the least transit time within hosts; between hosts it is at least as long. */
static int64_t least_transit(const struct logical_clock *x)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < x->t->n_locations; i++)
        for (size_t k = 0; k < x->t->locations[i].n; k++) {
            uint32_t e = (uint32_t)(x->t->locations[i].first + k), send = x->m->partner[e];
            const struct portolan_trace_event *event = &x->t->events[e];

            if (event->kind == PORTOLAN_TRACE_RECV && send != no_event &&
                x->clock_of[i] == x->clock_of[portolan_trace_location_of(x->t, send)] &&
                event->ns >= x->t->events[send].ns && event->ns - x->t->events[send].ns < least)
                least = event->ns - x->t->events[send].ns;
        }
    return least == INT64_MAX ? 0 : least;
}

static void enqueue(struct logical_clock *x, size_t location)
{
    if (x->walkers[location].is_queued)
        return;
    x->walkers[location].is_queued = true;
    x->queue[x->n_queued++] = (uint32_t)location;
}

/* Finds *LEAST, the earliest time of E. False: what it waits for is not known yet. */
static bool is_ready(const struct logical_clock *x, size_t location, uint32_t e, int64_t *least)
{
    uint32_t send = x->t->events[e].kind == PORTOLAN_TRACE_RECV ? x->m->partner[e] : no_event;
    size_t from;

    if (send == no_event)
        return true;
    from = portolan_trace_location_of(x->t, send);
    *least =
        x->t->events[send].ns + (x->clock_of[from] == x->clock_of[location] ? 0 : x->transit_ns);
    return x->walkers[from].at > send || from == location;
}

/* Lets the receiver of E, whose time is known now, go on. */
static void release(struct logical_clock *x, uint32_t e)
{
    uint32_t recv = x->t->events[e].kind == PORTOLAN_TRACE_SEND ? x->m->partner[e] : no_event;
    size_t to = recv == no_event ? 0 : portolan_trace_location_of(x->t, recv);

    if (recv != no_event && x->walkers[to].at == recv)
        enqueue(x, to);
}

/* Sets the next event's time: LEAST if that is later than its own. */
static void set_time(struct logical_clock *x, size_t location, int64_t least)
{
    struct walker *w = &x->walkers[location];
    struct portolan_trace_event *event = &x->t->events[w->at];
    int64_t own = event->ns,
            follows = w->now + (own - w->was) - (int64_t)((double)(own - w->was) * CONTROL);

    if (w->at != x->t->locations[location].first && follows > event->ns)
        event->ns = follows;
    if (least > event->ns)
        event->ns = least;
    w->was = own;
    w->now = event->ns;
    release(x, w->at++);
}

/* Walks as far as LOCATION can go; IS_FORCED: its next event waits for nothing. */
static void walk(struct logical_clock *x, size_t location, bool is_forced)
{
    struct walker *w = &x->walkers[location];

    for (; w->at < w->end; is_forced = false) {
        int64_t least = INT64_MIN;

        if (!is_ready(x, location, w->at, &least) && !is_forced)
            return;
        set_time(x, location, is_forced ? INT64_MIN : least);
    }
}

/* Walks all locations; forces on those that wait for each other in a circle, as in no run. */
static void walk_all(struct logical_clock *x)
{
    for (size_t i = x->t->n_locations; i-- > 0;)
        enqueue(x, i);
    for (size_t i = 0; i < x->t->n_locations;) {
        if (x->n_queued) {
            uint32_t location = x->queue[--x->n_queued];

            x->walkers[location].is_queued = false;
            walk(x, location, false);
        } else if (x->walkers[i].at < x->walkers[i].end) {
            walk(x, i, true);
        } else {
            i++;
        }
    }
}

bool correct_logically(struct portolan_trace *t, const struct portolan_matching *m,
                       const uint32_t *clock_of)
{
    struct portolan_arena arena = {0};
    struct logical_clock x = {
        .t = t,
        .m = m,
        .clock_of = clock_of,
        .walkers = portolan_arena_alloc(&arena, t->n_locations, sizeof *x.walkers),
        .queue = portolan_arena_alloc(&arena, t->n_locations, sizeof *x.queue)};
    bool ok = !arena.failed;

    if (ok) {
        x.transit_ns = least_transit(&x);
        for (size_t i = 0; i < t->n_locations; i++)
            x.walkers[i] =
                (struct walker){.at = (uint32_t)t->locations[i].first,
                                .end = (uint32_t)(t->locations[i].first + t->locations[i].n)};
        walk_all(&x);
    }
    portolan_arena_clear(&arena);
    return ok;
}
