/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas as text: the language itself, C and postfix. LaTeX and MathML have theirs. */
#include "formula_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How tightly something hangs together. */
enum level {
    LOOSE = 1, /* ? : */
    DISJUNCTION,
    CONJUNCTION,
    EQUALITY,
    ORDER,
    SUM,
    PRODUCT,
    UNARY,
    POWER,
    TIGHT
};

static const struct infix {
    const char *symbol;
    enum level level, left, right; /* its own, and what its operands need at least */
} infixes[N_FORMULA_OPS] = {
    [OP_ADD] = {"+", SUM, SUM, PRODUCT},
    [OP_SUBTRACT] = {"-", SUM, SUM, PRODUCT},
    [OP_MULTIPLY] = {"*", PRODUCT, PRODUCT, UNARY},
    [OP_DIVIDE] = {"/", PRODUCT, PRODUCT, UNARY},
    [OP_LESS] = {"<", ORDER, SUM, SUM},
    [OP_LESS_EQUAL] = {"<=", ORDER, SUM, SUM},
    [OP_GREATER] = {">", ORDER, SUM, SUM},
    [OP_GREATER_EQUAL] = {">=", ORDER, SUM, SUM},
    [OP_EQUAL] = {"==", EQUALITY, ORDER, ORDER},
    [OP_NOT_EQUAL] = {"!=", EQUALITY, ORDER, ORDER},
    [OP_AND] = {"&&", CONJUNCTION, CONJUNCTION, EQUALITY},
    [OP_OR] = {"||", DISJUNCTION, DISJUNCTION, CONJUNCTION},
};

struct writer {
    const struct portolan_formula *f;
    struct portolan_text *out;
    enum portolan_notation notation;
    const char *const *names; /* how each name is written */
};

static void write_node(struct writer *w, size_t i, enum level least, bool truth);

#define ADD(w, ...) portolan_text_add((w)->out, __VA_ARGS__)

/* ---- leaves ---- */

/* NAME as the language writes it, between backquotes where needed. */
static void write_name(struct portolan_text *out, const char *name)
{
    if (formula_name_is_plain(name)) {
        portolan_text_add(out, "%s", name);
        return;
    }
    portolan_text_add(out, "`");
    for (; *name; name++)
        portolan_text_add(out, *name == '`' ? "``" : "%c", *name);
    portolan_text_add(out, "`");
}

/* In C a number without a point may be a whole one, which divides otherwise. */
static void write_number(struct writer *w, double value)
{
    bool typed = w->notation == PORTOLAN_NOTATION_C;
    char text[NUMBER_TEXT];

    if (isnan(value)) {
        ADD(w, "NAN");
    } else if (isinf(value)) {
        ADD(w, "%sINFINITY", value < 0 ? "-" : "");
    } else {
        number_write(value, text);
        ADD(w, "%s%s", text, typed && !strpbrk(text, ".e") ? ".0" : "");
    }
}

static bool is_leaf(struct writer *w, const struct formula_node *node)
{
    if (node->op == OP_NUMBER)
        write_number(w, node->number);
    else if (node->op == OP_NAME)
        ADD(w, "%s", w->names[node->name]);
    else if (node->op == OP_CONSTANT)
        ADD(w, "%s[%u]", w->f->constants.list[node->name], node->index);
    return node->op <= OP_CONSTANT;
}

/* ---- operations ---- */

static bool is_truth(const struct formula_node *node)
{
    return node->op == OP_NOT || (node->op >= OP_LESS && node->op <= OP_OR);
}

static bool is_number(const struct formula_node *node, double value)
{
    return node->op == OP_NUMBER && node->number == value;
}

/* Squares and reciprocals are written as they are computed, where nothing is written twice. */
static bool is_square(const struct writer *w, const size_t *arg)
{
    return is_number(&w->f->nodes[arg[1]], 2) && w->f->nodes[arg[0]].op == OP_NAME;
}

static enum level power_level(const struct writer *w, const size_t *arg)
{
    if (w->notation != PORTOLAN_NOTATION_C)
        return POWER;
    return is_square(w, arg) || is_number(&w->f->nodes[arg[1]], -1) ? PRODUCT : TIGHT;
}

static enum level level_of(const struct writer *w, size_t i, const size_t *arg)
{
    const struct formula_node *node = &w->f->nodes[i];

    switch ((enum formula_op)node->op) {
    case OP_NUMBER:
        return signbit(node->number) && !isnan(node->number) ? UNARY : TIGHT;
    case OP_NEGATE:
    case OP_NOT:
        return UNARY;
    case OP_POWER:
        return power_level(w, arg);
    case OP_SELECT:
        return LOOSE;
    case OP_LOG_BASE:
        return w->notation == PORTOLAN_NOTATION_INFIX ? TIGHT : PRODUCT;
    default:
        return infixes[node->op].symbol ? infixes[node->op].level : TIGHT;
    }
}

static void write_power(struct writer *w, const size_t *arg)
{
    if (w->notation == PORTOLAN_NOTATION_INFIX) {
        write_node(w, arg[0], TIGHT, false);
        ADD(w, "^");
        write_node(w, arg[1], UNARY, false);
    } else if (is_square(w, arg)) {
        write_node(w, arg[0], TIGHT, false);
        ADD(w, " * ");
        write_node(w, arg[0], TIGHT, false);
    } else if (is_number(&w->f->nodes[arg[1]], -1)) {
        ADD(w, "1.0 / ");
        write_node(w, arg[0], UNARY, false);
    } else {
        ADD(w, "pow(");
        write_node(w, arg[0], LOOSE, false);
        ADD(w, ", ");
        write_node(w, arg[1], LOOSE, false);
        ADD(w, ")");
    }
}

static void write_call(struct writer *w, const char *name, size_t i)
{
    size_t arg[FORMULA_ARGUMENTS] = {0}, n = w->f->nodes[i].n_args;

    formula_arguments(w->f, i, arg, FORMULA_ARGUMENTS);
    ADD(w, "%s(", name);
    for (size_t k = 0; k < n; k++) {
        ADD(w, k ? ", " : "");
        write_node(w, arg[k], LOOSE, false);
    }
    ADD(w, ")");
}

static void write_logarithm_ratio(struct writer *w, size_t value, size_t base)
{
    ADD(w, "log(");
    write_node(w, value, LOOSE, false);
    ADD(w, ") / log(");
    write_node(w, base, LOOSE, false);
    ADD(w, ")");
}

/* fmin(fmin(a, b), c) */
static void write_c_extreme(struct writer *w, size_t i)
{
    size_t arg[FORMULA_ARGUMENTS] = {0}, n = w->f->nodes[i].n_args;

    formula_arguments(w->f, i, arg, FORMULA_ARGUMENTS);
    for (size_t k = 1; k < n; k++)
        ADD(w, w->f->nodes[i].op == OP_MIN ? "fmin(" : "fmax(");
    for (size_t k = 0; k < n; k++) {
        ADD(w, k ? ", " : "");
        write_node(w, arg[k], LOOSE, false);
        ADD(w, k ? ")" : "");
    }
}

static void write_function(struct writer *w, size_t i, const size_t *arg)
{
    enum formula_op op = (enum formula_op)w->f->nodes[i].op;

    if (op == OP_LOG_BASE && w->notation != PORTOLAN_NOTATION_INFIX)
        write_logarithm_ratio(w, arg[0], arg[1]);
    else if (w->notation == PORTOLAN_NOTATION_C && (op == OP_MIN || op == OP_MAX))
        write_c_extreme(w, i);
    else
        write_call(w, formula_op_name(op), i);
}

static void write_unary(struct writer *w, size_t i)
{
    const struct formula_node *inner = &w->f->nodes[i - 1];
    bool minus = w->f->nodes[i].op == OP_NEGATE;
    bool twice = minus && (inner->op == OP_NEGATE || inner->op == OP_NUMBER);

    /* --x is something else in C. */
    ADD(w, minus ? "-" : "!");
    write_node(w, i - 1, twice ? TIGHT : UNARY, !minus);
}

static void write_infix(struct writer *w, size_t i, const size_t *arg)
{
    enum formula_op op = (enum formula_op)w->f->nodes[i].op;
    const struct infix *infix = &infixes[op];
    bool logical = op == OP_AND || op == OP_OR;
    /* Compilers ask for parentheses around && in ||. */
    bool mixed = op == OP_OR && w->notation == PORTOLAN_NOTATION_C;
    enum level left = infix->left;

    if (mixed && w->f->nodes[arg[0]].op == OP_AND)
        left = EQUALITY;
    write_node(w, arg[0], left, logical);
    ADD(w, " %s ", infix->symbol);
    write_node(w, arg[1], mixed ? EQUALITY : infix->right, logical);
}

static void write_select(struct writer *w, const size_t *arg)
{
    write_node(w, arg[0], DISJUNCTION, true);
    ADD(w, " ? ");
    write_node(w, arg[1], LOOSE, false);
    ADD(w, " : ");
    write_node(w, arg[2], LOOSE, false);
}

static void write_operation(struct writer *w, size_t i, const size_t *arg)
{
    const struct formula_node *node = &w->f->nodes[i];

    if (is_leaf(w, node))
        return;
    if (node->op == OP_NEGATE || node->op == OP_NOT)
        write_unary(w, i);
    else if (node->op == OP_POWER)
        write_power(w, arg);
    else if (node->op == OP_SELECT)
        write_select(w, arg);
    else if (infixes[node->op].symbol)
        write_infix(w, i, arg);
    else
        write_function(w, i, arg);
}

/*
 * TRUTH: it is asked whether it holds. Elsewhere C would take a comparison as a whole number; and
 * compilers take no number for a truth without a warning.
 */
static void write_node(struct writer *w, size_t i, enum level least, bool truth)
{
    const struct formula_node *node = &w->f->nodes[i];
    bool typed = w->notation == PORTOLAN_NOTATION_C;
    size_t arg[3] = {0};
    enum level level;

    formula_arguments(w->f, i, arg, node->op == OP_MIN || node->op == OP_MAX ? 0 : 3);
    level = level_of(w, i, arg);
    if (typed && is_truth(node) && !truth) {
        ADD(w, least > UNARY ? "((double)(" : "(double)(");
        write_operation(w, i, arg);
        ADD(w, least > UNARY ? "))" : ")");
    } else if (typed && truth && !is_truth(node)) {
        ADD(w, "(");
        write_node(w, i, SUM, false);
        ADD(w, " != 0.0)");
    } else {
        ADD(w, level < least ? "(" : "");
        write_operation(w, i, arg);
        ADD(w, level < least ? ")" : "");
    }
}

/* ---- postfix ---- */

static void write_postfix(struct writer *w)
{
    for (size_t i = 0; i < w->f->n_nodes; i++) {
        const struct formula_node *node = &w->f->nodes[i];
        const char *word = infixes[node->op].symbol;

        ADD(w, i ? " " : "");
        if (is_leaf(w, node))
            continue;
        if (node->op == OP_POWER)
            word = "^";
        else if (node->op == OP_NEGATE || node->op == OP_NOT)
            word = node->op == OP_NEGATE ? "neg" : "!";
        else if (node->op == OP_SELECT || node->op == OP_LOG_BASE)
            word = node->op == OP_SELECT ? "?:" : "logbase";
        else if (!word)
            word = formula_op_name((enum formula_op)node->op);
        if ((node->op == OP_MIN || node->op == OP_MAX) && node->n_args > 2)
            ADD(w, "%s/%d", word, (int)node->n_args);
        else
            ADD(w, "%s", word);
    }
}

/* ---- names for C ---- */

/* Some words are reserved by how they begin: a number behind them does not help. */
static char *rename_identifier(const char *text, size_t number, bool (*reserved)(const char *))
{
    char *other = portolan_asprintf("%s_%zu", text, number);

    if (!other || !reserved || !reserved(other))
        return other;
    free(other);
    return portolan_asprintf("x_%s", text);
}

static char *free_identifier(const char *name, char *const *taken, size_t n, bool members,
                             bool (*reserved)(const char *))
{
    char *text = portolan_asprintf("%s%s", isdigit((unsigned char)*name) ? "_" : "", name);

    for (char *s = text; s && *s && !(members && formula_name_is_plain(name)); s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            *s = '_';
    for (size_t i = 0, number = 2; text && i <= n; i++) {
        char *other;

        if (i < n ? strcmp(text, taken[i]) != 0 : !reserved || !reserved(text))
            continue;
        other = rename_identifier(text, number++, reserved);
        free(text);
        text = other;
        i = SIZE_MAX;
    }
    return text;
}

char **formula_identifiers(size_t n, const char *const *names, bool members,
                           bool (*reserved)(const char *))
{
    char **list = portolan_calloc(n + 1, sizeof *list);

    for (size_t i = 0; list && i < n; i++)
        if (!(list[i] = free_identifier(names[i], list, i, members, reserved))) {
            formula_identifiers_destroy(list, n);
            return NULL;
        }
    return list;
}

void formula_identifiers_destroy(char **list, size_t n)
{
    for (size_t i = 0; list && i < n; i++)
        free(list[i]);
    free(list);
}

/* ---- all ---- */

void formula_write_tree(const struct portolan_formula *f, size_t root,
                        enum portolan_notation notation, const char *const *names, bool factor,
                        struct portolan_text *out)
{
    struct writer w = {f, out, notation, names};

    write_node(&w, root, factor ? UNARY : LOOSE, false);
}

void formula_write_truth(const struct portolan_formula *f, const char *const *names,
                         struct portolan_text *out)
{
    struct writer w = {f, out, PORTOLAN_NOTATION_C, names};

    write_node(&w, f->n_nodes - 1, LOOSE, true);
}

/* The language's own names: quoted where needed. */
static char **quoted_names(const struct portolan_formula *f)
{
    char **list = portolan_calloc(f->names.n + 1, sizeof *list);

    for (size_t i = 0; list && i < f->names.n; i++) {
        struct portolan_text text = {0};

        write_name(&text, f->names.list[i]);
        if (portolan_text_take(&text, &list[i], NULL)) {
            formula_identifiers_destroy(list, f->names.n);
            return NULL;
        }
    }
    return list;
}

static void write_in_names(const struct portolan_formula *f, enum portolan_notation notation,
                           enum level least, struct portolan_text *out)
{
    char **names =
        notation == PORTOLAN_NOTATION_C
            ? formula_identifiers(f->names.n, (const char *const *)f->names.list, true, NULL)
            : quoted_names(f);
    struct writer w = {f, out, notation, (const char *const *)names};

    if (!names)
        out->failed = true;
    else if (notation == PORTOLAN_NOTATION_POSTFIX)
        write_postfix(&w);
    else
        write_node(&w, f->n_nodes - 1, least, false);
    formula_identifiers_destroy(names, f->names.n);
}

void formula_write_factor(const struct portolan_formula *f, struct portolan_text *out)
{
    write_in_names(f, PORTOLAN_NOTATION_INFIX, PRODUCT, out);
}

enum portolan_status portolan_formula_write(const struct portolan_formula *f,
                                            enum portolan_notation notation, char **text,
                                            struct portolan_error *err)
{
    struct portolan_text out = {0};

    if (notation == PORTOLAN_NOTATION_LATEX)
        formula_write_latex(f, f->n_nodes - 1, false, &out);
    else if (notation == PORTOLAN_NOTATION_MATHML)
        formula_write_mathml(f, f->n_nodes - 1, &out);
    else
        write_in_names(f, notation, LOOSE, &out);
    return portolan_text_take(&out, text, err);
}
