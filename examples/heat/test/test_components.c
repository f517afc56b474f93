/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-ins inside a framework: one conformance test per port type against every
 * implementation, and the driver with good and with failing parts. Run on 1 and on 2 ranks; every
 * rank has a framework of its own.
 */
#include <portolan/framework.h>

#include <mpi.h>
#include <unistd.h>

#include "check.h"
#include "gov_cca_ports.h"
#include "heat.h"
#include "heat_matrix_data.h"
#include "portolan_ports.h"

static int rank, size;

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

/* -- a solver and a swap point that fail as they are told ---------------------------------------
 */

static struct {
    int fail_rank;       /* -1: nobody */
    int fail_calls;      /* this many solves fail */
    int32_t reached[20]; /* what the swap point heard */
    int n_reached, n_failed, failed_step;
    double announced;
    bool repeat;      /* what failed() answers */
    int fail_reached; /* reached(this) throws on fail_rank; -1: never */
} play;

static void broken_setup(void *self, heat_Matrix a, int32_t n, sidl_BaseInterface *_ex)
{
    (void)self, (void)a, (void)n, (void)_ex;
}

/* With the identity as the "solution" the outer iteration converges for small time steps. */
static double broken_solve(void *self, struct sidl_double__array *b, struct sidl_double__array *x,
                           sidl_BaseInterface *_ex)
{
    (void)self;
    if (play.fail_rank == rank && play.fail_calls > 0) {
        play.fail_calls--;
        SIDL_THROW(*_ex, heat_SolverException, "broken on purpose");
    }
    memcpy(x->d_firstElement, b->d_firstElement, (size_t)sidlLength(b, 0) * sizeof(double));
EXIT:
    return 0.5;
}

static void swap_reached(void *self, int32_t step, sidl_BaseInterface *_ex)
{
    (void)self;
    play.reached[play.n_reached++] = step;
    if (play.fail_reached == step && play.fail_rank == rank)
        SIDL_THROW(*_ex, sidl_SIDLException, "the store is full");
EXIT:;
}

static void swap_announce(void *self, const char *name, double value, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    assert_string_equal(name, "n");
    play.announced = value;
}

static sidl_bool swap_failed(void *self, int32_t step, const char *why, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    assert_non_null(strstr(why, "broken on purpose"));
    play.n_failed++;
    play.failed_step = step;
    return play.repeat;
}

static void actor_set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "heat.LinearSolver"),
                                     "solver", "heat.LinearSolver", NULL, _ex);
    gov_cca_Services_addProvidesPort(services, sidl_object_facet(self, "portolan.ports.SwapPoint"),
                                     "swappoint", "portolan.ports.SwapPoint", NULL, _ex);
}

static const struct gov_cca_Component__epv actor_component = {.f_setServices = actor_set_services};
static const struct heat_LinearSolver__epv actor_solver = {.f_setup = broken_setup,
                                                           .f_solve = broken_solve};
static const struct portolan_ports_SwapPoint__epv actor_swap = {
    .f_reached = swap_reached, .f_announce = swap_announce, .f_failed = swap_failed};
static const struct sidl_implements actor_implements[] = {
    {&gov_cca_Component__type, &actor_component},
    {&heat_LinearSolver__type, &actor_solver},
    {&portolan_ports_SwapPoint__type, &actor_swap},
};
static const struct sidl_class actor_class = {.name = "test.Actor",
                                              .version = "1.0",
                                              .size = sizeof(struct sidl_object),
                                              .implements = actor_implements,
                                              .n_implements = 3};

static gov_cca_Component actor_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(sidl_object_create(&actor_class, _ex), "gov.cca.Component");
}

static const struct portolan_component actor_descriptor = {
    sizeof actor_descriptor, PORTOLAN_COMPONENT_ABI, "test.Actor", actor_create, NULL};
static const char actor_description[] =
    "<component class='test.Actor'>"
    "<provides port='solver' type='heat.LinearSolver'/>"
    "<provides port='swappoint' type='portolan.ports.SwapPoint'/>"
    "</component>";

/* -- running an assembly ------------------------------------------------------------------------
 */

static char folder[] = "/tmp/heat-components-XXXXXX";

static void write_file(const char *name, const char *text, char *path, size_t room)
{
    FILE *stream;

    snprintf(path, room, "%s/%s", folder, name);
    stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static void print_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    print_error("%s:%d:%d: %s\n", file, line, column, text);
}

static enum portolan_status build_and_go(const struct portolan_palette *palette,
                                         const char *assembly_path, struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_problem};
    struct portolan_assembly *assembly = NULL;
    struct portolan_framework *fw = NULL;
    enum portolan_status status;
    int result = -9;

    assert_int_equal(portolan_assembly_read(assembly_path, &d, &assembly, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_assembly_check(assembly, palette, &d), PORTOLAN_OK);
    assert_int_equal(portolan_framework_create(palette, NULL, &fw, NULL), PORTOLAN_OK);
    status = portolan_framework_build(fw, assembly, err);
    if (!status)
        status = portolan_framework_go(fw, &result, err);
    if (!status)
        assert_int_equal(result, 0);
    portolan_framework_destroy(fw);
    portolan_assembly_destroy(assembly);
    return status;
}

/* BODY is what stands inside <assembly>. */
static enum portolan_status run(const char *body, struct portolan_error *err)
{
    struct portolan_diagnostics d = {.report = print_problem};
    struct portolan_palette *palette = NULL;
    enum portolan_status status;
    char path[200], name[40],
        *text = portolan_asprintf("<assembly name='test'>%s</assembly>", body);

    assert_non_null(text);
    snprintf(name, sizeof name, "assembly-%d.xml", rank);
    write_file(name, text, path, sizeof path);
    free(text);
    assert_int_equal(portolan_palette_create(&palette, NULL), PORTOLAN_OK);
    assert_int_equal(
        portolan_palette_add_builtin(palette, &lender_descriptor, lender_description, NULL),
        PORTOLAN_OK);
    assert_int_equal(
        portolan_palette_add_builtin(palette, &actor_descriptor, actor_description, NULL),
        PORTOLAN_OK);
    assert_int_equal(portolan_palette_add_path(palette, HEAT_COMPONENTS, &d, NULL), PORTOLAN_OK);
    status = build_and_go(palette, path, err);
    portolan_palette_destroy(palette);
    unlink(path);
    return status;
}

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
    status = run(text, err);
    free(text);
    return status;
}

/* -- conformance ----------------------------------------------------------------------------------
 */

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
    (void)state;
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
    (void)state;
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
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int a = 0; a < 3; a++)
            assert_int_equal(lend(a, 0, p, preconditioner_body, NULL), PORTOLAN_OK);
}

/* -- parameters
 * ------------------------------------------------------------------------------------ */

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

    (void)state;
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
        assert_int_not_equal(run(text, &err), PORTOLAN_OK);
        if (!strstr(err.text, bad[i].says) || !strstr(err.text, bad[i].cls))
            fail_msg("\"%s\" does not say \"%s\"", err.text, bad[i].says);
        free(text);
    }
}

/* -- the driver
 * ------------------------------------------------------------------------------------ */

static char log_text[4000];

static void keep_log(void *arg, enum portolan_log_level level, const char *area, const char *text)
{
    size_t used = strlen(log_text);

    (void)arg;
    if (level >= PORTOLAN_LOG_NOTICE && !strcmp(area, "heat"))
        snprintf(log_text + used, sizeof log_text - used, "%s\n", text);
}

#define SMALL "dimension = 2\ngrid = 12\nsteps = 3\ndt = 1e-4\nk1 = 0.5\n"

/* The driver with PARAMETERS beside its input file, whose text is INPUT. */
static enum portolan_status drive(const char *input, const char *parameters, const char *assembler,
                                  const char *solver, bool with_swap, struct portolan_error *err)
{
    char path[200], name[40], *text;
    enum portolan_status status;

    snprintf(name, sizeof name, "test-%d.inp", rank);
    write_file(name, input, path, sizeof path);
    text = portolan_asprintf(
        "<instance name='driver' class='heat.Driver'>"
        "<parameter name='input' type='string' value='%s'/>%s</instance>"
        "<instance name='a' class='%s'/><instance name='s' class='%s'/>"
        "<instance name='actor' class='test.Actor'/>"
        "<connect user='driver' uses='assembler' provider='a' provides='assembler'/>"
        "<connect user='driver' uses='solver' provider='s' provides='solver'/>%s"
        "<go instance='driver' port='go'/>",
        name, parameters, assembler, solver,
        with_swap ? "<connect user='driver' uses='swap' provider='actor' provides='swappoint'/>"
                  : "");
    assert_non_null(text);
    *log_text = '\0';
    portolan_log_set_handler(keep_log, NULL);
    status = run(text, err);
    portolan_log_set_handler(NULL, NULL);
    free(text);
    unlink(path);
    return status;
}

static void reset_play(void)
{
    memset(&play, 0, sizeof play);
    play.fail_rank = play.fail_reached = -1;
}

static void the_driver_reports_its_steps_and_the_error_on_rank_0(void **state)
{
    (void)state;
    assert_int_equal(drive(SMALL, "", "heat.CscAssembler", "heat.Cholmod", false, NULL),
                     PORTOLAN_OK);
    if (rank != 0) {
        assert_string_equal(log_text, "");
        return;
    }
    assert_non_null(strstr(log_text, "step 1 of 3, t = 0.0001: "));
    assert_non_null(strstr(log_text, "step 3 of 3, t = 0.0003: "));
    assert_non_null(strstr(log_text, "3 steps done, t = 0.0003: at most "));
}

static void parameters_override_the_input_file(void **state)
{
    (void)state;
    reset_play();
    assert_int_equal(drive(SMALL,
                           "<parameter name='n' type='int' value='14'/>"
                           "<parameter name='steps' type='int' value='2'/>"
                           "<parameter name='report' type='int' value='0'/>",
                           "heat.CscAssembler", "heat.BandedCholesky", true, NULL),
                     PORTOLAN_OK);
    assert_null(strstr(log_text, "step 1 of"));
    if (rank == 0)
        assert_non_null(strstr(log_text, "2 steps done"));
    assert_int_equal(play.n_reached, 3);
    /* 14 x 14 points on one rank; 7 layers and 2 more on each of two */
    assert_true(play.announced == (size == 1 ? 14 * 14 : 14 * 9));
}

static void the_swap_point_hears_of_every_step(void **state)
{
    (void)state;
    reset_play();
    assert_int_equal(drive(SMALL, "", "heat.StencilAssembler", "heat.Umfpack", true, NULL),
                     PORTOLAN_OK);
    assert_int_equal(play.n_reached, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(play.reached[i], i);
    assert_int_equal(play.n_failed, 0);
}

static void mistakes_in_the_input_file_are_told_with_their_line(void **state)
{
    struct portolan_error err = {0};

    (void)state;
    assert_int_equal(drive("dimension = 2\ngrid = x\nsteps = 3\ndt = 1\n", "", "heat.CscAssembler",
                           "heat.Cholmod", false, &err),
                     PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, "test-0.inp:2: grid = \"x\", wanted a whole number"));
    err = (struct portolan_error){0};
    assert_int_equal(drive(SMALL, "<parameter name='n' type='int' value='-4'/>",
                           "heat.CscAssembler", "heat.Cholmod", false, &err),
                     PORTOLAN_EBADPROPERTIES);
    assert_non_null(strstr(err.text, "n = -4"));
}

/* CCA exceptions know fewer kinds than there are statuses, so the text is what counts. */
static void a_failing_solver_ends_the_run_on_all_ranks_with_place_and_cause(void **state)
{
    (void)state;
    for (int failing = 0; failing < size; failing++)
        for (int with_swap = 0; with_swap < 2; with_swap++) {
            struct portolan_error err = {0};
            char says[80];

            reset_play();
            play.fail_rank = failing;
            play.fail_calls = 1;
            assert_int_not_equal(
                drive(SMALL, "", "heat.CscAssembler", "test.Actor", with_swap, &err), PORTOLAN_OK);
            if (size > 1)
                snprintf(says, sizeof says, "step 1: rank %d: solver.solve: broken on purpose",
                         failing);
            else
                snprintf(says, sizeof says, "step 1: solver.solve: broken on purpose");
            if (!strstr(err.text, says))
                fail_msg("\"%s\" does not say \"%s\"", err.text, says);
            assert_int_equal(play.n_failed, with_swap);
            assert_int_equal(play.n_reached, with_swap);
        }
}

static void a_step_is_repeated_when_a_swap_was_undone(void **state)
{
    (void)state;
    reset_play();
    play.fail_rank = size - 1;
    play.fail_calls = 2;
    play.repeat = true;
    assert_int_equal(drive(SMALL, "", "heat.CscAssembler", "test.Actor", true, NULL), PORTOLAN_OK);
    assert_int_equal(play.n_failed, 2);
    assert_int_equal(play.failed_step, 0);
    assert_int_equal(play.n_reached, 4);
}

static void a_swap_point_that_fails_on_one_rank_ends_the_run_on_all(void **state)
{
    struct portolan_error err = {0};

    (void)state;
    reset_play();
    play.fail_rank = size - 1;
    play.fail_reached = 2;
    assert_int_not_equal(drive(SMALL, "", "heat.CscAssembler", "heat.Cholmod", true, &err),
                         PORTOLAN_OK);
    assert_non_null(strstr(err.text, "swap.reached: "));
    assert_non_null(strstr(err.text, "the store is full"));
    assert_int_equal(play.n_reached, 3);
    assert_null(strstr(log_text, "step 2 of")); /* reported is what reached() has stored */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_assembler_keeps_the_contract_of_its_port),
        cmocka_unit_test(every_solver_keeps_the_contract_of_its_port),
        cmocka_unit_test(every_preconditioner_keeps_the_contract_of_its_port),
        cmocka_unit_test(parameters_out_of_range_are_refused_when_the_component_is_made),
        cmocka_unit_test(the_driver_reports_its_steps_and_the_error_on_rank_0),
        cmocka_unit_test(parameters_override_the_input_file),
        cmocka_unit_test(the_swap_point_hears_of_every_step),
        cmocka_unit_test(mistakes_in_the_input_file_are_told_with_their_line),
        cmocka_unit_test(a_failing_solver_ends_the_run_on_all_ranks_with_place_and_cause),
        cmocka_unit_test(a_step_is_repeated_when_a_swap_was_undone),
        cmocka_unit_test(a_swap_point_that_fails_on_one_rank_ends_the_run_on_all),
    };
    int failed;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!mkdtemp(folder))
        return 1;
    failed = cmocka_run_group_tests_name("heat components", tests, NULL, NULL);
    rmdir(folder);
    MPI_Finalize();
    return failed;
}
