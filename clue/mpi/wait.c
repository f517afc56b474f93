/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Wait and MPI_Test in all their forms. A wait without active schedules is one wait of the
 * engine. With schedules, it waits for any of its own requests and of those that schedules need,
 * lets the schedules advance, and begins again. */
#include "internal.h"

/* ---------------------------------------------------------------- what goes on meanwhile */

static void advance_schedules(struct mpi_task *t)
{
    for (struct mpi_request **at = &t->schedules; *at;) {
        struct mpi_request *r = *at;

        if (!mpi_schedule_advance(r->schedule)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        r->is_done = true;
        if (r->is_free) {
            mpi_schedule_free(r->schedule);
            r->schedule = NULL;
            mpi_request_release(t, r);
        }
    }
}

void mpi_progress(struct mpi_task *t)
{
    if (t->n_recorded)
        clue_record_await(NULL, 0, true);
    advance_schedules(t);
}

/* Returns whether R is complete at the task's time. */
static bool is_done(const struct mpi_request *r)
{
    if (r->kind == MPI_REQUEST_SCHEDULE || r->kind == MPI_REQUEST_GENERALIZED)
        return r->is_done;
    return (!r->engine || clue_is_complete(r->engine)) &&
           (!mpi_second_request(r) || is_done(r->second));
}

/* Requests to wait for, on the stack if they are few. */
struct numbers {
    clue_request few[64], *all;
    size_t n, room;
};

static void begin_numbers(struct numbers *x, size_t room)
{
    x->n = 0;
    x->room = room;
    x->all = room <= sizeof x->few / sizeof *x->few ? x->few : mpi_alloc(room, sizeof *x->all);
}

static void end_numbers(struct numbers *x)
{
    if (x->all != x->few)
        free(x->all);
}

/* Adds the requests that active schedules wait for. Returns false if one waits for nothing any
 * more, since advancing the others took time. */
static bool add_schedules(struct mpi_task *t, struct numbers *x)
{
    for (struct mpi_request *r = t->schedules; r && x->n < x->room; r = r->next) {
        size_t n = mpi_schedule_pending(r->schedule, x->all + x->n, x->room - x->n);

        if (!n)
            return false;
        x->n += n;
    }
    return true;
}

/* Waits for messages alone. N_SECOND: number of sends of MPI_Isendrecv, if it IS_ALL. */
static size_t await_messages(struct mpi_request **requests, size_t n, size_t n_second, bool is_all)
{
    struct numbers x;
    size_t index;

    begin_numbers(&x, n + n_second);
    for (size_t i = 0; i < n; i++) {
        x.all[i] = requests[i] ? requests[i]->engine : 0;
        if (requests[i] && !x.all[i] && !is_all) {
            end_numbers(&x);
            return i;
        }
    }
    x.n = n;
    for (size_t i = 0; x.n < n + n_second; i++)
        if (requests[i] && mpi_second_request(requests[i]))
            x.all[x.n++] = requests[i]->second->engine;
    index = clue_wait(x.all, x.n, is_all);
    end_numbers(&x);
    return index;
}

/* Charges the delay of an awaited receive, though the engine's wait was for another request. */
static void charge(const struct mpi_request *r)
{
    if (r->engine && r->kind == MPI_REQUEST_RECEIVE)
        clue_wait(&r->engine, 1, true);
}

static void add_open(struct numbers *x, const struct mpi_request *r)
{
    if (r->engine && !clue_is_complete(r->engine))
        x->all[x->n++] = r->engine;
    if (mpi_second_request(r) && !is_done(r->second))
        x->all[x->n++] = r->second->engine;
}

static size_t advance_until(struct mpi_task *t, struct mpi_request **requests, size_t n,
                            bool is_all)
{
    for (;;) {
        size_t first = n, open = 0;
        struct numbers x;

        advance_schedules(t);
        begin_numbers(&x, 2 * n + CLUE_MOST_OF_SCHEDULES);
        for (size_t i = 0; i < n; i++) {
            if (!requests[i])
                continue;
            if (is_done(requests[i])) {
                first = first < n ? first : i;
                continue;
            }
            open++;
            add_open(&x, requests[i]);
        }
        if (!open || (!is_all && first < n)) {
            end_numbers(&x);
            return first;
        }
        if (add_schedules(t, &x)) {
            if (!x.n)
                clue_fail("waits for a generalized request that no rank completes");
            clue_wait(x.all, x.n, false);
        }
        end_numbers(&x);
    }
}

/* Records an await as one operation, since its steps depend on the machine. */
static void record(struct mpi_request **requests, size_t n, bool is_all)
{
    struct clue_awaited *awaited = mpi_alloc(2 * n, sizeof *awaited);

    for (size_t i = 0; i < n; i++) {
        if (requests[i] && mpi_second_request(requests[i]))
            awaited[n + i].request = requests[i]->second->engine;
        if (requests[i])
            awaited[i] = (struct clue_awaited){requests[i]->engine,
                                               requests[i]->kind == MPI_REQUEST_SCHEDULE
                                                   ? mpi_schedule_number(requests[i]->schedule)
                                                   : 0};
    }
    clue_record_await(awaited, 2 * n, is_all);
    free(awaited);
}

static size_t await(struct mpi_task *t, struct mpi_request **requests, size_t n, bool is_all)
{
    bool is_simple = !t->schedules;
    size_t first, n_second = 0;

    for (size_t i = 0; is_simple && i < n; i++) {
        is_simple = !requests[i] || (requests[i]->kind != MPI_REQUEST_SCHEDULE &&
                                     requests[i]->kind != MPI_REQUEST_GENERALIZED);
        n_second += requests[i] && mpi_second_request(requests[i]);
    }
    if (is_simple && (is_all || !n_second))
        return await_messages(requests, n, n_second, is_all);
    first = advance_until(t, requests, n, is_all);
    for (size_t i = 0; i < n; i++)
        if (requests[i] && (is_all || i == first))
            charge(requests[i]);
    return first;
}

size_t mpi_await(struct mpi_task *t, struct mpi_request **requests, size_t n, bool is_all)
{
    uint32_t before;
    size_t first;

    if (!t->n_recorded)
        return await(t, requests, n, is_all);
    record(requests, n, is_all);
    before = clue_record_as(CLUE_UNRECORDED);
    first = await(t, requests, n, is_all);
    clue_record_as(before);
    return first;
}

/* Lets a poll without success take some time, since a loop would never end otherwise. */
enum { LEAST_POLL_NS = 100 };
void mpi_polled(int64_t began)
{
    if (clue_now() == began)
        clue_spend(LEAST_POLL_NS);
}

/* Polls all requests once; afterwards is_done() says which are complete. */
static void poll_all(struct mpi_task *t, struct mpi_request **requests, size_t n)
{
    int64_t began = clue_now();
    struct numbers x;

    if (t->n_recorded)
        clue_record_await(NULL, 0, false);
    mpi_progress(t);
    begin_numbers(&x, 2 * n + CLUE_MOST_OF_SCHEDULES);
    for (size_t i = 0; i < n; i++) {
        if (requests[i] && requests[i]->engine)
            x.all[x.n++] = requests[i]->engine;
        if (requests[i] && mpi_second_request(requests[i]) && requests[i]->second->engine)
            x.all[x.n++] = requests[i]->second->engine;
    }
    if (!x.n)
        add_schedules(t, &x);
    if (!x.n || clue_test_any(x.all, x.n) == x.n)
        mpi_polled(began);
    end_numbers(&x);
    mpi_progress(t);
}

/* ---------------------------------------------------------------- arrays of requests */

struct listed {
    struct mpi_request *few[64], **all; /* NULL: null, or not active */
    size_t n, n_active, last;           /* LAST: the last of the active ones */
};

static int list(struct mpi_task *t, struct listed *l, int n, const MPI_Request *handles)
{
    l->all = l->few;
    l->n_active = 0;
    if (n < 0)
        return mpi_error(t, MPI_ERR_COUNT, "count is %d", n);
    l->n = (size_t)n;
    l->all = n <= 64 ? l->few : mpi_alloc((size_t)n, sizeof *l->all);
    for (size_t i = 0; i < l->n; i++) {
        struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, handles[i]);

        if (!r && handles[i] != MPI_REQUEST_NULL)
            return mpi_error(t, MPI_ERR_REQUEST, "request %zu is 0x%x", i, handles[i]);
        l->all[i] = r && r->is_active ? r : NULL;
        if (l->all[i]) {
            l->n_active++;
            l->last = i;
        }
    }
    return MPI_SUCCESS;
}

static void unlist(struct listed *l)
{
    if (l->all != l->few)
        free(l->all);
}

static void set_empty(MPI_Status *status)
{
    mpi_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
}

static int end_one(struct mpi_task *t, struct mpi_request *r, MPI_Request *handle,
                   MPI_Status *status)
{
    if (!r->is_persistent)
        *handle = MPI_REQUEST_NULL;
    return mpi_request_end(t, r, status);
}

/* Ends all requests, which are complete. */
static int end_all(struct mpi_task *t, struct listed *l, MPI_Request *handles, MPI_Status *statuses)
{
    int code = MPI_SUCCESS;

    for (size_t i = 0; i < l->n; i++)
        if (l->all[i])
            __builtin_prefetch((const char *)l->all[i] + 64);
    for (size_t i = 0; i < l->n; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
        int own = MPI_SUCCESS;

        if (l->all[i])
            own = end_one(t, l->all[i], &handles[i], status);
        else
            set_empty(status);
        if (own != MPI_SUCCESS && code == MPI_SUCCESS) {
            code = MPI_ERR_IN_STATUS;
            for (size_t k = 0; statuses != MPI_STATUSES_IGNORE && k < i; k++)
                statuses[k].MPI_ERROR = MPI_SUCCESS;
        }
        if (code != MPI_SUCCESS && status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = own;
    }
    return code;
}

int do_Waitall(struct mpi_task *t, int n, MPI_Request handles[], MPI_Status statuses[])
{
    struct listed l;
    int code = list(t, &l, n, handles);

    if (code == MPI_SUCCESS) {
        if (l.n_active)
            mpi_await(t, l.all, l.n, true);
        code = end_all(t, &l, handles, statuses);
    }
    unlist(&l);
    return code;
}

/* Waits for one and returns it. If only one is left, the result does not depend on time. */
static size_t await_some(struct mpi_task *t, struct listed *l)
{
    size_t first = mpi_await(t, l->all, l->n, l->n_active == 1);

    return l->n_active == 1 ? l->last : first;
}

int do_Waitany(struct mpi_task *t, int n, MPI_Request handles[], int *index, MPI_Status *status)
{
    struct listed l;
    int code = list(t, &l, n, handles);

    *index = MPI_UNDEFINED;
    if (code == MPI_SUCCESS && !l.n_active) {
        set_empty(status);
    } else if (code == MPI_SUCCESS) {
        size_t i = await_some(t, &l);

        *index = (int)i;
        code = end_one(t, l.all[i], &handles[i], status);
    }
    unlist(&l);
    return code;
}

/* Ends the requests that are complete, and counts them in *N. */
static int end_some(struct mpi_task *t, struct listed *l, MPI_Request *handles, int *n,
                    int *indices, MPI_Status *statuses)
{
    int code = MPI_SUCCESS;

    *n = 0;
    for (size_t i = 0; i < l->n; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*n];
        int own;

        if (!l->all[i] || !is_done(l->all[i]))
            continue;
        charge(l->all[i]);
        own = end_one(t, l->all[i], &handles[i], status);
        if (own != MPI_SUCCESS && code == MPI_SUCCESS) {
            code = MPI_ERR_IN_STATUS;
            for (int k = 0; statuses != MPI_STATUSES_IGNORE && k < *n; k++)
                statuses[k].MPI_ERROR = MPI_SUCCESS;
        }
        if (status != MPI_STATUS_IGNORE && code != MPI_SUCCESS)
            status->MPI_ERROR = own;
        indices[(*n)++] = (int)i;
    }
    return code;
}

int mpi_end_some(struct mpi_task *t, int n, MPI_Request handles[], int *n_done, int indices[],
                 MPI_Status statuses[], bool is_waiting)
{
    struct listed l;
    int code = list(t, &l, n, handles);

    *n_done = MPI_UNDEFINED;
    if (code == MPI_SUCCESS && l.n_active) {
        if (is_waiting)
            await_some(t, &l);
        else
            poll_all(t, l.all, l.n);
        code = end_some(t, &l, handles, n_done, indices, statuses);
    }
    unlist(&l);
    return code;
}

int do_Testall(struct mpi_task *t, int n, MPI_Request handles[], int *flag, MPI_Status statuses[])
{
    int64_t began = clue_now();
    struct listed l;
    int code = list(t, &l, n, handles);

    *flag = code == MPI_SUCCESS;
    if (*flag && l.n_active)
        poll_all(t, l.all, l.n);
    for (size_t i = 0; *flag && i < l.n; i++)
        *flag = !l.all[i] || is_done(l.all[i]);
    for (size_t i = 0; *flag && i < l.n; i++)
        if (l.all[i])
            charge(l.all[i]);
    if (*flag)
        code = end_all(t, &l, handles, statuses);
    else if (code == MPI_SUCCESS)
        mpi_polled(began);
    unlist(&l);
    return code;
}

int do_Testany(struct mpi_task *t, int n, MPI_Request handles[], int *index, int *flag,
               MPI_Status *status)
{
    struct listed l;
    int code = list(t, &l, n, handles);

    *index = MPI_UNDEFINED;
    *flag = !l.n_active;
    if (*flag)
        set_empty(status);
    else if (code == MPI_SUCCESS)
        poll_all(t, l.all, l.n);
    for (size_t i = 0; code == MPI_SUCCESS && !*flag && i < l.n; i++) {
        if (!l.all[i] || !is_done(l.all[i]))
            continue;
        *flag = 1;
        *index = (int)i;
        code = end_one(t, l.all[i], &handles[i], status);
    }
    unlist(&l);
    return code;
}

/* ---------------------------------------------------------------- one request */

/* Returns the active request of HANDLE; NULL: there is none, and STATUS and *CODE are set. */
static struct mpi_request *active(struct mpi_task *t, MPI_Request handle, MPI_Status *status,
                                  int *code)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, handle);

    *code = MPI_SUCCESS;
    if (!r && handle != MPI_REQUEST_NULL)
        *code = mpi_error(t, MPI_ERR_REQUEST, "0x%x", handle);
    if (r && r->is_active)
        return r;
    set_empty(status);
    return NULL;
}

int do_Wait(struct mpi_task *t, MPI_Request *handle, MPI_Status *status)
{
    int code;
    struct mpi_request *r = active(t, *handle, status, &code);

    if (!r)
        return code;
    mpi_await(t, &r, 1, true);
    return end_one(t, r, handle, status);
}

static bool poll_one(struct mpi_task *t, struct mpi_request *r)
{
    poll_all(t, &r, 1);
    return is_done(r);
}

int do_Test(struct mpi_task *t, MPI_Request *handle, int *flag, MPI_Status *status)
{
    int code;
    struct mpi_request *r = active(t, *handle, status, &code);

    *flag = !r || poll_one(t, r);
    return r && *flag ? end_one(t, r, handle, status) : code;
}

int do_Request_get_status(struct mpi_task *t, MPI_Request handle, int *flag, MPI_Status *status)
{
    int code;
    struct mpi_request *r = active(t, handle, status, &code);

    *flag = !r || poll_one(t, r);
    if (r && *flag && r->kind == MPI_REQUEST_GENERALIZED && status != MPI_STATUS_IGNORE)
        return mpi_query(r, status);
    if (r && *flag)
        mpi_status_of(r, status);
    return code;
}

/* Ends freed requests that have become complete, the oldest first. */
static void end_freed(struct mpi_task *t)
{
    struct mpi_request *r;

    while ((r = t->freed) && is_done(r)) {
        t->freed = r->next;
        mpi_finish(r);
        mpi_request_release(t, r);
    }
}

/* Frees a request; its operation goes on if it is under way. */
int do_Request_free(struct mpi_task *t, MPI_Request *handle)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, *handle);

    if (!r)
        return mpi_error(t, MPI_ERR_REQUEST, "0x%x", *handle);
    *handle = MPI_REQUEST_NULL;
    end_freed(t);
    r->is_persistent = false;
    if (!r->is_active) {
        if (r->kind == MPI_REQUEST_SCHEDULE)
            mpi_schedule_free(r->schedule);
        mpi_request_release(t, r);
        return MPI_SUCCESS;
    }
    r->is_free = true;
    if (r->kind == MPI_REQUEST_SCHEDULE)
        clue_record_await(NULL, 0, false);
    if (r->kind == MPI_REQUEST_GENERALIZED && !r->is_done)
        return MPI_SUCCESS; /* MPI_Grequest_complete() ends it */
    if (r->kind == MPI_REQUEST_GENERALIZED || (r->kind == MPI_REQUEST_SCHEDULE && r->is_done))
        return mpi_request_end(t, r, MPI_STATUS_IGNORE);
    mpi_handle_free(t, r->handle);
    r->handle = 0;
    if (r->kind == MPI_REQUEST_SCHEDULE) {
        mpi_progress(t);
        return MPI_SUCCESS;
    }
    r->next = NULL;
    *(t->freed ? &t->last_freed->next : &t->freed) = r;
    t->last_freed = r;
    return MPI_SUCCESS;
}

static int cancel_generalized(struct mpi_request *r)
{
    struct mpi_generalized *g = r->generalized;
    int code = MPI_SUCCESS, is_done = r->is_done;

    if (!g->is_fortran)
        return g->cancel(g->extra, is_done);
    ((void (*)(void *, int *, int *))(void (*)(void))g->cancel)(g->extra, &is_done, &code);
    return code;
}

int do_Cancel(struct mpi_task *t, MPI_Request *handle)
{
    struct mpi_request *r = mpi_item(t, MPI_KIND_REQUEST, *handle);

    if (!r || !r->is_active)
        return mpi_error(t, MPI_ERR_REQUEST, "0x%x", *handle);
    if (r->kind == MPI_REQUEST_GENERALIZED)
        return cancel_generalized(r);
    if (r->engine && (r->kind == MPI_REQUEST_RECEIVE || r->kind == MPI_REQUEST_SEND))
        r->is_cancelled = clue_cancel(r->engine);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- generalized requests */

int do_Grequest_start(struct mpi_task *t, MPI_Grequest_query_function *query,
                      MPI_Grequest_free_function *free_fn, MPI_Grequest_cancel_function *cancel,
                      void *extra, MPI_Request *request)
{
    struct mpi_request *r = mpi_request_new(t, MPI_REQUEST_GENERALIZED, NULL);

    clue_record_await(NULL, 0, false); /* what the program asks meanwhile depends on time */
    r->generalized = mpi_alloc(1, sizeof *r->generalized);
    *r->generalized = (struct mpi_generalized){query, free_fn, cancel, extra, false};
    r->is_active = true;
    *request = r->handle;
    return MPI_SUCCESS;
}

/* Called by libmpichfort, since MPI_Grequest_start gets the functions of a Fortran program. */
PORTOLAN_API void MPII_Grequest_set_lang_f77(MPI_Request request)
{
    struct mpi_request *r = mpi_item(mpi_task(), MPI_KIND_REQUEST, request);

    r->generalized->is_fortran = true;
}
