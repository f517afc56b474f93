/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the definitions of an OTF2 archive. They come in an order that the library chooses, and
 * refer to each other by number; they become entries of the trace's tables when all are there.
 */
#include "otf2_reader.h"

#include <portolan/list.h>

#include <string.h>

/* Callbacks have the parameters that the library requires. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

OTF2_ErrorCode otf2_keep_quiet(void *arg, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list args)
{
    return code;
}

/* Returns a hash; different numbers have different hashes. */
static uint64_t hash_of(uint64_t self)
{
    uint64_t hash = self * UINT64_C(0x9e3779b97f4a7c15);

    return hash ^ hash >> 32;
}

static bool is_same(const void *wanted, size_t i)
{
    (void)wanted, (void)i;
    return true;
}

static void *entry_at(const struct otf2_table *table, size_t i)
{
    return (char *)table->entries + i * table->size;
}

void *otf2_find(const struct otf2_table *table, uint64_t self)
{
    size_t i = portolan_index_find(&table->index, hash_of(self), is_same, NULL);

    return i < SIZE_MAX ? entry_at(table, i) : NULL;
}

/* Returns entry SELF of a table, which is added if it is missing; NULL: no memory. */
static void *entry(struct reader *r, struct otf2_table *table, uint64_t self, size_t size)
{
    size_t i;

    table->size = size;
    if (!portolan_reserve(&table->entries, &table->capacity, table->n + 1, size) ||
        !portolan_index_put(&table->index, hash_of(self), table->n, is_same, NULL, &i)) {
        r->status = PORTOLAN_ENOMEM;
        return NULL;
    }
    if (i == table->n)
        memset(entry_at(table, table->n++), 0, size);
    return entry_at(table, i);
}

static OTF2_CallbackCode done(const struct reader *r)
{
    return r->status ? OTF2_CALLBACK_ERROR : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode put_item(struct reader *r, struct otf2_table *table, uint64_t self,
                                  const void *item, size_t size)
{
    void *at = entry(r, table, self, size);

    if (at)
        memcpy(at, item, size);
    return done(r);
}
#define PUT(TABLE, SELF, TYPE, ...) put_item(r, &r->TABLE, SELF, &(TYPE){__VA_ARGS__}, sizeof(TYPE))

static OTF2_CallbackCode put_text(struct reader *r, OTF2_StringRef self, const char *text)
{
    const char *copy = portolan_arena_strdup(&r->arena, text);

    if (!copy)
        r->status = PORTOLAN_ENOMEM;
    return copy ? PUT(strings, self, const char *, copy) : done(r);
}

static OTF2_CallbackCode set_clock(struct reader *r, uint64_t resolution, uint64_t offset)
{
    r->ticks_per_s = resolution;
    r->first_tick = offset;
    return done(r);
}

static OTF2_CallbackCode add_location(struct reader *r, OTF2_LocationRef self,
                                      OTF2_LocationType type, uint64_t n_events,
                                      OTF2_LocationGroupRef group)
{
    struct otf2_location *l;

    if (type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return OTF2_CALLBACK_SUCCESS;
    if (!portolan_reserve(&r->locations, &r->locations_capacity, r->n_locations + 1, sizeof *l)) {
        r->status = PORTOLAN_ENOMEM;
        return done(r);
    }
    l = &r->locations[r->n_locations++];
    *l = (struct otf2_location){.self = self, .group = group, .expected = n_events};
    return done(r);
}

static OTF2_CallbackCode put_group(struct reader *r, OTF2_GroupRef self, OTF2_GroupType type,
                                   OTF2_Paradigm paradigm, uint32_t n, const uint64_t *members)
{
    struct otf2_group *group = entry(r, &r->groups, self, sizeof *group);
    uint64_t *copy;

    if (!group || paradigm != OTF2_PARADIGM_MPI)
        return done(r);
    copy = portolan_arena_alloc(&r->arena, n + 1, sizeof *copy);
    if (!copy) {
        r->status = PORTOLAN_ENOMEM;
        return done(r);
    }
    memcpy(copy, members, n * sizeof *copy);
    *group = (struct otf2_group){.type = type, .n = n, .members = copy};
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        r->world = *group;
    return done(r);
}

/* Definitions of OTF2: name, parameters, and what is done with them. */
#define DEFINITIONS(X)                                                                             \
    X(String, (OTF2_StringRef self, const char *text), put_text(r, self, text))                    \
    X(ClockProperties, (uint64_t resolution, uint64_t offset, uint64_t length, uint64_t real),     \
      set_clock(r, resolution, offset))                                                            \
    X(SystemTreeNode,                                                                              \
      (OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,                \
       OTF2_SystemTreeNodeRef parent),                                                             \
      PUT(nodes, self, uint32_t, name))                                                            \
    X(LocationGroup,                                                                               \
      (OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,               \
       OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator),                                \
      PUT(processes, self, struct otf2_process, .node = node, .rank = PORTOLAN_TRACE_NONE))        \
    X(Location,                                                                                    \
      (OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type, uint64_t n_events,      \
       OTF2_LocationGroupRef group),                                                               \
      add_location(r, self, type, n_events, group))                                                \
    X(Region,                                                                                      \
      (OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,                         \
       OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,                   \
       OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end),                  \
      PUT(regions, self, struct otf2_named, .name = name,                                          \
          .is_mpi = paradigm == OTF2_PARADIGM_MPI))                                                \
    X(Group,                                                                                       \
      (OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,       \
       OTF2_GroupFlag flags, uint32_t n, const uint64_t *members),                                 \
      put_group(r, self, type, paradigm, n, members))                                              \
    X(Comm,                                                                                        \
      (OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,           \
       OTF2_CommFlag flags),                                                                       \
      PUT(comms, self, struct otf2_comm, .group = group, .remote = OTF2_UNDEFINED_GROUP))          \
    X(InterComm,                                                                                   \
      (OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b,                   \
       OTF2_CommRef common, OTF2_CommFlag flags),                                                  \
      PUT(comms, self, struct otf2_comm, .group = a, .remote = b))                                 \
    X(RmaWin,                                                                                      \
      (OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag flags),        \
      PUT(windows, self, struct otf2_window, .comm = comm))                                        \
    X(Attribute,                                                                                   \
      (OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description, OTF2_Type type),   \
      PUT(attributes, self, struct otf2_named, .name = name))

#define UNPACK(...) __VA_ARGS__
#define DEFINE_CALLBACK(DEFINITION, PARAMETERS, DO)                                                \
    static OTF2_CallbackCode on_##DEFINITION(void *arg, UNPACK PARAMETERS)                         \
    {                                                                                              \
        struct reader *r = arg;                                                                    \
                                                                                                   \
        return DO;                                                                                 \
    }
DEFINITIONS(DEFINE_CALLBACK)

/* ------------------------------------------------- entries of the trace */

const char *otf2_string(const struct reader *r, uint32_t self)
{
    const char *const *string = otf2_find(&r->strings, self);

    return string ? *string : "";
}

/* Gives processes their ranks: their indices in the group of all locations that have MPI. */
static void rank_processes(struct reader *r)
{
    for (size_t i = 0; i < r->n_locations; i++) {
        struct otf2_location *l = &r->locations[i];
        struct otf2_process *process = otf2_find(&r->processes, l->group);

        l->rank = PORTOLAN_TRACE_NONE;
        for (uint32_t rank = 0; rank < r->world.n; rank++)
            if (r->world.members[rank] == l->self)
                l->rank = (int)rank;
        if (l->rank >= 0 && process)
            process->rank = l->rank;
    }
    r->n_ranks = (int)r->world.n;
}

/* Numbers locations: those without rank are threads; processes without MPI follow the ranks. */
static void number_locations(struct reader *r)
{
    for (size_t i = 0; i < r->n_locations; i++) {
        struct otf2_location *l = &r->locations[i];
        struct otf2_process none = {.node = UINT32_MAX, .rank = PORTOLAN_TRACE_NONE};
        struct otf2_process *process = otf2_find(&r->processes, l->group);
        const uint32_t *node;

        process = process ? process : &none;
        node = otf2_find(&r->nodes, process->node);
        l->host = node ? otf2_string(r, *node) : "";
        if (l->rank >= 0)
            continue;
        if (process->rank < 0)
            process->rank = r->n_ranks++;
        else
            l->thread = ++process->n_threads;
        l->rank = process->rank;
    }
}

int otf2_rank(const struct reader *r, uint64_t member)
{
    return member < (uint64_t)r->n_ranks ? (int)member : PORTOLAN_TRACE_NONE;
}

/* Returns the world ranks of a group's members, or else of USERS; NULL without memory. */
static int *ranks_of(struct reader *r, uint32_t self, const bool *users, size_t *n)
{
    const struct otf2_group *group = otf2_find(&r->groups, self);
    size_t most = users ? (size_t)r->n_ranks : group ? group->n : 0;
    int *ranks = portolan_arena_alloc(&r->arena, most + 1, sizeof *ranks);

    *n = 0;
    for (size_t i = 0; ranks && i < most; i++)
        if (!users || users[i])
            ranks[(*n)++] = users || group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS
                                ? (int)i
                                : otf2_rank(r, group->members[i]);
    if (!ranks)
        r->status = PORTOLAN_ENOMEM;
    return ranks;
}

/* Returns whether a communicator is that of all ranks, which is number 0 in the trace; the archive
 * may number it otherwise. */
static bool is_world(const struct reader *r, const struct otf2_comm *comm)
{
    const struct otf2_group *group = otf2_find(&r->groups, comm->group);

    if (!group || comm->remote != OTF2_UNDEFINED_GROUP || group->n != r->world.n)
        return false;
    for (uint32_t i = 0; i < group->n; i++)
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP && group->members[i] != i)
            return false;
    return group->type != OTF2_GROUP_TYPE_COMM_SELF;
}

/* Returns the entry of the trace at AT; SIZE_MAX: no memory. */
static size_t entered(struct reader *r, size_t at)
{
    if (at == SIZE_MAX)
        r->status = PORTOLAN_ENOMEM;
    return at;
}

/* Finds the group that stands for all communicators of a single rank, and communicators without
 * members, which have those ranks that use them. */
static void find_special_comms(struct reader *r)
{
    struct otf2_comm *comms = r->comms.entries;

    for (size_t i = 0; i < r->comms.n && !r->status; i++) {
        const struct otf2_group *group = otf2_find(&r->groups, comms[i].group);

        comms[i].is_self = group && group->type == OTF2_GROUP_TYPE_COMM_SELF;
        if (comms[i].is_self || comms[i].remote != OTF2_UNDEFINED_GROUP ||
            (group && (group->n || group->type == OTF2_GROUP_TYPE_UNKNOWN)))
            continue;
        r->has_users = true;
        comms[i].users = portolan_arena_alloc(&r->arena, (size_t)r->n_ranks + 1, 1);
        if (!comms[i].users)
            r->status = PORTOLAN_ENOMEM;
    }
}

/* Enters communicator ID of each single rank; returns the entry of the first. */
static size_t enter_selves(struct reader *r, uint64_t id)
{
    size_t first = r->trace->n_comms;

    for (int rank = 0; rank < r->n_ranks && !r->status; rank++) {
        const struct portolan_trace_comm comm = {
            .id = id | (uint64_t)(rank + 1) << 32, .n_members = 1, .members = &rank};

        entered(r, portolan_trace_comm(r->trace, &comm));
    }
    return first;
}

static void enter_windows(struct reader *r)
{
    struct otf2_window *windows = r->windows.entries;

    for (size_t i = 0; i < r->windows.n && !r->status; i++) {
        struct portolan_trace_comm window = {.id = i};
        const struct otf2_comm *comm = otf2_find(&r->comms, windows[i].comm);

        if (comm) {
            window.members = comm->members;
            window.n_members = comm->n_members;
        }
        windows[i].at = entered(r, portolan_trace_window(r->trace, &window));
    }
}

void otf2_enter_comms(struct reader *r)
{
    struct otf2_comm *comms = r->comms.entries;
    bool has_world = false;

    for (size_t i = 0; i < r->comms.n && !r->status; i++) {
        struct portolan_trace_comm comm = {.id = i + 1};

        comm.members = ranks_of(r, comms[i].group, comms[i].users, &comm.n_members);
        comm.remote = ranks_of(r, comms[i].remote, NULL, &comm.n_remote);
        comms[i].members = comm.members, comms[i].n_members = comm.n_members;
        comms[i].others = comm.remote, comms[i].n_others = comm.n_remote;
        if (!has_world && is_world(r, &comms[i])) {
            has_world = true;
            continue; /* it is entry 0 */
        }
        comms[i].at = comms[i].is_self ? enter_selves(r, i + 1)
                                       : entered(r, portolan_trace_comm(r->trace, &comm));
    }
    enter_windows(r);
}

/* Returns the name of a routine of MPI; TAU and eztrace define functions, TAU with "()". */
static const char *routine_name(struct reader *r, const char *name)
{
    size_t length = strcspn(name, "(");
    const char *routine =
        name[length] ? portolan_arena_printf(&r->arena, "%.*s", (int)length, name) : name;

    if (!routine)
        r->status = PORTOLAN_ENOMEM;
    return routine;
}

static void enter_regions(struct reader *r)
{
    struct otf2_named *regions = r->regions.entries;

    for (size_t i = 0; i < r->regions.n && !r->status; i++) {
        const char *name = otf2_string(r, regions[i].name);
        struct portolan_trace_region region = {
            .kind = PORTOLAN_TRACE_FUNCTION, .name = name, .user = "", .port = "", .provider = ""};

        regions[i].is_mpi |= strstr(name, "MPI_") == name;
        if (regions[i].is_mpi && !(name = routine_name(r, name)))
            return;
        regions[i].at = entered(r, regions[i].is_mpi ? portolan_trace_routine(r->trace, name)
                                                     : portolan_trace_region(r->trace, &region));
    }
}

static void enter_attributes(struct reader *r)
{
    struct otf2_named *attributes = r->attributes.entries;

    for (size_t i = 0; i < r->attributes.n && !r->status; i++)
        attributes[i].at =
            entered(r, portolan_trace_name(r->trace, otf2_string(r, attributes[i].name)));
}

static OTF2_GlobalDefReaderCallbacks *callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();

#define SET_CALLBACK(DEFINITION, PARAMETERS, DO)                                                   \
    OTF2_GlobalDefReaderCallbacks_Set##DEFINITION##Callback(c, on_##DEFINITION);
    if (c) {
        DEFINITIONS(SET_CALLBACK)
    }
    return c;
}

void otf2_read_definitions(struct reader *r)
{
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(r->otf2);
    OTF2_GlobalDefReaderCallbacks *c = callbacks();
    uint64_t n;

    if (!c) {
        r->status = PORTOLAN_ENOMEM;
        return;
    }
    if (!reader || OTF2_Reader_RegisterGlobalDefCallbacks(r->otf2, reader, c, r) ||
        OTF2_Reader_ReadAllGlobalDefinitions(r->otf2, reader, &n))
        r->status = r->status ? r->status : PORTOLAN_ESYNTAX;
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    if (reader)
        OTF2_Reader_CloseGlobalDefReader(r->otf2, reader);
    if (r->status)
        return;
    rank_processes(r);
    number_locations(r);
    r->trace = portolan_trace_create(r->n_ranks, r->path);
    if (!r->trace) {
        r->status = PORTOLAN_ENOMEM;
        return;
    }
    find_special_comms(r);
    enter_regions(r);
    enter_attributes(r);
}
