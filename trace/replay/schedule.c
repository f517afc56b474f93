/* SPDX-License-Identifier: BSD-3-Clause */
/* Recomputes times that include waiting for a core or recording, or that are of ManualClocks. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* Lets all ranks begin at 0, since their clocks have nothing in common. */
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
    if (!status)
        status = engine_prepare_and_run(&x, "", err);
    for (size_t e = 0; e < trace->n_events && !status; e++)
        trace->events[e].ns = x.ns[e];
    portolan_arena_clear(&x.arena);
    portolan_matching_destroy(matching);
    return status;
}

static bool has_recording_cost(const struct portolan_trace *trace)
{
    for (size_t i = 0; i < trace->n_names; i++)
        if (!strcmp(trace->names[i], PORTOLAN_TRACE_COST_AFTER))
            return true;
    return false;
}

enum portolan_status portolan_trace_undisturb(struct portolan_trace *trace, bool share_cores,
                                              struct portolan_matching **matching,
                                              struct portolan_waits **waits, double *recording,
                                              struct portolan_error *err)
{
    struct portolan_replay_options options = {.use_cpu = share_cores,
                                              .without_recording = !share_cores};
    struct portolan_replay replay;
    enum portolan_status status;
    int64_t *ns;

    *recording = 0;
    if (trace->is_virtual || (!share_cores && !has_recording_cost(trace)))
        return PORTOLAN_OK;
    if (!share_cores)
        recording_cost_move(trace, *matching);
    options.event_ns = ns = portolan_calloc(trace->n_events + 1, sizeof *ns);
    status =
        ns ? portolan_replay(*waits, NULL, 0, &options, &replay, err) : portolan_no_memory(err);
    if (!status && !share_cores && replay.measured_ns)
        *recording = 1 - (double)replay.run_ns / (double)replay.measured_ns;
    for (size_t e = 0; !status && e < trace->n_events; e++)
        trace->events[e].ns = ns[e];
    free(ns);
    portolan_waits_destroy(*waits);
    portolan_matching_destroy(*matching);
    *waits = NULL;
    *matching = NULL;
    if (!status)
        status = portolan_matching_create(trace, matching, err);
    return status ? status : portolan_waits_create(*matching, waits, err);
}
