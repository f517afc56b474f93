/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that measure computing. */
#ifndef PORTOLAN_CLUE_BURST_H
#define PORTOLAN_CLUE_BURST_H

#include "apart.h"

/* Costs of measuring bursts, and of pages. */
struct burst_costs {
    double ns_per_tick;
    double touch_ns, give_back_ns; /* touching a new page, and giving it back at its end */
    double empty[2], clock_ns;     /* EMPTY: ticks of an empty burst, without and after a switch;
                                    * CLOCK_NS: reading a clock */
};

/* Measures them, which takes some milliseconds. */
void burst_costs_measure(struct burst_costs *costs);

#endif
