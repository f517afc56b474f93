/* SPDX-License-Identifier: BSD-3-Clause */
/* Notes calls that are complete when they return, with their bytes; requests.c notes the others. */
#include "note.h"

#include <stdlib.h>

void mpi_note(const struct mpi_call *call)
{
    mpi_add(call->routine, -1, false, 1, call->ticks, 0);
}

/* Returns whether STATUS names a source. That of a truncated message does, but lacks its size. */
static bool has_source(const struct mpi_call *call, const MPI_Status *status)
{
    int class = MPI_SUCCESS;

    if (call->result != MPI_SUCCESS)
        PMPI_Error_class(call->result, &class);
    return (class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE) && status->MPI_SOURCE >= 0;
}

/* Returns the bytes of a receive that was not cancelled, as no blocking one can be. */
static uint64_t received_bytes(const MPI_Status *status)
{
    MPI_Count count = 0;

    return PMPI_Get_count_c(status, MPI_BYTE, &count) == MPI_SUCCESS && count > 0 ? (uint64_t)count
                                                                                  : 0;
}

bool mpi_status_bytes(const MPI_Status *status, uint64_t *bytes)
{
    int is_cancelled = 0;

    PMPI_Test_cancelled(status, &is_cancelled);
    if (bytes)
        *bytes = is_cancelled ? 0 : received_bytes(status);
    return !is_cancelled;
}

/* Returns whether data went to PEER or came from it. */
static bool is_transfer(const struct mpi_call *call, int peer)
{
    return call->result == MPI_SUCCESS && peer >= 0;
}

/* Reports that CALL did KIND. COMM: communicator or window. */
static MPI_OUT_OF_LINE void report(const struct mpi_call *call, enum portolan_mpi_event_kind kind,
                                   const struct portolan_mpi_comm *comm, int peer, int tag,
                                   uint64_t bytes, uint32_t request)
{
    mpi_report(call, &(struct portolan_mpi_event){.kind = kind,
                                                  .comm = comm,
                                                  .peer = peer,
                                                  .tag = tag,
                                                  .bytes = bytes,
                                                  .request = request});
}

void mpi_note_sent(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                   MPI_Comm comm, int tag, const MPI_Request *request)
{
    bool is_sent = is_transfer(call, dest);
    int partner = is_sent ? mpi_world_rank(comm, dest) : -1;
    uint64_t bytes = is_sent ? mpi_bytes(count, type) : 0;

    if (is_sent && call->is_observed)
        report(call, PORTOLAN_MPI_SEND, mpi_comm_of(comm), partner, tag, bytes,
               mpi_expect(request, PORTOLAN_MPI_SEND_DONE));
    mpi_add(call->routine, partner, false, 1, call->ticks, bytes);
}

static void add_received(const struct mpi_call *call, const MPI_Status *status, MPI_Comm comm,
                         uint64_t calls, uint64_t ticks)
{
    bool is_from = has_source(call, status);
    int partner = is_from ? mpi_world_rank(comm, status->MPI_SOURCE) : -1;
    uint64_t bytes = is_from && call->result == MPI_SUCCESS ? received_bytes(status) : 0;

    if (is_from && call->is_observed)
        report(call, PORTOLAN_MPI_RECV, mpi_comm_of(comm), partner, status->MPI_TAG, bytes, 0);
    mpi_add(call->routine, partner, true, calls, ticks, bytes);
}

void mpi_note_received(const struct mpi_call *call, const MPI_Status *status, MPI_Comm comm)
{
    add_received(call, status, comm, 1, call->ticks);
}

void mpi_note_exchanged(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                        const MPI_Status *status, MPI_Comm comm, int tag)
{
    mpi_note_sent(call, count, type, dest, comm, tag, NULL);
    add_received(call, status, comm, 0, 0);
}

static void add_one_sided(const struct mpi_call *call, bool received, MPI_Count count,
                          MPI_Datatype type, int target, MPI_Win win)
{
    bool is_done = is_transfer(call, target);
    int partner = is_done ? mpi_world_rank_in(win, target) : -1;
    uint64_t bytes = is_done ? mpi_bytes(count, type) : 0;

    mpi_add(call->routine, partner, received, 1, call->ticks, bytes);
    if (is_done && call->is_observed)
        report(call, PORTOLAN_MPI_TRANSFER, mpi_window_of(win), partner, 0, bytes, 0);
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
    uint64_t sent, received;
    int partner;

    if (!is_transfer(call, target)) {
        mpi_note(call);
        return;
    }
    partner = mpi_world_rank_in(win, target);
    sent = op == MPI_NO_OP ? 0 : mpi_bytes(out, out_type);
    received = mpi_bytes(in, in_type);
    mpi_add(call->routine, partner, false, 1, call->ticks, sent);
    mpi_add(call->routine, partner, true, 0, 0, received);
    if (call->is_observed)
        report(call, PORTOLAN_MPI_TRANSFER, mpi_window_of(win), partner, 0, sent + received, 0);
}

/* Reports a call that makes or frees a communicator or window as a collective one. */
static MPI_OUT_OF_LINE void report_meeting(const struct mpi_call *call,
                                           const struct portolan_mpi_comm *comm)
{
    report(call, PORTOLAN_MPI_COLLECTIVE, comm, PORTOLAN_MPI_NONE, 0, 0, 0);
}

static MPI_OUT_OF_LINE void report_epoch(const struct mpi_call *call,
                                         const struct portolan_mpi_comm *window)
{
    report(call, PORTOLAN_MPI_EPOCH, window, 0, 0, 0, 0);
}

int mpi_root_of(MPI_Comm comm, int root)
{
    if (root == MPI_ROOT)
        return mpi_world_rank(MPI_COMM_SELF, 0);
    return root < 0 ? PORTOLAN_MPI_NONE : mpi_world_rank(comm, root);
}

void mpi_note_own(const struct mpi_call *call, uint64_t bytes, MPI_Comm comm, int root,
                  const MPI_Request *request)
{
    if (call->is_observed && call->result == MPI_SUCCESS)
        report(call, PORTOLAN_MPI_COLLECTIVE, mpi_comm_of(comm), mpi_root_of(comm, root), 0, bytes,
               mpi_expect(request, PORTOLAN_MPI_COLLECTIVE_DONE));
    mpi_add(call->routine, -1, false, 1, call->ticks, bytes);
}

/* -- communicators and windows that come and go -- */

/* Notes CALL; whether it made something that gets a number. */
static bool note_made(const struct mpi_call *call)
{
    mpi_note(call);
    return mpi_is_observable && call->result == MPI_SUCCESS;
}

void mpi_note_created(const struct mpi_call *call, MPI_Comm comm, const MPI_Comm *new)
{
    if (!note_made(call))
        return;
    mpi_number_comm(comm, *new);
    if (call->is_observed)
        report_meeting(call, mpi_comm_of(comm));
}

void mpi_note_creating(const struct mpi_call *call, MPI_Comm comm, const MPI_Comm *new,
                       const MPI_Request *request)
{
    uint32_t number;

    if (!note_made(call))
        return;
    number = mpi_expect_comm(request, *new, mpi_number_next(comm), call->is_observed);
    if (call->is_observed)
        report(call, PORTOLAN_MPI_COLLECTIVE, mpi_comm_of(comm), PORTOLAN_MPI_NONE, 0, 0, number);
}

void mpi_note_created_alone(const struct mpi_call *call, const MPI_Comm *new)
{
    if (!note_made(call) || *new == MPI_COMM_NULL)
        return;
    mpi_number_alone(*new);
    if (call->is_observed)
        report_meeting(call, mpi_comm_of(*new));
}

void mpi_note_created_window(const struct mpi_call *call, MPI_Comm comm, const MPI_Win *win)
{
    if (!note_made(call))
        return;
    mpi_number_window(comm, *win);
    if (call->is_observed)
        report_epoch(call, mpi_window_of(*win));
}

void mpi_hold_comm(struct mpi_call *call, MPI_Comm comm)
{
    call->held = call->is_observed && comm != MPI_COMM_NULL ? mpi_peers_hold(comm) : NULL;
}

void mpi_hold_window(struct mpi_call *call, MPI_Win win)
{
    call->held = call->is_observed && win != MPI_WIN_NULL ? mpi_peers_hold_window(win) : NULL;
}

void mpi_note_freed(struct mpi_call *call)
{
    mpi_note(call);
    if (call->held && call->result == MPI_SUCCESS)
        report_meeting(call, mpi_comm_of_peers(call->held));
    mpi_peers_release(call->held);
}

void mpi_note_freed_window(struct mpi_call *call)
{
    mpi_note(call);
    if (call->held && call->result == MPI_SUCCESS)
        report_epoch(call, mpi_comm_of_peers(call->held));
    mpi_peers_release(call->held);
}

void mpi_note_epoch(const struct mpi_call *call, MPI_Win win)
{
    mpi_note(call);
    if (call->is_observed && call->result == MPI_SUCCESS && win != MPI_WIN_NULL)
        report_epoch(call, mpi_window_of(win));
}

void mpi_note_group(const struct mpi_call *call, MPI_Group group, MPI_Win win)
{
    int *ranks, n = 0;

    mpi_note(call);
    if (!call->is_observed || call->result != MPI_SUCCESS)
        return;
    ranks = mpi_ranks_of(group, &n);
    for (int i = 0; i < n; i++)
        report(call, PORTOLAN_MPI_ACCESS, mpi_window_of(win), ranks[i], 0, 0, 0);
    free(ranks);
    report_epoch(call, mpi_window_of(win));
}

/* -- bytes of a rank's own buffer -- */

uint64_t mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size;

    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_c(type, &size) != MPI_SUCCESS)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/* Element I of COUNTS, of WIDTH bytes each: int, or MPI_Count in routines for large counts. */
static MPI_Count count_at(const void *counts, size_t width, int i)
{
    return width == sizeof(int) ? ((const int *)counts)[i] : ((const MPI_Count *)counts)[i];
}

uint64_t mpi_bytes_each(const void *counts, size_t width, const MPI_Datatype *types, int n)
{
    uint64_t bytes = 0;

    for (int i = 0; i < n; i++)
        bytes += mpi_bytes(count_at(counts, width, i), types[i]);
    return bytes;
}

MPI_Count mpi_sum(const void *counts, size_t width, int n)
{
    MPI_Count sum = 0;

    for (int i = 0; i < n; i++)
        sum += count_at(counts, width, i);
    return sum;
}

int mpi_rank(MPI_Comm comm)
{
    int rank = 0;

    PMPI_Comm_rank(comm, &rank);
    return rank;
}

int mpi_size(MPI_Comm comm)
{
    int size = 0;

    PMPI_Comm_size(comm, &size);
    return size;
}

int mpi_partners(MPI_Comm comm)
{
    int is_inter = 0, size = 0;

    PMPI_Comm_test_inter(comm, &is_inter);
    if (!is_inter)
        return mpi_size(comm);
    PMPI_Comm_remote_size(comm, &size);
    return size;
}

int mpi_neighbours(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, n = 0, in, weighted;

    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &n);
        return 2 * n;
    }
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, mpi_rank(comm), &n);
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &n, &weighted);
    return n;
}
