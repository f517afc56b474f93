/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi: what its own files share. */
#ifndef PORTOLAN_MPI_INTERNAL_H
#define PORTOLAN_MPI_INTERNAL_H

#include <portolan/mpi.h>
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

/* The text of an MPI error code, written to TEXT. */
const char *mpi_error_text(int code, char text[MPI_MAX_ERROR_STRING]);

/* -- totals.c: what is noted, in blocks of one writer each -- */

/*
 * Adds to what the calling thread noted of ROUTINE with PARTNER, a world rank or -1. The sums are
 * modulo 2^64, so that what was noted with one partner can be moved to another.
 */
void mpi_add(enum mpi_routine routine, int partner, bool received, uint64_t calls, uint64_t ticks,
             uint64_t bytes);
/* As portolan_probe_traffic_fn. */
enum portolan_status mpi_traffic(struct portolan_probe_traffic **rows, size_t *n);

/* -- yield.c: how blocking calls wait -- */

/*
 * All blocking calls yield the processor, on all ranks. Decided when MPI begins; once more, from no
 * to yes, where all ranks meet in the cohort: mpi_yield_agree.
 */
extern bool mpi_yields;
/*
 * Those that match their other form, messages and waits, yield on this rank: its threads waited for
 * a core when it was looked at last.
 */
extern bool mpi_yields_here;
/* Calls that took so many ticks make a rank look. */
extern uint64_t mpi_long_wait;

static inline bool mpi_yields_now(void)
{
    return mpi_yields || __atomic_load_n(&mpi_yields_here, __ATOMIC_RELAXED);
}

/* After a call that waited. */
void mpi_look_for_contention(void);
static inline void mpi_waited(uint64_t ticks)
{
    if (ticks > mpi_long_wait)
        mpi_look_for_contention();
}

/* What this rank adds to a maximum over all of MPI_COMM_WORLD, and what follows from that. */
double mpi_yield_opinion(void);
void mpi_yield_agree(double opinion);
/* Whether who ran so long and waited so long for a core shared it with others. Exposed for tests.
 */
bool mpi_is_contended(double ran_ns, double delayed_ns);

/*
 * Collective over MPI_COMM_WORLD: decides for all ranks alike. PORTOLAN_EINVAL when a rank has a
 * wrong word in the environment, PORTOLAN_EMISMATCH when they differ; then nothing yields.
 */
enum portolan_status mpi_yield_decide(struct portolan_error *err);
/* Where all ranks come to, before a call of MPI that has no form that yields. */
void mpi_gather_ranks(MPI_Comm comm);

/* mpi_yielding_Name and mpi_do_Name, which is that or PMPI_Name as has been decided. */
#include "mpi_forms.h"

/* -- lifecycle.c -- */

/* Several threads may call MPI at one time (MPI_THREAD_MULTIPLE). */
extern bool mpi_is_concurrent;

/* -- peers.c: world ranks of the partners of communicators and windows -- */

/* World ranks of those that calls on a communicator address (in an intercommunicator: the others).
 */
struct mpi_peers;

/* To be called when MPI has begun. */
void mpi_peers_begin(void);

/* World rank of RANK in COMM; -1: none (MPI_PROC_NULL), or of no rank of MPI_COMM_WORLD. */
int mpi_world_rank(MPI_Comm comm, int rank);
int mpi_world_rank_in(MPI_Win win, int rank);

/* For later, when COMM may have been freed; NULL when there is no memory. To be released. */
struct mpi_peers *mpi_peers_hold(MPI_Comm comm);
void mpi_peers_release(struct mpi_peers *peers);
int mpi_peers_rank(const struct mpi_peers *peers, int rank);

#endif
