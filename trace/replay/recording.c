/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds what recording cost the calls of a trace, from those calls that contain it. A replay
 * removes it, so that ranks do not wait longer for a rank because that was recorded longer (Malony,
 * Reed, Wijshoff: Performance measurement intrusion and perturbation analysis, IEEE TPDS 3(4),
 * 1992).
 */
#include "engine.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cost that a call contains; all BEFORE are of routine n_routines. */
struct cost_sample {
    size_t routine;
    double ns; /* AFTER: for each event but the first, since a call with many takes longer */
};

static int by_cost(const void *a, const void *b)
{
    const struct cost_sample *x = a, *y = b;
    int order = PORTOLAN_ORDER(x->routine, y->routine);

    return order ? order : PORTOLAN_ORDER(x->ns, y->ns);
}

static bool is_cost(const struct portolan_trace *t, const struct portolan_trace_event *e,
                    const char *name)
{
    return e->kind == PORTOLAN_TRACE_VALUE && !strcmp(t->names[e->what], name);
}

/* Collects *SAMPLES in the arena. */
static size_t collect(const struct portolan_trace *t, const struct portolan_matching *m,
                      struct portolan_arena *arena, struct cost_sample **samples)
{
    uint32_t end = PORTOLAN_NO_EVENT;
    size_t n = 0;

    for (uint32_t e = 0; e < t->n_events; e++) {
        const struct portolan_trace_event *event = &t->events[e];
        struct cost_sample new = {t->n_routines, portolan_trace_value(event)};

        if (event->kind == PORTOLAN_TRACE_END)
            end = e;
        if (!isfinite(new.ns) || new.ns < 0) /* the trace is damaged */
            continue;
        if (end != PORTOLAN_NO_EVENT && is_cost(t, event, PORTOLAN_TRACE_COST_AFTER)) {
            new.routine = t->events[end].what;
            new.ns /= end - m->call[end];
        } else if (!is_cost(t, event, PORTOLAN_TRACE_COST_BEFORE)) {
            continue;
        }
        if (!portolan_arena_append(arena, samples, &n, &new, sizeof new))
            return 0;
    }
    if (n)
        qsort(*samples, n, sizeof **samples, by_cost);
    return n;
}

/* Returns the mean, since the clock's ticks may be longer than what is measured, without those far
 * above nine tenths of them: there the thread lost its processor. */
static double usual_cost(const struct cost_sample *samples, size_t n)
{
    double most = 3 * samples[(n - 1) * 9 / 10].ns, sum = 0;
    size_t k = 0;

    for (; k < n && samples[k].ns <= most; k++)
        sum += samples[k].ns;
    return sum / (double)k;
}

bool recording_cost_find(const struct portolan_trace *t, const struct portolan_matching *m,
                         struct portolan_arena *arena, struct recording_cost *cost)
{
    struct cost_sample *samples = NULL;
    size_t n = collect(t, m, arena, &samples), end;

    cost->event_ns = portolan_arena_alloc(arena, t->n_routines + 1, sizeof *cost->event_ns);
    for (size_t first = 0; cost->event_ns && first < n; first = end) {
        size_t routine = samples[first].routine;

        for (end = first; end < n && samples[end].routine == routine; end++)
            ;
        cost->event_ns[routine] = usual_cost(&samples[first], end - first);
    }
    if (arena->failed)
        return false;
    cost->begin_ns = (int64_t)(cost->event_ns[t->n_routines] + 0.5);
    return true;
}

/* Returns what storing took at E; 0: this is no such value, or a damaged one. */
static int64_t storing_ns(const struct portolan_trace *t, uint32_t e)
{
    double ns = is_cost(t, &t->events[e], PORTOLAN_TRACE_COST_BLOCK)
                    ? portolan_trace_value(&t->events[e])
                    : 0;

    return ns > 0 && ns < (double)PORTOLAN_TRACE_MOST_NS ? (int64_t)ns : 0;
}

void recording_cost_move(struct portolan_trace *t, const struct portolan_matching *m)
{
    for (size_t l = 0; l < t->n_locations; l++)
        for (size_t i = 0; i + 1 < t->locations[l].n; i++) {
            uint32_t e = (uint32_t)(t->locations[l].first + i), begin = e + 1;
            int64_t late = storing_ns(t, e);

            if (!late || t->events[begin].kind != PORTOLAN_TRACE_BEGIN ||
                m->call[begin] == PORTOLAN_NO_EVENT)
                continue;
            late += t->events[begin].ns;
            if (late > t->events[m->call[begin]].ns)
                late = t->events[m->call[begin]].ns;
            for (uint32_t k = begin; k < m->call[begin] && t->events[k].ns < late; k++)
                t->events[k].ns = late;
        }
}

/* Removes what recording the previous call, and storing, took of the time between calls. */
void recording_cost_remove(const struct portolan_trace *t, const struct portolan_matching *m,
                           const struct recording_cost *cost, int64_t *following_ns)
{
    double owed = 0;

    for (uint32_t e = 0; e < t->n_events; e++) {
        unsigned kind = t->events[e].kind;

        owed += (double)storing_ns(t, e);
        if (kind == PORTOLAN_TRACE_END)
            owed += cost->event_ns[t->events[e].what] * (e - m->call[e]);
        if (kind == PORTOLAN_TRACE_BEGIN)
            owed = 0;
        if (m->call[e] == PORTOLAN_NO_EVENT || kind == PORTOLAN_TRACE_END) {
            int64_t taken = (int64_t)owed < following_ns[e] ? (int64_t)owed : following_ns[e];

            following_ns[e] -= taken;
            owed -= (double)taken;
        }
    }
}
