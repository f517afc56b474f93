/* SPDX-License-Identifier: BSD-3-Clause */
/* Series that drift, spike or have two places; and those that do none of it. */
#include "check.h"

#include <stdlib.h>

#include <portolan/series.h>
#include <portolan/stats.h>

enum { MOST = 1000 };

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static struct portolan_series_report inspect(size_t n, const double *y, const double *expected)
{
    struct portolan_series_report report = {0};
    struct portolan_error err = {0};

    if (portolan_series_inspect(n, y, expected, &report, &err))
        fail_msg("inspect: %s", err.text);
    assert_int_equal(report.n, n);
    return report;
}

/* ---- drift ---- */

/*
 * Score and variance counted out pair by pair: S = 50, variance 212.67, z = 49 / 14.583; slopes of
 * the logarithms of all 66 pairs sorted and the middle taken.
 */
static void a_trend_has_the_probability_of_mann_and_kendall(void **state)
{
    static const double y[] = {10.1, 10.4, 9.8,  10.6, 10.9, 10.7,
                               11.2, 10.8, 11.5, 11.1, 11.9, 11.6};
    struct portolan_series_report r = inspect(COUNT(y), y, NULL);

    assert_near(r.drift.probability, 0.000779269972417672, 1e-9);
    assert_near(r.drift.slope, 0.014601729349367253, 1e-9);
    assert_near(r.drift.change, 0.1728745978411865, 1e-9);
    assert_true(r.drift.is_there);
}

/* With ties: S = 35, variance 111.67, z = 34 / 10.567. */
static void equal_values_are_neither_up_nor_down(void **state)
{
    static const double y[] = {3, 3, 3, 4, 4, 4, 4, 5, 5, 6};
    struct portolan_series_report r = inspect(COUNT(y), y, NULL);

    assert_near(r.drift.probability, 0.0012931775164105302, 1e-9);
}

static void a_constant_series_is_left_in_peace(void **state)
{
    static const double y[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    struct portolan_series_report r = inspect(COUNT(y), y, NULL);

    assert_true(r.place == 2 && r.spread == 0);
    assert_true(!r.drift.is_there && !r.modes.is_bimodal && !r.spikes.n && !r.spikes.n_small);
    r = inspect(1, y, NULL);
    assert_true(r.place == 2 && isnan(r.drift.probability) && isnan(r.modes.dip));
}

static void drift_is_found_beneath_spikes_and_not_invented(void **state)
{
    uint64_t seed = 21;
    int found = 0, alarms = 0;

    for (int trial = 0; trial < 200; trial++) {
        double y[MOST], z[MOST];

        for (size_t i = 0; i < 500; i++) {
            double spike = uniform(&seed) < 0.03 ? 20 : 1;

            y[i] = spike * (1 + 1e-4 * (double)i) * exp(0.05 * normal(&seed));
            z[i] = spike * exp(0.05 * normal(&seed));
        }
        struct portolan_series_report r = inspect(500, y, NULL);

        found += r.drift.is_there && fabs(r.drift.change - 0.05) < 0.03;
        alarms += inspect(500, z, NULL).drift.is_there;
    }
    assert_true(found >= 190);
    assert_true(alarms <= 6);
}

/* ---- spikes ---- */

static void spikes_are_counted_and_told_with_their_places(void **state)
{
    double y[100];
    struct portolan_series_report r;

    for (size_t i = 0; i < COUNT(y); i++)
        y[i] = 1 + 0.01 * (double)(i * 37 % 11);
    y[17] = 30;
    y[60] = 3;
    y[61] = 10;
    y[80] = 0.2;
    r = inspect(COUNT(y), y, NULL);
    assert_int_equal(r.spikes.n, 3);
    assert_int_equal(r.spikes.n_small, 1);
    assert_near(r.spikes.share, 0.04, 1e-12);
    assert_near(r.spikes.factor, 10 / r.place, 1e-9);
    assert_near(r.spikes.largest, 30 / r.place, 1e-9);
    assert_int_equal(r.spikes.n_kept, 4);
    assert_true(r.spikes.row[0] == 17 && r.spikes.row[1] == 60 && r.spikes.row[2] == 61 &&
                r.spikes.row[3] == 80);
    assert_near(r.place, 1.05, 0.01);
    assert_true(!r.modes.is_bimodal && !r.drift.is_there);
}

static void rows_of_different_sizes_are_compared_with_what_was_expected(void **state)
{
    uint64_t seed = 5;
    double y[60], expected[60];
    struct portolan_series_report r;

    for (size_t i = 0; i < COUNT(y); i++) {
        expected[i] = pow(2, (double)(i % 10));
        y[i] = 1.1 * expected[i] * exp(0.03 * normal(&seed));
    }
    y[30] *= 5;
    r = inspect(COUNT(y), y, expected);
    assert_near(r.place, 1.1, 0.02);
    assert_near(r.spread, 0.03, 0.5);
    assert_true(r.spikes.n == 1 && r.spikes.row[0] == 30);
    assert_near(r.spikes.factor, 5, 0.15);
    assert_true(!r.modes.is_bimodal);
}

/* ---- two places ---- */

/* Two halves far apart: a quarter; evenly spaced values: the least there is, 1/(2n). */
static void the_dip_of_the_extremes_is_known(void **state)
{
    static const double halves[] = {0, 0, 1, 1};
    double even[10], dip;

    assert_int_equal(series_dip(4, halves, &dip), PORTOLAN_OK);
    assert_near(dip, 0.25, 1e-12);
    for (size_t i = 0; i < COUNT(even); i++)
        even[i] = 3 + 0.1 * (double)i;
    assert_int_equal(series_dip(COUNT(even), even, &dip), PORTOLAN_OK);
    assert_near(dip, 0.05, 1e-9);
}

/*
 * Critical values of the dip for evenly distributed values, by simulation of a million samples
 * (Maechler's table of the package diptest; Hartigan and Hartigan's own agrees to three digits).
 */
static void the_dip_has_the_published_quantiles(void **state)
{
    static const struct {
        size_t n;
        double at_95, at_99;
    } table[] = {{10, 0.139611, 0.159684},
                 {20, 0.105130, 0.120624},
                 {50, 0.070274, 0.081200},
                 {200, 0.036842, 0.042686}};
    enum { SAMPLES = 8000 };
    uint64_t seed = 88172645463325252;

    for (size_t k = 0; k < COUNT(table); k++) {
        int above_95 = 0, above_99 = 0;

        for (int t = 0; t < SAMPLES; t++) {
            double x[MOST], dip;

            for (size_t i = 0; i < table[k].n; i++)
                x[i] = uniform(&seed);
            qsort(x, table[k].n, sizeof *x, compare);
            assert_int_equal(series_dip(table[k].n, x, &dip), PORTOLAN_OK);
            above_95 += dip > table[k].at_95;
            above_99 += dip > table[k].at_99;
        }
        /* Standard deviations are 0.0024 and 0.0011. */
        assert_true(fabs((double)above_95 / SAMPLES - 0.05) < 0.010);
        assert_true(fabs((double)above_99 / SAMPLES - 0.01) < 0.005);
        assert_near(series_dip_probability(table[k].n, table[k].at_95), 0.05, 0.2);
        assert_near(series_dip_probability(table[k].n, table[k].at_99), 0.01, 0.2);
    }
}

/* SHARE of the rows take FACTOR times as long as the others. */
static struct portolan_series_report mixture(size_t n, double share, double factor, double noise,
                                             double spikes, uint64_t *seed)
{
    double y[MOST];

    for (size_t i = 0; i < n; i++)
        y[i] = 2e-3 * (uniform(seed) < share ? factor : 1) * exp(noise * normal(seed)) *
               (uniform(seed) < spikes ? 10 + 90 * uniform(seed) : 1);
    return inspect(n, y, NULL);
}

static void a_mixture_of_two_is_reported_with_its_places(void **state)
{
    static const struct {
        size_t n;
        double share, factor, noise, spikes;
    } mixtures[] = {{60, 0.5, 1.5, 0.05, 0},   {200, 0.3, 1.3, 0.03, 0},
                    {200, 0.5, 2, 0.1, 0.02},  {400, 0.4, 1.5, 0.05, 0.02},
                    {500, 0.2, 4, 0.05, 0.02}, {200, 0.7, 3, 0.02, 0}};
    uint64_t seed = 1;

    for (size_t k = 0; k < COUNT(mixtures); k++)
        for (int trial = 0; trial < 20; trial++) {
            struct portolan_series_report r =
                mixture(mixtures[k].n, mixtures[k].share, mixtures[k].factor, mixtures[k].noise,
                        mixtures[k].spikes, &seed);

            assert_true(r.modes.is_bimodal);
            assert_near(r.modes.low, 2e-3, 0.05);
            assert_near(r.modes.high, 2e-3 * mixtures[k].factor, 0.05);
            assert_near(r.modes.low_share, 1 - mixtures[k].share, 0.35);
            assert_near(r.spikes.share, mixtures[k].spikes, 0.035 / fmax(mixtures[k].spikes, 0.02));
        }
}

static double exponential(uint64_t *seed)
{
    return -log(1 - uniform(seed));
}

static void one_place_however_skewed_is_not_reported_as_two(void **state)
{
    uint64_t seed = 7;
    int alarms = 0, trials = 0;

    for (size_t n = 12; n <= 768; n *= 4)
        for (int trial = 0; trial < 60; trial++)
            for (int kind = 0; kind < 5; kind++, trials++) {
                double y[MOST];

                for (size_t i = 0; i < n; i++)
                    switch (kind) {
                    case 0: /* normal */
                        y[i] = 1 + 0.1 * normal(&seed);
                        break;
                    case 1: /* log-normal, widely */
                        y[i] = exp(1.0 * normal(&seed));
                        break;
                    case 2: /* a least time and an exponential tail */
                        y[i] = 1 + 0.3 * exponential(&seed);
                        break;
                    case 3: /* a clock of few ticks */
                        y[i] = floor(20 * (1 + 0.1 * normal(&seed)));
                        break;
                    default: /* evenly, with spikes */
                        y[i] = (1 + uniform(&seed)) * (uniform(&seed) < 0.02 ? 50 : 1);
                    }
                alarms += inspect(n, y, NULL).modes.is_bimodal;
            }
    assert_int_equal(trials, 1200);
    assert_true(alarms <= 18);
}

static void two_of_a_kind_in_ten_make_no_second_place(void **state)
{
    static const double few[] = {1, 1.01, 0.99, 1.02, 2, 2.01, 1.99, 2.02};
    double y[100];
    struct portolan_series_report r;

    assert_false(inspect(COUNT(few), few, NULL).modes.is_bimodal);
    for (size_t i = 0; i < COUNT(y); i++)
        y[i] = (i % 20 ? 1 : 3) * (1 + 0.001 * (double)(i * 29 % 23));
    r = inspect(COUNT(y), y, NULL);
    assert_false(r.modes.is_bimodal);
    assert_int_equal(r.spikes.n, 5);
}

/* ---- limits ---- */

static void bad_series_are_refused(void **state)
{
    static const double bad[] = {1, 0, 2}, good[] = {1, 2, 3}, wild[] = {1, 2, INFINITY};
    struct portolan_series_report r = {.n = 77};
    struct portolan_error err = {0};

    assert_int_equal(portolan_series_inspect(0, good, NULL, &r, &err), PORTOLAN_EINVAL);
    assert_int_equal(portolan_series_inspect(3, bad, NULL, &r, &err), PORTOLAN_EINVAL);
    assert_int_equal(portolan_series_inspect(3, wild, NULL, &r, &err), PORTOLAN_EINVAL);
    assert_int_equal(portolan_series_inspect(3, good, bad, &r, &err), PORTOLAN_EINVAL);
    assert_int_equal(r.n, 77);
}

static void a_failing_allocation_is_a_status(void **state)
{
    static const double y[] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 2};
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    while (status && n < 20) {
        struct portolan_series_report r = {.n = 77};

        portolan_alloc_fail_at(++n);
        status = portolan_series_inspect(COUNT(y), y, NULL, &r, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || (status == PORTOLAN_ENOMEM && r.n == 77));
    }
    assert_int_equal(status, PORTOLAN_OK);
    assert_true(n > 2);
}

/* ---- first calls ---- */

static size_t first_of(size_t n, const double *y, const double *weight)
{
    double scratch[MOST];
    size_t alone;

    return portolan_series_first(n, y, weight, scratch, &alone);
}

/* N values of 1 with noise, of which the first K take FACTOR times as long; *Y has room for MOST.
 */
static void warm_up(double *y, size_t n, size_t k, double factor, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (i < k ? factor : 1) * (1 + 0.05 * portolan_draw_normal(i, seed));
}

static void first_calls_are_counted(void **state)
{
    static const size_t counts[] = {0, 1, 2, 5, 20, 45};
    double y[MOST];

    for (size_t c = 0; c < COUNT(counts); c++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            for (double factor = 2; factor <= 2000; factor *= 10) {
                warm_up(y, 200, counts[c], factor, seed);
                assert_int_equal(first_of(200, y, NULL), counts[c]);
            }
    y[0] = 3;
    assert_int_equal(first_of(1, y, NULL), 0);
    assert_int_equal(first_of(0, y, NULL), 0);
}

/* A compilation, then ten calls until the caches are warm; later one call is disturbed. */
static void first_calls_have_several_causes(void **state)
{
    double y[MOST], scratch[MOST];
    size_t alone;

    warm_up(y, 300, 11, 2, 7);
    y[0] *= 1000;
    assert_int_equal(first_of(300, y, NULL), 11);
    y[200] = 20;
    assert_int_equal(portolan_series_first(300, y, NULL, scratch, &alone), 11);
    assert_int_equal(alone, 200);
    y[210] = 20;
    portolan_series_first(300, y, NULL, scratch, &alone);
    assert_true(alone >= 300);
}

static void what_comes_again_is_no_first_call(void **state)
{
    double y[MOST];

    for (size_t period = 2; period <= 100; period++)
        for (size_t phase = 0; phase < period && phase < 12; phase += 3) {
            for (size_t i = 0; i < 400; i++)
                y[i] = i % period == phase ? 50 : 1;
            assert_int_equal(first_of(400, y, NULL), 0);
        }
    warm_up(y, 400, 0, 1, 5); /* a disturbance soon after the start */
    y[2] = 30;
    assert_int_equal(first_of(400, y, NULL), 0);
    for (size_t i = 0; i < 400; i++) /* becomes fast too late, and drifts */
        y[i] = i < 100 ? 10 : 1;
    assert_int_equal(first_of(400, y, NULL), 0);
    for (size_t i = 0; i < 400; i++)
        y[i] = 1 - 0.0015 * (double)i;
    assert_int_equal(first_of(400, y, NULL), 0);
}

/* Means of 1, 2, 4, 8 ... calls, of which the first six take ten times as long. */
static void means_of_several_calls_count_as_these(void **state)
{
    static const double weight[] = {1, 2, 4, 8, 16, 32, 64, 128};
    static const double y[] = {10, 10, 1 + 9 * 3 / 4.0, 1, 1, 1, 1, 1};

    assert_int_equal(first_of(COUNT(y), y, weight), 3);
}

UNIT_TESTS(cmocka_unit_test(a_trend_has_the_probability_of_mann_and_kendall),
           cmocka_unit_test(equal_values_are_neither_up_nor_down),
           cmocka_unit_test(a_constant_series_is_left_in_peace),
           cmocka_unit_test(drift_is_found_beneath_spikes_and_not_invented),
           cmocka_unit_test(spikes_are_counted_and_told_with_their_places),
           cmocka_unit_test(rows_of_different_sizes_are_compared_with_what_was_expected),
           cmocka_unit_test(the_dip_of_the_extremes_is_known),
           cmocka_unit_test(the_dip_has_the_published_quantiles),
           cmocka_unit_test(a_mixture_of_two_is_reported_with_its_places),
           cmocka_unit_test(one_place_however_skewed_is_not_reported_as_two),
           cmocka_unit_test(two_of_a_kind_in_ten_make_no_second_place),
           cmocka_unit_test(bad_series_are_refused),
           cmocka_unit_test(a_failing_allocation_is_a_status),
           cmocka_unit_test(first_calls_are_counted),
           cmocka_unit_test(first_calls_have_several_causes),
           cmocka_unit_test(what_comes_again_is_no_first_call),
           cmocka_unit_test(means_of_several_calls_count_as_these))
