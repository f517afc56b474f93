/* SPDX-License-Identifier: BSD-3-Clause */
/* What is estimated from a trace: the costs of messages, and efficiencies. */
#include "analysed.h"

#include <math.h>

static void costs_are_the_line_below_all_messages(void **state)
{
    struct analysed a =
        analyse_scenario("ranks 2\nlatency 7us\nbandwidth 2e9\neager 10000\nrepeat 9 as i\n"
                         "on 0\n compute 1ms\n send 1 1000 * (i + 1)\nelse\n recv 0\nend\nend\n"
                         "on 1\n compute 1ms\nend\n"
                         "on 0\n send 1 10001\nelse\n recv 0\nend\n");
    struct portolan_costs costs;

    assert_int_equal(portolan_costs_estimate(a.waits, &costs, NULL), PORTOLAN_OK);
    assert_int_equal(costs.latency_ns, 7000);
    assert_true(fabs(costs.ns_per_byte - 0.5) < 1e-9);
    assert_int_equal(costs.eager_bytes, 10000);
    forget(&a);
}

/* Both sides begin at one time; one call receives two messages, one after the other. */
static void costs_are_known_where_nobody_was_late(void **state)
{
    struct analysed a =
        analyse_scenario("ranks 3\nlatency 7us\nbandwidth 2e9\neager 1M\n"
                         "on 0\n irecv 1 as r\n irecv 2 as r\n waitall\nelse\n send 0 1000\nend\n"
                         "on 0\n send 1 3000\nend\non 1\n recv 0\nend\n");
    struct portolan_costs costs;

    assert_int_equal(portolan_costs_estimate(a.waits, &costs, NULL), PORTOLAN_OK);
    assert_int_equal(costs.latency_ns, 7000);
    assert_true(fabs(costs.ns_per_byte - 0.5) < 1e-9);
    forget(&a);
}

/* A send of 1 KiB ends just after the receive was posted, but one of 4 KiB long before: none is
 * synchronous. */
static void a_send_that_ended_before_proves_more(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_costs costs;
    struct analysed a;

    for (int i = 0; i < 2; i++) {
        BEGIN(0, 100 * i, "MPI_Send");
        EVENT(0, SEND, .ns = 100 * i, .peer = 1, .bytes = i ? 1024 : 4096);
        END(0, 100 * i + 5, "MPI_Send");
        BEGIN(1, i ? 104 : 50, "MPI_Recv");
        EVENT(1, RECV, .ns = i ? 104 : 50, .peer = 0, .bytes = i ? 1024 : 4096);
        END(1, i ? 110 : 60, "MPI_Recv");
    }
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    a = analyse(t);
    assert_int_equal(a.waits->state_ns[PORTOLAN_WAIT_LATE_RECEIVER], 4);
    assert_int_equal(portolan_costs_estimate(a.waits, &costs, NULL), PORTOLAN_OK);
    assert_true(costs.eager_bytes == UINT64_MAX);
    forget(&a);
}

/* Useful 10, 20, 30, 40 ms in a run of 50: mean 25 of 40; ideal 40 of 50. */
static void efficiencies_are_those_of_pop(void **state)
{
    struct analysed a = analyse_scenario("ranks 4\nlatency 5ms\ncompute (rank + 1) * 10ms\n"
                                         "allreduce 8\n");
    struct portolan_efficiencies x;

    assert_int_equal(portolan_efficiencies(a.waits, &x, NULL), PORTOLAN_OK);
    assert_true(fabs(x.load_balance - 25. / 40) < 1e-12);
    assert_true(fabs(x.serialisation - 1) < 1e-12);
    assert_true(fabs(x.transfer - 40. / 50) < 1e-12);
    assert_true(fabs(x.parallel - 25. / 50) < 1e-12);
    forget(&a);
}

/* Starting takes 900 of 1,000 us; the rest is 50 and 100 of work. */
static void efficiencies_are_without_start_and_end(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_efficiencies x;
    struct analysed a;

    for (int rank = 0; rank < 2; rank++) {
        BEGIN(rank, 0, "MPI_Init");
        EVENT(rank, COLLECTIVE, .ns = 0, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 900000, "MPI_Init");
        BEGIN(rank, rank ? 950000 : 1000000, "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 950000, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 1000000, "MPI_Barrier");
    }
    assert_int_equal(portolan_trace_finish(t, NULL), PORTOLAN_OK);
    a = analyse(t);
    assert_int_equal(portolan_efficiencies(a.waits, &x, NULL), PORTOLAN_OK);
    assert_int_equal(x.start_and_end_ns, 900000);
    assert_true(fabs(x.load_balance - 0.75) < 1e-12);
    assert_true(fabs(x.parallel - 0.75) < 1e-12);
    forget(&a);
}

UNIT_TESTS(cmocka_unit_test(costs_are_the_line_below_all_messages),
           cmocka_unit_test(costs_are_known_where_nobody_was_late),
           cmocka_unit_test(a_send_that_ended_before_proves_more),
           cmocka_unit_test(efficiencies_are_those_of_pop),
           cmocka_unit_test(efficiencies_are_without_start_and_end))
