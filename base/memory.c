/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <portolan/base.h>

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

bool portolan_alloc_fails_now(void)
{
    unsigned long left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

    return left != 0 && atomic_fetch_sub(&fail_countdown, 1) == 1;
}

void *portolan_calloc(size_t count, size_t size)
{
    size_t bytes;

    /* Checked here too: under a sanitizer calloc(3) ends the program instead of refusing. */
    if (__builtin_mul_overflow(count, size, &bytes) || portolan_alloc_fails_now())
        return NULL;
    return calloc(count, size);
}

void *portolan_reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || portolan_alloc_fails_now())
        return NULL;
    return realloc(old, bytes ? bytes : 1);
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
