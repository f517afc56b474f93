/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mastermind: the recorder, which stores a trial from its begin to its end: from the probes of all
 * ranks, step by step. Its users are the Mastermind component and wrap/, which measures another
 * process and provides the source of the snapshots. It has no ports.
 *
 * A recorder is used by one thread at a time. Times are nanoseconds. Cohort, assembly, source and
 * job are borrowed until it is closed.
 */
#ifndef PORTOLAN_RECORDER_H
#define PORTOLAN_RECORDER_H

#include <portolan/assembly.h>
#include <portolan/probe.h>
#include <portolan/store.h>

struct portolan_piggyback; /* <portolan/mastermind.h> */
struct portolan_probe_row; /* <portolan/probe.h> */
struct recorder_state;

/** Facts about a trial: names with values, owned. Start it as `{0}`. */
struct portolan_facts {
    size_t n, capacity;
    struct portolan_name_value *pairs;
    bool failed; /**< memory ran out: something is missing */
};

/** Frees what FACTS holds; it can be used again. */
void portolan_facts_clear(struct portolan_facts *facts);

/** Adds a fact, or gives a known name the new value; `failed` notes a lack of memory. */
void portolan_facts_put(struct portolan_facts *facts, const char *name, const char *value);

/** Puts host, kernel, processor, memory, compiler, counters and the environment variables that
 * change what runs. */
void portolan_facts_put_machine(struct portolan_facts *facts);

/** Puts what a trial of the assembly ran: the parameters, as "INSTANCE.NAME", and the classes. */
void portolan_facts_put_choices(const struct portolan_assembly *a,
                                struct portolan_facts *parameters,
                                struct portolan_facts *implementations);

/**
 * Every shared object in use with its real path, as "object NAME", and who compiled those that hold
 * components, as "compiled NAME". Objects that FACTS has already are not read again.
 */
void portolan_facts_put_objects(struct portolan_facts *facts);

/**
 * The source of snapshots. The process that is measured may be another one: then its handles and
 * counters are not this process's, nor are its shared objects.
 */
struct portolan_recorder_source {
    /** REQUIRED. Reads the records as portolan_probe_snapshot_take() does. */
    enum portolan_status (*take)(void *self, struct portolan_probe_snapshot *snapshot,
                                 struct portolan_error *err);
    /** OPTIONAL. Empties the records. If it fails, this snapshot is subtracted from the next. */
    enum portolan_status (*restart)(void *self);
    /** REQUIRED. Returns the method of a handle; the strings stay valid as long as the recorder. */
    const struct portolan_probe_method_info *(*peek_method)(void *self, uint32_t handle);
    /** REQUIRED. The name of a counter, NULL beyond the last. */
    const char *(*peek_counter)(void *self, size_t index);
    /** REQUIRED. The shared objects of the process, as facts. Called at begin and end of a trial.
     */
    void (*put_objects)(void *self, struct portolan_facts *facts);
    /**
     * OPTIONAL. Returns whether something that is measured was left out since the call that set
     * *MARK (0 at first), as portolan_control_was_partial() does.
     */
    bool (*was_partial)(void *self, uint64_t *mark);
    /** OPTIONAL. The cost of measuring; without it none is stored. */
    struct portolan_probe_cost (*cost)(void *self);
    /** OPTIONAL. The time now, by the clock of records and rows. */
    double (*now_ns)(void *self);
    /** OPTIONAL. Adds facts on what was left out, how often and how long. */
    void (*put_gaps)(void *self, struct portolan_facts *facts);
    /**
     * OPTIONAL. Rows of single calls, which are handed over in batches and forgotten, as
     * portolan_probe_rows_take() does; *LOST is how many had no room since the last call. A batch
     * is at most 8192 rows. Called before `restart`.
     */
    enum portolan_status (*take_rows)(void *self,
                                      int (*visit)(void *arg, const struct portolan_probe_row *rows,
                                                   size_t n),
                                      void *arg, uint64_t *lost, struct portolan_error *err);
    /**
     * OPTIONAL. Totals of the events so far, malloc'ed, as portolan_probe_events_take() does.
     */
    enum portolan_status (*take_events)(void *self, struct portolan_probe_event_record **rows,
                                        size_t *n, struct portolan_error *err);
    /** OPTIONAL. Totals of the messages so far, malloc'ed, as portolan_probe_traffic_take(). */
    enum portolan_status (*take_traffic)(void *self, struct portolan_probe_traffic **rows,
                                         size_t *n, struct portolan_error *err);
    void *self;
};

/** Samples of one rank, parents first. Names are borrowed from the source (or from a block). */
struct portolan_slice {
    size_t n, capacity;
    struct portolan_sample *samples;
    uint32_t *handles; /**< of the samples' methods at the source; NULL after unpacking */
    size_t n_counters; /**< 0 after unpacking, when names are the block's */
    char *counters[PORTOLAN_COUNTER_MAX];
    double root_ns;         /**< time of the roots on the thread that had most */
    double calls_ns;        /**< likewise, estimated, without the go call's own time */
    double timed_calls;     /**< of all threads */
    bool has_untimed_roots; /**< sampling left calls untimed, which root_ns lacks */
    int n_partial;          /**< how many ranks left something out; of one rank: 0 or 1 */
    int n_waiting;          /**< likewise, for how many of them the piggyback must wait */
};

/**
 * One rank of a job whose ranks have recorders in processes that know nothing of each other: they
 * store one trial together, without statistics over ranks, which are made when it is read.
 */
struct portolan_recorder_job {
    const char *name; /**< the same for all ranks, and no other job's */
    int rank, size;
};

struct portolan_recorder {
    struct portolan_cohort *cohort;
    const struct portolan_recorder_job
        *job; /**< or NULL; set, with a cohort of one, before a cut */
    const struct portolan_assembly *assembly;      /**< may be NULL: then the trial has no name */
    const struct portolan_recorder_source *source; /**< this process's probe unless changed */
    struct portolan_store *store;                  /**< on rank 0, else NULL */
    struct portolan_facts facts;                   /**< not stored yet */
    struct portolan_arena expected_arena;
    size_t n_expected;
    struct portolan_expectation *expected; /**< not stored yet */
    int64_t trial;                         /**< 0: not begun */
    int step;                              /**< to which the next slice belongs */
    double elapsed_ns;  /**< of this rank's roots; where not all were timed, by the clock */
    double cut_ns;      /**< by the clock: when the last cut ended */
    double deciding_ns; /**< the Optimizer's time at swap points */
    bool failed;
    /**
     * Stores only rank 0's samples, and at each cut statistics over all ranks of what was measured
     * so far. The same on all ranks, set before the first cut.
     */
    bool summary_only;
    /** Steps are grouped until a group lasts so long; 0: each is a group, and stored. As above. */
    double group_ns;
    bool stores_all;                 /**< each group is stored. As above */
    uint64_t n_lost_steps;           /**< that could not be stored */
    struct portolan_text lost_steps; /**< their numbers, as "3 to 7, 9" */
    int lost_first, lost_last;       /**< of the newest range, which is not in the text yet */
    double lost_samples, lost_step_rows;
    double step_rows; /**< rows of this rank that were handed over in this step */
    /**
     * Rows of single calls of this rank that are lost: there was no room for them, or their call is
     * not on a path of the trial.
     */
    double lost_rows;
    double opened_ns,
        began_ns;  /**< by this rank's clock: when the recorder was opened, when the trial began */
    uint64_t mark; /**< for the source's was_partial */
    /** Travels with each cut but the last; or NULL. The same on all ranks. */
    struct portolan_piggyback *piggyback;
    struct portolan_probe_snapshot before, now;
    struct portolan_slice slice;  /**< this rank's latest */
    struct recorder_state *state; /**< the recorder's own */
};

/**
 * Opens the store at PATH on rank 0 (NULL or "": in memory). Not collective: other ranks only
 * remember the cohort. Errors of portolan_store_open().
 */
enum portolan_status portolan_recorder_open(struct portolan_recorder *r,
                                            struct portolan_cohort *cohort,
                                            const struct portolan_assembly *assembly,
                                            const char *path, struct portolan_error *err);

/** Keeps a copy of E, on rank 0, for the next cut to store; without memory it is left out. */
void portolan_recorder_expect(struct portolan_recorder *r, const struct portolan_expectation *e);

/** Closes the store; safe on a recorder that was not opened. The trial stays as it is. */
void portolan_recorder_close(struct portolan_recorder *r);

/**
 * Collective. Stores what all ranks measured since the last cut as step `step`, beginning the trial
 * first if it has not begun; then `step` becomes NEXT_STEP. If steps are grouped, a slice may have
 * to wait for further ones, with which it is stored as one: after many groups, and at most 1/256 of
 * them. All of it is one transaction. All ranks
 * fail alike, with a text that says what is lost and why, that of the first that failed; then
 * nothing of the step is stored, but measuring goes on and the statistics at the end contain it.
 * That another process holds the store locked is no failure: steps then wait in memory, up to 64
 * MiB of each rank, for a cut that finds it free; a warning is logged once. A trace that is
 * recorded meanwhile gets the age of the trial (PORTOLAN_STORE_TRIAL_NS).
 *
 * Rank 0 holds 16 MiB of other ranks' samples at once (or those of one rank, if that is more).
 * Errors: those of the store, the cohort and the source, EINTERNAL (damaged messages), ENOMEM.
 */
enum portolan_status portolan_recorder_cut(struct portolan_recorder *r, int next_step,
                                           struct portolan_error *err);

/**
 * Between two cuts: what has been cut and not stored is stored, and the next slices singly, because
 * what runs is about to change. Collective. If that fails it is stored with the next slice.
 */
void portolan_recorder_change(struct portolan_recorder *r);

/**
 * After a cut: in how many steps the next one is due, the same on all ranks; *LEAST: not before so
 * many, because the cuts' share of the time is 1 % (or ranks cannot agree on an earlier one).
 */
int portolan_recorder_pace(const struct portolan_recorder *r, int *least);

/**
 * Collective. Cuts the last slice, stores the statistics over ranks, which are merged up a tree,
 * and ends the trial: "finished", or "failed" if any rank did. After a failure the rest is stored
 * anyway; the first failure is returned, and EIO when steps were lost earlier. No trial is made
 * when none has begun and no rank has measured a call.
 */
enum portolan_status portolan_recorder_end(struct portolan_recorder *r, struct portolan_error *err);

#endif
