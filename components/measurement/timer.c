/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance.Timer and Performance.Phase over the probe's timers. */
#include "measurement.h"

#include <portolan/record.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_GROUP "TAU_USER"

enum { NAME, TYPE, N_TEXTS };

/* Any thread may use it; the lock is for what the setters change. */
struct timer {
    struct sidl_object object;
    pthread_mutex_t lock;
    enum portolan_probe_kind kind;
    char *texts[N_TEXTS];
    const struct portolan_control_group *group;
    uint32_t handle; /* of the last start; 0: never started */
    uint32_t region; /* of the same, in traces */
    bool is_changed; /* since then */
};

/* ------------------------------------------------- names */

static void set_text(struct timer *t, int which, const char *text, sidl_BaseInterface *_ex)
{
    char *copy = portolan_strdup(text ? text : "");

    if (!copy) {
        sidl_exception_throw_no_memory(_ex);
        return;
    }
    pthread_mutex_lock(&t->lock);
    free(t->texts[which]);
    t->texts[which] = copy;
    t->is_changed = true;
    pthread_mutex_unlock(&t->lock);
}

static char *copy_of(const char *text, sidl_BaseInterface *_ex)
{
    char *copy = sidl_String_strdup(text);

    if (!copy)
        sidl_exception_throw_no_memory(_ex);
    return copy;
}

static char *get_text(struct timer *t, int which, sidl_BaseInterface *_ex)
{
    char *copy;

    pthread_mutex_lock(&t->lock);
    copy = copy_of(t->texts[which], _ex);
    pthread_mutex_unlock(&t->lock);
    return copy;
}

static void set_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    set_text(self, NAME, name, _ex);
}

static void set_type(void *self, const char *type, sidl_BaseInterface *_ex)
{
    set_text(self, TYPE, type, _ex);
}

static char *get_name(void *self, sidl_BaseInterface *_ex)
{
    return get_text(self, NAME, _ex);
}

static char *get_type(void *self, sidl_BaseInterface *_ex)
{
    return get_text(self, TYPE, _ex);
}

static void set_group_name(void *self, const char *name, sidl_BaseInterface *_ex)
{
    struct timer *t = self;
    const struct portolan_control_group *group =
        portolan_control_group_get(name && *name ? name : DEFAULT_GROUP, true);

    if (!group) {
        sidl_exception_throw_no_memory(_ex);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->group = group;
    t->is_changed = true;
    pthread_mutex_unlock(&t->lock);
}

/* The group now, and what the timer was started as last, in *HANDLE (may be NULL). */
static const struct portolan_control_group *peek_state(struct timer *t, uint32_t *handle)
{
    const struct portolan_control_group *group;

    pthread_mutex_lock(&t->lock);
    group = t->group;
    if (handle)
        *handle = t->handle;
    pthread_mutex_unlock(&t->lock);
    return group;
}

static char *get_group_name(void *self, sidl_BaseInterface *_ex)
{
    return copy_of(peek_state(self, NULL)->name, _ex);
}

static void set_group_id(void *self, int64_t number, sidl_BaseInterface *_ex)
{
    const struct portolan_control_group *group = portolan_control_group_peek(number);

    if (group)
        set_group_name(self, group->name, _ex);
    else
        portolan_throw(_ex, PORTOLAN_ENOTFOUND, "there is no group number %lld; ask getGroupId",
                       (long long)number);
}

static int64_t get_group_id(void *self, sidl_BaseInterface *_ex)
{
    (void)_ex;
    return peek_state(self, NULL)->number;
}

/* ------------------------------------------------- time */

/* Registers "NAME TYPE", under the lock. */
static enum portolan_status renew_handle(struct timer *t, struct portolan_error *err)
{
    struct portolan_probe_connection connection = {.port_type = t->group->name};
    struct portolan_probe_method method = {.kind = t->kind};
    enum portolan_status status;
    char *name;

    if (!*t->texts[NAME])
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "a timer without a name cannot be started; call setName first");
    name = portolan_asprintf("%s%s%s", t->texts[NAME], *t->texts[TYPE] ? " " : "", t->texts[TYPE]);
    if (!name)
        return portolan_no_memory(err);
    method.name = name;
    status = portolan_probe_methods_register(&connection, &method, 1, &t->handle, err);
    t->region = portolan_record_region(&(struct portolan_trace_region){
        .kind = t->kind == PORTOLAN_PROBE_PHASE ? PORTOLAN_TRACE_PHASE : PORTOLAN_TRACE_TIMER,
        .name = name});
    free(name);
    t->is_changed = status != PORTOLAN_OK;
    return status;
}

static void start(void *self, sidl_BaseInterface *_ex)
{
    struct timer *t = self;
    struct portolan_error err = {0};
    const struct portolan_control_group *group;
    enum portolan_status status;
    uint32_t handle, region;

    pthread_mutex_lock(&t->lock);
    status = t->is_changed ? renew_handle(t, &err) : PORTOLAN_OK;
    handle = t->handle;
    region = t->region;
    group = t->group;
    pthread_mutex_unlock(&t->lock);
    if (status) {
        portolan_throw(_ex, status, "%s", err.text);
        return;
    }
    if (portolan_probe_port_flags(&group->port) & PORTOLAN_PROBE_MONITORED)
        status = portolan_probe_timer_start(handle);
    else
        status = portolan_probe_timer_start_unmeasured(handle);
    if (status)
        portolan_throw(_ex, status, "no memory to start a timer");
    else
        portolan_record_enter(region);
}

/* Throws an exception that names the timer. */
static void refuse(struct timer *t, enum portolan_status status, const char *why,
                   sidl_BaseInterface *_ex)
{
    char *name = get_name(t, _ex);

    if (name)
        portolan_throw(_ex, status, "timer '%s' %s", name, why);
    sidl_String_free(name);
}

static void stop(void *self, sidl_BaseInterface *_ex)
{
    uint32_t handle;

    peek_state(self, &handle);
    if (!handle || portolan_probe_timer_stop(handle))
        refuse(self, PORTOLAN_EINVAL, "cannot be stopped: this thread did not start it last", _ex);
    else
        portolan_record_leave(((struct timer *)self)->region);
}

static void set_parameter(void *self, int64_t value, const char *name, sidl_BaseInterface *_ex)
{
    enum portolan_status status;
    uint32_t handle;

    peek_state(self, &handle);
    status = handle ? portolan_probe_timer_set_parameter(handle, name, value) : PORTOLAN_EINVAL;
    if (status == PORTOLAN_ENOMEM)
        sidl_exception_throw_no_memory(_ex);
    else if (status)
        refuse(self, status,
               "cannot take the parameter: it needs a name, this thread must have started the "
               "timer last, and four parameters are the limit",
               _ex);
}

/* ------------------------------------------------- classes */

static void destroy(void *self)
{
    struct timer *t = self;

    pthread_mutex_destroy(&t->lock);
    for (int i = 0; i < N_TEXTS; ++i)
        free(t->texts[i]);
}

#define SLOTS                                                                                      \
    {                                                                                              \
        .f_start = start, .f_stop = stop, .f_setParam1L = set_parameter, .f_setName = set_name,    \
        .f_getName = get_name, .f_setType = set_type, .f_getType = get_type,                       \
        .f_setGroupName = set_group_name, .f_getGroupName = get_group_name,                        \
        .f_setGroupId = set_group_id, .f_getGroupId = get_group_id                                 \
    }

static const struct Performance_Timer__epv timer_epv = SLOTS;
static const struct Performance_Phase__epv phase_epv = SLOTS;
static const struct sidl_class timer_class =
    MEASUREMENT_CLASS("portolan.Timer", timer, Performance_Timer, timer_epv, destroy);
static const struct sidl_class phase_class =
    MEASUREMENT_CLASS("portolan.Phase", timer, Performance_Phase, phase_epv, destroy);

static struct timer *create(const struct sidl_class *class, enum portolan_probe_kind kind,
                            const char *name, const char *type, const char *group,
                            sidl_BaseInterface *_ex)
{
    struct timer *t = sidl_object_create(class, _ex);
    sidl_BaseInterface ignored = NULL;

    if (!t)
        return NULL;
    t->kind = kind;
    pthread_mutex_init(&t->lock, NULL);
    set_text(t, NAME, name, _ex);
    SIDL_CHECK(*_ex);
    set_text(t, TYPE, type, _ex);
    SIDL_CHECK(*_ex);
    set_group_name(t, group, _ex);
    SIDL_CHECK(*_ex);
    return t;
EXIT:
    sidl_BaseInterface_deleteRef((sidl_BaseInterface)t, &ignored);
    return NULL;
}

Performance_Timer performance_timer(const char *name, const char *type, const char *group,
                                    sidl_BaseInterface *_ex)
{
    struct timer *t = create(&timer_class, PORTOLAN_PROBE_TIMER, name, type, group, _ex);

    return t ? sidl_object_facet(t, "Performance.Timer") : NULL;
}

Performance_Phase performance_phase(const char *name, const char *type, const char *group,
                                    sidl_BaseInterface *_ex)
{
    struct timer *t = create(&phase_class, PORTOLAN_PROBE_PHASE, name, type, group, _ex);

    return t ? sidl_object_facet(t, "Performance.Phase") : NULL;
}
