/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <portolan/stats.h>
#include <unit_test.h>

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected))))
        fail_msg("%.12g is not %.12g", value, expected);
}

/* Tables of Student's t. */
static void student_quantiles_match_the_tables(void **state)
{
    assert_near(portolan_student_quantile(0.95, 1), 12.7062047362, 1e-9);
    assert_near(portolan_student_quantile(0.95, 2), 4.30265272991, 1e-9);
    assert_near(portolan_student_quantile(0.95, 5), 2.57058183661, 1e-9);
    assert_near(portolan_student_quantile(0.95, 30), 2.04227245630, 1e-9);
    assert_near(portolan_student_quantile(0.99, 10), 3.16927267261, 1e-9);
    assert_near(portolan_student_quantile(0.50, 3), 0.764892328404, 1e-9);
    assert_near(portolan_student_quantile(0.95, INFINITY), 1.95996398454, 1e-9);
}

/* Student's table. With 1 degree of freedom it is Cauchy's distribution, with 2 it is algebraic. */
static void students_distribution_is_that_of_the_tables(void **state)
{
    assert_near(portolan_student_p(12.706, 1), 0.05, 1e-5);
    assert_near(portolan_student_p(2.228, 10), 0.05, 2e-5);
    assert_near(portolan_student_p(2.660, 60), 0.01, 5e-5);
    for (double t = 0.1; t < 30; t *= 1.7) {
        assert_near(portolan_student_p(t, 1), 1 - 2 * atan(t) / M_PI, 1e-12);
        assert_near(portolan_student_p(-t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
    }
}

/* Tables of any textbook: F(1, 10) at 5 %, F(3, 20) at 1 %, F(5, 8) at 0.1 %. */
static void fisher_is_that_of_the_tables(void **state)
{
    assert_near(portolan_fisher_p(4.9646, 1, 10), 0.05, 1e-4);
    assert_near(portolan_fisher_p(4.9382, 3, 20), 0.01, 1e-4);
    assert_near(portolan_fisher_p(13.485, 5, 8), 0.001, 1e-3);
    assert_true(portolan_fisher_p(0, 2, 2) == 1);
}

static void medians_are_of_few_and_of_many(void **state)
{
    double many[100], few[] = {3, 1, 2, 10};

    for (int i = 0; i < 100; i++)
        many[i] = (i * 37) % 100;
    assert_near(portolan_sort_to_median(100, many), 49.5, 0);
    assert_near(many[99], 99, 0);
    assert_near(portolan_sort_to_median(4, few), 2.5, 0);
    assert_near(portolan_sort_to_median(3, few), 2, 0);
    assert_true(isnan(portolan_sort_to_median(0, few)));
}

UNIT_TESTS(cmocka_unit_test(student_quantiles_match_the_tables),
           cmocka_unit_test(students_distribution_is_that_of_the_tables),
           cmocka_unit_test(fisher_is_that_of_the_tables),
           cmocka_unit_test(medians_are_of_few_and_of_many))
