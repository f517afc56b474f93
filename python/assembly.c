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
    static char *names[] = {"file", "path", NULL};
    const char *file, *path = NULL;
    struct portolan_error err = {0};
    struct module_problems p;
    enum portolan_status status;
    struct assembly *a;

    if (!PyArg_ParseTupleAndKeywords(args, named, "s|z:Assembly", names, &file, &path) ||
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
    PyTypeObject *type = Py_TYPE(self);

    workbench_close(&a->w);
    free(a->purpose);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ------------------------------------------------------------------ changes */

typedef enum portolan_status change_fn(struct workbench *w, const char *of, const char *to,
                                       struct portolan_error *err);

static PyObject *change(PyObject *self, PyObject *args, change_fn *apply)
{
    struct assembly *a = (struct assembly *)self;
    struct portolan_error err = {0};
    const char *of, *to;

    if (!PyArg_ParseTuple(args, "ss", &of, &to))
        return NULL;
    if (a->runs) {
        PyErr_SetString(PyExc_RuntimeError, "the assembly runs; change it afterwards");
        return NULL;
    }
    if (apply(&a->w, of, to, &err))
        return module_raise(&err);
    Py_RETURN_NONE;
}

static enum portolan_status select_class(struct workbench *w, const char *of, const char *to,
                                         struct portolan_error *err)
{
    return portolan_assembly_select(w->assembly, of, to, err);
}

static enum portolan_status pin_class(struct workbench *w, const char *of, const char *to,
                                      struct portolan_error *err)
{
    return portolan_assembly_pin(w->assembly, of, to, err);
}

static enum portolan_status forbid_class(struct workbench *w, const char *of, const char *to,
                                         struct portolan_error *err)
{
    return portolan_assembly_forbid(w->assembly, of, to, err);
}

static enum portolan_status put_store(struct workbench *w, const char *of, const char *to,
                                      struct portolan_error *err)
{
    (void)of;
    return workbench_put_store(w, to, err);
}

static PyObject *assembly_set(PyObject *self, PyObject *args)
{
    return change(self, args, workbench_set);
}

static PyObject *assembly_select(PyObject *self, PyObject *args)
{
    return change(self, args, select_class);
}

static PyObject *assembly_pin(PyObject *self, PyObject *args)
{
    return change(self, args, pin_class);
}

static PyObject *assembly_forbid(PyObject *self, PyObject *args)
{
    return change(self, args, forbid_class);
}

static PyObject *assembly_put_store(PyObject *self, PyObject *args)
{
    return change(self, args, put_store);
}

/* ------------------------------------------------------------------ what it is */

static PyObject *instance_of(const struct portolan_assembly_instance *i)
{
    const struct portolan_assembly_alternative *selected = &i->alternatives[i->selected];
    PyObject *d = PyDict_New(), *classes = PyList_New(0), *parameters = PyDict_New();
    bool good = d && classes && parameters;

    for (size_t k = 0; good && k < i->n_alternatives; k++) {
        PyObject *name = module_text(i->alternatives[k].class_name);

        good = name && PyList_Append(classes, name) == 0;
        Py_XDECREF(name);
    }
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

    (void)none;
    for (size_t i = 0; list && i < a->n_instances; i++) {
        PyObject *one = instance_of(&a->instances[i]);

        if (!one || PyList_Append(list, one) != 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
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

    (void)none;
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
    (void)none;
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
        {"set", assembly_set, METH_VARARGS, "Sets a parameter."},
        {"select", assembly_select, METH_VARARGS, "Selects the class of an instance."},
        {"pin", assembly_pin, METH_VARARGS, "Allows this class only."},
        {"forbid", assembly_forbid, METH_VARARGS, "Forbids a class."},
        {"put_store", assembly_put_store, METH_VARARGS, "Names the store."},
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
    static PyType_Spec spec = {"portolan._portolan.Assembly", sizeof(struct assembly), 0,
                               Py_TPFLAGS_DEFAULT, slots};

    return module_add_type(module, "Assembly", &spec, NULL);
}
