/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi: what its own files share. */
#ifndef PORTOLAN_MPI_INTERNAL_H
#define PORTOLAN_MPI_INTERNAL_H

#include <portolan/mpi.h>
#include <portolan/observer.h>
#include <portolan/probe.h>

#include "narrow.h"

enum mpi_routine {
    MPI_ROUTINE_Init,
    MPI_ROUTINE_Init_thread,
    MPI_ROUTINE_Finalize,
#define ROUTINE(name) MPI_ROUTINE_##name,
#include "mpi_names.h"
#undef ROUTINE
    MPI_ROUTINES
};

/* Variables are read where they are, not by way of a table of addresses. */
#pragma GCC visibility push(hidden)

extern const char *const mpi_routine_names[MPI_ROUTINES];

/* -- next.c: the MPI_* functions of the program itself -- */

/* MPI_Name of a library of the program (profiling, checks); NULL: MPI's own comes next. */
typedef void mpi_function(void);
extern mpi_function *mpi_next[MPI_ROUTINES];
extern bool mpi_has_next; /* any of them is not NULL */
/* Finds them. To be called before MPI begins, when the program's libraries have been loaded. */
void mpi_find_next(void);
/* Calls what comes after the wrapper MPI_NAME. */
#define MPI_NEXT(name, type, arguments)                                                            \
    (mpi_next[MPI_ROUTINE_##name] ? ((type)mpi_next[MPI_ROUTINE_##name])arguments                  \
                                  : PMPI_##name arguments)

/* The text of an MPI error code, written to TEXT. */
const char *mpi_error_text(int code, char text[MPI_MAX_ERROR_STRING]);

/* -- totals.c: sums of calls, in blocks with one writer each -- */

/*
 * Adds to the calling thread's sums of ROUTINE with PARTNER, a world rank or -1. Sums are modulo
 * 2^64, so that a call can be moved from one partner to another.
 */
void mpi_add(enum mpi_routine routine, int partner, bool received, uint64_t calls, uint64_t ticks,
             uint64_t bytes);
/* As portolan_probe_traffic_fn. */
enum portolan_status mpi_traffic(struct portolan_probe_traffic **rows, size_t *n);

/* -- yield.c: how blocking calls wait -- */

/*
 * All blocking calls yield the processor, on all ranks. Decided when MPI begins; mpi_yield_agree()
 * may change it from no to yes where all ranks meet in the cohort.
 */
extern bool mpi_yields;
/*
 * Messages and waits, which match in both forms, yield on this rank: its threads had to wait for a
 * core when it last looked.
 */
extern bool mpi_yields_here;
/* After a call that took so many ticks a rank looks for contention. */
extern uint64_t mpi_long_wait;

static inline bool mpi_yields_now(void)
{
    return mpi_yields || __atomic_load_n(&mpi_yields_here, __ATOMIC_RELAXED);
}

/* To be called after a call that waited. */
void mpi_look_for_contention(void);
static inline void mpi_waited(uint64_t ticks)
{
    if (ticks > mpi_long_wait)
        mpi_look_for_contention();
}

/* Returns this rank's contribution to a maximum over all of MPI_COMM_WORLD; the second function
 * applies the maximum. */
double mpi_yield_opinion(void);
void mpi_yield_agree(double opinion);
/*
 * Returns whether a thread that ran and waited for a core so long shared it with others. Exposed
 * for tests.
 */
bool mpi_is_contended(double ran_ns, double delayed_ns);

/*
 * Collective over MPI_COMM_WORLD: decides for all ranks alike. PORTOLAN_EINVAL when a rank has a
 * wrong word in the environment, PORTOLAN_EMISMATCH when they differ; then nothing yields.
 */
enum portolan_status mpi_yield_decide(struct portolan_error *err);
/* A barrier that yields, before an MPI call that has no form that yields. */
void mpi_gather_ranks(MPI_Comm comm);

/* mpi_yielding_Name, and mpi_do_Name, which calls that or PMPI_Name, as decided. */
#include "mpi_forms.h"

/* Set by mpi_yield_decide(): some host has more ranks than cores. */
extern bool mpi_shares_cores;

/* -- observe.c: the observer of single calls -- */

extern const struct portolan_mpi_observer *mpi_observer;
/* All ranks had an observer when MPI began; communicators and windows have numbers. */
extern bool mpi_is_observable;

/* -- lifecycle.c -- */

/* Several threads may call MPI at one time (MPI_THREAD_MULTIPLE). */
extern bool mpi_is_concurrent;

/* -- peers.c: world ranks of the partners of communicators and windows -- */

/*
 * World ranks of those that calls on a communicator address (in an intercommunicator, of the remote
 * group).
 */
struct mpi_peers;

/* To be called when MPI has begun. */
void mpi_peers_begin(void);

/* To be called next, where an observer may be: gives MPI_COMM_WORLD and MPI_COMM_SELF numbers. */
void mpi_peers_number(void);
/*
 * Those of COMM, and of WIN; valid as long as these are. NULL without memory, or when they are to
 * be made just now.
 */
const struct portolan_mpi_comm *mpi_comm_of(MPI_Comm comm);
const struct portolan_mpi_comm *mpi_window_of(MPI_Win win);
const struct portolan_mpi_comm *mpi_comm_of_peers(const struct mpi_peers *peers);
/*
 * Gives COMM, which may be null, its number: all ranks of PARENT made it, in the same order among
 * what they make of PARENT. The second is in two parts, for what is ready later.
 */
void mpi_number_comm(MPI_Comm parent, MPI_Comm comm);
uint64_t mpi_number_next(MPI_Comm parent);
void mpi_number_comm_as(uint64_t seed, MPI_Comm comm);
/* The same when only the ranks of COMM made it. */
void mpi_number_alone(MPI_Comm comm);
void mpi_number_window(MPI_Comm parent, MPI_Win win);

/* World rank of RANK in COMM; -1 for MPI_PROC_NULL and for ranks outside MPI_COMM_WORLD. */
int mpi_world_rank(MPI_Comm comm, int rank);
int mpi_world_rank_in(MPI_Win win, int rank);

/* Keeps the ranks of COMM, which may be freed, until mpi_peers_release(); NULL without memory. */
struct mpi_peers *mpi_peers_hold(MPI_Comm comm);
struct mpi_peers *mpi_peers_hold_window(MPI_Win win);
/* World ranks of GROUP, the caller's; NULL without memory. */
int *mpi_ranks_of(MPI_Group group, int *n);
void mpi_peers_release(struct mpi_peers *peers);
int mpi_peers_rank(const struct mpi_peers *peers, int rank);

#pragma GCC visibility pop

#endif
