/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Isendrecv, and collectives that MPI_Start begins. Prints sums over all ranks by rank 0. With
 * an argument also to and from nobody, and freed,
 * where MPICH 4.0.2 crashes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONG = 50000 };
static int rank, n, has_nobody;
static MPI_Comm world, ring;

static void show(const char *what, int mine)
{
    int sum;

    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 0)
        printf("%s: %d\n", what, sum);
}

/* Sends LENGTH ints around the ring, all at once, and waits for them in each way. */
static void send_and_receive(int length)
{
    static int out[LONG], in[LONG];
    int next = (rank + 1) % n, before = (rank + n - 1) % n, is_done = 0, index;
    MPI_Request requests[3];
    MPI_Status status;

    for (int i = 0; i < length; i++)
        out[i] = rank * 10 + i;
    MPI_Isendrecv(out, length, MPI_INT, next, 1, in, length, MPI_INT, before, 1, world, requests);
    MPI_Wait(requests, &status);
    show("wait", in[0] + in[length - 1] * 3 + (requests[0] == MPI_REQUEST_NULL));
    MPI_Isendrecv(out, length, MPI_INT, next, 2, in, length, MPI_INT, before, 2, world, requests);
    while (!is_done)
        MPI_Test(requests, &is_done, &status);
    show("test", in[0] + in[length - 1] * 3);
    MPI_Isendrecv_replace(in, length, MPI_INT, next, 3, before, 3, world, requests);
    requests[1] = MPI_REQUEST_NULL;
    if (has_nobody)
        MPI_Isendrecv(out, length, MPI_INT, MPI_PROC_NULL, 3, out, length, MPI_INT, MPI_PROC_NULL,
                      3, world, requests + 1);
    MPI_Ibarrier(world, requests + 2);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    show("replace", in[0] + in[length - 1] * 3);
    MPI_Irecv(&index, 1, MPI_INT, before, 9, world, requests);
    MPI_Isendrecv(out, length, MPI_INT, next, 4, in, length, MPI_INT, before, 4, world,
                  requests + 1);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    show("any", index * 100 + in[0] + in[length - 1] * 3);
    MPI_Barrier(world);
    MPI_Send(&rank, 1, MPI_INT, next, 9, world);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (!has_nobody)
        return;
    MPI_Isendrecv(out, length, MPI_INT, next, 5, in, length, MPI_INT, before, 5, world, requests);
    MPI_Request_free(requests);
    MPI_Barrier(world);
}

/* Begins two of each kind three times, the second one first on every other rank. */
static void again(const char *what, MPI_Request *requests, int *in, int *out)
{
    for (int k = 0; k < 3; k++) {
        int sum = 0;

        for (int i = 0; i < 2 * n; i++)
            out[i] = (k + 1) * (rank + 2) + i;
        if (rank % 2) {
            MPI_Start(requests + 1);
            MPI_Start(requests);
        } else {
            MPI_Startall(2, requests);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4 * n; i++)
            sum += (i + 1) * in[i];
        show(what, sum);
    }
    MPI_Request_free(requests);
    MPI_Request_free(requests + 1);
}

static void collectives(void)
{
    int *in = calloc(8 * (size_t)n, sizeof *in), *out = calloc(2 * (size_t)n, sizeof *out);
    int *counts = calloc((size_t)n, sizeof *counts), *at = calloc((size_t)n, sizeof *at);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Request r[2];

#define AGAIN(what, ...)                                                                           \
    for (int second = 0; second < 2; second++) {                                                   \
        int *to = in + second * 2 * n;                                                             \
        what##_init(__VA_ARGS__, info, r + second);                                                \
    }                                                                                              \
    again(#what, r, in, out)

    for (int i = 0; i < n; i++) {
        counts[i] = 1 + i % 2;
        at[i] = 2 * i;
    }
    AGAIN(MPI_Allreduce, out, to, n, MPI_INT, MPI_SUM, world);
    AGAIN(MPI_Reduce, out, to, n, MPI_INT, MPI_MAX, n - 1, world);
    AGAIN(MPI_Bcast, second ? to : out, n, MPI_INT, 0, world);
    AGAIN(MPI_Gatherv, out, counts[rank], MPI_INT, to, counts, at, MPI_INT, 0, world);
    AGAIN(MPI_Scatterv, out, counts, at, MPI_INT, to, counts[rank], MPI_INT, 0, world);
    AGAIN(MPI_Alltoall, out, 2, MPI_INT, to, 2, MPI_INT, world);
    AGAIN(MPI_Allgather, out, 2, MPI_INT, to, 2, MPI_INT, world);
    AGAIN(MPI_Reduce_scatter, out, to, counts, MPI_INT, MPI_SUM, world);
    AGAIN(MPI_Exscan, out, to, n, MPI_INT, MPI_SUM, world);
    AGAIN(MPI_Neighbor_alltoall, out, 1, MPI_INT, to, 1, MPI_INT, ring);
    for (int second = 0; second < 2; second++)
        MPI_Barrier_init(world, info, r + second);
    again("MPI_Barrier", r, in, out);
    free(in);
    free(out);
    free(counts);
    free(at);
}

int main(int argc, char **argv)
{
    has_nobody = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &n);
    MPI_Cart_create(world, 1, &n, (int[]){1}, 0, &ring);
    send_and_receive(3);
    send_and_receive(LONG);
    collectives();
    MPI_Finalize();
    return 0;
}
