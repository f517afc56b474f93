/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into a real run that stands beside a virtual one: notes how long it took from the end
 * of MPI_Init, when all ranks have come, to the begin of MPI_Finalize on the slowest rank, in
 * nanoseconds, as a line of the file PORTOLAN_RUN_TIME, with what half a round trip between two
 * ranks took before and after, of nothing and of 64 KB, and how long a piece of computing took on
 * the slowest rank, on the average of both, and how many times as long a rank took because others
 * had its processor: who reads it sees in which state the machine was.
 * Programs that `portolan link` makes, and other profilers, call MPICH by its names PMPI_ only:
 * these are taken, too. With PORTOLAN_RUN_FOLDED it grants no more threads than the virtual run
 * does, so that a program that would start a thread of its own is the same in both.
 */
#include <portolan/pace.h>

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

enum { DATA_BYTES = 65536 };

static double began, half_before, data_before, pace_before, waited_before;
static MPI_Comm own; /* for messages of this library */
static char data[DATA_BYTES];

/* The first messages between two ranks make their connections, which takes milliseconds. */
static void connect_all(void)
{
    static char out[DATA_BYTES];
    int rank, n;

    PMPI_Comm_dup(MPI_COMM_WORLD, &own);
    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &n);
    for (int i = 1; i < n; i++)
        for (int bytes = 1; bytes <= DATA_BYTES; bytes *= 256)
            PMPI_Sendrecv(out, bytes, MPI_BYTE, (rank + i) % n, 0, data, bytes, MPI_BYTE,
                          (rank + n - i) % n, 0, own, MPI_STATUS_IGNORE);
    PMPI_Barrier(own);
}

/* Half a round trip between ranks 0 and 1 of messages that are sent back, the least of some rounds;
 * only rank 0 gets it. */
static double measure_half(int bytes)
{
    enum { ROUNDS = 5 };
    int trips = bytes ? 4 : 20;
    double least = 0;
    int rank, n;

    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &n);
    for (int round = 0; round < ROUNDS && rank < 2 && n > 1; round++) {
        double start = PMPI_Wtime(), took;

        for (int i = 0; i < 2 * trips; i++)
            if (i % 2 == rank)
                PMPI_Send(data, bytes, MPI_BYTE, !rank, 0, own);
            else
                PMPI_Recv(data, bytes, MPI_BYTE, !rank, 0, own, MPI_STATUS_IGNORE);
        took = (PMPI_Wtime() - start) / (2 * trips);
        least = round == 0 || took < least ? took : least;
    }
    return least;
}

static double now_ns(void)
{
    return 1e9 * PMPI_Wtime();
}

/* Seconds in which this thread could have run, and others did; 0: not known. */
static double waited(void)
{
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    double ns = 0;

    if (file && fscanf(file, "%*f %lf", &ns) != 1)
        ns = 0;
    if (file)
        fclose(file);
    return 1e-9 * ns;
}

static int begin(int result)
{
    if (result == MPI_SUCCESS) {
        connect_all();
        half_before = measure_half(0);
        data_before = measure_half(DATA_BYTES);
        pace_before = portolan_pace_ns(now_ns);
        PMPI_Barrier(MPI_COMM_WORLD);
        waited_before = waited();
        began = PMPI_Wtime();
    }
    return result;
}

static void find_next(void *to, const char *name)
{
    *(void **)to = dlsym(RTLD_NEXT, name);
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
    int (*real)(int *, char ***);

    find_next(&real, __func__);
    return begin(real(argc, argv));
}
EXPORT int MPI_Init(int *argc, char ***argv) __attribute__((alias("PMPI_Init")));

EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*real)(int *, char ***, int, int *);
    const char *folded = getenv("PORTOLAN_RUN_FOLDED");

    find_next(&real, __func__);
    if (required > MPI_THREAD_SERIALIZED && folded && *folded)
        required = MPI_THREAD_SERIALIZED;
    return begin(real(argc, argv, required, provided));
}
EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
    __attribute__((alias("PMPI_Init_thread")));

EXPORT int PMPI_Finalize(void)
{
    int (*real)(void);
    double took[] = {PMPI_Wtime() - began, 0, 0}, longest[3] = {0, 0, 0}, others;
    double half_after, data_after;
    const char *path = getenv("PORTOLAN_RUN_TIME");
    int rank;

    others = waited() - waited_before;
    took[2] = others < took[0] ? took[0] / (took[0] - others) : 1;
    took[1] = (portolan_pace_ns(now_ns) + pace_before) / 2;
    half_after = measure_half(0);
    data_after = measure_half(DATA_BYTES);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(took, longest, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && path) {
        FILE *file = fopen(path, "a");

        if (file) {
            fprintf(file, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", 1e9 * longest[0],
                    1e9 * half_before, 1e9 * half_after, 1e9 * data_before, 1e9 * data_after,
                    longest[1], longest[2]);
            fclose(file);
        }
    }
    PMPI_Comm_free(&own);
    find_next(&real, __func__);
    return real();
}
EXPORT int MPI_Finalize(void) __attribute__((alias("PMPI_Finalize")));
