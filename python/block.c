/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in memory of the libraries, for NumPy and memoryview, without a copy. */
#include "module.h"

#include <string.h>

struct block {
    PyObject_HEAD PyObject *owner;
    void *values;
    Py_ssize_t n, stride;
    char format[2];
};

static PyObject *block_type;

PyObject *block_create(PyObject *owner, void *values, size_t n, char format)
{
    struct block *b = PyObject_New(struct block, (PyTypeObject *)block_type);

    if (!b)
        return NULL;
    Py_INCREF(owner);
    b->owner = owner;
    b->values = values;
    b->n = (Py_ssize_t)n;
    b->stride = format == 'i' ? sizeof(int32_t) : sizeof(double);
    b->format[0] = format;
    b->format[1] = '\0';
    return (PyObject *)b;
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    struct block *b = (struct block *)self;

    if (PyBuffer_FillInfo(view, self, b->values, b->n * b->stride, 0, flags) != 0)
        return -1;
    view->itemsize = b->stride;
    view->format = flags & PyBUF_FORMAT ? b->format : NULL;
    view->shape = flags & PyBUF_ND ? &b->n : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &b->stride : NULL;
    return 0;
}

static Py_ssize_t get_length(PyObject *self)
{
    return ((struct block *)self)->n;
}

static void destroy(PyObject *self)
{
    Py_DECREF(((struct block *)self)->owner);
    module_free(self);
}

bool block_take(PyObject *of, Py_buffer *view, bool writable, size_t n)
{
    int flags = PyBUF_FORMAT | PyBUF_ND | (writable ? PyBUF_WRITABLE : 0);

    if (PyObject_GetBuffer(of, view, flags) != 0)
        return false;
    if (view->format && !strcmp(view->format, "d") && view->len == (Py_ssize_t)(n * sizeof(double)))
        return true;
    PyErr_Format(PyExc_ValueError,
                 "an array of %zu doubles is needed, not %zd bytes of format '%s'", n, view->len,
                 view->format ? view->format : "B");
    PyBuffer_Release(view);
    return false;
}

bool block_add(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_bf_getbuffer, get_buffer},
        {Py_sq_length, get_length},
        {Py_tp_dealloc, destroy},
        {Py_tp_doc, "Numbers of a column."},
        {0},
    };

    return module_add_type(module, "portolan._portolan.Block", sizeof(struct block),
                           Py_TPFLAGS_DISALLOW_INSTANTIATION, slots, &block_type);
}
