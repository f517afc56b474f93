/* SPDX-License-Identifier: BSD-3-Clause */
/* From atomic events to those of a TAU profile. */
#include "tau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "ROOT => CALLER => CALLEE", of the nearest record around ID that is in the profile. */
static const char *path_of(struct portolan_arena *a, const struct tau_nodes *nodes, uint64_t id)
{
    size_t i = 0, n = 0, last = nodes->n - 1;
    const char *path = "", *name;

    while (i < last && nodes->ids[i] != id)
        i++;
    if (nodes->ids[i] != id)
        i = 0;
    for (;; i = (size_t)nodes->nodes[i].above) {
        name = nodes->nodes[i].name;
        if (*name) /* not of a record that is left out */
            path = portolan_arena_printf(a, n++ ? "%s => %s" : "%s%s", name, path);
        if (i == 0 || !path)
            return path;
    }
}

static int compare(const void *a, const void *b)
{
    const struct portolan_tau_event *x = a, *y = b;

    return strcmp(x->name, y->name);
}

/* Names that were different before they were cleaned, and records with one path. */
static void merge(struct tau_events *out)
{
    size_t kept = 0;

    if (out->n)
        qsort(out->events, out->n, sizeof *out->events, compare);
    for (size_t i = 0; i < out->n; i++) {
        struct portolan_tau_event *last = kept ? &out->events[kept - 1] : NULL;
        const struct portolan_tau_event *e = &out->events[i];

        if (!last || compare(last, e)) {
            out->events[kept++] = *e;
            continue;
        }
        last->mean = (last->mean * (double)last->count + e->mean * (double)e->count) /
                     (double)(last->count + e->count);
        last->count += e->count;
        last->max = fmax(last->max, e->max);
        last->min = fmin(last->min, e->min);
        last->sum_squares += e->sum_squares;
    }
    out->n = kept;
}

enum portolan_status tau_events_make(struct tau_events *out, const struct tau_source *source,
                                     uint32_t thread, const struct tau_nodes *nodes,
                                     bool with_paths, struct portolan_error *err)
{
    struct portolan_arena *a = &out->arena;

    out->n = 0;
    out->events = portolan_arena_alloc(a, source->n_events + 1, sizeof *out->events);
    for (size_t i = 0; i < source->n_events && !a->failed; i++) {
        const struct portolan_probe_event_record *e = &source->events[i];
        const char *name;

        if (e->thread != thread || (e->has_record && !with_paths))
            continue;
        name = portolan_tau_name(a, e->name);
        if (name && e->has_record)
            name = portolan_arena_printf(a, "%s : %s", name, path_of(a, nodes, e->record));
        out->events[out->n++] = (struct portolan_tau_event){.name = name,
                                                            .count = e->count,
                                                            .max = e->max,
                                                            .min = e->min,
                                                            .mean = e->mean,
                                                            .sum_squares = e->sum_squares};
    }
    if (a->failed)
        return portolan_no_memory(err);
    merge(out);
    return PORTOLAN_OK;
}
