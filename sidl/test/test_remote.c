/* SPDX-License-Identifier: BSD-3-Clause */
/* sidl.io and sidl.rmi: there to be named, and every way to another process is refused. */
#include <unit_test.h>

#include "sidl.h"
#include "sidl_BaseClass.h"
#include "sidl_SIDLException.h"
#include "sidl_rmi.h"

static void assert_refused(void *nothing, sidl_BaseInterface ex, const char *who)
{
    sidl_BaseException base = sidl_BaseException__cast(ex, NULL);
    sidl_BaseInterface ignored;
    char *note;

    assert_null(nothing);
    assert_true(SIDL_CATCH(ex, "sidl.rmi.NetworkException"));
    assert_true(SIDL_CATCH(ex, "sidl.io.IOException"));
    assert_true(SIDL_CATCH(ex, "sidl.RuntimeException"));
    note = sidl_BaseException_getNote(base, &ignored);
    assert_int_equal(strncmp(note, who, strlen(who)), 0);
    assert_non_null(strstr(note, "no remote invocation"));
    sidl_String_free(note);
    sidl_BaseException_deleteRef(base, NULL);
    sidl_BaseInterface_deleteRef(ex, NULL);
}

static void no_object_can_be_made_or_reached_elsewhere(void **state)
{
    const char *url = "simhandle://localhost:9000/1";
    sidl_BaseInterface ex;
    void *made = sidl_SIDLException__createRemote(url, &ex);

    assert_refused(made, ex, "sidl.SIDLException: ");
    made = sidl_BaseClass__connect(url, &ex);
    assert_refused(made, ex, "sidl.BaseClass: ");
    made = sidl_io_Serializable__connectI(url, TRUE, &ex);
    assert_refused(made, ex, "sidl.io.Serializable: ");
    made = sidl_rmi_ProtocolFactory_createInstance(url, "heat.Solver", &ex);
    assert_refused(made, ex, "heat.Solver: ");
    made = sidl_rmi_ProtocolFactory_connectInstance(url, "heat.Solver", TRUE, &ex);
    assert_refused(made, ex, "heat.Solver: ");
    made = sidl_rmi_ProtocolFactory_unserializeInstance(url, &ex);
    assert_refused(made, ex, url);
}

static void no_object_can_be_offered(void **state)
{
    sidl_BaseInterface ex;
    sidl_BaseClass object = sidl_BaseClass__create(&ex);
    void *name = sidl_BaseClass__getURL(object, &ex);

    assert_refused(name, ex, "sidl.BaseClass: ");
    sidl_BaseClass__exec(object, "isSame", NULL, NULL, &ex);
    assert_refused(NULL, ex, "sidl.BaseClass: ");
    name = sidl_rmi_InstanceRegistry_registerInstance(object, &ex);
    assert_refused(name, ex, "sidl.rmi.InstanceRegistry: ");
    name = sidl_rmi_InstanceRegistry_registerInstanceByString(object, "me", &ex);
    assert_refused(name, ex, "sidl.rmi.InstanceRegistry: ");
    sidl_rmi_ServerRegistry_registerServer(NULL, &ex);
    assert_refused(NULL, ex, "sidl.rmi.ServerRegistry: ");
    sidl_BaseClass_deleteRef(object, &ex);
}

static void who_asks_for_what_is_registered_finds_nothing(void **state)
{
    sidl_BaseInterface ex;
    char *name;

    assert_false(sidl_rmi_ProtocolFactory_addProtocol("simhandle", "sidlx.rmi.SimHandle", &ex));
    assert_null(ex);
    name = sidl_rmi_ProtocolFactory_getProtocol("simhandle", &ex);
    assert_string_equal(name, "");
    sidl_String_free(name);
    assert_false(sidl_rmi_ProtocolFactory_deleteProtocol("simhandle", &ex));
    assert_null(sidl_rmi_InstanceRegistry_getInstanceByString("me", &ex));
    assert_null(sidl_rmi_InstanceRegistry_removeInstanceByClass(NULL, &ex));
    sidl_rmi_ConnectRegistry_registerConnect("heat.Solver", &ex, &ex);
    assert_null(sidl_rmi_ConnectRegistry_getConnect("heat.Solver", &ex));
    assert_null(sidl_rmi_ServerRegistry_getServer(&ex));
    assert_null(sidl_rmi_ServerRegistry_isLocalObject("simhandle://localhost:9000/1", &ex));
    assert_null(sidl_rmi_ServerRegistry_getExceptions(&ex));
    assert_null(ex);
}

static void network_exceptions_are_thrown_like_others(void **state)
{
    sidl_BaseInterface ex = NULL, ignored;
    sidl_rmi_NetworkException network;

    SIDL_THROW(ex, sidl_rmi_TimeOutException, "too late");
EXIT:
    assert_true(SIDL_CATCH(ex, "sidl.rmi.TimeOutException"));
    network = sidl_rmi_NetworkException__cast(ex, NULL);
    assert_int_equal(sidl_rmi_NetworkException_getErrno(network, &ignored), 0);
    sidl_rmi_NetworkException_setErrno(network, 110, &ignored);
    assert_int_equal(sidl_rmi_NetworkException_getErrno(network, &ignored), 110);
    assert_int_equal(sidl_rmi_NetworkException_getHopCount(network, &ignored), 0);
    sidl_rmi_NetworkException_deleteRef(network, NULL);
    SIDL_CLEAR(ex);
}

UNIT_TESTS(cmocka_unit_test(no_object_can_be_made_or_reached_elsewhere),
           cmocka_unit_test(no_object_can_be_offered),
           cmocka_unit_test(who_asks_for_what_is_registered_finds_nothing),
           cmocka_unit_test(network_exceptions_are_thrown_like_others))
