/* SPDX-License-Identifier: BSD-3-Clause */
/* What the reader makes of good SIDL: the whole language in the model, and its spelling in C. */
#include <portolan/sidl.h>
#include <unit_test.h>

static void fail_on_problem(void *arg, const char *file, int line, int column, const char *text)
{
    (void)arg;
    fail_msg("%s:%d:%d: %s", file, line, column, text);
}

static struct portolan_sidl_model *read_text(const char *text)
{
    struct portolan_sidl_options options = {0};
    struct portolan_diagnostics d = {.report = fail_on_problem};
    struct portolan_sidl_model *model = NULL;

    assert_int_equal(
        portolan_sidl_read_text(&options, "good.sidl", text, strlen(text), &d, &model, NULL),
        PORTOLAN_OK);
    return model;
}

static const char heat[] =
    "require gov.cca version 0.8.5;\n"
    "/** Heat conduction. */\n"
    "package heat version 1.2.3 {\n"
    "  /**\n   * Solves A x = b.\n   *\n   *   indented\n   */\n"
    "  interface Solver extends gov.cca.Port {\n"
    "    /** once per matrix */\n"
    "    void setup(in int n, in rarray<double> values(n+1), in int m)\n"
    "      throws gov.cca.CCAException;\n"
    "    void solve(in rarray<double,2> b(m,n), inout rarray<double,2> x(m,n), in int m,\n"
    "               %attrib{context, unit=\"cells\"} in long n, %attrib{accuracy} out double r);\n"
    "    string name(inout string s, in string t, out gov.cca.Port p, in array<string,2> a);\n"
    "  }\n"
    "  interface Left extends Solver { void left(); }\n"
    "  interface Right extends Solver { void right(); void setup[Again](); }\n"
    "  interface Both extends Left, Right { opaque both(); }\n"
    "}\n";

static void slots_come_inherited_first_and_once(void **state)
{
    static const char *const wanted[] = {"setup", "solve",      "name", "left",
                                         "right", "setupAgain", "both"};
    struct portolan_sidl_model *model = read_text(heat);
    const struct portolan_sidl_symbol *both = portolan_sidl_find(model, "heat.Both");

    assert_non_null(both);
    assert_int_equal(both->n_slots, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(both->slots[i]->slot_name, wanted[i]);
    assert_string_equal(both->slots[0]->owner->full_name, "heat.Solver");
    assert_string_equal(both->c_name, "heat_Both");
    assert_string_equal(both->version, "1.2.3");
    assert_true(both->is_requested);
    assert_false(portolan_sidl_find(model, "gov.cca.Port")->is_requested);
    assert_null(portolan_sidl_find(model, "heat.Bot"));
    assert_string_equal(portolan_sidl_nearest(model, "heat.Bot"), "heat.Both");
    portolan_sidl_destroy(model);
}

static void comments_lose_their_stars_and_keep_their_shape(void **state)
{
    struct portolan_sidl_model *model = read_text(heat);
    const struct portolan_sidl_symbol *solver = portolan_sidl_find(model, "heat.Solver");

    assert_string_equal(portolan_sidl_find(model, "heat")->comment, "Heat conduction.");
    assert_string_equal(solver->comment, "Solves A x = b.\n\n  indented");
    assert_string_equal(solver->methods[0]->comment, "once per matrix");
    assert_null(solver->methods[1]->comment);
    portolan_sidl_destroy(model);
}

static void attributes_and_extents_are_known(void **state)
{
    struct portolan_sidl_model *model = read_text(heat);
    const struct portolan_sidl_method *solve = portolan_sidl_find(model, "heat.Solver")->slots[1];
    const struct portolan_sidl_argument *n = &solve->arguments[3];
    struct portolan_arena arena = {0};

    assert_non_null(portolan_sidl_attribute(n->attributes, n->n_attributes, "context"));
    assert_string_equal(portolan_sidl_attribute(n->attributes, n->n_attributes, "unit")->value,
                        "cells");
    assert_null(portolan_sidl_attribute(n->attributes, n->n_attributes, "accuracy"));
    assert_true(n->is_extent);
    assert_false(solve->arguments[4].is_extent);
    assert_string_equal(portolan_sidl_epv_value(&arena, solve, n), "sidlLength(b, 1)");
    assert_string_equal(portolan_sidl_epv_value(&arena, solve, &solve->arguments[4]), "r");
    portolan_arena_clear(&arena);
    portolan_sidl_destroy(model);
}

static void slots_and_stubs_are_spelt_as_in_the_binding(void **state)
{
    struct portolan_sidl_model *model = read_text(heat);
    const struct portolan_sidl_symbol *solver = portolan_sidl_find(model, "heat.Solver");
    struct portolan_arena arena = {0};

    assert_string_equal(portolan_sidl_c_slot(&arena, solver->slots[1], "proxy_solve"),
                        "void proxy_solve(void *self, struct sidl_double__array *b, "
                        "struct sidl_double__array *x, double *r, sidl_BaseInterface *_ex)");
    assert_string_equal(portolan_sidl_c_slot_arguments(&arena, solver->slots[1]), ", b, x, r, _ex");
    assert_string_equal(portolan_sidl_c_slot(&arena, solver->slots[2], "name"),
                        "char *name(void *self, char **s, const char *t, gov_cca_Port *p, "
                        "struct sidl_string__array *a, sidl_BaseInterface *_ex)");
    assert_string_equal(portolan_sidl_c_result(&arena, solver->slots[2]), "char *");
    portolan_arena_clear(&arena);
    portolan_sidl_destroy(model);
}

static void enumerators_take_the_smallest_free_numbers(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package p version 1 { enum E { a, b = 0, c, d = -3, e = 2, f, } }");
    const struct portolan_sidl_symbol *e = portolan_sidl_find(model, "p.E");
    static const int64_t wanted[] = {1, 0, 3, -3, 2, 4};

    assert_int_equal(e->n_enumerators, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(e->enumerators[i].value, wanted[i]);
    portolan_sidl_destroy(model);
}

static void names_are_looked_up_from_the_inside_out(void **state)
{
    struct portolan_sidl_model *model =
        read_text("import gov.cca;\npackage a version 1.0 { interface X {} interface Y {}\n"
                  "package b version 1.0 { interface X {}\n"
                  "interface Z { X f(in .a.X x, in Y y, in Port p, in a.X q); } } }");
    const struct portolan_sidl_method *f = portolan_sidl_find(model, "a.b.Z")->slots[0];

    assert_string_equal(f->result->symbol->full_name, "a.b.X");
    assert_string_equal(f->arguments[0].type->symbol->full_name, "a.X");
    assert_string_equal(f->arguments[1].type->symbol->full_name, "a.Y");
    assert_string_equal(f->arguments[2].type->symbol->full_name, "gov.cca.Port");
    assert_string_equal(f->arguments[3].type->symbol->full_name, "a.X");
    portolan_sidl_destroy(model);
}

/* Every construct of the language at least once. */
static const char whole[] =
    "require sidl version 0.9.17;\n"
    "import gov.cca version 0.8.5;\n"
    "package outer {\n"
    "final package all version 2.0.1 {\n"
    "  enum Color { red = 0x10, green = 010, blue, };\n"
    "  struct Inner { int a; array<double,2,row-major> b; };\n"
    "  struct Pair { Inner first; rarray<float> xs(3); string s; };\n"
    "  %attrib{serial, owner=\"me\"} interface Base {\n"
    "    nonblocking int wait(in long t);\n"
    "    oneway void ping(in int a);\n"
    "    local void here();\n"
    "    void generic(in array<> any, inout array<Color> c);\n"
    "    void overloaded(in int a);\n"
    "    void overloaded[Real](in double a);\n"
    "  }\n"
    "  abstract class Abstract implements Base {\n"
    "    invariant 1 < 2; sound: count() >= 0;\n"
    "    static int count(); ensure is pure;\n"
    "    abstract void later();\n"
    "  }\n"
    "  class Whole extends Abstract implements-all Base, Port {\n"
    "    copy Base twin();\n"
    "    dcomplex sound(in int n); ensure is pure;\n"
    "    final void later();\n"
    "    Inner pass(inout Pair p, in Inner i);\n"
    "    fcomplex c(in dcomplex z, in char ch, out bool b, out float f, inout opaque o);\n"
    "    double norm(in rarray<double,2> m(r, 2*r - 1), in int r, in string s, in Base x)\n"
    "      throws sidl.PreViolation, sidl.PostViolation;\n"
    "    require positive: r > 0 and r < 1000l or not (r == 5); s != \"a\\\"b\";\n"
    "            x !=\n                null xor all(m > 0) iff any(0.5 != m);\n"
    "    ensure result >= -1.5e-3 implies result ** 2 <= 2.0f; (~r <<< 2 >>> 1) != (r & 3 | 4 ^ "
    "5);\n"
    "           is pure; r rem 2 == r mod 3; true; 'c' == 'd'; count() == 2.0f;\n"
    "    Base next(in .outer.all.Base b);\n"
    "  }\n"
    "  class Renames implements Base {\n"
    "    int wait(in long t); void ping(in int a); void here();\n"
    "    void generic(in array<> any, inout array<Color> c);\n"
    "    void overloaded(in int a); void overloaded[Real](in double a);\n"
    "    void other(in int a) from Base.overloaded;\n"
    "  }\n"
    "}\n"
    "}\n";

static void the_model_holds_the_whole_language(void **state)
{
    struct portolan_sidl_model *model = read_text(whole);
    const struct portolan_sidl_symbol *c = portolan_sidl_find(model, "outer.all.Whole");
    const struct portolan_sidl_method *norm = NULL;

    assert_non_null(c);
    for (size_t i = 0; i < c->n_methods; i++)
        if (strcmp(c->methods[i]->name, "norm") == 0)
            norm = c->methods[i];
    assert_non_null(norm);
    assert_int_equal(norm->n_requires, 3);
    assert_int_equal(norm->n_ensures, 7);
    assert_string_equal(norm->requires[0].label, "positive");
    assert_string_equal(norm->requires[0].condition->text, "or");
    assert_string_equal(norm->requires[0].text, "r > 0 and r < 1000l or not (r == 5)");
    assert_string_equal(norm->requires[1].text, "s != \"a\\\"b\"");
    assert_string_equal(norm->requires[2].text, "x != null xor all(m > 0) iff any(0.5 != m)");
    assert_string_equal(norm->requires[2].condition->text, "iff");
    assert_string_equal(norm->ensures[0].condition->text, "implies");
    assert_int_equal(norm->n_throws, 2);
    assert_int_equal(portolan_sidl_find(model, "outer.all.Abstract")->n_invariants, 2);
    assert_int_equal(portolan_sidl_find(model, "outer.all.Pair")->n_fields, 3);
    assert_int_equal(portolan_sidl_find(model, "outer.all.Color")->enumerators[0].value, 16);
    assert_int_equal(portolan_sidl_find(model, "outer.all.Color")->enumerators[1].value, 8);
    portolan_sidl_destroy(model);
}

static void a_missing_file_is_named(void **state)
{
    static const char *const files[] = {"no/such/file.sidl"};
    struct portolan_sidl_options options = {.files = files, .n_files = 1};
    struct portolan_diagnostics d = {0};
    struct portolan_sidl_model *model;

    assert_int_equal(portolan_sidl_read(&options, &d, &model, NULL), PORTOLAN_ESYNTAX);
    assert_int_equal(d.count, 1);
}

static void count_name(void *arg, const char *name)
{
    char *all = arg;

    strcat(strcat(all, name), " ");
}

static void outputs_are_known_before_they_are_written(void **state)
{
    struct portolan_sidl_model *model = read_text(heat);
    char all[500] = "";

    assert_int_equal(portolan_sidl_list_outputs(model, NULL, NULL, count_name, all, NULL),
                     PORTOLAN_OK);
    assert_string_equal(all, "heat_Solver.h heat_Left.h heat_Right.h heat_Both.h heat__types.h "
                             "heat.h heat.c ");
    portolan_sidl_destroy(model);
}

static void ignore_name(void *arg, const char *name)
{
    (void)arg;
    (void)name;
}

static void every_failed_allocation_of_the_emitter_is_reported(void **state)
{
    static const char text[] =
        "package p version 1.0 { enum E { a } struct S { string s; array<E> e; }\n"
        "interface I { S get(in rarray<double> x(n), in int n); int f(in E e); }\n"
        "class C implements-all I { static E best(); array<int,2,row-major> rows(in C c); }\n"
        "class D extends C { int f(in E e); } }";
    struct portolan_sidl_options options = {.server = true, .hooks = true};
    struct portolan_sidl_model *model = read_text(text);
    enum portolan_status status;
    unsigned long n = 0;

    do {
        portolan_alloc_fail_at(++n);
        status = portolan_sidl_list_outputs(model, &options, NULL, ignore_name, NULL, NULL);
        portolan_alloc_fail_at(0);
        assert_true(status == PORTOLAN_OK || status == PORTOLAN_ENOMEM);
    } while (status);
    assert_true(n > 2);
    portolan_sidl_destroy(model);
}

UNIT_TESTS(cmocka_unit_test(slots_come_inherited_first_and_once),
           cmocka_unit_test(comments_lose_their_stars_and_keep_their_shape),
           cmocka_unit_test(attributes_and_extents_are_known),
           cmocka_unit_test(slots_and_stubs_are_spelt_as_in_the_binding),
           cmocka_unit_test(enumerators_take_the_smallest_free_numbers),
           cmocka_unit_test(names_are_looked_up_from_the_inside_out),
           cmocka_unit_test(the_model_holds_the_whole_language),
           cmocka_unit_test(a_missing_file_is_named),
           cmocka_unit_test(outputs_are_known_before_they_are_written),
           cmocka_unit_test(every_failed_allocation_of_the_emitter_is_reported))
