/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "impl/suite_Thing_Impl.h"
#include "suite_Fails.h"
#include "suite_Other.h"
#include "suite_Part.h"

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

void parts_add(struct part *p)
{
    p->next = parts;
    parts = p;
    parts_alive++;
}

void parts_remove(struct part *p)
{
    struct part **at = &parts;

    while (*at && *at != p)
        at = &(*at)->next;
    if (*at)
        *at = p->next;
    parts_alive--;
}

/* -- component classes -- */

#define CREATOR(CLASS)                                                                             \
    static gov_cca_Component CLASS##_new(sidl_BaseInterface *_ex)                                  \
    {                                                                                              \
        CLASS object = CLASS##__create(_ex);                                                       \
        gov_cca_Component component;                                                               \
                                                                                                   \
        if (!object || *_ex)                                                                       \
            return NULL;                                                                           \
        component = gov_cca_Component__cast(object, _ex);                                          \
        drop(object);                                                                              \
        return component;                                                                          \
    }
CREATOR(suite_Part)
CREATOR(suite_Other)
CREATOR(suite_Fails)

const struct conformance_class conformance_classes[] = {
    {"suite.Part", suite_Part_new},
    {"suite.Other", suite_Other_new},
    {"suite.Fails", suite_Fails_new},
};
const size_t conformance_n_classes = sizeof conformance_classes / sizeof *conformance_classes;

/* -- things -- */

static suite_Thing thing(const char *word, struct suite_Thing__data **data, sidl_BaseInterface *_ex)
{
    suite_Thing t = suite_Thing__create(_ex);

    if (!t || *_ex)
        return NULL;
    *data = suite_Thing__get_data(t);
    snprintf((*data)->word, sizeof(*data)->word, "%s", word);
    return t;
}

/* T as a reference of that type, in the place of T. */
#define AS(TYPE, T) as((T), TYPE##__cast((T), _ex))

static void *as(void *given, void *cast)
{
    drop(given);
    return cast;
}

gov_cca_Port go_create(const char *word, int result, sidl_BaseInterface *_ex)
{
    struct suite_Thing__data *data;
    suite_Thing t = thing(word, &data, _ex);

    if (!t)
        return NULL;
    data->result = result;
    return AS(gov_cca_Port, t);
}

gov_cca_ports_ConnectionEventListener listener_create(const char *prefix, sidl_BaseInterface *_ex)
{
    struct suite_Thing__data *data;
    suite_Thing t = thing(prefix, &data, _ex);

    return t ? AS(gov_cca_ports_ConnectionEventListener, t) : NULL;
}

gov_cca_ComponentRelease release_create(const char *word, sidl_BaseInterface *_ex)
{
    struct suite_Thing__data *data;
    suite_Thing t = thing(word, &data, _ex);

    return t ? AS(gov_cca_ComponentRelease, t) : NULL;
}

gov_cca_ports_ServiceProvider provider_create(gov_cca_Services services, sidl_BaseInterface *_ex)
{
    struct suite_Thing__data *data;
    suite_Thing t = thing("", &data, _ex);

    if (!t)
        return NULL;
    gov_cca_Services_addRef(services, _ex);
    data->services = services;
    return AS(gov_cca_ports_ServiceProvider, t);
}

gov_cca_ports_ParameterGetListener get_listener_create(on_get_fn on_get, void *arg,
                                                       sidl_BaseInterface *_ex)
{
    struct suite_Thing__data *data;
    suite_Thing t = thing("", &data, _ex);

    if (!t)
        return NULL;
    data->on_get = on_get;
    data->arg = arg;
    return AS(gov_cca_ports_ParameterGetListener, t);
}

gov_cca_ports_ParameterSetListener set_listener_create(sidl_BaseInterface *_ex)
{
    struct suite_Thing__data *data;
    suite_Thing t = thing("", &data, _ex);

    return t ? AS(gov_cca_ports_ParameterSetListener, t) : NULL;
}
