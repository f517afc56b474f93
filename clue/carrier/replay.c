/* SPDX-License-Identifier: BSD-3-Clause */
/* A record runs on a machine: the same operations, without the program and without data. */
#include "record.h"

#include <portolan/list.h>

#include <stdlib.h>

struct replayed {
    struct record_reader reader;
    clue_request *requests; /* by the record's numbers */
    size_t n, room;
    clue_request *waited; /* of a wait or test */
    size_t room_waited;
    const struct clue_routine *routine; /* of the call that it is in */
};

struct replay {
    struct clue_engine *engine;
    const struct record *record;
    struct replayed *ranks;
    clue_draw_fn *draw;
    struct rank self; /* who runs: observers ask */
    bool is_damaged;
};

static clue_request *request_at(struct replay *p, struct replayed *rank, uint64_t number)
{
    static clue_request none;

    if (number >= rank->n) {
        if (number > rank->n ||
            !portolan_reserve(&rank->requests, &rank->room, rank->n + 1, sizeof *rank->requests)) {
            p->is_damaged = true;
            return &none;
        }
        rank->requests[rank->n++] = 0;
    }
    return &rank->requests[number];
}

static size_t take_requests(struct replay *p, struct replayed *rank)
{
    uint64_t n = record_number(&rank->reader);

    if (n > (uint64_t)(rank->reader.end - rank->reader.at) ||
        !portolan_reserve(&rank->waited, &rank->room_waited, n + 1, sizeof *rank->waited)) {
        p->is_damaged = true;
        return 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t number = record_number(&rank->reader);

        rank->waited[i] = number ? *request_at(p, rank, number - 1) : 0;
    }
    return n;
}

/* A number of the operation that is read. */
#define NEXT record_number(&rank->reader)

static uint64_t context(struct replay *p, struct replayed *rank)
{
    uint64_t at = NEXT;

    p->is_damaged |= at >= p->record->n_contexts;
    return p->is_damaged ? 0 : p->record->contexts[at];
}

/* The communicator of an event as the rank sees it, whose neighbours follow up to END; freed by the
 * caller. NULL: damaged, or no memory. */
static struct portolan_mpi_comm *
with_neighbours(struct replayed *rank, const struct portolan_mpi_comm *comm, const uint8_t *end)
{
    uint64_t n = NEXT;
    struct portolan_mpi_comm *own = NULL;
    int *list;

    if (n <= (uint64_t)(end - rank->reader.at))
        own = portolan_calloc(1, sizeof *own + n * sizeof *list);
    if (!own)
        return NULL;
    list = (int *)(own + 1);
    for (uint64_t i = 0; i < n; i++)
        list[i] = (int)NEXT;
    *own = *comm;
    own->n_neighbours = (int)n;
    own->neighbours = list;
    return own;
}

static void tell(struct replay *p, struct replayed *rank)
{
    const struct portolan_mpi_observer *observer = clue_carrier.observer;
    uint64_t length = NEXT, comm;
    const uint8_t *end = rank->reader.at + length;
    struct portolan_mpi_event e = {.name = ""};
    struct portolan_mpi_comm *own = NULL;

    if (length > (uint64_t)(rank->reader.end - rank->reader.at)) {
        p->is_damaged = true;
        return;
    }
    if (observer) {
        e.kind = (enum portolan_mpi_event_kind)NEXT;
        comm = NEXT;
        e.peer = (int)NEXT - 2;
        e.tag = (int)NEXT - 2;
        e.bytes = NEXT;
        e.request = (uint32_t)NEXT;
        e.ticks = (uint64_t)clue_now();
        if (comm && (comm - 1) / 2 < p->record->n_comms[(comm - 1) % 2])
            e.comm = &p->record->comms[(comm - 1) % 2][(comm - 1) / 2];
        if (e.comm && rank->reader.at < end)
            e.comm = own = with_neighbours(rank, e.comm, end);
        if (rank->routine) {
            e.name = rank->routine->name;
            e.routine = rank->routine->number;
        }
        if (rank->reader.at == end && e.kind < PORTOLAN_MPI_EVENT_KINDS && (e.comm || !comm))
            observer->tell(&e);
        else
            p->is_damaged = true;
    }
    free(own);
    rank->reader.at = end;
}

static enum clue_progress send(struct replay *p, int task, struct replayed *rank)
{
    clue_request *request = request_at(p, rank, NEXT);
    struct clue_send what = {0};

    what.to = (int)NEXT;
    what.context = context(p, rank);
    what.tag = (int)NEXT;
    what.bytes = NEXT;
    what.packed = NEXT;
    what.flags = (unsigned)NEXT;
    what.label = (uint8_t)NEXT;
    if (what.to < 0 || what.to >= p->record->n) {
        p->is_damaged = true;
        return CLUE_DONE;
    }
    return clue_engine_send(p->engine, task, &what, request);
}

static void receive(struct replay *p, int task, struct replayed *rank)
{
    clue_request *request = request_at(p, rank, NEXT);
    struct clue_receive what = {0};

    what.from = (int)NEXT - 1;
    what.context = context(p, rank);
    what.tag = (int)NEXT - 1;
    what.flags = (unsigned)NEXT;
    *request = clue_engine_receive(p->engine, task, &what);
}

static enum clue_progress meet(struct replay *p, int task, struct replayed *rank)
{
    struct clue_meeting m = {.kind = (enum clue_meeting_kind)NEXT};

    m.context = context(p, rank);
    m.sequence = NEXT;
    m.n = (int)NEXT;
    m.index = (int)NEXT;
    m.root = (int)NEXT;
    m.ns = (int64_t)NEXT;
    return clue_engine_meet(p->engine, task, &m);
}

static enum clue_progress call(struct replay *p, int task, struct replayed *rank)
{
    uint64_t place = (uint64_t)(rank->reader.end - rank->reader.at), routine = NEXT, site = NEXT;
    int64_t ns = (int64_t)NEXT;

    if (p->draw)
        ns = p->draw(task, site, place);
    if (ns > 0 && clue_engine_compute(p->engine, task, ns) == CLUE_WAITS)
        return CLUE_WAITS;
    if (routine >= p->record->n_routines) {
        p->is_damaged = true;
        return CLUE_DONE;
    }
    p->self.routine = rank->routine = &p->record->routines[routine];
    clue_tell_call(&p->self, PORTOLAN_MPI_BEGIN);
    return CLUE_DONE;
}

static enum clue_progress step(struct replay *p, int task, struct replayed *rank)
{
    struct clue_engine *e = p->engine;
    bool is_all;
    size_t n, index;
    clue_request *request;

    switch ((enum record_operation)NEXT) {
    case RECORD_CALL:
        return call(p, task, rank);
    case RECORD_END:
        if ((p->self.routine = rank->routine))
            clue_tell_call(&p->self, PORTOLAN_MPI_END);
        return CLUE_DONE;
    case RECORD_TELL:
        tell(p, rank);
        return CLUE_DONE;
    case RECORD_SEND:
        return send(p, task, rank);
    case RECORD_RECEIVE:
        receive(p, task, rank);
        return CLUE_DONE;
    case RECORD_WAIT:
        is_all = NEXT;
        n = take_requests(p, rank);
        return clue_engine_wait(e, task, rank->waited, n, is_all, &index);
    case RECORD_FREE:
        request = request_at(p, rank, NEXT);
        if (*request)
            clue_engine_release(e, *request);
        *request = 0;
        return CLUE_DONE;
    case RECORD_MEET:
        return meet(p, task, rank);
    case RECORD_SLEEP:
        return clue_engine_sleep(e, task, (int64_t)NEXT);
    case RECORD_SPEND:
        return clue_engine_spend(e, task, (int64_t)NEXT);
    case RECORD_TIMER:
        request = request_at(p, rank, NEXT);
        *request = clue_engine_timer(e, task, (int64_t)NEXT);
        return CLUE_DONE;
    case RECORD_ORDER:
        return clue_engine_order(e, task);
    case RECORD_EXIT:
        rank->reader.at = rank->reader.end;
        return CLUE_DONE;
    default: /* records of courses that depend on time are not replayed */
        p->is_damaged = true;
        return CLUE_DONE;
    }
}

/* Until it must wait or has come to its end. */
static void run_rank(struct replay *p, int task)
{
    struct replayed *rank = &p->ranks[task];

    p->self.task = task;
    clue_carrier.current = &p->self;
    while (rank->reader.at < rank->reader.end && !p->is_damaged) {
        const uint8_t *before = rank->reader.at;

        if (step(p, task, rank) == CLUE_WAITS) {
            rank->reader.at = before;
            break;
        }
    }
    clue_carrier.current = NULL;
    if (rank->reader.at == rank->reader.end)
        clue_engine_exit(p->engine, task);
}

bool clue_replay(struct clue_engine *engine, const struct record *record, clue_draw_fn *draw,
                 int *verdict)
{
    struct replay p = {.engine = engine, .record = record, .draw = draw};

    p.ranks = portolan_calloc((size_t)record->n, sizeof *p.ranks);
    for (int i = 0; p.ranks && i < record->n; i++)
        p.ranks[i].reader = record->ranks[i];
    *verdict = CLUE_FAILED;
    while (p.ranks && !p.is_damaged && (*verdict = clue_engine_next(engine)) >= 0)
        run_rank(&p, *verdict);
    for (int i = 0; p.ranks && i < record->n; i++) {
        free(p.ranks[i].requests);
        free(p.ranks[i].waited);
    }
    free(p.ranks);
    return !p.is_damaged;
}
