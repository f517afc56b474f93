/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with packages and types, and what can only be known once the model is whole. */
#include "model.h"

#include <string.h>

void check_identifier(const char *name, const struct portolan_sidl_place *place, const char *what,
                      struct portolan_diagnostics *d)
{
    if (portolan_is_c_word(name))
        diagnose_at(d, place, "'%s' is a reserved word of C or C++ and cannot name %s", name, what);
}

void check_attributes(const struct portolan_sidl_attribute *list, size_t count,
                      struct portolan_diagnostics *d)
{
    static const char *const known[] = {"context", "accuracy", "status", "applies"};

    for (size_t i = 0; i < count; i++) {
        const char *nearest = portolan_nearest_word(list[i].name, known, 4);

        if (nearest && strcmp(nearest, list[i].name) != 0)
            diagnose_at(d, &list[i].place, "unknown attribute '%s'%s", list[i].name,
                        portolan_did_you_mean(nearest).text);
        for (size_t k = 0; k < i; k++)
            if (strcmp(list[k].name, list[i].name) == 0)
                diagnose_at(d, &list[i].place, "attribute '%s' is written twice", list[i].name);
    }
}

void check_element(const struct portolan_sidl_type *type, struct portolan_diagnostics *d)
{
    if (type->element && type->element->kind == PORTOLAN_SIDL_STRUCT)
        diagnose_at(d, &type->place, "arrays hold no structs, make %s an interface",
                    type->element->symbol->full_name);
}

static void check_class(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    const bool is_abstract = s->flags & PORTOLAN_SIDL_ABSTRACT;
    const struct portolan_sidl_method *missing = NULL;

    for (size_t i = 0; i < s->n_slots && !missing; i++)
        if (!s->own.has_body[i])
            missing = s->slots[i];
    if (s->own.is_broken)
        return; /* the method that misses may be the unreadable one */
    if (missing && !is_abstract && missing->owner == s)
        diagnose_at(c->d, &s->place,
                    "class %s has the abstract method %s, write: abstract class %s", s->name,
                    missing->slot_name, s->name);
    else if (missing && !is_abstract)
        diagnose_at(c->d, &s->place,
                    "class %s has no body for %s of %s, declare the method, use implements-all, or "
                    "make the class abstract",
                    s->name, missing->slot_name, missing->owner->full_name);
    if (!missing && is_abstract)
        diagnose_at(c->d, &s->place, "class %s is abstract, but none of its methods is", s->name);
}

/* C++ and Java would take such a method for a constructor. */
static void check_constructor(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_methods; i++)
        if (strcmp(s->methods[i]->name, s->name) == 0 ||
            strcmp(s->methods[i]->slot_name, s->name) == 0) {
            diagnose_at(c->d, &s->methods[i]->place, "method %s has the name of its type",
                        s->methods[i]->slot_name);
            return;
        }
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i]->owner != s && (strcmp(s->slots[i]->name, s->name) == 0 ||
                                        strcmp(s->slots[i]->slot_name, s->name) == 0)) {
            diagnose_at(c->d, &s->place, "%s inherits from %s a method of its own name, rename one",
                        s->name, s->slots[i]->owner->full_name);
            return;
        }
}

static void check_flags(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    const unsigned allowed =
        s->kind == PORTOLAN_SIDL_CLASS ? PORTOLAN_SIDL_ABSTRACT | PORTOLAN_SIDL_FINAL
        : s->kind == PORTOLAN_SIDL_PACKAGE || s->kind == PORTOLAN_SIDL_INTERFACE
            ? PORTOLAN_SIDL_FINAL
            : 0;

    if (s->flags & ~allowed)
        diagnose_at(c->d, &s->place, "%s cannot have these modifiers, only %s", symbol_kind_text(s),
                    s->kind == PORTOLAN_SIDL_CLASS ? "abstract or final"
                    : allowed                      ? "final"
                                                   : "attributes");
    else if (s->flags == (PORTOLAN_SIDL_ABSTRACT | PORTOLAN_SIDL_FINAL))
        diagnose_at(c->d, &s->place, "class %s is abstract and final, so that nobody could use it",
                    s->name);
}

static void check_symbol(struct check_run *c, struct portolan_sidl_symbol *s)
{
    const bool is_package = s->kind == PORTOLAN_SIDL_PACKAGE;

    if (strchr(s->name, '_'))
        diagnose_at(c->d, &s->place,
                    "'%s' has an underscore, which joins names in C; names of packages and types "
                    "go without",
                    s->name);
    check_identifier(s->name, &s->place, symbol_kind_text(s), c->d);
    if (!is_package && !s->version && !s->package->own.is_broken && !s->own.is_astray)
        diagnose_at(c->d, &s->place,
                    "%s stands outside a package with a version, write: package NAME version 1.0 "
                    "{ … }",
                    s->name);
    check_flags(c, s);
    check_attributes(s->attributes, s->n_attributes, c->d);
    if (s->kind == PORTOLAN_SIDL_ENUMERATION)
        check_enum(c, s);
    if (s->kind == PORTOLAN_SIDL_STRUCTURE)
        check_struct(c, s);
    if (!symbol_is_object(s))
        return;
    for (size_t i = 0; i < s->n_methods; i++)
        check_method(c, s->methods[i]);
    check_constructor(c, s);
    check_invariants(s, c->d);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        check_class(c, s);
}

static void set_versions(struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct portolan_sidl_symbol *s = package->children[i];

        if (!s->version)
            s->version = package->version;
        s->own.is_broken |= s->kind == PORTOLAN_SIDL_PACKAGE && package->own.is_broken;
        set_versions(s);
    }
}

static void check_package(struct check_run *c, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct portolan_sidl_symbol *s = package->children[i];

        check_symbol(c, s);
        check_package(c, s);
    }
}

void check_model(struct portolan_sidl_model *model, struct portolan_diagnostics *d,
                 struct portolan_diagnostics *notes)
{
    struct check_run c = {.model = model, .d = d, .notes = notes};

    c.words.arena = c.values.arena = &model->arena;
    set_versions(model->global);
    check_structs(&c, model->global);
    check_package(&c, model->global);
}
