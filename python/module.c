/* SPDX-License-Identifier: BSD-3-Clause */
/* The module, and the log. */
#include "sidl_module.h"

#include <portolan/framework.h>

/* ------------------------------------------------------------------ the log */

static PyObject *logger; /* called with the level, the area and the text */

static void log_message(void *arg, enum portolan_log_level level, const char *area,
                        const char *text)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *type, *value, *trace, *done;

    (void)arg;
    PyErr_Fetch(&type, &value, &trace); /* an exception may be on its way */
    done = logger ? PyObject_CallFunction(logger, "iss", (int)level, area, text) : NULL;
    if (!done && logger)
        PyErr_WriteUnraisable(logger);
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(lock);
}

static PyObject *set_logger(PyObject *module, PyObject *function)
{
    Py_XDECREF(logger);
    logger = NULL;
    if (function != Py_None) {
        Py_INCREF(function);
        logger = function;
    }
    portolan_log_set_handler(logger ? log_message : NULL, NULL);
    Py_RETURN_NONE;
}

static PyObject *end(PyObject *module, PyObject *none)
{
    Py_BEGIN_ALLOW_THREADS;
    ranks_end();
    Py_END_ALLOW_THREADS;
    return set_logger(module, Py_None);
}

/* ------------------------------------------------------------------ the module */

static bool add_errors(PyObject *module)
{
    module_error = PyErr_NewExceptionWithDoc(
        "portolan.Error", "What Portolan's libraries say is wrong; `status` is its short name.",
        NULL, NULL);
    module_cannot_tell = module_error
                             ? PyErr_NewExceptionWithDoc("portolan.CannotTell",
                                                         "The measurements do not allow an answer.",
                                                         module_error, NULL)
                             : NULL;
    return module_cannot_tell && PyModule_AddObjectRef(module, "Error", module_error) == 0 &&
           PyModule_AddObjectRef(module, "CannotTell", module_cannot_tell) == 0;
}

PyMODINIT_FUNC PyInit__portolan(void)
{
    static PyMethodDef functions[] = {
        {"measure", measure_function, METH_VARARGS, "Runs the trials that a choice needs."},
        {"component", component_function, METH_VARARGS, "A class of Python as a component."},
        {"set_logger", set_logger, METH_O, "Who receives messages."},
        {"end", end, METH_NOARGS, "Ends MPI, before the process ends."},
        {0},
    };
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_portolan",
                                            .m_size = -1, .m_methods = functions};
    PyObject *module = PyModule_Create(&definition);

    if (module && add_errors(module) && block_add(module) && store_add(module) &&
        assembly_add(module) && model_add(module) && plan_add(module) && framework_add(module) &&
        sidl_add(module) &&
        PyModule_AddStringConstant(module, "__version__", portolan_version()) == 0 &&
        PyModule_AddStringConstant(module, "MPI", PORTOLAN_MPI) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
