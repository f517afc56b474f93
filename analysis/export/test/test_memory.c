/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation may fail: then nothing was written or stored, and nothing leaks. */
#include "sample_store.h"

#include <portolan/export.h>
#include <unistd.h>
#include <unit_test.h>

static struct portolan_store *store;

static int set_up(void **state)
{
    if (test_folder_make(NULL) ||
        portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &store, NULL) != PORTOLAN_OK)
        return -1;
    return sample_store_fill(store, true, NULL) == PORTOLAN_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    portolan_store_close(store);
    return test_folder_remove(state);
}

/* Writes FORMAT with failing allocations until none fails any more. */
static void write_without_memory(const char *format)
{
    int64_t trials[4] = {1};
    const char *path = test_file(format);
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
    for (unsigned long n = 0; next_allocation_fails(&n, status);) {
        struct portolan_error err = {0};

        status = portolan_export_write(&o, &err);
        portolan_alloc_fail_at(0);
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

    for (unsigned long n = 0; next_allocation_fails(&n, status);) {
        struct portolan_error err = {0};
        int64_t id;

        status = portolan_import_tau(store, &o, &id, NULL, &err);
        portolan_alloc_fail_at(0);
        assert_int_equal(err.status, status);
        assert_int_equal(count_trials(), before + (status == PORTOLAN_OK));
    }
}

static void a_profile_is_imported_or_not_at_all(void **state)
{
    import_without_memory(PROFILES "/calls");
    import_without_memory(PROFILES "/several");
}

static void a_failed_import_leaves_no_new_store(void **state)
{
    const char *bad[] = {PROFILES "/nothing-here"}, *good[] = {PROFILES "/calls"};
    struct portolan_import_options o = {.paths = bad, .n_paths = 1};
    const char *path = test_file("new.db");
    int64_t id;

    assert_int_not_equal(portolan_import_tau_at(path, &o, &id, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(access(path, F_OK), -1);
    o.paths = good;
    assert_int_equal(portolan_import_tau_at(path, &o, &id, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(id, 1);
    o.paths = bad;
    assert_int_not_equal(portolan_import_tau_at(path, &o, &id, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(access(path, F_OK), 0);
}

static void what_a_trial_lacks_is_listed(void **state)
{
    struct portolan_name_value facts[] = {{"steps not stored", "4-7"}, {"host", "a"}},
                               parameters[] = {{"mastermind.detail", "summary"}};
    struct portolan_trial t = {.id = 3,
                               .ranks = 2,
                               .metadata = facts,
                               .n_metadata = 2,
                               .parameters = parameters,
                               .n_parameters = 1};
    struct portolan_text out = {0};

    portolan_export_missing(&t, &out);
    assert_string_equal(out.bytes, "trial 3: steps not stored: 4-7\n"
                                   "trial 3 has the samples and rows of rank 0 alone "
                                   "(mastermind.detail=summary); statistics have all 2 ranks\n");
    portolan_text_clear(&out);
}

UNIT_TESTS(cmocka_unit_test(what_a_trial_lacks_is_listed),
           cmocka_unit_test_setup_teardown(a_failed_import_leaves_no_new_store, test_folder_make,
                                           test_folder_remove),
           cmocka_unit_test_setup_teardown(every_format_is_written_or_not_at_all, set_up,
                                           tear_down),
           cmocka_unit_test_setup_teardown(a_profile_is_imported_or_not_at_all, set_up, tear_down))
