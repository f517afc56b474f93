/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of single calls: from the source, a bounded number at a time, through ranks to the store. */
#include "block.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a rank that are under way at once. */
enum { CHUNK = 8192 };

struct packed_row {
    int64_t path;
    int32_t step, n_counters;
    struct portolan_probe_row row;
};

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
    size_t capacity = w->capacity_ids ? w->capacity_ids : 64;
    void *ids, *calls;

    while (capacity < n)
        capacity *= 2;
    if (capacity == w->capacity_ids)
        return true;
    if (!(ids = portolan_reallocarray(w->ids, capacity, sizeof *w->ids)))
        return false;
    w->ids = ids;
    if (!(calls = portolan_reallocarray(w->calls, capacity, sizeof *w->calls)))
        return false;
    w->calls = calls;
    if (!portolan_index_reserve(&w->index, capacity))
        return false;
    w->capacity_ids = capacity;
    return true;
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

static int take(void *arg, const struct portolan_probe_row *rows, size_t n)
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

static int count(void *arg, const struct portolan_probe_row *rows, size_t n)
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
    status = r->source->take_rows(r->source->self, take, &taking, &lost, err);
    r->lost_rows += (double)lost;
    if (!status && w->is_out_of_memory)
        status = portolan_no_memory(err);
    if (r->summary_only && r->cohort->rank != 0)
        w->n = 0; /* not asked for here */
    return status;
}

double rows_drop(struct portolan_recorder *r)
{
    uint64_t dropped = r->state->rows.n, lost = 0;

    r->state->rows.n = 0;
    if (r->source->take_rows)
        r->source->take_rows(r->source->self, count, &dropped, &lost, NULL);
    return (double)(dropped + lost);
}

/* ------------------------------------------------------------------ to rank 0 */

/* Whether the record's calls read counters: those that do count something. */
static int count_counters(const struct paths *p, uint64_t id)
{
    const struct portolan_probe_record *r = paths_peek(p, id);

    for (size_t i = 0; r && i < PORTOLAN_PROBE_COUNTERS_ALL; ++i)
        if (r->counters[i])
            return (int)p->piece.n_counters;
    return 0;
}

/* Paths may be newer than what is known of them: then they are looked at again. */
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

static enum portolan_status pack_rows(struct portolan_recorder *r, struct block *b)
{
    struct rows *w = &r->state->rows;
    struct packed_row *rows = b->rows = portolan_calloc(w->n, sizeof *rows);
    enum portolan_status status = rows ? PORTOLAN_OK : PORTOLAN_ENOMEM;

    for (size_t i = 0; i < w->n && !status; ++i) {
        int64_t path;

        status = paths_find(&r->state->paths, w->rows[i].record, &path);
        if (!status && path < 0) {
            r->lost_rows++; /* of calls that are none of the trial's */
            continue;
        }
        rows[b->head.n] = (struct packed_row){
            .path = path,
            .step = w->steps[i],
            /* later on another set may be in force, with other names */
            .n_counters =
                w->steps[i] == r->step ? count_counters(&r->state->paths, w->rows[i].record) : 0,
            .row = w->rows[i],
        };
        rows[b->head.n++].row.start_ns -= r->began_ns;
    }
    return status;
}

enum portolan_status rows_pack(struct portolan_recorder *r, void **bytes, size_t *size,
                               struct portolan_error *err)
{
    struct rows *w = &r->state->rows;
    struct block b = {0};
    enum portolan_status status;

    if (!w->n)
        return PORTOLAN_OK;
    status = know_paths(r, err);
    if (!status)
        status = pack_rows(r, &b);
    if (!status && b.head.n)
        status = piece_pack(&r->state->paths.piece, &b.piece, &b.head.piece_bytes, err);
    if (!status && b.head.n)
        status = block_join(&b, sizeof(struct packed_row), bytes, size);
    if (status)
        portolan_error_set(err, status, "out of memory");
    else
        w->n = 0;
    r->step_rows += (double)b.head.n;
    block_clear(&b);
    return status;
}

/* ------------------------------------------------------------------ on rank 0 */

static void take_row(struct portolan_invocation *to, const struct packed_row *from)
{
    const struct portolan_probe_row *row = &from->row;

    *to = (struct portolan_invocation){
        .path = from->path,
        .step = from->step,
        .ordinal = (int64_t)row->ordinal,
        .start_ns = row->start_ns,
        .inclusive_ns = row->inclusive_ns,
        .exclusive_ns = row->exclusive_ns,
        .mpi_ns = row->mpi_ns,
        .quality = row->quality,
        .n_counters = from->n_counters,
        .one_in = (int)row->one_in,
    };
    memcpy(to->context, row->x, sizeof to->context);
    for (int i = 0; i < from->n_counters; ++i)
        to->counter[i] = (double)row->counters[i];
}

enum portolan_status rows_put_block(void *arg, int rank, const void *bytes, size_t size,
                                    struct portolan_error *err)
{
    struct portolan_recorder *r = arg;
    struct portolan_piece piece = {0};
    struct portolan_invocation *rows = NULL;
    struct block b;
    enum portolan_status status = block_look(&b, rank, bytes, size, sizeof(struct packed_row), err);

    if (!status)
        status = piece_unpack(&piece, b.piece, b.head.piece_bytes, err);
    if (!status && !(rows = portolan_calloc(b.head.n + 1, sizeof *rows)))
        status = portolan_no_memory(err);
    for (size_t i = 0; i < b.head.n && !status; ++i)
        take_row(&rows[i], &((const struct packed_row *)b.rows)[i]);
    if (!status)
        status = portolan_store_put_invocations(r->store, r->trial, piece.samples, piece.n, rows,
                                                b.head.n, err);
    free(rows);
    piece_clear(&piece);
    return status;
}

enum portolan_status step_put_rows(struct portolan_recorder *r, enum portolan_status status,
                                   struct portolan_error *err)
{
    double total;

    do {
        if (!status)
            status = rows_fill(r, err);
        status = step_put_packed(r, status, rows_pack, rows_put_block, &total, err);
    } while (!status && total > 0);
    paths_close(&r->state->paths);
    return status;
}
