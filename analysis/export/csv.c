/* SPDX-License-Identifier: BSD-3-Clause */
/* A flat table (RFC 4180): a row per call path, rank, thread and context, as it is stored. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds a field, in quotes if necessary; bytes that are not UTF-8 become '?'. */
static void put_field(struct portolan_text *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    portolan_text_add(out, quoted ? ",\"" : ",");
    for (size_t n; *text; text += n ? n : 1) {
        n = portolan_utf8_length(text);
        if (n == 0)
            portolan_text_add_bytes(out, "?", 1);
        else if (*text == '"')
            portolan_text_add_bytes(out, "\"\"", 2);
        else
            portolan_text_add_bytes(out, text, n);
    }
    if (quoted)
        portolan_text_add_bytes(out, "\"", 1);
}

static void put_number(struct portolan_text *out, double value)
{
    portolan_text_add_bytes(out, ",", 1);
    if (isfinite(value))
        portolan_text_add_number(out, value);
}

static void put_header(const struct job *job, struct portolan_text *out)
{
    portolan_text_add(out,
                      "trial,rank,thread,path,depth,user,uses,instance,port,implementation,"
                      "port_type,method,context,binned,calls,timed_calls,subroutines,inclusive_ns,"
                      "exclusive_ns,mpi_ns,min_ns,max_ns,sum_squares_ns2");
    for (size_t i = 0; i < job->sums->n_counters; i++)
        put_field(out, job->sums->counter_names[i]);
    portolan_text_add(out, "\r\n");
}

static void put_context(struct portolan_text *out, const struct portolan_profile_node *of)
{
    struct portolan_text text = {0};

    for (int k = 0; of->is_context && k < of->n_context; k++) {
        portolan_text_add(&text, "%s%s=", k ? " " : "", of->context_name[k]);
        portolan_profile_add_context(of->context[k], of->binned, &text);
    }
    put_field(out, text.bytes ? text.bytes : "");
    portolan_text_add(out, of->is_context && of->binned ? ",1" : ",0");
    out->failed |= text.failed;
    portolan_text_clear(&text);
}

static void put_row(struct job *job, const char *path, const struct portolan_profile_node *of,
                    const struct portolan_profile_cell *c)
{
    const char *const names[] = {of->user,           of->uses,      of->instance, of->port,
                                 of->implementation, of->port_type, of->method};
    const double numbers[] = {c->calls,        c->timed_calls,  c->subroutines,
                              c->inclusive_ns, c->exclusive_ns, c->mpi_ns,
                              c->min_ns,       c->max_ns,       c->sum_squares_ns2};
    struct portolan_text *out = &job->sink.text;

    portolan_text_add_number(out, (double)job->id);
    put_number(out, c->rank);
    put_number(out, c->thread);
    put_field(out, path);
    put_number(out, of->is_context ? of->depth - 1 : of->depth);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_field(out, names[i]);
    put_context(out, of);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put_number(out, numbers[i]);
    for (size_t i = 0; i < job->sums->n_counters; i++)
        put_number(out, c->counters[i]);
    portolan_text_add(out, "\r\n");
    sink_flush(&job->sink);
}

/* Sets REST to the calls of a path without its contexts; false if there are none. */
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
    struct portolan_text path = {0};
    double *counters = portolan_calloc(p->n_counters + 1, sizeof *counters);
    bool failed = !counters;

    for (size_t i = 0; !failed && i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];
        struct portolan_profile_cell rest;

        path.length = 0;
        tree_add_path(&path, t, n, " => ", NULL);
        failed = path.failed;
        for (size_t k = 0; !failed && k < n->n_contexts; k++)
            put_row(arg, path.bytes, n->contexts[k].of, n->contexts[k].cell);
        if (!failed && subtract_contexts(p, n, &rest, counters))
            put_row(arg, path.bytes, n->of, &rest);
    }
    portolan_text_clear(&path);
    free(counters);
    return failed ? portolan_no_memory(err) : PORTOLAN_OK;
}

enum portolan_status write_csv(struct job *job, struct portolan_error *err)
{
    enum portolan_status status = job_read_sums(job, err);

    if (status != PORTOLAN_OK)
        return status;
    put_header(job, &job->sink.text);
    return job_visit_threads(job, true, write_thread, job, err);
}
