/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas as text: the language itself, C and postfix. One walk writes them from a table, with
 * exceptions for C. MathML, which is a tree itself, is in mathml_write.c.
 */
#include "formula_internal.h"
#include "models_internal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Precedence: how tightly an operation binds. */
enum level {
    LOOSE, /* ? : */
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

/* An operation: \1, \2 and \3 are its operands, \4 all of them with commas, \5 its name. */
struct form {
    const char *text;
    enum level level, operand[3]; /* its own level, and the least that its operands need */
};

static const struct form infix_forms[N_FORMULA_OPS] = {
    [OP_NEGATE] = {"-\1", UNARY, {UNARY}},
    [OP_NOT] = {"!\1", UNARY, {UNARY}},
    [OP_ADD] = {"\1 + \2", SUM, {SUM, PRODUCT}},
    [OP_SUBTRACT] = {"\1 - \2", SUM, {SUM, PRODUCT}},
    [OP_MULTIPLY] = {"\1 * \2", PRODUCT, {PRODUCT, UNARY}},
    [OP_DIVIDE] = {"\1 / \2", PRODUCT, {PRODUCT, UNARY}},
    [OP_POWER] = {"\1^\2", POWER, {TIGHT, UNARY}},
    [OP_LESS] = {"\1 < \2", ORDER, {SUM, SUM}},
    [OP_LESS_EQUAL] = {"\1 <= \2", ORDER, {SUM, SUM}},
    [OP_GREATER] = {"\1 > \2", ORDER, {SUM, SUM}},
    [OP_GREATER_EQUAL] = {"\1 >= \2", ORDER, {SUM, SUM}},
    [OP_EQUAL] = {"\1 == \2", EQUALITY, {ORDER, ORDER}},
    [OP_NOT_EQUAL] = {"\1 != \2", EQUALITY, {ORDER, ORDER}},
    [OP_AND] = {"\1 && \2", CONJUNCTION, {CONJUNCTION, EQUALITY}},
    [OP_OR] = {"\1 || \2", DISJUNCTION, {DISJUNCTION, CONJUNCTION}},
    [OP_SELECT] = {"\1 ? \2 : \3", LOOSE, {DISJUNCTION}},
};
static const struct form call = {"\5(\4)", TIGHT, {LOOSE}};

/* Where C differs. Squares and reciprocals are written as they are computed. */
static const struct form c_square = {"\1 * \1", PRODUCT, {TIGHT}},
                         c_reciprocal = {"1.0 / \1", PRODUCT, {UNARY}},
                         c_power = {"pow(\4)", TIGHT, {LOOSE}},
                         c_log_base = {"log(\1) / log(\2)", PRODUCT, {LOOSE}},
                         c_or = {"\1 || \2", DISJUNCTION, {DISJUNCTION, EQUALITY}};

struct writer {
    const struct portolan_formula *f;
    struct portolan_text *out;
    enum portolan_notation notation;
    const char *const *names; /* the text for each name */
};

static void write_node(struct writer *w, size_t i, enum level least, bool truth);

#define ADD(w, ...) portolan_text_add((w)->out, __VA_ARGS__)

/* ---- leaves ---- */

/* NAME as the language writes it, between backquotes where needed. */
static void write_quoted_name(struct portolan_text *out, const char *name)
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

/* In C a number without a point may be an integer, which divides differently. */
static void write_number(struct writer *w, double value)
{
    bool typed = w->notation == PORTOLAN_NOTATION_C;
    char text[NUMBER_TEXT];

    if (isnan(value)) {
        ADD(w, "NAN");
    } else if (isinf(value)) {
        ADD(w, "%sINFINITY", value < 0 ? "-" : "");
    } else {
        portolan_number_write(value, false, text);
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

static const struct form *c_form(const struct writer *w, const struct formula_node *node,
                                 const size_t *arg)
{
    switch ((enum formula_op)node->op) {
    case OP_POWER:
        if (is_number(&w->f->nodes[arg[1]], -1))
            return &c_reciprocal;
        /* Only a name is short enough to be written twice. */
        return is_number(&w->f->nodes[arg[1]], 2) && w->f->nodes[arg[0]].op == OP_NAME ? &c_square
                                                                                       : &c_power;
    case OP_LOG_BASE:
        return &c_log_base;
    case OP_OR:
        return &c_or;
    default:
        return infix_forms[node->op].text ? &infix_forms[node->op] : &call;
    }
}

static const struct form *form_of(const struct writer *w, size_t i, const size_t *arg)
{
    const struct formula_node *node = &w->f->nodes[i];

    if (w->notation == PORTOLAN_NOTATION_C)
        return c_form(w, node, arg);
    return infix_forms[node->op].text ? &infix_forms[node->op] : &call;
}

static enum level level_of(const struct formula_node *node, const struct form *form)
{
    if (node->op > OP_CONSTANT)
        return form->level;
    return node->op == OP_NUMBER && !isnan(node->number) && signbit(node->number) ? UNARY : TIGHT;
}

/* The least level that operand K of node I needs. */
static enum level operand_level(const struct writer *w, size_t i, const struct form *form,
                                size_t operand, size_t k)
{
    enum formula_op op = (enum formula_op)w->f->nodes[i].op;
    enum formula_op inner = (enum formula_op)w->f->nodes[operand].op;

    /* --x is a decrement in C. */
    if (op == OP_NEGATE && (inner == OP_NEGATE || inner == OP_NUMBER))
        return TIGHT;
    /* Compilers ask for parentheses around && in ||. */
    if (w->notation == PORTOLAN_NOTATION_C && op == OP_OR && inner == OP_AND)
        return EQUALITY;
    return form->operand[k];
}

/* Writes the operands with commas between them, and BEHIND after each but the first. */
static void write_all_operands(struct writer *w, size_t i, const char *behind)
{
    size_t arg[FORMULA_ARGUMENTS] = {0}, n = w->f->nodes[i].n_args;

    formula_arguments(w->f, i, arg, FORMULA_ARGUMENTS);
    for (size_t k = 0; k < n; k++) {
        ADD(w, k ? ", " : "");
        write_node(w, arg[k], LOOSE, false);
        ADD(w, "%s", k ? behind : "");
    }
}

/* fmin(fmin(a, b), c) */
static void write_c_extreme(struct writer *w, size_t i)
{
    for (size_t k = 1; k < w->f->nodes[i].n_args; k++)
        ADD(w, w->f->nodes[i].op == OP_MIN ? "fmin(" : "fmax(");
    write_all_operands(w, i, ")");
}

static void write_form(struct writer *w, size_t i, const size_t *arg, const struct form *form)
{
    enum formula_op op = (enum formula_op)w->f->nodes[i].op;

    for (const char *s = form->text; *s; s++) {
        size_t k = (size_t)(*s - 1);

        if (*s == '\4')
            write_all_operands(w, i, "");
        else if (*s == '\5')
            ADD(w, "%s", formula_op_name(op));
        else if (k < 3)
            write_node(w, arg[k], operand_level(w, i, form, arg[k], k),
                       op == OP_AND || op == OP_OR || op == OP_NOT || (op == OP_SELECT && !k));
        else
            portolan_text_add_bytes(w->out, s, 1);
    }
}

static void write_operation(struct writer *w, size_t i, const size_t *arg, const struct form *form)
{
    const struct formula_node *node = &w->f->nodes[i];
    bool extreme = node->op == OP_MIN || node->op == OP_MAX;

    if (is_leaf(w, node))
        return;
    if (w->notation == PORTOLAN_NOTATION_C && extreme)
        write_c_extreme(w, i);
    else
        write_form(w, i, arg, form);
}

/*
 * TRUTH: the node is used as a condition. Elsewhere a comparison, an int in C, needs a conversion
 * to double; and compilers warn of a number as a condition.
 */
static void write_node(struct writer *w, size_t i, enum level least, bool truth)
{
    const struct formula_node *node = &w->f->nodes[i];
    bool typed = w->notation == PORTOLAN_NOTATION_C;
    size_t arg[3] = {0};
    const struct form *form;

    formula_arguments(w->f, i, arg, node->op == OP_MIN || node->op == OP_MAX ? 0 : 3);
    form = form_of(w, i, arg);
    if (typed && is_truth(node) && !truth) {
        ADD(w, least > UNARY ? "((double)(" : "(double)(");
        write_operation(w, i, arg, form);
        ADD(w, least > UNARY ? "))" : ")");
    } else if (typed && truth && !is_truth(node)) {
        ADD(w, "(");
        write_node(w, i, SUM, false);
        ADD(w, " != 0.0)");
    } else {
        bool loose = level_of(node, form) < least;

        ADD(w, loose ? "(" : "");
        write_operation(w, i, arg, form);
        ADD(w, loose ? ")" : "");
    }
}

/* ---- postfix ---- */

static void write_postfix(struct writer *w)
{
    for (size_t i = 0; i < w->f->n_nodes; i++) {
        const struct formula_node *node = &w->f->nodes[i];
        const char *form = infix_forms[node->op].text;

        ADD(w, i ? " " : "");
        if (is_leaf(w, node))
            continue;
        if (node->op == OP_SELECT || node->op == OP_LOG_BASE)
            ADD(w, node->op == OP_SELECT ? "?:" : "logbase");
        else if (node->op == OP_NEGATE || node->op == OP_NOT)
            ADD(w, node->op == OP_NEGATE ? "neg" : "!");
        else if (form) /* the text between the operands, without blanks */
            ADD(w, "%.*s", (int)strcspn(form + 1 + (form[1] == ' '), " \2"),
                form + 1 + (form[1] == ' '));
        else
            ADD(w, "%s", formula_op_name((enum formula_op)node->op));
        if ((node->op == OP_MIN || node->op == OP_MAX) && node->n_args > 2)
            ADD(w, "/%d", (int)node->n_args);
    }
}

/* ---- names for C ---- */

/* A reserved beginning stays reserved with a number at the end, so those get another beginning. */
static char *rename_identifier(struct portolan_arena *memory, const char *text, size_t number,
                               bool (*reserved)(const char *))
{
    char *other = portolan_arena_printf(memory, "%s_%zu", text, number);

    return !other || !reserved || !reserved(other) ? other
                                                   : portolan_arena_printf(memory, "x_%s", text);
}

static char *free_identifier(struct portolan_arena *memory, const char *name,
                             const char *const *taken, size_t n, bool members,
                             bool (*reserved)(const char *))
{
    char *text =
        portolan_arena_printf(memory, "%s%s", isdigit((unsigned char)*name) ? "_" : "", name);

    for (char *s = text; s && *s && !(members && formula_name_is_plain(name)); s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            *s = '_';
    for (size_t i = 0, number = 2; text && i <= n; i++) {
        if (i < n ? strcmp(text, taken[i]) != 0 : !reserved || !reserved(text))
            continue;
        text = rename_identifier(memory, text, number++, reserved);
        i = SIZE_MAX;
    }
    return text;
}

const char *const *formula_identifiers(struct portolan_arena *memory, size_t n,
                                       const char *const *names, bool members,
                                       bool (*reserved)(const char *))
{
    const char **list = portolan_arena_alloc(memory, n, sizeof *list);

    for (size_t i = 0; list && i < n; i++)
        list[i] =
            memory->failed ? NULL : free_identifier(memory, names[i], list, i, members, reserved);
    return memory->failed ? NULL : list;
}

/* ---- all ---- */

void formula_write_c(const struct portolan_formula *f, const char *const *names, bool truth,
                     struct portolan_text *out)
{
    struct writer w = {f, out, PORTOLAN_NOTATION_C, names};

    write_node(&w, f->n_nodes - 1, LOOSE, truth);
}

/* The names as the language writes them, between backquotes where needed. */
static const char *const *quoted_names(struct portolan_arena *memory,
                                       const struct portolan_formula *f)
{
    const char **list = portolan_arena_alloc(memory, f->names.n, sizeof *list);

    for (size_t i = 0; list && i < f->names.n; i++) {
        struct portolan_text text = {.arena = memory};

        write_quoted_name(&text, f->names.list[i]);
        list[i] = text.bytes;
    }
    return memory->failed ? NULL : list;
}

static void write_in_names(const struct portolan_formula *f, size_t root,
                           enum portolan_notation notation, enum level least,
                           struct portolan_text *out)
{
    const char *const *own = (const char *const *)f->names.list;
    struct portolan_arena memory = {0};
    struct writer w = {f, out, notation,
                       notation == PORTOLAN_NOTATION_C
                           ? formula_identifiers(&memory, f->names.n, own, true, NULL)
                           : quoted_names(&memory, f)};

    if (!w.names)
        out->failed = true;
    else if (notation == PORTOLAN_NOTATION_POSTFIX)
        write_postfix(&w);
    else
        write_node(&w, root, least, false);
    portolan_arena_clear(&memory);
}

void formula_write_factor(const struct portolan_formula *f, size_t root, struct portolan_text *out)
{
    write_in_names(f, root, PORTOLAN_NOTATION_INFIX, PRODUCT, out);
}

enum portolan_status portolan_formula_write(const struct portolan_formula *f,
                                            enum portolan_notation notation, char **text,
                                            struct portolan_error *err)
{
    struct portolan_text out = {0};

    if (notation == PORTOLAN_NOTATION_MATHML)
        formula_write_mathml(f, f->n_nodes - 1, &out);
    else
        write_in_names(f, f->n_nodes - 1, notation, LOOSE, &out);
    return portolan_text_take(&out, text, err);
}
