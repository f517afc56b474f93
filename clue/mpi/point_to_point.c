/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives: blocking, nonblocking, persistent. */
#include "internal.h"

/* ---------------------------------------------------------------- blocking */

/* Waits for a request that the call itself posted. */
static int wait_own(struct mpi_task *t, struct mpi_request *r, MPI_Status *status)
{
    if (r->engine)
        mpi_await(t, &r, 1, true);
    return mpi_request_end(t, r, status);
}

/* Returns a request with these arguments; it retains nothing, since the call waits for it. */
static struct mpi_request own(enum mpi_request_kind kind, struct mpi_comm *comm, int rank, int tag,
                              void *buf, MPI_Count count, struct mpi_type *type, unsigned flags)
{
    return (struct mpi_request){.kind = kind,
                                .comm = comm,
                                .rank = rank,
                                .tag = tag,
                                .buf = buf,
                                .count = count,
                                .type = type,
                                .flags = flags};
}

static int check_buffered(struct mpi_task *t, MPI_Count count, const struct mpi_type *type,
                          int dest)
{
    MPI_Count bytes = count * type->size + MPI_BSEND_OVERHEAD;

    if (dest == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (!t->buffer)
        return mpi_error(t, MPI_ERR_BUFFER, "no buffer is attached: MPI_Buffer_attach is missing");
    if (bytes + mpi_buffered_bytes(t, false) <= t->buffer_bytes)
        return MPI_SUCCESS;
    return mpi_error(t, MPI_ERR_BUFFER, "%ld bytes for the attached buffer of %ld, %ld in use",
                     bytes, t->buffer_bytes, mpi_buffered_bytes(t, false));
}

int mpi_send(struct mpi_task *t, const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
             int tag, MPI_Comm comm, unsigned flags)
{
    struct mpi_request r = own(MPI_REQUEST_SEND, mpi_comm(t, comm), dest, tag, (void *)buf, count,
                               mpi_type(t, datatype), flags);

    if (flags & CLUE_BUFFERED && check_buffered(t, count, r.type, dest))
        return MPI_ERR_BUFFER;
    mpi_request_begin(t, &r);
    return wait_own(t, &r, MPI_STATUS_IGNORE);
}

int do_Recv(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype, int source,
            int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_request r = own(MPI_REQUEST_RECEIVE, mpi_comm(t, comm), source, tag, buf, count,
                               mpi_type(t, datatype), 0);

    mpi_post_receive(&r);
    return wait_own(t, &r, status);
}

static int send_and_receive(struct mpi_task *t, struct mpi_request *out, struct mpi_request *in,
                            MPI_Status *status)
{
    struct mpi_request *both[] = {in, out};

    mpi_post_receive(in);
    mpi_request_begin(t, out);
    mpi_await(t, both, 2, true);
    mpi_request_end(t, out, MPI_STATUS_IGNORE);
    return mpi_request_end(t, in, status);
}

int do_Sendrecv(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                int dest, int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_request out = own(MPI_REQUEST_SEND, c, dest, sendtag, (void *)sendbuf, sendcount,
                                 mpi_type(t, sendtype), 0);
    struct mpi_request in =
        own(MPI_REQUEST_RECEIVE, c, source, recvtag, recvbuf, recvcount, mpi_type(t, recvtype), 0);

    return send_and_receive(t, &out, &in, status);
}

int do_Sendrecv_replace(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype,
                        int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                        MPI_Status *status)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct mpi_type *type = mpi_type(t, datatype);
    MPI_Count bytes = count * type->size;
    void *row = mpi_alloc((size_t)bytes, 1);
    struct mpi_request out =
        own(MPI_REQUEST_SEND, c, dest, sendtag, row, bytes, mpi_builtin_type(MPI_PACKED), 0);
    struct mpi_request in = own(MPI_REQUEST_RECEIVE, c, source, recvtag, buf, count, type, 0);
    int code;

    mpi_pack(type, buf, count, row);
    code = send_and_receive(t, &out, &in, status);
    free(row);
    return code;
}

/* ---------------------------------------------------------------- nonblocking and persistent */

/* Makes a request for the program; it is begun if it IS_BEGUN, else persistent. */
static int make(struct mpi_task *t, enum mpi_request_kind kind, bool is_begun, const void *buf,
                MPI_Count count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                unsigned flags, MPI_Request *request)
{
    struct mpi_request *r = mpi_request_new(t, kind, mpi_comm(t, comm));

    r->rank = rank;
    r->tag = tag;
    r->buf = (void *)buf;
    r->count = count;
    r->type = mpi_type(t, datatype);
    r->flags = flags;
    mpi_type_retain(r->type);
    *request = r->handle;
    r->is_persistent = !is_begun;
    if (is_begun)
        mpi_request_begin(t, r);
    return MPI_SUCCESS;
}

int mpi_isend(struct mpi_task *t, const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
              int tag, MPI_Comm comm, unsigned flags, bool is_begun, MPI_Request *request)
{
    if (is_begun && flags & CLUE_BUFFERED &&
        check_buffered(t, count, mpi_type(t, datatype), dest) != MPI_SUCCESS)
        return MPI_ERR_BUFFER;
    return make(t, MPI_REQUEST_SEND, is_begun, buf, count, datatype, dest, tag, comm, flags,
                request);
}

int mpi_irecv(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype, int source,
              int tag, MPI_Comm comm, bool is_begun, MPI_Request *request)
{
    return make(t, MPI_REQUEST_RECEIVE, is_begun, buf, count, datatype, source, tag, comm, 0,
                request);
}

/* Begins a receive together with a send: the request is complete when both are. */
static void begin_with_send(struct mpi_task *t, MPI_Request request, struct mpi_request second)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, request);

    r->second = mpi_alloc(1, sizeof second);
    *r->second = second;
    mpi_type_retain(second.type);
    mpi_request_begin(t, r->second);
}

int do_Isendrecv(struct mpi_task *t, const void *sendbuf, MPI_Count sendcount,
                 MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Request *request)
{
    mpi_irecv(t, recvbuf, recvcount, recvtype, source, recvtag, comm, true, request);
    begin_with_send(t, *request,
                    own(MPI_REQUEST_SEND, mpi_comm(t, comm), dest, sendtag, (void *)sendbuf,
                        sendcount, mpi_type(t, sendtype), 0));
    return MPI_SUCCESS;
}

int do_Isendrecv_replace(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype,
                         int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                         MPI_Request *request)
{
    struct mpi_type *type = mpi_type(t, datatype);
    MPI_Count bytes = count * type->size;
    void *row = mpi_alloc((size_t)bytes, 1);

    mpi_pack(type, buf, count, row);
    mpi_irecv(t, buf, count, datatype, source, recvtag, comm, true, request);
    begin_with_send(t, *request,
                    own(MPI_REQUEST_SEND, mpi_comm(t, comm), dest, sendtag, row, bytes,
                        mpi_builtin_type(MPI_PACKED), 0));
    ((struct mpi_request *)mpi_item(t, MPI_KIND_REQUEST, *request))->second->packed = row;
    return MPI_SUCCESS;
}

int do_Start(struct mpi_task *t, MPI_Request *request)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, *request);

    if (!r || !r->is_persistent || r->is_active)
        return mpi_error(t, MPI_ERR_REQUEST, "0x%x is %s", *request,
                         r && r->is_active ? "active" : "no persistent request");
    if (r->flags & CLUE_BUFFERED && check_buffered(t, r->count, r->type, r->rank) != MPI_SUCCESS)
        return MPI_ERR_BUFFER;
    if (r->kind == MPI_REQUEST_SCHEDULE)
        mpi_start_collective(t, r);
    else
        mpi_request_begin(t, r);
    return MPI_SUCCESS;
}
