/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the trials that the choice needs (portolan_measure()): rank 0 runs each in a job of its own,
 * on as many ranks as it was started on, whose Mastermind stores it.
 */
#include "measure.h"

#include <portolan/machine.h>
#include <portolan/progress.h>
#include <portolan/settle.h>
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

void measure_say(const struct measurement *m, const char *text)
{
    if (!m->quiet && m->job->cohort->rank == 0) {
        portolan_progress_hide();
        printf("measure: %s\n", text);
        fflush(stdout);
    }
}

static void say(void *arg, const char *text)
{
    measure_say(arg, text);
}

/* ------------------------------------------------------------------ running */

/* The user, or the batch system, ends the session: so does the trial, of which nothing is known. */
static void end_session(struct measurement *m, struct portolan_store *store, int before, int number)
{
    struct portolan_error err = {0};
    char text[128];

    if (store && portolan_trial_discard(store, m->session.w->assembly, &err))
        print_error(&err);
    snprintf(text, sizeof text, "%s: %d trials were stored before; the same command continues",
             strsignal(number), before);
    measure_say(m, text);
    portolan_store_close(store);
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

/* *WHY gets the reason if it did not end well; other failures are the command's. */
static enum portolan_status run_apart(struct measurement *m, struct portolan_store *store,
                                      const struct portolan_measure_trial *trial,
                                      struct portolan_error *why, struct portolan_error *err)
{
    const struct portolan_supervision how = {
        .limit_s = trial->limit_s, .is_silent = m->virtual.file != NULL, .line = print_line};
    struct portolan_arena arena = {0};
    struct portolan_words words = {0};
    int number = 0;
    enum portolan_status status = measure_word_trial(m, trial->orders, &arena, &words)
                                      ? portolan_supervise(&arena, &words, &how, &number, why)
                                      : portolan_no_memory(why);

    portolan_arena_clear(&arena);
    if (number)
        end_session(m, store, trial->number, number);
    if (status && status != PORTOLAN_EFOREIGN) {
        *err = *why;
        return status;
    }
    return PORTOLAN_OK;
}

/* Collective, in these processes. */
static void run_together(struct measurement *m, struct portolan_error *why)
{
    int result = 0;

    if (!job_execute(m->job, m->session.w, &result, why) && result != 0)
        portolan_error_set(why, PORTOLAN_ECOMPONENT, "go returned %d", result);
}

static enum portolan_status run_trial(void *arg, const struct portolan_measure_trial *trial,
                                      struct portolan_error *err)
{
    struct measurement *m = arg;
    struct portolan_cohort *c = m->job->cohort;
    struct portolan_store *store = NULL;
    struct portolan_error why = {0};
    enum portolan_status status = portolan_cohort_agree(
        c, c->rank ? PORTOLAN_OK : portolan_trial_expect(m->session.store, &store, err), err);

    if (!status && m->is_together)
        run_together(m, &why);
    else if (!status)
        status = run_apart(m, store, trial, &why, err);
    if (!status && c->rank == 0)
        status = portolan_trial_settle(
            store,
            &(struct portolan_expected_trial){m->session.w->assembly, m->session.w->palette,
                                              m->session.ranks, m->virtual.name},
            why.status ? why.text : NULL, err);
    portolan_store_close(store);
    return status;
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
        end_session(m, NULL, n_trials - 1, m->session.signal_number);
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
    status = o->machine || measure_word_trials(&m, o) ? PORTOLAN_OK : portolan_no_memory(err);
    if (!status)
        status = workbench_open(&w, &o->assembly, report, err);
    status = portolan_cohort_agree(job->cohort, status, err);
    if (status == PORTOLAN_OK)
        status = measure_begin(&m, o, &before, &goes_on, err);
    if (status == PORTOLAN_OK && goes_on)
        status = measure(&m, o, err);
    virtual_trials_close(&m.virtual);
    workbench_close(&w);
    portolan_arena_clear(&m.arena);
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
