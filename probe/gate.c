/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port's gate: while it is closed, callers sleep, so that state can move from one implementation
 * to the next. The lock is a bit of the port's flags, which calls look at anyway.
 */
#include "internal.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void probe_gate_wait(const struct portolan_probe_port *port, uint32_t flags)
{
    syscall(SYS_futex, &port->flags, FUTEX_WAIT_PRIVATE, flags, NULL, NULL, 0);
}

static void wake(const struct portolan_probe_port *port)
{
    syscall(SYS_futex, &port->flags, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/*
 * Who is inside the port already must come out of it for the gate to be of use, and who closed it
 * may have to call the old implementation to take over its state.
 */
bool probe_gate_lets_pass(const struct probe_thread *t, const struct portolan_probe_frame *f,
                          const struct portolan_probe_port *port)
{
    if (!t)
        return false;
    if (__atomic_load_n(&port->keeper, __ATOMIC_RELAXED) == &t->hot)
        return true;
    while (--f > t->hot.frames)
        if (probe_frame_port(f) == port)
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
    wake(port);
}

enum portolan_status portolan_probe_gate_close(struct portolan_probe_port *port,
                                               uint64_t timeout_ns, struct portolan_error *err)
{
    struct probe_thread *self = probe_thread_self();
    enum portolan_status status;

    if (!self)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "no memory to close a gate");
    if (probe_own_stack_holds(port, __builtin_dwarf_cfa()))
        return portolan_error_set(err, PORTOLAN_EBUSY,
                                  "the caller is itself inside a call of this port");
    if (portolan_probe_port_is_closed(port))
        return portolan_error_set(err, PORTOLAN_EBUSY, "the gate is closed already");
    __atomic_store_n(&port->keeper, &self->hot, __ATOMIC_RELAXED);
    __atomic_fetch_or(&port->flags, PORTOLAN_PROBE_CLOSED, __ATOMIC_SEQ_CST);
    status = probe_barrier_and_wait(port, every_call, NULL, timeout_ns, err);
    if (status != PORTOLAN_OK)
        open_gate(port);
    return status;
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
