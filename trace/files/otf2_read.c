/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads OTF2 archives of any writer, location by location, so that a file that is cut or missing
 * spares the others.
 */
#include "otf2_reader.h"

#include <portolan/list.h>
#include <portolan/progress.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Callbacks have the parameters that the library requires. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ------------------------------------------------- events of one location */

static int64_t nanoseconds(const struct reader *r, OTF2_TimeStamp time)
{
    int64_t ticks = (int64_t)(time - r->first_tick);
    double ns;

    if (r->ticks_per_s == 1000000000)
        return ticks;
    ns = (double)ticks / (double)r->ticks_per_s * 1e9;
    if (!(fabs(ns) < 4e18) || r->ticks_per_s > INT64_MAX) /* the time is damaged */
        return ns < 0 ? 0 : INT64_MAX;
    return ticks / (int64_t)r->ticks_per_s * 1000000000 +
           (int64_t)((double)(ticks % (int64_t)r->ticks_per_s) * 1e9 / (double)r->ticks_per_s);
}

static OTF2_CallbackCode add_event(struct reader *r, OTF2_TimeStamp time,
                                   enum portolan_trace_kind kind, struct portolan_trace_event event)
{
    if (!portolan_reserve(&r->events, &r->events_capacity, r->n_events + 1, sizeof event)) {
        r->status = PORTOLAN_ENOMEM;
        return OTF2_CALLBACK_ERROR;
    }
    event.ns = nanoseconds(r, time);
    event.kind = kind;
    r->events[r->n_events++] = event;
    return OTF2_CALLBACK_SUCCESS;
}

static const struct otf2_comm *comm_of(const struct reader *r, uint32_t self)
{
    static const struct otf2_comm none = {0};
    const struct otf2_comm *comm = otf2_find(&r->comms, self);

    if (comm && comm->users)
        comm->users[r->here->rank] = true;
    return comm ? comm : &none;
}

/* Returns an event of COMM. */
static struct portolan_trace_event event_of(const struct reader *r, const struct otf2_comm *comm)
{
    size_t at = comm->at + (comm->is_self ? (size_t)r->here->rank : 0);

    return (struct portolan_trace_event){.what = (uint32_t)at & 0xffffff};
}

/* Returns the world rank of RANK in COMM; in an intercommunicator, RANK is in the other group. */
static int world_rank(const struct reader *r, const struct otf2_comm *comm, uint32_t rank)
{
    bool is_other =
        portolan_trace_place(comm->others, comm->n_others, r->here->rank) < comm->n_others;

    if (comm->is_self)
        return r->here->rank;
    if (is_other || !comm->n_others)
        return rank < comm->n_members ? comm->members[rank] : PORTOLAN_TRACE_NONE;
    return rank < comm->n_others ? comm->others[rank] : PORTOLAN_TRACE_NONE;
}

static struct portolan_trace_event message(const struct reader *r, uint32_t partner, uint32_t comm,
                                           uint32_t tag, uint64_t bytes, uint32_t request)
{
    const struct otf2_comm *c = comm_of(r, comm);
    struct portolan_trace_event event = event_of(r, c);

    event.peer = world_rank(r, c, partner);
    event.tag = (int32_t)tag;
    event.bytes = bytes;
    event.request = request;
    return event;
}

/* ------------------------------------------------- requests */

/* Returns a new number for request ID, which the next event posts; 0: no memory. */
static uint32_t open_request(struct reader *r, uint64_t id)
{
    if (!portolan_reserve(&r->requests, &r->requests_capacity, r->n_requests + 1,
                          sizeof *r->requests)) {
        r->status = PORTOLAN_ENOMEM;
        return 0;
    }
    r->requests[r->n_requests++] =
        (struct otf2_request){.id = id, .number = ++r->n_numbers, .posted = r->n_events};
    return r->n_numbers;
}

/* Removes a request. Requests are few at a time, and mostly end in the order of their begin. */
static struct otf2_request close_request(struct reader *r, uint64_t id)
{
    struct otf2_request request = {.posted = SIZE_MAX};

    for (size_t i = 0; i < r->n_requests; i++) {
        if (r->requests[i].id != id)
            continue;
        request = r->requests[i];
        memmove(&r->requests[i], &r->requests[i + 1], (--r->n_requests - i) * sizeof *r->requests);
        break;
    }
    return request;
}

/* Completes a posting with what it did not contain: the archive has it when the request is done. */
static void complete_posting(struct reader *r, const struct otf2_request *request,
                             const struct portolan_trace_event *done)
{
    struct portolan_trace_event *posted =
        request->posted < r->n_events ? &r->events[request->posted] : NULL;

    if (!posted)
        return;
    posted->what = done->what;
    posted->peer = done->peer;
    posted->tag = done->tag;
    if (posted->kind == PORTOLAN_TRACE_COLLECTIVE)
        posted->bytes = done->bytes;
}

/* ------------------------------------------------- records */

static OTF2_CallbackCode put_values(struct reader *r, OTF2_TimeStamp time,
                                    OTF2_AttributeList *attributes)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;

    for (uint32_t i = 0; i < n && !code; i++) {
        OTF2_AttributeRef self;
        OTF2_Type type;
        OTF2_AttributeValue value;
        struct portolan_trace_event event = {0};
        const struct otf2_named *known;

        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &self, &type, &value) ||
            type != OTF2_TYPE_DOUBLE || !(known = otf2_find(&r->attributes, self)))
            continue;
        event.what = (uint32_t)known->at & 0xffffff;
        memcpy(&event.bytes, &value.float64, sizeof event.bytes);
        code = add_event(r, time, PORTOLAN_TRACE_VALUE, event);
    }
    return code;
}

static OTF2_CallbackCode enter(struct reader *r, OTF2_TimeStamp time, OTF2_RegionRef self,
                               OTF2_AttributeList *attributes)
{
    const struct otf2_named *region = otf2_find(&r->regions, self);
    struct portolan_trace_event event = {0};
    enum portolan_trace_routine_class class;
    OTF2_CallbackCode code;

    if (!region)
        return OTF2_CALLBACK_SUCCESS;
    event.what = (uint32_t)region->at & 0xffffff;
    if (!region->is_mpi) {
        code = add_event(r, time, PORTOLAN_TRACE_ENTER, event);
        return code ? code : put_values(r, time, attributes);
    }
    if (r->depth++)
        return OTF2_CALLBACK_SUCCESS;
    class = portolan_trace_classify(r->trace->routines[region->at], NULL);
    r->names_group = class == PORTOLAN_ROUTINE_WIN_POST || class == PORTOLAN_ROUTINE_WIN_START;
    return add_event(r, time, PORTOLAN_TRACE_BEGIN, event);
}

static OTF2_CallbackCode leave(struct reader *r, OTF2_TimeStamp time, OTF2_RegionRef self)
{
    const struct otf2_named *region = otf2_find(&r->regions, self);
    struct portolan_trace_event event = {0};

    if (!region)
        return OTF2_CALLBACK_SUCCESS;
    event.what = (uint32_t)region->at & 0xffffff;
    if (!region->is_mpi)
        return add_event(r, time, PORTOLAN_TRACE_LEAVE, event);
    if (r->depth > 0 && --r->depth)
        return OTF2_CALLBACK_SUCCESS;
    return add_event(r, time, PORTOLAN_TRACE_END, event);
}

/* Posts a request. The source of a receive is known when it is done; until then it is from any. */
static OTF2_CallbackCode post(struct reader *r, OTF2_TimeStamp time, enum portolan_trace_kind kind,
                              int peer, uint64_t id)
{
    return add_event(r, time, kind,
                     (struct portolan_trace_event){.peer = peer,
                                                   .tag = peer == PORTOLAN_TRACE_ANY ? peer : 0,
                                                   .request = open_request(r, id)});
}

/* Adds EVENT, the completion of request ID, as KIND. */
static OTF2_CallbackCode complete(struct reader *r, OTF2_TimeStamp time,
                                  enum portolan_trace_kind kind, struct portolan_trace_event event,
                                  uint64_t id)
{
    struct otf2_request request = close_request(r, id);

    if (kind == PORTOLAN_TRACE_RECV || kind == PORTOLAN_TRACE_COLLECTIVE_DONE)
        complete_posting(r, &request, &event);
    if (kind != PORTOLAN_TRACE_RECV)
        event = (struct portolan_trace_event){0};
    event.request = request.number;
    return add_event(r, time, kind, event);
}

static struct portolan_trace_event collective(const struct reader *r, uint32_t comm, uint32_t root,
                                              uint64_t sent, uint64_t received)
{
    const struct otf2_comm *c = comm_of(r, comm);
    struct portolan_trace_event event = event_of(r, c);

    event.peer =
        root < c->n_members || root < c->n_others ? world_rank(r, c, root) : PORTOLAN_TRACE_NONE;
    event.bytes = sent ? sent : received;
    return event;
}

static struct portolan_trace_event of_window(const struct reader *r, uint32_t self)
{
    const struct otf2_window *window = otf2_find(&r->windows, self);

    return (struct portolan_trace_event){.what = window ? (uint32_t)window->at & 0xffffff : 0};
}

static OTF2_CallbackCode synchronise(struct reader *r, OTF2_TimeStamp time, OTF2_RmaWinRef self,
                                     OTF2_GroupRef group)
{
    const struct otf2_group *g = otf2_find(&r->groups, group);
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;

    for (uint32_t i = 0; r->names_group && g && i < g->n && !code; i++) {
        struct portolan_trace_event event = of_window(r, self);

        event.peer = otf2_rank(r, g->members[i]);
        code = add_event(r, time, PORTOLAN_TRACE_ACCESS, event);
    }
    return code ? code : add_event(r, time, PORTOLAN_TRACE_EPOCH, of_window(r, self));
}

static OTF2_CallbackCode transfer(struct reader *r, OTF2_TimeStamp time, uint32_t self,
                                  uint32_t target, uint64_t bytes)
{
    const struct otf2_window *window = otf2_find(&r->windows, self);
    struct portolan_trace_event event = of_window(r, self);

    event.peer = window ? world_rank(r, comm_of(r, window->comm), target) : PORTOLAN_TRACE_NONE;
    event.bytes = bytes;
    return add_event(r, time, PORTOLAN_TRACE_TRANSFER, event);
}

static OTF2_CallbackCode switch_on(struct reader *r, OTF2_TimeStamp time, OTF2_MeasurementMode mode)
{
    bool was_off = r->is_off;

    r->is_off = mode == OTF2_MEASUREMENT_OFF;
    return r->is_off || !was_off
               ? OTF2_CALLBACK_SUCCESS
               : add_event(r, time, PORTOLAN_TRACE_GAP, (struct portolan_trace_event){0});
}

static const struct portolan_trace_event nothing;

/* Records of OTF2: name, parameters after the common ones, and what is done with them. */
#define RECORDS(X)                                                                                 \
    X(Enter, (OTF2_RegionRef self), enter(r, time, self, attributes))                              \
    X(Leave, (OTF2_RegionRef self), leave(r, time, self))                                          \
    X(MpiSend, (uint32_t to, OTF2_CommRef comm, uint32_t tag, uint64_t bytes),                     \
      add_event(r, time, PORTOLAN_TRACE_SEND, message(r, to, comm, tag, bytes, 0)))                \
    X(MpiIsend, (uint32_t to, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id),       \
      add_event(r, time, PORTOLAN_TRACE_SEND,                                                      \
                message(r, to, comm, tag, bytes, open_request(r, id))))                            \
    X(MpiIsendComplete, (uint64_t id), complete(r, time, PORTOLAN_TRACE_SEND_DONE, nothing, id))   \
    X(MpiIrecvRequest, (uint64_t id),                                                              \
      post(r, time, PORTOLAN_TRACE_RECV_POST, PORTOLAN_TRACE_ANY, id))                             \
    X(MpiRecv, (uint32_t from, OTF2_CommRef comm, uint32_t tag, uint64_t bytes),                   \
      add_event(r, time, PORTOLAN_TRACE_RECV, message(r, from, comm, tag, bytes, 0)))              \
    X(MpiIrecv, (uint32_t from, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id),     \
      complete(r, time, PORTOLAN_TRACE_RECV, message(r, from, comm, tag, bytes, 0), id))           \
    X(MpiRequestCancelled, (uint64_t id),                                                          \
      complete(r, time, PORTOLAN_TRACE_CANCELLED, nothing, id))                                    \
    X(MpiCollectiveEnd,                                                                            \
      (OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,               \
       uint64_t received),                                                                         \
      add_event(r, time, PORTOLAN_TRACE_COLLECTIVE, collective(r, comm, root, sent, received)))    \
    X(NonBlockingCollectiveRequest, (uint64_t id),                                                 \
      post(r, time, PORTOLAN_TRACE_COLLECTIVE, PORTOLAN_TRACE_NONE, id))                           \
    X(NonBlockingCollectiveComplete,                                                               \
      (OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,               \
       uint64_t received, uint64_t id),                                                            \
      complete(r, time, PORTOLAN_TRACE_COLLECTIVE_DONE, collective(r, comm, root, sent, received), \
               id))                                                                                \
    X(RmaCollectiveEnd,                                                                            \
      (OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef self, uint32_t root,   \
       uint64_t sent, uint64_t received),                                                          \
      add_event(r, time, PORTOLAN_TRACE_EPOCH, of_window(r, self)))                                \
    X(RmaGroupSync, (OTF2_RmaSyncLevel level, OTF2_RmaWinRef self, OTF2_GroupRef group),           \
      synchronise(r, time, self, group))                                                           \
    X(RmaPut, (OTF2_RmaWinRef self, uint32_t target, uint64_t bytes, uint64_t match),              \
      transfer(r, time, self, target, bytes))                                                      \
    X(RmaGet, (OTF2_RmaWinRef self, uint32_t target, uint64_t bytes, uint64_t match),              \
      transfer(r, time, self, target, bytes))                                                      \
    X(RmaAtomic,                                                                                   \
      (OTF2_RmaWinRef self, uint32_t target, OTF2_RmaAtomicType type, uint64_t sent,               \
       uint64_t received, uint64_t match),                                                         \
      transfer(r, time, self, target, sent + received))                                            \
    X(BufferFlush, (OTF2_TimeStamp stop), add_event(r, stop, PORTOLAN_TRACE_GAP, nothing))         \
    X(MeasurementOnOff, (OTF2_MeasurementMode mode), switch_on(r, time, mode))

#define UNPACK(...) __VA_ARGS__
#define DEFINE_CALLBACK(RECORD, PARAMETERS, DO)                                                    \
    static OTF2_CallbackCode on_##RECORD(OTF2_LocationRef location, OTF2_TimeStamp time,           \
                                         uint64_t position, void *arg,                             \
                                         OTF2_AttributeList *attributes, UNPACK PARAMETERS)        \
    {                                                                                              \
        struct reader *r = arg;                                                                    \
                                                                                                   \
        return DO;                                                                                 \
    }
RECORDS(DEFINE_CALLBACK)

static OTF2_EvtReaderCallbacks *callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();

#define SET_CALLBACK(RECORD, PARAMETERS, DO)                                                       \
    OTF2_EvtReaderCallbacks_Set##RECORD##Callback(c, on_##RECORD);
    if (c) {
        RECORDS(SET_CALLBACK)
    }
    return c;
}

/* ------------------------------------------------- locations */

static void hand_over(struct reader *r, bool is_cut)
{
    const struct otf2_location *here = r->here;
    struct portolan_trace_location *l =
        portolan_trace_locate(r->trace, here->rank, here->thread, here->host);

    if (!l) {
        r->status = PORTOLAN_ENOMEM;
        return;
    }
    l->is_cut = is_cut;
    for (size_t i = 0; i < r->n_events && !r->status; i++)
        if (!portolan_trace_add(r->trace, here->rank, here->thread, &r->events[i]))
            r->status = PORTOLAN_ENOMEM;
}

/* Reads local definitions, which map a location's own numbers, and its own clock. */
static void read_local_definitions(struct reader *r, uint64_t location)
{
    OTF2_DefReader *reader = OTF2_Reader_GetDefReader(r->otf2, location);
    uint64_t n;

    if (!reader)
        return;
    OTF2_Reader_ReadAllLocalDefinitions(r->otf2, reader, &n);
    OTF2_Reader_CloseDefReader(r->otf2, reader);
}

static void read_location(struct reader *r, const struct otf2_location *l,
                          const OTF2_EvtReaderCallbacks *c)
{
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(r->otf2, l->self);
    uint64_t n = 0;
    bool is_cut = true;

    r->here = l;
    r->n_events = r->n_requests = 0;
    r->depth = 0;
    r->is_off = false;
    if (reader) {
        OTF2_EvtReader_ApplyClockOffsets(reader, true);
        is_cut = OTF2_Reader_RegisterEvtCallbacks(r->otf2, reader, c, r) ||
                 OTF2_Reader_ReadAllLocalEvents(r->otf2, reader, &n) || n < l->expected;
        OTF2_Reader_CloseEvtReader(r->otf2, reader);
    }
    if (r->status || r->has_users)
        return;
    if (is_cut)
        portolan_diagnose(r->diagnostics, r->path, 0, 0,
                          "rank %d, thread %d: %llu of %llu records can be read", l->rank,
                          l->thread, (unsigned long long)n, (unsigned long long)l->expected);
    hand_over(r, is_cut);
}

static void read_locations(struct reader *r)
{
    OTF2_EvtReaderCallbacks *c = callbacks();
    bool has_definitions;

    if (!c) {
        r->status = PORTOLAN_ENOMEM;
        return;
    }
    for (size_t i = 0; i < r->n_locations; i++)
        OTF2_Reader_SelectLocation(r->otf2, r->locations[i].self);
    has_definitions = OTF2_Reader_OpenDefFiles(r->otf2) == OTF2_SUCCESS;
    OTF2_Reader_OpenEvtFiles(r->otf2);
    for (size_t i = 0; i < r->n_locations && has_definitions; i++)
        read_local_definitions(r, r->locations[i].self);
    for (size_t i = 0; i < r->n_locations && r->has_users && !r->status; i++)
        read_location(r, &r->locations[i], c);
    r->has_users = false;
    otf2_enter_comms(r);
    for (size_t i = 0; i < r->n_locations && !r->status; i++) {
        portolan_progress("locations", i, r->n_locations, false);
        read_location(r, &r->locations[i], c);
    }
    portolan_progress_done("locations");
    OTF2_EvtReaderCallbacks_Delete(c);
}

/* ------------------------------------------------- the archive */

/* Checks for an anchor file first, since the library leaks memory when it opens other files. */
static bool is_anchor(const char *path)
{
    char head[6];

    return trace_read_start(path, head, sizeof head) == sizeof head && !memcmp(head + 2, "OTF2", 4);
}

static void clear_reader(struct reader *r)
{
    struct otf2_table *tables[] = {&r->strings, &r->nodes, &r->processes, &r->regions,
                                   &r->groups,  &r->comms, &r->windows,   &r->attributes};

    if (r->otf2)
        OTF2_Reader_Close(r->otf2);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        free(tables[i]->entries);
        portolan_index_clear(&tables[i]->index);
    }
    free(r->locations);
    free(r->events);
    free(r->requests);
    portolan_arena_clear(&r->arena);
}

static enum portolan_status explain(const struct reader *r, struct portolan_error *err)
{
    if (r->status == PORTOLAN_ENOMEM)
        return portolan_no_memory(err);
    return portolan_error_set(err, r->status,
                              "'%s' is not a readable OTF2 archive; otf2-print %s says more",
                              r->path, r->path);
}

enum portolan_status trace_read_otf2(const char *path, struct portolan_diagnostics *diagnostics,
                                     struct portolan_trace **trace, struct portolan_error *err)
{
    struct reader r = {.path = path, .diagnostics = diagnostics};
    OTF2_ErrorCallback old = OTF2_Error_RegisterCallback(otf2_keep_quiet, NULL);
    enum portolan_status status;

    r.otf2 = is_anchor(path) ? OTF2_Reader_Open(path) : NULL;
    if (!r.otf2 || OTF2_Reader_SetSerialCollectiveCallbacks(r.otf2))
        r.status = PORTOLAN_ESYNTAX;
    if (!r.status)
        otf2_read_definitions(&r);
    if (!r.status && !r.ticks_per_s)
        r.status = PORTOLAN_ESYNTAX;
    if (!r.status)
        read_locations(&r);
    status = r.status ? explain(&r, err) : portolan_trace_finish(r.trace, err);
    if (status)
        portolan_trace_destroy(r.trace);
    else
        *trace = r.trace;
    clear_reader(&r);
    OTF2_Error_RegisterCallback(old, NULL);
    return status;
}
