/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The part of <portolan/store.h>, which includes it, for what is stored of a trial besides samples:
 * single calls, events, communication, and statistics over ranks. Threads, errors and ownership are
 * as there.
 */
#ifndef PORTOLAN_STORE_CALLS_H
#define PORTOLAN_STORE_CALLS_H

#include <portolan/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One call ("invocation"): a row per call, or per timed call, of the ports with
 * rows.
 */
struct portolan_invocation {
    /**
     * Written: position in the samples given with it, which say whose call path, rank and thread
     * and the names of contexts and counters. Read: number of the PATH that comes with it, from 0.
     */
    int64_t path;
    int step;
    int64_t ordinal; /**< calls of this path and context that ended before, on this thread */
    double start_ns; /**< since the trial began */
    double inclusive_ns, exclusive_ns, mpi_ns;
    double quality;                       /**< NaN when none was reported */
    double context[PORTOLAN_CONTEXT_MAX]; /**< as many as the sample names */
    int n_counters;                       /**< at most as many as the sample names */
    double counter[PORTOLAN_COUNTER_MAX];
    int one_in; /**< 1, or N when 1 in N calls was timed */
};

/**
 * Stores single calls in one transaction; may be called many times per step, best with thousands of
 * rows. Uses only parent, names, rank and thread of SAMPLES. Errors: as portolan_store_put_step().
 */
PORTOLAN_API enum portolan_status
portolan_store_put_invocations(struct portolan_store *store, int64_t trial,
                               const struct portolan_sample *samples, size_t n_samples,
                               const struct portolan_invocation *rows, size_t n_rows,
                               struct portolan_error *err);

/**
 * PATH has names (also of contexts and counters), rank and thread; its parent is -1 and its values
 * are 0. It is the same pointer for all rows with the same `path` and stays valid until the visit
 * ends. Non-zero ends the visit, which is no error.
 */
typedef int (*portolan_invocation_fn)(void *arg, const struct portolan_sample *path,
                                      const struct portolan_invocation *row);

/** The single calls of a trial (RANK NULL: of all ranks) by rank, thread and start; in bounded
 * memory. The visitor must not use the store. */
PORTOLAN_API enum portolan_status portolan_store_visit_invocations(struct portolan_store *store,
                                                                   int64_t trial, const int *rank,
                                                                   portolan_invocation_fn visit,
                                                                   void *arg,
                                                                   struct portolan_error *err);

/** Named values from a program (TAU's "atomic events"): on a thread, or below a path. */
struct portolan_event {
    int rank, thread;
    int64_t path; /**< position in the samples given with it, or -1 */
    const char *name;
    int64_t count;
    double max, min, mean, sum_squares;
};

/**
 * Stores totals of the trial so far. They replace what is stored of the ranks that occur in EVENTS;
 * other ranks keep theirs. Uses parent and names of SAMPLES.
 */
PORTOLAN_API enum portolan_status
portolan_store_put_events(struct portolan_store *store, int64_t trial,
                          const struct portolan_sample *samples, size_t n_samples,
                          const struct portolan_event *events, size_t n_events,
                          struct portolan_error *err);

struct portolan_event_set {
    size_t n_samples;
    struct portolan_sample *samples; /**< names, and parents, that stand before their children */
    size_t n_events;
    struct portolan_event *events; /**< by rank, thread, name, path */
    void *impl;
};

/** Reads the events of all ranks, or of *RANK. Free *SET with portolan_event_set_destroy(); on
 * failure it is NULL. */
PORTOLAN_API enum portolan_status portolan_store_read_events(struct portolan_store *store,
                                                             int64_t trial, const int *rank,
                                                             struct portolan_event_set **set,
                                                             struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_event_set_destroy(struct portolan_event_set *set);

/** The communication of a rank, by MPI routine and partner. */
struct portolan_traffic {
    int rank;
    const char *routine; /**< "MPI_Send" */
    int partner;         /**< world rank; -1: collective or none */
    bool received;       /**< by RANK from the partner, else sent */
    int64_t calls;
    double time_ns, bytes;
};

/** Stores totals of the trial so far; they replace what is stored of the ranks that occur. */
PORTOLAN_API enum portolan_status portolan_store_put_traffic(struct portolan_store *store,
                                                             int64_t trial,
                                                             const struct portolan_traffic *rows,
                                                             size_t n, struct portolan_error *err);

struct portolan_traffic_set {
    size_t n;
    struct portolan_traffic *rows; /**< by rank, routine, partner, sent first */
    void *impl;
};

/** Reads the communication of all ranks. Free *SET with portolan_traffic_set_destroy(); on failure
 * it is NULL. */
PORTOLAN_API enum portolan_status portolan_store_read_traffic(struct portolan_store *store,
                                                              int64_t trial,
                                                              struct portolan_traffic_set **set,
                                                              struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_traffic_set_destroy(struct portolan_traffic_set *set);

/**
 * Over all ranks of a trial. A rank's value is the sum over its threads, steps and contexts, and 0
 * if it made no call. stddev is the population's.
 */
struct portolan_statistics {
    double sum, mean, min, max, stddev;
    int max_rank; /**< the lowest rank that has the maximum */
};

/** A call path over all ranks, threads, steps and contexts. Times in ns. */
struct portolan_path_summary {
    int64_t parent; /**< position in the same array; -1 at a root */
    const char *user, *uses, *instance, *port, *implementation, *port_type, *method;
    int n_ranks;                     /**< that called it */
    int n_threads;                   /**< that called it, of all ranks */
    double one_min_ns, one_max_ns;   /**< inclusive time of one timed call */
    double sum_squares_ns2;          /**< of the inclusive time of the timed calls */
    double calls_sum;                /**< calls.sum */
    double timed_calls, subroutines; /**< sums */
    struct portolan_statistics calls, inclusive, exclusive, mpi;
    struct portolan_statistics compute; /**< exclusive less MPI; NaN where not stored (before) */
    int n_counters;                     /**< inclusive counts */
    const char *counter_name[PORTOLAN_SUMMARY_COUNTER_MAX];
    struct portolan_statistics counter[PORTOLAN_SUMMARY_COUNTER_MAX];
};

/** The number of statistics that a path has in addition to its counters. */
#define PORTOLAN_SUMMARY_QUANTITIES 5

/** Statistics of S by number: calls, inclusive, exclusive, mpi, compute, then its counters. */
PORTOLAN_API struct portolan_statistics *portolan_path_summary_peek(struct portolan_path_summary *s,
                                                                    int quantity);

/** S has only the sums of RANK: makes them the statistics of this one rank. */
PORTOLAN_API void portolan_path_summary_of_rank(struct portolan_path_summary *s, int rank);

/**
 * Adds to S, over N ranks from FIRST on (0: over none), the M ranks after them, which have OTHER
 * (NULL: they made no call). Both have the same counters in the same order. Merged as Chan, Golub
 * and LeVeque do (The American Statistician 37, 1983).
 */
PORTOLAN_API void portolan_path_summary_merge(struct portolan_path_summary *s, int first, int n,
                                              const struct portolan_path_summary *other, int m);

/** Stores the summary of a trial, parents before their children, in place of an earlier one. */
PORTOLAN_API enum portolan_status
portolan_store_put_summary(struct portolan_store *store, int64_t trial,
                           const struct portolan_path_summary *rows, size_t n,
                           struct portolan_error *err);

/** Computes the summary from the stored samples (partial steps too) and stores it. */
PORTOLAN_API enum portolan_status
portolan_store_summarise(struct portolan_store *store, int64_t trial, struct portolan_error *err);

struct portolan_summary_set {
    int ranks; /**< of the trial: what the statistics are over */
    size_t n;
    struct portolan_path_summary *rows; /**< parents before their children */
    int n_counters_left_out; /**< by name, beyond PORTOLAN_SUMMARY_COUNTER_MAX, when computed */
    void *impl;
};

/**
 * Reads the stored summary, or computes one from the samples (a trial that was cut off has none);
 * *WAS_STORED (may be NULL) says which. Free *SET with portolan_summary_set_destroy(). Error:
 * ENOTFOUND (no such trial).
 */
PORTOLAN_API enum portolan_status portolan_store_read_summary(struct portolan_store *store,
                                                              int64_t trial,
                                                              struct portolan_summary_set **set,
                                                              bool *was_stored,
                                                              struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_summary_set_destroy(struct portolan_summary_set *set);

#ifdef __cplusplus
}
#endif
#endif
