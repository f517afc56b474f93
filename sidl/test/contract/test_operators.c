/* SPDX-License-Identifier: BSD-3-Clause */
/* Every operator and built-in function of contracts, with values worked out by hand. */
#include "calls.h"

#include "op.h"
#include "op_Arrays_Impl.h"
#include "op_Int_Impl.h"
#include "op_Logic_Impl.h"
#include "op_Order_Impl.h"
#include "op_Real_Impl.h"
#include "op_Text_Impl.h"
#include "op_Things_Impl.h"

#define NOTHING                                                                                    \
    {                                                                                              \
        *_ex = NULL;                                                                               \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CLASS(NAME)                                                                                \
    void impl_op_##NAME##__load(sidl_BaseInterface *_ex) NOTHING void impl_op_##NAME##__ctor(      \
        op_##NAME self, sidl_BaseInterface *_ex)                                                   \
        NOTHING void impl_op_##NAME##__ctor2(op_##NAME self, void *data, sidl_BaseInterface *_ex)  \
            NOTHING void impl_op_##NAME##__dtor(op_##NAME self, sidl_BaseInterface *_ex) NOTHING

CLASS(Int)
CLASS(Order)
CLASS(Logic)
CLASS(Real)
CLASS(Text)
CLASS(Things)
CLASS(Arrays)

#define METHOD(NAME, ...) void impl_op_##NAME(__VA_ARGS__, sidl_BaseInterface *_ex) NOTHING

#define INT(NAME) METHOD(Int_##NAME, int32_t a, int32_t b, int32_t c)
INT(add)
INT(sub)
INT(mul)
INT(div)
INT(percent)
INT(remainder)
INT(modulo)
INT(power)
INT(left)
INT(right)
INT(both)
INT(either)
INT(exclusive)
INT(inverted)
INT(negative)
INT(nested)
INT(literal)

#define ORDER(NAME) METHOD(Order_##NAME, int32_t a, double b)
ORDER(less)
ORDER(lessEqual)
ORDER(greater)
ORDER(greaterEqual)
ORDER(same)
ORDER(other)

#define LOGIC(NAME) METHOD(Logic_##NAME, sidl_bool a, sidl_bool b)
LOGIC(conjunction)
LOGIC(disjunction)
LOGIC(exclusive)
LOGIC(implication)
LOGIC(equivalence)
LOGIC(negation)
LOGIC(bits)
LOGIC(lazy)

#define REAL(NAME) METHOD(Real_##NAME, double a, double b, double c)
REAL(arithmetic)
REAL(power)
REAL(percent)
REAL(literal)

#define TEXT(NAME) METHOD(Text_##NAME, const char *a, const char *b)
TEXT(same)
TEXT(other)
TEXT(less)
TEXT(literal)
TEXT(commas)
METHOD(Text_character, char a, char b)

METHOD(Things_nothing, op_Things a, struct sidl_int__array *b, void *c)
METHOD(Things_same, op_Things a, op_Things b)
METHOD(Things_color, enum op_Color__enum a)
METHOD(Things_point, const struct op_Point__data *p, double limit)

void impl_op_Things_changed(int32_t a, int32_t *b, int32_t *c, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    *b += a < 10;
    *c = 2 * a;
}

#define ARRAY(NAME) METHOD(Arrays_##NAME, struct sidl_double__array *a, double v)
ARRAY(all)
ARRAY(any)
ARRAY(none)
ARRAY(count)
ARRAY(range)
ARRAY(nonDecr)
ARRAY(nonIncr)
METHOD(Arrays_allBoth, struct sidl_int__array *a, struct sidl_double__array *b)
METHOD(Arrays_noneBoth, struct sidl_int__array *a, struct sidl_double__array *b)
METHOD(Arrays_numbers, struct sidl__array *a, int32_t n)
METHOD(Arrays_irange, struct sidl__array *a, int32_t n)
METHOD(Arrays_rangeOne, double a, double v)
METHOD(Arrays_extrema, struct sidl__array *a, double least, double most)
METHOD(Arrays_sum, struct sidl_long__array *a, int64_t v)
METHOD(Arrays_near, struct sidl_double__array *a, struct sidl__array *b, double v)
METHOD(Arrays_nearOne, double a, double b, double v)
METHOD(Arrays_raw, double *a, int32_t m, int32_t n, double v)

struct sidl_int__array *impl_op_Arrays_made(int32_t n, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    return n < 0 ? NULL : sidl_int__array_create1d(n < 5 ? n : 5);
}

static void integers(void **state)
{
    PASSES(op_Int_add(2, 3, 5, &ex));
    VIOLATES(op_Int_add(2, 3, 6, &ex));
    PASSES(op_Int_sub(2, 3, -1, &ex));
    VIOLATES(op_Int_sub(3, 2, -1, &ex));
    PASSES(op_Int_mul(-4, 3, -12, &ex));
    VIOLATES(op_Int_mul(4, 3, 13, &ex));
    VIOLATES(op_Int_mul(65536, 65536, 0, &ex)); /* 64 bits are enough */
    PASSES(op_Int_div(-7, 2, -3, &ex));
    VIOLATES(op_Int_div(7, 2, 4, &ex));
    PASSES(op_Int_percent(7, 3, 1, &ex));
    VIOLATES(op_Int_percent(7, 3, 2, &ex));
    PASSES(op_Int_remainder(-7, 3, -1, &ex)); /* the sign of the first … */
    VIOLATES(op_Int_remainder(-7, 3, 2, &ex));
    PASSES(op_Int_modulo(-7, 3, 2, &ex)); /* … and of the second */
    VIOLATES(op_Int_modulo(-7, 3, -1, &ex));
    PASSES(op_Int_power(2, 10, 1024, &ex));
    VIOLATES(op_Int_power(10, 2, 1024, &ex));
    PASSES(op_Int_left(3, 4, 48, &ex));
    VIOLATES(op_Int_left(4, 3, 48, &ex));
    PASSES(op_Int_left(1, 65, 2, &ex)); /* modulo 64 */
    PASSES(op_Int_right(-9, 1, -5, &ex));
    VIOLATES(op_Int_right(9, 1, 5, &ex));
    PASSES(op_Int_both(12, 10, 8, &ex));
    VIOLATES(op_Int_both(12, 10, 14, &ex));
    PASSES(op_Int_either(12, 10, 14, &ex));
    VIOLATES(op_Int_either(12, 10, 8, &ex));
    PASSES(op_Int_exclusive(12, 10, 6, &ex));
    VIOLATES(op_Int_exclusive(12, 10, 2, &ex));
    PASSES(op_Int_inverted(5, 6, 0, &ex));
    VIOLATES(op_Int_inverted(5, 5, 0, &ex));
    PASSES(op_Int_negative(2, 3, 1, &ex));
    VIOLATES(op_Int_negative(2, 3, 5, &ex));
    PASSES(op_Int_nested(10, 5, 4, &ex));
    VIOLATES(op_Int_nested(10, 5, 6, &ex)); /* (10 - 5) - 6 */
    PASSES(op_Int_literal(16, 8, 7, &ex));
    VIOLATES(op_Int_literal(16, 10, 7, &ex));
}

static void division_by_zero_is_a_violation_that_says_so(void **state)
{
    THROWS("sidl.PreViolation", "a / b == c [division by zero] (operators.sidl:10)",
           op_Int_div(1, 0, 0, &ex));
    THROWS("sidl.PreViolation", "division by zero", op_Int_percent(1, 0, 0, &ex));
    THROWS("sidl.PreViolation", "division by zero", op_Int_modulo(1, 0, 0, &ex));
    VIOLATES(op_Int_div(-2147483647 - 1, -1, -2147483647 - 1, &ex)); /* 2^31 */
}

static void orders(void **state)
{
    PASSES(op_Order_less(2, 2.5, &ex));
    VIOLATES(op_Order_less(2, 2.0, &ex));
    PASSES(op_Order_lessEqual(2, 2.0, &ex));
    VIOLATES(op_Order_lessEqual(2, 1.9, &ex));
    PASSES(op_Order_greater(3, 2.9, &ex));
    VIOLATES(op_Order_greater(3, 3.0, &ex));
    PASSES(op_Order_greaterEqual(3, 3.0, &ex));
    VIOLATES(op_Order_greaterEqual(3, 3.1, &ex));
    PASSES(op_Order_same(3, 3.0, &ex));
    VIOLATES(op_Order_same(3, 3.5, &ex));
    PASSES(op_Order_other(3, 3.5, &ex));
    VIOLATES(op_Order_other(3, 3.0, &ex));
}

/* Bit 2a + b of TRUTH is what the method lets pass. */
static void check_truth(void (*method)(sidl_bool a, sidl_bool b, sidl_BaseInterface *_ex),
                        int truth)
{
    for (int i = 0; i < 4; i++) {
        if (truth >> i & 1)
            PASSES(method(i / 2, i % 2, &ex));
        else
            VIOLATES(method(i / 2, i % 2, &ex));
    }
}

static void truth_tables(void **state)
{
    check_truth(op_Logic_conjunction, 8);
    check_truth(op_Logic_disjunction, 14);
    check_truth(op_Logic_exclusive, 6);
    check_truth(op_Logic_implication, 11);
    check_truth(op_Logic_equivalence, 9);
    check_truth(op_Logic_negation, 3);
    check_truth(op_Logic_bits, 6); /* the last two of its conditions exclude both and neither */
}

static void what_need_not_be_evaluated_is_not(void **state)
{
    PASSES(op_Logic_lazy(FALSE, TRUE, &ex));
    THROWS("sidl.PreViolation", "division by zero", op_Logic_lazy(TRUE, TRUE, &ex));
    THROWS("sidl.PreViolation", "a and 1 / 0 == 0 or b (", op_Logic_lazy(FALSE, FALSE, &ex));
}

static void reals(void **state)
{
    PASSES(op_Real_arithmetic(5, 3, 8, &ex));
    VIOLATES(op_Real_arithmetic(5, 3, 9, &ex));
    PASSES(op_Real_power(2, -1, 0.5, &ex));
    VIOLATES(op_Real_power(2, -1, 0, &ex));
    PASSES(op_Real_percent(-5.5, 2, -1.5, &ex));
    VIOLATES(op_Real_percent(-5.5, 2, 0.5, &ex));
    PASSES(op_Real_literal(0.0015, 2.5, -0.25, &ex));
    VIOLATES(op_Real_literal(0.0015, 2.5, 0.25, &ex));
}

static void texts(void **state)
{
    PASSES(op_Text_same("a", "a", &ex));
    VIOLATES(op_Text_same("a", "ab", &ex));
    PASSES(op_Text_same(NULL, "", &ex)); /* no text is an empty one */
    PASSES(op_Text_other("a", "b", &ex));
    VIOLATES(op_Text_other("b", "b", &ex));
    PASSES(op_Text_less("a", "ab", &ex));
    VIOLATES(op_Text_less("b", "ab", &ex));
    PASSES(op_Text_literal("say \"what?"
                           "?/\"\n",
                           "x", &ex));
    VIOLATES(op_Text_literal("say \"what?"
                             "?/\"\n",
                             "", &ex));
    PASSES(op_Text_commas("a line of text, with commas, and more of them, so long that a line of C "
                          "breaks, here or there",
                          "", &ex));
    PASSES(op_Text_character('x', 'a', &ex));
    VIOLATES(op_Text_character('x', 'b', &ex));
    VIOLATES(op_Text_character('x', '\n', &ex));
}

static void objects_enums_structs_and_changed_arguments(void **state)
{
    struct sidl_int__array *array = sidl_int__array_create1d(1);
    struct op_Point__data p = {.x = 1, .n = 3, .s = (char *)"s"};
    int32_t b = 4, c;
    op_Things one, two;

    PASSES(one = op_Things__create(&ex));
    PASSES(two = op_Things__create(&ex));
    PASSES(op_Things_nothing(one, array, &b, &ex));
    VIOLATES(op_Things_nothing(NULL, array, &b, &ex));
    VIOLATES(op_Things_nothing(one, NULL, &b, &ex));
    VIOLATES(op_Things_nothing(one, array, NULL, &ex));
    PASSES(op_Things_same(one, one, &ex));
    VIOLATES(op_Things_same(one, two, &ex));
    VIOLATES(op_Things_same(one, NULL, &ex));
    PASSES(op_Things_color(op_Color_red, &ex));
    VIOLATES(op_Things_color(op_Color_green, &ex));
    PASSES(op_Things_point(&p, 2, &ex));
    VIOLATES(op_Things_point(&p, 1, &ex));
    p.n = 4;
    VIOLATES(op_Things_point(&p, 2, &ex));
    PASSES(op_Things_changed(4, &b, &c, &ex));
    assert_int_equal(b, 5);
    VIOLATES(op_Things_changed(4, &b, &c, &ex));
    b = 10;
    THROWS("sidl.PostViolation", "postcondition violated: b == a + 1 and c == 2 * a",
           op_Things_changed(10, &b, &c, &ex));
    op_Things_deleteRef(one, NULL);
    op_Things_deleteRef(two, NULL);
    sidl_int__array_deleteRef(array);
}

static struct sidl_double__array *doubles(double a, double b, double c)
{
    const double values[] = {a, b, c};

    return sidl_double__array_create1dInit(3, values);
}

static void relations_of_arrays(void **state)
{
    static const int32_t ints[] = {1, 2, 4};
    struct sidl_int__array *other = sidl_int__array_create1dInit(3, ints);
    struct sidl_int__array *shorter = sidl_int__array_create1dInit(2, ints);
    struct sidl_double__array *a = doubles(1, 2, 3);

    PASSES(op_Arrays_all(a, 3.5, &ex));
    VIOLATES(op_Arrays_all(a, 3, &ex));
    PASSES(op_Arrays_any(a, 3, &ex));
    VIOLATES(op_Arrays_any(a, 3.5, &ex));
    PASSES(op_Arrays_none(a, 2.5, &ex));
    VIOLATES(op_Arrays_none(a, 2, &ex));
    PASSES(op_Arrays_count(a, 2, &ex));
    VIOLATES(op_Arrays_count(a, 5, &ex));
    PASSES(op_Arrays_allBoth(other, a, &ex));
    VIOLATES(op_Arrays_noneBoth(other, a, &ex)); /* 4 > 3 */
    VIOLATES(op_Arrays_allBoth(shorter, a, &ex));
    PASSES(op_Arrays_noneBoth(shorter, a, &ex));
    /* no array, no elements */
    PASSES(op_Arrays_all(NULL, 3, &ex));
    VIOLATES(op_Arrays_any(NULL, 3, &ex));
    PASSES(op_Arrays_none(NULL, 3, &ex));
    VIOLATES(op_Arrays_count(NULL, 3, &ex));
    sidl_double__array_deleteRef(a);
    sidl_int__array_deleteRef(other);
    sidl_int__array_deleteRef(shorter);
}

static void ranges_and_order(void **state)
{
    static const int32_t ints[] = {1, 2, 4};
    struct sidl_int__array *integers = sidl_int__array_create1dInit(3, ints);
    struct sidl_double__array *up = doubles(1, 2, 2), *down = doubles(3, 1, 1);
    struct sidl_double__array *hill = doubles(1, 3, 2);

    PASSES(op_Arrays_range(up, 0, &ex));
    PASSES(op_Arrays_range(down, 0.5, &ex));
    sidl_double__array_set1(up, 0, 0.5);
    PASSES(op_Arrays_range(up, 0.5, &ex));
    VIOLATES(op_Arrays_range(up, 0.4, &ex));
    PASSES(op_Arrays_irange((struct sidl__array *)integers, 4, &ex));
    VIOLATES(op_Arrays_irange((struct sidl__array *)integers, 3, &ex));
    PASSES(op_Arrays_irange((struct sidl__array *)down, 3, &ex));
    PASSES(op_Arrays_rangeOne(3.5, 0.5, &ex));
    VIOLATES(op_Arrays_rangeOne(3.6, 0.5, &ex));
    PASSES(op_Arrays_nonDecr(up, 0, &ex));
    VIOLATES(
        op_Arrays_nonDecr(hill, 0, &ex)); /* greater than the first, less than the one before */
    PASSES(op_Arrays_nonIncr(down, 0, &ex));
    VIOLATES(op_Arrays_nonIncr(hill, 0, &ex));
    PASSES(op_Arrays_nonDecr(NULL, 0, &ex));
    sidl_double__array_deleteRef(up);
    sidl_double__array_deleteRef(down);
    sidl_double__array_deleteRef(hill);
    sidl_int__array_deleteRef(integers);
}

static void sums_and_extrema(void **state)
{
    static const int64_t longs[] = {9007199254740993, -1, 2};
    struct sidl_long__array *integers = sidl_long__array_create1dInit(3, longs);
    struct sidl_int__array *two = sidl_int__array_create1d(2);
    struct sidl_double__array *a = doubles(2, -1, 0.5), *b = doubles(2.1, -1, 0.4);

    PASSES(op_Arrays_extrema((struct sidl__array *)a, -1, 2, &ex));
    VIOLATES(op_Arrays_extrema((struct sidl__array *)a, -1, 0.5, &ex));
    PASSES(op_Arrays_extrema(NULL, 0, 0, &ex));
    PASSES(op_Arrays_sum(integers, 9007199254740994, &ex)); /* no double has 2^53 + 1 */
    VIOLATES(op_Arrays_sum(integers, 9007199254740993, &ex));
    PASSES(op_Arrays_near(a, (struct sidl__array *)b, 0.11, &ex));
    VIOLATES(op_Arrays_near(a, (struct sidl__array *)b, 0.09, &ex));
    VIOLATES(op_Arrays_near(a, (struct sidl__array *)two, 100, &ex)); /* two elements, not three */
    PASSES(op_Arrays_nearOne(1, 1.5, 0.5, &ex));
    VIOLATES(op_Arrays_nearOne(1, 1.5, 0.4, &ex));
    sidl_long__array_deleteRef(integers);
    sidl_int__array_deleteRef(two);
    sidl_double__array_deleteRef(a);
    sidl_double__array_deleteRef(b);
}

static void shapes(void **state)
{
    static const int32_t lower[] = {1, 0}, upper[] = {3, 1};
    struct sidl_double__array *rows = sidl_double__array_createRow(2, lower, upper);
    struct sidl_double__array *line = doubles(1, 2, 3);
    const double raw[] = {1, 2, 3, 4, 5, 6};
    struct sidl_int__array *made;

    PASSES(op_Arrays_numbers((struct sidl__array *)rows, 2, &ex));
    VIOLATES(op_Arrays_numbers((struct sidl__array *)rows, 1, &ex));
    VIOLATES(op_Arrays_numbers((struct sidl__array *)line, 1, &ex)); /* lower 0 */
    VIOLATES(op_Arrays_numbers(NULL, 0, &ex));
    PASSES(op_Arrays_raw(raw, 2, 3, 21, &ex));
    VIOLATES(op_Arrays_raw(raw, 3, 2, 21, &ex));
    VIOLATES(op_Arrays_raw(raw, 2, 3, 20, &ex));
    PASSES(made = op_Arrays_made(3, &ex));
    sidl_int__array_deleteRef(made);
    /* what was made is given back, the caller has an exception instead */
    THROWS("sidl.PostViolation", "size(result) == n", made = op_Arrays_made(6, &ex));
    assert_null(made);
    THROWS("sidl.PostViolation", "result != null", op_Arrays_made(-1, &ex));
    sidl_double__array_deleteRef(rows);
    sidl_double__array_deleteRef(line);
}

static int switch_on(void **state)
{
    PASSES(sidl_EnfPolicy_setEnforceAll(sidl_ContractClass_ALLCLASSES, TRUE, &ex));
    return 0;
}

UNIT_TESTS_BETWEEN(switch_on, NULL, cmocka_unit_test(integers),
                   cmocka_unit_test(division_by_zero_is_a_violation_that_says_so),
                   cmocka_unit_test(orders), cmocka_unit_test(truth_tables),
                   cmocka_unit_test(what_need_not_be_evaluated_is_not), cmocka_unit_test(reals),
                   cmocka_unit_test(texts),
                   cmocka_unit_test(objects_enums_structs_and_changed_arguments),
                   cmocka_unit_test(relations_of_arrays), cmocka_unit_test(ranges_and_order),
                   cmocka_unit_test(sums_and_extrema), cmocka_unit_test(shapes))
