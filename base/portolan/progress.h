/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * progress: how far a loop of a library has come. Libraries report to a handler, as with the log; a
 * command shows it as one line on a terminal. Without a handler a call costs a comparison.
 */
#ifndef PORTOLAN_PROGRESS_H
#define PORTOLAN_PROGRESS_H

#include <portolan/base.h>

/** Arguments as those of portolan_progress(); WHAT NULL: as portolan_progress_hide(). */
typedef void (*portolan_progress_fn)(const char *what, size_t done, size_t total, bool is_slow);

/** Installs the receiver (NULL, the default: none) of the progress of this thread. */
PORTOLAN_API void portolan_progress_set_handler(portolan_progress_fn handler);

/**
 * Before each round of a loop: DONE of TOTAL of WHAT, a literal ("models"), are done. IS_SLOW: a
 * round takes a second or more, so there is no reason to wait before it is shown. Of loops in loops
 * the outermost counts, until portolan_progress_done().
 */
PORTOLAN_API void portolan_progress(const char *what, size_t done, size_t total, bool is_slow);

/** The loop has ended, successfully or not. */
PORTOLAN_API void portolan_progress_done(const char *what);

/** Something else is about to be printed; the loop goes on. */
PORTOLAN_API void portolan_progress_hide(void);

/**
 * Shows progress on standard error as a line with the time left, from one second on, or from
 * PORTOLAN_PROGRESS seconds on (0: every round). Does nothing unless standard error is a terminal
 * that can erase a line. For main(); links with portolan_command.
 */
void portolan_progress_show(void);

#endif
