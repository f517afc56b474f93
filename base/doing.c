/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/doing.h>

static struct portolan_doing now;

struct portolan_doing portolan_doing_set(struct portolan_doing doing)
{
    struct portolan_doing before = now;

    now = doing;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return before;
}

struct portolan_doing portolan_doing_peek(void)
{
    return now;
}
