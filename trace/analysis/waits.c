/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <stdlib.h>

const char *portolan_wait_state_name(enum portolan_wait_state state)
{
    static const char *const names[] = {
#define WAIT_NAME(name, text) text,
        PORTOLAN_WAIT_LIST(WAIT_NAME)
#undef WAIT_NAME
    };

    return (unsigned)state < PORTOLAN_WAIT_STATES ? names[state] : "unknown";
}

/* The first wait of a call from CALL on. */
size_t first_wait_from(const struct portolan_waits *w, size_t low, size_t high, uint32_t call)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (w->waits[middle].call < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct portolan_wait *portolan_waits_of(const struct portolan_waits *waits, uint32_t call,
                                              size_t *n)
{
    size_t at = first_wait_from(waits, 0, waits->n_waits, call);

    for (*n = 0; at + *n < waits->n_waits && waits->waits[at + *n].call == call; ++*n)
        ;
    return *n ? &waits->waits[at] : NULL;
}

void portolan_waits_destroy(struct portolan_waits *waits)
{
    if (!waits)
        return;
    free(waits->waits);
    free(waits->first_wait);
    free(waits->paths);
    free(waits->path);
    free(waits->path_ns);
    free(waits->path_waiting_ns);
    free(waits->delays);
    free(waits);
}
