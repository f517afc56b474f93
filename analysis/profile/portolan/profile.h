/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * profile: from a stored trial to a profile. Call paths with statistics over ranks, estimates if
 * calls were sampled, compensation for the cost of measuring, flat views, per-rank values, texts
 * and JSON.
 *
 * Stored values are never changed: estimates are kept in addition to raw values, and nothing is
 * clipped. All functions may be called by any thread, a store by one at a time. Times are
 * nanoseconds. A profile owns all that its nodes and cells point to.
 */
#ifndef PORTOLAN_PROFILE_H
#define PORTOLAN_PROFILE_H

#include <portolan/base.h>
#include <portolan/store.h>
#include <portolan/trials.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * max / mean - 1, 0 where the mean is 0. NaN where one of them cannot be known (flat view of a
 * summary, see portolan_profile_flatten()).
 */
PORTOLAN_API double portolan_imbalance(const struct portolan_statistics *s);

/** An estimate of the total over all ranks. */
struct portolan_profile_estimate {
    double value, low, high;
};

/** One call path, or one method in a flat profile; or one context of either. */
struct portolan_profile_node {
    int64_t parent;   /**< position, before the node's; -1 at a root and in flat profiles */
    int64_t original; /**< of a flat row: the first call path in it; else the node's position */
    int depth;
    const char *user, *uses, *instance, *port, *implementation, *port_type,
        *method; /**< not NULL */
    /**
     * A context: a part of `parent`'s numbers, never added to them again, without children. Its
     * values stand in `context`.
     */
    bool is_context;
    int n_context;
    const char *context_name[PORTOLAN_CONTEXT_MAX];
    double context[PORTOLAN_CONTEXT_MAX]; /**< weighted mean over the calls */
    bool binned;                          /**< they are a bin's means */
    int n_ranks, n_threads; /**< that called it: ranks, and pairs of rank and thread */
    /* Sums over all ranks. */
    double timed_calls; /**< = calls.sum unless calls were sampled */
    double subroutines;
    double one_min_ns, one_mean_ns, one_max_ns; /**< inclusive time of a single timed call */
    double sum_squares_ns2;                     /**< of inclusive time per timed call */
    double descendants;                         /**< calls anywhere below */
    /*
     * As stored; of timed calls only where timed_calls < calls.sum. A rank's value is the sum over
     * its threads, steps and contexts. Unknown values are NaN, an unknown `max_rank` is -1.
     */
    struct portolan_statistics calls, inclusive_ns, exclusive_ns, mpi_ns;
    struct portolan_statistics compute_ns; /**< of the ranks' exclusive less MPI time */
    uint32_t counted; /**< bit i: counter i was counted here; else its statistics are NaN */
    const struct portolan_statistics *counters; /**< the profile's n_counters; inclusive */
    /**
     * Estimates of the totals over all ranks, +- 2 standard errors of sampling (without sampling,
     * the bounds are the raw value, too); `_compensated`: minus the cost of measuring, see
     * `struct portolan_profile_cost`. A bound below 0 is kept. NaN if no call was timed; then the
     * caller's bounds are infinite.
     */
    struct portolan_profile_estimate inclusive, exclusive, mpi;
    struct portolan_profile_estimate inclusive_compensated, exclusive_compensated;
    bool is_sampled; /**< timed_calls < calls.sum */
    bool is_marked;  /**< mean inclusive time per timed call < 20 x cost of a call: `!` */
};

/**
 * The cost of one measured call (metadata "cost.…_ns" of the trial); NaN if it was not stored.
 *
 * Compensated inclusive time = estimate - calls x inside - cost of all calls below; exclusive time
 * = estimate - calls x inside - (cost - inside) of the calls made directly. A timed call costs
 * `call` (with counters: + `counters`), one that sampling left out `forward`. To the interval of
 * sampling this adds 2 x spread x the number of timed calls whose cost is subtracted: an error of
 * the cost is the same in each of them and does not average out.
 */
struct portolan_profile_cost {
    double call_ns, spread_ns, inside_ns, forward_ns, rows_ns, counters_ns;
};

/** The values of one thread of one rank on a call path. */
struct portolan_profile_cell {
    size_t node;
    int rank, thread;
    double calls, timed_calls, subroutines;
    double inclusive_ns, exclusive_ns, mpi_ns; /**< of timed calls, as stored */
    /** Estimates of all calls; the same as above where all were timed. Not set for contexts. */
    double all_inclusive_ns, all_exclusive_ns, all_mpi_ns;
    double min_ns, max_ns, sum_squares_ns2;
    const double *counters; /**< the profile's n_counters */
};

/** Children with more time than their parent: stored data that contradict each other. */
struct portolan_profile_violation {
    size_t node; /**< the parent */
    double inclusive_ns, children_ns;
};

struct portolan_profile {
    const struct portolan_trial *trial;
    int ranks;   /**< of the statistics: those of the trial, or 1 for a single rank */
    bool is_cut; /**< the trial did not finish */
    bool is_flat;
    struct portolan_profile_cost cost;
    size_t n_counters;
    const char *const *counter_names;
    size_t n_nodes;
    struct portolan_profile_node *nodes; /**< parents first, siblings as they were first called */
    /** By (node, rank, thread); none when it was read from a summary. */
    size_t n_cells;
    struct portolan_profile_cell *cells;
    /**
     * Parents whose raw inclusive time is less than the sum of their children's by more than
     * rounding; sampled ones are not judged.
     */
    size_t n_violations;
    struct portolan_profile_violation *violations;
    /* Owned by the profile: */
    struct portolan_arena arena; /**< of all arrays */
    struct portolan_sample_set *set;
    struct portolan_summary_set *summary;
};

struct portolan_profile_query {
    int64_t trial;   /**< 0: the newest */
    const int *rank; /**< NULL: all */
    bool contexts;   /**< contexts as separate nodes after their call path */
    /**
     * Reads the values of every rank and thread, too. These, contexts and single ranks come from
     * the samples, which takes time in proportion to their number; all else from the trial's
     * summary.
     */
    bool cells;
    /** A profile whose counters come first, in its order; NULL: any order. */
    const struct portolan_profile *like;
};

/**
 * Reads a trial, its partial steps too. *PROFILE is the caller's to destroy. Errors: ENOTFOUND (no
 * such trial or rank), those of the store, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_profile_read(struct portolan_store *store,
                                                        const struct portolan_profile_query *query,
                                                        struct portolan_profile **profile,
                                                        struct portolan_error *err);

/**
 * One row per method of an instance's port and implementation. Inclusive time is that of outermost
 * activations only: calls below a call of the same method add to calls and exclusive time alone.
 * Statistics over ranks of a method with several call paths are NaN, except sum and mean, unless
 * PROFILE has cells. PROFILE must outlive *FLAT, which the caller destroys. Errors: ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_profile_flatten(const struct portolan_profile *profile,
                                                           struct portolan_profile **flat,
                                                           struct portolan_error *err);

/** Adds the value of a context: the mean of a bin (BINNED) with 12 digits, others with all. */
PORTOLAN_API void portolan_profile_add_context(double value, bool binned,
                                               struct portolan_text *text);

/** The end of the names of counters that count calls themselves, without the calls below. Imported
 * trials have them, since their call paths may be unknown. */
#define PORTOLAN_PROFILE_EXCLUSIVE " (exclusive)"

/** Returns whether NAME is that of such a counter. */
PORTOLAN_API bool portolan_profile_is_exclusive_counter(const char *name);

/** The position of the exclusive counter of counter K; `n_counters` if there is none: then the
 * exclusive count is the inclusive one less those of the calls below. */
PORTOLAN_API size_t portolan_profile_find_exclusive(const struct portolan_profile *profile,
                                                    size_t k);

/**
 * Returns whether some ranks below the number of TRIAL's ranks have no profile: those were not
 * there, so that means are over the others.
 */
PORTOLAN_API bool portolan_profile_has_absent_ranks(const struct portolan_trial *trial);

/** The position of counter NAME in PROFILE; `n_counters` if there is none. */
PORTOLAN_API size_t portolan_profile_find_counter(const struct portolan_profile *profile,
                                                  const char *name);

/**
 * METRIC of a node, summed over ranks: "exclusive", "inclusive" or "mpi" (time in ns), "calls" or a
 * counter; of sampled calls the estimate for all. NaN if it was not measured there. *MAX becomes
 * the largest value of a rank: of times as stored.
 */
PORTOLAN_API double portolan_profile_sum(const struct portolan_profile *profile,
                                         const struct portolan_profile_node *node,
                                         const char *metric, double *max);

/** NULL is legal. */
PORTOLAN_API void portolan_profile_destroy(struct portolan_profile *profile);

/**
 * Adds the label of a node to TEXT: "solver.solve [heat.Cholmod]", with WITH_PORT
 * "solver.port.solve [heat.Cholmod]"; a context "solver.solve [heat.Cholmod] [ <n> = <64> ]", with
 * "~" before mean values of bins.
 */
PORTOLAN_API void portolan_profile_add_label(const struct portolan_profile_node *node,
                                             bool with_port, struct portolan_text *text);

/** A node with the names of a sample's call path, and all else 0; borrowed. */
PORTOLAN_API struct portolan_profile_node
portolan_profile_node_of(const struct portolan_sample *path);

/** Adds NODE's names to an object of JSON: "user", "uses", "instance", … */
struct portolan_json;
PORTOLAN_API void portolan_profile_write_names(struct portolan_json *j,
                                               const struct portolan_profile_node *node);

/** Names of single calls' paths, kept after the store's visit. Start it as {0}; clear the arena. */
struct portolan_kept_paths {
    struct portolan_arena arena;
    struct portolan_sample **paths; /**< by the store's number; NULL: not kept yet */
    size_t n;
};

/** A copy of PATH, which has this NUMBER in the store's visit; NULL without memory. */
PORTOLAN_API const struct portolan_sample *
portolan_profile_keep_path(struct portolan_kept_paths *kept, int64_t number,
                           const struct portolan_sample *path);

/** Finds whether single calls of the trial, or of its *RANK, are stored. Errors: those of the
 * store. */
PORTOLAN_API enum portolan_status portolan_profile_has_rows(struct portolan_store *store,
                                                            int64_t trial, const int *rank,
                                                            bool *any, struct portolan_error *err);

/**
 * Adds the cost of measuring in TRIAL to TEXT, for the head of a report: "one measured call costs
 * 17.6 +- 2.3 ns", or why that is not known; without an end of line.
 */
PORTOLAN_API void portolan_profile_add_cost(const struct portolan_trial *trial,
                                            struct portolan_text *text);

/* ---------------------------------------------------------------- lists of trials */

/** Adds one line per trial, with the kinds of data stored. Errors: those of the store, ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trials_write(struct portolan_store *store,
                                                        const struct portolan_trial_list *list,
                                                        bool wide, struct portolan_text *out,
                                                        struct portolan_error *err);

/** Adds all facts of the trials except measurements, one per line. */
PORTOLAN_API void portolan_trials_write_facts(const struct portolan_trial_list *list,
                                              struct portolan_text *out);

/** Adds both to OUT as JSON, in the form of portolan-profile(1). Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_trials_write_json(const struct portolan_trial_list *list,
                                                             struct portolan_text *out,
                                                             struct portolan_error *err);

/* ---------------------------------------------------------------- texts and JSON */

enum portolan_profile_view {
    PORTOLAN_PROFILE_TREE,     /**< call paths */
    PORTOLAN_PROFILE_FLAT,     /**< methods */
    PORTOLAN_PROFILE_CONTEXTS, /**< methods, each followed by its contexts */
    /** Ranks and threads: each method's values, or the rank's where `method` is NULL. */
    PORTOLAN_PROFILE_RANKS,
    PORTOLAN_PROFILE_MPI, /**< by routine, and the share of it in the ranks' time */
    /** Bytes from each rank to each rank: a matrix up to 16 ranks, and the pairs, the heaviest
     * first. */
    PORTOLAN_PROFILE_MATRIX,
    PORTOLAN_PROFILE_EVENTS, /**< over all ranks and threads, by name and call path */
    PORTOLAN_PROFILE_ROWS    /**< single calls, by rank, thread and start, or the longest */
};

enum portolan_profile_values {
    PORTOLAN_PROFILE_ESTIMATED, /**< the raw values if all calls were timed */
    PORTOLAN_PROFILE_RAW,
    PORTOLAN_PROFILE_COMPENSATED
};

/** The contents of a report. Times are means over the ranks. */
struct portolan_profile_report {
    int64_t trial;   /**< 0: the newest */
    const int *rank; /**< NULL: all */
    enum portolan_profile_view view;
    bool as_json; /**< all numbers; portolan-profile(1) has the form */
    enum portolan_profile_values values;
    const char *metric; /**< NULL or "TIME", "MPI TIME", or a counter */
    /**
     * "inclusive", "exclusive", "mpi", "calls", "imbalance", "metric", "name" or "called" (as they
     * were first called); NULL: as fits the view.
     */
    const char *sort;
    const char *method; /**< a pattern of fnmatch(3) of labels or methods; NULL: all */
    size_t top;         /**< number of rows; 0: all. The report states how many are left out */
    bool wide;          /**< do not shorten long names */
};

/** The messages from rank FROM to rank TO, as the sender and the receiver recorded them. */
struct portolan_profile_pair {
    int from, to;
    double calls;          /**< of the sender */
    double sent, received; /**< bytes */
    double time_ns;        /**< of the calls on both sides */
};

/** Pairs of ranks, by their numbers: *N of them, which the caller frees; NULL when memory runs out.
 * _sort puts those with most bytes first. */
PORTOLAN_API struct portolan_profile_pair *
portolan_profile_sum_pairs(const struct portolan_traffic_set *set, size_t *n);
PORTOLAN_API void portolan_profile_sort_pairs(struct portolan_profile_pair *pairs, size_t n);

/**
 * Adds a view of a trial to OUT. A text begins with lines on the trial: its program, how it ended,
 * the cost of measuring, and warnings on how far the numbers can be trusted. Errors: ENOTFOUND (no
 * such trial or rank, no single call stored), EINVAL (no such metric or order: the text lists
 * them), those of the store, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_profile_write(struct portolan_store *store,
                                                         const struct portolan_profile_report *r,
                                                         struct portolan_text *out,
                                                         struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
