/* SPDX-License-Identifier: BSD-3-Clause */
/* Contracts: that the names in them mean something, stand where they may, and fit together. */
#include "contract.h"

#include <string.h>

static bool is_method(const struct portolan_sidl_symbol *s, const char *name)
{
    for (size_t i = 0; i < s->n_slots; i++)
        if (strcmp(s->slots[i]->name, name) == 0 || strcmp(s->slots[i]->slot_name, name) == 0)
            return true;
    for (size_t i = 0; i < s->n_methods; i++) /* static ones have no slot */
        if (strcmp(s->methods[i]->name, name) == 0 || strcmp(s->methods[i]->slot_name, name) == 0)
            return true;
    return s->kind == PORTOLAN_SIDL_CLASS && s->n_extends && s->extends[0]->symbol &&
           is_method(s->extends[0]->symbol, name);
}

static void check_call(const struct contract_scope *c, const struct portolan_sidl_expr *e)
{
    const char *nearest;

    if (contract_builtin(e->text) || contract_method(c, e))
        return;
    nearest = contract_builtin_nearest(e->text);
    if (is_method(c->of, e->text))
        diagnose_at(c->d, &e->place, "no method %s takes %zu argument%s", e->text, e->n_operands,
                    e->n_operands == 1 ? "" : "s");
    else if (!c->of->own.is_broken)
        diagnose_at(c->d, &e->place, "unknown function %s%s%s%s", e->text,
                    nearest ? ", did you mean " : ", it is no method of ",
                    nearest ? nearest : c->of->name, nearest ? "?" : "");
}

static void check_name(const struct contract_scope *c, const struct portolan_sidl_expr *e)
{
    const struct portolan_sidl_argument *a = contract_argument(c, e->text);
    const char *dot = strchr(e->text, '.');

    if (!c->method)
        diagnose_at(c->d, &e->place, "%s in an invariant, which can only call methods", e->text);
    else if (!a)
        diagnose_at(c->d, &e->place, "%s is no argument of %s", e->text, c->method->name);
    else if (!c->after && a->mode == PORTOLAN_SIDL_OUT)
        diagnose_at(c->d, &e->place, "%s is an out argument and has no value before the call",
                    a->name);
    else if (dot && a->type->kind != PORTOLAN_SIDL_STRUCT)
        diagnose_at(c->d, &e->place, "%s is no struct and has no field %s", a->name, dot + 1);
    else if (dot && !contract_field(c, e->text))
        diagnose_at(c->d, &e->place, "struct %s has no field %s", a->type->symbol->full_name,
                    dot + 1);
}

static void check_names(const struct contract_scope *c, const struct portolan_sidl_expr *e)
{
    if (e->op == PORTOLAN_SIDL_OP_CALL)
        check_call(c, e);
    else if (e->op == PORTOLAN_SIDL_OP_NAME)
        check_name(c, e);
    else if (e->op == PORTOLAN_SIDL_OP_RESULT && (!c->after || !c->method))
        diagnose_at(c->d, &e->place, "result has a value in ensure clauses only");
    else if (e->op == PORTOLAN_SIDL_OP_PURE)
        diagnose_at(c->d, &e->place,
                    "'is pure' says something about the method and is a clause of "
                    "its own");
    for (size_t i = 0; i < e->n_operands; i++)
        check_names(c, e->operands[i]);
}

static void check_clause(const struct contract_scope *c, const struct portolan_sidl_clause *clause)
{
    const struct portolan_sidl_expr *e = clause->condition;
    struct contract_value v;

    if (contract_is_annotation(e))
        return;
    check_names(c, e);
    v = contract_type(c, e);
    if (v.kind != CONTRACT_BOOL && v.kind != CONTRACT_UNKNOWN)
        diagnose_at(c->d, &e->place, "a clause is a condition, this is %s",
                    contract_kind_text(v.kind));
}

void check_invariants(const struct portolan_sidl_symbol *of, struct portolan_diagnostics *d)
{
    const struct contract_scope c = {.of = of, .d = d};

    for (size_t i = 0; i < of->n_invariants; i++)
        check_clause(&c, &of->invariants[i]);
}

void check_contract(const struct portolan_sidl_method *m, struct portolan_diagnostics *d)
{
    struct contract_scope c = {.of = m->owner, .method = m, .d = d};

    for (size_t i = 0; i < m->n_requires; i++)
        check_clause(&c, &m->requires[i]);
    c.after = true;
    for (size_t i = 0; i < m->n_ensures; i++)
        check_clause(&c, &m->ensures[i]);
}
