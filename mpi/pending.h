/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of which more is to be noted: receives under way, and persistent requests. */
#ifndef PORTOLAN_MPI_PENDING_H
#define PORTOLAN_MPI_PENDING_H

#include "note.h"

struct mpi_pending;

/* Bytes that a status tells of; false when the operation was cancelled. */
bool mpi_status_bytes(const MPI_Status *status, uint64_t *bytes);

/* What is known of REQUEST, or NULL. */
struct mpi_pending *mpi_pending_find(MPI_Request request);
/* There are any, in no particular thread. */
bool mpi_pending_any(void);
/*
 * Notes what STATUS says of one that completed with RESULT, and drops it if REQUEST, as it is now,
 * is null.
 */
void mpi_pending_complete(struct mpi_pending *p, const MPI_Status *status, int result,
                          MPI_Request request);
/* The same for one that was only looked at, and stays. */
void mpi_pending_peek(struct mpi_pending *p, const MPI_Status *status, int result);
/* Drops one that is about to be freed; what it will have received is not known then. */
void mpi_pending_free(struct mpi_pending *p);
/* Before and after the start of a persistent one; IS_CALL: CALL started nothing else. */
void mpi_pending_activate(struct mpi_pending *p);
void mpi_pending_started(struct mpi_pending *p, const struct mpi_call *call, bool is_call);
/* One more receive of which nothing more will be known. */
void mpi_pending_lose(void);

#endif
