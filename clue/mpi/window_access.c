/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided accesses, and the locks that they need. */
#include "operation.h"
#include "window.h"

/* ---------------------------------------------------------------- at the target */

/* Takes the old data that have come back to the origin. */
static void take_old(void *arg)
{
    struct access *a = arg;

    if (a->kind == ACCESS_COMPARE)
        memcpy(a->result, a->old, (size_t)a->type->size);
    else
        mpi_unpack(a->result_type, a->result, a->n_result, a->old, a->count * a->type->size);
    clue_unshare(a->old);
}

static void bring_back(struct access *a)
{
    a->old = clue_share((size_t)(a->count * a->type->size));
    mpi_pack(a->type, a->at, a->count, a->old);
    clue_call_in(a->task, a->take_old, a);
}

/* Applies an operation to pairs of value and index, which may have holes. */
static void apply_pairs(struct access *a, const char *data)
{
    struct mpi_type *pair = mpi_basic_type(a->type);
    MPI_Count bytes = a->count * a->type->size, n = bytes / pair->size;
    char *row = mpi_alloc((size_t)bytes, 1);
    char *items = mpi_alloc(2 * (size_t)n, (size_t)pair->extent);
    char *there = items + n * pair->extent;

    mpi_pack(a->type, a->at, a->count, row);
    mpi_unpack(pair, there, n, row, bytes);
    mpi_unpack(pair, items, n, data, bytes);
    operation_apply(NULL, mpi_op(NULL, a->op), items, there, n, pair);
    mpi_pack(pair, there, n, row);
    mpi_unpack(a->type, a->at, a->count, row, bytes);
    free(items);
    free(row);
}

static void apply(struct access *a, const char *data)
{
    if (a->op == MPI_NO_OP || !a->count || !a->type->size || !data)
        return;
    if (a->op == MPI_REPLACE) {
        mpi_unpack(a->type, a->at, a->count, data, a->count * a->type->size);
        return;
    }
    if (a->op == MPI_MINLOC || a->op == MPI_MAXLOC) {
        apply_pairs(a, data);
        return;
    }
    for (MPI_Count i = 0; i < a->count; i++)
        for (size_t k = 0; k < a->type->n_runs; k++) {
            const struct mpi_run *run = &a->type->runs[k];
            struct mpi_type *basic = mpi_builtin_type((MPI_Datatype)run->basic);
            char *at = a->at + i * a->type->extent + run->offset;

            for (MPI_Count j = 0; j < run->count; j++, at += run->stride, data += run->bytes)
                operation_apply(NULL, mpi_op(NULL, a->op), (void *)data, at,
                                run->bytes / basic->size, basic);
        }
}

static void compare_and_swap(struct access *a, const char *data)
{
    size_t bytes = (size_t)a->type->size;

    a->old = clue_share(bytes);
    memcpy(a->old, a->at, bytes);
    if (memcmp(a->at, a->compare, bytes) == 0)
        memcpy(a->at, data, bytes);
    clue_call_in(a->task, a->take_old, a);
}

static bool grant(struct exposure *w, struct access *a)
{
    if (w->n_holders < 0 || (a->is_exclusive && w->n_holders > 0))
        return false;
    w->n_holders = a->is_exclusive ? -1 : w->n_holders + 1;
    return a->is_granted = true;
}

static void arrive_lock(struct exposure *w, struct access *a)
{
    if (!w->first_lock && grant(w, a))
        return;
    if (w->first_lock)
        w->last_lock->next = a;
    else
        w->first_lock = a;
    w->last_lock = a;
}

static void arrive_unlock(struct exposure *w)
{
    w->n_holders = w->n_holders < 0 ? 0 : w->n_holders - 1;
}

void access_arrive(void *window, const struct clue_message *message)
{
    struct access *a = mpi_shared()->accesses[message->tag];
    struct mpi_win *w = window;
    struct exposure *own = &w->all->of_rank[w->comm->rank];

    switch (a->kind) {
    case ACCESS_DATA:
        if (a->result)
            bring_back(a);
        apply(a, message->data);
        break;
    case ACCESS_COMPARE:
        compare_and_swap(a, message->data);
        break;
    case ACCESS_LOCK:
        arrive_lock(own, a);
        break;
    case ACCESS_UNLOCK:
        arrive_unlock(own);
        break;
    case ACCESS_NOTHING:
        break;
    }
}

/* ---------------------------------------------------------------- at the origin */

/* Makes room for another tag. */
static void grow_tags(struct mpi_shared *shared)
{
    size_t room = 2 * shared->room_accesses + 64;
    struct access **grown;

    if (shared->n_accesses + 1 < shared->room_accesses)
        return;
    grown = clue_share(room * sizeof *grown);
    if (shared->n_accesses)
        memcpy(grown, shared->accesses, shared->n_accesses * sizeof *grown);
    clue_unshare(shared->accesses);
    shared->accesses = grown;
    shared->room_accesses = room;
    shared->n_accesses += !shared->n_accesses;
}

static struct access *access_new(const struct access *from)
{
    struct mpi_shared *shared = mpi_shared();
    struct access *a = shared->free_accesses;
    uint32_t tag;

    if (a) {
        shared->free_accesses = a->next;
        tag = a->tag;
    } else {
        grow_tags(shared);
        a = clue_share(sizeof *a);
        tag = (uint32_t)shared->n_accesses++;
        shared->accesses[tag] = a;
    }
    *a = *from;
    a->tag = tag;
    a->task = clue_self();
    a->take_old = take_old;
    return a;
}

static void access_free(struct access *a)
{
    struct mpi_shared *shared = mpi_shared();

    if (a->result_type)
        mpi_type_release(a->result_type);
    clue_unshare(a->type);
    free(a->row);
    clue_free(a->request);
    a->next = shared->free_accesses;
    shared->free_accesses = a;
}

/* Returns a copy of what the target needs of a type to find the data. */
static struct mpi_type *share_type(const struct mpi_type *type)
{
    size_t bytes = type->n_runs * sizeof *type->runs;
    struct mpi_type *copy = clue_share(sizeof *copy + bytes);

    *copy = (struct mpi_type){.handle = type->handle,
                              .is_contiguous = type->is_contiguous,
                              .size = type->size,
                              .basic = type->basic,
                              .extent = type->extent,
                              .true_lb = type->true_lb,
                              .n_runs = type->n_runs,
                              .runs = (struct mpi_run *)(copy + 1)};
    if (bytes)
        memcpy(copy->runs, type->runs, bytes);
    return copy;
}

static int task_of(const struct mpi_win *w, int rank)
{
    return w->comm->group->members[rank];
}

/* Begins an access like FROM, of which kind, target and data are set; the message has BYTES. */
static struct access *access_begin(struct mpi_win *w, const struct access *from, uint64_t bytes)
{
    struct access *a = access_new(from);

    a->origin = w->comm->rank;
    if (a->type)
        a->type = share_type(a->type);
    if (a->result_type)
        mpi_type_retain(a->result_type);
    a->request = clue_send(
        &(struct clue_send){.to = task_of(w, a->target),
                            .context = w->comm->context + MPI_ONE_SIDED,
                            .tag = (int)a->tag,
                            .data = a->data,
                            .bytes = bytes,
                            .flags = CLUE_SYNCHRONOUS | (a->is_answer ? CLUE_ANSWER : 0u) |
                                     (a->data ? 0u : CLUE_BUFFERED)}); /* no handshake for a read */
    return a;
}

/* Frees the accesses to TARGET that are complete, unless a request still has to see their end. */
static void forget(struct mpi_win *w, int target)
{
    for (struct access **link = &w->accesses, *a; (a = *link);)
        if ((target < 0 || a->target == target) && (!a->is_watched || a->is_over)) {
            *link = a->next;
            access_free(a);
        } else
            link = &a->next;
}

void window_looked(struct mpi_win *w)
{
    mpi_polled(w->looked_at);
    w->looked_at = clue_now();
}

bool accesses_finish(struct mpi_win *w, int target)
{
    bool has_looked = false;
    size_t n = 0;
    clue_request *requests;

    for (const struct access *a = w->accesses; a; a = a->next)
        n += target < 0 || a->target == target;
    if (!n)
        return false;
    requests = mpi_alloc(n, sizeof *requests);
    n = 0;
    for (const struct access *a = w->accesses; a; a = a->next)
        if (target < 0 || a->target == target) {
            requests[n++] = a->request;
            has_looked |= a->result != NULL;
        }
    schedule_wait_for(mpi_task(), requests, n);
    free(requests);
    if (has_looked)
        window_looked(w);
    forget(w, target);
    return true;
}

static void wait_and_free(struct access *a)
{
    schedule_wait_for(mpi_task(), &a->request, 1);
    access_free(a);
}

/* Waits for the target's answer, which comes back without another call of the target. */
static void take_answer(struct mpi_win *w, int target)
{
    wait_and_free(access_begin(
        w, &(struct access){.kind = ACCESS_NOTHING, .target = target, .is_answer = true}, 0));
}

void accesses_flush(struct mpi_win *w, int target, bool is_local)
{
    uint8_t *is_target = mpi_alloc((size_t)w->comm->n, 1);
    struct clue_message none;

    for (const struct access *a = w->accesses; a; a = a->next)
        is_target[a->target] = target < 0 || a->target == target;
    if (!accesses_finish(w, target)) /* it serves accesses of others meanwhile */
        clue_probe(CLUE_ANY, w->comm->context + MPI_POINT_TO_POINT, CLUE_ANY, false, &none, NULL);
    for (int i = 0; i < w->comm->n && !is_local; i++)
        if (is_target[i])
            take_answer(w, i);
    free(is_target);
}

/* ---------------------------------------------------------------- locks */

void window_lock(struct mpi_win *w, int target, bool is_exclusive)
{
    struct access *a = access_begin(
        w, &(struct access){.kind = ACCESS_LOCK, .target = target, .is_exclusive = is_exclusive},
        0);
    struct mpi_schedule s = {.task = mpi_task(), .tag = (int)a->tag};
    struct ranks any = {1, 0, (const int[]){CLUE_ANY}, w->comm->context + WINDOW_GRANT};

    schedule_wait_for(s.task, &a->request, 1);
    if (!a->is_granted) /* the rank that unlocks it sends a message */
        schedule_receive_now(&s, &any, nothing(), 0);
    access_free(a);
    w->locks[target] = true;
    w->n_locked++;
}

/* Grants a lock that is free, or that more may share, to those that have waited longest. */
static void grant_next(struct mpi_win *w, struct exposure *target)
{
    struct mpi_schedule s = {.task = mpi_task()};
    struct ranks all = {w->comm->n, w->comm->rank, w->comm->group->members,
                        w->comm->context + WINDOW_GRANT};

    while (target->first_lock && grant(target, target->first_lock)) {
        struct access *a = target->first_lock;

        target->first_lock = a->next;
        s.tag = (int)a->tag;
        schedule_send_now(&s, &all, nothing(), a->origin);
    }
}

void window_unlock(struct mpi_win *w, int target)
{
    if (!w->locks[target])
        return;
    w->locks[target] = false;
    w->n_locked--;
    accesses_finish(w, target);
    wait_and_free(access_begin(w, &(struct access){.kind = ACCESS_UNLOCK, .target = target}, 0));
    grant_next(w, &w->all->of_rank[target]);
}

/* ---------------------------------------------------------------- calls */

struct origin {
    const void *at;
    MPI_Count count;
    struct mpi_type *type;
};

static bool is_started(const struct mpi_win *w, int target)
{
    for (int i = 0; i < w->n_started; i++)
        if (w->started[i] == target)
            return true;
    return false;
}

/* Checks that the epoch allows an access, and that it is within the target's memory. */
static int prepare(struct mpi_task *t, struct mpi_win *w, struct access *a, MPI_Aint disp)
{
    const struct exposure *target = &w->all->of_rank[a->target];
    MPI_Count first, last;

    if (!w->is_fenced && !w->locks[a->target] && !w->is_locking_all && !is_started(w, a->target))
        return mpi_error(t, MPI_ERR_RMA_SYNC, "no epoch for an access to rank %d", a->target);
    if (target->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
        a->at = (char *)disp;
    } else {
        first = disp * target->unit + a->type->true_lb;
        last = first + (a->count - 1) * a->type->extent + a->type->true_extent;
        if (a->count && (first < 0 || last > target->size))
            return mpi_error(t, MPI_ERR_RMA_RANGE,
                             "bytes %lld to %lld are outside of the %lld of rank %d",
                             (long long)first, (long long)last, (long long)target->size, a->target);
        a->at = target->base + disp * target->unit;
    }
    if (w->is_locking_all && !w->locks[a->target])
        window_lock(w, a->target, false);
    return MPI_SUCCESS;
}

static void watch(struct mpi_task *t, struct mpi_win *w, struct access *a, MPI_Request *request)
{
    a->is_watched = true;
    mpi_request_of_schedule(t, w->comm, schedule_of_request(t, a->request, &a->is_over), false,
                            request);
}

/* Keeps the data. Programs may not change them before the epoch ends, but those that do have
 * changed small ones, so small data are copied. */
static void take_data(struct access *a, const struct origin *o, MPI_Count bytes, MPI_Count out)
{
    static const MPI_Count least_in_place = 64 << 10;

    if (out == bytes && out >= least_in_place && mpi_is_dense(o->type, o->count)) {
        a->data = (const char *)o->at + o->type->true_lb;
        return;
    }
    a->data = a->row = mpi_alloc((size_t)bytes, 1);
    mpi_pack(o->type, o->at, o->count, a->row);
}

/* Begins any access; RESULT: where old data go. */
static int begin_access(struct mpi_task *t, MPI_Win win, struct access a, struct origin origin,
                        MPI_Aint disp, MPI_Request *request)
{
    struct mpi_win *w = mpi_win(t, win);
    MPI_Count bytes, out = origin.type ? origin.count * origin.type->size : 0;
    struct access *begun;
    int code;

    if (a.target == MPI_PROC_NULL) {
        if (request)
            mpi_request_of_schedule(t, w->comm, schedule_of_request(t, 0, NULL), false, request);
        return MPI_SUCCESS;
    }
    if ((code = prepare(t, w, &a, disp)))
        return code;
    bytes = a.count * a.type->size > out ? a.count * a.type->size : out;
    if (out)
        take_data(&a, &origin, bytes, out);
    window_notify(t, w, PORTOLAN_MPI_TRANSFER, a.target,
                  (uint64_t)(out + (a.result_type ? a.n_result * a.result_type->size : 0)));
    begun = access_begin(w, &a, (uint64_t)bytes);
    begun->next = w->accesses;
    w->accesses = begun;
    if (request)
        watch(t, w, begun, request);
    return MPI_SUCCESS;
}

int do_Get_accumulate(struct mpi_task *t, const void *origin_addr, MPI_Count origin_count,
                      MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                      MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                      MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                      MPI_Request *request)
{
    struct access a = {.target = target_rank,
                       .count = target_count,
                       .type = mpi_type(t, target_datatype),
                       .op = op,
                       .result = result_addr};
    const struct mpi_op *operation = mpi_op(t, op);
    struct origin origin = {origin_addr, origin_count,
                            op == MPI_NO_OP ? NULL : mpi_type(t, origin_datatype)};
    const struct mpi_type *basic = mpi_basic_type(a.type);
    int code = operation->is_builtin ? MPI_SUCCESS
                                     : mpi_error(t, MPI_ERR_OP, "only predefined operations");

    if (!code && a.type->size && op != MPI_REPLACE && op != MPI_NO_OP)
        code = operation_check(t, operation, basic ? basic : a.type);
    if (code)
        return code;
    if (result_addr) {
        a.n_result = result_count;
        a.result_type = mpi_type(t, result_datatype);
    }
    return begin_access(t, win, a, origin, target_disp, request);
}

int do_Compare_and_swap(struct mpi_task *t, const void *origin_addr, const void *compare_addr,
                        void *result_addr, MPI_Datatype datatype, int target_rank,
                        MPI_Aint target_disp, MPI_Win win)
{
    struct access a = {.kind = ACCESS_COMPARE,
                       .target = target_rank,
                       .count = 1,
                       .type = mpi_type(t, datatype),
                       .result = result_addr};

    if (!a.type->is_builtin ||
        (operation_check(t, mpi_op(t, MPI_BAND), a.type) && datatype != MPI_C_BOOL &&
         datatype != MPI_LOGICAL && datatype != MPI_CXX_BOOL && datatype != MPI_CHAR))
        return mpi_error(t, MPI_ERR_TYPE, "only integers, logicals and bytes");
    memcpy(a.compare, compare_addr, (size_t)a.type->size);
    return begin_access(t, win, a, (struct origin){origin_addr, 1, a.type}, target_disp, NULL);
}
