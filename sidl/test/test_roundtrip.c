/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A class that implements generated interfaces, called through generated stubs; if BY_HANDLERS, the
 * stubs call a class of handlers, which pass all values on to an object of that class by sidl_call.
 */
#include <portolan/base.h>
#include <unit_test.h>

#include "rt.h"
#include "sidl_call.h"

struct both {
    struct sidl_object object;
    int nothing;
};

#define PASS(NAME, CTYPE)                                                                          \
    static CTYPE both_pass##NAME(void *self, CTYPE a, CTYPE *b, CTYPE *c, sidl_BaseInterface *_ex) \
    {                                                                                              \
        CTYPE was = *c;                                                                            \
        (void)self;                                                                                \
        (void)_ex;                                                                                 \
        *b = a;                                                                                    \
        *c = a;                                                                                    \
        return was;                                                                                \
    }

PASS(Bool, sidl_bool)
PASS(Char, char)
PASS(Dcomplex, struct sidl_dcomplex)
PASS(Double, double)
PASS(Fcomplex, struct sidl_fcomplex)
PASS(Float, float)
PASS(Int, int32_t)
PASS(Long, int64_t)
typedef void *pointer;
PASS(Opaque, pointer)
PASS(Color, enum rt_Color__enum)

static char *both_passString(void *self, const char *a, char **b, char **c, sidl_BaseInterface *_ex)
{
    char *was = *c;

    (void)self;
    (void)_ex;
    *b = sidl_String_strdup(a);
    *c = sidl_String_strdup(a);
    return was;
}

static rt_Types both_passObject(void *self, rt_Types a, rt_Types *b, rt_Types *c,
                                sidl_BaseInterface *_ex)
{
    rt_Types was = *c;

    (void)self;
    rt_Types_addRef(a, _ex);
    *b = a;
    rt_Types_addRef(a, _ex);
    *c = a;
    return was;
}

static struct rt_Pair__data both_passPair(void *self, const struct rt_Pair__data *a,
                                          struct rt_Pair__data *b, struct rt_Pair__data *c,
                                          sidl_BaseInterface *_ex)
{
    struct rt_Pair__data was = *c;

    (void)self;
    rt_Pair__copy(a, b, _ex);
    rt_Pair__copy(a, c, _ex);
    return was;
}

static struct sidl_double__array *both_passArray(void *self, struct sidl_double__array *a,
                                                 struct sidl_double__array **b,
                                                 struct sidl_double__array **c,
                                                 sidl_BaseInterface *_ex)
{
    struct sidl_double__array *was = *c;

    (void)self;
    (void)_ex;
    *b = sidl_double__array_smartCopy(a);
    *c = sidl_double__array_smartCopy(a);
    return was;
}

static struct rt_Types__array *both_passObjects(void *self, struct rt_Types__array *a,
                                                struct sidl_string__array **b,
                                                struct sidl__array **c, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    *b = sidl_string__array_create1d(2);
    sidl_string__array_set1(*b, 1, "second");
    sidl__array_deleteRef(*c);
    *c = sidl__array_smartCopy((struct sidl__array *)*b);
    return rt_Types__array_smartCopy(a);
}

static void both_passNothing(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    ((struct both *)self)->nothing++;
}

static double both_sum(void *self, struct sidl_double__array *x, sidl_BaseInterface *_ex)
{
    double sum = 0;

    (void)self;
    (void)_ex;
    for (int32_t i = 0; i < sidlLength(x, 0); i++)
        sum += sidlArrayElem1(x, i);
    return sum;
}

static void both_scale(void *self, struct sidl_double__array *a, int64_t n, double factor,
                       sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    assert_int_equal(sidlLength(a, 1), 2 * n);
    for (int32_t j = 0; j < sidlLength(a, 1); j++)
        for (int32_t i = 0; i < sidlLength(a, 0); i++)
            sidlArrayElem2(a, i, j) *= factor;
}

static int32_t both_total(void *self, struct sidl_int__array *a, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    return sidl_int__array_get3(a, sidlUpper(a, 0), sidlUpper(a, 1), sidlUpper(a, 2));
}

static struct sidl_fcomplex both_first(void *self, struct sidl_fcomplex__array *z,
                                       sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    return sidl_fcomplex__array_get1(z, 0);
}

static int32_t both_left(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    return 1;
}

static int32_t both_right(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    SIDL_THROW(*_ex, rt_WorseFailure, "not today");
EXIT:
    return -1;
}

static int32_t both_both(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    (void)_ex;
    return 3;
}

static const struct rt_Both__epv both_epv = {
    .f_passBool = both_passBool,
    .f_passChar = both_passChar,
    .f_passDcomplex = both_passDcomplex,
    .f_passDouble = both_passDouble,
    .f_passFcomplex = both_passFcomplex,
    .f_passFloat = both_passFloat,
    .f_passInt = both_passInt,
    .f_passLong = both_passLong,
    .f_passOpaque = both_passOpaque,
    .f_passString = both_passString,
    .f_passColor = both_passColor,
    .f_passObject = both_passObject,
    .f_passPair = both_passPair,
    .f_passArray = both_passArray,
    .f_passObjects = both_passObjects,
    .f_passNothing = both_passNothing,
    .f_sum = both_sum,
    .f_scale = both_scale,
    .f_total = both_total,
    .f_first = both_first,
    .f_left = both_left,
    .f_right = both_right,
    .f_both = both_both,
};
static const struct sidl_implements both_implements[] = {{&rt_Both__type, &both_epv}};
static const struct sidl_class both_class = {.name = "rt.Implementation",
                                             .version = "1.0",
                                             .size = sizeof(struct both),
                                             .implements = both_implements,
                                             .n_implements = 1};

static rt_Both both, target;
static sidl_BaseInterface ex;

#ifdef BY_HANDLERS
static void pass_on(const struct sidl_handled *method, void *self, union sidl_value *values,
                    sidl_BaseInterface *_ex)
{
    (void)self;
    sidl_call(method->user, method->name, values, method->signature->n_arguments, _ex);
}

static sidl_bool choose(void *user, struct sidl_handled *method)
{
    method->handler = pass_on;
    method->user = user;
    return TRUE;
}

static rt_Both make_both(void)
{
    static const struct sidl_type *const types[] = {&rt_Both__type};
    static const struct sidl_class *cls;
    const struct sidl_recipe recipe = {
        .name = "rt.Handlers", .types = types, .n_types = 1, .choose = choose, .user = target};

    if (!cls)
        cls = sidl_class_make(&recipe, &ex);
    return cls ? sidl_object_facet(sidl_object_create(cls, &ex), "rt.Both") : NULL;
}
#else
static rt_Both make_both(void)
{
    return target;
}
#endif

static int set_up(void **state)
{
    target = sidl_object_facet(sidl_object_create(&both_class, &ex), "rt.Both");
    both = make_both();
    return both ? 0 : -1;
}

static int tear_down(void **state)
{
    if (both != target)
        rt_Both_deleteRef(target, &ex);
    rt_Both_deleteRef(both, &ex);
    return 0;
}

#define ROUND(NAME, CTYPE, A, OLD)                                                                 \
    do {                                                                                           \
        CTYPE a = A, b, old = OLD, c, was;                                                         \
        c = old;                                                                                   \
        was = rt_Both_pass##NAME(both, a, &b, &c, &ex);                                            \
        assert_null(ex);                                                                           \
        assert_memory_equal(&b, &a, sizeof a);                                                     \
        assert_memory_equal(&c, &a, sizeof a);                                                     \
        assert_memory_equal(&was, &old, sizeof a);                                                 \
    } while (0)

static void every_plain_type_passes_in_every_mode(void **state)
{
    int here;

    ROUND(Bool, sidl_bool, TRUE, FALSE);
    ROUND(Char, char, 'a', 'z');
    ROUND(Double, double, 0.1, -1e300);
    ROUND(Float, float, 0.25f, -3.0f);
    ROUND(Int, int32_t, INT32_MIN, 4);
    ROUND(Long, int64_t, INT64_MIN, 5);
    ROUND(Opaque, pointer, &here, NULL);
    ROUND(Color, enum rt_Color__enum, rt_Color_blue, rt_Color_red);
    assert_int_equal(rt_Color_green, 0);
    {
        const struct sidl_dcomplex a = {1.5, -2.5}, old = {3, 4};
        struct sidl_dcomplex b, c = old, was = rt_Both_passDcomplex(both, a, &b, &c, &ex);

        assert_true(b.real == a.real && c.imaginary == a.imaginary && was.real == old.real);
    }
    {
        const struct sidl_fcomplex a = {1.5f, -2.5f}, old = {3, 4};
        struct sidl_fcomplex b, c = old, was = rt_Both_passFcomplex(both, a, &b, &c, &ex);

        assert_true(b.real == a.real && c.imaginary == a.imaginary && was.real == old.real);
    }
}

static void strings_and_objects_change_hands_as_the_binding_says(void **state)
{
    char *b = NULL, *c = sidl_String_strdup("old"), *was;
    rt_Types self = rt_Types__cast(both, &ex), ob, oc = rt_Types__cast(both, &ex), owas;

    was = rt_Both_passString(both, "new", &b, &c, &ex);
    assert_string_equal(was, "old");
    assert_string_equal(b, "new");
    assert_string_equal(c, "new");
    sidl_String_free(b);
    sidl_String_free(c);
    sidl_String_free(was);
    owas = rt_Both_passObject(both, self, &ob, &oc, &ex);
    assert_true(rt_Types_isSame(ob, (sidl_BaseInterface)both, &ex));
    rt_Types_deleteRef(ob, &ex);
    rt_Types_deleteRef(oc, &ex);
    rt_Types_deleteRef(owas, &ex);
    rt_Types_deleteRef(self, &ex);
}

static void structs_pass_in_every_mode(void **state)
{
    struct rt_Pair__data a = {"left", "right"}, b, c, was;

    c.left = sidl_String_strdup("old");
    c.right = NULL;
    was = rt_Both_passPair(both, &a, &b, &c, &ex);
    assert_null(ex);
    assert_string_equal(was.left, "old");
    assert_null(was.right);
    assert_string_equal(b.right, "right");
    assert_string_equal(c.left, "left");
    rt_Pair__destroy(&b, &ex);
    rt_Pair__destroy(&c, &ex);
    rt_Pair__destroy(&was, &ex);
}

static void arrays_pass_in_every_mode(void **state)
{
    struct sidl_double__array *a = sidl_double__array_create2dRow(2, 3), *b,
                              *c = sidl_double__array_create2dCol(1, 1), *was;
    struct rt_Types__array *objects = rt_Types__array_create1d(1), *back;
    struct sidl_string__array *names;
    struct sidl__array *any = NULL;
    rt_Types self = rt_Types__cast(both, &ex);
    char *name;

    sidl_double__array_set2(a, 1, 2, 42.0);
    was = rt_Both_passArray(both, a, &b, &c, &ex);
    assert_ptr_equal(b, a);
    assert_true(sidl_double__array_get2(c, 1, 2) == 42.0);
    assert_int_equal(sidl_double__array_length(was, 0), 1);
    sidl_double__array_deleteRef(a);
    sidl_double__array_deleteRef(b);
    sidl_double__array_deleteRef(c);
    sidl_double__array_deleteRef(was);

    rt_Types__array_set1(objects, 0, self);
    rt_Types_deleteRef(self, &ex);
    back = rt_Both_passObjects(both, objects, &names, &any, &ex);
    self = rt_Types__array_get1(back, 0);
    assert_true(rt_Types_isSame(self, (sidl_BaseInterface)both, &ex));
    assert_int_equal(sidl__array_type(any), sidl_string_array);
    name = sidl_string__array_get1(names, 1);
    assert_string_equal(name, "second");
    assert_null(sidl_string__array_get1(names, 0));
    sidl_String_free(name);
    rt_Types_deleteRef(self, &ex);
    rt_Types__array_deleteRef(objects);
    rt_Types__array_deleteRef(back);
    sidl_string__array_deleteRef(names);
    sidl__array_deleteRef(any);
}

static void raw_arrays_reach_the_table_with_their_extents(void **state)
{
    const double x[] = {1, 2, 3, 4};
    double a[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int32_t cube[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const struct sidl_fcomplex z[] = {{9, 8}, {7, 6}, {5, 4}};

    assert_true(rt_Both_sum(both, x, 4, &ex) == 10);
    rt_Both_scale(both, a, 2, 2, 10.0, &ex);
    assert_true(a[0] == 10 && a[7] == 80);
    assert_int_equal(rt_Both_total(both, cube, 2, 3, 2, &ex), 11);
    assert_true(rt_Both_first(both, z, &ex).imaginary == 8);
    assert_null(ex);
}

static void casts_cross_a_diamond_of_interfaces(void **state)
{
    rt_Right right = rt_Right__cast(both, &ex);
    rt_Fields fields = rt_Fields__cast(right, &ex);
    rt_Left left = rt_Left__cast(fields, &ex);
    gov_cca_Port port = gov_cca_Port__cast(left, &ex);
    rt_Both again = rt_Both__cast(port, &ex);
    const double x[] = {1, 2};
    int32_t b, c = 5;

    assert_int_equal(rt_Left_left(left, &ex), 1);
    assert_true(rt_Fields_sum(fields, x, 2, &ex) == 3);
    assert_true(rt_Right_sum(right, x, 2, &ex) == 3);
    assert_int_equal(rt_Right_passInt(right, 6, &b, &c, &ex), 5);
    assert_int_equal(rt_Both_both(again, &ex), 3);
    rt_Both_passNothing(again, &ex);
    assert_int_equal(((struct both *)sidl_reference_peek(target))->nothing, 1);
    assert_true(rt_Left_isSame(left, (sidl_BaseInterface)right, &ex));
    rt_Right_deleteRef(right, &ex);
    rt_Fields_deleteRef(fields, &ex);
    rt_Left_deleteRef(left, &ex);
    gov_cca_Port_deleteRef(port, &ex);
    rt_Both_deleteRef(again, &ex);
}

static void generated_exceptions_are_caught_by_all_their_types(void **state)
{
    rt_Failure failure;
    char *note;

    assert_int_equal(rt_Both_right(both, &ex), -1);
    assert_true(SIDL_CATCH(ex, "rt.WorseFailure"));
    assert_true(SIDL_CATCH(ex, "rt.Failure"));
    assert_true(SIDL_CATCH(ex, "sidl.RuntimeException"));
    assert_true(SIDL_CATCH(ex, "sidl.BaseClass"));
    assert_false(SIDL_CATCH(ex, "sidl.MemAllocException"));
    {
        sidl_BaseInterface ignored;

        failure = rt_Failure__cast(ex, &ignored);
        note = rt_Failure_getNote(failure, &ignored);
        assert_string_equal(note, "not today");
        sidl_String_free(note);
        rt_Failure_deleteRef(failure, &ignored);
    }
    SIDL_CLEAR(ex);
    assert_int_equal(rt_Both_left(both, &ex), 1);
    assert_null(ex);
}

/* What a caller written for Babel does: check after each call, clean up behind EXIT. */
static int32_t call_and_check(rt_Both self, sidl_BaseInterface *_ex)
{
    int32_t result = rt_Both_left(self, _ex);

    SIDL_CHECK(*_ex);
    result += rt_Both_right(self, _ex);
    SIDL_CHECK(*_ex);
    result += 100;
EXIT:
    return result;
}

static void a_checked_call_leaves_at_the_first_exception_with_a_trace(void **state)
{
    sidl_BaseInterface ignored;
    sidl_BaseException base;
    char *trace;

    assert_int_equal(call_and_check(both, &ex), 0);
    base = sidl_BaseException__cast(ex, &ignored);
    trace = sidl_BaseException_getTrace(base, &ignored);
    assert_non_null(strstr(trace, "both_right"));
    assert_non_null(strstr(trace, "call_and_check"));
    sidl_String_free(trace);
    sidl_BaseException_deleteRef(base, &ignored);
    SIDL_CLEAR(ex);
}

static void reference_counts_hold_while_allocations_fail(void **state)
{
    for (unsigned long n = 1; n <= 8; n++) {
        sidl_BaseInterface thrown;

        portolan_alloc_fail_at(n);
        assert_int_equal(call_and_check(both, &thrown), 0);
        portolan_alloc_fail_at(0);
        assert_non_null(thrown);
        assert_true(SIDL_CATCH(thrown, "sidl.BaseException"));
        SIDL_CLEAR(thrown);
    }
    assert_int_equal(((struct sidl_object *)sidl_reference_peek(both))->references, 1);
}

static void a_struct_that_cannot_be_copied_leaves_nothing_behind(void **state)
{
    struct rt_Nest__data nest, copy;
    sidl_BaseInterface ex = NULL;
    int n = 0;

    rt_Nest__init(&nest);
    nest.pair.left = sidl_String_strdup("left");
    nest.pair.right = sidl_String_strdup("right");
    nest.last = sidl_String_strdup("last");
    do {
        portolan_alloc_fail_at((unsigned long)++n);
        rt_Nest__copy(&nest, &copy, &ex);
        portolan_alloc_fail_at(0);
        if (ex) {
            assert_true(SIDL_CATCH(ex, "sidl.MemAllocException"));
            assert_null(copy.pair.left);
            assert_null(copy.pair.right);
            assert_null(copy.last);
        }
    } while (ex);
    assert_int_equal(n, 4);
    assert_string_equal(copy.pair.right, "right");
    assert_ptr_not_equal(copy.last, nest.last);
    rt_Nest__destroy(&copy, &ex);
    rt_Nest__destroy(&nest, &ex);
    assert_null(nest.pair.left);
    assert_null(ex);
}

UNIT_TESTS_BETWEEN(set_up, tear_down, cmocka_unit_test(every_plain_type_passes_in_every_mode),
                   cmocka_unit_test(strings_and_objects_change_hands_as_the_binding_says),
                   cmocka_unit_test(structs_pass_in_every_mode),
                   cmocka_unit_test(arrays_pass_in_every_mode),
                   cmocka_unit_test(raw_arrays_reach_the_table_with_their_extents),
                   cmocka_unit_test(casts_cross_a_diamond_of_interfaces),
                   cmocka_unit_test(generated_exceptions_are_caught_by_all_their_types),
                   cmocka_unit_test(a_checked_call_leaves_at_the_first_exception_with_a_trace),
                   cmocka_unit_test(reference_counts_hold_while_allocations_fail),
                   cmocka_unit_test(a_struct_that_cannot_be_copied_leaves_nothing_behind))
