/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include <portolan/sidl.h>

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct sidl_options {
    struct portolan_sidl_options compile;
    const char **files, **include_dirs;
    bool checks, lists; /* do only this */
};

static error_t take_language(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    struct sidl_options *o = to;
    enum portolan_sidl_language language;

    if (!portolan_sidl_language_find(arg, &language))
        argp_error(state, "unknown language '%s'; use C, C++ or F03 (Fortran)", arg);
    if (language == PORTOLAN_SIDL_PYTHON)
        argp_error(state,
                   "Python needs no code: callers use portolan.sidl(\"PACKAGE\"), and classes say "
                   "%%attrib{language=\"Python\"}");
    if (option->key == 's') {
        o->compile.server = true;
        o->compile.server_language = language;
    } else {
        o->compile.client_language = language;
    }
    return 0;
}

static error_t take_stubs(void *to, char *arg, const struct cli_option *option,
                          struct argp_state *state)
{
    (void)option;
    if (strcasecmp(arg, "Python") != 0)
        argp_error(state, "unknown stubs '%s'; only Python has stubs, for type checkers", arg);
    ((struct sidl_options *)to)->compile.stubs = true;
    return 0;
}

static error_t check_options(void *to, char *arg, const struct cli_option *option,
                             struct argp_state *state)
{
    const struct sidl_options *o = to;

    (void)arg, (void)option;
    if (o->checks && o->lists)
        argp_error(state, "--check and --list exclude each other");
    if (o->compile.stubs && (o->compile.server || o->compile.client_language))
        argp_error(state, "--stubs writes stubs alone; --client and --server are for another run");
    if (o->compile.impl_dir && !o->compile.server)
        argp_error(state, "--impl needs --server");
    if (o->compile.hooks && !o->compile.server)
        argp_error(state, "--generate-hooks needs --server");
    if (o->compile.hooks && o->compile.server_language == PORTOLAN_SIDL_F03)
        argp_error(state, "--generate-hooks is for servers in C and C++");
    return 0;
}

static const struct cli_option options[] = {
    {"output", 'o', "DIR", "write the files into this folder (default: here)",
     INTO(struct sidl_options, compile.output_dir)},
    {"include", 'I', "DIR", "search DIR for required packages; may be repeated",
     INTO_LIST(struct sidl_options, include_dirs, compile.n_include_dirs)},
    {"client", 'c', "LANGUAGE", "language of the stubs: C (default), C++ or F03 (Fortran)",
     .take = take_language},
    {"server", 's', "LANGUAGE",
     "also generate skeletons and Impl files for the classes: C, C++, F03", .take = take_language},
    {"stubs", 0, "LANGUAGE", "only write the types of the packages for type checkers of Python",
     .take = take_stubs},
    {"impl", 0, "DIR", "keep Impl files in this folder (default: that of --output)",
     INTO(struct sidl_options, compile.impl_dir)},
    {"generate-hooks", 0, NULL, "call a function before and after each method of a class",
     INTO(struct sidl_options, compile.hooks)},
    {"check", 0, NULL, "check only: print one line per error", INTO(struct sidl_options, checks)},
    {"list", 0, NULL, "print only the names of the files that would be written",
     INTO(struct sidl_options, lists)},
    {.key = CLI_WORD, INTO_LIST(struct sidl_options, files, compile.n_files)},
    {.key = CLI_END, .take = check_options},
    {.key = CLI_END, .doc = "which SIDL files?", INTO(struct sidl_options, compile.n_files)},
    {0},
};

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

    if (!status && o->lists)
        status = portolan_sidl_list_outputs(model, &o->compile, d, print_name, NULL, err);
    portolan_sidl_destroy(model);
    return status;
}

int command_sidl(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "FILE.sidl...",
        .doc = "Compile SIDL to C in Babel's binding, or to Fortran.",
        .options = options,
    };
    struct portolan_diagnostics d = {.report = print_diagnostic}, notes = {.report = print_note};
    struct sidl_options o = {.compile = {.output_dir = ".", .notes = &notes}};
    struct portolan_error err = {0};
    enum portolan_status status;

    parse_line(&line, argc, argv, 0, &o);
    o.compile.files = o.files;
    o.compile.include_dirs = o.include_dirs;
    status = o.checks || o.lists ? judge_or_list(&o, &d, &err)
                                 : portolan_sidl_compile(&o.compile, &d, &err);
    free(o.files);
    free(o.include_dirs);
    if (status == PORTOLAN_OK)
        return 0;
    if (o.checks && d.count)
        return 1; /* the errors are already printed */
    portolan_error_set(&err, status, "%d error%s", d.count, d.count == 1 ? "" : "s");
    return print_error(&err);
}
