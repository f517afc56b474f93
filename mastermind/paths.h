/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths that rows of calls and events refer to by the ids of records. */
#ifndef PORTOLAN_MASTERMIND_PATHS_H
#define PORTOLAN_MASTERMIND_PATHS_H

#include "piece.h"

struct paths_entry {
    uint64_t id;               /* of the record */
    size_t record;             /* in the snapshot */
    int64_t position;          /* in the piece; -1: not there yet */
    struct paths_entry *below; /* on the way down to what is looked for */
};

/** Samples without values for some records of a snapshot, and their callers. Start it as `{0}`. */
struct paths {
    const struct portolan_recorder_source *source;
    struct portolan_probe_snapshot snapshot;
    struct paths_entry *entries; /* by id */
    struct portolan_piece piece; /* what has been looked for */
    int rank;
};

/** Takes a snapshot to look into. Errors: ENOMEM. */
enum portolan_status paths_open(struct paths *p, const struct portolan_recorder_source *source,
                                int rank, struct portolan_error *err);

/** Frees all; it can be opened again. */
void paths_close(struct paths *p);

/** The piece is empty again; the snapshot stays. */
void paths_empty(struct paths *p);

/**
 * *POSITION is that of record ID's path in the piece, with all its callers before it; -1: there is
 * no such record, or it is none that is stored. Errors: ENOMEM.
 */
enum portolan_status paths_find(struct paths *p, uint64_t id, int64_t *position);

/** The record itself; NULL: there is none. */
const struct portolan_probe_record *paths_peek(const struct paths *p, uint64_t id);

#endif
