/* SPDX-License-Identifier: BSD-3-Clause */
/* Inserts regions of another source between the events of a trace. */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void portolan_trace_origins(const struct portolan_trace *trace, const char *name, int64_t *origins)
{
    for (int rank = 0; rank < trace->n_ranks; rank++)
        origins[rank] = INT64_MAX;
    for (size_t i = 0; i < trace->n_locations; i++) {
        const struct portolan_trace_location *l = &trace->locations[i];

        for (size_t k = l->first; k < l->first + l->n; k++) {
            const struct portolan_trace_event *e = &trace->events[k];
            int64_t origin;

            if (e->kind != PORTOLAN_TRACE_VALUE || strcmp(trace->names[e->what], name) != 0)
                continue;
            origin = e->ns - llround(portolan_trace_value(e));
            if (origin < origins[l->rank])
                origins[l->rank] = origin;
        }
    }
}

/* Orders by location, then begin; a span that contains another comes first. */
static int compare_spans(const void *a, const void *b)
{
    const struct portolan_trace_span *x = a, *y = b;
    int order = PORTOLAN_ORDER(x->rank, y->rank);

    order = order ? order : PORTOLAN_ORDER(x->thread, y->thread);
    order = order ? order : PORTOLAN_ORDER(x->begin_ns, y->begin_ns);
    return order ? order : PORTOLAN_ORDER(y->end_ns, x->end_ns);
}

/* Copies all tables in their order, so that the numbers in events stay valid. False: no memory. */
static bool copy_tables(const struct portolan_trace *from, struct portolan_trace *to)
{
    bool has_all = true;

    for (size_t i = 0; i < from->n_regions; i++)
        has_all = has_all && portolan_trace_region(to, &from->regions[i]) == i;
    for (size_t i = 0; i < from->n_routines; i++)
        has_all = has_all && portolan_trace_routine(to, from->routines[i]) == i;
    for (size_t i = 0; i < from->n_names; i++)
        has_all = has_all && portolan_trace_name(to, from->names[i]) == i;
    for (size_t i = 0; i < from->n_comms; i++)
        has_all = has_all && portolan_trace_comm(to, &from->comms[i]) == i;
    for (size_t i = 0; i < from->n_windows; i++)
        has_all = has_all && portolan_trace_window(to, &from->windows[i]) == i;
    to->has_threads = from->has_threads;
    to->is_virtual = from->is_virtual;
    to->has_local_clocks = from->has_local_clocks;
    return has_all;
}

struct joining {
    struct portolan_trace *to;
    int rank, thread;
    struct portolan_trace_span **open; /* the innermost last */
    size_t n_open;
    bool in_call; /* in a call of MPI, which is not cut by a span that begins or ends meanwhile */
    int64_t call_end;
};

static bool put(const struct joining *j, int64_t ns, enum portolan_trace_kind kind, size_t what,
                double value)
{
    struct portolan_trace_event event = {.ns = ns};

    event.kind = kind & 0xff;
    event.what = what & 0xffffff;
    if (kind == PORTOLAN_TRACE_VALUE)
        memcpy(&event.bytes, &value, sizeof event.bytes);
    return what != SIZE_MAX && portolan_trace_add(j->to, j->rank, j->thread, &event);
}

static bool enter(struct joining *j, struct portolan_trace_span *span)
{
    int64_t ns = span->begin_ns > j->call_end ? span->begin_ns : j->call_end;
    bool has_all = put(j, ns, PORTOLAN_TRACE_ENTER, portolan_trace_region(j->to, &span->region), 0);

    for (size_t i = 0; i < span->n_values && has_all; i++)
        has_all = put(j, ns, PORTOLAN_TRACE_VALUE, portolan_trace_name(j->to, span->names[i]),
                      span->values[i]);
    j->open[j->n_open++] = span;
    return has_all;
}

/* Leaves the spans that end at NS or before. */
static bool leave_until(struct joining *j, int64_t ns)
{
    bool has_all = true;

    while (has_all && j->n_open && j->open[j->n_open - 1]->end_ns <= ns) {
        struct portolan_trace_span *span = j->open[--j->n_open];
        int64_t end = span->end_ns > j->call_end ? span->end_ns : j->call_end;

        for (size_t i = span->n_values; i < span->n_values + span->n_last && has_all; i++)
            has_all = put(j, end, PORTOLAN_TRACE_VALUE, portolan_trace_name(j->to, span->names[i]),
                          span->values[i]);
        has_all = has_all &&
                  put(j, end, PORTOLAN_TRACE_LEAVE, portolan_trace_region(j->to, &span->region), 0);
    }
    return has_all;
}

/* Adds the events of L, with its spans SPANS[0 … N) between them. */
static bool join_location(struct joining *j, const struct portolan_trace *from,
                          const struct portolan_trace_location *l,
                          struct portolan_trace_span *spans, size_t n)
{
    struct portolan_trace_location *to = portolan_trace_locate(j->to, l->rank, l->thread, l->host);
    bool has_all = to && portolan_trace_set_clock(j->to, to, l->clock);
    size_t next = 0;

    if (to) {
        to->lost = l->lost;
        to->is_cut = l->is_cut;
    }
    j->rank = l->rank;
    j->thread = l->thread;
    j->in_call = false;
    j->call_end = INT64_MIN;
    for (size_t i = 0; i <= l->n && has_all; i++) {
        const struct portolan_trace_event *e = &from->events[l->first + i];
        int64_t ns = i < l->n ? e->ns : INT64_MAX;

        for (; has_all && !j->in_call && next < n && spans[next].begin_ns <= ns; next++)
            has_all = leave_until(j, spans[next].begin_ns) && enter(j, &spans[next]);
        if (!j->in_call)
            has_all = has_all && leave_until(j, ns == INT64_MAX ? ns : ns - 1);
        if (i == l->n || !has_all)
            break;
        if (e->kind == PORTOLAN_TRACE_BEGIN || e->kind == PORTOLAN_TRACE_END)
            j->in_call = e->kind == PORTOLAN_TRACE_BEGIN;
        if (e->kind == PORTOLAN_TRACE_END)
            j->call_end = e->ns;
        has_all = portolan_trace_add(j->to, l->rank, l->thread, e);
    }
    return has_all;
}

static bool join_all(struct joining *j, const struct portolan_trace *from,
                     struct portolan_trace_span *spans, size_t n)
{
    bool has_all = true;
    size_t first = 0, end;

    for (size_t i = 0; i < from->n_locations && has_all; i++) {
        const struct portolan_trace_location *l = &from->locations[i];

        while (first < n && (spans[first].rank < l->rank ||
                             (spans[first].rank == l->rank && spans[first].thread < l->thread)))
            first++;
        for (end = first; end < n && spans[end].rank == l->rank && spans[end].thread == l->thread;)
            end++;
        j->n_open = 0;
        has_all = join_location(j, from, l, spans + first, end - first);
        first = end;
    }
    return has_all;
}

enum portolan_status portolan_trace_with_spans(const struct portolan_trace *trace,
                                               struct portolan_trace_span *spans, size_t n,
                                               struct portolan_trace **both,
                                               struct portolan_error *err)
{
    struct joining j = {.to = portolan_trace_create(trace->n_ranks, trace->source),
                        .open = portolan_calloc(n + 1, sizeof *j.open)};
    enum portolan_status status = PORTOLAN_OK;

    if (n)
        qsort(spans, n, sizeof *spans, compare_spans);
    if (!j.to || !j.open || !copy_tables(trace, j.to) || !join_all(&j, trace, spans, n))
        status = portolan_no_memory(err);
    free(j.open);
    if (!status)
        status = portolan_trace_finish(j.to, err);
    if (status)
        portolan_trace_destroy(j.to);
    else
        *both = j.to;
    return status;
}
