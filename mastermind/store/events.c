/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores what ranks counted over a trial: events, values that a program gave by name, and
 * communication. */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const struct column event_columns[] = {
    COLUMN(INT, portolan_event, rank),    COLUMN(INT, portolan_event, thread),
    COLUMN(INT64, portolan_event, path),  COLUMN(INT64, portolan_event, count),
    COLUMN(DOUBLE, portolan_event, max),  COLUMN(DOUBLE, portolan_event, min),
    COLUMN(DOUBLE, portolan_event, mean), COLUMN(DOUBLE, portolan_event, sum_squares),
    COLUMN(TEXT, portolan_event, name),
};

static const struct column traffic_columns[] = {
    COLUMN(INT, portolan_traffic, rank),       COLUMN(INT, portolan_traffic, partner),
    COLUMN(BOOL, portolan_traffic, received),  COLUMN(INT64, portolan_traffic, calls),
    COLUMN(DOUBLE, portolan_traffic, time_ns), COLUMN(DOUBLE, portolan_traffic, bytes),
    COLUMN(TEXT, portolan_traffic, routine),
};

/* The first column of count, max, min and mean in rows that are read or written. */
enum { EVENT_COUNT = 3 };
/*
 * The first column of partner, received, calls, time and bytes in rows that are read, and written.
 */
enum { TRAFFIC_READ = 1, TRAFFIC_WRITTEN = 3 };

/* ------------------------------------------------------------------- events, into the store */

struct put_events {
    const struct portolan_event *events;
    const struct identity *paths;
    int64_t trial;
    struct place {
        int64_t counter, thread;
    } * places; /* of the events */
};

static void fill_event(void *arg, size_t row, union backend_value *v)
{
    const struct put_events *p = arg;
    const struct portolan_event *e = &p->events[row];
    double n = (double)e->count, variance = e->sum_squares / n - e->mean * e->mean;

    v[0].i = p->places[row].counter;
    v[1].i = e->path < 0 ? 0 : p->paths[e->path].callpath;
    v[2].i = p->places[row].thread;
    columns_put(event_columns + EVENT_COUNT, 4, e, v + EVENT_COUNT);
    v[7].d = n > 0 ? sqrt(fmax(variance, 0)) : NAN;
    v[8].d = e->sum_squares;
}

static enum portolan_status put_all_events(struct portolan_store *store, struct put_events *p,
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
            status = identity_of(store, IDENTITY_COUNTER, &p->places[i].counter, err, e->name);
        if (!status)
            status =
                identity_of(store, IDENTITY_THREAD, &p->places[i].thread, err, e->rank, e->thread);
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
    struct put_events p = {.events = events, .trial = trial};
    struct identity *paths = NULL;
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "events");
    status = identities_of_samples(store, samples, n_samples, true, &paths, err);
    p.paths = paths;
    if (!status && !(p.places = portolan_calloc(n_events + 1, sizeof *p.places)))
        status = portolan_no_memory(err);
    if (!status)
        status = put_all_events(store, &p, n_samples, n_events, err);
    free(p.places);
    free(paths);
    return store_explain(store, store_finish(store, status, err), err, "events");
}

/* ------------------------------------------------------------------------------- out of it */

void portolan_event_set_destroy(struct portolan_event_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->samples);
    free(set->events);
    free(set);
}

/* Makes a sample of each call path of the trial, at its position in NAMES. */
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
        COPY_PATH(&set->samples[i], p);
    }
    return PORTOLAN_OK;
}

static enum portolan_status read_events(struct backend *b, int64_t trial, const int *rank,
                                        const struct trial_names *names,
                                        struct portolan_event_set *set, struct portolan_error *err)
{
    static const struct shape shape = SHAPE(portolan_event, event_columns);
    enum portolan_status status = rows_read(
        b, READ_COUNTER_VALUES, &shape, set->impl, &set->events, &set->n_events, err, "iii", trial,
        (int64_t)(rank ? *rank : INT_MIN), (int64_t)(rank ? *rank : INT_MAX));

    for (size_t i = 0; i < set->n_events; ++i) {
        int64_t *path = &set->events[i].path; /* still an id */

        *path = *path ? trial_names_find_path(names, *path, -1) : -1;
    }
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
        portolan_event_set_destroy(made);
        return store_unread(store, status, err, "events", trial);
    }
    *set = made;
    return PORTOLAN_OK;
}

/* ---------------------------------------------------------------------------- communication */

struct put_traffic {
    const struct portolan_traffic *rows;
    int64_t trial;
};

static void fill_traffic(void *arg, size_t row, union backend_value *v)
{
    const struct put_traffic *p = arg;
    const struct portolan_traffic *t = &p->rows[row];

    v[0].i = p->trial;
    v[1].i = t->rank;
    v[2].t = t->routine ? t->routine : "";
    columns_put(traffic_columns + TRAFFIC_READ, 5, t, v + TRAFFIC_WRITTEN);
}

enum portolan_status portolan_store_put_traffic(struct portolan_store *store, int64_t trial,
                                                const struct portolan_traffic *rows, size_t n,
                                                struct portolan_error *err)
{
    struct put_traffic p = {rows, trial};
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "communication");
    for (size_t i = 0; i < n && !status; ++i)
        if (!i || rows[i].rank != rows[i - 1].rank)
            status = backend_run(store->backend, DELETE_TRAFFIC, NULL, err, "ii", trial,
                                 (int64_t)rows[i].rank);
    if (!status)
        status =
            backend_put_rows(store->backend, PUT_TRAFFIC, "iitiiidd", n, fill_traffic, &p, err);
    return store_explain(store, store_finish(store, status, err), err, "communication");
}

void portolan_traffic_set_destroy(struct portolan_traffic_set *set)
{
    if (!set)
        return;
    texts_destroy(set->impl);
    free(set->rows);
    free(set);
}

enum portolan_status portolan_store_read_traffic(struct portolan_store *store, int64_t trial,
                                                 struct portolan_traffic_set **set,
                                                 struct portolan_error *err)
{
    static const struct shape shape = SHAPE(portolan_traffic, traffic_columns);
    struct portolan_traffic_set *made = portolan_calloc(1, sizeof *made);
    enum portolan_status status = PORTOLAN_OK;

    *set = NULL;
    if (!made || !(made->impl = texts_create()))
        status = portolan_no_memory(err);
    else
        status = rows_read(store->backend, READ_TRAFFIC, &shape, made->impl, &made->rows, &made->n,
                           err, "i", trial);
    if (status) {
        portolan_traffic_set_destroy(made);
        return store_unread(store, status, err, "communication", trial);
    }
    *set = made;
    return PORTOLAN_OK;
}
