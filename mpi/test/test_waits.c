/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking calls that yield leave what those of MPICH leave: each is made through PMPI_ and MPI_,
 * with PORTOLAN_MPI_YIELD=always, and buffers, statuses, error classes and calls of error handlers
 * are compared. Every blocking routine of routines.list is among them.
 */
#include <mpi.h>
#include <portolan/mpi.h>
#include <portolan/probe.h>
#include <unit_test.h>

#define BIG  30000 /* doubles: beyond what is sent without asking */
#define MOST 8     /* ranks */

static bool plain; /* the calls are MPICH's own */
#define CALL(name, ...)  CALL_(name, __VA_ARGS__)
#define CALL_(name, ...) (plain ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

static int rank, size, next, before;
static MPI_Comm comm; /* a duplicate of the world, with an error handler of its own */
static int comm_errors, world_errors;

/* -- what came of the calls, in lines -- */

static char *lines[2]; /* yielding, plain */
static size_t used[2];

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    char line[300];
    va_list args;
    size_t n;

    va_start(args, format);
    n = (size_t)vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    line[n++] = '\n';
    line[n] = '\0';
    lines[plain] = realloc(lines[plain], used[plain] + n + 1);
    assert_non_null(lines[plain]);
    memcpy(lines[plain] + used[plain], line, n + 1);
    used[plain] += n;
}

static int class_of(int result)
{
    int class;

    PMPI_Error_class(result, &class);
    return class;
}

static void done(const char *name, int result)
{
    tell("%s: class %d, errors %d, %d", name, class_of(result), comm_errors, world_errors);
}

static void received(const char *name, int result, const MPI_Status *s, const void *in, size_t room)
{
    int bytes = 0, is_cancelled;

    done(name, result);
    PMPI_Test_cancelled(s, &is_cancelled);
    if (result == MPI_SUCCESS)
        PMPI_Get_count(s, MPI_BYTE, &bytes);
    if (result == MPI_SUCCESS || class_of(result) == MPI_ERR_TRUNCATE)
        tell("from %d tag %d bytes %d cancelled %d error %x", s->MPI_SOURCE, s->MPI_TAG, bytes,
             is_cancelled, (unsigned)s->MPI_ERROR);
    if (in && result == MPI_SUCCESS)
        tell("content %lx", (unsigned long)portolan_hash(in, room, 0));
}

static MPI_Status *blank(MPI_Status *s)
{
    memset(s, 0x55, sizeof *s);
    return s;
}

/* Ends a request that only helps, and tells what is in BUFFER. */
static void finish(MPI_Request *r, const void *buffer, size_t room)
{
    PMPI_Wait(r, MPI_STATUS_IGNORE);
    if (buffer)
        tell("content %lx", (unsigned long)portolan_hash(buffer, room, 0));
}

static void fill(double *x, int n, int with)
{
    for (int i = 0; i < n; i++)
        x[i] = rank * 1000 + with * 100000 + i;
}

#define INTS 300

/* Buffer K, with the rank's numbers in it. */
static int *ints(int k)
{
    static int all[6][INTS];

    for (int i = 0; i < INTS; i++)
        all[k][i] = (rank + 1) * 7 + i * (k + 3) % 11;
    return all[k];
}

static void keep(const int *x)
{
    tell("ints %lx", (unsigned long)portolan_hash(x, INTS * sizeof *x, 0));
}

static int rank_in(MPI_Comm c)
{
    int r;

    PMPI_Comm_rank(c, &r);
    return r;
}

static int size_of(MPI_Comm c)
{
    int n;

    PMPI_Comm_size(c, &n);
    return n;
}

#define NAME(x) x
#define COUNT   int
#define AT      int
#include "blocking.h"
#undef NAME
#undef COUNT
#undef AT
#if MPI_VERSION >= 4
#define NAME(x) x##_c
#define COUNT   MPI_Count
#define AT      MPI_Aint
#include "blocking.h"
#endif

/* -- the comparison -- */

static void begin(bool is_plain)
{
    plain = is_plain;
    used[plain] = 0;
    comm_errors = world_errors = 0;
}

static void compare(void)
{
    const char *a = lines[0], *b = lines[1];
    int line = 1;

    assert_non_null(a);
    assert_non_null(b);
    while (*a && *a == *b) {
        line += *a == '\n';
        a++;
        b++;
    }
    if (!*a && !*b)
        return;
    while (a > lines[0] && a[-1] != '\n') {
        a--;
        b--;
    }
    fail_msg("rank %d, line %d: yielding '%.*s', plain '%.*s'", rank, line, (int)strcspn(a, "\n"),
             a, (int)strcspn(b, "\n"), b);
}

#define IN_BOTH(call)                                                                              \
    for (int p = 1; p >= 0; p--) {                                                                 \
        begin(p);                                                                                  \
        call;                                                                                      \
    }                                                                                              \
    compare()
#if MPI_VERSION >= 4
#define IN_BOTH_LARGE(call) IN_BOTH(call)
#else
#define IN_BOTH_LARGE(call) (void)0
#endif

static void messages_arrive_alike(void **state)
{
    IN_BOTH(messages(comm));
    IN_BOTH_LARGE(messages_c(comm));
}

static void exchanges_are_alike(void **state)
{
    IN_BOTH(exchanges(comm));
    IN_BOTH_LARGE(exchanges_c(comm));
}

static void probes_and_matched_messages_are_alike(void **state)
{
    char in[9] = {0};
    MPI_Request r;
    MPI_Status status;

    IN_BOTH(matched(comm));
    IN_BOTH_LARGE(matched_c(comm));
    IN_BOTH({
        PMPI_Isend("probe", 6, MPI_CHAR, next, 11, comm, &r);
        received("Probe", CALL(Probe, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, blank(&status)), &status,
                 NULL, 0);
        done("Probe", CALL(Probe, before, 11, comm, MPI_STATUS_IGNORE));
        PMPI_Recv(in, 9, MPI_CHAR, before, 11, comm, MPI_STATUS_IGNORE);
        finish(&r, in, sizeof in);
    });
}

static void errors_reach_the_same_handler_with_the_same_class(void **state)
{
    IN_BOTH(errors(comm));
    IN_BOTH_LARGE(errors_c(comm));
}

/* Of one sender, with one tag: in the order in which they were sent, whatever they were sent by. */
static void messages_do_not_overtake(void)
{
    int value = 1, in;
    MPI_Request r[3];

    PMPI_Isend(&value, 1, MPI_INT, next, 12, comm, &r[0]);
    done("Send", CALL(Send, &(int){2}, 1, MPI_INT, next, 12, comm));
    PMPI_Isend(&(int){3}, 1, MPI_INT, next, 12, comm, &r[1]);
    for (int i = 1; i <= 3; i++) {
        done("Recv", CALL(Recv, &in, 1, MPI_INT, before, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
        assert_int_equal(in, i);
    }
    PMPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    PMPI_Irecv(&in, 1, MPI_INT, before, 13, comm, &r[0]);
    PMPI_Isend(&(int){4}, 1, MPI_INT, next, 13, comm, &r[1]);
    PMPI_Isend(&(int){5}, 1, MPI_INT, next, 13, comm, &r[2]);
    done("Recv", CALL(Recv, &value, 1, MPI_INT, before, 13, comm, MPI_STATUS_IGNORE));
    PMPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    assert_int_equal(in, 4);
    assert_int_equal(value, 5);
}

static void order_of_messages_is_kept(void **state)
{
    IN_BOTH(messages_do_not_overtake());
}

/* Two receives, of which FAILS has too little room, and a send. */
static void post(MPI_Request r[4], int in[2][9], int fails)
{
    static int out[9];

    PMPI_Irecv(in[0], fails == 0 ? 1 : 9, MPI_INT, MPI_ANY_SOURCE, 14, comm, &r[0]);
    r[1] = MPI_REQUEST_NULL;
    PMPI_Irecv(in[1], 9, MPI_INT, before, 15, comm, &r[2]);
    PMPI_Isend(out, 4, MPI_INT, next, 14, comm, &r[3]);
    PMPI_Send(out, 5, MPI_INT, next, 15, comm);
}

static void tell_statuses(int n, const MPI_Status *s, bool has_errors)
{
    for (int i = 0; i < n; i++) {
        int error = has_errors ? class_of(s[i].MPI_ERROR) : 0, bytes = 0;

        if (!error)
            PMPI_Get_count(&s[i], MPI_BYTE, &bytes);
        tell("%d: from %d tag %d bytes %d class %d", i, s[i].MPI_SOURCE, s[i].MPI_TAG, bytes,
             error);
    }
}

/* Until none is left, and once more. */
static void waits_for_some(void)
{
    int in[2][9], at[4], n, result;
    MPI_Request r[4];
    MPI_Status s[4];

    post(r, in, 1);
    for (int k = n = 0; k < 3; k++) { /* the order is MPI's */
        done("Waitany", CALL(Waitany, 4, r, at, MPI_STATUS_IGNORE));
        n += at[0];
    }
    tell("indices %d", n);
    done("Waitany", CALL(Waitany, 4, r, at, blank(s)));
    tell("index %d", at[0]);
    received("status", MPI_SUCCESS, s, NULL, 0);
    post(r, in, 1);
    for (int k = 0; k < 3; k += n) {
        result = CALL(Waitsome, 4, r, &n, at, s);
        assert_int_equal(result, MPI_SUCCESS);
        for (int i = 0; i < n; i++)
            assert_true(at[i] == 3 || s[i].MPI_TAG == 14 + at[i] / 2);
    }
    done("Waitsome", CALL(Waitsome, 4, r, &n, at, s));
    tell("some %d", n);
}

static void waits(void)
{
    int in[2][9], at[4], result;
    MPI_Request r[4];
    MPI_Status s[4];

    for (int fails = 0; fails < 2; fails++) {
        post(r, in, fails);
        memset(s, 0x55, sizeof s);
        done("Waitall", result = CALL(Waitall, 4, r, s));
        /* that of a send is not defined; after a failure the others may be pending */
        tell_statuses(fails == 0 ? 1 : 3, s, fails == 0);
        tell("null %d", r[0] == MPI_REQUEST_NULL);
        PMPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        post(r, in, fails);
        done("Waitall", CALL(Waitall, 4, r, MPI_STATUSES_IGNORE));
        PMPI_Waitall(4, r, MPI_STATUSES_IGNORE);
        post(r, in, fails);
        for (int i = 3; i >= 0; i--) {
            done("Wait", result = CALL(Wait, &r[i], blank(&s[i])));
            if (i < 3)
                received("status", result, &s[i], NULL, 0);
        }
        waits_for_some();
        post(r, in, fails);
        done("Waitany one", CALL(Waitany, 1, r, at, blank(s)));
        tell("index %d null %d", at[0], r[0] == MPI_REQUEST_NULL);
        PMPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    }
    done("Waitall none", CALL(Waitall, 0, NULL, MPI_STATUSES_IGNORE));
    done("Waitany none", CALL(Waitany, 0, NULL, at, MPI_STATUS_IGNORE));
    tell("index %d", at[0]);
    r[0] = MPI_REQUEST_NULL;
    received("Wait null", CALL(Wait, r, blank(s)), s, NULL, 0);
}

static void waits_for_requests_are_alike(void **state)
{
    IN_BOTH(waits());
}

static void persistent(void)
{
    int in[9] = {0}, out[4] = {0};
    MPI_Request r[2];
    MPI_Status s[2];

    PMPI_Recv_init(in, 9, MPI_INT, MPI_ANY_SOURCE, 16, comm, &r[0]);
    PMPI_Send_init(out, 4, MPI_INT, next, 16, comm, &r[1]);
    for (int i = 0; i < 2; i++) {
        PMPI_Startall(2, r);
        memset(s, 0x55, sizeof s);
        done("Waitall", CALL(Waitall, 2, r, s));
        tell_statuses(1, s, false);
        received("Wait inactive", CALL(Wait, r, blank(s)), s, NULL, 0);
    }
    PMPI_Request_free(&r[0]);
    PMPI_Request_free(&r[1]);
}

static void persistent_requests_complete_alike(void **state)
{
    IN_BOTH(persistent());
}

static void exposure(void)
{
    MPI_Group all, ends;
    double *memory, value = rank;
    MPI_Win win;

    PMPI_Win_allocate(sizeof value, sizeof value, MPI_INFO_NULL, comm, &memory, &win);
    PMPI_Comm_group(comm, &all);
    PMPI_Group_incl(all, before == next ? 1 : 2, (int[]){before, next}, &ends);
    PMPI_Win_post(ends, 0, win);
    PMPI_Win_start(ends, 0, win);
    PMPI_Put(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
    PMPI_Win_complete(win);
    done("Win_wait", CALL(Win_wait, win));
    PMPI_Group_free(&all);
    PMPI_Group_free(&ends);
    PMPI_Win_free(&win);
}

static void exposed_memory_is_waited_for_alike(void **state)
{
    IN_BOTH(exposure());
}

/* Products of 2 by 2 matrices: associative and not commutative. */
static void multiply(void *left, void *right, int *n, MPI_Datatype *type)
{
    unsigned *a = left, *b = right;

    (void)type;
    for (int i = 0; i < *n; i++, a += 4, b += 4) {
        unsigned c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                         a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};

        memcpy(b, c, sizeof c);
    }
}

static void collective_calls_are_alike(void **state)
{
    for (int root = 0; root < size; root += size - 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            IN_BOTH(done("Barrier", CALL(Barrier, comm)));
            IN_BOTH(collectives(comm, size, root, in_place));
            IN_BOTH_LARGE(collectives_c(comm, size, root, in_place));
        }
}

static void reductions_are_alike_also_in_their_order(void **state)
{
    MPI_Datatype matrix;
    MPI_Op op;

    PMPI_Type_contiguous(4, MPI_INT, &matrix);
    PMPI_Type_commit(&matrix);
    PMPI_Op_create(multiply, 0, &op);
    for (int root = 0; root < size; root += size - 1)
        for (int n = 0; n <= 3; n += 3) {
            IN_BOTH(reductions(comm, root, false, MPI_SUM, MPI_INT, n));
            IN_BOTH(reductions(comm, root, false, op, matrix, n));
            IN_BOTH_LARGE(reductions_c(comm, root, false, MPI_MAX, MPI_INT, n));
            IN_BOTH_LARGE(reductions_c(comm, root, false, op, matrix, n));
        }
    PMPI_Op_free(&op);
    PMPI_Type_free(&matrix);
}

static void neighbourhood_calls_are_alike(void **state)
{
    int periods = 1;
    MPI_Comm ring;

    PMPI_Cart_create(comm, 1, &size, &periods, 0, &ring);
    IN_BOTH(neighbours(ring));
    IN_BOTH_LARGE(neighbours_c(ring));
    PMPI_Comm_free(&ring);
}

/* Rank 0 on one side, the others on the other. */
static void calls_across_an_intercommunicator_are_alike(void **state)
{
    int partners = rank ? 1 : size - 1, root = rank ? 0 : MPI_ROOT;
    MPI_Comm side, inter;

    PMPI_Comm_split(comm, rank != 0, rank, &side);
    PMPI_Intercomm_create(side, 0, comm, rank ? 0 : 1, 17, &inter);
    IN_BOTH(done("Barrier", CALL(Barrier, inter)));
    if (size == 2) { /* else counts would have to differ between the sides */
        IN_BOTH(collectives(inter, partners, root, false));
        IN_BOTH_LARGE(collectives_c(inter, partners, root, false));
    }
    IN_BOTH(reductions(inter, root, true, MPI_SUM, MPI_INT, 3));
    IN_BOTH_LARGE(reductions_c(inter, root, true, MPI_SUM, MPI_INT, 3));
    PMPI_Comm_free(&inter);
    PMPI_Comm_free(&side);
}

static void every_routine_that_can_yield_was_compared(void **state)
{
    static const char *const names[] = {
#define ROUTINE(name) "MPI_" #name,
#include "mpi_blocking.h"
    };
    struct portolan_probe_traffic *rows;
    size_t n, k;

    assert_true(portolan_mpi_yields());
    assert_int_equal(portolan_probe_traffic_take(&rows, &n), PORTOLAN_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (k = 0; k < n && strcmp(rows[k].routine, names[i]) != 0; k++)
            ;
        if (k == n)
            fail_msg("%s was never called", names[i]);
    }
    free(rows);
}

static void note_comm_error(MPI_Comm *c, int *code, ...)
{
    (void)code;
    comm_errors += *c == comm ? 1 : 100;
}

static void note_world_error(MPI_Comm *c, int *code, ...)
{
    (void)c, (void)code;
    world_errors++;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_arrive_alike),
        cmocka_unit_test(exchanges_are_alike),
        cmocka_unit_test(probes_and_matched_messages_are_alike),
        cmocka_unit_test(errors_reach_the_same_handler_with_the_same_class),
        cmocka_unit_test(order_of_messages_is_kept),
        cmocka_unit_test(waits_for_requests_are_alike),
        cmocka_unit_test(persistent_requests_complete_alike),
        cmocka_unit_test(exposed_memory_is_waited_for_alike),
        cmocka_unit_test(collective_calls_are_alike),
        cmocka_unit_test(reductions_are_alike_also_in_their_order),
        cmocka_unit_test(neighbourhood_calls_are_alike),
        cmocka_unit_test(calls_across_an_intercommunicator_are_alike),
        cmocka_unit_test(every_routine_that_can_yield_was_compared),
    };
    MPI_Errhandler on_comm, on_world;
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    PMPI_Comm_create_errhandler(note_comm_error, &on_comm);
    PMPI_Comm_create_errhandler(note_world_error, &on_world);
    PMPI_Comm_set_errhandler(comm, on_comm);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, on_world);
    failed = cmocka_run_group_tests_name("waits", tests, NULL, NULL);
    PMPI_Comm_free(&comm);
    free(lines[0]);
    free(lines[1]);
    portolan_mpi_finalize();
    return failed;
}
