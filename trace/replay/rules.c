/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says who waits for whom (MPI 4.0, chapters 3, 6 and 12).
 *
 * A call waits for each of its events, and as a call (its BEGIN). Each rule finds the calls of
 * other locations that must have begun, and from their times computes when what it waits for was
 * ready, by the new times and by those of the trace; the difference of the latter to the call's end
 * is the excess. If a call has not begun yet, the location is put into the list at that call, and
 * tries again when it begins.
 */
#include "engine.h"

#include <portolan/list.h>

#include <math.h>

int64_t message_ns(const struct portolan_costs *costs, uint64_t bytes)
{
    double ns = costs->ns_per_byte * (double)bytes;

    return costs->latency_ns +
           (ns < (double)PORTOLAN_TRACE_MOST_NS ? llround(ns) : PORTOLAN_TRACE_MOST_NS);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Puts a location that will be woken into a chain of those that wait for one thing. */
static void note_waiting(struct engine *x, size_t i, uint32_t *head)
{
    x->locations[i].next_waiting = *head;
    *head = (uint32_t)i + 1;
}

/* Returns whether CALL has begun, or I ignores it; else I is noted in the place of its time. */
static bool has_begun(struct engine *x, size_t i, uint32_t call)
{
    uint32_t head;

    if (x->locations[i].ignores || x->ns[call] >= 0 || x->ns[call] == DROPPED)
        return true;
    head = x->ns[call] <= FIRST_WAITING ? (uint32_t)(FIRST_WAITING - x->ns[call]) + 1 : 0;
    note_waiting(x, i, &head);
    x->ns[call] = FIRST_WAITING - (int64_t)(head - 1);
    return false;
}

/* Notes that what is awaited came at NEW, in the trace at WAS, from a call that began at BEGAN. */
static void was_ready(struct engine *x, size_t i, int64_t new, int64_t was, int64_t began)
{
    struct engine_location *l = &x->locations[i];

    if (!l->ignores) {
        l->ready = later(l->ready, new);
        l->least = later(l->least, began);
    }
    if (x->waits)
        l->ready_was = later(l->ready_was, was + x->recording_ns);
}

/* Lets I wait for the begin of CALL. */
static bool await_begin(struct engine *x, size_t i, uint32_t call)
{
    if (!has_begun(x, i, call))
        return false;
    was_ready(x, i, x->ns[call], x->trace->events[call].ns, x->ns[call]);
    return true;
}

static bool is_changed(const struct engine *x, uint32_t e, enum engine_change change)
{
    return x->changes && (x->changes[e] & change);
}

/* Returns whether a send ends only when the message has been received. */
static bool is_synchronous(const struct engine *x, uint32_t send)
{
    uint32_t call = x->matching->call[send];
    int kind = call == PORTOLAN_NO_EVENT ? 0 : x->synchronous[x->trace->events[call].what];

    return kind > 0 || (kind == 0 && x->trace->events[send].bytes > x->costs_was.eager_bytes);
}

static uint64_t bytes_of(const struct engine *x, uint32_t send)
{
    size_t low = 0, high = x->n_joined;

    if (!is_changed(x, send, CHANGE_JOINED))
        return x->trace->events[send].bytes;
    PORTOLAN_BISECT(low, high, x->joined[middle].send < send);
    return x->joined[low].bytes;
}

/* Returns a message's arrival: after it was sent; if synchronous, after both sides were there. */
static int64_t arrival(const struct engine *x, uint32_t send, uint32_t recv, bool is_new)
{
    uint32_t from = x->matching->call[send], to = portolan_posting_call(x->matching, recv);
    const struct portolan_trace_event *events = x->trace->events;
    int64_t sent = is_new ? x->ns[from] : events[from].ns;
    int64_t posted = is_new ? x->ns[to] : events[to].ns;

    return (is_synchronous(x, send) ? later(sent, posted) : sent) +
           message_ns(is_new ? &x->costs : &x->costs_was,
                      is_new ? bytes_of(x, send) : events[send].bytes);
}

/* Waits for a partner in a scenario, if there is none yet. */
static bool await_match(struct engine *x, size_t i, uint32_t e)
{
    if (x->queues && x->trace->events[e].peer != PORTOLAN_TRACE_NONE)
        x->locations[i].awaits_match = true;
    return !x->locations[i].awaits_match;
}

/* Waits for the other side of a message, of which E is one. */
static bool await_message(struct engine *x, size_t i, uint32_t e, bool is_send)
{
    uint32_t partner = x->partner[e], was = x->matching->partner[e];
    uint32_t send = is_send ? e : partner, recv = is_send ? partner : e, from, to;

    if (partner == PORTOLAN_NO_EVENT)
        return await_match(x, i, e);
    from = x->matching->call[send];
    to = portolan_posting_call(x->matching, recv);
    if (from == PORTOLAN_NO_EVENT || to == PORTOLAN_NO_EVENT)
        return true;
    if (!has_begun(x, i, is_send ? to : from))
        return false;
    was_ready(x, i, arrival(x, send, recv, true),
              is_send ? arrival(x, e, was, false) : arrival(x, was, e, false),
              x->ns[is_send ? to : from]);
    return true;
}

static bool await_sent(struct engine *x, size_t i, uint32_t send)
{
    return !is_synchronous(x, send) || await_message(x, i, send, true);
}

/* ------------------------------------------------- collectives */

void engine_arrive(struct engine *x, uint32_t e, int64_t ns)
{
    uint32_t meeting = x->matching->partner[e];
    struct engine_meeting *g = &x->meetings[meeting];

    g->last = later(g->last, ns);
    if (++g->n < x->matching->collectives[meeting].n)
        return;
    for (uint32_t i = g->waiting; i; i = x->locations[i - 1].next_waiting)
        engine_wake(x, i - 1);
    g->waiting = 0;
}

static bool await_all(struct engine *x, size_t i, uint32_t meeting, bool must_overlap)
{
    struct engine_meeting *g = &x->meetings[meeting];
    const struct portolan_collective *c = &x->matching->collectives[meeting];

    if (!x->locations[i].ignores && g->n < c->n) {
        note_waiting(x, i, &g->waiting);
        return false;
    }
    if (!must_overlap || !x->waits || c->first_end_ns >= c->last_ns)
        was_ready(x, i, g->last, c->last_ns, g->last);
    return true;
}

static bool await_members(struct engine *x, size_t i, const struct portolan_collective *c,
                          const int *ranks, size_t n)
{
    int own = x->trace->locations[i].rank;

    for (size_t k = 0; k < n; k++) {
        uint32_t call = ranks[k] == own ? PORTOLAN_NO_EVENT
                                        : portolan_collective_call(x->matching, c, ranks[k]);

        if (call != PORTOLAN_NO_EVENT && !await_begin(x, i, call))
            return false;
    }
    return true;
}

/* Waits for a collective operation, of which E is an event here or in the call that posted it. */
static bool await_collective(struct engine *x, size_t i, uint32_t e)
{
    uint32_t meeting = x->matching->partner[e];
    const int *ranks;
    size_t n;
    enum portolan_awaited who =
        portolan_awaited(x->matching, e, x->trace->locations[i].rank, &ranks, &n);

    if (who == PORTOLAN_AWAITS_RANKS)
        return await_members(x, i, &x->matching->collectives[meeting], ranks, n);
    return who == PORTOLAN_AWAITS_NOBODY ||
           await_all(x, i, meeting, who == PORTOLAN_AWAITS_ALL_IF_MET);
}

/* ------------------------------------------------- windows */

/* Waits, for each access that CALL named, for the call on the other side, or for what ends that. */
static bool await_accesses(struct engine *x, size_t i, uint32_t call, bool is_their_end)
{
    for (uint32_t e = call + 1; e < x->matching->call[call]; e++) {
        uint32_t access = x->matching->partner[e], far;

        if (x->trace->events[e].kind != PORTOLAN_TRACE_ACCESS || access == PORTOLAN_NO_EVENT)
            continue;
        far = is_their_end ? x->matching->other[access] : x->matching->call[access];
        if (far != PORTOLAN_NO_EVENT && !await_begin(x, i, far))
            return false;
    }
    return true;
}

static bool await_epoch(struct engine *x, size_t i, uint32_t e)
{
    uint32_t opened = x->matching->other[e];

    switch (class_of(x, x->locations[i].call)) {
    case PORTOLAN_ROUTINE_FENCE:
    case PORTOLAN_ROUTINE_CREATE:
        return await_collective(x, i, e);
    case PORTOLAN_ROUTINE_WIN_COMPLETE:
        return opened == PORTOLAN_NO_EVENT || await_accesses(x, i, opened, false);
    case PORTOLAN_ROUTINE_WIN_WAIT:
        return opened == PORTOLAN_NO_EVENT || await_accesses(x, i, opened, true);
    default:
        return true;
    }
}

/* Returns whether only the trace shows what a call in CLASS, with STATE, waited for. */
static bool is_seen_only(enum portolan_trace_routine_class class, unsigned state)
{
    return class == PORTOLAN_ROUTINE_PROBE || class == PORTOLAN_ROUTINE_WIN_START ||
           class == PORTOLAN_ROUTINE_TRANSFER || state == PORTOLAN_WAIT_FULL_BUFFER;
}

/* Waits for what the call as such awaits: MPI's begin and end, or what the trace shows. */
static bool await_call(struct engine *x, size_t i, uint32_t call)
{
    size_t at = x->locations[i].wait;
    const struct portolan_wait *wait;

    if (x->matching->partner[call] != PORTOLAN_NO_EVENT)
        return await_collective(x, i, call);
    if (!x->waits || at == x->waits->first_wait[i + 1])
        return true;
    wait = &x->waits->waits[at];
    if (wait->call != call || !is_seen_only(class_of(x, call), wait->state))
        return true;
    /* fewer messages do not fill buffers, and an ideal network has unlimited ones */
    x->locations[i].ignores |=
        wait->state == PORTOLAN_WAIT_FULL_BUFFER && (x->n_joined || x->is_ideal);
    return await_begin(x, i, wait->by);
}

bool engine_await(struct engine *x, size_t i, uint32_t e)
{
    const struct portolan_trace_event *event = &x->trace->events[e];
    uint32_t other = x->matching->other[e];

    x->locations[i].ignores =
        is_changed(x, x->locations[i].call, CHANGE_INDEPENDENT) || is_changed(x, e, CHANGE_LOCAL);
    switch (event->kind) {
    case PORTOLAN_TRACE_BEGIN:
        return await_call(x, i, e);
    case PORTOLAN_TRACE_RECV:
        return await_message(x, i, e, false);
    case PORTOLAN_TRACE_SEND:
        return event->request || await_sent(x, i, e);
    case PORTOLAN_TRACE_SEND_DONE:
        return other == PORTOLAN_NO_EVENT || await_sent(x, i, other);
    case PORTOLAN_TRACE_COLLECTIVE:
        return event->request || await_collective(x, i, e);
    case PORTOLAN_TRACE_COLLECTIVE_DONE:
        return other == PORTOLAN_NO_EVENT || await_collective(x, i, other);
    case PORTOLAN_TRACE_EPOCH:
        return await_epoch(x, i, e);
    default:
        return true;
    }
}
