/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the references in an assembly; and its classes, ports, types, … against the palette. */
#include "assembly.h"
#include "value.h"

#include <portolan/palette.h>

#include <stdio.h>
#include <string.h>

typedef const struct portolan_class_description class_description;

struct checker {
    const struct portolan_assembly *a;
    const struct portolan_palette *palette; /* NULL while references are checked */
    struct portolan_diagnostics *d;
    bool monitor_missing; /* reported once */
};

/* Reports a mistake on a line of the assembly. */
#define FAULT(C, LINE, ...) portolan_diagnose((C)->d, (C)->a->file, LINE, 0, __VA_ARGS__)

static const struct portolan_assembly_instance *instance_of(struct checker *c, const char *name,
                                                            int line, const char *where)
{
    return assembly_known_instance(c->a, c->d, name, line, where);
}

static void check_instance_names(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &c->a->instances[i];

        for (size_t j = 0; j < i; j++)
            if (!strcmp(c->a->instances[j].name, x->name))
                FAULT(c, x->line, "second instance named '%s'; the first is on line %d", x->name,
                      c->a->instances[j].line);
        for (size_t k = 1; k < x->n_alternatives; k++)
            for (size_t l = 0; l < k; l++)
                if (!strcmp(x->alternatives[k].class_name, x->alternatives[l].class_name))
                    FAULT(c, x->alternatives[k].line,
                          "class '%s' is an alternative of '%s' already",
                          x->alternatives[k].class_name, x->name);
    }
}

/* One pin for an instance at most, and something left to run. */
static void check_pins(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &c->a->instances[i];
        const struct portolan_assembly_alternative *pinned = NULL;
        size_t forbidden = 0;

        for (size_t k = 0; k < x->n_alternatives; k++) {
            const struct portolan_assembly_alternative *y = &x->alternatives[k];

            forbidden += y->is_forbidden;
            if (y->is_pinned && pinned)
                FAULT(c, y->line, "'%s' is pinned to %s on line %d already", x->name,
                      pinned->class_name, pinned->line);
            if (y->is_pinned && y->is_forbidden)
                FAULT(c, y->line, "%s is both pinned and forbidden", y->class_name);
            pinned = y->is_pinned ? y : pinned;
        }
        if (x->n_alternatives && forbidden == x->n_alternatives)
            FAULT(c, x->line, "all alternatives of '%s' are forbidden", x->name);
    }
}

static void check_connection_names(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_connections; i++) {
        const struct portolan_assembly_connection *x = &c->a->connections[i];

        instance_of(c, x->user, x->line, "<connect user>");
        instance_of(c, x->provider, x->line, "<connect provider>");
        for (size_t j = 0; j < i; j++) {
            const struct portolan_assembly_connection *y = &c->a->connections[j];

            if (!strcmp(x->user, y->user) && !strcmp(x->uses, y->uses))
                FAULT(c, x->line,
                      "uses port '%s' of '%s' is connected twice; the first <connect> "
                      "is on line %d",
                      x->uses, x->user, y->line);
        }
    }
}

static void check_pairs(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_pairs; i++) {
        const struct portolan_assembly_pair *p = &c->a->pairs[i];

        instance_of(c, p->of, p->line, "<pair of>");
        instance_of(c, p->with, p->line, "<pair with>");
        if (!strcmp(p->of, p->with))
            FAULT(c, p->line, "<pair> needs two instances; '%s' is both", p->of);
    }
}

static void check_sweep_values(struct checker *c, const struct portolan_assembly_sweep *s,
                               enum portolan_value_type type, bool is_array)
{
    for (size_t i = 0; i < s->n_values; i++)
        if (!value_fits(type, is_array && !s->varies, s->values[i]))
            FAULT(c, s->line, "value '%s' for parameter '%s' of '%s' is not %s", s->values[i],
                  s->parameter, s->instance, value_expected(type));
}

static void check_sweeps(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *s = &c->a->sweeps[i];
        const struct portolan_assembly_instance *x =
            instance_of(c, s->instance, s->line, s->varies ? "<vary instance>" : "<set instance>");
        const struct portolan_assembly_parameter *p =
            x ? assembly_any_parameter(x, s->parameter) : NULL;

        if (p && p->is_array && s->varies)
            FAULT(c, s->line, "parameter '%s' of '%s' is an array, which cannot be varied",
                  s->parameter, s->instance);
        else if (p)
            check_sweep_values(c, s, p->type, p->is_array);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(c->a->sweeps[j].instance, s->instance) &&
                !strcmp(c->a->sweeps[j].parameter, s->parameter))
                FAULT(c, s->line, "parameter '%s' of '%s' is in the sweep already, on line %d",
                      s->parameter, s->instance, c->a->sweeps[j].line);
    }
}

void assembly_check_references(const struct portolan_assembly *a, struct portolan_diagnostics *d)
{
    struct checker c = {.a = a, .d = d};

    check_instance_names(&c);
    check_pins(&c);
    check_connection_names(&c);
    check_pairs(&c);
    check_sweeps(&c);
    assembly_check_cases(a, d);
    assembly_check_applies(a, d);
    assembly_check_data(a, d);
    assembly_check_paradigm(a, d);
    if (a->steps_instance)
        instance_of(&c, a->steps_instance, a->steps_line, "<optimizer steps>");
    if (a->go.provider)
        instance_of(&c, a->go.provider, a->go.line, "<go instance>");
}

/* -- An assembly against the palette: classes, ports, types, parameters, proxies. -- */

/* Returns whether a class of the palette that is not a proxy provides a port of this type. */
static bool some_class_provides(const struct checker *c, const char *type)
{
    return portolan_palette_next_provider(c->palette, type, NULL) != NULL;
}

/*
 * Types that are served without a <connect>: the framework's own, MPIService in every run, and C
 * objects of the program (portolan.Cohort, …), but not types that components provide
 * (portolan.Records).
 */
static bool is_service_type(const struct checker *c, const char *type)
{
    static const char *const own[] = {"gov.cca.ports.BuilderService",
                                      "gov.cca.ports.ComponentRepository",
                                      "gov.cca.ports.ConnectionEventService",
                                      "gov.cca.ports.MPIService",
                                      "gov.cca.ports.ParameterPortFactory",
                                      "gov.cca.ports.ServiceRegistry",
                                      "portolan.ports.Builder",
                                      "portolan.ports.ParameterFactory"};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(type, own[i]))
            return true;
    return !strncmp(type, "portolan.", 9) && strncmp(type, "portolan.ports.", 15) &&
           !some_class_provides(c, type);
}

static class_description *class_of(const struct checker *c,
                                   const struct portolan_assembly_instance *i, size_t k)
{
    return portolan_palette_find(c->palette, i->alternatives[k].class_name);
}

/* Returns whether the class of any alternative has a parameter that all inherit, or is unknown. */
static bool any_class_has(const struct checker *c, const struct portolan_assembly_instance *i,
                          const char *parameter)
{
    for (size_t k = 0; k < i->n_alternatives; k++) {
        class_description *class = class_of(c, i, k);

        if (!class || portolan_class_parameter(class, parameter))
            return true;
    }
    return false;
}

static const char *nearest_parameter(class_description *class, const char *name)
{
    return named_nearest(class->parameters, class->n_parameters, sizeof *class->parameters, name);
}

static void check_parameter(struct checker *c, const struct portolan_assembly_instance *i,
                            class_description *class, const struct portolan_assembly_parameter *p,
                            bool first)
{
    const struct portolan_parameter_description *known = portolan_class_parameter(class, p->name);

    if (!known) {
        if (assembly_is_inherited(i, p) && (!first || any_class_has(c, i, p->name)))
            return;
        FAULT(c, p->line, "instance '%s': class '%s' has no parameter '%s'%s", i->name,
              class->class_name, p->name,
              portolan_did_you_mean(nearest_parameter(class, p->name)).text);
    } else if (known->type != p->type || known->is_array != p->is_array) {
        FAULT(c, p->line, "instance '%s': parameter '%s' of class '%s' has type %s, not %s",
              i->name, p->name, class->class_name, value_type_word(known->type, known->is_array),
              value_type_word(p->type, p->is_array));
    }
}

static bool is_connected(const struct checker *c, const char *user, const char *uses)
{
    for (size_t i = 0; i < c->a->n_connections; i++)
        if (!strcmp(c->a->connections[i].user, user) && !strcmp(c->a->connections[i].uses, uses))
            return true;
    return false;
}

static void check_uses(struct checker *c, const struct portolan_assembly_instance *i,
                       const struct portolan_assembly_alternative *alternative,
                       class_description *class)
{
    for (size_t p = 0; p < class->n_uses; p++) {
        const struct portolan_port_description *uses = &class->uses[p];

        if (uses->optional || is_service_type(c, uses->type) ||
            is_connected(c, i->name, uses->name))
            continue;
        FAULT(c, alternative->line,
              "instance '%s': uses port '%s' of type %s is not connected (class %s); "
              "add <connect user=\"%s\" uses=\"%s\" provider=… provides=…/>",
              i->name, uses->name, uses->type, class->class_name, i->name, uses->name);
    }
}

static void no_provides_port(struct checker *c, const char *instance, class_description *class,
                             const char *port, int line)
{
    const char *near =
        named_nearest(class->provides, class->n_provides, sizeof *class->provides, port);

    FAULT(c, line, "instance '%s': class '%s' has no provides port '%s'%s", instance,
          class->class_name, port, portolan_did_you_mean(near).text);
}

/* Checks that the ports exist; whether they are parameter ports shows only when they are set. */
static void check_configures(struct checker *c, const struct portolan_assembly_instance *i,
                             const struct portolan_assembly_alternative *x,
                             class_description *class)
{

    for (size_t k = 0; k < x->n_configures; k++)
        if (!portolan_class_provides(class, x->configures[k].port))
            no_provides_port(c, i->name, class, x->configures[k].port, x->configures[k].line);
}

static void check_instance(struct checker *c, const struct portolan_assembly_instance *i)
{

    for (size_t k = 0; k < i->n_alternatives; k++) {
        const struct portolan_assembly_alternative *x = &i->alternatives[k];
        class_description *class = class_of(c, i, k);

        if (!class) {
            const char *near = portolan_palette_nearest(c->palette, x->class_name);

            FAULT(c, x->line, "instance '%s': unknown class '%s'%s", i->name, x->class_name,
                  near ? portolan_did_you_mean(near).text
                       : "; name the folder of its description by <path>, --path or "
                         "PORTOLAN_PATH");
            continue;
        }
        for (size_t p = 0; p < x->n_parameters; p++)
            check_parameter(c, i, class, &x->parameters[p], k == 0);
        check_configures(c, i, x, class);
        check_uses(c, i, x, class);
    }
}

/* All alternatives of a provider must have the port, with the right type. */
static void check_provider(struct checker *c, const struct portolan_assembly_instance *provider,
                           const char *provides, const char *type, const char *user,
                           const char *uses, int line)
{

    for (size_t k = 0; k < provider->n_alternatives; k++) {
        class_description *class = class_of(c, provider, k);
        const struct portolan_port_description *port =
            class ? portolan_class_provides(class, provides) : NULL;

        if (!class)
            continue;
        if (!port)
            no_provides_port(c, provider->name, class, provides, line);
        else if (type && !portolan_port_is(port, type))
            FAULT(c, line,
                  "instance '%s': uses port '%s' has type %s, but '%s.%s' provides %s "
                  "(class %s)",
                  user, uses, type, provider->name, provides, port->type, class->class_name);
    }
}

/* The type of a uses port, from the first alternative that has the port; NULL after a report. */
static const char *uses_type(struct checker *c, const struct portolan_assembly_connection *x,
                             const struct portolan_assembly_instance *user)
{
    const char *type = NULL, *near_port = NULL;
    class_description *class = NULL;

    for (size_t k = 0; k < user->n_alternatives; k++) {
        const struct portolan_port_description *port;

        if (!(class = class_of(c, user, k)))
            return NULL;
        port = portolan_class_uses(class, x->uses);
        if (!port && !near_port)
            near_port = named_nearest(class->uses, class->n_uses, sizeof *class->uses, x->uses);
        if (port && type && strcmp(type, port->type))
            FAULT(c, x->line,
                  "instance '%s': uses port '%s' has type %s in one alternative and "
                  "%s in another",
                  x->user, x->uses, type, port->type);
        if (port && !type)
            type = port->type;
    }
    if (!type)
        FAULT(c, x->line, "instance '%s': class '%s'%s has no uses port '%s'%s", x->user,
              user->alternatives[0].class_name,
              user->n_alternatives > 1 ? " (and its alternatives)" : "", x->uses,
              portolan_did_you_mean(near_port).text);
    return type;
}

/* True also if the class of an instance is unknown; that is reported elsewhere. */
static bool may_be_provided(const struct checker *c, const char *type)
{
    for (size_t i = 0; i < c->a->n_instances; i++) {
        class_description *class = class_of(c, &c->a->instances[i], 0);

        if (!class)
            return true;
        for (size_t p = 0; p < class->n_provides; p++)
            if (portolan_port_is(&class->provides[p], type))
                return true;
    }
    return false;
}

/* A proxy that measures needs an instance that takes its records, without a <connect>. */
static void check_monitor(struct checker *c, const char *type, int line)
{
    class_description *proxy = portolan_palette_next_proxy(c->palette, type, NULL);

    for (size_t p = 0; proxy && p < proxy->n_uses && !c->monitor_missing; p++) {
        const struct portolan_port_description *uses = &proxy->uses[p];

        if (!strcmp(uses->name, "use") || is_service_type(c, uses->type) ||
            may_be_provided(c, uses->type))
            continue;
        c->monitor_missing = true;
        FAULT(c, line,
              "calls are monitored, but no instance provides %s; add one, such as "
              "<instance name=\"mastermind\" class=\"portolan.Mastermind\"/>",
              uses->type);
    }
}

/* USER is NULL for the framework itself, which calls the go port. */
static void check_proxy(struct checker *c, const char *type, const char *user, const char *uses,
                        bool monitored, const char *variant, int line)
{
    if (!portolan_palette_next_proxy(c->palette, type, NULL))
        FAULT(c, line,
              "%s%s%s%s%s needs a proxy for port type %s, because %s, and the palette "
              "has none; make one with: portolan proxygen FILE.sidl --port %s -o DIR",
              user ? "connection '" : "the go port", user ? user : "", user ? "." : "",
              user ? uses : "", user ? "'" : "", type,
              monitored ? "it is monitored" : "its provider has alternatives", type);
    else if (monitored && (!variant || !strcmp(variant, "mastermind")))
        check_monitor(c, type, line);
}

static void check_connection(struct checker *c, const struct portolan_assembly_connection *x)
{
    const struct portolan_assembly_instance *user = portolan_assembly_peek_instance(c->a, x->user);
    const struct portolan_assembly_instance *provider =
        portolan_assembly_peek_instance(c->a, x->provider);
    const char *type;

    if (!user || !provider)
        return; /* the reader has already reported it */
    type = uses_type(c, x, user);
    check_provider(c, provider, x->provides, type, x->user, x->uses, x->line);
    if (type && (x->monitored || provider->n_alternatives > 1))
        check_proxy(c, type, x->user, x->uses, x->monitored, x->variant, x->line);
}

static void check_sweep(struct checker *c, const struct portolan_assembly_sweep *s)
{
    const struct portolan_assembly_instance *i = portolan_assembly_peek_instance(c->a, s->instance);
    const struct portolan_parameter_description *p = NULL;
    class_description *class = i ? class_of(c, i, 0) : NULL;
    struct portolan_error err = {0};

    for (size_t k = 0; i && !p && k < i->n_alternatives; k++)
        if (class_of(c, i, k))
            p = portolan_class_parameter(class_of(c, i, k), s->parameter);
    if (!class)
        return;
    if (!p)
        FAULT(c, s->line, "instance '%s': class '%s' has no parameter '%s'%s", s->instance,
              class->class_name, s->parameter,
              portolan_did_you_mean(nearest_parameter(class, s->parameter)).text);
    else if (!assembly_any_parameter(i, s->parameter)) {
        assembly_unknown_parameter(i, s->parameter, &err);
        FAULT(c, s->line, "%s; a parameter of a sweep needs a <parameter> with a start value",
              err.text);
        check_sweep_values(c, s, p->type, p->is_array);
    }
}

static void check_steps(struct checker *c)
{
    const struct portolan_assembly_instance *i =
        c->a->steps_instance ? portolan_assembly_peek_instance(c->a, c->a->steps_instance) : NULL;
    class_description *class = i ? class_of(c, i, i->selected) : NULL;
    const struct portolan_parameter_description *p;

    if (!class)
        return;
    p = portolan_class_parameter(class, c->a->steps_parameter);
    if (!p)
        FAULT(c, c->a->steps_line, "<optimizer steps>: class '%s' has no parameter '%s'%s",
              class->class_name, c->a->steps_parameter,
              portolan_did_you_mean(nearest_parameter(class, c->a->steps_parameter)).text);
    else if (p->type != PORTOLAN_VALUE_INT || p->is_array)
        FAULT(c, c->a->steps_line,
              "<optimizer steps>: parameter '%s' of class '%s' has type %s, not int", p->name,
              class->class_name, value_type_word(p->type, p->is_array));
}

enum portolan_status portolan_assembly_check(const struct portolan_assembly *a,
                                             const struct portolan_palette *palette,
                                             struct portolan_diagnostics *d)
{
    struct portolan_diagnostics nobody = {0};
    struct checker c = {.a = a, .palette = palette, .d = d ? d : &nobody};
    const struct portolan_assembly_instance *go =
        a->go.provider ? portolan_assembly_peek_instance(a, a->go.provider) : NULL;
    int before = c.d->count;

    if (a->program)
        return PORTOLAN_OK; /* it has no classes */
    for (size_t i = 0; i < a->n_instances; i++)
        check_instance(&c, &a->instances[i]);
    for (size_t i = 0; i < a->n_connections; i++)
        check_connection(&c, &a->connections[i]);
    for (size_t i = 0; i < a->n_sweeps; i++)
        check_sweep(&c, &a->sweeps[i]);
    check_steps(&c);
    if (go)
        check_provider(&c, go, a->go.provides, "gov.cca.ports.GoPort", "(go)", "go", a->go.line);
    if (go && a->go.monitored)
        check_proxy(&c, "gov.cca.ports.GoPort", NULL, NULL, true, a->go.variant, a->go.line);
    return c.d->count == before ? PORTOLAN_OK : PORTOLAN_ESYNTAX;
}
