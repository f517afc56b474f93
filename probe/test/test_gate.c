/* SPDX-License-Identifier: BSD-3-Clause */
/* The gate: nobody is inside while state moves, nobody is forgotten, and nobody is stuck. */
#include "fixture.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static const uint64_t long_ns = 30000000000U, short_ns = 20000000U;

static struct portolan_probe_port port;
static struct portolan_probe_binding old_binding, new_binding;
static sem_t inside, go_on;
static int64_t old_calls, new_calls;
static enum portolan_status seen_inside;

static void counting_work(struct worker *self, int64_t n)
{
    (void)n;
    __atomic_fetch_add((int64_t *)self->arg, 1, __ATOMIC_RELAXED);
}

static void blocking_work(struct worker *self, int64_t n)
{
    counting_work(self, n);
    sem_post(&inside);
    sem_wait(&go_on);
}

static void closing_work(struct worker *self, int64_t n)
{
    (void)self, (void)n;
    seen_inside = portolan_probe_gate_close(&port, short_ns, NULL);
}

static struct worker old_worker = {counting_work, NULL, &old_calls};
static struct worker new_worker = {counting_work, NULL, &new_calls};

static int fresh(void **state)
{
    old_worker.work = counting_work;
    __atomic_store_n(&old_calls, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&new_calls, 0, __ATOMIC_RELAXED);
    bind_worker(&old_binding, &old_worker, "driver", "solver", "test.Old");
    bind_worker(&new_binding, &new_worker, "driver", "solver", "test.New");
    portolan_probe_port_init(&port, &old_binding, *state ? PORTOLAN_PROBE_MONITORED : 0);
    sem_init(&inside, 0, 0);
    sem_init(&go_on, 0, 0);
    return 0;
}

static int64_t calls_of(int64_t *calls)
{
    return __atomic_load_n(calls, __ATOMIC_RELAXED);
}

static void *call_once(void *arg)
{
    (void)arg;
    proxy_work(&port, 1);
    return NULL;
}

static void start(pthread_t *thread, void *(*function)(void *))
{
    assert_int_equal(pthread_create(thread, NULL, function, NULL), 0);
}

/* ------------------------------------------------------------------ opening and closing */

static void calls_wait_at_a_closed_gate_and_go_to_the_new_target(void **state)
{
    pthread_t thread;

    proxy_work(&port, 1);
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    assert_true(portolan_probe_port_is_closed(&port));
    start(&thread, call_once);
    usleep(2000);
    assert_int_equal(calls_of(&old_calls), 1);
    assert_int_equal(calls_of(&new_calls), 0);
    assert_ptr_equal(portolan_probe_gate_open(&port, &new_binding), &old_binding);
    pthread_join(thread, NULL);
    assert_false(portolan_probe_port_is_closed(&port));
    assert_int_equal(calls_of(&old_calls), 1);
    assert_int_equal(calls_of(&new_calls), 1);
}

static void a_gate_may_open_without_a_swap(void **state)
{
    pthread_t thread;

    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    start(&thread, call_once);
    assert_ptr_equal(portolan_probe_gate_open(&port, NULL), &old_binding);
    pthread_join(thread, NULL);
    assert_int_equal(calls_of(&old_calls), 1);
}

static void who_closed_the_gate_may_call_the_old_target(void **state)
{
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    proxy_work(&port, 1);
    assert_int_equal(calls_of(&old_calls), 1);
    portolan_probe_gate_open(&port, &new_binding);
    proxy_work(&port, 1);
    assert_int_equal(calls_of(&new_calls), 1);
}

static void a_gate_closes_once(void **state)
{
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_gate_close(&port, short_ns, NULL), PORTOLAN_EBUSY);
    portolan_probe_gate_open(&port, NULL);
}

static void closing_it_from_inside_is_refused(void **state)
{
    old_worker.work = closing_work;
    seen_inside = PORTOLAN_OK;
    proxy_work(&port, 1);
    assert_int_equal(seen_inside, PORTOLAN_EBUSY);
    assert_false(portolan_probe_port_is_closed(&port));
}

static void flags_may_change_while_it_is_closed(void **state)
{
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED);
    assert_true(portolan_probe_port_is_closed(&port));
    assert_int_equal(portolan_probe_port_flags(&port), PORTOLAN_PROBE_MONITORED);
    portolan_probe_gate_open(&port, NULL);
    assert_int_equal(portolan_probe_port_flags(&port), PORTOLAN_PROBE_MONITORED);
}

/* ------------------------------------------------------------------ calls that are inside */

static void a_call_inside_times_out_and_opens_the_gate(void **state)
{
    struct portolan_error err = {0};
    pthread_t thread;

    old_worker.work = blocking_work;
    start(&thread, call_once);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_gate_close(&port, short_ns, &err), PORTOLAN_ETIMEOUT);
    assert_non_null(strstr(err.text, "still inside"));
    assert_false(portolan_probe_port_is_closed(&port));
    assert_ptr_equal(portolan_probe_port_peek_binding(&port), &old_binding);
    sem_post(&go_on);
    pthread_join(thread, NULL);
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    portolan_probe_gate_open(&port, NULL);
}

/* Its thread is inside P and calls P once more while the gate is closed. */
static void nesting_work(struct worker *self, int64_t n)
{
    counting_work(self, n);
    if (n == 0)
        return;
    sem_post(&inside);
    while (!portolan_probe_port_is_closed(&port))
        usleep(100);
    proxy_work(&port, 0);
}

static void a_call_inside_passes_a_closed_gate_to_the_old_target(void **state)
{
    pthread_t thread;

    old_worker.work = nesting_work;
    start(&thread, call_once);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    assert_int_equal(calls_of(&old_calls), 2);
    portolan_probe_gate_open(&port, &new_binding);
    pthread_join(thread, NULL);
}

static sem_t b_done;

static void *call_when_closed(void *arg)
{
    (void)arg;
    while (!portolan_probe_port_is_closed(&port))
        usleep(100);
    proxy_work(&port, 0);
    sem_post(&b_done);
    return NULL;
}

/* Inside P, waits for what another thread's call of P does. */
static void waiting_work(struct worker *self, int64_t n)
{
    counting_work(self, n);
    if (n == 0)
        return;
    sem_post(&inside);
    sem_wait(&b_done);
}

static void a_call_that_waits_for_one_at_the_gate_times_out_and_both_end(void **state)
{
    pthread_t a, b;

    sem_init(&b_done, 0, 0);
    old_worker.work = waiting_work;
    start(&a, call_once);
    sem_wait(&inside);
    start(&b, call_when_closed);
    assert_int_equal(portolan_probe_gate_close(&port, short_ns, NULL), PORTOLAN_ETIMEOUT);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert_int_equal(calls_of(&old_calls), 2);
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    portolan_probe_gate_open(&port, NULL);
}

/* ------------------------------------------------------------------ calls that do not end */

static __thread jmp_buf escape;

static void jumping_work(struct worker *self, int64_t n)
{
    counting_work(self, n);
    if (n > 0)
        longjmp(escape, 1);
}

static void *jump_and_wait(void *arg)
{
    (void)arg;
    if (setjmp(escape) == 0)
        proxy_work(&port, 1);
    sem_post(&inside);
    sem_wait(&go_on);
    proxy_work(&port, 0); /* finds what the jump left, and drops it */
    sem_post(&inside);
    sem_wait(&go_on);
    return NULL;
}

static void a_frame_that_a_longjmp_left_is_dropped_by_the_next_call(void **state)
{
    pthread_t thread;

    old_worker.work = jumping_work;
    start(&thread, jump_and_wait);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_gate_close(&port, short_ns, NULL), PORTOLAN_ETIMEOUT);
    sem_post(&go_on);
    sem_wait(&inside);
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    portolan_probe_gate_open(&port, NULL);
    sem_post(&go_on);
    pthread_join(thread, NULL);
}

static void exiting_work(struct worker *self, int64_t n)
{
    counting_work(self, n);
    pthread_exit(NULL);
}

static void a_thread_that_ends_inside_is_inside_no_more(void **state)
{
    pthread_t thread;

    old_worker.work = exiting_work;
    start(&thread, call_once);
    pthread_join(thread, NULL);
    assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
    portolan_probe_gate_open(&port, NULL);
}

/* ------------------------------------------------------------------ under load */

enum { STATES = 2, THREADS = 3, SWAPS = 300 };

/* An implementation whose state is its caller's count of calls: all must be there at the end. */
struct stateful {
    struct worker worker; /* first */
    int64_t count;
};

static struct stateful stateful[STATES];
static bool stop;

static void counting_state(struct worker *self, int64_t n)
{
    if (n > 0)
        proxy_work(&port, n - 1);
    __atomic_fetch_add(&((struct stateful *)self)->count, 1, __ATOMIC_RELAXED);
}

static void *call_until_stopped(void *calls)
{
    int64_t n = 0;

    for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n += 3)
        proxy_work(&port, 2);
    *(int64_t *)calls = n;
    return NULL;
}

static void state_moves_whole_while_threads_call(void **state)
{
    struct portolan_probe_binding bindings[STATES];
    int64_t made[THREADS] = {0}, sum = 0;
    pthread_t threads[THREADS];

    stop = false;
    for (int i = 0; i < STATES; i++) {
        stateful[i] = (struct stateful){{counting_state, NULL, NULL}, 0};
        bind_worker(&bindings[i], &stateful[i].worker, "driver", "state", "test.State");
    }
    portolan_probe_port_init(&port, &bindings[0], portolan_probe_port_flags(&port));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_until_stopped, &made[i]), 0);
    for (int i = 0; i < SWAPS; i++) {
        struct stateful *from = &stateful[i % STATES], *to = &stateful[(i + 1) % STATES];

        assert_int_equal(portolan_probe_gate_close(&port, long_ns, NULL), PORTOLAN_OK);
        to->count = from->count;
        from->count = -1000000000;
        portolan_probe_gate_open(&port, &bindings[(i + 1) % STATES]);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += made[i];
    }
    assert_int_equal(stateful[SWAPS % STATES].count, sum);
}

#define BOTH(TEST)                                                                                 \
    {#TEST ", forwarded", TEST, fresh, NULL, NULL},                                                \
    {                                                                                              \
#TEST ", measured", TEST, fresh, NULL, &port                                               \
    }

UNIT_TESTS(BOTH(calls_wait_at_a_closed_gate_and_go_to_the_new_target),
           BOTH(a_gate_may_open_without_a_swap), BOTH(who_closed_the_gate_may_call_the_old_target),
           BOTH(a_gate_closes_once), BOTH(closing_it_from_inside_is_refused),
           BOTH(flags_may_change_while_it_is_closed),
           BOTH(a_call_inside_times_out_and_opens_the_gate),
           BOTH(a_call_inside_passes_a_closed_gate_to_the_old_target),
           BOTH(a_call_that_waits_for_one_at_the_gate_times_out_and_both_end),
           BOTH(a_frame_that_a_longjmp_left_is_dropped_by_the_next_call),
           BOTH(a_thread_that_ends_inside_is_inside_no_more),
           BOTH(state_moves_whole_while_threads_call))
