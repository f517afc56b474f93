/* SPDX-License-Identifier: BSD-3-Clause */
/* Many mistakes in one file: each is told once, in the order of the text, and nothing beside. */
#include <portolan/sidl.h>
#include <unit_test.h>

enum { MOST = 20 };

struct expected {
    int line;
    const char *said;
};

struct mistakes {
    size_t count;
    int lines[MOST];
    char texts[MOST][200];
};

static void keep_mistake(void *arg, const char *file, int line, int column, const char *text)
{
    struct mistakes *h = arg;

    assert_true(column > 0);
    if (h->count < MOST) {
        h->lines[h->count] = line;
        snprintf(h->texts[h->count], sizeof h->texts[0], "%s", text);
    }
    h->count++;
}

static void expect(const char *text, const struct expected *wanted, size_t count)
{
    struct portolan_sidl_options options = {0};
    struct mistakes heard = {0};
    struct portolan_diagnostics d = {keep_mistake, &heard, 0};
    struct portolan_sidl_model *model;
    bool good;

    assert_int_equal(
        portolan_sidl_read_text(&options, "many.sidl", text, strlen(text), &d, &model, NULL),
        PORTOLAN_ESYNTAX);
    good = heard.count == count;
    for (size_t i = 0; i < count && good; i++)
        good = heard.lines[i] == wanted[i].line && strstr(heard.texts[i], wanted[i].said);
    for (size_t i = 0; i < heard.count && i < MOST && !good; i++)
        print_error("%d: %s\n", heard.lines[i], heard.texts[i]);
    assert_true(good);
}

#define EXPECT(TEXT, ...)                                                                          \
    do {                                                                                           \
        static const struct expected wanted[] = {__VA_ARGS__};                                     \
                                                                                                   \
        expect(TEXT, wanted, sizeof wanted / sizeof *wanted);                                      \
    } while (0)

static void lexical_syntactic_and_semantic_mistakes_are_told_together(void **state)
{
    EXPECT("require sidl version 0.9.17\n"
           "package ten version 1.0 {\n"
           "  interface First {\n"
           "    void noMode(int a);\n"
           "    void badType(in strng s);\n"
           "    void twice(in int a, in int a);\n"
           "    %attrib{unit=\"m} void quoted();\n"
           "    oneway int back();\n"
           "  }\n"
           "  enum Colour { red green, amber }\n"
           "  struct Pair { int a; int a; };\n"
           "  class Solver { bool f(in int n); require m > 0; n > 1; }\n"
           "  interface my_port {}\n"
           "}\n",
           {1, "expected ';' after the package"}, {4, "begins with in, out or inout"},
           {5, "unknown type strng"}, {6, "two arguments with the name a"},
           {7, "this string has no end"}, {8, "is oneway"}, {10, "not 'green'"},
           {11, "field a is already declared"}, {12, "m is not an argument"}, {13, "underscore"});
}

static void every_declaration_and_member_may_be_broken(void **state)
{
    EXPECT("package ten version 1.0 {\n"
           "  interfce One {}\n"
           "  interface extends Two { void f(); }\n"
           "  interface Three : One { void f(; }\n"
           "  class Four implements One, { void f() { return; } }\n"
           "  enum Five { a = b, c d, }\n"
           "  struct Six { int; double x }\n"
           "  class Seven {\n"
           "    void a(in int $x);\n"
           "    void b() throw X;\n"
           "    void c() throws (X);\n"
           "    bool d(in int a); require a > ; a = 1;\n"
           "  }\n"
           "}\n",
           {2, "did you mean 'interface'"}, {3, "'extends' is a reserved word"},
           {4, "follows the word 'extends'"}, {4, "begins with in, out or inout"},
           {5, "name of a type"}, {5, "its body is in the Impl file"}, {6, "expected an integer"},
           {6, "not 'd'"}, {7, "the name of a field"}, {7, "expected ';' after the field"},
           {9, "'$' is not allowed"}, {10, "expected ';'"}, {11, "without parentheses"},
           {12, "expected an expression"}, {12, "compare with '=='"});
}

/* Names in unreadable text are not told as unknown where they are used. */
static void what_could_not_be_read_is_not_missing(void **state)
{
    EXPECT("package p version 1.0 {\n"
           "  interfce Lost { void f(); }\n"
           "  class User implements-all Lost { Lost f(in Lost l) throws Lost; }\n"
           "  class Next extends User { void g(); }\n"
           "}\n",
           {2, "did you mean 'interface'"});
    EXPECT("import nowhere;\n"
           "package p version 1.0 { interface I extends Thing { Other f(in Thing t); } }\n",
           {1, "package nowhere not found"});
    EXPECT("package p version 1.0 { interface I { Foo f(); } /* open\n interface Foo {} }\n",
           {1, "this comment has no end"});
    EXPECT("package p version 1.0 {\n"
           "  interface Base { void f(in int a; void g(); }\n"
           "  class Made implements Base { void g(); }\n"
           "  class Renamed implements-all Base { void h() from Base.k; }\n"
           "}\n",
           {2, "',' or ')'"});
}

static void missing_and_surplus_braces_cost_one_line(void **state)
{
    EXPECT("package p version 1.0 {\n"
           "  interface A { void f();\n"
           "  interface B { void g(); }\n"
           "  class C implements-all A, B {}\n"
           "}\n",
           {3, "the '}' of A (line 2) is missing"});
    EXPECT("package p version 1.0 {\n"
           "  interface A { void f(); }}\n"
           "  interface B { void g(); }\n"
           "  enum E { a }\n"
           "}\n",
           {5, "'}' has no matching '{'"});
    EXPECT("package p version 1.0 {\n  interface A {\n    void f();\n", {4, "the file ends here"});
    EXPECT("package p version 1.0 {\n"
           "  interface A {}\n"
           "package q version 1.0 {\n"
           "  interface B extends p.A { q.C f(); }\n"
           "}\n"
           "package r version 1.0 { interface D extends q.B {} }\n",
           {7, "the file ends here"});
}

/* One bad argument does not hide the next, or the mistakes in the contract. */
static void the_rest_of_a_broken_method_is_read(void **state)
{
    EXPECT("package p version 1.0 {\n"
           "  interface I {\n"
           "    void f(int a,\n"
           "           in Unknown b,\n"
           "           in array<int,9> c,\n"
           "           in rarray<double> d(n, ),\n"
           "           in int e[3]) throws\n"
           "      NoSuch;\n"
           "      require e >;\n"
           "    void g(in int h, in int h);\n"
           "  }\n"
           "}\n",
           {3, "begins with in"}, {4, "unknown type Unknown"}, {5, "can have 1 to 7"},
           {6, "expected an expression"}, {7, "does not make an array"}, {8, "unknown type NoSuch"},
           {9, "expected an expression"}, {10, "two arguments with the name h"});
}

/* A line that can only begin something new is not skipped. */
static void the_next_line_is_not_lost_with_this_one(void **state)
{
    EXPECT("package p version 1.0 {\n"
           "  interface I {\n"
           "    void f(in int a\n"
           "    void g(copy copy in Lost b, in int b);\n"
           "    int h(x)\n"
           "    oneway local void i();\n"
           "    double j(in int\n"
           "  interface K { void k(in int c, in int c); }\n"
           "  } interfce Lost {}\n"
           "  class C implements-all I, K { void m() from I.n; }\n"
           "}\n",
           {4, "',' or ')'"}, {4, "'copy' is given twice"}, {4, "two arguments with the name b"},
           {5, "begins with in"}, {5, "expected ';'"}, {6, "can have only one of"},
           {8, "cannot be the name of an argument"}, {8, "types cannot be nested"},
           {8, "two arguments with the name c"}, {9, "did you mean 'interface'"});
}

static void repeated(char *out, const char *text, int times)
{
    for (out += strlen(out); times > 0; times--, out += strlen(text))
        strcpy(out, text);
}

/* What is nested too deep is told once; nothing recurses without a limit. */
static void depth_has_a_limit(void **state)
{
    static char text[40000];

    strcpy(text, "package p version 1.0 { ");
    repeated(text, "package a { ", 101);
    repeated(text, "}", 102);
    EXPECT(text, {1, "nested more than 100 deep"});
    strcpy(text, "package p version 1.0 { interface I { bool f(in int a); require ");
    repeated(text, "(", 101);
    strcat(text, "a");
    repeated(text, ")", 101);
    strcat(text, " > 0; } }");
    EXPECT(text, {1, "nested more than 100 deep"});
    strcpy(text, "package p version 1.0 { interface I0 {}\n");
    for (int i = 1; i < 102; i++)
        sprintf(text + strlen(text), "interface I%d extends I%d {}\n", i, i - 1);
    strcat(text, "}");
    EXPECT(text, {102, "inherits through more than 100 types"});
    strcpy(text, "package p version 1.0 {\n");
    for (int i = 0; i < 102; i++)
        sprintf(text + strlen(text), "struct S%d { S%d s; }\n", i, i + 1);
    strcat(text, "struct S102 { int a; } }");
    EXPECT(text, {102, "more than 100 deep"});
}

/* A file that is no text at all is given up. */
static void what_is_no_sidl_is_not_told_byte_by_byte(void **state)
{
    char text[4096];
    struct portolan_sidl_options options = {0};
    struct portolan_diagnostics d = {0};
    struct portolan_sidl_model *model;

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 ? ' ' : (char)(128 + i % 100);
    assert_int_equal(
        portolan_sidl_read_text(&options, "elf.sidl", text, sizeof text, &d, &model, NULL),
        PORTOLAN_ESYNTAX);
    assert_int_equal(d.count, 51);
}

UNIT_TESTS(cmocka_unit_test(lexical_syntactic_and_semantic_mistakes_are_told_together),
           cmocka_unit_test(every_declaration_and_member_may_be_broken),
           cmocka_unit_test(what_could_not_be_read_is_not_missing),
           cmocka_unit_test(missing_and_surplus_braces_cost_one_line),
           cmocka_unit_test(the_rest_of_a_broken_method_is_read),
           cmocka_unit_test(the_next_line_is_not_lost_with_this_one),
           cmocka_unit_test(depth_has_a_limit),
           cmocka_unit_test(what_is_no_sidl_is_not_told_byte_by_byte))
