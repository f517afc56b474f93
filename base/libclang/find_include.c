/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a source includes a header, by the text of the directives: parsing every source of a
 * project to find the flags of one header would take longer than anything else. Conditions are not
 * looked at, and files named by macros are not found.
 */
#include "compile_commands.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct portolan_arena *arena;
    const struct compile_command *command;
    const char *header; /* real path */
    const char **seen;  /* real paths */
    size_t n_seen;
};

/* The folder of a flag -I, -isystem, -iquote or -idirafter at I, or NULL. */
static const char *search_folder(const struct compile_command *c, size_t i)
{
    static const char *const flags[] = {"-isystem", "-iquote", "-idirafter", "-I"};

    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        size_t length = strlen(flags[k]);

        if (strncmp(c->flags[i], flags[k], length) != 0)
            continue;
        return c->flags[i][length]  ? c->flags[i] + length
               : i + 1 < c->n_flags ? c->flags[i + 1]
                                    : NULL;
    }
    return NULL;
}

/* The real path of what NAME means in a directive of FILE; in the arena, or NULL. */
static const char *resolve(struct walk *w, const char *file, const char *name, bool quoted)
{
    const char *slash = strrchr(file, '/');
    char path[PATH_MAX];

    if (*name == '/')
        return realpath(name, path) ? portolan_libclang_print(w->arena, "%s", path) : NULL;
    if (quoted && slash &&
        realpath(portolan_libclang_print(w->arena, "%.*s/%s", (int)(slash - file), file, name),
                 path))
        return portolan_libclang_print(w->arena, "%s", path);
    for (size_t i = 0; i < w->command->n_flags; i++) {
        const char *folder = search_folder(w->command, i);

        if (folder && realpath(portolan_libclang_print(w->arena, "%s/%s", folder, name), path))
            return portolan_libclang_print(w->arena, "%s", path);
    }
    return NULL;
}

/* The name in LINE if it is an include directive, cut out of it. */
static char *directive(char *line, bool *quoted)
{
    char *end;

    line += strspn(line, " \t");
    if (*line++ != '#')
        return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '"' && *line != '<')
        return NULL;
    *quoted = *line == '"';
    end = strchr(line + 1, *quoted ? '"' : '>');
    if (!end)
        return NULL;
    *end = '\0';
    return line + 1;
}

static bool is_seen(const struct walk *w, const char *path)
{
    for (size_t i = 0; i < w->n_seen; i++)
        if (strcmp(w->seen[i], path) == 0)
            return true;
    return false;
}

/* Notes what FILE includes and nobody had; returns true when the header is among it. */
static bool scan(struct walk *w, const char *file)
{
    FILE *text = fopen(file, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    while (text && !found && getline(&line, &capacity, text) >= 0) {
        bool quoted;
        char *name = directive(line, &quoted);
        const char *path = name ? resolve(w, file, name, quoted) : NULL;

        if (!path || is_seen(w, path))
            continue;
        found = strcmp(path, w->header) == 0;
        w->seen = portolan_arena_grow(w->arena, w->seen, w->n_seen, sizeof *w->seen);
        if (!w->seen)
            break;
        w->seen[w->n_seen++] = path;
    }
    free(line);
    if (text)
        fclose(text);
    return found;
}

bool libclang_includes(struct portolan_arena *arena, const struct compile_command *command,
                       const char *header)
{
    struct walk w = {.arena = arena, .command = command, .header = header};

    if (scan(&w, command->file))
        return true;
    for (size_t i = 0; w.seen && i < w.n_seen; i++)
        if (scan(&w, w.seen[i]))
            return true;
    return false;
}
