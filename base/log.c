/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>

#include <stdio.h>

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
