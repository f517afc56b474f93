/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the exact choice costs over 20 components with 3 implementations each, margins included,
 * for interactions from a tree to everybody with everybody; beside it, in the same run, the full
 * enumeration of 12 components with 3 implementations, whose result it must equal. Then 100
 * components with 5 each, choosing within a budget, pruning, and what deciding costs at a swap
 * point.
 */
#include "bench_short.h"

#include <portolan/optimizer.h>
#include <stdio.h>
#include <time.h>

#include "random_choice.h"
#include "world.h"

enum { INSTANCES = 40, DECISIONS = 200 };

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

/* Components of which each, but for the first ones, meets three that meet each other. */
static struct portolan_choice *choice_of_width_3(uint64_t seed, const struct random_problem *p)
{
    static const struct random_setting three = {RANDOM_3_TREE, 1, false};
    struct random_assembly *a = random_assembly(seed, p->n, three);
    struct portolan_choice *c = NULL;

    if (!a || portolan_choice_create(&c, NULL))
        return NULL;
    for (size_t v = 0; v < p->n; v++) {
        portolan_choice_add_variable(c, p->values, 0, NULL, NULL);
        random_factor(c, &seed, p, 1, &v);
        for (size_t u = 0; u < v; u++)
            if (a->meets[v][u])
                random_factor(c, &seed, p, 2, (size_t[]){v, u});
    }
    free(a);
    return c;
}

/* The same with a budget that what is best without it exceeds, as a rule. */
static struct portolan_choice *choice_with_budget(uint64_t seed, const struct random_problem *p)
{
    struct portolan_choice *c = choice_of_width_3(seed, p);
    size_t budget;

    if (!c || portolan_choice_add_budget(c, 0.4 * (double)p->n, &budget, NULL))
        return NULL;
    for (size_t v = 0; v < p->n; v++) {
        double uses[8];

        for (size_t k = 0; k < 8; k++)
            uses[k] = random_unit(&seed);
        portolan_choice_add_use(c, budget, 1, &v, uses, NULL);
    }
    return c;
}

typedef struct portolan_choice *make_fn(uint64_t seed, const struct random_problem *p);

/* Median and worst time of choosing, in microseconds; false when one could not be solved. */
static bool measure(make_fn *make, const struct random_problem *p, bool margins, double *median,
                    double *worst)
{
    double us[INSTANCES];
    const int n = bench_times(INSTANCES);

    for (int i = 0; i < n; i++) {
        struct portolan_choice *c = make((uint64_t)i + 1, p);
        struct portolan_choice_solution *s = NULL;
        double start = cpu_us();

        if (!c || portolan_choice_solve(c, margins, &s, NULL))
            return false;
        us[i] = cpu_us() - start;
        portolan_choice_solution_destroy(s);
        portolan_choice_destroy(c);
    }
    qsort(us, (size_t)n, sizeof *us, compare);
    *median = us[n / 2];
    *worst = us[n - 1];
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
    if (portolan_choice_solve(c, true, &s, NULL))
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

/* Median time of a decision between two steps of the plate, in microseconds, with the step's
 * samples: it stays, or (IS_CHANGE) has to hold a change against its chance each time. */
static double deciding(bool is_change)
{
    static const size_t written[N_VARIABLES];
    int32_t current[8] = {0}; /* as written */
    struct world *w = world_create(1);
    struct portolan_plan_now now = {.current = current, .swap_ns = 1e6, .hysteresis = 0.02};
    struct portolan_plan *plan = NULL;
    double us[DECISIONS] = {0};
    const int n = bench_times(DECISIONS);
    size_t begin;

    world_explore_all(w);
    if (portolan_plan_create(&world_assembly, &w->set, &(struct portolan_plan_options){.ranks = 1},
                             &plan, NULL))
        return NAN;
    begin = w->set.n_samples;
    world_step(w, 1, 0, written, 96, 0, false);
    now.samples = &w->samples[begin];
    now.n_samples = w->set.n_samples - begin;
    for (size_t i = begin; i < w->set.n_samples; i++)
        w->samples[i].parent -= w->samples[i].parent < 0 ? 0 : (int64_t)begin;
    for (int i = 0; i < n; i++) {
        struct portolan_plan_advice *advice = NULL;
        double start = cpu_us();

        now.remaining_steps = n - i;
        if (portolan_plan_advise(plan, &now, &advice, NULL))
            return NAN;
        us[i] = cpu_us() - start;
        for (size_t k = 0; !is_change && k < advice->n_changes; k++)
            current[advice->changes[k].position] = (int32_t)advice->changes[k].alternative;
        portolan_plan_advice_destroy(advice);
    }
    qsort(us, (size_t)n, sizeof *us, compare);
    portolan_plan_destroy(plan);
    world_destroy(w);
    return us[n / 2];
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
    struct random_problem large = {100, 5, 0, 1, 0, 0, false}, usual = {20, 3, 0, 1, 0, 0, false};
    double enumeration, choice, median, worst;

    setvbuf(stdout, NULL, _IOLBF, 0);
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

        if (!measure(random_choice, &p, false, &median, &worst))
            return 1;
        printf("  %-32s %8.0f / %-8.0f", kinds[i].name, median, worst);
        if (!measure(random_choice, &p, true, &median, &worst))
            return 1;
        printf("  %9.0f / %-8.0f  (%.2g of the enumeration)\n", median, worst,
               median / enumeration);
    }
    if (!measure(choice_of_width_3, &large, false, &median, &worst))
        return 1;
    printf("100 components x 5, width 3: %.0f / %.0f us (goal: under 20000)\n", median, worst);
    if (!measure(choice_with_budget, &usual, false, &median, &worst))
        return 1;
    printf("20 components x 3, width 3, within a budget: %.0f / %.0f us\n", median, worst);
    printf("deciding at a swap point of the plate: to stay %.0f us, to change %.0f us (goal: under "
           "100, 1 %% of 10 ms)\n",
           deciding(false), deciding(true));
    printf("pruning a call graph of 1000000 nodes: %.0f ms (goal: under 100)\n",
           pruning(1000000) * 1e-3);
    return 0;
}
