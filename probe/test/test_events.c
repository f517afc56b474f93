/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic events: statistics, call paths, threads; the heap. */
#include "fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct portolan_probe_event_record *rows;
static size_t n_rows;
static struct portolan_error err;

static uint32_t event(const char *name, bool with_context)
{
    uint32_t e;

    assert_int_equal(portolan_probe_event_register(name, with_context, &e, NULL), PORTOLAN_OK);
    return e;
}

static void take(void)
{
    free(rows);
    assert_int_equal(portolan_probe_events_take(&rows, &n_rows, NULL), PORTOLAN_OK);
}

/* Of thread 0, the row at place NTH among those of NAME. */
static const struct portolan_probe_event_record *row(const char *name, size_t nth)
{
    for (size_t i = 0; i < n_rows; i++)
        if (!strcmp(rows[i].name, name) && !nth--)
            return &rows[i];
    return NULL;
}

static int fresh(void **state)
{
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static void statistics_are_those_of_the_values(void **state)
{
    uint32_t e = event("message size", false);

    portolan_probe_event_trigger(e, -3);
    portolan_probe_event_trigger(e, 10);
    portolan_probe_event_trigger(e, 5);
    take();
    assert_int_equal(n_rows, 1);
    assert_string_equal(rows->name, "message size");
    assert_int_equal(rows->count, 3);
    assert_true(rows->max == 10 && rows->min == -3 && rows->mean == 4);
    assert_true(rows->sum_squares == 134);
    assert_false(rows->has_record);
}

static void the_same_name_is_the_same_event(void **state)
{
    assert_int_equal(event("message size", false), event("message size", false));
    assert_int_not_equal(event("another", false), event("message size", false));
    assert_string_equal(portolan_probe_event_peek_name(event("another", false)), "another");
    assert_null(portolan_probe_event_peek_name(UINT32_MAX));
    portolan_probe_event_trigger(UINT32_MAX, 1);
    assert_int_equal(portolan_probe_event_register("", false, &(uint32_t){0}, &err),
                     PORTOLAN_EINVAL);
}

static uint32_t timer(const char *name)
{
    struct portolan_probe_method method = {.name = name, .kind = PORTOLAN_PROBE_TIMER};
    uint32_t handle;

    assert_int_equal(portolan_probe_methods_register(&(struct portolan_probe_connection){0},
                                                     &method, 1, &handle, NULL),
                     PORTOLAN_OK);
    return handle;
}

static void context_events_are_told_apart_by_call_path(void **state)
{
    uint32_t e = event("with paths", true), a = timer("a"), b = timer("b");

    portolan_probe_timer_start(a);
    portolan_probe_event_trigger(e, 1);
    portolan_probe_timer_start(b);
    portolan_probe_event_trigger(e, 2);
    portolan_probe_event_trigger(e, 4);
    portolan_probe_timer_stop(b);
    portolan_probe_timer_stop(a);
    portolan_probe_event_set_context(e, false);
    portolan_probe_event_trigger(e, 8);
    take();
    take_snapshot();
    assert_int_equal(n_rows, 3);
    assert_true(!rows[0].has_record && rows[0].count == 4 && rows[0].mean == 3.75);
    assert_true(rows[1].has_record && rows[1].count == 1 && rows[1].max == 1);
    assert_true(rows[2].has_record && rows[2].count == 2 && rows[2].mean == 3);
    for (size_t i = 0; i < snap.count; i++) {
        if (snap.records[i].handle == a)
            assert_true(snap.records[i].id == rows[1].record);
        if (snap.records[i].handle == b)
            assert_true(snap.records[i].id == rows[2].record);
    }
}

static void *trigger_once(void *arg)
{
    portolan_probe_event_trigger(*(uint32_t *)arg, 100);
    return NULL;
}

static void *note_once(void *arg)
{
    portolan_probe_event_note(*(uint32_t *)arg, 50);
    return NULL;
}

static void threads_have_rows_of_their_own_and_helpers_none(void **state)
{
    uint32_t e = event("on threads", false);
    pthread_t thread;

    portolan_probe_event_trigger(e, 10);
    pthread_create(&thread, NULL, trigger_once, &e);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, note_once, &e);
    pthread_join(thread, NULL);
    take();
    assert_int_equal(n_rows, 2);
    assert_true(rows[0].thread == 0 && rows[0].count == 2 && rows[0].mean == 30);
    assert_true(rows[0].max == 50 && rows[0].min == 10 && rows[0].sum_squares == 2600);
    assert_true(rows[1].thread == 1 && rows[1].count == 1 && rows[1].mean == 100);
}

static void a_step_takes_no_events_but_a_reset_does(void **state)
{
    uint32_t e = event("kept", false);

    portolan_probe_event_trigger(e, 7);
    assert_int_equal(portolan_probe_reset_unprofiled(NULL), PORTOLAN_OK);
    take();
    assert_int_equal(row("kept", 0)->count, 1);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
    take();
    assert_null(row("kept", 0));
    portolan_probe_event_trigger(e, -7);
    take();
    assert_true(row("kept", 0)->max == -7 && row("kept", 0)->min == -7);
}

static void many_events_and_paths_find_their_rows(void **state)
{
    uint32_t events[300], timers[20];

    for (int i = 0; i < 20; i++) {
        char name[20];

        snprintf(name, sizeof name, "path %d", i);
        timers[i] = timer(name);
    }
    for (int i = 0; i < 300; i++) {
        char name[20];

        snprintf(name, sizeof name, "event %03d", i);
        events[i] = event(name, true);
    }
    for (int k = 0; k < 20; k++) {
        portolan_probe_timer_start(timers[k]);
        for (int i = 0; i < 300; i++)
            portolan_probe_event_trigger(events[i], i + k);
        portolan_probe_timer_stop(timers[k]);
    }
    take();
    for (int i = 0; i < 300; i++) {
        const struct portolan_probe_event_record *r =
            row(portolan_probe_event_peek_name(events[i]), 0);

        assert_true(r->count == 20 && r->min == i && r->max == i + 19 && r->mean == i + 9.5);
        for (int k = 1; k <= 20; k++)
            assert_true(r[k].has_record && r[k].count == 1 && r[k].mean == i + k - 1);
    }
}

static void a_forked_child_begins_with_none(void **state)
{
    uint32_t e = event("before and after", true);
    int status = -1;
    pid_t child;

    portolan_probe_event_trigger(e, 1);
    child = fork();
    if (child == 0) {
        bool good;

        take();
        good = n_rows == 0;
        portolan_probe_event_trigger(e, 2);
        take();
        _exit(good && n_rows == 2 && rows->count == 1 && rows->mean == 2 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    take();
    assert_true(row("before and after", 0)->count == 1 && row("before and after", 0)->mean == 1);
}

static void the_heap_shows_what_was_allocated(void **state)
{
    double before = portolan_probe_heap_kb(), with, after;
    char *volatile block;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they have another heap */
#endif
    block = malloc(10 << 20);
    assert_non_null(block);
    with = portolan_probe_heap_kb();
    free(block);
    after = portolan_probe_heap_kb();
    assert_true(with - before >= 10240 && with - before < 10240 + 64);
    assert_true(fabs(after - before) < 64);
}

static void headroom_obeys_the_limits(void **state)
{
    double free_mb = portolan_probe_headroom_mb();
    struct rlimit limit, old, set;

    assert_true(free_mb > 0);
    assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
    limit = old;
    limit.rlim_cur = (rlim_t)512 << 20;
    if (setrlimit(RLIMIT_DATA, &limit) != 0 || getrlimit(RLIMIT_DATA, &set) != 0 ||
        set.rlim_cur != limit.rlim_cur)
        skip(); /* QEMU sets none: it would have to live with it itself */
    assert_true(portolan_probe_headroom_mb() <= 512);
    setrlimit(RLIMIT_DATA, &old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(statistics_are_those_of_the_values, fresh),
        cmocka_unit_test_setup(the_same_name_is_the_same_event, fresh),
        cmocka_unit_test_setup(context_events_are_told_apart_by_call_path, fresh),
        cmocka_unit_test_setup(threads_have_rows_of_their_own_and_helpers_none, fresh),
        cmocka_unit_test_setup(a_step_takes_no_events_but_a_reset_does, fresh),
        cmocka_unit_test_setup(many_events_and_paths_find_their_rows, fresh),
        cmocka_unit_test_setup(a_forked_child_begins_with_none, fresh),
        cmocka_unit_test_setup(the_heap_shows_what_was_allocated, fresh),
        cmocka_unit_test_setup(headroom_obeys_the_limits, fresh),
    };
    int failed = cmocka_run_group_tests_name("events", tests, NULL, NULL);

    free(rows);
    portolan_probe_snapshot_clear(&snap);
    return failed;
}
