/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives between two groups and among neighbours; several that do not wait at once. Prints
 * hashes of what all ranks get, to be compared with MPICH's. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };
static int rank, n, in[MOST], out[MOST];

static void show(const char *what)
{
    unsigned long own = 5381, all[64];

    for (int i = 0; i < MOST; i++)
        own = own * 33 + (unsigned)out[i];
    MPI_Gather(&own, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < n; i++)
        printf("%s, rank %d: %lx\n", what, i, all[i]);
    memset(out, 0, sizeof out);
}

#define BOTH(what, call, icall)                                                                    \
    call;                                                                                          \
    show(what);                                                                                    \
    icall;                                                                                         \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                         \
    show("i" what)

static void between_groups(int count)
{
    int color = rank % 2, own, others, root, counts[64], displs[64], own_counts[64], own_displs[64];
    MPI_Request request;
    MPI_Comm local, inter;

    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - color, 7, &inter);
    MPI_Comm_rank(local, &own);
    MPI_Comm_remote_size(inter, &others);
    root = color ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL;
    for (int i = 0; i < 64; i++) {
        counts[i] = (i + color) % 3;
        displs[i] = 4 * i;
        own_counts[i] = (own + 1 - color) % 3;
        own_displs[i] = 4 * i;
    }
    BOTH("barrier", MPI_Barrier(inter), MPI_Ibarrier(inter, &request));
    memcpy(out, in, 4 * (size_t)count);
    BOTH("bcast", MPI_Bcast(out, count, MPI_INT, root, inter),
         MPI_Ibcast(out, count, MPI_INT, root, inter, &request));
    BOTH("gather", MPI_Gather(in, count, MPI_INT, out, count, MPI_INT, root, inter),
         MPI_Igather(in, count, MPI_INT, out, count, MPI_INT, root, inter, &request));
    BOTH("scatter", MPI_Scatter(in, count, MPI_INT, out, count, MPI_INT, root, inter),
         MPI_Iscatter(in, count, MPI_INT, out, count, MPI_INT, root, inter, &request));
    BOTH("allgather", MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, inter),
         MPI_Iallgather(in, count, MPI_INT, out, count, MPI_INT, inter, &request));
    BOTH(
        "allgatherv",
        MPI_Allgatherv(in, own_counts[0], MPI_INT, out, counts, displs, MPI_INT, inter),
        MPI_Iallgatherv(in, own_counts[0], MPI_INT, out, counts, displs, MPI_INT, inter, &request));
    BOTH("alltoall", MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, inter),
         MPI_Ialltoall(in, count, MPI_INT, out, count, MPI_INT, inter, &request));
    BOTH("alltoallv",
         MPI_Alltoallv(in, own_counts, own_displs, MPI_INT, out, counts, displs, MPI_INT, inter),
         MPI_Ialltoallv(in, own_counts, own_displs, MPI_INT, out, counts, displs, MPI_INT, inter,
                        &request));
    BOTH("reduce", MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, inter),
         MPI_Ireduce(in, out, count, MPI_INT, MPI_SUM, root, inter, &request));
    BOTH("allreduce", MPI_Allreduce(in, out, count, MPI_INT, MPI_MAX, inter),
         MPI_Iallreduce(in, out, count, MPI_INT, MPI_MAX, inter, &request));
    if (n % 2 == 0) {
        BOTH("reduce_scatter_block",
             MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, inter),
             MPI_Ireduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, inter, &request));
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

static void neighbours(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, sources[2], targets[2], counts[4], displs[4];
    MPI_Aint offsets[4];
    MPI_Datatype types[4];
    MPI_Request request;
    MPI_Comm grid, graph;

    for (int i = 0; i < 4; i++) {
        counts[i] = 2;
        displs[i] = 3 * i;
        offsets[i] = 12 * i;
        types[i] = MPI_INT;
    }
    MPI_Dims_create(n, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    BOTH("neighbours' allgather", MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, grid),
         MPI_Ineighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, grid, &request));
    BOTH("neighbours' alltoall", MPI_Neighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, grid),
         MPI_Ineighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, grid, &request));
    BOTH("neighbours' alltoallw",
         MPI_Neighbor_alltoallw(in, counts, offsets, types, out, counts, offsets, types, grid),
         MPI_Ineighbor_alltoallw(in, counts, offsets, types, out, counts, offsets, types, grid,
                                 &request));
    BOTH("neighbours' alltoallv",
         MPI_Neighbor_alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, grid),
         MPI_Ineighbor_alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, grid,
                                 &request));
    BOTH("neighbours' allgatherv",
         MPI_Neighbor_allgatherv(in, 2, MPI_INT, out, counts, displs, MPI_INT, grid),
         MPI_Ineighbor_allgatherv(in, 2, MPI_INT, out, counts, displs, MPI_INT, grid, &request));
    sources[0] = targets[1] = (rank + n - 1) % n;
    sources[1] = targets[0] = (rank + 1) % n;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    BOTH("graph's allgatherv",
         MPI_Neighbor_allgatherv(in, 2, MPI_INT, out, counts, displs, MPI_INT, graph),
         MPI_Ineighbor_allgatherv(in, 2, MPI_INT, out, counts, displs, MPI_INT, graph, &request));
    BOTH("graph's alltoallv",
         MPI_Neighbor_alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, graph),
         MPI_Ineighbor_alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, graph,
                                 &request));
    MPI_Comm_free(&graph);
    MPI_Comm_free(&grid);
}

/* Ends them in another order than they began, while others wait in messages. */
static void several_at_once(void)
{
    MPI_Request requests[8];
    int value = rank, partner = rank ^ 1, flag = 0, which;

    for (int i = 0; i < 8; i++)
        if (i % 2)
            MPI_Iallreduce(in + i, out + 8 * i, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Ibcast(in + 64 * (i + 1), 8, MPI_INT, i % n, MPI_COMM_WORLD, &requests[i]);
    if (partner < n)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, partner, 3, partner, 3, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    out[100] = value;
    for (int i = 7; i > 3; i--)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Test(&requests[2], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    memcpy(out + 200, in, 800 * sizeof(int));
    show("several at once");
}

/* Some have nothing to wait for any more when the others have gone on. */
static void many_at_once(void)
{
    MPI_Request r[10];

    for (int call = 0; call < 40; call++) {
        MPI_Bcast(in, 1, MPI_INT, call % n, MPI_COMM_WORLD); /* ranks go on at different times */
        for (int i = 0; i < 10; i++) {
            if (call % 3 == 0)
                MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[i]);
            else if (call % 3 == 1)
                MPI_Iscan(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[i]);
            else
                MPI_Iallgather(&in[i], 1, MPI_INT, &out[i * n], 1, MPI_INT, MPI_COMM_WORLD, &r[i]);
        }
        MPI_Waitall(10, r, MPI_STATUSES_IGNORE);
    }
    show("many at once");
}

/* MPICH takes the number of reals for that of bytes when it chooses how to sum them. */
static void many_reals(void)
{
    enum { PART = 30000 };
    double *reals = malloc((size_t)n * PART * sizeof *reals), *sums = malloc(PART * sizeof *sums);
    MPI_Request request;

    for (int i = 0; i < n * PART; i++)
        reals[i] = rank + 1.0 / (1 + i + 7 * rank);
    MPI_Ireduce_scatter_block(reals, sums, PART, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memcpy(out, sums, sizeof out);
    show("ireduce_scatter_block of many reals");
    free(reals);
    free(sums);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < MOST; i++)
        in[i] = rank * 5000 + i;
    between_groups(3);
    between_groups(n < 9 ? 100 : 10);
    neighbours();
    several_at_once();
    many_at_once();
    many_reals();
    MPI_Finalize();
    return 0;
}
