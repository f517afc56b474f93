/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <portolan/optimizer.h>
#include <unit_test.h>

#include "choice_text.h"
#include "random_choice.h"

/* Sums are taken in another order than the oracle's: some 100 terms, 1e-16 each. */
static const double tolerance = 1e-11;

static void assert_close(double a, double b)
{
    if (isinf(a) && isinf(b))
        return;
    if (!(fabs(a - b) <= tolerance * (fabs(a) + fabs(b)) + tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

/* The oracle: every assignment. LEAST[v * values + a] gets the min-marginals (may be NULL). */
static double enumerate(const struct portolan_choice *c, size_t n, size_t values, double *least)
{
    size_t at[32] = {0}, i;
    double best = INFINITY;

    for (i = 0; least && i < n * values; i++)
        least[i] = INFINITY;
    do {
        double cost = portolan_choice_cost(c, at);

        best = fmin(best, cost);
        for (i = 0; least && i < n; i++)
            least[i * values + at[i]] = fmin(least[i * values + at[i]], cost);
        for (i = 0; i < n && ++at[i] == values; i++)
            at[i] = 0;
    } while (i < n);
    return best;
}

/* With clusters split always, and never. */
static void check_against_enumeration(uint64_t seed, const struct random_problem *p, bool margins)
{
    struct portolan_choice *c = random_choice(seed, p);
    double least[128], best = enumerate(c, p->n, p->values, margins ? least : NULL);

    for (int whole = 0; whole < 2; whole++) {
        struct portolan_choice_solution *s = NULL;
        enum portolan_status status = choice_solve(c, whole ? SIZE_MAX : 0, margins, &s, NULL);

        if (status != (isinf(best) ? PORTOLAN_EINFEASIBLE : PORTOLAN_OK))
            fail_msg("seed %ju whole %d: status %d", (uintmax_t)seed, whole, status);
        if (status)
            continue;
        assert_close(s->cost, best);
        assert_close(portolan_choice_cost(c, s->values), best);
        for (size_t i = 0; margins && i < p->n * p->values; i++)
            assert_close(s->margins[i / p->values][i % p->values], least[i]);
        portolan_choice_solution_destroy(s);
    }
    portolan_choice_destroy(c);
}

static void equal_to_enumeration_at_12_by_3(void **state)
{
    static const double densities[] = {0.1, 0.25, 1.0};

    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct random_problem p = {12, 3, densities[seed % 3], seed % 2 ? 0.3 : 2, 0.1, 2, false};

        print_message("12 x 3, seed %ju, density %g\n", (uintmax_t)seed, p.density);
        check_against_enumeration(seed, &p, seed <= 2);
    }
}

static void equal_to_enumeration_on_small_problems_of_all_kinds(void **state)
{
    print_message("seeds 100 to 699\n");
    for (uint64_t seed = 100; seed < 700; seed++) {
        struct random_problem p = {.n = 1 + seed % 6,
                                   .values = 1 + seed % 4,
                                   .density = (double)(seed % 5) / 4,
                                   .strength = 1,
                                   .forbidden = (double)(seed % 7) / 10,
                                   .triples = seed % 3,
                                   .whole = seed % 2};

        check_against_enumeration(seed, &p, true);
    }
}

static void fewest_changes_win_among_equals(void **state)
{
    print_message("seeds 1 to 200\n");
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_problem p = {6, 3, 0.4, 1, 0, 1, true};
        struct portolan_choice *c = random_choice(seed, &p);
        struct portolan_choice_solution *s[2];
        size_t written[6], at[6] = {0}, fewest = 99, i;
        uint64_t same = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

        for (size_t v = 0; v < 6; v++) { /* as random_choice draws them */
            written[v] = (size_t)(3 * random_unit(&same));
            random_unit(&same);
            random_unit(&same);
            random_unit(&same);
        }
        assert_int_equal(choice_solve(c, SIZE_MAX, true, &s[0], NULL), 0);
        assert_int_equal(choice_solve(c, 0, true, &s[1], NULL), 0);
        do {
            size_t away = 0;

            for (i = 0; i < 6; i++)
                away += at[i] != written[i];
            if (portolan_choice_cost(c, at) == s[0]->cost && away < fewest)
                fewest = away;
            for (i = 0; i < 6 && ++at[i] == 3; i++)
                at[i] = 0;
        } while (i < 6);
        for (int m = 0; m < 2; m++) {
            size_t away = 0;

            for (i = 0; i < 6; i++)
                away += s[m]->values[i] != written[i];
            assert_int_equal(away, fewest);
        }
        assert_memory_equal(s[0]->tied, s[1]->tied, 6 * sizeof(bool));
        portolan_choice_solution_destroy(s[0]);
        portolan_choice_solution_destroy(s[1]);
        portolan_choice_destroy(c);
    }
}

static void a_tie_is_told_and_the_written_value_wins(void **state)
{
    static const double costs[] = {7, 5, 5};
    struct portolan_choice *c;
    struct portolan_choice_solution *s;
    size_t v;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    assert_int_equal(portolan_choice_add_variable(c, 3, 2, &v, NULL), 0);
    assert_int_equal(portolan_choice_add_factor(c, 1, &v, costs, NULL), 0);
    assert_int_equal(portolan_choice_solve(c, true, &s, NULL), 0);
    assert_int_equal(s->values[0], 2);
    assert_true(s->tied[0]);
    assert_true(s->margins[0][0] == 7 && s->margins[0][1] == 5);
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
}

/* Without the count of changes this would visit 3^40 assignments. */
static void equal_costs_everywhere_end_at_once(void **state)
{
    static const double zero[9];
    struct portolan_choice *c;
    struct portolan_choice_solution *s;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    for (size_t v = 0; v < 40; v++)
        assert_int_equal(portolan_choice_add_variable(c, 3, v % 3, NULL, NULL), 0);
    for (size_t v = 1; v < 40; v++)
        for (size_t u = 0; u < v; u++) {
            size_t pair[] = {u, v};

            assert_int_equal(portolan_choice_add_factor(c, 2, pair, zero, NULL), 0);
        }
    assert_int_equal(portolan_choice_solve(c, true, &s, NULL), 0);
    for (size_t v = 0; v < 40; v++)
        assert_int_equal(s->values[v], v % 3);
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
}

static void split_clusters_find_the_same_at_20_by_3(void **state)
{
    print_message("seeds 1 to 20\n");
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random_problem p = {20, 3, 0.2, 1, 0.05, 2, false};
        struct portolan_choice *c = random_choice(seed, &p);
        struct portolan_choice_solution *a, *b;

        assert_int_equal(choice_solve(c, SIZE_MAX, true, &a, NULL), 0);
        assert_int_equal(choice_solve(c, 0, true, &b, NULL), 0);
        assert_close(a->cost, b->cost);
        assert_memory_equal(a->values, b->values, 20 * sizeof *a->values);
        for (size_t i = 0; i < 60; i++)
            assert_close(a->margins[i / 3][i % 3], b->margins[i / 3][i % 3]);
        portolan_choice_solution_destroy(a);
        portolan_choice_solution_destroy(b);
        portolan_choice_destroy(c);
    }
}

static void forbidden_everywhere_is_infeasible(void **state)
{
    static const double never[] = {INFINITY, INFINITY};
    struct portolan_choice *c;
    struct portolan_choice_solution *s = NULL;
    struct portolan_error err = {0};
    size_t v;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    assert_int_equal(portolan_choice_add_variable(c, 2, 0, &v, NULL), 0);
    assert_int_equal(portolan_choice_add_factor(c, 1, &v, never, NULL), 0);
    assert_int_equal(portolan_choice_solve(c, true, &s, &err), PORTOLAN_EINFEASIBLE);
    assert_null(s);
    assert_true(strlen(err.text) > 0);
    portolan_choice_destroy(c);
}

static void bad_tables_are_refused(void **state)
{
    static const double costs[] = {0, NAN, -INFINITY, 0};
    static const size_t twice[] = {0, 0}, unknown[] = {0, 5};
    struct portolan_choice *c;
    struct portolan_choice_solution *s;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    assert_int_equal(portolan_choice_add_variable(c, 0, 0, NULL, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_variable(c, 2, 2, NULL, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_variable(c, 2, 0, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_choice_add_factor(c, 2, twice, costs, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_factor(c, 2, unknown, costs, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_factor(c, 1, unknown, costs, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_factor(c, 1, unknown, costs + 2, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_solve(c, true, &s, NULL), 0);
    assert_true(s->cost == 0); /* nothing was added */
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
}

static void a_problem_without_variables_costs_its_constants(void **state)
{
    static const double three = 3;
    struct portolan_choice *c;
    struct portolan_choice_solution *s;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    assert_int_equal(portolan_choice_add_factor(c, 0, NULL, &three, NULL), 0);
    assert_int_equal(portolan_choice_solve(c, true, &s, NULL), 0);
    assert_true(s->cost == 3);
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
    portolan_choice_destroy(NULL);
    portolan_choice_solution_destroy(NULL);
}

/* Costs are whole numbers here, so the integers of .wcsp lose nothing. */
static void toulbar2_finds_the_same_cost(void **state)
{
    need_solver("toulbar2");
    print_message("seeds 1 to 5\n");
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct random_problem p = {20, 3, 0.2, 1, 0.1, 2, true};
        struct portolan_choice *c = random_choice(seed, &p);
        struct portolan_choice_solution *s;

        assert_int_equal(portolan_choice_solve(c, false, &s, NULL), 0);
        assert_true(ask_toulbar2(c) == s->cost);
        portolan_choice_solution_destroy(s);
        portolan_choice_destroy(c);
    }
}

static void glpsol_finds_the_same_cost(void **state)
{
    need_solver("glpsol");
    print_message("seeds 1 to 3\n");
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct random_problem p = {10, 3, 0.2, 1, 0.1, 1, false};
        struct portolan_choice *c = random_choice(seed, &p);
        struct portolan_choice_solution *s;

        assert_int_equal(portolan_choice_solve(c, false, &s, NULL), 0);
        assert_true(fabs(ask_glpsol(c) - s->cost) < 1e-6 * s->cost);
        portolan_choice_solution_destroy(s);
        portolan_choice_destroy(c);
    }
}

UNIT_TESTS(cmocka_unit_test(equal_to_enumeration_at_12_by_3),
           cmocka_unit_test(equal_to_enumeration_on_small_problems_of_all_kinds),
           cmocka_unit_test(split_clusters_find_the_same_at_20_by_3),
           cmocka_unit_test(fewest_changes_win_among_equals),
           cmocka_unit_test(a_tie_is_told_and_the_written_value_wins),
           cmocka_unit_test(equal_costs_everywhere_end_at_once),
           cmocka_unit_test(forbidden_everywhere_is_infeasible),
           cmocka_unit_test(bad_tables_are_refused),
           cmocka_unit_test(a_problem_without_variables_costs_its_constants),
           cmocka_unit_test(toulbar2_finds_the_same_cost),
           cmocka_unit_test(glpsol_finds_the_same_cost))
