/* SPDX-License-Identifier: BSD-3-Clause */
/* probe: what its own files share. */
#ifndef PORTOLAN_PROBE_INTERNAL_H
#define PORTOLAN_PROBE_INTERNAL_H

#include <portolan/probe.h>

#include <pthread.h>

/* Frames per thread: 4 MiB of address space, of which only what is touched becomes memory. */
#define PROBE_FRAMES 65536
/*
 * Bits in a node's method by which keys of bins and of the rest never equal exact values; PROFILED
 * is the third.
 */
#define PROBE_BIN         0x80000000U
#define PROBE_REST        0x40000000U
#define PROBE_HANDLE_MASK 0x1FFFFFFFU
/* Bit of a handle: it stands for a timer or phase. */
#define PROBE_TIMED 0x10000000U
/* Stack address of frames that belong to no function: never taken for dead. */
#define PROBE_SP_NONE UINTPTR_MAX

/* Flags of a port that are its state, not what its owner chooses. */
#define PROBE_STATE_FLAGS                                                                          \
    (PORTOLAN_PROBE_CLOSED | PORTOLAN_PROBE_SAMPLED | PORTOLAN_PROBE_UNCALLED | PROBE_OBSERVED)
/* A flag of a port: an observer is notified of its calls, which take the slow way. */
#define PROBE_OBSERVED 16U

/* call.c */
void probe_call_observe(portolan_probe_call_fn *observer);

struct probe_chunk;
struct rows_block;
struct probe_events;
struct probe_parameter;

/* In ticks: what portolan_probe_reset_unprofiled() took out of a timer's record. */
struct portolan_probe_carry {
    uint64_t calls, subroutine_calls, inclusive, exclusive, mpi;
    uint64_t counters[PORTOLAN_PROBE_COUNTERS_ALL];
};

/*
 * The activation of a timer, in addition to its frame: the thread's clocks when it began, and the
 * parameters that it was given.
 */
struct probe_activation {
    uint64_t began, paused, mpi;
    const struct probe_parameter *parameters; /* the last; NULL: none */
    unsigned n;
    bool is_counted;
    int64_t values[PORTOLAN_PROBE_CONTEXTS];
};
struct probe_counting;

/* The state, in addition to its frame, of a call that runs while records are emptied or measuring
 * pauses. */
struct probe_span {
    uint64_t start;                /* the frame's, to recognise the call */
    uint64_t began;                /* by the clock; each pause moves the frame's start */
    uint64_t inclusive, exclusive; /* reported already, and so taken off the record */
};

/*
 * The record of one thread. It stays in the registry until the process ends; a thread that ends
 * leaves it to the next new one. So memory is bounded by the number of threads that run at one
 * time, and a scan of the registry never meets freed memory.
 */
struct probe_thread {
    struct portolan_probe_thread hot; /* first: the inline code's view */
    uint32_t index;
    bool in_use; /* under the registry lock */
    struct probe_thread *next;
    uintptr_t stack_low, stack_high;

    struct portolan_probe_node *root, *last, *other;
    uint32_t n_nodes;
    struct probe_chunk *chunks;

    unsigned mpi_depth;
    uint64_t mpi_start, mpi_sum; /* the sum never decreases */
    uintptr_t mpi_frame; /* of the outermost call, on the thread's own stack; 0: not known */
    struct portolan_probe_frame *pause;
    unsigned pause_depth;
    uint64_t pause_sum;                   /* likewise */
    struct probe_activation *activations; /* per frame; made at first use */
    struct probe_span *spans;             /* likewise */
    struct probe_events *events;          /* likewise */

    struct probe_counting *counting; /* made at the first counted call */

    uint64_t random; /* of sampling; 0: no seed yet */
    double gap_scale;
    uint32_t gap_one_in;

    /* rows.c: written by the thread, then by whoever reads the rows, under its lock */
    struct rows_block *rows; /* NULL: none was free */
    uint64_t rows_lost;
    struct rows_block *rows_oldest __attribute__((aligned(64)));
    uint64_t rows_lost_reported;
    uint64_t rows_spilled; /* on disk and not taken */
    uint64_t rows_wanted;  /* by whoever takes rows now */
};

/* thread.c */
struct probe_thread *probe_thread_create(void);
void probe_thread_destroy(struct probe_thread *t);
/* The registry's first thread; go on by probe_thread_next. No lock: records never leave. */
struct probe_thread *probe_thread_first(void);
struct probe_thread *probe_thread_next(struct probe_thread *t);
/* Returns the record of the calling thread; NULL before its first call. */
struct probe_thread *probe_thread_known(void);
/* The same, made if need be; NULL without memory. */
struct probe_thread *probe_thread_self(void);
/* Drops what a longjmp left on T, the calling thread, which is at SP. */
void probe_thread_heal(struct probe_thread *t, uintptr_t sp);
bool probe_thread_is_idle(const struct probe_thread *t);
/* Sets whether calls read the slow clock. Only while no thread is inside a measured call. */
void probe_threads_set_clock(bool is_slow);

/* method.c: portolan_probe_method_peek() without its lock, for signal handlers. */
const struct portolan_probe_method_info *probe_method_read(uint32_t handle);

/* call.c: calls that run without a mark because memory for one was missing. */
unsigned long probe_unmarked_calls(void);
void probe_unmarked_forget(void);

/* Returns whether the call in F is measured; calls that only forward are not. */
static inline bool probe_frame_is_measured(const struct portolan_probe_frame *f)
{
    return f->mark & PORTOLAN_PROBE_MEASURED;
}

/* The port it is a call of; NULL for a timer or a pause. */
static inline const struct portolan_probe_port *
probe_frame_port(const struct portolan_probe_frame *f)
{
    uintptr_t mark = __atomic_load_n(&f->mark, __ATOMIC_ACQUIRE);

    return (const struct portolan_probe_port *)(mark &
                                                ~(PORTOLAN_PROBE_MEASURED | PORTOLAN_PROBE_UNTIMED |
                                                  PORTOLAN_PROBE_SPECIAL));
}

/* port.c: returns whether a closed gate lets a call pass that would begin in frame F (NULL: in
 * none). */
bool probe_gate_lets_pass(const struct probe_thread *t, const struct portolan_probe_frame *f,
                          const struct portolan_probe_port *port);
/* Sleeps while PORT's flags are FLAGS, but not long. */
void probe_gate_wait(const struct portolan_probe_port *port, uint32_t flags);

/* Notes that PORT has been called. */
static inline void probe_port_note_call(struct portolan_probe_port *port)
{
    if (__atomic_load_n(&port->flags, __ATOMIC_RELAXED) & PORTOLAN_PROBE_UNCALLED)
        __atomic_fetch_and(&port->flags, ~PORTOLAN_PROBE_UNCALLED, __ATOMIC_SEQ_CST);
}

/*
 * The second look of a call that begins in F, which becomes part of the stack: looks again when the
 * binding has changed, and sleeps while the gate is closed.
 */
struct portolan_probe_binding *probe_settle(struct probe_thread *t, struct portolan_probe_frame *f,
                                            struct portolan_probe_port *port);

/* Reals that one thread writes and others look at. */
static inline double probe_load_real(const double *p)
{
    double x;

    __atomic_load(p, &x, __ATOMIC_RELAXED);
    return x;
}

static inline void probe_store_real(double *p, double x)
{
    __atomic_store(p, &x, __ATOMIC_RELAXED);
}

/* A frame of the handle's timer, measured or not. */
static inline bool probe_frame_is_timer(const struct probe_thread *t,
                                        const struct portolan_probe_frame *f, uint32_t handle)
{
    return f > t->hot.frames && f != t->pause && !probe_frame_port(f) &&
           (uintptr_t)f->binding == handle;
}

/* thread.c: address space, of which only what is touched becomes memory; NULL if there is none. */
void *probe_map(size_t size);

/* call.c: running calls, the calling thread's own */
enum portolan_status probe_spans_reserve(struct probe_thread *t);
/* ELAPSED ticks count in no call that runs below END. */
void probe_spans_shift(struct probe_thread *t, const struct portolan_probe_frame *end,
                       uint64_t elapsed);
/* When the call of F began, by the clock. */
uint64_t probe_span_began(const struct probe_thread *t, const struct portolan_probe_frame *f);
/* The running call of F leaves its own node for the node TO. */
void probe_spans_move(struct probe_thread *t, const struct portolan_probe_frame *f,
                      struct portolan_probe_node *to);
/* The call of F adds nothing to its record: what was taken off in advance is given back. */
void probe_span_drop(struct probe_thread *t, const struct portolan_probe_frame *f);
/*
 * To be called when the records of running calls, except those of profiled ports, have just been
 * emptied. Takes the time that these calls have had off their records, which are below 0 then, so
 * that each counts as one call when it ends, with the time since. If a longjmp leaves a call, its
 * time stays off: the record of that step has too little (never less than 0), its caller's
 * exclusive time so much more. Memory must be reserved.
 */
void probe_spans_begin(struct probe_thread *t);

/* events.c */
void probe_events_free(struct probe_events *events);
/* Empties them; the caller sees to it that no thread triggers meanwhile. */
void probe_events_reset(void);

/* rows.c: notes a row of the call in F, whose counters have stopped; it is recorded after this. */
void probe_row_note(struct probe_thread *t, struct portolan_probe_frame *f, uint64_t elapsed,
                    unsigned n);
/* Makes ready to note rows, if that has not been done. */
void probe_rows_start(void);
/* Writes to disk now what the thread for that would write; returns how many rows are there then. */
uint64_t probe_rows_spill_now(void);
/* Forgets rows that wait. Only while no thread is inside a monitored call with rows. */
void probe_rows_forget(void);

/* The locks that a fork takes, in this order, and gives back on both sides. */
extern pthread_mutex_t probe_cost_lock, probe_rows_lock, probe_events_lock, probe_parameters_lock,
    probe_methods_lock, probe_registry_lock;
/* In the child: gives up the rows and their file, which are the parent's. */
void probe_rows_abandon(void);

/* tree.c */
enum portolan_status probe_tree_init(struct probe_thread *t);
void probe_tree_free(struct probe_thread *t);
/* The record of METHOD below PARENT that has not been found by these keys: a bin, or a new one. */
struct portolan_probe_node *probe_child(struct probe_thread *t, struct portolan_probe_node *parent,
                                        uint32_t method, const int64_t *keys, const double *x,
                                        unsigned n);

static inline int64_t probe_node_key(const struct portolan_probe_node *node, unsigned i)
{
    return i ? node->key_more[i - 1] : node->key0;
}

/* clock.c: nanoseconds of CLOCK_MONOTONIC, whatever clock is in use. */
uint64_t probe_wall_ns(void);
/* Returns whether the program runs under `clue run`. */
bool probe_is_in_virtual_time(void);

/* snapshot.c */
enum portolan_status probe_reset(bool own_calls_too, bool profiled_too, struct portolan_error *err);
/* Begins anew the time that snapshots cover. */
void probe_begin_now(void);

/* counting.c: of the call in F, whose record is known. */
void probe_counters_start(struct probe_thread *t, struct portolan_probe_frame *f);
void probe_counters_stop(struct probe_thread *t, struct portolan_probe_frame *f);
/* To be called when the calling thread ends and gives up its record. */
void probe_counters_detach(struct probe_thread *t);
void probe_counters_free(struct probe_thread *t);
/* OK when NAME is a set or means none. */
enum portolan_status probe_counters_check_set(const char *name, struct portolan_error *err);
/* The call in F counts for nothing. */
void probe_counters_drop(struct probe_thread *t, const struct portolan_probe_frame *f);
/* The call in F goes on in another record. */
void probe_counters_move(struct probe_thread *t, const struct portolan_probe_frame *f);
void probe_counters_empty(struct portolan_probe_node *node);
/*
 * The counts of the call that probe_counters_stop ended last on the thread, in the order of the set
 * in force; NULL and *N 0: it was not counted, or by a set that is no longer in force.
 */
const uint64_t *probe_counters_last(const struct portolan_probe_thread *hot, unsigned *n);
/* A number that changes with the set in force. */
unsigned probe_counters_generation(void);
struct counter_driver;
/* For tests: changes the driver; the definition is empty then. */
void probe_counters_use_driver(const struct counter_driver *driver);

#endif
