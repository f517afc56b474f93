/* SPDX-License-Identifier: BSD-3-Clause */
/* What is noted of messages, by 2 ranks or more. Numbers are those of the calls made here. */
#include "traffic.h"

#include <portolan/mpi.h>

#include <stdlib.h>
#include <string.h>

static void messages_are_noted_with_world_ranks(void **state)
{
    double out[10] = {0}, in[20];
    MPI_Status status;
    int count;

    OK(MPI_Bsend(out, 0, MPI_DOUBLE, MPI_PROC_NULL, 1, reversed));
    expect("MPI_Bsend", -1, false, 1, 0);
    if (rank == 0) {
        OK(MPI_Send(out, 7, MPI_DOUBLE, next_reversed, 1, reversed));
        OK(MPI_Recv(in, 20, MPI_DOUBLE, before_reversed, 1, reversed, MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Recv(in, 20, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, &status));
        assert_int_equal(status.MPI_SOURCE, before_reversed);
        OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        assert_int_equal(count, 7);
        OK(MPI_Send(out, 7, MPI_DOUBLE, next_reversed, 1, reversed));
    }
    expect("MPI_Send", next, false, 1, 56);
    expect("MPI_Recv", before, true, 1, 56);
    OK(MPI_Recv(in, 20, MPI_DOUBLE, MPI_PROC_NULL, 1, reversed, MPI_STATUS_IGNORE));
    expect("MPI_Recv", -1, true, 1, 0);
}

static void an_exchange_is_noted_both_ways_as_one_call(void **state)
{
    int out[5] = {0}, in[9];

    OK(MPI_Sendrecv(out, 5, MPI_INT, next_reversed, 2, in, 9, MPI_INT, MPI_ANY_SOURCE, 2, reversed,
                    MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv", next, false, 1, 20);
    expect("MPI_Sendrecv", before, true, 0, 20);
    OK(MPI_Sendrecv(out, 5, MPI_INT, MPI_PROC_NULL, 2, in, 9, MPI_INT, MPI_PROC_NULL, 2, reversed,
                    MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv", -1, false, 1, 0);
    expect("MPI_Sendrecv", -1, true, 0, 0);
#if MPI_VERSION >= 4
    OK(MPI_Sendrecv_replace_c(out, 3, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv_replace_c", next, false, 1, 12);
    expect("MPI_Sendrecv_replace_c", before, true, 0, 12);
#endif
}

static void derived_types_count_their_elements_only(void **state)
{
    MPI_Datatype column, at_bottom;
    double out[15] = {0}, in[3];
    MPI_Aint where;
    MPI_Request r;
    int one = 1;

    OK(MPI_Type_vector(3, 1, 5, MPI_DOUBLE, &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_Get_address(in, &where));
    OK(MPI_Type_create_struct(1, &(int){3}, &where, &(MPI_Datatype){MPI_DOUBLE}, &at_bottom));
    OK(MPI_Type_commit(&at_bottom));
    OK(MPI_Irecv(MPI_BOTTOM, one, at_bottom, before, 3, MPI_COMM_WORLD, &r));
    OK(MPI_Ssend(out, one, column, next, 3, MPI_COMM_WORLD));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Ssend", next, false, 1, 24);
    expect("MPI_Irecv", before, true, 1, 24);
    MPI_Type_free(&column);
    MPI_Type_free(&at_bottom);
}

/* Completes what REQUESTS hold: two receives of ints and a send. */
typedef void (*complete_fn)(MPI_Request requests[3]);

static void by_waitall(MPI_Request r[3])
{
    OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
}

static void by_wait(MPI_Request r[3])
{
    for (int i = 2; i >= 0; i--)
        OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
}

static void by_waitany(MPI_Request r[3])
{
    int at;

    for (int i = 0; i < 3; i++)
        OK(MPI_Waitany(3, r, &at, MPI_STATUS_IGNORE));
    OK(MPI_Waitany(3, r, &at, MPI_STATUS_IGNORE));
    assert_int_equal(at, MPI_UNDEFINED);
}

static void by_waitsome(MPI_Request r[3])
{
    int n, at[3];

    for (int done = 0; done < 3; done += n)
        OK(MPI_Waitsome(3, r, &n, at, MPI_STATUSES_IGNORE));
    OK(MPI_Waitsome(3, r, &n, at, MPI_STATUSES_IGNORE));
    assert_int_equal(n, MPI_UNDEFINED);
}

static void by_test(MPI_Request r[3])
{
    for (int i = 0; i < 3; i++)
        for (int done = 0; !done;)
            OK(MPI_Test(&r[i], &done, MPI_STATUS_IGNORE));
}

static void by_testall(MPI_Request r[3])
{
    for (int done = 0; !done;)
        OK(MPI_Testall(3, r, &done, MPI_STATUSES_IGNORE));
}

static void by_testany(MPI_Request r[3])
{
    int at, done;

    for (int i = 0; i < 3; i += done)
        OK(MPI_Testany(3, r, &at, &done, MPI_STATUS_IGNORE));
}

static void by_testsome(MPI_Request r[3])
{
    int n, at[3];

    for (int done = 0; done < 3; done += n)
        OK(MPI_Testsome(3, r, &n, at, MPI_STATUSES_IGNORE));
}

static void by_looking_first(MPI_Request r[3])
{
    for (int i = 0; i < 3; i++)
        for (int done = 0; !done;)
            OK(MPI_Request_get_status(r[i], &done, MPI_STATUS_IGNORE));
    by_waitall(r);
}

static void receives_are_noted_whoever_completes_them(void **state)
{
    static const complete_fn ways[] = {by_waitall,  by_wait,     by_waitany,
                                       by_waitsome, by_test,     by_testall,
                                       by_testany,  by_testsome, by_looking_first};
    uint64_t n = sizeof ways / sizeof ways[0];
    int out[4] = {0}, in[2][9];
    MPI_Request r[3];

    for (uint64_t i = 1; i <= n; i++) {
        OK(MPI_Irecv(in[0], 9, MPI_INT, MPI_ANY_SOURCE, 4, reversed, &r[0]));
#if MPI_VERSION >= 4
        OK(MPI_Irecv_c(in[1], 9, MPI_INT, before, 5, MPI_COMM_WORLD, &r[1]));
#else
        OK(PMPI_Irecv(in[1], 9, MPI_INT, before, 5, MPI_COMM_WORLD, &r[1])); /* not noted */
#endif
        OK(MPI_Isend(out, 4, MPI_INT, next_reversed, 4, reversed, &r[2]));
        OK(MPI_Send(out, 2, MPI_INT, next, 5, MPI_COMM_WORLD));
        ways[i - 1](r);
        for (int k = 0; k < 3; k++)
            assert_true(r[k] == MPI_REQUEST_NULL);
        expect("MPI_Irecv", before, true, i, i * 16);
        expect("MPI_Irecv", -1, true, 0, 0);
#if MPI_VERSION >= 4
        expect("MPI_Irecv_c", before, true, i, i * 8);
#endif
        expect("MPI_Isend", next, false, i, i * 16);
    }
}

static void many_receives_complete_in_one_call(void **state)
{
    enum { MANY = 50 };
    static char in[MANY][8];
    MPI_Request r[MANY];

    for (int i = 0; i < MANY; i++)
        OK(MPI_Irecv(in[i], 8, MPI_CHAR, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &r[i]));
    expect("MPI_Irecv", -1, true, MANY, 0);
    for (int i = 0; i < MANY; i++)
        OK(MPI_Send(in[i], 5, MPI_CHAR, next, i, MPI_COMM_WORLD));
    OK(MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE));
    expect("MPI_Irecv", -1, true, 0, 0);
    expect("MPI_Irecv", before, true, MANY, MANY * 5);
}

static void a_receive_outlives_its_communicator(void **state)
{
    char out[3] = {0}, in[9];
    MPI_Request r;
    MPI_Comm own;

    OK(MPI_Comm_dup(reversed, &own));
    OK(MPI_Irecv(in, 9, MPI_CHAR, MPI_ANY_SOURCE, 6, own, &r));
    OK(MPI_Send(out, 3, MPI_CHAR, next_reversed, 6, own));
    OK(MPI_Comm_free(&own));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Irecv", before, true, 1, 3);
}

static void nothing_came_of_cancelled_and_freed_receives(void **state)
{
    uint64_t unknown = portolan_mpi_receives_unknown();
    int flag = 0;
    char in[9];
    MPI_Request r;
    MPI_Status status;

    OK(MPI_Irecv(in, 9, MPI_CHAR, before, 7, MPI_COMM_WORLD, &r));
    OK(MPI_Cancel(&r));
    OK(MPI_Wait(&r, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    assert_true(flag);
    expect("MPI_Irecv", before, true, 1, 0);
    OK(MPI_Irecv(in, 9, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Irecv", -1, true, 1, 0);
    assert_int_equal(portolan_mpi_receives_unknown(), unknown);
    OK(MPI_Irecv(in, 9, MPI_CHAR, rank, 7, MPI_COMM_WORLD, &r));
    OK(MPI_Request_free(&r));
    OK(MPI_Send(in, 4, MPI_CHAR, rank, 7, MPI_COMM_WORLD));
    assert_int_equal(portolan_mpi_receives_unknown(), unknown + 1);
    expect("MPI_Irecv", rank, true, 1, 0);
}

static void persistent_requests_are_noted_at_each_start(void **state)
{
    char out[5] = {0}, in[9];
    MPI_Request r[2];

    OK(MPI_Recv_init(in, 9, MPI_CHAR, MPI_ANY_SOURCE, 8, reversed, &r[0]));
    OK(MPI_Send_init(out, 5, MPI_CHAR, next_reversed, 8, reversed, &r[1]));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Start(&r[0]));
        OK(MPI_Start(&r[1]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE)); /* inactive: completes nothing */
    }
    expect("MPI_Send_init", next, false, 1, 0);
    expect("MPI_Start", next, false, 3, 15);
    expect("MPI_Start", before, true, 3, 15);
    expect("MPI_Start", -1, true, 0, 0);
    OK(MPI_Startall(2, r));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    expect("MPI_Startall", -1, false, 1, 0);
    expect("MPI_Startall", next, false, 0, 5);
    expect("MPI_Startall", before, true, 0, 5);
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}

#if MPI_VERSION >= 4
static void partitioned_messages_are_noted_whole(void **state)
{
    double out[8] = {0}, in[8];
    MPI_Request r[2];

    OK(MPI_Precv_init(in, 4, 2, MPI_DOUBLE, before, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    OK(MPI_Psend_init(out, 4, 2, MPI_DOUBLE, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    OK(MPI_Startall(2, r));
    OK(MPI_Pready_range(0, 2, r[1]));
    OK(MPI_Pready(3, r[1]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    expect("MPI_Startall", next, false, 0, 64);
    expect("MPI_Startall", before, true, 0, 64);
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}
#endif

static void matched_messages_are_from_who_sent_them(void **state)
{
    char in[9];
    int flag = 0;
    MPI_Message m;
    MPI_Request r;

    OK(MPI_Isend("abcde", 5, MPI_CHAR, next_reversed, 10, reversed, &r));
    OK(MPI_Mprobe(MPI_ANY_SOURCE, 10, reversed, &m, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, 9, MPI_CHAR, &m, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Mrecv", before, true, 1, 5);
    OK(MPI_Send("abcdef", 6, MPI_CHAR, next_reversed, 11, reversed));
    while (!flag)
        OK(MPI_Improbe(MPI_ANY_SOURCE, 11, reversed, &flag, &m, MPI_STATUS_IGNORE));
    OK(MPI_Imrecv(in, 9, MPI_CHAR, &m, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Imrecv", before, true, 1, 6);
    OK(MPI_Mprobe(MPI_PROC_NULL, 11, reversed, &m, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, 9, MPI_CHAR, &m, MPI_STATUS_IGNORE));
    expect("MPI_Mrecv", -1, true, 1, 0);
}

#if MPI_VERSION >= 4
static void exchanges_that_do_not_block_are_noted_as_sends(void **state)
{
    uint64_t unknown = portolan_mpi_receives_unknown();
    char out[6] = {0}, in[9];
    MPI_Request r;

    OK(MPI_Isendrecv(out, 6, MPI_CHAR, next_reversed, 12, in, 9, MPI_CHAR, before_reversed, 12,
                     reversed, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Isendrecv", next, false, 1, 6);
    assert_int_equal(portolan_mpi_receives_unknown(), unknown + 1);
    OK(MPI_Isendrecv_replace(out, 4, MPI_CHAR, next, 12, MPI_PROC_NULL, 12, MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in, 9, MPI_CHAR, before, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    expect("MPI_Isendrecv_replace", next, false, 1, 4);
    assert_int_equal(portolan_mpi_receives_unknown(), unknown + 1);
}
#endif

static void failed_calls_are_calls_and_no_bytes(void **state)
{
    char in[9] = {0};
    MPI_Request r;

    MPI_Comm_set_errhandler(reversed, MPI_ERRORS_RETURN);
    assert_int_not_equal(MPI_Send(in, 9, MPI_DATATYPE_NULL, next, 13, reversed), MPI_SUCCESS);
    assert_int_not_equal(MPI_Send(in, 9, MPI_CHAR, size, 13, reversed), MPI_SUCCESS);
    expect("MPI_Send", -1, false, 2, 0);
    assert_int_not_equal(MPI_Bcast(in, 9, MPI_DATATYPE_NULL, 0, reversed), MPI_SUCCESS);
    expect("MPI_Bcast", -1, false, 1, 0);
    OK(MPI_Isend(in, 9, MPI_CHAR, next_reversed, 13, reversed, &r));
    assert_int_not_equal(MPI_Recv(in, 2, MPI_CHAR, MPI_ANY_SOURCE, 13, reversed, MPI_STATUS_IGNORE),
                         MPI_SUCCESS);
    expect("MPI_Recv", before, true, 1, 0);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    MPI_Comm_set_errhandler(reversed, MPI_ERRORS_ARE_FATAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(messages_are_noted_with_world_ranks),
        TEST(an_exchange_is_noted_both_ways_as_one_call),
        TEST(derived_types_count_their_elements_only),
        TEST(receives_are_noted_whoever_completes_them),
        TEST(many_receives_complete_in_one_call),
        TEST(a_receive_outlives_its_communicator),
        TEST(nothing_came_of_cancelled_and_freed_receives),
        TEST(persistent_requests_are_noted_at_each_start),
#if MPI_VERSION >= 4
        TEST(partitioned_messages_are_noted_whole),
#endif
        TEST(matched_messages_are_from_who_sent_them),
#if MPI_VERSION >= 4
        TEST(exchanges_that_do_not_block_are_noted_as_sends),
#endif
        TEST(failed_calls_are_calls_and_no_bytes),
    };

    return RUN("traffic", tests);
}
