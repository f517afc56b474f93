/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracker.h"

#include <portolan/probe.h>

#include <signal.h>
#include <string.h>
#include <time.h>

enum portolan_status tracker_here(struct tracker *t, struct portolan_error *err)
{
    enum portolan_status status;
    uint32_t event;
    bool off;

    pthread_mutex_lock(&t->lock);
    off = t->is_off;
    pthread_mutex_unlock(&t->lock);
    if (off)
        return PORTOLAN_OK;
    status = portolan_probe_event_register(t->event_name, t->with_context, &event, err);
    if (status == PORTOLAN_OK)
        portolan_probe_event_trigger(event, t->look());
    return status;
}

static struct timespec later(uint64_t ns)
{
    struct timespec when;

    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += (time_t)(ns / 1000000000);
    when.tv_nsec += (long)(ns % 1000000000);
    if (when.tv_nsec >= 1000000000) {
        when.tv_nsec -= 1000000000;
        when.tv_sec++;
    }
    return when;
}

/* Notes one value; releases the lock meanwhile. */
static void note(struct tracker *t)
{
    uint32_t event;

    pthread_mutex_unlock(&t->lock);
    if (!portolan_probe_event_register(t->event_name, t->with_context, &event, NULL))
        portolan_probe_event_note(event, t->look());
    pthread_mutex_lock(&t->lock);
}

static void *run(void *arg)
{
    struct tracker *t = arg;

    pthread_mutex_lock(&t->lock);
    while (!t->is_ending) {
        uint64_t interval_ns = t->interval_ns;
        struct timespec when = later(interval_ns);
        int woken = 0;

        while (!t->is_ending && t->interval_ns == interval_ns && !woken)
            woken = pthread_cond_timedwait(&t->changed, &t->lock, &when);
        if (woken && !t->is_ending && !t->is_off)
            note(t);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Under the lock. Signals are for the program's own threads. */
static int begin(struct tracker *t)
{
    pthread_condattr_t attributes;
    sigset_t all, before;
    int failure;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    failure = pthread_cond_init(&t->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (failure)
        return failure;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failure = pthread_create(&t->thread, NULL, run, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure)
        pthread_cond_destroy(&t->changed);
    t->is_begun = !failure;
    return failure;
}

enum portolan_status tracker_begin(struct tracker *t, struct portolan_error *err)
{
    int failure;

    pthread_mutex_lock(&t->lock);
    failure = t->is_begun ? 0 : begin(t);
    pthread_mutex_unlock(&t->lock);
    return failure ? portolan_error_set(err, PORTOLAN_ENOMEM, "no thread to track memory: %s",
                                        strerror(failure))
                   : PORTOLAN_OK;
}

void tracker_set_interval(struct tracker *t, uint64_t ns)
{
    pthread_mutex_lock(&t->lock);
    t->interval_ns = ns;
    if (t->is_begun)
        pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void tracker_switch(struct tracker *t, bool on)
{
    pthread_mutex_lock(&t->lock);
    t->is_off = !on;
    pthread_mutex_unlock(&t->lock);
}

void tracker_end(struct tracker *t)
{
    bool was_begun;

    pthread_mutex_lock(&t->lock);
    was_begun = t->is_begun && !t->is_ending;
    if (was_begun) {
        t->is_ending = true;
        pthread_cond_signal(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    if (!was_begun)
        return;
    pthread_join(t->thread, NULL);
    pthread_mutex_lock(&t->lock);
    pthread_cond_destroy(&t->changed);
    t->is_begun = t->is_ending = false;
    pthread_mutex_unlock(&t->lock);
}
