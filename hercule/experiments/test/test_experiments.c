/* SPDX-License-Identifier: BSD-3-Clause */
/* What decides about experiments: which comes next, whether there is time, whether one is repeated,
 * which trial has a profile already, and what differs between two diagnosed trials. */
#include "../internal.h"

#include "unit_test.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------- decisions */

static void the_least_experiment_is_next(void **state)
{
    const struct portolan_wanted wanted[] = {
        {.experiment = 3}, {.experiment = 2}, {.experiment = 3}};
    struct portolan_diagnosis d = {.wanted = wanted, .n_wanted = 3};

    assert_int_equal(decide_next(&d), 2);
    d.n_wanted = 1;
    assert_int_equal(decide_next(&d), 3);
    d.n_wanted = 0;
    assert_int_equal(decide_next(&d), 0);
}

static void a_window_is_in_the_middle(void **state)
{
    int first, last;

    assert_false(decide_window(0, &first, &last));
    assert_false(decide_window(11, &first, &last));
    assert_true(decide_window(12, &first, &last)); /* four steps at least */
    assert_int_equal(first, 4);
    assert_int_equal(last, 7);
    assert_true(decide_window(60, &first, &last)); /* a sixth */
    assert_int_equal(first, 25);
    assert_int_equal(last, 34);
}

static void a_budget_ends_experiments(void **state)
{
    struct portolan_experiment_options o = {.budget_s = 10};
    struct portolan_experiments e = {.spent_s = 4};

    assert_true(decide_to_begin(&o, &e, 6));
    assert_false(decide_to_begin(&o, &e, 6.5));
    assert_true(decide_to_begin(&o, &e, NAN)); /* nothing is known of the program */
    e.spent_s = 10;
    assert_false(decide_to_begin(&o, &e, NAN));
    o.budget_s = -1;
    assert_true(decide_to_begin(&o, &e, 1000));
}

static void doubts_repeat_a_run_once(void **state)
{
    struct portolan_diagnosis d = {
        .verdict = PORTOLAN_PROBLEM, .why = "others", .disagreement = "runs differ"};
    struct portolan_diagnosis *all[] = {&d};
    struct portolan_experiments e = {.all = all, .n = 1, .spent_s = 4, .last_s = 2};
    struct portolan_experiment_options o = {.budget_s = -1};

    assert_null(decide_to_repeat(&o, &e));
    d.runs_disagree = true;
    assert_string_equal(decide_to_repeat(&o, &e), "runs differ");
    d.verdict = PORTOLAN_NOT_THE_PROGRAM;
    assert_string_equal(decide_to_repeat(&o, &e), "others");
    o.budget_s = 5; /* a second run takes as long as the last */
    assert_null(decide_to_repeat(&o, &e));
    o.budget_s = 6;
    assert_non_null(decide_to_repeat(&o, &e));
    o.repeat = 3;
    assert_null(decide_to_repeat(&o, &e));
    o.repeat = 0;
    o.keep = "folder"; /* which holds one run */
    assert_null(decide_to_repeat(&o, &e));
}

static void overhead_is_that_of_another_trial(void **state)
{
    const struct portolan_experiment made[] = {{.title = "profile", .trial = 1, .run_ns = 100},
                                               {.title = "operations", .trial = 2, .run_ns = 110},
                                               {.trial = 0}};

    assert_true(fabs(decide_overhead(made, 2, 3, 121) - 0.1) < 1e-12);
    assert_true(fabs(decide_overhead(made, 2, 2, 110) - 0.1) < 1e-12); /* of the one before */
    assert_true(fabs(decide_overhead(made, 3, 3, 121) - 0.1) < 1e-12); /* what was not made */
    assert_true(isnan(decide_overhead(made, 1, 1, 100)));
    assert_true(isnan(decide_overhead(made, 0, 1, 100)));
}

/* ------------------------------------------------- profiles */

static void a_profile_has_what_was_called(void **state)
{
    struct portolan_part parts[] = {{.component = "solve"}, {.component = "exchange"}};
    struct portolan_subject s = {.parts = parts, .n_parts = 2};
    struct portolan_quantity called[] = {{.component = "solve", .quantity = "time"}};
    const struct experiment_profile p = {.quantities = called, .n = 1};
    const char *one[] = {"solve", "rest"}, *both[] = {"solve", "exchange"};

    assert_true(profile_is_part(&s, "exchange"));
    assert_false(profile_is_part(&s, "rest"));
    /* "rest" is no part: nothing could be measured. */
    assert_true(profile_has_components(&s, &(struct experiment_run){2, one, 2, NULL, NULL}, &p));
    assert_false(profile_has_components(&s, &(struct experiment_run){2, both, 2, NULL, NULL}, &p));
}

/* ------------------------------------------------- folders */

static void a_trace_needs_a_folder_of_its_own(void **state)
{
    struct portolan_error err = {0};

    assert_int_equal(portolan_record_check_folder(test_file("new"), &err), PORTOLAN_OK);
    assert_int_not_equal(access(test_file("new"), F_OK), 0); /* only looked whether it can be */
    assert_true(portolan_record_is_empty(test_file("new")));
    assert_int_equal(mkdir(test_file("used"), 0777), 0);
    assert_true(portolan_record_is_empty(test_file("used")));
    test_file_write("used/0.trace", "");
    assert_int_equal(portolan_record_check_folder(test_file("used"), &err), PORTOLAN_EIO);
    assert_non_null(strstr(err.text, "is not empty"));
    assert_false(portolan_record_is_empty(test_file("used")));
    assert_int_equal(portolan_record_check_folder(test_file("no/where"), NULL), PORTOLAN_EIO);
}

static void a_program_is_there_and_may_run(void **state)
{
    struct portolan_error missing = {0}, text = {0};

    assert_int_equal(portolan_record_check_program("sh", NULL), PORTOLAN_OK);
    assert_int_equal(portolan_record_check_program("./nothing", &missing), PORTOLAN_ENOTFOUND);
    assert_string_equal(missing.text, "cannot run './nothing': No such file or directory");
    assert_int_equal(portolan_record_check_program(test_file_write("text", "words"), &text),
                     PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(text.text, "Permission denied"));
}

/* ------------------------------------------------- two trials */

static int64_t put_trial(struct portolan_store *store, int ranks,
                         const struct portolan_stored_finding *findings, size_t n)
{
    const struct portolan_trial t = {.assembly = "plate", .purpose = "fixed", .ranks = ranks};
    struct portolan_stored_diagnosis d = {.number = 1,
                                          .first_step = -1,
                                          .last_step = -1,
                                          .paradigm = "geometric",
                                          .verdict = "problem",
                                          .why = "",
                                          .run_ns = 1e9,
                                          .unexplained = 0.01};
    struct portolan_error err = {0};

    if (portolan_store_begin_trial(store, &t, &d.trial, &err) ||
        portolan_store_end_trial(store, d.trial, "finished", 1e9, &err) ||
        (findings && portolan_store_put_diagnosis(store, &d, findings, n, &err)))
        fail_msg("%s", err.text);
    return d.trial;
}

static struct portolan_stored_finding make_finding(const char *cause, double share, double spread)
{
    return (struct portolan_stored_finding){.cause = cause,
                                            .title = cause,
                                            .verdict = "problem",
                                            .instance = "",
                                            .port = "",
                                            .factor = "balance",
                                            .remedy = "",
                                            .place = "",
                                            .share = share,
                                            .spread = spread,
                                            .without_ns = NAN,
                                            .gain = NAN,
                                            .low = NAN,
                                            .high = NAN};
}

/* Whether trial B, with these two causes, is worse than A; TEXT: what was said. */
static bool is_worse(double share, double spread, char **text)
{
    const struct portolan_stored_finding a[] = {make_finding("imbalance", 0.10, 0.02)},
                                         b[] = {make_finding("latency", 0.30, 0),
                                                make_finding("imbalance", share, spread)};
    const char *path = test_file("findings.db");
    struct portolan_store *store;
    struct portolan_error err = {0};
    int64_t first, second;
    bool worse = false;

    unlink(path);
    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    first = put_trial(store, 2, a, 1);
    second = put_trial(store, 4, b, 2);
    portolan_store_close(store);
    if (portolan_findings_compare(path, first, second, 1, text, &worse, &err))
        fail_msg("%s", err.text);
    return worse;
}

static void a_change_counts_beyond_its_spread(void **state)
{
    char *text;

    assert_true(is_worse(0.20, 0.02, &text));
    assert_null(strstr(text, "not more than the difference"));
    /* A cause that only one of the trials looked for is last, and makes nothing worse. */
    assert_true(strstr(text, "latency") > strstr(text, "imbalance"));
    assert_non_null(strstr(text, "only one of the two looked for it"));
    assert_non_null(strstr(text, "rank-seconds: 2 and 4 (+100.0 %)"));
    free(text);
    assert_false(is_worse(0.12, 0.02, &text));
    assert_non_null(strstr(text, "not more than the difference between repetitions"));
    free(text);
    assert_false(is_worse(0.05, 0.02, &text));
    free(text);
}

static void a_trial_must_have_been_diagnosed(void **state)
{
    const struct portolan_stored_finding one = make_finding("imbalance", 0.1, 0);
    const char *path = test_file("checked.db");
    struct portolan_error err = {0}, none = {0};
    struct portolan_store *store;
    int64_t with, without;

    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    with = put_trial(store, 2, &one, 1);
    without = put_trial(store, 2, NULL, 0);
    portolan_store_close(store);
    assert_int_equal(portolan_findings_check(path, with, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_findings_check(path, without, &err), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "has no diagnosis"));
    assert_int_equal(portolan_findings_check(path, 99, &none), PORTOLAN_ENOTFOUND);
    assert_string_equal(none.text, "there is no trial 99");
}

/* ------------------------------------------------- what a user names */

static void what_is_named_must_go_together(void **state)
{
    struct portolan_subject s = {.store = test_file("named.db")};
    struct portolan_experiment_options o = {.file = "x.trace", .keep = "folder"};
    struct portolan_error trace = {0}, both = {0}, none = {0};

    assert_int_equal(portolan_subject_read_given(&s, &o, 0, &trace), PORTOLAN_EINVAL);
    assert_string_equal(trace.text, "--keep is for runs and their trials; 'x.trace' is a trace");
    o = (struct portolan_experiment_options){.file = "x.trace", .trial = 3};
    assert_int_equal(portolan_subject_read_given(&s, &o, 0, &both), PORTOLAN_EINVAL);
    assert_non_null(strstr(both.text, "trial 3 or 'x.trace', not both"));
    o = (struct portolan_experiment_options){.program = (char *[]){"a.out", NULL}};
    assert_int_equal(portolan_subject_read_given(&s, &o, 0, &none), PORTOLAN_OK);
    assert_int_equal(o.ranks, 2); /* nothing said on how many */
}

static void a_trial_says_on_how_many_ranks(void **state)
{
    const char *path = test_file("ranks.db");
    struct portolan_subject s = {.store = path};
    struct portolan_experiment_options o = {0};
    struct portolan_store *store;
    struct portolan_error err = {0};

    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    o.trial = put_trial(store, 4, NULL, 0);
    portolan_store_close(store);
    if (portolan_subject_read_given(&s, &o, 0, &err))
        fail_msg("%s", err.text);
    assert_int_equal(o.ranks, 4);
    portolan_subject_clear(&s);
}

static void thresholds_are_known_numbers(void **state)
{
    struct portolan_subject s = {0};
    struct portolan_diagnosis_options d = {0};
    struct portolan_error word = {0}, name = {0};

    if (portolan_subject_see_as(&s, "geometric", NULL, 0, &word))
        fail_msg("%s", word.text);
    assert_int_equal(
        portolan_subject_set_thresholds(&s, (const char *[]){"problem=much"}, 1, &d, &word),
        PORTOLAN_EINVAL);
    assert_string_equal(word.text, "--threshold problem=much: 'much' is no number");
    assert_int_not_equal(
        portolan_subject_set_thresholds(&s, (const char *[]){"nothing=1"}, 1, &d, &name),
        PORTOLAN_OK);
    assert_non_null(strstr(name.text, "nothing"));
    portolan_subject_clear(&s);
}

static void a_subject_says_what_was_recorded(void **state)
{
    const struct portolan_subject s = {
        .paradigm = "geometric", .trial = 7, .recording = 0.02, .shares_cores = true};
    const struct portolan_experiment_options o = {.file = "dir/plate.xml"};
    char *text;

    assert_int_equal(portolan_subject_text(&s, &o, 1, 4, 1.5e9, &text, NULL), PORTOLAN_OK);
    assert_string_equal(text,
                        "plate.xml: paradigm geometric, 4 ranks, 1.5 s, trial 7\n"
                        "recording took 2.0 % of the time recorded: all times are without it\n"
                        "ranks shared cores: these are processor times, as if each rank had a "
                        "core\n");
    free(text);
}

/* ------------------------------------------------- losses */

static void losses_overrule_a_paradigm_that_cannot_tell(void **state)
{
    const struct portolan_waits w = {.run_ns = 1000};
    struct portolan_run_losses none = {.knows_efficiencies = true, .efficiencies.parallel = 0.9},
                               lost = {.n = 1};
    const enum portolan_verdict no = PORTOLAN_NO_PROBLEM, unknown = PORTOLAN_CANNOT_TELL,
                                not_it = PORTOLAN_NOT_THE_PROGRAM;

    assert_int_equal(portolan_waits_judge(&w, &lost, &unknown, false), PORTOLAN_PROBLEM);
    assert_int_equal(portolan_waits_judge(&w, &lost, &no, false), PORTOLAN_NO_PROBLEM);
    assert_int_equal(portolan_waits_judge(&w, &lost, &not_it, true), PORTOLAN_NOT_THE_PROGRAM);
    assert_int_equal(portolan_waits_judge(&w, &lost, NULL, false), PORTOLAN_PROBLEM);
    assert_int_equal(portolan_waits_judge(&w, &lost, NULL, true), PORTOLAN_NO_PROBLEM);
    assert_int_equal(portolan_waits_judge(&w, &none, NULL, false), PORTOLAN_NO_PROBLEM);
    none.efficiencies.parallel = 0.7; /* and nothing says why */
    assert_int_equal(portolan_waits_judge(&w, &none, NULL, false), PORTOLAN_CANNOT_TELL);
    none.efficiencies.start_and_end_ns = 900; /* 0.3 of a tenth of the run is no loss */
    assert_int_equal(portolan_waits_judge(&w, &none, NULL, false), PORTOLAN_NO_PROBLEM);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove,
                   cmocka_unit_test(the_least_experiment_is_next),
                   cmocka_unit_test(a_window_is_in_the_middle),
                   cmocka_unit_test(a_budget_ends_experiments),
                   cmocka_unit_test(doubts_repeat_a_run_once),
                   cmocka_unit_test(overhead_is_that_of_another_trial),
                   cmocka_unit_test(a_profile_has_what_was_called),
                   cmocka_unit_test(a_trace_needs_a_folder_of_its_own),
                   cmocka_unit_test(a_program_is_there_and_may_run),
                   cmocka_unit_test(a_change_counts_beyond_its_spread),
                   cmocka_unit_test(a_trial_must_have_been_diagnosed),
                   cmocka_unit_test(what_is_named_must_go_together),
                   cmocka_unit_test(a_trial_says_on_how_many_ranks),
                   cmocka_unit_test(thresholds_are_known_numbers),
                   cmocka_unit_test(a_subject_says_what_was_recorded),
                   cmocka_unit_test(losses_overrule_a_paradigm_that_cannot_tell))
