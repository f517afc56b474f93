/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines from a terminal or from standard input, joined behind a backslash. */
#ifndef PORTOLAN_CLI_LINES_H
#define PORTOLAN_CLI_LINES_H

#include "terminal.h"

struct lines {
    struct terminal *terminal; /* NULL: standard input is none */
    const char *prompt, *more; /* of the first line, of those that are joined to it */
    const char *joint;         /* what becomes of a backslash and the line's end behind it */
    struct portolan_text text; /* the line that was read; the reader's */
    int number;                /* where it begins */
    int read;                  /* lines so far */
};

/* The next line with those that are joined to it; false at the end. */
bool lines_read(struct lines *l);

#endif
