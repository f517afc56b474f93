/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single calls. They are recorded when they end, and a call that encloses others may end many steps
 * after it started, but they are read in the order of their starts. So each put sorts its rows:
 * those that start after all that is stored of the thread make a regular piece, the few others a
 * late one, and a reader merges two streams.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of invocation, as READ_INVOCATIONS gives them and PUT_INVOCATION takes them. */
enum invocation_column {
    INVOCATION_ID,
    INVOCATION_CALLPATH,
    INVOCATION_LAYOUT,
    INVOCATION_STEP,
    INVOCATION_ORDINAL,
    INVOCATION_START,
    INVOCATION_INCLUSIVE,
    INVOCATION_EXCLUSIVE,
    INVOCATION_MPI,
    INVOCATION_QUALITY,
    INVOCATION_ONE_IN,
    INVOCATION_CONTEXT,
    INVOCATION_COUNTER = INVOCATION_CONTEXT + PORTOLAN_CONTEXT_MAX
};

/* Members that a call shares with its row, from INVOCATION_STEP on. */
static const struct column call_columns[] = {
    COLUMN(INT, portolan_invocation, step),
    COLUMN(INT64, portolan_invocation, ordinal),
    COLUMN(DOUBLE, portolan_invocation, start_ns),
    COLUMN(DOUBLE, portolan_invocation, inclusive_ns),
    COLUMN(DOUBLE, portolan_invocation, exclusive_ns),
    COLUMN(DOUBLE, portolan_invocation, mpi_ns),
    COLUMN(DOUBLE, portolan_invocation, quality),
    COLUMN(INT, portolan_invocation, one_in),
};

enum { N_CALL_COLUMNS = INVOCATION_CONTEXT - INVOCATION_STEP };
_Static_assert(sizeof call_columns / sizeof *call_columns == N_CALL_COLUMNS, "as in the schema");

/* ------------------------------------------------------------------------------ into the store */

static const char row_types[] = "iikiidddddidddddddddddd";

struct sorted {
    int64_t thread, callpath;
    double start, inclusive;
    size_t row; /* in the caller's array */
    bool late;
};

struct run {
    int64_t first, last, thread;
    double last_start;
    bool late;
};

struct put {
    const struct portolan_sample *samples;
    const struct identity *ids;
    const struct portolan_invocation *rows;
    struct sorted *sorted;
    struct run *runs;
    size_t n_runs, capacity;
    int64_t first;
};

/* By thread; a caller before its callees, also where the clock has not moved between them. */
static int by_start(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->late != y->late)
        return x->late < y->late ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->inclusive != y->inclusive)
        return x->inclusive > y->inclusive ? -1 : 1;
    if (x->callpath != y->callpath)
        return x->callpath < y->callpath ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void fill_row(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct portolan_invocation *r = &p->rows[p->sorted[row].row];
    const struct portolan_sample *s = &p->samples[r->path];
    const struct identity *id = &p->ids[r->path];

    v[INVOCATION_ID].i = p->first + (int64_t)row;
    v[INVOCATION_CALLPATH].i = id->callpath;
    v[INVOCATION_LAYOUT].i = id->layout;
    columns_put(call_columns, N_CALL_COLUMNS, r, v + INVOCATION_STEP);
    v[INVOCATION_ONE_IN].i = r->one_in > 1 ? r->one_in : 1;
    for (int i = 0; i < PORTOLAN_CONTEXT_MAX; ++i)
        v[INVOCATION_CONTEXT + i].d = i < s->n_context ? r->context[i] : NAN;
    for (int i = 0; i < PORTOLAN_COUNTER_MAX; ++i)
        v[INVOCATION_COUNTER + i].d = i < r->n_counters ? r->counter[i] : NAN;
}

static void fill_run(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct run *r = &p->runs[row];

    v[0].i = r->first;
    v[1].i = r->last;
    v[2].i = r->thread;
    v[3].i = r->late;
    v[4].d = r->last_start;
}

static enum portolan_status sort_rows(struct put *p, size_t n_samples, size_t n,
                                      struct portolan_error *err)
{
    if (!(p->sorted = portolan_calloc(n + 1, sizeof *p->sorted)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < n; ++i) {
        const struct portolan_invocation *r = &p->rows[i];

        if (r->path < 0 || r->path >= (int64_t)n_samples || r->n_counters < 0 ||
            r->n_counters > p->samples[r->path].n_counters || !isfinite(r->start_ns))
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "row %zu: its path must be one of the samples, its counters "
                                      "those that the sample names, its start a number",
                                      i);
        p->sorted[i] = (struct sorted){.thread = p->ids[r->path].thread,
                                       .callpath = p->ids[r->path].callpath,
                                       .start = r->start_ns,
                                       .inclusive = r->inclusive_ns,
                                       .row = i};
    }
    if (n)
        qsort(p->sorted, n, sizeof *p->sorted, by_start);
    return PORTOLAN_OK;
}

/* Marks the late rows, thread by thread, and sorts them apart. */
static enum portolan_status find_late(struct portolan_store *store, struct put *p, size_t n,
                                      struct portolan_error *err)
{
    double latest = -HUGE_VAL;
    bool late = false;

    for (size_t i = 0; i < n; ++i) {
        struct sorted *s = &p->sorted[i];

        if (!i || s->thread != p->sorted[i - 1].thread) {
            enum portolan_status status = identity_last_start(store, s->thread, &latest, err);

            if (status)
                return status;
        }
        s->late = s->start <= latest;
        late |= s->late;
    }
    if (late)
        qsort(p->sorted, n, sizeof *p->sorted, by_start);
    return PORTOLAN_OK;
}

static enum portolan_status make_runs(struct put *p, size_t n, struct portolan_error *err)
{
    for (size_t i = 0; i < n; ++i) {
        const struct sorted *s = &p->sorted[i];
        int64_t id = p->first + (int64_t)i;

        if (!i || s->thread != s[-1].thread || s->late != s[-1].late) {
            if (!portolan_reserve(&p->runs, &p->capacity, p->n_runs + 1, sizeof *p->runs))
                return portolan_no_memory(err);
            p->runs[p->n_runs++] = (struct run){.first = id, .thread = s->thread, .late = s->late};
        }
        p->runs[p->n_runs - 1].last = id;
        p->runs[p->n_runs - 1].last_start = s->start;
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_store_put_invocations(struct portolan_store *store, int64_t trial,
                                                    const struct portolan_sample *samples,
                                                    size_t n_samples,
                                                    const struct portolan_invocation *rows,
                                                    size_t n_rows, struct portolan_error *err)
{
    struct put p = {.samples = samples, .rows = rows};
    struct identity *ids = NULL;
    struct backend *b = store->backend;
    enum portolan_status status = store_begin(store, trial, err);

    if (status)
        return store_explain(store, status, err, "a block of single calls");
    status = identities_of_samples(store, samples, n_samples, false, &ids, err);
    p.ids = ids;
    if (!status && !(status = sort_rows(&p, n_samples, n_rows, err)) &&
        !(status = find_late(store, &p, n_rows, err)) &&
        !(status = backend_run(b, NEXT_INVOCATION, &p.first, err, "")) &&
        !(status = make_runs(&p, n_rows, err)) &&
        !(status = backend_put_rows(b, PUT_INVOCATION_PIECE, "iiiid", p.n_runs, fill_run, &p, err)))
        status = backend_put_rows(b, PUT_INVOCATION, row_types, n_rows, fill_row, &p, err);
    free(p.sorted);
    free(p.runs);
    free(ids);
    return store_explain(store, store_finish(store, status, err), err, "a block of single calls");
}

/* -------------------------------------------------------------------------------- out of it */

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
    void (*at_end)(void *arg); /* or NULL; while the names are there */
    void *arg;
    bool stopped;
    struct portolan_error *err;
};

/* Returns whether the place at I equals the new one, which is stored after the last. */
static bool same_place(const void *visiting, size_t i)
{
    const struct visiting *v = visiting;

    return !memcmp(&v->places[i], &v->places[v->n_paths], sizeof *v->places);
}

/* Makes the path of the new place. */
static enum portolan_status add_path(struct visiting *v)
{
    const struct place *p = &v->places[v->n_paths];
    const struct named_thread *t = &v->names.threads[p->thread];
    struct portolan_sample *s;

    if (!portolan_reserve(&v->paths, &v->capacity, v->n_paths + 1, sizeof *v->paths) ||
        !(s = portolan_calloc(1, sizeof *s)))
        return portolan_no_memory(v->err);
    s->parent = -1;
    s->rank = t->rank;
    s->thread = t->thread;
    s->quality = NAN;
    COPY_PATH(s, &v->names.paths[p->path]);
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
    if (!portolan_reserve(&v->places, &v->place_capacity, v->n_paths + 1, sizeof p))
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
        .n_counters = s->n_counters,
    };
    columns_take(call_columns, N_CALL_COLUMNS, b, w, INVOCATION_STEP, NULL, &row);
    for (int i = 0; i < s->n_context; ++i)
        row.context[i] = backend_double(b, w, INVOCATION_CONTEXT + i);
    for (int i = 0; i < s->n_counters; ++i)
        row.counter[i] = backend_double(b, w, INVOCATION_COUNTER + i);
    v->stopped = v->visit(v->arg, s, &row) != 0;
    return PORTOLAN_OK;
}

/* Returns whether the late stream's row comes first: the order of by_start(). */
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

static enum portolan_status visit_all(struct visiting *v, int64_t trial, const int *rank)
{
    const struct named_thread **sorted = NULL;
    enum portolan_status status = trial_names_read(&v->names, v->b, trial, v->texts, v->err);

    if (!status && !(sorted = trial_names_sort_threads(&v->names)))
        status = portolan_no_memory(v->err);
    for (size_t i = 0; i < v->names.n_threads && !status && !v->stopped; ++i)
        if (!rank || sorted[i]->rank == *rank)
            status = visit_thread(v, sorted[i] - v->names.threads);
    free(sorted);
    return status;
}

static enum portolan_status visit_trial(struct portolan_store *store, struct visiting *v,
                                        int64_t trial, const int *rank)
{
    enum portolan_status status = PORTOLAN_OK;

    v->b = store->backend;
    if (!(v->texts = texts_create()))
        status = portolan_no_memory(v->err);
    if (!status && !(status = store_start_reading(store, v->err)))
        status = store_finish_reading(store, visit_all(v, trial, rank), v->err);
    if (!status && v->at_end)
        v->at_end(v->arg);
    for (size_t i = 0; i < v->n_paths; ++i)
        free(v->paths[i]);
    free(v->paths);
    free(v->places);
    portolan_index_clear(&v->index);
    trial_names_clear(&v->names);
    texts_destroy(v->texts);
    return store_unread(store, status, v->err, "single calls", trial);
}

enum portolan_status portolan_store_visit_invocations(struct portolan_store *store, int64_t trial,
                                                      const int *rank, portolan_invocation_fn visit,
                                                      void *arg, struct portolan_error *err)
{
    struct visiting v = {.visit = visit, .arg = arg, .err = err};

    return visit_trial(store, &v, trial, rank);
}

/* ---------------------------------------------------------------- from one store into another */

enum { COPIED_AT_ONCE = 4096 };

struct copying {
    const struct visiting *v;
    struct calls_copy *copy;
    size_t n_samples, capacity, n_paths, n_positions;
    struct portolan_sample *samples; /* the visit's paths, each after its callers */
    int64_t *positions;              /* of the visit's paths among them */
    size_t n_rows;
    struct portolan_invocation *rows;
    enum portolan_status status;
};

/* Adds the visit's next path, after its callers. */
static bool add_with_callers(struct copying *c)
{
    const struct trial_names *names = &c->v->names;
    const struct portolan_sample *leaf = c->v->paths[c->n_paths];
    const struct named_path *first = &names->paths[c->v->places[c->n_paths].path], *p;
    size_t depth = 0, base = c->n_samples;
    int64_t at;

    for (p = first; p; p = p->parent && at >= 0 ? &names->paths[at] : NULL, ++depth)
        at = trial_names_find_path(names, p->parent, -1);
    if (!portolan_reserve(&c->samples, &c->capacity, base + depth, sizeof *c->samples) ||
        !portolan_reserve(&c->positions, &c->n_positions, c->n_paths + 1, sizeof *c->positions))
        return false;
    p = first;
    for (size_t i = depth; i-- > 0; p = &names->paths[at]) {
        struct portolan_sample *s = &c->samples[base + i];

        *s = i == depth - 1 ? *leaf
                            : (struct portolan_sample){
                                  .rank = leaf->rank, .thread = leaf->thread, .quality = NAN};
        COPY_PATH(s, p);
        s->parent = i ? (int64_t)(base + i) - 1 : -1;
        at = i ? trial_names_find_path(names, p->parent, -1) : 0;
    }
    c->n_samples += depth;
    c->positions[c->n_paths++] = (int64_t)c->n_samples - 1;
    return true;
}

static void put_copied(void *arg)
{
    struct copying *c = arg;

    if (c->n_rows && !c->status)
        c->status = portolan_store_put_invocations(c->copy->to, c->copy->trial, c->samples,
                                                   c->n_samples, c->rows, c->n_rows, c->v->err);
    c->n_rows = 0;
}

static int copy_row(void *arg, const struct portolan_sample *path,
                    const struct portolan_invocation *row)
{
    struct copying *c = arg;

    (void)path;
    for (size_t i = 0; i < c->copy->n_present; ++i)
        if (c->copy->present[i] == row->step)
            return 0;
    while ((int64_t)c->n_paths <= row->path)
        if (!add_with_callers(c))
            return c->status = portolan_no_memory(c->v->err);
    c->rows[c->n_rows] = *row;
    c->rows[c->n_rows].path = c->positions[row->path];
    if (++c->n_rows == COPIED_AT_ONCE)
        put_copied(c);
    return c->status;
}

enum portolan_status calls_copy(struct portolan_store *from, int64_t trial, struct calls_copy *copy,
                                struct portolan_error *err)
{
    struct copying c = {.copy = copy};
    struct visiting v = {.visit = copy_row, .arg = &c, .err = err, .at_end = put_copied};
    enum portolan_status status;

    c.v = &v;
    if (!(c.rows = portolan_calloc(COPIED_AT_ONCE, sizeof *c.rows)))
        return portolan_no_memory(err);
    status = visit_trial(from, &v, trial, NULL);
    free(c.rows);
    free(c.samples);
    free(c.positions);
    return status ? status : c.status;
}
