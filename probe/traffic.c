/* SPDX-License-Identifier: BSD-3-Clause */
/* Who watches communication says it here, so that who stores it needs to know no message library.
 */
#include "internal.h"

static portolan_probe_traffic_fn source;
static const char *waits;

void portolan_probe_traffic_set_source(portolan_probe_traffic_fn fn)
{
    __atomic_store_n(&source, fn, __ATOMIC_RELEASE);
}

enum portolan_status portolan_probe_traffic_take(struct portolan_probe_traffic **rows, size_t *n)
{
    portolan_probe_traffic_fn take = __atomic_load_n(&source, __ATOMIC_ACQUIRE);

    *rows = NULL;
    *n = 0;
    return take ? take(rows, n) : PORTOLAN_OK;
}

void portolan_probe_waits_set(const char *text)
{
    __atomic_store_n(&waits, text, __ATOMIC_RELEASE);
}

const char *portolan_probe_waits_peek(void)
{
    return __atomic_load_n(&waits, __ATOMIC_ACQUIRE);
}
