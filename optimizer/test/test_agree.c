/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by mpiexec with two or more ranks: portolan.Optimizer decides for all of them, in a framework
 * with Mastermind, proxies and swap point, each rank on its own manual clock.
 */
#include <ftw.h>
#include <portolan/mpi.h>
#include <portolan/optimizer.h>
#include <unistd.h>
#include <unit_test.h>

#include "functions.h"

/* The cohort over MPI, which counts its collectives. */
static struct {
    struct portolan_cohort cohort; /* first */
    struct portolan_cohort *real;
    int n;
} counting;

static struct portolan_cohort *cohort = &counting.cohort;
static struct portolan_palette *palette;
static char folder[] = "/tmp/portolan-XXXXXX", store[100], measured[100];
static struct heard told = {.area = "optimizer", .level = PORTOLAN_LOG_NOTICE};

static enum portolan_status count_bcast(struct portolan_cohort *c, void *buffer, size_t size,
                                        int root)
{
    (void)c;
    counting.n++;
    return counting.real->bcast(counting.real, buffer, size, root);
}

static enum portolan_status count_max(struct portolan_cohort *c, double *values, size_t n)
{
    (void)c;
    counting.n++;
    return counting.real->max(counting.real, values, n);
}

static enum portolan_status count_sum(struct portolan_cohort *c, double *values, size_t n)
{
    (void)c;
    counting.n++;
    return counting.real->sum(counting.real, values, n);
}

static enum portolan_status count_gather(struct portolan_cohort *c, const void *bytes, size_t size,
                                         void **all, size_t *sizes)
{
    (void)c;
    counting.n++;
    return counting.real->gather(counting.real, bytes, size, all, sizes);
}

static enum portolan_status count_reduce(struct portolan_cohort *c, void **bytes, size_t *size,
                                         portolan_cohort_merge_fn merge, void *arg)
{
    (void)c;
    counting.n++;
    return counting.real->reduce(counting.real, bytes, size, merge, arg);
}

#define PARAMETER(NAME, TYPE, VALUE)                                                               \
    "<parameter name='" NAME "' type='" TYPE "' value='" VALUE "'/>"
static const char written[] = PARAMETER("start", "string", "written");
static const char with_b3[] = "<alternative class='test.B3'/>";

/* One run of the paper's assembly; the status of go. */
static enum portolan_status run(const char *more_b, const char *optimizer, const char *x, int steps)
{
    char parameters[400], text[20];
    enum portolan_status status;
    struct portolan_assembly *a;

    snprintf(text, sizeof text, "%d", steps);
    snprintf(parameters, sizeof parameters, "%s%s", written, optimizer);
    a = functions_assembly(palette, folder, store, more_b, parameters);
    assert_int_equal(portolan_assembly_set(a, "driver", "x", x, NULL), 0);
    assert_int_equal(portolan_assembly_set(a, "driver", "steps", text, NULL), 0);
    told.text[0] = '\0';
    counting.n = 0;
    status = functions_execute(palette, cohort, a);
    portolan_assembly_destroy(a);
    return status;
}

static bool is_last(void)
{
    return cohort->rank == cohort->size - 1;
}

/* Each rank has the same, whatever its own clock says. */
static void expect_ran(const char *const *steps, int n)
{
    for (int i = 0; i < n; i++)
        assert_string_equal(script.ran[i], steps[i]);
}

/* Collectives of a step in a run where nothing is swapped after the first step. */
static int per_step(const char *optimizer)
{
    int of_20, of_10;

    assert_int_equal(run("", optimizer, "1.5", 20), 0);
    of_20 = counting.n;
    assert_int_equal(run("", optimizer, "1.5", 10), 0);
    of_10 = counting.n;
    assert_int_equal((of_20 - of_10) % 10, 0);
    return (of_20 - of_10) / 10;
}

static void a_step_without_a_swap_costs_no_message(void **state)
{
    int without;

    script = (struct script){0};
    without = per_step(PARAMETER("enabled", "bool", "false"));
    assert_int_equal(per_step(""), without);
    assert_int_equal(per_step(PARAMETER("check", "bool", "true")), without);
    assert_int_equal(per_step(PARAMETER("delay", "int", "1")), without);
}

/* On the last rank B1 takes three times as long from step 5 on. */
static void the_slowest_rank_governs(void **state)
{
    int left = 0, looks = 0;

    script = (struct script){.b1_slow_from = is_last() ? 5 : 0};
    assert_int_equal(run("", "", "1.5", 30), 0);
    while (script.ran[left][1] == '1')
        left++;
    assert_in_range(left, 6, 15);
    for (int i = left; i < 30; i++)
        looks += script.ran[i][1] == '1';
    assert_in_range(looks, 0, 2); /* whether it is quick again */
}

static void a_delay_moves_all_ranks_by_as_many_steps(void **state)
{
    static const double course[] = {1, 1, 3, 3, 3, 3, 1, 1, 1, 1};
    static const char *const one[] = {"21", "21", "21", "12", "12", "12", "12", "21", "21", "21"},
                             *const two[] = {"21", "21", "21", "21", "12",
                                             "12", "12", "12", "21", "21"};

    script = (struct script){.course = course, .announces = true};
    assert_int_equal(run("", PARAMETER("delay", "int", "1"), "1", 10), 0);
    expect_ran(one, 10);
    assert_int_equal(run("", PARAMETER("delay", "int", "2"), "1", 10), 0);
    expect_ran(two, 10);
}

/* B3 is the best, and fails on the last rank alone; the others only hear of it. */
static void what_fails_on_one_rank_is_left_on_all_at_once(void **state)
{
    static const struct {
        const char *delay, *x, *steps[4];
    } cases[] = {{"", "1", {"23", "21", "21", "21"}},
                 {PARAMETER("delay", "int", "3"), "4", {"13", "12", "12", "12"}}};

    for (int i = 0; i < 2; i++) {
        script = (struct script){.b3_fails = is_last(), .ignores_failures = true};
        assert_int_equal(run(with_b3, cases[i].delay, cases[i].x, 4), 0);
        expect_ran(cases[i].steps, 4);
        if (cohort->rank == 0)
            assert_non_null(strstr(told.text, "step 1: calls of b [test.B3] failed"));
    }
}

/* The driver of the last rank replaces b by another class than the others. */
static void a_check_names_the_rank_and_the_instance_that_differ(void **state)
{
    static const char checks[] = PARAMETER("check", "bool", "true");
    char expected[200];

    script = (struct script){.diverges_at = 2, .diverged = is_last() ? "test.B2" : "test.B1"};
    assert_int_equal(run("", "", "1.5", 4), 0); /* nobody looks */
    snprintf(expected, sizeof expected,
             "at step 2 the choices of the ranks differ: rank %d: instance 'b' is test.B2, on rank "
             "0 it is test.B1",
             cohort->size - 1);
    assert_int_not_equal(run("", checks, "1.5", 4), 0);
    assert_non_null(strstr(script.error.text, expected));
    script.diverged = "test.B2"; /* alike on all ranks */
    assert_int_equal(run("", checks, "1.5", 4), 0);
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s, (void)type, (void)f;
    return remove(path);
}

/* Each test begins with what setup() has measured. */
static int begin(void **state)
{
    if (cohort->rank == 0)
        functions_copy(measured, store);
    return 0;
}

/* The stores are rank 0's; beside B3, B2 would not be measured everywhere. */
static int setup(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(store, sizeof store, "%s/portolan.db", folder);
    snprintf(measured, sizeof measured, "%s/measured.db", folder);
    if (cohort->bcast(cohort, store, sizeof store, 0) ||
        cohort->bcast(cohort, measured, sizeof measured, 0))
        return -1;
    portolan_log_set_handler(hear_log, &told);
    if (portolan_palette_create(&palette, NULL) || functions_register(palette, NULL) ||
        portolan_palette_add_defaults(palette, NULL, NULL))
        return -1;
    functions_explore(palette, cohort, folder, measured, "");
    functions_explore(palette, cohort, folder, measured, with_b3);
    return 0;
}

static int teardown(void **state)
{
    portolan_palette_destroy(palette);
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
#define TEST(F) cmocka_unit_test_setup(F, begin)
    const struct CMUnitTest tests[] = {
        TEST(a_step_without_a_swap_costs_no_message),
        TEST(the_slowest_rank_governs),
        TEST(a_delay_moves_all_ranks_by_as_many_steps),
        TEST(what_fails_on_one_rank_is_left_on_all_at_once),
        TEST(a_check_names_the_rank_and_the_instance_that_differ),
    };
    struct portolan_error err = {0};
    int failed;

    if (portolan_mpi_init(&err) || portolan_mpi_cohort_create(&counting.real, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    counting.cohort = *counting.real;
    counting.cohort.bcast = count_bcast;
    counting.cohort.max = count_max;
    counting.cohort.sum = count_sum;
    counting.cohort.gather = count_gather;
    counting.cohort.reduce = count_reduce;
    failed = cmocka_run_group_tests_name("optimizer ranks", tests, setup, teardown);
    portolan_mpi_cohort_destroy(counting.real);
    portolan_mpi_finalize();
    return failed;
}
