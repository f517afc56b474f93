/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/ccaffeine.h>
#include <portolan/command.h>
#include <portolan/json.h>
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

static error_t check_compiler(void *to, char *arg, const struct cli_option *option,
                              struct argp_state *state)
{
    (void)to, (void)option;
    if (!arg[strspn(arg, " \t")])
        argp_error(state, "--cc wants a compiler's command");
    return 0;
}

static const struct cli_option options[] = {
    {"output", 'o', "PROGRAM", "the program to write", INTO(struct link_options, link.output)},
    {"path", 'p', "DIR:...", "search these folders for components first",
     INTO(struct link_options, assembly.path)},
    {"class", 'c', "CLASS", "also link this class; may be repeated",
     INTO_LIST(struct link_options, classes, link.n_classes)},
    {"archive", 'a', "CLASS=FILE", "take CLASS from this static archive; may be repeated",
     INTO_LIST(struct link_options, archives, link.n_archives), .take = need_equals},
    {"static", 'S', NULL, "link all libraries statically, libc included",
     INTO(struct link_options, link.is_static)},
    {"cc", 'C', "COMMAND", "the compiler that links MPI programs (default: that of Portolan's MPI)",
     INTO(struct link_options, link.compiler), .take = check_compiler},
    {"keep", 'k', "DIR", "keep the intermediate files in this folder",
     INTO(struct link_options, link.keep)},
    {.key = CLI_WORD, .doc = "one assembly at a time", INTO(struct link_options, assembly.file)},
    {.key = CLI_END,
     .doc = "which assembly? name its XML file",
     INTO(struct link_options, assembly.file)},
    {.key = CLI_END,
     .doc = "which program? name it with --output PROGRAM",
     INTO(struct link_options, link.output)},
    {0},
};

/* Another command runs scripts. */
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
        "'%s' is a script; convert it to an assembly: portolan convert %s FILE.xml", file,
        portolan_shell_word(file).text);
}

static enum portolan_status run(struct link_options *o, struct portolan_link_result *result,
                                struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct workbench w = {0};
    char *settings = NULL;
    enum portolan_status status = refuse_script(o->assembly.file, err);

    if (status == PORTOLAN_OK)
        status = workbench_open(&w, &o->assembly, print_diagnostic, err);
    if (status == PORTOLAN_OK)
        status = portolan_settings_find("link.conf", PORTOLAN_LINK_SETTINGS, &settings, err);
    if (status == PORTOLAN_OK)
        status = portolan_link(w.assembly, w.palette, settings, &o->link, result, &d, err);
    workbench_close(&w);
    free(settings);
    return status;
}

int command_link(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "ASSEMBLY.xml -o PROGRAM [-- FLAGS...]",
        .doc =
            "Link an assembly, with all its components, their alternatives and proxies, into one "
            "program, which does what `portolan run` does. FLAGS are passed to the compiler.",
        .options = options,
    };
    struct link_options o = {0};
    struct portolan_link_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status;

    argc = take_flags(argc, argv, options, &o.flags, &o.link.n_flags);
    parse_line(&line, argc, argv, 0, &o);
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
