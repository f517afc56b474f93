/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the records of a stream (<portolan/trace_stream.h>), one after the other. */
#ifndef TRACE_FILES_STREAM_DECODE_H
#define TRACE_FILES_STREAM_DECODE_H

#include <portolan/trace.h>
#include <portolan/trace_stream.h>

/* One record: an event (KIND is of enum portolan_trace_kind), or a definition. */
struct stream_record {
    unsigned kind;
    bool is_definition;
    uint64_t ticks;
    /* For an event. */
    uint64_t what, bytes, request;
    int64_t peer, tag;
    struct portolan_stream_definition definition; /* valid until the next record */
};

struct stream_decoder {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    struct portolan_diagnostics *diagnostics; /* NULL: problems have been reported already */
    /* The position. */
    size_t n_opened;  /* blocks opened */
    uint64_t n_known; /* number + 1 of the last block */
    const uint8_t *at, *end;
    uint64_t ticks;
    /* Faults of the file. */
    bool is_cut, is_out_of_memory;
    uint64_t lost; /* events */
    /* Room for the texts and lists of a record. */
    char *texts;
    int *ranks;
    size_t texts_room, ranks_room;
};

/* Returns whether BYTES begin a stream. */
bool stream_is_one(const void *bytes, size_t size);
/*
 * Reads the next record; false at the end, or without memory. Continues after damaged blocks, each
 * of which yields an event GAP.
 */
bool stream_next(struct stream_decoder *d, struct stream_record *record);
void stream_rewind(struct stream_decoder *d);
/* Frees the room. */
void stream_clear(struct stream_decoder *d);

#endif
