/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches the messages of a scenario as they come: a receive from any source takes the first. */
#include "engine.h"

#include <string.h>

bool message_queues_prepare(struct engine *x)
{
    struct message_queues *q = x->queues;
    size_t ranks = (size_t)x->trace->n_ranks;

    q->next = portolan_arena_alloc(&x->arena, x->trace->n_events + 1, sizeof *q->next);
    q->sends = portolan_arena_alloc(&x->arena, ranks + 1, sizeof *q->sends);
    q->receives = portolan_arena_alloc(&x->arena, ranks + 1, sizeof *q->receives);
    if (x->arena.failed)
        return false;
    memset(q->sends, 0xff, ranks * sizeof *q->sends);
    memset(q->receives, 0xff, ranks * sizeof *q->receives);
    return true;
}

static void enqueue(struct message_queues *q, struct message_queue *queue, uint32_t e)
{
    q->next[e] = PORTOLAN_NO_EVENT;
    if (queue->first == PORTOLAN_NO_EVENT)
        queue->first = e;
    else
        q->next[queue->last] = e;
    queue->last = e;
}

static void take_out(struct message_queues *q, struct message_queue *queue, uint32_t before,
                     uint32_t e)
{
    if (before == PORTOLAN_NO_EVENT)
        queue->first = q->next[e];
    else
        q->next[before] = q->next[e];
    if (queue->last == e)
        queue->last = before;
}

static void make_partners(struct engine *x, uint32_t send, int source, uint32_t posted)
{
    struct portolan_trace_event *events = x->changed_events;
    uint32_t *partner = x->matching->partner;
    uint32_t done =
        events[posted].kind == PORTOLAN_TRACE_RECV_POST ? x->matching->other[posted] : posted;

    partner[posted] = send;
    partner[send] = done == PORTOLAN_NO_EVENT ? posted : done;
    if (done != PORTOLAN_NO_EVENT) {
        partner[done] = send;
        events[done].peer = source;
        events[done].tag = events[send].tag;
        events[done].bytes = events[send].bytes;
    }
    engine_match_woken(x, portolan_trace_location_of(x->trace, send));
    engine_match_woken(x, portolan_trace_location_of(x->trace, posted));
}

static bool fits(const struct engine *x, uint32_t send, int source, uint32_t posted)
{
    const struct portolan_trace_event *s = &x->trace->events[send], *r = &x->trace->events[posted];

    return s->what == r->what && (r->peer == PORTOLAN_TRACE_ANY || r->peer == source) &&
           (r->tag == PORTOLAN_TRACE_ANY || r->tag == s->tag);
}

static int rank_of(const struct engine *x, uint32_t e)
{
    return x->trace->locations[portolan_trace_location_of(x->trace, e)].rank;
}

void message_queues_post(struct engine *x, int rank, uint32_t e)
{
    struct message_queues *q = x->queues;
    const struct portolan_trace_event *event = &x->trace->events[e];
    bool is_send = event->kind == PORTOLAN_TRACE_SEND;
    int destination = is_send ? event->peer : rank;
    struct message_queue *others, *own;

    if (event->peer == PORTOLAN_TRACE_NONE)
        return;
    others = is_send ? &q->receives[destination] : &q->sends[destination];
    own = is_send ? &q->sends[destination] : &q->receives[destination];
    for (uint32_t i = others->first, before = PORTOLAN_NO_EVENT; i != PORTOLAN_NO_EVENT;
         before = i, i = q->next[i]) {
        uint32_t send = is_send ? e : i;
        int source = is_send ? rank : rank_of(x, i);

        if (fits(x, send, source, is_send ? i : e)) {
            take_out(q, others, before, i);
            make_partners(x, send, source, is_send ? i : e);
            return;
        }
    }
    enqueue(q, own, e);
}
