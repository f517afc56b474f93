/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions to which events refer, that is regions and names of the process, and how they are
 * written into files. */
#include "internal.h"

#include <pthread.h>
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

    if (r && stream_is_new(s, KNOWN_REGION, region))
        stream_define(
            s, PORTOLAN_STREAM_REGION,
            &(struct portolan_stream_definition){.number = {region, r->kind},
                                                 .text = {r->name, r->user, r->port, r->provider}});
}

static void define_text(struct stream *s, unsigned known, unsigned kind, uint32_t number,
                        const char *text)
{
    if (stream_is_new(s, known, number))
        stream_define(s, kind,
                      &(struct portolan_stream_definition){.number = {number}, .text = {text}});
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
    if (stream_is_new(s, KNOWN_COMM, c->number))
        stream_define(
            s, c->is_window ? PORTOLAN_STREAM_WINDOW : PORTOLAN_STREAM_COMM,
            &(struct portolan_stream_definition){
                .number = {c->number, c->id},
                .list = {c->members, c->remote, c->neighbours},
                .n_list = {(size_t)c->n_members, (size_t)c->n_remote, (size_t)c->n_neighbours}});
}
