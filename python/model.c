/* SPDX-License-Identifier: BSD-3-Clause */
/* A model: formula, range, error, and its values for arrays of parameters. */
#include "module.h"

#include <math.h>

struct model {
    PyObject_HEAD PyObject *owner; /* keeps the model */
    const struct portolan_model *model;
};

static PyObject *model_type;

PyObject *model_wrap(PyObject *owner, const struct portolan_model *model)
{
    struct model *m = PyObject_New(struct model, (PyTypeObject *)model_type);

    if (!m)
        return NULL;
    Py_INCREF(owner);
    m->owner = owner;
    m->model = model;
    return (PyObject *)m;
}

static void model_free(PyObject *self)
{
    Py_DECREF(((struct model *)self)->owner);
    module_free(self);
}

static const struct portolan_model *peek(PyObject *self)
{
    return ((struct model *)self)->model;
}

static PyObject *get_formula(PyObject *self, void *none)
{
    return module_text(portolan_model_peek_formula(peek(self)));
}

/* (name, least, largest) of each parameter. */
static PyObject *get_parameters(PyObject *self, void *none)
{
    const struct portolan_model *m = peek(self);
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < portolan_model_n_params(m); i++) {
        const struct portolan_model_range *range = portolan_model_peek_range(m, i);

        list = module_append(
            list, Py_BuildValue("(sdd)", portolan_model_peek_param(m, i), range->min, range->max));
    }
    return list;
}

static PyObject *get_summary(PyObject *self, void *none)
{
    const struct portolan_model_summary *s = portolan_model_peek_summary(peek(self));

    return Py_BuildValue("{sssnsnsdsdsdsOsd}", "family", portolan_model_family_name(s->family),
                         "rows", (Py_ssize_t)s->n_rows, "points", (Py_ssize_t)s->n_points, "rms",
                         s->rms, "max", s->max, "leave_one_out", s->leave_one_out, "relative",
                         s->weighting == PORTOLAN_MODEL_RELATIVE ? Py_True : Py_False, "confidence",
                         s->confidence);
}

/* Values of N rows, whose parameters are in COLUMNS, into OUT: value, low, high, and octaves
 * outside the range, of which 0 is inside. Where the model has no value all are NaN. */
static void evaluate(const struct portolan_model *m, size_t n_params, const Py_buffer *columns,
                     Py_buffer *out, size_t n)
{
    double x[PORTOLAN_MODEL_MAX_PARAMS];

    for (size_t i = 0; i < n; i++) {
        struct portolan_prediction p = {.value = NAN, .low = NAN, .high = NAN, .octaves = NAN};

        for (size_t k = 0; k < n_params; k++)
            x[k] = ((const double *)columns[k].buf)[i];
        if (portolan_model_predict(m, x, &p) == PORTOLAN_OK && !p.extrapolates)
            p.octaves = 0;
        ((double *)out[0].buf)[i] = p.value;
        ((double *)out[1].buf)[i] = p.low;
        ((double *)out[2].buf)[i] = p.high;
        ((double *)out[3].buf)[i] = p.octaves;
    }
}

enum { OUTPUTS = 4 };

/* predict(columns, outputs, n): arrays of n doubles, as many columns as parameters. */
static PyObject *model_predict(PyObject *self, PyObject *args)
{
    const struct portolan_model *m = peek(self);
    size_t n_params = portolan_model_n_params(m), n_taken = 0;
    Py_buffer views[PORTOLAN_MODEL_MAX_PARAMS + OUTPUTS];
    PyObject *columns, *outputs, *made = NULL;
    Py_ssize_t n;
    bool good = true;

    if (!PyArg_ParseTuple(args, "O!O!n:predict", &PyTuple_Type, &columns, &PyTuple_Type, &outputs,
                          &n))
        return NULL;
    if (n < 0 || PyTuple_Size(columns) != (Py_ssize_t)n_params ||
        PyTuple_Size(outputs) != OUTPUTS) {
        PyErr_Format(PyExc_ValueError, "the model has %zu parameters, not %zd", n_params,
                     PyTuple_Size(columns));
        return NULL;
    }
    for (size_t k = 0; good && k < n_params + OUTPUTS; k++) {
        bool is_output = k >= n_params;
        PyObject *of = is_output ? PyTuple_GetItem(outputs, (Py_ssize_t)(k - n_params))
                                 : PyTuple_GetItem(columns, (Py_ssize_t)k);

        good = block_take(of, &views[k], is_output, (size_t)n);
        n_taken += good;
    }
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        evaluate(m, n_params, views, views + n_params, (size_t)n);
        Py_END_ALLOW_THREADS;
        Py_INCREF(Py_None);
        made = Py_None;
    }
    while (n_taken)
        PyBuffer_Release(&views[--n_taken]);
    return made;
}

/* ------------------------------------------------------------------ models of their own */

static void free_model(PyObject *capsule)
{
    portolan_model_destroy(PyCapsule_GetPointer(capsule, NULL));
}

static PyObject *own(struct portolan_model *model)
{
    PyObject *owner = PyCapsule_New(model, NULL, free_model), *made;

    if (!owner) {
        portolan_model_destroy(model);
        return NULL;
    }
    made = model_wrap(owner, model);
    Py_DECREF(owner);
    return made;
}

static PyObject *model_read(PyObject *type, PyObject *args)
{
    struct portolan_error err = {0};
    struct portolan_model *model = NULL;
    const char *text, *file = "model";
    Py_ssize_t size;

    if (!PyArg_ParseTuple(args, "s#|s:read", &text, &size, &file))
        return NULL;
    if (portolan_model_read_xml(text, (size_t)size, file, NULL, &model, &err))
        return module_raise(&err);
    return own(model);
}

static PyObject *model_write(PyObject *self, PyObject *args)
{
    struct portolan_error err = {0};
    char *text = NULL;
    int as_c = 0;

    if (!PyArg_ParseTuple(args, "|p:write", &as_c))
        return NULL;
    if (as_c)
        portolan_model_write_c(peek(self), NULL, &text, &err);
    else
        portolan_model_write_xml(peek(self), &text, &err);
    return module_take_text(text, &err);
}

bool model_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"predict", model_predict, METH_VARARGS, "Values and intervals."},
        {"read", model_read, METH_VARARGS | METH_STATIC, "A model of its XML."},
        {"write", model_write, METH_VARARGS, "As XML, or as C."},
        {0},
    };
    static PyGetSetDef members[] = {
        {"formula", get_formula, NULL, "for people", NULL},
        {"parameters", get_parameters, NULL, "names with the measured range", NULL},
        {"summary", get_summary, NULL, "family, rows, error", NULL},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, model_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, members},
        {Py_tp_doc, "A performance model."},
        {0},
    };

    return module_add_type(module, "portolan._portolan.Model", sizeof(struct model),
                           Py_TPFLAGS_DISALLOW_INSTANTIATION, slots, &model_type);
}
