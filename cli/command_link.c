/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/ccaffeine.h>
#include <portolan/link.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct link_options {
    struct portolan_link_options link;
    struct assembly_options assembly;
    const char **classes, **archives, **flags;
};

static const struct argp_option options[] = {
    {"output", 'o', "PROGRAM", 0, "the program to make", 0},
    {"path", 'p', "DIR:...", 0, "search these folders for components first", 0},
    {"class", 'c', "CLASS", 0, "link in this class, too; may be repeated", 0},
    {"archive", 'a', "CLASS=FILE", 0, "take a class from this static archive; may be repeated", 0},
    {"static", 'S', NULL, 0, "fully static: take archives of all libraries, libc included", 0},
    {"cc", 'C', "COMMAND", 0, "compiler that links MPI programs (default: that of Portolan's MPI)",
     0},
    {"keep", 'k', "DIR", 0, "keep what is made on the way in this folder", 0},
    {0},
};

static error_t take_file(struct link_options *o, const char *file, struct argp_state *state)
{
    if (o->assembly.file)
        argp_error(state, "one assembly at a time: '%s' is one too many", file);
    o->assembly.file = file;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct link_options *o = state->input;

    switch (key) {
    case 'o':
        o->link.output = arg;
        return 0;
    case 'p':
        o->assembly.path = arg;
        return 0;
    case 'c':
        return append_text(&o->classes, &o->link.n_classes, arg);
    case 'a':
        if (!strchr(arg, '='))
            argp_error(state, "--archive wants CLASS=FILE, not '%s'", arg);
        return append_text(&o->archives, &o->link.n_archives, arg);
    case 'S':
        o->link.is_static = true;
        return 0;
    case 'C':
        if (!arg[strspn(arg, " \t")])
            argp_error(state, "--cc wants a compiler's command");
        o->link.compiler = arg;
        return 0;
    case 'k':
        o->link.keep = arg;
        return 0;
    case ARGP_KEY_ARG:
        return take_file(o, arg, state);
    case ARGP_KEY_END:
        if (!o->assembly.file)
            argp_error(state, "which assembly? name its XML file");
        if (!o->link.output)
            argp_error(state, "which program? name it with --output PROGRAM");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Scripts are read by another command. */
static enum portolan_status refuse_script(const char *file, struct portolan_error *err)
{
    char head[64];
    FILE *f = fopen(file, "r");
    size_t size = f ? fread(head, 1, sizeof head, f) : 0;

    if (f)
        fclose(f);
    if (!f || !portolan_script_is(file, head, size))
        return PORTOLAN_OK;
    return portolan_error_set(
        err, PORTOLAN_EINVAL,
        "'%s' is a script; make an assembly of it: portolan convert %s FILE.xml", file, file);
}

static enum portolan_status run(struct link_options *o, struct portolan_link_result *result,
                                struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct workbench w = {0};
    char *settings = NULL;
    enum portolan_status status = refuse_script(o->assembly.file, err);

    if (status == PORTOLAN_OK)
        status = workbench_open(&w, &o->assembly, true, err);
    if (status == PORTOLAN_OK)
        status = find_settings("link.conf", PORTOLAN_LINK_SETTINGS, &settings, err);
    if (status == PORTOLAN_OK)
        status = portolan_link(w.assembly, w.palette, settings, &o->link, result, &d, err);
    workbench_close(&w);
    free(settings);
    return status;
}

int command_link(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "ASSEMBLY.xml -o PROGRAM [-- FLAGS...]",
        .doc = "Make one program of an assembly, with all its components, their alternatives and "
               "proxies linked in; it does what portolan run does. FLAGS go to the compiler.",
    };
    struct link_options o = {0};
    struct portolan_link_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status;

    argc = take_flags(argc, argv, options, &o.flags, &o.link.n_flags);
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.link.classes = o.classes;
    o.link.archives = o.archives;
    o.link.flags = o.flags;
    status = run(&o, &result, &err);
    if (result.log)
        fputs(result.log, stderr);
    if (status == PORTOLAN_OK)
        printf("written: %s: %zu class%s of %zu archive%s\n", o.link.output, result.n_classes,
               result.n_classes == 1 ? "" : "es", result.n_archives,
               result.n_archives == 1 ? "" : "s");
    free(result.log);
    free(o.classes);
    free(o.archives);
    free(o.flags);
    return status == PORTOLAN_OK ? 0 : print_error(&err);
}
