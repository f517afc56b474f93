/* SPDX-License-Identifier: BSD-3-Clause */
/* Exceptions of SIDL as exceptions of Python. */
#include "sidl_module.h"

#include <string.h>

/* The class for the nearest known type of the exception: its own, or one of its parents. */
static PyObject *class_of(const struct sidl_type *type)
{
    PyObject *class = object_class_of(type->name, strlen(type->name));

    if (class && PyObject_HasAttrString(class, "__sidl_exception__"))
        return class;
    for (size_t i = 0; i < type->n_parents && !PyErr_Occurred(); i++)
        if ((class = class_of(type->parents[i])) != module_error)
            return class;
    return module_error;
}

/* Portolan's own trace follows the message. */
static bool join_trace(PyObject *error, const char *trace)
{
    PyObject *done = trace && *trace ? PyObject_CallMethod(error, "add_note", "s", trace) : NULL;
    bool good = done || !trace || !*trace;

    Py_XDECREF(done);
    return good;
}

static bool describe(PyObject *error, void *reference, const char *note, const char *trace)
{
    PyObject *text = module_text(note ? note : ""), *lines = module_text(trace ? trace : ""),
             *object;
    bool good = text && lines && PyObject_SetAttrString(error, "note", text) == 0 &&
                PyObject_SetAttrString(error, "trace", lines) == 0 && join_trace(error, trace);

    Py_XDECREF(text);
    Py_XDECREF(lines);
    sidl_reference_add(reference, NULL);
    object = object_wrap(reference, NULL, 0);
    good = good && object && PyObject_SetAttrString(error, "sidl", object) == 0;
    Py_XDECREF(object);
    return good;
}

PyObject *exception_raise(sidl_BaseInterface ex)
{
    sidl_BaseInterface failed = NULL;
    sidl_BaseException e = sidl_BaseException__cast(ex, &failed);
    const struct sidl_object *object = sidl_reference_peek(ex);
    char *note = e ? sidl_BaseException_getNote(e, &failed) : NULL;
    char *trace = e && !failed ? sidl_BaseException_getTrace(e, &failed) : NULL;
    PyObject *class = class_of(object->facets[0].type);
    PyObject *error =
        PyObject_CallFunction(class, "s", note && *note ? note : sidl_reference_class_name(ex));

    if (error && describe(error, ex, note, trace))
        PyErr_SetObject(class, error);
    Py_XDECREF(error);
    sidl_String_free(note);
    sidl_String_free(trace);
    if (e)
        sidl_BaseException_deleteRef(e, &failed);
    sidl_reference_delete(ex, NULL);
    if (failed)
        sidl_reference_delete(failed, NULL);
    return NULL;
}
