/* SPDX-License-Identifier: BSD-3-Clause */
/* Methods: modifiers, arguments, exceptions, contracts. */
#include "parser.h"

#include <string.h>

static void read_argument(struct parser *p, struct portolan_sidl_method *method)
{
    struct portolan_sidl_argument argument = {.comment = p->at->comment};

    while (!p->failed && (parser_is(p, "copy") || parser_is(p, "%"))) {
        if (parser_is(p, "copy")) {
            if (argument.copy)
                diagnose_at(p->d, &p->at->place, "'copy' is written twice, once is enough");
            argument.copy = true;
            p->at++;
        }
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
    if (!p->failed && p->at->kind == TOKEN_EXTENSION)
        parser_fail(p, "[%s] makes no array, write array<%s> %s or rarray<%s> %s(%s)", p->at->text,
                    argument.type->name, argument.name, argument.type->name, argument.name,
                    p->at->text);
    if (parser_is(p, "="))
        parser_fail(p, "an argument has no default value, overload the method instead");
    if (!p->failed && !parser_is(p, ",") && !parser_is(p, ")"))
        parser_expected(p, "',' or ')' behind the argument");
    if (!p->failed)
        ARENA_PUSH(p->arena, method->arguments, method->n_arguments, argument);
}

/* True when all of them could be read; then or else `failed` says whether reading can go on. */
static bool read_arguments(struct parser *p, struct portolan_sidl_method *method)
{
    const struct token *const start = p->at;
    bool is_whole = true;

    if (parser_accept(p, ")"))
        return true;
    do {
        read_argument(p, method);
        if (p->failed) {
            is_whole = false;
            parser_recover_argument(p, start);
        }
    } while (parser_accept(p, ","));
    parser_expect(p, ")", "behind the arguments");
    return is_whole && !p->failed;
}

static void read_throws(struct parser *p, struct portolan_sidl_method *method)
{
    if (parser_is(p, "(") || parser_is(p, "{"))
        parser_fail(p, "exceptions stand behind 'throws' without brackets: throws A, B");
    do {
        struct portolan_sidl_type *thrown = p->failed ? NULL : parser_named_type(p);

        if (!p->failed)
            ARENA_PUSH(p->arena, method->throws, method->n_throws, thrown);
    } while (parser_accept(p, ","));
}

/* What older or other dialects have behind the arguments. */
static void check_dialect(struct parser *p)
{
    if ((parser_is(p, "local") || parser_is(p, "oneway") || parser_is(p, "nonblocking")) &&
        (token_is(&p->at[1], ";") || token_is(&p->at[1], "throws")))
        parser_fail(p,
                    "'%s' stands in front of the method's type, not behind its arguments (as in "
                    "SIDL 0.x)",
                    p->at->text);
    else if (parser_is(p, "raises"))
        parser_fail(p, "'raises' is CORBA's word, SIDL's is 'throws'");
    else if (parser_is(p, "const"))
        parser_fail(p, "SIDL has no const methods, a contract can say: ensure is pure;");
    else if (parser_is(p, "{"))
        parser_fail(p, "a method ends with ';', its body stands in the implementation");
}

static void read_head(struct parser *p, struct portolan_sidl_method *method)
{
    const struct modifiers m = parser_modifiers(p);

    method->flags = m.flags;
    method->attributes = m.attributes;
    method->n_attributes = m.n_attributes;
    method->result = p->failed ? NULL : parser_type(p);
    method->place = p->at->place;
    if (parser_is(p, "("))
        parser_fail(p, "a method has a type and a name, write: void %s(…)",
                    method->result ? method->result->name : "name");
    method->name = parser_identifier(p, "a method");
    method->extension = "";
    if (!p->failed && p->at->kind == TOKEN_EXTENSION)
        method->extension = p->at++->text;
    method->slot_name = portolan_arena_printf(p->arena, "%s%s", method->name, method->extension);
}

static void read_contract(struct parser *p, struct portolan_sidl_method *method)
{
    while (parser_accept(p, "require"))
        parser_clauses(p, &method->requires, &method->n_requires);
    while (!p->failed && (parser_is(p, "ensure") || parser_is(p, "require"))) {
        const bool is_ensure = parser_is(p, "ensure");

        if (!is_ensure)
            diagnose_at(p->d, &p->at->place, "'require' stands in front of 'ensure', move it up");
        p->at++;
        if (is_ensure)
            parser_clauses(p, &method->ensures, &method->n_ensures);
        else
            parser_clauses(p, &method->requires, &method->n_requires);
    }
}

static void read_from(struct parser *p, struct portolan_sidl_method *method)
{
    const struct token *start = p->at;
    const char *dot;

    method->from_place = start->place;
    method->from = parser_name(p);
    dot = p->failed ? NULL : strrchr(method->from, '.');
    if (!p->failed && (!dot || dot == method->from)) {
        p->at = start;
        parser_fail(p, "from %s: name the interface too, as from Interface.%s", start->text,
                    start->text);
    }
    if (p->failed)
        return;
    method->from_type = portolan_arena_alloc(p->arena, 1, sizeof *method->from_type);
    method->from_type->kind = PORTOLAN_SIDL_OBJECT;
    method->from_type->place = start->place;
    method->from_type->name =
        portolan_arena_strndup(p->arena, method->from, (size_t)(dot - method->from));
    ARENA_PUSH(p->arena, p->model->pending, p->model->n_pending,
               (struct pending){method->from_type, p->scope, p->file});
    if (p->at->kind == TOKEN_EXTENSION)
        method->from_extension = p->at++->text;
}

void parser_method(struct parser *p, struct portolan_sidl_symbol *owner)
{
    struct portolan_sidl_method *method = portolan_arena_alloc(p->arena, 1, sizeof *method);
    bool is_whole = true;

    method->owner = owner;
    method->comment = p->at->comment;
    read_head(p, method);
    parser_expect(p, "(", "and the arguments behind a method's name");
    if (!p->failed)
        is_whole = read_arguments(p, method);
    check_dialect(p);
    if (parser_accept(p, "throws"))
        read_throws(p, method);
    check_dialect(p);
    if (parser_accept(p, "from"))
        read_from(p, method);
    parser_semicolon(p, "behind the method");
    if (p->failed && parser_recover_to(p, ";"))
        p->at++, is_whole = false;
    read_contract(p, method);
    if (!p->failed && is_whole)
        ARENA_PUSH(p->arena, owner->methods, owner->n_methods, method);
    else
        owner->own.is_broken = true;
}
