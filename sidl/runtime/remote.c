/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The package sidl.rmi. There is no remote invocation: methods that would reach another process
 * throw. Sources that use the package compile, and run as long as they stay in one process.
 */
#include "runtime_internal.h"

#include "sidl_rmi.h"

void *sidl_remote_refuse(const char *name, sidl_BaseInterface *_ex)
{
    *_ex = NULL;
    sidl_exception_throw(sidl_rmi_NetworkException__create(_ex), _ex,
                         "%s: Portolan has no remote invocation", name ? name : "sidl.rmi");
    return NULL;
}

/* sidl.rmi.NetworkException: the private data is the number itself, stored in the pointer */

static const size_t depth = 2; /* extends IOException and SIDLException */

static int32_t network_get_hop_count(void *self, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    return 0;
}

static void network_set_errno(void *self, int32_t err, sidl_BaseInterface *_ex)
{
    (void)_ex;
    sidl_object_set_data(self, depth, (void *)(intptr_t)err);
}

static int32_t network_get_errno(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return (int32_t)(intptr_t)sidl_object_data(self, depth);
}

#define EXCEPTION(NAME, EXTENDS, ...)                                                              \
    static const struct sidl_rmi_##NAME##__epv NAME##_epv = {__VA_ARGS__};                         \
    RUNTIME_CLASS(sidl_rmi_##NAME, "sidl.rmi." #NAME, NAME##_epv, .extends = EXTENDS)

EXCEPTION(NetworkException, NULL, .f_getHopCount = network_get_hop_count,
          .f_setErrno = network_set_errno, .f_getErrno = network_get_errno)
#define NETWORK_EXCEPTION(NAME) EXCEPTION(NAME, sidl_rmi_NetworkException__externals, NULL)
NETWORK_EXCEPTION(UnknownHostException)
NETWORK_EXCEPTION(BindException)
NETWORK_EXCEPTION(ConnectException)
NETWORK_EXCEPTION(NoRouteToHostException)
NETWORK_EXCEPTION(TimeOutException)
NETWORK_EXCEPTION(UnexpectedCloseException)
NETWORK_EXCEPTION(ObjectDoesNotExistException)
NETWORK_EXCEPTION(MalformedURLException)
NETWORK_EXCEPTION(ProtocolException)
NETWORK_EXCEPTION(NoServerException)

/* Classes with static methods only. */

#define STATICS(NAME)                                                                              \
    static const struct sidl_rmi_##NAME##__epv NAME##_epv;                                         \
    RUNTIME_CLASS(sidl_rmi_##NAME, "sidl.rmi." #NAME, NAME##_epv, .statics = &NAME##_statics)

static sidl_bool add_protocol(const char *prefix, const char *type_name, sidl_BaseInterface *_ex)
{
    (void)prefix, (void)type_name, (void)_ex;
    return FALSE;
}

static char *get_protocol(const char *prefix, sidl_BaseInterface *_ex)
{
    (void)prefix;
    return sidl_String_strdup_ex("", _ex);
}

static sidl_bool delete_protocol(const char *prefix, sidl_BaseInterface *_ex)
{
    (void)prefix, (void)_ex;
    return FALSE;
}

static sidl_rmi_InstanceHandle create_instance(const char *url, const char *type_name,
                                               sidl_BaseInterface *_ex)
{
    (void)url;
    return sidl_remote_refuse(type_name, _ex);
}

static sidl_rmi_InstanceHandle connect_instance(const char *url, const char *type_name,
                                                sidl_bool ar, sidl_BaseInterface *_ex)
{
    (void)ar;
    return create_instance(url, type_name, _ex);
}

static sidl_io_Serializable unserialize_instance(const char *url, sidl_BaseInterface *_ex)
{
    return sidl_remote_refuse(url, _ex);
}

static const struct sidl_rmi_ProtocolFactory__sepv ProtocolFactory_statics = {
    .f_addProtocol = add_protocol,
    .f_getProtocol = get_protocol,
    .f_deleteProtocol = delete_protocol,
    .f_createInstance = create_instance,
    .f_connectInstance = connect_instance,
    .f_unserializeInstance = unserialize_instance,
};
STATICS(ProtocolFactory)

static char *register_instance(sidl_BaseClass instance, sidl_BaseInterface *_ex)
{
    (void)instance;
    return sidl_remote_refuse("sidl.rmi.InstanceRegistry", _ex);
}

static char *register_instance_by_string(sidl_BaseClass instance, const char *id,
                                         sidl_BaseInterface *_ex)
{
    (void)id;
    return register_instance(instance, _ex);
}

static sidl_BaseClass no_instance(const char *id, sidl_BaseInterface *_ex)
{
    (void)id, (void)_ex;
    return NULL;
}

static char *no_instance_name(sidl_BaseClass instance, sidl_BaseInterface *_ex)
{
    (void)instance, (void)_ex;
    return NULL;
}

static const struct sidl_rmi_InstanceRegistry__sepv InstanceRegistry_statics = {
    .f_registerInstance = register_instance,
    .f_registerInstanceByString = register_instance_by_string,
    .f_getInstanceByString = no_instance,
    .f_getInstanceByClass = no_instance_name,
    .f_removeInstanceByString = no_instance,
    .f_removeInstanceByClass = no_instance_name,
};
STATICS(InstanceRegistry)

static void register_connect(const char *key, void *func, sidl_BaseInterface *_ex)
{
    (void)key, (void)func, (void)_ex;
}

static void *no_connect(const char *key, sidl_BaseInterface *_ex)
{
    (void)key, (void)_ex;
    return NULL;
}

static const struct sidl_rmi_ConnectRegistry__sepv ConnectRegistry_statics = {
    .f_registerConnect = register_connect,
    .f_getConnect = no_connect,
    .f_removeConnect = no_connect,
};
STATICS(ConnectRegistry)

static void register_server(sidl_rmi_ServerInfo info, sidl_BaseInterface *_ex)
{
    (void)info;
    sidl_remote_refuse("sidl.rmi.ServerRegistry", _ex);
}

static sidl_rmi_ServerInfo no_server(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return NULL;
}

static char *no_server_text(const char *text, sidl_BaseInterface *_ex)
{
    (void)text, (void)_ex;
    return NULL;
}

static struct sidl_io_Serializable__array *no_exceptions(sidl_BaseInterface *_ex)
{
    (void)_ex;
    return NULL;
}

static const struct sidl_rmi_ServerRegistry__sepv ServerRegistry_statics = {
    .f_registerServer = register_server,
    .f_getServer = no_server,
    .f_getServerURL = no_server_text,
    .f_isLocalObject = no_server_text,
    .f_getExceptions = no_exceptions,
};
STATICS(ServerRegistry)
