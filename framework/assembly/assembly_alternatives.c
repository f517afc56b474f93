/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads what alternatives state about themselves: their conditions and costs. Models of cost are in
 * files of their own, whose content is not interpreted here. */
#include "assembly.h"

#include <string.h>

const struct xml_rule applies_rule = {.name = "applies", .required = XML_WORDS("if")};
const struct xml_rule applies_class_rule = {.name = "applies",
                                            .optional = XML_WORDS("if", "query")};

static void check_condition_form(struct portolan_arena *arena, const struct xml_element *e,
                                 struct portolan_diagnostics *d)
{
    struct portolan_condition *c;
    struct portolan_error err = {0};
    enum portolan_status status = portolan_condition_parse(xml_value(e, "if"), &c, &err);

    if (status == PORTOLAN_ESYNTAX)
        xml_complain(d, e, "if", "%s", err.text);
    portolan_condition_destroy(c);
    arena->failed |= status == PORTOLAN_ENOMEM;
}

void assembly_read_applies(struct portolan_arena *arena, const struct xml_element *e,
                           struct portolan_diagnostics *d, const char **condition, int *line)
{
    for (const struct xml_element *x = NULL; (x = xml_next(e, x, "applies"));) {
        if (!xml_value(x, "if"))
            continue; /* a class's query */
        check_condition_form(arena, x, d);
        *condition = assembly_join_conditions(arena, *condition, xml_value(x, "if"));
        *line = *line ? *line : x->line;
    }
}

static void check_condition_name(const struct portolan_assembly *a, const char *name, int line,
                                 struct portolan_diagnostics *d)
{
    const char *dot = strchr(name, '.');
    const struct portolan_assembly_instance *i;
    struct portolan_error err = {0};
    char instance[200];

    if (!dot || (size_t)(dot - name) >= sizeof instance)
        return;
    memcpy(instance, name, (size_t)(dot - name));
    instance[dot - name] = '\0';
    i = assembly_known_instance(a, d, instance, line, "<applies>");
    if (i && !assembly_any_parameter(i, dot + 1)) {
        assembly_unknown_parameter(i, dot + 1, &err);
        portolan_diagnose(d, a->file, line, 0, "%s; <applies> can ask for no other", err.text);
    }
}

static void check_condition(const struct portolan_assembly *a,
                            const struct portolan_assembly_alternative *x,
                            struct portolan_diagnostics *d)
{
    struct portolan_condition *c;
    const char *name;

    if (portolan_condition_parse(x->applies_stated, &c, NULL) != PORTOLAN_OK)
        return; /* an error is already reported */
    for (size_t i = 0; (name = portolan_condition_peek_name(c, i)); i++)
        check_condition_name(a, name, x->applies_line, d);
    portolan_condition_destroy(c);
}

void assembly_check_applies(const struct portolan_assembly *a, struct portolan_diagnostics *d)
{
    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++) {
            const struct portolan_assembly_alternative *first = a->instances[i].alternatives;
            const struct portolan_assembly_alternative *x = &first[k];

            /* Report a condition that the instance states for all alternatives only once. */
            if (x->applies_stated && (k == 0 || !first->applies_stated ||
                                      strcmp(x->applies_stated, first->applies_stated) != 0))
                check_condition(a, x, d);
        }
}

/* -- Models of implementations in files of their own, which are read but not understood here. -- */

const struct xml_rule model_rule = {
    .name = "model", .required = XML_WORDS("file"), .optional = XML_WORDS("method")};

const char *assembly_beside(const struct portolan_assembly *a, struct portolan_arena *arena,
                            const char *name)
{
    const char *slash = *name == '/' ? NULL : strrchr(a->file, '/');

    return portolan_arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - a->file) : 0, a->file,
                                 name);
}

/* Reads the model's file; reports one that cannot be read. */
static void read_model(const struct portolan_assembly *a, struct portolan_arena *arena,
                       const struct xml_element *e, struct portolan_diagnostics *d,
                       struct portolan_assembly_model *out)
{
    const char *file = xml_value(e, "file");
    struct portolan_text bytes = {.arena = arena};
    struct portolan_error err = {0};
    enum portolan_status status;

    *out = (struct portolan_assembly_model){
        .file = assembly_beside(a, arena, file), .method = xml_value(e, "method"), .line = e->line};
    if (!out->file)
        return;
    status = *file ? xml_read_bytes(out->file, &bytes, &err) : PORTOLAN_OK; /* reported */
    if (status == PORTOLAN_EIO)
        xml_complain(d, e, "file", "%s", err.text);
    arena->failed |= status == PORTOLAN_ENOMEM;
    out->text = bytes.bytes ? bytes.bytes : "";
    out->size = bytes.length;
}

void assembly_read_models(const struct portolan_assembly *a, struct portolan_arena *arena,
                          const struct xml_element *e, struct portolan_diagnostics *d,
                          const struct portolan_assembly_alternative *base,
                          struct portolan_assembly_alternative *out)
{
    size_t inherited = base && !strcmp(base->class_name, out->class_name) ? base->n_models : 0;

    out->n_models = 0;
    out->models =
        portolan_arena_alloc(arena, inherited + xml_count(e, "model"), sizeof *out->models);
    if (!out->models)
        return;
    for (size_t i = 0; i < inherited; i++)
        out->models[out->n_models++] = base->models[i];
    for (const struct xml_element *x = NULL; (x = xml_next(e, x, "model"));)
        read_model(a, arena, x, d, &out->models[out->n_models++]);
}
