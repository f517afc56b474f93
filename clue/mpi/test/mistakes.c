/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes that a run in virtual time names, by name. Each line with a mistake is marked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 1 << 20 };
static double in[LONG], out[LONG];
static const char *mistake;

static int is(const char *name)
{
    return strcmp(mistake, name) == 0;
}

static void collectives(int rank)
{
    MPI_Comm made;

    MPI_Barrier(MPI_COMM_WORLD);
    if (is("root"))
        MPI_Bcast(in, 1, MPI_DOUBLE, rank, MPI_COMM_WORLD); /* root */
    else if (is("size"))
        MPI_Allreduce(in, out, 1 + rank, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* size */
    else if (is("operation"))
        MPI_Reduce(in, out, 1, MPI_DOUBLE, rank ? MPI_SUM : MPI_MAX, 0, MPI_COMM_WORLD);
    else if (is("order") && rank)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (is("order"))
        MPI_Bcast(in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    else if (is("made"))
        rank ? MPI_Comm_dup(MPI_COMM_WORLD, &made) : MPI_Barrier(MPI_COMM_WORLD); /* made */
    else if (is("end") && rank)
        MPI_Bcast(in, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD); /* end */
    else if (is("missing") && rank)
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* missing */
    else if (is("missing"))
        MPI_Recv(in, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* never sent */
}

static void others(int rank)
{
    MPI_Comm grid, inter;
    MPI_Win window;
    int root = rank ? 0 : MPI_ROOT, *list = (int *)in;

    if (is("neighbours")) {
        MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){1}, 0, &grid);
        if (rank)
            MPI_Neighbor_alltoall(out, 1, MPI_INT, list, 1, MPI_INT, grid); /* neighbours */
        else
            MPI_Neighbor_allgather(out, 1, MPI_INT, list, 1, MPI_INT, grid);
    } else if (is("groups") || is("roots")) {
        MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &inter);
        MPI_Barrier(inter);
        MPI_Bcast(list, 1 + (is("groups") && rank), MPI_INT, is("roots") ? 0 : root, inter);
    } else if (is("hosts")) {
        MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &list, &window);
    } else if (is("buffer") && rank) {
        MPI_Bsend(out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* buffer */
    } else if (is("detach") && rank) {
        MPI_Buffer_attach(in, sizeof in);
        MPI_Bsend(out, LONG / 2, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
        MPI_Buffer_detach(&list, &root); /* detach */
    } else if (is("room") && rank) {
        MPI_Buffer_attach(in, sizeof in);
        MPI_Bsend(out, LONG / 2, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
        MPI_Bsend(out, LONG / 2, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD); /* room */
    } else if (is("child") && rank && fork() == 0) {
        MPI_Send(out, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    } else if (is("child") && rank) {
        wait(&root);
        printf("child %d\n", WEXITSTATUS(root));
    }
}

static void messages(int rank, int n)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request;
    int any = MPI_ANY_SOURCE;

    if (is("circle")) {
        MPI_Send(out, LONG, MPI_DOUBLE, (rank + 1) % n, 1, world); /* circle */
        MPI_Recv(in, LONG, MPI_DOUBLE, (rank + n - 1) % n, 1, world, MPI_STATUS_IGNORE);
    } else if (is("receives")) {
        MPI_Recv(in, 1, MPI_DOUBLE, (rank + n - 1) % n, 1, world, MPI_STATUS_IGNORE); /* receives */
        MPI_Send(out, 1, MPI_DOUBLE, (rank + 1) % n, 1, world);
    } else if (is("tag") && rank == 0) {
        MPI_Send(out, 1, MPI_DOUBLE, 1, 5, world); /* sent */
    } else if (is("tag") && rank == 1) {
        MPI_Recv(in, 1, MPI_DOUBLE, 0, 6, world, MPI_STATUS_IGNORE); /* tag */
    } else if (is("gone") && rank == 0) {
        exit(0);
    } else if (is("gone")) {
        MPI_Irecv(in, 1, MPI_DOUBLE, 0, 1, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* gone */
    } else if (is("itself")) {
        MPI_Recv(in, 1, MPI_DOUBLE, rank, 1, world, MPI_STATUS_IGNORE); /* itself */
    } else if (is("any")) {
        MPI_Recv(in, 1, MPI_DOUBLE, any, 3, world, MPI_STATUS_IGNORE); /* any */
    } else if (is("probe")) {
        MPI_Probe(any, 3, world, MPI_STATUS_IGNORE); /* probe */
    } else if (is("polls") && rank) {
        MPI_Irecv(in, 1, MPI_DOUBLE, 0, 3, world, &request);
        for (int i = 0, found = 0; i < 2000000 && !found; i++)
            MPI_Test(&request, &found, MPI_STATUS_IGNORE); /* polls */
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (is("probes") || (is("naps") && rank)) {
        for (int i = 0, found = 0; i < 300000 && !found; i++) {
            if (is("naps"))
                usleep(10);
            MPI_Iprobe(any, 3, world, &found, MPI_STATUS_IGNORE); /* probes */
        }
    } else if (is("clock")) {
        double began = MPI_Wtime();

        while (MPI_Wtime() < began + 1) /* clock */
            continue;
    }
}

static void leave_over(int rank)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request request;

    if (is("truncation") && rank == 0)
        MPI_Send(out, 4, MPI_DOUBLE, 1, 3, world);
    else if (is("truncation") && rank == 1)
        MPI_Recv(in, 2, MPI_DOUBLE, 0, 3, world, MPI_STATUS_IGNORE); /* truncation */
    else if (is("ready")) {
        if (rank == 0)
            MPI_Rsend(out, 1, MPI_DOUBLE, 1, 9, world);
        MPI_Barrier(world);
        if (rank == 1)
            MPI_Recv(in, 1, MPI_DOUBLE, 0, 9, world, MPI_STATUS_IGNORE);
    } else if (is("unreceived") && rank == 0)
        MPI_Send(out, 1, MPI_DOUBLE, 1, 7, world); /* unreceived */
    else if (is("request"))
        MPI_Irecv(in, 1, MPI_DOUBLE, 1 - rank, 5, world, &request); /* request */
    else if (is("rank") && rank == 1)
        MPI_Send(out, 1, MPI_DOUBLE, 7, 0, world); /* rank */
    else if (is("count"))
        MPI_Send(out, -1, MPI_DOUBLE, 0, 0, world); /* count */
    else if (is("fault") && rank == 1)
        *(volatile int *)(size_t)rank = 1; /* fault */
    else if (is("abort") && rank == 1)
        abort(); /* abort */
    else if (is("MPI_Abort") && rank == 1)
        MPI_Abort(world, 3); /* MPI_Abort */
    else if (is("heap") && rank == 1) {
        char *volatile block = malloc(10);

        free(block);
        free(block);
    } else if (is("damage") && rank == 1) { /* found by malloc(), which holds its lock */
        char *volatile block = malloc(2000);
        char *volatile next = malloc(2000);
        char *volatile last = malloc(2000);

        free(next);
        memset(block + 2000, 0xf0, 16);
        free(malloc(3000));
        free(last);
    } else if (is("exit"))
        exit(rank ? 5 : 0);
}

int main(int argc, char **argv)
{
    int rank, n;

    mistake = argc > 1 ? argv[1] : "root";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    collectives(rank);
    others(rank);
    messages(rank, n);
    leave_over(rank);
    MPI_Finalize();
    if (is("twice"))
        MPI_Finalize(); /* twice */
    return is("return") ? rank * 4 : 0;
}
