/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and folders that appear as a whole. */
#include "../internal.h"

#include <sys/stat.h>
#include <unistd.h>
#include <unit_test.h>

static char folder[64], file[100];

static int make_folder(void **state)
{
    strcpy(folder, "/tmp/portolan-export-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/out", folder);
    return 0;
}

static int remove_all(void **state)
{
    char command[120];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void a_file_appears_when_it_is_closed(void **state)
{
    struct portolan_error err = {0};
    struct sink s = {0};

    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_OK);
    portolan_text_add(&s.text, "text");
    assert_false(exists(file));
    assert_int_equal(sink_close(&s, PORTOLAN_OK, &err), PORTOLAN_OK);
    assert_true(exists(file));
    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_EEXISTS);
    assert_non_null(strstr(err.text, "exists already"));
}

static void what_fails_leaves_nothing(void **state)
{
    struct portolan_error err = {0};
    struct sink s = {0};

    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_OK);
    portolan_text_add(&s.text, "text");
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

    assert_int_equal(sink_open(&s, file, false, &err), PORTOLAN_OK);
    portolan_text_add(&s.text, "ours");
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

UNIT_TESTS(cmocka_unit_test_setup_teardown(a_file_appears_when_it_is_closed, make_folder,
                                           remove_all),
           cmocka_unit_test_setup_teardown(what_fails_leaves_nothing, make_folder, remove_all),
           cmocka_unit_test_setup_teardown(a_file_that_came_meanwhile_stays, make_folder,
                                           remove_all),
           cmocka_unit_test_setup_teardown(a_folder_is_replaced_as_a_whole_and_only_when_asked,
                                           make_folder, remove_all))
