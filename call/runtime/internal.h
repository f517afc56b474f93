/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The run time of annotated programs. Each thread has a stack of open experiments and a tree of
 * call paths, whose nodes keep rows in chunks. A thread writes its own tree only; who reports reads
 * all of them, under the lock, up to what the threads have published.
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

/* Where an observable comes from. */
struct cll_observable {
    const char *name;
    enum gauge gauge;
    int counter; /* place in the set of counters; -1: it cannot be had */
};

struct portolan_cll_state {
    struct portolan_cll_experiment *experiment;
    struct portolan_cll_state *next; /* in the order of registration; under the lock */
    int is_ready;                    /* the observables were looked for; atomic */
    bool clock_alone, has_usage, has_cputime, has_counters;
    unsigned n_identifiers, n_observables;
    unsigned width; /* of rows as threads keep them */
    struct cll_observable *observables;
    uint64_t lost;    /* samples for which there was no memory; atomic, as those below */
    uint64_t skipped; /* begins for which there was none */
    uint64_t unmatched, crossed;
    size_t number; /* while a report is packed; under the lock */
};

/* experiments.c: the lock is over registration, threads and reports. */
extern pthread_mutex_t cll_lock;
extern struct portolan_cll_state *cll_states; /* under the lock */
/* Whether an experiment of that name was registered. */
bool cll_is_known(const char *name);
/* What EXPERIMENT's state is when it can be measured; NULL: out of memory. */
struct portolan_cll_state *cll_prepare(struct portolan_cll_experiment *experiment);

/* ------------------------------------------------------------------ threads */

/*
 * A row as threads keep it: ticks, of these in experiments inside, how many of them; identifiers;
 * and, unless the clock is alone, observables.
 */
enum { ROW_TICKS, ROW_INNER_TICKS, ROW_INNER, ROW_FIRST };

struct cll_chunk {
    struct cll_chunk *next; /* set when this one is full: it is written no more; atomic */
    size_t n;               /* rows; atomic */
    size_t taken;           /* of which reported; under the lock */
    size_t room;
    double values[];
};

/* A call path. First what begin and end touch. */
struct cll_node {
    struct portolan_cll_experiment *experiment; /* NULL: the root */
    struct portolan_cll_state *state;
    struct cll_node *recent; /* the child that began last */
    struct cll_chunk *last;  /* the thread's */
    struct cll_node *parent, *child, *sibling;
    struct cll_chunk *first; /* under the lock; the thread sets it once; atomic */
    struct cll_node *next;   /* of the thread, in the order they were made; atomic */
    size_t number, packed;   /* while a report is packed; under the lock */
};

#define CLL_COUNTERS PORTOLAN_PROBE_COUNTERS_MAX

/* What stood where when an experiment began. */
struct cll_reading {
    double user, system, cputime;
    unsigned generation; /* of the counters; 0: they were not read */
    uint64_t counters[CLL_COUNTERS];
};

struct cll_frame {
    struct portolan_cll_experiment *experiment;
    struct cll_node *node;
    uint64_t start;
    size_t values;               /* where the thread's values have those of this frame */
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

/* Call paths of a thread that are told apart; others are at the root. */
#define CLL_MAX_NODES 65536

extern __thread struct cll_thread *cll_thread __attribute__((tls_model("initial-exec")));

/* threads.c */
struct cll_thread *cll_thread_make(void); /* the calling thread's; NULL: out of memory */
extern struct cll_thread *cll_threads;    /* under the lock */
/* One that is nobody's. */
struct cll_thread *cll_thread_create(void);
void cll_thread_destroy(struct cll_thread *t);
bool cll_thread_grow(struct cll_thread *t, size_t n_values); /* room for a frame and N values */
struct cll_node *cll_node_child(struct cll_thread *t, struct cll_node *parent,
                                struct portolan_cll_experiment *experiment);
/* Room for a row at the end of NODE; NULL: there is no memory. */
struct cll_chunk *cll_node_grow(struct cll_node *node);

/* What rows take in all threads, MORE added. */
size_t cll_bytes_used(ptrdiff_t more);

/* ------------------------------------------------------------------ observables */

/* experiments.c */
void cll_gauges_read(const struct portolan_cll_state *state, struct cll_reading *reading);
/* What they have gained since BEGUN. */
void cll_gauges_gain(const struct portolan_cll_state *state, const struct cll_reading *begun,
                     const struct cll_reading *ended, double *row);

/* ------------------------------------------------------------------ reports */

/* measure.c: tells "portolan-call: warning: …" on stderr. */
void cll_warn(const char *format, ...) PORTOLAN_PRINTF(1, 2);

/* pack.c: the samples of NAME, or of all, that are not reported yet; one thread at a time. */
enum portolan_status cll_pack(const char *name, char **bytes, size_t *size,
                              struct portolan_error *err);
/* What was packed last is reported. */
void cll_take_packed(void);
/* Whether there is a sample that no report has. */
bool cll_is_unreported(void);
/* In a forked child, under the lock: nothing has been measured, and no other thread is there. */
void cll_forget_samples(void);

struct cll_packed_experiment {
    bool wanted;
    struct portolan_cll_sample like; /* no rows */
    uint64_t lost, unmatched, crossed;
};
struct cll_packed_node {
    size_t experiment; /* SIZE_MAX: the root of a thread */
    size_t parent;     /* a smaller number than its own; SIZE_MAX: a root has none */
    unsigned thread;
    size_t n_rows;
    /* Each ROW_FIRST numbers with times in seconds, identifiers, observables. */
    const double *rows;
};
/* What one process gives to a report. Strings and rows are borrowed from BYTES. */
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
/* pack.c: fills BLOCK from the SIZE bytes that it has. False: no memory, or they are none of
 * ours. */
bool cll_unpack(struct cll_block *block, size_t size);

struct cll_run {
    const char *driver; /* its name */
    const char *program;
    size_t n_blocks;
    const struct cll_block *blocks;
    const struct portolan_cll_report *facts; /* what the head says */
    double cost;                             /* of a begin and an end, in seconds */
};

/*
 * store.c adds a trial, all of it or nothing. It is a library of its own that is loaded when it is
 * asked for: what it needs, the data base and its servers, would make every annotated program start
 * twice as long.
 */
typedef enum portolan_status cll_store_put_fn(const struct cll_run *run, const char *path,
                                              struct portolan_error *err);
PORTOLAN_API cll_store_put_fn portolan_cll_store_put;

/* report.c: from the first experiment on; under the lock. */
void cll_exit_watch(void);
/* The rank that the environment says; 0 where it does not. */
int cll_launched_rank(void);

/* measure.c: what a begin and an end take together, in seconds. */
double cll_cost(void);

#endif
