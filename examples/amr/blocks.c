/* SPDX-License-Identifier: BSD-3-Clause */
#include "blocks.h"

#include <stdlib.h>
#include <string.h>

static int new_block(struct amr_blocks *b)
{
    int at = 0;

    while (at < b->n && b->block[at].is_used)
        at++;
    if (at == AMR_MAX_BLOCKS)
        return -1;
    if (at == b->n)
        b->n++;
    b->block[at] = (struct amr_block){.parent = -1, .child = {-1, -1, -1, -1}, .is_used = true};
    return at;
}

bool amr_blocks_begin(struct amr_blocks *b, int rank, int size)
{
    *b = (struct amr_blocks){.rank = rank, .size = size};
    new_block(b);
    if (rank != 0)
        return true;
    b->block[0].cells = calloc(AMR_CELLS, sizeof(unsigned long));
    for (int k = 0; b->block[0].cells && k < AMR_CELLS; k++)
        b->block[0].cells[k] = (unsigned long)k;
    return b->block[0].cells;
}

void amr_blocks_end(struct amr_blocks *b)
{
    for (int at = 0; at < b->n; at++)
        free(b->block[at].cells);
    b->n = 0;
}

bool amr_split(struct amr_blocks *b, int at)
{
    for (int k = 0; k < 4; k++) {
        struct amr_block *parent = &b->block[at], *child;
        int new = new_block(b);

        if (new < 0) {
            amr_join(b, at);
            return true;
        }
        parent->child[k] = new;
        child = &b->block[new];
        child->level = parent->level + 1;
        child->i = 2 * parent->i + k / 2;
        child->j = 2 * parent->j + k % 2;
        child->parent = at;
        child->owner = child->next_owner = parent->owner;
        child->curve_owner = parent->curve_owner;
        child->is_new = true;
        if (child->owner == b->rank && !(child->cells = calloc(AMR_CELLS, sizeof *child->cells)))
            return false;
    }
    return true;
}

void amr_join(struct amr_blocks *b, int at)
{
    for (int k = 0; k < 4; k++) {
        int child = b->block[at].child[k];

        b->block[at].child[k] = -1;
        if (child < 0)
            continue;
        free(b->block[child].cells);
        b->block[child] = (struct amr_block){.parent = -1};
    }
}

int amr_find(const struct amr_blocks *b, int level, int i, int j)
{
    int at = 0;

    if (i < 0 || j < 0 || i >= 1 << level || j >= 1 << level)
        return -1;
    for (int l = 1; l <= level && !amr_is_leaf(&b->block[at]); l++)
        at = b->block[at].child[2 * (i >> (level - l) & 1) + (j >> (level - l) & 1)];
    return at;
}

static int visit(const struct amr_blocks *b, int at, int *order, int n)
{
    order[n++] = at;
    for (int k = 0; k < 4 && !amr_is_leaf(&b->block[at]); k++)
        n = visit(b, b->block[at].child[k], order, n);
    return n;
}

int amr_curve(const struct amr_blocks *b, int order[AMR_MAX_BLOCKS])
{
    return visit(b, 0, order, 0);
}

bool amr_link(struct amr_links *links, int to, int from)
{
    if (links->n == links->capacity) {
        int capacity = links->capacity ? 2 * links->capacity : 256;
        struct amr_link *grown = realloc(links->link, (size_t)capacity * sizeof *grown);

        if (!grown)
            return false;
        links->link = grown;
        links->capacity = capacity;
    }
    links->link[links->n++] = (struct amr_link){.to = to,
                                                .from = from,
                                                .sender = links->blocks->block[from].owner,
                                                .receiver = links->blocks->block[to].next_owner};
    return true;
}

void amr_links_end(struct amr_links *links)
{
    free(links->link);
    free(links->received);
    *links = (struct amr_links){.blocks = links->blocks};
}
