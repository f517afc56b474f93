/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas: built bottom up, bound to names, evaluated. */
#include "formula_internal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static size_t names_find(const struct formula_names *names, const char *name, size_t length)
{
    size_t i = 0;

    while (i < names->n &&
           (strncmp(names->list[i], name, length) != 0 || names->list[i][length] != '\0'))
        i++;
    return i;
}

static void fail_build(struct formula_builder *b, enum portolan_status status, const char *why)
{
    if (!b->status) {
        b->status = status;
        b->why = why;
    }
}

static unsigned names_add(struct formula_builder *b, struct formula_names *names, const char *name,
                          size_t length)
{
    size_t at = names_find(names, name, length);
    char **list, *copy;

    if (b->status || at < names->n)
        return (unsigned)at;
    if (names->n == PORTOLAN_FORMULA_MAX_NAMES) {
        fail_build(b, PORTOLAN_EINVAL, "a formula can have at most 64 different names");
        return 0;
    }
    list = portolan_arena_grow(&b->f->memory, names->list, at, sizeof *list);
    copy = portolan_arena_strndup(&b->f->memory, name, length);
    if (!list || !copy) {
        fail_build(b, PORTOLAN_ENOMEM, "no memory for a formula");
        return 0;
    }
    names->list = list;
    list[names->n++] = copy;
    return (unsigned)at;
}

/* ---- building ---- */

enum portolan_status formula_begin(struct formula_builder *b)
{
    b->line = b->column = 0;
    b->why = NULL;
    b->f = portolan_calloc(1, sizeof *b->f);
    b->status = b->f ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    return b->status;
}

static struct formula_node *add_node(struct formula_builder *b, enum formula_op op)
{
    struct portolan_formula *f = b->f;
    struct formula_node *node;

    if (!b->status && f->n_nodes == PORTOLAN_FORMULA_MAX_NODES)
        fail_build(b, PORTOLAN_EINVAL,
                   "a formula can have at most 4096 numbers, names and operations");
    if (b->status)
        return NULL;
    node = portolan_arena_grow(&f->memory, f->nodes, f->n_nodes, sizeof *node);
    if (!node) {
        fail_build(b, PORTOLAN_ENOMEM, "no memory for a formula");
        return NULL;
    }
    f->nodes = node;
    node += f->n_nodes;
    *node = (struct formula_node){.op = (unsigned char)op,
                                  .start = (unsigned)f->n_nodes,
                                  .line = b->line,
                                  .column = b->column};
    b->stack[f->n_nodes] = b->height[f->n_nodes] = 1;
    f->n_nodes++;
    return node;
}

void formula_push_number(struct formula_builder *b, double number)
{
    struct formula_node *node = add_node(b, OP_NUMBER);

    if (node)
        node->number = number;
}

void formula_push_name(struct formula_builder *b, const char *name, size_t length)
{
    unsigned at = b->status ? 0 : names_add(b, &b->f->names, name, length);
    struct formula_node *node = add_node(b, OP_NAME);

    if (node)
        node->name = at;
}

void formula_push_constant(struct formula_builder *b, const char *name, size_t length,
                           unsigned index)
{
    unsigned at = b->status ? 0 : names_add(b, &b->f->constants, name, length);
    struct formula_node *node = add_node(b, OP_CONSTANT);

    if (node) {
        node->name = at;
        node->index = index;
    }
}

void formula_push(struct formula_builder *b, enum formula_op op, size_t n_args)
{
    struct formula_node *node, *last;
    size_t root, arg;
    unsigned stack = 0, height = 0;

    if (!b->status && op == OP_NEGATE) {
        last = &b->f->nodes[b->f->n_nodes - 1];
        if (last->op == OP_NUMBER) {
            last->number = -last->number;
            return;
        }
    }
    if (!(node = add_node(b, op)))
        return;
    node->n_args = (unsigned short)n_args;
    for (root = b->f->n_nodes - 1, arg = n_args; arg-- > 0;) {
        root = (arg + 1 == n_args ? b->f->n_nodes - 1 : node->start) - 1;
        node->start = b->f->nodes[root].start;
        if (b->stack[root] + arg > stack)
            stack = b->stack[root] + (unsigned)arg;
        if (b->height[root] > height)
            height = b->height[root];
    }
    /* In MathML, choices and logarithms with a base add two levels of elements. */
    height += op == OP_SELECT || op == OP_LOG_BASE ? 2 : 1;
    if (stack > FORMULA_STACK || height > FORMULA_HEIGHT)
        fail_build(b, PORTOLAN_EINVAL, "the operations are nested too deeply");
    b->stack[b->f->n_nodes - 1] = (unsigned short)stack;
    b->height[b->f->n_nodes - 1] = (unsigned short)height;
}

void formula_push_log(struct formula_builder *b)
{
    struct formula_node *base = b->status ? NULL : &b->f->nodes[b->f->n_nodes - 1];
    bool known = base && base->op == OP_NUMBER && (base->number == 2 || base->number == 10);

    if (!known) {
        formula_push(b, OP_LOG_BASE, 2);
        return;
    }
    b->f->n_nodes--;
    formula_push(b, base->number == 2 ? OP_LOG2 : OP_LOG10, 1);
}

void formula_push_tree(struct formula_builder *b, const struct portolan_formula *f, size_t root)
{
    unsigned line = b->line, column = b->column;

    for (size_t i = f->nodes[root].start; i <= root; i++) {
        const struct formula_node *node = &f->nodes[i];
        const char *name;

        b->line = node->line;
        b->column = node->column;
        if (node->op == OP_NUMBER) {
            formula_push_number(b, node->number);
        } else if (node->op == OP_NAME) {
            name = f->names.list[node->name];
            formula_push_name(b, name, strlen(name));
        } else if (node->op == OP_CONSTANT) {
            name = f->constants.list[node->name];
            formula_push_constant(b, name, strlen(name), node->index);
        } else {
            formula_push(b, (enum formula_op)node->op, node->n_args);
        }
    }
    b->line = line;
    b->column = column;
}

bool formula_push_without(struct formula_builder *b, const struct portolan_formula *f, size_t root,
                          size_t c, size_t *between)
{
    const struct formula_node *node = &f->nodes[root];
    enum formula_op op = (enum formula_op)node->op;
    size_t arg[2] = {0, 0};
    bool left, some;

    if (root == c)
        return false;
    formula_arguments(f, root, arg, 2);
    left = c <= arg[0];
    b->line = node->line;
    b->column = node->column;
    if (op != OP_NEGATE && op != OP_MULTIPLY && (op != OP_DIVIDE || !left)) {
        *between = root;
        formula_push_number(b, 1);
        return true;
    }
    if (op == OP_MULTIPLY && !left)
        formula_push_tree(b, f, arg[0]);
    some = formula_push_without(b, f, arg[!left], c, between);
    if (!some && op != OP_MULTIPLY)
        formula_push_number(b, 1);
    if (op != OP_NEGATE && left)
        formula_push_tree(b, f, arg[1]);
    if (some || op != OP_MULTIPLY)
        formula_push(b, op, op == OP_NEGATE ? 1 : 2);
    return true;
}

void formula_add_names(struct formula_builder *b, size_t n, const char *const *names)
{
    for (size_t i = 0; i < n; i++)
        if (!b->status)
            names_add(b, &b->f->names, names[i], strlen(names[i]));
}

enum portolan_status formula_end(struct formula_builder *b, struct portolan_formula **formula)
{
    if (b->status)
        portolan_formula_destroy(b->f);
    else
        *formula = b->f;
    b->f = NULL;
    return b->status;
}

void portolan_formula_destroy(struct portolan_formula *f)
{
    if (!f)
        return;
    portolan_arena_clear(&f->memory);
    free(f);
}

/* ---- questions ---- */

size_t portolan_formula_n_names(const struct portolan_formula *f)
{
    return f->names.n;
}

const char *portolan_formula_peek_name(const struct portolan_formula *f, size_t i)
{
    return i < f->names.n ? f->names.list[i] : NULL;
}

bool portolan_formula_has_constants(const struct portolan_formula *f)
{
    return f->constants.n > 0;
}

void formula_arguments(const struct portolan_formula *f, size_t i, size_t *roots, size_t most)
{
    size_t root = i - 1;

    for (size_t arg = f->nodes[i].n_args; arg-- > 0; root = f->nodes[root].start - 1)
        if (arg < most)
            roots[arg] = root;
}

static bool node_equal(const struct portolan_formula *f, const struct formula_node *a,
                       const struct portolan_formula *g, const struct formula_node *b)
{
    if (a->op != b->op || a->n_args != b->n_args)
        return false;
    if (a->op == OP_NUMBER)
        return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    if (a->op == OP_NAME)
        return strcmp(f->names.list[a->name], g->names.list[b->name]) == 0;
    return a->op != OP_CONSTANT ||
           (a->index == b->index &&
            strcmp(f->constants.list[a->name], g->constants.list[b->name]) == 0);
}

bool formula_equal(const struct portolan_formula *a, const struct portolan_formula *b)
{
    if (a->n_nodes != b->n_nodes)
        return false;
    for (size_t i = 0; i < a->n_nodes; i++)
        if (!node_equal(a, &a->nodes[i], b, &b->nodes[i]))
            return false;
    return true;
}

/* ---- binding ---- */

static enum portolan_status check_names(const struct portolan_formula *f, size_t n,
                                        const char *const *names, struct portolan_error *err)
{
    if (n > PORTOLAN_FORMULA_MAX_NAMES)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a formula can have at most %d names",
                                  (int)PORTOLAN_FORMULA_MAX_NAMES);
    for (size_t i = 0; i < n; i++) {
        if (!names[i] || !*names[i])
            return portolan_error_set(err, PORTOLAN_EINVAL, "name %zu is missing", i + 1);
        for (size_t j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return portolan_error_set(err, PORTOLAN_EINVAL, "\"%s\" is named twice", names[i]);
    }
    for (size_t i = 0; i < f->names.n; i++) {
        size_t j = 0;

        while (j < n && strcmp(names[j], f->names.list[i]) != 0)
            j++;
        if (j < n)
            continue;
        return portolan_error_set(
            err, PORTOLAN_ENOTFOUND, "unknown name \"%s\"%s", f->names.list[i],
            portolan_did_you_mean(portolan_nearest_word(f->names.list[i], names, n)).text);
    }
    return PORTOLAN_OK;
}

enum portolan_status portolan_formula_bind(const struct portolan_formula *f, size_t n,
                                           const char *const *names,
                                           struct portolan_formula **bound,
                                           struct portolan_error *err)
{
    struct formula_builder b;
    enum portolan_status status = check_names(f, n, names, err);

    if (status)
        return status;
    if (!formula_begin(&b)) {
        formula_add_names(&b, n, names);
        formula_push_tree(&b, f, f->n_nodes - 1);
    }
    status = formula_end(&b, bound);
    return status ? portolan_error_set(err, status, "no memory for a formula") : PORTOLAN_OK;
}

/* ---- evaluation ---- */

/* Multiplies and divides like the code that compilers make of pow(x, 2) and pow(x, -1). */
static inline double power(double x, double exponent)
{
    return exponent == 2 ? x * x : exponent == -1 ? 1 / x : pow(x, exponent);
}

/* Ignores NaN if there is a number, like C's fmin and fmax. */
static inline double extreme(const struct formula_node *node, const double *arg)
{
    double value = arg[0];

    for (size_t i = 1; i < node->n_args; i++)
        value = node->op == OP_MIN ? fmin(value, arg[i]) : fmax(value, arg[i]);
    return value;
}

static inline double operate_on(const struct formula_node *node, const double *a)
{
    switch ((enum formula_op)node->op) {
    case OP_NEGATE:
        return -a[0];
    case OP_NOT:
        return a[0] == 0;
    case OP_ADD:
        return a[0] + a[1];
    case OP_SUBTRACT:
        return a[0] - a[1];
    case OP_MULTIPLY:
        return a[0] * a[1];
    case OP_DIVIDE:
        return a[0] / a[1];
    case OP_POWER:
        return power(a[0], a[1]);
    case OP_LOG:
        return log(a[0]);
    case OP_LOG2:
        return log2(a[0]);
    case OP_LOG10:
        return log10(a[0]);
    case OP_LOG_BASE:
        return log(a[0]) / log(a[1]);
    case OP_EXP:
        return exp(a[0]);
    case OP_SQRT:
        return sqrt(a[0]);
    case OP_CBRT:
        return cbrt(a[0]);
    case OP_ABS:
        return fabs(a[0]);
    case OP_FLOOR:
        return floor(a[0]);
    case OP_CEIL:
        return ceil(a[0]);
    case OP_MIN:
    case OP_MAX:
        return extreme(node, a);
    case OP_LESS:
        return a[0] < a[1];
    case OP_LESS_EQUAL:
        return a[0] <= a[1];
    case OP_GREATER:
        return a[0] > a[1];
    case OP_GREATER_EQUAL:
        return a[0] >= a[1];
    case OP_EQUAL:
        return a[0] == a[1];
    case OP_NOT_EQUAL:
        return a[0] != a[1];
    case OP_AND:
        return a[0] != 0 && a[1] != 0;
    case OP_OR:
        return a[0] != 0 || a[1] != 0;
    case OP_SELECT:
        return a[0] != 0 ? a[1] : a[2];
    case OP_NUMBER:
    case OP_NAME:
    case OP_CONSTANT:
    case N_FORMULA_OPS:
        break;
    }
    return NAN;
}

double portolan_formula_value(const struct portolan_formula *f, const double *x)
{
    double stack[FORMULA_STACK + 1], *top = stack;

    for (const struct formula_node *node = f->nodes, *end = node + f->n_nodes; node < end; node++) {
        if (node->op == OP_NUMBER) {
            *top++ = node->number;
        } else if (node->op == OP_NAME) {
            *top++ = x[node->name];
        } else if (node->op == OP_CONSTANT) {
            *top++ = NAN;
        } else {
            top -= node->n_args;
            *top = operate_on(node, top);
            top++;
        }
    }
    return stack[0];
}

/* ---- complaints ---- */

enum portolan_status formula_complain(const struct formula_place *place, unsigned line,
                                      unsigned column, const char *format, ...)
{
    long long at_line = (long long)place->line + line;
    long long at_column = (line ? 1LL : (long long)place->column) + column;
    const char *file = place->file ? place->file : "formula";
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    at_line = at_line > INT_MAX ? INT_MAX : at_line;
    at_column = at_column > INT_MAX ? INT_MAX : at_column;
    portolan_diagnose(place->diagnostics, file, (int)at_line, (int)at_column, "%s", text);
    return portolan_error_set(place->err, PORTOLAN_ESYNTAX, "%s:%lld:%lld: %s", file, at_line,
                              at_column, text);
}
