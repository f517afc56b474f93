/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.TypeMap, Type, TypeMismatchException, CCAException. */
#include "sidl_BaseException.h"
#include "world.h"

/* -- the sixteen types: put, get, and whether what came back is what was put -- */

#define SCALARS(X)                                                                                 \
    X(Int, int32_t, -7, a == b)                                                                    \
    X(Long, int64_t, 1LL << 40, a == b)                                                            \
    X(Float, float, 0.5F, a == b)                                                                  \
    X(Double, double, 0.1, a == b)                                                                 \
    X(Fcomplex, struct sidl_fcomplex, ((struct sidl_fcomplex){1.5F, -2}),                          \
      a.real == b.real && a.imaginary == b.imaginary)                                              \
    X(Dcomplex, struct sidl_dcomplex, ((struct sidl_dcomplex){0.1, -0.2}),                         \
      a.real == b.real && a.imaginary == b.imaginary)                                              \
    X(Bool, sidl_bool, TRUE, !a == !b)

#define ARRAYS(X)                                                                                  \
    X(Int, int, int32_t, 3)                                                                        \
    X(Long, long, int64_t, 1LL << 41)                                                              \
    X(Float, float, float, 0.25F)                                                                  \
    X(Double, double, double, 0.3)                                                                 \
    X(Fcomplex, fcomplex, struct sidl_fcomplex, ((struct sidl_fcomplex){2, 3}))                    \
    X(Dcomplex, dcomplex, struct sidl_dcomplex, ((struct sidl_dcomplex){4, 5}))                    \
    X(Bool, bool, sidl_bool, TRUE)

enum { TYPES = gov_cca_Type_BoolArray + 1 };

/* Puts one value of each type under the name of the type; false when any put threw. */
static const char *const words[TYPES] = {
    "NoType",      "Int",           "Long",          "Float",       "Double",    "Fcomplex",
    "Dcomplex",    "String",        "Bool",          "IntArray",    "LongArray", "FloatArray",
    "DoubleArray", "FcomplexArray", "DcomplexArray", "StringArray", "BoolArray"};

static void put(struct world *w, gov_cca_TypeMap map, const char *key, enum gov_cca_Type__enum type)
{
    switch (type) {
#define PUT(NAME, CTYPE, VALUE, SAME)                                                              \
    case T(NAME):                                                                                  \
        gov_cca_TypeMap_put##NAME(map, key, VALUE, &w->ex);                                        \
        break;
        SCALARS(PUT)
#define PUT_ARRAY(NAME, SIDL, CTYPE, VALUE)                                                        \
    case T(NAME##Array): {                                                                         \
        struct sidl_##SIDL##__array *a = sidl_##SIDL##__array_create1d(2);                         \
                                                                                                   \
        sidl_##SIDL##__array_set1(a, 0, VALUE);                                                    \
        sidl_##SIDL##__array_set1(a, 1, VALUE);                                                    \
        gov_cca_TypeMap_put##NAME##Array(map, key, a, &w->ex);                                     \
        sidl_##SIDL##__array_deleteRef(a);                                                         \
        break;                                                                                     \
    }
        ARRAYS(PUT_ARRAY)
    case T(String):
        gov_cca_TypeMap_putString(map, key, "text", &w->ex);
        break;
    case T(StringArray): {
        struct sidl_string__array *a = sidl_string__array_create1d(2);

        sidl_string__array_set1(a, 0, "one");
        sidl_string__array_set1(a, 1, "two");
        gov_cca_TypeMap_putStringArray(map, key, a, &w->ex);
        sidl_string__array_deleteRef(a);
        break;
    }
    case T(NoType):
        break;
    }
}

#define SAME(NAME, CTYPE, VALUE, EQUAL)                                                            \
    static bool same_##NAME(CTYPE a, CTYPE b)                                                      \
    {                                                                                              \
        return EQUAL;                                                                              \
    }
SCALARS(SAME)

/* Gets with a default that differs from every value put; whether the value put came back. */
static bool get_value(struct world *w, gov_cca_TypeMap map, const char *key,
                      enum gov_cca_Type__enum type)
{
    bool same = false;

    switch (type) {
#define GET(NAME, CTYPE, VALUE, EQUAL)                                                             \
    case T(NAME): {                                                                                \
        CTYPE none, value;                                                                         \
                                                                                                   \
        memset(&none, 0, sizeof none);                                                             \
        value = gov_cca_TypeMap_get##NAME(map, key, none, &w->ex);                                 \
        same = !w->ex && same_##NAME(value, VALUE);                                                \
        break;                                                                                     \
    }
        SCALARS(GET)
#define GET_ARRAY(NAME, SIDL, CTYPE, VALUE)                                                        \
    case T(NAME##Array): {                                                                         \
        struct sidl_##SIDL##__array *a = gov_cca_TypeMap_get##NAME##Array(map, key, NULL, &w->ex); \
                                                                                                   \
        if (w->ex || !a)                                                                           \
            break;                                                                                 \
        if (sidl_##SIDL##__array_dimen(a) == 1 && sidl_##SIDL##__array_length(a, 0) == 2) {        \
            CTYPE first = sidl_##SIDL##__array_get1(a, sidl_##SIDL##__array_lower(a, 0));          \
                                                                                                   \
            same = same_##NAME(first, VALUE);                                                      \
        }                                                                                          \
        sidl_##SIDL##__array_deleteRef(a);                                                         \
        break;                                                                                     \
    }
        ARRAYS(GET_ARRAY)
    case T(String): {
        char *text = gov_cca_TypeMap_getString(map, key, "none", &w->ex);

        if (!w->ex) {
            same = text && !strcmp(text, "text");
            sidl_String_free(text);
        }
        break;
    }
    case T(StringArray): {
        struct sidl_string__array *a = gov_cca_TypeMap_getStringArray(map, key, NULL, &w->ex);

        same = !w->ex && a && has_name(a, "one") && has_name(a, "two");
        if (!w->ex && a)
            sidl_string__array_deleteRef(a);
        break;
    }
    case T(NoType):
        break;
    }
    return same;
}

static gov_cca_TypeMap full_map(struct world *w)
{
    gov_cca_TypeMap map = new_map(w);

    for (int type = T(Int); type < TYPES; type++) {
        put(w, map, words[type], (enum gov_cca_Type__enum)type);
        good(w);
    }
    return map;
}

static void expect_full(struct world *w, gov_cca_TypeMap map)
{
    for (int type = T(Int); type < TYPES; type++) {
        if (!get_value(w, map, words[type], (enum gov_cca_Type__enum)type))
            fail_msg("%s is not what was put", words[type]);
        good(w);
    }
}

static int count_keys(struct world *w, gov_cca_TypeMap map, enum gov_cca_Type__enum type)
{
    struct sidl_string__array *keys = gov_cca_TypeMap_getAllKeys(map, type, &w->ex);
    int n;

    good(w);
    n = keys ? sidl_string__array_length(keys, 0) : 0;
    if (keys)
        sidl_string__array_deleteRef(keys);
    return n;
}

static bool has(struct world *w, gov_cca_TypeMap map, const char *key)
{
    bool there = gov_cca_TypeMap_hasKey(map, key, &w->ex);

    good(w);
    return there;
}

/* -- TypeMap -- */

SENTENCE(TM_01, "a map takes a string key to a value of one of the sixteen types")
{
    gov_cca_TypeMap map = full_map(w);

    expect_full(w, map);
    assert_int_equal(count_keys(w, map, T(NoType)), 16);
}

SENTENCE(TM_02,
         "types are strictly enforced: what putX stored only getX retrieves, every other get "
         "fails (TypeMismatchException, or the default comes back)")
{
    gov_cca_TypeMap map = full_map(w);

    for (int is = T(Int); is < TYPES; is++)
        for (int asked = T(Int); asked < TYPES; asked++) {
            bool same = get_value(w, map, words[is], (enum gov_cca_Type__enum)asked);

            assert_int_equal(same, is == asked);
            if (w->ex)
                assert_true(SIDL_CATCH(w->ex, "gov.cca.TypeMismatchException"));
            SIDL_CLEAR(w->ex);
        }
}

SENTENCE(TM_03, "cloneTypeMap makes an exact copy")
{
    gov_cca_TypeMap copy = gov_cca_TypeMap_cloneTypeMap(full_map(w), &w->ex);

    good(w);
    world_keep(w, copy);
    expect_full(w, copy);
    assert_int_equal(count_keys(w, copy, T(NoType)), 16);
}

SENTENCE(TM_04, "a copy is a map of its own: changing one leaves the other as it was")
{
    gov_cca_TypeMap map = map_with_int(w, "n", 1), copy;

    copy = world_keep(w, gov_cca_TypeMap_cloneTypeMap(map, &w->ex));
    good(w);
    gov_cca_TypeMap_putInt(copy, "n", 2, &w->ex);
    gov_cca_TypeMap_remove(map, "none", &w->ex);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "n", 0, &w->ex), 1);
    gov_cca_TypeMap_remove(map, "n", &w->ex);
    assert_int_equal(gov_cca_TypeMap_getInt(copy, "n", 0, &w->ex), 2);
}

SENTENCE(TM_05, "cloneEmpty makes a new map without any key")
{
    gov_cca_TypeMap map = full_map(w), empty;

    empty = world_keep(w, gov_cca_TypeMap_cloneEmpty(map, &w->ex));
    good(w);
    assert_non_null(empty);
    assert_int_equal(count_keys(w, empty, T(NoType)), 0);
    put(w, empty, "n", T(Int));
    good(w);
    assert_false(has(w, map, "n"));
}

SENTENCE(TM_06, "a scalar get returns its default when the key is not there")
{
    gov_cca_TypeMap map = new_map(w);

#define DEFAULT(NAME, CTYPE, VALUE, EQUAL)                                                         \
    assert_true(same_##NAME(gov_cca_TypeMap_get##NAME(map, "none", VALUE, &w->ex), VALUE));        \
    good(w);
    SCALARS(DEFAULT)
    same_text(gov_cca_TypeMap_getString(map, "none", "default", &w->ex), "default");
    assert_false(has(w, map, "none"));
}

SENTENCE(TM_07, "an array get returns its default when the key is not there")
{
    struct sidl_string__array *text = sidl_string__array_create1d(1), *same;
    gov_cca_TypeMap map = new_map(w);

#define DEFAULT_ARRAY(NAME, SIDL, CTYPE, VALUE)                                                    \
    {                                                                                              \
        struct sidl_##SIDL##__array *a = sidl_##SIDL##__array_create1d(1), *b;                     \
                                                                                                   \
        sidl_##SIDL##__array_set1(a, 0, VALUE);                                                    \
        b = gov_cca_TypeMap_get##NAME##Array(map, "none", a, &w->ex);                              \
        good(w);                                                                                   \
        assert_non_null(b);                                                                        \
        assert_int_equal(sidl_##SIDL##__array_length(b, 0), 1);                                    \
        assert_true(same_##NAME(sidl_##SIDL##__array_get1(b, 0), VALUE));                          \
        sidl_##SIDL##__array_deleteRef(a);                                                         \
        sidl_##SIDL##__array_deleteRef(b);                                                         \
    }
    ARRAYS(DEFAULT_ARRAY)
    sidl_string__array_set1(text, 0, "default");
    same = gov_cca_TypeMap_getStringArray(map, "none", text, &w->ex);
    sidl_string__array_deleteRef(text);
    same_names(same, "default ");
}

SENTENCE(TM_08, "a put overwrites the value of that key when it is of the same type")
{
    gov_cca_TypeMap map = full_map(w);

    expect_full(w, full_map(w));
    for (int type = T(Int); type < TYPES; type++) {
        put(w, map, words[type], (enum gov_cca_Type__enum)type);
        good(w);
    }
    gov_cca_TypeMap_putInt(map, "Int", 12, &w->ex);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "Int", 0, &w->ex), 12);
    gov_cca_TypeMap_putString(map, "String", "other", &w->ex);
    good(w);
    same_text(gov_cca_TypeMap_getString(map, "String", "", &w->ex), "other");
    assert_int_equal(count_keys(w, map, T(NoType)), 16);
}

SENTENCE(TM_09,
         "a put of another type than the key's throws TypeMismatchException, and the value stays")
{
    gov_cca_TypeMap map = full_map(w);

    for (int is = T(Int); is < TYPES; is++)
        for (int asked = T(Int); asked < TYPES; asked++)
            if (is != asked) {
                put(w, map, words[is], (enum gov_cca_Type__enum)asked);
                assert_true(SIDL_CATCH(w->ex, "gov.cca.TypeMismatchException"));
                SIDL_CLEAR(w->ex);
            }
    expect_full(w, map);
}

SENTENCE(TM_10, "remove makes the key and its value disappear")
{
    gov_cca_TypeMap map = full_map(w);

    gov_cca_TypeMap_remove(map, "Double", &w->ex);
    good(w);
    assert_false(has(w, map, "Double"));
    assert_int_equal(count_keys(w, map, T(NoType)), 15);
    assert_true(gov_cca_TypeMap_getDouble(map, "Double", 3.0, &w->ex) == 3.0);
    good(w);
    put(w, map, "Double", T(String)); /* so its type is forgotten, too */
    good(w);
}

SENTENCE(TM_11, "getAllKeys gives the names of one type")
{
    gov_cca_TypeMap map = full_map(w);

    for (int type = T(Int); type < TYPES; type++) {
        char expected[40];

        snprintf(expected, sizeof expected, "%s ", words[type]);
        same_names(gov_cca_TypeMap_getAllKeys(map, (enum gov_cca_Type__enum)type, &w->ex),
                   expected);
        good(w);
    }
}

SENTENCE(TM_12, "getAllKeys gives the names of all types when asked for NoType")
{
    gov_cca_TypeMap map = map_with_int(w, "b", 1);

    put(w, map, "a", T(StringArray));
    put(w, map, "c", T(Bool));
    same_names(gov_cca_TypeMap_getAllKeys(map, T(NoType), &w->ex), "a b c ");
    good(w);
}

SENTENCE(TM_13, "hasKey is true when the key is in the map, else false")
{
    gov_cca_TypeMap map = map_with_int(w, "there", 1);

    assert_true(has(w, map, "there"));
    assert_false(has(w, map, "ther"));
    assert_false(has(w, map, ""));
}

SENTENCE(TM_14, "typeOf gives the type of the key's value")
{
    gov_cca_TypeMap map = full_map(w);

    for (int type = T(Int); type < TYPES; type++)
        assert_int_equal(gov_cca_TypeMap_typeOf(map, words[type], &w->ex), type);
    good(w);
    assert_int_equal(gov_cca_TypeMap_typeOf(map, "none", &w->ex), T(NoType));
    good(w);
}

/* -- Type, exceptions -- */

SENTENCE(TY_01, "Type counts from NoType = 0 over the scalars (Int, Long, Float, Double, Fcomplex, "
                "Dcomplex, String, Bool) to the arrays in the same order")
{
    static const enum gov_cca_Type__enum order[] = {
        T(NoType),      T(Int),        T(Long),        T(Float),         T(Double),
        T(Fcomplex),    T(Dcomplex),   T(String),      T(Bool),          T(IntArray),
        T(LongArray),   T(FloatArray), T(DoubleArray), T(FcomplexArray), T(DcomplexArray),
        T(StringArray), T(BoolArray)};

    (void)w;
    for (int i = 0; i < TYPES; i++)
        assert_int_equal(order[i], i);
}

SENTENCE(TX_01, "TypeMismatchException tells the type that was sought and the actual one, for gets "
                "and puts")
{
    gov_cca_TypeMap map = full_map(w);

    for (int is = T(Int); is < TYPES; is++)
        for (int asked = T(Int); asked < TYPES; asked++) {
            if (is == asked)
                continue;
            put(w, map, words[is], (enum gov_cca_Type__enum)asked);
            mismatched(w, asked, is);
            get_value(w, map, words[is], (enum gov_cca_Type__enum)asked);
            if (w->ex) /* else the default came back, which the specification allows, too */
                mismatched(w, asked, is);
        }
}

SENTENCE(TX_02, "TypeMismatchException is a CCAException")
{
    gov_cca_TypeMap map = map_with_int(w, "n", 1);

    gov_cca_TypeMap_putDouble(map, "n", 1.0, &w->ex);
    refused_somehow(w);
}

SENTENCE(EX_01, "CCAExceptionType has the numbers Unexpected -1, Nonstandard 1 … NetworkError 12")
{
    (void)w;
    assert_int_equal(CCA(Unexpected), -1);
    assert_int_equal(CCA(Nonstandard), 1);
    assert_int_equal(CCA(PortNotDefined), 2);
    assert_int_equal(CCA(PortAlreadyDefined), 3);
    assert_int_equal(CCA(PortNotConnected), 4);
    assert_int_equal(CCA(PortNotInUse), 5);
    assert_int_equal(CCA(UsesPortNotReleased), 6);
    assert_int_equal(CCA(BadPortName), 7);
    assert_int_equal(CCA(BadPortType), 8);
    assert_int_equal(CCA(BadProperties), 9);
    assert_int_equal(CCA(BadPortInfo), 10);
    assert_int_equal(CCA(OutOfMemory), 11);
    assert_int_equal(CCA(NetworkError), 12);
}

SENTENCE(EX_02, "a CCAException is a sidl.BaseException, and getCCAExceptionType tells its type")
{
    sidl_BaseInterface none = NULL;
    sidl_BaseException e;
    char *note;

    gov_cca_Services_releasePort(w->services, "nowhere", &w->ex);
    assert_true(SIDL_CATCH(w->ex, "gov.cca.CCAException"));
    e = sidl_BaseException__cast(w->ex, &none);
    assert_non_null(e);
    refused(w, PortNotDefined);
    note = sidl_BaseException_getNote(e, &w->ex);
    drop(e);
    good(w);
    assert_non_null(note);
    sidl_String_free(note);
}

static const struct conformance_sentence sentences[] = {
    TESTED(TM_01),
    TESTED(TM_02),
    TESTED(TM_03),
    TESTED(TM_04),
    TESTED(TM_05),
    TESTED(TM_06),
    TESTED(TM_07),
    TESTED(TM_08),
    TESTED(TM_09),
    TESTED(TM_10),
    TESTED(TM_11),
    TESTED(TM_12),
    TESTED(TM_13),
    TESTED(TM_14),
    TESTED(TY_01),
    TESTED(TX_01),
    TESTED(TX_02),
    TESTED(EX_01),
    TESTED(EX_02),
    NOT_COVERED(EX_03, "Unexpected: something else than a CCAException came through",
                "the specification names no operation that throws it"),
    NOT_COVERED(EX_04,
                "BadPortName, BadPortType, BadProperties, BadPortInfo are about createPortInfo",
                "the specification has no createPortInfo any more; they tell of bad arguments of "
                "registerUsesPort and addProvidesPort in Portolan"),
    ELSEWHERE(EX_05, "OutOfMemory: the framework could not allocate",
              "framework/test/test_connections.c "
              "out_of_memory_is_a_cca_exception_and_changes_nothing"),
    NOT_COVERED(EX_06, "NetworkError: a port died on a remote error", "needs a remote port"),
};
GROUP(typemap, "TypeMap, Type, exceptions", sentences);
