/* SPDX-License-Identifier: BSD-3-Clause */
/* C in Babel's binding: which files there are, and what several of them ask about classes. */
#include "emit.h"

#include <string.h>

bool emit_is_handwritten(const struct portolan_sidl_symbol *symbol)
{
    return strcmp(symbol->full_name, "sidl.BaseInterface") == 0 ||
           strcmp(symbol->full_name, "sidl.BaseClass") == 0;
}

/* The package sidl's header is named otherwise: sidl.h is the run time's. */
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

void emit_each_package(struct emitter *e, const struct portolan_sidl_symbol *package,
                       void (*fn)(struct emitter *e, const struct portolan_sidl_symbol *package))
{
    for (size_t i = 0; i < package->n_children; i++)
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            emit_each_package(e, package->children[i], fn);
    if (package->is_requested)
        fn(e, package);
}

const struct portolan_sidl_symbol *class_parent(const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_symbol *parent = s->n_extends ? s->extends[0]->symbol : NULL;

    return parent && !emit_is_handwritten(parent) ? parent : NULL;
}

static const struct portolan_sidl_method *find_method(const struct portolan_sidl_symbol *s,
                                                      const char *slot_name)
{
    for (size_t i = 0; i < s->n_methods; i++)
        if (strcmp(s->methods[i]->slot_name, slot_name) == 0)
            return s->methods[i];
    return NULL;
}

static const struct portolan_sidl_method *find_slot(const struct portolan_sidl_symbol *s,
                                                    const char *slot_name)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (strcmp(s->slots[i]->slot_name, slot_name) == 0)
            return s->slots[i];
    return NULL;
}

bool class_defines(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const struct portolan_sidl_method *own = find_method(s, m->slot_name);

    if (own)
        return !(own->flags & PORTOLAN_SIDL_ABSTRACT);
    for (size_t i = 0; i < s->n_implements; i++)
        if (s->implements[i]->is_all && find_slot(s->implements[i]->symbol, m->slot_name))
            return true;
    return false;
}

/* True when CLASS has a body for the slot, of its own or inherited. */
static bool has_body(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    while (s && !class_defines(s, m))
        s = class_parent(s);
    return s != NULL;
}

bool class_overrides(const struct portolan_sidl_symbol *s, const struct portolan_sidl_method *m)
{
    const struct portolan_sidl_symbol *parent = class_parent(s);

    return parent && !(m->flags & PORTOLAN_SIDL_STATIC) && find_slot(parent, m->slot_name) &&
           has_body(parent, m);
}

struct bodies class_bodies(struct portolan_arena *a, const struct portolan_sidl_symbol *s)
{
    struct bodies bodies = {0};

    for (size_t i = 0; i < s->n_methods; i++)
        if (s->methods[i]->flags & PORTOLAN_SIDL_STATIC)
            ARENA_PUSH(a, bodies.list, bodies.count, s->methods[i]);
    for (size_t i = 0; i < s->n_slots; i++)
        if (class_defines(s, s->slots[i]))
            ARENA_PUSH(a, bodies.list, bodies.count, s->slots[i]);
    return bodies;
}

static void emit_package(struct emitter *e, const struct portolan_sidl_symbol *package)
{
    emit_package_headers(e, package);
    emit_package_tables(e, package);
}

static void emit_client(struct emitter *e)
{
    emit_each(e, e->model->global, emit_type_header);
    emit_each_package(e, e->model->global, emit_package);
}

static void emit_class(struct emitter *e, const struct portolan_sidl_symbol *s)
{
    if (s->kind != PORTOLAN_SIDL_CLASS)
        return;
    emit_impl(e, s);
    emit_skel(e, s);
}

static void emit_server(struct emitter *e)
{
    emit_each(e, e->model->global, emit_class);
    emit_build_files(e);
}

const struct backend backend_c = {
    .language = "C",
    .emit_client = emit_client,
    .emit_server = emit_server,
};
