/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the events of a location into an OTF2 archive. */
#include "otf2_writer.h"

#include <portolan/list.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PUT(W, RECORD, ...) check(W, OTF2_EvtWriter_##RECORD((W)->events, NULL, __VA_ARGS__))

/* Returns the rank in COMM (in an intercommunicator's other group) of world rank PEER, seen by
 * OWN. */
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

/* Writes an ENTER with values at its begin as attributes, each with its name; others are
 * metrics. */
static void put_enter(struct writer *w, const struct portolan_trace_event *e,
                      const struct portolan_trace_event *end)
{
    const struct portolan_trace_event *v = e + 1;

    for (; v < end && v->kind == PORTOLAN_TRACE_VALUE && v->ns == e->ns &&
           !OTF2_AttributeList_TestAttributeByID(w->attributes, v->what);
         v++)
        check(w, OTF2_AttributeList_AddDouble(w->attributes, v->what, portolan_trace_value(v)));
    w->metrics_from = v;
    check(w, OTF2_EvtWriter_Enter(w->events, w->attributes, (uint64_t)e->ns, e->what));
}

static void put_metric(struct writer *w, const struct portolan_trace_event *e)
{
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    const OTF2_MetricValue value = {.floating_point = portolan_trace_value(e)};

    if (e < w->metrics_from)
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

/* Remembers what was posted, since the archive needs it at the end of the request. */
static void remember(struct writer *w, const struct portolan_trace_event *e)
{
    size_t had = w->posted_capacity;

    if (!portolan_reserve(&w->posted, &w->posted_capacity, (size_t)e->request + 1,
                          sizeof *w->posted)) {
        w->arena.failed = true;
        return;
    }
    if (w->posted_capacity > had)
        memset(w->posted + had, 0, (w->posted_capacity - had) * sizeof *w->posted);
    w->posted[e->request] = (uint32_t)(e - w->trace->events) + 1;
}

/* Returns the name of the call that an event is in. */
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

/* Returns the group of an epoch's call; SIZE_MAX: all ranks of the window. */
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
            FIRST_ACCESS_GROUP + (uint32_t)group);
        return;
    }
    PUT(w, RmaCollectiveBegin, ns);
    PUT(w, RmaCollectiveEnd, ns, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, e->what,
        OTF2_UNDEFINED_UINT32, 0, 0);
}

/* Notes event E, of a location whose events end at END, if it is the first of a group. */
static void note_group(struct writer *w, const struct portolan_trace_event *e,
                       const struct portolan_trace_event *first,
                       const struct portolan_trace_event *end)
{
    struct group group = {.first = e};

    if (e > first && e[-1].kind == PORTOLAN_TRACE_ACCESS)
        return;
    while (e + group.n < end && e[group.n].kind == PORTOLAN_TRACE_ACCESS)
        group.n++;
    portolan_arena_append(&w->arena, &w->groups, &w->n_groups, &group, sizeof group);
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
        put_metric(w, e);
        break;
    case PORTOLAN_TRACE_MARK:
    case PORTOLAN_TRACE_CPU:
    case PORTOLAN_TRACE_KINDS:
        break;
    }
}

void otf2_write_location(struct writer *w, size_t at)
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
    for (size_t i = 0; i < l->n && !w->error && !w->arena.failed; i++)
        put_event(w, l, &w->trace->events[l->first + i]);
    check(w, OTF2_EvtWriter_GetNumberOfEvents(w->events, &w->n_written[at]));
    check(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
}
