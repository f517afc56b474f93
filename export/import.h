/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles coming in: files, their text, and what becomes of it. */
#ifndef PORTOLAN_EXPORT_IMPORT_H
#define PORTOLAN_EXPORT_IMPORT_H

#include <portolan/export.h>

/* ------------------------------------------------- import_text.c: one file */

struct import_row {
    const char *name;  /* one blank at a time */
    const char *group; /* as it stands, "" without */
    double calls, subroutines, exclusive, inclusive;
};

struct import_event {
    const char *name;
    double count, max, min, mean, sum_squares;
};

/* One metric of one thread. */
struct import_text {
    const char *metric;
    struct import_row *rows;
    size_t n_rows;
    struct import_event *events;
    size_t n_events;
    struct portolan_name_value *facts; /* without the metric's name */
    size_t n_facts;
};

/*
 * Reads the text of FILE, which is in the arena or outlives it. False when it is no profile; then D
 * has been told why, or the arena's memory is out.
 */
bool import_read_text(struct portolan_arena *a, char *text, const char *file,
                      struct import_text *out, struct portolan_diagnostics *d);

/* ------------------------------------------------- import_files.c: which files */

struct import_file {
    const char *path;
    int node, context, thread;
    size_t folder; /* number of the metric's folder */
};

struct import_files {
    struct portolan_arena arena;
    struct import_file *files; /* by node, context, thread, folder */
    size_t n;
};

enum portolan_status import_find_files(struct import_files *out,
                                       const struct portolan_import_options *o,
                                       struct portolan_error *err);

/* The text of a file, in the arena. */
enum portolan_status import_read_file(struct portolan_arena *a, const char *path, char **text,
                                      struct portolan_error *err);

/* ------------------------------------------------- import_samples.c: a rank's call paths */

/* A thread's rows of all metrics, joined by name. */
struct import_table {
    struct portolan_arena *arena;
    size_t n_metrics;
    const char *const *metrics;
    int64_t time; /* position of the metric that is the time; -1: none */
    struct import_line {
        const char *name, *group;
        double calls, subroutines;
        double *exclusive, *inclusive; /* a value per metric, as in the files */
    } * lines;
    size_t n_lines;
    struct import_event *events;
    size_t n_events;
};

/* Of all threads of a rank; memory is the arena's. */
struct import_rank {
    struct portolan_sample *samples;
    size_t n_samples;
    struct portolan_event *events;
    size_t n_events;
    double elapsed_ns;                     /* of the longest outermost timer */
    size_t cut_paths, parameters_left_out; /* for the trial's facts */
    /* Counters beyond those that a sample has room for: by sample, PORTOLAN_COUNTER_MAX each. */
    size_t n_counters;
    const char **counter_names;
    double *counters; /* n_samples x n_counters */
};

/* Adds the call paths of a thread to OUT. False when memory is out. */
bool import_add_thread(struct import_rank *out, const struct import_table *table, int rank,
                       int thread);

/* ------------------------------------------------- import_tree.c: a thread's rows as call paths */

#define ARROW        " => "
#define ARROW_LENGTH 4

/* A row as a call path. */
struct path {
    const struct import_line *line;
    const char *leaf; /* the last step */
    size_t steps;
    int64_t above;      /* path, or -1 */
    const char *caller; /* of those without: the steps in front, in the arena */
    bool is_parameter, is_used;
    bool is_rest;   /* the part of a flat row that no path has */
    bool has_parts; /* parameters' rows */
    double calls, subroutines, *exclusive, *inclusive;
    size_t depth;
    int64_t sample; /* the first of its samples */
};

/* A run of steps at the end of a path. */
struct ending {
    const char *text;
    size_t path;
};

struct maker {
    struct import_rank *out;
    const struct import_table *table;
    struct portolan_arena *arena;
    int rank, thread;
    struct path *paths;
    size_t n;
    size_t *by_name; /* sorted */
    size_t longest;
    struct ending *leaves; /* of paths of several steps, sorted */
    size_t n_leaves;
    struct ending *endings; /* of the lengths that cut paths need, sorted */
    size_t n_endings;
};

/* Paths, who is above whom, and which are used. False when memory is out. */
bool import_make_paths(struct maker *k);

/* Where the parameters of a name begin, or NULL. */
const char *import_parameters_in(const char *name);

/* The path of this name, of LENGTH bytes; -1 when there is none. */
int64_t import_find_path(const struct maker *k, const char *name, size_t length);

/* The first of ENDINGS that reads NAME, of LENGTH bytes; *COUNT of them stand together. */
const struct ending *import_find_endings(const struct ending *endings, size_t n, const char *name,
                                         size_t length, size_t *count);

#endif
