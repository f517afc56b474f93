/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: the causes of divide-and-conquer, each planted in a scenario. */
#ifndef TEST_PLANTED_DIVIDE_AND_CONQUER_H
#define TEST_PLANTED_DIVIDE_AND_CONQUER_H

#include "planting.h"

enum { SOLVE = 100 * MS };

struct tree {
    double split, merge, root_only; /* at the root; half of it on each level below */
    double given;                   /* share that is given away */
};

static void tree_node(struct portolan_text *t, const struct tree *tree, int rank, int width,
                      double size, double level)
{
    if (width <= 1) {
        portolan_text_add(t, "compute %.0fns\n", SOLVE * size);
        return;
    }
    if (tree->split * level > 0 || (tree->root_only > 0 && level == 1))
        portolan_text_add(t, "compute %.0fns\n",
                          tree->split * level + (level == 1 ? tree->root_only : 0));
    portolan_text_add(t, "send %d tag 3 1000\n", rank + width / 2);
    tree_node(t, tree, rank, width / 2, size * 2 * (1 - tree->given), level / 2);
    portolan_text_add(t, "recv %d tag 4\n", rank + width / 2);
    if (tree->merge * level > 0)
        portolan_text_add(t, "compute %.0fns\n", tree->merge * level);
}

static void tree_part(struct portolan_text *t, const struct tree *tree, int rank, int width,
                      double size, double level, int from)
{
    portolan_text_add(t, "on %d\n", rank);
    if (from >= 0)
        portolan_text_add(t, "recv %d tag 3\n", from);
    tree_node(t, tree, rank, width, size, level);
    if (from >= 0)
        portolan_text_add(t, "send %d tag 4 0\n", from);
    portolan_text_add(t, "end\n");
    for (; width > 1; width /= 2) {
        tree_part(t, tree, rank + width / 2, width / 2, size * 2 * tree->given, level / 2, rank);
        size *= 2 * (1 - tree->given);
        level /= 2;
    }
}

static void divide(struct portolan_text *t, int p, const char *head, struct tree tree)
{
    portolan_text_add(t, "ranks %d\n%s", p, head);
    tree_part(t, &tree, 0, p, 1, 1, -1);
}

/* While 2^l ranks split or merge at level l, the others wait. */
static double idle_by_levels(const double *ranks, double at_root)
{
    double idle = 0, time = 0, p = *ranks;

    for (double width = 1; width < p; width *= 2) {
        idle += (p - width) * floor(at_root / width);
        time += at_root / width;
    }
    return idle / (p * (time + SOLVE));
}

static double costly_split(struct portolan_text *t, int p, double share)
{
    double ranks = p, split = solve(idle_by_levels, &ranks, share, 0, 100. * SOLVE);

    if (isnan(split))
        return NAN;
    divide(t, p, "", (struct tree){.split = split, .given = 0.5});
    return idle_by_levels(&ranks, split);
}

static double costly_merge(struct portolan_text *t, int p, double share)
{
    double ranks = p, merge = solve(idle_by_levels, &ranks, share, 0, 100. * SOLVE);

    if (isnan(merge))
        return NAN;
    divide(t, p, "", (struct tree){.merge = merge, .given = 0.5});
    return idle_by_levels(&ranks, merge);
}

static double serial_near_root(struct portolan_text *t, int p, double share)
{
    double x = floor(share * p * SOLVE / (p - 1 - share * p));

    if (p < 4 || x < 0)
        return NAN;
    divide(t, p, "", (struct tree){.root_only = x, .given = 0.5});
    return (p - 1) * x / (p * (SOLVE + x));
}

/* The largest of P parts is (2 g)^levels times the mean, where g of a problem is given away. */
static double uneven_division(struct portolan_text *t, int p, double share)
{
    double largest = 1 / (1 - share), g = pow(largest, 1 / log2(p)) / 2;

    divide(t, p, "", (struct tree){.given = g});
    return g < 1 ? 1 - 1 / pow(2 * g, log2(p)) : (double)NAN;
}

/* A message goes down each of log2(P) levels, and one up. */
static double too_deep(struct portolan_text *t, int p, double share)
{
    double ways = 2 * log2(p), m = floor(share / (1 - share) * SOLVE / ways);
    char head[80];

    snprintf(head, sizeof head, "latency %.0fns\neager 1M\n", m);
    divide(t, p, head, (struct tree){.given = 0.5});
    return ways * m / (SOLVE + ways * m);
}

/* Results have no bytes, but parts have 1000. */
static double moved_too_often(struct portolan_text *t, int p, double share)
{
    double ways = log2(p), m = floor(share / (1 - share) * SOLVE / ways);
    char head[80] = "";

    if (m > 0)
        snprintf(head, sizeof head, "bandwidth %.0f\neager 1M\n", 1e12 / m);
    divide(t, p, head, (struct tree){.given = 0.5});
    return ways * m / (SOLVE + ways * m);
}

#endif
