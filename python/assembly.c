/* SPDX-License-Identifier: BSD-3-Clause */
/* An assembly with its classes: parameters, selections, and a run in this process. */
#include "module.h"

#include <portolan/framework.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct assembly {
    PyObject_HEAD struct workbench w;
    char *purpose; /* of the run at hand */
    bool runs;
};

struct workbench *assembly_peek(PyObject *self)
{
    return &((struct assembly *)self)->w;
}

static PyObject *assembly_make(PyTypeObject *type, PyObject *args, PyObject *named)
{
    const char *file, *path = NULL;
    struct portolan_error err = {0};
    struct module_problems p;
    enum portolan_status status;
    struct assembly *a;

    if (!PyArg_ParseTuple(args, "s|z:Assembly", &file, &path) ||
        !(a = (struct assembly *)PyType_GenericAlloc(type, 0)))
        return NULL;
    module_problems_begin(&p);
    status = portolan_assembly_read(file, &p.d, &a->w.assembly, &err);
    if (!status)
        status = workbench_open_palette(&a->w, path, &p.d, &err);
    if (!status)
        status = portolan_assembly_join_applies(a->w.assembly, a->w.palette, &err);
    if (!status) {
        portolan_text_clear(&p.text); /* none: another plug-in's description may be wrong */
        return (PyObject *)a;
    }
    Py_DECREF(a);
    return module_problems_raise(&p, &err);
}

static void assembly_free(PyObject *self)
{
    struct assembly *a = (struct assembly *)self;

    workbench_close(&a->w);
    free(a->purpose);
    module_free(self);
}

/* ------------------------------------------------------------------ changes */

static enum portolan_status change(struct workbench *w, const char *what, const char *of,
                                   const char *to, struct portolan_error *err)
{
    if (!strcmp(what, "set"))
        return workbench_set(w, of, to, err);
    if (!strcmp(what, "select"))
        return portolan_assembly_select(w->assembly, of, to, err);
    if (!strcmp(what, "pin"))
        return portolan_assembly_pin(w->assembly, of, to, err);
    if (!strcmp(what, "forbid"))
        return portolan_assembly_forbid(w->assembly, of, to, err);
    return workbench_put_store(w, to, err);
}

/* change("set" | "select" | "pin" | "forbid" | "store", of, to). */
static PyObject *assembly_change(PyObject *self, PyObject *args)
{
    struct assembly *a = (struct assembly *)self;
    struct portolan_error err = {0};
    const char *what, *of, *to;

    if (!PyArg_ParseTuple(args, "sss:change", &what, &of, &to))
        return NULL;
    if (a->runs) {
        PyErr_SetString(PyExc_RuntimeError, "the assembly runs; change it afterwards");
        return NULL;
    }
    if (change(&a->w, what, of, to, &err))
        return module_raise(&err);
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------ what it is */

static PyObject *instance_of(const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *selected = &i->alternatives[i->selected];
    PyObject *d = PyDict_New(), *classes = PyList_New(0), *parameters = PyDict_New();
    bool good = d && classes && parameters;

    for (size_t k = 0; classes && k < i->n_alternatives; k++)
        classes = module_append(classes, module_text(i->alternatives[k].class_name));
    good = good && classes;
    for (size_t k = 0; good && k < selected->n_parameters; k++)
        good = module_put(parameters, selected->parameters[k].name,
                          module_text(selected->parameters[k].text));
    good = good && module_put(d, "name", module_text(i->name)) &&
           module_put(d, "class", module_text(selected->class_name)) &&
           PyDict_SetItemString(d, "alternatives", classes) == 0 &&
           PyDict_SetItemString(d, "parameters", parameters) == 0;
    Py_XDECREF(classes);
    Py_XDECREF(parameters);
    if (!good)
        Py_CLEAR(d);
    return d;
}

static PyObject *assembly_instances(PyObject *self, PyObject *none)
{
    const struct portolan_assembly *a = ((struct assembly *)self)->w.assembly;
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < a->n_instances; i++)
        list = module_append(list, instance_of(&a->instances[i]));
    return list;
}

static PyObject *assembly_write(PyObject *self, PyObject *args)
{
    struct portolan_error err = {0};
    const char *file = NULL;
    char *text = NULL;

    if (!PyArg_ParseTuple(args, "|z:write", &file))
        return NULL;
    if (!portolan_assembly_write(((struct assembly *)self)->w.assembly, file, &text, &err) &&
        file && portolan_replace_file(file, text, strlen(text), &err)) {
        free(text);
        text = NULL;
    }
    return module_take_text(text, &err);
}

static PyObject *assembly_check(PyObject *self, PyObject *none)
{
    struct portolan_error err = {.status = PORTOLAN_ESYNTAX};
    struct module_problems p;

    module_problems_begin(&p);
    if (workbench_check(&((struct assembly *)self)->w, &p.d))
        return module_problems_raise(&p, &err);
    Py_RETURN_NONE;
}

static PyObject *get_name(PyObject *self, void *which)
{
    const struct workbench *w = &((struct assembly *)self)->w;

    return module_text(which ? workbench_peek_store(w) : w->assembly->name);
}

static PyObject *get_steps(PyObject *self, void *none)
{
    return PyLong_FromLong(portolan_assembly_steps(((struct assembly *)self)->w.assembly));
}

/* ------------------------------------------------------------------ running */

static enum portolan_status execute(const struct workbench *w, struct portolan_cohort *cohort,
                                    int *result, struct portolan_error *err)
{
    struct portolan_framework *fw = NULL;
    enum portolan_status status = portolan_framework_create(w->palette, cohort, &fw, err);

    if (!status)
        status = ranks_serve(fw, err);
    if (!status)
        status = portolan_framework_build(fw, w->assembly, err);
    if (!status) {
        status = ranks_settle(portolan_framework_go(fw, result, err), err);
        if (status)
            portolan_framework_fail(fw, err->text);
    }
    portolan_framework_destroy(fw);
    return status;
}

/* run(purpose or None): what go returned. An interrupt ends the process, as it ends a C program:
 * components cannot be left half-way. */
static PyObject *assembly_run(PyObject *self, PyObject *args)
{
    struct assembly *a = (struct assembly *)self;
    struct portolan_error err = {0};
    struct portolan_cohort *cohort;
    struct sigaction before, plain = {.sa_handler = SIG_DFL};
    enum portolan_status status;
    const char *purpose = NULL;
    int result = 0;

    if (!PyArg_ParseTuple(args, "|z:run", &purpose))
        return NULL;
    if (a->runs) {
        PyErr_SetString(PyExc_RuntimeError, "the assembly runs already");
        return NULL;
    }
    if (!(cohort = ranks_begin()))
        return NULL;
    free(a->purpose);
    if (!(a->purpose = portolan_strdup(purpose ? purpose : "run")))
        return PyErr_NoMemory();
    a->w.assembly->purpose = a->purpose;
    a->runs = true;
    sigaction(SIGINT, &plain, &before);
    Py_BEGIN_ALLOW_THREADS;
    status = execute(&a->w, cohort, &result, &err);
    Py_END_ALLOW_THREADS;
    sigaction(SIGINT, &before, NULL);
    a->runs = false;
    if (status)
        return module_raise(&err);
    return PyLong_FromLong(result);
}

bool assembly_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"change", assembly_change, METH_VARARGS,
         "Sets, selects, pins, forbids, or names the store."},
        {"instances", assembly_instances, METH_NOARGS, "Instances with classes and parameters."},
        {"write", assembly_write, METH_VARARGS, "The assembly as XML, also into a file."},
        {"check", assembly_check, METH_NOARGS, "Checks it against its classes."},
        {"run", assembly_run, METH_VARARGS, "Runs it in this process."},
        {0},
    };
    static PyGetSetDef members[] = {
        {"name", get_name, NULL, "its name", NULL},
        {"store", get_name, NULL, "the file of its Mastermind's store; None without one", ""},
        {"steps", get_steps, NULL, "how many steps a run has; 0: not stated", NULL},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, assembly_make},
        {Py_tp_dealloc, assembly_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, members},
        {Py_tp_doc, "An assembly with its classes."},
        {0},
    };

    return module_add_type(module, "portolan._portolan.Assembly", sizeof(struct assembly), 0, slots,
                           NULL);
}
