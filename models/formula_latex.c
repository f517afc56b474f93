/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas for LaTeX's math mode. */
#include "formula_internal.h"
#include "models_internal.h"

#include <math.h>
#include <string.h>

enum level { LOOSE, DISJUNCTION, CONJUNCTION, RELATION, SUM, PRODUCT, POWER, TIGHT };

/* %1 and %2 are the operands, at least as tight as LEFT and RIGHT. */
static const struct sign {
    const char *text;
    enum level level, left, right;
} signs[N_FORMULA_OPS] = {
    [OP_ADD] = {" + ", SUM, SUM, SUM},
    [OP_SUBTRACT] = {" - ", SUM, SUM, PRODUCT},
    [OP_MULTIPLY] = {" \\, ", PRODUCT, PRODUCT, PRODUCT},
    [OP_LESS] = {" < ", RELATION, SUM, SUM},
    [OP_LESS_EQUAL] = {" \\le ", RELATION, SUM, SUM},
    [OP_GREATER] = {" > ", RELATION, SUM, SUM},
    [OP_GREATER_EQUAL] = {" \\ge ", RELATION, SUM, SUM},
    [OP_EQUAL] = {" = ", RELATION, SUM, SUM},
    [OP_NOT_EQUAL] = {" \\ne ", RELATION, SUM, SUM},
    [OP_AND] = {" \\land ", CONJUNCTION, CONJUNCTION, CONJUNCTION},
    [OP_OR] = {" \\lor ", DISJUNCTION, DISJUNCTION, DISJUNCTION},
};

/* What encloses its operands needs no parentheses. */
static const struct {
    const char *before, *after;
} fences[N_FORMULA_OPS] = {
    [OP_LOG] = {"\\ln\\left(", "\\right)"},
    [OP_LOG2] = {"\\log_{2}\\left(", "\\right)"},
    [OP_LOG10] = {"\\log_{10}\\left(", "\\right)"},
    [OP_EXP] = {"\\exp\\left(", "\\right)"},
    [OP_SQRT] = {"\\sqrt{", "}"},
    [OP_CBRT] = {"\\sqrt[3]{", "}"},
    [OP_ABS] = {"\\left|", "\\right|"},
    [OP_FLOOR] = {"\\left\\lfloor ", "\\right\\rfloor"},
    [OP_CEIL] = {"\\left\\lceil ", "\\right\\rceil"},
    [OP_MIN] = {"\\min\\left(", "\\right)"},
    [OP_MAX] = {"\\max\\left(", "\\right)"},
};

static void write_node(const struct portolan_formula *f, size_t i, enum level least,
                       struct portolan_text *out);

/* ---- leaves ---- */

static void write_escaped(struct portolan_text *out, const char *text)
{
    static const struct {
        char c;
        const char *text;
    } special[] = {{'\\', "\\backslash "}, {'~', "\\sim "}, {'^', "\\wedge "}, {'>', ">"}};

    for (; *text; text++) {
        const char *as = NULL;

        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            if (special[i].c == *text)
                as = special[i].text;
        if (strchr("#$%&_{}", *text))
            portolan_text_add(out, "\\%c", *text);
        else if (as)
            portolan_text_add(out, "%s", as);
        else
            portolan_text_add(out, "%c", *text);
    }
}

void formula_write_latex_name(struct portolan_text *out, const char *name)
{
    bool single = !name[1] && ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z'));

    portolan_text_add(out, single ? "" : "\\mathit{");
    write_escaped(out, name);
    portolan_text_add(out, single ? "" : "}");
}

static void write_number(struct portolan_text *out, double value)
{
    char text[NUMBER_TEXT], *e, *power;

    if (!isfinite(value)) {
        portolan_text_add(out, "%s",
                          isnan(value) ? "\\mathrm{NaN}"
                          : value < 0  ? "-\\infty"
                                       : "\\infty");
        return;
    }
    number_write(value, text);
    e = strchr(text, 'e');
    if (!e) {
        portolan_text_add(out, "%s", text);
        return;
    }
    *e = '\0';
    power = e + 1 + (e[1] == '+' || e[1] == '-');
    power += strspn(power, "0");
    portolan_text_add(out, "%s \\cdot 10^{%s%s}", text, e[1] == '-' ? "-" : "", power);
}

/* ---- operations ---- */

static void write_selection(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    size_t arg[3];

    portolan_text_add(out, "\\begin{cases} ");
    for (; f->nodes[i].op == OP_SELECT; i = arg[2]) {
        formula_arguments(f, i, arg, 3);
        write_node(f, arg[1], LOOSE, out);
        portolan_text_add(out, " & \\text{if } ");
        write_node(f, arg[0], LOOSE, out);
        portolan_text_add(out, " \\\\ ");
    }
    write_node(f, i, LOOSE, out);
    portolan_text_add(out, " & \\text{otherwise} \\end{cases}");
}

static void write_fenced(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    const struct formula_node *node = &f->nodes[i];
    size_t arg[FORMULA_ARGUMENTS] = {0};

    formula_arguments(f, i, arg, FORMULA_ARGUMENTS);
    portolan_text_add(out, "%s", fences[node->op].before);
    for (size_t k = 0; k < node->n_args; k++) {
        portolan_text_add(out, k ? ", " : "");
        write_node(f, arg[k], LOOSE, out);
    }
    portolan_text_add(out, "%s", fences[node->op].after);
}

/* Where the operand begins with a figure, a blank is too little of a product. */
static bool begins_with_figure(const struct portolan_formula *f, size_t i)
{
    size_t arg[2] = {0, 0};

    while (f->nodes[i].op == OP_MULTIPLY || f->nodes[i].op == OP_POWER) {
        formula_arguments(f, i, arg, 2);
        i = arg[0];
    }
    return f->nodes[i].op == OP_NUMBER;
}

static void write_signed(const struct portolan_formula *f, size_t i, const size_t *arg,
                         struct portolan_text *out)
{
    const struct sign *sign = &signs[f->nodes[i].op];
    bool product = f->nodes[i].op == OP_MULTIPLY;

    write_node(f, arg[0], sign->left, out);
    portolan_text_add(out, "%s",
                      product && begins_with_figure(f, arg[1]) ? " \\cdot " : sign->text);
    write_node(f, arg[1], sign->right, out);
}

static void write_operation(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    const struct formula_node *node = &f->nodes[i];
    size_t arg[3] = {0};

    if (node->op != OP_MIN && node->op != OP_MAX)
        formula_arguments(f, i, arg, 3);
    switch ((enum formula_op)node->op) {
    case OP_NUMBER:
        write_number(out, node->number);
        break;
    case OP_NAME:
        formula_write_latex_name(out, f->names.list[node->name]);
        break;
    case OP_CONSTANT:
        formula_write_latex_name(out, f->constants.list[node->name]);
        portolan_text_add(out, "_{%u}", node->index);
        break;
    case OP_NEGATE:
    case OP_NOT:
        portolan_text_add(out, node->op == OP_NEGATE ? "-" : "\\lnot ");
        write_node(f, arg[0], node->op == OP_NEGATE ? PRODUCT : TIGHT, out);
        break;
    case OP_DIVIDE:
        portolan_text_add(out, "\\frac{");
        write_node(f, arg[0], LOOSE, out);
        portolan_text_add(out, "}{");
        write_node(f, arg[1], LOOSE, out);
        portolan_text_add(out, "}");
        break;
    case OP_POWER:
        write_node(f, arg[0], TIGHT, out);
        portolan_text_add(out, "^{");
        write_node(f, arg[1], LOOSE, out);
        portolan_text_add(out, "}");
        break;
    case OP_LOG_BASE:
        portolan_text_add(out, "\\log_{");
        write_node(f, arg[1], LOOSE, out);
        portolan_text_add(out, "}\\left(");
        write_node(f, arg[0], LOOSE, out);
        portolan_text_add(out, "\\right)");
        break;
    case OP_SELECT:
        write_selection(f, i, out);
        break;
    default:
        if (signs[node->op].text)
            write_signed(f, i, arg, out);
        else
            write_fenced(f, i, out);
    }
}

static enum level level_of(const struct formula_node *node)
{
    char text[NUMBER_TEXT];

    switch ((enum formula_op)node->op) {
    case OP_NUMBER:
        if (signbit(node->number))
            return SUM;
        number_write(node->number, text);
        return isfinite(node->number) && strchr(text, 'e') ? PRODUCT : TIGHT;
    case OP_NEGATE:
        return SUM;
    case OP_NOT:
    case OP_POWER:
    case OP_DIVIDE:
        return POWER;
    default:
        return signs[node->op].text ? signs[node->op].level : TIGHT;
    }
}

static void write_node(const struct portolan_formula *f, size_t i, enum level least,
                       struct portolan_text *out)
{
    bool loose = level_of(&f->nodes[i]) < least;

    portolan_text_add(out, loose ? "\\left(" : "");
    write_operation(f, i, out);
    portolan_text_add(out, loose ? "\\right)" : "");
}

void formula_write_latex(const struct portolan_formula *f, size_t root, bool factor,
                         struct portolan_text *out)
{
    write_node(f, root, factor ? PRODUCT : LOOSE, out);
}
