/* SPDX-License-Identifier: BSD-3-Clause */
/* Expressions of scenarios: numbers with units, ranks, variables, conditions. */
#include "scenario.h"

#include <portolan/stats.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Name, text, precedence (0: not between operands), and value for operands a and b. */
#define OPERATORS(X)                                                                               \
    X(OR, "or", 1, a != 0 || b != 0)                                                               \
    X(AND, "and", 2, a != 0 && b != 0)                                                             \
    X(EQUAL, "==", 3, a == b)                                                                      \
    X(UNEQUAL, "!=", 3, a != b)                                                                    \
    X(AT_MOST, "<=", 3, a <= b)                                                                    \
    X(AT_LEAST, ">=", 3, a >= b)                                                                   \
    X(LESS, "<", 3, a < b)                                                                         \
    X(MORE, ">", 3, a > b)                                                                         \
    X(ADD, "+", 4, a + b)                                                                          \
    X(SUBTRACT, "-", 4, a - b)                                                                     \
    X(MULTIPLY, "*", 5, (a * b))                                                                   \
    X(DIVIDE, "/", 5, b == 0 ? NAN : a / b)                                                        \
    X(MODULO, "%", 5, modulo(a, b))                                                                \
    X(NEGATE, "-", 0, -a)                                                                          \
    X(NOT, "not", 0, a == 0)                                                                       \
    X(MIN, "min", 0, fmin(a, b))                                                                   \
    X(MAX, "max", 0, fmax(a, b))                                                                   \
    X(FLOOR, "floor", 0, floor(a))

#define OPERATOR_ENUM(name, text, precedence, value) OP_##name,
#define OPERATOR_ROW(name, text, precedence, value)  {text, precedence},
#define OPERATOR_CASE(name, text, precedence, value)                                               \
    case OP_##name:                                                                                \
        return value;

enum operator{ OPERATORS(OPERATOR_ENUM) N_OPERATORS };

static const struct operator_row {
    const char *text;
    int precedence;
} operators[] = {OPERATORS(OPERATOR_ROW)};

enum { MOST_DEPTH = 100 };

void scenario_mistake(struct scenario_reader *r, const char *at, const char *format, ...)
{
    char text[300];
    va_list args;

    if (!r->at) /* the line's first mistake has been reported */
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    portolan_diagnose(r->d, r->file, r->line, at ? (int)(at - r->line_text) + 1 : 0, "%s", text);
    r->n_mistakes++;
    r->at = NULL;
}

static void skip_blanks(struct scenario_reader *r)
{
    while (r->at && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

bool scenario_at_end(struct scenario_reader *r)
{
    skip_blanks(r);
    return !r->at || !*r->at || *r->at == '#';
}

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_' || (n && at[n] == '.' && at[n + 1] != '.'))
        n++;
    return n;
}

const char *scenario_word(struct scenario_reader *r)
{
    const char *word;
    size_t n;

    skip_blanks(r);
    if (!r->at || !(n = word_length(r->at)))
        return NULL;
    word = portolan_arena_strndup(&r->arena, r->at, n);
    r->at += n;
    return word;
}

bool scenario_takes(struct scenario_reader *r, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(r);
    if (!r->at || strncmp(r->at, word, n) != 0 ||
        (isalpha((unsigned char)*word) && word_length(r->at) != n))
        return false;
    r->at += n;
    return true;
}

/* ------------------------------------------------- reading */

/* Returns a node; NULL after a mistake, which may be within LEFT or RIGHT. */
static struct expression *node(struct scenario_reader *r, enum expression_kind kind, int operator,
                               struct expression * left, struct expression *right)
{
    struct expression *e = portolan_arena_alloc(&r->arena, 1, sizeof *e);

    if (!r->at)
        return NULL;
    *e = (struct expression){.kind = kind, .operator= operator, .left = left, .right = right};
    return e;
}

static struct expression *read_between(struct scenario_reader *r, int precedence, int depth);

static struct expression *read_number(struct scenario_reader *r)
{
    static const struct {
        const char *text;
        double factor;
    } units[] = {{"ns", 1},      {"us", 1e3},    {"ms", 1e6},   {"s", 1e9},
                 {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
    size_t n = strspn(r->at, "0123456789");
    struct expression *e = node(r, EXPRESSION_NUMBER, 0, NULL, NULL);
    const char *begin = r->at;
    char text[40];

    if (r->at[n] == '.' && isdigit((unsigned char)r->at[n + 1]))
        n += 1 + strspn(r->at + n + 1, "0123456789");
    if ((r->at[n] == 'e' || r->at[n] == 'E') &&
        isdigit((unsigned char)r->at[n + 1 + (r->at[n + 1] == '-')]))
        n += 2 + strspn(r->at + n + 2, "0123456789");
    snprintf(text, sizeof text, "%.*s", (int)n, r->at);
    if (n >= sizeof text || !portolan_read_double(text, &e->number)) {
        scenario_mistake(r, begin, "this is not a number");
        return NULL;
    }
    r->at += n;
    if (!(n = word_length(r->at)))
        return e;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].text) == n && strncmp(r->at, units[i].text, n) == 0) {
            e->number *= units[i].factor;
            r->at += n;
            return e;
        }
    scenario_mistake(r, r->at, "'%.*s' is no unit; use ns, us, ms, s, k, M or G", (int)n, r->at);
    return NULL;
}

static void close_parenthesis(struct scenario_reader *r)
{
    if (r->at && !scenario_takes(r, ")"))
        scenario_mistake(r, r->at, "')' is missing");
}

static struct expression *read_function(struct scenario_reader *r, int operator, int depth)
{
    struct expression *left, *right = NULL;

    if (!scenario_takes(r, "(")) {
        scenario_mistake(r, r->at, "'(' is missing");
        return NULL;
    }
    left = read_between(r, 1, depth);
    if (operator!= OP_FLOOR && r->at && !scenario_takes(r, ","))
        scenario_mistake(r, r->at, "',' and a second value are missing");
    if (operator!= OP_FLOOR)
        right = read_between(r, 1, depth);
    close_parenthesis(r);
    return node(r, EXPRESSION_OPERATOR, operator, left, right);
}

static struct expression *read_name(struct scenario_reader *r, int depth)
{
    const char *begin = r->at, *word = scenario_word(r);
    struct expression *e;

    if (!word) {
        scenario_mistake(r, begin, "a value is missing: a number, rank, size, or a variable");
        return NULL;
    }
    if (strcmp(word, "random") == 0)
        return node(r, EXPRESSION_RANDOM, 0, NULL, NULL);
    for (int i = OP_MIN; i < N_OPERATORS; i++)
        if (strcmp(word, operators[i].text) == 0)
            return read_function(r, i, depth);
    for (int i = r->n_variables; i-- > 0;)
        if (strcmp(r->variables[i], word) == 0) {
            e = node(r, EXPRESSION_VARIABLE, 0, NULL, NULL);
            e->variable = i;
            return e;
        }
    scenario_mistake(
        r, begin, "no value is called '%.40s'%s", word,
        portolan_did_you_mean(portolan_nearest_word(word, r->variables, (size_t)r->n_variables))
            .text);
    return NULL;
}

static struct expression *read_operand(struct scenario_reader *r, int depth)
{
    struct expression *e;

    skip_blanks(r);
    if (depth > MOST_DEPTH)
        scenario_mistake(r, r->at, "this is nested more than %d deep", MOST_DEPTH);
    if (!r->at)
        return NULL;
    if (isdigit((unsigned char)*r->at))
        return read_number(r);
    if (scenario_takes(r, "-"))
        return node(r, EXPRESSION_OPERATOR, OP_NEGATE, read_operand(r, depth + 1), NULL);
    if (scenario_takes(r, "not"))
        return node(r, EXPRESSION_OPERATOR, OP_NOT, read_between(r, 3, depth + 1), NULL);
    if (!scenario_takes(r, "("))
        return read_name(r, depth + 1);
    e = read_between(r, 1, depth + 1);
    close_parenthesis(r);
    return r->at ? e : NULL;
}

/* Reads operators of at least PRECEDENCE; those of the same precedence from left to right. */
static struct expression *read_between(struct scenario_reader *r, int precedence, int depth)
{
    struct expression *left = read_operand(r, depth), *right;

    for (int i = 0; left && i < N_OPERATORS; i++) {
        if (operators[i].precedence < precedence || !operators[i].precedence ||
            !scenario_takes(r, operators[i].text))
            continue;
        right = read_between(r, operators[i].precedence + 1, depth + 1);
        left = node(r, EXPRESSION_OPERATOR, i, left, right);
        i = -1;
    }
    if (left && r->at && r->at[0] == '=' && r->at[1] != '=')
        scenario_mistake(r, r->at, "write 'equal' as ==");
    return left;
}

struct expression *scenario_expression(struct scenario_reader *r)
{
    return read_between(r, 1, 0);
}

/* ------------------------------------------------- evaluating */

/* Draws a number between 0 and 1 by SplitMix64 (Steele, Lea, Flood 2014). */
static double draw(uint64_t *state)
{
    uint64_t z = portolan_mix(*state);

    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(z >> 11) * 0x1p-53;
}

/* Returns the remainder with the sign of B, for ranks around a ring. */
static double modulo(double a, double b)
{
    return b == 0 ? NAN : a - b * floor(a / b);
}

double expression_value(const struct expression *e, struct scenario_values *values)
{
    double a, b;

    if (e->kind == EXPRESSION_NUMBER)
        return e->number;
    if (e->kind == EXPRESSION_VARIABLE)
        return values->variables[e->variable];
    if (e->kind == EXPRESSION_RANDOM)
        return draw(&values->random);
    a = expression_value(e->left, values);
    b = e->right ? expression_value(e->right, values) : 0;
    switch ((enum operator)e->operator) {
        OPERATORS(OPERATOR_CASE)
    default:
        return NAN;
    }
}

bool expression_is_condition(const struct expression *e)
{
    return e->kind == EXPRESSION_OPERATOR && (e->operator<= OP_MORE || e->operator== OP_NOT);
}
