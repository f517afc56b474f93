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

/* NAME with one blank at a time and none around, in place. */
char *import_tidy(char *name);

/* import_facts.c: the <metadata> element. NULL when good, else what is wrong with it. */
const char *import_read_facts(struct portolan_arena *a, const char *xml, size_t length,
                              struct import_text *out);
/* The same of an element that was read (an xmlNode); false when memory is out. */
bool import_add_facts(struct portolan_arena *a, const void *metadata, struct import_text *out);

/* ------------------------------------------------- import_files.c: which files */

struct import_file {
    const char *path;
    int node, context, thread;
    size_t folder;                  /* number of the metric's folder */
    const struct import_text *text; /* what was read already, or NULL */
};

struct import_files {
    struct portolan_arena arena;
    struct import_file *files; /* by node, context, thread, folder */
    size_t n;
};

enum portolan_status import_find_files(struct import_files *out,
                                       const struct portolan_import_options *o,
                                       struct portolan_diagnostics *d, struct portolan_error *err);
/* Adds a copy; false when memory is out. */
bool import_add_file(struct import_files *out, const struct import_file *file);

/* import_snapshot.c: adds what is in a snapshot or a merged profile, read already. */
enum portolan_status import_read_snapshot(struct import_files *out, const char *path,
                                          struct portolan_diagnostics *d,
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

#endif
