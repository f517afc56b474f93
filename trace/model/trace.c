/* SPDX-License-Identifier: BSD-3-Clause */
/* The container of a trace: tables whose entries are found by content, and events by location. */
#include "internal.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_EVENTS = 64,
    MOST_EVENTS = 4096 /* numbers of events in a block */,
    MOST_ENTRIES = 1 << 24
};

static struct trace_builder *builder_of(struct portolan_trace *trace)
{
    return (struct trace_builder *)trace;
}

size_t portolan_trace_place(const int *ranks, size_t n, int rank)
{
    size_t place = 0;

    if (rank >= 0 && (size_t)rank < n && ranks[rank] == rank) /* in a communicator of all ranks */
        return (size_t)rank;
    while (place < n && ranks[place] != rank)
        place++;
    return place;
}

double portolan_trace_value(const struct portolan_trace_event *event)
{
    double value;

    memcpy(&value, &event->bytes, sizeof value);
    return value;
}

struct portolan_trace *portolan_trace_create(int n_ranks, const char *source)
{
    struct trace_builder *b = portolan_calloc(1, sizeof *b);
    struct portolan_trace_comm world = {.n_members = n_ranks > 0 ? (size_t)n_ranks : 0};
    int *members = portolan_calloc(world.n_members + 1, sizeof *members);
    bool ok = b && members;

    for (int i = 0; ok && i < n_ranks; i++)
        members[i] = i;
    world.members = members;
    if (ok) {
        b->trace.n_ranks = n_ranks;
        ok = (b->trace.source = portolan_arena_strdup(&b->arena, source ? source : "")) &&
             portolan_trace_comm(&b->trace, &world) == 0;
    }
    free(members);
    if (ok)
        return &b->trace;
    portolan_trace_destroy(b ? &b->trace : NULL);
    return NULL;
}

void trace_free_blocks(struct event_blocks *blocks)
{
    for (struct event_block *block = blocks->first, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *blocks = (struct event_blocks){0};
}

void portolan_trace_destroy(struct portolan_trace *trace)
{
    struct trace_builder *b = builder_of(trace);

    if (!trace)
        return;
    for (size_t i = 0; b->blocks && i < trace->n_locations; i++)
        trace_free_blocks(&b->blocks[i]);
    for (int i = 0; i < TRACE_TABLES; i++)
        portolan_index_clear(&b->index[i]);
    free(b->blocks);
    free(trace->events);
    free(trace->locations);
    free(trace->regions);
    free(trace->routines);
    free(trace->names);
    free(trace->comms);
    free(trace->windows);
    portolan_arena_clear(&b->arena);
    free(b);
}

/* ------------------------------------------------- tables */

/* An entry that is looked for, and its table. */
struct wanted {
    const void *items, *entry;
};

static bool same_region(const void *arg, size_t i)
{
    const struct wanted *w = arg;
    const struct portolan_trace_region *a = w->entry,
                                       *b = &((const struct portolan_trace_region *)w->items)[i];

    return a->kind == b->kind && strcmp(a->name, b->name) == 0 && strcmp(a->user, b->user) == 0 &&
           strcmp(a->port, b->port) == 0 && strcmp(a->provider, b->provider) == 0;
}

static bool same_text(const void *arg, size_t i)
{
    const struct wanted *w = arg;

    return strcmp(w->entry, ((const char *const *)w->items)[i]) == 0;
}

static bool same_comm(const void *arg, size_t i)
{
    const struct wanted *w = arg;
    const struct portolan_trace_comm *comms = w->items;

    return ((const struct portolan_trace_comm *)w->entry)->id == comms[i].id;
}

/*
 * Finds ENTRY, or makes room for it at the end of *ITEMS, in which there are N. *AT is its index;
 * if it is N, the entry is new: the caller fills it in and calls count_entry(). False: no memory.
 */
static bool find_or_reserve(struct trace_builder *b, unsigned table, uint64_t hash,
                            portolan_index_same_fn same, const void *entry, void *items, size_t n,
                            size_t size, size_t *at)
{
    struct wanted wanted = {.entry = entry};

    memcpy(&wanted.items, items, sizeof wanted.items);
    *at = portolan_index_find(&b->index[table], hash, same, &wanted);
    if (*at != SIZE_MAX)
        return true;
    *at = n;
    return n < MOST_ENTRIES && portolan_reserve(items, &b->room[table], n + 1, size);
}

/* Counts entry *N, which is filled in, and returns its index; SIZE_MAX: no memory. */
static size_t count_entry(struct trace_builder *b, unsigned table, uint64_t hash, size_t *n)
{
    return b->arena.failed || !portolan_index_add(&b->index[table], hash, *n) ? SIZE_MAX : (*n)++;
}

static uint64_t hash_text(const char *text, uint64_t seed)
{
    return portolan_hash(text, strlen(text) + 1, seed);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

size_t portolan_trace_region(struct portolan_trace *trace,
                             const struct portolan_trace_region *region)
{
    struct trace_builder *b = builder_of(trace);
    struct portolan_trace_region r = {region->kind, or_empty(region->name), or_empty(region->user),
                                      or_empty(region->port), or_empty(region->provider)};
    uint64_t hash = hash_text(r.provider, hash_text(r.port, hash_text(r.user, 0)));
    size_t at;

    hash = hash_text(r.name, hash);
    if (!find_or_reserve(b, PORTOLAN_TRACE_REGIONS, hash, same_region, &r, &trace->regions,
                         trace->n_regions, sizeof r, &at))
        return SIZE_MAX;
    if (at < trace->n_regions)
        return at;
    r.name = portolan_arena_strdup(&b->arena, r.name);
    r.user = portolan_arena_strdup(&b->arena, r.user);
    r.port = portolan_arena_strdup(&b->arena, r.port);
    r.provider = portolan_arena_strdup(&b->arena, r.provider);
    trace->regions[at] = r;
    return count_entry(b, PORTOLAN_TRACE_REGIONS, hash, &trace->n_regions);
}

static size_t text_entry(struct trace_builder *b, unsigned table, const char *text,
                         const char ***texts, size_t *n)
{
    uint64_t hash = hash_text(text, 0);
    size_t at;

    if (!find_or_reserve(b, table, hash, same_text, text, texts, *n, sizeof **texts, &at))
        return SIZE_MAX;
    if (at < *n)
        return at;
    (*texts)[at] = portolan_arena_strdup(&b->arena, text);
    return count_entry(b, table, hash, n);
}

size_t portolan_trace_routine(struct portolan_trace *trace, const char *name)
{
    return text_entry(builder_of(trace), PORTOLAN_TRACE_ROUTINES, name, &trace->routines,
                      &trace->n_routines);
}

size_t portolan_trace_name(struct portolan_trace *trace, const char *name)
{
    return text_entry(builder_of(trace), PORTOLAN_TRACE_NAMES, name, &trace->names,
                      &trace->n_names);
}

static const void *copied(struct portolan_arena *a, const void *items, size_t n, size_t size)
{
    void *copy = items ? portolan_arena_alloc(a, n, size) : NULL;

    return copy && n ? memcpy(copy, items, n * size) : copy;
}

static size_t comm_entry(struct trace_builder *b, unsigned table,
                         const struct portolan_trace_comm *comm, struct portolan_trace_comm **comms,
                         size_t *n)
{
    struct portolan_trace_comm c = *comm;
    struct portolan_arena *a = &b->arena;
    uint64_t hash = portolan_hash(&c.id, sizeof c.id, 0);
    size_t at;

    if (!find_or_reserve(b, table, hash, same_comm, &c, comms, *n, sizeof c, &at))
        return SIZE_MAX;
    if (at < *n)
        return at;
    c.members = copied(a, c.members, c.n_members, sizeof *c.members);
    c.remote = copied(a, c.remote, c.n_remote, sizeof *c.remote);
    if (c.neighbours && c.first_neighbour) {
        c.neighbours =
            copied(a, c.neighbours, c.first_neighbour[c.n_members], sizeof *c.neighbours);
        c.first_neighbour =
            copied(a, c.first_neighbour, c.n_members + 1, sizeof *c.first_neighbour);
    } else {
        c.neighbours = NULL;
        c.first_neighbour = NULL;
    }
    (*comms)[at] = c;
    return count_entry(b, table, hash, n);
}

bool portolan_trace_neighbours(struct portolan_trace *trace, size_t comm, int rank,
                               const int *ranks, size_t n)
{
    struct portolan_trace_comm *c = &trace->comms[comm];
    struct portolan_arena *a = &builder_of(trace)->arena;
    size_t place = portolan_trace_place(c->members, c->n_members, rank), total;
    size_t *first = (size_t *)c->first_neighbour;
    int *all = (int *)c->neighbours;

    if (place == c->n_members || (first && first[place] != first[place + 1]))
        return true;
    if (!first && !(first = portolan_arena_alloc(a, c->n_members + 1, sizeof *first)))
        return false;
    total = first[c->n_members];
    for (size_t i = 0; i < n; i++)
        if (!(all = portolan_arena_grow(a, all, total + i, sizeof *all)))
            return false;
    memmove(all + first[place + 1] + n, all + first[place + 1],
            (total - first[place + 1]) * sizeof *all);
    memcpy(all + first[place + 1], ranks, n * sizeof *all);
    for (size_t m = place + 1; m <= c->n_members; m++)
        first[m] += n;
    c->first_neighbour = first;
    c->neighbours = all;
    return true;
}

size_t portolan_trace_comm(struct portolan_trace *trace, const struct portolan_trace_comm *comm)
{
    return comm_entry(builder_of(trace), PORTOLAN_TRACE_COMMS, comm, &trace->comms,
                      &trace->n_comms);
}

size_t portolan_trace_window(struct portolan_trace *trace, const struct portolan_trace_comm *window)
{
    return comm_entry(builder_of(trace), PORTOLAN_TRACE_WINDOWS, window, &trace->windows,
                      &trace->n_windows);
}

/* ------------------------------------------------- events */

static bool is_location(const struct portolan_trace_location *l, const int place[2])
{
    return l->rank == place[0] && l->thread == place[1];
}

static bool same_location(const void *arg, size_t i)
{
    const struct wanted *w = arg;

    return is_location(&((const struct portolan_trace_location *)w->items)[i], w->entry);
}

struct portolan_trace_location *portolan_trace_locate(struct portolan_trace *trace, int rank,
                                                      int thread, const char *host)
{
    struct trace_builder *b = builder_of(trace);
    int place[2] = {rank, thread};
    size_t at = b->latest, n = trace->n_locations;

    if (rank < 0)
        return NULL;
    if (at >= n || !is_location(&trace->locations[at], place)) {
        uint64_t hash = portolan_hash(place, sizeof place, 0);

        if (!portolan_reserve(&b->blocks, &b->blocks_room, n + 1, sizeof *b->blocks) ||
            !find_or_reserve(b, LOCATIONS, hash, same_location, place, &trace->locations, n,
                             sizeof *trace->locations, &at))
            return NULL;
        if (at == n) {
            b->blocks[n] = (struct event_blocks){0};
            trace->locations[n] = (struct portolan_trace_location){
                .rank = rank, .thread = thread, .host = "", .clock = ""};
            if (trace->n_ranks <= rank)
                trace->n_ranks = rank + 1;
            if (count_entry(b, LOCATIONS, hash, &trace->n_locations) == SIZE_MAX)
                return NULL;
        }
        b->latest = at;
    }
    if (host && *host && !*trace->locations[at].host &&
        !(trace->locations[at].host = portolan_arena_strdup(&b->arena, host)))
        return NULL;
    return &trace->locations[at];
}

bool portolan_trace_set_clock(struct portolan_trace *trace,
                              struct portolan_trace_location *location, const char *clock)
{
    const char *copy = *location->clock ? location->clock
                                        : portolan_arena_strdup(&builder_of(trace)->arena, clock);

    if (copy)
        location->clock = copy;
    return copy;
}

/* Appends a block. Their sizes double, so that many small locations take little memory. */
static struct event_block *append_block(struct event_blocks *blocks)
{
    size_t room = !blocks->last ? FIRST_EVENTS : 2 * blocks->last->room;
    struct event_block *block;

    if (room > MOST_EVENTS)
        room = MOST_EVENTS;
    if (!(block = portolan_reallocarray(
              NULL, 1, sizeof *block + room * sizeof(struct portolan_trace_event))))
        return NULL;
    *block = (struct event_block){.room = room};
    if (blocks->last)
        blocks->last->next = block;
    else
        blocks->first = block;
    return blocks->last = block;
}

bool portolan_trace_add(struct portolan_trace *trace, int rank, int thread,
                        const struct portolan_trace_event *event)
{
    struct trace_builder *b = builder_of(trace);
    struct portolan_trace_location *location = portolan_trace_locate(trace, rank, thread, NULL);
    struct event_blocks *blocks = location ? &b->blocks[location - trace->locations] : NULL;
    struct event_block *block = blocks ? blocks->last : NULL;

    if (!blocks)
        return false;
    if (block && block->n && event->ns < block->events[block->n - 1].ns)
        blocks->is_unordered = true;
    if ((!block || block->n == block->room) && !(block = append_block(blocks)))
        return false;
    block->events[block->n++] = *event;
    blocks->n++;
    location->n++;
    return true;
}
