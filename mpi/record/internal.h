/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi/record: what its own files share. */
#ifndef PORTOLAN_RECORD_INTERNAL_H
#define PORTOLAN_RECORD_INTERNAL_H

#include <portolan/list.h>
#include <portolan/record.h>
#include <portolan/trace_stream.h>

/* -- stream.c: one thread's file -- */

struct region_stack {
    size_t depth, room;
    uint32_t *at;
};

/* The last block in which each number was defined; 0: none. */
struct stream_known {
    uint32_t *block;
    size_t n;
};

enum { KNOWN_REGION, KNOWN_ROUTINE, KNOWN_COMM, KNOWN_NAME, KNOWN_KINDS };

/*
 * Calls in vain that look again and again (MPI_Test, MPI_Iprobe) are one call, from the first to
 * the last: its end is not written before something else happens.
 */
struct record_polls {
    bool are_open;       /* the first has begun, the last has ended, and nothing came after it */
    bool has_next;       /* but that one more has begun */
    uint32_t routine, n; /* of the next; how many there were */
    const char *name;    /* of the next one's routine */
    uint64_t first, end, next;     /* ticks: the first begins, the last ends, the next begins */
    uint64_t apart;                /* ticks of longer gaps between them */
    uint64_t cpu_first_ns, cpu_ns; /* processor time of the thread when the first, the last ended */
    uint8_t *plain_end;            /* the stream's, which has none meanwhile */
};

struct stream {
    uint8_t *at, *end; /* equal: there is no room */
    /* Up to here frequent events are written without more ado; NULL: none are. */
    uint8_t *plain_end;
    uint64_t last;     /* ticks of the last event */
    uint64_t cpu_next; /* when the processor time is due */
    uint8_t *block;
    uint64_t events; /* in the block */
    uint64_t lost, lost_reported;
    uint64_t retry;  /* `lost` at which a block is tried again */
    unsigned number; /* of the block, from 1 */
    unsigned window; /* that of the last event: record_window_number */
    unsigned folder; /* number of the folder that it is in */
    int fd, thread;
    bool in_call, is_ending, is_virtual;
    /* Regions that the thread is in, and those of them that the file knows. */
    const struct region_stack *open;
    struct record_polls polls;
    struct region_stack written;
    struct stream_known known[KNOWN_KINDS];
};

/*
 * A new file, whose first event is at TICKS; NULL without memory. If the file cannot be made, all
 * its events are lost.
 */
struct stream *stream_open(int thread, uint64_t ticks, const struct region_stack *open);
void stream_close(struct stream *s);

/*
 * Nothing is known of the time since the last event. Ends what is open there and begins what is
 * open now. LOST: 0 if recording was off.
 */
void stream_put_gap(struct stream *s, uint64_t ticks, uint64_t lost);

/* The next block, after events were lost with a gap. False: they are lost still. */
bool stream_make_room(struct stream *s, uint64_t ticks);
void stream_lose(struct stream *s);

/* An event that knows what it refers to, where there is room. Inline, since its kind is mostly a
 * constant. */
static inline __attribute__((always_inline)) void
stream_write(struct stream *s, const struct portolan_stream_event *e)
{
    uint8_t byte, *at = portolan_stream_encode(s->at, e, &s->last, &byte);

    s->events++;
    __atomic_store_n(s->at, byte, __ATOMIC_RELEASE); /* now it is valid */
    s->at = at;
}

static inline __attribute__((always_inline)) void stream_put(struct stream *s,
                                                             const struct portolan_stream_event *e)
{
    if (__builtin_expect(s->end - s->at < PORTOLAN_STREAM_EVENT_MAX, 0) &&
        !stream_make_room(s, e->ticks))
        stream_lose(s);
    else
        stream_write(s, e);
}

static inline bool stream_knows(const struct stream *s, unsigned kind, size_t i)
{
    const struct stream_known *k = &s->known[kind];

    return i < k->n && k->block[i] == s->number;
}

/* Returns whether number I of a KIND is new to the file; without memory it always is. */
bool stream_is_new(struct stream *s, unsigned kind, size_t i);
/* For an event and its definitions, which are to be in one block. */
static inline bool stream_is_ready(const struct stream *s)
{
    return s->end - s->at >= 2 * PORTOLAN_STREAM_EVENT_MAX;
}
void stream_define(struct stream *s, unsigned kind, const struct portolan_stream_definition *d);

/* Without memory it is as if the region had not been entered. */
static inline void stack_push(struct region_stack *stack, uint32_t region)
{
    if (portolan_reserve(&stack->at, &stack->room, stack->depth + 1, sizeof *stack->at))
        stack->at[stack->depth++] = region;
}

static inline void stack_pop(struct region_stack *stack)
{
    stack->depth -= stack->depth > 0;
}

/* -- process.c: what process this is, and when recording begins -- */

/* The process, as all its files name it. Constant once recording began, but for the folder. */
struct record_process {
    char *folder;
    unsigned folder_number; /* of the folder that files are made in now */
    int rank, n_ranks;
    unsigned flags;
    char host[256], counter[64]; /* the latter "": not known */
    bool is_running;             /* MPI, or portolan_record_start(): the rank is known */
    bool shares_cores, has_begun, has_ended;
    uint64_t cpu_every, gap_short, gap_most;        /* ticks */
    uint32_t block_cost, cost_names[2], polls_name; /* names of values */
};
extern struct record_process record_process;

/* The process is RANK of N_RANKS, with the FLAGS of its files: recording can begin. */
void record_run_as(int rank, int n_ranks, unsigned flags, bool on_shared_cores);

/* -- definitions.c: what events refer to, into the stream before its first use -- */

void define_region(struct stream *s, uint32_t region);
/* NULL: no such region. */
const char *record_region_name(uint32_t region);
void define_name(struct stream *s, uint32_t name);
void define_routine(struct stream *s, uint32_t number, const char *name);
void define_comm(struct stream *s, const struct portolan_mpi_comm *comm);

/* -- window.c: when recording is on -- */

/* While recording is on; changes each time that it begins. RECORD_OFF: it is off. */
#define RECORD_OFF UINT32_MAX
extern unsigned record_window_number;
/* The observer by which mpi/ reports calls. */
extern struct portolan_mpi_observer record_observer;
enum record_cpu { CPU_AUTO, CPU_ALWAYS, CPU_NEVER };
extern enum record_cpu record_cpu;

/* Facts on which recording depends. STEP: -1: none yet; DEPTH: number of open wanted regions, of
 * all threads. */
enum window_fact { WINDOW_BEGUN, WINDOW_SUSPENDED, WINDOW_STEP, WINDOW_DEPTH, WINDOW_FACTS };
/* It is VALUE now, or DEPTH by so many more; recording may be switched. */
void window_change(enum window_fact what, long value);
/* Returns whether the window asks for regions of this name; then DEPTH counts them. */
bool window_wants(const char *region);

#endif
