/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The inline part of <portolan/probe.h>, which includes it: layouts and the call path. Only the
 * functions documented here are for use; the layouts may change with every release.
 *
 * The shadow stack: each thread has frames, written by itself alone, that say which ports it is in.
 * A swapper publishes a new binding, issues membarrier(2) and reads the frames of all threads; so
 * the call path needs no lock, no atomic read-modify-write and no fence, only the order of its
 * stores. `acc` of a frame is the frame that times are charged to: itself when monitored, else the
 * one below it.
 */
#ifndef PORTOLAN_PROBE_INLINE_H
#define PORTOLAN_PROBE_INLINE_H

#ifndef PORTOLAN_PROBE_H
#error "include <portolan/probe.h>"
#endif

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define PORTOLAN_PROBE_INLINE      static inline __attribute__((always_inline, unused))
#define PORTOLAN_PROBE_UNLIKELY(x) __builtin_expect(!!(x), 0)

struct portolan_probe_moments {
    double x, xx, xt; /* sums over calls; t in ticks */
};

/* First line: key and what each call updates; second: look-up of children and first context. */
struct portolan_probe_node {
    uint32_t method; /* handle, with key-space bits for bins and for profiled ports */
    uint32_t id;
    int64_t key0;
    uint64_t calls, inclusive, exclusive, min, max;
    double squares;

    struct portolan_probe_node **table; /* children, open addressing, load at most 1/4 */
    uint32_t mask, shift;
    uint64_t subroutine_calls, mpi;
    double quality; /* not a number until one is reported */
    struct portolan_probe_moments moments[PORTOLAN_PROBE_CONTEXTS];

    int64_t key_more[PORTOLAN_PROBE_CONTEXTS - 1];
    uint64_t counters[PORTOLAN_PROBE_COUNTERS_MAX];
    struct portolan_probe_node *parent, *next;
    struct portolan_probe_family *families;
    uint32_t children;
};

struct portolan_probe_frame {
    struct portolan_probe_port *port;
    uint64_t seq;
    uintptr_t sp;
    struct portolan_probe_frame *acc;
    struct portolan_probe_node *node;
    uint64_t start, child;
    uint64_t reserved;
};

struct portolan_probe_thread {
    struct portolan_probe_frame *top;   /* next free frame; the one below always exists */
    struct portolan_probe_frame *limit; /* no frame here any more */
    uint64_t seq;
    struct portolan_probe_frame *frames; /* [0] is the root's */
};

/** Of the calling thread; NULL before its first call. */
extern PORTOLAN_API __thread struct portolan_probe_thread *portolan_probe_thread
    __attribute__((tls_model("initial-exec")));

/* 0: the time stamp counter is read inline. */
extern PORTOLAN_API int portolan_probe_clock_is_slow;

/* Cold paths. */
PORTOLAN_API uint64_t portolan_probe_slow_now(void) __attribute__((cold));
PORTOLAN_API struct portolan_probe_thread *portolan_probe_slow_attach(void) __attribute__((cold));
PORTOLAN_API struct portolan_probe_frame *portolan_probe_slow_heal(struct portolan_probe_thread *t,
                                                                   uintptr_t sp)
    __attribute__((cold));
PORTOLAN_API struct portolan_probe_binding *
portolan_probe_slow_enter(struct portolan_probe_port *port) __attribute__((cold));
PORTOLAN_API void portolan_probe_slow_leave(void) __attribute__((cold));
PORTOLAN_API struct portolan_probe_node *
portolan_probe_slow_child(struct portolan_probe_thread *t, struct portolan_probe_node *parent,
                          uint32_t method, const int64_t *keys, const double *x, unsigned n);
PORTOLAN_API void portolan_probe_slow_counters_start(struct portolan_probe_thread *t,
                                                     struct portolan_probe_frame *f);
PORTOLAN_API void portolan_probe_slow_counters_stop(struct portolan_probe_thread *t,
                                                    struct portolan_probe_frame *f);

/** The clock in ticks. */
PORTOLAN_PROBE_INLINE uint64_t portolan_probe_now(void)
{
#if defined(__x86_64__)
    if (!PORTOLAN_PROBE_UNLIKELY(portolan_probe_clock_is_slow))
        return __rdtsc();
#endif
    return portolan_probe_slow_now();
}

/** One value of a call's context: what tells records apart, and the value itself. */
struct portolan_probe_context {
    int64_t key;
    double x;
};

/** Signed bins, 4 per octave: sign, exponent and two leading bits of the fraction. */
PORTOLAN_PROBE_INLINE int64_t portolan_probe_bin(double x)
{
    union {
        double x;
        int64_t bits;
    } u;

    u.x = x + 0.0; /* one zero */
    return u.bits >> 50;
}

PORTOLAN_PROBE_INLINE struct portolan_probe_context portolan_probe_context_int(int64_t value)
{
    struct portolan_probe_context c = {value, (double)value};

    return c;
}

PORTOLAN_PROBE_INLINE struct portolan_probe_context portolan_probe_context_real(double value)
{
    struct portolan_probe_context c = {portolan_probe_bin(value), value};

    return c;
}

/* Statistics have one writer and readers that only look: plain moves, but tear-free. */
PORTOLAN_PROBE_INLINE void portolan_probe_add(uint64_t *sum, uint64_t value)
{
    __atomic_store_n(sum, __atomic_load_n(sum, __ATOMIC_RELAXED) + value, __ATOMIC_RELAXED);
}

PORTOLAN_PROBE_INLINE void portolan_probe_add_real(double *sum, double value)
{
    double s;

    __atomic_load(sum, &s, __ATOMIC_RELAXED);
    s += value;
    __atomic_store(sum, &s, __ATOMIC_RELAXED);
}

PORTOLAN_PROBE_INLINE uint64_t portolan_probe_hash(uint32_t method, const int64_t *keys, unsigned n)
{
    static const uint64_t odd[PORTOLAN_PROBE_CONTEXTS] = {0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU,
                                                          0x165667B19E3779F9U, 0xD6E8FEB86659FD93U};
    uint64_t h = method * 0xFF51AFD7ED558CCDU;

    for (unsigned i = 0; i < n; i++)
        h += (uint64_t)keys[i] * odd[i];
    return h;
}

PORTOLAN_PROBE_INLINE struct portolan_probe_node *
portolan_probe_find(const struct portolan_probe_node *parent, uint32_t method, const int64_t *keys,
                    unsigned n)
{
    struct portolan_probe_node *const *table = parent->table;
    uint64_t i = portolan_probe_hash(method, keys, n) >> parent->shift;

    for (;; i = (i + 1) & parent->mask) {
        struct portolan_probe_node *node = table[i];
        bool same;

        if (PORTOLAN_PROBE_UNLIKELY(!node))
            return NULL;
        same = node->method == method && (n == 0 || node->key0 == keys[0]);
        for (unsigned k = 1; k < n; k++)
            same = same && node->key_more[k - 1] == keys[k];
        if (same)
            return node;
    }
}

/** State of one call between enter and leave, on the stack of the proxy's function. */
struct portolan_probe_call {
    struct portolan_probe_thread *thread;
    struct portolan_probe_frame *frame; /* NULL: the call could not be marked */
    uint32_t flags;
    unsigned n_context;
    double x[PORTOLAN_PROBE_CONTEXTS];
};

/* Finds the record of this call below what is running, and starts its time. */
PORTOLAN_PROBE_INLINE void portolan_probe_begin(struct portolan_probe_call *call,
                                                struct portolan_probe_frame *f, uint32_t handle,
                                                const struct portolan_probe_context *context,
                                                unsigned n)
{
    struct portolan_probe_node *node, *parent = f->acc->node;
    int64_t keys[PORTOLAN_PROBE_CONTEXTS];

    for (unsigned i = 0; i < n; i++) {
        keys[i] = context[i].key;
        call->x[i] = context[i].x;
    }
    node = portolan_probe_find(parent, handle, keys, n);
    if (PORTOLAN_PROBE_UNLIKELY(!node)) {
        /* copies, so that what the hot path uses need not live in memory */
        int64_t k[PORTOLAN_PROBE_CONTEXTS];
        double x[PORTOLAN_PROBE_CONTEXTS];

        for (unsigned i = 0; i < n; i++) {
            k[i] = context[i].key;
            x[i] = context[i].x;
        }
        node = portolan_probe_slow_child(call->thread, parent, handle, k, x, n);
    }
    f->node = node;
    f->child = 0;
    f->acc = f;
    if (PORTOLAN_PROBE_UNLIKELY(call->flags & PORTOLAN_PROBE_COUNTERS))
        portolan_probe_slow_counters_start(call->thread, f);
    f->start = portolan_probe_now();
}

/**
 * Begins a call of method number METHOD of PORT and returns the binding to forward to, valid until
 * leave. N_CONTEXT, a constant at each place of use, is what the method was registered with.
 */
PORTOLAN_PROBE_INLINE struct portolan_probe_binding *
portolan_probe_enter(struct portolan_probe_call *call, struct portolan_probe_port *port,
                     unsigned method, const struct portolan_probe_context *context,
                     unsigned n_context)
{
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    struct portolan_probe_thread *t = portolan_probe_thread;
    struct portolan_probe_binding *binding;
    struct portolan_probe_frame *f;

    call->frame = NULL;
    call->n_context = n_context;
    if (PORTOLAN_PROBE_UNLIKELY(!t) && !(t = portolan_probe_slow_attach()))
        return portolan_probe_slow_enter(port);
    f = t->top;
    if (PORTOLAN_PROBE_UNLIKELY(f[-1].sp <= sp))
        f = portolan_probe_slow_heal(t, sp); /* a longjmp left frames behind */
    if (PORTOLAN_PROBE_UNLIKELY(f == t->limit))
        return portolan_probe_slow_enter(port);

    f->sp = sp;
    __atomic_store_n(&f->port, port, __ATOMIC_RELAXED);
    __atomic_store_n(&f->seq, ++t->seq, __ATOMIC_RELEASE);
#ifdef PORTOLAN_PROBE_FENCED /* test builds: what membarrier(2) does, where TSan can see it */
    (void)__atomic_exchange_n(&t->top, f + 1, __ATOMIC_SEQ_CST);
#else
    __atomic_store_n(&t->top, f + 1, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
    binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);

    call->thread = t;
    call->frame = f;
    call->flags = __atomic_load_n(&port->flags, __ATOMIC_RELAXED);
    f->acc = f[-1].acc;
    if (call->flags & PORTOLAN_PROBE_MONITORED)
        portolan_probe_begin(call, f,
                             (binding->first_method_handle + method) |
                                 (call->flags & PORTOLAN_PROBE_PROFILED),
                             context, n_context);
    return binding;
}

/* Adds one call of ELAPSED ticks to the frame's node and charges it to the frame below. */
PORTOLAN_PROBE_INLINE void portolan_probe_record_call(struct portolan_probe_frame *f,
                                                      uint64_t elapsed, const double *x, unsigned n)
{
    struct portolan_probe_node *node = f->node;
    struct portolan_probe_frame *below = f[-1].acc;
    double t = (double)(int64_t)elapsed;

    portolan_probe_add(&node->calls, 1);
    portolan_probe_add(&node->inclusive, elapsed);
    portolan_probe_add(&node->exclusive, elapsed - f->child);
    if (elapsed < node->min)
        __atomic_store_n(&node->min, elapsed, __ATOMIC_RELAXED);
    if (elapsed > node->max)
        __atomic_store_n(&node->max, elapsed, __ATOMIC_RELAXED);
    portolan_probe_add_real(&node->squares, t * t);
    for (unsigned i = 0; i < n; i++) {
        portolan_probe_add_real(&node->moments[i].x, x[i]);
        portolan_probe_add_real(&node->moments[i].xx, x[i] * x[i]);
        portolan_probe_add_real(&node->moments[i].xt, x[i] * t);
    }
    below->child += elapsed;
    portolan_probe_add(&below->node->subroutine_calls, 1);
}

/**
 * Ends a call, also one that returned with an exception. Usable as a cleanup attribute, for code
 * that C++ exceptions may cross (then with -fexceptions).
 */
PORTOLAN_PROBE_INLINE void portolan_probe_leave(struct portolan_probe_call *call)
{
    struct portolan_probe_frame *f = call->frame;

    if (PORTOLAN_PROBE_UNLIKELY(!f)) {
        portolan_probe_slow_leave();
        return;
    }
    if (call->flags & PORTOLAN_PROBE_MONITORED) {
        uint64_t elapsed = portolan_probe_now() - f->start;

        if (PORTOLAN_PROBE_UNLIKELY(call->flags & PORTOLAN_PROBE_COUNTERS))
            portolan_probe_slow_counters_stop(call->thread, f);
        portolan_probe_record_call(f, elapsed, call->x, call->n_context);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* absolute, so it also drops frames that a longjmp left above this one */
    __atomic_store_n(&call->thread->top, f, __ATOMIC_RELEASE);
}

/** Notes the accuracy that the running CALL has reached; before leave. Keeps the largest. */
PORTOLAN_PROBE_INLINE void portolan_probe_note_accuracy(struct portolan_probe_call *call,
                                                        double accuracy)
{
    if (call->frame && (call->flags & PORTOLAN_PROBE_MONITORED)) {
        double *quality = &call->frame->node->quality;

        if (accuracy != accuracy)
            accuracy = __builtin_inf(); /* a diverged solver is as inaccurate as can be */
        if (!(accuracy <= *quality))
            __atomic_store(quality, &accuracy, __ATOMIC_RELAXED);
    }
}

#endif
