/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions in an array by what stands there: a hash table beside the array. */
#ifndef PORTOLAN_PROFILE_INDEX_H
#define PORTOLAN_PROFILE_INDEX_H

#include <portolan/base.h>

/* Start as {0} with the three functions' ARG set; free `slots` at the end. */
struct index {
    const void *arg;
    uint64_t (*hash)(const void *arg, size_t i);
    bool (*same)(const void *arg, size_t i, size_t k);
    size_t *slots, n_slots, n; /* positions + 1; 0 is empty */
};

/*
 * *AT: the position of an item like the one at I, which stands behind all others; I itself when
 * there is none, and then it is in. False without memory.
 */
bool index_put(struct index *x, size_t i, size_t *at);

#endif
