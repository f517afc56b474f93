/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test component with the plug-ins in an assembly. The tests run on 1 and on 2 ranks; every rank
 * has a framework and a folder of its own.
 */
#ifndef HEAT_TEST_RUN_ASSEMBLY_H
#define HEAT_TEST_RUN_ASSEMBLY_H

#include <portolan/framework.h>
#include <unit_test.h>

extern int rank, size;

/* Runs <assembly> with BODY inside; the test's own component has this descriptor and description.
 */
enum portolan_status run_assembly(const char *body, const struct portolan_component *component,
                                  const char *description, struct portolan_error *err);

/* The tests of a program, which HEAT_TESTS lists. */
int run_heat_tests(void);

#define HEAT_TESTS(...)                                                                            \
    int run_heat_tests(void)                                                                       \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
                                                                                                   \
        return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);                \
    }

#endif
