/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the critical path, from the last event backwards: where a location waited, the path
 * continues in the location that ended the waiting.
 */
#include "internal.h"

#include <stdlib.h>

/* Returns the last wait of location I that ended by then; NULL: none. */
static const struct portolan_wait *wait_before(const struct portolan_waits *w, size_t i,
                                               uint32_t at, int64_t ns)
{
    size_t k = first_wait_from(w, w->first_wait[i], w->first_wait[i + 1], at + 1);

    while (k-- > w->first_wait[i])
        if (w->waits[k].begin_ns + w->waits[k].ns <= ns)
            return &w->waits[k];
    return NULL;
}

bool find_critical_path(struct portolan_waits *w)
{
    const struct portolan_trace *t = w->trace;
    int64_t *critical = portolan_calloc(w->n_paths + 1, sizeof *critical);
    size_t i = 0, n = t->n_locations;
    uint32_t at = 0;
    int64_t ns = -1;

    for (size_t k = 0; k < n; k++) {
        size_t last = t->locations[k].first + t->locations[k].n - 1;

        if (t->locations[k].n && t->events[last].ns > ns) {
            i = k;
            at = (uint32_t)last;
            ns = t->events[last].ns;
        }
    }
    /* There are at most as many steps as waits, also if the clocks make them go in a circle. */
    for (size_t k = 0; critical && ns >= 0 && k <= w->n_waits; k++) {
        const struct portolan_wait *wait = wait_before(w, i, at, ns);
        uint32_t from = wait ? wait->call : (uint32_t)t->locations[i].first;
        int64_t from_ns = wait ? wait->begin_ns + wait->ns : t->events[from].ns;

        add_stretch(w, from, at, from_ns, ns, 1, critical, 1);
        if (!wait)
            break;
        at = wait->by;
        ns = from_ns;
        i = portolan_trace_location_of(t, at);
    }
    for (size_t p = 0; critical && p < w->n_paths; p++) {
        double over = (double)critical[p] - (double)w->paths[p].ns / (double)(n ? n : 1);

        w->paths[p].critical_ns = critical[p];
        w->paths[p].critical_imbalance_ns = over > 0 ? over : 0;
    }
    free(critical);
    return critical;
}
