/* SPDX-License-Identifier: BSD-3-Clause */
/* Inheritance: who is whose parent, and the slots of every type's entry-point table. */
#include "model.h"

#include <string.h>

enum { UNSEEN, BUSY, DONE };

struct builder {
    struct portolan_sidl_model *model;
    struct portolan_diagnostics *d;
};

static bool same_signature(const struct portolan_sidl_method *a,
                           const struct portolan_sidl_method *b)
{
    if (!type_equal(a->result, b->result) || a->n_arguments != b->n_arguments)
        return false;
    for (size_t i = 0; i < a->n_arguments; i++)
        if (a->arguments[i].mode != b->arguments[i].mode ||
            !type_equal(a->arguments[i].type, b->arguments[i].type))
            return false;
    return true;
}

static size_t find_slot(const struct portolan_sidl_symbol *symbol, const char *slot_name)
{
    size_t i = 0;

    while (i < symbol->n_slots && strcmp(symbol->slots[i]->slot_name, slot_name) != 0)
        i++;
    return i;
}

/* The slot that FROM ("Scope.method") names in INTERFACE or above it. */
static const struct portolan_sidl_method *find_origin(const struct portolan_sidl_symbol *interface,
                                                      const char *from, int depth)
{
    const char *method = strrchr(from, '.');
    const size_t full = strlen(interface->full_name), length = method ? (size_t)(method - from) : 0;
    const struct portolan_sidl_method *found = NULL;

    if (full >= length && strncmp(interface->full_name + full - length, from, length) == 0 &&
        (full == length || interface->full_name[full - length - 1] == '.')) {
        const size_t at = find_slot(interface, method ? method + 1 : from);

        return at < interface->n_slots ? interface->slots[at] : NULL;
    }
    for (size_t i = 0; i < interface->n_extends && !found && depth < MAX_DEPTH; i++)
        if (interface->extends[i]->symbol)
            found = find_origin(interface->extends[i]->symbol, from, depth + 1);
    return found;
}

const struct portolan_sidl_method *method_origin(const struct portolan_sidl_method *method)
{
    const struct portolan_sidl_symbol *s = method->owner;
    const struct portolan_sidl_method *found = NULL;

    for (size_t i = 0; method->from && i < s->n_implements && !found; i++)
        if (s->implements[i]->symbol)
            found = find_origin(s->implements[i]->symbol, method->from, 0);
    return found;
}

/* SYMBOL, a class, has that method of an interface under another name. */
static bool is_renamed(const struct portolan_sidl_symbol *symbol,
                       const struct portolan_sidl_method *method)
{
    if (symbol->kind != PORTOLAN_SIDL_CLASS || method->owner->kind != PORTOLAN_SIDL_INTERFACE)
        return false;
    for (size_t i = 0; i < symbol->n_methods; i++)
        if (symbol->methods[i]->from && method_origin(symbol->methods[i]) == method)
            return true;
    return false;
}

static void inherit_slots(struct builder *b, struct portolan_sidl_symbol *symbol,
                          const struct portolan_sidl_type *parent)
{
    for (size_t i = 0; i < parent->symbol->n_slots; i++) {
        const struct portolan_sidl_method *method = parent->symbol->slots[i];
        const size_t at = find_slot(symbol, method->slot_name);

        if (parent->symbol->kind == PORTOLAN_SIDL_INTERFACE && is_renamed(symbol, method))
            continue;
        if (at == symbol->n_slots)
            ARENA_PUSH(&b->model->arena, symbol->slots, symbol->n_slots, method);
        else if (!same_signature(symbol->slots[at], method))
            diagnose_at(b->d, &parent->place,
                        "%s inherits %s from %s and from %s with different signatures, rename one",
                        symbol->full_name, method->slot_name, symbol->slots[at]->owner->full_name,
                        method->owner->full_name);
    }
}

static void own_slots(struct builder *b, struct portolan_sidl_symbol *symbol)
{
    for (size_t i = 0; i < symbol->n_methods; i++) {
        const struct portolan_sidl_method *method = symbol->methods[i], *inherited;
        size_t at;

        if (method->flags & PORTOLAN_SIDL_STATIC)
            continue;
        at = find_slot(symbol, method->slot_name);
        if (at == symbol->n_slots) {
            ARENA_PUSH(&b->model->arena, symbol->slots, symbol->n_slots, method);
            continue;
        }
        inherited = symbol->slots[at];
        if (inherited->owner == symbol)
            continue; /* twice in one type: check.c */
        if (!same_signature(inherited, method))
            diagnose_at(b->d, &method->place,
                        "%s is inherited from %s with another signature, rename it or repeat that "
                        "one exactly",
                        method->slot_name, inherited->owner->full_name);
        if (inherited->flags & PORTOLAN_SIDL_FINAL)
            diagnose_at(b->d, &method->place, "%s is final in %s and cannot be redefined",
                        method->slot_name, inherited->owner->full_name);
        symbol->slots[at] = method;
    }
}

static void check_parent(struct builder *b, const struct portolan_sidl_symbol *symbol, size_t i)
{
    const struct portolan_sidl_type *type = symbol_parent(symbol, i);
    const bool wants_class = symbol->kind == PORTOLAN_SIDL_CLASS && i < symbol->n_extends;

    if (!type->symbol)
        return;
    if (wants_class != (type->symbol->kind == PORTOLAN_SIDL_CLASS) ||
        !symbol_is_object(type->symbol))
        diagnose_at(b->d, &type->place, "%s is %s, %s %s %s", type->symbol->full_name,
                    symbol_kind_text(type->symbol),
                    symbol->kind == PORTOLAN_SIDL_CLASS ? "a class" : "an interface",
                    i < symbol->n_extends ? "extends" : "implements",
                    wants_class ? "a class (interfaces stand behind 'implements')" : "interfaces");
    else if (type->symbol->flags & PORTOLAN_SIDL_FINAL)
        diagnose_at(b->d, &type->place, "%s is final and cannot be extended",
                    type->symbol->full_name);
    for (size_t k = 0; k < i; k++)
        if (symbol_parent(symbol, k)->symbol == type->symbol)
            diagnose_at(b->d, &type->place, "%s is named twice as a parent",
                        type->symbol->full_name);
}

static void build(struct builder *b, struct portolan_sidl_symbol *symbol, int depth)
{
    if (symbol->checking == DONE || !symbol_is_object(symbol))
        return;
    symbol->checking = BUSY;
    for (size_t i = 0; i < symbol_n_parents(symbol); i++) {
        struct portolan_sidl_type *type = (struct portolan_sidl_type *)symbol_parent(symbol, i);

        check_parent(b, symbol, i);
        if (!type->symbol || !symbol_is_object(type->symbol))
            continue;
        if (type->symbol->checking == BUSY || depth >= MAX_DEPTH) {
            diagnose_at(b->d, &type->place,
                        depth >= MAX_DEPTH ? "%s inherits through more types than can be: %s"
                                           : "%s inherits itself through %s",
                        symbol->full_name, type->symbol->full_name);
            type->symbol = NULL; /* cut, so that nobody walks in circles */
            continue;
        }
        build(b, (struct portolan_sidl_symbol *)type->symbol, depth + 1);
        inherit_slots(b, symbol, type);
    }
    own_slots(b, symbol);
    symbol->checking = DONE;
    symbol->is_exception = symbol_inherits(symbol, "sidl.BaseException");
}

static void build_all(struct builder *b, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            build_all(b, package->children[i]);
        else
            build(b, package->children[i], 0);
    }
}

void slots_build(struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    struct builder builder = {model, d};

    build_all(&builder, model->global);
}
