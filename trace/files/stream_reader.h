/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of Portolan's own streams: what is known of each file. */
#ifndef TRACE_FILES_STREAM_READER_H
#define TRACE_FILES_STREAM_READER_H

#include "stream_decode.h"

/* A clock at one time, as a CLOCK record has it. */
struct clock_reading {
    uint64_t kind, per_second, ticks, ns, real_ns;
};

struct stream_file {
    const char *path;
    struct stream_decoder decoder;
    bool is_known; /* the file names its rank and thread */
    uint64_t rank, thread, n_ranks, flags;
    char host[256], counter[256]; /* COUNTER "": not known */
    struct clock_reading first, last;
    bool has_clock;
    /* Conversion of ticks to nanoseconds of the trace. */
    uint64_t origin_ticks;
    double origin_ns, tick_ns;
};

/* Entries of the trace + 1, by numbers of the file; 0: not defined. */
struct number_map {
    size_t *entry, room, n;
};

/* Neighbours of one member, from its own file. */
struct neighbours {
    uint64_t id;
    int rank;
    const int *ranks;
    size_t n;
};

struct reading {
    const char *path;
    struct portolan_diagnostics *diagnostics;
    struct portolan_arena arena; /* for files and neighbours */
    struct stream_file *files;
    size_t n_files;
    struct neighbours *neighbours;
    size_t n_neighbours;
    struct portolan_trace *trace;
    /* Requests of the rank that is being read, in the order of their first events. */
    struct number_map requests;
    size_t n_requests;
    uint64_t requests_rank;
    bool is_out_of_memory;
};

/* Returns the name of the clock of F's times. */
const char *stream_clock_of(const struct stream_file *f);

/* stream_events.c: adds the events of F, whose definitions have been read, to the trace. */
void stream_read_events(struct reading *r, struct stream_file *f);

#endif
