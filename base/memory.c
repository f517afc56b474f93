/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that can be made to run out, for tests; arenas. */
#include <portolan/list.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Allocations left until one fails; 0 = never. */
static atomic_ulong fail_countdown;

void portolan_alloc_fail_at(unsigned long count)
{
    atomic_store(&fail_countdown, count);
}

static bool alloc_fails_now(void)
{
    unsigned long left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

    return left != 0 && atomic_fetch_sub(&fail_countdown, 1) == 1;
}

void *portolan_calloc(size_t count, size_t size)
{
    size_t bytes;

    /* Checked here too: under a sanitizer calloc(3) ends the program instead of refusing. */
    if (__builtin_mul_overflow(count, size, &bytes) || alloc_fails_now())
        return NULL;
    return calloc(count, size);
}

void *portolan_reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || alloc_fails_now())
        return NULL;
    return realloc(old, bytes ? bytes : 1);
}

/* ARRAY is the address of a pointer of any type. */
static void *pointer_at(const void *array)
{
    void *pointer;

    memcpy(&pointer, array, sizeof pointer);
    return pointer;
}

bool portolan_reserve(void *array, size_t *capacity, size_t n, size_t size)
{
    size_t wanted = *capacity ? 2 * *capacity : 16;
    void *wider;

    if (n <= *capacity)
        return true;
    if (wanted < n)
        wanted = n;
    if (!(wider = portolan_reallocarray(pointer_at(array), wanted, size)))
        return false;
    memcpy(array, &wider, sizeof wider);
    *capacity = wanted;
    return true;
}

/* ITEMS is the address of a pointer of any type, which is set to WIDER. */
static void *add_item(void *items, void *wider, size_t *count, const void *item, size_t size)
{
    if (!wider)
        return NULL;
    memcpy(items, &wider, sizeof wider);
    return memcpy((char *)wider + (*count)++ * size, item, size);
}

void *portolan_append(void *items, size_t *count, const void *item, size_t size)
{
    void *wider = portolan_reallocarray(pointer_at(items), *count + 1, size);

    return add_item(items, wider, count, item, size);
}

char *portolan_strdup(const char *text)
{
    size_t size;
    char *copy;

    if (!text)
        return NULL;
    size = strlen(text) + 1;
    copy = portolan_calloc(size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

void portolan_clean_text(char *text, const char *kept)
{
    for (unsigned char *at = (unsigned char *)text; at && *at; at++)
        if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
            at[0] = at[1] = ' ';
        else if ((at[0] < ' ' || at[0] == 0x7f) && !strchr(kept, at[0]))
            at[0] = ' ';
}

char *portolan_asprintf(const char *format, ...)
{
    va_list args, again;
    char *text = NULL;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && (text = portolan_calloc((size_t)length + 1, 1)))
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

enum { FIRST_BLOCK_BYTES = 4096, MOST_BLOCK_BYTES = 65536, FIRST_ITEMS = 4 };

struct portolan_arena_block {
    struct portolan_arena_block *older;
    alignas(max_align_t) char bytes[];
};

static void *out_of_memory(struct portolan_arena *a)
{
    a->failed = true;
    if (a->no_memory)
        a->no_memory(a->no_memory_arg);
    return NULL;
}

/* Memory from a new block. Later allocations use the block with more room left. */
static void *alloc_in_new_block(struct portolan_arena *a, size_t bytes)
{
    struct portolan_arena_block *block;
    size_t room = a->block_bytes ? 2 * a->block_bytes : FIRST_BLOCK_BYTES, total;

    room = room < MOST_BLOCK_BYTES ? room : MOST_BLOCK_BYTES;
    a->block_bytes = room;
    room = room < bytes ? bytes : room;
    if (__builtin_add_overflow(room, sizeof *block, &total) || !(block = calloc(1, total)))
        return out_of_memory(a);
    block->older = a->blocks;
    a->blocks = block;
    if (room - bytes > a->left) {
        a->next = block->bytes + bytes;
        a->left = room - bytes;
    }
    return block->bytes;
}

void *portolan_arena_alloc(struct portolan_arena *a, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t bytes;
    void *memory;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2 || alloc_fails_now())
        return out_of_memory(a);
    bytes = bytes ? (bytes + align - 1) / align * align : align;
    if (bytes > a->left)
        return alloc_in_new_block(a, bytes);
    memory = a->next;
    a->next += bytes;
    a->left -= bytes;
    return memory;
}

void *portolan_arena_grow(struct portolan_arena *a, void *items, size_t count, size_t size)
{
    void *wider;

    if (count && (!items || count < FIRST_ITEMS || (count & (count - 1))))
        return items;
    if (count > SIZE_MAX / 2)
        return out_of_memory(a);
    wider = portolan_arena_alloc(a, count ? 2 * count : FIRST_ITEMS, size);
    if (wider && items)
        memcpy(wider, items, count * size);
    return wider;
}

void *portolan_arena_append(struct portolan_arena *a, void *items, size_t *count, const void *item,
                            size_t size)
{
    void *wider = portolan_arena_grow(a, pointer_at(items), *count, size);

    return add_item(items, wider, count, item, size);
}

char *portolan_arena_strndup(struct portolan_arena *a, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? portolan_arena_alloc(a, length + 1, 1) : out_of_memory(a);

    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *portolan_arena_strdup(struct portolan_arena *a, const char *text)
{
    return portolan_arena_strndup(a, text, strlen(text));
}

char *portolan_arena_vprintf(struct portolan_arena *a, const char *format, va_list args)
{
    char start[200], *text; /* most texts fit: they are formatted once */
    va_list again;
    int length;

    va_copy(again, args);
    length = vsnprintf(start, sizeof start, format, again);
    va_end(again);
    text = length < 0 ? out_of_memory(a) : portolan_arena_alloc(a, (size_t)length + 1, 1);
    if (text && (size_t)length < sizeof start)
        memcpy(text, start, (size_t)length + 1);
    else if (text)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *portolan_arena_printf(struct portolan_arena *a, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

void portolan_arena_clear(struct portolan_arena *a)
{
    while (a->blocks) {
        struct portolan_arena_block *older = a->blocks->older;

        free(a->blocks);
        a->blocks = older;
    }
    a->next = NULL;
    a->left = 0;
    a->block_bytes = 0;
    a->failed = false;
}
