/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of two decisions that are written down here. */
#include <unit_test.h>

#include <portolan/explain.h>

#include <math.h>

/* Of decision 1 Band was chosen, at step 0 with 10 steps to come; of decision 2 Cg. */
static struct portolan_reason reasons[] = {
    {1, 1, 0, "models", "solver heat.Csc -> heat.Band", "solver=heat.Band", "", 10, 4, 5e6, 2e6,
     1.9e6, 2.1e6, 1e6, 0.9, "predicted 2 ms", "done"},
    {1, 2, 5, "user", "", "solver=heat.Cg", "pin", 5, 6, 2e6, NAN, NAN, NAN, NAN, NAN, "as asked",
     "kept: it is new"},
};
static struct portolan_alternative alternatives[] = {
    {1, 1, "solver", "heat.Band", true, 4, 2e6, 1.9e6, 2.1e6, 2e7, 0.9, "", ""},
    {1, 1, "solver", "heat.Cg", false, 3, 4e6, 3e6, 5e6, 4e7, 0.1, "", ""},
    {1, 1, "solver", "heat.Csc", false, 0, NAN, NAN, NAN, NAN, NAN, "memory", "needs 2 GB"},
    {1, 2, "solver", "heat.Band", false, 4, 2e6, 1.9e6, 2.1e6, 1e7, NAN, "pin",
     "another is pinned"},
    {1, 2, "solver", "heat.Cg", true, 3, NAN, NAN, NAN, NAN, NAN, "", ""},
};
static struct portolan_expectation expectations[] = {
    {1, 0, "", "", 2e6, 1e6, 3e6, 2.1e6},
    {1, 1, "", "drift", 2e6, 1e6, 3e6, 6e6},
    {1, 1, "driver.solver -> solver.solve", "drift", 1e6, 1e6, 1e6, 5e6},
    {1, 2, "", "drift", 2e6, 1e6, 3e6, 4e6},
};
static const struct portolan_reason_set set = {2, reasons, 5, alternatives, 4, expectations, NULL};
static struct portolan_name_value classes[] = {{"driver", "heat.Driver"},
                                               {"mastermind", "portolan.Mastermind"}};
static struct portolan_name_value parameters[] = {{"driver.n", "8"}, {"mastermind.store", "x.db"}};
static const struct portolan_trial run = {.id = 7,
                                          .assembly = "plate",
                                          .ranks = 2,
                                          .started = "then",
                                          .outcome = "finished",
                                          .n_implementations = 2,
                                          .implementations = classes,
                                          .n_parameters = 2,
                                          .parameters = parameters};

static struct portolan_text out;
static struct portolan_explained x = {&run, &set, &out};

static int clear(void **state)
{
    portolan_text_clear(&out);
    return 0;
}

static void says(const char *words)
{
    if (!out.bytes || !strstr(out.bytes, words))
        fail_msg("not '%s': %s", words, out.bytes ? out.bytes : "");
}

static void why_not(const char *alternative)
{
    struct portolan_error err = {0};
    const struct portolan_alternative *a = portolan_explain_find_alternative(&x, alternative, &err);

    if (!a)
        fail_msg("%s", err.text);
    portolan_text_clear(&out);
    portolan_explain_why_not(&x, a);
}

static void decisions_are_found_by_number(void **state)
{
    struct portolan_error err = {0};

    assert_ptr_equal(portolan_explain_find(&x, "2", &err), &reasons[1]);
    assert_null(portolan_explain_find(&x, "3", &err));
    assert_string_equal(err.text, "run 7 has no decision 3, it has 2");
    err = (struct portolan_error){0};
    assert_null(portolan_explain_find(&x, "two", &err));
    assert_int_equal(err.status, PORTOLAN_EINVAL);
}

static void the_latest_decision_against_an_alternative_counts(void **state)
{
    struct portolan_error err = {0};

    assert_ptr_equal(portolan_explain_find_alternative(&x, "solver=heat.Band", &err),
                     &alternatives[3]);
    assert_ptr_equal(portolan_explain_find_alternative(&x, "solver=heat.Cg", &err),
                     &alternatives[1]); /* decision 2 chose it */
    assert_null(portolan_explain_find_alternative(&x, "solver=heat.Qr", &err));
    assert_non_null(strstr(err.text, "the alternatives are: solver=heat.Band solver=heat.Cg "
                                     "solver=heat.Csc"));
}

static void a_run_is_a_line_for_each_decision_and_cause(void **state)
{
    portolan_explain_run(&x);
    says("run 7 of 'plate' on 2 ranks, then, finished\n");
    says("  1  step 0     models       solver heat.Csc -> heat.Band: predicted 2 ms [done]\n");
    says("  2  step 5     user         as asked [kept: it is new]\n");
    says("1 of 3 predicted steps took as long as expected; the others:\n");
    says("the step                                 drift            2 times, worst at step 1: 6 ms "
         "instead of 2 ms\n");
    says("driver.solver -> solver.solve            drift            1 time, worst at step 1: 5 ms");
}

static void a_decision_shows_its_alternatives(void **state)
{
    portolan_explain_decision(&x, &reasons[0]);
    says("decision 1 of run 1, at step 0, 10 steps remain; asked by: models\n"
         "  solver           heat.Band\n"
         "                       a step takes 2 ms (95 %: 1.9 ms to 2.1 ms); best with a chance of "
         "90 %; "
         "4 measurements\n");
    says("with heat.Cg                           40 ms  +100 %\n");
    says("                     not heat.Csc: needs 2 GB\n");
    says("predicted:  21 ms (95 %: 20 ms to 22 ms): 10 steps of 2 ms each, and 1 ms outside the "
         "steps\n"
         "as before:  50 ms: 10 steps of 5 ms each\n"
         "choice:     the fastest of all with a chance of 90 %\n"
         "rests on:   4 trials\n"
         "binding:    nothing\n");
    portolan_text_clear(&out);
    portolan_explain_decision(&x, &reasons[1]);
    says("predicted:  not known\nas before:  10 ms: 5 steps of 2 ms each\n"
         "choice:     the fastest of all with a chance that is not known\n"
         "rests on:   6 trials\nbinding:    pin\n");
}

static void an_alternative_is_told_what_would_change_the_choice(void **state)
{
    why_not("solver=heat.Cg"); /* 4 ms a step, 20 ms more in 10 steps: chosen below 2 ms */
    says("a step below 2 ms with it: a time below its interval, so this choice is certain\n");
    says("mpiexec." PORTOLAN_MPI " -n 2 portolan run --fixed --select solver=heat.Cg --set "
         "driver.n=8 ASSEMBLY.xml\n"); /* not Portolan's own parameters */
    alternatives[1].low_ns = 1e6;
    why_not("solver=heat.Cg");
    says("a step below 2 ms with it: its interval includes such times\n");
    alternatives[1].low_ns = 3e6;
    why_not("solver=heat.Band");
    says("excluded      pin: another is pinned\n");
    says("would change  releasing the pin of another one");
    why_not("solver=heat.Csc");
    says("would change  more memory in the assembly\n");
    alternatives[2].binding = "unmeasured";
    why_not("solver=heat.Csc");
    says("would change  a measurement, since its time is not known\n");
    alternatives[2].binding = "memory";
}

static void steps_stand_beside_what_was_expected(void **state)
{
    portolan_explain_steps(&x);
    says("     1        2 ms        6 ms +200.0 %  drift\n");
    says("              1 ms        5 ms +400.0 %  drift: driver.solver -> solver.solve\n");
}

static void json_has_the_turning_point(void **state)
{
    struct portolan_error err = {0};

    portolan_explain_write_json(&x, NULL,
                                portolan_explain_find_alternative(&x, "solver=heat.Cg", &err));
    says("\"why_not\": \"heat.Cg\"");
    says("\"chosen_below_ns\": 2000000");
    says("--select solver=heat.Cg");
    assert_null(strstr(out.bytes, "as asked")); /* only the decision at which it was considered */
}

#define TEST(NAME) cmocka_unit_test_teardown(NAME, clear)

UNIT_TESTS(TEST(decisions_are_found_by_number),
           TEST(the_latest_decision_against_an_alternative_counts),
           TEST(a_run_is_a_line_for_each_decision_and_cause),
           TEST(a_decision_shows_its_alternatives),
           TEST(an_alternative_is_told_what_would_change_the_choice),
           TEST(steps_stand_beside_what_was_expected), TEST(json_has_the_turning_point))
