/* SPDX-License-Identifier: BSD-3-Clause */
/* The paradigm that a program follows, for diagnosis: read, checked and written. */
#include "assembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct xml_rule part = {
    .name = "part",
    .required = XML_WORDS("component"),
    .optional = XML_WORDS("user", "uses", "method", "region", "mpi", "tag", "to", "phase")};
static const struct xml_rule nest = {.name = "nest",
                                     .required = XML_WORDS("component", "paradigm")};
static const struct xml_rule weave = {
    .name = "weave", .required = XML_WORDS("paradigm", "expression"), .optional = XML_WORDS("as")};
const struct xml_rule paradigm_rule = {.name = "paradigm",
                                       .required = XML_WORDS("name", "is"),
                                       .children = XML_RULES(&part, &nest, &weave),
                                       .once = true};

/* -1: not stated. */
static int64_t read_natural(const struct xml_element *e, const char *attribute,
                            struct portolan_diagnostics *d)
{
    const char *text = xml_value(e, attribute);
    int64_t value = -1;

    if (text && (!portolan_read_int64(text, &value) || value < 0))
        xml_complain(d, e, attribute, "'%s' is '%.100s'; it must be a whole number, not negative",
                     attribute, text);
    return value;
}

static void read_part(const struct xml_element *e, struct portolan_diagnostics *d,
                      struct portolan_assembly_part *out)
{
    *out = (struct portolan_assembly_part){.component = xml_value(e, "component"),
                                           .user = xml_value(e, "user"),
                                           .uses = xml_value(e, "uses"),
                                           .method = xml_value(e, "method"),
                                           .region = xml_value(e, "region"),
                                           .mpi = xml_value(e, "mpi"),
                                           .phase = xml_value(e, "phase"),
                                           .tag = read_natural(e, "tag", d),
                                           .to = read_natural(e, "to", d),
                                           .line = e->line};
    if (e->n_attributes < 2)
        xml_complain(d, e, NULL,
                     "<part> binds nothing; bind '%s' to a port (user, uses, method), a region, "
                     "calls of MPI (mpi, tag, to), or a phase",
                     out->component);
    if (out->user && !out->uses)
        xml_complain(d, e, "user", "<part user> needs 'uses', the port by which it calls");
}

static void read_composition(const struct xml_element *e, struct portolan_assembly_composition *out)
{
    const struct xml_attribute *expression = xml_attribute(e, "expression");

    *out = (struct portolan_assembly_composition){.component = xml_value(e, "component"),
                                                  .paradigm = xml_value(e, "paradigm"),
                                                  .as = xml_value(e, "as"),
                                                  .expression = xml_value(e, "expression"),
                                                  .line = e->line,
                                                  .column =
                                                      expression ? expression->column : e->column};
}

static void complain_of_empty(const struct xml_element *e, struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < e->n_attributes; i++)
        if (!*e->attributes[i].value)
            xml_complain(d, e, e->attributes[i].name, "'%s' of <%s> is empty",
                         e->attributes[i].name, e->name);
}

void assembly_read_paradigm(struct portolan_assembly *a, struct portolan_arena *arena,
                            const struct xml_element *e, struct portolan_diagnostics *d)
{
    struct portolan_assembly_paradigm *p = portolan_arena_alloc(arena, 1, sizeof *p);
    size_t n_parts = xml_count(e, "part"), n = xml_count(e, "nest") + xml_count(e, "weave");

    if (!p || !(p->parts = portolan_arena_alloc(arena, n_parts, sizeof *p->parts)) ||
        !(p->compositions = portolan_arena_alloc(arena, n, sizeof *p->compositions)))
        return;
    p->name = xml_value(e, "name");
    p->is = xml_value(e, "is");
    p->line = e->line;
    p->column = e->column;
    complain_of_empty(e, d);
    for (const struct xml_element *c = e->children; c; c = c->next) {
        complain_of_empty(c, d);
        if (!strcmp(c->name, "part"))
            read_part(c, d, &p->parts[p->n_parts++]);
        else
            read_composition(c, &p->compositions[p->n_compositions++]);
    }
    a->paradigm = p;
}

static bool is_connected(const struct portolan_assembly *a, const char *user, const char *uses)
{
    for (size_t i = 0; i < a->n_connections; i++)
        if ((!user || !strcmp(a->connections[i].user, user)) &&
            !strcmp(a->connections[i].uses, uses))
            return true;
    return false;
}

/* Ports that are not measured have no regions; the names of components are hercule's to check. */
void assembly_check_paradigm(const struct portolan_assembly *a, struct portolan_diagnostics *d)
{
    for (size_t i = 0; a->paradigm && i < a->paradigm->n_parts; i++) {
        const struct portolan_assembly_part *p = &a->paradigm->parts[i];

        if (p->user && !assembly_known_instance(a, d, p->user, p->line, "<part user>"))
            continue;
        if (p->uses && !is_connected(a, p->user, p->uses))
            portolan_diagnose(d, a->file, p->line, 0,
                              "<part> names no connection: uses port '%s'%s%s%s is not connected",
                              p->uses, p->user ? " of '" : "", p->user ? p->user : "",
                              p->user ? "'" : "");
    }
}

static void write_part(struct portolan_text *b, const char *indent,
                       const struct portolan_assembly_part *p)
{
    xml_add_start(b, indent, "part", "component", p->component, "user", p->user, "uses", p->uses,
                  "method", p->method, "region", p->region, "mpi", p->mpi, "phase", p->phase, NULL);
    if (p->tag >= 0)
        portolan_text_add(b, " tag=\"%" PRId64 "\"", p->tag); /* a number's digits end at 2^53 */
    if (p->to >= 0)
        portolan_text_add(b, " to=\"%" PRId64 "\"", p->to);
    portolan_text_add(b, "/>\n");
}

void assembly_write_paradigm(struct portolan_text *b, const char *indent,
                             const struct portolan_assembly_paradigm *p)
{
    char deeper[16];

    snprintf(deeper, sizeof deeper, "%s  ", indent);
    xml_add_start(b, indent, "paradigm", "name", p->name, "is", p->is, NULL);
    portolan_text_add(b, p->n_parts + p->n_compositions ? ">\n" : "/>\n");
    for (size_t i = 0; i < p->n_parts; i++)
        write_part(b, deeper, &p->parts[i]);
    for (size_t i = 0; i < p->n_compositions; i++) {
        const struct portolan_assembly_composition *c = &p->compositions[i];

        xml_add_start(b, deeper, c->component ? "nest" : "weave", "component", c->component,
                      "paradigm", c->paradigm, "as", c->as, "expression", c->expression, NULL);
        portolan_text_add(b, "/>\n");
    }
    if (p->n_parts + p->n_compositions)
        portolan_text_add(b, "%s</paradigm>\n", indent);
}

enum portolan_status portolan_paradigm_write(const struct portolan_assembly_paradigm *p,
                                             char **text, struct portolan_error *err)
{
    struct portolan_text b = {0};

    assembly_write_paradigm(&b, "", p);
    return portolan_text_take(&b, text, err);
}
