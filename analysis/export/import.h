/* SPDX-License-Identifier: BSD-3-Clause */
/* The import of TAU profiles: files, their text, and the call paths made of it. */
#ifndef PORTOLAN_EXPORT_IMPORT_H
#define PORTOLAN_EXPORT_IMPORT_H

#include <portolan/export.h>

/* A row of a profile, which is a call path: "main => solve". */
struct import_path {
    const char *name;  /* several blanks are one */
    const char *group; /* unchanged; "" if there is none */
    size_t metric;     /* the first that has the row, which gives the counts of calls */
    double calls, subroutines;
    double *exclusive, *inclusive; /* a value per metric, as in the files */
    /* Set while the thread is added to its rank: */
    const char *leaf; /* the last step */
    size_t steps;
    int64_t above;      /* the caller's path, or -1 */
    const char *caller; /* if there is none: the steps before the last */
    bool is_parameter, is_used;
    bool is_rest; /* the part of a flat row that belongs to no path */
    size_t depth;
    int64_t sample; /* the first of its samples */
    bool has_parts; /* there are rows of it with parameters */
};

/* ------------------------------------------------- import_text.c: one file */

/* One metric of one thread. */
struct import_text {
    const char *metric;
    struct import_path *rows;
    size_t n_rows;
    struct portolan_event *events; /* with names of the files, without places */
    size_t n_events;
    struct portolan_name_value *facts; /* without the metric's name */
    size_t n_facts;
};

/*
 * Reads the text of FILE, which is in the arena or outlives it, as metric M of N_METRICS. False
 * when it is not a profile, with a diagnostic in D, or when memory runs out.
 */
bool import_read_text(struct portolan_arena *a, char *text, const char *file, size_t m,
                      size_t n_metrics, struct import_text *out, struct portolan_diagnostics *d);

/* ------------------------------------------------- import_paths.c: a rank's call paths */

/* Samples and events of all threads of a rank. */
struct import_rank {
    struct portolan_arena arena;
    int rank;
    size_t n_metrics, n_known; /* room for metrics; those that files have come first */
    int64_t time;              /* position of the metric that is the time; -1: none */
    struct portolan_sample *samples;
    size_t n_samples;
    struct portolan_event *events;
    size_t n_events;
    double elapsed_ns;                     /* of the longest outermost timer */
    size_t cut_paths, parameters_left_out; /* for the trial's facts */
    /* The metrics other than the time, then their exclusive values; a sample has room for fewer. */
    size_t n_counters;
    double *counters; /* n_samples x n_counters */
};

struct import_ending;

/* A thread's rows of all metrics, in the memory of its rank. */
struct import_thread {
    struct import_rank *rank;
    int thread;
    struct import_path *paths; /* by name, each name once */
    size_t n;
    struct portolan_event *events; /* as in import_text */
    size_t n_events;
    /* Set while the thread is added to its rank: */
    size_t longest;               /* path, in steps */
    struct import_ending *leaves; /* of paths of several steps, sorted */
    size_t n_leaves;
    struct import_ending *endings; /* of paths, in the lengths that cut paths need, sorted */
    size_t n_endings;
};

/* Sorts the rows of a thread, and adds its call paths to its rank. False without memory. */
bool import_add_thread(struct import_thread *t);

#endif
