/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON Lines: an object per call where rows are stored, else per call path, rank and thread. */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    struct sink s;
    int64_t trial;
};

static void put_text(struct sink *s, const char *name, const char *value)
{
    sink_put(s, ",\"");
    sink_put(s, name);
    sink_put(s, "\":");
    sink_json(s, value);
}

static void put_number(struct sink *s, const char *name, double value)
{
    sink_put(s, ",\"");
    sink_put(s, name);
    sink_put(s, "\":");
    sink_number(s, value, "null");
}

static void begin(struct writer *w, int rank, int thread)
{
    sink_put(&w->s, "{\"trial\":");
    sink_integer(&w->s, w->trial);
    sink_put(&w->s, ",\"rank\":");
    sink_integer(&w->s, rank);
    sink_put(&w->s, ",\"thread\":");
    sink_integer(&w->s, thread);
}

static void put_names(struct sink *s, const char *user, const char *uses, const char *instance,
                      const char *port, const char *implementation, const char *port_type,
                      const char *method)
{
    put_text(s, "user", user);
    put_text(s, "uses", uses);
    put_text(s, "instance", instance);
    put_text(s, "port", port);
    put_text(s, "implementation", implementation);
    put_text(s, "port_type", port_type);
    put_text(s, "method", method);
}

/* ,"NAME":{"a":1,"b":2} */
static void put_object(struct sink *s, const char *name, const char *const *names,
                       const double *values, size_t n)
{
    sink_put(s, ",\"");
    sink_put(s, name);
    sink_put(s, "\":{");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sink_put(s, ",");
        sink_json(s, names[i]);
        sink_put(s, ":");
        sink_number(s, values[i], "null");
    }
    sink_put(s, "}");
}

static int put_row(void *arg, const struct portolan_sample *path,
                   const struct portolan_invocation *row)
{
    struct writer *w = arg;

    begin(w, path->rank, path->thread);
    put_number(&w->s, "step", row->step);
    put_names(&w->s, path->user, path->uses, path->instance, path->port, path->implementation,
              path->port_type, path->method);
    put_number(&w->s, "ordinal", (double)row->ordinal);
    put_number(&w->s, "start_ns", row->start_ns);
    put_number(&w->s, "inclusive_ns", row->inclusive_ns);
    put_number(&w->s, "exclusive_ns", row->exclusive_ns);
    put_number(&w->s, "mpi_ns", row->mpi_ns);
    put_number(&w->s, "quality", row->quality);
    put_number(&w->s, "one_in", row->one_in);
    put_object(&w->s, "context", path->context_name, row->context, (size_t)path->n_context);
    put_object(&w->s, "counters", path->counter_name, row->counter, (size_t)row->n_counters);
    sink_put(&w->s, "}\n");
    return w->s.error != 0;
}

static void put_path(struct sink *s, const struct tree *t, const struct tree_node *n)
{
    if (n->above >= 0) {
        put_path(s, t, &t->nodes[n->above]);
        sink_put(s, ",");
    }
    sink_json(s, n->label);
}

static enum portolan_status put_thread(void *arg, const struct portolan_profile *p,
                                       const struct tree *t, struct portolan_error *err)
{
    struct writer *w = arg;

    (void)err;
    for (size_t i = 0; i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];
        const struct portolan_profile_cell *c = n->cell;

        begin(w, t->rank, t->thread);
        sink_put(&w->s, ",\"path\":[");
        put_path(&w->s, t, n);
        sink_put(&w->s, "]");
        put_names(&w->s, n->of->user, n->of->uses, n->of->instance, n->of->port,
                  n->of->implementation, n->of->port_type, n->of->method);
        put_number(&w->s, "calls", c->calls);
        put_number(&w->s, "timed_calls", c->timed_calls);
        put_number(&w->s, "subroutines", c->subroutines);
        put_number(&w->s, "inclusive_ns", c->inclusive_ns);
        put_number(&w->s, "exclusive_ns", c->exclusive_ns);
        put_number(&w->s, "mpi_ns", c->mpi_ns);
        put_number(&w->s, "min_ns", c->min_ns);
        put_number(&w->s, "max_ns", c->max_ns);
        put_number(&w->s, "sum_squares_ns2", c->sum_squares_ns2);
        put_object(&w->s, "counters", p->counter_names, c->counters, p->n_counters);
        sink_put(&w->s, "}\n");
    }
    return PORTOLAN_OK;
}

enum portolan_status write_jsonl(const struct job *job, struct portolan_error *err)
{
    struct writer w = {.trial = job->id};
    bool any;
    enum portolan_status status = job_has_rows(job, &any, err);

    if (status == PORTOLAN_OK)
        status = job_open(job, &w.s, err);
    if (status != PORTOLAN_OK)
        return status;
    status = any ? job_visit_rows(job, put_row, &w, err)
                 : job_visit_threads(job, false, put_thread, &w, err);
    return sink_close(&w.s, status, err);
}
