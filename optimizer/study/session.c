/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session of measurements asks for, from the store and the palette of an assembly. */
#include <portolan/session.h>

#include <portolan/store.h>
#include <portolan/trials.h>

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
    return status;
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
    return portolan_trial_has_parameters(t, ((struct measure_session *)arg)->w->assembly);
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

enum portolan_status measure_session_run(struct measure_session *s,
                                         struct portolan_measure_options options, int *n_trials,
                                         struct portolan_error *err)
{
    struct portolan_assembly *a = s->w->assembly;
    const struct portolan_measure_runner runner = {
        .arg = s,
        .read = read_trials,
        .has_parameters = has_parameters,
        .has_port = has_port,
        .apply = apply_orders,
        .run = s->run,
        .keep = s->machine ? NULL : keep_model, /* stored models are of this machine */
        .say = s->say,
    };
    enum portolan_status status;

    s->store = workbench_peek_store(s->w);
    if (!s->store || !s->store[0] || !strcmp(s->store, ":memory:"))
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND,
            "'%s' has no Mastermind with a file as its store: nothing would be stored", a->file);
    if (options.budget_s < 0)
        options.budget_s = a->sweep_budget_s > 0 ? a->sweep_budget_s : 1e9;
    options.plan.ranks = s->ranks;
    a->purpose = options.all_fixed ? "fixed" : "explore";
    status = portolan_measure(a, &options, &runner, n_trials, err);
    portolan_sample_set_destroy(s->set);
    s->set = NULL;
    return status;
}
