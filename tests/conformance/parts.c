/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sidl_SIDLException.h"

struct behaviour behaviour;
char journal[2000];
int parts_alive;
bool on_info;
void (*on_event)(const char *prefix);
static struct part *parts;

void journal_add(const char *format, ...)
{
    size_t used = strlen(journal);
    va_list args;

    va_start(args, format);
    vsnprintf(journal + used, sizeof journal - used, format, args);
    va_end(args);
    used = strlen(journal);
    snprintf(journal + used, sizeof journal - used, " ");
}

void parts_reset(void)
{
    behaviour = (struct behaviour){0};
    on_info = false;
    on_event = NULL;
    journal[0] = '\0';
    parts_alive = 0;
    parts = NULL;
}

struct part *part_find(const char *instance)
{
    for (struct part *p = parts; p; p = p->next)
        if (!strcmp(p->name, instance))
            return p;
    return NULL;
}

static void note_destroy(void *self)
{
    (void)self;
    parts_alive--;
}

static void *create(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    void *object = sidl_object_create(cls, _ex);

    parts_alive += object != NULL;
    return object;
}

/* -- components -- */

struct component {
    struct sidl_object object;
    struct part part;
};

static void component_begin(struct part *p, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    gov_cca_ComponentID id = gov_cca_Services_getComponentID(services, _ex);
    char *name;

    if (*_ex)
        return;
    name = gov_cca_ComponentID_getInstanceName(id, _ex);
    gov_cca_ComponentID_deleteRef(id, NULL);
    if (*_ex)
        return;
    snprintf(p->name, sizeof p->name, "%s", name);
    sidl_String_free(name);
    gov_cca_Services_addRef(services, NULL);
    p->services = services;
    journal_add("%s:set", p->name);
    if (!behaviour.not_for_release)
        gov_cca_Services_registerForRelease(services, part_release_face(p), _ex);
    if (!*_ex && behaviour.begin)
        behaviour.begin(p, services, behaviour.arg, _ex);
}

static void component_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct part *p = &((struct component *)self)->part;

    p->n_set++;
    if (services)
        component_begin(p, services, _ex);
    else
        p->null_set = true;
}

static void component_releaseServices(void *self, gov_cca_Services services,
                                      sidl_BaseInterface *_ex)
{
    struct part *p = &((struct component *)self)->part;

    p->n_released++;
    p->null_released |= !services;
    p->other_released |= !sidl_reference_is_same(services, p->services, NULL);
    journal_add("%s:release", p->name);
    if (behaviour.end)
        behaviour.end(p, services, behaviour.arg, _ex);
    gov_cca_Services_deleteRef(p->services, NULL);
    p->services = NULL;
}

static void component_destroy(void *self)
{
    struct part *p = &((struct component *)self)->part, **at = &parts;

    journal_add("%s:destroy", p->name);
    gov_cca_Services_deleteRef(p->services, NULL);
    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
    note_destroy(self);
}

static void fails_setServices(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    component_setServices(self, services, _ex);
    SIDL_CHECK(*_ex);
    SIDL_THROW(*_ex, sidl_SIDLException, "this component never starts");
EXIT:;
}

static const struct gov_cca_Component__epv component_epv = {.f_setServices = component_setServices};
static const struct gov_cca_Component__epv fails_epv = {.f_setServices = fails_setServices};
static const struct gov_cca_ComponentRelease__epv component_release_epv = {
    .f_releaseServices = component_releaseServices};

gov_cca_ComponentRelease part_release_face(struct part *p)
{
    return sidl_object_facet(p->object, "gov.cca.ComponentRelease");
}

static gov_cca_Component component_create(const struct sidl_class *cls, sidl_BaseInterface *_ex)
{
    struct component *c = create(cls, _ex);

    if (!c)
        return NULL;
    c->part.object = c;
    c->part.class_name = cls->name;
    c->part.next = parts;
    parts = &c->part;
    return sidl_object_facet(c, "gov.cca.Component");
}

#define COMPONENT_CLASS(SYMBOL, NAME, EPV)                                                         \
    static const struct sidl_implements SYMBOL##_implements[] = {                                  \
        {&gov_cca_Component__type, &(EPV)},                                                        \
        {&gov_cca_ComponentRelease__type, &component_release_epv}};                                \
    static const struct sidl_class SYMBOL##_class = {.name = NAME,                                 \
                                                     .version = "1.0",                             \
                                                     .size = sizeof(struct component),             \
                                                     .implements = SYMBOL##_implements,            \
                                                     .n_implements = 2,                            \
                                                     .destroy = component_destroy};                \
    static gov_cca_Component SYMBOL##_create(sidl_BaseInterface *_ex)                              \
    {                                                                                              \
        return component_create(&SYMBOL##_class, _ex);                                             \
    }

COMPONENT_CLASS(part, "conformance.Part", component_epv)
COMPONENT_CLASS(other, "conformance.Other", component_epv)
COMPONENT_CLASS(fails, "conformance.Fails", fails_epv)

const struct conformance_class conformance_classes[] = {
    {"conformance.Part", part_create},
    {"conformance.Other", other_create},
    {"conformance.Fails", fails_create},
};
const size_t conformance_n_classes = sizeof conformance_classes / sizeof *conformance_classes;

/* -- other objects: one implementation, one class for each interface -- */

struct thing {
    struct sidl_object object;
    char word[40];
    int result, n_made;
    gov_cca_Services services; /* a provider's; ours */
    on_get_fn on_get;
    void *arg;
};

#define THING_CLASS(SYMBOL, TYPE, EPV)                                                             \
    static const struct sidl_implements SYMBOL##_implements[] = {{&TYPE##__type, &(EPV)}};         \
    static const struct sidl_class SYMBOL##_class = {.name = "conformance." #SYMBOL,               \
                                                     .version = "1.0",                             \
                                                     .size = sizeof(struct thing),                 \
                                                     .implements = SYMBOL##_implements,            \
                                                     .n_implements = 1,                            \
                                                     .destroy = thing_destroy};

static int32_t go_go(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    journal_add("%s", ((struct thing *)self)->word);
    return ((struct thing *)self)->result;
}

static void thing_destroy(void *self)
{
    gov_cca_Services_deleteRef(((struct thing *)self)->services, NULL);
    note_destroy(self);
}

static const struct gov_cca_ports_GoPort__epv go_epv = {.f_go = go_go};
THING_CLASS(go, gov_cca_ports_GoPort, go_epv)

gov_cca_Port go_create(const char *word, int result, sidl_BaseInterface *_ex)
{
    struct thing *t = create(&go_class, _ex);

    if (!t)
        return NULL;
    snprintf(t->word, sizeof t->word, "%s", word);
    t->result = result;
    return sidl_object_facet(t, "gov.cca.Port");
}

static const struct gov_cca_Port__epv plain_epv = {0};
THING_CLASS(plain, gov_cca_Port, plain_epv)

gov_cca_Port plain_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(create(&plain_class, _ex), "gov.cca.Port");
}

static const char *event_word(enum gov_cca_ports_EventType__enum type)
{
    static const char *const words[] = {"ALL", "ConnectPending", "Connected", "DisconnectPending",
                                        "Disconnected"};

    return type >= 0 && (size_t)type < sizeof words / sizeof *words ? words[type] : "Error";
}

static void listener_activity(void *self, gov_cca_ports_ConnectionEvent ce, sidl_BaseInterface *_ex)
{
    enum gov_cca_ports_EventType__enum type = gov_cca_ports_ConnectionEvent_getEventType(ce, _ex);
    const char *word = ((struct thing *)self)->word;
    gov_cca_TypeMap info;
    char *port;

    if (*_ex || !(info = gov_cca_ports_ConnectionEvent_getPortInfo(ce, _ex)))
        return;
    port = gov_cca_TypeMap_getString(info, "cca.portName", "?", _ex);
    journal_add("%s:%s:%s", word, event_word(type), port ? port : "-");
    sidl_String_free(port);
    if (on_info) {
        port = gov_cca_TypeMap_getString(info, "cca.portType", "?", _ex);
        journal_add("%s:%s", word, port ? port : "-");
        sidl_String_free(port);
    }
    gov_cca_TypeMap_deleteRef(info, NULL);
    if (on_event)
        on_event(word);
}

static const struct gov_cca_ports_ConnectionEventListener__epv listener_epv = {
    .f_connectionActivity = listener_activity};
THING_CLASS(listener, gov_cca_ports_ConnectionEventListener, listener_epv)

gov_cca_ports_ConnectionEventListener listener_create(const char *prefix, sidl_BaseInterface *_ex)
{
    struct thing *t = create(&listener_class, _ex);

    if (!t)
        return NULL;
    snprintf(t->word, sizeof t->word, "%s", prefix);
    return sidl_object_facet(t, "gov.cca.ports.ConnectionEventListener");
}

static void release_release(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    (void)_ex;
    journal_add("%s:release%s", ((struct thing *)self)->word, services ? "" : "(null)");
}

static const struct gov_cca_ComponentRelease__epv release_epv = {.f_releaseServices =
                                                                     release_release};
THING_CLASS(release, gov_cca_ComponentRelease, release_epv)

gov_cca_ComponentRelease release_create(const char *word, sidl_BaseInterface *_ex)
{
    struct thing *t = create(&release_class, _ex);

    if (!t)
        return NULL;
    snprintf(t->word, sizeof t->word, "%s", word);
    return sidl_object_facet(t, "gov.cca.ComponentRelease");
}

static char *provider_createService(void *self, const char *type, sidl_BaseInterface *_ex)
{
    struct thing *t = self;
    char name[40];
    gov_cca_Port port;

    snprintf(name, sizeof name, "service%d", ++t->n_made);
    journal_add("create:%s", name);
    port = go_create(name, 0, _ex);
    if (!*_ex)
        gov_cca_Services_addProvidesPort(t->services, port, name, type, NULL, _ex);
    gov_cca_Port_deleteRef(port, NULL);
    return *_ex ? NULL : sidl_String_strdup(name);
}

static void provider_destroyService(void *self, const char *name, sidl_BaseInterface *_ex)
{
    journal_add("destroy:%s", name);
    gov_cca_Services_removeProvidesPort(((struct thing *)self)->services, name, _ex);
}

static const struct gov_cca_ports_ServiceProvider__epv provider_epv = {
    .f_createService = provider_createService, .f_destroyService = provider_destroyService};
THING_CLASS(provider, gov_cca_ports_ServiceProvider, provider_epv)

gov_cca_ports_ServiceProvider provider_create(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct thing *t = create(&provider_class, _ex);

    if (!t)
        return NULL;
    gov_cca_Services_addRef(services, NULL);
    t->services = services;
    return sidl_object_facet(t, "gov.cca.ports.ServiceProvider");
}

static sidl_bool get_update(void *self, const char *port, sidl_BaseInterface *_ex)
{
    struct thing *t = self;

    (void)_ex;
    journal_add("get:%s", port);
    return t->on_get && t->on_get(port, t->arg);
}

static const struct gov_cca_ports_ParameterGetListener__epv get_epv = {.f_updateParameterPort =
                                                                           get_update};
THING_CLASS(getter, gov_cca_ports_ParameterGetListener, get_epv)

gov_cca_ports_ParameterGetListener get_listener_create(on_get_fn on_get, void *arg,
                                                       sidl_BaseInterface *_ex)
{
    struct thing *t = create(&getter_class, _ex);

    if (!t)
        return NULL;
    t->on_get = on_get;
    t->arg = arg;
    return sidl_object_facet(t, "gov.cca.ports.ParameterGetListener");
}

static void set_updated(void *self, const char *port, const char *field, sidl_BaseInterface *_ex)
{
    (void)self, (void)_ex;
    journal_add("set:%s.%s", port, field);
    if (on_event)
        on_event("set");
}

static const struct gov_cca_ports_ParameterSetListener__epv set_epv = {.f_updatedParameterValue =
                                                                           set_updated};
THING_CLASS(setter, gov_cca_ports_ParameterSetListener, set_epv)

gov_cca_ports_ParameterSetListener set_listener_create(sidl_BaseInterface *_ex)
{
    return sidl_object_facet(create(&setter_class, _ex), "gov.cca.ports.ParameterSetListener");
}
