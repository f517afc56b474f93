/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a port call costs. All variants run in turn within each round; a figure is the median over
 * rounds of thread processor time per call, and the ratios printed are between totals per call, in
 * this one run.
 */
#include "bench_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 41
#define CALLS  100000
#define VALUES 4096

struct variant {
    const char *name;
    struct bench_object *object; /* NULL: the SIDL port */
    int64_t distinct;            /* context values */
    double ns[ROUNDS];
    int64_t values[VALUES];
};

static double cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double run_table(struct bench_object *object, const int64_t *values)
{
    double start = cpu_ns();

    for (int i = 0; i < CALLS; i++)
        object->ops->work(object, values[i % VALUES]);
    return (cpu_ns() - start) / CALLS;
}

static double run_sidl(struct bench_port *port, const int64_t *values)
{
    double start = cpu_ns();

    for (int i = 0; i < CALLS; i++) {
        void *ex;

        port->d_epv->f_work(port->d_object, values[i % VALUES], &ex);
    }
    return (cpu_ns() - start) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(struct variant *v)
{
    qsort(v->ns, ROUNDS, sizeof v->ns[0], compare);
    return v->ns[ROUNDS / 2];
}

static void fill(struct variant *v, uint64_t seed)
{
    for (int i = 0; i < VALUES; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        v->values[i] = 1 + (int64_t)((seed >> 33) % (uint64_t)v->distinct);
    }
}

enum { TABLE, SIDL, FORWARD, FLOOR, PATHONLY, ONE, EIGHT, SIXTYFOUR, THOUSAND, N_VARIANTS };

static struct variant variants[N_VARIANTS] = {
    [TABLE] = {.name = "call through a function table", .distinct = 1},
    [SIDL] = {.name = "unmonitored port call (SIDL)", .distinct = 1},
    [FORWARD] = {.name = "proxy that only forwards", .distinct = 1},
    [FLOOR] = {.name = "floor: hand-written timing", .distinct = 1},
    [PATHONLY] = {.name = "monitored, call path only", .distinct = 1},
    [ONE] = {.name = "monitored, 1 integer context", .distinct = 1},
    [EIGHT] = {.name = "monitored, 8 distinct values", .distinct = 8},
    [SIXTYFOUR] = {.name = "monitored, 64 distinct values", .distinct = 64},
    [THOUSAND] = {.name = "monitored, 1000 distinct values", .distinct = 1000},
};

int main(void)
{
    double ns[N_VARIANTS];
    struct portolan_probe_cost cost;

    variants[TABLE].object = bench_plain();
    variants[FORWARD].object = bench_forward();
    variants[FLOOR].object = bench_floor();
    variants[PATHONLY].object = bench_pathonly();
    for (int v = ONE; v <= THOUSAND; v++)
        variants[v].object = bench_monitored();
    for (int v = 0; v < N_VARIANTS; v++)
        fill(&variants[v], 1);

    for (int round = -2; round < ROUNDS; round++)
        for (int v = 0; v < N_VARIANTS; v++) {
            struct variant *x = &variants[v];
            double t =
                x->object ? run_table(x->object, x->values) : run_sidl(bench_sidl(), x->values);

            if (round >= 0)
                x->ns[round] = t;
        }

    for (int v = 0; v < N_VARIANTS; v++)
        ns[v] = median(&variants[v]);
    printf("port calls, %d rounds of %d calls, medians of processor time\n", ROUNDS, CALLS);
    for (int v = 0; v < N_VARIANTS; v++)
        printf("  %-34s %7.2f ns\n", variants[v].name, ns[v]);
    printf("ratio unmonitored port call / call through a function table  %.3f (goal 1.0)\n",
           ns[SIDL] / ns[TABLE]);
    printf("ratio monitored call, path and 1 integer context / floor     %.3f (goal 1.5)\n",
           ns[ONE] / ns[FLOOR]);
    printf("ratio monitored, call path only / floor                      %.3f\n",
           ns[PATHONLY] / ns[FLOOR]);
    printf("ratio monitored, 8 distinct contexts / floor                 %.3f\n",
           ns[EIGHT] / ns[FLOOR]);
    printf("ratio monitored, 64 distinct contexts / floor                %.3f\n",
           ns[SIXTYFOUR] / ns[FLOOR]);
    printf("ratio monitored, 1000 distinct contexts / floor              %.3f\n",
           ns[THOUSAND] / ns[FLOOR]);
    printf("ratio proxy that only forwards / function table              %.3f\n",
           ns[FORWARD] / ns[TABLE]);
    cost = portolan_probe_cost();
    printf(
        "self-measured cost of a monitored call: %.1f ns (spread %.1f), inside its record %.1f\n",
        cost.mean_ns, cost.spread_ns, cost.inside_ns);
    return 0;
}
