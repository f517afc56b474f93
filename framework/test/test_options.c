/* SPDX-License-Identifier: BSD-3-Clause */
/* The combinations of a program's options, and the command lines that they make. */
#include <portolan/options.h>
#include <unit_test.h>

static struct portolan_assembly *read_text(const char *text, struct heard *h)
{
    struct portolan_diagnostics d = {hear, h, 0};
    struct portolan_assembly *a;

    portolan_assembly_read_text(text, strlen(text), "a.xml", &d, &a, NULL);
    return a;
}

static struct portolan_assembly *read_good(const char *text)
{
    struct heard h = {0};
    struct portolan_assembly *a = read_text(text, &h);

    if (!a)
        fail_msg("%s", h.text);
    return a;
}

#define P(command, ...)                                                                            \
    "<assembly name='a'>\n<program name='p' command='" command "'>"                                \
    "<parameter name='n' type='int' value='7'/></program>\n" __VA_ARGS__ "</assembly>"
#define KSP                                                                                        \
    "<instance name='ksp' class='cg' words='-ksp cg'>"                                             \
    "<alternative class='gmres' words='-ksp gmres'/></instance>\n"
#define PC                                                                                         \
    "<instance name='pc' class='jacobi' words='-pc jacobi'>"                                       \
    "<alternative class='hypre' words='-pc hypre {h}'/></instance>\n"                              \
    "<instance name='h' class='a'><alternative class='b'/></instance>\n"

static const char *command_of(const struct portolan_assembly *a, size_t k, struct portolan_arena *r)
{
    return portolan_options_command(a, k, r);
}

static size_t number_of(const struct portolan_assembly *a, const char *combination)
{
    for (size_t k = 0; k < a->instances[0].n_alternatives; k++)
        if (!strcmp(a->instances[0].alternatives[k].class_name, combination))
            return k;
    return SIZE_MAX;
}

static void an_option_that_only_a_value_uses_is_conditional(void **state)
{
    struct portolan_assembly *a = read_good(P("./p -n {n}", KSP PC));
    struct portolan_arena r = {0};
    size_t k;

    assert_int_equal(portolan_options_count(a, 100), 6); /* 2 x (jacobi, hypre a, hypre b) */
    assert_int_equal(a->instances[0].n_alternatives, 1);
    assert_string_equal(a->instances[0].alternatives[0].class_name, "ksp=cg pc=jacobi");
    assert_int_equal(portolan_options_offer_all(a, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 6);
    k = number_of(a, "ksp=gmres pc=hypre h=b");
    assert_true(k != SIZE_MAX);
    assert_string_equal(command_of(a, k, &r), "./p -n 7 -ksp gmres -pc hypre b");
    assert_int_equal(portolan_assembly_set(a, "p", "n", "9", NULL), PORTOLAN_OK);
    assert_string_equal(command_of(a, 0, &r), "./p -n 9 -ksp cg -pc jacobi");
    portolan_arena_clear(&r);
    portolan_assembly_destroy(a);
}

static void the_order_of_options_does_not_matter(void **state)
{
    struct portolan_assembly *a =
        read_good(P("./p {n}", "<instance name='h' class='a'><alternative class='b'/></instance>\n"
                               "<instance name='pc' class='jacobi' words='-pc jacobi'>"
                               "<alternative class='hypre' words='-pc hypre {h}'/></instance>\n"));

    assert_int_equal(portolan_options_offer_all(a, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 3);
    assert_true(number_of(a, "h=b pc=hypre") != SIZE_MAX);
    portolan_assembly_destroy(a);
}

static void combinations_are_read_by_their_names(void **state)
{
    static const char *const wrong[] = {
        "", "ksp=cg", "ksp=cg pc=hypre", "ksp=cg pc=jacobi h=a", "ksp=cg pc=lu", "pc"};
    struct portolan_assembly *a = read_good(P("./p {n}", KSP PC));

    assert_int_equal(portolan_options_offer(a, "ksp=cg pc=hypre h=b", NULL), PORTOLAN_OK);
    assert_int_equal(portolan_options_offer(a, "ksp=cg pc=hypre h=b", NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(portolan_options_offer(a, wrong[i], NULL), PORTOLAN_ENOTFOUND);
    portolan_assembly_destroy(a);
}

static void numbers_are_in_order_and_their_neighbours_are_changes(void **state)
{
    struct portolan_assembly *a =
        read_good(P("./p {n} {b}", KSP "<instance name='b' class='16' from='4' to='64' times='2' "
                                       "words='-b {value}'/>\n"));
    struct portolan_arena r = {0};

    assert_int_equal(portolan_options_count(a, 100), 10);
    assert_int_equal(portolan_options_count(a, 3), 3);
    assert_int_equal(portolan_options_offer_changes(a, 0, 1, SIZE_MAX, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 4);
    assert_true(number_of(a, "ksp=gmres b=16") != SIZE_MAX);
    assert_true(number_of(a, "ksp=cg b=8") != SIZE_MAX);
    assert_true(number_of(a, "ksp=cg b=32") != SIZE_MAX);
    assert_int_equal(portolan_options_offer_changes(a, 0, 2, 1, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 4); /* there are two pairs of changes */
    assert_int_equal(portolan_options_offer_changes(a, 0, 2, 2, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 6);
    assert_true(number_of(a, "ksp=gmres b=32") != SIZE_MAX);
    assert_string_equal(command_of(a, number_of(a, "ksp=cg b=8"), &r), "./p 7 -b 8 -ksp cg");
    portolan_arena_clear(&r);
    portolan_assembly_destroy(a);
}

static void conditions_and_pins_exclude_combinations(void **state)
{
    struct portolan_assembly *a =
        read_good(P("./p {n}", KSP "<instance name='pc' class='no' words=''>"
                                   "<alternative class='ilu' words='-pc ilu'>"
                                   "<applies if='ksp = gmres'/></alternative></instance>\n"));

    assert_int_equal(portolan_options_count(a, 100), 3);
    assert_int_equal(portolan_assembly_select(a, "ksp", "gmres", NULL), PORTOLAN_OK);
    assert_string_equal(a->instances[0].alternatives[0].class_name, "ksp=gmres pc=no");
    assert_int_equal(portolan_assembly_pin(a, "ksp", "cg", NULL), PORTOLAN_OK);
    assert_int_equal(portolan_options_count(a, 100), 1);
    assert_string_equal(a->instances[0].alternatives[0].class_name, "ksp=cg pc=no");
    assert_int_equal(portolan_assembly_pin(a, "pc", "ilu", NULL), PORTOLAN_EINFEASIBLE);
    portolan_assembly_destroy(a);
}

static void what_is_written_is_read_again(void **state)
{
    struct portolan_assembly *a = read_good(P("./p {n}", KSP PC)), *b;
    char *text;

    assert_int_equal(portolan_assembly_select(a, "pc", "hypre", NULL), PORTOLAN_OK);
    assert_int_equal(portolan_assembly_write(a, NULL, &text, NULL), PORTOLAN_OK);
    b = read_good(text);
    assert_string_equal(b->instances[0].alternatives[0].class_name, "ksp=cg pc=hypre h=a");
    assert_int_equal(portolan_options_count(b, 100), 6);
    assert_string_equal(b->program->command, "./p {n}");
    portolan_assembly_destroy(a);
    portolan_assembly_destroy(b);
    free(text);
}

static void many_options_cost_no_time(void **state)
{
    struct portolan_text t = {0};
    struct portolan_assembly *a;

    portolan_text_add(&t, "<assembly name='a'><program name='p' command='p'/>");
    for (int i = 0; i < 40; i++)
        portolan_text_add(&t,
                          "<instance name='o%d' class='0' words='-o%d 0'>"
                          "<alternative class='1' words='-o%d 1'/></instance>",
                          i, i, i);
    portolan_text_add(&t, "</assembly>");
    a = read_good(t.bytes);
    assert_int_equal(portolan_options_count(a, 201), 201); /* of 2^40 */
    assert_int_equal(portolan_options_offer_changes(a, 0, 1, SIZE_MAX, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 41);
    portolan_assembly_destroy(a);
    portolan_text_clear(&t);
}

static void drawn_combinations_are_new_and_allowed(void **state)
{
    struct portolan_assembly *a = read_good(
        P("./p {n}", KSP "<instance name='pc' class='no' words=''><alternative class='lu'/>"
                         "<alternative class='ilu' words='-pc ilu'>"
                         "<applies if='ksp = gmres'/></alternative></instance>\n"));

    for (size_t n = 2; n <= 5; n++) {
        assert_int_equal(portolan_options_offer_drawn(a, NULL), PORTOLAN_OK);
        assert_int_equal(a->instances[0].n_alternatives, n);
    }
    assert_true(number_of(a, "ksp=cg pc=ilu") == SIZE_MAX);
    assert_int_equal(portolan_options_offer_drawn(a, NULL), PORTOLAN_OK);
    assert_int_equal(a->instances[0].n_alternatives, 5); /* there are no more */
    portolan_assembly_destroy(a);
}

static void words_are_those_of_a_shell(void **state)
{
    static const char *const expected[] = {"a", "b c", "d\"e", "", "f'g", "h i"};
    const char *at = "a 'b c'  d\\\"e '' \"f'g\" h\\ i ";
    struct portolan_arena r = {0};

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(portolan_options_next_word(&r, &at), expected[i]);
    assert_null(portolan_options_next_word(&r, &at));
    portolan_arena_clear(&r);
}

static void mistakes_are_reported_with_their_line(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *words;
    } cases[] = {
        {P("./p {m}", ""), 2, "'{m}' in the command is neither an option nor a parameter"},
        {P("./p", "<instance name='x' class='a'><alternative class='b'/></instance>"), 3,
         "the words of option 'x' appear nowhere"},
        {P("./p", "<instance name='x' class='7' from='1' to='5' by='2' words='{value}'/>"), 3,
         "'7' is none of the values from 1 to 5"},
        {P("./p", "<instance name='x' class='1' from='1' to='5' words='{value}'/>"), 3,
         "either 'by' or 'times'"},
        {P("./p", "<instance name='x' class='a b' words='a b'/>"), 3, "has blanks"},
        {P("./p", "<instance name='x' class='a' words='-x {x}'/>"), 3, "have the option itself"},
        {P("./p {y}", "<instance name='p' class='a' words='a'/>"), 2, "'{y}'"},
        {P("./p", "<instance name='p' class='a' words='a'/>"), 3, "second 'p'"},
        {P("./p", "<go instance='p' port='go'/>"), 2, "an assembly has components or a <program>"},
        {P("./p", "<instance name='x' class='a' words='-a'><applies if='x = b'/></instance>"), 2,
         "allow no combination"},
        {"<assembly name='a'>\n<program name='p' command='p'>\n<accuracy match='residual .*'/>\n"
         "</program></assembly>",
         3, "has no group"},
        {"<assembly name='a'>\n<program name='p' command='p'>\n<failed match='(a'/>\n"
         "</program></assembly>",
         3, "is no regular expression"},
        {"<assembly name='a'>\n<program name='p' command='p' memory='4X'/></assembly>", 2,
         "write bytes, as in \"4G\""},
        {"<assembly name='a'>\n<instance name='x' class='a.B' words='-b'/></assembly>", 2,
         "for options of a <program>"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heard h = {0};

        assert_null(read_text(cases[i].text, &h));
        if (h.line != cases[i].line || !strstr(h.text, cases[i].words))
            fail_msg("%s: not '%s' on line %d", h.text, cases[i].words, cases[i].line);
    }
}

UNIT_TESTS(cmocka_unit_test(an_option_that_only_a_value_uses_is_conditional),
           cmocka_unit_test(the_order_of_options_does_not_matter),
           cmocka_unit_test(combinations_are_read_by_their_names),
           cmocka_unit_test(numbers_are_in_order_and_their_neighbours_are_changes),
           cmocka_unit_test(conditions_and_pins_exclude_combinations),
           cmocka_unit_test(what_is_written_is_read_again),
           cmocka_unit_test(many_options_cost_no_time),
           cmocka_unit_test(drawn_combinations_are_new_and_allowed),
           cmocka_unit_test(words_are_those_of_a_shell),
           cmocka_unit_test(mistakes_are_reported_with_their_line))
