/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends in various wrong ways, by the first argument. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };
static double numbers[LARGE];

static int deep(int i)
{
    volatile char bytes[1000];

    bytes[0] = (char)i;
    return deep(i + 1) + bytes[0];
}

static void *idle(void *arg)
{
    return arg;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t thread;
    int rank, n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (!strcmp(what, "circle"))
        MPI_Send(numbers, LARGE, MPI_DOUBLE, (rank + 1) % n, 3, MPI_COMM_WORLD);
    if (!strcmp(what, "tag") && rank == 0)
        MPI_Send(numbers, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
    if (!strcmp(what, "tag") && rank == 1)
        MPI_Recv(numbers, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "missing") && rank)
        MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "gone") && rank == 1)
        exit(3);
    if (!strcmp(what, "gone") && rank == 0)
        MPI_Recv(numbers, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "abort") && rank == 1)
        abort();
    if (!strcmp(what, "fault") && rank == 1)
        *(volatile int *)16 = 1;
    if (!strcmp(what, "stack") && rank == 1)
        printf("%d\n", deep(0));
    if (!strcmp(what, "thread") && rank == 1)
        pthread_create(&thread, NULL, idle, NULL);
    if (!strcmp(what, "exec") && (rank == 1 || (rank == 0 && fork() == 0)))
        execlp("echo", "echo", rank == 1 ? "of a rank" : "of a child", "is", "here", (char *)NULL);
    if (!strcmp(what, "exec") && rank == 0)
        wait(NULL);
    MPI_Finalize();
    return 0;
}
