/* SPDX-License-Identifier: BSD-3-Clause */
/* The framework inside a Python program: instances, connections, swaps, go ports. */
#include "module.h"

#include <portolan/framework.h>

#include <string.h>

struct framework {
    PyObject_HEAD struct portolan_palette *palette;
    struct portolan_framework *fw;
    gov_cca_Services services; /* of this program, as the instance "python" */
};

static PyObject *raise_thrown(sidl_BaseInterface *ex)
{
    struct portolan_error err = {0};

    portolan_catch(ex, &err);
    return module_raise(&err);
}

static PyObject *framework_make(PyTypeObject *type, PyObject *args, PyObject *named)
{
    static char *names[] = {"path", NULL};
    struct portolan_cohort *cohort;
    struct portolan_error err = {0};
    struct module_problems p;
    sidl_BaseInterface ex = NULL;
    const char *path = NULL;
    enum portolan_status status;
    struct framework *f;

    if (!PyArg_ParseTupleAndKeywords(args, named, "|z:Framework", names, &path) ||
        !(cohort = ranks_begin()) || !(f = (struct framework *)PyType_GenericAlloc(type, 0)))
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
    PyTypeObject *type = Py_TYPE(self);

    shut(f);
    portolan_palette_destroy(f->palette);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *framework_close(PyObject *self, PyObject *none)
{
    (void)none;
    shut((struct framework *)self);
    Py_RETURN_NONE;
}

/* The builder, borrowed; NULL with an exception once the framework is closed. */
static gov_cca_ports_BuilderService builder_of(const struct framework *f)
{
    if (f->fw)
        return portolan_framework_peek_builder(f->fw);
    PyErr_SetString(PyExc_ValueError, "the framework is closed");
    return NULL;
}

/* The instance of that name, a new reference; NULL with an exception in *EX. */
static gov_cca_ComponentID find(gov_cca_ports_BuilderService builder, const char *name,
                                sidl_BaseInterface *ex)
{
    return gov_cca_ports_BuilderService_getComponentID(builder, name, ex);
}

static void drop(gov_cca_ComponentID id)
{
    if (id)
        gov_cca_ComponentID_deleteRef(id, NULL);
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

static PyObject *framework_create(PyObject *self, PyObject *args)
{
    struct framework *f = (struct framework *)self;
    gov_cca_ports_BuilderService builder = builder_of(f);
    const char *name, *class_name;
    struct portolan_error err = {0};
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map;
    PyObject *parameters;

    if (!builder ||
        !PyArg_ParseTuple(args, "ssO!:create", &name, &class_name, &PyDict_Type, &parameters))
        return NULL;
    if (!(map = take_parameters(f, class_name, parameters, &err)))
        return module_raise(&err);
    Py_BEGIN_ALLOW_THREADS;
    drop(gov_cca_ports_BuilderService_createInstance(builder, name, class_name, map, &ex));
    gov_cca_TypeMap_deleteRef(map, NULL);
    Py_END_ALLOW_THREADS;
    if (ex)
        return raise_thrown(&ex);
    Py_RETURN_NONE;
}

static PyObject *framework_destroy(PyObject *self, PyObject *args)
{
    gov_cca_ports_BuilderService builder = builder_of((struct framework *)self);
    sidl_BaseInterface ex = NULL;
    gov_cca_ComponentID id;
    const char *name;

    if (!builder || !PyArg_ParseTuple(args, "s:destroy", &name))
        return NULL;
    id = find(builder, name, &ex);
    if (!ex)
        gov_cca_ports_BuilderService_destroyInstance(builder, id, 0, &ex);
    drop(id);
    if (ex)
        return raise_thrown(&ex);
    Py_RETURN_NONE;
}

static PyObject *framework_connect(PyObject *self, PyObject *args)
{
    gov_cca_ports_BuilderService builder = builder_of((struct framework *)self);
    gov_cca_ComponentID from = NULL, to = NULL;
    const char *user, *uses, *provider, *provides;
    sidl_BaseInterface ex = NULL;
    gov_cca_ConnectionID made = NULL;

    if (!builder || !PyArg_ParseTuple(args, "ssss:connect", &user, &uses, &provider, &provides))
        return NULL;
    from = find(builder, user, &ex);
    if (!ex)
        to = find(builder, provider, &ex);
    if (!ex)
        made = gov_cca_ports_BuilderService_connect(builder, from, uses, to, provides, &ex);
    if (made)
        gov_cca_ConnectionID_deleteRef(made, NULL);
    drop(from);
    drop(to);
    if (ex)
        return raise_thrown(&ex);
    Py_RETURN_NONE;
}

static PyObject *framework_replace(PyObject *self, PyObject *args)
{
    struct framework *f = (struct framework *)self;
    const char *instance, *class_name;
    sidl_BaseInterface ex = NULL;

    if (!builder_of(f) || !PyArg_ParseTuple(args, "ss:replace", &instance, &class_name))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    portolan_ports_Builder_replace(portolan_framework_peek_extension(f->fw), instance, class_name,
                                   NULL, &ex);
    Py_END_ALLOW_THREADS;
    if (ex)
        return raise_thrown(&ex);
    Py_RETURN_NONE;
}

/* Calls the go port that USES is connected to. */
static int32_t call_go(gov_cca_Services services, const char *uses, sidl_BaseInterface *ex)
{
    gov_cca_ports_GoPort port = portolan_port_get(services, uses, "gov.cca.ports.GoPort", ex);
    int32_t result = port ? gov_cca_ports_GoPort_go(port, ex) : -2;

    portolan_port_release(services, uses, port);
    return result;
}

/* go(instance, port): what it returned. */
static PyObject *framework_go(PyObject *self, PyObject *args)
{
    static const char uses[] = "go";
    struct framework *f = (struct framework *)self;
    gov_cca_ports_BuilderService builder = builder_of(f);
    gov_cca_ComponentID from = NULL, to = NULL;
    gov_cca_ConnectionID made = NULL;
    const char *instance, *port;
    sidl_BaseInterface ex = NULL, late = NULL;
    int32_t result = -2;

    if (!builder || !PyArg_ParseTuple(args, "ss:go", &instance, &port))
        return NULL;
    to = find(builder, instance, &ex);
    if (!ex)
        gov_cca_Services_registerUsesPort(f->services, uses, "gov.cca.ports.GoPort", NULL, &ex);
    if (ex) {
        drop(to);
        return raise_thrown(&ex);
    }
    from = gov_cca_Services_getComponentID(f->services, &ex);
    if (!ex)
        made = gov_cca_ports_BuilderService_connect(builder, from, uses, to, port, &ex);
    if (!ex) {
        Py_BEGIN_ALLOW_THREADS;
        result = call_go(f->services, uses, &ex);
        Py_END_ALLOW_THREADS;
        gov_cca_ports_BuilderService_disconnect(builder, made, 0, &late);
        portolan_catch(&late, NULL);
        gov_cca_ConnectionID_deleteRef(made, NULL);
    }
    gov_cca_Services_unregisterUsesPort(f->services, uses, &late);
    portolan_catch(&late, NULL);
    drop(from);
    drop(to);
    return ex ? raise_thrown(&ex) : PyLong_FromLong(result);
}

/* Names and summaries of all classes that are no proxies. */
static PyObject *framework_classes(PyObject *self, PyObject *none)
{
    const struct framework *f = (const struct framework *)self;
    const struct portolan_class_description *c = NULL;
    PyObject *all = PyDict_New();

    (void)none;
    while (all && (c = portolan_palette_next(f->palette, c)))
        if (!c->proxy_for && !module_put(all, c->class_name, module_text(c->summary)))
            Py_CLEAR(all);
    return all;
}

bool framework_add(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"create", framework_create, METH_VARARGS, "Makes an instance of a class."},
        {"destroy", framework_destroy, METH_VARARGS, "Ends an instance."},
        {"connect", framework_connect, METH_VARARGS, "Connects a uses port to a provides port."},
        {"replace", framework_replace, METH_VARARGS, "Swaps the class of an instance."},
        {"go", framework_go, METH_VARARGS, "Calls a go port."},
        {"classes", framework_classes, METH_NOARGS, "The classes that there are."},
        {"close", framework_close, METH_NOARGS, "Ends all instances."},
        {0},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, framework_make},
        {Py_tp_dealloc, framework_free},
        {Py_tp_methods, methods},
        {Py_tp_doc, "A framework in this process."},
        {0},
    };
    static PyType_Spec spec = {"portolan._portolan.Framework", sizeof(struct framework), 0,
                               Py_TPFLAGS_DEFAULT, slots};

    return module_add_type(module, "Framework", &spec, NULL);
}
