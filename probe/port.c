/* SPDX-License-Identifier: BSD-3-Clause */
/* The binding of a port, and its replacement while threads call through the port. */
#include "internal.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The oldest call to wait for that a thread was in when it was looked at. */
struct mark {
    struct probe_thread *thread;
    struct portolan_probe_frame *frame;
    const struct portolan_probe_port *port;
    const struct portolan_probe_binding *binding;
};

/* Most waits end within microseconds; after so many yields, sleeps leave the processor alone. */
enum { YIELDS = 64 };

typedef bool counts_fn(const struct portolan_probe_binding *seen, const void *arg);

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

/* Once, before any thread can be inside a call; without it the barrier is refused. */
__attribute__((constructor)) static void register_membarrier(void)
{
    membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/* ------------------------------------------------- flags and sampling */

/* FLAGS with PORTOLAN_PROBE_SAMPLED if only some calls of PORT are to be timed. */
static uint32_t with_sampling(const struct portolan_probe_port *port, uint32_t flags)
{
    flags &= ~PORTOLAN_PROBE_SAMPLED;
    if (flags & PORTOLAN_PROBE_MONITORED && portolan_probe_port_sampling(port) > 1)
        flags |= PORTOLAN_PROBE_SAMPLED;
    return flags;
}

/* Sets PORT's flags to FLAGS, except those in KEPT, which stay as they are. */
static void change_flags(struct portolan_probe_port *port, uint32_t kept, uint32_t flags)
{
    uint32_t now = __atomic_load_n(&port->flags, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(&port->flags, &now,
                                        with_sampling(port, (flags & ~kept) | (now & kept)), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void portolan_probe_port_set_sampling(struct portolan_probe_port *port, uint32_t one_in)
{
    if (one_in > PORTOLAN_PROBE_SAMPLING_MAX)
        one_in = PORTOLAN_PROBE_SAMPLING_MAX;
    __atomic_store_n(&port->one_in, one_in ? one_in : 1, __ATOMIC_RELAXED);
    change_flags(port, ~0U, 0);
}

uint32_t portolan_probe_port_sampling(const struct portolan_probe_port *port)
{
    uint32_t one_in = __atomic_load_n(&port->one_in, __ATOMIC_RELAXED);

    return one_in ? one_in : 1;
}

void portolan_probe_port_init(struct portolan_probe_port *port,
                              struct portolan_probe_binding *binding, uint32_t flags)
{
    port->keeper = NULL;
    port->one_in = 1;
    __atomic_store_n(&port->binding, binding, __ATOMIC_RELEASE);
    /* a port that was closed from the start opens only now */
    __atomic_store_n(&port->flags, (flags & ~PROBE_STATE_FLAGS) | PORTOLAN_PROBE_UNCALLED,
                     __ATOMIC_RELEASE);
    if (flags & PORTOLAN_PROBE_ROWS)
        probe_rows_start();
}

void portolan_probe_port_set_flags(struct portolan_probe_port *port, uint32_t flags)
{
    if (flags & PORTOLAN_PROBE_ROWS)
        probe_rows_start();
    change_flags(port, PROBE_STATE_FLAGS, flags);
}

void portolan_probe_port_observe(struct portolan_probe_port *port, portolan_probe_call_fn *observer)
{
    probe_call_observe(observer);
    change_flags(port, ~PROBE_OBSERVED, PROBE_OBSERVED);
}

uint32_t portolan_probe_port_flags(const struct portolan_probe_port *port)
{
    return __atomic_load_n(&port->flags, __ATOMIC_RELAXED) & ~PROBE_STATE_FLAGS;
}

bool portolan_probe_port_was_called(const struct portolan_probe_port *port)
{
    return !(__atomic_load_n(&port->flags, __ATOMIC_SEQ_CST) & PORTOLAN_PROBE_UNCALLED);
}

/* ------------------------------------------------- waiting until no call is inside */

struct portolan_probe_binding *
portolan_probe_port_peek_binding(const struct portolan_probe_port *port)
{
    return __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
}

/* Called by a function whose own frame ends at SP: what a longjmp left above is not counted. */
static bool own_stack_holds(const struct portolan_probe_port *port, void *sp)
{
    struct probe_thread *t = probe_thread_known();

    if (!t)
        return false;
    probe_thread_heal(t, (uintptr_t)sp);
    for (struct portolan_probe_frame *f = t->hot.frames + 1; f < t->hot.top; f++)
        if (probe_frame_port(f) == port)
            return true;
    return false;
}

static bool find_mark(struct probe_thread *t, const struct portolan_probe_port *port,
                      counts_fn *counts, const void *arg, struct mark *mark)
{
    struct portolan_probe_frame *top = __atomic_load_n(&t->hot.top, __ATOMIC_ACQUIRE);

    for (struct portolan_probe_frame *f = t->hot.frames + 1; f < top; f++) {
        const struct portolan_probe_binding *binding =
            __atomic_load_n(&f->binding, __ATOMIC_ACQUIRE);

        if (probe_frame_port(f) != port || !counts(binding, arg))
            continue;
        *mark = (struct mark){t, f, port, binding};
        return true;
    }
    return false;
}

static bool mark_is_gone(const struct mark *mark)
{
    return __atomic_load_n(&mark->thread->hot.top, __ATOMIC_ACQUIRE) <= mark->frame ||
           __atomic_load_n(&mark->frame->binding, __ATOMIC_ACQUIRE) != mark->binding ||
           probe_frame_port(mark->frame) != mark->port;
}

static bool wait_until_gone(const struct mark *mark, uint64_t deadline_ns)
{
    const struct timespec rest = {0, 50000};

    for (unsigned tries = 0; !mark_is_gone(mark); tries++) {
        if (probe_wall_ns() >= deadline_ns)
            return false;
        if (tries < YIELDS)
            sched_yield();
        else
            nanosleep(&rest, NULL);
    }
    return true;
}

/* Reports the call that is still inside; its method only if calls are measured, since others do not
 * note it. */
static enum portolan_status still_inside(const struct mark *mark, uint64_t began_ns,
                                         struct portolan_error *err)
{
    const struct portolan_probe_method_info *about =
        portolan_probe_method_peek(mark->binding->first_method_handle);
    const struct portolan_probe_connection *c = about ? &about->connection : NULL;
    uintptr_t bits = __atomic_load_n(&mark->frame->mark, __ATOMIC_ACQUIRE);
    const struct portolan_probe_node *node =
        bits & PORTOLAN_PROBE_MEASURED ? __atomic_load_n(&mark->frame->node, __ATOMIC_RELAXED)
                                       : NULL;
    const struct portolan_probe_method_info *inside =
        node ? portolan_probe_method_peek(node->method & PROBE_HANDLE_MASK) : NULL;

    return portolan_error_set(
        err, PORTOLAN_ETIMEOUT, "after %.3g s thread %u is still inside %s of port %s.%s (%s%s%s)",
        (double)(probe_wall_ns() - began_ns) * 1e-9, (unsigned)mark->thread->index,
        inside ? inside->method.name : "a call", c ? c->user : "", c ? c->uses : "",
        c ? c->port_type : "", c && *c->provider_class ? " by " : "", c ? c->provider_class : "");
}

/* Marks of all threads first, then the waiting, so that none is looked at too late. */
static enum portolan_status wait_quiet(const struct portolan_probe_port *port, counts_fn *counts,
                                       const void *arg, uint64_t began_ns, uint64_t deadline_ns,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    struct mark *marks;
    size_t n = 0, room = 0;

    for (struct probe_thread *t = probe_thread_first(); t; t = probe_thread_next(t))
        room++;
    marks = portolan_calloc(room + 1, sizeof *marks);
    if (!marks)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to wait for a port");
    for (struct probe_thread *t = probe_thread_first(); t && n < room; t = probe_thread_next(t))
        if (find_mark(t, port, counts, arg, &marks[n]))
            n++;
    for (size_t i = 0; i < n && status == PORTOLAN_OK; i++)
        if (!wait_until_gone(&marks[i], deadline_ns))
            status = still_inside(&marks[i], began_ns, err);
    while (status == PORTOLAN_OK && probe_unmarked_calls() > 0) {
        if (probe_wall_ns() >= deadline_ns)
            status = portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                        "calls that could not be marked are still running");
        sched_yield();
    }
    free(marks);
    return status;
}

/* Waits until no call of PORT for which COUNTS says yes is running. */
static enum portolan_status barrier_and_wait(const struct portolan_probe_port *port,
                                             counts_fn *counts, const void *arg,
                                             uint64_t timeout_ns, struct portolan_error *err)
{
    uint64_t now = probe_wall_ns();
    uint64_t deadline = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;

    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the kernel refuses membarrier(2): %s", strerror(errno));
    return wait_quiet(port, counts, arg, now, deadline, err);
}

static bool is_binding(const struct portolan_probe_binding *seen, const void *arg)
{
    return seen == arg;
}

static bool is_other_binding(const struct portolan_probe_binding *seen, const void *arg)
{
    return seen != arg;
}

enum portolan_status portolan_probe_port_wait_quiet(struct portolan_probe_port *port,
                                                    uint64_t timeout_ns, struct portolan_error *err)
{
    if (own_stack_holds(port, __builtin_dwarf_cfa()))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a call of this port");
    return barrier_and_wait(port, is_other_binding, portolan_probe_port_peek_binding(port),
                            timeout_ns, err);
}

enum portolan_status portolan_probe_retarget(struct portolan_probe_port *port,
                                             struct portolan_probe_binding *new_binding,
                                             uint64_t timeout_ns,
                                             struct portolan_probe_binding **old_binding,
                                             struct portolan_error *err)
{
    struct portolan_probe_binding *old;
    enum portolan_status status;

    *old_binding = NULL;
    if (own_stack_holds(port, __builtin_dwarf_cfa()))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a call of this port; swap from "
                                  "outside of it, at a swap point between time steps");
    old = __atomic_exchange_n(&port->binding, new_binding, __ATOMIC_ACQ_REL);
    status = barrier_and_wait(port, is_binding, old, timeout_ns, err);
    if (status != PORTOLAN_OK) {
        __atomic_store_n(&port->binding, old, __ATOMIC_RELEASE);
        return status;
    }
    *old_binding = old;
    return PORTOLAN_OK;
}

/* ------------------------------------------------- the gate */

/*
 * While a port's gate is closed, callers sleep, so that state can move from one implementation to
 * the next. The lock is a bit of the port's flags, which calls look at anyway.
 */

/*
 * A gate without state to move opens within microseconds: whoever slept would have to be woken, and
 * would take the processor from the thread that swaps. After that, sleeps wake up now and then:
 * what lets a call pass may have changed at another port.
 */
void probe_gate_wait(const struct portolan_probe_port *port, uint32_t flags)
{
    const struct timespec rest = {0, 1000000};

    for (int tries = 0; tries < YIELDS; tries++) {
        sched_yield();
        if (__atomic_load_n(&port->flags, __ATOMIC_RELAXED) != flags)
            return;
    }
    syscall(SYS_futex, &port->flags, FUTEX_WAIT_PRIVATE, flags, &rest, NULL, 0);
}

static void wake_callers(const struct portolan_probe_port *port)
{
    syscall(SYS_futex, &port->flags, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/*
 * A caller that is inside the port already, or inside another one that the same thread closed (of
 * the same instance), must be able to leave it, or the gate would wait for ever; and the thread
 * that closed it may have to call the old implementation to take over its state.
 */
bool probe_gate_lets_pass(const struct probe_thread *t, const struct portolan_probe_frame *f,
                          const struct portolan_probe_port *port)
{
    const struct portolan_probe_thread *keeper = __atomic_load_n(&port->keeper, __ATOMIC_RELAXED);
    const struct portolan_probe_port *around;

    if (!t)
        return false;
    if (keeper == &t->hot)
        return true;
    while (--f > t->hot.frames)
        if ((around = probe_frame_port(f)) &&
            (around == port || (portolan_probe_port_is_closed(around) &&
                                __atomic_load_n(&around->keeper, __ATOMIC_RELAXED) == keeper)))
            return true;
    return false;
}

struct portolan_probe_binding *probe_settle(struct probe_thread *t, struct portolan_probe_frame *f,
                                            struct portolan_probe_port *port)
{
    for (;;) {
        struct portolan_probe_binding *binding = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
        uint32_t flags;

        __atomic_store_n(&f->binding, binding, __ATOMIC_RELEASE);
        portolan_probe_push(&t->hot, f);
        flags = __atomic_load_n(&port->flags, __ATOMIC_ACQUIRE);
        if (binding != __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE))
            continue;
        if (!(flags & PORTOLAN_PROBE_CLOSED) || probe_gate_lets_pass(t, f, port))
            return binding;
        portolan_probe_pop(&t->hot, f);
        probe_gate_wait(port, flags);
    }
}

static bool every_call(const struct portolan_probe_binding *seen, const void *arg)
{
    (void)seen, (void)arg;
    return true;
}

static void open_gate(struct portolan_probe_port *port)
{
    __atomic_store_n(&port->keeper, NULL, __ATOMIC_RELAXED);
    __atomic_fetch_and(&port->flags, ~PORTOLAN_PROBE_CLOSED, __ATOMIC_SEQ_CST);
    wake_callers(port);
}

/* SP: where the frame of the function that was called by the gate's user ends. */
static enum portolan_status shut_gate(struct portolan_probe_port *port, void *sp,
                                      struct portolan_error *err)
{
    struct probe_thread *self = probe_thread_self();

    if (!self)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to close a gate");
    if (own_stack_holds(port, sp))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a call of this port");
    if (portolan_probe_port_is_closed(port))
        return portolan_error_set(err, PORTOLAN_EBUSY, "the gate is closed already");
    __atomic_store_n(&port->keeper, &self->hot, __ATOMIC_RELAXED);
    __atomic_fetch_or(&port->flags, PORTOLAN_PROBE_CLOSED, __ATOMIC_SEQ_CST);
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_gate_shut(struct portolan_probe_port *port,
                                              struct portolan_error *err)
{
    return shut_gate(port, __builtin_dwarf_cfa(), err);
}

enum portolan_status portolan_probe_gate_drain(struct portolan_probe_port *port,
                                               uint64_t timeout_ns, struct portolan_error *err)
{
    return barrier_and_wait(port, every_call, NULL, timeout_ns, err);
}

enum portolan_status portolan_probe_gate_close(struct portolan_probe_port *port,
                                               uint64_t timeout_ns, struct portolan_error *err)
{
    enum portolan_status status = shut_gate(port, __builtin_dwarf_cfa(), err);

    if (status != PORTOLAN_OK)
        return status;
    status = portolan_probe_gate_drain(port, timeout_ns, err);
    if (status != PORTOLAN_OK)
        open_gate(port);
    return status;
}

struct portolan_probe_binding *
portolan_probe_gate_publish(struct portolan_probe_port *port,
                            struct portolan_probe_binding *new_binding)
{
    return __atomic_exchange_n(&port->binding, new_binding, __ATOMIC_ACQ_REL);
}

struct portolan_probe_binding *portolan_probe_gate_open(struct portolan_probe_port *port,
                                                        struct portolan_probe_binding *new_binding)
{
    struct portolan_probe_binding *old = __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);

    if (new_binding)
        __atomic_store_n(&port->binding, new_binding, __ATOMIC_RELEASE);
    open_gate(port);
    return old;
}

bool portolan_probe_port_is_closed(const struct portolan_probe_port *port)
{
    return __atomic_load_n(&port->flags, __ATOMIC_RELAXED) & PORTOLAN_PROBE_CLOSED;
}
