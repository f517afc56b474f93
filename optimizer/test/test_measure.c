/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions of measuring, whose trials a simulated world runs. */
#include <unit_test.h>

#include "world.h"

#include <portolan/machine.h>

struct lab {
    struct world *w;
    struct portolan_assembly a;
    size_t x[N_VARIABLES]; /* what was ordered last */
    char n[20];
    double scale;       /* on the time of trials */
    const char *broken; /* a class whose trials fail; "": all do */
    bool forgets;       /* trials that fail are not stored */
    size_t n_models;
    double limits[WORLD_TRIALS]; /* of trials that were run */
    int n_runs;
    struct portolan_text said;
    struct portolan_error err;
};

static enum portolan_status read_trials(void *arg, bool with_samples,
                                        const struct portolan_sample_set **set,
                                        struct portolan_error *err)
{
    (void)with_samples, (void)err;
    *set = &((struct lab *)arg)->w->set;
    return PORTOLAN_OK;
}

static bool has_parameters(void *arg, const struct portolan_trial *t)
{
    return !strcmp(t->parameters[0].value, ((struct lab *)arg)->n);
}

static bool has_port(void *arg, const char *class_name, const char *port)
{
    (void)arg;
    return strcmp(port, "preconditioner") != 0 || !strcmp(class_name, "heat.Cg");
}

static enum portolan_status apply(void *arg, const char *orders, struct portolan_error *err)
{
    struct lab *l = arg;
    char order[100];

    (void)err;
    for (int v = 0; v < N_VARIABLES; v++)
        for (size_t k = 0; k < world_domains[v]; k++) {
            snprintf(order, sizeof order, "select %s %s\n", world_names[v], world_class(v, k));
            if (strstr(orders, order))
                l->x[v] = k;
        }
    if (strstr(orders, "set driver n "))
        sscanf(strstr(orders, "set driver n "), "set driver n %19s", l->n);
    return PORTOLAN_OK;
}

static bool is_broken(const struct lab *l)
{
    for (int v = 0; l->broken && v < N_VARIABLES; v++)
        if (!*l->broken || !strcmp(world_class(v, l->x[v]), l->broken))
            return true;
    return false;
}

static enum portolan_status run(void *arg, const struct portolan_measure_trial *trial,
                                struct portolan_error *err)
{
    struct lab *l = arg;
    struct portolan_trial *t;
    double n;

    assert_int_equal(trial->number, l->n_runs);
    assert_true(l->n_runs < WORLD_TRIALS);
    l->limits[l->n_runs++] = trial->limit_s;
    if (!is_broken(l) || !l->forgets) {
        portolan_read_double(l->n, &n);
        t = world_trial(l->w, l->a.purpose, l->x, -1, l->x, n, 4);
        t->elapsed_ns *= l->scale;
        if (is_broken(l))
            t->outcome = "failed";
    }
    return is_broken(l) ? portolan_error_set(err, PORTOLAN_ECOMPONENT, "it fell over")
                        : PORTOLAN_OK;
}

static enum portolan_status keep(void *arg, const struct portolan_stored_model *model,
                                 struct portolan_error *err)
{
    (void)err;
    assert_string_equal(model->assembly, "plate");
    assert_non_null(strstr(model->xml, "<model"));
    ((struct lab *)arg)->n_models++;
    return PORTOLAN_OK;
}

static void say(void *arg, const char *text)
{
    portolan_text_add(&((struct lab *)arg)->said, "%s\n", text);
}

static int open_lab(void **state)
{
    struct lab *l = calloc(1, sizeof *l);

    *l = (struct lab){.w = world_create(1), .a = world_assembly, .n = "16", .scale = 1};
    *state = l;
    return 0;
}

static int close_lab(void **state)
{
    struct lab *l = *state;

    for (size_t i = 0; i < l->a.n_instances; i++)
        l->a.instances[i].selected = 0;
    world_destroy(l->w);
    portolan_text_clear(&l->said);
    free(l);
    return 0;
}

/* A session; returns how many trials were run. */
static int measure(struct lab *l, bool all_fixed, double budget_s, enum portolan_status expected)
{
    const struct portolan_measure_runner runner = {
        l, read_trials, has_parameters, has_port, apply, run, keep, say, NULL, NULL, NULL};
    const struct portolan_measure_options options = {.plan = {.ranks = 1, .most_trials = 1},
                                                     .cohort = portolan_cohort_alone(),
                                                     .began_s = portolan_now_s(),
                                                     .budget_s = budget_s,
                                                     .all_fixed = all_fixed};
    int n_trials;

    l->n_runs = 0;
    l->a.purpose = all_fixed ? "fixed" : "explore";
    portolan_text_clear(&l->said);
    l->err = (struct portolan_error){0};
    if (portolan_measure(&l->a, &options, &runner, &n_trials, &l->err) != expected)
        fail_msg("%s", l->err.text);
    assert_int_equal(n_trials, l->n_runs);
    return n_trials;
}

static void assert_says(const struct lab *l, const char *words)
{
    if (!l->said.bytes || !strstr(l->said.bytes, words))
        fail_msg("not '%s': %s", words, l->said.bytes ? l->said.bytes : "");
}

static void explores_until_nothing_is_left_and_keeps_the_models(void **state)
{
    struct lab *l = *state;
    char done[60];
    int n = measure(l, false, 1e9, PORTOLAN_OK);

    assert_true(n > 4);
    assert_says(l, "  1 of 4  as written at driver.n=16");
    snprintf(done, sizeof done, "done: %d trials in ", n);
    assert_says(l, done);
    assert_true(l->n_models > 0);
    l->n_models = 0;
    assert_int_equal(measure(l, false, 1e9, PORTOLAN_OK), 0);
    assert_says(l, "nothing to do: the stored trials suffice (0 new trials, ");
    assert_int_equal(l->n_models, 0);
}

static void each_fixed_assembly_that_differs_is_run_once(void **state)
{
    struct portolan_assembly_connection uses = {
        .user = "solver", .uses = "preconditioner", .provider = "preconditioner"};
    struct lab *l = *state;

    l->a.n_connections = 1;
    l->a.connections = &uses;
    assert_int_equal(measure(l, true, 1e9, PORTOLAN_OK), 2 * (2 + 2) * 2);
    assert_says(
        l, "\nassembler=heat.Band solver=heat.Cg preconditioner=heat.Ssor output=heat.Binary\n");
    assert_says(l, "\nassembler=heat.Csc solver=heat.Cholmod output=heat.Text\n");
    assert_says(l, "done: 16 fixed assemblies in ");
    assert_int_equal(measure(l, true, 1e9, PORTOLAN_OK), 0);
    assert_says(l, "nothing to do: every fixed assembly is in the store (0 new, ");
}

static void an_assembly_without_alternatives_is_a_fixed_one_too(void **state)
{
    struct lab *l = *state;

    l->a.n_instances = 1;
    assert_int_equal(measure(l, true, 1e9, PORTOLAN_OK), 1);
}

static void a_class_that_fails_does_not_end_the_session(void **state)
{
    struct lab *l = *state;
    int n;

    l->broken = "heat.Cholmod";
    n = measure(l, false, 1e9, PORTOLAN_OK);
    assert_says(l, "failed: it fell over\n");
    assert_true(l->n_models > 0);
    assert_true(n > 4);
}

static void a_session_in_which_nothing_works_fails(void **state)
{
    struct lab *l = *state;

    l->broken = "";
    measure(l, false, 1e9, PORTOLAN_ECOMPONENT);
    assert_string_equal(l->err.text, "every trial failed");
}

static void a_trial_that_leaves_nothing_is_not_repeated_for_ever(void **state)
{
    struct lab *l = *state;

    l->broken = "";
    l->forgets = true;
    assert_int_equal(measure(l, false, 1e9, PORTOLAN_ECOMPONENT), 1);
    assert_string_equal(l->err.text, "a trial failed twice");
}

static void a_trial_may_take_ten_times_the_best_of_its_parameters(void **state)
{
    struct lab *l = *state;

    l->scale = 1e5; /* so long that starting them is nothing beside it */
    measure(l, false, 1e9, PORTOLAN_OK);
    for (int i = 0; i < l->n_runs; i++) {
        const struct portolan_trial *t = &l->w->trials[i];
        double best_s = INFINITY;

        for (int k = 0; k < i; k++)
            if (!strcmp(l->w->trials[k].parameters[0].value, t->parameters[0].value))
                best_s = fmin(best_s, 1e-9 * l->w->trials[k].elapsed_ns);
        assert_true(l->limits[i] == (isinf(best_s) ? 0 : fmax(10, 10 * best_s)));
    }
}

static void a_short_trial_may_take_ten_seconds(void **state)
{
    struct lab *l = *state;
    int n = measure(l, false, 1e9, PORTOLAN_OK);

    assert_true(1e-9 * l->w->trials[n - 1].elapsed_ns < 1);
    assert_true(l->limits[n - 1] >= 10);
}

static void what_the_sweep_says_limits_a_trial(void **state)
{
    struct lab *l = *state;

    l->a.sweep_timeout_s = 7;
    for (int i = 0, n = measure(l, false, 1e9, PORTOLAN_OK); i < n; i++)
        assert_true(l->limits[i] == 7);
}

static void trials_that_exceed_the_budget_are_not_run(void **state)
{
    struct lab *l = *state;

    l->scale = 1e9; /* days */
    assert_int_equal(measure(l, false, 100, PORTOLAN_OK), 1);
    assert_says(l, "budget");
    assert_says(l, "done: 1 trials in ");
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, open_lab, close_lab)

UNIT_TESTS(TEST(explores_until_nothing_is_left_and_keeps_the_models),
           TEST(each_fixed_assembly_that_differs_is_run_once),
           TEST(an_assembly_without_alternatives_is_a_fixed_one_too),
           TEST(a_class_that_fails_does_not_end_the_session),
           TEST(a_session_in_which_nothing_works_fails),
           TEST(a_trial_that_leaves_nothing_is_not_repeated_for_ever),
           TEST(a_trial_may_take_ten_times_the_best_of_its_parameters),
           TEST(a_short_trial_may_take_ten_seconds), TEST(what_the_sweep_says_limits_a_trial),
           TEST(trials_that_exceed_the_budget_are_not_run))
