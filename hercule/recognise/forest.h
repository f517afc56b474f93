/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rooted trees of nodes with weights, which are linked and cut while the weights of whole trees are
 * asked for: link-cut trees (Sleator and Tarjan 1983, with splay trees: 1985). An operation takes
 * O(log n) steps, amortized; so asking moves nodes, too. Nodes are 0 to n - 1.
 */
#ifndef HERCULE_RECOGNISE_FOREST_H
#define HERCULE_RECOGNISE_FOREST_H

#include <portolan/base.h>

struct forest_node;

/* N trees of one node, of weight 0, in ARENA. NULL: no memory. */
struct forest_node *forest_create(struct portolan_arena *arena, size_t n);
/* The root of the tree of NODE. */
uint32_t forest_root(struct forest_node *f, uint32_t node);
/* The weight of the tree whose root is ROOT. */
int64_t forest_weight(struct forest_node *f, uint32_t root);
void forest_add(struct forest_node *f, uint32_t node, int64_t weight);
/* ROOT, which is one, becomes a child of NODE of another tree. */
void forest_link(struct forest_node *f, uint32_t root, uint32_t node);
/* NODE, which is no root, becomes one. */
void forest_cut(struct forest_node *f, uint32_t node);

#endif
