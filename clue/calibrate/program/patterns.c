/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns that no parameter was fitted to, on two ranks. Rank 0 prints a line for each, "NAME
 * BYTES NANOSECONDS", the median of its rounds. Run for real and in virtual time, they show how far
 * a machine file can be trusted. An argument is about how many seconds they may take: fewer steps
 * are made where messages are slow; 0 nanoseconds: a few steps would take too long.
 */
#include <mpi.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, ROUNDS = 41, WORK = 3000 };

static const MPI_Comm world = MPI_COMM_WORLD;
static int rank;
static char *out, *in;
static volatile double sink;

/* Computes for some microseconds. */
static void compute(int n)
{
    double x = sink + 1;

    for (int i = 0; i < n; i++)
        x = x * 0.999 + 1;
    sink = x;
}

static void ring(int bytes)
{
    if (rank == 0)
        MPI_Send(out, bytes, MPI_BYTE, 1, 0, world);
    MPI_Recv(in, bytes, MPI_BYTE, !rank, 0, world, MPI_STATUS_IGNORE);
    compute(WORK);
    if (rank == 1)
        MPI_Send(out, bytes, MPI_BYTE, 0, 0, world);
}

/* Reads what came, and writes what is sent next, as programs do. */
static void work_on(int bytes)
{
    const double *from = (const double *)in;
    double *to = (double *)out;
    static double step;

    step = step < 1 ? step + 0.001 : 0; /* keeps the data from becoming the same each time */
    for (int i = 0; i < bytes / 8; i++)
        to[i] = 1 + step + 0.25 * (to[i] + from[i]);
}

static void computing(int bytes)
{
    for (int i = 0; i < 1 + 300000 / bytes; i++)
        work_on(bytes);
}

/* Exchanges borders with the neighbour without blocking, and agrees on a small number. */
static void borders(int bytes)
{
    MPI_Request requests[2];

    work_on(bytes);
    MPI_Irecv(in, bytes, MPI_BYTE, !rank, 0, world, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, !rank, 0, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, world);
}

static void transposition(int bytes)
{
    work_on(2 * bytes);
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, world);
}

enum { N_SIZES = 3 };
static const struct pattern {
    const char *name;
    void (*run)(int bytes);
    int bytes[N_SIZES];
} patterns[] = {
    {"ring", ring, {100, 5000, 300000}},
    {"computing", computing, {24000, 100000, 1000000}},
    {"borders", borders, {2000, 24000, 240000}},
    {"transposition", transposition, {1600, 48000, 320000}},
};

enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Finds the number of rounds and of their steps if the pattern may take SECONDS; false: it takes
 * longer. */
static bool plan(const struct pattern *p, int bytes, double seconds, int *n, int *rounds)
{
    enum { FEWEST = 3 };
    double start, steps;

    *n = bytes < 10000 ? 20 : 5;
    *rounds = ROUNDS;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, world); /* rank 0 decides */
    if (!(seconds > 0) || isinf(seconds))
        return seconds > 0;
    MPI_Barrier(world);
    start = MPI_Wtime();
    p->run(bytes);
    MPI_Barrier(world);
    steps = fmin(seconds / fmax(MPI_Wtime() - start, 1e-9), 1e6);
    MPI_Bcast(&steps, 1, MPI_DOUBLE, 0, world);
    *n = (int)fmax(1, fmin(*n, steps / ROUNDS));
    *rounds = (int)fmin(ROUNDS, steps / *n);
    return *rounds >= FEWEST;
}

/* Returns the median of rounds that take about as long each. */
static double time_of(const struct pattern *p, int bytes, int n, int rounds)
{
    double times[ROUNDS];

    for (int i = 0; i < rounds; i++) {
        double start;

        MPI_Barrier(world);
        start = MPI_Wtime();
        for (int k = 0; k < n; k++)
            p->run(bytes);
        times[i] = (MPI_Wtime() - start) / n * 1e9;
    }
    qsort(times, (size_t)rounds, sizeof *times, compare_numbers);
    return times[rounds / 2];
}

int main(int argc, char **argv)
{
    double end;
    int left = N_PATTERNS * N_SIZES;

    MPI_Init(&argc, &argv);
    end = argc > 1 ? MPI_Wtime() + strtod(argv[1], NULL) : INFINITY;
    MPI_Comm_rank(world, &rank);
    out = calloc(2, MOST_BYTES);
    in = calloc(2, MOST_BYTES);
    if (!out || !in)
        MPI_Abort(world, 1);
    memset(out, 1, 2 * MOST_BYTES); /* otherwise all of it would be one page of zeros */
    memset(in, 1, 2 * MOST_BYTES);
    for (size_t p = 0; p < N_PATTERNS; p++)
        for (int s = 0; s < N_SIZES; s++, left--) {
            int bytes = patterns[p].bytes[s], n, rounds;
            bool fits = plan(&patterns[p], bytes, (end - MPI_Wtime()) / left, &n, &rounds);
            double ns = fits ? time_of(&patterns[p], bytes, n, rounds) : 0;

            if (rank == 0)
                printf("%s %d %.6g\n", patterns[p].name, bytes, ns);
        }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
