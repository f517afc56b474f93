/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every array function of Babel's binding, for every element type. One macro makes the tests of one
 * type from how its values are made (of a small number), compared and given up.
 */
#include <portolan/base.h>
#include <unit_test.h>

/* What Babel's sources include; all lead to the same declarations. */
#include "babel_config.h"
#include "sidlArray.h"
#include "sidlType.h"
#include "sidl_double_IOR.h"
#include "sidl_header.h"
#include "sidl_interface_IOR.h"

#include "sidl_ClassInfo.h"

enum { N_OBJECTS = 64 };
static sidl_BaseInterface objects[N_OBJECTS];

static sidl_BaseInterface object(int i)
{
    return objects[i % N_OBJECTS];
}

static const char *text(int i)
{
    static char texts[N_OBJECTS][8];

    snprintf(texts[i % N_OBJECTS], sizeof texts[0], "t%d", i % N_OBJECTS);
    return texts[i % N_OBJECTS];
}

static int same_text(char *own, const char *expected)
{
    const int same = sidl_String_equals(own, expected);

    sidl_String_free(own);
    return same;
}

static int same_object(void *own, void *expected)
{
    sidl_reference_delete(own, NULL);
    return own == expected;
}

#define BOOL(i)          ((i) % 2)
#define CHAR(i)          ((char)('0' + (i) % 64))
#define DCOMPLEX(i)      ((struct sidl_dcomplex){(i), -(i)})
#define DOUBLE(i)        ((i)*0.5)
#define FCOMPLEX(i)      ((struct sidl_fcomplex){(float)(i), (float)-(i)})
#define FLOAT(i)         ((float)(i)*0.25f)
#define INT(i)           (i)
#define LONG(i)          ((int64_t)(i) << 33)
#define OPAQUE(i)        ((void *)&objects[(i) % N_OBJECTS])
#define CLASS(i)         ((sidl_BaseClass)object(i))
#define INFO(i)          ((sidl_ClassInfo)(void *)object(i)) /* any facet does; no method is called */
#define EQUAL(a, b)      ((a) == (b))
#define EQUAL_PAIR(a, b) ((a).real == (b).real && (a).imaginary == (b).imaginary)

#define TYPE_TESTS(P, CODE, VALUE, SAME)                                                           \
    static void P##_one_dimension(void)                                                            \
    {                                                                                              \
        struct P##__array *a = P##__array_create1d(5), *b;                                         \
                                                                                                   \
        assert_int_equal(P##__array_dimen(a), 1);                                                  \
        assert_int_equal(P##__array_lower(a, 0), 0);                                               \
        assert_int_equal(P##__array_upper(a, 0), 4);                                               \
        assert_int_equal(P##__array_length(a, 0), 5);                                              \
        assert_int_equal(P##__array_length(a, 1), 0);                                              \
        assert_int_equal(P##__array_stride(a, 0), 1);                                              \
        assert_true(P##__array_isColumnOrder(a) && P##__array_isRowOrder(a));                      \
        for (int i = 0; i < 5; i++)                                                                \
            P##__array_set1(a, i, VALUE(i + 1));                                                   \
        b = P##__array_create1dInit(5, (void *)P##__array_first(a));                               \
        P##__array_deleteRef(a);                                                                   \
        for (int i = 0; i < 5; i++)                                                                \
            assert_true(SAME(P##__array_get1(b, i), VALUE(i + 1)));                                \
        P##__array_addRef(b);                                                                      \
        P##__array_deleteRef(b);                                                                   \
        assert_int_equal(P##__array_upper(b, 0), 4);                                               \
        P##__array_deleteRef(b);                                                                   \
        a = P##__array_create1dInit(3, NULL);                                                      \
        assert_int_equal(P##__array_length(a, 0), 3);                                              \
        P##__array_deleteRef(a);                                                                   \
    }                                                                                              \
    static void P##_dimensions(void)                                                               \
    {                                                                                              \
        const int32_t lower[] = {-1, -2, 0, 1, -1, 0, 3}, upper[] = {0, -1, 1, 2, 0, 1, 4};        \
        const int32_t at[] = {0, -2, 1, 2, -1, 1, 3};                                              \
                                                                                                   \
        for (int n = 1; n <= 7; n++) {                                                             \
            struct P##__array *a = P##__array_createCol(n, lower, upper);                          \
            struct P##__array *r = P##__array_createRow(n, lower, upper);                          \
                                                                                                   \
            assert_true(P##__array_isColumnOrder(a) && P##__array_isRowOrder(r));                  \
            assert_int_equal(P##__array_stride(a, n - 1), 1 << (n - 1));                           \
            assert_int_equal(P##__array_stride(r, 0), 1 << (n - 1));                               \
            P##__array_set(a, at, VALUE(n));                                                       \
            assert_true(SAME(P##__array_get(a, at), VALUE(n)));                                    \
            P##__array_copy(a, r);                                                                 \
            assert_true(SAME(P##__array_get(r, at), VALUE(n)));                                    \
            P##_fixed(r, n, at);                                                                   \
            P##__array_deleteRef(a);                                                               \
            P##__array_deleteRef(r);                                                               \
        }                                                                                          \
        assert_null(P##__array_createCol(8, lower, upper));                                        \
        assert_null(P##__array_createRow(0, lower, upper));                                        \
    }                                                                                              \
    static void P##_matrix(void)                                                                   \
    {                                                                                              \
        struct P##__array *col = P##__array_create2dCol(3, 4), *row, *part, *kept;                 \
        const int32_t num[] = {0, 2}, start[] = {1, 0}, step[] = {1, 3};                           \
                                                                                                   \
        for (int i = 0; i < 3; i++)                                                                \
            for (int j = 0; j < 4; j++)                                                            \
                P##__array_set2(col, i, j, VALUE(10 * i + j));                                     \
        assert_null(P##__array_ensure(col, 1, sidl_column_major_order));                           \
        row = P##__array_ensure(col, 2, sidl_row_major_order);                                     \
        assert_true(P##__array_isRowOrder(row));                                                   \
        assert_true(SAME(P##__array_get2(row, 2, 3), VALUE(23)));                                  \
        part = P##__array_slice(row, 1, num, start, step, NULL);                                   \
        P##__array_deleteRef(row);                                                                 \
        assert_int_equal(P##__array_stride(part, 0), 3);                                           \
        assert_true(SAME(P##__array_get1(part, 1), VALUE(13)));                                    \
        kept = P##__array_smartCopy(part);                                                         \
        assert_ptr_equal(kept, part);                                                              \
        P##__array_deleteRef(part);                                                                \
        P##__array_deleteRef(kept);                                                                \
        P##__array_deleteRef(col);                                                                 \
        row = P##__array_create2dRow(2, 3);                                                        \
        assert_int_equal(P##__array_stride(row, 0), 3);                                            \
        P##__array_deleteRef(row);                                                                 \
    }                                                                                              \
    static void P##_borrowed(void)                                                                 \
    {                                                                                              \
        struct P##__array *owner = P##__array_create1d(12), *view, *copy, raw;                     \
        const int32_t lower[] = {-1, 5}, upper[] = {0, 6}, stride[] = {-1, 3};                     \
        int32_t raw_lower[2], raw_upper[] = {2, 3}, raw_stride[2];                                 \
                                                                                                   \
        for (int i = 0; i < 12; i++)                                                               \
            P##__array_set1(owner, i, VALUE(i));                                                   \
        view = P##__array_borrow(P##__array_first(owner) + 4, 2, lower, upper, stride);            \
        assert_true(SAME(P##__array_get2(view, 0, 6), VALUE(6)));                                  \
        copy = P##__array_smartCopy(view);                                                         \
        assert_ptr_not_equal(copy, view);                                                          \
        P##__array_set1(owner, 6, VALUE(11));                                                      \
        assert_true(SAME(P##__array_get2(view, 0, 6), VALUE(11)));                                 \
        assert_true(SAME(P##__array_get2(copy, 0, 6), VALUE(6)));                                  \
        P##__array_deleteRef(view);                                                                \
        P##__array_deleteRef(copy);                                                                \
        P##__array_init(P##__array_first(owner), &raw, 2, raw_lower, raw_upper, raw_stride);       \
        assert_true(SAME(P##__array_get2(&raw, 2, 1), VALUE(5)));                                  \
        P##__array_deleteRef(&raw);                                                                \
        P##__array_deleteRef(owner);                                                               \
    }                                                                                              \
    static void P##_generic(void)                                                                  \
    {                                                                                              \
        struct P##__array *a = P##__array_create2dCol(2, 5);                                       \
        struct P##__array *none = NULL;                                                            \
        struct sidl__array *generic = sidl_array_cast(a);                                          \
                                                                                                   \
        assert_null(sidl_array_cast(none));                                                        \
        assert_int_equal(sidl__array_type(generic), CODE);                                         \
        assert_int_equal(sidl__array_dimen(generic), 2);                                           \
        assert_int_equal(sidl__array_upper(generic, 1), 4);                                        \
        assert_true(sidl__array_isColumnOrder(generic));                                           \
        assert_ptr_equal(P##__array_cast(generic), a);                                             \
        assert_null(P##__array_cast(NULL));                                                        \
        assert_true((CODE == sidl_int_array) == (sidl_int__array_cast(generic) != NULL));          \
        sidl__array_addRef(generic);                                                               \
        sidl__array_deleteRef(generic);                                                            \
        sidl__array_deleteRef(generic);                                                            \
        assert_int_equal(P##__array_dimen(NULL), 0);                                               \
        assert_null(P##__array_smartCopy(NULL));                                                   \
        assert_null(P##__array_ensure(NULL, 1, sidl_general_order));                               \
        assert_null(P##__array_slice(NULL, 1, NULL, NULL, NULL, NULL));                            \
        assert_null(P##__array_first(NULL));                                                       \
        P##__array_copy(NULL, NULL);                                                               \
        P##__array_deleteRef(NULL);                                                                \
    }                                                                                              \
    static void arrays_of_##P(void **state)                                                        \
    {                                                                                              \
        P##_one_dimension();                                                                       \
        P##_dimensions();                                                                          \
        P##_matrix();                                                                              \
        P##_borrowed();                                                                            \
        P##_generic();                                                                             \
    }

/* set1 … set7, and get1 … get7 through the general get. */
#define FIXED_TESTS(P, VALUE, SAME)                                                                \
    static void P##_fixed(struct P##__array *a, int n, const int32_t *x)                           \
    {                                                                                              \
        switch (n) {                                                                               \
        case 1:                                                                                    \
            P##__array_set1(a, x[0], VALUE(21));                                                   \
            assert_true(SAME(P##__array_get1(a, x[0]), VALUE(21)));                                \
            break;                                                                                 \
        case 2:                                                                                    \
            P##__array_set2(a, x[0], x[1], VALUE(21));                                             \
            assert_true(SAME(P##__array_get2(a, x[0], x[1]), VALUE(21)));                          \
            break;                                                                                 \
        case 3:                                                                                    \
            P##__array_set3(a, x[0], x[1], x[2], VALUE(21));                                       \
            assert_true(SAME(P##__array_get3(a, x[0], x[1], x[2]), VALUE(21)));                    \
            break;                                                                                 \
        case 4:                                                                                    \
            P##__array_set4(a, x[0], x[1], x[2], x[3], VALUE(21));                                 \
            assert_true(SAME(P##__array_get4(a, x[0], x[1], x[2], x[3]), VALUE(21)));              \
            break;                                                                                 \
        case 5:                                                                                    \
            P##__array_set5(a, x[0], x[1], x[2], x[3], x[4], VALUE(21));                           \
            assert_true(SAME(P##__array_get5(a, x[0], x[1], x[2], x[3], x[4]), VALUE(21)));        \
            break;                                                                                 \
        case 6:                                                                                    \
            P##__array_set6(a, x[0], x[1], x[2], x[3], x[4], x[5], VALUE(21));                     \
            assert_true(SAME(P##__array_get6(a, x[0], x[1], x[2], x[3], x[4], x[5]), VALUE(21)));  \
            break;                                                                                 \
        default:                                                                                   \
            P##__array_set7(a, x[0], x[1], x[2], x[3], x[4], x[5], x[6], VALUE(21));               \
            assert_true(                                                                           \
                SAME(P##__array_get7(a, x[0], x[1], x[2], x[3], x[4], x[5], x[6]), VALUE(21)));    \
        }                                                                                          \
        assert_true(SAME(P##__array_get(a, x), VALUE(21)));                                        \
    }                                                                                              \
    static void P##_fixed(struct P##__array *a, int n, const int32_t *x)

#define TESTS(P, CODE, VALUE, SAME)                                                                \
    FIXED_TESTS(P, VALUE, SAME);                                                                   \
    TYPE_TESTS(P, CODE, VALUE, SAME)

TESTS(sidl_bool, sidl_bool_array, BOOL, EQUAL)
TESTS(sidl_char, sidl_char_array, CHAR, EQUAL)
TESTS(sidl_dcomplex, sidl_dcomplex_array, DCOMPLEX, EQUAL_PAIR)
TESTS(sidl_double, sidl_double_array, DOUBLE, EQUAL)
TESTS(sidl_fcomplex, sidl_fcomplex_array, FCOMPLEX, EQUAL_PAIR)
TESTS(sidl_float, sidl_float_array, FLOAT, EQUAL)
TESTS(sidl_int, sidl_int_array, INT, EQUAL)
TESTS(sidl_long, sidl_long_array, LONG, EQUAL)
TESTS(sidl_opaque, sidl_opaque_array, OPAQUE, EQUAL)
TESTS(sidl_string, sidl_string_array, text, same_text)
TESTS(sidl_interface, sidl_interface_array, object, same_object)
TESTS(sidl_BaseInterface, sidl_interface_array, object, same_object)
TESTS(sidl_BaseClass, sidl_interface_array, CLASS, same_object)
TESTS(sidl_ClassInfo, sidl_interface_array, INFO, same_object)

static void raw_arrays_are_column_major(void **state)
{
    int a[2 * 3 * 2 * 2 * 2 * 2 * 2];

    for (int i = 0; i < (int)(sizeof a / sizeof *a); i++)
        a[i] = i;
    assert_int_equal(RarrayElem1(a, 5), 5);
    assert_int_equal(RarrayElem2(a, 1, 2, 2), 5);
    assert_int_equal(RarrayElem3(a, 1, 2, 1, 2, 3), 11);
    assert_int_equal(RarrayElem4(a, 1, 2, 1, 1, 2, 3, 2), 23);
    assert_int_equal(RarrayElem5(a, 1, 2, 1, 1, 1, 2, 3, 2, 2), 47);
    assert_int_equal(RarrayElem6(a, 1, 2, 1, 1, 1, 1, 2, 3, 2, 2, 2), 95);
    assert_int_equal(RarrayElem7(a, 1, 2, 1, 1, 1, 1, 1, 2, 3, 2, 2, 2, 2), 191);
    assert_ptr_equal(RarrayAddr2(a, 1 + 0, 1, 1 + 1), &a[3]); /* arguments are expressions */
}

static void macros_reach_elements_of_every_dimension(void **state)
{
    const int32_t lower[] = {-1, 2, 0, 0, 0, 0, 0}, upper[] = {0, 3, 1, 1, 1, 1, 1};

    for (int n = 1; n <= SIDL_MAX_ARRAY_DIMENSION; n++) {
        struct sidl_int__array *a = sidl_int__array_createRow(n, lower, upper);

        sidl_int__array_set(a, upper, n);
        assert_int_equal(sidlArrayDim(a), n);
        assert_int_equal(sidlLength(a, n - 1), 2);
        assert_int_equal(n == 1   ? sidlArrayElem1(a, 0)
                         : n == 2 ? sidlArrayElem2(a, 0, 3)
                         : n == 3 ? sidlArrayElem3(a, 0, 3, 1)
                         : n == 4 ? sidlArrayElem4(a, 0, 3, 1, 1)
                         : n == 5 ? sidlArrayElem5(a, 0, 3, 1, 1, 1)
                         : n == 6 ? sidlArrayElem6(a, 0, 3, 1, 1, 1, 1)
                                  : sidlArrayElem7(a, 0, 3, 1, 1, 1, 1, 1),
                         n);
        sidl_int__array_deleteRef(a);
    }
}

static int make_objects(void **state)
{
    sidl_BaseInterface ex;

    for (int i = 0; i < N_OBJECTS; i++)
        objects[i] = (sidl_BaseInterface)sidl_BaseClass__create(&ex);
    return 0;
}

static int drop_objects(void **state)
{
    for (int i = 0; i < N_OBJECTS; i++) {
        if (((struct sidl_object *)sidl_reference_peek(objects[i]))->references != 1)
            return -1; /* an array kept a reference */
        sidl_reference_delete(objects[i], NULL);
    }
    return 0;
}

UNIT_TESTS_BETWEEN(
    make_objects, drop_objects, cmocka_unit_test(arrays_of_sidl_bool),
    cmocka_unit_test(arrays_of_sidl_char), cmocka_unit_test(arrays_of_sidl_dcomplex),
    cmocka_unit_test(arrays_of_sidl_double), cmocka_unit_test(arrays_of_sidl_fcomplex),
    cmocka_unit_test(arrays_of_sidl_float), cmocka_unit_test(arrays_of_sidl_int),
    cmocka_unit_test(arrays_of_sidl_long), cmocka_unit_test(arrays_of_sidl_opaque),
    cmocka_unit_test(arrays_of_sidl_string), cmocka_unit_test(arrays_of_sidl_interface),
    cmocka_unit_test(arrays_of_sidl_BaseInterface), cmocka_unit_test(arrays_of_sidl_BaseClass),
    cmocka_unit_test(arrays_of_sidl_ClassInfo), cmocka_unit_test(raw_arrays_are_column_major),
    cmocka_unit_test(macros_reach_elements_of_every_dimension))
