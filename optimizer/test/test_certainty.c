/* SPDX-License-Identifier: BSD-3-Clause */
/* What predictions rest on, how sure a choice is, and what it says where it rests on too little. */
#include <unit_test.h>

#include "lab.h"
#include "positions.h"
#include "world.h"

/* ---- predictions ---- */

/* At one of twelve files Lu takes 14 times what its law says, and n does not tell why. */
static void what_was_measured_beats_the_law(void **state)
{
    struct lab *l = lab_create();
    char files[12][8];

    for (size_t k = 0; k < 12; k++) {
        double n = 100 * pow(1.5, (double)k);

        snprintf(files[k], sizeof files[k], "f%zu", k);
        lab_case(l, files[k], n, 0);
        for (int i = 0; i < 2; i++) {
            lab_run(l, (struct run){.solver = LU,
                                    .n = n,
                                    .file = files[k],
                                    .ms = n * (k == 7 ? 14 : 1) * (1 + 0.02 * i)});
            lab_run(l, (struct run){
                           .solver = CHOL, .n = n, .file = files[k], .ms = 3 * n * (1 + 0.02 * i)});
        }
    }
    for (size_t k = 0; k < 12; k++) {
        double n = 100 * pow(1.5, (double)k);

        l->parameters[0].text = files[k];
        lab_choose(l, n, 0);
        assert_int_equal(l->choice->variables[0].chosen, k == 7 ? CHOL : LU);
        assert_near(lab_predict(l, LU).total_ns, 1e6 * n * (k == 7 ? 14 : 1) * 1.01, 1e-3);
        assert_int_equal(l->choice->prediction.n_extrapolating, 0);
    }
    lab_destroy(l);
}

static double every_17th(int step)
{
    return step % 17 == 4 ? 50 : 1;
}

static double every_17th_from_the_first(int step)
{
    return step % 17 == 0 ? 50 : 1;
}

static double one_spike(int step)
{
    return step == 20 ? 50 : 1;
}

static double lu_of(double (*factor)(int), const char *steps)
{
    struct lab *l = lab_create();
    double total;

    for (int i = 0; i < 3; i++)
        for (double n = 50; n <= 200; n *= 2) {
            lab_run(l, (struct run){.solver = LU, .n = n, .ms = 1, .steps = 68, .factor = factor});
            lab_run(l, (struct run){.solver = CHOL, .n = n, .ms = 2, .steps = 68});
        }
    strcpy(l->steps, steps);
    lab_choose(l, 100, 0);
    total = lab_predict(l, LU).total_ns;
    assert_int_equal(l->choice->variables[0].chosen, total > 2e6 * atoi(steps) ? CHOL : LU);
    lab_destroy(l);
    return total;
}

static void calls_that_take_longer_again_and_again_are_in_the_total(void **state)
{
    assert_near(lu_of(every_17th, "340"), 340e6 * 66 / 17, 0.05);
    assert_near(lu_of(every_17th_from_the_first, "340"), 340e6 * 66 / 17, 0.05);
    assert_near(lu_of(every_17th_from_the_first, "34"), 34e6 * 66 / 17, 0.05);
    assert_near(lu_of(one_spike, "340"), 340e6, 0.05);
}

/* ---- whose trials count ---- */

static void trials_of_another_machine_are_left_out_and_told(void **state)
{
    static const struct portolan_name_value here = {"host", "here"};
    struct lab *l = lab_with_lu();

    l->options.n_facts = 1;
    l->options.facts = &here;
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1, .host = "there"});
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, LU);
    assert_reason(l, CHOL, "never measured");
    assert_true(lab_says(l, "1 trial is of another machine or build not used (host there)"));
    l->options.n_facts = 0;
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, CHOL);
    lab_destroy(l);
}

static void the_number_of_ranks_is_a_parameter_where_several_were_measured(void **state)
{
    struct lab *l = lab_create();
    struct portolan_error err = {0};

    l->options.ranks = 4;
    for (int ranks = 2; ranks >= 1; ranks--)
        for (int solver = LU; solver <= CHOL; solver++)
            lab_run(l, (struct run){.solver = solver,
                                    .n = 100,
                                    .ranks = ranks == 2 ? 2 : 8,
                                    .ms = solver == LU ? 8 : 64.0 / (ranks == 2 ? 2 : 8)});
    l->set.n_trials = 2; /* both on two ranks */
    l->set.n_samples = 4;
    assert_int_equal(lab_plan(l, 100, 0, &err), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "ran on 2 ranks, not 4"));
    l->set.n_trials = 4;
    l->set.n_samples = 8;
    for (int solver = LU; solver <= CHOL; solver++)
        lab_run(l, (struct run){.solver = solver, .n = 100, .ms = solver == LU ? 8 : 64});
    lab_choose(l, 100, 0);
    assert_true(lab_says(l, "no measurements on 4 ranks"));
    assert_near(lab_predict(l, LU).total_ns, 8e6, 0.02);
    assert_near(lab_predict(l, CHOL).total_ns, 16e6, 0.1);
    lab_destroy(l);
}

/* ---- how sure a choice is ---- */

/* Repetitions of both at one place, with means 100 ms and that many times as much. */
static struct lab *lab_of_two(double ratio, double spread)
{
    struct lab *l = lab_create();

    for (int i = -1; i <= 1; i += 2)
        for (int k = 0; k < 2; k++) {
            lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 100 * (1 + spread * i)});
            lab_run(l,
                    (struct run){.solver = CHOL, .n = 100, .ms = 100 * ratio * (1 + spread * i)});
        }
    return l;
}

static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* The chance that 1 is better than RATIO, and what it loses otherwise, by 100,000 draws. */
static void draw(double ratio, double se, double *chance, double *loss)
{
    uint64_t seed = 1234567;
    const int n = 100000;

    *chance = *loss = 0;
    for (int i = 0; i < n; i++) {
        double far = se * sqrt(-2 * log(uniform(&seed))), turn = 2 * M_PI * uniform(&seed);
        double mine = exp(far * cos(turn)), other = ratio * exp(far * sin(turn));

        *chance += (mine <= other) / (double)n;
        *loss += fmax(0, mine / other - 1) / n;
    }
}

static void chance_and_loss_are_those_of_the_errors_of_the_means(void **state)
{
    static const double ratios[] = {1.01, 1.05, 1.2, 2};
    static const double spreads[] = {0.01, 0.05, 0.1};

    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            struct lab *l = lab_of_two(ratios[i], spreads[k]);
            double chance, loss;

            /* four repetitions, of standard deviation spread * sqrt(4/3) */
            draw(ratios[i], spreads[k] * sqrt(4.0 / 3) / 2, &chance, &loss);
            lab_choose(l, 100, 0);
            if (l->choice->variables[0].chosen != LU) /* of 64 draws more than half may say so */
                chance = 1 - chance;
            /* 0.06, and 0.2 of the loss: one standard deviation of 64 draws */
            assert_true(fabs(l->choice->chance - chance) < 0.12);
            assert_true(fabs(l->choice->expected_loss - loss) < 1e-3 + 0.4 * loss);
            assert_int_equal(l->choice->verdict, l->choice->chance < 0.8 ? PORTOLAN_ANSWER_CLOSE
                                                                         : PORTOLAN_ANSWER_SURE);
            lab_destroy(l);
        }
}

/* 95 ms, give or take a factor, against 100 ms for certain. */
static void what_is_known_is_preferred_to_what_may_be_a_little_better(void **state)
{
    struct lab *l = lab_create();

    for (int i = 0; i < 4; i++) {
        lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 100 + 0.1 * i});
        lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 95 * (i % 2 ? 1.9 : 0.1)});
    }
    assert_int_equal(lab_choose(l, 100, 0)->variables[0].chosen, LU);
    assert_true(lab_option(l, CHOL)->total_ns < lab_option(l, LU)->total_ns);
    lab_destroy(l);
}

static void a_close_call_names_its_rival_and_the_trial_that_would_settle_it(void **state)
{
    struct lab *l = lab_of_two(1.001, 0.05);
    bool lu;

    lu = lab_choose(l, 100, 0)->variables[0].chosen == LU;
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_CLOSE);
    assert_string_equal(l->choice->rival, lu ? "solver=s.Chol" : "solver=s.Lu");
    assert_true(lab_says(l, "close call"));
    assert_non_null(strstr(l->choice->settle, "portolan run --fixed"));
    assert_non_null(strstr(l->choice->settle, "--set driver.n=100"));
    lab_destroy(l);
}

/* Two that each vary by ten times for no reason in their contexts: who is quicker is chance. */
static void what_may_lose_much_cannot_be_told(void **state)
{
    struct lab *l = lab_create();
    uint64_t seed = 17;

    for (int k = 0; k < 20; k++)
        for (int solver = LU; solver <= CHOL; solver++)
            lab_run(l, (struct run){
                           .solver = solver, .n = 100 + 5 * k, .ms = pow(10, 2 * uniform(&seed))});
    lab_choose(l, 152, 0);
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_CANNOT_TELL);
    assert_true(lab_says(l, "cannot tell"));
    assert_true(lab_says(l, "add a context"));
    lab_destroy(l);
}

/* How long a step takes cannot be predicted, but which is quicker is certain: the choice and the
 * advice to a run both say so. */
static void a_run_goes_over_to_what_is_surely_better(void **state)
{
    struct lab *l = lab_create();
    struct portolan_plan_now now = {
        .current = (int32_t[]){0, LU}, .remaining_steps = 8, .hysteresis = 0.01};
    struct portolan_plan_advice *advice;
    uint64_t seed = 17;

    for (int k = 0; k < 20; k++) {
        lab_run(l, (struct run){.solver = LU, .n = 100 + 5 * k, .ms = 1e6, .steps = 8});
        lab_run(l, (struct run){.solver = CHOL,
                                .n = 100 + 5 * k,
                                .ms = pow(10, 2 * uniform(&seed)),
                                .steps = 8});
    }
    lab_choose(l, 152, 0);
    assert_int_equal(l->choice->variables[0].chosen, CHOL);
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_SURE);
    assert_true(l->choice->prediction.is_unusable);
    assert_int_equal(portolan_plan_advise(l->plan, &now, &advice, NULL), PORTOLAN_OK);
    assert_int_equal(advice->n_changes, 1);
    portolan_plan_advice_destroy(advice);
    lab_destroy(l);
}

static void two_points_say_nothing_a_thousand_times_outside(void **state)
{
    struct lab *l = lab_create();

    for (int i = 0; i < 3; i++)
        for (double n = 10; n <= 20; n += 10)
            lab_run(l, (struct run){.solver = LU, .n = n, .ms = pow(n, 3) * (1 + 0.01 * i)});
    lab_choose(l, 20000, 0);
    assert_true(l->choice->prediction.is_unusable);
    assert_int_equal(l->choice->verdict, PORTOLAN_ANSWER_CANNOT_TELL);
    assert_true(l->choice->settle[0]);
    lab_choose(l, 20, 0);
    assert_false(l->choice->prediction.is_unusable);
    lab_destroy(l);
}

static void no_total_is_negative(void **state)
{
    struct lab *l = lab_create();
    struct portolan_plan_prediction t;

    for (int i = 0; i < 2; i++)
        for (double n = 10; n <= 50; n += 10)
            lab_run(l, (struct run){.solver = LU, .n = n, .ms = 101 - 2 * n + i * 1e-3});
    for (double n = 1; n < 1e6; n *= 3)
        if (!lab_plan(l, n, 0, NULL) &&
            !portolan_plan_predict(
                l->plan, positions(&l->a, &(struct portolan_name_value){"solver", "s.Lu"}, 1), &t,
                NULL))
            assert_true(t.total_ns >= 0 && t.low_ns >= 0 && t.high_ns >= t.total_ns);
    lab_destroy(l);
}

/* ---- reports ---- */

static void the_choice_fits_a_terminal(void **state)
{
    static const double ratios[] = {1.001, 1.5};

    for (size_t i = 0; i < 4; i++) {
        struct lab *l = lab_of_two(ratios[i % 2], 0.2);
        char *text, *rest;

        l->solvers[CHOL].class_name = "numerics.sparse.direct.supernodal.CholeskyFactorisation";
        for (size_t k = 0; k < l->set.n_samples; k++)
            if (!strcmp(l->samples[k].implementation, "s.Chol"))
                l->samples[k].implementation = l->solvers[CHOL].class_name;
        for (size_t k = 0; k < l->set.n_trials; k++)
            if (!strcmp(l->given[k][3].value, "s.Chol"))
                l->given[k][3].value = l->solvers[CHOL].class_name;
        strcpy(l->steps, i < 2 ? "1" : "1234567");
        lab_choose(l, 100, 0);
        assert_non_null(text = choice_text(l->plan));
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            if (line[0] != '-' && line[0] != ' ' && strlen(line) > 100)
                fail_msg("%zu columns: %s", strlen(line), line);
        free(text);
        lab_destroy(l);
    }
}

static enum portolan_status do_all(struct lab *l)
{
    char *text = NULL;
    enum portolan_status status = lab_plan(l, 100, 1, NULL);

    if (!status)
        status = (text = choice_text(l->plan)) ? PORTOLAN_OK : PORTOLAN_ENOMEM;
    free(text);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    static const char *const files[] = {"a", "b"};
    struct lab *l = lab_create();
    unsigned long failures = 0;

    l->solvers[CHOL].applies = "symmetric = 1";
    for (int k = 0; k < 2; k++) {
        lab_case(l, files[k], 100 + 50 * k, 1);
        for (int solver = LU; solver <= CG; solver++)
            lab_run(l, (struct run){.solver = solver,
                                    .n = 100 + 50 * k,
                                    .symmetric = 1,
                                    .ms = 1 + solver,
                                    .file = files[k],
                                    .fails = k && solver == CG});
    }
    assert_int_equal(do_all(l), 0);
    for (unsigned long at = 1, good = 0; good<30; at += at> 200 ? at / 16 : 1) {
        enum portolan_status status;

        portolan_alloc_fail_at(at);
        status = do_all(l);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        failures += status != PORTOLAN_OK;
        good = status ? 0 : good + 1;
    }
    print_message("%lu failures reported\n", failures);
    assert_true(failures > 200);
    lab_destroy(l);
}

/* In assemblies of <portolan/candidates.h> no parameter says how many steps there are. */
static void steps_are_counted_where_the_assembly_does_not_name_them(void **state)
{
    struct lab *l = lab_with_lu();
    const struct portolan_plan_answer *choice;

    l->a.steps_instance = NULL;
    strcpy(l->steps, "10");
    lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 2, .steps = 10});
    lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 3, .steps = 10});
    choice = lab_choose(l, 100, 0);
    assert_int_equal(choice->variables[0].chosen, CHOL);
    assert_true(fabs(choice->prediction.step_ns - 2.001e6) < 1); /* the driver takes 1 us */
    assert_true(fabs(choice->prediction.total_ns - 2.001e7) < 10);
    lab_destroy(l);
}

static const char *words_of(double share, double low, double high)
{
    static char text[80];

    return portolan_format_gain(&(struct portolan_gain){share, low, high}, text, sizeof text);
}

static void a_gain_says_no_more_than_is_known(void **state)
{
    assert_string_equal(words_of(0.374, -9.49, 0.769), "cannot tell whether time is saved");
    assert_string_equal(words_of(NAN, NAN, NAN), "cannot tell whether time is saved");
    assert_string_equal(words_of(0, 0, 0), "no time saved");
    assert_string_equal(words_of(0.374, 0.35, 0.4), "at least 35 % saved, probably 37.4 %");
    assert_string_equal(words_of(-0.2, -0.3, -0.1), "at least 10 % lost, probably 20 %");
    assert_string_equal(words_of(0.5, 0.5, 0.5), "50 % saved");
}

/* Ten trials of each, which scatter by 1 %: half of the time is saved, and surely most of that. */
static void the_gain_of_a_choice_has_the_interval_of_the_difference(void **state)
{
    struct lab *l = lab_create();
    const struct portolan_plan_answer *choice;

    for (int i = 0; i < 10; i++) {
        lab_run(l, (struct run){.solver = LU, .n = 100, .ms = 2 + 0.02 * (i % 3)});
        lab_run(l, (struct run){.solver = CHOL, .n = 100, .ms = 1 + 0.01 * (i % 3)});
    }
    choice = lab_choose(l, 100, 0);
    assert_int_equal(choice->variables[0].chosen, CHOL);
    assert_near(choice->gain.share, 0.5, 0.02);
    assert_true(choice->gain.low > 0.45 && choice->gain.low < choice->gain.share);
    assert_true(choice->gain.high < 0.55 && choice->gain.high > choice->gain.share);
    lab_destroy(l);
}

UNIT_TESTS(cmocka_unit_test(what_was_measured_beats_the_law),
           cmocka_unit_test(calls_that_take_longer_again_and_again_are_in_the_total),
           cmocka_unit_test(trials_of_another_machine_are_left_out_and_told),
           cmocka_unit_test(the_number_of_ranks_is_a_parameter_where_several_were_measured),
           cmocka_unit_test(chance_and_loss_are_those_of_the_errors_of_the_means),
           cmocka_unit_test(what_is_known_is_preferred_to_what_may_be_a_little_better),
           cmocka_unit_test(a_close_call_names_its_rival_and_the_trial_that_would_settle_it),
           cmocka_unit_test(what_may_lose_much_cannot_be_told),
           cmocka_unit_test(a_run_goes_over_to_what_is_surely_better),
           cmocka_unit_test(two_points_say_nothing_a_thousand_times_outside),
           cmocka_unit_test(no_total_is_negative), cmocka_unit_test(the_choice_fits_a_terminal),
           cmocka_unit_test(every_failing_allocation_is_reported),
           cmocka_unit_test(steps_are_counted_where_the_assembly_does_not_name_them),
           cmocka_unit_test(a_gain_says_no_more_than_is_known),
           cmocka_unit_test(the_gain_of_a_choice_has_the_interval_of_the_difference))
