/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line: one file per subcommand, all thin; what they share is here. */
#ifndef PORTOLAN_CLI_H
#define PORTOLAN_CLI_H

#include "arguments.h"

#include <portolan/assembly.h>
#include <portolan/framework.h>
#include <portolan/optimizer.h>
#include <portolan/store.h>

typedef int command_fn(int argc, char **argv); /* argv[0] is "portolan NAME" */

command_fn command_call, command_check, command_compare, command_control, command_convert,
    command_draw, command_export, command_import, command_link, command_llac, command_measure,
    command_model, command_obsp, command_optimize, command_veto, command_predict, command_profile,
    command_report, command_run, command_shell, command_trials, command_wrap;

/*
 * At the limit of a file's size what is written fails, which is told; the run goes on. By a handler
 * and no SIG_IGN, which programs that are started would inherit.
 */
void outlive_file_limits(void);

/*
 * Installs a receiver of log messages: rank 0 prints notices to stdout (unless QUIET), every rank
 * prints its warnings to stderr.
 */
void print_log(bool quiet, int rank);

/* RESULT, unless standard output could not be written whole: that must not pass for success. */
int close_output(int result);

/* Whether all ranks also print what is of interest only to who looks for a fault. */
void print_debug(bool on);

/*
 * The settings of the build that this program belongs to: NAME beside it, or INSTALLED, relative to
 * its folder. The caller frees *FILE.
 */
enum portolan_status find_settings(const char *name, const char *installed, char **file,
                                   struct portolan_error *err);

/* Options that all commands on an assembly share. */
struct assembly_options {
    const char *file;
    const struct portolan_program *program; /* holds the text and the classes; or NULL */
    const char *path;                       /* --path, more folders with component descriptions */
    const char *store;                      /* --store, in place of the Mastermind's parameter */
    const char *trial;                      /* --trial, where FILE is a store */
    size_t n_sets;
    const char **sets; /* --set INSTANCE.PARAMETER=VALUE or PARAMETER=VALUE */
    size_t n_selects;
    const char **selects; /* --select INSTANCE=CLASS */
    bool takes_cases;     /* --case may be given several times, and leaves only those */
    size_t n_cases;
    const char **cases; /* --case NAME */
    size_t n_contexts;
    const char **context_names; /* --context NAME=VALUE */
    double *contexts;
};

/*
 * Tables of struct assembly_options: the settings of an assembly; these with the file and where
 * components are; and all that with --trial.
 */
extern const struct cli_option settings_table[], assembly_table[], of_trials_table[];

/* An assembly with its palette, ready to be judged, drawn, run or predicted. */
struct workbench {
    struct portolan_palette *palette; /* NULL where the assembly is that of a wrapped program */
    struct portolan_assembly *assembly;
    const char *store; /* then: the file that tells of it */
};

/*
 * Reads and checks the assembly and applies --case, --set and --select. Problems are printed when
 * PRINT (SPMD: on rank 0 only, for every rank reads the same file). The lists in O are used up.
 */
enum portolan_status workbench_open(struct workbench *w, struct assembly_options *o, bool print,
                                    struct portolan_error *err);
void workbench_close(struct workbench *w);

/* The ranks of this run. */
struct job {
    struct portolan_cohort *cohort;
};

/*
 * Starts MPI and makes the cohort of the ranks, which must all have been given this COMMAND; prints
 * why not and returns the exit status, 0 when good. To be called before the options are read: a
 * rank that ends over a wrong one then takes the others with it.
 */
int job_begin(struct job *job, const char *command);
void job_end(struct job *job);

/*
 * Collective: one verdict of all ranks behind a go(); when one failed and the others cannot be
 * reached, prints why and aborts the job.
 */
enum portolan_status job_settle(struct job *job, enum portolan_status status,
                                struct portolan_error *err);

/*
 * Collective: all ranks get rank 0's *TEXT, *SIZE bytes and a NUL, for free(); NULL: it has none.
 * Or all get its failure, if STATUS is one there.
 */
enum portolan_status job_share(struct job *job, char **text, size_t *size,
                               enum portolan_status status, struct portolan_error *err);

/* Rank 0 prints ERR, on which all ranks agree; everybody ends MPI and gets EXIT_BAD_INPUT. */
int job_fail(struct job *job, const struct portolan_error *err);

/*
 * Collective: builds the workbench's assembly, lets it go, and takes it down. *RESULT is what go
 * returned. All ranks get the same status; when one fails and the others cannot be reached, it
 * prints why and aborts the job.
 */
enum portolan_status job_execute(struct job *job, const struct workbench *w, int *result,
                                 struct portolan_error *err);

/* Options of a run. */
struct run_options {
    struct assembly_options assembly;
    bool fixed, quiet;
    const char *control, *signals; /* --control, --signal; or NULL */
};

/* Collective: begins to obey the control file and signals that the options or the environment name.
 */
enum portolan_status run_listen(struct job *job, const struct run_options *o,
                                struct portolan_error *err);

/* What it has beside the assembly's. */
extern const struct cli_option run_table[];

/* Runs the assembly in a job that has begun, which it ends; returns the exit status. Collective. */
int run_assembly(struct job *job, struct run_options *o);

/* What `run` and `shell` share of Ccaffeine's scripts (<portolan/ccaffeine.h>). */
struct portolan_script;
struct portolan_interpreter;

struct script_options {
    const char *path; /* --path */
    bool quiet, keeps_going, allows_shell;
};

/* ESYNTAX: FILE should be a script. */
enum portolan_status script_refuse(const char *file, struct portolan_error *err);

/*
 * Collective: rank 0 reads FILE and says on standard error what is wrong with it; all ranks get the
 * same script, or NULL when FILE is none (and is not read any further).
 */
enum portolan_status script_share(struct job *job, const char *file, struct portolan_script **s,
                                  struct portolan_error *err);

/* Collective: an interpreter that prints on rank 0; JOB and O must outlive it. */
enum portolan_status script_open(struct job *job, const struct script_options *o,
                                 struct portolan_interpreter **in, struct portolan_error *err);

/*
 * Of an experiment store, which commands that only look take as well: what it tells of a wrapped
 * program, the one that --trial names or the newest.
 */
enum portolan_status workbench_open_store(struct workbench *w, const struct assembly_options *o,
                                          struct portolan_error *err);

/* --select INSTANCE=CLASS. */
enum portolan_status apply_select(struct portolan_assembly *a, const char *text,
                                  struct portolan_error *err);

/* The store's file name: the Mastermind's parameter or its default; NULL without a Mastermind. */
const char *workbench_peek_store(const struct workbench *w);

/*
 * Opens workbench, store and plan for a command that only looks: all that was stored of the
 * assembly's trials on as many ranks as its newest exploration.
 */
struct study {
    struct workbench w;
    struct portolan_sample_set *data;
    struct portolan_plan_options options;
    struct portolan_name_value *facts; /* of this machine, and of the newest build */
    char host[256], processor[256];
    bool was_read; /* of one that could not be opened: there were trials */
    struct portolan_plan *plan;
};

/* A trial ran with the parameters that the assembly has now (those of its sweep). */
bool trial_has_parameters(const struct portolan_trial *t, const struct portolan_assembly *a);

/* For whom the plan is made. */
struct study_options {
    struct assembly_options assembly;
    bool any_machine; /* --any-machine */
    int ranks;        /* --ranks; 0: as many as were explored last */
};

/* Of commands that choose or predict: these options and those of the assembly. */
extern const struct cli_option study_table[];

/* HERE: trials of other machines and builds do not count unless the options say so. */
enum portolan_status study_open(struct study *s, struct study_options *o, bool here,
                                struct portolan_error *err);
/* What could not be chosen or predicted, on standard error; the exit status. */
int study_cannot_tell(const struct study *s, const struct portolan_error *err);
void study_close(struct study *s);

/* Makes a text of a plan, which the caller frees. */
typedef enum portolan_status study_report_fn(const struct portolan_plan *plan, char **text,
                                             struct portolan_error *err);

/* Study and the REPORT of its plan on standard output; the exit status. */
int study_print(struct study_options *o, study_report_fn *report);
/* The same with the options: a whole command. */
int study_report(int argc, char **argv, const char *doc, study_report_fn *report);

/* Writes TEXT to FILE, or to standard output when FILE is NULL; returns the exit status. */
int write_text(const char *file, const char *text);
/* Prints TEXT and frees it; or ERR, where TEXT is NULL. */
int print_made(char *text, const struct portolan_error *err);

#endif
