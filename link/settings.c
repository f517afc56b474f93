/* SPDX-License-Identifier: BSD-3-Clause */
/* The file in which Portolan's build tells how to link: lines KEY = VALUE. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

struct reader {
    struct portolan_arena *arena;
    const char *file;
    size_t folder_length; /* of the file's name, with the slash */
};

/* The list that KEY fills; *IS_PATH tells whether its values are paths. */
static struct words *find_list(struct settings *s, const char *key, bool *is_path)
{
    const struct {
        const char *key;
        struct words *list;
        bool is_path;
    } keys[] = {
        {"compiler", &s->compiler, false}, {"ld", &s->ld, false},
        {"objcopy", &s->objcopy, false},   {"flags", &s->flags, false},
        {"include", &s->includes, true},   {"archive", &s->archives, true},
        {"libs", &s->libs, false},         {"static-libs", &s->static_libs, false},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i].key, key)) {
            *is_path = keys[i].is_path;
            return keys[i].list;
        }
    return NULL;
}

static bool add_path(struct reader *r, struct words *list, const char *path)
{
    if (*path != '/')
        path = portolan_arena_printf(r->arena, "%.*s%s", (int)r->folder_length, r->file, path);
    return words_add(r->arena, list, path);
}

static enum portolan_status read_line(struct reader *r, struct settings *s, char *line, int number,
                                      struct portolan_error *err)
{
    char key[40], *value = strchr(line, '=');
    struct words *list;
    bool is_path;

    if (sscanf(line, " %39[^ =]", key) != 1 || key[0] == '#')
        return PORTOLAN_OK;
    if (!value || !(list = find_list(s, key, &is_path)))
        return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                  "%s:%d: '%s' is no setting; the file must be that of this "
                                  "Portolan's build",
                                  r->file, number, key);
    value += 1 + strspn(value + 1, " \t");
    if (is_path ? add_path(r, list, value) : words_split(r->arena, list, value))
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
}

enum portolan_status settings_read(struct portolan_arena *arena, const char *file,
                                   struct settings *s, struct portolan_error *err)
{
    const char *slash = strrchr(file, '/');
    struct reader r = {arena, file, slash ? (size_t)(slash + 1 - file) : 0};
    enum portolan_status status;
    const char *text;
    char *lines, *save;
    size_t size;
    int number = 0;

    *s = (struct settings){0};
    if ((status = file_read(arena, file, &text, &size, err)) != PORTOLAN_OK)
        return status;
    if (!(lines = portolan_arena_strdup(arena, text)))
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    for (; status == PORTOLAN_OK && (save = strsep(&lines, "\n"));)
        status = read_line(&r, s, save, ++number, err);
    if (status == PORTOLAN_OK && (!s->compiler.n || !s->ld.n || !s->objcopy.n || !s->archives.n))
        status =
            portolan_error_set(err, PORTOLAN_ESYNTAX,
                               "%s: there must be a compiler, ld, objcopy and an archive", file);
    return status;
}
