/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdio.h>

void print_diagnostic(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    if (column > 0)
        fprintf(stderr, "%s:%d:%d: error: %s\n", file, line, column, text);
    else
        fprintf(stderr, "%s:%d: error: %s\n", file, line, text);
}

int print_error(const struct portolan_error *err)
{
    if (err->status != PORTOLAN_ESYNTAX || err->text[0])
        fprintf(stderr, "portolan: error: %s\n",
                err->text[0] ? err->text : portolan_status_text(err->status));
    return EXIT_BAD_INPUT;
}

static void print_message(void *arg, enum portolan_log_level level, const char *area,
                          const char *text)
{
    const bool *quiet = arg;

    if (level == PORTOLAN_LOG_WARNING) {
        fprintf(stderr, "%s: warning: %s\n", area, text);
    } else if (level == PORTOLAN_LOG_NOTICE && !*quiet) {
        printf("%s: %s\n", area, text);
        fflush(stdout);
    }
}

void print_log(bool quiet)
{
    static bool is_quiet;

    is_quiet = quiet;
    portolan_log_set_handler(print_message, &is_quiet);
}
