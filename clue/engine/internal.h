/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of the engine.
 *
 * A task runs ahead of the engine's time until it must wait: the messages that it sends meanwhile
 * become events at its own time. A message and a receive that names its source can be paired as
 * soon as both are known, since messages of one sender never overtake. A receive from any source, a
 * probe and a test depend on what others do; these are decided by events, in the order of time,
 * when no task can act earlier.
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

/* The kinds of events. At the same time they are processed in this order; then by number. */
enum event_kind {
    EVENT_CHANGE, /* the change of this number */
    EVENT_LOAD,   /* the next one of a background source */
    EVENT_HOST,   /* a burst of computing ends on the host */
    EVENT_RESUME, /* a task goes on */
    EVENT_HOP,    /* a message reaches its next link */
    EVENT_FLOWS,  /* a flow ends (fair) */
    EVENT_ARRIVE, /* a message has arrived */
    EVENT_COPY,   /* the receiver may copy a message */
    EVENT_SYNC    /* a task goes on when all other events of this time are processed */
};

/* Time, kind, whether it concerns background alone, a number that decides ties, and its subject,
 * packed so that events compare as one number. */
__extension__ typedef unsigned __int128 event;

/*
 * A calendar queue.
 *
 * Events before the horizon are in `sorted`, or in the heap `near` if they were added after their
 * day began. Those of the next DAYS days are in a bucket for each day, unsorted. All later events
 * are in one unsorted list. A day is a power of two ns long, chosen so that it has about
 * EVENTS_OF_DAY events.
 */
enum {
    DAYS = 1024,
    EVENTS_OF_DAY = 24,
    FIRST_DAY = 6,
    LONGEST_DAY = 50
}; /* the last two are bits of ns */
struct event_list {
    event *events;
    size_t n, room;
};
struct events {
    struct event_list sorted, near, later, days[DAYS];
    size_t next; /* index of the next event in `sorted` */
    int64_t horizon;
    unsigned day_bits;
    size_t today;              /* the day that begins at the horizon */
    size_t n_days;             /* events in days */
    int64_t least_later;       /* time of the first event in `later` */
    size_t n, n_live;          /* N_LIVE: those that do not concern background alone */
    size_t n_popped, n_turned; /* events and days since the length of the day was chosen */
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

/* A pool of structs that are numbered from 1; numbers of freed ones are reused. Pointers are valid
 * until the next struct is taken. */
struct pool {
    char *items; /* BLOCK, aligned to lines of the cache */
    void *block;
    size_t n, room;
    uint32_t free; /* first of a list that is linked through the structs' first four bytes */
};

/* Returns the number of a struct, whose contents are as its last user left them; 0: no memory. */
uint32_t pool_take(struct pool *p, size_t size);
static inline void pool_give(struct pool *p, size_t size, uint32_t i)
{
    memcpy(p->items + i * size, &p->free, sizeof i);
    p->free = i;
}

/* ------------------------------------------------- structs */

/* Flags that messages never have as clue_send_flag. HELD: an access that has arrived and waits for
 * the next call of its target. RECEIVED: only the send request refers to the message still. */
enum { MESSAGE_HELD = CLUE_STANDING, MESSAGE_RECEIVED = 128 };

/* Members that the network uses come first, in one line of the cache. */
struct __attribute__((aligned(64))) message {
    uint32_t server; /* the next server of its way; it is first because the pool uses these bytes */
    uint32_t from, to;
    uint8_t hop;        /* servers of its way that it has passed; or its stage (fair) */
    uint8_t flags;      /* of enum clue_send_flag */
    bool is_background; /* traffic, which no task receives: FROM and TO are hosts */
    bool has_event;     /* an EVENT_ARRIVE is in the calendar */
    uint64_t bytes;
    const struct way *way;
    /* On a link or card: when its first byte passes, the longest service so far, and its event. */
    int64_t at, service, slowest;
    int64_t queueing;

    uint32_t next, channel;                  /* NEXT: the next message in its channel */
    uint32_t next_unbound, previous_unbound; /* the receiver's messages that are not bound */
    uint32_t receive, send;                  /* requests; 0: none (yet) */
    int32_t tag;
    uint32_t data_size; /* size of the copy's block; 0: the data are the sender's */
    uint32_t in_flight; /* messages in flight when it began, with it; 0: it does not count */
    uint8_t label;
    bool is_rendezvous; /* an envelope is sent first, and the data when it is bound */
    bool has_landed;    /* its (envelope's) arrival is known, and of all sent before it */
    bool is_pending;    /* not bound, and only its arrival can decide which receive takes it */
    const void *data;   /* the engine's copy, or the sender's data */
    int64_t ready;      /* end of the send delay; rendezvous: and the receive was posted */
    int64_t arrival;
    union {
        struct {
            uint32_t number, next_held; /* NUMBER: position in its channel, until it has landed;
                                         * NEXT_HELD: next access of a task */
        };
        int64_t lead; /* rendezvous: transmission that the envelope has taken already */
    };
    struct clue_times path; /* critical path of the sender when it was ready */
};

struct request {
    uint32_t next; /* receives: the next of the same channel, or of those from any source */
    uint32_t task;
    uint32_t message, channel;
    uint32_t sequence; /* receives: number in the order of posting */
    int32_t from, tag;
    bool is_send, is_free;
    bool is_standing;
    bool is_bound, is_waited, is_released, is_charged, is_cancelled;
    int64_t posted_at, complete_at;
    uint64_t context, bytes;
    void (*deliver)(void *arg, const struct clue_message *message);
    void *arg;
};

/* The channel from a task to a task in a context: messages or receives without the other side. */
struct __attribute__((aligned(64))) channel {
    uint32_t from, to;                     /* the pool uses FROM, so it is first */
    uint32_t n_messages;                   /* messages that are under way or not received */
    uint32_t n_sent, n_landed, first_held; /* FIRST_HELD: messages that overtook others */
    uint32_t first_message, last_message, first_receive, last_receive;
    uint64_t context;
    int64_t last_arrival;
    struct way *way; /* NULL: not asked for yet */
};

enum { RECENT_CHANNELS = 32 };

/* Members that senders to the task use come first, in one line of the cache. */
struct __attribute__((aligned(64))) task {
    int64_t clock;
    int64_t wake; /* time of its event; NOT_KNOWN: none */
    uint32_t host;
    uint8_t wake_kind, operation, phase;
    bool is_waiting_for_any;
    uint32_t first_unbound, last_unbound; /* messages to it that are not bound */
    uint32_t first_wild, last_wild;       /* its receives from any source */
    uint32_t n_watching;                  /* number of those, and of probes that wait */
    uint32_t n_pending;                   /* pending messages to it */
    uint32_t n_posted;
    uint32_t n_left; /* requests that a wait still waits for */
    int64_t latest;  /* completion time of the latest of them */
    int64_t since;   /* begin of its operation */
    uint32_t n_ahead;
    bool has_polled;
    const clue_request *requests;
    size_t n_requests;

    /* State of a probe that waits. */
    bool is_probing;
    int probe_from, probe_tag;
    uint64_t probe_context;
    struct meeting *meeting;
    uint32_t next_in_meeting;

    /* Computing on a shared host: the host's work at which its burst ends. */
    double work_end;
    uint32_t next_burst; /* task + 1 */
    /* A delay that is under way and may change. */
    uint8_t taken; /* clue_parameter */
    int taken_to;  /* the other host */
    uint64_t taken_bytes;
    size_t result;
    uint32_t first_copy, last_copy;     /* messages that it has not begun to copy */
    uint32_t n_copies;                  /* messages with an EVENT_COPY to come */
    uint32_t first_access, last_access; /* messages to standing receives, for its next call */
    int64_t copying_until;
    struct clue_task_sums sums;
    /* Channels that it has used, and which was used after which: mostly the sequence repeats. */
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
    struct clue_times path; /* path of the member that came last, or the root's */
};
enum { MEETING_SLOTS = 512, BLOCK_CLASSES = 17 };

/* A source of load or traffic. It draws from its own sequence. */
struct background {
    uint64_t sequence, drawn;
    bool is_on;
    struct way *way;
};

/* Processors of a host, which its bursts of computing and jobs of others share equally. */
struct host {
    double factor, spread;
    double work; /* work that each job has had since the host was idle, in ns of this machine */
    int64_t updated, next_end; /* time of `work`; time of EVENT_HOST, NOT_KNOWN: none */
    unsigned n_tasks, n_jobs;  /* N_JOBS: those of others */
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
    int soon; /* a task that is likely to go on soon; -1: not known */
    struct task *tasks;
    size_t n_tasks, n_alive;
    struct pool of_tasks, messages, requests, channels;
    uint32_t *slots; /* hash table of channels */
    size_t n_slots, n_channels;
    struct meeting *meetings[MEETING_SLOTS], *free_meetings;
    struct portolan_arena arena;
    void *free_blocks[BLOCK_CLASSES]; /* blocks of data, by the logarithm of their size */
    uint32_t *scratch;
    size_t scratch_room;
    bool by_events; /* nothing may run ahead of the engine's time */
    struct network *network;
    struct fair *fair;
    struct host *hosts;
    struct background *background;
    struct clue_change *changes; /* changes of the machine, and those that tasks have made */
    size_t n_changes, change_room;
    uint32_t *changed; /* those that hold, in order */
    size_t n_changed, changed_room;
    int n_vain_polls; /* failed polls in a row while no event was to come */
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

/* The request of all sends that are complete at once and have none of their own. */
enum { REQUEST_SENT = 1 };

/* Phases of operations, after 0: not begun. */
enum { SYNCHRONIZED = 1, BLOCKED, POLLED, SETTLING };

/* Returns whether the task's call lasts until something comes: meanwhile it copies. */
static inline bool task_is_in_call(const struct task *t)
{
    return t->phase == BLOCKED || t->is_probing || (t->operation == CLUE_MEETS && t->phase);
}

/* Returns whether messages wait for its next call that lasts. */
static inline bool task_has_copies(const struct task *t)
{
    return t->first_copy || t->first_access;
}

/* ------------------------------------------------- events.c */

/* Adds an event. Returns false, with the error noted, without memory. */
bool events_push(struct clue_engine *e, int64_t ns, enum event_kind kind, uint32_t tie,
                 uint32_t about, bool is_live);
event events_pop(struct clue_engine *e);
/* Proceeds to the next day with events, which are near then. False: there is none, or no memory. */
bool events_turn(struct clue_engine *e);
static inline bool events_next_is_sorted(const struct events *h)
{
    return h->next < h->sorted.n && (!h->near.n || h->sorted.events[h->next] < h->near.events[0]);
}
/* Returns the time of the next event; NOT_KNOWN: there is none. */
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

/* Has TASK go on at NS, if it does not before. */
void task_wake(struct clue_engine *e, uint32_t task, int64_t ns, enum event_kind kind);
/* Begins OPERATION unless it is under way; returns its phase. */
unsigned task_operation(struct clue_engine *e, uint32_t task, enum clue_operation operation);
/* Does the same for an operation whose result others may change if it DEPENDS. Returns false if
 * TASK must wait until they have come as far. */
bool task_synchronize(struct clue_engine *e, uint32_t task, enum clue_operation operation,
                      bool depends);
void task_done(struct task *t);
/* Adds NS to the task's clock, and to PART (offset in clue_times) of its times and its path. */
static inline void task_add(struct task *t, size_t part, int64_t ns)
{
    t->clock += ns;
    *(int64_t *)((char *)&t->sums.times + part) += ns;
    *(int64_t *)((char *)&t->sums.path + part) += ns;
}

/* ------------------------------------------------- delays.c */

bool has_pair(const struct clue_engine *e, uint32_t from, uint32_t to);
void note_no_delays(struct clue_engine *e, uint32_t from, uint32_t to);
/* Returns NULL, with the error noted, if there are no delays and the network may have no route. */
const struct clue_pair *pair_of_hosts(struct clue_engine *e, uint32_t from, uint32_t to);
/* Returns the pair of two tasks' hosts. */
static inline const struct clue_pair *pair_of(struct clue_engine *e, uint32_t from, uint32_t to)
{
    return pair_of_hosts(e, task_of(e, from)->host, task_of(e, to)->host);
}
int64_t receive_ns(const struct clue_engine *e, uint32_t task, uint64_t bytes);

/* Returns the present delay of PARAMETER, with changes, from a host to a host. */
int64_t delay_ns(const struct clue_engine *e, enum clue_parameter parameter, uint32_t from,
                 uint32_t to, const struct clue_law *law, uint64_t bytes);

/* ------------------------------------------------- hosts.c */

bool hosts_new(struct clue_engine *e);
/* EVENT_HOST: ends a burst. */
void hosts_event(struct clue_engine *e, uint32_t host);
/* Gives HOST some MORE jobs of others, or another factor. */
void hosts_change(struct clue_engine *e, uint32_t host, int more, double factor);

/* ------------------------------------------------- background.c */

double background_draw(struct background *b, const struct clue_distribution *d);
bool background_new(struct clue_engine *e);
void background_event(struct clue_engine *e, uint32_t source);

/* ------------------------------------------------- changes.c */

bool changes_new(struct clue_engine *e);
void changes_event(struct clue_engine *e, uint32_t change);
/* Returns false if TASK, whose clock is ahead by a delay of PARAMETER, must wait until that is
 * over, since it may change. */
bool changes_settle(struct clue_engine *e, uint32_t task, enum clue_parameter parameter, int to,
                    uint64_t bytes);

/* ------------------------------------------------- matching.c */

/* Finds or makes the channel for TASK, which is one of the two; 0: no memory. */
uint32_t channel_find(struct clue_engine *e, uint32_t task, uint32_t from, uint32_t to,
                      uint64_t context);
/* A new message, whose channel is set, looks for its receive. */
void matching_send(struct clue_engine *e, uint32_t message);
void matching_receive(struct clue_engine *e, uint32_t receive);
/* A message that is not bound has arrived. */
void matching_arrive(struct clue_engine *e, uint32_t message);
/* The arrival of a message, or that of its envelope, is known. */
void matching_landed(struct clue_engine *e, uint32_t message);
/* Returns the first message by arrival that a probe of TASK finds at its time; 0: none. */
uint32_t matching_probe(struct clue_engine *e, uint32_t task, int from, uint64_t context, int tag);
/* Returns the time of the next known message to TASK; NOT_KNOWN: there is none. */
int64_t matching_next(const struct clue_engine *e, uint32_t task);
void matching_watch(struct clue_engine *e, uint32_t task);
void matching_take(struct clue_engine *e, uint32_t message);
bool matching_cancel_receive(struct clue_engine *e, uint32_t receive);
void matching_bind(struct clue_engine *e, uint32_t message, uint32_t receive);
void message_free(struct clue_engine *e, uint32_t message);
/* The receiving side does not need the message any more. */
void message_received(struct clue_engine *e, uint32_t message);

/* ------------------------------------------------- requests.c */

uint32_t request_new(struct clue_engine *e, uint32_t task, bool is_send);
bool requests_new(struct clue_engine *e);
void request_complete(struct clue_engine *e, uint32_t request, int64_t ns);
void request_free(struct clue_engine *e, uint32_t request);

/* ------------------------------------------------- network.c */

/* Sends a message of others. */
void network_traffic(struct clue_engine *e, uint32_t source, uint64_t bytes);
/* Sets the bandwidth or latency of LINK to TIMES that of the machine. */
void network_change(struct clue_engine *e, uint32_t link, bool is_latency, double times);
/* The transmission delay from FROM to TO (-1: all) has changed. */
void network_transmission_changed(struct clue_engine *e, int from, int to);
bool network_new(struct clue_engine *e);
void network_forget(struct clue_engine *e, struct channel *c);
/* Counts a message that begins to be sent; returns the number in flight, 0 if it does not matter.
 * network_factor() is the factor of delays that follows from it. */
uint32_t network_begin(struct clue_engine *e);
double network_factor(const struct clue_engine *e, uint32_t in_flight);
/* Prefetches what the next hop of M uses. */
void network_fetch(const struct clue_engine *e, const struct message *m);
/* EVENT_HOP: moves a message on. */
void network_hop(struct clue_engine *e, uint32_t message);
/* EVENT_ARRIVE: the message is no longer under way. */
void network_end(struct clue_engine *e, struct message *m);
/* ------------------------------------------------- fair.c */

bool fair_new(struct clue_engine *e);
void fair_free(struct clue_engine *e);
/* EVENT_HOP of a message; returns true if it has passed the network. */
bool fair_hop(struct clue_engine *e, uint32_t message);
/* Requests new shares, since flows have come or gone, or LINK has changed. */
void fair_solve(struct clue_engine *e);
void fair_link_changed(struct clue_engine *e, uint32_t link);

/* Begins the transmission of a message at START. */
void network_launch(struct clue_engine *e, uint32_t message, int64_t start);
/* A message arrives at NS, as far as the network knows. */
void network_landed(struct clue_engine *e, uint32_t message, int64_t ns);
int64_t transmission_ns(struct clue_engine *e, const struct message *m);

/* copies.c: large messages within a host that their receiver copies. */
bool copies_are_of(const struct clue_engine *e, const struct message *m);
/* Returns whether a message that has arrived, if an access, waits for a call of its receiver. */
bool copies_may_wait(const struct clue_engine *e, const struct message *m);
void copies_access(struct clue_engine *e, uint32_t message);
/* Both sides of the message are known from NS on. */
void copies_expect(struct clue_engine *e, uint32_t message, int64_t ns);
void copies_come(struct clue_engine *e, uint32_t message);
/* Copies what has come, while the task is in a call. */
void copies_begin(struct clue_engine *e, struct task *t);
/* Ends copying: the task leaves that call. */
void copies_end(struct task *t);

#endif
