/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>
#include <unit_test.h>

/* All fields as "line:column=field|"; what is reported stands behind. */
static const char *read_all(char separator, char comment, const char *text)
{
    static struct heard h;
    static char all[1000];
    struct portolan_arena arena = {0};
    struct portolan_diagnostics d = {hear, &h, 0};
    struct portolan_csv c = {
        .arena = &arena, .d = &d, .file = "f", .separator = separator, .comment = comment};
    size_t length = 0;

    h.text[0] = all[0] = '\0';
    portolan_csv_begin(&c, text, strlen(text));
    while (portolan_csv_next(&c))
        for (size_t i = 0; i < c.n_fields; i++)
            length += (size_t)snprintf(all + length, sizeof all - length, "%d:%d=%s|", c.line,
                                       c.columns[i], c.fields[i]);
    assert_false(arena.failed);
    portolan_arena_clear(&arena);
    snprintf(all + length, sizeof all - length, "%s", h.text);
    return all;
}

static void fields_are_told_from_what_is_around_them(void **state)
{
    assert_string_equal(read_all(',', 0, "a,b c , d\n1,,3"),
                        "1:1=a|1:3=b c|1:9=d|2:1=1|2:3=|2:4=3|");
    assert_string_equal(read_all(',', 0, "a,\n,b\n,\n"), "1:1=a|1:3=|2:1=|2:2=b|3:1=|3:2=|");
    assert_string_equal(read_all(',', '#',
                                 "\xef\xbb\xbf"
                                 "a,b\r\n\r\n  \n# no, row\n1,2\r\n"),
                        "1:1=a|1:3=b|5:1=1|5:3=2|");
    assert_string_equal(read_all(',', 0, "#1\n"), "1:1=#1|");
    assert_string_equal(read_all(',', 0, ""), "");
}

static void quotes_hold_what_would_end_a_field(void **state)
{
    assert_string_equal(read_all(',', 0, "\"a,b\" ,\"say \"\"no\"\"\",\"\"\n"),
                        "1:1=a,b|1:8=say \"no\"|1:21=|");
    assert_string_equal(read_all(',', 0, "a\"b,c\n"), "1:1=a\"b|1:5=c|");
    assert_string_equal(read_all(',', 0, "a,\"b\n\"c\" d\nx,y\n"),
                        "3:1=x|3:3=y|"
                        "f:1:0: a quote is not closed, or text follows it\n"
                        "f:2:0: a quote is not closed, or text follows it\n");
}

static void other_separators_are_known(void **state)
{
    assert_string_equal(read_all(' ', 0, "  a \t b  \"c d\" \n"), "1:3=a|1:7=b|1:10=c d|");
    assert_string_equal(read_all(0, 0, "a b;c\n1 2;3\n"), "1:1=a b|1:5=c|2:1=1 2|2:5=3|");
    assert_string_equal(read_all(0, 0, "a\tb\t\n1\t\t3\n"), "1:1=a|1:3=b|1:5=|2:1=1|2:3=|2:4=3|");
    assert_string_equal(read_all(0, 0, "a b\n1  2\n"), "1:1=a|1:3=b|2:1=1|2:4=2|");
    assert_string_equal(read_all(' ', 0, "\"a\"b\n"),
                        "f:1:0: a quote is not closed, or text follows it\n");
}

static void many_fields_are_read(void **state)
{
    char text[400];
    struct portolan_arena arena = {0};
    struct portolan_csv c = {.arena = &arena, .separator = ','};

    memset(text, ',', sizeof text);
    text[298] = 'x';
    portolan_csv_begin(&c, text, sizeof text);
    assert_true(portolan_csv_next(&c));
    assert_int_equal(c.n_fields, sizeof text);
    assert_string_equal(c.fields[298], "x");
    portolan_arena_clear(&arena);
}

static void every_failed_allocation_is_survived(void **state)
{
    bool done = false;

    for (unsigned long n = 1; !done; n++) {
        struct portolan_arena arena = {0};
        struct portolan_csv c = {.arena = &arena, .separator = ','};

        portolan_alloc_fail_at(n);
        portolan_csv_begin(&c, "a,\"b\"", 5);
        done = portolan_csv_next(&c);
        portolan_alloc_fail_at(0);
        assert_int_equal(done, !arena.failed);
        portolan_arena_clear(&arena);
    }
}

UNIT_TESTS(cmocka_unit_test(fields_are_told_from_what_is_around_them),
           cmocka_unit_test(quotes_hold_what_would_end_a_field),
           cmocka_unit_test(other_separators_are_known), cmocka_unit_test(many_fields_are_read),
           cmocka_unit_test(every_failed_allocation_is_survived))
