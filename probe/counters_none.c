/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters in a build without PAPI: clocks alone. */
#include "internal.h"

enum portolan_status portolan_probe_counters_set(const char *const *names, size_t count,
                                                 struct portolan_error *err)
{
    if (!count)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "counter %s cannot be read: this Portolan was built without PAPI",
                              names[0]);
}

size_t portolan_probe_counters_count(void)
{
    return 0;
}

const char *portolan_probe_counter_peek_name(size_t index)
{
    (void)index;
    return NULL;
}

const char *portolan_probe_counters_describe(void)
{
    return "no counters: this Portolan was built without PAPI; clocks alone";
}

void portolan_probe_slow_counters_start(struct portolan_probe_thread *t,
                                        struct portolan_probe_frame *f)
{
    (void)t, (void)f;
}

void portolan_probe_slow_counters_stop(struct portolan_probe_thread *t,
                                       struct portolan_probe_frame *f)
{
    (void)t, (void)f;
}

void probe_counters_detach(struct probe_thread *t)
{
    (void)t;
}
