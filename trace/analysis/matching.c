/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates and destroys a matching, and answers questions about its events. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

size_t portolan_trace_location_of(const struct portolan_trace *trace, uint32_t event)
{
    size_t low = 1, high = trace->n_locations;

    PORTOLAN_BISECT(low, high, trace->locations[middle].first <= event);
    return low - 1;
}

uint32_t portolan_posting_call(const struct portolan_matching *matching, uint32_t recv)
{
    uint32_t posted = recv;

    if (recv == no_event)
        return no_event;
    if (matching->trace->events[recv].kind == PORTOLAN_TRACE_RECV &&
        matching->other[recv] != no_event)
        posted = matching->other[recv];
    return call_at(matching, posted);
}

uint32_t portolan_completed_send(const struct portolan_matching *matching, uint32_t e)
{
    const struct portolan_trace_event *event = &matching->trace->events[e];

    if (event->kind == PORTOLAN_TRACE_SEND_DONE)
        return matching->other[e];
    return event->kind == PORTOLAN_TRACE_SEND && !event->request ? e : no_event;
}

static uint32_t *no_events(struct portolan_matching *m)
{
    size_t n = m->trace->n_events + 1;
    uint32_t *events = portolan_arena_alloc(&m->arena, n, sizeof *events);

    return events ? memset(events, 0xff, n * sizeof *events) : NULL;
}

/* A message of a thread of RANK; `location` is not compared. */
struct thread_message {
    int32_t rank, peer, tag;
    uint32_t kind, comm;
    uint32_t location; /* must be the last field */
};

static int compare_messages(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(struct thread_message, location));
}

static bool is_message(const struct portolan_trace_event *e)
{
    return e->kind == PORTOLAN_TRACE_SEND || e->kind == PORTOLAN_TRACE_RECV;
}

/* Returns whether two threads of a rank have messages to or from the same rank with the same
 * communicator and tag: their order of posting is not recorded. False: no memory. */
static bool find_competing_threads(const struct portolan_trace *t, struct portolan_matching *m)
{
    struct thread_message *all;
    size_t n = 0;

    if (t->n_locations <= (size_t)t->n_ranks)
        return true;
    if (!(all = portolan_calloc(t->n_events + 1, sizeof *all)))
        return false;
    for (uint32_t l = 0; l < t->n_locations; l++)
        for (size_t k = 0; k < t->locations[l].n; k++) {
            const struct portolan_trace_event *e = &t->events[t->locations[l].first + k];

            if (is_message(e) && e->peer >= 0)
                all[n++] = (struct thread_message){
                    t->locations[l].rank, e->peer, e->tag, e->kind, e->what, l};
        }
    qsort(all, n, sizeof *all, compare_messages);
    for (size_t i = 1; i < n; i++)
        m->is_uncertain |=
            all[i].location != all[i - 1].location && !compare_messages(&all[i], &all[i - 1]);
    free(all);
    return true;
}

enum portolan_status portolan_matching_create(const struct portolan_trace *trace,
                                              struct portolan_matching **matching,
                                              struct portolan_error *err)
{
    struct portolan_matching *m = portolan_calloc(1, sizeof *m);

    *matching = NULL;
    if (!m)
        return portolan_no_memory(err);
    m->trace = trace;
    m->call = no_events(m);
    m->partner = no_events(m);
    m->other = no_events(m);
    m->classes = portolan_arena_alloc(&m->arena, trace->n_routines, 1);
    for (size_t i = 0; m->classes && i < trace->n_routines; i++)
        m->classes[i] = (uint8_t)portolan_trace_classify(trace->routines[i], NULL);
    if (m->arena.failed || !link_operations(m) || !match_collectives(m) || !match_messages(m) ||
        !find_competing_threads(trace, m)) {
        portolan_matching_destroy(m);
        return portolan_no_memory(err);
    }
    *matching = m;
    return PORTOLAN_OK;
}

void portolan_matching_destroy(struct portolan_matching *matching)
{
    if (!matching)
        return;
    portolan_arena_clear(&matching->arena);
    free(matching);
}
