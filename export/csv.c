/* SPDX-License-Identifier: BSD-3-Clause */
/* A flat table (RFC 4180): a row per call path, rank, thread and context, as it is stored. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct writer {
    struct sink s;
    int64_t trial;
    size_t n_counters; /* columns of the header */
    const char *const *counter_names;
};

/* Quoted where it must be; bytes that are no UTF-8 become '?'. */
static void put_field(struct sink *s, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    sink_put(s, quoted ? ",\"" : ",");
    for (size_t n; *text; text += n ? n : 1) {
        n = portolan_utf8_length(text);
        if (n == 0)
            sink_put(s, "?");
        else if (*text == '"')
            sink_put(s, "\"\"");
        else
            sink_bytes(s, text, n);
    }
    if (quoted)
        sink_put(s, "\"");
}

static void put_number(struct sink *s, double value)
{
    sink_put(s, ",");
    sink_number(s, value, "");
}

static void put_header(struct writer *w)
{
    sink_put(&w->s, "trial,rank,thread,path,depth,user,uses,instance,port,implementation,port_type,"
                    "method,context,binned,calls,timed_calls,subroutines,inclusive_ns,exclusive_ns,"
                    "mpi_ns,min_ns,max_ns,sum_squares_ns2");
    for (size_t i = 0; i < w->n_counters; i++)
        put_field(&w->s, w->counter_names[i]);
    sink_put(&w->s, "\r\n");
}

/* "root => child => leaf". */
static void add_path(struct portolan_text *text, const struct tree *t, const struct tree_node *n)
{
    if (n->above >= 0) {
        add_path(text, t, &t->nodes[n->above]);
        portolan_text_add(text, " => ");
    }
    portolan_text_add(text, "%s", n->label);
}

static void put_context(struct sink *s, const struct portolan_profile_node *of)
{
    struct portolan_text text = {0};

    for (int k = 0; of->is_context && k < of->n_context; k++)
        portolan_text_add(&text, "%s%s=%.12g", k ? " " : "", of->context_name[k], of->context[k]);
    put_field(s, text.bytes ? text.bytes : "");
    sink_put(s, of->is_context && of->binned ? ",1" : ",0");
    portolan_text_clear(&text);
}

static double counter_of(const struct writer *w, const struct portolan_profile *p,
                         const struct portolan_profile_cell *c, size_t column)
{
    for (size_t i = 0; i < p->n_counters; i++)
        if (!strcmp(p->counter_names[i], w->counter_names[column]))
            return c->counters[i];
    return 0;
}

static void put_row(struct writer *w, const struct portolan_profile *p, const char *path,
                    const struct portolan_profile_node *of, const struct portolan_profile_cell *c)
{
    struct sink *s = &w->s;

    sink_integer(s, w->trial);
    sink_put(s, ",");
    sink_integer(s, c->rank);
    sink_put(s, ",");
    sink_integer(s, c->thread);
    put_field(s, path);
    put_number(s, of->is_context ? of->depth - 1 : of->depth);
    put_field(s, of->user);
    put_field(s, of->uses);
    put_field(s, of->instance);
    put_field(s, of->port);
    put_field(s, of->implementation);
    put_field(s, of->port_type);
    put_field(s, of->method);
    put_context(s, of);
    put_number(s, c->calls);
    put_number(s, c->timed_calls);
    put_number(s, c->subroutines);
    put_number(s, c->inclusive_ns);
    put_number(s, c->exclusive_ns);
    put_number(s, c->mpi_ns);
    put_number(s, c->min_ns);
    put_number(s, c->max_ns);
    put_number(s, c->sum_squares_ns2);
    for (size_t i = 0; i < w->n_counters; i++)
        put_number(s, counter_of(w, p, c, i));
    sink_put(s, "\r\n");
}

/* What is left of a path besides its contexts, when anything is. */
static bool subtract_contexts(const struct portolan_profile *p, const struct tree_node *n,
                              struct portolan_profile_cell *rest, double *counters)
{
    *rest = *n->cell;
    rest->counters = counters;
    if (p->n_counters > 0)
        memcpy(counters, n->cell->counters, p->n_counters * sizeof *counters);
    for (size_t i = 0; i < n->n_contexts; i++) {
        const struct portolan_profile_cell *c = n->contexts[i].cell;

        rest->calls -= c->calls;
        rest->timed_calls -= c->timed_calls;
        rest->subroutines -= c->subroutines;
        rest->inclusive_ns -= c->inclusive_ns;
        rest->exclusive_ns -= c->exclusive_ns;
        rest->mpi_ns -= c->mpi_ns;
        rest->sum_squares_ns2 -= c->sum_squares_ns2;
        for (size_t k = 0; k < p->n_counters; k++)
            counters[k] -= c->counters[k];
    }
    return rest->calls > 0;
}

static enum portolan_status write_thread(void *arg, const struct portolan_profile *p,
                                         const struct tree *t, struct portolan_error *err)
{
    struct writer *w = arg;
    struct portolan_text path = {0};
    double *counters = portolan_calloc(p->n_counters + 1, sizeof *counters);
    bool failed = !counters;

    for (size_t i = 0; !failed && i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];
        struct portolan_profile_cell rest;

        path.length = 0;
        add_path(&path, t, n);
        failed = path.failed;
        for (size_t k = 0; !failed && k < n->n_contexts; k++)
            put_row(w, p, path.bytes, n->contexts[k].of, n->contexts[k].cell);
        if (!failed && subtract_contexts(p, n, &rest, counters))
            put_row(w, p, path.bytes, n->of, &rest);
    }
    portolan_text_clear(&path);
    free(counters);
    return failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

/* Its ranks may have counted different things. */
enum portolan_status write_csv(const struct job *job, struct portolan_error *err)
{
    struct writer w = {.trial = job->id};
    struct portolan_profile *sums = NULL;
    enum portolan_status status = job_read_sums(job, &sums, err);

    if (status == PORTOLAN_OK)
        status = job_open(job, &w.s, err);
    if (status == PORTOLAN_OK) {
        w.n_counters = sums->n_counters;
        w.counter_names = sums->counter_names;
        put_header(&w);
        status = job_visit_threads(job, true, write_thread, &w, err);
        status = sink_close(&w.s, status, err);
    }
    portolan_profile_destroy(sums);
    return status;
}
