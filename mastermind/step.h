/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a trial that go into the store. All are collective. */
#ifndef PORTOLAN_MASTERMIND_STEP_H
#define PORTOLAN_MASTERMIND_STEP_H

#include "gather.h"
#include "paths.h"
#include "rows.h"
#include "totals.h"
#include "waiting.h"

#include <portolan/machine.h>

/** What a recorder keeps on its rank. */
struct recorder_state {
    struct totals totals;
    struct paths paths; /* while it is stored, as far as it is needed */
    struct rows rows;
    struct waiting waiting; /* steps that are still to be stored */
    bool has_zero;          /* ranks have agreed on when the trial began */
    /* What had been counted when the recorder was opened. */
    struct portolan_probe_event_record *events;
    size_t n_events;
    struct portolan_probe_traffic *traffic;
    size_t n_traffic;
    struct portolan_machine_reading opened; /* when the recorder was */
};

/** The rank that what is stored belongs to. */
static inline int step_rank(const struct portolan_recorder *r)
{
    return r->job ? r->job->rank : r->cohort->rank;
}

/**
 * Stores this rank's piece with those of all others, on rank 0 within a transaction that is open,
 * unless STATUS failed on any rank.
 */
enum portolan_status step_put_samples(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err);

/** The same of a piece that was packed as step STEP. */
enum portolan_status step_put_packed_samples(struct portolan_recorder *r, int step,
                                             const void *bytes, size_t size,
                                             enum portolan_status status,
                                             struct portolan_error *err);

/**
 * Stores the rows of single calls of all ranks, a few thousand of each at a time, until there are
 * none left; alike.
 */
enum portolan_status step_put_rows(struct portolan_recorder *r, enum portolan_status status,
                                   struct portolan_error *err);

/** What a rank hands over, malloc'ed; NULL and 0: nothing (more). */
typedef enum portolan_status (*step_pack_fn)(struct portolan_recorder *r, void **bytes,
                                             size_t *size_bytes, struct portolan_error *err);

/** What PACK makes on each rank goes to PUT on rank 0, which gets R; see gather_blocks(). */
enum portolan_status step_put_packed(struct portolan_recorder *r, enum portolan_status status,
                                     step_pack_fn pack, gather_visit_fn put, double *total,
                                     struct portolan_error *err);

/** Stores the statistics over ranks of what was measured so far in place of earlier ones. */
enum portolan_status step_put_summary(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err);

/**
 * Not collective. Notes what was counted before the trial; without memory for it, it counts.
 */
void step_begin_events(struct portolan_recorder *r);
void step_begin_traffic(struct portolan_recorder *r);

/** Stores events and messages of all ranks, as step_put_samples() does. */
enum portolan_status step_put_events(struct portolan_recorder *r, enum portolan_status status,
                                     struct portolan_error *err);
enum portolan_status step_put_traffic(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err);

#endif
