/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * window: one-sided communication. An access is a message to a receive that each rank of a window
 * keeps posted (CLUE_STANDING): what it does there happens when it arrives in virtual time, even
 * while the target computes, unless the host's receivers copy messages themselves. What ranks know
 * of each other's windows and accesses lies in memory that all have together; data of a program are
 * touched by their own rank alone, which may be a process. An access that brings data back is as
 * long on its way there as these would be on their way back.
 */
#ifndef CLUE_MPI_WINDOW_H
#define CLUE_MPI_WINDOW_H

#include "operation.h"
#include "schedule.h"

#pragma GCC visibility push(hidden)

/* Channels of a window's contexts, beside MPI_ONE_SIDED and those of its barriers. */
enum { WINDOW_POST = 5, WINDOW_GRANT, WINDOW_COMPLETE };

enum access_kind { ACCESS_DATA, ACCESS_COMPARE, ACCESS_LOCK, ACCESS_UNLOCK, ACCESS_NOTHING };

/** On its way, or done and not yet waited for. In memory of all; its pointers are the origin's own,
 * but for `next`, `at`, `type` and `old`. */
struct access {
    struct access *next;
    enum access_kind kind;
    uint32_t tag;       /**< its number in the process */
    int origin, target; /**< ranks */
    int task;           /**< the origin's */
    clue_request request;
    const void *data;         /**< the origin's, in its memory or packed in ROW; or NULL */
    void *row;                /**< a copy, or NULL */
    bool is_watched, is_over; /**< a request of the program waits for it; and has seen its end */

    /* Data: AT = data OP AT for COUNT elements of TYPE; the old ones go by OLD to RESULT. */
    char *at; /**< the target's */
    MPI_Count count, n_result;
    struct mpi_type *type;        /**< a copy in memory of all, or NULL */
    struct mpi_type *result_type; /**< retained */
    MPI_Op op;
    void *result, *old;             /**< OLD on its way back alone */
    void (*take_old)(void *access); /**< takes what is in OLD; the origin's */
    char compare[32];               /**< room for any basic type */
    bool is_answer;                 /**< takes the way back of one */
    /* Locks. */
    bool is_exclusive, is_granted;
};

struct mpi_win {
    struct mpi_object object;
    MPI_Win handle;
    struct mpi_comm *comm; /**< its own */
    struct windows *all;
    char *base;
    MPI_Aint size, unit;
    int flavor, int_unit;
    void *allocated;
    clue_request standing;
    struct access *accesses; /**< begun here */
    int64_t looked_at;       /**< when the program last looked for what others write */
    /* Epochs of this rank as origin and target. */
    bool is_fenced, is_locking_all;
    int n_locked;            /**< by MPI_Win_lock, or taken since MPI_Win_lock_all */
    int *started, n_started; /**< ranks of MPI_Win_start */
    int *posted, n_posted;
    clue_request *completes; /**< of MPI_Win_post: n_posted */
    bool *locks;             /**< by target: it is locked */
};

/** What others know of a rank's window. */
struct exposure {
    char *base;
    MPI_Aint size, unit;
    int flavor;
    /* Locks of its memory. */
    int n_holders;                         /**< -1: one, exclusive */
    struct access *first_lock, *last_lock; /**< that wait */
};

/** The windows of all ranks of one; in memory of all. */
struct windows {
    struct windows *next;
    uint64_t context;
    int n_left;   /**< ranks that have not freed it */
    void *memory; /**< of MPI_Win_allocate_shared */
    struct exposure of_rank[];
};

/** The program looks for what others write: a loop of this takes time, as polls do. */
void window_looked(struct mpi_win *w);
/** Waits for this rank's accesses to TARGET (-1: to all); they have reached it then. False: there
 * were none. */
bool accesses_finish(struct mpi_win *w, int target);
/** The same, and unless IS_LOCAL the news of it has come back. */
void accesses_flush(struct mpi_win *w, int target, bool is_local);
/** A rank of the window by a message arrives: runs at the target. */
void access_arrive(void *window, const struct clue_message *message);
/** Takes the lock that MPI_Win_lock promised. */
void window_lock(struct mpi_win *w, int target, bool is_exclusive);
void window_unlock(struct mpi_win *w, int target);
/** Tells the observer of a window; RANK -1: no partner. */
void window_tell(struct mpi_task *t, struct mpi_win *w, enum portolan_mpi_event_kind kind, int rank,
                 uint64_t bytes);
/** A window like FROM, of which memory, unit and flavor are set, with the hints of INFO. */
int window_create(struct mpi_task *t, MPI_Comm comm, struct mpi_win from, MPI_Info info,
                  MPI_Win *win);
/** RANK -1: all. */
int window_flush(struct mpi_task *t, MPI_Win win, int rank, bool is_local);
/** All whom MPI_Win_post let in are done. */
void window_end_exposure(struct mpi_task *t, struct mpi_win *w);
/** A barrier among the window's ranks. */
void window_barrier(struct mpi_task *t, struct mpi_win *w);

#pragma GCC visibility pop

#endif
