/* SPDX-License-Identifier: BSD-3-Clause */
/* Links events of a location that belong together: calls, requests, epochs of windows. */
#include "internal.h"

/* The state of one location. The tables of requests and windows hold events; entries that are
 * before the location are stale. */
struct linker {
    const struct portolan_trace *t;
    struct portolan_matching *m;
    uint32_t *requests;       /* the posting event, by number */
    uint32_t *starts, *posts; /* calls of MPI_Win_start and MPI_Win_post, by window */
    uint32_t first;           /* first event of the location */
};

/* The kind of event that completes one which is posted; 0: it posts nothing. */
static const uint8_t completions[PORTOLAN_TRACE_KINDS] = {
    [PORTOLAN_TRACE_SEND] = PORTOLAN_TRACE_SEND_DONE,
    [PORTOLAN_TRACE_RECV_POST] = PORTOLAN_TRACE_RECV,
    [PORTOLAN_TRACE_COLLECTIVE] = PORTOLAN_TRACE_COLLECTIVE_DONE,
};

/* Returns a table entry: event + 1, so that zeroed memory is empty. */
static uint32_t opened(const struct linker *x, uint32_t entry)
{
    return entry > x->first ? entry - 1 : no_event;
}

static void link_request(struct linker *x, uint32_t e)
{
    const struct portolan_trace_event *event = &x->t->events[e];
    uint32_t *entry = event->request <= x->t->n_events ? &x->requests[event->request] : NULL;
    uint32_t posted = entry ? opened(x, *entry) : no_event;

    if (completions[event->kind] && entry)
        *entry = e + 1;
    if (completions[event->kind] || posted == no_event ||
        (event->kind != PORTOLAN_TRACE_CANCELLED &&
         event->kind != completions[x->t->events[posted].kind]))
        return;
    x->m->other[posted] = e;
    x->m->other[e] = posted;
    *entry = 0;
}

/* Ends the accesses that CALL began, with event E of an MPI_Win_complete or MPI_Win_wait. */
static void end_accesses(struct linker *x, uint32_t call, uint32_t e)
{
    x->m->other[e] = call;
    if (call == no_event)
        return;
    for (uint32_t i = call + 1; x->t->events[i].kind != PORTOLAN_TRACE_END; i++)
        if (x->t->events[i].kind == PORTOLAN_TRACE_ACCESS)
            x->m->other[i] = x->m->call[e];
}

static void link_epoch(struct linker *x, uint32_t e)
{
    uint32_t window = x->t->events[e].what, call = x->m->call[e];
    enum portolan_trace_routine_class class = call_class(x->m, call);
    bool is_origin = class == PORTOLAN_ROUTINE_WIN_START || class == PORTOLAN_ROUTINE_WIN_COMPLETE;
    uint32_t *entry;

    if (window >= x->t->n_windows)
        return;
    entry = is_origin ? &x->starts[window] : &x->posts[window];
    switch (class) {
    case PORTOLAN_ROUTINE_WIN_START:
    case PORTOLAN_ROUTINE_WIN_POST:
        *entry = call + 1;
        return;
    case PORTOLAN_ROUTINE_WIN_COMPLETE:
    case PORTOLAN_ROUTINE_WIN_WAIT:
        end_accesses(x, opened(x, *entry), e);
        *entry = 0;
        return;
    default:
        return;
    }
}

static void link_event(struct linker *x, uint32_t e)
{
    const struct portolan_trace_event *event = &x->t->events[e];

    if (event->kind == PORTOLAN_TRACE_ACCESS || event->kind == PORTOLAN_TRACE_EPOCH)
        link_epoch(x, e);
    else if (event->kind < PORTOLAN_TRACE_SEND || event->kind > PORTOLAN_TRACE_COLLECTIVE_DONE)
        return;
    else if (event->request)
        link_request(x, e);
    else if (event->kind == PORTOLAN_TRACE_RECV)
        x->m->other[e] = x->m->call[e];
}

static void link_location(struct linker *x, const struct portolan_trace_location *l)
{
    uint32_t call = no_event;

    x->first = (uint32_t)l->first;
    for (uint32_t e = x->first; e < l->first + l->n; e++) {
        unsigned kind = x->t->events[e].kind;

        x->m->call[e] = call;
        if (kind == PORTOLAN_TRACE_BEGIN) {
            call = e;
        } else if (kind == PORTOLAN_TRACE_END && call != no_event) {
            x->m->call[call] = e;
            call = no_event;
        } else {
            link_event(x, e);
        }
    }
}

bool link_operations(struct portolan_matching *m)
{
    const struct portolan_trace *t = m->trace;
    struct portolan_arena arena = {0};
    struct linker x = {
        .t = t,
        .m = m,
        .requests = portolan_arena_alloc(&arena, t->n_events + 1, sizeof(uint32_t)),
        .starts = portolan_arena_alloc(&arena, t->n_windows + 1, sizeof(uint32_t)),
        .posts = portolan_arena_alloc(&arena, t->n_windows + 1, sizeof(uint32_t)),
    };
    bool ok = !arena.failed;

    for (size_t i = 0; ok && i < t->n_locations; i++)
        link_location(&x, &t->locations[i]);
    portolan_arena_clear(&arena);
    return ok;
}
