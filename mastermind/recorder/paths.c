/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder_internal.h"

#include <math.h>
#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
    const struct paths_entry *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

void paths_close(struct paths *p)
{
    portolan_probe_snapshot_clear(&p->snapshot);
    piece_clear(&p->piece);
    free(p->entries);
    *p = (struct paths){0};
}

enum portolan_status paths_open(struct paths *p, const struct portolan_recorder_source *source,
                                int rank, struct portolan_error *err)
{
    enum portolan_status status;
    struct portolan_probe_snapshot *s = &p->snapshot;

    paths_close(p);
    p->source = source;
    p->rank = rank;
    if ((status = source->take(source->self, s, err)))
        return status;
    portolan_probe_snapshot_select(s, false);
    if (!(p->entries = portolan_calloc(s->count + 1, sizeof *p->entries)) ||
        piece_find_counters(source, &p->piece))
        return portolan_no_memory(err);
    for (size_t i = 0; i < s->count; ++i)
        p->entries[i] = (struct paths_entry){.id = s->records[i].id, .record = i, .position = -1};
    qsort(p->entries, s->count, sizeof *p->entries, by_id);
    return PORTOLAN_OK;
}

void paths_empty(struct paths *p)
{
    p->piece.n = 0;
    for (size_t i = 0; i < p->snapshot.count; ++i)
        p->entries[i].position = -1;
}

static struct paths_entry *find(const struct paths *p, uint64_t id)
{
    const struct paths_entry key = {.id = id};

    return p->entries ? bsearch(&key, p->entries, p->snapshot.count, sizeof key, by_id) : NULL;
}

const struct portolan_probe_record *paths_peek(const struct paths *p, uint64_t id)
{
    const struct paths_entry *e = find(p, id);

    return e ? &p->snapshot.records[e->record] : NULL;
}

static bool is_root(const struct portolan_probe_record *r)
{
    return r->parent < 0;
}

static enum portolan_status add(struct paths *p, struct paths_entry *e, int64_t parent)
{
    const struct portolan_probe_record *r = &p->snapshot.records[e->record];

    if (piece_reserve(&p->piece, p->piece.n + 1))
        return PORTOLAN_ENOMEM;
    e->position = (int64_t)p->piece.n;
    p->piece.handles[p->piece.n] = r->handle;
    piece_name(&p->piece.samples[p->piece.n++], p->source, &p->piece, p->rank, parent, r);
    return PORTOLAN_OK;
}

enum portolan_status paths_find(struct paths *p, uint64_t id, int64_t *position)
{
    struct paths_entry *e = find(p, id), *way = NULL;
    enum portolan_status status = PORTOLAN_OK;

    *position = -1;
    for (; e && e->position < 0;
         e = find(p, p->snapshot.records[p->snapshot.records[e->record].parent].id)) {
        const struct portolan_probe_record *r = &p->snapshot.records[e->record];

        if (is_root(r))
            break;
        if (r->handle == PORTOLAN_PROBE_HANDLE_OWN)
            return PORTOLAN_OK;
        e->below = way;
        way = e;
    }
    if (e)
        *position = e->position;
    for (; way && !status; way = way->below) {
        status = add(p, way, *position);
        *position = way->position;
    }
    return status;
}
