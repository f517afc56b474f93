/* SPDX-License-Identifier: BSD-3-Clause */
/* The language, sentence by sentence: what is good SIDL, and what it means. */
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

/* portolan_sidl_find, of what must be there */
static const struct portolan_sidl_symbol *find(const struct portolan_sidl_model *model,
                                               const char *name)
{
    const struct portolan_sidl_symbol *symbol = portolan_sidl_find(model, name);

    assert_non_null(symbol);
    return symbol;
}

static void comments_belong_to_what_follows(void **state)
{
    struct portolan_sidl_model *model =
        read_text("/** The package. */ // not this\n"
                  "package p version 1.0 {\n"
                  "  /** A struct. */ struct S { /** A field. */ int a; /* no doc */ int b; }\n"
                  "  /** An enum. */ enum E { /** One. */ a, /**/ b, /***/ c, // nothing\n d }\n"
                  "  /** Lost. */ /** An interface. */ interface I {\n"
                  "    /** A method. */ void f(/** An argument. */ in int a, in int b);\n"
                  "    void g();\n"
                  "  }\n"
                  "  /** A class. */ class C {}\n"
                  "}\n");
    const struct portolan_sidl_symbol *s = find(model, "p.S"), *e = find(model, "p.E");
    const struct portolan_sidl_symbol *i = find(model, "p.I");

    assert_string_equal(find(model, "p")->comment, "The package.");
    assert_string_equal(s->comment, "A struct.");
    assert_string_equal(s->fields[0].comment, "A field.");
    assert_null(s->fields[1].comment);
    assert_string_equal(e->comment, "An enum.");
    assert_string_equal(e->enumerators[0].comment, "One.");
    for (size_t k = 1; k < 4; k++)
        assert_null(e->enumerators[k].comment);
    assert_string_equal(i->comment, "An interface.");
    assert_string_equal(i->methods[0]->comment, "A method.");
    assert_string_equal(i->methods[0]->arguments[0].comment, "An argument.");
    assert_null(i->methods[0]->arguments[1].comment);
    assert_null(i->methods[1]->comment);
    assert_string_equal(find(model, "p.C")->comment, "A class.");
    portolan_sidl_destroy(model);
}

static void versions_are_numbers_joined_by_dots(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package a version 1 { enum E { x } }\n"
                  "package b version 1.10 { enum E { x } }\n"
                  "package c version 1.2.3.4 { enum E { x } }\n"
                  "package d { package e version 007 { enum E { x } } }\n");

    assert_string_equal(find(model, "a.E")->version, "1");
    assert_string_equal(find(model, "b.E")->version, "1.10");
    assert_string_equal(find(model, "c.E")->version, "1.2.3.4");
    assert_string_equal(find(model, "d.e.E")->version, "007");
    assert_null(find(model, "d")->version);
    portolan_sidl_destroy(model);
}

/* As Babel's own packages sidl.io and sidlx.rmi have it. */
static void nested_packages_inherit_the_version(void **state)
{
    struct portolan_sidl_model *model = read_text(
        "package a version 2.1 { package io { interface I {} package deep { enum E { x } }"
        " } package other version 3.0 { enum E { x } } }");

    assert_string_equal(find(model, "a.io.I")->version, "2.1");
    assert_string_equal(find(model, "a.io.deep.E")->version, "2.1");
    assert_string_equal(find(model, "a.other.E")->version, "3.0");
    portolan_sidl_destroy(model);
}

static void packages_are_reopened(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package p version 1.0 { interface A extends .p.q.C {} }\n"
                  "package p { interface B extends A {} };\n"
                  "package p version 1.0 { package q version 2.0 { interface C {} };\n"
                  "package q { interface D extends B, C {} } }\n");

    assert_int_equal(find(model, "p")->n_children, 3);
    assert_string_equal(find(model, "p.B")->version, "1.0");
    assert_string_equal(find(model, "p.q.D")->version, "2.0");
    portolan_sidl_destroy(model);
}

static void a_semicolon_may_follow_every_brace(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package p version 1.0 { enum E { a, }; struct S { int a; }; interface I {};\n"
                  "class C { void f(); }; package q { enum E { a }; }; };");

    assert_int_equal(find(model, "p")->n_children, 5);
    portolan_sidl_destroy(model);
}

/* An expression with brackets around everything. */
static void write_expression(const struct portolan_sidl_expr *e, char *out)
{
    const bool is_unary = e->op == PORTOLAN_SIDL_OP_UNARY;

    out += strlen(out);
    if (e->op == PORTOLAN_SIDL_OP_UNARY || e->op == PORTOLAN_SIDL_OP_BINARY) {
        strcat(out, "(");
        if (!is_unary)
            write_expression(e->operands[0], out);
        sprintf(out + strlen(out), is_unary ? "%s " : " %s ", e->text);
        write_expression(e->operands[!is_unary], out);
        strcat(out, ")");
        return;
    }
    strcat(out, e->op == PORTOLAN_SIDL_OP_COMPLEX ? "{" : e->text);
    for (size_t i = 0; i < e->n_operands; i++) {
        strcat(out, i ? "," : e->op == PORTOLAN_SIDL_OP_CALL ? "(" : "");
        write_expression(e->operands[i], out);
    }
    if (e->n_operands)
        strcat(out, e->op == PORTOLAN_SIDL_OP_COMPLEX ? "}" : ")");
}

static void operators_bind_as_the_grammar_says(void **state)
{
    static const char *const rows[][2] = {
        {"a implies b or c", "(a implies (b or c))"},
        {"a or b iff c xor d", "((a or b) iff (c xor d))"},
        {"a or b and c xor d", "((a or (b and c)) xor d)"},
        {"a and b & c == d", "(a and (b & (c == d)))"},
        {"a | b ^ c & d == a", "(((a | b) ^ c) & (d == a))"},
        {"a == j < k", "(a == (j < k))"},
        {"a != j >= k", "(a != (j >= k))"},
        {"i < j <<< k", "(i < (j <<< k))"},
        {"i >>> j + k > 0", "((i >>> (j + k)) > 0)"},
        {"i + j * k - l > 0", "(((i + (j * k)) - l) > 0)"},
        {"i * j / k % l rem 2 mod 3 > 0", "((((((i * j) / k) % l) rem 2) mod 3) > 0)"},
        {"i * j ** k == 0", "((i * (j ** k)) == 0)"},
        {"~ i ** j == -k + +l", "(((~ i) ** j) == ((- k) + (+ l)))"},
        {"not a and b", "((not a) and b)"},
        {"not not a", "(not (not a))"},
        {"(a implies b) and c", "((a implies b) and c)"},
        {"not (a or b)", "(not (a or b))"},
        {"nearEqual(x, 0.5 * y, 1e-3) iff a", "(nearEqual(x,(0.5 * y),1e-3) iff a)"},
        {"s != \"a\\n\\\"b\\101\\x41\"", "(s != a\\n\\\"b\\101\\x41)"},
        {"h == '\\'' or h == '\\0' or h == 'x'", "(((h == \\') or (h == \\0)) or (h == x))"},
        {"x > 1. and x > .5 and x > 1f and x > 2e3d", NULL},
        {"i > 0x1F and i > 017 and i > 10l and i > 0L", NULL},
        {"r != null and true or false", "(((r != null) and true) or false)"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct portolan_sidl_model *model;
        char text[600], written[300] = "";

        snprintf(text, sizeof text,
                 "package p version 1.0 { interface I { bool f(in bool a, in bool b, in bool c, in "
                 "bool d, in int i, in int j, in int k, in int l, in double x, in double y, in "
                 "dcomplex z, in string s, in char h, in I r);\n require %s; } }",
                 rows[i][0]);
        model = read_text(text);
        write_expression(find(model, "p.I")->methods[0]->requires[0].condition, written);
        if (rows[i][1])
            assert_string_equal(written, rows[i][1]);
        portolan_sidl_destroy(model);
    }
}

static void integers_have_their_values(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package p version 1.0 { enum E { a = 0x1F, b = 017, c = -5, d = +7, e = 10L }\n"
                  "interface I { bool f(in int i); require i > 0xffl; i < 0777; } }");
    static const int64_t wanted[] = {31, 15, -5, 7, 10};
    const struct portolan_sidl_method *f = find(model, "p.I")->methods[0];

    for (size_t i = 0; i < 5; i++)
        assert_int_equal(find(model, "p.E")->enumerators[i].value, wanted[i]);
    assert_int_equal(f->requires[0].condition->operands[1]->integer, 255);
    assert_int_equal(f->requires[1].condition->operands[1]->integer, 511);
    portolan_sidl_destroy(model);
}

static void attributes_stand_where_modifiers_may(void **state)
{
    struct portolan_sidl_model *model =
        read_text("%attrib{a} package p version 1.0 { %attrib{b=\"1\"} final interface I {\n"
                  "  %attrib{c, d=\"x\\\"y\"} oneway %attrib{e} void f(%attrib{f} in int i); }\n"
                  "  abstract %attrib{copy} class C { abstract %attrib{h} void g(); }\n"
                  "  %attrib{i} enum E { a } %attrib{j} struct S { int a; } }");
    const struct portolan_sidl_symbol *i = find(model, "p.I");
    const struct portolan_sidl_method *f = i->methods[0];

    assert_int_equal(find(model, "p")->n_attributes, 1);
    assert_string_equal(portolan_sidl_attribute(i->attributes, i->n_attributes, "b")->value, "1");
    assert_int_equal(f->n_attributes, 3);
    assert_string_equal(f->attributes[1].value, "x\\\"y");
    assert_int_equal(f->arguments[0].n_attributes, 1);
    assert_int_equal(find(model, "p.C")->n_attributes, 1);
    assert_int_equal(find(model, "p.C")->methods[0]->n_attributes, 1);
    assert_int_equal(find(model, "p.E")->n_attributes, 1);
    assert_int_equal(find(model, "p.S")->n_attributes, 1);
    portolan_sidl_destroy(model);
}

static void arrays_have_dimension_and_order_in_either_form(void **state)
{
    struct portolan_sidl_model *model = read_text(
        "package p version 1.0 { interface I { void f(in array<int> a, in array<I,3> b,\n"
        "in array<double,row-major> c, in array<string,2,column-major> d, inout array<> e,\n"
        "in rarray<char> g(3), inout rarray<dcomplex,2> h(n, 2*n+1), in int n); } }");
    const struct portolan_sidl_argument *a = find(model, "p.I")->methods[0]->arguments;

    assert_int_equal(a[0].type->dimension, 1);
    assert_int_equal(a[0].type->order, PORTOLAN_SIDL_ANY_ORDER);
    assert_int_equal(a[1].type->dimension, 3);
    assert_int_equal(a[1].type->element->kind, PORTOLAN_SIDL_OBJECT);
    assert_int_equal(a[2].type->order, PORTOLAN_SIDL_ROW_MAJOR);
    assert_int_equal(a[3].type->dimension, 2);
    assert_int_equal(a[3].type->order, PORTOLAN_SIDL_COLUMN_MAJOR);
    assert_null(a[4].type->element);
    assert_int_equal(a[6].type->n_extents, 2);
    assert_true(a[7].is_extent);
    portolan_sidl_destroy(model);
}

static void imports_are_searched_in_their_order(void **state)
{
    struct portolan_sidl_model *model =
        read_text("import two; import one;\n"
                  "package one version 1.0 { interface X {} interface Y {} interface Z {} }\n"
                  "package two version 1.0 { interface X {} interface Z {} }\n"
                  "package p version 1.0 { interface Z {}\n"
                  "  interface I { X f(in Y y, in Z z, in one.X x); } }\n");
    const struct portolan_sidl_method *f = find(model, "p.I")->methods[0];

    assert_string_equal(f->result->symbol->full_name, "two.X");
    assert_string_equal(f->arguments[0].type->symbol->full_name, "one.Y");
    assert_string_equal(f->arguments[1].type->symbol->full_name, "p.Z");
    assert_string_equal(f->arguments[2].type->symbol->full_name, "one.X");
    portolan_sidl_destroy(model);
}

/* The classes K and L of Babel's test of inheritance. */
static void from_gives_a_method_of_an_interface_another_name(void **state)
{
    struct portolan_sidl_model *model = read_text(
        "package p version 1.1 {\n"
        "  interface A { string a(); } interface A2 { string a(in int i); }\n"
        "  abstract class H implements A { abstract string h(); }\n"
        "  class K extends H implements A2 {\n"
        "    string a[2](in int i) from A2.a; string a(); string h(); string k(); }\n"
        "  class L implements A, A2 {\n"
        "    string a[a]() from p.A.a; string a[2](in int i) from .p.A2.a; string l(); }\n"
        "  class M extends L { string a[2](in int i); }\n"
        "  interface B { void b[X](); } class N implements B { void b[Y]() from B.b[X]; "
        "} }");
    const struct portolan_sidl_symbol *k = find(model, "p.K"), *l = find(model, "p.L");
    const struct portolan_sidl_method *a = find(model, "p.A")->slots[0];
    const struct portolan_sidl_method *a2 = find(model, "p.A2")->slots[0];

    assert_int_equal(k->n_slots, 4);
    assert_string_equal(k->slots[0]->slot_name, "a");
    assert_ptr_equal(k->slots[0]->owner, k);
    assert_string_equal(k->slots[1]->slot_name, "h");
    assert_int_equal(l->n_slots, 3);
    assert_ptr_equal(l->methods[0]->renames, a);
    assert_string_equal(portolan_sidl_implementation(k, a)->slot_name, "a");
    assert_string_equal(portolan_sidl_implementation(k, a2)->slot_name, "a2");
    assert_string_equal(portolan_sidl_implementation(l, a)->slot_name, "aa");
    assert_ptr_equal(portolan_sidl_implementation(find(model, "p.M"), a2)->owner,
                     find(model, "p.M"));
    assert_string_equal(find(model, "p.N")->slots[0]->slot_name, "bY");
    portolan_sidl_destroy(model);
}

static void static_methods_have_no_slot_and_are_inherited(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package p version 1.0 { class A { static int one(); void f(); }\n"
                  "class B extends A { static int two(); } }");
    const struct portolan_sidl_symbol *b = find(model, "p.B");

    assert_int_equal(b->n_slots, 1);
    assert_int_equal(b->n_statics, 2);
    assert_string_equal(b->statics[0]->slot_name, "one");
    assert_string_equal(b->statics[1]->slot_name, "two");
    portolan_sidl_destroy(model);
}

static void clauses_end_where_the_next_method_begins(void **state)
{
    struct portolan_sidl_model *model = read_text(
        "package p version 1.0 { enum E { x } interface I {\n"
        "  invariant sound : g() > 0; g() < 9;\n"
        "  E f(in int a); require a > 0; b : a < 5; require a != 3; ensure is pure; a == 0 or a > "
        "1;\n"
        "  int g(); ensure is pure;\n"
        "  p.E h(); require true; array<E> i(); ensure result != null; .p.E j();\n"
        "  %attrib{last} void k(); } }");
    const struct portolan_sidl_symbol *i = find(model, "p.I");

    assert_int_equal(i->n_methods, 6);
    assert_int_equal(i->n_invariants, 2);
    assert_string_equal(i->invariants[0].label, "sound");
    assert_int_equal(i->methods[0]->n_requires, 3);
    assert_int_equal(i->methods[0]->n_ensures, 2);
    assert_string_equal(i->methods[0]->requires[1].label, "b");
    assert_null(i->methods[0]->requires[2].label);
    portolan_sidl_destroy(model);
}

static void names_of_the_specifications_need_no_require(void **state)
{
    struct portolan_sidl_model *model =
        read_text("package p version 1.0 { interface I extends gov.cca.Port {} }");

    assert_string_equal(find(model, "gov.cca.Port")->version, "0.8.5");
    portolan_sidl_destroy(model);
}

UNIT_TESTS(cmocka_unit_test(comments_belong_to_what_follows),
           cmocka_unit_test(versions_are_numbers_joined_by_dots),
           cmocka_unit_test(nested_packages_inherit_the_version),
           cmocka_unit_test(packages_are_reopened),
           cmocka_unit_test(a_semicolon_may_follow_every_brace),
           cmocka_unit_test(operators_bind_as_the_grammar_says),
           cmocka_unit_test(integers_have_their_values),
           cmocka_unit_test(attributes_stand_where_modifiers_may),
           cmocka_unit_test(arrays_have_dimension_and_order_in_either_form),
           cmocka_unit_test(imports_are_searched_in_their_order),
           cmocka_unit_test(from_gives_a_method_of_an_interface_another_name),
           cmocka_unit_test(static_methods_have_no_slot_and_are_inherited),
           cmocka_unit_test(clauses_end_where_the_next_method_begins),
           cmocka_unit_test(names_of_the_specifications_need_no_require))
