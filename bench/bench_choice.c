/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the exact choice costs over 20 components with 3 implementations each, margins included,
 * for interactions from a tree to everybody with everybody; beside it, in the same run, the full
 * enumeration of 12 components with 3 implementations, whose result it must equal. Last, pruning.
 */
#include <portolan/optimizer.h>
#include <stdio.h>
#include <time.h>

#include "random_choice.h"

enum { INSTANCES = 40 };

static double cpu_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median and worst time of choosing, in microseconds; false when one could not be solved. */
static bool measure(const struct random_problem *p, bool margins, double *median, double *worst)
{
    double us[INSTANCES];

    for (int i = 0; i < INSTANCES; i++) {
        struct portolan_choice *c = random_choice((uint64_t)i + 1, p);
        struct portolan_choice_solution *s = NULL;
        double start = cpu_us();

        if (!c || portolan_choice_solve(c, PORTOLAN_CHOICE_AUTO, margins, &s, NULL))
            return false;
        us[i] = cpu_us() - start;
        portolan_choice_solution_destroy(s);
        portolan_choice_destroy(c);
    }
    qsort(us, INSTANCES, sizeof *us, compare);
    *median = us[INSTANCES / 2];
    *worst = us[INSTANCES - 1];
    return true;
}

static double enumerate(const struct portolan_choice *c, size_t n)
{
    size_t at[32] = {0}, i;
    double best = INFINITY;

    do {
        best = fmin(best, portolan_choice_cost(c, at));
        for (i = 0; i < n && ++at[i] == 3; i++)
            at[i] = 0;
    } while (i < n);
    return best;
}

/* The reference: all 531,441 assemblies of 12 components; their best must be the one chosen. */
static bool reference(const struct random_problem *p, double *enumeration, double *choice)
{
    struct portolan_choice *c = random_choice(7, p);
    struct portolan_choice_solution *s = NULL;
    double start = cpu_us(), best;
    bool equal;

    if (!c)
        return false;
    best = enumerate(c, p->n);
    *enumeration = cpu_us() - start;
    start = cpu_us();
    if (portolan_choice_solve(c, PORTOLAN_CHOICE_AUTO, true, &s, NULL))
        return false;
    *choice = cpu_us() - start;
    equal = fabs(s->cost - best) <= 1e-11 * best;
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
    return equal;
}

/* Median time of pruning a random tree of N nodes, in microseconds. */
static double pruning(size_t n)
{
    struct portolan_callgraph_node *nodes = calloc(n, sizeof *nodes);
    struct portolan_prune_mark *marks = calloc(n, sizeof *marks);
    double us[5] = {0};
    uint64_t seed = 1;

    for (size_t i = 0; nodes && i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        nodes[i].parent = i ? (long)((seed >> 20) % i) : -1;
        nodes[i].inclusive_ns = (double)(n - i);
    }
    for (int k = 0; nodes && marks && k < 5; k++) {
        double start = cpu_us();

        if (portolan_callgraph_prune(nodes, n, 0.1, 0.1, marks, NULL))
            break;
        us[k] = cpu_us() - start;
    }
    qsort(us, 5, sizeof *us, compare);
    free(nodes);
    free(marks);
    return us[2];
}

int main(void)
{
    static const struct {
        const char *name;
        double density;
    } kinds[] = {{"sparse (1 pair per component)", 0.1},
                 {"usual (2 pairs per component)", 0.2},
                 {"dense (5 pairs per component)", 0.5},
                 {"everybody with everybody", 1}};
    struct random_problem small = {12, 3, 0.2, 1, 0.05, 1, false};
    double enumeration, choice, median, worst;

    if (!reference(&small, &enumeration, &choice)) {
        printf("12 x 3: the choice is not that of the enumeration\n");
        return 1;
    }
    printf("12 components x 3: enumeration %.0f us, choice with margins %.1f us (ratio %.2g)\n",
           enumeration, choice, choice / enumeration);
    printf("20 components x 3, %d instances, us of processor time (goal: under 1000)\n", INSTANCES);
    printf("  %-32s %18s %24s\n", "interaction", "choice med / max", "with margins med / max");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct random_problem p = {20, 3, kinds[i].density, 1, 0.05, 1, false};

        if (!measure(&p, false, &median, &worst))
            return 1;
        printf("  %-32s %8.0f / %-8.0f", kinds[i].name, median, worst);
        if (!measure(&p, true, &median, &worst))
            return 1;
        printf("  %9.0f / %-8.0f  (%.2g of the enumeration)\n", median, worst,
               median / enumeration);
    }
    printf("pruning a call graph of 1000000 nodes: %.0f ms (goal: under 100)\n",
           pruning(1000000) * 1e-3);
    return 0;
}
