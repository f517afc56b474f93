/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait states of one-sided communication with active targets (MPI 4.0, 12.5). */
#include "internal.h"

#include <string.h>

/* ------------------------------------------------- fences */

static void find_location_transfers(struct wait_finder *f, const struct portolan_trace_location *l,
                                    uint32_t *meetings)
{
    for (uint32_t e = (uint32_t)(l->first + l->n); e-- > l->first;) {
        const struct portolan_trace_event *event = &f->t->events[e];
        uint32_t slot;

        if (event->what >= f->t->n_windows)
            continue;
        if (event->kind == PORTOLAN_TRACE_EPOCH && f->m->partner[e] != no_event)
            meetings[event->what] = f->m->partner[e] + 1;
        if (event->kind != PORTOLAN_TRACE_TRANSFER || !meetings[event->what])
            continue;
        slot = collective_slot(f->m, &f->m->collectives[meetings[event->what] - 1], event->peer);
        if (slot != no_event)
            take_later(f, f->m->call[e], &f->last_transfers[slot]);
    }
}

void find_transfers(struct wait_finder *f)
{
    size_t n = f->t->n_windows, n_members = n ? f->m->n_members : 0;
    /* the next meeting of each window, + 1 */
    uint32_t *meetings = portolan_arena_alloc(&f->arena, n + 1, sizeof *meetings);

    f->starts = portolan_arena_alloc(&f->arena, n + 1, sizeof *f->starts);
    f->last_transfers = portolan_arena_alloc(&f->arena, n_members + 1, sizeof *f->last_transfers);
    if (f->arena.failed || !n)
        return;
    memset(f->last_transfers, 0xff, n_members * sizeof *f->last_transfers);
    for (size_t i = 0; i < f->t->n_locations; i++) {
        memset(meetings, 0, n * sizeof *meetings);
        find_location_transfers(f, &f->t->locations[i], meetings);
    }
}

/* Finds a fence's wait: for the last transfer to this rank, then for the rank that comes last. */
static void find_fence_wait(struct wait_finder *f, const struct waiting_call *call, uint32_t e,
                            bool is_fence)
{
    const struct portolan_collective *c;
    int64_t from = call->begin_ns;
    uint32_t slot, transfer;

    if (f->m->partner[e] == no_event || !(c = &f->m->collectives[f->m->partner[e]])->is_complete)
        return;
    slot = collective_slot(f->m, c, f->rank);
    transfer = slot == no_event ? no_event : f->last_transfers[slot];
    if (transfer != no_event && begin_ns(f, transfer) > from) {
        note_wait(f, call, is_fence ? PORTOLAN_WAIT_EARLY_FENCE : PORTOLAN_WAIT_EARLY_FREE,
                  transfer, from, begin_ns(f, transfer));
        from = begin_ns(f, transfer);
    }
    if (c->first_end_ns >= c->last_ns) /* otherwise the call did not synchronise */
        note_wait(f, call, is_fence ? PORTOLAN_WAIT_FENCE : PORTOLAN_WAIT_CREATE, c->last, from,
                  c->last_ns);
}

/* ------------------------------------------------- post, start, complete, wait */

/* Returns the last post for which the accesses of START wait: of all ranks, or of PEER alone. */
static uint32_t last_post(const struct wait_finder *f, uint32_t start, int peer)
{
    uint32_t last = no_event;

    for (uint32_t e = start + 1; e < f->m->call[start]; e++) {
        uint32_t access = f->m->partner[e];

        if (f->t->events[e].kind == PORTOLAN_TRACE_ACCESS && access != no_event &&
            (peer < 0 || f->t->events[e].peer == peer))
            take_later(f, f->m->call[access], &last);
    }
    return last;
}

/* Finds the wait for a late post: the origin waits in whichever call of its epoch MPI blocks it. */
static void find_late_post(struct wait_finder *f, const struct waiting_call *call, uint32_t start,
                           int peer)
{
    uint32_t post = start == no_event ? no_event : last_post(f, start, peer);

    if (post != no_event && begin_ns(f, post) <= call->end_ns)
        note_wait(f, call, PORTOLAN_WAIT_LATE_POST, post, call->begin_ns, begin_ns(f, post));
}

/* Returns the last transfer between START and COMPLETE of an origin towards this rank. */
static uint32_t last_transfer(const struct wait_finder *f, uint32_t start, uint32_t complete,
                              unsigned window)
{
    for (uint32_t e = complete; e-- > start;)
        if (f->t->events[e].kind == PORTOLAN_TRACE_TRANSFER && f->t->events[e].what == window &&
            f->t->events[e].peer == f->rank)
            return f->m->call[e];
    return no_event;
}

/* Finds a target's waits: until all transfers have ended, then until all origins completed. */
static void find_wait_wait(struct wait_finder *f, const struct waiting_call *call, uint32_t post,
                           unsigned window)
{
    uint32_t last = no_event, transfer = no_event;
    int64_t transferred = INT64_MIN;

    for (uint32_t e = post + 1; post != no_event && e < f->m->call[post]; e++) {
        uint32_t access = f->m->partner[e], complete, sent;

        if (f->t->events[e].kind != PORTOLAN_TRACE_ACCESS || access == no_event ||
            (complete = f->m->other[access]) == no_event)
            continue;
        take_later(f, complete, &last);
        sent = last_transfer(f, f->m->call[access], complete, window);
        if (sent != no_event && f->t->events[f->m->call[sent]].ns > transferred) {
            transferred = f->t->events[f->m->call[sent]].ns;
            transfer = sent;
        }
    }
    if (last == no_event)
        return;
    if (transferred > begin_ns(f, last))
        transferred = begin_ns(f, last);
    note_wait(f, call, PORTOLAN_WAIT_EARLY_WAIT, transfer, call->begin_ns, transferred);
    note_wait(f, call, PORTOLAN_WAIT_LATE_COMPLETE, last, transferred, begin_ns(f, last));
}

void find_window_wait(struct wait_finder *f, const struct waiting_call *call, uint32_t e)
{
    const struct portolan_trace_event *event = &f->t->events[e];
    uint32_t *start;

    if (event->what >= f->t->n_windows)
        return;
    start = &f->starts[event->what];
    switch (call_class(f->m, call->call)) {
    case PORTOLAN_ROUTINE_FENCE:
    case PORTOLAN_ROUTINE_CREATE:
        find_fence_wait(f, call, e, call_class(f->m, call->call) == PORTOLAN_ROUTINE_FENCE);
        return;
    case PORTOLAN_ROUTINE_WIN_START:
        *start = call->call + 1;
        find_late_post(f, call, call->call, -1);
        return;
    case PORTOLAN_ROUTINE_TRANSFER:
        if (*start > f->first)
            find_late_post(f, call, *start - 1, event->peer);
        return;
    case PORTOLAN_ROUTINE_WIN_COMPLETE:
        *start = 0;
        find_late_post(f, call, f->m->other[e], -1);
        return;
    case PORTOLAN_ROUTINE_WIN_WAIT:
        find_wait_wait(f, call, f->m->other[e], event->what);
        return;
    default:
        return;
    }
}
