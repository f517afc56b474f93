/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the tables of a package in the libraries of this process, and says what is in them. */
#include "sidl_module.h"

#include <portolan/framework.h>

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
    char symbol[256];
    const struct sidl_package *found;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    void *library = *info->dlpi_name ? dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD) : NULL;

    if (!library)
        return 0;
    s->found = dlsym(library, s->symbol);
    dlclose(library);
    return s->found != NULL;
}

static bool is_in(const char *type, const char *package)
{
    size_t length = strlen(package);

    return !strncmp(type, package, length) && type[length] == '.' &&
           !strchr(type + length + 1, '.');
}

/* A proxy has the tables of its port's package, too, where all classes are in Python. */
static bool has_type(const struct portolan_class_description *c, const char *package)
{
    bool has = is_in(c->proxy_for ? c->proxy_for : c->class_name, package);

    for (size_t i = 0; i < c->n_provides; i++)
        has |= is_in(c->provides[i].type, package);
    return has && c->library && !strstr(c->library, ".py");
}

/* Plug-ins may hide their tables: then an object has them, made by the descriptor that they export.
 */
static void look_at_object(const struct portolan_class_description *c, const char *package,
                           struct search *s)
{
    void *library = dlopen(c->library, RTLD_NOW | RTLD_NOLOAD);
    const struct portolan_component *component;
    sidl_BaseInterface ex = NULL;
    struct sidl_object *object;
    gov_cca_Component made;
    char symbol[256];

    snprintf(symbol, sizeof symbol, "portolan_component_%s", c->class_name);
    for (char *at = symbol; (at = strchr(at, '.'));)
        *at = '_';
    component = library ? dlsym(library, symbol) : NULL;
    made = component ? component->create(&ex) : NULL;
    object = sidl_reference_peek(made);
    for (size_t i = 0; object && !s->found && i < object->n_facets; i++) {
        const struct sidl_details *d = sidl_type_details(object->facets[i].type);

        if (is_in(object->facets[i].type->name, package) && d)
            s->found = d->package;
    }
    sidl_reference_delete(made, NULL);
    sidl_reference_delete(ex, NULL);
    if (library)
        dlclose(library);
}

/* Loads plug-ins of the palette that have types of the package, until one has the tables. */
static enum portolan_status load_classes(const char *name, const char *path, struct search *s,
                                         struct portolan_error *err)
{
    const struct portolan_class_description *c = NULL;
    struct portolan_palette *palette = NULL;
    struct portolan_error ignored = {0}; /* others' mistakes */
    enum portolan_status status = portolan_palette_create(&palette, err);

    if (!status && path)
        portolan_palette_add_path(palette, path, NULL, &ignored);
    if (!status)
        portolan_palette_add_defaults(palette, NULL, &ignored);
    while (!status && !s->found && (c = portolan_palette_next(palette, c))) {
        if (!has_type(c, name) || portolan_class_load(c, &ignored))
            continue;
        dl_iterate_phdr(look_into, s);
        if (!s->found)
            look_at_object(c, name, s);
    }
    portolan_palette_destroy(palette);
    return status;
}

static PyObject *list_parents(const struct sidl_type *t)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < t->n_parents; i++)
        list = module_append(list, module_text(t->parents[i]->name));
    return list;
}

/* [(name, value or type)] of enumerators and members … */
static PyObject *list_members(const struct sidl_details *d)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < d->n_members; i++) {
        const struct sidl_member *m = &d->members[i];

        list = module_append(list, m->type ? Py_BuildValue("(ss)", m->name, m->type)
                                           : Py_BuildValue("(sL)", m->name, m->value));
    }
    return list;
}

/* … and [(name, signature)] of methods. */

static PyObject *list_methods(const struct sidl_details *d, const uint16_t *numbers, size_t n)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < n; i++) {
        const struct sidl_entry *e = &d->package->methods[numbers[i]];

        list = module_append(list, Py_BuildValue("(ss)", e->name, e->signature->text));
    }
    return list;
}

static PyObject *type_of(const struct sidl_type *t)
{
    static const char *const kinds[] = {"interface", "class", "enum", "struct"};
    const struct sidl_details *d = sidl_type_details(t);
    PyObject *dict = PyDict_New();

    if (!d) {
        Py_XDECREF(dict);
        return PyErr_Format(
            module_error,
            "the tables of %s have no signatures: an older portolan sidl wrote them; "
            "run it again, and rebuild the plug-in",
            t->name);
    }
    if (dict && module_put(dict, "name", module_text(t->name)) &&
        module_put(dict, "kind", module_text(kinds[t->kind])) &&
        module_put(dict, "parents", list_parents(t)) &&
        module_put(dict, "members", list_members(d)) &&
        module_put(dict, "methods", list_methods(d, d->slots, t->n_methods)) &&
        module_put(dict, "statics", list_methods(d, d->statics, d->n_statics)) &&
        module_put(dict, "type", PyCapsule_New((void *)t, NULL, NULL)))
        return dict;
    Py_XDECREF(dict);
    return NULL;
}

static PyObject *list_types(const struct sidl_package *p)
{
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list && i < p->n_types; i++)
        list = module_append(list, type_of(p->types[i]));
    return list;
}

/* package(name, library or None, path or None): a dictionary for each type. */
PyObject *package_function(PyObject *module, PyObject *args)
{
    struct portolan_error err = {0};
    const char *name, *file = NULL, *path = NULL;
    struct search s = {.found = NULL};
    void *library = NULL;

    if (!PyArg_ParseTuple(args, "s|zz:package", &name, &file, &path))
        return NULL;
    snprintf(s.symbol, sizeof s.symbol, "%s__package", name);
    for (char *at = s.symbol; *at; at++)
        if (*at == '.')
            *at = '_';
    if (file && !(library = dlopen(file, RTLD_NOW | RTLD_LOCAL))) /* stays, as plug-ins do */
        return PyErr_Format(module_error, "%s", dlerror());
    if (library)
        s.found = dlsym(library, s.symbol);
    else
        dl_iterate_phdr(look_into, &s);
    if (!s.found && !file && load_classes(name, path, &s, &err))
        return module_raise(&err);
    if (s.found)
        return list_types(s.found);
    return PyErr_Format(
        module_error,
        file ? "%s has no tables of package %s"
             : "no plug-in that is loaded, or has a class of it on PORTOLAN_PATH, has "
               "tables of package %s; name one: portolan.sidl(\"%s\", library=FILE)",
        file ? file : name, name);
}
