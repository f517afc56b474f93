/* SPDX-License-Identifier: BSD-3-Clause */
#include <unit_test.h>

#include "plan_check.h"
#include "positions.h"
#include "survey.h"
#include "world.h"

/* Models of noiseless data are near exact, but the search may prefer a neighbouring exponent. */
static const double near = 0.02;

static void set_target(const char *n, const char *steps)
{
    snprintf(world_n, sizeof world_n, "%s", n);
    snprintf(world_steps, sizeof world_steps, "%s", steps);
}

static double best_truth(double n, int steps, size_t *best)
{
    double least = INFINITY;

    for (size_t i = 0; i < 12; i++) {
        size_t x[] = {i / 6 % 2, i / 2 % 3, i % 2, 0};

        if (truth_total(x, n, steps) < least) {
            least = truth_total(x, n, steps);
            memcpy(best, x, sizeof x);
        }
    }
    return least;
}

static void chosen_is_the_best_of_the_truth_and_its_time_is_right(void **state)
{
    static const struct {
        const char *n, *steps;
    } targets[] = {{"16", "60"}, {"24", "1"},  {"40", "500"},
                   {"48", "4"},  {"96", "60"}, {"96", "1"}};

    for (int ranks = 1; ranks <= 2; ranks++) {
        struct world *w = world_create(ranks);

        world_explore_all(w);
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            const struct portolan_plan_answer *choice;
            struct portolan_plan *p;
            size_t best[N_VARIABLES];
            double least;

            set_target(targets[i].n, targets[i].steps);
            p = plan_or_fail(&world_assembly, &w->set, w->ranks);
            least = best_truth(strtod(targets[i].n, NULL), atoi(targets[i].steps), best);
            assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
            assert_near(choice->prediction.total_ns, least, near);
            assert_true(choice->prediction.low_ns <= least * (1 + near) &&
                        choice->prediction.high_ns >= least * (1 - near));
            for (int v = 0; v < N_VARIABLES; v++)
                if (v != PRECONDITIONER || best[SOLVER] == 2)
                    assert_int_equal(choice->variables[v].chosen, best[v]);
            assert_false(choice->variables[OUTPUT].core);
            portolan_plan_destroy(p);
        }
        world_destroy(w);
    }
    set_target("96", "60");
}

static void assert_same_choice(struct portolan_plan *a, struct portolan_plan *b)
{
    const struct portolan_plan_answer *x, *y;

    assert_int_equal(portolan_plan_choose(a, &x, NULL), 0);
    assert_int_equal(portolan_plan_choose(b, &y, NULL), 0);
    for (size_t v = 0; v < N_VARIABLES; v++)
        assert_int_equal(x->variables[v].chosen, y->variables[v].chosen);
    assert_near(x->prediction.total_ns, y->prediction.total_ns, 1e-12);
    assert_near(x->prediction.low_ns, y->prediction.low_ns, 1e-12);
    assert_near(x->prediction.high_ns, y->prediction.high_ns, 1e-12);
    assert_int_equal(x->prediction.n_extrapolating, y->prediction.n_extrapolating);
    assert_near(x->chance, y->chance, 1e-12);
    assert_int_equal(x->verdict, y->verdict);
}

static void a_plan_that_moves_says_what_a_new_one_says(void **state)
{
    static const struct {
        const char *n, *steps;
    } targets[] = {{"40", "500"}, {"17", "3"}, {"8", "60"}, {"96", "1"}};
    struct world *w = world_create(2);
    struct portolan_plan *moved, *fresh;

    world_explore_all(w);
    set_target("24", "60"); /* trials ran there */
    moved = plan_or_fail(&world_assembly, &w->set, w->ranks);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        set_target(targets[i].n, targets[i].steps);
        assert_int_equal(portolan_plan_move(moved, NULL), 0);
        fresh = plan_or_fail(&world_assembly, &w->set, w->ranks);
        assert_same_choice(moved, fresh);
        portolan_plan_destroy(fresh);
        set_target("32", "60");
        assert_int_equal(portolan_plan_move(moved, NULL), PORTOLAN_EUNSUPPORTED);
    }
    portolan_plan_destroy(moved);
    world_destroy(w);
    set_target("96", "60");
}

static void every_selection_is_predicted_as_in_the_truth(void **state)
{
    struct world *w = world_create(2);
    struct portolan_plan *p;

    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    for (size_t i = 0; i < 12; i++) {
        size_t x[] = {i / 6 % 2, i / 2 % 3, i % 2, 0};
        struct portolan_name_value selection[N_VARIABLES];
        struct portolan_plan_prediction t;

        for (int v = 0; v < N_VARIABLES; v++)
            selection[v] = (struct portolan_name_value){world_names[v], world_class(v, x[v])};
        assert_int_equal(
            portolan_plan_predict(p, positions(&world_assembly, selection, N_VARIABLES), &t, NULL),
            0);
        assert_near(t.total_ns, truth_total(x, 96, 60), near);
        assert_near(t.step_ns, truth_step(x, 96), near);
        assert_near(t.setup_ns, truth_begin + truth_end + truth_analysis(x, 96), near);
        assert_true(t.n_extrapolating > 0 && t.extrapolating[0]);
    }
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* As if 1 in 4 calls had been timed: the time of the others is their caller's own. */
static void calls_that_were_not_timed_are_estimated_by_those_that_were(void **state)
{
    struct world *w = world_create(2), *whole = world_create(2);
    const struct portolan_plan_node *nodes, *wanted;
    struct portolan_plan *p, *all;
    size_t n = 0;

    world_explore_all(w);
    world_explore_all(whole);
    for (size_t i = 0; i < w->set.n_samples; i++) {
        struct portolan_sample *x = &w->samples[i];
        double moved;

        if (x->calls < 4)
            continue;
        x->timed_calls = x->calls / 4;
        moved = x->inclusive_ns * (1 - (double)x->timed_calls / (double)x->calls);
        x->inclusive_ns -= moved;
        x->exclusive_ns -= moved;
        w->samples[x->parent].exclusive_ns += moved;
        n++;
    }
    assert_true(n > 100);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    all = plan_or_fail(&world_assembly, &whole->set, whole->ranks);
    n = portolan_plan_peek_callgraph(p, &nodes);
    assert_int_equal(n, portolan_plan_peek_callgraph(all, &wanted));
    for (size_t i = 0; i < n; i++) {
        assert_true(nodes[i].calls == wanted[i].calls);
        assert_near(nodes[i].inclusive_ns, wanted[i].inclusive_ns, 1e-9); /* rounding */
        assert_near(nodes[i].exclusive_ns, wanted[i].exclusive_ns, 1e-9);
    }
    portolan_plan_destroy(p);
    portolan_plan_destroy(all);
    world_destroy(w);
    world_destroy(whole);
}

/*
 * 2 of 10 calls were timed, 100 ns each, of which callees took 60, and a call that failed 10. All
 * calls of the callees were timed; no call of the last path was.
 */
static void margins_are_the_cost_of_being_forced(void **state)
{
    struct world *w = world_create(1);
    const struct portolan_plan_answer *choice;
    struct portolan_plan *p;
    struct portolan_name_value chosen[N_VARIABLES];
    size_t best[N_VARIABLES];
    char *text, expected[200];

    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    best_truth(96, 60, best);
    for (size_t k = 0; k < 3; k++) {
        double least = INFINITY;

        for (size_t i = 0; i < 4; i++) {
            size_t x[] = {i / 2, k, i % 2, 0};

            least = fmin(least, truth_total(x, 96, 60));
        }
        assert_near(choice->variables[SOLVER].options[k].total_ns, least, near);
    }
    for (size_t v = 0; v < choice->n_variables; v++)
        chosen[v] = (struct portolan_name_value){
            choice->variables[v].instance,
            choice->variables[v].options[choice->variables[v].chosen].implementation};
    assert_int_equal(
        portolan_plan_write_selection(
            &world_assembly, positions(&world_assembly, chosen, choice->n_variables), &text, NULL),
        0);
    snprintf(expected, sizeof expected, "assembler=%s output=heat.Text preconditioner=%s solver=%s",
             world_class(ASSEMBLER, best[ASSEMBLER]),
             world_class(PRECONDITIONER, best[PRECONDITIONER]), world_class(SOLVER, best[SOLVER]));
    assert_string_equal(text, expected);
    free(text);
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void noise_and_spikes_do_not_mislead(void **state)
{
    struct world *w = world_create(2);
    const struct portolan_plan_answer *choice;
    struct portolan_plan *p;
    size_t best[N_VARIABLES];
    double least = best_truth(96, 60, best);

    w->noise = 0.03;
    w->spike = 30;
    w->steps = 36; /* in which one step is disturbed */
    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    assert_near(choice->prediction.total_ns, least, 0.15);
    assert_int_equal(choice->variables[SOLVER].chosen, best[SOLVER]);
    assert_int_equal(choice->variables[ASSEMBLER].chosen, best[ASSEMBLER]);
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* As written and each alternative alone: pairs of two alternatives are then unknown. */
static void combinations_never_measured_are_forbidden(void **state)
{
    static const size_t selections[][N_VARIABLES] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    static const struct portolan_name_value both[] = {{"assembler", "heat.Band"},
                                                      {"solver", "heat.Cholmod"}};
    struct world *w = world_create(1);
    const struct portolan_plan_answer *choice;
    struct portolan_plan_prediction t;
    struct portolan_error err = {0};
    struct portolan_plan *p;

    for (size_t i = 0; i < 3; i++)
        for (double n = 16; n <= 48; n += 16)
            world_trial(w, "explore", selections[i], -1, selections[i], n, 4);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_int_equal(portolan_plan_predict(p, positions(&world_assembly, both, 1), &t, NULL), 0);
    assert_int_equal(portolan_plan_predict(p, positions(&world_assembly, both + 1, 1), &t, NULL),
                     0);
    assert_int_equal(portolan_plan_predict(p, positions(&world_assembly, both, 2), &t, &err),
                     PORTOLAN_EINFEASIBLE);
    assert_non_null(strstr(err.text, "never measured"));
    assert_non_null(strstr(err.text, "assembler=heat.Band"));
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    assert_int_equal(choice->variables[SOLVER].chosen, 1);
    assert_int_equal(choice->variables[ASSEMBLER].chosen, 0);
    assert_true(isinf(choice->variables[SOLVER].options[2].total_ns));
    assert_non_null(strstr(choice->variables[SOLVER].options[2].reason, "never measured"));
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void an_implementation_that_is_not_needed_costs_nothing(void **state)
{
    static const struct portolan_name_value ssor = {"preconditioner", "heat.Ssor"};
    static const size_t written[N_VARIABLES], cg[] = {0, 2, 0, 0};
    struct world *w = world_create(1);
    const struct portolan_plan_answer *choice;
    struct portolan_plan_prediction with, without;
    struct portolan_plan *p;

    for (double n = 16; n <= 48; n += 16) {
        world_trial(w, "explore", written, -1, written, n, 4);
        world_trial(w, "explore", cg, -1, cg, n, 4);
    }
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_int_equal(portolan_plan_predict(p, NULL, &without, NULL), 0);
    assert_near(without.total_ns, truth_total(written, 96, 60), near);
    /* Never measured, but Banded calls no preconditioner. */
    assert_int_equal(portolan_plan_predict(p, positions(&world_assembly, &ssor, 1), &with, NULL),
                     0);
    assert_near(with.total_ns, without.total_ns, 1e-12);
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    assert_int_equal(choice->variables[PRECONDITIONER].chosen, 0);
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void what_is_not_accurate_enough_is_forbidden(void **state)
{
    struct portolan_assembly a = world_assembly;
    struct world *w = world_create(1);
    const struct portolan_plan_answer *choice;
    struct portolan_error err = {0};
    struct portolan_plan *p;

    world_explore_all(w);
    a.accuracy = 1e-6;
    p = plan_or_fail(&a, &w->set, w->ranks);
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    assert_true(isinf(choice->variables[SOLVER].options[2].total_ns));
    assert_non_null(strstr(choice->variables[SOLVER].options[2].reason, "1e-05"));
    portolan_plan_destroy(p);

    a.accuracy = 1e-14;
    p = plan_or_fail(&a, &w->set, w->ranks);
    assert_int_equal(portolan_plan_choose(p, &choice, &err), PORTOLAN_EINFEASIBLE);
    assert_non_null(strstr(err.text, "1e-14"));
    assert_non_null(strstr(err.text, "best available is 1e-12"));
    portolan_plan_destroy(p);
    world_destroy(w);
}

static void trials_that_differ_are_left_out_and_told(void **state)
{
    struct world *w = world_create(2);
    struct portolan_error err = {0};
    struct portolan_plan *p;

    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 2}, &p, &err),
                     PORTOLAN_ENOTFOUND);
    world_explore_all(w);
    memset(&err, 0, sizeof err);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 3}, &p, &err),
                     PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "2 ranks, not 3"));
    for (size_t i = 0; i < w->set.n_trials; i++)
        w->trials[i].outcome = "failed";
    memset(&err, 0, sizeof err);
    assert_int_equal(portolan_plan_create(&world_assembly, &w->set,
                                          &(struct portolan_plan_options){.ranks = 2}, &p, &err),
                     PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "failed"));
    world_destroy(w);
}

static void the_call_graph_shows_what_was_pruned(void **state)
{
    struct world *w = world_create(2);
    const struct portolan_plan_node *nodes;
    struct portolan_plan *p;
    size_t n, output = SIZE_MAX, apply = SIZE_MAX;

    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    n = portolan_plan_peek_callgraph(p, &nodes);
    assert_int_equal(n, 6);
    assert_true(nodes[0].share == 1 && nodes[0].parent == -1);
    assert_true(nodes[0].calls == 1);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(nodes[i].method, "write") == 0)
            output = i;
        if (strcmp(nodes[i].method, "apply") == 0)
            apply = i;
    }
    assert_int_equal(nodes[output].mark.rule, PORTOLAN_PRUNE_SIBLINGS);
    assert_true(nodes[output].mark.part_ns == 4 * truth_write);
    assert_string_equal(nodes[output].seen_with, "");
    assert_non_null(strstr(nodes[apply].seen_with, "solver=heat.Cg"));
    assert_int_equal(nodes[apply].depth, 2);
    portolan_plan_destroy(p);
    world_destroy(w);
}

/* Models of solve, one per implementation, whose calls take EACH. */
static void expect_solvers(const struct portolan_plan *p, const double each[])
{
    const struct portolan_plan_model *models;
    size_t n, found = 0;

    n = portolan_plan_peek_models(p, &models);
    for (size_t i = 0; i < n; i++) {
        struct portolan_prediction t;

        if (strcmp(models[i].method, "solve") || strcmp(models[i].quantity, "exclusive_ns"))
            continue;
        assert_string_equal(models[i].implementation, world_class(SOLVER, ++found));
        assert_int_equal(portolan_model_predict(models[i].model, NULL, &t), 0);
        assert_near(t.value, each[found], 1e-9);
    }
    assert_int_equal(found, 2);
}

/* Without steps all is one piece, in which the solver was exchanged; the caller is the driver or,
 * where there is none, a program. */
static void exchange_in_a_piece(bool has_driver)
{
    struct portolan_assembly a = world_assembly;
    const struct portolan_sample driver = {.trial = 1,
                                           .parent = -1,
                                           .user = "",
                                           .uses = "",
                                           .instance = "driver",
                                           .port = "go",
                                           .implementation = "heat.Driver",
                                           .port_type = "Go",
                                           .method = "go",
                                           .calls = 1,
                                           .inclusive_ns = 1e6,
                                           .exclusive_ns = 1e5,
                                           .quality = NAN};
    struct portolan_sample samples[] = {driver, driver, driver};
    struct portolan_trial trial = {.id = 1,
                                   .assembly = "plate",
                                   .purpose = "explore",
                                   .ranks = 1,
                                   .outcome = "finished",
                                   .elapsed_ns = 1e6};
    struct portolan_name_value parameters[] = {{"driver.n", "96"}, {"driver.steps", "60"}};
    const struct portolan_sample_set set = {.n_trials = 1,
                                            .trials = &trial,
                                            .n_samples = has_driver ? 3 : 2,
                                            .samples = has_driver ? samples : &samples[1]};
    /* Of the caller's 100 calls the slow one had two: 144 us, and the fast one 196 us. */
    static const double calls[] = {0, 98, 2}, each[] = {0, 2000, 72000};
    static const int32_t fast[] = {0, 0, 1, 0, 0, 0}, slow[] = {0, 0, 2, 0, 0, 0};
    struct portolan_plan_prediction of_fast, of_slow;
    const struct portolan_plan_answer *choice;
    const struct portolan_plan_node *nodes;
    struct portolan_plan *p;

    a.steps_instance = NULL;
    a.n_sweeps = 0;
    trial.parameters = parameters;
    trial.n_parameters = 2;
    for (int i = 1; i < 3; i++) {
        samples[i].parent = has_driver ? 0 : -1;
        samples[i].user = has_driver ? "driver" : "program";
        samples[i].uses = samples[i].instance = samples[i].port = "solver";
        samples[i].implementation = world_class(SOLVER, (size_t)i);
        samples[i].method = "solve";
        samples[i].calls = (int64_t)calls[i];
        samples[i].inclusive_ns = samples[i].exclusive_ns = calls[i] * each[i];
    }
    assert_int_equal(
        portolan_plan_create(&a, &set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL), 0);
    assert_int_equal(portolan_plan_peek_callgraph(p, &nodes), has_driver ? 2 : 1);
    assert_string_equal(nodes[has_driver].implementation, "several");
    assert_true(nodes[has_driver].calls == 100);
    expect_solvers(p, each);
    assert_int_equal(portolan_plan_choose(p, &choice, NULL), 0);
    assert_int_equal(choice->variables[SOLVER].chosen, 1);
    assert_int_equal(portolan_plan_predict(p, fast, &of_fast, NULL), 0);
    assert_int_equal(portolan_plan_predict(p, slow, &of_slow, NULL), 0);
    assert_near(of_slow.total_ns - of_fast.total_ns, 100 * (72000 - 2000), 1e-9);
    portolan_plan_destroy(p);
}

static void implementations_that_share_a_piece_have_their_own_models(void **state)
{
    exchange_in_a_piece(true);
}

static void calls_of_a_program_without_driver_are_counted(void **state)
{
    exchange_in_a_piece(false);
}

static void reports_fit_a_terminal(void **state)
{
    struct world *w = world_create(2);
    struct portolan_plan *p;
    char *text[3];

    w->noise = 0.02;
    world_explore_all(w);
    p = plan_or_fail(&world_assembly, &w->set, w->ranks);
    assert_int_equal(portolan_plan_report_callgraph(p, &text[0], NULL), 0);
    assert_int_equal(portolan_plan_report_models(p, &text[1], NULL), 0);
    assert_non_null(text[2] = choice_text(p));
    assert_non_null(strstr(text[0], "rule 2"));
    assert_non_null(strstr(text[1], "heat.Cholmod"));
    assert_non_null(strstr(text[2], "predicted:"));
    for (int i = 0; i < 3; i++) {
        if (getenv("SHOW"))
            print_message("%s\n", text[i]);
        for (char *line = strtok(text[i], "\n"); line; line = strtok(NULL, "\n")) {
            if (strlen(line) > 100 && !strstr(line, "portolan run")) /* to be copied in one piece */
                fail_msg("%zu columns: %s", strlen(line), line);
            for (const char *c = line; *c; c++)
                assert_true(*c >= ' ' && *c <= '~');
        }
        free(text[i]);
    }
    portolan_plan_destroy(p);
    world_destroy(w);
}

static enum portolan_status plan_and_choose(const struct world *w)
{
    const struct portolan_plan_answer *choice;
    struct portolan_plan *p = NULL;
    enum portolan_status status = portolan_plan_create(
        &world_assembly, &w->set, &(struct portolan_plan_options){.ranks = 1}, &p, NULL);

    if (!status)
        status = portolan_plan_choose(p, &choice, NULL);
    portolan_plan_destroy(p);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    struct world *w = world_create(1);
    unsigned long at = 1, failures = 0;

    world_trial(w, "explore", (size_t[N_VARIABLES]){0}, -1, NULL, 16, 4);
    world_trial(w, "explore", (size_t[N_VARIABLES]){0, 2}, -1, NULL, 24, 4);
    world_trial(w, "explore", (size_t[N_VARIABLES]){0, 2, 1}, -1, NULL, 32, 4);
    for (int good = 0; good<100; at += at> 300 ? 7 : 1) { /* some thousands: a sample of them */
        enum portolan_status status;

        portolan_alloc_fail_at(at);
        status = plan_and_choose(w);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        failures += status != PORTOLAN_OK;
        good = status ? 0 : good + 1;
    }
    print_message("%lu of %lu failures reported\n", failures, at);
    assert_true(failures > 200);
    world_destroy(w);
}

UNIT_TESTS(cmocka_unit_test(chosen_is_the_best_of_the_truth_and_its_time_is_right),
           cmocka_unit_test(a_plan_that_moves_says_what_a_new_one_says),
           cmocka_unit_test(every_selection_is_predicted_as_in_the_truth),
           cmocka_unit_test(calls_that_were_not_timed_are_estimated_by_those_that_were),
           cmocka_unit_test(margins_are_the_cost_of_being_forced),
           cmocka_unit_test(noise_and_spikes_do_not_mislead),
           cmocka_unit_test(combinations_never_measured_are_forbidden),
           cmocka_unit_test(an_implementation_that_is_not_needed_costs_nothing),
           cmocka_unit_test(what_is_not_accurate_enough_is_forbidden),
           cmocka_unit_test(trials_that_differ_are_left_out_and_told),
           cmocka_unit_test(the_call_graph_shows_what_was_pruned),
           cmocka_unit_test(implementations_that_share_a_piece_have_their_own_models),
           cmocka_unit_test(calls_of_a_program_without_driver_are_counted),
           cmocka_unit_test(reports_fit_a_terminal),
           cmocka_unit_test(every_failing_allocation_is_reported))
