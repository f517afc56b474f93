/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the function of a model as a sum of terms, and the conditions of its pieces. */
#include "formula_internal.h"
#include "xml_internal.h"

#include <math.h>
#include <string.h>

struct splitter {
    struct reader *r;
    const struct xml_element *node; /* for complaints */
    struct portolan_model *m;
    const struct portolan_formula *f;
    struct sum *sum;
};

/* ---- terms ---- */

static bool add_term(const struct splitter *s, const struct portolan_model_term *term, double sign)
{
    if (s->sum->n == MODEL_TERMS) {
        reader_complain(s->r, s->node, "a model can have at most %d terms", (int)MODEL_TERMS);
        return false;
    }
    s->sum->term[s->sum->n] = *term;
    s->sum->term[s->sum->n++].constant *= sign;
    return true;
}

static size_t first_factor(const struct portolan_formula *f, size_t root)
{
    size_t arg[2] = {0, 0};

    while (f->nodes[root].op == OP_MULTIPLY && !f->nodes[root].is_kept) {
        formula_arguments(f, root, arg, 2);
        root = arg[0];
    }
    return root;
}

/* A leading number becomes the constant of the term, the other factors its expression. */
static bool add_expression(const struct splitter *s, size_t root, double sign)
{
    size_t factor = first_factor(s->f, root);
    const struct formula_node *first = &s->f->nodes[factor];
    bool has_constant = first->op == OP_NUMBER && factor != root;
    struct portolan_model_term term = {.constant = has_constant ? first->number : 1};
    struct portolan_formula *expression = NULL;
    struct formula_builder b;
    enum portolan_status status = formula_begin(&b);

    if (!status && has_constant)
        formula_push_without(&b, s->f, root, factor, &factor);
    else if (!status)
        formula_push_tree(&b, s->f, root);
    status = formula_end(&b, &expression);
    term.shape.expression = expression;
    if (!status && !isfinite(term.constant))
        reader_complain(s->r, s->node, "the constant of a term is not finite");
    if (!status)
        status = expressions_own(&s->m->expressions, &term.shape, s->m->n_params,
                                 (const char *const *)s->m->params, NULL);
    portolan_formula_destroy(expression);
    if (status == PORTOLAN_ENOMEM)
        reader_no_memory(s->r);
    else if (status)
        reader_complain(s->r, s->node, "a model can have at most %d terms", (int)MODEL_TERMS);
    return !s->r->status && add_term(s, &term, sign);
}

static bool add_terms(const struct splitter *s, size_t root, double sign)
{
    const struct formula_node *node = &s->f->nodes[root];
    size_t arg[2] = {0, 0};
    struct sum plain;

    if (formula_sum(s->f, root, s->m->n_params, &plain)) {
        for (size_t j = 0; j < plain.n; j++)
            if (!add_term(s, &plain.term[j], sign))
                return false;
        return true;
    }
    if (!node->is_kept && node->op == OP_NEGATE)
        return add_terms(s, root - 1, -sign);
    if (node->is_kept || (node->op != OP_ADD && node->op != OP_SUBTRACT))
        return add_expression(s, root, sign);
    formula_arguments(s->f, root, arg, 2);
    return add_terms(s, arg[0], sign) && add_terms(s, arg[1], node->op == OP_ADD ? sign : -sign);
}

/* <apply><plus/></apply>: how a model without terms is written. */
static bool is_empty_sum(const struct xml_element *expression)
{
    const struct xml_element *op =
        strcmp(expression->name, "apply") == 0 ? expression->children : NULL;

    return op && strcmp(op->name, "plus") == 0 && !op->next;
}

bool xml_read_terms(struct reader *r, const struct xml_element *expression,
                    struct portolan_model *m, struct sum *sum)
{
    struct portolan_formula *f = mathml_read(r, expression, m->n_params, m->params);
    struct splitter s = {r, expression, m, f, sum};
    bool good;

    sum->n = 0;
    if (f && is_empty_sum(expression)) {
        portolan_formula_destroy(f);
        return true;
    }
    good = f && add_terms(&s, f->n_nodes - 1, 1);
    portolan_formula_destroy(f);
    return good;
}

/* ---- conditions ---- */

/* The parameter, or the ratio of two, at node I. */
static bool is_variable(const struct portolan_formula *f, size_t i,
                        struct portolan_model_condition *c)
{
    size_t arg[2] = {0, 0};

    *c = (struct portolan_model_condition){.divisor = SIZE_MAX, .low = -INFINITY, .high = INFINITY};
    if (f->nodes[i].op == OP_NAME) {
        c->param = f->nodes[i].name;
        return true;
    }
    if (f->nodes[i].op != OP_DIVIDE)
        return false;
    formula_arguments(f, i, arg, 2);
    c->param = f->nodes[arg[0]].name;
    c->divisor = f->nodes[arg[1]].name;
    return f->nodes[arg[0]].op == OP_NAME && f->nodes[arg[1]].op == OP_NAME;
}

/* Reads v >= number or v < number; two in a row on the same variable become one condition. */
static bool add_condition(const struct portolan_formula *f, size_t root, struct piece *piece)
{
    enum formula_op op = (enum formula_op)f->nodes[root].op;
    struct portolan_model_condition c, *last;
    size_t arg[2] = {0, 0};
    double bound;

    if (op == OP_AND) {
        formula_arguments(f, root, arg, 2);
        return add_condition(f, arg[0], piece) && add_condition(f, arg[1], piece);
    }
    if (op == OP_NUMBER && f->nodes[root].number == 1)
        return true;
    if (op != OP_LESS && op != OP_GREATER_EQUAL)
        return false;
    formula_arguments(f, root, arg, 2);
    bound = f->nodes[arg[1]].number;
    if (!is_variable(f, arg[0], &c) || f->nodes[arg[1]].op != OP_NUMBER || !isfinite(bound))
        return false;
    last = piece->n_conditions ? &piece->conditions[piece->n_conditions - 1] : NULL;
    if (op == OP_LESS && last && last->param == c.param && last->divisor == c.divisor &&
        last->high == INFINITY) {
        last->high = bound;
        return true;
    }
    *(op == OP_LESS ? &c.high : &c.low) = bound;
    if (piece->n_conditions == MODEL_PIECES)
        return false;
    piece->conditions[piece->n_conditions++] = c;
    return true;
}

bool xml_read_conditions(struct reader *r, const struct xml_element *expression,
                         const struct portolan_model *m, struct piece *piece)
{
    struct portolan_formula *f = mathml_read(r, expression, m->n_params, m->params);
    bool good = f && add_condition(f, f->n_nodes - 1, piece);

    if (f && !good)
        reader_complain(r, expression,
                        "the condition of a piece must be that parameters, or ratios of two, are "
                        "at least a number (<geq/>) and below a number (<lt/>), joined by <and/>, "
                        "with at most %d comparisons",
                        (int)MODEL_PIECES);
    portolan_formula_destroy(f);
    return good;
}
