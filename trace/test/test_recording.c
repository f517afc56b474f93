/* SPDX-License-Identifier: BSD-3-Clause */
/* What recording, storing and waiting for a core took is taken out of a trace. */
#include "made_trace.h"

#include <math.h>

static void value(struct portolan_trace *t, int rank, int64_t ns, const char *name, double value)
{
    size_t what = portolan_trace_name(t, name);
    uint64_t bytes;

    memcpy(&bytes, &value, sizeof bytes);
    EVENT(rank, VALUE, .ns = ns, .what = what & 0xffffff, .bytes = bytes);
}

/* Records a call with one message: 30 before it reached MPI, 20 for each of two events after. */
static void recorded_call(struct portolan_trace *t, int rank, int64_t begin, int64_t end)
{
    static const double costs[] = {30, 40};
    static const char *const names[] = {PORTOLAN_TRACE_COST_BEFORE, PORTOLAN_TRACE_COST_AFTER};
    const char *routine = rank ? "MPI_Recv" : "MPI_Send";

    BEGIN(rank, begin, routine);
    if (rank)
        EVENT(1, RECV, .ns = end, .peer = 0, .tag = 7, .bytes = 8);
    else
        EVENT(0, SEND, .ns = begin, .peer = 1, .tag = 7, .bytes = 8);
    END(rank, end, routine);
    for (int i = 0; i < 2; i++)
        value(t, rank, end, names[i], costs[i]);
}

/* Recording took SHARE of the trace, which is destroyed; new times of all BEGIN and END. */
static void expect_undisturbed(struct portolan_trace *t, bool share_cores, double share,
                               const int64_t *expected, size_t n)
{
    struct portolan_matching *m = made_matching(t);
    struct portolan_waits *w;
    double recording;
    size_t k = 0;

    assert_int_equal(portolan_waits_create(m, &w, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_trace_undisturb(t, share_cores, &m, &w, &recording, NULL),
                     PORTOLAN_OK);
    assert_true(fabs(recording - share) < 1e-12);
    assert_int_equal(m->n_reversed, 0);
    for (size_t e = 0; e < t->n_events; e++)
        if (t->events[e].kind == PORTOLAN_TRACE_BEGIN || t->events[e].kind == PORTOLAN_TRACE_END)
            assert_int_equal(t->events[e].ns, expected[k++]);
    assert_int_equal(k, n);
    portolan_waits_destroy(w);
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

/* Sends take 10, messages 15; rank 0 computes 100 before each, rank 1 computes 5 between. */
static void what_recording_took_is_taken_out(void **state)
{
    static const double damaged[] = {-1e9, NAN, INFINITY};
    static const int64_t expected[] = {100, 110, 210, 220, 0, 115, 120, 225};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    recorded_call(t, 0, 100, 140);
    recorded_call(t, 0, 280, 320);
    recorded_call(t, 1, 0, 145);
    recorded_call(t, 1, 190, 325);
    for (size_t i = 0; i < 3; i++) /* what no clock can say is passed over */
        value(t, 0, 320, PORTOLAN_TRACE_COST_AFTER, damaged[i]);
    expect_undisturbed(t, false, 1 - 225.0 / 325, expected, 8);
}

/* Recording costs a mean: a message that came 20 after its call began cannot have taken 30. */
static void no_message_arrives_before_it_was_sent(void **state)
{
    static const int64_t expected[] = {100, 110, 0, 100};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    recorded_call(t, 0, 100, 140);
    recorded_call(t, 1, 0, 120);
    expect_undisturbed(t, false, 1 - 110.0 / 140, expected, 4);
}

/* Blocks were stored, which took 50, in the first send and after the second, and 1000, which is not
 * exact, where rank 1 computed for 45. */
static void what_storing_took_is_taken_out(void **state)
{
    static const int64_t expected[] = {100, 110, 210, 220, 270, 280, 0, 115, 115, 225, 225, 285};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    value(t, 0, 0, PORTOLAN_TRACE_COST_BLOCK, 50);
    recorded_call(t, 0, 100, 190);
    recorded_call(t, 0, 330, 370);
    value(t, 0, 370, PORTOLAN_TRACE_COST_BLOCK, 50);
    value(t, 0, 370, "what had no room", 1);
    recorded_call(t, 0, 510, 550);
    recorded_call(t, 1, 0, 195);
    value(t, 1, 195, PORTOLAN_TRACE_COST_BLOCK, 1000);
    value(t, 1, 195, "what had no room", 1);
    recorded_call(t, 1, 240, 375);
    recorded_call(t, 1, 415, 555);
    expect_undisturbed(t, false, 1 - 285.0 / 555, expected, 12);
}

/* A message of rank 0: its calls, one after the other, and those of rank 1. */
static void message(struct portolan_trace *t, uint64_t bytes, int64_t send_begin, int64_t send_end,
                    int64_t recv_begin, int64_t recv_end)
{
    BEGIN(0, send_begin, "MPI_Send");
    EVENT(0, SEND, .ns = send_begin, .peer = 1, .bytes = bytes);
    END(0, send_end, "MPI_Send");
    BEGIN(1, recv_begin, "MPI_Recv");
    EVENT(1, RECV, .ns = recv_end, .peer = 0, .bytes = bytes);
    END(1, recv_end, "MPI_Recv");
}

/* The second message had to wait until rank 1 had a core, and so did the barrier, where rank 0 had
   none. The first lay ready: a message takes 3 to send and 4 to receive, and a barrier two. */
static void what_waited_for_a_core_is_taken_out(void **state)
{
    static const int64_t expected[] = {0, 3, 900, 903, 1000, 1014, 100, 104, 200, 911, 921, 1014};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    message(t, 8, 0, 3, 100, 104);
    message(t, 8, 900, 903, 200, 6000);
    for (int rank = 0; rank < 2; rank++) {
        BEGIN(rank, rank ? 6010 : 1000, "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 6010, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 16010, "MPI_Barrier");
    }
    expect_undisturbed(t, true, 0, expected, 12);
}

/* Large messages seem to take 1000, as the second does, but the first lay ready after 100: so a
   wait seems to end 895 before its message came, but the third's does not end before that was sent.
 */
static void without_a_core_too_no_message_arrives_before_it_was_sent(void **state)
{
    static const int64_t expected[] = {0,   1,   200, 201,  5000, 5001, 50,   51,
                                       100, 105, 110, 1200, 1300, 1301, 1400, 5000};
    struct portolan_trace *t = portolan_trace_create(2, "made");

    for (int i = 0; i < 2; i++) {
        int64_t at = i ? 5000 : 0, posted = i ? 1300 : 50;
        uint64_t bytes = i ? 0 : 1000;

        BEGIN(0, at, "MPI_Send");
        EVENT(0, SEND, .ns = at, .peer = 1, .bytes = bytes);
        END(0, at + 1, "MPI_Send");
        BEGIN(1, posted, "MPI_Irecv");
        EVENT(1, RECV_POST, .ns = posted, .peer = 0, .request = 1);
        END(1, posted + 1, "MPI_Irecv");
        BEGIN(1, i ? 1400 : 100, "MPI_Wait");
        EVENT(1, RECV, .ns = i ? 5010 : 105, .peer = 0, .bytes = bytes, .request = 1);
        END(1, i ? 5010 : 105, "MPI_Wait");
        if (!i)
            message(t, 1000, 200, 201, 110, 1200);
    }
    expect_undisturbed(t, true, 0, expected, 16);
}

UNIT_TESTS(cmocka_unit_test(what_recording_took_is_taken_out),
           cmocka_unit_test(no_message_arrives_before_it_was_sent),
           cmocka_unit_test(what_storing_took_is_taken_out),
           cmocka_unit_test(what_waited_for_a_core_is_taken_out),
           cmocka_unit_test(without_a_core_too_no_message_arrives_before_it_was_sent))
