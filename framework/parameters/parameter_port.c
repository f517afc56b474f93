/* SPDX-License-Identifier: BSD-3-Clause */
/* gov.cca.ports.ParameterPort: how others read and set a component's parameters. */
#include "parameters.h"

#include <portolan/framework.h>

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* -- BasicParameterPort -- */

/* Notifies listeners that the map is about to be read or, if KEY is not NULL, that its value was
 * written. Meanwhile listeners may be added, and the component may be destroyed. */
static void notify_listeners(struct parameters *p, const char *key)
{
    struct parameter_listener *l;
    sidl_BaseInterface ex = NULL;

    LL_FOREACH(p->listeners, l)
    {
        struct portolan_error err = {0};

        if (key && l->set)
            gov_cca_ports_ParameterSetListener_updatedParameterValue(l->set, p->port_name, key,
                                                                     &ex);
        else if (!key && l->get)
            gov_cca_ports_ParameterGetListener_updateParameterPort(l->get, p->port_name, &ex);
        if (portolan_catch(&ex, &err) != PORTOLAN_OK)
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "parameter port '%s': %s failed: %s",
                         p->port_name, key ? "updatedParameterValue" : "updateParameterPort",
                         err.text);
    }
}

/* Keys that the factory stores in the map are hidden from users. */
static void remove_reserved(gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct sidl_string__array *keys = gov_cca_TypeMap_getAllKeys(map, gov_cca_Type_NoType, _ex);
    int32_t n = keys ? sidl_string__array_length(keys, 0) : 0;

    for (int32_t i = 0; i < n && !*_ex; i++) {
        char *key = sidl_string__array_get1(keys, sidl_string__array_lower(keys, 0) + i);

        if (key && !strncmp(key, PARAMETER_RESERVED, strlen(PARAMETER_RESERVED)))
            gov_cca_TypeMap_remove(map, key, _ex);
        sidl_String_free(key);
    }
    sidl__array_deleteRef((struct sidl__array *)keys);
}

static gov_cca_TypeMap port_readConfigurationMap(void *self, sidl_BaseInterface *_ex)
{
    struct parameters *p = self;
    gov_cca_TypeMap map;

    sidl_object_retain(p);
    notify_listeners(p, NULL);
    map = gov_cca_TypeMap_cloneTypeMap(p->data, _ex);
    sidl_object_release(p);
    if (map)
        remove_reserved(map, _ex);
    if (!*_ex)
        return map;
    sidl_reference_delete(map, NULL);
    return NULL;
}

/* Writes nothing unless all given values are valid. */
static void check_map(struct parameters *p, gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    enum gov_cca_Type__enum type;
    struct parameter *x;

    LL_FOREACH(p->first, x)
    {
        type = gov_cca_TypeMap_typeOf(map, x->key, _ex);
        if (*_ex)
            return;
        if (type == gov_cca_Type_NoType)
            continue;
        if (type != x->type) {
            exception_type_mismatch(_ex, x->type, type, x->key);
            return;
        }
        if (parameter_check(map, x->key, x->facts, x->key, &err) != PORTOLAN_OK) {
            exception_from_error(_ex, &err);
            return;
        }
    }
}

/* Copies the values of MAP that differ; *CHANGED gets their keys. */
static enum portolan_status take_over(struct parameters *p, gov_cca_TypeMap map, char **changed,
                                      size_t *count, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    sidl_BaseInterface ex = NULL;
    struct parameter *x;
    bool same;

    LL_FOREACH(p->first, x)
    {
        if (!gov_cca_TypeMap_hasKey(map, x->key, &ex) || ex)
            continue;
        status = parameter_compare(map, p->data, x->key, &same, err);
        if (status == PORTOLAN_OK && same)
            continue;
        if (status == PORTOLAN_OK)
            status = typemap_copy_entry(map, x->key, p->data, x->key, err);
        if (status == PORTOLAN_OK && !(changed[(*count)++] = portolan_strdup(x->key)))
            status = portolan_no_memory(err);
        if (status != PORTOLAN_OK)
            return status;
    }
    return portolan_catch(&ex, err);
}

static void port_writeConfigurationMap(void *self, gov_cca_TypeMap map, sidl_BaseInterface *_ex)
{
    struct parameters *p = self;
    struct portolan_error err = {0};
    size_t count = 0, room = 1;
    struct parameter *x;
    char **changed;

    if (!map) {
        portolan_throw(_ex, PORTOLAN_EBADPROPERTIES, "the map of parameters is null");
        return;
    }
    check_map(p, map, _ex);
    if (*_ex)
        return;
    LL_FOREACH(p->first, x)
    room++;
    if (!(changed = portolan_calloc(room, sizeof *changed))) {
        exception_no_memory(_ex);
        return;
    }
    if (take_over(p, map, changed, &count, &err) != PORTOLAN_OK)
        exception_from_error(_ex, &err);
    sidl_object_retain(p);
    for (size_t i = 0; i < count; i++) {
        if (changed[i])
            notify_listeners(p, changed[i]);
        free(changed[i]);
    }
    sidl_object_release(p);
    free(changed);
}

/* The keys of a group (NULL: all keys), in order of addition. */
static struct sidl_string__array *
keys_of(const struct parameters *p, const struct parameter_group *group, sidl_BaseInterface *_ex)
{
    struct sidl_string__array *keys;
    struct parameter *x;
    int32_t n = 0;

    LL_FOREACH(p->first, x)
    n += !group || x->group == group;
    if (!(keys = sidl_string__array_create1d(n))) {
        exception_no_memory(_ex);
        return NULL;
    }
    n = 0;
    LL_FOREACH(p->first, x)
    if (!group || x->group == group)
        sidl_string__array_set1(keys, n++, x->key);
    return keys;
}

static struct sidl_string__array *port_readConfigurationKeys(void *self, sidl_BaseInterface *_ex)
{
    return keys_of(self, NULL, _ex);
}

/* -- texts -- */

static char *port_readTitle(void *self, sidl_BaseInterface *_ex)
{
    const struct parameters *p = self;

    return exception_or_text(p->title ? p->title : p->port_name, _ex);
}

static struct sidl_string__array *port_readGroupNames(void *self, sidl_BaseInterface *_ex)
{
    const struct parameters *p = self;
    struct sidl_string__array *names;
    struct parameter_group *g;
    int32_t n;

    LL_COUNT(p->groups, g, n);
    if (!(names = sidl_string__array_create1d(n))) {
        exception_no_memory(_ex);
        return NULL;
    }
    n = 0;
    LL_FOREACH(p->groups, g)
    sidl_string__array_set1(names, n++, g->name);
    return names;
}

static struct parameter_group *find_group(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct parameter_group *g = parameters_group(self, name);

    if (!g)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no group '%s' of parameters",
                       name ? name : "");
    return g;
}

static char *port_readGroupTitle(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct parameter_group *g = find_group(self, name, _ex);

    return g ? exception_or_text(g->title, _ex) : NULL;
}

static struct sidl_string__array *port_readGroupKeys(void *self, const char *name,
                                                     sidl_BaseInterface *_ex)
{
    struct parameter_group *g = find_group(self, name, _ex);

    return g ? keys_of(self, g, _ex) : NULL;
}

static struct parameter *find_parameter(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct parameter *x = parameters_get(self, key);

    if (!x)
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no parameter '%s'", key ? key : "");
    return x;
}

static char *port_readHelp(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct parameter *x = find_parameter(self, key, _ex);

    return x ? exception_or_text(x->help, _ex) : NULL;
}

static char *port_readPrompt(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct parameter *x = find_parameter(self, key, _ex);

    return x ? exception_or_text(x->prompt, _ex) : NULL;
}

/* -- facts -- */

static sidl_bool port_hasBounds(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct parameter *x = find_parameter(self, key, _ex);

    return x ? gov_cca_TypeMap_hasKey(x->facts, "low", _ex) : FALSE;
}

static sidl_bool port_hasChoices(void *self, const char *key, sidl_BaseInterface *_ex)
{
    struct parameter *x = find_parameter(self, key, _ex);

    return x ? gov_cca_TypeMap_hasKey(x->facts, "choices", _ex) : FALSE;
}

/* The facts of a key whose default is of TYPE; NULL with an exception. */
static gov_cca_TypeMap facts_of(void *self, const char *key, enum gov_cca_Type__enum type,
                                sidl_BaseInterface *_ex)
{
    struct parameter *x = find_parameter(self, key, _ex);

    if (x && x->type == type)
        return x->facts;
    if (x)
        exception_type_mismatch(_ex, type, x->type, key);
    return NULL;
}

/* The facts of a key, scalar or array, if its elements are of TYPE and it has FACT. */
static gov_cca_TypeMap limits_of(void *self, const char *key, enum gov_cca_Type__enum type,
                                 const char *fact, sidl_BaseInterface *_ex)
{
    struct parameter *x = find_parameter(self, key, _ex);

    if (!x)
        return NULL;
    if (typemap_element(x->type) != type) {
        exception_type_mismatch(_ex, type, x->type, key);
        return NULL;
    }
    if (gov_cca_TypeMap_hasKey(x->facts, fact, _ex))
        return x->facts;
    portolan_throw(_ex, PORTOLAN_ENOTFOUND, "parameter '%s' has no %s", key,
                   strcmp(fact, "low") ? fact : "bounds");
    return NULL;
}

static const union typemap_value nothing;

#define DEFAULT(NAME, CTYPE, ELEMENT, LABEL)                                                       \
    static CTYPE port_readDefault##LABEL(void *self, const char *key, sidl_BaseInterface *_ex)     \
    {                                                                                              \
        gov_cca_TypeMap facts = facts_of(self, key, gov_cca_Type_##NAME, _ex);                     \
                                                                                                   \
        return facts ? gov_cca_TypeMap_get##NAME(facts, "default", nothing.NAME, _ex)              \
                     : nothing.NAME;                                                               \
    }                                                                                              \
    static struct sidl_##ELEMENT##__array *port_readDefault##LABEL##Array(                         \
        void *self, const char *key, sidl_BaseInterface *_ex)                                      \
    {                                                                                              \
        gov_cca_TypeMap facts = facts_of(self, key, gov_cca_Type_##NAME##Array, _ex);              \
                                                                                                   \
        return facts ? gov_cca_TypeMap_get##NAME##Array(facts, "default", NULL, _ex) : NULL;       \
    }

#define BOUNDS(NAME, CTYPE)                                                                        \
    static void port_readBounds##NAME(void *self, const char *key, CTYPE *low, CTYPE *high,        \
                                      sidl_BaseInterface *_ex)                                     \
    {                                                                                              \
        gov_cca_TypeMap facts = limits_of(self, key, gov_cca_Type_##NAME, "low", _ex);             \
                                                                                                   \
        if (!facts)                                                                                \
            return;                                                                                \
        *low = gov_cca_TypeMap_get##NAME(facts, "low", 0, _ex);                                    \
        *high = gov_cca_TypeMap_get##NAME(facts, "high", 0, _ex);                                  \
    }

#define CHOICES(NAME, CTYPE)                                                                       \
    static CTYPE port_readChoices##NAME(void *self, const char *key, sidl_BaseInterface *_ex)      \
    {                                                                                              \
        gov_cca_TypeMap facts = limits_of(self, key, gov_cca_Type_##NAME, "choices", _ex);         \
                                                                                                   \
        return facts ? gov_cca_TypeMap_get##NAME##Array(facts, "choices", NULL, _ex) : NULL;       \
    }

EACH_TYPE(DEFAULT)
BOUNDS(Int, int32_t)
BOUNDS(Long, int64_t)
BOUNDS(Float, float)
BOUNDS(Double, double)
CHOICES(String, struct sidl_string__array *)
CHOICES(Int, struct sidl_int__array *)
CHOICES(Long, struct sidl_long__array *)
CHOICES(Float, struct sidl_float__array *)
CHOICES(Double, struct sidl_double__array *)
CHOICES(Fcomplex, struct sidl_fcomplex__array *)
CHOICES(Dcomplex, struct sidl_dcomplex__array *)

#define SLOT(NAME) .f_##NAME = port_##NAME
#define MORE_SLOTS(NAME, CTYPE, ELEMENT, LABEL)                                                    \
    , SLOT(readDefault##LABEL), SLOT(readDefault##LABEL##Array)

static const struct gov_cca_ports_ParameterPort__epv port_epv = {
    SLOT(readConfigurationMap),
    SLOT(writeConfigurationMap),
    SLOT(readConfigurationKeys),
    SLOT(readTitle),
    SLOT(readGroupNames),
    SLOT(readGroupTitle),
    SLOT(readGroupKeys),
    SLOT(readHelp),
    SLOT(readPrompt),
    SLOT(hasBounds),
    SLOT(hasChoices),
    SLOT(readBoundsInt),
    SLOT(readBoundsLong),
    SLOT(readBoundsFloat),
    SLOT(readBoundsDouble),
    SLOT(readChoicesString),
    SLOT(readChoicesInt),
    SLOT(readChoicesLong),
    SLOT(readChoicesFloat),
    SLOT(readChoicesDouble),
    SLOT(readChoicesFcomplex),
    SLOT(readChoicesDcomplex) EACH_TYPE(MORE_SLOTS),
};

static void port_destroy(void *self)
{
    struct parameters *p = self;

    parameters_clear(p);
    sidl_reference_delete(p->data, NULL);
    free(p->port_name);
}

const struct sidl_class parameters_class =
    SIDL_CLASS("portolan.ParameterPort", "0.1", parameters, gov_cca_ports_ParameterPort, port_epv,
               port_destroy);

/* -- Setting a field of a parameter port from text, as assemblies and scripts do. -- */

/* ENOTFOUND with the nearest field. */
static enum portolan_status unknown_field(gov_cca_ports_BasicParameterPort port, const char *field,
                                          struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *keys =
        gov_cca_ports_BasicParameterPort_readConfigurationKeys(port, &ex);
    int32_t n = !ex && keys ? sidl_string__array_length(keys, 0) : 0;
    const char **names = portolan_calloc((size_t)n + 1, sizeof *names), *near;

    SIDL_CLEAR(ex);
    for (int32_t i = 0; names && i < n; i++) /* get1 copies; the array keeps the original */
        names[i] = sidlArrayElem1(keys, sidl_string__array_lower(keys, 0) + i);
    near = names ? portolan_nearest_word(field, names, (size_t)n) : NULL;
    portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no field '%s'%s", field,
                       portolan_did_you_mean(near).text);
    free(names);
    if (keys)
        sidl_string__array_deleteRef(keys);
    return PORTOLAN_ENOTFOUND;
}

static enum portolan_status write_field(gov_cca_ports_BasicParameterPort port, const char *field,
                                        const char *text, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_TypeMap map = gov_cca_ports_BasicParameterPort_readConfigurationMap(port, &ex);
    enum gov_cca_Type__enum type = gov_cca_Type_NoType;
    enum portolan_status status;

    if (!ex && map)
        type = gov_cca_TypeMap_typeOf(map, field, &ex);
    status = portolan_catch(&ex, err);
    if (status == PORTOLAN_OK && type == gov_cca_Type_NoType)
        status = unknown_field(port, field, err);
    else if (status == PORTOLAN_OK) {
        status = portolan_typemap_put_text(map, field, type, text, err);
        if (status != PORTOLAN_OK)
            portolan_error_prefix(err, "field '%s'", field);
    }
    if (status == PORTOLAN_OK) {
        gov_cca_ports_BasicParameterPort_writeConfigurationMap(port, map, &ex);
        status = portolan_catch(&ex, err);
    }
    gov_cca_TypeMap_deleteRef(map, NULL);
    return status;
}

enum portolan_status portolan_parameters_write(gov_cca_Port port, const char *field,
                                               const char *text, struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    gov_cca_ports_BasicParameterPort parameters = gov_cca_ports_BasicParameterPort__cast(port, &ex);
    enum portolan_status status = portolan_catch(&ex, err);

    if (status != PORTOLAN_OK)
        return status;
    if (!parameters)
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE,
                                  "this is no parameter port (gov.cca.ports.BasicParameterPort)");
    status = write_field(parameters, field, text, err);
    gov_cca_ports_BasicParameterPort_deleteRef(parameters, NULL);
    return status;
}
