/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the trials that the choice needs: rank 0 asks the plan which trial comes next and runs it in
 * a job of its own, on as many ranks as it was started on, whose Mastermind stores it. With
 * --all-fixed every assembly is run once, as an oracle.
 */
#include "measure.h"

#include <portolan/machine.h>
#include <portolan/models.h>
#include <portolan/optimizer.h>
#include <portolan/progress.h>
#include <portolan/report.h>
#include <portolan/store.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trial may take this many times as long as the best of its case, but at least so many seconds.
 */
static const double limit_of_best = 10, least_limit_s = 10;

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
    {"launcher", 'l', "COMMAND",
     "start the ranks of each trial with COMMAND instead of mpiexec." PORTOLAN_MPI " -n N",
     INTO(struct measure_options, launcher)},
    {"machine", 'm', "FILE",
     "run on the virtual machine that this file describes, portolan-machine(5)",
     INTO(struct measure_options, machine)},
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

int measure_ranks(const struct measurement *m)
{
    return m->virtual.file ? m->virtual.n_ranks : m->n_ranks;
}

double measure_spent_s(const struct measurement *m)
{
    return portolan_now_s() - m->began_s;
}

void measure_say(const struct measurement *m, const char *text)
{
    if (!m->quiet && m->job->cohort->rank == 0) {
        portolan_progress_hide();
        printf("measure: %s\n", text);
        fflush(stdout);
    }
}

static enum portolan_status apply_orders(struct portolan_assembly *a, char *text,
                                         struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    char *rest = text, *line;

    while (status == PORTOLAN_OK && (line = strtok_r(rest, "\n", &rest))) {
        char *verb = strtok_r(line, " ", &line);
        char *instance = strtok_r(line, " ", &line);

        if (!strcmp(verb, "select")) {
            status = portolan_assembly_select(a, instance, line, err);
        } else {
            char *parameter = strtok_r(line, " ", &line);

            status = portolan_assembly_set(a, instance, parameter, line, err);
        }
    }
    return status;
}

enum portolan_status measure_take_orders(struct portolan_text *t, struct orders *o,
                                         struct portolan_error *err)
{
    o->size = t->length;
    return portolan_text_take(t, &o->text, err);
}

static enum portolan_status write_orders(const struct portolan_next_trial *next, struct orders *o,
                                         struct portolan_error *err)
{
    struct portolan_text t = {0};

    for (size_t i = 0; i < next->n_selection; i++)
        portolan_text_add(&t, "select %s %s\n", next->selection[i].name, next->selection[i].value);
    for (size_t i = 0; i < next->n_parameters; i++)
        portolan_text_add(&t, "set %s %s %s\n", next->parameters[i].instance,
                          next->parameters[i].parameter, next->parameters[i].value);
    return measure_take_orders(&t, o, err);
}

enum portolan_status measure_read_trials(const struct measurement *m, bool with_samples,
                                         struct portolan_sample_set **set,
                                         struct portolan_error *err)
{
    struct portolan_store_query query = {.assembly = m->w->assembly->name,
                                         .purpose = m->w->assembly->purpose,
                                         .ranks = measure_ranks(m)};
    struct portolan_store *store;
    enum portolan_status status = portolan_store_open(m->store, PORTOLAN_STORE_WRITE, &store, err);

    if (status != PORTOLAN_OK)
        return status;
    status = portolan_store_read(store, &query, with_samples, set, err);
    portolan_store_close(store);
    if (!status)
        trials_keep_those_of(*set, m->virtual.name);
    return status;
}

static void tell_end(const struct measurement *m, const struct portolan_next_trial *next)
{
    double spent = measure_spent_s(m);
    char text[512];

    portolan_progress_done("trials");
    for (size_t i = 0; i < next->n_notes; i++)
        measure_say(m, next->notes[i]);
    if (next->summary[0])
        measure_say(m, next->summary);
    if (m->trials && spent > m->budget_s) {
        snprintf(text, sizeof text, "the budget of %.3g s is exceeded by %.2g s: %s", m->budget_s,
                 spent - m->budget_s,
                 m->trials == 1 ? "the duration of the first trial was not known"
                                : "trials took longer than expected");
        measure_say(m, text);
    }
    snprintf(text, sizeof text,
             m->trials || next->unaffordable
                 ? "done: %d trials in %.1f s"
                 : "nothing to do: the stored trials suffice (%d new trials, %.1f s)",
             m->trials, spent);
    measure_say(m, text);
}

static void tell_next(const struct measurement *m, const struct portolan_next_trial *next)
{
    char text[512];

    snprintf(text, sizeof text, "%3zu of %zu  %s", next->done + 1, next->done + next->left,
             next->purpose);
    measure_say(m, text);
    portolan_progress("trials", next->done, next->done + next->left, true);
}

/* Fits the measurements and stores the core's models for other readers of the store. */
static enum portolan_status keep_models(const struct measurement *m,
                                        const struct portolan_sample_set *set,
                                        struct portolan_error *err)
{
    const struct portolan_plan_model *models;
    struct portolan_store *store = NULL;
    struct portolan_plan *plan = NULL;
    const struct portolan_plan_options options = {
        .ranks = measure_ranks(m), .n_facts = m->virtual.file != NULL, .facts = &m->fact};
    size_t n = 0;
    enum portolan_status status = portolan_plan_create(m->w->assembly, set, &options, &plan, err);

    if (status == PORTOLAN_ENOTFOUND) { /* if nothing works there are no models */
        *err = (struct portolan_error){0};
        return PORTOLAN_OK;
    }
    if (status == PORTOLAN_OK)
        status = portolan_store_open(m->store, PORTOLAN_STORE_WRITE, &store, err);
    if (status == PORTOLAN_OK && !m->virtual.file) /* the store's models are of this machine */
        n = portolan_plan_peek_models(plan, &models);
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++) {
        struct portolan_stored_model stored = {.assembly = m->w->assembly->name,
                                               .instance = models[i].instance,
                                               .implementation = models[i].implementation,
                                               .method = models[i].method,
                                               .scope = models[i].scope,
                                               .quantity = models[i].quantity};
        char *xml = NULL;

        if (!models[i].core || models[i].file)
            continue;
        status = portolan_model_write_xml(models[i].model, &xml, err);
        stored.xml = xml;
        if (status == PORTOLAN_OK)
            status = portolan_store_put_model(store, &stored, err);
        free(xml);
    }
    portolan_store_close(store);
    portolan_plan_destroy(plan);
    return status;
}

/* Notes the cost of a trial beyond its own time: building, storing, reading, finding the next. */
static void note_overhead(struct measurement *m, const struct portolan_sample_set *set)
{
    double now = portolan_now_s();

    if (m->trials && set->n_trials)
        m->overhead_s = fmax(m->overhead_s,
                             now - m->ordered_s - 1e-9 * set->trials[set->n_trials - 1].elapsed_ns);
    m->ordered_s = now;
}

static enum portolan_status next_exploration_orders(struct measurement *m, struct orders *o,
                                                    struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    struct portolan_next_trial *next = NULL;
    const struct portolan_plan_options options = {.ranks = measure_ranks(m),
                                                  .most_trials = m->most_trials,
                                                  .n_facts = m->virtual.file != NULL,
                                                  .facts = &m->fact};
    enum portolan_status status = measure_read_trials(m, true, &set, err);

    if (status == PORTOLAN_OK) {
        note_overhead(m, set);
        status =
            portolan_plan_next_trial(m->w->assembly, set, &options,
                                     m->budget_s - measure_spent_s(m) - m->overhead_s, &next, err);
    }
    if (status == PORTOLAN_OK && !next->finished) {
        tell_next(m, next);
        status = write_orders(next, o, err);
    } else if (status == PORTOLAN_OK) {
        status = m->trials > 0 ? keep_models(m, set, err) : PORTOLAN_OK;
        tell_end(m, next);
    }
    portolan_next_trial_destroy(next);
    portolan_sample_set_destroy(set);
    return status;
}

/* ------------------------------------------------------------------ running */

/*
 * How long the next trial may take, in seconds: what the sweep says; else ten times the best with
 * these parameters, to which the start of its processes is added; 0, no limit, if there is none.
 */
static enum portolan_status set_limit(struct measurement *m, struct portolan_error *err)
{
    const struct portolan_assembly *a = m->w->assembly;
    struct portolan_sample_set *set = NULL;
    enum portolan_status status = PORTOLAN_OK;
    double best_s = INFINITY;

    m->trial_job.limit_s = a->sweep_timeout_s;
    if (a->sweep_timeout_s > 0 || (status = measure_read_trials(m, false, &set, err)))
        return status;
    for (size_t i = 0; i < set->n_trials; i++)
        if (!strcmp(set->trials[i].outcome, "finished") &&
            portolan_trial_has_parameters(&set->trials[i], a))
            best_s = fmin(best_s, 1e-9 * set->trials[i].elapsed_ns);
    if (isfinite(best_s))
        m->trial_job.limit_s = fmax(least_limit_s, limit_of_best * best_s) + m->overhead_s;
    portolan_sample_set_destroy(set);
    return PORTOLAN_OK;
}

/* The user, or the batch system, ends the session: so does the trial, of which nothing is known. */
static void end_session(struct measurement *m, struct portolan_store *store, int number)
{
    struct portolan_error err = {0};
    char text[128];

    if (trial_discard(store, m->w, &err))
        print_error(&err);
    snprintf(text, sizeof text, "%s: %d trials were stored before; the same command continues",
             strsignal(number), m->trials);
    measure_say(m, text);
    portolan_store_close(store);
    virtual_trials_close(&m->virtual);
    signal(number, SIG_DFL);
    raise(number);
}

/* *WHY gets the reason if it did not end well; other failures are the command's. */
static enum portolan_status run_apart(struct measurement *m, struct portolan_store *store,
                                      const char *orders, struct portolan_error *why,
                                      struct portolan_error *err)
{
    int told = 0;
    enum portolan_status status = set_limit(m, err);

    if (status)
        return status;
    status = trial_job_run(&m->trial_job, orders, &told, why);
    if (told)
        end_session(m, store, told);
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

    if (!job_execute(m->job, m->w, &result, why) && result != 0)
        portolan_error_set(why, PORTOLAN_ECOMPONENT, "go returned %d", result);
}

/* Collective. PORTOLAN_ECOMPONENT: it failed, with the reason, and is stored as failed. */
static enum portolan_status run_trial(struct measurement *m, const char *orders,
                                      struct portolan_error *err)
{
    struct portolan_cohort *c = m->job->cohort;
    struct portolan_store *store = NULL;
    struct portolan_error why = {0};
    enum portolan_status status =
        portolan_cohort_agree(c, c->rank ? PORTOLAN_OK : trial_expect(m->store, &store, err), err);

    if (!status && m->is_together)
        run_together(m, &why);
    else if (!status)
        status = run_apart(m, store, orders, &why, err);
    m->trials++;
    if (!status && c->rank == 0)
        status = trial_settle(store, m->w, measure_ranks(m), m->virtual.name,
                              why.status ? why.text : NULL, err);
    portolan_store_close(store);
    return portolan_cohort_agree(c, status, err);
}

/* Whether there are trials of the assembly, and none ended well. */
static bool has_failed(const struct measurement *m)
{
    struct portolan_sample_set *set = NULL;
    bool failed;

    if (measure_read_trials(m, false, &set, NULL))
        return false;
    failed = set->n_trials > 0;
    for (size_t i = 0; i < set->n_trials && failed; i++)
        failed = strcmp(set->trials[i].outcome, "finished") != 0;
    portolan_sample_set_destroy(set);
    return failed;
}

/* Collective: the orders of the next trial, in two copies, the second applied; NULL: the end. */
static enum portolan_status next_orders(struct measurement *m, const char *failed, char **orders,
                                        struct portolan_error *err)
{
    struct orders o = {0};
    enum portolan_status status = m->job->cohort->rank == 0 ? m->next(m, &o, err) : PORTOLAN_OK;

    *orders = NULL;
    status = portolan_cohort_share(m->job->cohort, &o.text, &o.size, status, err);
    if (!status && o.text && failed && !strcmp(failed, o.text))
        status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "a trial failed twice");
    if (!status && o.text && !(*orders = portolan_strdup(o.text)))
        status = portolan_no_memory(err);
    if (!status && o.text)
        status = apply_orders(m->w->assembly, o.text, err);
    free(o.text);
    return status;
}

/* Runs trials until M->next gives no more orders. */
static enum portolan_status run_orders(struct measurement *m, struct portolan_error *err)
{
    char *failed = NULL, *orders; /* the orders of the last trial if it failed; of this one */
    char text[1100];
    enum portolan_status status;

    while (!(status = next_orders(m, failed, &orders, err)) && orders) {
        free(failed);
        failed = NULL;
        status = run_trial(m, orders, err);
        if (status == PORTOLAN_ECOMPONENT) { /* the plan leaves it out */
            snprintf(text, sizeof text, "failed: %s", err->text);
            measure_say(m, text);
            *err = (struct portolan_error){0};
            status = PORTOLAN_OK;
            failed = orders;
            orders = NULL;
        }
        free(orders);
        if (status)
            break;
    }
    free(failed);
    if (status == PORTOLAN_OK && m->job->cohort->rank == 0 && has_failed(m))
        status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "every trial failed");
    return portolan_cohort_agree(m->job->cohort, status, err);
}

static enum portolan_status measure(struct measurement *m, const struct measure_options *o,
                                    struct portolan_error *err)
{
    struct portolan_assembly *a = m->w->assembly;

    m->store = workbench_peek_store(m->w);
    if (!m->store || !m->store[0] || !strcmp(m->store, ":memory:"))
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "'%s' has no Mastermind with a file as its store: nothing would be stored",
            o->assembly.file);
    m->budget_s = o->budget_s >= 0 ? o->budget_s : a->sweep_budget_s;
    if (m->budget_s <= 0 && o->budget_s < 0)
        m->budget_s = 1e9;
    m->next = o->all_fixed ? measure_next_fixed : next_exploration_orders;
    a->purpose = o->all_fixed ? "fixed" : "explore";
    m->trial_job.purpose = a->purpose;
    m->trial_job.store = m->store;
    return run_orders(m, err);
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
    struct workbench w = {0};
    struct job job;
    struct measurement m = {.job = &job, .w = &w, .began_s = portolan_now_s()};
    struct portolan_machine_reading before;
    bool goes_on = true;
    enum portolan_status status;

    portolan_machine_read(&before);
    if (job_begin(&job, "measure"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    job_drop_recorder(&job);
    m.quiet = o.quiet;
    m.most_trials = o.repeat;
    m.n_ranks = job.cohort->size;
    print_log(true, job.cohort->rank);
    status = o.machine || measure_word_trials(&m, &o) ? PORTOLAN_OK : portolan_no_memory(&err);
    if (!status)
        status = workbench_open(&w, &o.assembly, job.cohort->rank == 0, &err);
    status = portolan_cohort_agree(job.cohort, status, &err);
    if (status == PORTOLAN_OK)
        status = measure_begin(&m, &o, &before, &goes_on, &err);
    if (status == PORTOLAN_OK && goes_on)
        status = measure(&m, &o, &err);
    virtual_trials_close(&m.virtual);
    workbench_close(&w);
    portolan_arena_clear(&m.arena);
    if (status != PORTOLAN_OK)
        return job_fail(&job, &err);
    job_end(&job);
    return 0;
}
