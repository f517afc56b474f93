/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What watching MPI costs per call, and what yielding waits gain where ranks share cores. Each
 * figure is a ratio of MPI_ to PMPI_ calls within one run. Without a launcher it starts itself
 * under one.
 */
#include "bench_short.h"

#include <portolan/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int rank, size;

typedef void (*call_fn)(int n);

/* Mean time of a call in us, of N after some in vain; the slowest rank's. */
static double time_of(call_fn call, int n, int batches)
{
    double best = 1e99;

    call(n / 10 + 1);
    for (int b = 0; b < batches; b++) {
        double elapsed;

        PMPI_Barrier(MPI_COMM_WORLD);
        elapsed = PMPI_Wtime();
        call(n);
        elapsed = PMPI_Wtime() - elapsed;
        PMPI_Allreduce(MPI_IN_PLACE, &elapsed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (elapsed < best)
            best = elapsed;
    }
    return best / n * 1e6;
}

#define BOTH(name, body)                                                                           \
    static void plain_##name(int n)                                                                \
    {                                                                                              \
        for (int i = 0; i < n; i++) {                                                              \
            body(PMPI_);                                                                           \
        }                                                                                          \
    }                                                                                              \
    static void watched_##name(int n)                                                              \
    {                                                                                              \
        for (int i = 0; i < n; i++) {                                                              \
            body(MPI_);                                                                            \
        }                                                                                          \
    }

#define JOIN(prefix, name) prefix##name

static int flag;
static char out[8], in[8];
static MPI_Request requests[8];
static MPI_Comm split; /* the ranks in reverse order */

#define IPROBE(p) JOIN(p, Iprobe)(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE)
BOTH(iprobe, IPROBE)

#define SENDRECV(p)                                                                                \
    JOIN(p, Sendrecv)(out, 8, MPI_CHAR, 0, 1, in, 8, MPI_CHAR, 0, 1, split, MPI_STATUS_IGNORE)
BOTH(sendrecv, SENDRECV)

#define FOUR(p)                                                                                    \
    for (int k = 0; k < 4; k++)                                                                    \
        JOIN(p, Irecv)(in, 8, MPI_CHAR, MPI_ANY_SOURCE, k, split, &requests[k]);                   \
    for (int k = 0; k < 4; k++)                                                                    \
        JOIN(p, Isend)(out, 8, MPI_CHAR, 0, k, split, &requests[4 + k]);                           \
    JOIN(p, Waitall)(8, requests, MPI_STATUSES_IGNORE)
BOTH(four, FOUR)

static double big[100000], sum[100000];
static int count;

#define ALLREDUCE(p) JOIN(p, Allreduce)(big, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)
BOTH(allreduce, ALLREDUCE)

/* There and back, between neighbours; all pairs at one time. */
#define PINGPONG(p)                                                                                \
    if (rank % 2 == 0) {                                                                           \
        JOIN(p, Send)(big, count, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);                        \
        JOIN(p, Recv)(sum, count, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     \
    } else {                                                                                       \
        JOIN(p, Recv)(sum, count, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     \
        JOIN(p, Send)(big, count, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);                        \
    }
BOTH(pingpong, PINGPONG)

static void compare_cost(const char *name, call_fn plain, call_fn watched, int calls)
{
    const int n = bench_times(20000);
    double p = time_of(plain, n, 15), w = time_of(watched, n, 15);

    printf("%-32s plain %7.1f ns, watched %7.1f ns: %5.1f ns per call, ratio %.2f\n", name, p * 1e3,
           w * 1e3, (w - p) * 1e3 / calls, w / p);
}

static void compare_waits(const char *name, call_fn plain, call_fn yielding, int n)
{
    double p, y;

    count = n;
    y = time_of(yielding, bench_times(200), 3);
    p = time_of(plain, bench_times(20), 3);
    if (rank == 0)
        printf(
            "%-10s %6d doubles, %d ranks: polling %8.1f us, yielding %8.1f us: %.1f times faster\n",
            name, n, size, p, y, p / y);
}

static void wait_many(void)
{
    static const int counts[] = {1, 1000, 100000};

    for (int i = 0; i < 3; i++)
        compare_waits("allreduce", plain_allreduce, watched_allreduce, counts[i]);
    for (int i = 0; i < 3; i++)
        compare_waits("pingpong", plain_pingpong, watched_pingpong, counts[i]);
}

static int launch(const char *self, const char *waits, int ranks)
{
    char command[4096];

    snprintf(command, sizeof command, "PORTOLAN_MPI_YIELD=%s '%s' -n %d '%s'", waits, MPIEXEC,
             ranks, self);
    fflush(stdout);
    return system(command) != 0;
}

int main(int argc, char **argv)
{
    struct portolan_error err = {0};

    (void)argc;
    if (!getenv("PMI_RANK")) /* ranks that poll and share cores take long: not in the short form */
        return launch(argv[0], "never", 1) | launch(argv[0], "always", 2) |
               (bench_times(4) == 4 &&
                (launch(argv[0], "always", 4) | launch(argv[0], "always", 8)));
    if (portolan_mpi_init(&err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &split);
    if (size == 1) {
        compare_cost("MPI_Iprobe", plain_iprobe, watched_iprobe, 1);
        compare_cost("MPI_Sendrecv with itself", plain_sendrecv, watched_sendrecv, 1);
        compare_cost("4 MPI_Irecv, 4 MPI_Isend, waits", plain_four, watched_four, 9);
    } else {
        wait_many();
    }
    MPI_Comm_free(&split);
    portolan_mpi_finalize();
    return 0;
}
