/* SPDX-License-Identifier: BSD-3-Clause */
/* Where an implementation may be used. */
#include <unit_test.h>

#include "lab.h"
#include "positions.h"
#include "world.h"

static bool is_allowed(const struct lab *l, int solver)
{
    return isfinite(lab_option(l, solver)->total_ns);
}

static bool allows(struct lab *l, double n, double symmetric, int solver)
{
    lab_choose(l, n, symmetric);
    return is_allowed(l, solver);
}

static void what_fails_where_a_context_says_so_is_used_elsewhere(void **state)
{
    struct lab *l = lab_with_lu();

    for (double n = 50; n <= 200; n *= 2) {
        lab_run(l, (struct run){.solver = CHOL, .n = n, .symmetric = 1, .ms = n / 10});
        lab_run(l, (struct run){.solver = CHOL, .n = n + 1, .symmetric = 0, .fails = true});
    }
    assert_int_equal(lab_choose(l, 100, 1)->variables[0].chosen, CHOL);
    assert_int_equal(lab_choose(l, 101, 0)->variables[0].chosen, LU);
    assert_reason(l, CHOL, "solver.solve failed in trial");
    assert_int_equal(lab_choose(l, 120, 1)->variables[0].chosen, CHOL);
    assert_int_equal(lab_choose(l, 120, 0)->variables[0].chosen, LU);
    assert_reason(l, CHOL, "failed in trial 16, the most similar one");
    lab_destroy(l);
}

static void what_fails_everywhere_is_used_nowhere(void **state)
{
    struct lab *l = lab_with_lu();

    lab_run(l, (struct run){.solver = CHOL, .n = 50, .fails = true});
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .fails = true});
    for (double n = 25; n < 1e4; n *= 7) {
        assert_int_equal(lab_choose(l, n, 0)->variables[0].chosen, LU);
        assert_reason(l, CHOL, "no context distinguishes that place");
    }
    lab_destroy(l);
}

/* Works at 100 and 200, fails at 150: what lies between others is not known to work. */
static void a_bad_place_between_good_ones_takes_their_neighbours_word(void **state)
{
    struct lab *l = lab_with_lu();

    l->a.accuracy = 1e-6;
    for (double n = 100; n <= 200; n += 50)
        lab_run(l, (struct run){.solver = CHOL, .n = n, .ms = 1, .quality = 1e-12});
    assert_int_equal(lab_choose(l, 170, 0)->variables[0].chosen, CHOL);
    l->samples[l->set.n_samples - 3].quality = 1; /* at 150 */
    for (double n = 100; n <= 200; n += 10) {
        lab_choose(l, n, 0);
        if (n == 100 || n == 200)
            assert_true(is_allowed(l, CHOL));
        else if (n > 120 && n < 180)
            assert_false(is_allowed(l, CHOL));
        if (n == 150)
            assert_reason(
                l, CHOL, "accuracy 1 of solver.solve in trial 14 is worse than the required 1e-06");
    }
    lab_destroy(l);
}

/* Adds trials of Chol where it is accurate (a negative N: where it is not). */
static void measure_chol(struct lab *l, const double *n, size_t how_many)
{
    for (size_t i = 0; i < how_many; i++)
        lab_run(l, (struct run){.solver = CHOL,
                                .n = fabs(n[i]),
                                .symmetric = 1,
                                .ms = 1,
                                .quality = n[i] > 0 ? 1e-12 : 1});
}

static void good_places_vouch_for_what_lies_between_until_one_does_not_work(void **state)
{
    static const double two_together[] = {100, 1600, 25600, -5000, -5100};
    static const double alone[] = {100, 200, 400, -800, 1600, 6400};
    struct lab *l = lab_with_lu(), *other = lab_with_lu();

    l->a.accuracy = other->a.accuracy = 1e-6;
    measure_chol(l, two_together, 5);
    assert_true(allows(l, 400, 1, CHOL));
    lab_plan(l, 10000, 1, NULL);
    assert_int_equal(portolan_plan_choose(l->plan, &l->choice, NULL), PORTOLAN_EINFEASIBLE);
    measure_chol(other, alone, 6); /* 800 is as 3200 is: its neighbours worked */
    assert_true(allows(other, 150, 1, CHOL));
    assert_false(allows(other, 3200, 1, CHOL));
    lab_destroy(l);
    lab_destroy(other);
}

/*
 * Chol takes a tenth of Lu's time up to the sixth of twelve sizes; beyond, it gets nowhere and
 * takes a second for it, which says nothing of the time it takes elsewhere.
 */
static void what_may_work_and_be_much_quicker_leaves_a_choice_unsure(void **state)
{
    struct lab *l = lab_create();

    l->a.accuracy = 1e-6;
    for (int k = 0; k < 12; k++) {
        double n = 100 * pow(1.3, k);

        lab_run(l, (struct run){.solver = LU, .n = n, .ms = n, .quality = 1e-12});
        lab_run(l, (struct run){.solver = CHOL,
                                .n = n,
                                .ms = k < 6 ? n / 10 : 1000,
                                .quality = k < 6 ? 1e-12 : 1});
    }
    assert_int_equal(lab_choose(l, 100 * pow(1.3, 2.5), 0)->variables[0].chosen, CHOL);
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
    assert_near(lab_option(l, CHOL)->total_ns, lab_option(l, LU)->total_ns / 10, 0.02);
    assert_int_equal(lab_choose(l, 100 * pow(1.3, 5.5), 0)->variables[0].chosen, LU);
    assert_false(is_allowed(l, CHOL));
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_CANNOT_TELL);
    assert_non_null(strstr(l->choice->rival, "s.Chol"));
    assert_non_null(strstr(l->choice->settle, "solver=s.Chol"));
    assert_int_equal(lab_choose(l, 100 * pow(1.3, 9.5), 0)->variables[0].chosen, LU);
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE); /* it failed all around */
    lab_destroy(l);
}

static void close_to_a_good_place_is_within_two_or_four_times(void **state)
{
    struct lab *l = lab_with_lu();

    l->a.accuracy = 1e-6;
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1, .quality = 1e-12});
    assert_true(allows(l, 190, 0, CHOL));
    assert_false(allows(l, 210, 0, CHOL));
    assert_reason(l, CHOL, "not known to work near here");
    lab_run(l, (struct run){.solver = CHOL, .n = 90, .ms = 1, .quality = 1e-12});
    lab_run(l, (struct run){.solver = CHOL, .n = 95, .ms = 1, .quality = 1e-12});
    assert_true(allows(l, 390, 0, CHOL));
    assert_false(allows(l, 410, 0, CHOL));
    lab_run(l, (struct run){.solver = CHOL, .n = 800, .ms = 1, .quality = 1});
    assert_false(allows(l, 390, 0, CHOL)); /* now a bad one is nearer than twice as far */
    lab_destroy(l);
}

/* 11 of 22 exactly 1.0: a curve through all passes the bound where no place does. */
static void a_curve_through_accuracies_admits_nothing(void **state)
{
    struct lab *l = lab_with_lu();

    l->a.accuracy = 1e-6;
    for (int k = 0; k < 22; k++)
        lab_run(l,
                (struct run){
                    .solver = CHOL, .n = 100 * pow(1.1, k), .ms = 1, .quality = k % 2 ? 1 : 1e-12});
    for (int k = 0; k < 22; k++) {
        assert_int_equal(allows(l, 100 * pow(1.1, k), 0, CHOL), !(k % 2));
        assert_false(allows(l, 100 * pow(1.1, k + 0.5), 0, CHOL));
    }
    lab_destroy(l);
}

static void a_lifted_veto_does_not_count_until_it_fails_again(void **state)
{
    struct lab *l = lab_with_lu();
    struct portolan_lifted_veto lifted = {"lab", "solver", "s.Chol", 0};

    lab_run(l, (struct run){.solver = CHOL, .n = 100, .fails = true});
    lab_run(l, (struct run){.solver = CHOL, .n = 200, .ms = 1});
    lifted.trial = (int64_t)l->set.n_trials;
    assert_false(allows(l, 100, 0, CHOL));
    l->set.n_lifted = 1;
    l->set.lifted = &lifted;
    assert_true(allows(l, 100, 0, CHOL));
    lifted.implementation = "s.Cg";
    assert_false(allows(l, 100, 0, CHOL));
    lifted.implementation = "s.Chol";
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .fails = true});
    assert_false(allows(l, 100, 0, CHOL));
    lab_destroy(l);
}

/* Of solve, and of apply within it: calls of trials in which the preconditioner has that class. */
static void fail_calls(struct world *w, const char *preconditioner, bool apply)
{
    for (size_t i = 0; i < w->set.n_samples; i++) {
        struct portolan_sample *x = &w->samples[i];
        bool solves = !strcmp(x->implementation, "heat.Cg") && !strcmp(x->method, "solve");

        if (!strcmp(w->implementations[x->trial - 1][PRECONDITIONER].value, preconditioner) &&
            (solves || (apply && !strcmp(x->method, "apply"))))
            x->failed_calls = 1;
    }
}

/* Whether Cg may be used with either preconditioner, and whether that is its own fault. */
static void assert_cg_allowed(const struct world *w, bool jacobi, bool ssor, bool to_blame)
{
    const bool wanted[] = {jacobi, ssor};
    struct portolan_plan *p = NULL;
    char *text;

    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
                     0);
    for (size_t k = 0; k < 2; k++) {
        const struct portolan_name_value x[] = {{"solver", "heat.Cg"},
                                                {"preconditioner", world_class(PRECONDITIONER, k)}};
        struct portolan_plan_prediction t;

        assert_int_equal(portolan_plan_predict(p, positions(&world_assembly, x, 2), &t, NULL),
                         wanted[k] ? PORTOLAN_OK : PORTOLAN_EINFEASIBLE);
    }
    assert_int_equal(portolan_plan_report_vetoes(p, &text, NULL), 0);
    assert_int_equal(strstr(text, "solver=heat.Cg  solve(") != NULL, to_blame);
    assert_int_equal(strstr(text, "preconditioner=heat.Jacobi  apply(") != NULL, !jacobi);
    free(text);
    portolan_plan_destroy(p);
}

static void the_innermost_call_that_fails_is_to_blame(void **state)
{
    struct world *w = world_create(1);

    world_explore_all(w);
    assert_cg_allowed(w, true, true, false);
    fail_calls(w, "heat.Jacobi", true);
    assert_cg_allowed(w, false, true, false);
    fail_calls(w, "heat.Ssor", false);
    assert_cg_allowed(w, false, false, true);
    world_destroy(w);
}

static void a_fixed_instance_that_fails_excludes_nobody(void **state)
{
    struct lab *l = lab_with_lu();

    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1});
    for (size_t i = 0; i < l->set.n_samples; i++)
        l->samples[i].failed_calls = l->samples[i].parent < 0;
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, CHOL);
    lab_destroy(l);
}

/* As after damage: what failed excuses nobody who is not there. */
static void a_failed_call_without_its_caller_counts(void **state)
{
    struct lab *l = lab_with_lu();

    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1});
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .fails = true});
    l->samples[l->set.n_samples - 1].parent = INT64_MAX / 64;
    assert_false(allows(l, 100, 0, CHOL));
    lab_destroy(l);
}

/* All of Chol's calls were symmetric; Cg's condition is of a name that nobody knows. */
static void conditions_are_asked_and_what_is_not_known_is_no_hindrance(void **state)
{
    struct lab *l = lab_with_lu();

    l->solvers[CHOL].applies = "symmetric = 1 and n < 1000";
    l->solvers[CG].applies = "moon = 'full'";
    for (double n = 50; n <= 200; n *= 2) {
        lab_run(l, (struct run){.solver = CHOL, .n = n, .symmetric = 1, .ms = 1});
        lab_run(l, (struct run){.solver = CG, .n = n, .symmetric = 1, .ms = 2});
    }
    assert_int_equal(lab_choose(l, 120, 1)->variables[0].chosen, CHOL);
    assert_true(is_allowed(l, CG));
    assert_int_equal(lab_choose(l, 120, 0)->variables[0].chosen, CG);
    assert_reason(l, CHOL, "does not apply here: its condition is symmetric = 1 and n < 1000");
    assert_true(allows(l, 120, NAN, CHOL));
    assert_false(allows(l, 1200, NAN, CHOL));
    lab_destroy(l);
}

static enum portolan_answer is_small(portolan_condition_lookup_fn lookup, void *arg)
{
    double n;

    return !portolan_condition_number(lookup, arg, "n", 0, 1e9, &n) ? PORTOLAN_UNKNOWN
           : n < 150                                                ? PORTOLAN_YES
                                                                    : PORTOLAN_NO;
}

static void classes_are_asked_themselves(void **state)
{
    struct lab *l = lab_with_lu();

    l->solvers[CHOL].applies = "symmetric = 1";
    l->solvers[CHOL].query = is_small;
    for (double n = 50; n <= 200; n *= 2) {
        lab_run(l, (struct run){.solver = CHOL, .n = n, .symmetric = 1, .ms = 1});
        lab_run(l, (struct run){.solver = CG, .n = n, .symmetric = 1, .ms = 2});
    }
    assert_int_equal(lab_choose(l, 120, 1)->variables[0].chosen, CHOL);
    assert_int_equal(lab_choose(l, 180, 1)->variables[0].chosen, CG);
    assert_reason(l, CHOL, "does not apply here: its condition is its own query");
    assert_int_equal(lab_choose(l, 120, 0)->variables[0].chosen, CG);
    assert_reason(l, CHOL, "does not apply here: its condition is symmetric = 1");
    lab_destroy(l);
}

static void conditions_on_parameters_that_are_not_swept_are_asked_too(void **state)
{
    struct lab *l = lab_with_lu();

    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1});
    l->solvers[CHOL].applies = "driver.file = b";
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, LU);
    l->solvers[CHOL].applies = "driver.file = a and driver.n = 100";
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, CHOL);
    lab_destroy(l);
}

UNIT_TESTS(cmocka_unit_test(what_fails_where_a_context_says_so_is_used_elsewhere),
           cmocka_unit_test(what_fails_everywhere_is_used_nowhere),
           cmocka_unit_test(a_bad_place_between_good_ones_takes_their_neighbours_word),
           cmocka_unit_test(good_places_vouch_for_what_lies_between_until_one_does_not_work),
           cmocka_unit_test(what_may_work_and_be_much_quicker_leaves_a_choice_unsure),
           cmocka_unit_test(close_to_a_good_place_is_within_two_or_four_times),
           cmocka_unit_test(a_curve_through_accuracies_admits_nothing),
           cmocka_unit_test(a_lifted_veto_does_not_count_until_it_fails_again),
           cmocka_unit_test(the_innermost_call_that_fails_is_to_blame),
           cmocka_unit_test(a_fixed_instance_that_fails_excludes_nobody),
           cmocka_unit_test(a_failed_call_without_its_caller_counts),
           cmocka_unit_test(conditions_are_asked_and_what_is_not_known_is_no_hindrance),
           cmocka_unit_test(classes_are_asked_themselves),
           cmocka_unit_test(conditions_on_parameters_that_are_not_swept_are_asked_too))
