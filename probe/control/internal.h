/* SPDX-License-Identifier: BSD-3-Clause */
/* control: what its own files share. */
#ifndef PORTOLAN_CONTROL_INTERNAL_H
#define PORTOLAN_CONTROL_INTERNAL_H

#include <portolan/control.h>

#include <pthread.h>

/* The verbs that change a port, as rules keep them. */
enum control_verb {
    CONTROL_FORWARD = PORTOLAN_VARIANT_FORWARD, /* the first three are the variants */
    CONTROL_PROFILE = PORTOLAN_VARIANT_PROFILE,
    CONTROL_MASTERMIND = PORTOLAN_VARIANT_MASTERMIND,
    CONTROL_OFF,
    CONTROL_ON,
    CONTROL_ROWS,
    CONTROL_NOROWS,
    CONTROL_SAMPLE,
    CONTROL_TOGGLE,
    CONTROL_USE,
    CONTROL_COUNTERS,
    CONTROL_DUMP,
    CONTROL_FLUSH,
    CONTROL_LIST,
    CONTROL_PIN, /* the rest is for the Optimizer */
    CONTROL_FORBID,
    CONTROL_RELEASE,
    CONTROL_UNDO,
    CONTROL_EXPLORE,
    CONTROL_VERBS
};

/* ------------------------------------------------- registry.c */

void control_lock(void);
void control_unlock(void);

/* All that follow: under the lock. */

struct portolan_control_port *control_first(void);

/* Returns whether PORT matches GLOB, or type:GLOB. */
bool control_matches(const struct portolan_control_port *port, const char *glob);

/* Does what VERB (one of those before TOGGLE) says to PORT; ONE_IN is for SAMPLE. */
void control_obey(struct portolan_control_port *port, enum control_verb verb, uint32_t one_in);

/* Room for COUNT rules more, so that remembering them cannot fail. */
enum portolan_status control_reserve_rules(size_t count, struct portolan_error *err);

/* Ports that come later obey, too. Takes over GLOB, and room that control_reserve_rules() made. */
void control_remember(enum control_verb verb, uint32_t one_in, char *glob);

/* Keeps PORT in the registry while the lock is open. */
void control_pin(struct portolan_control_port *port);
void control_unpin(struct portolan_control_port *port);

/* ------------------------------------------------- wishes.c */

/* Under the lock: whether the Optimizer understands WISH ("pin solver=heat.Cholmod"); it does if
 * there is none yet. */
enum portolan_status control_wish_check(const char *wish, struct portolan_error *err);

/* Takes WISH over for the Optimizer, and says in REPLY when it will be obeyed. Not under the lock.
 */
enum portolan_status control_wish_keep(char *wish, struct portolan_text *reply,
                                       struct portolan_error *err);

/* ------------------------------------------------- commands.c */

/* `portolan control` begins its text with this, and with what it recognises the answer by. */
#define CONTROL_REQUEST "# request "

/* ------------------------------------------------- signals.c */

struct control_signals {
    int fd; /* readable when one has come; -1: not taken */
    size_t n;
    struct portolan_control_signal list[PORTOLAN_CONTROL_SIGNALS];
};

/* Takes the signals over; a process has one such set. */
enum portolan_status control_signals_take(struct control_signals *s, struct portolan_error *err);
void control_signals_restore(const struct control_signals *s);
void control_signals_close(struct control_signals *s);
/* The command of a signal that has come; NULL when none is left. */
const char *control_signals_next(struct control_signals *s);

#endif
