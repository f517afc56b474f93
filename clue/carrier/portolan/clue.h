/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue: requests of a program to the virtual cluster that it runs on, portolan-clue(1). Nothing has
 * to be linked: when the program runs for real, the functions say so and do nothing.
 */
#ifndef PORTOLAN_CLUE_H
#define PORTOLAN_CLUE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by portolan-clue; NULL elsewhere. */
extern int portolan_clue_change(const char *parameter, const char *from, const char *to,
                                double value) __attribute__((weak));

/**
 * Changes a parameter of the machine from now on, in virtual time, also for what has begun (section
 * 3 of *Cluster Configuration by Simulation*, 2000). PARAMETER and whose it is:
 *
 * - "factor": VALUE is the performance factor of the host FROM; TO is NULL.
 * - "receive", "packing": of the host FROM, VALUE times what the machine file says.
 * - "send", "transmission": from the host FROM to the host TO, likewise.
 * - "bandwidth", "latency": of the link FROM, likewise.
 *
 * FROM and TO are names as "node[3]"; NULL: all. Returns 0; 1: the program runs for real; -1: no
 * such parameter, host or link, or VALUE is not positive.
 */
static inline int clue_change(const char *parameter, const char *from, const char *to, double value)
{
    return portolan_clue_change ? portolan_clue_change(parameter, from, to, value) : 1;
}

#ifdef __cplusplus
}
#endif
#endif
