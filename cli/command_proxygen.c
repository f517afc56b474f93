/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include <portolan/proxygen.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct proxygen_options {
    struct portolan_proxygen_options generate;
    const char **files, **flags, **functions, **libraries;
    bool is_quiet;
};

/* -IDIR names a folder that is searched for SIDL packages. */
static error_t take_include(void *to, char *arg, const struct cli_option *option,
                            struct argp_state *state)
{
    char *flag = portolan_asprintf("-I%s", arg);
    struct proxygen_options *o = to;

    (void)option, (void)state;
    return flag ? append_text(&o->flags, &o->generate.n_flags, flag) : ENOMEM;
}

static error_t check_functions(void *to, char *arg, const struct cli_option *option,
                               struct argp_state *state)
{
    const struct proxygen_options *o = to;

    (void)arg, (void)option;
    if (!o->generate.n_functions && (o->generate.n_libraries || o->generate.front))
        argp_error(state, "--lib and --front go with --functions");
    return 0;
}

static const struct cli_option options[] = {
    {"port", 't', "TYPE",
     "the port: a SIDL interface, or a C struct (STRUCT=TYPE names it as a port type)",
     INTO(struct proxygen_options, generate.port)},
    {"output", 'o', "DIR", "write into this folder (default: here)",
     INTO(struct proxygen_options, generate.folder)},
    {"context", 'c', "FILE", "lines 'method: argument, argument' that name the contexts",
     INTO(struct proxygen_options, generate.context)},
    {"include", 'I', "DIR", "search required SIDL packages there; may be repeated",
     .take = take_include},
    {"header", 'H', "TEXT", "how generated code includes the C header, for instance '<a/b.h>'",
     INTO(struct proxygen_options, generate.include)},
    {"functions", 0, "GLOB",
     "the port is all functions of the header whose names match; separate several patterns by "
     "commas, or repeat the option",
     INTO_LIST(struct proxygen_options, functions, generate.n_functions), .has_commas = true},
    {"lib", 0, "[NAME=]FILE",
     "a shared object that implements the functions, to become a component; may be repeated",
     INTO_LIST(struct proxygen_options, libraries, generate.n_libraries)},
    {"front", 0, NULL, "also generate the library that replaces these functions",
     INTO(struct proxygen_options, generate.front)},
    {"from", 0, "GLOB",
     "use the declarations in headers whose paths match (default: only the named header)",
     INTO(struct proxygen_options, generate.from)},
    {"compile-commands", 0, "FILE|DIR",
     "take the compiler flags from this compile_commands.json, or from the one in DIR",
     INTO(struct proxygen_options, generate.compile_commands)},
    {"quiet", 'q', NULL, "print no report, for build tools",
     INTO(struct proxygen_options, is_quiet), .is_hidden = true},
    {.key = CLI_WORD, INTO_LIST(struct proxygen_options, files, generate.n_files)},
    {.key = CLI_END,
     .doc = "which header or SIDL files?",
     INTO(struct proxygen_options, generate.n_files)},
    {.key = CLI_END,
     .doc = "which port? name it with --port TYPE",
     INTO(struct proxygen_options, generate.port)},
    {.key = CLI_END, .take = check_functions},
    {0},
};

int command_proxygen(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "HEADER|FILE.sidl... [-- FLAGS...]",
        .doc = "Generate a timing proxy for a port, from SIDL or from a C header (read with the "
               "compiler flags after --).",
        .options = options,
    };
    struct proxygen_options o = {.generate = {.folder = "."}};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_proxygen_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status;

    argc = take_flags(argc, argv, options, &o.flags, &o.generate.n_flags);
    parse_line(&line, argc, argv, 0, &o);
    o.generate.files = o.files;
    o.generate.flags = o.flags;
    o.generate.functions = o.functions;
    o.generate.libraries = o.libraries;
    status = portolan_proxygen_generate(&o.generate, &result, &d, &err);
    if (status == PORTOLAN_OK && !o.is_quiet)
        fputs(result.report, stdout);
    portolan_proxygen_result_clear(&result);
    free(o.files);
    free(o.flags);
    free(o.functions);
    free(o.libraries);
    if (status == PORTOLAN_OK)
        return 0;
    portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
    return print_error(&err);
}
