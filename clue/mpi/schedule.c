/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule.h"

#include "operation.h"

#include <portolan/list.h>

enum step_kind { STEP_SEND, STEP_RECEIVE, STEP_WAIT, STEP_REDUCE, STEP_COPY, STEP_SELF };

struct step {
    enum step_kind kind;
    int peer;
    const struct ranks *party;
    struct span data;
    struct span other; /* of a copy: destination; of a reduction: `at` is what comes in */
};

struct memory {
    struct memory *next;
};

/* Unused ones, shared by all ranks. */
static struct transfer *free_transfers;

void *schedule_memory(struct mpi_schedule *s, size_t bytes)
{
    size_t aligned = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    struct memory *m;

    if (s->scratch && aligned <= sizeof s->scratch->room - s->scratch->used) {
        s->scratch->used += aligned;
        return memset(s->scratch->room + s->scratch->used - aligned, 0, bytes);
    }
    m = mpi_alloc(1, sizeof(max_align_t) + bytes);
    m->next = s->memory;
    s->memory = m;
    return (char *)m + sizeof(max_align_t);
}

struct span schedule_buffer(struct mpi_schedule *s, MPI_Count count, struct mpi_type *type)
{
    MPI_Count step = type->extent > type->true_extent ? type->extent : type->true_extent;

    return span((char *)schedule_memory(s, (size_t)(count * step)) - type->true_lb, count, type);
}

/* ---------------------------------------------------------------- messages */

enum { FEW = sizeof((struct scratch *)0)->few / sizeof(struct transfer) };

static struct transfer *transfer_new(struct mpi_schedule *s, struct span data)
{
    struct transfer *x = free_transfers;

    if (s->scratch && s->n_pending < FEW)
        x = &s->scratch->few[s->n_pending];
    else if (x)
        free_transfers = x->next;
    else
        x = mpi_alloc(1, sizeof *x);
    *x = (struct transfer){.next = s->pending, .data = data};
    s->pending = x;
    s->n_pending++;
    return x;
}

/* Returns where the bytes of DATA, which are dense, lie. */
static void *bytes_of(struct span data)
{
    return (char *)data.at + (data.count ? data.type->true_lb : 0);
}

static bool is_dense(struct span data)
{
    return mpi_is_dense(data.type, data.count);
}

static void begin_send(struct mpi_schedule *s, const struct ranks *p, struct span data, int to)
{
    struct transfer *x = transfer_new(s, data);
    size_t bytes = (size_t)span_bytes(data);

    if (!is_dense(data)) {
        x->packed = mpi_alloc(bytes ? bytes : 1, 1);
        mpi_pack(data.type, data.at, data.count, x->packed);
    }
    x->request = clue_send(&(struct clue_send){.to = p->tasks[to],
                                               .context = p->context,
                                               .tag = s->tag,
                                               .data = x->packed ? x->packed : bytes_of(data),
                                               .bytes = bytes,
                                               .packed = x->packed ? bytes : 0,
                                               .flags = s->flags});
}

static void deliver(void *arg, const struct clue_message *message)
{
    struct transfer *x = arg;
    uint64_t room = (uint64_t)span_bytes(x->data);
    uint64_t bytes = message->bytes < room ? message->bytes : room;

    x->bytes = message->bytes;
    if (bytes && is_dense(x->data))
        memcpy(bytes_of(x->data), message->data, bytes);
    else if (bytes)
        mpi_unpack(x->data.type, x->data.at, x->data.count, message->data, (MPI_Count)bytes);
}

static void begin_receive(struct mpi_schedule *s, const struct ranks *p, struct span data, int from)
{
    struct transfer *x = transfer_new(s, data);

    x->request = clue_receive(&(struct clue_receive){.from = p->tasks[from],
                                                     .context = p->context,
                                                     .tag = s->tag,
                                                     .flags = s->flags & CLUE_FREE,
                                                     .deliver = deliver,
                                                     .arg = x});
}

static void end_transfers(struct mpi_schedule *s)
{
    struct transfer *x;

    while ((x = s->pending)) {
        if (x->bytes > (uint64_t)span_bytes(x->data))
            s->error =
                mpi_error(s->task, MPI_ERR_TRUNCATE, "%llu bytes arrived for a buffer of %lld",
                          (unsigned long long)x->bytes, (long long)span_bytes(x->data));
        if (x->is_over)
            *x->is_over = true;
        else
            clue_free(x->request);
        free(x->packed);
        s->pending = x->next;
        if (s->scratch && x >= s->scratch->few && x < s->scratch->few + FEW)
            continue;
        x->next = free_transfers;
        free_transfers = x;
    }
    s->n_pending = 0;
}

static size_t list_pending(const struct mpi_schedule *s, clue_request *to, size_t room)
{
    size_t n = 0;

    for (const struct transfer *x = s->pending; x && n < room; x = x->next)
        to[n++] = x->request;
    return n;
}

void schedule_wait_for(struct mpi_task *t, const clue_request *requests, size_t n)
{
    struct mpi_request *items, **list;

    if (!t->schedules && !t->n_recorded) {
        clue_wait(requests, n, true);
        return;
    }
    items = mpi_alloc(n, sizeof *items);
    list = mpi_alloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++) {
        items[i] = (struct mpi_request){.kind = MPI_REQUEST_RECEIVE, .engine = requests[i]};
        list[i] = &items[i];
    }
    mpi_await(t, list, n, true);
    free(list);
    free(items);
}

/* Waits for the pending messages. IS_COMPLETE: all are, and it only takes the receives' time. */
static void wait_pending(struct mpi_schedule *s, bool is_complete)
{
    clue_request few[8], *requests = few;
    size_t n = s->n_pending;

    if (n > 8)
        requests = mpi_alloc(n, sizeof *requests);
    list_pending(s, requests, n);
    if (n && is_complete)
        clue_wait(requests, n, true);
    else if (n)
        schedule_wait_for(s->task, requests, n);
    end_transfers(s);
    if (requests != few)
        free(requests);
}

static bool is_pending(const struct mpi_schedule *s)
{
    for (const struct transfer *x = s->pending; x; x = x->next)
        if (!clue_is_complete(x->request))
            return true;
    return false;
}

/* ---------------------------------------------------------------- steps */

/* Takes the time of copying; if messages are free, the law of the whole call includes it. */
static void take_copying(struct mpi_schedule *s, const struct step *step)
{
    if (!(s->flags & CLUE_FREE))
        clue_pack((uint64_t)span_bytes(step->data), step->kind == STEP_SELF);
}

static void do_step(struct mpi_schedule *s, const struct step *step)
{
    switch (step->kind) {
    case STEP_SEND:
        begin_send(s, step->party, step->data, step->peer);
        break;
    case STEP_RECEIVE:
        begin_receive(s, step->party, step->data, step->peer);
        break;
    case STEP_WAIT:
        wait_pending(s, s->is_stored);
        break;
    case STEP_REDUCE:
        take_copying(s, step);
        operation_apply(s->task, s->op, step->other.at, step->data.at, step->data.count,
                        step->data.type);
        break;
    case STEP_SELF:
    case STEP_COPY:
        take_copying(s, step);
        if (is_dense(step->other))
            clue_touch(bytes_of(step->other), (uint64_t)span_bytes(step->other));
        if (is_dense(step->data) && is_dense(step->other))
            memmove(bytes_of(step->other), bytes_of(step->data), (size_t)span_bytes(step->data));
        else
            mpi_copy_items(s->task, step->data.at, step->data.count, step->data.type,
                           step->other.at, step->other.count, step->other.type);
        break;
    }
}

static void take_step(struct mpi_schedule *s, const struct step *step)
{
    if (!s->is_stored) {
        do_step(s, step);
        return;
    }
    if (!portolan_reserve(&s->steps, &s->room, s->n_steps + 1, sizeof *s->steps))
        clue_fail("out of memory");
    s->steps[s->n_steps++] = *step;
}

void schedule_send(struct mpi_schedule *s, const struct ranks *p, struct span data, int to)
{
    take_step(s, &(struct step){STEP_SEND, to, p, data, {0}});
}

void schedule_receive(struct mpi_schedule *s, const struct ranks *p, struct span data, int from)
{
    take_step(s, &(struct step){STEP_RECEIVE, from, p, data, {0}});
}

void schedule_wait(struct mpi_schedule *s)
{
    take_step(s, &(struct step){.kind = STEP_WAIT});
}

void schedule_reduce(struct mpi_schedule *s, void *in, struct span inout)
{
    if (inout.count)
        take_step(s, &(struct step){STEP_REDUCE, 0, NULL, inout, {.at = in}});
}

void schedule_copy(struct mpi_schedule *s, struct span from, struct span to)
{
    if (from.at != to.at && span_bytes(from))
        take_step(s, &(struct step){STEP_COPY, 0, NULL, from, to});
}

void schedule_send_self(struct mpi_schedule *s, struct span from, struct span to)
{
    if (span_bytes(from))
        take_step(s, &(struct step){STEP_SELF, 0, NULL, from, to});
}

void schedule_exchange(struct mpi_schedule *s, const struct ranks *p, struct span out, int to,
                       struct span in, int from)
{
    schedule_receive(s, p, in, from);
    schedule_send(s, p, out, to);
    schedule_wait(s);
}

void schedule_send_now(struct mpi_schedule *s, const struct ranks *p, struct span data, int to)
{
    schedule_send(s, p, data, to);
    schedule_wait(s);
}

void schedule_receive_now(struct mpi_schedule *s, const struct ranks *p, struct span data, int from)
{
    schedule_receive(s, p, data, from);
    schedule_wait(s);
}

/* ---------------------------------------------------------------- ends */

static void free_memory(struct mpi_schedule *s)
{
    struct memory *m;

    while ((m = s->memory)) {
        s->memory = m->next;
        free(m);
    }
}

int schedule_end(struct mpi_schedule *s)
{
    wait_pending(s, false);
    free_memory(s);
    return s->error;
}

static void each_type(const struct mpi_schedule *s, void (*what)(struct mpi_type *type))
{
    for (size_t i = 0; i < s->n_steps; i++) {
        if (s->steps[i].data.type)
            what(s->steps[i].data.type);
        if (s->steps[i].other.type)
            what(s->steps[i].other.type);
    }
}

void schedule_hold(struct mpi_schedule *s)
{
    each_type(s, mpi_type_retain);
    if (s->op)
        operation_retain(s->op);
}

struct mpi_schedule *schedule_of_request(struct mpi_task *t, clue_request request, bool *is_over)
{
    struct mpi_schedule *s = mpi_alloc(1, sizeof *s);

    s->task = t;
    s->is_stored = true;
    if (request) {
        struct transfer *x = transfer_new(s, span(NULL, 0, mpi_builtin_type(MPI_BYTE)));

        x->request = request;
        x->is_over = is_over;
        clue_record_await(NULL, 0, false);
    }
    return s;
}

static bool take_steps(struct mpi_schedule *s)
{
    for (; s->next < s->n_steps; s->next++) {
        if (s->steps[s->next].kind == STEP_WAIT && is_pending(s))
            return false;
        do_step(s, &s->steps[s->next]);
    }
    if (is_pending(s))
        return false;
    wait_pending(s, true);
    return true;
}

bool mpi_schedule_advance(struct mpi_schedule *s)
{
    uint32_t before;

    if (!s->number)
        return s->is_over = take_steps(s);
    before = clue_record_as(s->number);
    if (!s->is_over && (s->is_over = take_steps(s)))
        clue_schedule_end(s->number);
    clue_record_as(before);
    return s->is_over;
}

void mpi_schedule_begin(struct mpi_schedule *s)
{
    s->next = 0;
    s->error = MPI_SUCCESS;
    s->is_over = false;
    s->number = clue_schedule_begin();
    s->task->n_recorded += s->number != 0;
    mpi_schedule_advance(s);
}

size_t mpi_schedule_pending(const struct mpi_schedule *s, clue_request *to, size_t room)
{
    size_t n = 0;

    for (const struct transfer *x = s->pending; x && n < room; x = x->next)
        if (!clue_is_complete(x->request))
            to[n++] = x->request;
    return n;
}

uint32_t mpi_schedule_number(const struct mpi_schedule *s)
{
    return s->number;
}

int mpi_schedule_free(struct mpi_schedule *s)
{
    int error = s->error;

    each_type(s, mpi_type_release);
    operation_release(s->op);
    free_memory(s);
    free(s->steps);
    free(s);
    return error;
}
