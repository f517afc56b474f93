/* SPDX-License-Identifier: BSD-3-Clause */
/* References of SIDL types as Python objects, and arrays of them, or of strings, as lists. */
#include "sidl_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PyObject *object_type;
static PyObject *classes; /* by SIDL name: classes, also those of structs, enums, exceptions */

static const char info_key[] = "portolan class";

/* What belongs to a Python class or, if it extends one of SIDL, to that. */
static const struct class_info *info_of(PyTypeObject *class)
{
    PyObject *capsule = PyObject_GetAttrString((PyObject *)class, "__sidl_info__");
    const struct class_info *info = capsule ? PyCapsule_GetPointer(capsule, info_key) : NULL;

    Py_XDECREF(capsule); /* the class keeps it */
    return info;
}

static PyObject *make_around(PyTypeObject *class, void *reference, const struct class_info *info)
{
    struct object *o = (struct object *)PyType_GenericAlloc(class, 0);

    if (!o) {
        sidl_reference_delete(reference, NULL);
        return NULL;
    }
    o->reference = reference;
    o->info = info;
    return (PyObject *)o;
}

PyObject *object_class_of(const char *name, size_t length)
{
    PyObject *key = PyUnicode_DecodeUTF8(name, (Py_ssize_t)length, "replace");
    PyObject *class = key ? PyDict_GetItemWithError(classes, key) : NULL;

    Py_XDECREF(key);
    return class;
}

/* The class for a reference: its object's own if it is known, else the declared one. */
static PyObject *class_for(void *reference, const char *declared, size_t length)
{
    const char *own = sidl_reference_class_name(reference);
    PyObject *class = object_class_of(own, strlen(own));

    if (!class && !PyErr_Occurred() && declared)
        class = object_class_of(declared, length);
    if (class && !PyErr_Occurred() && PyObject_HasAttrString(class, "__sidl_exception__")) {
        class = PyObject_GetAttrString(class, "__sidl_exception__");
        Py_XDECREF(class); /* the exception's class keeps it */
    }
    return class || PyErr_Occurred() ? class : object_type;
}

PyObject *object_wrap(void *reference, const char *declared, size_t length)
{
    PyObject *class;
    const struct class_info *info = NULL;
    void *typed = reference;

    if (!reference)
        Py_RETURN_NONE;
    if (!(class = class_for(reference, declared, length)) ||
        (class != object_type && !(info = info_of((PyTypeObject *)class)))) {
        sidl_reference_delete(reference, NULL);
        return NULL;
    }
    if (info) {
        sidl_BaseInterface ex = NULL;

        typed = sidl_reference_cast(reference, info->type->name, &ex);
        sidl_reference_delete(reference, NULL);
        if (ex)
            return exception_raise(ex);
        if (!typed)
            return PyErr_Format(module_error, "an object is not of its own type %s",
                                info->type->name);
    }
    return make_around((PyTypeObject *)class, typed, info);
}

const char object_self_key[] = "portolan object";

/* The reference that FROM is or, of an object of a Python component, is a part of; borrowed. */
static void *reference_of(PyObject *from)
{
    PyObject *capsule;
    void *reference;

    if (PyObject_TypeCheck(from, (PyTypeObject *)object_type))
        return ((struct object *)from)->reference;
    capsule = PyObject_GetAttrString(from, "__sidl_self__");
    reference =
        capsule && capsule != Py_None ? PyCapsule_GetPointer(capsule, object_self_key) : NULL;
    Py_XDECREF(capsule); /* FROM keeps it */
    PyErr_Clear();
    return reference;
}

void *object_take(PyObject *from, const char *type, size_t length)
{
    void *reference = reference_of(from), *typed;
    sidl_BaseInterface ex = NULL;
    char name[256];

    snprintf(name, sizeof name, "%.*s", (int)length, type);
    if (!reference) {
        PyErr_Format(PyExc_TypeError, "an object of type %s is needed, not %R", name,
                     (PyObject *)Py_TYPE(from));
        return NULL;
    }
    typed = sidl_reference_cast(reference, name, &ex);
    if (ex)
        return exception_raise(ex);
    if (!typed)
        PyErr_Format(PyExc_TypeError, "an object of class %s is no %s",
                     sidl_reference_class_name(reference), name);
    return typed;
}

/* Class() makes an object, Class(object) casts it. */
static PyObject *object_new(PyTypeObject *class, PyObject *args, PyObject *named)
{
    const struct class_info *info = info_of(class);
    const struct sidl_details *details;
    PyObject *from = NULL;
    sidl_BaseInterface ex = NULL;
    void *made;

    if (!info || !PyArg_ParseTuple(args, "|O", &from))
        return NULL;
    if (from) {
        made = object_take(from, info->type->name, strlen(info->type->name));
        return made ? make_around(class, made, info) : NULL;
    }
    if (info->type->kind != SIDL_CLASS)
        return PyErr_Format(PyExc_TypeError, "%s is an interface: %s(object) casts to it",
                            info->type->name, info->type->name);
    details = sidl_type_details(info->type);
    Py_BEGIN_ALLOW_THREADS;
    made = sidl_class_create(info->type, details ? details->externals : NULL, NULL, &ex);
    Py_END_ALLOW_THREADS;
    return ex ? exception_raise(ex) : make_around(class, made, info);
}

static void object_free(PyObject *self)
{
    PyTypeObject *class = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(class, Py_tp_free);
    void *reference = ((struct object *)self)->reference;

    if (reference) {
        Py_BEGIN_ALLOW_THREADS; /* a destructor may do anything */
        sidl_reference_delete(reference, NULL);
        Py_END_ALLOW_THREADS;
    }
    release(self);
    Py_DECREF(class);
}

static PyObject *object_compare(PyObject *a, PyObject *b, int op)
{
    bool same;

    if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, (PyTypeObject *)object_type))
        Py_RETURN_NOTIMPLEMENTED;
    same = sidl_reference_is_same(((struct object *)a)->reference, ((struct object *)b)->reference,
                                  NULL);
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t object_hash(PyObject *self)
{
    Py_hash_t hash = (Py_hash_t)sidl_reference_peek(((struct object *)self)->reference) >> 4;

    return hash == -1 ? -2 : hash;
}

static PyObject *object_show(PyObject *self)
{
    const struct object *o = (const struct object *)self;

    return PyUnicode_FromFormat("<%s at %p>", sidl_reference_class_name(o->reference),
                                sidl_reference_peek(o->reference));
}

static PyObject *get_class(PyObject *self, void *none)
{
    return module_text(sidl_reference_class_name(((struct object *)self)->reference));
}

static void forget_info(PyObject *capsule)
{
    struct class_info *info = PyCapsule_GetPointer(capsule, info_key);

    for (size_t i = 0; i < info->type->n_methods; i++)
        method_clear(&info->methods[i]);
    free(info->methods);
    free(info->by_number);
    free(info);
}

/* complete(class, type): makes CLASS that of the type in the capsule, with its methods. */
static PyObject *complete(PyObject *module, PyObject *args)
{
    PyObject *class, *type, *capsule;
    struct class_info *info = portolan_calloc(1, sizeof *info);
    bool good;

    if (!info)
        return PyErr_NoMemory();
    if (!PyArg_ParseTuple(args, "O!O:complete", &PyType_Type, &class, &type) ||
        !(info->type = PyCapsule_GetPointer(type, NULL)))
        return free(info), NULL;
    info->class = (PyTypeObject *)class;
    if (!(info->methods = portolan_calloc(info->type->n_methods + 1, sizeof *info->methods)))
        return free(info), PyErr_NoMemory();
    if (!(capsule = PyCapsule_New(info, info_key, forget_info)))
        return NULL;
    good = PyObject_SetAttrString(class, "__sidl_info__", capsule) == 0 && method_add_all(info);
    Py_DECREF(capsule);
    if (!good)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *remember(PyObject *module, PyObject *args)
{
    PyObject *name, *class;

    if (!PyArg_ParseTuple(args, "UO:remember", &name, &class) ||
        PyDict_SetItem(classes, name, class) != 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *static_method(PyObject *module, PyObject *args)
{
    const struct sidl_type *type;
    const char *name;
    PyObject *capsule;

    if (!PyArg_ParseTuple(args, "Os:static_method", &capsule, &name) ||
        !(type = PyCapsule_GetPointer(capsule, NULL)))
        return NULL;
    return method_static(type, name);
}

/* ------------------------------------------------------------------ lists */

static PyObject *list_of(const struct sidl__array *a, int32_t depth, int32_t *at)
{
    PyObject *list = PyList_New(0);

    for (at[depth] = a->d_lower[depth]; list && at[depth] <= a->d_upper[depth]; at[depth]++) {
        PyObject *one;

        if (depth + 1 < a->d_dimen) {
            one = list_of(a, depth + 1, at);
        } else {
            void **element = sidl__array_address(a, a->d_dimen, at);

            if (sidl__array_type(a) == sidl_string_array)
                one = module_text(*element);
            else
                one = object_wrap(sidl__array_take(sidl_interface_array, *element), NULL, 0);
        }
        if (!one || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

/* A list that starts elsewhere than at 0 says so: portolan.lower() and calls ask it. */
static PyObject *bound_list(PyObject *list, int32_t lower)
{
    PyObject *class = object_class_of("list", 4);
    PyObject *made = class ? PyObject_CallFunction(class, "Oi", list, (int)lower) : NULL;

    Py_DECREF(list);
    return made;
}

PyObject *list_wrap(struct sidl__array *array)
{
    int32_t at[SIDL_MAX_ARRAY_DIMENSION], lower = array->d_lower[0];
    PyObject *made = list_of(array, 0, at);

    sidl__array_deleteRef(array);
    return made && lower != 0 ? bound_list(made, lower) : made;
}

int32_t list_lower(PyObject *list)
{
    PyObject *lower = PyList_CheckExact(list) ? NULL : PyObject_GetAttrString(list, "lower");
    int32_t bound = lower ? (int32_t)PyLong_AsLong(lower) : 0;

    Py_XDECREF(lower);
    PyErr_Clear();
    return bound;
}

struct sidl__array *list_take(PyObject *from, const struct sidl_parameter *p)
{
    enum sidl_array_type type = p->element == 's' ? sidl_string_array : sidl_interface_array;
    Py_ssize_t n = PySequence_Size(from);
    int32_t lower = list_lower(from), upper = lower + (int32_t)n - 1;
    struct sidl__array *a;

    if (n < 0)
        return NULL;
    if (p->dimension > 1) {
        PyErr_Format(PyExc_TypeError, "an array '%c' of %d dimensions cannot be made of a list",
                     p->element, p->dimension);
        return NULL;
    }
    if (!(a = sidl__array_create(type, 1, &lower, &upper, sidl_column_major_order))) {
        PyErr_NoMemory();
        return NULL;
    }
    for (int32_t i = lower; i <= upper; i++) {
        PyObject *item = PySequence_GetItem(from, i - lower);
        void **slot = sidl__array_address(a, 1, &i);
        void *element = !item || item == Py_None    ? NULL
                        : type == sidl_string_array ? (void *)PyUnicode_AsUTF8AndSize(item, NULL)
                                                    : object_take(item, p->name, p->length);

        if (!PyErr_Occurred())
            sidl__array_put(type, slot, element);
        if (type == sidl_interface_array && element)
            sidl_reference_delete(element, NULL);
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            sidl__array_deleteRef(a);
            return NULL;
        }
    }
    return a;
}

/* ------------------------------------------------------------------ functions of the module */

bool object_add(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"package", package_function, METH_VARARGS, "The types of a package."},
        {"complete", complete, METH_VARARGS, "Gives a class the methods of its SIDL type."},
        {"remember", remember, METH_VARARGS, "The class for a SIDL name."},
        {"static_method", static_method, METH_VARARGS, "A static method as a function."},
        {0},
    };
    static PyGetSetDef members[] = {
        {"__sidl_class__", get_class, NULL, "the name of the object's class", NULL},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, object_new},
        {Py_tp_dealloc, object_free},
        {Py_tp_richcompare, object_compare},
        {Py_tp_hash, object_hash},
        {Py_tp_repr, object_show},
        {Py_tp_getset, members},
        {Py_tp_doc, "A reference of a SIDL type."},
        {0},
    };

    return (classes = PyDict_New()) &&
           module_add_type(module, "portolan.Object", sizeof(struct object), Py_TPFLAGS_BASETYPE,
                           slots, &object_type) &&
           PyModule_AddFunctions(module, functions) == 0;
}

bool sidl_add(PyObject *module)
{
    return object_add(module) && array_add(module);
}
