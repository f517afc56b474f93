/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The conditions under which components say that they apply, the values that names in them have,
 * and the accuracy that an assembly wants.
 */
#include "plan_internal.h"

#include <stdio.h>
#include <string.h>

enum portolan_status plan_read_conditions(struct portolan_plan *p, struct portolan_error *err)
{
    struct survey *s = &p->s;
    enum portolan_status status = PORTOLAN_OK;

    p->applies = portolan_arena_alloc(&s->pool, s->n_variables, sizeof *p->applies);
    for (size_t v = 0; p->applies && v < s->n_variables; v++)
        p->applies[v] = portolan_arena_alloc(&s->pool, s->variables[v].n, sizeof **p->applies);
    if (s->pool.failed)
        return PORTOLAN_ENOMEM;
    for (size_t v = 0; v < s->n_variables; v++)
        for (size_t k = 0; !status && k < s->variables[v].n; k++) {
            const char *text = s->variables[v].instance->alternatives[k].applies;

            status = text ? portolan_condition_parse(text, &p->applies[v][k], err) : PORTOLAN_OK;
        }
    return status;
}

void plan_clear_conditions(struct portolan_plan *p)
{
    for (size_t v = 0; p->applies && v < p->s.n_variables; v++)
        for (size_t k = 0; p->applies[v] && k < p->s.variables[v].n; k++)
            portolan_condition_destroy(p->applies[v][k]);
}

/* Looks up a parameter also by its plain name, which a class uses for its own parameters. */
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

const char *plan_ask(const struct portolan_assembly_instance *x, size_t alternative,
                     const struct portolan_condition *condition,
                     portolan_condition_lookup_fn lookup, void *arg)
{
    const struct portolan_assembly_alternative *own = &x->alternatives[alternative];

    if (condition && portolan_condition_evaluate(condition, lookup, arg) == PORTOLAN_NO)
        return own->applies;
    if (own->query &&
        own->query(look_up_own, &(struct own_names){lookup, arg, x->name}) == PORTOLAN_NO)
        return "its own query";
    return NULL;
}

/* The number that NAME stands for at a place; NaN: it stands for none, or for a text. */
static double number_at(const struct plan_place *at, const char *name)
{
    const struct survey *s = &at->p->s;
    double number = NAN;

    for (int k = 0; at->context && isnan(number) && k < at->node->n_context; k++)
        if (strcmp(at->node->context_name[k], name) == 0)
            number = at->context[k];
    if (isnan(number) && at->announced)
        number = plan_known_value(at->announced, name);
    if (isnan(number))
        number = plan_known_value(&at->p->known, name);
    if (isnan(number) && strcmp(name, "accuracy") == 0 && s->a->accuracy > 0)
        return s->a->accuracy; /* the accuracy that is wanted */
    return isnan(number) && strcmp(name, "ranks") == 0 && s->ranks > 0 ? s->ranks : number;
}

bool plan_look_up(void *place, const char *name, struct portolan_condition_value *value)
{
    const struct plan_place *at = place;
    const struct survey *s = &at->p->s;

    *value = (struct portolan_condition_value){.number = number_at(at, name)};
    for (size_t d = 0; isnan(value->number) && !value->text && d < s->n_dims; d++)
        if (strcmp(s->dims[d].name, name) == 0)
            value->text = s->dims[d].target;
    if (isnan(value->number) && !value->text)
        value->text = survey_written_text(s->a, at->own, at->alternative, name);
    return value->text || !isnan(value->number);
}

const char *portolan_plan_excludes(const struct portolan_assembly *a, size_t instance,
                                   size_t alternative)
{
    const struct portolan_plan unmeasured = {.s = {.a = a}};
    struct plan_place at = {
        .p = &unmeasured, .own = &a->instances[instance], .alternative = alternative};
    const char *text = at.own->alternatives[alternative].applies, *why;
    struct portolan_condition *condition = NULL;

    if (text && portolan_condition_parse(text, &condition, NULL))
        condition = NULL; /* the reader of assemblies reports the error */
    why = plan_ask(at.own, alternative, condition, plan_look_up, &at);
    portolan_condition_destroy(condition);
    return why;
}

struct plan_verdict plan_applies(const struct portolan_plan *p, size_t path, size_t tuple,
                                 const double *context)
{
    struct plan_verdict out = {.kind = PLAN_ADMITTED, .accuracy = NAN};
    const struct survey_node *node = &p->s.nodes[path];
    struct plan_place at = {
        .p = p, .node = node, .context = context, .alternative = plan_own_of(p, path, tuple)};

    if (node->variable == NONE)
        return out;
    at.own = p->s.variables[node->variable].instance;
    out.why = plan_ask(at.own, at.alternative, p->applies[node->variable][at.alternative],
                       plan_look_up, &at);
    if (out.why)
        out.kind = PLAN_INAPPLICABLE;
    return out;
}

double portolan_plan_wanted_accuracy(const struct portolan_assembly *a, const char *instance)
{
    for (size_t i = 0; i < a->n_instances; i++)
        if (a->instances[i].accuracy > 0 && strcmp(a->instances[i].name, instance) == 0)
            return a->instances[i].accuracy;
    return a->composition == PORTOLAN_COMPOSE_PRODUCT ? 0 : a->accuracy;
}

double plan_known_value(const struct plan_known *known, const char *name)
{
    for (size_t j = 0; j < known->n; j++)
        if (strcmp(known->names[j], name) == 0)
            return known->values[j];
    return NAN;
}
