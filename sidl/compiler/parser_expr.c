/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions of contracts and of rarray extents, by precedence climbing. */
#include "parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const operators[][6] = {
    {"implies", "iff"},
    {"or", "xor"},
    {"and"},
    {"&", "|", "^"},
    {"==", "!="},
    {"<", ">", "<=", ">="},
    {"<<<", ">>>"},
    {"+", "-"},
    {"*", "/", "%", "rem", "mod"},
    {"**"},
};
enum { N_LEVELS = sizeof operators / sizeof *operators };

static struct portolan_sidl_expr *new_expression(struct parser *p, enum portolan_sidl_op op,
                                                 const char *text)
{
    struct portolan_sidl_expr *e = portolan_arena_alloc(p->arena, 1, sizeof *e);

    e->op = op;
    e->text = text;
    e->place = p->at->place;
    return e;
}

static void add_operand(struct parser *p, struct portolan_sidl_expr *e,
                        struct portolan_sidl_expr *operand)
{
    ARENA_PUSH(p->arena, e->operands, e->n_operands, operand);
}

int64_t parser_integer(struct parser *p)
{
    int64_t value;

    errno = 0;
    value = strtoll(p->at->text, NULL, 0);
    if (errno)
        parser_fail(p, "%s does not fit into 64 bits", p->at->text);
    else
        p->at++;
    return value;
}

static struct portolan_sidl_expr *read_integer(struct parser *p)
{
    struct portolan_sidl_expr *e = new_expression(p, PORTOLAN_SIDL_OP_INTEGER, p->at->text);

    e->integer = parser_integer(p);
    return e;
}

static struct portolan_sidl_expr *read_call_or_name(struct parser *p)
{
    struct portolan_sidl_expr *e = new_expression(p, PORTOLAN_SIDL_OP_NAME, NULL);

    e->text = parser_name(p);
    if (p->failed || !parser_accept(p, "("))
        return e;
    e->op = PORTOLAN_SIDL_OP_CALL;
    if (parser_accept(p, ")"))
        return e;
    do
        add_operand(p, e, parser_expression(p));
    while (!p->failed && parser_accept(p, ","));
    parser_expect(p, ")", "after the arguments");
    return e;
}

static struct portolan_sidl_expr *read_complex(struct parser *p)
{
    struct portolan_sidl_expr *e = new_expression(p, PORTOLAN_SIDL_OP_COMPLEX, "{");

    parser_expect(p, "{", "");
    add_operand(p, e, parser_expression(p));
    parser_expect(p, ",", "between the real and the imaginary part");
    if (!p->failed)
        add_operand(p, e, parser_expression(p));
    parser_expect(p, "}", "after the imaginary part");
    return e;
}

static struct portolan_sidl_expr *read_literal(struct parser *p, enum portolan_sidl_op op)
{
    struct portolan_sidl_expr *e = new_expression(p, op, p->at->text);

    p->at++;
    return e;
}

static struct portolan_sidl_expr *read_primary(struct parser *p)
{
    struct portolan_sidl_expr *e;

    if (p->at->kind == TOKEN_INTEGER)
        return read_integer(p);
    if (p->at->kind == TOKEN_REAL)
        return read_literal(p, PORTOLAN_SIDL_OP_REAL);
    if (p->at->kind == TOKEN_STRING)
        return read_literal(p, PORTOLAN_SIDL_OP_STRING);
    if (p->at->kind == TOKEN_CHARACTER)
        return read_literal(p, PORTOLAN_SIDL_OP_CHARACTER);
    if (parser_is(p, "true") || parser_is(p, "false"))
        return read_literal(p, PORTOLAN_SIDL_OP_BOOLEAN);
    if (parser_is(p, "null"))
        return read_literal(p, PORTOLAN_SIDL_OP_NULL);
    if (parser_is(p, "result"))
        return read_literal(p, PORTOLAN_SIDL_OP_RESULT);
    if (parser_is(p, "pure"))
        return read_literal(p, PORTOLAN_SIDL_OP_PURE);
    if (parser_is(p, "{"))
        return read_complex(p);
    if (parser_accept(p, "(")) {
        e = parser_expression(p);
        parser_expect(p, ")", "after the expression");
        return e;
    }
    if (p->at->kind == TOKEN_WORD && !p->at->is_reserved)
        return read_call_or_name(p);
    if (p->at > p->first && (parser_is(p, "&") || parser_is(p, "|")) &&
        token_is(p->at - 1, p->at->text))
        parser_fail(p, "write '%s', not '%s%s'", *p->at->text == '&' ? "and" : "or", p->at->text,
                    p->at->text);
    parser_expected(p, "an expression");
    return new_expression(p, PORTOLAN_SIDL_OP_NULL, "null");
}

static struct portolan_sidl_expr *read_unary(struct parser *p)
{
    static const char *const signs[] = {"is", "not", "~", "-", "+"};
    struct portolan_sidl_expr *e = NULL;

    for (size_t i = 0; i < sizeof signs / sizeof *signs && !e; i++)
        if (parser_is(p, signs[i]) && p->at->kind != TOKEN_STRING)
            e = new_expression(p, PORTOLAN_SIDL_OP_UNARY, signs[i]);
    if (!e)
        return read_primary(p);
    p->at++;
    if (parser_enter(p))
        add_operand(p, e, read_unary(p));
    parser_leave(p);
    return e;
}

static struct portolan_sidl_expr *read_binary(struct parser *p, size_t level)
{
    struct portolan_sidl_expr *left = level == N_LEVELS ? read_unary(p) : read_binary(p, level + 1);

    for (size_t i = 0; level < N_LEVELS && !p->failed && i < 6 && operators[level][i]; i++) {
        struct portolan_sidl_expr *e;

        if (!parser_is(p, operators[level][i]))
            continue;
        e = new_expression(p, PORTOLAN_SIDL_OP_BINARY, operators[level][i]);
        p->at++;
        add_operand(p, e, left);
        add_operand(p, e, read_binary(p, level + 1));
        left = e;
        i = (size_t)-1; /* all operators of this level again */
    }
    return left;
}

struct portolan_sidl_expr *parser_expression(struct parser *p)
{
    struct portolan_sidl_expr *e;

    if (parser_enter(p))
        e = read_binary(p, 0);
    else
        e = new_expression(p, PORTOLAN_SIDL_OP_NULL, "null");
    parser_leave(p);
    return e;
}

/* A clause list ends where a method may begin: with a type, a modifier, or two names in a row. */
static bool begins_clause(const struct parser *p)
{
    static const char *const starts[] = {"true", "false", "null", "result",
                                         "pure", "is",    "not",  NULL};
    const struct token *t = p->at;

    if (t->kind == TOKEN_SYMBOL)
        return !token_is(t, "}") && !token_is(t, "%") && !token_is(t, ".");
    if (t->kind != TOKEN_WORD)
        return t->kind != TOKEN_END;
    if (word_is_one_of(t->text, starts))
        return true;
    if (t->is_reserved)
        return false;
    while (token_is(&t[1], ".") && t[2].kind == TOKEN_WORD)
        t += 2;
    return !(t[1].kind == TOKEN_WORD && !t[1].is_reserved);
}

/* The source from BEGIN to END, with each run of blanks replaced by one. */
static const char *source_text(struct parser *p, const char *begin, const char *end)
{
    struct portolan_text out = {.arena = p->arena};

    while (begin < end) {
        size_t length = 0, blanks = 0;

        while (begin + length < end && !isspace((unsigned char)begin[length]))
            length++;
        portolan_text_add_bytes(&out, begin, length);
        begin += length;
        while (begin + blanks < end && isspace((unsigned char)begin[blanks]))
            blanks++;
        begin += blanks;
        if (blanks && begin < end)
            portolan_text_add_bytes(&out, " ", 1);
    }
    return out.bytes;
}

/* After a problem, moves to the next clause; false when there is none. */
static bool recover_clause(struct parser *p)
{
    if (parser_recover_to(p, ";"))
        p->at++;
    return !p->failed;
}

void parser_clauses(struct parser *p, struct portolan_sidl_clause **list, size_t *count)
{
    do {
        struct portolan_sidl_clause clause = {.place = p->at->place};
        const char *begin;

        if (p->at->kind == TOKEN_WORD && !p->at->is_reserved && token_is(&p->at[1], ":")) {
            clause.label = p->at->text;
            p->at += 2;
        }
        begin = p->at->source;
        clause.condition = parser_expression(p);
        clause.text = source_text(p, begin, p->at->source);
        if (parser_is(p, "="))
            parser_fail(p, "'=' is assignment, which is not allowed here; compare with '=='");
        parser_semicolon(p, "after the clause");
        if (!p->failed)
            ARENA_PUSH(p->arena, *list, *count, clause);
    } while ((!p->failed || recover_clause(p)) && begins_clause(p));
}
