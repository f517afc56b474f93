/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of routines.list, by which the wrappers note a call, and the bytes in them. */
#ifndef PORTOLAN_MPI_NOTE_H
#define PORTOLAN_MPI_NOTE_H

#include "internal.h"

struct mpi_call {
    enum mpi_routine routine;
    int result;
    bool is_observed;
    const int *found; /* of a call that does not wait: 0 if it found nothing; else NULL */
    int partner;      /* source of the matched message: mpi_take_message */
    struct mpi_pending *message; /* the same, NULL: unknown */
    struct mpi_peers *held;      /* of what the call frees: mpi_hold_comm */
    uint64_t began, ticks;
    uint64_t begin_cost; /* ticks; NO_COST: not measured in this call */
    MPI_Status status;   /* used if the caller ignores it */
};

#define NO_COST UINT64_MAX

/* Not all of it is set, since each instruction counts. */
#define MPI_BEGIN_NOTE(call, name)                                                                 \
    struct mpi_call call;                                                                          \
                                                                                                   \
    call.routine = MPI_ROUTINE_##name;                                                             \
    call.is_observed = false;                                                                      \
    call.found = NULL

/* -- observe.c -- */

void mpi_observe_begin(struct mpi_call *call, uint64_t began);
void mpi_observe_end(struct mpi_call *call);
/* Reports an event of CALL to the observer, and fills in its routine, name and time. */
void mpi_report(const struct mpi_call *call, struct portolan_mpi_event *event);
/*
 * Marks functions that run only if there is an observer. They are not `cold`: code that is compiled
 * for size copies by `rep`, which waits until all that the call wrote has reached other processors'
 * caches.
 */
#define MPI_OUT_OF_LINE __attribute__((noinline))

/* Around the call itself: take its time, and notify the observer if there is one. */
#define mpi_begin_call(call)                                                                       \
    do {                                                                                           \
        uint64_t began = portolan_probe_mpi_enter_at(__builtin_frame_address(0));                  \
                                                                                                   \
        if (__builtin_expect(mpi_observer != NULL, 0))                                             \
            mpi_observe_begin(call, began);                                                        \
    } while (0)

/* At the end, when all is noted. */
static inline void mpi_end_call(struct mpi_call *call)
{
    if (__builtin_expect(call->is_observed, 0))
        mpi_observe_end(call);
}

/* The caller's status, or CALL's own where it is ignored. */
static inline MPI_Status *mpi_status(struct mpi_call *call, MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE ? &call->status : status;
}

/* -- before the call -- */

/* Finds out where a matched message, which the call will make void, comes from. */
void mpi_take_message(struct mpi_call *call, const MPI_Message *message);
/* Keeps, for an observer, what the call frees. */
void mpi_hold_comm(struct mpi_call *call, MPI_Comm comm);
void mpi_hold_window(struct mpi_call *call, MPI_Win win);

/*
 * -- after the call; of one that failed only the call and its time are noted. Arguments after COMM
 * are added by generate.awk, for the observer; REQUEST is NULL for blocking calls, ROOT is
 * PORTOLAN_MPI_NONE where there is none --
 */

void mpi_note(const struct mpi_call *call);
void mpi_note_sent(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                   MPI_Comm comm, int tag, const MPI_Request *request);
/* STATUS comes from mpi_status() and is not ignored. */
void mpi_note_received(const struct mpi_call *call, const MPI_Status *status, MPI_Comm comm);
void mpi_note_received_message(const struct mpi_call *call, const MPI_Status *status);
void mpi_note_exchanged(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                        const MPI_Status *status, MPI_Comm comm, int tag);
/* MESSAGE was matched by the call; NULL: none was. */
void mpi_note_matched(const struct mpi_call *call, const MPI_Message *message,
                      const MPI_Status *status, MPI_Comm comm);
/* The same if *FLAG says that a message was matched. */
void mpi_note_matched_if(const struct mpi_call *call, const int *flag, const MPI_Message *message,
                         const MPI_Status *status, MPI_Comm comm);

/*
 * For an observer: returns the number of *REQUEST, whose completion is reported as DONE; 0 if
 * REQUEST is NULL. The second is for a call that makes communicator NEW, which then gets its number
 * from SEED; IS_REPORTED: the observer is notified.
 */
uint32_t mpi_expect(const MPI_Request *request, enum portolan_mpi_event_kind done);
uint32_t mpi_expect_comm(const MPI_Request *request, MPI_Comm new, uint64_t seed, bool is_reported);

/* Receives whose bytes are known when they complete: requests.c. */
void mpi_note_receiving(const struct mpi_call *call, int source, MPI_Comm comm, int tag,
                        const MPI_Request *request);
void mpi_note_receiving_message(const struct mpi_call *call, const MPI_Request *request);
void mpi_note_exchanging(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                         int source, MPI_Comm comm, int tag, int receive_tag,
                         const MPI_Request *request);
/* Persistent requests: what every start of them sends, or will have received. */
void mpi_note_sending_again(const struct mpi_call *call, int partitions, MPI_Count count,
                            MPI_Datatype type, int dest, MPI_Comm comm, int tag,
                            const MPI_Request *request);
void mpi_note_receiving_again(const struct mpi_call *call, int source, MPI_Comm comm, int tag,
                              const MPI_Request *request);

void mpi_note_put(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int target,
                  MPI_Win win);
void mpi_note_got(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int target,
                  MPI_Win win);
void mpi_note_swapped(const struct mpi_call *call, MPI_Op op, MPI_Count out, MPI_Datatype out_type,
                      MPI_Count in, MPI_Datatype in_type, int target, MPI_Win win);

/* BYTES is looked at only when the call succeeded: else its arguments may be anything. */
#define mpi_note_collective(call, bytes, comm, root, request)                                      \
    mpi_note_own(call, (call)->result == MPI_SUCCESS ? (bytes) : 0, comm, root, request)
#define mpi_note_collective_again(call, bytes, comm, root, request)                                \
    mpi_note_own_again(call, (call)->result == MPI_SUCCESS ? (bytes) : 0, comm, root, request)
void mpi_note_own(const struct mpi_call *call, uint64_t bytes, MPI_Comm comm, int root,
                  const MPI_Request *request);
void mpi_note_own_again(const struct mpi_call *call, uint64_t bytes, MPI_Comm comm, int root,
                        const MPI_Request *request);

/* Communicators and windows that all ranks of COMM made; NEW may be null. */
void mpi_note_created(const struct mpi_call *call, MPI_Comm comm, const MPI_Comm *new);
void mpi_note_creating(const struct mpi_call *call, MPI_Comm comm, const MPI_Comm *new,
                       const MPI_Request *request);
void mpi_note_created_window(const struct mpi_call *call, MPI_Comm comm, const MPI_Win *win);
/* A communicator that its own ranks made. */
void mpi_note_created_alone(const struct mpi_call *call, const MPI_Comm *new);
void mpi_note_freed(struct mpi_call *call);
void mpi_note_freed_window(struct mpi_call *call);
/* A group's turn, and an end, of epochs; WIN may be MPI_WIN_NULL: none. */
void mpi_note_group(const struct mpi_call *call, MPI_Group group, MPI_Win win);
void mpi_note_epoch(const struct mpi_call *call, MPI_Win win);

/* Puts into *BYTES (NULL: not wanted) the bytes according to a status; false when the operation was
 * cancelled. */
bool mpi_status_bytes(const MPI_Status *status, uint64_t *bytes);

/* -- bytes of a rank's own buffer; arguments that are not significant are not looked at -- */

uint64_t mpi_bytes(MPI_Count count, MPI_Datatype type);
uint64_t mpi_bytes_each(const void *counts, size_t width, const MPI_Datatype *types, int n);
MPI_Count mpi_sum(const void *counts, size_t width, int n);
int mpi_rank(MPI_Comm comm);
/* World rank of a collective's root. */
int mpi_root_of(MPI_Comm comm, int root);
int mpi_size(MPI_Comm comm);
/* How many ranks a rank sends to in an all-to-all: in an intercommunicator, the remote group. */
int mpi_partners(MPI_Comm comm);
/* How many ranks it sends to in a neighbourhood collective. */
int mpi_neighbours(MPI_Comm comm);

#define SUM(counts, n)         mpi_sum(counts, sizeof *(counts), n)
#define EACH(counts, types, n) mpi_bytes_each(counts, sizeof *(counts), types, n)

/* MPI_PROC_NULL and MPI_ROOT, both negative, are roots in intercommunicators only. */
#define ROOTED(root, count, type)  ((root) == MPI_PROC_NULL ? 0 : mpi_bytes(count, type))
#define REDUCED(root, count, type) ((root) < 0 ? 0 : mpi_bytes(count, type))
/* Bytes that a rank sends; with MPI_IN_PLACE, its own part of the other buffer. */
#define OWN(sent, count, type, in_count, in_type)                                                  \
    ((sent) == MPI_IN_PLACE ? mpi_bytes(in_count, in_type) : mpi_bytes(count, type))
#define OWN_EACH(sent, counts, types, in_counts, in_types, n)                                      \
    ((sent) == MPI_IN_PLACE ? EACH(in_counts, in_types, n) : EACH(counts, types, n))
#define GATHER(sent, count, type, in_count, in_type, root)                                         \
    ((root) < 0 ? 0 : OWN(sent, count, type, in_count, in_type))
#define SCATTER(got, count, type, out_count, out_type, root)                                       \
    GATHER(got, count, type, out_count, out_type, root)

#endif
