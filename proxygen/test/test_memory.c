/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator without memory: an error, no output, no leak, wherever it runs out. */
#include <portolan/proxygen.h>
#include <unistd.h>
#include <unit_test.h>

/* Fails the n-th allocation for n = 1, 1 + STRIDE, … until a run succeeds. */
static void fail_everywhere(struct portolan_proxygen_options *options, unsigned long stride)
{
    char folder[] = "/tmp/portolan-proxygen-XXXXXX", output[64];
    struct portolan_proxygen_result result = {0};
    enum portolan_status status;
    unsigned long n = 1;

    assert_non_null(mkdtemp(folder));
    snprintf(output, sizeof output, "%s/out", folder);
    options->folder = output;
    for (;; n += stride) {
        struct portolan_error err = {0};

        portolan_alloc_fail_at(n);
        status = portolan_proxygen_generate(options, &result, NULL, &err);
        portolan_alloc_fail_at(0);
        if (status == PORTOLAN_OK)
            break;
        assert_int_equal(status, PORTOLAN_ENOMEM);
        assert_int_not_equal(access(output, F_OK), 0);
        assert_null(result.report);
    }
    assert_true(n > 10);
    for (size_t i = 0; i < result.n_files; i++)
        assert_int_equal(unlink(result.files[i]), 0);
    rmdir(output);
    rmdir(folder);
    portolan_proxygen_result_clear(&result);
}

static void a_header_fails_cleanly(void **state)
{
    static const char *const file = HEADERS "/solver.h";
    struct portolan_proxygen_options options = {.files = &file,
                                                .n_files = 1,
                                                .port = "solver=test.Solver",
                                                .context = HEADERS "/solver.context"};

    fail_everywhere(&options, 11); /* each run parses the header anew */
}

static void a_side_file_fails_cleanly(void **state)
{
    static const char *const file = HEADERS "/cases/own.h";
    struct portolan_proxygen_options options = {
        .files = &file, .n_files = 1, .port = "own", .context = HEADERS "/cases/own.context"};

    fail_everywhere(&options, 37);
}

static void a_header_with_objects_to_hand_out_fails_cleanly(void **state)
{
    static const char *const file = HEADERS "/stream.h";
    struct portolan_proxygen_options options = {
        .files = &file, .n_files = 1, .port = "stream", .context = HEADERS "/stream.context"};

    fail_everywhere(&options, 23);
}

static void a_class_fails_cleanly(void **state)
{
    static const char *const file = CLASSES "/small.hpp";
    struct portolan_proxygen_options options = {
        .files = &file, .n_files = 1, .port = "lab::Small", .context = CLASSES "/small.context"};

    fail_everywhere(&options, 7);
}

static void a_list_of_functions_fails_cleanly(void **state)
{
    static const char *const file = HEADERS "/cases/flat.h", *const functions = "flat_*",
                             *const flag = "-DNAME=1";
    struct portolan_proxygen_options options = {.files = &file,
                                                .n_files = 1,
                                                .port = "flat",
                                                .context = HEADERS "/cases/flat.context",
                                                .functions = &functions,
                                                .n_functions = 1,
                                                .front = true,
                                                .flags = &flag,
                                                .n_flags = 1};

    fail_everywhere(&options, 97);
}

static void sidl_fails_cleanly(void **state)
{
    static const char *const file = HEADERS "/kinds.sidl";
    struct portolan_proxygen_options options = {.files = &file, .n_files = 1, .port = "test.Kinds"};

    fail_everywhere(&options, 3);
}

UNIT_TESTS(cmocka_unit_test(a_header_fails_cleanly), cmocka_unit_test(a_side_file_fails_cleanly),
           cmocka_unit_test(a_header_with_objects_to_hand_out_fails_cleanly),
           cmocka_unit_test(a_class_fails_cleanly),
           cmocka_unit_test(a_list_of_functions_fails_cleanly),
           cmocka_unit_test(sidl_fails_cleanly))
