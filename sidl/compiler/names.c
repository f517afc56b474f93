/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include <string.h>

/* The tables lie in the arena of the function's N, are freed with it, and leave as it does. */
#define uthash_malloc(size)       portolan_arena_alloc(n->arena, 1, (size))
#define uthash_free(memory, size) ((void)(memory), (void)(size))
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    const void *meaning;
    size_t round;
};

void names_clear(struct names *n)
{
    n->round++;
}

const void **names_add(struct names *n, const char *text, size_t length)
{
    struct name *name;

    HASH_FIND(hh, n->table, text, length, name);
    if (!name) {
        const char *copy = portolan_arena_strndup(n->arena, text, length);

        name = portolan_arena_alloc(n->arena, 1, sizeof *name);
        name->round = n->round;
        HASH_ADD_KEYPTR(hh, n->table, copy, length, name);
    }
    if (name->round != n->round) {
        name->round = n->round;
        name->meaning = NULL;
    }
    return &name->meaning;
}

const void *names_find(const struct names *n, const char *text, size_t length)
{
    const struct name *name;

    HASH_FIND(hh, n->table, text, length, name);
    return name && name->round == n->round ? name->meaning : NULL;
}
