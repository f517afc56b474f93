/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder_internal.h"

#include <stdlib.h>

void waiting_step_clear(struct waiting_step *s)
{
    for (size_t i = 0; i < s->n_blocks; ++i)
        free(s->rows[i].bytes);
    free(s->rows);
    free(s->samples.bytes);
    *s = (struct waiting_step){0};
}

void waiting_clear(struct waiting *w)
{
    for (size_t i = 0; i < w->n; ++i)
        waiting_step_clear(&w->steps[i]);
    free(w->steps);
    w->steps = NULL;
    w->n = w->size_bytes = 0;
}

static size_t size_of(const struct waiting_step *s)
{
    size_t size = s->samples.size;

    for (size_t i = 0; i < s->n_blocks; ++i)
        size += s->rows[i].size;
    return size;
}

/* ------------------------------------------------------------------ in */

enum portolan_status waiting_add_rows(struct portolan_recorder *r, struct waiting_step *s,
                                      struct portolan_error *err)
{
    enum portolan_status status;
    struct waiting_block b;

    do {
        struct waiting_block *rows;
        double before = r->step_rows;

        b = (struct waiting_block){0};
        status = rows_fill(r, err);
        if (!status)
            status = rows_pack(r, &b.bytes, &b.size, err);
        if (status || !b.bytes)
            break;
        rows = portolan_reallocarray(s->rows, s->n_blocks + 1, sizeof *rows);
        if (!rows) {
            free(b.bytes);
            status = portolan_no_memory(err);
            break;
        }
        s->rows = rows;
        rows[s->n_blocks++] = b;
        s->n_rows += r->step_rows - before;
    } while (b.size);
    paths_close(&r->state->paths);
    return status;
}

static enum portolan_status keep(struct portolan_recorder *r, struct waiting_step *s,
                                 struct portolan_error *err)
{
    struct waiting *w = &r->state->waiting;
    enum portolan_status status = PORTOLAN_OK;
    struct waiting_step *steps;

    s->step = r->step;
    if (!r->summary_only || r->cohort->rank == 0) {
        s->n_samples = (double)r->piece.n;
        status = piece_pack(&r->piece, &s->samples.bytes, &s->samples.size, err);
    }
    if (status)
        return status;
    if (w->size_bytes + size_of(s) > WAITING_BYTES)
        return portolan_error_set(err, PORTOLAN_ENOMEM,
                                  "another process holds the store locked, and what waits for it "
                                  "has filled %zu MiB",
                                  WAITING_BYTES >> 20);
    steps = portolan_reallocarray(w->steps, w->n + 1, sizeof *steps);
    if (!steps)
        return portolan_no_memory(err);
    w->steps = steps;
    return PORTOLAN_OK;
}

enum portolan_status waiting_add(struct portolan_recorder *r, struct waiting_step *s,
                                 enum portolan_status status, struct portolan_error *err)
{
    struct waiting *w = &r->state->waiting;

    if (!status)
        status = keep(r, s, err);
    status = portolan_cohort_agree(r->cohort, status, err);
    if (status)
        return status;
    w->size_bytes += size_of(s);
    w->steps[w->n++] = *s;
    *s = (struct waiting_step){0};
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ out */

/* Ranks may have different numbers of blocks of rows. */
static enum portolan_status put_rows(struct portolan_recorder *r, const struct waiting_step *s,
                                     enum portolan_status status, struct portolan_error *err)
{
    double total;

    for (size_t i = 0; !status; ++i) {
        struct waiting_block b = i < s->n_blocks ? s->rows[i] : (struct waiting_block){0};

        status = gather_blocks(r->cohort, status, b.bytes, b.size, GATHER_BYTES, rows_put_block, r,
                               &total, err);
        if (total <= 0)
            break;
    }
    return status;
}

enum portolan_status waiting_put(struct portolan_recorder *r, enum portolan_status status,
                                 struct portolan_error *err)
{
    const struct waiting *w = &r->state->waiting;

    for (size_t i = 0; i < w->n && !status; ++i) {
        const struct waiting_step *s = &w->steps[i];

        status = put_rows(r, s, status, err);
        if (!status)
            status =
                step_put_packed_samples(r, s->step, s->samples.bytes, s->samples.size, status, err);
    }
    return status;
}
