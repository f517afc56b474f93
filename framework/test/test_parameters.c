/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameter ports beyond the conformance suite: all kinds, all or nothing, whose they are. */
#include "fixture.h"

struct world {
    struct fixture f;
    gov_cca_Services services;
    portolan_ports_ParameterFactory factory;
    gov_cca_TypeMap data;
};

static gov_cca_Services join(struct world *w, const char *name,
                             portolan_ports_ParameterFactory *factory)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_Services s = portolan_framework_get_services(w->f.fw, name, "test.Image", NULL, &ex);
    gov_cca_Port port;

    gov_cca_Services_registerUsesPort(s, "ppf", "portolan.ports.ParameterFactory", NULL, &ex);
    port = gov_cca_Services_getPort(s, "ppf", &ex);
    assert_null(ex);
    *factory = portolan_ports_ParameterFactory__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(s, "ppf", &ex);
    return s;
}

static void open_world(struct world *w)
{
    sidl_BaseInterface ex = NULL;

    *w = (struct world){.data = NULL};
    fixture_open(&w->f);
    w->services = join(w, "s", &w->factory);
    portolan_ports_ParameterFactory_initParameterData(w->factory, &w->data, "CONFIG", &ex);
    assert_null(ex);
    assert_non_null(w->data);
}

static void close_world(struct world *w)
{
    portolan_ports_ParameterFactory_deleteRef(w->factory, NULL);
    gov_cca_TypeMap_deleteRef(w->data, NULL);
    gov_cca_Services_deleteRef(w->services, NULL);
    fixture_close(&w->f);
}

static gov_cca_ports_ParameterPort open_port(struct world *w)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_ParameterPort parameters;
    gov_cca_Port port;

    portolan_ports_ParameterFactory_addParameterPort(w->factory, w->data, w->services, &ex);
    assert_null(ex);
    port = gov_cca_Services_getPort(w->services, "CONFIG", &ex); /* one's own */
    parameters = gov_cca_ports_ParameterPort__cast(port, &ex);
    gov_cca_Port_deleteRef(port, NULL);
    gov_cca_Services_releasePort(w->services, "CONFIG", &ex);
    assert_non_null(parameters);
    return parameters;
}

static void expect_thrown(sidl_BaseInterface *ex, enum gov_cca_CCAExceptionType__enum type,
                          const char *text)
{
    gov_cca_CCAException e = gov_cca_CCAException__cast(*ex, NULL);
    struct portolan_error err = {0};
    sidl_BaseInterface none = NULL;

    assert_non_null(e);
    assert_int_equal(gov_cca_CCAException_getCCAExceptionType(e, &none), type);
    gov_cca_CCAException_deleteRef(e, NULL);
    portolan_catch(ex, &err);
    if (!strstr(err.text, text))
        fail_msg("text: %s\nexpected: %s", err.text, text);
}

static void request(struct world *w, const char *key, gov_cca_TypeMap facts, sidl_BaseInterface *ex)
{
    portolan_ports_ParameterFactory_addRequest(w->factory, w->data, key, "help", "prompt", facts,
                                               ex);
    gov_cca_TypeMap_deleteRef(facts, NULL);
}

static gov_cca_TypeMap facts_text(enum gov_cca_Type__enum type, const char *dflt, const char *low,
                                  const char *high, const char *choices)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = portolan_typemap_create(&ex);
    int t = type;
    enum gov_cca_Type__enum element =
        (enum gov_cca_Type__enum)(t >= gov_cca_Type_IntArray ? t - gov_cca_Type_IntArray + 1 : t);
    enum gov_cca_Type__enum list = (enum gov_cca_Type__enum)(element + gov_cca_Type_IntArray - 1);

    assert_int_equal(portolan_typemap_put_text(map, "default", type, dflt, NULL), PORTOLAN_OK);
    if (low) {
        assert_int_equal(portolan_typemap_put_text(map, "low", element, low, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_typemap_put_text(map, "high", element, high, NULL), PORTOLAN_OK);
    }
    if (choices)
        assert_int_equal(portolan_typemap_put_text(map, "choices", list, choices, NULL),
                         PORTOLAN_OK);
    return map;
}

/* One line per type: default, bounds or choices, a value that fits and one that doesn't. */
static const struct {
    enum gov_cca_Type__enum type;
    const char *dflt, *low, *high, *choices, *good, *bad;
} kinds[] = {
    {gov_cca_Type_Int, "3", "0", "9", NULL, "9", "10"},
    {gov_cca_Type_Long, "5000000000", "0", "9000000000000000001", NULL, "9000000000000000001",
     "9000000000000000002"},
    {gov_cca_Type_Float, "0.5", "0", "1", NULL, "0.25", "1.5"},
    {gov_cca_Type_Double, "0.5", "0", "1", NULL, "1", "-0.001"},
    {gov_cca_Type_Fcomplex, "(1,2)", NULL, NULL, "(1,2) (3,4)", "(3,4)", "(3,5)"},
    {gov_cca_Type_Dcomplex, "(1,2)", NULL, NULL, "(1,2) (3,4)", "(3,4)", "(4,4)"},
    {gov_cca_Type_String, "a", NULL, NULL, "a b", "b", "c"},
    {gov_cca_Type_Bool, "true", NULL, NULL, "true", "true", "false"},
    {gov_cca_Type_IntArray, "3 4", "0", "9", NULL, "9 0 1", "1 10"},
    {gov_cca_Type_LongArray, "3 4", NULL, NULL, "3 4 5", "5", "6"},
    {gov_cca_Type_FloatArray, "0.5", "0", "1", NULL, "0 1", "0 2"},
    {gov_cca_Type_DoubleArray, "0.5", NULL, NULL, "0.5 1.5", "1.5 0.5", "1.5 1"},
    {gov_cca_Type_FcomplexArray, "(1,2)", NULL, NULL, "(1,2)", "(1,2) (1,2)", "(0,2)"},
    {gov_cca_Type_DcomplexArray, "(1,2)", NULL, NULL, "(1,2)", "(1,2) (1,2)", "(1,0)"},
    {gov_cca_Type_StringArray, "a", NULL, NULL, "a b", "b a", "a c"},
    {gov_cca_Type_BoolArray, "true", NULL, NULL, "true", "true true", "true false"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static void write_text(gov_cca_ports_ParameterPort port, const char *key,
                       enum gov_cca_Type__enum type, const char *text, sidl_BaseInterface *ex)
{
    gov_cca_TypeMap map = portolan_typemap_create(ex);

    assert_int_equal(portolan_typemap_put_text(map, key, type, text, NULL), PORTOLAN_OK);
    gov_cca_ports_ParameterPort_writeConfigurationMap(port, map, ex);
    gov_cca_TypeMap_deleteRef(map, NULL);
}

static void parameters_of_all_sixteen_types_keep_to_their_bounds_or_choices(void **state)
{
    struct world w;
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_ParameterPort port;
    enum gov_cca_Type__enum type;
    char *text;

    open_world(&w);
    for (size_t i = 0; i < N_KINDS; i++) {
        const char *key = portolan_typemap_type_word(kinds[i].type);

        request(
            &w, key,
            facts_text(kinds[i].type, kinds[i].dflt, kinds[i].low, kinds[i].high, kinds[i].choices),
            &ex);
        assert_null(ex);
    }
    port = open_port(&w);
    for (size_t i = 0; i < N_KINDS; i++) {
        const char *key = portolan_typemap_type_word(kinds[i].type);

        assert_int_equal(gov_cca_ports_ParameterPort_hasBounds(port, key, &ex), !!kinds[i].low);
        assert_int_equal(gov_cca_ports_ParameterPort_hasChoices(port, key, &ex),
                         !!kinds[i].choices);
        write_text(port, key, kinds[i].type, kinds[i].bad, &ex);
        expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, key);
        assert_int_equal(portolan_typemap_get_text(w.data, key, &type, &text, NULL), PORTOLAN_OK);
        assert_int_equal(type, kinds[i].type);
        assert_string_equal(text, kinds[i].dflt);
        free(text);
        write_text(port, key, kinds[i].type, kinds[i].good, &ex);
        assert_null(ex);
        assert_int_equal(portolan_typemap_get_text(w.data, key, &type, &text, NULL), PORTOLAN_OK);
        assert_string_equal(text, kinds[i].good);
        free(text);
    }
    gov_cca_ports_ParameterPort_deleteRef(port, NULL);
    close_world(&w);
}

static void defaults_of_arrays_and_complex_numbers_are_read(void **state)
{
    struct world w;
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_ParameterPort port;
    struct sidl_dcomplex__array *complex;
    struct sidl_int__array *whole;
    struct sidl_dcomplex z;
    int32_t low, high;

    open_world(&w);
    request(&w, "z", facts_text(gov_cca_Type_Dcomplex, "(1,2)", NULL, NULL, "(1,2) (3,4)"), &ex);
    request(&w, "n", facts_text(gov_cca_Type_IntArray, "3 4", "0", "9", NULL), &ex);
    assert_null(ex);
    port = open_port(&w);
    z = gov_cca_ports_ParameterPort_readDefaultDcomplex(port, "z", &ex);
    assert_true(z.real == 1 && z.imaginary == 2);
    complex = gov_cca_ports_ParameterPort_readChoicesDcomplex(port, "z", &ex);
    assert_int_equal(sidl_dcomplex__array_length(complex, 0), 2);
    sidl_dcomplex__array_deleteRef(complex);
    whole = gov_cca_ports_ParameterPort_readDefaultIntArray(port, "n", &ex);
    assert_int_equal(sidl_int__array_get1(whole, 1), 4);
    sidl_int__array_deleteRef(whole);
    gov_cca_ports_ParameterPort_readBoundsInt(port, "n", &low, &high, &ex);
    assert_null(ex);
    assert_int_equal(high - low, 9);
    gov_cca_ports_ParameterPort_readBoundsDouble(port, "n", &(double){0}, &(double){0}, &ex);
    assert_true(SIDL_CATCH(ex, "gov.cca.TypeMismatchException"));
    SIDL_CLEAR(ex);
    gov_cca_ports_ParameterPort_deleteRef(port, NULL);
    close_world(&w);
}

static void requests_that_make_no_sense_are_refused(void **state)
{
    struct world w;
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map;

    open_world(&w);
    request(&w, "x", facts_text(gov_cca_Type_Int, "3", "4", "9", NULL), &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "out of its bounds");
    request(&w, "x", facts_text(gov_cca_Type_Int, "3", "9", "0", NULL), &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "out of its bounds");
    request(&w, "x", facts_text(gov_cca_Type_String, "a", NULL, NULL, "b c"), &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "none of the choices");
    map = portolan_typemap_create(&ex);
    request(&w, "x", map, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "needs a default");
    map = facts_text(gov_cca_Type_Int, "3", NULL, NULL, NULL);
    gov_cca_TypeMap_putDouble(map, "low", 0, &ex);
    gov_cca_TypeMap_putDouble(map, "high", 9, &ex);
    request(&w, "x", map, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "low is of type Double, not Int");
    request(&w, "gcpPPF.x", facts_text(gov_cca_Type_Int, "3", NULL, NULL, NULL), &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "gcpPPF.");
    assert_false(gov_cca_TypeMap_hasKey(w.data, "x", &ex));
    gov_cca_TypeMap_putString(w.data, "x", "taken", &ex);
    request(&w, "x", facts_text(gov_cca_Type_Int, "3", NULL, NULL, NULL), &ex);
    assert_true(SIDL_CATCH(ex, "gov.cca.TypeMismatchException"));
    SIDL_CLEAR(ex);
    close_world(&w);
}

static void a_map_is_written_as_a_whole_or_not_at_all(void **state)
{
    struct world w;
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_ParameterPort port;
    gov_cca_TypeMap map;

    open_world(&w);
    portolan_ports_ParameterFactory_addRequestInt(w.factory, w.data, "a", "h", "p", 1, 0, 9, &ex);
    portolan_ports_ParameterFactory_addRequestInt(w.factory, w.data, "b", "h", "p", 1, 0, 9, &ex);
    assert_null(ex);
    port = open_port(&w);
    map = portolan_typemap_create(&ex);
    gov_cca_TypeMap_putInt(map, "a", 5, &ex);
    gov_cca_TypeMap_putInt(map, "b", 50, &ex);
    gov_cca_ports_ParameterPort_writeConfigurationMap(port, map, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_BadProperties, "'b'");
    assert_int_equal(gov_cca_TypeMap_getInt(w.data, "a", 0, &ex), 1);
    gov_cca_TypeMap_deleteRef(map, NULL);
    gov_cca_ports_ParameterPort_deleteRef(port, NULL);
    close_world(&w);
}

static void parameters_belong_to_one_map_and_one_component(void **state)
{
    struct world w;
    sidl_BaseInterface ex = NULL;
    portolan_ports_ParameterFactory other_factory;
    gov_cca_Services other;
    gov_cca_ports_ParameterPort port;
    gov_cca_TypeMap clone;
    char *title;

    open_world(&w);
    other = join(&w, "other", &other_factory);
    clone = gov_cca_TypeMap_cloneTypeMap(w.data, &ex);
    portolan_ports_ParameterFactory_addRequestBoolean(w.factory, clone, "a", "h", "p", 1, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "call initParameterData first");
    portolan_ports_ParameterFactory_setBatchTitle(other_factory, w.data, "mine", &ex);
    assert_true(SIDL_CATCH(ex, "sidl.RuntimeException"));
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "of this component");
    portolan_ports_ParameterFactory_addParameterPort(w.factory, w.data, other, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "own Services");
    portolan_ports_ParameterFactory_setBatchTitle(w.factory, w.data, "Title", &ex);
    port = open_port(&w);
    portolan_framework_release_services(w.f.fw, w.services, &ex);
    assert_null(ex);
    /* Whoever still has the port may go on reading. */
    title = gov_cca_ports_ParameterPort_readTitle(port, &ex);
    assert_string_equal(title, "Title");
    sidl_String_free(title);
    portolan_ports_ParameterFactory_clearRequests(w.factory, w.data, &ex);
    expect_thrown(&ex, gov_cca_CCAExceptionType_Nonstandard, "was destroyed");
    gov_cca_ports_ParameterPort_deleteRef(port, NULL);
    gov_cca_TypeMap_deleteRef(clone, NULL);
    portolan_ports_ParameterFactory_deleteRef(other_factory, NULL);
    gov_cca_Services_deleteRef(other, NULL);
    close_world(&w);
}

UNIT_TESTS(cmocka_unit_test(parameters_of_all_sixteen_types_keep_to_their_bounds_or_choices),
           cmocka_unit_test(defaults_of_arrays_and_complex_numbers_are_read),
           cmocka_unit_test(requests_that_make_no_sense_are_refused),
           cmocka_unit_test(a_map_is_written_as_a_whole_or_not_at_all),
           cmocka_unit_test(parameters_belong_to_one_map_and_one_component))
