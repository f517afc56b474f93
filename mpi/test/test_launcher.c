/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/mpi.h>
#include <unit_test.h>

static int no_launcher(void **state)
{
    static const char *const known[] = {"PMI_FD",
                                        "PMI_PORT",
                                        "PMI_RANK",
                                        "PMI_ID",
                                        "OMPI_COMM_WORLD_RANK",
                                        "PMI_SIZE",
                                        "PMIX_RANK",
                                        "MPIRUN_RANK",
                                        "MPT_RANK",
                                        "MPT_SIZE",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "MPIRUN_NPROCS"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        unsetenv(known[i]);
    return 0;
}

static void no_launcher_is_one_rank(void **state)
{
    assert_int_equal(portolan_mpi_check_launcher(NULL), PORTOLAN_OK);
}

static bool is_mpich(void)
{
    return strcmp(PORTOLAN_MPI, "mpich") == 0;
}

static void start_by(const char *mpi)
{
    setenv(strcmp(mpi, "mpich") == 0 ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK", "1", 1);
    setenv(strcmp(mpi, "mpich") == 0 ? "PMI_SIZE" : "OMPI_COMM_WORLD_SIZE", "3", 1);
}

static void our_own_is_good_whatever_else_is_set(void **state)
{
    start_by("mpich");
    start_by("openmpi");
    assert_int_equal(portolan_mpi_check_launcher(NULL), PORTOLAN_OK);
}

static void another_mpi_is_refused_with_the_line_to_type(void **state)
{
    struct portolan_error err = {0};

    start_by(is_mpich() ? "openmpi" : "mpich");
    assert_int_equal(portolan_mpi_check_launcher(&err), PORTOLAN_EFOREIGN);
    assert_non_null(strstr(err.text, is_mpich() ? "Open MPI's" : "MPICH's"));
    assert_non_null(strstr(err.text, "mpiexec." PORTOLAN_MPI " -n 3"));
    assert_false(portolan_mpi_is_running());
}

/* Open MPI speaks PMIx itself; MVAPICH is neither. */
static void launchers_of_neither_are_refused(void **state)
{
    struct portolan_error err = {0};

    setenv(is_mpich() ? "PMIX_RANK" : "MPIRUN_RANK", "0", 1);
    assert_int_equal(portolan_mpi_check_launcher(&err), PORTOLAN_EFOREIGN);
    assert_non_null(strstr(err.text, "mpiexec." PORTOLAN_MPI " -n N"));
}

static void refused_launcher_keeps_mpi_from_starting(void **state)
{
    struct portolan_error err = {0};

    start_by(is_mpich() ? "openmpi" : "mpich");
    assert_int_equal(portolan_mpi_init(&err), PORTOLAN_EFOREIGN);
    assert_false(portolan_mpi_is_running());
}

static void no_cohort_without_mpi(void **state)
{
    struct portolan_cohort *cohort = (struct portolan_cohort *)&cohort;

    assert_int_equal(portolan_mpi_cohort_create(&cohort, NULL), PORTOLAN_EINVAL);
    assert_null(cohort);
    portolan_mpi_cohort_destroy(NULL);
}

UNIT_TESTS(cmocka_unit_test_setup(no_launcher_is_one_rank, no_launcher),
           cmocka_unit_test_setup(our_own_is_good_whatever_else_is_set, no_launcher),
           cmocka_unit_test_setup(another_mpi_is_refused_with_the_line_to_type, no_launcher),
           cmocka_unit_test_setup(launchers_of_neither_are_refused, no_launcher),
           cmocka_unit_test_setup(refused_launcher_keeps_mpi_from_starting, no_launcher),
           cmocka_unit_test_setup(no_cohort_without_mpi, no_launcher))
