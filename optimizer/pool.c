/* SPDX-License-Identifier: BSD-3-Clause */
#include "pool.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool_block {
    struct pool_block *next;
    alignas(max_align_t) char bytes[];
};

void *pool_alloc(struct pool *a, size_t count, size_t size_bytes)
{
    struct pool_block *block;
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

void *pool_grow(struct pool *a, void *items, size_t count, size_t *capacity, size_t size_bytes)
{
    size_t more = *capacity ? 2 * *capacity : 16;
    void *bigger;

    if (count < *capacity)
        return items;
    if (!(bigger = pool_alloc(a, more, size_bytes)))
        return NULL;
    if (count)
        memcpy(bigger, items, count * size_bytes);
    *capacity = more;
    return bigger;
}

char *pool_printf(struct pool *a, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !(text = pool_alloc(a, (size_t)length + 1, 1)))
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void pool_clear(struct pool *a)
{
    while (a->blocks) {
        struct pool_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
}
