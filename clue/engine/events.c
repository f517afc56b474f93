/* SPDX-License-Identifier: BSD-3-Clause */
/* The heap of events, four children each; pools; blocks of data. */
#include "internal.h"

void engine_no_memory(struct clue_engine *e)
{
    portolan_no_memory(&e->error);
}

bool events_push(struct clue_engine *e, int64_t ns, enum event_kind kind, uint32_t tie,
                 uint32_t about, bool is_live)
{
    struct events *h = &e->events;
    event new = (event)(uint64_t)ns << 64 | (uint64_t)kind << 60 | (uint64_t)!is_live << 59 |
                (uint64_t)(tie & 0x07ffffff) << 32 | about;
    size_t i = h->n;

    if (!portolan_reserve(&h->heap, &h->room, h->n + 1, sizeof *h->heap)) {
        engine_no_memory(e);
        return false;
    }
    h->n++;
    h->n_live += is_live;
    for (; i > 0 && new < h->heap[(i - 1) / 4]; i = (i - 1) / 4)
        h->heap[i] = h->heap[(i - 1) / 4];
    h->heap[i] = new;
    return true;
}

event events_pop(struct events *h)
{
    event first = h->heap[0], last = h->heap[--h->n];
    size_t i = 0, child;

    while ((child = 4 * i + 1) < h->n) {
        size_t end = child + 4 < h->n ? child + 4 : h->n, least = child;

        for (size_t c = child + 1; c < end; c++)
            least = h->heap[c] < h->heap[least] ? c : least;
        if (last <= h->heap[least])
            break;
        h->heap[i] = h->heap[least];
        i = least;
    }
    h->heap[i] = last;
    return first;
}

uint32_t pool_take(struct pool *p, size_t size)
{
    uint32_t i = p->free;

    if (i)
        memcpy(&p->free, p->items + i * size, sizeof i);
    else {
        if (!portolan_reserve(&p->items, &p->room, p->n + 2, size))
            return 0;
        i = (uint32_t)++p->n;
    }
    memset(p->items + i * size, 0, size);
    return i;
}

/* Blocks of 64, 128, ... bytes, which are used again. */
void *data_take(struct clue_engine *e, uint64_t bytes, uint32_t *size)
{
    unsigned class = bytes <= 64 ? 6 : 64 - (unsigned)__builtin_clzll(bytes - 1);
    void *block;

    if (class >= 32) {
        *size = UINT32_MAX;
        block = malloc(bytes);
    } else {
        *size = class;
        block = e->free_blocks[class];
        if (block)
            memcpy(&e->free_blocks[class], block, sizeof block);
        else
            block = class < 17 ? portolan_arena_alloc(&e->arena, 1, (size_t)1 << class)
                               : malloc((size_t)1 << class);
    }
    if (!block)
        engine_no_memory(e);
    return block;
}

void data_give(struct clue_engine *e, const void *data, uint32_t size)
{
    void *block = (void *)(uintptr_t)data;

    if (size >= 17 || !block) /* beyond the arena's */
        free(block);
    else {
        memcpy(block, &e->free_blocks[size], sizeof block);
        e->free_blocks[size] = block;
    }
}
