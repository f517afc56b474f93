/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void print_diagnostic(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    if (column > 0)
        fprintf(stderr, "%s:%d:%d: error: %s\n", file, line, column, text);
    else
        fprintf(stderr, "%s:%d: error: %s\n", file, line, text);
}

int print_error(const struct portolan_error *err)
{
    fprintf(stderr, "portolan: error: %s\n", err->text);
    return EXIT_BAD_INPUT;
}

int append_text(const char ***list, size_t *n, const char *text)
{
    const char **grown = portolan_reallocarray(*list, *n + 1, sizeof **list);

    if (!grown)
        return ENOMEM;
    grown[(*n)++] = text;
    *list = grown;
    return 0;
}

int append_list(const char ***list, size_t *n, char *texts)
{
    int error = 0;

    for (char *text; !error && (text = strsep(&texts, ", "));)
        if (*text)
            error = append_text(list, n, text);
    return error;
}

/* "-o" and long options that OPTIONS has; compilers know --include, too. */
static bool is_own_option(const char *word, const struct argp_option *options)
{
    size_t length = strcspn(word, "=");

    if (!strncmp(word, "-o", 2))
        return true;
    if (strncmp(word, "--", 2) != 0 || !strcmp(word, "--include"))
        return false;
    for (const struct argp_option *o = options; o->name || o->key; o++)
        if (o->name && strlen(o->name) == length - 2 && !strncmp(o->name, word + 2, length - 2))
            return true;
    return false;
}

int take_flags(int argc, char **argv, const struct argp_option *options, const char ***flags,
               size_t *n)
{
    int own = 1;

    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    for (int i = own + 1; i < argc; i++) {
        append_text(flags, n, argv[i]);
        if (is_own_option(argv[i], options))
            fprintf(stderr,
                    "portolan: warning: '%s' behind '--' is handed to the compiler; options of %s "
                    "stand in front of '--'\n",
                    argv[i], argv[0]);
    }
    return own;
}
