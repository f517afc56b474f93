/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <portolan/translate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call_options {
    struct portolan_translate_options translate;
    const char **files, **flags;
    size_t n_files;
    const char *folder;
    bool checks, names_packages; /* do only this */
};

static error_t check_exclusive(void *to, char *arg, const struct cli_option *option,
                               struct argp_state *state)
{
    const struct call_options *o = to;

    (void)arg, (void)option;
    if (o->checks && o->names_packages)
        argp_error(state, "--check and --flags exclude each other");
    return 0;
}

static const struct cli_option options[] = {
    {"output", 'o', "DIR", "write into this folder (default: beside the source)",
     INTO(struct call_options, folder)},
    {"check", 0, NULL, "check only: print one line per error", INTO(struct call_options, checks)},
    {"flags", 0, NULL, "print only the pkg-config names of the libraries to link",
     INTO(struct call_options, names_packages)},
    {"compile-commands", 0, "FILE|DIR",
     "take the compiler flags from this compile_commands.json, or from the one in DIR",
     INTO(struct call_options, translate.compile_commands)},
    {.key = CLI_WORD, INTO_LIST(struct call_options, files, n_files)},
    {.key = CLI_END, .take = check_exclusive},
    {.key = CLI_END, .doc = "which annotated C source?", INTO(struct call_options, n_files)},
    {0},
};

static void print_note(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    fprintf(stderr, "%s:%d:%d: note: %s\n", file, line, column, text);
}

/* Writes the results next to each source, or all into one folder. */
static enum portolan_status write_all(const struct call_options *o,
                                      const struct portolan_translate_result *results,
                                      struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    if (o->folder)
        return portolan_translate_write(results, o->n_files, o->folder, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < o->n_files; i++) {
        char *folder = folder_of(o->files[i]);

        status = folder ? portolan_translate_write(&results[i], 1, folder, err)
                        : portolan_no_memory(err);
        free(folder);
    }
    return status;
}

/* Translates all sources, so that one run reports all errors; then writes all results, or none. */
static enum portolan_status translate_all(struct call_options *o, struct portolan_diagnostics *d,
                                          struct portolan_error *err)
{
    struct portolan_translate_result *results = portolan_calloc(o->n_files, sizeof *results);
    enum portolan_status status = PORTOLAN_OK;

    if (!results)
        return portolan_no_memory(err);
    for (size_t i = 0; i < o->n_files; i++) {
        enum portolan_status one;

        o->translate.file = o->files[i];
        one = portolan_translate(&o->translate, d, &results[i], err);
        if (status == PORTOLAN_OK)
            status = one;
    }
    if (status == PORTOLAN_OK && !o->checks)
        status = write_all(o, results, err);
    for (size_t i = 0; i < o->n_files; i++)
        portolan_translate_clear(&results[i]);
    free(results);
    return status;
}

/* Adds each name in NAMES, which is cut at blanks, unless it is in the list already. */
static void add_names(const char ***list, size_t *n, char *names)
{
    char *rest = names;

    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        size_t k = 0;

        while (k < *n && strcmp((*list)[k], name) != 0)
            k++;
        if (k == *n)
            append_text(list, n, name);
    }
}

/* Prints each name once, in the order of the files. */
static enum portolan_status print_packages(struct call_options *o, struct portolan_diagnostics *d,
                                           struct portolan_error *err)
{
    char **texts = portolan_calloc(o->n_files, sizeof *texts);
    enum portolan_status status = PORTOLAN_OK;
    const char **names = NULL;
    size_t n = 0;

    if (!texts)
        return portolan_no_memory(err);
    for (size_t i = 0; i < o->n_files; i++) {
        enum portolan_status one;

        o->translate.file = o->files[i];
        one = portolan_translate_packages(&o->translate, d, &texts[i], err);
        if (one == PORTOLAN_OK)
            add_names(&names, &n, texts[i]);
        else
            status = one;
    }
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++)
        printf("%s%s", names[i], i + 1 < n ? " " : "\n");
    for (size_t i = 0; i < o->n_files; i++)
        free(texts[i]);
    free(texts);
    free(names);
    return status;
}

int command_call(int argc, char **argv)
{
    static const struct cli_line line = {
        .words = "FILE.c... [-- FLAGS...]",
        .doc = "Translate C annotated with CALL's pragmas: the program FILE.cll.c measures its "
               "experiments. FLAGS are those of the compiler.",
        .options = options,
    };
    struct portolan_diagnostics d = {.report = print_diagnostic}, notes = {.report = print_note};
    struct call_options o = {.translate = {.notes = &notes}};
    struct portolan_error err = {0};
    enum portolan_status status;

    argc = take_flags(argc, argv, options, &o.flags, &o.translate.n_flags);
    parse_line(&line, argc, argv, 0, &o);
    o.translate.flags = o.flags;
    status = o.names_packages ? print_packages(&o, &d, &err) : translate_all(&o, &d, &err);
    free(o.files);
    free(o.flags);
    if (status == PORTOLAN_OK)
        return 0;
    if (d.count)
        return EXIT_BAD_INPUT; /* the errors are already printed */
    return print_error(&err);
}
