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
    command_report, command_run, command_trace, command_trials, command_tune, command_watch,
    command_wrap;

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

/* The first two arguments of portolan_settings_find(), for the recorder that is preloaded. */
#define RECORDER_LIBRARY "../trace/preload/libportolan-trace.so", PORTOLAN_TRACE_LIBRARY

/*
 * Tables for struct assembly_options: the settings of an assembly; the same with the file and the
 * folders of components; and all this with --trial.
 */
extern const struct cli_option settings_table[], assembly_table[], of_trials_table[];

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

/* Prints mistakes in files, and names virtual machines. */
extern const struct study_means study_means;
/* Options of commands that choose or predict, including those of the assembly. */
extern const struct cli_option study_table[];

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

/* Prints the choice for an assembly, and, of a program, the command line; RUNS it, if asked. */
int optimize_assembly(struct study_options *o, bool runs);

/* Writes TEXT to FILE, or to standard output when FILE is NULL; returns the exit status. */
int write_text(const char *file, const char *text);
/* Prints TEXT and frees it; if TEXT is NULL, prints ERR. */
int print_made(char *text, const struct portolan_error *err);

#endif
