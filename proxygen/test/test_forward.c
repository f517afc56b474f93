/* SPDX-License-Identifier: BSD-3-Clause */
/* A generated SIDL proxy hands on every basic type in every mode, as if it were not there. */
#include "kinds.h"

#include <string.h>

extern const struct portolan_component portolan_component_test_KindsProxy;

struct fixture {
    struct kinds *behind;
    test_Kinds direct, proxied;
    gov_cca_Component component;
};

static int set_up(void **state)
{
    static struct fixture f;
    sidl_BaseInterface _ex = NULL;

    f.behind = kinds_create(3, NULL);
    f.direct = kinds_port(f.behind);
    f.component = portolan_component_test_KindsProxy.create(&_ex);
    bind_use(f.component, f.direct, "kinds", "test.KindsImpl", &_ex);
    f.proxied = test_Kinds__cast(f.component, &_ex);
    assert_no_exception(&_ex);
    assert_ptr_not_equal(f.proxied, f.direct);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;

    test_Kinds_deleteRef(f->proxied, &_ex);
    gov_cca_Component_deleteRef(f->component, &_ex);
    kinds_release(f->behind);
    return 0;
}

/* Calls METHOD directly and through the proxy, with equal arguments, and compares all there is. */
#define SAME(METHOD, TYPE, A, C)                                                                   \
    do {                                                                                           \
        sidl_BaseInterface _ex = NULL;                                                             \
        TYPE a = A, b[2], c[2] = {C, C}, r[2];                                                     \
                                                                                                   \
        memset(b, 0, sizeof b);                                                                    \
        r[0] = test_Kinds_##METHOD(f->direct, a, &b[0], &c[0], &_ex);                              \
        r[1] = test_Kinds_##METHOD(f->proxied, a, &b[1], &c[1], &_ex);                             \
        assert_no_exception(&_ex);                                                                 \
        assert_memory_equal(&b[0], &b[1], sizeof *b);                                              \
        assert_memory_equal(&c[0], &c[1], sizeof *c);                                              \
        assert_memory_equal(&r[0], &r[1], sizeof *r);                                              \
    } while (0)

#define COMMA ,

typedef void *opaque;

static void numbers_pass_in_every_mode(void **state)
{
    struct fixture *f = *state;

    SAME(booleans, sidl_bool, TRUE, FALSE);
    SAME(booleans, sidl_bool, TRUE, TRUE);
    SAME(chars, char, 'x', '\x7f');
    SAME(doubles, double, 0.1, 1e300);
    SAME(floats, float, 0.1F, -3e30F);
    SAME(ints, int32_t, INT32_MIN, 12345);
    SAME(longs, int64_t, INT64_MAX - 1, -1);
    SAME(opaques, opaque, f, &f);
    SAME(colors, enum test_Color__enum, test_Color_blue, test_Color_green);
    SAME(dcomplexes, struct sidl_dcomplex, {0.1 COMMA 2}, {3 COMMA - 4e200});
    SAME(fcomplexes, struct sidl_fcomplex, {0.1F COMMA 2}, {3 COMMA - 4e20F});
}

static void strings_pass_in_every_mode(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    char *b, *c = sidl_String_strdup("before");
    char *r = test_Kinds_strings(f->proxied, "a", &b, &c, &_ex);

    assert_no_exception(&_ex);
    assert_string_equal(r, "abefore");
    assert_string_equal(b, "a!");
    assert_string_equal(c, "beforea");
    sidl_String_free(r);
    sidl_String_free(b);
    sidl_String_free(c);
}

static void objects_keep_their_references(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    bool gone[2] = {false};
    struct kinds *one = kinds_create(1, &gone[0]), *two = kinds_create(2, &gone[1]);
    test_Plain a = sidl_object_facet(one, "test.Plain"), b, c, r;

    c = sidl_object_facet(two, "test.Plain"); /* this reference goes in and comes back */
    r = test_Kinds_objects(f->proxied, a, &b, &c, &_ex);
    assert_no_exception(&_ex);
    assert_ptr_equal(b, a);
    assert_ptr_equal(c, a);
    assert_int_equal(test_Plain_getNumber(r, &_ex), 2);
    test_Plain_deleteRef(b, &_ex);
    test_Plain_deleteRef(c, &_ex);
    assert_false(gone[0] || gone[1]);
    test_Plain_deleteRef(r, &_ex);
    kinds_release(one);
    assert_true(gone[0] && gone[1]);
}

static void arrays_pass_in_every_mode(void **state)
{
    struct fixture *f = *state;
    const double values[] = {1.5, 2.5, 3.5};
    sidl_BaseInterface _ex = NULL;
    struct sidl_double__array *a = sidl_double__array_create1dInit(3, values), *b, *r;
    struct sidl_double__array *c = sidl_double__array_create1d(7), *c_before = c;

    r = test_Kinds_arrays(f->proxied, a, &b, &c, &_ex);
    assert_no_exception(&_ex);
    assert_ptr_equal(r, c_before);
    assert_int_equal(sidlLength(b, 0), 3);
    assert_true(sidl_double__array_get1(b, 2) == 3.5);
    assert_true(sidl_double__array_get1(c, 0) == 2.5);
    sidl_double__array_deleteRef(b);
    sidl_double__array_deleteRef(c);
    sidl_double__array_deleteRef(r);

    struct sidl__array *generic_b, *generic_c = (struct sidl__array *)sidl_int__array_create1d(2);
    struct sidl__array *generic_r =
        test_Kinds_generics(f->proxied, (struct sidl__array *)a, &generic_b, &generic_c, &_ex);
    assert_no_exception(&_ex);
    assert_int_equal(sidl__array_type(generic_r), sidl_int_array);
    assert_int_equal(sidl__array_type(generic_b), sidl_double_array);
    sidl__array_deleteRef(generic_b);
    sidl__array_deleteRef(generic_c);
    sidl__array_deleteRef(generic_r);
    sidl_double__array_deleteRef(a);
}

static void raw_arrays_are_shared_with_the_implementation(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    double a[2] = {2, 3}, direct[6] = {1, 2, 3, 4, 5, 6}, proxied[6] = {1, 2, 3, 4, 5, 6};

    assert_true(test_Kinds_rarrays(f->direct, a, direct, 2, 3, &_ex) ==
                test_Kinds_rarrays(f->proxied, a, proxied, 2, 3, &_ex));
    assert_no_exception(&_ex);
    assert_memory_equal(direct, proxied, sizeof direct);
    assert_true(proxied[5] == 18);
}

static void names_of_arguments_do_not_matter(void **state)
{
    struct fixture *f = *state;
    sidl_BaseInterface _ex = NULL;
    int32_t out = 0;

    assert_int_equal(test_Kinds_names(f->proxied, 1, 2, 3, 4, &out, 5, &_ex), 2);
    assert_int_equal(out, 7);
    assert_int_equal(test_Kinds_sumTwo(f->proxied, 20, 3, &_ex), 23);
    assert_no_exception(&_ex);
}

UNIT_TESTS_BETWEEN(set_up, tear_down, cmocka_unit_test(numbers_pass_in_every_mode),
                   cmocka_unit_test(strings_pass_in_every_mode),
                   cmocka_unit_test(objects_keep_their_references),
                   cmocka_unit_test(arrays_pass_in_every_mode),
                   cmocka_unit_test(raw_arrays_are_shared_with_the_implementation),
                   cmocka_unit_test(names_of_arguments_do_not_matter))
