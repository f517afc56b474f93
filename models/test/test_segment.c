/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic program against all segmentations there are, each refitted by itself. */
#include "check.h"

#include <string.h>

#include "pieces_internal.h"

enum { MOST = 40, K = 3 };

struct rows {
    size_t m, k;
    double rows[MOST * (K + 1)];
    size_t unit[MOST + 1];
};

/* Constant, line and square on jumping constants, with noise. */
static void make_rows(struct rows *r, size_t m, size_t k, uint64_t *seed)
{
    r->m = m;
    r->k = k;
    for (size_t i = 0; i < m; i++) {
        double x = 1 + (double)i / 4, *row = r->rows + i * (k + 1);

        for (size_t j = 0; j < k; j++)
            row[j] = pow(x, (double)j);
        row[k] = (i < m / 3 ? 2 : 5) + x + normal(seed);
        r->unit[i] = i;
    }
    r->unit[m] = m;
}

static struct segment_problem problem_of(const struct rows *r, size_t least, size_t max)
{
    return (struct segment_problem){.n_rows = r->m,
                                    .k = r->k,
                                    .rows = r->rows,
                                    .n_units = r->m,
                                    .unit = r->unit,
                                    .least_units = least,
                                    .least_points = least,
                                    .max = max};
}

/* The squares of rows FIRST … LAST - 1, by routines that share nothing with segment.c. */
static double squares(const struct rows *r, size_t first, size_t last, bool nonnegative)
{
    size_t n = last - first, k = r->k;
    double a[K * MOST], b[MOST], work[(K + 1) * MOST], c[MODEL_ESTIMATES] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++)
            a[j * n + i] = r->rows[(first + i) * (k + 1) + j];
        b[i] = r->rows[(first + i) * (k + 1) + k];
    }
    if (nonnegative) {
        linear_nonnegative(n, k, a, b, work, c);
    } else {
        struct linear_fit fit = {0};

        assert_int_equal(linear_full(n, k, a, b, &fit, NULL), PORTOLAN_OK);
        memcpy(c, fit.coefficients, sizeof c);
    }
    for (size_t i = 0; i < n; i++) {
        double e = b[i];

        for (size_t j = 0; j < k; j++)
            e -= c[j] * a[j * n + i];
        sum += e * e;
    }
    return sum;
}

/* The best S segments of the rows from FIRST on, by trying all. */
static double best_of_all(const struct rows *r, size_t first, size_t s, size_t least,
                          bool nonnegative)
{
    double best = INFINITY;

    if (s == 1)
        return r->m - first >= least ? squares(r, first, r->m, nonnegative) : INFINITY;
    for (size_t end = first + least; end + least * (s - 1) <= r->m; end++)
        best = fmin(best, squares(r, first, end, nonnegative) +
                              best_of_all(r, end, s - 1, least, nonnegative));
    return best;
}

static void check_against_all(size_t k, bool nonnegative)
{
    uint64_t seed = 1234 + k;

    for (int trial = 0; trial < 5; trial++) {
        struct segment_solution solution;
        struct segment_problem p;
        struct rows r;

        make_rows(&r, 17, k, &seed);
        p = problem_of(&r, k + 1, 4);
        p.nonnegative = nonnegative;
        assert_int_equal(segment_solve(&p, &solution), PORTOLAN_OK);
        assert_int_equal(solution.n, 4);
        for (size_t s = 1; s <= 3; s++) {
            double sum = 0, constants[MODEL_TERMS];

            assert_near(solution.rss[s - 1], best_of_all(&r, 0, s, k + 1, nonnegative), 1e-9);
            for (size_t i = 0; i < s; i++)
                sum += segment_fit(&p, solution.begin[s - 1][i], solution.begin[s - 1][i + 1],
                                   constants);
            assert_near(sum, solution.rss[s - 1], 1e-9);
        }
    }
}

static void it_finds_what_trying_all_finds(void **state)
{
    for (size_t k = 1; k <= K; k++)
        check_against_all(k, false);
}

static void it_finds_that_for_constants_that_are_not_negative_too(void **state)
{
    for (size_t k = 1; k <= K; k++)
        check_against_all(k, true);
}

static void too_short_a_sequence_is_not_split(void **state)
{
    struct segment_solution solution;
    struct segment_problem p;
    uint64_t seed = 7;
    struct rows r;

    make_rows(&r, 7, 3, &seed);
    p = problem_of(&r, 4, 16);
    assert_int_equal(segment_solve(&p, &solution), PORTOLAN_OK);
    assert_int_equal(solution.n, 1);
    assert_int_equal(solution.begin[0][0], 0);
    assert_int_equal(solution.begin[0][1], 7);
}

/* A column that is zero, and one that is another's double: neither takes anything away. */
static void dependent_columns_take_nothing_away(void **state)
{
    uint64_t seed = 99;
    struct rows r, one;
    struct segment_problem p, q;
    double constants[MODEL_TERMS];

    make_rows(&r, 12, 3, &seed);
    make_rows(&one, 12, 1, &seed);
    for (size_t i = 0; i < 12; i++) {
        r.rows[4 * i] = one.rows[2 * i];
        r.rows[4 * i + 1] = 2 * one.rows[2 * i];
        r.rows[4 * i + 2] = 0;
        r.rows[4 * i + 3] = one.rows[2 * i + 1];
    }
    p = problem_of(&r, 1, 1);
    q = problem_of(&one, 1, 1);
    assert_near(segment_fit(&p, 0, 12, constants), segment_fit(&q, 0, 12, constants), 1e-12);
}

static void compressed_rows_stand_for_all(void **state)
{
    uint64_t seed = 5;
    struct rows r, less;
    struct segment_problem p, q;
    double constants[MODEL_TERMS], others[MODEL_TERMS], base[2];

    make_rows(&r, 30, 3, &seed);
    p = problem_of(&r, 1, 1);
    less = (struct rows){.m = 2, .k = 3, .unit = {0, 3, 6}};
    base[0] = segment_compress(&p, 0, 10, less.rows);
    base[1] = segment_compress(&p, 10, 30, less.rows + 3 * 4);
    q = problem_of(&less, 1, 1);
    q.base = base;
    assert_near(segment_fit(&q, 0, 2, others), segment_fit(&p, 0, 30, constants), 1e-10);
    assert_near(segment_fit(&q, 1, 2, others), segment_fit(&p, 10, 30, constants), 1e-10);
    for (size_t j = 0; j < 3; j++)
        assert_near(others[j], constants[j], 1e-9);
}

static void sweeps_tell_both_sides_of_every_parting(void **state)
{
    uint64_t seed = 11;
    struct segment_window window = {3, 25, 3 + 4, 25 - 4};
    double left[MOST], right[MOST];
    struct segment_problem p;
    struct rows r;

    make_rows(&r, 30, 2, &seed);
    p = problem_of(&r, 3, 1);
    segment_sweep(&p, &window, true, left);
    segment_sweep(&p, &window, false, right);
    for (size_t at = window.from; at <= window.to; at++) {
        assert_near(left[at - 3 - 1], squares(&r, 3, at, false), 1e-9);
        assert_near(right[at - 3], squares(&r, at, 25, false), 1e-9);
    }
}

UNIT_TESTS(cmocka_unit_test(it_finds_what_trying_all_finds),
           cmocka_unit_test(it_finds_that_for_constants_that_are_not_negative_too),
           cmocka_unit_test(too_short_a_sequence_is_not_split),
           cmocka_unit_test(dependent_columns_take_nothing_away),
           cmocka_unit_test(compressed_rows_stand_for_all),
           cmocka_unit_test(sweeps_tell_both_sides_of_every_parting))
