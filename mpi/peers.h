/* SPDX-License-Identifier: BSD-3-Clause */
/* World ranks of the partners of communicators and windows. */
#ifndef PORTOLAN_MPI_PEERS_H
#define PORTOLAN_MPI_PEERS_H

#include "internal.h"

/* World ranks of those that calls on a communicator address (in an intercommunicator: the others).
 */
struct mpi_peers;

/* To be called when MPI has begun, and before it ends. */
void mpi_peers_begin(void);
void mpi_peers_end(void);

/* World rank of RANK in COMM; -1: none (MPI_PROC_NULL), or of no rank of MPI_COMM_WORLD. */
int mpi_world_rank(MPI_Comm comm, int rank);
int mpi_world_rank_in(MPI_Win win, int rank);

/* For later, when COMM may have been freed; NULL when there is no memory. To be released. */
struct mpi_peers *mpi_peers_hold(MPI_Comm comm);
void mpi_peers_release(struct mpi_peers *peers);
int mpi_peers_rank(const struct mpi_peers *peers, int rank);

#endif
