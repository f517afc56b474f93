/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process forks: its child starts with empty records and measures on. It is alone there, so what
 * the other threads were inside is over; rows and their file stay the parent's.
 */
#include "event.h"
#include "internal.h"

#include <pthread.h>

static void prepare(void)
{
    probe_cost_lock();
    probe_rows_lock();
    probe_events_lock();
    probe_parameters_lock();
    probe_methods_lock();
    probe_registry_lock();
}

static void in_parent(void)
{
    probe_registry_unlock();
    probe_methods_unlock();
    probe_parameters_unlock();
    probe_events_unlock();
    probe_rows_unlock();
    probe_cost_unlock();
}

static void in_child(void)
{
    probe_thread_stay_alone();
    probe_rows_abandon();
    in_parent();
    probe_reset(true, true, NULL); /* the only thread can neither be refused nor disturbed */
}

void probe_survive_fork(void)
{
    pthread_atfork(prepare, in_parent, in_child);
}
