/* SPDX-License-Identifier: BSD-3-Clause */
/* What completion offers, by the place in the line. */
#include <portolan/ccaffeine.h>
#include <unit_test.h>

static struct portolan_interpreter *in;

static int begin(void **state)
{
    static const char *const lines[] = {
        "create script.Starter starter", "create script.Starter second",
        "create script.Printer printer", "port-property starter printer depth Int 1"};
    struct portolan_interpreter_options o = {.path = COMPONENTS};
    struct portolan_error err = {0};

    unsetenv("PORTOLAN_PATH");
    if (portolan_interpreter_create(&o, &in, &err) != PORTOLAN_OK)
        return 1;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (portolan_interpreter_do(in, lines[i], &err) != PORTOLAN_OK)
            return 1;
    return 0;
}

static int end(void **state)
{
    portolan_interpreter_destroy(in);
    return 0;
}

static void offers(const char *line, const char *expected)
{
    struct portolan_text t = {0};
    char **words, *text;
    size_t n;

    assert_int_equal(portolan_interpreter_complete(in, line, &words, &n, NULL), PORTOLAN_OK);
    assert_null(words[n]);
    for (size_t i = 0; i < n; i++)
        portolan_text_add(&t, "%s%s", i ? " " : "", words[i]);
    assert_int_equal(portolan_text_take(&t, &text, NULL), PORTOLAN_OK);
    assert_string_equal(text, expected);
    free(text);
    free(words);
}

static void commands_come_first(void **state)
{
    offers("con", "configure connect");
    offers("  pal", "palette pallet");
    offers("set", ""); /* the GUI's own are no commands for people */
    offers("help por", "port-property");
    offers("nonsense ", "");
}

static void classes_and_instances_follow(void **state)
{
    offers("create script.P", "script.PrintServer script.Printer");
    offers("create script.Printer ", "");
    offers("remove ", "printer second starter");
    offers("connect s", "second starter");
    offers("repository get script.St", "script.Starter");
    offers("repository get-l", "get-lazy get-lazy-global");
    offers("repository list ", "");
    offers("display c", "chain component");
    offers("display component p", "printer");
    offers("display arena ", "");
    offers("nuke ", "all");
}

static void ports_are_those_of_their_instance(void **state)
{
    offers("connect starter ", "printer");
    offers("conn starter printer printer p", "printer");
    offers("connect printer ", "");
    offers("go starter ", "go");
    offers("go printer ", "");
    offers("port-property starter ", "CONFIG go printer");
    offers("go nobody ", "");
    offers("go start ", "go"); /* a shortened name is one */
}

static void fields_and_keys_are_asked_for(void **state)
{
    offers("parameters starter ", "CONFIG");
    offers("parameters starter CONFIG ", "ALL fails label n seconds values");
    offers("parameters starter CONFIG l", "label");
    offers("parameters starter go ", "ALL fails label n seconds values"); /* one object */
    offers("parameters printer printer ", "");
    offers("parameters starter CONFIG n ", "");
    offers("property starter s", "seconds");
    offers("port-property starter printer ", "cca.portName cca.portType depth");
    offers("port-property starter printer depth Int", "Int IntArray");
}

static void memory_that_runs_out_is_told(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    char **words = NULL;
    size_t n = 0;

    for (unsigned long i = 0; next_allocation_fails(&i, status);) {
        status = portolan_interpreter_complete(in, "connect s", &words, &n, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || !words);
    }
    assert_int_equal(status, PORTOLAN_OK);
    free(words);
}

UNIT_TESTS_BETWEEN(begin, end, cmocka_unit_test(commands_come_first),
                   cmocka_unit_test(classes_and_instances_follow),
                   cmocka_unit_test(ports_are_those_of_their_instance),
                   cmocka_unit_test(fields_and_keys_are_asked_for),
                   cmocka_unit_test(memory_that_runs_out_is_told))
