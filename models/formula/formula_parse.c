/* SPDX-License-Identifier: BSD-3-Clause */
/* The formula language: its words, and its grammar by an operator-precedence parser. */
#include "formula_internal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { LONGEST_NAME = 200 };

enum kind { END, NUMBER, NAME, SYMBOL };

struct token {
    enum kind kind;
    unsigned line, column; /* from 0 */
    const char *text;      /* unchanged */
    size_t length;
    double number;
    char name[LONGEST_NAME + 1]; /* without quotes, and without blanks around . and -> */
    bool is_word;                /* a bare identifier, perhaps of a constant or a function */
};

struct parser {
    const char *at, *end, *line_start;
    unsigned line;
    struct token now;
    unsigned depth;
    struct formula_place place;
    struct formula_builder build;
    enum portolan_status status;
};

/* The first complaint ends parsing. */
#define COMPLAIN(p, ...)                                                                           \
    stop_reading((p), (p)->status ? PORTOLAN_OK                                                    \
                                  : formula_complain(&(p)->place, (p)->now.line, (p)->now.column,  \
                                                     __VA_ARGS__))
static bool stop_reading(struct parser *p, enum portolan_status status)
{
    if (!p->status)
        p->status = status;
    p->now.kind = END;
    p->at = p->end;
    return false;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_inside(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static char peek_ahead(const struct parser *p, size_t ahead)
{
    return ahead < (size_t)(p->end - p->at) ? p->at[ahead] : '\0';
}

/* Skips blanks, line ends, and backslashes before line ends. */
static void skip_blanks(struct parser *p)
{
    for (; p->at < p->end; p->at++) {
        bool hides = *p->at == '\\' && (peek_ahead(p, 1) == '\n' ||
                                        (peek_ahead(p, 1) == '\r' && peek_ahead(p, 2) == '\n'));

        if (*p->at == '\n') {
            p->line++;
            p->line_start = p->at + 1;
        } else if (!hides && !isspace((unsigned char)*p->at)) {
            return;
        }
    }
}

/* Accepts C's suffixes, which change nothing in double arithmetic. */
static bool is_number(const char *s, size_t n, double *number)
{
    char text[64];
    size_t end = n;

    while (end > 0 && n - end < 3 && strchr("fFlLuU", s[end - 1]))
        end--;
    if (end >= sizeof text)
        return false;
    memcpy(text, s, end);
    text[end] = '\0';
    return strspn(text, "0123456789.eE+-") == end && portolan_read_double(text, number);
}

static void take_number(struct parser *p)
{
    const char *s = p->at;
    size_t n = 0, octal = 0;
    int shown;

    while (is_name_inside(peek_ahead(p, n)) || peek_ahead(p, n) == '.' ||
           (n && (s[n - 1] == 'e' || s[n - 1] == 'E') &&
            (peek_ahead(p, n) == '+' || peek_ahead(p, n) == '-')))
        n++;
    p->now.kind = NUMBER;
    p->now.length = n;
    shown = n < 40 ? (int)n : 40;
    p->at += n;
    while (octal < n && s[octal] >= '0' && s[octal] <= '7')
        octal++;
    if (n > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        COMPLAIN(p, "\"%.*s\" is hexadecimal; write the number in decimal", shown, s);
    else if (n > 1 && s[0] == '0' && octal == n)
        COMPLAIN(p, "\"%.*s\" is octal in C; write the number in decimal, without the leading 0",
                 shown, s);
    else if (!is_number(s, n, &p->now.number))
        COMPLAIN(p, "\"%.*s\" is not a number; write a * between two factors", shown, s);
}

static bool name_add(struct parser *p, size_t *length, const char *bytes, size_t n)
{
    if (*length + n > LONGEST_NAME)
        return COMPLAIN(p, "this name is too long; a name can have at most %d bytes",
                        (int)LONGEST_NAME);
    memcpy(p->now.name + *length, bytes, n);
    p->now.name[ *length += n] = '\0';
    return true;
}

static bool take_word(struct parser *p, size_t *length)
{
    size_t n = 1;

    if (!is_name_start(peek_ahead(p, 0)))
        return COMPLAIN(p, "the name of a member is missing after \"%s\"", p->now.name);
    while (is_name_inside(peek_ahead(p, n)))
        n++;
    if (!name_add(p, length, p->at, n))
        return false;
    p->at += n;
    return true;
}

/* name, name.member, name->member, and so on. */
static void take_name(struct parser *p)
{
    size_t length = 0;

    p->now.kind = NAME;
    p->now.is_word = true;
    while (take_word(p, &length)) {
        const char *at = p->at, *line_start = p->line_start;
        unsigned line = p->line;
        size_t n;

        skip_blanks(p);
        n = peek_ahead(p, 0) == '.'                              ? 1
            : peek_ahead(p, 0) == '-' && peek_ahead(p, 1) == '>' ? 2
                                                                 : 0;
        if (!n) {
            p->at = at;
            p->line = line;
            p->line_start = line_start;
            return;
        }
        if (!name_add(p, &length, p->at, n))
            return;
        p->at += n;
        p->now.is_word = false;
        skip_blanks(p);
    }
}

static size_t character_length(const struct parser *p)
{
    char text[5] = {peek_ahead(p, 0), peek_ahead(p, 1), peek_ahead(p, 2), peek_ahead(p, 3), '\0'};

    return portolan_utf8_length(text);
}

/* Reads the text between backquotes; a doubled backquote stands for one. */
static void take_quoted(struct parser *p)
{
    size_t length = 0, n;

    p->now.kind = NAME;
    p->now.is_word = false;
    for (p->at++; p->at < p->end; p->at += n) {
        if (*p->at == '`' && peek_ahead(p, 1) != '`')
            break;
        n = *p->at == '`' ? 2 : character_length(p);
        if (!n || (unsigned char)*p->at <= ' ')
            break;
        if (!name_add(p, &length, p->at, *p->at == '`' ? 1 : n))
            return;
    }
    if (peek_ahead(p, 0) != '`' || !length) {
        COMPLAIN(p, "a name between backquotes must be UTF-8 text without blanks, on one line");
        return;
    }
    p->at++;
}

static void take_symbol(struct parser *p)
{
    static const struct {
        const char *text, *remedy;
    } wrong[] = {
        {"**", "write a power as a ^ b or pow(a, b)"},
        {"->", "write the member directly after a name"},
        {"%", "write the remainder as a - b * floor(a / b)"},
        {"&", "write \"and\" as &&"},
        {"|", "write \"or\" as ||"},
        {"=", "write \"equal\" as =="},
        {"{", "use the parentheses ( and )"},
        {"}", "use the parentheses ( and )"},
        {"\"", "a formula can contain only numbers and names"},
        {"'", "a formula can contain only numbers and names"},
        {";", "write the formula without a semicolon"},
        {"~", "write \"not\" as !"},
    };
    char text[3] = {peek_ahead(p, 0), peek_ahead(p, 1), '\0'};

    p->now.kind = SYMBOL;
    p->now.length = portolan_has_word(" == != <= >= && || ", text) ? 2 : 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong && p->now.length == 1; i++)
        if (strncmp(text, wrong[i].text, strlen(wrong[i].text)) == 0) {
            COMPLAIN(p, "\"%s\" is not allowed here; %s", wrong[i].text, wrong[i].remedy);
            return;
        }
    if (!strchr("+-*/^()?:,!<>=&|[]", text[0]) || !text[0]) {
        COMPLAIN(p, "this character is not allowed in a formula; write names that contain it "
                    "between backquotes");
        return;
    }
    p->at += p->now.length;
}

static void next_token(struct parser *p)
{
    if (p->status)
        return;
    skip_blanks(p);
    p->now.line = p->line;
    p->now.column = (unsigned)(p->at - p->line_start);
    p->now.text = p->at;
    p->now.length = 0;
    if (p->at == p->end)
        p->now.kind = END;
    else if (isdigit((unsigned char)*p->at) ||
             (*p->at == '.' && isdigit((unsigned char)peek_ahead(p, 1))))
        take_number(p);
    else if (is_name_start(*p->at))
        take_name(p);
    else if (*p->at == '`')
        take_quoted(p);
    else
        take_symbol(p);
}

/* ---- grammar ---- */

static bool is_symbol(const struct parser *p, const char *symbol)
{
    return p->now.kind == SYMBOL && p->now.length == strlen(symbol) &&
           strncmp(p->now.text, symbol, p->now.length) == 0;
}

static bool expect_symbol(struct parser *p, const char *symbol, const char *what)
{
    if (!is_symbol(p, symbol))
        return COMPLAIN(p, "%s", what);
    next_token(p);
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

static const char types[] = " double float int long short char signed unsigned sizeof ";

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

bool formula_name_is_plain(const char *name)
{
    const char *s = name;

    if (portolan_has_word(types, name) || portolan_has_word(" INFINITY NAN ", name))
        return false;
    for (;;) {
        if (!is_name_start(*s))
            return false;
        while (is_name_inside(*s))
            s++;
        if (!*s)
            return true;
        if (*s != '.' && strncmp(s, "->", 2) != 0)
            return false;
        s += *s == '.' ? 1 : 2;
    }
}

/* One level of nesting that a user sees takes two calls here: an expression and an operand. */
enum { MOST_CALLS = 2 * PORTOLAN_FORMULA_MAX_DEPTH };

static void parse_expression(struct parser *p);

/* The builder, whose next nodes get the position of token AT. */
static struct formula_builder *build_at(struct parser *p, const struct token *at)
{
    p->build.line = at->line;
    p->build.column = at->column;
    return &p->build;
}

static void push_op(struct parser *p, const struct token *at, enum formula_op op, size_t n_args)
{
    if (!p->status)
        formula_push(build_at(p, at), op, n_args);
}

static bool enter_level(struct parser *p)
{
    if (p->status || ++p->depth <= MOST_CALLS)
        return !p->status;
    return COMPLAIN(p, "this is nested too deeply; a formula can have at most %d levels",
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
    COMPLAIN(p, "unknown function \"%s\"%s", p->now.name,
             nearest ? portolan_did_you_mean(nearest).text
                     : "; the functions are log, log2, log10, exp, sqrt, cbrt, pow, fabs, floor, "
                       "ceil, min and max; a product needs a *");
    return NULL;
}

/* Parses a call from its name on; the ( after the name has been seen. */
static void parse_call(struct parser *p)
{
    const struct function *f = find_function(p);
    struct token at = p->now;
    unsigned n = 0;

    if (!f)
        return;
    next_token(p);
    do {
        next_token(p);
        parse_expression(p);
    } while (!p->status && ++n < FORMULA_ARGUMENTS && is_symbol(p, ","));
    if (!expect_symbol(p, ")", "a ) or an operator is missing here"))
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
    if (f->op == OP_LOG && n == 2)
        formula_push_log(build_at(p, &at));
    else
        push_op(p, &at, f->op, n);
}

/* Parses an index from the [ on. */
static void parse_index(struct parser *p, const struct token *name)
{
    double k;

    if (!name->is_word) {
        COMPLAIN(p,
                 "only a constant can have an index, and its name must be one word, as in fft[0]");
        return;
    }
    next_token(p);
    k = p->now.kind == NUMBER ? p->now.number : -1;
    if (!(k >= 0 && k <= PORTOLAN_FORMULA_MAX_INDEX && k == floor(k))) {
        COMPLAIN(p, "the index of a constant must be an integer from 0 to %d, as in %s[0]",
                 (int)PORTOLAN_FORMULA_MAX_INDEX, name->name);
        return;
    }
    next_token(p);
    if (!expect_symbol(p, "]", "a ] is missing here; the index of a constant must be one number"))
        return;
    formula_push_constant(build_at(p, name), name->name, strlen(name->name), (unsigned)k);
}

static void parse_name(struct parser *p)
{
    struct token name = p->now;
    char behind;

    if (name.is_word && portolan_has_word(types, name.name)) {
        COMPLAIN(
            p, "\"%s\" is a type; leave the conversion out, since formulas are computed in double",
            name.name);
        return;
    }
    skip_blanks(p);
    behind = peek_ahead(p, 0);
    if (behind == '(') {
        parse_call(p);
        return;
    }
    next_token(p);
    if (behind == '[') {
        parse_index(p, &name);
        return;
    }
    if (p->status)
        return;
    build_at(p, &name);
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
        formula_push_number(build_at(p, &p->now), p->now.number);
        next_token(p);
    } else if (p->now.kind == NAME) {
        parse_name(p);
    } else if (is_symbol(p, "(")) {
        next_token(p);
        parse_expression(p);
        expect_symbol(p, ")", "a ) or an operator is missing here");
    } else if (p->now.kind == END) {
        COMPLAIN(p, "expected a number, a name or a ( at the end of the formula");
    } else {
        COMPLAIN(p, "expected a number, a name or a (, not \"%.*s\"", (int)p->now.length,
                 p->now.text);
    }
}

static void parse_unary(struct parser *p)
{
    struct token at = p->now;

    if (!enter_level(p))
        return;
    if (is_symbol(p, "-") || is_symbol(p, "!") || is_symbol(p, "+")) {
        next_token(p);
        parse_unary(p);
        if (*at.text != '+')
            push_op(p, &at, *at.text == '-' ? OP_NEGATE : OP_NOT, 1);
    } else {
        parse_primary(p);
        at = p->now;
        if (is_symbol(p, "^")) {
            next_token(p);
            parse_unary(p);
            push_op(p, &at, OP_POWER, 2);
        }
    }
    p->depth--;
}

static const struct binary {
    const char *symbol;
    enum formula_op op;
    int level;
} operators[] = {
    {"||", OP_OR, 1},        {"&&", OP_AND, 2},        {"==", OP_EQUAL, 3},
    {"!=", OP_NOT_EQUAL, 3}, {"<=", OP_LESS_EQUAL, 4}, {">=", OP_GREATER_EQUAL, 4},
    {"<", OP_LESS, 4},       {">", OP_GREATER, 4},     {"+", OP_ADD, 5},
    {"-", OP_SUBTRACT, 5},   {"*", OP_MULTIPLY, 6},    {"/", OP_DIVIDE, 6},
};

static const struct binary *find_operator(const struct parser *p)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (is_symbol(p, operators[i].symbol))
            return &operators[i];
    return NULL;
}

/* Parses operators of level LEAST or tighter, from the left. */
static void parse_binary(struct parser *p, int least)
{
    const struct binary *o;
    int compared = 0;

    parse_unary(p);
    while (!p->status && (o = find_operator(p)) && o->level >= least) {
        struct token at = p->now;

        if (o->level == compared) {
            COMPLAIN(p, "comparisons cannot be chained; write a < b && b < c, or parentheses");
            return;
        }
        compared = o->level == 3 || o->level == 4 ? o->level : 0;
        next_token(p);
        parse_binary(p, o->level + 1);
        push_op(p, &at, o->op, 2);
    }
}

static void parse_expression(struct parser *p)
{
    struct token at;

    if (!enter_level(p))
        return;
    parse_binary(p, 1);
    at = p->now;
    if (is_symbol(p, "?")) {
        next_token(p);
        parse_expression(p);
        if (expect_symbol(p, ":", "the : after a ? is missing here"))
            parse_expression(p);
        push_op(p, &at, OP_SELECT, 3);
    }
    p->depth--;
}

static void parse_all(struct parser *p)
{
    next_token(p);
    if (p->now.kind == END)
        COMPLAIN(p, "the formula is empty");
    parse_expression(p);
    if (p->status || p->now.kind == END)
        return;
    if (is_symbol(p, ")"))
        COMPLAIN(p, "this ) has no matching (");
    else if (is_symbol(p, "["))
        COMPLAIN(p, "only a constant can have an index, as in fft[0]");
    else
        COMPLAIN(p, "an operator is missing before \"%.*s\"; a product needs a *",
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
        return formula_complain(&p.place, 0, 0, "a formula can have at most %d bytes",
                                (int)PORTOLAN_FORMULA_MAX_BYTES);
    if (!formula_begin(&p.build))
        parse_all(&p);
    if (!p.status && p.build.status == PORTOLAN_EINVAL)
        p.status = formula_complain(&p.place, 0, 0, "%s", p.build.why);
    if (p.status)
        p.build.status = p.status;
    status = formula_end(&p.build, formula);
    return status ? portolan_error_set(err, status, "no memory for a formula") : PORTOLAN_OK;
}
