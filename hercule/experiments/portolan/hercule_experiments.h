/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hercule: experiments of a diagnosis. A program is started with the recorder preloaded, or an
 * assembly is run in which what its paradigm names is measured; the runs become trials of a store
 * and traces next to it. What the rules of the paradigm ask for decides which run comes next: a
 * profile, a profile of operations, a trace.
 *
 * One thread, in a process without other children. Nothing here prints or exits; the programs that
 * are started have the input and output of this process.
 */
#ifndef PORTOLAN_HERCULE_EXPERIMENTS_H
#define PORTOLAN_HERCULE_EXPERIMENTS_H

#include <portolan/hercule_assembly.h>
#include <portolan/machine.h>

/* ------------------------------------------------- programs that are recorded */

/** How a program is started and recorded. Strings are borrowed for the call. */
struct portolan_recording {
    char *const *program; /**< REQUIRED. Its words, ended by NULL */
    const char *launcher; /**< words before them; NULL: `mpiexec` -n `n_ranks` … */
    const char *mpiexec;  /**< … this program */
    int n_ranks;          /**< 0: it is started without a launcher */
    const char *library;  /**< with the recorder, to be preloaded; NULL: the program has it */
    const char *folder;   /**< of the streams; NULL: nothing is recorded */
    const char *window;   /**< what is recorded, as in <portolan/record.h>; NULL: everything */
    const char *token;    /**< a fact of the trial, PORTOLAN_EXPERIMENT; or NULL */
};

/**
 * Runs the program and waits for it. *RESULT: its exit status, or 128 and the signal that ended it.
 * PORTOLAN_EUNSUPPORTED: it cannot be recorded; PORTOLAN_EINVAL: the window; PORTOLAN_EIO: the
 * folder is not empty, or no process can be made; PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_record_program(const struct portolan_recording *r, int *result,
                                             struct portolan_error *err);
/** Checks that FOLDER is empty or can be made, because files in it would be taken for those of a
 * run. PORTOLAN_EIO. */
enum portolan_status portolan_record_check_folder(const char *folder, struct portolan_error *err);
/** Checks that the program NAME can be started. PORTOLAN_ENOTFOUND, PORTOLAN_ENOMEM. */
enum portolan_status portolan_record_check_program(const char *name, struct portolan_error *err);
/** Returns whether no stream is in FOLDER: then the program is one that … */
bool portolan_record_is_empty(const char *folder);
#define PORTOLAN_RECORDS_NOTHING                                                                   \
    "made no call of MPI that is recorded (after MPI_Session_init none is), could not be "         \
    "started, or calls MPI by dlopen"

/* ------------------------------------------------- what is diagnosed */

/** What a diagnosis is about, and what its last run left. Start it with what the caller knows, the
 * rest zero; portolan_subject_clear() frees what these functions put there. */
struct portolan_subject {
    struct portolan_diagnostics d; /**< gets mistakes in files */
    /** Gets what a user should know of a run. KIND: "note", "warning" or "error". */
    void (*report)(void *arg, const char *kind, const char *text);
    void *arg;
    struct portolan_assembly *assembly; /**< the caller's; runs change what it measures; or NULL */
    const char *store;                  /**< its path; NULL: nothing is stored */

    /* From portolan_subject_see_as(): */
    struct portolan_knowledge *knowledge;
    struct portolan_assembly *declaration; /**< of a file with the <paradigm>; or NULL */
    const char *paradigm;                  /**< NULL: none is known */
    struct portolan_part *parts;
    size_t n_parts;

    /* From the last run, trial or trace: */
    int64_t trial; /**< 0: it is not stored */
    struct portolan_trace *trace;
    struct portolan_matching *matching;
    struct portolan_waits *waits;
    int n_ranks;                             /**< of a trial that was read */
    double run_ns;                           /**< as the trial says */
    double bytes;                            /**< of the streams */
    int first_step;                          /**< that was recorded */
    bool is_cut;                             /**< the program failed … */
    const char *how_it_ended;                /**< … so; NULL: not known */
    bool shares_cores;                       /**< there were more ranks than cores */
    double recording;                        /**< share of the recorded run: times are without it */
    bool knows_processors;                   /**< `machine` says who used them */
    struct portolan_machine_verdict machine; /**< during a run on this host */

    struct portolan_arena arena;
};

/**
 * Reads the knowledge, also of the files *.clp in the N FOLDERS, and finds the paradigm: NAME, the
 * name of one or, if it has a slash or no paradigm has that name, a file with a <paradigm>; NULL:
 * the assembly's, if it has one. Errors of portolan_knowledge_read(), portolan_paradigm_read() and
 * portolan_paradigm_declare().
 */
enum portolan_status portolan_subject_see_as(struct portolan_subject *s, const char *name,
                                             const char *const *folders, size_t n,
                                             struct portolan_error *err);
/**
 * Reads a trace (a folder of streams, a stream, an OTF2 archive) or runs a scenario.
 * PORTOLAN_ENOTFOUND: records of ranks are missing; else errors of portolan_trace_read(),
 * portolan_scenario_read() and portolan_waits_create().
 */
enum portolan_status portolan_subject_read_trace(struct portolan_subject *s, const char *file,
                                                 struct portolan_error *err);
/** Takes TRIAL of the store, and its trace, if it has one. PORTOLAN_ENOTFOUND: there is no such
 * trial; else as the store and portolan_subject_read_trace(). */
enum portolan_status portolan_subject_read_trial(struct portolan_subject *s, int64_t trial,
                                                 struct portolan_error *err);
void portolan_subject_clear(struct portolan_subject *s);

/* ------------------------------------------------- experiments */

/** How runs are made. Strings are borrowed for the call. */
struct portolan_experiment_options {
    char *const *program; /**< its words, ended by NULL; NULL: the subject's assembly, … */
    const char *file;     /**< … which this file has */
    int ranks;            /**< REQUIRED */
    const char *launcher; /**< or NULL, as in struct portolan_recording */
    const char *mpiexec;  /**< REQUIRED */
    const char *library;  /**< REQUIRED for a program: the recorder */
    const char *command;  /**< REQUIRED for an assembly: the program `portolan` */
    const char *keep;     /**< folder for the trace; NULL: it goes next to the store */
    int64_t trial;        /**< whose profile takes the place of the first experiments; 0: none */
    int repeat;           /**< how many traces; 0: one, and a second one if that is in doubt */
    double budget_s;      /**< no run is begun that would bring the total above; < 0: none */
    bool once;            /**< everything is recorded in one run */
};

/** The experiments of one diagnosis. */
struct portolan_experiments {
    struct portolan_experiment made[3]; /**< `title` NULL: it was not made */
    struct portolan_diagnosis **all;    /**< that were made; the last is the result */
    size_t n;
    int n_steps;            /**< of the run; 0: not known */
    double spent_s, last_s; /**< for all runs, for the last */
    const char *not_made;   /**< which experiment, and why; or NULL */
};

/**
 * Makes all experiments that are needed, or one diagnosis of the trace that S has; HOW is what all
 * diagnoses share. *E, which is {0}, must be cleared whatever the status; it borrows from S.
 * PORTOLAN_EFOREIGN: a run failed, and has said why; else as the store, traces and diagnoses.
 */
enum portolan_status portolan_experiments_make(struct portolan_subject *s,
                                               const struct portolan_experiment_options *o,
                                               struct portolan_diagnosis_options *how,
                                               struct portolan_experiments *e,
                                               struct portolan_error *err);
void portolan_experiments_clear(struct portolan_experiments *e);
/** Makes one run, of which everything is recorded, whatever the paradigm. Errors of
 * portolan_experiments_make(). */
enum portolan_status portolan_subject_record(struct portolan_subject *s,
                                             const struct portolan_experiment_options *o,
                                             struct portolan_error *err);

/**
 * Before any run: reads the trial or trace that `o` names, `o->file` being an assembly or a trace,
 * and sets `o->ranks` to those of the trial, or to 2 if nobody set them. AGAINST: the trial that
 * will be compared with; 0: none. PORTOLAN_EINVAL: what is named does not go together; else errors
 * of the functions above and of portolan_findings_check().
 */
enum portolan_status portolan_subject_read_given(struct portolan_subject *s,
                                                 struct portolan_experiment_options *o,
                                                 int64_t against, struct portolan_error *err);
/** Reads N WORDS NAME=VALUE into D, and checks that there are such thresholds. PORTOLAN_EINVAL;
 * errors of portolan_diagnosis_of_quantities(). */
enum portolan_status portolan_subject_set_thresholds(struct portolan_subject *s,
                                                     const char *const *words, size_t n,
                                                     struct portolan_diagnosis_options *d,
                                                     struct portolan_error *err);
/** *TEXT, which the caller frees: what was recorded, for how long and how. RUN_NS: NaN if it is
 * not known. PORTOLAN_ENOMEM. */
enum portolan_status portolan_subject_text(const struct portolan_subject *s,
                                           const struct portolan_experiment_options *o, int digits,
                                           int n_ranks, double run_ns, char **text,
                                           struct portolan_error *err);
/** *TEXT, which the caller frees: which paradigms the trace looks like. PORTOLAN_ENOMEM. */
enum portolan_status portolan_subject_suggest(const struct portolan_subject *s, int digits,
                                              char **text, struct portolan_error *err);

/* ------------------------------------------------- findings in the store */

/** Stores D with the subject's trial. */
enum portolan_status portolan_subject_store(struct portolan_subject *s,
                                            const struct portolan_diagnosis *d,
                                            struct portolan_error *err);
/** Checks that TRIAL was diagnosed. PORTOLAN_ENOTFOUND. */
enum portolan_status portolan_findings_check(const char *store, int64_t trial,
                                             struct portolan_error *err);
/**
 * *TEXT, which the caller frees: by which causes trial B differs from A. *IS_WORSE: a problem of B
 * costs more than in A, by more than repetitions differ. PORTOLAN_ENOTFOUND: a trial, or its
 * diagnosis.
 */
enum portolan_status portolan_findings_compare(const char *store, int64_t a, int64_t b, int digits,
                                               char **text, bool *is_worse,
                                               struct portolan_error *err);

#endif
