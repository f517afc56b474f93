/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands inside types: methods, enumerators, fields. */
#include "parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct modifiers parser_modifiers(struct parser *p)
{
    static const struct {
        const char *word;
        unsigned flag;
    } known[] = {{"abstract", PORTOLAN_SIDL_ABSTRACT}, {"final", PORTOLAN_SIDL_FINAL},
                 {"static", PORTOLAN_SIDL_STATIC},     {"oneway", PORTOLAN_SIDL_ONEWAY},
                 {"local", PORTOLAN_SIDL_LOCAL},       {"nonblocking", PORTOLAN_SIDL_NONBLOCKING},
                 {"copy", PORTOLAN_SIDL_COPY}};
    struct modifiers m = {0};
    bool again;

    do {
        again = parser_is(p, "%");
        parser_attributes(p, &m.attributes, &m.n_attributes);
        for (size_t i = 0; i < sizeof known / sizeof *known && !p->failed; i++) {
            if (!parser_is(p, known[i].word))
                continue;
            if (m.flags & known[i].flag)
                diagnose_at(p->d, &p->at->place, "'%s' is written twice, once is enough",
                            known[i].word);
            m.flags |= known[i].flag;
            p->at++;
            again = true;
        }
    } while (again && !p->failed);
    return m;
}

static void read_argument(struct parser *p, struct portolan_sidl_method *method)
{
    struct portolan_sidl_argument argument = {0};

    while (!p->failed && (parser_is(p, "copy") || parser_is(p, "%"))) {
        if (parser_accept(p, "copy"))
            argument.copy = true;
        parser_attributes(p, &argument.attributes, &argument.n_attributes);
    }
    if (parser_accept(p, "in"))
        argument.mode = PORTOLAN_SIDL_IN;
    else if (parser_accept(p, "out"))
        argument.mode = PORTOLAN_SIDL_OUT;
    else if (parser_accept(p, "inout"))
        argument.mode = PORTOLAN_SIDL_INOUT;
    else
        parser_expected(p, "an argument, which begins with in, out or inout");
    if (p->failed)
        return;
    argument.type = parser_type(p);
    argument.place = p->at->place;
    argument.name = parser_identifier(p, "an argument");
    if (!p->failed && argument.type->kind == PORTOLAN_SIDL_RARRAY)
        parser_extents(p, argument.type);
    if (!p->failed)
        ARENA_PUSH(p->arena, method->arguments, method->n_arguments, argument);
}

static void read_throws(struct parser *p, struct portolan_sidl_method *method)
{
    do {
        struct portolan_sidl_type *thrown = parser_named_type(p);

        if (!p->failed)
            ARENA_PUSH(p->arena, method->throws, method->n_throws, thrown);
    } while (parser_accept(p, ","));
}

static void read_method(struct parser *p, struct portolan_sidl_symbol *owner)
{
    struct portolan_sidl_method *method = portolan_arena_alloc(p->arena, 1, sizeof *method);
    struct modifiers m;

    method->owner = owner;
    method->comment = p->at->comment;
    m = parser_modifiers(p);
    method->flags = m.flags;
    method->attributes = m.attributes;
    method->n_attributes = m.n_attributes;
    method->result = p->failed ? NULL : parser_type(p);
    method->place = p->at->place;
    method->name = parser_identifier(p, "a method");
    method->extension = "";
    if (!p->failed && p->at->kind == TOKEN_EXTENSION)
        method->extension = p->at++->text;
    method->slot_name = portolan_arena_printf(p->arena, "%s%s", method->name, method->extension);
    parser_expect(p, "(", "and the arguments behind a method's name");
    if (!parser_accept(p, ")")) {
        do
            read_argument(p, method);
        while (parser_accept(p, ","));
        parser_expect(p, ")", "behind the arguments");
    }
    if (parser_accept(p, "throws"))
        read_throws(p, method);
    if (parser_accept(p, "from"))
        method->from = parser_name(p);
    if (parser_is(p, "local") || parser_is(p, "oneway"))
        parser_fail(p, "'%s' stands in front of the method's type, not behind its arguments",
                    p->at->text);
    parser_expect(p, ";", "behind the method");
    while (parser_accept(p, "require"))
        parser_clauses(p, &method->requires, &method->n_requires);
    while (parser_accept(p, "ensure"))
        parser_clauses(p, &method->ensures, &method->n_ensures);
    if (!p->failed)
        ARENA_PUSH(p->arena, owner->methods, owner->n_methods, method);
}

static void read_parents(struct parser *p, struct portolan_sidl_type ***list, size_t *count)
{
    do {
        struct portolan_sidl_type *parent = parser_named_type(p);

        if (!p->failed)
            ARENA_PUSH(p->arena, *list, *count, parent);
    } while (parser_accept(p, ","));
}

/* The {…} of a class or interface. */
static void read_methods(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    parser_expect(p, "{", "and the methods");
    if (p->failed)
        return;
    while (p->at->kind != TOKEN_END && !parser_is(p, "}")) {
        if (parser_accept(p, "invariant"))
            parser_clauses(p, &symbol->invariants, &symbol->n_invariants);
        else
            read_method(p, symbol);
        if (p->failed)
            parser_recover(p);
    }
    parser_expect(p, "}", "behind the methods");
}

void parser_interface(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_accept(p, "extends"))
        read_parents(p, &symbol->extends, &symbol->n_extends);
    read_methods(p, symbol);
}

void parser_class(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_accept(p, "extends")) {
        struct portolan_sidl_type *parent = parser_named_type(p);

        if (parser_is(p, ","))
            parser_fail(p, "a class extends one class only, name interfaces behind 'implements'");
        ARENA_PUSH(p->arena, symbol->extends, symbol->n_extends, parent);
    }
    while (!p->failed && (parser_is(p, "implements") || parser_is(p, "implements-all"))) {
        const bool is_all = parser_is(p, "implements-all");
        const size_t first = symbol->n_implements;

        p->at++;
        read_parents(p, &symbol->implements, &symbol->n_implements);
        for (size_t i = first; i < symbol->n_implements; i++)
            symbol->implements[i]->is_all = is_all;
    }
    read_methods(p, symbol);
}

static void read_enumerator_value(struct parser *p, struct portolan_sidl_enumerator *e)
{
    const bool is_negative = parser_accept(p, "-");

    if (!is_negative)
        parser_accept(p, "+");
    e->is_explicit = true;
    errno = 0;
    if (p->at->kind != TOKEN_INTEGER) {
        parser_expected(p, "an integer");
        return;
    }
    e->value = strtoll(p->at->text, NULL, 0);
    if (errno)
        parser_fail(p, "%s does not fit into 64 bits", p->at->text);
    else
        p->at++;
    if (is_negative)
        e->value = -e->value;
}

void parser_enum(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    parser_expect(p, "{", "and the enumerators");
    do {
        struct portolan_sidl_enumerator e = {.comment = p->at->comment, .place = p->at->place};

        if (parser_is(p, "}"))
            break;
        e.name = parser_identifier(p, "an enumerator");
        if (parser_accept(p, "="))
            read_enumerator_value(p, &e);
        if (!p->failed)
            ARENA_PUSH(p->arena, symbol->enumerators, symbol->n_enumerators, e);
    } while (parser_accept(p, ","));
    if (!p->failed && symbol->n_enumerators == 0)
        parser_fail(p, "an enum needs at least one enumerator");
    parser_expect(p, "}", "or ',' behind an enumerator");
    if (p->failed && p->at->kind != TOKEN_END) {
        p->failed = false;
        while (p->at->kind != TOKEN_END && !parser_is(p, "}"))
            parser_recover(p);
        parser_accept(p, "}");
    }
}

void parser_struct(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    parser_expect(p, "{", "and the fields");
    while (!p->failed && p->at->kind != TOKEN_END && !parser_is(p, "}")) {
        struct portolan_sidl_field field = {.type = parser_type(p), .place = p->at->place};

        field.name = parser_identifier(p, "a field");
        if (!p->failed && field.type->kind == PORTOLAN_SIDL_RARRAY)
            parser_extents(p, field.type);
        parser_expect(p, ";", "behind the field");
        if (p->failed)
            parser_recover(p);
        else
            ARENA_PUSH(p->arena, symbol->fields, symbol->n_fields, field);
    }
    parser_expect(p, "}", "behind the fields");
}
