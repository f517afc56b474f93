/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of a stream (<portolan/trace_stream.h>), one after the other. */
#ifndef TRACE_FILES_STREAM_DECODE_H
#define TRACE_FILES_STREAM_DECODE_H

#include <portolan/trace.h>
#include <portolan/trace_stream.h>

/* One record: an event (KIND is of enum portolan_trace_kind), or a definition. */
struct stream_record {
    unsigned kind;
    bool is_definition;
    uint64_t ticks;
    /* Of an event. */
    uint64_t what, bytes, request;
    int64_t peer, tag;
    struct portolan_stream_definition definition; /* valid until the next record */
};

struct stream_decoder {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    struct portolan_diagnostics *diagnostics; /* NULL: said before */
    /* Where it stands. */
    size_t n_opened;  /* blocks */
    uint64_t n_known; /* the last one's number + 1 */
    const uint8_t *at, *end;
    uint64_t ticks;
    /* What is wrong with the file. */
    bool is_cut, is_out_of_memory;
    uint64_t lost; /* events */
    /* Room for texts and lists of a record. */
    char *texts;
    int *ranks;
    size_t texts_room, ranks_room;
};

/* Whether BYTES begin a stream. */
bool stream_is_one(const void *bytes, size_t size);
/*
 * The next record; false at the end, or without memory. Goes on behind blocks that are damaged:
 * then an event GAP stands for what was in them.
 */
bool stream_next(struct stream_decoder *d, struct stream_record *record);
void stream_rewind(struct stream_decoder *d);
/* Frees the room. */
void stream_clear(struct stream_decoder *d);

#endif
