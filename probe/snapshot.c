/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

#include <portolan/list.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t since;

static uint64_t load(const uint64_t *p)
{
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static bool reserve_records(struct portolan_probe_snapshot *s, size_t count)
{
    return s->is_fixed ? count <= s->capacity
                       : portolan_reserve(&s->records, &s->capacity, count, sizeof *s->records);
}

/* The edges of a bin, smaller one first: its key is the top 14 bits of the numbers in it. */
static void bin_edges(int64_t key, double *lower, double *upper)
{
    uint64_t bits = (uint64_t)key << 50, next = bits + (UINT64_C(1) << 50);
    double a, b;

    memcpy(&a, &bits, sizeof a);
    memcpy(&b, &next, sizeof b);
    *lower = key < 0 ? b : a;
    *upper = key < 0 ? a : b;
}

/* Below 0 while a call runs of which part was reported before; see probe_spans_begin(). */
static double difference_to_ns(uint64_t ticks)
{
    return ticks >> 63 ? -portolan_probe_ticks_to_ns(-ticks) : portolan_probe_ticks_to_ns(ticks);
}

/* Sums over the calls that were timed; where the key is the context, they follow from it. */
static void read_sums(struct portolan_probe_context_stats *c,
                      const struct portolan_probe_node *node, unsigned i)
{
    double x = (double)probe_node_key(node, i), calls = (double)load(&node->calls);

    c->sum = node->has_moments ? probe_load_real(&node->moments[i].x) : x * calls;
    c->sum_squares = node->has_moments ? probe_load_real(&node->moments[i].xx) : x * x * calls;
    c->sum_time_ns = node->has_moments
                         ? probe_load_real(&node->moments[i].xt) * portolan_probe_ticks_to_ns(1)
                         : x * difference_to_ns(load(&node->inclusive));
    c->failed_sum = probe_load_real(&node->failed_x[i]);
}

static void read_context(struct portolan_probe_context_stats *c,
                         const struct portolan_probe_node *node, unsigned i, bool real)
{
    int64_t key = probe_node_key(node, i);

    c->exact = !real && !(node->method & (PROBE_BIN | PROBE_REST));
    c->value = c->exact ? key : 0;
    if (c->exact) {
        c->lower = c->upper = (double)key;
    } else if (node->method & PROBE_REST) {
        c->lower = -INFINITY;
        c->upper = INFINITY;
    } else {
        bin_edges(key, &c->lower, &c->upper);
    }
    read_sums(c, node, i);
}

static void read_carried(struct portolan_probe_carried *to,
                         const struct portolan_probe_carry *carry)
{
    to->calls = load(&carry->calls);
    to->subroutine_calls = load(&carry->subroutine_calls);
    to->inclusive_ns = portolan_probe_ticks_to_ns(load(&carry->inclusive));
    to->exclusive_ns = portolan_probe_ticks_to_ns(load(&carry->exclusive));
    to->mpi_ns = portolan_probe_ticks_to_ns(load(&carry->mpi));
    for (unsigned i = 0; i < PORTOLAN_PROBE_COUNTERS_ALL; i++)
        to->counters[i] = load(&carry->counters[i]);
}

static void read_node(struct portolan_probe_record *r, const struct probe_thread *t,
                      const struct portolan_probe_node *node, size_t base)
{
    double scale = portolan_probe_ticks_to_ns(1), quality = probe_load_real(&node->quality);
    const struct portolan_probe_carry *carry = __atomic_load_n(&node->carry, __ATOMIC_ACQUIRE);
    const struct portolan_probe_method_info *info;
    const uint64_t *counters;

    memset(r, 0, sizeof *r);
    r->id = (uint64_t)t->index << 32 | node->id;
    r->thread = t->index;
    r->handle = node->method & PROBE_HANDLE_MASK;
    r->profiled = node->method & PORTOLAN_PROBE_PROFILED;
    r->parent = node->parent ? (int64_t)(base + node->parent->id) : -1;
    info = portolan_probe_method_peek(r->handle);
    r->n_context = info ? info->method.n_context : 0;
    for (unsigned i = 0; i < r->n_context && i < PORTOLAN_PROBE_CONTEXTS; i++)
        read_context(&r->context[i], node, i, info->method.real_contexts >> i & 1U);
    r->timed_calls = load(&node->calls);
    r->calls = r->timed_calls + load(&node->untimed);
    r->failed_calls = load(&node->failed);
    r->subroutine_calls = load(&node->subroutine_calls);
    r->inclusive_ns = difference_to_ns(load(&node->inclusive));
    r->exclusive_ns = difference_to_ns(load(&node->exclusive));
    r->min_ns = r->timed_calls ? portolan_probe_ticks_to_ns(load(&node->min)) : 0.0;
    r->max_ns = portolan_probe_ticks_to_ns(load(&node->max));
    r->sum_squares_ns2 = probe_load_real(&node->squares) * scale * scale;
    r->mpi_ns = portolan_probe_ticks_to_ns(load(&node->mpi));
    r->has_quality = !isnan(quality);
    r->quality = r->has_quality ? quality : 0.0;
    counters = __atomic_load_n(&node->counters, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; counters && i < PORTOLAN_PROBE_COUNTERS_ALL; i++)
        r->counters[i] = load(&counters[i]);
    if (carry)
        read_carried(&r->carried, carry);
}

/* Adds the time of running calls so far, which only their own thread knows. */
static void add_open_calls(struct portolan_probe_snapshot *s, const struct probe_thread *t,
                           size_t base, uint64_t now)
{
    uint64_t above = now; /* start of the monitored call made from this one */

    for (struct portolan_probe_frame *f = t->hot.top - 1; f > t->hot.frames; f--) {
        struct portolan_probe_record *r;

        if (!probe_frame_is_measured(f) || f == t->pause)
            continue;
        r = &s->records[base + f->node->id];
        r->open_calls++;
        if (f->mark & PORTOLAN_PROBE_UNTIMED) {
            above = now;
            continue;
        }
        r->open_inclusive_ns += portolan_probe_ticks_to_ns(now - f->start);
        r->open_exclusive_ns += portolan_probe_ticks_to_ns(above - f->start - f->child);
        above = f->start;
    }
}

/* Hides times below 0 if no call is known to run: another thread is in it, or a longjmp left it. */
static void hide_debts(struct portolan_probe_record *records, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct portolan_probe_record *r = &records[i];

        if (r->open_calls)
            continue;
        r->inclusive_ns = fmax(r->inclusive_ns, 0);
        r->exclusive_ns = fmax(r->exclusive_ns, 0);
    }
}

static enum portolan_status take_thread(struct portolan_probe_snapshot *s, struct probe_thread *t,
                                        uint64_t now)
{
    size_t base = s->count;

    for (const struct portolan_probe_node *node = t->root; node;
         node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) {
        if (!reserve_records(s, s->count + 1))
            return PORTOLAN_ENOMEM;
        read_node(&s->records[s->count++], t, node, base);
        if (node == t->root)
            s->records[base].is_idle = probe_thread_is_idle(t);
    }
    if (t == probe_thread_known())
        add_open_calls(s, t, base, now);
    hide_debts(&s->records[base], s->count - base);
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_snapshot_take(struct portolan_probe_snapshot *s,
                                                  struct portolan_error *err)
{
    struct probe_thread *self = probe_thread_known();
    uint64_t now = portolan_probe_now();
    enum portolan_status status = PORTOLAN_OK;

    /* during a pause the calls that are running stand still */
    if (self && self->pause && self->pause < self->hot.top)
        now = self->pause->start;
    s->count = 0;
    s->threads = 0;
    s->now_ns = portolan_probe_ticks_to_ns(now);
    s->since_ns = portolan_probe_ticks_to_ns(load(&since));
    for (struct probe_thread *t = probe_thread_first(); t && !status; t = probe_thread_next(t)) {
        s->threads++;
        status = take_thread(s, t, now);
    }
    if (status)
        portolan_error_set(err, status, "no memory for the call-path records");
    if (status && !s->is_fixed)
        s->count = 0;
    for (size_t i = 0; i < s->count; i++)
        s->records[i].mpi_inclusive_ns += s->records[i].mpi_ns;
    for (size_t i = s->count; i-- > 0;) {
        const struct portolan_probe_record *r = &s->records[i];
        struct portolan_probe_record *parent = r->parent < 0 ? NULL : &s->records[r->parent];

        if (!parent)
            continue;
        parent->mpi_inclusive_ns += r->mpi_inclusive_ns;
        parent->descendants += r->descendants + (double)r->timed_calls;
    }
    return status;
}

/* R's own time and calls become those of its caller ABOVE. */
static void fold(struct portolan_probe_record *above, const struct portolan_probe_record *r)
{
    above->exclusive_ns += r->exclusive_ns;
    above->open_exclusive_ns += r->open_exclusive_ns;
    above->mpi_ns += r->mpi_ns;
    /* modulo 2^64, so that differences of snapshots come out right */
    above->subroutine_calls += r->subroutine_calls - r->calls;
}

/* "Other" holds calls of both kinds, and timers belong to both. */
static bool is_kept(const struct portolan_probe_record *r, bool profiled)
{
    return r->handle <= PORTOLAN_PROBE_HANDLE_OWN || r->handle & PROBE_TIMED ||
           r->profiled == profiled;
}

void portolan_probe_snapshot_select(struct portolan_probe_snapshot *s, bool profiled)
{
    int64_t kept = 0;

    for (size_t i = s->count; i-- > 0;)
        if (!is_kept(&s->records[i], profiled))
            fold(&s->records[s->records[i].parent], &s->records[i]);
    for (size_t i = 0; i < s->count; i++) {
        struct portolan_probe_record *r = &s->records[i];
        int64_t above = r->parent < 0 ? -1 : s->records[r->parent].place;

        r->place = is_kept(r, profiled) ? kept++ : above;
        r->parent = above;
    }
    for (size_t i = 0, n = 0; i < s->count; i++)
        if (is_kept(&s->records[i], profiled))
            s->records[n++] = s->records[i];
    s->count = (size_t)kept;
}

void portolan_probe_snapshot_clear(struct portolan_probe_snapshot *s)
{
    if (!s->is_fixed)
        free(s->records);
    *s = (struct portolan_probe_snapshot){0};
}

static bool is_timed(const struct portolan_probe_node *node)
{
    return node->method & PROBE_TIMED;
}

/* Done first, so that nothing can fail later. */
static enum portolan_status reserve_carries(void)
{
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        for (struct portolan_probe_node *node = t->root; node;
             node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) {
            struct portolan_probe_carry *carry;

            if (!is_timed(node) || node->carry)
                continue;
            if (!(carry = portolan_calloc(1, sizeof *carry)))
                return PORTOLAN_ENOMEM;
            __atomic_store_n(&node->carry, carry, __ATOMIC_RELEASE);
        }
    return PORTOLAN_OK;
}

/* Profiles have the totals of timers, too, even if somebody else takes them step by step. */
static void carry_node(struct portolan_probe_node *node)
{
    struct portolan_probe_carry *c = node->carry;
    const uint64_t *counters;

    portolan_probe_add(&c->calls, load(&node->calls));
    portolan_probe_add(&c->subroutine_calls, load(&node->subroutine_calls));
    portolan_probe_add(&c->inclusive, load(&node->inclusive));
    portolan_probe_add(&c->exclusive, load(&node->exclusive));
    portolan_probe_add(&c->mpi, load(&node->mpi));
    counters = __atomic_load_n(&node->counters, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; counters && i < PORTOLAN_PROBE_COUNTERS_ALL; i++)
        portolan_probe_add(&c->counters[i], load(&counters[i]));
}

static void drop_carry(struct portolan_probe_node *node)
{
    struct portolan_probe_carry none, *c = node->carry ? node->carry : &none;
    uint64_t *const sums[] = {&c->calls, &c->subroutine_calls, &c->inclusive, &c->exclusive,
                              &c->mpi};

    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        __atomic_store_n(sums[i], 0, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < PORTOLAN_PROBE_COUNTERS_ALL; i++)
        __atomic_store_n(&c->counters[i], 0, __ATOMIC_RELAXED);
}

static void empty_node(struct portolan_probe_node *node)
{
    uint64_t *const sums[] = {
        &node->calls, &node->inclusive, &node->exclusive, &node->max, &node->subroutine_calls,
        &node->mpi,   &node->untimed,   &node->failed};

    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        __atomic_store_n(sums[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&node->min, UINT64_MAX, __ATOMIC_RELAXED);
    probe_store_real(&node->squares, 0.0);
    probe_store_real(&node->quality, NAN);
    for (unsigned i = 0; i < PORTOLAN_PROBE_CONTEXTS; i++) {
        probe_store_real(&node->moments[i].x, 0.0);
        probe_store_real(&node->moments[i].xx, 0.0);
        probe_store_real(&node->moments[i].xt, 0.0);
        probe_store_real(&node->failed_x[i], 0.0);
    }
    probe_counters_empty(node);
}

static bool measures_now(const struct probe_thread *t)
{
    for (struct portolan_probe_frame *f = t->hot.frames + 1; f < t->hot.top; f++)
        if (probe_frame_is_measured(f))
            return true;
    return false;
}

/* The calls that run on the calling thread begin anew. */
static void restart_open_calls(struct probe_thread *t)
{
    uint64_t now = portolan_probe_now();

    if (t->pause && t->pause < t->hot.top)
        t->pause_sum += now - t->pause->start;
    for (struct portolan_probe_frame *f = t->hot.frames + 1; f < t->hot.top; f++) {
        if (f->mark & PORTOLAN_PROBE_UNTIMED)
            continue;
        f->start = now;
        f->child = 0;
        f->mpi = 0;
    }
    t->mpi_start = now;
}

void probe_begin_now(void)
{
    __atomic_store_n(&since, portolan_probe_now(), __ATOMIC_RELAXED);
}

enum portolan_status probe_reset(bool own_calls_too, bool profiled_too, struct portolan_error *err)
{
    struct probe_thread *self = probe_thread_known();

    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        if (t != self && !probe_thread_is_idle(t))
            return portolan_error_set(err, PORTOLAN_EBUSY, "thread %u is inside a measured call",
                                      (unsigned)t->index);
    if (self && !own_calls_too && measures_now(self))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a measured call");
    if (!profiled_too && (reserve_carries() != PORTOLAN_OK ||
                          (self && measures_now(self) && probe_spans_reserve(self))))
        return portolan_error_set(err, PORTOLAN_ENOMEM,
                                  "no memory for the totals of timers and running calls");
    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        for (struct portolan_probe_node *node = t->root; node;
             node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE))
            if (profiled_too || !(node->method & PORTOLAN_PROBE_PROFILED)) {
                if (profiled_too)
                    drop_carry(node);
                else if (is_timed(node))
                    carry_node(node);
                empty_node(node);
            }
    if (self && profiled_too)
        restart_open_calls(self);
    else if (self)
        probe_spans_begin(self);
    probe_rows_forget();
    if (profiled_too) {
        probe_events_reset();
        probe_begin_now();
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_reset(struct portolan_error *err)
{
    return probe_reset(true, true, err);
}

enum portolan_status portolan_probe_reset_unprofiled(struct portolan_error *err)
{
    return probe_reset(true, false, err);
}

/* ------------------------------------------------- communication */

/*
 * The watcher of a message library registers here, so that the recorder need not know the library.
 */
static portolan_probe_traffic_fn source;
static const char *waits;

void portolan_probe_traffic_set_source(portolan_probe_traffic_fn fn)
{
    __atomic_store_n(&source, fn, __ATOMIC_RELEASE);
}

enum portolan_status portolan_probe_traffic_take(struct portolan_probe_traffic **rows, size_t *n)
{
    portolan_probe_traffic_fn take = __atomic_load_n(&source, __ATOMIC_ACQUIRE);

    *rows = NULL;
    *n = 0;
    return take ? take(rows, n) : PORTOLAN_OK;
}

void portolan_probe_waits_set(const char *text)
{
    __atomic_store_n(&waits, text, __ATOMIC_RELEASE);
}

const char *portolan_probe_waits_peek(void)
{
    return __atomic_load_n(&waits, __ATOMIC_ACQUIRE);
}
