/* SPDX-License-Identifier: BSD-3-Clause */
/* What the correction of clocks shares: which events of collectives come before which. */
#ifndef TRACE_ANALYSIS_CLOCKS_H
#define TRACE_ANALYSIS_CLOCKS_H

#include "internal.h"

/* In a collective, nobody who receives leaves before all who send have entered. */
enum meeting_kind { MEETING_NONE, MEETING_ALL, MEETING_FROM_ROOT, MEETING_TO_ROOT };

/* NONE: it is incomplete, or does not hold them up surely (where amounts differ, some are 0). */
enum meeting_kind meeting_kind_of(const struct portolan_matching *m,
                                  const struct portolan_collective *c);

static inline bool meeting_sends(enum meeting_kind kind, bool is_root)
{
    return kind == MEETING_ALL || (kind == MEETING_FROM_ROOT ? is_root : !is_root);
}

static inline bool meeting_receives(enum meeting_kind kind, bool is_root)
{
    return kind == MEETING_ALL || (kind == MEETING_TO_ROOT ? is_root : !is_root);
}

/* The events by which a member, event E of kind COLLECTIVE, enters and leaves; none: not known. */
static inline uint32_t meeting_enter(const struct portolan_matching *m, uint32_t e)
{
    return m->trace->events[e].request ? e : m->call[e];
}

static inline uint32_t meeting_leave(const struct portolan_matching *m, uint32_t e)
{
    return m->trace->events[e].request ? m->other[e] : m->call[m->call[e]];
}

/* logical_clock.c: moves events that come before what they wait for. False: no memory. */
bool correct_logically(struct portolan_trace *t, const struct portolan_matching *m,
                       const uint32_t *clock_of);

#endif
