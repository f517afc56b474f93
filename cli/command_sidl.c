/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include <portolan/sidl.h>

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { ONLY_CHECK = 256, ONLY_LIST, HOOKS };

struct sidl_options {
    struct portolan_sidl_options compile;
    const char **files, **include_dirs;
    int only; /* ONLY_CHECK, ONLY_LIST or 0 */
};

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "write the files into this folder (default: here)", 0},
    {"include", 'I', "DIR", 0, "search required packages there; may be repeated", 0},
    {"client", 'c', "LANGUAGE", 0, "language of the stubs: C (default)", 0},
    {"server", 's', "LANGUAGE", 0, "also emit skeletons and Impl files for the classes: C", 0},
    {"generate-hooks", HOOKS, NULL, 0, "a function before and after each method of a class", 0},
    {"check", ONLY_CHECK, NULL, 0, "only judge: one line per error", 0},
    {"list", ONLY_LIST, NULL, 0, "only name the files that would be written", 0},
    {0},
};

static void check_language(struct argp_state *state, const char *language)
{
    if (strcasecmp(language, "C") != 0)
        argp_error(state, "no language '%s', there is: C", language);
}

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
        check_language(state, arg);
        return 0;
    case 's':
        check_language(state, arg);
        o->compile.server = true;
        return 0;
    case HOOKS:
        o->compile.hooks = true;
        return 0;
    case ONLY_CHECK:
    case ONLY_LIST:
        if (o->only && o->only != key)
            argp_error(state, "--check and --list exclude each other");
        o->only = key;
        return 0;
    case ARGP_KEY_ARG:
        return append_text(&o->files, &o->compile.n_files, arg);
    case ARGP_KEY_END:
        if (!o->compile.n_files)
            argp_error(state, "which SIDL files?");
        if (o->compile.hooks && !o->compile.server)
            argp_error(state, "--generate-hooks needs --server");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_note(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    (void)column;
    fprintf(stderr, "%s:%d: note: %s\n", file, line, text);
}

static void print_name(void *arg, const char *name)
{
    (void)arg;
    puts(name);
}

static enum portolan_status judge_or_list(const struct sidl_options *o,
                                          struct portolan_diagnostics *d,
                                          struct portolan_error *err)
{
    struct portolan_sidl_model *model = NULL;
    enum portolan_status status = portolan_sidl_read(&o->compile, d, &model, err);

    if (!status && o->only == ONLY_LIST)
        status = portolan_sidl_list_outputs(model, &o->compile, d, print_name, NULL, err);
    portolan_sidl_destroy(model);
    return status;
}

int command_sidl(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "FILE.sidl...",
        .doc = "Compile SIDL to C in Babel's binding.",
    };
    struct portolan_diagnostics d = {.report = print_diagnostic}, notes = {.report = print_note};
    struct sidl_options o = {
        .compile = {.output_dir = ".", .notes = &notes, .touch = is_build_tool}};
    struct portolan_error err = {0};
    enum portolan_status status;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    o.compile.files = o.files;
    o.compile.include_dirs = o.include_dirs;
    status = o.only ? judge_or_list(&o, &d, &err) : portolan_sidl_compile(&o.compile, &d, &err);
    free(o.files);
    free(o.include_dirs);
    if (status == PORTOLAN_OK)
        return 0;
    if (o.only == ONLY_CHECK && d.count)
        return 1; /* one line per error, and no other */
    portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
    return print_error(&err);
}
