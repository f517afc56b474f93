/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <stdio.h>
#include <string.h>

const char *portolan_status_text(enum portolan_status status)
{
    switch (status) {
#define CASE(name, number, text, cca)                                                              \
    case PORTOLAN_##name:                                                                          \
        return text;
        PORTOLAN_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

enum portolan_status portolan_error_set(struct portolan_error *err, enum portolan_status status,
                                        const char *format, ...)
{
    va_list args;

    if (err && err->status == PORTOLAN_OK) {
        err->status = status;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return status;
}

void portolan_error_prefix(struct portolan_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    int used;

    if (!err || err->status == PORTOLAN_OK)
        return;
    va_start(args, format);
    used = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (used < 0 || (size_t)used >= sizeof text)
        return;
    snprintf(text + used, sizeof text - (size_t)used, ": %s", err->text);
    memcpy(err->text, text, sizeof text);
}

void portolan_diagnose(struct portolan_diagnostics *d, const char *file, int line, int column,
                       const char *format, ...)
{
    char text[1000];
    va_list args;

    if (!d)
        return;
    d->count++;
    if (!d->report)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->report(d->arg, file, line, column, text);
}
