/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the implementation of an instance while it runs. There are three phases; the ranks agree
 * at the end of each of the first two, and until the third everything can be put back:
 *
 * 1. start: a new component with setServices called; its ports are compared with what is needed.
 * 2. move: its uses ports are connected, users are suspended, state goes over, and every user is
 *    pointed at it. Where state matters, users wait until all ranks agree; else they go on at once,
 *    and it only waits for the end of their calls in the old component.
 * 3. finish: the connections' ends are changed for good, the old component is released.
 */
#include <stdlib.h>
#include <string.h>

#include <utlist.h>

#include "internal.h"

/* One dormant connection that the new class has made real. */
struct awakened {
    struct awakened *next;
    struct dormant *dormant; /* out of the framework's list */
    struct connection *connection;
    struct instance *proxy; /* made for it, or NULL */
};

struct replacement {
    struct portolan_framework *fw;
    struct instance *instance;
    struct services *old, *new;
    bool may_lose;              /* state, if it cannot go over */
    bool moved;                 /* phase 2 has started */
    bool published;             /* users have been let into the new component */
    struct connection *stopped; /* the first connection that was not moved; NULL = all were */
    struct awakened *awakened;
    struct dormant *sleeping; /* will become dormant once the old class is gone */
};

static bool is_own(const struct replacement *r, const struct connection *c)
{
    return c->uses->services == r->old;
}

static bool is_users(const struct replacement *r, const struct connection *c)
{
    return quiet_is_user(c, r->old);
}

/* The new component's provides port for C; NULL: it lacks the port, or has withdrawn it. */
static struct port *successor_provides(const struct replacement *r, const struct connection *c)
{
    struct port *p = services_find(r->new, c->provides->name);

    return p && p->provided ? p : NULL;
}

/* The new class must provide all ports that are connected. */
static enum portolan_status check_users(const struct replacement *r, struct portolan_error *err)
{
    enum portolan_status status;
    struct connection *c;
    struct port *provides;

    DL_FOREACH(r->fw->connections, c)
    {
        if (c->provides->services != r->old)
            continue;
        if (!(provides = successor_provides(r, c)))
            return services_no_port(r->new, c->provides->name, true, err);
        if ((status = connect_check_types(c->uses, provides, err)) != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}

/* The assembly's properties for that class as an alternative; an empty map when it has none. */
static gov_cca_TypeMap written_properties(const struct replacement *r, const char *class_name,
                                          struct portolan_error *err)
{
    const struct portolan_assembly *a = r->fw->assembly;
    const struct portolan_assembly_instance *i =
        a ? portolan_assembly_peek_instance(a, r->instance->name) : NULL;

    for (size_t k = 0; i && k < i->n_alternatives; k++)
        if (!strcmp(i->alternatives[k].class_name, class_name))
            return build_properties(&i->alternatives[k], err);
    return typemap_copy(NULL, err);
}

/* Returns whether the caller allows to lose state; properties that say only this are none. */
static bool allows_loss(gov_cca_TypeMap *properties)
{
    static const char *const key = "portolan.loseState";
    sidl_BaseInterface ex = NULL;
    struct sidl_string__array *keys;
    bool allows;

    if (!*properties || !gov_cca_TypeMap_hasKey(*properties, key, &ex))
        return false;
    allows = gov_cca_TypeMap_getBool(*properties, key, FALSE, &ex);
    keys = ex ? NULL : gov_cca_TypeMap_getAllKeys(*properties, gov_cca_Type_NoType, &ex);
    if (keys && sidl_string__array_length(keys, 0) == 1)
        *properties = NULL;
    sidl_string__array_deleteRef(keys);
    allows = allows && !ex;
    SIDL_CLEAR(ex);
    return allows;
}

static enum portolan_status start_new(struct replacement *r, const char *instance,
                                      const char *class_name, gov_cca_TypeMap properties,
                                      struct portolan_error *err)
{
    gov_cca_TypeMap written = NULL;
    enum portolan_status status;

    if (!(r->instance = instance_find(r->fw, instance)))
        return portolan_error_set(err, PORTOLAN_ENOTFOUND, "there is no instance '%s'", instance);
    r->old = r->instance->services;
    if ((status = events_check_quiet(r->fw, err)) != PORTOLAN_OK)
        return status;
    if (r->instance->is_starting || r->instance->is_ending)
        return portolan_error_set(err, PORTOLAN_EINVAL, "instance '%s' is being %s", instance,
                                  r->instance->is_ending ? "destroyed" : "created");
    if (r->old->image_class)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "instance '%s' is a program's own image and cannot be replaced",
                                  instance);
    if (!properties && !(properties = written = written_properties(r, class_name, err)))
        return PORTOLAN_ENOMEM;
    status = instance_start(r->instance, class_name, properties, &r->new, err);
    sidl_reference_delete(written, NULL);
    return status == PORTOLAN_OK ? check_users(r, err) : status;
}

/* The new component's uses port for an old connection; NULL: missing, or connected otherwise. */
static struct port *successor_port(const struct replacement *r, const struct connection *c)
{
    struct port *uses = services_find_uses(r->new, c->uses->name);

    return uses && !uses->connection && !uses->service ? uses : NULL;
}

/*
 * Connects the new component's uses port like the old one's. Without such a port the connection
 * becomes dormant. Ports made by a service are skipped: the new component has asked for its own.
 */
static enum portolan_status connect_own(struct replacement *r, const struct connection *c,
                                        struct portolan_error *err)
{
    struct port *uses = successor_port(r, c), *provides = c->provides;
    struct dormant wanted = {.user = r->instance,
                             .provider = provides->services->instance,
                             .uses = c->uses->name,
                             .provides = provides->name};
    enum portolan_status status;
    struct dormant *d;

    if (c->served || (!uses && services_find_uses(r->new, c->uses->name)))
        return PORTOLAN_OK;
    if (provides->services == r->old && !(provides = successor_provides(r, c)))
        return services_no_port(r->new, c->provides->name, true, err);
    if (uses) {
        status = connect_check_types(uses, provides, err);
        return status == PORTOLAN_OK ? connect_rebind(uses, provides, err) : status;
    }
    if (!(d = link_create_dormant(&wanted, err)))
        return PORTOLAN_ENOMEM;
    LL_PREPEND(r->sleeping, d);
    return PORTOLAN_OK;
}

static enum portolan_status awaken_connection(struct replacement *r, struct dormant *d,
                                              struct portolan_error *err)
{
    struct awakened *a = portolan_calloc(1, sizeof *a);
    enum portolan_status status;

    if (!a)
        return portolan_no_memory(err);
    status = link_make(d, &a->connection, &a->proxy, err);
    if (status != PORTOLAN_OK) {
        free(a);
        return status;
    }
    LL_DELETE(r->fw->dormants, d);
    a->dormant = d;
    LL_PREPEND(r->awakened, a);
    return PORTOLAN_OK;
}

/* Connects the new component's ports. From here on the instance's Services are the new ones. */
static enum portolan_status connect_new(struct replacement *r, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    struct dormant *d, *next;
    struct connection *c;
    struct port *p;

    r->instance->services = r->new;
    DL_FOREACH(r->fw->connections, c)
    if (status == PORTOLAN_OK && is_own(r, c))
        status = connect_own(r, c, err);
    LL_FOREACH_SAFE(r->fw->dormants, d, next)
    if (status == PORTOLAN_OK && d->user == r->instance && (p = services_find(r->new, d->uses)) &&
        !p->provided)
        status = awaken_connection(r, d, err);
    return status;
}

/* Lets users release ports that they hold; all hear of the disconnection. */
static enum portolan_status quiet_users(struct replacement *r, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status = PORTOLAN_OK;
    struct connection *c;

    DL_FOREACH(r->fw->connections, c)
    {
        if (is_own(r, c))
            events_notify(c->uses, c->provides, gov_cca_ports_EventType_DisconnectPending);
        else if (is_users(r, c) && connect_quiet(c, 0, &cause) != PORTOLAN_OK)
            status = cause.status; /* go on, so that every rank notifies the same listeners */
    }
    if (status == PORTOLAN_OK)
        return status;
    return portolan_error_set(err, status,
                              "instance '%s' cannot be replaced: %s and cannot be told of a new "
                              "provider (no proxy is between them)",
                              r->instance->name, cause.text);
}

static void unquiet_users(struct replacement *r)
{
    struct connection *c;

    DL_FOREACH(r->fw->connections, c)
    if (is_users(r, c))
        connect_unquiet(c);
}

static enum portolan_status wait_for_users(struct replacement *r, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status = quiet_drain(r->old, r->fw->swap_wait_s, &cause);

    return status == PORTOLAN_OK
               ? status
               : portolan_error_set(err, status, "instance '%s' cannot be replaced: %s",
                                    r->instance->name, cause.text);
}

static enum portolan_status publish(struct replacement *r, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;

    r->stopped = r->fw->connections;
    while (status == PORTOLAN_OK && r->stopped) {
        struct connection *c = r->stopped;
        struct port *provides = successor_provides(r, c);

        if (is_users(r, c))
            status = provides ? connect_rebind(c->uses, provides, err)
                              : services_no_port(r->new, c->provides->name, true, err);
        if (status == PORTOLAN_OK)
            r->stopped = c->next;
    }
    return status;
}

/* Moves users while the state goes over; no user calls meanwhile. */
static enum portolan_status move_with_state(struct replacement *r, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    struct state_path path;
    enum portolan_status status = quiet_suspend(r->old, true, &cause);

    if (status != PORTOLAN_OK)
        return portolan_error_set(err, status, "instance '%s' cannot be replaced: %s",
                                  r->instance->name, cause.text);
    if ((status = wait_for_users(r, err)) != PORTOLAN_OK)
        return status;
    if ((status = state_find_path(r->old, r->new, r->may_lose, &path, &cause)) != PORTOLAN_OK)
        return portolan_error_set(err, status, "instance '%s' cannot be replaced by %s: %s",
                                  r->instance->name, services_class_name(r->new), cause.text);
    status = state_move(&path, err);
    return status == PORTOLAN_OK ? publish(r, err) : status;
}

/*
 * Users wait only while all of them are pointed at the new component, and for a moment after: where
 * there are more threads than processors, one that stands inside the old component gets its turn
 * when the others wait. Later they need not wait for each other.
 */
static enum portolan_status move_without_state(struct replacement *r, struct portolan_error *err)
{
    static const double moment_s = 1e-3;
    enum portolan_status status = quiet_suspend(r->old, false, err);
    bool is_quiet = false;

    if (status == PORTOLAN_OK) {
        r->published = true;
        status = publish(r, err);
    }
    if (status == PORTOLAN_OK)
        is_quiet = quiet_drain(r->old, moment_s, NULL) == PORTOLAN_OK;
    quiet_resume(r->old);
    return status == PORTOLAN_OK && !is_quiet ? wait_for_users(r, err) : status;
}

static enum portolan_status move_users(struct replacement *r, struct portolan_error *err)
{
    enum portolan_status status;

    r->stopped = r->fw->connections;
    if ((status = quiet_users(r, err)) != PORTOLAN_OK)
        return status;
    status = connect_new(r, err);
    r->stopped = r->fw->connections;
    if (status != PORTOLAN_OK)
        return status;
    return state_matters(r->old, r->new) ? move_with_state(r, err) : move_without_state(r, err);
}

static void rebind_to_old(struct replacement *r)
{
    struct portolan_error err = {0};
    struct connection *c;

    for (c = r->fw->connections; c && c != r->stopped; c = c->next)
        if (is_users(r, c) && connect_rebind(c->uses, c->provides, &err) != PORTOLAN_OK) {
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "while instance '%s' was put back: %s",
                         r->instance->name, err.text);
            err = (struct portolan_error){0};
        }
}

static void put_back_users(struct replacement *r)
{
    struct portolan_error err = {0};

    if (r->published && quiet_suspend(r->old, false, &err) != PORTOLAN_OK)
        portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s", err.text);
    rebind_to_old(r);
    quiet_resume(r->old);
}

static void put_back_awakened(struct replacement *r)
{
    struct portolan_error err = {0};
    struct awakened *a, *next;

    LL_FOREACH_SAFE(r->awakened, a, next)
    {
        connect_drop(a->connection);
        if (a->proxy)
            instance_destroy(a->proxy, 0, &err);
        LL_PREPEND(r->fw->dormants, a->dormant);
        free(a);
    }
    r->awakened = NULL;
}

/* Notifies a Rebindable component, before it is destroyed, that its uses ports are disconnected. */
static void unbind_all(struct services *s)
{
    struct portolan_error err = {0};
    struct port *p;

    DL_FOREACH(s->ports, p)
    {
        if (!s->rebindable || p->provided || !p->target || p->service)
            continue;
        if (connect_rebind(p, NULL, &err) != PORTOLAN_OK) {
            portolan_log(PORTOLAN_LOG_WARNING, "framework", "%s", err.text);
            err = (struct portolan_error){0};
        }
    }
}

static void release(struct services *s)
{
    unbind_all(s);
    services_notify_release(s);
    services_retire(s);
}

/* Checks that no call can still be in a former provider of the instance. */
static enum portolan_status check_inside(const struct instance *instance)
{
    return quiet_drain(instance->services, 0, NULL);
}

/* The calls inside may still use the ports that S was connected to. */
static void keep_targets(struct services *s)
{
    struct port *p;

    DL_FOREACH(s->ports, p)
    if (p->target && !p->service && !p->connection && !p->provided)
        sidl_reference_add(p->made = p->target, NULL);
}

/*
 * Calls that were let in may take their time: the component stays as it is until they have ended.
 * All ranks release it at the same moment, as releaseServices may communicate.
 */
static void release_new(struct replacement *r)
{
    enum portolan_status inside = r->published ? check_inside(r->instance) : PORTOLAN_OK;

    if (r->moved)
        r->new->in_doubt = portolan_cohort_agree(r->fw->cohort, inside, NULL) != PORTOLAN_OK;
    if (!r->new->in_doubt) {
        release(r->new);
        return;
    }
    keep_targets(r->new);
    portolan_log(PORTOLAN_LOG_NOTICE, "framework",
                 "instance '%s': %s is released when the calls inside it have ended",
                 r->instance->name, services_class_name(r->new));
}

static void put_back_all(struct replacement *r)
{
    struct dormant *d, *next;

    if (r->new && r->moved) {
        put_back_users(r);
        put_back_awakened(r);
        LL_FOREACH_SAFE(r->sleeping, d, next)
        link_free_dormant(d);
        unquiet_users(r);
    }
    r->instance->services = r->old;
    release_new(r);
}

/* Collective: releases components whose calls have ended. The ranks have the same in doubt. */
static void release_quiet(struct portolan_framework *fw)
{
    struct services *s, *next;

    DL_FOREACH_SAFE(fw->all_services, s, next)
    if (s->in_doubt &&
        portolan_cohort_agree(fw->cohort, check_inside(s->instance), NULL) == PORTOLAN_OK)
        release(s);
}

void replace_forget_doubts(struct portolan_framework *fw, const struct instance *instance)
{
    struct services *s, *next;

    DL_FOREACH_SAFE(fw->all_services, s, next)
    if (s->in_doubt && (!instance || s->instance == instance))
        release(s);
}

/* Notifies listeners that a connection from USES to PROVIDES ended, and that C (if any) began. */
static void notify_moved(const struct connection *c, const struct port *uses,
                         const struct port *provides)
{
    events_notify(uses, provides, gov_cca_ports_EventType_Disconnected);
    if (!c)
        return;
    events_notify(c->uses, c->provides, gov_cca_ports_EventType_ConnectPending);
    events_notify(c->uses, c->provides, gov_cca_ports_EventType_Connected);
}

/* The new component has withdrawn the port since users were pointed at it. */
static void lose(struct replacement *r, struct connection *c)
{
    portolan_log(PORTOLAN_LOG_WARNING, "framework",
                 "instance '%s': %s has withdrawn port '%s' while it took its place; '%s.%s' is "
                 "disconnected",
                 r->instance->name, services_class_name(r->new), c->provides->name,
                 c->uses->services->instance->name, c->uses->name);
    connect_drop(c);
}

/* Changes the ends of C for good; undoes the connection if the new class lacks the uses port. */
static void hand_over(struct replacement *r, struct connection *c)
{
    struct port *uses = c->uses, *provides = c->provides;

    c->is_quiet = false;
    if (provides->services == r->old && !successor_provides(r, c)) {
        lose(r, c);
        return;
    }
    if (provides->services == r->old)
        c->provides = successor_provides(r, c);
    if (uses->services == r->old) {
        uses->connection = NULL;
        if (!c->served && (c->uses = successor_port(r, c))) {
            c->uses->connection = c;
        } else {
            c->uses = uses;
            connect_forget(c);
            c = NULL;
        }
    }
    notify_moved(c, uses, provides);
}

static struct connection *first_of_old(const struct replacement *r)
{
    struct connection *c;

    DL_FOREACH(r->fw->connections, c)
    if (is_own(r, c) || is_users(r, c))
        return c;
    return NULL;
}

static void finish_replacement(struct replacement *r)
{
    struct awakened *a, *a_next;
    struct connection *c;

    quiet_resume(r->old);
    if (!r->published)
        quiet_drain(r->old, 0, NULL); /* at once: lets users forget the old component */
    unbind_all(r->old);
    while ((c = first_of_old(r)))
        hand_over(r, c);
    LL_CONCAT(r->fw->dormants, r->sleeping);
    LL_FOREACH_SAFE(r->awakened, a, a_next)
    {
        link_free_dormant(a->dormant);
        free(a);
    }
    services_notify_release(r->old);
    services_retire(r->old);
}

enum portolan_status replace_instance(struct portolan_framework *fw, const char *instance,
                                      const char *class_name, gov_cca_TypeMap properties,
                                      struct portolan_error *err)
{
    struct replacement r = {.fw = fw};
    enum portolan_status status;

    r.may_lose = allows_loss(&properties);
    release_quiet(fw);
    status = start_new(&r, instance, class_name, properties, err);
    status = portolan_cohort_agree(fw->cohort, status, err);
    if (status == PORTOLAN_OK) {
        r.moved = true;
        status = portolan_cohort_agree(fw->cohort, move_users(&r, err), err);
    }
    if (status == PORTOLAN_OK)
        finish_replacement(&r);
    else if (r.new)
        put_back_all(&r);
    return status;
}
