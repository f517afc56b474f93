/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Something that is looked at from time to time by a thread of its own, and noted as an event. No
 * signal handler: what it asks (the heap, files under /proc) is not safe there.
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

/* Any thread, all of them. */

/* On the calling thread, in its call path, unless it is off. */
enum portolan_status tracker_here(struct tracker *t, struct portolan_error *err);
/* From now on every interval, until tracker_end. */
enum portolan_status tracker_begin(struct tracker *t, struct portolan_error *err);
void tracker_set_interval(struct tracker *t, uint64_t ns);
void tracker_switch(struct tracker *t, bool on);
/* Waits until its thread, if any, has ended. */
void tracker_end(struct tracker *t);

#endif
