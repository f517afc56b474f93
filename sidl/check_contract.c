/* SPDX-License-Identifier: BSD-3-Clause */
/* Contracts: that the names in them mean something, and stand where they may. */
#include "model.h"

#include <string.h>

struct context {
    const struct portolan_sidl_symbol *of;
    const struct portolan_sidl_method *method; /* NULL: an invariant */
    bool after;                                /* an ensure clause */
    struct portolan_diagnostics *d;
};

static const char *const functions[] = {
    "all",   "any",    "none", "count", "dimen", "lower",     "upper",   "stride",  "size",
    "range", "irange", "min",  "max",   "sum",   "nearEqual", "nonDecr", "nonIncr",
};

static bool is_method(const struct portolan_sidl_symbol *s, const char *name)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (strcmp(s->slots[i]->name, name) == 0 || strcmp(s->slots[i]->slot_name, name) == 0)
            return true;
    for (size_t i = 0; i < s->n_methods; i++) /* static ones have no slot */
        if (strcmp(s->methods[i]->name, name) == 0)
            return true;
    return false;
}

static void check_call(const struct context *c, const struct portolan_sidl_expr *e)
{
    const size_t n = sizeof functions / sizeof *functions;
    const char *nearest;

    for (size_t i = 0; i < n; i++)
        if (strcmp(functions[i], e->text) == 0)
            return;
    if (is_method(c->of, e->text))
        return;
    nearest = portolan_nearest_word(e->text, functions, n);
    diagnose_at(c->d, &e->place, "unknown function %s%s%s%s", e->text,
                nearest ? ", did you mean " : ", it is no method of ",
                nearest ? nearest : c->of->name, nearest ? "?" : "");
}

static const struct portolan_sidl_argument *argument(const struct context *c, const char *name)
{
    for (size_t i = 0; c->method && i < c->method->n_arguments; i++)
        if (strcmp(c->method->arguments[i].name, name) == 0)
            return &c->method->arguments[i];
    return NULL;
}

static void check_name(const struct context *c, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_argument *a = argument(c, e->text);

    if (!c->method)
        diagnose_at(c->d, &e->place, "%s in an invariant, which can only call methods", e->text);
    else if (!a)
        diagnose_at(c->d, &e->place, "%s is no argument of %s", e->text, c->method->name);
    else if (!c->after && a->mode == PORTOLAN_SIDL_OUT)
        diagnose_at(c->d, &e->place, "%s is an out argument and has no value before the call",
                    e->text);
}

/* Strings cannot be compared with null. */
static void check_null(const struct context *c, const struct portolan_sidl_expr *e)
{
    for (size_t i = 0; e->op == PORTOLAN_SIDL_OP_BINARY && i < 2; i++) {
        const struct portolan_sidl_expr *name = e->operands[i], *null = e->operands[1 - i];
        const struct portolan_sidl_argument *a =
            name->op == PORTOLAN_SIDL_OP_NAME ? argument(c, name->text) : NULL;

        if (a && a->type->kind == PORTOLAN_SIDL_STRING && null->op == PORTOLAN_SIDL_OP_NULL)
            diagnose_at(c->d, &e->place, "string %s cannot be compared with null, use \"\"",
                        name->text);
    }
}

static void check_expression(const struct context *c, const struct portolan_sidl_expr *e)
{
    if (e->op == PORTOLAN_SIDL_OP_CALL)
        check_call(c, e);
    else if (e->op == PORTOLAN_SIDL_OP_NAME)
        check_name(c, e);
    else if (e->op == PORTOLAN_SIDL_OP_RESULT && (!c->after || !c->method))
        diagnose_at(c->d, &e->place, "result has a value in ensure clauses only");
    check_null(c, e);
    for (size_t i = 0; i < e->n_operands; i++)
        check_expression(c, e->operands[i]);
}

void check_invariants(const struct portolan_sidl_symbol *of, struct portolan_diagnostics *d)
{
    const struct context c = {.of = of, .d = d};

    for (size_t i = 0; i < of->n_invariants; i++)
        check_expression(&c, of->invariants[i].condition);
}

void check_contract(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    struct context c = {.of = m->owner, .method = m, .d = d};

    for (size_t i = 0; i < m->n_requires; i++)
        check_expression(&c, m->requires[i].condition);
    c.after = true;
    for (size_t i = 0; i < m->n_ensures; i++)
        check_expression(&c, m->ensures[i].condition);
}
