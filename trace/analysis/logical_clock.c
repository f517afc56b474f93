/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The controlled logical clock (Rabenseifner 1997; for collectives: Becker, Rabenseifner, Wolf and
 * Linford 2009). An event that comes too early is moved behind what it waits for. What follows is
 * moved less and less, until the own clock is reached again.
 */
#include "clocks.h"

#include <string.h>

/* Intervals after a moved event become shorter by this share. */
#define CONTROL 0.01

enum meeting_kind meeting_kind_of(const struct portolan_matching *m,
                                  const struct portolan_collective *c)
{
    const struct portolan_trace *t = m->trace;
    uint32_t first = c->n ? m->members[c->first] : no_event;
    uint32_t call = first == no_event || t->events[first].kind != PORTOLAN_TRACE_COLLECTIVE
                        ? no_event
                        : m->call[first];
    const char *routine = call == no_event ? "?" : t->routines[t->events[call].what];
    char end = routine[strlen(routine) - 1];

    if (!c->is_complete || c->is_window || call == no_event || t->comms[c->what].n_remote)
        return MEETING_NONE;
    if (m->classes[t->events[call].what] == PORTOLAN_ROUTINE_BARRIER)
        return MEETING_ALL;
    if (end == 'v' || end == 'w' || !t->events[first].bytes)
        return MEETING_NONE;
    switch ((enum portolan_trace_routine_class)m->classes[t->events[call].what]) {
    case PORTOLAN_ROUTINE_N_TO_N:
        return MEETING_ALL;
    case PORTOLAN_ROUTINE_ONE_TO_N:
        return t->events[first].peer >= 0 ? MEETING_FROM_ROOT : MEETING_NONE;
    case PORTOLAN_ROUTINE_N_TO_ONE:
        return t->events[first].peer >= 0 ? MEETING_TO_ROOT : MEETING_NONE;
    default:
        return MEETING_NONE;
    }
}

/* A collective while locations go through it. */
struct meeting {
    uint32_t kind, n_missing; /* of those who send */
    int64_t last_enter;
};

/* How far a location is. */
struct walker {
    uint32_t at, end;
    int64_t was, now;    /* time of the event before, recorded and corrected */
    uint32_t collective; /* that the running call belongs to */
    uint32_t awaited;    /* collective that it waits for */
    bool is_queued;
};

struct logical_clock {
    struct portolan_trace *t;
    const struct portolan_matching *m;
    const uint32_t *clock_of;
    int64_t transit_ns; /* the least that a message takes between two clocks */
    struct meeting *meetings;
    struct walker *walkers;
    uint32_t *queue; /* locations that may go on */
    size_t n_queued;
};

/* Within a host, where clocks agree; between hosts it takes at least as long. */
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

static void set_meetings(struct logical_clock *x)
{
    for (size_t i = 0; i < x->m->n_collectives; i++) {
        const struct portolan_collective *c = &x->m->collectives[i];
        enum meeting_kind kind = meeting_kind_of(x->m, c);

        x->meetings[i] = (struct meeting){.kind = kind,
                                          .n_missing = kind == MEETING_ALL         ? c->n
                                                       : kind == MEETING_FROM_ROOT ? 1
                                                                                   : c->n - 1,
                                          .last_enter = INT64_MIN};
    }
}

static bool is_root(const struct logical_clock *x, size_t location, uint32_t e)
{
    return x->t->locations[location].rank == x->t->events[e].peer;
}

static void enqueue(struct logical_clock *x, size_t location)
{
    if (x->walkers[location].is_queued)
        return;
    x->walkers[location].is_queued = true;
    x->queue[x->n_queued++] = (uint32_t)location;
}

/* The collective that E, of LOCATION, leaves and that holds it up; none: there is none. */
static uint32_t meeting_left(const struct logical_clock *x, size_t location, uint32_t e)
{
    const struct portolan_trace_event *event = &x->t->events[e];
    uint32_t member = no_event, c;

    if (event->kind == PORTOLAN_TRACE_COLLECTIVE_DONE)
        member = x->m->other[e];
    else if (event->kind == PORTOLAN_TRACE_END)
        member = x->walkers[location].collective;
    c = member == no_event ? no_event : x->m->partner[member];
    return c != no_event && meeting_receives(x->meetings[c].kind, is_root(x, location, member)) &&
                   x->meetings[c].kind != MEETING_NONE
               ? c
               : no_event;
}

/* *LEAST: when E may happen at the earliest. False: what it waits for is not known yet. */
static bool is_ready(struct logical_clock *x, size_t location, uint32_t e, uint32_t left,
                     int64_t *least)
{
    const struct portolan_trace_event *event = &x->t->events[e];
    uint32_t send = event->kind == PORTOLAN_TRACE_RECV ? x->m->partner[e] : no_event;

    if (left != no_event) {
        *least = x->meetings[left].last_enter;
        return !x->meetings[left].n_missing;
    }
    if (send != no_event) {
        size_t from = portolan_trace_location_of(x->t, send);

        *least = x->t->events[send].ns +
                 (x->clock_of[from] == x->clock_of[location] ? 0 : x->transit_ns);
        return x->walkers[from].at > send || from == location;
    }
    return true;
}

/* E, which has its time now, lets others go on. */
static void release(struct logical_clock *x, size_t location, uint32_t e)
{
    const struct portolan_trace_event *event = &x->t->events[e];
    uint32_t partner = x->m->partner[e];
    struct meeting *meeting;

    if (partner == no_event)
        return;
    if (event->kind == PORTOLAN_TRACE_SEND) {
        size_t to = portolan_trace_location_of(x->t, partner);

        if (x->walkers[to].at == partner)
            enqueue(x, to);
    }
    if (event->kind != PORTOLAN_TRACE_COLLECTIVE)
        return;
    if (!event->request)
        x->walkers[location].collective = e;
    meeting = &x->meetings[partner];
    if (!meeting_sends(meeting->kind, is_root(x, location, e)) || !meeting->n_missing)
        return;
    if (x->t->events[meeting_enter(x->m, e)].ns > meeting->last_enter)
        meeting->last_enter = x->t->events[meeting_enter(x->m, e)].ns;
    if (--meeting->n_missing == 0)
        for (uint32_t k = 0; k < x->m->collectives[partner].n; k++) {
            uint32_t member = x->m->members[x->m->collectives[partner].first + k];
            size_t of = portolan_trace_location_of(x->t, member);

            if (x->walkers[of].awaited == partner)
                enqueue(x, of);
        }
}

/* The next event's time: at LEAST if that is later than its own. */
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
    if (event->kind == PORTOLAN_TRACE_END)
        w->collective = no_event;
    release(x, location, w->at++);
}

/* As far as LOCATION can go; IS_FORCED: its next event waits for nothing. */
static void walk(struct logical_clock *x, size_t location, bool is_forced)
{
    struct walker *w = &x->walkers[location];

    for (w->awaited = no_event; w->at < w->end; is_forced = false) {
        int64_t least = INT64_MIN;
        uint32_t left = meeting_left(x, location, w->at);

        if (!is_ready(x, location, w->at, left, &least)) {
            w->awaited = left;
            if (!is_forced)
                return;
            least = INT64_MIN;
        }
        set_time(x, location, least);
    }
}

/* Who waits for each other in a ring, as no run does, is not held up. */
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
        .meetings = portolan_arena_alloc(&arena, m->n_collectives, sizeof *x.meetings),
        .walkers = portolan_arena_alloc(&arena, t->n_locations, sizeof *x.walkers),
        .queue = portolan_arena_alloc(&arena, t->n_locations, sizeof *x.queue)};
    bool ok = !arena.failed;

    if (ok) {
        x.transit_ns = least_transit(&x);
        set_meetings(&x);
        for (size_t i = 0; i < t->n_locations; i++)
            x.walkers[i] =
                (struct walker){.at = (uint32_t)t->locations[i].first,
                                .end = (uint32_t)(t->locations[i].first + t->locations[i].n),
                                .collective = no_event,
                                .awaited = no_event};
        walk_all(&x);
    }
    portolan_arena_clear(&arena);
    return ok;
}
