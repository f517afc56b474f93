/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics over ranks from the cells. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Over the ranks that were there; those that were not are added at the end. */
struct gathering {
    double sum, min, max, sum_squares;
    int max_rank, n;
};

static void gather(struct gathering *g, int rank, double x)
{
    g->min = g->n == 0 || x < g->min ? x : g->min;
    if (g->n == 0 || x > g->max) {
        g->max = x;
        g->max_rank = rank;
    }
    g->sum += x;
    g->n++;
}

static void finish(const struct gathering *g, int ranks, int absent,
                   struct portolan_profile_statistics *s)
{
    *s = (struct portolan_profile_statistics){
        .sum = g->sum,
        .mean = g->sum / ranks,
        .min = g->min,
        .max = g->max,
        .max_rank = g->n ? g->max_rank : absent,
    };
    if (g->n < ranks) {
        s->min = fmin(s->min, 0);
        if (s->max < 0 || (s->max == 0 && absent < s->max_rank))
            s->max_rank = absent;
        s->max = fmax(s->max, 0);
    }
    s->imbalance = s->mean != 0 ? s->max / s->mean - 1 : 0;
}

/* The quantities of a rank, in a row, so that all are treated alike. */
enum { CALLS, INCLUSIVE, EXCLUSIVE, MPI, COMPUTE, QUANTITIES };

static void take_quantities(const struct portolan_profile_cell *c, size_t n_counters, double *x)
{
    x[CALLS] += c->calls;
    x[INCLUSIVE] += c->inclusive_ns;
    x[EXCLUSIVE] += c->exclusive_ns;
    x[MPI] += c->mpi_ns;
    x[COMPUTE] += c->exclusive_ns - c->mpi_ns;
    for (size_t i = 0; i < n_counters; i++)
        x[QUANTITIES + i] += c->counters[i];
}

static struct portolan_profile_statistics *
quantity(struct portolan_profile_node *n, struct portolan_profile_statistics *counters, size_t q)
{
    switch (q) {
    case CALLS:
        return &n->calls;
    case INCLUSIVE:
        return &n->inclusive_ns;
    case EXCLUSIVE:
        return &n->exclusive_ns;
    case MPI:
        return &n->mpi_ns;
    case COMPUTE:
        return &n->compute_ns;
    default:
        return &counters[q - QUANTITIES];
    }
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

/* The ranks' values, which also give the deviation from the mean that is known only then. */
static size_t rank_values(struct portolan_profile *p, struct portolan_profile_node *node,
                          size_t first, size_t end, size_t width, double *values, int *ranks)
{
    size_t n = 0;

    for (size_t i = first; i < end; i++) {
        const struct portolan_profile_cell *c = &p->cells[i];

        if (i == first || c->rank != p->cells[i - 1].rank) {
            ranks[n] = c->rank;
            memset(&values[n++ * width], 0, width * sizeof *values);
        }
        take_quantities(c, p->n_counters, &values[(n - 1) * width]);
        add_single_calls(node, c);
    }
    return n;
}

void profile_forget_uncounted(const struct portolan_profile *p, struct portolan_profile_node *n)
{
    static const struct portolan_profile_statistics unknown = {NAN, NAN, NAN, NAN, NAN, NAN, -1};

    for (size_t i = 0; i < p->n_counters; i++)
        if (!(n->counted >> i & 1))
            ((struct portolan_profile_statistics *)n->counters)[i] = unknown;
}

static void count_node(struct portolan_profile *p, size_t at, size_t first, size_t end,
                       double *values, int *ranks)
{
    struct portolan_profile_node *node = &p->nodes[at];
    size_t width = QUANTITIES + p->n_counters;
    size_t n = rank_values(p, node, first, end, width, values, ranks);
    /* An imported or a cut trial may hold fewer ranks than cells tell of. */
    int n_ranks = (int)n > p->ranks ? (int)n : p->ranks;

    int absent = 0; /* the lowest */

    while ((size_t)absent < n && ranks[absent] == absent)
        absent++;
    node->n_ranks = (int)n;
    for (size_t q = 0; q < width; q++) {
        struct portolan_profile_statistics *s =
            quantity(node, (struct portolan_profile_statistics *)node->counters, q);
        struct gathering g = {0};
        double squares;

        for (size_t i = 0; i < n; i++)
            gather(&g, ranks[i], values[i * width + q]);
        finish(&g, n_ranks, absent, s);
        squares = (double)(n_ranks - (int)n) * s->mean * s->mean;
        for (size_t i = 0; i < n; i++)
            squares += (values[i * width + q] - s->mean) * (values[i * width + q] - s->mean);
        s->stddev = sqrt(squares / n_ranks);
    }
    profile_forget_uncounted(p, node);
}

enum portolan_status profile_count_ranks(struct portolan_profile *p, struct portolan_error *err)
{
    size_t width = QUANTITIES + p->n_counters, most = 1, first = 0;
    double *values;
    int *ranks;

    for (size_t i = 0, start = 0; i < p->n_cells; i++) {
        start = p->cells[i].node != p->cells[start].node ? i : start;
        most = i - start + 1 > most ? i - start + 1 : most;
    }
    values = portolan_calloc(most * width, sizeof *values);
    ranks = portolan_calloc(most, sizeof *ranks);
    for (size_t i = 0; values && ranks && i < p->n_nodes; i++) {
        size_t end = first;

        if (p->n_counters && !(p->nodes[i].counters = portolan_arena_alloc(
                                   profile_arena(p), p->n_counters, sizeof *p->nodes[i].counters)))
            break;
        while (end < p->n_cells && p->cells[end].node == i)
            end++;
        count_node(p, i, first, end, values, ranks);
        first = end;
    }
    free(values);
    free(ranks);
    return values && ranks && !profile_arena(p)->failed ? PORTOLAN_OK : portolan_no_memory(err);
}
