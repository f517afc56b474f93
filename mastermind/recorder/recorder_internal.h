/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to the recorder: shared by its files. */
#ifndef PORTOLAN_MASTERMIND_RECORDER_INTERNAL_H
#define PORTOLAN_MASTERMIND_RECORDER_INTERNAL_H

#include <portolan/block.h>
#include <portolan/machine.h>
#include <portolan/mastermind.h>
#include <portolan/recorder.h>

/** The source that reads this process's probe. */
extern const struct portolan_recorder_source slice_own_source;

/* ---- facts.c and facts_files.c: who and what took part in a trial */

/** portolan_facts_put() with a value of at most 1000 characters. */
void facts_printf(struct portolan_facts *facts, const char *name, const char *format, ...)
    PORTOLAN_PRINTF(3, 4);

/** A copy of TEXT in which passwords of data bases are stars; NULL: no memory. */
char *facts_without_secrets(const char *text);

/** Which compilers made the object or program FILE, and with which flags, under NAME. */
void facts_put_compiler(struct portolan_facts *facts, const char *name, const char *file);

/** Returns whether FILE is an object with a component (exports portolan_component_…). */
bool facts_is_component(const char *file);

/** The assembly as text, and the revision of the folder that it lies in. */
void facts_put_assembly(struct portolan_facts *facts, const struct portolan_assembly *assembly);

/** The revision of git's working tree that FOLDER lies in; nothing when it lies in none. */
void facts_put_revision(struct portolan_facts *facts, const char *folder);

/** Collective: adds what is known of all ranks to rank 0's facts. */
enum portolan_status facts_put_ranks(struct portolan_recorder *r, struct portolan_error *err);

/** Collective: adds to rank 0's facts who else used the ranks' cores since OPENED. */
void facts_put_load(struct portolan_recorder *r, const struct portolan_machine_reading *opened);

/** Adds to rank 0's facts where it spent its time since the recorder was opened. */
void facts_put_times(struct portolan_recorder *r);

/* ---- summary.c: call paths with statistics over ranks, merged on the way up a tree of ranks */

/** Paths, parents before their children, each once. All names are borrowed. Start it as `{0}`. */
struct summary {
    int first, ranks; /* over so many ranks from the first on */
    size_t n, capacity;
    struct portolan_path_summary *rows;
    struct portolan_index paths;
    int n_counters; /* of every row */
    const char *counters[PORTOLAN_SUMMARY_COUNTER_MAX];
};

/** Frees all; it can be used again. */
void summary_clear(struct summary *s);

/** Carries the table to or from another rank; a table that is read must be empty before. */
void summary_carry(struct portolan_block *b, struct summary *s);

/** A portolan_cohort_merge_fn: makes one table of two; an empty block stands for no rank. */
enum portolan_status summary_merge(void *arg, const void *mine, size_t mine_bytes,
                                   const void *theirs, size_t theirs_bytes, void **out,
                                   size_t *out_bytes);

/** The totals that one rank has measured so far: the rows have sums only. Start it as `{0}`. */
struct totals {
    struct summary sums;
    size_t n_pairs, capacity;
    uint64_t *pairs; /* of a row and a thread that was on it */
    struct portolan_index threads;
};

/** Frees all; it can be used again. */
void totals_clear(struct totals *t);

/**
 * Adds SLICE, whose names must stay as long as the totals. Counters beyond
 * PORTOLAN_SUMMARY_COUNTER_MAX are left out. Errors: ENOMEM, and nothing has changed.
 */
enum portolan_status totals_add(struct totals *t, const struct portolan_slice *slice,
                                struct portolan_error *err);

/** The totals of RANK as a table of one rank; the caller frees *BYTES. Errors: ENOMEM. */
enum portolan_status totals_pack(const struct totals *t, int rank, void **bytes, size_t *size_bytes,
                                 struct portolan_error *err);

/* ---- slice.c: samples of one rank */

/** Frees what the slice holds; it can be used again. */
void slice_clear(struct portolan_slice *slice);

/**
 * Fills SLICE with what NOW has more than BEFORE (an earlier snapshot of the same SOURCE; empty:
 * all of it counts). Running calls count with the time they have had so far. Call paths on which
 * nothing happened, and Portolan's own work, are left out. Errors: ENOMEM.
 */
enum portolan_status slice_difference(const struct portolan_recorder_source *source,
                                      const struct portolan_probe_snapshot *before,
                                      const struct portolan_probe_snapshot *now, int rank,
                                      struct portolan_slice *slice, struct portolan_error *err);

/** Carries the samples to or from another rank; names of those that are read are the block's. */
void slice_carry(struct portolan_block *b, struct portolan_slice *slice);

/** A block with nothing but SLICE; the caller frees *BYTES. Errors: ENOMEM. */
enum portolan_status slice_pack(const struct portolan_slice *slice, void **bytes, size_t *size,
                                struct portolan_error *err);

/** Fills SLICE, which is empty, from such a block. Errors: ENOMEM, EINTERNAL (another block). */
enum portolan_status slice_unpack(struct portolan_slice *slice, const void *bytes, size_t size,
                                  struct portolan_error *err);

/* ---- slice.c: the call paths that rows of calls and events refer to by the ids of records */

/** Samples without values for some records of a snapshot, and their callers. Start it as `{0}`. */
struct paths {
    const struct portolan_recorder_source *source;
    struct portolan_probe_snapshot snapshot;
    struct paths_entry *entries; /* by id */
    struct portolan_slice slice; /* what has been looked for */
    int rank;
};

/** Takes a snapshot to look into. Errors: ENOMEM. */
enum portolan_status paths_open(struct paths *p, const struct portolan_recorder_source *source,
                                int rank, struct portolan_error *err);

/** Frees all; it can be opened again. */
void paths_close(struct paths *p);

/** The slice is empty again; the snapshot stays. */
void paths_empty(struct paths *p);

/**
 * *POSITION is that of record ID's path in the slice, with all its callers before it; -1: there is
 * no such record, or it is not one that is stored. Errors: ENOMEM.
 */
enum portolan_status paths_find(struct paths *p, uint64_t id, int64_t *position);

/** The record itself; NULL: there is none. */
const struct portolan_probe_record *paths_peek(const struct paths *p, uint64_t id);

/* ---- rows.c: rows of single calls on their way into the store */

/** The rows of a rank. Start it as `{0}`. */
struct rows {
    size_t n, capacity;
    struct portolan_probe_row *rows; /* taken and not sent */
    int *steps;                      /* the step of each */
    bool is_out_of_memory;
    /* Calls of records, by id, before their source was emptied, so that ordinals go on. */
    size_t capacity_ids;
    uint64_t *ids;
    double *calls;
    struct portolan_index index;
};

/** Frees all; it can be used again. */
void rows_clear(struct rows *w);

/** The records of S were emptied: later ordinals go on from their calls. Errors: ENOMEM. */
enum portolan_status rows_note_restart(struct rows *w, const struct portolan_probe_snapshot *s);

/** Takes as many rows as there is room for: call it before the source is emptied. */
enum portolan_status rows_fill(struct portolan_recorder *r, struct portolan_error *err);

/** The rows taken so far, as a block for rank 0, malloc'ed; NULL and 0: none. Errors: ENOMEM. */
enum portolan_status rows_pack(struct portolan_recorder *r, void **bytes, size_t *size,
                               struct portolan_error *err);

/** Stores such a block of RANK; ARG is the recorder on rank 0. */
enum portolan_status rows_put_block(void *arg, int rank, const void *bytes, size_t size,
                                    struct portolan_error *err);

/** Forgets all rows of the step, which is lost; returns how many there were. */
double rows_drop(struct portolan_recorder *r);

/* ---- step.c: steps that wait in memory because another process holds the store locked */

/** Most bytes of such steps that a rank keeps. */
#define WAITING_BYTES ((size_t)64 << 20)

/** A block that waits until rank 0 takes it. */
struct waiting_block {
    void *bytes; /* malloc'ed; NULL: nothing */
    size_t size;
};

struct waiting_step {
    int step;
    double n_samples, n_rows;
    struct waiting_block samples, *rows;
    size_t n_blocks; /* of rows */
};

/** The steps that wait on a rank, as many on each. Start it as `{0}`. */
struct waiting {
    size_t n;
    struct waiting_step *steps;
    size_t size_bytes;
    size_t n_sent;    /* the first of them, for which the store gave no answer: it may have them */
    bool is_reported; /* the user knows that steps wait */
};

/** Frees all steps; it can be used again. */
void waiting_clear(struct waiting *w);

/**
 * Packs the rows of the step so far; call it before the slice is taken, and again after it.
 * Errors: ENOMEM.
 */
enum portolan_status waiting_add_rows(struct portolan_recorder *r, struct waiting_step *s,
                                      struct portolan_error *err);

/**
 * Collective. Keeps the recorder's latest slice and S, with its rows, until they can be stored; on
 * failure S stays its owner's. Errors: ENOMEM, also when a rank has no room left.
 */
enum portolan_status waiting_add(struct portolan_recorder *r, struct waiting_step *s,
                                 enum portolan_status status, struct portolan_error *err);

/** Collective. Stores all steps that wait, on rank 0 within an open transaction. */
enum portolan_status waiting_put(struct portolan_recorder *r, enum portolan_status status,
                                 struct portolan_error *err);

void waiting_step_clear(struct waiting_step *s);

/* ---- recorder.c: steps, as the end of a trial needs them, too */

/**
 * Collective. Takes what was measured since the last cut, and stores it if it is to be stored now;
 * the last step in any case, if need be in a file.
 */
enum portolan_status recorder_cut(struct portolan_recorder *r, int next_step, bool is_last,
                                  struct portolan_error *err);

/**
 * Takes a snapshot. Calls that are measured for others only count as their callers' own time;
 * *FOUND: there were any.
 */
enum portolan_status recorder_take_own(struct portolan_recorder *r,
                                       struct portolan_probe_snapshot *s, bool *found,
                                       struct portolan_error *err);

/**
 * Rank 0: ends the transaction. If STATUS is good, stores before it the facts and expectations that
 * came meanwhile; else nothing of it is stored. Other ranks return STATUS.
 */
enum portolan_status recorder_commit(struct portolan_recorder *r, enum portolan_status status,
                                     struct portolan_error *err);

/** Returns whether the store is the cause, so that it may work later, or another store now. */
bool recorder_is_of_store(enum portolan_status status);

/** Adds the newest range of lost steps to the text, which has a limit. */
void recorder_close_range(struct portolan_recorder *r);

/** Says which steps were lost, before the reason of the last failure if there is one. */
enum portolan_status recorder_report_lost(struct portolan_recorder *r, struct portolan_error *err);

/* ---- gather.c: blocks of all ranks to rank 0 */

/** Most bytes of blocks that a rank holds for others at once; more only for a single block. */
#define GATHER_BYTES ((size_t)16 << 20)

/** Makes the next block of this rank, malloc'ed; NULL and 0: there is none (any more). */
typedef enum portolan_status (*gather_pack_fn)(struct portolan_recorder *r, void **bytes,
                                               size_t *size_bytes, struct portolan_error *err);

/** Takes the block of RANK on rank 0; the block is borrowed for the call. */
typedef enum portolan_status (*gather_visit_fn)(void *arg, int rank, const void *bytes,
                                                size_t size_bytes, struct portolan_error *err);

/**
 * Collective. On rank 0 calls VISIT for each block that is not empty, in the order of ranks, unless
 * STATUS (this rank's result so far) is an error on any rank: in rounds of as many ranks as fit
 * into LIMIT_BYTES. When VISIT fails it is not called again. *TOTAL (may be NULL) is how many bytes
 * all ranks had together. All ranks come to the same verdict.
 */
enum portolan_status gather_blocks(struct portolan_cohort *c, enum portolan_status status,
                                   const void *bytes, size_t size_bytes, size_t limit_bytes,
                                   gather_visit_fn visit, void *arg, double *total,
                                   struct portolan_error *err);

/** The same for blocks that PACK makes; PUT on rank 0 gets R. */
enum portolan_status gather_packed(struct portolan_recorder *r, enum portolan_status status,
                                   gather_pack_fn pack, gather_visit_fn put, double *total,
                                   struct portolan_error *err);

/** Collective. *RANK is the lowest that has the greatest VALUE. */
enum portolan_status gather_find_most(struct portolan_cohort *c, double value, int *rank);

/* ---- step.c, rows.c and events.c: the parts of a trial that go into the store, all collective */

/* When cuts are made and what they store (pace.c); alike on all ranks, but for the times of one. */
struct pace {
    int visits;                  /* cuts so far … */
    int fresh;                   /* … since what runs changed */
    int step;                    /* at the latest cut */
    int group;                   /* steps that ended with it … */
    double step_ns;              /* … and the time of each */
    bool is_grouped;             /* a slice had several steps */
    double visit_ns;             /* usual cost of a cut, and all that happens at a swap point */
    double least_ns;             /* the least of these costs: nothing disturbed it */
    double costs_ns, elapsed_ns; /* sums of costs, and of the time between */
    /* On this rank: the time and the paused time when the cut began, the program's time before it,
     * and the cost of the cut before; the sum of waits for other ranks. */
    double entered_ns, paused_ns, between_ns, cost_ns, waited_ns;
};

/** A cut begins, at NEXT_STEP: notes times, and fills the Mastermind's VALUES for the exchange. */
void pace_begin(struct portolan_recorder *r, int next_step);
void pace_fill(const struct portolan_recorder *r, double *values);
/** The values of all ranks are there. */
void pace_take(struct portolan_recorder *r, const double *values);
/** Returns whether the slice is to be stored now. */
bool pace_stores(const struct portolan_recorder *r);

/** The state of a recorder on its rank. */
struct recorder_state {
    struct pace pace;
    int n_pending;                          /* slices that were cut and not stored … */
    bool was_partial;                       /* … of one of which something is missing */
    bool is_storing;                        /* the present cut is */
    struct portolan_probe_snapshot last;    /* if any: where the last of them ended */
    struct portolan_slice whole;            /* they and the latest */
    double values[PORTOLAN_PIGGYBACK_HEAD]; /* without a piggyback */
    struct totals totals;
    struct paths paths; /* paths of rows and events, while these are stored */
    struct rows rows;
    struct waiting waiting; /* steps that are still to be stored */
    bool has_zero;          /* ranks have agreed on when the trial began */
    /*
     * The samples of the rank that worked most in the latest step, on rank 0. The flags, that they
     * are wanted and that rank 0 has them, are the same on all ranks.
     */
    bool wants_slowest, has_slowest;
    double slowest_work;
    int n_waiting;       /* of all ranks' slices of the latest step, on rank 0 */
    void *slowest_block; /* the names of the slice are in it */
    struct portolan_slice slowest;
    /* The events that were counted before the recorder was opened. */
    struct portolan_probe_event_record *events;
    size_t n_events;
    struct portolan_probe_traffic *traffic;
    size_t n_traffic;
    struct portolan_machine_reading opened; /* when the recorder was */
    enum portolan_probe_clock clock;        /* then */
    /* Sums over this rank's slices since then; the value of paused_ns at first. */
    double calls_ns, timed_calls, paused_ns;
    double call_cost_ns;        /* of measuring a call, on the slowest rank; 0: not known */
    char *path;                 /* of the store, from / on */
    char started[32];           /* when the trial began, in UTC */
    bool is_diverted;           /* what is left of the trial goes into a recovery file */
    struct portolan_note *note; /* of what runs, from the begin of the trial to its end; or NULL */
};

/** begin.c. Collective: the trial begins, by all ranks' clocks, when the first recorder was opened.
 */
enum portolan_status recorder_agree_on_zero(struct portolan_recorder *r,
                                            struct portolan_error *err);
/** Collective: the trial begins, in the store and in the recorder. */
enum portolan_status recorder_begin(struct portolan_recorder *r, struct portolan_error *err);
/* ---- divert.c */

/** PATH of a store, wherever the program goes; malloc'ed. */
char *recorder_path(const char *path);

/**
 * Collective, at the end: ERR says why the store does not take the trial; what it does not have
 * goes into a recovery file from now on, which is the recorder's store then, with a trial of its
 * own. On failure nothing has changed but that a warning says why. Errors: those of the file,
 * EUNSUPPORTED (no place for one), EBUSY (this is the file already).
 */
enum portolan_status recorder_divert(struct portolan_recorder *r, const struct portolan_error *why);

/** Collective: the trial's number on all ranks. */
enum portolan_status recorder_share_trial(struct portolan_recorder *r, enum portolan_status status,
                                          struct portolan_error *err);
/** The trial has ended, so that no note of what runs is needed any more. */
void recorder_end_note(struct recorder_state *s);

/** The slice that a cut stores: the latest one, with those that are pending. */
static inline struct portolan_slice *step_slice(struct portolan_recorder *r)
{
    return r->state->n_pending ? &r->state->whole : &r->slice;
}

/** The rank to which the stored measurements belong. */
static inline int step_rank(const struct portolan_recorder *r)
{
    return r->job ? r->job->rank : r->cohort->rank;
}

/**
 * Stores this rank's slice with those of all others, on rank 0 within a transaction that is open,
 * unless STATUS failed on any rank.
 */
enum portolan_status step_put_samples(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err);

/**
 * Collective. On rank 0 the samples of the rank that computed longest in the latest step, on the
 * others their own; borrowed until the next cut. Where they did not arrive, rank 0 has its own.
 */
void step_find_slowest(struct portolan_recorder *r, const struct portolan_sample **samples,
                       size_t *n);

/** Collective, in a cut: if anybody has asked before. IS_THERE: the samples of all ranks came. */
void step_bring_slowest(struct portolan_recorder *r, bool is_there);

/** Forgets the slowest rank's samples: another step has come. */
void step_forget_slowest(struct portolan_recorder *r);

/** If there is a piggyback: gets it ready for the cut before NEXT_STEP. */
void step_begin_piggyback(struct portolan_recorder *r, int next_step);

/** If there is a piggyback: fills it from the slice of this rank. */
void step_fill_piggyback(struct portolan_recorder *r);

/**
 * Collective: portolan_cohort_agree() at the end of a cut, in which the piggyback travels. One
 * message up and down unless a rank failed.
 */
enum portolan_status step_agree(struct portolan_recorder *r, enum portolan_status status,
                                struct portolan_error *err);

/**
 * Stores the rows of single calls of all ranks, a few thousand of each at a time, until there are
 * none left; on the same conditions.
 */
enum portolan_status step_put_rows(struct portolan_recorder *r, enum portolan_status status,
                                   struct portolan_error *err);

/** Stores the statistics over ranks of what was measured so far in place of earlier ones. */
enum portolan_status step_put_summary(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err);

/**
 * Not collective. Notes what was counted before the trial, to subtract it; without memory it is not
 * subtracted.
 */
void step_begin_events(struct portolan_recorder *r);

/** Stores events and messages of all ranks, as step_put_samples() does. */
enum portolan_status step_put_events(struct portolan_recorder *r, enum portolan_status status,
                                     struct portolan_error *err);
enum portolan_status step_put_traffic(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err);

#endif
