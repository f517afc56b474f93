/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files in memory, and what generated code needs to know of classes. */
#include "emit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct output *emit_open_raw(struct emitter *e, const char *name)
{
    struct output *o = portolan_arena_alloc(e->arena, 1, sizeof *o);

    o->name = name;
    o->text.arena = e->arena;
    ARENA_PUSH(e->arena, e->outputs, e->n_outputs, o);
    return o;
}

struct portolan_text *emit_open(struct emitter *e, const char *name,
                                const struct portolan_sidl_symbol *symbol)
{
    struct output *o = emit_open_raw(e, name);

    portolan_text_add(&o->text, "/* " EMIT_BANNER " from %s %s; changes will be lost. */\n",
                      symbol->full_name, symbol->version ? symbol->version : "");
    return &o->text;
}

/* Returns whether a file belongs to the author of a class. */
static bool is_author_s(const char *name)
{
    const char *ending = strstr(name, "_Impl.");

    return ending && (!strcmp(ending, "_Impl.c") || !strcmp(ending, "_Impl.cxx") ||
                      !strcmp(ending, "_Impl.hxx") || !strcmp(ending, "_Impl.F90") ||
                      !strcmp(ending, "_Impl.h"));
}

const char *emit_path(struct emitter *e, const char *name)
{
    const char *dir =
        e->options->impl_dir && is_author_s(name) ? e->options->impl_dir : e->options->output_dir;

    return portolan_arena_printf(e->arena, "%s/%s", dir ? dir : ".", name);
}

const char *emit_read_existing(struct emitter *e, const char *name, size_t *size)
{
    const char *path = emit_path(e, name);
    struct portolan_text text = {.arena = e->arena};

    *size = 0;
    if (e->only_list || access(path, F_OK) != 0)
        return NULL;
    if (!arena_read_file(&text, path, SIZE_MAX))
        portolan_diagnose(e->d, path, 1, 0, "cannot be read: %s", strerror(errno));
    *size = text.length;
    return text.bytes ? text.bytes : "";
}

bool emit_is_handwritten(const struct portolan_sidl_symbol *symbol)
{
    return strcmp(symbol->full_name, "sidl.BaseInterface") == 0 ||
           strcmp(symbol->full_name, "sidl.BaseClass") == 0;
}

/* The header of package sidl has another name, since sidl.h belongs to the run time. */
const char *emit_package_header(struct portolan_arena *a,
                                const struct portolan_sidl_symbol *package)
{
    return portolan_arena_printf(a, "%s%s", package->c_name,
                                 strcmp(package->full_name, "sidl") == 0 ? "__all.h" : ".h");
}

void emit_each(struct emitter *e, const struct portolan_sidl_symbol *package,
               void (*fn)(struct emitter *e, const struct portolan_sidl_symbol *type))
{
    for (size_t i = 0; i < package->n_children; i++) {
        const struct portolan_sidl_symbol *child = package->children[i];

        if (child->kind == PORTOLAN_SIDL_PACKAGE)
            emit_each(e, child, fn);
        else if (package->is_requested && !emit_is_handwritten(child))
            fn(e, child);
    }
}

const struct portolan_sidl_symbol *class_parent(const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_symbol *parent = s->n_extends ? s->extends[0]->symbol : NULL;

    return parent && !emit_is_handwritten(parent) ? parent : NULL;
}

bool class_defines(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const struct portolan_sidl_method *own = symbol_method(s, m->slot_name);

    if (own)
        return !(own->flags & PORTOLAN_SIDL_ABSTRACT);
    for (size_t i = 0; i < s->n_implements; i++)
        if (s->implements[i]->is_all &&
            symbol_slot(s->implements[i]->symbol, m->slot_name) < s->implements[i]->symbol->n_slots)
            return true;
    return false;
}

bool class_overrides(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const struct portolan_sidl_symbol *parent = class_parent(s);
    const size_t slot = parent ? symbol_slot(parent, m->slot_name) : 0;

    return parent && !method_is_static(m) && slot < parent->n_slots && parent->own.has_body[slot];
}

struct bodies class_bodies(struct portolan_arena *a, const struct portolan_sidl_symbol *s)
{
    struct bodies bodies = {0};

    for (size_t i = 0; i < s->n_methods; i++)
        if (method_is_static(s->methods[i]))
            ARENA_PUSH(a, bodies.list, bodies.count, s->methods[i]);
    for (size_t i = 0; i < s->n_slots; i++)
        if (class_defines(s, s->slots[i]))
            ARENA_PUSH(a, bodies.list, bodies.count, s->slots[i]);
    for (size_t i = 0; i < bodies.count; i++)
        bodies.overrides_any |= class_overrides(s, bodies.list[i]);
    return bodies;
}

size_t class_depth(const struct portolan_sidl_symbol *s)
{
    size_t depth = 0;

    while ((s = class_parent(s)))
        depth++;
    return depth;
}
