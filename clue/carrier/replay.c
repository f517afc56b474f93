/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays a record on a machine: performs the same operations without the program and its data.
 *
 * The engine says which rank continues. A rank reads its course of operations until one must wait,
 * and performs that one again when it goes on, so an operation changes nothing before it is done.
 * A nonblocking collective is a schedule, a course next to the rank's own, which is held when a
 * wait of it is not complete. An await waits for the program's requests and lets schedules advance
 * meanwhile, depending on which message comes first, as the library does: await_phase() waits for
 * any incomplete request of these, advances the schedules, and begins again.
 */
#include "record.h"

#include "operation_forms.h"

#include <portolan/list.h>

#include <stdlib.h>

/* The operations of a rank, or of one of its schedules. */
struct course {
    struct record_reader reader;
    clue_request *requests; /* by the record's numbers */
    size_t n, room;
    clue_request *waited; /* requests of its wait */
    size_t n_waited, room_waited, n_checked;
    bool is_held, is_over; /* of a schedule: IS_HELD: its wait is not complete */
    struct course *next;
};

enum await_phase { BEGINNING, WAITING_FOR_ALL, ADVANCING, CHECKING, WAITING, CHARGING, AWAITED };

struct replayed {
    struct course own, *now;  /* NOW: the course that is being read */
    struct course *schedules; /* all, in the order in which they begin */
    size_t n_schedules, n_begun;
    struct course *active, **turn; /* those that are not over; TURN: the next to advance */
    /* State of an await: the requests that it still waits for, its own first, and its phase. */
    enum await_phase phase;
    struct course awaited;
    size_t n_own, n_open, n_kept, n_kept_before; /* requests kept before the checked schedule */
    bool can_go_on;                              /* a schedule waits for nothing any more */
    const struct clue_routine *routine;          /* routine of the call that the rank is in */
};

struct replay {
    struct clue_engine *engine;
    const struct record *record;
    struct replayed *ranks;
    const struct record_bursts *medians; /* by rank; or NULL */
    const uint8_t **at;                  /* by rank: where reading continues, to be prefetched */
    struct rank self;                    /* the rank that runs, for observers */
    bool is_damaged;
};

static clue_request *request_at(struct replay *p, struct course *c, uint64_t number)
{
    static clue_request none;

    if (number >= c->n) {
        if (number > c->n ||
            !portolan_reserve(&c->requests, &c->room, c->n + 1, sizeof *c->requests)) {
            p->is_damaged = true;
            return &none;
        }
        c->requests[c->n++] = 0;
    }
    return &c->requests[number];
}

static bool reserve_waited(struct replay *p, struct course *c, uint64_t n)
{
    p->is_damaged |= !portolan_reserve(&c->waited, &c->room_waited, n, sizeof *c->waited);
    return !p->is_damaged;
}

static size_t take_requests(struct replay *p, struct course *c)
{
    uint64_t n = record_number(&c->reader);

    if (n > (uint64_t)(c->reader.end - c->reader.at) || !reserve_waited(p, c, n + 1)) {
        p->is_damaged = true;
        return 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t number = record_number(&c->reader);

        c->waited[i] = number ? *request_at(p, c, number - 1) : 0;
    }
    return n;
}

/* Returns the next number of the operation that is being read. */
static uint64_t next_number(struct replayed *rank)
{
    return record_number(&rank->now->reader);
}

static void replay_event(struct replay *p, struct replayed *rank)
{
    const struct portolan_mpi_observer *observer = clue_carrier.observer;
    uint64_t length = next_number(rank), comm;
    const uint8_t *end = rank->now->reader.at + length;
    struct portolan_mpi_event e = {.name = ""};
    struct portolan_mpi_comm *own = NULL;

    if (length > (uint64_t)(rank->now->reader.end - rank->now->reader.at)) {
        p->is_damaged = true;
        return;
    }
    if (observer) {
        e.kind = (enum portolan_mpi_event_kind)next_number(rank);
        comm = next_number(rank);
        e.peer = (int)next_number(rank) - 2;
        e.tag = (int)next_number(rank) - 2;
        e.bytes = next_number(rank);
        e.request = (uint32_t)next_number(rank);
        e.ticks = (uint64_t)clue_now();
        if (comm && (comm - 1) / 2 < p->record->n_comms[(comm - 1) % 2])
            e.comm = &p->record->comms[(comm - 1) % 2][(comm - 1) / 2];
        if (e.comm && rank->now->reader.at < end)
            e.comm = own = record_comm_with_neighbours(&rank->now->reader, e.comm, end);
        if (rank->routine) {
            e.name = rank->routine->name;
            e.routine = rank->routine->number;
        }
        if (rank->now->reader.at == end && e.kind < PORTOLAN_MPI_EVENT_KINDS && (e.comm || !comm))
            observer->tell(&e);
        else
            p->is_damaged = true;
    }
    free(own);
    rank->now->reader.at = end;
}

/* ------------------------------------------------- operations of the table */

/* Decodes a member of an operation; VALUE is the record's number for FIELD. */
static inline __attribute__((always_inline)) void take_field(struct replay *p, struct course *c,
                                                             struct operation *o,
                                                             struct operation_field field,
                                                             uint64_t value)
{
    void *at = operation_at(o, field);

    switch ((enum operation_field_kind)field.kind) {
    case FIELD_TASK:
        p->is_damaged |= value >= (uint64_t)p->record->n;
        *(int *)at = (int)value;
        break;
    case FIELD_INT:
        *(int *)at = (int)value;
        break;
    case FIELD_INT_OR_ANY:
        *(int *)at = (int)value - 1;
        break;
    case FIELD_UNSIGNED:
        *(unsigned *)at = (unsigned)value;
        break;
    case FIELD_BYTE:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case FIELD_LONG:
        *(uint64_t *)at = value;
        break;
    case FIELD_CONTEXT:
        p->is_damaged |= value >= p->record->n_contexts;
        *(uint64_t *)at = p->is_damaged ? 0 : p->record->contexts[value];
        break;
    case FIELD_ROUTINE:
        p->is_damaged |= value >= p->record->n_routines;
        o->call.routine = p->is_damaged ? NULL : &p->record->routines[value];
        break;
    case FIELD_REQUEST:
    case FIELD_FREED:
    case FIELD_NEW_REQUEST:
        o->request = *request_at(p, c, value);
        break;
    default: /* Only records that depend on time have these kinds, and those are not replayed. */
        p->is_damaged = true;
    }
}

/* Reads an operation of KIND, performs it, and keeps its request under the record's number. */
static inline __attribute__((always_inline)) enum clue_progress do_next(struct replay *p, int task,
                                                                        struct replayed *rank,
                                                                        enum operation_kind kind,
                                                                        struct operation *o)
{
    const struct operation_form *form = &operation_forms[kind];
    struct course *c = rank->now;
    uint64_t place = record_place(&c->reader), first = 0;
    enum clue_progress progress;

    o->kind = kind;
#pragma GCC unroll 8
    for (int i = 0; i < form->n_fields; i++) {
        uint64_t value = record_number(&c->reader);

        first = i ? first : value;
        take_field(p, c, o, form->fields[i], value);
    }
    if (p->is_damaged)
        return CLUE_DONE;
    if (kind == OPERATION_CALL && p->medians)
        o->call.ns = record_burst_at(&p->medians[task], o->call.site, place);
    progress = form->step(p->engine, task, o);
    if (progress == CLUE_DONE && form->fields[0].kind == FIELD_NEW_REQUEST)
        *request_at(p, c, first) = o->request;
    if (progress == CLUE_DONE && form->fields[0].kind == FIELD_FREED)
        *request_at(p, c, first) = 0;
    return progress;
}

static enum clue_progress call(struct replay *p, int task, struct replayed *rank)
{
    struct operation o = {0};

    if (do_next(p, task, rank, OPERATION_CALL, &o) == CLUE_WAITS)
        return CLUE_WAITS;
    if (p->is_damaged)
        return CLUE_DONE;
    p->self.routine = rank->routine = o.call.routine;
    clue_notify_call(&p->self, PORTOLAN_MPI_BEGIN);
    return CLUE_DONE;
}

static enum clue_progress send(struct replay *p, int task, struct replayed *rank)
{
    return do_next(p, task, rank, OPERATION_SEND, &(struct operation){.send = {0}});
}

static enum clue_progress receive(struct replay *p, int task, struct replayed *rank)
{
    return do_next(p, task, rank, OPERATION_RECEIVE, &(struct operation){.receive = {0}});
}

static enum clue_progress release(struct replay *p, int task, struct replayed *rank)
{
    return do_next(p, task, rank, OPERATION_FREE, &(struct operation){0});
}

/* Performs an operation that is less frequent than those above. */
static enum clue_progress do_other(struct replay *p, int task, struct replayed *rank,
                                   enum operation_kind kind)
{
    if (kind < OPERATIONS_RECORDED && operation_forms[kind].step)
        return do_next(p, task, rank, kind, &(struct operation){0});
    p->is_damaged = true;
    return CLUE_DONE;
}

/* ------------------------------------------------- waits, schedules */

/* Waits. A schedule waits only when all its requests are complete, and is held until then. */
static enum clue_progress wait(struct replay *p, int task, struct replayed *rank)
{
    struct course *c = rank->now;
    bool is_all = next_number(rank), is_complete;
    size_t n = take_requests(p, c), index;

    for (; c != &rank->own && c->n_checked < n; c->n_checked++) {
        if (clue_engine_is_complete(p->engine, task, c->waited[c->n_checked], &is_complete) ==
            CLUE_WAITS)
            return CLUE_WAITS;
        if (is_complete)
            continue;
        c->is_held = true;
        c->n_checked = 0;
        c->n_waited = n;
        return CLUE_DONE;
    }
    if (clue_engine_wait(p->engine, task, c->waited, n, is_all, &index) == CLUE_WAITS)
        return CLUE_WAITS;
    c->n_checked = 0;
    return CLUE_DONE;
}

static enum clue_progress step(struct replay *p, int task, struct replayed *rank);

/* Skips an operation that only observers need; most operations are such. */
static bool skip(struct record_reader *r)
{
    const uint8_t *at = r->at;

    if (*at == OPERATION_END)
        r->at++;
    else if (*at == OPERATION_EVENT && r->end - at > 1 && at[1] < 0x80 && at[1] < r->end - at - 1)
        r->at += 2 + at[1];
    return r->at != at;
}

/* Performs operations of C until it is held, has ended, or (CLUE_WAITS) the rank must wait. */
static enum clue_progress advance(struct replay *p, int task, struct replayed *rank,
                                  struct course *c)
{
    enum clue_progress progress = CLUE_DONE;

    rank->now = c;
    c->is_held = false;
    while (c->reader.at < c->reader.end && !p->is_damaged) {
        const uint8_t *before = c->reader.at;

        if (!clue_carrier.observer && skip(&c->reader))
            continue;
        progress = step(p, task, rank);
        if (progress == CLUE_WAITS || c->is_held) {
            c->reader.at = before;
            break;
        }
    }
    rank->now = &rank->own;
    return progress;
}

/* Advances all active schedules, in the order in which they began. */
static enum clue_progress advance_schedules(struct replay *p, int task, struct replayed *rank)
{
    struct course *c;

    while ((c = *rank->turn)) {
        if (advance(p, task, rank, c) == CLUE_WAITS)
            return CLUE_WAITS;
        c->is_over = c->reader.at == c->reader.end;
        if (c->is_over)
            *rank->turn = c->next;
        else
            rank->turn = &c->next;
    }
    rank->turn = &rank->active;
    return CLUE_DONE;
}

static enum clue_progress begin_schedule(struct replay *p, int task, struct replayed *rank)
{
    struct course *c = &rank->schedules[rank->n_begun], **last = &rank->active;

    if (rank->n_begun == rank->n_schedules) {
        p->is_damaged = true;
        return CLUE_DONE;
    }
    if (advance(p, task, rank, c) == CLUE_WAITS)
        return CLUE_WAITS;
    rank->n_begun++;
    while (*last)
        last = &(*last)->next;
    *last = c;
    return CLUE_DONE;
}

/* Lists the requests of an await of N items, whose numbers are read next. Returns false if there
 * are schedules among them. */
static bool list_own(struct replay *p, struct replayed *rank, size_t n)
{
    struct record_reader numbers = rank->own.reader;
    struct course *a = &rank->awaited;
    bool has_schedules = false;

    a->n_waited = a->n_checked = rank->n_open = rank->n_kept = 0;
    rank->can_go_on = false;
    for (size_t i = 0; i < n && reserve_waited(p, a, n); i++) {
        uint64_t number = record_number(&numbers), schedule = number / 2 - 1;

        has_schedules |= number % 2;
        if (number % 2)
            rank->n_open += schedule >= rank->n_begun || !rank->schedules[schedule].is_over;
        else if (number)
            a->waited[a->n_waited++] = *request_at(p, &rank->own, number / 2 - 1);
    }
    rank->n_own = a->n_waited;
    return !has_schedules;
}

/* Adds the requests that active schedules wait for, those of each followed by a 0. */
static void list_active(struct replay *p, struct replayed *rank)
{
    struct course *a = &rank->awaited;

    for (const struct course *c = rank->active; c; c = c->next) {
        if (!reserve_waited(p, a, a->n_waited + c->n_waited + 1))
            return;
        for (size_t i = 0; i < c->n_waited; i++)
            a->waited[a->n_waited++] = c->waited[i];
        a->waited[a->n_waited++] = 0;
    }
}

/* Keeps the requests that are not complete: of schedules as many as the library watches, and none
 * after a schedule that can go on. */
static enum clue_progress check_awaited(struct replay *p, int task, struct replayed *rank, size_t n)
{
    struct course *a = &rank->awaited;
    bool is_complete;

    for (; a->n_checked < a->n_waited; a->n_checked++) {
        bool is_own = a->n_checked < rank->n_own;

        if (a->n_checked == rank->n_own)
            rank->n_kept_before = rank->n_kept;
        if (!is_own && (!rank->n_open || rank->n_kept == n + CLUE_MOST_OF_SCHEDULES))
            break;
        if (!is_own && !a->waited[a->n_checked]) {
            rank->can_go_on = rank->n_kept == rank->n_kept_before;
            if (rank->can_go_on)
                return CLUE_DONE;
            rank->n_kept_before = rank->n_kept;
            continue;
        }
        if (clue_engine_is_complete(p->engine, task, a->waited[a->n_checked], &is_complete) ==
            CLUE_WAITS)
            return CLUE_WAITS;
        if (!is_complete)
            a->waited[rank->n_kept++] = a->waited[a->n_checked];
        rank->n_open += is_own && !is_complete;
    }
    p->is_damaged |= rank->n_open && !rank->n_kept;
    return CLUE_DONE;
}

/* Performs one phase of an await, as mpi_await() of clue/mpi: without schedules, waits for all. */
static enum clue_progress await_phase(struct replay *p, int task, struct replayed *rank, size_t n)
{
    struct course *a = &rank->awaited;
    enum clue_progress progress = CLUE_DONE;
    enum await_phase next = AWAITED;
    size_t index;

    switch (rank->phase) {
    case BEGINNING:
        next = list_own(p, rank, n) && !rank->active ? WAITING_FOR_ALL : ADVANCING;
        break;
    case WAITING_FOR_ALL:
        progress = clue_engine_wait(p->engine, task, a->waited, a->n_waited, true, &index);
        break;
    case ADVANCING:
        progress = advance_schedules(p, task, rank);
        list_own(p, rank, n);
        list_active(p, rank);
        next = CHECKING;
        break;
    case CHECKING:
        progress = check_awaited(p, task, rank, n);
        next = rank->can_go_on ? ADVANCING : rank->n_open ? WAITING : CHARGING;
        if (progress == CLUE_DONE && next == CHARGING)
            list_own(p, rank, n);
        break;
    case WAITING:
        progress = clue_engine_wait(p->engine, task, a->waited, rank->n_kept, false, &index);
        next = ADVANCING;
        break;
    case CHARGING: /* charges the receive delay of each */
        if (a->n_checked < a->n_waited) {
            progress = clue_engine_wait(p->engine, task, a->waited + a->n_checked, 1, true, &index);
            a->n_checked += progress == CLUE_DONE;
            next = CHARGING;
        }
        break;
    case AWAITED:
        break;
    }
    rank->phase = progress == CLUE_DONE ? next : rank->phase;
    return progress;
}

static enum clue_progress await(struct replay *p, int task, struct replayed *rank)
{
    uint64_t n = next_number(rank);

    p->is_damaged |= n > (uint64_t)(rank->own.reader.end - rank->own.reader.at);
    while (!p->is_damaged && rank->phase != AWAITED)
        if (await_phase(p, task, rank, n) == CLUE_WAITS)
            return CLUE_WAITS;
    rank->phase = BEGINNING;
    for (uint64_t i = 0; i < n && !p->is_damaged; i++)
        (void)next_number(rank);
    return CLUE_DONE;
}

/* ------------------------------------------------- all operations */

static enum clue_progress step(struct replay *p, int task, struct replayed *rank)
{
    enum operation_kind kind = (enum operation_kind)next_number(rank);

    switch (kind) {
    case OPERATION_CALL:
        return call(p, task, rank);
    case OPERATION_SEND:
        return send(p, task, rank);
    case OPERATION_RECEIVE:
        return receive(p, task, rank);
    case OPERATION_FREE:
        return release(p, task, rank);
    case OPERATION_END:
        if ((p->self.routine = rank->routine))
            clue_notify_call(&p->self, PORTOLAN_MPI_END);
        return CLUE_DONE;
    case OPERATION_EVENT:
        replay_event(p, rank);
        return CLUE_DONE;
    case OPERATION_WAIT:
        return wait(p, task, rank);
    case OPERATION_SCHEDULE:
        return begin_schedule(p, task, rank);
    case OPERATION_AWAIT:
        return await(p, task, rank);
    case OPERATION_EXIT:
        rank->own.reader.at = rank->own.reader.end;
        return CLUE_DONE;
    default:
        return do_other(p, task, rank, kind);
    }
}

/* Prefetches the data of the rank that goes on soon. */
static void fetch_soon(struct replay *p)
{
    enum { LINE = 64, READ = 512 };
    int soon = clue_engine_soon(p->engine);

    if (soon < 0)
        return;
    for (size_t i = 0; i < sizeof *p->ranks; i += LINE)
        __builtin_prefetch((const char *)&p->ranks[soon] + i);
    for (size_t i = 0; i < READ; i += LINE)
        __builtin_prefetch(p->at[soon] + i);
}

/* Runs a rank until it must wait or has come to its end. */
static void run_rank(struct replay *p, int task)
{
    struct replayed *rank = &p->ranks[task];

    fetch_soon(p);
    p->self.task = task;
    clue_carrier.current = &p->self;
    advance(p, task, rank, &rank->own);
    clue_carrier.current = NULL;
    p->at[task] = rank->own.reader.at;
    if (rank->own.reader.at == rank->own.reader.end)
        clue_engine_exit(p->engine, task);
}

static bool begin_rank(struct replayed *rank, const struct record_rank *from)
{
    rank->own.reader = from->own;
    rank->turn = &rank->active;
    rank->n_schedules = from->n_schedules;
    rank->schedules = portolan_calloc(from->n_schedules + 1, sizeof *rank->schedules);
    for (size_t i = 0; rank->schedules && i < from->n_schedules; i++)
        rank->schedules[i].reader = from->schedules[i];
    return rank->schedules != NULL;
}

static void end_course(struct course *c)
{
    free(c->requests);
    free(c->waited);
}

static void end_rank(struct replayed *rank)
{
    for (size_t i = 0; rank->schedules && i < rank->n_schedules; i++)
        end_course(&rank->schedules[i]);
    free(rank->schedules);
    end_course(&rank->own);
    end_course(&rank->awaited);
}

bool clue_replay(struct clue_engine *engine, const struct record *record,
                 const struct record_bursts *medians, int *verdict)
{
    struct replay p = {.engine = engine, .record = record, .medians = medians};
    bool is_ready = (p.ranks = portolan_calloc((size_t)record->n, sizeof *p.ranks)) &&
                    (p.at = portolan_calloc((size_t)record->n, sizeof *p.at));

    for (int i = 0; is_ready && i < record->n; i++)
        is_ready = begin_rank(&p.ranks[i], &record->ranks[i]);
    *verdict = CLUE_FAILED;
    while (is_ready && !p.is_damaged && (*verdict = clue_engine_next(engine)) >= 0)
        run_rank(&p, *verdict);
    for (int i = 0; p.ranks && i < record->n; i++)
        end_rank(&p.ranks[i]);
    free(p.ranks);
    free(p.at);
    return !p.is_damaged;
}
