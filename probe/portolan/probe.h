/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * probe: the code that a measured call runs. Clock, counters, the per-thread record with its shadow
 * stack and call-path tree, inline start and stop, the swap of the target of a port, snapshots.
 *
 * How a proxy uses it. At connect time it registers the methods of the connection and fills a
 * binding (target and handles); each of its methods then reads
 *
 *     struct portolan_probe_call call;
 *     struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
 *     struct portolan_probe_binding *b =
 *         portolan_probe_enter(&call, &proxy->port, METHOD_SOLVE, context, 1);
 *     ... forward to b->target ...
 *     portolan_probe_leave(&call);
 *
 * A port that may be left unmonitored for long has a shorter way for calls that only forward, in a
 * function of its own that callers reach before the one above:
 *
 *     PORTOLAN_PROBE_PASS(call, &proxy->port, return solve_measured(proxy, n));
 *     ... forward to call.binding->target ...
 *
 * The function holding these lines must be reached through a pointer or be `noinline`, with one
 * call in it: its stack address shows whether a frame is alive. Do not use it from signal handlers,
 * or with fibers that interleave port calls on one thread.
 *
 * Times are kept in ticks of the clock and leave this room in nanoseconds. Counters are PAPI's;
 * events, timers and phases are TAU's; swaps rest on membarrier(2), as probe_inline.h explains.
 */
#ifndef PORTOLAN_PROBE_H
#define PORTOLAN_PROBE_H

#include <portolan/base.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most context values a call may have. */
#define PORTOLAN_PROBE_CONTEXTS 4
/** Most counters that are read together, and most of all sets. */
#define PORTOLAN_PROBE_COUNTERS_MAX 8
#define PORTOLAN_PROBE_COUNTERS_ALL 16
/** Distinct context tuples kept exactly per (parent, method); later ones share bins. */
#define PORTOLAN_PROBE_EXACT 64
/** Bins per (parent, method); only tuples of several contexts reach this, the rest share one. */
#define PORTOLAN_PROBE_BINS 512
/** Call-path nodes per thread; calls on further new paths are counted in one node, "other". */
#define PORTOLAN_PROBE_NODES 65536

/* ------------------------------------------------------------------ clock */

enum portolan_probe_clock {
    PORTOLAN_PROBE_CLOCK_TSC, /**< the processor's counter, calibrated against CLOCK_MONOTONIC */
    PORTOLAN_PROBE_CLOCK_MONOTONIC, /**< clock_gettime, where the counter is not invariant */
    PORTOLAN_PROBE_CLOCK_MANUAL     /**< stands still until advanced; ticks are nanoseconds */
};

/**
 * Chooses the clock of this process and empties all records, whose ticks it would falsify.
 * PORTOLAN_EBUSY while a monitored call is running on any thread; PORTOLAN_EUNSUPPORTED for TSC
 * where the counter is not invariant; PORTOLAN_EINVAL for no clock. The manual clock starts at 0.
 */
PORTOLAN_API enum portolan_status portolan_probe_clock_set(enum portolan_probe_clock clock,
                                                           struct portolan_error *err);

/** The clock in use; at start TSC where it is invariant, else MONOTONIC. */
PORTOLAN_API enum portolan_probe_clock portolan_probe_clock_get(void);

/** Moves the manual clock on; PORTOLAN_EINVAL when another clock is in use. Any thread. */
PORTOLAN_API enum portolan_status portolan_probe_clock_advance(uint64_t elapsed_ns);

/** From now on the manual clock moves by TICK_NS whenever it is read, so that no two events have
 * the same time and calls of MPI take time; returns the previous value. Valid until another clock
 * is set; do not call it while other threads measure. */
PORTOLAN_API uint64_t portolan_probe_clock_tick(uint64_t tick_ns);

/** A difference of portolan_probe_now() values in nanoseconds (exact on the manual clock). */
PORTOLAN_API double portolan_probe_ticks_to_ns(uint64_t ticks);

/* ---------------------------------------------------------------- methods */

/** The kind of a method; all methods that are registered together have one kind. */
enum portolan_probe_kind {
    PORTOLAN_PROBE_CALL_OF_PORT, /**< of a port, or a routine that is timed by name */
    PORTOLAN_PROBE_TIMER,        /**< a timer of a component's own; its port_type is its group */
    PORTOLAN_PROBE_PHASE         /**< a timer below which all paths are kept apart */
};

/** One method of a port, as its proxy knows it; all strings are copied at registration. */
struct portolan_probe_method {
    const char *name;
    unsigned n_context;                           /**< 0 … PORTOLAN_PROBE_CONTEXTS */
    const char *context[PORTOLAN_PROBE_CONTEXTS]; /**< names of the parameters */
    unsigned real_contexts; /**< bit i set: context i is a real value, always binned */
    enum portolan_probe_kind kind;
};

/** One connection. NULL strings are taken as "". */
struct portolan_probe_connection {
    const char *user;           /**< instance that calls */
    const char *uses;           /**< its uses port */
    const char *provider;       /**< instance that is called */
    const char *provides;       /**< its provides port */
    const char *provider_class; /**< the implementation that provides the port now */
    const char *port_type;
};

/** The method that a handle means; strings stay valid until the process ends. */
struct portolan_probe_method_info {
    uint32_t handle;
    struct portolan_probe_connection connection;
    struct portolan_probe_method method;
};

/** Handles that are not registered by anybody. */
#define PORTOLAN_PROBE_HANDLE_ROOT  0U /**< root of a thread's tree, never called */
#define PORTOLAN_PROBE_HANDLE_OTHER 1U /**< paths beyond PORTOLAN_PROBE_NODES */
#define PORTOLAN_PROBE_HANDLE_OWN   2U /**< Portolan's own work, between pause and resume */

/**
 * Resolves names to handles: METHODS[i] of CONNECTION gets handle *FIRST + i. The same connection
 * and methods give the same handles again, so an implementation that comes back continues its
 * records. Any thread. PORTOLAN_EINVAL for too many contexts or several kinds, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_probe_methods_register(const struct portolan_probe_connection *connection,
                                const struct portolan_probe_method *methods, size_t count,
                                uint32_t *first, struct portolan_error *err);

/**
 * Returns the method of HANDLE, borrowed; NULL for a handle that was never given out. Any thread.
 */
PORTOLAN_API const struct portolan_probe_method_info *portolan_probe_method_peek(uint32_t handle);

/** Calls VISIT with each registered method until it returns false. VISIT must not register any. */
PORTOLAN_API void portolan_probe_methods_visit(
    bool (*visit)(void *arg, const struct portolan_probe_method_info *info), void *arg);

/* ------------------------------------------------------------------ ports */

struct portolan_probe_thread;

#define PORTOLAN_PROBE_MONITORED 1U /**< measure calls; else only mark the shadow stack */
#define PORTOLAN_PROBE_COUNTERS  2U /**< read the counters at each monitored call (about 1 us) */
/** With MONITORED: note one row for each call that is timed. */
#define PORTOLAN_PROBE_ROWS 0x100U
/** With MONITORED: into separate records, which `profiled` marks. */
#define PORTOLAN_PROBE_PROFILED 0x20000000U

/**
 * A binding, which a swap publishes at once: the target, and the handles of its implementation, so
 * that a new implementation has records of its own. Owned by its creator; must stay until it was
 * retired.
 */
struct portolan_probe_binding {
    void *target;                 /**< what to forward to; NULL: not connected, the proxy throws */
    uint32_t first_method_handle; /**< from portolan_probe_methods_register */
    void *extra;                  /**< the proxy's own */
};

/** The part of a proxy that a swap changes. Read and change it only through the functions below. */
struct portolan_probe_port {
    struct portolan_probe_binding *binding;
    uint32_t flags;
    uint32_t one_in;                      /* valid while the flags say that calls are sampled */
    struct portolan_probe_thread *keeper; /* the thread that closed the gate */
};

/** Fills PORT before anybody calls through it. BINDING must not be NULL (its target may). */
PORTOLAN_API void portolan_probe_port_init(struct portolan_probe_port *port,
                                           struct portolan_probe_binding *binding, uint32_t flags);

/** Called on the thread of a call when METHOD, a handle, begins or ends. */
typedef void portolan_probe_call_fn(uint32_t method, bool begins);
/**
 * From now on OBSERVER, the only one of the process, sees each call of PORT that is timed. These
 * calls take the slow path; calls of other ports do not change.
 */
PORTOLAN_API void portolan_probe_port_observe(struct portolan_probe_port *port,
                                              portolan_probe_call_fn *observer);

/**
 * Switches monitoring, counters or rows of PORT on or off; calls that are running end as they
 * began. Sampling stays as it is.
 */
PORTOLAN_API void portolan_probe_port_set_flags(struct portolan_probe_port *port, uint32_t flags);
PORTOLAN_API uint32_t portolan_probe_port_flags(const struct portolan_probe_port *port);

/** Returns whether a call of PORT has begun since portolan_probe_port_init. Any thread. */
PORTOLAN_API bool portolan_probe_port_was_called(const struct portolan_probe_port *port);

/** The largest `one_in`; larger values are reduced to it. */
#define PORTOLAN_PROBE_SAMPLING_MAX 16777216U

/**
 * From now on one in ONE_IN monitored calls of PORT is timed, 0 or 1: each. Every call is counted
 * and has its place in the call path; each is timed with probability 1 / ONE_IN on its own (the
 * gaps are random, so that they cannot coincide with a period of the program), and a call that is
 * not timed costs about a quarter of a measured one.
 *
 * `calls` of a record counts all, `timed_calls` those that were timed; times, extremes, sums,
 * counters, MPI time and context sums are of timed calls alone. The time of a call that was not
 * timed is not subtracted from its caller's exclusive time; calls made inside it have their own
 * records and times as always, which are not subtracted from any other.
 */
PORTOLAN_API void portolan_probe_port_set_sampling(struct portolan_probe_port *port,
                                                   uint32_t one_in);
/** 1 when each call is timed. */
PORTOLAN_API uint32_t portolan_probe_port_sampling(const struct portolan_probe_port *port);

/** The binding in force, borrowed. */
PORTOLAN_API struct portolan_probe_binding *
portolan_probe_port_peek_binding(const struct portolan_probe_port *port);

/**
 * Publishes NEW_BINDING and waits until no thread is inside a call that may have seen the old one,
 * which then comes back in *OLD_BINDING, free to be retired. New calls never wait.
 *
 * PORTOLAN_EBUSY when the calling thread itself is inside PORT. PORTOLAN_ETIMEOUT when calls were
 * still inside after TIMEOUT_NS of wall time. PORTOLAN_EUNSUPPORTED when the kernel has no private
 * membarrier(2). PORTOLAN_ENOMEM. On failure the old binding is in force and *OLD_BINDING is NULL;
 * where portolan_probe_is_in_doubt() says so, NEW_BINDING must be kept until
 * portolan_probe_port_wait_quiet() succeeds. One swap of a port at a time.
 *
 * Threads that a target starts by itself and calls that bypass the port are not waited for.
 */
PORTOLAN_API enum portolan_status
portolan_probe_retarget(struct portolan_probe_port *port,
                        struct portolan_probe_binding *new_binding, uint64_t timeout_ns,
                        struct portolan_probe_binding **old_binding, struct portolan_error *err);

/** Returns whether calls may be using the binding that retargeting with STATUS was to publish,
 * because it was in force for a moment. */
static inline bool portolan_probe_is_in_doubt(enum portolan_status status)
{
    return status != PORTOLAN_OK && status != PORTOLAN_EBUSY;
}

/**
 * Waits until no call of PORT is running with any other binding than the one in force; errors as
 * for retarget.
 */
PORTOLAN_API enum portolan_status portolan_probe_port_wait_quiet(struct portolan_probe_port *port,
                                                                 uint64_t timeout_ns,
                                                                 struct portolan_error *err);

/**
 * Closes PORT for a swap in which state moves from the old target to the new: new calls sleep until
 * portolan_probe_gate_open, and the function returns when the calls that were running have ended.
 * Calls that a running call makes through the same port still pass, as do those that it makes
 * through other ports that the same thread has closed, and those of the thread that closed the
 * gate; all go to the old target.
 *
 * PORTOLAN_EBUSY when the calling thread is inside PORT or the gate is closed already.
 * PORTOLAN_ETIMEOUT when calls were still inside after TIMEOUT_NS (one may wait for another thread
 * that sleeps at the gate), PORTOLAN_EUNSUPPORTED, PORTOLAN_ENOMEM: the gate is open again and
 * nothing has changed.
 */
PORTOLAN_API enum portolan_status portolan_probe_gate_close(struct portolan_probe_port *port,
                                                            uint64_t timeout_ns,
                                                            struct portolan_error *err);

/**
 * The two halves of portolan_probe_gate_close, for several ports that are to be still at one
 * moment: shut all, then drain each. SHUT does not wait; PORTOLAN_EBUSY and PORTOLAN_ENOMEM as for
 * close. DRAIN returns when no call is running that began before; it may be asked again, and after
 * any failure the gate stays shut.
 */
PORTOLAN_API enum portolan_status portolan_probe_gate_shut(struct portolan_probe_port *port,
                                                           struct portolan_error *err);
PORTOLAN_API enum portolan_status portolan_probe_gate_drain(struct portolan_probe_port *port,
                                                            uint64_t timeout_ns,
                                                            struct portolan_error *err);

/**
 * Puts NEW_BINDING in force while the gate is shut, and returns the old one without waiting: unless
 * the port was drained before, calls may use that until portolan_probe_port_wait_quiet succeeds.
 */
PORTOLAN_API struct portolan_probe_binding *
portolan_probe_gate_publish(struct portolan_probe_port *port,
                            struct portolan_probe_binding *new_binding);

/**
 * Opens the gate that the calling thread closed, with NEW_BINDING in force, or with the old one if
 * that is NULL, and wakes the threads that sleep. Returns the binding that was in force before,
 * which may be retired at once when it was replaced.
 */
PORTOLAN_API struct portolan_probe_binding *
portolan_probe_gate_open(struct portolan_probe_port *port,
                         struct portolan_probe_binding *new_binding);

/** Returns whether PORT's gate is closed now. */
PORTOLAN_API bool portolan_probe_port_is_closed(const struct portolan_probe_port *port);

/* --------------------------------------------- time that is set apart, own work */

/**
 * Brackets of an MPI call on the calling thread: the time between is added to the MPI time of the
 * node the thread is in. Nested brackets count once. ENTER returns the clock, in ticks, where the
 * outermost bracket begins, and PORTOLAN_PROBE_INSIDE_MPI inside; LEAVE returns the ticks of the
 * outermost bracket and 0 inside.
 */
#define PORTOLAN_PROBE_INSIDE_MPI UINT64_MAX
PORTOLAN_API uint64_t portolan_probe_mpi_enter(void);
/**
 * Likewise with the calling function's __builtin_frame_address(0), which distinguishes a call that
 * an error handler left by longjmp from one that still runs around this one.
 */
PORTOLAN_API uint64_t portolan_probe_mpi_enter_at(const void *frame);
PORTOLAN_API uint64_t portolan_probe_mpi_leave(void);

/**
 * Brackets of Portolan's own work on the calling thread (committing a step, swapping): the time
 * between counts in no call that is running, but in a node of its own, PORTOLAN_PROBE_HANDLE_OWN,
 * under the thread's root; monitored calls made meanwhile become that node's children. Brackets
 * nest; the outermost counts.
 */
PORTOLAN_API void portolan_probe_pause(void);
PORTOLAN_API void portolan_probe_resume(void);
/** Sets the step that the program has reached, as a SwapPoint knows it; -1: none. Any thread. */
PORTOLAN_API void portolan_probe_step_set(int step);
PORTOLAN_API int portolan_probe_step(void);
/** How long the calling thread has been between them so far, in ns. */
PORTOLAN_API double portolan_probe_paused_ns(void);

/**
 * A timer that is no port call: opens a node for HANDLE below the current one. Timers nest properly
 * with each other and with port calls: stop gives PORTOLAN_EINVAL unless HANDLE is what the calling
 * thread opened last; start gives PORTOLAN_ENOMEM. A timer still open when the port call around it
 * ends is dropped. One that is started again before it was stopped nests in itself.
 *
 * Timers and phases (the kinds; not routines timed by name) also read the counters, if any are
 * chosen, and are in TAU profiles as well as among the records that are not `profiled`.
 */
PORTOLAN_API enum portolan_status portolan_probe_timer_start(uint32_t handle);
PORTOLAN_API enum portolan_status portolan_probe_timer_stop(uint32_t handle);

/**
 * The same for an activation that is not to be measured (its group is switched off): it nests like
 * one that is, and is stopped alike.
 */
PORTOLAN_API enum portolan_status portolan_probe_timer_start_unmeasured(uint32_t handle);

/** The cost of one activation of a timer, from its start to its stop. */
struct portolan_probe_activation {
    double inclusive_ns;
    double mpi_ns; /**< in MPI on this thread, also in calls made from here */
    /**
     * Counters of timers and phases, in the order of the set in force, since that came into force.
     */
    uint64_t counters[PORTOLAN_PROBE_COUNTERS_MAX];
};

/**
 * Stops HANDLE's timer with a context that is known only now: COUNT real values, which the record
 * of the timer keeps as sums (all contexts of HANDLE's method must be registered as real; one
 * record per path). *ACTIVATION is what it took, whatever was reset in between. PORTOLAN_EINVAL as
 * for stop, and for more than PORTOLAN_PROBE_CONTEXTS values.
 */
PORTOLAN_API enum portolan_status
portolan_probe_timer_stop_reading(uint32_t handle, const double *values, unsigned count,
                                  struct portolan_probe_activation *activation);

/**
 * Assigns the running activation of HANDLE (which the calling thread must have opened last) to the
 * record for NAME = VALUE, as if NAME were a context of the timer; up to PORTOLAN_PROBE_CONTEXTS
 * names, each with its latest value. Calls that it made before stay below the record without it.
 * PORTOLAN_EINVAL: HANDLE is not the one running, or there are too many names; PORTOLAN_ENOMEM. No
 * lock when NAME is known.
 */
PORTOLAN_API enum portolan_status
portolan_probe_timer_set_parameter(uint32_t handle, const char *name, int64_t value);

/* ----------------------------------------------------------------- events */

/** Most atomic events of a process. */
#define PORTOLAN_PROBE_EVENTS 65536
/** Most (event, call path) pairs per thread; later paths count only in the event's totals. */
#define PORTOLAN_PROBE_EVENT_PATHS 65536

/**
 * An atomic event (TAU's user event): a named value now and then, of which count, extremes, mean
 * and sum of squares are kept, per thread; with context, also per call path it was triggered in.
 * The same name is the same event, and has context once it was registered with it. Any thread.
 * PORTOLAN_EINVAL for no name, PORTOLAN_ENOMEM (also beyond PORTOLAN_PROBE_EVENTS).
 */
PORTOLAN_API enum portolan_status portolan_probe_event_register(const char *name, bool with_context,
                                                                uint32_t *event,
                                                                struct portolan_error *err);

/** From now on triggers of EVENT are kept apart by call path, or not. Any thread. */
PORTOLAN_API void portolan_probe_event_set_context(uint32_t event, bool with_context);

/**
 * Notes VALUE on the calling thread. No lock; memory is asked for at a thread's first trigger of
 * the event (on the call path) only. A NaN is noted as NaN.
 */
PORTOLAN_API void portolan_probe_event_trigger(uint32_t event, double value);

/**
 * The same from a thread that is not measured, such as a helper of a component: it counts for
 * thread 0, without call path. Takes a lock.
 */
PORTOLAN_API void portolan_probe_event_note(uint32_t event, double value);

/** The name of EVENT, borrowed for good; NULL beyond the last (they are numbered from 0). */
PORTOLAN_API const char *portolan_probe_event_peek_name(uint32_t event);

struct portolan_probe_event_record {
    const char *name; /**< borrowed for good */
    uint32_t event, thread;
    bool has_record; /**< one call path's part of the totals, which have a row of their own */
    uint64_t record; /**< id of the record it happened in */
    uint64_t count;
    double max, min, mean, sum_squares;
};

/**
 * Totals since start or reset: rows by thread, totals of events before their call paths. *ROWS is
 * malloc'ed; free() it. Triggers that call paths lack of their totals came after
 * PORTOLAN_PROBE_EVENT_PATHS paths, or while there was no context. Any thread. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_probe_events_take(struct portolan_probe_event_record **rows, size_t *n,
                           struct portolan_error *err);

/* ----------------------------------------------------------------- memory */

/** TAU's names of the two memory events, the first without context, the second with it. */
#define PORTOLAN_PROBE_EVENT_HEAP     "Memory Utilization (heap, in KB)"
#define PORTOLAN_PROBE_EVENT_HEADROOM "Memory Headroom Left (in MB)"

/** Memory that the process has allocated from its heap and not freed, in KiB. */
PORTOLAN_API double portolan_probe_heap_kb(void);

/**
 * How much more it could allocate, in MiB: the least of the machine's free memory, the rest of its
 * control group's limit, and its limits of address space and data. Allocates nothing.
 */
PORTOLAN_API double portolan_probe_headroom_mb(void);

/* ------------------------------------------------------- communication */

/** The data that calls of one routine exchanged with one partner, in one direction, since the
 * start. */
struct portolan_probe_traffic {
    const char *routine; /**< "MPI_Send"; valid until the process ends */
    int partner;         /**< world rank; -1: a collective call, or none */
    bool received;       /**< the bytes came from the partner; else they went to it */
    uint64_t calls;      /**< a call that sends and receives counts in the row of what it sent */
    double time_ns;      /**< inside these calls: never the time that a message was in transit */
    uint64_t bytes;
};

/** Hands out malloc'ed totals; *ROWS is NULL when there are none. PORTOLAN_ENOMEM. Any thread. */
typedef enum portolan_status (*portolan_probe_traffic_fn)(struct portolan_probe_traffic **rows,
                                                          size_t *n);

/** Sets the function that reports this process's communication; NULL: none. Any thread. */
PORTOLAN_API void portolan_probe_traffic_set_source(portolan_probe_traffic_fn fn);

/**
 * The totals of this process, summed over its threads, in a malloc'ed array that the caller frees;
 * PORTOLAN_OK, NULL and 0 if no source is set or nothing was exchanged. Any thread.
 */
PORTOLAN_API enum portolan_status portolan_probe_traffic_take(struct portolan_probe_traffic **rows,
                                                              size_t *n);

/**
 * One line on how blocking communication waits, for the metadata of a trial: "blocking calls poll",
 * or that they yield the processor, and why. TEXT is the caller's and must stay valid; PEEK returns
 * NULL if it was never set. Any thread.
 */
PORTOLAN_API void portolan_probe_waits_set(const char *text);
PORTOLAN_API const char *portolan_probe_waits_peek(void);

#include "probe_inline.h"
#include "probe_records.h"

#ifdef __cplusplus
}
#endif
#endif
