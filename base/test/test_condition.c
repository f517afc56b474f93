/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>
#include <unit_test.h>

static bool look_up(void *arg, const char *name, struct portolan_condition_value *value)
{
    static const struct {
        const char *name;
        struct portolan_condition_value value;
    } known[] = {
        {"one", {NULL, 1}},
        {"n", {NULL, 1e5}},
        {"driver.n", {"7", 0}},
        {"kind", {"two words", 0}},
        {"solver.direct", {"true", 0}},
        {"x-y", {"-2.5e0", 0}},
        {"file", {"a/poisson.mtx", 0}},
    };

    (void)arg;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) {
            *value = known[i].value;
            return true;
        }
    return false;
}

static enum portolan_answer answer(const char *text)
{
    struct portolan_condition *c;
    struct portolan_error err = {0};
    enum portolan_answer a;

    if (portolan_condition_parse(text, &c, &err))
        fail_msg("%s", err.text);
    a = portolan_condition_evaluate(c, look_up, NULL);
    portolan_condition_destroy(c);
    return a;
}

static void comparisons_of_numbers_and_texts(void **state)
{
    static const char *const yes[] = {
        "one = 1",
        "one=1.0",
        "n >= 100000",
        "n<=1e5",
        "driver.n > 6",
        "driver.n < 7.5",
        "kind = 'two words'",
        "kind != two",
        "one = true",
        "x-y = -2.5",
        "solver.direct = true",
        "solver.direct = 1",
        "one != 2",
        "kind != 1",
        "file = a/poisson.mtx",
        "one > false",
        " ( one = 1 ) ",
        "file = 'a/poisson.mtx'",
    };
    static const char *const no[] = {
        "one = 2",       "one < 1",       "one > 1",    "n != 1e5",
        "kind = 1",      "kind = ''",     "one = word", "solver.direct = false",
        "driver.n <= 6", "driver.n >= 8",
    };
    static const char *const unknown[] = {"m = 1", "m != 1", "kind < 1", "kind >= 1"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (answer(yes[i]) != PORTOLAN_YES)
            fail_msg("%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (answer(no[i]) != PORTOLAN_NO)
            fail_msg("%s", no[i]);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (answer(unknown[i]) != PORTOLAN_UNKNOWN)
            fail_msg("%s", unknown[i]);
}

/* Kleene's tables: all 9 pairs for both, and the precedence. */
static void unknown_counts_only_where_it_matters(void **state)
{
    static const char *const atoms[] = {"one = 2", "one = 1", "m = 1"};
    char text[100];

    for (int a = 0; a < 3; a++) {
        snprintf(text, sizeof text, "not %s", atoms[a]);
        assert_int_equal(answer(text), a == 2 ? 2 : !a);
        for (int b = 0; b < 3; b++) {
            snprintf(text, sizeof text, "%s and %s", atoms[a], atoms[b]);
            assert_int_equal(answer(text), a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? 2 : 1);
            snprintf(text, sizeof text, "%s or %s", atoms[a], atoms[b]);
            assert_int_equal(answer(text), a == 1 || b == 1 ? 1 : a == 2 || b == 2 ? 2 : 0);
        }
    }
    assert_int_equal(answer("one = 1 or m = 1 and one = 2"), PORTOLAN_YES);
    assert_int_equal(answer("(one = 1 or m = 1) and one = 2"), PORTOLAN_NO);
    assert_int_equal(answer("not one = 2 and not not one = 1"), PORTOLAN_YES);
    assert_int_equal(answer("not (one = 1 and n = 1e5)"), PORTOLAN_NO);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"", "'', character 1: the end, want a name, \"not\" or \"(\""},
        {"symmetric", "character 10: the end, want =, !=, <, <=, > or >="},
        {"symmetric == 1", "character 11: '==', want =, !=, <, <=, > or >="},
        {"symmetric =", "character 12: the end, want a number, a word or a 'quoted text'"},
        {"a = 1 b = 2", "character 7: 'b', want \"and\", \"or\" or the end"},
        {"a = 1 and", "character 10: the end, want a name"},
        {"(a = 1", "character 7: the end, want \"and\", \"or\" or \")\""},
        {"a = 1)", "character 6: ')', want \"and\", \"or\" or the end"},
        {"a < big", "character 5: 'big', want a number, for texts have no order"},
        {"a = 'big", "character 5: ''big', want a quote that closes it"},
        {"'a' = 1", "character 1: ''a'', want a name"},
        {"or a = 1", "character 1: 'or', want a name"},
    };
    char deep[1000] = "";

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct portolan_condition *c;
        struct portolan_error err = {0};

        assert_int_equal(portolan_condition_parse(bad[i].text, &c, &err), PORTOLAN_ESYNTAX);
        assert_null(c);
        if (!strstr(err.text, bad[i].expected))
            fail_msg("%s\nexpected: %s\nheard: %s", bad[i].text, bad[i].expected, err.text);
    }
    memset(deep, '(', sizeof deep - 1);
    assert_int_equal(portolan_condition_parse(deep, &(struct portolan_condition *){NULL}, NULL),
                     PORTOLAN_ESYNTAX);
}

static void names_are_listed_in_their_order(void **state)
{
    struct portolan_condition *c;

    assert_int_equal(portolan_condition_parse("b = 1 or not (a < 2 and b = c)", &c, NULL), 0);
    assert_string_equal(portolan_condition_peek_name(c, 0), "b");
    assert_string_equal(portolan_condition_peek_name(c, 1), "a");
    assert_string_equal(portolan_condition_peek_name(c, 2), "b");
    assert_null(portolan_condition_peek_name(c, 3));
    portolan_condition_destroy(c);
    portolan_condition_destroy(NULL);
}

static void every_failed_allocation_is_survived(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;

    for (unsigned long n = 0; next_allocation_fails(&n, status);) {
        struct portolan_condition *c;
        struct portolan_error err = {0};

        status = portolan_condition_parse("not (a = 1 or b = 'c')", &c, &err);
        portolan_alloc_fail_at(0);
        assert_int_equal(err.status, status);
        portolan_condition_destroy(c);
    }
}

static void numbers_are_what_lies_in_their_range(void **state)
{
    double x = 0;

    assert_true(portolan_condition_number(look_up, NULL, "driver.n", 0, 7, &x) && x == 7);
    assert_true(portolan_condition_number(look_up, NULL, "solver.direct", 0, 1, &x) && x == 1);
    assert_false(portolan_condition_number(look_up, NULL, "n", 0, 7, &x));
    assert_false(portolan_condition_number(look_up, NULL, "kind", 0, 7, &x));
    assert_false(portolan_condition_number(look_up, NULL, "nobody", 0, 7, &x));
}

UNIT_TESTS(cmocka_unit_test(comparisons_of_numbers_and_texts),
           cmocka_unit_test(unknown_counts_only_where_it_matters),
           cmocka_unit_test(what_is_wrong_is_said_with_its_place),
           cmocka_unit_test(names_are_listed_in_their_order),
           cmocka_unit_test(numbers_are_what_lies_in_their_range),
           cmocka_unit_test(every_failed_allocation_is_survived))
