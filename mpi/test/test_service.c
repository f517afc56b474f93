/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.MPIService, run by mpiexec with any number of ranks. */
#include <mpi.h>
#include <portolan/mpi.h>
#include <unit_test.h>

static struct portolan_palette *palette;
static int rank, size;

static gov_cca_AbstractFramework open_framework(void)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = portolan_framework_abstract(palette, NULL, &ex);

    assert_null(ex);
    return fw;
}

static gov_cca_Services join(gov_cca_AbstractFramework fw, const char *name)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Services s = gov_cca_AbstractFramework_getServices(fw, name, "test.Main", NULL, &ex);

    assert_null(ex);
    gov_cca_Services_registerUsesPort(s, "mpi", "gov.cca.ports.MPIService", NULL, &ex);
    assert_null(ex);
    return s;
}

static gov_cca_ports_MPIService get(gov_cca_Services s)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port port = gov_cca_Services_getPort(s, "mpi", &ex);
    gov_cca_ports_MPIService mpi;

    assert_null(ex);
    mpi = gov_cca_ports_MPIService__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(s, "mpi", &ex);
    assert_non_null(mpi);
    return mpi;
}

static void expect_nonstandard(sidl_BaseInterface *ex, const char *text)
{
    gov_cca_CCAException e = gov_cca_CCAException__cast(*ex, NULL);
    struct portolan_error err = {0};
    sidl_BaseInterface none = NULL;

    assert_non_null(e);
    assert_int_equal(gov_cca_CCAException_getCCAExceptionType(e, &none),
                     gov_cca_CCAExceptionType_Nonstandard);
    gov_cca_CCAException_deleteRef(e, NULL);
    portolan_catch(ex, &err);
    if (!strstr(err.text, text))
        fail_msg("text: %s\nexpected: %s", err.text, text);
}

/* A message on one communicator is not seen on another, even with the same tag. */
static void expect_private(int64_t a, int64_t b)
{
    MPI_Comm first = MPI_Comm_f2c((MPI_Fint)a), second = MPI_Comm_f2c((MPI_Fint)b);
    int next = (rank + 1) % size, before = (rank + size - 1) % size, got[2], sent[2] = {1, 2};
    MPI_Request requests[4];
    MPI_Status statuses[4];

    MPI_Irecv(&got[0], 1, MPI_INT, before, 7, first, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, before, 7, second, &requests[1]);
    MPI_Isend(&sent[1], 1, MPI_INT, next, 7, second, &requests[2]);
    MPI_Isend(&sent[0], 1, MPI_INT, next, 7, first, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    assert_int_equal(got[0], 1);
    assert_int_equal(got[1], 2);
}

static void every_component_has_communicators_of_its_own(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework();
    gov_cca_ports_MPIService a, b;
    gov_cca_Services s, t;
    int32_t n = 0, me = -1;
    int64_t first, second;
    int result;

    assert_int_equal(portolan_mpi_serve(portolan_framework_peek(fw), NULL), PORTOLAN_OK);
    assert_int_equal(portolan_mpi_serve(portolan_framework_peek(fw), NULL), PORTOLAN_EEXISTS);
    a = get(s = join(fw, "a"));
    b = get(t = join(fw, "b"));
    gov_cca_ports_MPIService_getSizeRank(a, &n, &me, &ex);
    assert_int_equal(n, size);
    assert_int_equal(me, rank);
    first = gov_cca_ports_MPIService_getComm(a, &ex);
    second = gov_cca_ports_MPIService_getComm(b, &ex);
    assert_null(ex);
    assert_int_not_equal(first, second);
    MPI_Comm_compare(MPI_Comm_f2c((MPI_Fint)first), MPI_COMM_WORLD, &result);
    assert_int_equal(result, MPI_CONGRUENT);
    expect_private(first, second);
    gov_cca_ports_MPIService_releaseComm(b, first, &ex);
    expect_nonstandard(&ex, "does not come from this component's MPIService");
    gov_cca_ports_MPIService_releaseComm(a, first, &ex);
    assert_null(ex);
    gov_cca_ports_MPIService_releaseComm(a, first, &ex);
    expect_nonstandard(&ex, "or has been released");
    gov_cca_AbstractFramework_releaseServices(fw, t, &ex); /* with `second` still its own */
    assert_null(ex);
    gov_cca_ports_MPIService_getComm(b, &ex);
    expect_nonstandard(&ex, "the MPI service has ended");
    gov_cca_ports_MPIService_deleteRef(a, NULL);
    gov_cca_ports_MPIService_deleteRef(b, NULL);
    gov_cca_Services_deleteRef(s, NULL);
    gov_cca_Services_deleteRef(t, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
}

/* More than MPICH has room for, so that a leak would show. */
static void communicators_end_with_their_component(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework();

    assert_int_equal(portolan_mpi_serve(portolan_framework_peek(fw), NULL), PORTOLAN_OK);
    for (int i = 0; i < 300; i++) {
        gov_cca_Services s = join(fw, "a");
        gov_cca_ports_MPIService mpi = get(s);

        for (int k = 0; k < 10; k++) {
            gov_cca_ports_MPIService_getComm(mpi, &ex);
            assert_null(ex);
        }
        gov_cca_ports_MPIService_deleteRef(mpi, NULL);
        gov_cca_AbstractFramework_releaseServices(fw, s, &ex);
        assert_null(ex);
        gov_cca_Services_deleteRef(s, NULL);
    }
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
}

static void a_program_sets_the_service_up_on_its_own_communicator(void **state)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_AbstractFramework fw = open_framework();
    gov_cca_ports_MPISetup setup = portolan_mpi_setup_create(&ex);
    gov_cca_ports_MPIService mpi;
    gov_cca_Services s;
    int32_t n = 0, me = -1;
    MPI_Comm alone;

    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    assert_false(gov_cca_ports_MPISetup_isInitialized(setup, &ex));
    gov_cca_ports_MPISetup_finalize(setup, TRUE, &ex);
    expect_nonstandard(&ex, "not set up");
    gov_cca_ports_MPISetup_initAsService(setup, MPI_Comm_c2f(MPI_COMM_NULL), &fw, &ex);
    expect_nonstandard(&ex, "the communicator is null");
    gov_cca_ports_MPISetup_initAsService(setup, MPI_Comm_c2f(alone), &fw, &ex);
    assert_null(ex);
    assert_true(gov_cca_ports_MPISetup_isInitialized(setup, &ex));
    gov_cca_ports_MPISetup_initAsService(setup, MPI_Comm_c2f(alone), &fw, &ex);
    expect_nonstandard(&ex, "was set up already");
    mpi = get(s = join(fw, "a"));
    gov_cca_ports_MPIService_getSizeRank(mpi, &n, &me, &ex);
    assert_int_equal(n, 1);
    assert_int_equal(me, 0);
    gov_cca_ports_MPIService_getComm(mpi, &ex);
    assert_null(ex);
    gov_cca_ports_MPISetup_finalize(setup, TRUE, &ex);
    assert_null(ex);
    assert_false(gov_cca_ports_MPISetup_isInitialized(setup, &ex));
    assert_null(gov_cca_Services_getPortNonblocking(s, "mpi", &ex));
    gov_cca_ports_MPIService_deleteRef(mpi, NULL);
    gov_cca_Services_deleteRef(s, NULL);
    gov_cca_ports_MPISetup_deleteRef(setup, NULL);
    gov_cca_AbstractFramework_deleteRef(fw, NULL);
    MPI_Comm_free(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_component_has_communicators_of_its_own),
        cmocka_unit_test(communicators_end_with_their_component),
        cmocka_unit_test(a_program_sets_the_service_up_on_its_own_communicator),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) != PORTOLAN_OK ||
        portolan_palette_create(&palette, &err) != PORTOLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    portolan_palette_destroy(palette);
    portolan_mpi_finalize();
    return failed;
}
