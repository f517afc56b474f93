/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of an OTF2 archive. They come in an order of the library's, refer to each other by
 * number, and are made entries of the trace's tables when all are there.
 */
#include "otf2_reader.h"

#include <portolan/list.h>

#include <string.h>

/* Callbacks have the parameters of the library. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

OTF2_ErrorCode otf2_keep_quiet(void *arg, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list args)
{
    return code;
}

/* An entry SELF of a table, grown to hold it; NULL without memory, or for a number out of reach. */
static void *entry(struct reader *r, struct otf2_table *table, uint64_t self, size_t size)
{
    if (self >= OTF2_TABLE_MAX ||
        !portolan_reserve(&table->entries, &table->capacity, (size_t)self + 1, size)) {
        r->status = self >= OTF2_TABLE_MAX ? PORTOLAN_ESYNTAX : PORTOLAN_ENOMEM;
        return NULL;
    }
    if (self >= table->n) {
        memset((char *)table->entries + table->n * size, 0, ((size_t)self + 1 - table->n) * size);
        table->n = (size_t)self + 1;
    }
    return (char *)table->entries + (size_t)self * size;
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
        r->world = self;
    return done(r);
}

/* Definitions of OTF2: name, parameters, and what is done about it. */
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
      PUT(comms, self, struct otf2_comm, .is_used = true, .group = group,                          \
          .remote = OTF2_UNDEFINED_GROUP))                                                         \
    X(InterComm,                                                                                   \
      (OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b,                   \
       OTF2_CommRef common, OTF2_CommFlag flags),                                                  \
      PUT(comms, self, struct otf2_comm, .is_used = true, .group = a, .remote = b))                \
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
    const char *const *strings = r->strings.entries;

    return self < r->strings.n && strings[self] ? strings[self] : "";
}

static const struct otf2_group *find_group(const struct reader *r, uint32_t self)
{
    const struct otf2_group *groups = r->groups.entries;

    return self < r->groups.n ? &groups[self] : NULL;
}

/* Ranks of processes: places in the group of all locations that have MPI. */
static void rank_processes(struct reader *r)
{
    const struct otf2_group *world = find_group(r, r->world);
    struct otf2_process *processes = r->processes.entries;

    for (size_t i = 0; i < r->n_locations; i++) {
        struct otf2_location *l = &r->locations[i];

        l->rank = PORTOLAN_TRACE_NONE;
        for (uint32_t rank = 0; world && rank < world->n; rank++)
            if (world->members[rank] == l->self)
                l->rank = (int)rank;
        if (l->rank >= 0 && l->group < r->processes.n)
            processes[l->group].rank = l->rank;
    }
    r->n_ranks = world ? (int)world->n : 0;
}

/* Locations that have no rank are further threads; processes without MPI come after the ranks. */
static void number_locations(struct reader *r)
{
    struct otf2_process *processes = r->processes.entries;

    for (size_t i = 0; i < r->n_locations; i++) {
        struct otf2_location *l = &r->locations[i];
        struct otf2_process none = {.rank = PORTOLAN_TRACE_NONE};
        struct otf2_process *process = l->group < r->processes.n ? &processes[l->group] : &none;
        const uint32_t *nodes = r->nodes.entries;

        l->host = otf2_string(r, process->node < r->nodes.n ? nodes[process->node] : UINT32_MAX);
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

/* World ranks of a group's members; NULL without memory. */
static int *ranks_of(struct reader *r, uint32_t self, size_t *n)
{
    const struct otf2_group *group = find_group(r, self);
    int *ranks;

    *n = group && group->type != OTF2_GROUP_TYPE_COMM_SELF ? group->n : 0;
    ranks = portolan_arena_alloc(&r->arena, *n + 1, sizeof *ranks);
    for (size_t i = 0; ranks && i < *n; i++)
        ranks[i] = group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? (int)i
                                                                 : otf2_rank(r, group->members[i]);
    if (!ranks)
        r->status = PORTOLAN_ENOMEM;
    return ranks;
}

/* Communicator 0 of the trace is that of all ranks, which the archive may number otherwise. */
static bool is_world(const struct reader *r, const struct otf2_comm *comm)
{
    const struct otf2_group *group = find_group(r, comm->group), *world = find_group(r, r->world);

    if (!group || !world || comm->remote != OTF2_UNDEFINED_GROUP || group->n != world->n)
        return false;
    for (uint32_t i = 0; i < group->n; i++)
        if (group->type == OTF2_GROUP_TYPE_COMM_GROUP && group->members[i] != i)
            return false;
    return group->type != OTF2_GROUP_TYPE_COMM_SELF;
}

/* The entry of the trace at AT; SIZE_MAX: no memory. */
static size_t entered(struct reader *r, size_t at)
{
    if (at == SIZE_MAX)
        r->status = PORTOLAN_ENOMEM;
    return at;
}

static void enter_comms(struct reader *r)
{
    struct otf2_comm *comms = r->comms.entries;
    bool has_world = false;

    for (size_t i = 0; i < r->comms.n && !r->status; i++) {
        struct portolan_trace_comm comm = {.id = i + 1};

        if (!comms[i].is_used)
            continue;
        comm.members = ranks_of(r, comms[i].group, &comm.n_members);
        comm.remote = ranks_of(r, comms[i].remote, &comm.n_remote);
        comms[i].members = comm.members, comms[i].n_members = comm.n_members;
        comms[i].others = comm.remote, comms[i].n_others = comm.n_remote;
        if (!has_world && is_world(r, &comms[i])) {
            has_world = true;
            continue; /* entry 0 */
        }
        comms[i].at = entered(r, portolan_trace_comm(r->trace, &comm));
    }
}

static void enter_windows(struct reader *r)
{
    struct otf2_window *windows = r->windows.entries;
    const struct otf2_comm *comms = r->comms.entries;

    for (size_t i = 0; i < r->windows.n && !r->status; i++) {
        struct portolan_trace_comm window = {.id = i};

        if (windows[i].comm < r->comms.n) {
            window.members = comms[windows[i].comm].members;
            window.n_members = comms[windows[i].comm].n_members;
        }
        windows[i].at = entered(r, portolan_trace_window(r->trace, &window));
    }
}

static void enter_regions(struct reader *r)
{
    struct otf2_named *regions = r->regions.entries;

    for (size_t i = 0; i < r->regions.n && !r->status; i++) {
        const char *name = otf2_string(r, regions[i].name);
        struct portolan_trace_region region = {
            .kind = PORTOLAN_TRACE_FUNCTION, .name = name, .user = "", .port = "", .provider = ""};

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

    r->world = OTF2_UNDEFINED_GROUP;
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
    enter_comms(r);
    enter_windows(r);
    enter_regions(r);
    enter_attributes(r);
}
