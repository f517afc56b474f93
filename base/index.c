/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/index.h>
#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static void put_slot(struct portolan_index *x, struct portolan_index_slot slot)
{
    size_t at = slot.hash & (x->n_slots - 1);

    while (x->slots[at].next)
        at = (at + 1) & (x->n_slots - 1);
    x->slots[at] = slot;
}

/* At most half of the slots are taken. */
bool portolan_index_reserve(struct portolan_index *x, size_t n)
{
    struct portolan_index wider = {.n_slots = x->n_slots ? x->n_slots : FIRST_SLOTS, .n = x->n};

    while (wider.n_slots < 2 * n)
        wider.n_slots *= 2;
    if (wider.n_slots == x->n_slots)
        return true;
    if (!(wider.slots = portolan_calloc(wider.n_slots, sizeof *wider.slots)))
        return false;
    for (size_t i = 0; i < x->n_slots; i++)
        if (x->slots[i].next)
            put_slot(&wider, x->slots[i]);
    free(x->slots);
    *x = wider;
    return true;
}

size_t portolan_index_find(const struct portolan_index *x, uint64_t hash,
                           portolan_index_same_fn same, const void *wanted)
{
    size_t at = x->n_slots ? hash & (x->n_slots - 1) : 0;

    for (; x->n_slots && x->slots[at].next; at = (at + 1) & (x->n_slots - 1))
        if (x->slots[at].hash == hash && same(wanted, x->slots[at].next - 1))
            return x->slots[at].next - 1;
    return SIZE_MAX;
}

bool portolan_index_add(struct portolan_index *x, uint64_t hash, size_t i)
{
    if (!portolan_index_reserve(x, x->n + 1))
        return false;
    put_slot(x, (struct portolan_index_slot){hash, i + 1});
    x->n++;
    return true;
}

bool portolan_index_put(struct portolan_index *x, uint64_t hash, size_t i,
                        portolan_index_same_fn same, const void *wanted, size_t *at)
{
    *at = portolan_index_find(x, hash, same, wanted);
    if (*at != SIZE_MAX)
        return true;
    *at = i;
    return portolan_index_add(x, hash, i);
}

static uint64_t hash_words(const char *key, size_t size)
{
    uint64_t hash = size;

    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t word;

        memcpy(&word, key + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* ITEMS is the address of a pointer of any type. */
static char *item_at(const void *items, size_t i, size_t size)
{
    char *first;

    memcpy(&first, items, sizeof first);
    return first + i * size;
}

void *portolan_index_item(struct portolan_index *x, void *items, size_t *n, size_t *room,
                          size_t size, const void *key, size_t key_size)
{
    uint64_t hash = hash_words(key, key_size);
    size_t at = x->n_slots ? hash & (x->n_slots - 1) : 0;

    for (; x->n_slots && x->slots[at].next; at = (at + 1) & (x->n_slots - 1)) {
        char *item = item_at(items, x->slots[at].next - 1, size);

        if (x->slots[at].hash == hash && memcmp(item, key, key_size) == 0)
            return item;
    }
    if (!portolan_reserve(items, room, *n + 1, size) || !portolan_index_add(x, hash, *n))
        return NULL;
    return memcpy(memset(item_at(items, (*n)++, size), 0, size), key, key_size);
}

void portolan_index_clear(struct portolan_index *x)
{
    free(x->slots);
    *x = (struct portolan_index){0};
}
