/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads instances of an assembly, with the parameters and fields of their alternatives. */
#include "assembly.h"
#include "value.h"

#include <limits.h>
#include <string.h>

static const struct xml_rule parameter = {.name = "parameter",
                                          .required = XML_WORDS("name", "type", "value")};
static const struct xml_rule configure = {.name = "configure",
                                          .required = XML_WORDS("port", "field", "value")};
static const struct xml_rule alternative = {
    .name = "alternative",
    .required = XML_WORDS("class"),
    .optional = XML_WORDS("memory", "pin", "forbid", "remedies", "words"),
    .children = XML_RULES(&parameter, &configure, &applies_rule, &model_rule, &layout_rule)};
const struct xml_rule instance_rule = {
    .name = "instance",
    .required = XML_WORDS("name", "class"),
    .optional =
        XML_WORDS("x", "y", "memory", "accuracy", "stateful", "words", "from", "to", "by", "times"),
    .children =
        XML_RULES(&parameter, &configure, &applies_rule, &model_rule, &layout_rule, &alternative)};

/* Names appear in `instance.parameter` and in proxies' names, so they hold no dots or blanks. */
static bool is_name(const char *text)
{
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-")];
}

void assembly_read_parameter(struct assembly_reader *r, const struct xml_element *e,
                             struct portolan_assembly_parameter *p)
{
    const char *type = xml_value(e, "type");

    assembly_require_text(r, e);
    p->name = xml_value(e, "name");
    p->text = xml_value(e, "value");
    p->line = e->line;
    if (!value_type_read(type, &p->type, &p->is_array))
        xml_complain(r->d, e, "type", "unknown type '%.100s' of parameter '%.100s'%s", type,
                     p->name, portolan_did_you_mean(value_type_nearest(type)).text);
    else if (!value_fits(p->type, p->is_array, p->text))
        xml_complain(r->d, e, "value", "value '%.100s' of parameter '%.100s' is not %s", p->text,
                     p->name, value_expected(p->type));
}

static void add_parameter(struct portolan_assembly_alternative *alternative,
                          const struct portolan_assembly_parameter *p)
{
    for (size_t i = 0; i < alternative->n_parameters; i++)
        if (!strcmp(alternative->parameters[i].name, p->name)) {
            alternative->parameters[i] = *p;
            return;
        }
    alternative->parameters[alternative->n_parameters++] = *p;
}

static void check_double_parameters(struct assembly_reader *r, const struct xml_element *e)
{
    for (const struct xml_element *p = NULL; (p = xml_next(e, p, "parameter"));)
        for (const struct xml_element *q = NULL; (q = xml_next(e, q, "parameter")) && q != p;)
            if (!strcmp(xml_value(p, "name"), xml_value(q, "name")))
                xml_complain(r->d, p, "name", "parameter '%.100s' is given on line %d already",
                             xml_value(p, "name"), q->line);
}

/* Reads the fields of BASE, which may be NULL, and then the element's own. */
static void read_configures(struct assembly_reader *r, const struct xml_element *e,
                            const struct portolan_assembly_alternative *base,
                            struct portolan_assembly_alternative *out)
{
    size_t inherited = base ? base->n_configures : 0;
    struct portolan_assembly_configure *c =
        portolan_arena_alloc(r->arena, inherited + xml_count(e, "configure"), sizeof *c);

    out->configures = c;
    out->n_configures = 0;
    if (r->arena->failed)
        return;
    for (size_t i = 0; i < inherited; i++)
        c[out->n_configures++] = base->configures[i];
    for (const struct xml_element *x = NULL; (x = xml_next(e, x, "configure"));) {
        assembly_require_text(r, x);
        c[out->n_configures++] = (struct portolan_assembly_configure){
            .port = xml_value(x, "port"),
            .field = xml_value(x, "field"),
            .text = xml_value(x, "value"),
            .line = x->line,
        };
    }
}

/* Starts from the parameters of BASE (the instance as written), which may be NULL. */
static void read_alternative(struct assembly_reader *r, const struct xml_element *e,
                             const struct portolan_assembly_alternative *base,
                             struct portolan_assembly_alternative *out)
{
    size_t own = xml_count(e, "parameter"), inherited = base ? base->n_parameters : 0;
    struct portolan_assembly_parameter p;

    assembly_require_text(r, e);
    check_double_parameters(r, e);
    out->class_name = xml_value(e, "class");
    out->line = e->line;
    out->words = xml_value(e, "words");
    out->parameters = portolan_arena_alloc(r->arena, own + inherited, sizeof *out->parameters);
    if (r->arena->failed)
        return;
    for (size_t i = 0; i < inherited; i++)
        add_parameter(out, &base->parameters[i]);
    for (const struct xml_element *c = NULL; (c = xml_next(e, c, "parameter"));) {
        memset(&p, 0, sizeof p);
        assembly_read_parameter(r, c, &p);
        add_parameter(out, &p);
    }
    read_configures(r, e, base, out);
    for (const struct xml_element *c = e->children; c; c = c->next)
        if (!strcmp(c->name, "model") || !strcmp(c->name, "layout"))
            assembly_require_text(r, c);
    assembly_read_models(r->a, r->arena, e, r->d, base, out);
    assembly_read_layouts(r->arena, e, base, out);
    out->applies = base ? base->applies : NULL;
    out->applies_line = base ? base->applies_line : 0;
    assembly_read_applies(r->arena, e, r->d, &out->applies, &out->applies_line);
    out->applies_stated = out->applies;
}

static void read_place(struct assembly_reader *r, const struct xml_element *e,
                       const char *attribute, int *place)
{
    const char *text = xml_value(e, attribute);
    int64_t v;

    if (portolan_read_int64(text, &v) && v >= INT_MIN && v <= INT_MAX)
        *place = (int)v;
    else
        xml_complain(r->d, e, attribute, "'%s' is '%.100s'; it must be a whole number", attribute,
                     text);
}

static void read_places(struct assembly_reader *r, const struct xml_element *e,
                        struct portolan_assembly_instance *instance)
{
    instance->is_placed = xml_value(e, "x") && xml_value(e, "y");
    if (instance->is_placed) {
        read_place(r, e, "x", &instance->x);
        read_place(r, e, "y", &instance->y);
    } else if (xml_value(e, "x") || xml_value(e, "y")) {
        xml_complain(r->d, e, NULL, "<instance> takes both 'x' and 'y', or none of them");
    }
}

enum portolan_stateful assembly_read_stateful(const struct xml_element *e,
                                              struct portolan_diagnostics *d)
{
    if (!xml_value(e, "stateful"))
        return PORTOLAN_STATEFUL_UNSTATED;
    return assembly_read_flag(e, "stateful", d) ? PORTOLAN_STATEFUL_YES : PORTOLAN_STATEFUL_NO;
}

static void read_instance(struct assembly_reader *r, const struct xml_element *e,
                          struct portolan_assembly_instance *instance)
{
    size_t count = 1 + xml_count(e, "alternative");
    struct portolan_assembly_alternative base = {0};

    instance->name = xml_value(e, "name");
    instance->line = e->line;
    instance->alternatives = portolan_arena_alloc(r->arena, count, sizeof *instance->alternatives);
    if (r->arena->failed)
        return;
    if (!is_name(instance->name))
        xml_complain(r->d, e, "name",
                     "the name of an instance may have only letters, digits, '_' and '-'");
    read_places(r, e, instance);
    assembly_read_double(r, e, "accuracy", &instance->accuracy);
    instance->stateful = assembly_read_stateful(e, r->d);
    read_alternative(r, e, NULL, &base);
    instance->alternatives[instance->n_alternatives++] = base;
    for (const struct xml_element *c = NULL;
         !r->arena->failed && (c = xml_next(e, c, "alternative"));) {
        struct portolan_assembly_alternative *to = &instance->alternatives[0];

        /* An alternative of the instance's own class overrides the parameters of that class. */
        if (strcmp(xml_value(c, "class"), base.class_name))
            to = &instance->alternatives[instance->n_alternatives++];
        else
            to->n_parameters = 0;
        read_alternative(r, c, &base, to);
        to->is_pinned = assembly_read_flag(c, "pin", r->d);
        to->is_forbidden = assembly_read_flag(c, "forbid", r->d);
        to->remedies = xml_value(c, "remedies");
    }
    if (!r->arena->failed)
        assembly_leave_excluded(instance);
}

void assembly_read_instances(struct assembly_reader *r, const struct xml_element *root)
{
    size_t count = xml_count(root, "instance");

    r->a->instances = portolan_arena_alloc(r->arena, count, sizeof *r->a->instances);
    for (const struct xml_element *e = NULL;
         !r->arena->failed && (e = xml_next(root, e, "instance"));)
        read_instance(r, e, &r->a->instances[r->a->n_instances++]);
}
