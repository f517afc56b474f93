/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *a, size_t count, size_t size_bytes)
{
    struct arena_block *block;
    size_t total;

    if (__builtin_mul_overflow(count, size_bytes, &total) ||
        __builtin_add_overflow(total, sizeof *block + 1, &total))
        return NULL;
    if (!(block = portolan_calloc(1, total)))
        return NULL;
    block->next = a->blocks;
    a->blocks = block;
    return block->bytes;
}

void *arena_grow(struct arena *a, void *items, size_t count, size_t *capacity, size_t size_bytes)
{
    size_t more = *capacity ? 2 * *capacity : 16;
    void *bigger;

    if (count < *capacity)
        return items;
    if (!(bigger = arena_alloc(a, more, size_bytes)))
        return NULL;
    if (count)
        memcpy(bigger, items, count * size_bytes);
    *capacity = more;
    return bigger;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !(text = arena_alloc(a, (size_t)length + 1, 1)))
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void arena_clear(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
}
