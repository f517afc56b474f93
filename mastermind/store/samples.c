/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of call_data into samples, and back. */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    v[CALL_CALLS].i = s->calls;
    v[CALL_TIMED].i = !s->timed_calls ? s->calls : s->timed_calls < 0 ? 0 : s->timed_calls;
    v[CALL_SUBROUTINES].i = s->subroutines;
    v[CALL_BINNED].i = s->binned;
    v[CALL_INCLUSIVE].d = s->inclusive_ns;
    v[CALL_EXCLUSIVE].d = s->exclusive_ns;
    v[CALL_MPI].d = s->mpi_ns;
    v[CALL_MINIMUM].d = s->min_ns;
    v[CALL_MAXIMUM].d = s->max_ns;
    v[CALL_SQUARES].d = s->sum_squares_ns2;
    v[CALL_QUALITY].d = s->quality;
    for (int i = 0; i < PORTOLAN_CONTEXT_MAX; ++i)
        v[CALL_CONTEXT + i].d = i < s->n_context ? s->context[i] : NAN;
    for (int i = 0; i < PORTOLAN_COUNTER_MAX; ++i)
        v[CALL_COUNTER + i].d = i < s->n_counters ? s->counter[i] : NAN;
    v[CALL_FAILED].i = s->failed_calls;
}

static void fill_piece(void *arg, size_t row, union backend_value *v)
{
    const struct put *p = arg;

    v[0].i = p->pieces[row].first;
    v[1].i = p->pieces[row].last;
    v[2].i = p->step;
    v[3].i = p->pieces[row].rank;
}

/* One piece per run of samples of one rank. */
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
        if (!store_reserve(&p->pieces, &capacity, *n_pieces, sizeof *p->pieces))
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

    if ((status = identity_of_step(store, step, &p.step, err)) ||
        (status = identity_of_metric(store, "TIME", "ns", &metric, err)) ||
        (status = identity_of_metric(store, "MPI TIME", "ns", &metric, err)) ||
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

/* A set being filled. */
struct reading {
    struct backend *backend;
    struct portolan_sample_set *set;
    size_t *capacity, ids_capacity;
    const struct portolan_trial *trial;
    struct trial_names names;
    int64_t *ids;                 /* of the samples' rows, by position behind `start` */
    size_t start, group;          /* first sample of the trial; of the (step, rank) at hand */
    int64_t path, thread, layout; /* positions of the latest */
    struct portolan_error *err;
};

/* Rows of one (step, rank) stand together with ascending ids; a parent is in its child's group. */
static int64_t find_parent(struct reading *r, size_t at, int64_t id)
{
    const struct portolan_sample *s = &r->set->samples[at], *g = &r->set->samples[r->group];
    size_t low, high = at;

    if (s->step != g->step || s->rank != g->rank)
        r->group = at;
    for (low = r->group; low < high;) {
        size_t middle = low + (high - low) / 2;

        if (r->ids[middle - r->start] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < at && r->ids[low - r->start] == id ? (int64_t)low : -1;
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
    trial_names_put_path(&r->names.paths[r->path], s);
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

    if (!store_reserve(&r->ids, &r->ids_capacity, n - r->start, sizeof *r->ids) ||
        !store_reserve(&set->samples, r->capacity, n, sizeof *set->samples))
        return portolan_no_memory(r->err);
    s = &set->samples[n];
    *s = (struct portolan_sample){
        .trial = r->trial->id,
        .step = piece->step,
        .rank = piece->rank,
        .calls = backend_int(b, READ_CALL_DATA, CALL_CALLS),
        .failed_calls = backend_int(b, READ_CALL_DATA, CALL_FAILED),
        .timed_calls = backend_int(b, READ_CALL_DATA, CALL_TIMED),
        .subroutines = backend_int(b, READ_CALL_DATA, CALL_SUBROUTINES),
        .binned = backend_int(b, READ_CALL_DATA, CALL_BINNED) != 0,
        .inclusive_ns = backend_double(b, READ_CALL_DATA, CALL_INCLUSIVE),
        .exclusive_ns = backend_double(b, READ_CALL_DATA, CALL_EXCLUSIVE),
        .mpi_ns = backend_double(b, READ_CALL_DATA, CALL_MPI),
        .min_ns = backend_double(b, READ_CALL_DATA, CALL_MINIMUM),
        .max_ns = backend_double(b, READ_CALL_DATA, CALL_MAXIMUM),
        .sum_squares_ns2 = backend_double(b, READ_CALL_DATA, CALL_SQUARES),
        .quality = backend_double(b, READ_CALL_DATA, CALL_QUALITY),
    };
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

/* Steps go as a whole, and with them callers and callees. */
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

enum portolan_status samples_read(struct backend *b, const struct portolan_trial *t,
                                  const struct portolan_store_query *q,
                                  struct portolan_sample_set *set, size_t *capacity,
                                  struct texts *texts, struct portolan_error *err)
{
    const struct piece_range range = {
        .first_step = q->first_step ? *q->first_step : INT_MIN,
        .last_step = q->last_step ? *q->last_step : INT_MAX,
        .first_rank = q->rank ? *q->rank : INT_MIN,
        .last_rank = q->rank ? *q->rank : INT_MAX,
    };
    struct reading r = {.backend = b,
                        .set = set,
                        .capacity = capacity,
                        .trial = t,
                        .start = set->n_samples,
                        .group = set->n_samples,
                        .err = err};
    struct piece *pieces = NULL;
    size_t n = 0;
    enum portolan_status status = pieces_read(b, t->id, &range, PIECES_BY_STEP, &pieces, &n, err);

    if (!status && t->n_partial && !q->with_partial)
        n = drop_partial(t, pieces, n);
    if (!status && n && !(status = trial_names_read(&r.names, b, t->id, texts, err)))
        status = pieces_visit(b, pieces, n, take_sample, &r, err);
    trial_names_clear(&r.names);
    free(r.ids);
    free(pieces);
    return status;
}
