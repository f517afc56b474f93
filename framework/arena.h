/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is freed at once: what a reader makes of a file lives and dies together. */
#ifndef PORTOLAN_FRAMEWORK_ARENA_H
#define PORTOLAN_FRAMEWORK_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Start it as {0}. */
struct arena {
    struct arena_chunk *chunks;
};

/* Zeroed, aligned for anything; NULL when memory is out or the product overflows. */
void *arena_calloc(struct arena *a, size_t count, size_t size);
char *arena_strndup(struct arena *a, const char *text, size_t length);
char *arena_strdup(struct arena *a, const char *text);
void arena_clear(struct arena *a);

#endif
