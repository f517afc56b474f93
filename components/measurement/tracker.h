/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A value that a thread of its own reads from time to time and notes as an event. Not a signal
 * handler: reading the value (from the heap, from files under /proc) is not safe there.
 */
#ifndef PORTOLAN_TRACKER_H
#define PORTOLAN_TRACKER_H

#include <portolan/base.h>

#include <pthread.h>

struct tracker {
    const char *event_name;
    bool with_context;
    double (*look)(void);

    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t interval_ns;
    bool is_off, is_begun, is_ending;
    pthread_t thread;
};

/* All functions: any thread. */

/* Notes the value on the calling thread, in its call path, unless the tracker is off. */
enum portolan_status tracker_here(struct tracker *t, struct portolan_error *err);
/* Notes the value every interval from now on, until tracker_end. */
enum portolan_status tracker_begin(struct tracker *t, struct portolan_error *err);
void tracker_set_interval(struct tracker *t, uint64_t ns);
void tracker_switch(struct tracker *t, bool on);
/* Waits until its thread, if any, has ended. */
void tracker_end(struct tracker *t);

#endif
