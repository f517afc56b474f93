/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Methods of SIDL as methods of Python. A function of C is told the object, but not which method
 * was called: one function for each name of a method is. Tables of them are made at run time.
 */
#include "sidl_module.h"

#include <stdlib.h>
#include <string.h>

void method_clear(struct method *m)
{
    free(m->parameters);
    free((char *)m->name);
    *m = (struct method){0};
}

bool method_prepare(struct method *m, const struct sidl_callee *callee, const char *name)
{
    const char *at = callee->signature->text;
    size_t n = callee->signature->n_arguments;

    *m = (struct method){.callee = *callee, .n_arguments = n};
    m->name = portolan_asprintf("%s.%s", callee->type->name, name);
    m->parameters = portolan_calloc(n + 1, sizeof *m->parameters);
    if (!m->name || !m->parameters)
        return PyErr_NoMemory();
    if (n > METHOD_ARGUMENTS) {
        PyErr_Format(module_error, "%s has %zu arguments; Python can call with %d", m->name, n,
                     METHOD_ARGUMENTS);
        return false;
    }
    for (size_t i = 0; i <= n && sidl_signature_next(&at, &m->parameters[i]); i++) {
        const struct sidl_parameter *p = &m->parameters[i];

        m->n_in += i && p->mode != '>';
        m->n_out += i ? p->mode != ' ' : p->kind != 'v';
    }
    return true;
}

/* ------------------------------------------------------------------ calls */

/* The result, or a tuple of it and what out and inout arguments have. Takes all of them. */
static PyObject *wrap_all(const struct method *m, union sidl_value *values, struct kept *kept)
{
    PyObject *made = m->n_out > 1 ? PyTuple_New((Py_ssize_t)m->n_out) : NULL, *one = NULL;
    bool good = made || m->n_out < 2;
    Py_ssize_t at = 0;

    for (size_t i = 0; i <= m->n_arguments; i++) {
        const struct sidl_parameter *p = &m->parameters[i];

        if (i ? p->mode == ' ' : p->kind == 'v')
            continue;
        if (!good) {
            value_discard(p, &values[i]);
            continue;
        }
        one = value_wrap(p, &values[i], &kept[i], kept, m->n_arguments + 1);
        good = one && (!made || PyTuple_SetItem(made, at++, one) == 0);
    }
    if (!good) {
        Py_XDECREF(made);
        return NULL;
    }
    if (m->n_out == 0)
        Py_RETURN_NONE;
    return made ? made : one;
}

/* Of N values, frees what comes back and is not wanted: the call failed, or is not made. */
static void discard_all(const struct method *m, union sidl_value *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i ? m->parameters[i].mode != ' ' : m->parameters[0].kind != 'v')
            value_discard(&m->parameters[i], &values[i]);
}

static PyObject *refuse_number(const struct method *m, Py_ssize_t n)
{
    return PyErr_Format(PyExc_TypeError, "%s takes %zu argument%s (%s), not %zd", m->name, m->n_in,
                        m->n_in == 1 ? "" : "s", m->callee.signature->text, n);
}

/* Puts what was given into VALUES; *N_KEPT of KEPT are then to be dropped. */
static bool take_all(const struct method *m, PyObject *const *args, union sidl_value *values,
                     struct kept *kept, size_t *n_kept)
{
    bool good = value_prepare(&m->parameters[0], &values[0], &kept[0]);

    *n_kept = 1;
    for (size_t i = 1; good && i <= m->n_arguments; i++) {
        const struct sidl_parameter *p = &m->parameters[i];

        kept_begin(&kept[i]);
        *n_kept = i + 1;
        good = p->mode == '>' ? value_prepare(p, &values[i], &kept[i])
                              : value_take(*args++, p, &values[i], &kept[i]);
    }
    return good;
}

/* Calls the slot of SELF's table, without the interpreter's lock. */
static PyObject *call(const struct method *m, void *reference, PyObject *const *args, Py_ssize_t n)
{
    union sidl_value values[METHOD_ARGUMENTS + 1];
    struct kept kept[METHOD_ARGUMENTS + 1];
    sidl_BaseInterface ex = NULL;
    PyObject *made = NULL;
    size_t n_kept = 0;

    if (n != (Py_ssize_t)m->n_in)
        return refuse_number(m, n);
    kept_begin(&kept[0]);
    if (take_all(m, args, values, kept, &n_kept)) {
        Py_BEGIN_ALLOW_THREADS;
        if (m->callee.is_static) {
            const struct sidl_details *d = sidl_type_details(m->callee.type);
            const sidl_slot_fn *table = sidl_class_statics(m->callee.type, d->externals, &ex);

            if (table)
                m->callee.signature->call(table[m->callee.slot], NULL, values, &ex);
        } else {
            sidl_callee_call(&m->callee, reference, values, &ex);
        }
        Py_END_ALLOW_THREADS;
        if (ex)
            discard_all(m, values, m->n_arguments + 1);
        made = ex ? exception_raise(ex) : wrap_all(m, values, kept);
    } else {
        discard_all(m, values, n_kept - 1); /* the last one was not taken */
    }
    for (size_t i = 0; i < n_kept; i++)
        if (kept[i].what != KEPT_NOTHING || kept[i].object)
            value_drop(&kept[i]);
    return made;
}

/* Names of methods by number, as long as the process: a parent's method has the child's number. */
static const char *names[METHOD_NUMBERS];
static size_t n_names;

static PyObject *invoke(PyObject *self, size_t number, PyObject *const *args, Py_ssize_t n)
{
    const struct object *o = (const struct object *)self;
    const struct class_info *info = o->info;

    if (number < info->n_numbers && info->by_number[number])
        return call(info->by_number[number], o->reference, args, n);
    return PyErr_Format(PyExc_TypeError,
                        "%s has no method %s; cast the object to the type that has",
                        info->type->name, names[number]);
}

#define SLOT(A, B, C, D, E)                                                                        \
    static PyObject *slot_##A##B##C##D##E(PyObject *self, PyObject *const *args, Py_ssize_t n)     \
    {                                                                                              \
        return invoke(self, (((A * 4 + B) * 4 + C) * 4 + D) * 4 + E, args, n);                     \
    }
#define NAME(A, B, C, D, E) slot_##A##B##C##D##E,
#define FOUR(F, A, B, C, D) F(A, B, C, D, 0) F(A, B, C, D, 1) F(A, B, C, D, 2) F(A, B, C, D, 3)
#define SIXTEEN(F, A, B, C)                                                                        \
    FOUR(F, A, B, C, 0) FOUR(F, A, B, C, 1) FOUR(F, A, B, C, 2) FOUR(F, A, B, C, 3)
#define SIXTY_FOUR(F, A, B)                                                                        \
    SIXTEEN(F, A, B, 0) SIXTEEN(F, A, B, 1) SIXTEEN(F, A, B, 2) SIXTEEN(F, A, B, 3)
#define MANY(F, A)   SIXTY_FOUR(F, A, 0) SIXTY_FOUR(F, A, 1) SIXTY_FOUR(F, A, 2) SIXTY_FOUR(F, A, 3)
#define EACH_SLOT(F) MANY(F, 0) MANY(F, 1) MANY(F, 2) MANY(F, 3)
EACH_SLOT(SLOT)

typedef PyObject *slot_fn(PyObject *self, PyObject *const *args, Py_ssize_t n);
static slot_fn *const slot_functions[METHOD_NUMBERS] = {EACH_SLOT(NAME)};

/* ------------------------------------------------------------------ methods of classes */

static bool find_number(const char *name, size_t *number)
{
    for (*number = 0; *number < n_names; ++*number)
        if (!strcmp(names[*number], name))
            return true;
    if (n_names == METHOD_NUMBERS)
        PyErr_Format(module_error, "a process can have methods of %d names in Python",
                     METHOD_NUMBERS);
    else if (!(names[n_names] = portolan_strdup(name)))
        PyErr_NoMemory();
    else
        return n_names++, true;
    return false;
}

static bool add_method(struct class_info *info, size_t slot)
{
    const char *name = info->type->methods[slot].name;
    PyMethodDef *definition;
    struct sidl_callee callee;
    sidl_BaseInterface ex = NULL;
    PyObject *descriptor;
    size_t number;
    bool good;

    if (!sidl_type_find(info->type, name, &callee, &ex))
        return exception_raise(ex);
    callee.slot = slot;
    if (!method_prepare(&info->methods[slot], &callee, name) || !find_number(name, &number))
        return false;
    if (number >= info->n_numbers) {
        struct method **grown = realloc(info->by_number, n_names * sizeof *grown);

        if (!grown)
            return PyErr_NoMemory();
        memset(grown + info->n_numbers, 0, (n_names - info->n_numbers) * sizeof *grown);
        info->by_number = grown;
        info->n_numbers = n_names;
    }
    info->by_number[number] = &info->methods[slot];
    if (!(definition = portolan_calloc(1, sizeof *definition))) /* lives as long as the class */
        return PyErr_NoMemory();
    definition->ml_name = name;
    definition->ml_meth = (PyCFunction)(void (*)(void))slot_functions[number];
    definition->ml_flags = METH_FASTCALL; /* the one that the interpreter calls fastest */
    definition->ml_doc = callee.signature->text;
    descriptor = PyDescr_NewMethod(info->class, definition);
    good = descriptor && PyObject_SetAttrString((PyObject *)info->class, name, descriptor) == 0;
    Py_XDECREF(descriptor);
    return good;
}

bool method_add_all(struct class_info *info)
{
    for (size_t i = 0; i < info->type->n_methods; i++)
        if (!add_method(info, i))
            return false;
    return true;
}

static PyObject *call_static(PyObject *capsule, PyObject *const *args, Py_ssize_t n)
{
    const struct method *m = PyCapsule_GetPointer(capsule, NULL);

    return m ? call(m, NULL, args, n) : NULL;
}

static void free_static(PyObject *capsule)
{
    struct method *m = PyCapsule_GetPointer(capsule, NULL);

    method_clear(m);
    free(m);
}

PyObject *method_static(const struct sidl_type *type, const char *name)
{
    struct method *m = portolan_calloc(1, sizeof *m);
    PyMethodDef *definition = portolan_calloc(1, sizeof *definition); /* lives for good */
    sidl_BaseInterface ex = NULL;
    struct sidl_callee callee;
    PyObject *capsule, *function;

    if (!m || !definition)
        return free(m), free(definition), PyErr_NoMemory();
    if (!(capsule = PyCapsule_New(m, NULL, free_static)))
        return NULL;
    if (!sidl_type_find(type, name, &callee, &ex)) {
        Py_DECREF(capsule);
        return exception_raise(ex);
    }
    definition->ml_name =
        sidl_type_details(callee.type)
            ->package->methods[sidl_type_details(callee.type)->statics[callee.slot]]
            .name;
    definition->ml_meth = (PyCFunction)(void (*)(void))call_static;
    definition->ml_flags = METH_FASTCALL;
    definition->ml_doc = callee.signature->text;
    function = method_prepare(m, &callee, name) ? PyCFunction_New(definition, capsule) : NULL;
    Py_DECREF(capsule);
    return function;
}
