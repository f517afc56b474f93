/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of MPI's routines, and what they note when requests start again and complete. */
#include "pending.h"

#include <stdlib.h>
#include <string.h>

/* -- persistent requests -- */

/* Before and after the start of a persistent one; IS_CALL: CALL started nothing else. */
static void activate(struct mpi_pending *p)
{
    p->is_active = p->receives;
}

static void note_started(struct mpi_pending *p, const struct mpi_call *call, bool is_call)
{
    p->routine = call->routine;
    p->is_call = is_call;
    p->ticks = call->ticks;
    mpi_add(call->routine, p->done == PORTOLAN_MPI_COLLECTIVE_DONE ? -1 : p->partner, p->receives,
            is_call, is_call ? call->ticks : 0, p->bytes);
    if (call->is_observed)
        mpi_report_posted(call, p);
}

/* -- what completed -- */

/* Notes what STATUS says of a request that CALL completed with RESULT. */
static void note_completion(const struct mpi_call *call, struct mpi_pending *p,
                            const MPI_Status *status, int result)
{
    int partner = p->partner;
    uint64_t calls = 0, ticks = 0, bytes = 0;
    bool is_reported = p->is_reported && call->is_observed, is_done = true;

    if (p->makes_comm && result == MPI_SUCCESS)
        mpi_number_comm_as(p->bytes, (MPI_Comm)(intptr_t)p->ticks);
    if (is_reported)
        is_done = mpi_report_completed(call, p, status, result, &bytes);
    if (!p->is_active)
        return;
    p->is_active = false;
    if (!is_reported && result == MPI_SUCCESS)
        is_done = mpi_status_bytes(status, &bytes);
    if (!is_done)
        return;
    if (p->is_wild)
        partner = p->in_world ? status->MPI_SOURCE : mpi_peers_rank(p->peers, status->MPI_SOURCE);
    if (p->is_wild && p->is_call && partner >= 0) { /* now the partner is known */
        calls = 1;
        ticks = p->ticks;
        mpi_add(p->routine, -1, true, -calls, -ticks, 0);
    }
    mpi_add(p->routine, partner, true, calls, ticks, bytes);
}

/* The same for an entry that others may have as well, which it drops. */
static void complete_shared(const struct mpi_call *call, intptr_t handle, const MPI_Status *status,
                            int result)
{
    struct mpi_pending *p = mpi_take_shared(handle);

    if (!p)
        return;
    note_completion(call, p, status, result);
    mpi_recycle_pending(p);
}

/* The same, and drops it if REQUEST, as it is now, is null. */
static void complete_request(const struct mpi_call *call, struct mpi_pending *p,
                             const MPI_Status *status, int result, MPI_Request request)
{
    intptr_t handle = p->handle;
    bool is_both = p->is_both;

    note_completion(call, p, status, result);
    if (request != MPI_REQUEST_NULL)
        return;
    mpi_drop_pending(p);
    if (is_both)
        complete_shared(call, handle, status, result);
}

/* P is about to be freed; what it receives will not be known. */
static void free_pending(struct mpi_pending *p)
{
    if (p->is_active) /* asking MPI whether it is complete might raise an unexpected error */
        mpi_lose_receive();
    mpi_drop_pending(p);
}

/* -- what must be kept of a call's requests, since completing makes them null -- */

#define MPI_WATCHED_FEW 16

struct mpi_watched {
    int n; /* 0: nothing to be noted */
    const MPI_Request *now;
    MPI_Request few_before[MPI_WATCHED_FEW], *before;
    /* Entries found before the call, with several threads. */
    struct mpi_pending *few_pending[MPI_WATCHED_FEW], **pending;
    MPI_Status few_statuses[MPI_WATCHED_FEW], *statuses; /* used if the caller ignores them */
    void *memory;
};

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

/* To be called before REQUESTS may complete; gives the statuses to be used. */
static MPI_Status *mpi_watch(struct mpi_watched *c, int n, const MPI_Request *requests,
                             MPI_Status *statuses)
{
    c->n = 0;
    c->memory = NULL;
    if (n <= 0 || !mpi_any_is_pending() || !make_room(c, n))
        return statuses;
    c->n = n;
    c->now = requests;
    memcpy(c->before, requests, (size_t)n * sizeof *c->before);
    for (int i = 0; mpi_is_concurrent && i < n; i++)
        c->pending[i] = mpi_find_request(c->before[i]);
    return statuses == MPI_STATUSES_IGNORE ? c->statuses : statuses;
}

/*
 * Request I completed. After an error other than truncation it did so only if its handle changed.
 */
static void note_one(const struct mpi_call *call, struct mpi_watched *c, int i,
                     const MPI_Status *status, int result)
{
    int class = MPI_SUCCESS;
    struct mpi_pending *p;

    if (i < 0 || i >= c->n)
        return;
    if (result != MPI_SUCCESS)
        PMPI_Error_class(result, &class);
    if (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE && c->now[i] == c->before[i])
        return;
    p = mpi_is_concurrent ? c->pending[i] : mpi_find_request(c->before[i]);
    if (p)
        complete_request(call, p, status, result, c->now[i]);
    else if (mpi_is_concurrent && mpi_is_observable && c->before[i] != MPI_REQUEST_NULL)
        complete_shared(call, (intptr_t)c->before[i], status, result);
}

static void end_watch(const struct mpi_call *call, struct mpi_watched *c)
{
    free(c->memory);
    mpi_note(call);
}

/* After the call: request I completed, or none if I is out of range. */
static void mpi_note_completed_one(const struct mpi_call *call, struct mpi_watched *c, int i,
                                   const MPI_Status *status)
{
    note_one(call, c, i, status, call->result);
    end_watch(call, c);
}

/* N requests completed, those of INDICES or, if that is NULL, the first ones. */
static void mpi_note_completed_many(const struct mpi_call *call, struct mpi_watched *c, int n,
                                    const int *indices, const MPI_Status *statuses)
{
    int class = MPI_SUCCESS;

    if (call->result != MPI_SUCCESS)
        PMPI_Error_class(call->result, &class);
    if (class != MPI_SUCCESS && class != MPI_ERR_IN_STATUS)
        n = 0;
    for (int k = 0; c->n && k < n; k++)
        note_one(call, c, indices ? indices[k] : k, &statuses[k],
                 class == MPI_SUCCESS ? MPI_SUCCESS : statuses[k].MPI_ERROR);
    end_watch(call, c);
}

/* For tests, which have a flag: DONE if something completed or failed, else ELSE_. */
#define IF_DONE(done, else_) (call.result != MPI_SUCCESS || *flag ? (done) : (else_))

/* The watched routines (routines.list); those that begin and end MPI are in lifecycle.c. */
#include "mpi_wrappers.h"

PORTOLAN_API int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    MPI_BEGIN_NOTE(call, Request_get_status);
    struct mpi_pending *p = mpi_any_is_pending() ? mpi_find_request(request) : NULL;

    if (p)
        status = mpi_status(&call, status);
    call.found = flag;
    mpi_begin_call(&call);
    call.result = MPI_NEXT(Request_get_status, int (*)(MPI_Request, int *, MPI_Status *),
                           (request, flag, status));
    call.ticks = portolan_probe_mpi_leave();
    if (p && call.result == MPI_SUCCESS && *flag)
        note_completion(&call, p, status, MPI_SUCCESS);
    mpi_note(&call);
    mpi_end_call(&call);
    return call.result;
}

PORTOLAN_API int MPI_Request_free(MPI_Request *request)
{
    MPI_BEGIN_NOTE(call, Request_free);
    struct mpi_pending *p = mpi_any_is_pending() ? mpi_find_request(*request) : NULL;

    mpi_begin_call(&call);
    if (p)
        free_pending(p);
    else if (mpi_is_concurrent && mpi_is_observable && (p = mpi_take_shared((intptr_t)*request)))
        mpi_recycle_pending(p);
    call.result = MPI_NEXT(Request_free, int (*)(MPI_Request *), (request));
    call.ticks = portolan_probe_mpi_leave();
    mpi_note(&call);
    mpi_end_call(&call);
    return call.result;
}

PORTOLAN_API int MPI_Start(MPI_Request *request)
{
    MPI_BEGIN_NOTE(call, Start);
    struct mpi_pending *p = mpi_find_request(*request);

    if (p)
        activate(p);
    mpi_begin_call(&call);
    call.result = MPI_NEXT(Start, int (*)(MPI_Request *), (request));
    call.ticks = portolan_probe_mpi_leave();
    if (p && call.result == MPI_SUCCESS)
        note_started(p, &call, true);
    else
        mpi_note(&call);
    mpi_end_call(&call);
    return call.result;
}

PORTOLAN_API int MPI_Startall(int count, MPI_Request array_of_requests[])
{
    MPI_BEGIN_NOTE(call, Startall);
    struct mpi_pending *p;

    for (int i = 0; i < count; i++)
        if ((p = mpi_find_request(array_of_requests[i])))
            activate(p);
    mpi_begin_call(&call);
    call.result = MPI_NEXT(Startall, int (*)(int, MPI_Request[]), (count, array_of_requests));
    call.ticks = portolan_probe_mpi_leave();
    for (int i = 0; call.result == MPI_SUCCESS && i < count; i++)
        if ((p = mpi_find_request(array_of_requests[i])))
            note_started(p, &call, false);
    mpi_note(&call);
    mpi_end_call(&call);
    return call.result;
}
