/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What contracts and hooks cost, above all while they are off: against a class without a contract
 * that does the same. All variants run in turn within each round; a figure is the median over
 * rounds of thread processor time per call.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "benchcontract_Bound.h"
#include "benchcontract_Plain.h"

enum { ROUNDS = 41, CALLS = 100000 };
enum { PLAIN, OFF, SWITCHED_OFF, HOOKS, CONTRACTS, BOTH, N_VARIANTS };

static const struct {
    const char *name;
    int contracts, hooks; /* -1: never switched */
} variants[N_VARIANTS] = {
    [PLAIN] = {"class without a contract", -1, -1},
    [OFF] = {"contract and hooks never on", -1, -1},
    [SWITCHED_OFF] = {"contract and hooks switched off", false, false},
    [HOOKS] = {"hooks on", false, true},
    [CONTRACTS] = {"contract on", true, false},
    [BOTH] = {"both on", true, true},
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

static double run_bound(benchcontract_Bound object)
{
    const double start = cpu_ns();

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
    benchcontract_Bound bound[N_VARIANTS];
    benchcontract_Plain plain;
    double median[N_VARIANTS];
    sidl_BaseInterface ex;

    plain = benchcontract_Plain__create(&ex);
    for (int v = OFF; v < N_VARIANTS; v++) {
        bound[v] = benchcontract_Bound__create(&ex);
        if (!bound[v])
            return 1;
        if (variants[v].contracts >= 0)
            benchcontract_Bound__set_contracts(bound[v], variants[v].contracts, NULL, FALSE, &ex);
        if (variants[v].hooks >= 0)
            benchcontract_Bound__set_hooks(bound[v], variants[v].hooks, &ex);
    }
    for (int round = -2; round < ROUNDS; round++)
        for (int v = 0; v < N_VARIANTS; v++) {
            const double t = v == PLAIN ? run_plain(plain) : run_bound(bound[v]);

            if (round >= 0)
                ns[v][round] = t;
        }
    printf("contracts and hooks, %d rounds of %d calls, medians of processor time\n", ROUNDS,
           CALLS);
    for (int v = 0; v < N_VARIANTS; v++) {
        qsort(ns[v], ROUNDS, sizeof ns[v][0], compare);
        median[v] = ns[v][ROUNDS / 2];
        printf("  %-34s %7.2f ns\n", variants[v].name, median[v]);
    }
    for (int v = OFF; v < N_VARIANTS; v++)
        printf("ratio %-34s / class without a contract%s %.3f\n", variants[v].name,
               v <= SWITCHED_OFF ? " (goal 1.0)" : "", median[v] / median[PLAIN]);
    for (int v = OFF; v < N_VARIANTS; v++)
        benchcontract_Bound_deleteRef(bound[v], &ex);
    benchcontract_Plain_deleteRef(plain, &ex);
    return 0;
}
