/* SPDX-License-Identifier: BSD-3-Clause */
/* The begin and the end of measuring in a process. */
#include "inside.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *inside_order(unsigned number)
{
    const char *text = inside_orders->text;

    while (number--)
        text += strlen(text) + 1;
    return text;
}

static void at_end(void *unused)
{
    (void)unused;
    inside_log_objects();
    inside_note_gaps();
    inside_leave(WRAP_LEFT);
}

static void at_quick_end(void)
{
    inside_leave(WRAP_LEFT);
}

extern int __cxa_atexit(void (*)(void *), void *, void *);

/*
 * Handlers run in reverse order, and those that belong to no object after all objects' destructors:
 * calls made from there are measured too.
 */
static void leave_last(void)
{
    __cxa_atexit(at_end, NULL, NULL);
    at_quick_exit(at_quick_end);
}

static void begin(void)
{
    inside_log_objects();
    inside_began = portolan_probe_now();
    __atomic_store_n(&inside_area->state, WRAP_STARTED, __ATOMIC_RELEASE);
    inside_begin_turns();
}

/*
 * A forked child has the records of its parent. Where children count, it begins anew in an area of
 * its own; else it need not spend time on what nobody reports.
 */
static void in_child(void)
{
    inside_area = NULL;
    inside_forget_writing();
    inside_forget_turns();
    if (inside_orders->with_children && portolan_probe_reset(NULL) == PORTOLAN_OK &&
        inside_attach())
        begin();
    else
        portolan_probe_port_set_flags(&inside_front()->port, 0);
}

/* Numbers the program's first thread 0, before any other calls. */
static void attach_first_thread(void)
{
    portolan_probe_pause();
    portolan_probe_resume();
}

/* Calls read the counters that the orders name; false: a note says why they cannot. */
static bool begin_counting(void)
{
    const char *events = inside_order(WRAP_ORDER_COUNTERS);
    struct portolan_probe_port *port = &inside_front()->port;
    struct portolan_error err = {0};

    if (!*events)
        return true;
    if (portolan_probe_counters_load(inside_order(WRAP_ORDER_PAPI), &err) ||
        portolan_probe_counter_sets_define(events, &err)) {
        inside_note("%s", err.text);
        return false;
    }
    portolan_probe_port_set_flags(port, portolan_probe_port_flags(port) | PORTOLAN_PROBE_COUNTERS);
    return true;
}

/* After all other constructors of this object (meson.build puts it last). */
__attribute__((constructor)) static void start(void)
{
    inside_find_exits();
    if (!inside_attach())
        return;
    attach_first_thread();
    if (!inside_open_libraries() || !begin_counting() || !inside_add_port()) {
        inside_leave(WRAP_REFUSED);
        _exit(125);
    }
    inside_obey();
    leave_last();
    pthread_atfork(NULL, NULL, in_child);
    begin();
}
