/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The BLAS of this machine as implementations of one port, in a program that has symbols of the
 * names that they use among themselves.
 */
#include "headers/blas.h"
#include "lists.h"
#include "test_Blas_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 17, COLUMNS = 13, INNER = 11 };

/* Where Debian and its relatives have them; each in the first of its folders. */
static struct implementation {
    const char *name, *folders[4];
    char *file;
} implementations[] = {
    {.name = "reference", .folders = {"blas"}},
    {.name = "openblas", .folders = {"openblas-serial", "openblas-pthread", "openblas-openmp"}},
    {.name = "blis", .folders = {"blis-serial", "blis-pthread", "blis-openmp"}},
    {.name = "atlas", .folders = {"atlas"}},
};
enum { N_IMPLEMENTATIONS = sizeof implementations / sizeof *implementations };

/* ------------------------------------------------------------------ traps */

static int trapped;

/* What the libraries' own cblas_dgemm call, if they are let. */
PORTOLAN_API void dgemm_(void);
PORTOLAN_API double ddot_(void);
PORTOLAN_API void daxpy_(void);
PORTOLAN_API void xerbla_(void);

void dgemm_(void)
{
    trapped++;
}

double ddot_(void)
{
    trapped++;
    return 0;
}

void daxpy_(void)
{
    trapped++;
}

void xerbla_(void)
{
    trapped++;
}

/* ------------------------------------------------------------------ sums */

static double a[ROWS * INNER], b[INNER * COLUMNS], expected[ROWS * COLUMNS];

static void prepare(void)
{
    for (int i = 0; i < ROWS * INNER; i++)
        a[i] = sin(i + 1);
    for (int i = 0; i < INNER * COLUMNS; i++)
        b[i] = cos(3 * i + 2);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            for (int j = 0; j < INNER; j++)
                expected[i * COLUMNS + k] += a[i * INNER + j] * b[j * COLUMNS + k];
}

/* 11 products of numbers below 1: rounding in any order stays below 11 × 11 × 2^-53. */
static void expect_products(const struct test_Blas_functions *blas)
{
    double c[ROWS * COLUMNS] = {0}, y[3] = {1, 1, 1};
    const double x[3] = {1, 2, 2};

    blas->cblas_dgemm(BLAS_ROW_MAJOR, BLAS_PLAIN, BLAS_PLAIN, ROWS, COLUMNS, INNER, 1, a, INNER, b,
                      COLUMNS, 0, c, COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        assert_true(fabs(c[i] - expected[i]) <= 121 * 0x1p-53);
    assert_true(blas->cblas_ddot(3, x, 1, y, 1) == 5);
    assert_true(fabs(blas->cblas_dnrm2(3, x, 1) - 3) < 1e-14);
    blas->cblas_daxpy(3, 2, x, 1, y, 1);
    assert_true(y[0] == 3 && y[1] == 5 && y[2] == 5);
    assert_int_equal(trapped, 0);
}

/* ------------------------------------------------------------------ tests */

static const char *first_found(char *xml, size_t size)
{
    const char *first = NULL;
    size_t length = 0;

    for (int i = 0; i < N_IMPLEMENTATIONS; i++) {
        const struct implementation *p = &implementations[i];

        if (!p->file)
            continue;
        length += (size_t)snprintf(
            xml + length, size - length,
            "%s class='test.Blas_%s'><parameter name='library' type='string' value='%s'/>%s",
            first ? "<alternative" : "<instance name='list'", p->name, p->file,
            first ? "</alternative>" : "");
        first = first ? first : p->name;
    }
    snprintf(xml + length, size - length, "</instance>");
    return first;
}

static void every_blas_gives_the_same_products_behind_one_proxy(void **state)
{
    const struct test_Blas_functions *blas;
    char xml[4000] = "<assembly name='blas'>", class_name[40];
    struct portolan_probe_record r;
    struct lists l;

    first_found(xml + strlen(xml), sizeof xml - strlen(xml));
    strcat(xml, "<instance name='user' class='test.User'/><instance name='watch' "
                "class='test.Watch'/><connect user='user' uses='list' provider='list' "
                "provides='functions'/><monitor user='user' uses='list'/></assembly>");
    if (lists_build(&l, PLUG_INS, "test.Blas", xml) != PORTOLAN_OK)
        fail_msg("%s", l.err.text);
    blas = lists_get(&l, "user");
    for (int i = 0; i < N_IMPLEMENTATIONS; i++) {
        if (!implementations[i].file)
            continue;
        snprintf(class_name, sizeof class_name, "test.Blas_%s", implementations[i].name);
        if (lists_replace(&l, "list", class_name) != PORTOLAN_OK)
            fail_msg("%s", l.err.text);
        expect_products(blas);
        r = records_of("cblas_dgemm", class_name);
        assert_int_equal(r.calls, 1);
    }
    r = records_node("cblas_dgemm", 0);
    assert_int_equal(r.n_context, 3);
    assert_true(r.context[0].value == ROWS && r.context[1].value == COLUMNS &&
                r.context[2].value == INNER);
    lists_destroy(&l);
}

/* The folder of this machine's libraries is where the C library is. */
static int find_implementations(void)
{
    char *file = NULL;
    int found = 0;

    if (portolan_functions_library_find("libc.so.6", &file, NULL) != PORTOLAN_OK)
        return 0;
    *strrchr(file, '/') = '\0';
    for (int i = 0; i < N_IMPLEMENTATIONS; i++)
        for (int k = 0; k < 4 && implementations[i].folders[k] && !implementations[i].file; k++) {
            char *path =
                portolan_asprintf("%s/%s/libblas.so.3", file, implementations[i].folders[k]);

            if (access(path, R_OK) == 0)
                implementations[i].file = path;
            else
                free(path);
            found += implementations[i].file != NULL;
        }
    free(file);
    return found;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_blas_gives_the_same_products_behind_one_proxy),
    };
    int failed;

    if (find_implementations() < 2) {
        puts("skipped: this needs two of libblas3, libopenblas0-serial, libblis4-serial and "
             "libatlas3-base");
        return 77;
    }
    prepare();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < N_IMPLEMENTATIONS; i++)
        free(implementations[i].file);
    return failed;
}
