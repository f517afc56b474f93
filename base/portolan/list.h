/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: arrays that grow. One thread at a time.
 */
#ifndef PORTOLAN_LIST_H
#define PORTOLAN_LIST_H

#include <portolan/base.h>

/** For functions that compare: less than, equal to or greater than 0, as A is to B. */
#define PORTOLAN_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/**
 * LOW, a variable, becomes the first position from LOW to HIGH (another) for which IS_BEFORE, an
 * expression of the position `middle`, is false; HIGH when there is none. Positions for which it is
 * true come first.
 */
#define PORTOLAN_BISECT(low, high, is_before)                                                      \
    while ((low) < (high)) {                                                                       \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2;                               \
        if (is_before)                                                                             \
            (low) = middle + 1;                                                                    \
        else                                                                                       \
            (high) = middle;                                                                       \
    }

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes room for N elements of SIZE bytes in the array that *ARRAY, a pointer, points to and that
 * has room for *CAPACITY; the room at least doubles. Both change only on success; false: no memory.
 */
PORTOLAN_API bool portolan_reserve(void *array, size_t *capacity, size_t n, size_t size);

/**
 * Puts a copy of ITEM, SIZE bytes, after the *COUNT items of an array; ITEMS is the address of the
 * pointer to them, which is NULL while there are none. Returns the new item; NULL when memory is
 * out, with the array unchanged. Each addition reallocates, so use it for few items.
 */
PORTOLAN_API void *portolan_append(void *items, size_t *count, const void *item, size_t size);

/** The same for an array that grows in an arena, by this function or portolan_arena_grow(). */
PORTOLAN_API void *portolan_arena_append(struct portolan_arena *a, void *items, size_t *count,
                                         const void *item, size_t size);

#ifdef __cplusplus
}
#endif
#endif
