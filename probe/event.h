/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic events: what triggering and reading share. */
#ifndef PORTOLAN_PROBE_EVENT_H
#define PORTOLAN_PROBE_EVENT_H

#include "internal.h"

/* One event on one thread, as a whole or on one call path. One writer; readers only look. */
struct probe_event_sums {
    uint32_t event;
    const struct portolan_probe_node *node; /* NULL: as a whole */
    uint64_t count;
    double max, min, sum, squares;
    struct probe_event_sums *next; /* in the order they came */
};

/* Of one thread: the list is for readers, the table for who triggers. */
struct probe_events {
    struct probe_event_sums *first, *last;
    struct probe_event_sums **table;
    size_t size, count, paths;
};

/* event.c: adds VALUE to what EVENTS has of EVENT at NODE; false without memory for a new row. */
bool probe_events_add(struct probe_events *events, uint32_t event,
                      const struct portolan_probe_node *node, double value);
/* The rows of helpers' threads; under the lock. */
struct probe_events *probe_events_apart(void);
void probe_events_lock(void);
void probe_events_unlock(void);

#endif
