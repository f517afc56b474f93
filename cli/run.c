/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs an assembly, from the options to the exit status: for `portolan run`, and for programs with
 * their assembly and components linked in. */
#include "cli.h"

#include <portolan/control.h>
#include <portolan/ending.h>
#include <portolan/mpi.h>
#include <portolan/program.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static error_t check_explore(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    double share;

    (void)to, (void)option;
    if (strcmp(arg, "on") != 0 && strcmp(arg, "off") != 0 &&
        !(portolan_read_double(arg, &share) && share >= 0 && share <= 1))
        argp_error(state, "--explore needs on, off or a share of the time, 0 to 1, not '%s'", arg);
    return 0;
}

/* What users of other launchers try. */
static error_t refuse_ranks(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    (void)to, (void)option;
    argp_error(state, "ranks are started by the launcher: mpiexec." PORTOLAN_MPI " -n %s %s …", arg,
               state->name);
    return EINVAL;
}

const struct cli_option run_table[] = {
    {"ranks", 'n', "N", "", .take = refuse_ranks, .is_hidden = true},
    {"control", 0, "FILE",
     "execute the commands in FILE whenever it is written (PORTOLAN_CONTROL; portolan-control(1))",
     INTO(struct run_options, control)},
    {"signal", 0, "NAME[:COMMAND],...",
     "react to signals: USR1 switches measuring off and on, USR2:dump writes TAU profiles "
     "(PORTOLAN_SIGNAL)",
     INTO(struct run_options, signals)},
    {"explore", 0, "on|off|SHARE",
     "let the Optimizer try alternatives during the run, or not, or with at most this share of the "
     "time",
     INTO(struct run_options, explore), .take = check_explore},
    {"fixed", 'f', NULL, "run the assembly as written, without swaps",
     INTO(struct run_options, fixed)},
    {"purpose", 0, "WORD", "with --fixed: purpose of the trial", INTO(struct run_options, purpose),
     .is_hidden = true},
    {"quiet", 'q', NULL, "print only errors and warnings", INTO(struct run_options, quiet)},
    {"step-timeout", 0, "SECONDS", "end the job, with exit status 4, if a step takes longer",
     INTO(struct run_options, step_timeout_s), .least = 1, .wanted = "a number of seconds"},
    {0},
};

enum portolan_status run_listen(struct job *job, const struct run_options *o,
                                struct portolan_error *err)
{
    const char *file = o->control ? o->control : getenv("PORTOLAN_CONTROL");
    const char *signals = o->signals ? o->signals : getenv("PORTOLAN_SIGNAL");
    bool has_file = file && *file, has_signals = signals && *signals;
    enum portolan_status status = PORTOLAN_OK;

    if (has_file || has_signals)
        status = portolan_control_listen(has_file ? file : NULL, has_signals ? signals : NULL, err);
    return portolan_cohort_agree(job->cohort, status, err);
}

/* Sets the Optimizer's parameters. */
static enum portolan_status set_exploring(struct workbench *w, const char *explore,
                                          struct portolan_error *err)
{
    bool is_share = strcmp(explore, "on") != 0 && strcmp(explore, "off") != 0;
    enum portolan_status status =
        workbench_set(w, "explore", strcmp(explore, "off") != 0 ? "true" : "false", err);

    return status == PORTOLAN_OK && is_share ? workbench_set(w, "explore.share", explore, err)
                                             : status;
}

/* How long the abort of a job that hangs may take. */
enum { ABORT_S = 5 };

/* In a signal handler, while the program may be anywhere: writes at once, to standard error. */
static void warn_of_step(void *arg, const struct portolan_ending *e)
{
    const struct job *job = arg;
    bool ends = !strcmp(e->how, "limit");
    char line[600];
    int n = snprintf(line, sizeof line, "rank %d: portolan: %s: step %d has taken %ld s%s",
                     job->cohort->rank, ends ? "error" : "warning", e->step, e->number,
                     ends ? ", the limit" : ", 100 times as long as the others");

    if (e->n && n > 0 && (size_t)n < sizeof line)
        n += snprintf(line + n, sizeof line - (size_t)n, ", in %.100s of %.100s [%.200s]",
                      e->inside[0].method, e->inside[0].instance, e->inside[0].class_name);
    n = n < (int)sizeof line ? n : (int)sizeof line - 1;
    line[n++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n) != n && !ends)
        return; /* it would not be read */
    if (!ends)
        return;
    signal(SIGALRM, SIG_DFL);
    alarm(ABORT_S);
    if (job->cohort->size > 1) /* the rank that hangs notes so itself, at about the same time */
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    wait_for_reader();
    portolan_mpi_abort(EXIT_STEP_TIMEOUT);
}

int run_assembly(struct job *job, struct run_options *o)
{
    struct portolan_error err = {0};
    struct workbench w;
    enum portolan_status status;
    int result = 0;

    print_log(o->quiet, job->cohort->rank);
    portolan_ending_watch(warn_of_step, job, PORTOLAN_ENDING_SLOW_S, o->step_timeout_s);
    status =
        workbench_open(&w, &o->assembly, job->cohort->rank == 0 ? print_diagnostic : NULL, &err);
    if (status == PORTOLAN_OK && o->explore)
        status = set_exploring(&w, o->explore, &err);
    status = portolan_cohort_agree(job->cohort, status, &err);
    if (status != PORTOLAN_OK || o->purpose || !workbench_is_diagnosed(&w))
        job_drop_recorder(job);
    if (status == PORTOLAN_OK)
        status = run_listen(job, o, &err);
    if (status != PORTOLAN_OK) {
        workbench_close(&w);
        return job_fail(job, &err);
    }
    if (o->fixed)
        w.assembly->purpose = o->purpose ? o->purpose : "fixed";
    status = job_execute(job, &w, &result, &err);
    workbench_close(&w);
    if (status != PORTOLAN_OK)
        return job_fail(job, &err);
    if (result != 0 && job->cohort->rank == 0)
        fprintf(stderr, "portolan: error: '%s': go returned %d\n", o->assembly.file, result);
    job_end(job);
    return result ? EXIT_BAD_INPUT : 0;
}

/* ------------------------------------------------------------------------------------- programs */

static error_t print_version(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    const struct run_options *o = to;

    (void)arg, (void)option, (void)state;
    printf("portolan %s: %s\n", portolan_version(), o->assembly.program->file);
    exit(0);
}

static error_t refuse_word(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    (void)to, (void)option;
    argp_error(state, "the assembly is part of this program; remove the argument '%s'", arg);
    return EINVAL;
}

int portolan_program_main(const struct portolan_program *program, int argc, char **argv)
{
    static const struct cli_option options[] = {
        {.key = CLI_WORD, .take = refuse_word},
        {.kind = CLI_TABLE, .table = run_table},
        TABLE_OF(settings_table, struct run_options, assembly),
        {"version", 'V', NULL, "print the version of Portolan and the assembly's name",
         .take = print_version, .group = -1},
        {0},
    };
    static const struct cli_line line = {
        .doc = "Run the assembly that is linked into this program: mpiexec." PORTOLAN_MPI
               " -n RANKS PROGRAM",
        .options = options,
    };
    struct run_options o = {.assembly.program = program};
    struct portolan_arena arena = {0};
    struct portolan_error err = {0};
    const char *self;
    struct job job;
    int result;

    argp_err_exit_status = EXIT_USAGE;
    outlive_file_limits();
    if (job_begin(&job, program->file))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    /* Parameters name files relative to the assembly, which is taken to be next to the program. */
    self = portolan_program_file(&arena);
    o.assembly.file = portolan_file_beside(&arena, self ? self : "", program->file);
    if (!o.assembly.file) {
        portolan_no_memory(&err);
        return job_fail(&job, &err);
    }
    result = close_output(run_assembly(&job, &o));
    portolan_arena_clear(&arena);
    return result;
}
