/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proxies outside a framework: faces that programs ask for, and those of objects that calls of a
 * proxy hand out.
 */
#include "proxy_internal.h"

#include <search.h>
#include <stdlib.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct portolan_proxy *registry; /* all proxies outside a framework */
static void *by_key;                    /* tsearch(3) tree of those that calls handed out */

static __thread struct portolan_error last_error;

const char *portolan_proxy_wrap_error(void)
{
    return last_error.text;
}

/* ------------------------------------------------------------------ registry, locked */

static int compare_keys(const void *left, const void *right)
{
    const struct portolan_proxy *a = left, *b = right;
    const uintptr_t x[] = {a->state->kind, a->state->giver_handle, (uintptr_t)a->description,
                           (uintptr_t)a->state->key};
    const uintptr_t y[] = {b->state->kind, b->state->giver_handle, (uintptr_t)b->description,
                           (uintptr_t)b->state->key};

    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool registry_add(struct portolan_proxy *proxy)
{
    struct portolan_proxy_state *s = proxy->state;

    if (s->key && !tsearch(proxy, &by_key, compare_keys))
        return false;
    s->next = registry;
    s->link = &registry;
    if (registry)
        registry->state->link = &s->next;
    registry = proxy;
    return true;
}

/* From now on registry_find() does not find PROXY. */
static void registry_forget(struct portolan_proxy *proxy)
{
    if (proxy->state->key)
        tdelete(proxy, &by_key, compare_keys);
    proxy->state->key = NULL;
}

static void registry_remove(struct portolan_proxy *proxy)
{
    struct portolan_proxy_state *s = proxy->state;

    registry_forget(proxy);
    *s->link = s->next;
    if (s->next)
        s->next->state->link = s->link;
}

static struct portolan_proxy *registry_find(enum proxy_kind kind,
                                            const struct portolan_proxy_description *d,
                                            const void *key, uint32_t handle)
{
    struct portolan_proxy_state state = {.kind = kind, .key = key, .giver_handle = handle};
    const struct portolan_proxy wanted = {.description = d, .state = &state};
    struct portolan_proxy **found = tfind(&wanted, &by_key, compare_keys);

    return found ? *found : NULL;
}

/* PORT gets GIVER's flags and sampling. */
static void follow_port(struct portolan_probe_port *port, const struct portolan_probe_port *giver)
{
    portolan_probe_port_set_sampling(port, portolan_probe_port_sampling(giver));
    portolan_probe_port_set_flags(port, portolan_probe_port_flags(giver));
}

void proxy_set_flags(struct portolan_proxy *proxy, uint32_t flags)
{
    portolan_probe_port_set_flags(&proxy->port, flags);
    pthread_mutex_lock(&registry_lock);
    for (struct portolan_proxy *p = registry; p; p = p->state->next)
        if (p->state->giver == proxy)
            follow_port(&p->port, &proxy->port);
    pthread_mutex_unlock(&registry_lock);
}

void proxy_orphan(struct portolan_proxy *proxy)
{
    pthread_mutex_lock(&registry_lock);
    for (struct portolan_proxy *p = registry; p; p = p->state->next)
        if (p->state->giver == proxy)
            p->state->giver = proxy->state->giver;
    pthread_mutex_unlock(&registry_lock);
}

/* ------------------------------------------------------------------ making and ending */

static void proxy_free(struct portolan_proxy *proxy)
{
    if (proxy && proxy->state)
        proxy_state_destroy(proxy);
    free(proxy);
}

/* A proxy for TARGET (NULL: for objects in place) with TABLE; not yet registered. */
static struct portolan_proxy *proxy_make(enum proxy_kind kind,
                                         const struct portolan_proxy_description *d, void *target,
                                         const void *table, struct portolan_error *err)
{
    struct portolan_proxy *proxy = portolan_calloc(1, d->table->proxy_size);
    struct proxy_record *record = portolan_calloc(1, sizeof *record);

    if (!proxy || !record) {
        portolan_no_memory(err);
        free(record);
        free(proxy);
        return NULL;
    }
    proxy->description = d;
    proxy->state = proxy_state_create(kind, err);
    if (!proxy->state) {
        free(record);
        free(proxy);
        return NULL;
    }
    proxy->state->current = record;
    if (proxy_table_aim(proxy, record, target, table, err) != PORTOLAN_OK) {
        proxy_free(proxy);
        return NULL;
    }
    proxy_table_show(proxy, record);
    return proxy;
}

static void *face_of(struct portolan_proxy *proxy)
{
    proxy->state->face_given = true;
    return (char *)proxy + proxy->description->table->face_offset;
}

/* Without a framework, nothing else in the program listens to commands. */
static enum portolan_status listen_once(struct portolan_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool listens;
    enum portolan_status status = PORTOLAN_OK;

    pthread_mutex_lock(&lock);
    if (!listens)
        status = portolan_control_listen_environment(err);
    listens = status == PORTOLAN_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

void *portolan_proxy_wrap(const struct portolan_proxy_description *d, void *object,
                          const char *name)
{
    const struct portolan_probe_connection connection = {
        .uses = name, .provider = name, .provider_class = d->type, .port_type = d->type};
    struct portolan_proxy *proxy;
    struct proxy_record *record;
    bool added;

    last_error = (struct portolan_error){0};
    if (listen_once(&last_error) != PORTOLAN_OK)
        return NULL;
    if (!object || !name || !*name) {
        portolan_error_set(&last_error, PORTOLAN_EINVAL,
                           "a face for a %s needs an object and a name", d->type);
        return NULL;
    }
    proxy = proxy_make(PROXY_WRAPPED, d, object, proxy_table_of(d->table, object), &last_error);
    if (!proxy)
        return NULL;
    record = proxy->state->current;
    if (portolan_probe_methods_register(&connection, d->methods, d->n_methods,
                                        &record->binding.first_method_handle,
                                        &last_error) != PORTOLAN_OK) {
        proxy_free(proxy);
        return NULL;
    }
    portolan_probe_port_init(&proxy->port, &record->binding, 0);
    proxy->state->control.variant = PORTOLAN_VARIANT_PROFILE;
    if (proxy_control_enter(proxy, NULL, name, &last_error) != PORTOLAN_OK) {
        proxy_free(proxy);
        return NULL;
    }
    pthread_mutex_lock(&registry_lock);
    added = registry_add(proxy);
    pthread_mutex_unlock(&registry_lock);
    (void)added; /* without a key it cannot fail */
    return face_of(proxy);
}

static void proxy_finish(struct portolan_proxy *proxy)
{
    proxy_control_leave(proxy);
    proxy_orphan(proxy);
    proxy_free(proxy);
}

void *portolan_proxy_unwrap(const struct portolan_proxy_description *d, void *face)
{
    struct portolan_proxy *proxy;
    void *object;

    last_error = (struct portolan_error){0};
    pthread_mutex_lock(&registry_lock);
    proxy = registry;
    while (proxy && (proxy->description != d || proxy->state->kind == PROXY_IN_PLACE ||
                     (char *)proxy + d->table->face_offset != face))
        proxy = proxy->state->next;
    if (proxy)
        registry_remove(proxy);
    pthread_mutex_unlock(&registry_lock);
    if (!proxy) {
        portolan_error_set(&last_error, PORTOLAN_EINVAL, "this %s is no face, or was one", d->type);
        return NULL;
    }
    object = proxy->state->current->binding.target;
    proxy_finish(proxy);
    return object;
}

void portolan_proxy_end(struct portolan_proxy *proxy)
{
    if (proxy->state->kind != PROXY_WRAPPED && proxy->state->kind != PROXY_GIVEN)
        return;
    pthread_mutex_lock(&registry_lock);
    registry_remove(proxy);
    pthread_mutex_unlock(&registry_lock);
    proxy_finish(proxy);
}

/* ------------------------------------------------------------------ what calls hand out */

/* PROXY is measured like the calls that handed it out. */
static enum portolan_status take_after(struct portolan_proxy *proxy, struct portolan_proxy *giver,
                                       const struct portolan_probe_binding *binding,
                                       struct portolan_error *err)
{
    const struct portolan_proxy_description *d = proxy->description;
    struct portolan_probe_binding *own = &proxy->state->current->binding;
    struct portolan_probe_connection connection =
        portolan_probe_method_peek(binding->first_method_handle)->connection;
    enum portolan_status status = PORTOLAN_OK;

    connection.port_type = d->type;
    if (d == giver->description)
        own->first_method_handle = binding->first_method_handle;
    else
        status = portolan_probe_methods_register(&connection, d->methods, d->n_methods,
                                                 &own->first_method_handle, err);
    portolan_probe_port_init(&proxy->port, own, 0);
    follow_port(&proxy->port, &giver->port);
    proxy->state->giver = giver->state->giver ? giver->state->giver : giver;
    proxy->state->giver_handle = binding->first_method_handle;
    return status;
}

static struct portolan_proxy *give_new(struct portolan_proxy *giver, enum proxy_kind kind,
                                       const struct portolan_probe_binding *binding,
                                       const struct portolan_proxy_description *d, void *object,
                                       const void *table, const void *key,
                                       struct portolan_error *err)
{
    struct portolan_proxy *proxy = proxy_make(kind, d, object, table, err);

    if (!proxy)
        return NULL;
    proxy->state->key = key;
    if (take_after(proxy, giver, binding, err) == PORTOLAN_OK) {
        if (registry_add(proxy))
            return proxy;
        portolan_no_memory(err);
    }
    proxy_free(proxy);
    return NULL;
}

/* The program goes on with the original object; only its calls are not measured. */
static void warn(const struct portolan_proxy_description *d, const struct portolan_error *err)
{
    portolan_log(PORTOLAN_LOG_WARNING, "proxy", "a %s that a call handed out is not measured: %s",
                 d->type, err->text);
}

/* False if PROXY was made for another object at that address, with other operations. */
static bool is_still_for(const struct portolan_proxy *proxy, const void *table)
{
    const struct portolan_proxy_table *t = proxy->description->table;
    const struct proxy_record *record = proxy->state->current;
    size_t length = proxy_table_length(t, table);

    if (record->binding.extra != table)
        return false;
    for (size_t i = 0; i < t->n_entries; i++)
        if (portolan_proxy_has(record->table, t->entries[i], t->size_bytes) !=
            portolan_proxy_has(table, t->entries[i], length))
            return false;
    return true;
}

void *portolan_proxy_give(struct portolan_proxy *giver,
                          const struct portolan_probe_binding *binding,
                          const struct portolan_proxy_description *d, void *object)
{
    const void *table = object ? proxy_table_of(d->table, object) : NULL;
    struct portolan_error err = {0};
    struct portolan_proxy *proxy;

    if (!table || proxy_table_is_ours(d->table, object))
        return object;
    pthread_mutex_lock(&registry_lock);
    proxy = registry_find(PROXY_GIVEN, d, object, binding->first_method_handle);
    if (proxy && !is_still_for(proxy, table)) {
        registry_forget(proxy);
        proxy = NULL;
    }
    if (proxy && d->table->follow)
        d->table->follow(proxy, object);
    if (!proxy)
        proxy = give_new(giver, PROXY_GIVEN, binding, d, object, table, object, &err);
    pthread_mutex_unlock(&registry_lock);
    if (!proxy)
        warn(d, &err);
    return proxy ? face_of(proxy) : object;
}

static bool is_for(const struct portolan_proxy *proxy, const void *table)
{
    return memcmp(proxy->state->current->original, table,
                  proxy_table_length(proxy->description->table, table)) == 0;
}

/* For a struct that holds its functions itself: whether PROXY is for the functions of OBJECT. */
static bool has_functions_of(const struct portolan_proxy *proxy, const void *object)
{
    const struct portolan_proxy_table *t = proxy->description->table;
    const char *original = proxy->state->current->original;

    for (size_t i = 0; i < t->n_entries; i++)
        if (memcmp(original + t->entries[i], (const char *)object + t->entries[i],
                   sizeof(void (*)(void))) != 0)
            return false;
    return true;
}

static struct portolan_proxy *find_in_place(const struct portolan_proxy_description *d,
                                            const void *table, uint32_t handle)
{
    struct portolan_proxy *proxy;

    if (d->table->own) {
        for (proxy = registry; proxy; proxy = proxy->state->next)
            if (proxy->state->kind == PROXY_IN_PLACE && proxy->description == d &&
                proxy->state->giver_handle == handle && has_functions_of(proxy, table))
                return proxy;
        return NULL;
    }
    proxy = registry_find(PROXY_IN_PLACE, d, table, handle);
    if (!proxy || is_for(proxy, table))
        return proxy;
    registry_forget(proxy); /* another table was at that address */
    return NULL;
}

static struct portolan_proxy *give_new_in_place(struct portolan_proxy *giver,
                                                const struct portolan_probe_binding *binding,
                                                const struct portolan_proxy_description *d,
                                                const void *table, struct portolan_error *err)
{
    const struct portolan_proxy_table *t = d->table;
    void *original = portolan_calloc(1, t->size_bytes);
    struct portolan_proxy *proxy;

    if (!original) {
        portolan_no_memory(err);
        return NULL;
    }
    memcpy(original, table, proxy_table_length(t, table));
    /* A struct that holds its functions itself will hold ours; the copy keeps the originals. */
    proxy = give_new(giver, PROXY_IN_PLACE, binding, d, NULL, t->own ? original : table,
                     t->own ? NULL : table, err);
    if (!proxy) {
        free(original);
        return NULL;
    }
    proxy->state->current->original = original;
    return proxy;
}

void portolan_proxy_give_in_place(struct portolan_proxy *giver,
                                  const struct portolan_probe_binding *binding,
                                  const struct portolan_proxy_description *d, void *object)
{
    const struct portolan_proxy_table *t = d->table;
    const void *table = object ? proxy_table_of(t, object) : NULL;
    struct portolan_error err = {0};
    struct portolan_proxy *proxy;

    if (!table || proxy_table_is_ours(t, object))
        return;
    pthread_mutex_lock(&registry_lock);
    proxy = find_in_place(d, table, binding->first_method_handle);
    if (proxy && !proxy->state->giver) {
        proxy->state->giver = giver; /* the former giver is gone */
        follow_port(&proxy->port, &giver->port);
    }
    if (!proxy)
        proxy = give_new_in_place(giver, binding, d, table, &err);
    pthread_mutex_unlock(&registry_lock);
    if (!proxy) {
        warn(d, &err);
        return;
    }
    if (t->own)
        proxy_table_fill(t, proxy->state->slot, object);
    else
        memcpy((char *)object + t->table_offset, &proxy->state->current->table,
               sizeof proxy->state->current->table);
}
