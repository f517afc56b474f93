/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Swapping what stands behind a port. Linked with --wrap=syscall, so that membarrier(2) can be made
 * to fail. Run with the argument "without-barrier" it shows, by hand, how many calls reach a
 * retired target when the barrier is left out: the negative control of the poison test. It needs
 * processors that have nothing else to do; measured calls show it best, by hundreds.
 */
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

enum barrier { BARRIER_REAL, BARRIER_REFUSED, BARRIER_LEFT_OUT };

static enum barrier barrier;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_membarrier && barrier == BARRIER_REFUSED) {
        errno = EPERM;
        return -1;
    }
    if (number == SYS_membarrier && barrier == BARRIER_LEFT_OUT)
        return 0;
    return __real_syscall(number, a, b, c, d, e, f);
}

static struct portolan_probe_port port;
static struct portolan_probe_binding old_binding, new_binding;
static sem_t inside, go_on;
static enum portolan_status seen_inside;

static void quiet_work(struct worker *self, int64_t n)
{
    ++*(int64_t *)self->arg;
    (void)n;
}

static void blocking_work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    sem_post(&inside);
    sem_wait(&go_on);
}

static void swapping_work(struct worker *self, int64_t n)
{
    struct portolan_probe_binding *retired;

    (void)self, (void)n;
    seen_inside = portolan_probe_retarget(&port, &new_binding, 1000000, &retired, NULL);
    assert_null(retired);
}

static int64_t old_calls, new_calls;
static struct worker old_worker = {quiet_work, NULL, &old_calls};
static struct worker new_worker = {quiet_work, NULL, &new_calls};
static struct worker blocking = {blocking_work, NULL, NULL};
static struct worker swapping = {swapping_work, NULL, NULL};

static int fresh(void **state)
{
    barrier = BARRIER_REAL;
    old_calls = new_calls = 0;
    bind_worker(&old_binding, &old_worker, "driver", "solver", "test.Old");
    bind_worker(&new_binding, &new_worker, "driver", "solver", "test.New");
    portolan_probe_port_init(&port, &old_binding, PORTOLAN_PROBE_MONITORED);
    sem_init(&inside, 0, 0);
    sem_init(&go_on, 0, 0);
    return portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL);
}

static void records_of_the_new_target_are_its_own(void **state)
{
    struct portolan_probe_binding *retired = NULL;

    proxy_work(&port, 1);
    proxy_work(&port, 1);
    assert_int_equal(portolan_probe_retarget(&port, &new_binding, 1000000, &retired, NULL),
                     PORTOLAN_OK);
    assert_ptr_equal(retired, &old_binding);
    assert_ptr_equal(portolan_probe_port_peek_binding(&port), &new_binding);
    proxy_work(&port, 1);
    assert_int_equal(old_calls, 2);
    assert_int_equal(new_calls, 1);
    take_snapshot();
    assert_int_equal(find_record(NULL, old_binding.first_method_handle, 1)->calls, 2);
    assert_int_equal(find_record(NULL, new_binding.first_method_handle, 1)->calls, 1);
}

static void swapping_from_inside_the_port_is_refused(void **state)
{
    old_binding.target = &swapping;
    seen_inside = PORTOLAN_OK;
    proxy_work(&port, 1);
    assert_int_equal(seen_inside, PORTOLAN_EBUSY);
    assert_ptr_equal(portolan_probe_port_peek_binding(&port), &old_binding);
}

static void *call_once(void *arg)
{
    proxy_work(arg, 1);
    return NULL;
}

static void a_busy_target_times_out_and_stays(void **state)
{
    struct portolan_probe_binding *retired = &new_binding;
    struct portolan_error err = {0};
    pthread_t thread;

    old_binding.target = &blocking;
    assert_int_equal(pthread_create(&thread, NULL, call_once, &port), 0);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_retarget(&port, &new_binding, 20000000, &retired, &err),
                     PORTOLAN_ETIMEOUT);
    assert_null(retired);
    assert_ptr_equal(portolan_probe_port_peek_binding(&port), &old_binding);
    assert_non_null(strstr(err.text, "still inside"));
    /* the call that is still inside has the binding in force */
    assert_int_equal(portolan_probe_port_wait_quiet(&port, 1000, NULL), PORTOLAN_OK);

    sem_post(&go_on);
    pthread_join(thread, NULL);
    assert_int_equal(portolan_probe_retarget(&port, &new_binding, 1000000000, &retired, NULL),
                     PORTOLAN_OK);
}

static void calls_of_other_ports_are_not_waited_for(void **state)
{
    struct portolan_probe_binding other_binding, *retired;
    struct portolan_probe_port other;
    pthread_t thread;

    bind_worker(&other_binding, &blocking, "driver", "other", "test.Other");
    portolan_probe_port_init(&other, &other_binding, 0);
    assert_int_equal(pthread_create(&thread, NULL, call_once, &other), 0);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_retarget(&port, &new_binding, 1000000000, &retired, NULL),
                     PORTOLAN_OK);
    sem_post(&go_on);
    pthread_join(thread, NULL);
}

static void a_refused_barrier_fails_the_swap(void **state)
{
    struct portolan_probe_binding *retired = &new_binding;
    struct portolan_error err = {0};

    barrier = BARRIER_REFUSED;
    assert_int_equal(portolan_probe_retarget(&port, &new_binding, 1000000, &retired, &err),
                     PORTOLAN_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "membarrier"));
    assert_null(retired);
    assert_ptr_equal(portolan_probe_port_peek_binding(&port), &old_binding);
}

static jmp_buf escape;

static void jumping_work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    longjmp(escape, 1);
}

static void frames_left_by_a_longjmp_do_not_block_the_same_thread(void **state)
{
    struct portolan_probe_binding *retired;

    old_worker.work = jumping_work;
    old_binding.target = &old_worker;
    if (setjmp(escape) == 0)
        proxy_work(&port, 1);
    old_worker.work = quiet_work;
    assert_int_equal(portolan_probe_retarget(&port, &new_binding, 1000000, &retired, NULL),
                     PORTOLAN_OK);
}

/* ------------------------------------------------------------------------ poison */

#define POOL   64
#define ALIVE  0x600D600D600D600DU
#define POISON 0xDEADDEADDEADDEADU

struct victim {
    struct worker worker; /* first */
    uint64_t state;
};

static struct victim victims[POOL];
static struct portolan_probe_binding bindings[POOL];
static bool stop;
static uint64_t bad, good;

static void checked_work(struct worker *self, int64_t n)
{
    struct victim *v = (struct victim *)self;

    if (n > 0)
        proxy_work(&port, n - 1);
    /* after the inner calls: the outermost frame alone keeps this target alive */
    if (__atomic_load_n(&v->state, __ATOMIC_RELAXED) == ALIVE)
        __atomic_fetch_add(&good, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
}

static void *call_until_stopped(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        proxy_work(&port, 2);
    return NULL;
}

/* SWAPS swaps under two calling threads; every retired target is poisoned at once. */
static void swap_under_load(int swaps, uint32_t flags)
{
    struct portolan_probe_binding *retired;
    pthread_t callers[2];

    bad = good = 0;
    stop = false;
    for (int i = 0; i < POOL; i++) {
        victims[i].worker.work = checked_work;
        victims[i].state = ALIVE;
        bind_worker(&bindings[i], &victims[i].worker, "driver", "victim", "test.Victim");
    }
    portolan_probe_port_init(&port, &bindings[0], flags);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&callers[i], NULL, call_until_stopped, NULL), 0);
    while (!__atomic_load_n(&good, __ATOMIC_RELAXED))
        ;
    for (int i = 1; i <= swaps; i++) {
        __atomic_store_n(&victims[i % POOL].state, ALIVE, __ATOMIC_RELAXED);
        assert_int_equal(
            portolan_probe_retarget(&port, &bindings[i % POOL], 30000000000U, &retired, NULL),
            PORTOLAN_OK);
        __atomic_store_n(&victims[retired - bindings].state, POISON, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(callers[i], NULL);
}

static void no_measured_call_reaches_a_retired_target(void **state)
{
    swap_under_load(400, PORTOLAN_PROBE_MONITORED);
    assert_true(good > 0);
    assert_int_equal(bad, 0);
}

static void no_forwarded_call_reaches_a_retired_target(void **state)
{
    swap_under_load(400, 0);
    assert_true(good > 0);
    assert_int_equal(bad, 0);
}

/* By hand; says what happened. */
static int without_barrier(void)
{
    barrier = BARRIER_LEFT_OUT;
    for (uint32_t flags = 0; flags <= PORTOLAN_PROBE_MONITORED; flags++) {
        swap_under_load(20000, flags);
        printf("without barrier, %s: %llu of %llu calls reached a retired target\n",
               flags ? "measured" : "only forwarded", (unsigned long long)bad,
               (unsigned long long)(bad + good));
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(records_of_the_new_target_are_its_own, fresh),
        cmocka_unit_test_setup(swapping_from_inside_the_port_is_refused, fresh),
        cmocka_unit_test_setup(a_busy_target_times_out_and_stays, fresh),
        cmocka_unit_test_setup(calls_of_other_ports_are_not_waited_for, fresh),
        cmocka_unit_test_setup(a_refused_barrier_fails_the_swap, fresh),
        cmocka_unit_test_setup(frames_left_by_a_longjmp_do_not_block_the_same_thread, fresh),
        cmocka_unit_test_setup(no_measured_call_reaches_a_retired_target, fresh),
        cmocka_unit_test_setup(no_forwarded_call_reaches_a_retired_target, fresh),
    };
    int failed;

    if (argc > 1 && strcmp(argv[1], "without-barrier") == 0)
        return without_barrier();
    failed = cmocka_run_group_tests_name("retarget", tests, NULL, NULL);
    portolan_probe_snapshot_clear(&snap);
    return failed;
}
