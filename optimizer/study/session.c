/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session of measurements asks for, from the store and the palette of an assembly. */
#include <portolan/session.h>

#include "parallel.h"

#include <portolan/options.h>
#include <portolan/settle.h>
#include <portolan/store.h>
#include <portolan/trials.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The store's trials with this assembly, purpose, machine and number of ranks. */
static enum portolan_status read_trials(void *arg, bool with_samples,
                                        const struct portolan_sample_set **set,
                                        struct portolan_error *err)
{
    struct measure_session *s = arg;
    struct portolan_store_query query = {
        .assembly = s->w->assembly->name, .purpose = s->w->assembly->purpose, .ranks = s->ranks};
    struct portolan_store *store;
    enum portolan_status status = portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &store, err);

    if (status != PORTOLAN_OK)
        return status;
    portolan_sample_set_destroy(s->set);
    s->set = NULL;
    status = portolan_store_read(store, &query, with_samples, &s->set, err);
    portolan_store_close(store);
    if (!status)
        portolan_trials_keep_of_machine(s->set, s->machine);
    *set = s->set;
    if (!status && s->parallel > 1 && !(*set = parallel_show(s)))
        return portolan_no_memory(err);
    return status || !s->w->assembly->program ? status
                                              : tune_offer_measured(s->w->assembly, s->set, err);
}

static enum portolan_status keep_model(void *arg, const struct portolan_stored_model *model,
                                       struct portolan_error *err)
{
    const struct measure_session *s = arg;
    struct portolan_store *store;
    enum portolan_status status = portolan_store_open(s->store, PORTOLAN_STORE_WRITE, &store, err);

    if (status == PORTOLAN_OK)
        status = portolan_store_put_model(store, model, err);
    portolan_store_close(store);
    return status;
}

static bool has_parameters(void *arg, const struct portolan_trial *t)
{
    const struct portolan_assembly *a = ((struct measure_session *)arg)->w->assembly;

    return a->program ? tune_has_parameters(a, t) : portolan_trial_has_parameters(t, a);
}

static bool has_port(void *arg, const char *class_name, const char *port)
{
    const struct measure_session *s = arg;

    return portolan_class_uses(portolan_palette_find(s->w->palette, class_name), port);
}

static enum portolan_status apply_orders(void *arg, const char *orders, struct portolan_error *err)
{
    return workbench_obey(((struct measure_session *)arg)->w, orders, err);
}

/* Collective: a trial of components, which the caller runs. If it cannot say how the trial ended,
 * nothing of it is kept. */
static enum portolan_status run_components(void *arg, const struct portolan_measure_trial *trial,
                                           struct portolan_error *err)
{
    struct measure_session *s = arg;
    struct portolan_cohort *c = s->cohort;
    struct portolan_store *store = NULL;
    struct portolan_error why = {0}, left = {0};
    enum portolan_status status = portolan_cohort_agree(
        c, c->rank ? PORTOLAN_OK : portolan_trial_expect(s->store, &store, err), err);

    if (!status && (status = s->run(s, trial, &why, err)) && store) {
        if (portolan_trial_discard(store, s->w->assembly, &left))
            portolan_log(PORTOLAN_LOG_WARNING, "measure", "%s", left.text);
    } else if (!status && c->rank == 0)
        status = portolan_trial_settle(
            store,
            &(struct portolan_expected_trial){s->w->assembly, s->w->palette, s->ranks, s->machine},
            why.status ? why.text : NULL, err);
    portolan_store_close(store);
    return status;
}

/* ------------------------------------------------------------------ programs with options */

static enum portolan_status offer(void *arg, const char *changes_of, bool *is_race, bool *grew,
                                  struct portolan_error *err)
{
    return tune_offer(((struct measure_session *)arg)->w->assembly, changes_of, is_race, grew, err);
}

static enum portolan_status draw(void *arg, bool *grew, struct portolan_error *err)
{
    return tune_draw(((struct measure_session *)arg)->w->assembly, grew, err);
}

static enum portolan_status run_program(void *arg, const struct portolan_measure_trial *trial,
                                        struct portolan_error *err)
{
    struct measure_session *s = arg;
    const char *changed = s->program.changed;
    enum portolan_status status;
    char text[512];

    if (s->parallel > 1)
        return (!trial->number && !s->set->n_trials ? parallel_judge
                                                    : parallel_start)(s, trial->limit_s, err);
    status = tune_run_trial(&s->program, trial->limit_s, &s->signal_number, err);
    if (s->signal_number)
        return portolan_error_set(err, PORTOLAN_EFOREIGN, "told to end");
    if (s->program.changed != changed) {
        snprintf(
            text, sizeof text,
            "the trial changed '%.100s', which its command names: if it reads it, trials differ; "
            "give each a copy of its own by <file> or --file NAME=%.100s",
            s->program.changed, s->program.changed);
        s->say(s, text);
    }
    return status;
}

static bool wait_for_one(void *arg)
{
    return parallel_wait(arg);
}

/* Prepares what differs for programs. */
static enum portolan_status begin_program(struct measure_session *s,
                                          struct portolan_measure_options *options,
                                          struct portolan_measure_runner *runner,
                                          struct portolan_error *err)
{
    struct portolan_assembly *a = s->w->assembly;
    enum portolan_status status =
        tune_open(&s->program, a, s->launcher, s->mpiexec ? s->mpiexec : "mpiexec", err);

    s->ranks = a->program->ranks;
    options->factor = options->factor > 0 ? options->factor : 3;
    options->plan.n_facts = 1;
    options->plan.facts = &s->program.build;
    runner->run = run_program;
    runner->offer = offer;
    runner->draw = draw;
    runner->wait = s->parallel > 1 ? wait_for_one : NULL;
    s->read = read_trials;
    return status || !options->all_fixed ? status : portolan_options_offer_all(a, err);
}

static void list_reasons(struct measure_session *s)
{
    struct portolan_text t = {0};

    tune_list_failures(s->w->assembly, s->set, &t);
    portolan_text_take(&t, &s->reasons, NULL);
}

enum portolan_status measure_session_run(struct measure_session *s,
                                         struct portolan_measure_options options, int *n_trials,
                                         struct portolan_error *err)
{
    struct portolan_assembly *a = s->w->assembly;
    struct portolan_measure_runner runner = {
        .arg = s,
        .read = read_trials,
        .has_parameters = has_parameters,
        .has_port = has_port,
        .apply = apply_orders,
        .run = run_components,
        .keep = s->machine ? NULL : keep_model, /* stored models are of this machine */
        .say = s->say,
    };
    enum portolan_status status = PORTOLAN_OK;

    s->store = workbench_peek_store(s->w);
    s->cohort = options.cohort;
    if (!s->store || !s->store[0] || !strcmp(s->store, ":memory:"))
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "'%s' has no Mastermind with a file as its store: nothing would be stored", a->file);
    if (options.budget_s < 0)
        options.budget_s = a->sweep_budget_s > 0 ? a->sweep_budget_s : INFINITY;
    a->purpose = options.all_fixed ? "fixed" : "explore";
    if (a->program)
        status = begin_program(s, &options, &runner, err);
    else
        options.factor = 0;
    options.plan.ranks = s->ranks;
    if (!status)
        status = portolan_measure(a, &options, &runner, n_trials, err);
    if (a->program && status == PORTOLAN_ECOMPONENT && s->set)
        list_reasons(s);
    while (parallel_wait(s))
        ;
    free(s->shown.trials);
    tune_close(&s->program);
    portolan_sample_set_destroy(s->set);
    s->set = NULL;
    return status;
}
