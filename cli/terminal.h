/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A terminal with line editing, history and completion (libedit is seen by terminal.c only); and
 * lines from it or from standard input, joined behind a backslash.
 */
#ifndef PORTOLAN_CLI_TERMINAL_H
#define PORTOLAN_CLI_TERMINAL_H

#include <portolan/base.h>

struct terminal;

/*
 * What may stand at the end of LINE: words in one block that the terminal frees; NULL: nothing.
 */
typedef char **(*terminal_complete_fn)(void *arg, const char *line, size_t *n);

/* Whether standard input and output are one. */
bool terminal_is_there(void);

/*
 * On standard input and output. Lines are kept in the user's history, the file HISTORY. Errors:
 * EIO, ENOMEM.
 */
enum portolan_status terminal_open(const char *program, const char *history,
                                   terminal_complete_fn complete, void *arg, struct terminal **t,
                                   struct portolan_error *err);

/* Keeps the history. NULL is legal. */
void terminal_close(struct terminal *t);

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
