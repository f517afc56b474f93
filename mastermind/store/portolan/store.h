/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * store: the experiment store, one SQLite file per project (or a PostgreSQL database). No other
 * code uses SQL.
 *
 * The schema (docs/portolan-store.5) keeps the names of TAUdb's core (trial, thread, metric, timer,
 * timer_callpath, timer_call_data, counter, primary_metadata, …) and adds components, contexts,
 * steps, single calls, summaries over ranks, communication, models, decisions and swaps. It is
 * versioned in the file (application_id and user_version).
 *
 * A store handle is used by one thread at a time. Each `put` is one transaction: when it returns
 * PORTOLAN_OK the rows survive the death of the process; on failure nothing is stored, and the text
 * says what is missing. Times are nanoseconds, of the rank's own clock.
 *
 * Errors of all functions with a status: EIO, EBUSY (locked by another process), ENOMEM, and EINVAL
 * for rows that contradict what is stored; of all that put or change something in a trial also
 * ENOTFOUND (no such trial). Others are named below. Arguments of `put` are borrowed for the call;
 * a set that is read owns everything that it points to.
 *
 * Two headers that this one includes have the rest: <portolan/store_calls.h> and
 * <portolan/store_decisions.h>.
 */
#ifndef PORTOLAN_STORE_H
#define PORTOLAN_STORE_H

#include <portolan/base.h>

#include <math.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PORTOLAN_CONTEXT_MAX = 4, /**< context values per call, as in <portolan/probe.h> */
    PORTOLAN_COUNTER_MAX = 8, /**< counters read together, likewise */
    /** Counters of a trial: sets that took turns make more than are read together. */
    PORTOLAN_SUMMARY_COUNTER_MAX = 32
};

struct portolan_store;

enum portolan_store_mode { PORTOLAN_STORE_READ, PORTOLAN_STORE_WRITE };

/**
 * Opens the store at PATH; in WRITE mode creates it when missing. Write-ahead log, or a rollback
 * journal where the file system cannot share memory (network file systems).
 *
 * A store of an older schema is brought to today's in one transaction in WRITE mode (all of it or
 * nothing); in READ mode the file stays as it is and a temporary copy of it is read. The path
 * ":memory:" opens an empty store that lives as long as its handle. A path that
 * portolan_store_is_server() knows names a PostgreSQL database.
 *
 * Errors: EIO (cannot be opened or written), EFOREIGN (a file that is not an experiment store, or
 * has a newer schema: the text says which), EBUSY (another process holds it for longer than 5 s),
 * EUNSUPPORTED (a server, and this Portolan was built without). *STORE is the caller's to close.
 */
PORTOLAN_API enum portolan_status portolan_store_open(const char *path,
                                                      enum portolan_store_mode mode,
                                                      struct portolan_store **store,
                                                      struct portolan_error *err);

/** Returns whether PATH names a server ("postgresql://…", "postgres://…", "host=…") instead of a
 * file. */
PORTOLAN_API bool portolan_store_is_server(const char *path);

/** The folder in which the store at PATH keeps the traces of its trials, in ARENA; NULL: no memory.
 */
PORTOLAN_API char *portolan_store_traces(struct portolan_arena *arena, const char *path);

/** Returns whether PATH names a server, or a file with a database in it. */
PORTOLAN_API bool portolan_store_is_one(const char *path);

/** How long to wait for a lock of another process before EBUSY; 5,000 ms at first. */
PORTOLAN_API void portolan_store_set_patience(struct portolan_store *store, int wait_ms);

/** NULL is legal. */
PORTOLAN_API void portolan_store_close(struct portolan_store *store);

/**
 * Makes all that is put from here to portolan_store_commit() one transaction, so that related data
 * can be stored piece by piece. When a put fails, everything since the begin is undone at once, and
 * puts and the commit fail until portolan_store_rollback(). Brackets do not nest. Errors: EINVAL
 * (one is open), EBUSY, EIO.
 */
PORTOLAN_API enum portolan_status portolan_store_begin(struct portolan_store *store,
                                                       struct portolan_error *err);
/** On failure nothing of it is stored, and the bracket is closed. */
PORTOLAN_API enum portolan_status portolan_store_commit(struct portolan_store *store,
                                                        struct portolan_error *err);
/** Undoes all puts since the begin; without effect if no bracket is open. */
PORTOLAN_API void portolan_store_rollback(struct portolan_store *store);

/** EIO: the store's file was deleted, replaced or cut short since it was opened, so that it cannot
 * take anything any more; portolan_store_begin() fails so, too. EIO or EBUSY: the connection to the
 * server is lost, which the next portolan_store_begin() may find again. */
PORTOLAN_API enum portolan_status portolan_store_check(struct portolan_store *store,
                                                       struct portolan_error *err);

struct portolan_name_value {
    const char *name, *value;
};

/** The value of the first of N PAIRS that is called NAME, borrowed; NULL when none is. */
static inline const char *portolan_peek_value(const struct portolan_name_value *pairs, size_t n,
                                              const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(pairs[i].name, name))
            return pairs[i].value;
    return NULL;
}

/** One execution of an assembly. */
struct portolan_trial {
    int64_t id; /**< given by the store */
    const char *assembly;
    /** "explore" (portolan measure), "run", "fixed" (a run without swaps). */
    const char *purpose;
    int ranks;
    const char *started; /**< UTC, ISO 8601; given by the store when NULL */
    /** "running" until it is ended, then "finished", "failed" or, if it was ended at a limit of
     * time, "stopped": it takes at least `elapsed_ns`. A killed run stays "running". */
    const char *outcome;
    double elapsed_ns; /**< of the go call, slowest rank; 0 until ended */
    size_t n_parameters;
    const struct portolan_name_value *parameters; /**< "driver.n" = "32" */
    size_t n_implementations;
    const struct portolan_name_value *implementations; /**< "solver" = "heat.Cholmod", at start */
    size_t n_metadata;
    const struct portolan_name_value *metadata; /**< host, processor, clock, libraries, … */
    size_t n_partial;                           /**< steps that metadata calls partial */
    int threads; /**< of the rank that had most; given by the store */
};

/** The value of metadata NAME, borrowed from TRIAL; NULL when it has none. */
static inline const char *portolan_trial_peek_fact(const struct portolan_trial *trial,
                                                   const char *name)
{
    return portolan_peek_value(trial->metadata, trial->n_metadata, name);
}

/**
 * Metadata of this name, with a step's number after it, says that not everything was measured in
 * the step. Its samples are stored, but portolan_store_read() leaves them out unless asked.
 */
#define PORTOLAN_STORE_PARTIAL "partial step "

/** Metadata of this name describes what disturbed a trial: other processes on its cores. */
#define PORTOLAN_STORE_DISTURBED "disturbed"

/**
 * Metadata of this name is the folder with the recorded trace of a trial, relative to the store's
 * own folder: "portolan.db.traces/12" lies next to the store, and is deleted with the trial.
 */
#define PORTOLAN_STORE_TRACE "trace"
/** Value in such a trace: nanoseconds since the trial began, at the event's time. */
#define PORTOLAN_STORE_TRIAL_NS "time of the trial"

/** Metadata of this name says that the trial's time is that of a virtual machine, and of which: it
 * is no measurement of the machine that it ran on. */
#define PORTOLAN_STORE_VIRTUAL "virtual machine"

/** Metadata of this name says that alternatives were called in turn, so that the trial's time is
 * that of no single choice. */
#define PORTOLAN_STORE_IN_TURN "in turn"

/*
 * How rank 0 spent the run, in ns by the clock of the calls. The wall time is the sum of "in
 * measured calls", deciding, storing, waiting, and the rest: the program outside measured calls. It
 * begins when the Mastermind is made, and ends with the trial. A trial that was cut off has only
 * those that are put while it runs.
 */
#define PORTOLAN_FACT_WALL "wall time"
/** Processor time of rank 0's process meanwhile, with all threads, by the real clock. */
#define PORTOLAN_FACT_PROCESSOR "processor time"
/** In calls through ports, on the thread that was longest in them; the go call itself is rest. */
#define PORTOLAN_FACT_CALLS "in measured calls"
/** A part of it: what measuring these calls cost, by the cost of one call. */
#define PORTOLAN_FACT_MEASURING "measuring calls"
/** The Optimizer's own work at swap points, swaps included. Put while the run goes on. */
#define PORTOLAN_FACT_DECIDING "deciding at swap points"
/** All other work at swap points, and at the end: collecting, storing, diagnosing. */
#define PORTOLAN_FACT_STORING "storing at swap points"
/** At swap points, for ranks that came later: the program's imbalance, not Portolan's work. */
#define PORTOLAN_FACT_WAITING "waiting at swap points"
/** The cost of exploring: the additional time of the steps in which it tried something, with swaps,
 * in ns; and the number of these steps. */
#define PORTOLAN_FACT_EXPLORING "exploring"
#define PORTOLAN_FACT_EXPLORED  "exploring steps"
/** Only where pieces that are stored have several steps (up to the next piece's step): how often
 * the listeners of the swap point were called, and how many steps there were. */
#define PORTOLAN_FACT_GROUPS "groups of steps"
#define PORTOLAN_FACT_STEPS  "steps"

/** The steps which could not be stored. */
#define PORTOLAN_FACT_LOST_STEPS "steps not stored"
/** How many rows of single calls there was no room for, on all ranks. */
#define PORTOLAN_FACT_LOST_ROWS "rows lost"

/** Metadata of this name is a trial's label, see portolan_store_label_trial(). */
#define PORTOLAN_STORE_LABEL "label"

/** In place of `timed_calls`: not one call was timed (0 means that all were). */
#define PORTOLAN_STORE_NONE_TIMED INT64_C(-1)

/** All calls of one call path with one context between two swap points, on one rank. */
struct portolan_sample {
    int64_t trial;
    int step; /**< -1: before the first swap point */
    int rank;
    int thread;
    /** Position of the caller's sample in the same array and (trial, step, rank); -1 at a root. */
    int64_t parent;
    const char *user, *uses;     /**< whose call it is: instance and its uses port; "" at a root */
    const char *instance, *port; /**< what is called: instance and its provides port */
    const char *implementation;  /**< class of the instance at the time */
    const char *port_type, *method;
    int n_context;
    const char *context_name[PORTOLAN_CONTEXT_MAX];
    double context[PORTOLAN_CONTEXT_MAX]; /**< mean over the calls; without any over the failed */
    bool binned;                          /**< contexts are a bin's means, not exact values */
    int64_t calls, subroutines;           /**< calls: those that did not fail */
    /**
     * Calls that ended with an exception or a failure status: they count in no other number or time
     * here. Their time is in the inclusive time of their callers, not in the exclusive.
     */
    int64_t failed_calls;
    /**
     * Calls that were timed, when only 1 in N was: the times and counters below are theirs. 0 means
     * `calls`, PORTOLAN_STORE_NONE_TIMED none: see portolan_sample_timed().
     */
    int64_t timed_calls;
    double inclusive_ns, exclusive_ns, mpi_ns; /**< mpi: the part of exclusive spent in MPI */
    double min_ns, max_ns, sum_squares_ns2;    /**< of inclusive time per call */
    double quality; /**< worst accuracy reported by a call; NaN when none was */
    int n_counters; /**< PAPI events that were counted in these calls, inclusive */
    const char *counter_name[PORTOLAN_COUNTER_MAX];
    double counter[PORTOLAN_COUNTER_MAX];
};

/** How many calls of the sample were timed. */
static inline double portolan_sample_timed(const struct portolan_sample *sample)
{
    int64_t timed = sample->timed_calls ? sample->timed_calls : sample->calls;

    return timed > 0 ? (double)timed : 0;
}

/** SUM, a time or counter of the sample, per call; NaN if none was timed. */
static inline double portolan_sample_each(const struct portolan_sample *sample, double sum)
{
    double timed = portolan_sample_timed(sample);

    return timed > 0 ? sum / timed : NAN;
}

/** The factor that scales sums over TIMED calls up to all CALLS; NaN where none was timed. */
static inline double portolan_timed_ratio(double calls, double timed)
{
    return timed >= calls ? 1 : timed > 0 ? calls / timed : NAN;
}

/**
 * Estimates for all CALLS the SUM over the TIMED ones; SUM itself if none was timed. The part that
 * is added to an inclusive time is still in the exclusive time of the caller.
 */
static inline double portolan_estimate_all(double sum, double calls, double timed)
{
    return timed > 0 ? sum * portolan_timed_ratio(calls, timed) : sum;
}

/**
 * Stores a trial with its parameters, implementations and facts; its outcome is "running" until it
 * is ended. *ID is its number. Errors: EIO, EBUSY, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_store_begin_trial(struct portolan_store *store,
                                                             const struct portolan_trial *trial,
                                                             int64_t *id,
                                                             struct portolan_error *err);

/**
 * For jobs whose ranks are stored by separate processes that share only JOB, a text that is unique
 * among running jobs. RANK joins the job's trial that is still running and that it has not left, or
 * begins it as TRIAL; *ID is its number. A trial stays "running" until all of its ranks have left.
 */
PORTOLAN_API enum portolan_status portolan_store_join_trial(struct portolan_store *store,
                                                            const struct portolan_trial *trial,
                                                            const char *job, int rank, int64_t *id,
                                                            struct portolan_error *err);

/**
 * RANK has ended, OUTCOME "finished" or "failed", after ELAPSED_NS: the trial takes the longest
 * time, and ends when all of its ranks have: as "failed" if one has. Errors: ENOTFOUND, EBUSY, EIO.
 */
PORTOLAN_API enum portolan_status portolan_store_leave_trial(struct portolan_store *store,
                                                             int64_t trial, int rank,
                                                             const char *outcome, double elapsed_ns,
                                                             struct portolan_error *err);

/** Adds metadata to a trial; an existing name gets the new value. */
PORTOLAN_API enum portolan_status
portolan_store_put_metadata(struct portolan_store *store, int64_t trial,
                            const struct portolan_name_value *metadata, size_t n,
                            struct portolan_error *err);

/**
 * Stores the samples of one step of all ranks; `trial` and `step` of the rows are ignored. Parents
 * stand before their children. A step that is stored twice (it was repeated) holds both pieces.
 * Errors: ENOTFOUND (no such trial), EINVAL (parents), EIO, EBUSY, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_store_put_step(struct portolan_store *store,
                                                          int64_t trial, int step,
                                                          const struct portolan_sample *samples,
                                                          size_t n, struct portolan_error *err);

/** *HAS: samples of STEP, of some rank, are stored. */
PORTOLAN_API enum portolan_status portolan_store_has_step(struct portolan_store *store,
                                                          int64_t trial, int step, bool *has,
                                                          struct portolan_error *err);

/** Notes how a trial ended and the wall time of its slowest rank. ENOTFOUND: no such trial. */
PORTOLAN_API enum portolan_status portolan_store_end_trial(struct portolan_store *store,
                                                           int64_t trial, const char *outcome,
                                                           double elapsed_ns,
                                                           struct portolan_error *err);

/** A fact about one rank or, where it has several, one of its threads: its host, its core. */
struct portolan_rank_fact {
    int rank, thread; /**< thread 0 for what is true of the rank */
    const char *name, *value;
};

/** Adds facts; an existing name of the same thread gets the new value. */
PORTOLAN_API enum portolan_status
portolan_store_put_rank_facts(struct portolan_store *store, int64_t trial,
                              const struct portolan_rank_fact *facts, size_t n,
                              struct portolan_error *err);

/** Deletes the trial with all that was measured in it. Error: ENOTFOUND. */
PORTOLAN_API enum portolan_status portolan_store_delete_trial(struct portolan_store *store,
                                                              int64_t trial,
                                                              struct portolan_error *err);

/** Notes LABEL as metadata PORTOLAN_STORE_LABEL; NULL or "" removes it. Error: ENOTFOUND. */
PORTOLAN_API enum portolan_status portolan_store_label_trial(struct portolan_store *store,
                                                             int64_t trial, const char *label,
                                                             struct portolan_error *err);

/* ---- What runs in a trial: known before its first call, and after the death of the process. */

/** How far the class of an instance is known on this machine, as it was built. */
enum portolan_standing {
    PORTOLAN_RAN_WELL, /**< in an earlier trial, or it runs because the user said so */
    PORTOLAN_RAN_HERE, /**< only in this process: a step with it is stored */
    PORTOLAN_UNTRIED   /**< the next call may be its first: if the process ends, it has failed */
};

/** The class that an instance runs. */
struct portolan_running {
    const char *instance, *class_name;
    const char *library; /**< file of its plug-in; NULL: none, it is linked in */
    enum portolan_standing standing;
};

/** The note of a running trial: a small file next to the store (for a server in the user's state
 * folder), which survives the process and says what it was running. One thread at a time. */
struct portolan_note;

/**
 * Begins the note of TRIAL in the store at PATH. Rank 0 makes the file; on other ranks it stands
 * for that file, to which they only add how they ended. *NOTE is the caller's to close; NULL for
 * ":memory:". Errors: EIO, ENOMEM.
 */
PORTOLAN_API enum portolan_status portolan_note_open(const char *path, int64_t trial, int rank,
                                                     struct portolan_note **note,
                                                     struct portolan_error *err);
/** Removes the file: the trial has ended. NULL is legal, here and below. */
PORTOLAN_API void portolan_note_close(struct portolan_note *note);

/** Rank 0: notes what runs from STEP on, before it is called; other ranks, which give N = 0,
 * remember their memory. No error: it is a precaution. */
PORTOLAN_API void portolan_note_put(struct portolan_note *note, int step,
                                    const struct portolan_running *running, size_t n);

/** Any rank: a step has ended, so that what was noted as this rank's end was none; the
 * memory of the process is noted if it has grown much. */
PORTOLAN_API void portolan_note_step(struct portolan_note *note);

/**
 * Adds how the process is ending, in STEP: HOW is "signal", "exit", "limit" or "slow" (it may be
 * killed because a step takes so long) with the NUMBER of the signal, the status or the seconds.
 * INSIDE: instance and class of the N calls that the thread is inside, innermost first. The next
 * portolan_note_step() shows that it has not ended. Any rank; async-signal-safe.
 */
PORTOLAN_API void portolan_note_end(struct portolan_note *note, const char *how, long number,
                                    int step, const char *const *inside, size_t n);

/** Metadata of a failed trial: this name with an instance after it names the class that failed. */
#define PORTOLAN_STORE_BLAMED "blamed "
/** Likewise with a class after it: its plug-in then, as "SIZE MTIME FILE". The failure does not
 * count once the file is another. */
#define PORTOLAN_STORE_PLUGIN "plug-in of "

/** Likewise: names the instance whose class failed when it was to give its state to another. */
#define PORTOLAN_STORE_KEPT "gave no state"

/** Blames what RUNNING says for the failure of TRIAL, as above; its standing does not count. */
PORTOLAN_API enum portolan_status portolan_store_blame(struct portolan_store *store, int64_t trial,
                                                       const struct portolan_running *running,
                                                       struct portolan_error *err);

/**
 * Ends, as failed, trials that count as running although their process is gone, where their notes
 * say why or what was untried; that class is blamed. REASON: how the process ended, as far as the
 * caller knows ("time limit of 10 s"), or NULL. Trials stay "running" if nothing is known of their
 * end but that it came, if the machine went down, and if they ran on another machine, whose notes
 * stay. Opening a store does this, too. Errors: EBUSY, EIO, ENOMEM: a later call does the rest.
 */
PORTOLAN_API enum portolan_status
portolan_store_settle(struct portolan_store *store, const char *reason, struct portolan_error *err);
/* ---- What a store could not take at the end of a run. */

/** Metadata of a trial in a recovery file: the trial of the store of which it is a part. */
#define PORTOLAN_STORE_RECOVERS "part of trial"

/**
 * Adds TRIAL of FROM, with what was measured in it, to TO, in one transaction: to the trial there
 * of which it is a part or whose job it belongs to, or as a new one; *ID is its number. Steps that
 * are there already are not added again.
 */
PORTOLAN_API enum portolan_status portolan_store_copy_trial(struct portolan_store *from,
                                                            int64_t trial,
                                                            struct portolan_store *to, int64_t *id,
                                                            struct portolan_error *err);

/** Returns the file for data that a run cannot store at PATH: a store itself, next to the other or,
 * for a server, in the user's state folder; malloc'ed. NULL: there is no place for one. */
PORTOLAN_API char *portolan_store_recovery_file(const char *path);

/** A trial of the recovery FILE was added to the store as trial ID. */
typedef void (*portolan_recovered_fn)(void *arg, const char *file, int64_t id);

/**
 * Adds what the recovery files of the store at PATH hold to it, and removes each file when it is
 * stored. On failure the file stays, with those after it. Without such files, a store that is not
 * there is PORTOLAN_EIO.
 */
PORTOLAN_API enum portolan_status portolan_store_recover(const char *path,
                                                         portolan_recovered_fn recovered, void *arg,
                                                         struct portolan_error *err);

/** A part of the time of a trial. */
struct portolan_spent_part {
    const char *name; /**< static */
    double ns;
};

/** The time that rank 0 of a trial spent, by purpose, from the metadata PORTOLAN_FACT_WALL and the
 * like. */
struct portolan_spent {
    double wall_ns, processor_ns;
    struct portolan_spent_part parts[5];    /**< whose sum is the wall time */
    struct portolan_spent_part contains[2]; /**< measuring and exploring: in the first of PARTS */
    double overhead_ns; /**< what Portolan cost: measuring, exploring, deciding and storing */
};

/** False, and *SPENT is as it was, where the trial does not say so. */
PORTOLAN_API bool portolan_trial_read_spent(const struct portolan_trial *trial,
                                            struct portolan_spent *spent);

/** Adds a sentence with these times; where the overhead exceeds 2 % also what to do about it. */
PORTOLAN_API void portolan_spent_add(const struct portolan_spent *spent, struct portolan_text *out);

/** Returns whether alternatives took turns in a trial, so that its time is that of no single
 * choice. */
PORTOLAN_API bool portolan_trial_takes_turns(const struct portolan_trial *trial);

/**
 * Adds to OUT in what TRIAL differs from the trial OF, next to which its time is shown: "2 ranks
 * instead of 1, host b instead of a, another build of x.so"; with SIZES also parameters that are
 * not those of an implementation. Facts that only one of them has are passed over. Returns false if
 * one time is no measure of the other: anything differs but that alternatives took turns.
 */
PORTOLAN_API bool portolan_trial_add_unlike(const struct portolan_trial *trial,
                                            const struct portolan_trial *of, bool sizes,
                                            struct portolan_text *out);

/** Which trials to read; NULL or 0 fields do not restrict. */
struct portolan_store_query {
    int64_t trial;
    const char *assembly;
    const char *purpose;
    const char *outcome;
    int ranks;
    bool newest_only;
    bool with_partial;                 /**< also the samples of partial steps */
    const int *rank;                   /**< only this rank's samples; NULL: all */
    const int *first_step, *last_step; /**< only samples of these steps; NULL: no bound */
    size_t n_only;
    const int64_t *only; /**< only trials with these ids, in any order; NULL: no bound */
};

/** A veto that no longer counts, because the implementation was repaired. */
struct portolan_lifted_veto {
    const char *assembly, *instance, *implementation;
    int64_t trial; /**< failures and missed accuracies in trials up to this one do not count */
};

/**
 * Lifts the veto against IMPLEMENTATION as INSTANCE of ASSEMBLY: its failures no longer count, up
 * to the newest trial there is now; lifting again moves that number. The trials stay as they are.
 */
PORTOLAN_API enum portolan_status
portolan_store_lift_veto(struct portolan_store *store, const char *assembly, const char *instance,
                         const char *implementation, struct portolan_error *err);

/** Trials and all their samples, in memory of its own. */
struct portolan_sample_set {
    size_t n_trials;
    struct portolan_trial *trials; /**< by id */
    size_t n_samples;
    /** By (trial, step, rank), parents before children; `parent` is a position in this array. */
    struct portolan_sample *samples;
    size_t n_lifted;
    struct portolan_lifted_veto *lifted; /**< of all assemblies */
    void *impl;
};

/** Reads trials into *SET, the caller's to destroy; on failure it is NULL. QUERY NULL: everything.
 * Without samples when WITH_SAMPLES is false. An empty set is not an error. */
PORTOLAN_API enum portolan_status portolan_store_read(struct portolan_store *store,
                                                      const struct portolan_store_query *query,
                                                      bool with_samples,
                                                      struct portolan_sample_set **set,
                                                      struct portolan_error *err);

enum portolan_column_kind {
    PORTOLAN_COLUMN_INTEGER, /**< values: int64_t */
    PORTOLAN_COLUMN_REAL,    /**< double; NaN: not known, or the sample has no such value */
    PORTOLAN_COLUMN_NAME,    /**< int32_t, positions in `names` */
};

/** Before the name of a context or counter, as the name of its column: "context.n". */
#define PORTOLAN_COLUMN_CONTEXT "context."
#define PORTOLAN_COLUMN_COUNTER "counter."

/** A member of samples, of many of them. */
struct portolan_column {
    const char *name;
    enum portolan_column_kind kind;
    void *values;
    size_t n_names; /**< of the different names, for NAME */
    const char **names;
};

struct portolan_column_set {
    size_t n_rows; /**< of each column: samples by (trial, step, rank) */
    size_t n_columns;
    struct portolan_column *columns;
    void *impl;
};

/**
 * Reads the N_NAMES columns NAMES of the samples that QUERY (NULL: everything) wants, and nothing
 * else; NAMES NULL: all that there are. Columns are the members of struct portolan_sample by their
 * names, "path" (the calls from the root on, as "driver.go.go solver.solver.solve"), and contexts
 * and counters. *SET is the caller's to destroy; on failure it is NULL. ENOTFOUND: no such column,
 * with the nearest name.
 */
PORTOLAN_API enum portolan_status
portolan_store_read_columns(struct portolan_store *store, const struct portolan_store_query *query,
                            const char *const *names, size_t n_names,
                            struct portolan_column_set **set, struct portolan_error *err);
/** NULL is legal. */
PORTOLAN_API void portolan_column_set_destroy(struct portolan_column_set *set);

/** An empty set, for callers that have no store to read. Errors: ENOMEM. */
PORTOLAN_API enum portolan_status portolan_sample_set_create(struct portolan_sample_set **set);

/** NULL is legal. */
PORTOLAN_API void portolan_sample_set_destroy(struct portolan_sample_set *set);

#ifdef __cplusplus
}
#endif

#include <portolan/store_calls.h>
#include <portolan/store_decisions.h>

#endif
