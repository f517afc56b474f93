/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of operations with a proxy's functions in them, and the faces that show them. */
#include "proxy_internal.h"

#include <stdlib.h>

/* Before a table lies a pointer to its proxy, padded so that the table is aligned. */
static const size_t header_bytes = _Alignof(max_align_t);

typedef void (*entry_fn)(void);

/* ------------------------------------------------------------------ slots */

/* Gives PROXY the first free one of COUNT places; -1: there is none. */
static int take_slot(struct portolan_proxy **slots, int count, struct portolan_proxy *proxy)
{
    for (int i = 0; i < count; i++) {
        struct portolan_proxy *nobody = NULL;

        if (__atomic_compare_exchange_n(&slots[i], &nobody, proxy, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return i;
    }
    return -1;
}

static enum portolan_status take_own_slot(struct portolan_proxy *proxy, struct portolan_error *err)
{
    const struct portolan_proxy_table *t = proxy->description->table;

    if (!t->own || proxy->state->slot >= 0)
        return PORTOLAN_OK;
    proxy->state->slot = take_slot(t->slots, PORTOLAN_PROXY_SLOTS, proxy);
    if (proxy->state->slot >= 0)
        return PORTOLAN_OK;
    return portolan_error_set(err, PORTOLAN_EUNSUPPORTED,
                              "%d objects of type %s are proxied already; a struct that holds its "
                              "functions itself allows no more at a time",
                              PORTOLAN_PROXY_SLOTS, proxy->description->type);
}

void proxy_table_leave(struct portolan_proxy *proxy)
{
    struct portolan_proxy_state *s = proxy->state;

    if (s->slot >= 0)
        portolan_proxy_leave_slot(proxy->description->table->slots, s->slot + 1);
    s->slot = -1;
}

/* For lists of functions, where each proxy has functions of its own. */
gov_cca_Component portolan_proxy_create_in_slot(
    const struct sidl_class *cls, const struct portolan_proxy_description *description,
    struct portolan_proxy **slots, int count, size_t offset, sidl_BaseInterface *_ex)
{
    gov_cca_Component component = portolan_proxy_create(cls, description, _ex);
    int slot;

    if (!component)
        return NULL;
    slot = 1 + take_slot(slots, count, component->d_object);
    memcpy((char *)component->d_object + offset, &slot, sizeof slot);
    if (slot > 0)
        return component;
    portolan_throw(_ex, PORTOLAN_EUNSUPPORTED,
                   "%s was compiled for %d proxies in one process, and there are as many; compile "
                   "it with -DPORTOLAN_FUNCTIONS_PROXIES=%d",
                   cls->name, count, count + 1);
    sidl_object_release(component->d_object);
    return NULL;
}

void portolan_proxy_leave_slot(struct portolan_proxy **slots, int slot)
{
    if (slot > 0)
        __atomic_store_n(&slots[slot - 1], NULL, __ATOMIC_SEQ_CST);
}

void portolan_proxy_show_functions(void *face, const void *functions, size_t size)
{
    void **to = face;
    void *const *from = functions;

    for (size_t i = 0; i < size / sizeof *to; i++)
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ tables */

const void *proxy_table_of(const struct portolan_proxy_table *t, const void *object)
{
    const void *table;

    if (t->own)
        return object;
    memcpy(&table, (const char *)object + t->table_offset, sizeof table);
    return table;
}

size_t proxy_table_length(const struct portolan_proxy_table *t, const void *table)
{
    size_t length = t->length ? t->length(table) : t->size_bytes;

    return length < t->size_bytes ? length : t->size_bytes;
}

void proxy_table_fill(const struct portolan_proxy_table *t, int slot, void *table)
{
    const char *ours = (const char *)t->functions + (t->own ? (size_t)slot * t->size_bytes : 0);
    size_t length = proxy_table_length(t, table);

    for (size_t i = 0; i < t->n_entries; i++)
        if (portolan_proxy_has(table, t->entries[i], length) &&
            (!t->forwards || portolan_proxy_has(table, t->forwards[i], length)))
            memcpy((char *)table + t->entries[i], ours + t->entries[i], sizeof(entry_fn));
}

bool proxy_table_is_ours(const struct portolan_proxy_table *t, const void *object)
{
    const void *table = proxy_table_of(t, object);
    struct portolan_proxy_table one = *t;

    if (!t->own)
        return table && portolan_proxy_is_ours(t, table);
    for (int slot = 0; slot < PORTOLAN_PROXY_SLOTS; slot++) {
        one.functions = (const char *)t->functions + (size_t)slot * t->size_bytes;
        if (portolan_proxy_is_ours(&one, table))
            return true;
    }
    return false;
}

static void *table_create(struct portolan_proxy *proxy)
{
    char *block = portolan_calloc(1, header_bytes + proxy->description->table->size_bytes);

    if (!block)
        return NULL;
    memcpy(block + header_bytes - sizeof proxy, &proxy, sizeof proxy);
    return block + header_bytes;
}

void proxy_table_destroy(void *table)
{
    if (table)
        free((char *)table - header_bytes);
}

enum portolan_status proxy_table_aim(struct portolan_proxy *proxy, struct proxy_record *record,
                                     void *target, const void *table, struct portolan_error *err)
{
    const struct portolan_proxy_table *t = proxy->description->table;
    enum portolan_status status;

    record->table = table_create(proxy);
    if (!record->table)
        return portolan_no_memory(err);
    if (t->fill && target) {
        t->fill(record->table, target);
        record->binding.target = target;
    }
    if (t->fill || (!target && !table)) /* the latter: nothing is connected */
        return PORTOLAN_OK;
    if (!table)
        return portolan_error_set(err, PORTOLAN_EINVAL, "the %s has no table of operations",
                                  proxy->description->type);
    status = take_own_slot(proxy, err);
    if (status != PORTOLAN_OK)
        return status;
    memcpy(record->table, table, proxy_table_length(t, table));
    proxy_table_fill(t, proxy->state->slot, record->table);
    record->binding.target = target;
    record->binding.extra = (void *)table;
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ faces */

/* Copies everything once. Names stay as they are from then on; users set the links. */
static void fill_face(struct portolan_proxy *proxy, const struct proxy_record *record, char *face)
{
    const struct portolan_proxy_table *t = proxy->description->table;
    const void *none = NULL;

    memcpy(face, t->own ? record->table : record->binding.target, t->object_size);
    for (size_t i = 0; i < t->n_links; i++)
        memcpy(face + t->links[i], &none, sizeof none);
    proxy->state->shown = true;
}

void proxy_table_show(struct portolan_proxy *proxy, const struct proxy_record *record)
{
    const struct portolan_proxy_table *t = proxy->description->table;
    char *face = (char *)proxy + t->face_offset;
    const void *target = record->binding.target;

    if (t->show) {
        t->show(proxy, record->table, target);
        return;
    }
    proxy->length = t->own && target ? proxy_table_length(t, target) : t->object_size;
    if (target && !proxy->state->shown)
        fill_face(proxy, record, face);
    for (size_t i = 0; i < t->n_entries && t->own; i++)
        if (memcmp(face + t->entries[i], (char *)record->table + t->entries[i], sizeof(entry_fn)) !=
            0)
            memcpy(face + t->entries[i], (char *)record->table + t->entries[i], sizeof(entry_fn));
    if (!t->own)
        memcpy(face + t->table_offset, &record->table, sizeof record->table);
    if (target && t->follow)
        t->follow(proxy, target);
}
