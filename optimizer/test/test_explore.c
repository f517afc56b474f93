/* SPDX-License-Identifier: BSD-3-Clause */
#include <unit_test.h>

#include "world.h"

static struct portolan_next_trial *ask_for(const struct portolan_assembly *a, const struct world *w,
                                           double budget_s, int most_trials)
{
    const struct portolan_plan_options options = {.ranks = w->ranks, .most_trials = most_trials};
    struct portolan_error err = {0};
    struct portolan_next_trial *next = NULL;

    if (portolan_plan_next_trial(a, &w->set, &options, budget_s, &next, &err))
        fail_msg("%s", err.text);
    return next;
}

static struct portolan_next_trial *ask(const struct world *w, double budget_s)
{
    return ask_for(&world_assembly, w, budget_s, 0);
}

/* Follows until nothing is left, each setting MOST_TRIALS times at most; the last answer. */
static struct portolan_next_trial *follow_for(const struct portolan_assembly *a, struct world *w,
                                              int most_trials)
{
    for (;;) {
        struct portolan_next_trial *next = ask_for(a, w, INFINITY, most_trials);

        if (next->finished)
            return next;
        world_run_next(w, next);
        portolan_next_trial_destroy(next);
    }
}

static struct portolan_next_trial *follow(struct world *w, int most_trials)
{
    return follow_for(&world_assembly, w, most_trials);
}

static bool was_selected(const struct world *w, size_t trial, const size_t *x, const char *n)
{
    for (int v = 0; v < N_VARIABLES; v++)
        if (strcmp(w->implementations[trial][v].value, world_class(v, x[v])) != 0)
            return false;
    return !n || strcmp(w->parameters[trial][0].value, n) == 0;
}

static size_t count_trials(const struct world *w, const size_t *x, const char *n)
{
    size_t count = 0;

    for (size_t i = 0; i < w->set.n_trials; i++)
        count += was_selected(w, i, x, n);
    return count;
}

static bool has_note(const struct portolan_next_trial *next, const char *words)
{
    for (size_t i = 0; i < next->n_notes; i++)
        if (strstr(next->notes[i], words))
            return true;
    return false;
}

static void assert_next(const struct world *w, const char *purpose)
{
    struct portolan_next_trial *next = ask(w, INFINITY);

    assert_false(next->finished);
    assert_string_equal(next->purpose, purpose);
    portolan_next_trial_destroy(next);
}

static const size_t written[N_VARIABLES];
static const size_t band[N_VARIABLES] = {1, 0, 0, 0}, cholmod[N_VARIABLES] = {0, 1, 0, 0};

/* Measures X at the sizes of the sweep, up to LARGEST. */
static void measure(struct world *w, const size_t *x, double largest)
{
    for (double n = 16; n <= largest; n += n == 32 ? 16 : 8)
        world_trial(w, "explore", x, -1, x, n, 4);
}

/* The same; all these trials end with OUTCOME. */
static void end_with(struct world *w, const size_t *x, double largest, const char *outcome)
{
    size_t begin = w->set.n_trials;

    measure(w, x, largest);
    while (begin < w->set.n_trials)
        w->trials[begin++].outcome = outcome;
}

static void begins_as_written_with_small_sizes(void **state)
{
    static const char *const order[] = {"16", "24", "32", "48"};
    struct world *w = world_create(1);

    for (size_t i = 0; i < 4; i++) {
        struct portolan_next_trial *next = ask(w, INFINITY);
        double n;

        assert_int_equal(next->n_parameters, 2);
        assert_string_equal(next->parameters[0].value, order[i]);
        assert_string_equal(next->parameters[1].parameter, "steps");
        assert_string_equal(next->parameters[1].value, "4");
        assert_int_equal(next->n_selection, N_VARIABLES);
        assert_string_equal(next->selection[SOLVER].value, "heat.Banded");
        assert_int_equal(next->done, i);
        portolan_read_double(order[i], &n);
        world_trial(w, "explore", written, -1, written, n, 4);
        portolan_next_trial_destroy(next);
    }
    assert_next(w, "assembler=heat.Band at driver.n=16");
    world_destroy(w);
}

static void measures_what_the_scopes_need_and_no_more(void **state)
{
    struct world *w = world_create(2);
    struct portolan_next_trial *end = NULL;
    struct portolan_plan *p;
    const struct portolan_plan_answer *choice;
    size_t trials, best[] = {1, 2, 1, 0};

    trials = world_follow(w, &world_assembly, INFINITY, &end);
    for (size_t i = 0; i < w->set.n_trials; i++)
        assert_string_equal(w->implementations[i][OUTPUT].value, "heat.Text");
    /* Of 24 assemblies: as written, Band, Cholmod, Cg, Band+Cholmod, Band+Cg, Cg+Ssor; twice. */
    assert_int_equal(trials, 2 * 7 * 4);
    assert_int_equal(end->done, trials);
    assert_int_equal(end->n_notes, 0);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 2}, &p, NULL),
                     0);
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    for (int v = 0; v < N_VARIABLES; v++)
        assert_int_equal(choice->variables[v].chosen, best[v]);
    portolan_plan_destroy(p);
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void gives_the_same_answer_again(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end = NULL, *again;

    world_follow(w, &world_assembly, INFINITY, &end);
    portolan_next_trial_destroy(end);
    w->set.n_trials -= 3;
    while (w->samples[w->set.n_samples - 1].trial > (int64_t)w->set.n_trials)
        w->set.n_samples--;
    end = ask(w, INFINITY);
    again = ask(w, INFINITY);
    assert_false(end->finished);
    assert_string_equal(end->purpose, again->purpose);
    assert_int_equal(end->left, 3);
    portolan_next_trial_destroy(end);
    portolan_next_trial_destroy(again);
    world_destroy(w);
}

static void stops_when_the_budget_is_spent(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end = NULL;
    double spent = 0;

    world_follow(w, &world_assembly, 0.03, &end);
    for (size_t i = 0; i < w->set.n_trials; i++)
        spent += w->trials[i].elapsed_ns * 1e-9;
    assert_true(spent < 0.045 && spent > 0.02);
    assert_int_equal(end->n_notes, 1);
    assert_non_null(strstr(end->notes[0], "budget does not allow"));
    portolan_next_trial_destroy(end);
    end = ask(w, 0);
    assert_true(end->finished);
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

/* A solver that costs many times the best at 16 and 24 is not asked at 32 and 48. */
static void hopeless_alternatives_are_left_out_of_larger_sizes(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;
    size_t cg[N_VARIABLES] = {0, 2, 0, 0};

    measure(w, written, 48);
    for (double n = 16; n <= 24; n += 8) {
        size_t begin = w->set.n_samples;

        world_trial(w, "explore", cg, -1, cg, n, 4);
        for (size_t i = begin; i < w->set.n_samples; i++)
            if (strcmp(w->samples[i].instance, "solver") == 0)
                w->samples[i].exclusive_ns *= n;
    }
    end = follow(w, 1);
    assert_int_equal(count_trials(w, cg, NULL), 2);
    assert_true(has_note(end, "solver=heat.Cg is not measured beyond driver.n=24"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void what_failed_is_not_repeated_there_but_tried_elsewhere(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;

    measure(w, written, 48);
    end_with(w, band, 16, "failed");
    end = follow(w, 0);
    assert_int_equal(count_trials(w, band, "16"), 1);
    assert_int_equal(count_trials(w, band, "24"), 2);
    assert_true(
        has_note(end, "assembler=heat.Band failed at driver.n=16 and is not repeated there"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void what_was_stopped_takes_longer_and_is_not_repeated(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;

    measure(w, written, 48);
    end_with(w, band, 16, "stopped");
    end = follow(w, 0);
    assert_int_equal(count_trials(w, band, "16"), 1);
    assert_true(count_trials(w, band, "24") > 0);
    assert_true(has_note(end, "assembler=heat.Band was stopped at driver.n=16: it takes at least"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void what_was_stopped_at_two_sizes_is_not_tried_at_larger_ones(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;

    measure(w, written, 48);
    end_with(w, band, 24, "stopped");
    end = follow(w, 1);
    assert_int_equal(count_trials(w, band, NULL), 2);
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void what_only_failed_is_given_up_until_it_is_mended(void **state)
{
    struct world *w = world_create(1);
    struct portolan_lifted_veto lifted = {"plate", "assembler", "heat.Band", 7};
    struct portolan_next_trial *end;

    measure(w, written, 48);
    end_with(w, band, 32, "failed");
    end = follow(w, 1);
    assert_int_equal(count_trials(w, band, NULL), 3);
    assert_true(has_note(end, "assembler=heat.Band failed at all 3 points"));
    portolan_next_trial_destroy(end);
    w->set.lifted = &lifted;
    w->set.n_lifted = 1;
    end = follow(w, 1);
    assert_int_equal(count_trials(w, band, NULL), 3 + 4);
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void where_nothing_works_as_written_all_others_are_tried(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;

    end_with(w, written, 32, "failed");
    end = follow(w, 1);
    assert_true(has_note(end, "as written failed at all 3 points"));
    assert_int_equal(count_trials(w, written, NULL), 3);
    assert_int_equal(count_trials(w, band, NULL), 4);
    assert_int_equal(count_trials(w, cholmod, NULL), 4);
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

/* Cholmod returns at once: with an exception, or with garbage. Then nobody is slow beside it. */
static void times_without_a_result_prune_nobody(void **state)
{
    for (int garbage = 0; garbage < 2; garbage++) {
        struct portolan_assembly a = world_assembly;
        struct world *w = world_create(1);
        struct portolan_next_trial *next;
        size_t begin;

        a.accuracy = 1e-4;
        measure(w, written, 48);
        begin = w->set.n_samples;
        for (double n = 16; n <= 24; n += 8)
            world_trial(w, "explore", cholmod, -1, cholmod, n, 4)->elapsed_ns *= 1e-3;
        for (size_t i = begin; i < w->set.n_samples; i++) {
            struct portolan_sample *x = &w->samples[i];

            if (strcmp(x->instance, "solver") != 0)
                continue;
            x->exclusive_ns *= 1e-3;
            x->failed_calls = garbage ? 0 : x->calls;
            x->quality = garbage ? 1 : x->quality;
        }
        next = follow_for(&a, w, 1);
        assert_false(has_note(next, "left out"));
        assert_int_equal(count_trials(w, written, NULL), 4);
        assert_int_equal(count_trials(w, cholmod, NULL), 4);
        assert_int_equal(count_trials(w, (const size_t[]){0, 2, 0, 0}, NULL), 4);
        portolan_next_trial_destroy(next);
        world_destroy(w);
    }
}

static void all_is_repeated_in_turn_until_it_is_known(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;
    const char *first = world_sizes[1];

    portolan_next_trial_destroy(follow(w, 1));
    assert_int_equal(w->set.n_trials, 7 * 4);
    assert_next(w, "as written at driver.n=16, trial 2");
    world_trial(w, "explore", written, -1, written, 16, 4)->elapsed_ns *= 1.1;
    assert_next(w, "assembler=heat.Band at driver.n=16, trial 2");
    end = follow(w, 0);
    assert_true(count_trials(w, written, first) > 2); /* 10 % apart */
    assert_int_equal(count_trials(w, band, first), 2);
    assert_non_null(strstr(end->summary, "28 settings measured 2 to"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void what_cannot_matter_is_not_repeated(void **state)
{
    struct world *w = world_create(1);

    portolan_next_trial_destroy(follow(w, 1));
    for (size_t i = 0; i < w->set.n_trials; i++)
        if (was_selected(w, i, band, NULL))
            w->trials[i].elapsed_ns *= 10;
    portolan_next_trial_destroy(follow(w, 0));
    assert_int_equal(count_trials(w, band, NULL), 4);
    assert_int_equal(count_trials(w, written, NULL), 8);
    world_destroy(w);
}

static void disturbed_trials_are_made_up_for(void **state)
{
    const struct portolan_name_value disturbed = {"disturbed",
                                                  "other processes kept 1.0 of 2 cores busy"};
    struct world *w = world_create(1);
    struct portolan_next_trial *end;
    size_t n = 0;

    portolan_next_trial_destroy(follow(w, 0));
    n = w->set.n_trials;
    w->trials[0].metadata = &disturbed;
    w->trials[0].n_metadata = 1;
    w->trials[0].elapsed_ns *= 3;
    end = follow(w, 0);
    assert_int_equal(w->set.n_trials, n + 1);
    assert_true(has_note(end, "1 of 57 trials was disturbed (the last: other processes kept"));
    portolan_next_trial_destroy(end);
    for (size_t i = 0; i < w->set.n_trials; i++) {
        w->trials[i].metadata = &disturbed;
        w->trials[i].n_metadata = 1;
    }
    end = ask(w, 0); /* whatever is repeated, it ends */
    assert_true(end->finished && has_note(end, "57 of 57 trials were disturbed"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void a_trial_that_does_not_fit_is_passed_over_for_a_shorter_one(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *next;
    double longest;

    measure(w, written, 32);
    next = ask(w, INFINITY);
    assert_string_equal(next->purpose, "as written at driver.n=48");
    longest = next->expected_s;
    assert_true(longest > 1.4e-9 * w->trials[2].elapsed_ns);
    portolan_next_trial_destroy(next);
    next = ask(w, 0.99 * longest);
    assert_string_equal(next->purpose, "assembler=heat.Band at driver.n=16");
    assert_true(next->expected_s < 0.99 * longest);
    portolan_next_trial_destroy(next);
    world_destroy(w);
}

/* Its own parameter is known by its plain name, the driver's by the full one only. */
static enum portolan_answer is_below_24(portolan_condition_lookup_fn lookup, void *arg)
{
    double n;

    if (portolan_condition_number(lookup, arg, "n", 0, 1e9, &n) ||
        !portolan_condition_number(lookup, arg, "driver.n", 0, 1e9, &n))
        return PORTOLAN_UNKNOWN;
    return n < 24 ? PORTOLAN_YES : PORTOLAN_NO;
}

static void where_it_says_that_it_does_not_apply_nothing_is_tried(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end;

    world_solver[1].query = is_below_24;
    end = follow(w, 1);
    world_solver[1].query = NULL;
    assert_int_equal(count_trials(w, cholmod, NULL), 1);
    assert_true(has_note(end, "does not apply at 3 of 4 points: its condition is its own query"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
    w = world_create(1);
    world_solver[1].applies = "ranks > 1";
    end = follow(w, 1);
    world_solver[1].applies = NULL;
    assert_int_equal(count_trials(w, cholmod, NULL), 0);
    assert_true(has_note(end, "does not apply at 4 of 4 points: its condition is ranks > 1"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void where_it_does_not_apply_nothing_is_tried(void **state)
{
    static const char *const conditions[] = {"driver.n < 24", "dof < 576", "rank = 7 or n = 8"};
    const size_t expected[] = {1, 1, 4}; /* what is unknown forbids nothing */

    for (size_t i = 0; i < 3; i++) {
        struct world *w = world_create(1);
        struct portolan_next_trial *end;

        world_solver[1].applies = conditions[i];
        end = follow(w, 1);
        world_solver[1].applies = NULL;
        assert_int_equal(count_trials(w, cholmod, NULL), expected[i]);
        assert_int_equal(
            has_note(end,
                     "solver=heat.Cholmod does not apply at 3 of 4 points: its condition is d"),
            i < 2);
        portolan_next_trial_destroy(end);
        world_destroy(w);
    }
}

/* Three cases (file, edges), crossed with nothing; small ones first, with all their parameters. */
static void cases_are_points(void **state)
{
    static struct portolan_assembly_parameter parameters[] = {
        {"n", PORTOLAN_VALUE_INT, world_n, false, 1},
        {"steps", PORTOLAN_VALUE_INT, world_steps, false, 1},
        {"mesh", PORTOLAN_VALUE_STRING, "none", false, 1}};
    static struct portolan_assembly_alternative driver[] = {
        {.class_name = "heat.Driver", .n_parameters = 3, .parameters = parameters, .line = 1}};
    struct portolan_assembly_instance instances[6];
    static struct portolan_assembly_case_column columns[] = {
        {"driver", "mesh"}, {"driver", "n"}, {NULL, "edges"}};
    static const char *big[] = {"plate", "48", "4000"}, *small[] = {"disk", "16", "100"},
                      *middle[] = {"ring", "24", "900"};
    static struct portolan_assembly_case cases[] = {{big, 1}, {small, 2}, {middle, 3}};
    struct portolan_assembly a = world_assembly;
    struct world *w = world_create(1);
    struct portolan_next_trial *next;
    struct portolan_name_value have[3];

    memcpy(instances, world_instances, sizeof instances);
    instances[0].alternatives = driver;
    a.instances = instances;
    a.n_sweeps = 0;
    a.n_case_columns = 3;
    a.case_columns = columns;
    a.n_cases = 3;
    a.cases = cases;
    next = ask_for(&a, w, INFINITY, 1);
    assert_string_equal(next->purpose, "as written at driver.mesh=disk");
    assert_int_equal(next->n_parameters, 2);
    assert_string_equal(next->parameters[1].parameter, "n");
    assert_string_equal(next->parameters[1].value, "16");
    portolan_next_trial_destroy(next);
    world_trial(w, "explore", written, -1, written, 16, 60);
    memcpy(have, w->parameters[0], 2 * sizeof *have);
    have[2] = (struct portolan_name_value){"driver.mesh", "disk"};
    w->trials[0].parameters = have;
    w->trials[0].n_parameters = 3;
    next = ask_for(&a, w, INFINITY, 1);
    assert_string_equal(next->purpose, "as written at driver.mesh=ring");
    portolan_next_trial_destroy(next);
    have[2].value = "ring"; /* another mesh of 16 is no case */
    next = ask_for(&a, w, INFINITY, 1);
    assert_string_equal(next->purpose, "as written at driver.mesh=disk");
    portolan_next_trial_destroy(next);
    world_destroy(w);
}

static void a_killed_trial_is_repeated_and_runs_do_not_count(void **state)
{
    struct world *w = world_create(1);

    world_trial(w, "explore", written, -1, written, 16, 4)->outcome = "running";
    world_trial(w, "run", written, -1, written, 16, 4);
    assert_next(w, "as written at driver.n=16");
    world_destroy(w);
}

static void a_sweep_over_nothing_known_is_refused(void **state)
{
    static const char *values[] = {"1"};
    struct portolan_assembly_sweep sweep = {"driver", "m", 1, values, true, 3};
    struct portolan_assembly a = world_assembly;
    struct world *w = world_create(1);
    struct portolan_next_trial *next = NULL;
    struct portolan_error err = {0};

    a.sweeps = &sweep;
    a.n_sweeps = 1;
    assert_int_equal(portolan_plan_next_trial(&a, &w->set,
                                              &(struct portolan_plan_options){.ranks = 1}, INFINITY,
                                              &next, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "driver.m"));
    assert_null(next);
    portolan_next_trial_destroy(NULL);
    world_destroy(w);
}

static void without_a_sweep_each_alternative_is_run_once(void **state)
{
    struct portolan_assembly a = world_assembly;
    struct world *w = world_create(1);
    struct portolan_next_trial *next = NULL;

    a.n_sweeps = 0;
    next = ask_for(&a, w, INFINITY, 0);
    assert_false(next->finished);
    assert_string_equal(next->purpose, "as written");
    portolan_next_trial_destroy(next);
    world_trial(w, "explore", written, -1, written, 96, 60);
    next = ask_for(&a, w, INFINITY, 0);
    assert_string_equal(next->purpose, "assembler=heat.Band");
    portolan_next_trial_destroy(next);
    world_destroy(w);
}

static void every_failing_allocation_is_reported(void **state)
{
    struct world *w = world_create(1);
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long at = 0;

    measure(w, written, 48);
    while (next_allocation_fails(&at, status)) {
        struct portolan_next_trial *next = NULL;

        status = portolan_plan_next_trial(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, INFINITY,
                                          &next, NULL);
        portolan_alloc_fail_at(0);
        portolan_next_trial_destroy(next);
    }
    assert_true(at > 50);
    world_destroy(w);
}

UNIT_TESTS(cmocka_unit_test(begins_as_written_with_small_sizes),
           cmocka_unit_test(measures_what_the_scopes_need_and_no_more),
           cmocka_unit_test(gives_the_same_answer_again),
           cmocka_unit_test(stops_when_the_budget_is_spent),
           cmocka_unit_test(hopeless_alternatives_are_left_out_of_larger_sizes),
           cmocka_unit_test(what_failed_is_not_repeated_there_but_tried_elsewhere),
           cmocka_unit_test(what_was_stopped_takes_longer_and_is_not_repeated),
           cmocka_unit_test(what_was_stopped_at_two_sizes_is_not_tried_at_larger_ones),
           cmocka_unit_test(what_only_failed_is_given_up_until_it_is_mended),
           cmocka_unit_test(where_nothing_works_as_written_all_others_are_tried),
           cmocka_unit_test(times_without_a_result_prune_nobody),
           cmocka_unit_test(all_is_repeated_in_turn_until_it_is_known),
           cmocka_unit_test(what_cannot_matter_is_not_repeated),
           cmocka_unit_test(disturbed_trials_are_made_up_for),
           cmocka_unit_test(a_trial_that_does_not_fit_is_passed_over_for_a_shorter_one),
           cmocka_unit_test(where_it_says_that_it_does_not_apply_nothing_is_tried),
           cmocka_unit_test(where_it_does_not_apply_nothing_is_tried),
           cmocka_unit_test(cases_are_points),
           cmocka_unit_test(a_killed_trial_is_repeated_and_runs_do_not_count),
           cmocka_unit_test(a_sweep_over_nothing_known_is_refused),
           cmocka_unit_test(without_a_sweep_each_alternative_is_run_once),
           cmocka_unit_test(every_failing_allocation_is_reported))
