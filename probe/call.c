/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Begins and ends calls that the inline code does not handle; accounts for calls that are running
 * when records are emptied, or while Portolan does its own work.
 */
#include "internal.h"

#include <math.h>

static unsigned long unmarked;
static portolan_probe_call_fn *call_observer;
/* Given to calls for which there is no frame. */
static struct portolan_probe_frame no_frame = {.mark = PORTOLAN_PROBE_SPECIAL};

unsigned long probe_unmarked_calls(void)
{
    return __atomic_load_n(&unmarked, __ATOMIC_SEQ_CST);
}

void probe_unmarked_forget(void)
{
    __atomic_store_n(&unmarked, 0, __ATOMIC_SEQ_CST);
}

static void leave_unmarked(void)
{
    __atomic_fetch_sub(&unmarked, 1, __ATOMIC_SEQ_CST);
}

static struct portolan_probe_binding *enter_unmarked(const struct probe_thread *t,
                                                     struct portolan_probe_port *port)
{
    uint32_t flags;

    for (;;) {
        __atomic_fetch_add(&unmarked, 1, __ATOMIC_SEQ_CST);
        flags = __atomic_load_n(&port->flags, __ATOMIC_SEQ_CST);
        if (!(flags & PORTOLAN_PROBE_CLOSED) ||
            probe_gate_lets_pass(t, t ? t->hot.top : NULL, port)) {
            probe_port_note_call(port);
            return __atomic_load_n(&port->binding, __ATOMIC_SEQ_CST);
        }
        leave_unmarked();
        probe_gate_wait(port, flags);
    }
}

void probe_call_observe(portolan_probe_call_fn *observer)
{
    __atomic_store_n(&call_observer, observer, __ATOMIC_RELEASE);
}

static void notify_observer(const struct portolan_probe_node *node, bool begins)
{
    if (node->flags & PROBE_OBSERVED)
        __atomic_load_n(&call_observer, __ATOMIC_ACQUIRE)(node->method & PROBE_HANDLE_MASK, begins);
}

/*
 * Which calls of a port are timed: each with the same probability, independently of the others. The
 * gaps follow the geometric distribution, which has no memory: the first gap of a record needs no
 * care, and no period of the program can coincide with ours.
 */

/* xorshift64* */
static uint64_t draw(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DU;
}

/* Every thread gets another sequence. */
static uint64_t seed(const struct probe_thread *t)
{
    uint64_t x = (uint64_t)t->index * 0x9E3779B97F4A7C15U ^ portolan_probe_now();

    return x ? x : 1;
}

/* Draws how many calls of NODE there are to the next one that is timed. */
static void draw_gap(struct probe_thread *t, struct portolan_probe_node *node, uint32_t one_in)
{
    double u, gap;

    node->one_in = one_in;
    node->skip = 1;
    if (one_in <= 1)
        return;
    if (!t->random)
        t->random = seed(t);
    if (t->gap_one_in != one_in) {
        t->gap_one_in = one_in;
        t->gap_scale = 1.0 / log1p(-1.0 / (double)one_in);
    }
    u = ((double)(draw(&t->random) >> 11) + 0.5) * 0x1p-53; /* between 0 and 1, both excluded */
    gap = log(u) * t->gap_scale;
    node->skip = gap < UINT32_MAX - 1 ? 1 + (uint32_t)gap : UINT32_MAX;
}

/* Returns whether the call of PORT that NODE is for is to be timed. */
static bool is_chosen(struct probe_thread *t, const struct portolan_probe_port *port,
                      struct portolan_probe_node *node)
{
    uint32_t one_in = __atomic_load_n(&port->one_in, __ATOMIC_RELAXED);

    if (node->one_in != one_in)
        draw_gap(t, node, one_in);
    if (--node->skip)
        return false;
    draw_gap(t, node, one_in);
    return true;
}

/* Finds the record of this call below what is running, and starts its time. */
static void begin(struct probe_thread *t, struct portolan_probe_frame *f,
                  const struct portolan_probe_port *port, unsigned method, uint32_t flags,
                  const int64_t *keys, const double *x, unsigned n)
{
    uint32_t handle =
        (f->binding->first_method_handle + method) | (flags & PORTOLAN_PROBE_PROFILED);
    struct portolan_probe_frame *below = portolan_probe_charged(&t->hot, f);
    struct portolan_probe_node *node = portolan_probe_find(below->node, handle, keys, n);

    if (!node)
        node = probe_child(t, below->node, handle, keys, x, n);
    portolan_probe_add_mark(f, PORTOLAN_PROBE_MEASURED);
    portolan_probe_charge(&t->hot, f, below, node);
    f->mpi = 0;
    node->row_quality = NAN;
    node->flags = flags;
    for (unsigned i = 0; i < n; i++)
        node->x[i] = x[i];
    if (flags & PORTOLAN_PROBE_SAMPLED && !is_chosen(t, port, node)) {
        portolan_probe_add_mark(f, PORTOLAN_PROBE_UNTIMED);
        return;
    }
    if (flags & PORTOLAN_PROBE_COUNTERS)
        probe_counters_start(t, f);
    notify_observer(node, true);
    f->start = portolan_probe_now();
}

struct portolan_probe_begun portolan_probe_slow_enter(struct portolan_probe_port *port,
                                                      unsigned method, uintptr_t sp,
                                                      const int64_t *keys, const double *x,
                                                      unsigned n)
{
    struct probe_thread *t = probe_thread_self();
    struct portolan_probe_binding *binding;
    struct portolan_probe_frame *f;
    uint32_t flags;

    if (t)
        probe_thread_heal(t, sp);
    if (!t || t->hot.top == t->hot.limit)
        return (struct portolan_probe_begun){enter_unmarked(t, port), &no_frame};
    f = t->hot.top;
    portolan_probe_fill(f, sp, (uintptr_t)port | PORTOLAN_PROBE_SPECIAL, NULL);
    binding = probe_settle(t, f, port);
    probe_port_note_call(port);
    flags = __atomic_load_n(&port->flags, __ATOMIC_RELAXED);
    if (flags & PORTOLAN_PROBE_MONITORED)
        begin(t, f, port, method, flags, keys, x, n);
    return (struct portolan_probe_begun){binding, f};
}

static void leave_measured(struct probe_thread *t, struct portolan_probe_frame *f, unsigned n)
{
    uint64_t elapsed = portolan_probe_now() - f->start;

    if (PORTOLAN_PROBE_UNLIKELY(f->node->flags & PORTOLAN_PROBE_COUNTERS))
        probe_counters_stop(t, f);
    notify_observer(f->node, false);
    if (f->node->flags & PORTOLAN_PROBE_ROWS)
        probe_row_note(t, f, elapsed, n);
    portolan_probe_record_call(f, f->below, elapsed, n);
}

void portolan_probe_slow_leave(struct portolan_probe_frame *f, unsigned n)
{
    struct probe_thread *t = (struct probe_thread *)portolan_probe_thread;

    if (PORTOLAN_PROBE_UNLIKELY(!(f->mark & PORTOLAN_PROBE_MEASURED))) {
        if (f == &no_frame)
            leave_unmarked();
        else
            portolan_probe_pop(&t->hot, f);
        return;
    }
    if (PORTOLAN_PROBE_UNLIKELY(f->mark & PORTOLAN_PROBE_UNTIMED))
        portolan_probe_record_untimed(f, f->below);
    else
        leave_measured(t, f, n);
    t->hot.charged = f->below;
    portolan_probe_pop(&t->hot, f);
}

/* The time of a failed call is not its caller's own time either. */
static void count_failed(struct probe_thread *t, struct portolan_probe_frame *f, unsigned n)
{
    bool is_special = f->mark & PORTOLAN_PROBE_SPECIAL;

    if (!(f->mark & PORTOLAN_PROBE_UNTIMED))
        f->below->child += portolan_probe_now() - f->start;
    if (is_special && f->node->flags & PORTOLAN_PROBE_COUNTERS)
        probe_counters_drop(t, f);
    if (is_special && !(f->mark & PORTOLAN_PROBE_UNTIMED))
        notify_observer(f->node, false);
    probe_span_drop(t, f);
    portolan_probe_add(&f->node->failed, 1);
    for (unsigned i = 0; i < n; i++)
        portolan_probe_add_real(&f->node->failed_x[i], f->node->has_moments
                                                           ? f->node->x[i]
                                                           : (double)probe_node_key(f->node, i));
    t->hot.charged = f->below;
}

void portolan_probe_slow_fail(struct portolan_probe_frame *f, unsigned n)
{
    struct probe_thread *t = probe_thread_known();

    if (f == &no_frame) {
        leave_unmarked();
        return;
    }
    if (f->mark & PORTOLAN_PROBE_MEASURED)
        count_failed(t, f, n);
    portolan_probe_pop(&t->hot, f);
}

/* ------------------------------------------------- calls that are running */

/* When they began, and how much of their time has been reported already. */

enum portolan_status probe_spans_reserve(struct probe_thread *t)
{
    if (!t->spans)
        t->spans = probe_map(PROBE_FRAMES * sizeof *t->spans);
    return t->spans ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

/* A frame may belong to another call by now, which begins later. */
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
    bool known = probe_spans_reserve(t) == PORTOLAN_OK; /* else rows seem to begin later */

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

/* Time in a pause that is not over counts in no call: ends the pause at NOW and begins it anew. */
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
        if (!(f->node->method & PORTOLAN_PROBE_PROFILED)) { /* else the record was not emptied */
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
