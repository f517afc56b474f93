/* SPDX-License-Identifier: BSD-3-Clause */
/* The time that ranks compute: what its files share. */
#ifndef PORTOLAN_CLUE_BURST_H
#define PORTOLAN_CLUE_BURST_H

#include "apart.h"

/* What measuring takes, and what pages take. */
struct burst_costs {
    double ns_per_tick;
    double touch_ns, give_back_ns; /* of a page that nobody has touched before, and at its end */
    double empty[2], clock_ns;     /* ticks of nothing, and after a switch; reading a clock */
};

/* burst_costs.c: takes some milliseconds. */
void burst_costs_measure(struct burst_costs *costs);

#endif
