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
 * between two instructions of every running thread. If it falls after the second look, the swapper
 * sees what was written before and waits for this frame; if it falls before the second look, the
 * call finds the new state and steps back. A signal fence keeps the compiler from moving the second
 * look upwards; the processor needs no fence, as membarrier(2) is one for it. The binding read
 * before the frame is part of the stack is only a guess, and a wrong guess costs a swapper a moment
 * of waiting at most.
 *
 * Readers of the frames pair with these stores: mark, binding and top are stored with release and
 * loaded with acquire, because a reader who sees that a call has left its frame, or that another
 * call uses it now, must also see all that the former call did. On x86 these are plain moves; on
 * AArch64 stlr and ldar. The flags are loaded with acquire too: a thread that finds the gate open
 * sees what was handed over while it was closed.
 *
 * A binding is in a frame by its address: calls that come again and again through the same frame
 * are known to be new because they hold the new binding. Hence a binding that was published must
 * not be published anew, nor its memory be used for another one of the same port, before it was
 * retired; then it may.
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

#include "probe_node_inline.h"

/* Bits of a frame's mark, whose other bits are the port's address: this frame has a record … */
#define PORTOLAN_PROBE_MEASURED ((uintptr_t)1)
/* … but the call was not chosen to be timed. */
#define PORTOLAN_PROBE_UNTIMED ((uintptr_t)2)
/* The call ends by portolan_probe_slow_leave; the node has its flags and contexts. */
#define PORTOLAN_PROBE_SPECIAL ((uintptr_t)4)
/* A flag of a port: calls wait, see portolan_probe_gate_close. */
#define PORTOLAN_PROBE_CLOSED 4U
/* A flag of a port: no call has been made yet. The first call takes the slow way and clears it. */
#define PORTOLAN_PROBE_UNCALLED 8U
/* The inline code begins a call only if MONITORED is the only one of these that is set. */
#define PORTOLAN_PROBE_DECIDING 0xFFU
/* A flag of a port: only some calls are timed. */
#define PORTOLAN_PROBE_SAMPLED 0x40000000U

struct portolan_probe_frame {
    uintptr_t mark;
    struct portolan_probe_binding *binding;
    uintptr_t sp; /* end of the calling function's frame: shows whether that still exists */
    struct portolan_probe_frame *below; /* measured: the measured frame around */
    struct portolan_probe_node *node;
    uint64_t start, child;
    uint64_t mpi; /* of this call, kept while rows are noted */
};

struct portolan_probe_thread {
    struct portolan_probe_frame *top;        /* next free frame; the one below always exists */
    struct portolan_probe_frame *limit;      /* the end of the frames */
    struct portolan_probe_frame *charged;    /* innermost measured frame, or one left since */
    struct portolan_probe_frame *frames;     /* [0] is the root's */
    struct portolan_probe_frame *fast_limit; /* the limit, or all are special: the clock is slow */
};

/** The calling thread's; before its first call one that belongs to no thread. Never NULL. */
extern PORTOLAN_API __thread struct portolan_probe_thread *portolan_probe_thread
    __attribute__((tls_model("initial-exec")));

/* 0: the processor's counter is read inline. */
extern PORTOLAN_API int portolan_probe_clock_is_slow;

/* Cold paths. */
#define PORTOLAN_PROBE_COLD __attribute__((cold, nothrow))
PORTOLAN_API uint64_t portolan_probe_slow_now(void) PORTOLAN_PROBE_COLD;
/* The record that holds METHOD below PARENT with X among others; NULL: none yet. */
PORTOLAN_API struct portolan_probe_node *
portolan_probe_slow_find(const struct portolan_probe_node *parent, uint32_t method, const double *x,
                         unsigned n) PORTOLAN_PROBE_COLD;
/* The state of a call between its begin and its end. */
struct portolan_probe_begun {
    struct portolan_probe_binding *binding;
    struct portolan_probe_frame *frame;
};
/*
 * Begins a call that the inline code leaves alone: the thread's first, the first of its record, one
 * that has to wait or finds the port changed; with counters, by a slow clock; not measured.
 */
PORTOLAN_API struct portolan_probe_begun
portolan_probe_slow_enter(struct portolan_probe_port *port, unsigned method, uintptr_t sp,
                          const int64_t *keys, const double *x, unsigned n) PORTOLAN_PROBE_COLD;
/* Ends it, and others whose mark is special. */
PORTOLAN_API void portolan_probe_slow_leave(struct portolan_probe_frame *f, unsigned n)
    __attribute__((nothrow));
PORTOLAN_API void portolan_probe_slow_fail(struct portolan_probe_frame *f,
                                           unsigned n) PORTOLAN_PROBE_COLD;

/*
 * The processor's counter of time: x86-64's time stamp counter, AArch64's cntvct_el0; elsewhere 0.
 * By a builtin, since <x86intrin.h> is two megabytes to compile.
 */
PORTOLAN_PROBE_INLINE uint64_t portolan_probe_counter(void)
{
    uint64_t ticks = 0;

#if defined(__x86_64__)
    ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#endif
    return ticks;
}

/*
 * The clock in ticks for calls that are not special. Elsewhere than here, and in builds that test
 * the inline code by the manual clock, one function reads whichever is in use.
 */
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(PORTOLAN_PROBE_ANY_CLOCK)
#define PORTOLAN_PROBE_TSC_ALONE true
#else
#define PORTOLAN_PROBE_TSC_ALONE false
#endif
PORTOLAN_PROBE_INLINE uint64_t portolan_probe_fast_now(void)
{
    if (PORTOLAN_PROBE_TSC_ALONE || !portolan_probe_clock_is_slow)
        return portolan_probe_counter();
    return portolan_probe_slow_now();
}

/** The clock in ticks. */
PORTOLAN_PROBE_INLINE uint64_t portolan_probe_now(void)
{
    return PORTOLAN_PROBE_UNLIKELY(portolan_probe_clock_is_slow) ? portolan_probe_slow_now()
                                                                 : portolan_probe_fast_now();
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
    struct portolan_probe_frame *frame; /* PORTOLAN_PROBE_LEFT: none */
    struct portolan_probe_thread *thread;
    unsigned n_context;
};

#define PORTOLAN_PROBE_LEFT ((struct portolan_probe_frame *)1)

/**
 * Declares a call NAME for portolan_probe_enter. If it has not been left before, it has failed when
 * control leaves the block: by a C++ exception, pthread_exit or pthread_cancel, in code that was
 * compiled with -fexceptions. Costs nothing. Stands as the last of the declarations.
 */
#define PORTOLAN_PROBE_CALL(NAME)                                                                  \
    __attribute__((cleanup(portolan_probe_unwind))) struct portolan_probe_call NAME;               \
    NAME.thread = NULL;                                                                            \
    NAME.n_context = 0;                                                                            \
    NAME.frame = PORTOLAN_PROBE_LEFT

/**
 * For a function that forwards by portolan_probe_mark: never inlined, and in cache lines of its
 * own, without which it costs up to a nanosecond more; a third line costs a cycle or two.
 */
#define PORTOLAN_PROBE_FORWARDING __attribute__((noinline, aligned(64)))
/** For the function that it calls when it cannot forward so. */
#define PORTOLAN_PROBE_MEASURING __attribute__((noinline))

/* Makes F part of the stack. A swapper's barrier stands for a fence here. */
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

/* For the second look, after the push. */
PORTOLAN_PROBE_INLINE struct portolan_probe_binding *
portolan_probe_binding_now(const struct portolan_probe_port *port)
{
#ifdef PORTOLAN_PROBE_OPERANDS
    return port->binding;
#else
    return __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
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
                                               uintptr_t mark,
                                               struct portolan_probe_binding *binding)
{
    __atomic_store_n(&f->sp, sp, __ATOMIC_RELAXED);
    __atomic_store_n(&f->mark, mark, __ATOMIC_RELEASE);
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
    __asm__("" : "+r"(pass.thread)); /* the order of these two makes the function the smallest */
    if (PORTOLAN_PROBE_UNLIKELY(__atomic_load_n(&port->flags, __ATOMIC_RELAXED)))
        return none;
    pass.frame = pass.thread->top;
    __asm__("" : "+r"(sp)); /* computed once, for the same reason */
    if (PORTOLAN_PROBE_UNLIKELY(pass.frame[-1].sp <= sp) ||
        PORTOLAN_PROBE_UNLIKELY(pass.frame == pass.thread->limit))
        return none;
    pass.binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
    portolan_probe_fill(pass.frame, sp, (uintptr_t)port, pass.binding);
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
 * (exceptions as above). When it cannot begin, AGAIN is done before anything has begun: a
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

PORTOLAN_PROBE_INLINE void portolan_probe_add_mark(struct portolan_probe_frame *f, uintptr_t bit)
{
    __atomic_store_n(&f->mark, f->mark | bit, __ATOMIC_RELEASE);
}

/* From now on times below F are charged to F. */
PORTOLAN_PROBE_INLINE void portolan_probe_charge(struct portolan_probe_thread *t,
                                                 struct portolan_probe_frame *f,
                                                 struct portolan_probe_frame *below,
                                                 struct portolan_probe_node *node)
{
    f->below = below;
    __atomic_store_n(&f->node, node, __ATOMIC_RELAXED); /* a swapper that waits may name it */
    f->child = 0;
    t->charged = f;
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
    int64_t keys[PORTOLAN_PROBE_CONTEXTS];
    struct portolan_probe_frame *f = t->top;
    struct portolan_probe_binding *binding;
    struct portolan_probe_node *node;
    struct portolan_probe_frame *below;
    uint32_t flags, handle;

    call->n_context = n_context;
    call->thread = t;
    if (PORTOLAN_PROBE_UNLIKELY(f[-1].sp <= sp) || PORTOLAN_PROBE_UNLIKELY(f >= t->fast_limit))
        goto slow;
    binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
    portolan_probe_fill(f, sp, (uintptr_t)port + PORTOLAN_PROBE_MEASURED, binding);
    portolan_probe_push(t, f);
    flags = __atomic_load_n(&port->flags, __ATOMIC_ACQUIRE);
    if (PORTOLAN_PROBE_UNLIKELY(binding != portolan_probe_binding_now(port)) ||
        PORTOLAN_PROBE_UNLIKELY((flags & PORTOLAN_PROBE_DECIDING) != PORTOLAN_PROBE_MONITORED))
        goto undo;

    below = portolan_probe_charged(t, f);
#define PORTOLAN_PROBE_TAKE(i) (keys[i] = context[i].key)
    PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
    handle = (binding->first_method_handle + method) | (flags & PORTOLAN_PROBE_PROFILED);
    node = portolan_probe_find(below->node, handle, keys, n_context);
    if (PORTOLAN_PROBE_UNLIKELY(!node)) {
        double x[PORTOLAN_PROBE_CONTEXTS];

#define PORTOLAN_PROBE_TAKE(i) (x[i] = portolan_probe_value(context[i]))
        PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
        node = n_context ? portolan_probe_slow_find(below->node, handle, x, n_context) : NULL;
        if (!node)
            goto undo;
    }
#define PORTOLAN_PROBE_TAKE(i) (node->x[i] = portolan_probe_value(context[i]))
    if (PORTOLAN_PROBE_UNLIKELY(flags & (PORTOLAN_PROBE_SAMPLED | PORTOLAN_PROBE_ROWS))) {
        if (flags & PORTOLAN_PROBE_SAMPLED) {
            /* to be timed, or a gap to be drawn */
            if (node->skip <= 1 || node->one_in != __atomic_load_n(&port->one_in, __ATOMIC_RELAXED))
                goto undo;
            node->skip--;
            PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE); /* it may fail */
            portolan_probe_add_mark(f, PORTOLAN_PROBE_UNTIMED);
            portolan_probe_charge(t, f, below, node);
            call->frame = f;
            return binding;
        }
        node->flags = flags;
        f->mpi = 0;
        node->row_quality = __builtin_nan("");
        portolan_probe_add_mark(f, PORTOLAN_PROBE_SPECIAL);
        PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE);
    } else if (n_context && node->has_moments & 1) {
        PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE);
    }
#undef PORTOLAN_PROBE_TAKE
    portolan_probe_charge(t, f, below, node);
    call->frame = f;
    f->start = portolan_probe_fast_now();
    return binding;

undo:
    portolan_probe_pop(t, f);
slow : {
    /* copies, so that what is used above need not live in memory */
    int64_t k[PORTOLAN_PROBE_CONTEXTS];
    double x[PORTOLAN_PROBE_CONTEXTS];
    struct portolan_probe_begun begun;

#define PORTOLAN_PROBE_TAKE(i) (k[i] = context[i].key, x[i] = portolan_probe_value(context[i]))
    PORTOLAN_PROBE_EACH(n_context, PORTOLAN_PROBE_TAKE);
#undef PORTOLAN_PROBE_TAKE
    begun = portolan_probe_slow_enter(port, method, sp, k, x, n_context);
    call->frame = begun.frame;
    return begun.binding;
}
}

/* Adds one call of ELAPSED ticks to the frame's node and charges it to the frame BELOW. */
PORTOLAN_PROBE_INLINE void portolan_probe_record_call(struct portolan_probe_frame *f,
                                                      struct portolan_probe_frame *below,
                                                      uint64_t elapsed, unsigned n)
{
    struct portolan_probe_node *node = f->node;
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
    (portolan_probe_add_real(&node->moments[i].x, node->x[i]),                                     \
     portolan_probe_add_real(&node->moments[i].xx, node->x[i] * node->x[i]),                       \
     portolan_probe_add_real(&node->moments[i].xt, node->x[i] * t))
    if (n && node->has_moments & 1)
        PORTOLAN_PROBE_EACH(n, PORTOLAN_PROBE_SUM);
#undef PORTOLAN_PROBE_SUM
    below->child += elapsed;
    portolan_probe_add(&below->node->subroutine_calls, 1);
}

/* The call in F, which was not chosen to be timed. */
PORTOLAN_PROBE_INLINE void portolan_probe_record_untimed(struct portolan_probe_frame *f,
                                                         struct portolan_probe_frame *below)
{
    portolan_probe_add(&f->node->untimed, 1);
    portolan_probe_add(&below->node->subroutine_calls, 1);
}

/** Ends a call that portolan_probe_enter began and that did not fail. */
PORTOLAN_PROBE_INLINE void portolan_probe_leave(struct portolan_probe_call *call)
{
    struct portolan_probe_frame *f = call->frame, *below = f->below;

    call->frame = PORTOLAN_PROBE_LEFT;
    if (PORTOLAN_PROBE_UNLIKELY(f->mark & (PORTOLAN_PROBE_SPECIAL | PORTOLAN_PROBE_UNTIMED))) {
        if (__atomic_load_n(&f->mark, __ATOMIC_RELAXED) & PORTOLAN_PROBE_SPECIAL) {
            portolan_probe_slow_leave(f, call->n_context);
            return;
        }
        portolan_probe_record_untimed(f, below);
    } else {
        portolan_probe_record_call(f, below, portolan_probe_fast_now() - f->start, call->n_context);
    }
    call->thread->charged = below;
    portolan_probe_pop(call->thread, f);
}

/**
 * Ends a call that failed: it returned an exception or a status that says so. It is counted as
 * failed and has no time, extremes, contexts or row; what it took is not its caller's own time
 * either.
 */
PORTOLAN_PROBE_INLINE void portolan_probe_leave_failed(struct portolan_probe_call *call)
{
    struct portolan_probe_frame *f = call->frame;

    call->frame = PORTOLAN_PROBE_LEFT;
    portolan_probe_slow_fail(f, call->n_context);
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
    if (call->frame->mark & PORTOLAN_PROBE_MEASURED) {
        double *quality = &call->frame->node->quality;

        if (accuracy != accuracy)
            accuracy = __builtin_inf(); /* a diverged solver is as inaccurate as can be */
        if (!(accuracy <= *quality))
            __atomic_store(quality, &accuracy, __ATOMIC_RELAXED);
        if (!(accuracy <= call->frame->node->row_quality))
            call->frame->node->row_quality = accuracy;
    }
}

/**
 * Gives the running CALL context number INDEX, of those that its method was registered with after
 * the ones it was entered with; before leave, in their order. Records are not separated by it: they
 * have its mean.
 */
PORTOLAN_PROBE_INLINE void portolan_probe_note_context(struct portolan_probe_call *call,
                                                       unsigned index, double value)
{
    if (call->frame->mark & PORTOLAN_PROBE_MEASURED) {
        call->frame->node->x[index] = value;
        call->n_context = index + 1;
    }
}

#endif
