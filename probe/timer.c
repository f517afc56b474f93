/* SPDX-License-Identifier: BSD-3-Clause */
/* Times that are no port calls: MPI, Portolan's own work, named timers. */
#include "internal.h"

#include <string.h>
#include <sys/mman.h>

void *probe_frames_map(size_t size_each)
{
    void *map = mmap(NULL, PROBE_FRAMES * size_each, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

void probe_frames_unmap(void *map, size_t size_each)
{
    munmap(map, PROBE_FRAMES * size_each);
}

/* HANDLE stands where port calls have their binding; 0 for what is no timer. */
static struct portolan_probe_frame *push_frame(struct probe_thread *t, uint32_t handle,
                                               bool measured)
{
    struct portolan_probe_frame *f = t->hot.top;

    if (f == t->hot.limit)
        return NULL;
    portolan_probe_fill(f, PROBE_SP_NONE, 0, (void *)(uintptr_t)handle);
    if (measured) {
        __atomic_store_n(&f->mark, PORTOLAN_PROBE_MEASURED, __ATOMIC_RELEASE);
        f->below = portolan_probe_charged(&t->hot, f);
        f->child = 0;
        t->hot.charged = f;
    }
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

    return node ? node : probe_child(t, parent, handle, NULL, NULL, 0);
}

void portolan_probe_mpi_enter(void)
{
    struct probe_thread *t = probe_thread_self();

    if (t && t->mpi_depth++ == 0) {
        t->mpi_frame = 0;
        t->mpi_start = portolan_probe_now();
    }
}

/* Arguments that calls from one place push differ by less; what MPI itself needs is more. */
#define SAME_PLACE 64

void portolan_probe_mpi_enter_at(const void *frame)
{
    struct probe_thread *t = probe_thread_self();
    uintptr_t at = (uintptr_t)frame;

    if (!t)
        return;
    if (t->mpi_depth && t->mpi_frame && at + SAME_PLACE > t->mpi_frame && at < t->stack_high)
        t->mpi_depth = 0; /* a longjmp out of MPI: we cannot be inside that call */
    if (t->mpi_depth++ == 0) {
        t->mpi_frame = at >= t->stack_low && at < t->stack_high ? at : 0;
        t->mpi_start = portolan_probe_now();
    }
}

uint64_t portolan_probe_mpi_leave(void)
{
    struct probe_thread *t = probe_thread_known();
    struct portolan_probe_frame *f;
    uint64_t elapsed;

    if (!t || t->mpi_depth == 0 || --t->mpi_depth > 0)
        return 0;
    elapsed = portolan_probe_now() - t->mpi_start;
    f = portolan_probe_charged(&t->hot, t->hot.top);
    if (!(f->mark & PORTOLAN_PROBE_UNTIMED)) {
        portolan_probe_add(&f->node->mpi, elapsed);
        f->mpi += elapsed;
    }
    t->mpi_sum += elapsed;
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
    f = push_frame(t, 0, true);
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
    struct portolan_probe_frame *f;
    uint64_t elapsed;

    if (!t || !(f = t->pause) || (f < t->hot.top && --t->pause_depth > 0))
        return;
    t->pause = NULL;
    if (f >= t->hot.top)
        return; /* a longjmp went past it */
    elapsed = portolan_probe_now() - f->start;
    /* charged to the root, not to the call that is running */
    portolan_probe_record_call(f, &t->hot.frames[0], elapsed, 0);
    probe_spans_shift(t, f, elapsed);
    if (t->mpi_depth > 0)
        t->mpi_start += elapsed;
    t->pause_sum += elapsed;
    pop_to(t, f);
}

enum portolan_status portolan_probe_timer_start(uint32_t handle)
{
    struct probe_thread *t = probe_thread_self();
    struct portolan_probe_frame *f;
    struct probe_activation *a;

    if (!t || (!t->activations && !(t->activations = probe_frames_map(sizeof *t->activations))) ||
        !(f = push_frame(t, handle, true)))
        return PORTOLAN_ENOMEM;
    f->node = plain_child(t, f->below->node, handle);
    a = &t->activations[f - t->hot.frames];
    a->paused = t->pause_sum;
    a->mpi = t->mpi_sum;
    a->parameters = NULL;
    a->n = 0;
    a->is_counted = handle & PROBE_TIMED && portolan_probe_counters_count();
    if (a->is_counted)
        probe_counters_start(t, f);
    a->began = f->start = portolan_probe_now();
    return PORTOLAN_OK;
}

enum portolan_status portolan_probe_timer_start_unmeasured(uint32_t handle)
{
    struct probe_thread *t = probe_thread_self();

    return t && push_frame(t, handle, false) ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

enum portolan_status portolan_probe_timer_stop(uint32_t handle)
{
    struct portolan_probe_activation ignored;

    return portolan_probe_timer_stop_reading(handle, NULL, 0, &ignored);
}

enum portolan_status portolan_probe_timer_stop_context(uint32_t handle, const double *values,
                                                       unsigned count)
{
    struct portolan_probe_activation ignored;

    return portolan_probe_timer_stop_reading(handle, values, count, &ignored);
}

/* Adds what the counters gained to the record of F, and says how much it was. */
static void stop_counters(struct probe_thread *t, struct portolan_probe_frame *f,
                          struct portolan_probe_activation *activation)
{
    const uint64_t *gained;
    unsigned n;

    probe_counters_stop(t, f);
    gained = probe_counters_last(&t->hot, &n);
    if (gained)
        memcpy(activation->counters, gained, sizeof activation->counters);
}

static void record(struct probe_thread *t, struct portolan_probe_frame *f, const double *values,
                   unsigned count, struct portolan_probe_activation *activation)
{
    const struct probe_activation *a = &t->activations[f - t->hot.frames];
    uint64_t now = portolan_probe_now();

    if (a->is_counted)
        stop_counters(t, f, activation);
    if (a->n)
        count = a->n;
    for (unsigned i = 0; i < count; i++)
        f->node->x[i] = a->n ? (double)a->values[i] : values[i];
    portolan_probe_record_call(f, f->below, now - f->start, count);
    activation->inclusive_ns =
        portolan_probe_ticks_to_ns(now - a->began - (t->pause_sum - a->paused));
    activation->mpi_ns = portolan_probe_ticks_to_ns(t->mpi_sum - a->mpi);
}

enum portolan_status portolan_probe_timer_stop_reading(uint32_t handle, const double *values,
                                                       unsigned count,
                                                       struct portolan_probe_activation *activation)
{
    struct probe_thread *t = probe_thread_known();
    struct portolan_probe_frame *f = t ? t->hot.top - 1 : NULL;

    if (!f || !probe_frame_is_timer(t, f, handle) || count > PORTOLAN_PROBE_CONTEXTS)
        return PORTOLAN_EINVAL;
    *activation = (struct portolan_probe_activation){0};
    if (!probe_frame_is_measured(f)) {
        __atomic_store_n(&t->hot.top, f, __ATOMIC_RELEASE);
        return PORTOLAN_OK;
    }
    record(t, f, values, count, activation);
    pop_to(t, f);
    return PORTOLAN_OK;
}
