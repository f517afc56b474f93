/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with packages and types, and what can only be known once the model is whole. */
#include "model.h"

#include <string.h>

struct checker {
    struct portolan_sidl_model *model;
    struct portolan_diagnostics *d;
};

static const char *const c_words[] = {
    "alignas",
    "alignof",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "break",
    "case",
    "catch",
    "compl",
    "const",
    "constexpr",
    "const_cast",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "dynamic_cast",
    "explicit",
    "export",
    "extern",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not_eq",
    "nullptr",
    "operator",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static_assert",
    "static_cast",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "volatile",
    "wchar_t",
    "while",
    "xor_eq",
};

void check_identifier(const char *name, const struct portolan_sidl_place *place, const char *what,
                      struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < sizeof c_words / sizeof *c_words; i++)
        if (strcmp(name, c_words[i]) == 0)
            diagnose_at(d, place, "'%s' is a reserved word of C or C++ and cannot name %s", name,
                        what);
}

void check_attributes(const struct portolan_sidl_attribute *list, size_t count,
                      struct portolan_diagnostics *d)
{
    static const char *const known[] = {"context", "accuracy"};

    for (size_t i = 0; i < count; i++) {
        const char *nearest = portolan_nearest_word(list[i].name, known, 2);

        if (nearest && strcmp(nearest, list[i].name) != 0)
            diagnose_at(d, &list[i].place, "unknown attribute '%s', did you mean '%s'?",
                        list[i].name, nearest);
        for (size_t k = 0; k < i; k++)
            if (strcmp(list[k].name, list[i].name) == 0)
                diagnose_at(d, &list[i].place, "attribute '%s' is written twice", list[i].name);
    }
}

static bool value_is_used(const struct portolan_sidl_symbol *s, int64_t value, size_t before)
{
    for (size_t i = 0; i < s->n_enumerators; i++)
        if ((s->enumerators[i].is_explicit || i < before) && s->enumerators[i].value == value)
            return true;
    return false;
}

/* Each enumerator without a value takes the smallest number from 0 that nobody has. */
static void number_enumerators(struct portolan_sidl_symbol *s)
{
    int64_t next = 0;

    for (size_t i = 0; i < s->n_enumerators; i++) {
        if (s->enumerators[i].is_explicit)
            continue;
        while (value_is_used(s, next, i))
            next++;
        s->enumerators[i].value = next++;
    }
}

static void check_enum(struct checker *c, struct portolan_sidl_symbol *s)
{
    number_enumerators(s);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        const struct portolan_sidl_enumerator *e = &s->enumerators[i];

        for (size_t k = 0; k < i; k++) {
            if (strcmp(e->name, s->enumerators[k].name) == 0)
                diagnose_at(c->d, &e->place, "enumerator %s is already there in line %d", e->name,
                            s->enumerators[k].place.line);
            else if (e->value == s->enumerators[k].value)
                diagnose_at(c->d, &e->place, "%s has the value %lld like %s in line %d", e->name,
                            (long long)e->value, s->enumerators[k].name,
                            s->enumerators[k].place.line);
        }
    }
}

static void check_struct(struct checker *c, const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_field *f = &s->fields[i];

        check_identifier(f->name, &f->place, "a field", c->d);
        if (f->type->kind == PORTOLAN_SIDL_VOID)
            diagnose_at(c->d, &f->type->place, "a field cannot be void");
        if (f->type->symbol == s)
            diagnose_at(c->d, &f->type->place, "struct %s cannot hold itself", s->name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(f->name, s->fields[k].name) == 0)
                diagnose_at(c->d, &f->place, "field %s is already there in line %d", f->name,
                            s->fields[k].place.line);
    }
}

/* True when CLASS or one it extends declares the slot's method or has it through implements-all. */
static bool has_body(const struct portolan_sidl_symbol *s, const char *slot_name)
{
    for (size_t i = 0; i < s->n_methods; i++)
        if (strcmp(s->methods[i]->slot_name, slot_name) == 0)
            return !(s->methods[i]->flags & PORTOLAN_SIDL_ABSTRACT);
    for (size_t i = 0; i < s->n_implements; i++) {
        const struct portolan_sidl_symbol *parent = s->implements[i]->symbol;

        for (size_t k = 0; s->implements[i]->is_all && k < parent->n_slots; k++)
            if (strcmp(parent->slots[k]->slot_name, slot_name) == 0)
                return true;
    }
    return s->n_extends && has_body(s->extends[0]->symbol, slot_name);
}

static void check_class(struct checker *c, const struct portolan_sidl_symbol *s)
{
    const bool is_abstract = s->flags & PORTOLAN_SIDL_ABSTRACT;
    const struct portolan_sidl_method *missing = NULL;

    for (size_t i = 0; i < s->n_slots && !missing; i++)
        if (!has_body(s, s->slots[i]->slot_name))
            missing = s->slots[i];
    if (missing && !is_abstract)
        diagnose_at(c->d, &s->place,
                    "class %s has no body for %s of %s, declare the method, use implements-all, or "
                    "make the class abstract",
                    s->name, missing->slot_name, missing->owner->full_name);
    if (!missing && is_abstract)
        diagnose_at(c->d, &s->place, "class %s is abstract, but none of its methods is", s->name);
}

static void check_overloads(struct checker *c, const struct portolan_sidl_symbol *s, size_t i)
{
    const struct portolan_sidl_method *m = s->methods[i];

    for (size_t k = 0; k < i; k++) {
        const struct portolan_sidl_method *other = s->methods[k];
        bool same = other->n_arguments == m->n_arguments;

        if (strcmp(m->slot_name, other->slot_name) == 0) {
            diagnose_at(c->d, &m->place,
                        "%s has a method %s already in line %d, tell overloads apart with an "
                        "[extension]",
                        s->name, m->slot_name, other->place.line);
            return;
        }
        if (strcmp(m->name, other->name) != 0)
            continue;
        for (size_t j = 0; same && j < m->n_arguments; j++)
            same = type_equal(m->arguments[j].type, other->arguments[j].type);
        if (same)
            diagnose_at(c->d, &m->place,
                        "overloads %s and %s have the same argument types, C++ could not tell them "
                        "apart",
                        m->slot_name, other->slot_name);
    }
}

static void check_flags(struct checker *c, const struct portolan_sidl_symbol *s)
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

static void check_symbol(struct checker *c, struct portolan_sidl_symbol *s)
{
    const bool is_package = s->kind == PORTOLAN_SIDL_PACKAGE;

    if (strchr(s->name, '_'))
        diagnose_at(c->d, &s->place,
                    "'%s' has an underscore, which joins names in C; names of packages and types "
                    "go without",
                    s->name);
    if (!is_package && !s->package->version)
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
    for (size_t i = 0; i < s->n_methods; i++) {
        check_method(s->methods[i], c->d);
        check_overloads(c, s, i);
    }
    check_invariants(s, c->d);
    if (s->kind == PORTOLAN_SIDL_CLASS)
        check_class(c, s);
}

static void check_package(struct checker *c, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct portolan_sidl_symbol *s = package->children[i];

        check_symbol(c, s);
        if (s->kind == PORTOLAN_SIDL_PACKAGE)
            check_package(c, s);
        else
            s->version = package->version;
    }
}

void check_model(struct portolan_sidl_model *model, struct portolan_diagnostics *d)
{
    struct checker checker = {model, d};

    check_package(&checker, model->global);
}
