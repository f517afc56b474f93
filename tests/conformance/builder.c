/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.BuilderService. */
#include "world.h"

#define B(METHOD) gov_cca_ports_BuilderService_##METHOD

static void gone(struct world *w, const char *name)
{
    assert_null(B(getComponentID)(w->builder, name, &w->ex));
    refused_somehow(w);
}

static gov_cca_TypeMap component_properties(struct world *w, const char *name)
{
    gov_cca_TypeMap map = B(getComponentProperties)(w->builder, id_of(w, name), &w->ex);

    good(w);
    return world_keep(w, map);
}

/* -- instances -- */

SENTENCE(BS_01, "BuilderService is a port that the framework implements")
{
    assert_true(gov_cca_ports_BuilderService_isType(w->builder, "gov.cca.Port", &w->ex));
    make(w, "a");
}

SENTENCE(BS_02, "createInstance makes an instance of the class that className names")
{
    world_keep(w, B(createInstance)(w->builder, "a", PART, NULL, &w->ex));
    good(w);
    world_keep(w, B(createInstance)(w->builder, "b", "suite.Other", NULL, &w->ex));
    good(w);
    assert_string_equal(part_find("a")->class_name, PART);
    assert_string_equal(part_find("b")->class_name, "suite.Other");
}

SENTENCE(BS_03, "the instance has the name given to createInstance")
{
    make(w, "a name of its own");
    assert_non_null(part_find("a name of its own"));
    id_of(w, "a name of its own");
}

SENTENCE(BS_04, "with an empty instance name, createInstance chooses one")
{
    char *name[2];

    for (int i = 0; i < 2; i++) {
        gov_cca_ComponentID id =
            world_keep(w, B(createInstance)(w->builder, "", PART, NULL, &w->ex));

        good(w);
        name[i] = gov_cca_ComponentID_getInstanceName(id, &w->ex);
        good(w);
        assert_true(name[i] && *name[i]);
        assert_true(same_object(id, id_of(w, name[i])));
    }
    assert_string_not_equal(name[0], name[1]);
    sidl_String_free(name[0]);
    sidl_String_free(name[1]);
}

SENTENCE(BS_05, "createInstance throws a CCAException when the class is unknown")
{
    assert_null(B(createInstance)(w->builder, "a", "suite.NoSuchClass", NULL, &w->ex));
    refused_somehow(w);
    gone(w, "a");
}

SENTENCE(BS_06, "createInstance throws a CCAException when the instance name is used already")
{
    struct part *a = make(w, "a");

    assert_null(B(createInstance)(w->builder, "a", "suite.Other", NULL, &w->ex));
    refused_somehow(w);
    assert_ptr_equal(part_find("a"), a);
    assert_null(B(createInstance)(w->builder, "program", PART, NULL, &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_07, "createInstance returns the ComponentID of the new component")
{
    gov_cca_ComponentID id = world_keep(w, B(createInstance)(w->builder, "a", PART, NULL, &w->ex));

    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "a");
    provides(w, "a", "out");
    same_names(B(getProvidedPortNames)(w->builder, id, &w->ex), "out ");
}

SENTENCE(BS_08, "losing the returned ComponentID does not destroy the component")
{
    gov_cca_ComponentID id = B(createInstance)(w->builder, "a", PART, NULL, &w->ex);

    good(w);
    drop(id);
    id_of(w, "a");
    expect_journal("a:set ");
}

static bool lists(struct world *w, struct gov_cca_ComponentID__array *ids, const char *name)
{
    bool found = false;

    for (int32_t i = gov_cca_ComponentID__array_lower(ids, 0);
         i <= gov_cca_ComponentID__array_upper(ids, 0); i++) {
        gov_cca_ComponentID id = gov_cca_ComponentID__array_get1(ids, i);
        char *is = gov_cca_ComponentID_getInstanceName(id, &w->ex);

        found |= is && !strcmp(is, name);
        sidl_String_free(is);
        drop(id);
    }
    return found;
}

SENTENCE(BS_09, "getComponentIDs has a ComponentID for each component that there is")
{
    struct gov_cca_ComponentID__array *ids;

    dead_id(w);
    make(w, "a");
    make(w, "b");
    ids = B(getComponentIDs)(w->builder, &w->ex);
    good(w);
    assert_non_null(ids);
    assert_int_equal(gov_cca_ComponentID__array_dimen(ids), 1);
    assert_true(lists(w, ids, "a"));
    assert_true(lists(w, ids, "b"));
    assert_true(lists(w, ids, "program"));
    assert_false(lists(w, ids, "dead"));
    gov_cca_ComponentID__array_deleteRef(ids);
}

SENTENCE(BS_10, "getComponentProperties has the component's public properties")
{
    gov_cca_TypeMap map = map_with_int(w, "n", 6);

    make(w, "a");
    B(setComponentProperties)(w->builder, id_of(w, "a"), map, &w->ex);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(component_properties(w, "a"), "n", 0, &w->ex), 6);
}

SENTENCE(BS_11, "a component's property cca.className is its class")
{
    make(w, "a");
    same_text(gov_cca_TypeMap_getString(component_properties(w, "a"), "cca.className", "?", &w->ex),
              PART);
}

SENTENCE(BS_12, "getComponentProperties throws a CCAException for an invalid ComponentID")
{
    assert_null(B(getComponentProperties)(w->builder, dead_id(w), &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_13, "setComponentProperties gives the component these properties")
{
    make(w, "a");
    B(setComponentProperties)(w->builder, id_of(w, "a"), map_with_string(w, "s", "x"), &w->ex);
    good(w);
    same_text(gov_cca_TypeMap_getString(component_properties(w, "a"), "s", "?", &w->ex), "x");
}

SENTENCE(BS_14, "setComponentProperties throws a CCAException for an invalid ComponentID")
{
    B(setComponentProperties)(w->builder, dead_id(w), new_map(w), &w->ex);
    refused_somehow(w);
}

SENTENCE(BS_15, "setComponentProperties throws a CCAException for a change of a property that the "
                "framework locks; cca.className stays true")
{
    make(w, "a");
    B(setComponentProperties)
    (w->builder, id_of(w, "a"), map_with_string(w, "cca.className", "x"), &w->ex);
    if (w->ex)
        refused_somehow(w);
    same_text(gov_cca_TypeMap_getString(component_properties(w, "a"), "cca.className", "?", &w->ex),
              PART);
}

SENTENCE(BS_16, "getDeserialization turns the text of getSerialization into a ComponentID again")
{
    gov_cca_ComponentID id;
    char *text;

    make(w, "a");
    text = gov_cca_ComponentID_getSerialization(id_of(w, "a"), &w->ex);
    good(w);
    id = world_keep(w, B(getDeserialization)(w->builder, text, &w->ex));
    sidl_String_free(text);
    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "a");
}

SENTENCE(BS_17, "getDeserialization throws a CCAException for a text that is no serialization")
{
    make(w, "a");
    assert_null(B(getDeserialization)(w->builder, "\t certainly not \n", &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_18, "getComponentID finds a ComponentID by the instance's name")
{
    gov_cca_ComponentID id;

    make(w, "a");
    make(w, "b");
    id = world_keep(w, B(getComponentID)(w->builder, "b", &w->ex));
    good(w);
    same_text(gov_cca_ComponentID_getInstanceName(id, &w->ex), "b");
}

SENTENCE(BS_19, "getComponentID throws a CCAException when there is no component of that name")
{
    make(w, "a");
    gone(w, "b");
    dead_id(w);
    gone(w, "dead");
}

SENTENCE(BS_20, "destroyInstance eliminates the component from the framework")
{
    make_pair(w);
    B(destroyInstance)(w->builder, id_of(w, "provider"), 0, &w->ex);
    good(w);
    gone(w, "provider");
    assert_null(part_find("provider"));
    assert_false(is_connected(w, "user", "in"));
}

SENTENCE(BS_21, "destroyInstance throws a CCAException for an invalid component")
{
    B(destroyInstance)(w->builder, dead_id(w), 0, &w->ex);
    refused_somehow(w);
}

SENTENCE(BS_22,
         "destroyInstance throws a CCAException when it takes longer than the time-out: a port of "
         "the component is held")
{
    gov_cca_Port port;

    make_pair(w);
    port = get(w, "user", "in");
    B(destroyInstance)(w->builder, id_of(w, "provider"), 0.01F, &w->ex);
    refused_somehow(w);
    assert_int_equal(call_go(w, port), 0);
    release(w, "user", "in");
    B(destroyInstance)(w->builder, id_of(w, "provider"), 0.01F, &w->ex);
    good(w);
}

/* -- ports -- */

SENTENCE(BS_24, "getProvidedPortNames has the names of the ports that the component provides")
{
    make(w, "a");
    same_names(B(getProvidedPortNames)(w->builder, id_of(w, "a"), &w->ex), "");
    uses(w, "a", "in");
    provides(w, "a", "out");
    provides(w, "a", "more");
    same_names(B(getProvidedPortNames)(w->builder, id_of(w, "a"), &w->ex), "more out ");
}

SENTENCE(BS_25, "getProvidedPortNames throws a CCAException for an invalid component")
{
    assert_null(B(getProvidedPortNames)(w->builder, dead_id(w), &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_26, "getUsedPortNames has the names of the ports that the component uses")
{
    make(w, "a");
    same_names(B(getUsedPortNames)(w->builder, id_of(w, "a"), &w->ex), "");
    uses(w, "a", "in");
    uses(w, "a", "also");
    provides(w, "a", "out");
    same_names(B(getUsedPortNames)(w->builder, id_of(w, "a"), &w->ex), "also in ");
}

SENTENCE(BS_27, "getUsedPortNames throws a CCAException for an invalid component")
{
    assert_null(B(getUsedPortNames)(w->builder, dead_id(w), &w->ex));
    refused_somehow(w);
}

static gov_cca_TypeMap port_properties(struct world *w, const char *name, const char *port)
{
    gov_cca_TypeMap map = B(getPortProperties)(w->builder, id_of(w, name), port, &w->ex);

    good(w);
    return world_keep(w, map);
}

SENTENCE(BS_28,
         "getPortProperties has the public properties of the port, cca.portName and cca.portType "
         "among them")
{
    make_pair(w);
    same_text(gov_cca_TypeMap_getString(port_properties(w, "provider", "out"), "cca.portName", "?",
                                        &w->ex),
              "out");
    same_text(
        gov_cca_TypeMap_getString(port_properties(w, "user", "in"), "cca.portType", "?", &w->ex),
        GO_TYPE);
}

SENTENCE(BS_29,
         "getPortProperties throws a CCAException when the component has no port of that name")
{
    make(w, "a");
    assert_null(B(getPortProperties)(w->builder, id_of(w, "a"), "in", &w->ex));
    refused(w, PortNotDefined);
}

SENTENCE(BS_30, "getPortProperties throws a CCAException for an invalid component")
{
    assert_null(B(getPortProperties)(w->builder, dead_id(w), "in", &w->ex));
    refused_somehow(w);
}

SENTENCE(BS_31, "setPortProperties gives the port these properties")
{
    make_pair(w);
    B(setPortProperties)(w->builder, id_of(w, "user"), "in", map_with_int(w, "n", 8), &w->ex);
    good(w);
    assert_int_equal(gov_cca_TypeMap_getInt(port_properties(w, "user", "in"), "n", 0, &w->ex), 8);
}

SENTENCE(BS_32, "setPortProperties throws a CCAException for an invalid component")
{
    B(setPortProperties)(w->builder, dead_id(w), "in", new_map(w), &w->ex);
    refused_somehow(w);
}

SENTENCE(BS_33,
         "setPortProperties throws a CCAException when the component has no port of that name")
{
    make(w, "a");
    B(setPortProperties)(w->builder, id_of(w, "a"), "in", new_map(w), &w->ex);
    refused(w, PortNotDefined);
}

SENTENCE(BS_34,
         "setPortProperties throws a CCAException for a change of a property that is locked; "
         "cca.portName and cca.portType stay true")
{
    make_pair(w);
    B(setPortProperties)
    (w->builder, id_of(w, "user"), "in", map_with_string(w, "cca.portName", "x"), &w->ex);
    if (w->ex)
        refused_somehow(w);
    same_text(
        gov_cca_TypeMap_getString(port_properties(w, "user", "in"), "cca.portName", "?", &w->ex),
        "in");
    same_text(
        gov_cca_TypeMap_getString(port_properties(w, "user", "in"), "cca.portType", "?", &w->ex),
        GO_TYPE);
}

static const struct conformance_sentence sentences[] = {
    TESTED(BS_01),
    TESTED(BS_02),
    TESTED(BS_03),
    TESTED(BS_04),
    TESTED(BS_05),
    TESTED(BS_06),
    TESTED(BS_07),
    TESTED(BS_08),
    TESTED(BS_09),
    TESTED(BS_10),
    TESTED(BS_11),
    TESTED(BS_12),
    TESTED(BS_13),
    TESTED(BS_14),
    TESTED(BS_15),
    TESTED(BS_16),
    TESTED(BS_17),
    TESTED(BS_18),
    TESTED(BS_19),
    TESTED(BS_20),
    TESTED(BS_21),
    TESTED(BS_22),
    NOT_COVERED(BS_23, "a time-out of 0 leaves the wait to the framework",
                "nothing can fail; most tests here use 0"),
    TESTED(BS_24),
    TESTED(BS_25),
    TESTED(BS_26),
    TESTED(BS_27),
    TESTED(BS_28),
    TESTED(BS_29),
    TESTED(BS_30),
    TESTED(BS_31),
    TESTED(BS_32),
    TESTED(BS_33),
    TESTED(BS_34),
};
GROUP(builder, "BuilderService: instances and their ports", sentences);
