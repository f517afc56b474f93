/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of timers. They are contexts, but which a timer has is known only when one is set: for
 * each list of names that comes up, the timer gets a handle of its own.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 256

/* The handle FROM with one name more is TO. Never freed, as handles are. */
struct probe_parameter {
    struct probe_parameter *next;
    const struct probe_parameter *before; /* of the same timer, NULL: none */
    const char *name;                     /* TO's last context */
    unsigned index;                       /* of that */
    uint32_t from, to;
};

static struct probe_parameter *buckets[BUCKETS];
pthread_mutex_t probe_parameters_lock = PTHREAD_MUTEX_INITIALIZER;

static struct probe_parameter *find(uint32_t from, const char *name)
{
    struct probe_parameter *p = __atomic_load_n(&buckets[from % BUCKETS], __ATOMIC_ACQUIRE);

    while (p && (p->from != from || strcmp(p->name, name)))
        p = p->next;
    return p;
}

static enum portolan_status fill(struct probe_parameter *p, const char *name)
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
static enum portolan_status add(uint32_t from, const struct probe_parameter *before,
                                const char *name, struct probe_parameter **added)
{
    struct probe_parameter *p = portolan_calloc(1, sizeof *p);
    enum portolan_status status = PORTOLAN_ENOMEM;

    if (p) {
        p->from = from;
        p->before = before;
        p->index = before ? before->index + 1 : 0;
        status = fill(p, name);
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

/* The parameter NAME behind those that A has. */
static enum portolan_status append(struct probe_activation *a, uint32_t handle, const char *name)
{
    uint32_t from = a->parameters ? a->parameters->to : handle;
    struct probe_parameter *p = find(from, name);
    enum portolan_status status = PORTOLAN_OK;

    if (a->n == PORTOLAN_PROBE_CONTEXTS)
        return PORTOLAN_EINVAL;
    if (!p) {
        pthread_mutex_lock(&probe_parameters_lock);
        if (!(p = find(from, name)))
            status = add(from, a->parameters, name, &p);
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
        status = append(a, handle, name);
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
