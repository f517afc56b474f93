/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends meet receives. For each communicator, source, destination and tag the sends stand in a
 * queue, linked through `partner`, until the receives take them out in the order of posting.
 * Accesses to windows are matched likewise: the k-th start of an origin for a target meets the
 * k-th post of the target for that origin.
 */
#include "internal.h"

#include <portolan/index.h>
#include <portolan/list.h>

#include <stdlib.h>

struct message_key {
    uint32_t what; /* communicator; windows come after them */
    int source, destination, tag;
};

struct send_queue {
    struct message_key key;
    uint32_t first, last;
};

struct message_matcher {
    const struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct send_queue *queues;
    size_t n_queues, room;
    struct portolan_index index;
};

/* What is looked for: the index knows positions only. */
struct wanted_queue {
    const struct message_matcher *matcher;
    struct message_key key;
};

static bool same_queue(const void *arg, size_t i)
{
    const struct wanted_queue *w = arg;
    const struct message_key *a = &w->key, *b = &w->matcher->queues[i].key;

    return a->what == b->what && a->source == b->source && a->destination == b->destination &&
           a->tag == b->tag;
}

static uint64_t key_hash(const struct message_key *key)
{
    uint64_t a = ((uint64_t)key->what << 32) | (uint32_t)key->tag;
    uint64_t b = ((uint64_t)(uint32_t)key->source << 32) | (uint32_t)key->destination;
    uint64_t h = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);

    return h ^ (h >> 31);
}

static bool push_send(struct message_matcher *x, const struct message_key *key, uint32_t e)
{
    struct wanted_queue wanted = {x, *key};
    struct send_queue *q;
    size_t at;

    if (!portolan_reserve(&x->queues, &x->room, x->n_queues + 1, sizeof *x->queues) ||
        !portolan_index_put(&x->index, key_hash(key), x->n_queues, same_queue, &wanted, &at))
        return false;
    q = &x->queues[at];
    if (at == x->n_queues) {
        *q = (struct send_queue){*key, no_event, no_event};
        x->n_queues++;
    }
    if (q->first == no_event)
        q->first = e;
    else
        x->matching->partner[q->last] = e;
    q->last = e;
    return true;
}

static uint32_t take_send(struct message_matcher *x, const struct message_key *key)
{
    struct wanted_queue wanted = {x, *key};
    size_t at = portolan_index_find(&x->index, key_hash(key), same_queue, &wanted);
    uint32_t e = at == SIZE_MAX ? no_event : x->queues[at].first;

    if (e != no_event)
        x->queues[at].first = x->matching->partner[e];
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

static bool queue_event(struct message_matcher *x, int rank, uint32_t e)
{
    const struct portolan_trace_event *event = &x->trace->events[e];
    struct message_key key = {event->what, rank, event->peer, event->tag};

    if (event->kind == PORTOLAN_TRACE_SEND && event->peer >= 0) {
        if (!is_cancelled(x, e))
            return push_send(x, &key, e);
        x->matching->n_cancelled++;
    } else if (event->kind == PORTOLAN_TRACE_ACCESS &&
               call_class(x->trace, x->matching, x->matching->call[e]) ==
                   PORTOLAN_ROUTINE_WIN_START) {
        key = access_key(x, e, rank, event->peer);
        return push_send(x, &key, e);
    }
    return true;
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
        if (is_cancelled(x, e))
            m->n_cancelled++;
        else
            receive_message(x, rank, e, other == no_event ? e : other);
        return;
    case PORTOLAN_TRACE_RECV: /* else the posting has taken it; without one, recording began late */
        if (!event->request || other == no_event)
            receive_message(x, rank, e, e);
        return;
    case PORTOLAN_TRACE_ACCESS:
        if (call_class(x->trace, m, m->call[e]) != PORTOLAN_ROUTINE_WIN_POST)
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

/* Those that nobody received are linked to each other no more. */
static void drop_unmatched(struct message_matcher *x)
{
    for (size_t i = 0; i < x->n_queues; i++)
        for (uint32_t e = x->queues[i].first, next; e != no_event; e = next) {
            next = x->matching->partner[e];
            x->matching->partner[e] = no_event;
            x->matching->n_unmatched_sends += x->trace->events[e].kind == PORTOLAN_TRACE_SEND;
        }
}

bool match_messages(const struct portolan_trace *t, struct portolan_matching *m)
{
    struct message_matcher x = {.trace = t, .matching = m};
    bool ok = true;

    for (size_t i = 0; ok && i < t->n_locations; i++)
        for (size_t e = t->locations[i].first; ok && e < t->locations[i].first + t->locations[i].n;
             e++)
            ok = queue_event(&x, t->locations[i].rank, (uint32_t)e);
    for (size_t i = 0; ok && i < t->n_locations; i++)
        for (size_t e = t->locations[i].first; e < t->locations[i].first + t->locations[i].n; e++)
            receive_event(&x, t->locations[i].rank, (uint32_t)e);
    if (ok)
        drop_unmatched(&x);
    free(x.queues);
    portolan_index_clear(&x.index);
    return ok;
}
