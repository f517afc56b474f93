/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * cll: the run time of programs annotated with CALL's pragmas. `portolan call FILE.c` writes code
 * that calls this (docs/portolan-call.1, which also says how to run the result).
 *
 * An experiment is a stretch of code between `#pragma cll NAME …` and `#pragma cll end NAME`. Each
 * time it is passed gives a sample: the values of its formula's identifiers when it began, and what
 * its observables gained until it ended. Experiments nest and recurse, on any number of threads;
 * between begin and end there is no lock and, but for memory that grows now and then, no system
 * call. Samples stay in memory until they are reported.
 *
 * Observables: "CLOCK", seconds; "CPUTIME", seconds of processor time of the calling thread, "USER"
 * and "SYSTEM", those of it in the program and in the kernel; and the names of PAPI events. One
 * that is not available is reported once on stderr, and is NaN in the reports.
 *
 * This library is part of the user's program: it reports run-time errors on stderr, with the
 * source's file and line, and never ends the program.
 *
 * After J. A. González et al., *Analysis and Tools for Performance Prediction*, 2001, section 3.
 */
#ifndef PORTOLAN_CLL_H
#define PORTOLAN_CLL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define PORTOLAN_CLL_BOOL bool
#else
#define PORTOLAN_CLL_BOOL _Bool /* translated programs may have a `bool` of their own */
#endif

#define PORTOLAN_CLL_API __attribute__((visibility("default")))

/** The run time's private part of an experiment. */
struct portolan_cll_state;

/** Static data in FILE.cll.h, one per experiment name and file. */
struct portolan_cll_experiment {
    const char *name, *file;
    const char *formula; /**< infix as written, or NULL */
    unsigned n_constants;
    unsigned n_identifiers;
    const char *const *identifiers;
    unsigned n_observables;
    const char *const *observables; /**< if there are none: "CLOCK" */
    unsigned n_regions;
    const unsigned *begin_lines, *end_lines;
    struct portolan_cll_state *state; /**< the run time's; NULL at start */
};

/**
 * Makes experiments known, so that reports also contain those that never ran. Called by a
 * constructor in FILE.cll.h; calling it again changes nothing. They must exist until the process
 * ends. Any thread.
 */
PORTOLAN_CLL_API void portolan_cll_register(struct portolan_cll_experiment *const *list, size_t n);

/**
 * Begins and ends an experiment on the calling thread. VALUES are its identifiers' values, which
 * are copied now; NULL when it has none. An end without a begin is reported once and ignored; ends
 * that cross are reported once, and both experiments get their samples.
 */
PORTOLAN_CLL_API void portolan_cll_begin(struct portolan_cll_experiment *experiment,
                                         const double *values);
PORTOLAN_CLL_API void portolan_cll_end(struct portolan_cll_experiment *experiment);

/**
 * How the processes of a program reach each other. MACHINE comes from the parallel pragma and
 * belongs to the driver. All functions except rank and size are collective over the machine.
 */
struct portolan_cll_driver {
    const char *name; /**< "SEQ", "MPI", "PUB" */
    int (*rank)(void *machine);
    int (*size)(void *machine);
    /** A barrier. ARGUMENT: that of `sync(ARGUMENT)`; NULL: over MACHINE. */
    void (*sync)(void *machine, void *argument);
    /**
     * Sends the bytes of every process to process 0, where TAKE gets them rank by rank, including
     * its own (borrowed for the call). 0; or TAKE's result if not 0; or -1 when communication
     * failed.
     */
    int (*gather)(void *machine, const void *bytes, size_t n,
                  int (*take)(void *arg, int rank, const void *bytes, size_t n), void *arg);
};

/** One process; machine: NULL. In libportolan-call. */
extern PORTOLAN_CLL_API const struct portolan_cll_driver portolan_cll_seq;
/** MPI; machine: NULL for MPI_COMM_WORLD, or an MPI_Comm *; so is sync's argument. In
 * libportolan-call-mpi. */
extern PORTOLAN_CLL_API const struct portolan_cll_driver portolan_cll_mpi;
/** The BSP library with PUB's interface; machine: t_bsp *. In libportolan-bsp. */
extern PORTOLAN_CLL_API const struct portolan_cll_driver portolan_cll_pub;

/** A barrier before an experiment, so that all processes begin it together. DRIVER NULL: SEQ. */
PORTOLAN_CLL_API void portolan_cll_sync(const struct portolan_cll_driver *driver, void *machine,
                                        void *argument);

/**
 * Collective over the machine: brings the samples of all processes to process 0, which writes them
 * (to PROGRAM.cll.dat, unless the environment says otherwise). Samples are reported once: the next
 * report has those that came since. NAME: only that experiment; NULL: all. Other threads may go on
 * measuring; experiments that are open now are not in it.
 *
 * 0, or -1 after a failure, which was reported on stderr; then unwritten samples wait for the next
 * report, and no file is left incomplete.
 */
PORTOLAN_CLL_API int portolan_cll_report(const struct portolan_cll_driver *driver, void *machine,
                                         const char *program, const char *name);

/**
 * Sees each experiment as it ends, on the thread that ran it: its VALUES (NULL when it has none),
 * the seconds it took, the number of experiments around it, and whether none was inside it.
 */
typedef void portolan_cll_observer(void *arg, const struct portolan_cll_experiment *experiment,
                                   const double *values, double seconds, unsigned depth,
                                   PORTOLAN_CLL_BOOL leaf);
/** Sets the only observer; NULL: none. Call it before the experiments that it is to see. */
PORTOLAN_CLL_API void portolan_cll_observe(portolan_cll_observer *observer, void *arg);

#ifdef __cplusplus
}
#endif
#endif
