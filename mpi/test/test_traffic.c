/* SPDX-License-Identifier: BSD-3-Clause */
/* What is noted of communication, by 2 ranks or more. Numbers are those of the calls made here. */
#include <portolan/mpi.h>
#include <portolan/probe.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <cmocka.h>

static int rank, size, next, before; /* neighbours in the ring */
static MPI_Comm reversed;            /* all ranks in reverse order */
static int next_reversed, before_reversed;

static struct portolan_probe_traffic *old;
static size_t n_old;

static struct portolan_probe_traffic find(const struct portolan_probe_traffic *rows, size_t n,
                                          const char *routine, int partner, bool received)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].partner == partner && rows[i].received == received &&
            strcmp(rows[i].routine, routine) == 0)
            return rows[i];
    return (struct portolan_probe_traffic){0};
}

static int watch(void **state)
{
    (void)state;
    free(old);
    return portolan_probe_traffic_take(&old, &n_old) != PORTOLAN_OK;
}

/* What was noted since the test began. */
static void expect(const char *routine, int partner, bool received, uint64_t calls, uint64_t bytes)
{
    struct portolan_probe_traffic *now, was, is;
    size_t n;

    assert_int_equal(portolan_probe_traffic_take(&now, &n), PORTOLAN_OK);
    was = find(old, n_old, routine, partner, received);
    is = find(now, n, routine, partner, received);
    free(now);
    if (is.calls - was.calls != calls || is.bytes - was.bytes != bytes)
        fail_msg("rank %d: %s %s %d: %ld calls, %ld bytes and not %ld, %ld", rank, routine,
                 received ? "from" : "to", partner, (long)(is.calls - was.calls),
                 (long)(is.bytes - was.bytes), (long)calls, (long)bytes);
}

#define OK(call) assert_int_equal(call, MPI_SUCCESS)

static void messages_are_noted_with_world_ranks(void **state)
{
    double out[10] = {0}, in[20];
    MPI_Status status;
    int count;

    (void)state;
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

    (void)state;
    OK(MPI_Sendrecv(out, 5, MPI_INT, next_reversed, 2, in, 9, MPI_INT, MPI_ANY_SOURCE, 2, reversed,
                    MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv", next, false, 1, 20);
    expect("MPI_Sendrecv", before, true, 0, 20);
    OK(MPI_Sendrecv(out, 5, MPI_INT, MPI_PROC_NULL, 2, in, 9, MPI_INT, MPI_PROC_NULL, 2, reversed,
                    MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv", -1, false, 1, 0);
    expect("MPI_Sendrecv", -1, true, 0, 0);
    OK(MPI_Sendrecv_replace_c(out, 3, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv_replace_c", next, false, 1, 12);
    expect("MPI_Sendrecv_replace_c", before, true, 0, 12);
}

static void derived_types_count_their_elements_only(void **state)
{
    MPI_Datatype column, at_bottom;
    double out[15] = {0}, in[3];
    MPI_Aint where;
    int one = 1;

    (void)state;
    OK(MPI_Type_vector(3, 1, 5, MPI_DOUBLE, &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_Get_address(in, &where));
    OK(MPI_Type_create_struct(1, &(int){3}, &where, &(MPI_Datatype){MPI_DOUBLE}, &at_bottom));
    OK(MPI_Type_commit(&at_bottom));
    OK(MPI_Sendrecv_c(out, one, column, next, 3, MPI_BOTTOM, one, at_bottom, before, 3,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    expect("MPI_Sendrecv_c", next, false, 1, 24);
    expect("MPI_Sendrecv_c", before, true, 0, 24);
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

    (void)state;
    for (uint64_t i = 1; i <= n; i++) {
        OK(MPI_Irecv(in[0], 9, MPI_INT, MPI_ANY_SOURCE, 4, reversed, &r[0]));
        OK(MPI_Irecv_c(in[1], 9, MPI_INT, before, 5, MPI_COMM_WORLD, &r[1]));
        OK(MPI_Isend(out, 4, MPI_INT, next_reversed, 4, reversed, &r[2]));
        OK(MPI_Send(out, 2, MPI_INT, next, 5, MPI_COMM_WORLD));
        ways[i - 1](r);
        for (int k = 0; k < 3; k++)
            assert_true(r[k] == MPI_REQUEST_NULL);
        expect("MPI_Irecv", before, true, i, i * 16);
        expect("MPI_Irecv", -1, true, 0, 0);
        expect("MPI_Irecv_c", before, true, i, i * 8);
        expect("MPI_Isend", next, false, i, i * 16);
    }
}

static void many_receives_complete_in_one_call(void **state)
{
    enum { MANY = 50 };
    static char in[MANY][8];
    MPI_Request r[MANY];

    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

static void partitioned_messages_are_noted_whole(void **state)
{
    double out[8] = {0}, in[8];
    MPI_Request r[2];

    (void)state;
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

static void matched_messages_are_from_who_sent_them(void **state)
{
    char in[9];
    int flag = 0;
    MPI_Message m;
    MPI_Request r;

    (void)state;
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

static void exchanges_that_do_not_block_are_noted_as_sends(void **state)
{
    uint64_t unknown = portolan_mpi_receives_unknown();
    char out[6] = {0}, in[9];
    MPI_Request r;

    (void)state;
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

static void failed_calls_are_calls_and_no_bytes(void **state)
{
    char in[9] = {0};
    MPI_Request r;

    (void)state;
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

static void one_sided_transfers_are_with_their_target(void **state)
{
    double *memory, in[4], out[4] = {0};
    MPI_Request r[2];
    MPI_Win win;

    (void)state;
    OK(MPI_Win_allocate(64, 8, MPI_INFO_NULL, reversed, &memory, &win));
    memset(memory, 0, 64);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(out, 3, MPI_DOUBLE, next_reversed, 0, 3, MPI_DOUBLE, win));
    OK(MPI_Put(out, 3, MPI_DOUBLE, MPI_PROC_NULL, 0, 3, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Get(in, 2, MPI_DOUBLE, next_reversed, 0, 2, MPI_DOUBLE, win));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(out, 4, MPI_DOUBLE, next_reversed, 0, 4, MPI_DOUBLE, MPI_SUM, win));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Get_accumulate(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, next_reversed, 0, 2, MPI_DOUBLE,
                          MPI_SUM, win));
    OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, in, 3, MPI_DOUBLE, next_reversed, 0, 3,
                          MPI_DOUBLE, MPI_NO_OP, win));
    OK(MPI_Fetch_and_op(out, in, MPI_DOUBLE, next_reversed, 0, MPI_SUM, win));
    OK(MPI_Rput(out, 1, MPI_DOUBLE, next_reversed, 4, 1, MPI_DOUBLE, win, &r[0]));
    OK(MPI_Rget(in, 1, MPI_DOUBLE, next_reversed, 5, 1, MPI_DOUBLE, win, &r[1]));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    OK(MPI_Win_unlock_all(win));
    expect("MPI_Put", next, false, 1, 24);
    expect("MPI_Put", -1, false, 1, 0);
    expect("MPI_Get", next, true, 1, 16);
    expect("MPI_Accumulate", next, false, 1, 32);
    expect("MPI_Get_accumulate", next, false, 2, 16);
    expect("MPI_Get_accumulate", next, true, 0, 40);
    expect("MPI_Fetch_and_op", next, false, 1, 8);
    expect("MPI_Fetch_and_op", next, true, 0, 8);
    expect("MPI_Rput", next, false, 1, 8);
    expect("MPI_Rget", next, true, 1, 8);
    OK(MPI_Win_free(&win));
}

/* Counts 1, 2, … for each rank of N, their displacements; the sum. */
static int steps(int *counts, int *displacements, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        counts[i] = i + 1;
        displacements[i] = sum;
        sum += counts[i];
    }
    return sum;
}

static void collectives_are_noted_with_the_own_buffer(void **state)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int counts[size], at[size], sum = steps(counts, at, size);
    int out[4 * sum], in[4 * sum];
    uint64_t n = (uint64_t)size, own = (uint64_t)rank + 1;

    (void)state;
    memset(out, 0, sizeof out);
    OK(MPI_Barrier(c));
    expect("MPI_Barrier", -1, false, 1, 0);
    OK(MPI_Bcast(out, 3, MPI_INT, 0, c));
    expect("MPI_Bcast", -1, false, 1, 12);
    OK(MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, c));
    expect("MPI_Gather", -1, false, 1, 8);
    OK(MPI_Gather_c(rank ? out : MPI_IN_PLACE, rank ? 2 : 99, MPI_INT, in, 2, MPI_INT, 0, c));
    expect("MPI_Gather_c", -1, false, 1, 8);
    OK(MPI_Gatherv(rank ? out : MPI_IN_PLACE, (int)own, MPI_INT, in, counts, at, MPI_INT, 0, c));
    expect("MPI_Gatherv", -1, false, 1, 4 * own);
    OK(MPI_Scatter(out, 2, MPI_INT, rank ? in : MPI_IN_PLACE, 2, MPI_INT, 0, c));
    expect("MPI_Scatter", -1, false, 1, 8);
    OK(MPI_Scatterv(out, counts, at, MPI_INT, in, (int)own, MPI_INT, 0, c));
    expect("MPI_Scatterv", -1, false, 1, 4 * own);
    OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INT, c));
    expect("MPI_Allgather", -1, false, 1, 12);
    OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, at, MPI_INT, c));
    expect("MPI_Allgatherv", -1, false, 1, 4 * own);
    OK(MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, c));
    expect("MPI_Alltoall", -1, false, 1, 8 * n);
    OK(MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, 0, c));
    expect("MPI_Reduce", -1, false, 1, 12);
    OK(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, c));
    expect("MPI_Reduce_scatter", -1, false, 1, 4 * (uint64_t)sum);
    OK(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, c));
    expect("MPI_Reduce_scatter_block", -1, false, 1, 8 * n);
    OK(MPI_Exscan(MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, c));
    expect("MPI_Exscan", -1, false, 1, 8);
}

/* Rank i sends j - i + size elements to rank j. */
static void vectors_to_all_are_noted_with_their_sum(void **state)
{
    int out_n[size], in_n[size], at[size], bytes_at[size], room = 2 * size, sent = 0;
    MPI_Count out_c[size], in_c[size];
    MPI_Aint at_c[size];
    MPI_Datatype types[size];
    char out[room * size], in[room * size];
    MPI_Request r;

    (void)state;
    memset(out, 0, sizeof out);
    for (int i = 0; i < size; i++) {
        out_c[i] = out_n[i] = i - rank + size;
        in_c[i] = in_n[i] = rank - i + size;
        at_c[i] = bytes_at[i] = at[i] = i * room;
        types[i] = MPI_CHAR;
        sent += out_n[i];
    }
    OK(MPI_Alltoallv(out, out_n, at, MPI_CHAR, in, in_n, at, MPI_CHAR, MPI_COMM_WORLD));
    expect("MPI_Alltoallv", -1, false, 1, (uint64_t)sent);
    OK(MPI_Ialltoallv_c(out, out_c, at_c, MPI_CHAR, in, in_c, at_c, MPI_CHAR, MPI_COMM_WORLD, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    expect("MPI_Ialltoallv_c", -1, false, 1, (uint64_t)sent);
    OK(MPI_Alltoallw(out, out_n, bytes_at, types, in, in_n, bytes_at, types, MPI_COMM_WORLD));
    expect("MPI_Alltoallw", -1, false, 1, (uint64_t)sent);
    for (int i = 0; i < size; i++)
        in_n[i] = i == rank ? 3 : 1;
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in,
                     (const int *)memcpy(out_n, in_n, sizeof in_n), at, MPI_CHAR, MPI_COMM_WORLD));
    expect("MPI_Alltoallv", -1, false, 2, (uint64_t)(sent + 3 + size - 1));
}

static void persistent_collectives_are_noted_at_each_start(void **state)
{
    int value = 1;
    MPI_Request r;

    (void)state;
    OK(MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    for (int i = 0; i < 2; i++) {
        OK(MPI_Start(&r));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    }
    expect("MPI_Bcast_init", -1, false, 1, 0);
    expect("MPI_Start", -1, false, 2, 8);
    OK(MPI_Request_free(&r));
}

static void neighbours_get_what_a_rank_sends_them(void **state)
{
    int periods = 1, counts[2] = {1, 2}, at[2] = {0, 1}, back[2] = {2, 1}, out[3] = {0}, in[4];
    MPI_Comm ring;

    (void)state;
    OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &ring));
    OK(MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, ring));
    expect("MPI_Neighbor_allgather", -1, false, 1, 8);
    OK(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring));
    expect("MPI_Neighbor_alltoall", -1, false, 1, 8);
    OK(MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, back, (int[]){0, 2}, MPI_INT, ring));
    expect("MPI_Neighbor_alltoallv", -1, false, 1, 12);
    OK(MPI_Comm_free(&ring));
}

/* Rank 0 on one side, the others on the other. */
static void partners_across_an_intercommunicator_have_world_ranks(void **state)
{
    int others = size - 1, value[4] = {0}, n = rank ? 1 : others, root;
    char in[8] = {0};
    MPI_Comm side, inter;

    (void)state;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank != 0, -rank, &side));
    OK(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank ? 0 : size - 1, 14, &inter));
    if (rank == 0) {
        OK(MPI_Send(in, 3, MPI_CHAR, others - 1, 15, inter)); /* the last of them is rank 1 */
        OK(MPI_Recv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 15, inter, MPI_STATUS_IGNORE));
        expect("MPI_Send", 1, false, 1, 3);
        expect("MPI_Recv", 1, true, 1, 2);
    } else if (rank == 1) {
        OK(MPI_Recv(in, 8, MPI_CHAR, 0, 15, inter, MPI_STATUS_IGNORE));
        OK(MPI_Send(in, 2, MPI_CHAR, 0, 15, inter));
        expect("MPI_Recv", 0, true, 1, 3);
        expect("MPI_Send", 0, false, 1, 2);
    }
    root = rank == 0 ? MPI_ROOT : 0;
    OK(MPI_Gather(value, 1, MPI_INT, value, 1, MPI_INT, root, inter));
    expect("MPI_Gather", -1, false, 1, rank ? 4 : 0);
    OK(MPI_Alltoall(value, 1, MPI_INT, value + 2, 1, MPI_INT, inter));
    expect("MPI_Alltoall", -1, false, 1, 4 * (uint64_t)n);
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&side));
}

static int delete_with_mpi(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag;

    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Iprobe(MPI_ANY_SOURCE, 16, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void calls_made_inside_calls_take_no_time_of_their_own(void **state)
{
    int key;
    struct portolan_probe_traffic *now, row;
    size_t n;
    MPI_Comm own;

    (void)state;
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_with_mpi, &key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &own));
    OK(MPI_Comm_set_attr(own, key, NULL));
    OK(MPI_Comm_free(&own));
    expect("MPI_Iprobe", -1, false, 1, 0);
    assert_int_equal(portolan_probe_traffic_take(&now, &n), PORTOLAN_OK);
    row = find(now, n, "MPI_Iprobe", -1, false);
    assert_true(row.time_ns == find(old, n_old, "MPI_Iprobe", -1, false).time_ns);
    free(now);
    OK(MPI_Comm_free_keyval(&key));
}

/* On a clock that moves only when told. */
static int delete_in_30_ns(MPI_Comm c, int key, void *value, void *extra)
{
    (void)c, (void)key, (void)value, (void)extra;
    portolan_probe_clock_advance(10);
    MPI_Request_free(&(MPI_Request){MPI_REQUEST_NULL}); /* fails: its handler takes 15 ns */
    portolan_probe_clock_advance(5);
    return MPI_SUCCESS;
}

static void fail_in_15_ns(MPI_Comm *c, int *code, ...)
{
    (void)c, (void)code;
    portolan_probe_clock_advance(15);
}

__attribute__((noinline)) static void compute_while_under_way(struct portolan_probe_port *port,
                                                              MPI_Comm own)
{
    struct portolan_probe_call call;
    char out[3] = {0}, in[3];
    MPI_Request r[2];

    portolan_probe_enter(&call, port, 0, NULL, 0);
    OK(MPI_Irecv(in, 3, MPI_CHAR, before, 18, MPI_COMM_WORLD, &r[0]));
    OK(MPI_Isend(out, 3, MPI_CHAR, next, 18, MPI_COMM_WORLD, &r[1]));
    portolan_probe_clock_advance(100);
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    OK(MPI_Comm_free(&own));
    portolan_probe_leave(&call);
}

static void mpi_time_is_that_inside_mpi_counted_once(void **state)
{
    static const struct portolan_probe_connection connection = {.user = "u", .uses = "talk"};
    static const struct portolan_probe_method method = {.name = "talk"};
    struct portolan_probe_snapshot snap = {0};
    struct portolan_probe_binding binding = {0};
    struct portolan_probe_port port;
    struct portolan_probe_traffic *now;
    MPI_Errhandler handler;
    double mpi_ns = 0;
    size_t n;
    MPI_Comm own;
    int key;

    (void)state;
    binding.target = &binding;
    assert_int_equal(portolan_probe_clock_set(PORTOLAN_PROBE_CLOCK_MANUAL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_probe_methods_register(&connection, &method, 1,
                                                     &binding.first_method_handle, NULL),
                     PORTOLAN_OK);
    portolan_probe_port_init(&port, &binding, PORTOLAN_PROBE_MONITORED);
    OK(MPI_Comm_create_errhandler(fail_in_15_ns, &handler));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_in_30_ns, &key, NULL));
    OK(MPI_Comm_dup(MPI_COMM_SELF, &own));
    OK(MPI_Comm_set_attr(own, key, NULL));
    watch(NULL);
    compute_while_under_way(&port, own);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_free_keyval(&key));
    assert_int_equal(portolan_probe_snapshot_take(&snap, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < snap.count; i++)
        if (snap.records[i].handle == binding.first_method_handle) {
            mpi_ns = snap.records[i].mpi_ns;
            assert_true(snap.records[i].inclusive_ns == 130);
            assert_true(snap.records[i].exclusive_ns == 130);
        }
    assert_true(mpi_ns == 30);
    portolan_probe_snapshot_clear(&snap);
    assert_int_equal(portolan_probe_traffic_take(&now, &n), PORTOLAN_OK);
    assert_true(find(now, n, "MPI_Comm_free", -1, false).time_ns -
                    find(old, n_old, "MPI_Comm_free", -1, false).time_ns ==
                30);
    assert_true(find(now, n, "MPI_Waitall", -1, false).time_ns ==
                find(old, n_old, "MPI_Waitall", -1, false).time_ns);
    free(now);
}

static jmp_buf out_of_mpi;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(out_of_mpi, 1);
}

static void leaving_mpi_by_longjmp_ends_its_time(void **state)
{
    struct portolan_probe_traffic *now;
    MPI_Errhandler handler;
    size_t n;
    double was;
    int flag;

    (void)state;
    OK(MPI_Comm_create_errhandler(leave, &handler));
    OK(MPI_Comm_set_errhandler(reversed, handler));
    if (setjmp(out_of_mpi) == 0) {
        MPI_Send(NULL, 0, MPI_CHAR, size, 17, reversed);
        fail_msg("the handler was not called");
    }
    OK(MPI_Comm_set_errhandler(reversed, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, 17, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    assert_int_equal(portolan_probe_traffic_take(&now, &n), PORTOLAN_OK);
    was = find(old, n_old, "MPI_Iprobe", -1, false).time_ns;
    assert_true(find(now, n, "MPI_Iprobe", -1, false).time_ns > was);
    free(now);
}

static void totals_sum_over_partners(void **state)
{
    struct portolan_mpi_total *rows;
    uint64_t calls = 0, bytes = 0;
    size_t n;

    (void)state;
    assert_int_equal(portolan_mpi_totals(&rows, &n), PORTOLAN_OK);
    for (size_t i = 0; i < n_old; i++)
        if (strcmp(old[i].routine, "MPI_Recv") == 0) {
            calls += old[i].calls;
            bytes += old[i].bytes;
        }
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].routine, "MPI_Recv") == 0) {
            assert_int_equal(rows[i].calls, calls);
            assert_int_equal(rows[i].received_bytes, bytes);
            assert_int_equal(rows[i].bytes, 0);
        }
    assert_true(calls > 0);
    free(rows);
}

#define TEST(name) cmocka_unit_test_setup(name, watch)

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
        TEST(partitioned_messages_are_noted_whole),
        TEST(matched_messages_are_from_who_sent_them),
        TEST(exchanges_that_do_not_block_are_noted_as_sends),
        TEST(failed_calls_are_calls_and_no_bytes),
        TEST(one_sided_transfers_are_with_their_target),
        TEST(collectives_are_noted_with_the_own_buffer),
        TEST(vectors_to_all_are_noted_with_their_sum),
        TEST(persistent_collectives_are_noted_at_each_start),
        TEST(neighbours_get_what_a_rank_sends_them),
        TEST(partners_across_an_intercommunicator_have_world_ranks),
        TEST(calls_made_inside_calls_take_no_time_of_their_own),
        TEST(leaving_mpi_by_longjmp_ends_its_time),
        TEST(totals_sum_over_partners),
        TEST(mpi_time_is_that_inside_mpi_counted_once),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    next_reversed = size - 1 - next;
    before_reversed = size - 1 - before;
    failed = cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
    MPI_Comm_free(&reversed);
    free(old);
    portolan_mpi_finalize();
    return failed;
}
