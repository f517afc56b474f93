/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a port call costs. All variants run in turn within each round; a figure is the median over
 * rounds of thread processor time per call, and the ratios printed are between totals per call, in
 * this one run.
 */
#include "bench_port.h"
#include "bench_short.h"

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

static double run_sidl(bench_Port port, const int64_t *values)
{
    double start = cpu_ns();

    for (int i = 0; i < CALLS; i++) {
        sidl_BaseInterface ex;

        bench_Port_work(port, values[i % VALUES], &ex);
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
    qsort(v->ns, (size_t)bench_times(ROUNDS), sizeof v->ns[0], compare);
    return v->ns[bench_times(ROUNDS) / 2];
}

static void fill(struct variant *v, uint64_t seed)
{
    for (int i = 0; i < VALUES; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        v->values[i] = 1 + (int64_t)((seed >> 33) % (uint64_t)v->distinct);
    }
}

static int forget(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    (void)arg, (void)rows, (void)n;
    return 0;
}

/* Room for the next round, outside the time that counts. */
static uint64_t drain(void)
{
    uint64_t lost = 0;

    portolan_probe_rows_take(forget, NULL, &lost, NULL);
    return lost;
}

enum variant_name {
    TABLE,
    SIDL,
    FORWARD,
    FLOOR,
    PATHONLY,
    ONE,
    EIGHT,
    SIXTYFOUR,
    THOUSAND,
    ROWS,
    ROWS_64,
    SAMPLED,
    PLAIN_BUSY,
    FLOOR_BUSY,
    BUSY,
    BUSY_64,
    N_VARIANTS
};

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
    [ROWS] = {.name = "the same with rows", .distinct = 1},
    [ROWS_64] = {.name = "with rows, 64 distinct values", .distinct = 64},
    [SAMPLED] = {.name = "monitored, 1 call in 16 timed", .distinct = 1},
    [PLAIN_BUSY] = {.name = "reference: a thousand instructions", .distinct = 1},
    [FLOOR_BUSY] = {.name = "floor, busy body", .distinct = 1},
    [BUSY] = {.name = "monitored, busy body, 1 value", .distinct = 1},
    [BUSY_64] = {.name = "monitored, busy body, 64 values", .distinct = 64},
};

static void ratio(const char *what, double a, double b)
{
    printf("ratio %-68s %.3f\n", what, a / b);
}

static void make_variants(void)
{
    variants[TABLE].object = bench_plain();
    bench_forward_port();
    variants[FORWARD].object = bench_forward();
    variants[FLOOR].object = bench_floor();
    variants[PATHONLY].object = bench_pathonly();
    for (int v = ONE; v <= THOUSAND; v++)
        variants[v].object = bench_monitored();
    variants[ROWS].object = variants[ROWS_64].object = bench_rows();
    variants[SAMPLED].object = bench_sampled();
    variants[PLAIN_BUSY].object = bench_busy();
    variants[FLOOR_BUSY].object = bench_floor_busy();
    variants[BUSY].object = variants[BUSY_64].object = bench_monitored_busy();
    for (int v = 0; v < N_VARIANTS; v++)
        fill(&variants[v], 1);
}

/* Medians in NS; how many rows were lost. */
static uint64_t measure(double ns[N_VARIANTS])
{
    uint64_t n_lost = 0;

    for (int round = -2; round < bench_times(ROUNDS); round++)
        for (int v = 0; v < N_VARIANTS; v++) {
            struct variant *x = &variants[v];
            double t =
                x->object ? run_table(x->object, x->values) : run_sidl(bench_sidl(), x->values);

            if (v == ROWS || v == ROWS_64)
                n_lost += drain();
            if (round >= 0)
                x->ns[round] = t;
        }

    for (int v = 0; v < N_VARIANTS; v++)
        ns[v] = median(&variants[v]);
    return n_lost;
}

static void report(const double ns[N_VARIANTS])
{
    printf("port calls, %d rounds of %d calls, medians of processor time\n", ROUNDS, CALLS);
    for (int v = 0; v < N_VARIANTS; v++)
        printf("  %-34s %7.2f ns\n", variants[v].name, ns[v]);
    ratio("unmonitored port call / call through a function table (goal 1.0)", ns[SIDL], ns[TABLE]);
    ratio("monitored, path and 1 integer context / floor (goal 1.2)", ns[ONE], ns[FLOOR]);
    ratio("monitored, call path only / floor", ns[PATHONLY], ns[FLOOR]);
    ratio("monitored, 8 distinct contexts / floor", ns[EIGHT], ns[FLOOR]);
    ratio("monitored, 64 distinct contexts / floor", ns[SIXTYFOUR], ns[FLOOR]);
    ratio("monitored, 1000 distinct contexts / floor", ns[THOUSAND], ns[FLOOR]);
    ratio("with rows, 1 integer context / floor (goal 1.4)", ns[ROWS], ns[FLOOR]);
    ratio("with rows, 64 distinct contexts / floor", ns[ROWS_64], ns[FLOOR]);
    ratio("1 call in 16 timed / each timed", ns[SAMPLED], ns[ONE]);
    ratio("monitored / floor, body that fills the processor", ns[BUSY], ns[FLOOR_BUSY]);
    ratio("the same, 64 distinct contexts", ns[BUSY_64], ns[FLOOR_BUSY]);
    printf("a proxy that only forwards adds %.2f ns to a call through a table (goal 1.5)\n",
           ns[FORWARD] - ns[TABLE]);
}

int main(void)
{
    double ns[N_VARIANTS];
    uint64_t n_lost;
    struct portolan_probe_cost cost;

    make_variants();
    n_lost = measure(ns);
    report(ns);
    printf("rows lost for want of room: %llu\n", (unsigned long long)n_lost);
    cost = portolan_probe_cost();
    printf(
        "cost of a monitored call, as stated with every profile: %.1f ns (%.1f ... %.1f), inside "
        "its record %.1f; found above: %.1f to %.1f ns\n",
        cost.mean_ns, cost.mean_ns - 2 * cost.spread_ns, cost.mean_ns + 2 * cost.spread_ns,
        cost.inside_ns, ns[ONE] - ns[TABLE], ns[THOUSAND] - ns[TABLE]);
    return 0;
}
