/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line: one short file per subcommand, and here what they share. */
#ifndef PORTOLAN_CLI_H
#define PORTOLAN_CLI_H

#include "arguments.h"

#include <portolan/assembly.h>
#include <portolan/framework.h>
#include <portolan/optimizer.h>
#include <portolan/store.h>
#include <portolan/study.h>

typedef int command_fn(int argc, char **argv); /* argv[0] is "portolan NAME" */

command_fn command_call, command_check, command_clue, command_compare, command_control,
    command_convert, command_diagnose, command_doctor, command_draw, command_explain,
    command_export, command_import, command_link, command_llac, command_measure, command_model,
    command_new, command_obsp, command_optimize, command_veto, command_predict, command_profile,
    command_report, command_run, command_trace, command_trials, command_watch, command_wrap;

/*
 * Lets writes beyond the file size limit fail, with a message, instead of ending the program. Uses
 * a handler, because programs that are started would inherit SIG_IGN.
 */
void outlive_file_limits(void);

/*
 * Installs a receiver of log messages: rank 0 prints notices to stdout (unless QUIET), every rank
 * prints its warnings to stderr.
 */
void print_log(bool quiet, int rank);

/* RESULT, or a failure if standard output could not be written completely. */
int close_output(int result);

/* Sets whether all ranks also print messages for debugging. */
void print_debug(bool on);

/*
 * The settings file of the build that this program belongs to: NAME next to the program, or
 * INSTALLED, relative to its folder. The caller frees *FILE.
 */
enum portolan_status find_settings(const char *name, const char *installed, char **file,
                                   struct portolan_error *err);

/* Options that all commands on an assembly share. */
struct assembly_options {
    const char *file;
    const char *as; /* --as: components find the files that they read next to this file; or NULL */
    const struct portolan_program *program; /* holds the text and the classes; or NULL */
    const char *path;                       /* --path, more folders with component descriptions */
    const char *store;                      /* --store, instead of the Mastermind's parameter */
    const char *trial;                      /* --trial, if FILE is a store */
    size_t n_sets;
    const char **sets; /* --set INSTANCE.PARAMETER=VALUE or PARAMETER=VALUE */
    size_t n_selects;
    const char **selects; /* --select INSTANCE=CLASS */
    size_t n_pins;
    const char **pins; /* --pin INSTANCE=CLASS */
    size_t n_forbids;
    const char **forbids; /* --forbid INSTANCE=CLASS */
    bool takes_cases;     /* --case may be given several times, and drops all other cases */
    size_t n_cases;
    const char **cases; /* --case NAME */
    size_t n_contexts;
    const char **context_names; /* --context NAME=VALUE */
    double *contexts;
};

/*
 * Tables for struct assembly_options: the settings of an assembly; the same with the file and the
 * folders of components; and all this with --trial.
 */
extern const struct cli_option settings_table[], assembly_table[], of_trials_table[];

/*
 * Reads and checks the assembly and applies --case, --set, --select, --pin and --forbid. Prints
 * problems if PRINT is set; SPMD programs set it on rank 0 only, because every rank reads the same
 * file. Empties the lists in O.
 */
enum portolan_status workbench_open(struct workbench *w, struct assembly_options *o, bool print,
                                    struct portolan_error *err);

/* The ranks of this run. */
struct job {
    struct portolan_cohort *cohort;
    bool is_recorded; /* from the start, as the environment says */
};

/*
 * Starts MPI and makes the cohort of the ranks, which must all have been given this COMMAND. Prints
 * errors and returns the exit status, 0 when good. Call it before the options are read: then a rank
 * that exits because of a wrong option ends the others, too.
 */
int job_begin(struct job *job, const char *command);
/*
 * Unloads the recorder of MPI calls, which nothing in the job uses unless the environment says so.
 */
void job_drop_recorder(struct job *job);
void job_end(struct job *job);
/* Collective: ends MPI; from here on each rank is a job of its own. True on what was rank 0. */
bool job_leave_mpi(struct job *job);

/* On an abort mpiexec loses what it has not yet read from our pipe: waits, at most a second. */
void wait_for_reader(void);

/*
 * Collective: brings all ranks to one verdict after a go(). When one failed and the others cannot
 * be reached, prints the reason and aborts the job.
 */
enum portolan_status job_settle(struct job *job, enum portolan_status status,
                                struct portolan_error *err);

/* Rank 0 prints ERR, which all ranks have; all ranks end MPI and get EXIT_BAD_INPUT. */
int job_fail(struct job *job, const struct portolan_error *err);

/*
 * Collective: builds the workbench's assembly, calls its go port, and destroys it. *RESULT is what
 * go returned. All ranks get the same status. When one fails and the others cannot be reached,
 * prints the reason and aborts the job.
 */
enum portolan_status job_execute(struct job *job, const struct workbench *w, int *result,
                                 struct portolan_error *err);

/* Options of a run. */
struct run_options {
    struct assembly_options assembly;
    bool fixed, quiet;
    int step_timeout_s;            /* --step-timeout; 0: none */
    const char *purpose;           /* --purpose, of those who store a trial for a choice; or NULL */
    const char *control, *signals; /* --control, --signal; or NULL */
    const char *explore;           /* --explore: "on", "off" or a share; or NULL */
};

/* Collective: starts to obey the control file and signals from the options or the environment. */
enum portolan_status run_listen(struct job *job, const struct run_options *o,
                                struct portolan_error *err);

/* The options of a run that an assembly does not have. */
extern const struct cli_option run_table[];

/* Collective: runs the assembly in a job that has begun, and ends it; returns the exit status. */
int run_assembly(struct job *job, struct run_options *o);

/*
 * For commands that only read results: opens an experiment store instead of an assembly, for what
 * it says about a program that has no file of its assembly, the one that --trial names or the
 * newest.
 */
enum portolan_status workbench_open_store(struct workbench *w, const struct assembly_options *o,
                                          struct portolan_error *err);

/* --select INSTANCE=CLASS. */
enum portolan_status apply_select(struct portolan_assembly *a, const char *text,
                                  struct portolan_error *err);
/* All of --select, --pin and --forbid. */
enum portolan_status apply_choices(struct portolan_assembly *a, const struct assembly_options *o,
                                   struct portolan_error *err);

/* Options for the plan. */
struct study_options {
    struct assembly_options assembly;
    bool any_machine;    /* --any-machine */
    const char *machine; /* --machine: a virtual one's file; or NULL */
    int ranks;           /* --ranks; 0: as many as were explored last */
};

/* Options of commands that choose or predict, including those of the assembly. */
extern const struct cli_option study_table[];

/* HERE: trials of other machines and builds do not count unless the options say so. */
enum portolan_status study_open(struct study *s, struct study_options *o, bool here,
                                struct portolan_error *err);
/* The same, but after a failure what could be opened stays so; the caller closes S. */
enum portolan_status study_open_partly(struct study *s, struct study_options *o, bool here,
                                       struct portolan_error *err);
/* Prints why there is no choice or prediction to standard error; returns the exit status. */
int study_cannot_tell(const struct study *s, const struct portolan_error *err);

/* Makes the text of a report on a plan; the caller frees it. */
typedef enum portolan_status study_report_fn(const struct portolan_plan *plan, char **text,
                                             struct portolan_error *err);

/* Opens the study and prints the REPORT on its plan; returns the exit status. */
int study_print(struct study_options *o, study_report_fn *report);
/* A whole command: reads the options, then does the same; AS_JSON with --json. */
int study_report(int argc, char **argv, const char *words, const char *doc, study_report_fn *report,
                 study_report_fn *as_json);

/* How a program that knows nothing of Portolan is started and recorded. */
struct recording {
    const char *launcher; /* words before those of the program; NULL: mpiexec … */
    int n_ranks;          /* … on so many ranks; 0: nothing */
    char **program;       /* ends with NULL */
    const char *folder;   /* of the streams; NULL: nothing is recorded */
    const char *window;   /* what is recorded, as in <portolan/record.h>; NULL: everything */
    const char *token;    /* a fact of the trial, PORTOLAN_EXPERIMENT; or NULL */
    bool records_itself;  /* the program is this one: nothing is preloaded */
};

/*
 * Runs the program and waits for it; its input and output are those of this process. *RESULT: its
 * exit status, or 128 and the signal that ended it. PORTOLAN_ENOTFOUND, PORTOLAN_EUNSUPPORTED: it
 * cannot be recorded; PORTOLAN_EINVAL: the window; PORTOLAN_ENOMEM.
 */
enum portolan_status record_program(const struct recording *r, int *result,
                                    struct portolan_error *err);
/* Checks that FOLDER is empty or does not exist, because files in it would be taken for those of a
 * run. PORTOLAN_EIO. */
enum portolan_status record_check_folder(const char *folder, struct portolan_error *err);
/* Returns whether no stream is in FOLDER: then the program is one that … */
bool record_is_empty(const char *folder);
#define RECORDS_NOTHING                                                                            \
    "made no call of MPI that is recorded (after MPI_Session_init none is), could not be "         \
    "started, or calls MPI by dlopen"

/* Writes TEXT to FILE, or to standard output when FILE is NULL; returns the exit status. */
int write_text(const char *file, const char *text);
/* Prints TEXT and frees it; if TEXT is NULL, prints ERR. */
int print_made(char *text, const struct portolan_error *err);

#endif
