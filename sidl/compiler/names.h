/* SPDX-License-Identifier: BSD-3-Clause */
/** Tables from names to what they mean, so that no check compares all names with all. */
#ifndef SIDL_NAMES_H
#define SIDL_NAMES_H

#include "arena.h"

struct name;

/* Start it as {.arena = …}. */
struct names {
    struct portolan_arena *arena;
    struct name *table;
    size_t round; /* entries of older rounds do not count */
};

/* Forgets all names, at no cost. */
void names_clear(struct names *n);

/*
 * Where the meaning of TEXT is kept: holds NULL when it is new. TEXT is copied; LENGTH bytes of it
 * count.
 */
const void **names_add(struct names *n, const char *text, size_t length);

/* The meaning of TEXT, or NULL. */
const void *names_find(const struct names *n, const char *text, size_t length);

#endif
