/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of values in contracts: what fits together, and what is said when it does not. */
#include <portolan/sidl.h>
#include <unit_test.h>

/* Every clause is put at column 9 of line 11. */
#define HEAD                                                                                       \
    "package p version 1.0 {\n"                                                                    \
    "enum Color { red, green }\n"                                                                  \
    "struct Point { double x; int n; }\n"                                                          \
    "class C { static bool zero(in array<> a, in double t); ensure is pure;\n"                     \
    "  bool same(in C c); ensure is pure; string name(); ensure is pure; void set(in int a);\n"    \
    "  int plus(in int a); ensure is pure; int plus[Two](in int a, in int b); ensure is pure;\n"   \
    "  bool turned(in dcomplex z, in bool back); ensure is pure;\n"                                \
    "  int next(); bool get(out int a); ensure is pure;\n"                                         \
    "  double f(in bool b, in char c, in int i, in double d, in dcomplex z, in string s, in C "    \
    "o,\n"                                                                                         \
    "    in array<double> v, in array<C> os, in array<> g, in Point p, in Color k, in opaque "     \
    "q);\n"
#define REQUIRE HEAD "require "
#define ENSURE  HEAD "ensure  "
#define TAIL    ";\n}\n}\n"

static const char *const goods[] = {
    "b and not b or b xor true implies b iff false",
    "i + 1 < 2 * i - d / 3",
    "(i & 3) == (i | 4 ^ ~i)",
    "(b & true) == b",
    "i <<< 2 > i >>> 1",
    "i % 2 == i rem 2 and i mod 2 == 0 and d % 2.0 < 1",
    "d ** 2 >= i ** 2.5",
    "turned(z, true) and nearEqual(v, d, 0)",
    "s == \"text\" and s < \"u\" and s != \"\"",
    "c == 'x' and c < 'z' and c > 10",
    "o != null and v != null and q == null and null == null and o == o",
    "k == 1 and k < 2",
    "p.x > 0 and p.n == 3",
    "all(v > 0) and any(0 < v) and none(v == v) and count(g != 1) > 2",
    "dimen(v) == 1 and lower(v, 0) <= upper(v, i) and stride(g, 0) == 1 and size(os) > 0",
    "range(v, 0, 1, 1e-9) and range(d, 0, i, 0.1) and irange(i, 0, 9) and irange(g, 0, 9)",
    "min(v) < max(g) + sum(v) and NEAREQUAL(v, g, 0.1) and nearEqual(d, i, 0.1)",
    "nonDecr(v) and nonIncr(g)",
    "zero(v, 1) or zero(g, d)",
    "same(o) and name() == s and plus(i) < plusTwo(1, 2) and plus(1, i) > 0",
};

static const struct bad {
    const char *text;
    int column;
    const char *said;
} bads[] = {
    {"i", 9, "a clause must be a condition, but this is an integer"},
    {"b and i", 11, "'and' needs a bool on both sides, not bool and an integer"},
    {"not i", 9, "'not' needs a bool after it, not an integer"},
    {"~d == 1", 9, "'~' needs an integer"},
    {"-s == s", 9, "'-' needs a number after it, not a string"},
    {"i & d", 11, "'&' needs an integer or a bool on both sides"},
    {"i == s", 11, "'==' needs the same kind of value on both sides, not an integer and a string"},
    {"o == q", 11, "'==' needs the same kind of value on both sides, not an object and opaque"},
    {"v == g", 11, "arrays can be compared only inside all, any, none or count"},
    {"z < z", 11, "'<' needs a number or a string on both sides, not complex and complex"},
    {"d <<< 1 == 2", 11, "'<<<' needs an integer on both sides"},
    {"d + s > 1", 11, "'+' needs a number on both sides"},
    {"z % 2 == 1", 11, "'%' needs a number on both sides"},
    {"s != null", 11, "not a string and null"},
    {"p.y > 1", 9, "struct p.Point has no field y"},
    {"d.x > 1", 9, "d is not a struct"},
    {"z == {1.0, 2.0}", 14, "clauses cannot compute with complex numbers"},
    {"b and is pure", 18, "must be a clause of its own"},
    {"all(v)", 13, "needs a relation between an array and a number"},
    {"all(d > 1)", 15, "needs a relation between an array and a number"},
    {"all(os == 1)", 13, "compares numbers and arrays of numbers, but this is an array"},
    {"all(v == s)", 18, "compares numbers and arrays of numbers, but this is a string"},
    {"size(v, 1) > 0", 9, "size takes 1 argument, not 2"},
    {"size(d) > 0", 14, "size needs an array here, but this is a real number"},
    {"sum(os) > 0", 13, "sum needs an array of numbers here"},
    {"lower(v, d) > 0", 18, "lower needs an integer here"},
    {"irange(v, 0, 1)", 16, "irange needs an integer or an array of them"},
    {"range(s, 0, 1, 2)", 15, "range needs a number or an array of them"},
    {"range(d, 0, z, 2)", 21, "range needs a number here, but this is complex"},
    {"nearEqual(v, s, 0)", 22, "nearEqual needs a number or an array of them here"},
    {"f(b, c, i, d, z, s, o, v, os, g, p, k, q) > 1", 9, "use 'result' for its result"},
    {"next() == 1", 9, "next may have side effects"},
    {"get(i)", 9, "get changes an argument"},
    {"plus() == 1", 9, "no method plus takes 0 arguments"},
    {"plus(s) == 1", 14, "argument a of plus is int, but this is a string"},
    {"zero(v, o)", 17, "argument t of zero is double, but this is an object"},
    {"same(null)", 14, "argument c of same is C, but this is null"},
    {"set(1) == 1", 9, "set has no result"},
    {"nosuch(1)", 9, "unknown function nosuch"},
};

static struct heard read_clause(const char *head, const char *clause, const char *tail)
{
    struct heard heard = {0};
    struct portolan_diagnostics d = {.report = hear, .arg = &heard};
    struct portolan_sidl_options options = {0};
    struct portolan_sidl_model *model = NULL;
    char text[4096];

    snprintf(text, sizeof text, "%s%s%s", head, clause, tail);
    portolan_sidl_read_text(&options, "clause.sidl", text, strlen(text), &d, &model, NULL);
    portolan_sidl_destroy(model);
    return heard;
}

static void what_fits_is_accepted(void **state)
{
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        const struct heard heard = read_clause(REQUIRE, goods[i], TAIL);

        if (heard.count)
            fail_msg("%s: %d:%d: %s", goods[i], heard.line, heard.column, heard.first);
    }
}

static void what_does_not_fit_is_told_once(void **state)
{
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        const struct heard heard = read_clause(REQUIRE, bads[i].text, TAIL);

        if (heard.count != 1 || heard.line != 11 || heard.column != bads[i].column ||
            !strstr(heard.first, bads[i].said))
            fail_msg("%s: expected %d: %s, got %d of them, %d:%d: %s", bads[i].text, bads[i].column,
                     bads[i].said, heard.count, heard.line, heard.column, heard.first);
    }
}

static void a_result_has_the_method_s_kind(void **state)
{
    assert_int_equal(read_clause(ENSURE, "result >= 0.0 and result ** 2 < 4", TAIL).count, 0);
    assert_int_equal(read_clause(ENSURE, "result == s", TAIL).count, 1);
}

static void a_method_that_returns_nothing_has_no_result(void **state)
{
    static const char head[] = "package p version 1.0 {\nclass C { void f(in int a);\nensure ";
    const struct heard heard = read_clause(head, "result > 0", TAIL);

    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.first, "f returns nothing, so it has no result"));
}

static void a_static_method_has_no_object_to_ask(void **state)
{
    static const char head[] = "package p version 1.0 {\nclass C { bool good(); ensure is pure;\n"
                               "static void f(in int a);\nrequire ";
    const struct heard heard = read_clause(head, "good()", TAIL);

    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.first, "good needs an object, but this method is static"));
}

static void purity_is_inherited(void **state)
{
    static const char head[] =
        "package p version 1.0 {\ninterface I { bool good(); ensure is pure; }\n"
        "class C implements I { invariant ";

    assert_int_equal(read_clause(head, "good()", "; bool good();\n}\n}\n").count, 0);
}

UNIT_TESTS(cmocka_unit_test(what_fits_is_accepted),
           cmocka_unit_test(what_does_not_fit_is_told_once),
           cmocka_unit_test(a_result_has_the_method_s_kind),
           cmocka_unit_test(a_method_that_returns_nothing_has_no_result),
           cmocka_unit_test(a_static_method_has_no_object_to_ask),
           cmocka_unit_test(purity_is_inherited))
