/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns rows of calls, whose times count from the trial's begin, into regions of a trace. */
#include <portolan/hercule_assembly.h>
#include <portolan/list.h>
#include <portolan/replay.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct portolan_trace_rows {
    struct portolan_arena arena;
    struct portolan_trace_span *spans;
    size_t n, room;
    int64_t *began;        /* by rank, in the trace's time; INT64_MAX: not known */
    int64_t *first, *last; /* first and last time in the trace, by rank */
    int n_ranks;
    const struct portolan_sample *path; /* call path of the row before */
    struct portolan_trace_region region;
    const char *names[PORTOLAN_CONTEXT_MAX];
    bool lacks_memory;
};

static void take_path(struct portolan_trace_rows *s, const struct portolan_sample *path)
{
    if (path == s->path)
        return;
    s->path = path;
    s->region = (struct portolan_trace_region){
        .kind = PORTOLAN_TRACE_PORT,
        .name = portolan_arena_strdup(&s->arena, path->method),
        .user = portolan_arena_strdup(&s->arena, path->user),
        .port = portolan_arena_strdup(&s->arena, path->uses),
        .provider = portolan_arena_strdup(&s->arena, path->instance)};
    for (int i = 0; i < path->n_context; i++)
        s->names[i] = portolan_arena_strdup(&s->arena, path->context_name[i]);
}

static void take_values(struct portolan_trace_rows *s, const struct portolan_invocation *row, int n,
                        struct portolan_trace_span *span)
{
    const char **names = portolan_arena_alloc(&s->arena, (size_t)n, sizeof *names);
    double *values = portolan_arena_alloc(&s->arena, (size_t)n, sizeof *values);

    for (int i = 0; i < n && names && values; i++)
        if (!isnan(row->context[i])) {
            names[span->n_values] = s->names[i];
            values[span->n_values++] = row->context[i];
        }
    span->names = names;
    span->values = values;
}

/* Places a call in what was recorded, whose outermost regions contain it. False: it is outside. */
static bool place(const struct portolan_trace_rows *s, const struct portolan_invocation *row,
                  struct portolan_trace_span *span)
{
    int64_t began = s->began[span->rank], least, most;

    if (began == INT64_MAX)
        return false;
    least = s->first[span->rank] + 1;
    most = s->last[span->rank] - 1;
    span->begin_ns = began + llround(row->start_ns);
    span->end_ns = span->begin_ns + llround(row->inclusive_ns);
    if (span->end_ns < least || span->begin_ns > most)
        return false;
    span->begin_ns = span->begin_ns < least ? least : span->begin_ns;
    span->end_ns = span->end_ns > most ? most : span->end_ns;
    return true;
}

int portolan_trace_rows_take(void *rows, const struct portolan_sample *path,
                             const struct portolan_invocation *row)
{
    struct portolan_trace_rows *s = rows;
    struct portolan_trace_span span = {.rank = path->rank, .thread = path->thread};

    if (path->rank >= s->n_ranks || !place(s, row, &span))
        return 0;
    take_path(s, path);
    take_values(s, row, path->n_context, &span);
    span.region = s->region;
    if (s->arena.failed || !portolan_reserve(&s->spans, &s->room, s->n + 1, sizeof *s->spans)) {
        s->lacks_memory = true;
        return 1;
    }
    s->spans[s->n++] = span;
    return 0;
}

static void find_limits(const struct portolan_trace *t, struct portolan_trace_rows *s)
{
    for (int rank = 0; rank < t->n_ranks; rank++)
        s->first[rank] = INT64_MAX;
    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];
        const struct portolan_trace_event *events = &t->events[l->first];

        if (l->n && events[0].ns < s->first[l->rank])
            s->first[l->rank] = events[0].ns;
        if (l->n && events[l->n - 1].ns > s->last[l->rank])
            s->last[l->rank] = events[l->n - 1].ns;
    }
}

static void destroy(struct portolan_trace_rows *s)
{
    if (!s)
        return;
    free(s->spans);
    portolan_arena_clear(&s->arena);
    free(s);
}

enum portolan_status portolan_trace_rows_create(const struct portolan_trace *trace,
                                                struct portolan_trace_rows **rows,
                                                struct portolan_error *err)
{
    struct portolan_trace_rows *s = portolan_calloc(1, sizeof *s);
    size_t n = (size_t)trace->n_ranks;

    if (s) {
        s->n_ranks = trace->n_ranks;
        s->began = portolan_arena_alloc(&s->arena, n, sizeof *s->began);
        s->first = portolan_arena_alloc(&s->arena, n, sizeof *s->first);
        s->last = portolan_arena_alloc(&s->arena, n, sizeof *s->last);
    }
    if (!s || s->arena.failed) {
        destroy(s);
        return portolan_no_memory(err);
    }
    portolan_trace_origins(trace, PORTOLAN_STORE_TRIAL_NS, s->began);
    find_limits(trace, s);
    *rows = s;
    return PORTOLAN_OK;
}

enum portolan_status portolan_trace_rows_join(struct portolan_trace_rows *rows,
                                              enum portolan_status status,
                                              struct portolan_trace **trace,
                                              struct portolan_error *err)
{
    struct portolan_trace *both = NULL;

    if (!status && rows->lacks_memory)
        status = portolan_no_memory(err);
    if (!status)
        status = portolan_trace_with_spans(*trace, rows->spans, rows->n, &both, err);
    destroy(rows);
    if (status)
        return status;
    portolan_trace_destroy(*trace);
    *trace = both;
    return both->is_virtual ? portolan_trace_schedule(both, err) : PORTOLAN_OK;
}
