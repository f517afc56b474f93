/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests and matched messages of which more is to be noted later, by handle: how much came, and
 * from whom, is known only when they complete (wrappers.c).
 *
 * MPI reuses the handle of a completed request at once, and with several threads the new request
 * may be entered before the old one is dropped. So the newest entry of a handle is the live one,
 * and with threads an entry is looked up before a call completes it and dropped by its address.
 */
#include "pending.h"

#include <pthread.h>

#define SHARDS  64
#define BUCKETS 64

static struct shard {
    pthread_mutex_t lock; /* used with MPI_THREAD_MULTIPLE only: else calls come one by one */
    struct mpi_pending *buckets[BUCKETS];
    struct mpi_pending *spare; /* free entries */
} shards[SHARDS];

size_t mpi_n_pending;      /* atomic */
static size_t n_lost;      /* atomic */
static uint32_t n_entries; /* atomic: ever made */

__attribute__((constructor)) static void make_locks(void)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&shards[i].lock, NULL);
}

void mpi_lose_receive(void)
{
    __atomic_add_fetch(&n_lost, 1, __ATOMIC_RELAXED);
}

uint64_t portolan_mpi_receives_unknown(void)
{
    return __atomic_load_n(&n_lost, __ATOMIC_RELAXED);
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

/* With calls one by one, an atomic addition would only cost: 5 ns. */
static void count_pending(int change)
{
    if (mpi_is_concurrent)
        __atomic_add_fetch(&mpi_n_pending, (size_t)change, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&mpi_n_pending, mpi_n_pending + (size_t)change, __ATOMIC_RELAXED);
}

/*
 * MPICH gives one handle to all sends that are complete at once. With several threads such entries
 * are taken out when one of them completes; which one it is does not matter.
 */
static bool is_shared(const struct mpi_pending *p)
{
    return !p->receives && !p->is_persistent && !p->is_message;
}

static struct mpi_pending *find_handle(intptr_t handle, bool is_message)
{
    struct mpi_pending **bucket, *p;
    struct shard *s = lock_shard(handle, &bucket);

    for (p = *bucket; p; p = p->next)
        if (p->handle == handle && p->is_message == is_message &&
            !(mpi_is_concurrent && is_shared(p)))
            break;
    unlock_shard(s);
    return p;
}

struct mpi_pending *mpi_take_shared(intptr_t handle)
{
    struct mpi_pending **at, *p;
    struct shard *s = lock_shard(handle, &at);

    while (*at && ((*at)->handle != handle || !is_shared(*at)))
        at = &(*at)->next;
    if ((p = *at)) {
        *at = p->next;
        count_pending(-1);
    }
    unlock_shard(s);
    return p;
}

void mpi_recycle_pending(struct mpi_pending *p)
{
    struct mpi_pending **bucket;
    struct shard *s = lock_shard(p->handle, &bucket);

    p->next = s->spare;
    s->spare = p;
    unlock_shard(s);
}

struct mpi_pending *mpi_find_request(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NULL : find_handle((intptr_t)request, false);
}

/*
 * Enters a copy of WHAT, except its links and its number; without memory, NULL, its completion is
 * not noted.
 */
static struct mpi_pending *insert_pending(const struct mpi_pending *what)
{
    struct mpi_pending **bucket, *p;
    struct shard *s = lock_shard(what->handle, &bucket);
    uint32_t number;

    if ((p = s->spare))
        s->spare = p->next;
    else if ((p = portolan_calloc(1, sizeof *p)))
        p->number = __atomic_add_fetch(&n_entries, 1, __ATOMIC_RELAXED);
    if (p) {
        number = p->number;
        *p = *what;
        p->number = number;
        p->next = *bucket;
        *bucket = p;
        count_pending(1);
    }
    unlock_shard(s);
    if (p)
        return p;
    mpi_peers_release(what->peers);
    if (what->receives)
        mpi_lose_receive();
    return NULL;
}

void mpi_drop_pending(struct mpi_pending *p)
{
    struct mpi_pending **at;
    struct shard *s = lock_shard(p->handle, &at);

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    mpi_peers_release(p->peers);
    p->next = s->spare;
    s->spare = p;
    count_pending(-1);
    unlock_shard(s);
}

/* -- reports to an observer -- */

uint32_t mpi_expect(const MPI_Request *request, enum portolan_mpi_event_kind done)
{
    struct mpi_pending *p = NULL;

    if (request)
        p = insert_pending(&(struct mpi_pending){
            .handle = (intptr_t)*request, .is_reported = true, .done = (uint8_t)done});
    return p ? p->number : 0;
}

uint32_t mpi_expect_comm(const MPI_Request *request, MPI_Comm new, uint64_t seed, bool is_reported)
{
    struct mpi_pending *p =
        insert_pending(&(struct mpi_pending){.handle = (intptr_t)*request,
                                             .is_reported = is_reported,
                                             .done = PORTOLAN_MPI_COLLECTIVE_DONE,
                                             .makes_comm = true,
                                             .ticks = (uint64_t)(intptr_t) new,
                                             .bytes = seed});

    return p ? p->number : 0;
}

static int any_or(int tag)
{
    return tag == MPI_ANY_TAG ? PORTOLAN_MPI_ANY : tag;
}

MPI_OUT_OF_LINE void mpi_report_posted(const struct mpi_call *call, struct mpi_pending *p)
{
    struct portolan_mpi_event event = {.kind = PORTOLAN_MPI_SEND,
                                       .comm = mpi_comm_of_peers(p->peers),
                                       .peer = p->partner,
                                       .tag = p->tag,
                                       .bytes = p->bytes,
                                       .request = p->number};

    p->is_reported = true;
    if (p->receives) {
        event.kind = PORTOLAN_MPI_RECV_POST;
        event.peer = p->is_wild ? PORTOLAN_MPI_ANY : p->partner;
        event.tag = any_or(p->tag);
    } else if (p->done == PORTOLAN_MPI_COLLECTIVE_DONE) {
        event.kind = PORTOLAN_MPI_COLLECTIVE;
        event.tag = 0;
    }
    mpi_report(call, &event);
}

MPI_OUT_OF_LINE bool mpi_report_completed(const struct mpi_call *call, struct mpi_pending *p,
                                          const MPI_Status *status, int result, uint64_t *bytes)
{
    struct portolan_mpi_event event = {.kind = (enum portolan_mpi_event_kind)p->done,
                                       .request = p->number};

    p->is_reported = false;
    if (result == MPI_SUCCESS && !p->is_both && p->done != PORTOLAN_MPI_COLLECTIVE_DONE &&
        !mpi_status_bytes(status, p->receives ? bytes : NULL))
        event.kind = PORTOLAN_MPI_CANCELLED;
    if (event.kind == PORTOLAN_MPI_RECV) {
        event.comm = mpi_comm_of_peers(p->peers);
        event.peer = p->partner;
        event.tag = any_or(p->is_both ? p->tag : status->MPI_TAG);
        if (p->is_wild)
            event.peer =
                p->is_both ? PORTOLAN_MPI_ANY : mpi_peers_rank(p->peers, status->MPI_SOURCE);
        event.bytes = *bytes;
    }
    mpi_report(call, &event);
    return event.kind != PORTOLAN_MPI_CANCELLED;
}

/* -- receives that were posted -- */

/* Enters P, in which only the source is missing. */
static struct mpi_pending *expect_receive(struct mpi_pending *p, int source, MPI_Comm comm)
{
    p->receives = true;
    p->done = PORTOLAN_MPI_RECV;
    p->is_wild = source == MPI_ANY_SOURCE;
    p->in_world = comm == MPI_COMM_WORLD;
    if ((p->is_wild && !p->in_world) || mpi_is_observable)
        p->peers = mpi_peers_hold(comm);
    return insert_pending(p);
}

/* Notes the call; false when nothing is to be received. */
static bool note_source(const struct mpi_call *call, int source, MPI_Comm comm, int *partner)
{
    bool is_open = call->result == MPI_SUCCESS && source != MPI_PROC_NULL;

    *partner = is_open ? mpi_world_rank(comm, source) : -1;
    mpi_add(call->routine, *partner, true, 1, call->ticks, 0);
    return is_open;
}

void mpi_note_receiving(const struct mpi_call *call, int source, MPI_Comm comm, int tag,
                        const MPI_Request *request)
{
    struct mpi_pending p = {.is_active = true,
                            .is_call = true,
                            .routine = call->routine,
                            .ticks = call->ticks,
                            .tag = tag},
                       *entry;

    if (!note_source(call, source, comm, &p.partner))
        return;
    p.handle = (intptr_t)*request;
    entry = expect_receive(&p, source, comm);
    if (entry && call->is_observed)
        mpi_report_posted(call, entry);
}

void mpi_note_receiving_message(const struct mpi_call *call, const MPI_Request *request)
{
    struct mpi_pending *message = call->message, *p = NULL;

    mpi_add(call->routine, call->partner, true, 1, call->ticks, 0);
    if (call->result == MPI_SUCCESS && call->partner != MPI_PROC_NULL)
        p = insert_pending(&(struct mpi_pending){.handle = (intptr_t)*request,
                                                 .is_active = true,
                                                 .receives = true,
                                                 .routine = call->routine,
                                                 .partner = call->partner,
                                                 .done = PORTOLAN_MPI_RECV});
    if (p && message && message->is_reported) { /* goes on under the number of its message */
        uint32_t number = p->number;

        p->number = message->number;
        message->number = number;
        p->is_reported = true;
        p->peers = message->peers;
        message->peers = NULL;
    }
    if (message)
        mpi_drop_pending(message);
}

/* The statuses of MPICH 4.0's MPI_Isendrecv are those of other requests. */
void mpi_note_exchanging(const struct mpi_call *call, MPI_Count count, MPI_Datatype type, int dest,
                         int source, MPI_Comm comm, int tag, int receive_tag,
                         const MPI_Request *request)
{
    struct mpi_pending p = {.is_both = true, .tag = receive_tag}, *entry;

    mpi_note_sent(call, count, type, dest, comm, tag, request);
    if (call->result != MPI_SUCCESS || source == MPI_PROC_NULL)
        return;
    mpi_lose_receive();
    if (!call->is_observed)
        return;
    p.handle = (intptr_t)*request;
    p.partner = mpi_world_rank(comm, source);
    if ((entry = expect_receive(&p, source, comm)))
        mpi_report_posted(call, entry);
}

/* -- messages that were matched -- */

void mpi_note_matched(const struct mpi_call *call, const MPI_Message *message,
                      const MPI_Status *status, MPI_Comm comm)
{
    struct mpi_pending *p;

    mpi_note(call);
    if (call->result != MPI_SUCCESS || !message || *message == MPI_MESSAGE_NO_PROC)
        return;
    p = insert_pending(&(struct mpi_pending){.handle = (intptr_t)*message,
                                             .is_message = true,
                                             .receives = call->is_observed,
                                             .partner = mpi_world_rank(comm, status->MPI_SOURCE),
                                             .tag = status->MPI_TAG});
    if (p && call->is_observed) {
        p->peers = mpi_peers_hold(comm);
        mpi_report_posted(call, p);
    }
}

void mpi_note_matched_if(const struct mpi_call *call, const int *flag, const MPI_Message *message,
                         const MPI_Status *status, MPI_Comm comm)
{
    mpi_note_matched(call, call->result == MPI_SUCCESS && *flag ? message : NULL, status, comm);
}

void mpi_take_message(struct mpi_call *call, const MPI_Message *message)
{
    struct mpi_pending *p = find_handle((intptr_t)*message, true);

    call->partner = p ? p->partner : -1;
    call->message = p;
}

void mpi_note_received_message(const struct mpi_call *call, const MPI_Status *status)
{
    uint64_t bytes = 0;

    if (call->result == MPI_SUCCESS)
        mpi_status_bytes(status, &bytes);
    mpi_add(call->routine, call->partner, true, 1, call->ticks, bytes);
    if (!call->message)
        return;
    if (call->message->is_reported && call->is_observed && call->result == MPI_SUCCESS)
        mpi_report(call,
                   &(struct portolan_mpi_event){.kind = PORTOLAN_MPI_RECV,
                                                .comm = mpi_comm_of_peers(call->message->peers),
                                                .peer = call->partner,
                                                .tag = status->MPI_TAG,
                                                .bytes = bytes,
                                                .request = call->message->number});
    mpi_drop_pending(call->message);
}

/* -- persistent requests -- */

void mpi_note_sending_again(const struct mpi_call *call, int partitions, MPI_Count count,
                            MPI_Datatype type, int dest, MPI_Comm comm, int tag,
                            const MPI_Request *request)
{
    bool is_open = call->result == MPI_SUCCESS && dest >= 0;
    int partner = is_open ? mpi_world_rank(comm, dest) : -1;

    mpi_add(call->routine, partner, false, 1, call->ticks, 0);
    if (is_open)
        insert_pending(
            &(struct mpi_pending){.handle = (intptr_t)*request,
                                  .is_persistent = true,
                                  .partner = partner,
                                  .bytes = (uint64_t)partitions * mpi_bytes(count, type),
                                  .done = PORTOLAN_MPI_SEND_DONE,
                                  .tag = tag,
                                  .peers = mpi_is_observable ? mpi_peers_hold(comm) : NULL});
}

void mpi_note_receiving_again(const struct mpi_call *call, int source, MPI_Comm comm, int tag,
                              const MPI_Request *request)
{
    struct mpi_pending p = {.is_persistent = true, .tag = tag};

    if (!note_source(call, source, comm, &p.partner))
        return;
    p.handle = (intptr_t)*request;
    expect_receive(&p, source, comm);
}

void mpi_note_own_again(const struct mpi_call *call, uint64_t bytes, MPI_Comm comm, int root,
                        const MPI_Request *request)
{
    mpi_note(call);
    if (call->result == MPI_SUCCESS && (bytes || mpi_is_observable))
        insert_pending(
            &(struct mpi_pending){.handle = (intptr_t)*request,
                                  .is_persistent = true,
                                  .partner = mpi_root_of(comm, root),
                                  .bytes = bytes,
                                  .done = PORTOLAN_MPI_COLLECTIVE_DONE,
                                  .peers = mpi_is_observable ? mpi_peers_hold(comm) : NULL});
}
