/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * record: records what this process does as streams (<portolan/trace_stream.h>), each thread into
 * its own file. Calls of MPI come from the observer of mpi/; other regions are reported by calls of
 * this header. Calls of ports are not recorded: readers of the trace add them from the probe's rows
 * (portolan_trace_with_spans()).
 *
 * Recording an event never waits for another thread. If the disk is full, events are lost and
 * counted, until there is room again. Everything recorded can be read, however the process ends. A
 * child of fork() does not record. Nothing prints or exits.
 */
#ifndef PORTOLAN_RECORD_H
#define PORTOLAN_RECORD_H

#include <portolan/base.h>
#include <portolan/observer.h>
#include <portolan/trace_event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The conditions of recording: an event is recorded if all given ones hold. Both are copied. */
struct portolan_record_settings {
    const char *folder; /**< of the files; it is made if missing */
    /**
     * Words separated by spaces; NULL or "": everything. `ranks=0-3,7`; `steps=20-39`: from
     * portolan_record_step(20) to portolan_record_step(40); `regions=NAME,NAME`: in one of these
     * regions; `cpu=always`: processor times with every call of MPI; `cpu=never`: none; `cpu=auto`,
     * the default: always if ranks share cores, else every 10 ms. `@FILE`: the words in that file.
     */
    const char *window;
};

/**
 * Prepares recording. It begins with MPI or with portolan_record_start(), at once if one of them
 * has begun. To be called by the main thread. A second call, while recording is off, makes threads
 * begin new files in the new folder. PORTOLAN_EINVAL: a wrong word, with the right one;
 * PORTOLAN_EIO: the folder or file; PORTOLAN_ENOMEM.
 */
PORTOLAN_API enum portolan_status
portolan_record_configure(const struct portolan_record_settings *settings,
                          struct portolan_error *err);
/**
 * The same with the environment variables PORTOLAN_TRACE (folder) and PORTOLAN_TRACE_WINDOW.
 * *IS_WANTED (may be NULL): whether PORTOLAN_TRACE is set; if not, nothing happens.
 */
PORTOLAN_API enum portolan_status
portolan_record_configure_by_environment(bool *is_wanted, struct portolan_error *err);

/** The folder in use; NULL if there is none yet. Borrowed until portolan_record_configure() is
   called again. */
PORTOLAN_API const char *portolan_record_peek_folder(void);
/** Returns whether portolan_record_configure() would begin recording: MPI has begun with the
 * recorder as its observer, or portolan_record_start() was called; and recording has not ended. */
PORTOLAN_API bool portolan_record_is_possible(void);

/** The recorder, for portolan_mpi_observe() before MPI begins. Static. */
PORTOLAN_API const struct portolan_mpi_observer *portolan_record_observer(void);

/** Without MPI: this process is RANK of N_RANKS. Does nothing if recording has begun. */
PORTOLAN_API void portolan_record_start(int rank, int n_ranks);
/** Completes the calling thread's file, so that others may read it. Later events go into a new
 * file, which replaces it if the folder is the same. */
PORTOLAN_API void portolan_record_close(void);
/** Completes the calling thread's file and ends recording. MPI_Finalize does it. */
PORTOLAN_API void portolan_record_end(void);

/** Returns whether events are recorded now. Any thread. */
PORTOLAN_API bool portolan_record_is_on(void);
/** Suspend and resume recording within the window; at first it is not suspended. Any thread. */
PORTOLAN_API void portolan_record_off(void);
PORTOLAN_API void portolan_record_on(void);
/** Changes the window; errors of portolan_record_configure(). One thread at a time. */
PORTOLAN_API enum portolan_status portolan_record_window(const char *window,
                                                         struct portolan_error *err);

/** Number of a region, or of the name of values; strings are copied, NULL is "". UINT32_MAX: no
 * memory; the functions below ignore such a number. Any thread; not on the path of a call: it
 * locks.
 */
PORTOLAN_API uint32_t portolan_record_region(const struct portolan_trace_region *region);
PORTOLAN_API uint32_t portolan_record_name(const char *name);

/** Regions of one thread nest. Any thread. */
PORTOLAN_API void portolan_record_enter(uint32_t region);
PORTOLAN_API void portolan_record_leave(uint32_t region);
/** A value of the region entered last. Any thread. */
PORTOLAN_API void portolan_record_value(uint32_t name, double value);
/** The same with the time since SINCE_NS of the probe's clock as value, in nanoseconds. */
PORTOLAN_API void portolan_record_age(uint32_t name, double since_ns);
/** Ends the step before and begins step NUMBER; none if it is negative. One thread. */
PORTOLAN_API void portolan_record_step(int number);

/** Events that were lost: of the calling thread, and of files that are complete. Any thread. */
PORTOLAN_API uint64_t portolan_record_lost(void);

#ifdef __cplusplus
}
#endif
#endif
