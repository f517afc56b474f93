/* SPDX-License-Identifier: BSD-3-Clause */
/* The canonical form: a sum of terms, each a constant times an expression without constants. */
#include "formula_internal.h"

#include <stdlib.h>

struct split {
    const struct portolan_formula *f;
    struct formula_place place;
    struct portolan_formula_sum sum;
    enum portolan_status status;
    size_t first_constant; /* its name is the name of all; SIZE_MAX: none yet */
};

static void out_of_memory(struct split *s)
{
    if (!s->status)
        s->status = portolan_error_set(s->place.err, PORTOLAN_ENOMEM, "no memory for a formula");
}

/* The node below ROOT that comes first in the text. */
static const struct formula_node *leftmost(const struct split *s, size_t root)
{
    const struct formula_node *first = &s->f->nodes[root];

    for (size_t i = first->start, last = root; i < last; i++) {
        const struct formula_node *node = &s->f->nodes[i];

        if (node->line < first->line || (node->line == first->line && node->column < first->column))
            first = node;
    }
    return first;
}

#define COMPLAIN(s, node, ...)                                                                     \
    ((s)->status = (s)->status                                                                     \
                       ? (s)->status                                                               \
                       : formula_complain(&(s)->place, (node)->line, (node)->column, __VA_ARGS__))

static size_t count_constants(const struct portolan_formula *f, size_t root, size_t *last)
{
    size_t n = 0;

    for (size_t i = f->nodes[root].start; i <= root; i++)
        if (f->nodes[i].op == OP_CONSTANT) {
            *last = i;
            n++;
        }
    return n;
}

/* ---- one term ---- */

/* NODE stands between the constant at node C and its sum, and is not a product. */
static void complain_of_place(struct split *s, const struct formula_node *node, size_t c)
{
    const struct formula_node *at = &s->f->nodes[c];
    const char *name = s->f->constants.list[at->name];
    bool sum = node->op == OP_ADD || node->op == OP_SUBTRACT;

    if (sum)
        COMPLAIN(s, at,
                 "%s[%u] is in a sum that is multiplied; multiply it out, so that every term has "
                 "its own constant",
                 name, at->index);
    else if (node->op == OP_DIVIDE)
        COMPLAIN(s, at,
                 "%s[%u] is a divisor; a constant must multiply its term: write %s[%u] / (…)", name,
                 at->index, name, at->index);
    else
        COMPLAIN(s, at,
                 "%s[%u] is inside an expression; a constant must multiply the whole of its term",
                 name, at->index);
}

static struct portolan_formula *expression_of(struct split *s, size_t root, size_t c, bool negative)
{
    struct portolan_formula *expression = NULL;
    struct formula_builder b;
    size_t between = c;

    if (!formula_begin(&b)) {
        formula_add_names(&b, s->f->names.n, (const char *const *)s->f->names.list);
        if (!formula_push_without(&b, s->f, root, c, &between))
            formula_push_number(&b, 1);
        if (between != c)
            complain_of_place(s, &s->f->nodes[between], c);
        if (negative)
            formula_push(&b, OP_NEGATE, 1);
    }
    if (formula_end(&b, &expression))
        out_of_memory(s);
    return expression;
}

static bool constant_is_right(struct split *s, size_t c)
{
    const struct formula_node *node = &s->f->nodes[c], *first;
    const char *name = s->f->constants.list[node->name];

    if (s->first_constant == SIZE_MAX)
        s->first_constant = c;
    first = &s->f->nodes[s->first_constant];
    if (first->name != node->name) {
        COMPLAIN(
            s, node,
            "%s[%u] and %s[%u] have different names; use one name for all constants of a formula",
            name, node->index, s->f->constants.list[first->name], first->index);
        return false;
    }
    for (size_t i = 0; i < s->sum.n_terms; i++)
        if (s->sum.terms[i].index == node->index) {
            COMPLAIN(s, node,
                     "%s[%u] is in two terms; write it once, times the sum of both expressions",
                     name, node->index);
            return false;
        }
    return true;
}

static void add_term(struct split *s, size_t root, bool negative)
{
    struct portolan_formula_term *more, term = {0};
    size_t c = 0, n = count_constants(s->f, root, &c);

    if (s->status)
        return;
    if (n != 1) {
        if (n)
            COMPLAIN(s, &s->f->nodes[c], "this term has %zu constants; a term must have one", n);
        else
            COMPLAIN(s, leftmost(s, root),
                     "this term has no constant; a formula must be a sum of constants times "
                     "expressions, as in c[0] + c[1]*N");
        return;
    }
    if (!constant_is_right(s, c))
        return;
    term.index = s->f->nodes[c].index;
    term.expression = expression_of(s, root, c, negative);
    more = portolan_reallocarray(s->sum.terms, s->sum.n_terms + 1, sizeof *more);
    if (more)
        s->sum.terms = more;
    if (s->status || !more || !term.expression) {
        portolan_formula_destroy(term.expression);
        out_of_memory(s);
        return;
    }
    s->sum.terms[s->sum.n_terms++] = term;
}

/* ---- the sum ---- */

static void split_sum(struct split *s, size_t root, bool negative)
{
    size_t arg[2];

    switch ((enum formula_op)s->f->nodes[root].op) {
    case OP_ADD:
    case OP_SUBTRACT:
        formula_arguments(s->f, root, arg, 2);
        split_sum(s, arg[0], negative);
        split_sum(s, arg[1], negative != (s->f->nodes[root].op == OP_SUBTRACT));
        return;
    case OP_NEGATE:
        split_sum(s, root - 1, !negative);
        return;
    default:
        add_term(s, root, negative);
    }
}

/* Constants are numbered 0 … n-1: a gap would be a constant without a term. */
static void check_numbers(struct split *s)
{
    for (size_t k = 0; k < s->sum.n_terms && !s->status; k++) {
        size_t i = 0;

        while (i < s->sum.n_terms && s->sum.terms[i].index != k)
            i++;
        if (i == s->sum.n_terms)
            COMPLAIN(s, &s->f->nodes[s->first_constant],
                     "%s[%zu] is missing; number the constants of %zu terms from 0 to %zu",
                     s->sum.constants, k, s->sum.n_terms, s->sum.n_terms - 1);
    }
}

enum portolan_status portolan_formula_split(const struct portolan_formula *f, const char *file,
                                            int line, int column,
                                            struct portolan_diagnostics *diagnostics,
                                            struct portolan_formula_sum *sum,
                                            struct portolan_error *err)
{
    struct split s = {
        .f = f, .place = {file, line, column, diagnostics, err}, .first_constant = SIZE_MAX};

    split_sum(&s, f->n_nodes - 1, false);
    if (!s.status) {
        s.sum.constants = portolan_strdup(f->constants.list[f->nodes[s.first_constant].name]);
        if (!s.sum.constants)
            out_of_memory(&s);
    }
    check_numbers(&s);
    if (s.status) {
        portolan_formula_sum_clear(&s.sum);
        return s.status;
    }
    *sum = s.sum;
    return PORTOLAN_OK;
}

void portolan_formula_sum_clear(struct portolan_formula_sum *sum)
{
    for (size_t i = 0; i < sum->n_terms; i++)
        portolan_formula_destroy(sum->terms[i].expression);
    free(sum->terms);
    free(sum->constants);
    *sum = (struct portolan_formula_sum){0};
}
