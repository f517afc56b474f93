/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers. Those that start and complete requests: how much came, and from whom, is known
 * only here. */
#include "note.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct mpi_watched *c, int n)
{
    size_t each = sizeof *c->before + sizeof *c->pending + sizeof *c->statuses;
    char *room;

    if (n <= MPI_WATCHED_FEW) {
        c->before = c->few_before;
        c->pending = c->few_pending;
        c->statuses = c->few_statuses;
        return true;
    }
    if (!(c->memory = room = portolan_calloc((size_t)n, each)))
        return false;
    c->pending = (struct mpi_pending **)room;
    c->statuses = (MPI_Status *)(room += (size_t)n * sizeof *c->pending);
    c->before = (MPI_Request *)(room + (size_t)n * sizeof *c->statuses);
    return true;
}

MPI_Status *mpi_watch(struct mpi_watched *c, int n, const MPI_Request *requests,
                      MPI_Status *statuses)
{
    c->n = 0;
    c->memory = NULL;
    if (n <= 0 || !mpi_pending_any() || !make_room(c, n))
        return statuses;
    c->n = n;
    c->now = requests;
    memcpy(c->before, requests, (size_t)n * sizeof *c->before);
    for (int i = 0; mpi_is_concurrent && i < n; i++)
        c->pending[i] = mpi_pending_find(c->before[i]);
    return statuses == MPI_STATUSES_IGNORE ? c->statuses : statuses;
}

/* Request I completed, or failed doing so: then it is null, or active no more. */
static void completed(struct mpi_watched *c, int i, const MPI_Status *status, int result)
{
    int class = MPI_SUCCESS;
    struct mpi_pending *p;

    if (i < 0 || i >= c->n)
        return;
    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE && c->now[i] == c->before[i])
        return;
    p = mpi_is_concurrent ? c->pending[i] : mpi_pending_find(c->before[i]);
    if (p)
        mpi_pending_complete(p, status, result, c->now[i]);
}

static void end_watch(const struct mpi_call *call, struct mpi_watched *c)
{
    free(c->memory);
    mpi_note(call);
}

void mpi_note_completed_one(const struct mpi_call *call, struct mpi_watched *c, int i,
                            const MPI_Status *status)
{
    completed(c, i, status, call->result);
    end_watch(call, c);
}

void mpi_note_completed_many(const struct mpi_call *call, struct mpi_watched *c, int n,
                             const int *indices, const MPI_Status *statuses)
{
    int class = MPI_SUCCESS;

    if (call->result != MPI_SUCCESS)
        PMPI_Error_class(call->result, &class);
    if (class != MPI_SUCCESS && class != MPI_ERR_IN_STATUS)
        n = 0;
    for (int k = 0; c->n && k < n; k++)
        completed(c, indices ? indices[k] : k, &statuses[k],
                  class == MPI_SUCCESS ? MPI_SUCCESS : statuses[k].MPI_ERROR);
    end_watch(call, c);
}

/* Of a test, which has a flag: DONE where something completed, or failed to. */
#define IF_DONE(done, else_) (call.result != MPI_SUCCESS || *flag ? (done) : (else_))

/* The watched routines (routines.list); those that begin and end MPI are in lifecycle.c. */
#include "mpi_wrappers.h"

PORTOLAN_API int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Request_get_status};
    struct mpi_pending *p = mpi_pending_any() ? mpi_pending_find(request) : NULL;

    if (p)
        status = mpi_status(&call, status);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Request_get_status(request, flag, status);
    call.ticks = portolan_probe_mpi_leave();
    if (p && call.result == MPI_SUCCESS && *flag)
        mpi_pending_peek(p, status, MPI_SUCCESS);
    mpi_note(&call);
    return call.result;
}

PORTOLAN_API int MPI_Request_free(MPI_Request *request)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Request_free};
    struct mpi_pending *p = mpi_pending_any() ? mpi_pending_find(*request) : NULL;

    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    if (p)
        mpi_pending_free(p);
    call.result = PMPI_Request_free(request);
    call.ticks = portolan_probe_mpi_leave();
    mpi_note(&call);
    return call.result;
}

PORTOLAN_API int MPI_Start(MPI_Request *request)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Start};
    struct mpi_pending *p = mpi_pending_find(*request);

    if (p)
        mpi_pending_activate(p);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Start(request);
    call.ticks = portolan_probe_mpi_leave();
    if (p && call.result == MPI_SUCCESS)
        mpi_pending_started(p, &call, true);
    else
        mpi_note(&call);
    return call.result;
}

PORTOLAN_API int MPI_Startall(int count, MPI_Request array_of_requests[])
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Startall};
    struct mpi_pending *p;

    for (int i = 0; i < count; i++)
        if ((p = mpi_pending_find(array_of_requests[i])))
            mpi_pending_activate(p);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Startall(count, array_of_requests);
    call.ticks = portolan_probe_mpi_leave();
    for (int i = 0; call.result == MPI_SUCCESS && i < count; i++)
        if ((p = mpi_pending_find(array_of_requests[i])))
            mpi_pending_started(p, &call, false);
    mpi_note(&call);
    return call.result;
}
