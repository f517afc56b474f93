/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port "optimizer" as a program drives it: two implementations of the paper's function, 2x and
 * x^2 ms, on the manual clock. The first is better from x = 2 on. Each rank has a folder, and rank
 * 0's has the store.
 */
#include <math.h>
#include <portolan/embed.h>
#include <portolan/mpi.h>
#include <portolan/probe.h>
#include <portolan/store.h>
#include <unit_test.h>

#include "paper.h"

struct program {
    struct portolan_embedded *e;
    paper_Function function;
    portolan_ports_SwapPoint swap;
    portolan_ports_Optimizer optimizer;
    int step;
};

static struct program p;
static struct portolan_cohort *cohort;
static char folder[] = "/tmp/portolan-XXXXXX", file[100], store[100];

static const char xml[] =
    "<assembly name='steered'>"
    "<instance name='a' class='paper.A1'%s><alternative class='paper.A2'/></instance>"
    "<instance name='clock' class='portolan.ManualClock'/>"
    "<instance name='mastermind' class='portolan.Mastermind'>"
    "<parameter name='store' type='string' value='%s'/></instance>"
    "<instance name='swappoint' class='portolan.SwapPoint'/>"
    "<instance name='optimizer' class='portolan.Optimizer'/>"
    "<connect user='a' uses='work' provider='clock' provides='work'/>"
    "<connect user='swappoint' uses='mastermind' provider='mastermind' provides='steps'/>"
    "<connect user='swappoint' uses='optimizer' provider='optimizer' provides='steps'/>"
    "<connect user='mastermind' uses='measurement' provider='clock' provides='measurement'/>"
    "<connect user='optimizer' uses='records' provider='mastermind' provides='records'/>"
    "</assembly>";

static int make_folder(void **state)
{
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/steered.xml", folder);
    snprintf(store, sizeof store, "%s/steered.db", folder);
    return cohort->bcast(cohort, store, sizeof store, 0);
}

static int remove_folder(void **state)
{
    if (cohort->rank == 0)
        remove(store);
    remove(file);
    return remove(folder);
}

/* ATTRIBUTE: of the instance "a". */
static void open_program(const char *attribute)
{
    struct portolan_error err = {0};
    FILE *f = fopen(file, "w");

    assert_non_null(f);
    fprintf(f, xml, attribute, store);
    assert_int_equal(fclose(f), 0);

    p.step = 0;
    if (portolan_embedded_open(file, cohort, &p.e, &err) ||
        !(p.function = portolan_embedded_use(p.e, "a", "function", &err)) ||
        !(p.swap = portolan_embedded_use(p.e, "swappoint", "swappoint", &err)) ||
        !(p.optimizer = portolan_embedded_use(p.e, "optimizer", "optimizer", &err)))
        fail_msg("%s", err.text);
}

static int set_up(void **state)
{
    if (cohort->rank == 0)
        remove(store);
    open_program("");
    return 0;
}

static int tear_down(void **state)
{
    portolan_embedded_close(p.e);
    return 0;
}

static void good(sidl_BaseInterface *ex)
{
    struct portolan_error err = {0};

    if (portolan_catch(ex, &err))
        fail_msg("%s", err.text);
}

/* The call was refused with TEXT. */
static void refused(sidl_BaseInterface *ex, const char *text)
{
    struct portolan_error err = {0};

    assert_int_not_equal(portolan_catch(ex, &err), 0);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
}

static void is_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.17g is not %g", value, wanted);
}

/* One step at X; how long the function took on the manual clock, in ms. */
static double step(double x)
{
    sidl_BaseInterface ex = NULL;
    uint64_t before;

    portolan_ports_SwapPoint_announce(p.swap, "x", x, &ex);
    good(&ex);
    portolan_ports_SwapPoint_reached(p.swap, p.step++, &ex);
    good(&ex);
    before = portolan_probe_now();
    paper_Function_evaluate(p.function, x, &ex);
    good(&ex);
    return portolan_probe_ticks_to_ns(portolan_probe_now() - before) * 1e-6;
}

static void pin(const char *class_name)
{
    sidl_BaseInterface ex = NULL;

    portolan_ports_Optimizer_pin(p.optimizer, "a", class_name, &ex);
    good(&ex);
}

static void pins_act_at_the_next_step_and_end_with_their_release(void **state)
{
    sidl_BaseInterface ex = NULL;

    pin("paper.A1"); /* before the first step */
    for (int i = 0; i < 3; i++)
        is_near(step(3), 6, 1e-9);
    pin("paper.A2");
    for (int i = 0; i < 3; i++)
        is_near(step(3), 9, 1e-9);
    portolan_ports_Optimizer_release(p.optimizer, "", "", &ex);
    good(&ex);
    portolan_ports_Optimizer_forbid(p.optimizer, "a", "paper.A2", &ex);
    good(&ex);
    is_near(step(3), 6, 1e-9);
}

static void what_cannot_be_is_refused_and_nothing_changes(void **state)
{
    sidl_BaseInterface ex = NULL;

    pin("paper.A1");
    portolan_ports_Optimizer_pin(p.optimizer, "b", "paper.A1", &ex);
    refused(&ex, "no instance 'b' has alternatives; the instances with alternatives are: a");
    portolan_ports_Optimizer_pin(p.optimizer, "a", "paper.B1", &ex);
    refused(&ex, "'paper.B1' is not an alternative of a; the alternatives are: paper.A1, paper.A2");
    portolan_ports_Optimizer_pin(p.optimizer, "a", NULL, &ex);
    refused(&ex, "'' is not an alternative of a; the alternatives are: paper.A1, paper.A2");
    portolan_ports_Optimizer_release(p.optimizer, "", "paper.A1", &ex);
    refused(&ex, "no instance '' has alternatives; the instances with alternatives are: a");
    portolan_ports_Optimizer_undo(p.optimizer, &ex);
    refused(&ex, "there is nothing to undo");
    portolan_ports_Optimizer_explore(p.optimizer, 2, &ex);
    refused(&ex, "2 is not a share of the time");
    portolan_ports_Optimizer_forbid(p.optimizer, "a", "paper.A2", &ex);
    good(&ex);
    portolan_ports_Optimizer_forbid(p.optimizer, "a", "paper.A1", &ex);
    refused(&ex, "nothing else may run as 'a'");
    is_near(step(3), 6, 1e-9);
}

static void a_pin_says_at_once_that_state_would_be_lost(void **state)
{
    sidl_BaseInterface ex = NULL;
    char *text;

    portolan_embedded_close(p.e);
    open_program(" stateful='yes'");
    pin("paper.A1");
    is_near(step(3), 6, 1e-9);
    portolan_ports_Optimizer_release(p.optimizer, "", "", &ex);
    good(&ex);
    portolan_ports_Optimizer_pin(p.optimizer, "a", "paper.A2", &ex);
    refused(&ex, "a is not pinned to paper.A2: paper.A1 keeps");
    text = portolan_ports_Optimizer_explain(p.optimizer, &ex);
    good(&ex);
    assert_non_null(strstr(text, " not paper.A2: paper.A1 keeps"));
    sidl_String_free(text);
}

static void decide_swaps_at_once_and_undo_takes_it_back(void **state)
{
    sidl_BaseInterface ex = NULL;

    pin("paper.A1");
    is_near(step(3), 6, 1e-9);
    pin("paper.A2");
    assert_true(portolan_ports_Optimizer_decide(p.optimizer, &ex));
    good(&ex);
    assert_false(portolan_ports_Optimizer_decide(p.optimizer, &ex));
    good(&ex);
    portolan_ports_Optimizer_undo(p.optimizer, &ex);
    good(&ex);
    is_near(step(3), 6, 1e-9);
    portolan_ports_Optimizer_undo(p.optimizer, &ex);
    refused(&ex, "the last swap was itself an undo");
}

/* Runs both at six sizes each, so that the next run has models. */
static int run_both(void *arg)
{
    static const double sizes[] = {0.5, 1, 1.5, 3, 4, 5};

    (void)arg;
    for (int k = 0; k < 2; k++) {
        pin(k ? "paper.A2" : "paper.A1");
        for (int i = 0; i < 24; i++)
            step(sizes[i % 6]);
    }
    step(1);
    return 0;
}

static int ask_for_two_sizes(void *arg)
{
    static const struct {
        double x, ms;
        const char *best;
    } cases[] = {{1.5, 2.25, "a=paper.A2"}, {4, 8, "a=paper.A1"}};
    sidl_BaseInterface ex = NULL;
    char *text;

    (void)arg;
    step(1.5);
    step(1.5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sidl_string__array *names =
            sidl_string__array_create1dInit(1, (const char *const[]){"x"});
        struct sidl_double__array *values = sidl_double__array_create1dInit(1, &cases[i].x);
        double ns;
        char *best = portolan_ports_Optimizer_ask(p.optimizer, names, values, &ns, &ex);

        good(&ex);
        assert_string_equal(best, cases[i].best);
        /* The assembly names no steps: those of the run before were counted. */
        is_near(ns * 1e-6, cases[i].ms, 0.05 * cases[i].ms); /* the fit's error */
        sidl_String_free(best);
        sidl_string__array_deleteRef(names);
        sidl_double__array_deleteRef(values);
    }
    text =
        portolan_ports_Optimizer_explain(p.optimizer, &ex); /* at the contexts of the last step */
    good(&ex);
    assert_non_null(strstr(text, " paper.A1"));
    assert_non_null(strstr(strstr(text, " a step takes ") + 1, " a step takes "));
    sidl_String_free(text);
    step(20);
    text = portolan_ports_Optimizer_explain(p.optimizer, &ex);
    good(&ex);
    assert_non_null(strstr(text, " paper.A1"));
    assert_non_null(strstr(text, "; outside the measured range\n"));
    sidl_String_free(text);
    return 0;
}

static void run(int (*body)(void *arg))
{
    struct portolan_error err = {0};
    int result;

    if (portolan_embedded_run(p.e, body, NULL, &result, &err))
        fail_msg("%s", err.text);
    assert_int_equal(result, 0);
}

static void ask_tells_what_would_run_and_what_it_costs(void **state)
{
    run(run_both);
    portolan_embedded_close(p.e);
    open_program("");
    run(ask_for_two_sizes);
}

static int pin_after_two_steps(void *arg)
{
    (void)arg;
    for (int i = 0; i < 5; i++) {
        if (i == 2)
            pin("paper.A1");
        step(1.5);
    }
    return 0;
}

/* A sum over some of its steps says nothing of a run. */
static void nothing_was_foretold_of(const struct portolan_trial *t)
{
    const char *foretold = "no fact";

    for (size_t i = 0; i < t->n_metadata; i++)
        if (strcmp(t->metadata[i].name, "predicted step by step") == 0)
            foretold = t->metadata[i].value;
    assert_string_equal(foretold, "0");
}

/* The plan expects 2.25 ms of a step with A2, and was not asked for A1. */
static void of_what_was_pinned_nothing_was_expected(void **state)
{
    struct portolan_error err = {0};
    const struct portolan_store_query query = {0};
    struct portolan_sample_set *set = NULL;
    struct portolan_reason_set *r = NULL;
    struct portolan_store *s = NULL;
    size_t known = 0;

    run(run_both);
    portolan_embedded_close(p.e);
    open_program("");
    run(pin_after_two_steps);
    if (cohort->rank > 0) /* rank 0 stores, and removes the store for the next test */
        return;
    if (portolan_store_open(store, PORTOLAN_STORE_READ, &s, &err) ||
        portolan_store_read_reasons(s, 2, &r, &err) ||
        portolan_store_read(s, &query, false, &set, &err))
        fail_msg("%s", err.text);
    portolan_store_close(s);
    for (size_t i = 0; i < r->n_expectations; i++) {
        assert_int_not_equal(r->expectations[i].step, 2);
        known += r->expectations[i].step == 1 && r->expectations[i].measured_ns > 0;
    }
    assert_int_equal(known, 1);
    assert_int_equal(set->n_trials, 2);
    nothing_was_foretold_of(&set->trials[1]);
    portolan_sample_set_destroy(set);
    portolan_reason_set_destroy(r);
}

static void explain_lists_what_there_is(void **state)
{
    sidl_BaseInterface ex = NULL;
    char *text;

    pin("paper.A2");
    step(1);
    text = portolan_ports_Optimizer_explain(p.optimizer, &ex);
    good(&ex);
    assert_non_null(strstr(text, "a paper.A1 -> paper.A2, pinned by a component"));
    assert_non_null(strstr(text, "\n  a                paper.A2\n"));
    assert_non_null(strstr(text, " not paper.A1: another one is pinned\n"));
    sidl_String_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pins_act_at_the_next_step_and_end_with_their_release,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused_and_nothing_changes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_pin_says_at_once_that_state_would_be_lost, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(decide_swaps_at_once_and_undo_takes_it_back, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(ask_tells_what_would_run_and_what_it_costs, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(of_what_was_pinned_nothing_was_expected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(explain_lists_what_there_is, set_up, tear_down),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) || portolan_mpi_cohort_create(&cohort, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
    portolan_mpi_cohort_destroy(cohort);
    portolan_mpi_finalize();
    return failed;
}
