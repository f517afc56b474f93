/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles coming in: files, their text, and what becomes of it. */
#ifndef PORTOLAN_EXPORT_IMPORT_H
#define PORTOLAN_EXPORT_IMPORT_H

#include <portolan/export.h>

/* A row of a profile, which is a call path: "main => solve". */
struct import_path {
    const char *name;  /* one blank at a time */
    const char *group; /* as it stands, "" without */
    size_t metric;     /* the first that has the row: its counts of calls hold */
    double calls, subroutines;
    double *exclusive, *inclusive; /* a value per metric, as in the files */
    /* Set by import_make_paths(): */
    const char *leaf; /* the last step */
    size_t steps;
    int64_t above;      /* the caller's path, or -1 */
    const char *caller; /* of those without: the steps in front */
    bool is_parameter, is_used;
    bool is_rest; /* the part of a flat row that no path has */
    size_t depth;
    /* Set by import_add_thread(): */
    int64_t sample; /* the first of its samples */
    bool has_parts; /* parameters' rows */
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
 * when it is no profile; then D has been told why, or the arena's memory is out.
 */
bool import_read_text(struct portolan_arena *a, char *text, const char *file, size_t m,
                      size_t n_metrics, struct import_text *out, struct portolan_diagnostics *d);

/* ------------------------------------------------- import_files.c: which files */

struct import_file {
    const char *path;
    int node, context, thread;
    size_t folder; /* number of the metric's folder */
};

struct import_files {
    struct portolan_arena arena;
    struct import_file *files; /* by node, context, thread, folder */
    size_t n, folders;
};

enum portolan_status import_find_files(struct import_files *out,
                                       const struct portolan_import_options *o,
                                       struct portolan_error *err);

/* The text of a file, in the arena. */
enum portolan_status import_read_file(struct portolan_arena *a, const char *path, char **text,
                                      struct portolan_error *err);

/* ------------------------------------------------- import_samples.c: a rank's call paths */

/* Of all threads of a rank. */
struct import_rank {
    struct portolan_arena arena;
    int rank;
    size_t n_metrics;
    int64_t time; /* position of the metric that is the time; -1: none */
    struct portolan_sample *samples;
    size_t n_samples;
    struct portolan_event *events;
    size_t n_events;
    double elapsed_ns;                     /* of the longest outermost timer */
    size_t cut_paths, parameters_left_out; /* for the trial's facts */
    /* The metrics besides the time; a sample has room for fewer. */
    size_t n_counters;
    double *counters; /* n_samples x n_counters */
};

/* A run of steps at the end of a path. */
struct import_ending {
    const char *text;
    size_t path;
};

/* A thread's rows of all metrics; memory is the rank's. */
struct import_thread {
    struct import_rank *rank;
    int thread;
    struct import_path *paths; /* by name, each name once */
    size_t n;
    struct portolan_event *events; /* as in import_text */
    size_t n_events;
    /* Set by import_make_paths(): */
    size_t longest;               /* path, in steps */
    struct import_ending *leaves; /* of paths of several steps, sorted */
    size_t n_leaves;
    struct import_ending *endings; /* of the lengths that cut paths need, sorted */
    size_t n_endings;
};

/* Puts rows in order by name; those of one name become one. */
void import_join_rows(struct import_thread *t);

/* Adds the call paths of a thread to its rank. False when memory is out. */
bool import_add_thread(struct import_thread *t);

/* ------------------------------------------------- import_tree.c: a thread's rows as call paths */

/* Who is above whom, and which paths are used. False when memory is out. */
bool import_make_paths(struct import_thread *t);

/* Where the parameters of a name begin, or NULL. */
const char *import_parameters_in(const char *name);

/* The path of this name, of LENGTH bytes; -1 when there is none. */
int64_t import_find_path(const struct import_thread *t, const char *name, size_t length);

/* The first of ENDINGS that reads NAME, of LENGTH bytes; *COUNT of them stand together. */
const struct import_ending *import_find_endings(const struct import_ending *endings, size_t n,
                                                const char *name, size_t length, size_t *count);

#endif
