/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "world.h"

static struct portolan_next_trial *ask(const struct world *w, double budget_s)
{
    struct portolan_error err = {0};
    struct portolan_next_trial *next = NULL;

    if (portolan_plan_next_trial(&world_assembly, &w->set,
                                 &(struct portolan_plan_options){.ranks = w->ranks}, budget_s,
                                 &next, &err))
        fail_msg("%s", err.text);
    return next;
}

static void assert_next(const struct world *w, const char *purpose)
{
    struct portolan_next_trial *next = ask(w, INFINITY);

    assert_false(next->finished);
    assert_string_equal(next->purpose, purpose);
    portolan_next_trial_destroy(next);
}

static const size_t written[N_VARIABLES];

static void begins_as_written_with_small_sizes(void **state)
{
    static const char *const order[] = {"16", "24", "32", "48"};
    struct world *w = world_create(1);

    (void)state;
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
    const struct portolan_plan_choice *choice;
    size_t trials, best[] = {1, 2, 1, 0};

    (void)state;
    trials = world_follow(w, &world_assembly, INFINITY, &end);
    for (size_t i = 0; i < w->set.n_trials; i++)
        assert_string_equal(w->implementations[i][OUTPUT].value, "heat.Text");
    /* Of 24 assemblies: as written, Band, Cholmod, Cg, Band+Cholmod, Band+Cg, Cg+Ssor. */
    assert_int_equal(trials, 7 * 4);
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

    (void)state;
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

    (void)state;
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
    struct portolan_next_trial *next = NULL;
    size_t cg[N_VARIABLES] = {0, 2, 0, 0};
    size_t seen = 0;

    (void)state;
    for (double n = 16; n <= 48; n += n == 32 ? 16 : 8)
        world_trial(w, "explore", written, -1, written, n, 4);
    for (double n = 16; n <= 24; n += 8) {
        size_t begin = w->set.n_samples;

        world_trial(w, "explore", cg, -1, cg, n, 4);
        for (size_t i = begin; i < w->set.n_samples; i++)
            if (strcmp(w->samples[i].instance, "solver") == 0)
                w->samples[i].exclusive_ns *= n;
    }
    for (;;) {
        next = ask(w, INFINITY);
        if (next->finished)
            break;
        size_t x[N_VARIABLES];
        double n;

        for (int v = 0; v < N_VARIABLES; v++)
            for (size_t k = 0; k < world_domains[v]; k++)
                if (strcmp(next->selection[v].value, world_class(v, k)) == 0)
                    x[v] = k;
        portolan_read_double(next->parameters[0].value, &n);
        seen += n > 24 && memcmp(x, cg, sizeof cg) == 0;
        world_trial(w, "explore", x, -1, x, n, 4);
        portolan_next_trial_destroy(next);
    }
    assert_int_equal(seen, 0);
    assert_true(next->n_notes >= 1);
    assert_non_null(strstr(next->notes[0], "solver=heat.Cg is left out beyond driver.n=24"));
    portolan_next_trial_destroy(next);
    world_destroy(w);
}

static void what_failed_is_not_tried_again(void **state)
{
    struct world *w = world_create(1);
    struct portolan_next_trial *end = NULL;
    size_t band[N_VARIABLES] = {1, 0, 0, 0};

    (void)state;
    for (double n = 16; n <= 48; n += n == 32 ? 16 : 8)
        world_trial(w, "explore", written, -1, written, n, 4);
    world_trial(w, "explore", band, -1, band, 16, 4)->outcome = "failed";
    world_follow(w, &world_assembly, INFINITY, &end);
    for (size_t i = 5; i < w->set.n_trials; i++)
        assert_false(strcmp(w->implementations[i][ASSEMBLER].value, "heat.Band") == 0 &&
                     strcmp(w->implementations[i][SOLVER].value, "heat.Banded") == 0);
    assert_true(end->n_notes >= 1);
    assert_non_null(strstr(end->notes[0], "assembler=heat.Band failed at driver.n=16"));
    portolan_next_trial_destroy(end);
    world_destroy(w);
}

static void a_killed_trial_is_repeated_and_runs_do_not_count(void **state)
{
    struct world *w = world_create(1);

    (void)state;
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

    (void)state;
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

    (void)state;
    a.n_sweeps = 0;
    assert_int_equal(portolan_plan_next_trial(&a, &w->set,
                                              &(struct portolan_plan_options){.ranks = 1}, INFINITY,
                                              &next, NULL),
                     0);
    assert_false(next->finished);
    assert_string_equal(next->purpose, "as written");
    portolan_next_trial_destroy(next);
    world_trial(w, "explore", written, -1, written, 96, 60);
    assert_int_equal(portolan_plan_next_trial(&a, &w->set,
                                              &(struct portolan_plan_options){.ranks = 1}, INFINITY,
                                              &next, NULL),
                     0);
    assert_string_equal(next->purpose, "assembler=heat.Band");
    portolan_next_trial_destroy(next);
    world_destroy(w);
}

static void every_failing_allocation_is_reported(void **state)
{
    struct world *w = world_create(1);
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long at = 0;

    (void)state;
    for (double n = 16; n <= 48; n += n == 32 ? 16 : 8)
        world_trial(w, "explore", written, -1, written, n, 4);
    while (status) {
        struct portolan_next_trial *next = NULL;

        assert_int_equal(status, PORTOLAN_ENOMEM);
        portolan_alloc_fail_at(++at);
        status = portolan_plan_next_trial(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 1}, INFINITY,
                                          &next, NULL);
        portolan_alloc_fail_at(0);
        portolan_next_trial_destroy(next);
    }
    assert_true(at > 50);
    world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_as_written_with_small_sizes),
        cmocka_unit_test(measures_what_the_scopes_need_and_no_more),
        cmocka_unit_test(gives_the_same_answer_again),
        cmocka_unit_test(stops_when_the_budget_is_spent),
        cmocka_unit_test(hopeless_alternatives_are_left_out_of_larger_sizes),
        cmocka_unit_test(what_failed_is_not_tried_again),
        cmocka_unit_test(a_killed_trial_is_repeated_and_runs_do_not_count),
        cmocka_unit_test(a_sweep_over_nothing_known_is_refused),
        cmocka_unit_test(without_a_sweep_each_alternative_is_run_once),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
