/* SPDX-License-Identifier: BSD-3-Clause */
#include "index.h"

#include <stdlib.h>

static bool grow(struct index *x)
{
    size_t n_slots = x->n_slots ? 2 * x->n_slots : 1024;
    size_t *slots = portolan_calloc(n_slots, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < x->n; i++) {
        size_t at = x->hash(x->arg, i) & (n_slots - 1);

        while (slots[at])
            at = (at + 1) & (n_slots - 1);
        slots[at] = i + 1;
    }
    free(x->slots);
    x->slots = slots;
    x->n_slots = n_slots;
    return true;
}

bool index_put(struct index *x, size_t i, size_t *at)
{
    size_t slot;

    if (2 * x->n >= x->n_slots && !grow(x))
        return false;
    slot = x->hash(x->arg, i) & (x->n_slots - 1);
    for (; x->slots[slot]; slot = (slot + 1) & (x->n_slots - 1))
        if (x->same(x->arg, x->slots[slot] - 1, i)) {
            *at = x->slots[slot] - 1;
            return true;
        }
    x->slots[slot] = ++x->n;
    *at = i;
    return true;
}
