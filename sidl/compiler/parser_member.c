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
    parser_recover_body(p);
    parser_expect(p, "{", "and the methods");
    if (p->failed)
        return;
    while (p->at->kind != TOKEN_END && !parser_is(p, "}")) {
        if (token_begins_declaration(p->at)) {
            if (parser_misplaced(p, symbol))
                return;
            continue;
        }
        if (parser_is(p, "invariant") && symbol->n_methods)
            diagnose_at(p->d, &p->at->place, "invariants stand in front of the methods of %s",
                        symbol->name);
        if (parser_accept(p, "invariant"))
            parser_clauses(p, &symbol->invariants, &symbol->n_invariants);
        else
            parser_method(p, symbol);
        if (p->failed) {
            symbol->own.is_broken = true;
            parser_recover(p, false);
        }
    }
    parser_expect(p, "}", "behind the methods");
}

void parser_interface(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_is(p, "implements") || parser_is(p, "implements-all"))
        parser_fail(p, "an interface extends others, only classes implement them");
    if (parser_is(p, ":"))
        parser_fail(p, "a parent stands behind the word 'extends', not behind ':'");
    if (parser_accept(p, "extends"))
        read_parents(p, &symbol->extends, &symbol->n_extends);
    symbol->own.is_rootless = p->failed;
    symbol->own.is_broken |= p->failed;
    read_methods(p, symbol);
}

void parser_class(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    if (parser_is(p, ":"))
        parser_fail(p, "a parent stands behind the word 'extends', not behind ':'");
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
    if (parser_is(p, "extends"))
        parser_fail(p, "'extends' stands in front of 'implements', and once");
    symbol->own.is_rootless = p->failed;
    symbol->own.is_broken |= p->failed;
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

/* One of them; behind a problem reading goes on at the next. */
static void read_enumerator(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    struct portolan_sidl_enumerator e = {.comment = p->at->comment, .place = p->at->place};

    e.name = parser_identifier(p, "an enumerator");
    if (parser_accept(p, "="))
        read_enumerator_value(p, &e);
    if (!p->failed && !parser_is(p, ",") && !parser_is(p, "}"))
        parser_expected(p, "'}' or ',' behind an enumerator");
    if (!p->failed) {
        ARENA_PUSH(p->arena, symbol->enumerators, symbol->n_enumerators, e);
        return;
    }
    symbol->own.is_broken = true;
    while (p->at->kind != TOKEN_END && !parser_is(p, ",") && !parser_is(p, "}") &&
           !token_begins_declaration(p->at))
        p->at++;
    p->failed = false;
}

void parser_enum(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    parser_recover_body(p);
    parser_expect(p, "{", "and the enumerators");
    if (p->failed)
        return;
    do {
        if (parser_is(p, "}") || p->at->kind == TOKEN_END)
            break;
        read_enumerator(p, symbol);
    } while (parser_accept(p, ","));
    if (p->at->kind != TOKEN_END && symbol->n_enumerators == 0 && !symbol->own.is_broken)
        parser_fail(p, "an enum needs at least one enumerator");
    parser_expect(p, "}", "behind the enumerators");
    if (p->failed && parser_is(p, "}")) {
        p->failed = false;
        p->at++;
    }
}

static void read_field(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    struct portolan_sidl_field field = {.comment = p->at->comment};

    field.type = parser_type(p);
    field.place = p->at->place;
    field.name = parser_identifier(p, "a field");
    if (!p->failed && field.type->kind == PORTOLAN_SIDL_RARRAY)
        parser_extents(p, field.type);
    if (parser_is(p, "="))
        parser_fail(p, "a field has no value, whoever makes the struct gives it one");
    parser_semicolon(p, "behind the field");
    if (!p->failed) {
        ARENA_PUSH(p->arena, symbol->fields, symbol->n_fields, field);
        return;
    }
    symbol->own.is_broken = true;
    parser_recover(p, false);
}

void parser_struct(struct parser *p, struct portolan_sidl_symbol *symbol)
{
    parser_recover_body(p);
    parser_expect(p, "{", "and the fields");
    if (p->failed)
        return;
    while (p->at->kind != TOKEN_END && !parser_is(p, "}")) {
        if (!token_begins_declaration(p->at))
            read_field(p, symbol);
        else if (parser_misplaced(p, symbol))
            return;
    }
    parser_expect(p, "}", "behind the fields");
}
