/* SPDX-License-Identifier: BSD-3-Clause */
/* Single calls by rank, thread and start: per thread two streams of rows, see calls.c, are merged.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of the two streams of a thread. */
struct stream {
    enum statement which;
    bool open, row;
};

struct visiting {
    struct backend *b;
    struct trial_names names;
    struct texts *texts;
    struct portolan_sample **paths; /* made at their first row */
    size_t n_paths, capacity;
    struct place {
        int64_t path, thread, layout; /* positions in `names`; layout -1: none */
    } * places;                       /* of each of `paths` */
    size_t place_capacity;
    struct portolan_index index;
    int64_t near;
    portolan_invocation_fn visit;
    void *arg;
    bool stopped;
    struct portolan_error *err;
};

/* Is the place at I that behind the last? */
static bool same_place(const void *visiting, size_t i)
{
    const struct visiting *v = visiting;

    return !memcmp(&v->places[i], &v->places[v->n_paths], sizeof *v->places);
}

/* The path of the place behind the last. */
static enum portolan_status add_path(struct visiting *v)
{
    const struct place *p = &v->places[v->n_paths];
    const struct named_thread *t = &v->names.threads[p->thread];
    struct portolan_sample *s;

    if (!store_reserve(&v->paths, &v->capacity, v->n_paths, sizeof *v->paths) ||
        !(s = portolan_calloc(1, sizeof *s)))
        return portolan_no_memory(v->err);
    s->parent = -1;
    s->rank = t->rank;
    s->thread = t->thread;
    s->quality = NAN;
    trial_names_put_path(&v->names.paths[p->path], s);
    if (p->layout >= 0)
        trial_names_put_layout(&v->names.layouts[p->layout], s);
    v->paths[v->n_paths++] = s;
    return PORTOLAN_OK;
}

static enum portolan_status visit_row(struct visiting *v, enum statement w, int64_t thread)
{
    struct backend *b = v->b;
    struct place p = {.thread = thread, .layout = -1};
    size_t at;
    int64_t layout = backend_int(b, w, INVOCATION_LAYOUT);
    struct portolan_invocation row;
    const struct portolan_sample *s;
    enum portolan_status status;

    p.path = v->near =
        trial_names_find_path(&v->names, backend_int(b, w, INVOCATION_CALLPATH), v->near);
    if (layout)
        p.layout = trial_names_find_layout(&v->names, layout, 0);
    if (p.path < 0 || (layout && p.layout < 0))
        return trial_names_missing(v->err);
    if (!store_reserve(&v->places, &v->place_capacity, v->n_paths, sizeof p))
        return portolan_no_memory(v->err);
    v->places[v->n_paths] = p;
    if (!portolan_index_put(&v->index, portolan_hash(&p, sizeof p, 0), v->n_paths, same_place, v,
                            &at))
        return portolan_no_memory(v->err);
    if (at == v->n_paths && (status = add_path(v)))
        return status;
    s = v->paths[at];
    row = (struct portolan_invocation){
        .path = (int64_t)at,
        .step = (int)backend_int(b, w, INVOCATION_STEP),
        .ordinal = backend_int(b, w, INVOCATION_ORDINAL),
        .start_ns = backend_double(b, w, INVOCATION_START),
        .inclusive_ns = backend_double(b, w, INVOCATION_INCLUSIVE),
        .exclusive_ns = backend_double(b, w, INVOCATION_EXCLUSIVE),
        .mpi_ns = backend_double(b, w, INVOCATION_MPI),
        .quality = backend_double(b, w, INVOCATION_QUALITY),
        .n_counters = s->n_counters,
        .one_in = (int)backend_int(b, w, INVOCATION_ONE_IN),
    };
    for (int i = 0; i < s->n_context; ++i)
        row.context[i] = backend_double(b, w, INVOCATION_CONTEXT + i);
    for (int i = 0; i < s->n_counters; ++i)
        row.counter[i] = backend_double(b, w, INVOCATION_COUNTER + i);
    v->stopped = v->visit(v->arg, s, &row) != 0;
    return PORTOLAN_OK;
}

/* Whether the late stream's row comes first: the order of by_start(). */
static bool is_earlier(struct backend *b, enum statement x, enum statement y)
{
    double d = backend_double(b, x, INVOCATION_START) - backend_double(b, y, INVOCATION_START);

    if (d == 0)
        d = backend_double(b, y, INVOCATION_INCLUSIVE) - backend_double(b, x, INVOCATION_INCLUSIVE);
    if (d == 0)
        return backend_int(b, x, INVOCATION_CALLPATH) < backend_int(b, y, INVOCATION_CALLPATH);
    return d < 0;
}

static enum portolan_status visit_thread(struct visiting *v, int64_t thread)
{
    struct stream regular = {.which = READ_INVOCATIONS}, late = {.which = READ_LATE_INVOCATIONS};
    struct stream *streams[] = {&regular, &late};
    enum portolan_status status = PORTOLAN_OK;

    for (int i = 0; i < 2 && !status; ++i) {
        struct stream *s = streams[i];

        status = backend_query(v->b, s->which, v->err, "i", v->names.threads[thread].id);
        if (!status)
            status = backend_next(v->b, s->which, &s->row, v->err);
    }
    while (!status && !v->stopped && (regular.row || late.row)) {
        struct stream *s = !regular.row || (late.row && is_earlier(v->b, late.which, regular.which))
                               ? &late
                               : &regular;

        if (!(status = visit_row(v, s->which, thread)))
            status = backend_next(v->b, s->which, &s->row, v->err);
    }
    for (int i = 0; i < 2; ++i)
        backend_reset(v->b, streams[i]->which);
    return status;
}

static int by_rank(const void *a, const void *b)
{
    const struct named_thread *const *x = a, *const *y = b;

    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return ((*x)->thread > (*y)->thread) - ((*x)->thread < (*y)->thread);
}

static enum portolan_status visit_all(struct visiting *v, int64_t trial, const int *rank)
{
    const struct named_thread **sorted = NULL;
    enum portolan_status status = trial_names_read(&v->names, v->b, trial, v->texts, v->err);

    if (!status && !(sorted = portolan_calloc(v->names.n_threads + 1, sizeof *sorted)))
        status = portolan_no_memory(v->err);
    if (status)
        return status;
    for (size_t i = 0; i < v->names.n_threads; ++i)
        sorted[i] = &v->names.threads[i];
    qsort(sorted, v->names.n_threads, sizeof *sorted, by_rank);
    for (size_t i = 0; i < v->names.n_threads && !status && !v->stopped; ++i)
        if (!rank || sorted[i]->rank == *rank)
            status = visit_thread(v, sorted[i] - v->names.threads);
    free(sorted);
    return status;
}

enum portolan_status portolan_store_visit_invocations(struct portolan_store *store, int64_t trial,
                                                      const int *rank, portolan_invocation_fn visit,
                                                      void *arg, struct portolan_error *err)
{
    struct visiting v = {
        .b = store->backend, .texts = texts_create(), .visit = visit, .arg = arg, .err = err};
    enum portolan_status status = v.texts ? PORTOLAN_OK : portolan_no_memory(err);

    if (!status && !(status = store_start_reading(store, err)))
        status = store_finish_reading(store, visit_all(&v, trial, rank), err);
    for (size_t i = 0; i < v.n_paths; ++i)
        free(v.paths[i]);
    free(v.paths);
    free(v.places);
    portolan_index_clear(&v.index);
    trial_names_clear(&v.names);
    texts_destroy(v.texts);
    if (status)
        portolan_error_prefix(err, "store '%s': single calls of trial %lld cannot be read",
                              store->path, (long long)trial);
    return status;
}
