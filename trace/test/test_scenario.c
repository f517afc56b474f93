/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios: exact times that follow from the rules of MPI by hand, and mistakes with lines. */
#include "made_trace.h"

#include <stdio.h>
#include <string.h>

enum { MS = 1000 * 1000 };

static struct portolan_trace *scenario(const char *text)
{
    struct portolan_trace *t = NULL;
    struct portolan_error err = {0};
    enum portolan_status status = portolan_scenario_read("s", text, NULL, &t, NULL, &err);

    if (status)
        fail_msg("%s", err.text);
    return t;
}

/* When the N-th call of a rank to ROUTINE begins and ends. */
static void call_is(const struct portolan_trace *t, size_t rank, const char *routine, int n,
                    int64_t begin, int64_t end)
{
    const struct portolan_trace_location *l = &t->locations[rank];

    for (size_t e = l->first; e < l->first + l->n; e++)
        if (t->events[e].kind == PORTOLAN_TRACE_BEGIN &&
            strcmp(t->routines[t->events[e].what], routine) == 0 && n-- == 0) {
            assert_int_equal(t->events[e].ns, begin);
            while (t->events[e].kind != PORTOLAN_TRACE_END)
                e++;
            assert_int_equal(t->events[e].ns, end);
            return;
        }
    fail_msg("rank %zu does not call %s so often", rank, routine);
}

static int64_t end_of(const struct portolan_trace *t, size_t rank)
{
    return t->events[t->locations[rank].first + t->locations[rank].n - 1].ns;
}

static void messages_take_latency_and_bytes(void **state)
{
    struct portolan_trace *t = scenario("ranks 3\nlatency 2us\nbandwidth 1e9\neager 4k\n"
                                        "on 0\n compute 1ms\n send 1 tag 7 1000\n"
                                        " send 2 8k # waits for the receiver\n"
                                        "else\n on rank == 2\n  compute 5ms\n end\n"
                                        " recv 0 tag 7*(rank == 1)\nend\n");

    call_is(t, 0, "MPI_Send", 0, MS, MS);
    call_is(t, 1, "MPI_Recv", 0, 0, MS + 2000 + 1000);
    call_is(t, 0, "MPI_Send", 1, MS, 5 * MS + 2000 + 8192);
    call_is(t, 2, "MPI_Recv", 0, 5 * MS, 5 * MS + 2000 + 8192);
    assert_true(t->is_virtual);
    portolan_trace_destroy(t);
}

/* Round a ring, in turn: rank r gets the token at (r + 1) ms. */
static void a_token_goes_round(void **state)
{
    struct portolan_trace *t = scenario("ranks 5\n"
                                        "on rank > 0\n recv rank-1\nend\ncompute 1ms\n"
                                        "send (rank+1) % size\non 0\n recv size-1\nend\n");

    for (size_t r = 1; r < 5; r++)
        call_is(t, r, "MPI_Recv", 0, 0, (int64_t)r * MS);
    call_is(t, 0, "MPI_Recv", 0, MS, 5 * MS);
    portolan_trace_destroy(t);
}

/* Three tasks of 4 ms for two workers, answered in the order in which they ask. */
static void a_master_answers_who_asked(void **state)
{
    struct portolan_trace *t =
        scenario("ranks 3\n"
                 "on 0\n repeat 3\n  recv any tag 1\n  send sender tag 2\n end\n"
                 " repeat 2\n  recv any tag 1\n  send sender tag 3\n end\n"
                 "else\n compute rank * 1ms\n repeat 9 until tag 3\n"
                 "  region ask\n   send 0 tag 1\n   recv 0 tag any\n  end\n"
                 "  compute 4ms\n end\nend\n");

    assert_int_equal(end_of(t, 1), 9 * MS); /* asks at 1, 5 and 9 ms */
    assert_int_equal(end_of(t, 2), 6 * MS);
    assert_int_equal(end_of(t, 0), 9 * MS);
    call_is(t, 0, "MPI_Recv", 4, 6 * MS, 9 * MS);
    portolan_trace_destroy(t);
}

static void collectives_wait_as_they_must(void **state)
{
    struct portolan_trace *t = scenario("ranks 4\nlatency 10\ncomm odd 1, 3\n"
                                        "compute rank * 1ms\nbarrier\n" /* all at 3 ms + 20 */
                                        "compute rank * 1ms\nbcast 2\n" /* the root comes at 2 */
                                        "compute (3 - rank) * 10ms\nreduce 0\nallreduce on world\n"
                                        "on rank % 2 == 1\n compute rank\n barrier on odd\nend\n");
    int64_t b = 3 * MS + 20;

    for (size_t r = 0; r < 4; r++)
        call_is(t, r, "MPI_Barrier", 0, (int64_t)r * MS, b);
    call_is(t, 0, "MPI_Bcast", 0, b, b + 2 * MS + 20);
    call_is(t, 2, "MPI_Bcast", 0, b + 2 * MS, b + 2 * MS + 20);
    call_is(t, 3, "MPI_Bcast", 0, b + 3 * MS, b + 3 * MS + 20);
    call_is(t, 0, "MPI_Reduce", 0, b + 32 * MS + 20, b + 32 * MS + 40);
    call_is(t, 3, "MPI_Reduce", 0, b + 3 * MS + 20, b + 3 * MS + 40);
    call_is(t, 3, "MPI_Allreduce", 0, b + 3 * MS + 40, b + 32 * MS + 60);
    call_is(t, 1, "MPI_Barrier", 1, b + 32 * MS + 61, b + 32 * MS + 73);
    portolan_trace_destroy(t);
}

static void requests_and_windows_wait_at_their_end(void **state)
{
    struct portolan_trace *t =
        scenario("ranks 2\nwindow w\n"
                 "on 0\n irecv 1 tag 1 as a\n irecv 1 tag any as b\n compute 1ms\n wait b\n"
                 " wait a\n ibarrier as c\n compute 1ms\n waitall\n"
                 " start w 1\n put w 1 8\n complete w\n"
                 "else\n isend 0 tag 1 as x\n compute 3ms\n isend 0 tag 2 as y\n waitall\n"
                 " ibarrier as c\n waitall\n compute 5ms\n post w 0\n await w\nend\nfence w\n");

    call_is(t, 0, "MPI_Wait", 0, MS, 3 * MS);
    call_is(t, 0, "MPI_Wait", 1, 3 * MS, 3 * MS);
    call_is(t, 0, "MPI_Waitall", 0, 4 * MS, 4 * MS);
    call_is(t, 1, "MPI_Waitall", 1, 3 * MS, 3 * MS);
    call_is(t, 0, "MPI_Win_complete", 0, 4 * MS, 8 * MS);
    call_is(t, 1, "MPI_Win_wait", 0, 8 * MS, 8 * MS);
    portolan_trace_destroy(t);
}

/* ------------------------------------------------- mistakes */

struct reported {
    char text[2000];
};

static void note_report(void *arg, const char *file, int line, int column, const char *text)
{
    struct reported *reported = arg;
    size_t n = strlen(reported->text);

    snprintf(reported->text + n, sizeof reported->text - n, "%s:%d:%d: %s\n", file, line, column,
             text);
}

static void mistakes_are(const char *text, const char *expected)
{
    struct reported reported = {""};
    struct portolan_diagnostics d = {note_report, &reported, 0};
    struct portolan_trace *t;
    struct portolan_error err = {0};

    assert_int_equal(portolan_scenario_read("s", text, &d, &t, NULL, &err), PORTOLAN_ESYNTAX);
    assert_null(t);
    assert_string_equal(reported.text, expected);
    assert_true(strncmp(err.text, "s:", 2) == 0);
}

static void all_mistakes_are_told_with_their_places(void **state)
{
    mistakes_are("ranks 2\n"
                 "compte 10ms\n"
                 "send sizes\n"
                 "repeat 3\n"
                 "recv 0 tag (1\n"
                 "barrier on wrld\n"
                 "compute 1h\n"
                 "isend 1\n",
                 "s:2:1: 'compte' is no statement; did you mean 'compute'?\n"
                 "s:3:6: no value is called 'sizes'; did you mean 'size'?\n"
                 "s:5:14: ')' is missing\n"
                 "s:6:11: no communicator is called 'wrld'; did you mean 'world'?\n"
                 "s:7:10: 'h' is no unit; use ns, us, ms, s, k, M or G\n"
                 "s:8:8: 'as' and the name of a request are missing\n"
                 "s:4:0: this block has no 'end'\n");
    mistakes_are("ranks 2\non rank = 1\ncompute 1ms * (rank = 1)\nend\n",
                 "s:2:9: write 'equal' as ==\ns:3:21: write 'equal' as ==\n");
    mistakes_are("compute 1\n", "s:1:0: 'ranks' is missing: how many ranks there are\n");
    mistakes_are("ranks 2\nsend 2\n", "s:2:0: rank 0: the destination is 2; it should be between "
                                      "0 and 1\n");
    mistakes_are("ranks 2\n\nrecv 1 - rank\nsend 1 - rank\n",
                 "s:3:0: rank 0 waits here for ever\ns:3:0: rank 1 waits here for ever\n");
    mistakes_are("ranks 2\non 0\nbarrier\nend\n",
                 "s:3:0: rank 0 takes part here, but not all ranks of its group do\n");
}

static void a_failed_allocation_is_told(void **state)
{
    bool has_failed = true;

    for (unsigned long k = 1; has_failed; k++) {
        struct portolan_trace *t;
        enum portolan_status status;

        portolan_alloc_fail_at(k);
        status = portolan_scenario_read("s", "ranks 2\nisend 1-rank as a\nrecv any\nwait a\n", NULL,
                                        &t, NULL, NULL);
        portolan_alloc_fail_at(0);
        has_failed = status != PORTOLAN_OK;
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        portolan_trace_destroy(t);
    }
}

UNIT_TESTS(cmocka_unit_test(messages_take_latency_and_bytes), cmocka_unit_test(a_token_goes_round),
           cmocka_unit_test(a_master_answers_who_asked),
           cmocka_unit_test(collectives_wait_as_they_must),
           cmocka_unit_test(requests_and_windows_wait_at_their_end),
           cmocka_unit_test(all_mistakes_are_told_with_their_places),
           cmocka_unit_test(a_failed_allocation_is_told))
