/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the compiler. */
#include "internal.h"

#include <string.h>

/* The first line that says "error", else the first of all. */
static const char *first_error(struct portolan_arena *arena, const char *output)
{
    const char *text = "", *found = NULL;
    size_t size;

    portolan_file_read(arena, output, &text, &size, NULL);
    for (const char *line = text; *line && !found; line += strspn(line, "\n")) {
        size_t length = strcspn(line, "\n");
        const char *copy = portolan_arena_strndup(arena, line, length);

        if (copy && (strstr(copy, "error") || strstr(copy, "undefined")))
            found = copy;
        line += length;
    }
    if (found)
        return found;
    found = portolan_arena_strndup(arena, text, strcspn(text, "\n"));
    return found && *found ? found : "it says nothing";
}

enum portolan_status wrap_tool_run(struct portolan_arena *arena, struct portolan_words *w,
                                   const char *output, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status = portolan_command_run(arena, w, output, &cause);

    if (status == PORTOLAN_ENOTFOUND)
        return portolan_error_set(err, status,
                                  "%s; wrapping compiles a small file with the C compiler: install "
                                  "one (Debian: gcc), or name one with --cc",
                                  cause.text);
    if (status == PORTOLAN_EFOREIGN)
        return portolan_error_set(err, PORTOLAN_ESYNTAX, "%s: %s", cause.text,
                                  first_error(arena, output));
    if (status != PORTOLAN_OK && err)
        *err = cause;
    return status;
}
