/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A square mesh as a tree of blocks. All ranks know all blocks; the cells of a block are on the
 * rank that owns it. Cells are integers modulo 2^64, so that results do not depend on who owns
 * what.
 */
#ifndef AMR_BLOCKS_H
#define AMR_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { AMR_SIDE = 32, AMR_CELLS = AMR_SIDE * AMR_SIDE, AMR_MAX_LEVEL = 5, AMR_MAX_BLOCKS = 2048 };

struct amr_block {
    int level, i, j;      /* place among the 4^level blocks of the level */
    int parent, child[4]; /* -1: none; children in Morton order */
    int owner, next_owner;
    int curve_owner; /* the owner if ranks had contiguous pieces of the curve */
    int flag;        /* wish to refine, or that its children go */
    bool is_used, is_new;
    unsigned long *cells;  /* NULL on other ranks */
    unsigned long edge[4]; /* sums of the neighbours' cells: up, down, left, right */
};

struct amr_blocks {
    struct amr_block block[AMR_MAX_BLOCKS];
    int n; /* entries in use lie below */
    int rank, size;
};

/* Cells of block FROM that block TO needs. They go from FROM's owner to TO's next owner. */
struct amr_link {
    int to, from;
    int sender, receiver;
    const unsigned long *cells; /* set by the exchange on the receiver */
};

struct amr_links {
    struct amr_blocks *blocks;
    struct amr_link *link;
    int n, capacity;
    unsigned long *received;
};

static inline bool amr_is_leaf(const struct amr_block *b)
{
    return b->child[0] < 0;
}

/* A single block, owned by rank 0, with cells. False: no memory. */
bool amr_blocks_begin(struct amr_blocks *b, int rank, int size);
void amr_blocks_end(struct amr_blocks *b);

/* Splits block AT; children have its owner and are new. Gives up where there is no room. */
bool amr_split(struct amr_blocks *b, int at);
/* Removes the children of block AT, and frees their cells. */
void amr_join(struct amr_blocks *b, int at);

/* The block at a place of a level, or the coarser one that covers it; -1 outside the mesh. */
int amr_find(const struct amr_blocks *b, int level, int i, int j);

/* All blocks as the Morton curve visits them, a parent before its children. Returns how many. */
int amr_curve(const struct amr_blocks *b, int order[AMR_MAX_BLOCKS]);

/* Appends a link. False: no memory. */
bool amr_link(struct amr_links *links, int to, int from);
void amr_links_end(struct amr_links *links);

#endif
