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

enum { KEY_FUNCTIONS = 0x100, KEY_LIBRARY, KEY_FRONT, KEY_FROM, KEY_COMPILE_COMMANDS };

static const struct argp_option options[] = {
    {"port", 't', "TYPE", 0,
     "the port: a SIDL interface, or a C struct (STRUCT=TYPE names it as a port type)", 0},
    {"output", 'o', "DIR", 0, "write into this folder (default: here)", 0},
    {"context", 'c', "FILE", 0, "lines 'method: argument, argument' that name the contexts", 0},
    {"include", 'I', "DIR", 0, "search required SIDL packages there; may be repeated", 0},
    {"header", 'H', "TEXT", 0, "how generated code includes the C header, as in '<a/b.h>'", 0},
    {"functions", KEY_FUNCTIONS, "GLOB", 0,
     "the port is all functions of the header with such names; more than one pattern by commas, or "
     "by repeating the option",
     0},
    {"lib", KEY_LIBRARY, "[NAME=]FILE", 0,
     "shared object that implements the functions, which becomes a component; may be repeated", 0},
    {"front", KEY_FRONT, NULL, 0, "also make the library that stands in for these functions", 0},
    {"from", KEY_FROM, "GLOB", 0,
     "headers whose declarations count, by their paths (default: the named one alone)", 0},
    {"compile-commands", KEY_COMPILE_COMMANDS, "FILE|DIR", 0,
     "take the compiler flags from this compile_commands.json", 0},
    {"quiet", 'q', NULL, OPTION_HIDDEN, "no report, for build tools", 0},
    {0},
};

/* SIDL packages are searched where the flag -IDIR says. */
static error_t add_include(struct proxygen_options *o, const char *dir)
{
    char *flag = portolan_asprintf("-I%s", dir);

    return flag ? append_text(&o->flags, &o->generate.n_flags, flag) : ENOMEM;
}

static void check_options(const struct proxygen_options *o, struct argp_state *state)
{
    if (!o->generate.n_files)
        argp_error(state, "which header or SIDL files?");
    if (!o->generate.port)
        argp_error(state, "which port? name it with --port TYPE");
    if (!o->generate.n_functions && (o->generate.n_libraries || o->generate.front))
        argp_error(state, "--lib and --front go with --functions");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct proxygen_options *o = state->input;

    switch (key) {
    case 't':
        o->generate.port = arg;
        return 0;
    case 'o':
        o->generate.folder = arg;
        return 0;
    case 'c':
        o->generate.context = arg;
        return 0;
    case 'I':
        return add_include(o, arg);
    case 'q':
        o->is_quiet = true;
        return 0;
    case 'H':
        o->generate.include = arg;
        return 0;
    case KEY_FUNCTIONS:
        return append_list(&o->functions, &o->generate.n_functions, arg);
    case KEY_LIBRARY:
        return append_text(&o->libraries, &o->generate.n_libraries, arg);
    case KEY_FRONT:
        o->generate.front = true;
        return 0;
    case KEY_FROM:
        o->generate.from = arg;
        return 0;
    case KEY_COMPILE_COMMANDS:
        o->generate.compile_commands = arg;
        return 0;
    case ARGP_KEY_ARG:
        return append_text(&o->files, &o->generate.n_files, arg);
    case ARGP_KEY_END:
        check_options(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_proxygen(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "HEADER|FILE.sidl... [-- FLAGS...]",
        .doc =
            "Make a timing proxy for a port, from SIDL or from a C header (read with the compiler "
            "flags behind --).",
    };
    struct proxygen_options o = {.generate = {.folder = "."}};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_proxygen_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status;

    argc = take_flags(argc, argv, options, &o.flags, &o.generate.n_flags);
    argp_parse(&argp, argc, argv, 0, NULL, &o);
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
