/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks packages and types, and sets what depends on the complete model. */
#include "model.h"

#include <string.h>

void check_identifier(const char *name, const struct portolan_sidl_place *place, const char *what,
                      struct portolan_diagnostics *d)
{
    if (portolan_is_c_word(name))
        diagnose_at(d, place, "'%s' is a reserved word of C or C++ and cannot name %s", name, what);
}

/* Returns whether NAME is a macro of what generated C includes: <stdint.h>, <stdlib.h> and SIDL's
 * own. */
static bool is_macro(const char *name)
{
    static const char macros[] =
        " FALSE NULL TRUE i386 linux unix BIG_ENDIAN BYTE_ORDER LITTLE_ENDIAN PDP_ENDIAN "
        "EXIT_FAILURE EXIT_SUCCESS FD_SETSIZE NFDBITS MB_CUR_MAX RAND_MAX SIZE_MAX WCONTINUED "
        "WEXITED WNOHANG WNOWAIT WSTOPPED WUNTRACED ";
    static const char *const limits[] = {"INT", "UINT", "PTRDIFF", "SIG_ATOMIC", "WCHAR", "WINT"};
    const char *end = strrchr(name, '_');
    bool is_limit = end && (strcmp(end, "_MAX") == 0 || strcmp(end, "_MIN") == 0);

    for (size_t i = 0; is_limit && i < sizeof limits / sizeof *limits; i++)
        if (strncmp(name, limits[i], strlen(limits[i])) == 0)
            return true;
    return portolan_has_word(macros, name) || strncmp(name, "SIDL_", 5) == 0 ||
           strncmp(name, "included_", 9) == 0;
}

void check_variable(const char *name, const struct portolan_sidl_place *place, const char *what,
                    struct portolan_diagnostics *d)
{
    static const char types[] =
        " int32_t int64_t sidl_BaseInterface sidl_bool sidl_dcomplex sidl_fcomplex size_t ";

    check_identifier(name, place, what, d);
    if (is_macro(name))
        diagnose_at(d, place, "'%s' is a macro of C compilers and cannot name %s", name, what);
    if (portolan_has_word(types, name))
        diagnose_at(d, place, "'%s' is a type of the generated C and cannot name %s", name, what);
}

void check_attributes(const struct portolan_sidl_attribute *list, size_t count,
                      struct portolan_diagnostics *d)
{
    static const char *const known[] = {"context",  "accuracy", "status",     "applies",
                                        "provides", "uses",     "parameters", "language"};

    for (size_t i = 0; i < count; i++) {
        const char *nearest =
            portolan_nearest_word(list[i].name, known, sizeof known / sizeof *known);

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
        diagnose_at(d, &type->place, "arrays cannot hold structs; make %s an interface",
                    type->element->symbol->full_name);
}

/* Enums and structs */

enum { UNSEEN, BUSY, DONE };

static const void **value_entry(struct check_run *c, const int64_t *value)
{
    return names_add(&c->values, (const char *)value, sizeof *value);
}

/* Each enumerator without a value takes the smallest free number from 0 on. */
static void number_enumerators(struct check_run *c, struct portolan_sidl_symbol *s)
{
    int64_t next = 0;

    for (size_t i = 0; i < s->n_enumerators; i++) {
        if (s->enumerators[i].is_explicit)
            continue;
        while (*value_entry(c, &next))
            next++;
        s->enumerators[i].value = next++;
    }
}

static void check_enum(struct check_run *c, struct portolan_sidl_symbol *s)
{
    names_clear(&c->words);
    names_clear(&c->values);
    for (size_t i = 0; i < s->n_enumerators; i++) {
        const struct portolan_sidl_enumerator *e = &s->enumerators[i], *other;
        const void **word = names_add(&c->words, e->name, strlen(e->name));
        const void **value = e->is_explicit ? value_entry(c, &e->value) : NULL;

        check_identifier(e->name, &e->place, "an enumerator", c->d);
        if (e->value < INT32_MIN || e->value > INT32_MAX)
            diagnose_at(c->d, &e->place, "%s = %lld does not fit into the 32 bits of an enum",
                        e->name, (long long)e->value);
        if ((other = *word)) {
            diagnose_at(c->d, &e->place, "enumerator %s is already declared in line %d", e->name,
                        other->place.line);
            continue;
        }
        *word = e;
        if (value && (other = *value))
            diagnose_at(c->d, &e->place, "%s has the same value (%lld) as %s in line %d", e->name,
                        (long long)e->value, other->name, other->place.line);
        else if (value)
            *value = e;
    }
    number_enumerators(c, s);
}

/* Follows structs in structs: finds circles and rarrays. */
static void walk_struct(struct check_run *c, struct portolan_sidl_symbol *s, int depth)
{
    s->own.state = BUSY;
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_type *type = s->fields[i].type;
        struct portolan_sidl_symbol *inner =
            type->kind == PORTOLAN_SIDL_STRUCT ? (struct portolan_sidl_symbol *)type->symbol : NULL;

        s->own.has_rarray |= type->kind == PORTOLAN_SIDL_RARRAY;
        if (!inner)
            continue;
        if (inner->own.state == UNSEEN && depth < MAX_DEPTH)
            walk_struct(c, inner, depth + 1);
        if (inner == s)
            diagnose_at(c->d, &type->place, "struct %s cannot hold itself", s->name);
        else if (inner->own.state == BUSY)
            diagnose_at(c->d, &type->place, "struct %s holds itself through %s", s->name,
                        inner->full_name);
        else if (inner->own.state == UNSEEN)
            diagnose_at(c->d, &type->place,
                        "structs are nested more than %d deep; use fewer levels", MAX_DEPTH);
        s->own.has_rarray |= inner->own.has_rarray;
    }
    s->own.state = DONE;
}

static void check_struct(struct check_run *c, struct portolan_sidl_symbol *s)
{
    const struct extent_scope scope = {
        .of = s->name, .fields = s->fields, .n_fields = s->n_fields, .words = &c->words};

    names_clear(&c->words);
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct portolan_sidl_field *f = &s->fields[i], *other;
        const void **word = names_add(&c->words, f->name, strlen(f->name));

        check_variable(f->name, &f->place, "a field", c->d);
        if (f->type->kind == PORTOLAN_SIDL_VOID)
            diagnose_at(c->d, &f->type->place, "a field cannot be void");
        if ((other = *word))
            diagnose_at(c->d, &f->place, "field %s is already declared in line %d", f->name,
                        other->place.line);
        else
            *word = f;
    }
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_ARRAY)
            check_element(s->fields[i].type, c->d);
    for (size_t i = 0; i < s->n_fields && !s->own.is_broken; i++)
        if (s->fields[i].type->kind == PORTOLAN_SIDL_RARRAY)
            check_rarray(&scope, s->fields[i].type, s->fields[i].name, &s->fields[i].place, c->d);
}

/* Packages and types */

static void check_class(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    const bool is_abstract = s->flags & PORTOLAN_SIDL_ABSTRACT;
    const struct portolan_sidl_method *missing = NULL;

    for (size_t i = 0; i < s->n_slots && !missing; i++)
        if (!s->own.has_body[i])
            missing = s->slots[i];
    if (s->own.is_broken)
        return; /* the missing method may be in the unreadable part */
    if (missing && !is_abstract && missing->owner == s)
        diagnose_at(c->d, &s->place,
                    "class %s has the abstract method %s; write: abstract class %s", s->name,
                    missing->slot_name, s->name);
    else if (missing && !is_abstract)
        diagnose_at(c->d, &s->place,
                    "class %s does not implement %s of %s; declare the method, use implements-all, "
                    "or make the class abstract",
                    s->name, missing->slot_name, missing->owner->full_name);
    if (!missing && is_abstract)
        diagnose_at(c->d, &s->place,
                    "class %s is abstract, but none of its methods is; remove 'abstract'", s->name);
}

/* The language of a class's Impl file. */
static void check_language(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    const struct portolan_sidl_attribute *a =
        portolan_sidl_attribute(s->attributes, s->n_attributes, "language");
    enum portolan_sidl_language language;

    if (a && s->kind != PORTOLAN_SIDL_CLASS)
        diagnose_at(c->d, &a->place,
                    "'language' is only for classes, because only classes have Impl files");
    else if (a && (!a->value || !portolan_sidl_language_find(a->value, &language)))
        diagnose_at(c->d, &a->place,
                    "Impl files are in C, C++, Fortran or Python; write language=\"C++\"");
}

/* The lists of ports and parameters of a component class (describe.c). */
static void check_described(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    static const char *const kinds[] = {"provides", "uses", "parameters"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct portolan_sidl_attribute *a =
            portolan_sidl_attribute(s->attributes, s->n_attributes, kinds[i]);
        const char *at = a && a->value ? a->value : "";
        struct described item;

        if (a && !symbol_inherits(s, "gov.cca.Component"))
            diagnose_at(c->d, &a->place,
                        "'%s' is only for components; %s does not implement gov.cca.Component",
                        a->name, s->full_name);
        while (described_next(&c->model->arena, &at, &item)) {
            const struct portolan_sidl_symbol *type = portolan_sidl_find(c->model, item.type);

            if (!*item.name || !*item.type || (i < 2 && item.value))
                diagnose_at(c->d, &a->place, "'%s' is not an item of '%s'; write: %s", item.name,
                            a->name, i < 2 ? "NAME:TYPE" : "NAME:TYPE=DEFAULT");
            else if (i == 0 && type && !symbol_inherits(s, type->full_name))
                diagnose_at(c->d, &a->place,
                            "%s provides %s but does not implement it; write: implements-all %s",
                            s->full_name, item.type, item.type);
        }
    }
}

/* C++ and Java would take such a method for a constructor. */
static void check_constructor(struct check_run *c, const struct portolan_sidl_symbol *s)
{
    for (size_t i = 0; i < s->n_methods; i++)
        if (strcmp(s->methods[i]->name, s->name) == 0 ||
            strcmp(s->methods[i]->slot_name, s->name) == 0) {
            diagnose_at(c->d, &s->methods[i]->place,
                        "method %s has the name of its type; rename one", s->methods[i]->slot_name);
            return;
        }
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i]->owner != s && (strcmp(s->slots[i]->name, s->name) == 0 ||
                                        strcmp(s->slots[i]->slot_name, s->name) == 0)) {
            diagnose_at(
                c->d, &s->place,
                "%s inherits from %s a method with the name of the class itself; rename one",
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
        diagnose_at(c->d, &s->place, "%s cannot have these modifiers, only %s",
                    symbol_kind_text(s->kind),
                    s->kind == PORTOLAN_SIDL_CLASS ? "abstract or final"
                    : allowed                      ? "final"
                                                   : "attributes");
    else if (s->flags == (PORTOLAN_SIDL_ABSTRACT | PORTOLAN_SIDL_FINAL))
        diagnose_at(
            c->d, &s->place,
            "class %s is abstract and final, so no program could use it; remove one of the two",
            s->name);
}

static void check_symbol(struct check_run *c, struct portolan_sidl_symbol *s)
{
    const bool is_package = s->kind == PORTOLAN_SIDL_PACKAGE;

    if (strchr(s->name, '_'))
        diagnose_at(c->d, &s->place,
                    "'%s' has an underscore, which joins names in C; remove it from the name of a "
                    "package or type",
                    s->name);
    check_identifier(s->name, &s->place, symbol_kind_text(s->kind), c->d);
    if (!is_package && !s->version && !s->package->own.is_broken && !s->own.is_astray)
        diagnose_at(c->d, &s->place,
                    "%s is outside a package with a version; write: package NAME version 1.0 { … }",
                    s->name);
    check_flags(c, s);
    check_attributes(s->attributes, s->n_attributes, c->d);
    check_language(c, s);
    if (s->kind == PORTOLAN_SIDL_ENUMERATION)
        check_enum(c, s);
    if (s->kind == PORTOLAN_SIDL_STRUCTURE)
        check_struct(c, s);
    if (!symbol_is_object(s))
        return;
    for (size_t i = 0; i < s->n_methods; i++)
        check_method(c, s->methods[i]);
    check_constructor(c, s);
    check_invariants(c, s);
    if (s->kind == PORTOLAN_SIDL_CLASS) {
        check_class(c, s);
        check_described(c, s);
    }
}

/* Passes versions of packages on to their members, and walks structs: checks need both. */
static void prepare_symbols(struct check_run *c, struct portolan_sidl_symbol *package)
{
    for (size_t i = 0; i < package->n_children; i++) {
        struct portolan_sidl_symbol *s = package->children[i];

        if (!s->version)
            s->version = package->version;
        s->own.is_broken |= s->kind == PORTOLAN_SIDL_PACKAGE && package->own.is_broken;
        if (s->kind == PORTOLAN_SIDL_STRUCTURE && s->own.state == UNSEEN)
            walk_struct(c, s, 0);
        prepare_symbols(c, s);
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
    prepare_symbols(&c, model->global);
    check_package(&c, model->global);
}
