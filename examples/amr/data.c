/* SPDX-License-Identifier: BSD-3-Clause */
/* amr.Data: what fills guard cells, and what refining does to data, in terms of the tree. */
#include "amr.h"
#include "blocks.h"
#include "component.h"

#include <mpi.h>
#include <string.h>

enum { TREE };

typedef void fetch_fn(amr_Tree tree, void *links, sidl_BaseInterface *_ex);

/* Collective: FETCH, if all ranks found memory for the links. */
static void fetch_links(struct component *c, fetch_fn *fetch, struct amr_links *links,
                        bool has_memory, sidl_BaseInterface *_ex)
{
    amr_Tree tree = component_port(c, TREE, _ex);

    SIDL_CHECK(*_ex);
    if (!has_memory)
        portolan_throw(_ex, PORTOLAN_ENOMEM, "amr.Data: no memory for links");
    SIDL_CHECK(*_ex);
    fetch(tree, links, _ex);
EXIT:;
}

/* Which cell of its parent covers cell (I, J) of a child. */
static size_t cell_of_parent(const struct amr_block *child, int i, int j)
{
    int half = AMR_SIDE / 2;

    return (size_t)((child->i % 2 * half + i / 2) * AMR_SIDE + child->j % 2 * half + j / 2);
}

static void data_prolong(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    struct amr_blocks *b = blocks;
    struct amr_links links = {.blocks = b};
    bool has_memory = true;

    for (int at = 0; at < b->n; at++)
        if (b->block[at].is_used && b->block[at].is_new)
            has_memory = has_memory && amr_link(&links, at, b->block[at].parent);
    fetch_links(self, amr_Tree_commToParent, &links, has_memory, _ex);
    for (int k = 0; k < links.n && !*_ex; k++) {
        struct amr_block *child = &b->block[links.link[k].to];

        child->is_new = false;
        for (int c = 0; child->owner == b->rank && c < AMR_CELLS; c++)
            child->cells[c] =
                links.link[k].cells[cell_of_parent(child, c / AMR_SIDE, c % AMR_SIDE)];
    }
    amr_links_end(&links);
}

static void restrict_child(struct amr_block *parent, const struct amr_block *child,
                           const unsigned long *cells)
{
    for (int c = 0; c < AMR_CELLS; c++)
        if (c / AMR_SIDE % 2 == 0 && c % AMR_SIDE % 2 == 0)
            parent->cells[cell_of_parent(child, c / AMR_SIDE, c % AMR_SIDE)] =
                cells[c] + cells[c + 1] + cells[c + AMR_SIDE] + cells[c + AMR_SIDE + 1];
}

/* As in FLASH, all ranks agree after each level whether another one follows. */
static void restrict_level(struct component *c, struct amr_blocks *b, int level,
                           sidl_BaseInterface *_ex)
{
    struct amr_links links = {.blocks = b};
    bool has_memory = true;
    int n, all;

    for (int at = 0; at < b->n; at++)
        for (int k = 0; k < 4 && b->block[at].is_used; k++)
            if (b->block[at].level == level && !amr_is_leaf(&b->block[at]))
                has_memory = has_memory && amr_link(&links, at, b->block[at].child[k]);
    fetch_links(c, amr_Tree_commToChild, &links, has_memory, _ex);
    for (int k = 0; k < links.n && !*_ex; k++)
        if (links.link[k].receiver == b->rank)
            restrict_child(&b->block[links.link[k].to], &b->block[links.link[k].from],
                           links.link[k].cells);
    n = links.n;
    MPI_Allreduce(&n, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    amr_links_end(&links);
}

static void data_restriction(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    for (int level = AMR_MAX_LEVEL - 1; level >= 0 && !*_ex; level--)
        restrict_level(self, blocks, level, _ex);
}

static void data_connect(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    amr_Tree tree = component_port(self, TREE, _ex);

    if (!*_ex)
        amr_Tree_buildTree(tree, blocks, _ex);
}

/* The neighbour of block AT in direction D that has data for its edge; -1 outside the mesh. */
static int neighbour(const struct amr_blocks *b, int at, int d)
{
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const struct amr_block *block = &b->block[at];

    return amr_find(b, block->level, block->i + step[d][0], block->j + step[d][1]);
}

static void sum_edge(struct amr_blocks *b, const struct amr_link *link)
{
    struct amr_block *block = &b->block[link->to];
    unsigned long sum = 0;

    for (int c = 0; c < AMR_CELLS; c++)
        sum = sum * 31 + link->cells[c];
    for (int d = 0; d < 4; d++)
        if (neighbour(b, link->to, d) == link->from)
            block->edge[d] = sum;
}

/* Edges of leaves and of parents of leaves, from neighbours of the same level or of coarser ones.
 */
static void exchange_edges(struct component *c, struct amr_blocks *b, bool coarser, fetch_fn *fetch,
                           sidl_BaseInterface *_ex)
{
    struct amr_links links = {.blocks = b};
    bool has_memory = true;

    *_ex = NULL;
    for (int at = 0; at < b->n; at++)
        for (int d = 0; d < 4 && b->block[at].is_used; d++) {
            int from = neighbour(b, at, d);

            if (from >= 0 && (b->block[from].level < b->block[at].level) == coarser)
                has_memory = has_memory && amr_link(&links, at, from);
        }
    fetch_links(c, fetch, &links, has_memory, _ex);
    for (int k = 0; k < links.n && !*_ex; k++)
        if (links.link[k].receiver == b->rank)
            sum_edge(b, &links.link[k]);
    amr_links_end(&links);
}

static void data_exchange(void *self, void *blocks, sidl_BaseInterface *_ex)
{
    exchange_edges(self, blocks, false, amr_Tree_commToSibling, _ex);
    if (!*_ex)
        exchange_edges(self, blocks, true, amr_Tree_commToParent, _ex);
}

static void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const struct component_use uses[COMPONENT_USES] = {{"tree", "amr.Tree", NULL}};

    component_register(self, services, "data", "amr.Data", uses, _ex);
}

static const struct amr_Data__epv data_epv = {.f_prolong = data_prolong,
                                              .f_restriction = data_restriction,
                                              .f_connect = data_connect,
                                              .f_exchange = data_exchange};

PORTOLAN_COMPONENT_CLASS(amr_Data, "amr.Data", struct component, set_services, NULL,
                         {&amr_Data__type, &data_epv},
                         {&gov_cca_ComponentRelease__type, &component_release_epv});
