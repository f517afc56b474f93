/* SPDX-License-Identifier: BSD-3-Clause */
/* The session of portolan.measure(): the library says which trials, Python runs each in a process
 * of its own. */
#include "module.h"

#include <portolan/machine.h>
#include <portolan/measure.h>
#include <portolan/report.h>
#include <portolan/settle.h>
#include <portolan/trials.h>

#include <stdlib.h>
#include <string.h>

struct session {
    struct workbench *w;
    const char *store;
    int ranks;
    struct portolan_sample_set *set; /* that was read last */
    PyObject *run, *say;
};

static enum portolan_status with_store(struct session *s, struct portolan_store **store,
                                       struct portolan_error *err)
{
    return portolan_store_open(s->store, PORTOLAN_STORE_WRITE, store, err);
}

static enum portolan_status read_trials(void *arg, bool with_samples,
                                        const struct portolan_sample_set **set,
                                        struct portolan_error *err)
{
    struct session *s = arg;
    struct portolan_store_query query = {
        .assembly = s->w->assembly->name, .purpose = s->w->assembly->purpose, .ranks = s->ranks};
    struct portolan_store *store;
    enum portolan_status status = with_store(s, &store, err);

    if (status)
        return status;
    portolan_sample_set_destroy(s->set);
    s->set = NULL;
    status = portolan_store_read(store, &query, with_samples, &s->set, err);
    portolan_store_close(store);
    if (!status)
        portolan_trials_keep_of_machine(s->set, NULL);
    *set = s->set;
    return status;
}

static enum portolan_status keep_model(void *arg, const struct portolan_stored_model *model,
                                       struct portolan_error *err)
{
    struct portolan_store *store;
    enum portolan_status status = with_store(arg, &store, err);

    if (!status)
        status = portolan_store_put_model(store, model, err);
    portolan_store_close(store);
    return status;
}

static bool has_parameters(void *arg, const struct portolan_trial *t)
{
    return portolan_trial_has_parameters(t, ((struct session *)arg)->w->assembly);
}

static bool has_port(void *arg, const char *class_name, const char *port)
{
    const struct session *s = arg;

    return portolan_class_uses(portolan_palette_find(s->w->palette, class_name), port);
}

static enum portolan_status apply_orders(void *arg, const char *orders, struct portolan_error *err)
{
    return workbench_obey(((struct session *)arg)->w, orders, err);
}

static void say(void *arg, const char *text)
{
    PyObject *done = PyObject_CallFunction(((struct session *)arg)->say, "s", text);

    if (!done)
        PyErr_WriteUnraisable(((struct session *)arg)->say);
    Py_XDECREF(done);
}

/* What Python's function says of the trial: None if it ended well, else why not. */
static enum portolan_status run_one(struct session *s, const struct portolan_measure_trial *trial,
                                    struct portolan_error *why)
{
    PyObject *result = PyObject_CallFunction(s->run, "sd", trial->orders, trial->limit_s),
             *text = NULL;
    enum portolan_status status = PORTOLAN_OK;

    if (!result)
        return PORTOLAN_ECOMPONENT;
    if (result != Py_None && (text = PyObject_Str(result)) != NULL) {
        const char *bytes = PyUnicode_AsUTF8AndSize(text, NULL);

        portolan_error_set(why, PORTOLAN_ECOMPONENT, "%s", bytes ? bytes : "the trial failed");
    }
    if (PyErr_Occurred())
        status = PORTOLAN_ECOMPONENT;
    Py_XDECREF(text);
    Py_DECREF(result);
    return status;
}

static enum portolan_status run_trial(void *arg, const struct portolan_measure_trial *trial,
                                      struct portolan_error *err)
{
    struct session *s = arg;
    struct portolan_store *store = NULL;
    struct portolan_error why = {0}, ignored = {0};
    enum portolan_status status = portolan_trial_expect(s->store, &store, err);

    if (!status && run_one(s, trial, &why)) { /* interrupted: nothing is known of the trial */
        PyObject *type, *value, *trace;

        PyErr_Fetch(&type, &value, &trace);
        portolan_trial_discard(store, s->w->assembly, &ignored);
        PyErr_Restore(type, value, trace);
        status = portolan_error_set(err, PORTOLAN_EINTERNAL, "interrupted");
    } else if (!status) {
        status = portolan_trial_settle(
            store, &(struct portolan_expected_trial){s->w->assembly, s->w->palette, s->ranks, NULL},
            why.status ? why.text : NULL, err);
    }
    portolan_store_close(store);
    return status;
}

PyObject *measure_function(PyObject *module, PyObject *args, PyObject *named)
{
    static char *names[] = {"assembly", "run",    "say",       "ranks",
                            "budget",   "repeat", "all_fixed", NULL};
    struct portolan_measure_options options = {.began_s = portolan_now_s(),
                                               .cohort = portolan_cohort_alone()};
    struct portolan_error err = {0};
    struct session s = {0};
    PyObject *assembly;
    enum portolan_status status;
    double budget_s;
    int repeat, all_fixed, n = 0;

    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, named, "OOOidip:measure", names, &assembly, &s.run,
                                     &s.say, &s.ranks, &budget_s, &repeat, &all_fixed))
        return NULL;
    s.w = assembly_peek(assembly);
    s.store = workbench_peek_store(s.w);
    if (!s.store || !*s.store || !strcmp(s.store, ":memory:")) {
        portolan_error_set(
            &err, PORTOLAN_ENOTFOUND,
            "'%s' has no Mastermind with a file as its store: nothing would be stored",
            s.w->assembly->file);
        return module_raise(&err);
    }
    options.plan = (struct portolan_plan_options){.ranks = s.ranks, .most_trials = repeat};
    options.budget_s = budget_s >= 0 ? budget_s : s.w->assembly->sweep_budget_s;
    if (options.budget_s <= 0 && budget_s < 0)
        options.budget_s = 1e9;
    options.all_fixed = all_fixed;
    s.w->assembly->purpose = all_fixed ? "fixed" : "explore";
    status = portolan_measure(s.w->assembly, &options,
                              &(struct portolan_measure_runner){&s, read_trials, has_parameters,
                                                                has_port, apply_orders, run_trial,
                                                                keep_model, say},
                              &n, &err);
    portolan_sample_set_destroy(s.set);
    return status || PyErr_Occurred() ? module_raise(&err) : PyLong_FromLong(n);
}
