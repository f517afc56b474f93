/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: values as bytes for another process of the same program on a like machine, and back.
 *
 * One function lists the fields of a struct for both directions: a block that is written copies
 * them from the struct, a block that is read copies them into it. Use the values only after
 * portolan_block_finish() has returned PORTOLAN_OK; until then values are valid but may be wrong
 * (zeros, empty texts and counts of 0 after the first error). One thread at a time.
 */
#ifndef PORTOLAN_BLOCK_H
#define PORTOLAN_BLOCK_H

#include <portolan/base.h>
#include <portolan/index.h>

/** Start it as `{0}` to write, with portolan_block_open() to read. */
struct portolan_block {
    bool is_read;
    enum portolan_status status;  /**< the first error: ENOMEM, EINTERNAL (bytes are missing) */
    struct portolan_text written; /**< the bytes so far, owned */
    const char *at, *end;         /**< what is still to be read, borrowed */
    size_t n_texts, room;         /**< each text is in the bytes once */
    const char **texts;
    struct portolan_index index;
};

/** B will read SIZE bytes, which must stay until its texts are no longer used. */
PORTOLAN_API void portolan_block_open(struct portolan_block *b, const void *bytes, size_t size);

/** Carries SIZE bytes, which hold no pointers. */
PORTOLAN_API void portolan_block_carry(struct portolan_block *b, void *value, size_t size);

/**
 * Carries the number of items that follow, each of at least ITEM_BYTES (1 or more). A number that
 * is read is never higher than what the bytes have room for.
 */
PORTOLAN_API void portolan_block_carry_count(struct portolan_block *b, size_t *n,
                                             size_t item_bytes);

/**
 * Carries a text (NULL counts as ""). A text to be written must stay as it is until the block is
 * taken; texts at the same address travel once. One that is read is borrowed from the bytes.
 */
PORTOLAN_API void portolan_block_carry_text(struct portolan_block *b, const char **text);

/**
 * Carries N items of ITEM_BYTES each, ARRAY being the address of the pointer to them. Items that
 * are read are malloc'ed, and the caller frees them even after an error; carry the texts that they
 * point to one by one.
 */
PORTOLAN_API void portolan_block_carry_items(struct portolan_block *b, void *array, size_t *n,
                                             size_t item_bytes);

/** Notes STATUS as an error: EINTERNAL (the caller refuses what was read) or ENOMEM. */
PORTOLAN_API void portolan_block_fail(struct portolan_block *b, enum portolan_status status);

/**
 * Ends writing: the caller frees *BYTES. B can be used again. Errors: ENOMEM, with *BYTES NULL and
 * *SIZE 0.
 */
PORTOLAN_API enum portolan_status portolan_block_take(struct portolan_block *b, void **bytes,
                                                      size_t *size, struct portolan_error *err);

/**
 * Ends reading, or abandons writing, and frees what B holds. Errors, of a block that was read:
 * EINTERNAL (it has too few bytes, or too many, or was refused), ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_block_finish(struct portolan_block *b,
                                                        struct portolan_error *err);

#endif
