/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores a step, keeps the slowest rank's samples, and keeps steps that wait for the store. */
#include "recorder_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the slowest rank */

void step_forget_slowest(struct portolan_recorder *r)
{
    struct recorder_state *s = r->state;

    slice_clear(&s->slowest);
    free(s->slowest_block);
    s->slowest_block = NULL;
    s->slowest_work = 0;
    s->n_waiting = 0;
    s->has_slowest = false;
}

/* 0 for a partial step, which says nothing about the next. */
static double work_of(const struct portolan_slice *p)
{
    double work = 0;

    for (size_t i = 0; i < p->n && !p->n_partial; ++i)
        work += p->samples[i].exclusive_ns - p->samples[i].mpi_ns;
    return work;
}

/*
 * Rank 0: keeps the slice, with a copy of the block that it came in, if no rank worked more.
 * Without memory the one before stays.
 */
static void keep_slowest(struct recorder_state *s, const struct portolan_slice *p,
                         const void *bytes, size_t size)
{
    double work = work_of(p);
    void *block = work > s->slowest_work ? portolan_calloc(size, 1) : NULL;

    if (!block)
        return;
    memcpy(block, bytes, size);
    slice_clear(&s->slowest);
    free(s->slowest_block);
    s->slowest_block = block;
    s->slowest_work = work;
    if (slice_unpack(&s->slowest, block, size, NULL))
        s->slowest_work = 0;
}

/* Before a slice on its way up the tree. */
struct slowest_head {
    double work;
    int64_t n_waiting; /* of all ranks below */
};

/* Reads the head of a block; a rank without memory has sent none, and its work is not known. */
static struct slowest_head read_head(const void *block, size_t size)
{
    return size >= sizeof(struct slowest_head) ? *(const struct slowest_head *)block
                                               : (struct slowest_head){0, 1};
}

/* A portolan_cohort_merge_fn: the block of who worked more. */
static enum portolan_status merge_slowest(void *arg, const void *mine, size_t mine_bytes,
                                          const void *theirs, size_t theirs_bytes, void **out,
                                          size_t *out_bytes)
{
    struct slowest_head a = read_head(mine, mine_bytes), b = read_head(theirs, theirs_bytes);
    bool is_mine = a.work >= b.work && mine_bytes;

    (void)arg;
    *out_bytes = is_mine ? mine_bytes : theirs_bytes;
    if (!(*out = portolan_calloc(*out_bytes + 1, 1)))
        return PORTOLAN_ENOMEM;
    if (*out_bytes) {
        memcpy(*out, is_mine ? mine : theirs, *out_bytes);
        ((struct slowest_head *)*out)->n_waiting = a.n_waiting + b.n_waiting;
    }
    return PORTOLAN_OK;
}

static void *pack_head(const struct portolan_slice *p, size_t *size)
{
    struct slowest_head head = {work_of(p), p->n_waiting};
    void *bytes = NULL;
    size_t n = 0;
    char *block;

    *size = 0;
    if (slice_pack(p, &bytes, &n, NULL) || !(block = portolan_calloc(sizeof head + n, 1))) {
        free(bytes);
        return NULL;
    }
    memcpy(block, &head, sizeof head);
    memcpy(block + sizeof head, bytes, n);
    free(bytes);
    *size = sizeof head + n;
    return block;
}

/* Rank 0, of a block of all ranks. */
static void take_slowest(struct recorder_state *s, const char *block, size_t size)
{
    size_t head_bytes = sizeof(struct slowest_head);
    struct portolan_slice slice = {0};

    s->n_waiting = (int)read_head(block, size).n_waiting;
    if (size < head_bytes || slice_unpack(&slice, block + head_bytes, size - head_bytes, NULL))
        s->n_waiting = 1;
    else
        keep_slowest(s, &slice, block + head_bytes, size - head_bytes);
    slice_clear(&slice);
}

/* One passage up the tree, in which the samples of the rank that worked most arrive. */
static void ask_slowest(struct portolan_recorder *r)
{
    size_t size = 0;
    void *block = pack_head(&r->slice, &size);

    r->cohort->reduce(r->cohort, &block, &size, merge_slowest, NULL);
    if (r->cohort->rank == 0)
        take_slowest(r->state, block, block ? size : 0);
    free(block);
}

void step_bring_slowest(struct portolan_recorder *r, bool is_there)
{
    struct recorder_state *s = r->state;

    if (s->wants_slowest && !is_there)
        ask_slowest(r);
    s->has_slowest = s->wants_slowest;
}

void step_find_slowest(struct portolan_recorder *r, const struct portolan_sample **samples,
                       size_t *n)
{
    struct recorder_state *s = r->state;
    const struct portolan_slice *p;

    if (!s->has_slowest && r->cohort->size > 1)
        ask_slowest(r);
    s->wants_slowest = true;
    s->has_slowest = true;
    p = s->slowest_work > 0 ? &s->slowest : &r->slice;
    *samples = p->samples;
    *n = p->n_partial ? 0 : p->n;
}

/* ------------------------------------------------------------------ the piggyback */

void step_begin_piggyback(struct portolan_recorder *r, int next_step)
{
    if (!r->piggyback)
        return;
    r->piggyback->step = next_step;
    r->piggyback->visit_ns = r->state->pace.least_ns;
    r->piggyback->has_arrived = false;
    r->state->wants_slowest = true;
}

void step_fill_piggyback(struct portolan_recorder *r)
{
    struct portolan_piggyback *p = r->piggyback;

    r->slice.n_waiting =
        p && p->fill(p, r->slice.samples, r->slice.n_partial ? 0 : r->slice.n) ? 1 : 0;
}

/* Rank 0's part, when it knows what all ranks have seen. */
static void add_to_piggyback(struct portolan_recorder *r)
{
    const struct portolan_sample *samples;
    size_t n;

    if (r->cohort->rank != 0 || !r->state->has_slowest)
        return;
    step_find_slowest(r, &samples, &n);
    r->piggyback->add(r->piggyback, samples, n, r->state->n_waiting);
}

enum portolan_status step_agree(struct portolan_recorder *r, enum portolan_status status,
                                struct portolan_error *err)
{
    struct portolan_piggyback *p = r->piggyback;
    double *values = p ? p->values : r->state->values;
    bool has_arrived;

    if (p && !status)
        add_to_piggyback(r);
    values[0] = status != PORTOLAN_OK;
    pace_fill(r, values);
    has_arrived = !r->cohort->max(r->cohort, values, p ? p->n : PORTOLAN_PIGGYBACK_HEAD);
    if (has_arrived)
        pace_take(r, values);
    if (p)
        p->has_arrived = has_arrived;
    return has_arrived && values[0] <= 0 ? PORTOLAN_OK
                                         : portolan_cohort_agree(r->cohort, status, err);
}

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
    struct portolan_slice slice = {0};
    enum portolan_status status = slice_unpack(&slice, bytes, size_bytes, err);

    (void)rank;
    if (!status)
        status = portolan_store_put_step(r->store, r->trial, p->step, slice.samples, slice.n, err);
    p->n_partial += slice.n_partial;
    r->state->n_waiting += slice.n_waiting;
    if (!status && r->state->wants_slowest && !r->state->n_pending)
        keep_slowest(r->state, &slice, bytes, size_bytes);
    slice_clear(&slice);
    return status;
}

/* Readers of the store must not take the step for a complete one. */
static void note_partial(struct portolan_recorder *r, int step, int n_ranks)
{
    char name[60], value[100];

    snprintf(name, sizeof name, PORTOLAN_STORE_PARTIAL "%d", step);
    snprintf(value, sizeof value, "not everything was measured on %d of %d ranks", n_ranks,
             r->cohort->size);
    portolan_facts_put(&r->facts, name, value);
}

/* Stores the samples of all ranks, packed as slices of STEP. */
static enum portolan_status put_packed_samples(struct portolan_recorder *r, int step,
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

    step_forget_slowest(r); /* of steps that had to wait */
    if (!status && (!r->summary_only || r->cohort->rank == 0))
        status = slice_pack(step_slice(r), &bytes, &size, err);
    status = put_packed_samples(r, r->step, bytes, size, status, err);
    free(bytes);
    return status;
}

/* ------------------------------------------------------------------ summaries */

static enum portolan_status put_summary(struct portolan_recorder *r, const void *bytes, size_t size,
                                        struct portolan_error *err)
{
    struct summary s = {0};
    struct portolan_block b;
    enum portolan_status status;

    portolan_block_open(&b, bytes, size);
    summary_carry(&b, &s);
    if (!(status = portolan_block_finish(&b, err)))
        status = portolan_store_put_summary(r->store, r->trial, s.rows, s.n, err);
    summary_clear(&s);
    return status;
}

enum portolan_status step_put_summary(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err)
{
    struct portolan_cohort *c = r->cohort;
    void *bytes = NULL;
    size_t size = 0;

    if (!status)
        status = totals_pack(&r->state->totals, c->rank, &bytes, &size, err);
    status = portolan_cohort_agree(c, status, err);
    if (!status && (status = c->reduce(c, &bytes, &size, summary_merge, NULL)))
        portolan_error_set(err, status, "the statistics over ranks were not merged: %s",
                           portolan_status_text(status));
    if (!status && r->store)
        status = put_summary(r, bytes, size, err);
    free(bytes);
    return portolan_cohort_agree(c, status, err);
}

/* ------------------------------------------------------------------ steps that wait in memory */

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
    w->n = w->size_bytes = w->n_sent = 0;
}

static size_t size_of(const struct waiting_step *s)
{
    size_t size = s->samples.size;

    for (size_t i = 0; i < s->n_blocks; ++i)
        size += s->rows[i].size;
    return size;
}

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

static enum portolan_status keep_step(struct portolan_recorder *r, struct waiting_step *s,
                                      struct portolan_error *err)
{
    struct waiting *w = &r->state->waiting;
    enum portolan_status status = PORTOLAN_OK;
    struct waiting_step *steps;

    s->step = r->step;
    if (!r->summary_only || r->cohort->rank == 0) {
        s->n_samples = (double)step_slice(r)->n;
        status = slice_pack(step_slice(r), &s->samples.bytes, &s->samples.size, err);
    }
    if (status)
        return status;
    if (w->size_bytes + size_of(s) > WAITING_BYTES)
        return portolan_error_set(
            err, PORTOLAN_ENOMEM,
            "another process has locked the store, and the waiting steps have filled %zu MiB",
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
        status = keep_step(r, s, err);
    step_bring_slowest(r, false);
    status = step_agree(r, status, err);
    if (status)
        return status;
    w->size_bytes += size_of(s);
    w->steps[w->n++] = *s;
    *s = (struct waiting_step){0};
    return PORTOLAN_OK;
}

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

/* Forgets the steps that the store has, as is seen now. */
static enum portolan_status forget_stored(struct portolan_recorder *r, enum portolan_status status,
                                          struct portolan_error *err)
{
    struct waiting *w = &r->state->waiting;
    double n = 0;
    bool has = false;

    if (!w->n_sent || status)
        return status;
    if (r->store)
        status =
            portolan_store_has_step(r->store, r->trial, w->steps[w->n_sent - 1].step, &has, err);
    n = has ? (double)w->n_sent : 0;
    status = portolan_cohort_agree(r->cohort, status, err);
    if (!status)
        status = r->cohort->max(r->cohort, &n, 1);
    for (size_t i = 0; i < (size_t)n; ++i) {
        w->size_bytes -= size_of(&w->steps[i]);
        waiting_step_clear(&w->steps[i]);
    }
    w->n -= (size_t)n;
    memmove(w->steps, w->steps + (size_t)n, w->n * sizeof *w->steps);
    w->n_sent = 0;
    return status;
}

enum portolan_status waiting_put(struct portolan_recorder *r, enum portolan_status status,
                                 struct portolan_error *err)
{
    const struct waiting *w = &r->state->waiting;

    status = forget_stored(r, status, err);
    for (size_t i = 0; i < w->n && !status; ++i) {
        const struct waiting_step *s = &w->steps[i];

        status = put_rows(r, s, status, err);
        if (!status)
            status = put_packed_samples(r, s->step, s->samples.bytes, s->samples.size, status, err);
    }
    return status;
}
