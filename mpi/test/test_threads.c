/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: what threads receive, also for each other, is noted exactly. */
#include <mpi.h>
#include <portolan/mpi.h>
#include <portolan/probe.h>
#include <pthread.h>
#include <unit_test.h>

#define THREADS 4
#define ROUNDS  60
#define EACH    3 /* requests that a thread posts for another one */

static int rank, size, next, before;
static pthread_barrier_t turn;
static MPI_Comm comms[THREADS];

static struct post {
    MPI_Request requests[EACH + 1]; /* the last is a send */
    char in[EACH][16];
} posts[THREADS];

static int bytes_of(int thread, int round, int k)
{
    return (thread * 5 + round * 3 + k) % 16;
}

static void complete(struct post *p, int round)
{
    int n = EACH + 1, at[EACH + 1], done;

    switch (round % 4) {
    case 0:
        MPI_Waitall(n, p->requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = n - 1; i >= 0; i--)
            MPI_Wait(&p->requests[i], MPI_STATUS_IGNORE);
        break;
    case 2:
        for (int i = 0; i < n; i += done)
            MPI_Waitsome(n, p->requests, &done, at, MPI_STATUSES_IGNORE);
        break;
    default:
        for (int i = 0; i < n; i++)
            for (done = 0; !done;)
                MPI_Test(&p->requests[i], &done, MPI_STATUS_IGNORE);
    }
}

/* Posts what the next thread completes; gives up its communicator now and then. */
static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg, other = (thread + 1) % THREADS;
    struct post *p = &posts[thread];
    static const char out[16];

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm = comms[thread];

        for (int k = 0; k < EACH; k++)
            MPI_Irecv(p->in[k], 16, MPI_CHAR, k == 0 ? before : MPI_ANY_SOURCE, k, comm,
                      &p->requests[k]);
        MPI_Isend(out, bytes_of(thread, round, 0), MPI_CHAR, next, 0, comm, &p->requests[EACH]);
        for (int k = 1; k < EACH; k++)
            MPI_Send(out, bytes_of(thread, round, k), MPI_CHAR, next, k, comm);
        pthread_barrier_wait(&turn);
        complete(&posts[other], round);
        pthread_barrier_wait(&turn);
        if (round % 10 == thread) {
            MPI_Comm_free(&comms[thread]);
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[thread]);
        }
    }
    return NULL;
}

static void threads_receive_for_each_other(void **state)
{
    pthread_t threads[THREADS];
    struct portolan_probe_traffic *rows;
    uint64_t calls = 0, bytes = 0, expected = 0;
    size_t n;

    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    assert_int_equal(pthread_barrier_init(&turn, NULL, THREADS), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    pthread_barrier_destroy(&turn);
    for (int t = 0; t < THREADS; t++) {
        MPI_Comm_free(&comms[t]);
        for (int round = 0; round < ROUNDS; round++)
            for (int k = 0; k < EACH; k++)
                expected += (uint64_t)bytes_of(t, round, k);
    }
    assert_int_equal(portolan_probe_traffic_take(&rows, &n), PORTOLAN_OK);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].routine, "MPI_Irecv") != 0)
            continue;
        if (rows[i].partner == before) {
            calls = rows[i].calls;
            bytes = rows[i].bytes;
        } else {
            assert_int_equal(rows[i].calls, 0);
            assert_int_equal(rows[i].bytes, 0);
        }
    }
    free(rows);
    assert_int_equal(calls, THREADS * ROUNDS * EACH);
    assert_int_equal(bytes, expected);
    assert_int_equal(portolan_mpi_receives_unknown(), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_receive_for_each_other)};
    int provided, failed;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    failed = provided == MPI_THREAD_MULTIPLE
                 ? cmocka_run_group_tests_name("threads", tests, NULL, NULL)
                 : 77;
    MPI_Finalize();
    return failed;
}
