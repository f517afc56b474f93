/* SPDX-License-Identifier: BSD-3-Clause */
/* Which waits come before which, and since when two ranks are compared. */
#ifndef TRACE_ANALYSIS_INTERVALS_H
#define TRACE_ANALYSIS_INTERVALS_H

#include <portolan/waits.h>

/* Between which moments a wait and its cause are looked at. */
struct wait_interval {
    uint32_t own_from, by_from; /* events of the rank that waited, and of that which caused it */
    int64_t from_ns;
};

/* *ORDER: of waits, each after those that it depends on; *INTERVALS: of each wait, since both ranks
 * met last. The caller frees both, also after false: no memory. */
bool find_intervals(const struct portolan_waits *w, uint32_t **order,
                    struct wait_interval **intervals);

#endif
