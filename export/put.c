/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and numbers into a sink. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void sink_flush(struct sink *s)
{
    if (!s->error && fwrite_unlocked(s->buffer, 1, s->used, s->f) != s->used)
        s->error = errno ? errno : EIO;
    s->used = 0;
}

void sink_bytes(struct sink *s, const char *bytes, size_t n)
{
    while (n > sizeof s->buffer - s->used) {
        size_t part = sizeof s->buffer - s->used;

        memcpy(s->buffer + s->used, bytes, part);
        s->used += part;
        bytes += part;
        n -= part;
        sink_flush(s);
    }
    memcpy(s->buffer + s->used, bytes, n);
    s->used += n;
}

void sink_put(struct sink *s, const char *text)
{
    sink_bytes(s, text, strlen(text));
}

void sink_printf(struct sink *s, const char *format, ...)
{
    va_list args;

    sink_flush(s);
    if (s->error)
        return;
    va_start(args, format);
    if (vfprintf(s->f, format, args) < 0)
        s->error = errno ? errno : EIO;
    va_end(args);
}

/* Digits of VALUE before END; returns where they begin. */
static char *digits(char *end, uint64_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

void sink_integer(struct sink *s, int64_t value)
{
    char text[24], *end = text + sizeof text;
    char *start = digits(end, value < 0 ? -(uint64_t)value : (uint64_t)value);

    if (value < 0)
        *--start = '-';
    sink_bytes(s, start, (size_t)(end - start));
}

void sink_number(struct sink *s, double value, const char *none)
{
    char text[40];

    if (!isfinite(value)) {
        sink_put(s, none);
    } else if (value == floor(value) && fabs(value) < 1e15) {
        sink_integer(s, (int64_t)value);
    } else {
        snprintf(text, sizeof text, "%.15g", value);
        if (strtod(text, NULL) != value)
            snprintf(text, sizeof text, "%.17g", value);
        sink_put(s, text);
    }
}

void sink_microseconds(struct sink *s, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char text[32], *end = text + sizeof text, *start = digits(end, 1000 + size % 1000);

    *start = '.'; /* where the 1 stood that kept leading zeros */
    start = digits(start, size / 1000);
    if (ns < 0)
        *--start = '-';
    sink_bytes(s, start, (size_t)(end - start));
}

void clean_utf8(char *text)
{
    for (size_t n; text && *text; text += n ? n : 1)
        if ((n = portolan_utf8_length(text)) == 0)
            *text = '?';
}

void sink_json(struct sink *s, const char *text)
{
    struct portolan_text json = {0};

    portolan_text_add_json(&json, text);
    if (json.failed && !s->error)
        s->error = ENOMEM;
    sink_bytes(s, json.bytes ? json.bytes : "", json.length);
    portolan_text_clear(&json);
}
