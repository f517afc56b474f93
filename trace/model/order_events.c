/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completes a trace: locations in order, events in order, begins and ends in pairs.
 *
 * Files may be cut, and sampled regions of other sources may overlap. For each location a stack
 * holds the regions and calls that are open. An end closes its own begin; begins inside it that are
 * still open are closed at the same time, and if their own ends follow later, these are dropped.
 * Ends without a begin are dropped, and what is open at the end is closed at the location's last
 * time. This is done twice, first to count the events, so that each location's place is known, and
 * then to write them; blocks are freed as they are read, so that a large trace is never in memory
 * twice.
 */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

/* Open regions and calls, the innermost last. */
struct open_stack {
    struct portolan_trace_event *open;
    size_t n, room;
    /* Regions that another one ended, which began before them; their own ends are dropped. */
    uint32_t *ended;
    size_t n_ended, ended_room;
};

/* The mended events of a location; OUT is NULL while they are only counted. */
struct mended {
    struct portolan_trace_event *out;
    size_t n;
    bool is_cut;
};

static void put(struct mended *m, const struct portolan_trace_event *e)
{
    if (m->out)
        m->out[m->n] = *e;
    m->n++;
}

static bool is_begin(unsigned kind)
{
    return kind == PORTOLAN_TRACE_ENTER || kind == PORTOLAN_TRACE_BEGIN;
}

static bool is_end(unsigned kind)
{
    return kind == PORTOLAN_TRACE_LEAVE || kind == PORTOLAN_TRACE_END;
}

/* Closes what is open down to N entries, at time NS. */
static void close_to(struct mended *m, struct open_stack *s, size_t n, int64_t ns)
{
    while (s->n > n) {
        const struct portolan_trace_event *begin = &s->open[--s->n];
        struct portolan_trace_event end = {.ns = ns, .what = begin->what};

        end.kind = begin->kind == PORTOLAN_TRACE_ENTER ? PORTOLAN_TRACE_LEAVE : PORTOLAN_TRACE_END;
        put(m, &end);
        m->is_cut = true;
    }
}

/* Returns the depth of the innermost open begin that E may end; 0: none. */
static size_t open_depth(const struct open_stack *s, unsigned kind, unsigned what, bool any_what)
{
    for (size_t i = s->n; i-- > 0;)
        if (s->open[i].kind == kind && (any_what || s->open[i].what == what))
            return i + 1;
    return 0;
}

static bool mend_begin(struct mended *m, struct open_stack *s, const struct portolan_trace_event *e)
{
    size_t call =
        e->kind == PORTOLAN_TRACE_BEGIN ? open_depth(s, PORTOLAN_TRACE_BEGIN, 0, true) : 0;

    if (call)
        close_to(m, s, call - 1, e->ns);
    if (!portolan_reserve(&s->open, &s->room, s->n + 1, sizeof *s->open))
        return false;
    s->open[s->n++] = *e;
    put(m, e);
    return true;
}

/* Closes the regions inside entry DEPTH with it; their own ends are still to come. */
static bool end_overlapping(struct mended *m, struct open_stack *s, size_t depth, int64_t ns)
{
    bool was_cut = m->is_cut;

    if (!portolan_reserve(&s->ended, &s->ended_room, s->n_ended + s->n - depth, sizeof *s->ended))
        return false;
    for (size_t i = depth; i < s->n; i++)
        s->ended[s->n_ended++] = s->open[i].what;
    close_to(m, s, depth, ns);
    m->is_cut = was_cut;
    return true;
}

static bool has_ended(struct open_stack *s, uint32_t what)
{
    for (size_t i = s->n_ended; i-- > 0;)
        if (s->ended[i] == what) {
            s->ended[i] = s->ended[--s->n_ended];
            return true;
        }
    return false;
}

static bool mend_end(struct mended *m, struct open_stack *s, const struct portolan_trace_event *e)
{
    bool is_region = e->kind == PORTOLAN_TRACE_LEAVE;
    unsigned begin = is_region ? PORTOLAN_TRACE_ENTER : PORTOLAN_TRACE_BEGIN;
    size_t depth = open_depth(s, begin, e->what, false);

    if (!depth) {
        m->is_cut |= !is_region || !has_ended(s, e->what);
        return true;
    }
    if (is_region && s->n > depth && open_depth(s, PORTOLAN_TRACE_BEGIN, 0, true) < depth &&
        !end_overlapping(m, s, depth, e->ns))
        return false;
    close_to(m, s, depth, e->ns);
    s->n--;
    put(m, e);
    return true;
}

static bool mend(const struct portolan_trace *t, struct mended *m, struct open_stack *s,
                 const struct event_blocks *blocks)
{
    const size_t sizes[] = {t->n_regions, t->n_routines, t->n_comms,
                            t->n_windows, t->n_names,    SIZE_MAX};
    int64_t last = 0;

    s->n = s->n_ended = 0;
    for (const struct event_block *block = blocks->first; block; block = block->next)
        for (size_t i = 0; i < block->n; i++) {
            const struct portolan_trace_event *e = &block->events[i];

            last = e->ns;
            if (e->kind < PORTOLAN_TRACE_KINDS &&
                (e->what >= sizes[portolan_trace_tables[e->kind]] || e->peer >= t->n_ranks))
                m->is_cut = true; /* it refers to an entry that does not exist */
            else if (!is_end(e->kind) && !is_begin(e->kind))
                put(m, e);
            else if (!(is_end(e->kind) ? mend_end(m, s, e) : mend_begin(m, s, e)))
                return false;
        }
    m->is_cut |= s->n_ended > 0;
    close_to(m, s, 0, last);
    return true;
}

static void merge(const struct portolan_trace_event *from, struct portolan_trace_event *to,
                  size_t first, size_t middle, size_t end)
{
    for (size_t a = first, b = middle, i = first; i < end; i++)
        to[i] = a < middle && (b >= end || from[a].ns <= from[b].ns) ? from[a++] : from[b++];
}

/* Makes one block in the order of time; events of one time keep their order. */
static bool sort_blocks(struct event_blocks *blocks)
{
    size_t n = blocks->n, bytes = sizeof(struct event_block);
    struct event_block *one = portolan_calloc(1, bytes + n * sizeof(struct portolan_trace_event));
    struct portolan_trace_event *other = portolan_calloc(n + 1, sizeof *other), *from, *to;

    if (!one || !other) {
        free(one);
        free(other);
        return false;
    }
    for (struct event_block *block = blocks->first; block; block = block->next) {
        memcpy(one->events + one->n, block->events, block->n * sizeof *other);
        one->n += block->n;
    }
    from = one->events;
    to = other;
    for (size_t width = 1; width < n; width *= 2) {
        struct portolan_trace_event *was = from;

        for (size_t i = 0; i < n; i += 2 * width)
            merge(from, to, i, i + width < n ? i + width : n,
                  i + 2 * width < n ? i + 2 * width : n);
        from = to;
        to = was;
    }
    if (from != one->events)
        memcpy(one->events, from, n * sizeof *other);
    free(other);
    trace_free_blocks(blocks);
    *blocks = (struct event_blocks){one, one, n, false};
    return true;
}

/* A location together with its events, so that both are sorted. */
struct located_events {
    struct portolan_trace_location location;
    struct event_blocks blocks;
};

static int by_rank_and_thread(const void *a, const void *b)
{
    const struct portolan_trace_location *x = &((const struct located_events *)a)->location;
    const struct portolan_trace_location *y = &((const struct located_events *)b)->location;

    return x->rank != y->rank ? PORTOLAN_ORDER(x->rank, y->rank)
                              : PORTOLAN_ORDER(x->thread, y->thread);
}

static bool order_locations(struct trace_builder *b)
{
    size_t n = b->trace.n_locations;
    struct located_events *places = portolan_calloc(n + 1, sizeof *places);

    if (!places)
        return false;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct located_events){b->trace.locations[i], b->blocks[i]};
    qsort(places, n, sizeof *places, by_rank_and_thread);
    for (size_t i = 0; i < n; i++) {
        b->trace.locations[i] = places[i].location;
        b->blocks[i] = places[i].blocks;
    }
    free(places);
    portolan_index_clear(&b->index[LOCATIONS]);
    return true;
}

/* Sorts and counts the events, and finds where each location's events will be. */
static bool measure(struct trace_builder *b, struct open_stack *s)
{
    struct portolan_trace *t = &b->trace;

    t->n_events = 0;
    for (size_t i = 0; i < t->n_locations; i++) {
        struct mended m = {0};

        if ((b->blocks[i].is_unordered && !sort_blocks(&b->blocks[i])) ||
            !mend(t, &m, s, &b->blocks[i]))
            return false;
        t->locations[i].first = t->n_events;
        t->locations[i].n = m.n;
        t->locations[i].is_cut |= m.is_cut;
        t->n_events += m.n;
    }
    return true;
}

static bool put_together(struct trace_builder *b, struct open_stack *s)
{
    struct portolan_trace *t = &b->trace;

    for (size_t i = 0; i < t->n_locations; i++) {
        struct mended m = {.out = t->events + t->locations[i].first};

        if (!mend(t, &m, s, &b->blocks[i]))
            return false;
        trace_free_blocks(&b->blocks[i]);
    }
    return true;
}

static void start_at_zero(struct portolan_trace *t)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < t->n_locations; i++)
        if (t->locations[i].n && t->events[t->locations[i].first].ns < least)
            least = t->events[t->locations[i].first].ns;
    for (size_t i = 0; i < t->n_events; i++)
        if (__builtin_sub_overflow(t->events[i].ns, least, &t->events[i].ns) ||
            t->events[i].ns > PORTOLAN_TRACE_MOST_NS)
            t->events[i].ns = PORTOLAN_TRACE_MOST_NS;
}

enum portolan_status portolan_trace_finish(struct portolan_trace *trace, struct portolan_error *err)
{
    struct trace_builder *b = (struct trace_builder *)trace;
    struct open_stack s = {0};
    bool ok = order_locations(b) && measure(b, &s);

    if (ok && trace->n_events >= UINT32_MAX) {
        free(s.open);
        free(s.ended);
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "%s has %zu events; at most %u can be processed", trace->source,
                                  trace->n_events, UINT32_MAX - 1);
    }
    /* not zeroed, so that its pages come into being while those of the blocks are freed */
    ok =
        ok &&
        (trace->events = portolan_reallocarray(NULL, trace->n_events + 1, sizeof *trace->events)) &&
        put_together(b, &s);
    free(s.open);
    free(s.ended);
    if (!ok)
        return portolan_no_memory(err);
    free(b->blocks);
    b->blocks = NULL;
    start_at_zero(trace);
    return PORTOLAN_OK;
}

int portolan_trace_missing_ranks(const struct portolan_trace *trace, int *first)
{
    size_t l = trace->n_locations; /* locations are in the order of ranks */
    int missing = 0;

    for (int rank = trace->n_ranks; rank-- > 0;) {
        bool is_known = false;

        for (; l > 0 && trace->locations[l - 1].rank == rank; l--)
            is_known |= trace->locations[l - 1].n || !trace->locations[l - 1].is_cut;
        if (!is_known) {
            missing++;
            *first = rank;
        }
    }
    return missing;
}
