/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures what measuring costs: empty monitored calls on a thread record of its own. */
#include "rows_internal.h"

#include <math.h>
#include <stdlib.h>

#define BATCHES 31
#define CALLS   500 /* the rows of so many calls fit in a block */

static struct portolan_probe_cost remembered;
static bool is_remembered;
pthread_mutex_t probe_cost_lock = PTHREAD_MUTEX_INITIALIZER;

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

/* Keeps the whole processor busy, so that nothing a proxy around it does is free. */
static int64_t busy_method(void *self, int64_t n)
{
    uint64_t a = (uint64_t)n, b = a + 1, c = a + 2, d = a + 3;

    (void)self;
    for (int i = 0; i < 32; i++) {
        a = a * 3 + d;
        b = b * 5 + 1;
        c += c << 3;
        d ^= d >> 7;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    }
    return (int64_t)(a ^ b ^ c ^ d);
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

static int64_t forwarded_method(void *self, int64_t n)
{
    PORTOLAN_PROBE_PASS(call, self, return proxied_method(self, n));

    return (*(method_fn *)call.binding->target)(call.binding->extra, n);
}

/*
 * The calls that are compared, in this order: the call alone, only forwarded, measured with rows,
 * measured with many values of the context (whose records are not all in the cache); a busy body
 * alone, and measured; and the call measured.
 */
enum way { PLAIN, FORWARD, ROWS, MANY_VALUES, BUSY, BUSY_MEASURED, MEASURED, N_WAYS };

#define VALUES 1024 /* in no order that the processor could learn */

static double batch_ns(method_fn method, void *self, int64_t values)
{
    uint64_t before = probe_wall_ns();

    for (int64_t i = 0; i < CALLS; i++) {
        __asm__ volatile("" : "+r"(method), "+r"(self));
        method(self, 1 + (i * 389 & (values - 1)));
    }
    return (double)(probe_wall_ns() - before) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/*
 * Mean of TO less FROM over the batches between the quartiles, since others may use the processor.
 * *SPREAD (may be NULL) is the standard deviation of these batches divided by 0.38, the share that
 * the middle half of a normal distribution has of the whole one's.
 */
static double difference(const double *from, const double *to, double *spread)
{
    int first = BATCHES / 4, last = BATCHES - BATCHES / 4;
    double d[BATCHES], sum = 0.0, squares = 0.0, mean;

    for (int i = 0; i < BATCHES; i++)
        d[i] = to[i] - from[i];
    qsort(d, BATCHES, sizeof *d, compare);
    for (int i = first; i < last; i++)
        sum += d[i];
    mean = sum / (last - first);
    for (int i = first; i < last; i++)
        squares += (d[i] - mean) * (d[i] - mean);
    if (spread)
        *spread = sqrt(squares / (last - first)) / 0.38;
    return mean;
}

static void measure_ways(struct probe_thread *scratch, struct portolan_probe_port *ports,
                         double (*ns)[BATCHES], double *inside)
{
    static const method_fn methods[N_WAYS] = {plain_method,   forwarded_method, proxied_method,
                                              proxied_method, busy_method,      proxied_method,
                                              proxied_method};
    const struct portolan_probe_node *node;
    int64_t key = 1;

    for (int i = -1; i < BATCHES; i++) { /* -1: to warm up */
        int at = i < 0 ? 0 : i;

        for (int way = PLAIN; way < N_WAYS; way++) {
            node = portolan_probe_find(scratch->root, PORTOLAN_PROBE_HANDLE_OTHER, &key, 1);
            inside[at] = node ? (double)node->inclusive : 0.0;
            scratch->rows->filled = 0;
            ns[way][at] = batch_ns(methods[way], &ports[way], way == MANY_VALUES ? VALUES : 1);
        }
        /* of the last way, still in ticks */
        node = portolan_probe_find(scratch->root, PORTOLAN_PROBE_HANDLE_OTHER, &key, 1);
        if (node)
            inside[at] = ((double)node->inclusive - inside[at]) / CALLS;
    }
}

/*
 * The cost depends on what runs around the call. Mean +- 1 spread covers what is found here, +- 2
 * what other programs may have.
 */
static void weigh(double (*ns)[BATCHES], struct portolan_probe_cost *cost)
{
    static const enum way pairs[][2] = {
        {PLAIN, MEASURED}, {PLAIN, MANY_VALUES}, {BUSY, BUSY_MEASURED}};
    double least = INFINITY, most = 0.0, noise = 0.0, spread;

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        double mean = difference(ns[pairs[i][0]], ns[pairs[i][1]], &spread);

        least = fmin(least, mean);
        most = fmax(most, mean);
        noise = fmax(noise, spread);
    }
    cost->mean_ns = (least + most) / 2;
    cost->spread_ns = (most - least) / 2 + noise;
}

static struct portolan_probe_cost measure(struct probe_thread *scratch)
{
    static const uint32_t flags[N_WAYS] = {[ROWS] = PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS,
                                           [MANY_VALUES] = PORTOLAN_PROBE_MONITORED,
                                           [BUSY_MEASURED] = PORTOLAN_PROBE_MONITORED,
                                           [MEASURED] = PORTOLAN_PROBE_MONITORED};
    static method_fn target = plain_method, busy_target = busy_method;
    struct portolan_probe_binding binding = {&target, PORTOLAN_PROBE_HANDLE_OTHER, NULL};
    struct portolan_probe_binding busy = {&busy_target, PORTOLAN_PROBE_HANDLE_OTHER, NULL};
    struct portolan_probe_thread *own = portolan_probe_thread;
    struct portolan_probe_port ports[N_WAYS];
    struct portolan_probe_cost cost = {0};
    static double ns[N_WAYS][BATCHES], inside[BATCHES], none[BATCHES]; /* under the lock */
    uint64_t tick = portolan_probe_clock_tick(0); /* these calls are not the program's */

    for (int way = PLAIN; way < N_WAYS; way++)
        ports[way] = (struct portolan_probe_port){
            .binding = way == BUSY_MEASURED ? &busy : &binding, .flags = flags[way]};
    portolan_probe_thread = &scratch->hot;
    measure_ways(scratch, ports, ns, inside);
    portolan_probe_thread = own;
    portolan_probe_clock_tick(tick);
    weigh(ns, &cost);
    cost.rows_ns = difference(ns[MEASURED], ns[ROWS], NULL);
    cost.forward_ns = difference(ns[PLAIN], ns[FORWARD], NULL);
    cost.inside_ns = difference(none, inside, NULL) * portolan_probe_ticks_to_ns(1);
    return cost;
}

/* Makes a thread record of its own, with a block of rows that is written again and again. */
static struct probe_thread *scratch_create(void)
{
    struct probe_thread *t = probe_thread_create();

    if (t && !(t->rows = portolan_calloc(1, ROWS_BLOCK))) {
        probe_thread_destroy(t);
        return NULL;
    }
    return t;
}

static void scratch_destroy(struct probe_thread *t)
{
    free(t->rows);
    probe_thread_destroy(t);
}

/* ------------------------------------------------- counters */

#define COUNTED_BATCHES 15
#define COUNTED_CALLS   40

/* Counts in the free frame above all calls of the thread, with the thread's own event sets. */
static double counted_batch_ns(struct probe_thread *t, struct portolan_probe_node *node)
{
    struct portolan_probe_frame *f = t->hot.top;
    uint64_t before = probe_wall_ns();

    f->node = node;
    for (int i = 0; i < COUNTED_CALLS; i++) {
        probe_counters_start(t, f);
        probe_counters_stop(t, f);
    }
    return (double)(probe_wall_ns() - before) / COUNTED_CALLS;
}

static double measure_counters(struct probe_thread *t)
{
    struct portolan_probe_node node = {0};
    double batch[COUNTED_BATCHES];

    counted_batch_ns(t, &node); /* makes the event sets */
    for (int i = 0; i < COUNTED_BATCHES; i++)
        batch[i] = counted_batch_ns(t, &node);
    free(node.counters);
    qsort(batch, COUNTED_BATCHES, sizeof *batch, compare);
    return batch[COUNTED_BATCHES / 2];
}

/* Returns what the set in force adds to a call; 0 without one. Under the lock. */
static double counters_cost_ns(void)
{
    struct probe_thread *t = portolan_probe_counters_count() ? probe_thread_self() : NULL;
    static unsigned measured;
    static double cost_ns;

    if (!t || t->hot.top == t->hot.limit)
        return 0.0;
    if (measured != probe_counters_generation())
        cost_ns = measure_counters(t);
    measured = probe_counters_generation();
    return cost_ns;
}

struct portolan_probe_cost portolan_probe_cost(void)
{
    struct portolan_probe_cost cost = {0};

    pthread_mutex_lock(&probe_cost_lock);
    if (is_remembered) {
        cost = remembered;
    } else {
        struct probe_thread *scratch = scratch_create();

        if (scratch) {
            cost = measure(scratch);
            scratch_destroy(scratch);
        }
        if (scratch && portolan_probe_clock_get() != PORTOLAN_PROBE_CLOCK_MANUAL) {
            remembered = cost;
            is_remembered = true;
        }
    }
    cost.counters_ns = counters_cost_ns();
    pthread_mutex_unlock(&probe_cost_lock);
    return cost;
}
