/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes, matched messages, and statuses. */
#include "internal.h"

/* ---------------------------------------------------------------- probes */

/* Returns whether there is a message. TAKEN is as for clue_probe(). */
static bool look(struct mpi_task *t, struct mpi_comm *c, int source, int tag, bool is_waiting,
                 struct clue_message *message, clue_request *taken)
{
    int from = source == MPI_ANY_SOURCE ? CLUE_ANY : mpi_partners(c)->members[source];
    uint64_t context = c->context + MPI_POINT_TO_POINT;
    bool is_found;

    tag = tag == MPI_ANY_TAG ? CLUE_ANY : tag;
    do {
        int64_t began = clue_now();

        /* A nonblocking collective advances meanwhile, so this polls instead of waiting. */
        mpi_progress(t);
        is_found = clue_probe(from, context, tag, is_waiting && !t->schedules, message, taken);
        if (!is_found)
            mpi_polled(began);
    } while (!is_found && is_waiting);
    return is_found;
}

static void set_found(MPI_Status *status, struct mpi_comm *c, const struct clue_message *message)
{
    mpi_status_set(status, mpi_group_rank(mpi_partners(c), message->from), message->tag,
                   (MPI_Count)message->bytes, false);
}

int mpi_probe(struct mpi_task *t, int source, int tag, MPI_Comm comm, bool is_waiting, int *flag,
              MPI_Status *status)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct clue_message message;

    *flag = 1;
    if (source == MPI_PROC_NULL)
        mpi_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    else if (look(t, c, source, tag, is_waiting, &message, NULL))
        set_found(status, c, &message);
    else
        *flag = 0;
    return MPI_SUCCESS;
}

/* Makes a matched message a request of kind MESSAGE, until it is received. */
int mpi_match(struct mpi_task *t, int source, int tag, MPI_Comm comm, bool is_waiting, int *flag,
              MPI_Message *handle, MPI_Status *status)
{
    struct mpi_comm *c = mpi_comm(t, comm);
    struct clue_message message;
    struct mpi_request *r;
    clue_request taken;

    *flag = 1;
    *handle = MPI_MESSAGE_NO_PROC;
    if (source == MPI_PROC_NULL) {
        mpi_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        return MPI_SUCCESS;
    }
    *handle = MPI_MESSAGE_NULL;
    *flag = look(t, c, source, tag, is_waiting, &message, &taken);
    if (!*flag)
        return MPI_SUCCESS;
    set_found(status, c, &message);
    r = mpi_request_new(t, MPI_REQUEST_MESSAGE, c);
    r->engine = taken;
    r->rank = mpi_group_rank(mpi_partners(c), message.from);
    r->tag = message.tag;
    *handle = r->handle;
    return MPI_SUCCESS;
}

int do_Imrecv(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype,
              MPI_Message *message, MPI_Request *request)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, *message);
    bool is_from_nobody = *message == MPI_MESSAGE_NO_PROC;

    if (!is_from_nobody && (!r || r->kind != MPI_REQUEST_MESSAGE))
        return mpi_error(t, MPI_ERR_REQUEST, "0x%x is no message", *message);
    *message = MPI_MESSAGE_NULL;
    if (is_from_nobody) {
        r = mpi_request_new(t, MPI_REQUEST_RECEIVE, t->world);
        r->rank = MPI_PROC_NULL;
    }
    r->kind = MPI_REQUEST_RECEIVE;
    r->is_active = true;
    r->buf = buf;
    r->count = count;
    r->type = mpi_type(t, datatype);
    mpi_type_retain(r->type);
    *request = r->handle;
    if (!is_from_nobody && mpi_is_observed())
        mpi_notify_message(t, PORTOLAN_MPI_RECV_POST, r);
    if (!is_from_nobody)
        mpi_receive_taken(r);
    return MPI_SUCCESS;
}

int do_Mrecv(struct mpi_task *t, void *buf, MPI_Count count, MPI_Datatype datatype,
             MPI_Message *message, MPI_Status *status)
{
    MPI_Request request;
    struct mpi_request *r;
    int code = do_Imrecv(t, buf, count, datatype, message, &request);

    if (code != MPI_SUCCESS)
        return code;
    r = mpi_item(t, MPI_KIND_REQUEST, request);
    mpi_await(t, &r, 1, true);
    return mpi_request_end(t, r, status);
}

/* ---------------------------------------------------------------- statuses */

int do_Status_set_elements_x(struct mpi_task *t, MPI_Status *status, MPI_Datatype handle,
                             MPI_Count count)
{
    MPI_Count bytes = count * mpi_type(t, handle)->size; /* COUNT items, as MPICH counts */

    status->count_lo = (int)(bytes & 0xffffffff);
    status->count_hi_and_cancelled = (int)(bytes >> 32 << 1) | (status->count_hi_and_cancelled & 1);
    return MPI_SUCCESS;
}
