/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/base.h>
#include <unit_test.h>

#include "sidl.h"

static struct sidl_int__array *numbered(int32_t m, int32_t n)
{
    struct sidl_int__array *a = sidl_int__array_create2dCol(m, n);

    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < n; j++)
            sidl_int__array_set2(a, i, j, 10 * i + j);
    return a;
}

static void bounds_and_strides_follow_the_order(void **state)
{
    const int32_t lower[] = {1, -2, 0}, upper[] = {3, 2, 1};
    struct sidl_double__array *col = sidl_double__array_createCol(3, lower, upper);
    struct sidl_double__array *row = sidl_double__array_createRow(3, lower, upper);

    assert_int_equal(sidl_double__array_dimen(col), 3);
    assert_int_equal(sidl_double__array_stride(col, 0), 1);
    assert_int_equal(sidl_double__array_stride(col, 2), 15);
    assert_int_equal(sidl_double__array_stride(row, 0), 10);
    assert_int_equal(sidl_double__array_stride(row, 2), 1);
    assert_true(sidl_double__array_isColumnOrder(col));
    assert_false(sidl_double__array_isRowOrder(col));
    assert_true(sidl_double__array_isRowOrder(row));
    assert_int_equal(sidl_double__array_length(col, 1), 5);
    sidl_double__array_set3(col, 3, -2, 1, 0.5);
    assert_true(sidlArrayElem3(col, 3, -2, 1) == 0.5);
    assert_ptr_equal(sidlArrayAddr3(col, 3, -2, 1), sidl_double__array_first(col) + 2 + 15);
    sidl_double__array_deleteRef(col);
    sidl_double__array_deleteRef(row);
}

static void access_outside_the_bounds_is_harmless(void **state)
{
    struct sidl_int__array *a = numbered(2, 2);

    sidl_int__array_set2(a, 2, 0, 99);
    sidl_int__array_set1(a, 0, 99);
    assert_int_equal(sidl_int__array_get2(a, 0, -1), 0);
    assert_int_equal(sidl_int__array_get2(a, 1, 1), 11);
    assert_int_equal(sidl_int__array_get2(NULL, 1, 1), 0);
    assert_int_equal(sidl_int__array_upper(a, 5), -1);
    sidl_int__array_deleteRef(a);
    assert_null(sidl_int__array_create1d(-1));
    assert_int_equal(sidl_int__array_dimen(NULL), 0);
    sidl_int__array_deleteRef(NULL);
}

static void an_array_too_large_to_count_is_refused(void **state)
{
    assert_null(sidl_double__array_create2dCol(INT32_MAX, 3));
}

static void a_slice_shares_the_elements_and_keeps_them_alive(void **state)
{
    struct sidl_int__array *a = numbered(4, 5), *row, *every_other;
    const int32_t one_row[] = {0, 5}, start[] = {2, 0};
    const int32_t part[] = {2, 2}, from[] = {0, 1}, step[] = {2, 3}, new_start[] = {1, 1};
    const int32_t too_many[] = {5, 5};

    row = sidl_int__array_slice(a, 1, one_row, start, NULL, NULL);
    every_other = sidl_int__array_slice(a, 2, part, from, step, new_start);
    assert_null(sidl_int__array_slice(a, 2, too_many, NULL, NULL, NULL));
    assert_null(sidl_int__array_slice(a, 1, part, NULL, NULL, NULL));
    sidl_int__array_set2(a, 2, 3, -1);
    sidl_int__array_deleteRef(a);
    assert_int_equal(sidl_int__array_get1(row, 3), -1);
    assert_int_equal(sidl_int__array_get1(row, 4), 24);
    assert_int_equal(sidl_int__array_get2(every_other, 1, 1), 1);
    assert_int_equal(sidl_int__array_get2(every_other, 2, 2), 24);
    assert_false(sidl_int__array_isColumnOrder(every_other));
    sidl_int__array_deleteRef(row);
    sidl_int__array_deleteRef(every_other);
}

static void ensure_copies_only_where_the_order_differs(void **state)
{
    struct sidl_int__array *a = numbered(3, 2);
    struct sidl_int__array *same = sidl_int__array_ensure(a, 2, sidl_column_major_order);
    struct sidl_int__array *row = sidl_int__array_ensure(a, 2, sidl_row_major_order);

    assert_ptr_equal(same, a);
    assert_ptr_not_equal(row, a);
    assert_int_equal(sidl_int__array_first(row)[1], 1);
    assert_int_equal(sidl_int__array_get2(row, 2, 1), 21);
    assert_null(sidl_int__array_ensure(a, 1, sidl_general_order));
    sidl_int__array_deleteRef(same);
    sidl_int__array_deleteRef(a);
    sidl_int__array_deleteRef(row);
}

static void borrowed_elements_are_copied_to_be_kept(void **state)
{
    double data[] = {1, 2, 3, 4, 5, 6};
    const int32_t lower[] = {0}, upper[] = {2}, stride[] = {2};
    struct sidl_double__array *a = sidl_double__array_borrow(data, 1, lower, upper, stride);
    struct sidl_double__array *kept = sidl_double__array_smartCopy(a), *shared;

    data[2] = -3;
    assert_true(sidl_double__array_get1(a, 1) == -3);
    assert_true(sidl_double__array_get1(kept, 1) == 3);
    shared = sidl_double__array_smartCopy(kept);
    assert_ptr_equal(shared, kept);
    sidl_double__array_deleteRef(shared);
    sidl_double__array_deleteRef(kept);
    sidl_double__array_deleteRef(a);
}

static void copy_takes_what_the_index_ranges_share(void **state)
{
    const int32_t lower[] = {1, 1}, upper[] = {9, 1};
    struct sidl_int__array *src = numbered(3, 3);
    struct sidl_int__array *dest = sidl_int__array_createRow(2, lower, upper);

    sidl_int__array_copy(src, dest);
    assert_int_equal(sidl_int__array_get2(dest, 2, 1), 21);
    assert_int_equal(sidl_int__array_get2(dest, 3, 1), 0);
    sidl_int__array_copy(NULL, dest);
    sidl_int__array_deleteRef(src);
    sidl_int__array_deleteRef(dest);
}

static void strings_are_copied_in_and_out(void **state)
{
    const char *init[] = {"a", NULL, "c"};
    struct sidl_string__array *a = sidl_string__array_create1dInit(3, init);
    struct sidl_string__array *b = sidl_string__array_create1d(2);
    char *text;

    sidl_string__array_set1(a, 0, "A");
    sidl_string__array_copy(a, b);
    sidl_string__array_set1(a, 0, NULL);
    text = sidl_string__array_get1(b, 0);
    assert_string_equal(text, "A");
    assert_null(sidl_string__array_get1(a, 0));
    assert_string_equal(sidl_string__array_first(a)[2], "c");
    sidl_String_free(text);
    sidl_string__array_deleteRef(a);
    sidl_string__array_deleteRef(b);
}

static void all_seven_dimensions_are_reached(void **state)
{
    const int32_t lower[7] = {0}, upper[7] = {1, 1, 1, 1, 1, 1, 1};
    struct sidl_long__array *a = sidl_long__array_createCol(7, lower, upper);

    sidl_long__array_set7(a, 1, 0, 1, 0, 1, 0, 1, 77);
    assert_int_equal(sidl_long__array_get7(a, 1, 0, 1, 0, 1, 0, 1), 77);
    assert_int_equal(sidl_long__array_get(a, (const int32_t[]){1, 0, 1, 0, 1, 0, 1}), 77);
    assert_int_equal(sidlArrayElem7(a, 1, 0, 1, 0, 1, 0, 1), 77);
    sidl_long__array_deleteRef(a);
    assert_null(sidl_long__array_createCol(8, lower, upper));
}

static void a_failing_allocation_gives_no_array(void **state)
{
    for (unsigned long n = 1; n <= 2; n++) {
        portolan_alloc_fail_at(n);
        assert_null(sidl_double__array_create1d(5));
        portolan_alloc_fail_at(0);
    }
}

UNIT_TESTS(cmocka_unit_test(bounds_and_strides_follow_the_order),
           cmocka_unit_test(access_outside_the_bounds_is_harmless),
           cmocka_unit_test(an_array_too_large_to_count_is_refused),
           cmocka_unit_test(a_slice_shares_the_elements_and_keeps_them_alive),
           cmocka_unit_test(ensure_copies_only_where_the_order_differs),
           cmocka_unit_test(borrowed_elements_are_copied_to_be_kept),
           cmocka_unit_test(copy_takes_what_the_index_ranges_share),
           cmocka_unit_test(strings_are_copied_in_and_out),
           cmocka_unit_test(all_seven_dimensions_are_reached),
           cmocka_unit_test(a_failing_allocation_gives_no_array))
