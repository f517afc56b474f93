/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of all ranks come to rank 0, a bounded amount at a time. */
#ifndef PORTOLAN_MASTERMIND_GATHER_H
#define PORTOLAN_MASTERMIND_GATHER_H

#include <portolan/base.h>

/** Most bytes of blocks that a rank holds for others at once; more only where one block is. */
#define GATHER_BYTES ((size_t)16 << 20)

/** What rank 0 does with the block of RANK, which is aligned to 8 and borrowed for the call. */
typedef enum portolan_status (*gather_visit_fn)(void *arg, int rank, const void *bytes,
                                                size_t size_bytes, struct portolan_error *err);

/**
 * Collective. VISIT gets the blocks that are not empty on rank 0, in the order of ranks, unless
 * STATUS (what happened before on this rank) failed on any: in rounds of as many ranks as fit into
 * LIMIT_BYTES. Sizes are multiples of 8. When VISIT fails it is not called again. *TOTAL (may be
 * NULL) is how many bytes all ranks had together. All ranks come to the same verdict.
 */
enum portolan_status gather_blocks(struct portolan_cohort *c, enum portolan_status status,
                                   const void *bytes, size_t size_bytes, size_t limit_bytes,
                                   gather_visit_fn visit, void *arg, double *total,
                                   struct portolan_error *err);

#endif
