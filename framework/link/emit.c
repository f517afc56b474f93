/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's main function: its texts and the table of its classes. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Adds a C string, one source line per line of the text. */
static void add_string(struct portolan_text *t, const char *text, size_t size)
{
    portolan_text_add(t, "    \"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '\n')
            portolan_text_add(t, i + 1 < size ? "\\n\"\n    \"" : "\\n");
        else if (c == '"' || c == '\\' || c == '?')
            portolan_text_add(t, "\\%c", c);
        else if (c < ' ' || c > '~')
            portolan_text_add(t, "\\%03o", c);
        else
            portolan_text_add_bytes(t, &text[i], 1);
    }
    portolan_text_add(t, "\"");
}

static enum portolan_status add_file(struct portolan_text *t, const char *name, const char *file,
                                     struct portolan_error *err)
{
    const char *text;
    size_t size;
    enum portolan_status status = portolan_file_read(t->arena, file, &text, &size, err);

    if (status != PORTOLAN_OK)
        return status;
    portolan_text_add(t, "static const char %s[] =\n", name);
    add_string(t, text, size);
    portolan_text_add(t, ";\n\n");
    return PORTOLAN_OK;
}

static bool has_models(const struct portolan_assembly *a)
{
    for (size_t i = 0; i < a->n_instances; i++)
        for (size_t k = 0; k < a->instances[i].n_alternatives; k++)
            if (a->instances[i].alternatives[k].n_models)
                return true;
    return false;
}

/* Cases in a file become part of the text: the program reads no case file, but reads models. */
static enum portolan_status add_assembly(struct portolan_text *t, const struct portolan_assembly *a,
                                         struct portolan_error *err)
{
    enum portolan_status status;
    char *text = NULL;

    if (!a->cases_file && !has_models(a))
        return add_file(t, "assembly", a->file, err);
    status = portolan_assembly_write(a, "/", &text, err);
    if (status != PORTOLAN_OK)
        return status;
    portolan_text_add(t, "static const char assembly[] =\n");
    add_string(t, text, strlen(text));
    portolan_text_add(t, ";\n\n");
    free(text);
    return PORTOLAN_OK;
}

static enum portolan_status add_class(struct portolan_text *t, const struct needed *needed,
                                      size_t i, struct portolan_error *err)
{
    const char *name = portolan_arena_printf(t->arena, "description_%zu", i);

    if (!name)
        return portolan_no_memory(err);
    portolan_text_add(t, "extern const struct portolan_component %s;\n", needed->symbols[i]);
    return add_file(t, name, needed->classes[i]->file, err);
}

enum portolan_status emit_main(struct portolan_arena *arena, const struct portolan_assembly *a,
                               const struct needed *needed, const char **text,
                               struct portolan_error *err)
{
    struct portolan_text t = {.arena = arena};
    const char *name = portolan_file_name(a->file);
    enum portolan_status status;
    char *taken;

    portolan_text_add(&t, "/* Made by portolan link; changes will be lost. */\n"
                          "#include <portolan/program.h>\n\n");
    status = add_assembly(&t, a, err);
    for (size_t i = 0; i < needed->n_classes && status == PORTOLAN_OK; i++)
        status = add_class(&t, needed, i, err);
    if (status != PORTOLAN_OK)
        return status;
    portolan_text_add(&t, "static const struct portolan_program_class classes[] = {\n");
    for (size_t i = 0; i < needed->n_classes; i++)
        portolan_text_add(&t, "    {&%s, description_%zu},\n", needed->symbols[i], i);
    portolan_text_add(&t, "};\n\nstatic const struct portolan_program program = {\n"
                          "    sizeof program,\n");
    add_string(&t, name, strlen(name));
    portolan_text_add(&t, ",\n    assembly,\n    sizeof classes / sizeof *classes,\n    classes,\n"
                          "};\n\n"
                          "int main(int argc, char **argv)\n{\n"
                          "    return portolan_program_main(&program, argc, argv);\n}\n");
    status = portolan_text_take(&t, &taken, err);
    if (status == PORTOLAN_OK)
        *text = taken;
    return status;
}
