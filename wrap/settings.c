/* SPDX-License-Identifier: BSD-3-Clause */
/* The file in which Portolan's build tells what a front is made with: lines KEY = VALUE. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* VALUE as a path that holds from anywhere; relative ones are so to FILE's folder. */
static const char *path_of(struct portolan_arena *arena, const char *file, const char *value)
{
    const char *slash = strrchr(file, '/');

    if (*value == '/' || !slash)
        return portolan_arena_strdup(arena, value);
    return portolan_arena_printf(arena, "%.*s/%s", (int)(slash - file), file, value);
}

static bool take(struct portolan_arena *arena, const char *file, const char *key, const char *value,
                 struct wrap_settings *s)
{
    const char **includes;

    if (!strcmp(key, "compiler")) {
        s->compiler = portolan_arena_strdup(arena, value);
    } else if (!strcmp(key, "archive")) {
        s->archive = path_of(arena, file, value);
    } else if (!strcmp(key, "exits")) {
        s->exits = path_of(arena, file, value);
    } else if (!strcmp(key, "include")) {
        includes = portolan_arena_grow(arena, (void *)s->includes, s->n_includes, sizeof *includes);
        if (includes) {
            includes[s->n_includes++] = path_of(arena, file, value);
            s->includes = includes;
        }
    } else {
        return false;
    }
    return true;
}

static enum portolan_status read_lines(struct portolan_arena *arena, const char *file, FILE *stream,
                                       struct wrap_settings *s, struct portolan_error *err)
{
    char line[8192], key[40], *value;

    for (int number = 1; fgets(line, sizeof line, stream); number++) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, " %39[^ =]", key) != 1 || key[0] == '#')
            continue;
        value = strchr(line, '=');
        if (!value || !take(arena, file, key, value + 1 + strspn(value + 1, " \t"), s))
            return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                      "%s:%d: '%s' is no setting; the file must be that of this "
                                      "Portolan's build",
                                      file, number, key);
    }
    if (arena->failed)
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    if (!s->compiler || !s->archive || !s->exits || !s->n_includes)
        return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                  "%s: there must be compiler, archive, exits and include", file);
    return PORTOLAN_OK;
}

enum portolan_status wrap_settings_read(struct portolan_arena *arena, const char *file,
                                        struct wrap_settings *s, struct portolan_error *err)
{
    FILE *stream = fopen(file, "re");
    enum portolan_status status;

    *s = (struct wrap_settings){0};
    if (!stream)
        return portolan_error_set(err, PORTOLAN_EIO, "%s: %s", file, strerror(errno));
    status = read_lines(arena, file, stream, s, err);
    fclose(stream);
    return status;
}
