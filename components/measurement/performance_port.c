/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance.Measurement: the factory. */
#include "performance.h"

struct control {
    struct sidl_object object;
};

static Performance_Timer timer(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_timer(NULL, NULL, NULL, _ex);
}

static Performance_Timer timer_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_timer(name, NULL, NULL, _ex);
}

static Performance_Timer timer_type(void *self, const char *name, const char *type,
                                    sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_timer(name, type, NULL, _ex);
}

static Performance_Timer timer_group(void *self, const char *name, const char *type,
                                     const char *group, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_timer(name, type, group, _ex);
}

static Performance_Phase phase(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_phase(NULL, NULL, NULL, _ex);
}

static Performance_Phase phase_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_phase(name, NULL, NULL, _ex);
}

static Performance_Phase phase_type(void *self, const char *name, const char *type,
                                    sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_phase(name, type, NULL, _ex);
}

static Performance_Phase phase_group(void *self, const char *name, const char *type,
                                     const char *group, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_phase(name, type, group, _ex);
}

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

static Performance_Event event(void *self, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_event(NULL, _ex);
}

static Performance_Event event_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_event(name, _ex);
}

static Performance_ContextEvent context_event(void *self, const char *name, sidl_BaseInterface *_ex)
{
    (void)self;
    return performance_context_event(name, _ex);
}

static const struct sidl_implements control_implements[] = {
    {&Performance_Control__type, &performance_control_epv}};
static const struct sidl_class control_class = {.name = "portolan.GroupControl",
                                                .version = "0.1",
                                                .size = sizeof(struct control),
                                                .implements = control_implements,
                                                .n_implements = 1};

static Performance_Control control(void *self, sidl_BaseInterface *_ex)
{
    struct control *c = sidl_object_create(&control_class, _ex);

    (void)self;
    return c ? sidl_object_facet(c, "Performance.Control") : NULL;
}

const struct Performance_Measurement__epv performance_measurement_epv = {
    .f_createTimer = timer,
    .f_createTimerWithName = timer_name,
    .f_createTimerWithNameType = timer_type,
    .f_createTimerWithNameTypeGroup = timer_group,
    .f_createPhase = phase,
    .f_createPhaseWithName = phase_name,
    .f_createPhaseWithNameType = phase_type,
    .f_createPhaseWithNameTypeGroup = phase_group,
    .f_createQuery = query,
    .f_createMemoryTracker = memory,
    .f_createMemoryHeadroomTracker = headroom,
    .f_createEvent = event,
    .f_createEventWithName = event_name,
    .f_createContextEventWithName = context_event,
    .f_createControl = control,
};
