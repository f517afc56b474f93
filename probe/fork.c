/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process forks: its child starts with empty records and measures on. It is alone there, so what
 * the other threads were inside is over; rows and their file stay the parent's.
 */
#include "internal.h"

static pthread_mutex_t *const locks[] = {&probe_cost_lock,    &probe_rows_lock,
                                         &probe_events_lock,  &probe_parameters_lock,
                                         &probe_methods_lock, &probe_registry_lock};
enum { N_LOCKS = sizeof locks / sizeof *locks };

static void prepare(void)
{
    for (size_t i = 0; i < N_LOCKS; i++)
        pthread_mutex_lock(locks[i]);
}

static void in_parent(void)
{
    for (size_t i = N_LOCKS; i-- > 0;)
        pthread_mutex_unlock(locks[i]);
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
