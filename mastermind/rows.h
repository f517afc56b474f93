/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of single calls on their way into the store. */
#ifndef PORTOLAN_MASTERMIND_ROWS_H
#define PORTOLAN_MASTERMIND_ROWS_H

#include "summary.h"

#include <portolan/recorder.h>

/** What a rank has of them. Start it as `{0}`. */
struct rows {
    size_t n, capacity;
    struct portolan_probe_row *rows; /* taken and not sent */
    int *steps;                      /* they belong to */
    bool is_out_of_memory;
    /* Calls of records before their source was emptied, so that ordinals go on. */
    size_t capacity_ids;
    uint64_t *ids;
    double *calls;
    struct portolan_index index;
};

/** Frees all; it can be used again. */
void rows_clear(struct rows *w);

/** The records of S are emptied now: their calls count in the ordinals that come. Errors: ENOMEM.
 */
enum portolan_status rows_note_restart(struct rows *w, const struct portolan_probe_snapshot *s);

/** Takes as many rows as there is room for: call it before the source is emptied. */
enum portolan_status rows_fill(struct portolan_recorder *r, struct portolan_error *err);

/** What was filled in, as a block for rank 0, malloc'ed; NULL and 0: nothing. Errors: ENOMEM. */
enum portolan_status rows_pack(struct portolan_recorder *r, void **bytes, size_t *size,
                               struct portolan_error *err);

/** Stores such a block of RANK; ARG is the recorder on rank 0. */
enum portolan_status rows_put_block(void *arg, int rank, const void *bytes, size_t size,
                                    struct portolan_error *err);

/** Forgets all rows of the step, which is lost, and says how many those were. */
double rows_drop(struct portolan_recorder *r);

#endif
