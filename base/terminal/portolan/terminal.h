/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * terminal: a terminal with line editing, history and completion (only terminal.c uses libedit);
 * and lines from it or from standard input, joined after a backslash.
 */
#ifndef PORTOLAN_TERMINAL_H
#define PORTOLAN_TERMINAL_H

#include <portolan/base.h>

struct terminal;

/*
 * The words that may follow at the end of LINE, in one block that the terminal frees; NULL: none.
 */
typedef char **(*terminal_complete_fn)(void *arg, const char *line, size_t *n);

/* Returns whether standard input and output are a terminal. */
bool terminal_is_there(void);

/* The columns of standard output, at most 100, if it is a terminal that shows blocks; else 0. */
int terminal_bar_columns(void);

/*
 * Opens a terminal on standard input and output. Lines are kept in the user's history, the file
 * HISTORY. Errors: EIO, ENOMEM.
 */
enum portolan_status terminal_open(const char *program, const char *history,
                                   terminal_complete_fn complete, void *arg, struct terminal **t,
                                   struct portolan_error *err);

/* Saves the history. NULL is legal. */
void terminal_close(struct terminal *t);

struct lines {
    struct terminal *terminal; /* NULL: standard input is not a terminal */
    const char *prompt, *more; /* for the first line, for lines joined to it */
    const char *joint;         /* replaces a backslash and the line end after it */
    struct portolan_text text; /* the line that was read; the reader owns it */
    int number;                /* number of its first line */
    int read;                  /* lines read so far */
};

/* Reads the next line with those joined to it; false at the end. */
bool lines_read(struct lines *l);

#endif
