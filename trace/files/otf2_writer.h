/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writer of an OTF2 archive shares: its state, and the numbers of what it defines. */
#ifndef TRACE_FILES_OTF2_WRITER_H
#define TRACE_FILES_OTF2_WRITER_H

#include "otf2.h"

/* A group of MPI_Win_post or MPI_Win_start: ACCESS events one after the other. */
struct group {
    const struct portolan_trace_event *first;
    size_t n;
};

/*
 * Numbers in the archive. Regions: those of the trace, then its routines. Groups: all ranks, then
 * two of each communicator, then those of windows. Attributes are names of values.
 */
struct writer {
    const struct portolan_trace *trace;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    OTF2_EvtWriter *events;
    OTF2_AttributeList *attributes;
    uint32_t n_strings, next_group;
    uint64_t *n_written; /* of each location */
    uint32_t *metrics;   /* number + 1 of the metric of each name; 0: there is none */
    uint32_t n_metrics;
    const struct portolan_trace_event *metrics_from; /* values before it are attributes */
    struct group *groups;
    size_t n_groups;
    uint32_t *posted; /* event that posted a request of this location, by its number; + 1 */
    size_t posted_capacity;
    const char *routine; /* of the call that is open */
    enum portolan_trace_routine_class class;
    size_t post_group, start_group; /* of GROUPS */
    OTF2_ErrorCode error;           /* the first */
    struct portolan_arena arena;    /* of all but POSTED; without memory it has failed */
};

static inline void check(struct writer *w, OTF2_ErrorCode code)
{
    if (code && !w->error)
        w->error = code;
}

/* Numbers of groups: of all locations that have MPI; those that calls of one-sided communication
 * name; of communicators and windows. Readers want definitions in order, without gaps. */
enum { FIRST_ACCESS_GROUP = 1 };

/* otf2_write_events.c: writes the events of location AT. */
void otf2_write_location(struct writer *w, size_t at);

#endif
