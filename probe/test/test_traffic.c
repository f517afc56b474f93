/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/probe.h>
#include <unit_test.h>

static enum portolan_status one_row(struct portolan_probe_traffic **rows, size_t *n)
{
    *rows = calloc(1, sizeof **rows);
    if (!*rows)
        return PORTOLAN_ENOMEM;
    **rows = (struct portolan_probe_traffic){.routine = "MPI_Send", .partner = 3, .bytes = 17};
    *n = 1;
    return PORTOLAN_OK;
}

static enum portolan_status no_memory(struct portolan_probe_traffic **rows, size_t *n)
{
    (void)rows, (void)n;
    return PORTOLAN_ENOMEM;
}

static void nothing_where_nobody_watches(void **state)
{
    struct portolan_probe_traffic here, *rows = &here;
    size_t n = 5;

    assert_int_equal(portolan_probe_traffic_take(&rows, &n), PORTOLAN_OK);
    assert_null(rows);
    assert_int_equal(n, 0);
}

static void rows_come_from_who_watches_until_it_goes(void **state)
{
    struct portolan_probe_traffic *rows;
    size_t n;

    portolan_probe_traffic_set_source(one_row);
    assert_int_equal(portolan_probe_traffic_take(&rows, &n), PORTOLAN_OK);
    assert_int_equal(n, 1);
    assert_int_equal(rows[0].partner, 3);
    assert_int_equal(rows[0].bytes, 17);
    free(rows);
    portolan_probe_traffic_set_source(NULL);
    nothing_where_nobody_watches(state);
}

static void a_failure_leaves_nothing_to_free(void **state)
{
    struct portolan_probe_traffic here, *rows = &here;
    size_t n = 5;

    portolan_probe_traffic_set_source(no_memory);
    assert_int_equal(portolan_probe_traffic_take(&rows, &n), PORTOLAN_ENOMEM);
    assert_null(rows);
    assert_int_equal(n, 0);
    portolan_probe_traffic_set_source(NULL);
}

static void how_calls_wait_is_what_was_said_last(void **state)
{
    assert_null(portolan_probe_waits_peek());
    portolan_probe_waits_set("blocking calls poll");
    assert_string_equal(portolan_probe_waits_peek(), "blocking calls poll");
    portolan_probe_waits_set(NULL);
    assert_null(portolan_probe_waits_peek());
}

UNIT_TESTS(cmocka_unit_test(nothing_where_nobody_watches),
           cmocka_unit_test(rows_come_from_who_watches_until_it_goes),
           cmocka_unit_test(a_failure_leaves_nothing_to_free),
           cmocka_unit_test(how_calls_wait_is_what_was_said_last))
