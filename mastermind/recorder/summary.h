/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths with statistics over ranks, which can be merged on the way up a tree of ranks. */
#ifndef PORTOLAN_MASTERMIND_SUMMARY_H
#define PORTOLAN_MASTERMIND_SUMMARY_H

#include <portolan/block.h>
#include <portolan/recorder.h>

/** Paths, parents before their children, each once. All names are borrowed. Start it as `{0}`. */
struct summary {
    int first, ranks; /* whose: from the first on, so many */
    size_t n, capacity;
    struct portolan_path_summary *rows;
    struct portolan_index paths;
    int n_counters; /* of every row */
    const char *counters[PORTOLAN_SUMMARY_COUNTER_MAX];
};

/** Frees all; it can be used again. */
void summary_clear(struct summary *s);

/** The table, to or from another rank. A table that is read is to be empty before. */
void summary_carry(struct portolan_block *b, struct summary *s);

/** A portolan_cohort_merge_fn: two tables become one; an empty block is over no rank. */
enum portolan_status summary_merge(void *arg, const void *mine, size_t mine_bytes,
                                   const void *theirs, size_t theirs_bytes, void **out,
                                   size_t *out_bytes);

/** What one rank has measured so far: the rows have sums only. Start it as `{0}`. */
struct totals {
    struct summary sums;
    size_t n_pairs, capacity;
    uint64_t *pairs; /* of a row and a thread that was on it */
    struct portolan_index threads;
};

/** Frees all; it can be used again. */
void totals_clear(struct totals *t);

/**
 * Adds PIECE, whose names must stay as long as the totals. Counters beyond
 * PORTOLAN_SUMMARY_COUNTER_MAX are left out. Errors: ENOMEM, and nothing has changed.
 */
enum portolan_status totals_add(struct totals *t, const struct portolan_piece *piece,
                                struct portolan_error *err);

/** The totals of RANK as a table of one rank; the caller frees *BYTES. Errors: ENOMEM. */
enum portolan_status totals_pack(const struct totals *t, int rank, void **bytes, size_t *size_bytes,
                                 struct portolan_error *err);

#endif
