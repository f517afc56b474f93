/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process leaves behind as TAU profiles: its call paths as nodes of <portolan/tau.h>. */
#ifndef PORTOLAN_PROBE_TAU_H
#define PORTOLAN_PROBE_TAU_H

#include <portolan/probe.h>
#include <portolan/tau.h>

/* The time in microseconds, then the counters. */
#define TAU_METRICS (1 + PORTOLAN_PROBE_COUNTERS_MAX)

/* One thread's; start it as {0}. All its memory is the arena's. */
struct tau_nodes {
    struct portolan_arena arena;
    struct portolan_tau_node *nodes;
    size_t n;
    unsigned n_metrics;
};

/*
 * The call paths of THREAD from the profiled records of SNAPSHOT, whose other records count as
 * their callers' own time; NOW less SINCE of it is the time of thread 0's root.
 */
enum portolan_status tau_nodes_make(struct tau_nodes *nodes,
                                    const struct portolan_probe_snapshot *snapshot, uint32_t thread,
                                    struct portolan_error *err);

/* How many calls the profiled records of this process have, running ones of the caller included. */
enum portolan_status tau_count_calls(uint64_t *calls, struct portolan_error *err);
uint64_t tau_calls_of(const struct portolan_probe_snapshot *snapshot);

#endif
