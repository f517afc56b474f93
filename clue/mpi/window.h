/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * window: one-sided communication.
 *
 * An access is a message to a receive that each rank of a window keeps posted (CLUE_STANDING). It
 * takes effect when it arrives in virtual time, even while the target computes, unless the
 * receivers of the host copy messages themselves. What ranks know of each other's windows and
 * accesses is in memory that all share. Data of the program are touched by their own rank only,
 * which may be a process. An access that brings data back takes as long on its way there as these
 * would take on their way back.
 */
#ifndef CLUE_MPI_WINDOW_H
#define CLUE_MPI_WINDOW_H

#include "operation.h"
#include "schedule.h"

#pragma GCC visibility push(hidden)

/* Channels of a window's contexts, in addition to MPI_ONE_SIDED and those of its barriers. */
enum { WINDOW_POST = 5, WINDOW_GRANT, WINDOW_COMPLETE };

enum access_kind { ACCESS_DATA, ACCESS_COMPARE, ACCESS_LOCK, ACCESS_UNLOCK, ACCESS_NOTHING };

/** An access that is under way, or done and not yet waited for. It is in memory that all tasks
 * share; its pointers are valid in the origin only, except `next`, `at`, `type` and `old`. */
struct access {
    struct access *next;
    enum access_kind kind;
    uint32_t tag;       /**< its number in the process */
    int origin, target; /**< ranks */
    int task;           /**< that of the origin */
    clue_request request;
    const void *data;         /**< of the origin: in place, or packed in ROW; or NULL */
    void *row;                /**< a copy, or NULL */
    bool is_watched, is_over; /**< IS_WATCHED by a request, which IS_OVER */

    /* The operation: AT = data OP AT for COUNT elements of TYPE; old ones go by OLD to RESULT. */
    char *at; /**< in the target's memory */
    MPI_Count count, n_result;
    struct mpi_type *type;        /**< a copy in memory that all share, or NULL */
    struct mpi_type *result_type; /**< retained */
    MPI_Op op;
    void *result, *old;             /**< OLD: exists on the way back only */
    void (*take_old)(void *access); /**< called at the origin with the contents of OLD */
    char compare[32];               /**< room for any basic type */
    bool is_answer;                 /**< takes as long as an access that returns data */
    /* Locks. */
    bool is_exclusive, is_granted;
};

struct mpi_win {
    struct mpi_object object;
    MPI_Win handle;
    struct mpi_comm *comm; /**< a duplicate of the program's */
    struct windows *all;
    char *base;
    MPI_Aint size, unit;
    int flavor, int_unit;
    void *allocated;
    clue_request standing;
    struct access *accesses; /**< accesses that were begun here */
    int64_t looked_at;       /**< when the program last looked for data that others write */
    /* Epochs of this rank as origin and target. */
    bool is_fenced, is_locking_all;
    int n_locked;            /**< by MPI_Win_lock, or taken since MPI_Win_lock_all */
    int *started, n_started; /**< the ranks of MPI_Win_start */
    int *posted, n_posted;
    clue_request *completes; /**< receives for the ranks of MPI_Win_post: n_posted */
    bool *locks;             /**< by target: whether it is locked */
};

/** The part of a rank's window that others use. */
struct exposure {
    char *base;
    MPI_Aint size, unit;
    int flavor;
    /* Locks of its memory. */
    int n_holders;                         /**< -1: one, exclusive */
    struct access *first_lock, *last_lock; /**< locks that wait */
};

/** The windows of all ranks that belong to one; in memory that all share. */
struct windows {
    struct windows *next;
    uint64_t context;
    int n_left;   /**< ranks that have not freed it yet */
    void *memory; /**< of MPI_Win_allocate_shared */
    struct exposure of_rank[];
};

/** Notes that the program looks for others' data: a loop of this takes time, as polls do. */
void window_looked(struct mpi_win *w);
/** Waits until this rank's accesses have reached TARGET (-1: all). False: there were none. */
bool accesses_finish(struct mpi_win *w, int target);
/** Does the same, and unless it IS_LOCAL also waits for the news to come back. */
void accesses_flush(struct mpi_win *w, int target, bool is_local);
/** Runs at the target when the message of an access arrives; WINDOW is the target's rank of it. */
void access_arrive(void *window, const struct clue_message *message);
/** Takes the lock that MPI_Win_lock has promised. */
void window_lock(struct mpi_win *w, int target, bool is_exclusive);
void window_unlock(struct mpi_win *w, int target);
/** Notifies the observer of an event of a window; RANK -1: no partner. */
void window_notify(struct mpi_task *t, struct mpi_win *w, enum portolan_mpi_event_kind kind,
                   int rank, uint64_t bytes);
/** Creates a window like FROM, of which memory, unit and flavor are set, with the hints of INFO. */
int window_create(struct mpi_task *t, MPI_Comm comm, struct mpi_win from, MPI_Info info,
                  MPI_Win *win);
/** Flushes the accesses to RANK; -1: to all. */
int window_flush(struct mpi_task *t, MPI_Win win, int rank, bool is_local);
/** Waits until all origins that MPI_Win_post let in are done. */
void window_end_exposure(struct mpi_task *t, struct mpi_win *w);
/** Waits for all of the window's ranks. */
void window_barrier(struct mpi_task *t, struct mpi_win *w);

#pragma GCC visibility pop

#endif
