/* SPDX-License-Identifier: BSD-3-Clause */
/* The framework inside a Python program, of which portolan.Framework uses the builder. */
#include "sidl_module.h"

#include <portolan/framework.h>

#include <string.h>

struct framework {
    PyObject_HEAD struct portolan_palette *palette;
    struct portolan_framework *fw;
    gov_cca_Services services; /* of this program, as the instance "python" */
};

static PyObject *framework_make(PyTypeObject *type, PyObject *args, PyObject *named)
{
    struct portolan_cohort *cohort;
    struct portolan_error err = {0};
    struct module_problems p;
    sidl_BaseInterface ex = NULL;
    const char *path = NULL;
    enum portolan_status status;
    struct framework *f;

    if (!PyArg_ParseTuple(args, "|z:Framework", &path) || !(cohort = ranks_begin()) ||
        !(f = (struct framework *)PyType_GenericAlloc(type, 0)))
        return NULL;
    module_problems_begin(&p);
    status = portolan_palette_create(&f->palette, &err);
    if (!status && path)
        status = portolan_palette_add_path(f->palette, path, &p.d, &err);
    if (!status)
        status = portolan_palette_add_defaults(f->palette, &p.d, &err);
    if (!status)
        status = portolan_framework_create(f->palette, cohort, &f->fw, &err);
    if (!status)
        status = ranks_serve(f->fw, &err);
    if (!status) {
        f->services =
            portolan_framework_get_services(f->fw, "python", "portolan.Program", NULL, &ex);
        status = portolan_catch(&ex, &err);
    }
    if (!status)
        return (PyObject *)f;
    Py_DECREF(f);
    return module_problems_raise(&p, &err);
}

static void shut(struct framework *f)
{
    sidl_BaseInterface late = NULL; /* nobody is left to hear of it */

    if (f->services) {
        portolan_framework_release_services(f->fw, f->services, &late);
        portolan_catch(&late, NULL);
        gov_cca_Services_deleteRef(f->services, NULL);
    }
    f->services = NULL;
    Py_BEGIN_ALLOW_THREADS;
    portolan_framework_destroy(f->fw);
    Py_END_ALLOW_THREADS;
    f->fw = NULL;
}

static void framework_free(PyObject *self)
{
    struct framework *f = (struct framework *)self;

    shut(f);
    portolan_palette_destroy(f->palette);
    module_free(self);
}

static PyObject *framework_close(PyObject *self, PyObject *none)
{
    shut((struct framework *)self);
    Py_RETURN_NONE;
}

/* builder, extension, services: objects of SIDL. WHICH is the place of its letter. */
static PyObject *get_object(PyObject *self, void *which)
{
    const struct framework *f = (const struct framework *)self;
    const char letter = *(const char *)which;
    void *reference;

    if (!f->fw) {
        PyErr_SetString(PyExc_ValueError, "the framework is closed");
        return NULL;
    }
    reference = letter == 'b'   ? (void *)portolan_framework_peek_builder(f->fw)
                : letter == 'e' ? (void *)portolan_framework_peek_extension(f->fw)
                                : (void *)f->services;
    sidl_reference_add(reference, NULL);
    return object_wrap(reference, NULL, 0);
}

/* Parameters as texts, whose types the class's description has. */
static gov_cca_TypeMap take_parameters(const struct framework *f, const char *class_name,
                                       PyObject *parameters, struct portolan_error *err)
{
    const struct portolan_class_description *c = portolan_palette_find(f->palette, class_name);
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = portolan_typemap_create(&ex);
    enum portolan_status status = portolan_catch(&ex, err);
    PyObject *name, *value;
    Py_ssize_t at = 0;

    while (!status && c && PyDict_Next(parameters, &at, &name, &value)) {
        const char *key = PyUnicode_AsUTF8AndSize(name, NULL);
        const char *text = key ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        const struct portolan_parameter_description *d =
            text ? portolan_class_parameter(c, key) : NULL;

        if (!text)
            status = PORTOLAN_EINVAL; /* an exception is set */
        else if (!d)
            status = portolan_error_set(err, PORTOLAN_ENOTFOUND, "class %s has no parameter '%s'",
                                        class_name, key);
        else
            status = portolan_typemap_put_text(
                map, key, portolan_typemap_type_of(d->type, d->is_array), text, err);
    }
    if (status && map) {
        gov_cca_TypeMap_deleteRef(map, NULL);
        map = NULL;
    }
    return map;
}

/* parameters(class, texts by name): a TypeMap. */
static PyObject *framework_parameters(PyObject *self, PyObject *args)
{
    struct portolan_error err = {0};
    const char *class_name;
    PyObject *parameters;
    gov_cca_TypeMap map;

    if (!PyArg_ParseTuple(args, "sO!:parameters", &class_name, &PyDict_Type, &parameters))
        return NULL;
    map = take_parameters((struct framework *)self, class_name, parameters, &err);
    return map ? object_wrap(map, NULL, 0) : module_raise(&err);
}

/* Names and summaries of all classes that are no proxies. */
static PyObject *framework_classes(PyObject *self, PyObject *none)
{
    const struct framework *f = (const struct framework *)self;
    const struct portolan_class_description *c = NULL;
    PyObject *all = PyDict_New();

    while (all && (c = portolan_palette_next(f->palette, c)))
        if (!c->proxy_for && !module_put(all, c->class_name, module_text(c->summary)))
            Py_CLEAR(all);
    return all;
}

bool framework_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"parameters", framework_parameters, METH_VARARGS, "Parameters of a class."},
        {"classes", framework_classes, METH_NOARGS, "The classes that there are."},
        {"close", framework_close, METH_NOARGS, "Ends all instances."},
        {0},
    };
    static PyGetSetDef members[] = {
        {"builder", get_object, NULL, "its BuilderService", "b"},
        {"extension", get_object, NULL, "its portolan.ports.Builder", "e"},
        {"services", get_object, NULL, "those of this program", "s"},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, framework_make},
        {Py_tp_dealloc, framework_free},
        {Py_tp_methods, methods},
        {Py_tp_getset, members},
        {Py_tp_doc, "A framework in this process."},
        {0},
    };

    return module_add_type(module, "portolan._portolan.Framework", sizeof(struct framework), 0,
                           slots, NULL);
}
