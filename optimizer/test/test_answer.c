/* SPDX-License-Identifier: BSD-3-Clause */
/* Each fact of an answer, present and absent, in words, text and JSON. */
#include <unit_test.h>

#include <portolan/json.h>
#include <portolan/optimizer.h>

#include <math.h>

static struct portolan_answer_option solvers[] = {
    {.implementation = "s.Lu", .total_ns = 4e9, .reason = ""},
    {.implementation = "s.Cg", .total_ns = 2e9, .reason = ""},
    {.implementation = "s.Qr", .total_ns = INFINITY, .reason = "it is forbidden"},
};
static struct portolan_answer_option outputs[] = {
    {.implementation = "o.Text", .total_ns = 2e9, .reason = ""}};

struct fixture {
    struct portolan_answer_variable variables[2];
    struct portolan_plan_answer a;
    struct portolan_text out;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){
        .variables = {{.instance = "solver",
                       .core = true,
                       .called = true,
                       .written = 0,
                       .chosen = 1,
                       .n_options = 3,
                       .options = solvers},
                      {.instance = "output", .called = true, .n_options = 1, .options = outputs}},
        .a = {.title = "Choice for 'plate' (n=8, 100 steps, 2 ranks)",
              .assembly = "plate",
              .parameters = "n=8",
              .ranks = 2,
              .chance = 0.9,
              .rival = "",
              .settle = "",
              .n_variables = 2,
              .prediction = {.total_ns = 2e9,
                             .low_ns = 1e9,
                             .high_ns = 3e9,
                             .step_ns = 2e7,
                             .steps = 100,
                             .accuracy = NAN},
              .as_written = {.total_ns = 4e9,
                             .low_ns = 3e9,
                             .high_ns = 5e9,
                             .step_ns = 4e7,
                             .steps = 100,
                             .accuracy = NAN},
              .gain = {0.5, 0.4, 0.6}}};
    f.a.variables = f.variables;
    solvers[1].is_unknown = solvers[2].is_unknown = false;
    *state = &f;
    return 0;
}

/* The fact, named WHAT (NULL: the answer does not have it), says TEXT. */
static void assert_fact(struct fixture *f, enum portolan_answer_fact fact, const char *what,
                        const char *text)
{
    const char *is = portolan_answer_add(&f->a, fact, &f->out);

    if (what)
        assert_string_equal(is, what);
    else
        assert_null(is);
    assert_string_equal(f->out.bytes ? f->out.bytes : "", text);
    portolan_text_clear(&f->out);
}

static void what_was_chosen(void **state)
{
    struct fixture *f = *state;

    assert_fact(f, PORTOLAN_ANSWER_CHOSEN, "chosen",
                "s.Cg as solver instead of s.Lu; 1 other stays as written");
    f->variables[0].chosen = 0;
    assert_fact(f, PORTOLAN_ANSWER_CHOSEN, "chosen", "the assembly as written");
}

static void what_it_takes(void **state)
{
    struct fixture *f = *state;
    struct portolan_plan_prediction *x = &f->a.prediction;

    assert_fact(f, PORTOLAN_ANSWER_PREDICTED, "predicted",
                "2 s (95 %: 1 s to 3 s): 100 steps of 20 ms each");
    x->setup_ns = 5e6;
    x->is_assumed = true;
    x->n_extrapolating = 1;
    assert_fact(f, PORTOLAN_ANSWER_PREDICTED, "predicted",
                "2 s (95 %: 1 s to 3 s): 100 steps of 20 ms each, and 5 ms outside the steps; the "
                "interval is "
                "partly assumed !");
    x->is_unusable = true;
    assert_fact(f, PORTOLAN_ANSWER_PREDICTED, "predicted",
                "cannot tell: too few measurements near these parameters; the time may be off by a "
                "factor of 1.5");
    f->a.as_written.total_ns = INFINITY;
    assert_fact(f, PORTOLAN_ANSWER_AS_WRITTEN, "as written",
                "not known: never measured, or not allowed");
    f->a.as_written.steps = 0;
    assert_fact(f, PORTOLAN_ANSWER_AS_WRITTEN, NULL, "");
}

static void what_it_gains(void **state)
{
    struct fixture *f = *state;

    assert_fact(f, PORTOLAN_ANSWER_GAIN, "gain", "at least 40 % saved, probably 50 %");
    f->a.gain = (struct portolan_gain){NAN, NAN, NAN};
    assert_fact(f, PORTOLAN_ANSWER_GAIN, "gain", "cannot tell whether time is saved");
    f->a.gain = (struct portolan_gain){0, 0, 0};
    assert_fact(f, PORTOLAN_ANSWER_GAIN, NULL, "");
}

static void accuracy_and_memory_with_their_bounds(void **state)
{
    struct fixture *f = *state;
    struct portolan_plan_prediction *x = &f->a.prediction;

    assert_fact(f, PORTOLAN_ANSWER_ACCURACY, NULL, "");
    assert_fact(f, PORTOLAN_ANSWER_MEMORY, NULL, "");
    x->accuracy = x->accuracy_low = 1e-6;
    x->accuracy_high = 1e-5;
    strcpy(x->accuracy_of, "solver.solve");
    assert_fact(f, PORTOLAN_ANSWER_ACCURACY, "accuracy",
                "1e-06 of solver.solve (between 1e-06 and 1e-05)");
    f->a.accuracy = 5e-6;
    x->accuracy_extrapolates = true;
    assert_fact(f, PORTOLAN_ANSWER_ACCURACY, "accuracy",
                "1e-06 of solver.solve (between 1e-06 and 1e-05), wanted 5e-06: it may be missed; "
                "outside the measured range");
    x->memory_bytes = 1e9;
    assert_fact(f, PORTOLAN_ANSWER_MEMORY, "memory", "1e+09 bytes on each rank");
    f->a.memory_bytes = 2e9;
    assert_fact(f, PORTOLAN_ANSWER_MEMORY, "memory", "1e+09 bytes on each rank of 2e+09 allowed");
}

static void how_sure_it_is(void **state)
{
    struct fixture *f = *state;

    assert_fact(f, PORTOLAN_ANSWER_CHANCE, "choice", "the fastest of all with a chance of 90 %");
    f->a.rival = "solver=s.Lu";
    f->a.expected_loss = 0.0123;
    f->a.verdict = PORTOLAN_ANSWER_CLOSE;
    assert_fact(
        f, PORTOLAN_ANSWER_CHANCE, "close call",
        "the fastest of all with a chance of 90 %; next comes solver=s.Lu; on average 1.2 % slower "
        "than the fastest");
    f->a.verdict = PORTOLAN_ANSWER_CANNOT_TELL;
    f->a.rival = "";
    f->a.expected_loss = 0;
    assert_fact(f, PORTOLAN_ANSWER_CHANCE, "cannot tell",
                "the fastest of all with a chance of 90 %");
    f->a.chance = NAN;
    assert_fact(f, PORTOLAN_ANSWER_CHANCE, NULL, "");
}

static void what_is_not_known(void **state)
{
    struct fixture *f = *state;

    assert_fact(f, PORTOLAN_ANSWER_NOT_KNOWN, NULL, "");
    solvers[2].is_unknown = true;
    assert_fact(f, PORTOLAN_ANSWER_NOT_KNOWN, "not known", "never measured: s.Qr as solver");
    f->a.prediction.n_extrapolating = 2;
    strcpy(f->a.prediction.extrapolating, "solver.solve at n=8");
    assert_fact(f, PORTOLAN_ANSWER_NOT_KNOWN, "not known",
                "never measured: s.Qr as solver; the prediction is outside the measured range: 2 "
                "models, the farthest solver.solve at n=8");
}

static void the_text_has_options_facts_and_what_to_measure(void **state)
{
    struct fixture *f = *state;

    f->a.settle = "portolan run --fixed plate.xml";
    portolan_answer_write_text(&f->a, &f->out);
    assert_string_equal(
        f->out.bytes, "Choice for 'plate' (n=8, 100 steps, 2 ranks)\n"
                      "  solver           s.Cg\n"
                      "                     with s.Lu                                4 s  +100 %\n"
                      "                     not s.Qr: it is forbidden\n"
                      "  output           o.Text  (as written; insignificant)\n"
                      "predicted:  2 s (95 %: 1 s to 3 s): 100 steps of 20 ms each\n"
                      "as written: 4 s (95 %: 3 s to 5 s): 100 steps of 40 ms each\n"
                      "gain:       at least 40 % saved, probably 50 %\n"
                      "choice:     the fastest of all with a chance of 90 %\n"
                      "to find out, measure:\n  portolan run --fixed plate.xml\n");
    portolan_text_clear(&f->out);
}

static void json_has_numbers_and_words(void **state)
{
    struct fixture *f = *state;

    portolan_answer_write_document(&f->a, &f->out);
    assert_non_null(strstr(f->out.bytes, "\"gain\": {\"value\": 0.5, \"low\": "));
    assert_non_null(strstr(f->out.bytes, "{\"name\": \"gain\", \"text\": \"at least 40 % saved"));
    assert_non_null(strstr(f->out.bytes, "\"as_written\": {\"total_ns\": 4000000000"));
    f->a.gain.share = NAN;
    portolan_text_clear(&f->out);
    portolan_answer_write_document(&f->a, &f->out);
    assert_null(strstr(f->out.bytes, "\"value\""));
    portolan_text_clear(&f->out);
}

/* Without memory the text says so, and nothing else happens. */
static void a_failing_allocation_shows_in_the_text(void **state)
{
    struct fixture *f = *state;
    bool failed = true;

    for (unsigned long at = 1; failed; at++) {
        portolan_alloc_fail_at(at);
        portolan_answer_write_text(&f->a, &f->out);
        portolan_answer_write_document(&f->a, &f->out);
        portolan_alloc_fail_at(0);
        failed = f->out.failed;
        portolan_text_clear(&f->out);
        assert_true(at < 1000);
    }
}

#define TEST(NAME) cmocka_unit_test_setup(NAME, set_up)

UNIT_TESTS(TEST(what_was_chosen), TEST(what_it_takes), TEST(what_it_gains),
           TEST(accuracy_and_memory_with_their_bounds), TEST(how_sure_it_is),
           TEST(what_is_not_known), TEST(the_text_has_options_facts_and_what_to_measure),
           TEST(json_has_numbers_and_words), TEST(a_failing_allocation_shows_in_the_text))
