/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine: gives new times to the events of a trace by the rules of MPI.
 *
 * Each location runs on its own until it waits for a call that another one has not begun. Between
 * calls, time passes as in the trace. A call begins at E. It ends when all that it waits for is
 * there (ready), or at E if that is later, plus the time that it took beyond that in the trace
 * (excess). If nothing is changed, each event therefore gets its own time again. In a scenario the
 * trace has only the time of computing: nothing waits in it, and excess is all that a call takes.
 */
#ifndef TRACE_REPLAY_ENGINE_H
#define TRACE_REPLAY_ENGINE_H

#include <portolan/replay.h>

/* Changes, a byte for each event. The upper four bits are the number of a removal, from 1, whose
 * factor multiplies the excess. */
enum engine_change {
    CHANGE_LOCAL = 1,       /* this side of a message does not exist: it costs nothing */
    CHANGE_INDEPENDENT = 2, /* BEGIN: it waits for no rank */
    CHANGE_FREE = 4,        /* BEGIN: it has no excess */
    CHANGE_JOINED = 8,      /* SEND: it carries the bytes of others, too */
    CHANGE_FACTOR_SHIFT = 4,
    MOST_FACTORS = 15
};

struct engine_location {
    size_t at, end;           /* next event */
    int64_t clock;            /* new time of the previous event */
    uint32_t call;            /* the call that has begun; none: between calls */
    int64_t ready, ready_was; /* when all that it waits for was there: new, and in the trace */
    int64_t least;            /* new: latest begin of the calls that it waits for */
    int64_t begin_was;        /* begin of the call in the trace; of several polls, of the first */
    size_t wait;              /* index of its next wait */
    uint32_t next_waiting;    /* location + 1 that waits for the same */
    bool awaits_match;        /* waits for a message to be matched */
    bool ignores;             /* the present event is ignored: it waits for no rank */
    int last_source;          /* source of the last message, for ranks that answer */
    int until_tag;            /* scenario: the tag that ends a loop; PORTOLAN_TRACE_ANY: none */
};

/* A collective operation that is under way. */
struct engine_meeting {
    uint32_t n, waiting; /* members that have begun; a location + 1 that waits for all */
    int64_t last;        /* when the last of them began */
};

struct joined_message {
    uint32_t send;
    uint64_t bytes;
};

struct engine {
    const struct portolan_trace *trace;
    const struct portolan_matching *matching;
    const struct portolan_waits *waits; /* NULL: a scenario, whose trace has no waiting */
    struct portolan_arena arena;
    struct message_queues *queues; /* scenario: messages are matched as they come; else NULL */
    struct portolan_trace_event *changed_events; /* scenario: the trace's events, else NULL */
    struct portolan_costs costs, costs_was;
    int64_t *ns; /* new time; NOT_YET, DROPPED, or below: a location that waits for it */

    const int64_t *following_ns; /* new time between an event and the next; NULL: as in the trace */
    const uint8_t *changes;      /* NULL: there are none */
    const struct portolan_removal *removals; /* for their factors */
    const uint32_t *partner;                 /* the matching's, or one with joined messages */
    const struct joined_message *joined;     /* in the order of sends */
    size_t n_joined;
    bool is_ideal;        /* calls have no excess */
    int64_t recording_ns; /* each call of the trace reached MPI so long after its BEGIN */
    /* By routine; NULL: not known. FINDS_LEAST: it is found in this run; otherwise no call takes
     * more. If others had the processors, the time of calls beyond it means nothing. */
    int64_t *least_excess;
    bool finds_least;

    int8_t *synchronous; /* by routine */
    struct engine_location *locations;
    struct engine_meeting *meetings;
    struct runnable {
        int64_t ns;
        size_t location;
    } * runnable; /* a heap */
    size_t n_runnable;
};

enum { NOT_YET = -1, DROPPED = -2, FIRST_WAITING = -3 };
/* Kinds and peers that only traces of scenarios have, until they have run. */
enum { LOOP_BEGIN = PORTOLAN_TRACE_KINDS, LOOP_END, PEER_SENDER = -3 };

/* Prepares; trace, matching, costs and changes must be set before. Uses the arena, which is to be
 * cleared also after false: no memory. */
bool engine_prepare(struct engine *x);
/* Runs; false: some locations are left that wait for each other (see `at` and `call`). */
bool engine_run(struct engine *x);
/* Does both; PORTOLAN_EINFEASIBLE: ranks wait for each other, WITHOUT what was removed (or ""). */
enum portolan_status engine_prepare_and_run(struct engine *x, const char *without,
                                            struct portolan_error *err);

/* Returns whether a routine sends synchronously: 1 always, -1 never, 0: by size. */
int8_t engine_synchronous(const char *routine);

/* The changes that removals make in a run. */
struct replay_changes {
    struct portolan_arena arena;
    int64_t *following_ns;
    uint8_t *changes;
    uint32_t *partner;
    struct joined_message *joined;
    size_t n_joined;
};
/* The cost of recording a call: before MPI begins, whoever waits for that; and by routine after the
 * call, for each event but the first. */
struct recording_cost {
    int64_t begin_ns;
    double *event_ns;
};
/* recording.c: finds it in the arena; false: no memory. All is 0 if no call contains it. */
bool recording_cost_find(const struct portolan_trace *t, const struct portolan_matching *m,
                         struct portolan_arena *arena, struct recording_cost *cost);
/* recording.c: moves the begin of a call during which a block was stored to after that, so that
 * storing is between calls. */
void recording_cost_move(struct portolan_trace *t, const struct portolan_matching *m);
void recording_cost_remove(const struct portolan_trace *t, const struct portolan_matching *m,
                           const struct recording_cost *cost, int64_t *following_ns);

/* removals.c: fills it in; the arena is to be cleared in any case. RECORDING: NULL, or what is to
 * be removed in addition. */
enum portolan_status changes_prepare(struct replay_changes *c, const struct portolan_waits *w,
                                     const struct portolan_removal *removals, size_t n,
                                     bool use_cpu, const struct recording_cost *recording,
                                     struct portolan_error *err);

/* The rest is for the engine's own files. */

/* rules.c: returns whether what event E of the call of location I waits for has begun, and then
 * updates `ready`; else notes the location there. E is the BEGIN for what the call as such
 * awaits. */
bool engine_await(struct engine *x, size_t i, uint32_t e);
/* rules.c: notes that event E, of a call that begins at NS, is a member of a meeting. */
void engine_arrive(struct engine *x, uint32_t e, int64_t ns);
void engine_wake(struct engine *x, size_t location);
/* Wakes LOCATION, of which a message has been matched, if it waits for that. */
void engine_match_woken(struct engine *x, size_t location);
int64_t message_ns(const struct portolan_costs *costs, uint64_t bytes);

/* Messages that have been sent or asked for, and that wait for the other side. */
struct message_queues {
    uint32_t *next; /* by event in a queue */
    struct message_queue {
        uint32_t first, last;
    } * sends, *receives; /* by rank: sends by destination; the queues hold events */
};

/* message_queues.c: prepares queues in the engine's arena; false: no memory. */
bool message_queues_prepare(struct engine *x);
/* Posts event E, a SEND, RECV_POST or RECV, of RANK. If the other side is there, both become
 * partners and their locations are woken. */
void message_queues_post(struct engine *x, int rank, uint32_t e);

static inline enum portolan_trace_routine_class class_of(const struct engine *x, uint32_t call)
{
    return (enum portolan_trace_routine_class)x->matching->classes[x->trace->events[call].what];
}

#endif
