/* SPDX-License-Identifier: BSD-3-Clause */
/* The Mastermind's published ports: a record per routine, a row per invocation, exact numbers. */
#include "bench.h"

#include <portolan/probe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "Performance.h"

#define ASSEMBLY                                                                                   \
    "<instance name='mastermind' class='portolan.Mastermind'>"                                     \
    "<parameter name='store' type='string' value='set by the bench'/></instance>"                  \
    "<instance name='clock' class='portolan.ManualClock'/>"                                        \
    "<connect user='mastermind' uses='measurement' provider='clock' provides='measurement'/>"      \
    "<connect user='bench' uses='MonitorPort' provider='mastermind' provides='MonitorPort'/>"      \
    "<connect user='bench' uses='PerfParamPort' provider='mastermind' provides='PerfParamPort'/>"

static Performance_Monitor monitor;
static Performance_PerfParam perfparam;
static sidl_BaseInterface ex;
static char path[300];

static void begin(void)
{
    setenv("PORTOLAN_PROFILE_DIR", bench.folder, 1);
    bench_start(ASSEMBLY);
    monitor = bench_port("MonitorPort");
    perfparam = bench_port("PerfParamPort");
}

/* One invocation of ROUTINE, with VALUE of a parameter NAME unless that is NULL. */
static void stop(const char *routine, const char *name, double value)
{
    struct sidl_string__array *names = name ? sidl_string__array_create1d(1) : NULL;
    struct sidl_double__array *values = name ? sidl_double__array_create1d(1) : NULL;

    if (name) {
        sidl_string__array_set1(names, 0, name);
        sidl_double__array_set1(values, 0, value);
    }
    Performance_Monitor_stopMonitoring(monitor, routine, names, values, &ex);
    sidl_string__array_deleteRef(names);
    sidl_double__array_deleteRef(values);
}

static void invoke(const char *routine, double size, uint64_t ns, uint64_t mpi_ns)
{
    Performance_Monitor_startMonitoring(monitor, routine, &ex);
    bench_no_exception(&ex);
    portolan_probe_clock_advance(ns - mpi_ns);
    portolan_probe_mpi_enter();
    portolan_probe_clock_advance(mpi_ns);
    portolan_probe_mpi_leave();
    stop(routine, "size", size);
    bench_no_exception(&ex);
}

static void row_is(const struct sidl_double__array *data, int32_t i, const double *expected)
{
    for (int32_t c = 0; c < 4; ++c)
        assert_true(sidlArrayElem2(data, i, c) == expected[c]);
}

static const char *file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", bench.folder, name);
    return path;
}

static const char *text_of(const char *name)
{
    static char text[2000];
    FILE *f = fopen(file(name), "r");
    size_t n;

    if (!f)
        fail_msg("there is no %s", path);
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static void a_record_has_a_row_per_invocation(void **state)
{
    struct sidl_double__array *data;
    struct sidl_string__array *names;

    begin();
    invoke("flux::compute()", 64, 5000, 1000);
    invoke("flux::compute()", 128.5, 9000, 0);
    invoke("euler::rhs()", 1, 10, 0);
    assert_int_equal(
        Performance_PerfParam_getPerformanceData(perfparam, "flux::compute()", &data, FALSE, &ex),
        2);
    bench_no_exception(&ex);
    assert_int_equal(sidlLength(data, 0), 2);
    assert_int_equal(sidlLength(data, 1), 4);
    row_is(data, 0, (double[]){64, 5, 1, 4});
    row_is(data, 1, (double[]){128.5, 9, 0, 9});
    sidl_double__array_deleteRef(data);
    assert_int_equal(Performance_PerfParam_getCompMethNames(perfparam, &names, &ex), 2);
    assert_string_equal(sidlArrayElem1(names, 0), "flux::compute()");
    assert_string_equal(sidlArrayElem1(names, 1), "euler::rhs()");
    sidl_string__array_deleteRef(names);
}

static void reset_forgets_the_rows(void **state)
{
    struct sidl_double__array *data;

    begin();
    invoke("flux", 1, 1000, 0);
    Performance_PerfParam_getPerformanceData(perfparam, "flux", &data, TRUE, &ex);
    sidl_double__array_deleteRef(data);
    assert_int_equal(Performance_PerfParam_getPerformanceData(perfparam, "flux", &data, FALSE, &ex),
                     0);
    assert_int_equal(sidlLength(data, 0), 0);
    sidl_double__array_deleteRef(data);
    invoke("flux", 2, 3000, 0);
    assert_int_equal(Performance_PerfParam_getPerformanceData(perfparam, "flux", &data, FALSE, &ex),
                     1);
    row_is(data, 0, (double[]){2, 3, 0, 3});
    sidl_double__array_deleteRef(data);
}

static void a_record_is_written_as_text(void **state)
{
    begin();
    invoke("flux::compute()", 64, 5000, 1000);
    invoke("flux::compute()", 0.5, 1, 0);
    Performance_Monitor_dumpDataFileName(monitor, "flux::compute()", file("here"), &ex);
    bench_no_exception(&ex);
    assert_string_equal(text_of("here.0"), "# Portolan record 1\n"
                                           "# routine flux::compute()\n"
                                           "# rank 0 of 1\n"
                                           "# rows 2, left out 0\n"
                                           "# columns\tsize\telapsed_us\tmpi_us\tcompute_us\n"
                                           "64\t5\t1\t4\n"
                                           "0.5\t0.001\t0\t0.001\n");
    Performance_Monitor_setFileName(monitor, "flux::compute()", file("there"), &ex);
    Performance_Monitor_destroyRecord(monitor, "flux::compute()", &ex);
    bench_no_exception(&ex);
    assert_non_null(strstr(text_of("there.0"), "# rows 2, left out 0\n"));
    Performance_Monitor_dumpData(monitor, "flux::compute()", &ex);
    bench_exception(&ex, "routine 'flux::compute()' has no record");
}

static void what_cannot_be_written_stays(void **state)
{
    struct sidl_double__array *data;

    begin();
    invoke("flux", 1, 1000, 0);
    Performance_Monitor_setFileName(monitor, "flux", file("no such folder/x"), &ex);
    Performance_Monitor_destroyRecord(monitor, "flux", &ex);
    bench_exception(&ex, "the record of 'flux' stays in memory");
    assert_int_equal(Performance_PerfParam_getPerformanceData(perfparam, "flux", &data, FALSE, &ex),
                     1);
    sidl_double__array_deleteRef(data);
    Performance_Monitor_setFileName(monitor, "flux", file("flux"), &ex);
    bench_no_exception(&ex);
}

static void the_end_writes_records_that_have_a_file(void **state)
{
    char *folder;

    begin();
    folder = strdup(bench.folder);
    Performance_Monitor_setFileName(monitor, "flux", file("flux"), &ex);
    Performance_Monitor_setFileName(monitor, "never", file("never"), &ex);
    invoke("flux", 1, 1000, 0);
    bench_stop();
    assert_string_equal(folder, bench.folder);
    free(folder);
    assert_non_null(strstr(text_of("flux.0"), "\n1\t1\t0\t1\n"));
    assert_int_not_equal(access(file("never.0"), F_OK), 0);
}

static void mistakes_are_refused_and_change_nothing(void **state)
{
    struct sidl_double__array *data = NULL;
    struct sidl_string__array *names = sidl_string__array_create1d(5);
    struct sidl_double__array *values = sidl_double__array_create1d(5);

    begin();
    stop("flux", NULL, 0);
    bench_exception(&ex, "routine 'flux' has no record");
    invoke("flux", 1, 1000, 0);
    Performance_Monitor_startMonitoring(monitor, "flux", &ex);
    stop("flux", "length", 0);
    bench_exception(&ex, "other parameters: 1, the first called 'size'");
    stop("flux", NULL, 0);
    bench_exception(&ex, "other parameters");
    for (int i = 0; i < 5; ++i)
        sidl_string__array_set1(names, i, "x");
    Performance_Monitor_stopMonitoring(monitor, "flux", names, values, &ex);
    bench_exception(&ex, "at most 4");
    Performance_Monitor_startMonitoring(monitor, "inner", &ex);
    stop("flux", "size", 2);
    bench_exception(&ex, "this thread did not start it last");
    stop("inner", NULL, 0);
    stop("flux", "size", 2);
    bench_no_exception(&ex);
    stop("flux", "size", 2);
    bench_exception(&ex, "this thread did not start it last");
    assert_int_equal(Performance_PerfParam_getPerformanceData(perfparam, "flux", &data, FALSE, &ex),
                     2);
    sidl_double__array_deleteRef(data);
    Performance_PerfParam_getPerformanceData(perfparam, "flxu", &data, FALSE, &ex);
    bench_exception(&ex, "'flxu' has no record; did you mean 'flux'?");
    assert_null(data);
    Performance_Monitor_startMonitoring(monitor, "", &ex);
    bench_exception(&ex, "a routine needs a name");
    sidl_string__array_deleteRef(names);
    sidl_double__array_deleteRef(values);
}

static void names_that_no_file_may_have_get_one(void **state)
{
    char old[300];

    begin();
    assert_non_null(getcwd(old, sizeof old));
    invoke("a/b", 1, 1000, 0);
    invoke("a b", 1, 2000, 0);
    assert_int_equal(chdir(bench.folder), 0);
    Performance_Monitor_dumpData(monitor, "a/b", &ex);
    Performance_Monitor_dumpData(monitor, "a b", &ex);
    assert_int_equal(chdir(old), 0);
    bench_no_exception(&ex);
    /* FNV-1a of the names */
    assert_non_null(strstr(text_of("a_b-3a8e75c1.0"), "# routine a/b\n"));
    assert_non_null(strstr(text_of("a_b-10a3f9f2.0"), "# routine a b\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
UNIT_TESTS(TEST(a_record_has_a_row_per_invocation), TEST(reset_forgets_the_rows),
           TEST(a_record_is_written_as_text), TEST(what_cannot_be_written_stays),
           TEST(the_end_writes_records_that_have_a_file),
           TEST(mistakes_are_refused_and_change_nothing), TEST(names_that_no_file_may_have_get_one))
