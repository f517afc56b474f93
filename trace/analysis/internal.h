/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the analysis share. */
#ifndef TRACE_ANALYSIS_INTERNAL_H
#define TRACE_ANALYSIS_INTERNAL_H

#include <portolan/waits.h>

static const uint32_t no_event = PORTOLAN_NO_EVENT;

/* The class of the routine of the call that CALL, a BEGIN, begins; OTHER for none. */
static inline enum portolan_trace_routine_class call_class(const struct portolan_matching *m,
                                                           uint32_t call)
{
    return call == no_event
               ? PORTOLAN_ROUTINE_OTHER
               : (enum portolan_trace_routine_class)m->classes[m->trace->events[call].what];
}

/* The call (its BEGIN) that E, which lies in one, belongs to. */
static inline uint32_t call_at(const struct portolan_matching *m, uint32_t e)
{
    return m->trace->events[e].kind == PORTOLAN_TRACE_BEGIN ? e : m->call[e];
}

/* ------------------------------------------------- matching */

/* links.c: fills in `call` and `other`. False: no memory. */
bool link_operations(struct portolan_matching *m);
/* messages.c: fills in `partner` of messages and accesses, and their counts. */
bool match_messages(struct portolan_matching *m);
/* collectives.c: fills in `collectives`, `members` and `partner` of their events. */
bool match_collectives(struct portolan_matching *m);
/* collectives.c: the position of RANK among the matching's members; none: it has no part. */
uint32_t collective_slot(const struct portolan_matching *m, const struct portolan_collective *c,
                         int rank);

/* logical_clock.c: moves receives that come before their sends. False: no memory. */
bool correct_logically(struct portolan_trace *t, const struct portolan_matching *m,
                       const uint32_t *clock_of);

/* ------------------------------------------------- waits */

/* While waits are looked for, location by location. */
struct wait_finder {
    const struct portolan_trace *t;
    const struct portolan_matching *m;
    struct portolan_waits *w;
    struct portolan_arena arena;
    size_t room;
    int rank;
    uint32_t first;           /* event of the location */
    uint8_t *late_states;     /* of its calls: which kind of late sender it would be */
    uint32_t *last_transfers; /* towards each member of a window's meeting, before it: the call */
    uint32_t *starts;         /* call of the present MPI_Win_start of each window, + 1 */
    bool no_memory;
};

/* A call that may have waited. Of polls, waiting begins with the first. */
struct waiting_call {
    uint32_t call, from;
    int64_t begin_ns, end_ns;
    bool is_polling;
};

static inline int64_t begin_ns(const struct wait_finder *f, uint32_t call)
{
    return f->t->events[call].ns;
}

/* *LAST becomes CALL if that, which may be none, began later. */
static inline void take_later(const struct wait_finder *f, uint32_t call, uint32_t *last)
{
    if (call != no_event && (*last == no_event || begin_ns(f, call) > begin_ns(f, *last)))
        *last = call;
}

/* wait_states.c: CALL waited from BEGIN_NS until UNTIL_NS, when call BY ended that: noted if it is
 * more than nothing. Time beyond the call's end does not count. */
void note_wait(struct wait_finder *f, const struct waiting_call *call,
               enum portolan_wait_state state, uint32_t by, int64_t begin_ns, int64_t until_ns);
/* wait_windows.c: prepares for what events of windows say, in the arena, which may fail. */
void find_transfers(struct wait_finder *f);
/* wait_windows.c: event E of CALL is an EPOCH or a TRANSFER. */
void find_window_wait(struct wait_finder *f, const struct waiting_call *call, uint32_t e);
/* wait_states.c: fills in `waits`, `first_wait` and `state_ns`. False: no memory. */
bool find_waits(struct wait_finder *f);
/* waits.c: the first of waits LOW to HIGH whose call is CALL or later; HIGH: none. */
size_t first_wait_from(const struct portolan_waits *w, size_t low, size_t high, uint32_t call);

/* ------------------------------------------------- paths and causes */

/* paths.c: fills in `paths` and `path`. False: no memory. */
bool find_paths(struct portolan_waits *w);
/* paths.c: fills in the times of paths, when the waits are known. */
bool sum_paths(struct portolan_waits *w);
/* paths.c: adds SIGN times what lies between FROM_NS and END_NS, in or after event E and not after
 * event LAST has ended, to the paths it lies in. */
void add_stretch(const struct portolan_waits *w, uint32_t e, uint32_t last, int64_t from_ns,
                 int64_t end_ns, int64_t sign, int64_t *by_path, size_t stride);
/* paths.c: the same for the waiting of WAIT. */
void add_waiting(const struct portolan_waits *w, const struct portolan_wait *wait, int64_t sign,
                 int64_t *by_path, size_t stride);
/* Between which moments a wait and its cause are looked at. */
struct wait_interval {
    uint32_t own_from, by_from; /* events of the rank that waited, and of that which caused it */
    int64_t from_ns;
};

/* intervals.c: *ORDER: of waits, each after those that it depends on; *INTERVALS: of each wait,
 * since both ranks met last. In the arena. False: no memory. */
bool find_intervals(const struct portolan_waits *w, struct portolan_arena *arena, uint32_t **order,
                    struct wait_interval **intervals);
/* ------------------------------------------------- profile.c: how long where in which path */

/* A moment of a location: the time NS, which lies in or after event `at`. */
struct moment {
    uint32_t at;
    int64_t ns;
};

/* Sums from the begin of each location on, noted every so many events: long stretches cost no more
 * than short ones. */
struct path_profile {
    const struct portolan_waits *w;
    size_t every, n_sums;
    int64_t *sums, *waiting_sums; /* [sum * n_paths + path] */
    size_t *first_sum;            /* of each location */
};

/* In ARENA, which may fail: then it must not be used. */
void profile_prepare(struct path_profile *p, struct portolan_arena *arena,
                     const struct portolan_waits *w);

/* Times by path, and the paths that have some. */
struct path_times {
    int64_t *ns;
    uint32_t *paths;
    size_t n_paths;
    bool *has;
};
void path_times_prepare(struct path_times *x, struct portolan_arena *arena, size_t n_paths);
void path_times_empty(struct path_times *x);

/* Adds SIGN times the time of LOCATION between FROM and TO. */
void profile_add(const struct path_profile *p, size_t location, struct moment from,
                 struct moment to, int64_t sign, struct path_times *x);
/* Subtracts what waits FIRST to END of LOCATION, all of those between two moments, waited. */
void profile_subtract_waits(const struct path_profile *p, size_t location, size_t first, size_t end,
                            struct path_times *x);

/* ------------------------------------------------- what waits cause */

/* causes.c: fills in `delays`, and of waits what their causes are. False: no memory. */
bool find_causes(struct portolan_waits *w);
/* critical_path.c: fills in what paths have on the critical path. False: no memory. */
bool find_critical_path(struct portolan_waits *w);

#endif
