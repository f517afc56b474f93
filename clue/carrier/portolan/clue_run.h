/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * clue_run: a run of an unmodified program in virtual time, as the program portolan-clue makes it.
 * One run in a process, on one thread. Prints the messages of ranks that end; returns all else.
 */
#ifndef PORTOLAN_CLUE_RUN_H
#define PORTOLAN_CLUE_RUN_H

#include <portolan/clue_engine.h>

/** How long ranks compute. */
enum clue_compute_kind {
    CLUE_COMPUTE_MEASURED, /**< processor time of this machine */
    CLUE_COMPUTE_TABLE,    /**< as in a recorded run, by rank, call site and occurrence */
    CLUE_COMPUTE_MODEL,    /**< laws by call site or function */
    CLUE_COMPUTE_NONE
};
/** As --compute says them. */
extern const char *const clue_compute_names[CLUE_COMPUTE_NONE + 1];

struct clue_run {
    const struct clue_machine *machine;
    struct clue_engine_settings settings;
    int n;            /**< ranks */
    const int *hosts; /**< of each */
    char **program;   /**< its words, the last is NULL */
    bool is_apart;    /**< each rank is a process, instead of all in this one */
    enum clue_compute_kind compute;
    const char *record; /**< file that gets a record of the run; or NULL */
    /** The source of times of computing (TABLE); what runs instead of the program; or NULL. */
    const struct record *table, *replay;
    bool is_median;            /**< of TABLE, or of REPLAY: bursts that repeat take their medians */
    struct clue_laws *laws;    /**< of MODEL; or NULL */
    size_t stack_bytes;        /**< of each rank */
    size_t thread_local_bytes; /**< the room that portolan-clue has */
    size_t n_private, n_shared;
    const char *const *private, *const *shared; /**< names of libraries: --private, --shared */
    /** Files: MPI and PVM of virtual time; if ranks are processes, that of requests first. */
    const char *const *libraries;
    size_t n_libraries;
    const struct portolan_mpi_observer *observer; /**< sees all calls; or NULL */
};

/** An assumption of the run ("assumed"), or a mistake of the program that did not end it. */
struct clue_remark {
    bool is_mistake;
    char *text, *where; /**< WHERE: the place of the call; NULL: in the text, or not known */
    uint64_t n;         /**< how often */
};

/** The results. Free them with clue_run_end(). */
struct clue_outcome {
    struct clue_engine *engine; /**< for its sums; NULL: the run did not begin */
    int n_tasks;                /**< ranks, and tasks that were spawned */
    int exit_status;            /**< as mpiexec would return it */
    double wall_s;
    double rank_bytes; /**< mean memory of a rank on this machine; 0: not known */
    struct clue_bursts {
        uint64_t n_missing;      /**< that the table did not have */
        uint64_t n, n_preempted; /**< bursts, and those replaced because another process ran */
        double added;      /**< estimated share that folding added; NAN: bursts differ too much */
        uint64_t n_laws;   /**< bursts among N whose time a law gave */
        uint64_t n_fronts; /**< calls of functions whose time a law gave */
        bool is_void;      /**< such calls were skipped: results are void */
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

/** The program portolan-clue, except for its memory for thread-locals of ranks. */
PORTOLAN_API int clue_main(int argc, char **argv, size_t thread_local_bytes);

#endif
