/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <portolan/list.h>

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

/* Returns the first wait of a call from CALL on. */
size_t first_wait_from(const struct portolan_waits *w, size_t low, size_t high, uint32_t call)
{
    PORTOLAN_BISECT(low, high, w->waits[middle].call < call);
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
    free(waits->paths);
    portolan_arena_clear(&waits->arena);
    free(waits);
}

static void find_times(struct portolan_waits *w)
{
    const struct portolan_trace *t = w->trace;

    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];

        if (!l->n)
            continue;
        if (t->events[l->first + l->n - 1].ns > w->run_ns)
            w->run_ns = t->events[l->first + l->n - 1].ns;
        if (i && l[-1].rank == l->rank) { /* a further thread of the rank */
            w->n_threads++;
            w->all_ns += t->events[l->first + l->n - 1].ns - t->events[l->first].ns;
        }
    }
    w->all_ns += w->run_ns * t->n_ranks;
}

enum portolan_status portolan_waits_create(const struct portolan_matching *matching,
                                           struct portolan_waits **waits,
                                           struct portolan_error *err)
{
    const struct portolan_trace *trace = matching->trace;
    struct portolan_waits *w = portolan_calloc(1, sizeof *w);
    struct wait_finder f = {.t = trace, .m = matching, .w = w};

    *waits = NULL;
    if (!w)
        return portolan_no_memory(err);
    w->trace = trace;
    w->matching = matching;
    find_times(w);
    if (!find_waits(&f) || !find_paths(w) || !sum_paths(w) || !find_causes(w) ||
        !find_critical_path(w)) {
        portolan_waits_destroy(w);
        return portolan_no_memory(err);
    }
    *waits = w;
    return PORTOLAN_OK;
}
