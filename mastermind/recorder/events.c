/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of a trial: what the process has counted, less what it had when the trial began. */
#include "recorder_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void step_begin_events(struct portolan_recorder *r)
{
    const struct portolan_recorder_source *source = r->source;
    struct recorder_state *s = r->state;

    if (source->take_events && source->take_events(source->self, &s->events, &s->n_events, NULL))
        s->n_events = 0;
    if (source->take_traffic &&
        source->take_traffic(source->self, &s->traffic, &s->n_traffic, NULL))
        s->n_traffic = 0;
}

/* ------------------------------------------------------------------ events */

static bool is_same(const struct portolan_probe_event_record *a,
                    const struct portolan_probe_event_record *b)
{
    return a->event == b->event && a->thread == b->thread && a->has_record == b->has_record &&
           (!a->has_record || a->record == b->record);
}

/* Rows keep their order, with new ones in between, so the search goes on after the last hit. */
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

/*
 * Reduces E to what came since BEFORE; false when nothing did. Extremes stay, since those of the
 * time in between are not known.
 */
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

/* Events with the paths that they are on. */
static void carry_events(struct portolan_block *b, struct portolan_slice *paths,
                         struct portolan_event **events, size_t *n)
{
    slice_carry(b, paths);
    portolan_block_carry_items(b, events, n, sizeof **events);
    for (size_t i = 0; i < *n; ++i)
        portolan_block_carry_text(b, &(*events)[i].name);
}

/* Those since the recorder was opened. */
static enum portolan_status list_events(struct portolan_recorder *r,
                                        struct portolan_probe_event_record *records, size_t n,
                                        struct portolan_event *events, size_t *n_events)
{
    struct recorder_state *s = r->state;
    enum portolan_status status = PORTOLAN_OK;
    size_t at = 0;

    for (size_t i = 0; i < n && !status; ++i) {
        struct portolan_probe_event_record *e = &records[i];
        int64_t path = -1;

        if (!since(e, find_event(s, &at, e)))
            continue;
        if (e->has_record) {
            status = paths_find(&s->paths, e->record, &path);
            if (path < 0)
                continue; /* in Portolan's own work: it is in the event's total */
        }
        events[(*n_events)++] = (struct portolan_event){
            .rank = r->cohort->rank,
            .thread = (int)e->thread,
            .path = path,
            .name = e->name,
            .count = (int64_t)e->count,
            .max = e->max,
            .min = e->min,
            .mean = e->mean,
            .sum_squares = e->sum_squares,
        };
    }
    return status;
}

static enum portolan_status pack_events(struct portolan_recorder *r, void **bytes, size_t *size,
                                        struct portolan_error *err)
{
    const struct portolan_recorder_source *source = r->source;
    struct portolan_probe_event_record *records = NULL;
    struct paths *paths = &r->state->paths;
    struct portolan_event *events = NULL;
    struct portolan_block b = {0};
    size_t n = 0, n_events = 0;
    enum portolan_status status = PORTOLAN_OK;

    if (source->take_events)
        status = source->take_events(source->self, &records, &n, err);
    if (!status && n)
        status = paths_open(paths, source, step_rank(r), err);
    if (!status && n &&
        (!(events = portolan_calloc(n, sizeof *events)) ||
         list_events(r, records, n, events, &n_events)))
        status = portolan_no_memory(err);
    if (!status && n_events) {
        carry_events(&b, &paths->slice, &events, &n_events);
        status = portolan_block_take(&b, bytes, size, err);
    }
    paths_close(paths);
    free(records);
    free(events);
    return status;
}

static enum portolan_status put_events(void *arg, int rank, const void *bytes, size_t size,
                                       struct portolan_error *err)
{
    struct portolan_recorder *r = arg;
    struct portolan_slice paths = {0};
    struct portolan_event *events = NULL;
    struct portolan_block b;
    enum portolan_status status;
    size_t n;

    (void)rank;
    portolan_block_open(&b, bytes, size);
    carry_events(&b, &paths, &events, &n);
    if (!(status = portolan_block_finish(&b, err)))
        status =
            portolan_store_put_events(r->store, r->trial, paths.samples, paths.n, events, n, err);
    free(events);
    slice_clear(&paths);
    return status;
}

enum portolan_status step_put_events(struct portolan_recorder *r, enum portolan_status status,
                                     struct portolan_error *err)
{
    return gather_packed(r, status, pack_events, put_events, NULL, err);
}

/* ------------------------------------------------------------------ messages */

static const struct portolan_probe_traffic *find_traffic(const struct recorder_state *s,
                                                         const struct portolan_probe_traffic *t)
{
    for (size_t i = 0; i < s->n_traffic; ++i)
        if (s->traffic[i].partner == t->partner && s->traffic[i].received == t->received &&
            !strcmp(s->traffic[i].routine, t->routine))
            return &s->traffic[i];
    return NULL;
}

static void carry_traffic(struct portolan_block *b, struct portolan_traffic **rows, size_t *n)
{
    portolan_block_carry_items(b, rows, n, sizeof **rows);
    for (size_t i = 0; i < *n; ++i)
        portolan_block_carry_text(b, &(*rows)[i].routine);
}

/* Those since the recorder was opened. */
static size_t list_traffic(struct portolan_recorder *r,
                           const struct portolan_probe_traffic *traffic, size_t n,
                           struct portolan_traffic *rows)
{
    static const struct portolan_probe_traffic nothing;
    size_t n_rows = 0;

    for (size_t i = 0; i < n; ++i) {
        const struct portolan_probe_traffic *t = &traffic[i], *before = find_traffic(r->state, t);

        before = before ? before : &nothing;
        if (t->calls == before->calls && t->bytes == before->bytes)
            continue;
        rows[n_rows++] = (struct portolan_traffic){
            .rank = r->cohort->rank,
            .routine = t->routine,
            .partner = t->partner,
            .received = t->received != 0,
            .calls = (int64_t)(t->calls - before->calls),
            .time_ns = fmax(t->time_ns - before->time_ns, 0),
            .bytes = (double)(t->bytes - before->bytes),
        };
    }
    return n_rows;
}

static enum portolan_status pack_traffic(struct portolan_recorder *r, void **bytes, size_t *size,
                                         struct portolan_error *err)
{
    const struct portolan_recorder_source *source = r->source;
    struct portolan_probe_traffic *traffic = NULL;
    struct portolan_traffic *rows = NULL;
    struct portolan_block b = {0};
    size_t n = 0;
    enum portolan_status status = PORTOLAN_OK;

    if (source->take_traffic)
        status = source->take_traffic(source->self, &traffic, &n, err);
    if (!status && n && !(rows = portolan_calloc(n, sizeof *rows)))
        status = portolan_no_memory(err);
    if (!status && n && (n = list_traffic(r, traffic, n, rows))) {
        carry_traffic(&b, &rows, &n);
        status = portolan_block_take(&b, bytes, size, err);
    }
    free(traffic);
    free(rows);
    return status;
}

static enum portolan_status put_traffic(void *arg, int rank, const void *bytes, size_t size,
                                        struct portolan_error *err)
{
    struct portolan_recorder *r = arg;
    struct portolan_traffic *rows = NULL;
    struct portolan_block b;
    enum portolan_status status;
    size_t n;

    (void)rank;
    portolan_block_open(&b, bytes, size);
    carry_traffic(&b, &rows, &n);
    if (!(status = portolan_block_finish(&b, err)))
        status = portolan_store_put_traffic(r->store, r->trial, rows, n, err);
    free(rows);
    return status;
}

enum portolan_status step_put_traffic(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err)
{
    return gather_packed(r, status, pack_traffic, put_traffic, NULL, err);
}
