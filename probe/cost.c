/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurer measures itself: empty monitored calls on a thread record nobody else sees. */
#include "internal.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define BATCHES 21
#define CALLS   5000

static struct portolan_probe_cost remembered;
static bool is_remembered;
static pthread_mutex_t cost_lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t empty(int64_t n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}

/* Reached through this pointer, so that the compiler makes real calls. */
typedef int64_t (*method_fn)(void *self, int64_t n);

static int64_t plain_method(void *self, int64_t n)
{
    (void)self;
    return empty(n);
}

static int64_t proxied_method(void *self, int64_t n)
{
    struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    struct portolan_probe_call call;
    struct portolan_probe_binding *b;
    int64_t result;

    b = portolan_probe_enter(&call, self, 0, context, 1);
    result = (*(method_fn *)b->target)(b->extra, n);
    portolan_probe_leave(&call);
    return result;
}

static double batch_ns(method_fn method, void *self)
{
    uint64_t before = probe_wall_ns();

    for (int i = 0; i < CALLS; i++) {
        __asm__ volatile("" : "+r"(method), "+r"(self));
        method(self, 1);
    }
    return (double)(probe_wall_ns() - before) / CALLS;
}

/* Spread about the mean of the batches between the quartiles: others may use the processor. */
static void summarise(double *batch, struct portolan_probe_cost *cost)
{
    int first = BATCHES / 4, last = BATCHES - BATCHES / 4;
    double sum = 0.0, squares = 0.0;

    for (int i = 1; i < BATCHES; i++)
        for (int j = i; j > 0 && batch[j - 1] > batch[j]; j--) {
            double keep = batch[j];

            batch[j] = batch[j - 1];
            batch[j - 1] = keep;
        }
    for (int i = first; i < last; i++)
        sum += batch[i];
    cost->mean_ns = sum / (last - first);
    for (int i = 0; i < BATCHES; i++)
        squares += (batch[i] - cost->mean_ns) * (batch[i] - cost->mean_ns);
    cost->spread_ns = sqrt(squares / BATCHES);
}

static struct portolan_probe_cost measure(struct probe_thread *scratch)
{
    static method_fn target = plain_method;
    struct portolan_probe_binding binding = {&target, PORTOLAN_PROBE_HANDLE_OTHER, NULL};
    struct portolan_probe_thread *own = portolan_probe_thread;
    struct portolan_probe_cost cost = {0};
    struct portolan_probe_port port;
    struct portolan_probe_node *node;
    double batch[BATCHES];
    int64_t key = 1;

    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_thread = &scratch->hot;
    batch_ns(proxied_method, &port); /* warm up */
    for (int i = 0; i < BATCHES; i++)
        batch[i] = batch_ns(proxied_method, &port) - batch_ns(plain_method, NULL);
    portolan_probe_thread = own;
    summarise(batch, &cost);
    node = portolan_probe_find(scratch->root, PORTOLAN_PROBE_HANDLE_OTHER, &key, 1);
    if (node && node->calls)
        cost.inside_ns = portolan_probe_ticks_to_ns(node->inclusive) / (double)node->calls;
    return cost;
}

struct portolan_probe_cost portolan_probe_cost(void)
{
    struct portolan_probe_cost cost = {0};

    pthread_mutex_lock(&cost_lock);
    if (is_remembered) {
        cost = remembered;
    } else {
        struct probe_thread *scratch = probe_thread_create();

        if (scratch) {
            cost = measure(scratch);
            probe_thread_destroy(scratch);
        }
        if (scratch && portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_MANUAL) {
            remembered = cost;
            is_remembered = true;
        }
    }
    cost.counters_ns = probe_counters_cost_ns();
    pthread_mutex_unlock(&cost_lock);
    return cost;
}
