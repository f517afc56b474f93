/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares against certified values and published numbers. */
#include "check.h"

#include <portolan/formula.h>

#include <string.h>

/* NIST Statistical Reference Datasets: Norris (y, x). */
static const double norris[][2] = {
    {0.1, 0.2},     {338.8, 337.4}, {118.1, 118.2}, {888.0, 884.6}, {9.2, 10.1},    {228.1, 226.5},
    {668.5, 666.3}, {998.5, 996.3}, {449.1, 448.6}, {778.9, 777.0}, {559.2, 558.2}, {0.3, 0.4},
    {0.1, 0.6},     {778.1, 775.5}, {668.8, 666.9}, {339.3, 338.0}, {448.9, 447.5}, {10.8, 11.6},
    {557.7, 556.0}, {228.3, 228.1}, {998.0, 995.8}, {888.8, 887.6}, {119.6, 120.2}, {0.3, 0.3},
    {0.6, 0.3},     {557.6, 556.8}, {339.3, 339.1}, {888.0, 887.2}, {998.5, 999.0}, {778.9, 779.0},
    {10.2, 11.1},   {117.6, 118.3}, {228.9, 229.2}, {668.4, 669.1}, {449.2, 448.9}, {0.2, 0.5},
};

/* NIST: Longley (y, x1 … x6). */
static const double longley[][7] = {
    {60323, 83.0, 234289, 2356, 1590, 107608, 1947},
    {61122, 88.5, 259426, 2325, 1456, 108632, 1948},
    {60171, 88.2, 258054, 3682, 1616, 109773, 1949},
    {61187, 89.5, 284599, 3351, 1650, 110929, 1950},
    {63221, 96.2, 328975, 2099, 3099, 112075, 1951},
    {63639, 98.1, 346999, 1932, 3594, 113270, 1952},
    {64989, 99.0, 365385, 1870, 3547, 115094, 1953},
    {63761, 100.0, 363112, 3578, 3350, 116219, 1954},
    {66019, 101.2, 397469, 2904, 3048, 117388, 1955},
    {67857, 104.6, 419180, 2822, 2857, 118734, 1956},
    {68169, 108.4, 442769, 2936, 2798, 120445, 1957},
    {66513, 110.8, 444546, 4681, 2637, 121950, 1958},
    {68655, 112.6, 482704, 3813, 2552, 123366, 1959},
    {69564, 114.2, 502601, 3931, 2514, 125368, 1960},
    {69331, 115.7, 518173, 4806, 2572, 127852, 1961},
    {70551, 116.9, 554894, 4007, 2827, 130081, 1962},
};
static const double longley_b[] = {-3482258.63459582, 15.0618722713733,  -0.358191792925910e-1,
                                   -2.02022980381683, -1.03322686717359, -0.511041056535807e-1,
                                   1829.15146461355};
static const double longley_se[] = {890420.383607373,  84.9149257747669,  0.334910077722432e-1,
                                    0.488399681651699, 0.214274163161675, 0.226073200069370,
                                    455.478499142212};
static const double longley_sd = 304.854073561965;

static void norris_matches_the_certified_values(void **state)
{
    enum { M = COUNT(norris) };
    double a[2 * M], b[M], leverage[M], inverse[4], rss = 0, trace = 0;
    struct linear_fit fit = {.leverage = leverage, .inverse = inverse};
    double s;

    for (size_t i = 0; i < M; i++) {
        a[i] = 1;
        a[M + i] = norris[i][1];
        b[i] = norris[i][0];
    }
    assert_int_equal(linear_full(M, 2, a, b, &fit, NULL), PORTOLAN_OK);
    assert_near(fit.coefficients[0], -0.262323073774029, 1e-11);
    assert_near(fit.coefficients[1], 1.00211681802045, 1e-13);
    for (size_t i = 0; i < M; i++) {
        double e = b[i] - fit.coefficients[0] - fit.coefficients[1] * a[M + i];

        rss += e * e;
        trace += leverage[i];
    }
    s = sqrt(rss / (M - 2));
    assert_near(s, 0.884796396144373, 1e-11);
    assert_near(s * sqrt(inverse[0]), 0.232818234301152, 1e-11);
    assert_near(s * sqrt(inverse[3]), 0.429796848199937e-3, 1e-11);
    assert_near(trace, 2, 1e-12);
}

static void quick_and_full_fits_agree(void **state)
{
    enum { M = COUNT(norris) };
    double a[2 * M], b[M], quick_leverage[M], leverage[M], c[2];
    struct linear_fit fit = {.leverage = leverage};

    for (size_t i = 0; i < M; i++) {
        a[i] = 1;
        a[M + i] = norris[i][1];
        b[i] = norris[i][0];
    }
    assert_int_equal(linear_full(M, 2, a, b, &fit, NULL), PORTOLAN_OK);
    assert_true(linear_quick(M, 2, a, b, c, quick_leverage, NULL));
    assert_near(c[0], fit.coefficients[0], 1e-11);
    assert_near(c[1], fit.coefficients[1], 1e-13);
    for (size_t i = 0; i < M; i++)
        assert_near(quick_leverage[i], leverage[i], 1e-11);
}

/* The columns are so nearly dependent that normal equations lose everything. */
static void longley_matches_the_certified_values(void **state)
{
    enum { M = COUNT(longley) };
    static const char *const names[] = {"x1", "x2", "x3", "x4", "x5", "x6"};
    struct portolan_model_shape shapes[7] = {{.exponents = {0}}};
    struct portolan_model_options options = {.allow_negative = true,
                                             .weighting = PORTOLAN_MODEL_ABSOLUTE};
    double x[6 * M], y[M];
    struct portolan_model_data data = {6, names, M, x, y, NULL};
    const struct portolan_model_term *terms;
    const struct portolan_model_summary *sum;
    struct portolan_model *model;
    size_t n;

    for (size_t i = 0; i < M; i++) {
        y[i] = longley[i][0];
        memcpy(x + 6 * i, longley[i] + 1, 6 * sizeof *x);
    }
    for (size_t j = 1; j < 7; j++)
        shapes[j].exponents[j - 1] = 1;
    assert_int_equal(portolan_model_fit_terms(&data, shapes, 7, &options, &model, NULL),
                     PORTOLAN_OK);
    terms = portolan_model_peek_terms(model, &n);
    sum = portolan_model_peek_summary(model);
    assert_int_equal(n, 7);
    for (size_t j = 0; j < 7; j++) {
        assert_near(terms[j].constant, longley_b[j], 1e-7);
        assert_near(terms[j].std_error, longley_se[j], 1e-7);
    }
    assert_near(sum->sigma, longley_sd, 1e-8);
    assert_near(sum->dof, 9, 0);
    /* Of the columns scaled to length 1: Belsley, Kuh and Welsch, 43275. */
    assert_near(sum->condition, 43275, 1e-3);
    portolan_model_destroy(model);
}

/* ---- the FFT of the CALL paper's Table 1: 2 Mi complex numbers on a Cray T3E ---- */

static const double processors[] = {1, 2, 4, 8, 16, 32};
static const double seconds[] = {11.7748, 6.0036, 3.2120, 1.8939, 1.2750, 0.9664};

/* c0 + c1 log P + c2 (N/P) log(N/P) + c3 N (P-1)/P, with the three expressions as parameters. */
static struct portolan_model *fit_fft(bool allow_negative, enum portolan_model_weighting weighting,
                                      double x[18])
{
    static const char *const names[] = {"logP", "work", "moved"};
    struct portolan_model_shape shapes[4] = {{.exponents = {0}}};
    struct portolan_model_options options = {.allow_negative = allow_negative,
                                             .weighting = weighting};
    struct portolan_model_data data = {3, names, 6, x, seconds, NULL};
    struct portolan_model *model;
    const double n = 1 << 21;

    for (size_t i = 0; i < 6; i++) {
        double p = processors[i];

        x[3 * i] = log2(p);
        x[3 * i + 1] = n / p * log2(n / p);
        x[3 * i + 2] = n * (p - 1) / p;
    }
    for (size_t j = 1; j < 4; j++)
        shapes[j].exponents[j - 1] = 1;
    assert_int_equal(portolan_model_fit_terms(&data, shapes, 4, &options, &model, NULL),
                     PORTOLAN_OK);
    return model;
}

static double worst_error(const struct portolan_model *model, const double *x, double *mean)
{
    double worst = 0;

    *mean = 0;
    for (size_t i = 0; i < 6; i++) {
        double e = fabs(portolan_model_value(model, x + 3 * i) / seconds[i] - 1);

        worst = fmax(worst, e);
        *mean += e / 6;
    }
    return worst;
}

static void the_fft_keeps_two_terms_when_constants_are_not_negative(void **state)
{
    double x[18], mean;
    struct portolan_model *model = fit_fft(false, PORTOLAN_MODEL_RELATIVE, x);
    const struct portolan_model_dropped *dropped;
    const struct portolan_model_term *terms;
    size_t n;

    terms = portolan_model_peek_terms(model, &n);
    assert_int_equal(n, 2);
    assert_near(terms[0].constant, 0.706, 1e-3);
    assert_near(terms[1].constant, 2.52e-7, 2e-3);
    assert_true(terms[1].shape.exponents[1] == 1);
    assert_true(worst_error(model, x, &mean) <= 0.0060);
    dropped = portolan_model_peek_dropped(model, &n);
    assert_int_equal(n, 2);
    assert_int_equal(dropped[0].reason, PORTOLAN_MODEL_DROP_NEGATIVE);
    portolan_model_destroy(model);
}

static void the_fft_has_negative_constants_and_a_bad_condition_otherwise(void **state)
{
    double x[18], mean;
    struct portolan_model *model = fit_fft(true, PORTOLAN_MODEL_RELATIVE, x);
    const struct portolan_model_term *terms;
    bool negative = false;
    size_t n;

    terms = portolan_model_peek_terms(model, &n);
    assert_int_equal(n, 4);
    for (size_t j = 0; j < n; j++)
        negative = negative || terms[j].constant < 0;
    assert_true(negative);
    worst_error(model, x, &mean);
    assert_near(mean, 0.0023, 0.05);
    portolan_model_destroy(model);
    model = fit_fft(true, PORTOLAN_MODEL_ABSOLUTE, x);
    worst_error(model, x, &mean);
    assert_near(mean, 0.0029, 0.05);
    assert_near(portolan_model_peek_summary(model)->condition, 989, 1e-3);
    portolan_model_destroy(model);
}

/* The paper's formula as CALL's pragma has it, fitted to the first N_ROWS rows of the table. */
static struct portolan_model *fit_fft_formula(size_t n_rows,
                                              enum portolan_model_weighting weighting)
{
    static const char text[] = "fft[0] + fft[1]*log(P) + fft[2]*(N/P)*log(N/P) + fft[3]*N*(P-1)/P";
    static const char *const names[] = {"P", "N"};
    struct portolan_model_options options = {.weighting = weighting};
    double x[12];
    struct portolan_model_data data = {2, names, n_rows, x, seconds, NULL};
    struct portolan_formula *formula;
    struct portolan_model *model;

    for (size_t i = 0; i < 6; i++) {
        x[2 * i] = processors[i];
        x[2 * i + 1] = 1 << 21;
    }
    assert_int_equal(
        portolan_formula_parse(text, strlen(text), "fft.c", 1, 1, NULL, &formula, NULL),
        PORTOLAN_OK);
    assert_int_equal(portolan_model_fit_formula(&data, formula, &options, &model, NULL),
                     PORTOLAN_OK);
    portolan_formula_destroy(formula);
    return model;
}

static void assert_fft_within(const struct portolan_model *model, double tolerance)
{
    for (size_t i = 0; i < 6; i++) {
        double x[2] = {processors[i], 1 << 21};

        assert_near(portolan_model_value(model, x), seconds[i], tolerance);
    }
}

/* The paper's own prediction is 6.36, 8.68 and 7.71 % off for 8, 16 and 32 processors. */
static void the_fft_is_predicted_from_four_processors_within_a_percent(void **state)
{
    struct portolan_model *model = fit_fft_formula(6, PORTOLAN_MODEL_RELATIVE);
    size_t n;

    assert_fft_within(model, 0.01);
    portolan_model_peek_terms(model, &n);
    assert_int_equal(n, 2);
    assert_true(portolan_model_peek_summary(model)->condition > 100);
    portolan_model_destroy(model);
    model = fit_fft_formula(3, PORTOLAN_MODEL_RELATIVE);
    assert_fft_within(model, 0.01);
    portolan_model_destroy(model);
    model = fit_fft_formula(6, PORTOLAN_MODEL_ABSOLUTE);
    assert_near(portolan_model_peek_summary(model)->condition, 989, 1e-3);
    portolan_model_destroy(model);
}

/* ---- non-negative least squares ---- */

/* The minimum is where no free gradient is positive and all others vanish (Kuhn and Tucker). */
static void assert_optimal(size_t m, size_t k, const double *a, const double *b, const double *c)
{
    for (size_t j = 0; j < k; j++) {
        double gradient = 0, size = 0;

        for (size_t i = 0; i < m; i++) {
            double e = b[i];

            for (size_t l = 0; l < k; l++)
                e -= a[l * m + i] * c[l];
            gradient += a[j * m + i] * e;
            size += fabs(a[j * m + i] * b[i]);
        }
        assert_true(c[j] >= 0);
        assert_true(gradient <= 1e-9 * size);
        if (c[j] > 0)
            assert_true(fabs(gradient) <= 1e-9 * size);
    }
}

static void non_negative_fits_satisfy_kuhn_and_tucker(void **state)
{
    uint64_t seed = 20010607;
    double a[8 * 12], b[12], work[9 * 12], c[8];

    for (int round = 0; round < 500; round++) {
        size_t m = 2 + (size_t)(uniform(&seed) * 11), k = 1 + (size_t)(uniform(&seed) * 8);

        for (size_t i = 0; i < m * k; i++)
            a[i] = uniform(&seed) - (round % 3 ? 0 : 0.5);
        for (size_t i = 0; i < m; i++)
            b[i] = uniform(&seed) - (round % 2 ? 0 : 0.5);
        if (round % 5 == 0 && k > 1)
            memcpy(a + (k - 1) * m, a, m * sizeof *a);
        for (size_t j = 0; j < k; j++)
            c[j] = round % 7 ? 0 : uniform(&seed) - 0.3; /* where it begins */
        linear_nonnegative(m, k, a, b, work, c);
        assert_optimal(m, k, a, b, c);
    }
}

static void dependent_columns_are_found(void **state)
{
    static const double a[] = {1, 1, 1, 1, 1, 2, 3, 4, 2, 4, 6, 8}, b[] = {3, 5, 7, 9};
    struct linear_fit fit = {0};
    double c0;

    assert_int_equal(linear_full(4, 3, a, b, &fit, NULL), PORTOLAN_OK);
    assert_int_equal(fit.rank, 2);
    assert_true(isinf(fit.condition));
    assert_true(fit.dependent[1] != fit.dependent[2]);
    c0 = fit.coefficients[1] + 2 * fit.coefficients[2];
    assert_near(c0, 2, 1e-12);
    assert_near(fit.coefficients[0], 1, 1e-12);
}

UNIT_TESTS(cmocka_unit_test(norris_matches_the_certified_values),
           cmocka_unit_test(quick_and_full_fits_agree),
           cmocka_unit_test(longley_matches_the_certified_values),
           cmocka_unit_test(the_fft_keeps_two_terms_when_constants_are_not_negative),
           cmocka_unit_test(the_fft_has_negative_constants_and_a_bad_condition_otherwise),
           cmocka_unit_test(the_fft_is_predicted_from_four_processors_within_a_percent),
           cmocka_unit_test(non_negative_fits_satisfy_kuhn_and_tucker),
           cmocka_unit_test(dependent_columns_are_found))
