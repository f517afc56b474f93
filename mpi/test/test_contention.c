/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank yields where others poll; where all meet, they come to do alike. */
#include <unit_test.h>

#include "internal.h"

static struct portolan_cohort *cohort;

/* Whatever the machine was like when MPI began: only LAST_YIELDS, on the last rank. */
static void begin(bool last_yields)
{
    mpi_yields = false;
    mpi_yields_here = last_yields && cohort->rank == cohort->size - 1;
    mpi_long_wait = UINT64_MAX;
}

static void a_rank_that_waits_for_a_core_is_contended(void **state)
{
    begin(false);
    assert_false(mpi_is_contended(0, 0));
    assert_false(mpi_is_contended(95, 5));
    assert_true(mpi_is_contended(80, 20));
    mpi_yields_here = true; /* and so it stays until the others are gone */
    assert_true(mpi_is_contended(95, 5));
    assert_false(mpi_is_contended(99, 1));
}

static void it_looks_after_long_waits_only(void **state)
{
    begin(false);
    mpi_yields_here = true;
    mpi_waited(1u << 30);
    assert_true(mpi_yields_here);
    mpi_look_for_contention(); /* since the thread began */
    mpi_yields_here = true;
    mpi_long_wait = 1000;
    mpi_waited(1000);
    assert_true(mpi_yields_here);
}

static void exchange_messages(void)
{
    int next = (cohort->rank + 1) % cohort->size;
    int before = (cohort->rank + cohort->size - 1) % cohort->size, in[2] = {-1, -1};
    MPI_Request r[2];

    MPI_Sendrecv(&cohort->rank, 1, MPI_INT, next, 1, &in[0], 1, MPI_INT, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    assert_int_equal(in[0], before);
    if (cohort->rank % 2)
        MPI_Send(&cohort->rank, 1, MPI_INT, cohort->rank - 1, 2, MPI_COMM_WORLD);
    else if (cohort->rank + 1 < cohort->size)
        MPI_Recv(&in[1], 1, MPI_INT, cohort->rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&in[0], 1, MPI_INT, before, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&next, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    assert_int_equal(in[0], cohort->rank);
}

static void sum_up(void)
{
    int one = 1, sum = 0;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(sum, cohort->size);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void a_rank_that_yields_alone_matches_the_others(void **state)
{
    begin(true);
    for (int i = 0; i < 100; i++) {
        exchange_messages();
        sum_up();
    }
    assert_false(portolan_mpi_yields());
}

static void all_yield_after_they_have_met(void **state)
{
    double values[20];

    for (size_t n = 1; n <= 20; n += 19) {
        bool has_room = n < 16; /* for the opinion beside the values */

        begin(true);
        for (size_t i = 0; i < n; i++)
            values[i] = cohort->rank + (double)i;
        assert_int_equal(cohort->max(cohort, values, n), PORTOLAN_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(values[i] == cohort->size - 1 + (double)i);
        assert_int_equal(portolan_mpi_yields(), has_room);
        sum_up();
        exchange_messages();
    }
    assert_non_null(strstr(portolan_mpi_describe_waits(), "other processes use the cores"));
}

static void they_go_on_polling_where_nobody_waits(void **state)
{
    double value = 1;

    begin(false);
    assert_int_equal(cohort->max(cohort, &value, 1), PORTOLAN_OK);
    assert_false(portolan_mpi_yields());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_waits_for_a_core_is_contended),
        cmocka_unit_test(it_looks_after_long_waits_only),
        cmocka_unit_test(a_rank_that_yields_alone_matches_the_others),
        cmocka_unit_test(all_yield_after_they_have_met),
        cmocka_unit_test(they_go_on_polling_where_nobody_waits),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) != PORTOLAN_OK ||
        portolan_mpi_cohort_create(&cohort, &err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    failed = cmocka_run_group_tests_name("contention", tests, NULL, NULL);
    portolan_mpi_cohort_destroy(cohort);
    portolan_mpi_finalize();
    return failed;
}
