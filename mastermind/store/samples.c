/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of call_data: from samples, back into samples, and walks over them, piece by piece. */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members that a sample shares with its row, from CALL_CALLS on. */
static const struct column sample_columns[] = {
    COLUMN(INT64, portolan_sample, calls),         COLUMN(INT64, portolan_sample, timed_calls),
    COLUMN(INT64, portolan_sample, subroutines),   COLUMN(BOOL, portolan_sample, binned),
    COLUMN(DOUBLE, portolan_sample, inclusive_ns), COLUMN(DOUBLE, portolan_sample, exclusive_ns),
    COLUMN(DOUBLE, portolan_sample, mpi_ns),       COLUMN(DOUBLE, portolan_sample, min_ns),
    COLUMN(DOUBLE, portolan_sample, max_ns),       COLUMN(DOUBLE, portolan_sample, sum_squares_ns2),
    COLUMN(DOUBLE, portolan_sample, quality),
};

enum { N_SAMPLE_COLUMNS = CALL_CONTEXT - CALL_CALLS };
_Static_assert(sizeof sample_columns / sizeof *sample_columns == N_SAMPLE_COLUMNS,
               "as in the schema");

static const struct column piece_columns[] = {
    COLUMN(INT64, piece, first),
    COLUMN(INT64, piece, last),
    COLUMN(INT, piece, step),
    COLUMN(INT, piece, rank),
};

/* ------------------------------------------------------------------------------ into the store */

/* Rows of the step being stored. */
struct put {
    const struct portolan_sample *samples;
    const struct identity *ids;
    int64_t first, step;
    struct piece *pieces;
};

static const char call_types[] = "iiikkiiiidddddddddddddddddddi";

static void fill_sample(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;
    const struct portolan_sample *s = &p->samples[row];
    const struct identity *id = &p->ids[row];

    v[CALL_ID].i = p->first + (int64_t)row;
    v[CALL_THREAD].i = id->thread;
    v[CALL_CALLPATH].i = id->callpath;
    v[CALL_PARENT].i = s->parent < 0 ? 0 : p->first + s->parent;
    v[CALL_LAYOUT].i = id->layout;
    columns_put(sample_columns, N_SAMPLE_COLUMNS, s, v + CALL_CALLS);
    v[CALL_TIMED].i = (int64_t)portolan_sample_timed(s);
    for (int i = 0; i < PORTOLAN_CONTEXT_MAX; ++i)
        v[CALL_CONTEXT + i].d = i < s->n_context ? s->context[i] : NAN;
    for (int i = 0; i < PORTOLAN_COUNTER_MAX; ++i)
        v[CALL_COUNTER + i].d = i < s->n_counters ? s->counter[i] : NAN;
    v[CALL_FAILED].i = s->failed_calls;
}

static void fill_piece(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;

    columns_put(piece_columns, 4, &p->pieces[row], v);
    v[2].i = p->step; /* its id */
}

/* One piece per run of samples of the same rank. */
static enum portolan_status make_pieces(struct put *p, size_t n, size_t *n_pieces,
                                        struct portolan_error *err)
{
    size_t capacity = 0;

    for (size_t i = 0; i < n; ++i) {
        int64_t id = p->first + (int64_t)i;

        if (i && p->samples[i].rank == p->samples[i - 1].rank) {
            p->pieces[*n_pieces - 1].last = id;
            continue;
        }
        if (!portolan_reserve(&p->pieces, &capacity, *n_pieces + 1, sizeof *p->pieces))
            return portolan_no_memory(err);
        p->pieces[(*n_pieces)++] =
            (struct piece){.first = id, .last = id, .rank = p->samples[i].rank};
    }
    return PORTOLAN_OK;
}

static enum portolan_status put_samples(struct portolan_store *store, int step,
                                        const struct portolan_sample *samples, size_t n,
                                        struct portolan_error *err)
{
    struct put p = {.samples = samples};
    struct identity *ids = NULL;
    size_t n_pieces = 0;
    int64_t metric;
    enum portolan_status status;

    if ((status = identity_of(store, IDENTITY_STEP, &p.step, err, step)) ||
        (status = identity_of(store, IDENTITY_METRIC, &metric, err, "TIME", "ns")) ||
        (status = identity_of(store, IDENTITY_METRIC, &metric, err, "MPI TIME", "ns")) ||
        (status = identities_of_samples(store, samples, n, false, &ids, err)))
        return status;
    p.ids = ids;
    if (!(status = backend_run(store->backend, NEXT_CALL_DATA, &p.first, err, "")) &&
        !(status = make_pieces(&p, n, &n_pieces, err)) &&
        !(status = backend_put_rows(store->backend, PUT_CALL_PIECE, "iiii", n_pieces, fill_piece,
                                    &p, err)))
        status =
            backend_put_rows(store->backend, PUT_CALL_DATA, call_types, n, fill_sample, &p, err);
    free(p.pieces);
    free(ids);
    return status;
}

enum portolan_status portolan_store_put_step(struct portolan_store *store, int64_t trial, int step,
                                             const struct portolan_sample *samples, size_t n,
                                             struct portolan_error *err)
{
    enum portolan_status status = store_begin(store, trial, err);

    if (!status)
        status = store_finish(store, put_samples(store, step, samples, n, err), err);
    if (status)
        portolan_error_prefix(err, "store '%s': step %d of trial %lld was not stored", store->path,
                              step, (long long)trial);
    return status;
}

/* -------------------------------------------------------------------------------- out of it */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_step(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int c = compare(x->step, y->step);

    if (!c)
        c = compare(x->rank, y->rank);
    return c ? c : compare(x->first, y->first);
}

static int by_rank(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int c = compare(x->rank, y->rank);

    return c ? c : compare(x->first, y->first);
}

enum portolan_status pieces_read(struct backend *b, int64_t trial, const struct piece_range *r,
                                 enum piece_order order, struct piece **pieces, size_t *n,
                                 struct portolan_error *err)
{
    static const struct shape shape = SHAPE(piece, piece_columns);
    enum portolan_status status;

    *pieces = NULL;
    *n = 0;
    status = rows_read(b, READ_CALL_PIECES, &shape, NULL, pieces, n, err, "iiiii", trial,
                       (int64_t)r->first_step, (int64_t)r->last_step, (int64_t)r->first_rank,
                       (int64_t)r->last_rank);
    if (status) {
        free(*pieces);
        *pieces = NULL;
        *n = 0;
    }
    if (*n)
        qsort(*pieces, *n, sizeof **pieces, order == PIECES_BY_STEP ? by_step : by_rank);
    return status;
}

enum portolan_status store_has_piece(struct portolan_store *store, int64_t trial, int step,
                                     int first, int last, bool *has, struct portolan_error *err)
{
    const struct piece_range range = {step, step, first, last};
    struct piece *pieces;
    size_t n;
    enum portolan_status status =
        pieces_read(store->backend, trial, &range, PIECES_BY_STEP, &pieces, &n, err);

    *has = n > 0;
    free(pieces);
    return status;
}

enum portolan_status portolan_store_has_step(struct portolan_store *store, int64_t trial, int step,
                                             bool *has, struct portolan_error *err)
{
    return store_has_piece(store, trial, step, 0, INT_MAX, has, err);
}

enum portolan_status pieces_visit(struct backend *b, const struct piece *pieces, size_t n,
                                  enum portolan_status (*visit)(void *arg,
                                                                const struct piece *piece),
                                  void *arg, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t at = 0, end; at < n && !status; at = end) {
        bool row;

        /* Pieces whose ids follow each other are one range. */
        for (end = at + 1; end < n && pieces[end].first == pieces[end - 1].last + 1;)
            ++end;
        status =
            backend_query(b, READ_CALL_DATA, err, "ii", pieces[at].first, pieces[end - 1].last);
        while (!status && !(status = backend_next(b, READ_CALL_DATA, &row, err)) && row) {
            while (backend_int(b, READ_CALL_DATA, CALL_ID) > pieces[at].last)
                ++at;
            status = visit(arg, &pieces[at]);
        }
        backend_reset(b, READ_CALL_DATA);
    }
    return status;
}

/* A set being filled. */
struct reading {
    struct backend *backend;
    struct portolan_sample_set *set;
    size_t *capacity, ids_capacity;
    const struct portolan_trial *trial;
    struct trial_names names;
    int64_t *ids;                 /* of the samples' rows, by position after `start` */
    size_t start, group;          /* first sample of the trial; of the (step, rank) at hand */
    int64_t path, thread, layout; /* positions of the latest */
    struct portolan_error *err;
};

/* Rows of one (step, rank) stand together with ascending ids; a parent is in its child's group. */
static int64_t find_parent(struct reading *r, size_t at, int64_t id)
{
    const struct portolan_sample *s = &r->set->samples[at], *g = &r->set->samples[r->group];
    int64_t found;

    if (s->step != g->step || s->rank != g->rank)
        r->group = at;
    found = ids_find(r->ids + (r->group - r->start), at - r->group, sizeof *r->ids, id);
    return found < 0 ? -1 : (int64_t)r->group + found;
}

static enum portolan_status put_names(struct reading *r, struct portolan_sample *s)
{
    struct backend *b = r->backend;
    int64_t layout = backend_int(b, READ_CALL_DATA, CALL_LAYOUT);

    r->path =
        trial_names_find_path(&r->names, backend_int(b, READ_CALL_DATA, CALL_CALLPATH), r->path);
    r->thread =
        trial_names_find_thread(&r->names, backend_int(b, READ_CALL_DATA, CALL_THREAD), r->thread);
    if (r->path < 0 || r->thread < 0)
        return trial_names_missing(r->err);
    COPY_PATH(s, &r->names.paths[r->path]);
    s->thread = r->names.threads[r->thread].thread;
    if (!layout)
        return PORTOLAN_OK;
    if ((r->layout = trial_names_find_layout(&r->names, layout, r->layout)) < 0)
        return trial_names_missing(r->err);
    trial_names_put_layout(&r->names.layouts[r->layout], s);
    for (int i = 0; i < s->n_context; ++i)
        s->context[i] = backend_double(b, READ_CALL_DATA, CALL_CONTEXT + i);
    for (int i = 0; i < s->n_counters; ++i)
        s->counter[i] = backend_double(b, READ_CALL_DATA, CALL_COUNTER + i);
    return PORTOLAN_OK;
}

static enum portolan_status take_sample(void *arg, const struct piece *piece)
{
    struct reading *r = arg;
    struct backend *b = r->backend;
    struct portolan_sample_set *set = r->set;
    size_t n = set->n_samples;
    struct portolan_sample *s;
    enum portolan_status status;

    if (!portolan_reserve(&r->ids, &r->ids_capacity, n - r->start + 1, sizeof *r->ids) ||
        !portolan_reserve(&set->samples, r->capacity, n + 1, sizeof *set->samples))
        return portolan_no_memory(r->err);
    s = &set->samples[n];
    *s = (struct portolan_sample){
        .trial = r->trial->id,
        .step = piece->step,
        .rank = piece->rank,
        .failed_calls = backend_int(b, READ_CALL_DATA, CALL_FAILED),
    };
    columns_take(sample_columns, N_SAMPLE_COLUMNS, b, READ_CALL_DATA, CALL_CALLS, NULL, s);
    if (s->calls && !s->timed_calls)
        s->timed_calls = PORTOLAN_STORE_NONE_TIMED;
    if ((status = put_names(r, s)))
        return status;
    r->ids[n - r->start] = backend_int(b, READ_CALL_DATA, CALL_ID);
    s->parent = find_parent(r, n, backend_int(b, READ_CALL_DATA, CALL_PARENT));
    ++set->n_samples;
    return PORTOLAN_OK;
}

static bool is_partial(const struct portolan_trial *t, int step)
{
    static const char prefix[] = PORTOLAN_STORE_PARTIAL;
    int64_t number;

    for (size_t i = 0; i < t->n_metadata; ++i)
        if (!strncmp(t->metadata[i].name, prefix, sizeof prefix - 1) &&
            portolan_read_int64(t->metadata[i].name + sizeof prefix - 1, &number) && number == step)
            return true;
    return false;
}

/* Drops whole steps, so that callers and callees go together. */
static size_t drop_partial(const struct portolan_trial *t, struct piece *pieces, size_t n)
{
    size_t kept = 0;
    bool drop = false;

    for (size_t i = 0; i < n; ++i) {
        if (!i || pieces[i].step != pieces[i - 1].step)
            drop = is_partial(t, pieces[i].step);
        if (!drop)
            pieces[kept++] = pieces[i];
    }
    return kept;
}

enum portolan_status pieces_select(struct backend *b, const struct portolan_trial *t,
                                   const struct portolan_store_query *q, struct piece **pieces,
                                   size_t *n, struct portolan_error *err)
{
    const struct piece_range range = {
        .first_step = q->first_step ? *q->first_step : INT_MIN,
        .last_step = q->last_step ? *q->last_step : INT_MAX,
        .first_rank = q->rank ? *q->rank : INT_MIN,
        .last_rank = q->rank ? *q->rank : INT_MAX,
    };
    enum portolan_status status = pieces_read(b, t->id, &range, PIECES_BY_STEP, pieces, n, err);

    if (!status && t->n_partial && !q->with_partial)
        *n = drop_partial(t, *pieces, *n);
    return status;
}

enum portolan_status samples_read(struct backend *b, const struct portolan_trial *t,
                                  const struct portolan_store_query *q,
                                  struct portolan_sample_set *set, size_t *capacity,
                                  struct texts *texts, struct portolan_error *err)
{
    struct reading r = {.backend = b,
                        .set = set,
                        .capacity = capacity,
                        .trial = t,
                        .start = set->n_samples,
                        .group = set->n_samples,
                        .err = err};
    struct piece *pieces = NULL;
    size_t n = 0;
    enum portolan_status status = pieces_select(b, t, q, &pieces, &n, err);

    if (!status && n && !(status = trial_names_read(&r.names, b, t->id, texts, err)))
        status = pieces_visit(b, pieces, n, take_sample, &r, err);
    trial_names_clear(&r.names);
    free(r.ids);
    free(pieces);
    return status;
}
