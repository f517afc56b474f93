/* SPDX-License-Identifier: BSD-3-Clause */
/* What events refer to: regions and names of the process, and how they are written into files. */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Regions and names; entries never move, so that threads read those that they know of. */
#define CHUNK  256
#define CHUNKS 4096

struct table {
    struct portolan_trace_region *chunks[CHUNKS];
    uint32_t n;
};
static struct table regions, names; /* of names only `name` is used */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct portolan_trace_region *entry_of(const struct table *t, uint32_t number)
{
    struct portolan_trace_region *chunk =
        number < CHUNK * CHUNKS ? __atomic_load_n(&t->chunks[number / CHUNK], __ATOMIC_ACQUIRE)
                                : NULL;

    return chunk ? &chunk[number % CHUNK] : NULL;
}

static bool is_same(const struct portolan_trace_region *a, const struct portolan_trace_region *b)
{
    return a->kind == b->kind && !strcmp(a->name, b->name) && !strcmp(a->user, b->user) &&
           !strcmp(a->port, b->port) && !strcmp(a->provider, b->provider);
}

static const char *copy_text(const char *text)
{
    return *text ? portolan_strdup(text) : "";
}

/* Never freed: events may refer to it until the process ends. */
static bool add_entry(struct table *t, const struct portolan_trace_region *what)
{
    struct portolan_trace_region copy = {
        .kind = what->kind,
        .name = copy_text(what->name),
        .user = copy_text(what->user),
        .port = copy_text(what->port),
        .provider = copy_text(what->provider),
    };

    if (!copy.name || !copy.user || !copy.port || !copy.provider || t->n == CHUNK * CHUNKS)
        return false;
    if (t->n % CHUNK == 0) {
        struct portolan_trace_region *chunk = portolan_calloc(CHUNK, sizeof *chunk);

        if (!chunk)
            return false;
        __atomic_store_n(&t->chunks[t->n / CHUNK], chunk, __ATOMIC_RELEASE);
    }
    *entry_of(t, t->n) = copy;
    return true;
}

static uint32_t find_or_add(struct table *t, const struct portolan_trace_region *what)
{
    uint32_t i = 0;

    pthread_mutex_lock(&lock);
    while (i < t->n && !is_same(entry_of(t, i), what))
        i++;
    if (i == t->n) {
        if (add_entry(t, what))
            t->n++;
        else
            i = UINT32_MAX;
    }
    pthread_mutex_unlock(&lock);
    return i;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

uint32_t portolan_record_region(const struct portolan_trace_region *region)
{
    return find_or_add(&regions, &(struct portolan_trace_region){
                                     .kind = region->kind,
                                     .name = or_empty(region->name),
                                     .user = or_empty(region->user),
                                     .port = or_empty(region->port),
                                     .provider = or_empty(region->provider),
                                 });
}

uint32_t portolan_record_name(const char *name)
{
    return find_or_add(&names, &(struct portolan_trace_region){
                                   .name = or_empty(name), .user = "", .port = "", .provider = ""});
}

const char *record_region_name(uint32_t region)
{
    const struct portolan_trace_region *r = entry_of(&regions, region);

    return r ? r->name : NULL;
}

/* -- into files -- */

void define_region(struct stream *s, uint32_t region)
{
    const struct portolan_trace_region *r = entry_of(&regions, region);
    uint8_t *at;

    if (!r || !stream_is_new(s, KNOWN_REGION, region) ||
        !(at = stream_begin(s, 4 * (PORTOLAN_STREAM_TEXT_MAX + 4) + 16)))
        return;
    at = portolan_stream_unsigned(portolan_stream_unsigned(at, region), r->kind);
    at = portolan_stream_text(portolan_stream_text(at, r->name), r->user);
    stream_end(s, portolan_stream_text(portolan_stream_text(at, r->port), r->provider),
               PORTOLAN_STREAM_REGION);
}

static void define_text(struct stream *s, unsigned known, unsigned kind, uint32_t number,
                        const char *text)
{
    uint8_t *at;

    if (stream_is_new(s, known, number) && (at = stream_begin(s, PORTOLAN_STREAM_TEXT_MAX + 16)))
        stream_end(s, portolan_stream_text(portolan_stream_unsigned(at, number), text), kind);
}

void define_name(struct stream *s, uint32_t name)
{
    const struct portolan_trace_region *r = entry_of(&names, name);

    if (r)
        define_text(s, KNOWN_NAME, PORTOLAN_STREAM_NAME, name, r->name);
}

void define_routine(struct stream *s, uint32_t number, const char *name)
{
    define_text(s, KNOWN_ROUTINE, PORTOLAN_STREAM_ROUTINE, number, name);
}

void define_comm(struct stream *s, const struct portolan_mpi_comm *c)
{
    const size_t most = ((size_t)c->n_members + (size_t)c->n_remote + (size_t)c->n_neighbours) * 15;
    const size_t room = PORTOLAN_STREAM_BLOCK / 2;
    uint8_t *at;

    if (!stream_is_new(s, KNOWN_COMM, c->number) ||
        !(at = stream_begin(s, (most < room ? most : room) + 128)))
        return;
    at = portolan_stream_unsigned(portolan_stream_unsigned(at, c->number), c->id);
    at = portolan_stream_ranks(at, s->end, c->members, (size_t)c->n_members);
    at = portolan_stream_ranks(at, s->end, c->remote, (size_t)c->n_remote);
    at = portolan_stream_ranks(at, s->end, c->neighbours, (size_t)c->n_neighbours);
    stream_end(s, at, c->is_window ? PORTOLAN_STREAM_WINDOW : PORTOLAN_STREAM_COMM);
}
