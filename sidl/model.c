/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include <stdio.h>
#include <string.h>

void diagnose_at(struct portolan_diagnostics *d, const struct portolan_sidl_place *place,
                 const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_diagnose(d, place->file, place->line, place->column, "%s", text);
}

struct portolan_sidl_symbol *symbol_child(const struct portolan_sidl_symbol *package,
                                          const char *name)
{
    for (size_t i = 0; i < package->n_children; i++)
        if (strcmp(package->children[i]->name, name) == 0)
            return package->children[i];
    return NULL;
}

struct portolan_sidl_symbol *symbol_add(struct portolan_sidl_model *model,
                                        struct portolan_sidl_symbol *package,
                                        enum portolan_sidl_symbol_kind kind, const char *name,
                                        struct portolan_sidl_place place)
{
    struct portolan_sidl_symbol *symbol = portolan_arena_alloc(&model->arena, 1, sizeof *symbol);
    const bool is_top = !package || package == model->global;
    char *c_name;

    symbol->kind = kind;
    symbol->name = name;
    symbol->full_name =
        is_top ? name : portolan_arena_printf(&model->arena, "%s.%s", package->full_name, name);
    c_name = portolan_arena_printf(&model->arena, "%s", symbol->full_name);
    for (char *c = c_name; *c; c++)
        if (*c == '.')
            *c = '_';
    symbol->c_name = c_name;
    symbol->place = place;
    symbol->package = package;
    if (package)
        ARENA_PUSH(&model->arena, package->children, package->n_children, symbol);
    return symbol;
}

struct portolan_sidl_symbol *symbol_find(const struct portolan_sidl_model *model,
                                         const char *full_name)
{
    struct portolan_sidl_symbol *symbol = model->global;

    while (symbol && *full_name) {
        const size_t length = strcspn(full_name, ".");
        struct portolan_sidl_symbol *found = NULL;

        for (size_t i = 0; i < symbol->n_children && !found; i++)
            if (strlen(symbol->children[i]->name) == length &&
                memcmp(symbol->children[i]->name, full_name, length) == 0)
                found = symbol->children[i];
        symbol = found;
        full_name += length + (full_name[length] == '.');
    }
    return symbol == model->global ? NULL : symbol;
}

const char *symbol_kind_text(const struct portolan_sidl_symbol *symbol)
{
    switch (symbol->kind) {
    case PORTOLAN_SIDL_PACKAGE:
        return "a package";
    case PORTOLAN_SIDL_INTERFACE:
        return "an interface";
    case PORTOLAN_SIDL_CLASS:
        return "a class";
    case PORTOLAN_SIDL_ENUMERATION:
        return "an enum";
    case PORTOLAN_SIDL_STRUCTURE:
        return "a struct";
    }
    return "a type";
}

bool symbol_is_object(const struct portolan_sidl_symbol *symbol)
{
    return symbol->kind == PORTOLAN_SIDL_INTERFACE || symbol->kind == PORTOLAN_SIDL_CLASS;
}

size_t symbol_n_parents(const struct portolan_sidl_symbol *symbol)
{
    return symbol->n_extends + symbol->n_implements;
}

const struct portolan_sidl_type *symbol_parent(const struct portolan_sidl_symbol *symbol, size_t i)
{
    return i < symbol->n_extends ? symbol->extends[i] : symbol->implements[i - symbol->n_extends];
}

static bool inherits(const struct portolan_sidl_symbol *symbol, const char *full_name, int depth)
{
    if (strcmp(symbol->full_name, full_name) == 0)
        return true;
    for (size_t i = 0; i < symbol_n_parents(symbol) && depth < MAX_DEPTH; i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(symbol, i)->symbol;

        if (parent && inherits(parent, full_name, depth + 1))
            return true;
    }
    return false;
}

bool symbol_inherits(const struct portolan_sidl_symbol *symbol, const char *full_name)
{
    return inherits(symbol, full_name, 0);
}

bool type_equal(const struct portolan_sidl_type *a, const struct portolan_sidl_type *b)
{
    if (a->kind != b->kind || a->symbol != b->symbol || !a->element != !b->element)
        return false;
    return !a->element || (a->dimension == b->dimension && a->order == b->order &&
                           type_equal(a->element, b->element));
}

const struct portolan_sidl_symbol *portolan_sidl_find(const struct portolan_sidl_model *model,
                                                      const char *full_name)
{
    return full_name ? symbol_find(model, full_name) : NULL;
}

const struct portolan_sidl_symbol *portolan_sidl_global(const struct portolan_sidl_model *model)
{
    return model->global;
}

void portolan_sidl_visit(const struct portolan_sidl_symbol *package,
                         void (*visit)(void *arg, const struct portolan_sidl_symbol *type),
                         void *arg)
{
    for (size_t i = 0; i < package->n_children; i++) {
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            portolan_sidl_visit(package->children[i], visit, arg);
        else
            visit(arg, package->children[i]);
    }
}

struct nearest {
    const char *wanted;
    const char *found;
};

/* portolan_nearest_word keeps the nearer of two: the best so far and this one. */
static void try_nearest(void *arg, const struct portolan_sidl_symbol *type)
{
    struct nearest *n = arg;
    const char *const known[] = {n->found ? n->found : type->full_name, type->full_name};
    const char *found = portolan_nearest_word(n->wanted, known, 2);

    if (found)
        n->found = found;
}

static void try_last_word(void *arg, const struct portolan_sidl_symbol *type)
{
    struct nearest *n = arg;
    const char *last = strrchr(n->wanted, '.');
    const char *const known[] = {type->name};

    if (!n->found && portolan_nearest_word(last ? last + 1 : n->wanted, known, 1))
        n->found = type->full_name;
}

const char *portolan_sidl_nearest(const struct portolan_sidl_model *model, const char *full_name)
{
    struct nearest nearest = {.wanted = full_name};

    portolan_sidl_visit(model->global, try_nearest, &nearest);
    portolan_sidl_visit(model->global, try_last_word, &nearest);
    return nearest.found;
}

const struct portolan_sidl_attribute *
portolan_sidl_attribute(const struct portolan_sidl_attribute *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}
