/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runs inside a wrapped program beside its generated front, linked with it into one shared
 * object that needs nothing but the C library: what it needed the program would get as well, also
 * where it brings its own. No descriptor stays open; nothing is printed.
 */
#ifndef WRAP_INSIDE_H
#define WRAP_INSIDE_H

#include "../shared.h"

#include <portolan/functions.h>

/* The process's area; NULL while nothing is measured. */
extern struct wrap_area *inside_area;
extern const struct wrap_orders *inside_orders;

/* When the program began, in ticks of the clock: what they are worth is known only later. */
extern uint64_t inside_began;

/* Text NUMBER (enum wrap_order, and behind it the libraries) of the orders. */
const char *inside_order(unsigned number);

/* Whether this is the process that the area is of: not in its forked children. */
bool inside_is_measured(void);

/*
 * Publishes what was measured up to now. Allocates nothing, so that it may be called wherever
 * _exit() may; does nothing in forked children, nor when called while the same thread does it.
 */
void inside_publish(void);

/* Adds an entry to the log; waits for a publication that is under way. */
void inside_log(enum wrap_entry_kind kind, const char *const *texts, size_t n);

/* Logs which objects are loaded, when others are than at the last time. Not from signal handlers.
 */
void inside_log_objects(void);

/* In a forked child: nothing has been written yet, there is no thread. */
void inside_forget_writing(void);
void inside_forget_turns(void);

/* A note for the user, printf-like. */
void inside_note(const char *format, ...) PORTOLAN_PRINTF(1, 2);

/* The port of the generated front. */
struct portolan_probe_port *inside_port(void);

/* Opens the libraries, binds the first, and adds the port as commands know it; false: a note says
 * why not. */
bool inside_add_port(void);

/* Binds the next library. */
enum portolan_status inside_use_next(struct portolan_error *err);

/* Notes how long calls were not measured, if a command said so. */
void inside_note_gaps(void);

/* Does what was commanded since the last time. */
void inside_obey(void);

/* Begins the thread that publishes now and then, obeys, and lets libraries take turns. */
void inside_begin_turns(void);

/* A library was chosen: no turns any more. */
void inside_end_turns(void);

/* In the variant without a Mastermind: TAU profiles are written, by the thread if there is one. */
void inside_write_profiles(void);

/* Finds what exits.c stands in front of. */
void inside_find_exits(void);

/* The process is about to end, by whatever way. */
void inside_leave(enum wrap_state how);

#endif
