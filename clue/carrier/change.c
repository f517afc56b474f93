/* SPDX-License-Identifier: BSD-3-Clause */
/* A program changes the machine that it runs on: <portolan/clue.h>. */
#include "internal.h"

#include <portolan/clue.h>

#include <string.h>

static const char *const parameters[CLUE_PARAMETERS] = {
    [CLUE_FACTOR] = "factor",   [CLUE_SEND] = "send",       [CLUE_TRANSMISSION] = "transmission",
    [CLUE_RECEIVE] = "receive", [CLUE_PACKING] = "packing", [CLUE_BANDWIDTH] = "bandwidth",
    [CLUE_LATENCY] = "latency",
};

/* Its number; -1: NULL, all; -2: there is none. */
static int find_host(const struct clue_machine *m, const char *name)
{
    for (size_t i = 0; name && i < m->n_hosts; i++)
        if (strcmp(m->hosts[i].name, name) == 0)
            return (int)i;
    return name ? -2 : -1;
}

static int find_link(const struct clue_machine *m, const char *name)
{
    for (size_t i = 0; name && i < m->network.n_links; i++)
        if (strcmp(m->network.links[i].name, name) == 0)
            return (int)i;
    return name ? -2 : -1;
}

int clue_change_machine(const char *parameter, const char *from, const char *to, double value)
{
    static const struct clue_routine routine = {"portolan_clue_change", CLUE_NO_NUMBER};
    const struct clue_machine *m = clue_carrier.run->machine;
    struct clue_change change = {.times = value};
    int i = 0;

    while (i < CLUE_PARAMETERS && strcmp(parameters[i], parameter) != 0)
        i++;
    change.parameter = (enum clue_parameter)i;
    change.host =
        i == CLUE_BANDWIDTH || i == CLUE_LATENCY ? find_link(m, from) : find_host(m, from);
    change.to = find_host(m, to);
    if (i == CLUE_PARAMETERS || change.host == -2 || change.to == -2 || !(value > 0))
        return -1;
    clue_call_begin(&routine, __builtin_return_address(0));
    clue_in_order();
    if (!clue_engine_change(clue_carrier.engine, clue_self(), &change))
        clue_fail("out of memory");
    clue_call_end();
    return 0;
}
