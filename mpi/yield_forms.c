/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking routines in a form that yields: those of routines.list, and the others by hand. */
#include "note.h"

#include <stdlib.h>

#include "mpi_yielding.h"

/*
 * One after the other: MPICH 4.0's MPI_Testall fails when some requests of partitioned messages
 * have completed and others have not.
 */
static int await_all(int count, MPI_Request requests[], MPI_Status statuses[])
{
    MPI_Status ignored;
    int result = MPI_SUCCESS;

    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? &ignored : &statuses[i];
        MPI_Request before = requests[i];
        int is_done = 1, class = MPI_SUCCESS, one;

        if (result == MPI_SUCCESS)
            one = mpi_await_quietly(&requests[i], status);
        else /* as MPICH does: after a failure nothing is waited for any more */
            one = mpi_test_quietly(&requests[i], &is_done, status);
        status->MPI_ERROR = is_done ? one : MPI_ERR_PENDING;
        if (one == MPI_SUCCESS)
            continue;
        PMPI_Error_class(one, &class);
        if (class == MPI_ERR_REQUEST && requests[i] == before)
            return one;
        result = MPI_ERR_IN_STATUS;
    }
    return result;
}

int mpi_yielding_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
    int result;

    if (!mpi_is_concurrent)
        mpi_put_handler_aside();
    result = await_all(count, array_of_requests, array_of_statuses);
    if (!mpi_is_concurrent)
        mpi_put_handler_back();
    if (result != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(MPI_COMM_WORLD, result);
    return result;
}

int mpi_yielding_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                          int array_of_indices[], MPI_Status array_of_statuses[])
{
    unsigned misses = 0;
    int result;

    while ((result = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices,
                                   array_of_statuses)) == MPI_SUCCESS &&
           *outcount == 0)
        mpi_relax(&misses);
    return result;
}

/* A receive of nothing has the status that it should have only if it blocks, which it does not. */
int mpi_yielding_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    int result;

    if (source == MPI_PROC_NULL)
        return PMPI_Recv_c(buf, count, datatype, source, tag, comm, status);
    result = PMPI_Irecv_c(buf, count, datatype, source, tag, comm, &request);
    return result == MPI_SUCCESS ? mpi_await(comm, &request, status) : result;
}

/*
 * Whether MPI_Isend would take these arguments. When it did not after the receive was posted, that
 * receive might have taken a message which the blocking routine would have left.
 */
static int check_send(const void *buf, MPI_Count count, MPI_Datatype type, int tag, MPI_Comm comm)
{
    MPI_Request nothing;
    int result = PMPI_Isend_c(buf, count, type, MPI_PROC_NULL, tag, comm, &nothing);

    return result == MPI_SUCCESS ? PMPI_Wait(&nothing, MPI_STATUS_IGNORE) : result;
}

/* Not MPI_Isendrecv: its request does not tell from whom MPICH 4.0 received. */
int mpi_yielding_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                            MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                            MPI_Status *status)
{
    MPI_Request receive, send;
    int sent, result;

    if (dest >= mpi_partners(comm) || (dest < 0 && dest != MPI_PROC_NULL)) /* fails */
        return PMPI_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                               recvtype, source, recvtag, comm, status);
    if (source == MPI_PROC_NULL) {
        result = mpi_yielding_Send_c(sendbuf, sendcount, sendtype, dest, sendtag, comm);
        return result != MPI_SUCCESS
                   ? result
                   : PMPI_Recv_c(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
    }
    result = check_send(sendbuf, sendcount, sendtype, sendtag, comm);
    if (result == MPI_SUCCESS)
        result = PMPI_Irecv_c(recvbuf, recvcount, recvtype, source, recvtag, comm, &receive);
    if (result != MPI_SUCCESS)
        return result;
    sent = PMPI_Isend_c(sendbuf, sendcount, sendtype, dest, sendtag, comm, &send);
    if (sent != MPI_SUCCESS) {
        PMPI_Cancel(&receive);
        mpi_await(comm, &receive, MPI_STATUS_IGNORE);
        return sent;
    }
    result = mpi_await(comm, &receive, status);
    sent = mpi_await(comm, &send, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : sent;
}

/* As MPICH does it: what is sent is packed first. */
int mpi_yielding_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                    int sendtag, int source, int recvtag, MPI_Comm comm,
                                    MPI_Status *status)
{
    MPI_Count room = 0, used = 0;
    int result = PMPI_Pack_size_c(count, datatype, comm, &room);
    void *packed;

    if (result != MPI_SUCCESS)
        return result;
    if (!(packed = malloc(room ? (size_t)room : 1))) /* messages of both kinds do match */
        return PMPI_Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm,
                                       status);
    result = PMPI_Pack_c(buf, count, datatype, packed, room, &used, comm);
    if (result == MPI_SUCCESS) {
        result = mpi_yielding_Sendrecv_c(packed, used, MPI_PACKED, dest, sendtag, buf, count,
                                         datatype, source, recvtag, comm, status);
        if (status != MPI_STATUS_IGNORE)
            PMPI_Error_class(result, &status->MPI_ERROR);
    }
    free(packed);
    return result;
}
