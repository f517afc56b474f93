/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much more than the best assembly cost those that simpler ways choose, over 30 kinds of random
 * assemblies of 20 components with 3 implementations each, 200 of each kind: each component's best
 * in isolation; the core by the two rules of Trebon et al. 2006 (alpha = beta = 0.1) chosen
 * exactly, the rest as measured; the same within a bound (epsilon 0.05).
 */
#include "bench_short.h"

#include <portolan/optimizer.h>
#include <stdio.h>

#include "random_choice.h"

enum { N = 20, SEEDS = 200, WAYS = 3 };

static const double epsilon = 0.05;

/* The least cost with the implementations in FIXED (3: free); negative when memory is out. */
static double solve(const struct random_assembly *a, const size_t *fixed)
{
    struct portolan_choice *c = random_assembly_choice(a, fixed);
    struct portolan_choice_solution *s = NULL;
    double cost = -1;

    if (c && portolan_choice_solve(c, false, &s, NULL) == PORTOLAN_OK)
        cost = s->cost;
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
    return cost;
}

/* The measured call graph, all as written: a conversion is part of the later component's time. */
static void make_graph(const struct random_assembly *a, struct portolan_callgraph_node *nodes)
{
    for (size_t v = 0; v < a->n; v++) {
        double own = a->alone[v][0];

        for (size_t u = 0; u < v; u++)
            own += a->pair[v][u][0];
        nodes[v] = (struct portolan_callgraph_node){.parent = v ? (long)a->caller[v] : -1,
                                                    .calls = 1,
                                                    .inclusive_ns = own,
                                                    .exclusive_ns = own};
    }
    for (size_t v = a->n; --v > 0;)
        nodes[nodes[v].parent].inclusive_ns += nodes[v].inclusive_ns;
}

/* Fixes what is pruned as written; returns how many are kept. */
static size_t fix_pruned(const struct portolan_prune_mark *marks, size_t *fixed)
{
    size_t kept = 0;

    for (size_t v = 0; v < N; v++) {
        fixed[v] = marks[v].rule == PORTOLAN_KEPT ? 3 : 0;
        kept += fixed[v] == 3;
    }
    return kept;
}

static void best_in_isolation(const struct random_assembly *a, size_t *fixed)
{
    for (size_t v = 0; v < a->n; v++) {
        fixed[v] = 0;
        for (size_t k = 1; k < 3; k++)
            if (a->alone[v][k] < a->alone[v][fixed[v]])
                fixed[v] = k;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The losses of one assembly in percent; false when memory is out. */
static bool lose(const struct random_assembly *a, double *losses, double *kept)
{
    struct portolan_callgraph_node nodes[N];
    struct portolan_prune_mark marks[2][N];
    size_t fixed[WAYS][N];
    double best = solve(a, NULL);

    make_graph(a, nodes);
    if (portolan_callgraph_prune(nodes, N, 0.1, 0.1, marks[0], NULL) ||
        portolan_callgraph_bound(nodes, N, epsilon, marks[1], NULL))
        return false;
    best_in_isolation(a, fixed[0]);
    kept[0] += (double)fix_pruned(marks[0], fixed[1]) / bench_times(SEEDS);
    kept[1] += (double)fix_pruned(marks[1], fixed[2]) / bench_times(SEEDS);
    for (int k = 0; k < WAYS; k++)
        losses[k] = 100 * (solve(a, fixed[k]) / best - 1);
    return best > 0;
}

static bool print_setting(size_t i)
{
    static const char *const shapes[] = {"tree", "2-tree", "3-tree", "2n edges", "complete"};
    static const char *const strengths[] = {"weak", "medium", "strong"};
    static double losses[WAYS][SEEDS];
    const int n = bench_times(SEEDS);
    double kept[2] = {0};

    for (int seed = 1; seed <= n; seed++) {
        struct random_assembly *a = random_assembly((uint64_t)seed, N, random_setting(i));
        double one[WAYS];
        bool good = a && lose(a, one, kept);

        free(a);
        if (!good)
            return false;
        for (int k = 0; k < WAYS; k++)
            losses[k][seed - 1] = one[k];
    }
    printf("  %-9s %-7s %-7s", shapes[i / 6], strengths[i / 2 % 3], i % 2 ? "layouts" : "any");
    for (int k = 0; k < WAYS; k++) {
        qsort(losses[k], (size_t)n, sizeof **losses, compare);
        printf("  %5.1f %5.1f %5.0f", losses[k][n / 2], losses[k][n * 95 / 100], losses[k][n - 1]);
        if (k)
            printf(" %5.1f", kept[k - 1]);
    }
    printf("\n");
    return true;
}

int main(void)
{
    printf(
        "loss beside the best of 3^20 assemblies, %%: median, 95 %% of %d, most; components kept\n",
        SEEDS);
    printf("  %-25s  %-18s %-24s %-24s\n", "", "best in isolation", "  the two rules",
           "  within a bound");
    for (size_t i = 0; i < RANDOM_SETTINGS; i++)
        if (!print_setting(i))
            return 1;
    return 0;
}
