/* SPDX-License-Identifier: BSD-3-Clause */
/* A model as a formula, and so in every notation that formulas have. */
#include "emit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rounded(double value, int digits)
{
    char text[NUMBER_TEXT];

    if (digits && isfinite(value)) {
        number_write_short(value, digits, text);
        portolan_read_double(text, &value);
    }
    return value;
}

static void push_param(struct formula_builder *b, const struct portolan_model *m, size_t p,
                       bool log)
{
    formula_push_name(b, m->params[p], strlen(m->params[p]));
    if (log)
        formula_push(b, OP_LOG2, 1);
}

/* x^SQUARE, SQUARE a power of two, as products of products. */
static void push_square(struct formula_builder *b, const struct portolan_model *m, size_t p,
                        bool log, int square)
{
    if (square == 1) {
        push_param(b, m, p, log);
        return;
    }
    push_square(b, m, p, log, square / 2);
    push_square(b, m, p, log, square / 2);
    formula_push(b, OP_MULTIPLY, 2);
}

/* In the very steps of shape_value(), or as a power. */
static void push_power(struct formula_builder *b, const struct portolan_model *m, size_t p,
                       bool log, double exponent, bool expand)
{
    int whole = (int)exponent, n = 0;

    if (!expand || exponent != whole || whole < 0 || whole > 8) {
        push_param(b, m, p, log);
        if (exponent == 1)
            return;
        formula_push_number(b, exponent);
        formula_push(b, OP_POWER, 2);
        return;
    }
    for (int square = 1; square <= whole; square *= 2)
        if (whole & square) {
            push_square(b, m, p, log, square);
            if (n++)
                formula_push(b, OP_MULTIPLY, 2);
        }
}

/* The number of factors pushed joined to one; 0: the shape is 1. */
static int push_shape(struct formula_builder *b, const struct portolan_model *m,
                      const struct portolan_model_shape *shape, bool expand)
{
    int n = 0;

    if (shape->expression) {
        formula_push_tree(b, shape->expression, shape->expression->n_nodes - 1);
        return 1;
    }
    for (size_t p = 0; p < m->n_params; p++) {
        if (shape->exponents[p] != 0) {
            push_power(b, m, p, false, shape->exponents[p], expand);
            if (n++)
                formula_push(b, OP_MULTIPLY, 2);
        }
        if (shape->logs[p]) {
            push_power(b, m, p, true, shape->logs[p], expand);
            if (n++)
                formula_push(b, OP_MULTIPLY, 2);
        }
    }
    return n;
}

void emit_push_term(struct formula_builder *b, const struct portolan_model *m, size_t j,
                    double constant, const struct emit_style *style)
{
    formula_push_number(b, rounded(constant, style->digits));
    if (push_shape(b, m, &m->terms[j].shape, style->expand))
        formula_push(b, OP_MULTIPLY, 2);
}

void emit_push_conditions(struct formula_builder *b, const struct portolan_model *m,
                          const struct piece *piece, const struct emit_style *style)
{
    int n = 0;

    for (size_t i = 0; i < piece->n_conditions; i++) {
        const struct portolan_model_condition *c = &piece->conditions[i];

        for (int high = 0; high < 2; high++) {
            double bound = high ? c->high : c->low;

            if (isinf(bound))
                continue;
            push_param(b, m, c->param, false);
            if (c->divisor != SIZE_MAX) {
                push_param(b, m, c->divisor, false);
                formula_push(b, OP_DIVIDE, 2);
            }
            formula_push_number(b, rounded(bound, style->digits));
            formula_push(b, high ? OP_LESS : OP_GREATER_EQUAL, 2);
            if (n++)
                formula_push(b, OP_AND, 2);
        }
    }
    if (!n)
        formula_push_number(b, 1);
}

static void push_sum(struct formula_builder *b, const struct portolan_model *m,
                     const struct emit_style *style)
{
    for (size_t j = 0; j < m->n_terms; j++) {
        double c = m->terms[j].constant;
        bool minus = j && c < 0;

        emit_push_term(b, m, j, minus ? -c : c, style);
        if (j)
            formula_push(b, minus ? OP_SUBTRACT : OP_ADD, 2);
    }
    if (!m->n_terms)
        formula_push_number(b, 0);
}

enum portolan_status emit_begin(struct formula_builder *b, const struct portolan_model *m)
{
    enum portolan_status status = formula_begin(b);

    if (!status)
        formula_add_names(b, m->n_params, (const char *const *)m->params);
    return status;
}

enum portolan_status emit_formula(const struct portolan_model *m, const struct emit_style *style,
                                  struct portolan_formula **formula, struct portolan_error *err)
{
    struct formula_builder b;
    enum portolan_status status = emit_begin(&b, m);

    for (size_t i = 0; !status && i < m->n_pieces; i++) {
        emit_push_conditions(&b, m, &m->pieces[i], style);
        push_sum(&b, m->pieces[i].model, style);
    }
    if (!status && m->n_pieces)
        formula_push_number(&b, NAN);
    for (size_t i = 0; !status && i < m->n_pieces; i++)
        formula_push(&b, OP_SELECT, 3);
    if (!status && !m->n_pieces)
        push_sum(&b, m, style);
    if (!status && b.status == PORTOLAN_EINVAL)
        portolan_error_set(err, PORTOLAN_EINVAL, "the model is too large for one formula: %s",
                           b.why);
    status = formula_end(&b, formula);
    return status ? portolan_error_set(err, status, "no memory for a formula") : PORTOLAN_OK;
}
