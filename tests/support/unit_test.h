/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What unit tests share: cmocka with the headers that it needs, the C library's that nearly every
 * test uses, main(), a temporary folder, messages of readers, and failing allocations.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <portolan/base.h>

/* cmocka gives each test a state, which most tests do not need. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The main() of a program that runs these tests; _BETWEEN has their common set-up and tear-down. */
#define UNIT_TESTS(...) UNIT_TESTS_BETWEEN(NULL, NULL, __VA_ARGS__)
#define UNIT_TESTS_BETWEEN(SET_UP, TEAR_DOWN, ...)                                                 \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
                                                                                                   \
        return cmocka_run_group_tests(tests, SET_UP, TEAR_DOWN);                                   \
    }

/*
 * A temporary folder, below $TMPDIR or /tmp: _make and _remove are a set-up and a tear-down of
 * cmocka. test_file() is the path of a file in it, valid until the fourth call after it.
 */
extern char test_folder[];
int test_folder_make(void **state);
int test_folder_remove(void **state);
const char *test_file(const char *name);

/*
 * What a reader said, as lines "file:line:column: text" with the last part of the file's path, or
 * what AREA logged at LEVEL or above, as lines.
 */
struct heard {
    int count;
    int line, column; /* of the first message, and its text */
    char first[1000];
    char text[8000];
    const char *area;
    enum portolan_log_level level;
};
/* Add a message to the struct heard at ARG: for struct portolan_diagnostics, and for logging. */
void hear(void *arg, const char *file, int line, int column, const char *text);
void hear_log(void *arg, enum portolan_log_level level, const char *area, const char *text);

/*
 * A loop in which each allocation fails once, until STATUS is that of an attempt without failure.
 * Start with *N = 0 and a STATUS that is not 0. The attempt's status must be OK or ENOMEM.
 *
 *     while (next_allocation_fails(&n, status)) {
 *         status = attempt();
 *         portolan_alloc_fail_at(0);
 *     }
 */
bool next_allocation_fails(unsigned long *n, int status);

#endif
