/* SPDX-License-Identifier: BSD-3-Clause */
/* Times that are no port calls: MPI, Portolan's own work, named timers. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* HANDLE is stored where port calls have their binding; 0: not a timer. */
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

uint64_t portolan_probe_mpi_enter(void)
{
    struct probe_thread *t = probe_thread_self();

    if (!t || t->mpi_depth++ > 0)
        return PORTOLAN_PROBE_INSIDE_MPI;
    t->mpi_frame = 0;
    return t->mpi_start = portolan_probe_now();
}

/* Frames of calls from one place differ by less, by pushed arguments; what MPI needs is more. */
#define SAME_PLACE 64

uint64_t portolan_probe_mpi_enter_at(const void *frame)
{
    struct probe_thread *t = probe_thread_self();
    uintptr_t at = (uintptr_t)frame;

    if (!t)
        return PORTOLAN_PROBE_INSIDE_MPI;
    if (t->mpi_depth && t->mpi_frame && at + SAME_PLACE > t->mpi_frame && at < t->stack_high)
        t->mpi_depth = 0; /* a longjmp out of MPI: we cannot be inside that call */
    if (t->mpi_depth++ > 0)
        return PORTOLAN_PROBE_INSIDE_MPI;
    t->mpi_frame = at >= t->stack_low && at < t->stack_high ? at : 0;
    return t->mpi_start = portolan_probe_now();
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

static int current_step = -1;

void portolan_probe_step_set(int step)
{
    __atomic_store_n(&current_step, step, __ATOMIC_RELAXED);
}

int portolan_probe_step(void)
{
    return __atomic_load_n(&current_step, __ATOMIC_RELAXED);
}

double portolan_probe_paused_ns(void)
{
    const struct probe_thread *t = probe_thread_known();
    bool is_paused = t && t->pause && t->pause < t->hot.top;

    return t ? portolan_probe_ticks_to_ns(t->pause_sum +
                                          (is_paused ? portolan_probe_now() - t->pause->start : 0))
             : 0;
}

enum portolan_status portolan_probe_timer_start(uint32_t handle)
{
    struct probe_thread *t = probe_thread_self();
    struct portolan_probe_frame *f;
    struct probe_activation *a;

    if (!t ||
        (!t->activations && !(t->activations = probe_map(PROBE_FRAMES * sizeof *t->activations))) ||
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

/* ------------------------------------------------- parameters */

/*
 * Parameters of timers are contexts, but which a timer has is known only when one is set: for each
 * list of names that comes up, the timer gets a handle of its own.
 */

#define BUCKETS 256

/* The handle FROM with one name more is TO. Never freed, as handles are. */
struct probe_parameter {
    struct probe_parameter *next;
    const struct probe_parameter *before; /* the one before, of the same timer; NULL: none */
    const char *name;                     /* TO's last context */
    unsigned index;                       /* of that */
    uint32_t from, to;
};

static struct probe_parameter *buckets[BUCKETS];
pthread_mutex_t probe_parameters_lock = PTHREAD_MUTEX_INITIALIZER;

static struct probe_parameter *find_parameter(uint32_t from, const char *name)
{
    struct probe_parameter *p = __atomic_load_n(&buckets[from % BUCKETS], __ATOMIC_ACQUIRE);

    while (p && (p->from != from || strcmp(p->name, name)))
        p = p->next;
    return p;
}

static enum portolan_status fill_parameter(struct probe_parameter *p, const char *name)
{
    const struct portolan_probe_method_info *info = portolan_probe_method_peek(p->from);
    struct portolan_probe_method method;
    enum portolan_status status;

    if (!info || info->method.n_context != p->index)
        return PORTOLAN_EINVAL; /* the timer has contexts of another kind */
    method = info->method;
    method.context[method.n_context++] = name;
    status = portolan_probe_methods_register(&info->connection, &method, 1, &p->to, NULL);
    if (status == PORTOLAN_OK)
        p->name = portolan_probe_method_peek(p->to)->method.context[p->index];
    return status;
}

/* Under the lock. */
static enum portolan_status add_parameter(uint32_t from, const struct probe_parameter *before,
                                          const char *name, struct probe_parameter **added)
{
    struct probe_parameter *p = portolan_calloc(1, sizeof *p);
    enum portolan_status status = PORTOLAN_ENOMEM;

    if (p) {
        p->from = from;
        p->before = before;
        p->index = before ? before->index + 1 : 0;
        status = fill_parameter(p, name);
    }
    if (status != PORTOLAN_OK) {
        free(p);
        return status;
    }
    p->next = buckets[from % BUCKETS];
    __atomic_store_n(&buckets[from % BUCKETS], p, __ATOMIC_RELEASE);
    *added = p;
    return PORTOLAN_OK;
}

/* Adds the parameter NAME after those that A has. */
static enum portolan_status append_parameter(struct probe_activation *a, uint32_t handle,
                                             const char *name)
{
    uint32_t from = a->parameters ? a->parameters->to : handle;
    struct probe_parameter *p = find_parameter(from, name);
    enum portolan_status status = PORTOLAN_OK;

    if (a->n == PORTOLAN_PROBE_CONTEXTS)
        return PORTOLAN_EINVAL;
    if (!p) {
        pthread_mutex_lock(&probe_parameters_lock);
        if (!(p = find_parameter(from, name)))
            status = add_parameter(from, a->parameters, name, &p);
        pthread_mutex_unlock(&probe_parameters_lock);
    }
    if (status == PORTOLAN_OK) {
        a->parameters = p;
        a->n++;
    }
    return status;
}

static struct portolan_probe_node *node_of(struct probe_thread *t,
                                           const struct portolan_probe_frame *f,
                                           const struct probe_activation *a)
{
    struct portolan_probe_node *parent = f->below->node, *node;
    double x[PORTOLAN_PROBE_CONTEXTS];

    node = portolan_probe_find(parent, a->parameters->to, a->values, a->n);
    for (unsigned i = 0; i < a->n; i++)
        x[i] = (double)a->values[i];
    return node ? node : probe_child(t, parent, a->parameters->to, a->values, x, a->n);
}

enum portolan_status portolan_probe_timer_set_parameter(uint32_t handle, const char *name,
                                                        int64_t value)
{
    struct probe_thread *t = probe_thread_known();
    struct portolan_probe_frame *f = t ? t->hot.top - 1 : NULL;
    struct portolan_probe_node *to;
    const struct probe_parameter *p;
    struct probe_activation *a;
    enum portolan_status status;

    if (!name || !*name || !f || !probe_frame_is_timer(t, f, handle))
        return PORTOLAN_EINVAL;
    if (!probe_frame_is_measured(f))
        return PORTOLAN_OK;
    a = &t->activations[f - t->hot.frames];
    for (p = a->parameters; p && strcmp(p->name, name); p = p->before)
        ;
    if (!p) {
        status = append_parameter(a, handle, name);
        if (status != PORTOLAN_OK)
            return status;
        p = a->parameters;
    }
    a->values[p->index] = value;
    to = node_of(t, f, a);
    probe_spans_move(t, f, to);
    f->node = to;
    probe_counters_move(t, f);
    return PORTOLAN_OK;
}
