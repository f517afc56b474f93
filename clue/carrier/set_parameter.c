/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets a program change the machine that it runs on: <portolan/clue.h>. */
#include "internal.h"

#include <portolan/clue.h>
#include <portolan/clue_machine.h>

#include <string.h>

/* Returns the index of NAME among N structs that begin with their name and are STRIDE apart; -1 if
 * NAME is NULL, which means all; -2 if there is none. */
static int find(const void *all, size_t n, size_t stride, const char *name)
{
    for (size_t i = 0; name && i < n; i++)
        if (strcmp(*(const char *const *)((const char *)all + i * stride), name) == 0)
            return (int)i;
    return name ? -2 : -1;
}

static int find_host(const struct clue_machine *m, const char *name)
{
    return find(m->hosts, m->n_hosts, sizeof *m->hosts, name);
}

int clue_change_machine(const char *parameter, const char *from, const char *to, double value)
{
    static const struct clue_routine routine = {"portolan_clue_change", CLUE_NO_NUMBER};
    const struct clue_machine *m = clue_carrier.run->machine;
    struct clue_change change = {.times = value};
    int i = find(clue_parameter_names, CLUE_COLLECTIVES, sizeof *clue_parameter_names, parameter);

    change.parameter = (enum clue_parameter)i;
    change.host = i == CLUE_BANDWIDTH || i == CLUE_LATENCY
                      ? find(m->network.links, m->network.n_links, sizeof *m->network.links, from)
                      : find_host(m, from);
    change.to = find_host(m, to);
    if (i < 0 || change.host == -2 || change.to == -2 || !(value > 0))
        return -1;
    clue_call_begin(&routine, __builtin_return_address(0));
    clue_in_order();
    if (!clue_engine_change(clue_carrier.engine, clue_self(), &change))
        clue_fail("out of memory");
    clue_call_end();
    return 0;
}
