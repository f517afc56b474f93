/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases for lists of functions: this program is linked with a generated front and with the
 * library, and calls the functions by their names.
 */
#include "cases.h"

#include "headers/cases/flat.h"

#include <portolan/functions.h>

struct portolan_functions_front *flat_front(void);

static struct portolan_functions_library *library;

static int bind_front(void **state)
{
    struct portolan_error err = {0};

    if (portolan_functions_library_open(flat_front()->description, LIBRARY, &library, &err) !=
            PORTOLAN_OK ||
        portolan_functions_front_bind(flat_front(), library, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    portolan_probe_port_set_flags(&flat_front()->port, PORTOLAN_PROBE_MONITORED);
    return 0;
}

static void values_travel_as_they_are(void **state)
{
    const struct flat_pair p = flat_by_value((struct flat_pair){1, 2}, 3 + 4 * I, 5.5L);
    const flat_four v = flat_vector((flat_four){1, 2, 3, 4}, (flat_four){5, 6, 7, 8});
    const double x[3] = {1, 2, 4};

    assert_true(p.d == 9.5 && p.i == 6);
    assert_true(v[0] == 5 && v[3] == 32);
    assert_int_equal(flat_other(1, 2.5), 3);
    assert_true(flat_sum(3, x) == 7);
    assert_int_equal(records_node("flat_sum", 0).context[0].value, 3);
    assert_int_equal(records_of("flat_by_value", NULL).calls, 1);
    assert_int_equal(records_of("flat_vector", NULL).calls, 1);
    assert_int_equal(records_of("flat_other", NULL).calls, 1);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void attributes_behind_macros_are_told_apart(void **state)
{
    assert_int_equal(flat_old(3), 3);
    assert_int_equal(records_of("flat_old", NULL).calls, 1);
}
#pragma GCC diagnostic pop

static void handles_stay_the_library_s(void **state)
{
    struct flat_handle *handle = flat_open(40);

    assert_int_equal(flat_get(handle, 2), 42);
    flat_close(handle);
    assert_int_equal(records_of("flat_get", NULL).calls, 1);
}

static void variadic_functions_are_forwarded_to_twins_or_left_alone(void **state)
{
    char line[50];

    assert_int_equal(flat_log(line, sizeof line, "%s %.1f %d", "a", 2.5, 3), 7);
    assert_string_equal(line, "a 2.5 3");
    assert_int_equal(records_of("flat_log", NULL).calls, 1);
    assert_int_equal(flat_trace(3, 1, 2, 3), 6);
    assert_int_equal(records_of("flat_trace", NULL).calls, 0);
}

static double visit(void *user, int i)
{
    portolan_probe_clock_advance(100);
    return i * *(double *)user;
}

static void time_in_a_callback_is_the_callers(void **state)
{
    double two = 2;

    assert_true(flat_each(visit, &two, 3) == 6);
    assert_true(records_of("flat_each", NULL).exclusive_ns == 10);
    assert_true(records_of("flat_each.visit", NULL).exclusive_ns == 300);
    assert_string_equal(cases_parent("flat_each.visit"), "flat_each");
}

static int again(int depth)
{
    return flat_recursive(again, depth);
}

static void a_callback_may_come_back_through_the_port(void **state)
{
    assert_int_equal(flat_recursive(again, 5), 5);
    assert_int_equal(records_of("flat_recursive", NULL).calls, 6);
    assert_true(records_of("flat_recursive", NULL).exclusive_ns == 6);
}

static void results_come_out_and_accuracies_with_them(void **state)
{
    double residual;

    assert_int_equal(flat_ask(NULL), 1);
    assert_false(records_of("flat_ask", NULL).has_quality);
    flat_ask(&residual);
    assert_true(residual == 0.5 && records_of("flat_ask", NULL).quality == 0.5);
}

static void other_names_of_symbols_and_macros_reach_the_function(void **state)
{
    const double x[1] = {1};

    assert_int_equal(flat_renamed(2), 6);
    assert_int_equal(flat_generic(3), 9);
    assert_int_equal(records_of("flat_renamed", NULL).calls, 2);
    assert_true(flat_short_cut(1, x) == 1);
    assert_int_equal(records_of("flat_sum", NULL).calls, 1);
    assert_int_equal(flat_macro(flat_inline(2)), 5);
}

static void what_never_returns_is_counted_and_what_returns_twice_is_not(void **state)
{
    jmp_buf where;

    if (setjmp(where) == 0)
        flat_never(where);
    assert_int_equal(records_of("flat_never", NULL).calls, 1);
    if (setjmp(where) == 0)
        flat_end(where);
    assert_int_equal(records_of("flat_end", NULL).calls, 1);
    assert_int_equal(flat_twice(where), 0);
    assert_int_equal(records_of("flat_twice", NULL).calls, 0);
}

UNIT_TESTS_BETWEEN(bind_front, NULL, CASE(values_travel_as_they_are),
                   CASE(attributes_behind_macros_are_told_apart), CASE(handles_stay_the_library_s),
                   CASE(variadic_functions_are_forwarded_to_twins_or_left_alone),
                   CASE(time_in_a_callback_is_the_callers),
                   CASE(a_callback_may_come_back_through_the_port),
                   CASE(results_come_out_and_accuracies_with_them),
                   CASE(other_names_of_symbols_and_macros_reach_the_function),
                   CASE(what_never_returns_is_counted_and_what_returns_twice_is_not))
