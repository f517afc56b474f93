/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * base: which class the process lets do something outside of calls through its ports: it is set up,
 * or gives or takes state. Who notes how the process ends looks at it. Written by the one thread
 * that builds or swaps; readable in signal handlers.
 */
#ifndef PORTOLAN_DOING_H
#define PORTOLAN_DOING_H

#include <portolan/base.h>

struct portolan_doing {
    const char *instance, *class_name; /* borrowed; NULL: nothing is done */
};

/** Returns what was done before, to be set again at the end: such work nests. */
PORTOLAN_API struct portolan_doing portolan_doing_set(struct portolan_doing doing);
PORTOLAN_API struct portolan_doing portolan_doing_peek(void);

#endif
