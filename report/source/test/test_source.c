/* SPDX-License-Identifier: BSD-3-Clause */
/* What is reported, of what a user names. */
#include <portolan/report_source.h>
#include <portolan/trials.h>

#include "unit_test.h"

static enum portolan_status no_machine(const char *file, char **name, struct portolan_error *err)
{
    *name = NULL;
    return portolan_error_set(err, PORTOLAN_EIO, "no %s", file);
}

static const struct study_means means = {.name_machine = no_machine};

/* A store with N trials that finished. */
static const char *make_store(const char *name, int n)
{
    const struct portolan_trial t = {.assembly = "plate", .purpose = "fixed", .ranks = 1};
    const char *path = test_file(name);
    struct portolan_store *store;
    int64_t id;

    assert_int_equal(portolan_store_open(path, PORTOLAN_STORE_WRITE, &store, NULL), PORTOLAN_OK);
    for (int i = 0; i < n; i++)
        if (portolan_store_begin_trial(store, &t, &id, NULL) ||
            portolan_store_end_trial(store, id, "finished", 1e9, NULL))
            fail();
    portolan_store_close(store);
    return path;
}

static void a_store_is_reported_without_its_assembly(void **state)
{
    struct report_request q = {.means = &means, .study.assembly.file = make_store("three.db", 3)};
    struct report_source s;
    struct portolan_error err = {0};

    if (report_source_open(&s, &q, true, &err))
        fail_msg("%s", err.text);
    assert_int_equal(s.trials.n, 3);
    assert_null(s.source.assembly);
    assert_non_null(s.source.no_plan); /* and why nothing is chosen */
    assert_null(s.source.before);
    report_source_close(&s);
}

static void two_sets_are_before_and_now(void **state)
{
    struct report_request q = {.means = &means,
                               .study.assembly.file = make_store("sets.db", 3),
                               .sets = {"1", "2-3"},
                               .n_sets = 2};
    struct report_source s;
    struct portolan_error err = {0}, none = {0};

    if (report_source_open(&s, &q, false, &err))
        fail_msg("%s", err.text);
    assert_int_equal(s.source.before->n, 1);
    assert_int_equal(s.source.trials->n, 2);
    report_source_close(&s);
    q.sets[1] = "9";
    assert_int_not_equal(report_source_open(&s, &q, false, &none), PORTOLAN_OK);
    report_source_close(&s);
    report_request_clear(&q);
}

static void a_document_can_be_made_again(void **state)
{
    struct report_request q = {.means = &means, .study.assembly.file = make_store("again.db", 1)};
    struct portolan_text first = {0}, second = {0};
    struct portolan_error err = {0};
    char *name;

    if (report_document(&q, &first, &err) || report_document(&q, &second, &err) ||
        report_store_name(&q, &name, &err))
        fail_msg("%s", err.text);
    assert_string_equal(first.bytes, second.bytes);
    assert_string_equal(name, q.study.assembly.file);
    free(name);
    portolan_text_clear(&first);
    portolan_text_clear(&second);
    report_request_clear(&q);
}

static void a_store_of_assemblies_has_no_text_of_a_program(void **state)
{
    struct assembly_options o = {.file = make_store("text.db", 1)};
    struct portolan_text out = {0};
    struct portolan_error err = {0};

    assert_int_equal(report_store_text(&o, 80, &out, &err), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "has no trial of a wrapped program"));
    assert_int_equal(out.length, 0);
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove,
                   cmocka_unit_test(a_store_is_reported_without_its_assembly),
                   cmocka_unit_test(two_sets_are_before_and_now),
                   cmocka_unit_test(a_document_can_be_made_again),
                   cmocka_unit_test(a_store_of_assemblies_has_no_text_of_a_program))
