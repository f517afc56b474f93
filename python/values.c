/* SPDX-License-Identifier: BSD-3-Clause */
/* Exceptions, and values of the libraries as those of Python. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

PyObject *module_error, *module_cannot_tell;

/* ------------------------------------------------------------------ errors */

static const char *status_name(enum portolan_status status)
{
    switch (status) {
#define CASE(name, number, text, cca)                                                              \
    case PORTOLAN_##name:                                                                          \
        return #name;
        PORTOLAN_STATUS_LIST(CASE)
#undef CASE
    }
    return "EINTERNAL";
}

static PyObject *raise_text(PyObject *class, const char *text, size_t length,
                            enum portolan_status status)
{
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
    PyObject *error = message ? PyObject_CallFunctionObjArgs(class, message, NULL) : NULL;
    PyObject *name = error ? PyUnicode_FromString(status_name(status)) : NULL;

    if (name && PyObject_SetAttrString(error, "status", name) == 0)
        PyErr_SetObject(class, error);
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_XDECREF(message);
    return NULL;
}

PyObject *module_raise_as(PyObject *class, const struct portolan_error *err)
{
    if (PyErr_Occurred()) /* what a callback raised says more */
        return NULL;
    if (err->status == PORTOLAN_ENOMEM)
        return PyErr_NoMemory();
    return raise_text(class, err->text, strlen(err->text), err->status);
}

PyObject *module_raise(const struct portolan_error *err)
{
    return module_raise_as(module_error, err);
}

static void add_problem(void *arg, const char *file, int line, int column, const char *text)
{
    struct portolan_text *t = arg;

    (void)column;
    portolan_text_add(t, "%s%s:%d: error: %s", t->length ? "\n" : "", file, line, text);
}

void module_problems_begin(struct module_problems *p)
{
    *p = (struct module_problems){.d = {.report = add_problem}};
    p->d.arg = &p->text;
}

PyObject *module_problems_raise(struct module_problems *p, const struct portolan_error *err)
{
    if (p->text.failed)
        PyErr_NoMemory();
    else if (p->text.length)
        raise_text(module_error, p->text.bytes, p->text.length, PORTOLAN_ESYNTAX);
    else
        module_raise(err);
    portolan_text_clear(&p->text);
    return NULL;
}

/* ------------------------------------------------------------------ values */

PyObject *module_text(const char *text)
{
    if (text)
        return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    Py_RETURN_NONE;
}

PyObject *module_take_text(char *text, const struct portolan_error *err)
{
    PyObject *made = text ? module_text(text) : module_raise(err);

    free(text);
    return made;
}

bool module_put(PyObject *dict, const char *name, PyObject *value)
{
    bool good = value && PyDict_SetItemString(dict, name, value) == 0;

    Py_XDECREF(value);
    return good;
}

PyObject *module_append(PyObject *list, PyObject *value)
{
    if (!value || PyList_Append(list, value) != 0)
        Py_CLEAR(list);
    Py_XDECREF(value);
    return list;
}

PyObject *module_pairs(const struct portolan_name_value *pairs, size_t n)
{
    PyObject *dict = PyDict_New();

    for (size_t i = 0; dict && i < n; i++)
        if (!module_put(dict, pairs[i].name, module_text(pairs[i].value))) {
            Py_DECREF(dict);
            return NULL;
        }
    return dict;
}

static PyObject *member_of(const struct module_member *m, const char *row)
{
    const void *at = row + m->offset;

    switch (m->kind) {
    case MEMBER_BOOL:
        return PyBool_FromLong(*(const bool *)at);
    case MEMBER_INT:
        return PyLong_FromLong(*(const int *)at);
    case MEMBER_INT64:
        return PyLong_FromLongLong(*(const int64_t *)at);
    case MEMBER_DOUBLE:
        return PyFloat_FromDouble(*(const double *)at);
    case MEMBER_TEXT:
        break;
    }
    return module_text(*(const char *const *)at);
}

bool module_add_rows(PyObject *table, const struct module_member *members, size_t n_members,
                     const void *rows, size_t n, size_t size)
{
    bool good = true;

    for (size_t k = 0; good && k < n_members; k++) {
        PyObject *list = PyDict_GetItemString(table, members[k].name); /* borrowed */

        if (!list) {
            good = module_put(table, members[k].name, PyList_New(0));
            list = PyDict_GetItemString(table, members[k].name);
        }
        Py_XINCREF(list);
        for (size_t i = 0; good && list && i < n; i++)
            list = module_append(list, member_of(&members[k], (const char *)rows + i * size));
        good = good && list;
        Py_XDECREF(list);
    }
    return good;
}

bool module_add_type(PyObject *module, const char *name, size_t size, unsigned int flags,
                     PyType_Slot *slots, PyObject **type)
{
    PyType_Spec spec = {name, (int)size, 0, Py_TPFLAGS_DEFAULT | flags, slots};
    PyObject *made = PyType_FromSpec(&spec);
    bool good = made && PyModule_AddObjectRef(module, strrchr(name, '.') + 1, made) == 0;

    if (good && type)
        *type = made;
    else
        Py_XDECREF(made);
    return good;
}

void module_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);

    PyObject_Free(self);
    Py_DECREF(type);
}
