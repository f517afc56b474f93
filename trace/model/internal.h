/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace while it is built. */
#ifndef TRACE_MODEL_INTERNAL_H
#define TRACE_MODEL_INTERNAL_H

#include <portolan/index.h>
#include <portolan/trace.h>

/* Events as they are added, in blocks that are freed while the trace is put together, so that a
 * large trace is never in memory twice. */
struct event_block {
    struct event_block *next;
    size_t n, room;
    struct portolan_trace_event events[];
};

struct event_blocks {
    struct event_block *first, *last;
    size_t n;
    bool is_unordered; /* a time was less than the one before */
};

/* Tables that have an index: those of the trace, and locations. */
enum { LOCATIONS = PORTOLAN_TRACE_TABLES, TRACE_TABLES };

struct trace_builder {
    struct portolan_trace trace; /* the public part, which must be first */
    struct portolan_arena arena;
    struct portolan_index index[TRACE_TABLES];
    size_t room[TRACE_TABLES];
    struct event_blocks *blocks; /* by location; NULL when the trace is finished */
    size_t blocks_room;
    size_t latest; /* the location that was found last */
};

void trace_free_blocks(struct event_blocks *blocks);

#endif
