/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that components share, their layouts and conversions: read, checked and written. */
#include "assembly.h"

#include <string.h>

const struct xml_rule layout_rule = {.name = "layout", .required = XML_WORDS("data", "is")};
static const struct xml_rule convert = {.name = "convert",
                                        .required = XML_WORDS("from", "to", "seconds")};
const struct xml_rule data_rule = {.name = "data",
                                   .required = XML_WORDS("name", "made-by"),
                                   .optional = XML_WORDS("method", "shared"),
                                   .children = XML_RULES(&convert)};

void assembly_read_layouts(struct portolan_arena *arena, const struct xml_element *e,
                           const struct portolan_assembly_alternative *base,
                           struct portolan_assembly_alternative *out)
{
    bool inherits = base && !strcmp(base->class_name, out->class_name);
    size_t inherited = inherits ? base->n_layouts : 0;

    out->memory = xml_value(e, "memory");
    if (!out->memory && inherits)
        out->memory = base->memory;
    out->n_layouts = 0;
    out->layouts =
        portolan_arena_alloc(arena, inherited + xml_count(e, "layout"), sizeof *out->layouts);
    if (!out->layouts)
        return;
    for (size_t i = 0; i < inherited; i++)
        out->layouts[out->n_layouts++] = base->layouts[i];
    for (const struct xml_element *x = NULL; (x = xml_next(e, x, "layout"));)
        out->layouts[out->n_layouts++] = (struct portolan_assembly_layout){
            .data = xml_value(x, "data"), .layout = xml_value(x, "is"), .line = x->line};
}

static void read_one(struct portolan_arena *arena, const struct xml_element *e,
                     struct portolan_diagnostics *d, struct portolan_assembly_data *out)
{
    out->name = xml_value(e, "name");
    out->made_by = xml_value(e, "made-by");
    out->method = xml_value(e, "method");
    out->line = e->line;
    out->is_shared = assembly_read_flag(e, "shared", d);
    out->conversions =
        portolan_arena_alloc(arena, xml_count(e, "convert"), sizeof *out->conversions);
    for (const struct xml_element *x = NULL; !arena->failed && (x = xml_next(e, x, "convert"));)
        out->conversions[out->n_conversions++] =
            (struct portolan_assembly_conversion){.from = xml_value(x, "from"),
                                                  .to = xml_value(x, "to"),
                                                  .seconds = xml_value(x, "seconds"),
                                                  .line = x->line};
}

void assembly_read_data(struct portolan_assembly *a, struct portolan_arena *arena,
                        const struct xml_element *root, struct portolan_diagnostics *d)
{
    a->data = portolan_arena_alloc(arena, xml_count(root, "data"), sizeof *a->data);
    for (const struct xml_element *e = NULL; !arena->failed && (e = xml_next(root, e, "data"));)
        read_one(arena, e, d, &a->data[a->n_data++]);
}

static const struct portolan_assembly_data *find_data(const struct portolan_assembly *a, size_t n,
                                                      const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(a->data[i].name, name))
            return &a->data[i];
    return NULL;
}

static void check_layouts(const struct portolan_assembly *a,
                          const struct portolan_assembly_alternative *x,
                          struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < x->n_layouts; i++) {
        if (!find_data(a, a->n_data, x->layouts[i].data))
            portolan_diagnose(d, a->file, x->layouts[i].line, 0,
                              "<layout> names unknown data '%s'; add <data name=\"%s\" "
                              "made-by=.../>",
                              x->layouts[i].data, x->layouts[i].data);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(x->layouts[k].data, x->layouts[i].data))
                portolan_diagnose(d, a->file, x->layouts[i].line, 0,
                                  "class '%s' has a layout of '%s' already, on line %d",
                                  x->class_name, x->layouts[i].data, x->layouts[k].line);
    }
}

void assembly_check_data(const struct portolan_assembly *a, struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < a->n_data; i++) {
        const struct portolan_assembly_data *x = &a->data[i], *first = find_data(a, i, x->name);

        assembly_known_instance(a, d, x->made_by, x->line, "<data made-by>");
        if (first)
            portolan_diagnose(d, a->file, x->line, 0,
                              "second data named '%s'; the first are on line %d", x->name,
                              first->line);
    }
    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++)
            check_layouts(a, &a->instances[i].alternatives[k], d);
}

void assembly_write_data(struct portolan_text *b, const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_data; i++) {
        const struct portolan_assembly_data *x = &a->data[i];

        xml_add_start(b, "  ", "data", "name", x->name, "made-by", x->made_by, "method", x->method,
                      "shared", x->is_shared ? "yes" : NULL, NULL);
        portolan_text_add(b, x->n_conversions ? ">\n" : "/>\n");
        for (size_t k = 0; k < x->n_conversions; k++) {
            const struct portolan_assembly_conversion *c = &x->conversions[k];

            xml_add_start(b, "    ", "convert", "from", c->from, "to", c->to, "seconds", c->seconds,
                          NULL);
            portolan_text_add(b, "/>\n");
        }
        if (x->n_conversions)
            portolan_text_add(b, "  </data>\n");
    }
}
