/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns the events of one stream, with the entries that they refer to, into events of the trace. */
#include "stream_reader.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NUMBERS ((size_t)1 << 20)

struct event_reader {
    struct reading *reading;
    struct stream_file *file;
    struct number_map maps[PORTOLAN_TRACE_TABLES];
    uint32_t routine; /* routine of the call that runs */
    bool misses_definitions;
};

static bool map_number(struct number_map *m, uint64_t number, size_t entry)
{
    if (number >= MOST_NUMBERS)
        return true; /* events that refer to it will be dropped */
    if (!portolan_reserve(&m->entry, &m->room, number + 1, sizeof *m->entry) || entry == SIZE_MAX)
        return false;
    while (m->n <= number)
        m->entry[m->n++] = 0;
    m->entry[number] = entry + 1;
    return true;
}

/* Adds neighbours as each member has recorded its own; threads of a rank recorded the same. */
static bool add_neighbours(const struct reading *r, size_t entry)
{
    uint64_t id = r->trace->comms[entry].id;

    for (size_t i = 0; i < r->n_neighbours; i++) {
        const struct neighbours *of = &r->neighbours[i];

        if (of->id == id && !portolan_trace_neighbours(r->trace, entry, of->rank, of->ranks, of->n))
            return false;
    }
    return true;
}

/* Returns whether a communicator was defined before: each block defines its communicators again,
 * and to compose the neighbours again would take long. */
static bool is_defined_again(const struct event_reader *e,
                             const struct portolan_stream_definition *d)
{
    const struct number_map *m = &e->maps[PORTOLAN_TRACE_COMMS];
    size_t entry = d->number[0] < m->n ? m->entry[d->number[0]] : 0;

    return entry && e->reading->trace->comms[entry - 1].id == d->number[1];
}

static size_t define_comm(const struct reading *r, unsigned kind,
                          const struct portolan_stream_definition *d)
{
    struct portolan_trace_comm c = {
        .id = d->number[1],
        .n_members = d->n_list[0],
        .members = d->list[0],
        .n_remote = d->n_list[1],
        .remote = d->list[1],
    };
    size_t entry;

    if (kind == PORTOLAN_STREAM_WINDOW)
        return portolan_trace_window(r->trace, &c);
    entry = portolan_trace_comm(r->trace, &c);
    return entry < SIZE_MAX && add_neighbours(r, entry) ? entry : SIZE_MAX;
}

static size_t define_region(struct portolan_trace *t, const struct portolan_stream_definition *d)
{
    return portolan_trace_region(t, &(struct portolan_trace_region){
                                        .kind = d->number[1] <= PORTOLAN_TRACE_FUNCTION
                                                    ? (enum portolan_trace_region_kind)d->number[1]
                                                    : PORTOLAN_TRACE_FUNCTION,
                                        .name = d->text[0],
                                        .user = d->text[1],
                                        .port = d->text[2],
                                        .provider = d->text[3],
                                    });
}

static bool define(struct event_reader *e, unsigned kind,
                   const struct portolan_stream_definition *d)
{
    struct portolan_trace *t = e->reading->trace;
    size_t entry;

    switch (kind) {
    case PORTOLAN_STREAM_REGION:
        entry = define_region(t, d);
        break;
    case PORTOLAN_STREAM_ROUTINE:
        entry = portolan_trace_routine(t, d->text[0]);
        break;
    case PORTOLAN_STREAM_NAME:
        entry = portolan_trace_name(t, d->text[0]);
        break;
    case PORTOLAN_STREAM_COMM:
    case PORTOLAN_STREAM_WINDOW:
        if (kind == PORTOLAN_STREAM_COMM && is_defined_again(e, d))
            return true;
        entry = define_comm(e->reading, kind, d);
        break;
    default:
        return true;
    }
    return map_number(&e->maps[kind - PORTOLAN_STREAM_REGION], d->number[0], entry);
}

/* Finds the entry that the event refers to; false: it was never defined. */
static bool resolve(const struct event_reader *e, const struct stream_record *r, uint32_t *what)
{
    const struct number_map *m = &e->maps[portolan_trace_tables[r->kind]];

    *what = r->kind == PORTOLAN_TRACE_END ? e->routine : 0;
    if (!(portolan_stream_fields[r->kind] & PORTOLAN_STREAM_WHAT))
        return true;
    if (r->what >= m->n || !m->entry[r->what])
        return false;
    *what = (uint32_t)(m->entry[r->what] - 1) & 0xffffff;
    return true;
}

/* Renumbers requests, so that there are at most as many as events. */
static uint32_t number_request(struct event_reader *e, uint64_t request)
{
    struct reading *r = e->reading;

    if (!request || request >= MOST_NUMBERS)
        return 0;
    if (r->requests_rank != e->file->rank)
        r->requests.n = r->n_requests = 0;
    r->requests_rank = e->file->rank;
    if ((request >= r->requests.n || !r->requests.entry[request]) &&
        !map_number(&r->requests, request, r->n_requests++))
        return 0;
    return (uint32_t)r->requests.entry[request];
}

static bool is_rank(const struct portolan_trace *t, const struct stream_record *r)
{
    int least = r->kind == PORTOLAN_TRACE_SEND ? PORTOLAN_TRACE_NONE : PORTOLAN_TRACE_ANY;

    return r->peer >= least && r->peer < t->n_ranks;
}

static int64_t time_of(const struct stream_file *f, uint64_t ticks)
{
    double ns = f->origin_ns + (double)(int64_t)(ticks - f->origin_ticks) * f->tick_ns;

    return ns < 0 ? 0 : ns > 4e18 ? (int64_t)4e18 : (int64_t)llround(ns);
}

static bool add_event(struct event_reader *e, const struct stream_record *r)
{
    const struct stream_file *f = e->file;
    uint32_t what;

    if (!resolve(e, r, &what) || !is_rank(e->reading->trace, r)) {
        e->misses_definitions = true;
        return true;
    }
    if (r->kind == PORTOLAN_TRACE_BEGIN)
        e->routine = what;
    return portolan_trace_add(e->reading->trace, (int)f->rank, (int)f->thread,
                              &(struct portolan_trace_event){
                                  .ns = time_of(f, r->ticks),
                                  .bytes = r->bytes,
                                  .request = number_request(e, r->request),
                                  .peer = (int32_t)r->peer,
                                  .tag = (int32_t)r->tag,
                                  .kind = r->kind & 0xff,
                                  .what = what & 0xffffff,
                              });
}

void stream_read_events(struct reading *r, struct stream_file *f)
{
    struct event_reader e = {.reading = r, .file = f};
    struct portolan_trace_location *at =
        portolan_trace_locate(r->trace, (int)f->rank, (int)f->thread, f->host);
    bool ok = at && portolan_trace_set_clock(r->trace, at, stream_clock_of(f));
    struct stream_record record;

    while (ok && stream_next(&f->decoder, &record))
        ok = record.is_definition ? define(&e, record.kind, &record.definition)
                                  : add_event(&e, &record);
    if (e.misses_definitions)
        portolan_diagnose(r->diagnostics, f->path, 0, 0,
                          "events refer to what is not defined; they are left out");
    ok = ok && !f->decoder.is_out_of_memory &&
         (at = portolan_trace_locate(r->trace, (int)f->rank, (int)f->thread, f->host));
    if (ok) {
        at->is_cut |= f->decoder.is_cut || e.misses_definitions;
        at->lost += f->decoder.lost;
    }
    r->is_out_of_memory |= !ok;
    for (int i = 0; i < PORTOLAN_TRACE_TABLES; i++)
        free(e.maps[i].entry);
}
