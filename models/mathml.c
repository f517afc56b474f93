/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Content MathML to a sum of terms. Whatever amounts to constants times powers and logarithms of
 * the parameters is read, however it is put: quotients, roots, differences, other logarithms.
 */
#include "xml_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an expression is read with. */
struct scope {
    struct reader *r;
    size_t n_params;
    char *const *params;
};

static bool read_sum(const struct scope *s, const xmlNode *node, struct sum *sum);

static bool is_named(const xmlNode *node, const char *name)
{
    return node && strcmp((const char *)node->name, name) == 0;
}

static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t\r\n");
    length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* The text of the children from NODE up to the next element, in front of SIZE bytes of TEXT. */
static const xmlNode *gather(const xmlNode *node, char *text, size_t size, bool *fits)
{
    size_t length = 0;

    text[0] = '\0';
    for (; node && node->type != XML_ELEMENT_NODE; node = node->next) {
        size_t more;

        if (node->type != XML_TEXT_NODE && node->type != XML_CDATA_SECTION_NODE)
            continue;
        more = node->content ? strlen((const char *)node->content) : 0;
        if (length + more + 1 > size) {
            *fits = false;
            continue;
        }
        memcpy(text + length, node->content, more);
        text[length += more] = '\0';
    }
    return node;
}

char *mathml_text(struct reader *r, const xmlNode *node)
{
    enum { LONGEST = 256 };
    char text[LONGEST], *copy;
    bool fits = true;

    if (gather(node->children, text, sizeof text, &fits)) {
        reader_complain(r, node, "<%s> holds text only", (const char *)node->name);
        return NULL;
    }
    if (!fits || !*trim(text)) {
        reader_complain(r, node, "the text of <%s> is %s", (const char *)node->name,
                        fits ? "missing" : "too long");
        return NULL;
    }
    copy = portolan_strdup(trim(text));
    if (!copy)
        reader_no_memory(r);
    return copy;
}

/* ---- numbers ---- */

static bool parts_to_number(const char *type, char *first, char *second, double *value)
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

static bool read_cn(struct reader *r, const xmlNode *node, double *value)
{
    static const char *const types[] = {"real", "integer", "e-notation", "rational"};
    char first[NUMBER_TEXT], second[NUMBER_TEXT] = "", *type;
    bool fits = true, known = false, good;
    const xmlNode *sep;

    type = (char *)xmlGetNoNsProp(node, (const xmlChar *)"type");
    for (size_t i = 0; i < 4; i++)
        known = known || !type || strcmp(type, types[i]) == 0;
    if (!known || xmlHasProp(node, (const xmlChar *)"base")) {
        reader_complain(r, node, "<cn> is of type real, integer, e-notation or rational, decimal");
        xmlFree(type);
        return false;
    }
    sep = gather(node->children, first, sizeof first, &fits);
    if (is_named(sep, "sep"))
        sep = gather(sep->next, second, sizeof second, &fits);
    good = fits && !sep && parts_to_number(type ? type : "real", trim(first), trim(second), value);
    if (!good)
        reader_complain(r, node, "\"%s\" is not a number of type %s", trim(first),
                        type ? type : "real");
    xmlFree(type);
    return good;
}

/* ---- terms ---- */

static bool one_term(const struct scope *s, const xmlNode *node, struct sum *sum)
{
    if (!read_sum(s, node, sum))
        return false;
    if (sum->n == 1)
        return true;
    reader_complain(s->r, node, "a sum cannot stand here; a model is a sum of products");
    return false;
}

static bool append(const struct scope *s, const xmlNode *node, struct sum *to,
                   const struct sum *from, double factor)
{
    if (to->n + from->n > MODEL_TERMS) {
        reader_complain(s->r, node, "a model has at most %d terms", (int)MODEL_TERMS);
        return false;
    }
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

static bool no_term(const struct scope *s, const xmlNode *node)
{
    reader_complain(s->r, node,
                    "this is no constant times powers and whole powers of logarithms (up to %d)",
                    (int)PORTOLAN_MODEL_MAX_LOG);
    return false;
}

static bool read_ci(const struct scope *s, const xmlNode *node, struct sum *sum)
{
    char *name = mathml_text(s->r, node);
    const char *nearest;

    if (!name)
        return false;
    sum->n = 1;
    sum->term[0] = (struct portolan_model_term){.constant = 1};
    for (size_t p = 0; p < s->n_params; p++)
        if (strcmp(name, s->params[p]) == 0) {
            sum->term[0].shape.exponents[p] = 1;
            free(name);
            return true;
        }
    nearest = portolan_nearest_word(name, (const char *const *)s->params, s->n_params);
    reader_complain(s->r, node, "\"%s\" is no parameter of this model%s%s%s", name,
                    nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                    nearest ? "\"?" : "");
    free(name);
    return false;
}

/* ---- operators: ARG is the first argument ---- */

static bool apply_plus(const struct scope *s, const xmlNode *arg, struct sum *sum)
{
    struct sum part;

    for (sum->n = 0; arg; arg = reader_next(s->r, arg))
        if (!read_sum(s, arg, &part) || !append(s, arg, sum, &part, 1))
            return false;
    return true;
}

static bool apply_minus(const struct scope *s, const xmlNode *arg, struct sum *sum)
{
    const xmlNode *second = arg ? reader_next(s->r, arg) : NULL;
    struct sum part;

    if (!arg || (second && reader_next(s->r, second))) {
        reader_complain(s->r, arg ? arg->parent : NULL, "<minus/> takes one argument or two");
        return false;
    }
    sum->n = 0;
    if (!read_sum(s, arg, &part) || !append(s, arg, sum, &part, second ? 1 : -1))
        return false;
    return !second || (read_sum(s, second, &part) && append(s, second, sum, &part, -1));
}

static bool apply_times(const struct scope *s, const xmlNode *arg, struct sum *sum)
{
    struct sum part, product;

    *sum = (struct sum){.n = 1, .term[0].constant = 1};
    for (; arg; arg = reader_next(s->r, arg)) {
        if (!read_sum(s, arg, &part))
            return false;
        product.n = 0;
        for (size_t i = 0; i < sum->n; i++)
            for (size_t j = 0; j < part.n; j++) {
                struct sum term = {.n = 1, .term[0] = sum->term[i]};

                if (!multiply(s, &term.term[0], &part.term[j], 1))
                    return no_term(s, arg);
                if (!append(s, arg, &product, &term, 1))
                    return false;
            }
        *sum = product;
    }
    return true;
}

static bool raise(const struct scope *s, const xmlNode *node, struct sum *sum, double power)
{
    struct portolan_model_term base = sum->term[0];

    sum->term[0] = (struct portolan_model_term){.constant = 1};
    return multiply(s, &sum->term[0], &base, power) || no_term(s, node);
}

static bool two_arguments(const struct scope *s, const xmlNode *op, const xmlNode *arg,
                          const xmlNode **second)
{
    *second = arg ? reader_next(s->r, arg) : NULL;
    if (*second && !reader_next(s->r, *second))
        return true;
    reader_complain(s->r, op, "<%s/> takes two arguments", (const char *)op->name);
    return false;
}

static bool apply_divide(const struct scope *s, const xmlNode *op, const xmlNode *arg,
                         struct sum *sum)
{
    const xmlNode *second;
    struct sum divisor;

    if (!two_arguments(s, op, arg, &second) || !read_sum(s, arg, sum) ||
        !one_term(s, second, &divisor))
        return false;
    for (size_t j = 0; j < sum->n; j++)
        if (!multiply(s, &sum->term[j], &divisor.term[0], -1))
            return no_term(s, second);
    return true;
}

static bool apply_power(const struct scope *s, const xmlNode *op, const xmlNode *arg,
                        struct sum *sum)
{
    const xmlNode *second;
    struct sum power;

    if (!two_arguments(s, op, arg, &second) || !one_term(s, arg, sum) ||
        !one_term(s, second, &power))
        return false;
    if (!shape_is_constant(&power.term[0].shape, s->n_params))
        return no_term(s, second);
    return raise(s, arg, sum, power.term[0].constant);
}

/* A qualifier such as <logbase> or <degree>: its number, and ARG moved behind it. */
static bool qualifier(const struct scope *s, const char *name, const xmlNode **arg, double *value)
{
    const xmlNode *inside;
    struct sum number;

    if (!is_named(*arg, name))
        return true;
    inside = reader_first(s->r, *arg);
    if (!inside || !one_term(s, inside, &number) || reader_next(s->r, inside) ||
        !shape_is_constant(&number.term[0].shape, s->n_params) || !(number.term[0].constant > 0)) {
        reader_complain(s->r, *arg, "<%s> holds one positive number", name);
        return false;
    }
    *value = number.term[0].constant;
    *arg = reader_next(s->r, *arg);
    return true;
}

static bool apply_root(const struct scope *s, const xmlNode *op, const xmlNode *arg,
                       struct sum *sum)
{
    double degree = 2;

    if (!qualifier(s, "degree", &arg, &degree))
        return false;
    if (!arg || reader_next(s->r, arg)) {
        reader_complain(s->r, op, "<root/> takes one argument");
        return false;
    }
    return one_term(s, arg, sum) && raise(s, arg, sum, 1 / degree);
}

/* All logarithms become those to base 2: MathML's own default is 10, that of <ln/> is e. */
static bool apply_log(const struct scope *s, const xmlNode *op, const xmlNode *arg, double base,
                      struct sum *sum)
{
    struct portolan_model_shape bare = {.logs = {0}};

    if (is_named(op, "log") && !qualifier(s, "logbase", &arg, &base))
        return false;
    if (!arg || reader_next(s->r, arg) || base == 1) {
        reader_complain(s->r, op, "<%s/> takes one argument", (const char *)op->name);
        return false;
    }
    if (!one_term(s, arg, sum))
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
    reader_complain(s->r, arg, "a model takes logarithms of bare parameters only");
    return false;
}

static bool read_apply(const struct scope *s, const xmlNode *node, struct sum *sum)
{
    static const char *const known[] = {"plus",  "minus", "times", "divide",
                                        "power", "root",  "log",   "ln"};
    const xmlNode *op = reader_first(s->r, node), *arg = op ? reader_next(s->r, op) : NULL;
    const char *nearest;

    if (is_named(op, "plus"))
        return apply_plus(s, arg, sum);
    if (is_named(op, "minus"))
        return apply_minus(s, arg, sum);
    if (is_named(op, "times"))
        return apply_times(s, arg, sum);
    if (is_named(op, "divide"))
        return apply_divide(s, op, arg, sum);
    if (is_named(op, "power"))
        return apply_power(s, op, arg, sum);
    if (is_named(op, "root"))
        return apply_root(s, op, arg, sum);
    if (is_named(op, "log") || is_named(op, "ln"))
        return apply_log(s, op, arg, is_named(op, "ln") ? exp(1) : 10, sum);
    nearest = op ? portolan_nearest_word((const char *)op->name, known, 8) : NULL;
    reader_complain(s->r, op ? op : node, "<apply> of <%s/> is nothing a model can hold%s%s%s",
                    op ? (const char *)op->name : "", nearest ? "; did you mean <" : "",
                    nearest ? nearest : "", nearest ? "/>?" : "");
    return false;
}

static bool read_sum(const struct scope *s, const xmlNode *node, struct sum *sum)
{
    if (!node->ns || strcmp((const char *)node->ns->href, MATHML_NAMESPACE) != 0) {
        reader_complain(s->r, node, "<%s> is not in MathML's namespace \"" MATHML_NAMESPACE "\"",
                        (const char *)node->name);
        return false;
    }
    if (is_named(node, "cn")) {
        *sum = (struct sum){.n = 1};
        return read_cn(s->r, node, &sum->term[0].constant);
    }
    if (is_named(node, "ci"))
        return read_ci(s, node, sum);
    if (is_named(node, "apply"))
        return read_apply(s, node, sum);
    reader_complain(s->r, node, "<%s> is nothing a model can hold; apply, ci and cn are",
                    (const char *)node->name);
    return false;
}

bool mathml_read(struct reader *r, const xmlNode *expression, size_t n_params, char *const *params,
                 struct sum *sum)
{
    struct scope scope = {r, n_params, params};

    return read_sum(&scope, expression, sum);
}
