/* SPDX-License-Identifier: BSD-3-Clause */
/* A document and a page of a store whose numbers are known (analysis/export/test/sample_store.h).
 */
#include <unit_test.h>

#include "../internal.h"

#include "sample_store.h"

struct fixture {
    struct portolan_store *store;
    struct portolan_trial_list trials;
    struct portolan_report_source source;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    /* Without Graphviz: thousands of documents are written. */
    setenv("PATH", "", 1);
    assert_int_equal(portolan_store_open(":memory:", PORTOLAN_STORE_WRITE, &f->store, NULL), 0);
    assert_int_equal(sample_store_fill(f->store, false, NULL), 0);
    assert_int_equal(portolan_trials_select(f->store, "1", &f->trials, NULL), 0);
    f->source = (struct portolan_report_source){
        .store = f->store, .store_name = "known", .trials = &f->trials};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    portolan_trials_clear(&f->trials);
    portolan_store_close(f->store);
    free(f);
    return 0;
}

static json_t *read_document(const struct fixture *f)
{
    struct portolan_text text = {0};
    json_t *document;

    assert_int_equal(portolan_report_write_json(&f->source, &text, NULL), PORTOLAN_OK);
    document = json_loads(text.bytes, 0, NULL);
    assert_non_null(document);
    portolan_text_clear(&text);
    return document;
}

static const json_t *find_path(const json_t *document, const char *label)
{
    const json_t *paths = json_object_get(json_object_get(document, "time"), "paths");

    for (size_t i = 0; i < json_array_size(paths); i++)
        if (!strcmp(report_text(json_array_get(paths, i), "label"), label))
            return json_array_get(paths, i);
    fail_msg("no call path '%s'", label);
    return NULL;
}

/* Rank r takes r + 1 times the microseconds of the fixture, in as many calls: means are 1.5 times
 * these. */
static void numbers_are_means_over_ranks(void **state)
{
    json_t *document = read_document(*state);
    const json_t *solve = find_path(document, "solver.solve [heat.Cholmod]");
    const json_t *apply = find_path(document, "pre.apply [heat.Jacobi]");

    assert_true(report_number(document, "shown_trial") == 1);
    assert_true(report_number(solve, "calls") == 4);
    assert_true(report_number(solve, "inclusive_ns") == 800e3 * 1.5);
    assert_true(report_number(solve, "exclusive_ns") == 700e3 * 1.5);
    assert_true(report_number(solve, "mpi_ns") == 50e3 * 1.5);
    assert_true(report_number(solve, "slowest_ns") == 800e3 * 2);
    assert_true(report_number(solve, "slowest_rank") == 1);
    assert_true(report_number(apply, "depth") == 2);
    json_decref(document);
}

static void ranks_have_their_own(void **state)
{
    json_t *document = read_document(*state);
    const json_t *ranks = json_object_get(json_object_get(document, "time"), "ranks");
    const json_t *apply = find_path(document, "pre.apply [heat.Jacobi]");
    const json_t *paths = json_object_get(json_object_get(document, "time"), "paths");

    assert_int_equal(json_array_size(ranks), 2);
    for (size_t r = 0; r < 2; r++) {
        const json_t *times = json_object_get(json_array_get(ranks, r), "inclusive_ns");

        for (size_t i = 0; i < json_array_size(paths); i++)
            if (json_array_get(paths, i) == apply)
                assert_true(json_number_value(json_array_get(times, i)) == 100e3 * (double)(r + 1));
    }
    json_decref(document);
}

static void pages_escape_and_end(void **state)
{
    const struct portolan_report_page page = {.d3 = "/nowhere"};
    struct portolan_text text = {0}, html = {0};
    struct fixture *f = *state;

    f->source.store_name = "</script><script>alert(1)</script>";
    assert_int_equal(portolan_report_write_json(&f->source, &text, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_report_write_page(text.bytes, &page, &html, NULL), PORTOLAN_OK);
    assert_null(strstr(html.bytes, "<script>alert"));
    assert_non_null(strstr(html.bytes, "\\u003c/script>\\u003cscript>alert"));
    assert_non_null(strstr(html.bytes, "&lt;/script&gt;"));
    assert_null(strstr(html.bytes, "{{"));
    assert_non_null(strstr(html.bytes, "</html>\n"));
    f->source.store_name = "known";
    portolan_text_clear(&text);
    portolan_text_clear(&html);
}

static void other_texts_are_refused(void **state)
{
    const struct portolan_report_page page = {0};
    struct portolan_text html = {0};

    assert_int_equal(portolan_report_write_page("{\"portolan\": \"profile\"}", &page, &html, NULL),
                     PORTOLAN_EINVAL);
    assert_int_equal(portolan_report_write_page("not JSON", &page, &html, NULL), PORTOLAN_EINVAL);
    assert_null(html.bytes);
}

static void memory_may_end_anywhere(void **state)
{
    const struct portolan_report_page page = {.d3 = "/nowhere"};
    const struct fixture *f = *state;
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n;

    for (n = 1; status != PORTOLAN_OK; n++) {
        struct portolan_text text = {0}, html = {0};

        assert_true(n < 100000);
        portolan_alloc_fail_at(n);
        status = portolan_report_write_json(&f->source, &text, NULL);
        if (!status)
            status = portolan_report_write_page(text.bytes, &page, &html, NULL);
        portolan_alloc_fail_at(0);
        assert_true(!status || status == PORTOLAN_ENOMEM);
        portolan_text_clear(&text);
        portolan_text_clear(&html);
    }
    assert_true(n > 30); /* it counted */
}

UNIT_TESTS_BETWEEN(set_up, tear_down, cmocka_unit_test(numbers_are_means_over_ranks),
                   cmocka_unit_test(ranks_have_their_own), cmocka_unit_test(pages_escape_and_end),
                   cmocka_unit_test(other_texts_are_refused),
                   cmocka_unit_test(memory_may_end_anywhere))
