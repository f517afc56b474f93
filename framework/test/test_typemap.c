/* SPDX-License-Identifier: BSD-3-Clause */
#include <portolan/framework.h>
#include <unit_test.h>

static gov_cca_TypeMap new_map(void)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = portolan_typemap_create(&ex);

    assert_null(ex);
    return map;
}

static void expect_mismatch(sidl_BaseInterface *ex, enum gov_cca_Type__enum requested,
                            enum gov_cca_Type__enum actual)
{
    sidl_BaseInterface none = NULL;
    gov_cca_TypeMismatchException e = gov_cca_TypeMismatchException__cast(*ex, &none);

    assert_non_null(e);
    assert_int_equal(gov_cca_TypeMismatchException_getRequestedType(e, &none), requested);
    assert_int_equal(gov_cca_TypeMismatchException_getActualType(e, &none), actual);
    gov_cca_TypeMismatchException_deleteRef(e, NULL);
    SIDL_CLEAR(*ex);
}

/* Every type: put, get, typeOf; a get and a put of another type are refused. */
static void all_sixteen_types_are_strict(void **state)
{
    gov_cca_TypeMap map = new_map();
    sidl_BaseInterface ex = NULL;
    struct sidl_fcomplex fc = {1, 2}, fz = {0, 0};
    struct sidl_dcomplex dc = {3, 4}, dz = {0, 0};
    char *text;

#define CHECK(NAME)                                                                                \
    do {                                                                                           \
        assert_null(ex);                                                                           \
        assert_int_equal(gov_cca_TypeMap_typeOf(map, #NAME, &ex), gov_cca_Type_##NAME);            \
        if (gov_cca_Type_##NAME != gov_cca_Type_Int) {                                             \
            assert_int_equal(gov_cca_TypeMap_getInt(map, #NAME, 7, &ex) >= 0, 1);                  \
            expect_mismatch(&ex, gov_cca_Type_Int, gov_cca_Type_##NAME);                           \
            gov_cca_TypeMap_putInt(map, #NAME, 7, &ex);                                            \
            expect_mismatch(&ex, gov_cca_Type_Int, gov_cca_Type_##NAME);                           \
        }                                                                                          \
    } while (0)
#define SCALAR(NAME, VALUE, DEFAULT, SAME)                                                         \
    do {                                                                                           \
        gov_cca_TypeMap_put##NAME(map, #NAME, VALUE, &ex);                                         \
        CHECK(NAME);                                                                               \
        assert_true(gov_cca_TypeMap_get##NAME(map, #NAME, DEFAULT, &ex) SAME);                     \
        assert_null(ex);                                                                           \
    } while (0)
    SCALAR(Int, -5, 0, == -5);
    SCALAR(Long, INT64_C(1) << 40, 0, == INT64_C(1) << 40);
    SCALAR(Float, 1.5F, 0, == 1.5F);
    SCALAR(Double, 2.5, 0, == 2.5);
    SCALAR(Fcomplex, fc, fz, .imaginary == 2);
    SCALAR(Dcomplex, dc, dz, .real == 3);
    SCALAR(Bool, TRUE, FALSE, == TRUE);
    gov_cca_TypeMap_putString(map, "String", "word", &ex);
    CHECK(String);
    text = gov_cca_TypeMap_getString(map, "String", NULL, &ex);
    assert_string_equal(text, "word");
    sidl_String_free(text);
#define ARRAY(NAME, SIDL)                                                                          \
    do {                                                                                           \
        struct sidl_##SIDL##__array *in = sidl_##SIDL##__array_create1d(3), *out;                  \
                                                                                                   \
        gov_cca_TypeMap_put##NAME##Array(map, #NAME "Array", in, &ex);                             \
        sidl_##SIDL##__array_deleteRef(in);                                                        \
        CHECK(NAME##Array);                                                                        \
        out = gov_cca_TypeMap_get##NAME##Array(map, #NAME "Array", NULL, &ex);                     \
        assert_null(ex);                                                                           \
        assert_int_equal(sidl_##SIDL##__array_length(out, 0), 3);                                  \
        sidl_##SIDL##__array_deleteRef(out);                                                       \
    } while (0)
    ARRAY(Int, int);
    ARRAY(Long, long);
    ARRAY(Float, float);
    ARRAY(Double, double);
    ARRAY(Fcomplex, fcomplex);
    ARRAY(Dcomplex, dcomplex);
    ARRAY(String, string);
    ARRAY(Bool, bool);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void a_missing_key_gives_the_default(void **state)
{
    gov_cca_TypeMap map = new_map();
    sidl_BaseInterface ex = NULL;
    struct sidl_int__array *dflt = sidl_int__array_create1d(2), *got;
    char *text;

    assert_int_equal(gov_cca_TypeMap_getInt(map, "x", 42, &ex), 42);
    text = gov_cca_TypeMap_getString(map, "x", "dflt", &ex);
    assert_string_equal(text, "dflt");
    sidl_String_free(text);
    assert_null(gov_cca_TypeMap_getString(map, "x", NULL, &ex));
    got = gov_cca_TypeMap_getIntArray(map, "x", dflt, &ex);
    assert_int_equal(sidl_int__array_length(got, 0), 2);
    sidl_int__array_deleteRef(got);
    sidl_int__array_deleteRef(dflt);
    assert_false(gov_cca_TypeMap_hasKey(map, "x", &ex));
    assert_int_equal(gov_cca_TypeMap_typeOf(map, "x", &ex), gov_cca_Type_NoType);
    assert_null(ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void removing_lets_a_key_change_its_type(void **state)
{
    gov_cca_TypeMap map = new_map();
    sidl_BaseInterface ex = NULL;

    gov_cca_TypeMap_putString(map, "x", "a", &ex);
    gov_cca_TypeMap_putString(map, "y", "b", &ex);
    gov_cca_TypeMap_remove(map, "x", &ex);
    gov_cca_TypeMap_remove(map, "never", &ex);
    gov_cca_TypeMap_putBool(map, "x", TRUE, &ex);
    assert_null(ex);
    assert_int_equal(gov_cca_TypeMap_typeOf(map, "x", &ex), gov_cca_Type_Bool);
    gov_cca_TypeMap_putInt(map, NULL, 1, &ex);
    assert_int_equal(portolan_catch(&ex, NULL), PORTOLAN_EINVAL);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void keys_are_listed_by_type(void **state)
{
    gov_cca_TypeMap map = new_map();
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *keys;
    char *key;

    gov_cca_TypeMap_putInt(map, "i", 1, &ex);
    gov_cca_TypeMap_putDouble(map, "d", 1, &ex);
    gov_cca_TypeMap_putInt(map, "j", 1, &ex);
    keys = gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_NoType, &ex);
    assert_int_equal(sidl_string__array_length(keys, 0), 3);
    sidl_string__array_deleteRef(keys);
    keys = gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_Int, &ex);
    assert_int_equal(sidl_string__array_length(keys, 0), 2);
    key = sidl_string__array_get1(keys, 1);
    assert_string_equal(key, "j");
    sidl_String_free(key);
    sidl_string__array_deleteRef(keys);
    keys = gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_Bool, &ex);
    assert_int_equal(sidl_string__array_length(keys, 0), 0);
    sidl_string__array_deleteRef(keys);
    assert_null(ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void clones_and_arrays_are_independent(void **state)
{
    gov_cca_TypeMap map = new_map(), clone, empty;
    sidl_BaseInterface ex = NULL;
    struct sidl_double__array *in = sidl_double__array_create1d(2), *out;

    sidl_double__array_set1(in, 0, 1.0);
    gov_cca_TypeMap_putDoubleArray(map, "a", in, &ex);
    gov_cca_TypeMap_putString(map, "s", "text", &ex);
    sidl_double__array_set1(in, 0, 9.0);
    clone = gov_cca_TypeMap_cloneTypeMap(map, &ex);
    out = gov_cca_TypeMap_getDoubleArray(map, "a", NULL, &ex);
    assert_true(sidl_double__array_get1(out, 0) == 1.0);
    sidl_double__array_set1(out, 0, 7.0);
    sidl_double__array_deleteRef(out);
    gov_cca_TypeMap_putString(clone, "s", "changed", &ex);
    out = gov_cca_TypeMap_getDoubleArray(clone, "a", NULL, &ex);
    assert_true(sidl_double__array_get1(out, 0) == 1.0);
    sidl_double__array_deleteRef(out);
    empty = gov_cca_TypeMap_cloneEmpty(map, &ex);
    assert_false(gov_cca_TypeMap_hasKey(empty, "s", &ex));
    assert_null(ex);
    sidl_double__array_deleteRef(in);
    gov_cca_TypeMap_deleteRef(empty, NULL);
    gov_cca_TypeMap_deleteRef(clone, NULL);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void every_failed_allocation_is_survived(void **state)
{
    bool done = false;

    for (unsigned long n = 1; !done; n++) {
        gov_cca_TypeMap map, clone = NULL;
        sidl_BaseInterface ex = NULL;
        enum portolan_status status;

        assert_true(n < 1000);
        portolan_alloc_fail_at(n);
        map = portolan_typemap_create(&ex);
        for (int i = 0; i < 12 && !ex; i++) {
            char key[] = {'k', (char)('a' + i), '\0'};

            gov_cca_TypeMap_putString(map, key, "value", &ex);
        }
        if (!ex)
            clone = gov_cca_TypeMap_cloneTypeMap(map, &ex);
        portolan_alloc_fail_at(0);
        status = portolan_catch(&ex, NULL);
        done = status == PORTOLAN_OK;
        assert_true(done || status == PORTOLAN_ENOMEM);
        gov_cca_TypeMap_deleteRef(clone, NULL);
        gov_cca_TypeMap_deleteRef(map, NULL);
    }
}

/* What is put as text is given back as text: as written here where OUT is NULL. */
static const struct text_case {
    const char *type, *in, *out;
} text_cases[] = {
    {"Int", "-2147483648", NULL},
    {"Long", "9223372036854775807", NULL},
    {"Float", "0.1", NULL},
    {"Double", "0.1", NULL},
    {"Double", "1e22", "1e+22"},
    {"Fcomplex", "(0.1,-2)", NULL},
    {"Dcomplex", "3", "(3,0)"},
    {"String", " as  it is ", NULL},
    {"String", "", NULL},
    {"Bool", "YES", "true"},
    {"bool", "0", "false"},
    {"IntArray", " 1  2\t3 ", "1 2 3"},
    {"IntArray", "", NULL},
    {"LongArray", "1 -9223372036854775808", NULL},
    {"FloatArray", "0.1 0.2", NULL},
    {"DoubleArray", "0.1 1e-300", NULL},
    {"FcomplexArray", "(1,2) (3,4)", NULL},
    {"DcomplexArray", "(1,2) 3", "(1,2) (3,0)"},
    {"StringArray", "one two", NULL},
    {"BoolArray", "t no", "true false"},
};

static void values_of_all_types_have_a_text(void **state)
{
    for (size_t i = 0; i < sizeof text_cases / sizeof *text_cases; i++) {
        const struct text_case *c = &text_cases[i];
        enum gov_cca_Type__enum type = portolan_typemap_type_read(c->type), found;
        struct portolan_error err = {0};
        gov_cca_TypeMap map = new_map();
        char *text;

        if (portolan_typemap_put_text(map, "k", type, c->in, &err) != PORTOLAN_OK ||
            portolan_typemap_get_text(map, "k", &found, &text, &err) != PORTOLAN_OK)
            fail_msg("%s %s: %s", c->type, c->in, err.text);
        assert_int_equal(found, type);
        assert_string_equal(text, c->out ? c->out : c->in);
        assert_int_equal(portolan_typemap_type_read(portolan_typemap_type_word(type)), type);
        free(text);
        gov_cca_TypeMap_deleteRef(map, NULL);
    }
}

static void texts_that_are_no_values_are_refused(void **state)
{
    static const char *const bad[][2] = {
        {"Int", "2147483648"}, {"Int", "1.5"},        {"Int", ""},         {"Long", "1 2"},
        {"Float", "1e39"},     {"Double", "inf"},     {"Bool", "perhaps"}, {"Fcomplex", "(1,2"},
        {"Dcomplex", "(1;2)"}, {"IntArray", "1 two"}, {"BoolArray", "t u"}};
    gov_cca_TypeMap map = new_map();
    struct portolan_error err = {0};
    enum gov_cca_Type__enum type;
    char *text;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(portolan_typemap_put_text(map, "k", portolan_typemap_type_read(bad[i][0]),
                                                   bad[i][1], NULL),
                         PORTOLAN_ESYNTAX);
    assert_int_equal(portolan_typemap_put_text(map, "k", gov_cca_Type_NoType, "", NULL),
                     PORTOLAN_EINVAL);
    assert_int_equal(portolan_typemap_type_read("Number"), gov_cca_Type_NoType);
    assert_int_equal(portolan_typemap_get_text(map, "k", &type, &text, NULL), PORTOLAN_OK);
    assert_int_equal(type, gov_cca_Type_NoType);
    assert_string_equal(text, "");
    free(text);
    assert_int_equal(portolan_typemap_put_text(map, "k", gov_cca_Type_Int, "1", NULL), PORTOLAN_OK);
    assert_int_not_equal(portolan_typemap_put_text(map, "k", gov_cca_Type_Long, "1", &err),
                         PORTOLAN_OK);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

UNIT_TESTS(cmocka_unit_test(all_sixteen_types_are_strict),
           cmocka_unit_test(a_missing_key_gives_the_default),
           cmocka_unit_test(removing_lets_a_key_change_its_type),
           cmocka_unit_test(keys_are_listed_by_type),
           cmocka_unit_test(clones_and_arrays_are_independent),
           cmocka_unit_test(every_failed_allocation_is_survived),
           cmocka_unit_test(values_of_all_types_have_a_text),
           cmocka_unit_test(texts_that_are_no_values_are_refused))
