/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of an assembly for one setting of its parameters: choice, predictions, models. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

struct plan {
    PyObject_HEAD PyObject *assembly; /* keeps the workbench */
    PyObject *source;                 /* another plan, whose data these are; or NULL */
    struct study s;
    size_t n_contexts;
    const char **names;
    double *values;
    PyObject *contexts; /* keeps the names */
};

static void plan_free(PyObject *self)
{
    struct plan *p = (struct plan *)self;

    p->s.w = (struct workbench){0};
    if (p->source)
        p->s.data = NULL;
    study_close(&p->s);
    free(p->names);
    free(p->values);
    Py_XDECREF(p->contexts);
    Py_XDECREF(p->source);
    Py_XDECREF(p->assembly);
    module_free(self);
}

static bool take_contexts(struct plan *p, PyObject *contexts)
{
    Py_ssize_t at = 0, n = PyDict_Size(contexts);
    PyObject *name, *value;

    Py_INCREF(contexts);
    p->contexts = contexts;
    p->names = portolan_calloc((size_t)n + 1, sizeof *p->names);
    p->values = portolan_calloc((size_t)n + 1, sizeof *p->values);
    if (!p->names || !p->values)
        return PyErr_NoMemory();
    while (PyDict_Next(contexts, &at, &name, &value)) {
        p->names[p->n_contexts] = PyUnicode_AsUTF8AndSize(name, NULL);
        p->values[p->n_contexts] = PyFloat_AsDouble(value);
        if (PyErr_Occurred())
            return false;
        p->n_contexts++;
    }
    return true;
}

/* Why there is no plan: bad input, or too few data. */
static PyObject *raise_study(const struct plan *p, const struct portolan_error *err)
{
    bool cannot_tell =
        p->s.data && (err->status == PORTOLAN_ENOTFOUND || err->status == PORTOLAN_EINFEASIBLE);

    return module_raise_as(cannot_tell ? module_cannot_tell : module_error, err);
}

/* Plan(assembly, contexts, ranks, here, source): SOURCE is None, or a plan with the same trials. */
static PyObject *plan_make(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PyObject *assembly, *contexts, *source;
    struct portolan_error err = {0};
    struct study_options wishes = {0};
    enum portolan_status status;
    struct plan *p;
    int here;

    if (!PyArg_ParseTuple(args, "OO!ipO:Plan", &assembly, &PyDict_Type, &contexts, &wishes.ranks,
                          &here, &source) ||
        !(p = (struct plan *)PyType_GenericAlloc(type, 0)))
        return NULL;
    Py_INCREF(assembly);
    p->assembly = assembly;
    p->s.w = *assembly_peek(assembly);
    if (source != Py_None) {
        Py_INCREF(source);
        p->source = source;
        p->s.data = ((struct plan *)source)->s.data;
        p->s.options.ranks = ((struct plan *)source)->s.options.ranks;
    }
    if (!take_contexts(p, contexts)) {
        Py_DECREF(p);
        return NULL;
    }
    wishes.assembly.n_contexts = p->n_contexts;
    wishes.assembly.context_names = p->names;
    wishes.assembly.contexts = p->values;
    Py_BEGIN_ALLOW_THREADS;
    status = workbench_look_beside(&p->s.w, &err);
    if (!status)
        status = study_plan(&p->s, &wishes, here, &err);
    Py_END_ALLOW_THREADS;
    if (status == PORTOLAN_OK)
        return (PyObject *)p;
    raise_study(p, &err);
    Py_DECREF(p);
    return NULL;
}

/* ------------------------------------------------------------------ reports */

/* Reports by name: of the plan or, if REPORT is NULL, of the choice. */
struct report {
    const char *name;
    enum portolan_status (*report)(const struct portolan_plan *plan, char **text,
                                   struct portolan_error *err);
    void (*answer)(const struct portolan_plan_answer *answer, struct portolan_text *out);
};

static enum portolan_status write_report(const struct report *r, struct portolan_plan *plan,
                                         char **text, struct portolan_error *err)
{
    const struct portolan_plan_answer *answer;
    struct portolan_text out = {0};
    enum portolan_status status;

    if (r->report)
        return r->report(plan, text, err);
    status = portolan_plan_choose(plan, &answer, err);
    if (status)
        return status;
    r->answer(answer, &out);
    return portolan_text_take(&out, text, err);
}

/* report(what): the text. */
static PyObject *plan_report(PyObject *self, PyObject *args)
{
    static const struct report reports[] = {
        {"choice", NULL, portolan_answer_write_text},
        {"choice json", NULL, portolan_answer_write_document},
        {"models json", portolan_plan_report_models_json, NULL},
        {"call graph json", portolan_plan_report_callgraph_json, NULL},
        {"vetoes", portolan_plan_report_vetoes, NULL},
    };
    const struct report *r = reports, *end = reports + sizeof reports / sizeof *reports;
    struct plan *p = (struct plan *)self;
    struct portolan_error err = {0};
    char *text = NULL;
    const char *name;

    if (!PyArg_ParseTuple(args, "s:report", &name))
        return NULL;
    while (r < end && strcmp(name, r->name) != 0)
        r++;
    if (r == end)
        return PyErr_Format(PyExc_ValueError, "there is no report '%s'", name);
    Py_BEGIN_ALLOW_THREADS;
    write_report(r, p->s.plan, &text, &err);
    Py_END_ALLOW_THREADS;
    return text ? module_take_text(text, &err) : raise_study(p, &err);
}

static PyObject *plan_notes(PyObject *self, PyObject *none)
{
    const struct plan *p = (const struct plan *)self;
    PyObject *list = PyList_New(0);
    const char *note;

    for (size_t i = 0; list && (note = portolan_plan_peek_note(p->s.plan, i)); i++)
        list = module_append(list, module_text(note));
    return list;
}

/* A list of Model objects, in the order of the report "models json". */
static PyObject *plan_models(PyObject *self, PyObject *none)
{
    const struct portolan_plan_model *models;
    size_t n = portolan_plan_peek_models(((struct plan *)self)->s.plan, &models);
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < n; i++)
        list = module_append(list, model_wrap(self, models[i].model));
    return list;
}

/* ------------------------------------------------------------------ predictions */

static const struct module_member prediction_members[] = {
    MEMBER(DOUBLE, portolan_plan_prediction, total_ns),
    MEMBER(DOUBLE, portolan_plan_prediction, low_ns),
    MEMBER(DOUBLE, portolan_plan_prediction, high_ns),
    MEMBER(DOUBLE, portolan_plan_prediction, step_ns),
    MEMBER(DOUBLE, portolan_plan_prediction, setup_ns),
    MEMBER(INT, portolan_plan_prediction, steps),
    MEMBER(BOOL, portolan_plan_prediction, is_assumed),
    MEMBER(BOOL, portolan_plan_prediction, is_unusable),
    MEMBER(DOUBLE, portolan_plan_prediction, accuracy),
    MEMBER(DOUBLE, portolan_plan_prediction, memory_bytes),
};

static PyObject *prediction_of(const struct portolan_plan_prediction *p)
{
    PyObject *d = PyDict_New();

    if (d &&
        module_add_rows(d, prediction_members,
                        sizeof prediction_members / sizeof *prediction_members, p, 1, sizeof *p) &&
        module_put(d, "extrapolating", module_text(p->extrapolating)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* predict(): of the classes that the assembly has selected. */
static PyObject *plan_predict(PyObject *self, PyObject *none)
{
    struct plan *p = (struct plan *)self;
    const struct portolan_assembly *a = p->s.w.assembly;
    int32_t *selection = portolan_calloc(a->n_instances + 1, sizeof *selection);
    struct portolan_plan_prediction prediction;
    struct portolan_error err = {0};
    enum portolan_status status;

    if (!selection)
        return PyErr_NoMemory();
    for (size_t i = 0; i < a->n_instances; i++)
        selection[i] = (int32_t)a->instances[i].selected;
    status = portolan_plan_predict(p->s.plan, selection, &prediction, &err);
    free(selection);
    return status ? raise_study(p, &err) : prediction_of(&prediction);
}

bool plan_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"report", plan_report, METH_VARARGS, "A report as text."},
        {"notes", plan_notes, METH_NOARGS, "What was left out."},
        {"models", plan_models, METH_NOARGS, "Its models."},
        {"predict", plan_predict, METH_NOARGS, "The time with the selected classes."},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, plan_make},
        {Py_tp_dealloc, plan_free},
        {Py_tp_methods, methods},
        {Py_tp_doc, "A plan for one setting of the parameters."},
        {0},
    };

    return module_add_type(module, "portolan._portolan.Plan", sizeof(struct plan), 0, slots, NULL);
}
