/* SPDX-License-Identifier: BSD-3-Clause */
/* Routines that start and complete requests: how much came, and from whom, is known only here. */
#include "pending.h"

#include <portolan/probe.h>

#include <stdlib.h>
#include <string.h>

#define FEW 16

/* What must be kept of a call's requests, since completing makes them null. */
struct completion {
    int n; /* 0: nothing to be noted */
    const MPI_Request *now;
    MPI_Request few_before[FEW], *before;
    struct mpi_pending *few_pending[FEW], **pending; /* found before, with several threads */
    MPI_Status few_statuses[FEW], *statuses;         /* where the caller ignores them */
    void *memory;
};

static bool make_room(struct completion *c, int n)
{
    size_t each = sizeof *c->before + sizeof *c->pending + sizeof *c->statuses;
    char *room;

    if (n <= FEW) {
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

/* To be called before REQUESTS may complete; gives the statuses to be used. */
static MPI_Status *watch(struct completion *c, int n, const MPI_Request *requests,
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
static void completed(struct completion *c, int i, const MPI_Status *status, int result)
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

/* N requests completed, those of INDICES or, if that is NULL, the first ones. */
static void completed_many(struct completion *c, int n, const int *indices,
                           const MPI_Status *statuses, int result)
{
    int class = MPI_SUCCESS;

    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    if (class != MPI_SUCCESS && class != MPI_ERR_IN_STATUS)
        return;
    for (int k = 0; c->n && k < n; k++)
        completed(c, indices ? indices[k] : k, &statuses[k],
                  class == MPI_SUCCESS ? MPI_SUCCESS : statuses[k].MPI_ERROR);
}

static void end(struct completion *c, struct mpi_call *call)
{
    free(c->memory);
    mpi_note(call);
}

PORTOLAN_API int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Wait};
    struct completion c;

    status = watch(&c, 1, request, status);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = mpi_do_Wait(request, status);
    call.ticks = portolan_probe_mpi_leave();
    mpi_waited(call.ticks);
    completed(&c, 0, status, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Waitall(int count, MPI_Request array_of_requests[],
                             MPI_Status array_of_statuses[])
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Waitall};
    struct completion c;
    MPI_Status *statuses = watch(&c, count, array_of_requests, array_of_statuses);

    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = mpi_do_Waitall(count, array_of_requests, statuses);
    call.ticks = portolan_probe_mpi_leave();
    mpi_waited(call.ticks);
    completed_many(&c, count, NULL, statuses, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx,
                             MPI_Status *status)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Waitany};
    struct completion c;

    *indx = MPI_UNDEFINED;
    status = watch(&c, count, array_of_requests, status);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = mpi_do_Waitany(count, array_of_requests, indx, status);
    call.ticks = portolan_probe_mpi_leave();
    mpi_waited(call.ticks);
    completed(&c, *indx, status, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                              int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Waitsome};
    struct completion c;
    MPI_Status *statuses = watch(&c, incount, array_of_requests, array_of_statuses);

    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = mpi_do_Waitsome(incount, array_of_requests, outcount, array_of_indices, statuses);
    call.ticks = portolan_probe_mpi_leave();
    mpi_waited(call.ticks);
    completed_many(&c, *outcount, array_of_indices, statuses, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Test};
    struct completion c;

    status = watch(&c, 1, request, status);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Test(request, flag, status);
    call.ticks = portolan_probe_mpi_leave();
    if (call.result != MPI_SUCCESS || *flag)
        completed(&c, 0, status, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                             MPI_Status array_of_statuses[])
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Testall};
    struct completion c;
    MPI_Status *statuses = watch(&c, count, array_of_requests, array_of_statuses);

    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Testall(count, array_of_requests, flag, statuses);
    call.ticks = portolan_probe_mpi_leave();
    if (call.result != MPI_SUCCESS || *flag)
        completed_many(&c, count, NULL, statuses, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag,
                             MPI_Status *status)
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Testany};
    struct completion c;

    *indx = MPI_UNDEFINED;
    status = watch(&c, count, array_of_requests, status);
    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Testany(count, array_of_requests, indx, flag, status);
    call.ticks = portolan_probe_mpi_leave();
    if (call.result != MPI_SUCCESS || *flag)
        completed(&c, *indx, status, call.result);
    end(&c, &call);
    return call.result;
}

PORTOLAN_API int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                              int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct mpi_call call = {.routine = MPI_ROUTINE_Testsome};
    struct completion c;
    MPI_Status *statuses = watch(&c, incount, array_of_requests, array_of_statuses);

    portolan_probe_mpi_enter_at(__builtin_frame_address(0));
    call.result = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, statuses);
    call.ticks = portolan_probe_mpi_leave();
    completed_many(&c, *outcount, array_of_indices, statuses, call.result);
    end(&c, &call);
    return call.result;
}

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
