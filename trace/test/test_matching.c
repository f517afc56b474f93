/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests which events are matched; the expected partners follow from MPI 4.0, section 3.5. */
#include "made_trace.h"

static uint32_t nth(const struct portolan_trace *t, size_t location, unsigned kind, int n)
{
    const struct portolan_trace_location *l = &t->locations[location];

    for (size_t e = l->first; e < l->first + l->n; e++)
        if (t->events[e].kind == kind && n-- == 0)
            return (uint32_t)e;
    fail_msg("no such event");
    return 0;
}

#define NTH(location, KIND, n) nth(t, location, PORTOLAN_TRACE_##KIND, n)

/* Two receives are posted, the second is waited for first; each gets its own in posting order. */
static void messages_meet_in_the_order_of_posting(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_matching *m;

    for (int i = 0; i < 2; i++) {
        BEGIN(0, 10 * i, "MPI_Send");
        EVENT(0, SEND, .ns = 10 * i, .peer = 1, .tag = 5, .bytes = 100 + (unsigned)i);
        END(0, 10 * i + 1, "MPI_Send");
        BEGIN(1, i, "MPI_Irecv");
        EVENT(1, RECV_POST, .ns = i, .peer = i ? PORTOLAN_TRACE_ANY : 0, .tag = 5,
              .request = (unsigned)i + 1);
        END(1, i, "MPI_Irecv");
    }
    for (int i = 1; i >= 0; i--) {
        BEGIN(1, 40, "MPI_Wait");
        EVENT(1, RECV, .ns = 40, .peer = 0, .tag = 5, .bytes = 100 + (unsigned)i,
              .request = (unsigned)i + 1);
        END(1, 40, "MPI_Wait");
    }
    m = made_matching(t);
    assert_int_equal(m->n_messages, 2);
    for (int i = 0; i < 2; i++) {
        uint32_t send = NTH(0, SEND, i), recv = NTH(1, RECV, 1 - i);

        assert_int_equal(m->partner[send], recv);
        assert_int_equal(m->partner[recv], send);
        assert_int_equal(m->other[recv], NTH(1, RECV_POST, i));
        assert_int_equal(t->events[recv].bytes, t->events[send].bytes);
        assert_int_equal(m->call[send], NTH(0, BEGIN, i));
    }
    assert_int_equal(m->n_unmatched_sends + m->n_unmatched_recvs + m->n_reversed, 0);
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

/* A cancelled receive or send takes part in nothing; a message to no rank is not received. */
static void what_is_cancelled_or_goes_nowhere_is_left_out(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_matching *m;

    BEGIN(0, 0, "MPI_Isend");
    EVENT(0, SEND, .ns = 0, .peer = 1, .tag = 1, .request = 1);
    END(0, 0, "MPI_Isend");
    BEGIN(0, 1, "MPI_Wait");
    EVENT(0, CANCELLED, .ns = 1, .request = 1);
    END(0, 1, "MPI_Wait");
    BEGIN(0, 2, "MPI_Send");
    EVENT(0, SEND, .ns = 2, .peer = PORTOLAN_TRACE_NONE);
    END(0, 2, "MPI_Send");
    BEGIN(0, 3, "MPI_Send");
    EVENT(0, SEND, .ns = 3, .peer = 1, .tag = 1);
    END(0, 3, "MPI_Send");
    BEGIN(0, 4, "MPI_Send");
    EVENT(0, SEND, .ns = 4, .peer = 1, .tag = 2); /* it is not received */
    END(0, 4, "MPI_Send");
    BEGIN(1, 0, "MPI_Start");
    EVENT(1, RECV_POST, .ns = 0, .peer = 0, .tag = 1, .request = 1);
    END(1, 0, "MPI_Start");
    BEGIN(1, 1, "MPI_Wait");
    EVENT(1, CANCELLED, .ns = 1, .request = 1);
    END(1, 1, "MPI_Wait");
    BEGIN(1, 2, "MPI_Recv");
    EVENT(1, RECV, .ns = 2, .peer = 0, .tag = 1); /* before it was sent: clocks disagree */
    END(1, 2, "MPI_Recv");
    BEGIN(1, 3, "MPI_Recv");
    EVENT(1, RECV, .ns = 3, .peer = 0, .tag = 9); /* it was not sent */
    END(1, 3, "MPI_Recv");
    m = made_matching(t);
    assert_int_equal(m->n_messages, 1);
    assert_int_equal(m->partner[NTH(1, RECV, 0)], NTH(0, SEND, 2));
    assert_int_equal(m->n_unmatched_sends, 1);
    assert_int_equal(m->n_unmatched_recvs, 1);
    assert_int_equal(m->n_reversed, 1);
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

/* Both halves of MPI_Sendrecv, over an intercommunicator: communicators keep messages apart. */
static void communicators_keep_messages_apart(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_trace_comm inter = {
        .id = 7, .n_members = 1, .n_remote = 1, .members = (int[]){0}, .remote = (int[]){1}};
    unsigned what = portolan_trace_comm(t, &inter) & 0xffffff;
    struct portolan_matching *m;

    for (int rank = 0; rank < 2; rank++) {
        BEGIN(rank, 0, "MPI_Send");
        EVENT(rank, SEND, .peer = 1 - rank, .tag = 1);
        END(rank, 0, "MPI_Send");
        BEGIN(rank, 1, "MPI_Sendrecv");
        EVENT(rank, SEND, .ns = 1, .what = what, .peer = 1 - rank, .tag = 1);
        EVENT(rank, RECV, .ns = 1, .what = what, .peer = 1 - rank, .tag = 1);
        END(rank, 1, "MPI_Sendrecv");
        BEGIN(rank, 2, "MPI_Recv");
        EVENT(rank, RECV, .ns = 2, .peer = 1 - rank, .tag = 1);
        END(rank, 2, "MPI_Recv");
    }
    m = made_matching(t);
    assert_int_equal(m->n_messages, 4);
    for (size_t l = 0; l < 2; l++) {
        assert_int_equal(m->partner[NTH(l, RECV, 0)], NTH(1 - l, SEND, 1));
        assert_int_equal(m->partner[NTH(l, RECV, 1)], NTH(1 - l, SEND, 0));
    }
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

static void collectives_meet_by_their_ordinal(void **state)
{
    struct portolan_trace *t = portolan_trace_create(3, NULL);
    struct portolan_trace_comm pair = {.id = 7, .n_members = 2, .members = (int[]){0, 2}};
    unsigned what = portolan_trace_comm(t, &pair) & 0xffffff;
    struct portolan_matching *m;
    const struct portolan_collective *c;

    for (int rank = 0; rank < 3; rank++) {
        BEGIN(rank, 0, "MPI_Init");
        END(rank, 0, "MPI_Init");
        BEGIN(rank, 1, "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 1, .peer = PORTOLAN_TRACE_NONE);
        END(rank, 1, "MPI_Barrier");
        if (rank != 1) {
            BEGIN(rank, 2, "MPI_Ibarrier");
            EVENT(rank, COLLECTIVE, .ns = 2, .what = what, .request = 3);
            END(rank, 2, "MPI_Ibarrier");
            BEGIN(rank, 3, "MPI_Wait");
            EVENT(rank, COLLECTIVE_DONE, .ns = 3, .request = 3);
            END(rank, 3, "MPI_Wait");
        }
        BEGIN(rank, 4, rank ? "MPI_Bcast" : "MPI_Barrier");
        EVENT(rank, COLLECTIVE, .ns = 4);
        END(rank, 4, rank ? "MPI_Bcast" : "MPI_Barrier");
    }
    m = made_matching(t);
    assert_int_equal(m->n_collectives, 4);
    assert_int_equal(m->n_incomplete, 1); /* MPI_Barrier does not meet MPI_Bcast */
    c = &m->collectives[m->partner[NTH(2, COLLECTIVE, 1)]];
    assert_true(c->is_complete);
    assert_int_equal(c->n, 2);
    assert_int_equal(m->members[c->first], NTH(0, COLLECTIVE, 1));
    assert_int_equal(m->members[c->first + 1], NTH(2, COLLECTIVE, 1));
    assert_int_equal(m->other[NTH(0, COLLECTIVE_DONE, 0)], NTH(0, COLLECTIVE, 1));
    assert_int_equal(m->collectives[m->partner[NTH(1, BEGIN, 0)]].n, 3);
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

static void epochs_of_windows_meet(void **state)
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_trace_comm all = {.id = 1, .n_members = 2, .members = (int[]){0, 1}};
    struct portolan_matching *m;

    assert_int_equal(portolan_trace_window(t, &all), 0);
    for (int i = 0; i < 2; i++) {
        BEGIN(0, i, "MPI_Win_start");
        EVENT(0, ACCESS, .ns = i, .peer = 1);
        EVENT(0, EPOCH, .ns = i);
        END(0, i, "MPI_Win_start");
        BEGIN(0, i, "MPI_Win_complete");
        EVENT(0, EPOCH, .ns = i);
        END(0, i, "MPI_Win_complete");
        BEGIN(1, i, "MPI_Win_post");
        EVENT(1, ACCESS, .ns = i, .peer = 0);
        EVENT(1, EPOCH, .ns = i);
        END(1, i, "MPI_Win_post");
        BEGIN(1, i, "MPI_Win_wait");
        EVENT(1, EPOCH, .ns = i);
        END(1, i, "MPI_Win_wait");
    }
    m = made_matching(t);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(m->partner[NTH(0, ACCESS, i)], NTH(1, ACCESS, i));
        assert_int_equal(m->partner[NTH(1, ACCESS, i)], NTH(0, ACCESS, i));
        assert_int_equal(m->other[NTH(0, ACCESS, i)], NTH(0, BEGIN, 2 * i + 1));
        assert_int_equal(m->other[NTH(1, ACCESS, i)], NTH(1, BEGIN, 2 * i + 1));
    }
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
}

/* Two threads of rank 0 send to rank 1, with the tags TAGS. */
static bool are_uncertain(const int tags[2])
{
    struct portolan_trace *t = portolan_trace_create(2, NULL);
    struct portolan_matching *m;
    bool is_uncertain;

    for (int i = 0; i < 2; i++) {
        struct portolan_trace_event e = {
            .ns = i, .peer = 1, .tag = tags[i], .kind = PORTOLAN_TRACE_SEND};

        assert_true(portolan_trace_add(t, 0, i, &e));
        EVENT(1, RECV, .ns = 10 + i, .peer = 0, .tag = tags[i]);
    }
    m = made_matching(t);
    assert_int_equal(m->n_messages, 2);
    is_uncertain = m->is_uncertain;
    portolan_matching_destroy(m);
    portolan_trace_destroy(t);
    return is_uncertain;
}

static void only_threads_that_share_a_tag_are_uncertain(void **state)
{
    assert_false(are_uncertain((int[]){5, 6}));
    assert_true(are_uncertain((int[]){5, 5}));
}

UNIT_TESTS(cmocka_unit_test(messages_meet_in_the_order_of_posting),
           cmocka_unit_test(what_is_cancelled_or_goes_nowhere_is_left_out),
           cmocka_unit_test(communicators_keep_messages_apart),
           cmocka_unit_test(collectives_meet_by_their_ordinal),
           cmocka_unit_test(epochs_of_windows_meet),
           cmocka_unit_test(only_threads_that_share_a_tag_are_uncertain))
