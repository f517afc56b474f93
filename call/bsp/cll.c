/* SPDX-License-Identifier: BSD-3-Clause */
/* CALL's driver PUB. Its barriers are no ends of supersteps, so annotations change no program. */
#include "internal.h"

#include <portolan/cll.h>

static int rank(void *machine)
{
    return bsp_find(machine, "cll")->pid;
}

static int size(void *machine)
{
    return bsp_find(machine, "cll")->n;
}

static void barrier(void *machine, void *argument)
{
    collective_meet(bsp_find_active(argument ? argument : machine, "cll sync"));
}

static int gather(void *machine, const void *bytes, size_t n,
                  int (*take)(void *arg, int rank, const void *bytes, size_t n), void *arg)
{
    return collective_gather(bsp_find_active(machine, "cll report"), bytes, n, take, arg);
}

__attribute__((visibility("default"))) const struct portolan_cll_driver portolan_cll_pub = {
    .name = "PUB",
    .rank = rank,
    .size = size,
    .sync = barrier,
    .gather = gather,
};
