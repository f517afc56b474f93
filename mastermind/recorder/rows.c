/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of single calls: from the source, a bounded number at a time, over rank 0 to the store. */
#include "recorder_internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* Most rows of a rank that are on their way at once. */
enum { CHUNK = 8192 };

void rows_clear(struct rows *w)
{
    free(w->rows);
    free(w->steps);
    free(w->ids);
    free(w->calls);
    portolan_index_clear(&w->index);
    *w = (struct rows){0};
}

/* ------------------------------------------------------------------ ordinals */

struct wanted {
    const struct rows *in;
    uint64_t id;
};

static bool same_id(const void *wanted, size_t i)
{
    const struct wanted *w = wanted;

    return w->in->ids[i] == w->id;
}

/* SIZE_MAX: it is not there. */
static size_t find_id(const struct rows *w, uint64_t id)
{
    const struct wanted wanted = {w, id};

    return portolan_index_find(&w->index, portolan_hash(&id, sizeof id, 0), same_id, &wanted);
}

static double calls_before(const struct rows *w, uint64_t id)
{
    size_t at = find_id(w, id);

    return at == SIZE_MAX ? 0 : w->calls[at];
}

static bool reserve_ids(struct rows *w, size_t n)
{
    size_t capacity = w->capacity_ids;

    return portolan_reserve(&w->ids, &capacity, n, sizeof *w->ids) &&
           portolan_reserve(&w->calls, &w->capacity_ids, n, sizeof *w->calls) &&
           portolan_index_reserve(&w->index, n);
}

enum portolan_status rows_note_restart(struct rows *w, const struct portolan_probe_snapshot *s)
{
    if (!reserve_ids(w, w->index.n + s->count))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < s->count; ++i) {
        const struct portolan_probe_record *r = &s->records[i];
        size_t at = r->calls ? find_id(w, r->id) : SIZE_MAX;

        if (r->calls && at == SIZE_MAX) {
            at = w->index.n;
            w->ids[at] = r->id;
            w->calls[at] = 0;
            portolan_index_add(&w->index, portolan_hash(&r->id, sizeof r->id, 0), at);
        }
        if (r->calls)
            w->calls[at] += (double)r->calls;
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ taking */

struct taking {
    struct rows *rows;
    int step;
    uint64_t lost;
};

static bool make_room(struct rows *w)
{
    if (w->capacity)
        return true;
    free(w->rows);
    free(w->steps);
    w->rows = portolan_calloc(CHUNK, sizeof *w->rows);
    w->steps = portolan_calloc(CHUNK, sizeof *w->steps);
    w->is_out_of_memory = !w->rows || !w->steps;
    w->capacity = w->is_out_of_memory ? 0 : CHUNK;
    return !w->is_out_of_memory;
}

static int take_rows(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    struct taking *t = arg;
    struct rows *w = t->rows;

    if (!make_room(w) || (w->n && w->n + n > w->capacity))
        return 1; /* they are kept for the next time */
    for (size_t i = 0; i < n && w->n < w->capacity; ++i) {
        w->steps[w->n] = t->step;
        w->rows[w->n] = rows[i];
        w->rows[w->n++].ordinal += (uint64_t)calls_before(w, rows[i].record);
    }
    return 0;
}

static int count_rows(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    (void)rows;
    *(uint64_t *)arg += n;
    return 0;
}

enum portolan_status rows_fill(struct portolan_recorder *r, struct portolan_error *err)
{
    struct rows *w = &r->state->rows;
    struct taking taking = {w, r->step, 0};
    uint64_t lost = 0;
    enum portolan_status status;

    if (!r->source->take_rows)
        return PORTOLAN_OK;
    w->is_out_of_memory = false;
    status = r->source->take_rows(r->source->self, take_rows, &taking, &lost, err);
    r->lost_rows += (double)lost;
    if (!status && w->is_out_of_memory)
        status = portolan_no_memory(err);
    if (r->summary_only && r->cohort->rank != 0)
        w->n = 0; /* only rank 0's are stored */
    return status;
}

double rows_drop(struct portolan_recorder *r)
{
    uint64_t dropped = r->state->rows.n, lost = 0;

    r->state->rows.n = 0;
    if (r->source->take_rows)
        r->source->take_rows(r->source->self, count_rows, &dropped, &lost, NULL);
    return (double)(dropped + lost);
}

/* ------------------------------------------------------------------ to rank 0 */

/* How many counters the record's calls read; 0 when none of them counted anything. */
static int count_counters(const struct paths *p, uint64_t id)
{
    const struct portolan_probe_record *r = paths_peek(p, id);

    for (size_t i = 0; r && i < PORTOLAN_PROBE_COUNTERS_ALL; ++i)
        if (r->counters[i])
            return (int)p->slice.n_counters;
    return 0;
}

/* Takes a new snapshot for the paths when rows are on newer ones than it has. */
static enum portolan_status know_paths(struct portolan_recorder *r, struct portolan_error *err)
{
    struct rows *w = &r->state->rows;
    struct paths *p = &r->state->paths;
    size_t i = 0;

    while (i < w->n && paths_peek(p, w->rows[i].record))
        ++i;
    if (i < w->n)
        return paths_open(p, r->source, step_rank(r), err);
    paths_empty(p);
    return PORTOLAN_OK;
}

static void take_row(struct portolan_invocation *to, const struct portolan_probe_row *row)
{
    *to = (struct portolan_invocation){
        .ordinal = (int64_t)row->ordinal,
        .start_ns = row->start_ns,
        .inclusive_ns = row->inclusive_ns,
        .exclusive_ns = row->exclusive_ns,
        .mpi_ns = row->mpi_ns,
        .quality = row->quality,
        .one_in = (int)row->one_in,
    };
    memcpy(to->context, row->x, sizeof to->context);
}

/* The rows that are on paths of the trial. */
static enum portolan_status list_rows(struct portolan_recorder *r, struct portolan_invocation *rows,
                                      size_t *n)
{
    struct rows *w = &r->state->rows;
    struct paths *paths = &r->state->paths;
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < w->n && !status; ++i) {
        const struct portolan_probe_row *row = &w->rows[i];
        struct portolan_invocation *to = &rows[*n];
        int64_t path;

        status = paths_find(paths, row->record, &path);
        if (!status && path < 0) {
            r->lost_rows++; /* its call is not the trial's */
            continue;
        }
        take_row(to, row);
        to->path = path;
        to->step = w->steps[i];
        to->start_ns -= r->began_ns;
        /* in later steps another set, with other names, may be in use */
        if (!status && to->step == r->step)
            to->n_counters = count_counters(paths, row->record);
        for (int c = 0; c < to->n_counters; ++c)
            to->counter[c] = (double)row->counters[c];
        ++*n;
    }
    return status;
}

/* Rows with the paths that they are on. */
static void carry_rows(struct portolan_block *b, struct portolan_slice *paths,
                       struct portolan_invocation **rows, size_t *n)
{
    slice_carry(b, paths);
    portolan_block_carry_items(b, rows, n, sizeof **rows);
}

enum portolan_status rows_pack(struct portolan_recorder *r, void **bytes, size_t *size,
                               struct portolan_error *err)
{
    struct rows *w = &r->state->rows;
    struct portolan_invocation *rows;
    struct portolan_block b = {0};
    enum portolan_status status;
    size_t n = 0;

    if (!w->n)
        return PORTOLAN_OK;
    if ((status = know_paths(r, err)))
        return status;
    if (!(rows = portolan_calloc(w->n, sizeof *rows)) || list_rows(r, rows, &n)) {
        free(rows);
        return portolan_no_memory(err);
    }
    w->n = 0;
    r->step_rows += (double)n;
    if (n) {
        carry_rows(&b, &r->state->paths.slice, &rows, &n);
        status = portolan_block_take(&b, bytes, size, err);
    }
    free(rows);
    return status;
}

/* ------------------------------------------------------------------ on rank 0 */

enum portolan_status rows_put_block(void *arg, int rank, const void *bytes, size_t size,
                                    struct portolan_error *err)
{
    struct portolan_recorder *r = arg;
    struct portolan_slice paths = {0};
    struct portolan_invocation *rows = NULL;
    struct portolan_block b;
    enum portolan_status status;
    size_t n;

    (void)rank;
    portolan_block_open(&b, bytes, size);
    carry_rows(&b, &paths, &rows, &n);
    if (!(status = portolan_block_finish(&b, err)))
        status = portolan_store_put_invocations(r->store, r->trial, paths.samples, paths.n, rows, n,
                                                err);
    free(rows);
    slice_clear(&paths);
    return status;
}

enum portolan_status step_put_rows(struct portolan_recorder *r, enum portolan_status status,
                                   struct portolan_error *err)
{
    double total;

    do {
        if (!status)
            status = rows_fill(r, err);
        status = gather_packed(r, status, rows_pack, rows_put_block, &total, err);
    } while (!status && total > 0);
    paths_close(&r->state->paths);
    return status;
}
