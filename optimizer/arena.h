/* SPDX-License-Identifier: BSD-3-Clause */
/** Memory that is freed all at once: what a plan is made of. */
#ifndef PORTOLAN_OPTIMIZER_ARENA_H
#define PORTOLAN_OPTIMIZER_ARENA_H

#include <portolan/base.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

/* Zeroed, lives until arena_clear(); NULL when memory is out. */
void *arena_alloc(struct arena *a, size_t count, size_t size_bytes);
/*
 * Makes room for one more item: ITEMS has COUNT of *CAPACITY; returns the place of the array, with
 * the old items in it, or NULL.
 */
void *arena_grow(struct arena *a, void *items, size_t count, size_t *capacity, size_t size_bytes);
char *arena_printf(struct arena *a, const char *format, ...) PORTOLAN_PRINTF(2, 3);
void arena_clear(struct arena *a);

#endif
