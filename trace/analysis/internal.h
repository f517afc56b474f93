/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the analysis share. */
#ifndef TRACE_ANALYSIS_INTERNAL_H
#define TRACE_ANALYSIS_INTERNAL_H

#include <portolan/waits.h>

static const uint32_t no_event = PORTOLAN_NO_EVENT;

/* The class of the routine of the call that CALL, a BEGIN, begins; OTHER for none. */
static inline enum portolan_trace_routine_class
call_class(const struct portolan_trace *t, const struct portolan_matching *m, uint32_t call)
{
    return call == no_event ? PORTOLAN_ROUTINE_OTHER
                            : (enum portolan_trace_routine_class)m->classes[t->events[call].what];
}

/* links.c: fills in `call` and `other`. False: no memory. */
bool link_operations(const struct portolan_trace *t, struct portolan_matching *m);
/* messages.c: fills in `partner` of messages and accesses, and their counts. */
bool match_messages(const struct portolan_trace *t, struct portolan_matching *m);
/* collectives.c: fills in `collectives`, `members` and `partner` of their events. */
bool match_collectives(const struct portolan_trace *t, struct portolan_matching *m);
/* waits.c: the first of waits LOW to HIGH whose call is CALL or later; HIGH: none. */
size_t first_wait_from(const struct portolan_waits *w, size_t low, size_t high, uint32_t call);

#endif
