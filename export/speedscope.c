/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * speedscope's own format: per thread of a rank its stacks with their weights, or what it entered
 * and left.
 */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    struct sink s;
    const struct job *job;
    int metric;
    struct frames frames; /* that all profiles of the file share */
    bool any_profile, any_event;
    const struct portolan_sample *path;
    size_t frame;
};

static size_t frame_of(struct writer *w, const struct tree_node *n)
{
    return frames_find(&w->frames, n->label, frame_file(n->of->implementation, n->of->port_type));
}

/* ------------------------------------------------- profiles */

static void begin_profile(struct writer *w, const char *type, int rank, int thread)
{
    bool is_time = w->metric == TREE_TIME || w->metric == TREE_MPI;

    sink_printf(&w->s,
                "%s{\"type\":\"%s\",\"name\":\"rank %d thread %d\",\"unit\":\"%s\","
                "\"startValue\":0,",
                w->any_profile ? ",\n" : "\n", type, rank, thread,
                is_time ? "nanoseconds" : "none");
    w->any_profile = true;
}

static void put_stack(struct writer *w, const struct tree *t, const struct tree_node *n)
{
    if (n->above >= 0) {
        put_stack(w, t, &t->nodes[n->above]);
        sink_put(&w->s, ",");
    }
    sink_integer(&w->s, (int64_t)frame_of(w, n));
}

static enum portolan_status put_thread(void *arg, const struct portolan_profile *p,
                                       const struct tree *t, struct portolan_error *err)
{
    struct writer *w = arg;
    double sum = 0;
    bool any = false;

    (void)p;
    begin_profile(w, "sampled", t->rank, t->thread);
    sink_put(&w->s, "\"samples\":[");
    for (size_t i = 0; i < t->n; i++)
        if (tree_value(&t->nodes[i], w->metric) > 0) {
            sink_put(&w->s, any ? ",[" : "[");
            put_stack(w, t, &t->nodes[i]);
            sink_put(&w->s, "]");
            any = true;
        }
    sink_put(&w->s, "],\n\"weights\":[");
    any = false;
    for (size_t i = 0; i < t->n; i++) {
        double value = tree_value(&t->nodes[i], w->metric);

        if (value > 0) {
            sink_put(&w->s, any ? "," : "");
            sink_number(&w->s, value, "0");
            sum += value;
            any = true;
        }
    }
    sink_put(&w->s, "],\"endValue\":");
    sink_number(&w->s, sum, "0");
    sink_put(&w->s, "}");
    return w->frames.arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* ------------------------------------------------- events */

static enum portolan_status begin_thread(void *arg, int rank, int thread,
                                         struct portolan_error *err)
{
    struct writer *w = arg;

    (void)err;
    begin_profile(w, "evented", rank, thread);
    sink_put(&w->s, "\"events\":[");
    w->any_event = false;
    w->path = NULL;
    return PORTOLAN_OK;
}

static enum portolan_status put_event(struct writer *w, char type,
                                      const struct portolan_sample *path, int64_t at_ns,
                                      struct portolan_error *err)
{
    if (path != w->path) {
        w->frame = frames_of_path(&w->frames, path);
        w->path = path;
    }
    sink_put(&w->s, w->any_event ? ",\n{\"type\":\"" : "\n{\"type\":\"");
    sink_bytes(&w->s, &type, 1);
    sink_put(&w->s, "\",\"frame\":");
    sink_integer(&w->s, (int64_t)w->frame);
    sink_put(&w->s, ",\"at\":");
    sink_integer(&w->s, at_ns);
    sink_put(&w->s, "}");
    w->any_event = true;
    return w->frames.arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static enum portolan_status put_enter(void *arg, const struct portolan_sample *path,
                                      const struct portolan_invocation *row, int64_t at_ns,
                                      struct portolan_error *err)
{
    (void)row;
    return put_event(arg, 'O', path, at_ns, err);
}

static enum portolan_status put_leave(void *arg, const struct portolan_sample *path,
                                      const struct portolan_invocation *row, int64_t at_ns,
                                      struct portolan_error *err)
{
    (void)row;
    return put_event(arg, 'C', path, at_ns, err);
}

static enum portolan_status end_thread(void *arg, int64_t at_ns, struct portolan_error *err)
{
    struct writer *w = arg;

    (void)err;
    sink_put(&w->s, "],\"endValue\":");
    sink_integer(&w->s, at_ns);
    sink_put(&w->s, "}");
    return PORTOLAN_OK;
}

/* ------------------------------------------------- the file */

static void put_head(struct writer *w)
{
    sink_printf(&w->s,
                "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                "\"exporter\":\"portolan %s\",\"name\":",
                portolan_version());
    sink_json(&w->s, w->job->trial->assembly);
    sink_put(&w->s, ",\"activeProfileIndex\":0,\n\"profiles\":[");
}

static void put_frames(struct writer *w)
{
    sink_put(&w->s, "\n],\n\"shared\":{\"frames\":[");
    for (size_t i = 0; i < w->frames.n; i++) {
        sink_put(&w->s, i ? ",\n{\"name\":" : "\n{\"name\":");
        sink_json(&w->s, w->frames.frames[i].name);
        if (*w->frames.frames[i].file) {
            sink_put(&w->s, ",\"file\":");
            sink_json(&w->s, w->frames.frames[i].file);
        }
        sink_put(&w->s, "}");
    }
    sink_put(&w->s, "\n]}}\n");
}

static enum portolan_status find_metric(struct writer *w, struct portolan_error *err)
{
    struct portolan_profile *p = NULL;
    enum portolan_status status =
        w->job->options->metric ? job_read_sums(w->job, &p, err) : PORTOLAN_OK;

    if (p)
        status = job_find_metric(w->job, p, &w->metric, err);
    portolan_profile_destroy(p);
    return status;
}

enum portolan_status write_speedscope(const struct job *job, struct portolan_error *err)
{
    static const struct timeline_ops events = {begin_thread, put_enter, put_leave, end_thread};
    struct writer w = {.job = job, .metric = TREE_TIME};
    enum portolan_status status = find_metric(&w, err);

    if (status == PORTOLAN_OK && job->options->evented)
        status = job_needs_rows(job, err);
    if (status == PORTOLAN_OK)
        status = job_open(job, &w.s, err);
    if (status == PORTOLAN_OK) {
        put_head(&w);
        status = job->options->evented ? job_visit_timeline(job, &events, &w, err)
                                       : job_visit_threads(job, false, put_thread, &w, err);
        put_frames(&w);
        status = sink_close(&w.s, status, err);
    }
    frames_clear(&w.frames);
    return status;
}
