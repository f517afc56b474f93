/* SPDX-License-Identifier: BSD-3-Clause */
/* Run by mpiexec with any number of ranks; argv[1]: "mpi" when the program begins MPI itself. */
#include "../internal.h"

#include <portolan/cll.h>
#include <unit_test.h>

static t_bsp all;
static int pid, n;

static void fill(unsigned char *bytes, size_t size, int from, int to)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + (size_t)from * 31 + (size_t)to * 3 + i / 251);
}

static void messages_come_by_sender_and_in_order(void **state)
{
    for (int k = 0; k < 3; k++)
        for (int to = 0; to < n; to++) {
            int what[3] = {pid, to, k};

            bsp_send(&all, to, what, sizeof what);
            what[2] = -1; /* it was copied */
        }
    bsp_sync(&all);
    assert_int_equal(bsp_nmsgs(&all), 3 * n);
    for (int i = 0; i < 3 * n; i++) {
        const int *what = bspmsg_data(bsp_getmsg(&all, i));

        assert_int_equal(bspmsg_src(bsp_getmsg(&all, i)), i / 3);
        assert_int_equal(bspmsg_size(bsp_getmsg(&all, i)), 3 * sizeof(int));
        assert_int_equal(what[0], i / 3);
        assert_int_equal(what[1], pid);
        assert_int_equal(what[2], i % 3);
    }
    bsp_sync(&all);
    assert_int_equal(bsp_nmsgs(&all), 0);
}

static void messages_are_found_by_sender(void **state)
{
    for (int k = 0; k <= pid; k++) /* so many from each */
        bsp_send(&all, n - 1, &k, sizeof k);
    bsp_sync(&all);
    for (int from = 0; from < n; from++) {
        if (pid < n - 1) {
            assert_null(bsp_findmsg(&all, from, 0));
            continue;
        }
        for (int k = 0; k <= from; k++)
            assert_int_equal(*(int *)bspmsg_data(bsp_findmsg(&all, from, k)), k);
        assert_null(bsp_findmsg(&all, from, from + 1));
        assert_null(bsp_findmsg(&all, from, -1));
    }
}

/* Everybody to everybody, with what SEND does, before anybody waits. */
static void exchange(size_t size, void (*send)(t_bsp *, int, const void *, size_t))
{
    unsigned char *out = malloc((size_t)n * size + 1), *expected = malloc(size + 1);

    for (int to = 0; to < n; to++) {
        fill(out + (size_t)to * size, size, pid, to);
        send(&all, to, out + (size_t)to * size, size);
        if (send == bsp_send)
            memset(out + (size_t)to * size, 0xee, size);
    }
    bsp_sync(&all);
    memset(out, 0xdd, (size_t)n * size);
    assert_int_equal(bsp_nmsgs(&all), n);
    for (int from = 0; from < n; from++) {
        t_bspmsg *message = bsp_getmsg(&all, from);

        fill(expected, size, from, pid);
        assert_int_equal(bspmsg_size(message), size);
        assert_int_equal((size_t)bspmsg_data(message) % 16, 0);
        assert_memory_equal(bspmsg_data(message), expected, size);
    }
    free(out);
    free(expected);
}

static void messages_have_any_size(void **state)
{
    static const size_t sizes[] = {0, 1, 8191, 8192, 8193, 100000, 3000000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        exchange(sizes[i], bsp_send);
        exchange(sizes[i], bsp_hpsend);
    }
}

/* On all processors, while nothing is on its way. */
static void set_sizes(size_t small, size_t piece)
{
    bsp_sync(&all);
    transport_lock();
    bsp_small_bytes = small;
    bsp_piece_bytes = piece;
    transport_unlock();
    bsp_sync(&all);
}

static void large_messages_go_in_pieces(void **state)
{
    size_t small = bsp_small_bytes, piece = bsp_piece_bytes;

    set_sizes(100, 999);
    exchange(100, bsp_hpsend);
    exchange(101, bsp_hpsend);
    exchange(999 * 4, bsp_send);
    exchange(999 * 4 + 1, bsp_hpsend);
    set_sizes(small, piece);
}

static void created_messages_are_sent_as_they_were_filled(void **state)
{
    t_bspmsg *message = bsp_createmsg(&all, 20000);

    assert_int_equal(bspmsg_size(message), 20000);
    fill(bspmsg_data(message), 20000, pid, 5);
    bsp_sendmsg(&all, (pid + 1) % n, message);
    bsp_sync(&all);
    assert_int_equal(bsp_nmsgs(&all), 1);
    message = malloc(20000);
    fill((unsigned char *)message, 20000, (pid + n - 1) % n, 5);
    assert_memory_equal(bspmsg_data(bsp_getmsg(&all, 0)), message, 20000);
    free(message);
}

/* Each goes ahead of its successor by up to a superstep, processor 0 by all of them. */
static void early_messages_wait_for_their_superstep(void **state)
{
    enum { STEPS = 40 };

    for (int step = 0; step < STEPS; step++) {
        if (pid + 1 < n)
            bsp_send(&all, pid + 1, &step, sizeof step);
        bsp_oblsync(&all, pid > 0);
        assert_int_equal(bsp_nmsgs(&all), pid > 0);
        if (pid > 0)
            assert_int_equal(*(int *)bspmsg_data(bsp_getmsg(&all, 0)), step);
    }
    bsp_sync(&all);
    assert_int_equal(bsp_nmsgs(&all), 0);
}

static int sum_of(t_bsp *bsp, int value)
{
    int sum = 0;

    for (int to = 0; to < bsp_nprocs(bsp); to++)
        bsp_send(bsp, to, &value, sizeof value);
    bsp_sync(bsp);
    for (int i = 0; i < bsp_nmsgs(bsp); i++)
        sum += *(int *)bspmsg_data(bsp_getmsg(bsp, i));
    return sum;
}

/* Divides until there is one left; the parts have unequal numbers of supersteps. */
static void divide(t_bsp *bsp, int first)
{
    int p = bsp_nprocs(bsp), expected = 0, bounds[2] = {(p + 1) / 2, p};
    t_bsp part;

    for (int i = 0; i < p; i++)
        expected += first + i;
    assert_int_equal(first + bsp_pid(bsp), pid);
    assert_int_equal(sum_of(bsp, pid), expected);
    if (p == 1)
        return;
    bsp_send(bsp, p - 1 - bsp_pid(bsp), &pid, sizeof pid);
    bsp_partition(bsp, &part, 2, bounds);
    first += bsp_pid(bsp) < bounds[0] ? 0 : bounds[0];
    for (int i = 0; i < 1 + (first > 0); i++)
        divide(&part, first);
    assert_int_equal(bsp_nmsgs(bsp), p); /* of the last superstep, still there */
    bsp_done(&part);
    bsp_oblsync(bsp, 1);
    assert_int_equal(*(int *)bspmsg_data(bsp_getmsg(bsp, 0)),
                     pid - bsp_pid(bsp) + p - 1 - bsp_pid(bsp));
}

static void parts_are_machines_of_their_own(void **state)
{
    divide(&all, 0);
    divide(&all, 0);
}

static void parts_may_be_any(void **state)
{
    int *bounds = malloc((size_t)n * sizeof *bounds);
    t_bsp one;

    for (int i = 0; i < n; i++)
        bounds[i] = i + 1;
    bsp_partition(&all, &one, n, bounds);
    assert_int_equal(bsp_nprocs(&one), 1);
    assert_int_equal(bsp_pid(&one), 0);
    assert_int_equal(sum_of(&one, 17), 17);
    bsp_done(&one);
    bsp_partition(&all, &one, 1, &n);
    assert_int_equal(bsp_nprocs(&one), n);
    assert_int_equal(bsp_pid(&one), pid);
    bsp_done(&one);
    free(bounds);
}

static void doubles_have_supersteps_of_their_own(void **state)
{
    t_bsp other;

    bsp_sync(&all);
    bsp_dup(&all, &other);
    bsp_send(&all, (pid + 1) % n, "all", 4);
    bsp_send(&other, (pid + 1) % n, "other", 6);
    bsp_sync(&other);
    assert_int_equal(bsp_nmsgs(&all), 0);
    assert_string_equal(bspmsg_data(bsp_getmsg(&other, 0)), "other");
    bsp_sync(&all);
    assert_string_equal(bspmsg_data(bsp_getmsg(&other, 0)), "other");
    assert_string_equal(bspmsg_data(bsp_getmsg(&all, 0)), "all");
    bsp_done(&other);
}

static void puts_and_gets_reach_registered_memory(void **state)
{
    int table[8] = {0}, next = (pid + 1) % n, before = (pid + n - 1) % n, got = -1, big[2] = {7, 8};

    bsp_push_reg(&all, table, sizeof table);
    bsp_sync(&all);
    table[1] = 100 + pid;
    bsp_put(&all, next, &pid, table, 3 * sizeof(int), sizeof pid);
    bsp_hpput(&all, next, big, table, 6 * sizeof(int), sizeof big);
    bsp_put(&all, next, big, table, sizeof(int), sizeof(int));
    bsp_get(&all, before, table, sizeof(int), &got, sizeof got);
    bsp_send(&all, next, "beside", 7);
    assert_int_equal(table[3], 0);
    bsp_sync(&all);
    assert_int_equal(table[3], before);
    assert_int_equal(table[6], 7);
    assert_int_equal(table[7], 8);
    assert_int_equal(table[1], 7);
    assert_int_equal(got, 100 + before); /* reads come before writes */
    assert_int_equal(bsp_nmsgs(&all), 1);
    bsp_pop_reg(&all, table);
    bsp_sync(&all);
}

static void writes_count_as_messages_of_an_oblivious_superstep(void **state)
{
    int here = -1;

    bsp_push_reg(&all, &here, sizeof here);
    bsp_sync(&all);
    bsp_put(&all, (pid + 1) % n, &pid, &here, 0, sizeof here);
    bsp_oblsync(&all, 1);
    assert_int_equal(here, (pid + n - 1) % n);
    bsp_sync(&all); /* or the next one's memory would be gone before a late write */
    bsp_pop_reg(&all, &here);
    bsp_sync(&all);
}

/* Affine maps x -> ax + b under composition: associative, and the order matters. */
struct map {
    long a, b;
};

static void compose(const void *in, void *inout, size_t count)
{
    const struct map *then = in;
    struct map *first = inout;

    for (size_t i = 0; i < count; i++)
        first[i] = (struct map){then[i].a * first[i].a, then[i].a * first[i].b + then[i].b};
}

static struct map composed(int last, long salt)
{
    struct map m = {2 + salt, 1};

    for (int i = 1; i <= last; i++)
        compose(&(struct map){i + 2 + salt, i + 1}, &m, 1);
    return m;
}

static void collective_operations_keep_the_order(void **state)
{
    struct map own[2] = {{pid + 2, pid + 1}, {pid + 3, pid + 1}}, out[2] = {{0, 0}, {0, 0}};

    for (int root = 0; root < n; root++) {
        int what = pid == root ? root + 1000 : -1;

        bsp_bcast(&all, root, &what, sizeof what);
        assert_int_equal(what, root + 1000);
        memset(out, 0, sizeof out);
        bsp_reduce(&all, root, compose, own, out, sizeof *own, 2);
        for (int i = 0; i < 2; i++) {
            struct map expected = composed(n - 1, i);

            assert_int_equal(out[i].a, pid == root ? expected.a : 0);
            assert_int_equal(out[i].b, pid == root ? expected.b : 0);
        }
    }
    bsp_scan(&all, compose, own, out, sizeof *own, 2);
    for (int i = 0; i < 2; i++) {
        struct map expected = composed(pid, i);

        assert_int_equal(out[i].a, expected.a);
        assert_int_equal(out[i].b, expected.b);
    }
}

static void own_messages_of_the_program_are_not_touched(void **state)
{
    int from, got = -1;
    MPI_Status status;

    from = (pid + n - 1) % n;
    bsp_send(&all, (pid + 1) % n, &pid, sizeof pid);
    MPI_Sendrecv(&pid, 1, MPI_INT, (pid + 1) % n, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, &status);
    assert_int_equal(got, from);
    bsp_sync(&all);
    assert_int_equal(bsp_nmsgs(&all), 1);
}

/* Processor 0 goes on when its buffer was read, which 1 does without calling the library. */
static void messages_move_while_the_program_does_something_else(void **state)
{
    enum { SIZE = 3000000 };
    unsigned char *bytes = calloc(1, SIZE);
    int level, go = 1;

    MPI_Query_thread(&level);
    bsp_sync(&all);
    if (n > 1 && level == MPI_THREAD_MULTIPLE) {
        if (pid == 0) {
            bytes[SIZE - 1] = 77;
            bsp_hpsend(&all, 1, bytes, SIZE);
        } else if (pid == 1) {
            MPI_Recv(&go, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        bsp_oblsync(&all, pid == 1);
        if (pid == 0) {
            bytes[SIZE - 1] = 0;
            MPI_Send(&go, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        } else if (pid == 1) {
            assert_int_equal(((unsigned char *)bspmsg_data(bsp_getmsg(&all, 0)))[SIZE - 1], 77);
        }
    }
    free(bytes);
}

static int take(void *arg, int rank, const void *bytes, size_t size)
{
    int *next = arg, what[2];

    assert_int_equal(rank, (*next)++);
    assert_int_equal(size, sizeof what * (size_t)(rank + 1) * 1000);
    memcpy(what, bytes, sizeof what);
    assert_int_equal(what[0], rank);
    return rank == 2 ? 17 : 0;
}

static void reports_and_barriers_of_call_end_no_superstep(void **state)
{
    const struct portolan_cll_driver *d = &portolan_cll_pub;
    size_t size = 2 * sizeof(int) * (size_t)(pid + 1) * 1000;
    int *bytes = calloc(1, size), next = 0;

    bytes[0] = pid;
    bsp_sync(&all);
    bsp_send(&all, pid, "kept", 5);
    bsp_sync(&all);
    bsp_send(&all, pid, "next", 5);
    assert_string_equal(d->name, "PUB");
    assert_int_equal(d->rank(&all), pid);
    assert_int_equal(d->size(&all), n);
    d->sync(&all, NULL);
    d->sync(NULL, &all);
    assert_int_equal(d->gather(&all, bytes, size, take, &next), pid == 0 && n > 2 ? 17 : 0);
    assert_int_equal(next, pid ? 0 : n > 3 ? 3 : n);
    assert_string_equal(bspmsg_data(bsp_getmsg(&all, 0)), "kept");
    bsp_sync(&all);
    assert_string_equal(bspmsg_data(bsp_getmsg(&all, 0)), "next");
    free(bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_by_sender_and_in_order),
        cmocka_unit_test(messages_are_found_by_sender),
        cmocka_unit_test(messages_have_any_size),
        cmocka_unit_test(large_messages_go_in_pieces),
        cmocka_unit_test(created_messages_are_sent_as_they_were_filled),
        cmocka_unit_test(early_messages_wait_for_their_superstep),
        cmocka_unit_test(parts_are_machines_of_their_own),
        cmocka_unit_test(parts_may_be_any),
        cmocka_unit_test(doubles_have_supersteps_of_their_own),
        cmocka_unit_test(puts_and_gets_reach_registered_memory),
        cmocka_unit_test(writes_count_as_messages_of_an_oblivious_superstep),
        cmocka_unit_test(collective_operations_keep_the_order),
        cmocka_unit_test(own_messages_of_the_program_are_not_touched),
        cmocka_unit_test(messages_move_while_the_program_does_something_else),
        cmocka_unit_test(reports_and_barriers_of_call_end_no_superstep),
    };
    int owns_mpi = argc > 1 && !strcmp(argv[1], "mpi"), is_over, failed;

    if (owns_mpi)
        MPI_Init(&argc, &argv);
    bsplib_saveargs(&argc, &argv);
    bsplib_init(BSPLIB_STDPARAMS, &all);
    pid = bsp_pid(&all);
    n = bsp_nprocs(&all);
    failed = cmocka_run_group_tests_name("bsp", tests, NULL, NULL);
    bsp_send(&all, (pid + 1) % n, "never received", 15);
    bsplib_done();
    MPI_Finalized(&is_over);
    if (is_over == owns_mpi) /* who began MPI ends it */
        failed++;
    if (owns_mpi)
        MPI_Finalize();
    return failed;
}
