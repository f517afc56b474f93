/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of a trial: what the process has counted, less what it had when the trial began. */
#include "block.h"
#include "step.h"

#include <math.h>
#include <stdlib.h>

struct packed_event {
    int64_t path, count;
    double max, min, mean, sum_squares;
    uint32_t name, thread;
};

void step_begin_events(struct portolan_recorder *r)
{
    const struct portolan_recorder_source *source = r->source;
    struct recorder_state *s = r->state;

    if (source->take_events && source->take_events(source->self, &s->events, &s->n_events, NULL))
        s->n_events = 0;
}

static bool is_same(const struct portolan_probe_event_record *a,
                    const struct portolan_probe_event_record *b)
{
    return a->event == b->event && a->thread == b->thread && a->has_record == b->has_record &&
           (!a->has_record || a->record == b->record);
}

/* Rows keep their order, new ones come in between: look on from the last that was found. */
static const struct portolan_probe_event_record *
find_event(const struct recorder_state *s, size_t *at, const struct portolan_probe_event_record *e)
{
    for (size_t i = 0; i < s->n_events; ++i, ++*at) {
        *at %= s->n_events;
        if (is_same(&s->events[*at], e))
            return &s->events[(*at)++];
    }
    return NULL;
}

/* What came since. Extremes are kept, as what they were in between is not known. */
static bool since(struct portolan_probe_event_record *e,
                  const struct portolan_probe_event_record *before)
{
    double sum;

    if (!before || !before->count)
        return e->count > 0;
    if (before->count >= e->count)
        return false;
    sum = e->mean * (double)e->count - before->mean * (double)before->count;
    e->count -= before->count;
    e->mean = sum / (double)e->count;
    e->sum_squares = fmax(e->sum_squares - before->sum_squares, 0);
    return true;
}

static enum portolan_status fill_events(struct portolan_recorder *r, struct block *b,
                                        struct portolan_probe_event_record *events, size_t n)
{
    struct recorder_state *s = r->state;
    struct packed_event *rows = b->rows = portolan_calloc(n + 1, sizeof *rows);
    enum portolan_status status = rows ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    size_t at = 0;

    for (size_t i = 0; i < n && !status; ++i) {
        struct portolan_probe_event_record *e = &events[i];
        int64_t path = -1;

        if (!since(e, find_event(s, &at, e)))
            continue;
        if (e->has_record) {
            status = paths_find(&s->paths, e->record, &path);
            if (path < 0)
                continue; /* in Portolan's own work: it is in the event's total */
        }
        rows[b->head.n++] = (struct packed_event){
            .path = path,
            .count = (int64_t)e->count,
            .max = e->max,
            .min = e->min,
            .mean = e->mean,
            .sum_squares = e->sum_squares,
            .name = block_add_text(b, e->name),
            .thread = e->thread,
        };
    }
    return status;
}

static enum portolan_status pack_events(struct portolan_recorder *r, void **bytes, size_t *size,
                                        struct portolan_error *err)
{
    const struct portolan_recorder_source *source = r->source;
    struct portolan_probe_event_record *events = NULL;
    struct paths *paths = &r->state->paths;
    struct block b = {0};
    size_t n = 0;
    enum portolan_status status = PORTOLAN_OK;

    if (source->take_events)
        status = source->take_events(source->self, &events, &n, err);
    if (!status && n)
        status = paths_open(paths, source, step_rank(r), err);
    if (!status && n)
        status = fill_events(r, &b, events, n);
    if (!status && b.head.n)
        status = piece_pack(&paths->piece, &b.piece, &b.head.piece_bytes, err);
    if (!status && b.head.n)
        status = block_join(&b, sizeof(struct packed_event), bytes, size);
    if (status)
        portolan_error_set(err, status, "out of memory");
    paths_close(paths);
    free(events);
    block_clear(&b);
    return status;
}

static enum portolan_status put_events(void *arg, int rank, const void *bytes, size_t size,
                                       struct portolan_error *err)
{
    struct portolan_recorder *r = arg;
    struct portolan_piece piece = {0};
    struct portolan_event *events = NULL;
    const struct packed_event *rows;
    struct block b;
    enum portolan_status status;

    if ((status = block_look(&b, rank, bytes, size, sizeof *rows, err)))
        return status;
    rows = b.rows;
    status = piece_unpack(&piece, b.piece, b.head.piece_bytes, err);
    if (!status && !(events = portolan_calloc(b.head.n + 1, sizeof *events)))
        status = portolan_no_memory(err);
    for (size_t i = 0; i < b.head.n && !status; ++i)
        events[i] = (struct portolan_event){
            .rank = rank,
            .thread = (int)rows[i].thread,
            .path = rows[i].path,
            .name = block_peek_text(&b, rows[i].name),
            .count = rows[i].count,
            .max = rows[i].max,
            .min = rows[i].min,
            .mean = rows[i].mean,
            .sum_squares = rows[i].sum_squares,
        };
    if (!status)
        status = portolan_store_put_events(r->store, r->trial, piece.samples, piece.n, events,
                                           b.head.n, err);
    free(events);
    piece_clear(&piece);
    return status;
}

enum portolan_status step_put_events(struct portolan_recorder *r, enum portolan_status status,
                                     struct portolan_error *err)
{
    return step_put_packed(r, status, pack_events, put_events, NULL, err);
}
