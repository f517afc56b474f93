/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic events, read. */
#include "event.h"

#include <stdlib.h>

struct taking {
    struct portolan_probe_event_record *rows;
    size_t n, capacity;
    bool failed;
};

static struct portolan_probe_event_record *add_row(struct taking *to)
{
    if (to->n == to->capacity) {
        size_t capacity = to->capacity ? 2 * to->capacity : 64;
        void *rows = portolan_reallocarray(to->rows, capacity, sizeof *to->rows);

        if (!rows) {
            to->failed = true;
            return NULL;
        }
        to->rows = rows;
        to->capacity = capacity;
    }
    return &to->rows[to->n++];
}

static void take(struct taking *to, const struct probe_event_sums *s, uint32_t thread)
{
    uint64_t count = __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);
    struct portolan_probe_event_record *r = count ? add_row(to) : NULL;

    if (!r)
        return;
    *r = (struct portolan_probe_event_record){
        .name = portolan_probe_event_peek_name(s->event),
        .event = s->event,
        .thread = thread,
        .has_record = s->node,
        .record = s->node ? (uint64_t)thread << 32 | s->node->id : 0,
        .count = count,
        .max = probe_load_real(&s->max),
        .min = probe_load_real(&s->min),
        .mean = probe_load_real(&s->sum) / (double)count,
        .sum_squares = probe_load_real(&s->squares),
    };
}

static void take_all(struct taking *to, const struct probe_events *events, uint32_t thread)
{
    if (!events)
        return;
    for (const struct probe_event_sums *s = __atomic_load_n(&events->first, __ATOMIC_ACQUIRE); s;
         s = __atomic_load_n(&s->next, __ATOMIC_ACQUIRE))
        take(to, s, thread);
}

/* By thread, then event, totals before call paths, these by record. */
static int compare(const void *a, const void *b)
{
    const struct portolan_probe_event_record *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->has_record != y->has_record)
        return x->has_record ? 1 : -1;
    return (x->record > y->record) - (x->record < y->record);
}

/* Two totals of one thread: its own, and what helpers noted. */
static void add(struct portolan_probe_event_record *to,
                const struct portolan_probe_event_record *more)
{
    double sum = to->mean * (double)to->count + more->mean * (double)more->count;

    to->count += more->count;
    to->mean = sum / (double)to->count;
    to->max = more->max > to->max ? more->max : to->max;
    to->min = more->min < to->min ? more->min : to->min;
    to->sum_squares += more->sum_squares;
}

enum portolan_status portolan_probe_events_take(struct portolan_probe_event_record **rows,
                                                size_t *n, struct portolan_error *err)
{
    struct taking to = {0};
    size_t kept = 0;

    *rows = NULL;
    *n = 0;
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        take_all(&to, __atomic_load_n(&t->events, __ATOMIC_ACQUIRE), t->index);
    probe_events_lock();
    take_all(&to, probe_events_apart(), 0);
    probe_events_unlock();
    if (to.failed) {
        free(to.rows);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the events");
    }
    if (to.n)
        qsort(to.rows, to.n, sizeof *to.rows, compare);
    for (size_t i = 0; i < to.n; i++)
        if (kept && !compare(&to.rows[kept - 1], &to.rows[i]))
            add(&to.rows[kept - 1], &to.rows[i]);
        else
            to.rows[kept++] = to.rows[i];
    *rows = to.rows;
    *n = kept;
    return PORTOLAN_OK;
}
