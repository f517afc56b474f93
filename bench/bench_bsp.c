/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What supersteps of the BSP library take beside what bare MPI takes for the like, as ratios within
 * one run: a barrier with nothing to receive, an exchange in a ring, and groups that are made and
 * left. Without a launcher it starts itself under one.
 */
#include "bench_short.h"

#include <pub.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { LARGEST = 4 << 20 };

static t_bsp all;
static int rank, size, next, before, bytes;
static char *out, *in;

/* Waits as the library does, or ranks that share a core would be compared by the kernel's ticks. */
static void await(MPI_Request *requests, int n)
{
    int done = 0, misses = 0;

    while (!done) {
        MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE);
        if (!done && ++misses > 30)
            sched_yield();
    }
}

static void mpi_barrier(void)
{
    MPI_Request request;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    await(&request, 1);
}

static void bsp_barrier(void)
{
    bsp_sync(&all);
}

static void mpi_ring(void)
{
    MPI_Request requests[2];

    MPI_Irecv(in, bytes, MPI_BYTE, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, next, 1, MPI_COMM_WORLD, &requests[1]);
    await(requests, 2);
}

static void mpi_ring_and_barrier(void)
{
    mpi_ring();
    mpi_barrier();
}

static void bsp_ring(void)
{
    bsp_hpsend(&all, next, out, (size_t)bytes);
    bsp_oblsync(&all, 1);
}

static void bsp_ring_and_barrier(void)
{
    bsp_hpsend(&all, next, out, (size_t)bytes);
    bsp_sync(&all);
}

static void mpi_groups(void)
{
    MPI_Comm part;

    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &part);
    MPI_Comm_free(&part);
}

static void bsp_groups(void)
{
    int bounds[2] = {size / 2, size};
    t_bsp part;

    bsp_partition(&all, &part, 2, bounds);
    bsp_done(&part);
}

/* The fastest of some batches, in us a call; the slowest rank's. */
static double time_of(void (*call)(void), int n)
{
    double best = 1e99;

    for (int b = 0; b < 7; b++) {
        double elapsed;

        mpi_barrier();
        elapsed = MPI_Wtime();
        for (int i = 0; i < n; i++)
            call();
        elapsed = MPI_Wtime() - elapsed;
        MPI_Allreduce(MPI_IN_PLACE, &elapsed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = elapsed < best ? elapsed : best;
    }
    return best / n * 1e6;
}

static void compare(const char *name, void (*mpi)(void), void (*bsp)(void), int n)
{
    double m = time_of(mpi, bench_times(n)), b = time_of(bsp, bench_times(n));

    if (rank == 0)
        printf("%d processes, %-34s MPI %10.2f us, BSP %10.2f us, ratio %6.3f\n", size, name, m, b,
               b / m);
}

static int launch(const char *self, int ranks)
{
    char command[4096];

    snprintf(command, sizeof command, "'%s' -n %d '%s'", MPIEXEC, ranks, self);
    fflush(stdout);
    return system(command) != 0;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 4096, 65536, LARGEST};
    char name[80];

    if (!getenv("PMI_RANK"))
        return launch(argv[0], 2) | launch(argv[0], 4);
    bsplib_saveargs(&argc, &argv);
    bsplib_init(BSPLIB_STDPARAMS, &all);
    rank = bsp_pid(&all);
    size = bsp_nprocs(&all);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    out = calloc(1, LARGEST);
    in = calloc(1, LARGEST);
    if (!out || !in)
        return 1;
    compare("groups against MPI_Comm_split", mpi_groups, bsp_groups, 300);
    compare("bsp_sync against MPI_Ibarrier", mpi_barrier, bsp_barrier, 2000);
    for (int i = 0; i < 4; i++) {
        bytes = sizes[i];
        snprintf(name, sizeof name, "ring of %d bytes, oblivious", bytes);
        compare(name, mpi_ring, bsp_ring, bytes == LARGEST ? 50 : 1000);
        snprintf(name, sizeof name, "the same with a barrier");
        compare(name, mpi_ring_and_barrier, bsp_ring_and_barrier, bytes == LARGEST ? 50 : 1000);
    }
    free(out);
    free(in);
    bsplib_done();
    return 0;
}
