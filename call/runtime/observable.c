/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of observables. */
#include "internal.h"

#include <string.h>

enum gauge cll_gauge_of(const char *name)
{
    static const struct {
        const char *name;
        enum gauge gauge;
    } own[] = {
        {"CLOCK", GAUGE_CLOCK},
        {"USER", GAUGE_USER},
        {"SYSTEM", GAUGE_SYSTEM},
        {"CPUTIME", GAUGE_CPUTIME},
    };

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i].name))
            return own[i].gauge;
    return GAUGE_COUNTER;
}
