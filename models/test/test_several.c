/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of several parameters. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const double sizes[] = {16, 24, 32, 48, 64}, ranks[] = {1, 2, 4, 8, 16};

typedef double (*truth_fn)(double n, double m);

/* Rows of f on the 5 × 5 grid, each NOISE off at random. */
static struct portolan_model *fit_grid(truth_fn f, double noise, uint64_t *seed)
{
    double x[50], y[25];

    for (size_t i = 0; i < 25; i++) {
        x[2 * i] = sizes[i / 5];
        x[2 * i + 1] = ranks[i % 5];
        y[i] = f(x[2 * i], x[2 * i + 1]) * (1 + (noise > 0 ? noise * normal(seed) : 0));
    }
    return fit_rows(2, 25, x, y, NULL);
}

static double product(double n, double m)
{
    return 1e-6 * n * n * m;
}

static double product_with_logarithm(double n, double m)
{
    return 1e-5 * n * log2(n) * sqrt(m);
}

static double odd_product(double n, double m)
{
    return 0.01 + 3e-7 * pow(n, 2.3) * pow(m, 0.8);
}

static double sum(double n, double m)
{
    return 1e-3 + 1e-5 * n * n + 1e-3 * m;
}

static double first_alone(double n, double m)
{
    (void)m;
    return 2e-3 * n * n;
}

static double mixture(double n, double m)
{
    return 5e-4 * m + 1e-5 * n * n * m;
}

static void assert_exact(truth_fn f, const char *formula)
{
    static const double far[] = {500, 100};
    struct portolan_model *model = fit_grid(f, 0, NULL);

    assert_near(portolan_model_value(model, far), f(far[0], far[1]), 1e-6);
    assert_string_equal(portolan_model_peek_formula(model), formula);
    portolan_model_destroy(model);
}

static void exact_rows_give_the_form_they_came_from(void **state)
{
    assert_exact(product, "1e-06 n^2 m");
    assert_exact(product_with_logarithm, "1e-05 n log2(n) m^0.5");
    assert_exact(odd_product, "0.01 + 3e-07 n^2.3 m^0.8");
    assert_exact(sum, "0.001 + 1e-05 n^2 + 0.001 m");
    assert_exact(first_alone, "0.002 n^2");
    assert_exact(mixture, "1e-05 n^2 m + 0.0005 m");
}

static void noise_of_five_percent_leaves_the_prediction_near(void **state)
{
    static const truth_fn truths[] = {product, product_with_logarithm, sum, first_alone};
    static const double far[] = {128, 32};
    uint64_t seed = 271828;

    for (size_t i = 0; i < COUNT(truths); i++) {
        int near = 0, inside = 0;

        for (int round = 0; round < 40; round++) {
            struct portolan_model *model = fit_grid(truths[i], 0.05, &seed);
            double truth = truths[i](far[0], far[1]);
            struct portolan_prediction p;

            assert_int_equal(portolan_model_predict(model, far, &p), PORTOLAN_OK);
            assert_true(p.extrapolates);
            near += fabs(p.value / truth - 1) < 0.20;
            inside += p.low <= truth && truth <= p.high;
            portolan_model_destroy(model);
        }
        /* Four times in five at least; nine in ten are usual. */
        assert_true(near >= 32);
        assert_true(inside >= 34);
    }
}

static void a_parameter_that_never_varied_is_a_limit(void **state)
{
    static const double x[] = {16, 4, 32, 4, 48, 4, 64, 4}, at[] = {32, 4}, other[] = {32, 8};
    static const double y[] = {0.256, 1.024, 2.304, 4.096};
    struct portolan_model *model = fit_rows(2, 4, x, y, NULL);
    struct portolan_prediction p;

    assert_string_equal(portolan_model_peek_formula(model), "0.001 n^2");
    assert_int_equal(portolan_model_predict(model, at, &p), PORTOLAN_OK);
    assert_false(p.extrapolates);
    assert_int_equal(portolan_model_predict(model, other, &p), PORTOLAN_OK);
    assert_true(p.extrapolates && p.is_assumed);
    assert_int_equal(p.outside, 1);
    assert_near(p.octaves, 1, 1e-15);
    assert_true(p.high > 1.9 * p.value);
    portolan_model_destroy(model);
}

static void three_parameters_are_told_apart(void **state)
{
    double x[3 * 64], y[64];
    static const double far[] = {100, 50, 20};
    struct portolan_model *model;

    for (size_t i = 0; i < 64; i++) {
        x[3 * i] = 10 * (double)(1 + i % 4);
        x[3 * i + 1] = 1 + (double)(i / 4 % 4);
        x[3 * i + 2] = pow(2, (double)(i / 16));
        y[i] = 1e-3 * x[3 * i] * x[3 * i] / x[3 * i + 2];
    }
    model = fit_rows(3, 64, x, y, NULL);
    assert_string_equal(portolan_model_peek_formula(model), "0.001 n^2 k^-1");
    assert_near(portolan_model_value(model, far), 0.5, 1e-9);
    portolan_model_destroy(model);
}

/* A law of no list: no sum of positive terms comes near, one with a minus does. The last point is
 * not among the rows. */
static void a_cost_that_levels_off_has_a_minus(void **state)
{
    enum { POINTS = 25, ROWS = 2 * (POINTS - 1) };
    double x[2 * (ROWS + 2)], y[ROWS + 2];
    struct portolan_prediction p;
    struct portolan_model *model;
    uint64_t seed = 57721566;

    for (size_t i = 0; i < ROWS + 2; i++) {
        double *n = x + 2 * i, *m = n + 1;

        *n = 5000 + 1000 * (double)(i / 2 % 5);
        *m = 32 << i / 10;
        y[i] = *n * *m / (*m + 60);
        y[i] *= i < ROWS ? 1 + 0.003 * normal(&seed) : 1;
    }
    model = fit_rows(2, ROWS, x, y, NULL);
    assert_int_equal(portolan_model_predict(model, x + 2 * ROWS, &p), PORTOLAN_OK);
    assert_near(p.value, y[ROWS], 0.02);
    assert_true(p.low < y[ROWS] && y[ROWS] < p.high);
    portolan_model_destroy(model);
}

/* Four parameters, one of them idle, 5 % noise; the constant is most of the small values. */
static void a_constant_does_not_hide_a_product_of_many(void **state)
{
    enum { SIDE = 4, N = SIDE * SIDE * SIDE * SIDE };
    static const char *const names[] = {"a", "b", "c", "d"};
    double x[4 * N], y[N];
    struct portolan_model_data data = {4, names, N, x, y, NULL};
    struct portolan_model *model;
    uint64_t seed = 8314462618;
    const struct portolan_model_term *terms;
    size_t n;

    for (size_t i = 0; i < N; i++) {
        double *at = x + 4 * i;

        at[0] = ldexp(4, (int)(i % SIDE));
        at[1] = 10 * (double)(i / SIDE % SIDE + 1);
        at[2] = 1000 * (double)(i / SIDE / SIDE % SIDE + 1);
        at[3] = 2 + (double)(i / SIDE / SIDE / SIDE);
        y[i] = (5 + 1e-3 * at[0] * at[1] * at[3]) * (1 + 0.05 * (uniform(&seed) - 0.5));
    }
    assert_int_equal(portolan_model_fit(&data, NULL, &model, NULL), PORTOLAN_OK);
    terms = portolan_model_peek_terms(model, &n);
    assert_int_equal(n, 2);
    for (size_t p = 0; p < 4; p++)
        assert_near(terms[1].shape.exponents[p], p != 2, 1e-9);
    assert_near(terms[0].constant, 5, 0.02);
    portolan_model_destroy(model);
}

static void a_search_may_be_for_products_only(void **state)
{
    double x[50], y[25];
    struct portolan_model_options only = {.only_products = true};
    struct portolan_model *model;

    for (size_t i = 0; i < 25; i++) {
        x[2 * i] = sizes[i / 5];
        x[2 * i + 1] = ranks[i % 5];
        y[i] = sum(x[2 * i], x[2 * i + 1]);
    }
    model = fit_rows(2, 25, x, y, &only);
    assert_int_equal(portolan_model_peek_summary(model)->family, PORTOLAN_MODEL_PRODUCT);
    portolan_model_destroy(model);
    model = fit_rows(2, 25, x, y, NULL);
    assert_int_equal(portolan_model_peek_summary(model)->family, PORTOLAN_MODEL_SUM);
    portolan_model_destroy(model);
}

/* ---- more points than columns are kept of ---- */

enum { MANY = 100000 };

typedef double (*truth_of_many_fn)(const double *x);

static double shared_work(const double *x)
{
    return 200 + 0.01 * x[0] * log2(x[0]) / x[1];
}

static double work_and_tree(const double *x)
{
    return 1 + 1e-4 * pow(x[0], 3) / x[1] + 0.5 * log2(x[1]);
}

static double three_terms(const double *x)
{
    return 10 + 0.01 * x[0] * x[1] * log2(x[2]) + 0.3 * x[0];
}

/* A row anywhere between 16 and 16,384, 1 and 256, 1 and 64; whole numbers when asked for. */
static double draw_row(truth_of_many_fn f, bool whole, double *x, uint64_t *seed)
{
    static const double least[] = {16, 1, 1}, octaves[] = {10, 8, 6};

    for (size_t p = 0; p < 3; p++) {
        x[p] = least[p] * exp2(octaves[p] * uniform(seed));
        if (whole)
            x[p] = floor(x[p]);
    }
    return f(x) * (1 + 0.05 * normal(seed));
}

static struct portolan_model *fit_many(truth_of_many_fn f, size_t n_params, bool whole,
                                       uint64_t *seed)
{
    double *x = calloc(MANY * 3, sizeof *x), *y = calloc(MANY, sizeof *y), row[3];
    struct portolan_model *model;

    assert_true(x && y);
    for (size_t i = 0; i < MANY; i++) {
        y[i] = draw_row(f, whole, row, seed);
        memcpy(x + i * n_params, row, n_params * sizeof *x);
    }
    model = fit_rows(n_params, MANY, x, y, NULL);
    free(x);
    free(y);
    return model;
}

/* TRUTHS: the constants of the form, whose terms' exponents are those of the shapes. */
static void assert_found(const struct portolan_model *model,
                         const struct portolan_model_term *truths, size_t n)
{
    size_t n_terms, n_params = portolan_model_n_params(model);
    const struct portolan_model_term *terms = portolan_model_peek_terms(model, &n_terms);

    assert_int_equal(n_terms, n);
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;

        while (j < n && !shape_equal(&terms[j].shape, &truths[i].shape, n_params))
            j++;
        if (j == n)
            fail_msg("term %zu is not in %s", i, portolan_model_peek_formula(model));
        /* Four standard errors: one constant in 16,000 is farther off, and the seed is fixed. */
        assert_true(fabs(terms[j].constant - truths[i].constant) < 4 * terms[j].std_error);
        assert_true(terms[j].std_error < 0.01 * terms[j].constant);
    }
}

static void many_rows_give_the_form_they_came_from(void **state)
{
    static const struct portolan_model_term shared[] = {{.constant = 200},
                                                        {.constant = 0.01,
                                                         .shape = {{1, -1}, {1, 0}}}},
                                            tree[] = {{.constant = 1},
                                                      {.constant = 1e-4, .shape = {{3, -1}}},
                                                      {.constant = 0.5, .shape = {.logs = {0, 1}}}},
                                            three[] = {
                                                {.constant = 10},
                                                {.constant = 0.01, .shape = {{1, 1}, {0, 0, 1}}},
                                                {.constant = 0.3, .shape = {{1}}}};
    uint64_t seed = 141421;
    struct portolan_model *model = fit_many(shared_work, 2, false, &seed);

    assert_found(model, shared, COUNT(shared));
    portolan_model_destroy(model);
    model = fit_many(work_and_tree, 2, true, &seed);
    assert_found(model, tree, COUNT(tree));
    portolan_model_destroy(model);
    model = fit_many(three_terms, 3, false, &seed);
    assert_found(model, three, COUNT(three));
    portolan_model_destroy(model);
}

static void intervals_of_many_rows_hold_new_ones(void **state)
{
    uint64_t seed = 173205;
    struct portolan_model *model = fit_many(shared_work, 2, false, &seed);
    int inside = 0;

    for (int i = 0; i < 2000; i++) {
        struct portolan_prediction p;
        double x[3], y = draw_row(shared_work, false, x, &seed);

        assert_int_equal(portolan_model_predict(model, x, &p), PORTOLAN_OK);
        inside += p.low <= y && y <= p.high;
    }
    /* 95 % intervals; Huber's weights take a little off the error that is estimated. */
    assert_true(inside >= 1800 && inside <= 1960);
    assert_int_equal(portolan_model_peek_summary(model)->n_points, MANY);
    portolan_model_destroy(model);
}

UNIT_TESTS(cmocka_unit_test(exact_rows_give_the_form_they_came_from),
           cmocka_unit_test(noise_of_five_percent_leaves_the_prediction_near),
           cmocka_unit_test(a_parameter_that_never_varied_is_a_limit),
           cmocka_unit_test(three_parameters_are_told_apart),
           cmocka_unit_test(a_cost_that_levels_off_has_a_minus),
           cmocka_unit_test(a_constant_does_not_hide_a_product_of_many),
           cmocka_unit_test(a_search_may_be_for_products_only),
           cmocka_unit_test(many_rows_give_the_form_they_came_from),
           cmocka_unit_test(intervals_of_many_rows_hold_new_ones))
