/* SPDX-License-Identifier: BSD-3-Clause */
/* Extra-P's forms: the examples of its own documentation and tests, and everything wrong. */
#include "check.h"

#include <portolan/extrap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct portolan_measurements *read_text(const char *text)
{
    struct portolan_measurements *m = NULL;
    struct portolan_error err = {0};

    if (portolan_measurements_read(text, strlen(text), "it", NULL, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

/* Two parameters, two call paths, two metrics, repetitions: written by hand in each form. */
static const char in_text[] = "# a comment\n"
                              "PARAMETER x\n"
                              "PARAMETER  y\r\n\n"
                              "POINTS ( 20 1 ) (20 2)\n"
                              "POINTS ((30) (1))\n"
                              "REGION main->solve it\n"
                              "METRIC time\n"
                              "DATA 1 2\n"
                              "DATA 3.5\t4.25\n"
                              "DATA -5e-1\n"
                              "METRIC calls\n"
                              "DATA 7\nDATA 8\nDATA 9\n"
                              "REGION main\n"
                              "METRIC time\n"
                              "DATA 10\n# another\nDATA 11\nDATA 12";

static const char in_json[] =
    "{\"parameters\": [\"x\", \"y\"],\n"
    " \"measurements\": {\n"
    "  \"main->solve it\": {\n"
    "   \"time\": [{\"point\": [20, 1], \"values\": [1, 2]}, {\"point\": [20, 2], \"values\": "
    "[3.5, 4.25]},\n"
    "            {\"point\": [30, 1], \"values\": [-0.5]}],\n"
    "   \"calls\": [{\"point\": [20, 1], \"values\": [7]}, {\"point\": [20, 2], \"values\": [8]},\n"
    "             {\"values\": [9], \"point\": [30, 1]}]},\n"
    "  \"main\": {\"time\": [{\"point\": [20, 1], \"values\": [10]},\n"
    "   {\"point\": [20, 2], \"values\": [11]}, {\"point\": [30, 1], \"values\": 12}]}}}\n";

static void assert_is_the_example(const struct portolan_measurements *m)
{
    static const double time_x[] = {20, 1, 20, 1, 20, 2, 20, 2, 30, 1};
    static const double time_y[] = {1, 2, 3.5, 4.25, -0.5}, calls_y[] = {7, 8, 9};
    static const double main_x[] = {20, 1, 20, 2, 30, 1}, main_y[] = {10, 11, 12};

    assert_int_equal(m->n_params, 2);
    assert_string_equal(m->params[0], "x");
    assert_string_equal(m->params[1], "y");
    assert_int_equal(m->n, 3);
    assert_string_equal(m->items[0].callpath, "main->solve it");
    assert_string_equal(m->items[0].metric, "time");
    assert_int_equal(m->items[0].n_rows, 5);
    assert_memory_equal(m->items[0].x, time_x, sizeof time_x);
    assert_memory_equal(m->items[0].y, time_y, sizeof time_y);
    assert_string_equal(m->items[1].callpath, "main->solve it");
    assert_string_equal(m->items[1].metric, "calls");
    assert_int_equal(m->items[1].n_rows, 3);
    assert_memory_equal(m->items[1].x, main_x, sizeof main_x);
    assert_memory_equal(m->items[1].y, calls_y, sizeof calls_y);
    assert_string_equal(m->items[2].callpath, "main");
    assert_string_equal(m->items[2].metric, "time");
    assert_memory_equal(m->items[2].y, main_y, sizeof main_y);
}

static void every_form_is_told_by_its_content(void **state)
{
    static const char *const texts[] = {in_text, in_json};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct portolan_measurements *m = read_text(texts[i]);

        assert_is_the_example(m);
        portolan_measurements_destroy(m);
    }
}

static void every_form_is_written_and_read_back(void **state)
{
    struct portolan_measurements *m = read_text(in_text);

    for (int form = PORTOLAN_MEASUREMENTS_TEXT; form <= PORTOLAN_MEASUREMENTS_JSON; form++) {
        struct portolan_measurements *back;
        char *text = NULL;

        assert_int_equal(
            portolan_measurements_write(m, (enum portolan_measurements_format)form, &text, NULL),
            PORTOLAN_OK);
        back = read_text(text);
        assert_is_the_example(back);
        portolan_measurements_destroy(back);
        free(text);
    }
    portolan_measurements_destroy(m);
}

static void one_parameter_needs_no_parentheses_and_names_may_be_missing(void **state)
{
    struct portolan_measurements *m = read_text("PARAMETER p\nPOINTS 4 8 ( 16 )\nDATA 1\nDATA 2\n"
                                                "DATA 3 4\n");

    assert_string_equal(m->items[0].callpath, "");
    assert_string_equal(m->items[0].metric, "");
    assert_int_equal(m->items[0].n_rows, 4);
    assert_true(m->items[0].x[3] == 16);
    portolan_measurements_destroy(m);
}

static void numbers_keep_all_their_digits(void **state)
{
    double x[] = {1.0 / 3, 1e300}, y[] = {0.1 + 0.2, 4.9e-324};
    char *params[] = {"p"}, *text;
    struct portolan_measurement item = {"a \"b\"\\c", "\xc2\xb5s", 2, x, y};
    struct portolan_measurements m = {1, params, 1, &item, NULL}, *back;

    for (int form = PORTOLAN_MEASUREMENTS_TEXT; form <= PORTOLAN_MEASUREMENTS_JSON; form++) {
        assert_int_equal(
            portolan_measurements_write(&m, (enum portolan_measurements_format)form, &text, NULL),
            PORTOLAN_OK);
        back = read_text(text);
        assert_memory_equal(back->items[0].x, x, sizeof x);
        assert_memory_equal(back->items[0].y, y, sizeof y);
        assert_string_equal(back->items[0].callpath, item.callpath);
        assert_string_equal(back->items[0].metric, item.metric);
        portolan_measurements_destroy(back);
        free(text);
    }
}

/* ---- what is wrong ---- */

struct report {
    int line, column;
    char text[500];
};

static void note(void *arg, const char *file, int line, int column, const char *text)
{
    struct report *r = arg;

    assert_string_equal(file, "it");
    r->line = line;
    r->column = column;
    snprintf(r->text, sizeof r->text, "%s", text);
}

static void what_is_wrong_is_said_where_it_is(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *remedy;
    } cases[] = {
        {"", 1, 1, "no measurements"},
        {"PARAMETER p\nPOINTS 4\n", 1, 1, "no measurements"},
        {"size,time\n4,2\n", 1, 1, "a line must begin with PARAMETER"},
        {"PARAMETER p\nPOINTS 4\nDATE 1\n", 3, 1, "did you mean 'DATA'?"},
        {"PARAMETER\nPOINTS 4\n", 1, 10, "name is missing"},
        {"PARAMETER p q p\n", 1, 15, "named twice"},
        {"PARAMETER a b c d e f g h i\n", 1, 27, "at most 8"},
        {"POINTS 4\n", 1, 1, "PARAMETER must come"},
        {"PARAMETER p\nPOINTS 4 x\n", 2, 10, "not a finite number"},
        {"PARAMETER p\nPOINTS 4 nan\n", 2, 10, "not a finite number"},
        {"PARAMETER p q\nPOINTS (4 1) (8)\n", 2, 14,
         "2 coordinates, one for each parameter, not 1"},
        {"PARAMETER p q\nPOINTS 4 1\n", 2, 8, "not 1"},
        {"PARAMETER p\nPOINTS (4\n", 2, 10, "a ) is missing"},
        {"PARAMETER p\nPOINTS 4)\n", 2, 9, "has no matching ("},
        {"PARAMETER p\nPOINTS (((4)))\n", 2, 10, "too many parentheses"},
        {"PARAMETER p\nPOINTS\n", 2, 7, "a point is missing"},
        {"PARAMETER p\nPOINTS 4 8\nDATA 1\nREGION b\nDATA 1\n", 3, 1,
         "expected 2 DATA lines, one for each point, but found 1"},
        {"PARAMETER p\nPOINTS 4 8\nDATA 1\n", 3, 1,
         "expected 2 DATA lines, one for each point, but found 1"},
        {"PARAMETER p\nPOINTS 4\nDATA 1\nDATA 1\n", 4, 1, "more DATA lines"},
        {"PARAMETER p\nDATA 1\n", 2, 1, "POINTS must come"},
        {"PARAMETER p\nPOINTS 4\nDATA\n", 3, 5, "a value is missing"},
        {"PARAMETER p\nPOINTS 4\nDATA 1\nPOINTS 5\n", 4, 1, "before the first DATA"},
        {"PARAMETER p\nPOINTS 4\nPARAMETER q\n", 3, 1, "before the first POINTS"},
        {"PARAMETER p\nREGION \xff\n", 2, 1, "UTF-8"},
        {"[1]", 1, 1, "measurements must be an object"},
        {"{\"parameters\": [\"p\"],\n\"measurements\": {\"a\": {\"t\": [{\"point\": [4]}]}}}", 2,
         30, "\"values\" is missing"},
        {"{\"parameters\": [\"p\"],\n\"measurements\": {\"a\": {\"t\": [{\"point\": [4, 5],\n"
         "\"values\": [1]}]}}}",
         2, 40, "1 coordinate, one for each"},
        {"{\"parameters\": [\"p\"], \"measurements\": {\"a\": {\"t\": [{\"point\": [4], "
         "\"values\":\n"
         " [1, \"x\"]}]}}}",
         2, 6, "finite number"},
        {"{\"parameters\": [\"p\", \"p\"]}", 1, 22, "named twice"},
        {"{\"parameters\": []}", 1, 16, "a parameter is missing"},
        {"{\"parameters\": [\"p\"]}", 1, 1, "\"measurements\" is missing"},
        {"{\"parameters\": [\"p\"], \"measurements\": {}}", 1, 1, "no measurements"},
        {"{\"parameters\": [\"p\"],\n \"measurements\": [}", 2, 19, "not JSON"},
        {"{\"callpaths\": [{\"id\": 1}]}", 1, 1, "Extra-P's older JSON, which is not read"},
        {"{\"params\": {\"x\": 1}, \"value\": 1}\n", 1, 1, "JSON Lines, which is not read"},
        {"{\"parameters\": [{\"id\": 1}]}", 1, 17, "a parameter must be a string"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct portolan_measurements *m = NULL;
        struct report report = {0};
        struct portolan_diagnostics diagnostics = {note, &report, 0};
        struct portolan_error err = {0};
        char place[40];

        if (portolan_measurements_read(cases[i].text, strlen(cases[i].text), "it", &diagnostics, &m,
                                       &err) != PORTOLAN_ESYNTAX ||
            m || diagnostics.count != 1 || report.line != cases[i].line ||
            report.column != cases[i].column || !strstr(report.text, cases[i].remedy))
            fail_msg("%s: %d:%d: %s", cases[i].text, report.line, report.column, report.text);
        snprintf(place, sizeof place, "it:%d:%d: ", cases[i].line, cases[i].column);
        assert_memory_equal(err.text, place, strlen(place));
    }
}

static void what_a_form_cannot_carry_is_refused(void **state)
{
    double x[] = {1, 2, 3, 4, 5}, y[] = {1, NAN};
    char *params[] = {"a", "b", "c", "d", "e"}, *text = NULL;
    struct portolan_measurement items[] = {{"p", "m", 1, x, y}, {"p", "m", 1, x, y}};
    struct portolan_measurements five = {5, params, 1, items, NULL};
    struct portolan_measurements twice = {1, params, 2, items, NULL};
    struct portolan_measurements none = {0, params, 1, items, NULL};
    struct portolan_error err = {0};

    assert_int_equal(portolan_measurements_write(&five, PORTOLAN_MEASUREMENTS_TEXT, &text, &err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(err.text, "write JSON"));
    assert_int_equal(portolan_measurements_write(&five, PORTOLAN_MEASUREMENTS_JSON, &text, NULL),
                     PORTOLAN_OK);
    free(text);
    text = NULL;
    assert_int_equal(portolan_measurements_write(&none, PORTOLAN_MEASUREMENTS_JSON, &text, NULL),
                     PORTOLAN_EINVAL);
    items[0].callpath = "a\nb";
    five.n_params = 1;
    assert_int_equal(portolan_measurements_write(&five, PORTOLAN_MEASUREMENTS_TEXT, &text, NULL),
                     PORTOLAN_EINVAL);
    items[1].n_rows = 2;
    assert_int_equal(portolan_measurements_write(&twice, PORTOLAN_MEASUREMENTS_JSON, &text, NULL),
                     PORTOLAN_EINVAL);
    assert_null(text);
}

static void memory_may_run_out_anywhere(void **state)
{
    static const char *const texts[] = {in_text, in_json};

    for (size_t i = 0; i < COUNT(texts); i++) {
        enum portolan_status status = PORTOLAN_ENOMEM;

        for (unsigned long n = 1; status && n < 200; n++) {
            struct portolan_measurements *m = NULL;
            char *text = NULL;

            portolan_alloc_fail_at(n);
            status = portolan_measurements_read(texts[i], strlen(texts[i]), "it", NULL, &m, NULL);
            if (!status)
                status = portolan_measurements_write(m, (enum portolan_measurements_format)i, &text,
                                                     NULL);
            portolan_alloc_fail_at(0);
            assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
            assert_true((status == PORTOLAN_OK) == (text != NULL));
            portolan_measurements_destroy(m);
            free(text);
        }
        assert_int_equal(status, PORTOLAN_OK);
    }
}

UNIT_TESTS(cmocka_unit_test(every_form_is_told_by_its_content),
           cmocka_unit_test(every_form_is_written_and_read_back),
           cmocka_unit_test(one_parameter_needs_no_parentheses_and_names_may_be_missing),
           cmocka_unit_test(numbers_keep_all_their_digits),
           cmocka_unit_test(what_is_wrong_is_said_where_it_is),
           cmocka_unit_test(what_a_form_cannot_carry_is_refused),
           cmocka_unit_test(memory_may_run_out_anywhere))
