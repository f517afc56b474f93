/* SPDX-License-Identifier: BSD-3-Clause */
/* BasicParameterPort and ParameterPort, as made by a ParameterPortFactory. */
#include "params.h"

static gov_cca_TypeMap read_map(struct world *w, struct params *p)
{
    gov_cca_TypeMap map = P(readConfigurationMap)(p->port, &w->ex);

    good(w);
    assert_non_null(map);
    return world_keep(w, map);
}

/* -- BasicParameterPort -- */

SENTENCE(BP_01, "readConfigurationMap has the parameters of this run")
{
    struct params p = {0};
    gov_cca_TypeMap map;

    params_usual(w, &p);
    map = read_map(w, &p);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "i", 0, &w->ex), 5);
    assert_true(gov_cca_TypeMap_getDouble(map, "d", 0, &w->ex) == 5);
    same_text(gov_cca_TypeMap_getString(map, "s", "", &w->ex), "red");
    good(w);
}

SENTENCE(BP_02,
         "the map of readConfigurationMap should be a copy: changing it changes no parameter")
{
    struct params p = {0};

    params_usual(w, &p);
    gov_cca_TypeMap_putInt(read_map(w, &p), "i", 9, &w->ex);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(read_map(w, &p), "i", 0, &w->ex), 5);
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "i", 0, &w->ex), 5);
}

SENTENCE(BP_03, "writeConfigurationMap takes over the values of parameters that there are")
{
    struct params p = {0};

    params_usual(w, &p);
    params_write_int(w, &p, "i", 7);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(read_map(w, &p), "i", 0, &w->ex), 7);
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "i", 0, &w->ex), 7);
}

SENTENCE(BP_04, "writeConfigurationMap does not let in keys of the caller's own")
{
    struct params p = {0};
    gov_cca_TypeMap map;

    params_usual(w, &p);
    map = map_with_int(w, "i", 7);
    gov_cca_TypeMap_putInt(map, "mine", 1, &w->ex);
    P(writeConfigurationMap)(p.port, map, &w->ex);
    SIDL_CLEAR(w->ex); /* it may say so */
    assert_false(gov_cca_TypeMap_hasKey(p.map, "mine", &w->ex));
    assert_false(gov_cca_TypeMap_hasKey(read_map(w, &p), "mine", &w->ex));
}

SENTENCE(BP_05,
         "writeConfigurationMap throws a CCAException when a TypeMap operation fails: a value of "
         "another type")
{
    struct params p = {0};

    params_usual(w, &p);
    params_write_string(w, &p, "i", "seven");
    refused_somehow(w);
    assert_int_equal(gov_cca_TypeMap_getInt(read_map(w, &p), "i", 0, &w->ex), 5);
}

SENTENCE(BP_06, "readConfigurationKeys has the keys that are there to be configured")
{
    struct params p = {0};

    params_usual(w, &p);
    same_names(P(readConfigurationKeys)(p.port, &w->ex), "b d f i l s ");
    good(w);
}

SENTENCE(BP_07, "values of other keys in the map are not changed")
{
    struct params p = {0};
    gov_cca_TypeMap map;

    params_define(w, &p);
    gov_cca_TypeMap_putInt(p.map, "private", 1, &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    map = map_with_int(w, "private", 2);
    P(writeConfigurationMap)(p.port, map, &w->ex);
    SIDL_CLEAR(w->ex);
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "private", 0, &w->ex), 1);
}

/* -- ParameterPort: map and groups -- */

SENTENCE(PP_01, "readTitle is the title of the whole set")
{
    struct params p = {0};

    params_usual(w, &p);
    same_text(P(readTitle)(p.port, &w->ex), "A title");
    good(w);
}

SENTENCE(PP_02, "readGroupNames has the names of the groups")
{
    struct params p = {0};
    struct sidl_string__array *names;

    params_usual(w, &p);
    names = P(readGroupNames)(p.port, &w->ex);
    good(w);
    assert_true(has_name(names, "numbers"));
    assert_true(has_name(names, "words"));
    sidl_string__array_deleteRef(names);
}

SENTENCE(PP_03, "readGroupTitle is the title of a group")
{
    struct params p = {0};

    params_usual(w, &p);
    same_text(P(readGroupTitle)(p.port, "words", &w->ex), "All the words");
    good(w);
}

SENTENCE(PP_04, "readGroupTitle throws a CCAException for an unknown group")
{
    struct params p = {0};

    params_usual(w, &p);
    assert_null(P(readGroupTitle)(p.port, "none", &w->ex));
    refused_somehow(w);
}

SENTENCE(PP_05, "readGroupKeys has the keys of a group in the order in which they were added")
{
    static const char *const order[] = {"i", "l", "f", "d"};
    struct params p = {0};
    struct sidl_string__array *keys;

    params_usual(w, &p);
    keys = P(readGroupKeys)(p.port, "numbers", &w->ex);
    good(w);
    assert_int_equal(sidl_string__array_length(keys, 0), 4);
    for (int32_t i = 0; i < 4; i++)
        same_text(sidl_string__array_get1(keys, sidl_string__array_lower(keys, 0) + i), order[i]);
    sidl_string__array_deleteRef(keys);
}

SENTENCE(PP_06, "readGroupKeys throws a CCAException for an unknown group")
{
    struct params p = {0};

    params_usual(w, &p);
    assert_null(P(readGroupKeys)(p.port, "none", &w->ex));
    refused_somehow(w);
}

/* -- keys -- */

SENTENCE(PP_07, "readHelp is the help text of a key, and throws a CCAException for an unknown one")
{
    struct params p = {0};

    params_usual(w, &p);
    same_text(P(readHelp)(p.port, "i", &w->ex), "i help");
    assert_null(P(readHelp)(p.port, "none", &w->ex));
    refused_somehow(w);
}

SENTENCE(PP_08, "readPrompt is the prompt of a key, and throws a CCAException for an unknown one")
{
    struct params p = {0};

    params_usual(w, &p);
    same_text(P(readPrompt)(p.port, "s", &w->ex), "s?");
    assert_null(P(readPrompt)(p.port, "none", &w->ex));
    refused_somehow(w);
}

SENTENCE(PP_09, "hasBounds is true for numbers by default, false for bools and strings")
{
    static const char *const bounded[] = {"i", "l", "f", "d"};
    struct params p = {0};

    params_usual(w, &p);
    for (int i = 0; i < 4; i++)
        assert_true(P(hasBounds)(p.port, bounded[i], &w->ex));
    assert_false(P(hasBounds)(p.port, "b", &w->ex));
    assert_false(P(hasBounds)(p.port, "s", &w->ex));
    good(w);
}

SENTENCE(PP_10, "hasBounds throws a CCAException for an unknown key")
{
    struct params p = {0};

    params_usual(w, &p);
    P(hasBounds)(p.port, "none", &w->ex);
    refused_somehow(w);
}

SENTENCE(PP_11, "hasChoices is false by default, and true once choices are defined")
{
    struct params p = {0};

    params_define(w, &p);
    F(addRequestStringChoice)(p.factory, p.map, "s", "red", &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    assert_true(P(hasChoices)(p.port, "s", &w->ex));
    assert_false(P(hasChoices)(p.port, "i", &w->ex));
    assert_false(P(hasChoices)(p.port, "b", &w->ex));
    good(w);
}

SENTENCE(PP_12, "hasChoices throws a CCAException for an unknown key")
{
    struct params p = {0};

    params_usual(w, &p);
    P(hasChoices)(p.port, "none", &w->ex);
    refused_somehow(w);
}

/* -- readDefault: of the six types that a factory makes … -- */

#define DEFAULT_SENTENCE(ID, NAME, WORD, KEY, OTHER, CHECK)                                        \
    SENTENCE(ID, "readDefault" #NAME " is the default of a key of type " WORD                      \
                 ", and throws a CCAException for an unknown key or one of another type")          \
    {                                                                                              \
        struct params p = {0};                                                                     \
                                                                                                   \
        params_usual(w, &p);                                                                       \
        CHECK;                                                                                     \
        good(w);                                                                                   \
        P(readDefault##NAME)(p.port, "none", &w->ex);                                              \
        refused_somehow(w);                                                                        \
        P(readDefault##NAME)(p.port, OTHER, &w->ex);                                               \
        refused_somehow(w);                                                                        \
    }

DEFAULT_SENTENCE(PP_13, Boolean, "bool", "b", "i",
                 assert_true(P(readDefaultBoolean)(p.port, "b", &w->ex)))
DEFAULT_SENTENCE(PP_14, String, "string", "s", "i",
                 same_text(P(readDefaultString)(p.port, "s", &w->ex), "red"))
DEFAULT_SENTENCE(PP_15, Int, "int", "i", "l",
                 assert_int_equal(P(readDefaultInt)(p.port, "i", &w->ex), 5))
DEFAULT_SENTENCE(PP_16, Long, "long", "l", "i",
                 assert_int_equal(P(readDefaultLong)(p.port, "l", &w->ex), 5))
DEFAULT_SENTENCE(PP_17, Float, "float", "f", "d",
                 assert_true(P(readDefaultFloat)(p.port, "f", &w->ex) == 5))
DEFAULT_SENTENCE(PP_18, Double, "double", "d", "f",
                 assert_true(P(readDefaultDouble)(p.port, "d", &w->ex) == 5))

/* … and of the ten others, for which a factory has no addRequest: only the refusals. -- */

#define REFUSAL_SENTENCE(ID, NAME)                                                                 \
    SENTENCE(ID,                                                                                   \
             "readDefault" #NAME " throws a CCAException for an unknown key or one of another "    \
             "type")                                                                               \
    {                                                                                              \
        struct params p = {0};                                                                     \
                                                                                                   \
        params_usual(w, &p);                                                                       \
        P(readDefault##NAME)(p.port, "none", &w->ex);                                              \
        refused_somehow(w);                                                                        \
        P(readDefault##NAME)(p.port, "i", &w->ex);                                                 \
        refused_somehow(w);                                                                        \
    }

REFUSAL_SENTENCE(PP_19, Fcomplex)
REFUSAL_SENTENCE(PP_20, Dcomplex)
REFUSAL_SENTENCE(PP_21, StringArray)
REFUSAL_SENTENCE(PP_22, BooleanArray)
REFUSAL_SENTENCE(PP_23, IntArray)
REFUSAL_SENTENCE(PP_24, LongArray)
REFUSAL_SENTENCE(PP_25, FloatArray)
REFUSAL_SENTENCE(PP_26, DoubleArray)
REFUSAL_SENTENCE(PP_27, FcomplexArray)
REFUSAL_SENTENCE(PP_28, DcomplexArray)

/* -- readBounds -- */

#define BOUNDS_SENTENCE(ID, NAME, WORD, CTYPE, KEY, OTHER)                                         \
    SENTENCE(ID, "readBounds" #NAME " has the lower and upper bound of a key of type " WORD        \
                 ", and throws a CCAException for an unknown key or one of another type")          \
    {                                                                                              \
        struct params p = {0};                                                                     \
        CTYPE low = -1, high = -1;                                                                 \
                                                                                                   \
        params_usual(w, &p);                                                                       \
        P(readBounds##NAME)(p.port, KEY, &low, &high, &w->ex);                                     \
        good(w);                                                                                   \
        assert_true(low == 0 && high == 10);                                                       \
        P(readBounds##NAME)(p.port, "none", &low, &high, &w->ex);                                  \
        refused_somehow(w);                                                                        \
        P(readBounds##NAME)(p.port, OTHER, &low, &high, &w->ex);                                   \
        refused_somehow(w);                                                                        \
    }

BOUNDS_SENTENCE(PP_29, Int, "int", int32_t, "i", "l")
BOUNDS_SENTENCE(PP_30, Long, "long", int64_t, "l", "i")
BOUNDS_SENTENCE(PP_31, Float, "float", float, "f", "d")
BOUNDS_SENTENCE(PP_32, Double, "double", double, "d", "f")

/* -- readChoices -- */

#define CHOICES_SENTENCE(ID, NAME, SIDL, CTYPE, KEY, OTHER)                                        \
    SENTENCE(ID,                                                                                   \
             "readChoices" #NAME " has the choices of a key of type " #SIDL                        \
             " in the order of their definition, and throws a CCAException for an unknown key "    \
             "or one of another type")                                                             \
    {                                                                                              \
        struct sidl_##SIDL##__array *choices = sidl_##SIDL##__array_create1d(3), *read;            \
        struct params p = {0};                                                                     \
                                                                                                   \
        for (int32_t i = 0; i < 3; i++)                                                            \
            sidl_##SIDL##__array_set1(choices, i, (CTYPE)(7 - 2 * i));                             \
        params_define(w, &p);                                                                      \
        F(add##NAME##Choices)(p.factory, p.map, KEY, choices, &w->ex);                             \
        sidl_##SIDL##__array_deleteRef(choices);                                                   \
        good(w);                                                                                   \
        params_publish(w, &p, "CONFIG");                                                           \
        read = P(readChoices##NAME)(p.port, KEY, &w->ex);                                          \
        good(w);                                                                                   \
        assert_int_equal(sidl_##SIDL##__array_length(read, 0), 3);                                 \
        for (int32_t i = 0; i < 3; i++)                                                            \
            assert_true(sidl_##SIDL##__array_get1(read, sidl_##SIDL##__array_lower(read, 0) +      \
                                                            i) == (CTYPE)(7 - 2 * i));             \
        sidl_##SIDL##__array_deleteRef(read);                                                      \
        assert_null(P(readChoices##NAME)(p.port, "none", &w->ex));                                 \
        refused_somehow(w);                                                                        \
        assert_null(P(readChoices##NAME)(p.port, OTHER, &w->ex));                                  \
        refused_somehow(w);                                                                        \
    }

CHOICES_SENTENCE(PP_34, Int, int, int32_t, "i", "l")
CHOICES_SENTENCE(PP_35, Long, long, int64_t, "l", "i")
CHOICES_SENTENCE(PP_36, Float, float, float, "f", "d")
CHOICES_SENTENCE(PP_37, Double, double, double, "d", "f")

SENTENCE(PP_33, "readChoicesString has the choices of a key of type string in the order of their "
                "definition, and throws a CCAException for an unknown key or one of another type")
{
    static const char *const order[] = {"red", "green", "blue"};
    struct sidl_string__array *read;
    struct params p = {0};

    params_define(w, &p);
    for (int i = 0; i < 3; i++)
        F(addRequestStringChoice)(p.factory, p.map, "s", order[i], &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    read = P(readChoicesString)(p.port, "s", &w->ex);
    good(w);
    assert_int_equal(sidl_string__array_length(read, 0), 3);
    for (int32_t i = 0; i < 3; i++)
        same_text(sidl_string__array_get1(read, sidl_string__array_lower(read, 0) + i), order[i]);
    sidl_string__array_deleteRef(read);
    assert_null(P(readChoicesString)(p.port, "none", &w->ex));
    refused_somehow(w);
    assert_null(P(readChoicesString)(p.port, "i", &w->ex));
    refused_somehow(w);
}

SENTENCE(PP_38,
         "readChoicesFcomplex throws a CCAException for an unknown key or one of another type")
{
    struct params p = {0};

    params_usual(w, &p);
    assert_null(P(readChoicesFcomplex)(p.port, "none", &w->ex));
    refused_somehow(w);
    assert_null(P(readChoicesFcomplex)(p.port, "i", &w->ex));
    refused_somehow(w);
}

SENTENCE(PP_39,
         "readChoicesDcomplex throws a CCAException for an unknown key or one of another type")
{
    struct params p = {0};

    params_usual(w, &p);
    assert_null(P(readChoicesDcomplex)(p.port, "none", &w->ex));
    refused_somehow(w);
    assert_null(P(readChoicesDcomplex)(p.port, "i", &w->ex));
    refused_somehow(w);
}

#define NO_REQUEST                                                                                 \
    "ParameterPortFactory has no addRequest for this type, so that no such key can be made"

static const struct conformance_sentence sentences[] = {
    TESTED(BP_01),
    TESTED(BP_02),
    TESTED(BP_03),
    TESTED(BP_04),
    TESTED(BP_05),
    TESTED(BP_06),
    TESTED(BP_07),
    TESTED(PP_01),
    TESTED(PP_02),
    TESTED(PP_03),
    TESTED(PP_04),
    TESTED(PP_05),
    TESTED(PP_06),
    TESTED(PP_07),
    TESTED(PP_08),
    TESTED(PP_09),
    TESTED(PP_10),
    TESTED(PP_11),
    TESTED(PP_12),
    TESTED(PP_13),
    TESTED(PP_14),
    TESTED(PP_15),
    TESTED(PP_16),
    TESTED(PP_17),
    TESTED(PP_18),
    TESTED(PP_19),
    TESTED(PP_20),
    TESTED(PP_21),
    TESTED(PP_22),
    TESTED(PP_23),
    TESTED(PP_24),
    TESTED(PP_25),
    TESTED(PP_26),
    TESTED(PP_27),
    TESTED(PP_28),
    TESTED(PP_29),
    TESTED(PP_30),
    TESTED(PP_31),
    TESTED(PP_32),
    TESTED(PP_33),
    TESTED(PP_34),
    TESTED(PP_35),
    TESTED(PP_36),
    TESTED(PP_37),
    TESTED(PP_38),
    TESTED(PP_39),
    NOT_COVERED(PP_40, "readDefault of complex and array types gives the default", NO_REQUEST),
    NOT_COVERED(PP_41, "readChoices of complex types gives the choices", NO_REQUEST),
    NOT_COVERED(PP_42, "bounds and choices of array types hold for every element", NO_REQUEST),
    NOT_COVERED(PP_43, "the usual name of a component's only ParameterPort is CONFIG",
                "advice to components"),
};
GROUP(parameters, "BasicParameterPort, ParameterPort", sentences);
