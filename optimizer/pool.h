/* SPDX-License-Identifier: BSD-3-Clause */
/** Memory that is freed all at once: what a plan is made of. */
#ifndef PORTOLAN_OPTIMIZER_POOL_H
#define PORTOLAN_OPTIMIZER_POOL_H

#include <portolan/base.h>

struct pool_block;

struct pool {
    struct pool_block *blocks;
};

/* Zeroed, lives until pool_clear(); NULL when memory is out. */
void *pool_alloc(struct pool *a, size_t count, size_t size_bytes);
/*
 * Makes room for one more item: ITEMS has COUNT of *CAPACITY; returns the place of the array, with
 * the old items in it, or NULL.
 */
void *pool_grow(struct pool *a, void *items, size_t count, size_t *capacity, size_t size_bytes);
char *pool_printf(struct pool *a, const char *format, ...) PORTOLAN_PRINTF(2, 3);
void pool_clear(struct pool *a);

#endif
