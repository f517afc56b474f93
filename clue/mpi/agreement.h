/* SPDX-License-Identifier: BSD-3-Clause */
/** agreement: all ranks of a communicator call the same collectives in the same order, with the
 * same root, operation and size. */
#ifndef CLUE_MPI_AGREEMENT_H
#define CLUE_MPI_AGREEMENT_H

#include "collective.h"

/** Ends the run if C, the SEQUENCE-th on its communicator, is not what a rank before called. */
void __attribute__((visibility("hidden")))
agreement_check(struct mpi_task *t, const struct collective *c, uint64_t sequence);

#endif
