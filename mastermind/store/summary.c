/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries over ranks: storing them, and reading them, or computing them where none is stored. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ into the store */

static const struct column summary_columns[] = {
    COLUMN(INT, portolan_path_summary, n_ranks),
    COLUMN(INT, portolan_path_summary, n_threads),
    COLUMN(DOUBLE, portolan_path_summary, timed_calls),
    COLUMN(DOUBLE, portolan_path_summary, subroutines),
    COLUMN(DOUBLE, portolan_path_summary, one_min_ns),
    COLUMN(DOUBLE, portolan_path_summary, one_max_ns),
    COLUMN(DOUBLE, portolan_path_summary, sum_squares_ns2),
};
static const struct column statistics_columns[] = {
    COLUMN(DOUBLE, portolan_statistics, sum),    COLUMN(DOUBLE, portolan_statistics, mean),
    COLUMN(DOUBLE, portolan_statistics, min),    COLUMN(DOUBLE, portolan_statistics, max),
    COLUMN(DOUBLE, portolan_statistics, stddev), COLUMN(INT, portolan_statistics, max_rank),
};

/* Columns of summary: call path and trial, those above, then four statistics. */
enum { SUMMARY_IDS = 2, SUMMARY_COLUMNS = 7, STATISTICS_COLUMNS = 6 };

/* The first column of the statistics of QUANTITY, one of the first four. */
static int column_of(int quantity)
{
    return SUMMARY_IDS + SUMMARY_COLUMNS + quantity * STATISTICS_COLUMNS;
}

/* Name of a counter of a summary that holds the computing time, if there is MPI time. */
#define SUMMARY_COMPUTE "COMPUTE TIME"

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

static void fill_row(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    struct portolan_path_summary s = p->rows[row];

    v[0].i = p->paths[row].callpath;
    v[1].i = p->trial;
    columns_put(summary_columns, SUMMARY_COLUMNS, &s, v + SUMMARY_IDS);
    for (int q = 0; q < 4; ++q)
        columns_put(statistics_columns, STATISTICS_COLUMNS, portolan_path_summary_peek(&s, q),
                    v + column_of(q));
}

static void fill_counter(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct counter_place *c = &p->counters[row];

    v[0].i = p->paths[c->row].callpath;
    v[1].i = c->metric;
    columns_put(statistics_columns, STATISTICS_COLUMNS, c->statistics, v + 2);
}

static enum portolan_status find_paths(struct portolan_store *store, struct put *p, size_t n,
                                       struct portolan_error *err)
{
    struct portolan_sample *samples = portolan_calloc(n + 1, sizeof *samples);
    enum portolan_status status = samples ? PORTOLAN_OK : portolan_no_memory(err);

    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_path_summary *s = &p->rows[i];

        samples[i].parent = s->parent;
        COPY_PATH(&samples[i], s);
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
    enum portolan_status status = identity_of(store, IDENTITY_METRIC, &c.metric, err, name, unit);

    if (!status && !portolan_reserve(&p->counters, capacity, p->n_counters + 1, sizeof c))
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

static enum portolan_status put_summary(struct portolan_store *store, int64_t trial,
                                        const struct portolan_path_summary *rows, size_t n,
                                        struct portolan_error *err)
{
    struct backend *b = store->backend;
    struct put p = {.rows = rows, .trial = trial};
    enum portolan_status status = find_paths(store, &p, n, err);
    size_t capacity = 0;
    int64_t metric;

    if (!status)
        status = identity_of(store, IDENTITY_METRIC, &metric, err, "TIME", "ns");
    if (!status)
        status = identity_of(store, IDENTITY_METRIC, &metric, err, "MPI TIME", "ns");
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

static enum portolan_status explain_summary(struct portolan_store *store,
                                            enum portolan_status status, int64_t trial,
                                            struct portolan_error *err)
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
        status = store_finish(store, put_summary(store, trial, rows, n, err), err);
    return explain_summary(store, status, trial, err);
}

/* ------------------------------------------------------------------ out of it */

void portolan_summary_set_destroy(struct portolan_summary_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->rows);
    free(set);
}

static struct portolan_summary_set *create_set(void)
{
    struct portolan_summary_set *set = portolan_calloc(1, sizeof *set);

    if (set && !(set->impl = texts_create())) {
        free(set);
        return NULL;
    }
    return set;
}

/* How many ranks the trial has. */
static enum portolan_status read_ranks(struct backend *b, int64_t trial, int *ranks,
                                       struct portolan_error *err)
{
    bool row = false;
    enum portolan_status status = backend_query(b, READ_TRIALS, err, "itttii", trial, NULL, NULL,
                                                NULL, (int64_t)0, (int64_t)0);

    if (!status)
        status = backend_next(b, READ_TRIALS, &row, err);
    if (!status && !row)
        status = store_has_no_trial(trial, err);
    if (!status)
        *ranks = (int)backend_int(b, READ_TRIALS, 1);
    backend_reset(b, READ_TRIALS);
    return status;
}

enum portolan_status portolan_store_summarise(struct portolan_store *store, int64_t trial,
                                              struct portolan_error *err)
{
    struct portolan_summary_set *set = create_set();
    enum portolan_status status = set ? PORTOLAN_OK : portolan_no_memory(err);

    if (!status && !(status = store_begin(store, trial, err))) {
        status = read_ranks(store->backend, trial, &set->ranks, err);
        if (!status)
            status = summary_compute(store->backend, trial, set, set->impl, err);
        if (!status)
            status = put_summary(store, trial, set->rows, set->n, err);
        status = store_finish(store, status, err);
    }
    portolan_summary_set_destroy(set);
    return explain_summary(store, status, trial, err);
}

static enum portolan_status take_row(struct backend *b, const struct trial_names *names,
                                     int64_t *places, struct portolan_summary_set *set,
                                     struct portolan_error *err)
{
    static const struct portolan_statistics unknown = {NAN, NAN, NAN, NAN, NAN, -1};
    struct portolan_path_summary *s = &set->rows[set->n];
    int64_t path = trial_names_find_path(names, backend_int(b, READ_SUMMARY, 0),
                                         set->n ? places[set->n - 1] : 0);

    if (path < 0 || set->n == names->n_paths)
        return trial_names_missing(err);
    s->parent = -1;
    COPY_PATH(s, &names->paths[path]);
    columns_take(summary_columns, SUMMARY_COLUMNS, b, READ_SUMMARY, SUMMARY_IDS, NULL, s);
    for (int q = 0; q < 4; ++q)
        columns_take(statistics_columns, STATISTICS_COLUMNS, b, READ_SUMMARY, column_of(q), NULL,
                     portolan_path_summary_peek(s, q));
    s->calls_sum = s->calls.sum;
    s->compute = s->mpi.max > 0 ? unknown : s->exclusive;
    places[set->n++] = path;
    return PORTOLAN_OK;
}

/* The position of a call path's row: rows and PLACES are both sorted by call path. */
static int64_t find_row(const int64_t *places, size_t n, int64_t place)
{
    return ids_find(places, n, sizeof *places, place);
}

/* Returns the place for the statistics of a counter; NULL: there are too many. */
static struct portolan_statistics *place_of(struct portolan_path_summary *s, const char *name)
{
    if (!strcmp(name, SUMMARY_COMPUTE))
        return &s->compute;
    if (s->n_counters == PORTOLAN_SUMMARY_COUNTER_MAX)
        return NULL;
    s->counter_name[s->n_counters] = name;
    return &s->counter[s->n_counters++];
}

static enum portolan_status read_counters(struct backend *b, int64_t trial,
                                          const struct trial_names *names, const int64_t *places,
                                          struct portolan_summary_set *set,
                                          struct portolan_error *err)
{
    enum portolan_status status = backend_query(b, READ_COUNTER_SUMMARY, err, "i", trial);
    bool row;

    while (!status && !(status = backend_next(b, READ_COUNTER_SUMMARY, &row, err)) && row) {
        int64_t at =
            find_row(places, set->n,
                     trial_names_find_path(names, backend_int(b, READ_COUNTER_SUMMARY, 0), -1));
        struct portolan_statistics *s;
        const char *name;

        if (!(name = texts_intern(set->impl, backend_text(b, READ_COUNTER_SUMMARY, 7))))
            status = portolan_no_memory(err);
        else if (at < 0 || !(s = place_of(&set->rows[at], name)))
            status = trial_names_missing(err);
        else
            columns_take(statistics_columns, STATISTICS_COLUMNS, b, READ_COUNTER_SUMMARY, 1, NULL,
                         s);
    }
    backend_reset(b, READ_COUNTER_SUMMARY);
    return status;
}

/* Reads what is stored; an empty set if nothing is. */
static enum portolan_status read_stored(struct backend *b, int64_t trial,
                                        struct portolan_summary_set *set,
                                        struct portolan_error *err)
{
    struct trial_names names = {0};
    int64_t *places = NULL;
    enum portolan_status status = backend_query(b, READ_SUMMARY, err, "i", trial);
    bool row = false;

    if (!status)
        status = backend_next(b, READ_SUMMARY, &row, err);
    if (!status && row && !(status = trial_names_read(&names, b, trial, set->impl, err))) {
        places = portolan_calloc(names.n_paths + 1, sizeof *places);
        set->rows = portolan_calloc(names.n_paths + 1, sizeof *set->rows);
        if (!places || !set->rows)
            status = portolan_no_memory(err);
    }
    while (!status && row && !(status = take_row(b, &names, places, set, err)))
        status = backend_next(b, READ_SUMMARY, &row, err);
    backend_reset(b, READ_SUMMARY);
    for (size_t i = 0; i < set->n && !status; ++i) {
        int64_t parent = names.paths[places[i]].parent;

        if (parent)
            set->rows[i].parent = find_row(places, i, trial_names_find_path(&names, parent, -1));
    }
    if (!status && set->n)
        status = read_counters(b, trial, &names, places, set, err);
    trial_names_clear(&names);
    free(places);
    return status;
}

enum portolan_status portolan_store_read_summary(struct portolan_store *store, int64_t trial,
                                                 struct portolan_summary_set **set,
                                                 bool *was_stored, struct portolan_error *err)
{
    struct portolan_summary_set *made = create_set();
    enum portolan_status status = made ? PORTOLAN_OK : portolan_no_memory(err);

    *set = NULL;
    if (!status && !(status = store_start_reading(store, err))) {
        status = read_ranks(store->backend, trial, &made->ranks, err);
        if (!status)
            status = read_stored(store->backend, trial, made, err);
        if (!status && was_stored)
            *was_stored = made->n > 0;
        if (!status && !made->n)
            status = summary_compute(store->backend, trial, made, made->impl, err);
        status = store_finish_reading(store, status, err);
    }
    if (status) {
        portolan_summary_set_destroy(made);
        return store_unread(store, status, err, "the summary", trial);
    }
    *set = made;
    return PORTOLAN_OK;
}
