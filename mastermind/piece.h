/* SPDX-License-Identifier: BSD-3-Clause */
/* A piece: what happened on this rank between two swap points, as samples. */
#ifndef PORTOLAN_MASTERMIND_PIECE_H
#define PORTOLAN_MASTERMIND_PIECE_H

#include <portolan/recorder.h>

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
