/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions: intervals against textbook formulas, marks outside the rows, and how well they do.
 */
#include "check.h"

#include <string.h>

/* y = a + b x by the formulas of any textbook, written out. */
struct line {
    double a, b, s, mean_x, sxx, n;
};

static struct line textbook_line(size_t n, const double *x, const double *y)
{
    struct line l = {.n = (double)n};
    double mean_y = 0, sxy = 0;

    for (size_t i = 0; i < n; i++) {
        l.mean_x += x[i] / l.n;
        mean_y += y[i] / l.n;
    }
    for (size_t i = 0; i < n; i++) {
        l.sxx += (x[i] - l.mean_x) * (x[i] - l.mean_x);
        sxy += (x[i] - l.mean_x) * (y[i] - mean_y);
    }
    l.b = sxy / l.sxx;
    l.a = mean_y - l.b * l.mean_x;
    for (size_t i = 0; i < n; i++)
        l.s += pow(y[i] - l.a - l.b * x[i], 2) / (l.n - 2);
    l.s = sqrt(l.s);
    return l;
}

static const double x7[] = {1, 2, 3, 4, 5, 6, 8}, y7[] = {2.9, 5.2, 6.8, 9.3, 10.9, 13.1, 17.2};

static struct portolan_model *fit_line(const struct portolan_model_options *options)
{
    static const char *const name = "n";
    struct portolan_model_shape shapes[] = {{.logs = {0}}, {.exponents = {1}}};
    struct portolan_model_data data = {1, &name, COUNT(x7), x7, y7, NULL};
    struct portolan_model *model;

    assert_int_equal(portolan_model_fit_terms(&data, shapes, 2, options, &model, NULL),
                     PORTOLAN_OK);
    return model;
}

static void a_line_has_the_intervals_of_the_textbook(void **state)
{
    static const double at[] = {1, 3.5, 8, 20};
    struct portolan_model_options options = {.weighting = PORTOLAN_MODEL_ABSOLUTE};
    struct line l = textbook_line(COUNT(x7), x7, y7);
    struct portolan_model *model = fit_line(&options);
    const double t5 = 2.57058183661; /* 95 %, 5 degrees of freedom */

    for (size_t i = 0; i < COUNT(at); i++) {
        double d = at[i] - l.mean_x, part = 1 / l.n + d * d / l.sxx;
        struct portolan_prediction p;

        assert_int_equal(portolan_model_predict(model, &at[i], &p), PORTOLAN_OK);
        assert_near(p.value, l.a + l.b * at[i], 1e-12);
        assert_near(p.std_error, l.s * sqrt(part), 1e-10);
        assert_near(p.high - p.value, t5 * l.s * sqrt(1 + part), 1e-9);
        assert_near(p.value - p.low, t5 * l.s * sqrt(1 + part), 1e-9);
        assert_int_equal(p.extrapolates, at[i] > 8);
    }
    portolan_model_destroy(model);
}

/* Each point left out and the line fitted anew, instead of e/(1-h). */
static void leave_one_out_is_what_it_says(void **state)
{
    struct portolan_model_options options = {.weighting = PORTOLAN_MODEL_ABSOLUTE};
    struct portolan_model *model = fit_line(&options);
    double sum = 0;

    for (size_t out = 0; out < COUNT(x7); out++) {
        double x[COUNT(x7)], y[COUNT(x7)];
        size_t n = 0;
        struct line l;

        for (size_t i = 0; i < COUNT(x7); i++)
            if (i != out) {
                x[n] = x7[i];
                y[n++] = y7[i];
            }
        l = textbook_line(n, x, y);
        sum += pow(y7[out] - l.a - l.b * x7[out], 2);
    }
    assert_near(portolan_model_peek_summary(model)->leave_one_out, sqrt(sum / COUNT(x7)), 1e-11);
    portolan_model_destroy(model);
}

static void confidence_widens_the_interval(void **state)
{
    struct portolan_model_options options = {.weighting = PORTOLAN_MODEL_ABSOLUTE,
                                             .confidence = 0.99};
    struct portolan_model *wide = fit_line(&options), *narrow;
    struct portolan_prediction p, q;

    options.confidence = 0.50;
    narrow = fit_line(&options);
    assert_int_equal(portolan_model_predict(wide, x7, &p), PORTOLAN_OK);
    assert_int_equal(portolan_model_predict(narrow, x7, &q), PORTOLAN_OK);
    /* t for 5 degrees of freedom: 4.03214 and 0.726687. */
    assert_near((p.high - p.low) / (q.high - q.low), 4.03214298 / 0.72668684, 1e-7);
    portolan_model_destroy(wide);
    portolan_model_destroy(narrow);
}

/* Relative weights: the fixed point of weighing by the fit solves the weighted normal equations. */
static void relative_weights_are_those_of_the_fit(void **state)
{
    struct portolan_model *model = fit_line(NULL);
    double first = 0, second = 0;

    for (size_t i = 0; i < COUNT(x7); i++) {
        double v = portolan_model_value(model, &x7[i]);

        first += (y7[i] - v) / (v * v);
        second += (y7[i] - v) / (v * v) * x7[i];
    }
    assert_near(first, 0, 1e-10);
    assert_near(second, 0, 1e-10);
    portolan_model_destroy(model);
}

static void farther_outside_is_less_certain(void **state)
{
    static const double x[] = {16, 24, 32, 48}, y[] = {0.10, 0.23, 0.41, 0.90};
    struct portolan_model *model = fit_rows(1, 4, x, y, NULL);
    const struct portolan_model_range *range = portolan_model_peek_range(model, 0);
    double before = 0;

    assert_true(range->min == 16 && range->max == 48);
    assert_true(range->drift_above > 0 && range->drift_below > 0);
    for (double n = 40; n < 2000; n *= 1.5) {
        struct portolan_prediction p;

        assert_int_equal(portolan_model_predict(model, &n, &p), PORTOLAN_OK);
        assert_int_equal(p.extrapolates, n > 48);
        if (n > 48)
            assert_near(p.octaves, log2(n / 48), 1e-12);
        assert_true((p.high - p.low) / p.value > before);
        before = (p.high - p.low) / p.value;
    }
    portolan_model_destroy(model);
}

/* Rows of n and m that grew together cannot tell which of them costs. */
static void off_the_line_of_parameters_that_grew_together_is_outside_and_less_certain(void **state)
{
    static const double x[] = {4, 4, 8, 8, 16, 16, 32, 32, 64, 64};
    static const double y[] = {0.41, 0.79, 1.62, 3.18, 6.43};
    struct portolan_model *model = fit_rows(2, 5, x, y, NULL);
    struct portolan_prediction p;
    double narrow;

    assert_int_equal(portolan_model_predict(model, (double[]){24, 24}, &p), PORTOLAN_OK);
    assert_false(p.extrapolates);
    narrow = p.high / p.low;
    assert_int_equal(portolan_model_predict(model, (double[]){64, 8}, &p), PORTOLAN_OK);
    assert_true(p.extrapolates);
    assert_near(p.octaves, 1.5, 1e-9);
    assert_true(p.high / p.low > 2 * narrow);
    portolan_model_destroy(model);
}

/* Each parameter alone was varied, and a corner of the grid is missing; a whole grid has none. */
static void a_corner_that_no_row_came_near_is_outside(void **state)
{
    static const double cross[] = {8, 1, 16, 1, 32, 1, 64, 1, 8, 2, 8, 4, 8, 8};
    static const double grid[] = {8, 1, 64, 1, 8, 8, 64, 8, 16, 2};
    struct portolan_model *model, *whole;
    struct portolan_prediction p;
    double y[7];

    for (size_t i = 0; i < 7; i++)
        y[i] = cross[2 * i] / cross[2 * i + 1];
    model = fit_rows(2, 7, cross, y, NULL);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(portolan_model_predict(model, cross + 2 * i, &p), PORTOLAN_OK);
        assert_false(p.extrapolates);
    }
    assert_int_equal(portolan_model_predict(model, (double[]){64, 8}, &p), PORTOLAN_OK);
    assert_true(p.extrapolates);
    assert_near(p.octaves, 1.5, 1e-9);
    portolan_model_destroy(model);

    for (size_t i = 0; i < 5; i++)
        y[i] = grid[2 * i] / grid[2 * i + 1];
    whole = fit_rows(2, 5, grid, y, NULL);
    assert_int_equal(portolan_model_predict(whole, (double[]){60, 1.1}, &p), PORTOLAN_OK);
    assert_false(p.extrapolates);
    assert_int_equal(portolan_model_predict(whole, (double[]){128, 8}, &p), PORTOLAN_OK);
    assert_true(p.extrapolates);
    assert_near(p.octaves, 1, 1e-9);
    portolan_model_destroy(whole);
}

static void where_there_is_no_value_there_is_no_prediction(void **state)
{
    static const double x[] = {2, 4, 8, 16}, y[] = {2, 8, 24, 64}, zero = 0, below = -3;
    struct portolan_model *model = fit_rows(1, 4, x, y, NULL);
    struct portolan_prediction p = {.value = 7};

    assert_string_equal(portolan_model_peek_formula(model), "1 n log2(n)");
    assert_int_equal(portolan_model_predict(model, &zero, &p), PORTOLAN_EINVAL);
    assert_int_equal(portolan_model_predict(model, &below, &p), PORTOLAN_EINVAL);
    assert_true(p.value == 7);
    portolan_model_destroy(model);
}

/* ---- sizes 16 … 48, one prediction at 96, as the Optimizer asks ---- */

static double banded(double n)
{
    return 1e-9 * pow(n, 4);
}

static double overhead(double n)
{
    return 2e-3 + 1e-6 * n * n * n;
}

static double line(double n)
{
    return 2e-3 * n;
}

static double odd(double n)
{
    return 3e-5 * pow(n, 1.63);
}

static double logarithmic(double n)
{
    return 1e-5 * n * log2(n);
}

static double constant(double n)
{
    (void)n;
    return 3;
}

struct score {
    int near, inside;
};

static struct score extrapolate(double (*f)(double), double spikes, uint64_t *seed)
{
    static const double sizes[] = {16, 24, 32, 48};
    const double far = 96;
    struct score score = {0};

    for (int round = 0; round < 100; round++) {
        double x[20], y[20];
        struct portolan_prediction p;
        struct portolan_model *model;

        for (size_t i = 0; i < 20; i++) {
            x[i] = sizes[i / 5];
            y[i] = f(x[i]) * (1 + 0.05 * normal(seed));
            if (uniform(seed) < spikes)
                y[i] *= 10 + 90 * uniform(seed);
        }
        model = fit_rows(1, 20, x, y, NULL);
        assert_int_equal(portolan_model_predict(model, &far, &p), PORTOLAN_OK);
        assert_true(p.extrapolates);
        score.near += fabs(p.value / f(far) - 1) < 0.15;
        score.inside += p.low <= f(far) && f(far) <= p.high;
        portolan_model_destroy(model);
    }
    return score;
}

static void twice_as_far_with_noise_is_near_and_inside_the_interval(void **state)
{
    static double (*const truths[])(double) = {banded, overhead, line, odd, logarithmic, constant};
    uint64_t seed = 314159;
    int near = 0, inside = 0;

    for (size_t i = 0; i < COUNT(truths); i++) {
        struct score score = extrapolate(truths[i], 0, &seed);

        near += score.near;
        inside += score.inside;
        assert_true(score.inside >= 85);
    }
    /* Of 600; 87 and 96 % when written. */
    assert_true(near >= 480);
    assert_true(inside >= 540);
}

static void spikes_do_not_spoil_that(void **state)
{
    uint64_t seed = 161803;
    struct score score = extrapolate(banded, 0.02, &seed);

    assert_true(score.near >= 80);
    assert_true(score.inside >= 85);
}

UNIT_TESTS(
    cmocka_unit_test(a_line_has_the_intervals_of_the_textbook),
    cmocka_unit_test(leave_one_out_is_what_it_says),
    cmocka_unit_test(confidence_widens_the_interval),
    cmocka_unit_test(relative_weights_are_those_of_the_fit),
    cmocka_unit_test(farther_outside_is_less_certain),
    cmocka_unit_test(off_the_line_of_parameters_that_grew_together_is_outside_and_less_certain),
    cmocka_unit_test(a_corner_that_no_row_came_near_is_outside),
    cmocka_unit_test(where_there_is_no_value_there_is_no_prediction),
    cmocka_unit_test(twice_as_far_with_noise_is_near_and_inside_the_interval),
    cmocka_unit_test(spikes_do_not_spoil_that))
