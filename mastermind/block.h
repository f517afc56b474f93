/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank tells rank 0 beside samples, as bytes: a head, call paths as a packed piece, rows
 * that refer to them, and texts. Sender and receiver are the same program on like machines.
 */
#ifndef PORTOLAN_MASTERMIND_BLOCK_H
#define PORTOLAN_MASTERMIND_BLOCK_H

#include <portolan/base.h>

struct block_head {
    uint64_t piece_bytes, n, text_bytes;
};

/** In the making, or borrowed from bytes that came. */
struct block {
    struct block_head head;
    void *piece, *rows; /* head.n rows */
    struct portolan_text text;
};

/** Adds a text and gives its offset; a lack of memory shows when the block is joined. */
uint32_t block_add_text(struct block *b, const char *text);

/** The text at an offset that came in a row; "" where it is out of bounds. */
const char *block_peek_text(const struct block *b, uint32_t offset);

/** All parts as one; the caller frees *BYTES. Errors: ENOMEM. */
enum portolan_status block_join(struct block *b, size_t row_bytes, void **bytes, size_t *size);

/** Frees the parts of a block in the making. */
void block_clear(struct block *b);

/** Finds the parts of a block that came from RANK. Errors: EINTERNAL (it is none). */
enum portolan_status block_look(struct block *b, int rank, const void *bytes, size_t size,
                                size_t row_bytes, struct portolan_error *err);

#endif
