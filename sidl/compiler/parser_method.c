/* SPDX-License-Identifier: BSD-3-Clause */
/* Types; methods: arguments, exceptions, contracts. */
#include "parser.h"

#include <string.h>

const char *parser_name(struct parser *p)
{
    struct portolan_text name = {.arena = p->arena};

    portolan_text_add(&name, "%s", parser_accept(p, ".") ? "." : "");
    portolan_text_add(&name, "%s", parser_identifier(p, "a type or package"));
    while (!p->failed && parser_accept(p, ".")) {
        if (parser_is(p, "*"))
            parser_fail(p, "write the package without .* after it: %s", name.bytes);
        portolan_text_add(&name, ".%s", parser_identifier(p, "a type or package"));
    }
    return name.bytes;
}

struct portolan_sidl_type *parser_named_type(struct parser *p)
{
    struct portolan_sidl_type *type = portolan_arena_alloc(p->arena, 1, sizeof *type);
    const struct pending pending = {type, p->scope, p->file};

    type->kind = PORTOLAN_SIDL_OBJECT;
    type->place = p->at->place;
    type->name = parser_name(p);
    if (!p->failed)
        ARENA_PUSH(p->arena, p->model->pending, p->model->n_pending, pending);
    return type;
}

void parser_named_types(struct parser *p, struct portolan_sidl_type ***list, size_t *count)
{
    do {
        struct portolan_sidl_type *type = p->failed ? NULL : parser_named_type(p);

        if (!p->failed)
            ARENA_PUSH(p->arena, *list, *count, type);
    } while (parser_accept(p, ","));
}

static int dimension(struct parser *p)
{
    int64_t value = 0;

    if (p->at->kind != TOKEN_INTEGER) {
        parser_expected(p, "the number of dimensions");
        return 1;
    }
    if (!portolan_read_int64(p->at->text, &value) || value < 1 || value > 7) {
        parser_fail(p, "an array cannot have %s dimensions; it can have 1 to 7", p->at->text);
        return 1;
    }
    p->at++;
    return (int)value;
}

static bool accept_order(struct parser *p, struct portolan_sidl_type *type)
{
    if (parser_accept(p, "column-major"))
        type->order = PORTOLAN_SIDL_COLUMN_MAJOR;
    else if (parser_accept(p, "row-major"))
        type->order = PORTOLAN_SIDL_ROW_MAJOR;
    else
        return false;
    return true;
}

/* Reads the text between < and > of an array or rarray. */
static void array_parameters(struct parser *p, struct portolan_sidl_type *type)
{
    parser_expect(p, "<", type->kind == PORTOLAN_SIDL_ARRAY ? "after 'array'" : "after 'rarray'");
    type->dimension = 1;
    if (p->failed || (type->kind == PORTOLAN_SIDL_ARRAY && parser_accept(p, ">")))
        return;
    if (parser_is(p, ">"))
        parser_fail(p, "an rarray cannot be generic; give its element type: rarray<double>");
    type->element = parser_type(p);
    if (!p->failed &&
        (type->element->kind == PORTOLAN_SIDL_ARRAY ||
         type->element->kind == PORTOLAN_SIDL_RARRAY || type->element->kind == PORTOLAN_SIDL_VOID))
        diagnose_at(p->d, &type->element->place, "an array cannot hold %s",
                    type->element->kind == PORTOLAN_SIDL_VOID
                        ? "void"
                        : "arrays; give it more dimensions instead");
    if (!p->failed && parser_accept(p, ",") && !accept_order(p, type)) {
        type->dimension = dimension(p);
        if (!p->failed && parser_accept(p, ",") && !accept_order(p, type))
            parser_expected(p, "row-major or column-major");
    }
    if (!p->failed && type->kind == PORTOLAN_SIDL_RARRAY && type->order)
        parser_fail(p, "an rarray is always column-major; leave the order out");
    parser_expect(p, ">", "after the element type and dimension");
}

/* Reports words of C and CORBA before a type, which SIDL does not have. */
static void report_foreign_type(struct parser *p)
{
    static const char *const words[] = {"unsigned", "signed", "const", "short", "sequence", NULL};

    if (p->at->kind == TOKEN_WORD && word_is_one_of(p->at->text, words) &&
        (p->at[1].kind == TOKEN_WORD || token_is(&p->at[1], "<")))
        parser_fail(p,
                    "SIDL has no type '%s'; the types are bool, char, int (32 bits), long (64), "
                    "float, double, fcomplex, dcomplex, string, opaque, array<…> and declared ones",
                    p->at->text);
}

struct portolan_sidl_type *parser_type(struct parser *p)
{
    static const char *const names[] = {
        [PORTOLAN_SIDL_VOID] = "void",     [PORTOLAN_SIDL_BOOL] = "bool",
        [PORTOLAN_SIDL_CHAR] = "char",     [PORTOLAN_SIDL_DCOMPLEX] = "dcomplex",
        [PORTOLAN_SIDL_DOUBLE] = "double", [PORTOLAN_SIDL_FCOMPLEX] = "fcomplex",
        [PORTOLAN_SIDL_FLOAT] = "float",   [PORTOLAN_SIDL_INT] = "int",
        [PORTOLAN_SIDL_LONG] = "long",     [PORTOLAN_SIDL_OPAQUE] = "opaque",
        [PORTOLAN_SIDL_STRING] = "string", [PORTOLAN_SIDL_ARRAY] = "array",
        [PORTOLAN_SIDL_RARRAY] = "rarray",
    };
    struct portolan_sidl_type *type;

    report_foreign_type(p);
    if (p->at->kind == TOKEN_WORD && !p->at->is_reserved)
        return parser_named_type(p);
    if (parser_is(p, "."))
        return parser_named_type(p);
    type = portolan_arena_alloc(p->arena, 1, sizeof *type);
    type->place = p->at->place;
    type->name = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (p->at->kind != TOKEN_WORD || strcmp(names[i], p->at->text) != 0)
            continue;
        type->kind = (enum portolan_sidl_kind)i;
        type->name = names[i];
        p->at++;
        if ((type->kind == PORTOLAN_SIDL_ARRAY || type->kind == PORTOLAN_SIDL_RARRAY) &&
            parser_enter(p)) {
            array_parameters(p, type);
            parser_leave(p);
        }
        return type;
    }
    if (parser_is(p, "struct") || parser_is(p, "enum") || parser_is(p, "class") ||
        parser_is(p, "interface"))
        parser_fail(p, "expected a type, not '%s'; write the type without that word", p->at->text);
    parser_expected(p, "a type");
    return type;
}

void parser_extents(struct parser *p, struct portolan_sidl_type *rarray)
{
    parser_expect(p, "(", "and the extents after an rarray's name");
    do {
        struct portolan_sidl_expr *extent = p->failed ? NULL : parser_expression(p);

        if (extent)
            ARENA_PUSH(p->arena, rarray->extents, rarray->n_extents, extent);
    } while (!p->failed && parser_accept(p, ","));
    parser_expect(p, ")", "after the extents");
}

void parser_attributes(struct parser *p, struct portolan_sidl_attribute **list, size_t *count)
{
    while (!p->failed && parser_accept(p, "%")) {
        parser_expect(p, "attrib", "after '%'");
        parser_expect(p, "{", "after '%attrib'");
        if (parser_is(p, "}"))
            parser_fail(p, "an attribute list needs at least one attribute: %%attrib{name}");
        while (!p->failed && !parser_is(p, "}")) {
            struct portolan_sidl_attribute attribute = {.place = p->at->place};

            /* reserved words may be attribute names: %attrib{copy} */
            if (p->at->kind == TOKEN_WORD)
                attribute.name = p->at++->text;
            else
                attribute.name = parser_identifier(p, "an attribute");
            if (!p->failed && parser_accept(p, "=")) {
                attribute.value = p->at->text;
                if (p->at->kind == TOKEN_STRING)
                    p->at++;
                else
                    parser_expected(p, "the attribute's value in double quotes");
            }
            if (!p->failed)
                ARENA_PUSH(p->arena, *list, *count, attribute);
            if (!parser_accept(p, ","))
                break;
        }
        parser_expect(p, "}", "after the attributes");
        if (p->failed && parser_recover_to(p, "}"))
            p->at++;
    }
}

/* Methods */

static void read_argument(struct parser *p, struct portolan_sidl_method *method)
{
    struct portolan_sidl_argument argument = {.comment = p->at->comment};

    while (!p->failed && (parser_is(p, "copy") || parser_is(p, "%"))) {
        if (parser_is(p, "copy")) {
            if (argument.copy)
                diagnose_at(p->d, &p->at->place, "'copy' is given twice; remove one");
            argument.copy = true;
            p->at++;
        }
        parser_attributes(p, &argument.attributes, &argument.n_attributes);
    }
    if (parser_accept(p, "out"))
        argument.mode = PORTOLAN_SIDL_OUT;
    else if (parser_accept(p, "inout"))
        argument.mode = PORTOLAN_SIDL_INOUT;
    else if (!parser_accept(p, "in"))
        parser_expected(p, "an argument that begins with in, out or inout");
    if (p->failed)
        return;
    argument.type = parser_type(p);
    argument.place = p->at->place;
    argument.name = parser_identifier(p, "an argument");
    if (!p->failed && argument.type->kind == PORTOLAN_SIDL_RARRAY)
        parser_extents(p, argument.type);
    if (!p->failed && p->at->kind == TOKEN_EXTENSION)
        parser_fail(p, "[%s] does not make an array; write array<%s> %s or rarray<%s> %s(%s)",
                    p->at->text, argument.type->name, argument.name, argument.type->name,
                    argument.name, p->at->text);
    if (parser_is(p, "="))
        parser_fail(p, "an argument cannot have a default value; overload the method instead");
    if (!p->failed && !parser_is(p, ",") && !parser_is(p, ")"))
        parser_expected(p, "',' or ')' after the argument");
    if (!p->failed)
        ARENA_PUSH(p->arena, method->arguments, method->n_arguments, argument);
}

/* True when all arguments could be read; if not, reading can continue unless p->failed. */
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
    parser_expect(p, ")", "after the arguments");
    return is_whole && !p->failed;
}

static void read_throws(struct parser *p, struct portolan_sidl_method *method)
{
    if (parser_is(p, "(") || parser_is(p, "{"))
        parser_fail(p, "exceptions follow 'throws' without parentheses: throws A, B");
    parser_named_types(p, &method->throws, &method->n_throws);
}

/* Reports words that older or other dialects have after the arguments. */
static void check_dialect(struct parser *p)
{
    if ((parser_is(p, "local") || parser_is(p, "oneway") || parser_is(p, "nonblocking")) &&
        (token_is(&p->at[1], ";") || token_is(&p->at[1], "throws")))
        parser_fail(
            p, "'%s' must come before the method's type, not after its arguments (as in SIDL 0.x)",
            p->at->text);
    else if (parser_is(p, "raises"))
        parser_fail(p, "'raises' is CORBA's word; write 'throws'");
    else if (parser_is(p, "const"))
        parser_fail(p, "SIDL has no const methods; write in a contract: ensure is pure;");
    else if (parser_is(p, "{"))
        parser_fail(p, "a method ends with ';'; its body is in the Impl file");
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
        parser_fail(p, "a method needs a type and a name; write: void %s(…)",
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
            diagnose_at(p->d, &p->at->place, "'require' must come before 'ensure'; move it up");
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
        parser_fail(p, "from %s: name the interface, too: from Interface.%s", start->text,
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
    parser_expect(p, "(", "and the arguments after a method's name");
    if (!p->failed)
        is_whole = read_arguments(p, method);
    check_dialect(p);
    if (parser_accept(p, "throws"))
        read_throws(p, method);
    check_dialect(p);
    if (parser_accept(p, "from"))
        read_from(p, method);
    parser_semicolon(p, "after the method");
    if (p->failed && parser_recover_to(p, ";"))
        p->at++, is_whole = false;
    read_contract(p, method);
    if (!p->failed && is_whole)
        ARENA_PUSH(p->arena, owner->methods, owner->n_methods, method);
    else
        owner->own.is_broken = true;
}
