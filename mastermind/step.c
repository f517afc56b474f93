/* SPDX-License-Identifier: BSD-3-Clause */
#include "step.h"

#include "piece.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ samples */

/* The step so far, on rank 0. */
struct putting {
    struct portolan_recorder *recorder;
    int step, n_partial;
};

static enum portolan_status put_block(void *arg, int rank, const void *bytes, size_t size_bytes,
                                      struct portolan_error *err)
{
    struct putting *p = arg;
    struct portolan_recorder *r = p->recorder;
    struct portolan_piece piece = {0};
    enum portolan_status status = piece_unpack(&piece, bytes, size_bytes, err);

    (void)rank;
    if (!status)
        status = portolan_store_put_step(r->store, r->trial, p->step, piece.samples, piece.n, err);
    p->n_partial += piece.n_partial;
    piece_clear(&piece);
    return status;
}

enum portolan_status step_put_packed(struct portolan_recorder *r, enum portolan_status status,
                                     step_pack_fn pack, gather_visit_fn put, double *total,
                                     struct portolan_error *err)
{
    void *bytes = NULL;
    size_t size = 0;

    if (!status)
        status = pack(r, &bytes, &size, err);
    status = gather_blocks(r->cohort, status, bytes, size, GATHER_BYTES, put, r, total, err);
    free(bytes);
    return status;
}

/* Who reads the store must not take the step for a whole one. */
static void note_partial(struct portolan_recorder *r, int step, int n_ranks)
{
    char name[60], value[100];

    snprintf(name, sizeof name, PORTOLAN_STORE_PARTIAL "%d", step);
    snprintf(value, sizeof value, "not all was measured on %d of %d ranks", n_ranks,
             r->cohort->size);
    portolan_facts_put(&r->facts, name, value);
}

enum portolan_status step_put_packed_samples(struct portolan_recorder *r, int step,
                                             const void *bytes, size_t size,
                                             enum portolan_status status,
                                             struct portolan_error *err)
{
    struct putting p = {.recorder = r, .step = step};

    /* the step is there even when nothing happened in it */
    if (!status && r->store)
        status = portolan_store_put_step(r->store, r->trial, step, NULL, 0, err);
    status = gather_blocks(r->cohort, status, bytes, size, GATHER_BYTES, put_block, &p, NULL, err);
    if (p.n_partial)
        note_partial(r, step, p.n_partial);
    return status;
}

enum portolan_status step_put_samples(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err)
{
    void *bytes = NULL;
    size_t size = 0;

    if (!status && (!r->summary_only || r->cohort->rank == 0))
        status = piece_pack(&r->piece, &bytes, &size, err);
    status = step_put_packed_samples(r, r->step, bytes, size, status, err);
    free(bytes);
    return status;
}

/* ------------------------------------------------------------------ summaries */

static enum portolan_status put_rows(struct portolan_recorder *r, const void *bytes, size_t size,
                                     struct portolan_error *err)
{
    struct portolan_path_summary *rows;
    size_t n;
    enum portolan_status status = summary_finish(bytes, size, r->cohort->size, &rows, &n);

    if (status)
        portolan_error_set(err, status, "the statistics over ranks cannot be read");
    else
        status = portolan_store_put_summary(r->store, r->trial, rows, n, err);
    free(rows);
    return status;
}

enum portolan_status step_put_summary(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err)
{
    struct portolan_cohort *c = r->cohort;
    void *bytes = NULL;
    size_t size = 0;

    if (!status)
        status = totals_pack(&r->state->totals, r->source, c->rank, &bytes, &size, err);
    status = portolan_cohort_agree(c, status, err);
    if (!status && (status = c->reduce(c, &bytes, &size, summary_merge, NULL)))
        portolan_error_set(err, status, "the statistics over ranks were not merged: %s",
                           portolan_status_text(status));
    if (!status && r->store)
        status = put_rows(r, bytes, size, err);
    free(bytes);
    return portolan_cohort_agree(c, status, err);
}
