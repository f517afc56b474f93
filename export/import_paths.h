/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's rows as call paths, on their way to samples. */
#ifndef PORTOLAN_EXPORT_IMPORT_PATHS_H
#define PORTOLAN_EXPORT_IMPORT_PATHS_H

#include "import.h"

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

/* Paths, who is above whom, and which are used (import_tree.c). False when memory is out. */
bool import_make_paths(struct maker *k);

/* Where the parameters of a name begin, or NULL. */
const char *import_parameters_in(const char *name);

/* The path of this name, of LENGTH bytes; -1 when there is none. */
int64_t import_find_path(const struct maker *k, const char *name, size_t length);

/* The first of ENDINGS that reads NAME, of LENGTH bytes; *COUNT of them stand together. */
const struct ending *import_find_endings(const struct ending *endings, size_t n, const char *name,
                                         size_t length, size_t *count);

#endif
