/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods that handles mean: written when a port is connected, read by snapshots, and never
 * freed, because handles are not. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct method_block {
    struct method_block *next;
    struct portolan_arena arena; /* of all below */
    size_t count;
    struct portolan_probe_method_info *infos;
};

pthread_mutex_t probe_methods_lock = PTHREAD_MUTEX_INITIALIZER;
static struct method_block *blocks;
static uint32_t next_handle = PORTOLAN_PROBE_HANDLE_OWN + 1;

#define OURS(number, text)                                                                         \
    {                                                                                              \
        .handle = (number), .connection = {"", "", "", "", "", ""}, .method = {                    \
            .name = (text),                                                                        \
            .context = {"", "", "", ""}                                                            \
        }                                                                                          \
    }

static struct portolan_probe_method_info ours[] = {
    OURS(PORTOLAN_PROBE_HANDLE_ROOT, "(root)"), OURS(PORTOLAN_PROBE_HANDLE_OTHER, "(other paths)"),
    OURS(PORTOLAN_PROBE_HANDLE_OWN, "(Portolan itself)")};

static bool same_text(const char *kept, const char *given)
{
    return strcmp(kept, given ? given : "") == 0;
}

static bool same_connection(const struct portolan_probe_connection *a,
                            const struct portolan_probe_connection *b)
{
    return same_text(a->user, b->user) && same_text(a->uses, b->uses) &&
           same_text(a->provider, b->provider) && same_text(a->provides, b->provides) &&
           same_text(a->provider_class, b->provider_class) && same_text(a->port_type, b->port_type);
}

static bool same_method(const struct portolan_probe_method *a,
                        const struct portolan_probe_method *b)
{
    if (!same_text(a->name, b->name) || a->n_context != b->n_context || a->kind != b->kind ||
        a->real_contexts != b->real_contexts)
        return false;
    for (unsigned i = 0; i < a->n_context; i++)
        if (!same_text(a->context[i], b->context[i]))
            return false;
    return true;
}

static const struct method_block *block_find(const struct portolan_probe_connection *connection,
                                             const struct portolan_probe_method *methods,
                                             size_t count)
{
    for (const struct method_block *b = blocks; b; b = b->next) {
        size_t i = 0;

        if (b->count != count || !same_connection(&b->infos[0].connection, connection))
            continue;
        while (i < count && same_method(&b->infos[i].method, &methods[i]))
            i++;
        if (i == count)
            return b;
    }
    return NULL;
}

static const char *keep(struct method_block *b, const char *text)
{
    return portolan_arena_strdup(&b->arena, text ? text : "");
}

static struct portolan_probe_method_info keep_info(struct method_block *b,
                                                   const struct portolan_probe_connection *c,
                                                   const struct portolan_probe_method *m)
{
    struct portolan_probe_method_info info = {
        .connection = {keep(b, c->user), keep(b, c->uses), keep(b, c->provider),
                       keep(b, c->provides), keep(b, c->provider_class), keep(b, c->port_type)},
        .method = *m};

    info.method.name = keep(b, m->name);
    for (unsigned i = 0; i < PORTOLAN_PROBE_CONTEXTS; i++)
        info.method.context[i] = keep(b, i < m->n_context ? m->context[i] : "");
    return info;
}

static struct method_block *block_create(const struct portolan_probe_connection *connection,
                                         const struct portolan_probe_method *methods, size_t count)
{
    struct method_block *b = portolan_calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->count = count;
    b->infos = portolan_arena_alloc(&b->arena, count, sizeof *b->infos);
    for (size_t i = 0; b->infos && i < count; i++)
        b->infos[i] = keep_info(b, connection, &methods[i]);
    if (!b->arena.failed)
        return b;
    portolan_arena_clear(&b->arena);
    free(b);
    return NULL;
}

static enum portolan_status block_add(const struct portolan_probe_connection *connection,
                                      const struct portolan_probe_method *methods, size_t count,
                                      uint32_t *first)
{
    struct method_block *b;

    if (count > PROBE_TIMED - next_handle || !(b = block_create(connection, methods, count)))
        return PORTOLAN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        b->infos[i].handle =
            next_handle++ | (methods->kind == PORTOLAN_PROBE_CALL_OF_PORT ? 0 : PROBE_TIMED);
    b->next = blocks;
    blocks = b;
    *first = b->infos[0].handle;
    return PORTOLAN_OK;
}

enum portolan_status
portolan_probe_methods_register(const struct portolan_probe_connection *connection,
                                const struct portolan_probe_method *methods, size_t count,
                                uint32_t *first, struct portolan_error *err)
{
    enum portolan_status status = PORTOLAN_OK;
    const struct method_block *known;

    if (!count)
        return portolan_error_set(err, PORTOLAN_EINVAL, "a port without methods is not measured");
    for (size_t i = 0; i < count; i++) {
        if (methods[i].n_context > PORTOLAN_PROBE_CONTEXTS)
            return portolan_error_set(
                err, PORTOLAN_EINVAL,
                "method %s has %u context parameters; at most %d are possible", methods[i].name,
                methods[i].n_context, PORTOLAN_PROBE_CONTEXTS);
        if (methods[i].kind != methods[0].kind)
            return portolan_error_set(err, PORTOLAN_EINVAL,
                                      "methods %s and %s are of different kinds", methods[0].name,
                                      methods[i].name);
    }
    pthread_mutex_lock(&probe_methods_lock);
    known = block_find(connection, methods, count);
    if (known)
        *first = known->infos[0].handle;
    else
        status = block_add(connection, methods, count, first);
    pthread_mutex_unlock(&probe_methods_lock);
    if (status != PORTOLAN_OK)
        return portolan_error_set(err, status, "no memory for the methods of port %s of %s",
                                  connection->uses, connection->user);
    return PORTOLAN_OK;
}

const struct portolan_probe_method_info *probe_method_read(uint32_t handle)
{
    if (handle <= PORTOLAN_PROBE_HANDLE_OWN)
        return &ours[handle];
    for (const struct method_block *b = blocks; b; b = b->next)
        if (handle >= b->infos[0].handle && handle - b->infos[0].handle < b->count)
            return &b->infos[handle - b->infos[0].handle];
    return NULL;
}

const struct portolan_probe_method_info *portolan_probe_method_peek(uint32_t handle)
{
    const struct portolan_probe_method_info *info;

    pthread_mutex_lock(&probe_methods_lock);
    info = probe_method_read(handle);
    pthread_mutex_unlock(&probe_methods_lock);
    return info;
}

void portolan_probe_methods_visit(bool (*visit)(void *arg,
                                                const struct portolan_probe_method_info *info),
                                  void *arg)
{
    bool more = true;

    pthread_mutex_lock(&probe_methods_lock);
    for (const struct method_block *b = blocks; b && more; b = b->next)
        for (size_t i = 0; i < b->count && more; i++)
            more = visit(arg, &b->infos[i]);
    pthread_mutex_unlock(&probe_methods_lock);
}
