/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixture.h"

#include <pthread.h>
#include <semaphore.h>

#define THREADS 3
#define CALLS   2000

static struct portolan_probe_port port;
static struct portolan_probe_binding binding;
static uint32_t work;
static sem_t inside, go_on;

static void light_work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
}

static void blocking_work(struct worker *self, int64_t n)
{
    (void)self;
    if (n == -1)
        pthread_exit(NULL);
    sem_post(&inside);
    sem_wait(&go_on);
}

static struct worker light = {light_work, NULL, NULL}, blocking = {blocking_work, NULL, NULL};

static int fresh(void **state)
{
    static int number;
    char name[32];

    snprintf(name, sizeof name, "provider%d", number++);
    bind_worker(&binding, &light, "driver", name, "test.Light");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    work = binding.first_method_handle + METHOD_WORK;
    sem_init(&inside, 0, 0);
    sem_init(&go_on, 0, 0);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static void *call_often(void *arg)
{
    (void)arg;
    for (int64_t i = 0; i < CALLS; i++)
        proxy_work(&port, i % 100);
    return NULL;
}

static void *call_once(void *n)
{
    proxy_work(&port, (int64_t)(intptr_t)n);
    return NULL;
}

static uint64_t count_calls(uint32_t *threads)
{
    uint64_t calls = 0;
    bool seen[64] = {false};

    take_snapshot();
    *threads = 0;
    for (size_t i = 0; i < snap.count; i++) {
        const struct portolan_probe_record *r = &snap.records[i];

        if (r->handle != work || !r->calls)
            continue;
        calls += r->calls;
        assert_true(r->thread < snap.threads && r->thread < 64);
        *threads += !seen[r->thread];
        seen[r->thread] = true;
    }
    return calls;
}

static void each_thread_has_its_own_tree(void **state)
{
    pthread_t threads[THREADS];
    uint64_t calls = 0, last = 0;
    uint32_t seen;

    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, NULL), 0);
    for (int i = 0; i < 50; i++) { /* meanwhile counts only grow */
        calls = count_calls(&seen);
        assert_true(calls >= last && calls <= THREADS * CALLS);
        last = calls;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(count_calls(&seen), THREADS * CALLS);
    assert_true(seen >= 1 && seen <= THREADS);
}

static void records_of_ended_threads_are_kept_and_taken_over(void **state)
{
    uint32_t before, seen;
    pthread_t thread;

    take_snapshot();
    before = snap.threads;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(pthread_create(&thread, NULL, call_once, (void *)5), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(count_calls(&seen), 20);
    assert_int_equal(seen, 1);
    assert_true(snap.threads <= before + 1);
}

static void a_thread_that_ends_inside_a_call_is_inside_no_more(void **state)
{
    pthread_t thread;

    binding.target = &blocking;
    assert_int_equal(pthread_create(&thread, NULL, call_once, (void *)-1), 0);
    pthread_join(thread, NULL);
    assert_int_equal(portolan_probe_port_wait_quiet(&port, 1000000, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
}

static void reset_is_refused_while_another_thread_is_inside(void **state)
{
    struct portolan_error err = {0};
    uint32_t seen;
    pthread_t thread;

    binding.target = &blocking;
    assert_int_equal(pthread_create(&thread, NULL, call_once, (void *)5), 0);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_reset(&err), PORTOLAN_EBUSY);
    assert_non_null(strstr(err.text, "thread"));
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_EBUSY);
    sem_post(&go_on);
    pthread_join(thread, NULL);
    assert_int_equal(count_calls(&seen), 1);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
    assert_int_equal(count_calls(&seen), 0);
}

static size_t busy_threads(void)
{
    size_t busy = 0;

    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        busy += snap.records[i].parent < 0 && !snap.records[i].is_idle;
    return busy;
}

static void a_snapshot_tells_which_threads_are_inside_calls(void **state)
{
    pthread_t thread;

    binding.target = &blocking;
    assert_int_equal(busy_threads(), 0);
    assert_int_equal(pthread_create(&thread, NULL, call_once, (void *)5), 0);
    sem_wait(&inside);
    assert_int_equal(busy_threads(), 1);
    sem_post(&go_on);
    pthread_join(thread, NULL);
    assert_int_equal(busy_threads(), 0);
}

static void a_snapshot_in_given_memory_stays_in_it(void **state)
{
    struct portolan_probe_record records[5];
    struct portolan_probe_snapshot given = {.records = records, .capacity = 4, .is_fixed = true};
    struct portolan_error err = {0};

    call_often(NULL);
    memset(&records[4], 0x5a, sizeof records[4]);
    assert_int_equal(portolan_probe_snapshot_take(&given, &err), PORTOLAN_ENOMEM);
    assert_int_equal(given.count, 4);
    assert_ptr_equal(given.records, records);
    assert_int_equal(((unsigned char *)&records[4])[0], 0x5a);
    for (size_t i = 0; i < given.count; i++)
        assert_true(records[i].parent < (int64_t)i);
    portolan_probe_snapshot_clear(&given); /* frees nothing */
}

static void own_cost_is_measured_apart_from_the_records(void **state)
{
    struct portolan_probe_cost cost;
    size_t before;

    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MONOTONIC, NULL), PORTOLAN_OK);
    take_snapshot();
    before = snap.count;
    cost = portolan_probe_cost();
    take_snapshot();
    assert_int_equal(snap.count, before);
    assert_true(cost.mean_ns > 0 && cost.inside_ns > 0 && cost.spread_ns >= 0);
    assert_true(portolan_probe_cost().mean_ns == cost.mean_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_thread_has_its_own_tree, fresh),
        cmocka_unit_test_setup(records_of_ended_threads_are_kept_and_taken_over, fresh),
        cmocka_unit_test_setup(a_thread_that_ends_inside_a_call_is_inside_no_more, fresh),
        cmocka_unit_test_setup(reset_is_refused_while_another_thread_is_inside, fresh),
        cmocka_unit_test_setup(a_snapshot_tells_which_threads_are_inside_calls, fresh),
        cmocka_unit_test_setup(a_snapshot_in_given_memory_stays_in_it, fresh),
        cmocka_unit_test_setup(own_cost_is_measured_apart_from_the_records, fresh),
    };
    int failed = cmocka_run_group_tests_name("threads", tests, NULL, NULL);

    portolan_probe_snapshot_clear(&snap);
    return failed;
}
