/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events of a location belong together: calls, requests, epochs of windows. */
#include "internal.h"

/* The table of requests and those of windows hold events; those before the location are stale. */
struct open_operations {
    uint32_t *requests;       /* posted, by number */
    uint32_t *starts, *posts; /* calls of MPI_Win_start and MPI_Win_post, by window */
    uint32_t first;           /* event of the location */
};

static bool completes(unsigned kind, unsigned posted)
{
    switch (kind) {
    case PORTOLAN_TRACE_SEND_DONE:
        return posted == PORTOLAN_TRACE_SEND;
    case PORTOLAN_TRACE_RECV:
        return posted == PORTOLAN_TRACE_RECV_POST;
    case PORTOLAN_TRACE_COLLECTIVE_DONE:
        return posted == PORTOLAN_TRACE_COLLECTIVE;
    default: /* cancelled */
        return true;
    }
}

/* A table entry: event + 1, so that zeroed memory is empty. */
static uint32_t opened(const struct open_operations *open, uint32_t entry)
{
    return entry > open->first ? entry - 1 : no_event;
}

static void link_request(const struct portolan_trace *t, struct portolan_matching *m,
                         struct open_operations *open, uint32_t e)
{
    const struct portolan_trace_event *event = &t->events[e];
    uint32_t *entry = event->request <= t->n_events ? &open->requests[event->request] : NULL;
    uint32_t posted = entry ? opened(open, *entry) : no_event;

    switch (event->kind) {
    case PORTOLAN_TRACE_SEND:
    case PORTOLAN_TRACE_RECV_POST:
    case PORTOLAN_TRACE_COLLECTIVE:
        if (entry)
            *entry = e + 1;
        return;
    default:
        if (posted == no_event || !completes(event->kind, t->events[posted].kind))
            return;
        m->other[posted] = e;
        m->other[e] = posted;
        *entry = 0;
    }
}

/* Ends with event E of an MPI_Win_complete or MPI_Win_wait the accesses that CALL began. */
static void end_accesses(const struct portolan_trace *t, struct portolan_matching *m, uint32_t call,
                         uint32_t e)
{
    uint32_t by = m->call[e];

    m->other[e] = call;
    if (call == no_event)
        return;
    for (uint32_t i = call + 1; t->events[i].kind != PORTOLAN_TRACE_END; i++)
        if (t->events[i].kind == PORTOLAN_TRACE_ACCESS)
            m->other[i] = by;
}

static void link_epoch(const struct portolan_trace *t, struct portolan_matching *m,
                       struct open_operations *open, uint32_t e)
{
    uint32_t window = t->events[e].what, call = m->call[e];

    if (window >= t->n_windows)
        return;
    switch (call_class(t, m, call)) {
    case PORTOLAN_ROUTINE_WIN_START:
        open->starts[window] = call + 1;
        return;
    case PORTOLAN_ROUTINE_WIN_POST:
        open->posts[window] = call + 1;
        return;
    case PORTOLAN_ROUTINE_WIN_COMPLETE:
        end_accesses(t, m, opened(open, open->starts[window]), e);
        open->starts[window] = 0;
        return;
    case PORTOLAN_ROUTINE_WIN_WAIT:
        end_accesses(t, m, opened(open, open->posts[window]), e);
        open->posts[window] = 0;
        return;
    default:
        return;
    }
}

static void link_event(const struct portolan_trace *t, struct portolan_matching *m,
                       struct open_operations *open, uint32_t e)
{
    switch (t->events[e].kind) {
    case PORTOLAN_TRACE_SEND:
    case PORTOLAN_TRACE_SEND_DONE:
    case PORTOLAN_TRACE_RECV_POST:
    case PORTOLAN_TRACE_RECV:
    case PORTOLAN_TRACE_CANCELLED:
    case PORTOLAN_TRACE_COLLECTIVE:
    case PORTOLAN_TRACE_COLLECTIVE_DONE:
        if (t->events[e].request)
            link_request(t, m, open, e);
        else if (t->events[e].kind == PORTOLAN_TRACE_RECV)
            m->other[e] = m->call[e];
        return;
    case PORTOLAN_TRACE_ACCESS:
    case PORTOLAN_TRACE_EPOCH:
        link_epoch(t, m, open, e);
        return;
    default:
        return;
    }
}

static void link_location(const struct portolan_trace *t, struct portolan_matching *m,
                          struct open_operations *open, size_t location)
{
    const struct portolan_trace_location *l = &t->locations[location];
    uint32_t call = no_event;

    open->first = (uint32_t)l->first;
    for (uint32_t e = open->first; e < l->first + l->n; e++) {
        unsigned kind = t->events[e].kind;

        m->call[e] = call;
        if (kind == PORTOLAN_TRACE_BEGIN) {
            call = e;
        } else if (kind == PORTOLAN_TRACE_END && call != no_event) {
            m->call[call] = e;
            call = no_event;
        } else {
            link_event(t, m, open, e);
        }
    }
}

bool link_operations(const struct portolan_trace *t, struct portolan_matching *m)
{
    struct portolan_arena arena = {0};
    struct open_operations open = {
        .requests = portolan_arena_alloc(&arena, t->n_events + 1, sizeof(uint32_t)),
        .starts = portolan_arena_alloc(&arena, t->n_windows + 1, sizeof(uint32_t)),
        .posts = portolan_arena_alloc(&arena, t->n_windows + 1, sizeof(uint32_t)),
    };
    bool ok = !arena.failed;

    for (size_t i = 0; ok && i < t->n_locations; i++)
        link_location(t, m, &open, i);
    portolan_arena_clear(&arena);
    return ok;
}
