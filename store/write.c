/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples into rows: identities first, made where missing, then the values. */
#include "internal.h"

#include <stdlib.h>

/* Rows of the step being stored. */
struct put {
    struct backend *backend;
    int64_t trial, step, time_metric, mpi_metric;
    int64_t *callpaths, *call_data; /* of the samples so far, by position */
    struct portolan_error *err;
};

static const char *text(const char *t)
{
    return t ? t : "";
}

static enum portolan_status find_metric(struct put *p, const char *name, const char *unit,
                                        int64_t *id)
{
    enum portolan_status status =
        backend_run(p->backend, FIND_METRIC, id, p->err, "it", p->trial, name);

    if (!status && !*id)
        status = backend_run(p->backend, ADD_METRIC, id, p->err, "itt", p->trial, name, unit);
    return status;
}

static enum portolan_status find_step(struct put *p, int step)
{
    int64_t found = 0;
    enum portolan_status status = backend_run(p->backend, HAS_TRIAL, &found, p->err, "i", p->trial);

    if (!status && !found)
        return portolan_error_set(p->err, PORTOLAN_ENOTFOUND, "there is no such trial");
    if (!status)
        status =
            backend_run(p->backend, FIND_STEP, &p->step, p->err, "ii", p->trial, (int64_t)step);
    if (!status && !p->step)
        status = backend_run(p->backend, ADD_STEP, &p->step, p->err, "ii", p->trial, (int64_t)step);
    if (!status)
        status = find_metric(p, "TIME", "ns", &p->time_metric);
    if (!status)
        status = find_metric(p, "MPI TIME", "ns", &p->mpi_metric);
    return status;
}

static enum portolan_status find_thread(struct put *p, const struct portolan_sample *s, int64_t *id)
{
    enum portolan_status status = backend_run(p->backend, FIND_THREAD, id, p->err, "iii", p->trial,
                                              (int64_t)s->rank, (int64_t)s->thread);

    if (!status && !*id)
        status = backend_run(p->backend, ADD_THREAD, id, p->err, "iii", p->trial, (int64_t)s->rank,
                             (int64_t)s->thread);
    return status;
}

static enum portolan_status find_timer(struct put *p, const struct portolan_sample *s, int64_t *id)
{
    struct backend *b = p->backend;
    int64_t component = 0, port = 0;
    enum portolan_status status;

    status = backend_run(b, FIND_COMPONENT, &component, p->err, "itt", p->trial, text(s->instance),
                         text(s->implementation));
    if (!status && !component)
        status = backend_run(b, ADD_COMPONENT, &component, p->err, "itt", p->trial,
                             text(s->instance), text(s->implementation));
    if (!status)
        status = backend_run(b, FIND_PORT, &port, p->err, "itt", component, text(s->port),
                             text(s->port_type));
    if (!status && !port)
        status = backend_run(b, ADD_PORT, &port, p->err, "itt", component, text(s->port),
                             text(s->port_type));
    if (!status)
        status = backend_run(b, FIND_TIMER, id, p->err, "it", port, text(s->method));
    if (!status && !*id)
        status = backend_run(b, ADD_TIMER, id, p->err, "it", port, text(s->method));
    return status;
}

static enum portolan_status find_callpath(struct put *p, const struct portolan_sample *s,
                                          int64_t *id)
{
    int64_t parent = s->parent < 0 ? 0 : p->callpaths[s->parent], timer = 0;
    enum portolan_status status = find_timer(p, s, &timer);

    if (!status)
        status = backend_run(p->backend, FIND_CALLPATH, id, p->err, "iitt", timer, parent,
                             text(s->user), text(s->uses));
    if (!status && !*id)
        status = backend_run(p->backend, ADD_CALLPATH, id, p->err, "iitt", timer, parent,
                             text(s->user), text(s->uses));
    return status;
}

static enum portolan_status put_counter(struct put *p, const char *name, double count, int64_t id)
{
    int64_t metric = 0;
    enum portolan_status status = find_metric(p, text(name), "events", &metric);

    return status ? status
                  : backend_run(p->backend, ADD_VALUE, NULL, p->err, "iidtttt", id, metric, count,
                                NULL, NULL, NULL, NULL);
}

static enum portolan_status put_values(struct put *p, const struct portolan_sample *s, int64_t id)
{
    enum portolan_status status =
        backend_run(p->backend, ADD_VALUE, NULL, p->err, "iiddddd", id, p->time_metric,
                    s->inclusive_ns, s->exclusive_ns, s->min_ns, s->max_ns, s->sum_squares_ns2);

    if (!status && s->mpi_ns != 0)
        status = backend_run(p->backend, ADD_VALUE, NULL, p->err, "iitdttt", id, p->mpi_metric,
                             NULL, s->mpi_ns, NULL, NULL, NULL);
    for (int i = 0; i < s->n_counters && !status; ++i)
        status = put_counter(p, s->counter_name[i], s->counter[i], id);
    for (int i = 0; i < s->n_context && !status; ++i)
        status = backend_run(p->backend, ADD_CONTEXT, NULL, p->err, "iitd", id, (int64_t)i,
                             text(s->context_name[i]), s->context[i]);
    return status;
}

static enum portolan_status put_sample(struct put *p, const struct portolan_sample *samples,
                                       size_t at)
{
    const struct portolan_sample *s = &samples[at];
    int64_t thread = 0, parent;
    enum portolan_status status;

    if (s->parent >= (int64_t)at || s->n_context < 0 || s->n_context > PORTOLAN_CONTEXT_MAX ||
        s->n_counters < 0 || s->n_counters > PORTOLAN_COUNTER_MAX ||
        (s->parent >= 0 && samples[s->parent].rank != s->rank))
        return portolan_error_set(p->err, PORTOLAN_EINVAL,
                                  "sample %zu: its parent must stand before it and be of its rank, "
                                  "and %d contexts and %d counters are the limit",
                                  at, PORTOLAN_CONTEXT_MAX, PORTOLAN_COUNTER_MAX);
    parent = s->parent < 0 ? 0 : p->call_data[s->parent];
    status = find_thread(p, s, &thread);
    if (!status)
        status = find_callpath(p, s, &p->callpaths[at]);
    if (!status)
        status = backend_run(p->backend, ADD_CALL_DATA, &p->call_data[at], p->err, "iiiiiiid",
                             p->step, thread, p->callpaths[at], parent, s->calls, s->subroutines,
                             (int64_t)s->binned, s->quality);
    return status ? status : put_values(p, s, p->call_data[at]);
}

enum portolan_status portolan_store_put_step(struct portolan_store *store, int64_t trial, int step,
                                             const struct portolan_sample *samples, size_t n,
                                             struct portolan_error *err)
{
    struct put p = {.backend = store->backend, .trial = trial, .err = err};
    enum portolan_status status = PORTOLAN_OK;

    p.callpaths = portolan_calloc(n + 1, sizeof *p.callpaths);
    p.call_data = portolan_calloc(n + 1, sizeof *p.call_data);
    if (!p.callpaths || !p.call_data)
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if (!status && !(status = store_start(store, err))) {
        status = find_step(&p, step);
        for (size_t i = 0; i < n && !status; ++i)
            status = put_sample(&p, samples, i);
        status = store_finish(store, status, err);
    }
    free(p.callpaths);
    free(p.call_data);
    if (status)
        portolan_error_prefix(err, "store '%s': step %d of trial %lld was not stored", store->path,
                              step, (long long)trial);
    return status;
}
