/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the compiler and its friends. */
#include "internal.h"

#include <string.h>
#include <unistd.h>

enum portolan_status tool_run(struct portolan_arena *arena, struct portolan_words *command,
                              const char *file, struct portolan_text *log,
                              struct portolan_error *err)
{
    enum portolan_status status = portolan_command_run(arena, command, file, err);
    const char *text;
    size_t size;

    if (portolan_file_read(arena, file, &text, &size, NULL) == PORTOLAN_OK)
        portolan_text_add_bytes(log, text, size);
    unlink(file);
    return status;
}

/* ld, gold and lld name what is missing in these ways. */
static const char *missing_name(const char *line, size_t *length)
{
    static const char *const ways[] = {"cannot find -l", "unable to find library -l",
                                       "library not found for -l"};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const char *at = strstr(line, ways[i]);

        if (at) {
            at += strlen(ways[i]);
            *length = strcspn(at, ": \t\r\n");
            return at;
        }
    }
    return NULL;
}

const char *tool_missing_libraries(struct portolan_arena *arena, const char *log, const char *end)
{
    const char *list = NULL, *at;
    size_t length;

    while ((at = missing_name(log, &length))) {
        const char *name = portolan_arena_printf(arena, "lib%.*s%s", (int)length, at, end);

        log = at + length;
        if (name && (!list || !strstr(list, name)))
            list = list ? portolan_arena_printf(arena, "%s, %s", list, name) : name;
    }
    return list;
}
