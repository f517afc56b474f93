/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances: creating, starting and destroying them, one by one or all in reverse order. */
#include "assembly/assembly.h"
#include "internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct instance *instance_find(const struct portolan_framework *fw, const char *name)
{
    struct instance *i;

    DL_FOREACH(fw->instances, i)
    if (!strcmp(i->name, name))
        return i;
    return NULL;
}

static enum portolan_status unknown_class(const struct portolan_framework *fw, const char *name,
                                          struct portolan_error *err)
{
    const char *near = portolan_palette_nearest(fw->palette, name);

    return portolan_error_set(err, PORTOLAN_ENOTFOUND, "unknown class '%s'%s", name,
                              portolan_did_you_mean(near).text);
}

/* -- From a palette entry to the component's descriptor. -- */

static enum portolan_status check_descriptor(const struct portolan_class_description *class,
                                             const struct portolan_component *c,
                                             struct portolan_error *err)
{
    const char *where = class->library ? class->library : "the program";

    if (c->abi != PORTOLAN_COMPONENT_ABI)
        return portolan_error_set(
            err, PORTOLAN_EFOREIGN,
            "class '%s': %s was built for component ABI %u, but this Portolan "
            "has %u; rebuild it with this Portolan's headers",
            class->class_name, where, (unsigned)c->abi, (unsigned)PORTOLAN_COMPONENT_ABI);
    if (c->size < offsetof(struct portolan_component, applies) || !c->create)
        return portolan_error_set(err, PORTOLAN_EFOREIGN,
                                  "class '%s': the descriptor in %s is incomplete (%zu bytes, %zu "
                                  "expected); rebuild it with this Portolan's headers",
                                  class->class_name, where, c->size, sizeof *c);
    if (!c->class_name || strcmp(c->class_name, class->class_name))
        return portolan_error_set(
            err, PORTOLAN_EFOREIGN, "class '%s': the descriptor in %s is of class '%s'; correct %s",
            class->class_name, where, c->class_name ? c->class_name : "", class->file);
    return PORTOLAN_OK;
}

static portolan_applies_fn query_of(const struct portolan_component *c)
{
    return c->size >= sizeof *c ? c->applies : NULL;
}

/* Weak: a program with all components linked in contains no loader of shared objects. */
#pragma weak library_load

static enum portolan_status find_descriptor(const struct portolan_class_description *class,
                                            const struct portolan_component **component,
                                            struct portolan_error *err)
{
    enum portolan_status status;

    *component = class->builtin;
    if (!class->library && !class->builtin)
        return portolan_error_set(err, PORTOLAN_ENOTFOUND,
                                  "class '%s' is described, but has no code (%s)",
                                  class->class_name, class->file);
    if (class->library && !library_load)
        return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                                  "class '%s' is not linked into this program, and it loads no "
                                  "shared objects; link it again with that class",
                                  class->class_name);
    if (class->library && (status = library_load(class, component, err)) != PORTOLAN_OK)
        return status;
    status = check_descriptor(class, *component, err);
    if (!status && query_of(*component) && !class->has_query)
        portolan_log(PORTOLAN_LOG_WARNING, "framework",
                     "%s:%d: class '%s' can say where it applies and is not asked; add <applies "
                     "query=\"true\"/>",
                     class->file, class->line, class->class_name);
    return status;
}

enum portolan_status portolan_class_load(const struct portolan_class_description *class,
                                         struct portolan_error *err)
{
    const struct portolan_component *component;

    return find_descriptor(class, &component, err);
}

static portolan_applies_fn find_query(const struct portolan_class_description *class)
{
    const struct portolan_component *component;
    struct portolan_error err = {0};
    enum portolan_status status = find_descriptor(class, &component, &err);

    if (!status && !query_of(component))
        status = portolan_error_set(&err, PORTOLAN_ENOTFOUND,
                                    "%s:%d says that class '%s' can be asked, but its descriptor "
                                    "has no function 'applies'",
                                    class->file, class->line, class->class_name);
    if (!status)
        return query_of(component);
    portolan_log(PORTOLAN_LOG_WARNING, "framework", "not asked where it applies: %s", err.text);
    return NULL;
}

static __attribute__((constructor)) void offer_query(void)
{
    assembly_find_query = find_query;
}

/* -- Instances made and started. -- */

/* Copies the properties and adds the defaults of the class and the assembly's folder. */
static gov_cca_TypeMap complete_properties(const struct portolan_framework *fw,
                                           const struct portolan_class_description *class,
                                           gov_cca_TypeMap properties, struct portolan_error *err)
{
    gov_cca_TypeMap copy = typemap_copy(properties, err);
    const char *file = fw->assembly ? fw->assembly->file : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    enum portolan_status status;
    char *dir;

    if (!copy)
        return NULL;
    status = typemap_add_defaults(copy, class, err);
    if (status == PORTOLAN_OK)
        status = typemap_put_own(copy, "cca.className", class->class_name, err);
    if (status == PORTOLAN_OK && file) {
        dir = slash == file ? portolan_strdup("/")
              : slash       ? portolan_asprintf("%.*s", (int)(slash - file), file)
                            : portolan_strdup(".");
        status = dir ? portolan_typemap_put_text(copy, "portolan.assemblyDir", gov_cca_Type_String,
                                                 dir, err)
                     : portolan_no_memory(err);
        free(dir);
    }
    if (status == PORTOLAN_OK)
        return copy;
    sidl_reference_delete(copy, NULL);
    return NULL;
}

static enum portolan_status create_component(struct services *s,
                                             const struct portolan_component *descriptor,
                                             struct portolan_error *err)
{
    sidl_BaseInterface ex = NULL;
    enum portolan_status status;

    s->component = descriptor->create(&ex);
    if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK) {
        s->component = NULL;
        portolan_error_prefix(err, "create failed");
        return status;
    }
    if (!s->component)
        return portolan_error_set(err, PORTOLAN_ECOMPONENT,
                                  "create returned neither a component nor an exception");
    s->rebindable = portolan_Rebindable__cast(s->component, NULL);
    s->suspendable = portolan_Suspendable__cast(s->component, NULL);
    gov_cca_Component_setServices(s->component, services_reference(s), &ex);
    if ((status = portolan_catch(&ex, err)) != PORTOLAN_OK)
        portolan_error_prefix(err, "setServices failed");
    return status;
}

/* Sets the fields that the assembly states for an instance of that name and class. */
static enum portolan_status configure_component(struct services *s, const char *class_name,
                                                struct portolan_error *err)
{
    const struct portolan_assembly *a = s->fw->assembly;
    const struct portolan_assembly_instance *x =
        a ? portolan_assembly_peek_instance(a, s->instance->name) : NULL;
    enum portolan_status status = PORTOLAN_OK;
    size_t k = 0;

    while (x && k < x->n_alternatives && strcmp(x->alternatives[k].class_name, class_name))
        k++;
    if (!x || k == x->n_alternatives)
        return PORTOLAN_OK;
    for (size_t i = 0; i < x->alternatives[k].n_configures && status == PORTOLAN_OK; i++) {
        const struct portolan_assembly_configure *c = &x->alternatives[k].configures[i];
        struct port *p = services_find(s, c->port);

        status = p && p->provided ? portolan_parameters_write(p->provided, c->field, c->text, err)
                                  : services_no_port(s, c->port, true, err);
        if (status != PORTOLAN_OK)
            portolan_error_prefix(err, "<configure> of port '%s' on line %d", c->port, c->line);
    }
    if (status != PORTOLAN_OK)
        services_notify_release(s); /* setServices has succeeded */
    return status;
}

/*
 * Undoes what a failed setServices may have connected. Ports that it got are not reported as leaks,
 * because releaseServices is not called after setServices failed.
 */
static void abandon_component(struct services *s)
{
    struct port *p;

    DL_FOREACH(s->ports, p)
    {
        if (p->provided)
            connect_drop_all(p);
        else if (p->connection)
            connect_drop(p->connection);
        p->held = 0;
    }
    services_retire(s);
}

enum portolan_status instance_start(struct instance *instance, const char *class_name,
                                    gov_cca_TypeMap properties, struct services **services,
                                    struct portolan_error *err)
{
    struct portolan_framework *fw = instance->fw;
    const struct portolan_class_description *class = portolan_palette_find(fw->palette, class_name);
    const struct portolan_component *descriptor;
    struct portolan_error cause = {0};
    enum portolan_status status;
    struct services *s = NULL;
    struct portolan_doing before;
    gov_cca_TypeMap complete;

    *services = NULL;
    instance->is_starting = true;
    status =
        class ? find_descriptor(class, &descriptor, &cause) : unknown_class(fw, class_name, &cause);
    if (status == PORTOLAN_OK) {
        complete = complete_properties(fw, class, properties, &cause);
        if (complete)
            s = services_create(instance, class, complete, &cause);
        sidl_reference_delete(complete, NULL);
        *services = s; /* setServices may reach it through the ComponentID */
        before = portolan_doing_set((struct portolan_doing){instance->name, class_name});
        status = s ? create_component(s, descriptor, &cause) : cause.status;
        if (status == PORTOLAN_OK)
            status = configure_component(s, class_name, &cause);
        portolan_doing_set(before);
    }
    instance->is_starting = false;
    if (status == PORTOLAN_OK)
        return PORTOLAN_OK;
    if (s) {
        abandon_component(s);
        *services = NULL;
    }
    portolan_error_prefix(&cause, "instance '%s' (class %s)", instance->name, class_name);
    return portolan_error_set(err, status, "%s", cause.text);
}

void instance_free(struct instance *instance)
{
    if (!instance)
        return;
    if (instance->id) {
        instance->id->instance = NULL;
        sidl_object_release(instance->id);
    }
    free(instance->name);
    free(instance->stands_for);
    free(instance->stands_for_port);
    free(instance);
}

static struct instance *allocate_instance(struct portolan_framework *fw, char *name,
                                          struct portolan_error *err)
{
    struct instance *i = name ? portolan_calloc(1, sizeof *i) : NULL;

    if (!i) {
        free(name);
        portolan_no_memory(err);
        return NULL;
    }
    i->fw = fw;
    i->name = name;
    if (!(i->id = component_id_create(i, err))) {
        instance_free(i);
        return NULL;
    }
    return i;
}

/* "cholmod1" for heat.Cholmod. */
static char *choose_name(struct portolan_framework *fw, const char *class_name)
{
    const char *dot = strrchr(class_name, '.');
    char *name;

    for (;;) {
        name = portolan_asprintf("%s%lu", dot ? dot + 1 : class_name, ++fw->n_named);
        if (!name)
            return NULL;
        name[0] = (char)tolower((unsigned char)name[0]);
        if (!instance_find(fw, name))
            return name;
        free(name);
    }
}

static enum portolan_status check_name(const struct portolan_framework *fw, const char *name,
                                       struct portolan_error *err)
{
    if (fw->is_ending)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the framework is being shut down");
    if (!name || !*name || !instance_find(fw, name))
        return events_check_quiet(fw, err);
    return portolan_error_set(err, PORTOLAN_EEXISTS, "there is an instance '%s' already", name);
}

/* A new instance that is not in a list yet. */
static enum portolan_status new_instance(struct portolan_framework *fw, const char *name,
                                         const char *class_name, struct instance **i,
                                         struct portolan_error *err)
{
    enum portolan_status status = check_name(fw, name, err);

    if (status != PORTOLAN_OK)
        return status;
    *i = allocate_instance(fw, name && *name ? portolan_strdup(name) : choose_name(fw, class_name),
                           err);
    return *i ? PORTOLAN_OK : PORTOLAN_ENOMEM;
}

enum portolan_status instance_create(struct portolan_framework *fw, const char *name,
                                     const char *class_name, gov_cca_TypeMap properties,
                                     struct instance **instance, struct portolan_error *err)
{
    enum portolan_status status;
    struct instance *i;

    *instance = NULL;
    if (!class_name)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the class name is null");
    if ((status = new_instance(fw, name, class_name, &i, err)) != PORTOLAN_OK)
        return status;
    DL_APPEND(fw->instances, i);
    status = instance_start(i, class_name, properties, &i->services, err);
    if (status != PORTOLAN_OK) {
        DL_DELETE(fw->instances, i);
        instance_free(i);
        return status;
    }
    *instance = i;
    return PORTOLAN_OK;
}

enum portolan_status instance_create_image(struct portolan_framework *fw, const char *name,
                                           const char *class_name, gov_cca_TypeMap properties,
                                           struct instance **instance, struct portolan_error *err)
{
    struct portolan_error cause = {0};
    enum portolan_status status;
    struct instance *i;

    *instance = NULL;
    if (!class_name || !*class_name)
        return portolan_error_set(err, PORTOLAN_EINVAL, "getServices needs a class name");
    if ((status = new_instance(fw, name, class_name, &i, err)) != PORTOLAN_OK)
        return status;
    i->services = services_create(i, NULL, properties, &cause);
    status = i->services ? PORTOLAN_OK : cause.status;
    if (i->services && !(i->services->image_class = portolan_strdup(class_name)))
        status = portolan_no_memory(&cause);
    if (status == PORTOLAN_OK)
        status = typemap_put_own(i->services->properties, "cca.className", class_name, &cause);
    if (status != PORTOLAN_OK) {
        if (i->services)
            services_retire(i->services);
        instance_free(i);
        return portolan_error_set(err, status, "%s", cause.text);
    }
    DL_APPEND(fw->instances, i);
    *instance = i;
    return PORTOLAN_OK;
}

struct instance *instance_create_self(struct portolan_framework *fw, struct portolan_error *err)
{
    struct instance *i = allocate_instance(fw, portolan_strdup(""), err);

    if (i && !(i->services = services_create(i, NULL, NULL, err))) {
        instance_free(i);
        return NULL;
    }
    return i;
}

/* -- The end of instances: one, or all in reverse order. -- */

/* Undoes the connections that the instance uses, the last made first. */
static void drop_uses(struct instance *instance)
{
    struct connection *c, *last;

    do {
        last = NULL;
        DL_FOREACH(instance->fw->connections, c)
        if (c->uses->services->instance == instance)
            last = c;
        if (last)
            connect_drop(last);
    } while (last);
}

static void drop_provides(struct instance *instance)
{
    struct port *p;

    DL_FOREACH(instance->services->ports, p)
    if (p->provided)
        connect_drop_all(p);
}

/*
 * A Rebindable hears that its connections end while everything still exists; other components
 * release their ports in releaseServices first.
 */
static void end_use(struct instance *instance)
{
    if (instance->services->rebindable)
        drop_uses(instance);
    services_notify_release(instance->services);
}

void instance_withdraw(struct instance *instance)
{
    struct connection *c;

    instance->is_ending = true;
    drop_provides(instance);
    /* releaseServices may remove the listeners, so they hear of the disconnections before it. */
    DL_FOREACH(instance->fw->connections, c)
    if (c->uses->services->instance == instance) {
        events_notify(c->uses, c->provides, gov_cca_ports_EventType_DisconnectPending);
        c->is_quiet = true;
    }
    end_use(instance);
    drop_uses(instance);
    drop_provides(instance); /* connections made meanwhile */
    link_forget(instance->fw, instance);
    replace_forget_doubts(instance->fw, instance);
    DL_DELETE(instance->fw->instances, instance);
    services_retire(instance->services);
    instance_free(instance);
}

static enum portolan_status check_destroyable(const struct instance *instance,
                                              struct portolan_error *err)
{
    if (instance->services->image_class)
        return portolan_error_set(err, PORTOLAN_EINVAL,
                                  "instance '%s' is the program's own image: it goes with "
                                  "releaseServices",
                                  instance->name);
    if (instance->is_starting)
        return portolan_error_set(err, PORTOLAN_EINVAL, "instance '%s' is still being created",
                                  instance->name);
    if (instance->is_ending)
        return portolan_error_set(err, PORTOLAN_EINVAL, "instance '%s' is being destroyed already",
                                  instance->name);
    return events_check_quiet(instance->fw, err);
}

enum portolan_status instance_destroy(struct instance *instance, double timeout_s,
                                      struct portolan_error *err)
{
    enum portolan_status status = check_destroyable(instance, err);
    struct portolan_error cause = {0};
    struct connection *c;

    if (status != PORTOLAN_OK)
        return status;
    DL_FOREACH(instance->fw->connections, c)
    if (status == PORTOLAN_OK && c->provides->services->instance == instance &&
        c->uses->services->instance != instance)
        status = connect_quiet(c, timeout_s, &cause);
    if (status != PORTOLAN_OK) {
        DL_FOREACH(instance->fw->connections, c)
        if (c->provides->services->instance == instance)
            connect_unquiet(c);
        return portolan_error_set(err, status, "instance '%s' cannot be destroyed: %s",
                                  instance->name, cause.text);
    }
    instance_withdraw(instance);
    return PORTOLAN_OK;
}

void instance_destroy_all(struct portolan_framework *fw)
{
    struct instance *i;

    fw->is_ending = true;
    DL_FOREACH(fw->instances, i)
    i->is_ending = true;
    link_forget(fw, NULL);
    if (fw->self)
        drop_uses(fw->self);
    /* Notify all components while all of them still exist. */
    for (i = fw->instances ? fw->instances->prev : NULL; i; i = i == fw->instances ? NULL : i->prev)
        end_use(i);
    while (fw->connections)
        connect_drop(fw->connections->prev);
    replace_forget_doubts(fw, NULL);
    while (fw->instances) {
        i = fw->instances->prev;
        DL_DELETE(fw->instances, i);
        services_retire(i->services);
        instance_free(i);
    }
    fw->is_ending = false;
}
