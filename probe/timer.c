/* SPDX-License-Identifier: BSD-3-Clause */
/* Times that are no port calls: MPI, Portolan's own work, named timers. */
#include "internal.h"

static struct portolan_probe_frame *push_frame(struct probe_thread *t)
{
    struct portolan_probe_frame *f = t->hot.top;

    if (f == t->hot.limit)
        return NULL;
    portolan_probe_fill(f, PROBE_SP_NONE, NULL, NULL);
    __atomic_store_n(&f->mark, PORTOLAN_PROBE_MEASURED, __ATOMIC_RELEASE);
    f->below = portolan_probe_charged(&t->hot, f);
    f->child = 0;
    t->hot.charged = f;
    __atomic_store_n(&t->hot.top, f + 1, __ATOMIC_RELEASE);
    return f;
}

static void pop_to(struct probe_thread *t, struct portolan_probe_frame *f)
{
    t->hot.charged = f->below;
    __atomic_store_n(&t->hot.top, f, __ATOMIC_RELEASE);
}

static struct portolan_probe_node *plain_child(struct probe_thread *t,
                                               struct portolan_probe_node *parent, uint32_t handle)
{
    struct portolan_probe_node *node = portolan_probe_find(parent, handle, NULL, 0);

    return node ? node : portolan_probe_slow_child(&t->hot, parent, handle, NULL, NULL, 0);
}

void portolan_probe_mpi_enter(void)
{
    struct probe_thread *t = probe_thread_self();

    if (t && t->mpi_depth++ == 0)
        t->mpi_start = portolan_probe_now();
}

uint64_t portolan_probe_mpi_leave(void)
{
    struct probe_thread *t = probe_thread_known();
    uint64_t elapsed;

    if (!t || t->mpi_depth == 0 || --t->mpi_depth > 0)
        return 0;
    elapsed = portolan_probe_now() - t->mpi_start;
    portolan_probe_add(&portolan_probe_charged(&t->hot, t->hot.top)->node->mpi, elapsed);
    return elapsed;
}

void portolan_probe_pause(void)
{
    struct probe_thread *t = probe_thread_self();
    struct portolan_probe_frame *f;

    if (!t)
        return;
    if (t->pause && t->pause < t->hot.top) {
        t->pause_depth++;
        return;
    }
    f = push_frame(t);
    if (!f)
        return;
    t->pause = f;
    t->pause_depth = 1;
    f->node = plain_child(t, t->root, PORTOLAN_PROBE_HANDLE_OWN);
    f->start = portolan_probe_now();
}

void portolan_probe_resume(void)
{
    struct probe_thread *t = probe_thread_known();
    struct portolan_probe_frame *f, *around, own;
    uint64_t elapsed;

    if (!t || !(f = t->pause) || (f < t->hot.top && --t->pause_depth > 0))
        return;
    t->pause = NULL;
    if (f >= t->hot.top)
        return; /* a longjmp went past it */
    elapsed = portolan_probe_now() - f->start;
    /* charged to the root, not to the call that is running */
    own = *f;
    own.below = &t->hot.frames[0];
    portolan_probe_record_call(&own, elapsed, NULL, 0);
    for (around = t->hot.frames + 1; around < f; around++)
        if (probe_frame_is_measured(around))
            around->start += elapsed;
    if (t->mpi_depth > 0)
        t->mpi_start += elapsed;
    pop_to(t, f);
}

enum portolan_status portolan_probe_timer_start(uint32_t handle)
{
    struct probe_thread *t = probe_thread_self();
    struct portolan_probe_frame *f = t ? push_frame(t) : NULL;

    if (!f)
        return PORTOLAN_ENOMEM;
    f->node = plain_child(t, f->below->node, handle);
    f->start = portolan_probe_now();
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_timer_stop(uint32_t handle)
{
    return portolan_probe_timer_stop_context(handle, NULL, 0);
}

enum portolan_status portolan_probe_timer_stop_context(uint32_t handle, const double *values,
                                                       unsigned count)
{
    struct probe_thread *t = probe_thread_known();
    struct portolan_probe_frame *f = t ? t->hot.top - 1 : NULL;

    if (!f || f == t->hot.frames || f->mark != PORTOLAN_PROBE_MEASURED || f == t->pause ||
        (f->node->method != handle && f->node != t->other) || count > PORTOLAN_PROBE_CONTEXTS)
        return PORTOLAN_EINVAL;
    portolan_probe_record_call(f, portolan_probe_now() - f->start, values, count);
    pop_to(t, f);
    return PORTOLAN_OK;
}
