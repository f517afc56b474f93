/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

/* Makes room for MORE bytes and the NUL. */
static bool reserve(struct portolan_text *t, size_t more)
{
    size_t needed, room;
    char *wider;

    if (t->failed)
        return false;
    if (__builtin_add_overflow(t->length, more, &needed) || needed > SIZE_MAX / 4) {
        t->failed = true;
        return false;
    }
    if (needed < t->room)
        return true;
    room = needed < FIRST_ROOM / 2 ? FIRST_ROOM : 2 * needed;
    wider = t->arena ? portolan_arena_alloc(t->arena, room, 1)
                     : portolan_reallocarray(t->bytes, room, 1);
    if (!wider) {
        t->failed = true;
        return false;
    }
    if (t->arena && t->length)
        memcpy(wider, t->bytes, t->length);
    wider[t->length] = '\0';
    t->bytes = wider;
    t->room = room;
    return true;
}

void portolan_text_add_bytes(struct portolan_text *t, const char *bytes, size_t length)
{
    if (!reserve(t, length))
        return;
    if (length)
        memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

void portolan_text_add(struct portolan_text *t, const char *format, ...)
{
    va_list args;
    int length;

    if (!reserve(t, 0))
        return;
    /* Most pieces fit, so that measuring and writing are one pass. */
    va_start(args, format);
    length = vsnprintf(t->bytes + t->length, t->room - t->length, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < t->room - t->length) {
        t->length += (size_t)length;
        return;
    }
    t->bytes[t->length] = '\0';
    if (length < 0)
        t->failed = true;
    if (!reserve(t, length < 0 ? 0 : (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(t->bytes + t->length, (size_t)length + 1, format, args);
    va_end(args);
    t->length += (size_t)length;
}

enum portolan_status portolan_text_take(struct portolan_text *t, char **text,
                                        struct portolan_error *err)
{
    const bool is_there = reserve(t, 0);

    *text = is_there ? t->bytes : NULL;
    if (!is_there) {
        portolan_text_clear(t);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    }
    *t = (struct portolan_text){.arena = t->arena};
    return PORTOLAN_OK;
}

void portolan_text_clear(struct portolan_text *t)
{
    if (!t->arena)
        free(t->bytes);
    *t = (struct portolan_text){.arena = t->arena};
}

void portolan_text_add_xml(struct portolan_text *t, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&')
            portolan_text_add(t, "&amp;");
        else if (c == '<')
            portolan_text_add(t, "&lt;");
        else if (c == '>')
            portolan_text_add(t, "&gt;");
        else if (c == '"')
            portolan_text_add(t, "&quot;");
        else if (c < ' ')
            portolan_text_add(t, "&#%d;", c);
        else
            portolan_text_add_bytes(t, text, 1);
    }
}
