/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that an exception ends is counted as failed: it has no time and no row. */
#include <portolan/probe.h>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

extern "C" {
#include <cmocka.h>
}

static struct portolan_probe_port port;
static struct portolan_probe_binding binding;
static size_t n_rows;

__attribute__((noinline)) static void proxy(int64_t n)
{
    struct portolan_probe_context context[1] = {portolan_probe_context_int(n)};
    PORTOLAN_PROBE_CALL(call);

    portolan_probe_enter(&call, &port, 0, context, 1);
    portolan_probe_clock_advance(10);
    if (n > 0)
        proxy(n - 1);
    else
        throw std::runtime_error("out");
    portolan_probe_leave(&call);
}

static int count_rows(void *, const struct portolan_probe_row *, size_t n)
{
    n_rows += n;
    return 0;
}

static void calls_that_are_thrown_out_of_have_failed(void **)
{
    struct portolan_probe_connection connection = {};
    struct portolan_probe_method method = {};
    struct portolan_probe_snapshot snapshot = {};
    uint64_t failed = 0, lost;

    connection.user = "user";
    method.name = "work";
    method.n_context = 1;
    method.context[0] = "n";
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_methods_register(&connection, &method, 1,
                                                     &binding.first_method_handle, NULL),
                     PORTOLAN_OK);
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED | PORTOLAN_PROBE_ROWS);
    try {
        proxy(4);
        fail();
    } catch (const std::runtime_error &) {
    }
    assert_int_equal(portolan_probe_rows_take(count_rows, NULL, &lost, NULL), PORTOLAN_OK);
    assert_int_equal(n_rows, 0);
    assert_int_equal(portolan_probe_snapshot_take(&snapshot, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < snapshot.count; i++) {
        assert_int_equal(snapshot.records[i].calls, 0);
        assert_true(snapshot.records[i].inclusive_ns == 0);
        failed += snapshot.records[i].failed_calls;
    }
    assert_int_equal(failed, 5);
    assert_true(snapshot.records[0].is_idle);
    portolan_probe_snapshot_clear(&snapshot);
}

int main()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_that_are_thrown_out_of_have_failed)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
