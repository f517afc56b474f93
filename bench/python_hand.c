/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a programmer would write by hand, for python.py: an extension type whose methods call a port
 * in C, with NumPy's C API, and a port in C whose functions call methods of a Python object. Both
 * may give the interpreter's lock away during a call from Python, as the module portolan does.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "lab.h"

#include <stdbool.h>
#include <time.h>

/* ------------------------------------------------------------------ Python calls C */

struct caller {
    PyObject_HEAD lab_Adder port;
    bool is_unlocked;
};

/* The reference that an object of portolan.Object has. */
static lab_Adder reference_of(PyObject *object)
{
    return ((struct caller *)object)->port;
}

static PyObject *fail(sidl_BaseInterface ex)
{
    sidl_BaseInterface_deleteRef(ex, &(sidl_BaseInterface){NULL});
    PyErr_SetString(PyExc_RuntimeError, "the port threw an exception");
    return NULL;
}

static PyObject *caller_add(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const struct caller *c = (const struct caller *)self;
    sidl_BaseInterface ex = NULL;
    PyThreadState *state;
    long a, b;
    int32_t sum;

    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "add takes 2 arguments");
    a = PyLong_AsLong(args[0]);
    b = PyLong_AsLong(args[1]);
    if (PyErr_Occurred())
        return NULL;
    if (a != (int32_t)a || b != (int32_t)b)
        return PyErr_Format(PyExc_OverflowError, "too large");
    state = c->is_unlocked ? PyEval_SaveThread() : NULL;
    sum = lab_Adder_add(c->port, (int32_t)a, (int32_t)b, &ex);
    if (state)
        PyEval_RestoreThread(state);
    return ex ? fail(ex) : PyLong_FromLong(sum);
}

static PyObject *caller_first(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
    const struct caller *c = (const struct caller *)self;
    sidl_BaseInterface ex = NULL;
    PyThreadState *state;
    PyArrayObject *x;
    double first;

    if (n != 1 || !PyArray_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "first takes an array");
    x = (PyArrayObject *)args[0];
    if (PyArray_TYPE(x) != NPY_DOUBLE || PyArray_NDIM(x) != 1 || !PyArray_ISCARRAY_RO(x))
        return PyErr_Format(PyExc_TypeError, "first takes a contiguous array of doubles");
    state = c->is_unlocked ? PyEval_SaveThread() : NULL;
    first = lab_Adder_first(c->port, PyArray_DATA(x), (int32_t)PyArray_DIM(x, 0), &ex);
    if (state)
        PyEval_RestoreThread(state);
    return ex ? fail(ex) : PyFloat_FromDouble(first);
}

static PyObject *caller_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *object;
    struct caller *c;
    int is_unlocked;

    (void)named;
    if (!PyArg_ParseTuple(args, "Op", &object, &is_unlocked))
        return NULL;
    if ((c = (struct caller *)type->tp_alloc(type, 0))) {
        c->port = reference_of(object); /* whose owner the benchmark keeps */
        c->is_unlocked = is_unlocked;
    }
    return (PyObject *)c;
}

static PyMethodDef caller_methods[] = {
    {"add", (PyCFunction)(void (*)(void))caller_add, METH_FASTCALL, NULL},
    {"first", (PyCFunction)(void (*)(void))caller_first, METH_FASTCALL, NULL},
    {0},
};
static PyTypeObject caller_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench_python_hand.Caller",
    .tp_basicsize = sizeof(struct caller),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = caller_methods,
    .tp_new = caller_new,
};

/* Without an object, for cffi and ctypes. */
__attribute__((visibility("default"))) int hand_add(int a, int b);
int hand_add(int a, int b)
{
    return a + b;
}

__attribute__((visibility("default"))) double hand_first(const double *x, int n);
double hand_first(const double *x, int n)
{
    return n > 0 ? x[0] : 0;
}

/* ------------------------------------------------------------------ C calls Python */

struct served {
    struct sidl_object object;
    PyObject *part;
};

static PyObject *name_add, *name_first;

static void give_up(sidl_BaseInterface *_ex)
{
    PyErr_Clear();
    SIDL_THROW(*_ex, sidl_SIDLException, "the method failed");
EXIT:;
}

static int32_t served_add(void *self, int32_t a, int32_t b, sidl_BaseInterface *_ex)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *x = PyLong_FromLong(a), *y = PyLong_FromLong(b), *made;
    PyObject *args[] = {((struct served *)self)->part, x, y};
    long sum = -1;

    made = x && y ? PyObject_VectorcallMethod(name_add, args, 3, NULL) : NULL;
    if (made)
        sum = PyLong_AsLong(made);
    if (!made || PyErr_Occurred())
        give_up(_ex);
    Py_XDECREF(made);
    Py_XDECREF(x);
    Py_XDECREF(y);
    PyGILState_Release(lock);
    return (int32_t)sum;
}

static double served_first(void *self, struct sidl_double__array *x, sidl_BaseInterface *_ex)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    npy_intp n = sidlLength(x, 0);
    PyObject *array = PyArray_SimpleNewFromData(1, &n, NPY_DOUBLE, x->d_firstElement), *made;
    PyObject *args[] = {((struct served *)self)->part, array};
    double first = -1;

    made = array ? PyObject_VectorcallMethod(name_first, args, 2, NULL) : NULL;
    if (made)
        first = PyFloat_AsDouble(made);
    if (!made || PyErr_Occurred())
        give_up(_ex);
    Py_XDECREF(made);
    Py_XDECREF(array);
    PyGILState_Release(lock);
    return first;
}

static const struct lab_Adder__epv served_epv = {.f_add = served_add, .f_first = served_first};
static const struct sidl_implements served_implements[] = {{&lab_Adder__type, &served_epv}};
static const struct sidl_class served_class = {.name = "bench.Served",
                                               .version = "1.0",
                                               .size = sizeof(struct served),
                                               .implements = served_implements,
                                               .n_implements = 1};

/* The object that serves the methods of PART; both live until the process ends. */
static lab_Adder serve(PyObject *part)
{
    sidl_BaseInterface ex = NULL;
    struct served *s = sidl_object_create(&served_class, &ex);

    if (!s)
        return NULL;
    Py_INCREF(part);
    s->part = part;
    return sidl_object_facet(s, "lab.Adder");
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* time_calls(object, by_hand, with_array, is_locked, n): seconds of N calls from C of a port that
 * is an object of portolan, or that by hand calls the methods of a plain object. */
static PyObject *time_calls(PyObject *module, PyObject *args)
{
    static double numbers[1000];
    int by_hand, with_array, is_locked, n;
    sidl_BaseInterface ex = NULL;
    PyThreadState *state;
    PyObject *object;
    lab_Adder port;
    double begin, end;

    (void)module;
    if (!PyArg_ParseTuple(args, "Opppi", &object, &by_hand, &with_array, &is_locked, &n))
        return NULL;
    if (!(port = by_hand ? serve(object) : reference_of(object)))
        return PyErr_NoMemory();
    state = is_locked ? NULL : PyEval_SaveThread();
    begin = now();
    for (int i = 0; i < n && !ex; i++)
        if (with_array)
            lab_Adder_first(port, numbers, 1000, &ex);
        else
            lab_Adder_add(port, i, 1, &ex);
    end = now();
    if (state)
        PyEval_RestoreThread(state);
    return ex ? fail(ex) : PyFloat_FromDouble(end - begin);
}

PyMODINIT_FUNC PyInit_bench_python_hand(void)
{
    static PyMethodDef functions[] = {{"time_calls", time_calls, METH_VARARGS, NULL}, {0}};
    static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "bench_python_hand",
                                            .m_size = -1, .m_methods = functions};
    PyObject *module;

    import_array();
    name_add = PyUnicode_InternFromString("add");
    name_first = PyUnicode_InternFromString("first");
    if (!name_add || !name_first || PyType_Ready(&caller_type) < 0)
        return NULL;
    if ((module = PyModule_Create(&definition)))
        PyModule_AddObjectRef(module, "Caller", (PyObject *)&caller_type);
    return module;
}
