/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Components in Python: classes of SIDL whose methods are those of a Python class. A call takes the
 * interpreter's lock; while Python calls a port, the lock is free (method.c).
 */
#include "sidl_module.h"

#include <portolan/framework.h>

#include <stdlib.h>
#include <string.h>

struct served {
    PyObject *class;
    const struct sidl_class *cls;
    struct portolan_component descriptor;
    ptrdiff_t level; /* of the class: where its objects have their parts in Python */
};

struct served_method {
    const struct served *served;
    struct method method;
    PyObject *name;
};

/* ------------------------------------------------------------------ errors of Python */

static void set_note(sidl_BaseInterface ex, const char *text)
{
    sidl_BaseInterface failed = NULL;
    sidl_BaseException e = sidl_BaseException__cast(ex, &failed);

    if (e && !failed) {
        sidl_BaseException_setNote(e, text, &failed);
        sidl_BaseException_deleteRef(e, &failed);
    }
    if (failed)
        sidl_reference_delete(failed, NULL);
}

/* portolan._component.FUNCTION(ERROR) and, if TEXT is not NULL, its text: a new object, or NULL. */
static PyObject *describe(const char *function, PyObject *error, const char **text)
{
    PyObject *module = PyImport_ImportModule("portolan._component");
    PyObject *made = module ? PyObject_CallMethod(module, function, "O", error) : NULL;

    if (text)
        *text = made ? PyUnicode_AsUTF8AndSize(made, NULL) : NULL;
    PyErr_Clear();
    Py_XDECREF(module);
    return made;
}

/* An exception of SIDL that came through Python, or that Python raises; false: it is none. */
static bool throw_again(PyObject *error, sidl_BaseInterface *_ex)
{
    PyObject *inner = PyObject_GetAttrString(error, "sidl");
    bool is_one = inner && PyObject_TypeCheck(inner, (PyTypeObject *)object_type);
    sidl_BaseInterface failed = NULL;

    PyErr_Clear();
    if (is_one) {
        *_ex =
            sidl_reference_cast(((struct object *)inner)->reference, "sidl.BaseInterface", &failed);
        Py_XDECREF(describe("add_trace", error, NULL));
    }
    Py_XDECREF(inner);
    return is_one;
}

/* Throws what Python raised in the method NAME of class OF. */
static void throw_python(const char *of, const char *name, sidl_BaseInterface *_ex)
{
    PyObject *type, *error, *trace, *line = NULL, *whole = NULL;
    const char *text, *full;

    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (trace)
        PyException_SetTraceback(error, trace);
    if (!throw_again(error, _ex)) {
        line = describe("summary", error, &text);
        whole = describe("traceback_of", error, &full);
        portolan_throw(_ex, PORTOLAN_ECOMPONENT, "%s.%s: %s", of, name, text ? text : "failed");
        if (*_ex && text && full) {
            char *note = portolan_asprintf("%s.%s: %s\n%s", of, name, text, full);

            set_note(*_ex, note ? note : text);
            free(note);
        }
    }
    Py_XDECREF(line);
    Py_XDECREF(whole);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
}

/* ------------------------------------------------------------------ calls of methods */

/* Exported by CPython 3.11, but a part of its stable interface, and of headers, since 3.12. */
extern PyObject *PyObject_VectorcallMethod(PyObject *name, PyObject *const *args, size_t n,
                                           PyObject *names);

/* Calls the method of OBJECT that serves S. */
static PyObject *call_method(const struct served_method *s, PyObject *object,
                             union sidl_value *values)
{
    PyObject *args[METHOD_ARGUMENTS + 1], *made = NULL;
    const struct method *m = &s->method;
    size_t n = 1;

    args[0] = object;
    for (const struct sidl_parameter *p = m->parameters + 1; p <= m->parameters + m->n_arguments;
         p++) {
        union sidl_value *v = &values[p - m->parameters];

        if (p->mode == '>')
            continue;
        args[n] = p->kind == 'i'   ? PyLong_FromLong(v->i) /* the most frequent ones first */
                  : p->kind == 'd' ? PyFloat_FromDouble(v->d)
                                   : value_show(p, v);
        if (!args[n++])
            break;
    }
    if (args[n - 1])
        made = PyObject_VectorcallMethod(s->name, args, n, NULL);
    while (--n > 0)
        Py_XDECREF(args[n]);
    return made;
}

/* Puts what Python returned, one value or a tuple, into result and out arguments. */
static bool give_all(const struct method *m, PyObject *made, union sidl_value *values)
{
    bool is_tuple = m->n_out > 1;
    Py_ssize_t at = 0;

    if (m->n_out == 1 && m->parameters[0].kind != 'v')
        return value_give(made, &m->parameters[0], &values[0]);
    if (is_tuple && (!PyTuple_Check(made) || PyTuple_Size(made) != (Py_ssize_t)m->n_out)) {
        PyErr_SetString(PyExc_TypeError, "");
        return false;
    }
    for (size_t i = 0; i <= m->n_arguments; i++) {
        const struct sidl_parameter *p = &m->parameters[i];

        if (i ? p->mode == ' ' : p->kind == 'v')
            continue;
        if (!value_give(is_tuple ? PyTuple_GetItem(made, at++) : made, p, &values[i]))
            return false;
    }
    return true;
}

/* Says where the method is that returned MADE, and what would be right. */
static void blame_result(const struct served_method *s, PyObject *made)
{
    PyObject *type, *error, *trace, *module, *better;
    char kinds[METHOD_ARGUMENTS + 2];
    size_t n = 0;

    for (size_t i = 0; i <= s->method.n_arguments; i++) {
        const struct sidl_parameter *p = &s->method.parameters[i];

        if (i ? p->mode != ' ' : p->kind != 'v')
            kinds[n++] = p->kind;
    }
    kinds[n] = '\0';
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    module = PyImport_ImportModule("portolan._component");
    better = module ? PyObject_CallMethod(module, "wrong_result", "OOsOO", s->served->class,
                                          s->name, kinds, made, error)
                    : NULL;
    if (better)
        PyErr_SetObject((PyObject *)Py_TYPE(better), better);
    Py_XDECREF(better);
    Py_XDECREF(module);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
}

/* Out arguments that were set before one failed are freed: the caller takes none. */
static void handle(const struct sidl_handled *handled, void *self, union sidl_value *values,
                   sidl_BaseInterface *_ex)
{
    const struct served_method *s = handled->user;
    PyGILState_STATE lock = PyGILState_Ensure();
    const struct sidl_object *whole = sidl_reference_peek(self);
    PyObject *object = whole ? whole->data[s->served->level] : s->served->class;
    PyObject *made = object ? call_method(s, object, values) : NULL;

    if (!object)
        PyErr_SetString(PyExc_RuntimeError, "the object has no part in Python");
    if (made && !give_all(&s->method, made, values)) {
        blame_result(s, made);
        Py_CLEAR(made);
    }
    if (!made)
        throw_python(handled->of->name, handled->name, _ex);
    Py_XDECREF(made);
    PyGILState_Release(lock);
}

/* ------------------------------------------------------------------ classes */

static sidl_bool choose(void *user, struct sidl_handled *handled)
{
    struct served *served = user;
    const struct sidl_callee callee = {handled->type, handled->signature, handled->slot, FALSE};
    struct served_method *s;

    if (!PyObject_HasAttrString(served->class, handled->name))
        return FALSE;
    if (!(s = portolan_calloc(1, sizeof *s)) || !method_prepare(&s->method, &callee, handled->name))
        return FALSE;
    s->served = served;
    s->name = PyUnicode_InternFromString(handled->name);
    handled->handler = handle;
    handled->user = s; /* both live as long as the class: until the process ends */
    return s->name != NULL;
}

static void construct(void *user, void *self, sidl_BaseInterface *_ex)
{
    struct served *served = user;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *object = PyObject_CallNoArgs(served->class), *capsule = NULL;
    void **data = sidl_class_data(served->cls, self);

    if (object)
        capsule = PyCapsule_New(self, object_self_key, NULL);
    if (!capsule || PyObject_SetAttrString(object, "__sidl_self__", capsule) != 0) {
        throw_python(served->descriptor.class_name, "__init__", _ex);
        Py_CLEAR(object);
    }
    Py_XDECREF(capsule);
    *data = object;
    served->level = data - ((const struct sidl_object *)sidl_reference_peek(self))->data;
    PyGILState_Release(lock);
}

static void destruct(void *user, void *self, sidl_BaseInterface *_ex)
{
    struct served *served = user;
    void **data = sidl_class_data(served->cls, self);
    PyObject *object = data ? *data : NULL;
    PyGILState_STATE lock;

    (void)_ex;
    if (!object || !Py_IsInitialized())
        return;
    lock = PyGILState_Ensure();
    if (PyObject_SetAttrString(object, "__sidl_self__", Py_None) != 0)
        PyErr_Clear();
    Py_DECREF(object);
    PyGILState_Release(lock);
    *data = NULL;
}

/* ------------------------------------------------------------------ descriptors */

/* A descriptor's function is not told of which class it is: there is one for each. */
enum { MOST_CLASSES = 64 };
static struct served *all_served[MOST_CLASSES];
static size_t n_served;

static gov_cca_Component create(size_t number, sidl_BaseInterface *_ex)
{
    void *object = sidl_object_create(all_served[number]->cls, _ex);

    return object ? sidl_object_facet(object, "gov.cca.Component") : NULL;
}

#define CREATE(A, B, C)                                                                            \
    static gov_cca_Component create_##A##B##C(sidl_BaseInterface *_ex)                             \
    {                                                                                              \
        return create((A * 4 + B) * 4 + C, _ex);                                                   \
    }
#define CREATE_NAME(A, B, C) create_##A##B##C,
#define FOUR(F, A, B)        F(A, B, 0) F(A, B, 1) F(A, B, 2) F(A, B, 3)
#define SIXTEEN(F, A)        FOUR(F, A, 0) FOUR(F, A, 1) FOUR(F, A, 2) FOUR(F, A, 3)
#define EACH_CLASS(F)        SIXTEEN(F, 0) SIXTEEN(F, 1) SIXTEEN(F, 2) SIXTEEN(F, 3)
EACH_CLASS(CREATE)

static gov_cca_Component (*const creators[])(sidl_BaseInterface *_ex) = {EACH_CLASS(CREATE_NAME)};

/* component(name, class, types): a capsule with the descriptor, for framework/core/load_python.c.
 */
PyObject *component_function(PyObject *module, PyObject *args)
{
    const struct sidl_type *types[32];
    sidl_BaseInterface ex = NULL;
    struct sidl_recipe recipe = {.version = "0.1", .types = types};
    struct served *s;
    PyObject *class, *list;
    const char *name;

    if (!PyArg_ParseTuple(args, "sOO!:component", &name, &class, &PyTuple_Type, &list))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_Size(list) && i < 32; i++)
        if (!(types[recipe.n_types++] = PyCapsule_GetPointer(PyTuple_GetItem(list, i), NULL)))
            return NULL;
    if (n_served == MOST_CLASSES)
        return PyErr_Format(module_error, "a process can have %d classes in Python", MOST_CLASSES);
    if (!(s = portolan_calloc(1, sizeof *s)))
        return PyErr_NoMemory();
    Py_INCREF(class);
    s->class = class;
    recipe.name = name;
    recipe.choose = choose;
    recipe.ctor = construct;
    recipe.dtor = destruct;
    recipe.user = s;
    if (!(s->cls = sidl_class_make(&recipe, &ex)))
        return exception_raise(ex);
    s->descriptor = (struct portolan_component){.size = sizeof s->descriptor,
                                                .abi = PORTOLAN_COMPONENT_ABI,
                                                .class_name = s->cls->name,
                                                .create = creators[n_served]};
    all_served[n_served++] = s;
    return PyCapsule_New(&s->descriptor, "portolan component", NULL);
}
