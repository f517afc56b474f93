/* SPDX-License-Identifier: BSD-3-Clause */
/* Message buffers. */
#include "internal.h"

struct pvm_buffer *pvm_buffer_of(struct pvm_task *t, int id)
{
    return id > 0 && (size_t)id <= t->n_buffers && t->buffers[id - 1].id ? &t->buffers[id - 1]
                                                                         : NULL;
}

static struct pvm_buffer *free_buffer(struct pvm_task *t)
{
    struct pvm_buffer *grown;

    for (size_t i = 0; i < t->n_buffers; i++)
        if (!t->buffers[i].id)
            return &t->buffers[i];
    grown = realloc(t->buffers, (t->n_buffers + 8) * sizeof *grown);
    if (!grown)
        return NULL;
    memset(grown + t->n_buffers, 0, 8 * sizeof *grown);
    t->buffers = grown;
    t->n_buffers += 8;
    return &grown[t->n_buffers - 8];
}

struct pvm_buffer *pvm_buffer_new(struct pvm_task *t, int encoding)
{
    struct pvm_buffer *b = free_buffer(t);

    if (b)
        *b = (struct pvm_buffer){
            .id = (int)(b - t->buffers) + 1, .encoding = encoding, .source = t->tid};
    return b;
}

void pvm_buffer_free(struct pvm_task *t, int id)
{
    struct pvm_buffer *b = pvm_buffer_of(t, id);

    if (!b)
        return;
    free(b->bytes);
    free(b->parts);
    *b = (struct pvm_buffer){0};
    t->send_buffer = t->send_buffer == id ? 0 : t->send_buffer;
    t->receive_buffer = t->receive_buffer == id ? 0 : t->receive_buffer;
}

char *pvm_buffer_grow(struct pvm_buffer *b, size_t n)
{
    if (b->n + n > b->room) {
        size_t room = (b->n + n) * 2;
        char *bytes = realloc(b->bytes, room);

        if (!bytes)
            return NULL;
        b->bytes = bytes;
        b->room = room;
    }
    b->n += n;
    return b->bytes + b->n - n;
}

struct pvm_buffer *pvm_buffer_of_bytes(struct pvm_task *t, int encoding, const void *data, size_t n)
{
    struct pvm_buffer *b = pvm_buffer_new(t, encoding == PvmDataInPlace ? PvmDataRaw : encoding);
    char *to = b && n ? pvm_buffer_grow(b, n) : NULL;

    if (b && n && !to) {
        pvm_buffer_free(t, b->id);
        return NULL;
    }
    if (to && data)
        memcpy(to, data, n);
    return b;
}

bool pvm_buffer_gather(struct pvm_buffer *b)
{
    if (b->encoding != PvmDataInPlace || !b->n_parts)
        return true;
    b->n = 0;
    for (size_t i = 0; i < b->n_parts; i++) {
        char *to = pvm_buffer_grow(b, b->parts[i].bytes);

        if (!to)
            return false;
        memcpy(to, b->parts[i].data, b->parts[i].bytes);
    }
    return true;
}

int pvm_buffer_receive(struct pvm_task *t, int id)
{
    if (t->receive_buffer && t->receive_buffer != id)
        pvm_buffer_free(t, t->receive_buffer);
    return t->receive_buffer = id;
}

/* ------------------------------------------------- for programs */

static int make(int encoding)
{
    struct pvm_buffer *b;

    if (encoding < PvmDataDefault || encoding > PvmDataInPlace)
        return PvmBadParam;
    b = pvm_buffer_new(pvm_self(), encoding);
    return b ? b->id : PvmNoMem;
}

PVM_CALL(pvm_mkbuf, (int encoding), make(encoding))

PORTOLAN_API int pvm_initsend(int encoding)
{
    int id;

    PVM_ENTER();
    id = make(encoding);
    if (id > 0) {
        pvm_buffer_free(pvm_self(), pvm_self()->send_buffer);
        pvm_self()->send_buffer = id;
    }
    return pvm_leave(id);
}

/* Defines a public function as an expression of the buffer B with ID. */
#define PVM_OF_BUFFER(name, parameters, ...)                                                       \
    PORTOLAN_API int name parameters                                                               \
    {                                                                                              \
        struct pvm_buffer *b;                                                                      \
                                                                                                   \
        PVM_ENTER();                                                                               \
        b = pvm_buffer_of(pvm_self(), id);                                                         \
        return pvm_leave(b ? (__VA_ARGS__) : id > 0 ? PvmNoSuchBuf : PvmBadParam);                 \
    }

PVM_OF_BUFFER(pvm_freebuf, (int id), (pvm_buffer_free(pvm_self(), b->id), PvmOk))

PVM_VALUE(pvm_getsbuf, (void), pvm_self()->send_buffer)
PVM_VALUE(pvm_getrbuf, (void), pvm_self()->receive_buffer)

static int set_active(int *active, int id)
{
    int old = *active;

    if (id && !pvm_buffer_of(pvm_self(), id))
        return PvmNoSuchBuf;
    *active = id;
    return old;
}

PVM_CALL(pvm_setsbuf, (int id), set_active(&pvm_self()->send_buffer, id))

PORTOLAN_API int pvm_setrbuf(int id)
{
    struct pvm_buffer *b;

    PVM_ENTER();
    b = pvm_buffer_of(pvm_self(), id);
    if (b && id != pvm_self()->receive_buffer)
        b->at = 0;
    return pvm_leave(set_active(&pvm_self()->receive_buffer, id));
}

int pvm_buffer_describe(const struct pvm_buffer *b, int *bytes, int *tag, int *source)
{
    if (bytes)
        *bytes = (int)b->n;
    if (tag)
        *tag = b->tag;
    if (source)
        *source = b->source;
    return PvmOk;
}

PVM_OF_BUFFER(pvm_bufinfo, (int id, int *bytes, int *tag, int *source),
              pvm_buffer_describe(b, bytes, tag, source))

static int get_info(const struct pvm_buffer *b, struct pvmminfo *info)
{
    *info = (struct pvmminfo){.len = (int)b->n,
                              .ctx = b->context,
                              .tag = b->tag,
                              .wid = b->wait_id,
                              .enc = b->encoding,
                              .src = b->source,
                              .dst = pvm_self()->tid};
    return PvmOk;
}

static int set_info(struct pvm_buffer *b, const struct pvmminfo *info)
{
    b->context = info->ctx;
    b->tag = info->tag;
    b->wait_id = info->wid;
    b->source = info->src;
    return PvmOk;
}

PVM_OF_BUFFER(pvm_getminfo, (int id, struct pvmminfo *info), get_info(b, info))
PVM_OF_BUFFER(pvm_setminfo, (int id, struct pvmminfo *info), set_info(b, info))
