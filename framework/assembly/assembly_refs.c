/* SPDX-License-Identifier: BSD-3-Clause */
/* References between the elements of an assembly: what can be checked without any class. */
#include "assembly.h"

#include <string.h>

#include "value.h"

struct checker {
    const struct portolan_assembly *a;
    struct portolan_diagnostics *d;
};

static const struct portolan_assembly_instance *instance_of(struct checker *c, const char *name,
                                                            int line, const char *who)
{
    const struct portolan_assembly_instance *i = portolan_assembly_peek_instance(c->a, name);

    if (!i)
        portolan_diagnose(c->d, c->a->file, line, 0, "unknown instance '%s' in %s%s", name, who,
                          portolan_did_you_mean(assembly_nearest_instance(c->a, name)).text);
    return i;
}

static void check_instances(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_instances; i++) {
        const struct portolan_assembly_instance *x = &c->a->instances[i];

        for (size_t j = 0; j < i; j++)
            if (!strcmp(c->a->instances[j].name, x->name))
                portolan_diagnose(c->d, c->a->file, x->line, 0,
                                  "second instance named '%s'; the first is on line %d", x->name,
                                  c->a->instances[j].line);
        for (size_t k = 1; k < x->n_alternatives; k++)
            for (size_t l = 0; l < k; l++)
                if (!strcmp(x->alternatives[k].class_name, x->alternatives[l].class_name))
                    portolan_diagnose(c->d, c->a->file, x->alternatives[k].line, 0,
                                      "class '%s' is an alternative of '%s' already",
                                      x->alternatives[k].class_name, x->name);
    }
}

static void check_connections(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_connections; i++) {
        const struct portolan_assembly_connection *x = &c->a->connections[i];

        instance_of(c, x->user, x->line, "<connect user>");
        instance_of(c, x->provider, x->line, "<connect provider>");
        for (size_t j = 0; j < i; j++) {
            const struct portolan_assembly_connection *y = &c->a->connections[j];

            if (!strcmp(x->user, y->user) && !strcmp(x->uses, y->uses))
                portolan_diagnose(c->d, c->a->file, x->line, 0,
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
            portolan_diagnose(c->d, c->a->file, p->line, 0,
                              "<pair> needs two instances; '%s' is both", p->of);
    }
}

static void check_sweep_values(struct checker *c, const struct portolan_assembly_sweep *s,
                               const struct portolan_assembly_parameter *p)
{
    if (p->is_array && s->varies) {
        portolan_diagnose(c->d, c->a->file, s->line, 0,
                          "parameter '%s' of '%s' is an array, which cannot be varied",
                          s->parameter, s->instance);
        return;
    }
    for (size_t i = 0; i < s->n_values; i++)
        if (!value_fits(p->type, p->is_array, s->values[i]))
            portolan_diagnose(c->d, c->a->file, s->line, 0,
                              "value '%s' for parameter '%s' of '%s' is not %s", s->values[i],
                              s->parameter, s->instance, value_expected(p->type));
}

static void check_sweeps(struct checker *c)
{
    for (size_t i = 0; i < c->a->n_sweeps; i++) {
        const struct portolan_assembly_sweep *s = &c->a->sweeps[i];
        const struct portolan_assembly_instance *x =
            instance_of(c, s->instance, s->line, s->varies ? "<vary instance>" : "<set instance>");
        const struct portolan_assembly_parameter *p =
            x ? assembly_any_parameter(x, s->parameter) : NULL;

        if (p)
            check_sweep_values(c, s, p);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(c->a->sweeps[j].instance, s->instance) &&
                !strcmp(c->a->sweeps[j].parameter, s->parameter))
                portolan_diagnose(c->d, c->a->file, s->line, 0,
                                  "parameter '%s' of '%s' is in the sweep already, on line %d",
                                  s->parameter, s->instance, c->a->sweeps[j].line);
    }
}

void assembly_check_references(const struct portolan_assembly *a, struct portolan_diagnostics *d)
{
    struct checker c = {a, d};

    check_instances(&c);
    check_connections(&c);
    check_pairs(&c);
    check_sweeps(&c);
    assembly_check_cases(a, d);
    assembly_check_applies(a, d);
    if (a->steps_instance)
        instance_of(&c, a->steps_instance, a->steps_line, "<optimizer steps>");
    if (a->go_instance)
        instance_of(&c, a->go_instance, a->go_line, "<go instance>");
}
