/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the trials that the choice needs (portolan_measure()): rank 0 runs each in a job of its own,
 * on as many ranks as it was started on, whose Mastermind stores it.
 */
#include "measure.h"

#include <portolan/cores.h>
#include <portolan/progress.h>
#include <portolan/store.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static error_t check_given(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    const struct measure_options *o = to;

    (void)arg, (void)option;
    if (o->launcher && !o->launcher[strspn(o->launcher, " ")])
        argp_error(state, "--launcher is empty; name a command, as in --launcher 'srun -n 4'");
    if (o->n && !o->machine)
        argp_error(state,
                   "-n counts the ranks of a --machine; ranks here: mpiexec -n %d portolan measure "
                   "...; runs of each setting: --repeat %d",
                   o->n, o->n);
    return 0;
}

static const struct cli_option options[] = {
    {"all-fixed", 'a', NULL,
     "run every assembly that the alternatives allow, with the parameters as written",
     INTO(struct measure_options, all_fixed)},
    {"budget", 'b', "SECONDS", "stop exploring after this time",
     INTO(struct measure_options, budget_s), .most = HUGE_VAL, .wanted = "a number of seconds"},
    {"factor", 0, "NUMBER",
     "for a program: stop a trial that takes this many times as long as the best (default: 3)",
     INTO(struct measure_options, factor), .least = 1.01, .wanted = "a number above 1"},
    {"launcher", 'l', "COMMAND",
     "start the ranks of each trial with COMMAND instead of mpiexec." PORTOLAN_MPI " -n N",
     INTO(struct measure_options, launcher)},
    {"machine", 'm', "FILE",
     "run on the virtual machine that this file describes, portolan-machine(5)",
     INTO(struct measure_options, machine)},
    {"parallel", 0, "N", "for a program: run so many trials side by side (default: 1)",
     INTO(struct measure_options, parallel), .least = 1, .most = MOST_PARALLEL,
     .wanted = "a number from 1 to 64"},
    {"ranks", 'n', "N", "with --machine: run on N ranks (default: 1)",
     INTO(struct measure_options, n), .least = 1, .wanted = "a whole number, at least 1"},
    {"repeat", 0, "NUMBER", "run each setting at most this many times (default: 10)",
     INTO(struct measure_options, repeat), .least = 1, .most = 1000,
     .wanted = "a number from 1 to 1000"},
    {"quiet", 'q', NULL, "print only errors and warnings", INTO(struct measure_options, quiet)},
    {.key = CLI_END, .take = check_given},
    TABLE_OF(assembly_table, struct measure_options, assembly),
    {0},
};

static void say(void *arg, const char *text)
{
    const struct measurement *m = arg;

    if (!m->quiet && m->job->cohort->rank == 0) {
        portolan_progress_hide();
        printf("measure: %s\n", text);
        fflush(stdout);
    }
}

/* ------------------------------------------------------------------ beginning */

/* Collective: reports who used the cores since BEFORE. */
static enum portolan_status look_at_machine(struct measurement *m,
                                            struct portolan_machine_reading *before, int *n_hosts,
                                            struct portolan_error *err)
{
    struct portolan_machine_verdict verdict;
    struct portolan_text text = {0};
    enum portolan_status status =
        cores_look(m->job->cohort, before, m->quiet, &verdict, n_hosts, err);

    if (status || m->job->cohort->rank)
        return status;
    cores_describe(&verdict, &text);
    if (text.bytes)
        say(m, text.bytes);
    portolan_text_clear(&text);
    return PORTOLAN_OK;
}

/*
 * Collective: from here on rank 0 is alone and without MPI, since launchers do not start jobs below
 * a rank; *GOES_ON is false on the others. On several hosts all ranks stay: how processes are
 * started there is not known.
 */
static enum portolan_status leave_job(struct measurement *m, const struct measure_options *o,
                                      double hosts, bool *goes_on, struct portolan_error *err)
{
    enum portolan_status status = m->job->cohort->max(m->job->cohort, &hosts, 1);
    char text[256];

    m->is_together = hosts > 1 && !o->launcher;
    *goes_on = true;
    if (status)
        return status;
    if (m->is_together) {
        snprintf(text, sizeof text,
                 "the ranks are on %.0f hosts: trials run in these processes, and one that crashes "
                 "ends all; --launcher COMMAND starts each in processes of its own",
                 hosts);
        say(m, text);
        return PORTOLAN_OK;
    }
    if ((status = cores_join(m->job->cohort, err)))
        return status;
    *goes_on = job_leave_mpi(m->job);
    return PORTOLAN_OK;
}

/*
 * Collective: separates the ranks from their job so that rank 0 can start trials: *GOES_ON is false
 * on the others. Or links what is to run on a virtual machine.
 */
static enum portolan_status begin(struct measurement *m, const struct measure_options *o,
                                  struct portolan_machine_reading *before, bool *goes_on,
                                  struct portolan_error *err)
{
    const struct portolan_assembly *a = m->session.w->assembly;
    enum portolan_status status;
    int n_hosts = 1;

    if (a->program && (o->machine || m->n_ranks > 1))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  o->machine
                                      ? "--machine is for assemblies of components"
                                      : "the trials of a program start its ranks: state them "
                                        "as ranks=\"%d\", and start this without mpiexec",
                                  m->n_ranks);
    if (!o->machine) {
        status = look_at_machine(m, before, &n_hosts, err);
        return status ? status : leave_job(m, o, n_hosts, goes_on, err);
    }
    if (m->n_ranks > 1)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "measure --machine runs its ranks itself; start it without mpiexec");
    m->virtual.file = o->machine;
    m->virtual.n_ranks = o->n ? o->n : 1;
    status = virtual_trials_open(&m->virtual, m->session.w, o->assembly.file, err);
    m->fact = (struct portolan_name_value){PORTOLAN_STORE_VIRTUAL, m->virtual.name};
    if (!status)
        status = trial_command_virtual(&m->command, o->machine, m->virtual.n_ranks,
                                       m->virtual.program, err);
    return status;
}

/* ------------------------------------------------------------------ running */

/* The user, or the batch system, ends the session. */
static void end_session(struct measurement *m, int n_stored)
{
    int number = m->session.signal_number;
    char text[128];

    snprintf(text, sizeof text, "%s: %d trials were stored before; the same command continues",
             strsignal(number), n_stored);
    say(m, text);
    virtual_trials_close(&m->virtual);
    signal(number, SIG_DFL);
    raise(number);
}

/* Prints a line that a trial writes. */
static void print_line(void *arg, bool is_error, const char *text)
{
    (void)arg;
    portolan_progress_hide();
    fprintf(is_error ? stderr : stdout, "%s\n", text);
    fflush(stdout);
}

static enum portolan_status run_trial(void *arg, const struct portolan_measure_trial *trial,
                                      struct portolan_error *why, struct portolan_error *err)
{
    struct measurement *m = arg;
    int result = 0;

    if (!m->is_together)
        return trial_command_run(&m->command, &m->session, trial, why, err);
    if (!job_execute(m->job, m->session.w, &result, why) && result != 0)
        portolan_error_set(why, PORTOLAN_ECOMPONENT, "go returned %d", result);
    return PORTOLAN_OK;
}

static enum portolan_status measure(struct measurement *m, const struct measure_options *o,
                                    struct portolan_error *err)
{
    const struct portolan_measure_options options = {
        .plan = {.most_trials = o->repeat, .n_facts = m->virtual.file != NULL, .facts = &m->fact},
        .cohort = m->job->cohort,
        .began_s = m->began_s,
        .budget_s = o->budget_s,
        .all_fixed = o->all_fixed,
        .factor = o->factor,
    };
    enum portolan_status status;
    int n_trials;

    m->session.ranks = m->virtual.file ? m->virtual.n_ranks : m->n_ranks;
    m->session.machine = m->virtual.name;
    m->session.launcher = o->launcher;
    m->session.mpiexec = MPIEXEC;
    m->session.parallel = o->parallel;
    status = measure_session_run(&m->session, options, &n_trials, err);
    if (m->session.signal_number)
        end_session(m, n_trials - 1);
    portolan_progress_hide();
    fputs(m->session.reasons ? m->session.reasons : "", stderr);
    free(m->session.reasons);
    return status;
}

enum portolan_status measure_all(struct job *job, struct measure_options *o,
                                 struct portolan_error *err)
{
    struct workbench w = {0};
    struct measurement m = {.session = {.w = &w, .run = run_trial, .say = say},
                            .command.line = print_line,
                            .job = job,
                            .quiet = o->quiet,
                            .n_ranks = job->cohort->size,
                            .began_s = portolan_now_s()};
    workbench_report_fn *report = job->cohort->rank == 0 ? print_diagnostic : NULL;
    struct portolan_machine_reading before;
    bool goes_on = true;
    enum portolan_status status;

    portolan_machine_read(&before);
    job_drop_recorder(job);
    print_log(true, job->cohort->rank);
    status = o->machine ? PORTOLAN_OK
                        : trial_command_here(&m.command, &o->assembly, o->launcher, MPIEXEC,
                                             m.n_ranks, err);
    if (!status)
        status = workbench_open(&w, &o->assembly, report, err);
    status = portolan_cohort_agree(job->cohort, status, err);
    if (status == PORTOLAN_OK)
        status = begin(&m, o, &before, &goes_on, err);
    if (status == PORTOLAN_OK && goes_on)
        status = measure(&m, o, err);
    virtual_trials_close(&m.virtual);
    workbench_close(&w);
    trial_command_clear(&m.command);
    return status;
}

int command_measure(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml",
        .doc = "Run the alternatives of an assembly over its sweep, and store the measurements.",
        .options = options,
    };
    struct measure_options o = {.assembly.takes_cases = true, .budget_s = -1};
    struct portolan_error err = {0};
    struct job job;

    if (job_begin(&job, "measure"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    if (measure_all(&job, &o, &err) != PORTOLAN_OK)
        return job_fail(&job, &err);
    job_end(&job);
    return 0;
}
