/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a trace as an OTF2 archive. */
#include "otf2.h"

#include <portolan/list.h>

#include <errno.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { EVENT_CHUNK = 1 << 20, DEFINITION_CHUNK = 1 << 22, EVENT_BYTES = 48 /* at most */ };

/* A group of MPI_Win_post or MPI_Win_start: ACCESS events one after the other. */
struct group {
    const struct portolan_trace_event *first;
    size_t n;
};

/*
 * Numbers in the archive. Regions: those of the trace, then its routines. Groups: all ranks, then
 * two of each communicator, then those of windows. Attributes are names of values.
 */
struct writer {
    const struct portolan_trace *trace;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *definitions;
    OTF2_EvtWriter *events;
    OTF2_AttributeList *attributes;
    uint32_t n_strings;
    uint64_t *n_written; /* of each location */
    uint32_t *metrics;   /* number + 1 of the metric of each name; 0: there is none */
    uint32_t n_metrics;
    struct group *groups;
    size_t n_groups;
    uint32_t *posted; /* event that posted a request of this location, by its number; + 1 */
    size_t posted_capacity;
    const char *routine; /* of the call that is open */
    enum portolan_trace_routine_class class;
    size_t post_group, start_group; /* of GROUPS */
    OTF2_ErrorCode error;           /* the first */
    bool has_memory;
};

static void check(struct writer *w, OTF2_ErrorCode code)
{
    if (code && !w->error)
        w->error = code;
}

#define DEFINE(W, DEFINITION, ...)                                                                 \
    check(W, OTF2_GlobalDefWriter_Write##DEFINITION((W)->definitions, __VA_ARGS__))
#define PUT(W, RECORD, ...) check(W, OTF2_EvtWriter_##RECORD((W)->events, NULL, __VA_ARGS__))

static uint32_t put_string(struct writer *w, const char *text)
{
    DEFINE(w, String, w->n_strings, text);
    return w->n_strings++;
}

/* ------------------------------------------------- definitions */

static void define_group(struct writer *w, uint32_t self, OTF2_GroupType type, size_t n,
                         const int *members)
{
    uint64_t *copy = portolan_calloc(n + 1, sizeof *copy);

    if (!copy) {
        w->has_memory = false;
        return;
    }
    for (size_t i = 0; i < n; i++)
        copy[i] = members ? (uint64_t)members[i] : i;
    DEFINE(w, Group, self, 0, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)n, copy);
    free(copy);
}

static void define_comm(struct writer *w, size_t i)
{
    const struct portolan_trace_comm *comm = &w->trace->comms[i];
    uint32_t group = (uint32_t)(1 + 2 * i), self = (uint32_t)i;

    define_group(w, group, OTF2_GROUP_TYPE_COMM_GROUP, comm->n_members, comm->members);
    if (!comm->n_remote) {
        DEFINE(w, Comm, self, put_string(w, i ? "" : "MPI_COMM_WORLD"), group, OTF2_UNDEFINED_COMM,
               OTF2_COMM_FLAG_NONE);
        return;
    }
    define_group(w, group + 1, OTF2_GROUP_TYPE_COMM_GROUP, comm->n_remote, comm->remote);
    DEFINE(w, InterComm, self, put_string(w, ""), group, group + 1, OTF2_UNDEFINED_COMM,
           OTF2_COMM_FLAG_NONE);
}

/* A window has a communicator of its own, after those of the trace. */
static void define_window(struct writer *w, size_t i)
{
    const struct portolan_trace *t = w->trace;
    uint32_t self = (uint32_t)(t->n_comms + i), group = (uint32_t)(1 + 2 * self);

    define_group(w, group, OTF2_GROUP_TYPE_COMM_GROUP, t->windows[i].n_members,
                 t->windows[i].members);
    DEFINE(w, Comm, self, put_string(w, ""), group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    DEFINE(w, RmaWin, (uint32_t)i, put_string(w, ""), self, OTF2_RMA_WIN_FLAG_NONE);
}

static uint32_t first_access_group(const struct writer *w)
{
    return (uint32_t)(1 + 2 * (w->trace->n_comms + w->trace->n_windows));
}

/* Each call that names a group gives it anew; archives hold them all as definitions. */
static void define_access_groups(struct writer *w)
{
    for (size_t g = 0; g < w->n_groups; g++) {
        int *members = portolan_calloc(w->groups[g].n, sizeof *members);

        for (size_t i = 0; members && i < w->groups[g].n; i++)
            members[i] = w->groups[g].first[i].peer;
        define_group(w, (uint32_t)(first_access_group(w) + g), OTF2_GROUP_TYPE_COMM_GROUP,
                     members ? w->groups[g].n : 0, members);
        w->has_memory = w->has_memory && members;
        free(members);
    }
}

static void define_region(struct writer *w, uint32_t self, const char *name, bool is_mpi)
{
    uint32_t text = put_string(w, name);

    DEFINE(w, Region, self, text, text, text,
           is_mpi ? OTF2_REGION_ROLE_UNKNOWN : OTF2_REGION_ROLE_FUNCTION,
           is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
}

/* "user.port.method" of a port's method; else the name alone. */
static void define_program_region(struct writer *w, uint32_t self)
{
    const struct portolan_trace_region *r = &w->trace->regions[self];
    char *name = *r->port ? portolan_asprintf("%s.%s.%s", r->user, r->port, r->name)
                          : portolan_strdup(r->name);

    w->has_memory = w->has_memory && name;
    define_region(w, self, name ? name : "", false);
    free(name);
}

static void define_locations(struct writer *w)
{
    const struct portolan_trace *t = w->trace;
    uint32_t node = 0;

    for (size_t i = 0; i < t->n_locations; i++) {
        const struct portolan_trace_location *l = &t->locations[i];
        uint32_t group = (uint32_t)l->rank;
        char name[32];

        if (!i || strcmp(l->host, l[-1].host) != 0)
            DEFINE(w, SystemTreeNode, ++node, put_string(w, l->host), put_string(w, "node"), 0);
        if (!i || l->rank != l[-1].rank) {
            snprintf(name, sizeof name, "MPI Rank %d", l->rank);
            DEFINE(w, LocationGroup, group, put_string(w, name), OTF2_LOCATION_GROUP_TYPE_PROCESS,
                   node, OTF2_UNDEFINED_LOCATION_GROUP);
        }
        snprintf(name, sizeof name, "Thread %d", l->thread);
        DEFINE(w, Location, i, put_string(w, name), OTF2_LOCATION_TYPE_CPU_THREAD, w->n_written[i],
               group);
    }
}

/* Locations that have MPI: the first of each rank; undefined where nothing is known of a rank. */
static void define_ranks(struct writer *w)
{
    const struct portolan_trace *t = w->trace;
    int *first = portolan_calloc((size_t)t->n_ranks + 1, sizeof *first);

    for (int rank = 0; first && rank < t->n_ranks; rank++)
        first[rank] = -1; /* OTF2_UNDEFINED_LOCATION */
    for (size_t i = t->n_locations; first && i-- > 0;)
        first[t->locations[i].rank] = (int)i;
    define_group(w, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, (size_t)t->n_ranks, first);
    w->has_memory = w->has_memory && first;
    free(first);
}

static void define_values(struct writer *w)
{
    uint32_t name = w->n_strings, n = (uint32_t)w->trace->n_names, unit;

    for (uint32_t i = 0; i < n; i++)
        DEFINE(w, Attribute, i, put_string(w, w->trace->names[i]), 0, OTF2_TYPE_DOUBLE);
    unit = put_string(w, "#");
    for (uint32_t k = 0, i = 0; k < w->n_metrics; k++, i = 0) {
        while (w->metrics[i] != k + 1)
            i++;
        DEFINE(w, MetricMember, k, name + i, 0, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
               OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, unit);
        DEFINE(w, MetricClass, k, 1, &k, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    }
}

static void define_all(struct writer *w)
{
    const struct portolan_trace *t = w->trace;
    uint64_t length = 0;

    for (size_t i = 0; i < t->n_locations; i++)
        if (t->locations[i].n &&
            (uint64_t)t->events[t->locations[i].first + t->locations[i].n - 1].ns > length)
            length = (uint64_t)t->events[t->locations[i].first + t->locations[i].n - 1].ns;
    put_string(w, "");
    DEFINE(w, ClockProperties, 1000000000, 0, length + 1, OTF2_UNDEFINED_TIMESTAMP);
    DEFINE(w, SystemTreeNode, 0, put_string(w, "machine"), put_string(w, "machine"),
           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    define_locations(w);
    for (size_t i = 0; i < t->n_regions; i++)
        define_program_region(w, (uint32_t)i);
    for (size_t i = 0; i < t->n_routines; i++)
        define_region(w, (uint32_t)(t->n_regions + i), t->routines[i], true);
    define_ranks(w);
    for (size_t i = 0; i < t->n_comms; i++)
        define_comm(w, i);
    for (size_t i = 0; i < t->n_windows; i++)
        define_window(w, i);
    define_access_groups(w);
    define_values(w);
}

/* ------------------------------------------------- events */

/* Rank in COMM (in the other group of an intercommunicator) of world rank PEER, as rank OWN sees
 * it. */
static uint32_t rank_in(const struct portolan_trace_comm *comm, int own, int peer)
{
    bool is_other = comm->n_remote &&
                    portolan_trace_place(comm->members, comm->n_members, own) < comm->n_members;
    const int *ranks = is_other ? comm->remote : comm->members;
    size_t n = is_other ? comm->n_remote : comm->n_members;
    size_t place = portolan_trace_place(ranks, n, peer);

    return place < n ? (uint32_t)place : OTF2_UNDEFINED_UINT32;
}

static OTF2_CollectiveOp operation(const char *routine)
{
    static const struct {
        const char *name;
        OTF2_CollectiveOp op;
    } ops[] = {
        {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
        {"bcast", OTF2_COLLECTIVE_OP_BCAST},
        {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
        {"gather", OTF2_COLLECTIVE_OP_GATHER},
        {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
        {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
        {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
        {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
        {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
        {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
        {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
        {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
        {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
        {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
        {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
        {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
        {"scan", OTF2_COLLECTIVE_OP_SCAN},
    };

    if (!strncmp(routine, "MPI_", 4))
        routine += 4;
    if (*routine == 'I' && strncmp(routine, "Init", 4) != 0)
        routine++;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strncasecmp(routine, ops[i].name, strlen(ops[i].name)))
            return ops[i].op;
    return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
}

static void put_enter(struct writer *w, const struct portolan_trace_event *e,
                      const struct portolan_trace_event *end)
{
    for (const struct portolan_trace_event *v = e + 1;
         v < end && v->kind == PORTOLAN_TRACE_VALUE && v->ns == e->ns; v++)
        check(w, OTF2_AttributeList_AddDouble(w->attributes, v->what, portolan_trace_value(v)));
    check(w, OTF2_EvtWriter_Enter(w->events, w->attributes, (uint64_t)e->ns, e->what));
}

/* Unless its region begins there: then it is an attribute of it. */
static void put_metric(struct writer *w, const struct portolan_trace_event *e,
                       const struct portolan_trace_event *first)
{
    const struct portolan_trace_event *before = e;
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    const OTF2_MetricValue value = {.floating_point = portolan_trace_value(e)};

    while (before > first && before->kind == PORTOLAN_TRACE_VALUE)
        before--;
    if (before->kind == PORTOLAN_TRACE_ENTER && before->ns == e->ns)
        return;
    if (!w->metrics[e->what])
        w->metrics[e->what] = ++w->n_metrics;
    PUT(w, Metric, (uint64_t)e->ns, w->metrics[e->what] - 1, 1, &type, &value);
}

static void put_message(struct writer *w, const struct portolan_trace_event *e, int own)
{
    uint32_t peer = rank_in(&w->trace->comms[e->what], own, e->peer), tag = (uint32_t)e->tag;
    uint64_t ns = (uint64_t)e->ns;

    if (e->kind == PORTOLAN_TRACE_SEND && e->request)
        PUT(w, MpiIsend, ns, peer, e->what, tag, e->bytes, e->request);
    else if (e->kind == PORTOLAN_TRACE_SEND)
        PUT(w, MpiSend, ns, peer, e->what, tag, e->bytes);
    else if (e->request)
        PUT(w, MpiIrecv, ns, peer, e->what, tag, e->bytes, e->request);
    else
        PUT(w, MpiRecv, ns, peer, e->what, tag, e->bytes);
}

static uint32_t root_of(const struct writer *w, const struct portolan_trace_event *e, int own)
{
    return e->peer < 0 ? OTF2_UNDEFINED_UINT32 : rank_in(&w->trace->comms[e->what], own, e->peer);
}

static void put_collective(struct writer *w, const struct portolan_trace_event *e, int own)
{
    uint64_t ns = (uint64_t)e->ns;

    if (e->request) {
        PUT(w, NonBlockingCollectiveRequest, ns, e->request);
        return;
    }
    PUT(w, MpiCollectiveBegin, ns);
    PUT(w, MpiCollectiveEnd, ns, operation(w->routine), e->what, root_of(w, e, own), e->bytes, 0);
}

/* The archive wants to know at the end what was posted. */
static void remember(struct writer *w, const struct portolan_trace_event *e)
{
    size_t had = w->posted_capacity;

    if (!portolan_reserve(&w->posted, &w->posted_capacity, (size_t)e->request + 1,
                          sizeof *w->posted)) {
        w->has_memory = false;
        return;
    }
    if (w->posted_capacity > had)
        memset(w->posted + had, 0, (w->posted_capacity - had) * sizeof *w->posted);
    w->posted[e->request] = (uint32_t)(e - w->trace->events) + 1;
}

/* Name of the call that an event lies in. */
static const char *routine_of(const struct writer *w, const struct portolan_trace_event *e)
{
    while (e > w->trace->events && e->kind != PORTOLAN_TRACE_BEGIN)
        e--;
    return e->kind == PORTOLAN_TRACE_BEGIN ? w->trace->routines[e->what] : "";
}

static void put_collective_done(struct writer *w, const struct portolan_trace_event *e, int own)
{
    const struct portolan_trace_event *posted;
    uint32_t at = e->request < w->posted_capacity ? w->posted[e->request] : 0;

    if (!at)
        return;
    posted = &w->trace->events[at - 1];
    PUT(w, NonBlockingCollectiveComplete, (uint64_t)e->ns, operation(routine_of(w, posted)),
        posted->what, root_of(w, posted, own), posted->bytes, 0, e->request);
}

/* The group of an epoch's call; SIZE_MAX: all ranks of the window. */
static size_t epoch_group(const struct writer *w)
{
    switch (w->class) {
    case PORTOLAN_ROUTINE_WIN_POST:
    case PORTOLAN_ROUTINE_WIN_WAIT:
        return w->post_group;
    case PORTOLAN_ROUTINE_WIN_START:
    case PORTOLAN_ROUTINE_WIN_COMPLETE:
        return w->start_group;
    default:
        return SIZE_MAX;
    }
}

static void put_transfer(struct writer *w, const struct portolan_trace_event *e, int own)
{
    uint32_t target = rank_in(&w->trace->windows[e->what], own, e->peer);
    uint64_t ns = (uint64_t)e->ns;

    if (!strncmp(w->routine, "MPI_Get", 7) || !strncmp(w->routine, "MPI_Rget", 8))
        PUT(w, RmaGet, ns, e->what, target, e->bytes, 0);
    else
        PUT(w, RmaPut, ns, e->what, target, e->bytes, 0);
}

static void put_epoch(struct writer *w, const struct portolan_trace_event *e)
{
    size_t group = epoch_group(w);
    uint64_t ns = (uint64_t)e->ns;

    if (group < w->n_groups) {
        PUT(w, RmaGroupSync, ns, OTF2_RMA_SYNC_LEVEL_PROCESS, e->what,
            first_access_group(w) + (uint32_t)group);
        return;
    }
    PUT(w, RmaCollectiveBegin, ns);
    PUT(w, RmaCollectiveEnd, ns, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, e->what,
        OTF2_UNDEFINED_UINT32, 0, 0);
}

/* Event E, of a location whose events end at END, may be the first of a group. */
static void note_group(struct writer *w, const struct portolan_trace_event *e,
                       const struct portolan_trace_event *first,
                       const struct portolan_trace_event *end)
{
    struct group group = {.first = e};

    if (e > first && e[-1].kind == PORTOLAN_TRACE_ACCESS)
        return;
    while (e + group.n < end && e[group.n].kind == PORTOLAN_TRACE_ACCESS)
        group.n++;
    w->has_memory = portolan_append(&w->groups, &w->n_groups, &group, sizeof group);
    *(w->class == PORTOLAN_ROUTINE_WIN_POST ? &w->post_group : &w->start_group) = w->n_groups - 1;
}

static void put_gap(struct writer *w, const struct portolan_trace_event *e, uint64_t before)
{
    PUT(w, MeasurementOnOff, before, OTF2_MEASUREMENT_OFF);
    PUT(w, MeasurementOnOff, (uint64_t)e->ns, OTF2_MEASUREMENT_ON);
}

static void put_call(struct writer *w, const struct portolan_trace_event *e)
{
    uint32_t region = (uint32_t)w->trace->n_regions + e->what;

    if (e->kind == PORTOLAN_TRACE_END) {
        PUT(w, Leave, (uint64_t)e->ns, region);
        return;
    }
    w->routine = w->trace->routines[e->what];
    w->class = portolan_trace_classify(w->routine, NULL);
    PUT(w, Enter, (uint64_t)e->ns, region);
}

static void put_event(struct writer *w, const struct portolan_trace_location *l,
                      const struct portolan_trace_event *e)
{
    const struct portolan_trace_event *first = w->trace->events + l->first;
    uint64_t ns = (uint64_t)e->ns;

    if (e->kind == PORTOLAN_TRACE_COLLECTIVE && e->request)
        remember(w, e);
    switch ((enum portolan_trace_kind)e->kind) {
    case PORTOLAN_TRACE_ENTER:
        put_enter(w, e, first + l->n);
        break;
    case PORTOLAN_TRACE_LEAVE:
        PUT(w, Leave, ns, e->what);
        break;
    case PORTOLAN_TRACE_BEGIN:
    case PORTOLAN_TRACE_END:
        put_call(w, e);
        break;
    case PORTOLAN_TRACE_SEND:
    case PORTOLAN_TRACE_RECV:
        put_message(w, e, l->rank);
        break;
    case PORTOLAN_TRACE_SEND_DONE:
        PUT(w, MpiIsendComplete, ns, e->request);
        break;
    case PORTOLAN_TRACE_RECV_POST:
        PUT(w, MpiIrecvRequest, ns, e->request);
        break;
    case PORTOLAN_TRACE_CANCELLED:
        PUT(w, MpiRequestCancelled, ns, e->request);
        break;
    case PORTOLAN_TRACE_COLLECTIVE:
        put_collective(w, e, l->rank);
        break;
    case PORTOLAN_TRACE_COLLECTIVE_DONE:
        put_collective_done(w, e, l->rank);
        break;
    case PORTOLAN_TRACE_TRANSFER:
        put_transfer(w, e, l->rank);
        break;
    case PORTOLAN_TRACE_ACCESS:
        note_group(w, e, first, first + l->n);
        break;
    case PORTOLAN_TRACE_EPOCH:
        put_epoch(w, e);
        break;
    case PORTOLAN_TRACE_GAP:
        put_gap(w, e, e > first ? (uint64_t)e[-1].ns : 0);
        break;
    case PORTOLAN_TRACE_VALUE:
        put_metric(w, e, first);
        break;
    case PORTOLAN_TRACE_MARK:
    case PORTOLAN_TRACE_CPU:
    case PORTOLAN_TRACE_KINDS:
        break;
    }
}

static void put_location(struct writer *w, size_t at)
{
    const struct portolan_trace_location *l = &w->trace->locations[at];

    w->events = OTF2_Archive_GetEvtWriter(w->archive, at);
    if (!w->events) {
        check(w, OTF2_ERROR_INVALID);
        return;
    }
    w->post_group = w->start_group = SIZE_MAX;
    free(w->posted);
    w->posted = NULL;
    w->posted_capacity = 0;
    for (size_t i = 0; i < l->n && !w->error && w->has_memory; i++)
        put_event(w, l, &w->trace->events[l->first + i]);
    check(w, OTF2_EvtWriter_GetNumberOfEvents(w->events, &w->n_written[at]));
    check(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
}

/* ------------------------------------------------- the archive */

static OTF2_FlushType always_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
                                   void *data, bool is_final)
{
    (void)arg, (void)type, (void)location, (void)data, (void)is_final;
    return OTF2_FLUSH;
}

/* The archive's folder and name: PATH is FOLDER/NAME.otf2. NULL: no memory. */
static char *split_path(const char *path, const char **name)
{
    char *folder = portolan_strdup(path), *slash;
    size_t length = strlen(path);

    if (!folder)
        return NULL;
    if (length > 5 && !strcmp(folder + length - 5, ".otf2"))
        folder[length - 5] = 0;
    slash = strrchr(folder, '/');
    *name = slash ? slash + 1 : folder;
    if (slash)
        *slash = 0;
    return folder;
}

/*
 * The library reads beyond its buffer when a file cannot be written whole, so there is to be enough
 * room first. File systems that cannot tell are trusted.
 */
static enum portolan_status reserve_room(const struct writer *w, const char *folder,
                                         const char *path, struct portolan_error *err)
{
    off_t bytes = (off_t)w->trace->n_events * EVENT_BYTES + EVENT_CHUNK;
    char *name = portolan_asprintf("%s/room", folder);
    int fd = name ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1, error = 0;

    if (name &&
        (fd < 0 || (fallocate(fd, 0, 0, bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)))
        error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(name);
    }
    free(name);
    if (error && error != ENOENT) /* the folder is to be made */
        return portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path,
                                  strerror(error));
    return name ? PORTOLAN_OK : portolan_no_memory(err);
}

/* Readers expect a file of local definitions for each location, if an empty one. */
static void write_local_definitions(struct writer *w)
{
    check(w, OTF2_Archive_OpenDefFiles(w->archive));
    for (size_t i = 0; i < w->trace->n_locations && !w->error; i++) {
        OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(w->archive, i);

        check(w, definitions ? OTF2_Archive_CloseDefWriter(w->archive, definitions)
                             : OTF2_ERROR_INVALID);
    }
    check(w, OTF2_Archive_CloseDefFiles(w->archive));
}

static void write_archive(struct writer *w, const char *const *facts)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = always_flush};

    check(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL));
    check(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive));
    check(w, OTF2_Archive_SetCreator(w->archive, "portolan"));
    for (; facts && *facts; facts += 2)
        check(w, OTF2_Archive_SetProperty(w->archive, facts[0], facts[1], true));
    check(w, OTF2_Archive_OpenEvtFiles(w->archive));
    for (size_t i = 0; i < w->trace->n_locations && !w->error && w->has_memory; i++)
        put_location(w, i);
    check(w, OTF2_Archive_CloseEvtFiles(w->archive));
    write_local_definitions(w);
    w->definitions = OTF2_Archive_GetGlobalDefWriter(w->archive);
    if (w->definitions)
        define_all(w);
    else
        check(w, OTF2_ERROR_INVALID);
}

static void clear_writer(struct writer *w)
{
    if (w->attributes)
        OTF2_AttributeList_Delete(w->attributes);
    free(w->posted);
    free(w->groups);
    free(w->n_written);
    free(w->metrics);
}

enum portolan_status portolan_trace_write_otf2(const struct portolan_trace *trace, const char *path,
                                               const char *const *facts, struct portolan_error *err)
{
    struct writer w = {.trace = trace};
    OTF2_ErrorCallback old = OTF2_Error_RegisterCallback(otf2_keep_quiet, NULL);
    const char *name = "", *in;
    char *folder = split_path(path, &name);
    enum portolan_status status = PORTOLAN_OK;

    in = name == folder ? "." : folder;
    w.attributes = OTF2_AttributeList_New();
    w.has_memory = folder && w.attributes &&
                   (w.n_written = portolan_calloc(trace->n_locations + 1, sizeof *w.n_written)) &&
                   (w.metrics = portolan_calloc(trace->n_names + 1, sizeof *w.metrics));
    if (w.has_memory && !(status = reserve_room(&w, in, path, err)))
        w.archive = OTF2_Archive_Open(in, name, OTF2_FILEMODE_WRITE, EVENT_CHUNK, DEFINITION_CHUNK,
                                      OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (w.archive) {
        write_archive(&w, facts);
        if (!w.error) /* closing after an error may crash */
            check(&w, OTF2_Archive_Close(w.archive));
    }
    OTF2_Error_RegisterCallback(old, NULL);
    clear_writer(&w);
    free(folder);
    if (!w.has_memory)
        return portolan_no_memory(err);
    if (!status && (!w.archive || w.error))
        status = portolan_error_set(err, PORTOLAN_EIO, "cannot write '%s': %s", path,
                                    w.archive ? OTF2_Error_GetDescription(w.error)
                                              : "there is such an archive, or no such folder");
    return status;
}
