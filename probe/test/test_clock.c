/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/probe.h>
#include <unit_test.h>

static void manual_clock_moves_only_when_told(void **state)
{
    uint64_t before;

    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    before = portolan_probe_now();
    assert_int_equal(before, 0);
    assert_int_equal(portolan_probe_now(), before);
    assert_int_equal(portolan_probe_clock_advance(1234567), PORTOLAN_OK);
    assert_int_equal(portolan_probe_now(), 1234567);
    assert_true(portolan_probe_ticks_to_ns(1234567) == 1234567.0);
}

static void real_clock_refuses_to_be_moved(void **state)
{
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MONOTONIC, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_clock_advance(1), PORTOLAN_EINVAL);
}

static void real_clocks_do_not_run_backwards(void **state)
{
    for (int kind = PORTOLAN_PROBE_CLOCK_TSC; kind <= PORTOLAN_PROBE_CLOCK_MONOTONIC; kind++) {
        struct portolan_error err = {0};
        enum portolan_status status =
            portolan_probe_clock_set((enum portolan_probe_clock)kind, &err);
        uint64_t last = 0;

        if (kind == PORTOLAN_PROBE_CLOCK_TSC && status == PORTOLAN_EUNSUPPORTED)
            continue;
        assert_int_equal(status, PORTOLAN_OK);
        for (int i = 0; i < 1000; i++) {
            uint64_t now = portolan_probe_now();

            assert_true(now >= last);
            last = now;
        }
        assert_true(portolan_probe_ticks_to_ns(1000000) > 0.0);
    }
}

static void unknown_clock_is_refused(void **state)
{
    struct portolan_error err = {0};

    assert_int_equal(portolan_probe_clock_set((enum portolan_probe_clock)17, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "17"));
}

UNIT_TESTS(cmocka_unit_test(manual_clock_moves_only_when_told),
           cmocka_unit_test(real_clock_refuses_to_be_moved),
           cmocka_unit_test(real_clocks_do_not_run_backwards),
           cmocka_unit_test(unknown_clock_is_refused))
