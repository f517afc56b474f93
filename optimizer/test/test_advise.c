/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice to a running assembly: the paper's Figure 4 (A1 2x, A2 x^2, B1 x^3, B2 2x^2, both called
 * once per step with context x), and the simulated plate for what changing costs.
 */
#include <unit_test.h>

#include "positions.h"
#include "world.h"

static struct portolan_assembly_parameter x_parameter[] = {
    {"x", PORTOLAN_VALUE_DOUBLE, "1", false, 1}, {"steps", PORTOLAN_VALUE_INT, "10", false, 1}};
static struct portolan_assembly_alternative driver[] = {
    {.class_name = "paper.Driver", .n_parameters = 2, .parameters = x_parameter, .line = 1}};
static struct portolan_assembly_alternative a_classes[] = {{.class_name = "paper.A1", .line = 2},
                                                           {.class_name = "paper.A2", .line = 2}};
static struct portolan_assembly_alternative b_classes[] = {{.class_name = "paper.B1", .line = 3},
                                                           {.class_name = "paper.B2", .line = 3}};
static struct portolan_assembly_instance instances[] = {
    {.name = "driver", .n_alternatives = 1, .alternatives = driver, .line = 1},
    {.name = "a", .n_alternatives = 2, .alternatives = a_classes, .line = 2},
    {.name = "b", .n_alternatives = 2, .alternatives = b_classes, .line = 3}};
static const char *xs[] = {"0.5", "1", "1.5", "3", "4"};
static struct portolan_assembly_sweep sweep[] = {{"driver", "x", 5, xs, true, 4}};
static const struct portolan_assembly paper = {
    .file = "paper.xml",
    .name = "paper",
    .n_instances = 3,
    .instances = instances,
    .n_sweeps = 1,
    .sweeps = sweep,
    .alpha = 0.1,
    .beta = 0.1,
    .steps_instance = "driver",
    .steps_parameter = "steps",
    .purpose = "run",
};

static double paper_time(char component, size_t alternative, double x)
{
    if (component == 'a')
        return 1e9 * (alternative ? x * x : 2 * x);
    return 1e9 * (alternative ? 2 * x * x : x * x * x);
}

/* Samples of one step, at the end of SAMPLES; returns their number. */
static size_t paper_step(struct portolan_sample *samples, int64_t first, int64_t trial, int step,
                         size_t a, size_t b, double x)
{
    double ta = paper_time('a', a, x), tb = paper_time('b', b, x);
    const char *names[] = {"driver", "a", "b"};
    const char *classes[] = {"paper.Driver", a_classes[a].class_name, b_classes[b].class_name};
    double times[] = {1e6, ta, tb};

    for (int i = 0; i < 3; i++)
        samples[i] = (struct portolan_sample){.trial = trial,
                                              .step = step,
                                              .parent = i ? first : -1,
                                              .user = i ? "driver" : "",
                                              .uses = i ? names[i] : "",
                                              .instance = names[i],
                                              .port = names[i],
                                              .implementation = classes[i],
                                              .port_type = "paper.Port",
                                              .method = "compute",
                                              .n_context = i > 0,
                                              .context_name = {"x"},
                                              .context = {x},
                                              .calls = i > 0,
                                              .exclusive_ns = times[i],
                                              .inclusive_ns = i ? times[i] : 1e6 + ta + tb,
                                              .quality = NAN};
    return 3;
}

static struct portolan_trial paper_trials[20];
static struct portolan_sample paper_samples[20 * 3 * 3];
static struct portolan_name_value paper_parameters[20][2], paper_classes[20][2];

static void paper_data(struct portolan_sample_set *set)
{
    *set = (struct portolan_sample_set){.trials = paper_trials, .samples = paper_samples};
    for (size_t i = 0; i < 5 * 3; i++) {
        size_t a = i % 3 == 1, b = i % 3 == 2, n = set->n_trials++;
        double x;

        portolan_read_double(xs[i / 3], &x);
        paper_parameters[n][0] = (struct portolan_name_value){"driver.x", xs[i / 3]};
        paper_parameters[n][1] = (struct portolan_name_value){"driver.steps", "3"};
        paper_classes[n][0] = (struct portolan_name_value){"a", a_classes[a].class_name};
        paper_classes[n][1] = (struct portolan_name_value){"b", b_classes[b].class_name};
        paper_trials[n] = (struct portolan_trial){.id = (int64_t)n + 1,
                                                  .assembly = "paper",
                                                  .purpose = "explore",
                                                  .ranks = 1,
                                                  .outcome = "finished",
                                                  .n_parameters = 2,
                                                  .parameters = paper_parameters[n],
                                                  .n_implementations = 2,
                                                  .implementations = paper_classes[n]};
        for (int step = 0; step < 3; step++)
            set->n_samples += paper_step(&paper_samples[set->n_samples], (int64_t)set->n_samples,
                                         (int64_t)n + 1, step, a, b, x);
    }
}

static struct portolan_plan_advice *advise(const struct portolan_plan *p,
                                           const struct portolan_plan_now *now)
{
    struct portolan_plan_advice *advice;
    struct portolan_error err = {0};

    if (portolan_plan_advise(p, now, &advice, &err))
        fail_msg("%s", err.text);
    return advice;
}

static void off_line_choice_crosses_at_two(void **state)
{
    struct portolan_sample_set set;

    paper_data(&set);
    for (double x = 0.4; x < 5; x += 0.4) {
        const struct portolan_plan_answer *choice;
        struct portolan_plan *p;
        char text[20];
        size_t high = x > 2;

        if (fabs(x - 2) < 1e-9)
            continue;
        snprintf(text, sizeof text, "%.1f", x);
        x_parameter[0].text = text;
        assert_int_equal(portolan_plan_create(
                             &paper, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
                         0);
        assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
        assert_int_equal(choice->variables[0].chosen, high ? 0 : 1); /* A1 : A2 */
        assert_int_equal(choice->variables[1].chosen, high ? 1 : 0); /* B2 : B1 */
        assert_true(fabs(choice->prediction.step_ns - 1e6 - paper_time('a', !high, x) -
                         paper_time('b', high, x)) < 1e-6 * choice->prediction.step_ns);
        portolan_plan_destroy(p);
    }
    x_parameter[0].text = "1";
}

/* x goes up and down in one run; it is seen in the last step, or announced for the next. */
static void advice_changes_each_time_x_crosses_two(void **state)
{
    static const double course[] = {1, 1.2, 3, 3.5, 1.8, 0.7, 2.5};
    struct portolan_sample_set set;
    struct portolan_plan *p;

    paper_data(&set);
    assert_int_equal(
        portolan_plan_create(&paper, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
        0);
    for (int announced = 0; announced < 2; announced++) {
        size_t a = 1, b = 0;

        for (size_t i = 0; i < sizeof course / sizeof *course; i++) {
            struct portolan_sample samples[3];
            const char *name = "x";
            struct portolan_name_value current[] = {{"a", a_classes[a].class_name},
                                                    {"b", b_classes[b].class_name}};
            struct portolan_plan_now now = {.samples = samples,
                                            .n_samples = 3,
                                            .current = positions(&paper, current, 2),
                                            .remaining_steps = 5,
                                            .hysteresis = 0.02};
            struct portolan_plan_advice *advice;
            size_t high = course[i] > 2;
            bool cross = a == high;

            paper_step(samples, 0, 99, (int)i, a, b, announced ? 1 : course[i]);
            if (announced) {
                now.n_announced = 1;
                now.announced_names = &name;
                now.announced_values = &course[i];
            }
            advice = advise(p, &now);
            assert_int_equal(advice->n_changes, cross ? 2 : 0);
            if (cross) {
                double gain = paper_time('a', a, course[i]) + paper_time('b', b, course[i]);

                a = !high;
                b = high;
                gain -= paper_time('a', a, course[i]) + paper_time('b', b, course[i]);
                assert_string_equal(advice->changes[0].instance, "a");
                assert_string_equal(advice->changes[0].to, a_classes[a].class_name);
                assert_string_equal(advice->changes[1].to, b_classes[b].class_name);
                assert_true(fabs(advice->gain_ns - 5 * gain) < 1e-6 * gain);
                assert_non_null(strstr(advice->reason, "per step (gain"));
            } else {
                assert_non_null(strstr(advice->reason, "stays"));
            }
            portolan_plan_advice_destroy(advice);
        }
    }
    portolan_plan_destroy(p);
}

static void a_small_gain_is_not_worth_a_swap(void **state)
{
    struct portolan_name_value current[] = {{"a", "paper.A2"}, {"b", "paper.B1"}};
    static const char *const name = "x";
    static const double x = 2.02;
    struct portolan_plan_now now = {.current = positions(&paper, current, 2),
                                    .n_announced = 1,
                                    .announced_names = &name,
                                    .announced_values = &x,
                                    .remaining_steps = 5};
    struct portolan_plan_advice *advice;
    struct portolan_sample_set set;
    struct portolan_plan *p;

    paper_data(&set);
    assert_int_equal(
        portolan_plan_create(&paper, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
        0);
    advice = advise(p, &now);
    assert_int_equal(advice->n_changes, 2);
    portolan_plan_advice_destroy(advice);
    now.hysteresis = 0.02;
    advice = advise(p, &now);
    assert_int_equal(advice->n_changes, 0);
    assert_non_null(strstr(advice->reason, "less than 2 %"));
    portolan_plan_advice_destroy(advice);
    now.hysteresis = 0;
    now.swap_ns = 1e9; /* more than what five steps would gain */
    advice = advise(p, &now);
    assert_int_equal(advice->n_changes, 0);
    portolan_plan_advice_destroy(advice);
    portolan_plan_destroy(p);
}

/* BANNED: names of classes. */
static bool may_run_of(const struct portolan_assembly *a, const char *banned, size_t instance,
                       size_t alternative)
{
    return !strstr(banned, a->instances[instance].alternatives[alternative].class_name);
}

static bool may_run(const void *banned, size_t instance, size_t alternative)
{
    return may_run_of(&world_assembly, banned, instance, alternative);
}

static bool may_run_in_paper(const void *banned, size_t instance, size_t alternative)
{
    return may_run_of(&paper, banned, instance, alternative);
}

static bool only_what_runs(const void *current, size_t instance, size_t alternative)
{
    assert_int_equal(alternative, ((const int32_t *)current)[instance]);
    return true;
}

/* Whether an alternative may run can take time to find out, and most steps change nothing. */
static void a_step_that_changes_nothing_asks_of_nothing_else(void **state)
{
    int32_t current[6] = {0};
    struct portolan_plan_now now = {
        .current = current, .remaining_steps = 50, .hysteresis = 0.02, .arg = current};
    struct world *w = world_create(1);
    struct portolan_plan_advice *advice;
    struct portolan_plan *p;
    size_t changes;

    world_explore_all(w);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
                     0);
    do {
        advice = advise(p, &now);
        changes = advice->n_changes;
        for (size_t i = 0; i < changes; i++)
            current[advice->changes[i].position] = (int32_t)advice->changes[i].alternative;
        portolan_plan_advice_destroy(advice);
    } while (changes);
    now.may_run = only_what_runs;
    advice = advise(p, &now);
    assert_int_equal(advice->n_changes, 0);
    portolan_plan_advice_destroy(advice);
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* Cholmod analyses first, which costs some six steps of it. */
static void set_up_counts_against_a_late_swap(void **state)
{
    struct portolan_name_value current[N_VARIABLES] = {{"assembler", "heat.Csc"},
                                                       {"solver", "heat.Banded"},
                                                       {"preconditioner", "heat.Jacobi"},
                                                       {"output", "heat.Text"}};
    struct portolan_plan_now now = {.current = positions(&world_assembly, current, N_VARIABLES),
                                    .may_run = may_run,
                                    .arg = "heat.Cg heat.Band",
                                    .remaining_steps = 50,
                                    .hysteresis = 0.02};
    static const size_t banded[N_VARIABLES], cholmod[] = {0, 1, 0, 0};
    struct world *w = world_create(1);
    struct portolan_plan_advice *advice;
    struct portolan_plan *p;
    double each = truth_step(banded, 96) - truth_step(cholmod, 96);

    world_explore_all(w);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
                     0);
    advice = advise(p, &now);
    assert_int_equal(advice->n_changes, 1);
    assert_string_equal(advice->changes[0].to, "heat.Cholmod");
    assert_true(fabs(advice->cost_ns / truth_analysis(cholmod, 96) - 1) < 0.02);
    assert_true(fabs(advice->gain_ns / (50 * each - truth_analysis(cholmod, 96)) - 1) < 0.05);
    portolan_plan_advice_destroy(advice);
    now.remaining_steps = (int)(truth_analysis(cholmod, 96) / each);
    advice = advise(p, &now);
    assert_int_equal(advice->n_changes, 0);
    portolan_plan_advice_destroy(advice);
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void what_failed_in_this_run_is_not_advised(void **state)
{
    struct portolan_plan_now now = {.current = positions(&world_assembly, NULL, 0),
                                    .remaining_steps = 1000};
    struct world *w = world_create(1);
    struct portolan_plan_advice *advice;
    struct portolan_plan *p;

    world_explore_all(w);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
                     0);
    advice = advise(p, &now);
    for (size_t i = 0; i < advice->n_changes; i++)
        if (strcmp(advice->changes[i].instance, "solver") == 0)
            assert_string_equal(advice->changes[i].to, "heat.Cg");
    assert_true(advice->n_changes >= 1);
    portolan_plan_advice_destroy(advice);
    now.may_run = may_run;
    now.arg = "heat.Cg";
    advice = advise(p, &now);
    for (size_t i = 0; i < advice->n_changes; i++)
        assert_string_not_equal(advice->changes[i].to, "heat.Cg");
    portolan_plan_advice_destroy(advice);
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* A run that swapped counts for both implementations, each in its own steps. */
static void a_run_with_a_swap_teaches_both(void **state)
{
    static const size_t banded[N_VARIABLES], cholmod[] = {0, 1, 0, 0};
    const int32_t *solver =
        positions(&world_assembly, &(struct portolan_name_value){"solver", "heat.Cholmod"}, 1);
    struct world *w = world_create(1);
    struct portolan_plan_prediction t;
    struct portolan_plan *p;

    for (double n = 16; n <= 48; n += 16)
        world_trial(w, "run", banded, 5, cholmod, n, 10);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
                     0);
    assert_int_equal(portolan_plan_predict(p, NULL, &t, NULL), 0);
    assert_true(fabs(t.step_ns / truth_step(banded, 96) - 1) < 0.02);
    assert_int_equal(portolan_plan_predict(p, solver, &t, NULL), 0);
    assert_true(fabs(t.step_ns / truth_step(cholmod, 96) - 1) < 0.02);
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void parameters_of_a_decision_are_sorted(void **state)
{
    char *text;

    assert_int_equal(portolan_plan_write_parameters(&world_assembly, &text, NULL), 0);
    assert_string_equal(text, "driver.n=96 driver.steps=60");
    free(text);
}

static bool is_about(double x, double wanted)
{
    return fabs(x - wanted) < 1e-6 * wanted;
}

/* At x = 3 A1 takes 6 s, A2 9 s, B1 27 s, B2 18 s, a swap 1 ms: costs are sums. */
static void a_choice_is_weighed_against_all_alternatives(void **state)
{
    static const double driver_ns = 1e6, swap_ns = 1e6;
    /* A2, B1 runs; with A1, B2 all is as chosen, A2 and B1 are each forced beside the best other */
    static const double step_s[] = {24, 27, 33, 24}, swaps[] = {2, 1, 1, 2};
    struct portolan_name_value current[] = {{"a", "paper.A2"}, {"b", "paper.B1"}};
    struct portolan_name_value choice[] = {{"a", "paper.A1"}, {"b", "paper.B2"}};
    struct portolan_alternative x[] = {{.instance = "a", .implementation = "paper.A1"},
                                       {.instance = "a", .implementation = "paper.A2"},
                                       {.instance = "b", .implementation = "paper.B1"},
                                       {.instance = "b", .implementation = "paper.B2"}};
    struct portolan_sample samples[3];
    struct portolan_plan_now now = {.samples = samples,
                                    .n_samples = 3,
                                    .current = positions(&paper, current, 2),
                                    .remaining_steps = 5,
                                    .swap_ns = swap_ns};
    struct portolan_arena pool = {0};
    struct portolan_reason r = {0};
    struct portolan_sample_set set;
    struct portolan_plan *p;

    paper_data(&set);
    paper_step(samples, 0, 99, 0, 1, 0, 3);
    assert_int_equal(
        portolan_plan_create(&paper, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
        0);
    assert_int_equal(
        portolan_plan_weigh(p, &now, positions(&paper, choice, 2), &r, x, 4, &pool, NULL), 0);
    assert_int_equal(r.trials, 15);
    assert_int_equal(r.steps, 5);
    assert_true(is_about(r.step_ns, 24e9 + driver_ns) && is_about(r.now_ns, 36e9 + driver_ns));
    assert_true(r.low_ns <= r.step_ns && r.high_ns >= r.step_ns);
    assert_true(is_about(r.cost_ns, 2 * swap_ns));
    assert_true(r.chance > 0.99);
    for (int i = 0; i < 4; i++) {
        double step_ns = step_s[i] * 1e9 + driver_ns;

        assert_true(is_about(x[i].step_ns, step_ns));
        assert_true(is_about(x[i].forced_ns, 5 * step_ns + swaps[i] * swap_ns));
        assert_true(i == 0 || i == 3 ? x[i].chance > 0.99 : x[i].chance < 0.01);
        assert_string_equal(x[i].binding, "");
        assert_true(x[i].rows >= 5);
    }
    now.may_run = may_run_in_paper;
    now.arg = "paper.B1";
    assert_int_equal(
        portolan_plan_weigh(p, &now, positions(&paper, choice, 2), &r, x, 4, &pool, NULL), 0);
    assert_true(isnan(x[2].forced_ns) && !isnan(x[3].forced_ns));
    x[0].implementation = "paper.A7";
    assert_int_equal(
        portolan_plan_weigh(p, &now, positions(&paper, choice, 2), &r, x, 4, &pool, NULL),
        PORTOLAN_ENOTFOUND);
    portolan_arena_clear(&pool);
    portolan_plan_destroy(p);
}

/* B2 takes three times as long as its model says, where it was measured and outside. */
static void a_call_path_that_is_not_as_modelled_is_found(void **state)
{
    static const double at[] = {3, 9};
    struct portolan_name_value current[] = {{"a", "paper.A1"}, {"b", "paper.B2"}};
    struct portolan_sample samples[3];
    struct portolan_plan_now now = {
        .samples = samples, .n_samples = 3, .current = positions(&paper, current, 2)};
    struct portolan_plan_miss misses[2];
    struct portolan_sample_set set;
    struct portolan_plan *p;
    size_t n;

    paper_data(&set);
    assert_int_equal(
        portolan_plan_create(&paper, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
        0);
    for (int i = 0; i < 2; i++) {
        double right = paper_time('b', 1, at[i]);

        paper_step(samples, 0, 99, 0, 0, 1, at[i]);
        assert_int_equal(portolan_plan_compare(p, &now, misses, 2, &n, NULL), 0);
        assert_int_equal(n, 0);
        samples[2].exclusive_ns = samples[2].inclusive_ns = 3 * right;
        samples[0].inclusive_ns += 2 * right;
        assert_int_equal(portolan_plan_compare(p, &now, misses, 2, &n, NULL), 0);
        assert_int_equal(n, 1);
        assert_string_equal(misses[0].path, "driver.b -> b.compute [paper.B2]");
        assert_true(fabs(misses[0].expected_ns / right - 1) < 0.01);
        assert_true(is_about(misses[0].measured_ns, 3 * right));
        assert_int_equal(misses[0].outside, i == 1);
    }
    portolan_plan_destroy(p);
}

static void every_failing_allocation_is_reported(void **state)
{
    struct portolan_plan_now now = {.current = positions(&paper, NULL, 0), .remaining_steps = 9};
    enum portolan_status status = PORTOLAN_ENOMEM;
    struct portolan_sample samples[3];
    struct portolan_sample_set set;
    struct portolan_plan *p;
    unsigned long at = 0;

    paper_data(&set);
    paper_step(samples, 0, 99, 1, 0, 0, 1);
    now.samples = samples;
    now.n_samples = 3;
    assert_int_equal(
        portolan_plan_create(&paper, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL),
        0);
    while (next_allocation_fails(&at, status)) {
        struct portolan_plan_advice *advice = NULL;

        status = portolan_plan_advise(p, &now, &advice, NULL);
        portolan_alloc_fail_at(0);
        portolan_plan_advice_destroy(advice);
    }
    assert_true(at > 30);
    status = PORTOLAN_ENOMEM;
    for (at = 0; status;) {
        struct portolan_alternative b1 = {.instance = "b", .implementation = "paper.B1"};
        struct portolan_arena pool = {0};
        struct portolan_reason r;

        assert_int_equal(status, PORTOLAN_ENOMEM);
        portolan_alloc_fail_at(++at);
        status = portolan_plan_weigh(p, &now, now.current, &r, &b1, 1, &pool, NULL);
        portolan_alloc_fail_at(0);
        portolan_arena_clear(&pool);
    }
    assert_true(at > 100);
    portolan_plan_destroy(p);
}

UNIT_TESTS(cmocka_unit_test(off_line_choice_crosses_at_two),
           cmocka_unit_test(advice_changes_each_time_x_crosses_two),
           cmocka_unit_test(a_small_gain_is_not_worth_a_swap),
           cmocka_unit_test(set_up_counts_against_a_late_swap),
           cmocka_unit_test(a_step_that_changes_nothing_asks_of_nothing_else),
           cmocka_unit_test(what_failed_in_this_run_is_not_advised),
           cmocka_unit_test(a_run_with_a_swap_teaches_both),
           cmocka_unit_test(parameters_of_a_decision_are_sorted),
           cmocka_unit_test(a_choice_is_weighed_against_all_alternatives),
           cmocka_unit_test(a_call_path_that_is_not_as_modelled_is_found),
           cmocka_unit_test(every_failing_allocation_is_reported))
