/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/sidl.h>

#include <stdlib.h>

struct sidl_options {
    struct portolan_sidl_options compile;
    const char **files, **include_dirs;
    bool only_check;
};

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "write the C files into this folder (default: here)", 0},
    {"include", 'I', "DIR", 0, "search required packages there; may be repeated", 0},
    {"check", 'c', NULL, 0, "only judge: one line per error", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct sidl_options *o = state->input;

    switch (key) {
    case 'o':
        o->compile.output_dir = arg;
        return 0;
    case 'I':
        return append_text(&o->include_dirs, &o->compile.n_include_dirs, arg);
    case 'c':
        o->only_check = true;
        return 0;
    case ARGP_KEY_ARG:
        return append_text(&o->files, &o->compile.n_files, arg);
    case ARGP_KEY_END:
        if (!o->compile.n_files)
            argp_error(state, "which SIDL files?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_sidl(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "FILE.sidl...",
        .doc = "Compile SIDL interfaces to C headers and tables in Babel's binding.",
    };
    struct sidl_options o = {.compile = {.output_dir = "."}};
    struct portolan_diagnostics d = {.report = print_diagnostic};
    struct portolan_error err = {0};
    struct portolan_sidl_model *model = NULL;
    enum portolan_status status;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.compile.files = o.files;
    o.compile.include_dirs = o.include_dirs;
    if (o.only_check) {
        status = portolan_sidl_read(&o.compile, &d, &model, &err);
        portolan_sidl_destroy(model);
    } else {
        status = portolan_sidl_compile(&o.compile, &d, &err);
    }
    free(o.files);
    free(o.include_dirs);
    if (status == PORTOLAN_OK)
        return 0;
    portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
    return print_error(&err);
}
