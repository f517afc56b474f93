/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gov.cca.ports.ParameterPortFactory, and with it portolan.ports.ParameterFactory: how a component
 * describes its parameters, so that it need not implement a ParameterPort.
 */
#include "internal.h"
#include "parameters/parameters.h"

#include <stdlib.h>

static void throw_undeclared(sidl_BaseInterface *_ex, enum portolan_status status,
                             const struct portolan_error *err)
{
    face_finish(_ex, status, err);
    exception_undeclared(_ex);
}

/* NULL with an exception. */
static struct parameters *find_parameters(void *self, gov_cca_TypeMap data, sidl_BaseInterface *_ex)
{
    struct services *s = component_face_services(self, _ex);
    struct portolan_error err = {0};
    struct parameters *p = NULL;

    if (s)
        face_finish(_ex, parameters_find(s->parameters, data, &p, &err), &err);
    return p;
}

/* Like find_parameters(), for methods that declare no exception. */
static struct parameters *find_parameters_undeclared(void *self, gov_cca_TypeMap data,
                                                     sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters(self, data, _ex);

    exception_undeclared(_ex);
    return p;
}

static void factory_initParameterData(void *self, gov_cca_TypeMap *data, const char *port_name,
                                      sidl_BaseInterface *_ex)
{
    struct services *s = component_face_services(self, _ex);
    gov_cca_TypeMap made = NULL;
    struct portolan_error err = {0};
    enum portolan_status status;

    if (s && !*data)
        made = portolan_typemap_create(_ex);
    if (*_ex) {
        exception_undeclared(_ex);
        return;
    }
    status = parameters_begin(&s->parameters, s, *data ? *data : made, port_name, &err);
    if (status == PORTOLAN_OK && made)
        *data = made;
    else
        sidl_reference_delete(made, NULL);
    throw_undeclared(_ex, status, &err);
}

static void factory_setBatchTitle(void *self, gov_cca_TypeMap data, const char *title,
                                  sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters_undeclared(self, data, _ex);
    char *copy = p ? portolan_strdup(title ? title : "") : NULL;

    if (!p)
        return;
    if (!copy) {
        exception_no_memory(_ex);
        return;
    }
    free(p->title);
    p->title = copy;
}

static void factory_setGroupNameAndTitle(void *self, gov_cca_TypeMap data, const char *name,
                                         const char *title, sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters_undeclared(self, data, _ex);
    struct portolan_error err = {0};

    if (p)
        throw_undeclared(_ex, parameters_set_group(p, name, title, &err), &err);
}

static void factory_setGroupName(void *self, gov_cca_TypeMap data, const char *name,
                                 sidl_BaseInterface *_ex)
{
    factory_setGroupNameAndTitle(self, data, name, NULL, _ex);
}

/* -- requests -- */

static void request_parameter(void *self, gov_cca_TypeMap data, const char *name, const char *help,
                              const char *prompt, gov_cca_TypeMap facts, sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters(self, data, _ex);
    enum gov_cca_Type__enum wanted, there;
    struct portolan_error err = {0};

    if (!p)
        return;
    wanted = gov_cca_TypeMap_typeOf(facts, "default", _ex);
    there = *_ex ? gov_cca_Type_NoType : gov_cca_TypeMap_typeOf(data, name, _ex);
    if (*_ex)
        return;
    if (there != gov_cca_Type_NoType && wanted != gov_cca_Type_NoType && there != wanted)
        exception_type_mismatch(_ex, wanted, there, name);
    else
        face_finish(_ex, parameters_add(p, name, help, prompt, facts, &err), &err);
}

/* One number with its bounds. */
#define REQUEST_NUMBER(NAME, CTYPE)                                                                \
    static void factory_addRequest##NAME(void *self, gov_cca_TypeMap data, const char *name,       \
                                         const char *help, const char *prompt, CTYPE dflt,         \
                                         CTYPE low, CTYPE high, sidl_BaseInterface *_ex)           \
    {                                                                                              \
        gov_cca_TypeMap facts = portolan_typemap_create(_ex);                                      \
                                                                                                   \
        if (!*_ex)                                                                                 \
            gov_cca_TypeMap_put##NAME(facts, "default", dflt, _ex);                                \
        if (!*_ex)                                                                                 \
            gov_cca_TypeMap_put##NAME(facts, "low", low, _ex);                                     \
        if (!*_ex)                                                                                 \
            gov_cca_TypeMap_put##NAME(facts, "high", high, _ex);                                   \
        if (!*_ex)                                                                                 \
            request_parameter(self, data, name, help, prompt, facts, _ex);                         \
        sidl_reference_delete(facts, NULL);                                                        \
    }

/* A parameter without bounds. */
#define REQUEST(FUNCTION, NAME, CTYPE)                                                             \
    static void factory_addRequest##FUNCTION(void *self, gov_cca_TypeMap data, const char *name,   \
                                             const char *help, const char *prompt, CTYPE dflt,     \
                                             sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        gov_cca_TypeMap facts = portolan_typemap_create(_ex);                                      \
                                                                                                   \
        if (!*_ex)                                                                                 \
            gov_cca_TypeMap_put##NAME(facts, "default", dflt, _ex);                                \
        if (!*_ex)                                                                                 \
            request_parameter(self, data, name, help, prompt, facts, _ex);                         \
        sidl_reference_delete(facts, NULL);                                                        \
    }

REQUEST(Boolean, Bool, sidl_bool)
REQUEST(String, String, const char *)
REQUEST_NUMBER(Int, int32_t)
REQUEST_NUMBER(Long, int64_t)
REQUEST_NUMBER(Float, float)
REQUEST_NUMBER(Double, double)

static void factory_addRequest(void *self, gov_cca_TypeMap data, const char *name, const char *help,
                               const char *prompt, gov_cca_TypeMap facts, sidl_BaseInterface *_ex)
{
    if (facts)
        request_parameter(self, data, name, help, prompt, facts, _ex);
    else
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES, "parameter '%s' needs a default",
                       name ? name : "");
}

static void set_choices(void *self, gov_cca_TypeMap data, const char *name, gov_cca_TypeMap choices,
                        bool append, sidl_BaseInterface *_ex)
{
    struct parameters *p = *_ex ? NULL : find_parameters(self, data, _ex);
    struct portolan_error err = {0};

    if (p)
        face_finish(_ex, parameters_set_choices(p, name, choices, append, &err), &err);
    sidl_reference_delete(choices, NULL);
}

#define CHOICES(NAME, ELEMENT, APPEND)                                                             \
    static void factory_add##NAME##Choices(void *self, gov_cca_TypeMap data, const char *name,     \
                                           struct sidl_##ELEMENT##__array *choices,                \
                                           sidl_BaseInterface *_ex)                                \
    {                                                                                              \
        gov_cca_TypeMap map = portolan_typemap_create(_ex);                                        \
                                                                                                   \
        if (!*_ex && (!choices || !sidl_##ELEMENT##__array_length(choices, 0)))                    \
            portolan_throw(_ex, PORTOLAN_EINVAL, "parameter '%s': the list of choices is empty",   \
                           name ? name : "");                                                      \
        if (!*_ex)                                                                                 \
            gov_cca_TypeMap_put##NAME##Array(map, "choices", choices, _ex);                        \
        set_choices(self, data, name, map, APPEND, _ex);                                           \
    }

CHOICES(String, string, true)
CHOICES(Int, int, false)
CHOICES(Long, long, false)
CHOICES(Float, float, false)
CHOICES(Double, double, false)
CHOICES(Fcomplex, fcomplex, false)
CHOICES(Dcomplex, dcomplex, false)

static void factory_addRequestStringChoice(void *self, gov_cca_TypeMap data, const char *key,
                                           const char *choice, sidl_BaseInterface *_ex)
{
    struct sidl_string__array *one = sidl_string__array_create1d(1);

    if (!one) {
        exception_no_memory(_ex);
        return;
    }
    sidl_string__array_set1(one, 0, choice ? choice : "");
    factory_addStringChoices(self, data, key, one, _ex);
    sidl_string__array_deleteRef(one);
}

static void factory_clearRequests(void *self, gov_cca_TypeMap data, sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters_undeclared(self, data, _ex);

    if (p)
        parameters_clear(p);
}

/* -- listeners, and the port itself -- */

static void add_listener(void *self, gov_cca_TypeMap data, gov_cca_ports_ParameterGetListener get,
                         gov_cca_ports_ParameterSetListener set, sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters_undeclared(self, data, _ex);
    struct portolan_error err = {0};

    if (p)
        throw_undeclared(_ex, parameters_listen(p, get, set, &err), &err);
}

static void factory_registerUpdater(void *self, gov_cca_TypeMap data,
                                    gov_cca_ports_ParameterGetListener listener,
                                    sidl_BaseInterface *_ex)
{
    add_listener(self, data, listener, NULL, _ex);
}

static void factory_registerUpdatedListener(void *self, gov_cca_TypeMap data,
                                            gov_cca_ports_ParameterSetListener listener,
                                            sidl_BaseInterface *_ex)
{
    add_listener(self, data, NULL, listener, _ex);
}

/* Offers the port to other components, or withdraws it. */
static void offer_port(void *self, gov_cca_TypeMap data, gov_cca_Services services, bool offer,
                       sidl_BaseInterface *_ex)
{
    struct parameters *p = find_parameters_undeclared(self, data, _ex);
    struct portolan_error err = {0};
    enum portolan_status status = PORTOLAN_OK;

    if (!p)
        return;
    if (!services || sidl_reference_peek(services) != (void *)p->services)
        status = portolan_error_set(&err, PORTOLAN_EINVAL,
                                    "a parameter port is added with the component's own Services");
    else if (!offer)
        status = services_remove_provides(p->services, p->port_name, &err);
    else if ((status = parameters_settle(p, &err)) == PORTOLAN_OK)
        status = services_add_provides(p->services, sidl_object_facet(p, "gov.cca.Port"),
                                       p->port_name, "gov.cca.ports.ParameterPort", NULL, &err);
    throw_undeclared(_ex, status, &err);
}

static void factory_addParameterPort(void *self, gov_cca_TypeMap data, gov_cca_Services services,
                                     sidl_BaseInterface *_ex)
{
    offer_port(self, data, services, true, _ex);
}

static void factory_removeParameterPort(void *self, gov_cca_TypeMap data, gov_cca_Services services,
                                        sidl_BaseInterface *_ex)
{
    offer_port(self, data, services, false, _ex);
}

#define SLOT(NAME) .f_##NAME = factory_##NAME

const struct portolan_ports_ParameterFactory__epv parameter_factory_epv = {
    SLOT(initParameterData),    SLOT(setBatchTitle),          SLOT(setGroupName),
    SLOT(setGroupNameAndTitle), SLOT(addRequestBoolean),      SLOT(addRequestInt),
    SLOT(addRequestLong),       SLOT(addRequestFloat),        SLOT(addRequestDouble),
    SLOT(addRequestString),     SLOT(addRequestStringChoice), SLOT(addStringChoices),
    SLOT(addIntChoices),        SLOT(addLongChoices),         SLOT(addFloatChoices),
    SLOT(addDoubleChoices),     SLOT(addFcomplexChoices),     SLOT(addDcomplexChoices),
    SLOT(clearRequests),        SLOT(registerUpdater),        SLOT(registerUpdatedListener),
    SLOT(addParameterPort),     SLOT(removeParameterPort),    SLOT(addRequest),
};
