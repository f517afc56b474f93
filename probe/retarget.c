/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands behind a port, and its change while threads call through it. */
#include "internal.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The oldest call in question that a thread was in when it was looked at. */
struct mark {
    struct probe_thread *thread;
    struct portolan_probe_frame *frame;
    const struct portolan_probe_port *port;
    const struct portolan_probe_binding *binding;
};

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

/* Once, before any thread can be inside a call; without it the barrier is refused. */
__attribute__((constructor)) static void register_membarrier(void)
{
    membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

void portolan_probe_port_init(struct portolan_probe_port *port,
                              struct portolan_probe_binding *binding, uint32_t flags)
{
    port->keeper = NULL;
    port->one_in = 1;
    __atomic_store_n(&port->binding, binding, __ATOMIC_RELEASE);
    /* a port that was closed from the start opens only now */
    __atomic_store_n(&port->flags, flags & ~PROBE_STATE_FLAGS, __ATOMIC_RELEASE);
    if (flags & PORTOLAN_PROBE_ROWS)
        probe_rows_start();
}

void portolan_probe_port_set_flags(struct portolan_probe_port *port, uint32_t flags)
{
    if (flags & PORTOLAN_PROBE_ROWS)
        probe_rows_start();
    probe_port_change_flags(port, PROBE_STATE_FLAGS, flags);
}

uint32_t portolan_probe_port_flags(const struct portolan_probe_port *port)
{
    return __atomic_load_n(&port->flags, __ATOMIC_RELAXED) & ~PROBE_STATE_FLAGS;
}

struct portolan_probe_binding *
portolan_probe_port_peek_binding(const struct portolan_probe_port *port)
{
    return __atomic_load_n(&port->binding, __ATOMIC_ACQUIRE);
}

bool probe_own_stack_holds(const struct portolan_probe_port *port, void *sp)
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
                      probe_counts_fn *counts, const void *arg, struct mark *mark)
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

/* Most calls end within microseconds; then the processor is left to those that take longer. */
static bool wait_until_gone(const struct mark *mark, uint64_t deadline_ns)
{
    const struct timespec rest = {0, 50000};

    for (unsigned tries = 0; !mark_is_gone(mark); tries++) {
        if (probe_wall_ns() >= deadline_ns)
            return false;
        if (tries < 64)
            sched_yield();
        else
            nanosleep(&rest, NULL);
    }
    return true;
}

/* Marks of all threads first, then the waiting, so that none is looked at too late. */
static enum portolan_status wait_quiet(const struct portolan_probe_port *port,
                                       probe_counts_fn *counts, const void *arg,
                                       uint64_t deadline_ns, struct portolan_error *err)
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
            status = portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                        "thread %u is still inside a call that began before",
                                        (unsigned)marks[i].thread->index);
    while (status == PORTOLAN_OK && probe_unmarked_calls() > 0) {
        if (probe_wall_ns() >= deadline_ns)
            status = portolan_error_set(err, PORTOLAN_ETIMEOUT,
                                        "calls that could not be marked are still running");
        sched_yield();
    }
    free(marks);
    return status;
}

enum portolan_status probe_barrier_and_wait(const struct portolan_probe_port *port,
                                            probe_counts_fn *counts, const void *arg,
                                            uint64_t timeout_ns, struct portolan_error *err)
{
    uint64_t now = probe_wall_ns();
    uint64_t deadline = timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + timeout_ns;

    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "the kernel refuses membarrier(2): %s", strerror(errno));
    return wait_quiet(port, counts, arg, deadline, err);
}

static bool is(const struct portolan_probe_binding *seen, const void *arg)
{
    return seen == arg;
}

static bool is_not(const struct portolan_probe_binding *seen, const void *arg)
{
    return seen != arg;
}

enum portolan_status portolan_probe_port_wait_quiet(struct portolan_probe_port *port,
                                                    uint64_t timeout_ns, struct portolan_error *err)
{
    if (probe_own_stack_holds(port, __builtin_dwarf_cfa()))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a call of this port");
    return probe_barrier_and_wait(port, is_not, portolan_probe_port_peek_binding(port), timeout_ns,
                                  err);
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
    if (probe_own_stack_holds(port, __builtin_dwarf_cfa()))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a call of this port; swap from "
                                  "outside of it, at a swap point between time steps");
    old = __atomic_exchange_n(&port->binding, new_binding, __ATOMIC_ACQ_REL);
    status = probe_barrier_and_wait(port, is, old, timeout_ns, err);
    if (status != PORTOLAN_OK) {
        __atomic_store_n(&port->binding, old, __ATOMIC_RELEASE);
        return status;
    }
    *old_binding = old;
    return PORTOLAN_OK;
}
