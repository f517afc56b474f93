/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * supervise: runs a command, which may start ranks, in processes that may crash, hang or exit.
 * Nothing that it does ends this process, and nothing of it is left when it has ended. Links with
 * portolan_command. Only one command is supervised at a time, by a process without other children.
 */
#ifndef PORTOLAN_SUPERVISE_H
#define PORTOLAN_SUPERVISE_H

#include <portolan/command.h>

/** What a command did. */
struct portolan_usage {
    double elapsed_s, processor_s; /**< wall time; processor time of all that it waited for */
    double memory_bytes;           /**< most that one of its processes had in memory */
    int status;                    /**< its exit status; -1: a signal ended it, or it was stopped */
    bool is_late;                  /**< it was stopped at its limit of time */
};

struct portolan_supervision {
    double limit_s; /**< how long it may take; 0: no limit */
    bool is_silent; /**< what it writes to standard output is dropped */
    /** Gets each line that it writes (longer than 64 KiB: in pieces), but for error messages
     * ("portolan: error: …"), of which the first becomes the reason, and for what launchers say of
     * the end of a rank. */
    void (*line)(void *arg, bool is_error, const char *text);
    void *arg;
    struct portolan_usage *usage; /**< gets what it did; or NULL */
    double memory_bytes;          /**< that each of its processes may allocate; 0: no limit */
    double file_bytes;            /**< most of each file that it writes; 0: no limit */
    const char *folder;           /**< in which it runs; NULL: this process's */
    /** NAME=VALUE, added to its environment; ends with NULL. NULL: nothing is. */
    char *const *environment;
};

/**
 * Runs COMMAND, found by PATH, in a process group of its own, without the variables that launchers
 * leave for their ranks, and waits. PORTOLAN_EFOREIGN, with the reason (its error message,
 * a signal, the limit, a status): it did not end well. If this process gets
 * SIGINT, SIGTERM or SIGHUP, the command is ended, and *SIGNAL_NUMBER, otherwise 0, is that signal.
 * PORTOLAN_ENOTFOUND: it cannot be started. PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_supervise(struct portolan_arena *arena,
                                        const struct portolan_words *command,
                                        const struct portolan_supervision *how, int *signal_number,
                                        struct portolan_error *err);

#endif
