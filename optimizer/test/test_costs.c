/* SPDX-License-Identifier: BSD-3-Clause */
/* What a cost is: first calls are paid once, means are means, and blocks of time vary, not calls.
 */
#include <unit_test.h>

#include "lab.h"
#include <portolan/stats.h>

/* The solver's model of time per call; NULL: there is none. */
static const struct portolan_plan_model *model_of(const struct lab *l, int solver)
{
    const struct portolan_plan_model *models;
    size_t n = portolan_plan_peek_models(l->plan, &models);

    for (size_t i = 0; i < n; i++)
        if (!strcmp(models[i].implementation, lab_classes[solver]) &&
            !strcmp(models[i].quantity, "exclusive_ns"))
            return &models[i];
    return NULL;
}

static double width_of(const struct lab *l, int solver)
{
    struct portolan_plan_prediction t = lab_predict(l, solver);

    return (t.high_ns - t.low_ns) / t.total_ns;
}

/* ---- first calls ---- */

static double warms_up_20(int step)
{
    return step < 20 ? 10 : 1;
}

static double first_2000(int step)
{
    return step < 1 ? 2000 : 1;
}

static void first_calls_are_paid_once_per_run(void **state)
{
    static double (*const factors[])(int) = {warms_up_20, first_2000};
    static const double once[] = {180, 1999};

    for (size_t i = 0; i < 2; i++) {
        struct lab *l = lab_create();

        lab_run(l,
                (struct run){.solver = LU, .n = 100, .ms = 1, .steps = 100, .factor = factors[i]});
        lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 2, .steps = 100});
        strcpy(l->steps, "4000");
        assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, LU);
        assert_near(lab_predict(l, LU).total_ns, 1e6 * (4000 + once[i]), 1e-2);
        assert_near(lab_predict(l, LU).setup_ns, 1e6 * once[i], 1e-6);
        strcpy(l->steps, "100");
        assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, CHOL);
        lab_destroy(l);
    }
}

/* One slow call in a trial of its own, before or after 3,000 fast ones. */
static void a_trial_of_one_call_does_not_weigh_as_one_of_thousands(void **state)
{
    for (int order = 0; order < 2; order++) {
        struct lab *l = lab_create();

        for (int i = 0; i < 2; i++)
            lab_run(l, (struct run){.solver = LU,
                                    .n = 100,
                                    .ms = i == order ? 14.8 : 0.0116,
                                    .steps = i == order ? 1 : 3000});
        lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 0.02, .steps = 300});
        strcpy(l->steps, "1000");
        assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, LU);
        assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
        assert_near(lab_predict(l, LU).step_ns, 11600 + 1000, 1e-6); /* the driver takes 1 us */
        assert_int_equal(model_of(l, LU)->n_rows, 3000);
        assert_int_equal(model_of(l, CHOL)->n_rows, 300);
        lab_destroy(l);
    }
}

static double noisy(int step)
{
    return 1 + 0.1 * portolan_draw_normal((uint64_t)step, 3);
}

/* Three steps of 1.5 ms against 2,000 of 1 ms: a block of 30 steps counts fully, one of 3 a tenth.
 */
static void short_trials_count_less_than_long_ones(void **state)
{
    struct lab *l = lab_create();

    lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1.5, .steps = 3, .factor = noisy});
    lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1, .steps = 2000, .factor = noisy});
    strcpy(l->steps, "1000");
    lab_choose(l, 100, 0);
    assert_near(lab_predict(l, LU).step_ns, 1e6 * (1 + 0.5 * 0.1 / 1.1), 0.01);
    lab_destroy(l);
}

/* Of Chol only a first call is known; Lu's later ones are faster than that. */
static void nothing_is_decided_by_first_calls_alone(void **state)
{
    struct lab *l = lab_create();

    for (int i = 0; i < 3; i++)
        lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1, .steps = 100, .factor = noisy});
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 3, .steps = 1});
    strcpy(l->steps, "1000");
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, LU);
    assert_int_not_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
    assert_string_equal(l->choice->rival, "solver=s.Chol");
    assert_true(lab_predict(l, CHOL).low_ns < lab_predict(l, LU).low_ns);
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 3, .steps = 100, .factor = noisy});
    lab_choose(l, 100, 0);
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
    lab_destroy(l);
}

/* Chol runs in steps 20 to 49 and 70 to 99 of a trial of Lu, 4.5 ms more in its first ones. */
static struct lab *lab_with_visits(void)
{
    struct lab *l = lab_create();

    lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1, .steps = 100});
    for (size_t i = 0; i < l->set.n_samples; i++) {
        struct portolan_sample *x = &l->samples[i];
        bool is_first = x->step == 20 || x->step == 70;

        if (strcmp(x->instance, "solver") != 0 || x->step % 50 < 20)
            continue;
        x->implementation = lab_classes[CHOL];
        x->inclusive_ns = x->exclusive_ns = is_first ? 5e6 : 0.5e6;
        l->samples[i - 1].inclusive_ns = x->inclusive_ns + 1e3;
    }
    return l;
}

static void a_return_is_paid_once_per_return(void **state)
{
    struct lab *l = lab_with_visits();
    struct portolan_plan_now now = {
        .current = (int32_t[]){0, LU}, .remaining_steps = 30, .hysteresis = 0.01};
    struct portolan_plan_advice *advice;

    strcpy(l->steps, "100");
    lab_choose(l, 100, 0);
    assert_int_equal(model_of(l, CHOL)->n_rows, 58);
    assert_near(lab_predict(l, CHOL).step_ns, 0.501e6, 1e-6);
    assert_near(lab_predict(l, CHOL).setup_ns, 4.5e6, 1e-6);
    assert_near(lab_predict(l, LU).setup_ns + 1, 1, 1e-6);
    assert_int_equal(portolan_plan_advise(l->plan, &now, &advice, NULL), PORTOLAN_OK);
    assert_int_equal(advice->n_changes, 1);
    assert_near(advice->cost_ns, 4.5e6, 1e-6);
    assert_near(advice->gain_ns, 30 * 0.5e6 - 4.5e6, 1e-6);
    portolan_plan_advice_destroy(advice);
    now.remaining_steps = 8; /* do not repay it */
    assert_int_equal(portolan_plan_advise(l->plan, &now, &advice, NULL), PORTOLAN_OK);
    assert_int_equal(advice->n_changes, 0);
    portolan_plan_advice_destroy(advice);
    lab_destroy(l);
}

/* ---- means ---- */

static double every_8th(int step)
{
    return step % 8 == 7 ? 50 : 1;
}

static double alternates(int step)
{
    return step % 2 ? 9 : 1;
}

static double one_in_100(int step)
{
    return step == 60 ? 50 : 1;
}

static void what_comes_again_is_cost_and_one_disturbance_is_not(void **state)
{
    static const struct {
        double (*factor)(int);
        double mean;
    } cases[] = {{every_8th, 1 + 49.0 / 8}, {alternates, 5}, {one_in_100, 1}};

    for (size_t i = 0; i < 3; i++) {
        struct lab *l = lab_create();

        lab_run(l, (struct run){
                       .solver = LU, .n = 100, .ms = 1, .steps = 96, .factor = cases[i].factor});
        strcpy(l->steps, "4000");
        lab_choose(l, 100, 0);
        assert_near(lab_predict(l, LU).step_ns, 1e6 * cases[i].mean + 1e3, 1e-6);
        assert_near(lab_predict(l, LU).setup_ns, 0, 1e-9);
        lab_destroy(l);
    }
}

/* Chol runs in steps 50 to 99 and 150 to 199 of a trial of Lu; it is long once in each of N visits.
 */
static double mean_with_long_calls(int n)
{
    struct lab *l = lab_create();
    double mean;

    lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1, .steps = 200});
    for (size_t i = 0; i < l->set.n_samples; i++) {
        struct portolan_sample *x = &l->samples[i];

        if (strcmp(x->instance, "solver") != 0 || x->step % 100 < 50)
            continue;
        x->implementation = lab_classes[CHOL];
        if (x->step == 98 || (n > 1 && x->step == 198))
            x->inclusive_ns = x->exclusive_ns = 101e6;
        l->samples[i - 1].inclusive_ns = x->inclusive_ns + 1e3;
    }
    strcpy(l->steps, "4000");
    lab_choose(l, 100, 0);
    mean = lab_predict(l, CHOL).step_ns;
    lab_destroy(l);
    return mean;
}

static void what_is_long_once_in_each_of_several_visits_is_cost(void **state)
{
    assert_near(mean_with_long_calls(1), 1.001e6, 1e-3);
    assert_near(mean_with_long_calls(2), 3.001e6, 1e-3);
}

/* ---- intervals ---- */

/* In 20 steps, every 8th of which is long, the mean is known to a third at best. */
static void periods_widen_the_interval(void **state)
{
    struct lab *l = lab_create();

    lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1, .steps = 20, .factor = every_8th});
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 5.5, .steps = 20});
    strcpy(l->steps, "1000");
    lab_choose(l, 100, 0);
    assert_true(width_of(l, LU) > 1);
    assert_int_not_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
    lab_destroy(l);
}

static void no_width_needs_many_equal_times_or_a_manual_clock(void **state)
{
    for (int steps = 5; steps <= 40; steps += 35) {
        struct lab *l = lab_create();

        for (int i = 0; i < 2; i++)
            lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 1, .steps = steps});
        lab_choose(l, 100, 0);
        assert_true(steps < 15 ? width_of(l, LU) > 0.1 : width_of(l, LU) < 1e-9);
        for (int i = 0; i < 2; i++)
            l->given[i][3] = (struct portolan_name_value){"clock", "portolan.ManualClock"};
        lab_choose(l, 100, 0);
        assert_true(width_of(l, LU) < 1e-9);
        lab_destroy(l);
    }
}

/* Lu differs by a third from run to run, however alike its steps are; Chol ran once. */
static void what_ran_once_varies_between_runs_as_its_rival_does(void **state)
{
    struct lab *l = lab_create();

    for (int i = 0; i < 8; i++)
        lab_run(l, (struct run){
                       .solver = LU, .n = 100, .ms = i % 2 ? 1 : 2, .steps = 200, .factor = noisy});
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1.3, .steps = 200, .factor = noisy});
    strcpy(l->steps, "1000");
    lab_choose(l, 100, 0);
    assert_true(width_of(l, CHOL) > 1);
    assert_int_not_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
    lab_destroy(l);
}

static double slower_every_minute(int step)
{
    return 1 + 0.1 * (step / 600);
}

/* 3,000 steps of 0.1 s and more, all equal within a minute: it is five measurements, not 3,000. */
static void minutes_vary_not_calls(void **state)
{
    struct lab *l = lab_create();

    lab_run(l,
            (struct run){
                .solver = LU, .n = 100, .ms = 100, .steps = 3000, .factor = slower_every_minute});
    strcpy(l->steps, "1000");
    lab_choose(l, 100, 0);
    assert_near(lab_predict(l, LU).step_ns, 1.2e8, 0.05);
    assert_true(width_of(l, LU) > 0.4); /* 1.4 / 1.0 has been seen */
    assert_int_equal(model_of(l, LU)->n_rows, 3000);
    lab_destroy(l);
}

UNIT_TESTS(cmocka_unit_test(first_calls_are_paid_once_per_run),
           cmocka_unit_test(a_trial_of_one_call_does_not_weigh_as_one_of_thousands),
           cmocka_unit_test(short_trials_count_less_than_long_ones),
           cmocka_unit_test(nothing_is_decided_by_first_calls_alone),
           cmocka_unit_test(a_return_is_paid_once_per_return),
           cmocka_unit_test(minutes_vary_not_calls),
           cmocka_unit_test(what_comes_again_is_cost_and_one_disturbance_is_not),
           cmocka_unit_test(what_is_long_once_in_each_of_several_visits_is_cost),
           cmocka_unit_test(periods_widen_the_interval),
           cmocka_unit_test(no_width_needs_many_equal_times_or_a_manual_clock),
           cmocka_unit_test(what_ran_once_varies_between_runs_as_its_rival_does))
