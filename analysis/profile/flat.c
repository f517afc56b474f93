/* SPDX-License-Identifier: BSD-3-Clause */
/* One row per method: the sum of its call paths, with inclusive times of outermost calls only. */
#include "internal.h"

#include <portolan/index.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct flattening {
    const struct portolan_profile *from;
    struct portolan_profile *to;
    int64_t *row_of;    /* of a node */
    bool *is_outermost; /* no call of the same method above */
    struct portolan_index rows;
};

static bool is_outermost(const struct portolan_profile *p, size_t i)
{
    const struct portolan_profile_node *n = &p->nodes[i];
    int64_t at = n->parent;

    if (n->is_context) /* like its path */
        at = p->nodes[at].parent;
    for (; at >= 0; at = p->nodes[at].parent)
        if (profile_same_method(&p->nodes[at], n))
            return false;
    return true;
}

/* Is row I equal to the candidate, which is after the last row? */
static bool same_row(const void *flattening, size_t i)
{
    const struct portolan_profile *to = ((const struct flattening *)flattening)->to;
    const struct portolan_profile_node *a = &to->nodes[i], *b = &to->nodes[to->n_nodes];

    if (a->is_context != b->is_context || !profile_same_method(a, b) ||
        a->n_context != b->n_context || a->binned != b->binned)
        return false;
    for (int c = 0; c < a->n_context; c++)
        if (profile_context_key(a->context[c], a->binned) !=
            profile_context_key(b->context[c], b->binned))
            return false;
    return true;
}

static uint64_t hash_row(const struct portolan_profile_node *n)
{
    uint64_t h = profile_hash_method(n, (uint64_t)n->is_context + 1);

    for (int k = 0; k < n->n_context; k++) {
        double key = profile_context_key(n->context[k], n->binned);

        h = portolan_hash(&key, sizeof key, h);
    }
    return portolan_hash(n->implementation, strlen(n->implementation), h);
}

/* The row of node I, which is added if it is missing; there is room for a row per node. */
static bool find_row(struct flattening *f, size_t i, size_t *at)
{
    const struct portolan_profile_node *n = &f->from->nodes[i];
    struct portolan_profile_node *row = &f->to->nodes[f->to->n_nodes];

    *row = *n;
    row->original = (int64_t)i;
    row->parent = n->is_context ? f->row_of[n->parent] : -1;
    row->depth = n->is_context;
    if (!portolan_index_put(&f->rows, hash_row(row), f->to->n_nodes, same_row, f, at))
        return false;
    f->to->n_nodes += *at == f->to->n_nodes;
    return true;
}

static void add_estimate(struct portolan_profile_estimate *to,
                         const struct portolan_profile_estimate *from)
{
    to->value += from->value;
    to->low += from->low;
    to->high += from->high;
}

/* Only sums and means add up: the maximum of sums is not the sum of maxima. */
static void add_statistics(struct portolan_statistics *to, const struct portolan_statistics *from)
{
    *to = (struct portolan_statistics){
        .sum = to->sum + from->sum,
        .mean = to->mean + from->mean,
        .min = NAN,
        .max = NAN,
        .stddev = NAN,
        .max_rank = -1,
    };
}

/* Returns whether counter K of a call is added to its row: inclusive counts of outermost calls
 * only. */
static bool counts(const struct portolan_profile *p, size_t k, bool outermost)
{
    return outermost || portolan_profile_is_exclusive_counter(p->counter_names[k]);
}

static void add_node_counters(const struct flattening *f, struct portolan_profile_node *row,
                              const struct portolan_profile_node *n, bool outermost)
{
    for (size_t k = 0; k < f->from->n_counters; k++) {
        struct portolan_statistics *to = (struct portolan_statistics *)&row->counters[k];
        uint32_t bit = UINT32_C(1) << k;

        if (!(n->counted & bit) || !counts(f->from, k, outermost))
            continue;
        if (row->counted & bit)
            add_statistics(to, &n->counters[k]);
        else
            *to = n->counters[k];
        row->counted |= bit;
    }
}

/* Adds node I to a row, which began as a copy of its first node, an outermost one. */
static void add_node(struct flattening *f, struct portolan_profile_node *row, size_t i)
{
    const struct portolan_profile_node *n = &f->from->nodes[i];

    if (n->timed_calls > 0) {
        row->one_min_ns =
            row->timed_calls > 0 ? fmin(row->one_min_ns, n->one_min_ns) : n->one_min_ns;
        row->one_max_ns = fmax(row->one_max_ns, n->one_max_ns);
    }
    if (row->timed_calls + n->timed_calls > 0)
        row->one_mean_ns = (row->one_mean_ns * row->timed_calls + n->one_mean_ns * n->timed_calls) /
                           (row->timed_calls + n->timed_calls);
    row->n_ranks = n->n_ranks > row->n_ranks ? n->n_ranks : row->n_ranks;
    row->n_threads = n->n_threads > row->n_threads ? n->n_threads : row->n_threads;
    row->timed_calls += n->timed_calls;
    row->subroutines += n->subroutines;
    row->sum_squares_ns2 += n->sum_squares_ns2;
    row->is_sampled |= n->is_sampled;
    row->is_marked |= n->is_marked;
    add_statistics(&row->calls, &n->calls);
    add_statistics(&row->exclusive_ns, &n->exclusive_ns);
    add_statistics(&row->mpi_ns, &n->mpi_ns);
    add_statistics(&row->compute_ns, &n->compute_ns);
    add_estimate(&row->exclusive, &n->exclusive);
    add_estimate(&row->mpi, &n->mpi);
    add_estimate(&row->exclusive_compensated, &n->exclusive_compensated);
    add_node_counters(f, row, n, f->is_outermost[i]);
    if (!f->is_outermost[i])
        return;
    row->descendants += n->descendants;
    add_statistics(&row->inclusive_ns, &n->inclusive_ns);
    add_estimate(&row->inclusive, &n->inclusive);
    add_estimate(&row->inclusive_compensated, &n->inclusive_compensated);
}

static bool own_counters(struct flattening *f, struct portolan_profile_node *row)
{
    size_t n = f->from->n_counters;
    struct portolan_statistics *own;

    if (n == 0)
        return true;
    if (!(own = portolan_arena_alloc(&f->to->arena, n, sizeof *own)))
        return false;
    memcpy(own, row->counters, n * sizeof *own);
    row->counters = own;
    return true;
}

static bool add_nodes(struct flattening *f)
{
    for (size_t i = 0; i < f->from->n_nodes; i++) {
        size_t before = f->to->n_nodes, row;

        if (!find_row(f, i, &row))
            return false;

        f->is_outermost[i] = is_outermost(f->from, i);
        f->row_of[i] = (int64_t)row;
        if (row < before)
            add_node(f, &f->to->nodes[row], i);
        else if (!own_counters(f, &f->to->nodes[row]))
            return false;
    }
    return true;
}

/* Moves the cells to the rows and sorts them; join_cells() then joins those of one row, rank and
 * thread. */
static bool move_cells(struct flattening *f)
{
    const struct portolan_profile *from = f->from;
    struct portolan_profile *to = f->to;
    double *counters =
        portolan_arena_alloc(&to->arena, from->n_cells * from->n_counters + 1, sizeof *counters);

    to->cells = portolan_arena_alloc(&to->arena, from->n_cells + 1, sizeof *to->cells);
    if (!counters || !to->cells)
        return false;
    for (size_t i = 0; i < from->n_cells; i++) {
        struct portolan_profile_cell c = from->cells[i];
        bool outermost = f->is_outermost[c.node];

        c.node = (size_t)f->row_of[c.node];
        c.inclusive_ns = outermost ? c.inclusive_ns : 0;
        c.all_inclusive_ns = outermost ? c.all_inclusive_ns : 0;
        for (size_t k = 0; k < from->n_counters; k++)
            counters[k] = counts(from, k, outermost) ? c.counters[k] : 0;
        c.counters = counters;
        counters += from->n_counters;
        to->cells[i] = c;
    }
    to->n_cells = from->n_cells;
    profile_sort_cells(to);
    return true;
}

static void join_cells(struct portolan_profile *p)
{
    size_t kept = 0;

    for (size_t i = 0; i < p->n_cells; i++) {
        const struct portolan_profile_cell *c = &p->cells[i];
        struct portolan_profile_cell *last = kept ? &p->cells[kept - 1] : NULL;

        if (last && last->node == c->node && last->rank == c->rank && last->thread == c->thread) {
            profile_add_to_cell(last, c);
            for (size_t k = 0; k < p->n_counters; k++)
                ((double *)last->counters)[k] += c->counters[k];
        } else {
            p->cells[kept++] = *c;
        }
    }
    p->n_cells = kept;
}

/* Makes the exact statistics from cells; first sets the sums to 0 that this adds up again. */
static enum portolan_status count_again(struct flattening *f, struct portolan_error *err)
{
    if (!move_cells(f))
        return portolan_no_memory(err);
    join_cells(f->to);
    for (size_t i = 0; i < f->to->n_nodes; i++) {
        struct portolan_profile_node *n = &f->to->nodes[i];

        n->timed_calls = n->subroutines = n->sum_squares_ns2 = 0;
        n->n_threads = 0;
    }
    return profile_count_ranks(f->to, err);
}

static enum portolan_status flatten(struct flattening *f, struct portolan_error *err)
{
    size_t n = f->from->n_nodes;

    f->row_of = portolan_calloc(n + 1, sizeof *f->row_of);
    f->is_outermost = portolan_calloc(n + 1, sizeof *f->is_outermost);
    f->to->nodes = portolan_arena_alloc(&f->to->arena, n + 1, sizeof *f->to->nodes);
    if (!f->row_of || !f->is_outermost || !f->to->nodes || !add_nodes(f))
        return portolan_no_memory(err);
    return f->from->n_cells ? count_again(f, err) : PORTOLAN_OK;
}

enum portolan_status portolan_profile_flatten(const struct portolan_profile *profile,
                                              struct portolan_profile **flat,
                                              struct portolan_error *err)
{
    struct flattening f = {.from = profile};
    enum portolan_status status = profile_create(NULL, profile->trial, flat, err);

    if (status != PORTOLAN_OK)
        return status;
    f.to = *flat;
    f.to->ranks = profile->ranks;
    f.to->is_flat = true;
    f.to->n_counters = profile->n_counters;
    f.to->counter_names = profile->counter_names;
    status = flatten(&f, err);
    free(f.row_of);
    free(f.is_outermost);
    portolan_index_clear(&f.rows);
    if (status != PORTOLAN_OK) {
        portolan_profile_destroy(*flat);
        *flat = NULL;
    }
    return status;
}
