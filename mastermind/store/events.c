/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that a program gave by name. */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------ into the store */

struct put {
    const struct portolan_event *events;
    const struct identity *paths;
    int64_t trial;
    struct place {
        int64_t counter, thread;
    } * places; /* of the events */
};

static void fill_event(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct portolan_event *e = &p->events[row];
    double n = (double)e->count, variance = e->sum_squares / n - e->mean * e->mean;

    v[0].i = p->places[row].counter;
    v[1].i = e->path < 0 ? 0 : p->paths[e->path].callpath;
    v[2].i = p->places[row].thread;
    v[3].i = e->count;
    v[4].d = e->max;
    v[5].d = e->min;
    v[6].d = e->mean;
    v[7].d = n > 0 ? sqrt(fmax(variance, 0)) : NAN;
    v[8].d = e->sum_squares;
}

static enum portolan_status put_events(struct portolan_store *store, struct put *p,
                                       size_t n_samples, size_t n, struct portolan_error *err)
{
    struct backend *b = store->backend;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < n && !status; ++i) {
        const struct portolan_event *e = &p->events[i];

        if (e->path >= (int64_t)n_samples)
            status = portolan_error_set(err, PORTOLAN_EINVAL,
                                        "event %zu: its path is none of the samples", i);
        if (!status)
            status = identity_of_counter(store, e->name, &p->places[i].counter, err);
        if (!status)
            status = identity_of_thread(store, e->rank, e->thread, &p->places[i].thread, err);
    }
    for (size_t i = 0; i < n && !status; ++i)
        if (!i || p->events[i].rank != p->events[i - 1].rank)
            status = backend_run(b, DELETE_COUNTER_VALUES, NULL, err, "ii", p->trial,
                                 (int64_t)p->events[i].rank);
    return status ? status
                  : backend_put_rows(b, PUT_COUNTER_VALUE, "ikiiddddd", n, fill_event, p, err);
}

enum portolan_status portolan_store_put_events(struct portolan_store *store, int64_t trial,
                                               const struct portolan_sample *samples,
                                               size_t n_samples,
                                               const struct portolan_event *events, size_t n_events,
                                               struct portolan_error *err)
{
    struct put p = {.events = events, .trial = trial};
    struct identity *paths = NULL;
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "events");
    status = identities_of_samples(store, samples, n_samples, true, &paths, err);
    p.paths = paths;
    if (!status && !(p.places = portolan_calloc(n_events + 1, sizeof *p.places)))
        status = portolan_no_memory(err);
    if (!status)
        status = put_events(store, &p, n_samples, n_events, err);
    free(p.places);
    free(paths);
    return store_explain(store, store_finish(store, status, err), err, "events");
}

/* -------------------------------------------------------------------------------- out of it */

void portolan_event_set_destroy(struct portolan_event_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->samples);
    free(set->events);
    free(set);
}

/* All call paths of the trial; their positions are those of NAMES. */
static enum portolan_status make_samples(const struct trial_names *names, int64_t trial,
                                         struct portolan_event_set *set, struct portolan_error *err)
{
    set->samples = portolan_calloc(names->n_paths + 1, sizeof *set->samples);
    if (!set->samples)
        return portolan_no_memory(err);
    set->n_samples = names->n_paths;
    for (size_t i = 0; i < names->n_paths; ++i) {
        const struct named_path *p = &names->paths[i];

        set->samples[i].trial = trial;
        set->samples[i].parent = p->parent ? trial_names_find_path(names, p->parent, -1) : -1;
        trial_names_put_path(p, &set->samples[i]);
    }
    return PORTOLAN_OK;
}

static enum portolan_status read_events(struct backend *b, int64_t trial, const int *rank,
                                        const struct trial_names *names,
                                        struct portolan_event_set *set, struct portolan_error *err)
{
    enum portolan_status status =
        backend_query(b, READ_COUNTER_VALUES, err, "iii", trial, (int64_t)(rank ? *rank : INT_MIN),
                      (int64_t)(rank ? *rank : INT_MAX));
    size_t capacity = 0;
    bool row;

    while (!status && !(status = backend_next(b, READ_COUNTER_VALUES, &row, err)) && row) {
        int64_t path = backend_int(b, READ_COUNTER_VALUES, 2);
        struct portolan_event e = {
            .rank = (int)backend_int(b, READ_COUNTER_VALUES, 0),
            .thread = (int)backend_int(b, READ_COUNTER_VALUES, 1),
            .path = path ? trial_names_find_path(names, path, -1) : -1,
            .count = backend_int(b, READ_COUNTER_VALUES, 3),
            .max = backend_double(b, READ_COUNTER_VALUES, 4),
            .min = backend_double(b, READ_COUNTER_VALUES, 5),
            .mean = backend_double(b, READ_COUNTER_VALUES, 6),
            .sum_squares = backend_double(b, READ_COUNTER_VALUES, 7),
        };

        if (texts_take(set->impl, b, READ_COUNTER_VALUES, 8, &e.name) &&
            store_reserve(&set->events, &capacity, set->n_events, sizeof e))
            set->events[set->n_events++] = e;
        else
            status = portolan_no_memory(err);
    }
    backend_reset(b, READ_COUNTER_VALUES);
    return status;
}

enum portolan_status portolan_store_read_events(struct portolan_store *store, int64_t trial,
                                                const int *rank, struct portolan_event_set **set,
                                                struct portolan_error *err)
{
    struct portolan_event_set *made = portolan_calloc(1, sizeof *made);
    enum portolan_status status = PORTOLAN_OK;
    struct trial_names names = {0};

    *set = NULL;
    if (!made || !(made->impl = texts_create()))
        status = portolan_no_memory(err);
    if (!status && !(status = store_start_reading(store, err))) {
        if (!(status = trial_names_read(&names, store->backend, trial, made->impl, err)) &&
            !(status = make_samples(&names, trial, made, err)))
            status = read_events(store->backend, trial, rank, &names, made, err);
        status = store_finish_reading(store, status, err);
    }
    trial_names_clear(&names);
    if (status) {
        portolan_error_prefix(err, "store '%s': events of trial %lld cannot be read", store->path,
                              (long long)trial);
        portolan_event_set_destroy(made);
        return status;
    }
    *set = made;
    return PORTOLAN_OK;
}
