/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The part of <portolan/probe.h>, which includes it, for readers of measurements: counters (PAPI),
 * snapshots, rows, and what measuring costs. Strings are borrowed.
 */
#ifndef PORTOLAN_PROBE_RECORDS_H
#define PORTOLAN_PROBE_RECORDS_H

#include <portolan/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------- counters */

/**
 * Sets of counters (PAPI events: presets, native, software and those of its other components) by
 * name, of which one is in force: "cache=PAPI_L1_DCM,PAPI_L2_DCM; soft=perf::PAGE-FAULTS". A list
 * without a name is the set "". Ports with PORTOLAN_PROBE_COUNTERS read the set in force, at first
 * the first one. Each set is tried on the calling thread. A name with a star ("all*=…") lets PAPI
 * multiplex what cannot be counted together: estimates, whose names end in ":multiplexed". A set
 * may span components of PAPI; events in the kernel are counted, too, if that is permitted.
 *
 * Replaces the earlier definition and empties its counts; TEXT "" or NULL: none. Not while counted
 * calls run. PORTOLAN_EUNSUPPORTED: built without PAPI, an event that is unknown (with the nearest)
 * or not counted here, or events that do not fit together, with the event that did not fit and sets
 * that would. PORTOLAN_EINVAL: the text. On failure the earlier definition is in force.
 */
PORTOLAN_API enum portolan_status portolan_probe_counter_sets_define(const char *text,
                                                                     struct portolan_error *err);

/**
 * In code that is linked without PAPI: takes it from FILE, portolan_papi.so of this build, which
 * stays loaded. Before any set is defined. PORTOLAN_EUNSUPPORTED: it cannot be loaded.
 */
PORTOLAN_API enum portolan_status portolan_probe_counters_load(const char *file,
                                                               struct portolan_error *err);

/**
 * Puts set NAME in force for the whole process; NULL and "none": no set. Any thread, any time: the
 * calls that run on the calling thread are split, so that each set has what was counted while it
 * was in force; other threads follow at their next outermost counted call, so that a call and those
 * it makes are counted by one set. PORTOLAN_EINVAL: no such set.
 */
PORTOLAN_API enum portolan_status portolan_probe_counter_set_use(const char *name,
                                                                 struct portolan_error *err);

/** The same at the next portolan_probe_counter_sets_step(), so that no step is split. */
PORTOLAN_API enum portolan_status portolan_probe_counter_set_request(const char *name,
                                                                     struct portolan_error *err);

/**
 * Between two steps, after the finished one was read: puts the set in force that was requested, or
 * else, with ROTATE, the one defined after the present one. Returns whether the set has changed.
 */
PORTOLAN_API bool portolan_probe_counter_sets_step(bool rotate);

struct portolan_probe_counter_set {
    const char *name;
    bool in_force;
    bool multiplexed;    /**< its counts are estimates */
    bool user_mode_only; /**< the kernel lets this user count only what happens in user mode */
    size_t n;
    const char *counters[PORTOLAN_PROBE_COUNTERS_MAX]; /**< their names in results */
};

/** Shows the sets in their order until VISIT returns false. Locked: VISIT calls none here. */
PORTOLAN_API void portolan_probe_counter_sets_visit(
    bool (*visit)(void *arg, const struct portolan_probe_counter_set *set), void *arg);

/** Name of the set in force, NULL: none; number of its counters. */
PORTOLAN_API const char *portolan_probe_counter_set_peek_name(void);
PORTOLAN_API size_t portolan_probe_counters_count(void);

/** Name of counter INDEX of the set in force, and its slot; NULL and SIZE_MAX beyond the last. */
PORTOLAN_API const char *portolan_probe_counter_peek_name(size_t index);
/** Its counts in records are portolan_probe_record.counters[slot]. Same name, same slot. */
PORTOLAN_API size_t portolan_probe_counter_slot(size_t index);

/**
 * The present counts of the calling thread, in the order of the set in force, of which callers take
 * differences. *SET, never 0, changes when another set is put in force: counts of different *SET
 * must not be subtracted. False: no set is in force.
 */
PORTOLAN_API bool portolan_probe_counters_read(uint64_t values[PORTOLAN_PROBE_COUNTERS_MAX],
                                               unsigned *set);

/** All counters of all sets, in force or not; names are valid until the next definition. */
PORTOLAN_API size_t portolan_probe_counter_slots(void);
PORTOLAN_API const char *portolan_probe_counter_slot_peek_name(size_t slot);

/** Calls of ports with counters that could not be read, since the process began. */
PORTOLAN_API uint64_t portolan_probe_counters_missed(void);

/**
 * One line for reports on the counters of this machine: "hardware counters: available", or why not
 * and what is used instead. Valid until the process ends.
 */
PORTOLAN_API const char *portolan_probe_counters_describe(void);

/* --------------------------------------------------------------- snapshot */

/** One context of a record. */
struct portolan_probe_context_stats {
    bool exact;          /**< all calls had VALUE; else x lay in LOWER … UPPER */
    int64_t value;       /**< meaningful when exact */
    double lower, upper; /**< both = value when exact; infinite when the rest shares one record */
    double sum;        /**< Σ x over timed calls: the mean x is sum / timed_calls, never an edge */
    double failed_sum; /**< Σ x over the failed calls */
    double sum_squares; /**< Σ x² */
    double sum_time_ns; /**< Σ x·t, t the inclusive time of the call */
};

/** Totals of a timer or phase that portolan_probe_reset_unprofiled() removed from its record. */
struct portolan_probe_carried {
    uint64_t calls, subroutine_calls;
    double inclusive_ns, exclusive_ns, mpi_ns;
    uint64_t counters[PORTOLAN_PROBE_COUNTERS_ALL]; /**< by slot */
};

/**
 * One node of one thread's call-path tree. Totals since start or reset. Calls still running on the
 * calling thread are not in the totals but in `open_*`.
 */
struct portolan_probe_record {
    uint64_t id;     /**< the same node has the same id in every snapshot of this process */
    uint32_t thread; /**< 0 … threads-1; a later thread gets the number of one that ended */
    uint32_t handle; /**< what was called: portolan_probe_method_peek(handle) */
    bool profiled;   /**< by calls of a port with PORTOLAN_PROBE_PROFILED */
    int64_t parent;  /**< index in the same snapshot, smaller than the own one; -1 for roots */
    unsigned n_context;
    struct portolan_probe_context_stats context[PORTOLAN_PROBE_CONTEXTS];
    uint64_t calls;            /**< all that did not fail */
    uint64_t failed_calls;     /**< those that failed, which nothing else here counts */
    uint64_t timed_calls;      /**< fewer when they are sampled; the times below are of these */
    uint64_t subroutine_calls; /**< monitored calls made directly from here */
    double descendants;        /**< timed calls anywhere below: each added its cost to this time */
    double inclusive_ns;
    double exclusive_ns; /**< inclusive less timed calls made from here */
    double min_ns, max_ns;
    double sum_squares_ns2;  /**< Σ t² of the inclusive time */
    double mpi_ns;           /**< in MPI called from here, part of the exclusive time */
    double mpi_inclusive_ns; /**< with that of all records below */
    unsigned open_calls;
    double open_inclusive_ns;
    double open_exclusive_ns;
    double quality; /**< largest accuracy reported by a call; 0 when none was */
    bool has_quality;
    uint64_t counters[PORTOLAN_PROBE_COUNTERS_ALL]; /**< inclusive, by slot */
    struct portolan_probe_carried carried;
    bool is_idle;  /**< of a thread's root: the thread was in no call of a port, measured or not */
    int64_t place; /**< the room's own */
};

struct portolan_probe_snapshot {
    struct portolan_probe_record *records; /**< parents before children */
    size_t count;
    uint32_t threads;
    double now_ns;   /**< the clock when it was taken */
    double since_ns; /**< the clock when the process began, or when records were last emptied */
    size_t capacity;
    bool is_fixed; /**< the memory is the caller's: CAPACITY records, never allocated nor freed */
};

/**
 * Reads the records of all threads of this process into SNAPSHOT, which starts as `{0}` and whose
 * memory the next call reuses. Threads that are inside calls meanwhile may show values of one
 * record that are one call apart. Any thread; PORTOLAN_ENOMEM, and then it is empty; if the memory
 * is fixed, it holds as many records as fit, parents before children.
 */
PORTOLAN_API enum portolan_status
portolan_probe_snapshot_take(struct portolan_probe_snapshot *snapshot, struct portolan_error *err);

/**
 * Leaves in SNAPSHOT only records that are `profiled` or only those that are not, and in both cases
 * the roots, records without a port, timers and phases. A record that is removed counts as its
 * caller's own time, and its children become its caller's.
 */
PORTOLAN_API void portolan_probe_snapshot_select(struct portolan_probe_snapshot *snapshot,
                                                 bool profiled);

/** Frees what a snapshot holds; it can be used again. */
PORTOLAN_API void portolan_probe_snapshot_clear(struct portolan_probe_snapshot *snapshot);

/**
 * Empties all statistics, events too; records, ids and handles stay. Calls running on the calling
 * thread begin anew at this moment. PORTOLAN_EBUSY when another thread is inside a call; the caller
 * must ensure that none begins meanwhile.
 */
PORTOLAN_API enum portolan_status portolan_probe_reset(struct portolan_error *err);

/**
 * The same for only the records that are not `profiled`; the others go on. The totals of timers and
 * phases move to `carried`. Also PORTOLAN_ENOMEM, and nothing has changed.
 *
 * Running calls go on: when one ends, extremes, squares and its row cover the whole call, while
 * sums cover the time since the reset. Until then `inclusive_ns` and `exclusive_ns` may be below 0:
 * together with their `open_` counterparts they give the time since.
 */
PORTOLAN_API enum portolan_status portolan_probe_reset_unprofiled(struct portolan_error *err);

/* ------------------------------------------------------------------ rows */

/** One call of a port with PORTOLAN_PROBE_ROWS, noted when it ended well. */
struct portolan_probe_row {
    uint64_t record;  /**< id of its portolan_probe_record */
    uint64_t ordinal; /**< calls of this record on this thread that ended before, timed or not */
    double start_ns;  /**< the clock; pauses after it count in no time below */
    double inclusive_ns, exclusive_ns;
    double mpi_ns;                     /**< in MPI called from here, part of the exclusive time */
    double x[PORTOLAN_PROBE_CONTEXTS]; /**< its context; 0 beyond those of its method */
    double quality;                    /**< accuracy reported by it; NaN if none was */
    uint64_t counters[PORTOLAN_PROBE_COUNTERS_MAX]; /**< inclusive; 0 where none were read */
    uint32_t thread;
    uint32_t one_in; /**< it stands for ONE_IN calls: the sampling when it began */
};

struct portolan_probe_rows_limits {
    size_t memory_bytes;  /**< of this process; 0: 16 MiB */
    uint64_t spill_bytes; /**< on disk; 0: none */
    const char *folder;   /**< of the file for that, which has no name; NULL: TMPDIR or /tmp */
};

/** The limits until portolan_probe_rows_configure() sets others: 16 MiB and 4 GiB. */
#define PORTOLAN_PROBE_ROWS_MEMORY ((size_t)16 << 20)
#define PORTOLAN_PROBE_ROWS_SPILL  ((uint64_t)4 << 30)

/**
 * Sets the limits of rows and prepares to note them. PORTOLAN_EBUSY while rows wait to be taken or
 * some port notes them; PORTOLAN_ENOMEM, PORTOLAN_EIO if no file can be made in the folder. On
 * failure nothing has changed.
 *
 * A call writes its row into a block of its thread; it never waits and never allocates. When half
 * the memory is full, a thread of this room writes blocks to the file. A call that finds no free
 * block loses only its row, and the loss is counted.
 */
PORTOLAN_API enum portolan_status
portolan_probe_rows_configure(const struct portolan_probe_rows_limits *limits,
                              struct portolan_error *err);

/**
 * Hands all rows noted before this call to VISIT, in batches, oldest first for each thread, and
 * forgets them. When VISIT answers other than 0, that batch and the rest are kept for the next
 * time. *LOST (may be NULL): the exact number of calls whose row had no room since the last time.
 * Threads may make calls meanwhile, and VISIT may be slow; one reader at a time. Resetting the
 * statistics drops the rows that wait. PORTOLAN_ENOMEM, and the rows are kept.
 */
PORTOLAN_API enum portolan_status
portolan_probe_rows_take(int (*visit)(void *arg, const struct portolan_probe_row *rows, size_t n),
                         void *arg, uint64_t *lost, struct portolan_error *err);

/**
 * Why rows could not be written to disk or read back since they were last configured, one line;
 * "" when nothing went wrong. Copies into TEXT, of SIZE.
 */
PORTOLAN_API void portolan_probe_rows_trouble(char *text, size_t size);

/* ------------------------------------------------------------------ cost */

/**
 * The cost of measuring itself, for an empty call with one context. The first three are means
 * between the quartiles over batches, so that other users of the processor do not count.
 */
struct portolan_probe_cost {
    double mean_ns; /**< a monitored call, less the call itself */
    /**
     * The cost is not one number: it depends on the code around the call. Within MEAN +- 2 spreads
     * lie the means found for one record that is at hand, for 1,024 values of a context in no
     * order, and for a body that keeps the processor busy, and two standard deviations of the
     * measurement.
     */
    double spread_ns;
    double inside_ns;   /**< the part that such a call's own record shows as its time */
    double rows_ns;     /**< more with PORTOLAN_PROBE_ROWS */
    double counters_ns; /**< more with PORTOLAN_PROBE_COUNTERS; 0 when none are chosen */
    double forward_ns;  /**< a call that is not monitored, less the call itself */
};

/**
 * Measured at the first request, and again when counters were chosen since (some 20 ms, on the real
 * clock), then remembered. Any thread.
 */
PORTOLAN_API struct portolan_probe_cost portolan_probe_cost(void);

#ifdef __cplusplus
}
#endif
#endif
