/* SPDX-License-Identifier: BSD-3-Clause */
/* The session of portolan.measure(): the library says which trials, Python runs each in a process
 * of its own. */
#include "module.h"

#include <portolan/machine.h>
#include <portolan/session.h>

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

/* Python's function returns None if the trial ended well, else why not. */
static enum portolan_status run_trial(void *arg, const struct portolan_measure_trial *trial,
                                      struct portolan_error *why, struct portolan_error *err)
{
    struct session *s = arg;
    PyObject *result = PyObject_CallFunction(s->run, "sd", trial->orders, trial->limit_s),
             *text = result && result != Py_None ? PyObject_Str(result) : NULL;
    const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;

    if (text)
        portolan_error_set(why, PORTOLAN_ECOMPONENT, "%s", bytes ? bytes : "the trial failed");
    Py_XDECREF(text);
    Py_XDECREF(result);
    return PyErr_Occurred() ? portolan_error_set(err, PORTOLAN_EINTERNAL, "interrupted")
                            : PORTOLAN_OK;
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
