/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON as it is written: numbers that read as what they were, texts that are UTF-8. */
#include <math.h>
#include <portolan/json.h>
#include <unit_test.h>

static void numbers_read_as_what_they_were(void **state)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 5e-324, -123456.789, 1e15, 77000.5};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct portolan_text t = {0};

        portolan_text_add_number(&t, values[i]);
        assert_true(strtod(t.bytes, NULL) == values[i]);
        assert_true(t.length < 25);
        portolan_text_clear(&t);
    }
}

static void write_all(struct portolan_json *j)
{
    portolan_json_open(j, NULL, '{');
    portolan_json_number(j, "tenth", 0.1);
    portolan_json_number(j, "whole", -1234567890123);
    portolan_json_open(j, "list", '[');
    portolan_json_number(j, NULL, NAN);
    portolan_json_text(j, NULL, NULL);
    portolan_json_bool(j, NULL, true);
    portolan_json_close(j, ']');
    portolan_json_text(j, "a\"b", "c\\\n\x01\xc3\xa9\xff\xe2\x82z");
    portolan_json_open(j, "none", '{');
    portolan_json_close(j, '}');
    portolan_json_close(j, '}');
}

static void commas_blanks_and_escapes_are_set(void **state)
{
    struct portolan_text t = {0};
    struct portolan_json j = {.out = &t, .is_compact = true};

    write_all(&j);
    write_all(&j);
    assert_string_equal(
        t.bytes, "{\"tenth\":0.1,\"whole\":-1234567890123,\"list\":[null,null,true],"
                 "\"a\\\"b\":\"c\\\\\\u000a\\u0001\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\","
                 "\"none\":{}}\n{\"tenth\":0.1,\"whole\":-1234567890123,\"list\":[null,null,true],"
                 "\"a\\\"b\":\"c\\\\\\u000a\\u0001\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\","
                 "\"none\":{}}\n");
    portolan_text_clear(&t);
}

static void objects_of_a_list_have_lines(void **state)
{
    struct portolan_text t = {0};
    struct portolan_json j = {.out = &t};

    portolan_json_open(&j, NULL, '{');
    portolan_json_open(&j, "list", '[');
    for (int i = 0; i < 2; i++) {
        portolan_json_open(&j, NULL, '{');
        portolan_json_number(&j, "i", i);
        portolan_json_bool(&j, "even", i % 2 == 0);
        portolan_json_close(&j, '}');
    }
    portolan_json_close(&j, ']');
    portolan_json_close(&j, '}');
    assert_string_equal(t.bytes, "{\n \"list\": [\n  {\"i\": 0, \"even\": true},"
                                 "\n  {\"i\": 1, \"even\": false}\n ]\n}\n");
    portolan_text_clear(&t);
}

static void words_for_shells_are_quoted_where_they_need_it(void **state)
{
    assert_string_equal(portolan_shell_word("a/b-1.xml").text, "a/b-1.xml");
    assert_string_equal(portolan_shell_word("").text, "''");
    assert_string_equal(portolan_shell_word("it's a $(b)").text, "'it'\\''s a $(b)'");
}

UNIT_TESTS(cmocka_unit_test(words_for_shells_are_quoted_where_they_need_it),
           cmocka_unit_test(numbers_read_as_what_they_were),
           cmocka_unit_test(commas_blanks_and_escapes_are_set),
           cmocka_unit_test(objects_of_a_list_have_lines))
