/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels.h"

#include <stdlib.h>
#include <time.h>

static double *x, *y;

bool kernel_begin(void)
{
    size_t n = KERNEL_MOST / 2 / sizeof(double);

    x = malloc(n * sizeof *x);
    y = malloc(n * sizeof *y);
    for (size_t i = 0; x && y && i < n; i++)
        x[i] = y[i] = 1;
    return x && y;
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Not inlined, so that each round is done. */
static void __attribute__((noinline)) add(size_t n, double a)
{
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] * 0.5 + a * x[i];
}

double kernel_time(int bytes)
{
    size_t n = (size_t)bytes / 2 / sizeof(double);
    int rounds = 0;
    double start, end;

    add(n, 0.5); /* brings the data into the cache */
    start = now_ns();
    do {
        add(n, 0.5);
        end = now_ns();
        rounds++;
    } while (end - start < KERNEL_NS || rounds < 2);
    return (end - start) / rounds / ((double)bytes / 1024);
}
