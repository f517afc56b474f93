/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trace/replay: runs without a cause, and traces of scenarios. One engine of discrete events knows
 * the rules of MPI 4.0: who waits for whom, and how long.
 *
 * A *scenario* is a text that says what each rank does; the engine makes a trace of it, with exact
 * times. A *replay* runs a trace again without the time that something takes: how long would the
 * run have taken? Time between calls is kept; a call ends when it has begun and everything that it
 * waits for has arrived, plus the time that it took beyond that in the trace.
 *
 * Times are nanoseconds. A trace may be replayed by several threads, and changed by one. Nothing
 * prints or exits; no MPI.
 */
#ifndef PORTOLAN_REPLAY_H
#define PORTOLAN_REPLAY_H

#include <portolan/waits.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The cost of a message: latency + bytes * ns_per_byte. */
struct portolan_costs {
    int64_t latency_ns;
    double ns_per_byte;
    uint64_t eager_bytes; /**< sends of more bytes end when the message has been received */
};

/* ------------------------------------------------- scenarios */

/**
 * Reads a scenario from the file PATH, or from TEXT (then PATH is only for messages), and makes a
 * trace of it: *TRACE, which is the caller's; portolan-scenario(5) has the format. All mistakes go
 * to DIAGNOSTICS with their lines. *COSTS (may be NULL): those that the text states.
 * PORTOLAN_ESYNTAX: mistakes, or ranks that wait for each other; PORTOLAN_EIO; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_scenario_read(const char *path, const char *text,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_trace **trace,
                                                         struct portolan_costs *costs,
                                                         struct portolan_error *err);

/* ------------------------------------------------- replay */

/**
 * For a TRACE in which each rank has its own clock, which stands still while the rank waits (the
 * component portolan.ManualClock): changes all times to those of one run. All ranks begin together,
 * time between calls of MPI is kept, a call takes its time plus its waiting, and messages take no
 * time. PORTOLAN_EINFEASIBLE: ranks wait for each other; PORTOLAN_ENOMEM; after either, the times
 * of the trace are undefined.
 */
PORTOLAN_API enum portolan_status portolan_trace_schedule(struct portolan_trace *trace,
                                                          struct portolan_error *err);

/** The kinds of removals. Each applies to what `selected` selects. */
enum portolan_removal_kind {
    /** Selected times are multiplied by `factor`; of calls, only the time beyond waiting. */
    PORTOLAN_REMOVE_TIME,
    /** The k-th selected stretch of time becomes the mean over ranks of their k-th; if ranks have
       different numbers of them, each rank's total becomes the mean of the totals. Stretches
       of less than 1/200 of the longest do not count. */
    PORTOLAN_REMOVE_IMBALANCE,
    /** Each rank's total becomes the mean of the totals; its stretches vary as before. */
    PORTOLAN_REMOVE_STATIC,
    /** Like IMBALANCE, with the least of the ranks instead of their mean. */
    PORTOLAN_REMOVE_EXCESS,
    /** Each stretch becomes the mean of its rank's stretches. */
    PORTOLAN_REMOVE_VARIATION,
    /** Each `k` successive selected messages from one rank to another become one; none crosses a
       collective operation. The last send (`sent_first`: the first) carries all bytes, and the
       first receive (`received_last`: the last) waits for it. */
    PORTOLAN_REMOVE_MESSAGES,
    PORTOLAN_REMOVE_COST,       /**< selected calls take no time beyond waiting */
    PORTOLAN_REMOVE_DEPENDENCE, /**< selected calls wait for no rank */
    PORTOLAN_REMOVE_DISTANCE,   /**< selected messages stay within their rank: both of these */
    PORTOLAN_REMOVE_NETWORK,    /**< no call takes time beyond waiting, no message takes time */
    PORTOLAN_REMOVALS
};

struct portolan_removal {
    enum portolan_removal_kind kind;
    /**
     * A byte for each event of the trace, borrowed; NULL: all. An event selects the time that
     * follows it; BEGIN its call; SEND both sides of its message.
     */
    const uint8_t *selected;
    double factor;
    size_t k;
    bool sent_first, received_last;
};

struct portolan_replay {
    int64_t run_ns;      /**< run time without what was removed */
    int64_t as_is_ns;    /**< run time with nothing removed, replayed likewise */
    int64_t measured_ns; /**< run time of the trace */
    double gain;         /**< (as_is - run) / as_is; the replay's own bias cancels */
    double error;        /**< |as_is - measured| / measured: above 0.05 the gain is meaningless */
    bool is_refused;     /**< that error is too large; the gain is then 0 */
    struct portolan_costs costs; /**< the costs that were used */
};

struct portolan_replay_options {
    const struct portolan_costs *costs; /**< NULL: portolan_costs_estimate() */
    /** For runs in which others used the processors: time between calls is the processor time of
       the trace (CPU), where it has one, and calls take as long beyond waiting as the shortest of
       their routine, collective ones at most as long as messages from each rank to one and back.
       `error` then does not measure the replay, and no replay is refused. */
    bool use_cpu;
    bool without_recording; /**< without the time that recording took, according to the trace */
    int64_t *event_ns;      /**< NULL, or the caller's array for the new time of each event */
    int64_t as_is_ns; /**< 0, or that of an earlier replay with the same options: saves a run */
};

/**
 * Runs the trace of WAITS again without what the N REMOVALS (0 to 15) remove. OPTIONS may be NULL.
 * PORTOLAN_EINFEASIBLE: ranks would then wait for each other; PORTOLAN_EINVAL: N is above 15;
 * PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_replay(const struct portolan_waits *waits,
                                                  const struct portolan_removal *removals, size_t n,
                                                  const struct portolan_replay_options *options,
                                                  struct portolan_replay *replay,
                                                  struct portolan_error *err);

/**
 * Changes all times of TRACE to those of an undisturbed run: if its ranks SHARE_CORES, to those
 * with a core for each; else to those without recording, if its calls have the time that recording
 * took. Virtual times are not changed. *RECORDING: the share of the run that recording took.
 * *MATCHING and *WAITS, those of the trace, are replaced if times change; NULL after an error.
 * Errors of portolan_replay().
 */
PORTOLAN_API enum portolan_status
portolan_trace_undisturb(struct portolan_trace *trace, bool share_cores,
                         struct portolan_matching **matching, struct portolan_waits **waits,
                         double *recording, struct portolan_error *err);

/**
 * Estimates *COSTS: the line below the times by bytes of all messages that were sent while their
 * receiver was in the receiving call (a mean would contain waiting), and the size up to which sends
 * ended before the receive was posted. PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_costs_estimate(const struct portolan_waits *waits,
                                                          struct portolan_costs *costs,
                                                          struct portolan_error *err);

/** Efficiencies of the POP project (https://pop-coe.eu), each between 0 and 1; 0.8 is acceptable.
 * Run times are without MPI_Init and MPI_Finalize. */
struct portolan_efficiencies {
    double load_balance;      /**< mean useful time / greatest */
    double serialisation;     /**< greatest useful time / run time on an ideal network */
    double transfer;          /**< run time on an ideal network / run time */
    double communication;     /**< serialisation * transfer */
    double parallel;          /**< load balance * communication */
    int64_t start_and_end_ns; /**< time on the critical path in MPI_Init and MPI_Finalize */
};
/** Computes efficiencies. Useful time is outside of MPI, and not polling. portolan_replay()'s
 * errors. */
PORTOLAN_API enum portolan_status portolan_efficiencies(const struct portolan_waits *waits,
                                                        struct portolan_efficiencies *efficiencies,
                                                        struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
