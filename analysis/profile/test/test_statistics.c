/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests of significance, against published examples and against counting all cases. */
#include "fixture.h"

#include <portolan/compare.h>
#include <portolan/models.h>

#include <math.h>
#include <stdlib.h>

static void close_to(double seen, double expected, double tolerance)
{
    if (!(fabs(seen - expected) <= tolerance))
        fail_msg("%.17g is not %.17g +- %g", seen, expected, tolerance);
}

static double rank_p(const double *a, size_t n_a, const double *b, size_t n_b)
{
    double p;

    assert_int_equal(portolan_mann_whitney(a, n_a, b, n_b, &p), PORTOLAN_OK);
    return p;
}

/* Hollander and Wolfe 1973, page 69: permeability of the chorioamnion; one-sided P is 0.1272. */
static void mann_whitney_gives_the_published_probability(void **state)
{
    static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    static const double earlier[] = {1.15, 0.88, 0.90, 0.74, 1.21};

    close_to(rank_p(at_term, 10, earlier, 5), 2 * 0.1272, 1e-4);
    close_to(rank_p(earlier, 5, at_term, 10), 2 * 0.1272, 1e-4);
}

static double mid_rank(const double *all, size_t n, size_t i)
{
    double below = 0, equal = 0;

    for (size_t k = 0; k < n; k++) {
        below += all[k] < all[i];
        equal += all[k] == all[i];
    }
    return below + (equal + 1) / 2;
}

/* All ways to choose the B's, one by one. */
static double count_cases(const double *all, size_t n, unsigned seen)
{
    double mean = 0, distance = 0, cases = 0, far = 0;
    int chosen = __builtin_popcount(seen);

    for (size_t i = 0; i < n; i++)
        mean += mid_rank(all, n, i) * chosen / (double)n;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned set = pass ? 0 : seen; set < (pass ? 1U << n : seen + 1); set++) {
            double sum = 0;

            if (__builtin_popcount(set) != chosen)
                continue;
            for (size_t i = 0; i < n; i++)
                sum += set >> i & 1 ? mid_rank(all, n, i) : 0;
            if (!pass)
                distance = fabs(sum - mean);
            cases += pass;
            far += pass && fabs(sum - mean) >= distance - 1e-9;
        }
    return far / cases;
}

static void mann_whitney_is_exact_with_ties(void **state)
{
    srand(20060928);
    for (int trial = 0; trial < 60; trial++) {
        size_t n = 4 + (size_t)rand() % 8, n_b = 0, n_a = 0;
        double all[12], a[12], b[12];
        unsigned set = 1 + (unsigned)rand() % ((1U << n) - 2);

        for (size_t i = 0; i < n; i++) {
            all[i] = rand() % 6; /* ties are many */
            *(set >> i & 1 ? &b[n_b++] : &a[n_a++]) = all[i];
        }
        close_to(rank_p(a, n_a, b, n_b), count_cases(all, n, set), 1e-12);
    }
}

static void mann_whitney_cannot_be_surer_than_the_number_of_cases(void **state)
{
    static const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    double p;

    close_to(rank_p(a, 4, b, 4), 2. / 70, 1e-15);
    close_to(portolan_mann_whitney_least(4, 4), 2. / 70, 1e-15);
    close_to(portolan_mann_whitney_least(3, 3), 0.1, 1e-15);
    close_to(portolan_mann_whitney_least(1, 1), 1, 0);
    close_to(rank_p(a, 4, a, 4), 1, 0);
    assert_int_equal(portolan_mann_whitney(a, 0, b, 4, &p), PORTOLAN_OK);
    assert_true(isnan(p));
}

enum { MANY_A = 21, MANY_B = 20, MANY = MANY_A * MANY_B };

/* In how many orders U is each number: Mann and Whitney's own recursion. */
static void count_orders(double orders[MANY_A + 1][MANY_B + 1][MANY + 1])
{
    for (int m = 0; m <= MANY_A; m++)
        for (int n = 0; n <= MANY_B; n++)
            for (int u = 0; u <= MANY; u++)
                orders[m][n][u] =
                    m == 0 || n == 0 ? u == 0
                                     : (u >= n ? orders[m - 1][n][u - n] : 0) + orders[m][n - 1][u];
}

/* The tails of the rank sum are a little lighter than the normal ones. */
static void many_values_are_approximated_well(void **state)
{
    static double orders[MANY_A + 1][MANY_B + 1][MANY + 1];
    double a[MANY_A], b[MANY_B];

    count_orders(orders);
    for (int i = 0; i < MANY_A; i++)
        a[i] = i;
    for (int shift = 0; shift < 8; shift++) {
        double all = 0, far = 0;
        int u = 0;

        for (int i = 0; i < MANY_B; i++) {
            int below = i + shift + 1 < MANY_A ? i + shift + 1 : MANY_A;

            b[i] = i + shift + 0.5;
            u += below;
        }
        for (int k = 0; k <= MANY; k++) {
            all += orders[MANY_A][MANY_B][k];
            far += abs(2 * k - MANY) >= abs(2 * u - MANY) ? orders[MANY_A][MANY_B][k] : 0;
        }
        close_to(rank_p(a, MANY_A, b, MANY_B), far / all, 0.08 * far / all + 5e-4);
    }
}

/* Examples of Welch's test with p and degrees of freedom as printed in textbooks and by R. */
static void welch_gives_the_published_values(void **state)
{
    static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
                               21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
    static const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
                               24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};
    /* Student's data on sleep. */
    static const double one[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double two[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    double t, freedom;

    close_to(portolan_welch(a, 15, b, 15, &t, &freedom), 0.021, 5e-4);
    close_to(t, -2.46, 5e-3);
    close_to(freedom, 25.0, 0.05);
    close_to(portolan_welch(one, 10, two, 10, &t, &freedom), 0.07939, 5e-6);
    close_to(t, -1.8608, 5e-5);
    close_to(freedom, 17.776, 5e-4);
    assert_true(isnan(portolan_welch(one, 1, two, 10, &t, &freedom)));
}

static void holm_adjusts_the_family(void **state)
{
    double p[] = {0.04, NAN, 0.01, 0.03, 0.02}, q[] = {0.6, 0.7};

    assert_int_equal(portolan_holm(p, 5), PORTOLAN_OK);
    close_to(p[2], 0.04, 1e-15);
    close_to(p[4], 0.06, 1e-15);
    close_to(p[3], 0.06, 1e-15);
    close_to(p[0], 0.06, 1e-15);
    assert_true(isnan(p[1]));
    assert_int_equal(portolan_holm(q, 2), PORTOLAN_OK);
    close_to(q[0], 1, 0);
    close_to(q[1], 1, 0);
}

/* The interval is what the test does not reject: B divided by a ratio, against A. */
static void the_interval_of_a_ratio_inverts_the_test(void **state)
{
    srand(12);
    for (int trial = 0; trial < 40; trial++) {
        size_t n_a = 4 + (size_t)rand() % 5, n_b = 4 + (size_t)rand() % 5;
        double a[8], b[8], divided[8];
        struct portolan_profile_estimate r;

        for (size_t i = 0; i < n_a; i++)
            a[i] = 100 + rand() % 100000 * 1e-3;
        for (size_t i = 0; i < n_b; i++)
            b[i] = 120 + rand() % 100000 * 1e-3;
        assert_int_equal(portolan_ratio(a, n_a, b, n_b, 0.05, &r), PORTOLAN_OK);
        assert_true(r.low < r.value && r.value < r.high);
        for (int side = 0; side < 4; side++) {
            double edge = side < 2 ? r.low : r.high;
            bool inside = side == 1 || side == 2;
            double by = edge * (side % 2 ? 1 + 1e-9 : 1 - 1e-9);

            for (size_t i = 0; i < n_b; i++)
                divided[i] = b[i] / by;
            assert_true((rank_p(a, n_a, divided, n_b) > 0.05) == inside);
        }
    }
}

static void a_ratio_of_few_values_has_no_bounds(void **state)
{
    static const double a[] = {10, 11, 12}, b[] = {20, 22, 24}, zero[] = {0, 0, 0};
    struct portolan_profile_estimate r;

    assert_int_equal(portolan_ratio(a, 3, b, 3, 0.05, &r), PORTOLAN_OK);
    close_to(r.value, 2, 1e-12);
    close_to(r.low, 0, 0);
    assert_true(isinf(r.high));
    assert_int_equal(portolan_ratio(zero, 3, b, 3, 0.05, &r), PORTOLAN_OK);
    assert_true(isinf(r.value));
    assert_int_equal(portolan_ratio(zero, 3, zero, 3, 0.05, &r), PORTOLAN_OK);
    close_to(r.value, 1, 0);
}

UNIT_TESTS(cmocka_unit_test(mann_whitney_gives_the_published_probability),
           cmocka_unit_test(mann_whitney_is_exact_with_ties),
           cmocka_unit_test(mann_whitney_cannot_be_surer_than_the_number_of_cases),
           cmocka_unit_test(many_values_are_approximated_well),
           cmocka_unit_test(welch_gives_the_published_values),
           cmocka_unit_test(holm_adjusts_the_family),
           cmocka_unit_test(the_interval_of_a_ratio_inverts_the_test),
           cmocka_unit_test(a_ratio_of_few_values_has_no_bounds))
