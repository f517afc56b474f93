/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models that follow a running program, and accuracy as a function of the context: the simulated
 * plate, whose truth is known.
 */
#include <unit_test.h>

#include "plan_check.h"
#include "positions.h"
#include "world.h"

/* Selections; the last is the best at 96. */
static const size_t cholmod[] = {0, 1, 0, 0}, banded[] = {0, 0, 0, 0}, cg[] = {1, 2, 1, 0};

static const int32_t *select_all(const size_t *x)
{
    struct portolan_name_value list[N_VARIABLES];

    for (int v = 0; v < N_VARIABLES; v++)
        list[v] = (struct portolan_name_value){world_names[v], world_class(v, x[v])};
    return positions(&world_assembly, list, N_VARIABLES);
}

/* One step of X at size N with the solver FACTOR times as slow, told to P. */
static struct portolan_plan_news run_step(struct world *w, struct portolan_plan *p, const size_t *x,
                                          double n, double factor)
{
    struct portolan_plan_news news;
    struct portolan_error err = {0};
    size_t begin = w->set.n_samples;
    struct portolan_sample *s = &w->samples[begin];

    world_step(w, 3, 0, x, n, 0, false);
    for (size_t i = 0; i < w->set.n_samples - begin; i++) {
        s[i].parent -= s[i].parent < 0 ? 0 : (int64_t)begin;
        if (!strcmp(s[i].method, "solve"))
            s[i].exclusive_ns *= factor;
    }
    if (portolan_plan_learn(p, s, w->set.n_samples - begin, select_all(x), &news, &err))
        fail_msg("%s", err.text);
    w->set.n_samples = begin;
    return news;
}

static double predicted_step(struct portolan_plan *p, const size_t *x)
{
    struct portolan_plan_prediction t;

    assert_int_equal(portolan_plan_predict(p, select_all(x), &t, NULL), PORTOLAN_OK);
    return t.step_ns;
}

static void assert_within(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * expected))
        fail_msg("%g is not %g within %g", value, expected, relative);
}

static void usual_rows_update_constants_and_keep_the_form(void **state)
{
    struct world *w = world_create(1);
    struct portolan_plan *p;
    size_t refits = 0;

    w->noise = 0.05;
    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    for (int step = 0; step < 200; step++) {
        struct portolan_plan_news news = run_step(w, p, cholmod, 96, 1);

        assert_int_equal(news.n_unknown, 0);
        refits += news.n_refits;
    }
    /* Five models: their rows double some four times in 200 steps. */
    assert_true(refits <= 5 * 6);
    assert_within(predicted_step(p, cholmod), truth_step(cholmod, 96), 0.02);
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* Far outside the sweep prediction rests on the form; rows from there put it right. */
static void rows_from_where_it_runs_make_the_prediction_right(void **state)
{
    struct world *w = world_create(1);
    struct portolan_plan *p;
    double before, after;

    w->noise = 0.1;
    world_trial(w, "explore", cholmod, -1, cholmod, 16, 4);
    world_trial(w, "explore", cholmod, -1, cholmod, 24, 4);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    before = fabs(predicted_step(p, cholmod) - truth_step(cholmod, 96));
    for (int step = 0; step < 40; step++)
        run_step(w, p, cholmod, 96, 1);
    after = fabs(predicted_step(p, cholmod) - truth_step(cholmod, 96));
    assert_true(after < before);
    assert_true(after < 0.03 * truth_step(cholmod, 96));
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void a_solver_that_has_become_slow_is_left(void **state)
{
    struct world *w = world_create(1);
    struct portolan_plan_now now = {.remaining_steps = 1000, .hysteresis = 0.02};
    struct portolan_plan_advice *advice;
    struct portolan_plan_news news = {0};
    struct portolan_plan *p;
    int steps = 0;

    w->noise = 0.02;
    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    now.current = select_all(cg);
    assert_int_equal(portolan_plan_advise(p, &now, &advice, NULL), PORTOLAN_OK);
    assert_int_equal(advice->n_changes, 0);
    portolan_plan_advice_destroy(advice);

    while (news.n_failed == 0 && steps++ < 20)
        news = run_step(w, p, cg, 96, 20);
    assert_in_range(steps, 1, 10);
    assert_non_null(strstr(news.reason, "solver.solve of heat.Cg"));
    assert_non_null(strstr(news.reason, "shifted"));
    for (int i = 0; i < 40; i++)
        run_step(w, p, cg, 96, 20);
    assert_within(predicted_step(p, cg), truth_step(cg, 96) + 19 * truth_solve(cg, 96 * 96), 0.1);
    now.current = select_all(cg);
    assert_int_equal(portolan_plan_advise(p, &now, &advice, NULL), PORTOLAN_OK);
    assert_true(advice->n_changes >= 1);
    assert_non_null(strstr(advice->reason, "solver heat.Cg -> heat.Cholmod"));
    portolan_plan_advice_destroy(advice);
    assert_within(predicted_step(p, banded), truth_step(banded, 96), 0.1); /* not touched */
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void a_spike_moves_nothing(void **state)
{
    struct world *w = world_create(1);
    struct portolan_plan *p;
    double before;

    w->noise = 0.02;
    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    for (int i = 0; i < 10; i++)
        run_step(w, p, cholmod, 96, 1);
    before = predicted_step(p, cholmod);
    assert_int_equal(run_step(w, p, cholmod, 96, 100).n_failed, 0);
    assert_within(predicted_step(p, cholmod), before, 0.03);
    portolan_plan_destroy(p);
    world_destroy(w);
}

static const struct portolan_plan_model *model_of(const struct portolan_plan *p,
                                                  const char *instance, const char *method)
{
    const struct portolan_plan_model *models;
    size_t n = portolan_plan_peek_models(p, &models);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(models[i].instance, instance) && !strcmp(models[i].method, method) &&
            !strcmp(models[i].quantity, "exclusive_ns"))
            return &models[i];
    fail_msg("no model of %s.%s", instance, method);
    return NULL;
}

/* From 1000 unknowns on a solve takes ten times as long: what is far beyond costs so, too. */
static void a_break_is_found_and_decides_what_lies_beyond(void **state)
{
    struct world *w = world_create(1);
    struct portolan_plan *p;
    char *text;

    w->noise = 0.01;
    for (double n = 8; n <= 60; n += 2)
        world_trial(w, "explore", cholmod, -1, cholmod, n, 4);
    for (size_t i = 0; i < w->set.n_samples; i++)
        if (!strcmp(w->samples[i].method, "solve") && w->samples[i].context[0] >= 1000)
            w->samples[i].exclusive_ns *= 10;
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_int_equal(portolan_model_n_pieces(model_of(p, "solver", "solve")->model), 2);
    assert_within(predicted_step(p, cholmod),
                  truth_step(cholmod, 96) + 9 * truth_solve(cholmod, 96 * 96), 0.03);
    for (int i = 0; i < 20; i++)
        assert_int_equal(run_step(w, p, cholmod, 96, 10).n_failed, 0);
    assert_int_equal(portolan_model_n_pieces(model_of(p, "solver", "solve")->model), 2);
    assert_int_equal(portolan_plan_report_models(p, &text, NULL), PORTOLAN_OK);
    assert_non_null(strstr(text, " dof (dof < "));
    assert_non_null(strstr(text, " dof (dof >= "));
    free(text);
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void what_has_no_model_is_counted(void **state)
{
    struct world *w = world_create(1);
    struct portolan_plan *p;

    world_trial(w, "explore", banded, -1, banded, 32, 4);
    world_trial(w, "explore", banded, -1, banded, 48, 4);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_true(run_step(w, p, cholmod, 96, 1).n_unknown > 0);
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* ---- accuracy ---- */

static struct world *world_of_accuracy(double (*accuracy)(double n))
{
    static const double sizes[] = {16, 24, 32, 48};
    struct world *w = world_create(1);

    for (size_t i = 0; i < 12 * 4; i++) {
        size_t x[] = {i / 6 % 2, i / 2 % 3, i % 2, 0};

        w->cg_quality = accuracy(sizes[i / 12]);
        world_trial(w, "explore", x, -1, x, sizes[i / 12], 4);
    }
    return w;
}

static double better_with_size(double n)
{
    return 1e-3 / (n * n);
}

static double worse_with_size(double n)
{
    return 1e-9 * n * n;
}

static const struct portolan_answer_option *cg_of(struct portolan_plan *p)
{
    const struct portolan_plan_answer *choice;

    assert_int_equal(portolan_plan_choose(p, &choice, NULL), PORTOLAN_OK);
    return &choice->variables[SOLVER].options[2];
}

/* At 16 it is 3.9e-6, worse than wanted; at 32 and 48 it was good, so it is between; far off
 * nobody knows. */
static void accuracy_that_gets_better_is_allowed_where_it_is_good(void **state)
{
    struct portolan_assembly a = world_assembly;
    struct world *w = world_of_accuracy(better_with_size);
    struct portolan_plan *p;

    a.accuracy = 1e-6;
    p = plan_or_fail(&a, &w->set, w->ranks);
    assert_true(isinf(cg_of(p)->total_ns));
    assert_non_null(strstr(cg_of(p)->reason, "not known to work near"));
    portolan_plan_destroy(p);
    snprintf(world_n, sizeof world_n, "40");
    p = plan_or_fail(&a, &w->set, w->ranks);
    assert_false(isinf(cg_of(p)->total_ns));
    portolan_plan_destroy(p);
    snprintf(world_n, sizeof world_n, "16"); /* as it was measured there */
    p = plan_or_fail(&a, &w->set, w->ranks);
    snprintf(world_n, sizeof world_n, "96");
    assert_true(isinf(cg_of(p)->total_ns));
    assert_non_null(strstr(cg_of(p)->reason, "accuracy 3.91e-06 of solver.solve"));
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* Measured it is 2.3e-6 at the worst; at 96 it will be 9.2e-6, and the interval is told. */
static void accuracy_that_gets_worse_is_forbidden_before_it_is_bad(void **state)
{
    struct portolan_assembly a = world_assembly;
    struct world *w = world_of_accuracy(worse_with_size);
    struct portolan_plan *p;
    char *text;

    a.accuracy = 5e-6;
    p = plan_or_fail(&a, &w->set, w->ranks);
    assert_true(isinf(cg_of(p)->total_ns));
    assert_non_null(strstr(cg_of(p)->reason, "accuracy 9.22e-06 (between "));
    assert_non_null(strstr(cg_of(p)->reason, "outside the measured range"));
    assert_non_null(text = choice_text(p));
    assert_non_null(strstr(text, "accuracy:   1e-12 of solver.solve, wanted 5e-06"));
    free(text);
    assert_int_equal(portolan_plan_report_models(p, &text, NULL), PORTOLAN_OK);
    assert_non_null(strstr(text, "accuracy 1e-09 dof "));
    free(text);
    portolan_plan_destroy(p);
    world_destroy(w);
}

UNIT_TESTS(cmocka_unit_test(usual_rows_update_constants_and_keep_the_form),
           cmocka_unit_test(rows_from_where_it_runs_make_the_prediction_right),
           cmocka_unit_test(a_solver_that_has_become_slow_is_left),
           cmocka_unit_test(a_spike_moves_nothing),
           cmocka_unit_test(a_break_is_found_and_decides_what_lies_beyond),
           cmocka_unit_test(what_has_no_model_is_counted),
           cmocka_unit_test(accuracy_that_gets_better_is_allowed_where_it_is_good),
           cmocka_unit_test(accuracy_that_gets_worse_is_forbidden_before_it_is_bad))
