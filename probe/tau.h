/* SPDX-License-Identifier: BSD-3-Clause */
/* TAU profiles: what the rows of one are. */
#ifndef PORTOLAN_PROBE_TAU_H
#define PORTOLAN_PROBE_TAU_H

#include <portolan/probe.h>

/* The time in microseconds, then the counters. */
#define TAU_METRICS (1 + PORTOLAN_PROBE_COUNTERS_MAX)

/* In the order of the file. */
enum tau_kind { TAU_ROOT, TAU_FLAT, TAU_PARAMETERS, TAU_PATH };

struct tau_row {
    enum tau_kind kind;
    const char *name;  /* as TAU's readers want it */
    const char *group; /* without that of the kind */
    uint64_t calls, subroutines;
    double inclusive[TAU_METRICS], exclusive[TAU_METRICS];
};

/* One thread's, sorted. Start it as {0}; all its memory is the arena's. */
struct tau_rows {
    struct portolan_arena arena;
    struct tau_row *rows;
    size_t n;
};

/*
 * The rows of THREAD from the profiled records of SNAPSHOT, whose other records count as their
 * callers' own time; NOW less SINCE of it is the time of thread 0's root.
 */
enum portolan_status tau_rows_make(struct tau_rows *rows,
                                   const struct portolan_probe_snapshot *snapshot, uint32_t thread,
                                   struct portolan_error *err);

/* How many calls the profiled records of this process have, running ones of the caller included. */
enum portolan_status tau_count_calls(uint64_t *calls, struct portolan_error *err);
uint64_t tau_calls_of(const struct portolan_probe_snapshot *snapshot);

#endif
