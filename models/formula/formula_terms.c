/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas as terms of models. A formula may amount to a sum of constants times powers and
 * logarithms of the parameters: the search makes such sums, they are the fastest to fit and the
 * easiest to read. The terms of any other formula of a user are fitted as expressions.
 */
#include "formula_internal.h"
#include "models_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/chvalid.h>
#include <libxml/xmlstring.h>

/* ---- one term without its constant ---- */

/* Most exponents are small integers, and pow() takes ten times as long as a product. */
static double quick_power(double x, double exponent)
{
    int whole = (int)exponent;
    double result = 1, square = x;

    if (exponent != whole || whole < 0 || whole > 8)
        return pow(x, exponent);
    for (; whole; whole >>= 1, square *= square)
        if (whole & 1)
            result *= square;
    return result;
}

double shape_value(const struct portolan_model_shape *shape, size_t n_params, const double *x)
{
    double value = 1;

    if (shape->expression)
        return portolan_formula_value(shape->expression, x);
    for (size_t p = 0; p < n_params; p++) {
        if (shape->exponents[p] != 0)
            value *= quick_power(x[p], shape->exponents[p]);
        if (shape->logs[p])
            value *= quick_power(log2(x[p]), shape->logs[p]);
    }
    return value;
}

bool shape_is_constant(const struct portolan_model_shape *shape, size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (shape->exponents[p] != 0 || shape->logs[p])
            return false;
    return !shape->expression;
}

bool shape_equal(const struct portolan_model_shape *a, const struct portolan_model_shape *b,
                 size_t n_params)
{
    for (size_t p = 0; p < n_params; p++)
        if (a->exponents[p] != b->exponents[p] || a->logs[p] != b->logs[p])
            return false;
    if (!a->expression || !b->expression)
        return a->expression == b->expression;
    return formula_equal(a->expression, b->expression);
}

/* ---- sums of terms ---- */

enum { DEEPEST = 64 };

/* The formula that is being examined. */
struct scope {
    const struct portolan_formula *f;
    size_t n_params;
};

static bool read_sum(const struct scope *s, size_t i, int depth, struct sum *sum);

static bool append_terms(struct sum *to, const struct sum *from, double factor)
{
    if (to->n + from->n > MODEL_TERMS)
        return false;
    for (size_t j = 0; j < from->n; j++) {
        to->term[to->n] = from->term[j];
        to->term[to->n++].constant *= factor;
    }
    return true;
}

/* Multiplies *TO by FACTOR to the POWER; false when the result is not a term. */
static bool multiply_term(const struct scope *s, struct portolan_model_term *to,
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

static bool raise_term(const struct scope *s, struct sum *sum, double power)
{
    struct portolan_model_term base = sum->term[0];

    sum->term[0] = (struct portolan_model_term){.constant = 1};
    return multiply_term(s, &sum->term[0], &base, power);
}

/* ---- operations: ARG are the roots of the operands ---- */

static bool add_sums(const struct scope *s, const size_t *arg, double sign, int depth,
                     struct sum *sum)
{
    struct sum part;

    return read_sum(s, arg[0], depth, sum) && read_sum(s, arg[1], depth, &part) &&
           append_terms(sum, &part, sign);
}

static bool multiply_sums(const struct scope *s, const size_t *arg, int depth, struct sum *sum)
{
    struct sum left, right;

    if (!read_sum(s, arg[0], depth, &left) || !read_sum(s, arg[1], depth, &right))
        return false;
    sum->n = 0;
    for (size_t i = 0; i < left.n; i++)
        for (size_t j = 0; j < right.n; j++) {
            struct sum term = {.n = 1, .term[0] = left.term[i]};

            if (!multiply_term(s, &term.term[0], &right.term[j], 1) || !append_terms(sum, &term, 1))
                return false;
        }
    return true;
}

static bool divide_sum(const struct scope *s, const size_t *arg, int depth, struct sum *sum)
{
    struct sum divisor;

    if (!read_sum(s, arg[0], depth, sum) || !one_term(s, arg[1], depth, &divisor))
        return false;
    for (size_t j = 0; j < sum->n; j++)
        if (!multiply_term(s, &sum->term[j], &divisor.term[0], -1))
            return false;
    return true;
}

/* All logarithms become those to base 2. */
static bool take_logarithm(const struct scope *s, size_t i, double base, int depth, struct sum *sum)
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

static bool apply_operation(const struct scope *s, enum formula_op op, const size_t *arg, int depth,
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
        return add_sums(s, arg, op == OP_ADD ? 1 : -1, depth, sum);
    case OP_MULTIPLY:
        return multiply_sums(s, arg, depth, sum);
    case OP_DIVIDE:
        return divide_sum(s, arg, depth, sum);
    case OP_POWER:
        return one_number(s, arg[1], depth, &number) && one_term(s, arg[0], depth, sum) &&
               raise_term(s, sum, number);
    case OP_SQRT:
    case OP_CBRT:
        return one_term(s, arg[0], depth, sum) && raise_term(s, sum, op == OP_SQRT ? 0.5 : 1.0 / 3);
    case OP_LOG:
        return take_logarithm(s, arg[0], exp(1), depth, sum);
    case OP_LOG2:
    case OP_LOG10:
        return take_logarithm(s, arg[0], op == OP_LOG2 ? 2 : 10, depth, sum);
    case OP_LOG_BASE:
        return one_number(s, arg[1], depth, &number) &&
               take_logarithm(s, arg[0], number, depth, sum);
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
    return apply_operation(s, (enum formula_op)node->op, arg, depth + 1, sum);
}

bool formula_sum(const struct portolan_formula *f, size_t root, size_t n_params, struct sum *sum)
{
    struct scope scope = {f, n_params};

    return read_sum(&scope, root, 0, sum);
}

/*
 * Is F, as a term, a plain product of powers and logarithms, which is the fastest kind? The
 * constant is the user's, so it must not absorb a factor such as the one between log() and log2().
 */
static bool is_plain(const struct portolan_formula *f, size_t n_params,
                     struct portolan_model_shape *shape)
{
    struct sum sum;

    if (!formula_sum(f, f->n_nodes - 1, n_params, &sum) || sum.n != 1 || sum.term[0].constant != 1)
        return false;
    *shape = sum.term[0].shape;
    return true;
}

/* ---- copies of expressions ---- */

enum portolan_status expressions_own(struct expressions *own, struct portolan_model_shape *shape,
                                     size_t n_params, const char *const *params,
                                     struct portolan_error *err)
{
    struct portolan_formula *copy = NULL;
    enum portolan_status status;

    if (!shape->expression)
        return PORTOLAN_OK;
    if (portolan_formula_has_constants(shape->expression))
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "the expression of a term cannot have constants of its own");
    status = portolan_formula_bind(shape->expression, n_params, params, &copy, err);
    if (status)
        return status == PORTOLAN_ENOMEM ? status : PORTOLAN_EINVAL;
    if (is_plain(copy, n_params, shape)) {
        portolan_formula_destroy(copy);
        return PORTOLAN_OK;
    }
    for (size_t i = 0; i < own->n; i++)
        if (formula_equal(own->list[i], copy)) {
            portolan_formula_destroy(copy);
            shape->expression = own->list[i];
            return PORTOLAN_OK;
        }
    if (own->n == sizeof own->list / sizeof *own->list) {
        portolan_formula_destroy(copy);
        return portolan_error_set(err, PORTOLAN_EINVAL, "the model has too many expressions");
    }
    shape->expression = own->list[own->n++] = copy;
    return PORTOLAN_OK;
}

void expressions_clear(struct expressions *own)
{
    for (size_t i = 0; i < own->n; i++)
        portolan_formula_destroy(own->list[i]);
    own->n = 0;
}

/* ---- a user's formula ---- */

void portolan_model_shapes_destroy(struct portolan_model_shape *shapes, size_t n_shapes)
{
    for (size_t j = 0; shapes && j < n_shapes; j++)
        portolan_formula_destroy((struct portolan_formula *)shapes[j].expression);
    free(shapes);
}

/* Fills SHAPES with the terms of SUM, in the order of its constants, bound to PARAMS. */
static enum portolan_status bind_terms(const struct portolan_formula_sum *sum, size_t n_params,
                                       const char *const *params,
                                       struct portolan_model_shape *shapes,
                                       struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    for (size_t i = 0; i < sum->n_terms && !status; i++) {
        struct portolan_model_shape *shape = &shapes[sum->terms[i].index];
        struct portolan_formula *bound = NULL;

        status = portolan_formula_bind(sum->terms[i].expression, n_params, params, &bound, err);
        if (!status && is_plain(bound, n_params, shape))
            portolan_formula_destroy(bound);
        else
            shape->expression = bound;
    }
    return status == PORTOLAN_ENOTFOUND ? PORTOLAN_EINVAL : status;
}

enum portolan_status portolan_model_formula_shapes(const struct portolan_formula *formula,
                                                   size_t n_params, const char *const *params,
                                                   struct portolan_model_shape **shapes,
                                                   size_t *n_shapes, struct portolan_error *err)
{
    const char *wrong = model_check_params(n_params, params);
    struct portolan_formula_sum sum = {0};
    struct portolan_model_shape *made = NULL;
    struct portolan_error why = {0};
    enum portolan_status status;

    if (wrong)
        return portolan_error_set(err, PORTOLAN_EINVAL, "%s", wrong);
    if ((status = portolan_formula_split(formula, "formula", 1, 1, NULL, &sum, &why)))
        return portolan_error_set(err, status == PORTOLAN_ESYNTAX ? PORTOLAN_EINVAL : status, "%s",
                                  why.text);
    if (sum.n_terms > MODEL_TERMS)
        status =
            portolan_error_set(err, PORTOLAN_EINVAL, "a model can have at most %d terms, not %zu",
                               (int)MODEL_TERMS, sum.n_terms);
    else if (!(made = portolan_calloc(sum.n_terms, sizeof *made)))
        status = portolan_error_set(err, PORTOLAN_ENOMEM, "no memory for the terms of a model");
    else
        status = bind_terms(&sum, n_params, params, made, err);
    if (status) {
        portolan_model_shapes_destroy(made, sum.n_terms);
    } else {
        *shapes = made;
        *n_shapes = sum.n_terms;
    }
    portolan_formula_sum_clear(&sum);
    return status;
}

/* The index of SHAPE among M's terms and dropped terms, without the N in TAKEN; SIZE_MAX: none. */
static size_t find_term(const struct portolan_model *m, const struct portolan_model_shape *shape,
                        const size_t *taken, size_t n)
{
    for (size_t j = 0; j < m->n_terms + m->n_dropped; j++) {
        bool is_free =
            shape_equal(j < m->n_terms ? &m->terms[j].shape : &m->dropped[j - m->n_terms].shape,
                        shape, m->n_params);

        for (size_t k = 0; k < n && is_free; k++)
            is_free = taken[k] != j;
        if (is_free)
            return j;
    }
    return SIZE_MAX;
}

enum portolan_status portolan_model_formula_terms(const struct portolan_model *m,
                                                  const struct portolan_formula *formula, size_t n,
                                                  size_t *terms, struct portolan_error *err)
{
    struct portolan_model_shape *shapes = NULL;
    size_t n_shapes = 0;
    enum portolan_status status = portolan_model_formula_shapes(
        formula, m->n_params, (const char *const *)m->params, &shapes, &n_shapes, err);

    if (!status && n_shapes != n)
        status = portolan_error_set(err, PORTOLAN_EINVAL, "the formula has %zu constants, not %zu",
                                    n_shapes, n);
    for (size_t k = 0; k < n && !status; k++)
        terms[k] = find_term(m, &shapes[k], terms, k);
    portolan_model_shapes_destroy(shapes, n_shapes);
    return status;
}

enum portolan_status portolan_model_formula_constants(const struct portolan_model *m,
                                                      const struct portolan_formula *formula,
                                                      size_t n, double *constants,
                                                      double *std_errors,
                                                      struct portolan_error *err)
{
    size_t terms[MODEL_TERMS] = {0};
    enum portolan_status status =
        n > MODEL_TERMS ? PORTOLAN_EINVAL : portolan_model_formula_terms(m, formula, n, terms, err);

    for (size_t k = 0; k < n && !status; k++) {
        const struct portolan_model_term *term = terms[k] < m->n_terms ? &m->terms[terms[k]] : NULL;

        constants[k] = term ? term->constant : 0;
        if (std_errors)
            std_errors[k] = term ? term->std_error : 0;
    }
    return status;
}

bool formula_text_is_plain(const char *text)
{
    if (!xmlCheckUTF8((const xmlChar *)text))
        return false;
    for (const char *at = text; *at;) {
        int length = 4, c = xmlGetUTF8Char((const unsigned char *)at, &length);

        if (c < 0 || !xmlIsChar((unsigned)c))
            return false;
        at += length;
    }
    return true;
}

const char *model_check_params(size_t n_params, const char *const *params)
{
    if (n_params > MODEL_PARAMS)
        return "a model can have at most 8 parameters";
    for (size_t p = 0; p < n_params; p++) {
        if (!params || !params[p] || !*params[p])
            return "every parameter needs a name";
        if (!formula_text_is_plain(params[p]) || strpbrk(params[p], " \t\r\n"))
            return "a parameter's name must be UTF-8 text without blanks";
        for (size_t q = 0; q < p; q++)
            if (strcmp(params[p], params[q]) == 0)
                return "two parameters have the same name";
    }
    return NULL;
}
