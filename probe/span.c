/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are running when records are emptied, or while Portolan works for itself: when they
 * began, and what of their time has been told already.
 */
#include "internal.h"

enum portolan_status probe_spans_reserve(struct probe_thread *t)
{
    if (!t->spans)
        t->spans = probe_frames_map(sizeof *t->spans);
    return t->spans ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/* Frames are used again by other calls, which begin later. */
static struct probe_span *span_of(struct probe_thread *t, const struct portolan_probe_frame *f)
{
    struct probe_span *s = &t->spans[f - t->hot.frames];

    if (s->start != f->start)
        *s = (struct probe_span){.start = f->start, .began = f->start};
    return s;
}

static bool is_timed_call(const struct portolan_probe_frame *f)
{
    return probe_frame_is_measured(f) && !(f->mark & PORTOLAN_PROBE_UNTIMED);
}

void probe_spans_shift(struct probe_thread *t, const struct portolan_probe_frame *end,
                       uint64_t elapsed)
{
    bool known = probe_spans_reserve(t) == PORTOLAN_OK; /* else a row begins later */

    for (struct portolan_probe_frame *f = t->hot.frames + 1; f < end; f++) {
        struct probe_span *s;

        if (!is_timed_call(f))
            continue;
        s = known ? span_of(t, f) : NULL;
        f->start += elapsed;
        if (s)
            s->start = f->start;
    }
}

uint64_t probe_span_began(const struct probe_thread *t, const struct portolan_probe_frame *f)
{
    const struct probe_span *s = t->spans ? &t->spans[f - t->hot.frames] : NULL;

    return s && s->start == f->start ? s->began : f->start;
}

/* Modulo 2^64: the record is whole again when the call has ended. */
static void take_off(struct portolan_probe_node *node, uint64_t inclusive, uint64_t exclusive)
{
    portolan_probe_add(&node->inclusive, -inclusive);
    portolan_probe_add(&node->exclusive, -exclusive);
}

void probe_spans_move(struct probe_thread *t, const struct portolan_probe_frame *f,
                      struct portolan_probe_node *to)
{
    const struct probe_span *s = t->spans ? &t->spans[f - t->hot.frames] : NULL;

    if (!s || s->start != f->start)
        return;
    take_off(f->node, -s->inclusive, -s->exclusive);
    take_off(to, s->inclusive, s->exclusive);
}

void probe_span_drop(struct probe_thread *t, const struct portolan_probe_frame *f)
{
    struct probe_span *s = t->spans ? &t->spans[f - t->hot.frames] : NULL;

    if (!s || s->start != f->start)
        return;
    take_off(f->node, -s->inclusive, -s->exclusive);
    s->inclusive = s->exclusive = 0;
}

/* Time that passes in a pause which is not over counts in no call. */
static void end_pause_at(struct probe_thread *t, uint64_t now)
{
    uint64_t paused;

    if (!t->pause || t->pause >= t->hot.top)
        return;
    paused = now - t->pause->start;
    t->pause_sum += paused;
    probe_spans_shift(t, t->pause, paused);
    if (t->mpi_depth > 0)
        t->mpi_start += paused;
    t->pause->start = now;
    t->pause->child = 0;
}

void probe_spans_begin(struct probe_thread *t)
{
    uint64_t now = portolan_probe_now(), above = now; /* start of the call made from this one */

    end_pause_at(t, now);
    for (struct portolan_probe_frame *f = t->hot.top - 1; f > t->hot.frames; f--) {
        struct probe_span *s;

        if (!probe_frame_is_measured(f) || f == t->pause)
            continue;
        if (f->mark & PORTOLAN_PROBE_UNTIMED) {
            above = now;
            continue;
        }
        s = span_of(t, f);
        if (!(f->node->method & PORTOLAN_PROBE_PROFILED)) { /* else the record goes on, too */
            uint64_t inclusive = now - f->start, exclusive = above - f->start - f->child;

            if (f->node->carry) {
                portolan_probe_add(&f->node->carry->inclusive, inclusive);
                portolan_probe_add(&f->node->carry->exclusive, exclusive);
            }
            take_off(f->node, inclusive, exclusive);
            s->inclusive = inclusive;
            s->exclusive = exclusive;
        }
        above = f->start;
    }
}
