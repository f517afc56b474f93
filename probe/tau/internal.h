/* SPDX-License-Identifier: BSD-3-Clause */
/* The TAU profiles that a process writes: its call paths as nodes of <portolan/tau.h>. */
#ifndef PROBE_TAU_INTERNAL_H
#define PROBE_TAU_INTERNAL_H

#include <portolan/probe.h>
#include <portolan/tau.h>

/* The time in microseconds, then the counters. */
#define TAU_METRICS (1 + PORTOLAN_PROBE_COUNTERS_ALL)

/* The data from which profiles of this process are made. Start it as {0}. */
struct tau_source {
    struct portolan_probe_snapshot snapshot;
    struct portolan_probe_event_record *events;
    size_t n_events;
};

/* To be cleared also on failure. */
enum portolan_status tau_source_take(struct tau_source *source, struct portolan_error *err);
void tau_source_clear(struct tau_source *source);
/* How many calls and events there are, running calls of the caller included. */
uint64_t tau_count(const struct tau_source *source);

/* One thread's; start it as {0}. All its memory is the arena's. */
struct tau_nodes {
    struct portolan_arena arena;
    struct portolan_tau_node *nodes;
    uint64_t *ids; /* of the nodes' records */
    size_t n;
    unsigned n_metrics;
};

/*
 * The call paths of THREAD: timers, phases and profiled records of the snapshot, whose other
 * records count as their callers' own time; the root of thread 0 has all the time that the snapshot
 * covers.
 */
enum portolan_status tau_nodes_make(struct tau_nodes *nodes, const struct tau_source *source,
                                    uint32_t thread, struct portolan_error *err);

/* The name of a row. "Component::routine" of what is timed by that name. */
const char *tau_name_of(struct portolan_arena *a, const struct portolan_probe_method_info *info);

/* One thread's events, sorted by name; start it as {0}. */
struct tau_events {
    struct portolan_arena arena;
    struct portolan_tau_event *events;
    size_t n;
};

/* NODES are THREAD's. WITH_PATHS: what happened on a call path is "NAME : PATH", too. */
enum portolan_status tau_events_make(struct tau_events *events, const struct tau_source *source,
                                     uint32_t thread, const struct tau_nodes *nodes,
                                     bool with_paths, struct portolan_error *err);

/* rows.c: adds the numbers of ROW. */
void tau_add_row(struct portolan_tau_row *to, const struct portolan_tau_row *row,
                 unsigned n_metrics);

/* text.c: FOLDER, or where profiles go if it is NULL or "". */
const char *tau_folder(const char *folder);
enum portolan_status tau_make_folder(const char *folder, struct portolan_error *err);

#endif
