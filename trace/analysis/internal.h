/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the analysis. */
#ifndef TRACE_ANALYSIS_INTERNAL_H
#define TRACE_ANALYSIS_INTERNAL_H

#include <portolan/waits.h>

static const uint32_t no_event = PORTOLAN_NO_EVENT;

/* Returns the class of the routine of the call that CALL, a BEGIN, begins; OTHER for none. */
static inline enum portolan_trace_routine_class call_class(const struct portolan_matching *m,
                                                           uint32_t call)
{
    return call == no_event
               ? PORTOLAN_ROUTINE_OTHER
               : (enum portolan_trace_routine_class)m->classes[m->trace->events[call].what];
}

/* Returns the call (its BEGIN) in which E is. */
static inline uint32_t call_at(const struct portolan_matching *m, uint32_t e)
{
    return m->trace->events[e].kind == PORTOLAN_TRACE_BEGIN ? e : m->call[e];
}

/* ------------------------------------------------- matching */

/* pair_events.c: fills in `call` and `other`. False: no memory. */
bool link_operations(struct portolan_matching *m);
/* messages.c: fills in `partner` of messages and accesses, and their counts. */
bool match_messages(struct portolan_matching *m);
/* collectives.c: fills in `collectives`, `members` and `partner` of their events. */
bool match_collectives(struct portolan_matching *m);
/* collectives.c: returns the index of RANK among the matching's members; none: it takes no part. */
uint32_t collective_slot(const struct portolan_matching *m, const struct portolan_collective *c,
                         int rank);

/* logical_clock.c: moves receives that are earlier than their sends. False: no memory. */
bool correct_logically(struct portolan_trace *t, const struct portolan_matching *m,
                       const uint32_t *clock_of);

/* ------------------------------------------------- waits */

/* The state while waits are looked for, one location after the other. */
struct wait_finder {
    const struct portolan_trace *t;
    const struct portolan_matching *m;
    struct portolan_waits *w;
    struct portolan_arena arena;
    size_t room;
    int rank;
    uint32_t first;           /* first event of the location */
    uint8_t *late_states;     /* by call: which kind of late sender it would be */
    uint32_t *last_transfers; /* call of the last transfer to each member of a window, before it */
    uint32_t *starts;         /* call + 1 of the present MPI_Win_start of each window */
    bool no_memory;
};

/* A call that may have waited. For polls, waiting begins with the first. */
struct waiting_call {
    uint32_t call, from;
    int64_t begin_ns, end_ns;
    bool is_polling;
};

static inline int64_t begin_ns(const struct wait_finder *f, uint32_t call)
{
    return f->t->events[call].ns;
}

/* Sets *LAST to CALL if that began later; CALL may be none. */
static inline void take_later(const struct wait_finder *f, uint32_t call, uint32_t *last)
{
    if (call != no_event && (*last == no_event || begin_ns(f, call) > begin_ns(f, *last)))
        *last = call;
}

/* wait_states.c: notes that CALL waited from BEGIN_NS until UNTIL_NS, when call BY ended the
 * waiting, if that is more than nothing. Time beyond the call's end does not count. */
void note_wait(struct wait_finder *f, const struct waiting_call *call,
               enum portolan_wait_state state, uint32_t by, int64_t begin_ns, int64_t until_ns);
/* wait_windows.c: prepares for events of windows, in the arena, which may fail. */
void find_transfers(struct wait_finder *f);
/* wait_windows.c: finds the wait of CALL whose event E is an EPOCH or a TRANSFER. */
void find_window_wait(struct wait_finder *f, const struct waiting_call *call, uint32_t e);
/* wait_states.c: fills in `waits`, `first_wait` and `state_ns`. False: no memory. */
bool find_waits(struct wait_finder *f);
/* waits.c: returns the first of waits LOW to HIGH whose call is CALL or later; HIGH: none. */
size_t first_wait_from(const struct portolan_waits *w, size_t low, size_t high, uint32_t call);

/* ------------------------------------------------- paths and causes */

/* paths.c: fills in `paths` and `path`. False: no memory. */
bool find_paths(struct portolan_waits *w);
/* paths.c: fills in the times of paths, after the waits are known. */
bool sum_paths(struct portolan_waits *w);
/* paths.c: adds SIGN times the time between FROM_NS and END_NS (in or after event E, and not after
 * event LAST has ended) to the paths that it is in. */
void add_stretch(const struct portolan_waits *w, uint32_t e, uint32_t last, int64_t from_ns,
                 int64_t end_ns, int64_t sign, int64_t *by_path, size_t stride);
/* paths.c: does the same for the waiting of WAIT. */
void add_waiting(const struct portolan_waits *w, const struct portolan_wait *wait, int64_t sign,
                 int64_t *by_path, size_t stride);
/* The interval in which a wait and its cause are compared. */
struct wait_interval {
    uint32_t own_from, by_from; /* first events of the rank that waited, and of the cause */
    int64_t from_ns;
};

/* intervals.c: finds *ORDER, in which each wait follows those that it depends on, and *INTERVALS,
 * which begin for each wait where both ranks met last. In the arena. False: no memory. */
bool find_intervals(const struct portolan_waits *w, struct portolan_arena *arena, uint32_t **order,
                    struct wait_interval **intervals);
/* ------------------------------------------------- profile.c: times of paths between two
 * moments */

/* A moment of a location: the time NS, in or after event `at`. */
struct moment {
    uint32_t at;
    int64_t ns;
};

/* Sums from the begin of each location every so many events, so that long stretches cost no
 * more. */
struct path_profile {
    const struct portolan_waits *w;
    size_t every, n_sums;
    int64_t *sums, *waiting_sums; /* [sum * n_paths + path] */
    size_t *first_sum;            /* by location */
};

/* Prepares the sums in ARENA, which may fail: then they must not be used. */
void profile_prepare(struct path_profile *p, struct portolan_arena *arena,
                     const struct portolan_waits *w);

/* Times by path, and a list of the paths that have some. */
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
/* Subtracts the waiting of waits FIRST to END of LOCATION, which are all between two moments. */
void profile_subtract_waits(const struct path_profile *p, size_t location, size_t first, size_t end,
                            struct path_times *x);

/* ------------------------------------------------- causes and the critical path */

/* causes.c: fills in `delays`, and the causes of waits. False: no memory. */
bool find_causes(struct portolan_waits *w);
/* critical_path.c: fills in how long paths are on the critical path. False: no memory. */
bool find_critical_path(struct portolan_waits *w);

#endif
