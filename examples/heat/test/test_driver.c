/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver with good and with failing parts. */
#include "check.h"
#include "gov_cca_ports.h"
#include "heat.h"
#include "portolan_ports.h"
#include "run_assembly.h"

/* -- a solver and a swap point that fail as they are told -------------------------------------- */

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

/* -- the driver -------------------------------------------------------------------------------- */

#define SMALL "dimension = 2\ngrid = 12\nsteps = 3\ndt = 1e-4\nk1 = 0.5\n"

static struct heard logged;

/* The driver with PARAMETERS beside its input file, whose text is INPUT. */
static enum portolan_status drive(const char *input, const char *parameters, const char *assembler,
                                  const char *solver, bool with_swap, struct portolan_error *err)
{
    enum portolan_status status;
    char *text;

    test_file_write("test.inp", input);
    text = portolan_asprintf(
        "<instance name='driver' class='heat.Driver'>"
        "<parameter name='input' type='string' value='test.inp'/>%s</instance>"
        "<instance name='a' class='%s'/><instance name='s' class='%s'/>"
        "<instance name='actor' class='test.Actor'/>"
        "<connect user='driver' uses='assembler' provider='a' provides='assembler'/>"
        "<connect user='driver' uses='solver' provider='s' provides='solver'/>%s"
        "<go instance='driver' port='go'/>",
        parameters, assembler, solver,
        with_swap ? "<connect user='driver' uses='swap' provider='actor' provides='swappoint'/>"
                  : "");
    assert_non_null(text);
    logged = (struct heard){.area = "heat", .level = PORTOLAN_LOG_NOTICE};
    portolan_log_set_handler(hear_log, &logged);
    status = run_assembly(text, &actor_descriptor, actor_description, err);
    portolan_log_set_handler(NULL, NULL);
    free(text);
    return status;
}

static void reset_play(void)
{
    memset(&play, 0, sizeof play);
    play.fail_rank = play.fail_reached = -1;
}

static void the_driver_reports_its_steps_and_the_error_on_rank_0(void **state)
{
    assert_int_equal(drive(SMALL, "", "heat.CscAssembler", "heat.Cholmod", false, NULL),
                     PORTOLAN_OK);
    if (rank != 0) {
        assert_string_equal(logged.text, "");
        return;
    }
    assert_non_null(strstr(logged.text, "step 1 of 3, t = 0.0001: "));
    assert_non_null(strstr(logged.text, "step 3 of 3, t = 0.0003: "));
    assert_non_null(strstr(logged.text, "3 steps done, t = 0.0003: at most "));
}

static void parameters_override_the_input_file(void **state)
{
    reset_play();
    assert_int_equal(drive(SMALL,
                           "<parameter name='n' type='int' value='14'/>"
                           "<parameter name='steps' type='int' value='2'/>"
                           "<parameter name='report' type='int' value='0'/>",
                           "heat.CscAssembler", "heat.BandedCholesky", true, NULL),
                     PORTOLAN_OK);
    assert_null(strstr(logged.text, "step 1 of"));
    if (rank == 0)
        assert_non_null(strstr(logged.text, "2 steps done"));
    assert_int_equal(play.n_reached, 3);
    /* 14 x 14 points on one rank; 7 layers and 2 more on each of two */
    assert_true(play.announced == (size == 1 ? 14 * 14 : 14 * 9));
}

static void the_swap_point_hears_of_every_step(void **state)
{
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

    assert_int_equal(drive("dimension = 2\ngrid = x\nsteps = 3\ndt = 1\n", "", "heat.CscAssembler",
                           "heat.Cholmod", false, &err),
                     PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, "test.inp:2: grid = \"x\", wanted a whole number"));
    err = (struct portolan_error){0};
    assert_int_equal(drive(SMALL, "<parameter name='n' type='int' value='-4'/>",
                           "heat.CscAssembler", "heat.Cholmod", false, &err),
                     PORTOLAN_EBADPROPERTIES);
    assert_non_null(strstr(err.text, "n = -4"));
}

/* CCA exceptions know fewer kinds than there are statuses, so the text is what counts. */
static void a_failing_solver_ends_the_run_on_all_ranks_with_place_and_cause(void **state)
{
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

    reset_play();
    play.fail_rank = size - 1;
    play.fail_reached = 2;
    assert_int_not_equal(drive(SMALL, "", "heat.CscAssembler", "heat.Cholmod", true, &err),
                         PORTOLAN_OK);
    assert_non_null(strstr(err.text, "swap.reached: "));
    assert_non_null(strstr(err.text, "the store is full"));
    assert_int_equal(play.n_reached, 3);
    assert_null(strstr(logged.text, "step 2 of")); /* reported is what reached() has stored */
}

HEAT_TESTS(cmocka_unit_test(the_driver_reports_its_steps_and_the_error_on_rank_0),
           cmocka_unit_test(parameters_override_the_input_file),
           cmocka_unit_test(the_swap_point_hears_of_every_step),
           cmocka_unit_test(mistakes_in_the_input_file_are_told_with_their_line),
           cmocka_unit_test(a_failing_solver_ends_the_run_on_all_ranks_with_place_and_cause),
           cmocka_unit_test(a_step_is_repeated_when_a_swap_was_undone),
           cmocka_unit_test(a_swap_point_that_fails_on_one_rank_ends_the_run_on_all))
