/* SPDX-License-Identifier: BSD-3-Clause */
/* What every format does with its job: open its file, read its profiles, find its metric. */
#include "internal.h"

#include <inttypes.h>
#include <string.h>

enum portolan_status job_open(const struct job *job, struct sink *s, struct portolan_error *err)
{
    const struct portolan_export_options *o = job->options;

    if (o->path)
        return sink_open(s, o->path, o->force, err);
    sink_use(s, o->stream);
    return PORTOLAN_OK;
}

enum portolan_status job_read_sums(const struct job *job, struct portolan_profile **p,
                                   struct portolan_error *err)
{
    const struct portolan_profile_query query = {.trial = job->id, .rank = job->options->rank};

    return portolan_profile_read(job->store, &query, p, err);
}

static enum portolan_status visit_rank(const struct portolan_profile *p, int rank,
                                       job_thread_fn visit, void *arg, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    int last = 0, thread = -1; /* a rank that did nothing still has its thread 0 */

    for (size_t i = 0; i < p->n_cells; i++)
        last = p->cells[i].thread > last ? p->cells[i].thread : last;
    while (status == PORTOLAN_OK && ++thread <= last) {
        struct tree t = {0};

        status = tree_of_thread(&t, p, thread, err);
        t.rank = rank;
        if (status == PORTOLAN_OK && (t.n > 0 || thread == 0))
            status = visit(arg, p, &t, err);
        portolan_arena_clear(&t.arena);
    }
    return status;
}

enum portolan_status job_visit_threads(const struct job *job, bool contexts, job_thread_fn visit,
                                       void *arg, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (int i = 0; status == PORTOLAN_OK && i < job->n_ranks; i++) {
        struct portolan_profile *p = NULL;

        status =
            portolan_profile_read_rank(job->store, job->id, job->first_rank + i, contexts, &p, err);
        if (status == PORTOLAN_OK)
            status = visit_rank(p, job->first_rank + i, visit, arg, err);
        portolan_profile_destroy(p);
    }
    return status;
}

bool is_time(const char *metric)
{
    return !metric || !strcasecmp(metric, "time");
}

bool is_mpi(const char *metric)
{
    return metric && (!strcasecmp(metric, "mpi") || !strcasecmp(metric, "mpi time"));
}

enum portolan_status job_find_metric(const struct job *job, const struct portolan_profile *p,
                                     int *metric, struct portolan_error *err)
{
    const char *wanted = job->options->metric;
    struct portolan_text known = {0};

    *metric = TREE_TIME;
    if (is_time(wanted))
        return PORTOLAN_OK;
    if (is_mpi(wanted) || !strcasecmp(wanted, "calls")) {
        *metric = is_mpi(wanted) ? TREE_MPI : TREE_CALLS;
        return PORTOLAN_OK;
    }
    for (size_t i = 0; i < p->n_counters; i++) {
        if (!strcmp(wanted, p->counter_names[i])) {
            *metric = TREE_COUNTERS + (int)i;
            return PORTOLAN_OK;
        }
        portolan_text_add(&known, ", %s", p->counter_names[i]);
    }
    portolan_error_set(err, PORTOLAN_ENOTFOUND,
                       "trial %" PRId64 " has no metric '%s'; there are: time, mpi, calls%s",
                       job->id, wanted, known.bytes ? known.bytes : "");
    portolan_text_clear(&known);
    return PORTOLAN_ENOTFOUND;
}

double tree_value(const struct tree_node *n, int metric)
{
    return metric == TREE_CALLS ? n->calls : n->exclusive[metric];
}
