/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * trace/replay: the run without a cause, and runs that never were.
 *
 * One engine of discrete events knows the rules of MPI: who waits for whom, and how long. A
 * *scenario* is a text of what each rank does; the engine makes a trace of it, with exact times. A
 * *replay* runs a trace again, with the time that something takes removed: how long would the run
 * have taken? What lies between calls keeps its time; a call ends when it and all that it waits for
 * are there, plus what it took beyond that in the trace. Nothing prints or exits; no MPI.
 */
#ifndef PORTOLAN_REPLAY_H
#define PORTOLAN_REPLAY_H

#include <portolan/waits.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What messages cost: latency + bytes * ns_per_byte. */
struct portolan_costs {
    int64_t latency_ns;
    double ns_per_byte;
    uint64_t eager_bytes; /**< sends of more bytes end when the message has been received */
};

/* ------------------------------------------------- scenarios */

/**
 * *TRACE (the caller's) is what the scenario in the file PATH, or in TEXT (then PATH is for
 * messages), does; the format is described in portolan-trace(1). All mistakes go to DIAGNOSTICS
 * with their lines. *COSTS (may be NULL) gets those of the text. PORTOLAN_ESYNTAX: mistakes, or
 * ranks that wait for each other; PORTOLAN_EIO; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_scenario_read(const char *path, const char *text,
                                                         struct portolan_diagnostics *diagnostics,
                                                         struct portolan_trace **trace,
                                                         struct portolan_costs *costs,
                                                         struct portolan_error *err);

/* ------------------------------------------------- replay */

/**
 * Gives the events of a TRACE in which each rank has a clock of its own that stands still while the
 * rank waits (the component portolan.ManualClock) the times of one run: all ranks begin together,
 * what lies between calls of MPI keeps its time, a call takes what it took plus what it waits, and
 * messages take no time. PORTOLAN_EINFEASIBLE: ranks wait for each other; PORTOLAN_ENOMEM; then the
 * times of the trace mean nothing.
 */
PORTOLAN_API enum portolan_status portolan_trace_schedule(struct portolan_trace *trace,
                                                          struct portolan_error *err);

/** What may be removed. What of the trace is meant says `selected`. */
enum portolan_removal_kind {
    /** Times selected take `factor` of what they took; 0: nothing. A call selected keeps what it
       waits for, and loses that share of the rest. */
    PORTOLAN_REMOVE_TIME,
    /** The k-th stretch of time selected becomes the mean over ranks of their k-th; where ranks
       have different numbers of them, each rank's total becomes the mean of the totals. Stretches
       of less than 1/200 of the longest do not count. */
    PORTOLAN_REMOVE_IMBALANCE,
    /** Likewise, but the least of the ranks instead of their mean: what only some do is gone. */
    PORTOLAN_REMOVE_EXCESS,
    /** Each stretch becomes the mean of all of its rank. */
    PORTOLAN_REMOVE_VARIATION,
    /** Of `k` messages selected from one rank to another, one after the other, one becomes; none
       crosses a collective operation. The last send carries all bytes, and the first receive waits
       for it; `sent_first`: the first send does; `received_last`: the last receive waits. */
    PORTOLAN_REMOVE_MESSAGES,
    PORTOLAN_REMOVE_COST,       /**< calls selected take no time beyond waiting: free collectives */
    PORTOLAN_REMOVE_DEPENDENCE, /**< calls selected wait for nobody */
    PORTOLAN_REMOVE_DISTANCE,   /**< messages selected stay within their rank: neither */
    PORTOLAN_REMOVE_NETWORK,    /**< no call takes time beyond waiting, messages no time at all */
    PORTOLAN_REMOVALS
};

struct portolan_removal {
    enum portolan_removal_kind kind;
    /**
     * A byte for each event of the trace; NULL: all. Times: the time that follows an event is
     * selected with it; calls: with their BEGIN; messages: with SEND, which selects both sides.
     */
    const uint8_t *selected;
    double factor;
    size_t k;
    bool sent_first, received_last;
};

struct portolan_replay {
    int64_t run_ns;      /**< without what was removed */
    int64_t as_is_ns;    /**< with nothing removed, replayed likewise */
    int64_t measured_ns; /**< of the trace */
    double gain;         /**< (as_is - run) / as_is; the replay's own bias cancels */
    double error;        /**< |as_is - measured| / measured: above 0.05 the gain says nothing */
    bool is_refused;     /**< as that error is too large: gain is 0 */
    struct portolan_costs costs; /**< that were used */
};

struct portolan_replay_options {
    const struct portolan_costs *costs; /**< NULL: portolan_costs_estimate() */
    /** Time between calls is the processor time that the trace has (CPU), where it has it, and
       calls take beyond waiting what the shortest of their routine does: others used the
       processors, too. The error is then not that of the replay, and nothing refused. */
    bool use_cpu;
    int64_t *event_ns; /**< NULL, or gets the new time of each event */
    int64_t as_is_ns;  /**< 0, or what an earlier replay with the same options said: saves a run */
};

/**
 * Runs the trace of WAITS again without N REMOVALS, which may be 0. OPTIONS may be NULL.
 * PORTOLAN_EINFEASIBLE: without them, ranks would wait for each other; PORTOLAN_EINVAL: more than
 * 15; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_replay(const struct portolan_waits *waits,
                                                  const struct portolan_removal *removals, size_t n,
                                                  const struct portolan_replay_options *options,
                                                  struct portolan_replay *replay,
                                                  struct portolan_error *err);

/**
 * Gives the events of TRACE, of which WAITS are, the times that they would have with a core for
 * each rank: where ranks share cores they wait for them, too. WAITS and their matching no longer
 * hold. Errors of portolan_replay().
 */
PORTOLAN_API enum portolan_status portolan_trace_give_cores(struct portolan_trace *trace,
                                                            const struct portolan_waits *waits,
                                                            struct portolan_error *err);

/**
 * Of the messages of the trace that were sent when their receivers were in the call that got them:
 * the line below all of their times by bytes (means would contain waiting). And up to which size
 * sends ended before the receive was posted.
 * PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_costs_estimate(const struct portolan_waits *waits,
                                                          struct portolan_costs *costs,
                                                          struct portolan_error *err);

/** Efficiencies of the POP project (https://pop-coe.eu), each between 0 and 1; 0.8 is acceptable.
 */
struct portolan_efficiencies {
    double load_balance;  /**< mean useful time / greatest */
    double serialisation; /**< greatest useful time / run time on an ideal network */
    double transfer;      /**< run time on an ideal network / run time */
    double communication; /**< serialisation * transfer */
    double parallel;      /**< load balance * communication */
};
/** Useful is what is neither in MPI nor polling. Errors as portolan_replay(). */
PORTOLAN_API enum portolan_status portolan_efficiencies(const struct portolan_waits *waits,
                                                        struct portolan_efficiencies *efficiencies,
                                                        struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
