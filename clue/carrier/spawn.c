/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends tasks for other tasks. */
#include "apart.h"

enum portolan_status clue_ranks_begin(struct carrier *c, const char *name, char *const *words,
                                      const int *hosts, int n, struct portolan_error *err)
{
    const struct program *program;
    enum portolan_status status;

    if (c->run->is_apart)
        return apart_start(c, name, words, hosts, n, err);
    status = clue_load(c, name, &program, err);
    return status ? status : clue_ranks_make(c, program, words, n, err);
}

int clue_spawn(const char *program, char *const argv[], const int *hosts, int n, int *tasks)
{
    struct rank *rank = clue_carrier.current;
    const struct clue_host *host = &clue_carrier.run->machine->hosts[clue_host_of(rank->task)];
    struct portolan_error err = {0};
    int first = (int)clue_carrier.n_ranks;

    for (int i = 0; i < n && !clue_carrier.run->is_apart; i++)
        if (clue_carrier.run->machine->hosts[hosts[i]].real)
            clue_fail("a task on '%s', a real host (factor 0), must be a process; add --apart",
                      clue_host_name(hosts[i]));
    clue_spend(host->init_ns);
    if (clue_ranks_begin(&clue_carrier, program, argv, hosts, n, &err)) {
        clue_remark(true, err.text, rank, rank->site);
        clue_ranks_drop(&clue_carrier, (size_t)first);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        clue_spend(host->spawn_ns);
        tasks[i] = clue_engine_add(clue_carrier.engine, hosts[i], clue_now());
        if (tasks[i] != first + i)
            clue_fail("out of memory");
    }
    return n;
}

bool clue_is_known(int task)
{
    return task >= 0 && (size_t)task < clue_carrier.n_ranks;
}

bool clue_is_alive(int task)
{
    return clue_is_known(task) && !clue_carrier.ranks[task]->is_over;
}

void clue_kill(int task)
{
    if (!clue_is_alive(task))
        return;
    clue_carrier.ranks[task]->is_over = true;
    apart_end(clue_carrier.ranks[task]);
    clue_engine_kill(clue_carrier.engine, clue_carrier.current->task, task);
}
