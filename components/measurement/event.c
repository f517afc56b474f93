/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance.Event and Performance.ContextEvent over the probe's events. */
#include "performance.h"

#include <portolan/probe.h>

#define UNNAMED UINT32_MAX

struct event {
    struct sidl_object object;
    uint32_t event; /* atomic: setName may come from any thread */
};

static void set_event(struct event *e, const char *name, bool with_context, sidl_BaseInterface *_ex)
{
    struct portolan_error err = {0};
    uint32_t event;

    if (portolan_probe_event_register(name, with_context, &event, &err))
        portolan_throw(_ex, err.status, "%s", err.text);
    else
        __atomic_store_n(&e->event, event, __ATOMIC_RELAXED);
}

static void set_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    set_event(self, name, false, _ex);
}

static void trigger(void *self, double data, sidl_BaseInterface *_ex)
{
    uint32_t event = __atomic_load_n(&((struct event *)self)->event, __ATOMIC_RELAXED);

    if (event == UNNAMED)
        portolan_throw(_ex, PORTOLAN_EINVAL,
                       "an event without a name cannot be triggered; call setName first");
    else
        portolan_probe_event_trigger(event, data);
}

static void enable(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    portolan_probe_event_set_context(((struct event *)self)->event, true);
}

static void disable(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    portolan_probe_event_set_context(((struct event *)self)->event, false);
}

static const struct Performance_Event__epv event_epv = {.f_setName = set_name,
                                                        .f_trigger = trigger};
static const struct Performance_ContextEvent__epv context_event_epv = {
    .f_trigger = trigger, .f_enable = enable, .f_disable = disable};
static const struct sidl_implements event_implements[] = {{&Performance_Event__type, &event_epv}};
static const struct sidl_implements context_event_implements[] = {
    {&Performance_ContextEvent__type, &context_event_epv}};
static const struct sidl_class event_class = {.name = "portolan.Event",
                                              .version = "0.1",
                                              .size = sizeof(struct event),
                                              .implements = event_implements,
                                              .n_implements = 1};
static const struct sidl_class context_event_class = {.name = "portolan.ContextEvent",
                                                      .version = "0.1",
                                                      .size = sizeof(struct event),
                                                      .implements = context_event_implements,
                                                      .n_implements = 1};

static struct event *create(const struct sidl_class *class, const char *name, bool with_context,
                            sidl_BaseInterface *_ex)
{
    struct event *e = sidl_object_create(class, _ex);
    sidl_BaseInterface ignored = NULL;

    if (!e)
        return NULL;
    e->event = UNNAMED;
    portolan_control_want_profile();
    if (with_context || (name && *name))
        set_event(e, name, with_context, _ex);
    if (!*_ex)
        return e;
    sidl_BaseInterface_deleteRef((sidl_BaseInterface)e, &ignored);
    return NULL;
}

Performance_Event performance_event(const char *name, sidl_BaseInterface *_ex)
{
    struct event *e = create(&event_class, name, false, _ex);

    return e ? sidl_object_facet(e, "Performance.Event") : NULL;
}

Performance_ContextEvent performance_context_event(const char *name, sidl_BaseInterface *_ex)
{
    struct event *e = create(&context_event_class, name, true, _ex);

    return e ? sidl_object_facet(e, "Performance.ContextEvent") : NULL;
}
