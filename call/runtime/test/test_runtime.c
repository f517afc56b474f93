/* SPDX-License-Identifier: BSD-3-Clause */
/* The run time as translated code calls it, on a clock that moves when told. */
#include "runtime_check.h"

#include <math.h>
#include <portolan/probe.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* ------------------------------------------------------------------ samples */

static void each_pass_gives_a_sample_with_the_values_at_its_begin(void **state)
{
    double values[] = {1024, 4};
    struct portolan_cll_report *report;
    const double *r;

    portolan_cll_begin(&fft, values);
    values[0] = values[1] = -1;
    pass(2500000000);
    portolan_cll_end(&fft);
    pass(1000);
    portolan_cll_begin(&fft, (double[]){2048, 8});
    pass(1);
    portolan_cll_end(&fft);

    report = take_report(NULL);
    assert_int_equal(count_rows(report, "fft"), 2);
    r = row(report, "fft", 0);
    assert_true(r[0] == 0 && r[1] == 1 && r[2] == 1024 && r[3] == 4 && r[4] == 2.5);
    r = row(report, "fft", 1);
    assert_true(r[2] == 2048 && r[3] == 8 && r[4] == 1e-9);
    portolan_cll_report_destroy(report);
}

static void the_report_describes_the_run_and_its_experiments(void **state)
{
    struct portolan_cll_report *report = take_report(NULL);
    const struct portolan_cll_sample *s = find(report, "C");
    const char *cost = portolan_cll_report_peek_header(report, "COST_SECONDS");
    double seconds;

    assert_string_equal(portolan_cll_report_peek_header(report, "CALL_VERSION"),
                        portolan_version());
    assert_string_equal(portolan_cll_report_peek_header(report, "PROGRAM"), "fft");
    assert_string_equal(portolan_cll_report_peek_header(report, "PARALLEL_ID"), "SEQ");
    assert_string_equal(portolan_cll_report_peek_header(report, "SYSNAME"), "Linux");
    assert_non_null(portolan_cll_report_peek_header(report, "NODE_NAME"));
    assert_non_null(portolan_cll_report_peek_header(report, "RELEASE"));
    assert_non_null(portolan_cll_report_peek_header(report, "VERSION"));
    assert_non_null(portolan_cll_report_peek_header(report, "DATE"));
    assert_null(portolan_cll_report_peek_header(report, "LOST"));
    assert_true(portolan_read_double(cost, &seconds) && seconds > 0 && seconds < 1e-3);
    assert_int_equal(report->n_experiments, 5); /* also those that were never passed */
    assert_non_null(s);
    assert_string_equal(s->file, "fft.c");
    assert_int_equal(s->n_begin, 2);
    assert_int_equal(s->begin_lines[1], 30);
    assert_int_equal(s->end_lines[1], 33);
    assert_string_equal(s->observables[0], "CLOCK");
    assert_string_equal(find(report, "fft")->formula, fft.formula);
    assert_int_equal(find(report, "fft")->n_constants, 2);
    assert_int_equal(count_rows(report, "never"), 0);
    portolan_cll_report_destroy(report);
}

static void samples_are_reported_once_and_by_name(void **state)
{
    struct portolan_cll_report *report;

    portolan_cll_begin(&inner, NULL);
    pass(5);
    portolan_cll_end(&inner);
    portolan_cll_begin(&two_places, (double[]){7});
    pass(6);
    portolan_cll_end(&two_places);

    report = take_report("inner");
    assert_int_equal(report->n_experiments, 1);
    assert_int_equal(count_rows(report, "inner"), 1);
    portolan_cll_report_destroy(report);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "inner"), 0);
    assert_int_equal(count_rows(report, "C"), 1);
    portolan_cll_report_destroy(report);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "C"), 0);
    portolan_cll_report_destroy(report);
}

static void there_is_no_bound_of_samples(void **state)
{
    enum { N = 300000 };
    struct portolan_cll_report *report;

    for (unsigned i = 0; i < N; i++) {
        portolan_cll_begin(&two_places, (double[]){i});
        pass(i % 7);
        portolan_cll_end(&two_places);
    }
    report = take_report("C");
    assert_int_equal(count_rows(report, "C"), N);
    for (size_t i = 0; i < N; i++) {
        const double *r = row(report, "C", i);

        if (r[2] != (double)i || r[3] != (double)(i % 7) / 1e9)
            fail_msg("row %zu is %g %g", i, r[2], r[3]);
    }
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ nesting */

struct seen {
    const char *name;
    double seconds, value;
    unsigned depth;
    bool leaf;
};

static struct seen seen[100];
static size_t n_seen;

static void see(void *arg, const struct portolan_cll_experiment *e, const double *values,
                double seconds, unsigned depth, bool leaf)
{
    assert_ptr_equal(arg, seen);
    seen[n_seen++] = (struct seen){e->name, seconds, values ? values[0] : -1, depth, leaf};
}

static void recurse(unsigned n)
{
    portolan_cll_begin(&two_places, (double[]){n});
    pass(10);
    if (n > 1) {
        recurse(n / 2);
        recurse(n / 2);
    }
    portolan_cll_end(&two_places);
}

/* A binary tree of three levels: T(4) = 10 + 2 T(2), T(2) = 10 + 2 T(1), T(1) = 10. */
static void experiments_recurse_and_the_observer_sees_them_end(void **state)
{
    static const struct seen expected[] = {
        {"C", 10e-9, 1, 2, true},  {"C", 10e-9, 1, 2, true}, {"C", 30e-9, 2, 1, false},
        {"C", 10e-9, 1, 2, true},  {"C", 10e-9, 1, 2, true}, {"C", 30e-9, 2, 1, false},
        {"C", 70e-9, 4, 0, false},
    };
    struct portolan_cll_report *report;
    double sum = 0;

    n_seen = 0;
    portolan_cll_observe(see, seen);
    recurse(4);
    portolan_cll_begin(&inner, NULL);
    pass(1);
    portolan_cll_end(&inner);
    portolan_cll_observe(NULL, NULL);
    recurse(1);

    assert_int_equal(n_seen, 8);
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(seen[i].name, expected[i].name);
        assert_true(seen[i].seconds == expected[i].seconds);
        assert_true(seen[i].value == expected[i].value);
        assert_int_equal(seen[i].depth, expected[i].depth);
        assert_int_equal(seen[i].leaf, expected[i].leaf);
    }
    assert_true(seen[7].value == -1 && seen[7].leaf && seen[7].depth == 0);
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "C"), 8);
    for (size_t i = 0; i < 8; i++)
        sum += row(report, "C", i)[3];
    assert_true(fabs(sum - 180e-9) < 1e-15);
    portolan_cll_report_destroy(report);
}

static void deep(unsigned n)
{
    portolan_cll_begin(&inner, NULL);
    if (n > 1)
        deep(n - 1);
    portolan_cll_end(&inner);
}

static void recursion_may_be_deeper_than_there_are_paths(void **state)
{
    enum { DEEP = 70000 };
    struct portolan_cll_report *report;

    deep(DEEP);
    report = take_report("inner");
    assert_int_equal(count_rows(report, "inner"), DEEP);
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ ends that are wrong */

static void an_end_without_a_begin_is_told_once_and_ignored(void **state)
{
    struct portolan_cll_report *report;
    const char *text;

    listen_to_stderr();
    portolan_cll_end(&two_places);
    portolan_cll_begin(&fft, (double[]){1, 1});
    pass(3);
    portolan_cll_end(&two_places);
    pass(4);
    portolan_cll_end(&fft);
    text = heard();
    assert_string_equal(text,
                        "fft.c:19 (or line 33): warning: experiment 'C' ends, and has not begun on "
                        "this thread; the end is ignored\n");
    report = take_report(NULL);
    assert_true(row(report, "fft", 0)[4] == 7e-9);
    assert_int_equal(count_rows(report, "C"), 0);
    assert_string_equal(portolan_cll_report_peek_header(report, "UNMATCHED_END"), "C 2");
    portolan_cll_report_destroy(report);
}

static void ends_that_cross_are_told_once_and_lose_nothing(void **state)
{
    struct portolan_cll_report *report;
    const char *text;

    listen_to_stderr();
    for (int i = 0; i < 2; i++) {
        portolan_cll_begin(&fft, (double[]){1, 2});
        pass(1);
        portolan_cll_begin(&two_places, (double[]){3});
        pass(10);
        portolan_cll_begin(&inner, NULL);
        pass(100);
        portolan_cll_end(&fft);
        pass(1000);
        portolan_cll_end(&inner);
        pass(10000);
        portolan_cll_end(&two_places);
    }
    text = heard();
    assert_string_equal(text, "fft.c:7: warning: experiment 'fft' ends while 'inner', which began "
                              "inside it, is still open; both are measured\n");
    report = take_report(NULL);
    for (size_t i = 0; i < 2; i++) {
        const double *r = row(report, "C", i);

        assert_true(row(report, "fft", i)[2] == 1 && row(report, "fft", i)[3] == 2);
        assert_true(row(report, "fft", i)[4] == 111e-9);
        assert_true(row(report, "inner", i)[2] == 1100e-9);
        assert_true(r[2] == 3 && r[3] == 11110e-9);
    }
    assert_string_equal(portolan_cll_report_peek_header(report, "CROSSED_END"), "fft 2");
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ observables */

static void touch_pages(size_t n)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *pages =
        mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    for (size_t i = 0; i < n; i++)
        pages[i * size] = 1;
    munmap((void *)pages, n * size);
}

/* Runs first, since what can be counted is looked for once. */
static void an_event_that_is_not_there_is_told_once_and_no_number(void **state)
{
    struct portolan_cll_report *report;
    const double *r;
    const char *text;

    listen_to_stderr();
    for (int i = 0; i < 3; i++) {
        portolan_cll_begin(&several, NULL);
        pass(40);
        touch_pages(200);
        portolan_cll_end(&several);
    }
    text = heard();
    assert_non_null(strstr(text, "portolan-call: warning: observable NO_SUCH_EVENT is not "
                                 "measured: "));
    assert_null(strstr(strstr(text, "NO_SUCH_EVENT") + 1, "observable NO_SUCH_EVENT"));
    report = take_report(NULL);
    assert_int_equal(count_rows(report, "several"), 3);
    r = row(report, "several", 2);
    assert_true(r[2] >= 0 && r[2] < 60);
    assert_true(r[3] == 40e-9);
    assert_true(r[4] >= 0 && r[4] < 60);
    if (strstr(text, "observable perf::PAGE-FAULTS is not measured"))
        assert_true(isnan(r[5]));
    else /* 200 pages, unless they are made huge ones */
        assert_true(r[5] >= 1 && r[5] < 2000);
    assert_true(r[6] > 0 && r[6] < 60);
    assert_true(isnan(r[7]));
    portolan_cll_report_destroy(report);
}

/* ------------------------------------------------------------------ threads */

enum { THREADS = 4, PASSES = 20000 };

static void *measure(void *arg)
{
    double number = *(const int *)arg;

    for (int i = 0; i < PASSES; i++) {
        portolan_cll_begin(&fft, (double[]){number, i});
        portolan_cll_begin(&inner, NULL);
        portolan_cll_end(&inner);
        portolan_cll_end(&fft);
    }
    return NULL;
}

static void threads_measure_while_others_report(void **state)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    size_t rows[THREADS] = {0}, inner_rows = 0;
    bool running = true;

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, measure, &numbers[i]), 0);
    }
    for (int round = 0; round < 5 || running; round++) {
        struct portolan_cll_report *report;
        const struct portolan_cll_sample *s;

        if (round == 4)
            for (int i = 0; i < THREADS; i++)
                pthread_join(threads[i], NULL);
        running = round < 4;
        report = take_report(NULL);
        s = find(report, "fft");
        for (size_t i = 0; i < s->n_rows; i++) {
            const double *r = s->rows + 5 * i;

            /* of one thread in the order they came, each once */
            assert_true(r[3] == (double)rows[(int)r[2]]);
            rows[(int)r[2]]++;
        }
        inner_rows += count_rows(report, "inner");
        portolan_cll_report_destroy(report);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(rows[i], PASSES);
    assert_int_equal(inner_rows, THREADS * PASSES);
}

/* ------------------------------------------------------------------ memory */

static void a_sample_without_memory_is_counted_as_lost(void **state)
{
    struct portolan_cll_report *report;
    size_t rows;
    unsigned long lost = 0;
    char expected[40];

    for (int i = 0; i < 5000; i++) {
        portolan_cll_begin(&inner, NULL);
        portolan_alloc_fail_at(1);
        portolan_cll_end(&inner);
        portolan_alloc_fail_at(0);
    }
    report = take_report("inner");
    rows = count_rows(report, "inner");
    assert_true(rows < 5000);
    lost = 5000 - rows;
    snprintf(expected, sizeof expected, "inner %lu", lost);
    assert_string_equal(portolan_cll_report_peek_header(report, "LOST"), expected);
    portolan_cll_report_destroy(report);
}

static void *measure_without_memory(void *arg)
{
    (void)arg;
    for (unsigned long n = 1; n < 8; n++) {
        portolan_alloc_fail_at(n);
        portolan_cll_begin(&fft, (double[]){1, 2});
        portolan_cll_begin(&two_places, (double[]){3});
        portolan_alloc_fail_at(0);
        portolan_cll_end(&two_places);
        portolan_cll_end(&fft);
    }
    return NULL;
}

/* On a fresh thread, whose stack and paths are made anew. */
static void begins_without_memory_have_their_ends(void **state)
{
    struct portolan_cll_report *report;
    pthread_t thread;
    const char *text;

    listen_to_stderr();
    assert_int_equal(pthread_create(&thread, NULL, measure_without_memory, NULL), 0);
    pthread_join(thread, NULL);
    text = heard();
    assert_string_equal(text, ""); /* no end is unmatched */
    report = take_report(NULL);
    assert_true(count_rows(report, "fft") >= 1);
    portolan_cll_report_destroy(report);
}

UNIT_TESTS_BETWEEN(set_up, tear_down,
                   cmocka_unit_test(an_event_that_is_not_there_is_told_once_and_no_number),
                   cmocka_unit_test(each_pass_gives_a_sample_with_the_values_at_its_begin),
                   cmocka_unit_test(the_report_describes_the_run_and_its_experiments),
                   cmocka_unit_test(samples_are_reported_once_and_by_name),
                   cmocka_unit_test(there_is_no_bound_of_samples),
                   cmocka_unit_test(experiments_recurse_and_the_observer_sees_them_end),
                   cmocka_unit_test(an_end_without_a_begin_is_told_once_and_ignored),
                   cmocka_unit_test(ends_that_cross_are_told_once_and_lose_nothing),
                   cmocka_unit_test(threads_measure_while_others_report),
                   cmocka_unit_test(begins_without_memory_have_their_ends),
                   cmocka_unit_test(a_sample_without_memory_is_counted_as_lost),
                   cmocka_unit_test(recursion_may_be_deeper_than_there_are_paths),
                   /* uses them up */)
