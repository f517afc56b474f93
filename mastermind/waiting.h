/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that wait in memory because another process holds the store locked. */
#ifndef PORTOLAN_MASTERMIND_WAITING_H
#define PORTOLAN_MASTERMIND_WAITING_H

#include "gather.h"

#include <portolan/recorder.h>

/** Most bytes of such steps that a rank keeps. */
#define WAITING_BYTES ((size_t)64 << 20)

/** What a rank hands over at once. */
struct waiting_block {
    void *bytes; /* malloc'ed; NULL: nothing */
    size_t size;
};

struct waiting_step {
    int step;
    double n_samples, n_rows;
    struct waiting_block samples, *rows;
    size_t n_blocks; /* of rows */
};

/** A rank's, as many steps on each. Start it as `{0}`. */
struct waiting {
    size_t n;
    struct waiting_step *steps;
    size_t size_bytes;
    bool is_told; /* that steps wait */
};

/** Frees all steps; it can be used again. */
void waiting_clear(struct waiting *w);

/**
 * Packs the rows of the step so far; call it before the piece is taken, and again behind it.
 * Errors: ENOMEM.
 */
enum portolan_status waiting_add_rows(struct portolan_recorder *r, struct waiting_step *s,
                                      struct portolan_error *err);

/**
 * Collective. The recorder's latest piece, and S with its rows, which is its owner's on failure,
 * wait. Errors: ENOMEM, also when a rank has no room left.
 */
enum portolan_status waiting_add(struct portolan_recorder *r, struct waiting_step *s,
                                 enum portolan_status status, struct portolan_error *err);

/** Collective. Puts all that waits into the store, on rank 0 within an open transaction. */
enum portolan_status waiting_put(struct portolan_recorder *r, enum portolan_status status,
                                 struct portolan_error *err);

void waiting_step_clear(struct waiting_step *s);

#endif
