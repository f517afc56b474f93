/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>
#include <unit_test.h>

#include "../internal.h"

/* A folder with a palette of few classes, an assembly and empty archives. */
struct fixture {
    struct portolan_palette *palette;
    struct portolan_assembly *a;
    struct portolan_arena arena;
    struct portolan_diagnostics d;
    struct portolan_error err;
    struct heard heard;
};

static const char *const classes[][2] = {
    {"t.User.xml", "<component class='t.User' library='all.so'>"
                   "<uses port='left' type='t.Left'/><uses port='right' type='t.Right'/>"
                   "</component>"},
    {"t.Bare.xml", "<component class='t.Bare' library='all.so'><uses port='left' type='t.Left'/>"
                   "</component>"},
    {"t.Left.xml", "<component class='t.Left1' library='all.so'>"
                   "<provides port='it' type='t.Left'/></component>"},
    {"t.Left2.xml", "<component class='t.Left2' library='left2.so' archive='other.a'>"
                    "<provides port='it' type='t.Left'/></component>"},
    {"t.Right.xml", "<component class='t.Right' library='all.so'>"
                    "<provides port='it' type='t.Right'/></component>"},
    {"t.LeftProxy.xml",
     "<component class='t.LeftProxy' library='left_proxy.so' proxy-for='t.Left'>"
     "<provides port='provide' type='t.Left'/><uses port='use' type='t.Left'/></component>"},
    {"t.RightProxy.xml",
     "<component class='t.RightProxy' library='right_proxy.so' proxy-for='t.Right'>"
     "<provides port='provide' type='t.Right'/><uses port='use' type='t.Right'/></component>"},
};
static const char assembly_text[] =
    "<assembly name='t'>\n"
    "<instance name='user' class='t.Bare'><alternative class='t.User'/></instance>\n"
    "<instance name='left' class='t.Left1'><alternative class='t.Left2'/></instance>\n"
    "<instance name='right' class='t.Right'/>\n"
    "<connect user='user' uses='left' provider='left' provides='it'/>\n"
    "<connect user='user' uses='right' provider='right' provides='it'/>\n"
    "</assembly>\n";
static const char *const archives[] = {"all.a", "other.a", "left_proxy.a", "right_proxy.a"};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_int_equal(test_folder_make(NULL), 0);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        test_file_write(classes[i][0], classes[i][1]);
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        test_file_write(archives[i], "");
    assert_int_equal(
        portolan_assembly_read(test_file_write("t.xml", assembly_text), NULL, &f->a, NULL),
        PORTOLAN_OK);
    assert_int_equal(portolan_palette_create(&f->palette, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_palette_add_path(f->palette, test_folder, NULL, NULL), PORTOLAN_OK);
    f->d = (struct portolan_diagnostics){hear, &f->heard, 0};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    portolan_assembly_destroy(f->a);
    portolan_palette_destroy(f->palette);
    portolan_arena_clear(&f->arena);
    free(f);
    return test_folder_remove(NULL);
}

static bool has(const struct needed *n, const char *class_name)
{
    for (size_t i = 0; i < n->n_classes; i++)
        if (!strcmp(n->classes[i]->class_name, class_name))
            return true;
    return false;
}

static void all_that_a_swap_may_bring_is_needed(void **state)
{
    struct fixture *f = *state;
    struct portolan_link_options o = {.output = "x"};
    struct needed n;

    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err), PORTOLAN_OK);
    assert_true(has(&n, "t.Bare") && has(&n, "t.User") && has(&n, "t.Left1") &&
                has(&n, "t.Left2") && has(&n, "t.Right"));
    /* A port to an instance with alternatives, which gets a proxy; the other does not. */
    assert_true(has(&n, "t.LeftProxy"));
    assert_false(has(&n, "t.RightProxy"));
    assert_int_equal(n.n_classes, 6);
    /* Classes of one archive are taken at once. */
    assert_int_equal(n.n_units, 3);
    assert_int_equal(n.units[0].symbols.n, 4);
    assert_string_equal(n.units[0].symbols.word[0], "portolan_component_t_Bare");
    assert_string_equal(strrchr(n.units[1].archive, '/'), "/other.a");
}

static void a_monitored_connection_needs_a_proxy_even_asleep(void **state)
{
    struct fixture *f = *state;
    struct portolan_link_options o = {.output = "x"};
    struct needed n;

    f->a->connections[1].monitored = true; /* t.Bare has no such uses port, t.User has */
    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err), PORTOLAN_OK);
    assert_true(has(&n, "t.RightProxy"));
}

static void further_classes_and_archives_can_be_named(void **state)
{
    struct fixture *f = *state;
    const char *further[] = {"t.RightProxy"}, *from[] = {"t.Left2=/dev/null", "t.Left1=/dev/zero"};
    struct portolan_link_options o = {
        .output = "x", .n_classes = 1, .classes = further, .n_archives = 2, .archives = from};
    struct needed n;

    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err), PORTOLAN_OK);
    assert_true(has(&n, "t.RightProxy"));
    assert_int_equal(n.n_units, 5);
    assert_string_equal(n.units[1].archive, "/dev/zero");
    assert_string_equal(n.units[2].archive, "/dev/null");
}

static void a_missing_archive_is_reported_where_the_class_is_described(void **state)
{
    struct fixture *f = *state;
    struct portolan_link_options o = {.output = "x"};
    struct needed n;

    assert_int_equal(unlink(test_file("other.a")), 0);
    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err),
                     PORTOLAN_ESYNTAX);
    assert_string_equal(f->err.text, "1 class without an archive");
    assert_non_null(
        strstr(f->heard.text, "t.Left2.xml:1:0: class 't.Left2': there is no archive "));
    assert_non_null(strstr(f->heard.text, "--archive t.Left2=FILE"));
}

static void what_cannot_be_is_refused(void **state)
{
    struct fixture *f = *state;
    const char *further[] = {"t.Left3"}, *from[] = {"t.Left=/dev/null"};
    struct portolan_link_options o = {.output = "x", .n_classes = 1, .classes = further};
    struct needed n;

    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err),
                     PORTOLAN_EINVAL);
    assert_non_null(strstr(f->err.text, "there is no class 't.Left3'; did you mean 't.Left"));
    o = (struct portolan_link_options){.output = "x", .n_archives = 1, .archives = from};
    f->err = (struct portolan_error){0};
    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err),
                     PORTOLAN_EINVAL);
    assert_string_equal(f->err.text,
                        "archive 't.Left=/dev/null': the program needs no class 't.Left'");
}

static void texts_survive_as_c_strings(void **state)
{
    struct fixture *f = *state;
    struct portolan_link_options o = {.output = "x"};
    struct needed n;
    const char *text;

    test_file_write("t.xml", "a\"b\\c\t\?\?=\303\2441\n\nend");
    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err), PORTOLAN_OK);
    assert_int_equal(emit_main(&f->arena, f->a, &n, &text, &f->err), PORTOLAN_OK);
    assert_non_null(strstr(text, "static const char assembly[] =\n"
                                 "    \"a\\\"b\\\\c\\011\\?\\?=\\303\\2441\\n\"\n"
                                 "    \"\\n\"\n"
                                 "    \"end\";\n"));
    assert_non_null(strstr(text, "    {&portolan_component_t_Bare, description_0},\n"));
    assert_non_null(strstr(text, "    \"t.xml\",\n"));
}

static void cases_of_a_file_become_part_of_the_program(void **state)
{
    struct fixture *f = *state;
    struct portolan_link_options o = {.output = "x"};
    struct portolan_assembly_case_column column = {"user", "n"};
    struct portolan_assembly_case one = {.values = (const char *[]){"7"}};
    struct needed n;
    const char *text;

    f->a->n_case_columns = f->a->n_cases = 1;
    f->a->case_columns = &column;
    f->a->cases = &one;
    f->a->cases_file = "cases.csv";
    assert_int_equal(needed_find(&f->arena, f->a, f->palette, &o, &n, &f->d, &f->err), PORTOLAN_OK);
    assert_int_equal(emit_main(&f->arena, f->a, &n, &text, &f->err), PORTOLAN_OK);
    assert_non_null(strstr(text, "    \"    <cases columns=\\\"user.n\\\">\\n\"\n"
                                 "    \"      <case values=\\\"7\\\"/>\\n\"\n"));
}

static void settings_are_words_and_paths_from_their_folder(void **state)
{
    struct fixture *f = *state;
    struct settings s;
    char path[200], expected[200];

    test_file_write("link.conf", "# comment\n\ncompiler = cc -pipe\nld=ld\nobjcopy = objcopy\n"
                                 "archive = ../with blank.a\narchive = /b.a\nflags = \n"
                                 "libs = -lx  -ly\n");
    snprintf(path, sizeof path, "%s/link.conf", test_folder);
    snprintf(expected, sizeof expected, "%s/../with blank.a", test_folder);
    assert_int_equal(settings_read(&f->arena, path, &s, &f->err), PORTOLAN_OK);
    assert_int_equal(s.compiler.n, 2);
    assert_string_equal(s.compiler.word[1], "-pipe");
    assert_int_equal(s.archives.n, 2);
    assert_string_equal(s.archives.word[0], expected);
    assert_string_equal(s.archives.word[1], "/b.a");
    assert_int_equal(s.flags.n, 0);
    assert_int_equal(s.libs.n, 2);
    test_file_write("link.conf", "compiler = cc\nlinker = ld\n");
    assert_int_equal(settings_read(&f->arena, path, &s, &f->err), PORTOLAN_ESYNTAX);
    assert_non_null(strstr(f->err.text, "link.conf:2: 'linker' is not a setting"));
}

static void missing_libraries_are_found_in_what_linkers_say(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(tool_missing_libraries(&f->arena,
                                               "/usr/bin/ld: cannot find -lpfm: No such file\n"
                                               "/usr/bin/ld: cannot find -lpfm: No such file\n"
                                               "ld.lld: error: unable to find library -ludev\n",
                                               ".a"),
                        "libpfm.a, libudev.a");
    assert_null(tool_missing_libraries(&f->arena, "undefined reference to `f'\n", ".a"));
}

static enum portolan_status attempt(struct fixture *f, struct portolan_error *err)
{
    struct portolan_arena arena = {0};
    struct portolan_link_options o = {.output = "x"};
    struct needed n;
    const char *text = NULL;
    enum portolan_status status = needed_find(&arena, f->a, f->palette, &o, &n, &f->d, err);

    if (status == PORTOLAN_OK)
        status = emit_main(&arena, f->a, &n, &text, err);
    assert_true((status == PORTOLAN_OK) == (text != NULL));
    portolan_arena_clear(&arena);
    return status;
}

static void out_of_memory_is_said_at_every_place(void **state)
{
    struct fixture *f = *state;
    enum portolan_status status = PORTOLAN_ENOMEM;
    unsigned long n = 0;

    while (next_allocation_fails(&n, status)) {
        struct portolan_error err = {0};

        status = attempt(f, &err);
        portolan_alloc_fail_at(0);
    }
    assert_true(n > 3);
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, set_up, tear_down)
UNIT_TESTS(TEST(all_that_a_swap_may_bring_is_needed),
           TEST(a_monitored_connection_needs_a_proxy_even_asleep),
           TEST(further_classes_and_archives_can_be_named),
           TEST(a_missing_archive_is_reported_where_the_class_is_described),
           TEST(what_cannot_be_is_refused), TEST(texts_survive_as_c_strings),
           TEST(cases_of_a_file_become_part_of_the_program),
           TEST(settings_are_words_and_paths_from_their_folder),
           TEST(missing_libraries_are_found_in_what_linkers_say),
           TEST(out_of_memory_is_said_at_every_place))
