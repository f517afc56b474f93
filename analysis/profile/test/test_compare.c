/* SPDX-License-Identifier: BSD-3-Clause */
/* What is the same call path, what is tested, and what is said of it. */
#include "fixture.h"

#include <portolan/compare.h>

#include <math.h>
#include <string.h>

enum { TRIALS = 5 };

struct side {
    const struct portolan_profile *profiles[TRIALS];
};

/* Trials of f, which calls g; TINY is a call path of 0.1 %, EXTRA one that the others lack. */
static struct side make_side(struct portolan_store *store, double f, double g,
                             const char *implementation, const char *compiler, bool extra)
{
    struct side s;

    for (int i = 0; i < TRIALS; i++) {
        const struct portolan_name_value facts[] = {{"compiler", compiler}, {"host", "brig"}};
        double noise = 1 + 0.002 * ((i * 3) % TRIALS);
        const struct row rows[] = {
            {-1, "a.f", 0, 0, 1, f + g * noise + 2, f, 0, 0, f, f, f * f, 0, NULL},
            {0, "b.g", 0, 0, 1, g * noise, g * noise, 0, 0, g, g, g * g, 0, implementation},
            {0, "c.tiny", 0, 0, 1, noise * f / 1000, noise * f / 1000, 0, 0, 1, 1, 1, 0, NULL},
            {0, "d.extra", 0, 0, 1, 100 * noise, 100 * noise, 0, 0, 1, 1, 1, 0, NULL},
        };
        int64_t id = begin_trial(store, 1, facts, N_OF(facts));

        put_rows(store, id, 0, rows, extra ? 4 : 3);
        end_trial(store, id, "finished");
        s.profiles[i] = read_profile(store, &(struct portolan_profile_query){.trial = id});
    }
    return s;
}

static void destroy_side(struct side *s)
{
    for (int i = 0; i < TRIALS; i++)
        portolan_profile_destroy((struct portolan_profile *)s->profiles[i]);
}

static struct portolan_comparison *compare(const struct side *a, const struct side *b, size_t n)
{
    static const struct portolan_comparison_query query = {
        .threshold = 0.05, .level = 0.05, .share = 0.0001};
    struct portolan_comparison *c = NULL;
    struct portolan_error err = {0};

    if (portolan_compare(a->profiles, n, b->profiles, n, &query, &c, &err))
        fail_msg("%s", err.text);
    return c;
}

static const struct portolan_comparison_row *find(const struct portolan_comparison *c,
                                                  const char *label)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (!strcmp(c->rows[i].label, label))
            return &c->rows[i];
    fail_msg("no call path %s", label);
    return NULL;
}

static void call_paths_are_the_same_whatever_implements_them(void **state)
{
    struct side a = make_side(*state, 1000, 2000, "old.G", "gcc 12", false);
    struct side b = make_side(*state, 1000, 1000, "new.G", "gcc 12", false);
    struct portolan_comparison *c = compare(&a, &b, TRIALS);
    const struct portolan_comparison_row *g = find(c, "b.g");

    assert_int_equal(c->n_rows, 3);
    assert_string_equal(g->in_a, "old.G");
    assert_string_equal(g->in_b, "new.G");
    assert_int_equal(g->verdict, PORTOLAN_VERDICT_FASTER);
    assert_true(fabs(g->ratio.value - 0.5) < 0.01);
    assert_true(g->ratio.low <= 0.5 && 0.5 <= g->ratio.high);
    assert_int_equal(find(c, "a.f")->verdict, PORTOLAN_VERDICT_SAME);
    assert_false(c->is_regression);
    assert_int_equal(c->n_facts, 0);
    portolan_comparison_destroy(c);
    destroy_side(&a);
    destroy_side(&b);
}

static void what_is_new_or_gone_is_no_regression_of_itself(void **state)
{
    struct side a = make_side(*state, 1000, 2000, NULL, "gcc 12", false);
    struct side b = make_side(*state, 1000, 2000, NULL, "gcc 13", true);
    struct portolan_comparison *c = compare(&a, &b, TRIALS);

    assert_int_equal(find(c, "d.extra")->verdict, PORTOLAN_VERDICT_NEW);
    assert_false(c->is_regression);
    assert_int_equal(c->n_facts, 1);
    assert_string_equal(c->facts[0].name, "compiler");
    assert_string_equal(c->facts[0].in_b, "gcc 13");
    portolan_comparison_destroy(c);
    c = compare(&b, &a, TRIALS);
    assert_int_equal(find(c, "d.extra")->verdict, PORTOLAN_VERDICT_GONE);
    portolan_comparison_destroy(c);
    destroy_side(&a);
    destroy_side(&b);
}

/* 5 and 5 trials without overlap: p = 2 / 252. */
static void small_shares_are_not_tested_and_the_others_as_one_family(void **state)
{
    struct side a = make_side(*state, 1000, 2000, NULL, "gcc 12", false);
    struct side b = make_side(*state, 1000, 3000, NULL, "gcc 12", false);
    struct portolan_comparison *c = compare(&a, &b, TRIALS);
    const struct portolan_comparison_row *g = find(c, "b.g");

    assert_int_equal(c->n_tested, 2); /* elapsed is 1e6 ns: f has 0.1 %, g 0.25 %, tiny 1e-6 */
    assert_int_equal(find(c, "c.tiny")->verdict, PORTOLAN_VERDICT_NOT_TESTED);
    assert_true(isnan(find(c, "c.tiny")->p_holm));
    assert_true(fabs(g->p - 2. / 252) < 1e-12);
    assert_true(fabs(g->p_holm - 2 * g->p) < 1e-12);
    assert_int_equal(g->verdict, PORTOLAN_VERDICT_SLOWER);
    assert_true(c->is_regression);
    assert_int_equal(c->total.verdict, PORTOLAN_VERDICT_SAME); /* its time is as stored */
    portolan_comparison_destroy(c);
    destroy_side(&a);
    destroy_side(&b);
}

static void too_few_trials_tell_nothing(void **state)
{
    struct side a = make_side(*state, 1000, 2000, NULL, "gcc 12", false);
    struct side b = make_side(*state, 1000, 9000, NULL, "gcc 12", false);
    struct portolan_comparison *c = compare(&a, &b, 3);

    assert_int_equal(c->total.verdict, PORTOLAN_VERDICT_CANNOT_TELL);
    assert_int_equal(find(c, "b.g")->verdict, PORTOLAN_VERDICT_CANNOT_TELL);
    assert_false(c->is_regression);
    assert_int_equal(c->enough_for_total, 4);
    assert_int_equal(c->enough_for_paths, 5);
    portolan_comparison_destroy(c);
    destroy_side(&a);
    destroy_side(&b);
}

static void without_memory_nothing_is_compared(void **state)
{
    struct side a = make_side(*state, 1000, 2000, "old.G", "gcc 12", true);
    struct side b = make_side(*state, 1000, 3000, "new.G", "gcc 13", false);
    const struct portolan_comparison_query query = {.threshold = 0.05, .level = 0.05};

    for (unsigned long at = 1;; at++) {
        struct portolan_comparison *c = NULL;
        struct portolan_text out = {0};
        struct portolan_error err = {0};
        enum portolan_status status;

        portolan_alloc_fail_at(at);
        status = portolan_compare(a.profiles, TRIALS, b.profiles, TRIALS, &query, &c, &err);
        if (status == PORTOLAN_OK)
            status = portolan_comparison_write(c, 1, false, &out, &err);
        if (status == PORTOLAN_OK && out.failed)
            status = PORTOLAN_ENOMEM;
        if (status == PORTOLAN_OK)
            status = portolan_comparison_write_json(c, &out, &err);
        portolan_alloc_fail_at(0);
        portolan_text_clear(&out);
        portolan_comparison_destroy(c);
        if (status == PORTOLAN_OK)
            break;
        assert_int_equal(status, PORTOLAN_ENOMEM);
    }
    destroy_side(&a);
    destroy_side(&b);
}

static void trials_are_found_by_what_they_were(void **state)
{
    static const struct portolan_name_value brig[] = {{"host", "brig"}, {"label", "a,b&c"}};
    static const struct portolan_name_value sloop[] = {{"host", "sloop"}, {"label", "base"}};
    static const struct {
        const char *text;
        size_t n;
        int64_t first;
    } cases[] = {
        {"2", 1, 2},
        {"1-2", 2, 1},
        {"1,3", 2, 1},
        {"host=sloop", 2, 2},
        {"host=s*&1-2", 1, 2},
        {"label:base,1", 3, 1},
        {"label:a\\,b\\&c", 1, 1},
        {"plate", 3, 1},
        {"name:pl*", 3, 1},
        {"outcome:finished", 1, 3},
        {"purpose:run", 3, 1},
        {NULL, 3, 1},
    };
    struct portolan_trial_list list;
    struct portolan_error err = {0};

    begin_trial(*state, 1, brig, N_OF(brig));
    begin_trial(*state, 1, sloop, N_OF(sloop));
    end_trial(*state, begin_trial(*state, 1, sloop, N_OF(sloop)), "finished");
    for (size_t i = 0; i < N_OF(cases); i++) {
        if (portolan_trials_select(*state, cases[i].text, &list, &err))
            fail_msg("%s: %s", cases[i].text, err.text);
        if (list.n != cases[i].n || list.trials[0]->id != cases[i].first)
            fail_msg("%s: %zu trials", cases[i].text, list.n);
        portolan_trials_clear(&list);
    }
    assert_int_equal(portolan_trials_select(*state, "1,9", &list, &err), PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "no trial matches '9'; portolan trials lists the trials");
    err = (struct portolan_error){0};
    assert_int_equal(portolan_trials_select(*state, "1,,2", &list, &err), PORTOLAN_EINVAL);
}

#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, setup_store, teardown_store)

UNIT_TESTS(STORE_TEST(call_paths_are_the_same_whatever_implements_them),
           STORE_TEST(what_is_new_or_gone_is_no_regression_of_itself),
           STORE_TEST(small_shares_are_not_tested_and_the_others_as_one_family),
           STORE_TEST(too_few_trials_tell_nothing), STORE_TEST(without_memory_nothing_is_compared),
           STORE_TEST(trials_are_found_by_what_they_were))
