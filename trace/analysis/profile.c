/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <string.h>

enum { LEAST_EVERY = 256, EVENTS_PER_PATH = 8, PROGRAM = 0 };

void path_times_prepare(struct path_times *x, struct portolan_arena *arena, size_t n_paths)
{
    x->ns = portolan_arena_alloc(arena, n_paths, sizeof *x->ns);
    x->paths = portolan_arena_alloc(arena, n_paths, sizeof *x->paths);
    x->has = portolan_arena_alloc(arena, n_paths, sizeof *x->has);
}

void path_times_empty(struct path_times *x)
{
    for (size_t i = 0; i < x->n_paths; i++) {
        x->ns[x->paths[i]] = 0;
        x->has[x->paths[i]] = false;
    }
    x->n_paths = 0;
}

static void note_path(struct path_times *x, size_t path)
{
    if (!x->has[path])
        x->paths[x->n_paths++] = (uint32_t)path;
    x->has[path] = true;
}

static void add_time(struct path_times *x, size_t path, int64_t ns)
{
    if (ns)
        note_path(x, path);
    x->ns[path] += ns;
}

void profile_prepare(struct path_profile *p, struct portolan_arena *arena,
                     const struct portolan_waits *w)
{
    const struct portolan_trace *t = w->trace;
    const struct portolan_trace_event *events = t->events;
    size_t n = w->n_paths, bytes = n * sizeof(int64_t), at = 0;
    int64_t *now = portolan_arena_alloc(arena, 2 * n, sizeof *now);

    *p = (struct path_profile){.w = w, .every = EVENTS_PER_PATH * n};
    p->every = p->every < LEAST_EVERY ? LEAST_EVERY : p->every;
    p->first_sum = portolan_arena_alloc(arena, t->n_locations + 1, sizeof *p->first_sum);
    for (size_t i = 0; p->first_sum && i < t->n_locations; i++) {
        p->first_sum[i] = p->n_sums;
        p->n_sums += t->locations[i].n / p->every + 1;
    }
    p->sums = portolan_arena_alloc(arena, p->n_sums + 1, bytes);
    p->waiting_sums = portolan_arena_alloc(arena, p->n_sums + 1, bytes);
    if (arena->failed)
        return;
    for (size_t i = 0; i < t->n_locations; i++) {
        size_t first = t->locations[i].first, wait = w->first_wait[i];

        memset(now, 0, 2 * bytes);
        for (size_t e = first; e <= first + t->locations[i].n; e++) {
            if ((e - first) % p->every == 0) {
                for (; wait < w->first_wait[i + 1] && w->waits[wait].call < e; wait++)
                    add_waiting(w, &w->waits[wait], 1, now + n, 1);
                memcpy(p->sums + at * n, now, bytes);
                memcpy(p->waiting_sums + at++ * n, now + n, bytes);
            }
            if (e + 1 < first + t->locations[i].n)
                now[w->path[e]] += events[e + 1].ns - events[e].ns;
        }
    }
}

/* Returns the last sum noted before event E of LOCATION, and its event. */
static size_t sum_before(const struct path_profile *p, size_t location, uint32_t e, uint32_t *event)
{
    size_t first = p->w->trace->locations[location].first, k = (e - first) / p->every;

    *event = (uint32_t)(first + k * p->every);
    return p->first_sum[location] + k;
}

static void add_sums(const struct path_profile *p, const int64_t *sums, size_t from, size_t to,
                     int64_t sign, struct path_times *x)
{
    size_t n = p->w->n_paths;

    for (size_t path = 0; path < n; path++)
        add_time(x, path, sign * (sums[to * n + path] - sums[from * n + path]));
}

static void add_events(const struct path_profile *p, uint32_t from, uint32_t to, int64_t sign,
                       struct path_times *x)
{
    const struct portolan_trace_event *events = p->w->trace->events;

    for (uint32_t e = from; e < to; e++)
        add_time(x, p->w->path[e], sign * (events[e + 1].ns - events[e].ns));
}

void profile_add(const struct path_profile *p, size_t location, struct moment from,
                 struct moment to, int64_t sign, struct path_times *x)
{
    const struct portolan_trace_event *events = p->w->trace->events;
    uint32_t from_sum, to_sum;
    size_t a = sum_before(p, location, from.at, &from_sum);
    size_t b = sum_before(p, location, to.at, &to_sum);

    if (b > a + 1) {
        add_events(p, from_sum, from.at, -sign, x);
        add_sums(p, p->sums, a, b, sign, x);
        add_events(p, to_sum, to.at, sign, x);
    } else {
        add_events(p, from.at, to.at, sign, x);
    }
    /* Before its first event a location is in the program, which has not begun yet. */
    if (from.ns < events[from.at].ns)
        add_time(x, PROGRAM, sign * (events[from.at].ns - from.ns));
    else
        add_time(x, p->w->path[from.at], -sign * (from.ns - events[from.at].ns));
    add_time(x, p->w->path[to.at], sign * (to.ns - events[to.at].ns));
}

void profile_subtract_waits(const struct path_profile *p, size_t location, size_t first, size_t end,
                            struct path_times *x)
{
    const struct portolan_wait *waits = p->w->waits;
    size_t begin = first, stop = first;
    uint32_t event;

    if (end - first > p->every / 2) {
        size_t a = sum_before(p, location, waits[first].call, &event) + 1, b;

        begin = first_wait_from(p->w, first, end, event + (uint32_t)p->every);
        b = sum_before(p, location, waits[end - 1].call, &event);
        stop = first_wait_from(p->w, begin, end, event);
        if (b > a)
            add_sums(p, p->waiting_sums, a, b, -1, x);
        else
            stop = begin;
    }
    for (size_t i = first; i < end; i++) {
        if (i == begin)
            i = stop;
        if (i >= end)
            break;
        for (uint32_t e = waits[i].from; e <= waits[i].call; e++)
            note_path(x, p->w->path[e]);
        add_waiting(p->w, &waits[i], -1, x->ns, 1);
    }
}
