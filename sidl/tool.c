/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compiler as the build uses it: sidlc [--list] [--server=C] [--generate-hooks] FILE… [-o DIR]
 * [-I DIR]. Users have `portolan sidl`, which calls the same function.
 */
#include <portolan/sidl.h>

#include <stdio.h>
#include <string.h>

enum { MAX_ARGUMENTS = 100 };

static void print_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    fprintf(stderr, "%s:%d:%d: error: %s\n", file, line, column, text);
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

static int list(const struct portolan_sidl_options *options, struct portolan_diagnostics *d,
                struct portolan_error *err)
{
    struct portolan_sidl_model *model;
    enum portolan_status status;

    if (portolan_sidl_read(options, d, &model, err))
        return 1;
    status = portolan_sidl_list_outputs(model, options, d, print_name, NULL, err);
    portolan_sidl_destroy(model);
    return status != PORTOLAN_OK;
}

int main(int argc, char **argv)
{
    const char *files[MAX_ARGUMENTS], *dirs[MAX_ARGUMENTS];
    struct portolan_diagnostics d = {.report = print_problem}, notes = {.report = print_note};
    struct portolan_sidl_options options = {
        .files = files, .include_dirs = dirs, .touch = true, .notes = &notes};
    struct portolan_error err = {0};
    bool only_list = false;
    int failed;

    for (int i = 1; i < argc && i < MAX_ARGUMENTS; i++) {
        if (strcmp(argv[i], "--list") == 0)
            only_list = true;
        else if (strncmp(argv[i], "--server=", 9) == 0)
            options.server = argv[i] + 9;
        else if (strcmp(argv[i], "--generate-hooks") == 0)
            options.hooks = true;
        else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
            options.output_dir = argv[++i];
        else if (strcmp(argv[i], "-I") == 0 && i + 1 < argc)
            dirs[options.n_include_dirs++] = argv[++i];
        else
            files[options.n_files++] = argv[i];
    }
    if (options.n_files == 0) {
        fputs("usage: sidlc [--list] [--server=C] [--generate-hooks] FILE... [-o DIR] [-I DIR]\n",
              stderr);
        return 2;
    }
    failed = only_list ? list(&options, &d, &err) : portolan_sidl_compile(&options, &d, &err) != 0;
    if (failed && d.count == 0)
        fprintf(stderr, "sidlc: error: %s\n", err.text);
    return failed;
}
