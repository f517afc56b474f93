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

/* Maps this process's area as WRAP_VARIABLE says; false: it is not measured. */
bool inside_attach(void);

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

/* The generated front. */
struct portolan_functions_front *inside_front(void);

/* Opens the libraries and binds the first; false: a note says why not. */
bool inside_open_libraries(void);

/* How many there are, their names, and which is bound. */
size_t inside_implementations(void);
const char *inside_implementation(size_t number);
size_t inside_used(void);

/* Binds another, by one thread at a time. */
enum portolan_status inside_use(size_t number, struct portolan_error *err);

/* The port as commands know it; false: a note says why not. */
bool inside_add_port(void);
const char *inside_port_name(void);

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
