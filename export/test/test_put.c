/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and numbers as formats have them; files that appear as a whole. */
#include "../internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], file[100];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/portolan-export-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/out", folder);
    return 0;
}

static int remove_all(void **state)
{
    char command[120];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* What WRITE puts, as text of the caller's. */
static char *written(void (*write)(struct sink *s))
{
    char *text = NULL;
    size_t n = 0;
    struct sink s;
    FILE *f = open_memstream(&text, &n);

    assert_non_null(f);
    sink_use(&s, f);
    write(&s);
    assert_int_equal(sink_close(&s, PORTOLAN_OK, NULL), PORTOLAN_OK);
    fclose(f);
    return text;
}

#define expect_written(write, expected)                                                            \
    do {                                                                                           \
        char *text = written(write);                                                               \
        assert_string_equal(text, expected);                                                       \
        free(text);                                                                                \
    } while (0)

static void put_integers(struct sink *s)
{
    static const int64_t values[] = {0, -1, 1234567890123, INT64_MAX, INT64_MIN};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        sink_integer(s, values[i]);
        sink_put(s, " ");
    }
}

static void whole_numbers_are_written(void **state)
{
    (void)state;
    expect_written(put_integers, "0 -1 1234567890123 9223372036854775807 -9223372036854775808 ");
}

static void put_times(struct sink *s)
{
    static const int64_t values[] = {0, 1, 999, 1000, 1050, 1234567, -7};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        sink_microseconds(s, values[i]);
        sink_put(s, " ");
    }
}

static void nanoseconds_become_microseconds(void **state)
{
    (void)state;
    expect_written(put_times, "0.000 0.001 0.999 1.000 1.050 1234.567 -0.007 ");
}

static void numbers_read_as_what_they_were(void **state)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, -123456.789, 1e15, 77000.5, 3};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = NULL;
        size_t n = 0;
        FILE *f = open_memstream(&text, &n);
        struct sink s;

        sink_use(&s, f);
        sink_number(&s, values[i], "none");
        assert_int_equal(sink_close(&s, PORTOLAN_OK, NULL), PORTOLAN_OK);
        fclose(f);
        assert_true(strtod(text, NULL) == values[i]);
        assert_true(values[i] != 0.1 || !strcmp(text, "0.1"));
        free(text);
    }
}

static void put_no_numbers(struct sink *s)
{
    sink_number(s, NAN, "null");
    sink_number(s, -INFINITY, "0");
}

static void what_is_no_number_is_said(void **state)
{
    (void)state;
    expect_written(put_no_numbers, "null0");
}

static void put_json(struct sink *s)
{
    sink_json(s, "a\"b\\c\n\x01\xc3\xa9\xff\xe2\x82z");
}

static void json_strings_are_escaped_and_utf8(void **state)
{
    (void)state;
    expect_written(put_json,
                   "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\"");
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void a_file_appears_when_it_is_closed(void **state)
{
    struct portolan_error err = {0};
    struct sink s = {0};

    (void)state;
    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_OK);
    sink_put(&s, "text");
    assert_false(exists(file));
    assert_int_equal(sink_close(&s, PORTOLAN_OK, &err), PORTOLAN_OK);
    assert_true(exists(file));
    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_EEXISTS);
    assert_non_null(strstr(err.text, "is there already"));
}

static void what_fails_leaves_nothing(void **state)
{
    struct portolan_error err = {0};
    struct sink s = {0};

    (void)state;
    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_OK);
    sink_put(&s, "text");
    assert_int_equal(sink_close(&s, PORTOLAN_ENOTFOUND, &err), PORTOLAN_ENOTFOUND);
    assert_false(exists(file));
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_file_that_came_meanwhile_stays(void **state)
{
    struct portolan_error err = {0};
    struct sink s = {0};
    struct stat there;
    FILE *other;

    (void)state;
    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_OK);
    sink_put(&s, "ours");
    other = fopen(file, "w");
    assert_non_null(other);
    fclose(other);
    assert_int_equal(sink_close(&s, PORTOLAN_OK, &err), PORTOLAN_EEXISTS);
    assert_int_equal(stat(file, &there), 0);
    assert_int_equal(there.st_size, 0);
}

static bool is_data(const char *name)
{
    return !strcmp(name, "data");
}

static void put_data(struct folder *f, const char *text)
{
    char *path = portolan_asprintf("%s/data", f->temporary);
    FILE *data = fopen(path, "w");

    assert_non_null(data);
    fputs(text, data);
    fclose(data);
    free(path);
}

static void a_folder_is_replaced_as_a_whole_and_only_when_asked(void **state)
{
    struct portolan_error err = {0};
    struct folder f = {0};

    (void)state;
    assert_int_equal(folder_open(&f, file, false, is_data, &err), PORTOLAN_OK);
    put_data(&f, "1");
    assert_int_equal(folder_close(&f, PORTOLAN_OK, &err), PORTOLAN_OK);
    assert_int_equal(folder_open(&f, file, false, is_data, &err), PORTOLAN_EEXISTS);
    err = (struct portolan_error){0};
    assert_int_equal(folder_open(&f, file, true, is_data, &err), PORTOLAN_OK);
    put_data(&f, "22");
    assert_int_equal(folder_close(&f, PORTOLAN_EIO, &err), PORTOLAN_EIO); /* the old one stays */
    assert_true(exists(file));
    assert_int_equal(folder_open(&f, file, true, is_data, &err), PORTOLAN_OK);
    put_data(&f, "333");
    assert_int_equal(folder_close(&f, PORTOLAN_OK, &err), PORTOLAN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_written),
        cmocka_unit_test(nanoseconds_become_microseconds),
        cmocka_unit_test(numbers_read_as_what_they_were),
        cmocka_unit_test(what_is_no_number_is_said),
        cmocka_unit_test(json_strings_are_escaped_and_utf8),
        cmocka_unit_test_setup_teardown(a_file_appears_when_it_is_closed, make_folder, remove_all),
        cmocka_unit_test_setup_teardown(what_fails_leaves_nothing, make_folder, remove_all),
        cmocka_unit_test_setup_teardown(a_file_that_came_meanwhile_stays, make_folder, remove_all),
        cmocka_unit_test_setup_teardown(a_folder_is_replaced_as_a_whole_and_only_when_asked,
                                        make_folder, remove_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
