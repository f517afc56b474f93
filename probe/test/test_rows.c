/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows: one for each timed call, in order, with what was lost counted exactly. */
#include "fixture.h"

#include "internal.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 200000, THREADS = 4 };

static struct portolan_probe_port port, inner_port;
static struct portolan_probe_binding binding, inner_binding;
static struct worker outer, inner;

/* What was taken. */
static struct portolan_probe_row *got;
static size_t n_got, room, refuse_after;
static uint64_t n_lost;

static int keep(void *arg, const struct portolan_probe_row *rows, size_t n)
{
    (void)arg;
    if (refuse_after && n_got >= refuse_after)
        return 1;
    if (n_got + n > room) {
        room = 2 * (n_got + n);
        got = realloc(got, room * sizeof *got);
        assert_non_null(got);
    }
    memcpy(got + n_got, rows, n * sizeof *rows);
    n_got += n;
    return 0;
}

static void take(void)
{
    n_got = 0;
    n_lost = 0;
    assert_int_equal(portolan_probe_rows_take(keep, NULL, &n_lost, NULL), PORTOLAN_OK);
}

static void configure(size_t memory, uint64_t spill)
{
    const struct portolan_probe_rows_limits limits = {memory, spill, NULL};

    assert_int_equal(portolan_probe_rows_configure(&limits, NULL), PORTOLAN_OK);
}

static void scale_body(struct worker *w, double x, int64_t m)
{
    (void)w, (void)m;
    portolan_probe_clock_advance((uint64_t)x);
}

/* Advances 5, calls the inner port for 3 of M, and once more comes back through its own port. */
static void nested_body(struct worker *w, double x, int64_t m)
{
    portolan_probe_clock_advance(5);
    proxy_scale(&inner_port, 3.0, m, NAN);
    if (x > 1.0)
        proxy_scale(w->arg, x - 1.0, m, NAN);
}

static int set_up(void **state)
{
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    outer.scale = inner.scale = scale_body;
    outer.arg = &port;
    bind_worker(&binding, &outer, "user", "outer", "class");
    bind_worker(&inner_binding, &inner, "outer", "inner", "class");
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    portolan_probe_port_init(&inner_port, &inner_binding, PORTOLAN_PROBE_MONITORED);
    configure(0, 0);
    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    take();
    refuse_after = 0;
    return 0;
}

/* ------------------------------------------------- what a row says */

static void a_row_has_what_its_call_had(void **state)
{
    portolan_probe_clock_advance(100);
    proxy_scale(&port, 7.0, 3, 0.25);
    proxy_scale(&port, 9.0, 3, NAN);
    take();
    assert_int_equal(n_got, 2);
    assert_int_equal(n_lost, 0);
    assert_true(got[0].start_ns == 100.0 && got[1].start_ns == 107.0);
    assert_true(got[0].inclusive_ns == 7.0 && got[0].exclusive_ns == 7.0);
    assert_true(got[0].x[0] == 7.0 && got[0].x[1] == 3.0);
    assert_true(got[0].quality == 0.25);
    assert_true(got[0].one_in == 1 && got[0].ordinal == 0);
    take_snapshot();
    assert_int_equal(snap.records[got[0].record & 0xFFFFFFFFU].id, got[0].record);
    assert_int_equal(snap.records[got[0].record & 0xFFFFFFFFU].calls, 1);
    take();
    assert_int_equal(n_got, 0);
}

static void rows_of_nested_and_recursive_calls_end_with_the_innermost(void **state)
{
    outer.scale = nested_body;
    portolan_probe_port_set_flags(&inner_port, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    proxy_scale(&port, 2.0, 1, NAN);
    take();
    assert_int_equal(n_got, 4); /* inner, inner of the second, second, first */
    assert_true(got[0].inclusive_ns == 3.0 && got[1].inclusive_ns == 3.0);
    assert_true(got[2].inclusive_ns == 8.0 && got[2].exclusive_ns == 5.0);
    assert_true(got[3].inclusive_ns == 16.0 && got[3].exclusive_ns == 5.0);
    assert_true(got[2].record != got[3].record);
}

static void mpi_time_of_a_row_is_its_own(void **state)
{
    for (int i = 0; i < 2; i++) {
        PORTOLAN_PROBE_CALL(call);
        struct portolan_probe_context context[2] = {portolan_probe_context_real(1.0),
                                                    portolan_probe_context_int(1)};

        portolan_probe_enter(&call, &port, METHOD_SCALE, context, 2);
        portolan_probe_mpi_enter();
        portolan_probe_clock_advance(10 + (uint64_t)i);
        portolan_probe_mpi_leave();
        portolan_probe_leave(&call);
    }
    take();
    assert_int_equal(n_got, 2);
    assert_true(got[0].mpi_ns == 10.0 && got[1].mpi_ns == 11.0);
}

static jmp_buf out;

static void leaving_body(struct worker *w, double x, int64_t m)
{
    (void)w, (void)m;
    portolan_probe_clock_advance(50);
    if (x == 2.0)
        longjmp(out, 1);
}

static __attribute__((noinline)) void call_and_come_back(double x)
{
    if (setjmp(out) == 0)
        proxy_scale(&port, x, 1, NAN);
}

static void a_call_left_by_longjmp_has_no_row_and_is_not_counted(void **state)
{
    outer.scale = leaving_body;
    call_and_come_back(1.0);
    call_and_come_back(2.0);
    call_and_come_back(1.0);
    take();
    assert_int_equal(n_got, 2);
    assert_true(got[0].x[0] == 1.0 && got[1].x[0] == 1.0);
    assert_true(got[0].inclusive_ns == 50.0 && got[1].inclusive_ns == 50.0);
    assert_true(got[0].record == got[1].record && got[1].ordinal == 1);
}

/* ------------------------------------------------- how many there is room for */

static void check_order(size_t from, uint64_t first)
{
    for (size_t i = from; i < n_got; i++) {
        assert_int_equal(got[i].ordinal, first + i - from);
        assert_true(got[i].x[1] == 1.0);
    }
}

static void what_finds_no_room_is_counted_and_the_oldest_stay(void **state)
{
    configure(2 * 65536, 0);
    for (int i = 0; i < MANY; i++)
        proxy_scale(&port, 1.0, 1, NAN);
    take();
    assert_true(n_got > 0 && n_lost > 0);
    assert_int_equal(n_got + n_lost, MANY);
    check_order(0, 0);
    take_snapshot();
    assert_int_equal(snap.records[got[0].record & 0xFFFFFFFFU].calls, MANY);
    proxy_scale(&port, 1.0, 1, NAN);
    take();
    assert_int_equal(n_got, 1);
    assert_int_equal(n_lost, 0);
    assert_int_equal(got[0].ordinal, MANY);
}

/* Waits in small steps, by yielding to the thread that writes, so that none is lost. */
static void spilled_rows_come_back_in_order(void **state)
{
    uint64_t on_disk = 0;

    configure(16 * 65536, (uint64_t)1 << 30);
    for (int i = 0; i < MANY; i++) {
        proxy_scale(&port, 1.0, 1, NAN);
        if (i % 500 == 0)
            on_disk = probe_rows_spill_now();
    }
    assert_true(on_disk > MANY / 2);
    take();
    assert_int_equal(n_lost, 0);
    assert_int_equal(n_got, MANY);
    check_order(0, 0);
}

static void a_refused_batch_comes_again(void **state)
{
    size_t first;

    for (int i = 0; i < 5000; i++)
        proxy_scale(&port, 1.0, 1, NAN);
    refuse_after = 1000;
    take();
    first = n_got;
    assert_true(first >= 1000 && first < 5000);
    check_order(0, 0);
    refuse_after = 0;
    proxy_scale(&port, 1.0, 1, NAN);
    take();
    assert_int_equal(first + n_got, 5001);
    check_order(0, first);
}

static void a_full_disk_loses_rows_and_says_so(void **state)
{
    char text[300];

    configure(2 * 65536, 65536);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            proxy_scale(&port, 1.0, 1, NAN);
        probe_rows_spill_now();
    }
    take();
    assert_int_equal(n_got + n_lost, 2 * MANY);
    assert_true(n_lost > 0);
    for (size_t i = 1; i < n_got; i++)
        assert_true(got[i].ordinal > got[i - 1].ordinal);
    portolan_probe_rows_trouble(text, sizeof text);
    assert_non_null(strstr(text, "full"));
}

static void what_cannot_be_written_stays_in_memory(void **state)
{
    const struct rlimit small = {4096, RLIM_INFINITY};
    struct rlimit before;
    char text[300];
    int calls = 1500; /* two blocks of four */

    configure(4 * 65536, (uint64_t)1 << 30);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < calls; i++)
        proxy_scale(&port, 1.0, 1, NAN);
    assert_int_equal(probe_rows_spill_now(), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    portolan_probe_rows_trouble(text, sizeof text);
    assert_non_null(strstr(text, "too large"));
    take();
    assert_int_equal(n_lost, 0);
    assert_int_equal(n_got, calls);
    check_order(0, 0);
}

static void a_folder_that_is_none_is_refused(void **state)
{
    const struct portolan_probe_rows_limits limits = {0, 1 << 20, "/nonexistent/folder"};
    struct portolan_error err = {0};

    assert_int_equal(portolan_probe_rows_configure(&limits, &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "/nonexistent/folder"));
    proxy_scale(&port, 1.0, 1, NAN);
    take();
    assert_int_equal(n_got, 1);
}

static void limits_cannot_change_while_rows_wait(void **state)
{
    const struct portolan_probe_rows_limits limits = {0, 0, NULL};

    proxy_scale(&port, 1.0, 1, NAN);
    assert_int_equal(portolan_probe_rows_configure(&limits, NULL), PORTOLAN_EBUSY);
    take();
    assert_int_equal(portolan_probe_rows_configure(&limits, NULL), PORTOLAN_OK);
}

static void a_reset_forgets_rows(void **state)
{
    proxy_scale(&port, 1.0, 1, NAN);
    assert_int_equal(portolan_probe_reset(NULL), PORTOLAN_OK);
    proxy_scale(&port, 1.0, 1, NAN);
    take();
    assert_int_equal(n_got, 1);
    assert_int_equal(got[0].ordinal, 0);
}

static void rows_of_more_paths_than_there_are_nodes_are_of_other(void **state)
{
    uint64_t others = 0;

    configure((size_t)64 << 20, 0);
    outer.scale = nested_body;
    portolan_probe_port_set_flags(&inner_port, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    /* each level of recursion has its own paths */
    for (int64_t m = 0; m < 40; m++)
        proxy_scale(&port, 2000.0, m, NAN);
    take();
    assert_int_equal(n_lost, 0);
    assert_int_equal(n_got, 40 * 4000);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == PORTOLAN_PROBE_HANDLE_OTHER)
            others = snap.records[i].id;
    assert_true(others > 0);
    assert_int_equal(got[n_got - 1].record, others);
    assert_true(got[0].record != others);
}

/* ------------------------------------------------- threads, processes */

static void *call_many(void *arg)
{
    int64_t m = *(int64_t *)arg;

    for (int i = 0; i < MANY / THREADS; i++)
        proxy_scale(&port, 1.0, m, NAN);
    return NULL;
}

static void take_while_threads_call(bool at_once)
{
    pthread_t threads[THREADS];
    int64_t numbers[THREADS];
    uint64_t ordinals[THREADS] = {0}, taken = 0, lost = 0;

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, call_many, &numbers[i]), 0);
        if (at_once)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < THREADS && round && !at_once; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        take();
        taken += n_got;
        lost += n_lost;
        for (size_t i = 0; i < n_got; i++) {
            int m = (int)got[i].x[1];

            assert_true(got[i].ordinal >= ordinals[m]);
            ordinals[m] = got[i].ordinal + 1;
        }
    }
    assert_int_equal(taken + lost, MANY);
}

static void rows_are_taken_while_threads_call(void **state)
{
    configure(4 * 65536, (uint64_t)1 << 30);
    take_while_threads_call(false);
}

static void rows_of_threads_that_ended_wait(void **state)
{
    configure((size_t)64 << 20, 0);
    take_while_threads_call(true);
    assert_int_equal(n_lost, 0);
}

static void check_child(void)
{
    take();
    if (n_got || n_lost)
        _exit(1);
    take_snapshot();
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].calls || snap.records[i].inclusive_ns > 0)
            _exit(2);
    portolan_probe_port_set_flags(&port, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    for (int i = 0; i < MANY; i++)
        proxy_scale(&port, 2.0, 1, NAN);
    take();
    if (n_got + n_lost != MANY || got[0].ordinal != 0 || got[0].inclusive_ns != 2.0)
        _exit(3);
    _exit(0);
}

static bool stop_calling, is_calling;

static void waiting_body(struct worker *w, double x, int64_t m)
{
    (void)w, (void)x, (void)m;
    __atomic_store_n(&is_calling, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stop_calling, __ATOMIC_ACQUIRE))
        usleep(100);
}

static void *call_inner(void *arg)
{
    (void)arg;
    proxy_scale(&inner_port, 1.0, 1, NAN);
    return NULL;
}

static void a_child_begins_with_nothing_and_leaves_the_parents_rows(void **state)
{
    pthread_t other;
    pid_t child;
    int status;

    configure(4 * 65536, (uint64_t)1 << 30);
    inner.scale = waiting_body; /* a thread that the child does not have is inside a call */
    assert_int_equal(pthread_create(&other, NULL, call_inner, NULL), 0);
    while (!__atomic_load_n(&is_calling, __ATOMIC_ACQUIRE))
        usleep(100);
    for (int i = 0; i < MANY; i++) {
        proxy_scale(&port, 1.0, 1, NAN);
        if (i % 500 == 0)
            probe_rows_spill_now();
    }
    child = fork();
    if (child == 0)
        check_child();
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    take();
    assert_int_equal(n_lost, 0);
    assert_int_equal(n_got, MANY);
    check_order(0, 0);
    __atomic_store_n(&stop_calling, true, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(other, NULL), 0);
}

UNIT_TESTS(cmocka_unit_test_setup(a_row_has_what_its_call_had, set_up),
           cmocka_unit_test_setup(rows_of_nested_and_recursive_calls_end_with_the_innermost,
                                  set_up),
           cmocka_unit_test_setup(mpi_time_of_a_row_is_its_own, set_up),
           cmocka_unit_test_setup(a_call_left_by_longjmp_has_no_row_and_is_not_counted, set_up),
           cmocka_unit_test_setup(what_finds_no_room_is_counted_and_the_oldest_stay, set_up),
           cmocka_unit_test_setup(spilled_rows_come_back_in_order, set_up),
           cmocka_unit_test_setup(a_refused_batch_comes_again, set_up),
           cmocka_unit_test_setup(a_full_disk_loses_rows_and_says_so, set_up),
           cmocka_unit_test_setup(what_cannot_be_written_stays_in_memory, set_up),
           cmocka_unit_test_setup(a_folder_that_is_none_is_refused, set_up),
           cmocka_unit_test_setup(limits_cannot_change_while_rows_wait, set_up),
           cmocka_unit_test_setup(a_reset_forgets_rows, set_up),
           cmocka_unit_test_setup(rows_are_taken_while_threads_call, set_up),
           cmocka_unit_test_setup(rows_of_threads_that_ended_wait, set_up),
           cmocka_unit_test_setup(a_child_begins_with_nothing_and_leaves_the_parents_rows, set_up),
           cmocka_unit_test_setup(rows_of_more_paths_than_there_are_nodes_are_of_other, set_up))
