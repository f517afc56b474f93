/* SPDX-License-Identifier: BSD-3-Clause */
/* Chrome's trace format, for Perfetto and chrome://tracing: a complete event per call. */
#include "internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct writer {
    struct sink s;
    bool any;
    int rank;
    const struct portolan_sample *path; /* whose label it is */
    struct portolan_text label;
};

static void begin_event(struct writer *w)
{
    sink_put(&w->s, w->any ? ",\n" : "\n");
    w->any = true;
}

/* A name of a process or thread. */
static void put_name(struct writer *w, const char *what, const char *kind, int number, int rank,
                     int thread)
{
    begin_event(w);
    sink_printf(
        &w->s, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s %d\"}}",
        what, rank, thread, kind, number);
}

static void put_arguments(struct sink *s, const struct portolan_sample *path,
                          const struct portolan_invocation *row)
{
    sink_put(s, ",\"args\":{");
    for (int k = 0; k < path->n_context; k++) {
        sink_json(s, path->context_name[k]);
        sink_put(s, ":");
        sink_number(s, row->context[k], "null");
        sink_put(s, ",");
    }
    for (int k = 0; k < row->n_counters; k++) {
        sink_json(s, path->counter_name[k]);
        sink_put(s, ":");
        sink_number(s, row->counter[k], "null");
        sink_put(s, ",");
    }
    if (row->mpi_ns > 0) {
        sink_put(s, "\"mpi_us\":");
        sink_microseconds(s, llround(row->mpi_ns));
        sink_put(s, ",");
    }
    if (row->one_in > 1)
        sink_printf(s, "\"one_in\":%d,", row->one_in);
    sink_put(s, "\"step\":");
    sink_integer(s, row->step);
    sink_put(s, "}");
}

static enum portolan_status begin_thread(void *arg, int rank, int thread,
                                         struct portolan_error *err)
{
    struct writer *w = arg;

    (void)err;
    if (!w->any || rank != w->rank)
        put_name(w, "process_name", "rank", rank, rank, thread);
    put_name(w, "thread_name", "thread", thread, rank, thread);
    w->rank = rank;
    w->path = NULL;
    return PORTOLAN_OK;
}

static enum portolan_status enter(void *arg, const struct portolan_sample *path,
                                  const struct portolan_invocation *row, int64_t at_ns,
                                  struct portolan_error *err)
{
    (void)arg, (void)path, (void)row, (void)at_ns, (void)err;
    return PORTOLAN_OK;
}

static enum portolan_status leave(void *arg, const struct portolan_sample *path,
                                  const struct portolan_invocation *row, int64_t at_ns,
                                  struct portolan_error *err)
{
    struct writer *w = arg;
    int64_t start = llround(row->start_ns);

    if (path != w->path) {
        w->label.length = 0;
        row_label(path, &w->label);
        w->path = path;
    }
    begin_event(w);
    sink_put(&w->s, "{\"ph\":\"X\",\"name\":");
    sink_json(&w->s, w->label.bytes ? w->label.bytes : "");
    if (*path->port_type) {
        sink_put(&w->s, ",\"cat\":");
        sink_json(&w->s, path->port_type);
    }
    sink_put(&w->s, ",\"pid\":");
    sink_integer(&w->s, path->rank);
    sink_put(&w->s, ",\"tid\":");
    sink_integer(&w->s, path->thread);
    sink_put(&w->s, ",\"ts\":");
    sink_microseconds(&w->s, start);
    sink_put(&w->s, ",\"dur\":");
    sink_microseconds(&w->s, at_ns - start);
    put_arguments(&w->s, path, row);
    sink_put(&w->s, "}");
    return w->label.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static enum portolan_status end_thread(void *arg, int64_t at_ns, struct portolan_error *err)
{
    (void)arg, (void)at_ns, (void)err;
    return PORTOLAN_OK;
}

static const struct timeline_ops ops = {begin_thread, enter, leave, end_thread};

static void put_metadata(struct sink *s, const struct job *job)
{
    const struct portolan_trial *t = job->trial;

    sink_put(s, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"assembly\":");
    sink_json(s, t->assembly);
    sink_printf(s, ",\"trial\":%" PRId64 ",\"started\":", job->id);
    sink_json(s, t->started);
    for (size_t i = 0; i < t->n_parameters + t->n_metadata; i++) {
        const struct portolan_name_value *fact =
            i < t->n_parameters ? &t->parameters[i] : &t->metadata[i - t->n_parameters];

        sink_put(s, ",");
        sink_json(s, fact->name);
        sink_put(s, ":");
        sink_json(s, fact->value);
    }
    sink_put(s, "}}\n");
}

enum portolan_status write_chrome(const struct job *job, struct portolan_error *err)
{
    struct writer w = {.rank = -1};
    enum portolan_status status = job_needs_rows(job, err);

    if (status == PORTOLAN_OK)
        status = job_open(job, &w.s, err);
    if (status != PORTOLAN_OK)
        return status;
    sink_put(&w.s, "{\"traceEvents\":[");
    status = job_visit_timeline(job, &ops, &w, err);
    put_metadata(&w.s, job);
    portolan_text_clear(&w.label);
    return sink_close(&w.s, status, err);
}
