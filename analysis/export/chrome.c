/* SPDX-License-Identifier: BSD-3-Clause */
/* Chrome's trace format, for Perfetto and chrome://tracing: a complete event per call. */
#include "internal.h"

#include <math.h>

struct writer {
    struct sink *sink;
    struct portolan_json json;
    int rank;                           /* the last one that was named */
    const struct portolan_sample *path; /* of LABEL */
    struct portolan_text label;
};

/* Begins an event, on a new line. */
static void begin_event(struct writer *w, const char *type, int rank, int thread)
{
    sink_flush(w->sink);
    portolan_json_open(&w->json, NULL, '{');
    portolan_json_text(&w->json, "ph", type);
    portolan_json_number(&w->json, "pid", rank);
    portolan_json_number(&w->json, "tid", thread);
}

/* Writes the name of a process or thread. */
static void put_name(struct writer *w, const char *what, const char *kind, int number, int rank,
                     int thread)
{
    char name[40];

    snprintf(name, sizeof name, "%s %d", kind, number);
    begin_event(w, "M", rank, thread);
    portolan_json_text(&w->json, "name", what);
    portolan_json_open(&w->json, "args", '{');
    portolan_json_text(&w->json, "name", name);
    portolan_json_close(&w->json, '}');
    portolan_json_close(&w->json, '}');
}

static void put_arguments(struct portolan_json *j, const struct portolan_sample *path,
                          const struct portolan_invocation *row)
{
    portolan_json_open(j, "args", '{');
    for (int k = 0; k < path->n_context; k++)
        portolan_json_number(j, path->context_name[k], row->context[k]);
    for (int k = 0; k < row->n_counters; k++)
        portolan_json_number(j, path->counter_name[k], row->counter[k]);
    if (row->mpi_ns > 0)
        portolan_json_number(j, "mpi_us", round(row->mpi_ns) / 1e3);
    if (row->one_in > 1)
        portolan_json_number(j, "one_in", row->one_in);
    portolan_json_number(j, "step", row->step);
    portolan_json_close(j, '}');
}

static enum portolan_status begin_thread(void *arg, int rank, int thread,
                                         struct portolan_error *err)
{
    struct writer *w = arg;

    (void)err;
    if (rank != w->rank)
        put_name(w, "process_name", "rank", rank, rank, thread);
    put_name(w, "thread_name", "thread", thread, rank, thread);
    w->rank = rank;
    return PORTOLAN_OK;
}

static enum portolan_status put_call(void *arg, bool enters, const struct portolan_sample *path,
                                     const struct portolan_invocation *row, int64_t at_ns,
                                     struct portolan_error *err)
{
    struct writer *w = arg;
    double start = round(row->start_ns);

    if (enters)
        return PORTOLAN_OK;
    if (path != w->path)
        row_label(path, &w->label);
    w->path = path;
    begin_event(w, "X", path->rank, path->thread);
    portolan_json_text(&w->json, "name", w->label.bytes);
    if (*path->port_type)
        portolan_json_text(&w->json, "cat", path->port_type);
    portolan_json_number(&w->json, "ts", start / 1e3);
    portolan_json_number(&w->json, "dur", ((double)at_ns - start) / 1e3);
    put_arguments(&w->json, path, row);
    portolan_json_close(&w->json, '}');
    return w->label.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static void put_metadata(struct portolan_json *j, const struct portolan_trial *t)
{
    portolan_json_text(j, "displayTimeUnit", "ns");
    portolan_json_open(j, "otherData", '{');
    portolan_json_text(j, "assembly", t->assembly);
    portolan_json_number(j, "trial", (double)t->id);
    portolan_json_text(j, "started", t->started);
    for (size_t i = 0; i < t->n_parameters; i++)
        portolan_json_text(j, t->parameters[i].name, t->parameters[i].value);
    for (size_t i = 0; i < t->n_metadata; i++)
        portolan_json_text(j, t->metadata[i].name, t->metadata[i].value);
    portolan_json_close(j, '}');
}

enum portolan_status write_chrome(struct job *job, struct portolan_error *err)
{
    static const struct timeline_ops ops = {.thread = begin_thread, .call = put_call};
    struct writer w = {.sink = &job->sink, .rank = -1, .json = {.out = &job->sink.text}};
    enum portolan_status status = job_needs_rows(job, err);

    if (status != PORTOLAN_OK)
        return status;
    portolan_json_open(&w.json, NULL, '{');
    portolan_json_open(&w.json, "traceEvents", '[');
    status = job_visit_timeline(job, &ops, &w, err);
    portolan_json_close(&w.json, ']');
    put_metadata(&w.json, job->trial);
    portolan_json_close(&w.json, '}');
    portolan_text_clear(&w.label);
    return status;
}
