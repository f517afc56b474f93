/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi: what its own files share. */
#ifndef PORTOLAN_MPI_INTERNAL_H
#define PORTOLAN_MPI_INTERNAL_H

#include <portolan/mpi.h>

#include <mpi.h>

enum mpi_routine {
    MPI_ROUTINE_Init,
    MPI_ROUTINE_Init_thread,
    MPI_ROUTINE_Finalize,
#define ROUTINE(name) MPI_ROUTINE_##name,
#include "mpi_names.h"
#undef ROUTINE
    MPI_ROUTINES
};

/* Adds one call to the calling thread's totals. */
void mpi_count(enum mpi_routine routine, uint64_t ticks, uint64_t bytes);

/* COUNT elements of TYPE; 0 where the buffer says that they are not used. */
uint64_t mpi_bytes(const void *buffer, MPI_Count count, MPI_Datatype type);

/* The text of an MPI error code, written to TEXT. */
const char *mpi_error_text(int code, char text[MPI_MAX_ERROR_STRING]);

#endif
