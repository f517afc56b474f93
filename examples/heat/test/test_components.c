/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-ins inside a framework: one conformance test per port type against every
 * implementation.
 */
#include "check.h"
#include "gov_cca_ports.h"
#include "heat.h"
#include "heat_matrix_data.h"
#include "run_assembly.h"

/* -- a component that lends its ports to a test ------------------------------------------------ */

struct lender {
    struct sidl_object object;
    gov_cca_Services services;
};

static void (*test_body)(gov_cca_Services services);

static void lender_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static const char *const uses[][2] = {{"assembler", "heat.Assembler"},
                                          {"solver", "heat.LinearSolver"},
                                          {"preconditioner", "heat.Preconditioner"}};
    struct lender *l = self;

    l->services = services;
    for (int i = 0; i < 3; i++)
        gov_cca_Services_registerUsesPort(services, uses[i][0], uses[i][1], NULL, _ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "gov.cca.Port"), "go",
                                     "gov.cca.ports.GoPort", NULL, _ex);
}

static int32_t lender_go(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    test_body(((struct lender *)self)->services);
    return 0;
}

static const struct gov_cca_Component__epv lender_component = {.f_setServices =
                                                                   lender_set_services};
static const struct gov_cca_ports_GoPort__epv lender_go_port = {.f_go = lender_go};
static const struct sidl_implements lender_implements[] = {
    {&gov_cca_Component__type, &lender_component}, {&gov_cca_ports_GoPort__type, &lender_go_port}};
static const struct sidl_class lender_class = {.name = "test.Lender",
                                               .version = "1.0",
                                               .size = sizeof(struct lender),
                                               .implements = lender_implements,
                                               .n_implements = 2};

static gov_cca_Component lender_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&lender_class, _ex), "gov.cca.Component");
}

static const struct portolan_component lender_descriptor = {
    sizeof lender_descriptor, PORTOLAN_COMPONENT_ABI, "test.Lender", lender_create, NULL};
static const char lender_description[] =
    "<component class='test.Lender'>"
    "<provides port='go' type='gov.cca.ports.GoPort'/>"
    "<uses port='assembler' type='heat.Assembler' optional='true'/>"
    "<uses port='solver' type='heat.LinearSolver' optional='true'/>"
    "<uses port='preconditioner' type='heat.Preconditioner' optional='true'/>"
    "</component>";

/* -- conformance ------------------------------------------------------------------------------- */

static const char *const assemblers[] = {"heat.CscAssembler", "heat.BandAssembler",
                                         "heat.StencilAssembler"};
static const char *const preconditioners[] = {"heat.Jacobi", "heat.IncompleteCholesky"};
static const char *const solvers[] = {"heat.BandedCholesky", "heat.Cholmod", "heat.Umfpack",
                                      "heat.ConjugateGradients"};

/* A lender with every port connected to an implementation. */
static enum portolan_status lend(int assembler, int solver, int preconditioner,
                                 void (*body)(gov_cca_Services), struct portolan_error *err)
{
    enum portolan_status status;
    char *text = portolan_asprintf(
        "<instance name='lender' class='test.Lender'/>"
        "<instance name='a' class='%s'/><instance name='s' class='%s'/>"
        "<instance name='p' class='%s'/>"
        "<connect user='lender' uses='assembler' provider='a' provides='assembler'/>"
        "<connect user='lender' uses='solver' provider='s' provides='solver'/>"
        "<connect user='lender' uses='preconditioner' provider='p' provides='preconditioner'/>"
        "%s<go instance='lender' port='go'/>",
        assemblers[assembler], solvers[solver], preconditioners[preconditioner],
        strcmp(solvers[solver], "heat.ConjugateGradients")
            ? ""
            : "<connect user='s' uses='preconditioner' provider='p' provides='preconditioner'/>");

    assert_non_null(text);
    test_body = body;
    status = run_assembly(text, &lender_descriptor, lender_description, err);
    free(text);
    return status;
}

enum { NX = 6, NY = 5, N = NX * NY, NODES = (NX + 2) * (NY + 2) };

static void *borrow(gov_cca_Services services, const char *port, const char *type)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Port got = gov_cca_Services_getPort(services, port, &ex);
    void *cast = sidl_reference_cast(got, type, &ex);

    assert_null(ex);
    assert_non_null(cast);
    gov_cca_Port_deleteRef(got, &ex);
    return cast;
}

static void give_back(gov_cca_Services services, const char *port, void *reference)
{
    sidl_BaseInterface ex = NULL;

    sidl_reference_delete(reference, &ex);
    gov_cca_Services_releasePort(services, port, &ex);
    assert_null(ex);
}

/* The exception is of the declared class and says TEXT; it is cleared. */
static void assert_thrown(sidl_BaseInterface *ex, const char *text)
{
    struct portolan_error err = {0};

    assert_non_null(*ex);
    assert_true(SIDL_CATCH(*ex, "heat.SolverException"));
    assert_true(SIDL_CATCH(*ex, "sidl.SIDLException"));
    portolan_catch(ex, &err);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
}

static heat_Matrix assemble(heat_Assembler a, double first, sidl_BaseInterface *ex)
{
    double k[NODES];

    for (int i = 0; i < NODES; i++)
        k[i] = 1.0 + 0.2 * sin(i);
    k[NX + 2 + 2] = first; /* at the box's second point */
    return heat_Assembler_assemble(a, k, NODES, 2, NX, NY, 1, 3.0, N, ex);
}

static void assembler_body(gov_cca_Services services)
{
    heat_Assembler a = borrow(services, "assembler", "heat.Assembler");
    sidl_BaseInterface ex = NULL;
    double k[NODES] = {0}, x[N], y[N];
    heat_Matrix m = assemble(a, 1.0, &ex);
    const struct heat_matrix *data;

    assert_null(ex);
    assert_int_equal(heat_Matrix_getOrder(m, &ex), N);
    data = heat_Matrix_getData(m, &ex);
    assert_int_equal(heat_Matrix_getLayout(m, &ex), data->layout);
    assert_int_equal(data->order, N);
    /* Every row sums up to 1 and what the boundary takes, so at least to 1. */
    for (int i = 0; i < N; i++)
        x[i] = 1.0;
    heat_matrix_multiply(data, x, y);
    for (int i = 0; i < N; i++)
        assert_true(y[i] > 1.0 - 1e-12);
    heat_Matrix_deleteRef(m, &ex);
    m = heat_Assembler_assemble(a, k, NODES, 2, NX, NY, 1, 3.0, N - 1, &ex);
    assert_thrown(&ex, "does not have 29 unknowns");
    m = heat_Assembler_assemble(a, k, NODES - 1, 2, NX, NY, 1, 3.0, N, &ex);
    assert_thrown(&ex, "55 conductivities");
    m = heat_Assembler_assemble(a, k, NODES, 4, NX, NY, 1, 3.0, N, &ex);
    assert_thrown(&ex, "dimension 4");
    m = heat_Assembler_assemble(a, k, 0, 2, 0, 0, 1, 3.0, 0, &ex);
    assert_thrown(&ex, "no unknowns");
    give_back(services, "assembler", a);
}

static void every_assembler_keeps_the_contract_of_its_port(void **state)
{
    for (int a = 0; a < 3; a++)
        assert_int_equal(lend(a, 0, 0, assembler_body, NULL), PORTOLAN_OK);
}

static void assert_solves(heat_LinearSolver s, heat_Assembler a)
{
    sidl_BaseInterface ex = NULL;
    heat_Matrix m = assemble(a, 1.0, &ex);
    const struct heat_matrix *data = heat_Matrix_getData(m, &ex);
    double b[N], x[N] = {0}, work[N], residual;

    for (int i = 0; i < N; i++)
        b[i] = cos(i);
    heat_LinearSolver_setup(s, m, N, &ex);
    assert_null(ex);
    residual = heat_LinearSolver_solve(s, b, x, N, &ex);
    assert_null(ex);
    assert_true(residual >= 0.0 && residual <= 1.001e-7); /* the CG component's default */
    assert_near(residual, heat_matrix_residual(data, b, x, work), 1e-15);
    heat_Matrix_deleteRef(m, &ex);
}

static void solver_body(gov_cca_Services services)
{
    heat_Assembler a = borrow(services, "assembler", "heat.Assembler");
    heat_LinearSolver s = borrow(services, "solver", "heat.LinearSolver");
    sidl_BaseInterface ex = NULL;
    double b[N] = {0}, x[N] = {0};
    heat_Matrix m;

    heat_LinearSolver_solve(s, b, x, N, &ex);
    assert_thrown(&ex, "30 values for a matrix of order 0");
    assert_solves(s, a);
    heat_LinearSolver_solve(s, b, x, N - 1, &ex);
    assert_thrown(&ex, "29 values for a matrix of order 30");
    heat_LinearSolver_setup(s, NULL, N, &ex);
    assert_thrown(&ex, "no matrix");
    m = assemble(a, NAN, &ex);
    heat_LinearSolver_setup(s, m, N, &ex);
    assert_thrown(&ex, "nan");
    heat_Matrix_deleteRef(m, &ex);
    m = assemble(a, -50.0, &ex); /* not positive definite, which LU does not mind */
    heat_LinearSolver_setup(s, m, N - 1, &ex);
    assert_thrown(&ex, "of order 30, not 29");
    heat_Matrix_deleteRef(m, &ex);
    assert_solves(s, a);
    give_back(services, "solver", s);
    give_back(services, "assembler", a);
}

static void every_solver_keeps_the_contract_of_its_port(void **state)
{
    for (int s = 0; s < 4; s++)
        for (int a = 0; a < 3; a++)
            for (int p = 0; p < (s == 3 ? 2 : 1); p++)
                assert_int_equal(lend(a, s, p, solver_body, NULL), PORTOLAN_OK);
}

static void preconditioner_body(gov_cca_Services services)
{
    heat_Assembler a = borrow(services, "assembler", "heat.Assembler");
    heat_Preconditioner p = borrow(services, "preconditioner", "heat.Preconditioner");
    sidl_BaseInterface ex = NULL;
    double r[N], z[N] = {0}, rz = 0.0;
    heat_Matrix m = assemble(a, 1.0, &ex);

    for (int i = 0; i < N; i++)
        r[i] = cos(i);
    heat_Preconditioner_apply(p, r, z, N, &ex);
    assert_thrown(&ex, "30 values for a matrix of order 0");
    heat_Preconditioner_setup(p, m, N, &ex);
    assert_null(ex);
    heat_Preconditioner_apply(p, r, z, N, &ex);
    assert_null(ex);
    for (int i = 0; i < N; i++)
        rz += r[i] * z[i];
    assert_true(rz > 0.0);
    heat_Preconditioner_setup(p, NULL, N, &ex);
    assert_thrown(&ex, "no matrix");
    heat_Preconditioner_setup(p, m, N + 1, &ex);
    assert_thrown(&ex, "of order 30, not 31");
    heat_Matrix_deleteRef(m, &ex);
    m = assemble(a, NAN, &ex);
    heat_Preconditioner_setup(p, m, N, &ex);
    assert_thrown(&ex, "nan");
    heat_Matrix_deleteRef(m, &ex);
    give_back(services, "preconditioner", p);
    give_back(services, "assembler", a);
}

static void every_preconditioner_keeps_the_contract_of_its_port(void **state)
{
    for (int p = 0; p < 2; p++)
        for (int a = 0; a < 3; a++)
            assert_int_equal(lend(a, 0, p, preconditioner_body, NULL), PORTOLAN_OK);
}

static void parameters_out_of_range_are_refused_when_the_component_is_made(void **state)
{
    static const struct {
        const char *cls, *parameter, *says;
    } bad[] = {
        {"heat.Cholmod", "<parameter name='method' type='string' value='multifrontal'/>",
         "wanted auto, simplicial or supernodal"},
        {"heat.ConjugateGradients", "<parameter name='tolerance' type='double' value='2'/>",
         "wanted 0 < tolerance < 1"},
        {"heat.ConjugateGradients", "<parameter name='maxIterations' type='int' value='0'/>",
         "at least 1 iteration"},
    };

    test_body = solver_body;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct portolan_error err = {0};
        char *text = portolan_asprintf(
            "<instance name='lender' class='test.Lender'/><instance name='j' class='heat.Jacobi'/>"
            "<instance name='s' class='%s'>%s</instance>%s"
            "<connect user='lender' uses='solver' provider='s' provides='solver'/>"
            "<go instance='lender' port='go'/>",
            bad[i].cls, bad[i].parameter,
            i ? "<connect user='s' uses='preconditioner' provider='j' provides='preconditioner'/>"
              : "");

        assert_non_null(text);
        assert_int_not_equal(run_assembly(text, &lender_descriptor, lender_description, &err),
                             PORTOLAN_OK);
        if (!strstr(err.text, bad[i].says) || !strstr(err.text, bad[i].cls))
            fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i].says);
        free(text);
    }
}

HEAT_TESTS(cmocka_unit_test(every_assembler_keeps_the_contract_of_its_port),
           cmocka_unit_test(every_solver_keeps_the_contract_of_its_port),
           cmocka_unit_test(every_preconditioner_keeps_the_contract_of_its_port),
           cmocka_unit_test(parameters_out_of_range_are_refused_when_the_component_is_made))
