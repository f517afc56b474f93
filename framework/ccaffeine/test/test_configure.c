/* SPDX-License-Identifier: BSD-3-Clause */
/* <configure> of assemblies: fields of parameter ports, set when an instance is made or replaced.
 */
#include <portolan/framework.h>
#include <unit_test.h>

struct world {
    struct portolan_palette *palette;
    struct portolan_assembly *assembly;
    struct portolan_framework *fw;
    struct portolan_error err;
};

static void open_world(struct world *w, const char *xml)
{
    *w = (struct world){0};
    if (portolan_palette_create(&w->palette, &w->err) != PORTOLAN_OK ||
        portolan_palette_add_path(w->palette, COMPONENTS, NULL, &w->err) != PORTOLAN_OK ||
        portolan_assembly_read_text(xml, strlen(xml), "a.xml", NULL, &w->assembly, &w->err) !=
            PORTOLAN_OK ||
        portolan_framework_create(w->palette, NULL, &w->fw, &w->err) != PORTOLAN_OK)
        fail_msg("%s", w->err.text);
}

static void close_world(struct world *w)
{
    portolan_framework_destroy(w->fw);
    portolan_assembly_destroy(w->assembly);
    portolan_palette_destroy(w->palette);
}

/* A field of the port CONFIG of instance s must have that value, as text. */
static void holds(struct world *w, const char *field, const char *expected)
{
    gov_cca_ports_BuilderService builder = portolan_framework_peek_builder(w->fw);
    sidl_BaseInterface ex = NULL;
    gov_cca_Services me = portolan_framework_get_services(w->fw, "me", "test.Me", NULL, &ex);
    gov_cca_ComponentID self = gov_cca_Services_getComponentID(me, &ex);
    gov_cca_ComponentID s = gov_cca_ports_BuilderService_getComponentID(builder, "s", &ex);
    gov_cca_ConnectionID connection;
    gov_cca_Port port;
    gov_cca_ports_BasicParameterPort parameters;
    gov_cca_TypeMap map;
    enum gov_cca_Type__enum type;
    char *text;

    gov_cca_Services_registerUsesPort(me, "use", "gov.cca.ports.BasicParameterPort", NULL, &ex);
    connection = gov_cca_ports_BuilderService_connect(builder, self, "use", s, "CONFIG", &ex);
    port = gov_cca_Services_getPort(me, "use", &ex);
    assert_null(ex);
    parameters = gov_cca_ports_BasicParameterPort__cast(port, &ex);
    map = gov_cca_ports_BasicParameterPort_readConfigurationMap(parameters, &ex);
    assert_int_equal(portolan_typemap_get_text(map, field, &type, &text, &w->err), PORTOLAN_OK);
    assert_string_equal(text, expected);
    free(text);
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ports_BasicParameterPort_deleteRef(parameters, NULL);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(me, "use", &ex);
    gov_cca_ports_BuilderService_disconnect(builder, connection, 0, &ex);
    gov_cca_ConnectionID_deleteRef(connection, NULL);
    gov_cca_ComponentID_deleteRef(self, NULL);
    gov_cca_ComponentID_deleteRef(s, NULL);
    portolan_framework_release_services(w->fw, me, &ex);
    gov_cca_Services_deleteRef(me, NULL);
    assert_null(ex);
}

static void fields_are_set_when_an_instance_is_made_or_replaced(void **state)
{
    sidl_BaseInterface ex = NULL;
    struct world w;

    open_world(&w, "<assembly name='a'><instance name='s' class='script.Starter'>\n"
                   "<parameter name='seconds' type='double' value='2.5'/>\n"
                   "<configure port='CONFIG' field='n' value='2'/>\n"
                   "<configure port='CONFIG' field='n' value='3'/>\n"
                   "<configure port='CONFIG' field='values' value=' 1  2.5 '/>\n"
                   "<alternative class='script.Second'>\n"
                   "<configure port='CONFIG' field='label' value=' second '/></alternative>\n"
                   "</instance></assembly>");
    if (portolan_framework_build(w.fw, w.assembly, &w.err) != PORTOLAN_OK)
        fail_msg("%s", w.err.text);
    holds(&w, "n", "3");
    holds(&w, "values", "1 2.5");
    holds(&w, "seconds", "2.5");
    holds(&w, "label", "work");
    portolan_ports_Builder_replace(portolan_framework_peek_extension(w.fw), "s", "script.Second",
                                   NULL, &ex);
    assert_int_equal(portolan_catch(&ex, &w.err), PORTOLAN_OK);
    holds(&w, "n", "3");
    holds(&w, "label", " second ");
    close_world(&w);
}

static const struct bad_case {
    const char *configure, *expected;
} bad_cases[] = {
    {"<configure port='CONFIG' field='m' value='1'/>",
     "a.xml:1: instance 's' (class script.Starter): <configure> of port 'CONFIG' on line 2: there "
     "is no field 'm'; did you mean 'n'?"},
    {"<configure port='CONFIG' field='n' value='many'/>",
     "field 'n': 'many' is not a whole number"},
    {"<configure port='CONFIG' field='n' value='-1'/>", "n must not be negative"},
    {"<configure port='CONFG' field='n' value='1'/>", "did you mean 'CONFIG'?"},
    {"<configure port='printer' field='n' value='1'/>", "no provides port 'printer'"},
};

static void what_cannot_be_set_is_told_and_nothing_is_built(void **state)
{
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        char xml[500];
        struct world w;

        snprintf(xml, sizeof xml,
                 "<assembly name='a'><instance name='s' class='script.Starter'>\n%s</instance>"
                 "</assembly>",
                 bad_cases[i].configure);
        open_world(&w, xml);
        assert_int_not_equal(portolan_framework_build(w.fw, w.assembly, &w.err), PORTOLAN_OK);
        if (!strstr(w.err.text, bad_cases[i].expected))
            fail_msg("%s\nexpected: %s", w.err.text, bad_cases[i].expected);
        close_world(&w);
    }
}

UNIT_TESTS(cmocka_unit_test(fields_are_set_when_an_instance_is_made_or_replaced),
           cmocka_unit_test(what_cannot_be_set_is_told_and_nothing_is_built))
