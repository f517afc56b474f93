/* SPDX-License-Identifier: BSD-3-Clause */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

const char *parser_name(struct parser *p)
{
    struct portolan_text name = {.arena = p->arena};

    portolan_text_add(&name, "%s", parser_accept(p, ".") ? "." : "");
    portolan_text_add(&name, "%s", parser_identifier(p, "a type or package"));
    while (!p->failed && parser_accept(p, ".")) {
        if (parser_is(p, "*"))
            parser_fail(p, "a package is named without .* behind it: %s", name.bytes);
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

static int dimension(struct parser *p)
{
    int64_t value = 0;

    if (p->at->kind != TOKEN_INTEGER) {
        parser_expected(p, "the number of dimensions");
        return 1;
    }
    if (!portolan_read_int64(p->at->text, &value) || value < 1 || value > 7) {
        parser_fail(p, "an array of %s dimensions, only 1 to 7 are possible", p->at->text);
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

/* What stands between < and > of an array or rarray. */
static void array_parameters(struct parser *p, struct portolan_sidl_type *type)
{
    parser_expect(p, "<", type->kind == PORTOLAN_SIDL_ARRAY ? "behind 'array'" : "behind 'rarray'");
    type->dimension = 1;
    if (p->failed || (type->kind == PORTOLAN_SIDL_ARRAY && parser_accept(p, ">")))
        return;
    if (parser_is(p, ">"))
        parser_fail(p, "an rarray is never generic, give its element type: rarray<double>");
    type->element = parser_type(p);
    if (!p->failed &&
        (type->element->kind == PORTOLAN_SIDL_ARRAY ||
         type->element->kind == PORTOLAN_SIDL_RARRAY || type->element->kind == PORTOLAN_SIDL_VOID))
        diagnose_at(p->d, &type->element->place,
                    "an array of %s is not possible, give the array more dimensions instead",
                    type->element->kind == PORTOLAN_SIDL_VOID ? "void" : "arrays");
    if (!p->failed && parser_accept(p, ",") && !accept_order(p, type)) {
        type->dimension = dimension(p);
        if (!p->failed && parser_accept(p, ",") && !accept_order(p, type))
            parser_expected(p, "row-major or column-major");
    }
    if (!p->failed && type->kind == PORTOLAN_SIDL_RARRAY && type->order)
        parser_fail(p, "an rarray has no order to choose, it is always column-major");
    parser_expect(p, ">", "behind the element type and dimension");
}

/* Words of C and CORBA in front of a type, which SIDL does not have. */
static void report_foreign_type(struct parser *p)
{
    static const char *const words[] = {"unsigned", "signed", "const", "short", "sequence"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parser_is(p, words[i]) && (p->at[1].kind == TOKEN_WORD || token_is(&p->at[1], "<")) &&
            !p->failed)
            parser_fail(p,
                        "SIDL has no '%s', its types are bool, char, int (32 bits), long (64), "
                        "float, double, fcomplex, dcomplex, string, opaque, array<…> and "
                        "declared ones",
                        words[i]);
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
        parser_fail(p, "expected a type, not '%s': a type is named without that word", p->at->text);
    parser_expected(p, "a type");
    return type;
}

void parser_extents(struct parser *p, struct portolan_sidl_type *rarray)
{
    parser_expect(p, "(", "and the extents behind an rarray's name");
    do {
        struct portolan_sidl_expr *extent = p->failed ? NULL : parser_expression(p);

        if (extent)
            ARENA_PUSH(p->arena, rarray->extents, rarray->n_extents, extent);
    } while (!p->failed && parser_accept(p, ","));
    parser_expect(p, ")", "behind the extents");
}

void parser_attributes(struct parser *p, struct portolan_sidl_attribute **list, size_t *count)
{
    while (!p->failed && parser_accept(p, "%")) {
        parser_expect(p, "attrib", "behind '%'");
        parser_expect(p, "{", "behind '%attrib'");
        if (parser_is(p, "}"))
            parser_fail(p, "an attribute list holds at least one: %%attrib{name}");
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
        parser_expect(p, "}", "behind the attributes");
        if (p->failed && parser_recover_to(p, "}"))
            p->at++;
    }
}
