/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * One arena per compile run. Running out of memory leaves through a longjmp to whoever set
 * `out_of_memory`, so that no caller between has to test anything; nothing but arena memory may be
 * held across a call.
 */
#ifndef SIDL_ARENA_H
#define SIDL_ARENA_H

#include <portolan/base.h>

#include <setjmp.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    char *next;
    size_t left;
    jmp_buf out_of_memory;
};

void arena_release(struct arena *a);
/* Zeroed. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_copy(struct arena *a, const char *text, size_t length);
char *arena_printf(struct arena *a, const char *format, ...) PORTOLAN_PRINTF(2, 3);
/* LIST with room for one more than COUNT items of SIZE; moves at every power of two. */
void *arena_grow(struct arena *a, void *list, size_t count, size_t size);

/* Appends ITEM to the array LIST of N. */
#define ARENA_PUSH(A, LIST, N, ...)                                                                \
    ((LIST) = arena_grow((A), (LIST), (N), sizeof *(LIST)), (LIST)[(N)++] = __VA_ARGS__)

/* Text that grows. */
struct text {
    struct arena *arena;
    char *bytes;
    size_t length;
    size_t room;
};

void text_add(struct text *t, const char *format, ...) PORTOLAN_PRINTF(2, 3);
void text_add_bytes(struct text *t, const char *bytes, size_t length);

#endif
