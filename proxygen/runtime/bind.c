/* SPDX-License-Identifier: BSD-3-Clause */
/* The target of a proxy, and how it is exchanged. */
#include "proxy_internal.h"

#include <stdlib.h>

/* How long a swap waits for calls that are running. */
static const uint64_t swap_timeout_ns = 5000000000U;

/* ------------------------------------------------------------------ records */

static enum portolan_status find_sidl(const struct portolan_proxy *proxy, gov_cca_Port port,
                                      struct proxy_record *r, struct portolan_error *err)
{
    sidl_BaseInterface _ex = NULL;

    r->reference = sidl_reference_cast(port, proxy->description->type, &_ex);
    r->binding.target = r->reference;
    if (_ex)
        return portolan_catch(&_ex, err);
    if (!r->reference)
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE, "the provider is no %s",
                                  proxy->description->type);
    return PORTOLAN_OK;
}

enum portolan_status proxy_foreign_target(gov_cca_Port port, const char *type, void **reference,
                                          void **target, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    sidl_BaseInterface _ex = NULL;
    portolan_ForeignPort foreign = portolan_ForeignPort__cast(port, &_ex);
    char *name = NULL;

    *reference = *target = NULL;
    SIDL_CHECK(_ex);
    *reference = foreign;
    if (!foreign)
        return portolan_error_set(err, PORTOLAN_EBADPORTTYPE,
                                  "the provider is no portolan.ForeignPort, so it has no %s", type);
    name = portolan_ForeignPort_getTypeName(foreign, &_ex);
    SIDL_CHECK(_ex);
    if (!name || strcmp(name, type) != 0)
        status = portolan_error_set(err, PORTOLAN_EBADPORTTYPE, "the provider has a %s and no %s",
                                    name ? name : "nameless object", type);
    else
        *target = portolan_ForeignPort_getPointer(foreign, &_ex);
    SIDL_CHECK(_ex);
    if (status == PORTOLAN_OK && !*target)
        status = portolan_error_set(err, PORTOLAN_EPORTNOTDEFINED,
                                    "the provider's %s is a null pointer", type);
EXIT:
    sidl_String_free(name);
    return _ex ? portolan_catch(&_ex, err) : status;
}

static enum portolan_status find_foreign(struct portolan_proxy *proxy, gov_cca_Port port,
                                         struct proxy_record *r, struct portolan_error *err)
{
    const struct portolan_proxy_description *d = proxy->description;
    void *target;
    enum portolan_status status = proxy_foreign_target(port, d->type, &r->reference, &target, err);

    if (status == PORTOLAN_OK && d->face)
        r->binding.target = target;
    else if (status == PORTOLAN_OK)
        status = proxy_table_aim(proxy, r, target, proxy_table_of(d->table, target), err);
    return status;
}

enum portolan_status proxy_record_create(struct portolan_proxy *proxy, gov_cca_Port port,
                                         const struct portolan_probe_connection *connection,
                                         struct proxy_record **record, struct portolan_error *err)
{
    const struct portolan_proxy_description *d = proxy->description;
    struct proxy_record *r = portolan_calloc(1, sizeof *r);
    enum portolan_status status = PORTOLAN_OK;

    if (!r)
        return portolan_no_memory(err);
    if (port)
        status = d->table || d->face ? find_foreign(proxy, port, r, err)
                                     : find_sidl(proxy, port, r, err);
    else if (d->table)
        status = proxy_table_aim(proxy, r, NULL, NULL, err);
    if (status == PORTOLAN_OK)
        status = portolan_probe_methods_register(connection, d->methods, d->n_methods,
                                                 &r->binding.first_method_handle, err);
    if (status == PORTOLAN_OK)
        *record = r;
    else
        proxy_record_destroy(r);
    return status;
}

void proxy_record_destroy(struct proxy_record *record)
{
    if (!record)
        return;
    if (record->reference)
        sidl_reference_delete(record->reference, NULL);
    proxy_table_destroy(record->table);
    free(record->original);
    free(record);
}

/* ------------------------------------------------------------------ moving */

/*
 * Users that hold the face may have checked earlier which operations exist, so a new target must
 * have the same ones.
 */
static enum portolan_status check_entries(const struct portolan_proxy *proxy,
                                          const struct proxy_record *record,
                                          struct portolan_error *err)
{
    const struct portolan_proxy_description *d = proxy->description;
    const struct proxy_record *current = proxy->state->current;

    if (!d->table || !proxy->state->face_given || !current->binding.target ||
        !record->binding.target)
        return PORTOLAN_OK;
    for (size_t i = 0; i < d->n_methods; i++) {
        size_t entry = d->table->entries[i], length = d->table->size_bytes;
        bool now = portolan_proxy_has(current->table, entry, length);

        if (now != portolan_proxy_has(record->table, entry, length))
            return portolan_error_set(
                err, PORTOLAN_EUNSUPPORTED,
                "operation '%s' of %s exists in only one of the two implementations (the %s one), "
                "and a user that holds the object may rely on what it found; give the other one "
                "that does nothing",
                d->methods[i].name, d->type, now ? "present" : "new");
    }
    return PORTOLAN_OK;
}

/* Returns whether users have pointers to the tables that we make, so that these must stay. */
static bool tables_are_held(const struct portolan_proxy *proxy)
{
    const struct portolan_proxy_table *t = proxy->description->table;

    return t && !t->own && !t->show;
}

/*
 * Tables that are held would pile up with the swaps: a record gets the one of an old record that is
 * just the same, in exchange for its own. Returns the old record, or NULL.
 */
static struct proxy_record *take_same_table(struct portolan_proxy *proxy,
                                            struct proxy_record *record)
{
    void *made = record->table;

    for (struct proxy_record *r = proxy->state->old; made && r; r = r->next)
        if (tables_are_held(proxy) && r->table &&
            !memcmp(r->table, made, proxy->description->table->size_bytes)) {
            record->table = r->table;
            r->table = made;
            return r;
        }
    return NULL;
}

/* Undoes it, or ends it. */
static void finish_table(struct proxy_record *record, struct proxy_record *other, bool undo)
{
    void *made = other ? other->table : NULL;

    if (!other)
        return;
    other->table = undo ? record->table : NULL;
    if (undo)
        record->table = made;
    else
        proxy_table_destroy(made);
}

/* Frees old records that no call can be using, but for tables that users may be reading. */
static void sweep(struct portolan_proxy *proxy)
{
    struct proxy_record **link = &proxy->state->old;

    while (*link) {
        struct proxy_record *r = *link;

        if (r->in_doubt && portolan_probe_port_wait_quiet(&proxy->port, 0, NULL) != PORTOLAN_OK) {
            link = &r->next;
            continue;
        }
        r->in_doubt = false;
        if (r->reference)
            sidl_reference_delete(r->reference, NULL);
        r->reference = NULL;
        if (r->table && tables_are_held(proxy)) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        proxy_table_destroy(r->table);
        free(r);
    }
}

static void keep_old(struct portolan_proxy *proxy, struct proxy_record *r)
{
    r->next = proxy->state->old;
    proxy->state->old = r;
}

/*
 * While the gate is shut, whoever shut it waits for calls in the old target, unless data of a face
 * change with it.
 */
static enum portolan_status publish_suspended(struct portolan_proxy *proxy,
                                              struct proxy_record *record,
                                              struct portolan_error *err)
{
    const struct portolan_proxy_table *table = proxy->description->table;
    enum portolan_status status = PORTOLAN_OK;

    if (table && table->follow)
        status = portolan_probe_gate_drain(&proxy->port, swap_timeout_ns, err);
    if (status != PORTOLAN_OK)
        return status;
    if (table)
        proxy_table_show(proxy, record);
    portolan_probe_gate_publish(&proxy->port, &record->binding);
    proxy->state->current->in_doubt = true;
    return PORTOLAN_OK;
}

/*
 * The data of a face are copied from its target, so no call may run while the target changes. For
 * other faces the new target is in force at once, and only this function waits. On failure the old
 * target stays.
 */
static enum portolan_status publish(struct portolan_proxy *proxy, struct proxy_record *record,
                                    struct portolan_error *err)
{
    const struct portolan_proxy_table *table = proxy->description->table;
    struct portolan_probe_binding *old;
    enum portolan_status status;

    if (portolan_probe_port_is_closed(&proxy->port))
        return publish_suspended(proxy, record, err);
    if (table && table->follow) {
        status = portolan_probe_gate_close(&proxy->port, swap_timeout_ns, err);
        if (status != PORTOLAN_OK)
            return status;
        proxy_table_show(proxy, record);
        portolan_probe_gate_open(&proxy->port, &record->binding);
        return PORTOLAN_OK;
    }
    status = portolan_probe_retarget(&proxy->port, &record->binding, swap_timeout_ns, &old, err);
    record->in_doubt = portolan_probe_is_in_doubt(status);
    if (status == PORTOLAN_OK && table)
        proxy_table_show(proxy, record);
    return status;
}

enum portolan_status proxy_bind(struct portolan_proxy *proxy, struct proxy_record *record,
                                struct portolan_error *err)
{
    struct portolan_proxy_state *s = proxy->state;
    struct proxy_record *old = s->current, *same = take_same_table(proxy, record);
    enum portolan_status status = check_entries(proxy, record, err);

    if (status == PORTOLAN_OK)
        status = publish(proxy, record, err);
    finish_table(record, same, status != PORTOLAN_OK && !record->in_doubt);
    if (record->in_doubt) {
        keep_old(proxy, record);
        return status;
    }
    if (status != PORTOLAN_OK) {
        proxy_record_destroy(record);
        return status;
    }
    pthread_mutex_lock(&s->lock);
    s->current = record;
    pthread_mutex_unlock(&s->lock);
    keep_old(proxy, old);
    if (!old->in_doubt) /* else proxy_drain() sweeps */
        sweep(proxy);
    return PORTOLAN_OK;
}

enum portolan_status proxy_port_drain(struct portolan_probe_port *port, double seconds,
                                      struct portolan_error *err)
{
    uint64_t most_ns = seconds < 1e9 ? (uint64_t)(seconds * 1e9) : UINT64_MAX;

    return portolan_probe_port_is_closed(port) ? portolan_probe_gate_drain(port, most_ns, err)
                                               : portolan_probe_port_wait_quiet(port, most_ns, err);
}

enum portolan_status proxy_drain(struct portolan_proxy *proxy, double seconds,
                                 struct portolan_error *err)
{
    enum portolan_status status = proxy_port_drain(&proxy->port, seconds, err);

    if (status == PORTOLAN_OK) {
        for (struct proxy_record *r = proxy->state->old; r; r = r->next)
            r->in_doubt = false;
        sweep(proxy);
    }
    return status;
}
