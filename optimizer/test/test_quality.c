/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice is the best there is: 30 kinds of assemblies, 200 of each, and budgets. */
#include <math.h>
#include <portolan/optimizer.h>
#include <unit_test.h>

#include "choice_text.h"
#include "random_choice.h"

/* Sums are taken in another order than the oracle's: some 200 terms, 1e-16 each. */
static const double tolerance = 1e-11;

static bool is_close(double a, double b)
{
    return (isinf(a) && isinf(b)) || fabs(a - b) <= tolerance * (fabs(a) + fabs(b));
}

/* ---- the oracle: every assignment, costs summed up variable by variable ---- */

static double enumerate_from(const struct portolan_choice *c, size_t v, double sum, size_t *values)
{
    double best = INFINITY;

    if (v == c->n)
        return choice_is_within(c, values) ? sum : INFINITY;
    for (values[v] = 0; values[v] < c->domain[v]; values[v]++) {
        double more = sum;

        for (size_t i = 0; i < c->n_factors; i++) {
            const struct choice_factor *f = &c->factors[i];
            size_t last = 0;

            for (size_t j = 0; j < f->n; j++)
                last = f->variables[j] > last ? f->variables[j] : last;
            if (!f->layer && last == v)
                more += choice_entry(f, values);
        }
        best = fmin(best, enumerate_from(c, v + 1, more, values));
    }
    return best;
}

static double enumerate(const struct portolan_choice *c)
{
    size_t values[32];

    return enumerate_from(c, 0, 0, values);
}

/* The cost with clusters split above MOST entries in all; INFINITY: infeasible. */
static double solve(const struct portolan_choice *c, size_t most)
{
    struct portolan_choice_solution *s = NULL;
    enum portolan_status status = choice_solve(c, most, false, &s, NULL);
    double cost = INFINITY;

    if (!status)
        cost = portolan_choice_cost(c, s->values);
    else if (status != PORTOLAN_EINFEASIBLE)
        fail_msg("status %d", status);
    portolan_choice_solution_destroy(s);
    return cost;
}

/* Entries for all but complete graphs of 20; toulbar2 has a look at these below. */
enum { MANY = 6 << 20 };

static void split_clusters_find_the_same_in_6000_assemblies(void **state)
{
    for (size_t i = 0; i < RANDOM_SETTINGS; i++)
        for (uint64_t seed = 1; seed <= 200; seed++) {
            struct random_assembly *a = random_assembly(seed, 20, random_setting(i));
            struct portolan_choice *c = random_assembly_choice(a, NULL);
            double mine = solve(c, 0), other = solve(c, MANY);

            if (!is_close(mine, other))
                fail_msg("setting %zu seed %ju: %.17g, %.17g", i, (uintmax_t)seed, mine, other);
            portolan_choice_destroy(c);
            free(a);
        }
}

static void all_settings_equal_enumeration(void **state)
{
    for (size_t i = 0; i < RANDOM_SETTINGS; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct random_assembly *a =
                random_assembly(seed, seed == 4 && i % 12 == 11 ? 14 : 5 + seed, random_setting(i));
            struct portolan_choice *c = random_assembly_choice(a, NULL);
            double best = enumerate(c);

            for (size_t most = 0; most <= MANY; most += MANY) {
                double mine = solve(c, most);

                if (!is_close(mine, best))
                    fail_msg("setting %zu seed %ju: %.17g, not %.17g", i, (uintmax_t)seed, mine,
                             best);
            }
            portolan_choice_destroy(c);
            free(a);
        }
}

/* ---- budgets ---- */

/* Adds N budgets with room for SHARE of what all would use together, and a pair's use each. */
static void add_budgets(struct portolan_choice *c, uint64_t seed, size_t n, double share,
                        bool by_variable)
{
    seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 7;
    for (size_t b = 0; b < n; b++) {
        size_t budget;

        assert_int_equal(
            portolan_choice_add_budget(c, floor(share * 4 * (double)c->n), &budget, NULL), 0);
        for (size_t v = 0; v < c->n; v++) {
            double uses[16];

            for (size_t k = 0; k < 16; k++)
                uses[k] = floor(9 * random_unit(&seed));
            assert_int_equal(portolan_choice_add_use(c, budget, 1, &v, uses, NULL), 0);
        }
        if (!by_variable && c->n > 1) {
            double uses[16];

            for (size_t k = 0; k < 16; k++)
                uses[k] = 9 * random_unit(&seed) - 4;
            assert_int_equal(
                portolan_choice_add_use(c, budget, 2, (size_t[]){0, c->n - 1}, uses, NULL), 0);
        }
    }
}

static void budgets_are_kept_as_in_the_enumeration(void **state)
{
    size_t bound = 0, infeasible = 0;

    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_problem p = {2 + seed % 7,     2 + seed % 3, (double)(seed % 5) / 4, 1, 0.05,
                                   seed % 4 ? 0 : 1, seed % 2};
        struct portolan_choice *c = random_choice(seed, &p), *free_of;
        double best;

        free_of = random_choice(seed, &p);
        add_budgets(c, seed, 1 + seed % 3, 0.3 + 0.1 * (double)(seed % 8), seed % 3);
        best = enumerate(c);
        infeasible += isinf(best);
        bound += best > enumerate(free_of);
        for (size_t most = 0; most <= MANY; most += MANY) {
            double mine = solve(c, most);

            if (!is_close(mine, best))
                fail_msg("seed %ju most %zu: %.17g, not %.17g", (uintmax_t)seed, most, mine, best);
        }
        portolan_choice_destroy(c);
        portolan_choice_destroy(free_of);
    }
    assert_true(bound > 100 && infeasible > 10 && infeasible < 200);
}

static void margins_within_budgets_are_those_of_the_enumeration(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random_problem p = {5, 3, 0.4, 1, 0, 0, false};
        struct portolan_choice *c = random_choice(seed, &p);
        struct portolan_choice_solution *s[2];
        size_t at[5] = {0}, i;
        double least[15];

        add_budgets(c, seed, 1, 0.9, false);
        for (i = 0; i < 15; i++)
            least[i] = INFINITY;
        do {
            for (i = 0; i < 5; i++)
                least[3 * i + at[i]] = fmin(least[3 * i + at[i]], portolan_choice_cost(c, at));
            for (i = 0; i < 5 && ++at[i] == 3; i++)
                at[i] = 0;
        } while (i < 5);
        for (int m = 0; m < 2; m++) {
            assert_int_equal(choice_solve(c, m ? MANY : 0, true, &s[m], NULL), 0);
            for (i = 0; i < 15; i++)
                if (!is_close(s[m]->margins[i / 3][i % 3], least[i]))
                    fail_msg("seed %ju: %g, not %g", (uintmax_t)seed, s[m]->margins[i / 3][i % 3],
                             least[i]);
        }
        assert_memory_equal(s[0]->values, s[1]->values, 5 * sizeof *s[0]->values);
        portolan_choice_solution_destroy(s[0]);
        portolan_choice_solution_destroy(s[1]);
        portolan_choice_destroy(c);
    }
}

/* The work is bounded: a tight budget does not make it try all 3^20 assemblies. */
static void tight_budgets_take_few_steps(void **state)
{
    size_t most = 0;

    for (size_t i = 0; i < 24; i++) /* without complete graphs */
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct random_assembly *a = random_assembly(seed, 20, random_setting(i));
            struct portolan_choice *c = random_assembly_choice(a, NULL);
            struct portolan_choice_solution *s = NULL;
            enum portolan_status status;

            add_budgets(c, seed, 1 + seed % 2, 0.5, true);
            status = portolan_choice_solve(c, false, &s, NULL);
            assert_true(status == PORTOLAN_OK || status == PORTOLAN_EINFEASIBLE);
            most = s && s->nodes > most ? s->nodes : most;
            portolan_choice_solution_destroy(s);
            portolan_choice_destroy(c);
            free(a);
        }
    print_message("at most %zu nodes\n", most);
    assert_true(most < 200000);
}

/* 100 components with 5 implementations each: it goes straight to the best. */
static void large_problems_are_eliminated(void **state)
{
    struct random_assembly *a = random_assembly(1, 100, random_setting(12));
    struct random_problem p = {100, 5, 0, 1, 0, 0, false};
    struct portolan_choice_solution *s = NULL;
    struct portolan_choice *c;
    uint64_t seed = 1;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    for (size_t v = 0; v < 100; v++) {
        portolan_choice_add_variable(c, 5, 0, NULL, NULL);
        for (size_t u = 0; u < v; u++)
            if (a->meets[v][u])
                random_factor(c, &seed, &p, 2, (size_t[]){v, u});
    }
    assert_int_equal(portolan_choice_solve(c, false, &s, NULL), 0);
    assert_int_equal(s->nodes, 101);
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
    free(a);
}

static void bad_budgets_are_refused(void **state)
{
    struct portolan_choice *c;
    size_t b, v;

    assert_int_equal(portolan_choice_create(&c, NULL), 0);
    assert_int_equal(portolan_choice_add_variable(c, 2, 0, &v, NULL), 0);
    assert_int_equal(portolan_choice_add_budget(c, INFINITY, &b, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_use(c, 0, 1, &v, (double[]){1, 2}, NULL), PORTOLAN_EINVAL);
    assert_int_equal(portolan_choice_add_budget(c, 1, &b, NULL), 0);
    assert_int_equal(portolan_choice_add_use(c, b, 1, &v, (double[]){1, INFINITY}, NULL),
                     PORTOLAN_EINVAL);
    portolan_choice_destroy(c);
}

static enum portolan_status build_and_solve(size_t most, bool has_budget)
{
    struct portolan_choice *c = NULL;
    struct portolan_choice_solution *s = NULL;
    enum portolan_status status = portolan_choice_create(&c, NULL);
    size_t b;

    for (size_t v = 0; !status && v < 2; v++)
        if (!(status = portolan_choice_add_variable(c, 2, 0, NULL, NULL)))
            status = portolan_choice_add_factor(c, 1, &v, (double[]){1, 2}, NULL);
    if (!status)
        status = portolan_choice_add_factor(c, 2, (size_t[]){0, 1}, (double[]){0, 0, 0, 0}, NULL);
    if (!status && has_budget)
        status = portolan_choice_add_budget(c, 2, &b, NULL);
    if (!status && has_budget)
        status = portolan_choice_add_use(c, b, 2, (size_t[]){0, 1}, (double[]){3, 2, 2, 2}, NULL);
    if (!status)
        status = choice_solve(c, most, true, &s, NULL);
    if (!status)
        assert_true(s->cost == 2 + has_budget && s->margins[0][0] == s->cost &&
                    s->margins[0][1] == 3 && s->tied[0] == has_budget);
    portolan_choice_solution_destroy(s);
    portolan_choice_destroy(c);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    for (int m = 0; m < 4; m++) {
        enum portolan_status status = PORTOLAN_ENOMEM;
        unsigned long n = 0;

        while (status) {
            assert_int_equal(status, PORTOLAN_ENOMEM);
            portolan_alloc_fail_at(++n);
            status = build_and_solve(m / 2 ? MANY : 0, m % 2);
            portolan_alloc_fail_at(0);
        }
        assert_true(n > 15);
    }
}

/* ---- other solvers ---- */

static void glpsol_keeps_the_same_budgets(void **state)
{
    need_solver("glpsol");
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct random_problem p = {10, 3, 0.2, 1, 0.05, 1, false};
        struct portolan_choice *c = random_choice(seed, &p);
        double answer, mine;

        add_budgets(c, seed, 2, 0.8, seed % 2);
        answer = ask_glpsol(c);
        mine = solve(c, 1 << 14);
        if (isinf(mine) ? answer != 0 /* nothing found */
                        : !(fabs(answer - mine) < 1e-6 * answer) /* it prints ten digits */)
            fail_msg("seed %ju: %.12g, not %.12g", (uintmax_t)seed, answer, mine);
        portolan_choice_destroy(c);
    }
}

static void toulbar2_keeps_the_same_budgets(void **state)
{
    need_solver("toulbar2");
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct random_problem p = {10, 3, 0.3, 1, 0.05, 0, true};
        struct portolan_choice *c = random_choice(seed, &p), *counted;
        double answer, mine;

        add_budgets(c, seed, 1, 0.6, true);
        counted = count_budgets(c);
        answer = ask_toulbar2(counted);
        mine = solve(c, 1 << 14);
        if (isinf(mine) ? !isnan(answer) /* nothing found */ : answer != mine)
            fail_msg("seed %ju: %.12g, not %.12g", (uintmax_t)seed, answer, mine);
        portolan_choice_destroy(c);
        portolan_choice_destroy(counted);
    }
}

static void toulbar2_agrees_where_everybody_meets_everybody(void **state)
{
    need_solver("toulbar2");
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct random_assembly *a = random_assembly(seed, 20, random_setting(24 + seed % 6));
        struct portolan_choice *c;

        for (size_t v = 0; v < 20; v++) { /* whole numbers, which .wcsp loses nothing of */
            for (size_t k = 0; k < 3; k++)
                a->alone[v][k] = floor(1000 * a->alone[v][k]);
            for (size_t u = 0; u < v; u++)
                for (size_t k = 0; k < 9; k++)
                    a->pair[v][u][k] = floor(1000 * a->pair[v][u][k]);
        }
        c = random_assembly_choice(a, NULL);
        assert_true(ask_toulbar2(c) == solve(c, 1 << 14));
        portolan_choice_destroy(c);
        free(a);
    }
}

UNIT_TESTS(cmocka_unit_test(split_clusters_find_the_same_in_6000_assemblies),
           cmocka_unit_test(all_settings_equal_enumeration),
           cmocka_unit_test(budgets_are_kept_as_in_the_enumeration),
           cmocka_unit_test(margins_within_budgets_are_those_of_the_enumeration),
           cmocka_unit_test(tight_budgets_take_few_steps),
           cmocka_unit_test(large_problems_are_eliminated),
           cmocka_unit_test(bad_budgets_are_refused),
           cmocka_unit_test(every_failing_allocation_is_reported),
           cmocka_unit_test(glpsol_keeps_the_same_budgets),
           cmocka_unit_test(toulbar2_keeps_the_same_budgets),
           cmocka_unit_test(toulbar2_agrees_where_everybody_meets_everybody))
