/* SPDX-License-Identifier: BSD-3-Clause */
/* A trial as a trace: the rows of its calls, between the calls of MPI that were recorded. */
#include "internal.h"

#include <portolan/replay.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct spans {
    struct portolan_arena arena;
    struct frames names;
    struct portolan_text label;
    struct portolan_trace *trace; /* recorded, or with nothing but locations */
    int64_t *began;               /* of each rank, in the trace's time; INT64_MAX: not known */
    struct portolan_trace_span *spans;
    size_t n, room;
    size_t *open; /* spans that have no end yet */
    size_t n_open, open_room;
    int rank, thread;
    int64_t zero_ns; /* of the rank */
    const char *host;
};

static enum portolan_status begin_thread(void *arg, int rank, int thread,
                                         struct portolan_error *err)
{
    struct spans *s = arg;

    s->rank = rank;
    s->thread = thread;
    s->zero_ns = !s->began ? 0 : rank < s->trace->n_ranks ? s->began[rank] : INT64_MAX;
    return s->began || portolan_trace_locate(s->trace, rank, thread, s->host)
               ? PORTOLAN_OK
               : portolan_no_memory(err);
}

static const char *intern(struct spans *s, const char *name)
{
    size_t at = frames_find(&s->names, name, "");

    return s->names.arena.failed ? "" : s->names.frames[at].name;
}

static struct portolan_trace_region region_of(struct spans *s, const struct portolan_sample *path)
{
    row_label(path, &s->label);
    return (struct portolan_trace_region){.kind = PORTOLAN_TRACE_FUNCTION,
                                          .name = intern(s, s->label.bytes ? s->label.bytes : "")};
}

/* Adds contexts at the begin of the call, and counters at its end. */
static void add_values(struct spans *s, struct portolan_trace_span *span,
                       const struct portolan_sample *path, const struct portolan_invocation *row)
{
    size_t n = (size_t)path->n_context + (size_t)row->n_counters;
    const char **names = portolan_arena_alloc(&s->arena, n, sizeof *names);
    double *values = portolan_arena_alloc(&s->arena, n, sizeof *values);

    if (s->arena.failed)
        return;
    for (int i = 0; i < path->n_context; i++)
        if (isfinite(row->context[i])) {
            names[span->n_values] = intern(s, path->context_name[i]);
            values[span->n_values++] = row->context[i];
        }
    for (int i = 0; i < row->n_counters && row->n_counters == path->n_counters; i++) {
        names[span->n_values + span->n_last] = intern(s, path->counter_name[i]);
        values[span->n_values + span->n_last++] = row->counter[i];
    }
    span->names = names;
    span->values = values;
}

static enum portolan_status put_call(void *arg, bool enters, const struct portolan_sample *path,
                                     const struct portolan_invocation *row, int64_t at_ns,
                                     struct portolan_error *err)
{
    struct spans *s = arg;
    struct portolan_trace_span span = {.rank = s->rank, .thread = s->thread};

    if (s->zero_ns == INT64_MAX)
        return PORTOLAN_OK;
    if (!enters) {
        s->spans[s->open[--s->n_open]].end_ns = s->zero_ns + at_ns;
        return PORTOLAN_OK;
    }
    span.begin_ns = s->zero_ns + at_ns;
    span.region = region_of(s, path);
    add_values(s, &span, path, row);
    if (s->arena.failed || s->names.arena.failed || s->label.failed ||
        !portolan_reserve(&s->spans, &s->room, s->n + 1, sizeof span) ||
        !portolan_reserve(&s->open, &s->open_room, s->n_open + 1, sizeof *s->open))
        return portolan_no_memory(err);
    s->open[s->n_open++] = s->n;
    s->spans[s->n++] = span;
    return PORTOLAN_OK;
}

static enum portolan_status read_recorded(struct spans *s, const char *folder,
                                          struct portolan_diagnostics *d,
                                          struct portolan_error *err)
{
    enum portolan_status status = portolan_trace_read(folder, d, &s->trace, err);

    if (status)
        return status;
    s->began = portolan_arena_alloc(&s->arena, (size_t)s->trace->n_ranks, sizeof *s->began);
    if (!s->began)
        return portolan_no_memory(err);
    portolan_trace_origins(s->trace, PORTOLAN_STORE_TRIAL_NS, s->began);
    return PORTOLAN_OK;
}

enum portolan_status job_make_trace(const struct job *job, const char *folder,
                                    struct portolan_trace **trace, struct portolan_error *err)
{
    static const struct timeline_ops ops = {begin_thread, put_call, NULL};
    struct spans s = {.host = portolan_trial_peek_fact(job->trial, "host")};
    enum portolan_status status = PORTOLAN_OK;

    *trace = NULL;
    if (folder)
        status = read_recorded(&s, folder, job->options->diagnostics, err);
    else if (!(s.trace = portolan_trace_create(job->trial->ranks, "")))
        status = portolan_no_memory(err);
    if (!status)
        status = job_visit_timeline(job, &ops, &s, err);
    if (!status && !folder)
        status = portolan_trace_finish(s.trace, err);
    if (!status)
        status = portolan_trace_with_spans(s.trace, s.spans, s.n, trace, err);
    if (!status && folder && (*trace)->is_virtual)
        status = portolan_trace_schedule(*trace, err);
    portolan_trace_destroy(s.trace);
    portolan_arena_clear(&s.arena);
    portolan_text_clear(&s.label);
    frames_clear(&s.names);
    free(s.spans);
    free(s.open);
    return status;
}
