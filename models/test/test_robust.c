/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that are not normal: spikes, heavy tails, points that are bad as a whole. */
#include "check.h"

#include <string.h>

enum { SIZES = 5, REPEATS = 5, ROWS = SIZES * REPEATS };

static const double sizes[SIZES] = {16, 32, 64, 128, 256};

static bool same_terms(const struct portolan_model *a, const struct portolan_model *b)
{
    size_t n, m;
    const struct portolan_model_term *s = portolan_model_peek_terms(a, &n);
    const struct portolan_model_term *t = portolan_model_peek_terms(b, &m);

    if (n != m)
        return false;
    for (size_t j = 0; j < n; j++)
        if (!shape_equal(&s[j].shape, &t[j].shape, 1))
            return false;
    return true;
}

static double truth(int which, double n)
{
    switch (which) {
    case 0:
        return 3;
    case 1:
        return 1 + 0.02 * n;
    case 2:
        return 1e-4 * n * n;
    case 3:
        return 0.5 + 1e-7 * n * n * n;
    case 4:
        return 1e-3 * n * log2(n);
    default:
        return 0.2 + 16 / n;
    }
}

/* Every row 1 % off at random, and two in a hundred of them 10 to 100 times too long. */
static void spikes_change_no_chosen_term(void **state)
{
    uint64_t seed = 662607015;
    int spikes = 0;

    for (int round = 0; round < 300; round++) {
        struct portolan_model *clean, *spiked, *without;
        double x[ROWS], y[ROWS], kept_x[ROWS], kept_y[ROWS];
        size_t kept = 0, i;
        double good[ROWS];

        for (i = 0; i < ROWS; i++) {
            x[i] = sizes[i / REPEATS];
            good[i] = y[i] = truth(round % 6, x[i]) * (1 + 0.01 * normal(&seed));
            if (uniform(&seed) < 0.02) {
                y[i] *= 10 + 90 * uniform(&seed);
                spikes++;
            } else {
                kept_x[kept] = x[i];
                kept_y[kept++] = y[i];
            }
        }
        clean = fit_rows(1, ROWS, x, good, NULL);
        spiked = fit_rows(1, ROWS, x, y, NULL);
        without = fit_rows(1, kept, kept_x, kept_y, NULL);
        assert_true(same_terms(clean, spiked));
        assert_true(same_terms(without, spiked));
        for (i = 0; i < SIZES; i++)
            assert_near(portolan_model_value(spiked, &sizes[i]),
                        portolan_model_value(without, &sizes[i]), 0.01);
        portolan_model_destroy(clean);
        portolan_model_destroy(spiked);
        portolan_model_destroy(without);
    }
    assert_true(spikes > 100);
}

/* ---- statistics of repetitions ---- */

static double constant_of(const double *y, size_t n, enum portolan_model_statistic statistic)
{
    struct portolan_model_data data = {.n_rows = n, .y = y};
    struct portolan_model_options options = {.statistic = statistic};
    struct portolan_model *m;
    double value;

    assert_int_equal(portolan_model_fit(&data, &options, &m, NULL), PORTOLAN_OK);
    value = portolan_model_value(m, NULL);
    portolan_model_destroy(m);
    return value;
}

static void a_statistic_stands_for_the_repetitions(void **state)
{
    static const double y[] = {6, 1, 2};

    assert_near(constant_of(y, 3, PORTOLAN_MODEL_MEDIAN), 2, 1e-15);
    assert_near(constant_of(y, 3, PORTOLAN_MODEL_MEAN), 3, 1e-15);
    assert_near(constant_of(y, 3, PORTOLAN_MODEL_MINIMUM), 1, 1e-15);
    assert_near(constant_of(y, 3, PORTOLAN_MODEL_MAXIMUM), 6, 1e-15);
    assert_near(constant_of(y, 3, PORTOLAN_MODEL_DEVIATION), sqrt(7), 1e-15);
}

static void the_deviation_is_modelled_where_there_are_repetitions(void **state)
{
    static const char *const name = "n";
    struct portolan_model_options options = {.statistic = PORTOLAN_MODEL_DEVIATION};
    double x[3 * SIZES + 1], y[3 * SIZES + 1];
    struct portolan_model_data data = {1, &name, 3 * SIZES + 1, x, y, NULL};
    struct portolan_error err = {0};
    struct portolan_model *m = NULL;
    const double at = 1000;

    for (size_t i = 0; i < 3 * SIZES; i++) {
        x[i] = sizes[i / 3];
        y[i] = 100 + ((double)(i % 3) - 1) * 0.25 * x[i];
    }
    x[3 * SIZES] = 300;
    y[3 * SIZES] = 1e6;
    assert_int_equal(portolan_model_fit(&data, &options, &m, NULL), PORTOLAN_OK);
    assert_near(portolan_model_value(m, &at), 250, 1e-9);
    assert_int_equal(portolan_model_peek_summary(m)->n_points, SIZES);
    portolan_model_destroy(m);
    data.n_rows = 1;
    assert_int_equal(portolan_model_fit(&data, &options, &m, &err), PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "repetitions"));
    options.statistic = (enum portolan_model_statistic)99;
    assert_int_equal(portolan_model_fit(&data, &options, &m, &err), PORTOLAN_EINVAL);
}

/* -1 to 1 evenly, or with exponential tails on both sides. */
static double error(bool heavy, uint64_t *seed)
{
    double u = 2 * uniform(seed) - 1;

    return heavy ? copysign(log(1 - fabs(u)), u) : u;
}

/* The mean square error of a constant from five points of five rows. */
static double steadiness(bool heavy, enum portolan_model_statistic statistic)
{
    static const char *const name = "n";
    static const struct portolan_model_shape constant;
    uint64_t seed = 299792458;
    double sum = 0;

    for (int round = 0; round < 2000; round++) {
        struct portolan_model_options options = {.statistic = statistic};
        double x[ROWS], y[ROWS], off;
        struct portolan_model_data data = {1, &name, ROWS, x, y, NULL};
        struct portolan_model *m;

        for (size_t i = 0; i < ROWS; i++) {
            x[i] = sizes[i / REPEATS];
            y[i] = 1 + 0.02 * error(heavy, &seed);
        }
        assert_int_equal(portolan_model_fit_terms(&data, &constant, 1, &options, &m, NULL), 0);
        off = portolan_model_value(m, x) - 1;
        sum += off * off;
        portolan_model_destroy(m);
    }
    return sum;
}

/* Of five uniform values the median has 15/7 times the variance of the mean. */
static void the_typical_value_is_the_steadier_one(void **state)
{
    assert_true(steadiness(false, PORTOLAN_MODEL_MEDIAN) >
                1.7 * steadiness(false, PORTOLAN_MODEL_TYPICAL));
    assert_true(steadiness(true, PORTOLAN_MODEL_TYPICAL) <
                1.1 * steadiness(true, PORTOLAN_MODEL_MEDIAN));
    assert_true(steadiness(true, PORTOLAN_MODEL_TYPICAL) < steadiness(true, PORTOLAN_MODEL_MEAN));
}

/* ---- points that are bad as a whole ---- */

static void trimming_leaves_out_whole_points(void **state)
{
    static const double x[] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
    static const struct portolan_model_shape shapes[] = {{.exponents = {0}}, {.exponents = {2}}};
    static const char *const name = "n";
    static const double far_away = 200;
    struct portolan_model_options options = {.trimmed = true};
    double y[9];
    struct portolan_model_data data = {1, &name, 9, x, y, NULL};
    struct portolan_model *m;

    for (size_t i = 0; i < 9; i++)
        y[i] = (2 + 1e-3 * x[i] * x[i]) * (i == 2 ? 1.4 : i == 7 ? 0.6 : 1);
    assert_int_equal(portolan_model_fit_terms(&data, shapes, 2, &options, &m, NULL), 0);
    assert_near(portolan_model_value(m, &far_away), 42, 1e-9);
    assert_int_equal(portolan_model_peek_summary(m)->n_outliers, 2);
    portolan_model_destroy(m);
    assert_int_equal(portolan_model_fit(&data, &options, &m, NULL), 0);
    assert_string_equal(portolan_model_peek_formula(m), "2 + 0.001 n^2");
    assert_int_equal(portolan_model_peek_summary(m)->n_outliers, 2);
    portolan_model_destroy(m);
    options.trimmed = false;
    assert_int_equal(portolan_model_fit_terms(&data, shapes, 2, &options, &m, NULL), 0);
    assert_true(fabs(portolan_model_value(m, &far_away) / 42 - 1) > 0.05);
    portolan_model_destroy(m);
}

/* Relative least squares of a line, straight from the textbook. */
static double plain_line(size_t n, const double *x, const double *y, double at)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0, slope;

    for (size_t i = 0; i < n; i++) {
        double w = 1 / ((1 + 0.1 * x[i]) * (1 + 0.1 * x[i]));

        s += w;
        sx += w * x[i];
        sxx += w * x[i] * x[i];
        sy += w * y[i];
        sxy += w * x[i] * y[i];
    }
    slope = (s * sxy - sx * sy) / (s * sxx - sx * sx);
    return (sy - slope * sx) / s + slope * at;
}

static void one_point_a_third_off_moves_the_line_little(void **state)
{
    static const struct portolan_model_shape shapes[] = {{.exponents = {0}}, {.exponents = {1}}};
    static const char *const name = "n";
    uint64_t seed = 137035999;
    double x[12], y[12], worst = 0, worst_plain = 0;
    struct portolan_model_data data = {1, &name, 12, x, y, NULL};
    const double at = 240, expected = 25;

    for (int round = 0; round < 100; round++) {
        struct portolan_model *m;

        for (size_t i = 0; i < 12; i++) {
            x[i] = 10 * (double)(i + 1);
            y[i] = (1 + 0.1 * x[i]) * (1 + 0.005 * normal(&seed)) * (i == 11 ? 1.33 : 1);
        }
        assert_int_equal(portolan_model_fit_terms(&data, shapes, 2, NULL, &m, NULL), 0);
        worst = fmax(worst, fabs(portolan_model_value(m, &at) / expected - 1));
        worst_plain = fmax(worst_plain, fabs(plain_line(12, x, y, at) / expected - 1));
        portolan_model_destroy(m);
    }
    assert_true(worst < 0.03);
    assert_true(worst_plain > 0.06);
}

UNIT_TESTS(cmocka_unit_test(spikes_change_no_chosen_term),
           cmocka_unit_test(a_statistic_stands_for_the_repetitions),
           cmocka_unit_test(the_deviation_is_modelled_where_there_are_repetitions),
           cmocka_unit_test(the_typical_value_is_the_steadier_one),
           cmocka_unit_test(trimming_leaves_out_whole_points),
           cmocka_unit_test(one_point_a_third_off_moves_the_line_little))
