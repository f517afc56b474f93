/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/ccaffeine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_RC, FORM_BLD, FORM_XML, FORM_NONE };
static const char *const forms[] = {"rc", "bld", "xml", NULL};

struct options {
    const char *in, *out, *path;
    enum form from, to;
    bool is_lossy, is_exact;
};

static enum form form_by_ending(const char *file)
{
    const char *dot = strrchr(file, '.');
    unsigned form = FORM_RC;

    while (forms[form] && (!dot || strcmp(dot + 1, forms[form]) != 0))
        form++;
    return (enum form)form;
}

static error_t take_file(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct options *o = to;

    (void)option;
    if (o->in && o->out)
        argp_error(state, "convert takes two files, but '%s' was also given", arg);
    *(o->in ? &o->out : &o->in) = arg;
    return 0;
}

static error_t check_forms(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct options *o = to;

    (void)arg, (void)option;
    if (!o->in || !o->out)
        argp_error(state, "which files? name IN and OUT ('-': standard output)");
    if (o->from == FORM_NONE && (o->from = form_by_ending(o->in)) == FORM_NONE)
        argp_error(state, "what is the form of '%s'? name it with --from=rc, bld or xml", o->in);
    if (o->to == FORM_NONE && (o->to = form_by_ending(o->out)) == FORM_NONE)
        argp_error(state, "what form shall '%s' have? name it with --to=rc, bld or xml", o->out);
    return 0;
}

static const struct cli_option options[] = {
    {"from", 0, "rc|bld|xml", "the form of IN (default: by its extension)", .kind = CLI_CHOICE,
     .offset = offsetof(struct options, from), .words = forms},
    {"to", 0, "rc|bld|xml", "the form of OUT (default: by its extension)", .kind = CLI_CHOICE,
     .offset = offsetof(struct options, to), .words = forms},
    {"lossy", 0, NULL, "write OUT even if it cannot express all of IN",
     INTO(struct options, is_lossy)},
    {"exact", 0, NULL, "refuse class names that only the palette completes",
     INTO(struct options, is_exact)},
    {"path", 'p', "DIR:...", "search these folders for components first",
     INTO(struct options, path)},
    {.key = CLI_WORD, .take = take_file},
    {.key = CLI_END, .take = check_forms},
    {0},
};

static void print_loss(void *arg, const char *file, int line, bool loses, const char *text)
{
    const struct options *o = arg;
    const char *word = !loses ? "note" : o->is_lossy ? "warning" : "error";

    if (line > 0)
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, word, text);
    else
        fprintf(stderr, "%s: %s: %s\n", file, word, text);
}

/* The input, in either form, and the classes that were found. */
struct source {
    struct portolan_script *script;
    struct portolan_assembly *assembly;
    struct portolan_palette *palette;
};

static enum portolan_status read_source(const struct options *o, struct source *s,
                                        struct portolan_diagnostics *d, struct portolan_error *err)
{
    enum portolan_status status;

    if (o->from == FORM_XML)
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
static void print_between(void *arg, const char *file, int line, bool loses, const char *text)
{
    const struct options *o = arg;

    (void)file;
    (void)line;
    print_loss(arg, o->in, 0, loses, text);
}

/* Converts by an intermediate assembly, and reports the losses of both conversions. */
static enum portolan_status script_to_script(const struct options *o, const struct source *s,
                                             struct portolan_conversion *c,
                                             struct portolan_diagnostics *d, char **text,
                                             struct portolan_error *err)
{
    const char *out = strcmp(o->out, "-") ? o->out : NULL;
    struct portolan_conversion second = {.report = print_between, .arg = c->arg};
    struct portolan_assembly *a = NULL;
    enum portolan_status status;
    char *xml;

    status = portolan_script_to_assembly(s->script, s->palette, out, c, d, &xml, err);
    if (status == PORTOLAN_OK)
        status = portolan_assembly_read_text(xml, strlen(xml), out ? out : o->in, d, &a, err);
    if (status == PORTOLAN_OK)
        status =
            portolan_assembly_to_script(a, s->palette, o->to == FORM_BLD, out, &second, text, err);
    c->losses += second.losses;
    free(xml);
    portolan_assembly_destroy(a);
    return status;
}

static enum portolan_status convert(const struct options *o, const struct source *s,
                                    struct portolan_conversion *c, struct portolan_diagnostics *d,
                                    char **text, struct portolan_error *err)
{
    const char *out = strcmp(o->out, "-") ? o->out : NULL;

    if (o->from == FORM_XML && o->to == FORM_XML)
        return portolan_assembly_write(s->assembly, out, text, err);
    if (o->from == FORM_XML)
        return portolan_assembly_to_script(s->assembly, s->palette, o->to == FORM_BLD, out, c, text,
                                           err);
    if (o->to == FORM_XML)
        return portolan_script_to_assembly(s->script, s->palette, out, c, d, text, err);
    return script_to_script(o, s, c, d, text, err);
}

int command_convert(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "IN OUT",
        .doc = "Convert a Ccaffeine script (.rc, .bld) to an XML assembly, or back. Each line that "
               "OUT cannot express is reported; then OUT is written only with --lossy.",
        .options = options,
    };
    struct options o = {.from = FORM_NONE, .to = FORM_NONE};
    struct portolan_error err = {0};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_conversion c = {.report = print_loss, .arg = &o};
    struct source s = {0};
    enum portolan_status status;
    char *text = NULL;
    int code = EXIT_BAD_INPUT;

    parse_line(&line, argc, argv, 0, &o);
    c.is_exact = o.is_exact;
    status = read_source(&o, &s, &d, &err);
    if (status == PORTOLAN_OK)
        status = convert(&o, &s, &c, &d, &text, &err);
    if (status != PORTOLAN_OK && d.count)
        fprintf(stderr, "portolan: error: %d error%s in '%s'\n", d.count, d.count == 1 ? "" : "s",
                o.in);
    else if (status != PORTOLAN_OK)
        print_error(&err);
    else if (c.losses && !o.is_lossy)
        fprintf(stderr,
                "portolan: error: '%s' is not written, because it cannot express all of '%s'; use "
                "--lossy to write it nevertheless\n",
                o.out, o.in);
    else
        code = write_text(strcmp(o.out, "-") ? o.out : NULL, text);
    free(text);
    portolan_script_destroy(s.script);
    portolan_assembly_destroy(s.assembly);
    portolan_palette_destroy(s.palette);
    return code;
}
