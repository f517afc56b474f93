/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas as content MathML (MathML 2.0, chapter 4), which exchange/mathml.c reads back. */
#include "formula_internal.h"
#include "models_internal.h"

#include <string.h>

static const char *const elements[N_FORMULA_OPS] = {
    [OP_NEGATE] = "minus",
    [OP_NOT] = "not",
    [OP_ADD] = "plus",
    [OP_SUBTRACT] = "minus",
    [OP_MULTIPLY] = "times",
    [OP_DIVIDE] = "divide",
    [OP_POWER] = "power",
    [OP_LOG] = "ln",
    [OP_LOG2] = "log",
    [OP_LOG10] = "log",
    [OP_LOG_BASE] = "log",
    [OP_EXP] = "exp",
    [OP_SQRT] = "root",
    [OP_CBRT] = "root",
    [OP_ABS] = "abs",
    [OP_FLOOR] = "floor",
    [OP_CEIL] = "ceiling",
    [OP_MIN] = "min",
    [OP_MAX] = "max",
    [OP_LESS] = "lt",
    [OP_LESS_EQUAL] = "leq",
    [OP_GREATER] = "gt",
    [OP_GREATER_EQUAL] = "geq",
    [OP_EQUAL] = "eq",
    [OP_NOT_EQUAL] = "neq",
    [OP_AND] = "and",
    [OP_OR] = "or",
};

void formula_write_mathml_name(struct portolan_text *out, const char *name)
{
    portolan_text_add(out, "<ci>");
    portolan_text_add_xml(out, name);
    portolan_text_add(out, "</ci>");
}

/* MathML writes 3e-7 as 3 <sep/> -7, and integers with a type of their own. */
static void write_number(struct portolan_text *out, double value)
{
    char number[NUMBER_TEXT], *e;

    if (isnan(value)) {
        portolan_text_add(out, "<notanumber/>");
        return;
    }
    if (isinf(value)) {
        portolan_text_add(out, value < 0 ? "<apply><minus/><infinity/></apply>" : "<infinity/>");
        return;
    }
    portolan_number_write(value, false, number);
    e = strchr(number, 'e');
    if (e)
        *e = '\0';
    if (e)
        portolan_text_add(out, "<cn type=\"e-notation\">%s<sep/>%s</cn>", number, e + 1);
    else
        portolan_text_add(out, "<cn%s>%s</cn>", strchr(number, '.') ? "" : " type=\"integer\"",
                          number);
}

static void write_selection(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    const struct formula_node *last;
    size_t arg[3];

    portolan_text_add(out, "<piecewise>");
    for (; f->nodes[i].op == OP_SELECT; i = arg[2]) {
        formula_arguments(f, i, arg, 3);
        portolan_text_add(out, "<piece>");
        formula_write_mathml(f, arg[1], out);
        formula_write_mathml(f, arg[0], out);
        portolan_text_add(out, "</piece>");
    }
    last = &f->nodes[i];
    if (last->op != OP_NUMBER || !isnan(last->number)) {
        portolan_text_add(out, "<otherwise>");
        formula_write_mathml(f, i, out);
        portolan_text_add(out, "</otherwise>");
    }
    portolan_text_add(out, "</piecewise>");
}

/* (a + b) + c is one <plus/>, since readers join its arguments from the left. */
static void write_chain(const struct portolan_formula *f, size_t i, enum formula_op op,
                        struct portolan_text *out)
{
    size_t arg[2] = {0, 0};

    formula_arguments(f, i, arg, 2);
    if (f->nodes[arg[0]].op == op)
        write_chain(f, arg[0], op, out);
    else
        formula_write_mathml(f, arg[0], out);
    formula_write_mathml(f, arg[1], out);
}

static void write_qualifier(const struct portolan_formula *f, size_t i, enum formula_op op,
                            struct portolan_text *out)
{
    size_t arg[2] = {0, 0};

    if (op == OP_LOG2 || op == OP_LOG10) {
        portolan_text_add(out, "<logbase><cn type=\"integer\">%d</cn></logbase>",
                          op == OP_LOG2 ? 2 : 10);
    } else if (op == OP_CBRT) {
        portolan_text_add(out, "<degree><cn type=\"integer\">3</cn></degree>");
    } else if (op == OP_LOG_BASE) {
        formula_arguments(f, i, arg, 2);
        portolan_text_add(out, "<logbase>");
        formula_write_mathml(f, arg[1], out);
        portolan_text_add(out, "</logbase>");
    }
}

static void write_application(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    enum formula_op op = (enum formula_op)f->nodes[i].op;
    size_t arg[FORMULA_ARGUMENTS] = {0}, n = op == OP_LOG_BASE ? 1 : f->nodes[i].n_args;

    portolan_text_add(out, "<apply><%s/>", elements[op]);
    if (op == OP_ADD || op == OP_MULTIPLY || op == OP_AND || op == OP_OR) {
        write_chain(f, i, op, out);
    } else {
        formula_arguments(f, i, arg, FORMULA_ARGUMENTS);
        write_qualifier(f, i, op, out);
        for (size_t k = 0; k < n; k++)
            formula_write_mathml(f, arg[k], out);
    }
    portolan_text_add(out, "</apply>");
}

/* Adds the formula language's form of a subtree that stays as its author wrote it. */
static void write_annotation(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    struct portolan_text words = {0};

    portolan_text_add(out, "<annotation encoding=\"portolan-formula\">");
    formula_write_factor(f, i, &words);
    out->failed = out->failed || words.failed;
    portolan_text_add_xml(out, words.bytes ? words.bytes : "");
    portolan_text_clear(&words);
    portolan_text_add(out, "</annotation></semantics>");
}

void formula_write_mathml(const struct portolan_formula *f, size_t i, struct portolan_text *out)
{
    const struct formula_node *node = &f->nodes[i];

    portolan_text_add(out, node->is_kept ? "<semantics>" : "");
    switch ((enum formula_op)node->op) {
    case OP_NUMBER:
        write_number(out, node->number);
        break;
    case OP_NAME:
        formula_write_mathml_name(out, f->names.list[node->name]);
        break;
    case OP_CONSTANT:
        portolan_text_add(out, "<apply><selector/>");
        formula_write_mathml_name(out, f->constants.list[node->name]);
        portolan_text_add(out, "<cn type=\"integer\">%u</cn></apply>", node->index);
        break;
    case OP_SELECT:
        write_selection(f, i, out);
        break;
    default:
        write_application(f, i, out);
    }
    if (node->is_kept)
        write_annotation(f, i, out);
}
