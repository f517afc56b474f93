/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are over when they return; those that go on are in pending.c. */
#include "note.h"

#include "peers.h"
#include "pending.h"

void mpi_note(const struct mpi_call *call)
{
    mpi_add(call->routine, -1, false, 1, call->ticks, 0);
}

/* Whether STATUS says from whom; how much is then another question, when the call failed. */
static bool has_source(const struct mpi_call *call, const MPI_Status *status)
{
    int class = MPI_SUCCESS;

    if (call->result != MPI_SUCCESS)
        PMPI_Error_class(call->result, &class);
    return (class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE) && status->MPI_SOURCE >= 0;
}

bool mpi_status_bytes(const MPI_Status *status, uint64_t *bytes)
{
    MPI_Count count = 0;
    int is_cancelled = 0;

    *bytes = 0;
    PMPI_Test_cancelled(status, &is_cancelled);
    if (is_cancelled)
        return false;
    if (PMPI_Get_count_c(status, MPI_BYTE, &count) == MPI_SUCCESS && count > 0)
        *bytes = (uint64_t)count;
    return true;
}

/* Whether data went to PEER or came from it. */
static bool is_transfer(const struct mpi_call *call, int peer)
{
    return call->result == MPI_SUCCESS && peer >= 0;
}

void mpi_note_sent(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                   MPI_Comm comm)
{
    bool is_sent = is_transfer(call, dest);

    mpi_add(call->routine, is_sent ? mpi_world_rank(comm, dest) : -1, false, 1, call->ticks,
            is_sent ? mpi_bytes(count, type) : 0);
}

static void add_received(const struct mpi_call *call, const MPI_Status *status, MPI_Comm comm,
                         uint64_t calls, uint64_t ticks)
{
    bool is_from = has_source(call, status);
    uint64_t bytes = 0;

    if (is_from && call->result == MPI_SUCCESS)
        mpi_status_bytes(status, &bytes);
    mpi_add(call->routine, is_from ? mpi_world_rank(comm, status->MPI_SOURCE) : -1, true, calls,
            ticks, bytes);
}

void mpi_note_received(const struct mpi_call *call, const MPI_Status *status, MPI_Comm comm)
{
    add_received(call, status, comm, 1, call->ticks);
}

void mpi_note_exchanged(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                        const MPI_Status *status, MPI_Comm comm)
{
    mpi_note_sent(call, count, type, dest, comm);
    add_received(call, status, comm, 0, 0);
}

static void add_one_sided(const struct mpi_call *call, bool received, MPI_Count count,
                          MPI_Datatype type, int target, MPI_Win win)
{
    bool is_done = is_transfer(call, target);

    mpi_add(call->routine, is_done ? mpi_world_rank_in(win, target) : -1, received, 1, call->ticks,
            is_done ? mpi_bytes(count, type) : 0);
}

void mpi_note_put(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int target,
                  MPI_Win win)
{
    add_one_sided(call, false, count, type, target, win);
}

void mpi_note_got(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int target,
                  MPI_Win win)
{
    add_one_sided(call, true, count, type, target, win);
}

void mpi_note_swapped(const struct mpi_call *call, MPI_Op op, MPI_Count out, MPI_Datatype out_type,
                      MPI_Count in, MPI_Datatype in_type, int target, MPI_Win win)
{
    int partner;

    if (!is_transfer(call, target)) {
        mpi_note(call);
        return;
    }
    partner = mpi_world_rank_in(win, target);
    mpi_add(call->routine, partner, false, 1, call->ticks,
            op == MPI_NO_OP ? 0 : mpi_bytes(out, out_type));
    mpi_add(call->routine, partner, true, 0, 0, mpi_bytes(in, in_type));
}

void mpi_note_own(const struct mpi_call *call, uint64_t bytes)
{
    mpi_add(call->routine, -1, false, 1, call->ticks, bytes);
}
