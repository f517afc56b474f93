/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trace: what every rank did, event by event. This header is the trace in memory;
 * <portolan/waits.h> has who waited for whom and why, <portolan/replay.h> the run without a cause,
 * and <portolan/record.h> recording.
 *
 * A trace has locations (threads of ranks). Each has events in the order of time. Events are
 * modelled on the records of OTF2 3.0 (https://perftools.pages.jsc.fz-juelich.de/cicd/otf2/), so
 * that traces of other tools can be read: a call of MPI is a pair BEGIN, END; what it posted and
 * completed is between them. Times are nanoseconds since the least time of the trace. One thread
 * builds and changes a trace; many may read it. No function here prints or exits, or needs MPI.
 */
#ifndef PORTOLAN_TRACE_H
#define PORTOLAN_TRACE_H

#include <portolan/base.h>
#include <portolan/trace_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The latest time, 104 days, so that doubles hold all times, and sums over ranks do not
 * overflow. */
#define PORTOLAN_TRACE_MOST_NS ((int64_t)1 << 53)

/** An event takes 32 bytes, so that 10^7 events and their analysis fit into 1 GB. */
struct portolan_trace_event {
    int64_t ns;
    uint64_t bytes;
    uint32_t request;   /**< number of a request of this location, from 1, at most the number of
                         * events of the trace; reused when it is done */
    int32_t peer;       /**< rank in MPI_COMM_WORLD */
    int32_t tag;        /**< of the message */
    uint32_t kind : 8;  /**< enum portolan_trace_kind */
    uint32_t what : 24; /**< index into one of the tables of struct portolan_trace, as KIND says */
};

/** A communicator. A window has that from which it was made. */
struct portolan_trace_comm {
    uint64_t id; /**< the same on all ranks; unique among communicators, or among windows */
    size_t n_members, n_remote;  /**< N_REMOTE: of an intercommunicator's other group; or 0 */
    const int *members, *remote; /**< ranks in MPI_COMM_WORLD */
    /** Neighbours of all members, one member after the other; NULL: it has no topology. */
    const int *neighbours;
    const size_t *first_neighbour; /**< N_MEMBERS + 1 indices in NEIGHBOURS */
};

struct portolan_trace_location {
    int rank, thread; /**< threads count from 0, by first event */
    const char *host; /**< "" when unknown */
    /** Locations with the same text have the same clock; "": the host's clock. */
    const char *clock;
    size_t first, n; /**< its events are events[first .. first + n) */
    bool is_cut;     /**< the file does not end properly */
    uint64_t lost;   /**< events that could not be recorded */
};

/**
 * A trace; read only outside of this room. Events of a location are contiguous, locations are in
 * the order of rank and thread. At most 2^32 - 1 events.
 */
struct portolan_trace {
    struct portolan_trace_event *events;
    size_t n_events;
    struct portolan_trace_location *locations;
    size_t n_locations;
    int n_ranks; /**< size of MPI_COMM_WORLD, including ranks that have no location */
    struct portolan_trace_region *regions;
    size_t n_regions;
    const char **routines; /**< "MPI_Send" */
    size_t n_routines;
    struct portolan_trace_comm *comms, *windows;
    size_t n_comms, n_windows;
    const char **names; /**< names of values */
    size_t n_names;
    bool has_threads; /**< MPI_THREAD_MULTIPLE was used */
    bool is_virtual;  /**< times are not those of a clock, but of a scenario or ManualClock */
    /** Times are of several clocks, related by the time of day only, until
     * portolan_clocks_correct(). */
    bool has_local_clocks;
    size_t n_unrelated_clocks; /**< clocks that cannot be compared with the others even then */
    const char *source;        /**< the file that it was read from, for messages */
};

/** Returns the index of RANK in the N RANKS (of a communicator, say); N if it is missing. */
PORTOLAN_API size_t portolan_trace_place(const int *ranks, size_t n, int rank);

/** Returns whether EVENT is something that a call of MPI posts, does or completes; times and values
 * may be between its BEGIN and END, too. */
static inline bool portolan_trace_is_operation(const struct portolan_trace_event *event)
{
    return event->kind >= PORTOLAN_TRACE_SEND && event->kind <= PORTOLAN_TRACE_EPOCH;
}

/** Returns the value of an event of kind VALUE. */
PORTOLAN_API double portolan_trace_value(const struct portolan_trace_event *event);

/** Classes of MPI 4.0's routines by what they mean for other ranks; PMPI_ and _c are ignored. */
enum portolan_trace_routine_class {
    PORTOLAN_ROUTINE_OTHER,
    PORTOLAN_ROUTINE_SEND,             /**< MPI_Send, MPI_Rsend */
    PORTOLAN_ROUTINE_SYNCHRONOUS_SEND, /**< MPI_Ssend */
    PORTOLAN_ROUTINE_BUFFERED_SEND,    /**< MPI_Bsend */
    PORTOLAN_ROUTINE_RECV,             /**< MPI_Recv, MPI_Mrecv */
    PORTOLAN_ROUTINE_SENDRECV,
    PORTOLAN_ROUTINE_POST,  /**< begins a send or receive: MPI_Isend, MPI_Irecv, MPI_Start … */
    PORTOLAN_ROUTINE_WAIT,  /**< MPI_Wait, Waitall, Waitany, Waitsome */
    PORTOLAN_ROUTINE_TEST,  /**< MPI_Test … */
    PORTOLAN_ROUTINE_PROBE, /**< MPI_Probe, MPI_Mprobe */
    PORTOLAN_ROUTINE_POLL,  /**< MPI_Iprobe, MPI_Improbe */
    /* In the next three all wait for all. */
    PORTOLAN_ROUTINE_BARRIER,
    PORTOLAN_ROUTINE_N_TO_N, /**< Allreduce, Allgather(v), Alltoall(v,w), Reduce_scatter(_block) */
    PORTOLAN_ROUTINE_CREATE, /**< makes or frees communicators or windows */
    PORTOLAN_ROUTINE_ONE_TO_N,  /**< Bcast, Scatter(v) */
    PORTOLAN_ROUTINE_N_TO_ONE,  /**< Reduce, Gather(v) */
    PORTOLAN_ROUTINE_SCAN,      /**< Scan, Exscan */
    PORTOLAN_ROUTINE_NEIGHBOUR, /**< Neighbor_allgather … */
    PORTOLAN_ROUTINE_INIT,
    PORTOLAN_ROUTINE_FINALIZE,
    PORTOLAN_ROUTINE_TRANSFER, /**< Put, Get, Accumulate … */
    PORTOLAN_ROUTINE_FENCE,
    PORTOLAN_ROUTINE_WIN_POST,
    PORTOLAN_ROUTINE_WIN_START,
    PORTOLAN_ROUTINE_WIN_COMPLETE,
    PORTOLAN_ROUTINE_WIN_WAIT
};
/** Returns a routine's class. Nonblocking and persistent collectives (MPI_Ibarrier) have the class
 * of the blocking one; *IS_NONBLOCKING (may be NULL) is then true. */
PORTOLAN_API enum portolan_trace_routine_class portolan_trace_classify(const char *routine,
                                                                       bool *is_nonblocking);

/* ------------------------------------------------- building a trace: readers, scenarios, tests */

/** Creates an empty trace of N_RANKS ranks, which the caller destroys; communicator 0 is
 * MPI_COMM_WORLD (id 0). SOURCE is copied. NULL: no memory. */
PORTOLAN_API struct portolan_trace *portolan_trace_create(int n_ranks, const char *source);
/** Destroys a trace; NULL is legal. */
PORTOLAN_API void portolan_trace_destroy(struct portolan_trace *trace);

/**
 * Return the index of an entry of a table; a new entry is added, with copies of strings and arrays.
 * Communicators and windows are found by their id; the first definition stays. SIZE_MAX: no memory,
 * or more than 2^24 entries.
 */
PORTOLAN_API size_t portolan_trace_region(struct portolan_trace *trace,
                                          const struct portolan_trace_region *region);
PORTOLAN_API size_t portolan_trace_routine(struct portolan_trace *trace, const char *name);
PORTOLAN_API size_t portolan_trace_name(struct portolan_trace *trace, const char *name);
PORTOLAN_API size_t portolan_trace_comm(struct portolan_trace *trace,
                                        const struct portolan_trace_comm *comm);
PORTOLAN_API size_t portolan_trace_window(struct portolan_trace *trace,
                                          const struct portolan_trace_comm *window);

/**
 * Sets the N neighbours of RANK in a communicator that was defined without any, given by its index;
 * only the first call counts, and only for members. False: no memory.
 */
PORTOLAN_API bool portolan_trace_neighbours(struct portolan_trace *trace, size_t comm, int rank,
                                            const int *ranks, size_t n);

/** Returns the location of RANK and THREAD, added if it is new; N_RANKS grows as needed. Borrowed
 * until another is added. HOST is copied, and may be NULL. NULL: no memory, or a negative rank. */
PORTOLAN_API struct portolan_trace_location *
portolan_trace_locate(struct portolan_trace *trace, int rank, int thread, const char *host);

/** Names the clock of LOCATION, once; CLOCK is copied. False: no memory. */
PORTOLAN_API bool portolan_trace_set_clock(struct portolan_trace *trace,
                                           struct portolan_trace_location *location,
                                           const char *clock);

/** Adds a copy of EVENT to the location of RANK and THREAD, in any order;
   portolan_trace_finish() sorts each location by time. False: no memory. */
PORTOLAN_API bool portolan_trace_add(struct portolan_trace *trace, int rank, int thread,
                                     const struct portolan_trace_event *event);

/**
 * Completes a trace. Call this once, when everything has been added: sorts locations and events,
 * moves times to start at 0, and completes what a truncated file lacks (then the location
 * `is_cut`): regions and calls without an end get one at the location's last time; ends without a
 * begin, and events that refer to missing entries, are dropped. If regions overlap, the inner one
 * ends with the outer. PORTOLAN_ENOMEM; PORTOLAN_EUNSUPPORTED: too many events.
 */
PORTOLAN_API enum portolan_status portolan_trace_finish(struct portolan_trace *trace,
                                                        struct portolan_error *err);

/** Returns how many ranks a finished TRACE has no events of; *FIRST is the first of them. */
PORTOLAN_API int portolan_trace_missing_ranks(const struct portolan_trace *trace, int *first);

/**
 * Finds ORIGINS[rank] for all ranks of TRACE, which is finished: the time at which NAME was 0, a
 * value that is the nanoseconds since then; INT64_MAX: not known. Such a value may be read a little
 * before its event, so the least is taken.
 */
PORTOLAN_API void portolan_trace_origins(const struct portolan_trace *trace, const char *name,
                                         int64_t *origins);

/** A stay in a region that was measured by other means, with its values. */
struct portolan_trace_span {
    int rank, thread;
    int64_t begin_ns, end_ns; /**< as times of the trace */
    struct portolan_trace_region region;
    size_t n_values, n_last;  /**< values at its begin; N_LAST at its end, which follow */
    const char *const *names; /**< names of VALUES */
    const double *values;
};

/**
 * Makes *BOTH, which the caller destroys: a finished trace with the events of TRACE and the N
 * SPANS, which nest at each location. SPANS are sorted in place. Spans of locations that TRACE does
 * not have are left out. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trace_with_spans(const struct portolan_trace *trace,
                                                            struct portolan_trace_span *spans,
                                                            size_t n, struct portolan_trace **both,
                                                            struct portolan_error *err);

/* ------------------------------------------------- files */

/**
 * Reads *TRACE, which the caller destroys, from PATH: an OTF2 anchor (*.otf2), a folder of
 * Portolan's streams, or one such stream. Damage that does not prevent reading (a truncated file, a
 * missing rank) goes to DIAGNOSTICS and is noted in the trace. PORTOLAN_ENOTFOUND, PORTOLAN_ESYNTAX
 * (none of these), PORTOLAN_EUNSUPPORTED (built without OTF2), PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_trace_read(const char *path,
                                                      struct portolan_diagnostics *diagnostics,
                                                      struct portolan_trace **trace,
                                                      struct portolan_error *err);

/** Writes TRACE as Portolan's streams into the folder PATH, which must be empty or missing.
 * PORTOLAN_EIO, PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trace_write(const struct portolan_trace *trace,
                                                       const char *path,
                                                       struct portolan_error *err);

/**
 * Writes TRACE as an OTF2 archive whose anchor file is PATH, NAME.otf2; its folder must not contain
 * another NAME. Values at the begin of their region become its attributes, others become metrics.
 * OTF2 has no record of processor times and marks; they are left out. FACTS: NULL, or names and
 * values alternately, then NULL. PORTOLAN_EIO, PORTOLAN_ENOMEM, PORTOLAN_EUNSUPPORTED (built
 * without OTF2).
 */
PORTOLAN_API enum portolan_status portolan_trace_write_otf2(const struct portolan_trace *trace,
                                                            const char *path,
                                                            const char *const *facts,
                                                            struct portolan_error *err);

/* ------------------------------------------------- text, as in portolan-trace(1) */

/** Appends EVENT, of LOCATION, as one line. Without memory, TEXT has `failed`; so below. */
PORTOLAN_API void portolan_trace_print_event(const struct portolan_trace *trace,
                                             const struct portolan_trace_location *location,
                                             const struct portolan_trace_event *event,
                                             struct portolan_text *text);
/** Appends the tables that events refer to: locations, communicators, windows, regions. */
PORTOLAN_API void portolan_trace_print_tables(const struct portolan_trace *trace,
                                              struct portolan_text *text);
/** Appends the N RANKS, as "0-3,5" if they are in order. */
PORTOLAN_API void portolan_trace_add_ranks(const int *ranks, size_t n, struct portolan_text *text);
/** Appends the number of events of each kind, and calls, time and bytes of each routine.
   PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trace_print_summary(const struct portolan_trace *trace,
                                                               struct portolan_text *text,
                                                               struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
