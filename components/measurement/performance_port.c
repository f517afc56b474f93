/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance.Measurement: the factory, and what it makes that has no file of its own: the group
 * control, Performance.Event and Performance.ContextEvent over the probe's events.
 */
#include "measurement.h"

/* ------------------------------------------------- events */

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

static void event_set_name(void *self, const char *name, sidl_BaseInterface *_ex)
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

static const struct Performance_Event__epv event_epv = {.f_setName = event_set_name,
                                                        .f_trigger = trigger};
static const struct Performance_ContextEvent__epv context_event_epv = {
    .f_trigger = trigger, .f_enable = enable, .f_disable = disable};
static const struct sidl_class event_class =
    MEASUREMENT_CLASS("portolan.Event", event, Performance_Event, event_epv, NULL);
static const struct sidl_class context_event_class = MEASUREMENT_CLASS(
    "portolan.ContextEvent", event, Performance_ContextEvent, context_event_epv, NULL);

static struct event *create_event(const struct sidl_class *class, const char *name,
                                  bool with_context, sidl_BaseInterface *_ex)
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

/* ------------------------------------------------- the factory */

/* The functions that make a timer or a phase: without a name, with a name, a type, and a group. */
#define DEFINE_MAKERS(MAKE, INTERFACE)                                                             \
    static INTERFACE MAKE##_of_group(void *self, const char *name, const char *type,               \
                                     const char *group, sidl_BaseInterface *_ex)                   \
    {                                                                                              \
        (void)self;                                                                                \
        return performance_##MAKE(name, type, group, _ex);                                         \
    }                                                                                              \
    static INTERFACE MAKE##_of_type(void *self, const char *name, const char *type,                \
                                    sidl_BaseInterface *_ex)                                       \
    {                                                                                              \
        return MAKE##_of_group(self, name, type, NULL, _ex);                                       \
    }                                                                                              \
    static INTERFACE MAKE##_of_name(void *self, const char *name, sidl_BaseInterface *_ex)         \
    {                                                                                              \
        return MAKE##_of_group(self, name, NULL, NULL, _ex);                                       \
    }                                                                                              \
    static INTERFACE MAKE(void *self, sidl_BaseInterface *_ex)                                     \
    {                                                                                              \
        return MAKE##_of_group(self, NULL, NULL, NULL, _ex);                                       \
    }

DEFINE_MAKERS(timer, Performance_Timer)
DEFINE_MAKERS(phase, Performance_Phase)

static Performance_Query query(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_query(_ex);
}

static Performance_MemoryTracker memory(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_memory_tracker(_ex);
}

static Performance_MemoryHeadroomTracker headroom(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_headroom_tracker(_ex);
}

static Performance_Event event_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct event *e = create_event(&event_class, name, false, _ex);

    (void)self;
    return e ? sidl_object_facet(e, "Performance.Event") : NULL;
}

static Performance_Event event(void *self, sidl_BaseInterface *_ex)
{
    return event_name(self, NULL, _ex);
}

static Performance_ContextEvent context_event(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct event *e = create_event(&context_event_class, name, true, _ex);

    (void)self;
    return e ? sidl_object_facet(e, "Performance.ContextEvent") : NULL;
}

struct control {
    struct sidl_object object;
};

static const struct sidl_class control_class = MEASUREMENT_CLASS(
    "portolan.GroupControl", control, Performance_Control, performance_control_epv, NULL);

static Performance_Control control(void *self, sidl_BaseInterface *_ex)
{
    struct control *c = sidl_object_create(&control_class, _ex);

    (void)self;
    return c ? sidl_object_facet(c, "Performance.Control") : NULL;
}

const struct Performance_Measurement__epv performance_measurement_epv = {
    .f_createTimer = timer,
    .f_createTimerWithName = timer_of_name,
    .f_createTimerWithNameType = timer_of_type,
    .f_createTimerWithNameTypeGroup = timer_of_group,
    .f_createPhase = phase,
    .f_createPhaseWithName = phase_of_name,
    .f_createPhaseWithNameType = phase_of_type,
    .f_createPhaseWithNameTypeGroup = phase_of_group,
    .f_createQuery = query,
    .f_createMemoryTracker = memory,
    .f_createMemoryHeadroomTracker = headroom,
    .f_createEvent = event,
    .f_createEventWithName = event_name,
    .f_createContextEventWithName = context_event,
    .f_createControl = control,
};
