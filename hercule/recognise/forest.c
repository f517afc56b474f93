/* SPDX-License-Identifier: BSD-3-Clause */
#include "forest.h"

/*
 * Each tree is cut into paths from a node downwards; each path is a splay tree, ordered by depth.
 * The root of a splay tree names the node that its path hangs from. Numbers are those of nodes + 1;
 * 0: none.
 */
struct forest_node {
    uint32_t parent, child[2];    /* in the splay tree; of its root: where the path hangs */
    int64_t own, hanging, weight; /* weight: both, and that of the children */
};

struct forest_node *forest_create(struct portolan_arena *arena, size_t n)
{
    return portolan_arena_alloc(arena, n + 1, sizeof(struct forest_node));
}

static void sum(struct forest_node *f, uint32_t x)
{
    f[x].weight = f[x].own + f[x].hanging + f[f[x].child[0]].weight + f[f[x].child[1]].weight;
}

/* Which child of its parent X is; -1: none, it is the root of a splay tree. */
static int side_of(const struct forest_node *f, uint32_t x)
{
    uint32_t p = f[x].parent;

    return !p ? -1 : f[p].child[0] == x ? 0 : f[p].child[1] == x ? 1 : -1;
}

/* X and its parent change places. */
static void rotate(struct forest_node *f, uint32_t x)
{
    uint32_t p = f[x].parent, up = f[p].parent;
    int side = side_of(f, x), above = side_of(f, p);
    uint32_t inner = f[x].child[!side];

    if (above >= 0)
        f[up].child[above] = x;
    f[x].parent = up;
    f[x].child[!side] = p;
    f[p].parent = x;
    f[p].child[side] = inner;
    if (inner)
        f[inner].parent = p;
    sum(f, p);
    sum(f, x);
}

static void splay(struct forest_node *f, uint32_t x)
{
    for (int side; (side = side_of(f, x)) >= 0; rotate(f, x)) {
        int above = side_of(f, f[x].parent);

        if (above >= 0)
            rotate(f, above == side ? f[x].parent : x);
    }
}

/* The path from the tree's root to X, where it ends, becomes a splay tree with X as its root. */
static void expose(struct forest_node *f, uint32_t x)
{
    uint32_t below = 0;

    for (uint32_t at = x; at; at = f[at].parent) {
        splay(f, at);
        f[at].hanging += f[f[at].child[1]].weight - f[below].weight;
        f[at].child[1] = below;
        sum(f, at);
        below = at;
    }
    splay(f, x);
}

uint32_t forest_root(struct forest_node *f, uint32_t node)
{
    uint32_t x = node + 1;

    expose(f, x);
    while (f[x].child[0])
        x = f[x].child[0];
    splay(f, x);
    return x - 1;
}

int64_t forest_weight(struct forest_node *f, uint32_t root)
{
    expose(f, root + 1);
    return f[root + 1].weight;
}

void forest_add(struct forest_node *f, uint32_t node, int64_t weight)
{
    expose(f, node + 1);
    f[node + 1].own += weight;
    sum(f, node + 1);
}

void forest_link(struct forest_node *f, uint32_t root, uint32_t node)
{
    expose(f, root + 1);
    expose(f, node + 1);
    f[root + 1].parent = node + 1;
    f[node + 1].hanging += f[root + 1].weight;
    sum(f, node + 1);
}

void forest_cut(struct forest_node *f, uint32_t node)
{
    uint32_t *above = &f[node + 1].child[0];

    expose(f, node + 1);
    f[*above].parent = 0;
    *above = 0;
    sum(f, node + 1);
}
