/* SPDX-License-Identifier: BSD-3-Clause */
/* Beside the generated code: what make, meson, pkg-config and sidl.Loader want to know of it. */
#include "emit.h"

#include <string.h>

/* The kinds of file that Babel's babel.make tells apart. */
struct lists {
    struct portolan_text impl_headers, impl_sources, ior_headers, skel_sources, stub_headers,
        stub_sources;
};

static void add(struct portolan_text *t, const char *name)
{
    portolan_text_add(t, " \\\n  %s", name);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), n = strlen(ending);

    return length >= n && strcmp(name + length - n, ending) == 0;
}

static struct lists collect(struct emitter *e)
{
    struct portolan_text empty = {.arena = e->arena};
    struct lists l = {empty, empty, empty, empty, empty, empty};

    for (size_t i = 0; i < e->n_outputs; i++) {
        const char *name = e->outputs[i]->name;

        if (ends_with(name, "_Impl.h"))
            add(&l.impl_headers, name);
        else if (ends_with(name, "_Impl.c"))
            add(&l.impl_sources, name);
        else if (ends_with(name, "_Skel.c"))
            add(&l.skel_sources, name);
        else if (ends_with(name, "_IOR.h"))
            add(&l.ior_headers, name);
        else if (ends_with(name, ".h"))
            add(&l.stub_headers, name);
        else if (ends_with(name, ".c"))
            add(&l.stub_sources, name);
    }
    return l;
}

static void emit_make(struct emitter *e, const struct lists *l)
{
    struct portolan_text *t = &emit_open_raw(e, "babel.make")->text;
    const struct {
        const char *name;
        const struct portolan_text *list;
    } variables[] = {
        {"IMPLHDRS", &l->impl_headers}, {"IMPLSRCS", &l->impl_sources},
        {"IORHDRS", &l->ior_headers},   {"IORSRCS", NULL},
        {"SKELSRCS", &l->skel_sources}, {"STUBHDRS", &l->stub_headers},
        {"STUBSRCS", &l->stub_sources},
    };

    portolan_text_add(t, "# " EMIT_BANNER "; changes will be lost.\n");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        portolan_text_add(t, "%s =%s\n", variables[i].name,
                          variables[i].list && variables[i].list->length ? variables[i].list->bytes
                                                                         : "");
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

/* Included with subdir(): sources, and a dependency with what they need. */
static void emit_meson(struct emitter *e, const char *name)
{
    struct output *o = emit_open_raw(e, "meson.build");

    o->is_shared = true;
    portolan_text_add(&o->text, "# " EMIT_BANNER "; changes will be lost.\n%s_sources = files(\n",
                      name);
    for (size_t i = 0; i < e->n_outputs; i++)
        if (ends_with(e->outputs[i]->name, ".c"))
            portolan_text_add(&o->text, "  '%s',\n", e->outputs[i]->name);
    portolan_text_add(&o->text, ")\n%s_headers = files(\n", name);
    for (size_t i = 0; i < e->n_outputs; i++)
        if (ends_with(e->outputs[i]->name, ".h"))
            portolan_text_add(&o->text, "  '%s',\n", e->outputs[i]->name);
    portolan_text_add(&o->text,
                      ")\n%s_dep = declare_dependency(\n"
                      "  include_directories: include_directories('.'),\n"
                      "  dependencies: dependency('portolan'),\n)\n",
                      name);
}

/* For a library lib/libNAME.so with its headers in include/NAME, wherever both are installed. */
static void emit_pkg_config(struct emitter *e, const char *name,
                            const struct portolan_sidl_symbol *package)
{
    struct output *o = emit_open_raw(e, portolan_arena_printf(e->arena, "%s.pc", name));

    o->is_shared = true;
    portolan_text_add(&o->text,
                      "# " EMIT_BANNER "; changes will be lost.\n"
                      "prefix=${pcfiledir}/../..\nlibdir=${pcfiledir}/..\n"
                      "includedir=${prefix}/include/%s\n\n"
                      "Name: %s\nDescription: the SIDL package %s\nVersion: %s\n"
                      "Requires: portolan\nLibs: -L${libdir} -l%s\nCflags: -I${includedir}\n",
                      name, name, package->full_name, package->version ? package->version : "0",
                      name);
}

static void emit_class_line(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    if (s->kind == PORTOLAN_SIDL_CLASS)
        portolan_text_add(&e->outputs[e->n_outputs - 1]->text,
                          "    <class name=\"%s\" desc=\"ior/impl\"/>\n", s->full_name);
}

/* Where sidl.Loader finds the classes: in a library beside this file. */
static void emit_scl(struct emitter *e, const char *name)
{
    struct output *o = emit_open_raw(e, portolan_arena_printf(e->arena, "%s.scl", name));

    o->is_shared = true;
    portolan_text_add(&o->text,
                      "<!-- " EMIT_BANNER "; changes will be lost. -->\n<scl>\n"
                      "  <library uri=\"lib%s.so\" scope=\"global\" resolution=\"now\">\n",
                      name);
    emit_each(e, e->model->global, emit_class_line);
    portolan_text_add(&o->text, "  </library>\n</scl>\n");
}

void emit_build_files(struct emitter *e)
{
    const struct portolan_sidl_symbol *package = first_requested(e->model->global);
    const struct lists lists = collect(e);

    if (!package)
        return;
    emit_make(e, &lists);
    emit_meson(e, package->c_name);
    emit_pkg_config(e, package->c_name, package);
    emit_scl(e, package->c_name);
}
