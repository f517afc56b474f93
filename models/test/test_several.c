/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of several parameters. */
#include "check.h"

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
    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

    (void)state;
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

static void families_limit_the_search_of_several(void **state)
{
    double x[50], y[25];
    struct portolan_model_options only = {.families = PORTOLAN_MODEL_PRODUCT};
    struct portolan_model *model;

    (void)state;
    for (size_t i = 0; i < 25; i++) {
        x[2 * i] = sizes[i / 5];
        x[2 * i + 1] = ranks[i % 5];
        y[i] = sum(x[2 * i], x[2 * i + 1]);
    }
    model = fit_rows(2, 25, x, y, &only);
    assert_int_equal(portolan_model_peek_summary(model)->family, PORTOLAN_MODEL_PRODUCT);
    portolan_model_destroy(model);
    only.families = PORTOLAN_MODEL_SUM;
    model = fit_rows(2, 25, x, y, &only);
    assert_int_equal(portolan_model_peek_summary(model)->family, PORTOLAN_MODEL_SUM);
    portolan_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_rows_give_the_form_they_came_from),
        cmocka_unit_test(noise_of_five_percent_leaves_the_prediction_near),
        cmocka_unit_test(a_parameter_that_never_varied_is_a_limit),
        cmocka_unit_test(three_parameters_are_told_apart),
        cmocka_unit_test(a_constant_does_not_hide_a_product_of_many),
        cmocka_unit_test(families_limit_the_search_of_several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
