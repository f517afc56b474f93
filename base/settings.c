/* SPDX-License-Identifier: BSD-3-Clause */
/* The files in which Portolan's build tells how it was made: lines KEY = VALUE. */
#include <portolan/command.h>

#include <stdio.h>
#include <string.h>

struct reader {
    struct portolan_arena *arena;
    const char *file;
    size_t folder_length; /* of the file's name, with the slash */
    const struct portolan_setting *settings;
    size_t n;
};

static const struct portolan_setting *find(const struct reader *r, const char *key)
{
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->settings[i].key, key))
            return &r->settings[i];
    return NULL;
}

static bool add_path(struct reader *r, struct portolan_words *list, const char *path)
{
    return portolan_words_add(
        r->arena, list,
        *path == '/'
            ? portolan_arena_strdup(r->arena, path)
            : portolan_arena_printf(r->arena, "%.*s%s", (int)r->folder_length, r->file, path));
}

static enum portolan_status read_line(struct reader *r, const char *line, int number,
                                      struct portolan_error *err)
{
    const char *value = strchr(line, '=');
    const struct portolan_setting *s;
    char key[40];

    if (sscanf(line, " %39[^ =]", key) != 1 || key[0] == '#')
        return PORTOLAN_OK;
    if (!value || !(s = find(r, key)))
        return portolan_error_set(err, PORTOLAN_ESYNTAX,
                                  "%s:%d: '%s' is no setting; the file must be that of this "
                                  "Portolan's build",
                                  r->file, number, key);
    value += 1 + strspn(value + 1, " \t");
    if (s->is_path ? add_path(r, s->list, value) : portolan_words_split(r->arena, s->list, value))
        return PORTOLAN_OK;
    return portolan_no_memory(err);
}

enum portolan_status portolan_settings_read(struct portolan_arena *arena, const char *file,
                                            const struct portolan_setting *settings, size_t n,
                                            struct portolan_error *err)
{
    const char *slash = strrchr(file, '/');
    struct reader r = {arena, file, slash ? (size_t)(slash + 1 - file) : 0, settings, n};
    enum portolan_status status;
    const char *text;
    char *lines, *line;
    size_t size;
    int number = 0;

    if ((status = portolan_file_read(arena, file, &text, &size, err)) != PORTOLAN_OK)
        return status;
    if (!(lines = portolan_arena_strdup(arena, text)))
        return portolan_no_memory(err);
    while (status == PORTOLAN_OK && (line = strsep(&lines, "\n")))
        status = read_line(&r, line, ++number, err);
    for (size_t i = 0; status == PORTOLAN_OK && i < n; i++)
        if (settings[i].is_needed && !settings[i].list->n)
            status = portolan_error_set(err, PORTOLAN_ESYNTAX,
                                        "%s:%d: '%s' is missing; the file "
                                        "must be that of this Portolan's build",
                                        file, number, settings[i].key);
    return status;
}
