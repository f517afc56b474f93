/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: positions in an array by the content of its items: an open-addressing hash table beside
 * the array, which owns the items. Start it as `{0}`. One thread at a time.
 */
#ifndef PORTOLAN_INDEX_H
#define PORTOLAN_INDEX_H

#include <portolan/base.h>

struct portolan_index {
    struct portolan_index_slot {
        uint64_t hash;
        size_t next; /**< position + 1; 0: empty */
    } * slots;
    size_t n_slots, n;
};

/** Whether the item at I is the wanted one. */
typedef bool (*portolan_index_same_fn)(const void *wanted, size_t i);

/** The position of the first item with HASH for which SAME is true; SIZE_MAX when there is none. */
PORTOLAN_API size_t portolan_index_find(const struct portolan_index *x, uint64_t hash,
                                        portolan_index_same_fn same, const void *wanted);

/**
 * Sets *AT to the position that portolan_index_find() finds; if there is none, adds I and sets *AT
 * to I. The wanted item may be at I already, after all others. False when memory runs out.
 */
PORTOLAN_API bool portolan_index_put(struct portolan_index *x, uint64_t hash, size_t i,
                                     portolan_index_same_fn same, const void *wanted, size_t *at);

/**
 * The item that begins with the KEY_SIZE bytes of KEY, a multiple of 4, among the *N items of SIZE
 * bytes in the array that *ITEMS, a pointer, points to and that has room for *ROOM of them. If
 * there is none, it is added, zeroed but for the key. X must index nothing else. NULL when memory
 * is out; valid until the next is added.
 */
PORTOLAN_API void *portolan_index_item(struct portolan_index *x, void *items, size_t *n,
                                       size_t *room, size_t size, const void *key, size_t key_size);

/** Adds position I without a search; false when memory runs out, with nothing changed. */
PORTOLAN_API bool portolan_index_add(struct portolan_index *x, uint64_t hash, size_t i);

/** Makes room for N positions in all, so that adding cannot fail; false when memory runs out. */
PORTOLAN_API bool portolan_index_reserve(struct portolan_index *x, size_t n);

/** Frees and empties it. */
PORTOLAN_API void portolan_index_clear(struct portolan_index *x);

#endif
