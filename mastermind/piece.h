/* SPDX-License-Identifier: BSD-3-Clause */
/* A piece: what happened on this rank between two swap points, as samples. */
#ifndef PORTOLAN_MASTERMIND_PIECE_H
#define PORTOLAN_MASTERMIND_PIECE_H

#include <portolan/probe.h>
#include <portolan/store.h>

/** Samples of one rank, parents first. Names are borrowed from the probe (or from a block). */
struct piece {
    size_t n, capacity;
    struct portolan_sample *samples;
    uint32_t *handles; /**< of the samples' methods in the probe; NULL after unpacking */
    double root_ns;    /**< time of the roots on the thread that had most */
};

/** Frees what the piece holds; it can be used again. */
void piece_clear(struct piece *piece);

/**
 * Fills PIECE with what NOW has more than BEFORE (an earlier snapshot of the same process; empty:
 * all of it counts). Running calls count with the time they have had so far. Call paths on which
 * nothing happened, and Portolan's own work, are left out. Errors: ENOMEM.
 */
enum portolan_status piece_difference(const struct portolan_probe_snapshot *before,
                                      const struct portolan_probe_snapshot *now, int rank,
                                      struct piece *piece, struct portolan_error *err);

/** The samples as bytes for another rank of the same program; the caller frees *BYTES. */
enum portolan_status piece_pack(const struct piece *piece, void **bytes, size_t *size_bytes,
                                struct portolan_error *err);

/**
 * Appends a packed block to PIECE, with parents moved accordingly. Names stay borrowed from BYTES,
 * which must be aligned to 8. Errors: ENOMEM, EINTERNAL (not a packed piece).
 */
enum portolan_status piece_unpack(struct piece *piece, const void *bytes, size_t size_bytes,
                                  struct portolan_error *err);

#endif
