/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a file, whichever of the three forms it has and shall get. */
#include <portolan/ccaffeine.h>

#include <stdlib.h>
#include <string.h>

/* The input, in either form, and the classes that were found. */
struct source {
    struct portolan_script *script;
    struct portolan_assembly *assembly;
    struct portolan_palette *palette;
};

static enum portolan_status read_source(const struct portolan_convert_options *o, struct source *s,
                                        struct portolan_diagnostics *d, struct portolan_error *err)
{
    enum portolan_status status;

    if (o->from == PORTOLAN_FORM_XML)
        status = portolan_assembly_read(o->in, d, &s->assembly, err);
    else
        status = portolan_script_read(o->in, d, &s->script, err);
    if (status == PORTOLAN_OK)
        status = portolan_palette_create(&s->palette, err);
    if (status == PORTOLAN_OK && o->path)
        status = portolan_palette_add_path(s->palette, o->path, d, err);
    /* Folders that do not exist yet do not affect the conversion. */
    if (status == PORTOLAN_OK && s->assembly)
        portolan_palette_add_assembly(s->palette, s->assembly, NULL, NULL);
    if (status == PORTOLAN_OK && s->script)
        portolan_script_add_path(s->script, s->palette);
    if (status == PORTOLAN_OK)
        status = portolan_palette_add_defaults(s->palette, d, err);
    return status;
}

/* Reports losses of an intermediate assembly without its lines, which the user cannot see. */
struct between {
    const struct portolan_conversion *whole;
    const char *in;
};

static void report_between(void *arg, const char *file, int line, bool loses, const char *text)
{
    const struct between *b = arg;

    (void)file, (void)line;
    if (b->whole->report)
        b->whole->report(b->whole->arg, b->in, 0, loses, text);
}

/* Converts by an intermediate assembly, and reports the losses of both conversions. */
static enum portolan_status script_to_script(const struct portolan_convert_options *o,
                                             const struct source *s, struct portolan_conversion *c,
                                             struct portolan_diagnostics *d, char **text,
                                             struct portolan_error *err)
{
    const char *out = o->out;
    struct between between = {c, o->in};
    struct portolan_conversion second = {.report = report_between, .arg = &between};
    struct portolan_assembly *a = NULL;
    enum portolan_status status;
    char *xml;

    status = portolan_script_to_assembly(s->script, s->palette, out, c, d, &xml, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_read_text(xml, strlen(xml), out ? out : o->in, d, &a, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_to_script(a, s->palette, o->to == PORTOLAN_FORM_BLD, out,
                                             &second, text, err);
    c->losses += second.losses;
    free(xml);
    portolan_assembly_destroy(a);
    return status;
}

static enum portolan_status convert(const struct portolan_convert_options *o,
                                    const struct source *s, struct portolan_conversion *c,
                                    struct portolan_diagnostics *d, char **text,
                                    struct portolan_error *err)
{
    const char *out = o->out;

    if (o->from == PORTOLAN_FORM_XML && o->to == PORTOLAN_FORM_XML)
        return portolan_assembly_write(s->assembly, out, text, err);
    if (o->from == PORTOLAN_FORM_XML)
        return portolan_assembly_to_script(s->assembly, s->palette, o->to == PORTOLAN_FORM_BLD, out,
                                           c, text, err);
    if (o->to == PORTOLAN_FORM_XML)
        return portolan_script_to_assembly(s->script, s->palette, out, c, d, text, err);
    return script_to_script(o, s, c, d, text, err);
}

enum portolan_status portolan_convert(const struct portolan_convert_options *o,
                                      struct portolan_conversion *c, struct portolan_diagnostics *d,
                                      char **text, struct portolan_error *err)
{
    struct source s = {0};
    enum portolan_status status = read_source(o, &s, d, err);

    *text = NULL;
    if (status == PORTOLAN_OK)
        status = convert(o, &s, c, d, text, err);
    portolan_script_destroy(s.script);
    portolan_assembly_destroy(s.assembly);
    portolan_palette_destroy(s.palette);
    return status;
}
