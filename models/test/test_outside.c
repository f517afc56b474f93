/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows that no law of the search's list drew: what is said of them, and at which sizes. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static const double planes[] = {1024, 4096, 9216, 16384};

static struct portolan_model *fit_some(size_t n, const double *x, const double *y)
{
    return fit_rows(1, n, x, y, NULL);
}

/* Either every point is met within four spreads (half of it, without repetitions), or it is said.
 */
static void assert_meets_or_says(const struct portolan_model *m, size_t n, const double *x,
                                 const double *y)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(portolan_model_value(m, x + i) / y[i] - 1));
    if (portolan_model_fits(m))
        assert_in_range((int)(100 * most), 0, 60);
    assert_true(most < 2);
}

static void no_fit_runs_away_from_its_points(void **state)
{
    static const double times[][4] = {{289100, 12600000, 34937000, 68810000},
                                      {906.55, 6426.26, 9552.6, 17789.7}};

    for (size_t i = 0; i < COUNT(times); i++) {
        struct portolan_model *m = fit_some(COUNT(planes), planes, times[i]);

        assert_meets_or_says(m, COUNT(planes), planes, times[i]);
        assert_near(portolan_model_value(m, &planes[3]), times[i][3], 0.5);
        portolan_model_destroy(m);
    }
}

/* Points of any height: whatever is chosen stays near them, or says that it does not fit. */
static void nothing_unfit_is_called_fit(void **state)
{
    uint64_t seed = 7;

    for (int i = 0; i < 2000; i++) {
        double x[6], y[6];
        struct portolan_model *m;

        for (int j = 0; j < 6; j++) {
            x[j] = 4 << j;
            y[j] = exp(6 * uniform(&seed));
        }
        m = fit_some(COUNT(x), x, y);
        if (portolan_model_fits(m) && !portolan_model_peek_summary(m)->n_outliers)
            for (int j = 0; j < 6; j++)
                assert_near(portolan_model_value(m, &x[j]), y[j], 1.01);
        portolan_model_destroy(m);
    }
}

static void a_power_needs_more_than_one_point(void **state)
{
    static const double n[] = {2, 4, 8, 16, 32, 64, 128}, far = 2048;
    static const double times[] = {10, 20, 40, 80, 160, 320, 641};
    static const double slower[] = {10, 20, 40, 80, 160, 320, 672}; /* the last by 5 % */
    struct portolan_model *m = fit_some(COUNT(n), n, times);
    struct portolan_prediction p;

    assert_near(portolan_model_value(m, &far), 10240, 0.01);
    portolan_model_destroy(m);
    m = fit_some(COUNT(n), n, slower);
    assert_int_equal(portolan_model_predict(m, &far, &p), PORTOLAN_OK);
    assert_true(p.low < 10240 && p.high > 10240);
    portolan_model_destroy(m);
}

static void five_points_tell_what_is_shared_and_what_sharing_costs(void **state)
{
    static const double p[] = {2, 4, 8, 16, 32}, far = 256;
    static const double times[] = {50.1, 25.2, 12.9, 7.05, 4.725}; /* 100/p + 0.05 p */
    struct portolan_model *m = fit_some(COUNT(p), p, times);

    assert_near(portolan_model_value(m, &far), 100. / 256 + 0.05 * 256, 1e-6);
    assert_true(portolan_model_fits(m));
    portolan_model_destroy(m);
}

/* 1 ns per element as long as the cache holds them, 2.5 beyond. */
static double cached(double n)
{
    return n + 1.5 * fmax(n - 3000, 0);
}

static void a_kink_is_found_where_it_is(void **state)
{
    static const char *const name = "n";
    double x[12 * 3], y[12 * 3], far = 24000;
    struct portolan_model_data data = {1, &name, COUNT(x), x, y, NULL};
    const struct portolan_model_break *b;
    uint64_t seed = 3;
    int found = 0;

    for (int i = 0; i < 50; i++) {
        struct portolan_model *m;
        size_t n;

        for (size_t j = 0; j < COUNT(x); j++) {
            x[j] = 500 * (double)(1 + j / 3);
            y[j] = cached(x[j]) * (1 + 0.02 * normal(&seed));
        }
        assert_int_equal(portolan_model_fit_pieces(&data, NULL, 0, NULL, &m, NULL), PORTOLAN_OK);
        b = portolan_model_peek_breaks(m, &n);
        if (n == 1 && b->at > 2400 && b->at < 3600) {
            double before = b->at * (1 - 1e-12);

            assert_true(b->below < b->at && b->at <= b->above);
            found += fabs(portolan_model_value(m, &before) / cached(before) - 1) < 0.1 &&
                     fabs(portolan_model_value(m, &far) / cached(far) - 1) < 0.1;
        }
        portolan_model_destroy(m);
    }
    /* Noise of 2 % hides it in a few: smooth powers then do as well. */
    assert_in_range(found, 40, 50);
}

/* Repetitions agree to 0.5 %: no sum of costs is so near, 12 n - 90 is. */
static void a_minus_is_taken_where_repetitions_ask_for_it(void **state)
{
    double x[6 * 3], y[6 * 3], far = 200, near = 2;
    const struct portolan_model_summary *sum;
    struct portolan_prediction p;
    struct portolan_model *m;
    uint64_t seed = 5;

    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = 10 * (double)(1 + i / 3);
        y[i] = (12 * x[i] - 90) * (1 + 0.005 * normal(&seed));
    }
    m = fit_some(COUNT(x), x, y);
    sum = portolan_model_peek_summary(m);
    assert_true(portolan_model_fits(m) && !sum->nonnegative && sum->bounded);
    assert_near(portolan_model_value(m, &far), 12 * far - 90, 0.02);
    assert_int_equal(portolan_model_predict(m, &near, &p), PORTOLAN_OK);
    assert_true(p.value > 0 && p.low >= 0 && p.high > p.value);
    portolan_model_destroy(m);
}

static void what_is_negative_is_no_sum_of_costs(void **state)
{
    static const double n[] = {1, 2, 4, 8, 16}, far = 32;
    static const double y[] = {-3, -6, -12, -24, -48};
    struct portolan_model *m = fit_some(COUNT(n), n, y);

    assert_near(portolan_model_value(m, &far), -96, 1e-9);
    assert_false(portolan_model_peek_summary(m)->bounded);
    portolan_model_destroy(m);
}

/* Two of eight sizes lie beyond a jump: as many as the given law has constants. */
static void two_points_beyond_a_jump_are_a_piece(void **state)
{
    static const char *const name = "n";
    static const struct portolan_model_shape line[] = {{.exponents = {0}}, {.exponents = {1}}};
    double x[8 * 3], y[8 * 3];
    struct portolan_model_data data = {1, &name, COUNT(x), x, y, NULL};
    struct portolan_prediction p;
    struct portolan_model *m;
    uint64_t seed = 11;
    size_t inside = 0;

    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = 1024 * exp2((double)(i / 3));
        y[i] = (1e-3 + 3e-6 * x[i]) * (i / 3 < 6 ? 1 : 2.2) * (1 + 0.02 * normal(&seed));
    }
    assert_int_equal(portolan_model_fit_pieces(&data, line, 2, NULL, &m, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_n_pieces(m), 2);
    assert_true(portolan_model_fits(m));
    for (size_t i = 0; i < COUNT(x); i++) {
        assert_int_equal(portolan_model_predict(m, &x[i], &p), PORTOLAN_OK);
        inside += p.low < y[i] && y[i] < p.high;
    }
    assert_in_range(inside, COUNT(x) - 3, COUNT(x));
    portolan_model_destroy(m);
}

/* Calls of a multigrid solver on 2^k unknowns: 3, 5, 6, 8, …; hit rates that near 1. */
static void counts_are_whole_and_shares_are_bounded(void **state)
{
    static const char *const name = "n";
    static const double x[] = {16, 32, 64, 128, 256, 512};
    static const double calls[] = {3, 5, 6, 8, 9, 11},
                        rates[] = {0.62, 0.71, 0.79, 0.88, 0.96, 0.99};
    const double far = 100000;
    struct portolan_model_data data = {
        .n_params = 1, .params = &name, .n_rows = 6, .x = x, .y = calls};
    struct portolan_model_options options = {.kind = PORTOLAN_MODEL_COUNT};
    struct portolan_error err = {0};
    struct portolan_prediction p;
    struct portolan_model *m, *again;
    char *xml;

    assert_int_equal(portolan_model_fit(&data, &options, &m, &err), PORTOLAN_OK);
    assert_int_equal(portolan_model_write_xml(m, &xml, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_model_read_xml(xml, strlen(xml), "m.xml", NULL, &again, &err), 0);
    for (double n = 20; n < 1e6; n *= 3) {
        assert_int_equal(portolan_model_predict(again, &n, &p), PORTOLAN_OK);
        assert_true(p.value == floor(p.value) && p.low == floor(p.low) && p.high == floor(p.high));
        assert_true(0 <= p.low && p.low <= p.value && p.value <= p.high);
    }
    free(xml);
    portolan_model_destroy(m);
    portolan_model_destroy(again);
    data.y = rates;
    options.kind = PORTOLAN_MODEL_SHARE;
    assert_int_equal(portolan_model_fit(&data, &options, &m, &err), PORTOLAN_OK);
    assert_int_equal(portolan_model_predict(m, &far, &p), PORTOLAN_OK);
    assert_true(0 <= p.low && p.low <= p.value && p.value <= p.high && p.high <= 1);
    portolan_model_destroy(m);
    data.y = calls;
    assert_int_equal(portolan_model_fit(&data, &options, &m, &err), PORTOLAN_EINVAL);
    assert_string_equal(err.text, "row 1: 3 is not a share, which must be from 0 to 1");
}

UNIT_TESTS(cmocka_unit_test(no_fit_runs_away_from_its_points),
           cmocka_unit_test(nothing_unfit_is_called_fit),
           cmocka_unit_test(a_power_needs_more_than_one_point),
           cmocka_unit_test(a_minus_is_taken_where_repetitions_ask_for_it),
           cmocka_unit_test(what_is_negative_is_no_sum_of_costs),
           cmocka_unit_test(two_points_beyond_a_jump_are_a_piece),
           cmocka_unit_test(a_kink_is_found_where_it_is),
           cmocka_unit_test(five_points_tell_what_is_shared_and_what_sharing_costs),
           cmocka_unit_test(counts_are_whole_and_shares_are_bounded))
