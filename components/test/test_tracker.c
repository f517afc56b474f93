/* SPDX-License-Identifier: BSD-3-Clause */
/* What is looked at from time to time. */
#include <unit_test.h>

#include "tracker.h"

#include <portolan/probe.h>
#include <sched.h>

static uint64_t looks;

static double look(void)
{
    return (double)__atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
}

static struct tracker tracker = {.event_name = "looks",
                                 .look = look,
                                 .lock = PTHREAD_MUTEX_INITIALIZER,
                                 .interval_ns = UINT64_C(3600000000000)};

/* What the event has so far on thread 0, where helpers' notes go. */
static uint64_t noted(void)
{
    struct portolan_probe_event_record *rows;
    uint64_t count = 0;
    size_t n;

    assert_int_equal(portolan_probe_events_take(&rows, &n, NULL), PORTOLAN_OK);
    if (n) {
        assert_int_equal(n, 1);
        assert_int_equal(rows->thread, 0);
        count = rows->count;
    }
    free(rows);
    return count;
}

static void wait_for(uint64_t count)
{
    while (noted() < count)
        sched_yield();
}

static void a_thread_notes_until_it_is_ended(void **state)
{
    uint64_t at_end;

    assert_int_equal(tracker_begin(&tracker, NULL), PORTOLAN_OK);
    assert_int_equal(tracker_begin(&tracker, NULL), PORTOLAN_OK);
    tracker_set_interval(&tracker, 1000); /* in the middle of an hour */
    wait_for(3);
    tracker_end(&tracker);
    tracker_end(&tracker);
    at_end = __atomic_load_n(&looks, __ATOMIC_RELAXED);
    assert_int_equal(noted(), at_end);
    tracker_set_interval(&tracker, UINT64_C(3600000000000));
    assert_int_equal(tracker_begin(&tracker, NULL), PORTOLAN_OK);
    tracker_end(&tracker);
    assert_int_equal(__atomic_load_n(&looks, __ATOMIC_RELAXED), at_end);
}

static void here_is_on_the_calling_thread_unless_it_is_off(void **state)
{
    uint64_t before = noted();

    assert_int_equal(tracker_here(&tracker, NULL), PORTOLAN_OK);
    assert_int_equal(noted(), before + 1);
    tracker_switch(&tracker, false);
    assert_int_equal(tracker_here(&tracker, NULL), PORTOLAN_OK);
    assert_int_equal(noted(), before + 1);
    tracker_switch(&tracker, true);
    assert_int_equal(tracker_here(&tracker, NULL), PORTOLAN_OK);
    assert_int_equal(noted(), before + 2);
}

UNIT_TESTS(cmocka_unit_test(a_thread_notes_until_it_is_ended),
           cmocka_unit_test(here_is_on_the_calling_thread_unless_it_is_off))
