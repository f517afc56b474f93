/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of OTF2: shared by otf2_definitions.c and otf2_read.c. */
#ifndef TRACE_FILES_OTF2_READER_H
#define TRACE_FILES_OTF2_READER_H

#include "otf2.h"

#include <portolan/index.h>

#include <otf2/otf2.h>

/* Entries by number in the archive, which may be large: those of eztrace are rank times 2^30. */
struct otf2_table {
    void *entries;
    size_t n, capacity, size; /* SIZE: that of an entry */
    struct portolan_index index;
};

struct otf2_process {
    uint32_t node;
    int rank, n_threads; /* N_THREADS: those that have no MPI */
};

struct otf2_location {
    uint64_t self, expected;
    uint32_t group;
    int rank, thread;
    const char *host;
};

/* A region, or an attribute. */
struct otf2_named {
    uint32_t name;
    bool is_mpi;
    size_t at; /* index among the trace's regions, routines or names */
};

struct otf2_group {
    OTF2_GroupType type;
    uint32_t n;
    const uint64_t *members;
};

struct otf2_comm {
    uint32_t group, remote;
    const int *members, *others;
    size_t n_members, n_others;
    bool *users;  /* [rank], if the archive has no members; else NULL */
    bool is_self; /* stands for one communicator of each rank: `at` + rank */
    size_t at;
};

struct otf2_window {
    uint32_t comm;
    size_t at;
};

/* An open request: its number in the archive, and the event that posted it. */
struct otf2_request {
    uint64_t id;
    uint32_t number;
    size_t posted;
};

struct reader {
    const char *path;
    struct portolan_diagnostics *diagnostics;
    enum portolan_status status; /* error of a callback that failed */
    struct portolan_arena arena;
    OTF2_Reader *otf2;
    struct otf2_table strings, nodes, processes, regions, groups, comms, windows, attributes;
    struct otf2_location *locations;
    size_t n_locations, locations_capacity;
    uint64_t ticks_per_s, first_tick;
    struct otf2_group world; /* all locations that have MPI; eztrace defines its number twice */
    int n_ranks;
    struct portolan_trace *trace;
    /* the location that is being read */
    const struct otf2_location *here;
    struct portolan_trace_event *events;
    size_t n_events, events_capacity;
    struct otf2_request *requests;
    size_t n_requests, requests_capacity;
    uint32_t n_numbers;
    int depth; /* depth of calls of MPI inside each other */
    bool is_off;
    bool has_users;   /* some communicator has users: events are read once to find these */
    bool names_group; /* the open call is MPI_Win_post or MPI_Win_start */
};

/* Returns the entry with number SELF; NULL: it is not defined. */
void *otf2_find(const struct otf2_table *table, uint64_t self);

/* Returns a string; "" for a number that is not defined. */
const char *otf2_string(const struct reader *r, uint32_t self);

/* Returns the rank of a group's member; PORTOLAN_TRACE_NONE if there is none. */
int otf2_rank(const struct reader *r, uint64_t member);

/* Reads all definitions, and makes the trace with its tables; sets STATUS. */
void otf2_read_definitions(struct reader *r);

/* Makes communicators and windows entries of the trace, after their users are known. */
void otf2_enter_comms(struct reader *r);

#endif
