/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of SIDL as types of Python, made of the tables of packages: what these files share. */
#ifndef PORTOLAN_PYTHON_SIDL_MODULE_H
#define PORTOLAN_PYTHON_SIDL_MODULE_H

#include "module.h"

#include "sidl_call.h"

/* Python's class of a SIDL type with methods. Made once for each, kept until the process ends. */
struct class_info {
    PyTypeObject *class;
    const struct sidl_type *type;
    struct method *methods;    /* one for each slot */
    struct method **by_number; /* of the same, by the number of the name (method.c) */
    size_t n_numbers;
};

/* A reference of a SIDL type. Instances of all classes of SIDL and of Python classes below them. */
struct object {
    PyObject_HEAD void *reference;
    const struct class_info *info; /* of the type that the reference is of */
};

enum { METHOD_ARGUMENTS = 64, METHOD_NUMBERS = 1024 };

/* A method with its signature in parts: [0] is the result. */
struct method {
    struct sidl_callee callee;
    const char *name; /* of the type and of itself, for messages */
    struct sidl_parameter *parameters;
    size_t n_arguments, n_in, n_out; /* those given; those that come back, result included */
};

/* What a call keeps of an argument. */
struct kept {
    enum { KEPT_NOTHING, KEPT_VIEW, KEPT_ARRAY, KEPT_REFERENCE, KEPT_STRING, KEPT_BLOCK } what;
    PyObject *object;                   /* whose memory it is, or NULL */
    void *made;                         /* KEPT_ARRAY, KEPT_REFERENCE, KEPT_STRING, KEPT_BLOCK */
    const struct sidl_details *details; /* of a struct */
    Py_buffer view;
    struct { /* an array on the stack, as the run time's sidl__array_init_rarray makes it */
        struct sidl__array head;
        void *first;
        int32_t bounds[3 * SIDL_MAX_ARRAY_DIMENSION];
    } array;
};

static inline void kept_begin(struct kept *k)
{
    k->what = KEPT_NOTHING;
    k->object = NULL;
}

/* object.c */
bool object_add(PyObject *module);
extern PyObject *object_type;
/* A reference, which is taken, as an object of the class that is known for it; None for NULL.
 * DECLARED, LENGTH bytes, is its type's name. */
PyObject *object_wrap(void *reference, const char *declared, size_t length);
/* Of the capsule with the object of SIDL that a Python object is a part of. */
extern const char object_self_key[];
/* A new reference of that type; NULL with TypeError. */
void *object_take(PyObject *from, const char *type, size_t length);
/* The Python class, or struct's class, of a SIDL name; borrowed, NULL without an exception. */
PyObject *object_class_of(const char *name, size_t length);
/* An array of strings or objects, whose reference is taken, as nested lists. */
PyObject *list_wrap(struct sidl__array *array);
/* A new array of one dimension, of the list's strings or objects; NULL with an exception. */
struct sidl__array *list_take(PyObject *from, const struct sidl_parameter *p);
/* The lower bound that the list says it has in SIDL, 0 for other objects. */
int32_t list_lower(PyObject *list);

/* array.c: NumPy arrays, buffers and lists from and to arrays of SIDL */
bool array_add(PyObject *module);
bool array_take(PyObject *from, const struct sidl_parameter *p, struct kept *k, void **array);
/* The array, whose reference is taken, as NumPy's, or a list; None for NULL. */
PyObject *array_wrap(struct sidl__array *array);
/* The same for one that stays its owner's: valid as long as that. */
PyObject *array_show(struct sidl__array *array);
/* Raw arrays that lie in structs: flat, in column-major order. */
bool array_take_block(PyObject *from, const struct sidl_parameter *p, char *block);
PyObject *array_wrap_block(const struct sidl_parameter *p, const char *block);

/* convert.c */
bool value_take(PyObject *from, const struct sidl_parameter *p, union sidl_value *v,
                struct kept *k);
/* Room for an out value. */
bool value_prepare(const struct sidl_parameter *p, union sidl_value *v, struct kept *k);
/* What came back, which is taken. An array that was given as one of N arguments is the same again.
 */
PyObject *value_wrap(const struct sidl_parameter *p, union sidl_value *v, struct kept *k,
                     struct kept *all, size_t n);
/* For methods in Python: an argument, of which nothing is taken unless it is inout … */
PyObject *value_show(const struct sidl_parameter *p, union sidl_value *v);
/* … and a value that the caller gets, as its own; an inout one is replaced. */
bool value_give(PyObject *from, const struct sidl_parameter *p, union sidl_value *v);
/* Frees what is kept. */
void value_drop(struct kept *k);
/* A value that came back and that nobody wants. */
void value_discard(const struct sidl_parameter *p, union sidl_value *v);

/* method.c */
bool method_prepare(struct method *m, const struct sidl_callee *callee, const char *name);
void method_clear(struct method *m);
/* Descriptors of all methods of a class; false with an exception. */
bool method_add_all(struct class_info *info);
/* A static method, as a function. */
PyObject *method_static(const struct sidl_type *type, const char *name);

/* exception.c */
PyObject *exception_raise(sidl_BaseInterface ex);

/* package.c: package(name, library or None, classes): see portolan/sidl.py */
PyObject *package_function(PyObject *module, PyObject *args);

/* component.c: component(name, class, types). */
PyObject *component_function(PyObject *module, PyObject *args);

bool sidl_add(PyObject *module);

#endif
