/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into a real run that is compared with a virtual one: notes how long it took from the
 * end of MPI_Init, when all ranks have come, to the begin of MPI_Finalize on the slowest rank, in
 * nanoseconds, as a line of the file PORTOLAN_RUN_TIME.
 * Programs that `portolan link` makes, and other profilers, call MPICH by its names PMPI_ only:
 * these are taken, too. With PORTOLAN_RUN_FOLDED it grants no more threads than the virtual run
 * does, so that a program that would start a thread of its own is the same in both.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

enum { DATA_BYTES = 65536 };

static double began;

/* Lets all ranks exchange a message, since the first one between two ranks makes their connection,
 * which takes milliseconds. */
static void connect_all(void)
{
    static char out[DATA_BYTES], data[DATA_BYTES];
    MPI_Comm own; /* for messages of this library */
    int rank, n;

    PMPI_Comm_dup(MPI_COMM_WORLD, &own);
    PMPI_Comm_rank(own, &rank);
    PMPI_Comm_size(own, &n);
    for (int i = 1; i < n; i++)
        for (int bytes = 1; bytes <= DATA_BYTES; bytes *= 256)
            PMPI_Sendrecv(out, bytes, MPI_BYTE, (rank + i) % n, 0, data, bytes, MPI_BYTE,
                          (rank + n - i) % n, 0, own, MPI_STATUS_IGNORE);
    PMPI_Barrier(own);
    PMPI_Comm_free(&own);
}

static int begin(int result)
{
    if (result == MPI_SUCCESS) {
        connect_all();
        PMPI_Barrier(MPI_COMM_WORLD);
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
    double took = PMPI_Wtime() - began, longest = 0;
    const char *path = getenv("PORTOLAN_RUN_TIME");
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && path) {
        FILE *file = fopen(path, "a");

        if (file) {
            fprintf(file, "%.9g\n", 1e9 * longest);
            fclose(file);
        }
    }
    find_next(&real, __func__);
    return real();
}
EXPORT int MPI_Finalize(void) __attribute__((alias("PMPI_Finalize")));
