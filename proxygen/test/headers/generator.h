/* SPDX-License-Identifier: BSD-3-Clause */
/* A shared table whose functions never get it: they know their state only. */
#ifndef GENERATOR_H
#define GENERATOR_H

#include <stddef.h>

typedef struct {
    const char *name;
    size_t size;
    void (*set)(void *state, unsigned long seed);
    unsigned long (*get)(void *state);
    double (*get_double)(void *state);
    void (*free)(void *state);
} generator_type;

#endif
