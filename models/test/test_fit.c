/* SPDX-License-Identifier: BSD-3-Clause */
/* What is chosen from rows of one parameter, and what is said of it. */
#include "check.h"

#include <string.h>

static const double sizes[] = {16, 24, 32, 48, 64};

static enum portolan_model_family family_of(const struct portolan_model *model)
{
    return portolan_model_peek_summary(model)->family;
}

static void assert_term(const struct portolan_model *model, size_t term, double constant,
                        double exponent, int log)
{
    size_t n;
    const struct portolan_model_term *terms = portolan_model_peek_terms(model, &n);

    assert_true(term < n);
    assert_near(terms[term].constant, constant, 1e-9);
    assert_near(terms[term].shape.exponents[0], exponent, 1e-9);
    assert_int_equal(terms[term].shape.logs[0], log);
}

/* Fits f at the sizes, wants COUNT terms, and the truth again far outside. */
static struct portolan_model *fit_exact(double (*f)(double), size_t n_terms)
{
    double y[COUNT(sizes)], far = 400;
    struct portolan_model *model;
    size_t n;

    for (size_t i = 0; i < COUNT(sizes); i++)
        y[i] = f(sizes[i]);
    model = fit_rows(1, COUNT(sizes), sizes, y, NULL);
    portolan_model_peek_terms(model, &n);
    assert_int_equal(n, n_terms);
    assert_near(portolan_model_value(model, &far), f(far), 1e-8);
    return model;
}

static double truth_constant(double n)
{
    (void)n;
    return 3.25;
}

static double truth_power(double n)
{
    return 3.4e-7 * n * sqrt(n);
}

static double truth_odd_power(double n)
{
    return 2e-6 * pow(n, 1.87);
}

static double truth_shifted(double n)
{
    return 0.12 + 1e-4 * n * n;
}

static double truth_cubic(double n)
{
    return 1e-3 * n + 2e-6 * n * n * n;
}

static double truth_nlogn(double n)
{
    return 2e-9 * n * log2(n);
}

static double truth_strong_scaling(double n)
{
    return 0.5 + 30 / n;
}

static double truth_banded(double n)
{
    return 1e-4 * n * n + 1e-6 * pow(n, 4);
}

static void exact_rows_give_the_form_they_came_from(void **state)
{
    struct portolan_model *m;

    m = fit_exact(truth_constant, 1);
    assert_int_equal(family_of(m), PORTOLAN_MODEL_CONSTANT);
    assert_string_equal(portolan_model_peek_formula(m), "3.25");
    portolan_model_destroy(m);
    m = fit_exact(truth_power, 1);
    assert_int_equal(family_of(m), PORTOLAN_MODEL_POWER);
    assert_term(m, 0, 3.4e-7, 1.5, 0);
    assert_string_equal(portolan_model_peek_formula(m), "3.4e-07 n^1.5");
    portolan_model_destroy(m);
    m = fit_exact(truth_odd_power, 1);
    assert_term(m, 0, 2e-6, 1.87, 0);
    portolan_model_destroy(m);
    m = fit_exact(truth_shifted, 2);
    assert_int_equal(family_of(m), PORTOLAN_MODEL_POLYNOMIAL);
    assert_string_equal(portolan_model_peek_formula(m), "0.12 + 0.0001 n^2");
    portolan_model_destroy(m);
    m = fit_exact(truth_cubic, 2);
    assert_string_equal(portolan_model_peek_formula(m), "0.001 n + 2e-06 n^3");
    portolan_model_destroy(m);
    m = fit_exact(truth_nlogn, 1);
    assert_int_equal(family_of(m), PORTOLAN_MODEL_LOGARITHMIC);
    assert_string_equal(portolan_model_peek_formula(m), "2e-09 n log2(n)");
    portolan_model_destroy(m);
    portolan_model_destroy(fit_exact(truth_strong_scaling, 2));
    portolan_model_destroy(fit_exact(truth_banded, 2));
}

/* Work shared out, and what sharing costs: on 1 to 64 processors. */
static void strong_scaling_has_terms_that_fall_and_terms_that_rise(void **state)
{
    static const struct {
        double constant, shared, log, line;
        const char *formula;
    } cases[] = {
        {0, 12, 0, 0, "12 n^-1"},
        {0.5, 12, 0, 0, "0.5 + 12 n^-1"},
        {0.5, 12, 0.25, 0, "0.5 + 0.25 log2(n) + 12 n^-1"},
        {0, 12, 0, 0.02, "0.02 n + 12 n^-1"},
        {0.5, 12, 0, 0.02, "0.5 + 0.02 n + 12 n^-1"},
    };

    for (size_t k = 0; k < COUNT(cases); k++) {
        struct portolan_model *m;
        double x[7], y[7];

        for (size_t i = 0; i < 7; i++) {
            x[i] = ldexp(1, (int)i);
            y[i] = cases[k].constant + cases[k].shared / x[i] + cases[k].log * log2(x[i]) +
                   cases[k].line * x[i];
        }
        m = fit_rows(1, 7, x, y, NULL);
        assert_string_equal(portolan_model_peek_formula(m), cases[k].formula);
        portolan_model_destroy(m);
    }
}

/* Two terms of the list side by side, neither of them a whole power. */
static void a_logarithm_may_stand_beside_a_root(void **state)
{
    struct portolan_model *m;
    double x[8], y[8];

    for (size_t i = 0; i < 8; i++) {
        x[i] = 10 * (double)((i + 1) * (i + 1));
        y[i] = 0.1 * sqrt(x[i]) + 0.01 * x[i] * log2(x[i]);
    }
    m = fit_rows(1, 8, x, y, NULL);
    assert_string_equal(portolan_model_peek_formula(m), "0.1 n^0.5 + 0.01 n log2(n)");
    portolan_model_destroy(m);
}

/* 0.1 % noise: a form of the list is 3 to 8 % off, but no plain power of it is worth a second look.
 */
static void a_power_off_the_list_is_found_among_many_precise_points(void **state)
{
    uint64_t seed = 152;

    for (double span = 512; span < 20000; span *= 32) {
        double x[30], y[30];
        struct portolan_model *model;
        const struct portolan_model_term *terms;
        size_t n;

        for (size_t i = 0; i < COUNT(x); i++) {
            x[i] = 512 * pow(span, (double)i / 29);
            y[i] = 3e-7 * pow(x[i], 1.37) * (1 + 0.001 * normal(&seed));
        }
        model = fit_rows(1, COUNT(x), x, y, NULL);
        terms = portolan_model_peek_terms(model, &n);
        assert_int_equal(n, 1);
        assert_near(terms[0].shape.exponents[0], 1.37, 0.001);
        portolan_model_destroy(model);
    }
}

static void one_point_gives_a_constant_that_admits_to_know_nothing(void **state)
{
    static const double x[] = {64}, y[] = {2.5};
    struct portolan_model *m = fit_rows(1, 1, x, y, NULL);
    struct portolan_prediction p;
    double far = 128;
    size_t n;

    assert_int_equal(family_of(m), PORTOLAN_MODEL_CONSTANT);
    assert_int_equal(portolan_model_predict(m, x, &p), PORTOLAN_OK);
    assert_near(p.value, 2.5, 1e-15);
    assert_true(p.is_assumed && !p.extrapolates);
    assert_near(p.high - p.value, 1.95996398454 * PORTOLAN_MODEL_ASSUMED_ERROR * sqrt(2) * 2.5,
                1e-9);
    assert_int_equal(portolan_model_predict(m, &far, &p), PORTOLAN_OK);
    assert_true(p.is_assumed && p.extrapolates);
    assert_true(p.low < 0.5 && p.high > 10);
    assert_true(isnan(portolan_model_peek_terms(m, &n)[0].std_error));
    portolan_model_destroy(m);
}

static void two_points_alike_give_a_constant(void **state)
{
    static const double x[] = {16, 32}, y[] = {1.00, 1.02};
    struct portolan_model *m = fit_rows(1, 2, x, y, NULL);

    assert_int_equal(family_of(m), PORTOLAN_MODEL_CONSTANT);
    portolan_model_destroy(m);
}

static void two_points_apart_give_a_power_law(void **state)
{
    static const double x[] = {16, 32}, y[] = {1, 4};
    struct portolan_model *m = fit_rows(1, 2, x, y, NULL);
    double far = 64;
    struct portolan_prediction p;

    assert_int_equal(family_of(m), PORTOLAN_MODEL_POWER);
    assert_term(m, 0, 1. / 256, 2, 0);
    assert_int_equal(portolan_model_predict(m, &far, &p), PORTOLAN_OK);
    assert_true(p.is_assumed && p.extrapolates);
    assert_true(p.low < 12 && p.high > 20);
    portolan_model_destroy(m);
}

static void repetitions_decide_whether_two_points_differ(void **state)
{
    static const double x[] = {16, 16, 16, 32, 32, 32};
    static const double noisy[] = {1, 1.3, 0.7, 1.2, 1.6, 0.9};
    static const double steady[] = {1, 1.001, 0.999, 1.02, 1.021, 1.019};
    struct portolan_model *m = fit_rows(1, 6, x, noisy, NULL);

    assert_int_equal(family_of(m), PORTOLAN_MODEL_CONSTANT);
    assert_int_equal(portolan_model_peek_summary(m)->n_points, 2);
    portolan_model_destroy(m);
    m = fit_rows(1, 6, x, steady, NULL);
    assert_int_equal(family_of(m), PORTOLAN_MODEL_POWER);
    assert_false(portolan_model_peek_summary(m)->sigma_is_assumed);
    portolan_model_destroy(m);
}

static void a_spike_among_repetitions_moves_nothing(void **state)
{
    double x[15], y[15];
    struct portolan_model *m;

    for (size_t i = 0; i < 15; i++) {
        x[i] = sizes[i / 3];
        y[i] = truth_shifted(x[i]) * (i == 4 || i == 9 ? 80 : 1);
    }
    m = fit_rows(1, 15, x, y, NULL);
    assert_term(m, 0, 0.12, 0, 0);
    assert_term(m, 1, 1e-4, 2, 0);
    assert_int_equal(portolan_model_peek_summary(m)->n_rows, 15);
    assert_int_equal(portolan_model_peek_summary(m)->n_points, 5);
    portolan_model_destroy(m);
}

static void a_spike_without_repetitions_is_left_out_and_counted(void **state)
{
    static const double x[] = {16, 20, 24, 32, 40, 48, 64};
    double y[COUNT(x)];
    struct portolan_model *m;

    for (size_t i = 0; i < COUNT(x); i++)
        y[i] = truth_shifted(x[i]) * (i == 3 ? 30 : 1);
    m = fit_rows(1, COUNT(x), x, y, NULL);
    assert_term(m, 1, 1e-4, 2, 0);
    assert_int_equal(portolan_model_peek_summary(m)->n_outliers, 1);
    assert_near(portolan_model_peek_summary(m)->max, 0, 1e-9);
    portolan_model_destroy(m);
}

static void zeros_among_the_values_are_legal(void **state)
{
    static const double x[] = {1, 2, 3, 4, 5}, some[] = {0, 1e-6, 2e-6, 3e-6, 4e-6}, none[5];
    struct portolan_model *m = fit_rows(1, 5, x, some, NULL);
    struct portolan_prediction p;

    assert_near(portolan_model_peek_summary(m)->floor, 1e-6, 1e-12);
    assert_int_equal(portolan_model_predict(m, x + 4, &p), PORTOLAN_OK);
    assert_true(p.low <= 4e-6 && p.high >= 4e-6);
    portolan_model_destroy(m);
    m = fit_rows(1, 5, x, none, NULL);
    assert_true(portolan_model_value(m, x) == 0);
    portolan_model_destroy(m);
}

static void parameters_that_are_zero_or_negative_use_whole_powers_only(void **state)
{
    static const double x[] = {-2, -1, 0, 1, 2, 3}, y[] = {5, 2, 1, 2, 5, 10};
    struct portolan_model *m = fit_rows(1, 6, x, y, NULL);

    assert_string_equal(portolan_model_peek_formula(m), "1 + 1 n^2");
    portolan_model_destroy(m);
}

static void negative_constants_come_only_when_allowed(void **state)
{
    static const double x[] = {10, 20, 30, 40, 50}, y[] = {15, 35, 55, 75, 95};
    static const double noisy[] = {14.8, 35.3, 54.9, 75.4, 94.6};
    struct portolan_model_options any = {.allow_negative = true};
    struct portolan_model *m = fit_rows(1, 5, x, y, &any);
    const struct portolan_model_term *terms;
    size_t n;

    assert_term(m, 0, -5, 0, 0);
    assert_term(m, 1, 2, 1, 0);
    assert_string_equal(portolan_model_peek_formula(m), "-5 + 2 n");
    portolan_model_destroy(m);
    /* They are if no other form is exact and that one is. */
    m = fit_rows(1, 5, x, y, NULL);
    assert_string_equal(portolan_model_peek_formula(m), "-5 + 2 n");
    assert_true(portolan_model_peek_summary(m)->bounded);
    portolan_model_destroy(m);
    m = fit_rows(1, 5, x, noisy, NULL);
    terms = portolan_model_peek_terms(m, &n);
    for (size_t j = 0; j < n; j++)
        assert_true(terms[j].constant >= 0);
    portolan_model_destroy(m);
}

static void weights_tell_which_rows_to_believe(void **state)
{
    static const char *const name = "n";
    static const double x[] = {7, 7, 7}, y[] = {1, 2, 5}, weight[] = {1, 3, 1}, off[] = {0, 1, 0};
    struct portolan_model_data data = {1, &name, 3, x, y, weight};
    struct portolan_model *m;

    assert_int_equal(portolan_model_fit(&data, NULL, &m, NULL), PORTOLAN_OK);
    assert_near(portolan_model_value(m, x), 2, 1e-15);
    portolan_model_destroy(m);
    data.weight = off;
    assert_int_equal(portolan_model_fit(&data, NULL, &m, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_peek_summary(m)->n_rows, 1);
    portolan_model_destroy(m);
}

static void expect_invalid(struct portolan_model_data data,
                           const struct portolan_model_options *options, const char *word)
{
    struct portolan_model *untouched = (struct portolan_model *)&data;
    struct portolan_error err = {0};

    assert_int_equal(portolan_model_fit(&data, options, &untouched, &err), PORTOLAN_EINVAL);
    assert_ptr_equal(untouched, &data);
    assert_non_null(strstr(err.text, word));
}

static void bad_rows_are_refused_with_a_reason(void **state)
{
    static const char *const names[] = {"n", "n"}, *const blank[] = {"a b"};
    static const double x[] = {1, 2, 3, 4}, y[] = {1, NAN}, fine[] = {1, 2}, w[] = {1, -1};
    static const double huge[] = {1, 1e61}, heavy[] = {1e300, 1};
    struct portolan_model_options much = {.confidence = 1};

    expect_invalid((struct portolan_model_data){1, names, 0, x, y, NULL}, NULL, "one row");
    expect_invalid((struct portolan_model_data){1, names, 2, x, y, NULL}, NULL, "row 2");
    expect_invalid((struct portolan_model_data){2, names, 2, x, fine, NULL}, NULL, "same name");
    expect_invalid((struct portolan_model_data){1, blank, 2, x, fine, NULL}, NULL, "blanks");
    expect_invalid((struct portolan_model_data){1, NULL, 2, x, fine, NULL}, NULL, "name");
    expect_invalid((struct portolan_model_data){9, names, 2, x, fine, NULL}, NULL, "at most");
    expect_invalid((struct portolan_model_data){1, names, 2, x, fine, w}, NULL, "weight");
    expect_invalid((struct portolan_model_data){1, names, 2, x, huge, NULL}, NULL, "row 2");
    expect_invalid((struct portolan_model_data){1, names, 2, x, fine, heavy}, NULL, "row 1");
    expect_invalid((struct portolan_model_data){1, names, 2, x, fine, NULL}, &much, "confidence");
}

static void no_parameters_give_a_constant_with_its_error(void **state)
{
    static const double y[] = {9, 10, 11};
    struct portolan_model_options absolute = {.weighting = PORTOLAN_MODEL_ABSOLUTE};
    struct portolan_model *m = fit_rows(0, 3, NULL, y, &absolute);
    struct portolan_prediction p;

    assert_int_equal(portolan_model_predict(m, NULL, &p), PORTOLAN_OK);
    assert_near(p.value, 10, 1e-15);
    assert_near(portolan_model_peek_summary(m)->sigma_repeat, 1, 1e-12);
    assert_true(p.low < 6 && p.high > 14 && !p.extrapolates);
    portolan_model_destroy(m);
}

/* ---- rows at random, sane and not ---- */

static double strange(uint64_t *seed)
{
    double r = uniform(seed), size = pow(10, 120 * uniform(seed) - 60);

    if (r < 0.3)
        return floor(uniform(seed) * 4);
    if (r < 0.4)
        return -uniform(seed);
    if (r < 0.6)
        return r < 0.55 ? size : -size;
    return r < 0.63 ? 5e-324 : uniform(seed) * 10;
}

static void assert_sound(const struct portolan_model *m, const double *x)
{
    const struct portolan_model_summary *sum = portolan_model_peek_summary(m);
    struct portolan_prediction p;
    const struct portolan_model_term *terms;
    size_t n;

    terms = portolan_model_peek_terms(m, &n);
    for (size_t j = 0; j < n; j++)
        assert_true(isfinite(terms[j].constant) && (!sum->nonnegative || terms[j].constant >= 0));
    assert_true(isfinite(sum->sigma) && sum->sigma >= 0 && isfinite(sum->rms));
    assert_int_equal(portolan_model_predict(m, x, &p), PORTOLAN_OK);
    assert_true(p.low <= p.value && p.value <= p.high);
}

static void whatever_the_rows_the_model_is_sound(void **state)
{
    static const char *const names[] = {"n", "m", "k"};
    uint64_t seed = 602214076;

    for (int round = 0; round < 3000; round++) {
        size_t n_params = (size_t)(uniform(&seed) * 4), n = 1 + (size_t)(uniform(&seed) * 9);
        double x[27], y[9];
        struct portolan_model_data data = {n_params, names, n, x, y, NULL};
        struct portolan_model_options options = {
            .allow_negative = uniform(&seed) < 0.4,
            .weighting = uniform(&seed) < 0.3 ? PORTOLAN_MODEL_ABSOLUTE : PORTOLAN_MODEL_RELATIVE,
            .only_products = uniform(&seed) < 0.3};
        struct portolan_model *m;

        for (size_t i = 0; i < n; i++)
            y[i] = round % 2 ? strange(&seed) : 100 * uniform(&seed);
        for (size_t i = 0; i < n * n_params; i++)
            x[i] = round % 3 ? floor(1 + 6 * uniform(&seed)) : strange(&seed);
        assert_int_equal(portolan_model_fit(&data, &options, &m, NULL), PORTOLAN_OK);
        assert_sound(m, x);
        portolan_model_destroy(m);
    }
}

UNIT_TESTS(cmocka_unit_test(exact_rows_give_the_form_they_came_from),
           cmocka_unit_test(strong_scaling_has_terms_that_fall_and_terms_that_rise),
           cmocka_unit_test(a_logarithm_may_stand_beside_a_root),
           cmocka_unit_test(a_power_off_the_list_is_found_among_many_precise_points),
           cmocka_unit_test(one_point_gives_a_constant_that_admits_to_know_nothing),
           cmocka_unit_test(two_points_alike_give_a_constant),
           cmocka_unit_test(two_points_apart_give_a_power_law),
           cmocka_unit_test(repetitions_decide_whether_two_points_differ),
           cmocka_unit_test(a_spike_among_repetitions_moves_nothing),
           cmocka_unit_test(a_spike_without_repetitions_is_left_out_and_counted),
           cmocka_unit_test(zeros_among_the_values_are_legal),
           cmocka_unit_test(parameters_that_are_zero_or_negative_use_whole_powers_only),
           cmocka_unit_test(negative_constants_come_only_when_allowed),
           cmocka_unit_test(weights_tell_which_rows_to_believe),
           cmocka_unit_test(bad_rows_are_refused_with_a_reason),
           cmocka_unit_test(no_parameters_give_a_constant_with_its_error),
           cmocka_unit_test(whatever_the_rows_the_model_is_sound))
