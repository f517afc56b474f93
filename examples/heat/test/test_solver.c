/* SPDX-License-Identifier: BSD-3-Clause */
/* One conformance test per kind of kernel, run against every kernel and every layout. */
#include "heat_assemble.h"
#include "heat_solver.h"

#include <lapacke.h>

#include "check.h"

enum { MOST = 180, NODES = 2000, LAYOUTS = 3 };

typedef enum portolan_status (*assemble_fn)(const struct heat_box *, struct heat_matrix *,
                                            struct portolan_error *);
static const assemble_fn assemblers[LAYOUTS] = {heat_assemble_csc, heat_assemble_band,
                                                heat_assemble_stencil};

static struct heat_preconditioner *preconditioner;

static enum portolan_status cholmod_simplicial(struct heat_solver **s, struct portolan_error *err)
{
    return heat_cholmod_create(HEAT_CHOLMOD_SIMPLICIAL, s, err);
}

static enum portolan_status cholmod_supernodal(struct heat_solver **s, struct portolan_error *err)
{
    return heat_cholmod_create(HEAT_CHOLMOD_SUPERNODAL, s, err);
}

static enum portolan_status cg_plain(struct heat_solver **s, struct portolan_error *err)
{
    return heat_cg_create(NULL, 1e-12, 500, s, err);
}

static enum portolan_status cg_jacobi(struct heat_solver **s, struct portolan_error *err)
{
    enum portolan_status status = heat_jacobi_create(&preconditioner, err);

    return status ? status : heat_cg_create(preconditioner, 1e-12, 500, s, err);
}

static enum portolan_status cg_incomplete(struct heat_solver **s, struct portolan_error *err)
{
    enum portolan_status status = heat_incomplete_cholesky_create(0.0, &preconditioner, err);

    return status ? status : heat_cg_create(preconditioner, 1e-12, 500, s, err);
}

typedef enum portolan_status (*create_fn)(struct heat_solver **, struct portolan_error *);
static const create_fn solvers[] = {heat_banded_create,  cholmod_simplicial, cholmod_supernodal,
                                    heat_umfpack_create, cg_plain,           cg_jacobi,
                                    cg_incomplete};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static struct heat_solver *create(int which)
{
    struct heat_solver *s = NULL;

    assert_int_equal(solvers[which](&s, NULL), PORTOLAN_OK);
    return s;
}

static void destroy(struct heat_solver *s)
{
    heat_solver_destroy(s);
    heat_preconditioner_destroy(preconditioner);
    preconditioner = NULL;
}

/* A plate or block of a few points; SCALE makes it more or less like Poisson's equation. */
static void assemble(int layout, int dimension, double scale, double k1, struct heat_matrix *m)
{
    static double conductivity[NODES];
    struct heat_box box = {.dimension = dimension,
                           .nx = dimension == 2 ? 12 : 5,
                           .ny = dimension == 2 ? 14 : 5,
                           .nz = dimension == 2 ? 1 : 7,
                           .scale = scale,
                           .conductivity = conductivity};

    for (size_t i = 0; i < heat_box_nodes(&box); i++)
        conductivity[i] = 1.0 + k1 * sin(0.3 * (double)i);
    assert_int_equal(assemblers[layout](&box, m, NULL), PORTOLAN_OK);
}

static void right_hand_side(int n, double *b)
{
    for (int i = 0; i < n; i++)
        b[i] = cos(0.9 * i);
}

/* x with A x = b by LAPACK's dense Cholesky. */
static void reference(const struct heat_matrix *m, const double *b, double *x)
{
    static double dense[MOST * MOST];
    double unit[MOST] = {0};
    int n = m->order;

    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
        heat_matrix_multiply(m, unit, dense + (size_t)j * (size_t)n);
        unit[j] = 0.0;
    }
    memcpy(x, b, (size_t)n * sizeof *x);
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, 1, dense, n, x, n), 0);
}

/* Condition numbers stay below 1e3, so that residuals of 1e-12 mean errors below 1e-9. */
static void assert_solves(struct heat_solver *s, const struct heat_matrix *m)
{
    double b[MOST], x[MOST] = {0}, wanted[MOST], residual = -1.0, largest = 0.0;

    right_hand_side(m->order, b);
    reference(m, b, wanted);
    assert_int_equal(s->ops->solve(s, b, x, &residual, NULL), PORTOLAN_OK);
    for (int i = 0; i < m->order; i++)
        largest = fmax(largest, fabs(wanted[i]));
    for (int i = 0; i < m->order; i++)
        assert_near(x[i], wanted[i], 1e-9 * largest);
    assert_true(residual >= 0.0 && residual <= 2e-12);
}

static void every_solver_solves_in_every_layout(void **state)
{
    struct heat_matrix m = {0};

    for (int which = 0; which < SOLVERS; which++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int dimension = 2; dimension <= 3; dimension++) {
                struct heat_solver *s = create(which);

                assemble(layout, dimension, 5.0, 0.4, &m);
                assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
                assert_solves(s, &m);
                destroy(s);
            }
    heat_matrix_clear(&m);
}

static void a_solver_keeps_nothing_of_the_matrix_it_was_set_up_with(void **state)
{
    for (int which = 0; which < SOLVERS; which++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct heat_solver *s = create(which);
            struct heat_matrix m = {0}, again = {0};

            assemble(layout, 2, 5.0, 0.4, &m);
            assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
            heat_matrix_clear(&m);
            assemble(layout, 2, 5.0, 0.4, &again);
            assert_solves(s, &again);
            heat_matrix_clear(&again);
            destroy(s);
        }
}

/* New values, another size, another pattern and another layout, one after the other. */
static void a_solver_can_be_set_up_again(void **state)
{
    struct heat_matrix m = {0};

    for (int which = 0; which < SOLVERS; which++) {
        struct heat_solver *s = create(which);

        for (int round = 0; round < 6; round++) {
            assemble(round % LAYOUTS, round < 3 ? 2 : 3, 1.0 + round, 0.1 * round, &m);
            assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
            assert_solves(s, &m);
            assert_solves(s, &m);
        }
        destroy(s);
    }
    heat_matrix_clear(&m);
}

static void solve_before_setup_is_refused(void **state)
{
    double b[1] = {1.0}, x[1] = {0.0}, residual;

    for (int which = 0; which < SOLVERS; which++) {
        struct heat_solver *s = create(which);
        struct portolan_error err = {0};

        assert_int_equal(s->ops->solve(s, b, x, &residual, &err), PORTOLAN_EINVAL);
        assert_non_null(strstr(err.text, "before setup"));
        destroy(s);
    }
}

/* In setup, or at the latest in solve, with one of two texts. */
static void assert_refuses(struct heat_solver *s, const struct heat_matrix *m, const char *one,
                           const char *other)
{
    double b[MOST], x[MOST] = {0}, residual;
    struct portolan_error err = {0};
    enum portolan_status status = s->ops->setup(s, m, &err);

    right_hand_side(m->order, b);
    if (!status)
        status = s->ops->solve(s, b, x, &residual, &err);
    assert_int_equal(status, PORTOLAN_EINVAL);
    if (!strstr(err.text, one) && !strstr(err.text, other))
        fail_msg("\"%s\" says neither \"%s\" nor \"%s\"", err.text, one, other);
}

static void a_matrix_with_nan_is_refused_and_does_no_harm(void **state)
{
    for (int which = 0; which < SOLVERS; which++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct heat_matrix m = {0};
            struct heat_solver *s = create(which);

            assemble(layout, 2, 5.0, 0.4, &m);
            m.value[layout == HEAT_BAND ? 13 * 3 : 7] = NAN;
            assert_refuses(s, &m, "holds nan in row", "holds -nan in row");
            assemble(layout, 2, 5.0, 0.4, &m);
            assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
            assert_solves(s, &m);
            heat_matrix_clear(&m);
            destroy(s);
        }
}

/* Row and column 40 become zero. */
static void assemble_singular(int layout, struct heat_matrix *m)
{
    int offset[] = {0, 1, 12};

    assemble(layout, 2, 5.0, 0.4, m);
    if (layout == HEAT_CSC) {
        for (int j = 0; j < m->order; j++)
            for (int k = m->column_start[j]; k < m->column_start[j + 1]; k++)
                if (j == 40 || m->row[k] == 40)
                    m->value[k] = 0.0;
        return;
    }
    for (int d = 0; d < 3; d++)
        for (int j = 40 - offset[d]; j <= 40; j += offset[d] ? offset[d] : 1)
            m->value[layout == HEAT_BAND ? j * 13 + offset[d] : d * m->order + j] = 0.0;
}

static void a_singular_matrix_is_refused(void **state)
{
    for (int which = 0; which < SOLVERS; which++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct heat_matrix m = {0};
            struct heat_solver *s = create(which);

            /* Plain CG meets no zero direction: it fails to converge at worst. */
            if (solvers[which] != cg_plain) {
                assemble_singular(layout, &m);
                assert_refuses(s, &m, solvers[which] == cg_incomplete ? "broke down" : "singular",
                               "positive definite");
            }
            heat_matrix_clear(&m);
            destroy(s);
        }
}

static void an_indefinite_matrix_is_refused_by_all_but_lu(void **state)
{
    for (int which = 0; which < SOLVERS; which++) {
        struct heat_matrix m = {0};
        struct heat_solver *s = create(which);

        if (solvers[which] != heat_umfpack_create) {
            assemble(HEAT_CSC, 2, 5.0, 0.4, &m);
            m.value[m.column_start[50]] = -30.0;
            assert_refuses(s, &m, "positive definite", "broke down");
        }
        heat_matrix_clear(&m);
        destroy(s);
    }
}

static void a_right_hand_side_with_nan_is_refused(void **state)
{
    struct heat_matrix m = {0};
    double b[MOST] = {0}, residual;

    b[3] = NAN;
    assemble(HEAT_CSC, 2, 5.0, 0.4, &m);
    for (int which = 0; which < SOLVERS; which++) {
        struct heat_solver *s = create(which);
        double x[MOST] = {0};

        assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
        assert_int_equal(s->ops->solve(s, b, x, &residual, NULL), PORTOLAN_EINVAL);
        destroy(s);
    }
    heat_matrix_clear(&m);
}

static void a_right_hand_side_of_zeros_gives_zeros(void **state)
{
    struct heat_matrix m = {0};
    double b[MOST] = {0}, residual = -1.0;

    assemble(HEAT_STENCIL, 2, 5.0, 0.4, &m);
    for (int which = 0; which < SOLVERS; which++) {
        struct heat_solver *s = create(which);
        double x[MOST] = {0};

        assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
        assert_int_equal(s->ops->solve(s, b, x, &residual, NULL), PORTOLAN_OK);
        assert_true(residual == 0.0);
        for (int i = 0; i < m.order; i++)
            assert_true(x[i] == 0.0);
        destroy(s);
    }
    heat_matrix_clear(&m);
}

static void running_out_of_memory_is_reported_at_every_allocation(void **state)
{
    struct heat_matrix m = {0};

    assemble(HEAT_BAND, 2, 5.0, 0.4, &m);
    for (int which = 0; which < SOLVERS; which++)
        for (unsigned long nth = 1;; nth++) {
            struct heat_solver *s = NULL;
            enum portolan_status status;

            portolan_alloc_fail_at(nth);
            status = solvers[which](&s, NULL);
            if (!status)
                status = s->ops->setup(s, &m, NULL);
            portolan_alloc_fail_at(0);
            destroy(s);
            if (!status)
                break;
            assert_int_equal(status, PORTOLAN_ENOMEM);
            assert_true(nth < 30);
        }
    heat_matrix_clear(&m);
}

static void conjugate_gradients_stop_at_the_tolerance_asked_for(void **state)
{
    struct heat_matrix m = {0};
    double b[MOST], residual;
    int before = 0;

    assemble(HEAT_STENCIL, 2, 50.0, 0.4, &m);
    right_hand_side(m.order, b);
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 1e-4) {
        double x[MOST] = {0};
        struct heat_solver *s = NULL;

        assert_int_equal(heat_cg_create(NULL, tolerance, 500, &s, NULL), PORTOLAN_OK);
        assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
        assert_int_equal(s->ops->solve(s, b, x, &residual, NULL), PORTOLAN_OK);
        /* The recursive residual and the true one differ by rounding. */
        assert_true(residual <= 1.001 * tolerance);
        assert_true(heat_cg_iterations(s) > before);
        before = heat_cg_iterations(s);
        heat_solver_destroy(s);
    }
    heat_matrix_clear(&m);
}

static void conjugate_gradients_say_when_the_iterations_do_not_suffice(void **state)
{
    struct heat_matrix m = {0};
    double b[MOST], x[MOST] = {0}, residual;
    struct heat_solver *s = NULL;
    struct portolan_error err = {0};

    assemble(HEAT_STENCIL, 2, 50.0, 0.4, &m);
    right_hand_side(m.order, b);
    assert_int_equal(heat_cg_create(NULL, 1e-10, 5, &s, NULL), PORTOLAN_OK);
    assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
    assert_int_equal(s->ops->solve(s, b, x, &residual, &err), PORTOLAN_ETIMEOUT);
    assert_non_null(strstr(err.text, "after 5 iterations"));
    heat_solver_destroy(s);
    heat_matrix_clear(&m);
}

static void incomplete_cholesky_halves_the_iterations_of_jacobi(void **state)
{
    struct heat_matrix m = {0};
    double b[MOST], residual;
    int iterations[2];

    assemble(HEAT_CSC, 2, 100.0, 0.4, &m);
    right_hand_side(m.order, b);
    for (int p = 0; p < 2; p++) {
        double x[MOST] = {0};
        struct heat_solver *s = NULL;

        assert_int_equal((p ? cg_incomplete : cg_jacobi)(&s, NULL), PORTOLAN_OK);
        assert_int_equal(s->ops->setup(s, &m, NULL), PORTOLAN_OK);
        assert_int_equal(s->ops->solve(s, b, x, &residual, NULL), PORTOLAN_OK);
        iterations[p] = heat_cg_iterations(s);
        destroy(s);
    }
    assert_true(2 * iterations[1] < iterations[0]);
    heat_matrix_clear(&m);
}

static enum portolan_status incomplete(struct heat_preconditioner **p, struct portolan_error *err)
{
    return heat_incomplete_cholesky_create(0.0, p, err);
}

static enum portolan_status modified(struct heat_preconditioner **p, struct portolan_error *err)
{
    return heat_incomplete_cholesky_create(0.97, p, err);
}

typedef enum portolan_status (*precondition_fn)(struct heat_preconditioner **,
                                                struct portolan_error *);
static const precondition_fn preconditioners[] = {heat_jacobi_create, incomplete, modified};
enum { PRECONDITIONERS = sizeof preconditioners / sizeof *preconditioners };

/* y'Mx = x'My and x'Mx > 0, up to rounding. */
static void every_preconditioner_is_symmetric_positive_definite(void **state)
{
    struct heat_matrix m = {0};

    for (int which = 0; which < PRECONDITIONERS; which++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct heat_preconditioner *p = NULL;
            double x[MOST], y[MOST], mx[MOST], my[MOST], xy = 0.0, yx = 0.0, xx = 0.0;

            assemble(layout, 3, 5.0, 0.4, &m);
            for (int i = 0; i < m.order; i++) {
                x[i] = cos(1.1 * i);
                y[i] = sin(0.7 * i + 1.0);
            }
            assert_int_equal(preconditioners[which](&p, NULL), PORTOLAN_OK);
            assert_int_equal(p->ops->setup(p, &m, NULL), PORTOLAN_OK);
            assert_int_equal(p->ops->apply(p, x, mx, NULL), PORTOLAN_OK);
            assert_int_equal(p->ops->apply(p, y, my, NULL), PORTOLAN_OK);
            for (int i = 0; i < m.order; i++) {
                xy += y[i] * mx[i];
                yx += x[i] * my[i];
                xx += x[i] * mx[i];
            }
            assert_near(xy, yx, 1e-13 * xx);
            assert_true(xx > 0.0);
            heat_preconditioner_destroy(p);
        }
    heat_matrix_clear(&m);
}

static void every_preconditioner_gives_the_same_in_every_layout(void **state)
{
    struct heat_matrix m = {0};

    for (int which = 0; which < PRECONDITIONERS; which++) {
        double r[MOST], z[LAYOUTS][MOST];

        for (int layout = 0; layout < LAYOUTS; layout++) {
            struct heat_preconditioner *p = NULL;

            assemble(layout, 3, 5.0, 0.4, &m);
            right_hand_side(m.order, r);
            assert_int_equal(preconditioners[which](&p, NULL), PORTOLAN_OK);
            assert_int_equal(p->ops->setup(p, &m, NULL), PORTOLAN_OK);
            assert_int_equal(p->ops->apply(p, r, z[layout], NULL), PORTOLAN_OK);
            heat_preconditioner_destroy(p);
        }
        for (int i = 0; i < m.order; i++) {
            assert_near(z[1][i], z[0][i], 1e-14);
            assert_near(z[2][i], z[0][i], 1e-14);
        }
    }
    heat_matrix_clear(&m);
}

static void every_preconditioner_refuses_what_it_cannot_do(void **state)
{
    struct heat_matrix m = {0};
    double r[MOST] = {0}, z[MOST];

    assemble(HEAT_CSC, 2, 5.0, 0.4, &m);
    for (int which = 0; which < PRECONDITIONERS; which++) {
        struct heat_preconditioner *p = NULL;
        double *diagonal = &m.value[m.column_start[9]], kept = *diagonal;

        assert_int_equal(preconditioners[which](&p, NULL), PORTOLAN_OK);
        assert_int_equal(p->ops->apply(p, r, z, NULL), PORTOLAN_EINVAL);
        *diagonal = 0.0;
        assert_int_equal(p->ops->setup(p, &m, NULL), PORTOLAN_EINVAL);
        *diagonal = NAN;
        assert_int_equal(p->ops->setup(p, &m, NULL), PORTOLAN_EINVAL);
        assert_int_equal(p->ops->apply(p, r, z, NULL), PORTOLAN_EINVAL);
        *diagonal = kept;
        assert_int_equal(p->ops->setup(p, &m, NULL), PORTOLAN_OK);
        assert_int_equal(p->ops->apply(p, r, z, NULL), PORTOLAN_OK);
        heat_preconditioner_destroy(p);
    }
    heat_matrix_clear(&m);
}

UNIT_TESTS(cmocka_unit_test(every_solver_solves_in_every_layout),
           cmocka_unit_test(a_solver_keeps_nothing_of_the_matrix_it_was_set_up_with),
           cmocka_unit_test(a_solver_can_be_set_up_again),
           cmocka_unit_test(solve_before_setup_is_refused),
           cmocka_unit_test(a_matrix_with_nan_is_refused_and_does_no_harm),
           cmocka_unit_test(a_singular_matrix_is_refused),
           cmocka_unit_test(an_indefinite_matrix_is_refused_by_all_but_lu),
           cmocka_unit_test(a_right_hand_side_with_nan_is_refused),
           cmocka_unit_test(a_right_hand_side_of_zeros_gives_zeros),
           cmocka_unit_test(running_out_of_memory_is_reported_at_every_allocation),
           cmocka_unit_test(conjugate_gradients_stop_at_the_tolerance_asked_for),
           cmocka_unit_test(conjugate_gradients_say_when_the_iterations_do_not_suffice),
           cmocka_unit_test(incomplete_cholesky_halves_the_iterations_of_jacobi),
           cmocka_unit_test(every_preconditioner_is_symmetric_positive_definite),
           cmocka_unit_test(every_preconditioner_gives_the_same_in_every_layout),
           cmocka_unit_test(every_preconditioner_refuses_what_it_cannot_do))
