/* SPDX-License-Identifier: BSD-3-Clause */
/* A palette description: from its tree to a class. The grammar ships as component.rng. */
#include "palette.h"

#include <string.h>

#include "assembly.h"
#include "value.h"

struct reader {
    struct portolan_arena *arena;
    const char *file;
    struct portolan_diagnostics *d;
    int before; /* d->count at the start */
};

static const struct xml_rule summary = {.name = "summary", .text = true, .once = true};
static const struct xml_rule provides = {
    .name = "provides", .required = XML_WORDS("port", "type"), .optional = XML_WORDS("also")};
static const struct xml_rule uses = {
    .name = "uses", .required = XML_WORDS("port", "type"), .optional = XML_WORDS("optional")};
static const struct xml_rule parameter = {.name = "parameter",
                                          .required = XML_WORDS("name", "type"),
                                          .optional = XML_WORDS("default"),
                                          .text = true};
const struct xml_rule palette_component_rule = {
    .name = "component",
    .required = XML_WORDS("class"),
    .optional = XML_WORDS("library", "language", "module", "proxy-for", "archive", "libs",
                          "static-libs", "stateful"),
    .children = XML_RULES(&summary, &provides, &uses, &parameter, &applies_class_rule)};

static void read_ports(struct reader *r, const struct xml_element *root, const char *element,
                       const struct portolan_port_description **ports, size_t *n_ports)
{
    size_t count = xml_count(root, element);
    struct portolan_port_description *p = portolan_arena_alloc(r->arena, count, sizeof *p);

    for (const struct xml_element *e = NULL; p && (e = xml_next(root, e, element));) {
        const char *optional = xml_value(e, "optional");

        p[*n_ports].name = xml_value(e, "port");
        p[*n_ports].type = xml_value(e, "type");
        p[*n_ports].also = xml_value(e, "also");
        p[*n_ports].optional = optional && !strcmp(optional, "true");
        p[*n_ports].line = e->line;
        (*n_ports)++;
        if (!*xml_value(e, "port"))
            xml_complain(r->d, e, "port", "a port needs a name");
        if (!*xml_value(e, "type"))
            xml_complain(r->d, e, "type", "a port needs a type");
        if (optional && strcmp(optional, "true") && strcmp(optional, "false"))
            xml_complain(r->d, e, "optional", "'optional' must be true or false");
    }
    *ports = p;
}

static void read_applies(struct reader *r, const struct xml_element *root,
                         struct portolan_class_description *c)
{
    for (const struct xml_element *e = NULL; (e = xml_next(root, e, "applies"));) {
        const char *query = xml_value(e, "query");

        if (!query == !xml_value(e, "if"))
            xml_complain(r->d, e, NULL, "<applies> has either a condition 'if' or query=\"true\"");
        else if (query && strcmp(query, "true"))
            xml_complain(r->d, e, "query",
                         "'query' can only be true: the class says itself where it applies");
        c->has_query = c->has_query || query;
    }
    assembly_read_applies(r->arena, root, r->d, &c->applies, &(int){0});
}

static void read_parameter(struct reader *r, const struct xml_element *e,
                           struct portolan_parameter_description *p)
{
    const char *type = xml_value(e, "type");

    p->name = xml_value(e, "name");
    p->default_text = xml_value(e, "default");
    p->summary = e->text;
    p->line = e->line;
    if (!*p->name)
        xml_complain(r->d, e, "name", "a parameter needs a name");
    if (!value_type_read(type, &p->type, &p->is_array)) {
        xml_complain(r->d, e, "type", "unknown parameter type '%.100s'%s", type,
                     portolan_did_you_mean(value_type_nearest(type)).text);
    } else if (p->default_text && !value_fits(p->type, p->is_array, p->default_text)) {
        xml_complain(r->d, e, "default", "default '%.100s' of parameter '%.100s' is not %s",
                     p->default_text, p->name, value_expected(p->type));
    }
}

static void read_parameters(struct reader *r, const struct xml_element *root,
                            struct portolan_class_description *c)
{
    size_t count = xml_count(root, "parameter");
    struct portolan_parameter_description *p = portolan_arena_alloc(r->arena, count, sizeof *p);

    for (const struct xml_element *e = NULL; p && (e = xml_next(root, e, "parameter"));)
        read_parameter(r, e, &p[c->n_parameters++]);
    c->parameters = p;
}

static void same_name(struct reader *r, const char *what, const char *name, int line, int first)
{
    portolan_diagnose(r->d, r->file, line, 0, "%s '%s' is declared on line %d already", what, name,
                      first);
}

/* The specification requires that port names are unique over uses and provides. */
static void check_names(struct reader *r, const struct portolan_class_description *c)
{
    size_t n = c->n_provides + c->n_uses;

    for (size_t i = 0; i < n; i++) {
        const struct portolan_port_description *a =
            i < c->n_provides ? &c->provides[i] : &c->uses[i - c->n_provides];

        for (size_t j = 0; j < i; j++) {
            const struct portolan_port_description *b =
                j < c->n_provides ? &c->provides[j] : &c->uses[j - c->n_provides];

            if (!strcmp(a->name, b->name))
                same_name(r, "port", a->name, a->line, b->line);
        }
    }
    for (size_t i = 0; i < c->n_parameters; i++)
        for (size_t j = 0; j < i; j++)
            if (!strcmp(c->parameters[i].name, c->parameters[j].name))
                same_name(r, "parameter", c->parameters[i].name, c->parameters[i].line,
                          c->parameters[j].line);
}

static void check_proxy(struct reader *r, const struct xml_element *root,
                        const struct portolan_class_description *c)
{
    const struct portolan_port_description *provide = portolan_class_provides(c, "provide");
    const struct portolan_port_description *use = portolan_class_uses(c, "use");

    if (!c->proxy_for)
        return;
    if (!provide || strcmp(provide->type, c->proxy_for) || !use || strcmp(use->type, c->proxy_for))
        xml_complain(
            r->d, root, "proxy-for",
            "a proxy must have a provides port 'provide' and a uses port 'use', both of the "
            "type that 'proxy-for' names");
}

/* Code in Python is a module next to the description: its file stands for the library. */
static void read_language(struct reader *r, const struct xml_element *root,
                          struct portolan_class_description *c)
{
    const char *language = xml_value(root, "language"), *module = xml_value(root, "module");
    bool is_python = language && !strcmp(language, "Python");

    if (language && !is_python)
        xml_complain(r->d, root, "language", "'language' must be Python, or not be stated");
    else if (is_python != (module != NULL) || (module && c->library))
        xml_complain(r->d, root, "module",
                     "a class in Python has language=\"Python\", module=\"NAME\" and no library");
    else if (module && (!*module || strpbrk(module, "./")))
        xml_complain(r->d, root, "module",
                     "'module' is the name of a file next to this one, without .py");
    else if (module)
        c->library = portolan_arena_printf(r->arena, "%s.py", module);
}

struct palette_class *palette_class_read(struct portolan_arena *arena,
                                         const struct xml_element *root, const char *file,
                                         struct portolan_diagnostics *d)
{
    struct reader r = {arena, file, d, d->count};
    struct palette_class *c;

    arena->failed = false; /* a session goes on after an earlier failure was reported */
    xml_check(root, &palette_component_rule, d);
    if (d->count != r.before)
        return NULL;
    if (!(c = portolan_arena_alloc(arena, 1, sizeof *c)))
        return NULL;
    c->public.class_name = xml_value(root, "class");
    c->public.library = xml_value(root, "library");
    read_language(&r, root, &c->public);
    c->public.proxy_for = xml_value(root, "proxy-for");
    c->public.archive = xml_value(root, "archive");
    c->public.libs = xml_value(root, "libs") ? xml_value(root, "libs") : "";
    c->public.static_libs =
        xml_value(root, "static-libs") ? xml_value(root, "static-libs") : c->public.libs;
    c->public.summary = "";
    if (xml_next(root, NULL, "summary"))
        c->public.summary = xml_next(root, NULL, "summary")->text;
    c->public.stateful = assembly_read_stateful(root, d);
    c->public.file = file;
    c->public.line = root->line;
    read_ports(&r, root, "provides", &c->public.provides, &c->public.n_provides);
    read_ports(&r, root, "uses", &c->public.uses, &c->public.n_uses);
    read_parameters(&r, root, &c->public);
    read_applies(&r, root, &c->public);
    if (arena->failed)
        return NULL;
    if (!*c->public.class_name)
        xml_complain(d, root, "class", "a component needs a class name");
    check_names(&r, &c->public);
    check_proxy(&r, root, &c->public);
    return d->count == r.before ? c : NULL;
}

const struct portolan_port_description *
portolan_class_uses(const struct portolan_class_description *c, const char *port)
{
    return named_find(c->uses, c->n_uses, sizeof *c->uses, port);
}

const struct portolan_port_description *
portolan_class_provides(const struct portolan_class_description *c, const char *port)
{
    return named_find(c->provides, c->n_provides, sizeof *c->provides, port);
}
