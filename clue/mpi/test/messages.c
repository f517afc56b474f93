/* SPDX-License-Identifier: BSD-3-Clause */
/* Point to point in all forms, and what statuses say. Prints by rank 0, from what others send it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n, next, before;

/* Replaces routines as a tool does, by the profiling interface. */
static int synchronous;

int MPI_Ssend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    synchronous++;
    return PMPI_Ssend(buf, count, type, dest, tag, comm);
}

static void show(const char *what, const MPI_Status *status, int value)
{
    int count, cancelled;

    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    if (rank == 0)
        printf("%s: from %d tag %d count %d cancelled %d value %d\n", what, status->MPI_SOURCE,
               status->MPI_TAG, count, cancelled, value);
}

static void blocking(void)
{
    int out[4] = {rank, 1, 2, 3}, in[4] = {0};
    MPI_Status status;
    MPI_Request request;
    char *buffer = malloc(4096), *back;
    int size;

    MPI_Buffer_attach(buffer, 4096);
    for (int form = 0; form < 4; form++) {
        MPI_Irecv(in, 4, MPI_INT, before, form, MPI_COMM_WORLD, &request);
        /* NEXT has posted its receive, too. */
        MPI_Sendrecv(NULL, 0, MPI_INT, before, 20, NULL, 0, MPI_INT, next, 20, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (form == 0)
            MPI_Send(out, 3, MPI_INT, next, form, MPI_COMM_WORLD);
        else if (form == 1)
            MPI_Ssend(out, 3, MPI_INT, next, form, MPI_COMM_WORLD);
        else if (form == 2)
            MPI_Rsend(out, 3, MPI_INT, next, form, MPI_COMM_WORLD);
        else
            MPI_Bsend(out, 3, MPI_INT, next, form, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        show("form", &status, in[0]);
    }
    MPI_Buffer_detach(&back, &size);
    if (rank == 0)
        printf("detached %d %d, synchronous %d\n", back == buffer, size, synchronous);
    free(buffer);
    MPI_Buffer_detach(&back, &size);
    if (rank == 0)
        printf("again %d %d\n", back == NULL, size);
    MPI_Sendrecv(out, 2, MPI_INT, next, 9, in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status);
    show("sendrecv", &status, in[0]);
    MPI_Sendrecv_replace(out, 4, MPI_INT, next, 1, before, 1, MPI_COMM_WORLD, &status);
    show("replace", &status, out[0]);
    MPI_Recv(in, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    MPI_Send(in, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
    MPI_Bsend(in, 4, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD); /* without a buffer */
    show("nobody", &status, in[0]);
    MPI_Isend(out, 4, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 4, MPI_INT, rank, 3, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("self", &status, in[3]);
}

static void several(void)
{
    enum { N = 6 };
    int in[N], out[N], index, n_done, indices[N], flag, left = N;
    MPI_Request receives[N + 1], sends[N];
    MPI_Status statuses[N + 1], status;

    for (int i = 0; i < N; i++) {
        out[i] = 100 * rank + i;
        MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &receives[i]);
    }
    receives[N] = MPI_REQUEST_NULL;
    for (int i = N - 1; i >= 0; i--)
        MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]);
    MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
    MPI_Waitany(N + 1, receives, &index, &status);
    left--;
    MPI_Waitsome(N + 1, receives, &n_done, indices, statuses);
    left -= n_done;
    while (left > 0) {
        MPI_Testany(N + 1, receives, &index, &flag, &status);
        left -= flag && index != MPI_UNDEFINED;
    }
    MPI_Waitany(N + 1, receives, &index, &status);
    show("none left", &status, index);
    MPI_Testsome(N + 1, receives, &n_done, indices, statuses);
    if (rank == 0)
        printf("done %d, sum %d\n", n_done, in[0] + in[1] + in[2] + in[3] + in[4] + in[5]);
    for (int i = 0; i < N; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, before, 7, MPI_COMM_WORLD, &receives[i]);
    for (int i = 0; i < N; i++)
        MPI_Send(&out[i], 1, MPI_INT, next, 7, MPI_COMM_WORLD);
    do
        MPI_Testall(N, receives, &flag, statuses);
    while (!flag);
    for (int i = 0; i < N; i++)
        show("in order", &statuses[i], in[i]);
}

static void persistent(void)
{
    int in = 0, out = rank, size;
    char buffer[1024], *back;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Bsend_init(&out, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Recv_init(&in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, statuses);
        show("again", &statuses[1], in);
        out += 10;
    }
    MPI_Buffer_detach(&back, &size);
    MPI_Wait(&requests[1], &statuses[1]);
    show("inactive", &statuses[1], in);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    if (rank == 0)
        printf("freed %d\n", requests[0] == MPI_REQUEST_NULL);
}

static void probes(void)
{
    int in[3], out[3] = {rank, 5, 6}, flag = 0, count;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status = {0}; /* MPICH's probes leave what is cancelled as it was */

    MPI_Isend(out, 3, MPI_INT, next, 5, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    show("probe", &status, 0);
    MPI_Recv(in, 3, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(out, 2, MPI_INT, next, 6, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(before, 6, MPI_COMM_WORLD, &flag, &status);
    show("iprobe", &status, 0);
    MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Iprobe(before, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    show("mprobe", &status, flag);
    MPI_Mrecv(in, 3, MPI_INT, &message, &status);
    show("mrecv", &status, in[0] + (message == MPI_MESSAGE_NULL));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Improbe(before, 77, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Imrecv(in, 3, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    show("mrecv of nobody", &status, flag);
    MPI_Irecv(in, 3, MPI_INT, before, 99, MPI_COMM_WORLD, &request);
    MPI_Request_get_status(request, &flag, &status);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &count);
    if (rank == 0)
        printf("cancelled %d, was complete %d\n", count, flag);
}

static void truncated(void)
{
    int in[2], out[4] = {1, 2, 3, 4}, code, class;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Comm early; /* has no handler of its own: the world's counts */

    MPI_Comm_dup(MPI_COMM_WORLD, &early);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Irecv(in, 2, MPI_INT, before, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 4, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[1]);
    code = MPI_Waitall(2, requests, statuses);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf("truncated: %d", class == MPI_ERR_IN_STATUS);
    MPI_Error_class(statuses[0].MPI_ERROR, &class);
    if (rank == 0)
        printf(" %d", class == MPI_ERR_TRUNCATE);
    code = MPI_Send(out, -1, MPI_INT, next, 8, early);
    MPI_Comm_free(&early);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf(" count %d", class);
    code = MPI_Send(out, 1, MPI_INT, n, 8, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf(" rank %d", class);
    code = MPI_Send(out, 1, MPI_DATATYPE_NULL, 0, 8, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf(" type %d", class);
    code = MPI_Send(out, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf(" tag %d\n", class);
}

static int query(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int nothing(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void generalized(void)
{
    int extra = 12, flag;
    MPI_Request request;
    MPI_Status status;

    MPI_Grequest_start(query, nothing, cancel, &extra, &request);
    MPI_Test(&request, &flag, &status);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    show("generalized", &status, flag);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    next = (rank + 1) % n;
    before = (rank + n - 1) % n;
    blocking();
    several();
    persistent();
    probes();
    truncated();
    generalized();
    MPI_Finalize();
    return 0;
}
