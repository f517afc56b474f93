/* SPDX-License-Identifier: BSD-3-Clause */
/* Which method a call in a contract means, and whether a clause may call it. */
#include "contract.h"

#include <string.h>

/* Whether a call of NAME with N arguments (-1: any number) may mean M. */
static bool is_called(const struct portolan_sidl_method *m, const char *name, int n)
{
    return (strcmp(m->slot_name, name) == 0 || strcmp(m->name, name) == 0) &&
           (n < 0 || m->n_arguments == (size_t)n);
}

/* A full name is preferred to a short one, and a method of the object to a static one. */
const struct portolan_sidl_method *contract_method(const struct portolan_sidl_symbol *of,
                                                   const char *name, int n)
{
    const struct portolan_sidl_method *found = NULL, *found_static = NULL;

    for (size_t i = 0; i < of->n_slots; i++)
        if (is_called(of->slots[i], name, n) &&
            (!found || strcmp(of->slots[i]->slot_name, name) == 0))
            found = of->slots[i];
    for (size_t i = 0; i < of->n_statics; i++) /* the nearest class's come last */
        if (is_called(of->statics[i], name, n) &&
            (!found_static || found_static->owner != of->statics[i]->owner))
            found_static = of->statics[i];
    return found ? found : found_static;
}

bool contract_is_annotation(const struct portolan_sidl_expr *e)
{
    while (e->op == PORTOLAN_SIDL_OP_UNARY && strcmp(e->text, "is") == 0)
        e = e->operands[0];
    return e->op == PORTOLAN_SIDL_OP_PURE;
}

static bool says_pure(const struct portolan_sidl_method *m)
{
    for (size_t i = 0; m && i < m->n_ensures; i++)
        if (contract_is_annotation(m->ensures[i].condition))
            return true;
    return false;
}

static bool is_pure_in(const struct portolan_sidl_symbol *of,
                       const struct portolan_sidl_method *method, size_t walk)
{
    bool is_pure = says_pure(symbol_method(of, method->slot_name));

    ((struct portolan_sidl_symbol *)of)->own.visit = walk;
    for (size_t i = 0; !is_pure && i < symbol_n_parents(of); i++) {
        const struct portolan_sidl_symbol *parent = symbol_parent(of, i)->symbol;

        is_pure = parent && parent->own.visit != walk && is_pure_in(parent, method, walk);
    }
    return is_pure;
}

const char *contract_why_not(const struct scope *s, const struct portolan_sidl_method *m)
{
    if (m == s->method || (s->method && strcmp(m->slot_name, s->method->slot_name) == 0))
        return "cannot be called by its own contract, its result is called 'result'";
    if (s->method && method_is_static(s->method) && !method_is_static(m))
        return "needs an object, but this method is static";
    if (m->result->kind == PORTOLAN_SIDL_VOID || m->result->kind == PORTOLAN_SIDL_STRUCT)
        return "has no result that a clause could use";
    for (size_t i = 0; i < m->n_arguments; i++)
        if (m->arguments[i].mode != PORTOLAN_SIDL_IN)
            return "changes an argument, clauses call methods with in arguments only";
    if (!says_pure(m) && !is_pure_in(s->of, m, walk_begin()))
        return "may have side effects, to be called by a clause it needs: ensure is pure;";
    return NULL;
}
