/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How messages travel. Nothing here blocks inside MPI. Sends are started and checked later;
 * whatever arrives is received at once and put in the box of its machine and superstep, so all may
 * send anything before anybody waits. A wait goes in rounds: receive, check sends, yield.
 *
 * While the program computes, a thread makes these rounds, like PUB's receiver thread: MPICH moves
 * large messages only while both sides call it, so without the thread a processor would wait for
 * one that has long been in its next superstep. It needs MPI_THREAD_MULTIPLE.
 */
#include "internal.h"

#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uthash.h>

enum {
    TAG_HEAD = 1, /* a head, followed by its bytes if they are few */
    TAG_PIECE,
    PATIENCE = 30,       /* rounds without news before the processor is yielded */
    LOOKS = 8,           /* number of sends checked in a round */
    NAP_NS = 100000,     /* of the thread, while no message is on its way */
    LONG_NAP_NS = 800000 /* at most, while the program itself waits: waking up disturbs it */
};

_Static_assert(offsetof(struct t_bspmsg, data) ==
                   offsetof(struct t_bspmsg, head) + sizeof(struct bsp_head),
               "head and bytes travel in one piece");

size_t bsp_small_bytes = 8192, bsp_piece_bytes = (size_t)1 << 30;

struct bsp_box {
    struct bsp_address address; /* the key */
    struct t_bspmsg *first, **last;
    size_t n; /* complete messages */
    UT_hash_handle hh;
};

/* A transfer that MPI is still working on. */
struct transfer {
    struct transfer *next;
    struct t_bspmsg *message;
    size_t *n_borrowed; /* a counter to decrement when it is done, or NULL */
    int n_requests;
    MPI_Request requests[];
};

struct queue {
    struct transfer *first, **last;
};

static MPI_Comm comm;
static int own_rank;
static struct bsp_box *boxes;
static struct bsp_box *awaited; /* the box that somebody waits at, not in BOXES; NULL: none */
static struct queue going, coming;
static int n_going;

/* Protects the variables above, and the list of live machines and their supersteps. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t helper;
static bool has_helper;
static atomic_bool helper_ends;

void transport_lock(void)
{
    pthread_mutex_lock(&lock);
}

void transport_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* -- boxes -- */

static bool is_awaited(const struct bsp_address *a)
{
    const struct bsp_address *b = awaited ? &awaited->address : NULL;

    return b && a->machine == b->machine && a->step == b->step && a->channel == b->channel;
}

static struct bsp_box *box_at(const struct bsp_address *address)
{
    struct bsp_box *box;

    if (is_awaited(address))
        return awaited;
    HASH_FIND(hh, boxes, address, sizeof *address, box);
    if (!box) {
        box = bsp_need(1, sizeof *box, "bsp");
        box->address = *address;
        box->last = &box->first;
        HASH_ADD(hh, boxes, address, sizeof box->address, box);
    }
    return box;
}

static struct t_bspmsg *box_empty(struct bsp_box *box)
{
    struct t_bspmsg *list = box->first;

    HASH_DEL(boxes, box);
    free(box);
    return list;
}

static void box_put(struct t_bspmsg *message)
{
    const struct bsp_address *to = &message->head.to;
    const struct bsp_machine *m = bsp_find_id(to->machine);
    struct bsp_box *box;

    if (m && to->channel == CHANNEL_TRAFFIC && to->step < m->step)
        bsp_die(m, "bsp_oblsync",
                "a message of superstep %llu from processor %u came when that had ended: "
                "bsp_oblsync() waited for fewer messages than were sent",
                (unsigned long long)to->step, message->head.source);
    box = box_at(to);
    message->next = NULL;
    *box->last = message;
    box->last = &message->next;
    box->n++;
}

/* -- memory -- */

/*
 * The system maps large blocks of memory page by page, which takes longer than copying as much. So
 * a few blocks are kept for the next message of nearly the same size.
 */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct t_bspmsg *kept[8];
enum { N_KEPT = sizeof kept / sizeof *kept, KEPT_LEAST = 128 << 10, KEPT_MOST = 16 << 20 };

static size_t room_of(struct t_bspmsg *message)
{
    return malloc_usable_size(message) - sizeof *message;
}

static struct t_bspmsg *take_kept(size_t size)
{
    struct t_bspmsg *found = NULL;

    if (size < KEPT_LEAST || size > KEPT_MOST)
        return NULL;
    pthread_mutex_lock(&kept_lock);
    for (int i = 0; i < N_KEPT && !found; i++)
        if (kept[i] && room_of(kept[i]) >= size && room_of(kept[i]) / 2 <= size) {
            found = kept[i];
            kept[i] = NULL;
        }
    pthread_mutex_unlock(&kept_lock);
    return found;
}

void transport_free(struct t_bspmsg *message)
{
    static int next;

    if (message && room_of(message) >= KEPT_LEAST && room_of(message) <= KEPT_MOST) {
        struct t_bspmsg *oldest;

        pthread_mutex_lock(&kept_lock);
        oldest = kept[next];
        kept[next] = message;
        next = (next + 1) % N_KEPT;
        pthread_mutex_unlock(&kept_lock);
        message = oldest;
    }
    free(message);
}

static void forget_kept(void)
{
    for (int i = 0; i < N_KEPT; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
}

/* -- transfers -- */

static void enqueue(struct queue *q, struct transfer *t)
{
    t->next = NULL;
    *q->last = t;
    q->last = &t->next;
}

static struct transfer *dequeue(struct queue *q)
{
    struct transfer *t = q->first;

    q->first = t->next;
    if (!q->first)
        q->last = &q->first;
    return t;
}

static struct transfer *begin(struct t_bspmsg *message, size_t n_requests)
{
    struct transfer *t;

    t = bsp_need(1, sizeof *t + n_requests * sizeof(MPI_Request), "bsp_send");
    t->message = message;
    return t;
}

static size_t pieces_of(size_t size)
{
    return size <= bsp_small_bytes ? 0 : (size + bsp_piece_bytes - 1) / bsp_piece_bytes;
}

/* The size of piece I in bytes. */
static int length_of(size_t size, size_t i)
{
    size_t left = size - i * bsp_piece_bytes;

    return (int)(left < bsp_piece_bytes ? left : bsp_piece_bytes);
}

static bool is_done(struct transfer *t)
{
    int done;

    MPI_Testall(t->n_requests, t->requests, &done, MPI_STATUSES_IGNORE);
    return done;
}

/* Pieces arrive in the order of their heads, so each is received where it belongs. */
static void await_pieces(struct t_bspmsg *message, int source)
{
    size_t size = message->head.size, n = pieces_of(size);
    struct transfer *t = begin(message, n);

    for (size_t i = 0; i < n; i++)
        MPI_Irecv(message->data + i * bsp_piece_bytes, length_of(size, i), MPI_BYTE, source,
                  TAG_PIECE, comm, &t->requests[t->n_requests++]);
    enqueue(&coming, t);
}

static bool take_one(void)
{
    struct t_bspmsg *message;
    MPI_Message handle;
    MPI_Status status;
    int is_there, count;

    MPI_Improbe(MPI_ANY_SOURCE, TAG_HEAD, comm, &is_there, &handle, &status);
    if (!is_there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    message = transport_make((size_t)count - sizeof message->head, "bsp");
    MPI_Mrecv(&message->head, count, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    if (pieces_of(message->head.size)) {
        struct bsp_head head = message->head;

        transport_free(message);
        message = transport_make(head.size, "bsp");
        message->head = head;
        await_pieces(message, status.MPI_SOURCE);
    } else {
        box_put(message);
    }
    return true;
}

/* One round; false when no message arrived and no send ended. */
static bool advance(void)
{
    bool news = false;
    struct queue waiting = {NULL, &waiting.first};

    while (take_one())
        news = true;
    while (coming.first) {
        struct transfer *t = dequeue(&coming);

        if (!is_done(t)) {
            enqueue(&waiting, t);
            continue;
        }
        box_put(t->message);
        free(t);
        news = true;
    }
    if (waiting.first) {
        coming.first = waiting.first;
        coming.last = waiting.last;
    }
    for (int i = 0; i < LOOKS && going.first; i++) {
        struct transfer *t = dequeue(&going);

        if (!is_done(t)) {
            enqueue(&going, t);
            continue;
        }
        if (t->n_borrowed)
            --*t->n_borrowed;
        transport_free(t->message);
        free(t);
        n_going--;
        news = true;
    }
    return news;
}

static void relax(unsigned *misses)
{
    if (advance())
        *misses = 0;
    else if (++*misses > PATIENCE)
        sched_yield();
}

/* -- the thread -- */

static void *help(void *arg)
{
    unsigned misses = 0;
    long nap_ns = NAP_NS;

    while (!helper_ends) {
        bool is_busy = false;

        if (pthread_mutex_trylock(&lock) == 0) {
            misses = advance() ? 0 : misses + 1;
            is_busy = going.first || coming.first;
            pthread_mutex_unlock(&lock);
            nap_ns = NAP_NS;
        } else if (nap_ns < LONG_NAP_NS) {
            nap_ns *= 2;
        }
        if (is_busy && misses < PATIENCE)
            sched_yield();
        else
            nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
    }
    return arg;
}

static void begin_helper(void)
{
    const char *wish = getenv("BSP_THREAD");
    int level, n;

    MPI_Query_thread(&level);
    MPI_Comm_size(comm, &n);
    if (level < MPI_THREAD_MULTIPLE || n == 1 || (wish && !strcmp(wish, "no")))
        return;
    helper_ends = false;
    has_helper = pthread_create(&helper, NULL, help, NULL) == 0;
}

/* -- interface for the other files -- */

void transport_begin(MPI_Comm c)
{
    comm = c;
    MPI_Comm_rank(comm, &own_rank);
    going.last = &going.first;
    coming.last = &coming.first;
    begin_helper();
}

void transport_end(void)
{
    MPI_Request request;
    unsigned misses = 0;
    int all_came = 0;
    struct bsp_box *box, *next;

    if (has_helper) {
        helper_ends = true;
        pthread_join(helper, NULL);
        has_helper = false;
    }
    while (going.first)
        relax(&misses);
    MPI_Ibarrier(comm, &request);
    while (!all_came) {
        relax(&misses);
        MPI_Test(&request, &all_came, MPI_STATUS_IGNORE);
    }
    while (coming.first) /* all messages have left their senders, so this loop ends */
        relax(&misses);
    forget_kept();
    HASH_ITER(hh, boxes, box, next)
    {
        struct t_bspmsg *message = box_empty(box);

        while (message) {
            struct t_bspmsg *behind = message->next;

            transport_free(message);
            message = behind;
        }
    }
}

struct t_bspmsg *transport_make(size_t size, const char *function)
{
    struct t_bspmsg *message = take_kept(size);

    if (!message &&
        (size > PTRDIFF_MAX - sizeof *message || !(message = malloc(sizeof *message + size))))
        bsp_die(NULL, function, "out of memory for a message of %zu bytes", size);
    memset(message, 0, sizeof *message);
    message->head.size = size;
    return message;
}

/* BYTES are after the message's head, or in the user's buffer. */
static void send_off(struct bsp_machine *m, int to, struct t_bspmsg *message, const void *bytes)
{
    size_t size = message->head.size, n = pieces_of(size);
    int rank = m->first + to, is_gone = 0;
    struct transfer *t;
    MPI_Request head;

    MPI_Isend(&message->head, (int)(sizeof message->head + (n ? 0 : size)), MPI_BYTE, rank,
              TAG_HEAD, comm, &head);
    if (!n) /* MPI mostly copies few bytes at once */
        MPI_Test(&head, &is_gone, MPI_STATUS_IGNORE);
    if (is_gone) {
        transport_free(message);
        return;
    }
    t = begin(message, n + 1);
    t->requests[t->n_requests++] = head;
    for (size_t i = 0; i < n; i++)
        MPI_Isend((const char *)bytes + i * bsp_piece_bytes, length_of(size, i), MPI_BYTE, rank,
                  TAG_PIECE, comm, &t->requests[t->n_requests++]);
    if (bytes != message->data) {
        m->n_borrowed++;
        t->n_borrowed = &m->n_borrowed;
    }
    enqueue(&going, t);
    if (++n_going > LOOKS)
        advance();
}

void transport_send(struct bsp_machine *m, int to, struct t_bspmsg *message)
{
    transport_lock();
    if (m->first + to == own_rank)
        box_put(message);
    else
        send_off(m, to, message, message->data);
    transport_unlock();
}

void transport_post(struct bsp_machine *m, int to, const struct bsp_head *head, const void *bytes,
                    bool lends)
{
    bool copies = !lends || !pieces_of(head->size) || m->first + to == own_rank;
    struct t_bspmsg *message = transport_make(copies ? head->size : 0, "bsp");

    message->head = *head;
    if (copies) {
        if (head->size)
            memcpy(message->data, bytes, head->size);
        transport_send(m, to, message);
    } else {
        transport_lock();
        send_off(m, to, message, bytes);
        transport_unlock();
    }
}

struct t_bspmsg *transport_await(const struct bsp_address *address, size_t n, size_t *n_there)
{
    struct bsp_box here = {.address = *address, .last = &here.first}, *box;
    unsigned misses = 0;

    transport_lock();
    HASH_FIND(hh, boxes, address, sizeof *address, box);
    if (box) {
        here.n = box->n;
        here.first = box_empty(box);
        for (; *here.last; here.last = &(*here.last)->next)
            ;
    }
    awaited = &here;
    while (here.n < n)
        if (!take_one())
            relax(&misses);
    awaited = NULL;
    *n_there = here.n;
    transport_unlock();
    return here.first;
}

void transport_settle(struct bsp_machine *m)
{
    unsigned misses = 0;

    transport_lock();
    while (m->n_borrowed)
        relax(&misses);
    transport_unlock();
}
