/* SPDX-License-Identifier: BSD-3-Clause */
#include "proxygen_internal.h"

#include <string.h>

const char *proxygen_print(struct portolan_arena *arena, const char *format, ...)
{
    va_list args;
    const char *text;

    va_start(args, format);
    text = portolan_arena_vprintf(arena, format, args);
    va_end(args);
    return text ? text : "";
}

void proxygen_add_template(struct portolan_text *text, const char *name, const char *template)
{
    while (*template) {
        size_t plain = strcspn(template, "$");

        portolan_text_add_bytes(text, template, plain);
        if (template[plain])
            portolan_text_add(text, "%s", name);
        template += plain + (template[plain] != '\0');
    }
}
