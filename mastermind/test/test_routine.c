/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a routine: its columns, its bound, its file. */
#include <unit_test.h>

#include "routine.h"

#include <math.h>
#include <unistd.h>

static const char *const names[] = {"n", "tol\terance"};
static struct routine *r;
static size_t bytes;
static struct portolan_error err;

static int fresh(void **state)
{
    err = (struct portolan_error){0};
    bytes = 0;
    return routine_create("solver::solve(int)", &r, &err) || routine_check(r, names, 2, &err);
}

static int leave(void **state)
{
    routine_destroy(r);
    return 0;
}

static bool add(double n, double ns, size_t limit)
{
    const struct portolan_probe_activation took = {.inclusive_ns = ns, .mpi_ns = ns / 4};

    return routine_add(r, (double[]){n, 0.5}, &took, &bytes, limit);
}

static void columns_are_parameters_and_times(void **state)
{
    assert_int_equal(routine_columns(r), 5);
    assert_true(add(3, 8000, 1 << 20));
    assert_int_equal(r->n, 1);
    assert_memory_equal(r->rows, ((double[]){3, 0.5, 8, 2, 6}), 5 * sizeof(double));
}

static void other_parameters_are_refused(void **state)
{
    const char *const swapped[] = {names[1], names[0]};

    assert_int_equal(routine_check(r, names, 2, &err), PORTOLAN_OK);
    assert_int_equal(routine_check(r, names, 1, &err), PORTOLAN_EINVAL);
    assert_int_equal(routine_check(r, swapped, 2, &err), PORTOLAN_EINVAL);
}

/* A row has five numbers: 1000 bytes hold 25. */
static void beyond_the_bound_rows_are_counted(void **state)
{
    int told = 0;

    for (int i = 0; i < 100; ++i)
        told += !add(i, 1000, 1000);
    assert_int_equal(told, 1);
    assert_int_equal(r->n, 25);
    assert_int_equal(r->left_out, 75);
    assert_int_equal(r->ended, 100);
    assert_int_equal(bytes, 1000);
    assert_true(r->rows[24 * 5] == 24);
    routine_empty(r, &bytes);
    assert_int_equal(bytes, 0);
    assert_true(add(7, 1000, 1000));
    assert_true(r->n == 1 && r->left_out == 0 && r->rows[0] == 7);
    routine_empty(r, &bytes);
}

static void the_file_says_what_is_missing(void **state)
{
    char path[] = "/tmp/portolan-record-XXXXXX", text[500];
    int fd = mkstemp(path);
    size_t n;
    FILE *f;

    assert_true(fd >= 0);
    close(fd);
    add(1.0 / 3, 2000, 40);
    add(2, 2000, 40);
    assert_int_equal(routine_write(r, path, 1, 4, &err), PORTOLAN_OK);
    f = fopen(path, "r");
    assert_non_null(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    unlink(path);
    assert_string_equal(text, "# Portolan record 1\n"
                              "# routine solver::solve(int)\n"
                              "# rank 1 of 4\n"
                              "# rows 1, left out 1\n"
                              "# columns\tn\ttol erance\telapsed_us\tmpi_us\tcompute_us\n"
                              "0.33333333333333331\t0.5\t2\t0.5\t1.5\n");
    assert_int_equal(r->written_to, 2);
}

static void missing_memory_changes_nothing(void **state)
{
    struct routine *fails = NULL;
    unsigned long n = 0;
    enum portolan_status status;

    do {
        portolan_alloc_fail_at(++n);
        status = routine_create("new", &fails, &err);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
    } while (status);
    assert_true(n > 2);
    n = 0;
    do {
        portolan_alloc_fail_at(++n);
        status = routine_check(fails, names, 2, &err);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || !fails->has_columns);
    } while (status);
    assert_true(n > 3);
    routine_destroy(fails);
}

UNIT_TESTS(cmocka_unit_test_setup_teardown(columns_are_parameters_and_times, fresh, leave),
           cmocka_unit_test_setup_teardown(other_parameters_are_refused, fresh, leave),
           cmocka_unit_test_setup_teardown(beyond_the_bound_rows_are_counted, fresh, leave),
           cmocka_unit_test_setup_teardown(the_file_says_what_is_missing, fresh, leave),
           cmocka_unit_test_setup_teardown(missing_memory_changes_nothing, fresh, leave))
