/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads content MathML (MathML 2.0, chapter 4) as a formula: numbers, the parameters, and the
 * operations that formulas have.
 */
#include "formula_internal.h"
#include "xml_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The reader and the parameters that an expression may use. */
struct scope {
    struct reader *r;
    size_t n_params;
    char *const *params;
    struct formula_builder *b;
};

static bool read_expression(const struct scope *s, const struct xml_element *node);

const char *mathml_text(struct reader *r, const struct xml_element *node)
{
    enum { LONGEST = 255 };

    if (node->children)
        reader_complain(r, node, "<%s> can contain only text", node->name);
    else if (!*node->text || strlen(node->text) > LONGEST)
        reader_complain(r, node, "the text of <%s> is %s", node->name,
                        *node->text ? "too long" : "missing");
    else
        return node->text;
    return NULL;
}

/* ---- numbers ---- */

static bool parts_to_number(const char *type, const char *first, const char *second, double *value)
{
    char joined[2 * NUMBER_TEXT + 2];
    double over;

    if (strcmp(type, "real") == 0 || strcmp(type, "integer") == 0)
        return !*second && reader_number(first, value) && (*type == 'r' || *value == floor(*value));
    if (strcmp(type, "rational") == 0) {
        if (!reader_number(first, value) || !reader_number(second, &over) || over == 0)
            return false;
        *value /= over;
        return isfinite(*value);
    }
    if (!*first || !*second || strlen(second) != strspn(second, "+-0123456789"))
        return false;
    strcpy(stpcpy(stpcpy(joined, first), "e"), second);
    return !strpbrk(first, "eE") && reader_number(joined, value);
}

static bool read_cn(struct reader *r, const struct xml_element *node, double *value)
{
    static const char *const types[] = {"real", "integer", "e-notation", "rational"};
    const char *type = xml_value(node, "type");
    const struct xml_element *sep = node->children;
    const char *first = node->text, *second = reader_is(sep, "sep") ? sep->tail : "";
    bool known = !type;

    for (size_t i = 0; i < 4; i++)
        known = known || strcmp(type, types[i]) == 0;
    if (!known || xml_value(node, "base")) {
        reader_complain(
            r, node,
            "the type of <cn> must be real, integer, e-notation or rational, without a base");
        return false;
    }
    type = type ? type : "real";
    if (strlen(first) < NUMBER_TEXT && strlen(second) < NUMBER_TEXT &&
        (!sep || (reader_is(sep, "sep") && !sep->next)) &&
        parts_to_number(type, first, second, value))
        return true;
    reader_complain(r, node, "\"%s\" is not a number of type %s", first, type);
    return false;
}

/* ---- leaves ---- */

static bool read_ci(const struct scope *s, const struct xml_element *node)
{
    const char *name = mathml_text(s->r, node);

    if (!name)
        return false;
    for (size_t p = 0; p < s->n_params; p++)
        if (strcmp(name, s->params[p]) == 0) {
            formula_push_name(s->b, name, strlen(name));
            return true;
        }
    reader_complain(s->r, node, "\"%s\" is not a parameter of this model%s", name,
                    reader_hint(name, (const char *const *)s->params, s->n_params).text);
    return false;
}

static const struct {
    const char *name;
    double value;
} numbers[] = {
    {"pi", M_PI}, {"exponentiale", M_E}, {"infinity", INFINITY},
    {"true", 1},  {"false", 0},          {"notanumber", NAN},
};

/* ---- operators: ARG is the first argument ---- */

enum arity { ONE, TWO, ONE_OR_TWO, FOLDED, MANY };

static const char *const takes[] = {
    [ONE] = "one argument",
    [TWO] = "two arguments",
    [ONE_OR_TWO] = "one argument or two",
    [FOLDED] = "two arguments or more",
    [MANY] = "one argument or more, up to a hundred",
};

static const struct operator
{
    const char *name;
    enum arity arity;
    enum formula_op op;
    double empty; /* value of a folded operator without arguments; NaN: it needs some */
}
operators[] = {
    {"plus", FOLDED, OP_ADD, 0},
    {"times", FOLDED, OP_MULTIPLY, 1},
    {"and", FOLDED, OP_AND, NAN},
    {"or", FOLDED, OP_OR, NAN},
    {"minus", ONE_OR_TWO, OP_SUBTRACT, NAN},
    {"divide", TWO, OP_DIVIDE, NAN},
    {"power", TWO, OP_POWER, NAN},
    {"lt", TWO, OP_LESS, NAN},
    {"leq", TWO, OP_LESS_EQUAL, NAN},
    {"gt", TWO, OP_GREATER, NAN},
    {"geq", TWO, OP_GREATER_EQUAL, NAN},
    {"eq", TWO, OP_EQUAL, NAN},
    {"neq", TWO, OP_NOT_EQUAL, NAN},
    {"exp", ONE, OP_EXP, NAN},
    {"abs", ONE, OP_ABS, NAN},
    {"floor", ONE, OP_FLOOR, NAN},
    {"ceiling", ONE, OP_CEIL, NAN},
    {"not", ONE, OP_NOT, NAN},
    {"ln", ONE, OP_LOG, NAN},
    {"log", ONE, OP_LOG10, NAN},
    {"root", ONE, OP_SQRT, NAN},
    {"min", MANY, OP_MIN, NAN},
    {"max", MANY, OP_MAX, NAN},
};
enum { N_OPERATORS = sizeof operators / sizeof *operators };

static bool wrong_number(const struct scope *s, const struct xml_element *op, const char *takes)
{
    reader_complain(s->r, op, "<%s/> takes %s", op->name, takes);
    return false;
}

/* Reads the operands from ARG on; those of a folded operator are joined one by one from the left.
 */
static bool apply_operands(const struct scope *s, const struct operator* o,
                           const struct xml_element *op, const struct xml_element *arg)
{
    size_t least = o->arity == MANY || o->arity == ONE_OR_TWO ? 1 : isnan(o->empty) ? 2 : 0;
    size_t most = o->arity == TWO || o->arity == ONE_OR_TWO ? 2
                  : o->arity == MANY                        ? FORMULA_ARGUMENTS
                                                            : SIZE_MAX;
    size_t n = 0;

    for (; arg && n <= most; arg = arg->next, n++) {
        if (n < most && !read_expression(s, arg))
            return false;
        if (n && o->arity == FOLDED)
            formula_push(s->b, o->op, 2);
    }
    if (n < least || n > most)
        return wrong_number(s, op, takes[o->arity]);
    if (!n)
        formula_push_number(s->b, o->empty);
    else if (o->op == OP_SUBTRACT && n == 1)
        formula_push(s->b, OP_NEGATE, 1);
    else if (n > 1 && o->arity != FOLDED)
        formula_push(s->b, o->op, n);
    return true;
}

/* Takes a constant expression off the end of the formula so far; false if it has names. */
static bool take_number(struct formula_builder *b, double *number)
{
    struct portolan_formula *f = b->f, part = {.n_nodes = 0};
    size_t start = f->nodes[f->n_nodes - 1].start;

    for (size_t i = start; i < f->n_nodes; i++)
        if (f->nodes[i].op == OP_NAME)
            return false;
    part.nodes = f->nodes + start;
    part.n_nodes = f->n_nodes - start;
    f->n_nodes = start;
    *number = portolan_formula_value(&part, NULL);
    return true;
}

/* Reads the qualifier: the base of a logarithm (any expression), or the degree of a root (a
 * number). */
static bool apply_qualifier(const struct scope *s, const struct xml_element *qualifier, bool log)
{
    const struct xml_element *inside = reader_first(s->r, qualifier);
    bool named = false, good = inside && !inside->next;
    double number = 1;

    if (good && !read_expression(s, inside))
        return false;
    if (s->b->status)
        return true;
    if (good)
        named = !take_number(s->b, &number);
    if (!good || (named ? !log : !(number > 0 && isfinite(number)) || (log && number == 1))) {
        reader_complain(s->r, qualifier, "<%s> must contain one positive number%s", qualifier->name,
                        log ? " other than 1, or an expression" : "");
        return false;
    }
    if (!log && (number == 2 || number == 3)) {
        formula_push(s->b, number == 2 ? OP_SQRT : OP_CBRT, 1);
        return true;
    }
    if (!named)
        formula_push_number(s->b, log ? number : 1 / number);
    if (log)
        formula_push_log(s->b);
    else
        formula_push(s->b, OP_POWER, 2);
    return true;
}

static bool apply_one(const struct scope *s, const struct operator* o, const struct xml_element *op,
                      const struct xml_element *arg)
{
    const char *name = o->op == OP_LOG10 ? "logbase" : o->op == OP_SQRT ? "degree" : NULL;
    const struct xml_element *qualifier = name && reader_is(arg, name) ? arg : NULL;

    if (qualifier)
        arg = qualifier->next;
    if (!arg || arg->next)
        return wrong_number(s, op, takes[ONE]);
    if (!read_expression(s, arg))
        return false;
    if (qualifier)
        return apply_qualifier(s, qualifier, o->op == OP_LOG10);
    formula_push(s->b, o->op, 1);
    return true;
}

static bool read_apply(const struct scope *s, const struct xml_element *node)
{
    const struct xml_element *op = reader_first(s->r, node), *arg = op ? op->next : NULL;
    const char *names[N_OPERATORS];

    for (size_t i = 0; i < N_OPERATORS; i++) {
        const struct operator* o = & operators[i];

        names[i] = o->name;
        if (!reader_is(op, o->name))
            continue;
        return o->arity == ONE ? apply_one(s, o, op, arg) : apply_operands(s, o, op, arg);
    }
    reader_complain(s->r, op ? op : node, "a model cannot contain <apply> of <%s/>%s",
                    op ? op->name : "", op ? reader_hint(op->name, names, N_OPERATORS).text : "");
    return false;
}

/* ---- choices ---- */

static bool is_mathml(const struct scope *s, const struct xml_element *node)
{
    if (reader_is_in(node, MATHML_NAMESPACE))
        return true;
    reader_complain(s->r, node, "<%s> is not in the namespace of MathML, \"" MATHML_NAMESPACE "\"",
                    node->name);
    return false;
}

const struct xml_element *mathml_piece(struct reader *r, const struct xml_element *node,
                                       const struct xml_element **condition)
{
    const struct xml_element *value = reader_first(r, node);

    *condition = value ? value->next : NULL;
    if (*condition && !(*condition)->next)
        return value;
    reader_complain(r, node,
                    "<piece> must contain a value and the condition under which it is valid");
    return NULL;
}

static bool read_piecewise(const struct scope *s, const struct xml_element *node)
{
    const struct xml_element *piece = reader_first(s->r, node), *value, *condition;
    size_t n = 0;

    for (; piece && reader_is(piece, "piece"); piece = piece->next, n++)
        if (!is_mathml(s, piece) || !(value = mathml_piece(s->r, piece, &condition)) ||
            !read_expression(s, condition) || !read_expression(s, value))
            return false;
    if (!n || (piece && (!reader_is(piece, "otherwise") || piece->next))) {
        reader_complain(
            s->r, node,
            "<piecewise> must contain at least one <piece>, and at most one <otherwise>");
        return false;
    }
    if (piece) {
        value = reader_first(s->r, piece);
        if (!value || value->next) {
            reader_complain(s->r, piece, "<otherwise> must contain one expression");
            return false;
        }
        if (!is_mathml(s, piece) || !read_expression(s, value))
            return false;
    } else {
        formula_push_number(s->b, NAN);
    }
    for (; n; n--)
        formula_push(s->b, OP_SELECT, 3);
    return true;
}

/* Marks the content of <semantics> as kept; skips the annotations, which are for other readers. */
static bool read_semantics(const struct scope *s, const struct xml_element *node)
{
    const struct xml_element *inside = reader_first(s->r, node);

    if (!inside) {
        reader_complain(s->r, node, "<semantics> must contain an expression and its annotations");
        return false;
    }
    if (!read_expression(s, inside))
        return false;
    if (!s->b->status)
        s->b->f->nodes[s->b->f->n_nodes - 1].is_kept = true;
    while ((inside = inside->next))
        if (!reader_is(inside, "annotation") && !reader_is(inside, "annotation-xml")) {
            reader_complain(s->r, inside,
                            "<semantics> can contain only annotations after the expression");
            return false;
        }
    return true;
}

static bool read_expression(const struct scope *s, const struct xml_element *node)
{
    double value = 0;

    if (!is_mathml(s, node))
        return false;
    if (reader_is(node, "cn")) {
        if (!read_cn(s->r, node, &value))
            return false;
        formula_push_number(s->b, value);
        return true;
    }
    if (reader_is(node, "ci"))
        return read_ci(s, node);
    if (reader_is(node, "apply"))
        return read_apply(s, node);
    if (reader_is(node, "piecewise"))
        return read_piecewise(s, node);
    if (reader_is(node, "semantics"))
        return read_semantics(s, node);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (reader_is(node, numbers[i].name)) {
            formula_push_number(s->b, numbers[i].value);
            return true;
        }
    reader_complain(s->r, node,
                    "a model cannot contain <%s>; use apply, ci, cn, piecewise and semantics",
                    node->name);
    return false;
}

struct portolan_formula *mathml_read(struct reader *r, const struct xml_element *expression,
                                     size_t n_params, char *const *params)
{
    struct portolan_formula *f = NULL;
    struct formula_builder b;
    struct scope scope = {r, n_params, params, &b};
    enum portolan_status status = formula_begin(&b);
    bool good;

    if (status) {
        reader_no_memory(r);
        return NULL;
    }
    formula_add_names(&b, n_params, (const char *const *)params);
    good = read_expression(&scope, expression);
    if (good && b.status == PORTOLAN_EINVAL)
        reader_complain(r, expression, "%s", b.why);
    if (b.status == PORTOLAN_ENOMEM)
        reader_no_memory(r);
    if (!good && !b.status)
        b.status = PORTOLAN_ESYNTAX;
    formula_end(&b, &f);
    return f;
}
