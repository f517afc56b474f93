/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mastermind: the recorder, which leads a trial from its begin to its end: from the probes of all
 * ranks, step by step, into the store. The Mastermind component is one user; who measures another
 * process (wrap/) is the other, and says where the snapshots come from. No ports here.
 *
 * A recorder is used by one thread at a time.
 */
#ifndef PORTOLAN_RECORDER_H
#define PORTOLAN_RECORDER_H

#include <portolan/assembly.h>
#include <portolan/probe.h>
#include <portolan/store.h>

/* <portolan/probe.h> */
struct portolan_probe_row;
struct portolan_probe_event_record;
struct portolan_probe_traffic;

/** Facts about a trial: names with values, owned. Start it as `{0}`. */
struct portolan_facts {
    size_t n, capacity;
    struct portolan_name_value *pairs;
    bool failed; /**< memory was out: something is missing */
};

/** Frees what FACTS holds; it can be used again. */
void portolan_facts_clear(struct portolan_facts *facts);

/** Adds a fact, or gives a known name the new value; `failed` notes a lack of memory. */
void portolan_facts_put(struct portolan_facts *facts, const char *name, const char *value);

/** Host, kernel, processor, compiler, environment that steers threads, and counters. */
void portolan_facts_put_machine(struct portolan_facts *facts);

/** Every shared object in use with its real path, as "object NAME". */
void portolan_facts_put_objects(struct portolan_facts *facts);

/**
 * Where snapshots come from. The process that is measured may be another one: then its handles and
 * counters are not this process's, nor are its shared objects.
 */
struct portolan_recorder_source {
    /** REQUIRED. Reads the records as portolan_probe_snapshot_take() does. */
    enum portolan_status (*take)(void *self, struct portolan_probe_snapshot *snapshot,
                                 struct portolan_error *err);
    /** OPTIONAL. Empties the records; when it fails, the difference to the last snapshot tells. */
    enum portolan_status (*restart)(void *self);
    /** REQUIRED. What a handle stands for; the strings stay valid as long as the recorder. */
    const struct portolan_probe_method_info *(*peek_method)(void *self, uint32_t handle);
    /** REQUIRED. The name of a counter, NULL beyond the last. */
    const char *(*peek_counter)(void *self, size_t index);
    /** REQUIRED. The shared objects of the process, as facts. Called at begin and end of a trial.
     */
    void (*put_objects)(void *self, struct portolan_facts *facts);
    /**
     * OPTIONAL. Whether something that is measured was left out since the call that left *MARK (0
     * at first), as portolan_control_was_partial() tells.
     */
    bool (*was_partial)(void *self, uint64_t *mark);
    /** OPTIONAL. What was left out, how often and how long, as facts. */
    void (*put_gaps)(void *self, struct portolan_facts *facts);
    /**
     * OPTIONAL. Rows of single calls, which are handed over in batches and forgotten, as
     * portolan_probe_rows_take() does; *LOST is how many had no room since the last time.
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
struct portolan_piece {
    size_t n, capacity;
    struct portolan_sample *samples;
    uint32_t *handles; /**< of the samples' methods at the source; NULL after unpacking */
    double root_ns;    /**< time of the roots on the thread that had most */
    int n_partial;     /**< how many ranks left something out; of one rank: 0 or 1 */
};

struct portolan_recorder {
    struct portolan_cohort *cohort;
    const struct portolan_assembly *assembly;      /**< may be NULL: then the trial has no name */
    const struct portolan_recorder_source *source; /**< this process's probe unless changed */
    struct portolan_store *store;                  /**< on rank 0, else NULL */
    struct portolan_facts facts;                   /**< not stored yet */
    int64_t trial;                                 /**< 0: not begun */
    int step;                                      /**< that the next piece belongs to */
    double elapsed_ns;                             /**< of this rank's roots */
    bool failed;
    uint64_t mark; /**< for the source's was_partial */
    struct portolan_probe_snapshot before, now;
    struct portolan_piece piece; /**< this rank's latest */
};

/**
 * Opens the store at PATH on rank 0 (NULL or "": in memory). Not collective: other ranks only
 * remember the cohort. Errors of portolan_store_open().
 */
enum portolan_status portolan_recorder_open(struct portolan_recorder *r,
                                            struct portolan_cohort *cohort,
                                            const struct portolan_assembly *assembly,
                                            const char *path, struct portolan_error *err);

/** Closes the store; safe on a recorder that was not opened. The trial stays as it is. */
void portolan_recorder_close(struct portolan_recorder *r);

/**
 * Collective. Stores what all ranks measured since the last cut as step `step`, beginning the trial
 * first if it has not begun; then `step` becomes NEXT_STEP. All ranks fail alike, with the text of
 * the first that did; then nothing of the step is stored and it is lost, but measuring goes on.
 */
enum portolan_status portolan_recorder_cut(struct portolan_recorder *r, int next_step,
                                           struct portolan_error *err);

/**
 * Collective. Cuts the last piece and ends the trial: "finished", or "failed" if any rank did. No
 * trial is made when none has begun and no rank has measured a call.
 */
enum portolan_status portolan_recorder_end(struct portolan_recorder *r, struct portolan_error *err);

#endif
