/* SPDX-License-Identifier: BSD-3-Clause */
/* Status codes, errors, diagnostics and the log. */
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

enum portolan_status portolan_no_memory(struct portolan_error *err)
{
    return portolan_error_set(err, PORTOLAN_ENOMEM, "out of memory");
}

void portolan_error_prefix(struct portolan_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    size_t size = sizeof text - 2, used, kept; /* two for ": " */
    va_list args;
    int length;

    if (!err || err->status == PORTOLAN_OK)
        return;
    va_start(args, format);
    length = vsnprintf(text, size, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= size)
        return;
    used = (size_t)length + 2;
    kept = strnlen(err->text, sizeof text - used - 1);
    memmove(err->text + used, err->text, kept);
    memcpy(err->text, text, (size_t)length);
    memcpy(err->text + length, ": ", 2);
    err->text[used + kept] = '\0';
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

void portolan_diagnostics_relay(void *arg, const char *file, int line, int column, const char *text)
{
    const struct portolan_diagnostics_relay *relay = arg;

    portolan_diagnose(relay->user, file, line, column, "%s", text);
    portolan_error_set(relay->err, PORTOLAN_ESYNTAX, "%s:%d: error: %s", file, line, text);
}

static portolan_log_fn log_handler;
static void *log_arg;

void portolan_log_set_handler(portolan_log_fn handler, void *arg)
{
    log_handler = handler;
    log_arg = arg;
}

void portolan_log(enum portolan_log_level level, const char *area, const char *format, ...)
{
    char text[2000];
    va_list args;

    if (!log_handler)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    log_handler(log_arg, level, area, text);
}
