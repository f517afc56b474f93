/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

size_t portolan_trace_location_of(const struct portolan_trace *trace, uint32_t event)
{
    size_t low = 0, high = trace->n_locations;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (trace->locations[middle].first <= event)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t portolan_posting_call(const struct portolan_trace *trace,
                               const struct portolan_matching *matching, uint32_t recv)
{
    uint32_t posted = recv;

    if (recv == no_event)
        return no_event;
    if (trace->events[recv].kind == PORTOLAN_TRACE_RECV && matching->other[recv] != no_event)
        posted = matching->other[recv];
    return call_at(trace, matching, posted);
}

uint32_t portolan_completed_send(const struct portolan_trace *trace,
                                 const struct portolan_matching *matching, uint32_t e)
{
    const struct portolan_trace_event *event = &trace->events[e];

    if (event->kind == PORTOLAN_TRACE_SEND_DONE)
        return matching->other[e];
    return event->kind == PORTOLAN_TRACE_SEND && !event->request ? e : no_event;
}

static uint32_t *no_events(size_t n)
{
    uint32_t *events = portolan_calloc(n + 1, sizeof *events);

    return events ? memset(events, 0xff, (n + 1) * sizeof *events) : NULL;
}

/* A rank that communicates from more than one thread posts in an order that nobody saw. */
static bool threads_communicate(const struct portolan_trace *t)
{
    int communicates = -1; /* the rank of the last location that does */

    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];
        bool has = false;

        for (size_t e = l->first; !has && e < l->first + l->n; e++)
            has = t->events[e].kind == PORTOLAN_TRACE_SEND ||
                  t->events[e].kind == PORTOLAN_TRACE_RECV;
        if (has && l->rank == communicates)
            return true;
        communicates = has ? l->rank : communicates;
    }
    return false;
}

enum portolan_status portolan_matching_create(const struct portolan_trace *trace,
                                              struct portolan_matching **matching,
                                              struct portolan_error *err)
{
    struct portolan_matching *m = portolan_calloc(1, sizeof *m);
    bool ok = m && (m->call = no_events(trace->n_events)) &&
              (m->partner = no_events(trace->n_events)) &&
              (m->other = no_events(trace->n_events)) &&
              (m->classes = portolan_calloc(trace->n_routines + 1, 1));

    *matching = NULL;
    for (size_t i = 0; ok && i < trace->n_routines; i++)
        m->classes[i] = (uint8_t)portolan_trace_classify(trace->routines[i], NULL);
    if (!ok || !link_operations(trace, m) || !match_collectives(trace, m) ||
        !match_messages(trace, m)) {
        portolan_matching_destroy(m);
        return portolan_no_memory(err);
    }
    m->is_uncertain = trace->has_threads || threads_communicate(trace);
    *matching = m;
    return PORTOLAN_OK;
}

void portolan_matching_destroy(struct portolan_matching *matching)
{
    if (!matching)
        return;
    free(matching->call);
    free(matching->partner);
    free(matching->other);
    free(matching->collectives);
    free(matching->members);
    free(matching->classes);
    free(matching);
}
