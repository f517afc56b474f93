/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the trials that the choice needs: rank 0 asks the plan which trial comes next, all ranks run
 * it, and the Mastermind stores it. With --all-fixed every assembly is run once, as an oracle.
 */
#include "virtual_trials.h"

#include <portolan/machine.h>
#include <portolan/models.h>
#include <portolan/optimizer.h>
#include <portolan/progress.h>
#include <portolan/report.h>
#include <portolan/store.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Settings of one trial, as lines "select INSTANCE CLASS" and "set INSTANCE PARAMETER VALUE". */
struct orders {
    char *text; /* NULL: nothing is left to do */
    size_t size;
};

/* One measurement session; only rank 0 reads the store. */
struct measurement {
    struct job *job;
    struct workbench *w;
    const char *store;
    struct virtual_trials virtual;   /* `file` NULL: trials run here */
    struct portolan_name_value fact; /* of the trials that count there */
    bool quiet;
    double began_s, budget_s; /* start on the monotonic clock; limit for the whole session */
    double ordered_s;         /* when the last trial was started */
    double overhead_s;        /* the largest cost of a trial in addition to its own time */
    int most_trials;          /* per setting; 0: the plan decides */
    int trials, failed;
    size_t combination; /* the next fixed assembly to look at */
    /* Rank 0: the settings of the next trial; none when all is measured. */
    enum portolan_status (*next)(struct measurement *m, struct orders *o,
                                 struct portolan_error *err);
};

struct measure_options {
    struct assembly_options assembly;
    double budget_s; /* < 0: the assembly's */
    int repeat, n;
    const char *machine;
    bool all_fixed, quiet;
};

static error_t check_given(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    const struct measure_options *o = to;

    (void)arg, (void)option;
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

static int ranks_of(const struct measurement *m)
{
    return m->virtual.file ? m->virtual.n_ranks : m->job->cohort->size;
}

/* Time since the command started, including its set-up. */
static double spent_s(const struct measurement *m)
{
    return portolan_now_s() - m->began_s;
}

/* Rank 0 prints a line, unless the session is quiet. */
static void say(const struct measurement *m, const char *text)
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

static enum portolan_status take_orders(struct portolan_text *t, struct orders *o,
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
    return take_orders(&t, o, err);
}

/* The store's trials with this assembly, purpose and number of ranks. */
static enum portolan_status read_trials(const struct measurement *m, bool with_samples,
                                        struct portolan_sample_set **set,
                                        struct portolan_error *err)
{
    struct portolan_store_query query = {
        .assembly = m->w->assembly->name, .purpose = m->w->assembly->purpose, .ranks = ranks_of(m)};
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
    double spent = spent_s(m);
    char text[512];

    portolan_progress_done("trials");
    for (size_t i = 0; i < next->n_notes; i++)
        say(m, next->notes[i]);
    if (next->summary[0])
        say(m, next->summary);
    if (m->trials && spent > m->budget_s) {
        snprintf(text, sizeof text, "the budget of %.3g s is exceeded by %.2g s: %s", m->budget_s,
                 spent - m->budget_s,
                 m->trials == 1 ? "the duration of the first trial was not known"
                                : "trials took longer than expected");
        say(m, text);
    }
    snprintf(text, sizeof text,
             m->trials || next->unaffordable
                 ? "done: %d trials in %.1f s"
                 : "nothing to do: the stored trials suffice (%d new trials, %.1f s)",
             m->trials, spent);
    say(m, text);
}

static void tell_next(const struct measurement *m, const struct portolan_next_trial *next)
{
    char text[512];

    snprintf(text, sizeof text, "%3zu of %zu  %s", next->done + 1, next->done + next->left,
             next->purpose);
    say(m, text);
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
        .ranks = ranks_of(m), .n_facts = m->virtual.file != NULL, .facts = &m->fact};
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
    const struct portolan_plan_options options = {.ranks = ranks_of(m),
                                                  .most_trials = m->most_trials,
                                                  .n_facts = m->virtual.file != NULL,
                                                  .facts = &m->fact};
    enum portolan_status status = read_trials(m, true, &set, err);

    if (status == PORTOLAN_OK) {
        note_overhead(m, set);
        status = portolan_plan_next_trial(m->w->assembly, set, &options,
                                          m->budget_s - spent_s(m) - m->overhead_s, &next, err);
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

/* ------------------------------------------------------------------ fixed assemblies */

/* Selects combination number N of the alternatives; false when there are fewer. */
static bool select_combination(struct portolan_assembly *a, size_t n)
{
    for (size_t i = 0; i < a->n_instances; i++) {
        struct portolan_assembly_instance *instance = &a->instances[i];

        instance->selected = n % instance->n_alternatives;
        n /= instance->n_alternatives;
    }
    return n == 0;
}

static size_t count_combinations(const struct portolan_assembly *a)
{
    size_t n = 1;

    for (size_t i = 0; i < a->n_instances; i++)
        n *= a->instances[i].n_alternatives;
    return n;
}

/* Whether a selected class has the uses port that is connected to the instance. */
static bool is_used(const struct workbench *w, const char *instance)
{
    const struct portolan_assembly *a = w->assembly;
    bool has_users = false;

    for (size_t i = 0; i < a->n_connections; i++) {
        const struct portolan_assembly_connection *c = &a->connections[i];
        const struct portolan_assembly_instance *user;

        if (strcmp(c->provider, instance))
            continue;
        has_users = true;
        user = portolan_assembly_peek_instance(a, c->user);
        if (portolan_class_uses(
                portolan_palette_find(w->palette, user->alternatives[user->selected].class_name),
                c->uses))
            return true;
    }
    return !has_users;
}

/* An instance that nobody uses makes no difference, so only its class as written is run. */
static bool is_distinct(const struct workbench *w)
{
    const struct portolan_assembly *a = w->assembly;

    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].selected > 0 && !is_used(w, a->instances[i].name))
            return false;
    return true;
}

static bool trial_has_selection(const struct portolan_trial *t, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < t->n_implementations; i++) {
        const struct portolan_assembly_instance *instance =
            portolan_assembly_peek_instance(a, t->implementations[i].name);

        if (!instance || strcmp(instance->alternatives[instance->selected].class_name,
                                t->implementations[i].value))
            return false;
    }
    return true;
}

static bool is_measured(const struct portolan_sample_set *set, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < set->n_trials; i++)
        if (!strcmp(set->trials[i].outcome, "finished") &&
            portolan_trial_has_parameters(&set->trials[i], a) &&
            trial_has_selection(&set->trials[i], a))
            return true;
    return false;
}

static enum portolan_status write_selection(const struct measurement *m, struct orders *o,
                                            struct portolan_error *err)
{
    const struct portolan_assembly *a = m->w->assembly;
    struct portolan_text t = {0};
    char told[512] = "";

    for (size_t i = 0; i < a->n_instances; i++) {
        const struct portolan_assembly_instance *instance = &a->instances[i];
        const char *name = instance->alternatives[instance->selected].class_name;
        size_t used = strlen(told);

        if (instance->n_alternatives < 2)
            continue;
        portolan_text_add(&t, "select %s %s\n", instance->name, name);
        if (is_used(m->w, instance->name))
            snprintf(told + used, sizeof told - used, " %s=%s", instance->name, name);
    }
    say(m, told + (told[0] == ' '));
    portolan_progress("assemblies", m->combination - 1, count_combinations(a), true);
    return take_orders(&t, o, err);
}

/* For --all-fixed: runs every combination of alternatives once, as the oracle of a choice. */
static enum portolan_status next_fixed_orders(struct measurement *m, struct orders *o,
                                              struct portolan_error *err)
{
    struct portolan_sample_set *set = NULL;
    enum portolan_status status = read_trials(m, false, &set, err);
    char text[128];
    bool found = false;

    if (status != PORTOLAN_OK)
        return status;
    while (!found && select_combination(m->w->assembly, m->combination)) {
        m->combination++;
        found = is_distinct(m->w) && !is_measured(set, m->w->assembly);
    }
    portolan_sample_set_destroy(set);
    if (found)
        return write_selection(m, o, err);
    portolan_progress_done("assemblies");
    snprintf(text, sizeof text,
             m->trials ? "done: %d fixed assemblies in %.1f s"
                       : "nothing to do: every fixed assembly is in the store (%d new, %.1f s)",
             m->trials, spent_s(m));
    say(m, text);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ running */

static enum portolan_status run_trial(struct measurement *m, const char *orders,
                                      struct portolan_error *err)
{
    int result = 0;
    enum portolan_status status = m->virtual.file
                                      ? virtual_trials_run(&m->virtual, m->w->assembly->purpose,
                                                           m->store, orders, err)
                                      : job_execute(m->job, m->w, &result, err);

    if (status == PORTOLAN_OK && result != 0)
        status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "go returned %d", result);
    m->trials++;
    return status;
}

/* Runs trials until M->next gives no more orders. */
static enum portolan_status run_orders(struct measurement *m, struct portolan_error *err)
{
    char *failed = NULL; /* the orders of the last trial that failed */
    enum portolan_status status;
    bool more;

    do {
        struct orders o = {0};
        char *orders = NULL;

        status = m->job->cohort->rank == 0 ? m->next(m, &o, err) : PORTOLAN_OK;
        status = portolan_cohort_share(m->job->cohort, &o.text, &o.size, status, err);
        more = status == PORTOLAN_OK && o.text;
        if (more && failed && !strcmp(failed, o.text)) {
            status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "a trial failed twice");
            more = false;
        }
        if (more && !(orders = portolan_strdup(o.text)))
            status = portolan_no_memory(err);
        if (more && status == PORTOLAN_OK)
            status = apply_orders(m->w->assembly, o.text, err);
        free(o.text);
        free(failed);
        failed = NULL;
        if (more && status == PORTOLAN_OK && run_trial(m, orders, err) != PORTOLAN_OK) {
            say(m, err->text); /* it is stored as failed; the plan leaves it out */
            *err = (struct portolan_error){0};
            m->failed++;
            failed = orders;
            orders = NULL;
        }
        free(orders);
    } while (more && status == PORTOLAN_OK);
    free(failed);
    if (status == PORTOLAN_OK && m->failed > 0 && m->failed == m->trials)
        status = portolan_error_set(err, PORTOLAN_ECOMPONENT, "every trial failed");
    return status;
}

/* ------------------------------------------------------------------ the machine */

/* Shortest observation. */
static const double look_s = 0.25;

static void tell_machine(const struct measurement *m, const struct portolan_machine_verdict *v)
{
    double mhz = portolan_machine_frequency_mhz();
    char text[400], name[80], clock[32] = "";

    portolan_machine_processor(name, sizeof name);
    if (mhz > 0)
        snprintf(clock, sizeof clock, ", %.2f GHz", 1e-3 * mhz);
    snprintf(text, sizeof text, "%d core%s (%s), idle %.0f %%, steal %.1f %%%s: %s%s", v->cores,
             v->cores == 1 ? "" : "s", name, fmax(0, 100 - v->others_percent - v->steal_percent),
             v->steal_percent, clock,
             v->is_disturbed    ? v->reason
             : v->others > 0.25 ? "other processes leave enough cores"
                                : "quiet",
             v->is_disturbed ? "; expect disturbed times" : "");
    say(m, text);
}

/* Collective: reports who used the cores since BEFORE. While rank 0 sleeps, the others wait. */
static enum portolan_status look_at_machine(struct measurement *m,
                                            struct portolan_machine_reading *before,
                                            struct portolan_error *err)
{
    struct portolan_cohort *c = m->job->cohort;
    double missing_s = c->rank == 0 && !m->quiet ? look_s - spent_s(m) : 0;
    struct timespec pause = {.tv_nsec = missing_s > 0 ? (long)(1e9 * missing_s) : 0};
    struct portolan_machine_reading now;
    struct portolan_machine_verdict verdict;
    size_t *sizes = portolan_calloc((size_t)c->size, sizeof *sizes);
    void *all = NULL;
    enum portolan_status status;

    nanosleep(&pause, NULL);
    status = portolan_cohort_agree(c, sizes ? PORTOLAN_OK : PORTOLAN_ENOMEM, err);
    portolan_machine_read(&now);
    portolan_machine_subtract(before, &now);
    if (status == PORTOLAN_OK)
        status = c->gather(c, before, sizeof *before, &all, sizes);
    if (status == PORTOLAN_OK && c->rank == 0) {
        portolan_machine_judge(all, (size_t)c->size, &verdict);
        tell_machine(m, &verdict);
    }
    free(all);
    free(sizes);
    return status;
}

/* Links what is to run elsewhere, or looks at this machine. */
static enum portolan_status prepare(struct measurement *m, const struct measure_options *o,
                                    struct portolan_machine_reading *before,
                                    struct portolan_error *err)
{
    enum portolan_status status;

    if (!o->machine)
        return look_at_machine(m, before, err);
    if (m->job->cohort->size > 1)
        return portolan_error_set(
            err, PORTOLAN_EINVAL,
            "measure --machine runs its ranks itself; start it without mpiexec");
    m->virtual.file = o->machine;
    m->virtual.n_ranks = o->n ? o->n : 1;
    status = virtual_trials_open(&m->virtual, m->w, o->assembly.file, err);
    m->fact = (struct portolan_name_value){PORTOLAN_STORE_VIRTUAL, m->virtual.name};
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
    struct workbench w;
    struct job job;
    struct measurement m = {.job = &job, .w = &w, .began_s = portolan_now_s()};
    struct portolan_machine_reading before;
    enum portolan_status status;

    portolan_machine_read(&before);
    if (job_begin(&job, "measure"))
        return EXIT_BAD_INPUT;
    parse_line(&line, argc, argv, 0, &o);
    job_drop_recorder(&job);
    m.quiet = o.quiet;
    m.most_trials = o.repeat;
    print_log(true, job.cohort->rank);
    status = workbench_open(&w, &o.assembly, job.cohort->rank == 0, &err);
    status = portolan_cohort_agree(job.cohort, status, &err);
    if (status == PORTOLAN_OK)
        status = prepare(&m, &o, &before, &err);
    if (status == PORTOLAN_OK) {
        m.store = workbench_peek_store(&w);
        m.budget_s = o.budget_s >= 0 ? o.budget_s : w.assembly->sweep_budget_s;
        if (m.budget_s <= 0 && o.budget_s < 0)
            m.budget_s = 1e9;
        m.next = o.all_fixed ? next_fixed_orders : next_exploration_orders;
        w.assembly->purpose = o.all_fixed ? "fixed" : "explore";
        if (m.store && m.store[0] && strcmp(m.store, ":memory:"))
            status = run_orders(&m, &err);
        else
            status = portolan_error_set(
                &err, PORTOLAN_ENOTFOUND,
                "'%s' has no Mastermind with a file as its store: nothing would be stored",
                o.assembly.file);
    }
    virtual_trials_close(&m.virtual);
    workbench_close(&w);
    if (status != PORTOLAN_OK)
        return job_fail(&job, &err);
    job_end(&job);
    return 0;
}
