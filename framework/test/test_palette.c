/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/palette.h>
#include <unistd.h>
#include <unit_test.h>

#include "../assembly/assembly.h"

static struct portolan_palette *heat_palette(void)
{
    struct portolan_error err = {0};
    struct portolan_palette *p;

    assert_int_equal(portolan_palette_create(&p, &err), PORTOLAN_OK);
    if (portolan_palette_add_path(p, PALETTE, NULL, &err) != PORTOLAN_OK)
        fail_msg("%s", err.text);
    return p;
}

static void descriptions_become_classes(void **state)
{
    struct portolan_palette *p = heat_palette();
    const struct portolan_class_description *c = portolan_palette_find(p, "heat.Driver");

    assert_non_null(c);
    assert_string_equal(c->library, PALETTE "/heat_driver.so");
    assert_string_equal(c->summary, "Implicit time steps");
    assert_string_equal(portolan_class_parameter(c, "n")->default_text, "16");
    assert_string_equal(portolan_class_parameter(c, "n")->summary, "grid lines per direction");
    assert_null(portolan_class_parameter(c, "title")->default_text);
    assert_true(portolan_class_uses(c, "monitor")->optional);
    assert_null(portolan_class_uses(c, "go"));
    assert_string_equal(portolan_palette_find(p, "heat.Cholmod")->library, "/opt/heat/cholmod.so");
    assert_null(portolan_palette_find(p, "heat.Colmod"));
    assert_string_equal(portolan_palette_nearest(p, "heat.Colmod"), "heat.Cholmod");
    portolan_palette_destroy(p);
}

static void the_archive_is_named_or_has_the_name_of_the_library(void **state)
{
    struct portolan_palette *p = heat_palette();
    const struct portolan_class_description *jacobi = portolan_palette_find(p, "heat.Jacobi");

    assert_string_equal(jacobi->archive, PALETTE "/heat.a");
    assert_string_equal(jacobi->libs, "-lheat");
    assert_string_equal(jacobi->static_libs, "-lheat -lm");
    assert_string_equal(portolan_palette_find(p, "heat.Driver")->archive, PALETTE "/heat_driver.a");
    assert_string_equal(portolan_palette_find(p, "heat.Driver")->libs, "");
    assert_string_equal(portolan_palette_find(p, "heat.Cholmod")->archive, "/opt/heat/cholmod.a");
    portolan_palette_destroy(p);
}

static void classes_are_found_by_what_they_provide(void **state)
{
    struct portolan_palette *p = heat_palette();
    const struct portolan_class_description *c = NULL;

    c = portolan_palette_next_provider(p, "heat.LinearSolver", NULL);
    assert_string_equal(c->class_name, "heat.ConjugateGradients");
    c = portolan_palette_next_provider(p, "heat.LinearSolver", c);
    assert_string_equal(c->class_name, "heat.Cholmod"); /* by its parent type */
    assert_null(portolan_palette_next_provider(p, "heat.LinearSolver", c));
    c = portolan_palette_next_proxy(p, "heat.LinearSolver", NULL);
    assert_string_equal(c->class_name, "heat.LinearSolverProxy");
    assert_null(portolan_palette_next_proxy(p, "heat.LinearSolver", c));
    portolan_palette_destroy(p);
}

static const struct {
    const char *text, *expected;
} bad_descriptions[] = {
    {"<component class='a.B' libary='x'/>", "unknown attribute 'libary' in <component>; did you "
                                            "mean 'library'?"},
    {"<component/>", "<component> lacks the attribute 'class'"},
    {"<component class=''/>", "a component needs a class name"},
    {"<component class='a.B'><uses port='p' type='t'/><provides port='p' type='t'/></component>",
     "port 'p' is declared on line 1 already"},
    {"<component class='a.B'><parameter name='p' type='integer'/></component>",
     "unknown parameter type 'integer'"},
    {"<component class='a.B'><parameter name='p' type='int' default='x'/></component>",
     "default 'x' of parameter 'p' is not a whole number"},
    {"<component class='a.B'><uses port='p' type='t' optional='yes'/></component>",
     "'optional' must be true or false"},
    {"<component class='a.B' proxy-for='t'/>", "a proxy must have a provides port 'provide'"},
    {"<component class='a.B'><applies/></component>",
     "1:24: error: <applies> has either a condition 'if' or query=\"true\""},
    {"<component class='a.B'><applies if='n = 1' query='true'/></component>",
     "1:24: error: <applies> has either a condition 'if' or query=\"true\""},
    {"<component class='a.B'><applies query='false'/></component>",
     "1:33: error: 'query' can only be true"},
    {"<component class='a.B'><applies if='n = '/></component>",
     "'n = ', character 5: the end, want a number, a word or a 'quoted text'"},
    {"<component class='a.B' stateful='true'/>",
     "1:24: error: 'stateful' is 'true'; write \"yes\" or \"no\""},
    {"<component class='a.B'>", "the file ends inside <component>"},
};

static void bad_descriptions_are_refused_with_the_cause(void **state)
{
    struct portolan_palette *p = heat_palette();

    for (size_t i = 0; i < sizeof bad_descriptions / sizeof *bad_descriptions; i++) {
        struct portolan_error err = {0};

        assert_int_equal(portolan_palette_add_builtin(p, NULL, bad_descriptions[i].text, &err),
                         PORTOLAN_ESYNTAX);
        if (!strstr(err.text, bad_descriptions[i].expected))
            fail_msg("expected: %s\nheard: %s", bad_descriptions[i].expected, err.text);
    }
    assert_null(portolan_palette_find(p, "a.B"));
    portolan_palette_destroy(p);
}

static void a_builtin_takes_the_place_of_a_class_of_a_file(void **state)
{
    struct portolan_palette *p = heat_palette();

    assert_int_equal(
        portolan_palette_add_builtin(p, NULL, "<component class='heat.Jacobi'/>", NULL),
        PORTOLAN_OK);
    assert_null(portolan_palette_find(p, "heat.Jacobi")->library);
    assert_non_null(portolan_palette_find(p, "heat.LinearSolverProxy"));
    assert_int_equal(portolan_palette_add_path(p, PALETTE ":" PALETTE, NULL, NULL), PORTOLAN_OK);
    assert_null(portolan_palette_find(p, "heat.Jacobi")->library);
    portolan_palette_destroy(p);
}

static void a_missing_directory_is_an_error_when_it_was_asked_for(void **state)
{
    struct portolan_palette *p = heat_palette();
    struct portolan_error err = {0};

    assert_int_equal(portolan_palette_add_path(p, "/nonexistent", NULL, &err), PORTOLAN_EIO);
    assert_string_equal(err.text, "component directory '/nonexistent' does not exist: build the "
                                  "components first (make), or correct its name");
    assert_int_equal(setenv("PORTOLAN_PATH", "/nonexistent:" PALETTE, 1), 0);
    assert_int_equal(portolan_palette_add_defaults(p, NULL, NULL), PORTOLAN_OK);
    unsetenv("PORTOLAN_PATH");
    portolan_palette_destroy(p);
}

static void checking_says(const char *text, const char *expected)
{
    struct portolan_palette *p = heat_palette();
    struct heard h = {0};
    struct portolan_diagnostics d = {hear, &h, 0};
    struct portolan_error err = {0};
    struct portolan_assembly *a;
    enum portolan_status status;

    if (portolan_assembly_read_text(text, strlen(text), "a.xml", NULL, &a, &err) != PORTOLAN_OK)
        fail_msg("%s\n%s", text, err.text);
    status = portolan_assembly_check(a, p, &d);
    assert_int_equal(status, expected ? PORTOLAN_ESYNTAX : PORTOLAN_OK);
    if (expected && !strstr(h.text, expected))
        fail_msg("%s\nexpected: %s\nheard: %s", text, expected, h.text);
    portolan_assembly_destroy(a);
    portolan_palette_destroy(p);
}

#define A(...) "<assembly name='a'>\n" __VA_ARGS__ "\n</assembly>"
#define DRIVER "<instance name='d' class='heat.Driver'/>"
#define SOLVER "<instance name='s' class='heat.Cholmod'/>\n"
#define WIRE   "<connect user='d' uses='solver' provider='s' provides='solver'/>"

static void a_right_assembly_passes(void **state)
{
    checking_says(A(DRIVER SOLVER WIRE "<go instance='d' port='go'/>"), NULL);
    checking_says(A(DRIVER SOLVER WIRE "<instance name='m' class='heat.Monitor'/>"
                                       "<monitor user='d' uses='solver'/>"),
                  NULL);
    checking_says(A(DRIVER "<instance name='s' class='heat.Cholmod'>"
                           "<alternative class='heat.ConjugateGradients'/></instance>"
                           "<instance name='j' class='heat.Jacobi'/>" WIRE
                           "<connect user='s' uses='preconditioner' provider='j' "
                           "provides='preconditioner'/>"),
                  NULL);
    checking_says(A("<instance name='d' class='heat.Driver'>"
                    "<parameter name='n' type='int' value='1'/></instance>" SOLVER WIRE
                    "<sweep><vary instance='d' parameter='n' values='1 2'/>"
                    "</sweep><optimizer steps='d.n'/>"),
                  NULL);
}

static void who_monitors_must_be_there(void **state)
{
    checking_says(A(DRIVER SOLVER WIRE "<monitor user='d' uses='solver'/>"),
                  "3:0: calls are monitored, but no instance provides portolan.ports.Monitor; add "
                  "one");
    checking_says(A(DRIVER SOLVER WIRE "<monitor user='d' uses='solver' variant='profile'/>"),
                  NULL);
}

static void what_the_classes_forbid_is_said(void **state)
{
    checking_says(A("<instance name='s' class='heat.Colmod'/>"),
                  "a.xml:2:0: instance 's': unknown class 'heat.Colmod'; did you mean "
                  "'heat.Cholmod'?");
    checking_says(A("<instance name='s' class='heat.Cholmod'>\n"
                    "<parameter name='tolerence' type='double' value='1'/></instance>"),
                  "3:0: instance 's': class 'heat.Cholmod' has no parameter 'tolerence'; did you "
                  "mean 'tolerance'?");
    checking_says(A("<instance name='s' class='heat.Cholmod'>\n"
                    "<parameter name='tolerance' type='int' value='1'/></instance>"),
                  "parameter 'tolerance' of class 'heat.Cholmod' has type double, not int");
    checking_says(A(DRIVER), "2:0: instance 'd': uses port 'solver' of type heat.LinearSolver is "
                             "not connected");
    checking_says(
        A(DRIVER SOLVER "<connect user='d' uses='solvre' provider='s' provides='solver'/>"),
        "3:0: instance 'd': class 'heat.Driver' has no uses port 'solvre'; did you mean "
        "'solver'?");
    checking_says(
        A(DRIVER SOLVER "<connect user='d' uses='solver' provider='s' provides='solvr'/>"),
        "instance 's': class 'heat.Cholmod' has no provides port 'solvr'; did you mean "
        "'solver'?");
    checking_says(A(DRIVER "<instance name='j' class='heat.Jacobi'/>\n"
                           "<connect user='d' uses='solver' provider='j' "
                           "provides='preconditioner'/>"),
                  "3:0: instance 'd': uses port 'solver' has type heat.LinearSolver, but "
                  "'j.preconditioner' provides heat.Preconditioner");
    checking_says(A(DRIVER SOLVER WIRE "<go instance='s' port='solver'/>"),
                  "'s.solver' provides heat.SpdSolver");
    checking_says(A(DRIVER SOLVER WIRE "\n<sweep><vary instance='d' parameter='m' values='1'/>"
                                       "</sweep>"),
                  "instance 'd': class 'heat.Driver' has no parameter 'm'");
    checking_says(
        A(DRIVER SOLVER WIRE "<sweep><vary instance='d' parameter='n' values='1'/>"
                             "</sweep>"),
        "instance 'd' is given no parameter 'n'; a parameter of a sweep needs a <parameter> with");
    checking_says(A(DRIVER SOLVER WIRE "<sweep><vary instance='d' parameter='n' values='x'/>"
                                       "</sweep>"),
                  "value 'x' for parameter 'n' of 'd' is not a whole number");
    checking_says(A(DRIVER SOLVER WIRE "<optimizer steps='d.title'/>"),
                  "parameter 'title' of class 'heat.Driver' has type string, not int");
}

static void conditions_of_classes_are_joined_to_the_assemblys(void **state)
{
    static const char text[] =
        A("<instance name='s' class='heat.ConjugateGradients'>"
          "<alternative class='heat.Cholmod'><applies if='n &lt; 9'/></alternative></instance>"
          "<instance name='t' class='heat.Cholmod'/>");
    struct portolan_palette *p = heat_palette();
    struct portolan_assembly *a;
    char *before, *after;

    assert_int_equal(portolan_assembly_read_text(text, sizeof text - 1, "a.xml", NULL, &a, NULL),
                     PORTOLAN_OK);
    assert_string_equal(portolan_palette_find(p, "heat.Cholmod")->applies,
                        "(symmetric = 1) and (definite = 1)");
    assert_int_equal(portolan_assembly_write(a, NULL, &before, NULL), PORTOLAN_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(portolan_assembly_join_applies(a, p, NULL), PORTOLAN_OK);
        assert_null(a->instances[0].alternatives[0].applies);
        assert_string_equal(a->instances[0].alternatives[1].applies,
                            "(n < 9) and ((symmetric = 1) and (definite = 1))");
        assert_string_equal(a->instances[1].alternatives[0].applies,
                            "(symmetric = 1) and (definite = 1)");
    }
    assert_int_equal(portolan_assembly_write(a, NULL, &after, NULL), PORTOLAN_OK);
    assert_string_equal(before, after); /* what the classes state stays theirs */
    free(before);
    free(after);
    portolan_assembly_destroy(a);
    portolan_palette_destroy(p);
}

static void a_missing_proxy_names_the_command_that_makes_it(void **state)
{
    checking_says(A(DRIVER SOLVER WIRE "<go instance='d' port='go'/>"
                                       "<monitor instance='d' port='go'/>"),
                  "the go port needs a proxy for port type gov.cca.ports.GoPort, because it is "
                  "monitored, and the palette has none; make one with: portolan proxygen FILE.sidl "
                  "--port gov.cca.ports.GoPort -o DIR");
    checking_says(A("<instance name='s' class='heat.ConjugateGradients'/>"
                    "<instance name='j' class='heat.Jacobi'/>\n"
                    "<connect user='s' uses='preconditioner' provider='j' "
                    "provides='preconditioner'/><monitor user='s' uses='preconditioner'/>"),
                  "3:0: connection 's.preconditioner' needs a proxy for port type "
                  "heat.Preconditioner, because it is monitored");
}

static void every_failed_allocation_is_survived(void **state)
{
    bool done = false;

    for (unsigned long n = 1; !done; n++) {
        struct portolan_palette *p = NULL;
        struct portolan_error err = {0};
        enum portolan_status status;

        assert_true(n < 10000);
        portolan_alloc_fail_at(n);
        status = portolan_palette_create(&p, &err);
        if (status == PORTOLAN_OK)
            status = portolan_palette_add_path(p, PALETTE, NULL, &err);
        if (status == PORTOLAN_OK)
            status = portolan_palette_add_builtin(p, NULL, "<component class='x'/>", &err);
        portolan_alloc_fail_at(0);
        done = status == PORTOLAN_OK;
        if (!done)
            assert_int_equal(status, PORTOLAN_ENOMEM);
        portolan_palette_destroy(p);
    }
}

static void a_class_may_say_whether_it_keeps_state(void **state)
{
    static const char *const texts[] = {"<component class='a.U'/>",
                                        "<component class='a.N' stateful='no'/>",
                                        "<component class='a.Y' stateful='yes'/>"};
    static const char *const names[] = {"a.U", "a.N", "a.Y"};
    struct portolan_palette *p = heat_palette();

    for (int i = PORTOLAN_STATEFUL_UNSTATED; i <= PORTOLAN_STATEFUL_YES; i++) {
        assert_int_equal(portolan_palette_add_builtin(p, NULL, texts[i], NULL), PORTOLAN_OK);
        assert_int_equal(portolan_palette_find(p, names[i])->stateful, i);
    }
    portolan_palette_destroy(p);
}

UNIT_TESTS(cmocka_unit_test(descriptions_become_classes),
           cmocka_unit_test(the_archive_is_named_or_has_the_name_of_the_library),
           cmocka_unit_test(classes_are_found_by_what_they_provide),
           cmocka_unit_test(bad_descriptions_are_refused_with_the_cause),
           cmocka_unit_test(a_class_may_say_whether_it_keeps_state),
           cmocka_unit_test(a_builtin_takes_the_place_of_a_class_of_a_file),
           cmocka_unit_test(a_missing_directory_is_an_error_when_it_was_asked_for),
           cmocka_unit_test(a_right_assembly_passes),
           cmocka_unit_test(what_the_classes_forbid_is_said),
           cmocka_unit_test(who_monitors_must_be_there),
           cmocka_unit_test(conditions_of_classes_are_joined_to_the_assemblys),
           cmocka_unit_test(a_missing_proxy_names_the_command_that_makes_it),
           cmocka_unit_test(every_failed_allocation_is_survived))
