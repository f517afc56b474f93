/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments that are significant at the root alone are nonsense elsewhere; so are those of a send
 * buffer that is MPI_IN_PLACE, and between groups all of those apart from the root. With an
 * argument also what MPICH checks nevertheless. Prints sums by rank 0.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };
#define NOWHERE ((void *)16)
static int rank, n, counts[MOST], displs[MOST], all[MOST], own[2], in[2];

static void show(const char *what, MPI_Request *request)
{
    int sum, total;

    if (request)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    sum = own[0] * 3 + own[1] * 5 + in[0] * 7 + in[1] * 11;
    for (int i = 0; i < MOST; i++)
        sum += (i + 1) * all[i];
    MPI_Reduce(&sum, rank == 0 ? &total : NOWHERE, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d\n", what, total);
    memset(all, 0, sizeof all);
    memset(in, 0, sizeof in);
    for (int i = 0; i < 2; i++)
        own[i] = 1 + rank * 2 + i;
    for (int i = 0; i < n; i++) {
        counts[i] = 2;
        displs[i] = 2 * i;
    }
}

/* From or to ROOT of COMM, where this rank IS_ROOT, and others send or receive if they are LEAVES.
 */
static void rooted(MPI_Comm comm, int root, int is_root, int is_leaf)
{
    void *at = is_root ? all : NOWHERE, *block = is_leaf ? in : NOWHERE;
    const void *from = is_leaf ? own : NOWHERE;
    int *sizes = is_root ? counts : NOWHERE, *places = is_root ? displs : NOWHERE;
    int size = is_root ? 2 : -5, part = is_leaf ? 2 : -5;
    MPI_Datatype type = is_root ? MPI_INT : MPI_DATATYPE_NULL;
    MPI_Datatype piece = is_leaf ? MPI_INT : MPI_DATATYPE_NULL;
    MPI_Request request;

    MPI_Gather(from, part, piece, at, size, type, root, comm);
    show("gather", NULL);
    MPI_Gatherv(from, part, piece, at, sizes, places, type, root, comm);
    show("gatherv", NULL);
    MPI_Igatherv(from, part, piece, at, sizes, places, type, root, comm, &request);
    show("igatherv", &request);
    MPI_Scatter(is_root ? counts : NOWHERE, size, type, block, part, piece, root, comm);
    show("scatter", NULL);
    MPI_Scatterv(is_root ? counts : NOWHERE, sizes, places, type, block, part, piece, root, comm);
    show("scatterv", NULL);
    MPI_Iscatterv(is_root ? counts : NOWHERE, sizes, places, type, block, part, piece, root, comm,
                  &request);
    show("iscatterv", &request);
    MPI_Reduce(from, at, 2, MPI_INT, MPI_SUM, root, comm);
    show("reduce", NULL);
    MPI_Ireduce(from, at, 2, MPI_INT, MPI_SUM, root, comm, &request);
    show("ireduce", &request);
}

static void in_place(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Datatype none = MPI_DATATYPE_NULL;
    MPI_Request request;

    MPI_Alltoallv(MPI_IN_PLACE, NOWHERE, NOWHERE, none, all, counts, displs, MPI_INT, world);
    show("alltoallv", NULL);
    MPI_Ialltoallv(MPI_IN_PLACE, NOWHERE, NOWHERE, none, all, counts, displs, MPI_INT, world,
                   &request);
    show("ialltoallv", &request);
    MPI_Allgatherv(MPI_IN_PLACE, -5, none, all, counts, displs, MPI_INT, world);
    show("allgatherv", NULL);
    if (rank == 0)
        MPI_Scatterv(counts, counts, displs, MPI_INT, MPI_IN_PLACE, -5, none, 0, world);
    else
        MPI_Scatterv(NOWHERE, NOWHERE, NOWHERE, none, in, 2, MPI_INT, 0, world);
    show("scatterv in place", NULL);
}

/* Apart from the root, only the arguments root and communicator are significant. */
static void apart_from_root(MPI_Comm inter, int root)
{
    MPI_Request request;
    int is_beside = root == MPI_PROC_NULL, count = is_beside ? -5 : 2;
    MPI_Datatype type = is_beside ? MPI_DATATYPE_NULL : MPI_INT;
    MPI_Op op = is_beside ? MPI_OP_NULL : MPI_SUM;
    void *at = is_beside ? NOWHERE : in;

    MPI_Bcast(at, count, type, root, inter);
    show("bcast", NULL);
    MPI_Ibcast(at, count, type, root, inter, &request);
    show("ibcast", &request);
    MPI_Reduce(is_beside ? NOWHERE : own, at, count, type, op, root, inter);
    show("reduce", NULL);
    MPI_Ireduce(is_beside ? NOWHERE : own, at, count, type, op, root, inter, &request);
    show("ireduce", &request);
}

int main(int argc, char **argv)
{
    MPI_Comm half, inter;
    int is_high, leader, root;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    show("begin", NULL);
    rooted(MPI_COMM_WORLD, n - 1, rank == n - 1, 1);
    in_place();
    is_high = rank >= n / 2;
    MPI_Comm_split(MPI_COMM_WORLD, is_high, 0, &half);
    leader = rank == 0 || rank == n / 2;
    MPI_Intercomm_create(half, 0, leader ? MPI_COMM_WORLD : MPI_COMM_NULL, is_high ? 0 : n / 2, 9,
                         &inter);
    root = is_high ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    rooted(inter, root, root == MPI_ROOT, is_high);
    if (argc > 1)
        apart_from_root(inter, root);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
