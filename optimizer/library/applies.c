/* SPDX-License-Identifier: BSD-3-Clause */
/* Where components say that they apply: conditions on contexts and parameters. */
#include "plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The called alternative of a path, and the contexts of one call of it. */
struct asking {
    const struct portolan_plan *p;
    const struct survey_node *node;
    const double *context; /* NULL: not known */
    size_t own;            /* alternative */
};

enum portolan_status plan_read_conditions(struct portolan_plan *p, struct portolan_error *err)
{
    const struct survey *s = &p->s;
    enum portolan_status status = PORTOLAN_OK;

    p->applies = portolan_arena_alloc(&p->s.pool, s->n_variables, sizeof *p->applies);
    if (!p->applies)
        return PORTOLAN_ENOMEM;
    for (size_t v = 0; !status && v < s->n_variables; v++) {
        p->applies[v] = portolan_arena_alloc(&p->s.pool, s->variables[v].n, sizeof **p->applies);
        if (!p->applies[v])
            return PORTOLAN_ENOMEM;
        for (size_t k = 0; !status && k < s->variables[v].n; k++) {
            const char *text = s->variables[v].instance->alternatives[k].applies;

            status = text ? portolan_condition_parse(text, &p->applies[v][k], err) : PORTOLAN_OK;
        }
    }
    return status;
}

void plan_clear_conditions(struct portolan_plan *p)
{
    for (size_t v = 0; p->applies && v < p->s.n_variables; v++)
        for (size_t k = 0; p->applies[v] && k < p->s.variables[v].n; k++)
            portolan_condition_destroy(p->applies[v][k]);
}

/* Also by the plain name of a parameter, as a class calls its own. */
struct own_names {
    portolan_condition_lookup_fn lookup;
    void *arg;
    const char *instance;
};

static bool look_up_own(void *arg, const char *name, struct portolan_condition_value *value)
{
    const struct own_names *o = arg;
    char full[200];

    return o->lookup(o->arg, name, value) ||
           ((size_t)snprintf(full, sizeof full, "%s.%s", o->instance, name) < sizeof full &&
            o->lookup(o->arg, full, value));
}

const char *plan_ask(const struct portolan_plan *p, size_t variable, size_t alternative,
                     portolan_condition_lookup_fn lookup, void *arg)
{
    const struct portolan_assembly_instance *x = p->s.variables[variable].instance;
    const struct portolan_assembly_alternative *own = &x->alternatives[alternative];
    const struct portolan_condition *condition = p->applies[variable][alternative];

    if (condition && portolan_condition_evaluate(condition, lookup, arg) == PORTOLAN_NO)
        return own->applies;
    if (own->query &&
        own->query(look_up_own, &(struct own_names){lookup, arg, x->name}) == PORTOLAN_NO)
        return "what its own query asks for";
    return NULL;
}

static bool find_context(const struct asking *a, const char *name,
                         struct portolan_condition_value *value)
{
    for (int k = 0; a->context && k < a->node->n_context; k++)
        if (!strcmp(a->node->context_name[k], name) && !isnan(a->context[k])) {
            *value = (struct portolan_condition_value){.number = a->context[k]};
            return true;
        }
    for (size_t i = 0; i < a->p->n_known; i++)
        if (!strcmp(a->p->known_names[i], name)) {
            *value = (struct portolan_condition_value){.number = a->p->known_values[i]};
            return true;
        }
    return false;
}

static bool look_up(void *arg, const char *name, struct portolan_condition_value *value)
{
    const struct asking *a = arg;
    const struct survey *s = &a->p->s;

    if (find_context(a, name, value))
        return true;
    for (size_t d = 0; d < s->n_dims; d++)
        if (!strcmp(s->dims[d].name, name) && s->dims[d].target) {
            *value = (struct portolan_condition_value){.text = s->dims[d].target};
            return true;
        }
    *value = (struct portolan_condition_value){
        .text = survey_written_text(s, a->node->variable, a->own, name)};
    return value->text;
}

struct plan_verdict plan_applies(const struct portolan_plan *p, size_t path, size_t tuple,
                                 const double *context)
{
    const struct survey_node *node = &p->s.nodes[path];
    struct plan_verdict out = {.kind = PLAN_ADMITTED, .accuracy = NAN};
    struct asking a = {p, node, context, plan_own_of(p, path, tuple)};

    if (node->variable == NONE)
        return out;
    out.why = plan_ask(p, node->variable, a.own, look_up, &a);
    if (out.why)
        out.kind = PLAN_INAPPLICABLE;
    return out;
}
