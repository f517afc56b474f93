/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of the engine. Tasks run ahead of the engine's time until they must wait: what they
 * send are events at its time. A message and a receive that names its source belong together as
 * soon as both are known, since messages of one sender never overtake; which message a receive
 * from any source takes, and what probes and tests say, is decided by events in the order of time,
 * when nobody can act earlier.
 */
#ifndef CLUE_ENGINE_INTERNAL_H
#define CLUE_ENGINE_INTERNAL_H

#include <portolan/clue_engine.h>
#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOT_KNOWN INT64_MAX

/* ------------------------------------------------- events */

/* In this order at the same time; then by number. */
enum event_kind {
    EVENT_CHANGE, /* number of the change */
    EVENT_LOAD,   /* of a background source */
    EVENT_HOST,   /* a burst of computing ends on the host */
    EVENT_RESUME, /* a task goes on */
    EVENT_HOP,    /* a message is at its next link */
    EVENT_FLOWS,  /* a flow ends (fair) */
    EVENT_ARRIVE, /* a message is there */
    EVENT_COPY,   /* the receiver may copy a message */
    EVENT_SYNC    /* a task goes on when all else of this time is done */
};

/* Time, kind, whether it is about background alone, a number that decides ties, and what it is
 * about; compared as one number. */
__extension__ typedef unsigned __int128 event;

/*
 * A calendar: events before the horizon are in order, as far as they were known when their day
 * began, and else a heap; those of the next days lie in a bucket for each day, without order; all
 * others in one heap of papers. A day is as long as some events take, a power of two.
 */
enum { DAYS = 1024, EVENTS_OF_DAY = 24, FIRST_DAY = 6, LONGEST_DAY = 50 }; /* bits */
struct event_list {
    event *events;
    size_t n, room;
};
struct events {
    struct event_list sorted, near, later, days[DAYS];
    size_t next; /* of `sorted` */
    int64_t horizon;
    unsigned day_bits;
    size_t today;              /* the day that begins at the horizon */
    size_t n_days;             /* events in days */
    int64_t least_later;       /* time of the first in LATER */
    size_t n, n_live;          /* LIVE: those that are not about background alone */
    size_t n_popped, n_turned; /* since the length of the day was chosen: events, days */
};

static inline int64_t event_ns(event e)
{
    return (int64_t)(uint64_t)(e >> 64);
}
static inline enum event_kind event_kind(event e)
{
    return (enum event_kind)((uint64_t)e >> 60);
}
static inline bool event_is_live(event e)
{
    return !((uint64_t)e >> 59 & 1);
}
static inline uint32_t event_about(event e)
{
    return (uint32_t)e;
}

/* ------------------------------------------------- pools */

/* Structs by number, from 1; numbers of freed ones are used again. Pointers are valid until the
 * next is taken. */
struct pool {
    char *items; /* aligned for the cache, in BLOCK */
    void *block;
    size_t n, room;
    uint32_t free; /* a list through their first four bytes */
};

/* 0: no memory. The struct is as its last user left it. */
uint32_t pool_take(struct pool *p, size_t size);
static inline void pool_give(struct pool *p, size_t size, uint32_t i)
{
    memcpy(p->items + i * size, &p->free, sizeof i);
    p->free = i;
}

/* ------------------------------------------------- structs */

/* In `flags`, of which no message has CLUE_STANDING. HELD: an access that has arrived, for the next
 * call of its target. RECEIVED: only the send request has a use for it still. */
enum { MESSAGE_HELD = CLUE_STANDING, MESSAGE_RECEIVED = 128 };

/* What the network touches comes first, in one line of the cache. */
struct __attribute__((aligned(64))) message {
    uint32_t server; /* the next one of its way; first, for the pool */
    uint32_t from, to;
    uint8_t hop;        /* servers of its way that it has passed, or its stage (fair) */
    uint8_t flags;      /* of clue_send_flag */
    bool is_background; /* traffic: nobody receives it, from and to are hosts */
    bool has_event;     /* EVENT_ARRIVE */
    uint64_t bytes;
    const struct way *way;
    /* On a link or card: when its first byte passes, how long the slowest has taken so far, and the
     * time of its event. */
    int64_t at, service, slowest;
    int64_t queueing;

    uint32_t next, channel;                  /* in its channel */
    uint32_t next_unbound, previous_unbound; /* of the receiver */
    uint32_t receive, send;                  /* requests; 0: none (yet) */
    int32_t tag;
    uint32_t data_size; /* of the copy's block, 0: of the sender */
    uint32_t in_flight; /* messages when it began, it included; 0: does not count */
    uint8_t label;
    bool is_rendezvous; /* an envelope comes first; data when it is bound */
    bool has_landed;    /* its arrival, or its envelope's, is known, and of all sent before it */
    bool is_pending;    /* not bound, and only its arrival can decide who takes it */
    const void *data;   /* the engine's copy, or of the sender */
    int64_t ready;      /* when the send delay was over; rendezvous: and the receive was posted */
    int64_t arrival;
    union {
        struct {
            uint32_t number, next_held; /* in its channel, until it has landed; NEXT_HELD: accesses
                                           of a task */
        };
        int64_t lead; /* rendezvous: of the transmission that the envelope's has taken already */
    };
    struct clue_times path; /* of the sender when it was ready */
};

struct request {
    uint32_t next; /* receives: of the same channel, or of those from any source */
    uint32_t task;
    uint32_t message, channel;
    uint32_t sequence; /* receives: in the order of posting */
    int32_t from, tag;
    bool is_send, is_free;
    bool is_standing;
    bool is_bound, is_waited, is_released, is_charged, is_cancelled;
    int64_t posted_at, complete_at;
    uint64_t context, bytes;
    void (*deliver)(void *arg, const struct clue_message *message);
    void *arg;
};

/* From a task to a task in a context: what is on one side and not yet on the other. */
struct __attribute__((aligned(64))) channel {
    uint32_t from, to;                     /* FROM first, for the pool */
    uint32_t n_messages;                   /* on their way or not received */
    uint32_t n_sent, n_landed, first_held; /* HELD: those that must not overtake others */
    uint32_t first_message, last_message, first_receive, last_receive;
    uint64_t context;
    int64_t last_arrival;
    struct way *way; /* NULL: not asked for yet */
};

enum { RECENT_CHANNELS = 32 };

/* What others touch who send to it comes first, in one line of the cache. */
struct __attribute__((aligned(64))) task {
    int64_t clock;
    int64_t wake; /* time of its event; NOT_KNOWN: none */
    uint32_t host;
    uint8_t wake_kind, operation, phase;
    bool is_waiting_for_any;
    uint32_t first_unbound, last_unbound; /* messages to it */
    uint32_t first_wild, last_wild;       /* receives from any source */
    uint32_t n_watching;                  /* those, and a probe that waits */
    uint32_t n_pending;                   /* messages to it */
    uint32_t n_posted;
    uint32_t n_left; /* requests that a wait waits for */
    int64_t latest;  /* when the latest of them was complete */
    int64_t since;   /* begin of its operation */
    uint32_t n_ahead;
    bool has_polled;
    const clue_request *requests;
    size_t n_requests;

    /* Matching. */
    bool is_probing;
    int probe_from, probe_tag;
    uint64_t probe_context;
    struct meeting *meeting;
    uint32_t next_in_meeting;

    /* Computing on a shared host: where its work ends there. */
    double work_end;
    uint32_t next_burst; /* task + 1 */
    /* A delay that is under way and may change. */
    uint8_t taken; /* clue_parameter */
    int taken_to;  /* host */
    uint64_t taken_bytes;
    size_t result;
    uint32_t first_copy, last_copy;     /* messages that it has not begun to copy */
    uint32_t n_copies;                  /* EVENT_COPY to come */
    uint32_t first_access, last_access; /* messages to standing receives, until its next call */
    int64_t copying_until;
    struct clue_task_sums sums;
    /* Channels that it has used, and which came after which: mostly it is the same again. */
    uint32_t recent[RECENT_CHANNELS], n_recent;
    uint8_t after[RECENT_CHANNELS], last_recent;
};

struct meeting {
    struct meeting *next;
    uint64_t context, sequence;
    uint32_t n_here, n_done;
    bool root_is_here;
    int64_t last, root_at;
    uint32_t first_waiting; /* task + 1 */
    struct clue_times path; /* of who came last, or the root's */
};
enum { MEETING_SLOTS = 512, BLOCK_CLASSES = 17 };

/* A source of load or traffic draws from a sequence of its own. */
struct background {
    uint64_t sequence, drawn;
    bool is_on;
    struct way *way;
};

/* Processors of a host, which its bursts of computing and jobs of others share equally. */
struct host {
    double factor, spread;
    double work; /* that each job has had since the host was idle, in this machine's ns */
    int64_t updated, next_end; /* when that was; time of EVENT_HOST, NOT_KNOWN: none */
    unsigned n_tasks, n_jobs;  /* of others */
    unsigned n_bursts;
    bool has_load;
    uint32_t first_burst; /* in the order of their ends */
};

struct clue_engine {
    const struct clue_machine *machine;
    struct clue_engine_settings settings;
    struct portolan_error error;
    int64_t now;
    struct events events;
    int soon; /* a task that goes on soon, -1: not known */
    struct task *tasks;
    size_t n_tasks, n_alive;
    struct pool of_tasks, messages, requests, channels;
    uint32_t *slots; /* of channels, by hash */
    size_t n_slots, n_channels;
    struct meeting *meetings[MEETING_SLOTS], *free_meetings;
    struct portolan_arena arena;
    void *free_blocks[BLOCK_CLASSES]; /* of data, by the logarithm of their size */
    uint32_t *scratch;
    size_t scratch_room;
    bool by_events; /* nothing that lies ahead is certain */
    struct network *network;
    struct fair *fair;
    struct host *hosts;
    struct background *background;
    struct clue_change *changes; /* of the machine, and those that tasks have made */
    size_t n_changes, change_room;
    uint32_t *changed; /* those that hold, in order */
    size_t n_changed, changed_room;
    int n_vain_polls; /* one after the other, while nothing was to come */
    struct clue_run_sums sums;
};

static inline struct task *task_of(const struct clue_engine *e, uint32_t task)
{
    return &e->tasks[task];
}
static inline struct message *message_of(const struct clue_engine *e, uint32_t i)
{
    return &((struct message *)e->messages.items)[i];
}
static inline struct request *request_of(const struct clue_engine *e, uint32_t i)
{
    return &((struct request *)e->requests.items)[i];
}
static inline struct channel *channel_of(const struct clue_engine *e, uint32_t i)
{
    return &((struct channel *)e->channels.items)[i];
}
static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The request of all sends that are complete at once, if they have none of their own. */
enum { REQUEST_SENT = 1 };

/* Phases of operations. */
enum { SYNCHRONIZED = 1, BLOCKED, POLLED, SETTLING };

/* Whether its call lasts until something comes: meanwhile it copies. */
static inline bool task_is_in_call(const struct task *t)
{
    return t->phase == BLOCKED || t->is_probing || (t->operation == CLUE_MEETS && t->phase);
}

/* Whether messages wait for its next call that lasts. */
static inline bool task_has_copies(const struct task *t)
{
    return t->first_copy || t->first_access;
}

/* ------------------------------------------------- events.c */

/* False, with the error noted: no memory. */
bool events_push(struct clue_engine *e, int64_t ns, enum event_kind kind, uint32_t tie,
                 uint32_t about, bool is_live);
event events_pop(struct clue_engine *e);
/* To the next day that has events, which are near then. False: there is none, or no memory. */
bool events_turn(struct clue_engine *e);
static inline bool events_next_is_sorted(const struct events *h)
{
    return h->next < h->sorted.n && (!h->near.n || h->sorted.events[h->next] < h->near.events[0]);
}
/* When the next event is; NOT_KNOWN: there is none. */
static inline int64_t events_next(struct clue_engine *e)
{
    struct events *h = &e->events;

    if (!h->near.n && h->next == h->sorted.n && !events_turn(e))
        return NOT_KNOWN;
    return event_ns(events_next_is_sorted(h) ? h->sorted.events[h->next] : h->near.events[0]);
}
void events_free(struct events *h);
void *data_take(struct clue_engine *e, uint64_t bytes, uint32_t *size);
void data_give(struct clue_engine *e, const void *data, uint32_t size);
void engine_no_memory(struct clue_engine *e);

/* ------------------------------------------------- tasks.c */

/* TASK goes on at NS, if it does not before. */
void task_wake(struct clue_engine *e, uint32_t task, int64_t ns, enum event_kind kind);
/* Begins OPERATION unless it is under way; returns its phase. */
unsigned task_operation(struct clue_engine *e, uint32_t task, enum clue_operation operation);
/* The same, before an answer that (if it DEPENDS) others may change: false: TASK must wait until
 * they have come as far. */
bool task_synchronize(struct clue_engine *e, uint32_t task, enum clue_operation operation,
                      bool depends);
void task_done(struct task *t);
/* The task takes NS, which are of PART, an offset in clue_times, of its times and its critical
 * path.
 */
static inline void task_add(struct task *t, size_t part, int64_t ns)
{
    t->clock += ns;
    *(int64_t *)((char *)&t->sums.times + part) += ns;
    *(int64_t *)((char *)&t->sums.path + part) += ns;
}

/* ------------------------------------------------- delays.c */

bool has_pair(const struct clue_engine *e, uint32_t from, uint32_t to);
void note_no_delays(struct clue_engine *e, uint32_t from, uint32_t to);
/* NULL, with the error noted: it has no delays, and the network may have no way. */
const struct clue_pair *pair_of_hosts(struct clue_engine *e, uint32_t from, uint32_t to);
/* The pair of two tasks' hosts. */
static inline const struct clue_pair *pair_of(struct clue_engine *e, uint32_t from, uint32_t to)
{
    return pair_of_hosts(e, task_of(e, from)->host, task_of(e, to)->host);
}
int64_t receive_ns(const struct clue_engine *e, uint32_t task, uint64_t bytes);

/* The delay of PARAMETER now, with changes, from a host to a host. */
int64_t delay_ns(const struct clue_engine *e, enum clue_parameter parameter, uint32_t from,
                 uint32_t to, const struct clue_law *law, uint64_t bytes);

/* ------------------------------------------------- hosts.c */

bool hosts_new(struct clue_engine *e);
/* EVENT_HOST: a burst ends. */
void hosts_event(struct clue_engine *e, uint32_t host);
/* HOST has MORE jobs of others, or another factor. */
void hosts_change(struct clue_engine *e, uint32_t host, int more, double factor);

/* ------------------------------------------------- background.c */

double background_draw(struct background *b, const struct clue_distribution *d);
bool background_new(struct clue_engine *e);
void background_event(struct clue_engine *e, uint32_t source);

/* ------------------------------------------------- changes.c */

bool changes_new(struct clue_engine *e);
void changes_event(struct clue_engine *e, uint32_t change);
/* The clock of TASK is ahead by a delay of PARAMETER: false: it must wait until it is over, since
 * it may change. */
bool changes_settle(struct clue_engine *e, uint32_t task, enum clue_parameter parameter, int to,
                    uint64_t bytes);

/* ------------------------------------------------- matching.c */

/* Finds or makes it, for TASK, which is one of the two; 0: no memory. */
uint32_t channel_find(struct clue_engine *e, uint32_t task, uint32_t from, uint32_t to,
                      uint64_t context);
/* A message is new; its channel is set. */
void matching_send(struct clue_engine *e, uint32_t message);
void matching_receive(struct clue_engine *e, uint32_t receive);
/* A message that is not bound has arrived. */
void matching_arrive(struct clue_engine *e, uint32_t message);
/* Its arrival, or that of its envelope, is known. */
void matching_landed(struct clue_engine *e, uint32_t message);
/* The first message by arrival that a probe of TASK finds at its time; 0: none. */
uint32_t matching_probe(struct clue_engine *e, uint32_t task, int from, uint64_t context, int tag);
/* When the next message to TASK is known to come; NOT_KNOWN. */
int64_t matching_next(const struct clue_engine *e, uint32_t task);
void matching_watch(struct clue_engine *e, uint32_t task);
void matching_take(struct clue_engine *e, uint32_t message);
bool matching_cancel_receive(struct clue_engine *e, uint32_t receive);
void matching_bind(struct clue_engine *e, uint32_t message, uint32_t receive);
void message_free(struct clue_engine *e, uint32_t message);
/* The receiving side has done with it. */
void message_received(struct clue_engine *e, uint32_t message);

/* ------------------------------------------------- requests.c */

uint32_t request_new(struct clue_engine *e, uint32_t task, bool is_send);
bool requests_new(struct clue_engine *e);
void request_complete(struct clue_engine *e, uint32_t request, int64_t ns);
void request_free(struct clue_engine *e, uint32_t request);

/* ------------------------------------------------- network.c */

/* A message of others begins. */
void network_traffic(struct clue_engine *e, uint32_t source, uint64_t bytes);
/* The bandwidth or latency of LINK is TIMES that of the machine. */
void network_change(struct clue_engine *e, uint32_t link, bool is_latency, double times);
/* The transmission delay from FROM to TO (-1: all) has changed. */
void network_transmission_changed(struct clue_engine *e, int from, int to);
bool network_new(struct clue_engine *e);
void network_forget(struct clue_engine *e, struct channel *c);
/* A message begins to be sent: how many are in flight then, 0: that does not matter; and the factor
 * of delays that follows. */
uint32_t network_begin(struct clue_engine *e);
double network_factor(const struct clue_engine *e, uint32_t in_flight);
/* What the next hop of M touches comes into the cache meanwhile. */
void network_fetch(const struct clue_engine *e, const struct message *m);
/* EVENT_HOP. */
void network_hop(struct clue_engine *e, uint32_t message);
/* EVENT_ARRIVE: it is no longer under way. */
void network_end(struct clue_engine *e, struct message *m);
/* ------------------------------------------------- fair.c */

bool fair_new(struct clue_engine *e);
void fair_free(struct clue_engine *e);
/* EVENT_HOP of a message: true: it has passed the network. */
bool fair_hop(struct clue_engine *e, uint32_t message);
/* Shares are no longer right: flows have come or gone, or LINK is another. */
void fair_solve(struct clue_engine *e);
void fair_link_changed(struct clue_engine *e, uint32_t link);

/* The transmission of a message may begin at START. */
void network_launch(struct clue_engine *e, uint32_t message, int64_t start);
/* A message is there at NS, as far as the network knows. */
void network_landed(struct clue_engine *e, uint32_t message, int64_t ns);
int64_t transmission_ns(struct clue_engine *e, const struct message *m);

/* copies.c: large messages within a host that their receiver copies. */
bool copies_are_of(const struct clue_engine *e, const struct message *m);
/* Whether a message that has arrived waits for a call of its receiver if it is an access. */
bool copies_may_wait(const struct clue_engine *e, const struct message *m);
void copies_access(struct clue_engine *e, uint32_t message);
/* Both sides are there from NS on. */
void copies_expect(struct clue_engine *e, uint32_t message, int64_t ns);
void copies_come(struct clue_engine *e, uint32_t message);
/* The task is in a call that copies what has come. */
void copies_begin(struct clue_engine *e, struct task *t);
/* It leaves that call. */
void copies_end(struct task *t);

#endif
