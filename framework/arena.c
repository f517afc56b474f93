/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <portolan/base.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 8192 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

static struct arena_chunk *add_chunk(struct arena *a, size_t at_least)
{
    size_t size = at_least > CHUNK_BYTES ? at_least : CHUNK_BYTES;
    struct arena_chunk *c;

    if (size > SIZE_MAX - sizeof *c || !(c = portolan_calloc(1, sizeof *c + size)))
        return NULL;
    c->size = size;
    c->next = a->chunks;
    a->chunks = c;
    return c;
}

void *arena_calloc(struct arena *a, size_t count, size_t size)
{
    struct arena_chunk *c = a->chunks;
    size_t bytes;
    void *p;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - alignof(max_align_t))
        return NULL;
    bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if ((!c || c->size - c->used < bytes) && !(c = add_chunk(a, bytes)))
        return NULL;
    p = c->bytes + c->used;
    c->used += bytes;
    return p;
}

char *arena_strndup(struct arena *a, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? arena_calloc(a, length + 1, 1) : NULL;

    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_strndup(a, text, strlen(text));
}

void arena_clear(struct arena *a)
{
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;

        free(a->chunks);
        a->chunks = next;
    }
}
