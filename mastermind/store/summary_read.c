/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries over ranks out of the store, computed where none is stored. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        status =
            portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no trial %lld", (long long)trial);
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
            status = summary_put(store, trial, set->rows, set->n, err);
        status = store_finish(store, status, err);
    }
    portolan_summary_set_destroy(set);
    return summary_explain(store, status, trial, err);
}

static void take_statistics(struct backend *b, enum statement which, int column,
                            struct portolan_statistics *s)
{
    s->sum = backend_double(b, which, column);
    s->mean = backend_double(b, which, column + 1);
    s->min = backend_double(b, which, column + 2);
    s->max = backend_double(b, which, column + 3);
    s->stddev = backend_double(b, which, column + 4);
    s->max_rank = (int)backend_int(b, which, column + 5);
}

static enum portolan_status take_row(struct backend *b, const struct trial_names *names,
                                     int64_t *places, struct portolan_summary_set *set,
                                     struct portolan_error *err)
{
    static const struct portolan_statistics unknown = {NAN, NAN, NAN, NAN, NAN, -1};
    struct portolan_path_summary *s = &set->rows[set->n];
    struct portolan_statistics *all[] = {&s->calls, &s->inclusive, &s->exclusive, &s->mpi};
    int64_t path = trial_names_find_path(names, backend_int(b, READ_SUMMARY, 0),
                                         set->n ? places[set->n - 1] : 0);
    const struct named_path *p;

    if (path < 0 || set->n == names->n_paths)
        return trial_names_missing(err);
    p = &names->paths[path];
    *s = (struct portolan_path_summary){
        .parent = -1,
        .user = p->user,
        .uses = p->uses,
        .instance = p->instance,
        .port = p->port,
        .implementation = p->implementation,
        .port_type = p->port_type,
        .method = p->method,
        .n_ranks = (int)backend_int(b, READ_SUMMARY, 2),
        .n_threads = (int)backend_int(b, READ_SUMMARY, 3),
        .timed_calls = backend_double(b, READ_SUMMARY, 4),
        .subroutines = backend_double(b, READ_SUMMARY, 5),
        .one_min_ns = backend_double(b, READ_SUMMARY, 6),
        .one_max_ns = backend_double(b, READ_SUMMARY, 7),
        .sum_squares_ns2 = backend_double(b, READ_SUMMARY, 8),
    };
    for (int i = 0; i < 4; ++i)
        take_statistics(b, READ_SUMMARY, SUMMARY_HEAD + i * STATISTICS_COLUMNS, all[i]);
    s->calls_sum = s->calls.sum;
    s->compute = s->mpi.max > 0 ? unknown : s->exclusive;
    places[set->n++] = path;
    return PORTOLAN_OK;
}

/* Rows are sorted by call path, as PLACES is. */
static int64_t find_row(const int64_t *places, size_t n, int64_t place)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (places[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && places[low] == place ? (int64_t)low : -1;
}

/* Where the statistics of a counter go; NULL: there are too many. */
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

        if (!texts_take(set->impl, b, READ_COUNTER_SUMMARY, 7, &name))
            status = portolan_no_memory(err);
        else if (at < 0 || !(s = place_of(&set->rows[at], name)))
            status = trial_names_missing(err);
        else
            take_statistics(b, READ_COUNTER_SUMMARY, 1, s);
    }
    backend_reset(b, READ_COUNTER_SUMMARY);
    return status;
}

/* What is stored; nothing when nothing is. */
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
        portolan_error_prefix(err, "store '%s': the summary of trial %lld cannot be read",
                              store->path, (long long)trial);
        portolan_summary_set_destroy(made);
        return status;
    }
    *set = made;
    return PORTOLAN_OK;
}
