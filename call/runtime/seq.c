/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of one process, and the barrier of any. */
#include "internal.h"

static int rank(void *machine)
{
    (void)machine;
    return 0;
}

static int size(void *machine)
{
    (void)machine;
    return 1;
}

static void no_barrier(void *machine, void *argument)
{
    (void)machine, (void)argument;
}

static int gather(void *machine, const void *bytes, size_t n,
                  int (*take)(void *arg, int rank, const void *bytes, size_t n), void *arg)
{
    (void)machine;
    return take(arg, 0, bytes, n);
}

const struct portolan_cll_driver portolan_cll_seq = {
    .name = "SEQ",
    .rank = rank,
    .size = size,
    .sync = no_barrier,
    .gather = gather,
};

void portolan_cll_sync(const struct portolan_cll_driver *driver, void *machine, void *argument)
{
    if (driver && driver->sync)
        driver->sync(machine, argument);
}
