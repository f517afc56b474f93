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
        return portolan_no_memory(err);
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

/*
 * Adds TEXT, each character replaced by what REPLACEMENT returns for it (NULL: it stays); bytes
 * that are not UTF-8 become U+FFFD.
 */
static void add_escaped(struct portolan_text *t, const char *text,
                        const char *(*replacement)(const char *character, char room[8]))
{
    const char *plain = text, *other;
    char room[8];

    while (*text) {
        size_t n = portolan_utf8_length(text);

        other = n > 0 ? replacement(text, room) : "\xef\xbf\xbd";
        if (!other) {
            text += n;
            continue;
        }
        portolan_text_add_bytes(t, plain, (size_t)(text - plain));
        portolan_text_add_bytes(t, other, strlen(other));
        plain = text += n ? n : 1;
    }
    portolan_text_add_bytes(t, plain, (size_t)(text - plain));
}

/* XML 1.0 allows no other control characters, nor U+FFFE and U+FFFF, not even as references. */
static const char *in_xml(const char *c, char room[8])
{
    switch (*c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
    case '\n':
    case '\r':
        snprintf(room, 8, "&#%d;", *c);
        return room;
    default:
        return (unsigned char)*c < ' ' || !strncmp(c, "\xef\xbf\xbe", 3) ||
                       !strncmp(c, "\xef\xbf\xbf", 3)
                   ? "\xef\xbf\xbd"
                   : NULL;
    }
}

void portolan_text_add_xml(struct portolan_text *t, const char *text)
{
    add_escaped(t, text, in_xml);
}

static const char *in_json(const char *c, char room[8])
{
    if (*c != '"' && *c != '\\' && (unsigned char)*c >= ' ')
        return NULL;
    snprintf(room, 8, (unsigned char)*c < ' ' ? "\\u%04x" : "\\%c", (unsigned)*c);
    return room;
}

void portolan_text_add_json(struct portolan_text *t, const char *text)
{
    portolan_text_add_bytes(t, "\"", 1);
    add_escaped(t, text, in_json);
    portolan_text_add_bytes(t, "\"", 1);
}

void portolan_text_add_escaped(struct portolan_text *t, const char *text)
{
    for (; *text; text++)
        portolan_text_add(t, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}
