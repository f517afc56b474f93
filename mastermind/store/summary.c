/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries over ranks: how two become one, and their way into the store. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ merging */

struct portolan_statistics *portolan_path_summary_peek(struct portolan_path_summary *s,
                                                       int quantity)
{
    struct portolan_statistics *fixed[PORTOLAN_SUMMARY_QUANTITIES] = {
        &s->calls, &s->inclusive, &s->exclusive, &s->mpi, &s->compute};

    return quantity < PORTOLAN_SUMMARY_QUANTITIES
               ? fixed[quantity]
               : &s->counter[quantity - PORTOLAN_SUMMARY_QUANTITIES];
}

void portolan_path_summary_of_rank(struct portolan_path_summary *s, int rank)
{
    for (int q = 0; q < PORTOLAN_SUMMARY_QUANTITIES + s->n_counters; ++q) {
        struct portolan_statistics *one = portolan_path_summary_peek(s, q);

        *one = (struct portolan_statistics){one->sum, one->sum, one->sum, one->sum, 0, rank};
    }
    s->n_ranks = 1;
    s->calls_sum = s->calls.sum;
}

static void merge_statistics(struct portolan_statistics *s, int first, int n,
                             const struct portolan_statistics *other, int m)
{
    double difference = other->mean - s->mean, all = (double)n + m;
    double squares = s->stddev * s->stddev * n + other->stddev * other->stddev * m +
                     difference * difference * n * m / all;

    if (n == 0) {
        *s = *other;
        return;
    }
    if (s->min >= s->max) /* all are alike */
        s->max_rank = first;
    if (other->max > s->max)
        s->max_rank = other->min >= other->max ? first + n : other->max_rank;
    s->sum += other->sum;
    s->mean += difference * m / all;
    s->min = fmin(s->min, other->min);
    s->max = fmax(s->max, other->max);
    s->stddev = sqrt(squares / all);
}

void portolan_path_summary_merge(struct portolan_path_summary *s, int first, int n,
                                 const struct portolan_path_summary *other, int m)
{
    struct portolan_path_summary more = {0};

    if (m <= 0)
        return;
    if (other)
        more = *other;
    for (int q = 0; q < PORTOLAN_SUMMARY_QUANTITIES + s->n_counters; ++q)
        merge_statistics(portolan_path_summary_peek(s, q), first, n,
                         portolan_path_summary_peek(&more, q), m);
    if (more.timed_calls > 0) { /* extremes are of timed calls */
        bool had_some = s->timed_calls > 0;

        s->one_min_ns = had_some ? fmin(s->one_min_ns, more.one_min_ns) : more.one_min_ns;
        s->one_max_ns = had_some ? fmax(s->one_max_ns, more.one_max_ns) : more.one_max_ns;
    }
    s->n_ranks += more.n_ranks;
    s->n_threads += more.n_threads;
    s->timed_calls += more.timed_calls;
    s->subroutines += more.subroutines;
    s->sum_squares_ns2 += more.sum_squares_ns2;
    s->calls_sum = s->calls.sum;
}

/* ------------------------------------------------------------------ into the store */

/* callpath, trial, ranks, threads, timed calls, subroutines, one call's least, most, squares; then
 * the four statistics. */
static const char summary_types[] = "iiiiddddd"
                                    "dddddi"
                                    "dddddi"
                                    "dddddi"
                                    "dddddi";

struct put {
    const struct portolan_path_summary *rows;
    int64_t trial;
    struct identity *paths; /* by position */
    size_t n_counters;
    struct counter_place {
        size_t row;
        const struct portolan_statistics *statistics;
        int64_t metric;
    } * counters;
};

static void fill_statistics(const struct portolan_statistics *s, union backend_value *v)
{
    v[0].d = s->sum;
    v[1].d = s->mean;
    v[2].d = s->min;
    v[3].d = s->max;
    v[4].d = s->stddev;
    v[5].i = s->max_rank;
}

static void fill_row(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct portolan_path_summary *s = &p->rows[row];
    const struct portolan_statistics *all[] = {&s->calls, &s->inclusive, &s->exclusive, &s->mpi};

    v[0].i = p->paths[row].callpath;
    v[1].i = p->trial;
    v[2].i = s->n_ranks;
    v[3].i = s->n_threads;
    v[4].d = s->timed_calls;
    v[5].d = s->subroutines;
    v[6].d = s->one_min_ns;
    v[7].d = s->one_max_ns;
    v[8].d = s->sum_squares_ns2;
    for (int i = 0; i < 4; ++i)
        fill_statistics(all[i], v + SUMMARY_HEAD + i * STATISTICS_COLUMNS);
}

static void fill_counter(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct counter_place *c = &p->counters[row];

    v[0].i = p->paths[c->row].callpath;
    v[1].i = c->metric;
    fill_statistics(c->statistics, v + 2);
}

static enum portolan_status find_paths(struct portolan_store *store, struct put *p, size_t n,
                                       struct portolan_error *err)
{
    struct portolan_sample *samples = portolan_calloc(n + 1, sizeof *samples);
    enum portolan_status status = samples ? PORTOLAN_OK : portolan_no_memory(err);

    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_path_summary *s = &p->rows[i];

        samples[i] = (struct portolan_sample){.parent = s->parent,
                                              .user = s->user,
                                              .uses = s->uses,
                                              .instance = s->instance,
                                              .port = s->port,
                                              .implementation = s->implementation,
                                              .port_type = s->port_type,
                                              .method = s->method};
        if (s->n_counters < 0 || s->n_counters > PORTOLAN_SUMMARY_COUNTER_MAX)
            status = portolan_error_set(err, PORTOLAN_EINVAL, "row %zu: %d counters are the limit",
                                        i, PORTOLAN_SUMMARY_COUNTER_MAX);
    }
    if (!status)
        status = identities_of_samples(store, samples, n, true, &p->paths, err);
    free(samples);
    return status;
}

static enum portolan_status add_counter(struct portolan_store *store, struct put *p,
                                        struct counter_place c, const char *name, const char *unit,
                                        size_t *capacity, struct portolan_error *err)
{
    enum portolan_status status = identity_of_metric(store, name, unit, &c.metric, err);

    if (!status && !store_reserve(&p->counters, capacity, p->n_counters, sizeof c))
        status = portolan_no_memory(err);
    if (!status)
        p->counters[p->n_counters++] = c;
    return status;
}

static enum portolan_status find_counters(struct portolan_store *store, struct put *p, size_t at,
                                          size_t *capacity, struct portolan_error *err)
{
    const struct portolan_path_summary *s = &p->rows[at];
    enum portolan_status status = PORTOLAN_OK;

    if (s->mpi.max > 0) /* else it is the exclusive time */
        status = add_counter(store, p, (struct counter_place){at, &s->compute, 0}, SUMMARY_COMPUTE,
                             "ns", capacity, err);
    for (int i = 0; i < s->n_counters && !status; ++i)
        status = add_counter(store, p, (struct counter_place){at, &s->counter[i], 0},
                             s->counter_name[i], "events", capacity, err);
    return status;
}

enum portolan_status summary_put(struct portolan_store *store, int64_t trial,
                                 const struct portolan_path_summary *rows, size_t n,
                                 struct portolan_error *err)
{
    struct backend *b = store->backend;
    struct put p = {.rows = rows, .trial = trial};
    enum portolan_status status = find_paths(store, &p, n, err);
    size_t capacity = 0;
    int64_t metric;

    if (!status)
        status = identity_of_metric(store, "TIME", "ns", &metric, err);
    if (!status)
        status = identity_of_metric(store, "MPI TIME", "ns", &metric, err);
    for (size_t i = 0; i < n && !status; ++i)
        status = find_counters(store, &p, i, &capacity, err);
    if (!status && !(status = backend_run(b, DELETE_COUNTER_SUMMARY, NULL, err, "i", trial)) &&
        !(status = backend_run(b, DELETE_SUMMARY, NULL, err, "i", trial)) &&
        !(status = backend_put_rows(b, PUT_SUMMARY, summary_types, n, fill_row, &p, err)))
        status = backend_put_rows(b, PUT_COUNTER_SUMMARY, "iidddddi", p.n_counters, fill_counter,
                                  &p, err);
    free(p.paths);
    free(p.counters);
    return status;
}

enum portolan_status summary_explain(struct portolan_store *store, enum portolan_status status,
                                     int64_t trial, struct portolan_error *err)
{
    if (status)
        portolan_error_prefix(err, "store '%s': the summary of trial %lld was not stored",
                              store->path, (long long)trial);
    return status;
}

enum portolan_status portolan_store_put_summary(struct portolan_store *store, int64_t trial,
                                                const struct portolan_path_summary *rows, size_t n,
                                                struct portolan_error *err)
{
    enum portolan_status status = store_begin(store, trial, err);

    if (!status)
        status = store_finish(store, summary_put(store, trial, rows, n, err), err);
    return summary_explain(store, status, trial, err);
}
