/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: how messages begin and end. */
#include "schedule.h"

/* ---------------------------------------------------------------- messages */

/* A message in the buffer of MPI_Buffer_attach. */
struct mpi_buffered {
    struct mpi_buffered *next;
    clue_request engine;
    MPI_Count bytes;
    char data[];
};

MPI_Count mpi_buffered_bytes(struct mpi_task *t, bool is_waiting)
{
    MPI_Count bytes = 0;

    if (t->buffered && !is_waiting)
        clue_record_await(NULL, 0, false);
    for (struct mpi_buffered **at = &t->buffered, *b; (b = *at);) {
        if (is_waiting)
            schedule_wait_for(t, &b->engine, 1);
        if (!clue_is_complete(b->engine)) {
            bytes += b->bytes + MPI_BSEND_OVERHEAD;
            at = &b->next;
            continue;
        }
        *at = b->next;
        clue_free(b->engine);
        free(b);
    }
    return bytes;
}

/* Sends a copy, so that the program need not wait for it. */
static void send_buffered(struct clue_send *send)
{
    struct mpi_task *t = mpi_task();
    struct mpi_buffered *b = mpi_alloc(1, sizeof *b + send->bytes);

    if (send->bytes)
        memcpy(b->data, send->data, send->bytes);
    b->bytes = (MPI_Count)send->bytes;
    send->data = b->data;
    send->packed = send->bytes;
    send->flags &= ~(unsigned)CLUE_BUFFERED;
    b->engine = clue_send(send);
    b->next = t->buffered;
    t->buffered = b;
}

static void post_send(struct mpi_request *r)
{
    enum { SMALL = 256 };
    const struct mpi_type *type = r->type;
    struct clue_send send = {
        .context = r->comm->context + MPI_POINT_TO_POINT, .tag = r->tag, .flags = r->flags};
    char small[SMALL];

    if (r->rank == MPI_PROC_NULL)
        return;
    send.to = mpi_partners(r->comm)->members[r->rank];
    send.bytes = (uint64_t)(r->count * type->size);
    if (mpi_is_dense(type, r->count)) {
        send.data = (const char *)r->buf + type->true_lb;
    } else if (send.bytes) {
        char *packed = small;

        if (send.bytes <= SMALL)
            send.flags |= CLUE_COPIED;
        else
            packed = r->packed = mpi_alloc((size_t)send.bytes, 1);
        send.data = packed;
        send.packed = send.bytes;
        mpi_pack(type, r->buf, r->count, packed);
    }
    if (r->flags & CLUE_BUFFERED)
        send_buffered(&send);
    else
        r->engine = clue_send(&send);
}

/* Takes a message when it is matched; called by whatever task runs then. */
static void deliver(void *arg, const struct clue_message *message)
{
    struct mpi_request *r = arg;
    MPI_Count bytes = (MPI_Count)message->bytes, room = r->count * r->type->size;

    r->source = message->from;
    r->got_tag = message->tag;
    r->bytes = bytes < room ? bytes : room;
    if (bytes > room) {
        r->error = MPI_ERR_TRUNCATE;
        r->sent = bytes;
    }
    if (r->bytes)
        mpi_unpack(r->type, r->buf, r->count, message->data, r->bytes);
}

void mpi_post_receive(struct mpi_request *r)
{
    struct clue_receive receive = {.context = r->comm->context + MPI_POINT_TO_POINT,
                                   .tag = r->tag == MPI_ANY_TAG ? CLUE_ANY : r->tag,
                                   .deliver = deliver,
                                   .arg = r};

    r->error = MPI_SUCCESS;
    r->source = MPI_UNDEFINED;
    if (r->rank == MPI_PROC_NULL)
        return;
    receive.from = r->rank == MPI_ANY_SOURCE ? CLUE_ANY : mpi_partners(r->comm)->members[r->rank];
    r->engine = clue_receive(&receive);
}

static void finish_beside(struct mpi_request *r)
{
    mpi_finish(r->second);
    mpi_type_release(r->second->type);
    free(r->second);
    r->second = NULL;
}

int mpi_finish(struct mpi_request *r)
{
    if (mpi_second_request(r))
        finish_beside(r);
    if (r->engine)
        clue_free(r->engine);
    free(r->packed);
    r->engine = 0;
    r->packed = NULL;
    return r->error;
}

void mpi_receive_taken(struct mpi_request *r)
{
    clue_receive_taken(r->engine, &(struct clue_receive){.deliver = deliver, .arg = r});
}

/* ---------------------------------------------------------------- the program's requests */

enum { CHUNK = 64 };

struct mpi_request *mpi_request_new(struct mpi_task *t, enum mpi_request_kind kind,
                                    struct mpi_comm *comm)
{
    struct mpi_request *r = t->free_requests;

    if (!r) {
        r = mpi_alloc(CHUNK, sizeof *r);
        for (int i = 0; i + 1 < CHUNK; i++)
            r[i].next = &r[i + 1];
    }
    t->free_requests = r->next;
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->comm = comm;
    if (comm)
        mpi_comm_retain(comm);
    r->handle = mpi_handle(t, MPI_KIND_REQUEST, r);
    r->number = ((uint32_t)r->handle & 0x03ffffff) + 1;
    return r;
}

void mpi_request_release(struct mpi_task *t, struct mpi_request *r)
{
    if (r->handle)
        mpi_handle_free(t, r->handle);
    mpi_comm_release(r->comm);
    mpi_type_release(r->type);
    r->next = t->free_requests;
    t->free_requests = r;
}

void mpi_request_done(struct mpi_task *t, MPI_Request *request)
{
    struct mpi_request *r = mpi_request_new(t, MPI_REQUEST_DONE, NULL);

    r->is_active = true;
    *request = r->handle;
}

struct mpi_request *mpi_request_of_schedule(struct mpi_task *t, struct mpi_comm *comm,
                                            struct mpi_schedule *schedule, bool is_persistent,
                                            MPI_Request *request)
{
    struct mpi_request *r = mpi_request_new(t, MPI_REQUEST_SCHEDULE, comm);

    r->schedule = schedule;
    r->is_persistent = is_persistent;
    *request = r->handle;
    if (!is_persistent)
        mpi_request_activate(t, r);
    return r;
}

void mpi_request_activate(struct mpi_task *t, struct mpi_request *r)
{
    struct mpi_request **last = &t->schedules;

    r->is_active = true;
    r->is_done = false;
    r->next = NULL;
    while (*last)
        last = &(*last)->next;
    *last = r;
    mpi_progress(t);
}

void mpi_notify_message(struct mpi_task *t, enum portolan_mpi_event_kind kind,
                        const struct mpi_request *r)
{
    struct portolan_mpi_event event = {.kind = kind, .request = r->number};

    if (kind != PORTOLAN_MPI_SEND_DONE && kind != PORTOLAN_MPI_CANCELLED &&
        kind != PORTOLAN_MPI_COLLECTIVE_DONE) {
        if (r->rank == MPI_PROC_NULL)
            return;
        event.comm = &r->comm->seen;
        event.peer =
            r->rank == MPI_ANY_SOURCE ? PORTOLAN_MPI_ANY : mpi_partners(r->comm)->members[r->rank];
        event.tag = r->tag == MPI_ANY_TAG ? PORTOLAN_MPI_ANY : r->tag;
    }
    if (kind == PORTOLAN_MPI_SEND)
        event.bytes = (uint64_t)(r->count * r->type->size);
    if (kind == PORTOLAN_MPI_RECV) {
        event.peer = r->source;
        event.tag = r->got_tag;
        event.bytes = (uint64_t)r->bytes;
    }
    mpi_notify(t, &event);
}

void mpi_request_begin(struct mpi_task *t, struct mpi_request *r)
{
    r->is_active = true;
    r->is_cancelled = false;
    if (r->kind == MPI_REQUEST_SEND)
        post_send(r);
    else
        mpi_post_receive(r);
    if (mpi_is_observed())
        mpi_notify_message(
            t, r->kind == MPI_REQUEST_SEND ? PORTOLAN_MPI_SEND : PORTOLAN_MPI_RECV_POST, r);
}

/* ---------------------------------------------------------------- ends */

void mpi_status_set(MPI_Status *status, int source, int tag, MPI_Count bytes, bool is_cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->count_lo = (int)(bytes & 0xffffffff);
    status->count_hi_and_cancelled = (int)(bytes >> 32 << 1) | is_cancelled;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
}

void mpi_status_of(const struct mpi_request *r, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    if (r->kind == MPI_REQUEST_RECEIVE && r->rank == MPI_PROC_NULL)
        mpi_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    else if (r->kind == MPI_REQUEST_RECEIVE && !r->is_cancelled)
        mpi_status_set(status,
                       r->rank >= 0 ? r->rank : mpi_group_rank(mpi_partners(r->comm), r->source),
                       r->got_tag, r->bytes, false);
    else
        mpi_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, r->is_cancelled);
}

static void notify_end(struct mpi_task *t, const struct mpi_request *r)
{
    if (r->is_cancelled)
        mpi_notify_message(t, PORTOLAN_MPI_CANCELLED, r);
    else if (r->kind == MPI_REQUEST_SEND && r->number && r->rank != MPI_PROC_NULL)
        mpi_notify_message(t, PORTOLAN_MPI_SEND_DONE, r);
    else if (r->kind == MPI_REQUEST_RECEIVE)
        mpi_notify_message(t, PORTOLAN_MPI_RECV, r);
    else if (r->kind == MPI_REQUEST_SCHEDULE)
        mpi_notify_message(t, PORTOLAN_MPI_COLLECTIVE_DONE, r);
}

int mpi_query(struct mpi_request *r, MPI_Status *status)
{
    struct mpi_generalized *g = r->generalized;
    int code = MPI_SUCCESS;

    if (!g->is_fortran)
        return g->query(g->extra, status);
    ((void (*)(void *, MPI_Status *, int *))(void (*)(void))g->query)(g->extra, status, &code);
    return code;
}

static void free_generalized(struct mpi_request *r)
{
    struct mpi_generalized *g = r->generalized;
    int code;

    if (g->is_fortran)
        ((void (*)(void *, int *))(void (*)(void))g->free)(g->extra, &code);
    else
        g->free(g->extra);
    free(g);
    r->generalized = NULL;
}

int mpi_request_end(struct mpi_task *t, struct mpi_request *r, MPI_Status *status)
{
    int code;

    if (mpi_is_observed())
        notify_end(t, r);
    mpi_status_of(r, status);
    code = mpi_finish(r);
    if (r->kind == MPI_REQUEST_SCHEDULE) {
        t->n_recorded -= mpi_schedule_number(r->schedule) != 0;
        code = r->schedule->error;
        if (!r->is_persistent) {
            mpi_schedule_free(r->schedule);
            r->schedule = NULL;
        }
    } else if (code == MPI_ERR_TRUNCATE)
        mpi_error(t, code, "message of %ld bytes from rank %d, tag %d, for a buffer of %ld bytes",
                  r->sent, mpi_group_rank(mpi_partners(r->comm), r->source), r->got_tag, r->bytes);
    if (code != MPI_SUCCESS && r->comm)
        t->error_comm = r->comm->handle;
    if (r->kind == MPI_REQUEST_GENERALIZED) {
        MPI_Status own = {0};

        code = mpi_query(r, &own);
        if (status != MPI_STATUS_IGNORE)
            *status = own;
        free_generalized(r);
    }
    r->is_active = false;
    if (!r->is_persistent && r->handle)
        mpi_request_release(t, r);
    return code;
}
