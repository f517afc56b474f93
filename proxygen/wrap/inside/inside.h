/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code that runs inside a wrapped program, linked with the generated front into one shared
 * object. It needs only the C library, since other libraries would be loaded into the program and
 * could clash with its own. No descriptor stays open; nothing is printed.
 */
#ifndef WRAP_INSIDE_H
#define WRAP_INSIDE_H

#include "../shared.h"

#include <portolan/functions.h>

/* The process's area; NULL while nothing is measured. */
extern struct wrap_area *inside_area;
extern const struct wrap_orders *inside_orders;

/* When the program began, in ticks of the clock, whose frequency is known only later. */
extern uint64_t inside_began;

/* Text NUMBER of the orders (enum wrap_order, with the libraries at the end). */
const char *inside_order(unsigned number);

/* Returns whether the area belongs to this process: false in its forked children. */
bool inside_is_measured(void);

/*
 * Publishes what was measured up to now. Allocates nothing, so that it may be called wherever
 * _exit() may. Does nothing in forked children, or if the same thread is publishing already.
 */
void inside_publish(void);

/* Adds an entry to the log; waits while another thread publishes. */
void inside_log(enum wrap_entry_kind kind, const char *const *texts, size_t n);

/* Logs the loaded objects if they changed since the last time. Not from signal handlers. */
void inside_log_objects(void);

/* In a forked child: resets the state, as nothing has been written and there is no thread. */
void inside_forget_writing(void);
void inside_forget_turns(void);

/* A note for the user, printf-like. */
void inside_note(const char *format, ...) PORTOLAN_PRINTF(1, 2);

/* The port of the generated front. */
struct portolan_probe_port *inside_port(void);

/* Opens the libraries, binds the first, and registers the port for commands; false: a note says
 * why not. */
bool inside_add_port(void);

/* Binds the next library. */
enum portolan_status inside_use_next(struct portolan_error *err);

/* Notes how long calls were not measured, if a command said so. */
void inside_note_gaps(void);

/* Executes a command that was given since the last time. */
void inside_obey(void);

/* Begins the thread that publishes now and then, obeys, and lets libraries take turns. */
void inside_begin_turns(void);

/* A command chose a library: it stays, without further turns. */
void inside_end_turns(void);

/* Writes TAU profiles if they were ordered; the thread does it if there is one. */
void inside_write_profiles(void);

/* Finds the functions that exit_hooks.c replaces. */
void inside_find_exits(void);

/* Publishes for the last time, since the process is about to end or to be replaced. */
void inside_leave(enum wrap_state how);

#endif
