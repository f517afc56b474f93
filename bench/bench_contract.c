/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What contracts and hooks cost, above all while they are off: against a class without a contract
 * that does the same. Variants run in turn within each round, but for the last one; a figure is
 * the median over rounds of thread processor time per call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench_short.h"
#include "benchcontract_Bound.h"
#include "benchcontract_Plain.h"

enum { ROUNDS = 41, CALLS = 100000 };
enum { PLAIN, OFF, HOOKS, CONTRACTS, BOTH, AMONG, N_VARIANTS };

static const struct {
    const char *name;
    sidl_bool contracts, hooks;
} variants[N_VARIANTS] = {
    [PLAIN] = {"class without a contract", FALSE, FALSE},
    [OFF] = {"contract and hooks off", FALSE, FALSE},
    [HOOKS] = {"hooks on", FALSE, TRUE},
    [CONTRACTS] = {"contract on", TRUE, FALSE},
    [BOTH] = {"both on", TRUE, TRUE},
    [AMONG] = {"off, both on in another object", FALSE, FALSE},
};

static double cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

#define REPEAT(CALL)                                                                               \
    for (int i = 0; i < CALLS; i++) {                                                              \
        sidl_BaseInterface ex = NULL;                                                              \
                                                                                                   \
        CALL;                                                                                      \
        if (ex)                                                                                    \
            abort();                                                                               \
    }

static double run_plain(benchcontract_Plain object)
{
    const double start = cpu_ns();

    REPEAT(benchcontract_Plain_work(object, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static double run_bound(benchcontract_Bound object, int variant)
{
    sidl_BaseInterface ex;
    double start;

    benchcontract_Bound__set_contracts_static(variants[variant].contracts, NULL, FALSE, &ex);
    benchcontract_Bound__set_hooks_static(variants[variant].hooks, &ex);
    start = cpu_ns();
    REPEAT(benchcontract_Bound_work(object, i, &ex))
    return (cpu_ns() - start) / CALLS;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    static double ns[N_VARIANTS][ROUNDS];
    const int n = bench_times(ROUNDS);
    benchcontract_Bound bound, other;
    benchcontract_Plain plain;
    double median[N_VARIANTS];
    sidl_BaseInterface ex;

    plain = benchcontract_Plain__create(&ex);
    bound = benchcontract_Bound__create(&ex);
    other = benchcontract_Bound__create(&ex);
    if (!plain || !bound || !other)
        return 1;
    for (int round = -2; round < n; round++)
        for (int v = 0; v < AMONG; v++) {
            const double t = v == PLAIN ? run_plain(plain) : run_bound(bound, v);

            if (round >= 0)
                ns[v][round] = t;
        }
    benchcontract_Bound__set_contracts(other, TRUE, NULL, FALSE, &ex);
    benchcontract_Bound__set_hooks(other, TRUE, &ex);
    for (int round = 0; round < n; round++)
        ns[AMONG][round] = run_bound(bound, AMONG);
    printf("contracts and hooks, %d rounds of %d calls, medians of processor time\n", ROUNDS,
           CALLS);
    for (int v = 0; v < N_VARIANTS; v++) {
        qsort(ns[v], (size_t)n, sizeof ns[v][0], compare);
        median[v] = ns[v][n / 2];
        printf("  %-34s %7.2f ns\n", variants[v].name, median[v]);
    }
    for (int v = OFF; v < N_VARIANTS; v++)
        printf("ratio %-34s / class without a contract%s %.3f\n", variants[v].name,
               v == OFF ? " (goal 1.0)" : "", median[v] / median[PLAIN]);
    benchcontract_Bound_deleteRef(bound, &ex);
    benchcontract_Bound_deleteRef(other, &ex);
    benchcontract_Plain_deleteRef(plain, &ex);
    return 0;
}
