/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls ft.Server and ft.Child from C, whatever language they are in; exits with the number of
 * failures. */
#include <stdio.h>

#include "ft.h"
#include "sidl_EnfPolicy.h"
#include "sidl_Exception.h"

typedef void *pointer;
static int failures;

static void check(bool ok, const char *text)
{
    if (ok)
        return;
    failures++;
    printf("FAILED: %s\n", text);
}

/* Passes A and WAS, and checks what comes back. */
#define PASS(NAME, TYPE, A, WAS)                                                                   \
    {                                                                                              \
        TYPE a = (A), was = (WAS), b, c = was, r = ft_Server_pass##NAME(s, a, &b, &c, &ex);        \
        check(!ex && !memcmp(&b, &a, sizeof a) && !memcmp(&c, &a, sizeof a) &&                     \
                  !memcmp(&r, &was, sizeof was),                                                   \
              #NAME);                                                                              \
    }

static void scalars(ft_Server s)
{
    sidl_BaseInterface ex = NULL;
    const struct ft_Point__data a = {1.5, 2};
    struct ft_Point__data b, c = {3, 4}, r = ft_Server_passPoint(s, &a, &b, &c, &ex);

    check(b.x == 1.5 && b.n == 2 && c.n == 2 && r.x == 3 && r.n == 4, "a plain struct");
    PASS(Bool, sidl_bool, TRUE, FALSE)
    PASS(Char, char, 'a', '\xe9')
    PASS(Char, char, '\xe9', 'a')
    PASS(Double, double, 1e-300, 2.5)
    PASS(Float, float, 1e30f, 2.5f)
    PASS(Int, int32_t, INT32_MIN, 5)
    PASS(Long, int64_t, INT64_MIN, 5)
    PASS(Opaque, pointer, &failures, NULL)
    PASS(Color, enum ft_Color__enum, ft_Color_blue, ft_Color_red)
    PASS(Dcomplex, struct sidl_dcomplex, ((struct sidl_dcomplex){1, 2}),
         ((struct sidl_dcomplex){3, 4}))
    PASS(Fcomplex, struct sidl_fcomplex, ((struct sidl_fcomplex){1, 2}),
         ((struct sidl_fcomplex){3, 4}))
}

static void strings(ft_Server s)
{
    static char longer[20001];
    const char *const texts[] = {"",
                                 "a",
                                 "blanks at the end   ",
                                 "  ",
                                 "Gr\xc3\xb6\xc3\x9f"
                                 "e \xc2\xb5m",
                                 longer};
    sidl_BaseInterface ex = NULL;

    memset(longer, 'x', sizeof longer - 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *b = NULL, *c = sidl_String_strdup("was "),
             *r = ft_Server_passString(s, texts[i], &b, &c, &ex);

        check(!ex && !strcmp(b, texts[i]) && !strcmp(c, texts[i]) && !strcmp(r, "was "),
              "a string");
        sidl_String_free(b);
        sidl_String_free(c);
        sidl_String_free(r);
    }
}

static void structs(ft_Server s)
{
    sidl_BaseInterface ex = NULL;
    struct ft_Pack__data a = {.b = TRUE,
                              .name = "pack ",
                              .begin = {0, 9},
                              .object = ft_Named__cast(s, &ex)},
                         b, c = {.name = sidl_String_strdup("old")},
                         r = ft_Server_passPack(s, &a, &b, &c, &ex);
    struct ft_Everything__data all = {.b = TRUE,
                                      .c = 'x',
                                      .d = {1, 2},
                                      .e = 3,
                                      .f = {4, 5},
                                      .g = 6,
                                      .h = 7,
                                      .i = 8,
                                      .j = &all,
                                      .k = ft_Color_red,
                                      .pack = a,
                                      .fixed = {1, 2, 3, 4, 5, 6}},
                               more = {.table = sidl_double__array_create2dRow(2, 2), .h = 1};

    check(b.b && !strcmp(b.name, "pack ") && b.begin.n == 9 && b.object,
          "a struct with a string and an object");
    check(!r.b && !strcmp(r.name, "old") && !r.object, "a struct as result");
    all.table = sidl_double__array_create2dRow(2, 2);
    sidl_double__array_set2(all.table, 1, 0, 5);
    ft_Server_passEverything(s, &all, &more, &ex);
    check(more.b && more.c == 'x' && more.d.imaginary == 2 && more.e == 3 && more.f.real == 4 &&
              more.g == 6 && more.h == 8 && more.i == 8 && more.j == &all &&
              more.k == ft_Color_red && more.fixed[5] == 6 && !strcmp(more.pack.name, "pack ") &&
              sidl_double__array_get2(more.table, 1, 0) == 5,
          "a struct with all types");
    sidl_double__array_deleteRef(all.table);
    ft_Named_deleteRef(a.object, &ex);
    ft_Pack__destroy(&b, &ex);
    ft_Pack__destroy(&c, &ex);
    ft_Pack__destroy(&r, &ex);
    ft_Everything__destroy(&more, &ex);
}

/* An array of three elements from -1, and a slice of it with the stride 2. */
#define PASS_ARRAY(NAME, P, ...)                                                                   \
    {                                                                                              \
        int32_t lower[] = {-1}, upper[] = {1}, two[] = {2}, by[] = {2};                            \
        struct P##__array *a = P##__array_createCol(1, lower, upper), *b = NULL, *r,               \
                          *c = P##__array_create1d(1), *every, *b2 = NULL;                         \
        for (int32_t i = -1; i <= 1; i++)                                                          \
            P##__array_set1(a, i, (__VA_ARGS__)[i + 1]);                                           \
        r = ft_Server_pass##NAME(s, a, &b, &c, &ex);                                               \
        check(!ex && r && P##__array_length(r, 0) == 1 && P##__array_lower(c, 0) == -1, #NAME);    \
        for (int32_t i = -1; i <= 1; i++)                                                          \
            check(same_##P(b, i, a, i) && same_##P(c, i, a, i), #NAME " elements");                \
        every = P##__array_slice(a, 1, two, NULL, by, NULL);                                       \
        P##__array_deleteRef(r);                                                                   \
        r = ft_Server_pass##NAME(s, every, &b2, &c, &ex);                                          \
        check(!ex && same_##P(b2, P##__array_upper(b2, 0), a, 1), #NAME " with a stride");         \
        P##__array_deleteRef(a);                                                                   \
        P##__array_deleteRef(b);                                                                   \
        P##__array_deleteRef(b2);                                                                  \
        P##__array_deleteRef(c);                                                                   \
        P##__array_deleteRef(r);                                                                   \
        P##__array_deleteRef(every);                                                               \
    }

#define SAME(P, CTYPE)                                                                             \
    static bool same_##P(struct P##__array *a, int32_t i, struct P##__array *b, int32_t k)         \
    {                                                                                              \
        CTYPE x = P##__array_get1(a, i), y = P##__array_get1(b, k);                                \
                                                                                                   \
        return !memcmp(&x, &y, sizeof x);                                                          \
    }
SAME(sidl_bool, sidl_bool)
SAME(sidl_char, char)
SAME(sidl_dcomplex, struct sidl_dcomplex)
SAME(sidl_double, double)
SAME(sidl_fcomplex, struct sidl_fcomplex)
SAME(sidl_float, float)
SAME(sidl_int, int32_t)
SAME(sidl_long, int64_t)
SAME(sidl_opaque, pointer)
SAME(ft_Color, int64_t)

static bool same_sidl_string(struct sidl_string__array *a, int32_t i, struct sidl_string__array *b,
                             int32_t k)
{
    char *x = sidl_string__array_get1(a, i), *y = sidl_string__array_get1(b, k);
    const bool same = x && y && !strcmp(x, y);

    sidl_String_free(x);
    sidl_String_free(y);
    return same;
}

static bool same_ft_Named(struct ft_Named__array *a, int32_t i, struct ft_Named__array *b,
                          int32_t k)
{
    ft_Named x = ft_Named__array_get1(a, i), y = ft_Named__array_get1(b, k);
    const bool same = sidl_reference_is_same(x, y, NULL);

    sidl_reference_delete(x, NULL);
    sidl_reference_delete(y, NULL);
    return same;
}

static void elements(ft_Server s)
{
    sidl_BaseInterface ex = NULL;
    ft_Named named = ft_Named__cast(s, &ex);

    PASS_ARRAY(Bools, sidl_bool, (sidl_bool[]){1, 0, 1})
    PASS_ARRAY(Chars, sidl_char, "abc")
    PASS_ARRAY(Dcomplexes, sidl_dcomplex, (struct sidl_dcomplex[]){{1, 2}, {3, 4}, {5, 6}})
    PASS_ARRAY(Doubles, sidl_double, (double[]){1, 2, 3})
    PASS_ARRAY(Fcomplexes, sidl_fcomplex, (struct sidl_fcomplex[]){{1, 2}, {3, 4}, {5, 6}})
    PASS_ARRAY(Floats, sidl_float, (float[]){1, 2, 3})
    PASS_ARRAY(Ints, sidl_int, (int32_t[]){1, 2, 3})
    PASS_ARRAY(Longs, sidl_long, (int64_t[]){1, 2, INT64_MAX})
    PASS_ARRAY(Opaques, sidl_opaque, (void *[]){NULL, &ex, &named})
    PASS_ARRAY(Strings, sidl_string, (const char *[]){"one ", "", "zw\xc3\xb6lf"})
    PASS_ARRAY(Colors, ft_Color, (int64_t[]){7, 0, -1})
    PASS_ARRAY(Objects, ft_Named, (ft_Named[]){named, NULL, named})
    ft_Named_deleteRef(named, &ex);
}

#define RANK(N)                                                                                    \
    {                                                                                              \
        struct sidl_double__array *a = NULL;                                                       \
        const int32_t starts[] = {2, 3, 4, 5, 6, 7, 8}, by[] = {-1, -1, -1, -1, -1, -1, -1};       \
        const int32_t two[] = {2, 2, 2, 2, 2, 2, 2}, lows[] = {1, 2, 3, 4, 5, 6, 7};               \
        struct sidl_double__array *back;                                                           \
        double sum, sum_back, expected = 0, reversed = 0;                                          \
        ft_Server_make##N(s, rows, &a, &ex);                                                       \
        check(!ex && a &&                                                                          \
                  (rows ? sidl_double__array_isRowOrder(a) : sidl_double__array_isColumnOrder(a)), \
              "the order of rank " #N);                                                            \
        back = sidl_double__array_slice(a, N, two, starts, by, lows);                              \
        for (int k = 0; k < 1 << N; k++) {                                                         \
            int32_t index[N];                                                                      \
            double weight = 0, power = 1;                                                          \
            for (int i = 0; i < N; i++, power *= 10)                                               \
                weight += (index[i] = i + 1 + (k >> i & 1)) * power;                               \
            check(sidl_double__array_get(a, index) == weight, "an element of rank " #N);           \
            expected += weight * weight;                                                           \
            reversed += weight * sidl_double__array_get(back, index);                              \
        }                                                                                          \
        sum = ft_Server_weigh##N(s, a, &ex);                                                       \
        sum_back = ft_Server_weigh##N(s, back, &ex);                                               \
        check(sum == expected && sum_back == reversed, "the sum of rank " #N);                     \
        sidl_double__array_deleteRef(back);                                                        \
        sidl_double__array_deleteRef(a);                                                           \
    }

static void ranks(ft_Server s)
{
    sidl_BaseInterface ex = NULL;

    for (int rows = 0; rows < 2; rows++) {
        RANK(1) RANK(2) RANK(3) RANK(4) RANK(5) RANK(6) RANK(7)
    }
    check(ft_Server_weigh2(s, NULL, &ex) == -1, "no array");
}

static bool note_is(sidl_BaseInterface ex, const char *text)
{
    sidl_BaseException base = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface failed = NULL;
    char *note = base ? sidl_BaseException_getNote(base, &failed) : NULL;
    const bool same = note && !strcmp(note, text);

    if (!same)
        printf("the note: %s\n", note ? note : "none");
    sidl_String_free(note);
    sidl_reference_delete(base, NULL);
    return same;
}

/* FORTRAN: the server is in it, and refuses what C lets pass. */
static void raw(ft_Server s, bool fortran)
{
    sidl_BaseInterface ex = NULL;
    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, vector[] = {1, 2, 3};
    int32_t cube[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct sidl_fcomplex z[] = {{1, 2}, {3, 4}}, first;
    int64_t l[] = {5, 6};
    struct sidl_int__array *ints = NULL;
    struct sidl_double__array *line = sidl_double__array_create1d(2);

    check(ft_Server_sum(s, x, 2, 2, &ex) ==
              1 * 0 + 2 * 1 + 3 * 10 + 4 * 11 + 5 * 20 + 6 * 21 + 7 * 30 + 8 * 31,
          "an rarray of rank 2");
    ft_Server_scale(s, vector, 3, 2, &ex);
    check(vector[0] == 2 && vector[2] == 6, "an rarray that is changed");
    sidl_EnfPolicy_setEnforceAll(sidl_ContractClass_ALLCLASSES, TRUE, &ex);
    ft_Server_scale(s, vector, 0, 2, &ex);
    check(SIDL_CATCH(ex, "sidl.PreViolation"), "a contract");
    SIDL_CLEAR(ex)
    sidl_EnfPolicy_setEnforceNone(TRUE, &ex);
    check(ft_Server_total(s, cube, &ex) == 2 + 6 + 12 + 20 + 30 + 42 + 56, "constant extents");
    first = ft_Server_first(s, z, l, 2, &ex);
    check(first.real == 6 && first.imaginary == 2, "an extent that is long");
    for (int kind = 0; kind < 2 && fortran; kind++) {
        ft_Server_fault(s, kind, &ints, &ex);
        check(note_is(ex, kind ? "ft.Arrays.fault: a was set by its d_data alone; use createCol, "
                                 "createRow or borrow"
                               : "ft.Arrays.fault: a was left unset; use createCol or createRow"),
              "the note about an array that is not set");
        SIDL_CLEAR(ex)
    }
    if (fortran) {
        ft_Server_weigh2(s, line, &ex);
        check(note_is(ex, "ft.Arrays.weigh2: a has an array of double and rank 1; declared is "
                          "double and rank 2"),
              "the note about a wrong rank");
        SIDL_CLEAR(ex)
    }
    sidl_double__array_deleteRef(line);
}

/* CXX: the server is in C++. */
static void others(ft_Server s, bool cxx)
{
    static const char *const classes[] = {"", "ft.Failure", "ft.WorseFailure", "ft.CodedFailure"};
    static const char *const notes[] = {"", "failed", "failed worse", "failed by code"};
    sidl_BaseInterface ex = NULL;
    ft_Child child = ft_Child__create(&ex);
    ft_Callback callback = ft_Callback__cast(child, &ex);
    char *name, *sum = ft_Server_addText(s, "a ", "b ", &ex);
    double x[] = {1};
    const int32_t before = ft_Server_next(0, &ex);

    check(ft_Server_add(s, 3, 4, &ex) == 7 && ft_Server_addReal(s, .5, .25, &ex) == .75 &&
              !strcmp(sum, "a b "),
          "overloads");
    check(ft_Server_next(5, &ex) == before + 5 && ft_Server_level(x, 1, &ex) == ft_Color_red,
          "static methods");
    ft_Child_setName(child, "child", &ex);
    name = ft_Child_getName(child, &ex);
    check(!strcmp(name, "child!"), "an inherited method");
    check(ft_Server_dive(s, 2, 21, callback, &ex) == 42 && !ex, "a callback");
    for (int kind = 1; kind <= 3; kind++) {
        ft_Server_dive(s, 3, kind, NULL, &ex);
        check(SIDL_CATCH(ex, classes[kind]) && SIDL_CATCH(ex, "ft.Failure") &&
                  note_is(ex, notes[kind]),
              classes[kind]);
        if (kind == 3) {
            ft_CodedFailure coded = ft_CodedFailure__cast(ex, NULL);
            sidl_BaseInterface failed = NULL;

            check(coded && ft_CodedFailure_getCode(coded, &failed) == 42,
                  "an exception's own method");
            sidl_reference_delete(coded, NULL);
        }
        SIDL_CLEAR(ex)
    }
    ft_Server_dive(s, 3, -1, callback, &ex);
    check(SIDL_CATCH(ex, "ft.Failure"), "an exception of a callback");
    SIDL_CLEAR(ex)
    for (int kind = 4; kind <= 5 && cxx; kind++) {
        ft_Server_dive(s, 0, kind, NULL, &ex);
        check(SIDL_CATCH(ex, "sidl.SIDLException") &&
                  note_is(ex, kind == 4 ? "ft.Server.dive: a range"
                                        : "ft.Server.dive: threw something that is no "
                                          "std::exception, of which nothing can be told; throw a "
                                          "std::runtime_error with a text"),
              "what C++ threw");
        SIDL_CLEAR(ex)
    }
    ft_Server_missing(s, &ex);
    check(SIDL_CATCH(ex, "sidl.NotImplementedException") &&
              note_is(ex, "ft.Server.missing is not implemented"),
          "a method without a body");
    SIDL_CLEAR(ex)
    sidl_String_free(name);
    sidl_String_free(sum);
    ft_Callback_deleteRef(callback, &ex);
    ft_Child_deleteRef(child, &ex);
}

int main(int argc, char **argv)
{
    const char *server = argc > 1 ? argv[1] : "c";
    sidl_BaseInterface ex = NULL;
    ft_Server s = ft_Server__create(&ex);

    ft_Server_setName(s, "server", &ex);
    for (long i = atol(getenv("ROUNDS")); i >= 0; i--) {
        scalars(s);
        strings(s);
        structs(s);
        elements(s);
        if (i == 0) {
            ranks(s);
            raw(s, !strcmp(server, "f"));
            others(s, !strcmp(server, "cxx"));
        }
    }
    ft_Server_deleteRef(s, &ex);
    return failures;
}
