/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds samples to nodes and cells: sums over steps, one node for a call path of all ranks and
 * threads. Then makes statistics over ranks from the cells.
 */
#include "internal.h"

#include <portolan/index.h>
#include <portolan/list.h>
#include <portolan/progress.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------- nodes */

/* The mean of a context while it is filled; until then the node has the key of the context. */
struct mean {
    double calls, sum[PORTOLAN_CONTEXT_MAX];
};

struct filling {
    struct portolan_profile *p;
    const struct portolan_sample_set *set; /* the current one */
    bool contexts;
    struct portolan_arena arena; /* of data that only filling needs */
    struct mean *means;          /* by node */
    struct portolan_index nodes, cells;
    int64_t *path_of; /* node of a sample */
};

uint64_t profile_hash_method(const struct portolan_profile_node *n, uint64_t seed)
{
    uint64_t h = portolan_hash(n->method, strlen(n->method) + 1, seed);

    return portolan_hash(n->instance, strlen(n->instance) + 1, h);
}

static uint64_t hash_node(const struct portolan_profile_node *n)
{
    uint64_t h = portolan_hash(&n->parent, sizeof n->parent, (uint64_t)n->is_context + 1);

    h = portolan_hash(n->context, (size_t)n->n_context * sizeof *n->context, h);
    h = portolan_hash(n->implementation, strlen(n->implementation), h);
    return profile_hash_method(n, portolan_hash(n->user, strlen(n->user), h));
}

/* A search for a node like LIKE. */
struct sought {
    const struct portolan_profile *in;
    const struct portolan_profile_node *like;
};

static bool same_node(const void *sought, size_t i)
{
    const struct sought *s = sought;
    const struct portolan_profile_node *a = &s->in->nodes[i], *b = s->like;

    if (a->parent != b->parent || a->is_context != b->is_context || a->binned != b->binned ||
        a->n_context != b->n_context || !profile_same_method(a, b))
        return false;
    for (int c = 0; c < a->n_context; c++)
        if (a->context[c] != b->context[c])
            return false;
    return !strcmp(a->user, b->user) && !strcmp(a->uses, b->uses);
}

/* Copies the names of a node, which outlives the samples. */
static void own_names(struct portolan_arena *arena, struct portolan_profile_node *n)
{
    const char **const names[] = {&n->user,           &n->uses,      &n->instance, &n->port,
                                  &n->implementation, &n->port_type, &n->method};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        *names[i] = portolan_arena_strdup(arena, *names[i]);
    for (int i = 0; i < n->n_context; i++)
        n->context_name[i] = portolan_arena_strdup(arena, n->context_name[i]);
}

/* The node like WANTED, which is added if it is missing; -1 without memory. */
static int64_t find_node(struct filling *f, const struct portolan_profile_node *wanted)
{
    struct portolan_profile *p = f->p;
    const struct sought sought = {p, wanted};
    uint64_t hash = hash_node(wanted);
    size_t n = p->n_nodes, at = portolan_index_find(&f->nodes, hash, same_node, &sought);
    struct portolan_profile_node *nodes;
    struct mean *means;

    if (at != SIZE_MAX)
        return (int64_t)at;
    nodes = portolan_arena_grow(&p->arena, p->nodes, n, sizeof *nodes);
    means = portolan_arena_grow(&f->arena, f->means, n, sizeof *means);
    if (!nodes || !means || !portolan_index_add(&f->nodes, hash, n))
        return -1;
    p->nodes = nodes;
    f->means = means;
    nodes[n] = *wanted;
    nodes[n].original = (int64_t)n;
    nodes[n].depth = wanted->parent < 0 ? 0 : nodes[wanted->parent].depth + 1;
    means[n] = (struct mean){0};
    own_names(&p->arena, &nodes[n]);
    p->n_nodes++;
    return p->arena.failed ? -1 : (int64_t)n;
}

/* ------------------------------------------------- cells */

int profile_compare_cells(const void *a, const void *b)
{
    const struct portolan_profile_cell *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

void profile_sort_cells(struct portolan_profile *p)
{
    if (p->n_cells)
        qsort(p->cells, p->n_cells, sizeof *p->cells, profile_compare_cells);
}

void profile_add_to_cell(struct portolan_profile_cell *to, const struct portolan_profile_cell *from)
{
    if (from->timed_calls > 0) {
        to->min_ns = to->timed_calls > 0 ? fmin(to->min_ns, from->min_ns) : from->min_ns;
        to->max_ns = fmax(to->max_ns, from->max_ns);
    }
    to->calls += from->calls;
    to->timed_calls += from->timed_calls;
    to->subroutines += from->subroutines;
    to->inclusive_ns += from->inclusive_ns;
    to->exclusive_ns += from->exclusive_ns;
    to->mpi_ns += from->mpi_ns;
    to->all_inclusive_ns += from->all_inclusive_ns;
    to->all_exclusive_ns += from->all_exclusive_ns;
    to->all_mpi_ns += from->all_mpi_ns;
    to->sum_squares_ns2 += from->sum_squares_ns2;
}

struct wanted_cell {
    const struct portolan_profile *p;
    struct portolan_profile_cell cell;
};

static bool same_cell(const void *wanted, size_t i)
{
    const struct wanted_cell *w = wanted;

    return profile_compare_cells(&w->p->cells[i], &w->cell) == 0;
}

static struct portolan_profile_cell *find_cell(struct filling *f, size_t node,
                                               const struct portolan_sample *s)
{
    struct portolan_profile *p = f->p;
    const uint64_t key[3] = {node, (uint64_t)s->rank, (uint64_t)s->thread};
    const struct wanted_cell wanted = {p, {.node = node, .rank = s->rank, .thread = s->thread}};
    uint64_t hash = portolan_hash(key, sizeof key, 0);
    size_t at = portolan_index_find(&f->cells, hash, same_cell, &wanted);

    if (at != SIZE_MAX)
        return &p->cells[at];
    if (!portolan_index_add(&f->cells, hash, p->n_cells))
        return NULL;
    return portolan_arena_append(&p->arena, &p->cells, &p->n_cells, &wanted.cell,
                                 sizeof wanted.cell);
}

static bool add_counters(struct portolan_profile *p, struct portolan_profile_cell *c,
                         const struct portolan_sample *s)
{
    double *counters = (double *)c->counters;

    if (s->n_counters && !counters)
        c->counters = counters =
            portolan_arena_alloc(&p->arena, PROFILE_COUNTERS_MAX, sizeof *counters);
    for (int i = 0; counters && i < s->n_counters; i++) {
        size_t k;

        if (!profile_note_counter(p, s->counter_name[i]))
            return false;
        k = profile_find_counter(p, s->counter_name[i]);
        if (k < p->n_counters) {
            p->nodes[c->node].counted |= UINT32_C(1) << k;
            counters[k] += s->counter[i];
        }
    }
    return counters || !s->n_counters;
}

static bool add_to_cell(struct filling *f, int64_t node, const struct portolan_sample *s)
{
    const struct portolan_profile_cell from = {
        .calls = (double)s->calls,
        .timed_calls = portolan_sample_timed(s),
        .subroutines = (double)s->subroutines,
        .inclusive_ns = s->inclusive_ns,
        .exclusive_ns = s->exclusive_ns,
        .mpi_ns = s->mpi_ns,
        .min_ns = s->min_ns,
        .max_ns = s->max_ns,
        .sum_squares_ns2 = s->sum_squares_ns2,
    };
    struct portolan_profile_cell *c = node < 0 ? NULL : find_cell(f, (size_t)node, s);

    if (!c)
        return false;
    profile_add_to_cell(c, &from);
    return add_counters(f->p, c, s);
}

/* ------------------------------------------------- samples */

double profile_context_key(double x, bool binned)
{
    if (!binned || x == 0 || !isfinite(x))
        return x;
    return copysign(1e4 + floor(4 * log2(fabs(x))), x);
}

static bool add_context(struct filling *f, int64_t path, struct portolan_profile_node wanted,
                        const struct portolan_sample *s)
{
    int64_t node;

    wanted.parent = path;
    wanted.is_context = true;
    wanted.n_context = s->n_context;
    wanted.binned = s->binned;
    for (int k = 0; k < s->n_context; k++) {
        wanted.context_name[k] = s->context_name[k];
        wanted.context[k] = profile_context_key(s->context[k], s->binned);
    }
    node = find_node(f, &wanted);
    if (node < 0)
        return false;
    f->means[node].calls += (double)s->calls;
    for (int k = 0; k < s->n_context; k++)
        f->means[node].sum[k] += s->context[k] * (double)s->calls;
    return add_to_cell(f, node, s);
}

static bool add_sample(struct filling *f, size_t i)
{
    const struct portolan_sample *s = &f->set->samples[i];
    struct portolan_profile_node wanted = portolan_profile_node_of(s);
    int64_t path;

    wanted.parent = s->parent < 0 ? -1 : f->path_of[s->parent];
    path = find_node(f, &wanted);
    f->path_of[i] = path;
    return path >= 0 && add_to_cell(f, path, s) &&
           (!f->contexts || s->n_context == 0 || add_context(f, path, wanted, s));
}

static bool add_samples(struct filling *f, const struct portolan_sample_set *set)
{
    bool good;

    f->set = set;
    f->path_of = portolan_calloc(set->n_samples + 1, sizeof *f->path_of);
    good = f->path_of != NULL;
    for (size_t i = 0; good && i < set->n_samples; i++)
        good = add_sample(f, i);
    free(f->path_of);
    return good;
}

/* Sets the means of contexts, and unknown counters for cells without any. */
static void finish_filling(struct filling *f)
{
    struct portolan_profile *p = f->p;
    const double *none =
        p->n_counters ? portolan_arena_alloc(&p->arena, PROFILE_COUNTERS_MAX, sizeof *none) : NULL;

    for (size_t i = 0; i < p->n_nodes; i++) {
        struct portolan_profile_node *n = &p->nodes[i];

        for (int k = 0; n->binned && f->means[i].calls > 0 && k < n->n_context; k++)
            n->context[k] = f->means[i].sum[k] / f->means[i].calls;
    }
    for (size_t i = 0; i < p->n_cells; i++)
        if (!p->cells[i].counters)
            p->cells[i].counters = none;
}

/* Reads rank by rank, since the samples of all ranks may not fit into memory. */
enum portolan_status profile_read_samples(struct portolan_store *store, struct portolan_profile *p,
                                          const struct portolan_profile_query *query,
                                          struct portolan_error *err)
{
    int first = query->rank ? *query->rank : 0;
    int end = query->rank ? first + 1 : p->trial->ranks, ranks_there = 0;
    struct filling f = {.p = p, .contexts = query->contexts};
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; query->like && i < query->like->n_counters; i++)
        if (!profile_note_counter(p, query->like->counter_names[i]))
            status = portolan_no_memory(err);
    for (int rank = first; status == PORTOLAN_OK && rank < end; rank++) {
        const struct portolan_store_query q = {
            .trial = p->trial->id, .with_partial = true, .rank = &rank};
        struct portolan_sample_set *set = NULL;

        portolan_progress("ranks", (size_t)(rank - first), (size_t)(end - first), false);
        status = portolan_store_read(store, &q, true, &set, err);
        if (status == PORTOLAN_OK && !add_samples(&f, set))
            status = portolan_no_memory(err);
        ranks_there += set && set->n_samples > 0;
        portolan_sample_set_destroy(set);
    }
    portolan_progress_done("ranks");
    finish_filling(&f);
    portolan_arena_clear(&f.arena);
    portolan_index_clear(&f.nodes);
    portolan_index_clear(&f.cells);
    if (status != PORTOLAN_OK)
        return status;
    profile_sort_cells(p);
    if (!query->rank && portolan_profile_has_absent_ranks(p->trial))
        p->ranks = ranks_there;
    return profile_count_ranks(p, err);
}

/* ------------------------------------------------- statistics over ranks */

/* The quantities of a rank, in one array so that one loop treats them all. */
enum { CALLS, INCLUSIVE, EXCLUSIVE, MPI, COMPUTE, QUANTITIES };

/* The values of a node: a row for each rank that called it. */
struct rank_values {
    size_t n, width;
    double *values;
    int *ranks;
    int all;    /* ranks of the trial; those without calls count as 0 */
    int absent; /* the lowest rank without calls */
};

static void add_values(const struct portolan_profile_cell *c, size_t n_counters, double *x)
{
    x[CALLS] += c->calls;
    x[INCLUSIVE] += c->inclusive_ns;
    x[EXCLUSIVE] += c->exclusive_ns;
    x[MPI] += c->mpi_ns;
    x[COMPUTE] += c->exclusive_ns - c->mpi_ns;
    for (size_t i = 0; i < n_counters; i++)
        x[QUANTITIES + i] += c->counters[i];
}

static struct portolan_statistics count_values(const struct rank_values *v, size_t q)
{
    struct portolan_statistics s = {.max_rank = v->absent};
    double squares;

    for (size_t i = 0; i < v->n; i++) {
        double x = v->values[i * v->width + q];

        s.min = i == 0 ? x : fmin(s.min, x);
        if (i == 0 || x > s.max) {
            s.max = x;
            s.max_rank = v->ranks[i];
        }
        s.sum += x;
    }
    if (v->n < (size_t)v->all) {
        if (s.max < 0 || (s.max == 0 && v->absent < s.max_rank))
            s.max_rank = v->absent;
        s.min = fmin(s.min, 0);
        s.max = fmax(s.max, 0);
    }
    s.mean = s.sum / v->all;
    squares = (double)((size_t)v->all - v->n) * s.mean * s.mean;
    for (size_t i = 0; i < v->n; i++)
        squares += pow(v->values[i * v->width + q] - s.mean, 2);
    s.stddev = sqrt(squares / v->all);
    return s;
}

static void add_single_calls(struct portolan_profile_node *n, const struct portolan_profile_cell *c)
{
    n->n_threads++;
    if (c->timed_calls > 0) {
        n->one_min_ns = n->timed_calls == 0 ? c->min_ns : fmin(n->one_min_ns, c->min_ns);
        n->one_max_ns = fmax(n->one_max_ns, c->max_ns);
    }
    n->timed_calls += c->timed_calls;
    n->subroutines += c->subroutines;
    n->sum_squares_ns2 += c->sum_squares_ns2;
}

void profile_forget_uncounted(const struct portolan_profile *p, struct portolan_profile_node *n)
{
    static const struct portolan_statistics unknown = {NAN, NAN, NAN, NAN, NAN, -1};

    for (size_t i = 0; i < p->n_counters; i++)
        if (!(n->counted >> i & 1))
            ((struct portolan_statistics *)n->counters)[i] = unknown;
}

/* Makes the statistics of a node, whose cells are FIRST … END - 1. */
static void count_node(struct portolan_profile *p, struct portolan_profile_node *node, size_t first,
                       size_t end, struct rank_values *v)
{
    struct portolan_statistics *const to[] = {
        &node->calls, &node->inclusive_ns, &node->exclusive_ns, &node->mpi_ns, &node->compute_ns};

    v->n = 0;
    v->absent = 0;
    for (size_t i = first; i < end; i++) {
        const struct portolan_profile_cell *c = &p->cells[i];

        if (i == first || c->rank != c[-1].rank) {
            v->absent += c->rank == v->absent;
            v->ranks[v->n] = c->rank;
            memset(&v->values[v->n++ * v->width], 0, v->width * sizeof *v->values);
        }
        add_values(c, p->n_counters, &v->values[(v->n - 1) * v->width]);
        add_single_calls(node, c);
    }
    node->n_ranks = (int)v->n;
    /* An imported trial, or one that was cut off, may name fewer ranks than its cells have. */
    v->all = (int)v->n > p->ranks ? (int)v->n : p->ranks;
    for (size_t q = 0; q < v->width; q++)
        *(q < QUANTITIES ? to[q] : (struct portolan_statistics *)&node->counters[q - QUANTITIES]) =
            count_values(v, q);
    profile_forget_uncounted(p, node);
}

enum portolan_status profile_count_ranks(struct portolan_profile *p, struct portolan_error *err)
{
    struct rank_values v = {.width = QUANTITIES + p->n_counters};
    struct portolan_statistics *counters =
        portolan_arena_alloc(&p->arena, p->n_nodes * p->n_counters + 1, sizeof *counters);
    size_t most = 1, end = 0;

    for (size_t i = 0, start = 0; i < p->n_cells; i++) {
        start = p->cells[i].node != p->cells[start].node ? i : start;
        most = i - start + 1 > most ? i - start + 1 : most;
    }
    v.values = portolan_calloc(most * v.width, sizeof *v.values);
    v.ranks = portolan_calloc(most, sizeof *v.ranks);
    for (size_t i = 0; counters && v.values && v.ranks && i < p->n_nodes; i++) {
        size_t first = end;

        p->nodes[i].counters = counters + i * p->n_counters;
        while (end < p->n_cells && p->cells[end].node == i)
            end++;
        count_node(p, &p->nodes[i], first, end, &v);
    }
    free(v.values);
    free(v.ranks);
    return counters && v.values && v.ranks ? PORTOLAN_OK : portolan_no_memory(err);
}
