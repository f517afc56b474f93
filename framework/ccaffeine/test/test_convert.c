/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts to assemblies and back: what goes over, and what is told. */
#include <portolan/ccaffeine.h>
#include <unit_test.h>

/* What the converter told: "line note|loss: text\n". */
struct told {
    struct portolan_text text;
    struct portolan_conversion c;
    struct portolan_error err;
};

static struct portolan_palette *palette;

static void keep_note(void *arg, const char *file, int line, bool loses, const char *text)
{
    portolan_text_add(&((struct told *)arg)->text, "%d %s: %s\n", line, loses ? "loss" : "note",
                      text);
}

static void hear_error(void *arg, const char *file, int line, int column, const char *text)
{
    portolan_text_add(&((struct told *)arg)->text, "%d error: %s\n", line, text);
}

static struct told *listen(struct told *t)
{
    *t = (struct told){.c = {.report = keep_note, .arg = t}};
    return t;
}

static int read_palette(void **state)
{
    struct portolan_error err = {0};

    return portolan_palette_create(&palette, &err) != PORTOLAN_OK ||
           portolan_palette_add_path(palette, COMPONENTS, NULL, &err) != PORTOLAN_OK;
}

static int drop_palette(void **state)
{
    portolan_palette_destroy(palette);
    return 0;
}

/* NULL with what is wrong in T. */
static char *to_xml(const char *file, const char *text, struct told *t)
{
    struct portolan_diagnostics d = {hear_error, t, 0};
    struct portolan_script *s;
    char *xml;

    assert_int_equal(portolan_script_read_text(text, strlen(text), file, &d, &s, &t->err),
                     PORTOLAN_OK);
    portolan_script_to_assembly(s, palette, NULL, &t->c, &d, &xml, &t->err);
    portolan_script_destroy(s);
    return xml;
}

static char *to_script(const char *xml, bool as_bld, struct told *t)
{
    struct portolan_assembly *a;
    char *text;

    if (portolan_assembly_read_text(xml, strlen(xml), "a.xml", NULL, &a, &t->err) != PORTOLAN_OK)
        fail_msg("%s", t->err.text);
    if (portolan_assembly_to_script(a, palette, as_bld, NULL, &t->c, &text, &t->err) != PORTOLAN_OK)
        fail_msg("%s", t->err.text);
    portolan_assembly_destroy(a);
    return text;
}

static void told_was(struct told *t, const char *expected)
{
    assert_string_equal(t->text.bytes ? t->text.bytes : "", expected);
    portolan_text_clear(&t->text);
}

#define HEAD                                                                                       \
    "#!ccaffeine bootstrap file.\n"                                                                \
    "# ------- don't change anything ABOVE this line.-------------\n"
#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static const char plain_script[] = HEAD "path set components:/opt/more\n"
                                        "repository get script.Starter\n"
                                        "repository get script.Printer\n"
                                        "property starter seconds 2.5\n"
                                        "instantiate script.Starter starter\n"
                                        "parameters starter CONFIG n 3\n"
                                        "parameters starter CONFIG label here we go\n"
                                        "instantiate script.Printer printer\n"
                                        "connect starter printer printer printer\n"
                                        "go starter go\n"
                                        "quit\n";
static const char plain_xml[] =
    XML_HEAD "<assembly name=\"a\">\n"
             "  <path dir=\"components\"/>\n"
             "  <path dir=\"/opt/more\"/>\n"
             "  <instance name=\"starter\" class=\"script.Starter\">\n"
             "    <parameter name=\"seconds\" type=\"double\" value=\"2.5\"/>\n"
             "    <configure port=\"CONFIG\" field=\"n\" value=\"3\"/>\n"
             "    <configure port=\"CONFIG\" field=\"label\" value=\"here we go\"/>\n"
             "  </instance>\n"
             "  <instance name=\"printer\" class=\"script.Printer\"/>\n"
             "  <connect user=\"starter\" uses=\"printer\" provider=\"printer\" "
             "provides=\"printer\"/>\n  <go instance=\"starter\" port=\"go\"/>\n"
             "</assembly>\n";

static void what_both_can_say_goes_over_both_ways(void **state)
{
    struct told t;
    char *xml = to_xml("a.rc", plain_script, listen(&t)), *script;

    assert_non_null(xml);
    assert_string_equal(xml, plain_xml);
    told_was(&t, "");
    script = to_script(xml, false, &t);
    assert_string_equal(script, plain_script);
    told_was(&t, "");
    assert_int_equal(t.c.losses, 0);
    free(xml);
    free(script);
}

static void a_name_of_its_own_goes_over(void **state)
{
    struct told t;
    char *script = to_script("<assembly name='my plate'/>", false, listen(&t)), *xml;

    assert_non_null(strstr(script, "#!ccaffeine bootstrap file. assembly=my plate\n"));
    xml = to_xml("a.rc", script, &t);
    assert_non_null(strstr(xml, "<assembly name=\"my plate\">"));
    told_was(&t, "");
    free(script);
    free(xml);
}

static void what_the_gui_saved_keeps_its_places(void **state)
{
    static const char bld[] = "setDropLocation 42 68\n"
                              "pulldown script.Starter starter\n"
                              "setDropLocation -34 87\n"
                              "pulldown script.Printer printer\n"
                              "connect starter printer printer printer\n"
                              "go starter go\n"
                              "eof\n";
    struct told t;
    char *xml = to_xml("a.bld", bld, listen(&t)), *again;

    assert_non_null(strstr(xml, "name=\"printer\" class=\"script.Printer\" x=\"-34\" y=\"87\""));
    again = to_script(xml, true, &t);
    assert_string_equal(again, bld);
    told_was(&t, "");
    free(again);
    again = to_script(xml, false, &t);
    told_was(&t, "3 note: a script does not say where 'starter' is shown\n"
                 "4 note: a script does not say where 'printer' is shown\n");
    free(again);
    free(xml);
}

static void a_script_is_followed_to_its_go(void **state)
{
    struct told t;
    char *xml =
        to_xml("a.rc",
               HEAD "pulldown script.Starter\ncreate start\ncreate script.Printer P\n"
                    "create script.Printer q\nconnect STARTER1 printer p printer\n"
                    "disconnect Starter1 printer P printer\nconn Starter1 printer q printer\n"
                    "remove P\nremove Starter0\ngo\n",
               listen(&t));

    assert_non_null(xml);
    assert_string_equal(xml,
                        XML_HEAD "<assembly name=\"a\">\n"
                                 "  <instance name=\"Starter1\" class=\"script.Starter\"/>\n"
                                 "  <instance name=\"q\" class=\"script.Printer\"/>\n"
                                 "  <connect user=\"Starter1\" uses=\"printer\" provider=\"q\" "
                                 "provides=\"printer\"/>\n"
                                 "  <go instance=\"Starter1\" port=\"go\"/>\n</assembly>\n");
    told_was(&t, "4 note: class 'start' is taken to be 'script.Starter', which the palette has at "
                 "present\n");
    free(xml);
}

static void what_an_assembly_cannot_say_is_told_by_line(void **state)
{
    struct told t;
    char *xml = to_xml("a.rc",
                       HEAD "# mine\nrepository get-global script.Starter\ndisplay arena\n"
                            "create script.Starter heat.s\nproperty s colour blue\n"
                            "port-property s printer MAX_CONNECTIONS Int 2\nshell ls\n"
                            "setSize 1 2\ngo s go\nremove s\nlinks\nexit 3\nnever\n",
                       listen(&t));

    assert_non_null(xml);
    told_was(&t,
             "4 note: an assembly loads every class as `repository get` does, private and at once\n"
             "5 note: 'display' only shows something; an assembly has no place for it\n"
             "6 loss: instance 'heat.s' becomes 'heat_s', for names are made of letters, digits, "
             "'_' and '-'\n"
             "7 loss: an assembly gives properties before setServices only; put this line before "
             "that which makes 'heat_s'\n"
             "8 loss: an assembly does not set properties of ports\n"
             "9 loss: an assembly runs no commands of the operating system\n"
             "10 note: 'setSize' is about the window of the graphical builder\n"
             "12 note: 'remove' is left out: it changes nothing that runs after the go (line 11)\n"
             "13 note: 'links' only shows something; an assembly has no place for it\n"
             "14 loss: an assembly that went well ends with status 0, not 3\n"
             "15 note: from here on the script is never run\n"
             "0 note: 1 comment line is left out\n");
    assert_int_equal(t.c.losses, 5);
    free(xml);
}

static void what_follows_the_go_is_a_loss_only_if_it_runs(void **state)
{
    static const char usual[] = HEAD "create script.Starter s\ncreate script.Printer p\n"
                                     "connect s printer p printer\ngo s go\n"
                                     "parameters s CONFIG n 3\nproperty p colour blue\n"
                                     "path set elsewhere\nmove s 3 4\n"
                                     "disconnect s printer p printer\nremove p\nnuke all\nquit\n";
    static const char more[] = HEAD "create script.Starter s\ngo s go\ncreate script.Printer late\n"
                                    "connect s printer late printer\nmove late 1 2\n"
                                    "display component late\ngo s go\nshell ls\n";
    struct told t;
    char *xml = to_xml("a.rc", usual, listen(&t));

    assert_string_equal(xml, XML_HEAD
                        "<assembly name=\"a\">\n"
                        "  <instance name=\"s\" class=\"script.Starter\" x=\"3\" y=\"4\"/>\n"
                        "  <instance name=\"p\" class=\"script.Printer\"/>\n"
                        "  <connect user=\"s\" uses=\"printer\" provider=\"p\" "
                        "provides=\"printer\"/>\n"
                        "  <go instance=\"s\" port=\"go\"/>\n</assembly>\n");
    assert_int_equal(t.c.losses, 0);
    assert_non_null(strstr(t.text.bytes, "7 note: 'parameters' is left out"));
    portolan_text_clear(&t.text);
    free(xml);
    xml = to_xml("a.rc", more, listen(&t));
    assert_non_null(xml);
    assert_null(strstr(xml, "late"));
    assert_int_equal(t.c.losses, 3);
    assert_non_null(strstr(t.text.bytes, "7 note: 'move' is left out"));
    portolan_text_clear(&t.text);
    free(xml);
}

static void a_completed_class_name_can_be_refused(void **state)
{
    struct told t;

    listen(&t)->c.is_exact = true;
    assert_null(to_xml("a.rc",
                       HEAD "repository get starter\ncreate script.Printer p\n"
                            "create start\nrepository get script.Starter\ncreate start\n",
                       &t));
    told_was(&t, "3 error: there is no class 'starter'; write 'script.Starter' if that is meant\n"
                 "5 error: there is no class 'start'; write 'script.Starter' if that is meant\n");
}

static void what_cannot_work_is_an_error(void **state)
{
    struct told t;
    char *xml = to_xml("a.rc",
                       HEAD "frobnicate\ncreate script.Starter s\ncreate script.Starter s\n"
                            "connect s printer nobody printer\ncreate print\nconnect s\n"
                            "create script.Starter t\ngo\nparameters s CONFIG ALL 3\nnuke s\n",
                       listen(&t));

    assert_null(xml);
    told_was(&t,
             "3 error: unknown command 'frobnicate'; 'help' lists them\n"
             "5 error: there is an instance 's' already\n"
             "6 error: there is no instance 'nobody'\n"
             "7 error: class 'print' is ambiguous: script.PrintServer, script.Printer\n"
             "8 error: connect: too few arguments; it takes <instance> <uses port> <instance> "
             "<provides port>\n"
             "10 error: name instance and port of this go: what is meant cannot be told without "
             "running the script\n"
             "11 error: 'ALL' cannot be used to set a parameter value\n"
             "12 error: nuke: its argument must be 'all', not 's'\n");
}

static void what_a_script_cannot_say_is_told_by_line(void **state)
{
    struct told t;
    char *text = to_script(
        "<assembly name='a'>\n"
        "<instance name='s' class='script.Starter'>\n"
        "<parameter name='seconds' type='string' value='1'/>\n"
        "<parameter name='other' type='int' value='1'/>\n"
        "<parameter name='note' type='string' value=''/>\n"
        "<configure port='CONFIG' field='label' value='two  blanks'/>\n"
        "<configure port='CONFIG' field='ALL' value='1'/>\n"
        "<configure port='CONFIG' field='label' value='ends so \\'/>\n"
        "<alternative class='script.Other'/>\n"
        "</instance>\n"
        "<instance name='p' class='script.Printer'/>\n"
        "<connect user='s' uses='printer' provider='p' provides='printer'/>\n"
        "<monitor user='s' uses='printer'/>\n"
        "<pair of='s' with='p'/>\n"
        "<sweep budget='3'><vary instance='s' parameter='seconds' values='1 2'/></sweep>\n"
        "<optimizer accuracy='0.5' steps='s.n'/>\n"
        "<go instance='s' port='go'/>\n"
        "<monitor instance='s' port='go'/>\n"
        "</assembly>\n",
        false, listen(&t));

    told_was(&t,
             "3 loss: a script does not say that parameter 'seconds' of 's' is of type string, and "
             "no description of class 'script.Starter' does\n"
             "4 loss: a script does not say that parameter 'other' of 's' is of type int, and no "
             "description of class 'script.Starter' does\n"
             "5 loss: a script cannot say the value '' of parameter 'note' of 's'\n"
             "6 loss: a script cannot say the value 'two  blanks' of field 'label' at port "
             "'CONFIG' of 's'\n"
             "7 loss: a script cannot say the value '1' of field 'ALL' at port 'CONFIG' of 's'\n"
             "8 loss: a script cannot say the value 'ends so \\' of field 'label' at port 'CONFIG' "
             "of 's'\n"
             "9 loss: a script has no alternatives: 's' stays script.Starter, never script.Other\n"
             "12 loss: a script cannot monitor the connection of 'printer' at 's'\n"
             "17 loss: a script cannot monitor the go port\n"
             "14 loss: a script does not say <pair of='s' with='p'>\n"
             "15 loss: a script does not sweep 'seconds' of 's'\n"
             "0 loss: a script has no budget for measurements\n"
             "16 loss: a script does not say which parameter counts steps\n"
             "0 loss: a script has no settings of an optimizer\n");
    assert_int_equal(t.c.losses, 14);
    free(text);
}

static void what_hangs_on_an_instance_goes_with_it(void **state)
{
    struct told t;
    char *text = to_script("<assembly name='a'>\n<instance name='s' class='a B'/>\n"
                           "<instance name='t' class='C\\'/>\n<instance name='u' class='D'/>\n"
                           "<connect user='s' uses='x' provider='u' provides='x'/>\n"
                           "<go instance='t' port='go'/>\n</assembly>\n",
                           false, listen(&t));

    assert_string_equal(text, HEAD "repository get D\ninstantiate D u\nquit\n");
    told_was(&t, "2 loss: a script cannot name class 'a B', so that 's' is left out\n"
                 "3 loss: a script cannot name class 'C\\', so that 't' is left out\n"
                 "5 loss: the connection of 's' to 'u' is left out with one of its ends\n"
                 "6 loss: a script cannot call the go port 'go' of 't'\n");
    free(text);
}

static void types_are_known_by_the_palette(void **state)
{
    struct told t;
    char *xml = to_xml("a.rc",
                       HEAD "property s other 1\nproperty s seconds 2\n"
                            "property s seconds 3\nproperty none x 1\n"
                            "create script.Starter s\n",
                       listen(&t));

    assert_non_null(strstr(xml, "<parameter name=\"other\" type=\"string\" value=\"1\"/>\n"
                                "    <parameter name=\"seconds\" type=\"double\" value=\"3\"/>"));
    told_was(&t, "3 note: the type of property 'other' is taken to be string, for no description "
                 "of class 'script.Starter' says otherwise\n"
                 "6 note: no instance 'none' is ever made\n");
    free(xml);
}

static void memory_that_runs_out_is_told(void **state)
{
    enum portolan_status status = PORTOLAN_ENOMEM;
    struct portolan_conversion c = {0};
    struct portolan_assembly *a = NULL;
    struct portolan_script *s;
    char *text = NULL;

    assert_int_equal(
        portolan_script_read_text(plain_script, strlen(plain_script), "a.rc", NULL, &s, NULL),
        PORTOLAN_OK);
    for (unsigned long n = 0; next_allocation_fails(&n, status);) {
        status = portolan_script_to_assembly(s, palette, NULL, &c, NULL, &text, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || !text);
    }
    assert_int_equal(status, PORTOLAN_OK);
    assert_string_equal(text, plain_xml);
    portolan_script_destroy(s);
    assert_int_equal(portolan_assembly_read_text(text, strlen(text), "a.xml", NULL, &a, NULL),
                     PORTOLAN_OK);
    free(text);
    status = PORTOLAN_ENOMEM;
    for (unsigned long n = 0; next_allocation_fails(&n, status);) {
        status = portolan_assembly_to_script(a, palette, false, NULL, &c, &text, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || !text);
    }
    assert_string_equal(text, plain_script);
    portolan_assembly_destroy(a);
    free(text);
}

static void a_file_becomes_any_other_form(void **state)
{
    static const enum portolan_form forms[] = {PORTOLAN_FORM_RC, PORTOLAN_FORM_BLD,
                                               PORTOLAN_FORM_XML};
    static const char *const begin[] = {"#!ccaffeine", "", "<?xml"};
    struct portolan_convert_options o = {.path = COMPONENTS, .from = PORTOLAN_FORM_RC};
    struct told t;
    struct portolan_diagnostics d = {hear_error, &t, 0};
    char *text;

    assert_int_equal(test_folder_make(state), 0);
    o.in = test_file_write("plain.rc", plain_script);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        o.to = forms[i];
        listen(&t);
        if (portolan_convert(&o, &t.c, &d, &text, &t.err))
            fail_msg("%s%s", t.err.text, t.text.bytes ? t.text.bytes : "");
        assert_int_equal(t.c.losses, forms[i] == PORTOLAN_FORM_BLD ? 3 : 0);
        assert_int_equal(strncmp(text, begin[i], strlen(begin[i])), 0);
        assert_true(!t.c.losses || strstr(t.text.bytes, "0 loss: a .bld file cannot name"));
        portolan_text_clear(&t.text);
        free(text);
    }
    o.in = test_file("missing.rc");
    assert_int_equal(portolan_convert(&o, &listen(&t)->c, &d, &text, &t.err), PORTOLAN_EIO);
    assert_null(text);
    test_folder_remove(state);
}

UNIT_TESTS_BETWEEN(read_palette, drop_palette,
                   cmocka_unit_test(what_both_can_say_goes_over_both_ways),
                   cmocka_unit_test(a_name_of_its_own_goes_over),
                   cmocka_unit_test(what_the_gui_saved_keeps_its_places),
                   cmocka_unit_test(a_script_is_followed_to_its_go),
                   cmocka_unit_test(what_an_assembly_cannot_say_is_told_by_line),
                   cmocka_unit_test(what_follows_the_go_is_a_loss_only_if_it_runs),
                   cmocka_unit_test(a_completed_class_name_can_be_refused),
                   cmocka_unit_test(what_cannot_work_is_an_error),
                   cmocka_unit_test(what_a_script_cannot_say_is_told_by_line),
                   cmocka_unit_test(what_hangs_on_an_instance_goes_with_it),
                   cmocka_unit_test(types_are_known_by_the_palette),
                   cmocka_unit_test(memory_that_runs_out_is_told),
                   cmocka_unit_test(a_file_becomes_any_other_form))
