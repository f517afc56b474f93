/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of the run time: of several processes, those that are not written, and as trials. */
#include "runtime_check.h"

#include <math.h>
#include <portolan/store.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ processes */

/* Two processes of which the other has what this one has. */
static int rank_0(void *machine)
{
    return 0;
}

static int size_2(void *machine)
{
    return 2;
}

static int gather_twice(void *machine, const void *bytes, size_t n,
                        int (*take)(void *arg, int rank, const void *bytes, size_t n), void *arg)
{
    int result = take(arg, 0, bytes, n);

    if (machine)
        return -1;
    return result ? result : take(arg, 1, bytes, n);
}

static const struct portolan_cll_driver pair = {
    .name = "PAIR", .rank = rank_0, .size = size_2, .gather = gather_twice};

static void rows_say_their_process_and_how_many_there_are(void **state)
{
    struct portolan_cll_report *report;

    portolan_cll_sync(&pair, NULL, NULL); /* has none: nothing happens */
    portolan_cll_begin(&inner, NULL);
    pass(8);
    portolan_cll_end(&inner);
    assert_int_equal(portolan_cll_report(&pair, NULL, "fft", "inner"), 0);
    report = read_output();
    assert_int_equal(count_rows(report, "inner"), 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(row(report, "inner", i)[0] == (double)i && row(report, "inner", i)[1] == 2 &&
                    row(report, "inner", i)[2] == 8e-9);
    assert_string_equal(portolan_cll_report_peek_header(report, "PARALLEL_ID"), "PAIR");
    portolan_cll_report_destroy(report);
}

static void what_did_not_arrive_is_in_the_next_report(void **state)
{
    struct portolan_cll_report *report;

    portolan_cll_begin(&inner, NULL);
    pass(9);
    portolan_cll_end(&inner);
    listen_to_stderr();
    assert_int_equal(portolan_cll_report(&pair, &report, "fft", NULL), -1);
    assert_non_null(strstr(heard(), "did not come to process 0"));
    report = take_report("inner");
    assert_int_equal(count_rows(report, "inner"), 1);
    portolan_cll_report_destroy(report);
}

static void a_report_that_cannot_be_written_waits_for_the_next(void **state)
{
    struct portolan_cll_report *report;
    const char *text;

    portolan_cll_begin(&inner, NULL);
    pass(11);
    portolan_cll_end(&inner);
    setenv("CLL_OUTPUT", "/dev/full", 1);
    listen_to_stderr();
    assert_int_equal(portolan_cll_report(&portolan_cll_seq, NULL, "fft", NULL), -1);
    text = heard();
    assert_non_null(strstr(text, "the report of 'fft' is not written: cannot write '/dev/full': No "
                                 "space left on device"));
    setenv("CLL_OUTPUT", output, 1);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "inner"), 1);
    assert_true(row(report, "inner", 0)[2] == 11e-9);
    portolan_cll_report_destroy(report);
}

static void a_report_of_an_experiment_that_is_none_is_told(void **state)
{
    struct portolan_cll_report *report;

    listen_to_stderr();
    assert_int_equal(portolan_cll_report(NULL, NULL, "fft", "fff"), 0);
    assert_string_equal(heard(),
                        "portolan-call: warning: there is no experiment 'fff' to report\n");
    report = read_output();
    assert_int_equal(report->n_experiments, 0);
    portolan_cll_report_destroy(report);
}

/* The child's status says what it found. */
static void a_forked_child_begins_with_nothing(void **state)
{
    struct portolan_cll_report *report;
    int status;
    pid_t child;

    portolan_cll_begin(&fft, (double[]){1, 2});
    portolan_cll_begin(&inner, NULL);
    portolan_cll_end(&inner);
    child = fork();
    if (child == 0) {
        bool good = true;

        portolan_cll_end(&fft);
        report = take_report(NULL);
        good = count_rows(report, "inner") == 0 && count_rows(report, "fft") == 1;
        portolan_cll_report_destroy(report);
        _exit(good ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    portolan_cll_end(&fft);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "inner"), 1);
    assert_int_equal(count_rows(report, "fft"), 1);
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ the store */

static const struct portolan_sample *sample_of(const struct portolan_sample_set *set,
                                               const char *method, int64_t parent, double n)
{
    for (size_t i = 0; i < set->n_samples; i++) {
        const struct portolan_sample *s = &set->samples[i];

        if (!strcmp(s->method, method) && (s->n_context < 1 || s->context[0] == n) &&
            s->calls > 0 &&
            (parent < 0 ? s->parent < 0
                        : s->parent >= 0 && !strcmp(set->samples[s->parent].method, "fft")))
            return s;
    }
    fail_msg("no sample of '%s'", method);
    return NULL;
}

static void measure_nested(double n)
{
    portolan_cll_begin(&fft, (double[]){n, 2});
    pass(100);
    portolan_cll_begin(&two_places, (double[]){n});
    pass((uint64_t)n);
    portolan_cll_end(&two_places);
    pass(20);
    portolan_cll_begin(&two_places, (double[]){n});
    pass((uint64_t)n);
    portolan_cll_end(&two_places);
    portolan_cll_end(&fft);
}

static void a_report_becomes_a_trial_of_the_store(void **state)
{
    struct portolan_sample_set *set;
    struct portolan_store *db;
    const struct portolan_sample *s;
    double counted = 0;

    unsetenv("CLL_OUTPUT");
    setenv("CLL_STORE", store, 1);
    measure_nested(8);
    measure_nested(8);
    measure_nested(16);
    portolan_cll_begin(&two_places, (double[]){3});
    pass(5);
    portolan_cll_end(&two_places);
    assert_int_equal(portolan_cll_report(&pair, NULL, "fft", NULL), 0);
    assert_int_equal(access("fft.cll.dat", F_OK), -1); /* in the store alone */
    assert_int_equal(portolan_store_open(store, PORTOLAN_STORE_READ, &db, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_store_read(db, NULL, true, &set, NULL), PORTOLAN_OK);
    assert_int_equal(set->n_trials, 1);
    assert_string_equal(set->trials[0].assembly, "fft");
    assert_string_equal(set->trials[0].purpose, "call");
    assert_string_equal(set->trials[0].outcome, "finished");
    assert_int_equal(set->trials[0].ranks, 2);
    assert_true(fabs(set->trials[0].elapsed_ns - (2 * 136 + 152 + 5)) < 1e-6);
    s = sample_of(set, "fft", -1, 16);
    assert_int_equal(s->n_context, 2);
    assert_string_equal(s->context_name[1], "P");
    assert_true(s->context[1] == 2);
    assert_true(fabs(s->inclusive_ns - 152) < 1e-6);
    assert_true(fabs(s->exclusive_ns - 120) < 1e-6);
    assert_int_equal(s->subroutines, 2);
    assert_string_equal(s->instance, "fft");
    assert_string_equal(s->implementation, "fft.c");
    s = sample_of(set, "C", 0, 8);
    assert_true(fabs(s->inclusive_ns - 8) < 1e-6);
    s = sample_of(set, "C", -1, 3);
    assert_true(fabs(s->inclusive_ns - 5) < 1e-6);
    for (size_t i = 0; i < set->n_samples; i++)
        counted += (double)set->samples[i].calls;
    assert_true(counted == 2 * (3 + 6 + 1));
    portolan_sample_set_destroy(set);
    portolan_store_close(db);
}

static void a_further_report_is_a_further_trial(void **state)
{
    struct portolan_sample_set *set;
    struct portolan_store *db;
    struct portolan_cll_report *report;

    setenv("CLL_STORE", store, 1);
    setenv("CLL_OUTPUT", output, 1); /* both */
    for (int i = 0; i < 1000; i++)
        measure_nested(4);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "fft"), 1000);
    portolan_cll_report_destroy(report);
    unsetenv("CLL_STORE");
    assert_int_equal(portolan_store_open(store, PORTOLAN_STORE_READ, &db, NULL), PORTOLAN_OK);
    assert_int_equal(
        portolan_store_read(db, &(struct portolan_store_query){.trial = 2}, true, &set, NULL),
        PORTOLAN_OK);
    assert_int_equal(set->n_trials, 1);
    /* 1000 repetitions share 64 steps */
    assert_int_equal(set->samples[set->n_samples - 1].step, 63);
    assert_in_range(set->n_samples, 128, 4 * 64);
    portolan_sample_set_destroy(set);
    portolan_store_close(db);
    for (size_t i = 0; i < 3; i++) {
        static const char *const endings[] = {"", "-wal", "-shm"};
        char *path = portolan_asprintf("%s%s", store, endings[i]);

        unlink(path);
        free(path);
    }
}

static void a_store_that_cannot_be_opened_is_told(void **state)
{
    struct portolan_cll_report *report;
    const char *text;

    unsetenv("CLL_OUTPUT");
    setenv("CLL_STORE", "/nowhere/store.db", 1);
    portolan_cll_begin(&inner, NULL);
    portolan_cll_end(&inner);
    listen_to_stderr();
    assert_int_equal(portolan_cll_report(NULL, NULL, "fft", NULL), -1);
    text = heard();
    assert_non_null(strstr(text, "/nowhere/store.db"));
    unsetenv("CLL_STORE");
    setenv("CLL_OUTPUT", output, 1);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "inner"), 1);
    portolan_cll_report_destroy(report);
}

UNIT_TESTS_BETWEEN(set_up, tear_down,
                   cmocka_unit_test(rows_say_their_process_and_how_many_there_are),
                   cmocka_unit_test(what_did_not_arrive_is_in_the_next_report),
                   cmocka_unit_test(a_report_that_cannot_be_written_waits_for_the_next),
                   cmocka_unit_test(a_report_of_an_experiment_that_is_none_is_told),
                   cmocka_unit_test(a_forked_child_begins_with_nothing),
                   cmocka_unit_test(a_report_becomes_a_trial_of_the_store),
                   cmocka_unit_test(a_further_report_is_a_further_trial),
                   cmocka_unit_test(a_store_that_cannot_be_opened_is_told))
