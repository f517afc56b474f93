/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths, of the regions that were entered and the call of MPI inside; and their times. */
#include "internal.h"

#include <portolan/index.h>

enum { PROGRAM, GAP, FIRST_PATHS };

struct path_builder {
    struct portolan_waits *w;
    struct portolan_index index;
    size_t room;
};

/* Returns the path below PARENT; UINT32_MAX: no memory. */
static uint32_t path_below(struct path_builder *b, enum portolan_path_kind kind, uint32_t parent,
                           uint32_t what)
{
    const uint32_t key[] = {kind, parent, what}; /* the first members of a path */
    struct portolan_path *path = portolan_index_item(&b->index, &b->w->paths, &b->w->n_paths,
                                                     &b->room, sizeof *path, key, sizeof key);

    return path ? (uint32_t)(path - b->w->paths) : UINT32_MAX;
}

/* Finds the path after each event. Begins and ends are in pairs, so the path after an end is the
 * parent of the path before. */
static bool find_location_paths(struct path_builder *b, const struct portolan_trace_location *l)
{
    const struct portolan_trace_event *events = b->w->trace->events;
    uint32_t path = PROGRAM;

    for (size_t e = l->first; e < l->first + l->n; e++) {
        switch (events[e].kind) {
        case PORTOLAN_TRACE_ENTER:
        case PORTOLAN_TRACE_BEGIN:
            path = path_below(b,
                              events[e].kind == PORTOLAN_TRACE_ENTER ? PORTOLAN_PATH_REGION
                                                                     : PORTOLAN_PATH_CALL,
                              path, events[e].what);
            if (path == UINT32_MAX)
                return false;
            break;
        case PORTOLAN_TRACE_LEAVE:
        case PORTOLAN_TRACE_END:
            path = b->w->paths[path].parent;
            break;
        case PORTOLAN_TRACE_GAP:
            if (e > l->first)
                b->w->path[e - 1] = GAP;
            break;
        default:
            break;
        }
        b->w->path[e] = path;
    }
    return true;
}

bool find_paths(struct portolan_waits *w)
{
    struct path_builder b = {.w = w};
    bool ok = (w->path = portolan_arena_alloc(&w->arena, w->trace->n_events, sizeof *w->path)) &&
              path_below(&b, PORTOLAN_PATH_PROGRAM, PROGRAM, 0) == PROGRAM &&
              path_below(&b, PORTOLAN_PATH_GAP, GAP, 0) == GAP;

    for (size_t i = 0; ok && i < w->trace->n_locations; i++)
        ok = find_location_paths(&b, &w->trace->locations[i]);
    portolan_index_clear(&b.index);
    return ok;
}

void add_stretch(const struct portolan_waits *w, uint32_t e, uint32_t last, int64_t from_ns,
                 int64_t end_ns, int64_t sign, int64_t *by_path, size_t stride)
{
    const struct portolan_trace_event *events = w->trace->events;

    for (; e <= last && from_ns < end_ns; e++) {
        int64_t next = e == last || events[e + 1].ns > end_ns ? end_ns : events[e + 1].ns;

        if (next > from_ns) {
            by_path[w->path[e] * stride] += sign * (next - from_ns);
            from_ns = next;
        }
    }
}

void add_waiting(const struct portolan_waits *w, const struct portolan_wait *wait, int64_t sign,
                 int64_t *by_path, size_t stride)
{
    add_stretch(w, wait->is_polling ? wait->from : wait->call, wait->call, wait->begin_ns,
                wait->begin_ns + wait->ns, sign, by_path, stride);
}

static void sum_location(struct portolan_waits *w, size_t i)
{
    const struct portolan_trace_location *l = &w->trace->locations[i];
    const struct portolan_trace_event *events = w->trace->events;
    size_t n = w->trace->n_locations;

    for (size_t e = l->first; e + 1 < l->first + l->n; e++)
        w->path_ns[w->path[e] * n + i] += events[e + 1].ns - events[e].ns;
    for (size_t k = w->first_wait[i]; k < w->first_wait[i + 1]; k++)
        add_waiting(w, &w->waits[k], 1, w->path_waiting_ns + i, n);
}

static void sum_path(struct portolan_waits *w, size_t p)
{
    size_t n = w->trace->n_locations;
    struct portolan_path *path = &w->paths[p];
    const int64_t *ns = w->path_ns + p * n;

    for (size_t i = 0; i < n; i++) {
        path->n_locations += ns[i] > 0;
        path->ns += ns[i];
        path->waiting_ns += w->path_waiting_ns[p * n + i];
    }
}

bool sum_paths(struct portolan_waits *w)
{
    size_t n = w->trace->n_locations;

    w->path_ns = portolan_arena_alloc(&w->arena, w->n_paths * n, sizeof *w->path_ns);
    w->path_waiting_ns = portolan_arena_alloc(&w->arena, w->n_paths * n, sizeof *w->path_ns);
    if (w->arena.failed)
        return false;
    for (size_t i = 0; i < n; i++)
        sum_location(w, i);
    for (size_t p = 0; p < w->n_paths; p++)
        sum_path(w, p);
    return true;
}

bool portolan_path_starts_or_ends(const struct portolan_waits *w, size_t path)
{
    const struct portolan_path *p = &w->paths[path];
    uint8_t class =
        p->kind == PORTOLAN_PATH_CALL ? w->matching->classes[p->what] : PORTOLAN_ROUTINE_OTHER;

    return class == PORTOLAN_ROUTINE_INIT || class == PORTOLAN_ROUTINE_FINALIZE;
}

void portolan_path_add(const struct portolan_waits *w, uint32_t path, struct portolan_text *text)
{
    const struct portolan_trace *t = w->trace;
    const struct portolan_path *p = &w->paths[path];

    if (p->kind == PORTOLAN_PATH_PROGRAM || p->kind == PORTOLAN_PATH_GAP) {
        portolan_text_add(text, p->kind == PORTOLAN_PATH_GAP ? "a time that was not recorded"
                                                             : "the program");
        return;
    }
    if (w->paths[p->parent].kind != PORTOLAN_PATH_PROGRAM) {
        portolan_path_add(w, p->parent, text);
        portolan_text_add(text, "/");
    }
    portolan_text_add(text, "%s",
                      p->kind == PORTOLAN_PATH_CALL ? t->routines[p->what]
                                                    : t->regions[p->what].name);
}
