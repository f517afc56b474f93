/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What binds components together: data that are converted, memory, accuracies that add up; and what
 * spreads: contexts, set-up. The choice must be that of an enumeration of all 54 assemblies.
 */
#include <unit_test.h>

#include "chain.h"
#include "positions.h"

/* Each implementation costs at least what it costs in the truth. The choice itself may be another
 * that is as good within what the measurements tell. */
static void assert_best(struct chain *c, uint64_t seed)
{
    const struct portolan_plan_answer *choice;
    struct portolan_error err = {0};
    double least[PARTS][MOST], best = truth_best(c, least);
    enum portolan_status status = choose(c, &choice, &err);

    if (isinf(best)) {
        assert_int_equal(status, PORTOLAN_EINFEASIBLE);
        return;
    }
    if (status)
        fail_msg("seed %ju: %s", (uintmax_t)seed, err.text);
    assert_true(choice->prediction.total_ns >= best * (1 - 1e-9) &&
                choice->prediction.total_ns <= best * 1.01);
    for (size_t i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++) {
            double told = choice->variables[i].options[k].total_ns;

            assert_true(choice->variables[i].core);
            if (isinf(least[i][k]) ? !isinf(told)
                                   : !(fabs(told - least[i][k]) <= 1e-9 * least[i][k]))
                fail_msg("seed %ju: %s %.9g, not %.9g", (uintmax_t)seed, class_names[i][k], told,
                         least[i][k]);
        }
}

static bool says(const struct portolan_plan_answer *choice, const char *text)
{
    for (size_t i = 0; i < choice->n_reasons; i++)
        if (strcmp(choice->reasons[i], text) == 0)
            return true;
    return false;
}

static void draw_times(struct chain *c, uint64_t *seed)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            c->ms[i][k] = 10 + 10 * random_unit(seed);
}

/* ---- data ---- */

static void draw_data(struct chain *c, uint64_t *seed)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            c->layout[i][k] = (int)(3 * random_unit(seed));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            c->convert_ms[i][k] = i == k                     ? 0
                                  : random_unit(seed) < 0.15 ? INFINITY
                                                             : 8 * random_unit(seed);
}

/* Best paths by way of other layouts count, too: that is what the truth's sets of edges allow. */
static void conversions_are_chosen_as_in_the_enumeration(void **state)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct chain *c = chain_create();
        uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);

        draw_times(c, &draw);
        draw_data(c, &draw);
        state_data(c, seed % 2);
        measure_alone(c);
        assert_best(c, seed);
        chain_destroy(c);
    }
}

/* Two take band, one csr: one conversion for both pays, one for each does not. */
static void a_shared_conversion_pays_where_one_for_each_does_not(void **state)
{
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        struct chain *c = chain_create();
        const struct portolan_plan_answer *choice;

        for (int i = 1; i < PARTS; i++)
            for (size_t k = 0; k < domains[i]; k++)
                c->layout[i][k] = k == 1 ? 2 : 0;
        c->layout[0][0] = c->layout[0][1] = 0;
        c->ms[0][1] = 20;
        c->ms[1][1] = c->ms[2][1] = c->ms[3][1] = 8; /* 2 less each; converting takes 4 */
        for (int i = 0; i < 9; i++)
            c->convert_ms[i / 3][i % 3] = i / 3 == i % 3 ? 0 : 4;
        state_data(c, is_shared);
        measure_alone(c);
        assert_best(c, 0);
        assert_int_equal(choose(c, &choice, NULL), 0);
        for (int i = 1; i < PARTS; i++)
            assert_int_equal(choice->variables[i].chosen, is_shared);
        assert_int_equal(says(choice, "matrix: converted from csc to band for second, 1 times a "
                                      "step, 4 ms each, shared with others"),
                         is_shared);
        chain_destroy(c);
    }
}

static void where_nothing_leads_is_told(void **state)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;
    struct portolan_error err = {0};

    c->layout[0][0] = c->layout[0][1] = 0;
    for (size_t k = 0; k < 3; k++)
        c->layout[1][k] = k ? 0 : 1;
    for (int i = 0; i < 9; i++)
        c->convert_ms[i / 3][i % 3] = i / 3 == i % 3 ? 0 : INFINITY;
    state_data(c, false);
    measure_alone(c);
    assert_int_equal(choose(c, &choice, &err), 0);
    assert_int_not_equal(choice->variables[1].chosen, 0);
    assert_non_null(strstr(choice->variables[1].options[0].reason, "converting 'matrix'"));
    chain_destroy(c);
}

static void bad_declarations_are_told_by_line(void **state)
{
    static const char *const wrong[] = {"1 +", "no.such * 2", "c[0]", "-1"};
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;

    measure_alone(c);
    c->classes[1][2].line = 17;
    for (size_t k = 0; k < 4; k++) {
        struct portolan_error err = {0};

        c->classes[1][2].memory = wrong[k];
        assert_int_not_equal(choose(c, &choice, &err), 0);
        assert_non_null(strstr(err.text, "chain.xml:17:"));
    }
    chain_destroy(c);
}

/* ---- bounds ---- */

static void memory_is_kept_as_in_the_enumeration(void **state)
{
    size_t infeasible = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct chain *c = chain_create();
        uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);

        draw_times(c, &draw);
        for (int i = 0; i < PARTS; i++)
            for (size_t k = 0; k < domains[i]; k++) {
                c->bytes[i][k] = 100 * floor(100 * random_unit(&draw));
                snprintf(c->memory[i][k], 40, "%g * driver.n", c->bytes[i][k] / 100);
                c->classes[i][k].memory = c->memory[i][k];
            }
        c->a.memory = 5000 + 20000 * random_unit(&draw);
        infeasible += isinf(truth_best(c, NULL));
        measure_alone(c);
        assert_best(c, seed);
        chain_destroy(c);
    }
    assert_true(infeasible > 0 && infeasible < 20);
}

static void accuracies_compose_as_in_the_enumeration(void **state)
{
    size_t infeasible = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct chain *c = chain_create();
        uint64_t draw = seed * UINT64_C(0x9e3779b97f4a7c15);

        draw_times(c, &draw);
        for (int i = 0; i < PARTS; i++)
            for (size_t k = 0; k < domains[i]; k++)
                c->accuracy[i][k] = pow(10, -6 * random_unit(&draw));
        c->a.composition = seed % 2 ? PORTOLAN_COMPOSE_SUM : PORTOLAN_COMPOSE_PRODUCT;
        c->a.accuracy =
            seed % 2 ? pow(10, -2.5 * random_unit(&draw)) : pow(10, -10 - 8 * random_unit(&draw));
        if (seed % 3 == 0)
            c->instances[2].accuracy = 1e-3;
        infeasible += isinf(truth_best(c, NULL));
        measure_alone(c);
        assert_best(c, seed);
        chain_destroy(c);
    }
    assert_true(infeasible > 0 && infeasible < 40);
}

/* As of a solver that diverged. */
static void an_infinite_accuracy_excludes_what_reported_it(void **state)
{
    struct chain *c = chain_create();

    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < domains[i]; k++)
            c->accuracy[i][k] = 1e-2;
    c->accuracy[1][1] = INFINITY;
    c->ms[1][1] = 1;
    c->a.composition = PORTOLAN_COMPOSE_PRODUCT;
    c->a.accuracy = 1e-6;
    measure_alone(c);
    assert_best(c, 0);
    chain_destroy(c);
}

static void a_report_tells_what_binds(void **state)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;
    char *text;

    c->classes[1][0].memory = "2e9";
    c->classes[1][1].memory = "1e9";
    c->ms[1][0] = 10;
    c->ms[1][1] = 20;
    c->ms[1][2] = 30;
    c->accuracy[1][0] = c->accuracy[1][1] = c->accuracy[2][0] = 1e-4;
    c->a.composition = PORTOLAN_COMPOSE_SUM;
    c->a.accuracy = 1e-3;
    c->a.memory = 1.5e9;
    measure_alone(c);
    assert_int_equal(choose(c, &choice, NULL), 0);
    assert_true(choice->prediction.memory_bytes <= 1.5e9);
    assert_non_null(strstr(choice->variables[1].options[0].reason, "2e+09 bytes"));
    assert_non_null(text = choice_text(c->plan));
    assert_non_null(strstr(text, "of 1.5e+09 allowed"));
    assert_non_null(strstr(text, "the sum over all calls"));
    free(text);
    chain_destroy(c);
}

/* ---- set-up, contexts ---- */

/* As transforms that plan first: 50 ms more once, 2 ms less each time. */
static void set_up_pays_only_over_enough_steps(void **state)
{
    static const char *const steps[] = {"10", "24", "26", "1000"};

    for (size_t i = 0; i < 4; i++) {
        struct chain *c = chain_create();
        const struct portolan_plan_answer *choice;

        c->ms[1][0] = 10;
        c->ms[1][1] = 8;
        c->setup_ms[1][1] = 50;
        c->ms[1][2] = 30;
        measure_alone(c);
        c->parameters[0].text = steps[i];
        assert_int_equal(choose(c, &choice, NULL), 0);
        assert_int_equal(choice->variables[1].chosen, i > 1);
        chain_destroy(c);
    }
}

/* Nine calls with n = 10 and one with 1000: the mean of the costs decides, not the cost of the
 * mean n, at which the other one is quicker. */
static void the_mean_over_contexts_decides(void **state)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;

    c->spreads = true;
    measure_alone(c);
    assert_int_equal(choose(c, &choice, NULL), 0);
    assert_int_not_equal(choice->variables[1].chosen, 1); /* 50 ms per step instead of 10 */
    chain_destroy(c);
}

/* Before anything is measured, as exploring asks. */
static void memory_follows_an_alternative_s_own_parameters(void **state)
{
    static struct portolan_assembly_parameter blocks[] = {
        {"block", PORTOLAN_VALUE_INT, "1", false, 1}, {"block", PORTOLAN_VALUE_INT, "5", false, 1}};
    static const int32_t written[1 + PARTS];
    struct chain *c = chain_create();

    for (size_t k = 0; k < 2; k++) {
        c->classes[1][k].n_parameters = 1;
        c->classes[1][k].parameters = &blocks[k];
        c->classes[1][k].memory = "8 * first.block * ranks";
    }
    assert_float_equal(portolan_plan_memory(&c->a, 2, written, 2, 0), 16, 0);
    assert_float_equal(portolan_plan_memory(&c->a, 2, written, 2, 1), 80, 0);
    chain_destroy(c);
}

static enum portolan_status bind_all(void)
{
    struct chain *c = chain_create();
    const struct portolan_plan_answer *choice;
    enum portolan_status status;

    for (int i = 0; i < PARTS; i++)
        c->layout[i][0] = i % 3;
    state_data(c, true);
    c->classes[1][1].memory = "8 * driver.n";
    c->a.memory = 1e6;
    measure(c, (size_t[PARTS]){0});
    status = choose(c, &choice, NULL);
    chain_destroy(c);
    return status;
}

static void every_failing_allocation_is_reported(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    while (status) {
        assert_int_equal(status, PORTOLAN_ENOMEM);
        portolan_alloc_fail_at(n += 1 + n / 10);
        status = bind_all();
        portolan_alloc_fail_at(0);
    }
    assert_true(n > 100);
}

UNIT_TESTS(cmocka_unit_test(conversions_are_chosen_as_in_the_enumeration),
           cmocka_unit_test(a_shared_conversion_pays_where_one_for_each_does_not),
           cmocka_unit_test(where_nothing_leads_is_told),
           cmocka_unit_test(bad_declarations_are_told_by_line),
           cmocka_unit_test(memory_is_kept_as_in_the_enumeration),
           cmocka_unit_test(memory_follows_an_alternative_s_own_parameters),
           cmocka_unit_test(accuracies_compose_as_in_the_enumeration),
           cmocka_unit_test(an_infinite_accuracy_excludes_what_reported_it),
           cmocka_unit_test(a_report_tells_what_binds),
           cmocka_unit_test(set_up_pays_only_over_enough_steps),
           cmocka_unit_test(the_mean_over_contexts_decides),
           cmocka_unit_test(every_failing_allocation_is_reported))
