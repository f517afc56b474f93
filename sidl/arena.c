/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct arena_block {
    struct arena_block *older;
    max_align_t bytes[];
};

void arena_release(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *older = a->blocks->older;

        free(a->blocks);
        a->blocks = older;
    }
    a->next = NULL;
    a->left = 0;
}

static void new_block(struct arena *a, size_t size)
{
    struct arena_block *block;

    if (size > SIZE_MAX / 2 || !(block = portolan_calloc(1, sizeof *block + size)))
        longjmp(a->out_of_memory, 1);
    block->older = a->blocks;
    a->blocks = block;
    a->next = (char *)block->bytes;
    a->left = size;
}

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    void *memory;

    if (size > SIZE_MAX / 4)
        longjmp(a->out_of_memory, 1);
    size = (size + align - 1) / align * align;
    if (size > a->left)
        new_block(a, size > BLOCK_SIZE ? size : BLOCK_SIZE);
    memory = a->next;
    a->next += size;
    a->left -= size;
    return memory;
}

char *arena_copy(struct arena *a, const char *text, size_t length)
{
    char *copy = arena_alloc(a, length + 1);

    memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args, again;
    char *text;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = arena_alloc(a, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *arena_grow(struct arena *a, void *list, size_t count, size_t size)
{
    void *wider;

    if (count & (count - 1))
        return list;
    wider = arena_alloc(a, (count ? 2 * count : 1) * size);
    if (count)
        memcpy(wider, list, count * size);
    return wider;
}

void text_add_bytes(struct text *t, const char *bytes, size_t length)
{
    if (t->length + length + 1 > t->room) {
        size_t room = 2 * (t->length + length) + 1024;
        char *wider = arena_alloc(t->arena, room);

        if (t->length)
            memcpy(wider, t->bytes, t->length);
        t->bytes = wider;
        t->room = room;
    }
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

void text_add(struct text *t, const char *format, ...)
{
    char small[512];
    va_list args, again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof small) {
        text_add_bytes(t, small, (size_t)length);
    } else if (length > 0) {
        char *large = arena_alloc(t->arena, (size_t)length + 1);

        vsnprintf(large, (size_t)length + 1, format, again);
        text_add_bytes(t, large, (size_t)length);
    }
    va_end(again);
}
