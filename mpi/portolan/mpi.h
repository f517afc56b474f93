/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpi: the only room that knows MPI. Wrappers by MPI's profiling interface charge the time of MPI
 * calls to the port call that makes them; a cohort carries Portolan's own messages on a
 * communicator of its own; a launcher of another MPI is detected. The MPI is MPICH; the interface
 * is that of the MPI standard (PMPI). Functions are called by one thread at a time unless they say
 * otherwise; times are seconds.
 *
 * The library of this room must come before libmpich among what a program loads, so the program
 * links it and not MPICH; then MPI calls of plug-ins that it loads are seen too.
 */
#ifndef PORTOLAN_MPI_H
#define PORTOLAN_MPI_H

#include <portolan/base.h>
#include <portolan/framework.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Checks that this process was not started by the launcher of another MPI, under which every
 * process believes that it is rank 0 of 1. If it was: PORTOLAN_EFOREIGN, with cause and remedy in
 * ERR. Looks at the environment only; needs no MPI to be initialised. Started without a launcher is
 * fine: one rank.
 */
PORTOLAN_API enum portolan_status portolan_mpi_check_launcher(struct portolan_error *err);

/**
 * Checks the launcher and initialises MPI for the process (threads: MPI_THREAD_SERIALIZED), unless
 * that was done. From then on Portolan owns MPI: MPI_Init and MPI_Finalize called by components
 * succeed and do nothing. Decides for all ranks alike how blocking calls wait: PORTOLAN_EINVAL or
 * PORTOLAN_EMISMATCH when PORTOLAN_MPI_YIELD is wrong, or differs between ranks. PORTOLAN_EFOREIGN
 * as above, PORTOLAN_EINVAL when MPI has ended, PORTOLAN_EIO when it does not start. Call once,
 * from the main thread, when the program is to run an assembly; commands that only read files need
 * no MPI.
 */
PORTOLAN_API enum portolan_status portolan_mpi_init(struct portolan_error *err);

/** Ends MPI if portolan_mpi_init() began it. All cohorts must have been destroyed. */
PORTOLAN_API void portolan_mpi_finalize(void);

/** True between initialisation (by anybody) and the end of MPI. */
PORTOLAN_API bool portolan_mpi_is_running(void);

/**
 * Ends all ranks at once with exit status STATUS; never returns. Without a running MPI it ends this
 * process. For the command line program only, which has printed the reason before.
 */
PORTOLAN_API void portolan_mpi_abort(int status) __attribute__((noreturn));

/**
 * Collective: makes the cohort of all ranks of MPI_COMM_WORLD, on a duplicate of it, so that its
 * messages never meet those of components; they are not counted as MPI time. Its operations return
 * PORTOLAN_EIO when MPI reports an error. Used by one thread at a time. PORTOLAN_EINVAL when MPI is
 * not running, PORTOLAN_EIO, PORTOLAN_ENOMEM. *COHORT is the caller's to destroy.
 */
PORTOLAN_API enum portolan_status portolan_mpi_cohort_create(struct portolan_cohort **cohort,
                                                             struct portolan_error *err);

/** Collective. NULL is legal. */
PORTOLAN_API void portolan_mpi_cohort_destroy(struct portolan_cohort *cohort);

/**
 * Collective if all ranks call it: brings every rank to one *STATUS as portolan_cohort_agree()
 * does, C being a cohort of this room. A rank with a failure waits PATIENCE_S seconds for the
 * others (higher ranks a little longer), which may be stuck in a call that it will never join. If
 * they do not come, the result is false, *STATUS and ERR are the rank's own, and the rank must call
 * portolan_mpi_abort(). A rank with PORTOLAN_OK waits for ever.
 */
PORTOLAN_API bool portolan_mpi_verdict(struct portolan_cohort *c, enum portolan_status *status,
                                       double patience_s, struct portolan_error *err);

/**
 * Offers gov.cca.ports.MPIService in FW: every component that uses it has communicators of its own,
 * duplicates of MPI_COMM_WORLD. They are made by PMPI and not counted as MPI time. EINVAL when MPI
 * is not running, else as portolan_framework_serve(); all ranks must offer it, or none.
 */
PORTOLAN_API enum portolan_status portolan_mpi_serve(struct portolan_framework *fw,
                                                     struct portolan_error *err);

/** A new gov.cca.ports.MPISetup, the caller's reference: the same for a communicator of one's own.
 * NULL with an exception in *_ex. */
PORTOLAN_API gov_cca_ports_MPISetup portolan_mpi_setup_create(sidl_BaseInterface *_ex);

/**
 * Receives whose bytes are in no total and never will be: freed before they completed, of
 * MPI_Isendrecv (whose statuses MPICH 4.0 does not fill), or started when there was no memory to
 * remember them. Any thread.
 */
PORTOLAN_API uint64_t portolan_mpi_receives_unknown(void);

/**
 * Returns whether blocking calls yield the processor while they wait: because a host has more ranks
 * than cores that they may use, because other processes use these cores, or because
 * PORTOLAN_MPI_YIELD says so. The same on all ranks; decided when MPI begins, and each `max` of the
 * cohort may change it from no to yes. The second function describes it in one line, valid until
 * the process ends.
 */
PORTOLAN_API bool portolan_mpi_yields(void);
PORTOLAN_API const char *portolan_mpi_describe_waits(void);

/** One line: version of MPI and of the library, for reports. Valid until the process ends. */
PORTOLAN_API const char *portolan_mpi_describe(void);

#ifdef __cplusplus
}
#endif
#endif
