/* SPDX-License-Identifier: BSD-3-Clause */
#include "convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void convert_tell(struct portolan_conversion *c, const char *file, int line, bool loses,
                  const char *format, ...)
{
    char text[1000];
    va_list args;

    c->losses += loses;
    if (!c->tell)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->tell(c->arg, file, line, loses, text);
}

const char *convert_stem(struct portolan_arena *arena, const char *file, const char *default_name)
{
    const char *slash, *dot;

    if (!file)
        file = default_name;
    slash = strrchr(file, '/');
    file = slash ? slash + 1 : file;
    dot = strrchr(file, '.');
    return portolan_arena_strndup(arena, file,
                                  dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

bool convert_type(const struct portolan_palette *palette, const char *class_name,
                  const char *parameter, enum portolan_value_type *type, bool *is_array)
{
    const struct portolan_class_description *class =
        palette ? portolan_palette_find(palette, class_name) : NULL;
    const struct portolan_parameter_description *p =
        class ? portolan_class_parameter(class, parameter) : NULL;

    if (!p)
        return false;
    *type = p->type;
    *is_array = p->is_array;
    return true;
}
