/* SPDX-License-Identifier: BSD-3-Clause */
/* ParameterPortFactory, ParameterGetListener, ParameterSetListener. */
#include "params.h"

static bool owner_provides(struct world *w, const char *port)
{
    struct sidl_string__array *names =
        gov_cca_ports_BuilderService_getProvidedPortNames(w->builder, id_of(w, "owner"), &w->ex);
    bool there;

    good(w);
    there = has_name(names, port);
    sidl_string__array_deleteRef(names);
    return there;
}

/* A map with "i" of another type than any addRequest here. */
static void begin_mistyped(struct world *w, struct params *p)
{
    gov_cca_TypeMap map = new_map(w);
    struct sidl_int__array *a = sidl_int__array_create1d(1);

    sidl_int__array_set1(a, 0, 1);
    gov_cca_TypeMap_putIntArray(map, "x", a, &w->ex);
    sidl_int__array_deleteRef(a);
    good(w);
    params_begin(w, p, map, "CONFIG");
}

SENTENCE(PF_01, "ParameterPortFactory is a port that the framework gives components")
{
    struct params p = {0};

    params_begin(w, &p, NULL, "CONFIG");
    assert_true(gov_cca_ports_ParameterPortFactory_isType(p.factory, "gov.cca.Port", &w->ex));
}

SENTENCE(PF_02, "initParameterData prepares a map for a ParameterPort of that name")
{
    struct params p = {0};

    params_begin(w, &p, NULL, "SETTINGS");
    params_publish(w, &p, "SETTINGS");
    same_names(P(readConfigurationKeys)(p.port, &w->ex), "");
}

SENTENCE(PF_03, "a component may have several ParameterPorts")
{
    struct params one = {0}, two;

    params_begin(w, &one, NULL, "ONE");
    two = one;
    params_begin(w, &two, NULL, "TWO");
    F(addRequestInt)(one.factory, one.map, "a", "", "", 1, 0, 9, &w->ex);
    good(w);
    F(addRequestInt)(two.factory, two.map, "b", "", "", 2, 0, 9, &w->ex);
    good(w);
    params_publish(w, &one, "ONE");
    params_publish(w, &two, "TWO");
    same_names(gov_cca_ports_ParameterPort_readConfigurationKeys(one.port, &w->ex), "a ");
    same_names(gov_cca_ports_ParameterPort_readConfigurationKeys(two.port, &w->ex), "b ");
}

SENTENCE(PF_04,
         "values that the map has before are neither read nor changed, unless they are requested")
{
    gov_cca_TypeMap map = map_with_int(w, "before", 3);
    struct params p = {0};

    params_begin(w, &p, map, "CONFIG");
    F(addRequestInt)(p.factory, p.map, "i", "", "", 1, 0, 9, &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "before", 0, &w->ex), 3);
    same_names(P(readConfigurationKeys)(p.port, &w->ex), "i ");
}

SENTENCE(PF_05, "setBatchTitle sets the title of the whole set")
{
    struct params p = {0};

    params_begin(w, &p, NULL, "CONFIG");
    F(setBatchTitle)(p.factory, p.map, "One", &w->ex);
    F(setBatchTitle)(p.factory, p.map, "Another", &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    same_text(P(readTitle)(p.port, &w->ex), "Another");
}

SENTENCE(PF_06, "setGroupName begins a group: requests from then on belong to it")
{
    struct params p = {0};

    params_begin(w, &p, NULL, "CONFIG");
    F(setGroupName)(p.factory, p.map, "one", &w->ex);
    F(addRequestInt)(p.factory, p.map, "a", "", "", 1, 0, 9, &w->ex);
    F(addRequestInt)(p.factory, p.map, "b", "", "", 1, 0, 9, &w->ex);
    good(w);
    F(setGroupName)(p.factory, p.map, "two", &w->ex);
    F(addRequestInt)(p.factory, p.map, "c", "", "", 1, 0, 9, &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    same_names(P(readGroupKeys)(p.port, "one", &w->ex), "a b ");
    same_names(P(readGroupKeys)(p.port, "two", &w->ex), "c ");
}

SENTENCE(PF_07, "setGroupNameAndTitle begins a group with a title")
{
    struct params p = {0};

    params_begin(w, &p, NULL, "CONFIG");
    F(setGroupNameAndTitle)(p.factory, p.map, "one", "The first group", &w->ex);
    F(addRequestInt)(p.factory, p.map, "a", "", "", 1, 0, 9, &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    same_text(P(readGroupTitle)(p.port, "one", &w->ex), "The first group");
    same_names(P(readGroupKeys)(p.port, "one", &w->ex), "a ");
}

/* -- addRequest -- */

SENTENCE(PF_08, "addRequestBoolean defines a bool with its default; the value is always in the map")
{
    struct params p = {0};
    gov_cca_TypeMap map = new_map(w);

    params_usual(w, &p);
    assert_true(gov_cca_TypeMap_getBool(p.map, "b", FALSE, &w->ex));
    gov_cca_TypeMap_putBool(map, "b", FALSE, &w->ex);
    P(writeConfigurationMap)(p.port, map, &w->ex);
    good(w);
    assert_false(gov_cca_TypeMap_getBool(p.map, "b", TRUE, &w->ex));
    good(w);
}

#define NUMBER_SENTENCE(ID, NAME, WORD, KEY)                                                       \
    SENTENCE(ID, "addRequest" #NAME " defines a " WORD                                             \
                 " with its default; the value is always in the map, and within the bounds")       \
    {                                                                                              \
        gov_cca_TypeMap map = new_map(w);                                                          \
        struct params p = {0};                                                                     \
                                                                                                   \
        params_usual(w, &p);                                                                       \
        assert_true(gov_cca_TypeMap_get##NAME(p.map, KEY, 0, &w->ex) == 5);                        \
        gov_cca_TypeMap_put##NAME(map, KEY, 10, &w->ex);                                           \
        P(writeConfigurationMap)(p.port, map, &w->ex);                                             \
        good(w);                                                                                   \
        assert_true(gov_cca_TypeMap_get##NAME(p.map, KEY, 0, &w->ex) == 10);                       \
        gov_cca_TypeMap_put##NAME(map, KEY, 11, &w->ex);                                           \
        P(writeConfigurationMap)(p.port, map, &w->ex);                                             \
        if (w->ex)                                                                                 \
            refused_somehow(w);                                                                    \
        assert_true(gov_cca_TypeMap_get##NAME(p.map, KEY, -1, &w->ex) >= 0 &&                      \
                    gov_cca_TypeMap_get##NAME(p.map, KEY, -1, &w->ex) <= 10);                      \
    }

NUMBER_SENTENCE(PF_09, Int, "int", "i")
NUMBER_SENTENCE(PF_10, Long, "long", "l")
NUMBER_SENTENCE(PF_11, Float, "float", "f")
NUMBER_SENTENCE(PF_12, Double, "double", "d")

SENTENCE(
    PF_13,
    "addRequestString defines a string with its default; the value is always in the map, and any "
    "when there are no choices")
{
    struct params p = {0};

    params_usual(w, &p);
    same_text(gov_cca_TypeMap_getString(p.map, "s", "", &w->ex), "red");
    params_write_string(w, &p, "s", "any at all");
    good(w);
    same_text(gov_cca_TypeMap_getString(p.map, "s", "", &w->ex), "any at all");
}

#define MISTYPED_SENTENCE(ID, NAME, ...)                                                           \
    SENTENCE(ID, "addRequest" #NAME                                                                \
                 " throws a CCAException when the key is known and of another type")               \
    {                                                                                              \
        struct params p = {0};                                                                     \
                                                                                                   \
        begin_mistyped(w, &p);                                                                     \
        F(addRequest##NAME)(p.factory, p.map, "x", "help", "prompt", __VA_ARGS__, &w->ex);         \
        refused_somehow(w);                                                                        \
        params_publish(w, &p, "CONFIG");                                                           \
        same_names(P(readConfigurationKeys)(p.port, &w->ex), "");                                  \
    }

MISTYPED_SENTENCE(PF_14, Boolean, TRUE)
MISTYPED_SENTENCE(PF_15, Int, 1, 0, 9)
MISTYPED_SENTENCE(PF_16, Long, 1, 0, 9)
MISTYPED_SENTENCE(PF_17, Float, 1, 0, 9)
MISTYPED_SENTENCE(PF_18, Double, 1, 0, 9)
MISTYPED_SENTENCE(PF_19, String, "text")

/* -- choices -- */

SENTENCE(PF_20, "with addRequestStringChoice the value is one of the choices")
{
    struct params p = {0};

    params_define(w, &p);
    F(addRequestStringChoice)(p.factory, p.map, "s", "red", &w->ex);
    F(addRequestStringChoice)(p.factory, p.map, "s", "green", &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    params_write_string(w, &p, "s", "green");
    good(w);
    params_write_string(w, &p, "s", "mauve");
    if (w->ex)
        refused_somehow(w);
    same_text(gov_cca_TypeMap_getString(p.map, "s", "", &w->ex), "green");
}

SENTENCE(PF_21,
         "addRequestStringChoice throws a CCAException when the key is unknown or of another type")
{
    struct params p = {0};

    params_define(w, &p);
    F(addRequestStringChoice)(p.factory, p.map, "none", "red", &w->ex);
    refused_somehow(w);
    F(addRequestStringChoice)(p.factory, p.map, "i", "red", &w->ex);
    refused_somehow(w);
}

SENTENCE(PF_22, "addStringChoices adds several choices at once")
{
    struct sidl_string__array *choices = sidl_string__array_create1d(2);
    struct params p = {0};

    sidl_string__array_set1(choices, 0, "red");
    sidl_string__array_set1(choices, 1, "blue");
    params_define(w, &p);
    F(addStringChoices)(p.factory, p.map, "s", choices, &w->ex);
    sidl_string__array_deleteRef(choices);
    good(w);
    params_publish(w, &p, "CONFIG");
    assert_true(P(hasChoices)(p.port, "s", &w->ex));
    same_names(P(readChoicesString)(p.port, "s", &w->ex), "blue red ");
    params_write_string(w, &p, "s", "mauve");
    if (w->ex)
        refused_somehow(w);
    same_text(gov_cca_TypeMap_getString(p.map, "s", "", &w->ex), "red");
}

#define CHOICES_SENTENCE(ID, NAME, SIDL, KEY)                                                      \
    SENTENCE(ID, "add" #NAME "Choices puts a list of values in the place of the bounds")           \
    {                                                                                              \
        struct sidl_##SIDL##__array *choices = sidl_##SIDL##__array_create1d(2);                   \
        gov_cca_TypeMap map = new_map(w);                                                          \
        struct params p = {0};                                                                     \
                                                                                                   \
        sidl_##SIDL##__array_set1(choices, 0, 5);                                                  \
        sidl_##SIDL##__array_set1(choices, 1, 20);                                                 \
        params_define(w, &p);                                                                      \
        F(add##NAME##Choices)(p.factory, p.map, KEY, choices, &w->ex);                             \
        sidl_##SIDL##__array_deleteRef(choices);                                                   \
        good(w);                                                                                   \
        params_publish(w, &p, "CONFIG");                                                           \
        assert_true(P(hasChoices)(p.port, KEY, &w->ex));                                           \
        assert_false(P(hasBounds)(p.port, KEY, &w->ex));                                           \
        gov_cca_TypeMap_put##NAME(map, KEY, 20, &w->ex);                                           \
        P(writeConfigurationMap)(p.port, map, &w->ex);                                             \
        good(w);                                                                                   \
        assert_true(gov_cca_TypeMap_get##NAME(p.map, KEY, 0, &w->ex) == 20);                       \
        gov_cca_TypeMap_put##NAME(map, KEY, 6, &w->ex);                                            \
        P(writeConfigurationMap)(p.port, map, &w->ex);                                             \
        if (w->ex)                                                                                 \
            refused_somehow(w);                                                                    \
        assert_true(gov_cca_TypeMap_get##NAME(p.map, KEY, 0, &w->ex) == 20);                       \
    }

CHOICES_SENTENCE(PF_23, Int, int, "i")
CHOICES_SENTENCE(PF_24, Long, long, "l")
CHOICES_SENTENCE(PF_25, Float, float, "f")
CHOICES_SENTENCE(PF_26, Double, double, "d")

/* -- clearRequests, listeners -- */

SENTENCE(PF_29,
         "clearRequests takes all requests, titles and groups back; the values stay in the map")
{
    struct params p = {0};

    params_define(w, &p);
    F(clearRequests)(p.factory, p.map, &w->ex);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "i", 0, &w->ex), 5);
    F(addRequestInt)(p.factory, p.map, "only", "", "", 1, 0, 9, &w->ex);
    good(w);
    params_publish(w, &p, "CONFIG");
    same_names(P(readConfigurationKeys)(p.port, &w->ex), "only ");
    assert_null(P(readGroupKeys)(p.port, "words", &w->ex));
    refused_somehow(w);
}

static struct world *the_world;

static bool add_another(const char *port, void *arg)
{
    struct params *p = arg;

    (void)port;
    if (!gov_cca_TypeMap_hasKey(p->map, "late", &the_world->ex))
        F(addRequestInt)(p->factory, p->map, "late", "", "", 4, 0, 9, &the_world->ex);
    assert_null(the_world->ex);
    return true;
}

static void register_updater(struct world *w, struct params *p, on_get_fn on_get)
{
    gov_cca_ports_ParameterGetListener listener = get_listener_create(on_get, p, &w->ex);

    good(w);
    the_world = w;
    F(registerUpdater)(p->factory, p->map, listener, &w->ex);
    drop(listener);
    good(w);
}

SENTENCE(PF_30,
         "registerUpdater: the listener may change the port just before its parameters are read")
{
    gov_cca_TypeMap map;
    struct params p = {0};

    params_define(w, &p);
    register_updater(w, &p, add_another);
    params_publish(w, &p, "CONFIG");
    map = world_keep(w, P(readConfigurationMap)(p.port, &w->ex));
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(map, "late", 0, &w->ex), 4);
}

SENTENCE(PG_01,
         "updateParameterPort is called when somebody is about to read, with the port's name")
{
    struct params p = {0};

    params_define(w, &p);
    register_updater(w, &p, NULL);
    params_publish(w, &p, "CONFIG");
    journal[0] = '\0';
    world_keep(w, P(readConfigurationMap)(p.port, &w->ex));
    good(w);
    expect_journal("get:CONFIG ");
}

SENTENCE(PG_02,
         "updateParameterPort returns true when it has changed the definitions: they are read anew")
{
    struct params p = {0};

    params_define(w, &p);
    register_updater(w, &p, add_another);
    params_publish(w, &p, "CONFIG");
    world_keep(w, P(readConfigurationMap)(p.port, &w->ex));
    good(w);
    same_names(P(readConfigurationKeys)(p.port, &w->ex), "b d f i l late s ");
}

static void register_set_listener(struct world *w, struct params *p)
{
    gov_cca_ports_ParameterSetListener listener = set_listener_create(&w->ex);

    good(w);
    F(registerUpdatedListener)(p->factory, p->map, listener, &w->ex);
    drop(listener);
    good(w);
}

SENTENCE(
    PF_31,
    "registerUpdatedListener: the listener hears when writeConfigurationMap changes a parameter")
{
    struct params p = {0};

    params_define(w, &p);
    register_set_listener(w, &p);
    params_publish(w, &p, "CONFIG");
    journal[0] = '\0';
    params_write_int(w, &p, "i", 7);
    good(w);
    expect_journal("set:CONFIG.i ");
}

static struct params *the_params;

static void look_at_value(const char *when)
{
    (void)when;
    journal_add("%d", (int)gov_cca_TypeMap_getInt(the_params->map, "i", 0, &the_world->ex));
}

SENTENCE(PF_32, "those listeners are called after the values are set")
{
    struct params p = {0};

    params_define(w, &p);
    register_set_listener(w, &p);
    params_publish(w, &p, "CONFIG");
    the_world = w;
    the_params = &p;
    on_event = look_at_value;
    journal[0] = '\0';
    params_write_int(w, &p, "i", 8);
    good(w);
    expect_journal("set:CONFIG.i 8 ");
}

SENTENCE(PS_01, "updatedParameterValue is told the port's name and the parameter's")
{
    gov_cca_TypeMap map = map_with_int(w, "i", 1);
    struct params p = {0};

    params_define(w, &p);
    register_set_listener(w, &p);
    params_publish(w, &p, "CONFIG");
    gov_cca_TypeMap_putString(map, "s", "green", &w->ex);
    journal[0] = '\0';
    P(writeConfigurationMap)(p.port, map, &w->ex);
    good(w);
    assert_non_null(strstr(journal, "set:CONFIG.i "));
    assert_non_null(strstr(journal, "set:CONFIG.s "));
}

/* -- addParameterPort, removeParameterPort -- */

SENTENCE(PF_33, "addParameterPort adds the port to the component; until then it is not there")
{
    struct params p = {0};

    params_define(w, &p);
    assert_false(owner_provides(w, "CONFIG"));
    F(addParameterPort)(p.factory, p.map, services_of("owner"), &w->ex);
    good(w);
    assert_true(owner_provides(w, "CONFIG"));
}

SENTENCE(PF_34, "removeParameterPort takes the port away; the values stay in the map")
{
    struct params p = {0};

    params_define(w, &p);
    F(addParameterPort)(p.factory, p.map, services_of("owner"), &w->ex);
    good(w);
    F(removeParameterPort)(p.factory, p.map, services_of("owner"), &w->ex);
    good(w);
    assert_false(owner_provides(w, "CONFIG"));
    assert_int_equal(gov_cca_TypeMap_getInt(p.map, "i", 0, &w->ex), 5);
}

static const struct conformance_sentence sentences[] = {
    TESTED(PF_01),
    TESTED(PF_02),
    TESTED(PF_03),
    TESTED(PF_04),
    TESTED(PF_05),
    TESTED(PF_06),
    TESTED(PF_07),
    TESTED(PF_08),
    TESTED(PF_09),
    TESTED(PF_10),
    TESTED(PF_11),
    TESTED(PF_12),
    TESTED(PF_13),
    TESTED(PF_14),
    TESTED(PF_15),
    TESTED(PF_16),
    TESTED(PF_17),
    TESTED(PF_18),
    TESTED(PF_19),
    TESTED(PF_20),
    TESTED(PF_21),
    TESTED(PF_22),
    TESTED(PF_23),
    TESTED(PF_24),
    TESTED(PF_25),
    TESTED(PF_26),
    NOT_COVERED(PF_27, "addFcomplexChoices and addDcomplexChoices put a list of values on a key",
                "there is no addRequest for complex keys"),
    NOT_COVERED(PF_28, "texts should be free of line breaks", "advice to components"),
    TESTED(PF_29),
    TESTED(PF_30),
    TESTED(PF_31),
    TESTED(PF_32),
    TESTED(PF_33),
    TESTED(PF_34),
    NOT_COVERED(PF_35, "a component removes its parameter ports when it is shut down",
                "a duty of components"),
    NOT_COVERED(PF_36, "keys beginning with \"gcpPPF.\" are the factory's own",
                "a duty of components; BP-06 sees that none shows"),
    NOT_COVERED(PF_37, "a ParameterPort's name must not be that of another port of the component",
                "a duty of components; no method here declares an exception for it"),
    NOT_COVERED(PF_38, "with choices, a string's default must be one of them",
                "a duty of components"),
    TESTED(PG_01),
    TESTED(PG_02),
    TESTED(PS_01),
};
GROUP(factory, "ParameterPortFactory, ParameterGetListener, ParameterSetListener", sentences);
