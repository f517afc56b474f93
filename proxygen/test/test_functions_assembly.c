/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of functions in assemblies: providers of shared objects, proxies, the front. */
#include "headers/list.h"
#include "lists.h"
#include "test_List_functions.h"

#include <string.h>

#undef list_short

#define USER(NAME)                                                                                 \
    "<instance name='" NAME "' class='test.User'/>"                                                \
    "<connect user='" NAME "' uses='list' provider='list' provides='functions'/>"
#define LIST                                                                                       \
    "<instance name='list' class='test.List_one'><alternative class='test.List_two'/></instance>"

static void begin(struct lists *l, const char *xml)
{
    if (lists_build(l, PLUG_INS, "test.List", xml) != PORTOLAN_OK)
        fail_msg("%s", l->err.text);
}

static void replace(struct lists *l, const char *class_name)
{
    if (lists_replace(l, "list", class_name) != PORTOLAN_OK)
        fail_msg("%s", l->err.text);
}

static void a_provider_gives_the_library_s_functions(void **state)
{
    struct lists l;
    const struct test_List_functions *f;

    begin(&l, "<assembly name='plain'><instance name='list' class='test.List_two'/>" USER(
                  "user") "</assembly>");
    f = lists_get(&l, "user");
    assert_int_equal(f->list_which(), 2);
    assert_int_equal(f->list_variadic(2, 20, 30), 52);
    lists_destroy(&l);
}

static void each_user_has_a_proxy_of_its_own(void **state)
{
    const struct test_List_functions *a, *b;
    struct portolan_probe_record r;
    struct lists l;
    char text[20];

    begin(&l, "<assembly name='two'>" LIST USER("a")
                  USER("b") "<instance name='watch' "
                            "class='test.Watch'/><monitor user='a' uses='list'/><monitor user='b' "
                            "uses='list'/></assembly>");
    a = lists_get(&l, "a");
    b = lists_get(&l, "b");
    assert_ptr_not_equal(a, b);
    assert_true(a->list_which != b->list_which);
    assert_int_equal(a->list_which() + a->list_which() + b->list_which(), 3);
    assert_int_equal(a->list_print(text, sizeof text, "%d", 1234), 1004);
    assert_true(a->list_variadic == b->list_variadic); /* passed on */
    r = records_node("list_which", 0);
    assert_string_equal(portolan_probe_method_peek(r.handle)->connection.user, "a");
    assert_int_equal(r.calls, 2);
    r = records_node("list_which", 1);
    assert_string_equal(portolan_probe_method_peek(r.handle)->connection.user, "b");
    assert_int_equal(r.calls, 1);
    assert_int_equal(records_of("list_print", "test.List_one").calls, 1);
    lists_destroy(&l);
}

static void what_a_user_holds_stays_good_over_a_swap(void **state)
{
    const struct test_List_functions *f;
    struct lists l;
    int (*which)(void);

    begin(&l, "<assembly name='swap'>" LIST USER(
                  "user") "<instance name='watch' "
                          "class='test.Watch'/><monitor user='user' uses='list'/></assembly>");
    f = lists_get(&l, "user");
    which = f->list_which;
    assert_int_equal(which(), 1);
    replace(&l, "test.List_two");
    assert_int_equal(which(), 2);
    assert_ptr_equal(lists_get(&l, "user"), f);
    assert_int_equal(f->list_variadic(1, 1), 3);
    replace(&l, "test.List_one");
    assert_int_equal(which(), 1);
    assert_int_equal(records_of("list_which", "test.List_one").calls, 2);
    assert_int_equal(records_of("list_which", "test.List_two").calls, 1);
    lists_destroy(&l);
}

static void what_a_library_lacks_is_null(void **state)
{
    const struct test_List_functions *f;
    struct lists l;

    begin(&l, "<assembly name='part'><instance name='list' class='test.List_one'><parameter "
              "name='library' type='string' value='" LIBRARIES "/libtest_list_part.so'/>"
              "<alternative class='test.List_two'><parameter name='library' type='string' "
              "value='" LIBRARIES
              "/libtest_list_two.so'/></alternative></instance>" USER("user") "</assembly>");
    f = lists_get(&l, "user");
    assert_int_equal(f->list_which(), 3);
    assert_null(f->list_weak);
    assert_null(f->list_print);
    /* The user may have looked once, and taken the function for lacking. */
    assert_int_not_equal(lists_replace(&l, "list", "test.List_two"), PORTOLAN_OK);
    assert_non_null(strstr(l.err.text, "exists in only one of the two implementations"));
    assert_int_equal(f->list_which(), 3);
    lists_destroy(&l);
}

static void expect_no_assembly(const char *xml, const char *text)
{
    struct lists l;

    assert_int_not_equal(lists_build(&l, PLUG_INS, "test.List", xml), PORTOLAN_OK);
    if (!strstr(l.err.text, text))
        fail_msg("'%s' does not say '%s'", l.err.text, text);
    lists_destroy(&l);
}

static void a_library_that_cannot_serve_is_an_exception(void **state)
{
    expect_no_assembly("<assembly name='mpi'><instance name='list' class='test.List_mpi'/>"
                       "</assembly>",
                       "calls MPI itself");
    expect_no_assembly("<assembly name='none'><instance name='list' class='test.List_one'>"
                       "<parameter name='library' type='string' value='libnowhere.so.1'/>"
                       "</instance></assembly>",
                       "libnowhere.so.1: no shared object of that name");
    expect_no_assembly("<assembly name='libc'><instance name='list' class='test.List_one'>"
                       "<parameter name='library' type='string' value='libc.so.6'/>"
                       "</instance></assembly>",
                       "has none of the");
}

static void there_are_only_so_many_proxies(void **state)
{
    expect_no_assembly("<assembly name='many'>" LIST USER("a") USER("b") USER("c") USER("d")
                           USER("e") USER("f") USER("g") USER("h") USER("i") "</assembly>",
                       "compiled for 8 proxies");
}

/* ------------------------------------------------------------------ the front */

#define FRONT                                                                                      \
    "<instance name='code' class='test.ListFront'/>"                                               \
    "<connect user='code' uses='functions' provider='list' provides='functions'/>"

static void code_that_calls_by_name_goes_through_the_front_s_port(void **state)
{
    struct lists l;

    assert_int_equal(list_excluded(), 1); /* linked with list_one */
    assert_int_equal(list_which(), 1);
    begin(&l, "<assembly name='front'><instance name='list' class='test.List_two'/>" FRONT
              "</assembly>");
    assert_int_equal(list_which(), 2);
    assert_int_equal(records_of("list_which", NULL).calls, 0);
    lists_destroy(&l);
    assert_int_equal(list_which(), 1);
}

static void a_front_s_connection_is_measured_and_swapped_like_any_other(void **state)
{
    struct lists l;

    begin(&l, "<assembly name='front'>" LIST FRONT "<instance name='watch' class='test.Watch'/>"
              "<monitor user='code' uses='functions'/></assembly>");
    assert_int_equal(list_which(), 1);
    replace(&l, "test.List_two");
    assert_int_equal(list_which(), 2);
    assert_int_equal(records_of("list_which", "test.List_one").calls, 1);
    assert_int_equal(records_of("list_which", "test.List_two").calls, 1);
    lists_destroy(&l);
}

static void fortran_s_hidden_lengths_pass_front_and_proxy(void **state)
{
    test_List_list_text__with_lengths text =
        (test_List_list_text__with_lengths)(portolan_functions_fn)list_text_;
    const struct test_List_functions *f;
    struct lists l;
    double sum;
    int n = 7;

    begin(&l, "<assembly name='front'>" LIST FRONT "<instance name='watch' class='test.Watch'/>"
              "<monitor user='code' uses='functions'/>" USER("user") "<monitor user='user' "
                                                                     "uses='list'/></assembly>");
    assert_int_equal(text("", &n, "", "", &sum, 12, 34, 56), 563412);
    f = lists_get(&l, "user");
    text = (test_List_list_text__with_lengths)(portolan_functions_fn)f->list_text_;
    assert_int_equal(text("", &n, "", "", &sum, 12, 34, 56), 563412);
    assert_int_equal(records_of("list_text_", "test.List_one").calls, 2);
    lists_destroy(&l);
}

static void there_is_one_front(void **state)
{
    expect_no_assembly("<assembly name='fronts'><instance name='a' class='test.ListFront'/>"
                       "<instance name='b' class='test.ListFront'/></assembly>",
                       "there is an instance of test.ListFront already");
}

UNIT_TESTS(cmocka_unit_test(a_provider_gives_the_library_s_functions),
           cmocka_unit_test(each_user_has_a_proxy_of_its_own),
           cmocka_unit_test(what_a_user_holds_stays_good_over_a_swap),
           cmocka_unit_test(what_a_library_lacks_is_null),
           cmocka_unit_test(a_library_that_cannot_serve_is_an_exception),
           cmocka_unit_test(there_are_only_so_many_proxies),
           cmocka_unit_test(code_that_calls_by_name_goes_through_the_front_s_port),
           cmocka_unit_test(a_front_s_connection_is_measured_and_swapped_like_any_other),
           cmocka_unit_test(fortran_s_hidden_lengths_pass_front_and_proxy),
           cmocka_unit_test(there_is_one_front))
