/* SPDX-License-Identifier: BSD-3-Clause */
/* A piece: what happened on this rank between two swap points, as samples. */
#ifndef PORTOLAN_MASTERMIND_PIECE_H
#define PORTOLAN_MASTERMIND_PIECE_H

#include <portolan/recorder.h>

/** How many calls of S were timed; see portolan_sample. */
static inline double piece_timed_calls(const struct portolan_sample *s)
{
    return s->timed_calls < 0 ? 0 : (double)(s->timed_calls ? s->timed_calls : s->calls);
}

/** Frees what the piece holds; it can be used again. */
void piece_clear(struct portolan_piece *piece);

/**
 * Fills PIECE with what NOW has more than BEFORE (an earlier snapshot of the same SOURCE; empty:
 * all of it counts). Running calls count with the time they have had so far. Call paths on which
 * nothing happened, and Portolan's own work, are left out. Errors: ENOMEM.
 */
/** This process's probe. */
extern const struct portolan_recorder_source piece_own_source;

enum portolan_status piece_difference(const struct portolan_recorder_source *source,
                                      const struct portolan_probe_snapshot *before,
                                      const struct portolan_probe_snapshot *now, int rank,
                                      struct portolan_piece *piece, struct portolan_error *err);

/** Room for N samples and handles in all. Errors: ENOMEM. */
enum portolan_status piece_reserve(struct portolan_piece *piece, size_t n);

/** Notes the names of the counters that SOURCE reads now. Errors: ENOMEM. */
enum portolan_status piece_find_counters(const struct portolan_recorder_source *source,
                                         struct portolan_piece *piece);

/** Makes S a sample of record R with all names, those of PIECE's counters too, and no values. */
void piece_name(struct portolan_sample *s, const struct portolan_recorder_source *source,
                const struct portolan_piece *piece, int rank, int64_t parent,
                const struct portolan_probe_record *r);

/** The samples as bytes for another rank of the same program; the caller frees *BYTES. */
enum portolan_status piece_pack(const struct portolan_piece *piece, void **bytes,
                                size_t *size_bytes, struct portolan_error *err);

/**
 * Appends a packed block to PIECE, with parents moved accordingly. Names stay borrowed from BYTES,
 * which must be aligned to 8. Errors: ENOMEM, EINTERNAL (not a packed piece).
 */
enum portolan_status piece_unpack(struct portolan_piece *piece, const void *bytes,
                                  size_t size_bytes, struct portolan_error *err);

#endif
