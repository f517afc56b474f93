/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trace/analysis: which events belong together, who waited for whom, and what caused it.
 *
 * First the matching: messages, collectives and epochs of windows. Then the waits: wait states as
 * EXPERT and Scalasca define them (Wolf and Mohr 2003; Geimer et al. 2010), with root causes by
 * delay analysis (Boehme et al. 2010): only delays are causes; if the causing rank itself waited,
 * the cause is sought where that waiting came from. An event is named by its index in the trace
 * (uint32_t), a call by its BEGIN; "none" is PORTOLAN_NO_EVENT. Times are nanoseconds. Matching and
 * waits borrow the trace, which must outlive them; they are read only, by any thread. Nothing
 * prints or exits.
 */
#ifndef PORTOLAN_WAITS_H
#define PORTOLAN_WAITS_H

#include <portolan/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_NO_EVENT UINT32_MAX

/* ------------------------------------------------- clocks of several hosts */

struct portolan_matching;

/** The corrections of a trace's times. */
struct portolan_clocks {
    size_t n_clocks;       /**< if there is one, times stay as they are */
    size_t n_unrelated;    /**< clocks whose difference from the first one is unknown */
    double uncertainty_ns; /**< possible error between times of two hosts: half of the shortest
                            * round trip, for the pair of hosts for which that is longest */
    double most_moved_ns;  /**< the largest change of a time */
    /** Messages that were received before they were sent: as recorded, after the drifts are
     * removed, and in the result. */
    uint64_t n_reversed_before, n_reversed_by_drift, n_reversed_after;
};

/**
 * Moves the times of a finished TRACE to one clock, if those of several hosts differ: messages and
 * collectives between the hosts give offset and (constant) drift; the controlled logical clock
 * moves receives that are still reversed. An earlier matching or waits are then
 * invalid. Traces of other tools, which should have one clock, are not changed if no message is
 * reversed; if one is within a host, each rank has a clock of its own (eztrace counts from its
 * start). If messages between two hosts go in one direction only, the trace notes it
 * (n_unrelated_clocks). *MATCHING (may be NULL: not wanted) is that of the result, as by
 * portolan_matching_create(). One thread. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_clocks_correct(struct portolan_trace *trace,
                                                          struct portolan_clocks *clocks,
                                                          struct portolan_matching **matching,
                                                          struct portolan_error *err);

/* ------------------------------------------------- matching */

/** All events of one collective operation, one of each member, in the order of locations. */
struct portolan_collective {
    uint32_t first, n;             /**< members[first .. first + n) of the matching */
    bool is_complete;              /**< all members take part, with the same routine */
    bool is_window;                /**< it is a fence, or the making or freeing of a window */
    uint32_t what;                 /**< index of the communicator, or window */
    uint32_t last;                 /**< the call (its BEGIN) that began last */
    int64_t last_ns, first_end_ns; /**< when that was; and when the first of all ended */
};

struct portolan_matching {
    const struct portolan_trace *trace;
    struct portolan_arena arena; /* holds the arrays */
    /** By event: BEGIN: its END; END and the events between: the BEGIN; outside of calls: none. */
    uint32_t *call;
    /**
     * By event, the other side. SEND: the RECV, or the RECV_POST if the receive never completed.
     * RECV, RECV_POST: the SEND. ACCESS: that of the other group's call. COLLECTIVE, EPOCH if all
     * members meet, and BEGIN of MPI_Init and MPI_Finalize: index in `collectives`. Else none.
     */
    uint32_t *partner;
    /**
     * By event, the other end of the same operation. SEND: its SEND_DONE or CANCELLED; RECV_POST:
     * its RECV or CANCELLED; COLLECTIVE: its COLLECTIVE_DONE; each also the other way round. RECV
     * without a request: the BEGIN of its call. ACCESS: BEGIN of the MPI_Win_complete or
     * MPI_Win_wait that ends it; EPOCH of these: BEGIN of the MPI_Win_start or MPI_Win_post that
     * they end. Else none.
     */
    uint32_t *other;
    struct portolan_collective *collectives;
    uint32_t *members; /**< events: COLLECTIVE, EPOCH or BEGIN */
    size_t n_collectives, n_members;
    uint8_t *classes; /**< enum portolan_trace_routine_class of each routine */

    uint64_t n_messages;        /**< messages that were matched */
    uint64_t n_unmatched_sends; /**< without those to MPI_PROC_NULL, and cancelled ones */
    uint64_t n_unmatched_recvs; /**< messages received whose send is not known */
    uint64_t n_reversed;        /**< received before they were sent, because the clocks disagree */
    uint64_t n_incomplete;      /**< collectives in which a member is missing */
    bool is_uncertain; /**< threads of a rank have messages of the same communicator, partner and
                          tag: the order of postings, by which messages are matched, is not certain
                        */
};

/**
 * Matches a trace. Messages do not overtake each other (MPI 4.0, 3.5): of one communicator, source,
 * destination and tag, the k-th send matches the k-th receive in the order of posting. The caller
 * destroys *MATCHING. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_matching_create(const struct portolan_trace *trace,
                                                           struct portolan_matching **matching,
                                                           struct portolan_error *err);
/** Destroys a matching; NULL is legal. */
PORTOLAN_API void portolan_matching_destroy(struct portolan_matching *matching);

/** Returns the call by which RANK takes part in COLLECTIVE; none if it does not. */
PORTOLAN_API uint32_t portolan_collective_call(const struct portolan_matching *matching,
                                               const struct portolan_collective *collective,
                                               int rank);

/** The ranks that a member of a collective operation waits for. */
enum portolan_awaited {
    PORTOLAN_AWAITS_NOBODY, /**< or unknown ranks */
    PORTOLAN_AWAITS_RANKS,
    PORTOLAN_AWAITS_ALL,
    PORTOLAN_AWAITS_ALL_IF_MET /**< unless the first ended before the last began */
};

/**
 * Finds the ranks that RANK waits for in the operation that event E began; the `partner` of E is an
 * index in `collectives`. *RANKS, *N: the ranks of PORTOLAN_AWAITS_RANKS, borrowed.
 */
PORTOLAN_API enum portolan_awaited portolan_awaited(const struct portolan_matching *matching,
                                                    uint32_t e, int rank, const int **ranks,
                                                    size_t *n);

/** Returns the call that posted RECV, an event RECV or RECV_POST; none: not known, or RECV is
 * none. */
PORTOLAN_API uint32_t portolan_posting_call(const struct portolan_matching *matching,
                                            uint32_t recv);

/** Returns the SEND that E completes: E itself if it is a blocking send; none: it completes
 * none. */
PORTOLAN_API uint32_t portolan_completed_send(const struct portolan_matching *matching, uint32_t e);

/** Returns the location of an event. */
PORTOLAN_API size_t portolan_trace_location_of(const struct portolan_trace *trace, uint32_t event);

/* ------------------------------------------------- wait states */

/** Name, and text for reports; each wait has one state. */
#define PORTOLAN_WAIT_LIST(X)                                                                      \
    X(LATE_SENDER, "late sender")                                                                  \
    X(WRONG_ORDER_SAME_SOURCE, "late sender, wrong order of the same source")                      \
    X(WRONG_ORDER_OTHER_SOURCE, "late sender, wrong order of different sources")                   \
    X(LATE_RECEIVER, "late receiver")                                                              \
    X(FULL_BUFFER, "full buffer of a late receiver")                                               \
    X(BARRIER, "wait at barrier")                                                                  \
    X(N_TO_N, "wait at n x n")                                                                     \
    X(NEIGHBOUR, "wait at neighbourhood")                                                          \
    X(LATE_BROADCAST, "late broadcast")                                                            \
    X(EARLY_REDUCE, "early reduce")                                                                \
    X(EARLY_SCAN, "early scan")                                                                    \
    X(FINALIZE, "wait at finalize")                                                                \
    X(CREATE, "wait at creation")                                                                  \
    X(FENCE, "wait at fence")                                                                      \
    X(EARLY_FENCE, "early fence")                                                                  \
    X(EARLY_FREE, "early free")                                                                    \
    X(LATE_POST, "late post")                                                                      \
    X(LATE_COMPLETE, "late complete")                                                              \
    X(EARLY_WAIT, "early wait")

enum portolan_wait_state {
#define PORTOLAN_WAIT_ENUM(name, text) PORTOLAN_WAIT_##name,
    PORTOLAN_WAIT_LIST(PORTOLAN_WAIT_ENUM)
#undef PORTOLAN_WAIT_ENUM
        PORTOLAN_WAIT_STATES
};

/** Returns a name such as "late sender"; never NULL. */
PORTOLAN_API const char *portolan_wait_state_name(enum portolan_wait_state state);

/** Kinds of the last part of a call path. */
enum portolan_path_kind {
    PORTOLAN_PATH_PROGRAM, /**< path 0, outside of all regions: the parent of the outermost ones */
    PORTOLAN_PATH_GAP,     /**< path 1, for gaps in the recording */
    PORTOLAN_PATH_REGION,
    PORTOLAN_PATH_CALL
};

/** A call path: regions entered, and the call of MPI inside. Times are exclusive. */
struct portolan_path {
    enum portolan_path_kind kind;
    uint32_t parent;              /**< index of a path; the first two are their own parents */
    uint32_t what;                /**< index of the region, or routine */
    uint32_t n_locations;         /**< locations that had this path */
    int64_t ns, waiting_ns;       /**< sums over locations */
    int64_t critical_ns;          /**< time on the critical path */
    double critical_imbalance_ns; /**< max(0, critical_ns - mean over all locations) */
};

/** A stretch of waiting. */
struct portolan_wait {
    uint32_t call;        /**< the call that waited; among several polls, the one that succeeded */
    uint32_t from;        /**< the call in which waiting began: the first poll, else `call` */
    uint32_t by;          /**< the call on the causing rank that ended the waiting */
    int64_t begin_ns, ns; /**< waiting by polling includes the time between polls */
    uint8_t state;        /**< enum portolan_wait_state */
    bool is_polling;
};

/** Waiting in one state and path that is caused by a delay of one location in one path. */
struct portolan_delay {
    enum portolan_wait_state state;
    uint32_t waiting_path;
    uint32_t location;   /**< location of the cause; UINT32_MAX: not known */
    uint32_t path;       /**< path of the cause; UINT32_MAX: not known */
    int64_t direct_ns;   /**< waiting for this location */
    int64_t indirect_ns; /**< waiting for ranks that had to wait for this location */
};

struct portolan_waits {
    struct portolan_arena arena; /* holds arrays that do not grow */
    const struct portolan_trace *trace;
    const struct portolan_matching *matching;
    struct portolan_wait *waits; /**< by location, in the order of calls */
    size_t n_waits;
    size_t *first_wait; /**< by location; at the end n_waits */
    struct portolan_path *paths;
    size_t n_paths;
    uint32_t *path;                     /**< path of the time that follows each event */
    int64_t *path_ns, *path_waiting_ns; /**< own time: [path * n_locations + location] */
    struct portolan_delay *delays;      /**< the greatest first; their sum is that of all waits */
    size_t n_delays;
    int64_t state_ns[PORTOLAN_WAIT_STATES]; /**< sums over all locations */
    int64_t run_ns;                         /**< from the first event to the last */
    int64_t all_ns; /**< time of all threads: RUN_NS for each rank, and for each further thread the
                     * time from its first event to its last */
    size_t n_threads; /**< threads in addition to one for each rank */
};

/** Polls at most this far apart are one stretch of waiting, of which longer gaps may be a tenth. */
enum { PORTOLAN_POLL_GAP_NS = 10000 };

/** Finds waits and causes. The caller destroys *WAITS, before MATCHING. PORTOLAN_ENOMEM. */
PORTOLAN_API enum portolan_status portolan_waits_create(const struct portolan_matching *matching,
                                                        struct portolan_waits **waits,
                                                        struct portolan_error *err);
/** Destroys waits; NULL is legal. */
PORTOLAN_API void portolan_waits_destroy(struct portolan_waits *waits);

/** Returns whether PATH, an index, is of calls to MPI_Init, MPI_Init_thread or MPI_Finalize. */
PORTOLAN_API bool portolan_path_starts_or_ends(const struct portolan_waits *waits, size_t path);

/** Appends the regions of PATH, an index, from outside to inside, and the call: "solve/MPI_Recv".
 * No memory: TEXT has `failed`. */
PORTOLAN_API void portolan_path_add(const struct portolan_waits *waits, uint32_t path,
                                    struct portolan_text *text);

/** Returns the *N waits of CALL, borrowed; NULL and 0 if it did not wait. */
PORTOLAN_API const struct portolan_wait *portolan_waits_of(const struct portolan_waits *waits,
                                                           uint32_t call, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
