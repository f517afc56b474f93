/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/ccaffeine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of enum portolan_form, which ends with no form. */
static const char *const forms[] = {"rc", "bld", "xml", NULL};
enum { FORM_NONE = PORTOLAN_FORM_XML + 1 };

struct options {
    struct portolan_convert_options files;
    unsigned from, to;
    bool is_lossy, is_exact;
};

static unsigned form_by_ending(const char *file)
{
    const char *dot = strrchr(file, '.');
    unsigned form = PORTOLAN_FORM_RC;

    while (forms[form] && (!dot || strcmp(dot + 1, forms[form]) != 0))
        form++;
    return form;
}

static error_t take_file(void *to, char *arg, const struct cli_option *option,
                         struct argp_state *state)
{
    struct options *o = to;

    (void)option;
    if (o->files.in && o->files.out)
        argp_error(state, "convert takes two files, but '%s' was also given", arg);
    *(o->files.in ? &o->files.out : &o->files.in) = arg;
    return 0;
}

static error_t check_forms(void *to, char *arg, const struct cli_option *option,
                           struct argp_state *state)
{
    struct options *o = to;

    (void)arg, (void)option;
    if (!o->files.in || !o->files.out)
        argp_error(state, "which files? name IN and OUT ('-': standard output)");
    if (o->from == FORM_NONE && (o->from = form_by_ending(o->files.in)) == FORM_NONE)
        argp_error(state, "what is the form of '%s'? name it with --from=rc, bld or xml",
                   o->files.in);
    if (o->to == FORM_NONE && (o->to = form_by_ending(o->files.out)) == FORM_NONE)
        argp_error(state, "what form shall '%s' have? name it with --to=rc, bld or xml",
                   o->files.out);
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
     INTO(struct options, files.path)},
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
    enum portolan_status status;
    const char *out;
    char *text = NULL;
    int code = EXIT_BAD_INPUT;

    parse_line(&line, argc, argv, 0, &o);
    c.is_exact = o.is_exact;
    out = o.files.out;
    if (!strcmp(out, "-"))
        o.files.out = NULL;
    o.files.from = (enum portolan_form)o.from;
    o.files.to = (enum portolan_form)o.to;
    status = portolan_convert(&o.files, &c, &d, &text, &err);
    if (status != PORTOLAN_OK && d.count)
        fprintf(stderr, "portolan: error: %d error%s in '%s'\n", d.count, d.count == 1 ? "" : "s",
                o.files.in);
    else if (status != PORTOLAN_OK)
        print_error(&err);
    else if (c.losses && !o.is_lossy)
        fprintf(stderr,
                "portolan: error: '%s' is not written, because it cannot express all of '%s'; use "
                "--lossy to write it nevertheless\n",
                out, o.files.in);
    else
        code = write_text(o.files.out, text);
    free(text);
    return code;
}
