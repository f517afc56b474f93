/* SPDX-License-Identifier: BSD-3-Clause */
/* A terminal with line editing, history and completion; libedit is seen by terminal.c only. */
#ifndef PORTOLAN_CLI_TERMINAL_H
#define PORTOLAN_CLI_TERMINAL_H

#include <portolan/base.h>

struct terminal;

enum terminal_event { TERMINAL_LINE, TERMINAL_CANCELLED, TERMINAL_END };

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

/* The next line without its end; *LINE is the terminal's until the next call. */
enum terminal_event terminal_read(struct terminal *t, const char *prompt, const char **line);

#endif
