/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics over ranks: merging two, and computing them from samples in one walk, rank by rank, in
 * memory for the call paths.
 */
#include "internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Static, since a call of the public function is not inlined. */
static struct portolan_statistics *statistics_of(struct portolan_path_summary *s, int quantity)
{
    static const size_t places[PORTOLAN_SUMMARY_QUANTITIES] = {
        offsetof(struct portolan_path_summary, calls),
        offsetof(struct portolan_path_summary, inclusive),
        offsetof(struct portolan_path_summary, exclusive),
        offsetof(struct portolan_path_summary, mpi),
        offsetof(struct portolan_path_summary, compute)};

    return quantity < PORTOLAN_SUMMARY_QUANTITIES
               ? (struct portolan_statistics *)((char *)s + places[quantity])
               : &s->counter[quantity - PORTOLAN_SUMMARY_QUANTITIES];
}

struct portolan_statistics *portolan_path_summary_peek(struct portolan_path_summary *s,
                                                       int quantity)
{
    return statistics_of(s, quantity);
}

void portolan_path_summary_of_rank(struct portolan_path_summary *s, int rank)
{
    for (int q = 0; q < PORTOLAN_SUMMARY_QUANTITIES + s->n_counters; ++q) {
        struct portolan_statistics *one = statistics_of(s, q);

        *one = (struct portolan_statistics){one->sum, one->sum, one->sum, one->sum, 0, rank};
    }
    s->n_ranks = 1;
    s->calls_sum = s->calls.sum;
}

static void merge_statistics(struct portolan_statistics *s, int first, int n,
                             const struct portolan_statistics *other, int m)
{
    double difference, all = (double)n + m, squares;

    if (n == 0) {
        *s = *other;
        return;
    }
    difference = other->mean - s->mean;
    squares = s->stddev * s->stddev * n + other->stddev * other->stddev * m +
              difference * difference * n * m / all;
    if (s->min >= s->max) /* all are alike */
        s->max_rank = first;
    if (other->max > s->max)
        s->max_rank = other->min >= other->max ? first + n : other->max_rank;
    s->sum += other->sum;
    s->mean += difference * m / all;
    s->min = other->min < s->min ? other->min : s->min;
    s->max = other->max > s->max ? other->max : s->max;
    s->stddev = sqrt(squares / all);
}

void portolan_path_summary_merge(struct portolan_path_summary *s, int first, int n,
                                 const struct portolan_path_summary *other, int m)
{
    static const struct portolan_path_summary no_call;
    const struct portolan_path_summary *more = other ? other : &no_call;

    if (m <= 0)
        return;
    for (int q = 0; q < PORTOLAN_SUMMARY_QUANTITIES + s->n_counters; ++q)
        merge_statistics(statistics_of(s, q), first, n,
                         statistics_of((struct portolan_path_summary *)more, q), m);
    if (more->timed_calls > 0) { /* extremes are of timed calls */
        bool had_some = s->timed_calls > 0;

        s->one_min_ns = had_some ? fmin(s->one_min_ns, more->one_min_ns) : more->one_min_ns;
        s->one_max_ns = had_some ? fmax(s->one_max_ns, more->one_max_ns) : more->one_max_ns;
    }
    s->n_ranks += more->n_ranks;
    s->n_threads += more->n_threads;
    s->timed_calls += more->timed_calls;
    s->subroutines += more->subroutines;
    s->sum_squares_ns2 += more->sum_squares_ns2;
    s->calls_sum = s->calls.sum;
}

struct path_sums {
    struct portolan_path_summary all, rank; /* over the ranks so far; of the rank at hand */
    int covered;                            /* ranks that `all` is over */
    unsigned counters;                      /* bits of those that occurred */
    bool touched;                           /* by the rank at hand */
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

/* To be called when the rank at hand is complete. */
static void end_rank(struct summing *x)
{
    size_t used_bytes = offsetof(struct portolan_path_summary, counter) +
                        (size_t)x->n_counters * sizeof x->paths->rank.counter[0];

    for (size_t i = 0; i < x->n_touched; ++i) {
        struct path_sums *p = &x->paths[x->touched[i]];
        uint64_t *threads = &x->threads[x->touched[i] * x->words];

        for (size_t w = 0; w < x->words; ++w)
            p->rank.n_threads += __builtin_popcountll(threads[w]);
        portolan_path_summary_of_rank(&p->rank, x->rank);
        portolan_path_summary_merge(&p->all, 0, p->covered, NULL, x->rank - p->covered);
        portolan_path_summary_merge(&p->all, 0, x->rank, &p->rank, 1);
        p->covered = x->rank + 1;
        memset(&p->rank, 0, used_bytes); /* most have no counters */
        p->rank.n_counters = x->n_counters;
        memset(threads, 0, x->words * sizeof *threads);
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
        p->rank.counter[c].sum += backend_double(x->b, READ_CALL_DATA, CALL_COUNTER + i);
    }
    return PORTOLAN_OK;
}

static enum portolan_status add_row(void *arg, const struct piece *piece)
{
    struct summing *x = arg;
    struct backend *b = x->b;
    struct portolan_path_summary *s;
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
    s = &p->rank;
    timed = (double)backend_int(b, READ_CALL_DATA, CALL_TIMED);
    if (timed > 0) {
        double least = backend_double(b, READ_CALL_DATA, CALL_MINIMUM);
        double most = backend_double(b, READ_CALL_DATA, CALL_MAXIMUM);

        s->one_min_ns = s->timed_calls > 0 ? fmin(s->one_min_ns, least) : least;
        s->one_max_ns = s->timed_calls > 0 ? fmax(s->one_max_ns, most) : most;
        s->sum_squares_ns2 += backend_double(b, READ_CALL_DATA, CALL_SQUARES);
    }
    s->timed_calls += timed;
    s->subroutines += (double)backend_int(b, READ_CALL_DATA, CALL_SUBROUTINES);
    s->calls.sum += (double)backend_int(b, READ_CALL_DATA, CALL_CALLS);
    s->inclusive.sum += backend_double(b, READ_CALL_DATA, CALL_INCLUSIVE);
    s->exclusive.sum += backend_double(b, READ_CALL_DATA, CALL_EXCLUSIVE);
    s->mpi.sum += backend_double(b, READ_CALL_DATA, CALL_MPI);
    s->compute.sum = s->exclusive.sum - s->mpi.sum;
    return add_counters(x, p);
}

/* ------------------------------------------------------------------------- before and after */

/* Numbers the threads within their ranks. */
static bool number_threads(struct summing *x)
{
    size_t n = x->names.n_threads;
    const struct named_thread **sorted = trial_names_sort_threads(&x->names);
    int most = 0;

    x->ordinals = portolan_calloc(n + 1, sizeof *x->ordinals);
    if (sorted && x->ordinals) {
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
        return portolan_no_memory(x->err);
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
    for (size_t i = 0; i < n; ++i)
        x->paths[i].all.n_counters = x->paths[i].rank.n_counters = x->n_counters;
    return PORTOLAN_OK;
}

/* Adds the ranks after the last one that called the path; drops counters that were not counted. */
static void finish_path(const struct summing *x, struct path_sums *p,
                        const struct named_path *names, int ranks)
{
    struct portolan_path_summary *s = &p->all;

    portolan_path_summary_merge(s, 0, p->covered, NULL, ranks - p->covered);
    COPY_PATH(s, names);
    s->n_counters = 0;
    for (int c = 0; c < x->n_counters; ++c)
        if (p->counters & 1U << c) {
            s->counter_name[s->n_counters] = x->counter[c];
            s->counter[s->n_counters++] = s->counter[c];
        }
}

/* Leaves out paths of which nothing was stored. */
static enum portolan_status finish_all(const struct summing *x, struct portolan_summary_set *set)
{
    size_t n = x->names.n_paths;
    int64_t *places = portolan_calloc(n + 1, sizeof *places);
    struct portolan_path_summary *rows = portolan_calloc(n + 1, sizeof *rows);

    if (!places || !rows) {
        free(places);
        free(rows);
        return portolan_no_memory(x->err);
    }
    set->n = 0;
    for (size_t i = 0; i < n; ++i) {
        const struct named_path *p = &x->names.paths[i];
        int64_t parent = p->parent ? trial_names_find_path(&x->names, p->parent, -1) : -1;

        places[i] = -1;
        if (!x->paths[i].all.n_ranks)
            continue;
        finish_path(x, &x->paths[i], p, set->ranks);
        rows[set->n] = x->paths[i].all;
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
