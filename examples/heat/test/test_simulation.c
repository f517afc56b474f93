/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulation against its manufactured solution, and failures of the subdomain solve. Run on 1
 * and on 2 ranks; what a rank asserts comes out alike on all of them.
 */
#include "heat_simulation.h"
#include "heat_solver.h"

#include "check.h"

/* CHOLMOD behind the subdomain's functions; fails where it is told to. */
struct direct {
    struct heat_solver *solver;
    struct heat_matrix matrix;
    int rank, fail_rank; /* -1 = nobody */
    bool fail_in_solve;
};

static enum portolan_status prepare(void *arg, const struct heat_box *box, int n,
                                    struct portolan_error *err)
{
    struct direct *d = arg;
    enum portolan_status status = heat_assemble_csc(box, &d->matrix, err);

    if (d->fail_rank == d->rank && !d->fail_in_solve)
        return portolan_error_set(err, PORTOLAN_ECOMPONENT, "setup broke");
    assert_int_equal(n, heat_box_order(box));
    return status ? status : d->solver->ops->setup(d->solver, &d->matrix, err);
}

static enum portolan_status solve(void *arg, double *b, double *x, int n, double *residual,
                                  struct portolan_error *err)
{
    struct direct *d = arg;

    if (d->fail_rank == d->rank && d->fail_in_solve)
        return portolan_error_set(err, PORTOLAN_ECOMPONENT, "solve broke");
    for (int i = 0; i < n; i++)
        assert_true(x[i] == 0.0);
    return d->solver->ops->solve(d->solver, b, x, residual, err);
}

static struct direct direct_create(void)
{
    struct direct d = {.fail_rank = -1};

    MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
    assert_int_equal(heat_cholmod_create(HEAT_CHOLMOD_AUTO, &d.solver, NULL), PORTOLAN_OK);
    return d;
}

static void direct_destroy(struct direct *d)
{
    heat_solver_destroy(d->solver);
    heat_matrix_clear(&d->matrix);
}

static struct heat_input input(int dimension, int grid, int steps, double dt)
{
    return (struct heat_input){.dimension = dimension,
                               .grid = grid,
                               .steps = steps,
                               .time_step = dt,
                               .k0 = 0.8,
                               .k1 = 0.6,
                               .k2 = 0.2,
                               .tolerance = 1e-9,
                               .overlap = 2};
}

/* Runs all steps on COMM; the state belongs to the caller. */
static struct heat_simulation *run(const struct heat_input *in, MPI_Comm comm)
{
    struct direct d = direct_create();
    struct heat_subdomain part = {.arg = &d, .prepare = prepare, .solve = solve};
    struct heat_simulation *s = NULL;

    assert_int_equal(heat_simulation_create(in, comm, &s, NULL), PORTOLAN_OK);
    for (int k = 1; k <= in->steps; k++) {
        struct heat_step step;

        assert_int_equal(heat_simulation_step(s, &part, &step, NULL), PORTOLAN_OK);
        assert_int_equal(step.step, k);
        assert_true(step.residual <= in->tolerance);
        assert_true(step.outer_iterations >= 1 && step.outer_iterations < 30);
        assert_true(step.solver_residual < 1e-11);
    }
    direct_destroy(&d);
    return s;
}

static double error_of(const struct heat_input *in)
{
    struct heat_simulation *s = run(in, MPI_COMM_WORLD);
    double error = heat_simulation_error(s);

    heat_simulation_destroy(s);
    return error;
}

/*
 * Halving h and quartering dt must quarter the error. h = 1/10 and 1/20 are not yet quite in the
 * asymptotic range, hence 1.85 … 2.15 for the order.
 */
static void assert_second_order(int dimension)
{
    struct heat_input coarse = input(dimension, 9, 4, 0.04), fine = input(dimension, 19, 16, 0.01);
    double order = log2(error_of(&coarse) / error_of(&fine));

    print_message("order of convergence in %d dimensions: %.3f\n", dimension, order);
    assert_true(order > 1.85 && order < 2.15);
}

static void the_order_of_convergence_on_the_plate_is_two(void **state)
{
    assert_second_order(2);
}

static void the_order_of_convergence_in_the_block_is_two(void **state)
{
    assert_second_order(3);
}

/* First order in time where the space's error is small beside it. */
static void the_order_of_convergence_in_time_is_one(void **state)
{
    struct heat_input coarse = input(2, 79, 4, 0.5), fine = input(2, 79, 8, 0.25);
    double order;

    order = log2(error_of(&coarse) / error_of(&fine));
    print_message("order of convergence in time: %.3f\n", order);
    assert_true(order > 0.8 && order < 1.2);
}

/*
 * Both solve the same equations to a relative 1e-9 of changes that are below 1 in size, a few steps
 * one after the other.
 */
static void assert_ranks_agree_with_one(struct heat_input in)
{
    struct heat_simulation *alone = run(&in, MPI_COMM_SELF), *all = run(&in, MPI_COMM_WORLD);
    const struct heat_grid *g = heat_simulation_peek_grid(all);
    size_t whole = heat_simulation_peek_grid(alone)->unknowns;
    double *a = portolan_calloc(whole, sizeof *a), *b = portolan_calloc(whole, sizeof *b);

    assert_non_null(a);
    assert_non_null(b);
    heat_simulation_values(alone, a);
    heat_simulation_values(all, b);
    for (size_t i = 0; i < g->unknowns; i++)
        assert_near(b[i], a[(size_t)g->first * g->layer + i], 1e-8);
    free(a);
    free(b);
    heat_simulation_destroy(alone);
    heat_simulation_destroy(all);
}

static void all_ranks_together_compute_what_one_computes(void **state)
{
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int solution = HEAT_MANUFACTURED; solution <= HEAT_TORCH; solution++) {
            struct heat_input in = input(dimension, 11, 4, 0.01);

            in.solution = (enum heat_solution)solution;
            assert_ranks_agree_with_one(in);
            in.grid = 12;
            in.overlap = 1;
            assert_ranks_agree_with_one(in);
        }
}

static void the_pulse_spreads_and_never_grows(void **state)
{
    struct heat_input in = input(2, 21, 5, 0.001);
    struct heat_simulation *s;
    double largest = 0.0, values[21 * 21];

    in.solution = HEAT_PULSE;
    s = run(&in, MPI_COMM_SELF);
    heat_simulation_values(s, values);
    for (int i = 0; i < 21 * 21; i++) {
        assert_true(values[i] > -1e-9); /* the maximum principle, up to the tolerance */
        largest = fmax(largest, values[i]);
    }
    assert_true(largest < 0.9 && largest > 0.1);
    assert_true(isnan(heat_simulation_error(s)));
    heat_simulation_destroy(s);
}

static void a_state_that_no_longer_changes_needs_no_iteration(void **state)
{
    struct heat_input in = input(2, 11, 1, 1e3); /* the manufactured solution is soon steady */
    struct direct d = direct_create();
    struct heat_subdomain part = {.arg = &d, .prepare = prepare, .solve = solve};
    struct heat_simulation *s = NULL;
    struct heat_step step;

    assert_int_equal(heat_simulation_create(&in, MPI_COMM_WORLD, &s, NULL), PORTOLAN_OK);
    for (int k = 0; k < 60; k++)
        assert_int_equal(heat_simulation_step(s, &part, &step, NULL), PORTOLAN_OK);
    assert_int_equal(step.outer_iterations, 0);
    heat_simulation_destroy(s);
    direct_destroy(&d);
}

static void assert_failure_is_collective(const struct heat_input *in, int fail_rank, bool in_solve)
{
    struct direct d = direct_create();
    struct heat_subdomain part = {.arg = &d, .prepare = prepare, .solve = solve};
    struct heat_simulation *s = NULL, *smooth = run(in, MPI_COMM_WORLD);
    struct portolan_error err = {0};
    struct heat_step step = {0};
    char says[60], rank[20] = "";
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1)
        snprintf(rank, sizeof rank, "rank %d: ", fail_rank);
    snprintf(says, sizeof says, "%s%s broke", rank, in_solve ? "solve" : "setup");
    d.fail_rank = fail_rank;
    d.fail_in_solve = in_solve;
    assert_int_equal(heat_simulation_create(in, MPI_COMM_WORLD, &s, NULL), PORTOLAN_OK);
    assert_int_equal(heat_simulation_step(s, &part, &step, &err), PORTOLAN_ECOMPONENT);
    assert_string_equal(err.text, says);
    d.fail_rank = -1;
    assert_int_equal(heat_simulation_step(s, &part, &step, NULL), PORTOLAN_OK);
    assert_int_equal(step.step, 1);
    assert_true(heat_simulation_error(s) == heat_simulation_error(smooth));
    heat_simulation_destroy(s);
    heat_simulation_destroy(smooth);
    direct_destroy(&d);
}

static void a_step_that_fails_on_one_rank_fails_on_all_and_can_be_repeated(void **state)
{
    struct heat_input in = input(2, 11, 1, 0.01);
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int rank = 0; rank < size; rank++) {
        assert_failure_is_collective(&in, rank, false);
        assert_failure_is_collective(&in, rank, true);
    }
}

static void too_many_ranks_are_refused_on_all(void **state)
{
    struct heat_input in = input(2, 5, 1, 0.01);
    struct heat_simulation *s = NULL;
    struct portolan_error err = {0};
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1)
        skip();
    assert_int_equal(heat_simulation_create(&in, MPI_COMM_WORLD, &s, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "take at most 1 rank"));
}

static void every_layer_belongs_to_one_rank(void **state)
{
    for (int n = 12; n < 24; n++) {
        struct heat_input in = input(3, n, 1, 0.01);
        struct heat_grid g;
        int sum = 0;

        assert_int_equal(heat_grid_init(&g, &in, MPI_COMM_WORLD, NULL), PORTOLAN_OK);
        MPI_Allreduce(&g.owned, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        assert_int_equal(sum, n);
        assert_true(g.begin >= 0 && g.begin + g.layers <= n);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_convergence_on_the_plate_is_two),
        cmocka_unit_test(the_order_of_convergence_in_the_block_is_two),
        cmocka_unit_test(the_order_of_convergence_in_time_is_one),
        cmocka_unit_test(all_ranks_together_compute_what_one_computes),
        cmocka_unit_test(the_pulse_spreads_and_never_grows),
        cmocka_unit_test(a_state_that_no_longer_changes_needs_no_iteration),
        cmocka_unit_test(a_step_that_fails_on_one_rank_fails_on_all_and_can_be_repeated),
        cmocka_unit_test(too_many_ranks_are_refused_on_all),
        cmocka_unit_test(every_layer_belongs_to_one_rank),
    };
    int failed;

    MPI_Init(&argc, &argv);
    failed = cmocka_run_group_tests_name("heat simulation", tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
