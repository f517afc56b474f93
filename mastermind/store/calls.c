/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single calls. Rows of a thread come about in the order of their ends, and a call that encloses
 * others may end many steps after it started; they are wanted by start. So each put sorts its rows:
 * those that start after all that is stored of the thread make a regular piece, the few others a
 * late one, and a reader (calls_read.c) merges two streams.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

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
    v[INVOCATION_STEP].i = r->step;
    v[INVOCATION_ORDINAL].i = r->ordinal;
    v[INVOCATION_START].d = r->start_ns;
    v[INVOCATION_INCLUSIVE].d = r->inclusive_ns;
    v[INVOCATION_EXCLUSIVE].d = r->exclusive_ns;
    v[INVOCATION_MPI].d = r->mpi_ns;
    v[INVOCATION_QUALITY].d = r->quality;
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

/* Tells late rows from the others, and thread from thread. */
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
            if (!store_reserve(&p->runs, &p->capacity, p->n_runs, sizeof *p->runs))
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
