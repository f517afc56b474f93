/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests, and matched messages, of which more is to be noted later, by handle.
 *
 * MPI gives the handle of a request that completed to a new one at once, and with several threads
 * the new one may be here before the old one is dropped. So the newest of a handle is the one that
 * lives, and with threads an entry is looked up before a call completes it and dropped by its
 * address.
 */
#include "note.h"

#include <pthread.h>

struct mpi_pending {
    struct mpi_pending *next;
    intptr_t handle;
    bool is_message;
    bool is_persistent;
    bool receives;
    bool is_active; /* under way, and not noted yet */
    bool is_wild;   /* from whom is known at the end */
    bool in_world;  /* the communicator was MPI_COMM_WORLD */
    bool is_call;   /* its call and time were noted without partner, and move to whom it was from */
    enum mpi_routine routine;
    int partner;
    struct mpi_peers *peers;
    uint64_t ticks;
    uint64_t bytes; /* that each start sends */
};

#define SHARDS  64
#define BUCKETS 64

static struct shard {
    pthread_mutex_t lock; /* used with MPI_THREAD_MULTIPLE only: else calls come one by one */
    struct mpi_pending *buckets[BUCKETS];
    struct mpi_pending *spare; /* as many as were pending at one time */
} shards[SHARDS];

static size_t n_pending, n_lost; /* atomic */

__attribute__((constructor)) static void make_locks(void)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&shards[i].lock, NULL);
}

void mpi_pending_lose(void)
{
    __atomic_add_fetch(&n_lost, 1, __ATOMIC_RELAXED);
}

uint64_t portolan_mpi_receives_unknown(void)
{
    return __atomic_load_n(&n_lost, __ATOMIC_RELAXED);
}

bool mpi_pending_any(void)
{
    return __atomic_load_n(&n_pending, __ATOMIC_RELAXED) > 0;
}

static struct shard *lock_shard(intptr_t handle, struct mpi_pending ***bucket)
{
    uint32_t h = (uint32_t)handle * UINT32_C(0x9E3779B1);
    struct shard *s = &shards[h >> 26];

    *bucket = &s->buckets[h >> 20 & (BUCKETS - 1)];
    if (mpi_is_concurrent)
        pthread_mutex_lock(&s->lock);
    return s;
}

static void unlock_shard(struct shard *s)
{
    if (mpi_is_concurrent)
        pthread_mutex_unlock(&s->lock);
}

static struct mpi_pending *find(intptr_t handle, bool is_message)
{
    struct mpi_pending **bucket, *p;
    struct shard *s = lock_shard(handle, &bucket);

    for (p = *bucket; p && (p->handle != handle || p->is_message != is_message); p = p->next)
        ;
    unlock_shard(s);
    return p;
}

struct mpi_pending *mpi_pending_find(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NULL : find((intptr_t)request, false);
}

static struct mpi_pending *take_spare(intptr_t handle)
{
    struct mpi_pending **bucket, *p;
    struct shard *s = lock_shard(handle, &bucket);

    if ((p = s->spare))
        s->spare = p->next;
    unlock_shard(s);
    return p ? p : portolan_calloc(1, sizeof *p);
}

/* A copy of WHAT, which has all but its links; without memory it is not noted any further. */
static void insert(const struct mpi_pending *what)
{
    struct mpi_pending *p = take_spare(what->handle), **bucket;
    struct shard *s;

    if (!p) {
        mpi_peers_release(what->peers);
        if (what->receives)
            mpi_pending_lose();
        return;
    }
    *p = *what;
    s = lock_shard(p->handle, &bucket);
    p->next = *bucket;
    *bucket = p;
    unlock_shard(s);
    __atomic_add_fetch(&n_pending, 1, __ATOMIC_RELAXED);
}

static void drop(struct mpi_pending *p)
{
    struct mpi_pending **at;
    struct shard *s = lock_shard(p->handle, &at);

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    mpi_peers_release(p->peers);
    p->next = s->spare;
    s->spare = p;
    unlock_shard(s);
    __atomic_sub_fetch(&n_pending, 1, __ATOMIC_RELAXED);
}

/* -- receives that were posted -- */

/* P is filled but for where from; in vain when nothing will come. */
static void expect(struct mpi_pending *p, int source, MPI_Comm comm)
{
    p->receives = true;
    p->is_wild = source == MPI_ANY_SOURCE;
    p->in_world = comm == MPI_COMM_WORLD;
    if (p->is_wild && !p->in_world)
        p->peers = mpi_peers_hold(comm);
    insert(p);
}

/* Notes the call; false when nothing is to be received. */
static bool note_source(const struct mpi_call *call, int source, MPI_Comm comm, int *partner)
{
    bool is_open = call->result == MPI_SUCCESS && source != MPI_PROC_NULL;

    *partner = is_open ? mpi_world_rank(comm, source) : -1;
    mpi_add(call->routine, *partner, true, 1, call->ticks, 0);
    return is_open;
}

void mpi_note_receiving(const struct mpi_call *call, int source, MPI_Comm comm,
                        const MPI_Request *request)
{
    struct mpi_pending p = {
        .is_active = true, .is_call = true, .routine = call->routine, .ticks = call->ticks};

    if (!note_source(call, source, comm, &p.partner))
        return;
    p.handle = (intptr_t)*request;
    expect(&p, source, comm);
}

void mpi_note_receiving_message(const struct mpi_call *call, const MPI_Request *request)
{
    mpi_add(call->routine, call->partner, true, 1, call->ticks, 0);
    if (call->result == MPI_SUCCESS && call->partner != MPI_PROC_NULL)
        insert(&(struct mpi_pending){.handle = (intptr_t)*request,
                                     .is_active = true,
                                     .receives = true,
                                     .routine = call->routine,
                                     .partner = call->partner});
}

/* The statuses of MPICH 4.0's MPI_Isendrecv are those of other requests. */
void mpi_note_exchanging(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                         int source, MPI_Comm comm)
{
    mpi_note_sent(call, count, type, dest, comm);
    if (call->result == MPI_SUCCESS && source != MPI_PROC_NULL)
        mpi_pending_lose();
}

/* -- messages that were matched -- */

void mpi_note_matched(const struct mpi_call *call, const MPI_Message *message,
                      const MPI_Status *status, MPI_Comm comm)
{
    mpi_note(call);
    if (call->result == MPI_SUCCESS && message && *message != MPI_MESSAGE_NO_PROC)
        insert(&(struct mpi_pending){.handle = (intptr_t)*message,
                                     .is_message = true,
                                     .partner = mpi_world_rank(comm, status->MPI_SOURCE)});
}

void mpi_note_matched_if(const struct mpi_call *call, const int *flag, const MPI_Message *message,
                         const MPI_Status *status, MPI_Comm comm)
{
    mpi_note_matched(call, call->result == MPI_SUCCESS && *flag ? message : NULL, status, comm);
}

void mpi_take_message(struct mpi_call *call, const MPI_Message *message)
{
    struct mpi_pending *p = find((intptr_t)*message, true);

    call->partner = p ? p->partner : -1;
    if (p)
        drop(p);
}

void mpi_note_received_message(const struct mpi_call *call, const MPI_Status *status)
{
    uint64_t bytes = 0;

    if (call->result == MPI_SUCCESS)
        mpi_status_bytes(status, &bytes);
    mpi_add(call->routine, call->partner, true, 1, call->ticks, bytes);
}

/* -- persistent requests -- */

void mpi_note_sending_again(const struct mpi_call *call, int partitions, MPI_Count count,
                            MPI_Datatype type, int dest, MPI_Comm comm, const MPI_Request *request)
{
    bool is_open = call->result == MPI_SUCCESS && dest >= 0;
    int partner = is_open ? mpi_world_rank(comm, dest) : -1;

    mpi_add(call->routine, partner, false, 1, call->ticks, 0);
    if (is_open)
        insert(&(struct mpi_pending){.handle = (intptr_t)*request,
                                     .is_persistent = true,
                                     .partner = partner,
                                     .bytes = (uint64_t)partitions * mpi_bytes(count, type)});
}

void mpi_note_receiving_again(const struct mpi_call *call, int source, MPI_Comm comm,
                              const MPI_Request *request)
{
    struct mpi_pending p = {.is_persistent = true};

    if (!note_source(call, source, comm, &p.partner))
        return;
    p.handle = (intptr_t)*request;
    expect(&p, source, comm);
}

void mpi_note_own_again(const struct mpi_call *call, uint64_t bytes, const MPI_Request *request)
{
    mpi_note(call);
    if (call->result == MPI_SUCCESS && bytes)
        insert(&(struct mpi_pending){
            .handle = (intptr_t)*request, .is_persistent = true, .partner = -1, .bytes = bytes});
}

void mpi_pending_activate(struct mpi_pending *p)
{
    p->is_active = p->receives;
}

void mpi_pending_started(struct mpi_pending *p, const struct mpi_call *call, bool is_call)
{
    p->routine = call->routine;
    p->is_call = is_call;
    p->ticks = call->ticks;
    mpi_add(call->routine, p->partner, p->receives, is_call, is_call ? call->ticks : 0, p->bytes);
}

/* -- what completed -- */

void mpi_pending_peek(struct mpi_pending *p, const MPI_Status *status, int result)
{
    int partner = p->partner;
    uint64_t calls = 0, ticks = 0, bytes = 0;

    if (!p->is_active)
        return;
    p->is_active = false;
    if (result == MPI_SUCCESS && !mpi_status_bytes(status, &bytes))
        return;
    if (p->is_wild)
        partner = p->in_world ? status->MPI_SOURCE : mpi_peers_rank(p->peers, status->MPI_SOURCE);
    if (p->is_wild && p->is_call && partner >= 0) { /* now it is known whose the call was */
        calls = 1;
        ticks = p->ticks;
        mpi_add(p->routine, -1, true, -calls, -ticks, 0);
    }
    mpi_add(p->routine, partner, true, calls, ticks, bytes);
}

void mpi_pending_complete(struct mpi_pending *p, const MPI_Status *status, int result,
                          MPI_Request request)
{
    mpi_pending_peek(p, status, result);
    if (request == MPI_REQUEST_NULL)
        drop(p);
}

void mpi_pending_free(struct mpi_pending *p)
{
    if (p->is_active) /* asking MPI whether it is complete might tell an error that nobody awaits */
        mpi_pending_lose();
    drop(p);
}
