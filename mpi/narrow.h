/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPI 4 routines for large counts that this room uses, for an older MPI: counts beyond an int
 * are refused with MPI_ERR_COUNT.
 */
#ifndef PORTOLAN_MPI_NARROW_H
#define PORTOLAN_MPI_NARROW_H

#include <limits.h>
#include <mpi.h>

#if MPI_VERSION < 4
#define MPI_NARROW(COUNT, CALL) ((COUNT) > INT_MAX ? MPI_ERR_COUNT : (CALL))
/* The count is the second argument, or the third. */
#define MPI_NARROW_2(ROUTINE, BUF, COUNT, ...)                                                     \
    MPI_NARROW(COUNT, ROUTINE(BUF, (int)(COUNT), __VA_ARGS__))
#define MPI_NARROW_3(ROUTINE, A, B, COUNT, ...)                                                    \
    MPI_NARROW(COUNT, ROUTINE(A, B, (int)(COUNT), __VA_ARGS__))

#define PMPI_Send_c(...)             MPI_NARROW_2(PMPI_Send, __VA_ARGS__)
#define PMPI_Isend_c(...)            MPI_NARROW_2(PMPI_Isend, __VA_ARGS__)
#define PMPI_Recv_c(...)             MPI_NARROW_2(PMPI_Recv, __VA_ARGS__)
#define PMPI_Irecv_c(...)            MPI_NARROW_2(PMPI_Irecv, __VA_ARGS__)
#define PMPI_Imrecv_c(...)           MPI_NARROW_2(PMPI_Imrecv, __VA_ARGS__)
#define PMPI_Mrecv_c(...)            MPI_NARROW_2(PMPI_Mrecv, __VA_ARGS__)
#define PMPI_Bcast_c(...)            MPI_NARROW_2(PMPI_Bcast, __VA_ARGS__)
#define PMPI_Ibcast_c(...)           MPI_NARROW_2(PMPI_Ibcast, __VA_ARGS__)
#define PMPI_Sendrecv_replace_c(...) MPI_NARROW_2(PMPI_Sendrecv_replace, __VA_ARGS__)
#define PMPI_Allreduce_c(...)        MPI_NARROW_3(PMPI_Allreduce, __VA_ARGS__)
#define PMPI_Iallreduce_c(...)       MPI_NARROW_3(PMPI_Iallreduce, __VA_ARGS__)
#define PMPI_Sendrecv_c(A, N, T, TO, TAG, B, M, ...)                                               \
    MPI_NARROW(N, MPI_NARROW(M, PMPI_Sendrecv(A, (int)(N), T, TO, TAG, B, (int)(M), __VA_ARGS__)))
#define PMPI_Type_size_c(TYPE, SIZE)          PMPI_Type_size_x(TYPE, SIZE)
#define PMPI_Get_count_c(STATUS, TYPE, COUNT) PMPI_Get_elements_x(STATUS, TYPE, COUNT)

static inline int PMPI_Pack_size_c(MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                                   MPI_Count *size)
{
    int narrow = 0, result = MPI_NARROW(count, PMPI_Pack_size((int)count, type, comm, &narrow));

    *size = narrow;
    return result;
}

static inline int PMPI_Pack_c(const void *buf, MPI_Count count, MPI_Datatype type, void *packed,
                              MPI_Count room, MPI_Count *used, MPI_Comm comm)
{
    int at = (int)*used, result = PMPI_Pack(buf, (int)count, type, packed, (int)room, &at, comm);

    *used = at;
    return result;
}
#endif

#endif
