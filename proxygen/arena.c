/* SPDX-License-Identifier: BSD-3-Clause */
#include "proxygen_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    max_align_t bytes[];
};

void *proxygen_alloc(struct arena *arena, size_t size_bytes)
{
    struct arena_block *block = NULL;

    if (size_bytes < SIZE_MAX - sizeof *block)
        block = portolan_calloc(1, sizeof *block + size_bytes);
    if (!block) {
        arena->failed = true;
        return NULL;
    }
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

const char *proxygen_print(struct arena *arena, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = length < 0 ? NULL : proxygen_alloc(arena, (size_t)length + 1);
    if (!text) {
        arena->failed = true;
        return "";
    }
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void *proxygen_grow(struct arena *arena, const void *items, size_t count, size_t size_bytes)
{
    size_t capacity = 4;

    /* Capacity is the next power of two from 4, so it needs no place to be kept. */
    while (capacity < count)
        capacity *= 2;
    if (items && count < capacity)
        return (void *)items;
    char *bigger = proxygen_alloc(arena, (items ? 2 * capacity : capacity) * size_bytes);
    if (bigger && count)
        memcpy(bigger, items, count * size_bytes);
    return bigger;
}

void proxygen_arena_clear(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
    arena->failed = false;
}

void proxygen_add(struct text *text, const char *format, ...)
{
    va_list args;
    int length;

    if (text->failed)
        return;
    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (text->length + (size_t)length + 1 > text->capacity) {
        size_t capacity = 2 * (text->length + (size_t)length + 1);
        char *bytes = portolan_reallocarray(text->bytes, capacity, 1);

        if (!bytes) {
            text->failed = true;
            return;
        }
        text->bytes = bytes;
        text->capacity = capacity;
    }
    va_start(args, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void proxygen_add_template(struct text *text, const char *name, const char *template)
{
    while (*template) {
        size_t plain = strcspn(template, "$");

        proxygen_add(text, "%.*s%s", (int)plain, template, template[plain] ? name : "");
        template += plain + (template[plain] != '\0');
    }
}

void proxygen_text_clear(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}
