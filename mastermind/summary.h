/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths with statistics over ranks, which can be merged on the way up a tree of ranks. */
#ifndef PORTOLAN_MASTERMIND_SUMMARY_H
#define PORTOLAN_MASTERMIND_SUMMARY_H

#include <portolan/index.h>
#include <portolan/store.h>

enum {
    SUMMARY_NAMES = 7, /* of a path: user, uses, instance, port, implementation, type, method */
    SUMMARY_CALLS = 0,
    SUMMARY_INCLUSIVE,
    SUMMARY_EXCLUSIVE,
    SUMMARY_MPI,
    SUMMARY_COMPUTE,  /* exclusive less MPI */
    SUMMARY_COUNTERS, /* the first of them */
    SUMMARY_VALUES_MAX = SUMMARY_COUNTERS + PORTOLAN_SUMMARY_COUNTER_MAX
};

/** A quantity over the ranks that are in it; merged as Chan, Golub and LeVeque do. */
struct summary_spread {
    double n, sum, mean, squares, min, max; /* squares: Σ (x - mean)² */
    int64_t max_rank;                       /* the lowest that has the maximum */
};

/** A path without its statistics. Names are offsets into the table's text. */
struct summary_row {
    int64_t parent;
    uint32_t names[SUMMARY_NAMES], n_threads;
    double timed_calls, subroutines, one_min_ns, one_max_ns, sum_squares_ns2;
};

/** What a rank measured on one path, or a part of it. */
struct summary_values {
    double timed_calls, subroutines, one_min_ns, one_max_ns, sum_squares_ns2;
    double values[SUMMARY_VALUES_MAX]; /* as many as the table has */
};

/** Paths, parents before their children, each once. Start it with summary_init(). */
struct summary {
    size_t n, capacity, n_values;
    struct summary_row *rows;
    struct summary_spread *spreads; /* n_values for each row */
    uint32_t counters[PORTOLAN_SUMMARY_COUNTER_MAX];
    char *text;
    size_t text_bytes, text_room;
    struct portolan_index paths, texts;
    uint32_t *words; /* offsets of the texts */
    size_t words_room;
};

/** A table with these counters. Errors: ENOMEM, and then it is empty. */
enum portolan_status summary_init(struct summary *s, const char *const *counters,
                                  size_t n_counters);

/** Frees all; safe on zeros. */
void summary_clear(struct summary *s);

/**
 * The row of the path with these NAMES below row PARENT (-1: a root), made if need be with
 * statistics over no rank. Errors: ENOMEM, and nothing has changed.
 */
enum portolan_status summary_find(struct summary *s, int64_t parent,
                                  const char *const names[SUMMARY_NAMES], size_t *row);

/** Adds a part of RANK's values to a row in which no rank but this one is. */
void summary_add(struct summary *s, size_t row, int rank, const struct summary_values *v);

/**
 * Merges ROW with its N_VALUES statistics into row AT; PLACES says which of this table's values
 * each is, -1 none.
 */
void summary_merge_row(struct summary *s, size_t at, const struct summary_row *row,
                       const struct summary_spread *spreads, const int *places, size_t n_values);

/** Over RANKS ranks, those that are not in SPREAD being 0. */
struct portolan_statistics summary_statistics(const struct summary_spread *spread, int ranks);

/** The table as bytes for another rank of the same program; the caller frees *BYTES. */
enum portolan_status summary_pack(const struct summary *s, void **bytes, size_t *size_bytes);

/** A portolan_cohort_merge_fn: two packed tables become one; an empty block counts as no path. */
enum portolan_status summary_merge(void *arg, const void *mine, size_t mine_bytes,
                                   const void *theirs, size_t theirs_bytes, void **out,
                                   size_t *out_bytes);

/**
 * What a packed table says of a trial with RANKS ranks, those that are not in a row being 0. Texts
 * are borrowed from BYTES; the caller frees *ROWS. Errors: ENOMEM, EINTERNAL (no packed table).
 */
enum portolan_status summary_finish(const void *bytes, size_t size_bytes, int ranks,
                                    struct portolan_path_summary **rows, size_t *n);

#endif
