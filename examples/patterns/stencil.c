/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Geometric decomposition: Jacobi's iteration on a square of integers modulo 2^64, in strips or
 * squares. The result is the same on any number of ranks. Each setting but the first three plants
 * one fault; times are nanoseconds of processor time per cell.
 */
#include "work.h"

struct stencil {
    int side, iterations; /* of the whole square */
    double cell;          /* work of a cell */
    double uneven;        /* rank 0 has so many times the work of another, … */
    double varying;       /* … or one rank after the other; all have as much as ever */
    int strips;           /* 1: strips; 0: as square as can be */
    int messages;         /* per side and exchange */
    int chain;            /* each waits for its neighbour's whole exchange */
    int reduce;           /* global sums per iteration, … */
    int overlap;          /* 1: the inside is computed while messages travel */
    int rank, size, dims[2], at[2], n[2];
    int side_rank[4]; /* up, down, left, right */
    MPI_Comm grid;
    unsigned long *old, *new, *edge[8];
};

static unsigned long *cell(const struct stencil *s, unsigned long *cells, int i, int j)
{
    return cells + (size_t)i * (size_t)(s->n[1] + 2) + j;
}

/* Where cell K of side D lies: in the block, or outside of it in the rows and columns of
 * neighbours. */
static unsigned long *edge_cell(const struct stencil *s, int d, int k, int outside)
{
    int i = d < 2 ? (d == 0 ? 1 - outside : s->n[0] + outside) : k + 1;
    int j = d < 2 ? k + 1 : (d == 2 ? 1 - outside : s->n[1] + outside);

    return cell(s, s->old, i, j);
}

static int length(const struct stencil *s, int d)
{
    return d < 2 ? s->n[1] : s->n[0];
}

static void pack(struct stencil *s)
{
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < length(s, d); k++)
            s->edge[d][k] = *edge_cell(s, d, k, 0);
}

static void unpack(struct stencil *s)
{
    for (int d = 0; d < 4; d++)
        for (int k = 0; s->side_rank[d] != MPI_PROC_NULL && k < length(s, d); k++)
            *edge_cell(s, d, k, 1) = s->edge[4 + d][k];
}

static int piece(const struct stencil *s, int d, int m, int *first)
{
    int n = length(s, d);

    *first = (int)((long)n * m / s->messages);
    return (int)((long)n * (m + 1) / s->messages) - *first;
}

/* In a chain: first from above and the left, then on; and back. */
static void exchange_in_chain(struct stencil *s)
{
    static const int order[4][2] = {{0, 1}, {2, 3}, {1, 0}, {3, 2}};

    for (int o = 0; o < 4; o++) {
        int from = order[o][0], to = order[o][1];

        MPI_Recv(s->edge[4 + from], length(s, from), MPI_UNSIGNED_LONG, s->side_rank[from], to,
                 s->grid, MPI_STATUS_IGNORE);
        MPI_Send(s->edge[to], length(s, to), MPI_UNSIGNED_LONG, s->side_rank[to], to, s->grid);
    }
}

static int post(struct stencil *s, MPI_Request *requests)
{
    int n = 0;

    for (int d = 0; d < 4; d++)
        for (int m = 0; s->side_rank[d] != MPI_PROC_NULL && m < s->messages; m++) {
            int first, count = piece(s, d, m, &first);

            MPI_Irecv(s->edge[4 + d] + first, count, MPI_UNSIGNED_LONG, s->side_rank[d], d ^ 1,
                      s->grid, &requests[n++]);
        }
    for (int d = 0; d < 4; d++)
        for (int m = 0; s->side_rank[d] != MPI_PROC_NULL && m < s->messages; m++) {
            int first, count = piece(s, d, m, &first);

            MPI_Isend(s->edge[d] + first, count, MPI_UNSIGNED_LONG, s->side_rank[d], d, s->grid,
                      &requests[n++]);
        }
    return n;
}

static double load(const struct stencil *s, int iteration)
{
    double factor = s->size / (s->size - 1 + s->uneven) * s->size / (s->size - 1 + s->varying);

    if (s->rank == 0)
        factor *= s->uneven;
    if (s->rank == iteration % s->size)
        factor *= s->varying;
    return 1e-3 * s->cell * factor * s->n[0] * s->n[1];
}

static void compute(struct stencil *s)
{
    unsigned long *swap = s->old;

    for (int i = 1; i <= s->n[0]; i++)
        for (int j = 1; j <= s->n[1]; j++)
            *cell(s, s->new, i, j) = *cell(s, s->old, i - 1, j) + *cell(s, s->old, i + 1, j) +
                                     *cell(s, s->old, i, j - 1) + *cell(s, s->old, i, j + 1);
    s->old = s->new;
    s->new = swap;
}

static void iterate(struct stencil *s, int iteration, MPI_Request *requests)
{
    unsigned long sum = 0, all;

    pack(s);
    if (s->chain) {
        exchange_in_chain(s);
    } else {
        int n = post(s, requests);

        if (s->overlap)
            work(load(s, iteration));
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    unpack(s);
    if (s->chain || !s->overlap)
        work(load(s, iteration));
    compute(s);
    for (int i = 0; i < s->reduce; i++)
        MPI_Allreduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, s->grid);
}

static void *allocate(size_t n)
{
    void *memory = calloc(n + 1, sizeof(unsigned long));

    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static void decompose(struct stencil *s)
{
    int periods[2] = {0, 0}, first[2];

    s->dims[1] = s->strips ? 1 : 0;
    MPI_Dims_create(s->size, 2, s->dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, s->dims, periods, 0, &s->grid);
    MPI_Cart_coords(s->grid, s->rank, 2, s->at);
    MPI_Cart_shift(s->grid, 0, 1, &s->side_rank[0], &s->side_rank[1]);
    MPI_Cart_shift(s->grid, 1, 1, &s->side_rank[2], &s->side_rank[3]);
    for (int d = 0; d < 2; d++) {
        first[d] = (int)((long)s->side * s->at[d] / s->dims[d]);
        s->n[d] = (int)((long)s->side * (s->at[d] + 1) / s->dims[d]) - first[d];
    }
    s->old = allocate((size_t)(s->n[0] + 2) * (size_t)(s->n[1] + 2));
    s->new = allocate((size_t)(s->n[0] + 2) * (size_t)(s->n[1] + 2));
    for (int i = 1; i <= s->n[0]; i++)
        for (int j = 1; j <= s->n[1]; j++)
            *cell(s, s->old, i, j) = (unsigned long)((first[0] + i) * 31 + (first[1] + j) * 17);
    for (int d = 0; d < 8; d++)
        s->edge[d] = allocate((size_t)length(s, d % 4));
}

static void report(struct stencil *s)
{
    unsigned long sum = 0, all = 0;

    for (int i = 1; i <= s->n[0]; i++)
        for (int j = 1; j <= s->n[1]; j++)
            sum += *cell(s, s->old, i, j);
    MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, s->grid);
    if (s->rank == 0)
        printf("%d iterations, checksum %lx\n", s->iterations, all);
}

static void read_settings(struct stencil *s, int argc, char **argv)
{
    static const char *const names[] = {"side",    "iterations", "cell",     "uneven",
                                        "varying", "strips",     "messages", "chain",
                                        "reduce",  "overlap",    NULL};

    check_settings(argc, argv, names);
    s->side = (int)setting(argc, argv, "side", 256);
    s->iterations = (int)setting(argc, argv, "iterations", 100);
    s->cell = setting(argc, argv, "cell", 200);
    s->uneven = setting(argc, argv, "uneven", 1);
    s->varying = setting(argc, argv, "varying", 1);
    s->strips = (int)setting(argc, argv, "strips", 0);
    s->messages = (int)setting(argc, argv, "messages", 1);
    s->chain = (int)setting(argc, argv, "chain", 0);
    s->reduce = (int)setting(argc, argv, "reduce", 1);
    s->overlap = (int)setting(argc, argv, "overlap", 0);
    if (s->side < s->size || s->messages < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    struct stencil s = {0};
    MPI_Request *requests;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.size);
    read_settings(&s, argc, argv);
    decompose(&s);
    requests = malloc(8 * (size_t)s.messages * sizeof *requests);
    if (!requests)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < s.iterations; i++)
        iterate(&s, i, requests);
    report(&s);
    for (int d = 0; d < 8; d++)
        free(s.edge[d]);
    free(s.old);
    free(s.new);
    free(requests);
    MPI_Comm_free(&s.grid);
    MPI_Finalize();
}
