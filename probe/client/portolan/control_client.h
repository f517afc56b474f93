/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * control_client: commands for a program that listens (<portolan/control.h>), from another process.
 * One thread. Nothing here prints or exits.
 */
#ifndef PORTOLAN_CONTROL_CLIENT_H
#define PORTOLAN_CONTROL_CLIENT_H

#include <portolan/base.h>

/** What process PID publishes about its listener, in a memory file among its open files: lines
 * "file NAME" and "signal NUMBER COMMAND"; NULL: it does not listen. The caller frees it. */
char *portolan_control_card(const char *pid);
/** The rest of the first line of CARD that begins with WORD; NULL: there is none. The caller frees
 * it. */
char *portolan_control_card_line(const char *card, const char *word);
/** Sends process PID the signal to which its CARD assigns COMMAND. PORTOLAN_EUNSUPPORTED: there is
 * none; PORTOLAN_EIO. */
enum portolan_status portolan_control_signal(const char *pid, const char *card, const char *command,
                                             struct portolan_error *err);

/** The answers of the ranks, by rank. */
struct portolan_control_answers {
    size_t n;
    struct portolan_control_answer {
        char *text; /**< lines */
        bool failed;
    } * list;
};
/**
 * Puts COMMANDS, lines, into the control FILE and waits until all ranks have answered; also waits
 * while another process sends. Clear *ANSWERS whatever the status. PORTOLAN_ETIMEOUT after
 * TIMEOUT_S seconds; PORTOLAN_EIO, PORTOLAN_ENOMEM.
 */
enum portolan_status portolan_control_send(const char *file, const char *commands, double timeout_s,
                                           struct portolan_control_answers *answers,
                                           struct portolan_error *err);
/** Adds to GOOD what ranks answered, and to BAD why others failed, as lines; what all ranks answer
 * alike once. Returns false if a rank failed. */
bool portolan_control_answers_write(const struct portolan_control_answers *answers,
                                    struct portolan_text *good, struct portolan_text *bad);
void portolan_control_answers_clear(struct portolan_control_answers *answers);

#endif
