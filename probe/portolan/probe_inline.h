/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The inline part of <portolan/probe.h>, which includes it: layouts and the call path. Only the
 * functions documented here are for use; the layouts may change with every release.
 *
 * The shadow stack: each thread has frames, written by itself alone, that say which ports it is in
 * and with which binding. So the call path needs no lock, no atomic read-modify-write and no fence.
 *
 * Why a swap may trust them. A call reads the binding, writes it into its frame, makes the frame
 * part of the stack (top), and reads binding and flags once more: if they are not what they were,
 * it steps back. A swapper publishes the new binding (or closes the gate, a bit of the flags),
 * issues membarrier(2) and then reads the frames of all threads. The barrier falls somewhere
 * between two instructions of every running thread. Is that behind the second look, then what was
 * written before it is visible to the swapper, who waits for this frame; is it before the second
 * look, then the call finds the new state and steps back. The compiler is kept from moving the
 * second look upwards by a signal fence; the processor needs no fence, as membarrier(2) is one for
 * it. The binding read before the frame is part of the stack is only a guess, and a wrong guess
 * costs a swapper a moment of waiting at most.
 *
 * Who reads the frames pairs with these stores: mark, binding and top are stored with release and
 * loaded with acquire, since seeing that a call has left its frame, or that another call uses it
 * now, means that all the former call did has been done. On x86 these are plain moves; on AArch64
 * stlr and ldar. The flags are loaded with acquire too: what was handed over behind a closed gate
 * is seen by who finds it open.
 *
 * A binding is in a frame by its address: a call that comes again and again through the same frame
 * is told from an old one because new calls hold the new binding. Hence a binding that was
 * published must not be published anew, nor its memory be used for another one of the same port,
 * before it was retired; then it may.
 *
 * Times are charged to the innermost frame that is measured. Only these have `below`, and `charged`
 * of the thread is where to begin to look: the frame there may have been left by a longjmp, and
 * then used by a call that is not measured (its mark has no bit), or not at all (it is not below
 * the top); the frame that was around it is the next one to ask.
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

/*
 * First line: key and what each call updates; second: look-up of children and first context. Whole
 * lines, so that no two threads write to one.
 */
struct portolan_probe_node {
    uint32_t method; /* handle, with key-space bits for bins and for profiled ports */
    uint32_t id;
    int64_t key0;
    uint64_t calls, inclusive, exclusive, min, max; /* of calls that were timed */
    double squares;

    struct portolan_probe_node **table; /* children, open addressing, load at most 1/4 */
    uint32_t mask, shift;
    uint64_t subroutine_calls, mpi;
    double quality; /* not a number until one is reported */
    struct portolan_probe_moments moments[PORTOLAN_PROBE_CONTEXTS];

    uint64_t untimed;                         /* calls beside those */
    uint64_t failed;                          /* calls that are in nothing else here */
    double failed_x[PORTOLAN_PROBE_CONTEXTS]; /* sums of their contexts */
    uint32_t skip;                            /* the next call to be timed */
    uint32_t one_in;    /* the sampling it was drawn for, also that of the call that runs */
    double row_quality; /* of the call that runs, kept while rows are noted */
    int64_t key_more[PORTOLAN_PROBE_CONTEXTS - 1];
    uint64_t *counters; /* by slot; NULL until a call was counted */
    struct portolan_probe_node *parent, *next;
    struct portolan_probe_family *families;
    uint32_t children;
    struct portolan_probe_carry *carry; /* of timers and phases: what was emptied */
} __attribute__((aligned(64)));

/* Of a frame's mark, whose other bits are the port's address: this frame has a record … */
#define PORTOLAN_PROBE_MEASURED ((uintptr_t)1)
/* … but the call was not chosen to be timed. */
#define PORTOLAN_PROBE_UNTIMED ((uintptr_t)2)
/* Of a port's flags: calls wait, see portolan_probe_gate_close. */
#define PORTOLAN_PROBE_CLOSED 0x80000000U
/* Of a port's flags: only some calls are timed. */
#define PORTOLAN_PROBE_SAMPLED 0x40000000U
/* Of a call's flags alone: it is not timed. */
#define PORTOLAN_PROBE_COUNTED 0x10000000U

struct portolan_probe_frame {
    uintptr_t mark;
    struct portolan_probe_binding *binding;
    uintptr_t sp; /* where the calling function's frame ends: tells whether it is still there */
    struct portolan_probe_frame *below; /* measured: the measured frame around */
    struct portolan_probe_node *node;
    uint64_t start, child;
    uint64_t mpi; /* of this call, kept while rows are noted */
};

struct portolan_probe_thread {
    struct portolan_probe_frame *top;     /* next free frame; the one below always exists */
    struct portolan_probe_frame *limit;   /* no frame here any more */
    struct portolan_probe_frame *charged; /* innermost measured frame, or one left since */
    struct portolan_probe_frame *frames;  /* [0] is the root's */
};

/** Of the calling thread; before its first call one that is nobody's. Never NULL. */
extern PORTOLAN_API __thread struct portolan_probe_thread *portolan_probe_thread
    __attribute__((tls_model("initial-exec")));

/* 0: the time stamp counter is read inline. */
extern PORTOLAN_API int portolan_probe_clock_is_slow;

/* Cold paths. */
#define PORTOLAN_PROBE_COLD __attribute__((cold, nothrow))
PORTOLAN_API uint64_t portolan_probe_slow_now(void) PORTOLAN_PROBE_COLD;
PORTOLAN_API struct portolan_probe_thread *
portolan_probe_slow_heal(uintptr_t sp) PORTOLAN_PROBE_COLD;
PORTOLAN_API struct portolan_probe_binding *
portolan_probe_slow_enter(struct portolan_probe_port *port) PORTOLAN_PROBE_COLD;
PORTOLAN_API void portolan_probe_slow_leave(void) PORTOLAN_PROBE_COLD;
PORTOLAN_API void portolan_probe_slow_fail(struct portolan_probe_thread *t,
                                           struct portolan_probe_frame *f, uint32_t flags,
                                           const double *x, unsigned n) PORTOLAN_PROBE_COLD;
PORTOLAN_API struct portolan_probe_binding *
portolan_probe_slow_settle(struct portolan_probe_thread *t, struct portolan_probe_frame *f,
                           struct portolan_probe_port *port) PORTOLAN_PROBE_COLD;
PORTOLAN_API struct portolan_probe_node *
portolan_probe_slow_child(struct portolan_probe_thread *t, struct portolan_probe_node *parent,
                          uint32_t method, const int64_t *keys, const double *x, unsigned n)
    __attribute__((nothrow));
PORTOLAN_API void portolan_probe_slow_counters_start(struct portolan_probe_thread *t,
                                                     struct portolan_probe_frame *f)
    __attribute__((nothrow));
PORTOLAN_API void portolan_probe_slow_counters_stop(struct portolan_probe_thread *t,
                                                    struct portolan_probe_frame *f)
    __attribute__((nothrow));

/* Notes a row of the call in frame F, which is about to be recorded, and stops its counters. */
PORTOLAN_API void portolan_probe_slow_row(struct portolan_probe_thread *t,
                                          struct portolan_probe_frame *f, uint64_t elapsed,
                                          uint32_t flags, const double *x, unsigned n)
    __attribute__((nothrow));
/* Draws how many calls of NODE there are to the next one that is timed. */
PORTOLAN_API void portolan_probe_slow_draw(struct portolan_probe_thread *t,
                                           struct portolan_probe_node *node, uint32_t one_in)
    __attribute__((nothrow));

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

/*
 * Does DO(i) for i below N, at most PORTOLAN_PROBE_CONTEXTS, without a loop: arrays that are only
 * accessed at constant places need not live in memory.
 */
#define PORTOLAN_PROBE_EACH(N, DO)                                                                 \
    do {                                                                                           \
        if ((N) > 0)                                                                               \
            DO(0);                                                                                 \
        if ((N) > 1)                                                                               \
            DO(1);                                                                                 \
        if ((N) > 2)                                                                               \
            DO(2);                                                                                 \
        if ((N) > 3)                                                                               \
            DO(3);                                                                                 \
    } while (0)

/** State of one call between enter and leave, on the stack of the proxy's function. */
struct portolan_probe_call {
    struct portolan_probe_frame *frame; /* NULL: could not be marked; PORTOLAN_PROBE_LEFT: none */
    struct portolan_probe_thread *thread;
    struct portolan_probe_frame *below; /* these two as in the frame, where it is measured */
    struct portolan_probe_node *node;
    uint32_t flags;
    unsigned n_context;
    double x[PORTOLAN_PROBE_CONTEXTS];
};

#define PORTOLAN_PROBE_LEFT ((struct portolan_probe_frame *)1)

/**
 * Declares a call NAME for portolan_probe_enter. If nobody has left it before, it has failed when
 * control leaves the block: by a C++ exception, pthread_exit or pthread_cancel, in code that was
 * compiled with -fexceptions. Costs nothing. Stands as the last of the declarations.
 */
#define PORTOLAN_PROBE_CALL(NAME)                                                                  \
    __attribute__((cleanup(portolan_probe_unwind))) struct portolan_probe_call NAME;               \
    NAME.thread = NULL;                                                                            \
    NAME.flags = NAME.n_context = 0;                                                               \
    NAME.frame = PORTOLAN_PROBE_LEFT

/**
 * In front of a function that forwards by portolan_probe_mark: never inlined, and in cache lines of
 * its own, without which it costs up to a nanosecond more.
 */
#define PORTOLAN_PROBE_FORWARDING __attribute__((noinline, aligned(64)))
/** In front of the function it calls when it cannot. */
#define PORTOLAN_PROBE_MEASURING __attribute__((noinline))

/* Makes F part of the stack. What the barrier of swappers stands for begins here. */
PORTOLAN_PROBE_INLINE void portolan_probe_push(struct portolan_probe_thread *t,
                                               struct portolan_probe_frame *f)
{
#ifdef PORTOLAN_PROBE_FENCED /* test builds: what membarrier(2) does, where TSan can see it */
    (void)__atomic_exchange_n(&t->top, f + 1, __ATOMIC_SEQ_CST);
#else
    __atomic_store_n(&t->top, f + 1, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

/* Absolute, so it also drops frames that a longjmp left above F. */
PORTOLAN_PROBE_INLINE void portolan_probe_pop(struct portolan_probe_thread *t,
                                              struct portolan_probe_frame *f)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t->top, f, __ATOMIC_RELEASE);
}

PORTOLAN_PROBE_INLINE void portolan_probe_fill(struct portolan_probe_frame *f, uintptr_t sp,
                                               struct portolan_probe_port *port,
                                               struct portolan_probe_binding *binding)
{
    __atomic_store_n(&f->sp, sp, __ATOMIC_RELAXED);
    __atomic_store_n(&f->mark, (uintptr_t)port, __ATOMIC_RELEASE);
    __atomic_store_n(&f->binding, binding, __ATOMIC_RELEASE);
}

/** A call that is not measured. */
struct portolan_probe_pass {
    struct portolan_probe_binding *binding; /**< to forward to; NULL: no call has begun */
    struct portolan_probe_frame *frame;
    struct portolan_probe_thread *thread;
};

/**
 * Begins a call of PORT that is not measured. Begins nothing when the call is to be measured, or
 * has to wait, or is this thread's first: portolan_probe_enter is for these.
 */
PORTOLAN_PROBE_INLINE struct portolan_probe_pass
portolan_probe_mark(struct portolan_probe_port *port)
{
    const struct portolan_probe_pass none = {NULL, NULL, NULL};
    uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
    struct portolan_probe_binding *binding;
    struct portolan_probe_pass pass;
    uintptr_t flags;

    pass.thread = portolan_probe_thread;
    pass.frame = pass.thread->top;
    flags = __atomic_load_n(&port->flags, __ATOMIC_RELAXED);
    if (PORTOLAN_PROBE_UNLIKELY(pass.frame[-1].sp <= sp) ||
        PORTOLAN_PROBE_UNLIKELY((pass.frame == pass.thread->limit) | (flags != 0)))
        return none;
    pass.binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
    portolan_probe_fill(pass.frame, sp, port, pass.binding);
    portolan_probe_push(pass.thread, pass.frame);
    /* one test for both, as branches are what this path costs */
    flags = __atomic_load_n(&port->flags, __ATOMIC_ACQUIRE);
    binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
    if (PORTOLAN_PROBE_UNLIKELY(((uintptr_t)pass.binding ^ (uintptr_t)binding) | flags)) {
        portolan_probe_pop(pass.thread, pass.frame);
        return none;
    }
    if (!pass.binding)
        __builtin_unreachable(); /* every port has one */
    return pass;
}

/** Ends it. */
PORTOLAN_PROBE_INLINE void portolan_probe_unmark(struct portolan_probe_pass *pass)
{
    portolan_probe_pop(pass->thread, pass->frame);
}

/**
 * Declares a call NAME of PORT that is not measured, which ends when control leaves the block
 * (exceptions as above). When there can be none, AGAIN is done before anything has begun: a
 * statement that calls a function of its own for the other calls, with the same arguments and as
 * the last thing (`return solve_measured(self, n)`), so that this function stays small.
 */
#define PORTOLAN_PROBE_PASS(NAME, PORT, AGAIN)                                                     \
    const struct portolan_probe_pass portolan_begun_##NAME = portolan_probe_mark(PORT);            \
                                                                                                   \
    if (PORTOLAN_PROBE_UNLIKELY(!portolan_begun_##NAME.binding)) {                                 \
        AGAIN;                                                                                     \
    }                                                                                              \
    __attribute__((cleanup(portolan_probe_unmark))) struct portolan_probe_pass NAME =              \
        portolan_begun_##NAME

/* The innermost measured frame below F. */
PORTOLAN_PROBE_INLINE struct portolan_probe_frame *
portolan_probe_charged(const struct portolan_probe_thread *t, const struct portolan_probe_frame *f)
{
    struct portolan_probe_frame *below = t->charged;

    while (PORTOLAN_PROBE_UNLIKELY(below >= f || !(below->mark & PORTOLAN_PROBE_MEASURED)))
        below = below->below;
    return below;
}

/* Whether the call of PORT that NODE is for is to be timed. */
PORTOLAN_PROBE_INLINE bool portolan_probe_is_chosen(struct portolan_probe_call *call,
                                                    const struct portolan_probe_port *port,
                                                    struct portolan_probe_node *node)
{
    uint32_t one_in = __atomic_load_n(&port->one_in, __ATOMIC_RELAXED);

    if (PORTOLAN_PROBE_UNLIKELY(node->one_in != one_in))
        portolan_probe_slow_draw(call->thread, node, one_in);
    if (--node->skip)
        return false;
    portolan_probe_slow_draw(call->thread, node, one_in);
    return true;
}

/* Finds the record of this call below what is running, and starts its time. */
PORTOLAN_PROBE_INLINE void
portolan_probe_begin(struct portolan_probe_call *call, struct portolan_probe_frame *f,
                     const struct portolan_probe_port *port, uint32_t handle,
                     const struct portolan_probe_context *context, unsigned n)
{
    struct portolan_probe_frame *below = portolan_probe_charged(call->thread, f);
    struct portolan_probe_node *node, *parent = below->node;
    int64_t keys[PORTOLAN_PROBE_CONTEXTS];

#define PORTOLAN_PROBE_TAKE(i) (keys[i] = context[i].key)
    PORTOLAN_PROBE_EACH(n, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
    node = portolan_probe_find(parent, handle, keys, n);
    if (PORTOLAN_PROBE_UNLIKELY(!node)) {
        /* copies, so that what the hot path uses need not live in memory */
        int64_t k[PORTOLAN_PROBE_CONTEXTS];
        double x[PORTOLAN_PROBE_CONTEXTS];

#define PORTOLAN_PROBE_TAKE(i) (k[i] = context[i].key, x[i] = context[i].x)
        PORTOLAN_PROBE_EACH(n, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
        node = portolan_probe_slow_child(call->thread, parent, handle, k, x, n);
    }
    __atomic_store_n(&f->mark, f->mark | PORTOLAN_PROBE_MEASURED, __ATOMIC_RELEASE);
    f->below = call->below = below;
    f->node = call->node = node;
    f->child = 0;
    call->thread->charged = f;
    if (PORTOLAN_PROBE_UNLIKELY(call->flags & (PORTOLAN_PROBE_SAMPLED | PORTOLAN_PROBE_COUNTERS |
                                               PORTOLAN_PROBE_ROWS))) {
        if (call->flags & PORTOLAN_PROBE_SAMPLED && !portolan_probe_is_chosen(call, port, node)) {
            call->flags |= PORTOLAN_PROBE_COUNTED;
            __atomic_store_n(&f->mark, f->mark | PORTOLAN_PROBE_UNTIMED, __ATOMIC_RELEASE);
            return;
        }
        f->mpi = 0;
        node->row_quality = __builtin_nan("");
        if (call->flags & PORTOLAN_PROBE_COUNTERS)
            portolan_probe_slow_counters_start(call->thread, f);
    }
    f->start = portolan_probe_now();
}

/**
 * Begins a call of method number METHOD of PORT, measured if the port is, and returns the binding
 * to forward to, valid until leave. N_CONTEXT, a constant at each place of use, is what the method
 * was registered with.
 */
PORTOLAN_PROBE_INLINE struct portolan_probe_binding *
portolan_probe_enter(struct portolan_probe_call *call, struct portolan_probe_port *port,
                     unsigned method, const struct portolan_probe_context *context,
                     unsigned n_context)
{
    uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
    struct portolan_probe_thread *t = portolan_probe_thread;
    struct portolan_probe_binding *binding;
    struct portolan_probe_frame *f;

    call->frame = call->below = NULL;
    call->thread = NULL;
    call->node = NULL;
    call->flags = 0;
    call->n_context = n_context;
#define PORTOLAN_PROBE_TAKE(i) (call->x[i] = context[i].x)
    PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
    /* a longjmp left frames behind, or it is the thread's first call */
    if (PORTOLAN_PROBE_UNLIKELY(t->top[-1].sp <= sp) && !(t = portolan_probe_slow_heal(sp)))
        return portolan_probe_slow_enter(port);
    f = t->top;
    if (PORTOLAN_PROBE_UNLIKELY(f == t->limit))
        return portolan_probe_slow_enter(port);

    binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
    portolan_probe_fill(f, sp, port, binding);
    portolan_probe_push(t, f);
    if (PORTOLAN_PROBE_UNLIKELY(binding != __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE)) ||
        PORTOLAN_PROBE_UNLIKELY(__atomic_load_n(&port->flags, __ATOMIC_ACQUIRE) &
                                PORTOLAN_PROBE_CLOSED))
        binding = portolan_probe_slow_settle(t, f, port);

    call->thread = t;
    call->frame = f;
    call->flags = __atomic_load_n(&port->flags, __ATOMIC_RELAXED);
    if (call->flags & PORTOLAN_PROBE_MONITORED)
        portolan_probe_begin(call, f, port,
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
    struct portolan_probe_frame *below = f->below;
    double t = (double)(int64_t)elapsed;

    portolan_probe_add(&node->calls, 1);
    portolan_probe_add(&node->inclusive, elapsed);
    portolan_probe_add(&node->exclusive, elapsed - f->child);
    if (elapsed < node->min)
        __atomic_store_n(&node->min, elapsed, __ATOMIC_RELAXED);
    if (elapsed > node->max)
        __atomic_store_n(&node->max, elapsed, __ATOMIC_RELAXED);
    portolan_probe_add_real(&node->squares, t * t);
#define PORTOLAN_PROBE_SUM(i)                                                                      \
    (portolan_probe_add_real(&node->moments[i].x, x[i]),                                           \
     portolan_probe_add_real(&node->moments[i].xx, x[i] * x[i]),                                   \
     portolan_probe_add_real(&node->moments[i].xt, x[i] * t))
    PORTOLAN_PROBE_EACH(n, PORTOLAN_PROBE_SUM);
#undef PORTOLAN_PROBE_SUM
    below->child += elapsed;
    portolan_probe_add(&below->node->subroutine_calls, 1);
}

/* Reads the counters, notes the row: what is asked for beside totals, before they change. */
PORTOLAN_PROBE_INLINE void portolan_probe_note(const struct portolan_probe_call *call,
                                               struct portolan_probe_frame *f, uint64_t elapsed)
{
    double x[PORTOLAN_PROBE_CONTEXTS]; /* a copy, as above */

#define PORTOLAN_PROBE_TAKE(i) (x[i] = call->x[i])
    PORTOLAN_PROBE_EACH(call->n_context, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
    if (call->flags & PORTOLAN_PROBE_ROWS)
        portolan_probe_slow_row(call->thread, f, elapsed, call->flags, x, call->n_context);
    else
        portolan_probe_slow_counters_stop(call->thread, f);
}

/** Ends a call that portolan_probe_enter began and that came back as it should. */
PORTOLAN_PROBE_INLINE void portolan_probe_leave(struct portolan_probe_call *call)
{
    struct portolan_probe_frame *f = call->frame;

    call->frame = PORTOLAN_PROBE_LEFT;
    if (PORTOLAN_PROBE_UNLIKELY(!f)) {
        portolan_probe_slow_leave();
        return;
    }
    if (PORTOLAN_PROBE_UNLIKELY(call->flags & PORTOLAN_PROBE_COUNTED)) {
        if (!call->node || !call->below)
            __builtin_unreachable(); /* the call has begun */
        portolan_probe_add(&call->node->untimed, 1);
        portolan_probe_add(&call->below->node->subroutine_calls, 1);
        call->thread->charged = call->below;
    } else if (call->flags & PORTOLAN_PROBE_MONITORED) {
        uint64_t elapsed = portolan_probe_now() - f->start;

        if (PORTOLAN_PROBE_UNLIKELY(call->flags & (PORTOLAN_PROBE_COUNTERS | PORTOLAN_PROBE_ROWS)))
            portolan_probe_note(call, f, elapsed);
        portolan_probe_record_call(f, elapsed, call->x, call->n_context);
        call->thread->charged = call->below;
    }
    portolan_probe_pop(call->thread, f);
}

/**
 * Ends a call that came to no good end: it returned an exception or a status that says so. It is
 * counted as failed and has no time, extremes, contexts or row; what it took is not its caller's
 * own time either.
 */
PORTOLAN_PROBE_INLINE void portolan_probe_leave_failed(struct portolan_probe_call *call)
{
    struct portolan_probe_frame *f = call->frame;
    double x[PORTOLAN_PROBE_CONTEXTS]; /* a copy, as above */

    call->frame = PORTOLAN_PROBE_LEFT;
#define PORTOLAN_PROBE_TAKE(i) (x[i] = call->x[i])
    PORTOLAN_PROBE_EACH(call->n_context, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
    portolan_probe_slow_fail(call->thread, f, call->flags, x, call->n_context);
}

/* The cleanup of PORTOLAN_PROBE_CALL: on the usual way out there is nothing left to do. */
PORTOLAN_PROBE_INLINE void portolan_probe_unwind(struct portolan_probe_call *call)
{
    if (PORTOLAN_PROBE_UNLIKELY(call->frame != PORTOLAN_PROBE_LEFT))
        portolan_probe_leave_failed(call);
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
        if (!(accuracy <= call->frame->node->row_quality))
            call->frame->node->row_quality = accuracy;
    }
}

#endif
