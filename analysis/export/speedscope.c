/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * speedscope's own format: for each thread of a rank its stacks with their weights, or the calls it
 * entered and left.
 */
#include "internal.h"

struct writer {
    struct portolan_json json;
    struct job *job;
    int metric;
    struct frames frames;               /* shared by all profiles of the file */
    const struct portolan_sample *path; /* of FRAME */
    size_t frame;
};

/* ------------------------------------------------- profiles */

static void begin_profile(struct writer *w, const char *type, int rank, int thread)
{
    bool is_time = w->metric == TREE_TIME || w->metric == TREE_MPI;
    char name[60];

    snprintf(name, sizeof name, "rank %d thread %d", rank, thread);
    portolan_json_open(&w->json, NULL, '{');
    portolan_json_text(&w->json, "type", type);
    portolan_json_text(&w->json, "name", name);
    portolan_json_text(&w->json, "unit", is_time ? "nanoseconds" : "none");
    portolan_json_number(&w->json, "startValue", 0);
}

static enum portolan_status end_profile(struct writer *w, double end, struct portolan_error *err)
{
    portolan_json_close(&w->json, ']');
    portolan_json_number(&w->json, "endValue", end);
    portolan_json_close(&w->json, '}');
    sink_flush(&w->job->sink);
    return w->frames.arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static void put_stack(struct writer *w, const struct tree *t, const struct tree_node *n)
{
    if (n->above >= 0)
        put_stack(w, t, &t->nodes[n->above]);
    portolan_json_number(&w->json, NULL, (double)frames_of_node(&w->frames, n));
}

static enum portolan_status put_thread(void *arg, const struct portolan_profile *p,
                                       const struct tree *t, struct portolan_error *err)
{
    struct writer *w = arg;
    double sum = 0;

    (void)p;
    begin_profile(w, "sampled", t->rank, t->thread);
    portolan_json_open(&w->json, "samples", '[');
    for (size_t i = 0; i < t->n; i++)
        if (tree_value(&t->nodes[i], w->metric) > 0) {
            portolan_json_open(&w->json, NULL, '[');
            put_stack(w, t, &t->nodes[i]);
            portolan_json_close(&w->json, ']');
        }
    portolan_json_close(&w->json, ']');
    portolan_json_open(&w->json, "weights", '[');
    for (size_t i = 0; i < t->n; i++) {
        double value = tree_value(&t->nodes[i], w->metric);

        if (value > 0) {
            portolan_json_number(&w->json, NULL, value);
            sum += value;
        }
    }
    return end_profile(w, sum, err);
}

/* ------------------------------------------------- events */

static enum portolan_status begin_thread(void *arg, int rank, int thread,
                                         struct portolan_error *err)
{
    struct writer *w = arg;

    (void)err;
    begin_profile(w, "evented", rank, thread);
    portolan_json_open(&w->json, "events", '[');
    return PORTOLAN_OK;
}

static enum portolan_status put_event(void *arg, bool enters, const struct portolan_sample *path,
                                      const struct portolan_invocation *row, int64_t at_ns,
                                      struct portolan_error *err)
{
    struct writer *w = arg;

    (void)row;
    if (path != w->path)
        w->frame = frames_of_path(&w->frames, path);
    w->path = path;
    portolan_json_open(&w->json, NULL, '{');
    portolan_json_text(&w->json, "type", enters ? "O" : "C");
    portolan_json_number(&w->json, "frame", (double)w->frame);
    portolan_json_number(&w->json, "at", (double)at_ns);
    portolan_json_close(&w->json, '}');
    sink_flush(&w->job->sink);
    return w->frames.arena.failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

static enum portolan_status end_thread(void *arg, int64_t at_ns, struct portolan_error *err)
{
    return end_profile(arg, (double)at_ns, err);
}

/* ------------------------------------------------- the file */

static void put_head(struct writer *w)
{
    char exporter[60];

    snprintf(exporter, sizeof exporter, "portolan %s", portolan_version());
    portolan_json_open(&w->json, NULL, '{');
    portolan_json_text(&w->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    portolan_json_text(&w->json, "exporter", exporter);
    portolan_json_text(&w->json, "name", w->job->trial->assembly);
    portolan_json_number(&w->json, "activeProfileIndex", 0);
    portolan_json_open(&w->json, "profiles", '[');
}

static void put_frames(struct writer *w)
{
    portolan_json_close(&w->json, ']');
    portolan_json_open(&w->json, "shared", '{');
    portolan_json_open(&w->json, "frames", '[');
    for (size_t i = 0; i < w->frames.n; i++) {
        portolan_json_open(&w->json, NULL, '{');
        portolan_json_text(&w->json, "name", w->frames.frames[i].name);
        if (*w->frames.frames[i].file)
            portolan_json_text(&w->json, "file", w->frames.frames[i].file);
        portolan_json_close(&w->json, '}');
    }
    portolan_json_close(&w->json, ']');
    portolan_json_close(&w->json, '}');
    portolan_json_close(&w->json, '}');
}

enum portolan_status write_speedscope(struct job *job, struct portolan_error *err)
{
    static const struct timeline_ops events = {begin_thread, put_event, end_thread};
    struct writer w = {.job = job, .metric = TREE_TIME, .json = {.out = &job->sink.text}};
    enum portolan_status status = PORTOLAN_OK;

    if (job->options->metric)
        status = job_find_metric(job, &w.metric, err);
    if (status == PORTOLAN_OK && job->options->evented)
        status = job_needs_rows(job, err);
    if (status == PORTOLAN_OK) {
        put_head(&w);
        status = job->options->evented ? job_visit_timeline(job, &events, &w, err)
                                       : job_visit_threads(job, false, put_thread, &w, err);
        put_frames(&w);
    }
    frames_clear(&w.frames);
    return status;
}
