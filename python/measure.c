/* SPDX-License-Identifier: BSD-3-Clause */
/* The session of portolan.measure(): the library says which trials, Python runs each in a process
 * of its own. */
#include "module.h"

#include <portolan/machine.h>
#include <portolan/session.h>
#include <portolan/settle.h>

struct session {
    struct measure_session session;
    PyObject *run, *say;
};

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
    enum portolan_status status = portolan_trial_expect(s->session.store, &store, err);

    if (!status && run_one(s, trial, &why)) { /* interrupted: nothing is known of the trial */
        PyObject *type, *value, *trace;

        PyErr_Fetch(&type, &value, &trace);
        portolan_trial_discard(store, s->session.w->assembly, &ignored);
        PyErr_Restore(type, value, trace);
        status = portolan_error_set(err, PORTOLAN_EINTERNAL, "interrupted");
    } else if (!status) {
        status = portolan_trial_settle(store,
                                       &(struct portolan_expected_trial){s->session.w->assembly,
                                                                         s->session.w->palette,
                                                                         s->session.ranks, NULL},
                                       why.status ? why.text : NULL, err);
    }
    portolan_store_close(store);
    return status;
}

/* measure(assembly, run, say, ranks, budget, repeat, all_fixed): how many trials were run. */
PyObject *measure_function(PyObject *module, PyObject *args)
{
    struct portolan_measure_options options = {.began_s = portolan_now_s(),
                                               .cohort = portolan_cohort_alone()};
    struct session s = {.session = {.run = run_trial, .say = say}};
    struct portolan_error err = {0};
    PyObject *assembly;
    int all_fixed, n = 0;

    if (!PyArg_ParseTuple(args, "OOOidip:measure", &assembly, &s.run, &s.say, &s.session.ranks,
                          &options.budget_s, &options.plan.most_trials, &all_fixed))
        return NULL;
    s.session.w = assembly_peek(assembly);
    options.all_fixed = all_fixed;
    return measure_session_run(&s.session, options, &n, &err) || PyErr_Occurred()
               ? module_raise(&err)
               : PyLong_FromLong(n);
}
