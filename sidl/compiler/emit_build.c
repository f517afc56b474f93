/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that describe the generated code for make, meson, pkg-config and sidl.Loader. */
#include "emit.h"

#include <string.h>

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), n = strlen(ending);

    return length >= n && strcmp(name + length - n, ending) == 0;
}

/* The kinds of files in Babel's babel.make; the first ending that matches counts. */
static void put_make(struct emitter *e, size_t n_outputs)
{
    static const struct {
        const char *variable, *ending[2];
    } kinds[] = {
        {"IMPLHDRS", {"_Impl.h", "_Impl.hxx"}},
        {"IMPLSRCS", {"_Impl.c", "_Impl.cxx"}},
        {"IORHDRS", {"_IOR.h"}},
        {"IORSRCS", {NULL}},
        {"SKELSRCS", {"_Skel.c"}},
        {"STUBHDRS", {".h", ".hxx"}},
        {"STUBSRCS", {".c"}},
        /* Modules in an order in which they can be compiled: these after those of STUBMODULESRCS.
         */
        {"IMPLMODULESRCS", {"_Impl.F90"}},
        {"STUBMODULESRCS", {".f90"}},
    };
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    struct portolan_text *t = &emit_open_raw(e, "babel.make")->text;
    struct portolan_text lists[N_KINDS] = {{0}};

    for (size_t i = 0; i < n_outputs; i++)
        for (size_t k = 0; k < N_KINDS; k++)
            if ((kinds[k].ending[0] && ends_with(e->outputs[i]->name, kinds[k].ending[0])) ||
                (kinds[k].ending[1] && ends_with(e->outputs[i]->name, kinds[k].ending[1]))) {
                lists[k].arena = e->arena;
                portolan_text_add(&lists[k], " \\\n  %s", e->outputs[i]->name);
                break;
            }
    portolan_text_add(t, "# " EMIT_BANNER "; changes will be lost.\n");
    for (size_t k = 0; k < N_KINDS; k++)
        portolan_text_add(t, "%s =%s\n", kinds[k].variable, lists[k].length ? lists[k].bytes : "");
}

/* Opens an output that is not written if others wrote the existing file. */
static struct portolan_text *open_shared(struct emitter *e, const char *name)
{
    struct output *o = emit_open_raw(e, name);

    o->is_shared = true;
    return &o->text;
}

/* The outermost package that was named in the files. */
static const struct portolan_sidl_symbol *
first_requested(const struct portolan_sidl_symbol *package)
{
    const struct portolan_sidl_symbol *found = NULL;

    for (size_t i = 0; i < package->n_children && !found; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            found = package->children[i]->is_requested ? package->children[i]
                                                       : first_requested(package->children[i]);
    return found;
}

static void put_files(struct emitter *e, struct portolan_text *t, const char *ending)
{
    for (size_t i = 0; i < e->n_outputs; i++)
        if (ends_with(e->outputs[i]->name, ending))
            portolan_text_add(t, "  '%s',\n", e->outputs[i]->name);
}

/* For use with subdir(): the sources, and a dependency that they need. */
static void put_meson(struct emitter *e, const char *name)
{
    struct portolan_text *t = open_shared(e, "meson.build");

    emit_named(t, name, "# " EMIT_BANNER "; changes will be lost.\n@_sources = files(\n");
    put_files(e, t, ".c");
    put_files(e, t, ".cxx");
    put_files(e, t, ".f90");
    put_files(e, t, ".F90");
    emit_named(t, name, ")\n@_headers = files(\n");
    put_files(e, t, ".h");
    put_files(e, t, ".hxx");
    emit_named(t, name,
               ")\n@_dep = declare_dependency(\n"
               "  include_directories: include_directories('.'),\n"
               "  dependencies: dependency('portolan'),\n)\n");
}

/* For a library lib/libNAME.so with its headers in include/NAME, under any prefix. */
static void put_pkg_config(struct emitter *e, const char *name,
                           const struct portolan_sidl_symbol *package)
{
    struct portolan_text *t = open_shared(e, portolan_arena_printf(e->arena, "%s.pc", name));

    portolan_text_add(t,
                      "# " EMIT_BANNER "; changes will be lost.\n"
                      "prefix=${pcfiledir}/../..\nlibdir=${pcfiledir}/..\n"
                      "includedir=${prefix}/include/%s\n\n"
                      "Name: %s\nDescription: the SIDL package %s\nVersion: %s\n"
                      "Requires: portolan\nLibs: -L${libdir} -l%s\nCflags: -I${includedir}\n",
                      name, name, package->full_name, package->version ? package->version : "0",
                      name);
}

static void put_class_line(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    if (s->kind == PORTOLAN_SIDL_CLASS && class_language(e, s) != PORTOLAN_SIDL_PYTHON)
        portolan_text_add(&e->outputs[e->n_outputs - 1]->text,
                          "    <class name=\"%s\" desc=\"ior/impl\"/>\n", s->full_name);
}

/* Writes the file by which sidl.Loader finds the classes in a library in the same folder. */
static void put_scl(struct emitter *e, const char *name)
{
    struct portolan_text *t = open_shared(e, portolan_arena_printf(e->arena, "%s.scl", name));

    emit_named(t, name,
               "<!-- " EMIT_BANNER "; changes will be lost. -->\n<scl>\n"
               "  <library uri=\"lib@.so\" scope=\"global\" resolution=\"now\">\n");
    emit_each(e, e->model->global, put_class_line);
    portolan_text_add(t, "  </library>\n</scl>\n");
}

void emit_build_files(struct emitter *e)
{
    const struct portolan_sidl_symbol *package = first_requested(e->model->global);

    if (!package)
        return;
    put_make(e, e->n_outputs);
    put_meson(e, package->c_name);
    put_pkg_config(e, package->c_name, package);
    put_scl(e, package->c_name);
}
