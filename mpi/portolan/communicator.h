/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpi: the group of ranks of a communicator, for programs that call MPI themselves and choose among
 * objects of their own (<portolan/candidates.h>, portolan-candidates(3)).
 */
#ifndef PORTOLAN_COMMUNICATOR_H
#define PORTOLAN_COMMUNICATOR_H

#include <mpi.h>

#include <portolan/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Collective over COMM: the cohort of its ranks, on copies of it, so that its messages never meet
 * the program's. It belongs to COMM: later calls return the same one, and it ends when COMM is
 * freed or MPI is finalized; before that, what uses it must be closed. Copies of COMM do not get
 * it. One thread at a time. NULL with ERR set: EINVAL (MPI does not run, or MPI_COMM_NULL), EIO,
 * ENOMEM.
 */
PORTOLAN_API struct portolan_cohort *portolan_mpi_cohort_of(MPI_Comm comm,
                                                            struct portolan_error *err);

#ifdef __cplusplus
}
#endif
#endif
