/* SPDX-License-Identifier: BSD-3-Clause */
/* Traces whose times are not those of the program alone get others. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* All ranks begin at 0; their clocks have nothing in common. */
static void begin_together(struct portolan_trace *t)
{
    for (size_t first = 0, end; first < t->n_locations; first = end) {
        int64_t begin = PORTOLAN_TRACE_MOST_NS;

        for (end = first;
             end < t->n_locations && t->locations[end].rank == t->locations[first].rank; end++)
            if (t->locations[end].n && t->events[t->locations[end].first].ns < begin)
                begin = t->events[t->locations[end].first].ns;
        for (size_t l = first; l < end; l++)
            for (size_t e = 0; e < t->locations[l].n; e++)
                t->events[t->locations[l].first + e].ns -= begin;
    }
}

enum portolan_status portolan_trace_schedule(struct portolan_trace *trace,
                                             struct portolan_error *err)
{
    struct portolan_matching *matching = NULL;
    struct engine x = {.trace = trace, .costs = {.eager_bytes = UINT64_MAX}};
    enum portolan_status status;

    begin_together(trace);
    status = portolan_matching_create(trace, &matching, err);
    x.matching = matching;
    x.costs_was = x.costs;
    if (!status && !engine_prepare(&x))
        status = portolan_no_memory(err);
    if (!status && !engine_run(&x))
        status = portolan_error_set(err, PORTOLAN_EINFEASIBLE, "%s: ranks wait for each other",
                                    trace->source);
    for (size_t e = 0; e < trace->n_events && !status; e++)
        trace->events[e].ns = x.ns[e];
    portolan_arena_clear(&x.arena);
    portolan_matching_destroy(matching);
    return status;
}

enum portolan_status portolan_trace_give_cores(struct portolan_trace *trace,
                                               struct portolan_matching **matching,
                                               struct portolan_waits **waits,
                                               struct portolan_error *err)
{
    int64_t *ns = portolan_calloc(trace->n_events + 1, sizeof *ns);
    const struct portolan_replay_options options = {.use_cpu = true, .event_ns = ns};
    struct portolan_replay replay;
    enum portolan_status status =
        ns ? portolan_replay(*waits, NULL, 0, &options, &replay, err) : portolan_no_memory(err);

    for (size_t e = 0; !status && e < trace->n_events; e++)
        trace->events[e].ns = ns[e];
    free(ns);
    portolan_waits_destroy(*waits);
    portolan_matching_destroy(*matching);
    *waits = NULL;
    *matching = NULL;
    if (!status)
        status = portolan_matching_create(trace, matching, err);
    return status ? status : portolan_waits_create(trace, *matching, NULL, waits, err);
}
