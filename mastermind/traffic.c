/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a trial: what the process has exchanged, less what it had when the trial began. */
#include "block.h"
#include "step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct packed_traffic {
    uint64_t calls, bytes;
    double time_ns;
    uint32_t routine;
    int32_t partner, received, unused;
};

void step_begin_traffic(struct portolan_recorder *r)
{
    const struct portolan_recorder_source *source = r->source;
    struct recorder_state *s = r->state;

    if (source->take_traffic &&
        source->take_traffic(source->self, &s->traffic, &s->n_traffic, NULL))
        s->n_traffic = 0;
}

static const struct portolan_probe_traffic *find_traffic(const struct recorder_state *s,
                                                         const struct portolan_probe_traffic *t)
{
    for (size_t i = 0; i < s->n_traffic; ++i)
        if (s->traffic[i].partner == t->partner && s->traffic[i].received == t->received &&
            !strcmp(s->traffic[i].routine, t->routine))
            return &s->traffic[i];
    return NULL;
}

static enum portolan_status fill_traffic(const struct recorder_state *s, struct block *b,
                                         const struct portolan_probe_traffic *traffic, size_t n)
{
    struct packed_traffic *rows = b->rows = portolan_calloc(n + 1, sizeof *rows);

    for (size_t i = 0; rows && i < n; ++i) {
        static const struct portolan_probe_traffic nothing;
        const struct portolan_probe_traffic *t = &traffic[i], *before = find_traffic(s, t);

        before = before ? before : &nothing;
        if (t->calls == before->calls && t->bytes == before->bytes)
            continue;
        rows[b->head.n++] = (struct packed_traffic){
            .calls = t->calls - before->calls,
            .bytes = t->bytes - before->bytes,
            .time_ns = fmax(t->time_ns - before->time_ns, 0),
            .routine = block_add_text(b, t->routine),
            .partner = t->partner,
            .received = t->received,
        };
    }
    return rows ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

static enum portolan_status pack_traffic(struct portolan_recorder *r, void **bytes, size_t *size,
                                         struct portolan_error *err)
{
    const struct portolan_recorder_source *source = r->source;
    struct portolan_probe_traffic *traffic = NULL;
    struct block b = {0};
    size_t n = 0;
    enum portolan_status status = PORTOLAN_OK;

    if (source->take_traffic)
        status = source->take_traffic(source->self, &traffic, &n, err);
    if (!status && n)
        status = fill_traffic(r->state, &b, traffic, n);
    if (!status && b.head.n)
        status = block_join(&b, sizeof(struct packed_traffic), bytes, size);
    if (status)
        portolan_error_set(err, status, "out of memory");
    free(traffic);
    block_clear(&b);
    return status;
}

static enum portolan_status put_traffic(void *arg, int rank, const void *bytes, size_t size,
                                        struct portolan_error *err)
{
    struct portolan_recorder *r = arg;
    struct portolan_traffic *traffic;
    const struct packed_traffic *rows;
    struct block b;
    enum portolan_status status;

    if ((status = block_look(&b, rank, bytes, size, sizeof *rows, err)))
        return status;
    rows = b.rows;
    if (!(traffic = portolan_calloc(b.head.n + 1, sizeof *traffic)))
        return portolan_no_memory(err);
    for (size_t i = 0; i < b.head.n; ++i)
        traffic[i] = (struct portolan_traffic){
            .rank = rank,
            .routine = block_peek_text(&b, rows[i].routine),
            .partner = rows[i].partner,
            .received = rows[i].received != 0,
            .calls = (int64_t)rows[i].calls,
            .time_ns = rows[i].time_ns,
            .bytes = (double)rows[i].bytes,
        };
    status = portolan_store_put_traffic(r->store, r->trial, traffic, b.head.n, err);
    free(traffic);
    return status;
}

enum portolan_status step_put_traffic(struct portolan_recorder *r, enum portolan_status status,
                                      struct portolan_error *err)
{
    return step_put_packed(r, status, pack_traffic, put_traffic, NULL, err);
}
