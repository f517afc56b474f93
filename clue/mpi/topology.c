/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian, graph and distributed-graph topologies. Ranks are never reordered. */
#include "internal.h"

/* ---------------------------------------------------------------- lives */

static int *copy_ints(const int *ints, int n)
{
    return ints ? mpi_copy_of(ints, (size_t)n, sizeof *ints) : NULL;
}

void mpi_topology_free(struct mpi_topology *p)
{
    if (!p || p->others-- > 0)
        return;
    free(p->dims);
    free(p->periods);
    free(p->coords);
    free(p->index);
    free(p->edges);
    free(p->in);
    free(p->out);
    free(p->in_weights);
    free(p->out_weights);
    free(p);
}

struct mpi_topology *mpi_topology_retain(struct mpi_topology *p)
{
    if (p)
        p->others++;
    return p;
}

int mpi_topology_edges(const struct mpi_topology *p)
{
    return p->kind == MPI_GRAPH && p->n ? p->index[p->n - 1] : 0;
}

/* Finds the ranks that the observer is notified of: those from which this rank receives in
 * neighbourhood collectives. */
static void note_neighbours(struct mpi_comm *c)
{
    struct mpi_neighbours p;

    if (!mpi_neighbours(c, &p))
        return;
    for (int i = 0; i < p.n_from; i++)
        if (p.from[i] != MPI_PROC_NULL)
            p.from[c->n_neighbours++] = c->group->members[p.from[i]];
    free(p.to);
    c->neighbours = p.from;
    c->seen.n_neighbours = c->n_neighbours;
    c->seen.neighbours = c->neighbours;
}

/* Makes a communicator of OLD's first N ranks; takes over P, its topology. All of OLD call. */
static int make(struct mpi_task *t, struct mpi_comm *old, int n, struct mpi_topology *p,
                MPI_Comm *new)
{
    uint64_t context = mpi_context_next(old, 0);
    struct mpi_group *group;
    struct mpi_comm *c;

    mpi_meet(t, old);
    *new = MPI_COMM_NULL;
    if (old->rank >= n) {
        mpi_topology_free(p);
        return MPI_SUCCESS;
    }
    group = n == old->n ? mpi_group_retain(old->group)
                        : mpi_group_new(n, copy_ints(old->group->members, n));
    c = mpi_comm_new(t, context, group, NULL);
    mpi_group_release(group);
    c->topology = p;
    note_neighbours(c);
    *new = mpi_comm_publish(t, c, old);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- Cartesian */

void mpi_cart_coords(const struct mpi_topology *p, int rank, int *coords)
{
    for (int i = p->n - 1; i >= 0; rank /= p->dims[i--])
        coords[i] = rank % p->dims[i];
}

int mpi_cart_rank(const struct mpi_topology *p, const int *coords)
{
    int rank = 0;

    for (int i = 0; i < p->n; i++) {
        int at = coords[i];

        if (p->periods[i])
            at = (at % p->dims[i] + p->dims[i]) % p->dims[i];
        if (at < 0 || at >= p->dims[i])
            return MPI_PROC_NULL;
        rank = rank * p->dims[i] + at;
    }
    return rank;
}

int mpi_cart_shifted(const struct mpi_topology *p, int direction, int disp)
{
    int *coords = copy_ints(p->coords, p->n), rank;

    coords[direction] += disp;
    rank = mpi_cart_rank(p, coords);
    free(coords);
    return rank;
}

static struct mpi_topology *grid(int n, const int *dims, const int *periods, int rank)
{
    struct mpi_topology *p = mpi_alloc(1, sizeof *p);

    *p = (struct mpi_topology){.kind = MPI_CART,
                               .n = n,
                               .dims = copy_ints(dims, n),
                               .periods = copy_ints(periods, n),
                               .coords = mpi_alloc((size_t)n, sizeof(int))};
    mpi_cart_coords(p, rank, p->coords);
    return p;
}

static int check_grid(struct mpi_task *t, struct mpi_comm *c, int n, const int *dims, int *size)
{
    *size = 1;
    if (n < 0 || c->remote)
        return mpi_error(t, c->remote ? MPI_ERR_COMM : MPI_ERR_DIMS, "ndims is %d", n);
    for (int i = 0; i < n; i++) {
        if (dims[i] <= 0)
            return mpi_error(t, MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
        *size *= dims[i];
    }
    return *size <= c->n
               ? MPI_SUCCESS
               : mpi_error(t, MPI_ERR_ARG, "the grid has %d places for %d ranks", *size, c->n);
}

int do_Cart_create(struct mpi_task *t, MPI_Comm comm, int n, const int dims[], const int periods[],
                   int reorder, MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    int size, code = check_grid(t, c, n, dims, &size);

    (void)reorder;
    *new = MPI_COMM_NULL;
    return code != MPI_SUCCESS ? code : make(t, c, size, grid(n, dims, periods, c->rank), new);
}

int do_Cart_map(struct mpi_task *t, MPI_Comm comm, int n, const int dims[], const int periods[],
                int *rank)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    int size, code = check_grid(t, c, n, dims, &size);

    (void)periods;
    *rank = c->rank < size ? c->rank : MPI_UNDEFINED;
    return code;
}

int do_Cart_sub(struct mpi_task *t, MPI_Comm comm, const int remain[], MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    const struct mpi_topology *p = c->topology;
    int color = 0, key = 0, n = 0, *dims, *periods;

    dims = mpi_alloc((size_t)p->n, sizeof *dims);
    periods = mpi_alloc((size_t)p->n, sizeof *periods);
    for (int i = 0; i < p->n; i++) {
        if (remain[i]) {
            key = key * p->dims[i] + p->coords[i];
            dims[n] = p->dims[i];
            periods[n++] = p->periods[i];
        } else {
            color = color * p->dims[i] + p->coords[i];
        }
    }
    if (n) {
        mpi_comm_split(t, c, color, key, new);
        c = mpi_comm(t, *new);
        c->topology = grid(n, dims, periods, c->rank);
        note_neighbours(c);
    } else {
        do_Cart_create(t, comm, 0, dims, periods, 0, new);
    }
    free(dims);
    free(periods);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- graphs */

int do_Graph_create(struct mpi_task *t, MPI_Comm comm, int n, const int index[], const int edges[],
                    int reorder, MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_topology *p;

    (void)reorder;
    if (n < 0 || n > c->n)
        return mpi_error(t, MPI_ERR_ARG, "the graph has %d nodes for %d ranks", n, c->n);
    for (int i = 0; n && i < index[n - 1]; i++)
        if (edges[i] < 0 || edges[i] >= n)
            return mpi_error(t, MPI_ERR_ARG, "edge %d leads to %d of %d", i, edges[i], n);
    p = mpi_alloc(1, sizeof *p);
    *p = (struct mpi_topology){.kind = MPI_GRAPH,
                               .n = n,
                               .index = copy_ints(index, n),
                               .edges = copy_ints(edges, n ? index[n - 1] : 0)};
    return make(t, c, n, p, new);
}

int mpi_graph_edges(const struct mpi_topology *p, int rank, const int **first)
{
    int begin = rank ? p->index[rank - 1] : 0;

    *first = p->edges + begin;
    return p->index[rank] - begin;
}

/* ---------------------------------------------------------------- distributed graphs */

int do_Dist_graph_create_adjacent(struct mpi_task *t, MPI_Comm comm, int n_in, const int sources[],
                                  const int in_weights[], int n_out, const int destinations[],
                                  const int out_weights[], MPI_Info info, int reorder,
                                  MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_topology *p = mpi_alloc(1, sizeof *p);
    bool is_weighted = in_weights != MPI_UNWEIGHTED && out_weights != MPI_UNWEIGHTED;

    (void)info;
    (void)reorder;
    *p = (struct mpi_topology){.kind = MPI_DIST_GRAPH,
                               .n_in = n_in,
                               .n_out = n_out,
                               .in = copy_ints(sources, n_in),
                               .out = copy_ints(destinations, n_out)};
    p->is_weighted = is_weighted;
    if (is_weighted) {
        p->in_weights = copy_ints(in_weights, n_in);
        p->out_weights = copy_ints(out_weights, n_out);
    }
    return make(t, c, c->n, p, new);
}

struct edge {
    int from, to, weight;
};

static void add_end(int **ends, int **weights, int *n, int end, int weight)
{
    *ends = portolan_reallocarray(*ends, (size_t)*n + 1, sizeof **ends);
    *weights = portolan_reallocarray(*weights, (size_t)*n + 1, sizeof **weights);
    if (!*ends || !*weights)
        clue_fail("out of memory");
    (*ends)[*n] = end;
    (*weights)[(*n)++] = weight;
}

/* Gathers the edges of all ranks: MOST is the greatest number that a rank has. */
static struct edge *gather_edges(struct mpi_task *t, struct mpi_comm *c, struct edge *mine, int n,
                                 size_t *n_all)
{
    int *counts = mpi_alloc((size_t)c->n, sizeof *counts), most = 0;
    struct edge *own, *all;

    mpi_gather_all(t, c, &n, counts, sizeof n);
    for (int i = 0; i < c->n; i++)
        most = counts[i] > most ? counts[i] : most;
    free(counts);
    own = mpi_alloc((size_t)most, sizeof *own);
    for (int i = 0; i < most; i++)
        own[i] = i < n ? mine[i] : (struct edge){-1, -1, 0};
    *n_all = (size_t)most * (size_t)c->n;
    all = mpi_alloc(*n_all, sizeof *all);
    if (most)
        mpi_gather_all(t, c, own, all, (size_t)most * sizeof *own);
    free(own);
    return all;
}

int do_Dist_graph_create(struct mpi_task *t, MPI_Comm comm, int n, const int sources[],
                         const int degrees[], const int destinations[], const int weights[],
                         MPI_Info info, int reorder, MPI_Comm *new)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_topology *p = mpi_alloc(1, sizeof *p);
    struct edge *mine, *all;
    size_t n_all;
    int k = 0;

    (void)info;
    (void)reorder;
    for (int i = 0; i < n; i++)
        k += degrees[i];
    mine = mpi_alloc((size_t)k, sizeof *mine);
    k = 0;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < degrees[i]; d++, k++)
            mine[k] = (struct edge){sources[i], destinations[k],
                                    weights != MPI_UNWEIGHTED ? weights[k] : 0};
    all = gather_edges(t, c, mine, k, &n_all);
    p->kind = MPI_DIST_GRAPH;
    for (size_t i = 0; i < n_all; i++) {
        if (all[i].to == c->rank)
            add_end(&p->in, &p->in_weights, &p->n_in, all[i].from, all[i].weight);
        if (all[i].from == c->rank)
            add_end(&p->out, &p->out_weights, &p->n_out, all[i].to, all[i].weight);
    }
    p->is_weighted = weights != MPI_UNWEIGHTED;
    free(mine);
    free(all);
    return make(t, c, c->n, p, new);
}

int do_Dist_graph_neighbors(struct mpi_task *t, MPI_Comm comm, int room_in, int sources[],
                            int in_weights[], int room_out, int destinations[], int out_weights[])
{
    const struct mpi_topology *p = mpi_comm(t, comm)->topology;

    if (room_in < p->n_in || room_out < p->n_out)
        return mpi_error(t, MPI_ERR_ARG, "there are %d sources and %d destinations", p->n_in,
                         p->n_out);
    for (int i = 0; i < p->n_in; i++) {
        sources[i] = p->in[i];
        if (in_weights != MPI_UNWEIGHTED && p->is_weighted)
            in_weights[i] = p->in_weights[i];
    }
    for (int i = 0; i < p->n_out; i++) {
        destinations[i] = p->out[i];
        if (out_weights != MPI_UNWEIGHTED && p->is_weighted)
            out_weights[i] = p->out_weights[i];
    }
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- neighbours */

bool mpi_neighbours(const struct mpi_comm *c, struct mpi_neighbours *to)
{
    const struct mpi_topology *p = c->topology;
    const int *first;

    if (!p)
        return false;
    if (p->kind == MPI_DIST_GRAPH) {
        *to =
            (struct mpi_neighbours){p->n_in, p->n_out, copy_ints(p->in ? p->in : &p->n_in, p->n_in),
                                    copy_ints(p->out ? p->out : &p->n_out, p->n_out)};
        return true;
    }
    if (p->kind == MPI_GRAPH) {
        to->n_from = mpi_graph_edges(p, c->rank, &first);
        to->from = copy_ints(first, to->n_from);
    } else {
        to->n_from = 2 * p->n;
        to->from = mpi_alloc((size_t)to->n_from, sizeof *to->from);
        for (int i = 0; i < to->n_from; i++)
            to->from[i] = mpi_cart_shifted(p, i / 2, i % 2 ? 1 : -1);
    }
    to->n_to = to->n_from;
    to->to = copy_ints(to->from, to->n_from);
    return true;
}

/* ---------------------------------------------------------------- MPI_Dims_create */

/* Returns whether N can be a product of LEFT numbers, none above LIMIT. */
static bool is_enough(int limit, int left, int n)
{
    int64_t most = 1;

    while (left-- > 0 && most < n)
        most *= limit;
    return most >= n;
}

/* Divides N into DIMS, none above LIMIT, in decreasing order; keeps the most even set. */
static void divide(int n, int left, int limit, int *dims, int at, int *best, int *spread)
{
    if (left == 1) {
        if (n > limit)
            return;
        dims[at] = n;
        if (*spread < 0 || dims[0] - n < *spread ||
            (dims[0] - n == *spread && dims[0] == best[0])) {
            *spread = dims[0] - n;
            memcpy(best, dims, ((size_t)at + 1) * sizeof *dims);
        }
        return;
    }
    for (int rest = 1; rest <= n && is_enough(n / rest, left, n); rest++) {
        if (n % rest || n / rest > limit)
            continue;
        dims[at] = n / rest;
        divide(rest, left - 1, dims[at], dims, at + 1, best, spread);
    }
}

int do_Dims_create(struct mpi_task *t, int n, int n_dims, int dims[])
{
    int fixed = 1, open = 0, spread = -1, *some, *best;

    for (int i = 0; i < n_dims; i++) {
        if (dims[i] < 0)
            return mpi_error(t, MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
        fixed *= dims[i] ? dims[i] : 1;
        open += !dims[i];
    }
    if (n <= 0 || n % fixed)
        return mpi_error(t, MPI_ERR_DIMS, "%d nodes do not divide by %d", n, fixed);
    if (!open)
        return n == fixed ? MPI_SUCCESS : mpi_error(t, MPI_ERR_DIMS, "%d nodes on %d", n, fixed);
    some = mpi_alloc((size_t)open, sizeof *some);
    best = mpi_alloc((size_t)open, sizeof *best);
    divide(n / fixed, open, n / fixed, some, 0, best, &spread);
    for (int i = 0, k = 0; i < n_dims; i++)
        if (!dims[i])
            dims[i] = best[k++];
    free(some);
    free(best);
    return MPI_SUCCESS;
}
