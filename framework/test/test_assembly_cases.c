/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases of a sweep: tuples of parameters and contexts, in the assembly or in a file. */
#include <unit_test.h>

#include "assembly_check.h"

#define MATRICES                                                                                   \
    "<instance name='d' class='c'><parameter name='m' type='string' value='a/p.mtx'/>"             \
    "<parameter name='t' type='double' value='100'/></instance>"

static const char with_cases[] =
    A(MATRICES "<sweep budget='3' timeout='2.5'>\n<cases columns='n d.m d.t symmetric'>\n"
               "<case values='100 a/p.mtx 1e2 1'/>\n<case values='9 b/q.mtx 1e-3 0'/>\n"
               "<case values='9 c/q.mtx 1 0'/>\n<case values='4 \"a &lt;b&quot;&quot;.mtx\" 1 1'/>"
               "</cases>\n<vary instance='d' parameter='k' values='1 2'/></sweep>");

static void cases_are_tuples_of_parameters_and_contexts(void **state)
{
    struct portolan_assembly *a = read_good(with_cases);

    assert_int_equal(a->n_case_columns, 4);
    assert_null(a->case_columns[0].instance);
    assert_string_equal(a->case_columns[0].parameter, "n");
    assert_string_equal(a->case_columns[1].instance, "d");
    assert_string_equal(a->case_columns[1].parameter, "m");
    assert_int_equal(a->n_cases, 4);
    assert_int_equal(a->n_sweeps, 1);
    assert_null(a->cases_file);
    assert_int_equal(a->cases[1].line, 5);
    assert_string_equal(portolan_assembly_case_name(a, 1), "b/q.mtx");
    assert_string_equal(portolan_assembly_case_name(a, 3), "a <b\".mtx");

    assert_int_equal(portolan_assembly_set_case(a, 1, NULL), PORTOLAN_OK);
    assert_string_equal(portolan_assembly_peek_parameter(a, "d", "t"), "1e-3");
    portolan_assembly_destroy(a);
}

static void cases_are_found_by_name(void **state)
{
    struct portolan_assembly *a = read_good(with_cases);
    struct portolan_error e[4] = {{0}};
    size_t i = 9;

    assert_int_equal(portolan_assembly_peek_case(a, "p.mtx", &i, NULL), PORTOLAN_OK);
    assert_int_equal(i, 0);
    assert_int_equal(portolan_assembly_peek_case(a, "c/q.mtx", &i, NULL), PORTOLAN_OK);
    assert_int_equal(i, 2);
    assert_int_equal(portolan_assembly_peek_case(a, "q.mtx", &i, &e[0]), PORTOLAN_EINVAL);
    assert_string_equal(e[0].text,
                        "'q.mtx' matches 2 cases of assembly 'a'; set the parameters of one");
    assert_int_equal(portolan_assembly_peek_case(a, "pp.mtx", &i, &e[1]), PORTOLAN_ENOTFOUND);
    assert_string_equal(e[1].text, "assembly 'a' has no case 'pp.mtx'; did you mean 'p.mtx'?");
    assert_int_equal(portolan_assembly_keep_cases(a, (const size_t[]){2, 0}, 2, NULL), PORTOLAN_OK);
    assert_int_equal(a->n_cases, 2);
    assert_int_equal(portolan_assembly_peek_case(a, "q.mtx", &i, NULL), PORTOLAN_OK);
    assert_int_equal(i, 0);
    assert_int_equal(a->cases[0].line, 6);
    portolan_assembly_destroy(a);
    a = read_good(A());
    assert_int_equal(portolan_assembly_peek_case(a, "p", &i, &e[2]), PORTOLAN_ENOTFOUND);
    assert_string_equal(e[2].text, "assembly 'a' lists no cases");
    portolan_assembly_destroy(a);
}

/* Reads an assembly beside a file of cases that holds CSV. */
static enum portolan_status read_with_csv(const char *csv, struct heard *h,
                                          struct portolan_assembly **a)
{
    static const char text[] = A(MATRICES "<sweep><cases file='c.csv'/></sweep>");
    struct portolan_diagnostics d = {hear, h, 0};
    enum portolan_status status;

    test_file_write("c.csv", csv);
    status = portolan_assembly_read_text(text, strlen(text), test_file("a.xml"), &d, a, NULL);
    assert_int_equal(remove(test_file("c.csv")), 0);
    return status;
}

static void cases_come_from_a_file_too(void **state)
{
    static const struct {
        const char *csv, *expected;
    } bad[] = {
        {"", "1:0: there is no line with the names of columns"},
        {"d.m,n\n", "1:0: there is no case"},
        {"# no head\nd.m,d.x\np,1\n", "2:0: instance 'd' is given no parameter 'x'"},
        {"d.m,n\np,1\n\nq,one\n", "4:0: value 'one' of context 'n' is not a finite number"},
        {"d.m,n\np\n", "2:0: 1 values, but there are 2 columns"},
        {"d.m,n\n\"p,1\n", "2:0: a quote is not closed, or text follows it"},
        {"d.m,n\np,1\np,2\n", "3:0: case 'p' has the parameters of the one on line 2"},
    };
    struct heard h = {0};
    struct portolan_assembly *a, *b;
    char *text;

    assert_int_equal(read_with_csv("\xef\xbb\xbf"
                                   "d.m , n\r\n# small ones\r\n\"a, b.mtx\",3\r\n c.mtx , 4\r\n",
                                   &h, &a),
                     PORTOLAN_OK);
    assert_int_equal(a->n_cases, 2);
    assert_string_equal(a->cases[0].values[0], "a, b.mtx");
    assert_string_equal(a->cases[1].values[1], "4");
    assert_int_equal(a->cases[1].line, 4);
    assert_non_null(strstr(a->cases_file, "/c.csv"));
    assert_int_equal(portolan_assembly_write(a, NULL, &text, NULL), PORTOLAN_OK);
    b = read_good(text); /* the file is gone */
    assert_string_equal(b->cases[0].values[0], "a, b.mtx");
    free(text);
    portolan_assembly_destroy(a);
    portolan_assembly_destroy(b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        h.text[0] = '\0';
        assert_int_equal(read_with_csv(bad[i].csv, &h, &a), PORTOLAN_ESYNTAX);
        if (!strstr(h.text, bad[i].expected))
            fail_msg("expected: %s\nheard: %s", bad[i].expected, h.text);
    }
}

UNIT_TESTS_BETWEEN(test_folder_make, test_folder_remove,
                   cmocka_unit_test(cases_are_tuples_of_parameters_and_contexts),
                   cmocka_unit_test(cases_are_found_by_name),
                   cmocka_unit_test(cases_come_from_a_file_too))
