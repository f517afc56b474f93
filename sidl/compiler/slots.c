/* SPDX-License-Identifier: BSD-3-Clause */
/* Inheritance: the parents of each type, and the slots of its entry-point table. */
#include "contract.h"

#include <string.h>

enum { UNSEEN, BUSY, DONE };

struct builder {
    struct portolan_sidl_model *model;
    struct portolan_diagnostics *d;
    /* of the symbol that is being built, by slot name: */
    struct names slots;   /* index in symbol->slots, plus 1 */
    struct names statics; /* static methods, inherited ones, too */
    struct names own;     /* methods declared in it */
    struct names shorts;  /* by name without extension: a list of overloads */
};

struct overload {
    const struct portolan_sidl_method *method;
    const struct overload *next;
};

static const void **entry_of(struct names *names, const struct portolan_sidl_method *method)
{
    return names_add(names, method->slot_name, strlen(method->slot_name));
}

/* The index of the slot of that name, or n_slots when there is none. */
static size_t find_slot(const struct builder *b, const struct portolan_sidl_symbol *symbol,
                        const char *slot_name)
{
    const uintptr_t found = (uintptr_t)names_find(&b->slots, slot_name, strlen(slot_name));

    return found ? found - 1 : symbol->n_slots;
}

static void add_slot(struct builder *b, struct portolan_sidl_symbol *symbol,
                     const struct portolan_sidl_method *method)
{
    ARENA_PUSH(&b->model->arena, symbol->slots, symbol->n_slots, method);
    *entry_of(&b->slots, method) = (const void *)(uintptr_t)symbol->n_slots; /* never 0 */
}

static void inherit_slots(struct builder *b, struct portolan_sidl_symbol *symbol,
                          const struct portolan_sidl_type *parent)
{
    for (size_t i = 0; i < parent->symbol->n_slots; i++) {
        const struct portolan_sidl_method *method = parent->symbol->slots[i];
        const size_t at = find_slot(b, symbol, method->slot_name);

        if (parent->symbol->kind == PORTOLAN_SIDL_INTERFACE && symbol_renaming(symbol, method))
            continue;
        if (at == symbol->n_slots)
            add_slot(b, symbol, method);
        else if (!method_same_signature(symbol->slots[at], method))
            diagnose_at(
                b->d, &parent->place,
                "%s inherits %s from %s and from %s with different signatures; rename one%s",
                symbol->full_name, method->slot_name, symbol->slots[at]->owner->full_name,
                method->owner->full_name,
                symbol->kind == PORTOLAN_SIDL_CLASS ? " (see 'from')" : "");
    }
    for (size_t i = 0; i < parent->symbol->n_statics; i++) {
        const struct portolan_sidl_method *method = parent->symbol->statics[i];

        ARENA_PUSH(&b->model->arena, symbol->statics, symbol->n_statics, method);
        *entry_of(&b->statics, method) = method;
    }
}

/* Checks a method that overrides INHERITED. */
static void check_override(struct builder *b, const struct portolan_sidl_method *method,
                           const struct portolan_sidl_method *inherited)
{
    const unsigned communication =
        PORTOLAN_SIDL_LOCAL | PORTOLAN_SIDL_ONEWAY | PORTOLAN_SIDL_NONBLOCKING;
    const char *name = method->slot_name, *above = inherited->owner->full_name;

    if (!method_same_signature(inherited, method))
        diagnose_at(b->d, &method->place,
                    "%s is inherited from %s with another signature; rename it or repeat that "
                    "signature exactly",
                    name, above);
    else if (inherited->owner->kind == PORTOLAN_SIDL_CLASS &&
             ((method->flags ^ inherited->flags) & communication))
        diagnose_at(b->d, &method->place,
                    "%s is inherited from %s with other modifiers (oneway, local, nonblocking); "
                    "repeat those",
                    name, above);
    if (inherited->flags & PORTOLAN_SIDL_FINAL)
        diagnose_at(b->d, &method->place, "%s is final in %s and cannot be redefined", name, above);
    else if ((method->flags & PORTOLAN_SIDL_ABSTRACT) &&
             inherited->owner->kind == PORTOLAN_SIDL_CLASS &&
             !(inherited->flags & PORTOLAN_SIDL_ABSTRACT))
        diagnose_at(b->d, &method->place,
                    "%s has a body in %s and cannot become abstract; leave 'abstract' out", name,
                    above);
}

static void own_static(struct builder *b, struct portolan_sidl_symbol *symbol,
                       const struct portolan_sidl_method *method)
{
    const size_t at = find_slot(b, symbol, method->slot_name);
    const struct portolan_sidl_method *inherited = *entry_of(&b->statics, method);

    if (at < symbol->n_slots)
        inherited = symbol->slots[at];
    if (inherited)
        diagnose_at(b->d, &method->place,
                    "static %s would redefine the method inherited from %s; rename it",
                    method->slot_name, inherited->owner->full_name);
    ARENA_PUSH(&b->model->arena, symbol->statics, symbol->n_statics, method);
}

static void own_slot(struct builder *b, struct portolan_sidl_symbol *symbol,
                     const struct portolan_sidl_method *method)
{
    const struct portolan_sidl_method *inherited_static =
        names_find(&b->statics, method->slot_name, strlen(method->slot_name));
    const size_t at = find_slot(b, symbol, method->slot_name);

    if (inherited_static)
        diagnose_at(b->d, &method->place,
                    "%s would redefine the static method inherited from %s; rename it",
                    method->slot_name, inherited_static->owner->full_name);
    if (at == symbol->n_slots) {
        add_slot(b, symbol, method);
        return;
    }
    check_override(b, method, symbol->slots[at]);
    symbol->slots[at] = method;
}

static void own_methods(struct builder *b, struct portolan_sidl_symbol *symbol)
{
    names_clear(&b->own);
    for (size_t i = 0; i < symbol->n_methods; i++) {
        const struct portolan_sidl_method *method = symbol->methods[i];
        const void **first = entry_of(&b->own, method);

        if (*first) {
            diagnose_at(
                b->d, &method->place,
                "%s already has a method %s in line %d; give overloads different [extensions]",
                symbol->name, method->slot_name,
                ((const struct portolan_sidl_method *)*first)->place.line);
            continue;
        }
        *first = method;
        if (method->flags & PORTOLAN_SIDL_STATIC)
            own_static(b, symbol, method);
        else
            own_slot(b, symbol, method);
    }
}

static bool same_arguments(const struct portolan_sidl_method *a,
                           const struct portolan_sidl_method *b)
{
    if (a->n_arguments != b->n_arguments)
        return false;
    for (size_t i = 0; i < a->n_arguments; i++)
        if (type_is_unknown(a->arguments[i].type) || type_is_unknown(b->arguments[i].type) ||
            !type_equal(a->arguments[i].type, b->arguments[i].type))
            return false;
    return true;
}

/* C++ and Java call overloads by the short name, so their arguments must differ. */
static void check_overload(struct builder *b, const struct portolan_sidl_symbol *symbol,
                           const struct portolan_sidl_method *method)
{
    struct overload *overload = portolan_arena_alloc(&b->model->arena, 1, sizeof *overload);
    const void **chain = names_add(&b->shorts, method->name, strlen(method->name));

    for (const struct overload *o = *chain; o && method->owner == symbol; o = o->next)
        if (strcmp(o->method->slot_name, method->slot_name) != 0 &&
            same_arguments(o->method, method)) {
            diagnose_at(
                b->d, &method->place,
                "overloads %s and %s have the same argument types, which C++ cannot distinguish",
                method->slot_name, o->method->slot_name);
            break;
        }
    overload->method = method;
    overload->next = *chain;
    *chain = overload;
}

static void check_overloads(struct builder *b, const struct portolan_sidl_symbol *symbol)
{
    names_clear(&b->shorts);
    for (size_t i = 0; i < symbol->n_slots; i++)
        if (symbol->slots[i]->owner != symbol)
            check_overload(b, symbol, symbol->slots[i]);
    for (size_t i = 0; i < symbol->n_methods; i++)
        check_overload(b, symbol, symbol->methods[i]);
}

/* `from Scope.method`: a class gives an inherited interface's method another name. */

/* Returns whether this class can rename an interface's method. */
static bool check_scope(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    const struct portolan_sidl_symbol *scope = m->from_type->symbol;
    const struct portolan_sidl_place *place = &m->from_type->place;

    if (!scope)
        return false;
    if (scope->kind != PORTOLAN_SIDL_INTERFACE)
        diagnose_at(d, place, "from %s: %s is %s, but only methods of interfaces can be renamed",
                    m->from, scope->full_name, symbol_kind_text(scope->kind));
    else if (m->owner->kind != PORTOLAN_SIDL_CLASS)
        diagnose_at(d, place, "from %s: %s is an interface, but only a class can rename a method",
                    m->from, m->owner->name);
    else if (m->owner->own.is_broken)
        return symbol_inherits(m->owner, scope->full_name);
    else if (!symbol_inherits(m->owner, scope->full_name))
        diagnose_at(d, place, "from %s: %s is not an interface that %s implements", m->from,
                    scope->full_name, m->owner->name);
    else
        return true;
    return false;
}

/* Sets M's `renames`; true when the method was found. */
static bool check_from(struct portolan_sidl_model *model, struct portolan_sidl_method *m,
                       struct portolan_diagnostics *d)
{
    const struct portolan_sidl_symbol *scope = m->from_type->symbol;
    const char *name = portolan_arena_printf(&model->arena, "%s%s", strrchr(m->from, '.') + 1,
                                             m->from_extension ? m->from_extension : "");
    const struct portolan_sidl_method *method = NULL;

    if (!check_scope(m, d))
        return false;
    for (size_t i = 0; i < scope->n_slots && !method; i++)
        if (strcmp(scope->slots[i]->slot_name, name) == 0)
            method = scope->slots[i];
    if (!method && scope->own.is_broken)
        return false;
    if (!method)
        diagnose_at(d, &m->from_place, "from %s: %s has no method %s", m->from, scope->full_name,
                    name);
    else if (strcmp(m->slot_name, name) == 0)
        diagnose_at(d, &m->from_place, "from %s: that is the method's own name; leave it out",
                    m->from);
    else
        m->renames = method;
    if (m->renames && !method_same_signature(method, m))
        diagnose_at(d, &m->from_place,
                    "from %s: that method has another signature; repeat it exactly", m->from);
    return m->renames != NULL;
}

/* Finds the slots with a body: in the class, in one that it extends, or through implements-all. */
static void find_bodies(struct builder *b, struct portolan_sidl_symbol *symbol)
{
    const struct portolan_sidl_symbol *above =
        symbol->n_extends ? symbol->extends[0]->symbol : NULL;

    symbol->own.has_body = portolan_arena_alloc(&b->model->arena, symbol->n_slots, sizeof(bool));
    for (size_t i = 0; above && above->own.has_body && i < above->n_slots; i++)
        symbol->own.has_body[i] = above->own.has_body[i];
    for (size_t i = 0; i < symbol->n_implements; i++) {
        const struct portolan_sidl_type *parent = symbol->implements[i];

        for (size_t k = 0; parent->is_all && parent->symbol && k < parent->symbol->n_slots; k++) {
            const size_t at = find_slot(b, symbol, parent->symbol->slots[k]->slot_name);

            if (at < symbol->n_slots)
                symbol->own.has_body[at] = true;
        }
    }
    for (size_t i = 0; i < symbol->n_methods; i++) {
        const size_t at = find_slot(b, symbol, symbol->methods[i]->slot_name);

        if (at < symbol->n_slots)
            symbol->own.has_body[at] = !(symbol->methods[i]->flags & PORTOLAN_SIDL_ABSTRACT);
    }
}

static void check_parent(struct builder *b, struct portolan_sidl_symbol *symbol, size_t i)
{
    const struct portolan_sidl_type *type = symbol_parent(symbol, i);
    const bool wants_class = symbol->kind == PORTOLAN_SIDL_CLASS && i < symbol->n_extends;

    if (!type->symbol)
        return;
    symbol->own.is_broken |= wants_class != (type->symbol->kind == PORTOLAN_SIDL_CLASS);
    if (wants_class && strcmp(type->symbol->full_name, "sidl.BaseException") == 0)
        diagnose_at(b->d, &type->place,
                    "sidl.BaseException is an interface (a class only in SIDL 0.x); extend "
                    "sidl.SIDLException");
    else if (wants_class != (type->symbol->kind == PORTOLAN_SIDL_CLASS) ||
             !symbol_is_object(type->symbol))
        diagnose_at(b->d, &type->place, "%s is %s, %s %s %s", type->symbol->full_name,
                    symbol_kind_text(type->symbol->kind),
                    symbol->kind == PORTOLAN_SIDL_CLASS ? "a class" : "an interface",
                    i < symbol->n_extends ? "extends" : "implements",
                    wants_class ? "a class (interfaces follow 'implements')" : "interfaces");
    else if (type->symbol->flags & PORTOLAN_SIDL_FINAL)
        diagnose_at(b->d, &type->place, "%s is final and cannot be extended",
                    type->symbol->full_name);
    for (size_t k = 0; k < i; k++)
        if (symbol_parent(symbol, k)->symbol == type->symbol) {
            diagnose_at(b->d, &type->place, "%s is named twice as a parent",
                        type->symbol->full_name);
            break;
        }
}

static void build_type(struct builder *b, struct portolan_sidl_symbol *symbol, int depth);

/* Builds the parents; those that are invalid or in a circle are cut off, so that walks end. */
static void build_parents(struct builder *b, struct portolan_sidl_symbol *symbol, int depth)
{
    for (size_t i = 0; i < symbol_n_parents(symbol); i++) {
        struct portolan_sidl_type *type = (struct portolan_sidl_type *)symbol_parent(symbol, i);
        struct portolan_sidl_symbol *parent = (struct portolan_sidl_symbol *)type->symbol;
        const bool is_circle = parent && parent->own.state == BUSY;

        check_parent(b, symbol, i);
        if (!is_circle && parent && symbol_is_object(parent) && depth < MAX_DEPTH)
            build_type(b, parent, depth + 1);
        if (is_circle)
            diagnose_at(b->d, &type->place, "%s inherits itself through %s", symbol->full_name,
                        parent->full_name);
        else if (parent && (depth >= MAX_DEPTH || parent->own.depth >= MAX_DEPTH))
            diagnose_at(b->d, &type->place, "%s inherits through more than %d types; use fewer",
                        symbol->full_name, MAX_DEPTH);
        else if (parent && symbol_is_object(parent))
            continue;
        type->symbol = NULL;
    }
}

static void note_renaming(struct builder *b, struct portolan_sidl_symbol *symbol,
                          const struct portolan_sidl_method *method)
{
    if (!symbol_renaming(symbol, method->renames))
        ARENA_PUSH(&b->model->arena, symbol->own.renaming, symbol->own.n_renaming, method);
}

/* Sets the properties that a type inherits from its parents. */
static void inherit_properties(struct builder *b, struct portolan_sidl_symbol *symbol)
{
    symbol->is_exception = strcmp(symbol->full_name, "sidl.BaseException") == 0;
    symbol->own.is_serializable = strcmp(symbol->full_name, "sidl.io.Serializable") == 0;
    for (size_t i = 0; i < symbol->n_invariants; i++)
        symbol->own.has_invariants |= !contract_is_annotation(symbol->invariants[i].condition);
    for (size_t i = 0; i < symbol->n_methods; i++)
        if (symbol->methods[i]->from && check_from(b->model, symbol->methods[i], b->d))
            note_renaming(b, symbol, symbol->methods[i]);
    for (size_t i = 0; i < symbol_n_parents(symbol); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(symbol, i)->symbol;

        if (!parent) {
            symbol->own.is_broken = symbol->own.is_rootless = true;
            continue;
        }
        symbol->is_exception |= parent->is_exception;
        symbol->own.is_serializable |= parent->own.is_serializable;
        symbol->own.is_broken |= parent->own.is_broken;
        symbol->own.is_rootless |= parent->own.is_rootless;
        symbol->own.has_invariants |= parent->own.has_invariants;
        if (symbol->own.depth <= parent->own.depth)
            symbol->own.depth = parent->own.depth + 1;
        for (size_t k = 0; k < parent->own.n_renaming; k++)
            note_renaming(b, symbol, parent->own.renaming[k]);
    }
}

static void build_type(struct builder *b, struct portolan_sidl_symbol *symbol, int depth)
{
    if (symbol->own.state == DONE || !symbol_is_object(symbol))
        return;
    symbol->own.state = BUSY;
    build_parents(b, symbol, depth);
    names_clear(&b->slots);
    names_clear(&b->statics);
    inherit_properties(b, symbol);
    for (size_t i = 0; i < symbol_n_parents(symbol); i++)
        if (symbol_parent(symbol, i)->symbol)
            inherit_slots(b, symbol, symbol_parent(symbol, i));
    own_methods(b, symbol);
    check_overloads(b, symbol);
    if (symbol->kind == PORTOLAN_SIDL_CLASS)
        find_bodies(b, symbol);
    symbol->own.state = DONE;
}

static void build_types(struct builder *b, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        if (package->children[i]->kind == PORTOLAN_SIDL_PACKAGE)
            build_types(b, package->children[i]);
        else
            build_type(b, package->children[i], 0);
    }
}

void slots_build(struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    struct builder b = {.model = model, .d = d};

    b.slots.arena = b.statics.arena = b.own.arena = b.shorts.arena = &model->arena;
    build_types(&b, model->global);
}
