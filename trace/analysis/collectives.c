/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches collectives: the k-th collective of each member of a communicator is one operation. */
#include "internal.h"

#include <portolan/list.h>

/* Communicators, windows, and MPI's begin and end: members count operations alike. */
struct meeting_groups {
    const struct portolan_trace *t;
    struct portolan_matching *m;
    size_t n;
    uint32_t *ordinals; /* number of the next operation of the present rank */
    int *ranks;         /* rank + 1 for which the ordinal counts */
    uint32_t *most;     /* the most operations of any rank; later the first of the group */
};

/* Returns the group that meets at event E; SIZE_MAX: none. */
static size_t group_of(const struct meeting_groups *g, uint32_t e)
{
    const struct portolan_trace *t = g->t;
    const struct portolan_trace_event *event = &t->events[e];
    enum portolan_trace_routine_class class;

    if (event->kind != PORTOLAN_TRACE_BEGIN && event->kind != PORTOLAN_TRACE_COLLECTIVE &&
        event->kind != PORTOLAN_TRACE_EPOCH)
        return SIZE_MAX;
    class = call_class(g->m, call_at(g->m, e));
    if (class == PORTOLAN_ROUTINE_INIT || class == PORTOLAN_ROUTINE_FINALIZE)
        return event->kind == PORTOLAN_TRACE_BEGIN
                   ? t->n_comms + t->n_windows + (class == PORTOLAN_ROUTINE_FINALIZE)
                   : SIZE_MAX;
    if (event->kind == PORTOLAN_TRACE_COLLECTIVE && event->what < t->n_comms)
        return event->what;
    if (event->kind == PORTOLAN_TRACE_EPOCH && event->what < t->n_windows &&
        (class == PORTOLAN_ROUTINE_FENCE || class == PORTOLAN_ROUTINE_CREATE))
        return t->n_comms + event->what;
    return SIZE_MAX;
}

/* Stores the ordinal of each event in `partner`. */
static void count_ordinals(struct meeting_groups *g)
{
    const struct portolan_trace *t = g->t;
    struct portolan_matching *m = g->m;

    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];

        for (uint32_t e = (uint32_t)l->first; e < l->first + l->n; e++) {
            size_t at = group_of(g, e);

            if (at == SIZE_MAX)
                continue;
            if (g->ranks[at] != l->rank + 1) {
                g->ranks[at] = l->rank + 1;
                g->ordinals[at] = 0;
            }
            m->partner[e] = g->ordinals[at]++;
            if (g->most[at] < g->ordinals[at])
                g->most[at] = g->ordinals[at];
            m->n_members++;
        }
    }
    for (size_t at = 0; at < g->n; at++) {
        uint32_t n = g->most[at];

        g->most[at] = (uint32_t)m->n_collectives;
        m->n_collectives += n;
    }
}

static void put_members(const struct meeting_groups *g)
{
    const struct portolan_trace *t = g->t;
    struct portolan_matching *m = g->m;
    uint32_t first = 0;

    for (uint32_t e = 0; e < t->n_events; e++) {
        struct portolan_collective *c;
        size_t at;

        if (m->partner[e] == no_event)
            continue;
        at = group_of(g, e);
        m->partner[e] += g->most[at];
        c = &m->collectives[m->partner[e]];
        c->n++;
        c->is_window = at >= t->n_comms && at < t->n_comms + t->n_windows;
        c->what = t->events[e].kind == PORTOLAN_TRACE_BEGIN ? 0 : t->events[e].what;
    }
    for (size_t i = 0; i < m->n_collectives; i++) {
        m->collectives[i].first = first;
        first += m->collectives[i].n;
        m->collectives[i].n = 0;
    }
    for (uint32_t e = 0; e < t->n_events; e++)
        if (m->partner[e] != no_event) {
            struct portolan_collective *c = &m->collectives[m->partner[e]];

            m->members[c->first + c->n++] = e;
        }
}

/* Checks that all members call the same routine: one that differs did not meet the others. */
static void check_members(struct portolan_matching *m)
{
    const struct portolan_trace *t = m->trace;

    for (size_t i = 0; i < m->n_collectives; i++) {
        struct portolan_collective *c = &m->collectives[i];
        const struct portolan_trace_comm *group =
            c->is_window ? &t->windows[c->what] : &t->comms[c->what];
        uint32_t first = c->n ? call_at(m, m->members[c->first]) : no_event;

        c->is_complete = c->n == group->n_members + group->n_remote && first != no_event;
        c->last = first;
        c->last_ns = INT64_MIN;
        c->first_end_ns = INT64_MAX;
        for (uint32_t k = 0; k < c->n; k++) {
            uint32_t call = call_at(m, m->members[c->first + k]);

            if (call == no_event || t->events[call].what != t->events[first].what) {
                c->is_complete = false;
                break;
            }
            if (t->events[call].ns > c->last_ns) {
                c->last = call;
                c->last_ns = t->events[call].ns;
            }
            if (t->events[m->call[call]].ns < c->first_end_ns)
                c->first_end_ns = t->events[m->call[call]].ns;
        }
        m->n_incomplete += !c->is_complete;
    }
}

/* Returns the first location of RANK or a higher one; at once if each rank has one. */
static size_t location_of_rank(const struct portolan_trace *t, int rank)
{
    size_t low = 0, high = t->n_locations;

    if ((size_t)rank < high && t->locations[rank].rank == rank &&
        (!rank || t->locations[rank - 1].rank != rank))
        return (size_t)rank;
    PORTOLAN_BISECT(low, high, t->locations[middle].rank < rank);
    return low;
}

uint32_t collective_slot(const struct portolan_matching *m, const struct portolan_collective *c,
                         int rank)
{
    const struct portolan_trace *t = m->trace;
    size_t location = location_of_rank(t, rank);
    uint32_t low = c->first, high = c->first + c->n;

    if (rank < 0 || location == t->n_locations || t->locations[location].rank != rank)
        return no_event;
    if ((size_t)rank < c->n && /* in a communicator of all ranks, it is at its own index */
        m->members[low + (uint32_t)rank] - t->locations[location].first < t->locations[location].n)
        return low + (uint32_t)rank;
    PORTOLAN_BISECT(low, high, m->members[middle] < t->locations[location].first);
    return low < c->first + c->n &&
                   t->locations[portolan_trace_location_of(t, m->members[low])].rank == rank
               ? low
               : no_event;
}

uint32_t portolan_collective_call(const struct portolan_matching *matching,
                                  const struct portolan_collective *collective, int rank)
{
    uint32_t slot = collective_slot(matching, collective, rank);

    return slot == no_event ? no_event : call_at(matching, matching->members[slot]);
}

/* Persistent collectives (POST) cannot be distinguished, so no rank waits for those with a root. */
enum portolan_awaited portolan_awaited(const struct portolan_matching *matching, uint32_t e,
                                       int rank, const int **ranks, size_t *n)
{
    const struct portolan_trace *trace = matching->trace;
    const struct portolan_trace_event *event = &trace->events[e];
    uint32_t call = call_at(matching, e), meeting = matching->partner[e];
    const struct portolan_trace_comm *comm;
    size_t place;

    if (meeting == no_event || call == no_event || !matching->collectives[meeting].is_complete)
        return PORTOLAN_AWAITS_NOBODY;
    if (event->kind != PORTOLAN_TRACE_COLLECTIVE)
        return event->kind == PORTOLAN_TRACE_EPOCH ? PORTOLAN_AWAITS_ALL_IF_MET
                                                   : PORTOLAN_AWAITS_ALL;
    comm = &trace->comms[event->what];
    switch (call_class(matching, call)) {
    case PORTOLAN_ROUTINE_BARRIER:
    case PORTOLAN_ROUTINE_N_TO_N:
        return PORTOLAN_AWAITS_ALL;
    case PORTOLAN_ROUTINE_CREATE:
        return PORTOLAN_AWAITS_ALL_IF_MET;
    case PORTOLAN_ROUTINE_POST:
        return event->peer == PORTOLAN_TRACE_NONE ? PORTOLAN_AWAITS_ALL : PORTOLAN_AWAITS_NOBODY;
    case PORTOLAN_ROUTINE_N_TO_ONE:
        return event->peer == rank ? PORTOLAN_AWAITS_ALL : PORTOLAN_AWAITS_NOBODY;
    case PORTOLAN_ROUTINE_ONE_TO_N:
        *ranks = &event->peer;
        *n = event->peer != rank;
        return PORTOLAN_AWAITS_RANKS;
    case PORTOLAN_ROUTINE_SCAN:
        *ranks = comm->members;
        *n = portolan_trace_place(comm->members, comm->n_members, rank);
        return PORTOLAN_AWAITS_RANKS;
    case PORTOLAN_ROUTINE_NEIGHBOUR:
        place = portolan_trace_place(comm->members, comm->n_members, rank);
        if (!comm->neighbours || place == comm->n_members)
            return PORTOLAN_AWAITS_NOBODY;
        *ranks = comm->neighbours + comm->first_neighbour[place];
        *n = comm->first_neighbour[place + 1] - comm->first_neighbour[place];
        return PORTOLAN_AWAITS_RANKS;
    default:
        return PORTOLAN_AWAITS_NOBODY;
    }
}

bool match_collectives(struct portolan_matching *m)
{
    const struct portolan_trace *t = m->trace;
    struct meeting_groups g = {.t = t, .m = m, .n = t->n_comms + t->n_windows + 2};

    g.ordinals = portolan_arena_alloc(&m->arena, g.n, sizeof *g.ordinals);
    g.ranks = portolan_arena_alloc(&m->arena, g.n, sizeof *g.ranks);
    g.most = portolan_arena_alloc(&m->arena, g.n, sizeof *g.most);
    if (m->arena.failed)
        return false;
    count_ordinals(&g);
    m->collectives = portolan_arena_alloc(&m->arena, m->n_collectives, sizeof *m->collectives);
    m->members = portolan_arena_alloc(&m->arena, m->n_members, sizeof *m->members);
    if (m->arena.failed)
        return false;
    put_members(&g);
    check_members(m);
    return true;
}
