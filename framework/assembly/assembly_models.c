/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of implementations in files of their own, which are read, but not understood, here. */
#include "assembly.h"

#include <string.h>

const struct xml_rule model_rule = {.name = "model",
                                    .required = (const char *const[]){"file", NULL},
                                    .optional = (const char *const[]){"method", NULL}};

const char *assembly_beside(const struct portolan_assembly *a, struct portolan_arena *arena,
                            const char *name)
{
    const char *slash = *name == '/' ? NULL : strrchr(a->file, '/');

    return portolan_arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - a->file) : 0, a->file,
                                 name);
}

/* False without memory; a file that cannot be read is reported. */
static bool read_model(const struct portolan_assembly *a, struct portolan_arena *arena,
                       const struct xml_element *e, struct portolan_diagnostics *d,
                       struct portolan_assembly_model *out)
{
    const struct xml_attribute *file = xml_attribute(e, "file");
    struct portolan_text bytes = {.arena = arena};
    struct portolan_error err = {0};
    enum portolan_status status;

    *out = (struct portolan_assembly_model){.file = assembly_beside(a, arena, file->value),
                                            .method = xml_value(e, "method"),
                                            .line = e->line};
    if (!out->file)
        return false;
    status = *file->value ? xml_read_bytes(out->file, &bytes, &err) : PORTOLAN_OK; /* reported */
    if (status == PORTOLAN_EIO)
        portolan_diagnose(d, a->file, file->line, file->column, "%s", err.text);
    out->text = bytes.bytes ? bytes.bytes : "";
    out->size = bytes.length;
    return status != PORTOLAN_ENOMEM;
}

bool assembly_read_models(const struct portolan_assembly *a, struct portolan_arena *arena,
                          const struct xml_element *e, struct portolan_diagnostics *d,
                          const struct portolan_assembly_alternative *base,
                          struct portolan_assembly_alternative *out)
{
    size_t inherited = base && !strcmp(base->class_name, out->class_name) ? base->n_models : 0;

    out->n_models = 0;
    out->models =
        portolan_arena_alloc(arena, inherited + xml_count(e, "model"), sizeof *out->models);
    if (!out->models)
        return false;
    for (size_t i = 0; i < inherited; i++)
        out->models[out->n_models++] = base->models[i];
    for (const struct xml_element *x = NULL; (x = xml_next(e, x, "model"));)
        if (!read_model(a, arena, x, d, &out->models[out->n_models++]))
            return false;
    return true;
}
