/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers tasks' questions on themselves, their cluster and the run, in no virtual time. */
#include "internal.h"

int clue_self(void)
{
    return clue_carrier.current->task;
}

int clue_n_tasks(void)
{
    return clue_carrier.run->n;
}

int clue_host_of(int task)
{
    return clue_engine_host(clue_carrier.engine, task);
}

const char *clue_host_name(int host)
{
    return clue_carrier.run->machine->hosts[host].name;
}

int clue_n_hosts(void)
{
    return (int)clue_carrier.run->machine->n_hosts;
}

const char *clue_host_type(int host)
{
    return clue_carrier.run->machine->hosts[host].type;
}

int64_t clue_now(void)
{
    return clue_engine_now(clue_carrier.engine, clue_carrier.current->task);
}

void **clue_own(enum clue_owner owner)
{
    return &clue_carrier.current->own[owner];
}

const struct portolan_mpi_observer *clue_observer(void)
{
    return clue_carrier.observer;
}

int64_t clue_shared_ns(enum clue_shared operation, uint64_t bytes)
{
    const struct clue_machine *m = clue_carrier.run->machine;
    const struct clue_law *laws[] = {[CLUE_SHARED_BCAST] = &m->shared_bcast,
                                     [CLUE_SHARED_REDUCE] = &m->shared_reduce,
                                     [CLUE_SHARED_ALLREDUCE] = &m->shared_allreduce,
                                     [CLUE_SHARED_BARRIER] = &m->shared_barrier,
                                     [CLUE_COLLECTIVE_CALL] = &m->collective_call};
    const struct clue_law *law = laws[operation];

    if (!law->points && law->constant_ns == 0 && law->ns_per_byte == 0)
        return -1;
    return clue_law_ns(law, bytes);
}

const char *clue_collectives_file(void)
{
    return clue_carrier.run->machine->collectives_json;
}

void *clue_variable(const char *name)
{
    return clue_copy_of(clue_carrier.current, name);
}
