/* SPDX-License-Identifier: BSD-3-Clause */
/* What is counted, and what reading it adds to a call. */
#include "counters.h"

#include <stdlib.h>

void portolan_probe_counter_sets_visit(bool (*visit)(void *arg,
                                                     const struct portolan_probe_counter_set *set),
                                       void *arg)
{
    bool go_on = true;

    pthread_mutex_lock(&probe_counters_lock);
    for (size_t i = 0; i < probe_counter_table.n_sets && go_on; i++) {
        const struct counter_set *from = &probe_counter_table.sets[i];
        struct portolan_probe_counter_set set = {
            .name = from->name,
            .n = from->n,
            .multiplexed = from->multiplexed,
            .in_force = (int)i == probe_counters_in_force,
            .user_mode_only = !probe_counter_driver->counts_kernel(),
        };

        for (size_t k = 0; k < from->n; k++)
            set.counters[k] = probe_counter_table.names[from->slots[k]];
        go_on = visit(arg, &set);
    }
    pthread_mutex_unlock(&probe_counters_lock);
}

static const struct counter_set *peek_in_force(void)
{
    int index = __atomic_load_n(&probe_counters_in_force, __ATOMIC_RELAXED);

    return index == COUNTERS_NONE ? NULL : &probe_counter_table.sets[index];
}

size_t portolan_probe_counters_count(void)
{
    const struct counter_set *set = peek_in_force();

    return set ? set->n : 0;
}

size_t portolan_probe_counter_slot(size_t index)
{
    const struct counter_set *set = peek_in_force();

    return set && index < set->n ? set->slots[index] : SIZE_MAX;
}

const char *portolan_probe_counter_peek_name(size_t index)
{
    return portolan_probe_counter_slot_peek_name(portolan_probe_counter_slot(index));
}

size_t portolan_probe_counter_slots(void)
{
    return probe_counter_table.n_slots;
}

const char *portolan_probe_counter_slot_peek_name(size_t slot)
{
    return slot < probe_counter_table.n_slots ? probe_counter_table.names[slot] : NULL;
}

const char *portolan_probe_counter_set_peek_name(void)
{
    const struct counter_set *set = peek_in_force();

    return set ? set->name : NULL;
}

const char *portolan_probe_counters_describe(void)
{
    const char *text;

    pthread_mutex_lock(&probe_counters_lock);
    text = counter_driver_describe();
    pthread_mutex_unlock(&probe_counters_lock);
    return text;
}

/* ------------------------------------------------- cost */

#define BATCHES 15
#define CALLS   40

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* In the free frame above all calls of the thread, which has its event sets then. */
static double batch_ns(struct probe_thread *t, struct portolan_probe_node *node)
{
    struct portolan_probe_frame *f = t->hot.top;
    uint64_t before = probe_wall_ns();

    f->node = node;
    for (int i = 0; i < CALLS; i++) {
        probe_counters_start(t, f);
        probe_counters_stop(t, f);
    }
    return (double)(probe_wall_ns() - before) / CALLS;
}

static double measure(struct probe_thread *t)
{
    struct portolan_probe_node node = {0};
    double batch[BATCHES];

    batch_ns(t, &node); /* makes the event sets */
    for (int i = 0; i < BATCHES; i++)
        batch[i] = batch_ns(t, &node);
    free(node.counters);
    qsort(batch, BATCHES, sizeof *batch, compare);
    return batch[BATCHES / 2];
}

double probe_counters_cost_ns(void)
{
    struct probe_thread *t = portolan_probe_counters_count() ? probe_thread_self() : NULL;
    static unsigned measured;
    static double cost_ns;

    if (!t || t->hot.top == t->hot.limit)
        return 0.0;
    if (measured != probe_counters_generation())
        cost_ns = measure(t);
    measured = probe_counters_generation();
    return cost_ns;
}
