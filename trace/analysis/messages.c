/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matches messages. For each communicator, source, destination and tag the sends are in a queue,
 * linked through `partner`, from which receives take them in the order of posting. Accesses to
 * windows are matched likewise: the k-th start of an origin for a target meets the k-th post of the
 * target for that origin.
 */
#include "internal.h"

#include <portolan/index.h>

#include <stdlib.h>

struct message_key {
    uint32_t what; /* index of the communicator; windows follow them */
    int source, destination, tag;
};

struct send_queue {
    struct message_key key;
    uint32_t first, last; /* events + 1; 0: none */
};

struct message_matcher {
    const struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct send_queue *queues;
    size_t n_queues, room;
    struct portolan_index index;
    bool no_memory;
};

/* Returns the queue of a key, new if needed; NULL: no memory. */
static struct send_queue *find_queue(struct message_matcher *x, const struct message_key *key)
{
    struct send_queue *q = portolan_index_item(&x->index, &x->queues, &x->n_queues, &x->room,
                                               sizeof *q, key, sizeof *key);

    x->no_memory |= !q;
    return q;
}

static void push_send(struct message_matcher *x, const struct message_key *key, uint32_t e)
{
    struct send_queue *q = find_queue(x, key);

    if (!q)
        return;
    if (q->first)
        x->matching->partner[q->last - 1] = e;
    else
        q->first = e + 1;
    q->last = e + 1;
}

static uint32_t take_send(struct message_matcher *x, const struct message_key *key)
{
    struct send_queue *q = find_queue(x, key);
    uint32_t e = q && q->first ? q->first - 1 : no_event;

    if (e != no_event)
        q->first = x->matching->partner[e] + 1; /* 0 after the last send */
    return e;
}

static bool is_cancelled(const struct message_matcher *x, uint32_t e)
{
    uint32_t done = x->matching->other[e];

    return done != no_event && x->trace->events[done].kind == PORTOLAN_TRACE_CANCELLED;
}

static struct message_key access_key(const struct message_matcher *x, uint32_t e, int origin,
                                     int target)
{
    uint32_t what = (uint32_t)x->trace->n_comms + x->trace->events[e].what;

    return (struct message_key){what, origin, target, 0};
}

static void queue_event(struct message_matcher *x, int rank, uint32_t e)
{
    const struct portolan_trace_event *event = &x->trace->events[e];
    struct message_key key = {event->what, rank, event->peer, event->tag};

    if (event->kind == PORTOLAN_TRACE_SEND && event->peer >= 0) {
        if (!is_cancelled(x, e))
            push_send(x, &key, e);
    } else if (event->kind == PORTOLAN_TRACE_ACCESS &&
               call_class(x->matching, x->matching->call[e]) == PORTOLAN_ROUTINE_WIN_START) {
        key = access_key(x, e, rank, event->peer);
        push_send(x, &key, e);
    }
}

static void receive_message(struct message_matcher *x, int rank, uint32_t post, uint32_t recv)
{
    struct portolan_matching *m = x->matching;
    const struct portolan_trace_event *event = &x->trace->events[recv];
    struct message_key key = {event->what, event->peer, rank, event->tag};
    uint32_t send = event->peer < 0 ? no_event : take_send(x, &key);

    m->partner[post] = m->partner[recv] = send;
    if (send != no_event) {
        m->partner[send] = recv;
        m->n_messages++;
        m->n_reversed +=
            event->kind == PORTOLAN_TRACE_RECV && event->ns < x->trace->events[send].ns;
    } else if (event->kind == PORTOLAN_TRACE_RECV && event->peer >= 0) {
        m->n_unmatched_recvs++;
    }
}

static void receive_event(struct message_matcher *x, int rank, uint32_t e)
{
    struct portolan_matching *m = x->matching;
    const struct portolan_trace_event *event = &x->trace->events[e];
    uint32_t other = m->other[e], access;
    struct message_key key;

    switch (event->kind) {
    case PORTOLAN_TRACE_RECV_POST:
        if (!is_cancelled(x, e))
            receive_message(x, rank, e, other == no_event ? e : other);
        return;
    case PORTOLAN_TRACE_RECV: /* else its posting took the send; without one, recording began
                               * late */
        if (!event->request || other == no_event)
            receive_message(x, rank, e, e);
        return;
    case PORTOLAN_TRACE_ACCESS:
        if (call_class(m, m->call[e]) != PORTOLAN_ROUTINE_WIN_POST)
            return;
        key = access_key(x, e, event->peer, rank);
        if ((access = take_send(x, &key)) != no_event) {
            m->partner[e] = access;
            m->partner[access] = e;
        }
        return;
    default:
        return;
    }
}

/* Removes the links between sends that were not received. */
static void drop_unmatched(struct message_matcher *x)
{
    for (size_t i = 0; i < x->n_queues; i++)
        for (uint32_t e = x->queues[i].first - 1, next; e != no_event; e = next) {
            next = x->matching->partner[e];
            x->matching->partner[e] = no_event;
            x->matching->n_unmatched_sends += x->trace->events[e].kind == PORTOLAN_TRACE_SEND;
        }
}

bool match_messages(struct portolan_matching *m)
{
    const struct portolan_trace *t = m->trace;
    struct message_matcher x = {.trace = t, .matching = m};

    for (size_t i = 0; i < t->n_locations; i++)
        for (size_t e = t->locations[i].first; e < t->locations[i].first + t->locations[i].n; e++)
            queue_event(&x, t->locations[i].rank, (uint32_t)e);
    for (size_t i = 0; i < t->n_locations; i++)
        for (size_t e = t->locations[i].first; e < t->locations[i].first + t->locations[i].n; e++)
            receive_event(&x, t->locations[i].rank, (uint32_t)e);
    drop_unmatched(&x);
    free(x.queues);
    portolan_index_clear(&x.index);
    return !x.no_memory;
}
