/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that publishes now and then, and lets libraries take turns. */
#include "inside.h"

#include <linux/futex.h>
#include <math.h>
#include <portolan/control.h>
#include <portolan/tau.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const double s_per_ns = 1e-9;

/* Default: a snapshot each second at first, then less often, so that long runs do not get too many
 * steps. */
static const double first_interval_s = 1, last_interval_s = 60;
static const unsigned intervals_of_a_length = 32;

struct turns {
    double interval_s, publish_at_s, rotate_at_s;
    unsigned n;
    bool has_failed;
};

static bool has_thread, turns_ended;
static uint32_t profiles_wanted, profiles_written; /* how often requested, and done */

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * s_per_ns;
}

/* Sleeps until AT_S or until a snapshot is wanted; true: wanted. */
static bool sleep_until(double at_s, uint32_t *seen)
{
    double left_s = fmax(at_s - now_s(), 0);
    struct timespec t = {(time_t)fmin(left_s, 1e6), 0};
    uint32_t request;

    t.tv_nsec = (long)((fmin(left_s, 1e6) - (double)t.tv_sec) / s_per_ns);
    syscall(SYS_futex, &inside_area->request, FUTEX_WAIT, *seen, &t, NULL, 0);
    request = __atomic_load_n(&inside_area->request, __ATOMIC_ACQUIRE);
    if (request == *seen)
        return false;
    *seen = request;
    return true;
}

static void plan_next(struct turns *t)
{
    if (inside_orders->interval_s < 0 && ++t->n % intervals_of_a_length == 0)
        t->interval_s = fmin(2 * t->interval_s, last_interval_s);
    t->publish_at_s = now_s() + t->interval_s;
}

static void rotate(struct turns *t)
{
    struct portolan_error err = {0};

    if (inside_use_next(&err) != PORTOLAN_OK && !t->has_failed) {
        inside_note("a turn was left out: %s", err.text);
        t->has_failed = true;
    }
    t->rotate_at_s = now_s() + inside_orders->rotate_s;
}

static void write_profiles(void)
{
    struct portolan_error err = {0};

    if (portolan_control_finish(&err) == PORTOLAN_OK)
        inside_area->has_profiles = true;
    else
        inside_note("error: no TAU profiles: %s", err.text);
}

static void serve(struct turns *t)
{
    uint32_t wanted = __atomic_load_n(&profiles_wanted, __ATOMIC_ACQUIRE);

    if (wanted != profiles_written) {
        write_profiles();
        __atomic_store_n(&profiles_written, wanted, __ATOMIC_RELEASE);
    }
    inside_obey();
    inside_log_objects();
    inside_publish();
    plan_next(t);
}

static void *run(void *unused)
{
    struct turns t = {.interval_s = inside_orders->interval_s};
    uint32_t seen = __atomic_load_n(&inside_area->request, __ATOMIC_ACQUIRE);

    (void)unused;
    if (t.interval_s < 0)
        t.interval_s = first_interval_s;
    else if (t.interval_s <= 0)
        t.interval_s = INFINITY;
    t.publish_at_s = now_s() + t.interval_s;
    t.rotate_at_s = inside_orders->rotate_s > 0 && inside_orders->n_libraries > 1
                        ? now_s() + inside_orders->rotate_s
                        : INFINITY;
    while (inside_is_measured()) {
        bool wanted = sleep_until(fmin(t.publish_at_s, t.rotate_at_s), &seen);

        if (wanted || now_s() >= t.publish_at_s)
            serve(&t);
        if (__atomic_load_n(&turns_ended, __ATOMIC_RELAXED))
            t.rotate_at_s = INFINITY;
        else if (now_s() >= t.rotate_at_s)
            rotate(&t);
    }
    return NULL;
}

void inside_forget_turns(void)
{
    has_thread = false;
    profiles_wanted = profiles_written = 0;
}

void inside_end_turns(void)
{
    __atomic_store_n(&turns_ended, true, __ATOMIC_RELAXED);
}

/*
 * The thread writes them, since _exit() may call this in a signal handler, where most functions are
 * unsafe. Without a thread, this function must write them itself.
 */
void inside_write_profiles(void)
{
    const struct timespec rest = {0, 1000000};
    uint32_t wanted;

    if (!inside_is_measured() || !inside_orders->profile)
        return;
    if (!has_thread) {
        write_profiles();
        return;
    }
    wanted = __atomic_add_fetch(&profiles_wanted, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&inside_area->request, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &inside_area->request, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (int ms = 0; ms < 2000; ms++) {
        if (__atomic_load_n(&profiles_written, __ATOMIC_ACQUIRE) == wanted)
            return;
        nanosleep(&rest, NULL);
    }
}

void inside_begin_turns(void)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_t thread;

    if (inside_orders->interval_s == 0 && inside_orders->rotate_s <= 0 &&
        !inside_orders->takes_commands)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's signals are not for this thread */
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    has_thread = pthread_create(&thread, &attr, run, NULL) == 0;
    if (!has_thread)
        inside_note("no thread could be started: measurements are stored only at the end, and "
                    "libraries do not take turns");
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
