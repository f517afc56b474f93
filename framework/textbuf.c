/* SPDX-License-Identifier: BSD-3-Clause */
#include "textbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct textbuf *b, size_t more)
{
    size_t wanted = b->length + more + 1;
    char *grown;

    if (b->failed)
        return false;
    if (wanted <= b->size)
        return true;
    if (wanted < 2 * b->size)
        wanted = 2 * b->size;
    if (!(grown = portolan_reallocarray(b->text, wanted, 1))) {
        b->failed = true;
        return false;
    }
    b->text = grown;
    b->size = wanted;
    return true;
}

void textbuf_append(struct textbuf *b, const char *bytes, size_t length)
{
    if (!reserve(b, length))
        return;
    if (length)
        memcpy(b->text + b->length, bytes, length);
    b->length += length;
    b->text[b->length] = '\0';
}

void textbuf_printf(struct textbuf *b, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(b, (size_t)length)) {
        b->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(b->text + b->length, (size_t)length + 1, format, args);
    va_end(args);
    b->length += (size_t)length;
}

void textbuf_append_xml(struct textbuf *b, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&')
            textbuf_append(b, "&amp;", 5);
        else if (c == '<')
            textbuf_append(b, "&lt;", 4);
        else if (c == '>')
            textbuf_append(b, "&gt;", 4);
        else if (c == '"')
            textbuf_append(b, "&quot;", 6);
        else if (c < ' ')
            textbuf_printf(b, "&#%d;", c);
        else
            textbuf_append(b, text, 1);
    }
}

enum portolan_status textbuf_take(struct textbuf *b, char **text, struct portolan_error *err)
{
    *text = NULL;
    if (!b->failed)
        textbuf_append(b, "", 0);
    if (b->failed) {
        textbuf_clear(b);
        return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
    }
    *text = b->text;
    *b = (struct textbuf){0};
    return PORTOLAN_OK;
}

void textbuf_clear(struct textbuf *b)
{
    free(b->text);
    *b = (struct textbuf){0};
}
