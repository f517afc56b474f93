/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the writer of OTF2 archives, and the numbers of what it defines. */
#ifndef TRACE_FILES_OTF2_WRITER_H
#define TRACE_FILES_OTF2_WRITER_H

#include "otf2.h"

/* The group of MPI_Win_post or MPI_Win_start: consecutive ACCESS events. */
struct group {
    const struct portolan_trace_event *first;
    size_t n;
};

/*
 * Numbers in the archive: regions are those of the trace, then its routines; groups are all ranks,
 * then two of each communicator, then those of windows; attributes are names of values.
 */
struct writer {
    const struct portolan_trace *trace;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    OTF2_EvtWriter *events;
    OTF2_AttributeList *attributes;
    uint32_t n_strings, next_group;
    uint64_t *n_written; /* by location */
    uint32_t *metrics;   /* number + 1 of each name's metric; 0: there is none */
    uint32_t n_metrics;
    const struct portolan_trace_event *metrics_from; /* values before this event are attributes */
    struct group *groups;
    size_t n_groups;
    uint32_t *posted; /* event + 1 that posted a request of this location, by its number */
    size_t posted_capacity;
    const char *routine; /* routine of the open call */
    enum portolan_trace_routine_class class;
    size_t post_group, start_group; /* indices in GROUPS */
    OTF2_ErrorCode error;           /* the first error */
    struct portolan_arena arena;    /* holds all but POSTED; `failed`: no memory */
};

static inline void check(struct writer *w, OTF2_ErrorCode code)
{
    if (code && !w->error)
        w->error = code;
}

/* Numbers of groups: of all locations with MPI; those that one-sided calls name; of communicators
 * and windows. Readers expect definitions in order, without gaps. */
enum { FIRST_ACCESS_GROUP = 1 };

/* otf2_write_events.c: writes the events of location AT. */
void otf2_write_location(struct writer *w, size_t at);

#endif
