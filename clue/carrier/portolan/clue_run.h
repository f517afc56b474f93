/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_run: runs an unmodified program in virtual time, as the program portolan-clue does. There is
 * one run in a process, on one thread. It prints the messages of ranks that end; all else is
 * returned.
 */
#ifndef PORTOLAN_CLUE_RUN_H
#define PORTOLAN_CLUE_RUN_H

#include <portolan/clue_engine.h>

/** Ways to find the time that ranks compute. */
enum clue_compute_kind {
    CLUE_COMPUTE_MEASURED, /**< processor time on this machine */
    CLUE_COMPUTE_TABLE,    /**< taken from a recorded run, by rank, call site and occurrence */
    CLUE_COMPUTE_MODEL,    /**< laws by call site or function */
    CLUE_COMPUTE_NONE
};
/** The names that --compute accepts. */
extern const char *const clue_compute_names[CLUE_COMPUTE_NONE + 1];

struct clue_run {
    const struct clue_machine *machine;
    struct clue_engine_settings settings;
    int n;            /**< number of ranks */
    const int *hosts; /**< host of each rank */
    char **program;   /**< words of the command; the last is NULL */
    bool is_apart;    /**< each rank is a process, instead of all being in this one */
    enum clue_compute_kind compute;
    const char *record; /**< file to which a record of the run is written; or NULL */
    /** TABLE: source of the times of computing; REPLAY: runs instead of the program; or NULL. */
    const struct record *table, *replay;
    bool is_median;            /**< bursts of TABLE or REPLAY that repeat take their medians */
    struct clue_laws *laws;    /**< laws for CLUE_COMPUTE_MODEL; or NULL */
    size_t stack_bytes;        /**< stack of each rank */
    size_t thread_local_bytes; /**< the room that portolan-clue has for thread-locals */
    size_t n_private, n_shared;
    const char *const *private, *const *shared; /**< names of libraries of --private and --shared */
    /** Files of the libraries for virtual time, MPI and PVM; if ranks are processes, the library
     * that sends their requests comes first. */
    const char *const *libraries;
    size_t n_libraries;
    const struct portolan_mpi_observer *observer; /**< is notified of all calls; or NULL */
};

/** An assumption of the run ("assumed"), or a mistake of the program that did not end it. */
struct clue_remark {
    bool is_mistake;
    char *text, *where; /**< WHERE: place of the call; NULL: it is in the text, or not known */
    uint64_t n;         /**< how often it occurred */
};

/** The results. Free them with clue_run_end(). */
struct clue_outcome {
    struct clue_engine *engine; /**< has the sums of the run; NULL: the run did not begin */
    int n_tasks;                /**< ranks, and tasks that they spawned */
    int exit_status;            /**< as mpiexec would return it */
    double wall_s;
    double rank_bytes; /**< mean memory of a rank on this machine; 0: not known */
    struct clue_bursts {
        uint64_t n_missing;      /**< bursts that the table did not contain */
        uint64_t n, n_preempted; /**< N_PREEMPTED: corrected, as another process ran */
        double added;      /**< estimated share that folding added; NAN: bursts differ too much */
        uint64_t n_laws;   /**< how many of the N bursts got their time from a law */
        uint64_t n_fronts; /**< calls of functions that got their time from a law */
        bool is_void;      /**< such calls were skipped, so the program's results are void */
    } bursts;
    const struct clue_remark *remarks;
    size_t n_remarks;
};

/**
 * Runs the program. A failure before the first rank begins, or one of the run (deadlock, a fault,
 * a function that is not served), is in ERR with its text; exits of ranks are in OUTCOME. EINVAL,
 * EUNSUPPORTED, ENOMEM.
 */
enum portolan_status clue_run(const struct clue_run *run, struct clue_outcome *outcome,
                              struct portolan_error *err);
void clue_run_end(struct clue_outcome *outcome);

/** Runs the program portolan-clue, except for its memory for thread-locals of ranks. */
PORTOLAN_API int clue_main(int argc, char **argv, size_t thread_local_bytes);

#endif
