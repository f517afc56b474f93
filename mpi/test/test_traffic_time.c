/* SPDX-License-Identifier: BSD-3-Clause */
/* Which time is noted as time inside MPI, by 2 ranks or more. */
#include "traffic.h"

#include <stdlib.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(calls_made_inside_calls_take_no_time_of_their_own),
        TEST(leaving_mpi_by_longjmp_ends_its_time),
        TEST(mpi_time_is_that_inside_mpi_counted_once), /* changes the clock */
    };

    return RUN("time of traffic", tests);
}
