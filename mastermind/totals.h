/* SPDX-License-Identifier: BSD-3-Clause */
/* What this rank measured in the trial so far, per call path and thread: as large as the paths. */
#ifndef PORTOLAN_MASTERMIND_TOTALS_H
#define PORTOLAN_MASTERMIND_TOTALS_H

#include "summary.h"

#include <portolan/recorder.h>

struct totals_node {
    int64_t parent; /* position; -1: a root */
    uint32_t handle, thread;
    struct summary_values sums;
};

struct totals {
    size_t n, capacity;
    struct totals_node *nodes; /* parents before their children */
    struct portolan_index paths;
    size_t n_counters;
    char *counters[PORTOLAN_SUMMARY_COUNTER_MAX];
    bool more_counters; /* than there is room for */
};

/** Frees all; it can be used again. */
void totals_clear(struct totals *t);

/** Adds PIECE (with its handles). Errors: ENOMEM, and nothing has changed. */
enum portolan_status totals_add(struct totals *t, const struct portolan_piece *piece,
                                struct portolan_error *err);

/** The totals as a packed table of this rank's paths, names from SOURCE. The caller frees *BYTES.
 */
enum portolan_status totals_pack(const struct totals *t,
                                 const struct portolan_recorder_source *source, int rank,
                                 void **bytes, size_t *size_bytes, struct portolan_error *err);

#endif
