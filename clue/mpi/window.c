/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes and frees windows; epochs. */
#include "window.h"

void window_notify(struct mpi_task *t, struct mpi_win *w, enum portolan_mpi_event_kind kind,
                   int rank, uint64_t bytes)
{
    struct portolan_mpi_event event = {.kind = kind, .comm = &w->comm->seen, .bytes = bytes};

    event.peer = rank < 0 ? PORTOLAN_MPI_NONE : w->comm->group->members[rank];
    if (mpi_is_observed())
        mpi_notify(t, &event);
}

static void notify_epoch(struct mpi_task *t, struct mpi_win *w)
{
    window_notify(t, w, PORTOLAN_MPI_EPOCH, -1, 0);
}

/* ---------------------------------------------------------------- made and freed */

static struct windows *windows_of(uint64_t context, int n)
{
    struct windows **first = &mpi_shared()->windows, *all = *first;

    while (all && all->context != context)
        all = all->next;
    if (all)
        return all;
    all = clue_share(sizeof *all + (size_t)n * sizeof *all->of_rank);
    all->context = context;
    all->n_left = n;
    all->next = *first;
    return *first = all;
}

static void windows_release(struct windows *all)
{
    struct windows **link = &mpi_shared()->windows;

    if (--all->n_left)
        return;
    while (*link != all)
        link = &(*link)->next;
    *link = all->next;
    clue_unshare(all->memory);
    clue_unshare(all);
}

/* Waits until all ranks have their part of the window. */
static void meet(struct mpi_task *t, const struct mpi_win *w)
{
    int own = 0, *all = mpi_alloc((size_t)w->comm->n, sizeof *all);

    mpi_gather_all(t, w->comm, &own, all, sizeof own);
    free(all);
}

int window_create(struct mpi_task *t, MPI_Comm comm, struct mpi_win from, MPI_Info info,
                  MPI_Win *win)
{
    struct mpi_comm *parent = mpi_comm(t, comm);
    struct mpi_win *w = mpi_copy_of(&from, 1, sizeof from);

    if (from.size < 0 || from.unit <= 0) {
        free(w);
        return mpi_error(t, from.size < 0 ? MPI_ERR_SIZE : MPI_ERR_DISP,
                         "size %lld and unit %lld of a window", (long long)from.size,
                         (long long)from.unit);
    }
    w->comm = mpi_comm_new(t, mpi_context_next(parent, 0), parent->group, NULL);
    w->all = windows_of(w->comm->context, w->comm->n);
    w->all->of_rank[w->comm->rank] =
        (struct exposure){.base = w->base, .size = w->size, .unit = w->unit, .flavor = w->flavor};
    w->locks = mpi_alloc((size_t)w->comm->n, 1);
    w->looked_at = -1;
    w->standing = clue_receive(&(struct clue_receive){.from = CLUE_ANY,
                                                      .context = w->comm->context + MPI_ONE_SIDED,
                                                      .tag = CLUE_ANY,
                                                      .flags = CLUE_STANDING | CLUE_FREE,
                                                      .deliver = access_arrive,
                                                      .arg = w});
    meet(t, w);
    w->comm->seen.is_window = true;
    w->comm->seen.number = t->n_comms++;
    notify_epoch(t, w);
    w->handle = *win = mpi_handle(t, MPI_KIND_WIN, w);
    mpi_hints_set(t, &w->object, true, info);
    if (w->flavor == MPI_WIN_FLAVOR_ALLOCATE || w->flavor == MPI_WIN_FLAVOR_SHARED)
        do_Info_set(t, w->object.hints, "alloc_shm", "true");
    return MPI_SUCCESS;
}

int do_Win_allocate(struct mpi_task *t, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                    MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    void *memory = mpi_alloc(size > 0 ? (size_t)size : 1, 1);
    int code = window_create(t, comm,
                             (struct mpi_win){.base = memory,
                                              .size = size,
                                              .unit = disp_unit,
                                              .flavor = MPI_WIN_FLAVOR_ALLOCATE,
                                              .allocated = memory},
                             info, win);

    *(void **)baseptr = memory;
    if (code)
        free(memory);
    return code;
}

/* Allocates the memory of all ranks on a common node, one after the other. */
int do_Win_allocate_shared(struct mpi_task *t, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                           MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    int code = window_create(
        t, comm, (struct mpi_win){.size = size, .unit = disp_unit, .flavor = MPI_WIN_FLAVOR_SHARED},
        info, win);
    MPI_Aint total = 0, before = 0;
    struct mpi_win *w;

    if (code)
        return code;
    w = mpi_win(t, *win);
    for (int i = 0; i < w->comm->n; i++) {
        if (clue_host_of(w->comm->group->members[i]) != clue_host_of(t->rank))
            return mpi_error(t, MPI_ERR_RMA_SHARED, "ranks of the window are on several hosts");
        before += i < w->comm->rank ? w->all->of_rank[i].size : 0;
        total += w->all->of_rank[i].size;
    }
    if (!w->all->memory)
        w->all->memory = clue_share((size_t)total);
    w->base = w->all->of_rank[w->comm->rank].base = (char *)w->all->memory + before;
    *(void **)baseptr = w->base;
    window_barrier(t, w);
    return MPI_SUCCESS;
}

int do_Win_shared_query(struct mpi_task *t, MPI_Win win, int rank, MPI_Aint *size,
                        MPI_Aint *disp_unit, void *baseptr)
{
    struct mpi_win *w = mpi_win(t, win);
    const struct exposure *of = NULL;

    if (w->flavor != MPI_WIN_FLAVOR_SHARED)
        return mpi_error(t, MPI_ERR_RMA_FLAVOR, "the window is not shared");
    for (int i = 0; i < w->comm->n && !of; i++)
        if (rank == MPI_PROC_NULL ? w->all->of_rank[i].size > 0 : i == rank)
            of = &w->all->of_rank[i];
    *size = of ? of->size : 0;
    *disp_unit = of ? of->unit : 1;
    *(void **)baseptr = of ? of->base : NULL;
    return MPI_SUCCESS;
}

int do_Win_free(struct mpi_task *t, MPI_Win *win)
{
    struct mpi_win *w = mpi_win(t, *win);
    int code;

    if (w->started || w->posted || w->n_locked || w->is_locking_all)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "an epoch has not ended");
    if ((code = mpi_attributes_delete(w->handle, &w->object)))
        return code;
    accesses_finish(w, -1);
    window_barrier(t, w);
    notify_epoch(t, w);
    clue_cancel(w->standing);
    clue_free(w->standing);
    mpi_handle_free(t, *win);
    windows_release(w->all);
    mpi_errhandler_share(&w->object, NULL);
    mpi_hints_free(&w->object);
    mpi_comm_release(w->comm);
    free(w->allocated);
    free(w->locks);
    free(w->started);
    free(w->posted);
    free(w->completes);
    free(w);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

bool mpi_win_attribute(struct mpi_win *win, int keyval, void **value)
{
    static int model = MPI_WIN_UNIFIED;

    switch (keyval) {
    case MPI_WIN_BASE:
        *value = win->base;
        return true;
    case MPI_WIN_SIZE:
        *value = &win->size;
        return true;
    case MPI_WIN_DISP_UNIT:
        win->int_unit = (int)win->unit;
        *value = &win->int_unit;
        return true;
    case MPI_WIN_CREATE_FLAVOR:
        *value = &win->flavor;
        return true;
    case MPI_WIN_MODEL:
        *value = &model;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- post, start, complete, wait */

static void notify_access(struct mpi_task *t, struct mpi_win *w, const int *ranks, int n)
{
    for (int i = 0; i < n; i++)
        window_notify(t, w, PORTOLAN_MPI_ACCESS, ranks[i], 0);
    notify_epoch(t, w);
}

/* Returns the ranks in the window of those in GROUP. */
static int *ranks_of(struct mpi_task *t, const struct mpi_win *w, MPI_Group group, int *n)
{
    const struct mpi_group *g = mpi_group(t, group);
    int *ranks = mpi_alloc((size_t)g->n + 1, sizeof *ranks);

    *n = g->n;
    for (int i = 0; i < g->n; i++)
        ranks[i] = mpi_group_rank(w->comm->group, g->members[i]);
    return ranks;
}

static struct ranks party_of(const struct mpi_win *w, int channel)
{
    return (struct ranks){w->comm->n, w->comm->rank, w->comm->group->members,
                          w->comm->context + (uint64_t)channel};
}

static void notify_all(struct mpi_win *w, const int *ranks, int n, int channel)
{
    struct mpi_schedule s = {.task = mpi_task()};
    struct ranks p = party_of(w, channel);

    for (int i = 0; i < n; i++)
        schedule_send(&s, &p, nothing(), ranks[i]);
    schedule_end(&s);
}

int do_Win_post(struct mpi_task *t, MPI_Group group, int assert, MPI_Win win)
{
    struct mpi_win *w = mpi_win(t, win);

    if (w->posted)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "MPI_Win_post was called before");
    w->posted = ranks_of(t, w, group, &w->n_posted);
    w->completes = mpi_alloc((size_t)w->n_posted + 1, sizeof *w->completes);
    for (int i = 0; i < w->n_posted; i++)
        w->completes[i] =
            clue_receive(&(struct clue_receive){.from = w->comm->group->members[w->posted[i]],
                                                .context = w->comm->context + WINDOW_COMPLETE});
    if (!(assert &MPI_MODE_NOCHECK)) /* otherwise no rank waits for the message */
        notify_all(w, w->posted, w->n_posted, WINDOW_POST);
    notify_access(t, w, w->posted, w->n_posted);
    return MPI_SUCCESS;
}

int do_Win_start(struct mpi_task *t, MPI_Group group, int assert, MPI_Win win)
{
    struct mpi_win *w = mpi_win(t, win);
    struct mpi_schedule s = {.task = t};
    struct ranks p = party_of(w, WINDOW_POST);

    if (w->started)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "MPI_Win_start was called before");
    if (w->n_locked || w->is_locking_all)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "ranks are locked");
    w->is_fenced = false;
    w->started = ranks_of(t, w, group, &w->n_started);
    if (!(assert &MPI_MODE_NOCHECK))
        for (int i = 0; i < w->n_started; i++)
            schedule_receive(&s, &p, nothing(), w->started[i]);
    schedule_end(&s);
    notify_access(t, w, w->started, w->n_started);
    return MPI_SUCCESS;
}

int do_Win_complete(struct mpi_task *t, MPI_Win win)
{
    struct mpi_win *w = mpi_win(t, win);

    if (!w->started)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "MPI_Win_start was not called");
    accesses_finish(w, -1);
    notify_all(w, w->started, w->n_started, WINDOW_COMPLETE);
    free(w->started);
    w->started = NULL;
    w->n_started = 0;
    notify_epoch(t, w);
    return MPI_SUCCESS;
}

void window_end_exposure(struct mpi_task *t, struct mpi_win *w)
{
    notify_epoch(t, w);
    for (int i = 0; i < w->n_posted; i++)
        clue_free(w->completes[i]);
    free(w->completes);
    free(w->posted);
    w->completes = NULL;
    w->posted = NULL;
    w->n_posted = 0;
}

int do_Win_test(struct mpi_task *t, MPI_Win win, int *flag)
{
    struct mpi_win *w = mpi_win(t, win);
    int64_t began = clue_now();

    if (!w->posted)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "MPI_Win_post was not called");
    *flag = 1;
    for (int i = 0; i < w->n_posted && *flag; i++)
        *flag = clue_test(w->completes[i]);
    if (*flag)
        window_end_exposure(t, w);
    else
        mpi_polled(began);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- locks */

int window_flush(struct mpi_task *t, MPI_Win win, int rank, bool is_local)
{
    struct mpi_win *w = mpi_win(t, win);

    if (!w->is_locking_all && !w->n_locked)
        return mpi_error(t, MPI_ERR_RMA_SYNC, "nothing is locked");
    accesses_flush(w, rank, is_local);
    return MPI_SUCCESS;
}
