/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins and ends of experiments, without locks, looking up only the child that began last; and the
 * cost of these.
 */
#include "internal.h"

#include <portolan/machine.h>
#include <portolan/record.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static portolan_cll_observer *observer;
static void *observer_arg;

void portolan_cll_observe(portolan_cll_observer *fn, void *arg)
{
    portolan_probe_ticks_to_ns(1); /* calibrate now, not inside an experiment */
    __atomic_store_n(&observer, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&observer_arg, arg, __ATOMIC_RELEASE);
    __atomic_store_n(&observer, fn, __ATOMIC_RELEASE);
}

static void count(uint64_t *number)
{
    __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ warnings */

static void say(const char *place, const char *format, va_list args)
{
    struct portolan_text text = {0};
    char *words = NULL;

    if (vasprintf(&words, format, args) < 0)
        words = NULL;
    portolan_text_add(&text, "%s: warning: %s\n", place, words ? words : "out of memory");
    if (text.bytes)
        fputs(text.bytes, stderr); /* in one write, because other processes print, too */
    portolan_text_clear(&text);
    free(words);
}

void cll_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say("portolan-call", format, args);
    va_end(args);
}

/* Prints "FILE:LINE: warning: …"; LINES are the possible places. */
__attribute__((cold))
PORTOLAN_PRINTF(4, 5) static void warn_at(const char *file, const unsigned *lines, unsigned n,
                                          const char *format, ...)
{
    struct portolan_text place = {0};
    va_list args;

    portolan_text_add(&place, "%s:%u", file, n ? lines[0] : 0);
    for (unsigned i = 1; i < n; i++)
        portolan_text_add(&place, i == 1 ? " (or line %u" : ", %u", lines[i]);
    if (n > 1)
        portolan_text_add(&place, ")");
    va_start(args, format);
    say(place.bytes ? place.bytes : file, format, args);
    va_end(args);
    portolan_text_clear(&place);
}

/* ------------------------------------------------------------------ begin */

/* There was no memory for the stack or the path. The matching end must not cause a warning. */
__attribute__((cold)) static void skip(struct portolan_cll_experiment *e)
{
    if (!e->state)
        return;
    count(&e->state->skipped);
    count(&e->state->lost);
}

__attribute__((noinline)) static void read_begun(const struct portolan_cll_state *s,
                                                 struct cll_reading *reading)
{
    cll_gauges_read(s, reading);
}

static bool is_ready(const struct portolan_cll_state *s)
{
    return s && __atomic_load_n(&s->is_ready, __ATOMIC_ACQUIRE);
}

void portolan_cll_begin(struct portolan_cll_experiment *e, const double *values)
{
    struct portolan_cll_state *s = __atomic_load_n(&e->state, __ATOMIC_ACQUIRE);
    struct cll_thread *t = cll_thread;
    struct cll_node *parent, *node;
    struct cll_frame *f;

    if (UNLIKELY((!t && !(t = cll_thread_make())) || (!is_ready(s) && !(s = cll_prepare(e))))) {
        skip(e);
        return;
    }
    parent = t->depth ? t->frames[t->depth - 1].node : t->root;
    node = parent->recent;
    if (UNLIKELY(!node || node->experiment != e))
        node = cll_node_child(t, parent, e);
    if (UNLIKELY(!node ||
                 ((t->depth == t->room || t->n_values + s->n_identifiers > t->values_room) &&
                  !cll_thread_grow(t, s->n_identifiers)))) {
        skip(e);
        return;
    }
    f = &t->frames[t->depth];
    if (t->depth)
        f[-1].inner++;
    f->experiment = e;
    f->node = node;
    f->values = t->n_values;
    f->inner_ticks = f->inner = 0;
    for (unsigned i = 0; i < s->n_identifiers; i++)
        t->values[t->n_values + i] = values[i];
    t->n_values += s->n_identifiers;
    t->depth++;
    if (UNLIKELY(s->region))
        portolan_record_enter(s->region - 1);
    if (UNLIKELY(!s->clock_alone))
        read_begun(s, &t->readings[t->depth - 1]);
    f->start = portolan_probe_now();
}

/* ------------------------------------------------------------------ end */

static void keep(const struct cll_thread *t, const struct cll_frame *f, uint64_t ticks,
                 const struct cll_reading *ended)
{
    struct cll_node *node = f->node;
    struct portolan_cll_state *s = node->state;
    struct cll_chunk *c = node->last;
    double *row;

    if (UNLIKELY(!c || c->n == c->room)) {
        c = cll_node_grow(node);
        if (!c) {
            count(&s->lost);
            return;
        }
    }
    row = c->values + c->n * s->width;
    row[ROW_TICKS] = (double)ticks;
    row[ROW_INNER_TICKS] = (double)f->inner_ticks;
    row[ROW_INNER] = (double)f->inner;
    row += ROW_FIRST;
    for (unsigned i = 0; i < s->n_identifiers; i++)
        row[i] = t->values[f->values + i];
    if (UNLIKELY(!s->clock_alone))
        cll_gauges_gain(s, &t->readings[f - t->frames], ended, row + s->n_identifiers);
    __atomic_store_n(&c->n, c->n + 1, __ATOMIC_RELEASE);
}

__attribute__((noinline)) static void observe(const struct cll_thread *t, const struct cll_frame *f,
                                              uint64_t ticks)
{
    portolan_cll_observer *fn = __atomic_load_n(&observer, __ATOMIC_ACQUIRE);
    const double *values = f->node->state->n_identifiers ? &t->values[f->values] : NULL;

    if (fn && *f->experiment->name)
        fn(__atomic_load_n(&observer_arg, __ATOMIC_ACQUIRE), f->experiment, values,
           portolan_probe_ticks_to_ns(ticks) / 1e9, (unsigned)(f - t->frames), !f->inner);
}

/* The innermost frame of E in T, which is not the top frame; NULL: none. */
__attribute__((cold)) static struct cll_frame *find_crossed(const struct cll_thread *t,
                                                            const struct portolan_cll_experiment *e)
{
    struct portolan_cll_state *s = e->state;
    size_t i = t ? t->depth : 0;
    uint64_t skipped;

    while (i > 0 && t->frames[i - 1].experiment != e)
        i--;
    if (i > 0) {
        const struct portolan_cll_experiment *open = t->frames[t->depth - 1].experiment;

        if (__atomic_fetch_add(&s->crossed, 1, __ATOMIC_RELAXED) == 0)
            warn_at(e->file, e->end_lines, e->n_regions,
                    "experiment '%s' ends while '%s', which began inside it, is still open; "
                    "both are measured",
                    e->name, open->name);
        return &t->frames[i - 1];
    }
    skipped = s ? __atomic_load_n(&s->skipped, __ATOMIC_RELAXED) : 0;
    while (skipped && !__atomic_compare_exchange_n(&s->skipped, &skipped, skipped - 1, false,
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    if (!skipped && (!s || __atomic_fetch_add(&s->unmatched, 1, __ATOMIC_RELAXED) == 0))
        warn_at(e->file, e->end_lines, e->n_regions,
                "experiment '%s' ends, and has not begun on this thread; the end is ignored",
                e->name);
    return NULL;
}

/* The frames above stay open, with their values and readings. */
__attribute__((cold)) static void remove_crossed(struct cll_thread *t, struct cll_frame *f)
{
    size_t above = (size_t)(&t->frames[t->depth] - (f + 1)), n = f->node->state->n_identifiers;
    struct cll_reading *reading = &t->readings[f - t->frames];

    memmove(&t->values[f->values], &t->values[f->values + n],
            (t->n_values - f->values - n) * sizeof *t->values);
    memmove(f, f + 1, above * sizeof *f);
    memmove(reading, reading + 1, above * sizeof *reading);
    for (size_t i = 0; i < above; i++)
        f[i].values -= n;
    t->n_values -= n;
    t->depth--;
}

/* Regions nest: those that began after F end with it and begin again. */
__attribute__((noinline)) static void record_end(const struct cll_thread *t,
                                                 const struct cll_frame *f)
{
    const struct cll_frame *above = &t->frames[t->depth];

    while (--above >= f)
        if (above->node->state->region)
            portolan_record_leave(above->node->state->region - 1);
    for (above = f + 1; above < &t->frames[t->depth]; above++)
        if (above->node->state->region)
            portolan_record_enter(above->node->state->region - 1);
}

void portolan_cll_end(struct portolan_cll_experiment *e)
{
    uint64_t now = portolan_probe_now();
    struct cll_thread *t = cll_thread;
    struct cll_frame *f = t && t->depth ? &t->frames[t->depth - 1] : NULL;
    struct cll_reading ended;

    if (UNLIKELY(!f || f->experiment != e) && !(f = find_crossed(t, e)))
        return;
    if (UNLIKELY(!f->node->state->clock_alone))
        cll_gauges_read(f->node->state, &ended);
    keep(t, f, now - f->start, &ended);
    if (UNLIKELY(f->node->state->region))
        record_end(t, f);
    if (f != t->frames)
        f[-1].inner_ticks += now - f->start;
    if (UNLIKELY(__atomic_load_n(&observer, __ATOMIC_RELAXED) != NULL))
        observe(t, f, now - f->start);
    if (UNLIKELY(f != &t->frames[t->depth - 1])) {
        remove_crossed(t, f);
        return;
    }
    t->n_values = f->values;
    t->depth--;
}

/* ------------------------------------------------------------------ cost */

#define BATCH   1000
#define BATCHES 20

static double cost;

/* The fastest batch counts, because other programs disturb some of them. */
static double best_batch(struct portolan_cll_experiment *e)
{
    double best = 1e9;

    for (int i = 0; i < BATCHES; i++) {
        double start = portolan_now_s();

        for (int k = 0; k < BATCH; k++) {
            portolan_cll_begin(e, NULL);
            portolan_cll_end(e);
        }
        start = portolan_now_s() - start;
        best = start < best ? start : best;
    }
    return best / BATCH;
}

/* Measures on a separate stack, so that the thread's open experiments are not affected. */
static void measure_cost(void)
{
    static struct cll_observable clock = {"CLOCK", GAUGE_CLOCK, -1};
    static struct portolan_cll_state state = {.is_ready = 1,
                                              .clock_alone = true,
                                              .n_observables = 1,
                                              .width = ROW_FIRST,
                                              .observables = &clock};
    static struct portolan_cll_experiment empty = {.name = "", .file = "", .state = &state};
    struct cll_thread *before = cll_thread, *own = cll_thread_create();

    if (!own)
        return;
    state.experiment = &empty;
    cll_thread = own;
    cost = best_batch(&empty);
    cll_thread = before;
    cll_thread_destroy(own);
}

double cll_cost(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, measure_cost);
    return cost;
}
