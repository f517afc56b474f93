/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics over ranks from the samples: one walk, rank by rank, in memory for the call paths. */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALLS,
    INCLUSIVE,
    EXCLUSIVE,
    MPI,
    COMPUTE,
    COUNTERS,
    QUANTITIES = COUNTERS + PORTOLAN_SUMMARY_COUNTER_MAX
};

/* Over the ranks so far that were there: Welford's sums. */
struct spread {
    double mean, squares, sum, min, max;
    int max_rank;
};

struct path_sums {
    int n_ranks, n_threads;
    double timed, subroutines, one_min, one_max, squares;
    unsigned counters; /* bits of those that were seen */
    bool touched;      /* by the rank at hand, which has these values so far: */
    double rank[QUANTITIES];
    int first_absent; /* the lowest rank that was not there; -1: none so far */
    struct spread quantities[QUANTITIES];
};

struct summing {
    struct backend *b;
    struct trial_names names;
    struct path_sums *paths; /* as names.paths */
    size_t n_touched, *touched;
    int *ordinals;     /* as names.threads: which thread of its rank it is */
    size_t words;      /* for a bit per thread of a rank */
    uint64_t *threads; /* of the rank at hand, `words` per path */
    const char *counter[PORTOLAN_SUMMARY_COUNTER_MAX];
    int n_counters, rank;
    int64_t path, thread, layout; /* positions of the latest */
    struct portolan_error *err;
};

static void add_value(struct spread *s, int n, double value, int rank)
{
    double d = value - s->mean;

    s->mean += d / n;
    s->squares += d * (value - s->mean);
    s->sum += value;
    if (n == 1 || value < s->min)
        s->min = value;
    if (n == 1 || value > s->max) {
        s->max = value;
        s->max_rank = rank;
    }
}

/* The rank at hand is complete. */
static void end_rank(struct summing *x)
{
    for (size_t i = 0; i < x->n_touched; ++i) {
        struct path_sums *p = &x->paths[x->touched[i]];
        uint64_t *threads = &x->threads[x->touched[i] * x->words];

        if (p->first_absent < 0 && x->rank != p->n_ranks)
            p->first_absent = p->n_ranks;
        ++p->n_ranks;
        for (int q = 0; q < COUNTERS + x->n_counters; ++q)
            add_value(&p->quantities[q], p->n_ranks, p->rank[q], x->rank);
        for (size_t w = 0; w < x->words; ++w)
            p->n_threads += __builtin_popcountll(threads[w]);
        memset(threads, 0, x->words * sizeof *threads);
        memset(p->rank, 0, sizeof p->rank);
        p->touched = false;
    }
    x->n_touched = 0;
}

static int find_counter(const struct summing *x, const char *name)
{
    int c = 0;

    while (c < x->n_counters && x->counter[c] != name) /* interned */
        ++c;
    return c;
}

static enum portolan_status add_counters(struct summing *x, struct path_sums *p)
{
    int64_t id = backend_int(x->b, READ_CALL_DATA, CALL_LAYOUT);
    const struct named_layout *l;

    if (!id)
        return PORTOLAN_OK;
    if ((x->layout = trial_names_find_layout(&x->names, id, x->layout)) < 0)
        return trial_names_missing(x->err);
    l = &x->names.layouts[x->layout];
    for (int i = 0; i < l->n_counters; ++i) {
        int c = find_counter(x, l->counter[i]);

        if (c == x->n_counters)
            continue; /* left out, and counted */
        p->counters |= 1U << c;
        p->rank[COUNTERS + c] += backend_double(x->b, READ_CALL_DATA, CALL_COUNTER + i);
    }
    return PORTOLAN_OK;
}

static enum portolan_status add_row(void *arg, const struct piece *piece)
{
    struct summing *x = arg;
    struct backend *b = x->b;
    struct path_sums *p;
    double timed;

    if (piece->rank != x->rank)
        end_rank(x);
    x->rank = piece->rank;
    x->path =
        trial_names_find_path(&x->names, backend_int(b, READ_CALL_DATA, CALL_CALLPATH), x->path);
    x->thread =
        trial_names_find_thread(&x->names, backend_int(b, READ_CALL_DATA, CALL_THREAD), x->thread);
    if (x->path < 0 || x->thread < 0)
        return trial_names_missing(x->err);
    p = &x->paths[x->path];
    if (!p->touched)
        x->touched[x->n_touched++] = (size_t)x->path;
    p->touched = true;
    x->threads[(size_t)x->path * x->words + (size_t)x->ordinals[x->thread] / 64] |=
        UINT64_C(1) << x->ordinals[x->thread] % 64;
    timed = (double)backend_int(b, READ_CALL_DATA, CALL_TIMED);
    if (timed > 0) {
        double least = backend_double(b, READ_CALL_DATA, CALL_MINIMUM);
        double most = backend_double(b, READ_CALL_DATA, CALL_MAXIMUM);

        p->one_min = p->timed > 0 ? fmin(p->one_min, least) : least;
        p->one_max = p->timed > 0 ? fmax(p->one_max, most) : most;
        p->squares += backend_double(b, READ_CALL_DATA, CALL_SQUARES);
    }
    p->timed += timed;
    p->subroutines += (double)backend_int(b, READ_CALL_DATA, CALL_SUBROUTINES);
    p->rank[CALLS] += (double)backend_int(b, READ_CALL_DATA, CALL_CALLS);
    p->rank[INCLUSIVE] += backend_double(b, READ_CALL_DATA, CALL_INCLUSIVE);
    p->rank[EXCLUSIVE] += backend_double(b, READ_CALL_DATA, CALL_EXCLUSIVE);
    p->rank[MPI] += backend_double(b, READ_CALL_DATA, CALL_MPI);
    p->rank[COMPUTE] = p->rank[EXCLUSIVE] - p->rank[MPI];
    return add_counters(x, p);
}

/* ------------------------------------------------------------------------- before and after */

static int by_rank(const void *a, const void *b)
{
    const struct named_thread *const *x = a, *const *y = b;

    if ((*x)->rank != (*y)->rank)
        return (*x)->rank < (*y)->rank ? -1 : 1;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* Numbers the threads within their ranks. */
static bool number_threads(struct summing *x)
{
    size_t n = x->names.n_threads;
    const struct named_thread **sorted = portolan_calloc(n + 1, sizeof *sorted);
    int most = 0;

    x->ordinals = portolan_calloc(n + 1, sizeof *x->ordinals);
    if (sorted && x->ordinals) {
        for (size_t i = 0; i < n; ++i)
            sorted[i] = &x->names.threads[i];
        qsort(sorted, n, sizeof *sorted, by_rank);
        for (size_t i = 1; i < n; ++i) {
            int *ordinal = &x->ordinals[sorted[i] - x->names.threads];

            if (sorted[i]->rank == sorted[i - 1]->rank)
                *ordinal = x->ordinals[sorted[i - 1] - x->names.threads] + 1;
            most = *ordinal > most ? *ordinal : most;
        }
    }
    free(sorted);
    x->words = (size_t)most / 64 + 1;
    return sorted && x->ordinals;
}

static enum portolan_status prepare(struct summing *x, int64_t trial,
                                    struct portolan_summary_set *set, struct texts *texts)
{
    enum portolan_status status = trial_names_read(&x->names, x->b, trial, texts, x->err);
    size_t n;

    if (status)
        return status;
    n = x->names.n_paths;
    x->paths = portolan_calloc(n + 1, sizeof *x->paths);
    x->touched = portolan_calloc(n + 1, sizeof *x->touched);
    if (!x->paths || !x->touched || !number_threads(x) ||
        !(x->threads = portolan_calloc((n + 1) * x->words, sizeof *x->threads)))
        return store_no_memory(x->err);
    for (size_t i = 0; i < n; ++i)
        x->paths[i].first_absent = -1;
    for (size_t i = 0; i < x->names.n_layouts; ++i)
        for (int k = 0; k < x->names.layouts[i].n_counters; ++k) {
            const char *name = x->names.layouts[i].counter[k];

            if (find_counter(x, name) < x->n_counters)
                continue;
            if (x->n_counters < PORTOLAN_SUMMARY_COUNTER_MAX)
                x->counter[x->n_counters++] = name;
            else
                ++set->n_counters_left_out;
        }
    return PORTOLAN_OK;
}

/* RANKS less those that were there had 0. */
static struct portolan_statistics finish(const struct spread *s, const struct path_sums *p,
                                         int ranks)
{
    struct portolan_statistics r = {
        .sum = s->sum, .min = s->min, .max = s->max, .max_rank = s->max_rank};
    int absent = ranks - p->n_ranks;
    int first = p->first_absent < 0 ? p->n_ranks : p->first_absent;
    double squares = s->squares + s->mean * s->mean * p->n_ranks * absent / ranks;

    r.mean = s->sum / ranks;
    r.stddev = sqrt(squares / ranks);
    if (absent > 0) {
        if (s->max < 0 || (s->max <= 0 && first < s->max_rank)) {
            r.max = 0;
            r.max_rank = first;
        }
        r.min = fmin(s->min, 0);
    }
    return r;
}

static void finish_path(const struct summing *x, const struct path_sums *p,
                        const struct named_path *names, int ranks, struct portolan_path_summary *s)
{
    *s = (struct portolan_path_summary){
        .parent = -1,
        .user = names->user,
        .uses = names->uses,
        .instance = names->instance,
        .port = names->port,
        .implementation = names->implementation,
        .port_type = names->port_type,
        .method = names->method,
        .n_ranks = p->n_ranks,
        .n_threads = p->n_threads,
        .one_min_ns = p->one_min,
        .one_max_ns = p->one_max,
        .sum_squares_ns2 = p->squares,
        .calls_sum = p->quantities[CALLS].sum,
        .timed_calls = p->timed,
        .subroutines = p->subroutines,
        .calls = finish(&p->quantities[CALLS], p, ranks),
        .inclusive = finish(&p->quantities[INCLUSIVE], p, ranks),
        .exclusive = finish(&p->quantities[EXCLUSIVE], p, ranks),
        .mpi = finish(&p->quantities[MPI], p, ranks),
        .compute = finish(&p->quantities[COMPUTE], p, ranks),
    };
    for (int c = 0; c < x->n_counters; ++c)
        if (p->counters & 1U << c) {
            s->counter_name[s->n_counters] = x->counter[c];
            s->counter[s->n_counters++] = finish(&p->quantities[COUNTERS + c], p, ranks);
        }
}

/* Paths that nothing was stored of are none of the summary's. */
static enum portolan_status finish_all(const struct summing *x, struct portolan_summary_set *set)
{
    size_t n = x->names.n_paths;
    int64_t *places = portolan_calloc(n + 1, sizeof *places);
    struct portolan_path_summary *rows = portolan_calloc(n + 1, sizeof *rows);

    if (!places || !rows) {
        free(places);
        free(rows);
        return store_no_memory(x->err);
    }
    set->n = 0;
    for (size_t i = 0; i < n; ++i) {
        const struct named_path *p = &x->names.paths[i];
        int64_t parent = p->parent ? trial_names_find_path(&x->names, p->parent, -1) : -1;

        places[i] = -1;
        if (!x->paths[i].n_ranks)
            continue;
        finish_path(x, &x->paths[i], p, set->ranks, &rows[set->n]);
        rows[set->n].parent = parent < 0 ? -1 : places[parent];
        places[i] = (int64_t)set->n++;
    }
    free(places);
    free(set->rows);
    set->rows = rows;
    return PORTOLAN_OK;
}

enum portolan_status summary_compute(struct backend *b, int64_t trial,
                                     struct portolan_summary_set *set, struct texts *texts,
                                     struct portolan_error *err)
{
    static const struct piece_range everything = {INT_MIN, INT_MAX, INT_MIN, INT_MAX};
    struct summing x = {.b = b, .rank = -1, .err = err};
    struct piece *pieces = NULL;
    size_t n = 0;
    enum portolan_status status = prepare(&x, trial, set, texts);

    if (!status && !(status = pieces_read(b, trial, &everything, PIECES_BY_RANK, &pieces, &n, err)))
        status = pieces_visit(b, pieces, n, add_row, &x, err);
    if (!status) {
        end_rank(&x);
        if (n && set->ranks <= pieces[n - 1].rank)
            set->ranks = pieces[n - 1].rank + 1;
        status = finish_all(&x, set);
    }
    trial_names_clear(&x.names);
    free(x.paths);
    free(x.touched);
    free(x.ordinals);
    free(x.threads);
    free(pieces);
    return status;
}
