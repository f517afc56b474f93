/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters where PAPI is not linked: clocks alone, unless somebody loads it. */
#include "counters.h"

#include <dlfcn.h>

const struct counter_driver *probe_counter_driver;

enum portolan_status portolan_probe_counters_load(const char *file, struct portolan_error *err)
{
    void *module = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const struct counter_driver *const *driver =
        module ? dlsym(module, "portolan_probe_papi") : NULL;

    if (!driver)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED, "counters are not available: %s",
                                  dlerror());
    probe_counter_driver = *driver;
    return PORTOLAN_OK;
}
