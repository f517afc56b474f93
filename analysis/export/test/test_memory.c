/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation may fail: then nothing was written or stored, and nothing leaks. */
#include "sample_store.h"

#include <portolan/export.h>
#include <unistd.h>
#include <unit_test.h>

static char folder[64];
static struct portolan_store *store;

static int set_up(void **state)
{
    strcpy(folder, "/tmp/portolan-export-XXXXXX");
    if (!mkdtemp(folder) ||
        portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, NULL) != PORTOLAN_OK)
        return -1;
    return sample_store_fill(store, true, NULL) == PORTOLAN_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[120];

    portolan_store_close(store);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Writes FORMAT with failing allocations until none fails any more. */
static void write_without_memory(const char *format)
{
    int64_t trials[4] = {1};
    char path[100];
    struct portolan_export_options o = {.format = portolan_export_find_format(format),
                                        .store = store,
                                        .trials = trials,
                                        .n_trials = 1,
                                        .path = path};
    enum portolan_status status = PORTOLAN_ENOMEM;

    assert_non_null(o.format);
    if (o.format->takes_several)
        for (o.n_trials = 0; o.n_trials < 4; o.n_trials++)
            trials[o.n_trials] = (int64_t)o.n_trials + 2;
    snprintf(path, sizeof path, "%s/%s", folder, format);
    for (unsigned long n = 1; status != PORTOLAN_OK; n++) {
        struct portolan_error err = {0};

        portolan_alloc_fail_at(n);
        status = portolan_export_write(&o, &err);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        assert_int_equal(err.status, status);
        assert_int_equal(access(path, F_OK), status == PORTOLAN_OK ? 0 : -1);
    }
}

static void every_format_is_written_or_not_at_all(void **state)
{
    for (const struct portolan_export_format *f = portolan_export_formats(); f->name; f++)
        write_without_memory(f->name);
}

static size_t count_trials(void)
{
    struct portolan_sample_set *set = NULL;
    size_t n;

    assert_int_equal(portolan_store_read(store, NULL, false, &set, NULL), PORTOLAN_OK);
    n = set->n_trials;
    portolan_sample_set_destroy(set);
    return n;
}

static void import_without_memory(const char *path)
{
    const char *paths[] = {path};
    const struct portolan_import_options o = {.paths = paths, .n_paths = 1};
    enum portolan_status status = PORTOLAN_ENOMEM;
    size_t before = count_trials();

    for (unsigned long n = 1; status != PORTOLAN_OK; n++) {
        struct portolan_error err = {0};
        int64_t id;

        portolan_alloc_fail_at(n);
        status = portolan_import_tau(store, &o, &id, NULL, &err);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
        assert_int_equal(err.status, status);
        assert_int_equal(count_trials(), before + (status == PORTOLAN_OK));
    }
}

static void a_profile_is_imported_or_not_at_all(void **state)
{
    import_without_memory(PROFILES "/calls");
    import_without_memory(PROFILES "/several");
}

UNIT_TESTS(cmocka_unit_test_setup_teardown(every_format_is_written_or_not_at_all, set_up,
                                           tear_down),
           cmocka_unit_test_setup_teardown(a_profile_is_imported_or_not_at_all, set_up, tear_down))
