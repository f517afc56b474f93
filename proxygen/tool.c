/* SPDX-License-Identifier: BSD-3-Clause */
/* proxygenc: the generator for use inside builds; `portolan proxygen` is what users call. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <portolan/proxygen.h>

enum {
    KEY_PORT = 1,
    KEY_CONTEXT,
    KEY_INCLUDE,
    KEY_FUNCTIONS,
    KEY_LIBRARY,
    KEY_FRONT,
    KEY_FROM,
    KEY_COMMANDS
};

static const struct argp_option options[] = {
    {"port", KEY_PORT, "TYPE", 0, "SIDL interface, or C struct as NAME[=PORT.TYPE]", 0},
    {"output", 'o', "DIR", 0, "folder for the output", 0},
    {"context", KEY_CONTEXT, "FILE", 0, "side file with lines 'method: argument, …'", 0},
    {"include", KEY_INCLUDE, "TEXT", 0, "how generated C includes the header", 0},
    {"functions", KEY_FUNCTIONS, "GLOB", 0, "the port is the functions of these names", 0},
    {"lib", KEY_LIBRARY, "FILE", 0, "shared object that implements the functions", 0},
    {"front", KEY_FRONT, NULL, 0, "also make the library that stands in for them", 0},
    {"from", KEY_FROM, "GLOB", 0, "headers whose declarations count", 0},
    {"compile-commands", KEY_COMMANDS, "FILE|DIR", 0, "flags are in this compile_commands.json", 0},
    {"quiet", 'q', NULL, 0, "no report", 0},
    {0}};

struct arguments {
    struct portolan_proxygen_options options;
    const char **files, **functions, **libraries;
    bool quiet;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case KEY_PORT:
        a->options.port = text;
        return 0;
    case 'o':
        a->options.folder = text;
        return 0;
    case KEY_CONTEXT:
        a->options.context = text;
        return 0;
    case KEY_INCLUDE:
        a->options.include = text;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case KEY_FUNCTIONS:
        a->functions[a->options.n_functions++] = text;
        return 0;
    case KEY_LIBRARY:
        a->libraries[a->options.n_libraries++] = text;
        return 0;
    case KEY_FRONT:
        a->options.front = true;
        return 0;
    case KEY_FROM:
        a->options.from = text;
        return 0;
    case KEY_COMMANDS:
        a->options.compile_commands = text;
        return 0;
    case ARGP_KEY_ARG:
        a->files[a->options.n_files++] = text;
        return 0;
    case ARGP_KEY_END:
        if (!a->options.n_files || !a->options.port || !a->options.folder)
            argp_error(state, "give HEADER or SIDL files, --port and -o");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_diagnostic(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    (void)column;
    fprintf(stderr, "%s:%d: error: %s\n", file, line, text);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, "FILE… [-- FLAGS]", "Generates the timing proxy of one port.", NULL,
        NULL,    NULL};
    struct arguments a = {.files = portolan_calloc((size_t)argc, 3 * sizeof *a.files)};
    struct portolan_diagnostics diagnostics = {.report = print_diagnostic};
    struct portolan_proxygen_result result = {0};
    struct portolan_error err = {0};
    enum portolan_status status;
    int own = 1;

    if (!a.files)
        return EXIT_FAILURE;
    /* Behind "--" come the compiler's flags. */
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    a.functions = a.files + argc;
    a.libraries = a.functions + argc;
    a.options.files = a.files;
    a.options.functions = a.functions;
    a.options.libraries = a.libraries;
    if (own < argc) {
        a.options.flags = (const char *const *)argv + own + 1;
        a.options.n_flags = (size_t)(argc - own - 1);
    }
    argp_err_exit_status = 2;
    argp_parse(&argp, own, argv, 0, NULL, &a);
    status = portolan_proxygen_generate(&a.options, &result, &diagnostics, &err);
    if (status != PORTOLAN_OK && !diagnostics.count)
        fprintf(stderr, "proxygenc: error: %s\n", err.text);
    if (result.report && !a.quiet)
        fputs(result.report, stdout);
    portolan_proxygen_result_clear(&result);
    free(a.files);
    return status == PORTOLAN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
