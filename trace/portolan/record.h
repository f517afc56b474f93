/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * record: records what this process does as streams (<portolan/trace_stream.h>), each thread into
 * a file of its own. Calls of MPI come from the observer of mpi/; regions are told here by those
 * that have them. Regions of port calls are not: they come from the probe's rows and are merged
 * where the trace is read.
 *
 * Recording never waits for another thread. What cannot be stored (a full disk) is counted, and
 * recorded again when there is room. What was recorded can be read whatever ends the process. A
 * child of fork() does not record.
 */
#ifndef PORTOLAN_RECORD_H
#define PORTOLAN_RECORD_H

#include <portolan/base.h>
#include <portolan/observer.h>
#include <portolan/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What an experiment asks for. Recording is on where all conditions hold that are given.
 */
struct portolan_record_settings {
    const char *folder; /**< of the files; it is made if missing */
    /**
     * Words between spaces, NULL or "": everything. `ranks=0-3,7`; `steps=20-39`: between
     * portolan_record_step(20) and that of 40; `phases=1,2`: after MPI_Pcontrol(1) or (2) and until
     * one of another level; `regions=NAME,NAME`: in one of these;
     * `cpu=always`, `cpu=never`, `cpu=auto` (at first): processor times with every call of MPI, not
     * at all, or always where ranks share cores and else every 10 ms. `@FILE`: words of that file.
     */
    const char *window;
};

/**
 * Prepares recording; it begins when MPI begins, or by portolan_record_start(), or at once if that
 * was before. To be called by the main thread. When it is called again, while recording is off,
 * threads make new files in the new folder from then on. PORTOLAN_EINVAL with the wrong word and
 * what would be right, PORTOLAN_EIO for the folder or file.
 */
PORTOLAN_API enum portolan_status
portolan_record_configure(const struct portolan_record_settings *settings,
                          struct portolan_error *err);
/**
 * The same by PORTOLAN_TRACE (folder) and PORTOLAN_TRACE_WINDOW. *IS_WANTED (may be NULL): the
 * former is set; else nothing happens.
 */
PORTOLAN_API enum portolan_status
portolan_record_configure_by_environment(bool *is_wanted, struct portolan_error *err);

/** The folder in use; NULL: none was given yet. Until portolan_record_configure() is called. */
PORTOLAN_API const char *portolan_record_peek_folder(void);
/** Whether a folder is all that recording lacks: MPI has begun and tells of its calls, or
 * portolan_record_start() was called. */
PORTOLAN_API bool portolan_record_is_possible(void);

/** To be given to portolan_mpi_observe() before MPI begins. */
PORTOLAN_API const struct portolan_mpi_observer *portolan_record_observer(void);

/** Without MPI: this process is RANK of N_RANKS. Does nothing when recording has begun. */
PORTOLAN_API void portolan_record_start(int rank, int n_ranks);
/** Completes the calling thread's file, so that others may read it. What is recorded later goes
 * into a new one, which replaces it if the folder is the same. */
PORTOLAN_API void portolan_record_close(void);
/** Completes the calling thread's file and ends recording. MPI_Finalize does it. */
PORTOLAN_API void portolan_record_end(void);

/** Whether events are recorded now. Any thread. */
PORTOLAN_API bool portolan_record_is_on(void);
/** Suspends recording and goes on, besides what the window says; at first it is on. Any thread. */
PORTOLAN_API void portolan_record_off(void);
PORTOLAN_API void portolan_record_on(void);
/** Other words for the window, from now on; as portolan_record_configure(). One thread at a time.
 */
PORTOLAN_API enum portolan_status portolan_record_window(const char *window,
                                                         struct portolan_error *err);

/** Number of a region, or of the name of values; strings are copied, NULL is "". UINT32_MAX: no
 * memory; such a number is ignored below. Any thread; not for the path of a call: it locks. */
PORTOLAN_API uint32_t portolan_record_region(const struct portolan_trace_region *region);
PORTOLAN_API uint32_t portolan_record_name(const char *name);

/** Regions of one thread nest. Any thread. */
PORTOLAN_API void portolan_record_enter(uint32_t region);
PORTOLAN_API void portolan_record_leave(uint32_t region);
/** A value of the region entered last. */
PORTOLAN_API void portolan_record_value(uint32_t name, double value);
/** The same, which is the time since SINCE_NS of the probe's clock, at the time of the event. */
PORTOLAN_API void portolan_record_age(uint32_t name, double since_ns);
/** Step NUMBER begins, which ends the one before; a negative NUMBER only ends it. One thread. */
PORTOLAN_API void portolan_record_step(int number);

/** Events that could not be recorded until now. */
PORTOLAN_API uint64_t portolan_record_lost(void);

#ifdef __cplusplus
}
#endif
#endif
