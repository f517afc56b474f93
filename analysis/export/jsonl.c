/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON Lines: an object per call if rows are stored, or else per call path, rank and thread. */
#include "internal.h"

struct writer {
    struct job *job;
    struct portolan_json json;
};

static void begin(struct writer *w, int rank, int thread)
{
    portolan_json_open(&w->json, NULL, '{');
    portolan_json_number(&w->json, "trial", (double)w->job->id);
    portolan_json_number(&w->json, "rank", rank);
    portolan_json_number(&w->json, "thread", thread);
}

static int put_row(void *arg, const struct portolan_sample *path,
                   const struct portolan_invocation *row)
{
    struct writer *w = arg;
    struct portolan_json *j = &w->json;
    const struct portolan_profile_node names = portolan_profile_node_of(path);

    begin(w, path->rank, path->thread);
    portolan_json_number(j, "step", row->step);
    portolan_profile_write_names(j, &names);
    portolan_json_number(j, "ordinal", (double)row->ordinal);
    portolan_json_number(j, "start_ns", row->start_ns);
    portolan_json_number(j, "inclusive_ns", row->inclusive_ns);
    portolan_json_number(j, "exclusive_ns", row->exclusive_ns);
    portolan_json_number(j, "mpi_ns", row->mpi_ns);
    portolan_json_number(j, "quality", row->quality);
    portolan_json_number(j, "one_in", row->one_in);
    portolan_json_numbers(j, "context", path->context_name, row->context, (size_t)path->n_context);
    portolan_json_numbers(j, "counters", path->counter_name, row->counter, (size_t)row->n_counters);
    portolan_json_close(j, '}');
    sink_flush(&w->job->sink);
    return w->job->sink.error != 0;
}

static void put_path(struct portolan_json *j, const struct tree *t, const struct tree_node *n)
{
    if (n->above >= 0)
        put_path(j, t, &t->nodes[n->above]);
    portolan_json_text(j, NULL, n->label);
}

static enum portolan_status put_thread(void *arg, const struct portolan_profile *p,
                                       const struct tree *t, struct portolan_error *err)
{
    struct writer *w = arg;
    struct portolan_json *j = &w->json;

    (void)err;
    for (size_t i = 0; i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];
        const struct portolan_profile_cell *c = n->cell;

        begin(w, t->rank, t->thread);
        portolan_json_open(j, "path", '[');
        put_path(j, t, n);
        portolan_json_close(j, ']');
        portolan_profile_write_names(j, n->of);
        portolan_json_number(j, "calls", c->calls);
        portolan_json_number(j, "timed_calls", c->timed_calls);
        portolan_json_number(j, "subroutines", c->subroutines);
        portolan_json_number(j, "inclusive_ns", c->inclusive_ns);
        portolan_json_number(j, "exclusive_ns", c->exclusive_ns);
        portolan_json_number(j, "mpi_ns", c->mpi_ns);
        portolan_json_number(j, "min_ns", c->min_ns);
        portolan_json_number(j, "max_ns", c->max_ns);
        portolan_json_number(j, "sum_squares_ns2", c->sum_squares_ns2);
        portolan_json_numbers(j, "counters", p->counter_names, c->counters, p->n_counters);
        portolan_json_close(j, '}');
        sink_flush(&w->job->sink);
    }
    return PORTOLAN_OK;
}

enum portolan_status write_jsonl(struct job *job, struct portolan_error *err)
{
    struct writer w = {.job = job, .json = {.out = &job->sink.text, .is_compact = true}};
    bool any;
    enum portolan_status status =
        portolan_profile_has_rows(job->store, job->id, job->options->rank, &any, err);

    if (status != PORTOLAN_OK)
        return status;
    return any ? job_visit_rows(job, put_row, &w, err)
               : job_visit_threads(job, false, put_thread, &w, err);
}
