/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas that amount to a sum of constants times powers and logarithms of the parameters: those
 * are what the search makes, what fits fastest, and what a reader sees through at once.
 */
#include "formula_internal.h"
#include "models_internal.h"

#include <math.h>

enum { DEEPEST = 64 };

/* What an expression is looked at with. */
struct scope {
    const struct portolan_formula *f;
    size_t n_params;
};

static bool read_sum(const struct scope *s, size_t i, int depth, struct sum *sum);

static bool append(struct sum *to, const struct sum *from, double factor)
{
    if (to->n + from->n > MODEL_TERMS)
        return false;
    for (size_t j = 0; j < from->n; j++) {
        to->term[to->n] = from->term[j];
        to->term[to->n++].constant *= factor;
    }
    return true;
}

/* *TO times FACTOR to the POWER; false when the result is no term. */
static bool multiply(const struct scope *s, struct portolan_model_term *to,
                     const struct portolan_model_term *factor, double power)
{
    to->constant *= power == 1 ? factor->constant : pow(factor->constant, power);
    for (size_t p = 0; p < s->n_params; p++) {
        double log = to->shape.logs[p] + power * factor->shape.logs[p];

        to->shape.exponents[p] += power * factor->shape.exponents[p];
        if (!(log >= 0 && log <= PORTOLAN_MODEL_MAX_LOG && log == floor(log)))
            return false;
        to->shape.logs[p] = (unsigned char)log;
        if (!isfinite(to->shape.exponents[p]))
            return false;
    }
    return isfinite(to->constant);
}

static bool one_term(const struct scope *s, size_t i, int depth, struct sum *sum)
{
    return read_sum(s, i, depth, sum) && sum->n == 1;
}

static bool one_number(const struct scope *s, size_t i, int depth, double *number)
{
    struct sum sum;

    if (!one_term(s, i, depth, &sum) || !shape_is_constant(&sum.term[0].shape, s->n_params))
        return false;
    *number = sum.term[0].constant;
    return true;
}

static bool raise(const struct scope *s, struct sum *sum, double power)
{
    struct portolan_model_term base = sum->term[0];

    sum->term[0] = (struct portolan_model_term){.constant = 1};
    return multiply(s, &sum->term[0], &base, power);
}

/* ---- operations: ARG are the roots of the operands ---- */

static bool add(const struct scope *s, const size_t *arg, double sign, int depth, struct sum *sum)
{
    struct sum part;

    return read_sum(s, arg[0], depth, sum) && read_sum(s, arg[1], depth, &part) &&
           append(sum, &part, sign);
}

static bool times(const struct scope *s, const size_t *arg, int depth, struct sum *sum)
{
    struct sum left, right;

    if (!read_sum(s, arg[0], depth, &left) || !read_sum(s, arg[1], depth, &right))
        return false;
    sum->n = 0;
    for (size_t i = 0; i < left.n; i++)
        for (size_t j = 0; j < right.n; j++) {
            struct sum term = {.n = 1, .term[0] = left.term[i]};

            if (!multiply(s, &term.term[0], &right.term[j], 1) || !append(sum, &term, 1))
                return false;
        }
    return true;
}

static bool divide(const struct scope *s, const size_t *arg, int depth, struct sum *sum)
{
    struct sum divisor;

    if (!read_sum(s, arg[0], depth, sum) || !one_term(s, arg[1], depth, &divisor))
        return false;
    for (size_t j = 0; j < sum->n; j++)
        if (!multiply(s, &sum->term[j], &divisor.term[0], -1))
            return false;
    return true;
}

/* All logarithms become those to base 2. */
static bool logarithm(const struct scope *s, size_t i, double base, int depth, struct sum *sum)
{
    struct portolan_model_shape bare = {.logs = {0}};

    if (!one_term(s, i, depth, sum) || !(base > 0) || base == 1)
        return false;
    for (size_t p = 0; p < s->n_params; p++) {
        bare.exponents[p] = 1;
        if (sum->term[0].constant == 1 && shape_equal(&sum->term[0].shape, &bare, s->n_params)) {
            sum->term[0] = (struct portolan_model_term){.constant = 1 / log2(base)};
            sum->term[0].shape.logs[p] = 1;
            return true;
        }
        bare.exponents[p] = 0;
    }
    return false;
}

static bool operate(const struct scope *s, enum formula_op op, const size_t *arg, int depth,
                    struct sum *sum)
{
    double number;

    switch (op) {
    case OP_NEGATE:
        if (!read_sum(s, arg[0], depth, sum))
            return false;
        for (size_t j = 0; j < sum->n; j++)
            sum->term[j].constant = -sum->term[j].constant;
        return true;
    case OP_ADD:
    case OP_SUBTRACT:
        return add(s, arg, op == OP_ADD ? 1 : -1, depth, sum);
    case OP_MULTIPLY:
        return times(s, arg, depth, sum);
    case OP_DIVIDE:
        return divide(s, arg, depth, sum);
    case OP_POWER:
        return one_number(s, arg[1], depth, &number) && one_term(s, arg[0], depth, sum) &&
               raise(s, sum, number);
    case OP_SQRT:
    case OP_CBRT:
        return one_term(s, arg[0], depth, sum) && raise(s, sum, op == OP_SQRT ? 0.5 : 1.0 / 3);
    case OP_LOG:
        return logarithm(s, arg[0], exp(1), depth, sum);
    case OP_LOG2:
    case OP_LOG10:
        return logarithm(s, arg[0], op == OP_LOG2 ? 2 : 10, depth, sum);
    case OP_LOG_BASE:
        return one_number(s, arg[1], depth, &number) && logarithm(s, arg[0], number, depth, sum);
    default:
        return false;
    }
}

static bool read_sum(const struct scope *s, size_t i, int depth, struct sum *sum)
{
    const struct formula_node *node = &s->f->nodes[i];
    size_t arg[2] = {0, 0};

    if (node->is_kept || depth == DEEPEST)
        return false;
    *sum = (struct sum){.n = 1};
    if (node->op == OP_NUMBER) {
        sum->term[0].constant = node->number;
        return isfinite(node->number);
    }
    if (node->op == OP_NAME) {
        sum->term[0].constant = 1;
        sum->term[0].shape.exponents[node->name] = 1;
        return node->name < s->n_params;
    }
    if (node->n_args <= 2)
        formula_arguments(s->f, i, arg, 2);
    return operate(s, (enum formula_op)node->op, arg, depth + 1, sum);
}

bool formula_sum(const struct portolan_formula *f, size_t root, size_t n_params, struct sum *sum)
{
    struct scope scope = {f, n_params};

    return read_sum(&scope, root, 0, sum);
}

bool formula_is_plain(const struct portolan_formula *f, size_t n_params,
                      struct portolan_model_shape *shape)
{
    struct sum sum;

    if (!formula_sum(f, f->n_nodes - 1, n_params, &sum) || sum.n != 1 || sum.term[0].constant != 1)
        return false;
    *shape = sum.term[0].shape;
    return true;
}
