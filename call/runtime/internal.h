/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run time of annotated programs. Each thread has a stack of open experiments and a tree of
 * call paths, whose nodes keep rows in chunks. A thread writes only its own tree. A report reads
 * all trees, under the lock, up to the rows that the threads have published.
 */
#ifndef CALL_RUNTIME_INTERNAL_H
#define CALL_RUNTIME_INTERNAL_H

#include <portolan/base.h>
#include <portolan/cll.h>
#include <portolan/cll_report.h>
#include <portolan/probe.h>

#include <pthread.h>

/* ------------------------------------------------------------------ experiments */

enum gauge { GAUGE_CLOCK, GAUGE_USER, GAUGE_SYSTEM, GAUGE_CPUTIME, GAUGE_COUNTER };

/* The source of an observable. */
struct cll_observable {
    const char *name;
    enum gauge gauge;
    int counter; /* index in the set of counters; -1: not available */
};

struct portolan_cll_state {
    struct portolan_cll_experiment *experiment;
    struct portolan_cll_state *next; /* in the order of registration; under the lock */
    int is_ready;                    /* the observables were looked up; atomic */
    bool clock_alone, has_usage, has_cputime, has_counters;
    unsigned n_identifiers, n_observables;
    unsigned width; /* numbers in a row as threads keep it */
    struct cll_observable *observables;
    uint64_t lost;    /* samples without memory; atomic, like those below */
    uint64_t skipped; /* begins without memory */
    uint64_t unmatched, crossed;
    size_t number;   /* valid while a report is packed; under the lock */
    uint32_t region; /* of traces, + 1; 0: nothing is recorded */
};

/* experiments.c: the lock protects registration, threads and reports. */
extern pthread_mutex_t cll_lock;
extern struct portolan_cll_state *cll_states; /* under the lock */
/* Returns whether an experiment of that name is registered. */
bool cll_is_known(const char *name);
/* EXPERIMENT's state, ready for measuring; NULL: out of memory. */
struct portolan_cll_state *cll_prepare(struct portolan_cll_experiment *experiment);

/* ------------------------------------------------------------------ threads */

/*
 * A row as threads keep it: ticks, the ticks in experiments inside, the number of these;
 * identifiers; and, unless the clock is the only observable, observables.
 */
enum { ROW_TICKS, ROW_INNER_TICKS, ROW_INNER, ROW_FIRST };

struct cll_chunk {
    struct cll_chunk *next; /* set when this chunk is full and not written any more; atomic */
    size_t n;               /* rows; atomic */
    size_t taken;           /* rows already reported; under the lock */
    size_t room;
    double values[];
};

/* A call path. The members that begin and end touch come first. */
struct cll_node {
    struct portolan_cll_experiment *experiment; /* NULL: the root */
    struct portolan_cll_state *state;
    struct cll_node *recent; /* the child that began most recently */
    struct cll_chunk *last;  /* used only by the thread */
    struct cll_node *parent, *child, *sibling;
    struct cll_chunk *first; /* read under the lock; the thread sets it once; atomic */
    struct cll_node *next;   /* of the same thread, in order of creation; atomic */
    size_t number, packed;   /* valid while a report is packed; under the lock */
};

#define CLL_COUNTERS PORTOLAN_PROBE_COUNTERS_MAX

/* The gauges when an experiment began. */
struct cll_reading {
    double user, system, cputime;
    unsigned generation; /* of the counters; 0: not read */
    uint64_t counters[CLL_COUNTERS];
};

struct cll_frame {
    struct portolan_cll_experiment *experiment;
    struct cll_node *node;
    uint64_t start;
    size_t values;               /* index of this frame's values in the thread's values */
    uint64_t inner_ticks, inner; /* of experiments that began directly inside */
};

struct cll_thread {
    struct cll_frame *frames;
    struct cll_reading *readings; /* per frame */
    double *values;
    size_t depth, room, n_values, values_room;
    struct cll_node *root, *newest;
    size_t n_nodes;
    unsigned number;
    bool is_used;            /* under the lock */
    struct cll_thread *next; /* under the lock */
};

/* The most call paths per thread; calls of further ones are recorded at the root. */
#define CLL_MAX_NODES 65536

extern __thread struct cll_thread *cll_thread __attribute__((tls_model("initial-exec")));

/* threads.c */
struct cll_thread *cll_thread_make(void); /* the calling thread's; NULL: out of memory */
extern struct cll_thread *cll_threads;    /* under the lock */
/* A thread's data that belongs to no thread. */
struct cll_thread *cll_thread_create(void);
void cll_thread_destroy(struct cll_thread *t);
bool cll_thread_grow(struct cll_thread *t, size_t n_values); /* room for a frame and N values */
struct cll_node *cll_node_child(struct cll_thread *t, struct cll_node *parent,
                                struct portolan_cll_experiment *experiment);
/* Room for a row at the end of NODE; NULL: there is no memory. */
struct cll_chunk *cll_node_grow(struct cll_node *node);

/* Adds MORE to the bytes of rows in all threads; returns the sum. */
size_t cll_bytes_used(ptrdiff_t more);

/* ------------------------------------------------------------------ observables */

/* experiments.c */
void cll_gauges_read(const struct portolan_cll_state *state, struct cll_reading *reading);
/* The gains since BEGUN. */
void cll_gauges_gain(const struct portolan_cll_state *state, const struct cll_reading *begun,
                     const struct cll_reading *ended, double *row);

/* ------------------------------------------------------------------ reports */

/* measure.c: prints "portolan-call: warning: …" on stderr. */
void cll_warn(const char *format, ...) PORTOLAN_PRINTF(1, 2);

/* pack.c: the unreported samples of NAME, or of all experiments; one thread at a time. */
enum portolan_status cll_pack(const char *name, char **bytes, size_t *size,
                              struct portolan_error *err);
/* Marks what was packed last as reported. */
void cll_take_packed(void);
/* Returns whether there is an unreported sample. */
bool cll_is_unreported(void);
/* In a forked child, under the lock: forgets all samples and the other threads. */
void cll_forget_samples(void);

struct cll_packed_experiment {
    bool wanted;
    struct portolan_cll_sample like; /* no rows */
    uint64_t lost, unmatched, crossed;
};
struct cll_packed_node {
    size_t experiment; /* SIZE_MAX: the root of a thread */
    size_t parent;     /* smaller than the node's own number; SIZE_MAX: a root */
    unsigned thread;
    size_t n_rows;
    /* Per row ROW_FIRST numbers, with times in seconds, then identifiers and observables. */
    const double *rows;
};
/* The part of one process in a report. Strings and rows are borrowed from BYTES. */
struct cll_block {
    int rank, n_ranks;
    bool is_filed;
    char *bytes;
    const char *host;
    size_t n_experiments, n_nodes;
    struct cll_packed_experiment *experiments;
    struct cll_packed_node *nodes;
    struct portolan_arena arena;
};
/* pack.c: fills BLOCK from its SIZE bytes. False: no memory, or the bytes are invalid. */
bool cll_unpack(struct cll_block *block, size_t size);

struct cll_run {
    const char *driver; /* its name */
    const char *program;
    size_t n_blocks;
    const struct cll_block *blocks;
    const struct portolan_cll_report *facts; /* the head of the report */
    double cost;                             /* of a begin and an end, in seconds */
};

/*
 * store.c adds a complete trial, or nothing. It is in a library of its own, loaded on demand,
 * because the data base and its servers would double the start time of every annotated program.
 */
typedef enum portolan_status cll_store_put_fn(const struct cll_run *run, const char *path,
                                              struct portolan_error *err);
PORTOLAN_API cll_store_put_fn portolan_cll_store_put;

/* report.c: starts watching for the end of the program, at the first experiment; under the lock. */
void cll_exit_watch(void);
/* The rank according to the environment, else 0. */
int cll_launched_rank(void);

/* measure.c: the cost of a begin and an end together, in seconds. */
double cll_cost(void);

#endif
