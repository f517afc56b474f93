/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of texts, and whole files as texts. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool words_add(struct portolan_arena *arena, struct words *w, const char *text)
{
    const char **grown = text ? portolan_arena_grow(arena, w->word, w->n, sizeof *grown) : NULL;

    if (!grown)
        return false;
    w->word = grown;
    w->word[w->n++] = text;
    return true;
}

bool words_split(struct portolan_arena *arena, struct words *w, const char *text)
{
    static const char blanks[] = " \t\r\n";

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);

        if (!words_add(arena, w, portolan_arena_strndup(arena, text, length)))
            return false;
        text += length;
    }
    return true;
}

bool words_append(struct portolan_arena *arena, struct words *w, const struct words *more)
{
    for (size_t i = 0; i < more->n; i++)
        if (!words_add(arena, w, more->word[i]))
            return false;
    return true;
}

enum portolan_status file_read(struct portolan_arena *arena, const char *file, const char **text,
                               size_t *size, struct portolan_error *err)
{
    struct portolan_text t = {.arena = arena};
    enum portolan_status status = PORTOLAN_OK;
    FILE *f = fopen(file, "r");
    char bytes[4096], *taken;
    size_t n;

    while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        portolan_text_add_bytes(&t, bytes, n);
    if (!f || ferror(f))
        status =
            portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be read: %s", file, strerror(errno));
    if (f)
        fclose(f);
    *size = t.length;
    if (status == PORTOLAN_OK)
        status = portolan_text_take(&t, &taken, err);
    if (status == PORTOLAN_OK)
        *text = taken;
    return status;
}

enum portolan_status file_write(const char *file, const char *text, struct portolan_error *err)
{
    FILE *f = fopen(file, "w");
    bool good = f && fputs(text, f) != EOF;

    if (f && fclose(f) == EOF)
        good = false;
    return good ? PORTOLAN_OK
                : portolan_error_set(err, PORTOLAN_EIO, "'%s' cannot be written: %s", file,
                                     strerror(errno));
}
