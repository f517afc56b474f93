/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading scripts: lines, comments, heads, and which command and which name a word means. */
#include <unit_test.h>

#include "../script.h"

static struct portolan_error err;

static struct portolan_script *read_text(const char *file, const char *text)
{
    struct portolan_script *s;

    err = (struct portolan_error){0};
    if (portolan_script_read_text(text, strlen(text), file, NULL, &s, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return s;
}

/* The commands as "line:word,word;" each. */
static void expect_commands(const struct portolan_script *s, const char *expected)
{
    struct portolan_text t = {0};
    char *text;

    for (size_t i = 0; i < s->n_commands; i++) {
        portolan_text_add(&t, "%d:", s->commands[i].line);
        for (size_t k = 0; k < s->commands[i].n_words; k++)
            portolan_text_add(&t, "%s%s", k ? "," : "", s->commands[i].words[k]);
        portolan_text_add(&t, ";");
    }
    assert_int_equal(portolan_text_take(&t, &text, NULL), PORTOLAN_OK);
    assert_string_equal(text, expected);
    free(text);
}

static void words_stand_between_blanks(void **state)
{
    struct portolan_script *s =
        read_text("a.rc", "#!ccaffeine bootstrap file.\r\n\n  connect\ta  b \tc d\r\ngo\n");

    expect_commands(s, "3:connect,a,b,c,d;4:go;");
    assert_false(s->is_bld);
    portolan_script_destroy(s);
}

static void comments_are_left_out(void **state)
{
    struct portolan_script *s = read_text(
        "a.rc", "#!ccaffeine\n# one\n  ! two\n//three\ngo // not one\n#four \\\nstill four\ngo");

    expect_commands(s, "5:go,//,not,one;8:go;");
    assert_int_equal(s->n_comments, 4);
    portolan_script_destroy(s);
}

static void a_backslash_joins_lines_without_a_blank(void **state)
{
    struct portolan_script *s =
        read_text("a.rc", "#!ccaffeine\nconn\\\n   ect a \\  \n b c d\ngo \\");

    expect_commands(s, "2:connect,a,b,c,d;5:go;");
    portolan_script_destroy(s);
}

static void eof_ends_a_script(void **state)
{
    struct portolan_script *s = read_text("a.rc", "#!ccaffeine\ngo\n#!eof whatever\nnonsense\n");

    expect_commands(s, "2:go;");
    portolan_script_destroy(s);
}

static void a_script_begins_with_its_eleven_characters(void **state)
{
    struct portolan_script *s;

    err = (struct portolan_error){0};
    assert_int_equal(portolan_script_read_text("go\n", 3, "a.rc", NULL, &s, &err),
                     PORTOLAN_ESYNTAX);
    assert_null(s);
    assert_string_equal(
        err.text,
        "a.rc:1: error: no Ccaffeine script; its first line must begin with '#!ccaffeine'");
    assert_true(portolan_script_is("x", "#!ccaffeine", 11));
    assert_false(portolan_script_is("x", "#!ccaffein", 10));
    assert_false(portolan_script_is("a.rc", "<?xml version", 13));
}

static void what_the_gui_saved_needs_no_head(void **state)
{
    struct portolan_script *s = read_text("a.bld", "setSize 900 607\npulldown A a\neof\n");

    expect_commands(s, "1:setSize,900,607;2:pulldown,A,a;3:eof;");
    assert_true(s->is_bld);
    portolan_script_destroy(s);
}

static void a_nul_character_is_told(void **state)
{
    static const char text[] = "#!ccaffeine\ngo\0to\n";
    struct portolan_script *s;

    err = (struct portolan_error){0};
    assert_int_equal(portolan_script_read_text(text, sizeof text - 1, "a.rc", NULL, &s, &err),
                     PORTOLAN_ESYNTAX);
    assert_non_null(strstr(err.text, "a.rc:2: error: a NUL character"));
}

static void memory_that_runs_out_is_told(void **state)
{
    static const char text[] = "#!ccaffeine\nconnect a b c d\ngo a \\\n b\n";
    struct portolan_script *s = NULL;
    enum portolan_status status = PORTOLAN_ENOMEM;

    for (unsigned long n = 0; next_allocation_fails(&n, status);) {
        status = portolan_script_read_text(text, sizeof text - 1, "a.rc", NULL, &s, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || !s);
    }
    assert_int_equal(status, PORTOLAN_OK);
    portolan_script_destroy(s);
}

static const char *find(const char *word)
{
    const struct command_form *form;

    err = (struct portolan_error){0};
    if (verb_find(word, &form, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return form->names[0];
}

static void a_command_is_known_by_any_unambiguous_beginning(void **state)
{
    const struct command_form *form;

    assert_string_equal(find("connect"), "connect");
    assert_string_equal(find("conn"), "connect");
    assert_string_equal(find("rep"), "repository");
    assert_string_equal(find("pal"), "pallet"); /* two names of one command */
    assert_string_equal(find("x"), "exit");
    assert_string_equal(find("?"), "help");
    assert_string_equal(find("eof"), "eof");
    err = (struct portolan_error){0};
    assert_int_equal(verb_find("con", &form, &err), PORTOLAN_EINVAL);
    assert_string_equal(err.text, "ambiguous command 'con', try one of: connect configure");
    err = (struct portolan_error){0};
    assert_int_equal(verb_find("conect", &form, &err), PORTOLAN_ENOTFOUND);
    assert_string_equal(err.text, "unknown command 'conect'; did you mean 'connect'?; "
                                  "'help' lists them");
    err = (struct portolan_error){0};
    assert_int_equal(verb_find("Go", &form, &err), PORTOLAN_ENOTFOUND);
}

static void every_name_of_every_command_is_found(void **state)
{
    for (size_t i = 0; i < n_command_forms; i++)
        for (const char *const *name = command_forms[i].names; *name; name++)
            assert_string_equal(find(*name), command_forms[i].names[0]);
}

static void names_are_matched_in_four_steps(void **state)
{
    static const char *const names[] = {"Printer", "printer", "printer2", "heat.Solver",
                                        "flux.Flux"};
    const char *match;

    err = (struct portolan_error){0};
    assert_int_equal(match_name("printer", names, 5, "instance", &match, &err), PORTOLAN_OK);
    assert_string_equal(match, "printer");
    assert_int_equal(match_name("HEAT.solver", names, 5, "class", &match, &err), PORTOLAN_OK);
    assert_string_equal(match, "heat.Solver");
    assert_int_equal(match_name("FLUX", names, 5, "class", &match, &err), PORTOLAN_OK);
    assert_string_equal(match, "flux.Flux");
    assert_int_equal(match_name("solv", names, 5, "class", &match, &err), PORTOLAN_OK);
    assert_string_equal(match, "heat.Solver");
    assert_int_equal(match_name("PRINTER", names, 5, "instance", &match, &err), PORTOLAN_EINVAL);
    assert_string_equal(err.text, "instance 'PRINTER' is ambiguous: Printer, printer");
    err = (struct portolan_error){0};
    assert_int_equal(match_name("printre", names, 5, "instance", &match, &err), PORTOLAN_ENOTFOUND);
    assert_non_null(strstr(err.text, "there is no instance 'printre'; did you mean '"));
}

/* What STATUS a file has on all ranks, and whether it is a script. */
static bool is_shared(const char *name, const char *text, enum portolan_status expected)
{
    struct portolan_script *s;
    struct portolan_diagnostics d = {0};
    struct portolan_error err = {0};
    bool is;

    assert_int_equal(
        portolan_script_share(portolan_cohort_alone(), test_file_write(name, text), &d, &s, &err),
        expected);
    is = s;
    portolan_script_destroy(s);
    return is;
}

static void ranks_share_what_is_a_script(void **state)
{
    assert_true(is_shared("a.rc", "#!ccaffeine bootstrap file.\nquit\n", PORTOLAN_OK));
    assert_true(is_shared("empty.bld", "", PORTOLAN_OK));
    assert_false(is_shared("assembly.xml", "<assembly name=\"a\"/>", PORTOLAN_OK));
    assert_false(is_shared("head.rc", "quit\n", PORTOLAN_ESYNTAX)); /* its name says that it is */
}

UNIT_TESTS_BETWEEN(
    test_folder_make, test_folder_remove, cmocka_unit_test(ranks_share_what_is_a_script),
    cmocka_unit_test(words_stand_between_blanks), cmocka_unit_test(comments_are_left_out),
    cmocka_unit_test(a_backslash_joins_lines_without_a_blank), cmocka_unit_test(eof_ends_a_script),
    cmocka_unit_test(a_script_begins_with_its_eleven_characters),
    cmocka_unit_test(what_the_gui_saved_needs_no_head), cmocka_unit_test(a_nul_character_is_told),
    cmocka_unit_test(memory_that_runs_out_is_told),
    cmocka_unit_test(a_command_is_known_by_any_unambiguous_beginning),
    cmocka_unit_test(every_name_of_every_command_is_found),
    cmocka_unit_test(names_are_matched_in_four_steps))
