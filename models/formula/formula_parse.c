/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammar of the formula language: an operator-precedence parser. */
#include "formula_parse.h"

#include <math.h>
#include <string.h>

static bool is_symbol(const struct parser *p, const char *symbol)
{
    return p->now.kind == SYMBOL && p->now.length == strlen(symbol) &&
           strncmp(p->now.text, symbol, p->now.length) == 0;
}

static bool expect(struct parser *p, const char *symbol, const char *what)
{
    if (!is_symbol(p, symbol))
        return COMPLAIN(p, "%s", what);
    formula_next(p);
    return !p->status;
}

/* ---- functions ---- */

struct function {
    const char *name;
    enum formula_op op;
    unsigned char least, most; /* arguments */
};

static const struct function functions[] = {
    {"log", OP_LOG, 1, 2},     {"ln", OP_LOG, 1, 1},      {"log2", OP_LOG2, 1, 1},
    {"log10", OP_LOG10, 1, 1}, {"exp", OP_EXP, 1, 1},     {"sqrt", OP_SQRT, 1, 1},
    {"cbrt", OP_CBRT, 1, 1},   {"pow", OP_POWER, 2, 2},   {"abs", OP_ABS, 1, 1},
    {"fabs", OP_ABS, 1, 1},    {"floor", OP_FLOOR, 1, 1}, {"ceil", OP_CEIL, 1, 1},
    {"min", OP_MIN, 2, 0},     {"max", OP_MAX, 2, 0},     {"fmin", OP_MIN, 2, 2},
    {"fmax", OP_MAX, 2, 2},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const types[] = {"double", "float",  "int",      "long",  "short",
                                    "char",   "signed", "unsigned", "sizeof"};
enum { N_TYPES = sizeof types / sizeof *types };

const char *formula_op_name(enum formula_op op)
{
    if (op == OP_LOG_BASE)
        return "log";
    if (op == OP_ABS)
        return "fabs";
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (functions[i].op == op)
            return functions[i].name;
    return NULL;
}

static bool is_among(const char *name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

bool formula_name_is_plain(const char *name)
{
    static const char *const numbers[] = {"INFINITY", "NAN"};
    const char *s = name;

    if (is_among(name, types, N_TYPES) || is_among(name, numbers, 2))
        return false;
    for (;;) {
        if (!formula_is_start(*s))
            return false;
        while (formula_is_inside(*s))
            s++;
        if (!*s)
            return true;
        if (*s != '.' && strncmp(s, "->", 2) != 0)
            return false;
        s += *s == '.' ? 1 : 2;
    }
}

/* ---- grammar ---- */

/* One level that a user sees is an expression and an operand here. */
enum { MOST_CALLS = 2 * PORTOLAN_FORMULA_MAX_DEPTH };

static void parse_expression(struct parser *p);
static void parse_binary(struct parser *p, int least);

static void push(struct parser *p, const struct token *at, enum formula_op op, size_t n_args)
{
    if (p->status)
        return;
    p->build.line = at->line;
    p->build.column = at->column;
    formula_push(&p->build, op, n_args);
}

static bool enter(struct parser *p)
{
    if (p->status || ++p->depth <= MOST_CALLS)
        return !p->status;
    return COMPLAIN(p, "this is nested too deeply; at most %d levels are read",
                    (int)PORTOLAN_FORMULA_MAX_DEPTH);
}

static const struct function *find_function(struct parser *p)
{
    const char *names[N_FUNCTIONS], *nearest;

    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        names[i] = functions[i].name;
        if (strcmp(p->now.name, functions[i].name) == 0)
            return &functions[i];
    }
    nearest = portolan_nearest_word(p->now.name, names, N_FUNCTIONS);
    if (nearest)
        COMPLAIN(p, "there is no function \"%s\"%s", p->now.name,
                 portolan_did_you_mean(nearest).text);
    else
        COMPLAIN(p,
                 "there is no function \"%s\"; log, log2, log10, exp, sqrt, cbrt, pow, fabs, "
                 "floor, ceil, min and max are, and a product needs a *",
                 p->now.name);
    return NULL;
}

/* From the name on; the ( has been seen behind it. */
static void parse_call(struct parser *p)
{
    const struct function *f = find_function(p);
    struct token at = p->now;
    unsigned n = 0;

    if (!f)
        return;
    formula_next(p);
    do {
        formula_next(p);
        parse_expression(p);
    } while (!p->status && ++n < FORMULA_ARGUMENTS && is_symbol(p, ","));
    if (!expect(p, ")", "a ) or an operator is missing here"))
        return;
    if (n < f->least || (f->most && n > f->most)) {
        p->now = at;
        COMPLAIN(p, "%s() takes %d argument%s%s, not %u", f->name, (int)f->least,
                 f->least > 1 ? "s" : "",
                 !f->most             ? " or more"
                 : f->most > f->least ? " or 2"
                                      : "",
                 n);
        return;
    }
    if (f->op == OP_LOG && n == 2) {
        p->build.line = at.line;
        p->build.column = at.column;
        formula_push_log(&p->build);
    } else {
        push(p, &at, f->op, n);
    }
}

/* From the [ on. */
static void parse_index(struct parser *p, const struct token *name)
{
    double k;

    if (!name->is_word) {
        COMPLAIN(p, "only a constant has an index, and its name is one word, as in fft[0]");
        return;
    }
    formula_next(p);
    k = p->now.kind == NUMBER ? p->now.number : -1;
    if (!(k >= 0 && k <= PORTOLAN_FORMULA_MAX_INDEX && k == floor(k))) {
        COMPLAIN(p, "a constant's index is a whole number from 0 to %d, as in %s[0]",
                 (int)PORTOLAN_FORMULA_MAX_INDEX, name->name);
        return;
    }
    formula_next(p);
    if (!expect(p, "]", "a ] is missing here: the index of a constant is one number"))
        return;
    p->build.line = name->line;
    p->build.column = name->column;
    formula_push_constant(&p->build, name->name, strlen(name->name), (unsigned)k);
}

static void parse_name(struct parser *p)
{
    struct token name = p->now;
    char behind;

    if (name.is_word && is_among(name.name, types, N_TYPES)) {
        COMPLAIN(p, "\"%s\" is a type; all is computed in double, leave the conversion out",
                 name.name);
        return;
    }
    formula_skip(p);
    behind = formula_peek(p, 0);
    if (behind == '(') {
        parse_call(p);
        return;
    }
    formula_next(p);
    if (behind == '[') {
        parse_index(p, &name);
        return;
    }
    if (p->status)
        return;
    p->build.line = name.line;
    p->build.column = name.column;
    if (name.is_word && strcmp(name.name, "INFINITY") == 0)
        formula_push_number(&p->build, INFINITY);
    else if (name.is_word && strcmp(name.name, "NAN") == 0)
        formula_push_number(&p->build, NAN);
    else
        formula_push_name(&p->build, name.name, strlen(name.name));
}

static void parse_primary(struct parser *p)
{
    if (p->now.kind == NUMBER && !p->status) {
        p->build.line = p->now.line;
        p->build.column = p->now.column;
        formula_push_number(&p->build, p->now.number);
        formula_next(p);
    } else if (p->now.kind == NAME) {
        parse_name(p);
    } else if (is_symbol(p, "(")) {
        formula_next(p);
        parse_expression(p);
        expect(p, ")", "a ) or an operator is missing here");
    } else if (p->now.kind == END) {
        COMPLAIN(p, "the formula ends where a number, a name or a ( should be");
    } else {
        COMPLAIN(p, "\"%.*s\" stands where a number, a name or a ( should be", (int)p->now.length,
                 p->now.text);
    }
}

static void parse_unary(struct parser *p)
{
    struct token at = p->now;

    if (!enter(p))
        return;
    if (is_symbol(p, "-") || is_symbol(p, "!") || is_symbol(p, "+")) {
        formula_next(p);
        parse_unary(p);
        if (*at.text != '+')
            push(p, &at, *at.text == '-' ? OP_NEGATE : OP_NOT, 1);
    } else {
        parse_primary(p);
        at = p->now;
        if (is_symbol(p, "^")) {
            formula_next(p);
            parse_unary(p);
            push(p, &at, OP_POWER, 2);
        }
    }
    p->depth--;
}

static const struct operator
{
    const char *symbol;
    enum formula_op op;
    int level;
}
operators[] = {
    {"||", OP_OR, 1},        {"&&", OP_AND, 2},        {"==", OP_EQUAL, 3},
    {"!=", OP_NOT_EQUAL, 3}, {"<=", OP_LESS_EQUAL, 4}, {">=", OP_GREATER_EQUAL, 4},
    {"<", OP_LESS, 4},       {">", OP_GREATER, 4},     {"+", OP_ADD, 5},
    {"-", OP_SUBTRACT, 5},   {"*", OP_MULTIPLY, 6},    {"/", OP_DIVIDE, 6},
};

static const struct operator* find_operator(const struct parser *p)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (is_symbol(p, operators[i].symbol))
            return &operators[i];
    return NULL;
}

/* Operators of LEAST and tighter levels, from the left. */
static void parse_binary(struct parser *p, int least)
{
    const struct operator* o;
    int compared = 0;

    parse_unary(p);
    while (!p->status && (o = find_operator(p)) && o->level >= least) {
        struct token at = p->now;

        if (o->level == compared) {
            COMPLAIN(p, "a second comparison in a row; write a < b && b < c, or parentheses");
            return;
        }
        compared = o->level == 3 || o->level == 4 ? o->level : 0;
        formula_next(p);
        parse_binary(p, o->level + 1);
        push(p, &at, o->op, 2);
    }
}

static void parse_expression(struct parser *p)
{
    struct token at;

    if (!enter(p))
        return;
    parse_binary(p, 1);
    at = p->now;
    if (is_symbol(p, "?")) {
        formula_next(p);
        parse_expression(p);
        if (expect(p, ":", "the : of a ? is missing here"))
            parse_expression(p);
        push(p, &at, OP_SELECT, 3);
    }
    p->depth--;
}

static void parse_all(struct parser *p)
{
    formula_next(p);
    if (p->now.kind == END)
        COMPLAIN(p, "there is no formula");
    parse_expression(p);
    if (p->status || p->now.kind == END)
        return;
    if (is_symbol(p, ")"))
        COMPLAIN(p, "this ) closes nothing");
    else if (is_symbol(p, "["))
        COMPLAIN(p, "only a constant has an index, as in fft[0]");
    else
        COMPLAIN(p, "an operator is missing in front of \"%.*s\"; a product needs a *",
                 p->now.length < 40 ? (int)p->now.length : 40, p->now.text);
}

enum portolan_status portolan_formula_parse(const char *text, size_t size, const char *file,
                                            int line, int column,
                                            struct portolan_diagnostics *diagnostics,
                                            struct portolan_formula **formula,
                                            struct portolan_error *err)
{
    struct parser p = {.at = text,
                       .end = text + size,
                       .line_start = text,
                       .place = {file, line, column, diagnostics, err}};
    enum portolan_status status;

    if (size > PORTOLAN_FORMULA_MAX_BYTES)
        return formula_complain(&p.place, 0, 0, "a formula takes at most %d bytes",
                                (int)PORTOLAN_FORMULA_MAX_BYTES);
    if (!formula_begin(&p.build))
        parse_all(&p);
    if (!p.status && p.build.status == PORTOLAN_EINVAL)
        p.status = formula_complain(&p.place, 0, 0, "%s", p.build.why);
    status = p.status;
    if (status)
        p.build.status = status;
    status = formula_end(&p.build, formula);
    return status ? portolan_error_set(err, status, "no memory for a formula") : PORTOLAN_OK;
}
